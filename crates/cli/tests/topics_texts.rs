//! Texts as they come: other separators and encodings, lists in JSON, the standard input, languages, names that are not there, files that would be lost.

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
        let notes: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("note: ")).collect();
        assert!(notes.iter().all(|note| note.contains("copies")), "{file}: {notes:?}");
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

/// Runs `line` with `input` as its standard input.
fn with_input(sandbox: &Sandbox, line: &str, input: &[u8]) -> (bool, String, String) {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = sandbox.command(line);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.success(), text(&done.stdout), text(&done.stderr))
}

#[test]
fn the_standard_input_and_named_separators_and_encodings_give_the_same_topics() {
    let sandbox = Sandbox::new();
    let objects: String = lines(|d| format!("{{\"n\": {d}, \"text\": \"{}\"}}", text(d)));
    let list = format!("[{}]", objects.trim().replace('\n', ","));
    let table = "n^text\n".to_string() + &lines(|d| format!("{d}^{}", text(d)));
    sandbox
        .write("plain.txt", lines(text))
        .write("hat.csv", &table)
        .write("bytes.txt", &utf16(&lines(text), false)[2..]);
    sandbox.ok("topics plain.txt --topics 3 --output expected --quiet");
    let expected = sandbox.matrix("expected/document_topics.npy");
    for (options, input) in [
        ("", lines(text)),
        ("", objects),
        ("", list),
        ("--separator ^", table),
        ("", "n,text\n".to_string() + &lines(|d| format!("{d},{}", text(d)))),
    ] {
        let line = format!("topics - {options} --topics 3 --output run --force --report page.html");
        let (ok, stdout, stderr) = with_input(&sandbox, &line, input.as_bytes());
        assert!(ok && stdout.starts_with("-: 60 documents, 18 words, 3 topics\n"), "{options}: {stdout}{stderr}");
        assert_eq!(sandbox.matrix("run/document_topics.npy"), expected, "{options}");
    }
    let (ok, weights, _) = with_input(&sandbox, "topics apply expected -", b"river boat\n");
    assert!(ok && weights.lines().count() == 2, "{weights}");
    let (ok, _, stderr) = with_input(&sandbox, "topics - --topics 3", b"");
    assert!(!ok && stderr.starts_with("error: `-` holds no document\n"), "{stderr}");
    for line in ["hat.csv --separator ^", "bytes.txt --encoding utf-16"] {
        sandbox.ok(&format!("topics {line} --topics 3 --output run --force --quiet"));
        assert_eq!(sandbox.matrix("run/document_topics.npy"), expected, "{line}");
        sandbox.ok(&format!("topics apply run {} --output again.npy --force --quiet", line.split(' ').next().unwrap()));
        assert_eq!(sandbox.matrix("again.npy"), expected, "{line}: how the file is read is kept");
    }
    let refused = sandbox.refusal("topics plain.txt --encoding klingon", 2);
    assert!(refused.contains("expected the name of an encoding, such as utf-8"), "{refused}");
    assert!(sandbox.refusal("topics plain.txt --separator and", 2).contains("expected one character, or tab"));
}

/// Latin-1 is recognized by its bytes, in every kind of file; other bytes stay what they were, broken.
#[test]
fn latin_1_is_read_with_a_note() {
    let sandbox = Sandbox::new();
    let western = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    let line = |d: usize| format!("{} crème brûlée Müller{}", text(d), d % 2);
    let table = "größe,text\n".to_string() + &lines(|d| format!("ä{},{}", d % 3, line(d)));
    let object = |d: usize| format!("{{\"text\": \"{}\"}}", line(d));
    let list = format!("[{}]", (0..60).map(object).collect::<Vec<_>>().join(","));
    for (name, contents) in [("x.txt", lines(line)), ("x.csv", table), ("x.jsonl", lines(object)), ("x.json", list)] {
        sandbox.write(name, western(&contents));
        let labels = if name == "x.csv" { "--label-field größe" } else { "" };
        let said = sandbox.ok(&format!("topics {name} {labels} --topics 3 --max-df 1.0 --output run --force"));
        let count = if name == "x.json" { "1 document is" } else { "60 documents are" };
        let note = format!(
            "note: {count} not UTF-8, and read as Windows-1252 (Latin-1); if letters are wrong, name the `--encoding`"
        );
        assert!(said.stderr.contains(&note), "{name}: {}", said.stderr);
        let run = sandbox.json("run/run.json");
        assert_eq!(run["reading"]["not_utf8"], 0, "{name}");
        assert!(sandbox.text("run/vocabulary.txt").contains("müller0"), "{name}");
    }
    assert!(sandbox.ok("topics x.csv --label-field größe --topics 3 --json").stdout.contains("\"labels\": true"));
    let said = sandbox.ok("topics x.txt --encoding windows-1251 --topics 3 --max-df 1.0 --output run --force");
    assert!(
        !said.stderr.contains("UTF-8") && sandbox.text("run/vocabulary.txt").contains("mьller0"),
        "{}",
        said.stderr
    );
}

#[test]
fn the_language_is_told_and_phrases_are_kept_for_new_texts() {
    let sandbox = Sandbox::new();
    let line = |d: usize| {
        let words = words_of_document(d).join(" and the ");
        format!(
            "It is said that {words} is what New York has for all of us, with {} to it.",
            words_of_document(d + 7).join(" of ")
        )
    };
    sandbox.write("texts.txt", lines(line));
    let said = sandbox.ok("topics texts.txt --topics 3 --max-df 1.0 --phrases --output run");
    assert!(said.stderr.contains("note: the texts are in English: "), "{}", said.stderr);
    assert!(said.stderr.contains(" were left out; `--stop-words none` keeps them"), "{}", said.stderr);
    let run = sandbox.json("run/run.json");
    assert_eq!((&run["reading"]["language"], &run["tokens"]["stop_words"]), (&"English".into(), &"en".into()));
    assert!(run["reading"]["stop_words"].as_u64().unwrap() > 600, "{}", run["reading"]);
    assert!(sandbox.text("run/phrases.txt").lines().any(|phrase| phrase == "new york"));
    sandbox.ok("topics apply run texts.txt --output again.npy --quiet");
    assert_eq!(sandbox.matrix("again.npy"), sandbox.matrix("run/document_topics.npy"));
    let refused = sandbox.refusal("topics texts.txt --topics 3 --phrases --ngrams 2", 2);
    assert!(
        refused.starts_with("error: `--phrases` join words that belong together, and `--ngrams` count all"),
        "{refused}"
    );
    // Where nothing is recognized, a note says so, and nothing is left out.
    sandbox.write(
        "polish.txt",
        lines(|d| format!("{0} jest na rzece i nie ma go w porcie, bo to był ten sam statek, {0}", text(d))),
    );
    let said = sandbox.ok("topics polish.txt --topics 3 --output run --force");
    assert!(
        said.stderr.contains(
            "note: no language was recognized, so no stop words were left out; give a list with `--stop-words`"
        ),
        "{}",
        said.stderr
    );
    assert_eq!(sandbox.json("run/run.json")["tokens"]["stop_words"], "none");
}

#[test]
fn chinese_words_are_not_lost() {
    let sandbox = Sandbox::new();
    let sentences = ["中国政府宣布了新的经济政策", "足球比赛在北京举行，观众很多", "科学家发现了一种新的病毒"];
    sandbox.write("texts.txt", lines(|d| format!("{}{}", sentences[d % 3], sentences[d % 3])));
    sandbox.ok("topics texts.txt --topics 3 --output run --quiet");
    let words = sandbox.text("run/vocabulary.txt");
    assert!(["经济", "足球", "病毒"].iter().all(|word| words.lines().any(|known| known == *word)), "{words}");
}

#[test]
fn one_is_not_many() {
    let sandbox = Sandbox::new();
    sandbox.write("two.txt", "river boat\nriver fish\nbread oven\nbread flour\n");
    let said = sandbox.ok("topics two.txt --topics 2 --minimum-documents 1");
    assert!(said.stdout.contains("\nanchors are in 1 document or more (halves"), "{}", said.stdout);
    let said = sandbox.ok("topics two.txt --topics 1 --min-df 1 --max-df 1.0");
    assert!(said.stdout.starts_with("two.txt: 4 documents, 6 words, 1 topic\n"), "{}", said.stdout);
    let said = sandbox.ok("topics two.txt --topics 2 --alpha 0.5");
    assert!(said.stderr.contains("note: `--alpha` means nothing to `--method merit`"), "{}", said.stderr);
}
