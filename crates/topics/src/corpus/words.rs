//! Where words begin and end.
//!
//! Unicode's rules (UAX 29) where words are written apart. Chinese, Japanese, Thai, Lao, Khmer and Burmese are not: there dictionaries find the
//! words (feature `dictionaries`; without it letters of these scripts come one by one).

use unicode_segmentation::UnicodeSegmentation;

/// A word as it is in the text, and whether nothing but white space is between it and the word before.
pub(super) fn each_word<'t>(text: &'t str, visit: &mut dyn FnMut(&'t str, bool)) {
    let mut rest = text;
    let mut follows = false;
    // Letters of these scripts have three bytes or more, which begin with 0xE0 or above.
    while !rest.is_empty() {
        let start = if rest.bytes().any(|byte| byte >= 0xE0) { rest.find(has_no_spaces) } else { None };
        let (spaced, other) = rest.split_at(start.unwrap_or(rest.len()));
        follows = apart(spaced, follows, visit);
        let end = other.find(|c| !has_no_spaces(c)).unwrap_or(other.len());
        let (joined, other) = other.split_at(end);
        follows = together(joined, follows, visit);
        rest = other;
    }
}

/// Words with something between them. `follows` says whether only white space came since the last word, before and after.
fn apart<'t>(text: &'t str, mut follows: bool, visit: &mut dyn FnMut(&'t str, bool)) -> bool {
    let blank = |between: &str| between.chars().all(char::is_whitespace);
    let mut end = 0;
    for (start, word) in text.unicode_word_indices() {
        visit(word, (end > 0 || follows) && blank(&text[end..start]));
        end = start + word.len();
    }
    follows |= end > 0;
    follows && blank(&text[end..])
}

/// Words without anything between them.
#[cfg(feature = "dictionaries")]
fn together<'t>(text: &'t str, mut follows: bool, visit: &mut dyn FnMut(&'t str, bool)) -> bool {
    use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
    use std::sync::LazyLock;
    static DICTIONARIES: LazyLock<WordSegmenterBorrowed<'static>> =
        LazyLock::new(|| WordSegmenter::new_dictionary(Default::default()));
    if text.is_empty() {
        return follows;
    }
    let mut start = 0;
    for end in DICTIONARIES.segment_str(text) {
        if end > start {
            visit(&text[start..end], follows);
            follows = true;
        }
        start = end;
    }
    follows
}

#[cfg(not(feature = "dictionaries"))]
fn together<'t>(text: &'t str, follows: bool, visit: &mut dyn FnMut(&'t str, bool)) -> bool {
    if text.is_empty() { follows } else { apart(text, follows, visit) }
}

/// Whether a letter is of a script that does not write words apart.
fn has_no_spaces(c: char) -> bool {
    is_dense(c) || matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Whether a letter says as much as several of an alphabet do: Chinese characters and kana.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

/// Letters that a word must have where `usual` are asked for: two are enough where each is a syllable or more, as in Chinese, Japanese and Korean.
pub(super) fn fewest_letters(word: &str, usual: usize) -> usize {
    let syllable = |c: char| is_dense(c) || matches!(c, '\u{ac00}'..='\u{d7a3}');
    if usual > 2 && word.chars().any(syllable) { 2 } else { usual }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        each_word(text, &mut |word, _| found.push(word));
        found
    }

    #[cfg(feature = "dictionaries")]
    #[test]
    fn words_without_spaces_are_found() {
        assert_eq!(
            words("中国政府宣布经济政策。Apple 2024"),
            ["中国", "政府", "宣布", "经济", "政策", "Apple", "2024"]
        );
        assert_eq!(words("東京は日本の首都"), ["東京", "は", "日本", "の", "首都"]);
        assert_eq!(words("ภาษาไทยสวยงาม"), ["ภาษา", "ไทย", "สวยงาม"]);
    }

    #[test]
    fn other_texts_are_cut_as_unicode_says() {
        for text in ["", "Zoë's boat, 3.5 d'été – naïve!", "서울은 대한민국의 수도", "“quoted” €5 日", " Ελλάδα"]
        {
            let plain = text.replace('日', "");
            assert_eq!(words(&plain), plain.unicode_words().collect::<Vec<_>>());
        }
    }

    #[test]
    fn neighbors_have_nothing_between_them() {
        let mut found = Vec::new();
        each_word("New York, in  the\ncity. End", &mut |word, follows| found.push((word, follows)));
        let expected = [("New", false), ("York", true), ("in", false), ("the", true), ("city", true), ("End", false)];
        assert_eq!(found, expected);
    }

    #[test]
    fn short_words_suit_the_script() {
        assert_eq!(
            [("boat", 3), ("経済", 3), ("서울", 3), ("ไทย", 3), ("経", 1)].map(|(w, n)| fewest_letters(w, n)),
            [3, 2, 2, 3, 1]
        );
    }
}
