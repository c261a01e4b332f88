//! # TIFF directory: the tags of the first image, checked against the file's length
//!
//! - **in**: a classic or big TIFF in either byte order
//! - **out**: [`Directory`], which gives tags as numbers or text; every value it gives lies inside the file
//! - **not here**: what tags mean ([`geotiff`](super::geotiff), [`georeference`](super::georeference)) and pixels
//! - **assumes**: nothing
//! - **start at** [`Directory::read`]
//!
//! The `tiff` crate reads tags too, but it trusts their counts (a directory of 12 bytes makes it reserve up to
//! 256 MiB, and its product of tile counts overflows), so we look first and open it only on what we believe. For
//! that to hold both must see the same tags: the last of equal tags counts, and where the crate loses its place
//! (BigTIFF, field of unknown type) we refuse.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

use super::TerrainError;

/// Where a tag's values are.
#[derive(Clone, Copy)]
struct Entry {
    field_type: u16,
    count: u64,
    /// Offset of the first value in the file (bytes), within the entry itself if they fit there.
    at: u64,
}

/// The tags of the first image of a file.
pub(super) struct Directory<'a, R> {
    pub(super) source: R,
    pub(super) file: &'a str,
    /// Length of the file (bytes).
    pub(super) length: u64,
    big_endian: bool,
    entries: BTreeMap<u16, Entry>,
}

/// Size of one value of a field type (bytes), (TIFF 6.0, §2; BigTIFF).
fn size_of_field(field_type: u16) -> Option<u64> {
    match field_type {
        1 | 2 | 6 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 | 16 | 17 | 18 => Some(8),
        _ => None,
    }
}

impl<'a, R: Read + Seek> Directory<'a, R> {
    /// Read the first directory; `source` must hold a TIFF signature.
    pub(super) fn read(source: R, length: u64, file: &'a str) -> Result<Self, TerrainError> {
        let mut directory = Directory { source, file, length, big_endian: false, entries: BTreeMap::new() };
        let magic = directory.bytes(0, 4)?;
        directory.big_endian = magic[0] == b'M';
        let big = directory.uint(2, 2)? == 43;
        if big && (directory.uint(4, 2)?, directory.uint(6, 2)?) != (8, 0) {
            return Err(directory.malformed("a BigTIFF has 8-byte offsets"));
        }
        let (begin, count_size, entry_size) =
            if big { (directory.uint(8, 8)?, 8, 20) } else { (directory.uint(4, 4)?, 2, 12) };
        let count = directory.uint(begin, count_size)?;
        let word = (entry_size - 4) / 2;
        // The whole directory is read at once; `bytes` checks that the file is that long.
        let size = count.checked_mul(entry_size).ok_or_else(|| directory.malformed("endless directory"))?;
        let first = begin + count_size;
        let table = directory.bytes(first, size)?;
        for (k, entry) in table.chunks_exact(entry_size as usize).enumerate() {
            let [tag, field_type] = [0, 2].map(|at| directory.number(&entry[at..at + 2]) as u16);
            let count = directory.number(&entry[4..4 + word as usize]);
            let Some(size) = size_of_field(field_type) else {
                if big {
                    return Err(directory.malformed(&format!("tag {tag} has unknown field type {field_type}")));
                }
                continue;
            };
            let inline = first + k as u64 * entry_size + 4 + word;
            let fits = count.checked_mul(size).is_some_and(|size| size <= word);
            let at = if fits { inline } else { directory.number(&entry[4 + word as usize..]) };
            directory.entries.insert(tag, Entry { field_type, count, at });
        }
        Ok(directory)
    }

    pub(super) fn has(&self, tag: u16) -> bool {
        self.entries.contains_key(&tag)
    }

    /// Number of values of a tag, 0 if it is absent.
    pub(super) fn count(&self, tag: u16) -> u64 {
        self.entries.get(&tag).map_or(0, |entry| entry.count)
    }

    /// The values of a tag of whole numbers.
    pub(super) fn integers(&mut self, tag: u16) -> Result<Option<Vec<u64>>, TerrainError> {
        let Some((entry, bytes)) = self.raw(tag)? else { return Ok(None) };
        let size = match entry.field_type {
            1 | 3 | 4 | 13 | 16 | 18 => size_of_field(entry.field_type).unwrap_or(1),
            other => return Err(self.malformed(&format!("tag {tag} should hold whole numbers, has type {other}"))),
        };
        Ok(Some(bytes.chunks_exact(size as usize).map(|v| self.number(v)).collect()))
    }

    /// The only value of a tag of whole numbers.
    pub(super) fn integer(&mut self, tag: u16) -> Result<Option<u64>, TerrainError> {
        match (self.count(tag), self.has(tag)) {
            (_, false) => Ok(None),
            (1, true) => Ok(self.integers(tag)?.and_then(|v| v.first().copied())),
            (count, true) => Err(self.malformed(&format!("tag {tag} should hold 1 value, has {count}"))),
        }
    }

    /// The values of a tag of real numbers.
    pub(super) fn reals(&mut self, tag: u16) -> Result<Option<Vec<f64>>, TerrainError> {
        let Some((entry, bytes)) = self.raw(tag)? else { return Ok(None) };
        match entry.field_type {
            12 => Ok(Some(bytes.chunks_exact(8).map(|v| f64::from_bits(self.number(v))).collect())),
            11 => {
                let single = |v| f64::from(f32::from_bits(self.number(v) as u32));
                Ok(Some(bytes.chunks_exact(4).map(single).collect()))
            }
            other => Err(self.malformed(&format!("tag {tag} should hold real numbers, has type {other}"))),
        }
    }

    /// A tag of text, up to its closing NUL.
    pub(super) fn text(&mut self, tag: u16) -> Result<Option<String>, TerrainError> {
        let Some((_, bytes)) = self.raw(tag)? else { return Ok(None) };
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        Ok(Some(String::from_utf8_lossy(&bytes[..end]).into_owned()))
    }

    fn raw(&mut self, tag: u16) -> Result<Option<(Entry, Vec<u8>)>, TerrainError> {
        let Some(&entry) = self.entries.get(&tag) else { return Ok(None) };
        let size = size_of_field(entry.field_type).unwrap_or(1);
        let size = entry.count.checked_mul(size).ok_or_else(|| self.malformed(&format!("tag {tag} is endless")))?;
        Ok(Some((entry, self.bytes(entry.at, size)?)))
    }

    fn uint(&mut self, at: u64, size: u64) -> Result<u64, TerrainError> {
        let bytes = self.bytes(at, size)?;
        Ok(self.number(&bytes))
    }

    /// A whole number of up to 8 bytes in the file's byte order.
    fn number(&self, bytes: &[u8]) -> u64 {
        let join = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        if self.big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
    }

    /// Bytes of the file; nothing is reserved for a range that the file does not have.
    fn bytes(&mut self, at: u64, size: u64) -> Result<Vec<u8>, TerrainError> {
        if at.checked_add(size).is_none_or(|end| end > self.length) {
            let what = format!("{size} bytes at offset {at} are outside the file of {} bytes", self.length);
            return Err(self.malformed(&what));
        }
        let mut bytes = vec![0; size as usize];
        let read = self.source.seek(SeekFrom::Start(at)).and_then(|_| self.source.read_exact(&mut bytes));
        read.map_err(|source| TerrainError::Io { file: self.file.to_string(), source })?;
        Ok(bytes)
    }

    pub(super) fn malformed(&self, what: &str) -> TerrainError {
        TerrainError::Malformed { file: self.file.to_string(), format: "TIFF", what: what.to_string() }
    }

    pub(super) fn unsupported(&self, what: String) -> TerrainError {
        TerrainError::Unsupported { file: self.file.to_string(), what }
    }
}
