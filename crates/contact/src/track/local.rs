//! # Local pairs: every place where two surfaces come near each other
//!
//! `search` (samples with proof) ──▶ **here** ──(pairs, or "apart by at least d")──▶ [`seed`](super::seed), [`contacts`](super::contacts)
//!
//! - **in**: two shapes, at least one of them with hollows, and their pose
//! - **out**: local minima of the distance below a limit, each refined; a distance that is proven where there are none
//! - **not here**: pairs of convex bodies ([`seed`](super::seed)); corners and rims ([`tips`](super::tips))
//! - **start at** [`nearby`], [`least`]
//!
//! **A search that fails finds something all the same.** Samples of one surface, with their distances from the other body,
//! are true points with true distances. Each sample that no neighbour beats starts Newton's method. Where a sample lies
//! deeper than anything Newton found, the surface is walked downhill from it; where Newton fails from there too, the pair
//! of points reached counts as it is ("loose"): a place whose gap is right and whose points are not quite at the minimum.
//! "Newton failed" never means "nothing there".
//!
//! | surface that is sampled | proof | what φ is |
//! |---|---|---|
//! | elevation map | pieces of patches with bounded slope and bend | distance from the other shape, exact |
//! | mesh | tree of facets, and how far smoothing moves them | the same |
//! | mesh on a half-space | the same tree by the heights of its boxes | height of vertices, exact |
//! | torus, revolution | rectangles of parameters with bounded speed | the same |
//! | graph, polynomial | rectangles of x and y with bounded slope and bend | the same |
//! | graph, closure | none: a grid of places | the same |

use super::refine::{Tolerance, refine};
use super::search::{Cover, Facets, Level, Limit, PROVEN, Patches, Round, Sample, Samples, Sheets, proven_apart};
use super::seed::{Seeded, body_size};
use super::{ClosestPair, TrackError, into_A, project, tangent_basis};
use crate::surface::height::{self, HeightFunction};
use crate::surface::mesh::MeshSurface;
use crate::surface::{Foot, Graph, Shape, SmoothSurface, Surface, SurfacePoint};
use nalgebra::{Isometry3, Matrix2, Point3};

/// Spacing of samples, as a share of the smaller body's radius.
const SPACING: f64 = 0.08;
/// Samples nearer to each other than this share of the radius, or than two pieces, are of one place.
const ONE_PLACE: f64 = 0.12;
/// Depths that differ by less than this share of the radius are explained by each other.
pub(crate) const EXPLAINED: f64 = 1e-3;
/// The same where the bodies only just touch: the depth that is told then is exact.
const TOUCHING: f64 = 1e-4;
/// Share of the depth found that explains other depths: how far A is in B and how far B is in A differ where they bend.
const ALIKE: f64 = 0.5;
/// Starts of one search.
const MOST_STARTS: usize = 48;
/// Meshes of so many facets are sampled at their vertices, whatever the body beside them.
const FINE: usize = 2000;
/// Walks downhill in one search.
const MOST_WALKS: usize = 6;
/// Walks on heights from starts that led nowhere and are not deep themselves.
const MOST_LOST: usize = 2;
/// How much higher than the least such a start may be, as a share of the spacing of samples.
const BESIDE: f64 = 0.25;

/// What is near.
#[derive(Clone, Debug)]
pub(crate) struct Nearby {
    /// Local pairs below the limit, deepest first.
    pub pairs: Vec<ClosestPair>,
    /// Where there are none: the bodies are at least this far apart, at least the limit (m).
    pub apart: f64,
}

/// All local pairs with gaps up to `limit` (m), deepest first. Places at which `known` is as deep need not be walked to:
/// the least gap of contacts that are found in another way (m).
pub(crate) fn nearby(
    a: &Shape,
    b: &Shape,
    X_AB: &Isometry3<f64>,
    limit: f64,
    known: f64,
) -> Result<Nearby, TrackError> {
    if rank(b) > rank(a) {
        let X_BA = X_AB.inverse();
        let mut found = nearby(b, a, &X_BA, limit, known)?;
        found.pairs.iter_mut().for_each(|pair| *pair = pair.swapped(&X_BA));
        return Ok(found);
    }
    let starts = starts(a, b, X_AB, Limit::Below(limit + departure(a)))?;
    let mut pairs = settle_all(a, b, X_AB, &starts, known);
    pairs.retain(|pair| pair.gap <= limit);
    let apart = if starts.is_empty() { apart(a, b, X_AB, limit + departure(a)) - departure(a) } else { limit };
    Ok(Nearby { pairs, apart })
}

/// The closest pair of all, and by how much it beats the next best.
pub(crate) fn least(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<Seeded, TrackError> {
    if rank(b) > rank(a) {
        let X_BA = X_AB.inverse();
        return least(b, a, &X_BA).map(|seeded| Seeded { pair: seeded.pair.swapped(&X_BA), ..seeded });
    }
    let size = body_size(a, b);
    let slack = if matches!(a, Shape::Elevation(_)) { 0.25 * size } else { 0.1 * size };
    let starts = starts(a, b, X_AB, Limit::NearLeast(slack + 2.0 * departure(a)))?;
    let found = settle_all(a, b, X_AB, &starts, f64::INFINITY);
    let pair = *found.first().ok_or(TrackError::NoPair { a: a.kind(), b: b.kind(), tried: starts.len() })?;
    let margin = found.get(1).map_or(slack, |next| (next.gap - pair.gap).min(slack));
    Ok(Seeded { pair, margin })
}

/// Which of two shapes is sampled: heights before meshes, meshes before rings, closures last.
fn rank(shape: &Shape) -> u32 {
    match shape {
        Shape::Elevation(_) => 6,
        Shape::Graph(graph) if graph.degree().is_some() => 5,
        Shape::Mesh(_) => 4,
        Shape::Torus(_) | Shape::Revolution(_) => 3,
        Shape::Graph(graph) if graph.as_parametric().is_none() => 2,
        Shape::Graph(_) => 1,
        _ => 0,
    }
}

/// How far the surface may be from the samples that stand for it (m).
fn departure(shape: &Shape) -> f64 {
    match shape {
        Shape::Mesh(mesh) => mesh.fidelity().bound,
        _ => 0.0,
    }
}

/// Samples of A that start Newton's method, least distance from B first.
fn starts(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, ask: Limit) -> Result<Vec<Sample>, TrackError> {
    fn of<C: Cover>(cover: &C, phi: impl Fn(&Point3<f64>) -> f64, ask: Limit, size: f64) -> Samples {
        match ask {
            Limit::Below(limit) => Samples::below(cover, phi, limit, SPACING * size),
            Limit::NearLeast(slack) => Samples::near_least(cover, phi, slack, SPACING * size),
        }
    }
    let (size, phi) = (body_size(a, b), distance_from(b, X_AB));
    let samples = match a {
        Shape::Elevation(map) => of(&Patches(map), phi, ask, size),
        Shape::Mesh(mesh) if matches!(b, Shape::HalfSpace(_)) => Level::new(mesh, X_AB).samples(ask, SPACING * size),
        Shape::Mesh(mesh) => of(&Facets::new(mesh.solid()), phi, ask, size),
        Shape::Torus(_) | Shape::Revolution(_) => {
            let Some(round) = Round::of(a) else { return Ok(Vec::new()) };
            of(&round, phi, ask, size)
        }
        Shape::Graph(graph) if b.bounds().is_finite() => {
            let (bounds, below) = (b.bounds(), under(graph, b, X_AB));
            let centre = X_AB * bounds.centre();
            // A point at φ from B is within φ and B's radius of B's centre; the least φ is no greater than that of the
            // place below.
            let reach = match ask {
                Limit::Below(limit) => bounds.radius() + limit.max(0.0),
                Limit::NearLeast(slack) => bounds.radius() + below + slack,
            };
            match Sheets::around(graph, &centre, reach) {
                _ if !below.is_finite() => Samples::default(),
                Some(sheets) => of(&sheets, phi, ask, size),
                None => on_graph(graph, b, X_AB),
            }
        }
        _ => return Err(TrackError::Unbounded { a: a.kind(), b: b.kind() }),
    };
    if samples.unresolved {
        return Err(TrackError::Unresolved { a: a.kind(), b: b.kind() });
    }
    // Facets and cells that are small against the bodies may have places side by side.
    Ok(samples.minima((2.0 * samples.spacing).min(ONE_PLACE * size), MOST_STARTS))
}

/// How far apart two bodies certainly are, if they are so by `limit` (m).
fn apart(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, limit: f64) -> f64 {
    let phi = distance_from(b, X_AB);
    match a {
        Shape::Mesh(mesh) if matches!(b, Shape::HalfSpace(_)) => Level::new(mesh, X_AB).least().max(limit),
        Shape::Elevation(map) => proven_apart(&Patches(map), phi, limit),
        Shape::Mesh(mesh) => proven_apart(&Facets::new(mesh.solid()), phi, limit),
        Shape::Graph(graph) => {
            let (centre, reach) = (X_AB * b.bounds().centre(), b.bounds().radius() + PROVEN * limit.max(0.0));
            Sheets::around(graph, &centre, reach).map_or(limit, |sheets| proven_apart(&sheets, phi, limit))
        }
        _ => Round::of(a).map_or(limit, |round| proven_apart(&round, phi, limit)),
    }
}

/// The different local pairs reached from the starts, least gap first.
fn settle_all(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, starts: &[Sample], known: f64) -> Vec<ClosestPair> {
    let size = body_size(a, b);
    let slack = 1e-6 * size + 2.0 * departure(a);
    let mut found: Vec<(ClosestPair, bool)> = Vec::new();
    let add = |found: &mut Vec<(ClosestPair, bool)>, pair: ClosestPair| {
        if found.iter().all(|(other, _)| (other.p_ACa - pair.p_ACa).norm() > 1e-6 * size) {
            found.push((pair, is_consistent(a, b, X_AB, &pair, size)));
        }
    };
    let mut lost: [Option<&Sample>; MOST_LOST] = [None; MOST_LOST];
    for start in starts {
        // A minimum that lies above its start is another one.
        let settle = |p_B: Point3<f64>| refine(a, b, X_AB, start.p, p_B, Tolerance::default()).ok();
        let settle = |p_B| settle(p_B).filter(|pair| pair.gap <= start.value + slack);
        let pair = foot_on(b, X_AB, &start.p).and_then(settle);
        // The far side of B faces a thin wall of A too: what is found from there must be a distance.
        let faced =
            || facing(a, b, X_AB, &start.p).and_then(settle).filter(|pair| is_consistent(a, b, X_AB, pair, size));
        if let Some(pair) = pair.or_else(faced) {
            add(&mut found, pair);
        } else if let Some(free) = lost.iter_mut().find(|free| free.is_none()) {
            *free = Some(start);
        }
    }
    // A pair whose gap is the distance of neither point from the other body is a shadow of another part.
    if found.iter().any(|(_, consistent)| *consistent) {
        found.retain(|(_, consistent)| *consistent);
    }
    // Deeper than all that was found: there must be something.
    let mut least = found.iter().map(|(pair, _)| pair.gap).fold(known, f64::min);
    for start in starts.iter().take(MOST_WALKS) {
        let explained = (TOUCHING * size + ALIKE * (-least).max(0.0)).min(EXPLAINED * size);
        if start.value >= least - explained - departure(a) {
            break;
        }
        let Some(pair) = walk(a, b, X_AB, start, size) else { continue };
        least = least.min(pair.gap);
        add(&mut found, pair);
    }
    // A sample beside an edge lies higher than the edge by up to what one is wide: a start from which Newton's method led nowhere may
    // belong to a place that is deeper than all others though the sample is not.
    if matches!(a, Shape::Elevation(_) | Shape::Graph(_)) {
        let near = |start: &&Sample| start.value < least + BESIDE * SPACING * size;
        for start in lost.into_iter().flatten().filter(near) {
            let pair = walk(a, b, X_AB, start, size).filter(|pair| !is_loose(pair, size));
            if let Some(pair) = pair.filter(|pair| pair.gap < least - 0.1 * TOUCHING * size) {
                add(&mut found, pair);
            }
        }
    }
    let mut found: Vec<ClosestPair> = found.into_iter().map(|(pair, _)| pair).collect();
    found.sort_by(|x, y| x.gap.total_cmp(&y.gap));
    found
}

/// The pair reached downhill from a start, exact if Newton's method succeeds there, else as it is.
fn walk(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, start: &Sample, size: f64) -> Option<ClosestPair> {
    let (p_A, foot) = match (a, b) {
        // No neighbour of the vertex is lower: the walk is at its end.
        (Shape::Mesh(mesh), Shape::HalfSpace(_)) if mesh.solid().mesh().faces().len() >= FINE => {
            (start.p, foot_near(b, &X_AB.inverse_transform_point(&start.p))?)
        }
        _ => descend(a, b, X_AB, start.p, size)?,
    };
    let refined = refine(a, b, X_AB, p_A, foot.p, Tolerance::default()).ok();
    if let Some(pair) = refined.filter(|pair| (pair.gap - foot.distance).abs() <= EXPLAINED * size) {
        return Some(pair);
    }
    // A walk along a sharp edge ends before its lowest place.
    let faced = facing(a, b, X_AB, &p_A).and_then(|p_B| refine(a, b, X_AB, p_A, p_B, Tolerance::default()).ok());
    if let Some(pair) = faced.filter(|pair| pair.gap <= foot.distance && is_consistent(a, b, X_AB, pair, size)) {
        return Some(pair);
    }
    // The rim of a map is where its samples end, not a place of the ground.
    if matches!(a, Shape::Elevation(map) if map.is_at_rim(p_A.x, p_A.y)) {
        return None;
    }
    if foot.distance < 0.0
        && let Some(pair) = walk_back(a, b, X_AB, &foot, size)
    {
        return Some(pair);
    }
    loose(a, b, X_AB, p_A, &foot, size)
}

/// The point of a convex B whose normal is opposite to that of A at a point of A, in B.
///
/// A start for Newton's method that does not mind how sharp B is. Beside an edge that bends with radius r, feet on B have normals
/// that turn by δ/r over a way of δ.
fn facing(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, p_A: &Point3<f64>) -> Option<Point3<f64>> {
    let nhat = point_of(a, p_A)?.nhat;
    Some(b.as_convex()?.support(&(X_AB.rotation.inverse() * -nhat)))
}

/// The pair reached from a foot on B downhill over B, where the bodies overlap.
///
/// Where B bends more sharply than A is deep in it, as at its edges, the way out of B from a point of A leads to a flank of the
/// edge, and the deepest point of A belongs to no common normal. The edge's own way out of A does: M = A + B + φBA stays positive as
/// long as |φ| is below the least radius of A.
fn walk_back(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, from: &Foot, size: f64) -> Option<ClosestPair> {
    let X_BA = X_AB.inverse();
    let (p_B, foot) = descend(b, a, &X_BA, from.p, size)?;
    let pair = refine(a, b, X_AB, foot.p, p_B, Tolerance::default()).ok()?;
    let explains = (pair.gap - foot.distance).abs() <= EXPLAINED * size;
    (explains && pair.gap <= from.distance + EXPLAINED * size).then_some(pair)
}

/// Share of the radius above which what is left of the conditions is that of a loose pair.
const LOOSE: f64 = 1e-5;

/// A pair of points that are not at a minimum: their gap is right. Their curvature is the same in all directions, and at least
/// that of a body of this size (m): a patch needs some bulge where the surfaces have a hollow or a saddle.
pub(super) fn loose(
    a: &Shape,
    b: &Shape,
    X_AB: &Isometry3<f64>,
    p_A: Point3<f64>,
    foot: &Foot,
    size: f64,
) -> Option<ClosestPair> {
    let (at_A, at_B) = (point_of(a, &p_A)?, into_A(&point_of(b, &foot.p)?, X_AB));
    let nhat_AB_A = X_AB.rotation * -foot.nhat;
    let E_A = tangent_basis(&nhat_AB_A);
    let residual = ((at_A.nhat - nhat_AB_A).norm() * size).max(2.0 * LOOSE * size);
    let (curvature_A, curvature_B) = (project(&at_A.Dn, &E_A), project(&at_B.Dn, &E_A));
    let bends = (curvature_A + curvature_B).symmetric_eigenvalues().map(|bend| bend.max(1.0 / size));
    let curvature_A = Matrix2::identity() * (bends.x * bends.y).sqrt() - curvature_B;
    Some(ClosestPair {
        p_ACa: p_A,
        p_BCb: foot.p,
        nhat_AB_A,
        gap: foot.distance,
        E_A,
        curvature_A,
        curvature_B,
        residual,
        steps: 0,
    })
}

/// The surface at one of its points. Where the smooth surface of a mesh has none, as at the rim of a wall that is thinner than its
/// facets, the facet answers.
fn point_of(shape: &Shape, p: &Point3<f64>) -> Option<SurfacePoint> {
    match (shape.point_near(p), shape) {
        (Ok(point), _) => Some(point),
        (Err(_), Shape::Mesh(mesh)) => mesh.closest(p).ok().map(|(found, _)| found.point),
        (Err(_), _) => None,
    }
}

/// Whether a pair is loose, for bodies of this size (m).
pub(super) fn is_loose(pair: &ClosestPair, size: f64) -> bool {
    pair.residual > LOOSE * size
}

/// Walks over A towards lower signed distance from B, until the slope is small; the point reached and its foot on B.
fn descend(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, from: Point3<f64>, size: f64) -> Option<(Point3<f64>, Foot)> {
    let distance = |p: &Point3<f64>| foot_near(b, &X_AB.inverse_transform_point(p));
    // Heights are walked over by their own retraction; other shapes have a cheap foot.
    let onto = |p: &Point3<f64>| match a {
        Shape::Elevation(_) | Shape::Graph(_) => a.point_near(p).ok(),
        _ => a.closest_point(p).ok().and_then(|f| point_of(a, &f.p)),
    };
    let mut at = onto(&from)?;
    let mut foot = distance(&at.p)?;
    let mut stride = 0.1 * size;
    for _ in 0..100 {
        let slope = X_AB.rotation * foot.nhat;
        let tangential = slope - at.nhat * slope.dot(&at.nhat);
        if tangential.norm() < 1e-6 || stride < 1e-9 * size {
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
    Some((at.p, foot))
}

/// The foot of a point: the closest of all, or on a height the one reached from right below or above.
fn foot_near(shape: &Shape, p: &Point3<f64>) -> Option<Foot> {
    match shape {
        Shape::Elevation(map) => height::foot(map.as_ref(), p, p.x, p.y).ok().map(|f| f.foot(p)),
        Shape::Graph(graph) => height::foot(graph, p, p.x, p.y).ok().map(|f| f.foot(p)),
        _ => shape.closest_point(p).ok(),
    }
}

/// Whether the gap is the distance of Ca from B, or in overlap that of Cb from A.
fn is_consistent(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, pair: &ClosestPair, size: f64) -> bool {
    let is_gap = |foot: Foot| (foot.distance - pair.gap).abs() <= 1e-6 * size;
    b.closest_point(&X_AB.inverse_transform_point(&pair.p_ACa)).is_ok_and(is_gap)
        || (pair.gap < 0.0 && a.closest_point(&(X_AB * pair.p_BCb)).is_ok_and(is_gap))
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
            Shape::HalfSpace(_) => q.z,
            Shape::Elevation(map) => steep(map.as_ref(), &q),
            Shape::Graph(graph) => steep(graph, &q),
            // Facets are near enough to tell samples apart, and cheaper.
            Shape::Mesh(mesh) => on_facets(mesh, &q),
            _ => b.closest_point(&q).map_or(f64::NAN, |foot| foot.distance),
        }
    }
}

fn on_facets(mesh: &MeshSurface, q: &Point3<f64>) -> f64 {
    let found = mesh.polyhedron().map_or_else(|| mesh.solid().closest(q, None), |body| body.closest(q, None));
    found.map_or(f64::NAN, |near| near.foot.distance)
}

/// A point of B, in B, near a point of A.
fn foot_on(b: &Shape, X_AB: &Isometry3<f64>, p_A: &Point3<f64>) -> Option<Point3<f64>> {
    let q = X_AB.inverse_transform_point(p_A);
    match b {
        Shape::Elevation(_) | Shape::Graph(_) => Some(b.point_near(&q).ok()?.p),
        _ => Some(b.closest_point(&q).ok()?.p),
    }
}

/// How far the centre of a body is from the place of a graph right below it (m), or from the nearest of its domain; infinite
/// where that has no height.
fn under(graph: &Graph, b: &Shape, X_AB: &Isometry3<f64>) -> f64 {
    let (centre, limits) = (X_AB * b.bounds().centre(), graph.rectangle());
    let (x, y) = (centre.x.clamp(limits.x[0], limits.x[1]), centre.y.clamp(limits.y[0], limits.y[1]));
    graph.jet(x, y).map_or(f64::INFINITY, |jet| (centre - Point3::new(x, y, jet.z)).norm())
}

/// A grid of places of a closure under the other body.
fn on_graph(graph: &Graph, b: &Shape, X_AB: &Isometry3<f64>) -> Samples {
    let bounds = b.bounds();
    // The closest point lies within the height of the body above the graph, and its own radius, of its centre.
    let reach = under(graph, b, X_AB) + bounds.radius();
    let found = graph.candidates(distance_from(b, X_AB), &(X_AB * bounds.centre()), reach);
    let list = found.into_iter().map(|(p, value)| Sample { p, value }).collect();
    Samples { list, spacing: f64::INFINITY, unresolved: false }
}
