//! # Mesh surface: a triangle mesh as a body with normals and curvatures
//!
//! [`MeshSolid`] (facets, inside) and [`SmoothMesh`] or [`Polyhedron`] ──▶ **here** ──(foot, n, Dn)──▶ `track`
//!
//! - **in**: a checked mesh, and which surface it stands for ([`SurfaceChoice`])
//! - **out**: feet, normals and shape operators of that one surface
//! - **not here**: how it is smoothed ([`smooth`](super::smooth)), how facets are rounded
//!   ([`polyhedron`](super::polyhedron)); inside and outside of facets ([`solid`](super::solid))
//! - **start at** [`MeshSurface::new`]
//!
//! Every answer is of the smooth surface, or every answer is of the rounded facets. For the smooth surface the facets
//! serve as the way there: the nearest facet point starts the search, and only where the search finds no smooth point
//! does the facet answer itself.

use super::polyhedron::Polyhedron;
use super::smooth::{ClosestPoint, SmoothError, SmoothMesh, SmoothOptions};
use super::solid::Parts;
use super::topology::Rows;
use super::{MeshSolid, Stage, TriangleMesh, UNWATCHED, Watch};
use crate::surface::{Bounds, Foot, SmoothSurface, Surface, SurfaceError, SurfacePoint};
use nalgebra::{Point3, Vector3};

/// Which surface a mesh stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SurfaceChoice {
    /// The smooth surface where the mesh is fine enough for one, else its facets.
    #[default]
    Auto,
    /// The smooth surface through the vertices ([`SmoothMesh`]).
    Smooth,
    /// Its facets, with rounded edges ([`Polyhedron`]).
    Facets,
}

/// A triangle mesh with the surface that stands for it.
#[derive(Debug)]
pub struct MeshSurface {
    solid: MeshSolid,
    kind: Kind,
    neighbours: Rows,
}

#[derive(Debug)]
enum Kind {
    Smooth(Box<SmoothMesh>),
    Polyhedron(Box<Polyhedron>),
}

impl MeshSurface {
    /// Makes the surface of a mesh.
    pub fn new(mesh: TriangleMesh, options: &SmoothOptions) -> Result<Self, SmoothError> {
        Self::watched(mesh, options, UNWATCHED)
    }

    /// The same, telling `watch` how far it is. With threads, the facets are prepared while the mesh is smoothed.
    pub fn watched(mesh: TriangleMesh, options: &SmoothOptions, watch: &Watch) -> Result<Self, SmoothError> {
        let facets = || {
            watch(Stage::Tree, 0, 1);
            let parts = Parts::of(&mesh);
            let neighbours = Rows::neighbours(mesh.vertices().len(), mesh.faces());
            watch(Stage::Tree, 1, 1);
            (parts, neighbours)
        };
        if options.surface == SurfaceChoice::Facets {
            let (parts, neighbours) = facets();
            let solid = MeshSolid::assemble(mesh, parts);
            let polyhedron = Polyhedron::new(&solid, options.fillet_radius)?;
            return Ok(Self { solid, kind: Kind::Polyhedron(Box::new(polyhedron)), neighbours });
        }
        let smooth = || SmoothMesh::watched(mesh.vertices(), mesh.faces(), options, watch);
        let ((parts, neighbours), smooth) = if options.threads > 1 {
            std::thread::scope(|scope| {
                let beside = scope.spawn(facets);
                let smooth = smooth();
                // A panic there is a panic here.
                (beside.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), smooth)
            })
        } else {
            (facets(), smooth())
        };
        Ok(Self { kind: Kind::Smooth(Box::new(smooth?)), solid: MeshSolid::assemble(mesh, parts), neighbours })
    }

    /// The facets with inside and outside.
    pub fn solid(&self) -> &MeshSolid {
        &self.solid
    }

    /// The smooth surface, unless the mesh is taken by its facets.
    pub fn smooth(&self) -> Option<&SmoothMesh> {
        match &self.kind {
            Kind::Smooth(smooth) => Some(smooth),
            Kind::Polyhedron(_) => None,
        }
    }

    /// The facets with rounded edges, if the mesh is taken by its facets.
    pub fn polyhedron(&self) -> Option<&Polyhedron> {
        match &self.kind {
            Kind::Smooth(_) => None,
            Kind::Polyhedron(polyhedron) => Some(polyhedron),
        }
    }

    /// Diagonal of the bounding box (m).
    pub fn diagonal(&self) -> f64 {
        2.0 * self.solid.bounds().radius()
    }

    /// Radius of the rounding along edges (m).
    pub fn fillet_radius(&self) -> f64 {
        match &self.kind {
            Kind::Smooth(smooth) => smooth.fillet_radius(),
            Kind::Polyhedron(polyhedron) => polyhedron.radius(),
        }
    }

    /// The surface point nearest to `c` that is reached from `start` (m); of a polyhedron the nearest of all.
    pub fn closest_from(&self, c: &Point3<f64>, start: &Point3<f64>) -> Result<ClosestPoint, SurfaceError> {
        match &self.kind {
            Kind::Smooth(smooth) => smooth.closest(c, start),
            Kind::Polyhedron(polyhedron) => {
                let found = polyhedron.closest(c, None)?;
                let point = polyhedron.point_at(&found)?;
                Ok(ClosestPoint { point, distance: found.foot.distance, evaluations: 1 })
            }
        }
    }

    /// Vertices where `phi` is not above its value at any neighbour, least first; at most 24. NaN means "not here".
    pub fn candidates(&self, phi: impl Fn(&Point3<f64>) -> f64) -> Vec<Point3<f64>> {
        let vertices = self.solid.mesh().vertices();
        let values: Vec<f64> = vertices.iter().map(phi).collect();
        let mut found: Vec<usize> = (0..vertices.len())
            .filter(|&v| {
                // Equal neighbours: the one with the lower number counts.
                let beaten = |o: &u32| {
                    let other = values[*o as usize];
                    other < values[v] || (other == values[v] && (*o as usize) < v)
                };
                !values[v].is_nan() && !self.neighbours.row(v as u32).iter().any(beaten)
            })
            .collect();
        found.sort_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
        found.truncate(24);
        found.into_iter().map(|v| vertices[v]).collect()
    }
}

impl Surface for MeshSurface {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        match &self.kind {
            Kind::Polyhedron(polyhedron) => polyhedron.closest_point(p),
            Kind::Smooth(smooth) => {
                let facet = self.solid.closest(p, None)?;
                Ok(smooth.closest(p, &facet.foot.p).map_or(facet.foot, |found| found.foot()))
            }
        }
    }

    /// The box of a polyhedron; for a smooth surface that of the facets, grown by a hundredth: smoothing moves the
    /// surface by less.
    fn bounds(&self) -> Bounds {
        match &self.kind {
            Kind::Polyhedron(polyhedron) => polyhedron.bounds(),
            Kind::Smooth(smooth) => {
                let facets = self.solid.bounds();
                let room = Vector3::repeat(0.01 * smooth.diagonal());
                Bounds { min: facets.min - room, max: facets.max + room }
            }
        }
    }
}

impl SmoothSurface for MeshSurface {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        match &self.kind {
            Kind::Polyhedron(polyhedron) => polyhedron.point_near(near),
            Kind::Smooth(smooth) => {
                smooth.project(near).or_else(|_| smooth.project(&self.solid.closest(near, None)?.foot.p))
            }
        }
    }

    /// One evaluation: the step −f ∇f/|∇f|², with normal and curvature from where it began.
    fn point_toward(&self, near: &Point3<f64>) -> Result<(SurfacePoint, f64), SurfaceError> {
        let exact = || self.point_near(near).map(|point| (point, 0.0));
        let Kind::Smooth(smooth) = &self.kind else { return exact() };
        let Some(jet) = smooth.evaluate(near) else { return exact() };
        let step = jet.grad * (-jet.f / jet.grad.norm_squared());
        let point = jet.surface_point(near + step);
        if point.nhat.x.is_finite() { Ok((point, step.norm())) } else { exact() }
    }
}
