//! # Core: the polyhedron that a ball of radius ρ is added to
//!
//! mesh, planes ──▶ **here** ──([`Core`]: vertices, ρ, bound)──▶ [`Polyhedron`](super::Polyhedron)
//!
//! - **in**: a closed mesh, its planes, the radius wanted (m)
//! - **out**: the moved vertices, the radius that fits, how far the rounded body departs from the mesh at most
//! - **start at** [`Core::fit`]
//!
//! Every vertex moves by u = ρ w, where w is the least-squares solution of n·w = −1 over the different planes n at the
//! vertex: exact for up to three of them and for every vertex of a cone or a pyramid.
//!
//! **Bound.** Write K for the body of the facets, C for the core, K' = C ⊕ ball ρ, U = max |u|, and m for the least
//! distance between a facet of C and a facet of K. C must lie within K and must not cross itself. Then
//!
//! ```text
//! −(ρ − m) ≤ d_K' − d_K ≤ U − ρ          everywhere, so B = max(U − ρ, ρ − m)
//! ```
//!
//! Right side: moving K's surface to C's moves no point by more than U, so that d_C ≤ d_K + U; and d_K' = d_C − ρ. Left
//! side: a straight way between a point outside K and its foot on C crosses K's surface, at least m before the foot:
//! d_C ≥ d_K + m. From within C the same holds with the surfaces exchanged, and between them d_C ≥ m + d_K since both
//! feet are m apart.

use super::super::bvh::Bvh;
use super::super::facet::triangle_distance;
use super::super::smooth::SmoothError;
use super::super::topology::Topology;
use super::super::{MeshSolid, TriangleMesh};
use super::planes::Planes;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

/// Radius over the diagonal, where nothing else limits it.
const SHARE: f64 = 0.01;
/// Radius over the least altitude of a facet above an edge that bends.
const OF_ALTITUDE: f64 = 0.2;
/// Eigenvalues of Σ n nᵀ below this share of the largest say nothing: the normals there differ by noise.
const RANK: f64 = 1e-6;
/// Largest |n·w + 1|: beyond it a vertex has no place at which all its planes are about ρ away.
const MISFIT: f64 = 0.5;
/// How much a radius that does not fit is lowered, and how often.
const LOWER: f64 = 0.7;
const TRIES: usize = 24;

/// A core that fits.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) vertices: Vec<Point3<f64>>,
    pub(super) radius: f64,
    pub(super) bound: f64,
}

impl Core {
    /// The core for the radius wanted, or for the largest that fits if none is asked for.
    pub(super) fn fit(
        solid: &MeshSolid,
        topology: &Topology,
        planes: &Planes,
        wanted: Option<f64>,
    ) -> Result<Self, SmoothError> {
        let mesh = solid.mesh();
        if let Some(got) = wanted.filter(|r| !(r.is_finite() && *r >= 0.0)) {
            return Err(SmoothError::BadOption { what: "fillet radius (m)", got });
        }
        if wanted == Some(0.0) {
            return Ok(Self { vertices: mesh.vertices().to_vec(), radius: 0.0, bound: 0.0 });
        }
        let ways = ways(mesh, topology, planes)?;
        let longest = ways.iter().map(Vector3::norm).fold(1.0, f64::max);
        let diagonal = 2.0 * mesh.bounds().radius();
        // U − ρ may be 1 % of the diagonal.
        let sharp = if longest > 1.0 { SHARE * diagonal / (longest - 1.0) } else { f64::INFINITY };
        let limit = sharp.min(SHARE * diagonal).min(OF_ALTITUDE * least_altitude(mesh, topology, planes));
        let mut radius = wanted.unwrap_or(limit);
        for _ in 0..TRIES {
            if let Some(core) = Self::try_radius(solid, &ways, longest, radius) {
                return match wanted {
                    Some(got) if got != radius => Err(SmoothError::FilletTooLarge { got, limit: radius }),
                    _ => Ok(core),
                };
            }
            radius *= LOWER;
        }
        Err(SmoothError::NoCore { radius })
    }

    fn try_radius(solid: &MeshSolid, ways: &[Vector3<f64>], longest: f64, radius: f64) -> Option<Self> {
        let mesh = solid.mesh();
        let vertices: Vec<_> = mesh.vertices().iter().zip(ways).map(|(p, w)| p + w * radius).collect();
        let upright = (0..mesh.faces().len()).all(|f| {
            let [a, b, c] = mesh.faces()[f].map(|v| vertices[v as usize]);
            (b - a).cross(&(c - a)).dot(&mesh.face_normal(f)) > 0.5 * (b - a).cross(&(c - a)).norm()
        });
        if !upright || vertices.iter().any(|p| solid.closest(p, None).is_ok_and(|at| at.foot.distance >= 0.0)) {
            return None;
        }
        let bvh = Bvh::new(&vertices, mesh.faces());
        let depth = depth(solid, &bvh, &vertices, radius);
        if depth < 0.5 * radius || crosses_itself(mesh, &bvh, &vertices) {
            return None;
        }
        let bound = (radius * (longest - 1.0)).max(radius - depth);
        Some(Self { vertices, radius, bound })
    }
}

/// w of every vertex: where it goes for a radius of one.
fn ways(mesh: &TriangleMesh, topology: &Topology, planes: &Planes) -> Result<Vec<Vector3<f64>>, SmoothError> {
    (0..mesh.vertices().len() as u32)
        .map(|v| {
            let around = planes_at(topology, planes, v);
            let normals = || around.iter().map(|&k| planes.normals[k as usize]);
            let way = least_squares(normals());
            let misfit = normals().map(|n| (n.dot(&way) + 1.0).abs()).fold(0.0, f64::max);
            if misfit <= MISFIT {
                return Ok(way);
            }
            let p = mesh.vertices()[v as usize];
            Err(SmoothError::NoCorner { vertex: v as usize, x: p.x, y: p.y, z: p.z })
        })
        .collect()
}

/// The different planes at a vertex, in increasing order.
pub(super) fn planes_at(topology: &Topology, planes: &Planes, v: u32) -> Vec<u32> {
    let mut around: Vec<u32> = topology.vertex_faces.row(v).iter().map(|&f| planes.of_face[f as usize]).collect();
    around.sort_unstable();
    around.dedup();
    around
}

/// The shortest w with n·w = −1 for all normals, in the sense of least squares.
fn least_squares(normals: impl Iterator<Item = Vector3<f64>>) -> Vector3<f64> {
    let (mut squares, mut sum) = (Matrix3::zeros(), Vector3::zeros());
    for n in normals {
        squares += n * n.transpose();
        sum += n;
    }
    let eigen = squares.symmetric_eigen();
    let floor = RANK * eigen.eigenvalues.max();
    let part = |k: usize| {
        let axis = eigen.eigenvectors.column(k);
        if eigen.eigenvalues[k] > floor { axis * (-axis.dot(&sum) / eigen.eigenvalues[k]) } else { Vector3::zeros() }
    };
    part(0) + part(1) + part(2)
}

/// The least altitude of a facet over an edge between different planes (m).
fn least_altitude(mesh: &TriangleMesh, topology: &Topology, planes: &Planes) -> f64 {
    let mut least = f64::INFINITY;
    for (f, sides) in topology.face_edges.iter().enumerate() {
        for &e in sides {
            let around = topology.edge_faces.row(e);
            if around.iter().any(|&o| planes.of_face[o as usize] != planes.of_face[f]) {
                let [a, b, c] = mesh.faces()[f].map(|v| mesh.vertices()[v as usize]);
                let [p, q] = topology.edges[e as usize].ends.map(|v| mesh.vertices()[v as usize]);
                least = least.min((b - a).cross(&(c - a)).norm() / (q - p).norm());
            }
        }
    }
    least
}

/// The least distance between a facet of the core and one of the mesh (m), at most `radius`.
fn depth(solid: &MeshSolid, bvh: &Bvh, vertices: &[Point3<f64>], radius: f64) -> f64 {
    let (mesh, mut least) = (solid.mesh(), radius);
    let corners = |points: &[Point3<f64>], f: u32| mesh.faces()[f as usize].map(|v| points[v as usize]);
    solid.bvh().pairs(mesh.vertices(), bvh, vertices, &Isometry3::identity(), radius, |f, g| {
        least = least.min(triangle_distance(&corners(mesh.vertices(), f), &corners(vertices, g)));
        least
    });
    least
}

/// Whether two facets of the core that share no vertex meet.
fn crosses_itself(mesh: &TriangleMesh, bvh: &Bvh, vertices: &[Point3<f64>]) -> bool {
    let mut crossed = false;
    bvh.pairs(vertices, bvh, vertices, &Isometry3::identity(), 0.0, |f, g| {
        let [f, g] = [f, g].map(|k| mesh.faces()[k as usize]);
        if f < g && !f.iter().any(|v| g.contains(v)) {
            let corners = |face: [u32; 3]| face.map(|v| vertices[v as usize]);
            crossed |= triangle_distance(&corners(f), &corners(g)) == 0.0;
        }
        0.0
    });
    crossed
}
