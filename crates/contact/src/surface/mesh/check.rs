//! # Check: from anybody's triangles to a [`TriangleMesh`]
//!
//! - **in**: vertices (m) and triangles
//! - **out**: the mesh, and a [`MeshWarning`] for all that was changed or is doubtful
//! - **not here**: holes are counted, not filled; crossing surfaces are not looked for
//! - **assumes**: nothing
//! - **start at** [`TriangleMesh::new`], whose steps are the functions below, in order

use std::collections::HashSet;

use nalgebra::{Point3, Vector3};

use super::edges::{NONE, pair};
use super::weld::{DistinctPoints, join};
use super::{MeshError, MeshWarning, TriangleMesh};

/// Largest coordinate (m): fifth powers of lengths, as in inertia, must stay finite.
const LARGEST: f64 = 1e50;
/// Largest number of triangles or vertices: half-edges are numbered in 32 bits.
const MOST: usize = (u32::MAX / 3) as usize - 1;
/// A triangle this much flatter than its longest edge squared has no normal but round-off.
const FLAT: f64 = 1e-13;

impl TriangleMesh {
    /// Check vertices (m) and triangles, and repair what can be repaired without a guess.
    ///
    /// - vertices at one place (equal bits) become one where that closes an edge, see `weld`
    /// - triangles without area, or stored twice, are dropped, and so are vertices that no triangle names
    /// - a watertight mesh with negative volume is inside out: it is turned
    pub fn new(vertices: Vec<Point3<f64>>, faces: Vec<[u32; 3]>) -> Result<(Self, Vec<MeshWarning>), MeshError> {
        check_numbers(&vertices, &faces)?;
        let got = faces.len();
        let mut warnings = Vec::new();
        let (faces, seams) = weld_and_drop(&vertices, faces, &mut warnings);
        if faces.is_empty() {
            return Err(MeshError::Empty { got });
        }
        let mut mesh = drop_unused(Self { vertices, faces, seams }, &mut warnings);
        let edges = mesh.pair_edges();
        if edges.unbalanced == 0 && signed_volume(&mesh) < 0.0 {
            mesh.turn();
            warnings.push(MeshWarning::InsideOut);
        }
        if edges.open > 0 {
            warnings.push(MeshWarning::OpenEdges { count: edges.open });
        }
        if edges.non_manifold > 0 {
            warnings.push(MeshWarning::NonManifoldEdges { count: edges.non_manifold });
        }
        Ok((mesh, warnings))
    }

    /// Swap inside and outside.
    fn turn(&mut self) {
        self.faces.iter_mut().chain(&mut self.seams).for_each(|f| f.swap(1, 2));
    }
}

fn check_numbers(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Result<(), MeshError> {
    for (what, got) in [("vertices", vertices.len()), ("triangles", faces.len())] {
        if got > MOST {
            return Err(MeshError::TooLarge { what, got, limit: MOST });
        }
    }
    // NaN fails the comparison too.
    if let Some(vertex) = vertices.iter().position(|p| !p.iter().all(|x| x.abs() <= LARGEST)) {
        let Point3 { coords } = vertices[vertex];
        return Err(MeshError::NotFinite { vertex, x: coords.x, y: coords.y, z: coords.z });
    }
    for (face, corners) in faces.iter().enumerate() {
        if let Some(&got) = corners.iter().find(|&&k| k as usize >= vertices.len()) {
            return Err(MeshError::BadIndex { face, got, vertices: vertices.len() });
        }
    }
    Ok(())
}

/// Whether a triangle has a normal.
fn has_area([a, b, c]: [Point3<f64>; 3]) -> bool {
    let [ab, bc, ca]: [Vector3<f64>; 3] = [b - a, c - b, a - c];
    let longest = ab.norm_squared().max(bc.norm_squared()).max(ca.norm_squared());
    ab.cross(&ca).norm() > FLAT * longest
}

/// The triangles with area, and the seams: triangles between three places on one line.
///
/// A seam must not be forgotten: its long edge borders one triangle and its two short ones others, which would look
/// open without it. A triangle with two corners at one place can be, if those become one vertex: its neighbours then
/// meet along one edge.
fn weld_and_drop(
    vertices: &[Point3<f64>],
    faces: Vec<[u32; 3]>,
    warnings: &mut Vec<MeshWarning>,
) -> (Vec<[u32; 3]>, Vec<[u32; 3]>) {
    let got = faces.len();
    let mut points = DistinctPoints::with_capacity(vertices.len());
    let place: Vec<u32> = vertices.iter().map(|p| points.index_of(*p)).collect();
    let places = points.len();
    let by_place = |face: &[u32; 3]| face.map(|v| place[v as usize]);

    let distinct = |[a, b, c]: [u32; 3]| a != b && b != c && c != a;
    let named = faces.into_iter().filter(|face| distinct(*face));
    let (mut proper, mut collapsed): (Vec<_>, Vec<_>) = named.partition(|face| distinct(by_place(face)));
    // Stored twice: the same places in the same cyclic order. Looked for only where edges show that it is possible.
    let mut placed: Vec<[u32; 3]> = proper.iter().map(by_place).collect();
    let mut doubles = proper.len();
    let mut by_place_edges = pair(places, &placed);
    if by_place_edges.repeated {
        let mut seen = HashSet::with_capacity(proper.len());
        proper.retain(|face| seen.insert(from_lowest(by_place(face))));
        placed = proper.iter().map(by_place).collect();
        by_place_edges = pair(places, &placed);
    }
    doubles -= proper.len();
    if places < vertices.len() {
        let becomes = choose_weld(vertices.len(), &proper, &collapsed, &by_place_edges.twin);
        count_welded(&becomes, &place, &proper, warnings);
        for corner in proper.iter_mut().chain(&mut collapsed).flatten() {
            *corner = becomes[*corner as usize];
        }
    }
    let corners = |face: &[u32; 3]| face.map(|v| vertices[v as usize]);
    let (kept, mut seams): (Vec<_>, Vec<_>) = proper.into_iter().partition(|face| has_area(corners(face)));
    seams.extend(collapsed.into_iter().filter(|face| distinct(*face)));
    let flat = got - doubles - kept.len();
    if flat > 0 {
        warnings.push(MeshWarning::ZeroArea { count: flat });
    }
    if doubles > 0 {
        warnings.push(MeshWarning::Duplicates { count: doubles });
    }
    (kept, seams)
}

/// For every stored vertex the vertex it becomes.
///
/// First every edge that closes by place is closed, triangles collapsed to a line being nothing. Where that puts more
/// than two triangles on some edge which had two as stored, only edges open as stored are closed instead, collapsed
/// triangles being kept as seams.
fn choose_weld(vertices: usize, proper: &[[u32; 3]], collapsed: &[[u32; 3]], by_place: &[u32]) -> Vec<u32> {
    let becomes = join(vertices, proper, by_place, |_, _| true);
    let welded: Vec<[u32; 3]> = proper.iter().map(|face| face.map(|v| becomes[v as usize])).collect();
    let stored = pair(vertices, &[proper, collapsed].concat());
    if pair(vertices, &welded).non_manifold <= stored.non_manifold {
        return becomes;
    }
    join(vertices, proper, by_place, |h, t| stored.twin[h] == NONE && stored.twin[t] == NONE)
}

/// Tell of vertices replaced, and of the second and later vertices at one place that stay.
fn count_welded(becomes: &[u32], place: &[u32], proper: &[[u32; 3]], warnings: &mut Vec<MeshWarning>) {
    let mut used = vec![false; becomes.len()];
    proper.iter().flatten().for_each(|&v| used[v as usize] = true);
    let used = || (0..becomes.len()).filter(|&v| used[v]);
    let welded = used().filter(|&v| becomes[v] != v as u32).count();
    let mut taken = vec![NONE; place.len()];
    let mut apart = 0;
    let mut leaders: Vec<u32> = used().map(|v| becomes[v]).collect();
    leaders.sort_unstable();
    leaders.dedup();
    for v in leaders {
        let at = place[v as usize] as usize;
        apart += usize::from(std::mem::replace(&mut taken[at], v) != NONE);
    }
    if welded > 0 {
        warnings.push(MeshWarning::Welded { count: welded });
    }
    if apart > 0 {
        warnings.push(MeshWarning::LeftApart { count: apart });
    }
}

/// The same triangle beginning with its lowest corner.
fn from_lowest([a, b, c]: [u32; 3]) -> [u32; 3] {
    match a.min(b).min(c) {
        low if low == a => [a, b, c],
        low if low == b => [b, c, a],
        _ => [c, a, b],
    }
}

/// Keep the vertices that triangles name, in their order.
fn drop_unused(mut mesh: TriangleMesh, warnings: &mut Vec<MeshWarning>) -> TriangleMesh {
    let mut number = vec![NONE; mesh.vertices.len()];
    mesh.faces.iter().chain(&mesh.seams).flatten().for_each(|&v| number[v as usize] = 0);
    let mut used = 0;
    for n in number.iter_mut().filter(|n| **n == 0) {
        *n = used;
        used += 1;
    }
    let unused = mesh.vertices.len() - used as usize;
    if unused == 0 {
        return mesh;
    }
    let mut keep = number.iter().map(|&n| n != NONE);
    mesh.vertices.retain(|_| keep.next() == Some(true));
    for corner in mesh.faces.iter_mut().chain(&mut mesh.seams).flatten() {
        *corner = number[*corner as usize];
    }
    // Welded vertices are unused as well, but told of already.
    let welded = warnings.iter().find_map(|w| if let MeshWarning::Welded { count } = w { Some(*count) } else { None });
    let count = unused - welded.unwrap_or(0);
    if count > 0 {
        warnings.push(MeshWarning::UnusedVertices { count });
    }
    mesh
}

/// Volume enclosed by a watertight mesh, negative if it is inside out (m³).
fn signed_volume(mesh: &TriangleMesh) -> f64 {
    let origin = mesh.bounds().centre();
    mesh.triangles().map(|t| t.map(|p| p - origin)).map(|[a, b, c]| a.dot(&b.cross(&c))).sum::<f64>() / 6.0
}
