//! # Epsilon: the largest wrench that a grasp resists whatever its direction
//!
//! `support`, `descent`, `polytope` ──▶ **here** ──([`Epsilon`]: found and certified)──▶ the program, `gradient`
//!
//! - **in**: a closed grasp, the norm of the loads
//! - **out**: radius of the largest ball about zero in the set of wrenches: the best found from above, a certified bound
//!   from below
//! - **not here**: whether the grasp is closed (`closure`)
//! - **assumes**: moments over the torque length; patches that live with the load are taken at their limit
//! - **start at** [`epsilon`]
//!
//! (Ferrari-Canny) with exact friction: no edges of cones. From above: local minima of the support function. From below: a
//! polytope of support points inside the set. The facet nearest to the origin bounds epsilon; the support point along its
//! normal is added until the bound is near enough.

use crate::descent::{self, Local};
use crate::polytope::Polytope;
pub use crate::support::Norm;
use crate::support::Reach;
use crate::{Grasp, Twist, Wrench};
use nalgebra::{Matrix6, Vector6};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How near the certified bound shall come.
#[derive(Clone, Copy, Debug)]
pub struct Certify {
    /// Relative distance of bound and value at which it ends.
    pub gap: f64,
    /// Most points of the polytope.
    pub points: usize,
}

impl Default for Certify {
    fn default() -> Self {
        Self { gap: 0.05, points: 4000 }
    }
}

/// Epsilon with its bounds.
#[derive(Clone, Debug)]
pub struct Epsilon {
    /// Best found: the support function at `direction`.
    pub value: f64,
    /// No ball about zero that is smaller touches the boundary.
    pub at_least: f64,
    /// Unit direction of the weakest wrench (moments over the torque length).
    pub direction: Vector6<f64>,
    /// Points and facets that the bound took.
    pub points: usize,
    /// Facets made.
    pub facets: usize,
    /// Whether the gap asked for was reached.
    pub certified: bool,
}

/// Anything with a support function in six dimensions.
pub(crate) trait Support {
    fn support(&self, u: &Vector6<f64>) -> (f64, Vector6<f64>);
}

impl Support for Reach {
    fn support(&self, u: &Vector6<f64>) -> (f64, Vector6<f64>) {
        Reach::support(self, u)
    }
}

/// A distance in the order of the heap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key(pub f64);
impl Eq for Key {}
impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Bounds of the least value of a support function on the unit sphere; none where the set is flat.
pub(crate) fn bounds(
    set: &impl Support,
    found: Option<Local>,
    options: Certify,
    mut polish: impl FnMut(Vector6<f64>) -> Local,
) -> Option<(Epsilon, Polytope)> {
    let mut hull = Polytope::simplex(|u| set.support(u).1)?;
    let mut best = found.unwrap_or(Local { direction: Vector6::x(), value: f64::INFINITY });
    let mut heap: BinaryHeap<Reverse<(Key, u32)>> = BinaryHeap::new();
    let push = |hull: &Polytope, heap: &mut BinaryHeap<_>| {
        hull.fresh.iter().for_each(|f| heap.push(Reverse((Key(hull.facets[*f as usize].distance), *f))));
    };
    push(&hull, &mut heap);
    let mut at_least = f64::NEG_INFINITY;
    let mut certified = false;
    while let Some(Reverse((Key(distance), f))) = heap.pop() {
        if !hull.facets[f as usize].alive {
            continue;
        }
        at_least = distance;
        if distance >= (1.0 - options.gap) * best.value {
            certified = true;
            break;
        }
        if hull.points.len() >= options.points.min(65_000) {
            break;
        }
        let normal = hull.facets[f as usize].normal;
        let (value, point) = set.support(&normal);
        if value < best.value {
            best = polish(normal);
        }
        // Where rounding leaves no clean horizon, a point drawn inwards a little more has one.
        let inside: Vector6<f64> = hull.points[..7].iter().sum::<Vector6<f64>>() / 7.0;
        let mut draws = [0.0, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2].into_iter();
        if !draws.any(|draw| hull.add(point * (1.0 - draw) + inside * draw, f)) {
            // The facet is on the boundary already, to rounding; the others are farther.
            certified = value - distance <= options.gap.max(1e-9) * value.abs();
            break;
        }
        push(&hull, &mut heap);
    }
    let (points, facets) = (hull.points.len(), hull.facets.len());
    let at_least = at_least.min(best.value);
    let found = Epsilon { value: best.value, at_least, direction: best.direction, points, facets, certified };
    Some((found, hull))
}

/// Starts for a descent: seeded ones and those that turn with the grasp.
fn starts(reach: &Reach) -> Vec<Vector6<f64>> {
    let mut all = descent::own_starts(reach);
    all.extend(descent::random_starts(30));
    all
}

/// Best local minimum found, without a bound from below; for grasps that are closed.
pub fn best_found(grasp: &Grasp, norm: Norm) -> Option<(f64, Vector6<f64>)> {
    let reach = Reach::new(grasp, &grasp.metric_e_n(), norm);
    descent::best_of(&reach, &starts(&reach)).map(|l| (l.value, l.direction))
}

/// Epsilon of a grasp that is closed; none where contacts do not reach all directions.
pub fn epsilon(grasp: &Grasp, norm: Norm, options: Certify) -> Option<Epsilon> {
    let reach = Reach::new(grasp, &grasp.metric_e_n(), norm);
    certified(&reach, options).map(|(e, _)| e)
}

/// Epsilon of any reach, with its polytope.
pub(crate) fn certified(reach: &Reach, options: Certify) -> Option<(Epsilon, Polytope)> {
    let found = descent::best_of(reach, &starts(reach));
    bounds(reach, found, options, |u| descent::fine(reach, u))
}

/// Largest s for which every wrench `centre` + s·`axes`·(unit ball) is resisted by loads up to the limits.
///
/// ```text
/// s = min over |u| = 1 of h∞(A⁻ᵀu) + centre·A⁻ᵀu        (limits as weights)
/// ```
///
/// None where a contact has no limit or `axes` has no inverse. Negative: `centre` itself is not held.
pub fn task_ellipsoid(grasp: &Grasp, centre: &Wrench, axes: &Matrix6<f64>, options: Certify) -> Option<Epsilon> {
    let inverse = axes.try_inverse()?;
    let limits = grasp.contacts.iter().map(|c| c.limit).collect::<Option<Vec<f64>>>()?;
    // Columns of `Reach` have moments over the torque length: undone before the map.
    let mut metric = Matrix6::identity();
    (3..6).for_each(|k| metric[(k, k)] = grasp.torque_length);
    let physical = Vector6::from_fn(|k, _| if k < 3 { centre[k] } else { centre[k] / grasp.torque_length });
    let reach = Reach::new(grasp, &grasp.metric_e_n(), Norm::Linf).weighted(limits);
    certified(&reach.through(&(inverse * metric), &physical), options).map(|(e, _)| e)
}

/// The twist of a direction in the metric: the motion that the weakest wrench drives.
pub(crate) fn twist_of(direction: &Vector6<f64>, torque_length: f64) -> Twist {
    Vector6::from_fn(|k, _| if k < 3 { direction[k] } else { direction[k] / torque_length })
}

impl Epsilon {
    /// The direction as a twist about the reference.
    pub fn twist(&self, grasp: &Grasp) -> Twist {
        twist_of(&self.direction, grasp.torque_length)
    }
}
