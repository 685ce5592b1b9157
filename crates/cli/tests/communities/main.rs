//! `merit communities` as a user runs it: from a file of edges to everyone's shares.

mod reading;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use support::*;

/// Zachary's karate club (1977): the neighbors of each node with a larger number.
const KARATE: [(u32, &[u32]); 26] = [
    (1, &[2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32]),
    (2, &[3, 4, 8, 14, 18, 20, 22, 31]),
    (3, &[4, 8, 9, 10, 14, 28, 29, 33]),
    (4, &[8, 13, 14]),
    (5, &[7, 11]),
    (6, &[7, 11, 17]),
    (7, &[17]),
    (9, &[31, 33, 34]),
    (10, &[34]),
    (14, &[34]),
    (15, &[33, 34]),
    (16, &[33, 34]),
    (19, &[33, 34]),
    (20, &[34]),
    (21, &[33, 34]),
    (23, &[33, 34]),
    (24, &[26, 28, 30, 33, 34]),
    (25, &[26, 28, 32]),
    (26, &[32]),
    (27, &[30, 34]),
    (28, &[34]),
    (29, &[32, 34]),
    (30, &[33, 34]),
    (31, &[33, 34]),
    (32, &[33, 34]),
    (33, &[34]),
];

/// Who stayed with Mr. Hi (node 1) when the club split; the others went with the Officer (node 34).
const MR_HI: [u32; 17] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22];

fn karate() -> Vec<(String, String)> {
    let pairs = KARATE.iter().flat_map(|(i, others)| others.iter().map(move |j| (i.to_string(), j.to_string())));
    pairs.collect()
}

fn lines(edges: &[(String, String)]) -> String {
    edges.iter().map(|(i, j)| format!("{i} {j}\n")).collect()
}

/// The edges of a generated graph with three communities.
fn generated(sandbox: &Sandbox) -> Vec<(String, String)> {
    sandbox.ok("generate mmsb --nodes 600 --communities 3 --mean-degree 30 --seed 4 --output data --quiet");
    let text = sandbox.text("data/edges.txt");
    let pairs = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    pairs.map(|(i, j)| (i.to_string(), j.to_string())).collect()
}

/// The shares of each name in `FOLDER/memberships.csv`, without the four columns after them.
fn shares(sandbox: &Sandbox, folder: &str) -> BTreeMap<String, Vec<f64>> {
    let text = sandbox.text(&format!("{folder}/memberships.csv"));
    let rows = text.lines().skip(1).map(|line| {
        let mut fields: Vec<&str> = line.split(',').collect();
        fields.truncate(fields.len() - 4);
        (fields[0].to_string(), fields[1..].iter().map(|field| field.parse().unwrap()).collect())
    });
    rows.collect()
}

#[test]
fn the_two_factions_of_the_karate_club() {
    let sandbox = Sandbox::new();
    let edges = karate();
    assert_eq!(edges.len(), 78);
    let club = |node: u32| if MR_HI.contains(&node) { "hi" } else { "officer" };
    let truth: String = (1..=34).map(|node| format!("{node} {}\n", club(node))).collect();
    sandbox.write("karate.txt", lines(&edges)).write("clubs.txt", truth);
    let said = sandbox
        .ok("communities karate.txt --communities 2 --published --truth clubs.txt --output run --report run/page.html");
    assert!(said.stdout.starts_with("karate.txt: 34 nodes, 78 edges, 2 communities\n"), "{}", said.stdout);
    let run = sandbox.json("run/run.json");
    assert_eq!(run["pure_nodes"], serde_json::json!(["34", "1"]), "the Officer and Mr. Hi");
    assert_eq!(run["stop_reason"], "gap-reached");
    assert!(run["src"].as_f64().unwrap() > 0.9 && run["nmi"].as_f64().unwrap() > 0.8, "{run}");
    let (found, mut apart) = (shares(&sandbox, "run"), Vec::new());
    assert_eq!(found.len(), 34);
    for (name, shares) in &found {
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shares.iter().all(|&share| share >= 0.0), "{name}");
        if (shares[1] > shares[0]) != MR_HI.contains(&name.parse().unwrap()) {
            apart.push(name.as_str());
        }
    }
    // Node 9 has friends on both sides; it stayed with Mr. Hi, while its edges lean to the Officer.
    assert_eq!(apart, ["9"]);
    assert!(found["9"][1] > 0.3, "{:?}", found["9"]);
    for name in ["run/B.npy", "run/pure_nodes.csv", "run/trace.csv", "run/page.html"] {
        assert!(!sandbox.bytes(name).is_empty(), "{name}");
    }
    assert!(!sandbox.text("run/memberships.csv").contains("-0"), "nothing is minus zero");
    // As it is by default the same two sides are found, and the same node between them.
    sandbox.ok("communities karate.txt --communities 2 --output default --quiet");
    for (name, shares) in &self::shares(&sandbox, "default") {
        let mine = MR_HI.contains(&name.parse().unwrap());
        assert!((shares[1] > shares[0]) == mine || name == "9", "{name}: {shares:?}");
    }
    assert!(
        sandbox
            .text("default/memberships.csv")
            .starts_with("node,community_0,community_1,dominant,mixedness,role,known\n")
    );
}

/// Members, labels and the graph for other programs.
#[test]
fn what_users_do_next() {
    let sandbox = Sandbox::new();
    sandbox.write("karate.txt", lines(&karate()));
    sandbox.ok("communities karate.txt -k 2 --export graphml,gexf,cdlib --output run --quiet");
    let sets = sandbox.text("run/communities.txt");
    let sets: Vec<Vec<&str>> = sets.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(sets.len(), 2);
    let rows = sandbox.text("run/members.csv");
    assert!(rows.starts_with("community,node,share,dominant\n"), "{rows}");
    assert_eq!(rows.lines().count() - 1, sets.iter().map(Vec::len).sum::<usize>());
    // Everyone is in the set of the largest share, and some are in both.
    assert!(sets[0].len() + sets[1].len() >= 34 && sets.concat().contains(&"9"));
    sandbox.ok("communities karate.txt -k 2 --threshold 1 --output strict --quiet");
    assert_eq!(sandbox.text("strict/members.csv").lines().count(), 35);
    let json = sandbox.json("run/cdlib.json");
    assert_eq!(json["communities"][0].as_array().unwrap().len(), sets[0].len());
    assert_eq!((&json["algorithm"], json["overlap"].is_boolean()), (&"merit".into(), true));
    // The graph comes back as it was.
    for name in ["graph.graphml", "graph.gexf"] {
        sandbox.ok(&format!("communities run/{name} -k 2 --output again --force --quiet"));
        assert_eq!(sandbox.text("again/memberships.csv"), sandbox.text("run/memberships.csv"), "{name}");
    }
    assert!(sandbox.text("run/graph.graphml").contains("attr.name=\"community_0\""));
}

#[test]
fn isolated_nodes_are_listed_and_not_known() {
    let sandbox = Sandbox::new();
    sandbox.write("karate.txt", lines(&karate())).write("all.txt", "# everyone\n1\n2\nhermit\n");
    let said = sandbox.ok("communities karate.txt -k 2 --nodes all.txt --output run").stderr;
    assert!(said.contains("note: 1 node has no edge"), "{said}");
    let table = sandbox.text("run/memberships.csv");
    let hermit = table.lines().find(|line| line.starts_with("hermit,")).unwrap();
    assert!(hermit.ends_with(",,,,0"), "{hermit}");
}

#[test]
fn the_order_of_edges_changes_no_bit_and_names_change_no_share() {
    let sandbox = Sandbox::new();
    for (edges, communities) in [(karate(), 2), (generated(&sandbox), 3)] {
        let mut shuffled: Vec<_> = edges.iter().map(|(i, j)| (j.clone(), i.clone())).collect();
        shuffled.sort_by_key(|(i, j)| (i.len() + 2 * j.len(), j.chars().rev().collect::<String>(), i.clone()));
        assert_ne!(edges, shuffled);
        // Words, in another order than the numbers.
        let renamed = |name: &String| format!("n{:05}", name.parse::<usize>().unwrap() * 7919 % 10007);
        let words: Vec<_> = shuffled.iter().map(|(i, j)| (renamed(i), renamed(j))).collect();
        sandbox.write("a.txt", lines(&edges)).write("b.txt", lines(&shuffled)).write("c.txt", lines(&words));
        for name in ["a", "b", "c"] {
            sandbox.ok(&format!("communities {name}.txt --communities {communities} --output {name} --force --quiet"));
        }
        for name in ["memberships.csv", "pure_nodes.csv", "B.npy"] {
            assert!(sandbox.bytes(&format!("a/{name}")) == sandbox.bytes(&format!("b/{name}")), "{name}");
        }
        let (first, last) = (shares(&sandbox, "a"), shares(&sandbox, "c"));
        assert_eq!(first.len(), last.len());
        for (name, shares) in &first {
            let others = &last[&renamed(name)];
            let apart = shares.iter().zip(others).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-8, "{name}: {shares:?}, renamed {others:?}");
        }
    }
}

#[test]
fn the_authors_take_one_step_more() {
    let sandbox = Sandbox::new();
    sandbox.write("karate.txt", lines(&karate()));
    let run = |options: &str| {
        let said = sandbox.ok(&format!("communities karate.txt --communities 2 --json --quiet {options}")).stdout;
        serde_json::from_str::<serde_json::Value>(&said).unwrap()
    };
    let (ours, theirs) = (run("--method merit --operator adjacency --refinement 0"), run("--published"));
    assert_eq!((&ours["stop_reason"], &theirs["stop_reason"]), (&"gap-reached".into(), &"gap-reached".into()));
    assert_eq!(ours["iterations"].as_u64().unwrap() + 1, theirs["iterations"].as_u64().unwrap());
    assert_eq!((&ours["settings"]["published"], &theirs["settings"]["published"]), (&false.into(), &true.into()));
}

#[test]
fn threads_change_no_bit() {
    let sandbox = Sandbox::new();
    generated(&sandbox);
    for threads in [1, 2, 5] {
        let options = format!("--communities 3 --threads {threads} --output run-{threads} --quiet");
        sandbox.ok(&format!("communities data/edges.txt {options}"));
        for name in ["memberships.csv", "pure_nodes.csv", "B.npy"] {
            assert!(
                sandbox.bytes(&format!("run-1/{name}")) == sandbox.bytes(&format!("run-{threads}/{name}")),
                "{name}"
            );
        }
    }
}

#[test]
fn a_generated_truth_is_found_again() {
    let sandbox = Sandbox::new();
    generated(&sandbox);
    let truth = sandbox.json("data/truth.json");
    for method in ["merit", "spa", "spoc", "geonmf"] {
        let options = format!("--communities 3 --truth data/memberships.txt --method {method} --json --quiet");
        let said = sandbox.ok(&format!("communities data/edges.txt {options}")).stdout;
        let run: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!((&run["input"]["edges"], run["input"]["nodes"].as_u64()), (&truth["edges"], Some(600)));
        let src = run["src"].as_f64().unwrap();
        println!("{method}: SRC {src}, kept nodes {}, NMI {}", run["src_kept"], run["nmi"]);
        assert!(src > 0.8, "{method}: SRC {src}");
    }
}

/// Three cliques in a ring come back; a community that noise draws does not.
#[test]
fn stability_tells_what_comes_back() {
    let sandbox = Sandbox::new();
    let clique = |c: usize| (0..10).flat_map(move |i| (0..i).map(move |j| (10 * c + i, 10 * c + j)));
    let ring = [(0, 10), (11, 20), (21, 1)];
    let text: String = (0..3).flat_map(clique).chain(ring).map(|(i, j)| format!("{i} {j}\n")).collect();
    sandbox.write("x.txt", text);
    let said =
        sandbox.ok("communities x.txt -k 3 --stability 3 --export graphml,gexf --output run --report page.html").stdout;
    assert!(
        said.contains("stability   1.00, 1.00, 1.00 (found again without a tenth of the edges, 3 times)"),
        "{said}"
    );
    let run = sandbox.json("run/run.json");
    assert_eq!(run["stability"], serde_json::json!({"repeats": 3, "found_again": [1.0, 1.0, 1.0]}));
    let pure = sandbox.text("run/pure_nodes.csv");
    assert!(
        pure.starts_with("community,node,index,score,size,found_again\n")
            && pure.lines().skip(1).all(|line| line.ends_with(",1"))
    );
    let page = sandbox.text("page.html");
    assert!(page.contains("found again</th>") && page.contains("3 of 3 communities came back"));
    // One clique in two: which nodes are in which is noise.
    let random =
        sandbox.ok("generate mmsb --nodes 120 --communities 1 --mean-degree 8 --seed 3 --output noise --quiet");
    assert!(random.stderr.is_empty());
    sandbox.ok("communities noise/edges.txt -k 4 --stability 3 --output noisy --quiet");
    let parts = sandbox.json("noisy/run.json")["stability"]["found_again"].clone();
    assert!(parts.as_array().unwrap().iter().all(|part| part.as_f64().unwrap() < 0.75), "{parts}");
}

#[test]
fn cores_and_bridges_are_written_and_shown() {
    let sandbox = Sandbox::new();
    sandbox.write("karate.txt", lines(&karate()));
    let said = sandbox.ok("communities karate.txt -k 2 --export graphml,gexf --output run --report page.html").stdout;
    assert!(said.contains("cores, ") && said.contains("bridges between communities"), "{said}");
    let table = sandbox.text("run/memberships.csv");
    let role = |node: &str| {
        let line = table.lines().find(|line| line.starts_with(&format!("{node},"))).unwrap();
        line.rsplit(',').nth(1).unwrap().to_string()
    };
    let said = |node: &str| (node.to_string(), role(node));
    let expected = [("1", "core"), ("34", "core"), ("33", "core"), ("9", "bridge"), ("12", "member")];
    assert_eq!(expected.map(|(node, _)| said(node)), expected.map(|(node, role)| (node.to_string(), role.to_string())));
    let count = |role: &str| table.lines().filter(|line| line.contains(&format!(",{role},"))).count();
    let run = sandbox.json("run/run.json");
    assert_eq!(
        (run["cores"].as_u64(), run["bridges"].as_u64()),
        (Some(count("core") as u64), Some(count("bridge") as u64))
    );
    assert!(sandbox.text("run/graph.graphml").contains("<data key=\"role\">bridge</data>"));
    assert!(sandbox.text("run/graph.gexf").contains("<attvalue for=\"role\" value=\"bridge\"/>"));
    let page = sandbox.text("page.html");
    assert!(page.contains("<table id=\"cores\"") && page.contains("<table id=\"bridges\""));
}

#[test]
fn parts_without_an_edge_between_them_are_said_and_handled() {
    let sandbox = Sandbox::new();
    let clique = |names: &str| {
        let pairs =
            names.chars().flat_map(|i| names.chars().filter(move |&j| i < j).map(move |j| format!("{i} {j}\n")));
        pairs.collect::<String>()
    };
    sandbox.write("x.txt", clique("abcde") + &clique("pqrs"));
    let said = sandbox.ok("communities x.txt --communities 2 --output run").stderr;
    assert!(said.contains("note: the graph is not connected: 2 parts, the largest with 5 of 9 nodes"), "{said}");
    let found = shares(&sandbox, "run");
    assert_eq!(found.len(), 9);
    for (name, shares) in &found {
        let mine = usize::from(name.as_str() >= "p");
        assert!(shares[mine] > 0.99, "{name}: {shares:?}");
    }
}

/// A weight of 0 names two nodes that no edge joins; a graph of one node cannot be written otherwise.
#[test]
fn nodes_without_an_edge_get_the_mean() {
    let sandbox = Sandbox::new();
    let weighted: String = karate().iter().map(|(i, j)| format!("{i} {j} 1\n")).collect();
    sandbox.write("x.txt", weighted + "hermit recluse 0\n");
    let said = sandbox.ok("communities x.txt --communities 2 --output run").stderr;
    assert!(said.contains("note: 2 nodes have no edge\n") && said.contains("nothing is said about them"), "{said}");
    let found = shares(&sandbox, "run");
    let others = found.iter().filter(|(name, _)| !["hermit", "recluse"].contains(&name.as_str()));
    let mean = others.map(|(_, shares)| shares[0]).sum::<f64>() / 34.0;
    assert!((found["hermit"][0] - mean).abs() < 1e-9 && found["hermit"] == found["recluse"], "{:?}", found["hermit"]);
}

#[test]
fn other_operators_methods_and_no_number_of_communities() {
    let sandbox = Sandbox::new();
    generated(&sandbox);
    let run = |options: &str| {
        let said =
            sandbox.ok(&format!("communities data/edges.txt --truth data/memberships.txt {options} --json --quiet"));
        serde_json::from_str::<serde_json::Value>(&said.stdout).unwrap()
    };
    for options in ["--communities 3 --operator normalized", "--communities 3 --memberships simplex", ""] {
        let found = run(options);
        assert_eq!(found["eigenvalues"].as_array().unwrap().len(), 3, "{options}");
        let src = found["src"].as_f64().unwrap();
        assert!(src > 0.75, "{options}: {src}");
    }
    let largest = run("--communities 3 --operator normalized")["eigenvalues"][0].as_f64().unwrap();
    assert!((largest - 1.0).abs() < 1e-9, "the normalized operator's largest eigenvalue is 1, not {largest}");
    let found = run("--communities 3 --method fast-gradient");
    assert!(found["src"].as_f64().unwrap() > 0.5, "{}", found["src"]);
    let said = sandbox.ok("communities data/edges.txt --output run").stderr;
    assert!(said.contains("3 communities (estimated, clear)"), "{said}");
}

#[test]
fn a_generated_graph_that_says_little_is_called_so() {
    let sandbox = Sandbox::new();
    let said = sandbox.ok("generate mmsb --mean-degree 5 --between 0.3 --output weak").stderr;
    assert!(said.starts_with("note: the signal is 0.51 times what noise hides"), "{said}");
    let said = sandbox.ok("generate mmsb --output strong").stderr;
    assert_eq!(said, "");
    assert!(sandbox.json("strong/truth.json")["signal"].as_f64().unwrap() > 3.0);
}

/// A reader of the log sees every stage, in the order of the work.
#[test]
fn every_stage_is_said_when_piped() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate mmsb --nodes 1100 --communities 2 --mean-degree 20 --output data --quiet");
    let said = sandbox.ok("communities data/edges.txt --stability 1 --output run").stderr;
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("still ")).collect();
    let stages = [
        "estimating the number of communities",
        "eigenvectors of 1100 nodes (adjacency)",
        "SPA",
        "shares",
        "refining the shares",
        "eigenvectors of 1100 nodes (regularized:",
        "eigenvectors of 1100 nodes (regularized:",
        "eigenvectors of 1100 nodes (regularized:",
        "once more without a tenth of the edges (1 of 1)",
        "note: 2 communities (estimated, clear)",
    ];
    assert_eq!(lines.len(), stages.len(), "{said}");
    lines.iter().zip(stages).for_each(|(line, stage)| assert!(line.starts_with(stage), "{line}, not {stage}"));
}
