//! # ESRI ASCII grid: a header of keys, then heights as text, north row first
//!
//! - **in**: text; keys `ncols nrows xllcorner|xllcenter yllcorner|yllcenter cellsize|(dx dy) [NODATA_value]` in
//!   any order and case, then ncols · nrows numbers with any white space between them
//! - **out**: [`Samples::F64`], NaN where the number equals NODATA_value (as a number, not as text) or reads `nan`
//! - **not here**: projections, which this format does not carry: coordinates are taken as metres, or as degrees on the
//!   Earth where the caller says so ([`Degrees::Local`])
//! - **assumes**: a file without NODATA_value has no missing nodes (ESRI documents −9999 as the default, but
//!   writers leave the line out when nothing is missing); −9999 in such a file gives a warning
//! - **start at** [`read`]; `words` gives words with their place
//!
//! The format is (EsriAscii); `dx` and `dy` are GDAL's addition for cells that are not square (GdalAaigrid).

use std::io::BufRead;

use super::geodesy::{Ellipsoid, reprojection};
use super::words::{LONGEST_WORD, Words};
use super::{Degrees, Grid, Samples, Terrain, TerrainError, TerrainFormat, TerrainOptions, allowed_nodes, flip_rows};

/// What ESRI's tools take for "no data" when a header does not say.
const ESRI_DEFAULT_NODATA: f64 = -9999.0;

pub(super) fn read<R: BufRead>(
    source: R,
    length: u64,
    file: &str,
    options: &TerrainOptions,
) -> Result<Terrain, TerrainError> {
    let mut words = Words::new(source, file)?;
    let header = Header::read(&mut words)?;
    let nodes = allowed_nodes(header.columns, header.rows, file, options)?;
    let (z, warning) = read_heights(&mut words, &header, nodes, length)?;
    let mut warnings: Vec<String> = warning.into_iter().collect();
    let mut grid = Grid {
        nx: header.columns as usize,
        ny: header.rows as usize,
        dx: header.dx,
        dy: header.dy,
        x0: header.x0,
        y0: header.y0,
    };
    let is_local = options.degrees == Degrees::Local;
    if is_local {
        warnings.push(to_metres(&mut grid, file)?);
    }
    Ok(Terrain {
        grid,
        samples: Samples::F64(z),
        z_scale: 1.0,
        z_offset: 0.0,
        format: TerrainFormat::EsriAscii,
        crs: None,
        ground_scale: is_local.then_some(1.0),
        warnings,
    })
}

/// Turns a grid of degrees into metres about its centre, origin at the south-west node; what to say of it.
fn to_metres(grid: &mut Grid, file: &str) -> Result<String, TerrainError> {
    let last = [grid.x0 + (grid.nx - 1) as f64 * grid.dx, grid.y0 + (grid.ny - 1) as f64 * grid.dy];
    // Longitudes may be counted from −180° or from 0°; nodes on the poles may be off by round-off.
    let is_on_earth = grid.y0 >= -90.0 - 1e-7 && last[1] <= 90.0 + 1e-7 && grid.x0 >= -360.0 && last[0] <= 720.0;
    if !is_on_earth {
        let what = format!(
            "local metres were asked for, but coordinates from ({}, {}) to ({}, {}) are no longitudes and latitudes in \
             degrees; leave `degrees` out for a map in metres",
            grid.x0, grid.y0, last[0], last[1]
        );
        return Err(TerrainError::Unsupported { file: file.to_string(), what });
    }
    let (longitude, latitude) = (0.5 * (grid.x0 + last[0]), 0.5 * (grid.y0 + last[1]));
    let edges = [grid.y0, last[1]].map(f64::to_radians);
    let (east, north, percent) = Ellipsoid::EARTH.metres_per_radian(latitude.to_radians(), edges);
    grid.dx *= east.to_radians();
    grid.dy *= north.to_radians();
    (grid.x0, grid.y0) = (0.0, 0.0);
    let command = reprojection(latitude, longitude, Ellipsoid::EARTH);
    Ok(format!(
        "degrees were turned into metres at latitude {latitude:.4}°: lengths are off by up to {percent:.2} % at the map's \
         edges; `{command}` does better"
    ))
}

/// All heights, south row first; `words` stands at the first.
fn read_heights<R: BufRead>(
    words: &mut Words<R>,
    header: &Header,
    nodes: u64,
    length: u64,
) -> Result<(Vec<f64>, Option<String>), TerrainError> {
    // A height takes a digit and a separator: the header alone never makes us reserve more than the file can hold.
    let room = length.saturating_sub(words.offset) / 2 + LONGEST_WORD as u64;
    let mut z: Vec<f64> = Vec::with_capacity(nodes.min(room) as usize);
    let missing = header.nodata.unwrap_or(f64::NAN);
    let mut esri_defaults = 0_u64;
    for k in 0..nodes {
        let place = || format!(" (row {}, column {})", k / header.columns + 1, k % header.columns + 1);
        let value = match words.number() {
            Some(value) => value,
            None => return Err(words.unexpected("a height", place())),
        };
        if value.is_infinite() && value != missing {
            return Err(words.unexpected("a finite height", place()));
        }
        esri_defaults += u64::from(value == ESRI_DEFAULT_NODATA);
        z.push(if value == missing { f64::NAN } else { value });
        words.advance()?;
    }
    if !words.at_end() {
        return Err(words.unexpected(&format!("the end of the file after {nodes} heights"), String::new()));
    }
    flip_rows(&mut z, header.columns as usize);
    let warning = (header.nodata.is_none() && esri_defaults > 0).then(|| {
        format!("no NODATA_value line, yet {esri_defaults} heights are {ESRI_DEFAULT_NODATA}: taken as heights")
    });
    Ok((z, warning))
}

/// What the keys say, in metres.
struct Header {
    columns: u64,
    rows: u64,
    dx: f64,
    dy: f64,
    x0: f64,
    y0: f64,
    nodata: Option<f64>,
}

/// Keys; an origin is one key by two names.
#[derive(Clone, Copy, PartialEq)]
enum Key {
    Columns,
    Rows,
    X,
    Y,
    CellSize,
    Dx,
    Dy,
    NoData,
}

const KEYS: [(&str, Key); 11] = [
    ("ncols", Key::Columns),
    ("nrows", Key::Rows),
    ("xllcorner", Key::X),
    ("xllcenter", Key::X),
    ("yllcorner", Key::Y),
    ("yllcenter", Key::Y),
    ("cellsize", Key::CellSize),
    ("dx", Key::Dx),
    ("dy", Key::Dy),
    ("nodata_value", Key::NoData),
    ("nodata", Key::NoData),
];

impl Header {
    /// Read keys until a number stands where a key would.
    fn read<R: BufRead>(words: &mut Words<R>) -> Result<Header, TerrainError> {
        let mut count = [None; 2];
        let mut x = None;
        let mut y = None;
        let [mut cell, mut dx, mut dy, mut nodata] = [None; 4];
        let mut seen: Vec<(Key, &str, u64)> = Vec::with_capacity(KEYS.len());
        while words.word.first().is_some_and(u8::is_ascii_alphabetic) && words.number().is_none() {
            let Some(&(name, key)) = KEYS.iter().find(|(name, _)| words.word.eq_ignore_ascii_case(name.as_bytes()))
            else {
                let keys = "a key of an ESRI ASCII grid (ncols, nrows, xllcorner, yllcorner, cellsize, NODATA_value; \
                            the file is neither TIFF nor PNG) or a height";
                return Err(words.unexpected(keys, String::new()));
            };
            // Each key once, and one way to say the spacing.
            let clash = |other: Key| match (key, other) {
                (Key::CellSize, Key::Dx | Key::Dy) | (Key::Dx | Key::Dy, Key::CellSize) => true,
                _ => key == other,
            };
            if let Some((_, before, line)) = seen.iter().find(|(other, ..)| clash(*other)) {
                return Err(words.unexpected(&format!("no second key beside `{before}` of line {line}"), String::new()));
            }
            seen.push((key, name, words.line));
            words.advance()?;
            match key {
                Key::Columns => count[0] = Some(words.count("a whole number of columns, at least 1")?),
                Key::Rows => count[1] = Some(words.count("a whole number of rows, at least 1")?),
                Key::X => {
                    x = Some((
                        words.real(&format!("a finite number for {name}"), f64::is_finite)?,
                        name.ends_with("corner"),
                    ))
                }
                Key::Y => {
                    y = Some((
                        words.real(&format!("a finite number for {name}"), f64::is_finite)?,
                        name.ends_with("corner"),
                    ))
                }
                Key::CellSize => cell = Some(words.real("a positive, finite cellsize", is_spacing)?),
                Key::Dx => dx = Some(words.real("a positive, finite dx", is_spacing)?),
                Key::Dy => dy = Some(words.real("a positive, finite dy", is_spacing)?),
                Key::NoData => nodata = Some(words.real("a number for NODATA_value", |_| true)?),
            }
            words.advance()?;
        }
        let absent = |key: &str| words.unexpected(&format!("the key `{key}` before the first height"), String::new());
        let [columns, rows] = count;
        let columns = columns.ok_or_else(|| absent("ncols"))?;
        let rows = rows.ok_or_else(|| absent("nrows"))?;
        let (x, x_is_corner) = x.ok_or_else(|| absent("xllcorner"))?;
        let (y, y_is_corner) = y.ok_or_else(|| absent("yllcorner"))?;
        let (dx, dy) = match (cell, dx, dy) {
            (Some(cell), ..) => (cell, cell),
            (None, Some(dx), Some(dy)) => (dx, dy),
            (None, Some(_), None) => return Err(absent("dy")),
            (None, None, Some(_)) => return Err(absent("dx")),
            (None, None, None) => return Err(absent("cellsize")),
        };
        // A node is the centre of its cell: half a cell in from the corner.
        let x0 = if x_is_corner { x + dx / 2.0 } else { x };
        let y0 = if y_is_corner { y + dy / 2.0 } else { y };
        Ok(Header { columns, rows, dx, dy, x0, y0, nodata })
    }
}

fn is_spacing(value: f64) -> bool {
    value > 0.0 && value.is_finite()
}
