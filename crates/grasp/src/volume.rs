//! # Volume: of the set of wrenches, between two bounds
//!
//! `polytope` ──▶ **here** ──([`Volume`])──▶ the program
//!
//! - **in**: a closed grasp, the norm of the loads, how many facets it may take
//! - **out**: a bound from below and one from above
//! - **not here**: epsilon (`epsilon`)
//! - **start at** [`volume`]
//!
//! The cone over a facet with distance d holds a part of the set that ends before the plane at h(n) with the same
//! normal. So the pyramid V_f of the facet and (h/d)⁶V_f bound that part from both sides. The facet with the widest gap is
//! refined first.

use crate::Grasp;
use crate::epsilon::{Certify, Key, certified};
use crate::support::{Norm, Reach};
use std::collections::BinaryHeap;

/// Volume of the set of wrenches, moments over the torque length (N⁶).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    /// Not below this.
    pub at_least: f64,
    /// Not above this.
    pub at_most: f64,
    /// Facets that it took.
    pub facets: usize,
}

/// Bounds of the volume with up to `facets` facets, or until they are `gap` apart; none where the set is flat.
pub fn volume(grasp: &Grasp, norm: Norm, gap: f64, facets: usize) -> Option<Volume> {
    let reach = Reach::new(grasp, &grasp.metric_e_n(), norm);
    // Coarse: enough to have the origin inside.
    let (found, mut hull) = certified(&reach, Certify { gap: 0.5, points: 2000 })?;
    if found.at_least <= 0.0 {
        return None;
    }
    let mut parts: Vec<[f64; 2]> = vec![[0.0; 2]; hull.facets.len()];
    let mut heap: BinaryHeap<(Key, u32)> = BinaryHeap::new();
    let mut total = [0.0; 2];
    let all: Vec<u32> = (0..hull.facets.len() as u32).filter(|f| hull.facets[*f as usize].alive).collect();
    let measure = |hull: &crate::polytope::Polytope, f: u32| {
        let facet = &hull.facets[f as usize];
        let inner = hull.determinant(facet) / 720.0;
        let ratio = (reach.value(&facet.normal) / facet.distance).max(1.0);
        [inner, inner * ratio.powi(6)]
    };
    let mut fresh = all;
    loop {
        for f in &fresh {
            let part = measure(&hull, *f);
            parts[*f as usize] = part;
            (0..2).for_each(|k| total[k] += part[k]);
            heap.push((Key(part[1] - part[0]), *f));
        }
        let next = std::iter::from_fn(|| heap.pop()).find(|(_, f)| hull.facets[*f as usize].alive);
        let Some((Key(width), f)) = next else { break };
        let near = total[1] - total[0] <= gap * total[0] || width <= 1e-12 * total[0];
        if near || hull.facets.len() >= facets || hull.points.len() >= 60_000 {
            break;
        }
        let (_, point) = reach.support(&hull.facets[f as usize].normal);
        if !hull.add(point, f) {
            // On the boundary to rounding: what it lacks stays in the upper bound.
            fresh = Vec::new();
            continue;
        }
        for f in hull.removed() {
            (0..2).for_each(|j| total[j] -= parts[*f as usize][j]);
        }
        parts.resize(hull.facets.len(), [0.0; 2]);
        fresh = hull.fresh.clone();
    }
    // Sums anew: differences of many terms leave rounding behind.
    let alive = hull.facets.iter().zip(&parts).filter(|(f, _)| f.alive);
    let sums = alive.fold([0.0; 2], |sum, (_, part)| [sum[0] + part[0], sum[1] + part[1]]);
    Some(Volume { at_least: sums[0], at_most: sums[1], facets: hull.facets.len() })
}
