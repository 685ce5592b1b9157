//! The page of `merit communities`: what it says about a run, and that nothing in it depends on the number of threads.

mod support;

use support::*;

/// The SVG of one chart.
#[track_caller]
fn chart<'a>(html: &'a str, id: &str) -> &'a str {
    let start = html.find(&format!("<svg id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}"));
    &html[start..start + html[start..].find("</svg>").unwrap()]
}

/// Two groups of six who all know each other, and two acquaintances between them.
fn two_groups() -> String {
    let group = |names: &'static str| {
        names.chars().flat_map(move |i| names.chars().filter(move |&j| i < j).map(move |j| format!("{i} {j}\n")))
    };
    group("abcdef").chain(group("pqrstu")).collect::<String>() + "f p\ne q\n"
}

#[test]
fn the_page_tells_what_the_run_found() {
    let sandbox = Sandbox::new();
    sandbox.write("groups.txt", "# Directed graph\n".to_string() + &two_groups() + "a a\nb a\n");
    sandbox.ok("communities groups.txt --communities 2 --method merit --report page.html --quiet");
    let html = sandbox.text("page.html");
    for words in [
        "groups.txt, 12 nodes and 32 edges, falls into 2 communities around ",
        "found by MERIT",
        "<div id=\"member-lists\" data-count=\"2\">",
        "The solver stopped after",
        "duality gap",
        "<li>The file&#39;s edges have a direction, which was dropped: i to j and j to i are the same edge; <code>--directed cocitation</code> uses it.</li>",
        "<li>1 self-loop was left out.</li>",
        "<li>1 edge is listed more than once (in either direction): each pair counts once.</li>",
        "<table id=\"community-table\" data-count=\"2\">",
        "id=\"node-search\"",
    ] {
        assert!(html.contains(words), "{words}");
    }
    for (id, marks) in [("chart-network", 12), ("chart-shares", 12), ("chart-mixtures", 12), ("chart-connections", 4)] {
        assert!(chart(&html, id).contains(&format!("data-count=\"{marks}\"")), "{id}");
    }
    assert!(chart(&html, "chart-convergence").len() > 100);
}

#[test]
fn a_direct_method_has_no_convergence_and_an_estimate_is_called_one() {
    let sandbox = Sandbox::new();
    sandbox.write("groups.txt", two_groups());
    // SPA, unless another is asked for.
    sandbox.ok("communities groups.txt --report page.html --quiet");
    let html = sandbox.text("page.html");
    assert!(!html.contains("chart-convergence") && html.contains("found by SPA"));
    assert!(html.contains("This method is direct"));
    assert!(html.contains("<dd>2<small>estimated,") && html.contains("<table id=\"witnesses\""));
}

#[test]
fn threads_change_no_mark() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate mmsb --nodes 400 --communities 4 --mean-degree 40 --seed 2 --output data --quiet");
    for threads in [1, 3] {
        let options = format!("--communities 4 --threads {threads} --report page-{threads}.html --quiet");
        sandbox.ok(&format!("communities data/edges.txt {options}"));
    }
    let (one, three) = (sandbox.text("page-1.html"), sandbox.text("page-3.html"));
    for id in ["chart-network", "chart-shares", "chart-mixtures", "chart-mixedness", "chart-connections"] {
        assert!(chart(&one, id) == chart(&three, id), "{id}");
    }
    let search = |html: &str| {
        html.split("<div id=\"nodes-data\" hidden>").nth(1).unwrap().split("</div>").next().unwrap().to_string()
    };
    assert_eq!(search(&one), search(&three));
}
