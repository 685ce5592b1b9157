//! Node-link JSON, as networkx (`node_link_data`) and d3 write it, and adjacency lists of networkx (`adjacency_data`).
//!
//! ```text
//! {"directed": false, "nodes": [{"id": "ann"}, {"id": "bob"}], "links": [{"source": "ann", "target": "bob", "weight": 2.5}]}
//! ```
//!
//! Edges are called `links` or `edges`. Ends are ids, or places in the list of nodes where no node has such an id. Nodes without an edge
//! count. The document is held in memory as a whole.

use crate::Error;
use crate::edge_set::EdgeSet;
use crate::graph::Graph;
use crate::read::ReadOptions;
use merit_dataset::limits::Room;
use merit_dataset::shown::shown;
use merit_dataset::text::read_to_string;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// Reads the graph in `path`.
pub(crate) fn read(path: &Path, options: &ReadOptions) -> Result<Graph, Error> {
    let file = path.display().to_string();
    let text = read_to_string(path)?;
    Room::of(path).check(8 * text.len() as u64)?; // what a document of small objects takes
    let wrong = |reason: String| Error::NotAGraph { file: file.clone(), reason };
    let document: Value = serde_json::from_str(&text).map_err(|error| wrong(format!("it is not JSON: {error}")))?;
    drop(text);
    let top = document.as_object().ok_or_else(|| wrong(expected("it is not an object")))?;
    let list = |key: &str| top.get(key).and_then(Value::as_array);
    let nodes = list("nodes").ok_or_else(|| wrong(expected("it has no list `nodes`")))?;
    let mut edges = EdgeSet::of(options);
    let directed = top.get("directed").and_then(Value::as_bool).unwrap_or(false);
    edges.record.directed = directed;
    let names: Vec<String> =
        nodes.iter().map(|node| name(node.get("id").or(node.get("name")).unwrap_or(node))).collect();
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
    names.iter().for_each(|name| _ = edges.names.index(name));
    let end = |edge: &Map<String, Value>, key: &str| -> Option<String> {
        let value = edge.get(key)?;
        let text = name(value.get("id").unwrap_or(value)); // d3 puts the node itself there
        match value.as_u64() {
            _ if places.contains_key(text.as_str()) => Some(text),
            Some(place) => names.get(place as usize).cloned(),
            None => None,
        }
    };
    let mut add = |source: &str, target: &str, edge: &Map<String, Value>, at: usize| -> Result<(), Error> {
        let weight = edge.get("weight").or(edge.get("value"));
        let number = weight.map_or(Some(1.0), Value::as_f64).filter(|weight| weight.is_finite() && *weight >= 0.0);
        let number =
            number.ok_or_else(|| wrong(format!("edge {at} has a weight that is not a number, or is negative")))?;
        edges.add(source, target, number);
        Ok(())
    };
    if let Some(links) = list("links").or(list("edges")) {
        for (at, link) in links.iter().enumerate() {
            let link = link.as_object().ok_or_else(|| wrong(format!("edge {at} is not an object")))?;
            let ends = (end(link, "source"), end(link, "target"));
            let (Some(source), Some(target)) = ends else {
                return Err(wrong(format!("edge {at} has no `source` and `target` that are nodes")));
            };
            add(&source, &target, link, at)?;
        }
    } else if let Some(adjacency) = list("adjacency") {
        for (at, (others, name)) in adjacency.iter().zip(&names).enumerate() {
            for other in others.as_array().into_iter().flatten() {
                let other =
                    other.as_object().ok_or_else(|| wrong(format!("neighbor of node {at} is not an object")))?;
                let target = end(other, "id").ok_or_else(|| wrong(format!("a neighbor of node {at} is not a node")))?;
                // Both directions are listed, unless they differ.
                if directed || edges_once(name, &target) {
                    add(name, &target, other, at)?;
                }
            }
        }
    } else {
        return Err(wrong(expected("it has no list `links`, `edges` or `adjacency`")));
    }
    edges.build(&file, "node-link JSON")
}

/// Whether this direction of an edge that is listed both ways is the one to take.
fn edges_once(source: &str, target: &str) -> bool {
    source <= target
}

fn expected(found: &str) -> String {
    format!("{found}, but node-link JSON has `nodes` and `links`, as `networkx.node_link_data` makes it")
}

/// The name that an id stands for.
fn name(id: &Value) -> String {
    match id {
        Value::String(text) => text.clone(),
        other => shown(&other.to_string()).into_owned(),
    }
}
