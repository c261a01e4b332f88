//! # Input: whole files, but neither pipes nor devices, and none without end
//!
//! path ──▶ **here** ──(bytes)──▶ readers of scenes, documents, saved states
//!
//! - **in**: a path, the most bytes that make sense for it
//! - **out**: the bytes, or why not
//! - **not here**: what the bytes mean; standard input (its reader bounds itself with [`bounded`])
//! - **start at** [`read`]
//!
//! Opening a pipe waits for its writer, and a device may never end. So the kind of a file and its length are looked at
//! before it is opened, and no more than the limit is ever read.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Reads a file of at most this many bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(refused(format!("expected a file, got {}", kind(&meta))));
    }
    if meta.len() > most {
        return Err(too_long(most, &meta.len().to_string()));
    }
    bounded(fs::File::open(path)?, most)
}

/// Reads a file of text.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        refused(format!("expected UTF-8 text, got other bytes from byte {at} on"))
    })
}

/// Reads a source to its end, if that comes within this many bytes.
pub fn bounded(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long(most, "more")) } else { Ok(bytes) }
}

/// What stands at a path, in words.
pub fn kind(meta: &fs::Metadata) -> &'static str {
    let kind = meta.file_type();
    if kind.is_file() {
        return "a file";
    }
    if kind.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    "something that is no file"
}

fn refused(why: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, why)
}

fn too_long(most: u64, got: &str) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("expected at most {most} bytes, got {got}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch a limit that is off by one, and a source without end that is read on.
    #[test]
    fn a_source_is_read_up_to_its_limit_and_no_further() {
        assert_eq!(bounded(&[1_u8, 2, 3][..], 3).unwrap(), [1, 2, 3]);
        assert_eq!(bounded(&[1_u8, 2, 3][..], 2).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(bounded(io::repeat(0), 1000).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
