//! # Elevation maps in records: from a file or from numbers in place
//!
//! - **in**: `map: FILE` (with `png` and `degrees` where needed), or `dx, dy, x0, y0, z[j][i]` with null for no data
//! - **out**: an [`ElevationMap`], with what the file's reader warns of
//! - **not here**: file formats (`fingerpad_files`), interpolation (`fingerpad_contact`)
//! - **start at** [`read`], or [`Maps`] where one file serves many records

use super::{Field, FieldError};
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_files::terrain::{self, Degrees, PngScale, Terrain, TerrainOptions};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Keys of a map in place.
pub const PLACE_KEYS: [&str; 5] = ["dx", "dy", "x0", "y0", "z"];

/// Names of interpolations.
pub const INTERPOLATIONS: [(&str, Interpolation); 4] = [
    ("cubic", Interpolation::Cubic),
    ("quintic", Interpolation::Quintic),
    ("quintic_corrected", Interpolation::Quintic),
    ("quintic_6x6", Interpolation::Quintic6),
];

/// A map with what its file's reader warns of.
#[derive(Debug)]
pub struct Read {
    /// The map.
    pub map: ElevationMap,
    /// Doubts about the file.
    pub warnings: Vec<String>,
}

/// The map that an object describes.
pub fn read(object: &Field, folder: &Path, interpolation: Interpolation) -> Result<Read, FieldError> {
    match object.get("map") {
        Some(file) => {
            let (path, options) = source(object, &file, folder)?;
            load(&path, &options, interpolation).map_err(|message| FieldError::new(file.path, message))
        }
        None => Ok(Read { map: in_place(object, interpolation)?, warnings: Vec::new() }),
    }
}

/// Reads a map's file.
pub fn load(path: &Path, options: &TerrainOptions, interpolation: Interpolation) -> Result<Read, String> {
    let terrain = terrain::read(path, options).map_err(|e| e.to_string())?;
    of_terrain(terrain, interpolation).map_err(|e| format!("{}: {e}", path.display()))
}

/// The surface of a map that was read.
pub fn of_terrain(terrain: Terrain, interpolation: Interpolation) -> Result<Read, String> {
    let Terrain { grid, samples, z_scale, z_offset, warnings, .. } = terrain;
    let map = ElevationMap::with_scale(grid, samples, z_scale, z_offset, interpolation).map_err(|e| e.to_string())?;
    Ok(Read { map, warnings })
}

/// A map that several records share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The map.
    pub map: Arc<ElevationMap>,
    /// Doubts about the file.
    pub warnings: Vec<String>,
}

impl From<Read> for Shared {
    fn from(read: Read) -> Self {
        Shared { map: Arc::new(read.map), warnings: read.warnings }
    }
}

/// Maps from files, each read once per run and interpolation.
#[derive(Debug, Default)]
pub struct Maps {
    folder: PathBuf,
    known: HashMap<String, Shared>,
}

impl Maps {
    /// Maps whose names are relative to a folder.
    pub fn new(folder: &Path) -> Self {
        Maps { folder: folder.to_path_buf(), known: HashMap::new() }
    }

    /// The map that an object describes, shared where it comes from a file.
    pub fn read(&mut self, object: &Field, interpolation: Interpolation) -> Result<Shared, FieldError> {
        let Some(file) = object.get("map") else {
            return read(object, &self.folder, interpolation).map(Shared::from);
        };
        let (path, options) = source(object, &file, &self.folder)?;
        let key = format!("{} {options:?} {interpolation:?}", path.display());
        if let Some(map) = self.known.get(&key) {
            return Ok(map.clone());
        }
        let read = load(&path, &options, interpolation).map_err(|message| FieldError::new(file.path, message))?;
        Ok(self.known.entry(key).or_insert(read.into()).clone())
    }
}

/// Path and options of a map's file.
fn source(object: &Field, file: &Field, folder: &Path) -> Result<(PathBuf, TerrainOptions), FieldError> {
    if let Some(key) = PLACE_KEYS.iter().find(|k| object.get(k).is_some()) {
        return Err(FieldError::new(
            object.child(key),
            format!("expected either `map` or heights in place, got both `map` and `{key}`"),
        ));
    }
    let mut options = TerrainOptions::default();
    if let Some(png) = object.get("png") {
        options.png = Some(png_scale(&png)?);
    }
    if let Some(degrees) = object.get("degrees") {
        options.degrees = degrees.one_of(&[("refuse", Degrees::Refuse), ("local", Degrees::Local)])?;
    }
    Ok((folder.join(file.text()?), options))
}

fn png_scale(png: &Field) -> Result<PngScale, FieldError> {
    const KEYS: [&str; 6] = ["dx", "dy", "x0", "y0", "z_scale", "z_offset"];
    super::shape::only(png, &KEYS)?;
    let or_zero = |key| png.get(key).map_or(Ok(0.0), |f| f.coordinate());
    Ok(PngScale {
        dx: png.require("dx")?.size()?,
        dy: png.require("dy")?.size()?,
        x0: or_zero("x0")?,
        y0: or_zero("y0")?,
        z_scale: png.require("z_scale")?.coordinate()?,
        z_offset: or_zero("z_offset")?,
    })
}

/// A map whose heights stand in the object, row 0 in the south.
fn in_place(object: &Field, interpolation: Interpolation) -> Result<ElevationMap, FieldError> {
    let or_zero = |key| object.get(key).map_or(Ok(0.0), |f| f.coordinate());
    let z = object.require("z")?;
    let rows = z.list("a list of rows of heights")?;
    let nx = rows.first().map_or(Ok(0), |row| row.list("a row of heights").map(|r| r.len()))?;
    let mut heights = Vec::with_capacity(nx * rows.len());
    for row in &rows {
        let row_list = row.list("a row of heights")?;
        if row_list.len() != nx {
            let message = format!("expected {nx} heights as in row 0, got {}", row_list.len());
            return Err(FieldError::new(&row.path, message));
        }
        for node in &row_list {
            heights.push(if node.value.is_null() { f64::NAN } else { node.coordinate()? });
        }
    }
    let grid = Grid {
        nx,
        ny: rows.len(),
        dx: object.require("dx")?.size()?,
        dy: object.require("dy")?.size()?,
        x0: or_zero("x0")?,
        y0: or_zero("y0")?,
    };
    ElevationMap::new(grid, Samples::F64(heights), interpolation).map_err(|e| FieldError::new(z.path, e))
}
