//! # Gather: the contacts of a state as the fixed step sees them
//!
//! `state` ──▶ **here** ──(which contacts to look at, closest points at any poses)──▶ `step`
//!
//! - **in**: the contacts of a state with their trackers
//! - **out**: the contacts near enough to act in this step; closest points at the end of it
//! - **assumes**: a tracker stands at the pose of its state, unless its contact was left aside as far away
//! - **start at** [`near`], [`look`]
//!
//! All that the fixed step knows of how contacts are found and followed is in this file.

use super::mover::{Mover, Root};
use crate::accurate::Stop;
use crate::body::Body;
use crate::model::Model;
use crate::state::{ContactState, State};
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::Tracker;
use nalgebra::{Isometry3, Point3, Translation3};

/// Pose of the centre of mass from that of the body frame.
pub fn centre(body: &Body, X_WB: &Isometry3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from((X_WB * Point3::from(body.p_BoBcm)).coords), X_WB.rotation)
}

/// Closest points of a contact at poses of its bodies.
#[inline]
pub fn look(
    model: &Model,
    slot: usize,
    contact: &ContactState,
    tracker: &mut Tracker,
    pose: impl Fn(usize) -> Isometry3<f64>,
) -> Result<(), Stop> {
    let (a, b) = (contact.pair.a.0, contact.pair.b.0);
    let X_AB = pose(a).inv_mul(&pose(b));
    let (A, B) = (&model.bodies()[a].shape, &model.bodies()[b].shape);
    tracker.update(A, B, &X_AB).map(|_| ()).map_err(|error| Stop::Track { pair: slot, error })
}

/// How fast the gap of a pair can close at most (m/s).
#[inline]
pub fn closing(model: &Model, contact: &ContactState, movers: &[Mover]) -> f64 {
    let (a, b) = (contact.pair.a.0, contact.pair.b.0);
    let (A, B) = (&movers[a], &movers[b]);
    (A.v_step - B.v_step).norm() + sweep(model, a, A) + sweep(model, b, B)
}

/// Speed of the fastest point of a body about its centre of mass (m/s).
#[inline]
fn sweep(model: &Model, index: usize, mover: &Mover) -> f64 {
    let body = &model.bodies()[index];
    let centred = body.p_BoBcm == Point3::origin();
    if mover.w_step == nalgebra::Vector3::zeros() || (centred && matches!(*body.shape, Shape::Sphere(_))) {
        return 0.0;
    }
    mover.w_step.norm() * (body.shape.reach() + body.p_BoBcm.coords.norm())
}

/// The contacts to look at in this step; others stay away for more than two of them.
pub fn near(model: &Model, state: &mut State, movers: &[Mover], h: f64, slots: &mut Vec<u32>) -> Result<(), Stop> {
    slots.clear();
    let State { contacts, .. } = state;
    for (slot, contact) in contacts.iter_mut().enumerate() {
        if contact.fast.far > 0.0 && contact.fast.far > 2.0 * h * closing(model, contact, movers) {
            continue;
        }
        if contact.fast.far > 0.0 {
            // Its tracker stayed behind.
            let mut tracker = contact.tracker;
            look(model, slot, contact, &mut tracker, |i| model.frame(i, &movers[i].X))?;
            contact.tracker = tracker;
            contact.fast.far = 0.0;
        }
        slots.push(slot as u32);
    }
    Ok(())
}

/// Roots of the inverse masses of all bodies.
pub fn roots(model: &Model) -> Vec<Root> {
    model.bodies().iter().enumerate().map(|(i, body)| Root::of(body, model.inverse_inertia(i))).collect()
}
