//! # Polyhedron: a mesh taken by its facets, with rounded edges
//!
//! [`MeshSolid`] ──▶ **here** ──(exact signed distance, n, Dn; corners, edges, planes)──▶ `track`
//!
//! - **in**: a closed mesh and the radius ρ of its edges (m)
//! - **out**: *core ⊕ ball ρ*: the facets moved inwards by ρ (`core`), grown by ρ again
//! - **not here**: curved bodies that the facets stand for ([`smooth`](super::smooth))
//! - **assumes**: a closed mesh that does not cross itself; else there is an error
//! - **start at** [`Polyhedron::new`], then [`Polyhedron::closest`]; [`corners`](Polyhedron::corners),
//!   [`edges`](Polyhedron::edges) and [`planes`](Polyhedron::planes) are what another body can touch
//!
//! The body is what a rounded box is to its box: flats stay where the facets are, edges become tubes of radius ρ around
//! core edges, corners balls around core vertices. Hollow edges stay sharp. Distance is that of the core less ρ, found
//! by the tree: exact near and far from outside. From inside, next to a hollow edge, the depth is short by at most
//! [`bound`](Polyhedron::bound).
//!
//! ```text
//! Dn = 0 on flats;   t tᵀ/ρ on edges, t = n × edge;   (I − n nᵀ)/ρ on corners
//! ```

mod convex;
mod core;
mod features;
mod merge;
mod planes;
mod seams;

pub use features::{CoreEdge, Corner};

use super::smooth::SmoothError;
use super::topology::{Rows, Topology};
use super::{MeshSolid, Region, SolidFoot, TriangleMesh};
use crate::surface::{Bounds, Foot, SmoothSurface, Surface, SurfaceError, SurfacePoint};
use convex::Convex;
use core::{Core, planes_at};
use nalgebra::{Matrix3, Point3, Vector3};
use planes::Planes;

/// A closed mesh as core ⊕ ball.
#[derive(Clone, Debug)]
pub struct Polyhedron {
    core: MeshSolid,
    radius: f64,
    bound: f64,
    planes: Planes,
    /// Planes at each vertex.
    around: Rows,
    corners: Vec<Corner>,
    edges: Vec<CoreEdge>,
    hull: bool,
    convex: bool,
}

impl Polyhedron {
    /// Rounds the edges of a closed mesh; `radius` (m), or the default if absent: 1 % of the diagonal, or less where
    /// facets are small or edges sharp.
    pub fn new(solid: &MeshSolid, radius: Option<f64>) -> Result<Self, SmoothError> {
        if !solid.is_watertight() {
            return Err(SmoothError::NotClosed);
        }
        if !solid.mesh().seams.is_empty() {
            let whole = seams::unseamed(solid.mesh()).ok_or(SmoothError::NotClosed)?;
            return Self::new(&MeshSolid::new(whole), radius);
        }
        let mesh = solid.mesh();
        let topology = Topology::new(mesh.vertices(), mesh.faces());
        let plain = merge::merged(mesh, &topology, &Planes::of(mesh, &topology));
        let Core { vertices, radius, bound } = Core::fit(solid, &plain, radius)?;
        let core = TriangleMesh { vertices, faces: plain.faces, seams: Vec::new() };
        Ok(Self::from_core(core, radius, bound))
    }

    /// About the default radius of the edges of a mesh (m), without making it; 0 if some vertex cannot be rounded.
    pub(super) fn room(mesh: &TriangleMesh) -> f64 {
        let topology = Topology::new(mesh.vertices(), mesh.faces());
        core::room(&merge::merged(mesh, &topology, &Planes::of(mesh, &topology)))
    }

    /// Whether this is the hull of a mesh: convex.
    pub fn is_hull(&self) -> bool {
        self.hull
    }

    /// Whether the body is proven to be convex: every corner is below every plane of a facet. Facets in planes that support all
    /// corners lie on the boundary of their hull, and a closed surface made of such facets is all of it.
    pub fn is_convex(&self) -> bool {
        self.hull || self.convex
    }

    /// The convex hull of a mesh with rounded edges, and the facets of the hull.
    pub fn hull(mesh: &TriangleMesh, radius: Option<f64>) -> Result<(Self, TriangleMesh), SmoothError> {
        let Convex { outer, core, radius, bound } = Convex::of(mesh, radius)?;
        Ok((Self { hull: true, ..Self::from_core(core, radius, bound) }, outer))
    }

    /// Planes are those of the core: where a vertex could not keep to all of its planes, they lean by a little.
    fn from_core(core: TriangleMesh, radius: f64, bound: f64) -> Self {
        let vertices = core.vertices();
        let topology = &Topology::new(vertices, core.faces());
        let planes = Planes::of(&core, topology);
        let edges = features::edges(topology, &planes, vertices);
        let corners = features::corners(topology, &planes, vertices);
        let at = |v: u32| planes_at(topology, &planes, v).into_iter().map(move |k| (v, k));
        let around = Rows::from_pairs(vertices.len(), (0..vertices.len() as u32).flat_map(at));
        let convex = planes.support_all(&core);
        Self { core: MeshSolid::new(core), radius, bound, planes, around, corners, edges, hull: false, convex }
    }

    /// The core: the planes of the mesh, moved inwards. Its facets are others than those of the mesh where several lie in
    /// one plane.
    pub fn core(&self) -> &MeshSolid {
        &self.core
    }

    /// Radius ρ of edges and corners (m); 0 if they are sharp.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// How far the distance to this body may differ from the distance to the facets, anywhere (m).
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Core vertices at which the body has a convex corner.
    pub fn corners(&self) -> &[Corner] {
        &self.corners
    }

    /// Core edges over which the body is convex.
    pub fn edges(&self) -> &[CoreEdge] {
        &self.edges
    }

    /// The planes of the body: outward unit normal and facets. The flat lies ρ above the core facets.
    pub fn planes(&self) -> impl ExactSizeIterator<Item = (Vector3<f64>, &[u32])> {
        self.planes.normals.iter().zip(&self.planes.facets).map(|(n, facets)| (*n, facets.as_slice()))
    }

    /// The plane of a facet, as numbered by [`planes`](Self::planes).
    pub fn plane_of(&self, face: u32) -> u32 {
        self.planes.of_face[face as usize]
    }

    /// The nearest point of the surface to `p` (m), and the core facet under it; `hint` is a facet that may be near.
    pub fn closest(&self, p: &Point3<f64>, hint: Option<u32>) -> Result<SolidFoot, SurfaceError> {
        let mut found = self.core.closest(p, hint)?;
        let Foot { p, nhat, distance } = &mut found.foot;
        if found.region == Region::Face {
            *nhat = self.planes.normals[self.plane_of(found.face) as usize];
        }
        *p += *nhat * self.radius;
        *distance -= self.radius;
        Ok(found)
    }

    /// The surface point over a foot on the core, with its curvature.
    pub fn point_at(&self, found: &SolidFoot) -> Result<SurfacePoint, SurfaceError> {
        let n = found.foot.nhat;
        // Under the core's surface, the nearest feature may be a hollow edge: the flats beside it answer.
        let outside = found.foot.distance > -self.radius;
        let round = if outside { self.roundness(found, &n) } else { Matrix3::zeros() };
        if self.radius == 0.0 && round != Matrix3::zeros() {
            let p = found.foot.p;
            return Err(SurfaceError::NoSmoothPoint { x: p.x, y: p.y, z: p.z });
        }
        let Dn = if self.radius > 0.0 { round / self.radius } else { round };
        Ok(SurfacePoint { p: found.foot.p, nhat: n, Dn })
    }

    /// ρ Dn: the projector on the directions in which the surface is round.
    fn roundness(&self, found: &SolidFoot, n: &Vector3<f64>) -> Matrix3<f64> {
        let mesh = self.core.mesh();
        let face = mesh.faces()[found.face as usize];
        // Across a straight edge with this direction.
        let across = |along: Vector3<f64>| {
            let t = n.cross(&along).try_normalize(0.0).unwrap_or_default();
            t * t.transpose()
        };
        match found.region {
            Region::Face => Matrix3::zeros(),
            Region::Edge(k) => {
                let [a, b] = [face[k as usize], face[(k as usize + 1) % 3]];
                let shared = self.around.row(a).iter().filter(|k| self.around.row(b).contains(k)).count();
                let along = mesh.vertices()[b as usize] - mesh.vertices()[a as usize];
                if shared < 2 { Matrix3::zeros() } else { across(along) }
            }
            Region::Vertex(k) => match self.around.row(face[k as usize]) {
                [] | [_] => Matrix3::zeros(),
                &[s, t] => across(self.planes.normals[s as usize].cross(&self.planes.normals[t as usize])),
                _ => Matrix3::identity() - n * n.transpose(),
            },
        }
    }
}

impl Surface for Polyhedron {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        self.closest(p, None).map(|found| found.foot)
    }

    fn bounds(&self) -> Bounds {
        let core = self.core.bounds();
        let room = Vector3::repeat(self.radius);
        Bounds { min: core.min - room, max: core.max + room }
    }
}

impl SmoothSurface for Polyhedron {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        self.point_at(&self.closest(near, None)?)
    }
}
