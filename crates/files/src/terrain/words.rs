//! # Words: a text word by word, each with its line and column
//!
//! - **in**: bytes; words are what stands between white space
//! - **out**: [`Words`]: the current word, as a number if asked, and errors that say where it stands
//! - **not here**: what words mean (`asc`)
//! - **assumes**: nothing; a word of any length takes at most [`LONGEST_WORD`] bytes
//! - **start at** [`Words::new`], then [`Words::advance`]

use std::io::BufRead;

use super::TerrainError;

/// Longest word kept (bytes); no number needs as much.
pub(super) const LONGEST_WORD: usize = 1024;

/// The words of a text one after the other, with their place; one buffer serves them all.
pub(super) struct Words<'a, R> {
    source: R,
    file: &'a str,
    /// The current word, cut at [`LONGEST_WORD`]; empty at the end of the file.
    pub(super) word: Vec<u8>,
    /// Where the current word begins: line and byte in the line, from 1.
    pub(super) line: u64,
    column: u64,
    /// Bytes before the current word.
    pub(super) offset: u64,
    /// The same for the next byte of `source`.
    next_line: u64,
    next_line_begins: u64,
    next_offset: u64,
}

impl<'a, R: BufRead> Words<'a, R> {
    /// Stand at the first word; a byte order mark is no part of it.
    pub(super) fn new(source: R, file: &'a str) -> Result<Self, TerrainError> {
        let word = Vec::with_capacity(LONGEST_WORD);
        let [line, column, next_line] = [1; 3];
        let [offset, next_line_begins, next_offset] = [0; 3];
        let mut words = Words { source, file, word, line, column, offset, next_line, next_line_begins, next_offset };
        words.advance()?;
        if words.word.starts_with(b"\xef\xbb\xbf") {
            words.word.drain(..3);
            if words.word.is_empty() {
                words.advance()?;
            }
        }
        Ok(words)
    }

    /// Go to the next word.
    pub(super) fn advance(&mut self) -> Result<(), TerrainError> {
        self.word.clear();
        loop {
            let bytes = match self.source.fill_buf() {
                Ok(bytes) => bytes,
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(TerrainError::Io { file: self.file.to_string(), source }),
            };
            let mut used = 0;
            if self.word.is_empty() {
                while let Some(byte) = bytes.get(used).filter(|b| is_space(**b)) {
                    used += 1;
                    if *byte == b'\n' {
                        self.next_line += 1;
                        self.next_line_begins = self.next_offset + used as u64;
                    }
                }
                self.offset = self.next_offset + used as u64;
                self.line = self.next_line;
                self.column = self.offset - self.next_line_begins + 1;
            }
            let rest = &bytes[used..];
            let taken = rest.iter().position(|b| is_space(*b)).unwrap_or(rest.len());
            let kept = taken.min(LONGEST_WORD - self.word.len());
            self.word.extend_from_slice(&rest[..kept]);
            // The word may go on in the next buffer, unless this one has more bytes or there are none.
            // A word that is too long to be any is not followed: it may go on for gigabytes.
            let done = bytes.is_empty() || used + taken < bytes.len() || self.word.len() == LONGEST_WORD;
            self.next_offset += (used + taken) as u64;
            self.source.consume(used + taken);
            if done {
                return Ok(());
            }
        }
    }

    /// Whether there is no current word.
    pub(super) fn at_end(&self) -> bool {
        self.word.is_empty()
    }

    /// The current word as a number, if it is one; a word that was cut is none.
    pub(super) fn number(&self) -> Option<f64> {
        if let Some(value) = short_decimal(&self.word) {
            return Some(value);
        }
        let text = std::str::from_utf8(&self.word).ok().filter(|text| text.len() < LONGEST_WORD)?;
        text.parse().ok()
    }

    /// The current word as a whole number of at least 1.
    pub(super) fn count(&self, expected: &str) -> Result<u64, TerrainError> {
        let text = std::str::from_utf8(&self.word).ok();
        let count = text.and_then(|text| text.parse().ok()).filter(|n| *n > 0);
        count.ok_or_else(|| self.unexpected(expected, String::new()))
    }

    /// The current word as a number that is accepted.
    pub(super) fn real(&self, expected: &str, accept: impl Fn(f64) -> bool) -> Result<f64, TerrainError> {
        let value = self.number().filter(|v| accept(*v));
        value.ok_or_else(|| self.unexpected(expected, String::new()))
    }

    /// An error at the current word.
    pub(super) fn unexpected(&self, expected: &str, place: String) -> TerrainError {
        let shown: String = String::from_utf8_lossy(&self.word).chars().take(32).collect();
        let got = if self.at_end() { "the end of the file".to_string() } else { format!("{shown:?}") };
        let Words { line, column, .. } = *self;
        TerrainError::Text { file: self.file.to_string(), line, column, expected: expected.to_string(), got, place }
    }
}

#[inline]
fn is_space(byte: u8) -> bool {
    byte <= b' ' && matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

/// A number of the shape −123.456 with at most 15 digits, as nearly all heights are.
///
/// Digits and power of ten are then both exact in f64, so that their quotient is rounded once, and correctly
/// (Clinger 1990, §3): the same bits as the library's parser gives, sooner.
#[inline]
fn short_decimal(word: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, word),
    };
    // A point and 15 digits; the first character keeps a lone point out.
    if digits.len() > 16 || !digits.first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let mut whole = 0_u64;
    let mut point = None;
    for (k, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => whole = 10 * whole + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(k),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |k| digits.len() - 1 - k);
    if digits.len() - usize::from(point.is_some()) > 15 {
        return None;
    }
    let value = whole as f64 / POWERS[decimals];
    Some(if negative { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::short_decimal;

    /// The library's parser is the opinion, bit for bit; a fixed sequence of numbers of every length.
    #[test]
    fn short_decimals_are_rounded_as_the_library_rounds() {
        let mut state = 7_u64;
        for k in 0..200_000_usize {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let digits = (state >> 14) % 10_u64.pow(1 + (k % 15) as u32);
            let mut text = digits.to_string();
            if k % 3 > 0 {
                text.insert(1 + k / 7 % text.len(), '.');
            }
            if k % 2 == 0 {
                text.insert(0, '-');
            }
            let value = short_decimal(text.as_bytes()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{text}");
        }
        assert_eq!(short_decimal(b"-0").map(f64::to_bits), Some((-0.0_f64).to_bits()));
        for other in ["", "-", ".", ".5", "-.5", "+1", "1e5", "1.2.3", "nan", "1234567890123456", "--1", "1-"] {
            assert_eq!(short_decimal(other.as_bytes()), None, "{other}");
        }
    }
}
