//! # Planes: facets that lie in one plane
//!
//! - **in**: a mesh with its topology
//! - **out**: [`Planes`]: for each facet its plane, for each plane its normal and facets
//! - **not here**: what is done with a plane (`core`, `features`)
//! - **assumes**: nothing; a group of facets that is not flat is taken as its single facets
//! - **start at** [`Planes::of`]
//!
//! Two neighbours lie in one plane if their edge does not bend, or if the narrower of the two lies in the plane of the
//! other: the normal of a sliver is round-off of its file, its corners are not. A chain of such neighbours may still
//! turn slowly, so each group is checked as a whole.

use super::super::TriangleMesh;
use super::super::topology::Topology;
use nalgebra::{Point3, Vector3};

/// Neighbours whose normals differ by less may share a plane (rad): 0.1°.
const NO_BEND: f64 = 1.75e-3;
/// A sliver that bends by more does not continue its neighbour (rad).
const FOLD: f64 = 1.0;
/// How far the vertices of a plane may be from it, over the diagonal of the mesh: coordinates of 32 bits.
pub(super) const FLATNESS: f64 = 5e-7;

/// Most products of planes and vertices that are looked at.
const LONG: usize = 4_000_000;

/// The planes of a mesh, in the order of their first facets.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    /// The plane of each facet.
    pub(super) of_face: Vec<u32>,
    /// Unit outward normal of each plane.
    pub(super) normals: Vec<Vector3<f64>>,
    /// Facets of each plane, in increasing order.
    pub(super) facets: Vec<Vec<u32>>,
}

impl Planes {
    /// Groups the facets of a mesh.
    pub(super) fn of(mesh: &TriangleMesh, topology: &Topology) -> Self {
        let tolerance = FLATNESS * 2.0 * mesh.bounds().radius();
        let mut planes = Self { of_face: vec![u32::MAX; mesh.faces().len()], normals: vec![], facets: vec![] };
        let mut seen = vec![false; mesh.faces().len()];
        for first in 0..mesh.faces().len() {
            if std::mem::replace(&mut seen[first], true) {
                continue;
            }
            let (mut group, mut next) = (vec![first as u32], 0);
            while next < group.len() {
                for &e in &topology.face_edges[group[next] as usize] {
                    for &other in topology.edge_faces.row(e) {
                        if !seen[other as usize] && continues(mesh, topology, e, tolerance) {
                            seen[other as usize] = true;
                            group.push(other);
                        }
                    }
                }
                next += 1;
            }
            group.sort_unstable();
            match plane(mesh, &group, tolerance) {
                Some(normal) => planes.add(normal, group),
                None => group.iter().for_each(|&f| planes.add(mesh.face_normal(f as usize), vec![f])),
            }
        }
        planes
    }

    /// Whether all vertices are below every plane, but for rounding of coordinates of 32 bits; not told where that would be
    /// long to find out.
    pub(super) fn support_all(&self, mesh: &TriangleMesh) -> bool {
        let tolerance = FLATNESS * 2.0 * mesh.bounds().radius();
        let vertices = mesh.vertices();
        self.normals.len() * vertices.len() <= LONG
            && self.normals.iter().zip(&self.facets).all(|(n, facets)| {
                let on = vertices[mesh.faces()[facets[0] as usize][0] as usize];
                vertices.iter().all(|p| n.dot(&(p - on)) <= tolerance)
            })
    }

    fn add(&mut self, normal: Vector3<f64>, facets: Vec<u32>) {
        facets.iter().for_each(|&f| self.of_face[f as usize] = self.normals.len() as u32);
        self.normals.push(normal);
        self.facets.push(facets);
    }
}

/// Whether the two facets at an edge may lie in one plane.
fn continues(mesh: &TriangleMesh, topology: &Topology, e: u32, tolerance: f64) -> bool {
    let edge = &topology.edges[e as usize];
    let &[s, t] = topology.edge_faces.row(e) else { return false };
    if edge.count != 2 || edge.bend.abs() > FOLD {
        return false;
    }
    if edge.bend.abs() <= NO_BEND {
        return true;
    }
    let base = mesh.vertices()[edge.ends[0] as usize];
    // The far corner of one over the plane of the other; the wider facet has the better plane.
    let height = |over: u32, of: u32| {
        let far = mesh.faces()[of as usize].into_iter().find(|v| !edge.ends.contains(v));
        far.map_or(f64::INFINITY, |v| mesh.face_normal(over as usize).dot(&(mesh.vertices()[v as usize] - base)).abs())
    };
    height(s, t).min(height(t, s)) <= tolerance
}

/// The common normal of a group, if all its corners lie in one plane.
fn plane(mesh: &TriangleMesh, group: &[u32], tolerance: f64) -> Option<Vector3<f64>> {
    let (mut sum, mut area, mut middle) = (Vector3::zeros(), 0.0, Vector3::zeros());
    for &f in group {
        let [a, b, c] = mesh.faces()[f as usize].map(|v| mesh.vertices()[v as usize]);
        let twice = (b - a).cross(&(c - a));
        sum += twice;
        area += twice.norm();
        middle += (a.coords + b.coords + c.coords) / 3.0 * twice.norm();
    }
    let normal = sum.try_normalize(0.0)?;
    let middle = Point3::from(middle / area);
    let corners = group.iter().flat_map(|&f| mesh.faces()[f as usize]);
    let flat = |v: u32| normal.dot(&(mesh.vertices()[v as usize] - middle)).abs() <= tolerance;
    // A facet alone is its own plane, however small.
    (group.len() == 1 || corners.into_iter().all(flat)).then_some(normal)
}
