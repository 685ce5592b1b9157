//! Factorizations.

use crate::args::MatrixReading;
use crate::commands::{factor, factor_page, theory};
use crate::record::MatrixInput;
use merit::DataMatrix;
use merit::factor::{Factorization, Settings};
use merit::theory::Certificate;

/// A factorization, what was asked, and its record.
pub struct FactorRun {
    /// What was found.
    pub found: Factorization,
    asked: Settings,
    record: factor::Record,
}

impl FactorRun {
    /// Of a run of these settings on `x`, which the record calls `name`.
    pub fn new(name: &str, x: &DataMatrix, asked: Settings, found: Factorization) -> Self {
        let input = MatrixInput::of(name.into(), x, "in memory".into());
        let record = factor::record_of(input, MatrixReading::default(), &asked, &found, Vec::new());
        let record = record.with_seconds(&found.seconds);
        Self { found, asked, record }
    }

    /// The settings that were asked for.
    pub fn asked(&self) -> &Settings {
        &self.asked
    }

    /// `run.json`.
    pub fn json(&mut self) -> String {
        self.record.json()
    }

    /// The page of `merit factor`; if the data are given, it checks them against the theorems.
    pub fn page(&self, labels: Option<&[String]>, x: Option<&DataMatrix>) -> String {
        let theory = x.map(|x| theory::section_of(&self.asked, x, &self.found));
        let rule = self.asked.search.regularization;
        factor_page::of_run(&self.record, rule, &self.found, labels, theory.into_iter().collect())
    }

    /// What the theorems say about this run on `x`.
    pub fn certificate(&self, x: &DataMatrix) -> Result<Certificate, String> {
        theory::of_run(&self.asked, x, &self.found)
    }
}
