//! # Smooth mesh: one fixed C² surface through a triangle mesh
//!
//! vertices, facets ──▶ **here** ──(f, ∇f, ∇²f; points, normals, curvatures)──▶ contact
//!
//! - **in**: vertices (m) and facets, counter-clockwise seen from outside
//! - **out**: [`SmoothMesh`]: a field f that is zero on the surface, with exact first and second derivatives;
//!   surface points, closest points; how well each vertex is represented
//! - **not here**: facet distances far from the surface (`bvh`); curvature at one point of a raw mesh
//!   ([`fit`](super::fit))
//! - **assumes**: facets fine enough for their curvature: features below two edges are rounded, and flagged
//! - **start at** [`SmoothMesh::new`], then [`SmoothMesh::evaluate`]
//!
//! Each vertex gets one general quadric, fitted once; f is their blend with compact weights (partition of unity).
//! Nothing is fitted at run time, so f is one closed formula in x and −∇V(f) conserves energy; a fit that moves with
//! the contact does not. Along creases the mesh is cut into sheets, each with its own blend, and the sheets are
//! joined with a fillet.
//!
//! **f is not a distance**: |∇f| is 0.8 to 1.1 on coarse meshes. Use V(Δ) with [`SmoothMesh::closest`] and force
//! −V'(Δ) n, or V(f) with force −V'(f) ∇f; −V'(f) n loses energy at any step size.

mod cells;
mod fits;
mod grid;
mod join;
mod lsq;
mod project;
mod quadric;
mod quality;
mod rings;
mod setup;
mod sheets;
mod stencil;
mod walls;

pub(super) use lsq::{condition, solve, triangulate};
pub use project::ClosestPoint;
pub use quadric::FieldJet;
pub use quality::{MeshDistance, VertexQuality};
pub use stencil::Terms;
pub(super) use stencil::frame;

use super::SurfaceChoice;
use super::progress::{UNWATCHED, Watch};
use fits::{Fits, Kept, first_touch};
use grid::Level;
use join::Join;
use nalgebra::Point3;
use quadric::{Blend, Quadric};
use sheets::Place;

/// How a mesh is made smooth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothOptions {
    /// Edges that bend by more are creases, if they close around a region (rad); 40° by default.
    pub crease_angle: f64,
    /// Radius of the fillet along creases (m); `Some(0.0)` keeps them sharp, `None` takes 1 % of the diagonal of
    /// the bounding box where facets have room for it.
    pub fillet_radius: Option<f64>,
    /// Rings of neighbours in each fit; `None` lets the noise of the mesh decide (2 to 7).
    pub rings: Option<usize>,
    /// Radius of each vertex's weight over its longest edge, at least 1.2.
    pub support: f64,
    /// Thin walls: half thickness of the layer where a quadric counts, over the distance to the other side.
    pub wall: f64,
    /// Threads for the set-up; the result does not depend on it.
    pub threads: usize,
    /// Fit vertices when a place near them is first asked about, not in the set-up. The surface is the same; the first
    /// question at a place costs some tens of fits, about 0.3 ms.
    pub deferred: bool,
    /// Which surface a [`MeshSurface`](super::MeshSurface) takes; a [`SmoothMesh`] alone is smooth in any case.
    pub surface: SurfaceChoice,
}

impl Default for SmoothOptions {
    fn default() -> Self {
        let crease_angle = 40.0_f64.to_radians();
        Self {
            crease_angle,
            fillet_radius: None,
            rings: None,
            support: 1.5,
            wall: 0.7,
            threads: 1,
            deferred: false,
            surface: SurfaceChoice::Auto,
        }
    }
}

/// Why a mesh could not be made smooth.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SmoothError {
    /// No facet with an area.
    #[error("a smooth mesh needs at least one facet with an area, got none")]
    Empty,
    /// A facet names a vertex that is not there.
    #[error("facet {face} names vertex {got}, but there are {vertices} vertices (counted from 0)")]
    BadIndex {
        /// Which facet, from 0.
        face: usize,
        /// The index it has.
        got: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// Which vertex, from 0.
        vertex: usize,
    },
    /// An option outside its range.
    #[error("{what} must be positive and finite, got {got}")]
    BadOption {
        /// Which option, in words.
        what: &'static str,
        /// What came.
        got: f64,
    },
    /// The fillet would reach beyond the facets at a crease.
    #[error("the fillet radius may be at most {limit} m with the facets along the creases of this mesh, got {got} m")]
    FilletTooLarge {
        /// What came (m).
        got: f64,
        /// The largest radius possible (m).
        limit: f64,
    },
    /// A polyhedral surface was asked for, of a mesh that encloses no volume.
    #[error("flat facets need a closed mesh: one with as many facets on one side of every edge as on the other")]
    NotClosed,
    /// Facets lie on the back of others: there is no inside between them.
    #[error("facets at ({x}, {y}, {z}) m lie back to back: a closed mesh must have some thickness everywhere")]
    NoThickness {
        /// The x coordinate of such a place (m).
        x: f64,
        /// The y coordinate (m).
        y: f64,
        /// The z coordinate (m).
        z: f64,
    },
    /// A vertex has no place about which all its planes could be rounded.
    #[error("the facets at vertex {vertex}, ({x}, {y}, {z}) m, cannot all be rounded: they fold back on each other")]
    NoCorner {
        /// Which vertex, from 0.
        vertex: usize,
        /// Its x coordinate (m).
        x: f64,
        /// Its y coordinate (m).
        y: f64,
        /// Its z coordinate (m).
        z: f64,
    },
    /// No radius fits: somewhere the body has no thickness, or crosses itself.
    #[error(
        "edges cannot be rounded, not even with {radius:e} m: the mesh has no thickness somewhere, or crosses itself"
    )]
    NoCore {
        /// The last radius tried (m).
        radius: f64,
    },
}

/// A triangle mesh as one C² surface.
#[derive(Clone, Debug)]
pub struct SmoothMesh {
    fits: Fits,
    kept: Kept,
    places: Vec<Place>,
    levels: Vec<Level>,
    fillet: f64,
    rings: usize,
    diagonal: f64,
}

impl SmoothMesh {
    /// Fits the mesh with these vertices (m) and facets. Equal vertices are welded, facets without area dropped.
    pub fn new(vertices: &[Point3<f64>], faces: &[[u32; 3]], options: &SmoothOptions) -> Result<Self, SmoothError> {
        Self::watched(vertices, faces, options, UNWATCHED)
    }

    /// The same, telling `watch` how far it is.
    pub fn watched(
        vertices: &[Point3<f64>],
        faces: &[[u32; 3]],
        options: &SmoothOptions,
        watch: &Watch,
    ) -> Result<Self, SmoothError> {
        setup::build(vertices, faces, options, watch)
    }

    /// The field with its derivatives at `x` (m); `None` outside all supports, about 1.4 edges from the mesh.
    pub fn evaluate(&self, x: &Point3<f64>) -> Option<FieldJet> {
        match &self.fits {
            Fits::Made { quadrics, .. } => self.blend(x, |v| &quadrics[v as usize]),
            Fits::Deferred { fits, source } => self.blend(x, |v| first_touch(fits, source, &self.kept, v)),
        }
    }

    #[inline]
    fn blend<'a>(&self, x: &Point3<f64>, quadric: impl Fn(u32) -> &'a Quadric) -> Option<FieldJet> {
        if self.places.len() > 1 {
            return self.blend_sheets(x, quadric);
        }
        let mut blend = Blend::default();
        for level in &self.levels {
            blend.add(level.near(x), &quadric, x);
        }
        blend.jet(&quadric, x)
    }

    /// Vertices are numbered sheet by sheet: each level's list is consumed in step with the others.
    fn blend_sheets<'a>(&self, x: &Point3<f64>, quadric: impl Fn(u32) -> &'a Quadric) -> Option<FieldJet> {
        let sheets = &self.kept.sheet;
        let mut lists: [&[u32]; MOST_LEVELS] = [&[]; MOST_LEVELS];
        for (list, level) in lists.iter_mut().zip(&self.levels) {
            *list = level.near(x);
        }
        let lists = &mut lists[..self.levels.len()];
        let mut join = Join::new(self.fillet);
        while let Some(sheet) = lists.iter().filter_map(|l| l.first()).map(|&v| sheets[v as usize]).min() {
            let mut blend = Blend::default();
            for list in lists.iter_mut() {
                let same = list.iter().take_while(|v| sheets[**v as usize] == sheet).count();
                let (here, rest) = list.split_at(same);
                blend.add(here, &quadric, x);
                *list = rest;
            }
            if let Some(jet) = blend.jet(&quadric, x) {
                join.add(&self.places[sheet as usize], &jet);
            }
        }
        join.finish()
    }

    /// Radius of the fillet along creases (m).
    pub fn fillet_radius(&self) -> f64 {
        self.fillet
    }

    /// Rings of neighbours used for the fits of this mesh.
    pub fn rings(&self) -> usize {
        self.rings
    }

    /// Number of sheets the creases cut the mesh into.
    pub fn sheets(&self) -> usize {
        self.places.len()
    }

    /// Diagonal of the bounding box (m).
    pub fn diagonal(&self) -> f64 {
        self.diagonal
    }

    /// Vertices fitted so far: all, unless fits are deferred. A vertex on a crease counts once per sheet.
    pub fn fitted(&self) -> usize {
        self.fits.count()
    }

    /// Memory of the quadrics and the grid (bytes).
    pub fn bytes(&self) -> usize {
        self.fits.bytes() + self.levels.iter().map(|l| 4 * l.entries()).sum::<usize>()
    }
}

/// Levels of the grid: radii from 1 to 4³¹, more than doubles of one mesh can differ by in practice.
const MOST_LEVELS: usize = 32;
