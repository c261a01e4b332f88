//! # Strands: contacts along curves as points of rigid bodies
//!
//! - **in**: a curve of one body, poses
//! - **out**: a [`ContactPoint`] for each place of the curve on which it stands
//! - **not here**: which places these are (`fingerpad_contact::track::strand`); rows (`constraint`)
//! - **start at** [`points`]
//!
//! The ends of a line stand for all of it: friction acts halfway from its middle to them, so that the moment is that of even pressure,
//! μPL/4 over the length L. On a ring it acts where the points are.

use super::constraint::ContactPoint;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::strand::Path;
use fingerpad_contact::track::{ClosestPair, FaceContact, PlacedStrand, StrandPlace};
use nalgebra::{Isometry3, Vector3};

/// Contacts further apart than this share of the size of the bodies do not count.
const NEAR: f64 = 0.03;
/// Gaps along a curve that differ by less than this share of the size are alike.
const SLACK: f64 = 1e-5;

/// The least gap of a curve, as the points of its room; without area where it is far.
pub(super) fn follow(place: &StrandPlace, shapes: (&Shape, &Shape), X_AB: &Isometry3<f64>, room: &mut FaceContact) {
    let mut strand = PlacedStrand::default();
    place.find(shapes.0, shapes.1, X_AB, 0.0, &mut strand);
    room.area = if strand.strand.least.gap.is_finite() { 1.0 } else { 0.0 };
    room.pair = strand.pair_at(&strand.strand.least, X_AB);
}

/// The points of a curve; `template` is one at its least gap.
pub(super) fn points(
    place: &StrandPlace,
    shapes: (&Shape, &Shape),
    (X_WA, X_WB): (&Isometry3<f64>, &Isometry3<f64>),
    (size, alpha): (f64, f64),
    template: &ContactPoint,
    points: &mut Vec<ContactPoint>,
) {
    let X_AB = X_WA.inv_mul(X_WB);
    let (mut room, mut list) = (PlacedStrand::default(), Vec::new());
    place.spots(shapes.0, shapes.1, &X_AB, (NEAR * size, SLACK * size), &mut room, &mut list);
    let pairs: Vec<ClosestPair> = list.iter().map(|station| room.pair_at(station, &X_AB)).collect();
    let at = |pair: &ClosestPair| (X_WA * (pair.p_ACa + pair.nhat_AB_A * (alpha * pair.gap))).coords;
    // Friction is that of the part that touches.
    let least = pairs.iter().map(|pair| pair.gap).fold(f64::INFINITY, f64::min);
    let touching = || pairs.iter().filter(|pair| pair.gap <= least + 10.0 * SLACK * size);
    let count = touching().count().max(1) as f64;
    let middle = touching().map(at).sum::<Vector3<f64>>() / count;
    let drawn = if matches!(place.curve.path, Path::Rod { .. }) { 0.5 } else { 1.0 };
    for (slot, pair) in pairs.iter().enumerate() {
        let p_W = at(pair);
        let n = X_WA.rotation * pair.nhat_AB_A;
        let arm_W = (p_W - middle) * drawn;
        let t1 = template.axes_W[1] - n * n.dot(&template.axes_W[1]);
        let t1 = t1.try_normalize(1e-6).unwrap_or_else(|| X_WA.rotation * Vector3::from(pair.E_A.column(0)));
        points.push(ContactPoint {
            slot,
            gap: pair.gap,
            found: pair.gap,
            p_W,
            q_W: middle + arm_W,
            ends: [-alpha * pair.gap, (1.0 - alpha) * pair.gap],
            arm_W,
            axes_W: [n, t1, n.cross(&t1)],
            curvature: None,
            gains: [f64::INFINITY; 2],
            ..*template
        });
    }
}
