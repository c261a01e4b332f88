//! # Grip: closes until a normal force, then holds it
//!
//! contact results ──▶ **here** ──(lever, trim)──▶ largest force of the grip's velocity drive
//!
//! - **in**: contacts of a state with their normal forces
//! - **out**: [`GripState`] of each grip: what its joint may push with from now on
//! - **not here**: the drive itself, a damper towards its speed with that largest force (`effort`)
//! - **start at** [`sense`]
//!
//! With P the normal forces that resist the closing of what hangs on the joint, and J their columns along the joint:
//!
//! ```text
//! lever = Σ P |J| / Σ P,     trim′ = (F − ΣP)/T,     largest force = lever (F + trim)
//! ```
//!
//! The lever is right where nothing but the drive presses; the trim takes in weights, friction and couplings in the second
//! that follows. It is asked between steps: within a step the drive is a velocity drive like any other.

use super::{Drive, DriveKind, DriveState};
use crate::coordinates::Joint;
use crate::model::Model;
use crate::model::body::Mobility;
use crate::run::ContactResult;
use crate::state::State;
use nalgebra::Vector3;

/// Time in which the trim takes up a difference of forces (s).
const TRIM: f64 = 0.05;
/// The drive pushes with all it may where it is slower than its speed by this share.
const LAG: f64 = 0.05;
/// Longest step of the accurate stepper with grips (s): the trim is renewed between steps.
pub(crate) const LONGEST_STEP: f64 = 2e-3;

/// What a grip has felt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GripState {
    /// Force or moment of the joint for each newton of normal force (1 or m); 0 before the first look.
    pub lever: f64,
    /// Added to the force that is asked for (N).
    pub trim: f64,
    /// Normal forces that resist (N).
    pub normal: f64,
    /// When that was (s).
    pub time: f64,
}

impl GripState {
    /// The largest force of the joint for a normal force F, and the damping that a grip takes where none is given.
    pub(super) fn gains(&self, force: f64, speed: f64, damping: Option<f64>, limit: f64) -> (f64, f64) {
        let lever = if self.lever > 0.0 { self.lever } else { 1.0 };
        let most = (lever * (force.abs() + self.trim).max(0.0)).min(limit);
        (most, damping.unwrap_or(most / (LAG * speed.abs())))
    }
}

/// Renews what all grips of a state feel.
pub(crate) fn sense(model: &Model, state: &mut State, results: &[ContactResult]) {
    for (i, drive) in model.drives().iter().enumerate() {
        let DriveKind::Grip { speed, .. } = drive.kind else { continue };
        let now = state.drives[i];
        let (force, _) = drive.reference_at(&now, state.time);
        let (resisting, moment) = resistance(model, state, drive, speed * force.signum(), results);
        let mut grip = now.grip;
        grip.normal = resisting;
        if resisting > 0.0 {
            grip.lever = moment / resisting;
            let elapsed = (state.time - grip.time).clamp(0.0, TRIM);
            grip.trim = (grip.trim + (force - resisting) * elapsed / TRIM).clamp(-0.9 * force.abs(), 9.0 * force.abs());
        } else if grip.lever == 0.0 {
            grip.lever = reach(model, drive);
        }
        if force <= 0.0 {
            grip.trim = 0.0;
        }
        grip.time = state.time;
        state.drives[i] = DriveState { grip, ..now };
    }
}

/// Axis of the joint of a drive and a point on it, in the world; whether it turns.
fn axis(model: &Model, state: &State, drive: &Drive) -> Option<(Vector3<f64>, Vector3<f64>, bool)> {
    let joint = &model.joints()[drive.along.first()?.0.0];
    let child = joint.child.0;
    let X_WF = model.frame(child, &state.bodies[child].X_WBcm) * joint.X_BF;
    match joint.kind {
        Joint::Revolute(axis) => Some((X_WF.rotation * axis.into_inner(), X_WF.translation.vector, true)),
        Joint::Prismatic(axis) => Some((X_WF.rotation * axis.into_inner(), X_WF.translation.vector, false)),
        _ => None,
    }
}

/// Normal forces that resist the closing of what hangs on a drive's joint, and what they are along the joint.
fn resistance(model: &Model, state: &State, drive: &Drive, way: f64, results: &[ContactResult]) -> (f64, f64) {
    let id = drive.along[0].0;
    let (Some((axis, origin, turns)), Some((tree, link))) = (axis(model, state, drive), model.place_of(id)) else {
        return (0.0, 0.0);
    };
    let made = &model.trees()[tree];
    let column = made.first_of(link).0 as u16;
    let hangs = |body: usize| match model.bodies()[body].mobility {
        Mobility::Link { tree: own, link } if own == tree => {
            made.tree.ride(link).node.is_some_and(|node| made.tree.path_of_node(node as usize).contains(&column))
        }
        _ => false,
    };
    let (mut normal, mut moment) = (0.0, 0.0);
    for (contact, result) in state.contacts.iter().zip(results).filter(|(_, result)| result.normal > 0.0) {
        let sides = [hangs(contact.pair.a.0), hangs(contact.pair.b.0)];
        if sides[0] == sides[1] {
            continue;
        }
        let on = result.site.nhat_W * if sides[1] { 1.0 } else { -1.0 };
        let column = if turns { axis.cross(&(result.site.p_WC.coords - origin)) } else { axis };
        let along = on.dot(&column);
        if along * way < 0.0 {
            normal += result.normal;
            moment += result.normal * along.abs();
        }
    }
    (normal, moment)
}

/// The lever before anything was touched: 1 for slides; for hinges the distance from the axis to the child's centre of mass.
fn reach(model: &Model, drive: &Drive) -> f64 {
    let joint = &model.joints()[drive.along[0].0.0];
    let body = &model.bodies()[joint.child.0];
    match joint.kind {
        Joint::Revolute(axis) => {
            let arm = joint.X_BF.rotation.inverse() * (body.p_BoBcm.coords - joint.X_BF.translation.vector);
            let across = axis.cross(&arm).norm();
            if across > 0.0 { across } else { 1.0 }
        }
        _ => 1.0,
    }
}
