//! # Facet: the closest point of one triangle
//!
//! - **in**: a point and three corners (m), or two triangles
//! - **out**: the closest point, and whether it is inside, on an edge or at a corner; the distance of two triangles
//! - **not here**: many triangles (`bvh`)
//! - **assumes**: a triangle with area; very flat ones are taken as their edges
//! - **start at** [`closest_on_triangle`]

use nalgebra::{Point3, Vector3};

/// Which part of a triangle a point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// Between the edges.
    Face,
    /// On the edge from corner k to corner k + 1.
    Edge(u8),
    /// At corner k.
    Vertex(u8),
}

/// A triangle whose area is below this fraction of its longest edge squared is taken as its three edges.
///
/// Round-off in the normal would otherwise put feet outside the triangle; the triangle's own width is smaller than
/// what is lost.
const FLAT: f64 = 1e-10;

/// The closest point of a triangle (m), its region, and the squared distance (m²).
///
/// The point is projected on the plane; where it falls outside an edge, the nearest point of such edges is taken.
/// (Ericson, §5.1.5) decides by products of four lengths, which lose all digits on needles.
#[inline]
pub fn closest_on_triangle(p: &Point3<f64>, corners: &[Point3<f64>; 3]) -> (Point3<f64>, Region, f64) {
    // No limit: the triangle is always nearer.
    closest_within(p, corners, f64::INFINITY).unwrap_or((corners[0], Region::Vertex(0), f64::INFINITY))
}

/// The same, or nothing if the triangle's plane is already farther than √`limit_squared`.
#[inline]
pub(super) fn closest_within(
    p: &Point3<f64>,
    corners: &[Point3<f64>; 3],
    limit_squared: f64,
) -> Option<(Point3<f64>, Region, f64)> {
    let [a, b, c] = corners;
    let sides: [Vector3<f64>; 3] = [b - a, c - b, a - c];
    let from: [Vector3<f64>; 3] = [p - a, p - b, p - c];
    let n = sides[0].cross(&sides[1]);
    let n2 = n.norm_squared();
    let height = n.dot(&from[0]);
    // With room for round-off in the normals of needles.
    if height * height > 1.001 * n2 * limit_squared && n2 > 0.0 {
        return None;
    }
    let lengths2 = [sides[0].norm_squared(), sides[1].norm_squared(), sides[2].norm_squared()];
    let longest2 = lengths2[0].max(lengths2[1]).max(lengths2[2]);
    let flat = n2 <= FLAT * FLAT * longest2 * longest2;

    let mut inside = !flat;
    let mut best = (*a, Region::Face, f64::INFINITY);
    for k in 0..3 {
        // Outward of side k, in the plane.
        if !flat && sides[k].cross(&n).dot(&from[k]) <= 0.0 {
            continue;
        }
        inside = false;
        let t = from[k].dot(&sides[k]);
        let (foot, region) = if t <= 0.0 {
            (corners[k], Region::Vertex(k as u8))
        } else if t >= lengths2[k] {
            (corners[(k + 1) % 3], Region::Vertex(((k + 1) % 3) as u8))
        } else {
            (corners[k] + sides[k] * (t / lengths2[k]), Region::Edge(k as u8))
        };
        let d2 = (p - foot).norm_squared();
        if d2 < best.2 {
            best = (foot, region, d2);
        }
    }
    if inside {
        let height = height / n2;
        // n² height² and not |p − foot|²: right to the last digits next to the surface.
        return Some((p - n * height, Region::Face, n2 * height * height));
    }
    Some(best)
}

/// The distance of two triangles (m), 0 if they meet.
///
/// Unless one cuts the other, the nearest pair has a corner of one of them or lies on two edges.
pub(super) fn triangle_distance(a: &[Point3<f64>; 3], b: &[Point3<f64>; 3]) -> f64 {
    let side = |t: &[Point3<f64>; 3], k: usize| [t[k], t[(k + 1) % 3]];
    let mut least = f64::INFINITY;
    for k in 0..3 {
        if cuts(&side(a, k), b) || cuts(&side(b, k), a) {
            return 0.0;
        }
        least = least.min(closest_on_triangle(&a[k], b).2).min(closest_on_triangle(&b[k], a).2);
        for j in 0..3 {
            least = least.min(segment_distance_squared(&side(a, k), &side(b, j)));
        }
    }
    least.sqrt()
}

/// Whether a segment passes through a triangle: its ends on both sides, its line within all three edges.
fn cuts([p, q]: &[Point3<f64>; 2], [a, b, c]: &[Point3<f64>; 3]) -> bool {
    let volume =
        |u: &Point3<f64>, v: &Point3<f64>, w: &Point3<f64>, x: &Point3<f64>| (v - u).cross(&(w - u)).dot(&(x - u));
    let (above, below) = (volume(a, b, c, p), volume(a, b, c, q));
    if above * below >= 0.0 {
        return false;
    }
    let around = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    around.iter().all(|v| *v >= 0.0) || around.iter().all(|v| *v <= 0.0)
}

/// The squared distance of two segments (m²) (Ericson, §5.1.9).
fn segment_distance_squared([p, q]: &[Point3<f64>; 2], [r, s]: &[Point3<f64>; 2]) -> f64 {
    let (u, v, w) = (q - p, s - r, p - r);
    let (a, b, c, d, e) = (u.norm_squared(), u.dot(&v), v.norm_squared(), u.dot(&w), v.dot(&w));
    let det = a * c - b * b;
    let mut t = if det > 0.0 { ((b * e - c * d) / det).clamp(0.0, 1.0) } else { 0.0 };
    let mut k = if c > 0.0 { (b * t + e) / c } else { 0.0 };
    if !(0.0..=1.0).contains(&k) {
        k = k.clamp(0.0, 1.0);
        t = if a > 0.0 { ((b * k - d) / a).clamp(0.0, 1.0) } else { 0.0 };
    }
    ((p + u * t) - (r + v * k)).norm_squared()
}
