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

/// Least number of letters to insert, drop or change (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
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
    }

    /// A slip is found, another word is not.
    #[test]
    fn near_words_are_offered_and_far_ones_are_not() {
        assert_eq!(nearest("elipsoid", ["sphere", "ellipsoid"]), Some("ellipsoid"));
        assert_eq!(nearest("banana", ["sphere", "ellipsoid"]), None);
    }
}
