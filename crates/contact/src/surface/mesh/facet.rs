//! # Facet: the closest point of one triangle
//!
//! - **in**: a point and three corners (m)
//! - **out**: the closest point, and whether it is inside, on an edge or at a corner
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
