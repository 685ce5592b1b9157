//! `merit topics` on what is no corpus, or hardly one: one clear line, the right exit code, nothing left behind and nothing lost.

mod support;

use support::*;

/// A folder of small texts about two things.
fn folder(sandbox: &Sandbox, name: &str) {
    std::fs::create_dir(sandbox.path(name)).unwrap();
    for (i, text) in ["river boat", "river boat fish", "bread oven", "bread oven flour"].iter().enumerate() {
        sandbox.write(&format!("{name}/{i}.txt"), text);
    }
}

#[test]
fn corpora_that_hold_nothing() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    std::fs::create_dir(sandbox.path("others")).unwrap();
    sandbox
        .write("others/readme.md", "text")
        .write("nothing.jsonl", "")
        .write("blank.jsonl", "\n\n")
        .write("header.csv", "text\n")
        .write("nothing.csv", "")
        .write("binary.txt", [1, 0, 2, 0])
        .write("binary.jsonl", [0, 159, 146, 150])
        .write("binary.csv", [0, 1, 2, 10, 3, 0])
        .write("archive.zip", "PK")
        .write("noextension", "text");
    for (line, start) in [
        (
            "topics empty",
            "error: `empty` is not a corpus: the folder has no .txt file (0 others)\nhint: a corpus is a folder",
        ),
        ("topics others", "error: `others` is not a corpus: the folder has no .txt file (1 others)\nhint: "),
        ("topics nothing.jsonl", "error: `nothing.jsonl` holds no document\n"),
        ("topics blank.jsonl", "error: `blank.jsonl` holds no document\n"),
        ("topics header.csv", "error: `header.csv` holds no document\n"),
        ("topics nothing.csv", "error: `nothing.csv` has no column `text`, but none at all\nhint: name the column"),
        ("topics binary.txt", "error: `binary.txt` is not a corpus: it holds binary data\nhint: "),
        ("topics binary.jsonl", "error: `binary.jsonl` is not a corpus: it holds binary data\nhint: "),
        ("topics binary.csv", "error: `binary.csv` is not a corpus: it holds binary data\nhint: "),
        ("topics archive.zip", "error: `archive.zip` is not a corpus: the extension `.zip` is not known\nhint: "),
        ("topics noextension", "error: `noextension` is not a corpus: it has no extension\nhint: "),
    ] {
        let message = sandbox.refusal(&format!("{line} --topics 2 --output run"), 1);
        assert!(message.starts_with(start), "{line}: {message}");
    }
}

#[test]
fn tables_and_lines_that_do_not_fit() {
    let sandbox = Sandbox::new();
    sandbox
        .write("table.csv", "title,body\na,river\n")
        .write("ragged.csv", "title,text\na,river\nb\n")
        .write("broken.jsonl", "{\"text\": \"river\"}\n{\"text\": \n")
        .write("list.jsonl", "[1, 2]\n")
        .write("number.jsonl", "{\"text\": 7}\n")
        .write("docword.short.txt", "2\n2\n3\n1 1 1\n2 2 1\n")
        .write("docword.far.txt", "2\n2\n1\n3 1 1\n")
        .write("words.ldac", "2 0:1\n")
        .write("parts.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.5\n2 2 1\n");
    for (line, start) in [
        (
            "topics table.csv",
            "error: `table.csv` has no column `text`, but `title`, `body`\nhint: name the column of the texts with `--text-column NAME`",
        ),
        (
            "topics table.csv --text-column body --label-column kind",
            "error: `table.csv` has no column `kind`, but `title`, `body`\n",
        ),
        ("topics ragged.csv", "error: line 3 of `ragged.csv` has 1 fields, but the first has 2\n"),
        ("topics broken.jsonl", "error: line 2 of `broken.jsonl` is not JSON"),
        ("topics list.jsonl", "error: line 1 of `list.jsonl` is not a JSON object\n"),
        ("topics number.jsonl", "error: line 1 of `number.jsonl` has a field `text` that is not a string\n"),
        ("topics docword.short.txt", "error: line 3 of `docword.short.txt` promises 3 entries, but there are 2\n"),
        (
            "topics docword.far.txt",
            "error: line 4 of `docword.far.txt` is about document 3 and word 1, but documents go from 1 to 2",
        ),
        ("topics words.ldac", "error: line 1 of `words.ldac` promises 2 words, but has 1\n"),
        (
            "topics parts.mtx",
            "error: document 0 has 0.5 times word 0, but counts are whole numbers from 0\nhint: give counts",
        ),
    ] {
        let message = sandbox.refusal(&format!("{line} --topics 2 --output run"), 1);
        assert!(message.starts_with(start), "{line}: {message}");
    }
}

#[test]
fn too_little_for_topics() {
    let sandbox = Sandbox::new();
    sandbox
        .write("one.txt", "river boat river\n")
        .write("same.txt", "river boat\nriver boat\n")
        .write("word.txt", "river\nriver river\n\n")
        .write("two.txt", "river boat\nriver fish\nbread oven\nbread flour\n");
    let message = sandbox.refusal("topics one.txt --topics 1 --min-df 1 --max-df 1.0 --output run", 1);
    assert!(
        message.starts_with("error: no word tells documents apart: each of the 2 words is in all of the 1 document"),
        "{message}"
    );
    assert!(message.contains("\nhint: topics come from words that appear together in some documents and not in others: give more documents\n"), "{message}");
    let message = sandbox.refusal("topics same.txt --topics 1 --max-df 1.0 --output run", 1);
    assert!(message.ends_with("hint: give documents that differ\n"), "{message}");
    let message = sandbox.refusal("topics two.txt --topics 1 --min-df 9 --output run", 1);
    assert!(
        message.starts_with(
            "error: no word is left: of 6 words in 4 documents none passes the limits\nhint: lower `--min-df`"
        ),
        "{message}"
    );
    let message = sandbox.refusal("topics two.txt --topics 9 --min-df 1 --output run", 2);
    assert!(
        message.contains("error: 9 topics, but only 6 different words can be anchors\nhint: give `--topics 6` or less"),
        "{message}"
    );
    let message = sandbox.refusal("topics two.txt --topics 0 --output run", 2);
    assert!(message.contains("--topics"), "{message}");
    // One word is one topic; the document without it is kept, with share 0.
    sandbox.ok("topics word.txt --topics 1 --output run --report page.html --pyldavis vis.json --quiet");
    let weights = sandbox.matrix("run/document_topics.npy");
    assert_eq!(weights.values(), [1.0, 1.0, 0.0]);
    assert!(!sandbox.text("page.html").contains("NaN") && !sandbox.text("vis.json").contains("null"));
}

#[test]
fn odd_files_in_a_folder_are_counted_and_the_rest_is_used() {
    let sandbox = Sandbox::new();
    folder(&sandbox, "texts");
    sandbox
        .write("texts/bad.txt", b"river bo\xffat boat")
        .write("texts/binary.txt", [0, 1, 2])
        .write("texts/empty.txt", "")
        .write("texts/table.csv", "a,b\n");
    let said = sandbox.ok("topics texts --topics 2 --output run --report page.html");
    for note in [
        "note: 1 document held bytes that are not UTF-8; these were replaced",
        "note: 1 file holds binary data and was left out",
        "note: 1 file is not .txt and was left out",
        "note: 1 document has no word of the vocabulary: its shares are 0",
    ] {
        assert!(said.stderr.contains(note), "{note}: {}", said.stderr);
    }
    let lines = sandbox.text("run/document_topics.csv");
    assert!(lines.contains("\nempty.txt,,0,0,0,0\n") && lines.contains("\nbad.txt,"), "{lines}");
    let page = sandbox.text("page.html");
    assert!(page.contains("river bo\u{fffd}at boat"), "the excerpt shows what was read");
}

#[test]
fn files_that_cannot_be_written_are_told_before_the_work() {
    let sandbox = Sandbox::new();
    folder(&sandbox, "texts");
    let message = sandbox.refusal("topics texts --topics 2 --report texts/0.txt/page.html", 1);
    assert!(message.contains("0.txt"), "{message}");
    let message = sandbox.refusal("topics texts --topics 2 --pyldavis texts/0.txt/vis.json", 1);
    assert!(message.contains("0.txt"), "{message}");
    sandbox.ok("topics texts --topics 2 --output run --quiet");
    let message = sandbox.refusal("topics texts --topics 2 --output run", 2);
    assert!(message.contains("`run`"), "{message}");
    let message = sandbox.refusal("topics apply run texts --output texts/0.txt/weights.csv", 1);
    assert!(message.contains("0.txt"), "{message}");
    let message = sandbox.refusal("topics texts --topics 1 --anchors river,bread", 2);
    assert!(message.contains("error: 2 anchor words were given for 1 topic\nhint: "), "{message}");
    let message = sandbox.refusal("topics texts --topics 2 --anchors river --forbid river", 2);
    assert!(message.starts_with("error: `river` is both in `--anchors` and in `--forbid`"), "{message}");
}
