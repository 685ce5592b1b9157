//! `merit evaluate`: a run against the truth; topics of any tool by the usual measures.

use super::factor::Record;
use super::topics;
use crate::ExitCode;
use crate::args::{EvaluateArgs, EvaluateCommand, EvaluateRunArgs, MeanName};
use crate::failure::Failure;
use crate::record::Truth;
use crate::terminal::{print, print_json, table};
use merit::DataMatrix;
use merit::metrics::{MeanRemoval, anchors_right, mrsa_radians, rae, scaled_mrsa, success};
use merit::preprocess::{Normalize, Prepared, Preprocessing};
use merit_dataset::{ReadOptions, read};
use serde_json::json;
use std::path::Path;

pub fn run(args: &EvaluateArgs) -> Result<ExitCode, Failure> {
    match &args.command {
        Some(EvaluateCommand::Topics(args)) => topics::evaluate(args),
        None => against_truth(&args.run),
    }
}

fn against_truth(args: &EvaluateRunArgs) -> Result<ExitCode, Failure> {
    let (Some(run_path), Some(truth_path)) = (&args.run, &args.truth) else {
        unreachable!("the command line asks for both")
    };
    let (run, truth) = (Record::read(run_path)?, Truth::read(truth_path)?);
    let (found, right) = (&run.search.anchors, &truth.anchors);
    let matrix =
        |folder: &Path, name: &str| Ok::<_, Failure>(read(&folder.join(name), &ReadOptions::default())?.matrix);
    let mut x = matrix(truth_path, "X.npy")?;
    let mut true_w = matrix(truth_path, "W.npy")?.into_dense();
    let (w, h) = (matrix(run_path, "W.npy")?.into_dense(), matrix(run_path, "H.npy")?.into_dense());
    let (run_folder, truth_folder) = (run_path.display(), truth_path.display());
    for (file, rows, cols, found, expected) in [
        (format!("{run_folder}/W.npy"), w.rows(), w.cols(), x.rows(), found.len()),
        (format!("{run_folder}/H.npy"), h.rows(), h.cols(), found.len(), x.cols()),
        (format!("{truth_folder}/W.npy"), true_w.rows(), true_w.cols(), x.rows(), right.len()),
    ] {
        if (rows, cols) != (found, expected) {
            return Err(Failure::data(format!(
                "`{file}` is {rows} x {cols}, but {found} x {expected} is expected: the folders belong to different data"
            )));
        }
    }
    if run.details.preprocessing.normalize == Normalize::L1 {
        x = l1(x)?;
        true_w = l1(true_w.into())?.into_dense();
    }
    let removal = match args.mean {
        MeanName::Column => MeanRemoval::MeanColumn,
        MeanName::Own => MeanRemoval::OwnMean,
    };
    let (hits, mrsa) = (anchors_right(found, right), mrsa_radians(&w, &true_w, removal));
    let (success, rae) = (success(found, right), rae(&x, &w, &h));
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
        print_json(&(serde_json::to_string_pretty(&value).expect("only string keys") + "\n"))?;
    } else {
        let row = |name: &str, value: String| vec![name.to_string(), value];
        print(&table(&[
            row("success", if success { "yes" } else { "no" }.into()),
            row("anchors right", format!("{hits} of {} ({} found)", right.len(), found.len())),
            row("MRSA (radians)", format!("{mrsa:.6}")),
            row("MRSA (x 100/pi)", format!("{:.4}", scaled_mrsa(mrsa))),
            row("RAE", format!("{rae:.6}")),
        ]))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn l1(x: DataMatrix) -> Result<DataMatrix, Failure> {
    let steps = Preprocessing { normalize: Normalize::L1, ..Default::default() };
    let prepared = Prepared::of(&x, &steps).map_err(|error| Failure::data(error.to_string()))?;
    Ok(prepared.full.into_owned())
}
