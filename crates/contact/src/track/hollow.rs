//! # Hollows: does a convex body roll freely over a map?
//!
//! - **in**: a map, a convex body, the place where they are closest
//! - **out**: whether no other place can be closer
//! - **not here**: the curvature bounds themselves (`surface::elevation`)
//! - **start at** [`rolls_freely`]
//!
//! A body whose largest radius of curvature is below that of every hollow in reach touches at one place only:
//! locally it cannot bridge a hollow, and two places further apart would need surface normals that point at each
//! other, which a height function does not have. (For balls this is the reach of the surface; (Blaschke) for
//! convex bodies.) With a gap the body counts as grown by it.

use crate::surface::Shape;
use crate::surface::elevation::{Blocks, ElevationMap};
use nalgebra::Point3;

/// A range of blocks of a map and the bound of their hollows' curvature (1/m).
pub type Known = (Blocks, f64);

/// Whether the closest place `p_map` of the map to the body, at this gap, is certainly the only one.
///
/// `known` keeps the bound between calls: it is looked up again only when the body comes over other blocks.
#[inline]
pub fn rolls_freely(
    map: &ElevationMap,
    body: &Shape,
    p_map: &Point3<f64>,
    gap: f64,
    known: &mut Option<Known>,
) -> bool {
    let widest = body.as_convex().map_or(f64::INFINITY, |body| body.largest_radius());
    // Flat parts bridge anything; half sunk, the shortest way out is no longer up.
    if !widest.is_finite() || gap < -0.5 * widest {
        return false;
    }
    let apart = gap.max(0.0);
    let blocks = map.blocks_around(p_map.x, p_map.y, 2.0 * body.reach() + apart);
    let bound = match *known {
        Some((same, bound)) if same == blocks => bound,
        _ => {
            let bound = map.concave_curvature(&blocks);
            *known = Some((blocks, bound));
            bound
        }
    };
    bound * (widest + apart) < 1.0
}
