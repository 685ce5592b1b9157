//! The run folder: arrays, tables and `run.json`.

use crate::args::{FactorArgs, init_name};
use crate::csv::{csv_field, trace_csv};
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit::Run;
use merit_dataset::{Dataset, WriteError, write_npy, write_npz_csc};
use merit_linalg::DataMatrix;
use merit_linalg::memory::peak_rss_bytes;
use serde_json::{Value, json};
use std::fs;

/// W, H, C, anchors and trace.
pub fn write_arrays(folder: &OutputFolder, run: &Run, labels: Option<&[String]>) -> Result<(), Failure> {
    write_npy(&folder.file("W.npy"), &run.w)?;
    write_npy(&folder.file("H.npy"), &run.h.h)?;
    let cols = run.prepared.full.cols();
    if run.solution.is_some() {
        let mut column = Vec::new();
        let mut nnz = 0;
        for l in 0..cols {
            run.c_column(l, &mut column);
            nnz += column.len();
        }
        write_npz_csc(&folder.file("C.npz"), cols, cols, nnz, |l, entries| run.c_column(l, entries))?;
    }
    let mut anchors = String::from("index,label,row_norm\n");
    for &l in &run.anchors {
        let label = labels.map_or(String::new(), |labels| csv_field(&labels[l]));
        let norm = run.row_norms.get(l).map_or(String::new(), f64::to_string);
        anchors += &format!("{l},{label},{norm}\n");
    }
    for (name, text) in [("anchors.csv", anchors), ("trace.csv", trace_csv(&run.trace))] {
        let path = folder.file(name);
        fs::write(&path, text).map_err(|source| WriteError::Io { path, action: "written", source })?;
    }
    Ok(())
}

/// What `run.json` says.
pub struct Summary {
    value: Value,
    seconds: Vec<(String, f64)>,
    pub peak_rss_bytes: Option<u64>,
}

impl Summary {
    pub fn new(args: &FactorArgs, dataset: &Dataset, run: &Run, read_seconds: f64) -> Self {
        let mut seconds = vec![("read".to_string(), read_seconds)];
        seconds.extend(run.seconds.iter().map(|&(name, seconds)| (name.to_string(), seconds)));
        let mut norms = run.row_norms.clone();
        norms.sort_unstable_by(|a, b| b.total_cmp(a));
        norms.truncate((4 * run.anchors.len()).max(200));
        let solution = run.solution.as_ref();
        let value = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "command": std::env::args().collect::<Vec<_>>(),
            "settings": settings(args, run),
            "input": {
                "path": args.input,
                "rows": dataset.matrix.rows(),
                "cols": dataset.matrix.cols(),
                "format": dataset.description,
                "sparse": matches!(dataset.matrix, DataMatrix::Sparse(_)),
                "stored_values": dataset.matrix.stored().len(),
            },
            "preprocessing": run.prepared.record,
            "rank": run.anchors.len(),
            "rank_estimate": run.rank_estimate,
            "regularization": run.regularization,
            "regularization_rule": solution.map(|_| &args.regularization.typed),
            "candidates": run.candidates,
            "anchors_from": run.candidates.iter().find(|c| c.chosen).map_or(json!(args.method.to_string()), |c| json!(c.source)),
            "start_iteration": solution.map(|s| s.start_iteration),
            "stop_reason": run.stop,
            "iterations": solution.map(|s| s.iterations),
            "objective": solution.map(|s| s.objective),
            "gap": solution.and_then(|s| s.gap),
            "nnz": solution.map(|s| s.c.nnz()),
            "nonempty_rows": solution.map(|s| s.c.nonempty_rows()),
            "anchors": run.anchors,
            "scores": (!run.scores.is_empty()).then_some(&run.scores),
            "fast_gradient": run.fast_gradient.as_ref().map(|found| json!({
                "steps": found.steps,
                "restarts": found.restarts,
                "mu": found.mu,
                "objective": found.objective,
            })),
            "row_norms_sorted": norms,
            "factors": {
                "weights": args.weights.to_string(),
                "squared_residual": run.h.squared_residual,
                "rae": run.rae(),
                "violation": run.h.violation,
                "tolerance": run.h.tolerance,
                "unconverged_columns": run.h.unconverged,
            },
            "notes": run.notes,
            "threads": rayon::current_num_threads(),
            "kernel": args.kernel.name(),
        });
        Self { value, seconds, peak_rss_bytes: peak_rss_bytes() }
    }

    pub fn add_seconds(&mut self, stage: &str, seconds: f64) {
        self.seconds.push((stage.to_string(), seconds));
    }

    pub fn seconds(&self) -> &[(String, f64)] {
        &self.seconds
    }

    pub fn total_seconds(&self) -> f64 {
        self.seconds.iter().map(|(_, seconds)| seconds).sum()
    }

    pub fn json(&self) -> String {
        let mut value = self.value.clone();
        let mut seconds: serde_json::Map<String, Value> =
            self.seconds.iter().map(|(name, seconds)| (name.clone(), json!(seconds))).collect();
        seconds.insert("total".to_string(), json!(self.total_seconds()));
        value["seconds"] = Value::Object(seconds);
        value["peak_rss_bytes"] = json!(peak_rss_bytes().or(self.peak_rss_bytes));
        serde_json::to_string_pretty(&value).expect("the summary has only string keys") + "\n"
    }
}

/// Every setting as used.
fn settings(args: &FactorArgs, run: &Run) -> Value {
    json!({
        "method": args.method.to_string(),
        "rank": run.anchors.len(),
        "rank_given": args.rank,
        "regularization": run.regularization,
        "smoothing": args.smoothing,
        "iterations": args.iterations,
        "gap_tolerance": args.gap_tolerance,
        "objective_tolerance": args.objective_tolerance,
        "residual_tolerance": args.residual_tolerance,
        "time_limit": args.time_limit,
        "init": init_name(&args.init),
        "start_iteration": run.solution.as_ref().map(|solution| solution.start_iteration),
        "normalize": args.normalize.to_string(),
        "zero_columns": args.zero_columns.to_string(),
        "reduce": args.reduce.0,
        "merge_duplicates": args.merge_duplicates,
        "weights": args.weights.to_string(),
        "samples": args.samples.to_string(),
        "variable": args.variable,
        "xray_criterion": args.xray_criterion.to_string(),
        "projection": args.projection.0,
        "minimum_documents": args.minimum_documents,
        "gradient_steps": args.gradient_steps,
        "seed": args.seed,
    })
}
