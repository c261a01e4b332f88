//! # Constraints: contacts as points with four rows each
//!
//! `place` ──(pairs of points, faces)──▶ **here** ──([`ContactPoint`])──▶ `cache`
//!
//! - **in**: a contact and the poses of its bodies
//! - **out**: a [`ContactPoint`] for every point contact, one for every corner of a face; its Jacobians; its friction under a load
//! - **not here**: when points are made anew (`cache`); which of them matter in a step (`step`)
//! - **start at** [`make`], then [`ContactPoint::rows`], [`ContactPoint::limit`]

use super::midway::may_turn;
use super::strands;
use crate::contacts::place::{Place, Way};
use crate::model::Model;
use crate::model::body::{Body, Mobility};
use crate::model::interactions::Pair;
use crate::run::Stop;
use crate::state::ContactState;
use fingerpad_contact::law::{ContactLaw, Friction, Stiffness};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_contact::track::{ClosestPair, ContactSet, FaceContact};
use fingerpad_solve::cone::{Gauge, Set};
use nalgebra::{Isometry3, Matrix2, Matrix6, Point2, Vector2, Vector3};
use std::f64::consts::PI;

/// Softness of the corners of faces under bodies that cannot tilt, against that of the bodies.
const SOFTNESS: f64 = 1e-6;
/// μ that stands for no limit, and its moment per load (m).
const STICKS: [f64; 3] = [1e4, 1e4, 1e2];

/// Corners of a face that are nearer to each other, or to the line of their neighbours, than this share of its size are no others.
const SAME: f64 = 1e-6;
/// Corners of an arc are this far apart (rad).
const ARC: f64 = PI / 6.0;

/// A point where two bodies may touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactPoint {
    /// Which contact it belongs to.
    pub contact: usize,
    /// Which of the points of that contact.
    pub slot: usize,
    /// Bodies A and B.
    pub bodies: [usize; 2],
    /// Now, and where it was found (m).
    pub gap: f64,
    pub found: f64,
    /// Where the normal force acts (m).
    pub p_W: Vector3<f64>,
    /// Where friction acts, midway (m). On each body it acts at the surface, which a gap sets apart: when they touch, that
    /// is the arm.
    pub q_W: Vector3<f64>,
    /// From there to the surfaces of A and B, along the normal (m).
    pub ends: [f64; 2],
    /// Normal out of A into B, and two axes of friction.
    pub axes_W: [Vector3<f64>; 3],
    /// The first axis of friction in the tangent axes of the site.
    pub axis: Vector2<f64>,
    /// From the point of its contact to where friction acts (m).
    pub arm_W: Vector3<f64>,
    /// Curvature of the gap; none for corners of faces.
    pub curvature: Option<RelativeCurvature>,
    /// Curvatures of A and B along the axes of friction, where rows can be followed through a step.
    pub curvatures: Option<[Matrix2<f64>; 2]>,
    /// What the end of the step adds to velocities along rows that were taken to its middle (`midway`).
    pub bend: [f64; 4],
    /// Rows n, t1, t2, s of the Jacobians of A and B, at their centres of mass.
    pub rows: [[[f64; 6]; 4]; 2],
    /// What a unit of each impulse does to its own velocity.
    pub own: [f64; 4],
    /// What a turn and a way of its bodies do to it at most (1, 1/m).
    pub gains: [f64; 2],
    /// Softness along the normal (m/s per N·s).
    pub softness: f64,
    /// Friction, where the load does not matter, and what residuals need of it.
    pub steady: Option<(Limit, Gauge)>,
}

/// What friction holds per unit of normal load: semi-axes, and where they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Limit {
    /// (μ, μ, μ e): 1, 1, m.
    pub friction: [f64; 3],
    /// e (m).
    pub e_n: f64,
    /// Semi-axes of the patch (m).
    pub patch: Option<(f64, f64)>,
}

/// The points of a contact, its place at the given poses of the body frames and of the centres of mass: followed to there, or there
/// already.
#[allow(clippy::too_many_arguments)] // a contact and all that it is made of
pub(super) fn make(
    model: &Model,
    (contact, at): (usize, &mut ContactState),
    set: Option<&ContactSet>,
    frames: &[Isometry3<f64>],
    centres: &[Isometry3<f64>],
    inverse: &[Matrix6<f64>],
    follow: bool,
    face: &mut FaceContact,
    points: &mut Vec<ContactPoint>,
) -> Result<Way, Stop> {
    let pair = at.pair;
    let (a, b) = (pair.a.0, pair.b.0);
    let (X_WA, X_WB) = (&frames[a], &frames[b]);
    let mut way = Way::Followed;
    if let Place::Strand(curve) = &at.place {
        let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
        strands::follow(curve, shapes, &X_WA.inv_mul(X_WB), face);
    } else if follow || matches!(at.place, Place::Face(_)) {
        let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
        let stop = |error| Stop::Track { pair, error };
        way = at.place.follow(set, shapes, &X_WA.inv_mul(X_WB), face).map_err(stop)?;
    }
    let law = model.law(&pair);
    let closest = at.place.pair().unwrap_or(&face.pair);
    let still = SpatialVelocity::zero();
    let site = ContactSite::without_turning(closest, X_WA, &still, X_WB, &still, law.alpha);
    let axis = axis(&law.law.friction, &site);
    let t1 = site.E_W * axis;
    let size = [a, b].map(|i| model.extents()[i].radius).into_iter().fold(f64::INFINITY, f64::min);
    let point = ContactPoint {
        contact,
        slot: 0,
        bodies: [a, b],
        gap: site.gap,
        found: site.gap,
        p_W: site.p_WC.coords,
        q_W: site.p_WC.coords,
        ends: [-law.alpha * site.gap, (1.0 - law.alpha) * site.gap],
        axes_W: [site.nhat_W, t1, site.nhat_W.cross(&t1)],
        axis,
        arm_W: Vector3::zeros(),
        curvature: Some(site.relative_curvature()),
        curvatures: None,
        bend: [0.0; 4],
        rows: [[[0.0; 6]; 4]; 2],
        own: [0.0; 4],
        gains: gains(closest, size),
        softness: 0.0,
        steady: None,
    };
    let first = points.len();
    match at.place {
        Place::Face(_) if face.area > 0.0 => {
            // Normals of faces are fixed to their bodies; corners move as these do.
            corners(face, &site, &ContactPoint { gains: [2.0, 2.0 / size], ..point }, points);
        }
        Place::Face(_) => {}
        Place::Strand(curve) if face.area > 0.0 => {
            let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
            strands::points(&curve, shapes, (X_WA, X_WB), (size, law.alpha), &point, points);
        }
        Place::Strand(_) => {}
        _ => {
            let turns = may_turn([a, b].map(|i| &model.bodies()[i].mobility));
            let along = Matrix2::new(axis.x, -axis.y, axis.y, axis.x);
            let curvatures = [closest.curvature_A, closest.curvature_B].map(|K| along.transpose() * K * along);
            points.push(ContactPoint { curvatures: turns.then_some(curvatures), ..point });
        }
    }
    for point in &mut points[first..] {
        for side in 0..2 {
            let body = point.bodies[side];
            point.rows[side] = point.jacobian(side, &centres[body].translation.vector);
            if model.bodies()[body].mobility.is_moved_by_forces() {
                (0..4).for_each(|r| point.own[r] += quadratic(&point.rows[side][r], &inverse[body]));
            }
        }
        // Under a body that cannot tilt, corners of a face share its load in any way: the least bit of softness makes it
        // the even one.
        if point.curvature.is_none() && point.bodies.into_iter().any(|body| cannot_tilt(&model.bodies()[body])) {
            point.softness = SOFTNESS * point.own[0];
        }
        if point.curvature.is_none() || !matches!(law.law.stiffness, Stiffness::Patch(_)) {
            let limit = point.limit(pair, &law.law, 0.0).ok();
            point.steady = limit.map(|limit| (limit, point.gauge(&limit)));
        }
    }
    Ok(way)
}

/// By how much the normal and, over the size of the bodies, the point of a pair move at most, per turn and per way (1, 1/m).
fn gains(pair: &ClosestPair, size: f64) -> [f64; 2] {
    let (A, B, M) = (pair.curvature_A.norm(), pair.curvature_B.norm(), pair.matrix());
    let det = M.determinant();
    // |M⁻¹| = |M|/det; where points are not isolated nothing is kept.
    let loose = if det > 0.0 { M.norm() / det * (A + 1.0 / size) } else { f64::INFINITY };
    [1.0 + loose, 1.0 / size + if B > 0.0 { loose * B } else { 0.0 }]
}

fn cannot_tilt(body: &Body) -> bool {
    matches!(&body.mobility, Mobility::Restricted(guide) if guide.turns != [true; 3])
}

/// x·W x.
fn quadratic(x: &[f64; 6], W: &Matrix6<f64>) -> f64 {
    (0..6).map(|c| x[c] * (0..6).map(|r| W[(r, c)] * x[r]).sum::<f64>()).sum()
}

/// First axis of friction in the tangent axes: that of two coefficients.
fn axis(friction: &Friction, site: &ContactSite) -> Vector2<f64> {
    let along = match friction {
        Friction::TwoCoefficients { direction_W, .. } => site.E_W.tr_mul(direction_W).try_normalize(1e-150),
        _ => None,
    };
    along.unwrap_or(Vector2::new(1.0, 0.0))
}

/// The corners of a face.
fn corners(face: &FaceContact, site: &ContactSite, point: &ContactPoint, points: &mut Vec<ContactPoint>) {
    let mut places = Vec::new();
    for piece in face.region.pieces() {
        piece.outline(ARC, |corner| places.push(corner));
    }
    if face.region.pieces().len() > 1 {
        places = hull(places);
    }
    put_in_order(&mut places);
    let far = places.iter().map(|x| x.coords.norm()).sum::<f64>() / places.len() as f64;
    let drawn = (mean_distance(face) / far).min(1.0);
    for (slot, x) in places.iter().enumerate() {
        let along = site.E_W * x.coords;
        let (p_W, q_W) = (point.p_W + along, point.p_W + along * drawn);
        let gap = face.gap_at(x);
        let ends = [-site.alpha * gap, (1.0 - site.alpha) * gap];
        let arm_W = along * drawn;
        points.push(ContactPoint { slot, gap, found: gap, p_W, q_W, ends, arm_W, curvature: None, ..*point });
    }
}

/// Corners next to each other are one, those in line with their neighbours are none, and the first is that of least angle: so that they are
/// the same ones, in the same order, where faces lie edge on edge and rounding decides where these cut each other. A corner more or
/// less gives every impulse to the wrong corner at the next step, and a tower of a hundred boxes begins to sway by it.
fn put_in_order(places: &mut Vec<Point2<f64>>) {
    let size = places.iter().map(|x| x.coords.norm()).fold(0.0, f64::max);
    places.dedup_by(|x, last| (*x - *last).norm() <= SAME * size);
    while places.len() > 3 && (places[0] - places[places.len() - 1]).norm() <= SAME * size {
        places.pop();
    }
    let mut at = 0;
    while at < places.len() && places.len() > 3 {
        let count = places.len();
        let (last, next) = (places[(at + count - 1) % count], places[(at + 1) % count]);
        let along = next - last;
        if along.perp(&(places[at] - last)).abs() <= SAME * size * along.norm() {
            places.remove(at);
        } else {
            at += 1;
        }
    }
    let angle = |x: &Point2<f64>| x.y.atan2(x.x);
    let first = (0..places.len()).min_by(|i, j| angle(&places[*i]).total_cmp(&angle(&places[*j])));
    places.rotate_left(first.unwrap_or(0));
}

/// Least gap at the corners of a face (m).
pub(super) fn least_corner(face: &FaceContact) -> f64 {
    let mut least = f64::INFINITY;
    for piece in face.region.pieces() {
        piece.outline(ARC, |corner| least = least.min(face.gap_at(&corner)));
    }
    least
}

/// Mean distance of the points of a region from its centroid (m): triangles from there to each piece of the outline,
/// ∫ |x| dA = (p × q)/3 ∫ |p + (q − p) t| dt, Simpson with 9 points.
fn mean_distance(face: &FaceContact) -> f64 {
    let (mut sum, mut area) = (0.0, 0.0);
    let mut edge = |p: Vector2<f64>, q: Vector2<f64>| {
        let turn = p.perp(&q);
        let at = |k: usize| (p + (q - p) * (k as f64 / 8.0)).norm();
        let weight = |k: usize| {
            if k == 0 || k == 8 {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        sum += turn / 3.0 * (0..9).map(|k| weight(k) * at(k)).sum::<f64>() / 24.0;
        area += 0.5 * turn;
    };
    for piece in face.region.pieces() {
        let (mut first, mut last) = (None::<Vector2<f64>>, None::<Vector2<f64>>);
        piece.outline(PI / 36.0, |corner| {
            if let Some(last) = last {
                edge(last, corner.coords);
            }
            first = first.or(Some(corner.coords));
            last = Some(corner.coords);
        });
        if let (Some(last), Some(first)) = (last, first) {
            edge(last, first);
        }
    }
    sum / area
}

/// Corners of the convex hull, in order (Andrew).
fn hull(mut points: Vec<Point2<f64>>) -> Vec<Point2<f64>> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let size = points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max);
    let half = |points: &mut dyn Iterator<Item = &Point2<f64>>| {
        let mut chain: Vec<Point2<f64>> = Vec::new();
        for p in points {
            while let [.., q, r] = chain[..] {
                if (r - q).perp(&(p - r)) > 1e-9 * size * size {
                    break;
                }
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut all = half(&mut points.iter());
    all.extend(half(&mut points.iter().rev()));
    all
}

impl ContactPoint {
    /// Rows n, t1, t2, s of the Jacobian of A (side 0) or B (side 1), its centre of mass at p_WBcm.
    pub fn jacobian(&self, side: usize, p_WBcm: &Vector3<f64>) -> [[f64; 6]; 4] {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let [n, t1, t2] = self.axes_W.map(|axis| axis * sign);
        let row = |arm: Vector3<f64>, d: Vector3<f64>| {
            let t = arm.cross(&d);
            [t.x, t.y, t.z, d.x, d.y, d.z]
        };
        let (at, rub) = (self.p_W - p_WBcm, self.q_W + self.axes_W[0] * self.ends[side] - p_WBcm);
        [row(at, n), row(rub, t1), row(rub, t2), [n.x, n.y, n.z, 0.0, 0.0, 0.0]]
    }

    /// What a velocity of A (side 0) or B (side 1) does to the gap.
    #[inline]
    pub fn rate(&self, side: usize, V: &SpatialVelocity) -> f64 {
        dot(&self.rows[side][0], V)
    }

    /// Adds what its impulses do to each body.
    #[inline]
    pub fn push(&self, f: &[f64; 4], pushes: &mut [SpatialForce]) {
        for side in 0..2 {
            let rows = &self.rows[side];
            let sum = |c: usize| (rows[0][c] * f[0] + rows[1][c] * f[1]) + (rows[2][c] * f[2] + rows[3][c] * f[3]);
            let push = &mut pushes[self.bodies[side]];
            push.t += Vector3::new(sum(0), sum(1), sum(2));
            push.f += Vector3::new(sum(3), sum(4), sum(5));
        }
    }

    /// What residuals need to know of it.
    pub fn gauge(&self, limit: &Limit) -> Gauge {
        Gauge::new(
            &Set::Ellipsoid { friction: limit.friction },
            &[self.own[0] + self.softness, self.own[1], self.own[2], self.own[3]],
        )
    }

    /// What friction holds under a load (N).
    pub fn limit(&self, pair: Pair, law: &ContactLaw, load: f64) -> Result<Limit, Stop> {
        let patch = match (&law.stiffness, &self.curvature) {
            (Stiffness::Patch(theory), Some(curvature)) => theory.under_load(curvature, load).ok(),
            _ => None,
        };
        let e_n = match (&law.stiffness, &self.curvature) {
            (_, None) => 0.0,
            (Stiffness::Patch(_), _) => patch.map_or(0.0, |patch| patch.e_n),
            (Stiffness::Constants(constants), _) | (Stiffness::Custom { tangential: constants, .. }, _) => {
                constants.e_n
            }
            (Stiffness::Field(sample), _) => sample.e_n,
        };
        let friction = match &law.friction {
            Friction::None => [0.0; 3],
            Friction::Sticks => STICKS,
            Friction::Coulomb { mu } | Friction::Exact { mu } => [*mu, *mu, mu * e_n],
            Friction::TwoCoefficients { along, across, .. } => {
                let moment = match patch {
                    Some(patch) if patch.a > 0.0 => patch.largest_moment(*along, *across, &self.axis),
                    _ => (along * across).sqrt() * e_n,
                };
                [*along, *across, moment]
            }
            Friction::Rule(_) => return Err(Stop::NoEllipsoid { pair }),
        };
        Ok(Limit { friction, e_n, patch: patch.map(|patch| (patch.a, patch.b)) })
    }
}

/// A row times a velocity.
#[inline]
pub(super) fn dot(row: &[f64; 6], V: &SpatialVelocity) -> f64 {
    row[0] * V.w.x + row[1] * V.w.y + row[2] * V.w.z + row[3] * V.v.x + row[4] * V.v.y + row[5] * V.v.z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square is the same four corners wherever its outline begins and whichever of them rounding has doubled.
    #[test]
    fn corners_stay_in_order() {
        let square = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| Point2::new(x, y));
        let expected = [square[2], square[3], square[0], square[1]];
        for start in 0..4 {
            for doubled in 0..5 {
                let mut places = Vec::new();
                for k in (0..4).map(|k| (k + start) % 4) {
                    places.push(square[k]);
                    if k == doubled {
                        places.push(square[k] + Vector2::new(1e-12, -1e-13));
                    }
                }
                places.rotate_right(usize::from(doubled == (start + 3) % 4));
                put_in_order(&mut places);
                assert_eq!(places.len(), 4, "{start} {doubled}");
                assert!(
                    places.iter().zip(&expected).all(|(x, y)| (x - y).norm() < 1e-11),
                    "{start} {doubled}: {places:?}"
                );
            }
        }
    }
}
