//! Texts as they come: other separators, lists in JSON, UTF-16, names that are not there, files that would be lost.

mod support;

use support::*;

fn text(d: usize) -> String {
    words_of_document(d).join(" ")
}

/// A line for each of 60 texts.
fn lines(line: impl Fn(usize) -> String) -> String {
    (0..60).map(|d| line(d) + "\n").collect()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(unit).collect()
}

#[test]
fn every_way_to_write_the_same_texts_gives_the_same_topics() {
    let sandbox = Sandbox::new();
    let objects: Vec<String> = (0..60).map(|d| format!("{{\"n\": {d}, \"text\": \"{}\"}}", text(d))).collect();
    let texts: Vec<String> = (0..60).map(|d| format!("\"{}\"", text(d))).collect();
    sandbox
        .write("plain.txt", lines(text))
        .write("lee.cor", lines(text))
        .write("semicolon.csv", "n;text\n".to_string() + &lines(|d| format!("{d};{}", text(d))))
        .write("bar.csv", "n|text\n".to_string() + &lines(|d| format!("{d}|{}", text(d))))
        .write("quoted.csv", "\"n; or number\";text\n".to_string() + &lines(|d| format!("{d};{}", text(d))))
        .write("tabs.tab", "n\ttext\n".to_string() + &lines(|d| format!("{d}\t{}", text(d))))
        .write("one.csv", "text\n".to_string() + &lines(text))
        .write("objects.json", format!("[{}]", objects.join(",\n")))
        .write("texts.json", format!("\n [{}]", texts.join(",")))
        .write("little.txt", utf16(&lines(text), false))
        .write("big.jsonl", utf16(&(objects.join("\n") + "\n"), true));
    std::fs::create_dir(sandbox.path("folder")).unwrap();
    for d in 0..60 {
        sandbox.write(&format!("folder/{d:02}.txt"), utf16(&text(d), d % 2 == 0));
    }
    sandbox.ok("topics plain.txt --topics 3 --output expected --quiet");
    let expected = sandbox.matrix("expected/document_topics.npy");
    let files =
        "lee.cor semicolon.csv bar.csv quoted.csv tabs.tab one.csv objects.json texts.json little.txt big.jsonl folder";
    for file in files.split(' ') {
        let said = sandbox.ok(&format!("topics {file} --topics 3 --output run --force"));
        assert!(!said.stderr.contains("note: "), "{file}: {}", said.stderr);
        assert_eq!(sandbox.matrix("run/document_topics.npy"), expected, "{file}");
    }
}

#[test]
fn letters_outside_of_the_first_plane_survive_utf16() {
    let sandbox = Sandbox::new();
    let line = |d: usize| format!("{} 𐐀𐐁𐐂𐐃", text(d)); // Deseret: two units each
    let long: String = (0..400).map(|d| line(d % 60) + "\n").collect(); // more than is turned at once
    sandbox.write("utf8.txt", &long).write("utf16.txt", utf16(&long, false));
    for name in ["utf8", "utf16"] {
        sandbox.ok(&format!("topics {name}.txt --topics 3 --max-df 1.0 --output {name} --quiet"));
    }
    assert_eq!(sandbox.text("utf16/vocabulary.txt"), sandbox.text("utf8/vocabulary.txt"));
    assert_eq!(sandbox.json("utf16/run.json")["reading"], sandbox.json("utf8/run.json")["reading"]);
}

#[test]
fn names_that_are_not_there_are_told_with_their_own_option_and_line() {
    let sandbox = Sandbox::new();
    let object = |d: usize| format!("{{\"kind\": 1, \"text\": \"{}\"}}", text(d));
    sandbox
        .write("texts.jsonl", lines(object))
        .write("hole.jsonl", lines(|d| if d == 2 { "{\"kind\": 1}".into() } else { object(d) }))
        .write("hole.json", format!("[{}, 7]", object(0)))
        .write("texts.csv", "kind,text\n".to_string() + &lines(|d| format!("1,{}", text(d))))
        .write("headless.csv", lines(|d| format!("{d},\"{}\"", [text(d), text(d + 1), text(d + 2)].join(" "))));
    let refused = |arguments: &str, expected: &str| {
        let message = sandbox.refusal(&format!("topics {arguments} --topics 2 --output run"), 1);
        assert!(message.starts_with(expected), "{message}");
        message
    };
    refused(
        "texts.jsonl --label-field knd",
        "error: `texts.jsonl` has no field `knd`, but `kind`, `text`\nhint: name the field of the labels with `--label-field NAME`\n",
    );
    refused(
        "texts.csv --name-column id",
        "error: `texts.csv` has no column `id`, but `kind`, `text`\nhint: name the column of the documents' names with `--name-column NAME`",
    );
    refused("hole.jsonl", "error: line 3 of `hole.jsonl` has no field `text`, but `kind`\nhint: lines before it have");
    refused("hole.json", "error: item 2 of `hole.json` is neither an object nor a text\n");
    let message = refused("headless.csv", "error: `headless.csv` has no column `text`, but `0`, `");
    assert!(message.len() < 250 && message.contains("the first line must hold the names"), "{message}");
}

#[test]
fn nothing_is_replaced_or_renamed_without_a_word() {
    let sandbox = Sandbox::new();
    sandbox.write("texts.txt", lines(text)).write("mine.csv", "precious\n");
    sandbox.ok("topics texts.txt --topics 3 --output run --quiet");
    let refused = sandbox.refusal("topics apply run texts.txt --output mine.csv", 2);
    assert_eq!(refused, "error: `mine.csv` exists\nhint: replace it with `--force`\n");
    assert_eq!(sandbox.text("mine.csv"), "precious\n");
    sandbox.ok("topics apply run texts.txt --output mine.csv --force --quiet");
    assert!(sandbox.text("mine.csv").starts_with("document,main_topic,share,entropy,topic_0,"));
    let refused = sandbox.refusal("topics texts.txt --topics 3 --report page.pdf", 2);
    assert!(refused.starts_with("error: `--report` writes a page, which is .html, not .pdf\nhint: "), "{refused}");
    assert!(!sandbox.path("page.pdf").exists());
}
