//! Files of graphs and of truths: what is read, and what is refused.

use crate::support::*;
use crate::{MR_HI, generated, karate, lines, shares};
use std::collections::BTreeMap;

const LINE: &str = "hint: a line is `node node` or `node node weight`, separated by tabs, spaces or commas; comments begin \
                    with # or %\n";

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
    // With another number than the truth has, scores say less.
    let said = sandbox.ok("communities karate.txt -k 3 --truth two.txt").stderr;
    assert!(said.contains("note: the truth has 2 communities, the run 3: the best pairs are compared\n"), "{said}");
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
    assert!(said.contains("nodes that link to the same ones, or are linked from them, are joined"), "{said}");
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
    let message = "error: invalid value '0' for '--communities <K>': expected a whole number, at least 1, a range such as 2..20, or estimated\n\n\
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
