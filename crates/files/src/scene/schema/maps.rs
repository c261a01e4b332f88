//! # Schema: where heights come from
//!
//! - **not here**: the document as a whole (`schema`); reading, which never goes through these structs

use super::{Quantity, Vector};
use schemars::JsonSchema;

/// What a PNG cannot say.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Png {
    /// Spacing of columns (m).
    dx: Quantity,
    /// Spacing of rows (m).
    dy: Quantity,
    /// Georeferenced x of the south-west node (m); 0 if absent.
    x0: Option<Quantity>,
    /// Georeferenced y of the south-west node (m); 0 if absent.
    y0: Option<Quantity>,
    /// Metres per gray level.
    z_scale: Quantity,
    /// Height of gray level 0 (m); 0 if absent.
    z_offset: Option<Quantity>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum Degrees {
    /// A map in degrees is an error.
    Refuse,
    /// Metres per degree at the map's centre; of an ESRI grid, which names no unit, it says that it is in degrees.
    Local,
}

#[derive(JsonSchema)]
pub(super) enum Interpolation {
    #[schemars(rename = "cubic")]
    Cubic,
    #[schemars(rename = "quintic")]
    Quintic,
    #[schemars(rename = "quintic_corrected")]
    QuinticCorrected,
    #[schemars(rename = "quintic_6x6")]
    Quintic6x6,
    #[schemars(rename = "6x6")]
    SixBySix,
}

/// Heights from a formula, at most 4 million nodes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Generated {
    /// z (m) as a formula of x and y (m), such as "0.1*sin(2*pi*x/3)".
    formula: String,
    /// Extent along x and y (m).
    size: [Quantity; 2],
    /// Between nodes (m).
    spacing: Quantity,
    /// Middle of the map (m); the origin if absent.
    center: Option<[Quantity; 2]>,
}

/// The ground: a fixed body named `terrain`, from a file (`map`), from numbers (`z`) or from a formula (`generated`).
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Terrain {
    /// ESRI ASCII grid, GeoTIFF or 16-bit PNG, relative to the scene.
    map: Option<String>,
    /// What a PNG cannot say.
    png: Option<Png>,
    /// What to do with a map in degrees; refuse if absent.
    degrees: Option<Degrees>,
    /// Spacing of columns of `z` (m).
    dx: Option<Quantity>,
    /// Spacing of rows of `z` (m).
    dy: Option<Quantity>,
    /// Place of the south-west node of `z` (m); 0 if absent.
    x0: Option<Quantity>,
    /// Place of the south-west node of `z` (m); 0 if absent.
    y0: Option<Quantity>,
    /// Rows of heights (m), row 0 in the south; nan for no data.
    z: Option<Vec<Vec<Quantity>>>,
    /// Heights from a formula.
    generated: Option<Generated>,
    /// Smooth patches through the samples; quintic if absent.
    kind: Option<Interpolation>,
    /// Place of the map that comes to the world's origin: "corner" (south-west node), "center", [x, y] or [x, y, z]; the corner for files, [0, 0] for others if absent.
    origin: Option<Origin>,
    /// Name of its material.
    material: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Origin {
    Named(NamedOrigin),
    Place([Quantity; 2]),
    PlaceAndHeight(Vector),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum NamedOrigin {
    Center,
    Corner,
}
