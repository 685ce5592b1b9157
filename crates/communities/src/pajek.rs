//! Pajek's .net: vertices by number with names, then arcs, edges, or lists of neighbors.
//!
//! ```text
//! *Vertices 3
//! 1 "ann"
//! 2 "bob"
//! *Edges               (or *Arcs, which have a direction; *Edgeslist and *Arcslist: 1 2 3 joins 1 with 2 and with 3)
//! 1 2 2.5
//! ```

use crate::Error;
use crate::edge_set::NamedNodes;
use crate::error::Fault;
use crate::graph::Graph;
use crate::read::ReadOptions;
use crate::text::{Records, Row};
use merit_dataset::limits::Room;
use std::path::Path;

#[derive(PartialEq)]
enum Section {
    Nothing,
    Vertices,
    Pairs,
    Lists,
    Other,
}

/// Vertices that a file may claim without naming them, beside those it has edges for.
const UNNAMED: usize = 1_000_000;

/// Reads the graph in `path`.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    let (mut records, room) = (Records::open(path)?, Room::of(path));
    let mut nodes = NamedNodes::of(options);
    let mut section = Section::Nothing;
    while let Some(row) = records.next()? {
        let Row::Record(record) = row else { continue };
        let fields: Vec<String> = record.fields().map(String::from).collect();
        if let Some(head) = fields.first().and_then(|field| field.strip_prefix('*')).map(str::to_ascii_lowercase) {
            nodes.edges.record.directed |= head.starts_with("arcs");
            section = match head.as_str() {
                "vertices" => Section::Vertices,
                "edges" | "arcs" => Section::Pairs,
                "edgeslist" | "arcslist" => Section::Lists,
                _ => Section::Other,
            };
            if let (Section::Vertices, Some(Ok(count))) = (&section, fields.get(1).map(|text| text.parse::<usize>())) {
                (1..=count.min(UNNAMED)).for_each(|i| nodes.node(&i.to_string(), None));
            }
            continue;
        }
        let fault = match section {
            Section::Nothing => Some(Fault::NoVertices),
            Section::Vertices => {
                fields.first().into_iter().for_each(|id| nodes.node(id, fields.get(1).cloned()));
                None
            }
            Section::Pairs if fields.len() < 2 => Some(Fault::OneField(fields.concat())),
            Section::Pairs => match fields.get(2).map(|text| options.weight(text)).transpose() {
                Ok(number) => {
                    nodes.edge(&fields[0], &fields[1], number);
                    None
                }
                Err(fault) => Some(fault),
            },
            Section::Lists => {
                fields.iter().skip(1).for_each(|other| nodes.edge(&fields[0], other, None));
                None
            }
            Section::Other => None,
        };
        if let Some(fault) = fault {
            return Err(Error::Line { at: path.into(), line: records.number(), fault });
        }
        room.check(nodes.bytes_needed())?;
    }
    nodes.build(&path.display().to_string(), "Pajek")
}
