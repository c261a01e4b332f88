//! # Hull: the convex hull of points as a mesh
//!
//! - **in**: points (m), and how far beyond the hull a point may be left (m), 0 for none
//! - **out**: the corners and triangles of a closed convex mesh, counter-clockwise seen from outside
//! - **not here**: what a hull is used for ([`polyhedron`](super::polyhedron))
//! - **assumes**: finite points
//! - **start at** [`hull`]
//!
//! Quickhull (Barber 1996): from a tetrahedron, the furthest point outside some facet replaces the facets it sees by a
//! fan from their rim. Points nearer to all facets than the tolerance are left out, so that flat sides of many points
//! are bounded by their corners alone. A point whose rim round-off has torn is left out as well: the hull stays closed,
//! and who needs to know how far points are outside must ask for their distance.

use nalgebra::{Point3, Vector3};
use std::collections::HashMap;

/// Points nearer to a plane than this lie in it, over their extent.
const ROUND_OFF: f64 = 1e-10;

/// A facet of the hull in the making.
struct Facet {
    corners: [u32; 3],
    /// Facet over the side from corner k to corner k + 1.
    beside: [u32; 3],
    normal: Vector3<f64>,
    /// Points outside that are this facet's to take in.
    outside: Vec<u32>,
    alive: bool,
}

/// Vertices (m) and triangles.
pub(super) type Corners = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// The hull of points, or of as many of them that the others are within `tolerance` (m) of its planes; nothing if they
/// lie in a plane.
pub(super) fn hull(points: &[Point3<f64>], tolerance: f64) -> Option<Corners> {
    let size = points.iter().map(|p| (p - points[0]).amax()).fold(0.0, f64::max);
    let tolerance = tolerance.max(ROUND_OFF * size);
    let mut facets = tetrahedron(points, ROUND_OFF * size)?;
    let all: Vec<u32> = (0..points.len() as u32).collect();
    share_out(points, &mut facets, 0, &all, tolerance);
    let mut waiting: Vec<u32> = (0..facets.len() as u32).collect();
    while let Some(f) = waiting.pop() {
        let facet = &facets[f as usize];
        if !facet.alive || facet.outside.is_empty() {
            continue;
        }
        let height = |v: &u32| above(points, facet, &points[*v as usize]);
        let eye = *facet.outside.iter().max_by(|a, b| height(a).total_cmp(&height(b)))?;
        let first = facets.len();
        if !grow(points, &mut facets, f, eye, tolerance, ROUND_OFF * size) {
            facets[f as usize].outside.retain(|&v| v != eye);
            waiting.push(f);
        }
        waiting.extend(first as u32..facets.len() as u32);
    }
    let mut index = HashMap::new();
    let mut corners = Vec::new();
    let faces = facets.iter().filter(|f| f.alive).map(|f| {
        f.corners.map(|v| {
            *index.entry(v).or_insert_with(|| {
                corners.push(points[v as usize]);
                corners.len() as u32 - 1
            })
        })
    });
    let faces = faces.collect();
    Some((corners, faces))
}

/// Height of a point over the plane of a facet (m).
fn above(points: &[Point3<f64>], facet: &Facet, p: &Point3<f64>) -> f64 {
    facet.normal.dot(&(p - points[facet.corners[0] as usize]))
}

fn facet(points: &[Point3<f64>], corners: [u32; 3], beside: [u32; 3]) -> Facet {
    let [a, b, c] = corners.map(|v| points[v as usize]);
    // Without an area nothing is seen to be above it.
    let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
    Facet { corners, beside, normal, outside: Vec::new(), alive: true }
}

/// A tetrahedron of points far apart.
fn tetrahedron(points: &[Point3<f64>], tolerance: f64) -> Option<Vec<Facet>> {
    let furthest = |measure: &dyn Fn(&Point3<f64>) -> f64| {
        let best = (0..points.len()).max_by(|&i, &j| measure(&points[i]).total_cmp(&measure(&points[j])))?;
        (measure(&points[best]) > tolerance).then_some(best as u32)
    };
    let at = |v: u32| points[v as usize];
    let start = points.first()?;
    let a = furthest(&|p| (p - start).norm())?;
    let b = furthest(&|p| (p - at(a)).norm())?;
    let along = (at(b) - at(a)).normalize();
    let c = furthest(&|p| (p - at(a)).cross(&along).norm())?;
    let n = (at(b) - at(a)).cross(&(at(c) - at(a))).try_normalize(0.0)?;
    let d = furthest(&|p| n.dot(&(p - at(a))).abs())?;
    // The fourth corner below the first three.
    let [b, c] = if n.dot(&(at(d) - at(a))) < 0.0 { [b, c] } else { [c, b] };
    let faces = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    let beside = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
    Some(faces.into_iter().zip(beside).map(|(f, beside)| facet(points, f, beside)).collect())
}

/// Gives each point to the facet from `first` on that it is furthest above.
fn share_out(points: &[Point3<f64>], facets: &mut [Facet], first: usize, candidates: &[u32], tolerance: f64) {
    for &v in candidates {
        let p = points[v as usize];
        let heights = facets[first..].iter().map(|f| above(points, f, &p)).enumerate();
        if let Some((k, height)) = heights.max_by(|a, b| a.1.total_cmp(&b.1))
            && height > tolerance
        {
            facets[first + k].outside.push(v);
        }
    }
}

/// Replaces what `eye` sees, facet `f` among it, by a fan; nothing changes if its rim is no simple loop.
///
/// It sees all facets that it is above, however little: the hull of the points taken stays convex to round-off.
fn grow(points: &[Point3<f64>], facets: &mut Vec<Facet>, f: u32, eye: u32, tolerance: f64, round_off: f64) -> bool {
    let p = points[eye as usize];
    let (mut seen, mut next) = (vec![f], 0);
    facets[f as usize].alive = false;
    while next < seen.len() {
        for other in facets[seen[next] as usize].beside {
            if facets[other as usize].alive && above(points, &facets[other as usize], &p) > 0.5 * round_off {
                facets[other as usize].alive = false;
                seen.push(other);
            }
        }
        next += 1;
    }
    // Sides between what is seen and what is not: from, to, and the facet beyond.
    let mut rim = Vec::new();
    for facet in seen.iter().map(|&s| &facets[s as usize]) {
        let beyond = |k: &usize| facets[facet.beside[*k] as usize].alive;
        rim.extend((0..3).filter(beyond).map(|k| (facet.corners[k], facet.corners[(k + 1) % 3], facet.beside[k])));
    }
    if !is_loop(&rim) {
        seen.iter().for_each(|&s| facets[s as usize].alive = true);
        return false;
    }
    let first = facets.len() as u32;
    let starts: HashMap<u32, u32> = rim.iter().enumerate().map(|(k, side)| (side.0, first + k as u32)).collect();
    let ends: HashMap<u32, u32> = rim.iter().enumerate().map(|(k, side)| (side.1, first + k as u32)).collect();
    for (k, &(a, b, beyond)) in rim.iter().enumerate() {
        facets.push(facet(points, [a, b, eye], [beyond, starts[&b], ends[&a]]));
        let other = &mut facets[beyond as usize];
        for j in 0..3 {
            if other.corners[j] == b && other.corners[(j + 1) % 3] == a {
                other.beside[j] = first + k as u32;
            }
        }
    }
    let orphans: Vec<u32> =
        seen.iter().flat_map(|&s| std::mem::take(&mut facets[s as usize].outside)).filter(|&v| v != eye).collect();
    share_out(points, facets, first as usize, &orphans, tolerance);
    true
}

/// Whether sides form one loop that meets no vertex twice.
fn is_loop(rim: &[(u32, u32, u32)]) -> bool {
    let next: HashMap<u32, u32> = rim.iter().map(|side| (side.0, side.1)).collect();
    let Some(first) = rim.first().map(|side| side.0) else { return false };
    let mut at = first;
    for _ in 1..rim.len() {
        at = match next.get(&at) {
            Some(&to) if to != first => to,
            _ => return false,
        };
    }
    next.len() == rim.len() && next.get(&at) == Some(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A grid of points on the six sides of a cube: only the eight corners are left.
    #[test]
    fn the_hull_of_a_full_cube_has_its_corners() {
        let place = |k: u32| f64::from(k) * 0.2;
        let points: Vec<_> = (0..216).map(|k| Point3::new(place(k % 6), place(k / 6 % 6), place(k / 36))).collect();
        let (corners, faces) = hull(&points, 1e-9).unwrap();
        assert_eq!((corners.len(), faces.len()), (8, 12));
        assert!(corners.iter().all(|p| p.iter().all(|x| *x == 0.0 || *x == 1.0)));
    }

    /// Every point lies below every facet, and the facets close around a volume: 4π/3 less what facets lack.
    #[test]
    fn the_hull_of_points_in_a_ball_holds_them_all() {
        let mut seed = 88_172_645_463_325_252_u64;
        let mut unit = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            2.0 * (seed >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
        };
        let points: Vec<Point3<f64>> = (0..3000)
            .map(|k| {
                let v = Vector3::new(unit(), unit(), unit());
                Point3::from(if k % 2 == 0 { v.normalize() } else { v * 0.5 })
            })
            .collect();
        let (corners, faces) = hull(&points, 1e-10).unwrap();
        assert!(corners.len() == 1500 && faces.len() == 2996, "{} corners, {} faces", corners.len(), faces.len());
        let mut volume = 0.0;
        for f in &faces {
            let [a, b, c] = f.map(|v| corners[v as usize]);
            let n = (b - a).cross(&(c - a)).normalize();
            assert!(points.iter().all(|p| n.dot(&(p - a)) < 1e-9));
            volume += a.coords.dot(&b.coords.cross(&c.coords)) / 6.0;
        }
        assert!((4.12..4.19).contains(&volume), "{volume}");
    }

    /// A sheet of no thickness has no hull with a volume.
    #[test]
    fn points_in_a_plane_have_no_hull() {
        let points: Vec<_> = (0..50).map(|k| Point3::new(f64::from(k % 7), f64::from(k / 7), 1.0)).collect();
        assert!(hull(&points, 1e-9).is_none());
    }
}
