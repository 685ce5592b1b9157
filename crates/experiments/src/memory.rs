//! Peak memory of a method, measured in a process of its own.
//!
//! The maximum resident set belongs to a process as a whole and never falls, so each point of figure 4b starts the program
//! again: the child makes the data, runs one method and tells its own peak. Who starts the child is the caller's affair.

use crate::Failure;
use crate::method::{Lambda, Method, STEPS};
use merit::automatic::SpaFit;
use merit::methods::fast_gradient;
use merit::solver::{Settings, Start, solve};
use merit::synthetic::Dirichlet;
use merit::{DataMatrix, selection};
use merit_linalg::memory::peak_rss_bytes;
use std::ops::ControlFlow;

/// Steps of FastGradient: its arrays are all there after the first, and more would only take longer.
pub const FAST_GRADIENT_STEPS: usize = 5;

/// A size of `dirichlet` data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// `M`.
    pub rows: usize,
    /// `N`.
    pub cols: usize,
    /// `K`.
    pub rank: usize,
    /// Noise.
    pub snr_db: f64,
}

/// One point: what the child is asked to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How much data.
    pub size: Size,
    /// The seed of the data.
    pub seed: u64,
    /// Who runs.
    pub method: Method,
}

impl Size {
    /// A lower bound on the memory that `method` needs at this size, in bytes.
    pub fn bytes_needed(&self, method: Method) -> u64 {
        let (rows, cols) = (self.rows as u64, self.cols as u64);
        match method {
            Method::FastGradient => {
                let threads = rayon::current_num_threads();
                fast_gradient::needed_bytes(self.rows, self.cols, threads)
            }
            // X, residuals, the packed copy, C and the least-squares weights.
            _ => 8 * cols * (3 * rows + self.rank as u64),
        }
    }
}

impl Point {
    /// Does the work here and gives the peak of this process; for the child.
    pub fn measure(&self) -> Result<u64, Failure> {
        let Size { rows, cols, rank, snr_db } = self.size;
        let model = Dirichlet { snr_db, seed: self.seed, ..Dirichlet::new(rows, cols, rank) };
        let x = DataMatrix::from(model.generate()?.x); // the truth is dropped before the method starts
        match self.method {
            Method::Merit(Lambda::Paper(part)) => {
                let lambda = if part == 0.0 { 0.0 } else { part * SpaFit::of(&x, rank).paper() };
                let settings = Settings { regularization: lambda, iterations: STEPS, ..Default::default() };
                let settings = settings.check().map_err(merit::Error::from)?;
                let solution = solve(&x, Start::Zero, &settings, &mut ());
                selection::largest_rows(&solution.c.row_inf_norms(), rank, |_| true);
            }
            Method::FastGradient => {
                let options = fast_gradient::Options { steps: FAST_GRADIENT_STEPS, seed: self.seed };
                fast_gradient::select(&x, rank, &options, &mut |_| ControlFlow::Continue(()))?;
            }
            Method::Spa => drop(merit::spa::spa(&x, rank)),
            other => return Err(Failure::Child(format!("the memory of {} is not measured", other.name()))),
        }
        peak_rss_bytes().ok_or_else(|| Failure::Child("this system does not tell the peak memory of a process".into()))
    }
}
