//! The fence for bits: every command gives the same files on 1, 2, 3 and 5 threads, byte for byte, less times and memory.

mod support;

use merit::synthetic::Dirichlet;
use merit_linalg::DenseMatrix;
use regex::Regex;
use std::collections::BTreeMap;
use support::Sandbox;

/// Odd numbers cut work at other places than even ones.
const THREADS: [usize; 4] = [1, 2, 3, 5];

/// What differs from run to run: times, memory, the number of threads and the command itself.
struct Masks(Vec<(Regex, &'static str)>);

impl Masks {
    fn new() -> Self {
        let masks = [
            // run.json
            (r#"(?s)"command": \[.*?\]"#, ""),
            (r#"(?s)"seconds": \{.*?\}"#, ""),
            (r#""peak_rss_bytes": \d+"#, ""),
            (r#""threads": \d+"#, ""),
            // pages
            (r"(?s)<footer.*?</footer>", ""),
            (r#"(?s)<table[^>]*id="stages".*?</table>"#, ""),
            (r#"<th scope="row">threads</th><td>\d+</td>"#, ""),
            // Which words fit depends on the peak.
            (r"at its peak(, where a dense [^.]*?needed [0-9.,]+ \w+| \(a dense [^)]*\))", "at its peak"),
            (r"[0-9.,]+\s?(ns|µs|ms|s|min|h|bytes|kB|MB|GB)\b", "#"),
        ];
        Self(masks.map(|(pattern, with)| (Regex::new(pattern).unwrap(), with)).to_vec())
    }

    fn hide(&self, name: &str, bytes: Vec<u8>) -> Vec<u8> {
        if name.ends_with("trace.csv") {
            let text = String::from_utf8(bytes).unwrap();
            let without = |line: &str| {
                line.split(',')
                    .enumerate()
                    .filter(|(i, _)| *i != 6)
                    .map(|(_, f)| f.to_string() + ",")
                    .collect::<String>()
                    + "\n"
            };
            assert!(text.starts_with("iteration,step,objective,gap,nnz,nonempty_rows,seconds,"), "{name}");
            return text.lines().map(without).collect::<String>().into_bytes();
        }
        if !(name.ends_with(".json") || name.ends_with(".html")) {
            return bytes;
        }
        let text = String::from_utf8(bytes).unwrap();
        self.0.iter().fold(text, |text, (mask, with)| mask.replace_all(&text, *with).into_owned()).into_bytes()
    }
}

/// Runs `line` on each number of threads and compares all that is written.
fn same_bits(sandbox: &Sandbox, line: &str) {
    let masks = Masks::new();
    let mut first: Option<BTreeMap<String, Vec<u8>>> = None;
    for threads in THREADS {
        std::fs::create_dir(sandbox.path("out")).unwrap();
        sandbox.ok(&format!("{line} --threads {threads} --output out/run --report out/page.html --quiet"));
        let names =
            sandbox.listing().into_iter().filter(|name| name.starts_with("out/") && sandbox.path(name).is_file());
        let files: BTreeMap<String, Vec<u8>> =
            names.map(|name| (name.clone(), masks.hide(&name, sandbox.bytes(&name)))).collect();
        assert!(files.len() >= 3 && files.contains_key("out/page.html"), "{line}: {:?}", files.keys());
        let first = first.get_or_insert_with(|| files.clone());
        assert_eq!(first.keys().collect::<Vec<_>>(), files.keys().collect::<Vec<_>>(), "{line}");
        for (name, bytes) in &files {
            assert!(
                first[name] == *bytes,
                "{line}: {name} differs on 1 and {threads} threads: {}",
                difference(&first[name], bytes)
            );
        }
        std::fs::remove_dir_all(sandbox.path("out")).unwrap();
    }
}

/// Where two texts part.
fn difference(a: &[u8], b: &[u8]) -> String {
    let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let around =
        |text: &[u8]| String::from_utf8_lossy(&text[at.saturating_sub(60)..text.len().min(at + 60)]).into_owned();
    format!("{:?} / {:?}", around(a), around(b))
}

fn data(rows: usize, cols: usize, rank: usize) -> DenseMatrix {
    Dirichlet { snr_db: 20.0, seed: 3, ..Dirichlet::new(rows, cols, rank) }.generate().unwrap().x
}

#[test]
fn factor_on_dense_data() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &data(30, 400, 6));
    for options in [
        "--rank 6",
        "", // the rank is estimated
        "--rank 6 --regularization 0.05 --init spa",
        "--rank 6 --regularization paper --normalize l1 --weights nonnegative",
        "--rank 6 --kernel portable --merge-duplicates 0.01",
    ] {
        same_bits(&sandbox, &format!("factor x.npy {options}"));
    }
}

#[test]
fn every_method_of_factor() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &data(20, 250, 5));
    for method in merit::Method::ALL {
        same_bits(&sandbox, &format!("factor x.npy --rank 5 --method {method} --gradient-steps 20"));
        same_bits(&sandbox, &format!("factor x.npy --method {method} --gradient-steps 5 --iterations 20"));
    }
    same_bits(&sandbox, "factor x.npy --rank 5 --method fast-anchor --projection 10");
    same_bits(&sandbox, "factor x.npy --rank 5 --method xray --xray-criterion dist");
    same_bits(&sandbox, "factor x.npy --rank 5 --method xray --xray-criterion greedy");
}

/// Singular vectors of a matrix this large are computed in several blocks.
#[test]
fn factor_with_reduced_rows() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &data(400, 600, 8));
    same_bits(&sandbox, "factor x.npy --reduce pca:20 --rank 8 --iterations 30");
    same_bits(&sandbox, "factor x.npy --iterations 20"); // the rank from 400 singular values
}

/// Few rows and many columns: the search runs over the vertices of the hull.
#[test]
fn factor_over_the_hull() {
    let sandbox = Sandbox::new();
    sandbox.npy("x.npy", &data(4, 2500, 4));
    same_bits(&sandbox, "factor x.npy --rank 4 --regularization 0.01 --iterations 40 --certificate off");
    same_bits(&sandbox, "factor x.npy --rank 4 --regularization 0.01 --method exact --passes 20");
}

#[test]
fn factor_on_sparse_data() {
    let sandbox = Sandbox::new();
    let x = data(40, 300, 5);
    let mut entries = Vec::new();
    for l in 0..300 {
        entries.extend(
            x.col(l).iter().enumerate().filter(|(_, v)| **v > 0.55).map(|(m, v)| format!("{} {} {v}\n", m + 1, l + 1)),
        );
    }
    let head = format!("%%MatrixMarket matrix coordinate real general\n40 300 {}\n", entries.len());
    sandbox.write("x.mtx", head + &entries.concat());
    for options in [
        "--rank 5",
        "",
        "--rank 5 --method spa",
        "--rank 5 --method exact --gap 0.01",
        "--rank 5 --reduce pca:10",
        "--rank 5 --method fast-gradient --gradient-steps 10",
    ] {
        same_bits(&sandbox, &format!("factor x.mtx --iterations 30 {options}"));
    }
}

#[test]
fn every_method_of_topics() {
    let sandbox = Sandbox::new();
    let themes = ["river water boat fish dam", "court judge law trial jury", "goal match team league coach"];
    let text = |d: usize| {
        let (a, b): (Vec<&str>, Vec<&str>) =
            (themes[d % 3].split(' ').collect(), themes[(d / 3) % 3].split(' ').collect());
        let words: Vec<&str> = (0..9).map(|i| if i < 6 { a[(d + i * i) % 5] } else { b[(d * 7 + i) % 5] }).collect();
        format!("{{\"text\": \"{} said\", \"kind\": \"{}\"}}\n", words.join(" "), d % 3)
    };
    sandbox.write("t.jsonl", (0..150).map(text).collect::<String>());
    for method in merit_topics::Method::all() {
        let quick = "--gradient-steps 10 --burn-in 10 --samples 2";
        let line = format!("topics t.jsonl --topics 3 --label-field kind --method {} {quick}", method.name());
        same_bits(&sandbox, &line);
    }
    same_bits(&sandbox, "topics t.jsonl");
    same_bits(&sandbox, "topics t.jsonl --topics 3 --minimum-documents 1 --merge-duplicates off --gap-tolerance 0.001");
}

#[test]
fn every_method_of_communities() {
    let sandbox = Sandbox::new();
    sandbox.ok("generate mmsb --nodes 400 --communities 3 --seed 2 --output graph --quiet");
    for method in merit_communities::Method::all() {
        let line =
            format!("communities graph/edges.txt --communities 3 --gradient-steps 10 --method {}", method.name());
        same_bits(&sandbox, &line);
    }
    same_bits(&sandbox, "communities graph/edges.txt");
    same_bits(&sandbox, "communities graph/edges.txt --communities 3 --published --memberships simplex");
    same_bits(&sandbox, "communities graph/edges.txt --communities 4 --operator normalized --gap-tolerance 0.001");
}

#[test]
fn reproduce() {
    let sandbox = Sandbox::new();
    same_bits(&sandbox, "reproduce table1 --trials 2 --only 40");
    same_bits(&sandbox, "reproduce fig2 auto --trials 1 --only 10");
}
