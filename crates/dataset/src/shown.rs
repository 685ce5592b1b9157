//! Untrusted text on a terminal. Labels, names, words, paths and keys come from files of strangers: an escape sequence in one of
//! them could retitle or clear the terminal, and a bidirectional override could show a name that is not there.
//!
//! Values go through [`shown`] where they are put into a line, and what is printed goes through [`laid_out`] or [`shown`] once
//! more, so that a value which was forgotten does no harm. Files get the text as it is.

use std::borrow::Cow;
use std::path::Path;

/// A value within a line: all that a terminal would act on, line breaks too, as escapes like `\u{1b}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, acts, |c| c.escape_default().to_string())
}

/// A path within a line.
pub fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy()).into_owned()
}

/// A text of several lines: the same, but its line breaks and tabs are ours.
pub fn laid_out(text: &str) -> Cow<'_, str> {
    escaped(text, |c| acts(c) && !matches!(c, '\n' | '\t'), |c| c.escape_default().to_string())
}

/// JSON text with the same values, written without what a terminal would act on: beyond ASCII such characters are in strings
/// only, where JSON has escapes for them.
pub fn json_shown(text: &str) -> Cow<'_, str> {
    let as_json = |c: char| c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    escaped(text, |c| acts(c) && !matches!(c, '\n' | '\t' | '\r'), as_json)
}

fn escaped(text: &str, which: impl Fn(char) -> bool, escape: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(&which) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if which(c) { safe += &escape(c) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// Whether a character is not seen but acts: control characters (C0, DEL, C1), line separators, what changes the direction of
/// the text around it, and what has no width.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_escaped_and_what_is_seen_is_not() {
        assert_eq!(shown("\u{1b}]0;title\u{7}\u{1b}[2J"), r"\u{1b}]0;title\u{7}\u{1b}[2J");
        assert_eq!(shown("\u{9b}2J\u{7f}"), r"\u{9b}2J\u{7f}");
        assert_eq!(shown("a\u{202e}b\u{2066}c\u{200d}d"), r"a\u{202e}b\u{2066}c\u{200d}d");
        assert_eq!(shown("a\nb\tc\rd"), r"a\nb\tc\rd");
        for plain in ["", "Zürich", "日本語", "C:\\data\\x.npy", "e\u{301}", "\u{fffd}", "😀"] {
            assert!(matches!(shown(plain), Cow::Borrowed(same) if same == plain), "{plain}");
        }
    }

    #[test]
    fn layout_survives() {
        assert_eq!(laid_out("a\tb\n\u{1b}[0m\r\n"), "a\tb\n\\u{1b}[0m\\r\n");
    }
}
