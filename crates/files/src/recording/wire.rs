//! # Wire: the few parts of protobuf's encoding that recordings need
//!
//! - **out**: tags, varints, doubles, lengths; and the way back
//! - **start at** [`message`], [`double`]; [`Fields`] reads

/// Wire types.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const LENGTH: u32 = 2;

/// A varint.
pub fn varint(out: &mut Vec<u8>, mut x: u64) {
    while x > 127 {
        out.push(x as u8 | 128);
        x >>= 7;
    }
    out.push(x as u8);
}

fn tag(out: &mut Vec<u8>, field: u32, wire: u32) {
    varint(out, u64::from(field << 3 | wire));
}

/// An unsigned number.
pub fn number(out: &mut Vec<u8>, field: u32, x: u64) {
    tag(out, field, VARINT);
    varint(out, x);
}

/// A double; returns where its eight bytes are.
pub fn double(out: &mut Vec<u8>, field: u32, x: f64) -> usize {
    fixed(out, field, x.to_bits())
}

/// Eight bytes; returns where they are.
pub fn fixed(out: &mut Vec<u8>, field: u32, x: u64) -> usize {
    tag(out, field, FIXED64);
    out.extend(x.to_le_bytes());
    out.len() - 8
}

/// Text or bytes.
pub fn bytes(out: &mut Vec<u8>, field: u32, data: &[u8]) {
    tag(out, field, LENGTH);
    varint(out, data.len() as u64);
    out.extend(data);
}

/// Text.
pub fn text(out: &mut Vec<u8>, field: u32, data: &str) {
    bytes(out, field, data.as_bytes());
}

/// A message inside a message.
pub fn message(out: &mut Vec<u8>, field: u32, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut inner = Vec::new();
    fill(&mut inner);
    bytes(out, field, &inner);
}

/// Bytes of a timestamp whose numbers keep their place: varints padded to five bytes.
pub const STAMP: usize = 12;

/// Writes a time (ns) over the bytes of a timestamp.
pub fn stamp(at: &mut [u8], nanoseconds: u64) {
    let padded = |at: &mut [u8], x: u64| {
        for (k, byte) in at.iter_mut().enumerate() {
            *byte = (x >> (7 * k)) as u8 & 127 | if k < 4 { 128 } else { 0 };
        }
    };
    at[0] = 1 << 3;
    padded(&mut at[1..6], nanoseconds / 1_000_000_000);
    at[6] = 2 << 3;
    padded(&mut at[7..12], nanoseconds % 1_000_000_000);
}

/// A value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A varint.
    Number(u64),
    /// Eight bytes.
    Fixed(u64),
    /// Text, bytes or a message.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// As a double; 0 if it is none.
    pub fn double(self) -> f64 {
        if let Self::Fixed(bits) = self { f64::from_bits(bits) } else { 0.0 }
    }

    /// As bytes; none if it is not.
    pub fn bytes(self) -> &'a [u8] {
        if let Self::Bytes(bytes) = self { bytes } else { &[] }
    }

    /// As text, with a mark for what is not.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// As a whole number.
    pub fn number(self) -> u64 {
        if let Self::Number(x) | Self::Fixed(x) = self { x } else { 0 }
    }
}

/// The fields of a message, one after the other; ends at the first that is broken.
pub struct Fields<'a>(pub &'a [u8]);

impl Fields<'_> {
    fn varint(&mut self) -> Option<u64> {
        let mut x = 0_u64;
        for k in 0..10 {
            let byte = *self.0.first()?;
            self.0 = &self.0[1..];
            x |= u64::from(byte & 127) << (7 * k).min(63);
            if byte < 128 {
                return Some(x);
            }
        }
        None
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u32, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let tag = u32::try_from(self.varint()?).ok()?;
        let value = match tag & 7 {
            VARINT => Value::Number(self.varint()?),
            FIXED64 => {
                let (head, rest) = self.0.split_at_checked(8)?;
                self.0 = rest;
                Value::Fixed(u64::from_le_bytes(head.try_into().ok()?))
            }
            LENGTH => {
                let length = usize::try_from(self.varint()?).ok()?;
                let (head, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                Value::Bytes(head)
            }
            _ => return None,
        };
        Some((tag >> 3, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of protobuf's own documentation: field 1 = 150 is 08 96 01.
    #[test]
    fn numbers_are_those_of_the_documentation() {
        let mut out = Vec::new();
        number(&mut out, 1, 150);
        assert_eq!(out, [0x08, 0x96, 0x01]);
        assert_eq!(Fields(&out).next(), Some((1, Value::Number(150))));
    }

    /// Padded varints are read as what they say.
    #[test]
    fn stamps_come_back() {
        let mut at = [0; STAMP];
        stamp(&mut at, 12_345_678_901);
        let found: Vec<_> = Fields(&at).collect();
        assert_eq!(found, [(1, Value::Number(12)), (2, Value::Number(345_678_901))]);
    }

    /// Bytes that are cut anywhere end the list; nothing panics.
    #[test]
    fn broken_messages_end() {
        let mut out = Vec::new();
        double(&mut out, 3, 1.5);
        text(&mut out, 20, "name");
        for cut in 0..out.len() {
            assert!(Fields(&out[..cut]).count() <= 1);
        }
        assert_eq!(Fields(&[0xff; 30]).count(), 0);
    }
}
