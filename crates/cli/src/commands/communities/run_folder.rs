//! The run folder of `merit communities`: tables and `run.json`.

use super::Outcome;
use crate::csv::{csv_field, trace_csv};
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit_dataset::{WriteError, write_npy};
use merit_linalg::memory::peak_rss_bytes;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::fs;

/// memberships.csv, pure_nodes.csv, B.npy and trace.csv.
pub fn write_tables(folder: &OutputFolder, outcome: &Outcome) -> Result<(), Failure> {
    let (graph, found) = (&outcome.graph, &outcome.found);
    let rank = found.pure.len();
    // Writing into a String cannot fail.
    let mut memberships = String::from("node");
    (0..rank).for_each(|k| _ = write!(memberships, ",community_{k}"));
    memberships += ",dominant,mixedness\n";
    let (dominant, mixedness) = (found.dominant(), found.mixedness());
    for (i, name) in graph.names.iter().enumerate() {
        memberships += &csv_field(name);
        found.shares_of(i).for_each(|share| _ = write!(memberships, ",{share}"));
        _ = writeln!(memberships, ",{},{:.6}", dominant[i], mixedness[i]);
    }
    let mut pure = String::from("community,node,index,score,size\n");
    for (k, (&node, size)) in found.pure.iter().zip(found.sizes()).enumerate() {
        let score = found.scores.get(k).map_or(String::new(), f64::to_string);
        pure += &format!("{k},{},{node},{score},{size}\n", csv_field(&graph.names[node]));
    }
    for (name, text) in
        [("memberships.csv", memberships), ("pure_nodes.csv", pure), ("trace.csv", trace_csv(&found.trace))]
    {
        let path = folder.file(name);
        fs::write(&path, text).map_err(|source| WriteError::Io { path, action: "written", source })?;
    }
    Ok(write_npy(&folder.file("B.npy"), &found.b)?)
}

/// What `run.json` says.
pub fn summary(outcome: &Outcome) -> String {
    let Outcome { args, request, graph, found, .. } = outcome;
    let solution = found.solution.as_ref();
    let mut norms = found.row_norms.clone();
    norms.sort_unstable_by(|a, b| b.total_cmp(a));
    norms.truncate((4 * found.pure.len()).max(200));
    let mut seconds: Map<String, Value> = outcome.seconds.iter().map(|(name, s)| (name.clone(), json!(s))).collect();
    seconds.insert("total".into(), json!(outcome.total_seconds()));
    let scores = outcome.truth.as_ref().map(|(_, scores)| scores);
    let value = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "command": std::env::args().collect::<Vec<_>>(),
        "settings": {
            "method": request.method,
            "communities": request.communities,
            "communities_given": args.communities,
            "operator": request.operator,
            "energy": request.energy,
            "memberships": request.rule().map_or(json!("geonmf"), |rule| json!(rule)),
            "weighted": args.weighted,
            "variable": args.variable,
            "regularization": args.regularization,
            "smoothing": args.smoothing,
            "iterations": args.iterations,
            "gap_tolerance": args.gap_tolerance,
            "time_limit": args.time_limit,
            "published": args.published,
            "gradient_steps": args.gradient_steps,
            "seed": args.seed,
        },
        "input": {
            "path": args.input,
            "nodes": graph.nodes(),
            "edges": graph.edges(),
            "record": graph.record,
        },
        "communities": found.pure.len(),
        "communities_estimate": outcome.estimate,
        "eigenvalues": found.spectrum.values,
        "eigenvalue_residuals": found.spectrum.residuals,
        "eigenvectors_converged": found.spectrum.converged,
        "operator_products": found.spectrum.products,
        "kept_nodes": found.kept.len(),
        "pure_nodes": found.pure.iter().map(|&i| &graph.names[i]).collect::<Vec<_>>(),
        "anchors": found.pure,
        "scores": found.scores,
        "sizes": found.sizes(),
        "mean_membership_nodes": found.empty.len(),
        "b": (0..found.b.cols()).map(|k| found.b.col(k)).collect::<Vec<_>>(),
        "regularization": solution.map(|_| args.regularization),
        "stop_reason": found.stop,
        "iterations": solution.map(|s| s.iterations),
        "objective": solution.map(|s| s.objective),
        "gap": solution.and_then(|s| s.gap),
        "nnz": solution.map(|s| s.c.nnz()),
        "nonempty_rows": solution.map(|s| s.c.nonempty_rows()),
        "row_norms_sorted": norms,
        "src": scores.map(|s| s.src),
        "src_kept": scores.map(|s| s.src_kept),
        "nmi": scores.map(|s| s.nmi),
        "notes": outcome.notes,
        "threads": rayon::current_num_threads(),
        "kernel": args.kernel.name(),
        "seconds": seconds,
        "peak_rss_bytes": peak_rss_bytes(),
    });
    serde_json::to_string_pretty(&value).expect("the summary has only string keys") + "\n"
}
