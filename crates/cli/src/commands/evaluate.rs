//! `merit evaluate`: a run against the truth.

use crate::args::{EvaluateArgs, MeanName};
use crate::failure::Failure;
use crate::terminal::{print, table};
use merit::DataMatrix;
use merit::metrics::{MeanRemoval, anchors_right, mrsa_radians, rae, scaled_mrsa, success};
use merit::preprocess::{Normalize, Prepared, Preprocessing};
use merit_dataset::{ReadOptions, read};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub fn run(args: &EvaluateArgs) -> Result<ExitCode, Failure> {
    let (run, truth) = (json_file(&args.run, "run.json")?, json_file(&args.truth, "truth.json")?);
    let (found, right) = (anchors(&run, &args.run, "run.json")?, anchors(&truth, &args.truth, "truth.json")?);
    let matrix =
        |folder: &Path, name: &str| Ok::<_, Failure>(read(&folder.join(name), &ReadOptions::default())?.matrix);
    let mut x = matrix(&args.truth, "X.npy")?;
    let mut true_w = matrix(&args.truth, "W.npy")?.into_dense();
    let (w, h) = (matrix(&args.run, "W.npy")?.into_dense(), matrix(&args.run, "H.npy")?.into_dense());
    if run["preprocessing"]["normalize"] == "l1" {
        x = l1(x)?;
        true_w = l1(true_w.into())?.into_dense();
    }
    for (name, found, expected) in [("rows of W", w.rows(), x.rows()), ("columns of H", h.cols(), x.cols())] {
        if found != expected {
            return Err(Failure::data(format!(
                "`{}` has {found} {name}, but `{}` has {expected}: they belong to different data",
                args.run.display(),
                args.truth.display()
            )));
        }
    }
    let removal = match args.mean {
        MeanName::Column => MeanRemoval::MeanColumn,
        MeanName::Own => MeanRemoval::OwnMean,
    };
    let (hits, mrsa) = (anchors_right(&found, &right), mrsa_radians(&w, &true_w, removal));
    let (success, rae) = (success(&found, &right), rae(&x, &w, &h));
    if args.json {
        let value = json!({
            "success": success,
            "anchors_right": hits,
            "anchors_found": found.len(),
            "anchors_true": right.len(),
            "mrsa_radians": mrsa,
            "mrsa_scaled": scaled_mrsa(mrsa),
            "rae": rae,
        });
        print(&(serde_json::to_string_pretty(&value).expect("only string keys") + "\n"));
    } else {
        let row = |name: &str, value: String| vec![name.to_string(), value];
        print(&table(&[
            row("success", if success { "yes" } else { "no" }.into()),
            row("anchors right", format!("{hits} of {} ({} found)", right.len(), found.len())),
            row("MRSA (radians)", format!("{mrsa:.6}")),
            row("MRSA (x 100/pi)", format!("{:.4}", scaled_mrsa(mrsa))),
            row("RAE", format!("{rae:.6}")),
        ]));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn json_file(folder: &Path, name: &str) -> Result<Value, Failure> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).map_err(|error| {
        let failure = Failure::data(format!("`{}` cannot be read: {error}", path.display()));
        match name {
            "run.json" => failure.hint("give the folder that `merit factor ... --output DIR` wrote"),
            _ => failure.hint("give the folder that `merit generate ... --output DIR` wrote"),
        }
    })?;
    serde_json::from_str(&text).map_err(|error| Failure::data(format!("`{}` is not JSON: {error}", path.display())))
}

pub(super) fn anchors(value: &Value, folder: &Path, name: &str) -> Result<Vec<usize>, Failure> {
    let list = value["anchors"].as_array();
    let numbers = list.and_then(|list| list.iter().map(|v| v.as_u64().map(|n| n as usize)).collect());
    numbers.ok_or_else(|| Failure::data(format!("`{}` has no list of anchors", folder.join(name).display())))
}

fn l1(x: DataMatrix) -> Result<DataMatrix, Failure> {
    let steps = Preprocessing { normalize: Normalize::L1, ..Default::default() };
    let prepared = Prepared::of(&x, &steps).map_err(|error| Failure::data(error.to_string()))?;
    Ok(prepared.full.into_owned())
}
