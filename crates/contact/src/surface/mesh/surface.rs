//! # Mesh surface: a triangle mesh as a smooth body
//!
//! [`MeshSolid`] (facets, inside) and [`SmoothMesh`] (blended quadrics) ──▶ **here** ──(foot, n, Dn)──▶ `track`
//!
//! - **in**: a checked mesh
//! - **out**: feet, normals and shape operators of the one smoothed surface
//! - **not here**: how it is smoothed ([`smooth`](super::smooth)); inside and outside of facets ([`solid`](super::solid))
//! - **start at** [`MeshSurface::new`]
//!
//! Every answer is of the smoothed surface. The facets serve as the way there: the nearest facet point starts the
//! search, and only where the search finds no smooth point does the facet answer itself.

use super::smooth::{SmoothError, SmoothMesh, SmoothOptions};
use super::solid::Parts;
use super::topology::Rows;
use super::{MeshSolid, Stage, TriangleMesh, UNWATCHED, Watch};
use crate::surface::{Bounds, Foot, SmoothSurface, Surface, SurfaceError, SurfacePoint};
use nalgebra::{Point3, Vector3};

/// A triangle mesh with its smoothed surface.
#[derive(Debug)]
pub struct MeshSurface {
    solid: MeshSolid,
    smooth: SmoothMesh,
    neighbours: Rows,
}

impl MeshSurface {
    /// Smooths a mesh.
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
        Ok(Self { smooth: smooth?, solid: MeshSolid::assemble(mesh, parts), neighbours })
    }

    /// The facets with inside and outside.
    pub fn solid(&self) -> &MeshSolid {
        &self.solid
    }

    /// The smoothed surface alone.
    pub fn smooth(&self) -> &SmoothMesh {
        &self.smooth
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
        let facet = self.solid.closest(p, None)?;
        Ok(self.smooth.closest(p, &facet.foot.p).map_or(facet.foot, |found| found.foot()))
    }

    /// The box of the facets, grown by a hundredth: smoothing moves the surface by less.
    fn bounds(&self) -> Bounds {
        let facets = self.solid.bounds();
        let room = Vector3::repeat(0.01 * self.smooth.diagonal());
        Bounds { min: facets.min - room, max: facets.max + room }
    }
}

impl SmoothSurface for MeshSurface {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        self.smooth.project(near).or_else(|_| self.smooth.project(&self.solid.closest(near, None)?.foot.p))
    }

    /// One evaluation: the step −f ∇f/|∇f|², with normal and curvature from where it began.
    fn point_toward(&self, near: &Point3<f64>) -> Result<(SurfacePoint, f64), SurfaceError> {
        let Some(jet) = self.smooth.evaluate(near) else {
            return self.point_near(near).map(|point| (point, 0.0));
        };
        let step = jet.grad * (-jet.f / jet.grad.norm_squared());
        let point = jet.surface_point(near + step);
        if point.nhat.x.is_finite() {
            Ok((point, step.norm()))
        } else {
            self.point_near(near).map(|point| (point, 0.0))
        }
    }
}
