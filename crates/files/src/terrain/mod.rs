//! # Terrain: elevation maps as others store them
//!
//! disk ──(ESRI ASCII | GeoTIFF | PNG)──▶ **here** ──([`Grid`], [`Samples`])──▶ `surface::elevation::ElevationMap`
//!
//! - **in**: a file, recognised by its first bytes and not by its name; [`TerrainOptions`]
//! - **out**: [`Terrain`]: heights of nodes, row 0 in the south, in the number type of the file, and what it says
//!   of its projection
//! - **not here**: interpolation and holes (`surface::elevation`); reprojection (we name the command that does it)
//! - **assumes**: nothing; sizes in headers are compared with the file's length before memory is taken
//! - **start at** [`read`], then `asc` (text, by `words`), `geotiff` (with `tiff_directory`, `tiff_layout`, `geokeys`,
//!   `georeference` and `geodesy`) or `png`

mod asc;
mod error;
mod geodesy;
mod geokeys;
mod georeference;
mod geotiff;
mod png;
mod tiff_directory;
mod tiff_layout;
mod words;

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use fingerpad_contact::surface::elevation::{Grid, Samples};

pub use error::TerrainError;

/// Heights at the nodes of a map: height = `z_offset` + `z_scale` · raw (m).
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// Where the nodes are (m); node (0, 0) is the centre of the south-west pixel.
    pub grid: Grid,
    /// Raw heights, row-major from the south-west; NaN (floats) or the `missing` value (integers) where there
    /// are no data.
    pub samples: Samples,
    /// Metres per raw unit.
    pub z_scale: f64,
    /// Height of raw 0 (m).
    pub z_offset: f64,
    /// What kind of file it was.
    pub format: TerrainFormat,
    /// What the file says of its projection, for people.
    pub crs: Option<String>,
    /// Map metres per ground metre at the map's centre, where the projection is one we know.
    pub ground_scale: Option<f64>,
    /// What a user should know before trusting the map.
    pub warnings: Vec<String>,
}

/// The kinds of file we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerrainFormat {
    /// ESRI ASCII grid (`.asc`).
    EsriAscii,
    /// GeoTIFF, classic or BigTIFF.
    GeoTiff,
    /// 16-bit grayscale PNG with a scale given beside it.
    Png,
}

/// What to do with a map whose nodes are placed by latitude and longitude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Degrees {
    /// Refuse it, and say how to reproject it.
    #[default]
    Refuse,
    /// Take metres per degree at the map's centre, origin at the south-west node, and warn of the distortion.
    Local,
}

/// What a PNG cannot say of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PngScale {
    /// Spacing of columns (m).
    pub dx: f64,
    /// Spacing of rows (m).
    pub dy: f64,
    /// Easting of the south-west pixel's centre (m).
    pub x0: f64,
    /// Northing of the south-west pixel's centre (m).
    pub y0: f64,
    /// Metres per gray level.
    pub z_scale: f64,
    /// Height of gray level 0 (m).
    pub z_offset: f64,
}

/// How to read a map.
#[derive(Clone, Debug, PartialEq)]
pub struct TerrainOptions {
    /// Spacing and heights for a PNG; other formats carry their own.
    pub png: Option<PngScale>,
    /// What to do with latitude and longitude.
    pub degrees: Degrees,
    /// Most nodes to load.
    pub max_nodes: u64,
}

impl Default for TerrainOptions {
    /// No PNG scale, degrees refused, at most 2²⁸ nodes (16,384 × 16,384; 2 GB in double precision).
    fn default() -> Self {
        TerrainOptions { png: None, degrees: Degrees::Refuse, max_nodes: 1 << 28 }
    }
}

impl Terrain {
    /// West-east extent of the pixels on the map, nx · dx (m); the outer nodes are dx less apart.
    pub fn width(&self) -> f64 {
        self.grid.nx as f64 * self.grid.dx
    }

    /// South-north extent of the pixels on the map, ny · dy (m).
    pub fn height(&self) -> f64 {
        self.grid.ny as f64 * self.grid.dy
    }

    /// [`width`](Self::width) on the ground (m), where the scale of the projection is known.
    pub fn ground_width(&self) -> Option<f64> {
        self.ground_scale.map(|k| self.width() / k)
    }

    /// [`height`](Self::height) on the ground (m), where the scale of the projection is known.
    pub fn ground_height(&self) -> Option<f64> {
        self.ground_scale.map(|k| self.height() / k)
    }

    /// Height of the node in column `i` from the west and row `j` from the south (m); NaN where there are no data.
    pub fn node_height(&self, i: usize, j: usize) -> f64 {
        self.z_offset + self.z_scale * self.samples.get(j * self.grid.nx + i)
    }

    /// Lowest and highest height (m), or nothing if no node has one.
    pub fn height_range(&self) -> Option<(f64, f64)> {
        let (low, high) = raw_range(&self.samples)?;
        let (a, b) = (self.z_offset + self.z_scale * low, self.z_offset + self.z_scale * high);
        Some((a.min(b), a.max(b)))
    }
}

/// Read the map in the file at `path`, whatever its extension.
pub fn read(path: &Path, options: &TerrainOptions) -> Result<Terrain, TerrainError> {
    let name = path.display().to_string();
    let io = |source| TerrainError::Io { file: name.clone(), source };
    // Asked before opening: opening a pipe would wait for its writer.
    let meta = std::fs::metadata(path).map_err(io)?;
    if !meta.is_file() {
        return Err(TerrainError::NotAFile { file: name });
    }
    let file = File::open(path).map_err(io)?;
    read_source(BufReader::with_capacity(1 << 17, file), meta.len(), &name, options)
}

/// Read a map that is already in memory; `name` stands for it in messages.
pub fn read_bytes(bytes: &[u8], name: &str, options: &TerrainOptions) -> Result<Terrain, TerrainError> {
    read_source(Cursor::new(bytes), bytes.len() as u64, name, options)
}

fn read_source<R: BufRead + Seek>(
    mut source: R,
    length: u64,
    name: &str,
    options: &TerrainOptions,
) -> Result<Terrain, TerrainError> {
    let io = |source| TerrainError::Io { file: name.to_string(), source };
    let mut magic = Vec::with_capacity(8);
    source.by_ref().take(8).read_to_end(&mut magic).map_err(io)?;
    source.seek(SeekFrom::Start(0)).map_err(io)?;
    let terrain = match magic.as_slice() {
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => geotiff::read(source, length, name, options),
        [0x89, b'P', b'N', b'G', ..] => png::read(source, length, name, options),
        _ => asc::read(source, length, name, options),
    }?;
    judge(terrain, name)
}

/// Cells this much longer than wide are probably a mistake.
const DOUBTFUL_CELL_RATIO: f64 = 1e3;
/// So is relief this much larger than the map: usually its coordinates are degrees.
const DOUBTFUL_RELIEF_RATIO: f64 = 50.0;

/// What is asked of every map, wherever it came from.
fn judge(mut terrain: Terrain, name: &str) -> Result<Terrain, TerrainError> {
    let file = || name.to_string();
    let Grid { nx, ny, dx, dy, x0, y0 } = terrain.grid;
    let ends = [x0 + nx as f64 * dx, y0 + ny as f64 * dy];
    if [dx, dy, x0, y0, terrain.z_scale, terrain.z_offset].iter().chain(&ends).any(|v| !v.is_finite()) {
        let what = format!("spacing ({dx}, {dy}), origin ({x0}, {y0}) and height scale must be finite");
        return Err(TerrainError::Unsupported { file: file(), what });
    }
    if let Some((k, got)) = first_infinite(&terrain.samples) {
        return Err(TerrainError::Infinite { file: file(), row: ny - k / nx, column: k % nx + 1, got });
    }
    let Some((low, high)) = terrain.height_range() else {
        return Err(TerrainError::NoHeights { file: file(), nodes: nx * ny });
    };
    // Finite samples may still overflow once scaled.
    if !(low.is_finite() && high.is_finite()) {
        let what = format!("heights from {low} to {high} m must be finite");
        return Err(TerrainError::Unsupported { file: file(), what });
    }
    if dx.max(dy) > DOUBTFUL_CELL_RATIO * dx.min(dy) {
        terrain.warnings.push(format!("cells of {dx} m × {dy} m: is one of the spacings wrong?"));
    }
    let extent = terrain.width().max(terrain.height());
    if high - low > DOUBTFUL_RELIEF_RATIO * extent {
        let relief = high - low;
        terrain.warnings.push(format!(
            "relief of {relief} m on a map {extent} m long: are its coordinates in degrees, not metres?"
        ));
    }
    Ok(terrain)
}

fn first_infinite(samples: &Samples) -> Option<(usize, f64)> {
    match samples {
        Samples::F64(z) => z.iter().position(|v| v.is_infinite()).map(|k| (k, z[k])),
        Samples::F32(z) => z.iter().position(|v| v.is_infinite()).map(|k| (k, f64::from(z[k]))),
        Samples::I16 { .. } | Samples::U16 { .. } => None,
    }
}

/// Lowest and highest raw height that is not missing.
fn raw_range(samples: &Samples) -> Option<(f64, f64)> {
    fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        // min and max pass over NaN, which marks missing nodes.
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| (z.min(low), z.max(high)));
        (low <= high).then_some((low, high))
    }
    match samples {
        Samples::F64(z) => range(z.iter().copied()),
        Samples::F32(z) => range(z.iter().map(|&v| f64::from(v))),
        Samples::I16 { raw, missing } => range(raw.iter().filter(|v| Some(**v) != *missing).map(|&v| f64::from(v))),
        Samples::U16 { raw, missing } => range(raw.iter().filter(|v| Some(**v) != *missing).map(|&v| f64::from(v))),
    }
}

/// Turn north-first rows into south-first rows, in place.
fn flip_rows<T>(z: &mut [T], nx: usize) {
    let ny = z.len() / nx;
    for row in 0..ny / 2 {
        let (head, tail) = z.split_at_mut((ny - 1 - row) * nx);
        head[row * nx..(row + 1) * nx].swap_with_slice(&mut tail[..nx]);
    }
}

/// Number of nodes, if it is allowed.
fn allowed_nodes(columns: u64, rows: u64, name: &str, options: &TerrainOptions) -> Result<u64, TerrainError> {
    let limit = options.max_nodes.min(isize::MAX as u64 / size_of::<f64>() as u64);
    match columns.checked_mul(rows) {
        Some(n) if n <= limit => Ok(n),
        _ => Err(TerrainError::TooLarge { file: name.to_string(), columns, rows, limit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch an off-by-one at the middle row: odd and even numbers of rows against `rev()` over whole rows.
    #[test]
    fn flipping_rows_in_place_agrees_with_reversing_a_copy() {
        for ny in 0..6 {
            let z: Vec<usize> = (0..3 * ny).collect();
            let mut flipped = z.clone();
            flip_rows(&mut flipped, 3);
            let expected: Vec<usize> = z.chunks(3).rev().flatten().copied().collect();
            assert_eq!(flipped, expected);
        }
    }
}
