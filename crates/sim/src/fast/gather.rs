//! # Gather: the contacts of a state as the fixed step sees them
//!
//! `state` ──▶ **here** ──(which contacts to look at, closest points at any poses)──▶ `step`
//!
//! - **in**: the contacts of a state with their places
//! - **out**: the contacts near enough to act in this step; closest points at the end of it
//! - **assumes**: a place is that of the pose of its state, unless its contact was left aside as far away; no faces on
//!   faces (they are refused)
//! - **start at** [`near`], [`look`]
//!
//! All that the fixed step knows of how contacts are found and followed is in this file.

use super::mover::{Mover, Root};
use crate::accurate::Stop;
use crate::body::Body;
use crate::model::Model;
use crate::near::Broad;
use crate::near::renew::{Overlap, renew};
use crate::place::{Place, Way};
use crate::state::{ContactMode, ContactState, State};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::{ClosestPair, ContactSet, FaceContact};
use nalgebra::{Isometry3, Point3, Translation3};

/// Pose of the centre of mass from that of the body frame.
pub fn centre(body: &Body, X_WB: &Isometry3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from((X_WB * Point3::from(body.p_BoBcm)).coords), X_WB.rotation)
}

/// A contact's place at the end of a step, and the gap there that the law sees.
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    pub place: Place,
    pub gap: f64,
    /// Its place is no more: the list of contacts is out of date.
    pub lost: bool,
}

/// The points of a contact at the pose of its state and the gap that the law sees; none for faces.
#[inline]
pub fn points(contact: &ContactState) -> Option<(&ClosestPair, f64)> {
    let pair = contact.place.pair()?;
    Some((pair, pair.gap + contact.sunk))
}

impl Followed {
    /// Where a contact is at the pose of its state; none for faces.
    #[inline]
    pub fn new(contact: &ContactState) -> Option<Self> {
        let gap = points(contact)?.1;
        Some(Self { place: contact.place, gap, lost: false })
    }

    /// The points with the gap that the law sees.
    pub fn pair(&self) -> Option<ClosestPair> {
        self.place.pair().map(|pair| ClosestPair { gap: self.gap, ..*pair })
    }
}

/// Pose of B in A, kept for contacts of the same pair that follow each other.
pub struct Between {
    pair: (usize, usize),
    X_AB: Isometry3<f64>,
}

impl Between {
    /// None yet.
    pub fn new() -> Self {
        Self { pair: (usize::MAX, usize::MAX), X_AB: Isometry3::identity() }
    }

    /// The pose of the bodies of a contact, with the frame of each body as told.
    #[inline]
    pub fn of(&mut self, contact: &ContactState, pose: impl Fn(usize) -> Isometry3<f64>) -> &Isometry3<f64> {
        let pair = (contact.pair.a.0, contact.pair.b.0);
        if self.pair != pair {
            *self = Self { pair, X_AB: pose(pair.0).inv_mul(&pose(pair.1)) };
        }
        &self.X_AB
    }
}

/// Follows a contact to a pose of its bodies.
#[inline]
pub fn look(
    model: &Model,
    set: Option<&ContactSet>,
    contact: &ContactState,
    followed: &mut Followed,
    room: &mut FaceContact,
    X_AB: &Isometry3<f64>,
) -> Result<(), Stop> {
    let (a, b) = (contact.pair.a.0, contact.pair.b.0);
    let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
    let way = followed.place.follow(set, shapes, X_AB, room);
    followed.lost = way.map_err(|error| Stop::Track { pair: contact.pair, error })? == Way::Lost;
    if let Some(pair) = followed.place.pair() {
        followed.gap = pair.gap + contact.sunk;
    }
    Ok(())
}

/// The set of places of each contact, as an index of the near pairs.
pub fn sets(state: &State, sets: &mut Vec<u32>) {
    sets.clear();
    let mut near = state.near.iter().enumerate().peekable();
    for contact in &state.contacts {
        let order = contact.pair.order();
        while near.next_if(|(_, pair)| pair.order() < order).is_some() {}
        sets.push(near.peek().filter(|(_, pair)| pair.order() == order).map_or(u32::MAX, |(i, _)| *i as u32));
    }
}

/// The set of places that a contact belongs to.
#[inline]
pub fn set_of(state: &State, index: u32) -> Option<&ContactSet> {
    state.near.get(index as usize).and_then(|near| near.set())
}

/// Renews near pairs and contacts where bodies may leave, in this step, the room in which others were looked for, and
/// where a place was lost in the last.
pub fn renew_if_due(model: &Model, state: &mut State, broad: &mut Broad, h: f64) -> Result<(), Stop> {
    let extents = model.extents();
    let speed = |i: usize| extents[i].speed(&state.bodies[i].V_WBcm);
    let alone = (0..extents.len()).map(|i| h * speed(i) / extents[i].room);
    let together = state.near.iter().filter_map(|near| {
        let set = near.set()?;
        Some(h * (speed(near.pair.a.0) + speed(near.pair.b.0)) / set.limits().birth)
    });
    let share = alone.chain(together).filter(|share| !share.is_nan()).fold(0.0, f64::max);
    if state.fast.room < share || state.fast.room < 0.0 {
        renew(model, state, broad, Overlap::TakesOver, |_, contact| match contact.mode {
            ContactMode::Free => (0.0, 0.0),
            _ => (pressing(model, contact), contact.memory.energy()),
        })?;
        state.fast.room = 1.0;
    }
    state.fast.room -= share;
    Ok(())
}

/// Energy of pressing of a contact at the pose of its state (J).
fn pressing(model: &Model, contact: &ContactState) -> f64 {
    let Some((pair, gap)) = points(contact) else { return 0.0 };
    if gap >= 0.0 {
        return 0.0;
    }
    let pair = ClosestPair { gap, ..*pair };
    model.law(&contact.pair).law.stiffness.grip(&still(&pair)).map_or(0.0, |grip| grip.energy)
}

/// A site with the curvature and the gap of a pair, and no motion.
pub fn still(pair: &ClosestPair) -> ContactSite {
    let (X, zero) = (Isometry3::identity(), SpatialVelocity::zero());
    ContactSite::without_turning(pair, &X, &zero, &X, &zero, 0.5)
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
pub fn near(
    model: &Model,
    state: &mut State,
    movers: &[Mover],
    h: f64,
    slots: &mut Vec<u32>,
    sets: &[u32],
    room: &mut FaceContact,
) -> Result<(), Stop> {
    slots.clear();
    let State { contacts, near, .. } = state;
    let mut between = Between::new();
    for (slot, contact) in contacts.iter_mut().enumerate() {
        if contact.fast.far > 0.0 && contact.fast.far > 2.0 * h * closing(model, contact, movers) {
            continue;
        }
        if points(contact).is_none() {
            return Err(Stop::Faces { pair: contact.pair });
        }
        if contact.fast.far > 0.0
            && let Some(mut followed) = Followed::new(contact)
        {
            // Its place stayed behind.
            let set = near.get(sets[slot] as usize).and_then(|near| near.set());
            let X_AB = between.of(contact, |i| model.frame(i, &movers[i].X));
            look(model, set, contact, &mut followed, room, X_AB)?;
            contact.place = followed.place;
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
