//! # Mesh: triangle meshes as others store them
//!
//! disk ──(STL, text or binary | OBJ | COLLADA)──▶ **here** ──([`MeshFile`])──▶ `surface::mesh::TriangleMesh`
//!
//! - **in**: a file, recognised by its bytes and not by its name; [`MeshOptions`], above all the unit
//! - **out**: [`MeshFile`]: vertices in metres, triangles, named groups, warnings
//! - **not here**: what the triangles enclose, holes, orientation (`surface::mesh`); normals, colours, materials
//! - **assumes**: nothing; counts in headers are compared with the file's length before memory is taken
//! - **start at** [`read`], then `stl`, `obj` or `collada`; `text` gives words with their line
//!
//! **Which format.** Bytes that no text has within the first 1024 make a binary STL (some begin with `solid` all the
//! same); text that begins with `solid` is a text STL; text that begins with `<` is COLLADA; other text is OBJ.

mod collada;
mod error;
mod obj;
mod stl;
mod text;

use std::io::Read;
use std::ops::Range;
use std::path::Path;

use nalgebra::Point3;

pub use error::MeshFileError;

/// Triangles as a file has them.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// Vertices (m). STL does not share them: there equal coordinates become one vertex.
    pub vertices: Vec<Point3<f64>>,
    /// Triangles, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// Named parts (OBJ `o` and `g`, STL `solid`) as ranges of `faces`, in order; empty ones are left out.
    pub groups: Vec<FaceGroup>,
    /// What a user should know before trusting the mesh.
    pub warnings: Vec<String>,
    /// What kind of file it was.
    pub format: MeshFormat,
}

/// A named part of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaceGroup {
    /// Its name, as written.
    pub name: String,
    /// Its triangles.
    pub faces: Range<usize>,
}

/// The kinds of file we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// STL as text.
    StlText,
    /// STL as bytes.
    StlBinary,
    /// Wavefront OBJ.
    Obj,
    /// COLLADA.
    Collada,
}

/// How to read a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshOptions {
    /// Metres per unit of the file, which STL and OBJ do not say: 1.0 for metres, 0.001 for millimetres. COLLADA says its
    /// own unit, which this multiplies.
    pub unit: f64,
    /// Most triangles to load.
    pub max_faces: u64,
}

impl Default for MeshOptions {
    /// Metres, at most 2²⁵ triangles (a binary STL of 1.7 GB).
    fn default() -> Self {
        MeshOptions { unit: 1.0, max_faces: 1 << 25 }
    }
}

/// Longest file of text that is read (bytes): some ten million triangles.
const LONGEST_TEXT: u64 = 1 << 31;

/// Read the mesh in the file at `path`, whatever its extension.
pub fn read(path: &Path, options: &MeshOptions) -> Result<MeshFile, MeshFileError> {
    let name = path.display().to_string();
    let io = |source| MeshFileError::Io { file: name.clone(), source };
    // Asked before opening: opening a pipe would wait for its writer.
    let meta = std::fs::metadata(path).map_err(io)?;
    if !meta.is_file() {
        return Err(MeshFileError::NotAFile { file: name });
    }
    // A file may say that it is long without holding anything: what it starts with says how much of it to read.
    let mut source = std::fs::File::open(path).map_err(io)?;
    let mut bytes = Vec::new();
    source.by_ref().take(1024).read_to_end(&mut bytes).map_err(io)?;
    if recognise(&bytes) == MeshFormat::StlBinary {
        if let Some(announced) = stl::announced(&bytes, meta.len(), &name, options)? {
            bytes.reserve_exact(announced.saturating_sub(bytes.len() as u64) as usize);
            source.take(announced.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes).map_err(io)?;
            let mut mesh = read_bytes(&bytes, &name, options)?;
            mesh.warnings.extend(stl::left_over(meta.len().saturating_sub(announced), mesh.faces.len()));
            return Ok(mesh);
        }
    } else if meta.len() > LONGEST_TEXT {
        return Err(MeshFileError::TooLarge { file: name, what: "bytes", got: meta.len(), limit: LONGEST_TEXT });
    }
    source.take(LONGEST_TEXT).read_to_end(&mut bytes).map_err(io)?;
    read_bytes(&bytes, &name, options)
}

/// Read a mesh that is already in memory; `name` stands for it in messages.
pub fn read_bytes(bytes: &[u8], name: &str, options: &MeshOptions) -> Result<MeshFile, MeshFileError> {
    let file = || name.to_string();
    if !(options.unit > 0.0 && options.unit.is_finite()) {
        return Err(MeshFileError::Unit { file: file(), got: options.unit });
    }
    if bytes.is_empty() {
        return Err(MeshFileError::Empty { file: file() });
    }
    if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(MeshFileError::Unsupported { file: file(), what });
    }
    let mut mesh = match recognise(bytes) {
        MeshFormat::StlBinary => stl::read_binary(bytes, name, options),
        MeshFormat::StlText => stl::read_text(bytes, name, options),
        MeshFormat::Obj => obj::read(bytes, name, options),
        MeshFormat::Collada => collada::read(bytes, name, options),
    }?;
    if mesh.faces.is_empty() {
        return Err(MeshFileError::NoFaces { file: file(), vertices: mesh.vertices.len() });
    }
    judge_size(&mut mesh);
    Ok(mesh)
}

/// Kinds of file that are often taken for meshes we read.
const FOREIGN: [(&[u8], &str); 5] = [
    (b"ply", "PLY"),
    (b"glTF", "binary glTF"),
    (b"PK\x03\x04", "a zip archive (3MF?)"),
    (b"OFF", "OFF"),
    (b"{", "JSON (glTF?)"),
];

fn recognise(bytes: &[u8]) -> MeshFormat {
    // A count below 2²⁴ alone puts a zero byte at 83.
    let is_text = bytes.iter().take(1024).all(|b| matches!(b, b'\t'..=b'\r' | b' '..));
    let word = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let solid = word.get(..5).is_some_and(|w| w.eq_ignore_ascii_case(b"solid"));
    match (is_text, solid) {
        (false, _) => MeshFormat::StlBinary,
        (true, true) => MeshFormat::StlText,
        (true, false) if word.starts_with(b"<") => MeshFormat::Collada,
        (true, false) => MeshFormat::Obj,
    }
}

/// Largest and least extents that things which hands hold may have (m).
const DOUBTFUL_SIZES: [f64; 2] = [10.0, 1e-4];

/// A wrong unit is the commonest mistake.
fn judge_size(mesh: &mut MeshFile) {
    let first = mesh.vertices[mesh.faces[0][0] as usize];
    let named = mesh.faces.iter().flatten().map(|&v| mesh.vertices[v as usize]);
    let (low, high) = named.fold((first, first), |(low, high), p| (low.inf(&p), high.sup(&p)));
    let extent = (high - low).max();
    if extent > DOUBTFUL_SIZES[0] {
        let hint = "is the unit of the file smaller, as 0.001 for millimetres?";
        mesh.warnings.push(format!("the mesh is {extent} m long: {hint}"));
    } else if extent < DOUBTFUL_SIZES[1] {
        mesh.warnings.push(format!("the mesh is only {extent} m long: is the unit of the file larger?"));
    }
}

/// A vertex in metres, if it is finite and stays so.
fn in_metres(raw: [f64; 3], unit: f64) -> Option<Point3<f64>> {
    let p = Point3::from(raw.map(|x| x * unit));
    p.iter().all(|x| x.is_finite()).then_some(p)
}

/// One more triangle, if it is allowed.
fn push_face(
    faces: &mut Vec<[u32; 3]>,
    face: [u32; 3],
    name: &str,
    options: &MeshOptions,
) -> Result<(), MeshFileError> {
    // Vertices are numbered in 32 bits.
    let limit = options.max_faces.min(u64::from(u32::MAX) / 3);
    if faces.len() as u64 >= limit {
        let got = faces.len() as u64 + 1;
        return Err(MeshFileError::TooLarge { file: name.to_string(), what: "triangles", got, limit });
    }
    faces.push(face);
    Ok(())
}

/// Note where a named part begins; the one before it ends there, and is forgotten if nothing is in it.
fn begin_group(groups: &mut Vec<FaceGroup>, name: String, faces: usize) {
    end_group(groups, faces);
    groups.push(FaceGroup { name, faces: faces..faces });
}

fn end_group(groups: &mut Vec<FaceGroup>, faces: usize) {
    if let Some(last) = groups.last_mut() {
        last.faces.end = faces;
        if last.faces.is_empty() {
            groups.pop();
        }
    }
}
