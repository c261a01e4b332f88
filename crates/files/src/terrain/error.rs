//! # Why a map could not be read
//!
//! - **in**: what a reader of this folder found
//! - **out**: [`TerrainError`], whose message names the file, the place, what was expected and what came
//! - **not here**: doubts that leave the map usable; those are [`Terrain::warnings`](super::Terrain::warnings)

/// Why a map could not be read. `file` is the name given to the reader; rows count from the north, from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TerrainError {
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
    /// An ESRI ASCII grid says something else than it should at this word.
    #[error("{file}:{line}:{column}: expected {expected}, got {got}{place}")]
    Text {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Byte within the line, from 1.
        column: u64,
        /// What should have been there.
        expected: String,
        /// What was there, in quotes, or `the end of the file`.
        got: String,
        /// Which node it would have been, or nothing.
        place: String,
    },
    /// More nodes than the reader was allowed to load.
    #[error("{file}: {columns} columns × {rows} rows are more than the {limit} nodes allowed")]
    TooLarge {
        /// Name of the file.
        file: String,
        /// Columns announced.
        columns: u64,
        /// Rows announced.
        rows: u64,
        /// Most nodes allowed.
        limit: u64,
    },
    /// The header announces more than a file of this size can hold.
    #[error("{file}: {columns} columns × {rows} rows cannot come out of the file's {length} bytes")]
    TooShort {
        /// Name of the file.
        file: String,
        /// Columns announced.
        columns: u64,
        /// Rows announced.
        rows: u64,
        /// Length of the file (bytes).
        length: u64,
    },
    /// The file breaks the rules of its format.
    #[error("{file}: malformed {format}: {what}")]
    Malformed {
        /// Name of the file.
        file: String,
        /// `TIFF` or `PNG`.
        format: &'static str,
        /// What is wrong.
        what: String,
    },
    /// A lawful file of a kind that this reader does not take.
    #[error("{file}: {what}")]
    Unsupported {
        /// Name of the file.
        file: String,
        /// What came and what is taken.
        what: String,
    },
    /// The image decoder could not read the TIFF.
    #[error("{file}: {part}: {source}")]
    Tiff {
        /// Name of the file.
        file: String,
        /// Which part of the image.
        part: String,
        /// What the decoder said.
        source: tiff::TiffError,
    },
    /// The image decoder could not read the PNG.
    #[error("{file}: {source}")]
    Png {
        /// Name of the file.
        file: String,
        /// What the decoder said.
        source: png::DecodingError,
    },
    /// Nodes are placed by latitude and longitude, and the caller did not ask for local metres.
    #[error(
        "{file}: coordinates are in degrees (map centre {latitude:.4}° N, {longitude:.4}° E); expected metres: \
         reproject with `{command}`, or ask for local metres at the map's centre"
    )]
    Degrees {
        /// Name of the file.
        file: String,
        /// Latitude of the map's centre (degrees).
        latitude: f64,
        /// Longitude of the map's centre (degrees).
        longitude: f64,
        /// A command which reprojects the map to metres.
        command: String,
    },
    /// Nothing in the file says where its pixels lie or how large they are.
    #[error(
        "{file}: no georeference: expected ModelPixelScale with ModelTiepoint, or ModelTransformation; \
         add it with `gdal_translate -a_srs EPSG:32610 -a_ullr <west> <north> <east> <south> in.tif out.tif`"
    )]
    NoGeoreference {
        /// Name of the file.
        file: String,
    },
    /// A PNG has no spacing and no heights of its own.
    #[error("{file}: a PNG does not say its spacing or heights; expected a scale (dx, dy, x0, y0, z_scale, z_offset)")]
    NoPngScale {
        /// Name of the file.
        file: String,
    },
    /// A number given beside the file is unusable.
    #[error("{file}: the PNG scale's `{name}` must be {expected}, got {got}")]
    PngScale {
        /// Name of the file.
        file: String,
        /// Which number.
        name: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it was.
        got: f64,
    },
    /// A height is infinite.
    #[error("{file}: expected finite heights, got {got} (row {row} from the north, column {column})")]
    Infinite {
        /// Name of the file.
        file: String,
        /// Row from the north, from 1.
        row: usize,
        /// Column from the west, from 1.
        column: usize,
        /// The height.
        got: f64,
    },
    /// Every node is marked as missing.
    #[error("{file}: all {nodes} nodes are NODATA; expected at least one height")]
    NoHeights {
        /// Name of the file.
        file: String,
        /// Number of nodes.
        nodes: usize,
    },
}
