//! # Text: lines and words with their place
//!
//! - **in**: bytes; lines end in LF, CRLF or a lone CR
//! - **out**: [`Lines`] one after the other, [`Words`] of one line, errors that say where
//! - **not here**: what words mean (`obj`, `stl`)
//! - **assumes**: nothing
//! - **start at** [`Lines`]; the terrain readers stream words of any line, here lines matter and bytes are in memory

use super::MeshFileError;

/// A word and where it stands.
#[derive(Clone, Copy)]
pub(super) struct Word<'a> {
    pub(super) text: &'a [u8],
    pub(super) line: u64,
    pub(super) column: u64,
}

/// Lines of a text; a byte order mark is no part of the first.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    /// Number of the line that was given last, from 1.
    pub(super) line: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Lines { rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), line: 0 }
    }

    /// The next line without its end.
    pub(super) fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let end = self.rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        let skip = if self.rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        self.rest = self.rest.get(end + skip..).unwrap_or(&[]);
        Some(line)
    }
}

/// Words of one line.
pub(super) struct Words<'a> {
    whole: &'a [u8],
    at: usize,
    line: u64,
}

impl<'a> Words<'a> {
    pub(super) fn new(whole: &'a [u8], line: u64) -> Self {
        Words { whole, at: 0, line }
    }

    pub(super) fn next(&mut self) -> Option<Word<'a>> {
        let rest = &self.whole[self.at..];
        let begin = self.at + rest.iter().position(|b| !is_space(*b))?;
        let end = self.whole[begin..].iter().position(|b| is_space(*b)).map_or(self.whole.len(), |n| begin + n);
        self.at = end;
        Some(Word { text: &self.whole[begin..end], line: self.line, column: begin as u64 + 1 })
    }

    /// What is left of the line, without the space around it.
    pub(super) fn remainder(&mut self) -> String {
        let rest = &self.whole[self.at..];
        self.at = self.whole.len();
        String::from_utf8_lossy(rest.trim_ascii()).into_owned()
    }
}

impl Word<'_> {
    pub(super) fn is(&self, keyword: &str) -> bool {
        self.text.eq_ignore_ascii_case(keyword.as_bytes())
    }

    pub(super) fn number(&self) -> Option<f64> {
        std::str::from_utf8(self.text).ok()?.parse().ok()
    }

    /// An error at this word.
    pub(super) fn unexpected(&self, file: &str, expected: &str) -> MeshFileError {
        let shown: String = String::from_utf8_lossy(self.text).chars().take(32).collect();
        MeshFileError::Text {
            file: file.to_string(),
            line: self.line,
            column: self.column,
            expected: expected.to_string(),
            got: format!("{shown:?}"),
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c | b'\r' | b'\n')
}
