//! The theorems checked on a run: what is said, that preprocessing is honored, and what is refused.

mod support;

use serde_json::Value;
use std::fs;
use support::*;

const DATA: &str = "generate dirichlet --rows 15 --cols 90 --rank 4 --snr 25 --seed 2 --output data --quiet";

fn with_data() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.ok(DATA);
    sandbox
}

#[track_caller]
fn json(sandbox: &Sandbox, line: &str) -> Value {
    serde_json::from_str(&sandbox.ok(line).stdout).unwrap()
}

fn condition<'a>(certificate: &'a Value, name: &str) -> &'a Value {
    let list = certificate["conditions"].as_array().unwrap();
    list.iter().find(|condition| condition["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn a_table_with_a_sentence_above() {
    let sandbox = with_data();
    sandbox.factor("data/X.npy", "--rank 4", "run");
    let outcome = sandbox.ok("certify run --truth data");
    let first = outcome.stdout.lines().next().unwrap();
    assert!(first.ends_with("times smaller."), "{first}");
    for words in
        ["Theorem 2 (eq:noisy_unreg_cond)", "Theorem 3 (eq:pure, eq:non-pure)", "Lemma 1", "verdict", "does not hold"]
    {
        assert!(outcome.stdout.contains(words), "{words:?} is missing in\n{}", outcome.stdout);
    }
    assert!(
        outcome.stdout.ends_with("(from the true W, H and anchors; lambda as in 1/2 ||X - XC||^2 + lambda Phi(C))\n")
    );
    assert!(outcome.stderr.starts_with("reading data/X.npy\n"), "{}", outcome.stderr);
    let quiet = sandbox.ok("certify run --truth data --quiet");
    assert_eq!((quiet.stdout, quiet.stderr.as_str()), (outcome.stdout, ""));
    assert!(sandbox.ok("certify run").stdout.contains("(plug-in estimate: "));
}

#[test]
fn the_same_numbers_as_json_for_any_number_of_threads() {
    let sandbox = with_data();
    let run = sandbox.factor("data/X.npy", "--rank 4", "run");
    let line = "certify run --truth data --json";
    let certificate = json(&sandbox, line);
    assert_eq!((&certificate["origin"], &certificate["truth"]), (&"truth".into(), &"data".into()));
    assert_eq!(certificate["regularization"], run["regularization"]);
    let lambda = certificate["regularization"].as_f64().unwrap();
    assert_eq!(certificate["regularization_authors"].as_f64(), Some(2.0 * lambda));
    assert!(certificate["distance"]["noise_factor_best"].as_f64().unwrap() > 1.0);
    assert_eq!(condition(&certificate, "separability")["holds"], true);
    assert_eq!(condition(&certificate, "theorem-3-separation")["holds"], false);

    // The quantities by their definitions.
    let (x, w, h) = (sandbox.matrix("data/X.npy"), sandbox.matrix("data/W.npy"), sandbox.matrix("data/H.npy"));
    let residual = |l: usize, m: usize| x.get(m, l) - (0..4).map(|k| w.get(m, k) * h.get(k, l)).sum::<f64>();
    let squares: Vec<f64> = (0..90).map(|l| (0..15).map(|m| residual(l, m).powi(2)).sum()).collect();
    let near = |name: &str, expected: f64| {
        let found = certificate["quantities"][name].as_f64().unwrap();
        assert!((found - expected).abs() < 1e-12 * expected, "{name}: {found} against {expected}");
    };
    near("delta", squares.iter().copied().fold(0.0, f64::max).sqrt());
    near("noise", squares.iter().sum::<f64>().sqrt());
    let c = sandbox.matrix("run/C.npz");
    let right = numbers(&sandbox.json("data/truth.json"), "anchors");
    let outside = (0..90).filter(|n| !right.contains(n)).map(|n| (0..90).filter(|&l| c.get(n, l) > 0.0).count());
    assert_eq!(certificate["iterate"]["entries_outside"], outside.sum::<usize>());

    let words = |threads: usize| sandbox.ok(&format!("{line} --threads {threads}")).stdout;
    assert_eq!(words(1), words(3));
}

#[test]
fn without_noise_the_theorems_hold() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate dirichlet --rows 15 --cols 90 --rank 4 --snr inf --seed 2 --output data");
    sandbox.factor("data/X.npy", "--rank 4 --regularization 1e-9 --residual-tolerance 1e-6", "run");
    for truth in ["", "--truth data"] {
        let certificate = json(&sandbox, &format!("certify run {truth} --json"));
        for name in
            ["separability", "simplex", "full-rank", "theorem-1-noise", "theorem-3-separation", "theorem-4-support"]
        {
            assert_eq!(condition(&certificate, name)["holds"], true, "{name} {truth}");
        }
        assert!(certificate["summary"].as_str().unwrap().contains("Theorem 3 holds"), "{}", certificate["summary"]);
    }
}

#[test]
fn preprocessing_is_honored() {
    let sandbox = with_data();
    // Samples in rows, columns scaled, a zero column and a copy: the solver saw 90 of 92 columns.
    let x = sandbox.matrix("data/X.npy");
    let wide: Vec<usize> = (0..90).chain([7, 7]).collect();
    let mut more = x.select(&wide);
    more.col_mut(91).fill(0.0);
    sandbox.npy("rows.npy", &more.transposed());
    let options = "--rank 4 --samples rows --normalize l1 --merge-duplicates 0 --init spa --weights nonnegative";
    sandbox.factor("rows.npy", options, "run");
    let certificate = json(&sandbox, "certify run --json");
    assert_eq!((&certificate["quantities"]["cols"], &certificate["origin"]), (&90.into(), &"plug-in".into()));
    assert_eq!(condition(&certificate, "simplex")["holds"], true);
    assert_eq!(condition(&certificate, "proposition-1-start")["holds"], true);
    assert!(certificate["notes"][0].as_str().unwrap().contains("solved again"), "{}", certificate["notes"]);

    sandbox.factor("data/X.npy", "--rank 4 --normalize l1", "scaled");
    let certificate = json(&sandbox, "certify scaled --truth data --json");
    for name in ["separability", "simplex"] {
        assert_eq!(condition(&certificate, name)["holds"], true, "{name}");
    }
    let noise = certificate["quantities"]["noise"].as_f64().unwrap();
    assert!(noise > 0.0 && noise < 0.5, "of 90 columns that sum to 1: {noise}");

    sandbox.factor("data/X.npy", "--rank 4 --reduce pca:6", "reduced");
    assert_eq!(json(&sandbox, "certify reduced --json")["quantities"]["rows"], 6);
    sandbox.refuses(
        "certify reduced --truth data",
        2,
        "error: `--truth` cannot be compared with a run whose rows were reduced (`--reduce`): the true W has other rows\n\
         hint: leave out `--truth`, or factor without `--reduce`\n",
    );
}

#[test]
fn a_run_without_a_solver() {
    let sandbox = with_data();
    sandbox.factor("data/X.npy", "--rank 4 --method spa", "run");
    let outcome = sandbox.ok("certify run --quiet");
    assert!(
        outcome.stdout.contains("`run` has no C of Frank-Wolfe, so what is said about a run of MERIT is left out\n"),
        "{outcome:?}"
    );
    assert!(outcome.stdout.starts_with("At the lambda that is best for the theorem"), "{outcome:?}");
    assert_eq!(json(&sandbox, "certify run --json")["iterate"], Value::Null);
}

#[test]
fn the_matrix_is_looked_for() {
    let sandbox = with_data();
    sandbox.factor("data/X.npy", "--rank 4", "run");
    let expected = sandbox.ok("certify run --truth data --json").stdout;
    fs::rename(sandbox.path("data/X.npy"), sandbox.path("moved.npy")).unwrap();
    sandbox.refuses(
        "certify run --quiet",
        1,
        "error: the matrix of the run, `data/X.npy`, is not there (seen from this folder)\n\
         hint: name it with `--input FILE`\n",
    );
    assert_eq!(sandbox.ok("certify run --truth data --input moved.npy --json").stdout, expected);
    fs::rename(sandbox.path("data"), sandbox.path("elsewhere")).unwrap();
    fs::rename(sandbox.path("moved.npy"), sandbox.path("elsewhere/X.npy")).unwrap();
    let found = json(&sandbox, "certify run --truth elsewhere --json");
    assert_eq!(found["quantities"], serde_json::from_str::<Value>(&expected).unwrap()["quantities"]);
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let sandbox = with_data();
    sandbox.factor("data/X.npy", "--rank 4", "run");
    let stderr = sandbox.refusal("certify nowhere", 1);
    assert!(stderr.starts_with("error: `nowhere/run.json` cannot be read: "), "{stderr}");
    sandbox.npy("small.npy", &tiny());
    sandbox.refuses(
        "certify run --input small.npy --quiet",
        1,
        "error: `small.npy` is 4 x 6, but the matrix of `run` was 15 x 90\n\
         hint: name the matrix of the run with `--input FILE`\n",
    );
    sandbox.ok("generate dirichlet --rows 15 --cols 90 --rank 4 --seed 9 --output other --quiet");
    let stderr = sandbox.refusal("certify run --input other/X.npy --quiet", 1);
    assert!(stderr.starts_with("error: `other/X.npy` is not the matrix of `run`: its column "), "{stderr}");
    sandbox.ok("generate dirichlet --rows 15 --cols 80 --rank 4 --seed 9 --output third --quiet");
    sandbox.refuses(
        "certify run --truth third --quiet",
        1,
        "error: `third/H.npy` is 4 x 80, but 4 x 90 is expected: the folders belong to different data\n",
    );
    let text = sandbox.text("run/run.json").replace("\"normalize\": \"none\"", "\"normalize\": \"l2\"");
    let text = text.replace("\"version\": \"", &format!("\"version\": \"{CHANGED}\", \"was\": \""));
    sandbox.write("run/run.json", text);
    let stderr = sandbox.refusal("certify run --quiet", 1);
    assert!(stderr.contains("is not as merit wrote it: unknown variant `l2`, expected `none` or `l1`"), "{stderr}");
}

#[test]
fn a_c_that_is_not_feasible_is_refused() {
    let sandbox = with_data();
    sandbox.factor("data/X.npy", "--rank 4", "run");
    for (value, fault) in [(0.5, "column 0 sums to 0.5"), (-1.0, "column 0 holds -1 in row 0")] {
        let own = |l: usize, entries: &mut Vec<(u32, f64)>| entries.push((l as u32, value));
        merit_dataset::write_npz_csc(&sandbox.path("run/C.npz"), 90, 90, 90, own).unwrap();
        let stderr = sandbox.refusal("certify run --truth data --quiet", 1);
        assert!(stderr.starts_with(&format!("error: `run/C.npz` is not feasible: {fault}")), "{stderr}");
    }
}

#[test]
fn settings_that_no_run_has_are_refused() {
    let sandbox = with_data();
    let mut record = sandbox.factor("data/X.npy", "--rank 4", "run");
    record["settings"]["smoothing"] = (-1.0).into();
    sandbox.write("run/run.json", record.to_string());
    let stderr = sandbox.refusal("certify run --truth data --quiet", 1);
    let expected = "is not as merit wrote it: `smoothing` must be a number greater than 0, but is -1";
    assert!(stderr.starts_with(&format!("error: `run/run.json` {expected}")), "{stderr}");
}

#[test]
fn the_page_has_a_section() {
    let sandbox = with_data();
    sandbox.ok("factor data/X.npy --rank 4 --output run --report page.html --quiet");
    let page = sandbox.text("page.html");
    assert!(page.contains("<section id=\"theory\">") && page.contains("plug-in estimate"), "no theory");
    // The page and the command say the same sentence.
    let certificate = json(&sandbox, "certify run --json");
    assert!(page.contains(certificate["summary"].as_str().unwrap()), "{}", certificate["summary"]);
}

#[test]
fn the_page_says_what_it_leaves_out() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate dirichlet --rows 160 --cols 170 --rank 150 --snr 40 --output data --quiet");
    sandbox.ok("factor data/X.npy --rank 150 --method spa --output run --report page.html --quiet");
    let page = sandbox.text("page.html");
    assert!(page.contains("Left out because it would take about 1e9 multiplications"), "no reason");
    assert!(page.contains("`merit certify run` computes it."), "no way out");
}
