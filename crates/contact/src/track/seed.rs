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
//! | ball, map | the foot below its centre, where hollows are wide enough; else as below | yes |
//! | map, anything | best first through the map's pyramid | yes for shapes with exact distance |
//! | graph, anything | grid of places under the other body | no |
//! | mesh, anything | vertices nearer than their neighbours; of both for two meshes | up to features between vertices |
//! | torus, revolution, others | grid of parameters | no |
//!
//! **Which one is "the" closest pair.** Apart: the nearest. Overlapping convex bodies: the shortest way out
//! (penetration depth). Overlapping with a hollow body: the deepest of the local pairs.

use super::refine::{Tolerance, refine};
use super::{ClosestPair, TrackError, convex, direct, finite_pose, hollow};
use crate::surface::elevation::ElevationMap;
use crate::surface::height::{self, HeightFunction};
use crate::surface::mesh::MeshSurface;
use crate::surface::{Foot, Graph, ParametricSurface, Shape, SmoothSurface, Sphere, Surface};
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
    // Heights first: the ground is A.
    if rank(b) > rank(a) {
        let X_BA = X_AB.inverse();
        return global_ordered(b, a, &X_BA).map(|s| Seeded { pair: s.pair.swapped(&X_BA), ..s });
    }
    global_ordered(a, b, X_AB)
}

/// Pairs with a hollow body, by sampled candidates on A (or on B where A is no better).
fn global_ordered(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<Seeded, TrackError> {
    if let (Shape::Elevation(map), Shape::Sphere(ball)) = (a, b) {
        // Proven alone, so nobody looked for a rival.
        if let Some(pair) = ball_below(map, ball, b, X_AB) {
            return Ok(Seeded { pair, margin: 0.0 });
        }
    }
    let size = body_size(a, b);
    let unseen = if matches!(a, Shape::Elevation(_)) { 0.25 * size } else { 0.1 * size };
    let starts = starts(a, b, X_AB, Window::Best { slack: 0.25 * size })?;
    let found = settle_all(a, b, X_AB, &starts, size);
    let pair = *found.first().ok_or(TrackError::NoPair { a: a.kind(), b: b.kind(), tried: starts.len() })?;
    let margin = found.get(1).map_or(unseen, |next| (next.gap - pair.gap).min(unseen));
    Ok(Seeded { pair, margin })
}

/// All local pairs with gaps up to `limit` (m), deepest first: the places where two bodies touch or are about to.
///
/// Two convex bodies have one; with hollow bodies there can be several. Exhaustive as far as the table above says.
pub fn local_pairs(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, limit: f64) -> Result<Vec<ClosestPair>, TrackError> {
    finite_pose(X_AB)?;
    let simple = |s: &Shape| s.as_convex().is_some() || matches!(s, Shape::HalfSpace(_));
    if simple(a) && simple(b) {
        let pair = closest_points(a, b, X_AB)?;
        return Ok(if pair.gap <= limit { vec![pair] } else { Vec::new() });
    }
    if rank(b) > rank(a) {
        let X_BA = X_AB.inverse();
        let found = local_pairs_ordered(b, a, &X_BA, limit)?;
        return Ok(found.iter().map(|pair| pair.swapped(&X_BA)).collect());
    }
    local_pairs_ordered(a, b, X_AB, limit)
}

fn local_pairs_ordered(
    a: &Shape,
    b: &Shape,
    X_AB: &Isometry3<f64>,
    limit: f64,
) -> Result<Vec<ClosestPair>, TrackError> {
    let starts = starts(a, b, X_AB, Window::Below { limit })?;
    let mut found = settle_all(a, b, X_AB, &starts, body_size(a, b));
    found.retain(|pair| pair.gap <= limit);
    Ok(found)
}

/// Which of two shapes is sampled: meshes, then maps before graphs, unbounded before bounded ones, all before bodies.
fn rank(s: &Shape) -> u32 {
    match s {
        Shape::Mesh(_) => 4,
        Shape::Elevation(_) => 3,
        Shape::Graph(g) if g.as_parametric().is_none() => 2,
        Shape::Graph(_) => 1,
        _ => 0,
    }
}

/// Which candidates are wanted: the best and those within `slack` of it, or all below `limit` (m).
#[derive(Clone, Copy)]
enum Window {
    Best { slack: f64 },
    Below { limit: f64 },
}

fn starts(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, window: Window) -> Result<Vec<Start>, TrackError> {
    Ok(match a {
        Shape::Mesh(mesh) => on_mesh(mesh, b, X_AB, window),
        Shape::Elevation(map) => on_map(map, b, X_AB, window),
        Shape::Graph(graph) if b.bounds().is_finite() => on_graph(graph, b, X_AB),
        _ => on_parameters(a, b, X_AB)?,
    })
}

/// The different stationary pairs reached from the starts, least gap first.
fn settle_all(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, starts: &[Start], size: f64) -> Vec<ClosestPair> {
    let mut found: Vec<(ClosestPair, bool)> = Vec::new();
    for start in starts {
        let Some(pair) = settle(a, b, X_AB, start, size) else { continue };
        if found.iter().all(|(other, _)| (other.p_ACa - pair.p_ACa).norm() > 1e-6 * size) {
            found.push((pair, is_consistent(b, X_AB, &pair, size)));
        }
    }
    // A pair whose gap is not the distance of its point from the other body is a shadow of another part.
    if found.iter().any(|(_, consistent)| *consistent) {
        found.retain(|(_, consistent)| *consistent);
    }
    found.sort_by(|x, y| x.0.gap.total_cmp(&y.0.gap));
    found.into_iter().map(|(pair, _)| pair).collect()
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

/// A stationary pair from a start: Newton, after a walk downhill if Newton alone fails.
fn settle(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, start: &Start, size: f64) -> Option<ClosestPair> {
    if let Ok(pair) = refine(a, b, X_AB, start.p_A, start.p_B, Tolerance::default()) {
        // A long way from the start means another basin; the walk keeps to this one.
        if (pair.p_ACa - start.p_A).norm() <= 0.5 * size {
            return Some(pair);
        }
    }
    let walked = descend(a, b, X_AB, start.p_A, size)?;
    refine(a, b, X_AB, walked.p_A, walked.p_B, Tolerance::default()).ok()
}

/// Walks over A towards lower signed distance from B, until the slope is small.
fn descend(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, from: Point3<f64>, size: f64) -> Option<Start> {
    let distance = |p: &Point3<f64>| foot_near(b, &X_AB.inverse_transform_point(p));
    // Heights are walked over by their own retraction; other shapes have a cheap foot.
    let onto = |p: &Point3<f64>| match a {
        Shape::Elevation(_) | Shape::Graph(_) => a.point_near(p).ok(),
        _ => a.closest_point(p).ok().and_then(|f| a.point_near(&f.p).ok()),
    };
    let mut at = onto(&from)?;
    let mut foot = distance(&at.p)?;
    let mut stride = 0.1 * size;
    for _ in 0..300 {
        let slope = X_AB.rotation * foot.nhat;
        let tangential = slope - at.nhat * slope.dot(&at.nhat);
        if tangential.norm() < 1e-4 || stride < 1e-9 * size {
            break;
        }
        let next = onto(&(at.p - tangential * stride));
        let lower = next.and_then(|next| Some((next, distance(&next.p)?))).filter(|(_, f)| f.distance < foot.distance);
        match lower {
            Some((next, lower)) => {
                (at, foot) = (next, lower);
                stride *= 1.5;
            }
            None => stride *= 0.4,
        }
    }
    Some(Start { p_A: at.p, p_B: foot.p })
}

/// The foot of a point: the closest of all, or on a height the one reached from right below or above.
fn foot_near(shape: &Shape, p: &Point3<f64>) -> Option<Foot> {
    match shape {
        Shape::Elevation(map) => height::foot(map.as_ref(), p, p.x, p.y).ok().map(|f| f.foot(p)),
        Shape::Graph(graph) => height::foot(graph, p, p.x, p.y).ok().map(|f| f.foot(p)),
        _ => shape.closest_point(p).ok(),
    }
}

/// Whether the gap is the distance of Ca from B.
fn is_consistent(b: &Shape, X_AB: &Isometry3<f64>, pair: &ClosestPair, size: f64) -> bool {
    b.closest_point(&X_AB.inverse_transform_point(&pair.p_ACa))
        .is_ok_and(|foot| (foot.distance - pair.gap).abs() <= 1e-6 * size)
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

/// Signed distance of a point of A from B, first order where B is a height; NaN where B has no surface.
fn distance_from(b: &Shape, X_AB: &Isometry3<f64>) -> impl Fn(&Point3<f64>) -> f64 {
    let X_BA = X_AB.inverse();
    let steep = |surface: &dyn HeightFunction, q: &Point3<f64>| match surface.jet(q.x, q.y) {
        Ok(jet) => (q.z - jet.z) / (1.0 + jet.zx * jet.zx + jet.zy * jet.zy).sqrt(),
        Err(_) => f64::NAN,
    };
    move |p| {
        let q = X_BA * p;
        match b {
            Shape::Elevation(map) => steep(map.as_ref(), &q),
            Shape::Graph(graph) => steep(graph, &q),
            // Facets are near enough to tell candidates apart, and cheaper.
            Shape::Mesh(mesh) => mesh.solid().closest(&q, None).map_or(f64::NAN, |near| near.foot.distance),
            _ => b.closest_point(&q).map_or(f64::NAN, |foot| foot.distance),
        }
    }
}

/// The start on both surfaces above a point of A.
fn with_foot(b: &Shape, X_AB: &Isometry3<f64>, p_A: Point3<f64>) -> Option<Start> {
    let q = X_AB.inverse_transform_point(&p_A);
    let p_B = match b {
        Shape::Elevation(_) | Shape::Graph(_) => b.point_near(&q).ok()?.p,
        _ => b.closest_point(&q).ok()?.p,
    };
    Some(Start { p_A, p_B })
}

/// A ball on a map by the foot right below its centre, if that is provably the only one.
fn ball_below(map: &ElevationMap, ball: &Sphere, body: &Shape, X_AB: &Isometry3<f64>) -> Option<ClosestPair> {
    let centre = Point3::from(X_AB.translation.vector);
    let found = height::foot(map, &centre, centre.x, centre.y).ok()?;
    let at_A = found.jet.surface_point(found.x, found.y);
    let pair = direct::ball_pair(&at_A, at_A.nhat.dot(&(centre - at_A.p)), ball.radius(), X_AB);
    hollow::rolls_freely(map, body, &pair.p_ACa, pair.gap, &mut None).then_some(pair)
}

fn on_map(map: &ElevationMap, b: &Shape, X_AB: &Isometry3<f64>, window: Window) -> Vec<Start> {
    let phi = distance_from(b, X_AB);
    let found = match window {
        Window::Best { slack } => map.candidates(phi, slack),
        Window::Below { limit } => map.candidates_below(phi, limit),
    };
    found.into_iter().filter_map(|c| with_foot(b, X_AB, Point3::new(c.x, c.y, map.jet(c.x, c.y).ok()?.z))).collect()
}

/// Vertices of A with the least distance from B among their neighbours; for two meshes those of B from A as well.
fn on_mesh(mesh: &MeshSurface, b: &Shape, X_AB: &Isometry3<f64>, window: Window) -> Vec<Start> {
    let Shape::Mesh(other) = b else {
        let found = mesh.candidates(distance_from(b, X_AB));
        return found.into_iter().filter_map(|p_A| with_foot(b, X_AB, p_A)).collect();
    };
    let X_BA = X_AB.inverse();
    let limit = match window {
        Window::Below { limit } => limit,
        Window::Best { slack } => nearest_vertex(mesh, other, &X_BA) + slack,
    };
    let on = |mesh: &MeshSurface, other: &MeshSurface, X: &Isometry3<f64>| {
        let facets = other.solid();
        mesh.candidates(|p| {
            let q = X * p;
            // Most are too far, which is quickly said.
            let near = facets.bvh().closest(facets.mesh().vertices(), &q, limit, None);
            near.and_then(|f| facets.closest(&q, Some(f.face)).ok()).map_or(f64::NAN, |found| found.foot.distance)
        })
    };
    let foot = |mesh: &MeshSurface, p: &Point3<f64>| mesh.closest_point(p).ok().map(|foot| foot.p);
    let from_A =
        on(mesh, other, &X_BA).into_iter().filter_map(|p_A| Some(Start { p_A, p_B: foot(other, &(X_BA * p_A))? }));
    let from_B =
        on(other, mesh, X_AB).into_iter().filter_map(|p_B| Some(Start { p_A: foot(mesh, &(X_AB * p_B))?, p_B }));
    from_A.chain(from_B).collect()
}

/// The least distance of a vertex of A from the facets of B (m).
fn nearest_vertex(a: &MeshSurface, b: &MeshSurface, X_BA: &Isometry3<f64>) -> f64 {
    let facets = b.solid();
    a.solid().mesh().vertices().iter().fold(f64::INFINITY, |least, p| {
        let nearer = facets.bvh().closest(facets.mesh().vertices(), &(X_BA * p), least, None);
        nearer.map_or(least, |found| found.distance_squared.sqrt())
    })
}

fn on_graph(graph: &Graph, b: &Shape, X_AB: &Isometry3<f64>) -> Vec<Start> {
    let bounds = b.bounds();
    let centre = X_AB * bounds.centre();
    let radius = bounds.radius();
    // The closest point lies within the height of the body above the graph, and its own radius, of its centre.
    let limits = graph.rectangle();
    let (x, y) = (centre.x.clamp(limits.x[0], limits.x[1]), centre.y.clamp(limits.y[0], limits.y[1]));
    let below = graph.jet(x, y).map_or(f64::INFINITY, |jet| (centre - Point3::new(x, y, jet.z)).norm());
    if !below.is_finite() {
        return Vec::new();
    }
    graph
        .candidates(distance_from(b, X_AB), &centre, below + radius)
        .into_iter()
        .filter_map(|(p_A, _)| with_foot(b, X_AB, p_A))
        .collect()
}

/// Samples over the parameters of A and, where that is all there is, of B.
fn on_parameters(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<Vec<Start>, TrackError> {
    let mut starts = Vec::new();
    if let Some(surface) = a.as_parametric() {
        let minima = parameter_minima(surface, distance_from(b, X_AB));
        starts.extend(minima.into_iter().filter_map(|p_A| with_foot(b, X_AB, p_A)));
    }
    if let Some(surface) = b.as_parametric() {
        let X_BA = X_AB.inverse();
        let minima = parameter_minima(surface, distance_from(a, &X_BA));
        let swap = |s: Start| Start { p_A: s.p_B, p_B: s.p_A };
        starts.extend(minima.into_iter().filter_map(|p_B| with_foot(a, &X_BA, p_B)).map(swap));
    }
    if a.as_parametric().is_none() && b.as_parametric().is_none() {
        return Err(TrackError::Unbounded { a: a.kind(), b: b.kind() });
    }
    Ok(starts)
}

/// Points of a surface where φ is least among neighbours on a grid of 48×32 parameters.
fn parameter_minima(surface: &dyn ParametricSurface, phi: impl Fn(&Point3<f64>) -> f64) -> Vec<Point3<f64>> {
    const N: [usize; 2] = [48, 32];
    let domain = surface.domain();
    let place = |range: [f64; 2], wraps: bool, k: usize, n: usize| {
        let parts = if wraps { n } else { n - 1 };
        range[0] + (range[1] - range[0]) * k as f64 / parts as f64
    };
    let point = |i: usize, j: usize| {
        surface.point(place(domain.u, domain.u_wraps, i, N[0]), place(domain.v, domain.v_wraps, j, N[1]))
    };
    grid_minima(N, [domain.u_wraps, domain.v_wraps], |i, j| phi(&point(i, j)))
        .into_iter()
        .map(|(i, j, _)| point(i, j))
        .collect()
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
