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
use super::planes::{FLATNESS, Planes};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

/// Radius over the diagonal, where nothing else limits it.
pub(super) const SHARE: f64 = 0.01;
/// Radius over the least width of a plane.
pub(super) const OF_WIDTH: f64 = 0.2;
/// Eigenvalues of Σ n nᵀ below this share of the largest say nothing: the normals there differ by noise.
const RANK: f64 = 1e-6;
/// Largest |n·w + 1|: beyond it a vertex has no place at which all its planes are about ρ away.
const MISFIT: f64 = 0.5;
/// How much a radius that does not fit is lowered, and how often.
pub(super) const LOWER: f64 = 0.7;
pub(super) const TRIES: usize = 24;

/// A core that fits.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) vertices: Vec<Point3<f64>>,
    pub(super) radius: f64,
    pub(super) bound: f64,
}

impl Core {
    /// The core for the radius wanted, or for the largest that fits if none is asked for.
    ///
    /// `mesh` is the mesh of the solid with its planes merged.
    pub(super) fn fit(solid: &MeshSolid, mesh: &TriangleMesh, wanted: Option<f64>) -> Result<Self, SmoothError> {
        let topology = &Topology::new(mesh.vertices(), mesh.faces());
        let planes = &Planes::of(mesh, topology);
        check(wanted)?;
        if wanted == Some(0.0) {
            let bound = 2.0 * FLATNESS * 2.0 * mesh.bounds().radius();
            return Ok(Self { vertices: mesh.vertices().to_vec(), radius: 0.0, bound });
        }
        let ways = ways(mesh, topology, planes)?;
        let longest = ways.iter().map(Vector3::norm).fold(1.0, f64::max);
        let mut radius = wanted.unwrap_or_else(|| limit(mesh, topology, planes, longest));
        for _ in 0..TRIES {
            if let Some(core) = Self::try_radius(solid, mesh, &ways, longest, radius) {
                return match wanted {
                    Some(got) if got != radius => Err(SmoothError::FilletTooLarge { got, limit: radius }),
                    _ => Ok(core),
                };
            }
            radius *= LOWER;
        }
        Err(SmoothError::NoCore { radius })
    }

    fn try_radius(
        solid: &MeshSolid,
        mesh: &TriangleMesh,
        ways: &[Vector3<f64>],
        longest: f64,
        radius: f64,
    ) -> Option<Self> {
        let vertices: Vec<_> = mesh.vertices().iter().zip(ways).map(|(p, w)| p + w * radius).collect();
        let upright = (0..mesh.faces().len()).all(|f| {
            let [a, b, c] = mesh.faces()[f].map(|v| vertices[v as usize]);
            (b - a).cross(&(c - a)).dot(&mesh.face_normal(f)) > 0.5 * (b - a).cross(&(c - a)).norm()
        });
        if !upright || vertices.iter().any(|p| solid.closest(p, None).is_ok_and(|at| at.foot.distance >= 0.0)) {
            return None;
        }
        let bvh = Bvh::new(&vertices, mesh.faces());
        let depth = depth(solid, mesh, &bvh, &vertices, radius);
        if depth < 0.5 * radius || crosses_itself(mesh, &bvh, &vertices) {
            return None;
        }
        // Merging keeps every point of a plane to within the flatness of planes.
        let merging = 2.0 * FLATNESS * 2.0 * mesh.bounds().radius();
        let bound = (radius * (longest - 1.0) + merging).max(radius - depth);
        Some(Self { vertices, radius, bound })
    }
}

/// The radius (m) that planes and corners leave room for; 0 if some vertex cannot be rounded.
pub(super) fn room(mesh: &TriangleMesh) -> f64 {
    let topology = &Topology::new(mesh.vertices(), mesh.faces());
    let planes = &Planes::of(mesh, topology);
    ways(mesh, topology, planes).map_or(0.0, |ways| {
        let longest = ways.iter().map(Vector3::norm).fold(1.0, f64::max);
        limit(mesh, topology, planes, longest)
    })
}

/// The largest radius by planes and corners alone, with the longest way of a vertex (m).
fn limit(mesh: &TriangleMesh, topology: &Topology, planes: &Planes, longest: f64) -> f64 {
    let diagonal = 2.0 * mesh.bounds().radius();
    // U − ρ may be 1 % of the diagonal.
    let sharp = if longest > 1.0 { SHARE * diagonal / (longest - 1.0) } else { f64::INFINITY };
    sharp.min(SHARE * diagonal).min(OF_WIDTH * least_width(mesh, topology, planes))
}

pub(super) fn check(wanted: Option<f64>) -> Result<(), SmoothError> {
    match wanted.filter(|r| !(r.is_finite() && *r >= 0.0)) {
        Some(got) => Err(SmoothError::BadOption { what: "fillet radius (m)", got }),
        None => Ok(()),
    }
}

/// w of every vertex: where it goes for a radius of one.
fn ways(mesh: &TriangleMesh, topology: &Topology, planes: &Planes) -> Result<Vec<Vector3<f64>>, SmoothError> {
    let way = |v: u32| {
        let around = planes_at(topology, planes, v);
        let normals = || around.iter().map(|&k| planes.normals[k as usize]);
        let way = least_squares(normals());
        let misfit = normals().map(|n| (n.dot(&way) + 1.0).abs()).fold(0.0, f64::max);
        let p = mesh.vertices()[v as usize];
        if misfit <= MISFIT {
            Ok(way)
        } else {
            Err(SmoothError::NoCorner { vertex: v as usize, x: p.x, y: p.y, z: p.z })
        }
    };
    (0..mesh.vertices().len() as u32).map(way).collect()
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

/// The least width of a plane square to one of its edges (m).
///
/// Widths of planes, not altitudes of facets: a round cap may be cut into ears as thin as its sagitta.
fn least_width(mesh: &TriangleMesh, topology: &Topology, planes: &Planes) -> f64 {
    let mut least = f64::INFINITY;
    for (plane, facets) in planes.facets.iter().enumerate() {
        let foreign = |&f: &u32| planes.of_face[f as usize] != plane as u32;
        let mut borders: Vec<u32> = facets.iter().flat_map(|&f| topology.face_edges[f as usize]).collect();
        borders.retain(|&e| topology.edge_faces.row(e).iter().any(foreign));
        // The width square to one of many edges of a large plane is found from its corners alone.
        let mut corners: Vec<u32> = borders.iter().flat_map(|&e| topology.edges[e as usize].ends).collect();
        corners.sort_unstable();
        corners.dedup();
        for &e in &borders {
            let [p, q] = topology.edges[e as usize].ends.map(|v| mesh.vertices()[v as usize]);
            let square = planes.normals[plane].cross(&(q - p)).normalize();
            let away = |&v: &u32| square.dot(&(mesh.vertices()[v as usize] - p)).abs();
            least = least.min(corners.iter().map(away).fold(0.0, f64::max));
        }
    }
    least
}

/// The least distance between a facet of the core and one of the mesh (m), at most `radius`.
fn depth(solid: &MeshSolid, mesh: &TriangleMesh, bvh: &Bvh, vertices: &[Point3<f64>], radius: f64) -> f64 {
    let (outer, mut least) = (solid.mesh(), radius);
    solid.bvh().pairs(outer.vertices(), bvh, vertices, &Isometry3::identity(), radius, |f, g| {
        let outside = outer.faces()[f as usize].map(|v| outer.vertices()[v as usize]);
        least = least.min(triangle_distance(&outside, &mesh.faces()[g as usize].map(|v| vertices[v as usize])));
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
