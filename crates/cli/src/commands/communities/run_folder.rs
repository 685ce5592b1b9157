//! The run folder of `merit communities`: tables.

use super::{Outcome, exports};
use crate::csv::{csv_field, tab_field, trace_csv};
use crate::failure::Failure;
use crate::output_folder::OutputFolder;
use merit_dataset::write_npy;
use std::fmt::Write;

/// memberships.csv, pure_nodes.csv, communities.txt, members.csv, B.npy, trace.csv where there were steps, and what else was asked for.
pub fn write_tables(folder: &OutputFolder, outcome: &Outcome) -> Result<(), Failure> {
    let (graph, found) = (&outcome.graph, &outcome.found);
    let rank = found.pure.len();
    // Writing into a String cannot fail.
    let mut memberships = String::from("node");
    (0..rank).for_each(|k| _ = write!(memberships, ",community_{k}"));
    memberships += ",dominant,mixedness,role,known\n";
    let (dominant, mixedness) = (found.dominant(), found.mixedness());
    for (i, name) in graph.names.iter().enumerate() {
        memberships += &csv_field(name);
        found.shares_of(i).for_each(|share| _ = write!(memberships, ",{share}"));
        _ = match (dominant[i], outcome.roles[i]) {
            (Some(community), Some(role)) => writeln!(memberships, ",{community},{:.6},{role},1", mixedness[i]),
            _ => writeln!(memberships, ",,,,0"), // the mean, which says nothing
        };
    }
    let mut pure = String::from("community,node,index,score,size,found_again\n");
    for (k, (&node, size)) in found.pure.iter().zip(found.sizes()).enumerate() {
        let score = found.scores.get(k).map_or(String::new(), f64::to_string);
        let again = found.stability.as_ref().map_or(String::new(), |stability| stability.found_again[k].to_string());
        pure += &format!("{k},{},{node},{score},{size},{again}\n", csv_field(&graph.names[node]));
    }
    let (mut sets, mut members) = (String::new(), String::from("community,node,share,dominant\n"));
    for (k, mut set) in exports::members(outcome).into_iter().enumerate() {
        let share = |i: usize| found.memberships.get(i, k);
        set.sort_by(|a, b| share(b.0).total_cmp(&share(a.0)).then(a.0.cmp(&b.0)));
        sets += &(set.iter().map(|(_, name)| tab_field(name)).collect::<Vec<_>>().join("\t") + "\n");
        for (i, name) in set {
            let is_dominant = u8::from(dominant[i] == Some(k));
            _ = writeln!(members, "{k},{},{},{is_dominant}", csv_field(name), share(i));
        }
    }
    let trace = found.search.as_ref().map_or(&[][..], |search| &search.trace);
    for (name, text) in [
        ("memberships.csv", memberships),
        ("pure_nodes.csv", pure),
        ("communities.txt", sets),
        ("members.csv", members),
        ("trace.csv", trace_csv(trace)),
    ] {
        folder.write(name, &text)?;
    }
    exports::write(folder, outcome)?;
    folder.put("B.npy", |path| write_npy(path, &found.b))
}
