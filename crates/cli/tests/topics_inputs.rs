//! `merit topics`: the same documents in every kind of file give the same topics, and `apply` gives them their weights again.

mod support;

use merit_linalg::DenseMatrix;
use support::*;

const DOCUMENTS: usize = 60;

/// The vocabulary in alphabetical order, as it is made from texts.
fn vocabulary() -> Vec<&'static str> {
    let mut list: Vec<&str> = (0..DOCUMENTS).flat_map(words_of_document).collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// `(document, word, times)`, all from 0.
fn entries() -> Vec<(usize, usize, usize)> {
    let vocabulary = vocabulary();
    let mut list = Vec::new();
    for d in 0..DOCUMENTS {
        for (n, word) in vocabulary.iter().enumerate() {
            let times = words_of_document(d).iter().filter(|w| *w == word).count();
            if times > 0 {
                list.push((d, n, times));
            }
        }
    }
    list
}

/// As gzip writes it without compressing: blocks that are stored, then CRC and length.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let blocks: Vec<&[u8]> = bytes.chunks(60_000).collect();
    for (i, block) in blocks.iter().enumerate() {
        let length = block.len() as u16;
        out.push(u8::from(i + 1 == blocks.len()));
        out.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
        out.extend_from_slice(block);
    }
    let bit = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    let crc = !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| bit(crc)));
    out.extend(crc.to_le_bytes().into_iter().chain((bytes.len() as u32).to_le_bytes()));
    out
}

/// Writes the corpus in every form that needs no program of others; gives each with its options.
fn write_all(sandbox: &Sandbox) -> Vec<(&'static str, &'static str)> {
    let text = |d: usize| words_of_document(d).join(" ");
    for d in 0..DOCUMENTS {
        let folder = format!("folder/part{}/deeper", d / 20);
        std::fs::create_dir_all(sandbox.path(&folder)).unwrap();
        sandbox.write(&format!("{folder}/{d:02}.txt"), text(d));
    }
    let rows = |line: &dyn Fn(usize) -> String| (0..DOCUMENTS).map(line).collect::<String>();
    let jsonl = rows(&|d| format!("{{\"id\": {d}, \"body\": \"{}\", \"kind\": \"{}\"}}\n", text(d), d % 3));
    let csv = String::from("id,kind,body\n") + &rows(&|d| format!("{d},{},\"{},\n\"\n", d % 3, text(d)));
    let tsv = String::from("body\tkind\n") + &rows(&|d| format!("{}\t{}\n", text(d), d % 3));
    let (entries, vocabulary) = (entries(), vocabulary());
    let head = format!("{DOCUMENTS}\n{}\n{}\n", vocabulary.len(), entries.len());
    let uci = head + &entries.iter().map(|(d, n, c)| format!("{} {} {c}\n", d + 1, n + 1)).collect::<String>();
    let mtx = format!(
        "%%MatrixMarket matrix coordinate integer general\n{DOCUMENTS} {} {}\n",
        vocabulary.len(),
        entries.len()
    ) + &entries.iter().map(|(d, n, c)| format!("{} {} {c}\n", d + 1, n + 1)).collect::<String>();
    let ldac = rows(&|d| {
        let own: Vec<String> = entries.iter().filter(|e| e.0 == d).map(|(_, n, c)| format!(" {n}:{c}")).collect();
        format!("{}{}\n", own.len(), own.concat())
    });
    let list = vocabulary.join("\n") + "\n";
    let mut counts = DenseMatrix::zeros(DOCUMENTS, vocabulary.len());
    entries.iter().for_each(|&(d, n, c)| counts.col_mut(n)[d] = c as f64);
    sandbox
        .write("lines.txt", rows(&|d| text(d) + "\n"))
        .write("texts.jsonl", &jsonl)
        .write("texts.jsonl.gz", gzip(jsonl.as_bytes()))
        .write("table.csv", &csv)
        .write("table.csv.gz", gzip(csv.as_bytes()))
        .write("table.tsv", tsv)
        .write("docword.small.txt", &uci)
        .write("docword.zipped.txt.gz", gzip(uci.as_bytes()))
        .write("vocab.small.txt", &list)
        .write("vocab.zipped.txt", &list)
        .write("words.txt", list)
        .write("counts.mtx", mtx)
        .write("counts.ldac", ldac)
        .npy("counts.npy", &counts)
        .npy("turned.npy", &counts.transposed());
    vec![
        ("folder", ""),
        ("lines.txt", ""),
        ("texts.jsonl", "--text-field body --label-field kind --name-field id"),
        ("texts.jsonl.gz", "--text-field body"),
        ("table.csv", "--text-column body --label-column kind --name-column id"),
        ("table.csv.gz", "--text-column body"),
        ("table.tsv", "--text-column body"),
        ("docword.small.txt", ""),
        ("docword.zipped.txt.gz", ""),
        ("counts.mtx", "--vocabulary words.txt"),
        ("counts.ldac", "--vocabulary words.txt"),
        ("counts.npy", "--vocabulary words.txt"),
        ("turned.npy", "--vocabulary words.txt --documents columns"),
    ]
}

#[test]
fn every_kind_of_file_gives_the_same_topics_and_apply_the_same_weights() {
    let sandbox = Sandbox::new();
    let mut expected: Option<(String, DenseMatrix)> = None;
    for (i, (file, options)) in write_all(&sandbox).into_iter().enumerate() {
        sandbox.ok(&format!("topics {file} {options} --topics 3 --output run{i} --quiet"));
        // c_v is counted in windows where there are texts, and in documents where there are none: all else is the same.
        let table = sandbox.text(&format!("run{i}/topics.csv"));
        let without_c_v = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            [&cells[..6], &cells[7..]].concat().join(",")
        };
        let topics: String = table.lines().map(without_c_v).collect::<Vec<_>>().join("\n");
        let weights = sandbox.matrix(&format!("run{i}/document_topics.npy"));
        let (same_topics, same_weights) = expected.get_or_insert((topics.clone(), weights.clone()));
        assert_eq!((&topics, &weights), (&*same_topics, &*same_weights), "{file} against the folder");
        sandbox.ok(&format!("topics apply run{i} {file} --output again{i}.npy --quiet"));
        assert_eq!(sandbox.matrix(&format!("again{i}.npy")), weights, "apply on {file}");
    }
}

#[test]
fn names_and_labels_come_from_the_columns_that_were_named() {
    let sandbox = Sandbox::new();
    write_all(&sandbox);
    sandbox.ok("topics table.csv --text-column body --label-column kind --name-column kind --topics 3 --output run");
    let lines = sandbox.text("run/document_topics.csv");
    assert!(lines.lines().nth(2).unwrap().starts_with("1,1,"), "name and label are the kind: {lines}");
    let run = sandbox.json("run/run.json");
    assert_eq!(run["reading"]["repeated_names"], 57, "60 documents of 3 kinds: nothing is lost");
    assert!(run["accuracy"].as_f64().is_some() && run["nmi"].as_f64().is_some(), "{run}");
}

/// Everything that changes the words is in run.json, and does what it says.
#[test]
fn choices_about_words_are_recorded_and_kept() {
    let sandbox = Sandbox::new();
    let line = |d: usize| {
        format!(
            "The boats {} Straße d'été naïve 東京 was running 12 {}\n",
            ["sea", "oven"][d % 2],
            words_of_document(d).join(" ")
        )
    };
    sandbox.write("texts.txt", (0..30).map(line).collect::<String>()).write("stop.txt", "Straße\nboats\n");
    let words_of = |options: &str| -> Vec<String> {
        sandbox.ok(&format!("topics texts.txt --topics 2 --output run --force --quiet {options}"));
        sandbox.text("run/vocabulary.txt").lines().map(String::from).collect()
    };
    // Words in all documents distinguish nothing, so they are left out of the model, but counted among the words of the input.
    let has = |list: &[String], word: &str| list.iter().any(|w| w == word);
    assert!(has(&words_of("--stop-words none"), "sea") && !has(&words_of("--min-length 4"), "sea"));
    let all = |options: &str| {
        words_of(&format!("--max-df 1.0 {options}"));
        sandbox.json("run/run.json")["input"]["words"].as_u64().unwrap()
    };
    let plain = all("");
    assert_eq!(all("--stop-words stop.txt"), plain - 2, "the words of the file, in any case");
    assert_eq!(all("--stop-words en"), plain - 2, "the, was");
    assert!(all("--ngrams 2") > plain && all("--max-vocabulary 12") == 12 && all("--min-df 0.3") < plain);
    words_of("--stem en --stop-words en --ngrams 2 --min-df 3 --max-df 0.95 --max-vocabulary 40 --min-length 2");
    let tokens = &sandbox.json("run/run.json")["tokens"];
    let expected = serde_json::json!({
        "min_length": 2, "stop_words": "en", "stem": "en", "ngrams": 2, "phrases": false, "min_df": 3, "max_df": 0.95, "max_vocabulary": 40
    });
    assert_eq!(tokens, &expected);
}

#[test]
fn the_number_of_topics_is_estimated_with_a_word_on_how_sure_it_is() {
    let sandbox = Sandbox::new();
    write_all(&sandbox);
    let said = sandbox.ok("topics lines.txt --output run");
    let estimate = &sandbox.json("run/run.json")["topics_estimate"];
    assert_eq!(estimate["topics"], 3, "{estimate}");
    assert!(said.stderr.contains("note: 3 topics (estimated"), "{}", said.stderr);
}
