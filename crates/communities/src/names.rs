//! Names of nodes: any text, kept to the end; whole numbers are stored as such, so that millions of them cost little.
//!
//! ```
//! use merit_communities::names::Names;
//! let mut names = Names::default();
//! assert_eq!(["b", "10", "9", "b"].map(|name| names.index(name)), [0, 1, 2, 0]);
//! let (order, sorted) = names.sorted();
//! assert_eq!(sorted, ["9", "10", "b"]); // numbers by value, then words
//! assert_eq!(order, [2, 1, 0]); // "b" is now the last
//! ```

use merit_dataset::strings::Interned;
use std::collections::HashMap;

/// A number for every name, in the order in which they came.
#[derive(Debug, Default)]
pub struct Names {
    /// Hashed with a key of the run, so that no file can be made whose numbers all meet in one place.
    numbers: HashMap<u64, u32, foldhash::fast::RandomState>,
    words: Interned,
    /// The number of each word.
    numbers_of_words: Vec<u32>,
}

impl Names {
    /// The number of this name; a new one if it is new.
    pub fn index(&mut self, name: &str) -> u32 {
        if let Some(number) = plain_number(name) {
            return self.index_of_number(number);
        }
        let next = self.len() as u32;
        let word = self.words.number(name) as usize;
        if word == self.numbers_of_words.len() {
            self.numbers_of_words.push(next);
        }
        self.numbers_of_words[word]
    }

    /// That of the name which a number is.
    pub(crate) fn index_of_number(&mut self, number: u64) -> u32 {
        let next = self.len() as u32;
        *self.numbers.entry(number).or_insert(next)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.numbers.len() + self.words.len()
    }

    /// Bytes that they take now, and once more while they are sorted.
    pub(crate) fn bytes_needed(&self) -> usize {
        self.words.bytes() + 4 * self.words.len() + 34 * self.numbers.len() + 80 * self.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All names in an order that does not depend on how they came: numbers by value, then words. Also the place in it of
    /// each name by its first number.
    pub fn sorted(self) -> (Vec<u32>, Vec<String>) {
        let mut numbers: Vec<(u64, u32)> = self.numbers.into_iter().collect();
        let words = self.words.sorted();
        numbers.sort_unstable();
        let mut order = vec![0; numbers.len() + words.len()];
        let of_words = words.iter().map(|&word| self.numbers_of_words[word as usize]);
        let came = numbers.iter().map(|&(_, index)| index).chain(of_words);
        came.enumerate().for_each(|(place, index)| order[index as usize] = place as u32);
        let names = numbers.iter().map(|(number, _)| number.to_string());
        (order, names.chain(words.into_iter().map(|word| self.words[word as usize].to_string())).collect())
    }
}

/// A name that a number gives back exactly: digits without leading zeros.
fn plain_number(name: &str) -> Option<u64> {
    let bytes = name.as_bytes();
    let digits = !bytes.is_empty() && bytes.len() <= 19 && bytes.iter().all(u8::is_ascii_digit);
    (digits && (bytes[0] != b'0' || bytes.len() == 1))
        .then(|| bytes.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_numbers_come_back_as_they_were() {
        let all = ["7", "07", "0", "00", "-1", "1.0", "18446744073709551616", "9223372036854775807", ""];
        let mut names = Names::default();
        all.iter().for_each(|name| _ = names.index(name));
        assert_eq!(names.len(), all.len());
        let (_, mut sorted) = names.sorted();
        sorted.sort();
        let mut expected = all.map(String::from).to_vec();
        expected.sort();
        assert_eq!(sorted, expected);
    }

    /// Numbers that met in one place when the hash was `m ^ (m >> 32)` of `m = number * 0x9e3779b97f4a7c15`.
    #[test]
    fn numbers_made_to_collide_do_not() {
        let factor = 0x9e37_79b9_7f4a_7c15u64;
        let inverse =
            (0..6).fold(factor, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse))));
        assert_eq!(factor.wrapping_mul(inverse), 1);
        let made = (1..1u64 << 19).map(|high| (high << 32 | high).wrapping_mul(inverse));
        let made: Vec<u64> = made.filter(|number| *number < 10u64.pow(19)).collect();
        let powers: Vec<u64> = (1..1u64 << 18).map(|high| high << 44).collect();
        for numbers in [made, powers] {
            assert!(numbers.len() > 200_000);
            let mut names = Names::default();
            numbers.iter().for_each(|number| _ = names.index(&number.to_string()));
            assert_eq!(names.len(), numbers.len());
        }
    }
}
