//! # Solid: signed distance to the body inside a mesh
//!
//! [`TriangleMesh`] ──▶ **here** ──(foot, sign)──▶ `track`, smooth fit
//!
//! - **in**: a mesh; a point (m)
//! - **out**: the nearest facet point, on which feature it lies, and the distance, negative inside
//! - **not here**: curvature (`smooth`)
//! - **assumes**: shells nest as solids do: a cavity is wound the other way round, shells do not cross
//! - **start at** [`MeshSolid::new`], then [`MeshSolid::closest`]
//!
//! **Inside rule.** For a watertight mesh the sign is that of (p − foot)·N, N the pseudo-normal of the nearest feature:
//! the normal of a face, the sum of both normals at an edge, the sum weighted by angles at a vertex (Bærentzen and
//! Aanæs 2005), which is right for every point. The normal of one of the nearest faces is not: at a corner it may point
//! away from p. Where a feature has no pseudo-normal (a vertex where two fans touch, an edge with four
//! triangles), and everywhere on a mesh that is not watertight, a point is inside if its winding number exceeds ½
//! (Jacobson 2013), and [`MeshSolid::inside_rule`] says so.

use std::sync::OnceLock;

use nalgebra::{Point3, Vector3};

use super::bvh::{Bvh, FacetPoint};
use super::edges::NONE;
use super::winding::Moments;
use super::{Region, TriangleMesh};
use crate::surface::{Bounds, Foot, Surface, SurfaceError, finite};

/// (p − foot)·N smaller than this fraction of its factors is round-off.
const DOUBT: f64 = 1e-9;
/// Nearer than this fraction of the mesh's radius, p − foot has no direction.
const TOUCHING: f64 = 1e-9;

/// How inside and outside are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsideRule {
    /// By pseudo-normals: exact for watertight meshes.
    PseudoNormals,
    /// By winding number > ½: the mesh is not watertight, and near its holes inside is a matter of definition.
    WindingNumber,
}

/// The body inside a mesh.
#[derive(Clone, Debug)]
pub struct MeshSolid {
    mesh: TriangleMesh,
    bvh: Bvh,
    /// Partner of every half-edge 3 f + k, or `NONE`.
    twin: Vec<u32>,
    /// Pseudo-normals of vertices, not unit; zero where there is none.
    vertex_normals: Vec<Vector3<f64>>,
    watertight: bool,
    manifold: bool,
    radius: f64,
    /// Made when first asked for: most meshes never ask.
    moments: OnceLock<Moments>,
}

/// All that a solid adds to its mesh.
pub(super) struct Parts {
    bvh: Bvh,
    twin: Vec<u32>,
    vertex_normals: Vec<Vector3<f64>>,
    watertight: bool,
    manifold: bool,
    radius: f64,
}

impl Parts {
    pub(super) fn of(mesh: &TriangleMesh) -> Self {
        let edges = mesh.pair_edges();
        let mut twin = edges.twin;
        // A seam is no neighbour with a normal.
        let half_edges = 3 * mesh.faces().len();
        twin.truncate(half_edges);
        twin.iter_mut().filter(|t| **t as usize >= half_edges).for_each(|t| *t = NONE);
        let watertight = edges.unbalanced == 0;
        let (vertex_normals, all_round) = vertex_normals(mesh, &twin);
        let manifold = all_round && edges.open == 0 && edges.non_manifold == 0;
        let bvh = Bvh::new(mesh.vertices(), mesh.faces());
        Self { bvh, twin, vertex_normals, watertight, manifold, radius: mesh.bounds().radius() }
    }
}

/// The foot of a point on a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidFoot {
    /// Point, normal and signed distance.
    pub foot: Foot,
    /// The triangle it lies on; a good hint for the next query.
    pub face: u32,
    /// Which part of the triangle.
    pub region: Region,
}

impl MeshSolid {
    /// Prepare a mesh for questions of distance.
    pub fn new(mesh: TriangleMesh) -> Self {
        let parts = Parts::of(&mesh);
        Self::assemble(mesh, parts)
    }

    /// A mesh with the parts made from it.
    pub(super) fn assemble(mesh: TriangleMesh, parts: Parts) -> Self {
        let Parts { bvh, twin, vertex_normals, watertight, manifold, radius } = parts;
        Self { mesh, bvh, twin, vertex_normals, watertight, manifold, radius, moments: OnceLock::new() }
    }

    /// The same solid with inside and outside told by winding number: right also where shells cross each other.
    pub(super) fn by_winding(self) -> Self {
        Self { watertight: false, ..self }
    }

    /// The mesh.
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// The tree over its triangles.
    pub fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// Whether every edge has as many triangles one way as the other: the mesh encloses a volume.
    pub fn is_watertight(&self) -> bool {
        self.watertight
    }

    /// Whether every edge has two triangles with area and every vertex one fan of them.
    pub fn is_manifold(&self) -> bool {
        self.manifold
    }

    /// How inside and outside are told apart; anything but pseudo-normals deserves a warning.
    pub fn inside_rule(&self) -> InsideRule {
        if self.watertight { InsideRule::PseudoNormals } else { InsideRule::WindingNumber }
    }

    /// Bytes on the heap.
    pub fn memory(&self) -> usize {
        self.bvh.memory()
            + size_of_val(self.mesh.vertices())
            + size_of_val(self.mesh.faces())
            + size_of_val(self.twin.as_slice())
            + size_of_val(self.vertex_normals.as_slice())
    }

    /// The nearest point of the mesh to `p` (m), with signed distance; `hint` is a triangle that may be near.
    pub fn closest(&self, p: &Point3<f64>, hint: Option<u32>) -> Result<SolidFoot, SurfaceError> {
        finite(p)?;
        let found = self.bvh.closest(self.mesh.vertices(), p, f64::INFINITY, hint);
        // Only squares that overflow leave nothing found.
        let found = found.ok_or(SurfaceError::NoSmoothPoint { x: p.x, y: p.y, z: p.z })?;
        let distance = found.distance_squared.sqrt();
        let normal = self.pseudo_normal(&found);
        let inside = self.is_inside(p, &found, normal);
        let nhat = self.outward(p, &found, normal, distance, inside);
        let foot = Foot { p: found.p, nhat, distance: if inside { -distance } else { distance } };
        Ok(SolidFoot { foot, face: found.face, region: found.region })
    }

    /// How often the surface winds around `p`: 1 inside, 0 outside, between them near holes.
    pub fn winding_number(&self, p: &Point3<f64>) -> f64 {
        let moments = self.moments.get_or_init(|| Moments::new(&self.bvh, self.mesh.vertices()));
        moments.winding_number(&self.bvh, self.mesh.vertices(), p)
    }

    /// The pseudo-normal of the feature that `found` lies on, not unit; nothing where there is none.
    fn pseudo_normal(&self, found: &FacetPoint) -> Option<Vector3<f64>> {
        let face = found.face as usize;
        match found.region {
            Region::Face => Some(self.face_normal(face)),
            Region::Edge(k) => {
                let twin = self.twin[3 * face + k as usize];
                (twin != NONE).then(|| self.face_normal(face) + self.face_normal(twin as usize / 3))
            }
            Region::Vertex(k) => {
                let normal = self.vertex_normals[self.mesh.faces()[face][k as usize] as usize];
                (normal != Vector3::zeros()).then_some(normal)
            }
        }
    }

    /// Unit normal of a triangle.
    fn face_normal(&self, face: usize) -> Vector3<f64> {
        self.mesh.face_normal(face)
    }

    fn is_inside(&self, p: &Point3<f64>, found: &FacetPoint, normal: Option<Vector3<f64>>) -> bool {
        if let (true, Some(normal)) = (self.watertight, normal) {
            // On a face, measure from a corner: p − foot is all round-off next to the surface.
            let corner = self.mesh.faces()[found.face as usize][0];
            let on_face = found.region == Region::Face;
            let offset = p - if on_face { self.mesh.vertices()[corner as usize] } else { found.p };
            let slope = normal.dot(&offset);
            if on_face || found.distance_squared == 0.0 || slope.abs() > DOUBT * normal.norm() * offset.norm() {
                return slope < 0.0;
            }
        }
        self.winding_number(p) > 0.5
    }

    /// Unit outward normal at the foot: the gradient of the signed distance, or the pseudo-normal if p is on the mesh.
    fn outward(
        &self,
        p: &Point3<f64>,
        found: &FacetPoint,
        normal: Option<Vector3<f64>>,
        distance: f64,
        inside: bool,
    ) -> Vector3<f64> {
        let away = if inside { found.p - p } else { p - found.p };
        let face_normal = self.face_normal(found.face as usize);
        if found.region == Region::Face {
            // A facet of an open mesh may be wound against the inside rule.
            let against = distance > TOUCHING * self.radius && face_normal.dot(&away) < 0.0;
            return if against { -face_normal } else { face_normal };
        }
        if distance > TOUCHING * self.radius {
            return away / away.norm();
        }
        normal.and_then(|n| n.try_normalize(f64::MIN_POSITIVE)).unwrap_or(face_normal)
    }
}

impl Surface for MeshSolid {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        self.closest(p, None).map(|found| found.foot)
    }

    fn bounds(&self) -> Bounds {
        self.bvh.bounds()
    }
}

/// Sums of normals weighted by angles, and whether every vertex has one; zero at vertices that have none: on an open
/// or crowded edge, or with more than one fan of triangles.
fn vertex_normals(mesh: &TriangleMesh, twin: &[u32]) -> (Vec<Vector3<f64>>, bool) {
    let mut normals = vec![Vector3::zeros(); mesh.vertices().len()];
    let mut corners = vec![0_u32; mesh.vertices().len()];
    for (face, (indices, points)) in mesh.faces().iter().zip(mesh.triangles()).enumerate() {
        let n = mesh.face_normal(face);
        for k in 0..3 {
            let [u, v] = [points[(k + 1) % 3] - points[k], points[(k + 2) % 3] - points[k]];
            normals[indices[k] as usize] += n * u.cross(&v).norm().atan2(u.dot(&v));
            corners[indices[k] as usize] += 1;
        }
    }
    // Walk around each vertex once: a single closed fan meets all its corners.
    let mut walked = vec![false; mesh.vertices().len()];
    for start in 0..twin.len() {
        let v = mesh.faces()[start / 3][start % 3] as usize;
        if std::mem::replace(&mut walked[v], true) {
            continue;
        }
        let mut h = start;
        let mut met = 0;
        loop {
            met += 1;
            // The half-edge that ends in v, then its partner, which leaves v again.
            let into = if h % 3 == 0 { h + 2 } else { h - 1 };
            let next = twin[into];
            if next == NONE || met > corners[v] {
                met = 0;
                break;
            }
            h = next as usize;
            if h == start {
                break;
            }
        }
        if met != corners[v] {
            normals[v] = Vector3::zeros();
        }
    }
    // Two flat sides of a sheet cancel: no pseudo-normal either.
    let all_round = normals.iter().all(|n| *n != Vector3::zeros());
    (normals, all_round)
}
