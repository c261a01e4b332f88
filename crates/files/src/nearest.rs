//! # The nearest known name to one that is not known
//!
//! - **in**: a word and the words we know
//! - **out**: the closest by edits, if it is close enough to be a slip
//! - **not here**: what the names mean

/// The name fewest edits away, if that is a third of its length or less (and at least one edit is allowed).
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, name) = known.into_iter().map(|name| (edits(word, name), name)).min_by_key(|(d, _)| *d)?;
    (distance <= (name.chars().count().max(word.chars().count()) / 3).max(1)).then_some(name)
}

/// A message on an unknown word: the nearest, or all that we know.
pub fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("unknown {what} `{word}`; the nearest known is `{near}`"),
        None => format!("unknown {what} `{word}`; known are {}", known.join(", ")),
    }
}

/// Least number of letters to insert, drop, change or exchange with the next (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1];
        for j in 0..b.len() {
            let change = row[j] + usize::from(a[i] != b[j]);
            let mut least = change.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Textbook distances: kitten → sitting takes 3, nothing → abc takes 3.
    #[test]
    fn edits_match_textbook_cases() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", "abc"), 0);
        assert_eq!(edits("yuong", "young"), 1);
    }

    /// A slip is found, another word is not.
    #[test]
    fn near_words_are_offered_and_far_ones_are_not() {
        assert_eq!(nearest("elipsoid", ["sphere", "ellipsoid"]), Some("ellipsoid"));
        assert_eq!(nearest("banana", ["sphere", "ellipsoid"]), None);
    }
}
