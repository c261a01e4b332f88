//! # Why a mesh could not be read
//!
//! - **in**: what a reader of this folder found
//! - **out**: [`MeshFileError`], whose message names the file, the place, what was expected and what came
//! - **not here**: doubts that leave the mesh usable; those are [`MeshFile::warnings`](super::MeshFile::warnings)

/// Why a mesh could not be read. `file` is the name given to the reader.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFileError {
    /// The disk said no.
    #[error("{file}: {source}")]
    Io {
        /// Name of the file.
        file: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A folder, a pipe or a device.
    #[error("{file}: expected a regular file")]
    NotAFile {
        /// Name of the file.
        file: String,
    },
    /// Nothing in it.
    #[error("{file}: the file is empty; expected an STL, OBJ or COLLADA mesh")]
    Empty {
        /// Name of the file.
        file: String,
    },
    /// A text says something else than it should.
    #[error("{file}:{line}:{column}: expected {expected}, got {got}")]
    Text {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Byte within the line, from 1.
        column: u64,
        /// What should have been there.
        expected: String,
        /// What was there, in quotes, or `the end of the line` or `of the file`.
        got: String,
    },
    /// A binary file says something else than it should.
    #[error("{file}: byte {offset}: expected {expected}, got {got}")]
    Bytes {
        /// Name of the file.
        file: String,
        /// Where, from 0.
        offset: u64,
        /// What should have been there.
        expected: String,
        /// What was there.
        got: String,
    },
    /// More than the reader was allowed to load.
    #[error("{file}: {got} {what} or more, where {limit} are allowed")]
    TooLarge {
        /// Name of the file.
        file: String,
        /// Triangles or bytes.
        what: &'static str,
        /// How many.
        got: u64,
        /// Most allowed.
        limit: u64,
    },
    /// A lawful file without triangles.
    #[error("{file}: no triangles ({vertices} vertices); expected at least one")]
    NoFaces {
        /// Name of the file.
        file: String,
        /// Vertices read.
        vertices: usize,
    },
    /// The unit given beside the file is unusable.
    #[error("{file}: the unit must be positive and finite, got {got} m")]
    Unit {
        /// Name of the file.
        file: String,
        /// What it was (m).
        got: f64,
    },
    /// Another kind of file.
    #[error("{file}: expected STL, OBJ or COLLADA, got {what}; convert it first")]
    Unsupported {
        /// Name of the file.
        file: String,
        /// What it looks like.
        what: &'static str,
    },
}
