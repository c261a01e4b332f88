//! # Seed: candidates for the closest points of any pair, without a previous answer
//!
//! - **in**: two shapes and their pose
//! - **out**: the closest pair, and by how much it beats the next best
//! - **not here**: following a motion ([`Tracker`](super::Tracker)); exact convergence ([`refine`])
//! - **start at** [`closest_points`], then [`global`]
//!
//! | pair | candidates from | exhaustive |
//! |---|---|---|
//! | ball or half-space, bounded shape | closed form (`direct`) | yes |
//! | ellipsoid, ellipsoid | common normal (`convex`) | yes apart and while shallow; deep: 128 directions and the axes |
//! | convex, convex | parry's GJK and EPA on the bodies shrunk by their least radius; else a spread of directions | yes, up to those codes |
//! | ball, map or graph | the foot below its centre, where hollows are wide enough; else as below | yes |
//! | map, mesh, torus or revolution, anything | samples of its surface wherever it may be near (`local`) | the least gap: yes; further minima up to the spacing of samples |
//! | graph, anything | grid of places under the other body (`local`) | no |
//!
//! **Which one is "the" closest pair.** Apart: the nearest. Overlapping convex bodies: the shortest way out
//! (penetration depth). Overlapping with a hollow body: the deepest of the local pairs.

use super::contacts::is_ground;
use super::local::{EXPLAINED, Nearby, least, nearby};
use super::refine::{Tolerance, refine};
use super::tips::{Counts, Placed, Tips, is_clear};
use super::{ClosestPair, TrackError, convex, direct, finite_pose, hollow};
use crate::surface::{Shape, Surface};
use nalgebra::{Isometry3, Point3};

/// A closest pair and its lead over others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seeded {
    /// The closest pair.
    pub pair: ClosestPair,
    /// By how much the gap of the next best pair differs (m); 0 if none was looked for, this one being certainly alone.
    pub margin: f64,
}

/// A start for refinement: a point on A in A, a point on B in B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Point on A, in A (m).
    pub p_A: Point3<f64>,
    /// Point on B, in B (m).
    pub p_B: Point3<f64>,
}

/// The closest points of two shapes, found from scratch.
pub fn closest_points(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<ClosestPair, TrackError> {
    global(a, b, X_AB).map(|seeded| seeded.pair)
}

/// The closest points, with their lead over the next best pair.
pub fn global(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<Seeded, TrackError> {
    finite_pose(X_AB)?;
    if let Some(answer) = direct::closest(a, b, X_AB) {
        return answer.map(|pair| Seeded { pair, margin: 0.0 });
    }
    if let (Some(ca), Some(cb)) = (a.as_convex(), b.as_convex()) {
        if let (Shape::Ellipsoid(ea), Shape::Ellipsoid(eb)) = (a, b) {
            let found = convex::EllipsoidPair::new(ea, eb, X_AB).global(ea, eb, X_AB);
            if let Some((pair, margin)) = found {
                return Ok(Seeded { pair, margin });
            }
        }
        return convex_pair(a, b, X_AB, ca, cb);
    }
    if let Some(pair) = ball_above(a, b, X_AB) {
        // Proven alone, so nobody looked for a rival.
        return Ok(Seeded { pair, margin: 0.0 });
    }
    let found = least(a, b, X_AB)?;
    Ok(deeper_corner(a, b, X_AB, &found.pair).map_or(found, |pair| Seeded { pair, ..found }))
}

/// A corner that is deeper in the other body than a pair that overlaps.
///
/// Deep in the ground, the ground's way out of a box is through its nearest face, while the way of the box out of the ground is
/// that of its lowest corner: samples of the ground alone do not tell.
fn deeper_corner(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, found: &ClosestPair) -> Option<ClosestPair> {
    if found.gap >= 0.0 {
        return None;
    }
    let size = body_size(a, b);
    let mut best: Option<ClosestPair> = None;
    for (ground, body, X, swap) in [(a, b, *X_AB, false), (b, a, X_AB.inverse(), true)] {
        let tips = if is_ground(ground) { Tips::of(body) } else { Tips::default() };
        for tip in 0..tips.len() {
            if tips.centre(tip).is_some_and(|(centre, radius)| is_clear(ground, &(X * centre), radius)) {
                continue;
            }
            let Some(Placed { pair, counts }) = tips.place(tip, ground, &X, None) else { continue };
            let least = best.map_or(found.gap - EXPLAINED * size, |best| best.gap);
            let is_surface = || body.closest_point(&pair.p_BCb).is_ok_and(|foot| foot.distance.abs() <= 1e-9 * size);
            if counts != Counts::No && pair.gap < least && is_surface() {
                best = Some(if swap { pair.swapped(&X) } else { pair });
            }
        }
    }
    best
}

/// A ball on a height by the foot right below its centre, if that is provably the only one; either of them first.
fn ball_above(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Option<ClosestPair> {
    let (ground, ball, centre) = match (a, b) {
        (Shape::Elevation(_) | Shape::Graph(_), Shape::Sphere(_)) => (a, b, Point3::from(X_AB.translation.vector)),
        (Shape::Sphere(_), _) => (b, a, X_AB.inverse_transform_point(&Point3::origin())),
        _ => return None,
    };
    let pair = direct::ball_on_height(a, b, X_AB, (&centre, &centre))?;
    let p = if matches!(b, Shape::Sphere(_)) { &pair.p_ACa } else { &pair.p_BCb };
    let alone = match ground {
        Shape::Elevation(map) => hollow::rolls_freely(map, ball, p, pair.gap, 0.0, &mut None),
        Shape::Graph(graph) => hollow::rolls_freely_on(graph, ball, p, pair.gap, 0.0),
        _ => false,
    };
    alone.then_some(pair)
}

/// All local pairs with gaps up to `limit` (m), deepest first: the places where two bodies touch or are about to.
///
/// Two convex bodies have one; with hollow bodies there can be several. Exhaustive as far as the table above says.
pub fn local_pairs(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, limit: f64) -> Result<Vec<ClosestPair>, TrackError> {
    all_near(a, b, X_AB, limit, f64::INFINITY).map(|found| found.pairs)
}

/// The same with what is proven where there are none; `known`: the least gap of contacts found in another way (m).
pub(crate) fn all_near(
    a: &Shape,
    b: &Shape,
    X_AB: &Isometry3<f64>,
    limit: f64,
    known: f64,
) -> Result<Nearby, TrackError> {
    finite_pose(X_AB)?;
    let simple = |s: &Shape| s.as_convex().is_some() || matches!(s, Shape::HalfSpace(_));
    let only = if simple(a) && simple(b) { Some(closest_points(a, b, X_AB)?) } else { ball_above(a, b, X_AB) };
    if let Some(pair) = only {
        let pairs = if pair.gap <= limit { vec![pair] } else { Vec::new() };
        return Ok(Nearby { pairs, apart: pair.gap.max(limit) });
    }
    nearby(a, b, X_AB, limit, known)
}

/// Two convex bodies.
fn convex_pair(
    a: &Shape,
    b: &Shape,
    X_AB: &Isometry3<f64>,
    ca: &dyn crate::surface::ConvexSurface,
    cb: &dyn crate::surface::ConvexSurface,
) -> Result<Seeded, TrackError> {
    let size = body_size(a, b);
    #[allow(unused_mut)]
    let mut starts: Vec<Start> = Vec::new();
    #[cfg(feature = "parry")]
    starts.extend(super::parry::closest(ca, cb, X_AB));
    let spread = || convex::best_directions(ca, cb, X_AB).into_iter().map(|(p_A, p_B)| Start { p_A, p_B });
    let mut found: Vec<ClosestPair> = starts.iter().filter_map(|s| settle_convex(a, b, X_AB, s)).collect();
    let tried = starts.len();
    let certain = found.first().is_some_and(|p| convex::is_certainly_global(p.gap, ca, cb));
    if !certain {
        found.extend(spread().filter_map(|s| settle_convex(a, b, X_AB, &s)));
    }
    // The shortest way out, or the only distance.
    found.sort_by(|x, y| y.gap.total_cmp(&x.gap));
    let pair = *found.first().ok_or(TrackError::NoPair { a: a.kind(), b: b.kind(), tried: tried + 8 })?;
    let rival = found.iter().find(|p| p.nhat_AB_A.dot(&pair.nhat_AB_A) < 0.999);
    let margin = match rival {
        _ if convex::is_certainly_global(pair.gap, ca, cb) => 0.0,
        Some(rival) => pair.gap - rival.gap,
        None => 0.1 * size,
    };
    Ok(Seeded { pair, margin })
}

/// A stationary pair from a start on two convex bodies; alternating feet where Newton finds none.
///
/// Feet of feet approach the closest points of disjoint convex bodies from anywhere, slowly; shapes with
/// flats and seams can need that help to reach the right piece of the surface.
fn settle_convex(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, start: &Start) -> Option<ClosestPair> {
    let mut start = *start;
    for round in 0..6 {
        if let Ok(pair) = refine(a, b, X_AB, start.p_A, start.p_B, Tolerance::default()) {
            return Some(pair);
        }
        for _ in 0..8 << round {
            start.p_B = b.closest_point(&X_AB.inverse_transform_point(&start.p_A)).ok()?.p;
            start.p_A = a.closest_point(&(X_AB * start.p_B)).ok()?.p;
        }
    }
    None
}

/// Radius of the smaller body (m): the scale on which candidates differ.
pub fn body_size(a: &Shape, b: &Shape) -> f64 {
    let radius = |s: &Shape| {
        let bounds = s.bounds();
        if bounds.is_finite() { bounds.radius() } else { f64::INFINITY }
    };
    let size = radius(a).min(radius(b));
    if size.is_finite() { size } else { 1.0 }
}

/// Places of a grid whose value no neighbour beats, least first; at most 12. NaN values are passed over.
pub(crate) fn grid_minima(
    n: [usize; 2],
    wraps: [bool; 2],
    value: impl Fn(usize, usize) -> f64,
) -> Vec<(usize, usize, f64)> {
    let values: Vec<f64> = (0..n[0] * n[1]).map(|k| value(k % n[0], k / n[0])).collect();
    let neighbour = |k: usize, step: isize, n: usize, wraps: bool| -> Option<usize> {
        let at = k as isize + step;
        if wraps {
            Some(at.rem_euclid(n as isize) as usize)
        } else if (0..n as isize).contains(&at) {
            Some(at as usize)
        } else {
            None
        }
    };
    let mut found = Vec::new();
    for j in 0..n[1] {
        for i in 0..n[0] {
            let here = values[j * n[0] + i];
            let beaten = (-1..=1).any(|dj| {
                (-1..=1).any(|di| {
                    let (Some(ni), Some(nj)) = (neighbour(i, di, n[0], wraps[0]), neighbour(j, dj, n[1], wraps[1]))
                    else {
                        return false;
                    };
                    let other = values[nj * n[0] + ni];
                    other < here || (other == here && (nj, ni) < (j, i))
                })
            });
            if !here.is_nan() && !beaten {
                found.push((i, j, here));
            }
        }
    }
    found.sort_by(|x, y| x.2.total_cmp(&y.2).then((x.1, x.0).cmp(&(y.1, y.0))));
    found.truncate(12);
    found
}
