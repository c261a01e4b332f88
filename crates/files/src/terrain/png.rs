//! # PNG: 16-bit gray levels, with a scale given beside them
//!
//! - **in**: a 16-bit grayscale PNG and a [`PngScale`]: height = z_offset + z_scale · level
//! - **out**: [`Samples::U16`]; a gray level that the file declares transparent (tRNS) is missing
//! - **not here**: 8-bit maps (256 steps make a staircase, not a surface), colour, alpha
//! - **assumes**: the first row is the northern one
//! - **start at** [`read`]

use std::io::{BufRead, Seek};

use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Reader};

use super::{Grid, PngScale, Samples, Terrain, TerrainError, TerrainFormat, TerrainOptions, allowed_nodes, flip_rows};

/// Most bytes that one byte of a deflate stream can become (zlib's documentation).
const DEFLATE_EXPANSION: u64 = 1032;
/// What the decoder may use for rows and side information (bytes).
const DECODER_MEMORY: usize = 1 << 25;

pub(super) fn read<R: BufRead + Seek>(
    source: R,
    length: u64,
    file: &str,
    options: &TerrainOptions,
) -> Result<Terrain, TerrainError> {
    let fail = |source| TerrainError::Png { file: file.to_string(), source };
    let mut decoder = Decoder::new_with_limits(source, Limits { bytes: DECODER_MEMORY });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);

    let info = decoder.read_header_info().map_err(fail)?;
    let (width, height) = (u64::from(info.width), u64::from(info.height));
    if (info.color_type, info.bit_depth) != (ColorType::Grayscale, BitDepth::Sixteen) {
        let (color, depth) = (info.color_type, info.bit_depth as u8);
        let what = format!("a PNG of {depth}-bit {color:?}; expected 16-bit Grayscale, without alpha");
        return Err(TerrainError::Unsupported { file: file.to_string(), what });
    }
    let scale = checked_scale(options.png, file)?;
    let nodes = allowed_nodes(width, height, file, options)?;
    if nodes > length.saturating_mul(DEFLATE_EXPANSION) / 2 {
        return Err(TerrainError::TooShort { file: file.to_string(), columns: width, rows: height, length });
    }

    let mut reader = decoder.read_info().map_err(fail)?;
    let (nx, ny) = (width as usize, height as usize);
    let mut raw = vec![0_u16; nx * ny];
    let complete = if reader.info().interlaced {
        read_interlaced(&mut reader, &mut raw)
    } else {
        read_rows(&mut reader, &mut raw, nx)
    };
    if !complete.map_err(fail)? {
        let what = format!("fewer pixels than {width} × {height}");
        return Err(TerrainError::Malformed { file: file.to_string(), format: "PNG", what });
    }
    flip_rows(&mut raw, nx);
    let missing = match reader.info().trns.as_deref() {
        Some([high, low]) => Some(u16::from_be_bytes([*high, *low])),
        _ => None,
    };
    let PngScale { dx, dy, x0, y0, z_scale, z_offset } = scale;
    Ok(Terrain {
        grid: Grid { nx, ny, dx, dy, x0, y0 },
        samples: Samples::U16 { raw, missing },
        z_scale,
        z_offset,
        format: TerrainFormat::Png,
        crs: None,
        ground_scale: None,
        warnings: Vec::new(),
    })
}

/// Levels row by row; false if the file has fewer.
fn read_rows<R: BufRead + Seek>(reader: &mut Reader<R>, raw: &mut [u16], nx: usize) -> Result<bool, DecodingError> {
    for to in raw.chunks_exact_mut(nx) {
        match reader.next_row()? {
            Some(row) if row.data().len() == 2 * nx => copy_levels(row.data(), to),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Levels of an interlaced file, whose rows come in seven passes: the one case with a second copy.
fn read_interlaced<R: BufRead + Seek>(reader: &mut Reader<R>, raw: &mut [u16]) -> Result<bool, DecodingError> {
    if reader.output_buffer_size() != Some(2 * raw.len()) {
        return Ok(false);
    }
    let mut bytes = vec![0; 2 * raw.len()];
    let frame = reader.next_frame(&mut bytes)?;
    copy_levels(&bytes, raw);
    Ok(frame.buffer_size() == bytes.len())
}

/// PNG stores the high byte first.
fn copy_levels(bytes: &[u8], to: &mut [u16]) {
    for (level, pair) in to.iter_mut().zip(bytes.chunks_exact(2)) {
        *level = u16::from_be_bytes([pair[0], pair[1]]);
    }
}

fn checked_scale(scale: Option<PngScale>, file: &str) -> Result<PngScale, TerrainError> {
    let scale = scale.ok_or_else(|| TerrainError::NoPngScale { file: file.to_string() })?;
    let PngScale { dx, dy, x0, y0, z_scale, z_offset } = scale;
    let positive = |v: f64| v > 0.0 && v.is_finite();
    let checks = [
        ("dx", dx, "positive and finite", positive(dx)),
        ("dy", dy, "positive and finite", positive(dy)),
        ("x0", x0, "finite", x0.is_finite()),
        ("y0", y0, "finite", y0.is_finite()),
        ("z_scale", z_scale, "finite and not zero", z_scale.is_finite() && z_scale != 0.0),
        ("z_offset", z_offset, "finite", z_offset.is_finite()),
    ];
    match checks.into_iter().find(|(.., good)| !good) {
        None => Ok(scale),
        Some((name, got, expected, _)) => Err(TerrainError::PngScale { file: file.to_string(), name, expected, got }),
    }
}
