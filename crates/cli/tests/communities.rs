//! `merit communities` as a user runs it: from a file of edges to everyone's shares.

mod support;

use std::collections::BTreeMap;
use support::*;

/// Zachary's karate club (1977): the neighbours of each node with a larger number.
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

const LINE: &str = "hint: a line is `node node` or `node node weight`, separated by tabs, spaces or commas; comments begin \
                    with # or %\n";

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

/// Gzip without compression: one stored block.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let crc = !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    });
    let length = u16::try_from(bytes.len()).unwrap();
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
    out.extend(bytes);
    out.extend([crc.to_le_bytes(), u32::from(length).to_le_bytes()].concat());
    out
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

/// `0 0 1`: all whole numbers.
#[test]
fn a_truth_of_whole_numbers_is_read_as_it_is_documented() {
    let sandbox = Sandbox::new();
    let club = |node: u32| u32::from(!MR_HI.contains(&node));
    let lines_of = |weight: &str| (1..=34).map(|node| format!("{node} {}{weight}\n", club(node))).collect::<String>();
    sandbox.write("karate.txt", lines(&karate()));
    sandbox.write("three.txt", lines_of(" 1")).write("two.txt", lines_of(""));
    sandbox.write("head.txt", format!("node community weight\n{}", lines_of(" 1")));
    for truth in ["three.txt", "two.txt", "head.txt"] {
        let said = sandbox.ok(&format!("communities karate.txt -k 2 --truth {truth} --json")).stdout;
        let run: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert!(run["ami"].as_f64().unwrap() > 0.8 && run["nmi"].as_f64().unwrap() > 0.7, "{truth}: {}", run["ami"]);
        assert_eq!(run["notes"][0], "the truth was read as lines of node, community and weight", "{truth}");
    }
}

/// What programs write is read as what it is, whatever it is called.
#[test]
fn files_of_other_programs_are_read() {
    let sandbox = Sandbox::new();
    let edges = karate();
    let ids: String = (1..=34).map(|i| format!("{{\"id\": {i}}},")).collect();
    let links: String = edges.iter().map(|(i, j)| format!("{{\"source\": {i}, \"target\": {j}}},")).collect();
    let json = format!(
        "{{\"directed\": false, \"multigraph\": false, \"graph\": {{}}, \"nodes\": [{}], \"links\": [{}]}}",
        ids.trim_end_matches(','),
        links.trim_end_matches(',')
    );
    let nodes: String = (1..=34).map(|i| format!("  node [\n    id {i}\n    label \"{i}\"\n  ]\n")).collect();
    let gml: String = edges.iter().map(|(i, j)| format!("  edge [\n    source {i}\n    target {j}\n  ]\n")).collect();
    let gml = format!("Creator \"x\"\ngraph [\n  directed 0\n{nodes}{gml}]\n");
    let marked: String = edges.iter().map(|(i, j)| format!("<edge source=\"{i}\" target=\"{j}\"/>")).collect();
    let gexf = format!("<gexf><graph defaultedgetype=\"undirected\"><edges>{marked}</edges></graph></gexf>");
    let vertices: String = (1..=34).map(|i| format!("{i} \"{i}\"\n")).collect();
    let pajek = format!("*Vertices 34\n{vertices}*Edges\n{}", lines(&edges));
    let cell = |i: usize, j: usize| {
        let pair = (i.min(j).to_string(), i.max(j).to_string());
        if edges.contains(&pair) { "1" } else { "0" }
    };
    let row = |i: usize| (1..=34).map(|j| cell(i, j)).collect::<Vec<_>>().join(",");
    let names: String = (1..=34).map(|i| format!(",{i}")).collect();
    let dense: String = (1..=34).map(|i| format!("{i},{}\n", row(i))).collect();
    sandbox.write("plain.txt", lines(&edges));
    let files = [
        ("x.json", &json, "node-link JSON"),
        ("x.gml", &gml, "GML"),
        ("x.gexf", &gexf, "GEXF"),
        ("x.net", &pajek, "Pajek"),
        ("x.csv", &format!("{names}\n{dense}"), "dense table"),
    ];
    let run = |file: &str| {
        sandbox.ok(&format!("communities {file} --communities 2 --output run --force --quiet"));
        (sandbox.text("run/memberships.csv"), sandbox.json("run/run.json")["input"]["record"]["format"].clone())
    };
    let plain = run("plain.txt").0;
    for (name, text, format) in files {
        for name in [name, "other.dat"] {
            sandbox.write(name, text);
            assert_eq!(run(name), (plain.clone(), format.into()), "{name}: {format}");
        }
    }
    sandbox.write("bad.json", "{\"a\": [1, 2]}");
    let message = "error: `bad.json` is not a graph: it has no list `nodes`, but node-link JSON has `nodes` and `links`, as \
                   `networkx.node_link_data` makes it\n";
    sandbox.refuses("communities bad.json", 1, message);
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
fn every_kind_of_file_gives_the_same_shares() {
    let sandbox = Sandbox::new();
    let edges = karate();
    let text = lines(&edges);
    let marked: String = edges.iter().map(|(i, j)| format!("<edge source=\"{i}\" target=\"{j}\"/>\n")).collect();
    let graphml =
        format!("<?xml version=\"1.0\"?>\n<graphml><graph edgedefault=\"undirected\">\n{marked}</graph></graphml>");
    let entries: String = edges.iter().map(|(i, j)| format!("{j} {i}\n")).collect();
    let mtx = format!("%%MatrixMarket matrix coordinate pattern symmetric\n34 34 78\n{entries}");
    sandbox.write("plain.txt", &text).write("packed.txt.gz", gzip(text.as_bytes())).write("marked.graphml", &graphml);
    sandbox.write("table.csv", format!("source,target\n{}", text.replace(' ', ","))).write("matrix.mtx", &mtx);
    sandbox.write("marked.graphml.gz", gzip(graphml.as_bytes())).write("matrix.mtx.gz", gzip(mtx.as_bytes()));
    let run = |file: &str| {
        sandbox.ok(&format!("communities {file} --communities 2 --output run --force --quiet"));
        sandbox.text("run/memberships.csv")
    };
    let plain = run("plain.txt");
    for file in ["packed.txt.gz", "marked.graphml", "marked.graphml.gz", "table.csv"] {
        assert_eq!(run(file), plain, "{file}");
    }
    // A matrix has no names: its nodes count from 0.
    assert_eq!(run("matrix.mtx"), run("matrix.mtx.gz"));
    let found = shares(&sandbox, "run");
    run("plain.txt");
    for (name, shares) in shares(&sandbox, "run") {
        assert_eq!(found[&(name.parse::<u32>().unwrap() - 1).to_string()], shares, "{name}");
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

#[test]
fn weights_count_where_there_are_any() {
    let sandbox = Sandbox::new();
    let weighted: String = karate().iter().map(|(i, j)| format!("{i} {j} 2.5\n")).collect();
    let named: String = karate().iter().map(|(i, j)| format!("{i},{j},Undirected,2.5\n")).collect();
    sandbox.write("plain.txt", lines(&karate())).write("weighted.txt", weighted);
    sandbox.write("named.csv", format!("\u{feff}Source,Target,Type,Weight\n{named}"));
    let run = |options: &str| {
        let said = sandbox.ok(&format!("communities {options} --communities 2 --json --quiet")).stdout;
        let run = serde_json::from_str::<serde_json::Value>(&said).unwrap();
        (run["eigenvalues"][0].as_f64().unwrap(), run["notes"].to_string())
    };
    let (plain, notes) = run("plain.txt");
    assert!(!notes.contains("weights"), "{notes}");
    let (value, notes) = run("weighted.txt");
    assert!((value - 2.5 * plain).abs() < 1e-9);
    assert!(notes.contains("the edges have weights, which count; `--unweighted` leaves them out"), "{notes}");
    assert_eq!(run("named.csv").0, value);
    let (value, notes) = run("weighted.txt --unweighted");
    assert_eq!(value, plain);
    assert!(notes.contains("the edges have weights, which were left out"), "{notes}");
}

/// Four groups: two that cite one another's references, and what they cite. No edge joins two who cite.
#[test]
fn directions_are_dropped_or_say_who_links_alike() {
    let sandbox = Sandbox::new();
    let cites = |group: usize| {
        (0..12).flat_map(move |i| [0, 1, 3, 6, 8].map(move |r| (100 * group + i, 1000 + 20 * group + (i + r) % 12)))
    };
    let text: String = cites(1).chain(cites(2)).chain([(100, 1040)]).map(|(i, j)| format!("{i} {j}\n")).collect();
    sandbox.write("cites.txt", &text);
    let said = sandbox.ok("communities cites.txt -k 4 --directed cocitation --output run").stderr;
    assert!(said.contains("pairs are joined that link to the same nodes"), "{said}");
    let run = sandbox.json("run/run.json");
    assert_eq!(
        (&run["input"]["record"]["cocitation"], &run["settings"]["directed"]),
        (&true.into(), &"cocitation".into())
    );
    let found = shares(&sandbox, "run");
    let group = |name: &str| (0..4).max_by(|&a, &b| found[name][a].total_cmp(&found[name][b])).unwrap();
    let groups = ["100", "200", "1020", "1040"].map(group);
    assert!((0..4).all(|k| groups.contains(&k)), "{groups:?}");
    assert!((100..112).all(|i| group(&i.to_string()) == groups[0]), "{found:?}");
    // Undirected, each group is with what it cites.
    sandbox.ok("communities cites.txt -k 2 --output plain --quiet");
    let found = shares(&sandbox, "plain");
    assert_eq!(found["100"][0] > 0.5, found["1020"][0] > 0.5);
    // Where there is no direction, that is said.
    sandbox.write("x.gml", "graph [\n node [ id 1 ]\n node [ id 2 ]\n edge [ source 1 target 2 ]\n]\n");
    let said = sandbox.ok("communities x.gml -k 1 --directed cocitation").stderr;
    assert!(said.contains("edges have no direction, so `--directed cocitation` changes nothing"), "{said}");
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

/// A file with this text is refused with this message.
#[track_caller]
fn refuses(text: &str, options: &str, code: i32, stderr: &str) {
    let sandbox = Sandbox::new();
    let line = format!("communities x.txt {options} --output run --report page.html");
    sandbox.write("x.txt", text).refuses(&line, code, stderr);
}

#[test]
fn what_is_no_graph_is_refused() {
    let message = "error: line 3 of `x.txt` has 1 field, `cat`, but an edge has two nodes\n";
    refuses("# friends\nann bob\ncat\n", "--communities 2", 1, &format!("{message}{LINE}"));
    let message = "error: line 2 of `x.txt` has an empty name: `ann,`\n";
    refuses("ann,bob\nann,\n", "--communities 2", 1, &format!("{message}{LINE}"));
    let message = "error: line 2 of `x.txt` has the weight NaN, but weights must be finite and not negative; \
                   `--unweighted` leaves them out\n";
    refuses("from,to,weight\nann,bob,nan\n", "--communities 2", 1, &format!("{message}{LINE}"));
    let message = "error: line 2 of `x.txt` has no field 3, where the weights are; `--unweighted` needs none\n";
    refuses("from,to,weight\nann,bob\n", "--communities 2", 1, &format!("{message}{LINE}"));
    let message = "error: line 2 of `x.txt` has the weight `much`, which is not a number; `--unweighted` leaves weights \
                   out\n";
    refuses("from,to,weight\nann,bob,much\n", "--communities 2", 1, &format!("{message}{LINE}"));
    let hint = "hint: each line names two different nodes\n";
    refuses("", "--communities 2", 1, &format!("error: `x.txt` has no edges\n{hint}"));
    refuses("# none\n", "", 1, &format!("error: `x.txt` has no edges\n{hint}"));
    let message = "error: `x.txt` has no edges between different nodes, only 1 self-loop\n";
    refuses("ann ann\n", "--communities 1", 1, &format!("{message}{hint}"));
}

#[test]
fn too_many_communities_are_refused() {
    let message = "error: 4 communities, but the graph has only 3 nodes\nhint: give `--communities 3` or less\n";
    refuses("ann bob\nbob cat\n", "--communities 4", 2, message);
    let message = "error: invalid value '0' for '--communities <K>': expected a whole number, at least 1, a range as 2..20, or estimated\n\n\
                   For more information, try '--help'.\n";
    refuses("ann bob\n", "--communities 0", 2, message);
}

#[test]
fn files_that_cannot_be_read_as_they_are() {
    let sandbox = Sandbox::new();
    sandbox.refuses("communities missing.txt", 1, "error: `missing.txt` does not exist\n");
    // Before the graph is read, which may take long.
    sandbox.refuses("communities missing.txt --truth none.txt", 1, "error: `none.txt` does not exist\n");
    sandbox.write("x.npz.gz", gzip(b"not looked at"));
    let message = "error: `x.npz.gz` is not a graph: it is a compressed .npz, but only edge lists, .mtx and .graphml are read \
                   compressed; unpack it first\n";
    sandbox.refuses("communities x.npz.gz", 1, message);
    sandbox.write("torn.mtx.gz", &gzip(b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n")[..40]);
    sandbox.refuses("communities torn.mtx.gz", 1, "error: `torn.mtx.gz` is not as expected: it ends too early\n");
    sandbox
        .write("x.csv", "1,2,3\n")
        .write("wide.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 2\n");
    let message = "error: `wide.mtx` is not a graph: its matrix is 2 x 3, but an adjacency matrix is square\n";
    sandbox.refuses("communities wide.mtx", 1, message);
    sandbox.write("x.txt", "ann bob\nbob cat\n").write("truth.txt", "dan red 1\n");
    let message = "error: `truth.txt` names no node of the graph: its first node is `dan`, the graph's is `ann`\n\
                   hint: the truth must use the names that the edges use\n";
    sandbox.refuses("communities x.txt --communities 2 --truth truth.txt", 1, message);
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

#[test]
fn what_the_file_holds_besides_plain_edges_is_said() {
    let sandbox = Sandbox::new();
    let text = "# Directed graph (each unordered pair of nodes is saved once)\n".to_string()
        + &lines(&karate())
        + "1 1\n34 33\n33 34\n";
    sandbox.write("plain.txt", lines(&karate())).write("x.txt", text);
    let said = sandbox.ok("communities x.txt --communities 2 --output run").stderr;
    for note in [
        "the file's edges have a direction, which was dropped",
        "note: 1 self-loop was left out",
        "note: 2 edges are listed more than once (in either direction): each pair counts once",
    ] {
        assert!(said.contains(note), "{note}: {said}");
    }
    sandbox.ok("communities plain.txt --communities 2 --output plain --quiet");
    assert_eq!(shares(&sandbox, "run"), shares(&sandbox, "plain"));
    // With weights, what is listed twice counts twice.
    let doubled: String = karate().iter().map(|(i, j)| format!("{i} {j} 1\n{j} {i} 1.5\n")).collect();
    let once: String = karate().iter().map(|(i, j)| format!("{i} {j} 2.5\n")).collect();
    sandbox.write("twice.txt", doubled).write("once.txt", once);
    let said = sandbox.ok("communities twice.txt --communities 2 --output twice").stderr;
    assert!(
        said.contains("78 edges are listed more than once (in either direction): their weights were added"),
        "{said}"
    );
    sandbox.ok("communities once.txt --communities 2 --output once --quiet");
    assert_eq!(shares(&sandbox, "twice"), shares(&sandbox, "once"));
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
fn the_truth_in_both_formats_gives_the_same_scores() {
    let sandbox = Sandbox::new();
    generated(&sandbox);
    // Everyone belongs to the community of the largest share, and every seventh node to the next one too.
    let truth = sandbox.text("data/memberships.txt");
    let mut members = vec![Vec::new(); 3];
    let mut best: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    for line in truth.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let (node, share): (usize, f64) = (fields[0].parse().unwrap(), fields[2].parse().unwrap());
        let community = fields[1].strip_prefix("community_").unwrap().parse().unwrap();
        let entry = best.entry(node).or_insert((community, share));
        if share > entry.1 {
            *entry = (community, share);
        }
    }
    for (&node, &(community, _)) in &best {
        members[community].push(node);
        if node % 7 == 0 {
            members[(community + 1) % 3].push(node);
        }
    }
    let by_community: String = members
        .iter()
        .map(|nodes| nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\t") + "\n")
        .collect();
    let by_node: String = (0..600)
        .flat_map(|node| {
            let own: Vec<usize> = (0..3).filter(|&c| members[c].contains(&node)).collect();
            let share = 1.0 / own.len() as f64;
            own.into_iter().map(move |c| format!("{node} group_{c} {share}\n"))
        })
        .collect();
    sandbox.write("lines.txt", by_community).write("nodes.txt", by_node);
    let scores = |truth: &str| {
        let said =
            sandbox.ok(&format!("communities data/edges.txt --communities 3 --truth {truth} --json --quiet")).stdout;
        let run: serde_json::Value = serde_json::from_str(&said).unwrap();
        ["src", "src_kept", "nmi"].map(|key| run[key].as_f64().unwrap())
    };
    let (a, b) = (scores("lines.txt"), scores("nodes.txt"));
    a.iter().zip(&b).for_each(|(a, b)| assert!((a - b).abs() < 1e-12 && *a > 0.3, "{a} {b}"));
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
