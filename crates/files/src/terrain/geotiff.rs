//! # GeoTIFF: one band of heights in strips or tiles
//!
//! `tiff_layout` ──(sizes)──▶ **here** ◀──(placing, units)── `georeference`; both read a `tiff_directory`
//!
//! - **in**: classic or big TIFF, either byte order; float32, float64, int16 or uint16; uncompressed, deflate, LZW
//!   or PackBits; any predictor
//! - **out**: [`Terrain`], samples in the type of the file; nodes equal to GDAL_NODATA are missing
//! - **not here**: bit streams, which crate `tiff` decodes, chunk by chunk, into the rows where they stay
//! - **assumes**: the first image of the file is the map (overviews and masks follow it)
//! - **start at** [`read`]

use std::io::{BufRead, Read, Seek, SeekFrom};

use tiff::decoder::{Decoder, DecodingResult, Limits};

use super::georeference::Georeference;
use super::tiff_directory::Directory;
use super::tiff_layout::{Layout, Sample};
use super::{Grid, Samples, Terrain, TerrainError, TerrainFormat, TerrainOptions, flip_rows};

const TAG_GDAL_NODATA: u16 = 42113;

pub(super) fn read<R: BufRead + Seek>(
    source: R,
    length: u64,
    file: &str,
    options: &TerrainOptions,
) -> Result<Terrain, TerrainError> {
    let mut directory = Directory::read(source, length, file)?;
    let layout = Layout::read(&mut directory, options)?;
    let place = Georeference::read(&mut directory, (layout.width, layout.height), options)?;
    let nodata = directory.text(TAG_GDAL_NODATA)?;
    let mut warnings = place.warnings;
    let nodata = nodata.and_then(|text| {
        let value = text.trim().parse::<f64>().ok();
        if value.is_none() && !text.trim().is_empty() {
            warnings.push(format!("GDAL_NODATA {text:?} is not a number: no node is taken as missing"));
        }
        value
    });

    let mut source = directory.source;
    source.seek(SeekFrom::Start(0)).map_err(|source| TerrainError::Io { file: file.to_string(), source })?;
    let flip = place.north_first;
    let samples = match layout.sample {
        Sample::F32 => Samples::F32(without(decode(&layout, source, file, flip)?, nodata.map(|v| v as f32))),
        Sample::F64 => Samples::F64(without(decode(&layout, source, file, flip)?, nodata)),
        Sample::I16 => {
            let missing = whole(nodata, f64::from(i16::MIN), f64::from(i16::MAX), &mut warnings);
            Samples::I16 { raw: decode(&layout, source, file, flip)?, missing: missing.map(|v| v as i16) }
        }
        Sample::U16 => {
            let missing = whole(nodata, 0.0, f64::from(u16::MAX), &mut warnings);
            Samples::U16 { raw: decode(&layout, source, file, flip)?, missing: missing.map(|v| v as u16) }
        }
    };
    let (nx, ny) = (layout.width as usize, layout.height as usize);
    Ok(Terrain {
        grid: Grid { nx, ny, dx: place.dx, dy: place.dy, x0: place.x0, y0: place.y0 },
        samples,
        z_scale: place.z_scale,
        z_offset: place.z_offset,
        format: TerrainFormat::GeoTiff,
        crs: place.crs,
        ground_scale: place.ground_scale,
        warnings,
    })
}

/// Heights with NaN where they equal `nodata`, compared in their own type: GDAL writes the most negative f32 with
/// 17 digits, which is that f32 only after rounding.
fn without<T: PartialEq + Copy + From<f32>>(mut z: Vec<T>, nodata: Option<T>) -> Vec<T> {
    if let Some(nodata) = nodata {
        z.iter_mut().filter(|v| **v == nodata).for_each(|v| *v = T::from(f32::NAN));
    }
    z
}

/// A NODATA value that whole samples can take.
fn whole(nodata: Option<f64>, low: f64, high: f64, warnings: &mut Vec<String>) -> Option<f64> {
    let value = nodata?;
    let possible = value.fract() == 0.0 && (low..=high).contains(&value);
    if !possible {
        warnings.push(format!("GDAL_NODATA {value} cannot occur in samples from {low} to {high}: none is missing"));
    }
    possible.then_some(value)
}

/// All samples, row by row as stored or, with `flip`, from the last row; the image lands once, chunk by chunk.
fn decode<T: FromChunk, R: Read + Seek>(
    layout: &Layout,
    source: R,
    file: &str,
    flip: bool,
) -> Result<Vec<T>, TerrainError> {
    let fail = |part: String, source| TerrainError::Tiff { file: file.to_string(), part, source };
    let mut limits = Limits::default();
    limits.decoding_buffer_size = usize::try_from(layout.chunk_bytes()).unwrap_or(usize::MAX);
    limits.intermediate_buffer_size = usize::try_from(layout.length).unwrap_or(usize::MAX);
    let mut decoder = Decoder::new(source).map_err(|e| fail("directory".into(), e))?.with_limits(limits);

    let (width, height) = (layout.width as usize, layout.height as usize);
    let (chunk_width, chunk_height) = (layout.chunk_width as usize, layout.chunk_height as usize);
    let across = layout.across() as usize;
    // Rows are asked for with the padding of their tile. Left to crop them, tiff 0.11.3 decodes row by row and its
    // LZW reader then loses the end of some lawful streams ("no lzw end code found"; image-tiff, pull request 391).
    let stride = (layout.chunk_bytes() / u128::from(layout.chunk_height)) as usize;
    let mut read = |chunk: usize, nodes: usize| {
        let part = || format!("{} {chunk}", if layout.tiled { "tile" } else { "strip" });
        let mut decoded = DecodingResult::U8(Vec::new());
        decoder.read_chunk_to_buffer(&mut decoded, chunk as u32, stride).map_err(|e| fail(part(), e))?;
        let wrong = || TerrainError::Malformed { file: file.to_string(), format: "TIFF", what: part() };
        T::from_chunk(decoded).filter(|z| z.len() == nodes).ok_or_else(wrong)
    };
    if layout.chunks() == 1 && chunk_width == width {
        let mut z = read(0, width * height)?;
        if flip {
            flip_rows(&mut z, width);
        }
        return Ok(z);
    }
    let mut z = vec![T::default(); width * height];
    for chunk in 0..layout.chunks() as usize {
        let (column, row) = (chunk % across * chunk_width, chunk / across * chunk_height);
        let (columns, rows) = (chunk_width.min(width - column), chunk_height.min(height - row));
        let part = read(chunk, chunk_width * rows)?;
        for (k, values) in part.chunks_exact(chunk_width).enumerate() {
            let to = if flip { height - 1 - (row + k) } else { row + k };
            z[to * width + column..][..columns].copy_from_slice(&values[..columns]);
        }
    }
    Ok(z)
}

/// A number type that the decoder gives.
trait FromChunk: Copy + Default {
    fn from_chunk(chunk: DecodingResult) -> Option<Vec<Self>>;
}

macro_rules! from_chunk {
    ($($number:ty: $variant:ident),*) => {$(
        impl FromChunk for $number {
            fn from_chunk(chunk: DecodingResult) -> Option<Vec<Self>> {
                if let DecodingResult::$variant(z) = chunk { Some(z) } else { None }
            }
        }
    )*};
}

from_chunk!(f32: F32, f64: F64, i16: I16, u16: U16);
