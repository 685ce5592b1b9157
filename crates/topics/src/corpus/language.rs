//! The language of texts, by their function words.
//!
//! Function words are about half of all words of a text, and each language has its own. The language whose list ([`super::StopWords`]) the texts
//! hit most is recognized if one word in [`LEAST`] is on its list and most of its marks (the frequent function words that languages nearby do not
//! share) are there. Danish texts hit the Swedish list, and Catalan ones the Spanish, but lack the marks: then nothing is recognized.
//! The first million bytes of text, or ten thousand texts, are looked at.

use super::stop_words::{LANGUAGES, Language};
use super::words::each_word;
use std::collections::{HashMap, HashSet};

/// One word in this many must be on the list.
const LEAST: usize = 10;
/// Marks that must be there.
const MARKS: usize = 5;
/// Words of the list that a text must have to be counted for a language.
const OF_TEXT: usize = 4;
/// Letters of a text that are looked at.
const LETTERS: usize = 20_000;

/// A language that was recognized.
pub(super) struct Recognized {
    pub language: &'static Language,
    /// The part of the texts that are in another known one.
    pub others: f64,
}

/// The language of texts, if it is a known one.
pub(super) fn recognized<'t>(texts: impl Iterator<Item = &'t str>) -> Option<Recognized> {
    let mut on_lists: HashMap<&str, Vec<usize>> = HashMap::new();
    for (l, language) in LANGUAGES.iter().enumerate() {
        language
            .words
            .split_whitespace()
            .chain(language.marks)
            .collect::<HashSet<_>>()
            .into_iter()
            .for_each(|word| on_lists.entry(word).or_default().push(l));
    }
    let (mut words, mut hits, mut texts_of) = (0, [0usize; LANGUAGES.len()], [0usize; LANGUAGES.len()]);
    let mut met: HashSet<&str> = HashSet::new();
    for text in texts {
        let mut own = [0usize; LANGUAGES.len()];
        each_word(beginning(text), &mut |word, _| {
            words += 1;
            let word = word.to_lowercase().replace('\u{2019}', "'");
            if let Some((&known, lists)) = on_lists.get_key_value(word.as_str()) {
                met.insert(known);
                lists.iter().for_each(|&l| own[l] += 1);
            }
        });
        let best = most(&own);
        texts_of[best] += usize::from(own[best] >= OF_TEXT);
        hits.iter_mut().zip(own).for_each(|(all, own)| *all += own);
    }
    let best = most(&hits);
    let language = &LANGUAGES[best];
    let marks = language.marks.iter().filter(|mark| met.contains(*mark)).count();
    let told: usize = texts_of.iter().sum();
    (hits[best] * LEAST >= words && marks >= MARKS)
        .then(|| Recognized { language, others: (told - texts_of[best]) as f64 / told.max(1) as f64 })
}

/// The place of the largest; of equal ones the first.
fn most(counts: &[usize]) -> usize {
    (0..counts.len()).max_by_key(|&i| (counts[i], std::cmp::Reverse(i))).unwrap_or(0)
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(LETTERS).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<&'static str> {
        recognized(std::iter::once(text)).map(|found| found.language.code)
    }

    #[test]
    fn languages_are_told_by_their_function_words() {
        for (expected, text) in [
            (
                "en",
                "The ferry to the island is late, and the captain says that for most of the day there will be trouble with the engine.",
            ),
            (
                "de",
                "Die Fähre zur Insel ist verspätet, und der Kapitän sagt, dass es nicht mit dem Motor, sondern von Anfang an das Wetter war.",
            ),
            (
                "fr",
                "Le ferry pour l'île est en retard dans le port, et les marins disent que la météo est une des causes du problème.",
            ),
            (
                "es",
                "El barco a la isla llega con retraso por el mal tiempo, y los marineros del puerto dicen que las olas son una amenaza.",
            ),
            (
                "it",
                "Il traghetto per l'isola è in ritardo e i marinai della nave dicono che non sono gli scogli ma il vento di mare.",
            ),
            (
                "pt",
                "O barco para a ilha não chegou e os marinheiros do porto dizem que uma tempestade com ventos da costa está em curso.",
            ),
            (
                "nl",
                "De veerboot naar het eiland is laat en de kapitein zegt dat een storm met wind van zee niet goed voor de motor zou zijn.",
            ),
            (
                "sv",
                "Färjan till ön är sen och kaptenen säger att det inte är motorn som är orsak, utan för mycket vind på havet.",
            ),
        ] {
            assert_eq!(code(text), Some(expected), "{text}");
        }
    }

    /// Neighbors of known languages, texts without function words, and nothing.
    #[test]
    fn others_are_not_taken_for_a_known_one() {
        for text in [
            "Færgen til øen er forsinket, og kaptajnen siger, at det ikke er motoren, men den stærke vind på havet, som er årsagen til det hele.",
            "El vaixell a l'illa arriba amb retard pel mal temps i els mariners del port diuen que les ones són una amenaça per a tothom.",
            "Prom na wyspę jest spóźniony, a kapitan mówi, że to nie silnik, ale wiatr na morzu jest przyczyną i do rana nie popłynie.",
            "river boat fish stream water bread oven flour",
            "",
        ] {
            assert_eq!(code(text), None, "{text}");
        }
    }

    #[cfg(feature = "dictionaries")]
    #[test]
    fn scripts_without_spaces_are_told_too() {
        let (zh, ja) = (
            "我和他在北京的大学学习。这是我的书，他不在家，我有三本书，他看了两本了。",
            "私は東京の大学で経済を勉強し、友達と昼に食堂へ行った。天気がよい日に海を見た。",
        );
        assert_eq!([code(zh), code(ja)], [Some("zh"), Some("ja")]);
        assert_eq!(code("เรือที่จะไปเกาะมีปัญหาและกัปตันได้บอกว่าเป็นความผิดของลมในทะเลการเดินทางล่าช้า"), Some("th"));
    }

    #[test]
    fn texts_in_other_languages_are_counted() {
        let english =
            "It is the wind and not the engine that is to blame for the delay, with all of the island waiting.";
        let german =
            "Der Wind und nicht die Maschine ist schuld, und das mit der Insel ist von uns so nicht zu machen.";
        let texts = [english, english, english, german];
        let found = recognized(texts.into_iter()).unwrap();
        assert_eq!((found.language.code, found.others), ("en", 0.25));
    }
}
