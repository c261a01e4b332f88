//! # Direct pairs: closest points by closed form or by one foot
//!
//! - **in**: a half-space or a ball against a bounded shape
//! - **out**: the closest pair, global by construction, no tracking needed
//! - **not here**: everything else ([`seed`](super::seed))
//! - **start at** [`closest`]
//!
//! A ball is a point with a radius: its closest point on any surface is the foot of its centre. A half-space
//! touches a body where the body reaches furthest against its normal.

use super::{ClosestPair, TrackError, into_A, project, tangent_basis};
use crate::surface::mesh::{MeshSurface, SolidFoot};
use crate::surface::{Shape, SmoothSurface, Sphere, Surface, SurfacePoint, Torus, height};
use nalgebra::{Isometry3, Matrix2, Matrix3, Point3, Vector3};

/// The closest pair, if this pair of kinds has a direct answer.
#[inline]
pub fn closest(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Option<Result<ClosestPair, TrackError>> {
    if let Some(answer) = ordered(a, b, X_AB) {
        return Some(answer);
    }
    let X_BA = X_AB.inverse();
    ordered(b, a, &X_BA).map(|answer| answer.map(|pair| pair.swapped(&X_BA)))
}

/// The same for a fixed order: half-space first, ball second.
#[inline]
fn ordered(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Option<Result<ClosestPair, TrackError>> {
    match (a, b) {
        (Shape::Graph(_) | Shape::Elevation(_), _) => None,
        (_, Shape::Sphere(ball)) => Some(ball_on(a, ball, X_AB)),
        (Shape::HalfSpace(_), Shape::Torus(torus)) => Some(on_half_space(b, X_AB, |d| torus_support(torus, d))),
        (Shape::HalfSpace(_), _) => b.as_convex().map(|body| on_half_space(b, X_AB, |d| body.support(d))),
        _ => None,
    }
}

/// Ball B on surface A: the foot of its centre.
fn ball_on(a: &Shape, ball: &Sphere, X_AB: &Isometry3<f64>) -> Result<ClosestPair, TrackError> {
    let centre = Point3::from(X_AB.translation.vector);
    if let Shape::Mesh(mesh) = a {
        return Ok(foot_on_mesh(mesh, ball.radius(), X_AB)?.0);
    }
    let foot = a.closest_point(&centre)?;
    let mut at_A = a.point_near(&foot.p)?;
    (at_A.p, at_A.nhat) = (foot.p, foot.nhat);
    Ok(ball_pair(&at_A, foot.distance, ball.radius(), X_AB))
}

/// The foot may stray from where it was searched for by this share of what Newton was given.
const STRAY: f64 = 0.7;

/// A ball on a mesh, found from scratch, and how long that stays true.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshSearch {
    pub pair: ClosestPair,
    /// Centre of the ball, in the mesh's frame (m).
    pub centre: Point3<f64>,
    /// Its signed distance from the mesh (m).
    distance: f64,
    /// All that is this far from the foot is at least `level` from the centre (m).
    reach: f64,
    level: f64,
}

impl MeshSearch {
    /// Whether no foot elsewhere can be nearer to the centre, now at `centre`, than this one.
    ///
    /// What lies beyond `reach` of the old foot comes nearer by no more than the centre moves; within it, a few facets
    /// wide, Newton follows. A distance that changes by more than the centre moves is of another place: Newton left its
    /// valley.
    #[inline]
    pub fn still_holds(&self, centre: &Point3<f64>, foot: &Point3<f64>, distance: f64) -> bool {
        let moved = (centre - self.centre).norm();
        let strayed = (foot - self.pair.p_ACa).norm();
        let followed = (distance - self.distance).abs() <= moved * (1.0 + 1e-9) + 1e-9 * self.reach;
        followed && distance.abs() < self.level - moved && strayed < STRAY * self.reach
    }
}

/// Ball B on mesh A: the foot of its centre, by the nearest facet; with the facet and its signed distance (m).
fn foot_on_mesh(
    mesh: &MeshSurface,
    radius: f64,
    X_AB: &Isometry3<f64>,
) -> Result<(ClosestPair, SolidFoot, f64), TrackError> {
    let centre = Point3::from(X_AB.translation.vector);
    let (found, facet) = mesh.closest(&centre)?;
    Ok((ball_pair(&found.point, found.distance, radius, X_AB), facet, found.distance))
}

/// Ball B on mesh A, and how near anything else is.
#[cold]
pub fn ball_on_mesh(mesh: &MeshSurface, radius: f64, X_AB: &Isometry3<f64>) -> Result<MeshSearch, TrackError> {
    let (pair, facet, distance) = foot_on_mesh(mesh, radius, X_AB)?;
    let centre = Point3::from(X_AB.translation.vector);
    // Four facets around the foot are Newton's; the nearest of the others is the rival. A polyhedron is its core and a
    // distance from it, which is the same to all facets.
    let (solid, rounding) = mesh.polyhedron().map_or((mesh.solid(), 0.0), |body| (body.core(), body.radius()));
    let all = solid.mesh();
    let [a, b, c] = all.faces()[facet.face as usize].map(|v| all.vertices()[v as usize]);
    let reach = 4.0 * (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let foot = pair.p_ACa;
    let outside = |corners: &[Point3<f64>; 3]| corners.iter().any(|p| (p - foot).norm_squared() > reach * reach);
    // A longer lead than the foot may stray is of no use.
    let limit = facet.foot.distance.abs() + rounding + STRAY * reach;
    let rival = solid.bvh().closest_of(all.vertices(), &centre, limit, None, outside);
    let rival = rival.map_or(limit, |facet| facet.distance_squared.sqrt());
    // Smoothing moves the surface; here by this much.
    let level = rival - rounding - (facet.foot.distance - distance).abs();
    Ok(MeshSearch { pair, centre, distance, reach, level })
}

/// The pair of a surface point and the ball whose centre stands `distance` above it.
#[inline]
pub fn ball_pair(at_A: &SurfacePoint, distance: f64, radius: f64, X_AB: &Isometry3<f64>) -> ClosestPair {
    let n = at_A.nhat;
    let E_A = tangent_basis(&n);
    ClosestPair {
        p_ACa: at_A.p,
        p_BCb: Point3::from(X_AB.rotation.inverse_transform_vector(&(n * -radius))),
        nhat_AB_A: n,
        gap: distance - radius,
        E_A,
        curvature_A: project(&at_A.Dn, &E_A),
        curvature_B: Matrix2::from_diagonal_element(1.0 / radius),
        residual: 0.0,
        steps: 0,
    }
}

/// A ball on a height, either of them first: the foot of its centre, found from these points of A and B. None for other pairs, or
/// where the surface has ended.
#[inline]
pub fn ball_on_height(
    a: &Shape,
    b: &Shape,
    X_AB: &Isometry3<f64>,
    (p_A, p_B): (&Point3<f64>, &Point3<f64>),
) -> Option<ClosestPair> {
    let on = |ground: &Shape, ball: &Sphere, X: &Isometry3<f64>, from: &Point3<f64>| {
        let centre = Point3::from(X.translation.vector);
        let found = match ground {
            Shape::Elevation(map) => height::foot(map.as_ref(), &centre, from.x, from.y),
            Shape::Graph(graph) => height::foot(graph, &centre, from.x, from.y),
            _ => return None,
        };
        let found = found.ok()?;
        let at = found.jet.surface_point(found.x, found.y);
        let mut pair = ball_pair(&at, at.nhat.dot(&(centre - at.p)), ball.radius(), X);
        pair.steps = found.steps;
        Some(pair)
    };
    match (a, b) {
        (ground, Shape::Sphere(ball)) => on(ground, ball, X_AB, p_A),
        (Shape::Sphere(ball), ground) => {
            let X_BA = X_AB.inverse();
            on(ground, ball, &X_BA, p_B).map(|pair| pair.swapped(&X_BA))
        }
        _ => None,
    }
}

/// Body B on the half-space A: its furthest point against the normal.
fn on_half_space(
    body: &Shape,
    X_AB: &Isometry3<f64>,
    support: impl Fn(&Vector3<f64>) -> Point3<f64>,
) -> Result<ClosestPair, TrackError> {
    let down_B = X_AB.rotation.inverse() * -Vector3::z();
    let mut at_B = body.point_near(&support(&down_B))?;
    at_B.nhat = down_B;
    let b_A = into_A(&at_B, X_AB);
    let at_A = SurfacePoint { p: Point3::new(b_A.p.x, b_A.p.y, 0.0), nhat: Vector3::z(), Dn: Matrix3::zeros() };
    let mut pair = ClosestPair::from_points(&at_A, &b_A, X_AB);
    pair.p_BCb = at_B.p;
    Ok(pair)
}

/// The point of a torus furthest along d; one of them (that along +x) if d is along the axis.
fn torus_support(torus: &Torus, d: &Vector3<f64>) -> Point3<f64> {
    let ring = Vector3::new(d.x, d.y, 0.0).try_normalize(0.0).unwrap_or(Vector3::x());
    Point3::from(ring * torus.major_radius() + d.normalize() * torus.minor_radius())
}
