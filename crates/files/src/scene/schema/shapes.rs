//! # Schema: what a body looks like
//!
//! - **not here**: the document as a whole (`schema`); reading, which never goes through these structs

use super::maps::{Degrees, Generated, Interpolation, Png};
use super::{Quantity, Vector};
use schemars::JsonSchema;

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum ShapeOrName {
    Name(Unsized),
    Table(Shape),
}

#[derive(JsonSchema)]
pub(super) enum Unsized {
    #[schemars(rename = "half_space")]
    HalfSpace,
    #[schemars(rename = "half-space")]
    HalfSpaceHyphen,
}

/// A shape with its sizes (m).
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Shape {
    /// Solid below z = 0.
    HalfSpace {},
    /// Origin at the centre.
    Sphere {
        /// Radius.
        radius: Quantity,
    },
    /// Origin at the centre, axes along x, y, z.
    Ellipsoid {
        /// Semi-axes along x, y, z.
        semi_axes: Vector,
    },
    /// Origin at the centre, axis along z. Edges are never sharp.
    Cylinder {
        /// Radius.
        radius: Quantity,
        /// Half of the length.
        half_length: Quantity,
        /// Radius of its edges; 1 % of the smaller of `radius` and `half_length` if absent.
        edge_radius: Option<Quantity>,
    },
    /// Origin at the centre, axis along z.
    Capsule {
        /// Radius.
        radius: Quantity,
        /// Half of the length of the straight part.
        half_length: Quantity,
    },
    /// Origin at the centre, axis along z.
    Torus {
        /// Radius of the ring.
        major_radius: Quantity,
        /// Radius of the tube.
        minor_radius: Quantity,
    },
    /// Origin at the centre; a box with rounded edges.
    RoundedBox {
        /// Half of each side.
        half_extents: Vector,
        /// Radius of its edges; 1 % of the least half extent if absent.
        edge_radius: Option<Quantity>,
    },
    /// Origin at the centre; a box with rounded edges.
    Box {
        /// Half of each side.
        half_extents: Vector,
        /// Radius of its edges; 1 % of the least half extent if absent.
        edge_radius: Option<Quantity>,
    },
    /// A C2 spline through points [r, z], turned around z.
    Revolution {
        /// Points [r, z], from axis to axis or around a loop.
        profile: Vec<[Quantity; 2]>,
    },
    /// z = Σ c xᵖ yᵠ, solid below.
    Graph {
        /// Terms [p, q, c].
        terms: Vec<[f64; 3]>,
        /// [x0, x1, y0, y1]; the whole plane if absent.
        domain: Option<[Quantity; 4]>,
    },
    /// Heights, solid below; origin at the south-west node.
    Elevation {
        /// ESRI ASCII grid, GeoTIFF or 16-bit PNG, relative to the scene.
        map: Option<String>,
        /// What a PNG cannot say.
        png: Option<Png>,
        /// What to do with a map in degrees; refuse if absent.
        degrees: Option<Degrees>,
        /// Spacing of columns of `z`.
        dx: Option<Quantity>,
        /// Spacing of rows of `z`.
        dy: Option<Quantity>,
        /// Georeferenced x of the south-west node; 0 if absent.
        x0: Option<Quantity>,
        /// Georeferenced y of the south-west node; 0 if absent.
        y0: Option<Quantity>,
        /// Rows of heights, row 0 in the south; nan for no data.
        z: Option<Vec<Vec<Quantity>>>,
        /// Heights from a formula.
        generated: Option<Generated>,
        /// Smooth patches through the samples; quintic if absent.
        interpolation: Option<Interpolation>,
    },
    /// A triangle mesh in the frame of its file (docs/meshes.md).
    Mesh {
        /// STL, OBJ or COLLADA, relative to the scene.
        mesh: String,
        /// Metres per unit of the file, or m, cm, mm, in; m if absent.
        unit: Option<Quantity>,
        /// Radius along creases, of facets along all edges; 0 keeps them sharp. 1 % of the diagonal, where facets have room for it, if absent.
        fillet_radius: Option<Quantity>,
        /// Which surface the mesh stands for; auto if absent.
        surface: Option<MeshSurface>,
    },
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(super) enum MeshSurface {
    /// Smooth where the mesh is fine enough for it, else its facets.
    Auto,
    /// A smooth surface through the vertices.
    Smooth,
    /// Its facets, with rounded edges.
    Facets,
    /// The facets of its convex hull, with rounded edges.
    Hull,
}
