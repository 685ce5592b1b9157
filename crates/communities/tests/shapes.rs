//! Graphs of every shape: a clear answer, or a clear note, and no share that was made up.

use merit_communities::graph::EdgeSet;
use merit_communities::mmsb::{Degrees, Mmsb};
use merit_communities::{Detection, Graph, Operator, Settings, detect};

fn graph(pairs: impl IntoIterator<Item = (usize, usize)>) -> Graph {
    let mut edges = EdgeSet::new(false);
    pairs.into_iter().for_each(|(i, j)| edges.add(&i.to_string(), &j.to_string(), 1.0));
    edges.build("x", "edge list").unwrap()
}

/// All pairs of these nodes.
fn clique(nodes: std::ops::Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    nodes.clone().flat_map(move |i| (nodes.start..i).map(move |j| (i, j)))
}

fn found(graph: &Graph, communities: usize) -> Detection {
    let found = detect(graph, &Settings::new(communities), &mut ()).unwrap();
    for i in 0..graph.nodes() {
        let sum: f64 = found.shares_of(i).sum();
        assert!((sum - 1.0).abs() < 1e-9 && found.shares_of(i).all(|share| share >= 0.0), "node {i}");
    }
    assert!(found.b.values().iter().all(|rate| rate.is_finite() && *rate >= 0.0), "{:?}", found.b);
    found
}

fn says(found: &Detection, words: &str) -> bool {
    found.notes.iter().any(|note| note.contains(words))
}

#[test]
fn a_clique_is_one_community() {
    let clique = graph(clique(0..30));
    for communities in [1, 2, 5] {
        let found = found(&clique, communities);
        assert_eq!(found.pure.len(), 1, "{communities}");
        assert!(found.unknown.is_empty());
        assert_eq!(says(&found, "1 community can be told apart"), communities > 1, "{:?}", found.notes);
    }
}

/// Six of them with three communities: half of the nodes are not known, and flagged.
#[test]
fn parts_beyond_the_number_of_communities_are_not_known() {
    let six = graph((0..6).flat_map(|c| clique(10 * c..10 * c + 10)));
    let three = found(&six, 3);
    assert_eq!((three.pure.len(), three.unknown.len()), (3, 30));
    assert!(says(&three, "30 nodes are in 3 parts that are too small"), "{:?}", three.notes);
    let known = three.known();
    for i in (0..60).filter(|&i| known[i]) {
        assert!(three.shares_of(i).any(|share| share == 1.0), "node {i}");
    }
    assert!(three.unknown.iter().all(|&i| three.dominant()[i].is_none()));
    let all = found(&six, 6);
    assert!(all.unknown.is_empty());
    assert!((0..60).all(|i| all.dominant()[i] == all.dominant()[i / 10 * 10]));
    // More than can be distinguished.
    let most = found(&six, 8);
    assert_eq!(most.pure.len(), 6);
    assert!(says(&most, "6 communities can be told apart, though 8 were asked for"), "{:?}", most.notes);
}

#[test]
fn small_parts_do_not_take_the_communities_of_a_large_one() {
    let drawn = Mmsb { mean_degree: 20.0, concentration: 0.05, seed: 1, ..Mmsb::new(600, 3) }.generate().unwrap();
    let large = drawn.edges.iter().map(|&(i, j)| (i as usize, j as usize));
    let small = (0..40).flat_map(|c| clique(1000 + 5 * c..1005 + 5 * c));
    let found = found(&graph(large.chain(small)), 3);
    assert!(found.unknown.len() >= 200 && found.pure.len() == 3, "{} unknown", found.unknown.len());
    assert!(found.sizes().iter().all(|size| *size > 100.0), "{:?}", found.sizes());
}

#[test]
fn two_sides_are_two_communities() {
    let sides = graph((0..12).flat_map(|i| (12..30).map(move |j| (i, j))));
    let two = found(&sides, 2);
    assert!(says(&two, "edges lead from group to group"), "{:?}", two.notes);
    let dominant = two.dominant();
    assert!((0..30).all(|i| (dominant[i] == dominant[0]) == (i < 12)), "{dominant:?}");
    assert!(two.b.get(0, 1) > 2.0 * two.b.get(0, 0).max(two.b.get(1, 1)), "{:?}", two.b);
}

/// Nobody said how many: two, one on each side.
#[test]
fn two_sides_are_counted() {
    let sides = graph((0..15).flat_map(|i| (15..37).map(move |j| (i, j))));
    let found = detect(&sides, &Settings::default(), &mut ()).unwrap();
    assert_eq!(found.pure.len(), 2, "{:?}", found.notes);
    assert_ne!(found.pure[0] < 15, found.pure[1] < 15, "{:?}", found.pure);
    assert!(says(&found, "edges lead from group to group"), "{:?}", found.notes);
}

/// Three nodes in a row at the end of one edge are nearly cut off, which is no reason to call them a community.
#[test]
fn a_tail_is_no_community() {
    let model =
        Mmsb { mean_degree: 12.0, degrees: Degrees::PowerLaw, concentration: 0.05, seed: 1, ..Mmsb::new(600, 2) };
    let drawn = model.generate().unwrap();
    let pairs = drawn.edges.iter().map(|&(i, j)| (i as usize, j as usize));
    let graph = graph(pairs.chain([(0, 1000), (1000, 1001), (1001, 1002)]));
    let unrefined = Settings { operator: Some(Operator::Normalized), refinement: 0, ..Settings::new(2) };
    let alone = detect(&graph, &unrefined, &mut ()).unwrap();
    assert!(alone.sizes()[1] < 10.0, "it would be for the plain operator: {:?}", alone.sizes());
    assert!(found(&graph, 2).sizes()[1] > 200.0);
}

#[test]
fn a_star_has_a_center() {
    let star = graph((1..25).map(|i| (0, i)));
    assert_eq!(found(&star, 1).pure, [0]);
    let two = found(&star, 2);
    let dominant = two.dominant();
    assert!((1..25).all(|i| dominant[i] == dominant[1] && dominant[i] != dominant[0]), "{dominant:?}");
}

/// A node with one edge belongs where its neighbor does.
#[test]
fn leaves_follow_their_neighbor() {
    let leaves = (0..24).map(|i| (i, 100 + i));
    let two = graph(clique(0..12).chain(clique(12..24)).chain([(11, 12)]).chain(leaves));
    let found = found(&two, 2);
    let dominant = found.dominant();
    let place = |name: usize| two.names.iter().position(|known| *known == name.to_string()).unwrap();
    for i in 0..24 {
        assert_eq!(dominant[place(100 + i)], dominant[place(i)], "leaf of {i}");
        assert_eq!(dominant[place(i)], dominant[place(i / 12 * 12)]);
    }
    assert!(found.unknown.is_empty());
}

#[test]
fn a_pair_and_a_path() {
    assert_eq!(found(&graph([(0, 1)]), 1).pure.len(), 1);
    let path = found(&graph((0..40).map(|i| (i, i + 1))), 2);
    let dominant = path.dominant();
    assert!(dominant[0] != dominant[40] && dominant[0] == dominant[10] && dominant[40] == dominant[30], "{dominant:?}");
}

/// Edges in another order and other names: the same shares.
#[test]
fn names_and_order_change_nothing() {
    let model =
        Mmsb { mean_degree: 25.0, degrees: Degrees::PowerLaw, concentration: 0.1, seed: 3, ..Mmsb::new(900, 4) };
    let drawn = model.generate().unwrap();
    let pairs: Vec<(usize, usize)> = drawn.edges.iter().map(|&(i, j)| (i as usize, j as usize)).collect();
    let renamed = |i: usize| (i * 7919) % 10007; // different for all below 10007
    let plain = graph(pairs.iter().copied());
    let other = graph(pairs.iter().rev().map(|&(i, j)| (renamed(j), renamed(i))));
    let (a, b) = (found(&plain, 4), found(&other, 4));
    let place = |i: usize| other.names.iter().position(|name| *name == renamed(i).to_string()).unwrap();
    let mut worst = 0.0_f64;
    for (at, name) in plain.names.iter().enumerate() {
        let there = place(name.parse().unwrap());
        a.shares_of(at).zip(b.shares_of(there)).for_each(|(x, y)| worst = worst.max((x - y).abs()));
    }
    assert!(worst < 1e-6, "{worst}");
}

/// One is an answer.
#[test]
fn a_clique_and_a_random_graph_have_one_community() {
    let settings = Settings::default();
    let clique = detect(&graph(clique(0..30)), &settings, &mut ()).unwrap();
    assert_eq!(clique.pure.len(), 1, "{:?}", clique.notes);
    let random = Mmsb { mean_degree: 12.0, seed: 1, ..Mmsb::new(400, 1) }.generate().unwrap().graph().unwrap();
    let random = detect(&random, &settings, &mut ()).unwrap();
    assert_eq!(random.pure.len(), 1, "{:?}", random.notes);
}

/// A part of its own is a community beside those of the largest.
#[test]
fn parts_count_where_the_number_is_estimated() {
    let three = graph(clique(0..12).chain(clique(20..32)).chain(clique(40..52)));
    let found = detect(&three, &Settings::default(), &mut ()).unwrap();
    assert_eq!(found.pure.len(), 3, "{:?}", found.notes);
}
