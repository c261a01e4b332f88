//! # Hull: the convex hull of points as a mesh
//!
//! - **in**: points (m), and how far beyond the hull a point may be left (m)
//! - **out**: the corners and triangles of a closed convex mesh, counter-clockwise seen from outside
//! - **not here**: what a hull is used for ([`polyhedron`](super::polyhedron))
//! - **assumes**: finite points
//! - **start at** [`hull`]
//!
//! Quickhull (Barber 1996): from a tetrahedron, the furthest point outside some facet replaces the facets it sees by a
//! fan from their rim. Points nearer to all facets than the tolerance are left out, so that flat sides of many points
//! are bounded by their corners alone.

use nalgebra::{Point3, Vector3};
use std::collections::HashMap;

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

/// The hull of points, to within `tolerance` (m); nothing if they lie in a plane to within it.
#[allow(clippy::type_complexity)] // vertices and facets
pub(super) fn hull(points: &[Point3<f64>], tolerance: f64) -> Option<(Vec<Point3<f64>>, Vec<[u32; 3]>)> {
    let mut facets = tetrahedron(points, tolerance)?;
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
        grow(points, &mut facets, f, eye, tolerance)?;
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

/// Replaces what `eye` sees, facet `f` among it, by a fan.
fn grow(points: &[Point3<f64>], facets: &mut Vec<Facet>, f: u32, eye: u32, tolerance: f64) -> Option<()> {
    let p = points[eye as usize];
    let (mut seen, mut next) = (vec![f], 0);
    facets[f as usize].alive = false;
    // Sides between what is seen and what is not: from, to, and the facet beyond.
    let mut rim = Vec::new();
    while next < seen.len() {
        let (corners, beside) = (facets[seen[next] as usize].corners, facets[seen[next] as usize].beside);
        for k in 0..3 {
            let other = &mut facets[beside[k] as usize];
            if !other.alive {
                continue;
            }
            if above(points, other, &p) > 0.5 * tolerance {
                other.alive = false;
                seen.push(beside[k]);
            } else {
                rim.push((corners[k], corners[(k + 1) % 3], beside[k]));
            }
        }
        next += 1;
    }
    // A facet found later may have been beyond a side found before.
    rim.retain(|(_, _, beyond)| facets[*beyond as usize].alive);
    let first = facets.len() as u32;
    let starts: HashMap<u32, u32> = rim.iter().enumerate().map(|(k, side)| (side.0, first + k as u32)).collect();
    let ends: HashMap<u32, u32> = rim.iter().enumerate().map(|(k, side)| (side.1, first + k as u32)).collect();
    for (k, &(a, b, beyond)) in rim.iter().enumerate() {
        let new = first + k as u32;
        // Only a rim that is no simple loop, which round-off would have to tear, leaves a side without a partner.
        facets.push(facet(points, [a, b, eye], [beyond, *starts.get(&b)?, *ends.get(&a)?]));
        let other = &mut facets[beyond as usize];
        let side = (0..3).find(|&j| other.corners[j] == b && other.corners[(j + 1) % 3] == a)?;
        other.beside[side] = new;
    }
    let orphans: Vec<u32> =
        seen.iter().flat_map(|&s| std::mem::take(&mut facets[s as usize].outside)).filter(|&v| v != eye).collect();
    share_out(points, facets, first as usize, &orphans, tolerance);
    Some(())
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
