//! A setting is declared once. These tests walk all declarations and compare the worlds that come from them: Rust's defaults,
//! the flags with their help, the keys of `run.json` with their description, and the rows on the page.

mod support;

use merit::settings::{Declaration, Declared};
use serde_json::Value;
use std::collections::BTreeMap;
use support::{Sandbox, schema::schema};

/// A command, its settings as they are by default, and how a run of it looks.
struct World {
    command: &'static str,
    run: &'static str,
    method: &'static str,
    /// Declaration, default as text.
    settings: Vec<(&'static Declaration, String)>,
}

fn declared<S: Declared>() -> Vec<(&'static Declaration, String)> {
    let defaults = S::default();
    S::declarations().into_iter().map(|one| (one, defaults.text(one.name).unwrap())).collect()
}

fn worlds() -> Vec<World> {
    let topics = [
        declared::<merit_topics::Settings>(),
        declared::<merit_topics::settings::Reading>(),
        declared::<merit_topics::settings::TokenSettings>(),
    ];
    let communities = [declared::<merit_communities::Settings>(), declared::<merit_communities::settings::Reading>()];
    vec![
        World {
            command: "factor",
            run: "factor x.npy --rank 2",
            method: "merit",
            settings: declared::<merit::factor::Settings>(),
        },
        World { command: "topics", run: "topics t.txt --topics 2", method: "merit", settings: topics.concat() },
        World {
            command: "communities",
            run: "communities g.txt --communities 2 --method merit",
            method: "merit",
            settings: communities.concat(),
        },
        World {
            command: "unmix",
            run: "unmix scene/cube.hdr --endmembers 2",
            method: "merit",
            settings: [declared::<merit_unmix::Settings>(), declared::<merit_unmix::settings::Reading>()].concat(),
        },
    ]
}

fn with_inputs() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &merit::synthetic::Dirichlet::new(6, 20, 2).generate().unwrap().x);
    let text = |i: usize| if i.is_multiple_of(2) { "river water boat\n" } else { "bread flour oven\n" };
    sandbox.write("t.txt", (0..40).map(|i| if i % 5 == 4 { "water bread sun\n" } else { text(i) }).collect::<String>());
    sandbox.ok("generate cube --lines 12 --samples 15 --bands 8 --endmembers 2 --quiet --output scene");
    sandbox.write("g.txt", "a b\nb c\na c\nc p\np q\nq r\np r\n");
    sandbox
}

#[test]
fn names_are_there_once() {
    for world in worlds() {
        let mut names = BTreeMap::new();
        for (one, _) in &world.settings {
            assert_eq!(names.insert(one.name, ()), None, "{} has two settings `{}`", world.command, one.name);
            assert!(!one.help().is_empty() && !one.help().ends_with('.'), "{}", one.name);
        }
    }
}

/// The help has a line for every setting: flag, placeholder, words and default.
#[test]
fn every_setting_is_a_flag_with_its_default() {
    let sandbox = Sandbox::new();
    for world in worlds() {
        let help = sandbox.ok(&format!("{} --help", world.command)).stdout;
        // Long explanations go on in the next line.
        let mut options: Vec<String> = Vec::new();
        for line in help.lines().map(str::trim) {
            match options.last_mut() {
                Some(last) if !line.starts_with('-') && !line.is_empty() => *last += &format!(" {line}"),
                _ => options.push(line.to_string()),
            }
        }
        let of = |flag: &str| {
            let flag = format!("--{flag}");
            options.iter().find(|line| line.split([' ', ',']).take(3).any(|word| word == flag))
        };
        for (one, default) in &world.settings {
            let Some(line) = of(&one.flag()) else {
                assert!(!one.typed, "{} has no flag --{}", world.command, one.flag());
                continue;
            };
            assert!(one.typed, "--{} cannot be typed", one.flag());
            assert!(line.contains(&one.help()), "--{}: {line}", one.flag());
            // Beside the option, or where they are too many, below.
            let untold = (one.choices)().into_iter().find(|choice| !help.contains(choice));
            assert_eq!(untold, None, "{} --{}", world.command, one.flag());
            if !one.is_switch {
                let shown = if one.is_list { "none" } else { default };
                assert!(line.contains(&format!("<{}>", one.placeholder)), "{line}");
                assert!(line.contains(&format!("[default: {shown}]")), "--{}: {shown}: {line}", one.flag());
            }
        }
    }
}

/// What a default looks like in `run.json`: the text, a number, a truth value, a list, or null.
fn fits(value: &Value, text: &str, one: &Declaration) -> bool {
    match value {
        Value::Null => one.none() == Some(text) || text == "none",
        Value::String(found) => found == text,
        Value::Number(number) => text.trim_start_matches("pca:").parse::<f64>().ok() == number.as_f64(),
        Value::Bool(flag) => flag.to_string() == text,
        Value::Array(list) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            words.join(",") == text
        }
        Value::Object(_) => false,
    }
}

/// What a run finds out, or was given here, is not its default.
const RESOLVED: [&str; 13] = [
    "endmembers",
    "rank",
    "topics",
    "communities",
    "regularization",
    "start_iteration",
    "kernel",
    "minimum_documents",
    "alpha",
    "stop_words",
    "memberships",
    "method",
    "operator",
];

#[test]
fn every_setting_is_in_the_record_its_schema_and_on_the_page() {
    let sandbox = with_inputs();
    for world in worlds() {
        let (run, page) = (format!("run-{}", world.command), format!("{}.html", world.command));
        sandbox.ok(&format!("{} --output {run} --report {page} --quiet", world.run));
        let record = sandbox.json(&format!("{run}/run.json"));
        let page = sandbox.text(&page);
        let own = &schema()["$defs"][world.command]["properties"];
        let parts = [
            &own["settings"]["properties"],
            &schema()["$defs"]["search_settings"]["properties"],
            &own["tokens"]["properties"],
        ];
        for (one, default) in &world.settings {
            let name = one.name;
            let written = [&record["settings"], &record["tokens"]].into_iter().find_map(|part| part.get(name));
            let written = written.unwrap_or_else(|| panic!("run.json of {} has no `{name}`", world.command));
            if !RESOLVED.contains(&name) {
                assert!(fits(written, default, one), "{}: `{name}` is {written}, not {default}", world.command);
            }
            let described = parts.iter().find_map(|part| part.get(name));
            let described = described.unwrap_or_else(|| panic!("the schema has no `{name}`"));
            let help = one.help();
            let said = described["description"].as_str().unwrap_or_default();
            assert!(!said.is_empty() && help.starts_with(said), "`{name}`: {said}: {help}");
            let row = format!("<th scope=\"row\">{}</th>", one.flag()); // other tables may have a column of that name
            assert_eq!(page.contains(&row), one.typed && one.is_for(world.method), "{}: row {row}", world.command);
        }
        let listed: usize = parts.iter().filter_map(|part| part.as_object()).map(serde_json::Map::len).sum();
        assert_eq!(listed, world.settings.len() + extra(world.command), "the schema of {}", world.command);
    }
}

/// Settings that are not of the library: how many were asked for, and for a matrix how it is read and how much memory there is.
fn extra(command: &str) -> usize {
    if command == "factor" { 4 } else { 1 }
}

/// The rows that differ by method: each method has only its own settings on the page.
#[test]
fn a_page_has_the_settings_of_its_method() {
    let sandbox = with_inputs();
    for (method, own, other) in [
        ("lda", "burn-in", "iterations"),
        ("lda", "alpha", "merge-duplicates"),
        ("xray", "xray-criterion", "burn-in"),
        ("merit", "time-limit", "alpha"),
    ] {
        sandbox.ok(&format!("topics t.txt --topics 2 --method {method} --report page.html --quiet"));
        let page = sandbox.text("page.html");
        assert!(page.contains(&format!(">{own}<")) && !page.contains(&format!(">{other}<")), "{method}");
    }
}

#[test]
fn settings_that_a_method_does_not_use_are_noted() {
    let sandbox = with_inputs();
    let said = sandbox.ok("factor x.npy --rank 2 --method spa --iterations 5 --gap-tolerance 1").stderr;
    assert!(
        said.contains("note: `--gap-tolerance`, `--iterations` mean nothing to `--method spa`")
            || said.contains("note: `--iterations`, `--gap-tolerance` mean nothing to `--method spa`"),
        "{said}"
    );
    let said = sandbox.ok("topics t.txt --topics 2 --alpha 0.5").stderr;
    assert!(said.contains("note: `--alpha` means nothing to `--method merit`"), "{said}");
    let said = sandbox.ok("factor x.npy --rank 2 --iterations 5").stderr;
    assert!(!said.contains("means nothing"), "{said}");
}
