//! # Merge: flat faces without vertices inside, straight edges without vertices between
//!
//! - **in**: a closed mesh with its planes
//! - **out**: the same planes cut into fewer triangles
//! - **not here**: which facets share a plane (`planes`)
//! - **start at** [`merged`]
//!
//! A vertex within a flat face, or on the straight edge of two, carries no shape, but hinders: needles beside an edge
//! would turn over as soon as the edge moves inwards. Such a vertex slides along an edge of the mesh into a neighbour,
//! if all triangles that follow keep their side up. The surface stays where it is, to within the flatness of planes.

use super::super::TriangleMesh;
use super::super::topology::Topology;
use super::core::planes_at;
use super::planes::Planes;
use nalgebra::{Point3, Vector3};

/// Passes over all vertices; one that cannot go may be able to after its neighbours went.
const PASSES: usize = 6;
/// Triangles below this share of their longest side squared are not made (twice the area).
const THIN: f64 = 1e-9;

/// The mesh while its vertices go.
struct Merge<'a> {
    vertices: &'a [Point3<f64>],
    planes: &'a Planes,
    /// Triangles, or nothing where they have vanished; the plane of each is that of the facet.
    faces: Vec<Option<[u32; 3]>>,
    around: Vec<Vec<u32>>,
}

/// The mesh with as few vertices within its planes as this takes away.
pub(super) fn merged(mesh: &TriangleMesh, topology: &Topology, planes: &Planes) -> TriangleMesh {
    let count = mesh.vertices().len();
    let around = (0..count as u32).map(|v| topology.vertex_faces.row(v).to_vec()).collect();
    let faces = mesh.faces().iter().map(|f| Some(*f)).collect();
    let mut merge = Merge { vertices: mesh.vertices(), planes, faces, around };
    let mut idle: Vec<u32> = (0..count as u32).filter(|&v| planes_at(topology, planes, v).len() < 3).collect();
    for _ in 0..PASSES {
        let before = idle.len();
        idle.retain(|&v| !merge.slide(v));
        if idle.len() == before {
            break;
        }
    }
    let mut number = vec![u32::MAX; count];
    let mut vertices = Vec::new();
    let mut numbered = |v: u32| {
        if number[v as usize] == u32::MAX {
            number[v as usize] = vertices.len() as u32;
            vertices.push(mesh.vertices()[v as usize]);
        }
        number[v as usize]
    };
    let faces = merge.faces.iter().flatten().map(|f| f.map(&mut numbered)).collect();
    TriangleMesh { vertices, faces, seams: Vec::new() }
}

impl Merge<'_> {
    /// Triangles at a vertex, with their planes.
    fn fan(&self, v: u32) -> impl Iterator<Item = ([u32; 3], u32)> + Clone + '_ {
        self.around[v as usize].iter().filter_map(|&f| Some((self.faces[f as usize]?, self.planes.of_face[f as usize])))
    }

    /// Vertices joined to a vertex; nothing unless each has two triangles with it, one on either side.
    fn ring(&self, v: u32) -> Option<Vec<u32>> {
        let next = |f: [u32; 3], k: usize| f[(f.iter().position(|&x| x == v).unwrap_or(0) + k) % 3];
        let mut ahead: Vec<u32> = self.fan(v).map(|(f, _)| next(f, 1)).collect();
        let mut behind: Vec<u32> = self.fan(v).map(|(f, _)| next(f, 2)).collect();
        ahead.sort_unstable();
        behind.sort_unstable();
        let simple = ahead.len() >= 3 && ahead == behind && ahead.windows(2).all(|w| w[0] != w[1]);
        simple.then_some(ahead)
    }

    /// Moves a vertex into the neighbour that leaves the best triangles; whether there is one.
    fn slide(&mut self, v: u32) -> bool {
        let Some(ring) = self.ring(v) else { return false };
        let better = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1));
        let best = ring.iter().filter_map(|&t| Some((self.quality(v, t, &ring)?, t))).max_by(better);
        let Some((_, t)) = best else { return false };
        for f in std::mem::take(&mut self.around[v as usize]) {
            let Some(face) = &mut self.faces[f as usize] else { continue };
            if face.contains(&t) {
                self.faces[f as usize] = None;
            } else {
                face.iter_mut().filter(|x| **x == v).for_each(|x| *x = t);
                self.around[t as usize].push(f);
            }
        }
        true
    }

    /// The least quality of the triangles left when v has gone to t, if all of them are good.
    fn quality(&self, v: u32, t: u32, ring: &[u32]) -> Option<f64> {
        // On the edge of two planes only along that edge: t has a triangle of each with v.
        let mut planes: Vec<u32> = self.fan(v).map(|(_, plane)| plane).collect();
        planes.sort_unstable();
        planes.dedup();
        let with_t = |plane: u32| self.fan(v).any(|(f, k)| k == plane && f.contains(&t));
        if !planes.iter().all(|&plane| with_t(plane)) {
            return None;
        }
        // Only the two triangles at the edge v t may vanish: no other neighbour is shared.
        let others = self.ring(t)?;
        if ring.iter().filter(|x| others.contains(x)).count() != 2 {
            return None;
        }
        let mut least = f64::INFINITY;
        for (f, plane) in self.fan(v).filter(|(f, _)| !f.contains(&t)) {
            let [a, b, c] = f.map(|x| self.vertices[if x == v { t } else { x } as usize]);
            let sides: [Vector3<f64>; 3] = [b - a, c - b, a - c];
            let longest = sides.iter().map(Vector3::norm_squared).fold(0.0, f64::max);
            let up = sides[0].cross(&sides[1]).dot(&self.planes.normals[plane as usize]) / longest;
            if up < THIN {
                return None;
            }
            least = least.min(up);
        }
        Some(least)
    }
}
