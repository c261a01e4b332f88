//! # TIFF layout: sizes and sample type, believed only after comparison with the file
//!
//! - **in**: the tags of an image ([`Directory`])
//! - **out**: [`Layout`]: columns, rows, chunks (strips or tiles) and type of one band of heights
//! - **not here**: georeference, decoding
//! - **assumes**: nothing; every check that must precede memory is here
//! - **start at** [`Layout::read`]

use std::io::{Read, Seek};

use super::tiff_directory::Directory;
use super::{TerrainError, TerrainOptions, allowed_nodes};

const TAG_WIDTH: u16 = 256;
const TAG_HEIGHT: u16 = 257;
const TAG_BITS: u16 = 258;
const TAG_COMPRESSION: u16 = 259;
const TAG_PHOTOMETRIC: u16 = 262;
const TAG_STRIP_OFFSETS: u16 = 273;
const TAG_SAMPLES_PER_PIXEL: u16 = 277;
const TAG_ROWS_PER_STRIP: u16 = 278;
const TAG_STRIP_BYTES: u16 = 279;
const TAG_PLANAR: u16 = 284;
const TAG_PREDICTOR: u16 = 317;
const TAG_TILE_WIDTH: u16 = 322;
const TAG_TILE_HEIGHT: u16 = 323;
const TAG_TILE_OFFSETS: u16 = 324;
const TAG_TILE_BYTES: u16 = 325;
const TAG_EXTRA_SAMPLES: u16 = 338;
const TAG_SAMPLE_FORMAT: u16 = 339;
const TAG_CHROMA_SUBSAMPLING: u16 = 530;

/// Number types of heights.
#[derive(Clone, Copy)]
pub(super) enum Sample {
    F32,
    F64,
    I16,
    U16,
}

/// Sizes of the image and of its chunks (strips or tiles), believed after comparison with the file.
pub(super) struct Layout {
    pub(super) width: u64,
    pub(super) height: u64,
    pub(super) chunk_width: u64,
    pub(super) chunk_height: u64,
    pub(super) sample: Sample,
    sample_size: u64,
    pub(super) tiled: bool,
    /// Length of the file (bytes).
    pub(super) length: u64,
}

impl Layout {
    pub(super) fn read<R: Read + Seek>(
        directory: &mut Directory<R>,
        options: &TerrainOptions,
    ) -> Result<Layout, TerrainError> {
        let size = |value: Option<u64>| value.filter(|v| (1..=u64::from(u32::MAX)).contains(v));
        let width = size(directory.integer(TAG_WIDTH)?).ok_or_else(|| directory.malformed("no width"))?;
        let height = size(directory.integer(TAG_HEIGHT)?).ok_or_else(|| directory.malformed("no height"))?;
        let (sample, sample_size) = sample_type(directory)?;
        let expansion = expansion(directory)?;
        allowed_nodes(width, height, directory.file, options)?;

        let tiled = directory.has(TAG_TILE_OFFSETS);
        let (chunk_width, chunk_height) = if tiled {
            let [across, down] = [directory.integer(TAG_TILE_WIDTH)?, directory.integer(TAG_TILE_HEIGHT)?].map(size);
            across.zip(down).ok_or_else(|| directory.malformed("no size of tiles"))?
        } else {
            let rows = match directory.integer(TAG_ROWS_PER_STRIP)? {
                None => height,
                rows => size(rows).ok_or_else(|| directory.malformed("no rows in strips"))?,
            };
            (width, rows.min(height))
        };
        let length = directory.length;
        let layout = Layout { width, height, chunk_width, chunk_height, sample, sample_size, tiled, length };

        // All samples, with the padding of tiles, must be able to come out of the file. No product overflows 128 bits:
        // there are at most as many chunks as nodes, and sides fit 32 bits.
        let decoded = if tiled {
            u128::from(layout.chunks()) * layout.chunk_bytes()
        } else {
            u128::from(width) * u128::from(height) * u128::from(sample_size)
        };
        if decoded > u128::from(length) * u128::from(expansion) {
            return Err(TerrainError::TooShort {
                file: directory.file.to_string(),
                columns: width,
                rows: height,
                length,
            });
        }
        layout.check_chunks(directory, expansion)?;
        Ok(layout)
    }

    pub(super) fn across(&self) -> u64 {
        self.width.div_ceil(self.chunk_width)
    }

    pub(super) fn chunks(&self) -> u64 {
        self.across() * self.height.div_ceil(self.chunk_height)
    }

    /// Bytes of one whole chunk, decoded.
    pub(super) fn chunk_bytes(&self) -> u128 {
        u128::from(self.chunk_width) * u128::from(self.chunk_height) * u128::from(self.sample_size)
    }

    /// Every chunk is there, inside the file.
    fn check_chunks<R: Read + Seek>(&self, directory: &mut Directory<R>, expansion: u64) -> Result<(), TerrainError> {
        let (offsets, sizes, name) = if self.tiled {
            (TAG_TILE_OFFSETS, TAG_TILE_BYTES, "tile")
        } else {
            (TAG_STRIP_OFFSETS, TAG_STRIP_BYTES, "strip")
        };
        let chunks = self.chunks();
        if directory.count(offsets) != chunks || directory.count(sizes) != chunks {
            let (offsets, sizes) = (directory.count(offsets), directory.count(sizes));
            let what = format!("{chunks} {name}s expected, {offsets} offsets and {sizes} byte counts found");
            return Err(directory.malformed(&what));
        }
        let offsets = directory.integers(offsets)?.unwrap_or_default();
        let sizes = directory.integers(sizes)?.unwrap_or_default();
        for (k, (offset, size)) in offsets.into_iter().zip(sizes).enumerate() {
            if size == 0 {
                // GDAL's sparse files; decoded as written, their holes would be heights read from the header.
                let what = format!(
                    "{name} {k} is empty (a sparse file); \
                     write it out with `gdal_translate -co SPARSE_OK=FALSE in.tif out.tif`"
                );
                return Err(directory.unsupported(what));
            }
            if offset.checked_add(size).is_none_or(|end| end > self.length) {
                let what = format!("{name} {k} ({size} bytes at offset {offset}) is outside the file");
                return Err(directory.malformed(&what));
            }
            let rows = self.chunk_height.min(self.height - (k as u64 / self.across()) * self.chunk_height);
            let needed = u128::from(self.chunk_width) * u128::from(rows) * u128::from(self.sample_size);
            if needed > u128::from(size) * u128::from(expansion) {
                let what = format!("{name} {k} of {size} bytes is too short for {needed} bytes of samples");
                return Err(directory.malformed(&what));
            }
        }
        Ok(())
    }
}

/// Type and size (bytes) of the samples, if it is one band of a type we take.
fn sample_type<R: Read + Seek>(directory: &mut Directory<R>) -> Result<(Sample, u64), TerrainError> {
    let bands = directory.integer(TAG_SAMPLES_PER_PIXEL)?.unwrap_or(1);
    if bands != 1 || directory.has(TAG_EXTRA_SAMPLES) {
        let what =
            format!("{bands} bands; expected one band of heights: pick one with `gdal_translate -b 1 in.tif out.tif`");
        return Err(directory.unsupported(what));
    }
    // White as zero makes the decoder turn heights upside down; colours are no heights.
    match directory.integer(TAG_PHOTOMETRIC)? {
        Some(1) => {}
        other => {
            let got = other.map_or("none".to_string(), |p| p.to_string());
            return Err(directory.unsupported(format!("photometric interpretation {got}; expected 1 (black is zero)")));
        }
    }
    // Whatever else the decoder reads of the directory is read here first.
    for tag in [TAG_PLANAR, TAG_PREDICTOR] {
        directory.integer(tag)?;
    }
    if directory.has(TAG_CHROMA_SUBSAMPLING) {
        return Err(directory.unsupported("colour subsampling; expected one band of heights".into()));
    }
    let bits = directory.integer(TAG_BITS)?.unwrap_or(1);
    let format = directory.integer(TAG_SAMPLE_FORMAT)?.unwrap_or(1);
    match (format, bits) {
        (3, 32) => Ok((Sample::F32, 4)),
        (3, 64) => Ok((Sample::F64, 8)),
        (2, 16) => Ok((Sample::I16, 2)),
        (1, 16) => Ok((Sample::U16, 2)),
        _ => {
            let kind = match format {
                1 => "unsigned integers",
                2 => "signed integers",
                3 => "floats",
                _ => "samples of another kind",
            };
            let what = format!(
                "samples are {bits}-bit {kind}; expected float32, float64, int16 or uint16: \
                 convert with `gdal_translate -ot Float32 in.tif out.tif`"
            );
            Err(directory.unsupported(what))
        }
    }
}

/// Most bytes that one byte of the file can become.
///
/// Deflate: 258 bytes from 2 bits, 1032 with the block's own bits (zlib's documentation). LZW: a code of at least 9
/// bits for a string of at most 4096 bytes. PackBits: 128 from 2.
fn expansion<R: Read + Seek>(directory: &mut Directory<R>) -> Result<u64, TerrainError> {
    match directory.integer(TAG_COMPRESSION)?.unwrap_or(1) {
        1 => Ok(1),
        8 | 32946 => Ok(1032),
        5 => Ok(4096 * 8 / 9 + 1),
        32773 => Ok(64),
        other => {
            let name = match other {
                6 | 7 => "JPEG",
                34887 => "LERC",
                34925 => "LZMA",
                50000 => "ZSTD",
                50001 => "WebP",
                _ => "unknown",
            };
            let what = format!(
                "compression {other} ({name}); expected none, deflate, LZW or PackBits: \
                 convert with `gdal_translate -co COMPRESS=DEFLATE in.tif out.tif`"
            );
            Err(directory.unsupported(what))
        }
    }
}
