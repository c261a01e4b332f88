//! # Meshes in records: from an STL or OBJ file
//!
//! - **in**: `mesh: FILE`, `unit` (metres per unit of the file, a number or `m`, `cm`, `mm`, `in`), `fillet_radius`,
//!   `surface` (`auto`, `smooth`, `facets`, `hull`)
//! - **out**: a checked [`TriangleMesh`] or a smoothed [`MeshSurface`], with what reader and check warn of
//! - **not here**: file formats (`fingerpad_files`), smoothing (`fingerpad_contact`)
//! - **start at** [`read`], or [`Meshes`] where one file serves many records

use super::{Field, FieldError, LONGEST, SHORTEST};
use crate::progress::Meter;
use fingerpad_contact::surface::mesh::smooth::{SmoothError, SmoothOptions};
use fingerpad_contact::surface::mesh::{MeshSurface, MeshWarning, SurfaceChoice, TriangleMesh};
use fingerpad_files::mesh::{self, MeshFormat, MeshOptions};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names of units, with metres per unit.
pub const UNITS: [(&str, f64); 4] = [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254)];

/// A mesh that was read and checked.
#[derive(Debug)]
pub struct Read {
    /// The mesh (m).
    pub mesh: TriangleMesh,
    /// What kind of file it was.
    pub format: MeshFormat,
    /// What the check changed or doubts.
    pub doubts: Vec<MeshWarning>,
    /// Doubts of the reader and of the check, in words.
    pub warnings: Vec<String>,
}

/// The mesh that an object names.
pub fn read(object: &Field, folder: &Path, quiet: bool) -> Result<Read, FieldError> {
    let (file, path, unit) = source(object, folder)?;
    load(&path, unit, &meter(&path, quiet)).map_err(|message| FieldError::new(file.path, message))
}

/// A meter for the mesh in a file.
pub fn meter(path: &Path, quiet: bool) -> Meter {
    Meter::new(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy(), quiet)
}

/// Reads and checks a mesh's file.
pub fn load(path: &Path, unit: f64, meter: &Meter) -> Result<Read, String> {
    meter.reading();
    let options = MeshOptions { unit, ..MeshOptions::default() };
    let file = mesh::read(path, &options).map_err(|e| e.to_string())?;
    let of_file = |what: String| format!("{}: {what}", path.display());
    let (mesh, doubts) = TriangleMesh::new(file.vertices, file.faces).map_err(|e| of_file(e.to_string()))?;
    let bounds = mesh.bounds();
    let reach = bounds.min.coords.amax().max(bounds.max.coords.amax());
    let extent = (bounds.max - bounds.min).max();
    if reach > LONGEST || extent < SHORTEST {
        let limits = format!("a mesh from {SHORTEST:e} m in size to within ±{LONGEST:e} m");
        return Err(of_file(format!("expected {limits}, got {extent:e} m, reaching {reach:e} m from the origin")));
    }
    let warnings = file.warnings.into_iter().chain(doubts.iter().map(ToString::to_string)).collect();
    Ok(Read { mesh, format: file.format, doubts, warnings })
}

/// Metres per unit of a file, from JSON; metres if absent.
pub fn unit(object: &Field) -> Result<f64, FieldError> {
    match object.get("unit") {
        None => Ok(1.0),
        Some(field) if field.value.is_string() => field.one_of(&UNITS),
        Some(field) => field.size(),
    }
}

/// Metres per unit of a file, from the command line: a name, or a number of metres.
pub fn unit_word(text: &str) -> Result<f64, String> {
    let named = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, metres)| *metres);
    let number = || text.parse::<f64>().ok().filter(|x| (SHORTEST..=LONGEST).contains(x));
    named.or_else(number).ok_or_else(|| format!("expected m, cm, mm, in or metres per unit, got `{text}`"))
}

/// The field that names the file, its path, and the unit.
fn source<'a>(object: &Field<'a>, folder: &Path) -> Result<(Field<'a>, PathBuf, f64), FieldError> {
    let file = object.require("mesh")?;
    let path = folder.join(file.text()?);
    Ok((file, path, unit(object)?))
}

/// A smoothed mesh that several records share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The surface.
    pub surface: Arc<MeshSurface>,
    /// Doubts of the reader, the check and the smoothing.
    pub warnings: Vec<String>,
}

/// Smoothed meshes, each file read once per run, unit, fillet and surface; a file that cannot be used is tried once as well.
#[derive(Debug, Default)]
pub struct Meshes {
    /// Whether nothing is shown while meshes are made ready.
    pub quiet: bool,
    folder: PathBuf,
    known: HashMap<String, Result<Shared, Unusable>>,
}

/// Why there is no surface, and which key is to blame.
#[derive(Clone, Debug)]
struct Unusable {
    key: &'static str,
    message: String,
}

impl Meshes {
    /// Meshes whose names are relative to a folder.
    pub fn new(folder: &Path) -> Self {
        Meshes { quiet: false, folder: folder.to_path_buf(), known: HashMap::new() }
    }

    /// The smoothed mesh that an object names.
    pub fn read(&mut self, object: &Field) -> Result<Shared, FieldError> {
        let (_, path, unit) = source(object, &self.folder)?;
        let fillet = object.get("fillet_radius").map(|field| {
            // Zero keeps edges sharp.
            if field.number()? == 0.0 { Ok(0.0) } else { field.size() }
        });
        let fillet = fillet.transpose()?;
        let choice = object.get("surface").map(|field| field.one_of(&SurfaceChoice::NAMES)).transpose()?;
        let choice = choice.unwrap_or_default();
        let key = format!("{} {unit:?} {fillet:?} {choice:?}", path.display());
        let quiet = self.quiet;
        let found = self.known.entry(key).or_insert_with(|| smoothed(&path, unit, fillet, choice, quiet));
        found.clone().map_err(|e| FieldError::new(object.child(e.key), e.message))
    }
}

/// Meshes with more triangles are fitted only where questions are asked.
const DEFERRED: usize = 400_000;

fn smoothed(
    path: &Path,
    unit: f64,
    fillet_radius: Option<f64>,
    surface: SurfaceChoice,
    quiet: bool,
) -> Result<Shared, Unusable> {
    let meter = meter(path, quiet);
    let read = load(path, unit, &meter).map_err(|message| Unusable { key: "mesh", message })?;
    let Read { mesh, mut warnings, .. } = read;
    let (vertices, faces) = (mesh.vertices().len(), mesh.faces().len());
    let options = SmoothOptions { fillet_radius, surface, deferred: faces > DEFERRED, ..smooth_options() };
    let surface = MeshSurface::watched(mesh, &options, &meter.watch()).map_err(|e| {
        let key = if matches!(e, SmoothError::FilletTooLarge { .. }) { "fillet_radius" } else { "mesh" };
        Unusable { key, message: format!("{}: {e}", path.display()) }
    })?;
    if options.deferred {
        let ask = "`inspect --smooth` tells whether it is fine enough";
        warnings.push(format!("{faces} triangles, more than {DEFERRED}: smoothed only where needed; {ask}"));
    } else {
        warnings.extend(surface.fidelity().warning());
        warnings.extend(too_coarse(surface.smooth().map_or(0, |smooth| smooth.unresolved().len()), vertices));
    }
    Ok(Shared { surface: Arc::new(surface), warnings })
}

/// Options of smoothing with all threads; the result does not depend on their number.
pub fn smooth_options() -> SmoothOptions {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    SmoothOptions { threads, ..SmoothOptions::default() }
}

/// What to say of vertices where the mesh is too coarse or rough for its shape.
pub fn too_coarse(unresolved: usize, vertices: usize) -> Option<String> {
    (unresolved > 0).then(|| {
        format!("the mesh is too coarse or rough at {unresolved} of {vertices} vertices: curvature there is uncertain")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Units by name and by number, the same in files and on the command line.
    #[test]
    fn units_have_names() {
        for (value, word, metres) in [(json!("mm"), "mm", 1e-3), (json!("IN"), "IN", 0.0254), (json!(0.5), "0.5", 0.5)]
        {
            assert_eq!(unit(&Field::root(&json!({"unit": value}))).unwrap(), metres);
            assert_eq!(unit_word(word).unwrap(), metres);
        }
        assert_eq!(unit(&Field::root(&json!({}))).unwrap(), 1.0);
        for bad in [json!("ell"), json!(0), json!(-1), json!([1])] {
            assert_eq!(unit(&Field::root(&json!({"unit": bad}))).unwrap_err().field, "unit");
        }
        assert!(unit_word("0").is_err() && unit_word("nan").is_err() && unit_word("ell").is_err());
    }
}
