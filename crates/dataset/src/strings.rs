//! Millions of short texts in one piece of memory: a `String` each would take ten times the bytes of a short name.
//!
//! ```
//! use merit_dataset::strings::{Interned, Names};
//! let mut words = Interned::default();
//! assert_eq!(["sun", "moon", "sun"].map(|word| words.number(word)), [0, 1, 0]);
//! assert_eq!((words.len(), words.find("moon"), &words[1]), (2, Some(1), "moon"));
//!
//! let names: Names = ["0", "1", "two"].into_iter().collect();
//! assert_eq!((names.len(), &*names.get(1), &*names.get(2)), (3, "1", "two"));
//! ```

use hashbrown::HashTable;
use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::ops::Index;

/// Texts one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Joined {
    text: String,
    ends: Vec<usize>,
}

impl Joined {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start..self.ends[i]]
    }

    fn bytes(&self) -> usize {
        self.text.capacity() + size_of::<usize>() * self.ends.capacity()
    }
}

/// Different texts, numbered in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Interned {
    texts: Joined,
    /// Hashed with a key of the run, so that no file can be made whose texts all meet in one place.
    numbers: HashTable<u32>,
    key: RandomState,
}

impl Interned {
    /// The number of this text; a new one if it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        let Self { texts, numbers, key } = self;
        let hash = key.hash_one(text);
        if let Some(&number) = numbers.find(hash, |&number| texts.get(number as usize) == text) {
            return number;
        }
        let number = texts.ends.len() as u32;
        texts.push(text);
        numbers.insert_unique(hash, number, |&number| key.hash_one(texts.get(number as usize)));
        number
    }

    /// The number of this text, if it has one.
    pub fn find(&self, text: &str) -> Option<u32> {
        let same = |&number: &u32| &self[number as usize] == text;
        self.numbers.find(self.key.hash_one(text), same).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.texts.bytes() + self.numbers.allocation_size()
    }

    /// The numbers of all texts, in the order of the texts.
    pub fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| self[a as usize].cmp(&self[b as usize]));
        order
    }
}

impl Index<usize> for Interned {
    type Output = str;

    fn index(&self, number: usize) -> &str {
        self.texts.get(number)
    }
}

/// A list of names; those that are just the numbers from 0 take no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Names that are numbers, before the others.
    numbered: usize,
    others: Joined,
}

impl Names {
    /// The numbers from 0.
    pub fn numbers(count: usize) -> Self {
        Self { numbered: count, others: Joined::default() }
    }

    /// One more.
    pub fn push(&mut self, name: &str) {
        if self.others.ends.is_empty() && is_number(name, self.numbered) {
            self.numbered += 1;
        } else {
            self.others.push(name);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.numbered + self.others.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name with this number.
    pub fn get(&self, i: usize) -> Cow<'_, str> {
        match i.checked_sub(self.numbered) {
            None => Cow::Owned(i.to_string()),
            Some(other) => Cow::Borrowed(self.others.get(other)),
        }
    }

    /// All, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// How many have the name of an earlier one.
    pub fn repeated(&self) -> usize {
        let mut others: Vec<&str> = (0..self.others.ends.len()).map(|i| self.others.get(i)).collect();
        others.sort_unstable();
        let numbered = |name: &str| name.parse().is_ok_and(|i: usize| i < self.numbered && is_number(name, i));
        let of_others = others.windows(2).filter(|pair| pair[0] == pair[1]).count();
        others.dedup();
        of_others + others.into_iter().filter(|name| numbered(name)).count()
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.others.bytes()
    }
}

/// Whether a name is the number `i` as it is written.
fn is_number(name: &str, i: usize) -> bool {
    !name.starts_with('+') && (name == "0" || !name.starts_with('0')) && name.parse() == Ok(i)
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut all = Self::default();
        names.into_iter().for_each(|name| all.push(name.as_ref()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn numbers_are_those_of_a_map() {
        let texts: Vec<String> = (0..5000u32).map(|i| format!("w{}", i * i % 1013)).chain([String::new()]).collect();
        let (mut interned, mut map) = (Interned::default(), HashMap::new());
        for text in &texts {
            let next = map.len() as u32;
            assert_eq!(interned.number(text), *map.entry(text.as_str()).or_insert(next));
        }
        assert_eq!(interned.len(), map.len());
        assert!(
            map.iter()
                .all(|(text, &number)| interned.find(text) == Some(number) && interned[number as usize] == **text)
        );
        assert_eq!(interned.find("none"), None);
        let sorted: Vec<&str> = interned.sorted().into_iter().map(|number| &interned[number as usize]).collect();
        assert!(sorted.is_sorted() && sorted.len() == map.len());
    }

    #[test]
    fn names_are_those_of_a_list() {
        for list in
            [vec!["0", "1", "2"], vec!["0", "01", "2", "0", "2"], vec!["+0", "1"], vec!["a", "1", "a", ""], vec![]]
        {
            let names: Names = list.iter().collect();
            assert_eq!(names.iter().collect::<Vec<_>>(), list);
            assert_eq!(names.repeated(), list.len() - list.iter().collect::<HashSet<_>>().len(), "{list:?}");
        }
        assert_eq!((Names::numbers(3).bytes(), Names::numbers(3).len()), (0, 3));
    }
}
