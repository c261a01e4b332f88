//! # Triangle meshes: bodies given by their facets
//!
//! `fingerpad_files::mesh` ──(vertices, faces)──▶ **here** ──([`TriangleMesh`])──▶ smooth fit, signed distance, mass
//!
//! - **in**: vertices (m) and triangles, counter-clockwise seen from outside
//! - **out**: a checked mesh: every index good, every vertex finite, no facet without area or stored twice
//! - **not here**: files (`fingerpad_files::mesh`); two bodies at once (`track`)
//! - **assumes**: nothing of the input; what was changed or is doubtful comes back as [`MeshWarning`]s
//! - **start at** [`TriangleMesh`] (made by `check`, with `weld` and `edges`), then [`MeshSolid`] (signed distance, on
//!   [`bvh`]) and [`MassProperties`]

mod check;
pub mod choice;
mod edges;
mod facet;
mod hull;
mod progress;
mod trust;
mod weld;
mod winding;

use nalgebra::{Point3, Vector3};

use super::Bounds;
pub use choice::{Fidelity, Reason, SurfaceChoice};
use edges::{Edges, pair};
pub use facet::{Region, closest_on_triangle};
pub use progress::{Stage, UNWATCHED, Watch};
pub use trust::Worst;
pub use weld::DistinctPoints;

pub mod bvh;
pub use bvh::Bvh;

pub mod fit;
pub mod mass;
pub use mass::{MassError, MassProperties};
pub mod polyhedron;
pub use polyhedron::Polyhedron;
pub mod smooth;
pub mod solid;
pub use solid::{InsideRule, MeshSolid, SolidFoot};
pub mod surface;
pub use surface::MeshSurface;
pub mod topology;

/// Vertices and triangles, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<Point3<f64>>,
    faces: Vec<[u32; 3]>,
    /// Dropped triangles between three places on one line: no surface, but without them edges look open.
    seams: Vec<[u32; 3]>,
}

/// Why a mesh could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// No triangle, or none with an area.
    #[error("a mesh needs at least one triangle with an area, got {got} triangles, none of them usable")]
    Empty {
        /// Triangles that came.
        got: usize,
    },
    /// A triangle names a vertex that is not there.
    #[error("triangle {face} names vertex {got}, but there are {vertices} vertices (counted from 0)")]
    BadIndex {
        /// Which triangle, from 0.
        face: usize,
        /// The index it has.
        got: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate is NaN, infinite or beyond 1e50 m.
    #[error("vertex {vertex} must be finite and within 1e50 m, got ({x}, {y}, {z})")]
    NotFinite {
        /// Which vertex, from 0.
        vertex: usize,
        /// The x coordinate received.
        x: f64,
        /// The y coordinate received.
        y: f64,
        /// The z coordinate received.
        z: f64,
    },
    /// More vertices or triangles than indices of 32 bits can name.
    #[error("a mesh may have at most {limit} {what}, got {got}")]
    TooLarge {
        /// Which of the two, in words.
        what: &'static str,
        /// What came.
        got: usize,
        /// Most allowed.
        limit: usize,
    },
}

/// What was changed in a mesh, or is doubtful about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshWarning {
    /// Triangles without area were dropped.
    ZeroArea {
        /// How many.
        count: usize,
    },
    /// Triangles stored a second time were dropped.
    Duplicates {
        /// How many.
        count: usize,
    },
    /// Vertices were replaced by another one at the same place.
    Welded {
        /// How many.
        count: usize,
    },
    /// Vertices share a place with another one but were left apart: joining them would close no edge, or would make
    /// edges with more than two triangles.
    LeftApart {
        /// How many.
        count: usize,
    },
    /// Vertices that no triangle names were dropped.
    UnusedVertices {
        /// How many.
        count: usize,
    },
    /// The mesh was inside out (watertight, negative volume): all triangles were turned.
    InsideOut,
    /// Edges with one triangle only: the mesh is not watertight.
    OpenEdges {
        /// How many.
        count: usize,
    },
    /// Edges with more than two triangles, or with two that are wound against each other.
    NonManifoldEdges {
        /// How many.
        count: usize,
    },
}

impl std::fmt::Display for MeshWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ZeroArea { count } => write!(f, "{count} triangles without area were dropped"),
            Self::Duplicates { count } => write!(f, "{count} triangles stored twice were dropped"),
            Self::Welded { count } => write!(f, "{count} vertices were replaced by another at the same place"),
            Self::LeftApart { count } => {
                write!(f, "{count} vertices share a place with another but were left apart: joining closes no edge")
            }
            Self::UnusedVertices { count } => write!(f, "{count} vertices that no triangle names were dropped"),
            Self::InsideOut => write!(f, "the mesh was inside out (negative volume): all triangles were turned"),
            Self::OpenEdges { count } => write!(f, "{count} edges have one triangle only: the mesh is not watertight"),
            Self::NonManifoldEdges { count } => {
                write!(f, "{count} edges have more than two triangles, or two that are wound against each other")
            }
        }
    }
}

impl TriangleMesh {
    /// The vertices (m).
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// The triangles: three indices into [`vertices`](Self::vertices), counter-clockwise seen from outside.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// The corners of every triangle (m).
    pub fn triangles(&self) -> impl Iterator<Item = [Point3<f64>; 3]> + '_ {
        self.faces.iter().map(|face| face.map(|v| self.vertices[v as usize]))
    }

    /// Unit normal of a triangle, outward.
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn face_normal(&self, face: usize) -> Vector3<f64> {
        let [a, b, c] = self.faces[face].map(|v| self.vertices[v as usize]);
        // Every kept triangle has an area: the length is not zero.
        (b - a).cross(&(c - a)).normalize()
    }

    /// The box around all vertices (m).
    pub fn bounds(&self) -> Bounds {
        let first = self.vertices[0];
        self.vertices
            .iter()
            .fold(Bounds { min: first, max: first }, |box_, p| Bounds { min: box_.min.inf(p), max: box_.max.sup(p) })
    }

    /// What meets along edges, seams included; half-edges of triangles come first.
    fn pair_edges(&self) -> Edges {
        if self.seams.is_empty() {
            return pair(self.vertices.len(), &self.faces);
        }
        let all = [self.faces.as_slice(), &self.seams].concat();
        pair(self.vertices.len(), &all)
    }
}
