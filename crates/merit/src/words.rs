//! Counts in sentences.

/// A count and the words that go with it: "1 column was", "12 columns were".
///
/// ```
/// # use merit::words::counted;
/// assert_eq!(counted(1, "anchor", "anchors"), "1 anchor");
/// assert_eq!(counted(0, "anchor", "anchors"), "0 anchors");
/// ```
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
