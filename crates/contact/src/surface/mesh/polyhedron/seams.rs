//! # Seams: a facet beside two others, with a vertex in the middle of its edge
//!
//! - **in**: a mesh that is closed if triangles without area (seams) count
//! - **out**: the same surface closed by facets with area alone
//! - **start at** [`unseamed`]
//!
//! A seam lies on one line: its long side borders one facet, its two short sides two others. The one facet is cut in
//! two at the seam's middle vertex; then the sides match and the seam is not needed.

use super::super::TriangleMesh;
use nalgebra::Point3;
use std::collections::HashMap;

/// The mesh without seams; nothing if the long side of some seam has no facet.
pub(super) fn unseamed(mesh: &TriangleMesh) -> Option<TriangleMesh> {
    let (vertices, mut faces) = (&mesh.vertices, mesh.faces.clone());
    let mut owner: HashMap<(u32, u32), usize> = HashMap::new();
    let sides = |f: [u32; 3]| [(f[0], f[1]), (f[1], f[2]), (f[2], f[0])];
    for (k, &f) in faces.iter().enumerate() {
        owner.extend(sides(f).map(|side| (side, k)));
    }
    let mut left: Vec<[u32; 3]> = mesh.seams.iter().map(|&seam| longest_last(vertices, seam)).collect();
    while !left.is_empty() {
        let before = left.len();
        left.retain(|&[a, middle, c]| {
            let Some(k) = owner.remove(&(a, c)) else { return true };
            let Some(&x) = faces[k].iter().find(|&&v| v != a && v != c) else { return true };
            faces[k] = [a, middle, x];
            faces.push([middle, c, x]);
            owner.extend(sides(faces[k]).map(|side| (side, k)));
            owner.extend(sides([middle, c, x]).map(|side| (side, faces.len() - 1)));
            false
        });
        // The long side of a seam may be a short side of another: that one comes first.
        if left.len() == before {
            return None;
        }
    }
    Some(TriangleMesh { vertices: vertices.clone(), faces, seams: Vec::new() })
}

/// The corners a, m, c of a seam in their order, m between the two others.
fn longest_last(vertices: &[Point3<f64>], seam: [u32; 3]) -> [u32; 3] {
    let length = |k: usize| (vertices[seam[k] as usize] - vertices[seam[(k + 1) % 3] as usize]).norm_squared();
    let k = (0..3).max_by(|&i, &j| length(i).total_cmp(&length(j))).unwrap_or(0);
    // Side k is the long one, from c to a.
    [seam[(k + 1) % 3], seam[(k + 2) % 3], seam[k]]
}
