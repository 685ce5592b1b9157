//! The run folder of `merit communities`: tables.

use super::Outcome;
use crate::csv::{csv_field, trace_csv};
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit_dataset::write_npy;
use std::fmt::Write;

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
    for (name, text) in [
        ("memberships.csv", memberships),
        ("pure_nodes.csv", pure),
        ("trace.csv", trace_csv(found.search.as_ref().map_or(&[], |search| &search.trace))),
    ] {
        folder.write(name, &text)?;
    }
    folder.put("B.npy", |path| write_npy(path, &found.b))
}
