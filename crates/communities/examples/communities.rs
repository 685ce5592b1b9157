//! Edges to everyone's shares in communities:
//!
//! ```console
//! $ cargo run --release -p merit-communities --example communities
//! ```

use merit_communities::graph::EdgeSet;
use merit_communities::{Error, Settings, detect};

/// Two circles of friends, and `gil`, who belongs to both.
const FRIENDS: [(&str, &str); 16] = [
    ("ann", "bob"),
    ("ann", "cat"),
    ("bob", "cat"),
    ("ann", "dan"),
    ("bob", "dan"),
    ("cat", "dan"),
    ("gil", "ann"),
    ("gil", "bob"),
    ("gil", "pia"),
    ("gil", "quy"),
    ("pia", "quy"),
    ("pia", "ron"),
    ("quy", "ron"),
    ("pia", "sue"),
    ("quy", "sue"),
    ("ron", "sue"),
];

fn main() -> Result<(), Error> {
    let mut edges = EdgeSet::new(false);
    FRIENDS.iter().for_each(|(a, b)| edges.add(a, b, 1.0));
    let graph = edges.build("friends", "list")?;
    let found = detect(&graph, &Settings::new(2), &mut ())?;
    println!("pure nodes: {}", found.pure.iter().map(|&i| graph.names[i].as_str()).collect::<Vec<_>>().join(", "));
    for (i, name) in graph.names.iter().enumerate() {
        println!("{name}  {:.2}  {:.2}", found.memberships.get(i, 0), found.memberships.get(i, 1));
    }
    Ok(())
}
