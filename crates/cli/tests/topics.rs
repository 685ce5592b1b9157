//! `merit topics`: texts in, topics out, new texts by the same topics, and clear words about what is impossible.

mod support;

use support::*;

/// 60 texts about rivers, bread and music, one JSON object per line.
fn texts(sandbox: &Sandbox) {
    let line =
        |d: usize| format!("{{\"text\": \"The {}.\", \"kind\": {}}}\n", words_of_document(d).join(" and "), d % 3);
    sandbox.write("texts.jsonl", (0..60).map(line).collect::<String>());
}

const FIT: &str = "topics texts.jsonl --topics 3 --stop-words en --label-field kind";

#[test]
fn texts_to_topics_and_the_same_weights_again() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    let said = sandbox.ok(&format!("{FIT} --output run --report page.html --pyldavis vis.json"));
    assert!(said.stdout.starts_with("texts.jsonl: 60 documents, 18 words, 3 topics\n"), "{}", said.stdout);
    let run = sandbox.json("run/run.json");
    assert!(run["accuracy"].as_f64().unwrap() > 0.8 && run["nmi"].as_f64().unwrap() > 0.5, "{run}");
    assert!(run["npmi"].as_f64().unwrap().abs() <= 1.0 && run["c_v_by"] == "windows", "{run}");
    let tried = run["tried"].as_array().unwrap();
    assert!(
        tried.iter().any(|set| set["chosen"] == true) && tried.iter().all(|set| set["agreement"].is_f64()),
        "{run}"
    );
    assert_eq!(sandbox.text("run/vocabulary.txt").lines().count(), 18);
    assert_eq!(sandbox.text("run/topics.csv").lines().count(), 4);
    let weights = sandbox.matrix("run/document_topics.npy");
    assert_eq!((weights.rows(), weights.cols()), (60, 3));
    for d in 0..60 {
        assert!(((0..3).map(|k| weights.get(d, k)).sum::<f64>() - 1.0).abs() < 1e-12, "shares of document {d}");
    }
    let topic_words = sandbox.matrix("run/topic_words.npz");
    for k in 0..3 {
        assert!(((0..18).map(|n| topic_words.get(k, n)).sum::<f64>() - 1.0).abs() < 1e-12, "words of topic {k}");
    }
    let sizes: Vec<f64> = run["sizes"].as_array().unwrap().iter().map(|size| size.as_f64().unwrap()).collect();
    assert!(sizes[0] >= sizes[1] && sizes[1] >= sizes[2], "the largest first: {sizes:?}");
    let first = sandbox.text("run/document_topics.csv");
    assert!(first.starts_with("document,label,main_topic,share,entropy,topic_0,topic_1,topic_2\n0,0,"), "{first}");
    assert!(sandbox.text("page.html").contains("id=\"topic-2\""));
    let vis = sandbox.json("vis.json");
    let keys: Vec<&String> = vis.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["R", "lambda.step", "mdsDat", "plot.opts", "tinfo", "token.table", "topic.order"]);
    let length = |table: &str, column: &str| vis[table][column].as_array().unwrap().len();
    assert_eq!((length("mdsDat", "x"), length("mdsDat", "Freq"), vis["R"].as_u64()), (3, 3, Some(18)));
    for column in ["Freq", "Total", "Category", "logprob", "loglift"] {
        assert_eq!(length("tinfo", column), length("tinfo", "Term"), "{column}");
    }
    assert_eq!(length("token.table", "Topic"), length("token.table", "Term"));

    sandbox.ok("topics apply run texts.jsonl --output again.npy --quiet");
    assert_eq!(sandbox.matrix("again.npy"), weights, "the texts of the training have the weights of the training");
    sandbox.write("new.txt", "a boat on the river\nnothing that is known\n");
    let new = sandbox.ok("topics apply run new.txt");
    assert_eq!(new.stdout.lines().count(), 3);
    assert_eq!(new.stdout.lines().nth(2), Some("1,,0,0,0,0,0"), "{}", new.stdout);
    assert!(new.stderr.starts_with("note: 1 of 2 documents have no word that the topics know"), "{}", new.stderr);
}

#[test]
fn what_cannot_be_is_told() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    sandbox.refuses("topics missing.jsonl --topics 2 --output run", 1, "error: `missing.jsonl` does not exist\n");
    let message = sandbox.refusal("topics texts.jsonl --topics 2 --text-field body --output run", 1);
    assert!(message.starts_with("error: `texts.jsonl` has no field `body`, but `kind`, `text`\nhint: "), "{message}");
    let message = sandbox.refusal(&FIT.replace("--topics 3", "--topics 19 --output run"), 2);
    assert!(message.contains("error: 19 topics, but only 18 different words can be anchors\n"), "{message}");
    let message = sandbox.refusal(&format!("{FIT} --anchors castle --output run"), 2);
    assert!(
        message.starts_with("error: `--anchors castle`, but the vocabulary of 18 words does not have it\n"),
        "{message}"
    );
    let message = sandbox.refusal("topics apply nowhere texts.jsonl", 1);
    assert!(message.starts_with("error: `nowhere/run.json` cannot be read: "), "{message}");
    assert!(message.ends_with("hint: give the folder that `merit topics ... --output DIR` wrote\n"), "{message}");
    sandbox.write("one.txt", "a single line of text\n");
    let message = sandbox.refusal("topics one.txt --topics 1 --output run", 1);
    assert!(message.starts_with("error: no word is left: "), "{message}");
    let message = sandbox.refusal("topics texts.jsonl --stop-words xx --output run", 2);
    assert!(message.starts_with("error: there is no list of stop words `xx`"), "{message}");
    sandbox
        .write("counts.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 3\n2 2 1\n")
        .write("words.txt", "one\n");
    let message = sandbox.refusal("topics counts.mtx --vocabulary words.txt --topics 1 --output run", 1);
    assert!(message.starts_with("error: `words.txt` has 1 word, but the counts have 2\n"), "{message}");
}

/// Two counts, and a header that would take many gigabytes if it were believed.
#[test]
fn a_header_that_claims_a_huge_vocabulary_is_not_believed() {
    let sandbox = Sandbox::new();
    sandbox
        .write("docword.big.txt", "2\n4000000000\n2\n1 1 1\n2 5 1\n")
        .write("docword.long.txt", "9000000000\n5\n2\n1 1 1\n2 5 1\n")
        .write("big.ldac", "1 0:1\n1 4000000000:1\n");
    for (file, claim) in [
        ("docword.big.txt", "4000000000 words"),
        ("docword.long.txt", "9000000000 documents"),
        ("big.ldac", "4000000001 words"),
    ] {
        let message = sandbox.refusal(&format!("topics {file} --topics 1 --output run"), 1);
        let expected = format!("error: `{file}` claims {claim}, but holds only 2 counts\nhint: the file seems damaged");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn bad_bytes_are_replaced_and_binary_files_left_out() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    for (i, text) in ["river boat", "river boat fish", "bread oven", "bread oven flour"].iter().enumerate() {
        sandbox.write(&format!("folder/{i}.txt"), text);
    }
    sandbox
        .write("folder/bad.txt", b"river bo\xffat boat")
        .write("folder/empty.txt", "")
        .write("folder/binary.txt", [0, 1, 2]);
    let said = sandbox.ok("topics folder --topics 2 --min-df 2 --output run");
    let reading = &sandbox.json("run/run.json")["reading"];
    assert_eq!(
        (&reading["not_utf8"], &reading["binary_files"], &reading["empty_documents"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert!(said.stderr.contains("note: 1 document held bytes that are not UTF-8"), "{}", said.stderr);
    assert_eq!(sandbox.text("run/document_topics.csv").lines().count(), 1 + 6, "the empty document is not lost");
}

/// A page's hidden data and charts.
fn has(page: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(page.contains(part), "the page lacks {part}"));
}

#[test]
fn topics_of_a_finished_run_are_merged_and_named() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    sandbox.ok(&format!("{FIT} --output run --quiet"));
    let (before, words) = (sandbox.matrix("run/document_topics.npy"), sandbox.matrix("run/topic_words.npz"));
    let said = sandbox.ok("topics edit run --merge 1,2 --name 2=<music> --name 0=rivers --report page.html");
    let run = sandbox.json("run/run.json");
    let edits = serde_json::json!(["merge 1,2", "name 2=<music>", "name 0=rivers"]);
    assert_eq!((&run["edits"], run["topics"].as_u64()), (&edits, Some(2)));
    assert!(
        said.stderr.contains("note: the topics were edited by hand: merge 1,2; name 2=<music>; name 0=rivers\n"),
        "{}",
        said.stderr
    );
    let names: Vec<&str> = run["topic_names"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let (merged, alone) = if names[0] == "<music>" { (0, 1) } else { (1, 0) };
    assert_eq!((names[merged], names[alone]), ("<music>", "rivers"));
    let (after, new_words) = (sandbox.matrix("run/document_topics.npy"), sandbox.matrix("run/topic_words.npz"));
    for d in 0..60 {
        assert_eq!(after.get(d, alone), before.get(d, 0));
        assert!((after.get(d, merged) - before.get(d, 1) - before.get(d, 2)).abs() < 1e-15);
    }
    for n in 0..words.cols() {
        let (low, high) = (words.get(1, n).min(words.get(2, n)), words.get(1, n).max(words.get(2, n)));
        assert!(new_words.get(alone, n) == words.get(0, n) && (low..=high).contains(&new_words.get(merged, n)));
    }
    assert!(run["npmi_of_topics"].as_array().unwrap().len() == 2 && run["accuracy"].as_f64().unwrap() > 0.5);
    assert!(sandbox.text("run/topics.csv").contains(",<music>,"));
    has(&sandbox.text("page.html"), &["&lt;music&gt;", ">rivers<", "id=\"topic-1\""]);
    sandbox.ok("topics apply run texts.jsonl --output weights.csv --quiet");
    // Names stay; a second edit adds to the first, and what cannot be changes nothing.
    sandbox.ok("topics edit run --name 0= --output other --quiet");
    assert_eq!(sandbox.json("other/run.json")["topic_names"][0], serde_json::Value::Null);
    let kept = sandbox.text("run/run.json");
    for (edit, code, start) in [
        ("--merge 0,5", 2, "error: there is no topic 5: the topics are 0 to 1\nhint: topics.csv lists"),
        ("--merge 0,0", 2, "error: topic 0 is named twice\n"),
        ("--name 7=x", 2, "error: there is no topic 7: the topics are 0 to 1\nhint: topics.csv lists"),
        ("--anchors boat", 2, "error: topics of the run were merged, which other `--anchors` would undo\nhint: "),
        ("--anchors boat --name 0=x", 2, "error: other `--anchors` make other topics"),
        ("", 2, "error: there is nothing to edit\nhint: merge topics with `--merge 3,7`"),
    ] {
        let message = sandbox.refusal(&format!("topics edit run {edit}"), code);
        assert!(message.starts_with(start), "{message}");
    }
    sandbox.write(
        "texts.jsonl",
        "{\"text\": \"something else\", \"kind\": 1}\n{\"text\": \"something else\", \"kind\": 1}\n",
    );
    let message = sandbox.refusal("topics edit run --name 0=x", 1);
    assert!(message.starts_with("error: no word is left") || message.contains("is not what it was"), "{message}");
    assert_eq!(sandbox.text("run/run.json"), kept);
}

#[test]
fn anchors_of_a_finished_run_are_replaced() {
    let sandbox = Sandbox::new();
    texts(&sandbox);
    sandbox.ok(&format!("{FIT} --output run --quiet"));
    let run = sandbox.json("run/run.json");
    let list = |run: &serde_json::Value| -> Vec<String> {
        run["anchor_words"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_string()).collect()
    };
    let (anchors, limit) = (list(&run), run["settings"]["minimum_documents"].as_u64().unwrap());
    // A word that is shown for topic 1 takes the place of its anchor.
    let word = run["top_words"][1]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .find(|word| !anchors.iter().any(|one| one == word))
        .unwrap();
    sandbox.ok("topics edit run --name 0=first --name 1=second --quiet");
    let said =
        sandbox.ok(&format!("topics edit run --anchors {} --output edited --report page.html", word.to_uppercase()));
    assert!(said.stderr.contains(&format!("; anchors {}\n", word.to_uppercase())), "{}", said.stderr);
    sandbox.ok(&format!("{FIT} --minimum-documents {limit} --anchors {word} --output fitted --quiet"));
    let (edited, fitted) = (sandbox.json("edited/run.json"), sandbox.json("fitted/run.json"));
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(sorted(list(&edited)), sorted(list(&fitted)));
    assert!(
        list(&edited).contains(&word.to_string())
            && sandbox.text("edited/topics.csv").contains(&format!(",{word},true,"))
    );
    assert_eq!(edited["settings"]["anchors"], serde_json::json!([word]));
    assert!((edited["log_likelihood"].as_f64().unwrap() - fitted["log_likelihood"].as_f64().unwrap()).abs() < 1e-9);
    let names: Vec<&str> = edited["topic_names"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert_eq!(names, ["first"], "the topic of another anchor has no name any more");
    let (a, b) = (sandbox.matrix("edited/topic_words.npz"), sandbox.matrix("fitted/topic_words.npz"));
    assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 1e-9));
    has(&sandbox.text("page.html"), &[word, ">first<"]);
    sandbox.ok("topics apply edited texts.jsonl --output weights.npy --quiet");
    assert_eq!(sandbox.matrix("weights.npy").values(), sandbox.matrix("edited/document_topics.npy").values());
    // With the anchors that it has, a run stays what it is.
    sandbox.ok(&format!("topics edit run --anchors {} --output same --quiet", anchors.join(",")));
    for file in ["topic_words.npz", "document_topics.npy"] {
        let (a, b) = (sandbox.matrix(&format!("same/{file}")), sandbox.matrix(&format!("run/{file}")));
        assert!(a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < 1e-9), "{file}");
    }
    let kept = sandbox.text("run/run.json");
    let message = sandbox.refusal(&format!("topics edit run --anchors {word}x"), 2);
    assert!(message.contains("does not have it; near it are `") && message.contains(&format!("`{word}`")), "{message}");
    let message = sandbox.refusal("topics edit run --anchors a,b,c,d", 2);
    assert!(message.starts_with("error: `--anchors a`, but the vocabulary of "), "{message}");
    assert_eq!(sandbox.text("run/run.json"), kept);
    sandbox.ok(&format!("{FIT} --method lda --burn-in 2 --samples 1 --output lda --quiet"));
    let message = sandbox.refusal("topics edit lda --anchors boat", 2);
    assert!(message.starts_with("error: `--method lda` has no anchors"), "{message}");
}

#[test]
fn copies_are_counted_and_left_out_on_request() {
    let sandbox = Sandbox::new();
    let line = |d: usize| format!("{} {}\n", words_of_document(d).join(" "), words_of_document(d * 7 + 1).join(" "));
    let all: String = (0..30).map(|d| line(if d == 20 { 3 } else { d })).collect();
    sandbox.write("texts.txt", all);
    let said = sandbox.ok("topics texts.txt --topics 3 --output plain");
    let copies = sandbox.json("plain/run.json")["reading"]["copies"].as_u64().unwrap();
    assert!(
        copies >= 1 && said.stderr.contains("of earlier ones; `--drop-duplicates` leaves them out"),
        "{}",
        said.stderr
    );
    let said = sandbox.ok("topics texts.txt --topics 3 --drop-duplicates --output run --report page.html");
    assert!(said.stderr.contains("left out"), "{}", said.stderr);
    let lines = sandbox.text("run/document_topics.csv");
    assert_eq!(lines.lines().count() as u64, 1 + 30 - copies);
    assert!(!lines.contains("\n20,") && lines.contains("\n21,"), "documents keep their names: {lines}");
    // The excerpt of a document after the copy is its own.
    let excerpt = format!("document 29\",\"{}", words_of_document(29).join(" "));
    has(&sandbox.text("page.html"), &[&excerpt]);
}

#[test]
fn labels_times_and_numbers_are_on_the_page() {
    let sandbox = Sandbox::new();
    let long = "and so on ".repeat(40);
    let line = |d: usize| {
        let words = words_of_document(d).join(" ");
        format!(
            "{{\"text\": \"{long}{words}.\", \"kind\": \"kind {}\", \"day\": \"2024-0{}-1{}\"}}\n",
            d % 3,
            1 + d % 4,
            d % 9
        )
    };
    sandbox.write("texts.jsonl", (0..60).map(line).collect::<String>());
    sandbox.ok("topics texts.jsonl --topics 2..5 --max-df 0.95 --label-field kind --time-field day --output run --report page.html");
    let page = sandbox.text("page.html");
    has(
        &page,
        &[
            "id=\"chart-labels\"",
            "kind 2",
            "id=\"chart-numbers\"",
            "id=\"tried-numbers\"",
            "id=\"chart-times\"",
            "months since 2024-01",
        ],
    );
    has(&page, &["… "]); // passages that have the topics' words, not the beginnings, which are all the same
    let table = sandbox.text("run/topics_over_time.csv");
    assert!(table.starts_with("time,documents,topic_0,") && table.lines().count() == 5, "{table}");
    for line in table.lines().skip(1) {
        let shares: f64 = line.split(',').skip(2).map(|share| share.parse::<f64>().unwrap()).sum();
        assert!((shares - 1.0).abs() < 1e-12, "{line}");
    }
    sandbox.write(
        "bad.jsonl",
        "{\"text\": \"river boat\", \"day\": \"2024\"}\n{\"text\": \"river boat\", \"day\": \"May\"}\n",
    );
    let message = sandbox.refusal("topics bad.jsonl --topics 1 --min-df 1 --max-df 1.0 --time-field day", 1);
    assert!(
        message.starts_with("error: document 1 of `bad.jsonl` has the time `May`, but a date such as 2024, "),
        "{message}"
    );
    let message = sandbox.refusal("topics bad.jsonl --topics 1 --time-field when", 1);
    assert!(message.contains("name the field of the dates with `--time-field NAME`"), "{message}");
}
