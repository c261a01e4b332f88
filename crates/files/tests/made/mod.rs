//! Files made by the tests: TIFFs of every kind by hand, since an encoder writes only a few of them; zlib streams
//! and PNGs without compression.
//!
//! Heights are given north row first, as the formats store them; [`height`] is what every map holds.
#![allow(dead_code)]

use std::io::Cursor;

use tiff::encoder::{Compression, TiffEncoder, colortype};

/// Height of column `i` from the west and row `row` from the north: whole, different everywhere on small maps.
pub fn height(i: usize, row: usize) -> f64 {
    1000.0 + 3.0 * i as f64 - 50.0 * row as f64 + ((i * row) % 7) as f64
}

#[derive(Clone, Debug)]
pub enum Value {
    Short(Vec<u16>),
    Long(Vec<u32>),
    Long8(Vec<u64>),
    Double(Vec<f64>),
    Ascii(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    F32,
    F64,
    I16,
    U16,
    U8,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packing {
    None,
    Lzw,
    Deflate,
    PackBits,
}

/// A TIFF to be.
#[derive(Clone, Debug)]
pub struct Tiff {
    pub nx: usize,
    pub ny: usize,
    pub z: Vec<f64>,
    pub sample: Sample,
    pub big_endian: bool,
    pub big_tiff: bool,
    pub packing: Packing,
    pub predictor: u16,
    pub tile: Option<(usize, usize)>,
    pub rows_per_strip: usize,
    /// Tags beside those of the image; they replace the image's own.
    pub tags: Vec<(u16, Value)>,
}

impl Tiff {
    /// The map of [`height`], 30 m × 30 m pixels, north-west corner at (500,000, 4,000,000), UTM zone 10.
    pub fn new(nx: usize, ny: usize) -> Tiff {
        let z = (0..ny).flat_map(|row| (0..nx).map(move |i| height(i, row))).collect();
        let tags = vec![
            (33550, Value::Double(vec![30.0, 30.0, 0.0])),
            (33922, Value::Double(vec![0.0, 0.0, 0.0, 500_000.0, 4_000_000.0, 0.0])),
            (34735, keys(&[(1024, 0, 1, 1), (1025, 0, 1, 1), (3072, 0, 1, 32610), (3076, 0, 1, 9001)])),
        ];
        let rows_per_strip = ny;
        Tiff {
            nx,
            ny,
            z,
            sample: Sample::F32,
            big_endian: false,
            big_tiff: false,
            packing: Packing::None,
            predictor: 1,
            tile: None,
            rows_per_strip,
            tags,
        }
    }

    pub fn with(mut self, tag: u16, value: Value) -> Tiff {
        self.tags.retain(|(t, _)| *t != tag);
        self.tags.push((tag, value));
        self
    }

    pub fn without(mut self, tag: u16) -> Tiff {
        self.tags.retain(|(t, _)| *t != tag);
        self
    }

    pub fn of(mut self, sample: Sample) -> Tiff {
        self.sample = sample;
        self
    }

    fn size(&self) -> usize {
        match self.sample {
            Sample::U8 => 1,
            Sample::I16 | Sample::U16 => 2,
            Sample::F32 => 4,
            Sample::F64 => 8,
        }
    }

    /// One sample as bits, low byte first.
    fn bits(&self, z: f64) -> Vec<u8> {
        match self.sample {
            Sample::U8 => vec![z as u8],
            Sample::I16 => (z as i16).to_le_bytes().to_vec(),
            Sample::U16 => (z as u16).to_le_bytes().to_vec(),
            Sample::F32 => (z as f32).to_le_bytes().to_vec(),
            Sample::F64 => z.to_le_bytes().to_vec(),
        }
    }

    /// A row of samples as it is packed: in the byte order of the file, after the predictor.
    fn row(&self, row: &[f64]) -> Vec<u8> {
        let size = self.size();
        let mut words: Vec<Vec<u8>> = row.iter().map(|z| self.bits(*z)).collect();
        if self.predictor == 2 {
            // Differences of the samples as whole numbers.
            let number = |word: &Vec<u8>| word.iter().rev().fold(0_u64, |n, b| n << 8 | u64::from(*b));
            let numbers: Vec<u64> = words.iter().map(number).collect();
            for k in (1..numbers.len()).rev() {
                words[k] = numbers[k].wrapping_sub(numbers[k - 1]).to_le_bytes()[..size].to_vec();
            }
        }
        if self.predictor == 3 {
            // High bytes of all samples first, then the next, …; then differences of bytes.
            let mut bytes: Vec<u8> = (0..size).rev().flat_map(|k| words.iter().map(move |word| word[k])).collect();
            for k in (1..bytes.len()).rev() {
                bytes[k] = bytes[k].wrapping_sub(bytes[k - 1]);
            }
            return bytes;
        }
        if self.big_endian {
            words.iter_mut().for_each(|word| word.reverse());
        }
        words.concat()
    }

    fn chunks(&self) -> Vec<Vec<u8>> {
        let (width, rows) = self.tile.unwrap_or((self.nx, self.rows_per_strip));
        let mut chunks = Vec::new();
        for top in (0..self.ny).step_by(rows) {
            for left in (0..self.nx).step_by(width) {
                // Tiles are padded, with a height that nobody should see; strips end with the image.
                let bottom = if self.tile.is_some() { top + rows } else { (top + rows).min(self.ny) };
                let mut bytes = Vec::new();
                for row in top..bottom {
                    let inside = |i: usize| if i < self.nx && row < self.ny { self.z[row * self.nx + i] } else { 77.0 };
                    let values: Vec<f64> = (left..left + width).map(inside).collect();
                    bytes.extend(self.row(&values));
                }
                chunks.push(pack(&bytes, self.packing));
            }
        }
        chunks
    }

    pub fn bytes(&self) -> Vec<u8> {
        let chunks = self.chunks();
        let head = if self.big_tiff { 16 } else { 8 };
        let mut out = vec![0; head];
        let mut offsets = Vec::new();
        for chunk in &chunks {
            offsets.push(out.len() as u64);
            out.extend(chunk);
        }
        let sizes: Vec<u64> = chunks.iter().map(|chunk| chunk.len() as u64).collect();
        let long = |v: Vec<u64>| {
            if self.big_tiff { Value::Long8(v) } else { Value::Long(v.into_iter().map(|v| v as u32).collect()) }
        };
        let format = match self.sample {
            Sample::U8 | Sample::U16 => 1,
            Sample::I16 => 2,
            Sample::F32 | Sample::F64 => 3,
        };
        let compression = match self.packing {
            Packing::None => 1,
            Packing::Lzw => 5,
            Packing::Deflate => 8,
            Packing::PackBits => 32773,
        };
        let mut tags = vec![
            (256, Value::Long(vec![self.nx as u32])),
            (257, Value::Long(vec![self.ny as u32])),
            (258, Value::Short(vec![8 * self.size() as u16])),
            (259, Value::Short(vec![compression])),
            (262, Value::Short(vec![1])),
            (277, Value::Short(vec![1])),
            (317, Value::Short(vec![self.predictor])),
            (339, Value::Short(vec![format])),
        ];
        match self.tile {
            Some((width, rows)) => tags.extend([
                (322, Value::Short(vec![width as u16])),
                (323, Value::Short(vec![rows as u16])),
                (324, long(offsets)),
                (325, long(sizes)),
            ]),
            None => tags.extend([
                (273, long(offsets)),
                (278, Value::Long(vec![self.rows_per_strip as u32])),
                (279, long(sizes)),
            ]),
        }
        tags.retain(|(tag, _)| !self.tags.iter().any(|(own, _)| own == tag));
        tags.extend(self.tags.iter().cloned());
        tags.sort_by_key(|(tag, _)| *tag);

        // Values that do not fit the entry come first, then the directory.
        let word = if self.big_tiff { 8 } else { 4 };
        let mut entries = Vec::new();
        for (tag, value) in &tags {
            let (kind, count, mut bytes) = self.value(value);
            entries.extend(self.int(u64::from(*tag), 2));
            entries.extend(self.int(kind, 2));
            entries.extend(self.int(count as u64, word));
            if bytes.len() <= word {
                bytes.resize(word, 0);
                entries.extend(bytes);
            } else {
                entries.extend(self.int(out.len() as u64, word));
                out.extend(bytes);
            }
        }
        let directory = out.len() as u64;
        out.extend(self.int(tags.len() as u64, if self.big_tiff { 8 } else { 2 }));
        out.extend(entries);
        out.extend(self.int(0, word));

        let mut header = if self.big_endian { b"MM".to_vec() } else { b"II".to_vec() };
        header.extend(self.int(if self.big_tiff { 43 } else { 42 }, 2));
        if self.big_tiff {
            header.extend(self.int(8, 2));
            header.extend(self.int(0, 2));
        }
        header.extend(self.int(directory, word));
        out[..head].copy_from_slice(&header);
        out
    }

    fn int(&self, value: u64, size: usize) -> Vec<u8> {
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if self.big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// Field type, count and bytes.
    fn value(&self, value: &Value) -> (u64, usize, Vec<u8>) {
        match value {
            Value::Short(v) => (3, v.len(), v.iter().flat_map(|v| self.int(u64::from(*v), 2)).collect()),
            Value::Long(v) => (4, v.len(), v.iter().flat_map(|v| self.int(u64::from(*v), 4)).collect()),
            Value::Long8(v) => (16, v.len(), v.iter().flat_map(|v| self.int(*v, 8)).collect()),
            Value::Double(v) => (12, v.len(), v.iter().flat_map(|v| self.int(v.to_bits(), 8)).collect()),
            Value::Ascii(v) => (2, v.len() + 1, v.bytes().chain([0]).collect()),
        }
    }
}

/// A GeoKeyDirectory of (key, table, count, value).
pub fn keys(keys: &[(u16, u16, u16, u16)]) -> Value {
    let head = [1, 1, 0, keys.len() as u16];
    Value::Short(head.into_iter().chain(keys.iter().flat_map(|k| [k.0, k.1, k.2, k.3])).collect())
}

/// Pack bytes by letting the `tiff` crate write them as an image of one strip, and cutting the strip out.
fn pack(bytes: &[u8], packing: Packing) -> Vec<u8> {
    let compression = match packing {
        Packing::None => return bytes.to_vec(),
        Packing::Lzw => Compression::Lzw,
        Packing::Deflate => Compression::Deflate(Default::default()),
        Packing::PackBits => Compression::Packbits,
    };
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap().with_compression(compression);
    let mut image = encoder.new_image::<colortype::Gray8>(bytes.len() as u32, 1).unwrap();
    image.rows_per_strip(1).unwrap();
    image.write_data(bytes).unwrap();
    let mut decoder = tiff::decoder::Decoder::new(Cursor::new(file.get_ref())).unwrap();
    let offset = decoder.get_tag_u64(tiff::tags::Tag::StripOffsets).unwrap() as usize;
    let size = decoder.get_tag_u64(tiff::tags::Tag::StripByteCounts).unwrap() as usize;
    file.get_ref()[offset..offset + size].to_vec()
}

/// A PNG from its rows of scan lines (without filter bytes) in stored zlib blocks; `kind` is (bit depth, colour type).
pub fn png(width: u32, height: u32, kind: (u8, u8), interlaced: bool, lines: &[Vec<u8>], trns: Option<u16>) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([kind.0, kind.1, 0, 0, u8::from(interlaced)]);
    chunk(&mut out, b"IHDR", &header);
    if let Some(level) = trns {
        chunk(&mut out, b"tRNS", &level.to_be_bytes());
    }
    let data: Vec<u8> = lines.iter().flat_map(|line| [0].into_iter().chain(line.iter().copied())).collect();
    chunk(&mut out, b"IDAT", &stored(&data));
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let checked = [name.as_slice(), data].concat();
    out.extend(&checked);
    out.extend(crc32(&checked).to_be_bytes());
}

/// A zlib stream of stored blocks (RFC 1950, 1951).
fn stored(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks: Vec<&[u8]> = data.chunks(65535).collect();
    for (k, block) in blocks.iter().enumerate() {
        out.push(u8::from(k + 1 == blocks.len()));
        out.extend((block.len() as u16).to_le_bytes());
        out.extend((!(block.len() as u16)).to_le_bytes());
        out.extend(*block);
    }
    let (a, b) = data.iter().fold((1_u32, 0_u32), |(a, b), v| {
        let a = (a + u32::from(*v)) % 65521;
        (a, (a + b) % 65521)
    });
    out.extend((b << 16 | a).to_be_bytes());
    out
}

/// CRC-32 of PNG (ISO 3309), bit by bit.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}
