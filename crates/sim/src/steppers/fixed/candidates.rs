//! # Gather: the contacts of a state as the fixed step sees them
//!
//! `state` ──▶ **here** ──(which contacts to look at, closest points at any poses)──▶ `step`
//!
//! - **in**: the contacts of a state with their places
//! - **out**: the contacts near enough to act in this step; closest points at the end of it
//! - **not here**: where faces lie on each other (`faces`)
//! - **assumes**: a place is that of the pose of its state, unless its contact was left aside as far away
//! - **start at** [`near`], [`look`]
//!
//! All that the fixed step knows of how contacts are found and followed is in this file.

use super::faces::energies;
use super::inverse_mass::InverseMassRoot;
use super::parallel::{CONTACTS, Even, Parallel, gather};
use super::rows::Beyond;
use super::solver_body::SolverBody;
use crate::contacts::place::{Place, Way};
use crate::contacts::update::{Overlap, update_contacts};
use crate::contacts::{BroadPhase, advancement as sight};
use crate::model::Model;
use crate::model::body::Body;
use crate::run::Stop;
use crate::state::{ContactMode, ContactState, State};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::{ClosestPair, ContactSet, FaceContact, Tracker};
use nalgebra::{Isometry3, Point3, Translation3};

/// Pose of the centre of mass from that of the body frame.
pub fn centre(body: &Body, X_WB: &Isometry3<f64>) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from((X_WB * Point3::from(body.p_BoBcm)).coords), X_WB.rotation)
}

/// A contact's points at the end of a step, and the gap there that the law sees.
#[derive(Clone, Copy, Debug)]
pub struct Followed {
    pub pair: ClosestPair,
    pub gap: f64,
    /// The points alone do not do to go on from: the place is kept beside.
    pub whole: bool,
    /// Its place is no more: the list of contacts is out of date.
    pub lost: bool,
    /// It rests: its place was not looked at, and the gap is what rows led to.
    pub kept: bool,
    /// What the gap changed by beyond its row in the first pass (m).
    pub off: f64,
}

/// The points of a contact at the pose of its state and the gap that the law sees; none for faces.
#[inline]
pub fn points(contact: &ContactState) -> Option<(&ClosestPair, f64)> {
    let pair = contact.place.pair()?;
    let (led, from) = contact.fixed.led;
    let gap = pair.gap + contact.rest_offset;
    Some((pair, if from == pair.gap { gap + led } else { gap }))
}

/// A free contact presses nothing, whatever its place came to: on ridges places jump, when lists are renewed and when they
/// are looked at again after a time. What they overlap by then does not count.
#[inline]
pub fn lift(contact: &mut ContactState) {
    if contact.mode == ContactMode::Free
        && let Some((_, gap)) = points(contact)
        && gap < 0.0
    {
        contact.rest_offset -= gap;
    }
}

/// Room for a place that is kept beside.
pub const NO_PLACE: Place = Place::Face([0, 0]);

impl Followed {
    /// Where a contact is at the pose of its state; of faces nothing is known yet.
    #[inline]
    pub fn new(contact: &ContactState) -> Self {
        let nowhere = FaceContact::default().pair;
        let (pair, gap) = points(contact).unwrap_or((&nowhere, f64::INFINITY));
        Self { pair: *pair, gap, whole: false, lost: false, kept: false, off: 0.0 }
    }

    /// The points with the gap that the law sees.
    pub fn pair(&self) -> ClosestPair {
        ClosestPair { gap: self.gap, ..self.pair }
    }

    /// What the last pass tells of r, to a contact whose gap was this at the start (m).
    #[inline]
    pub fn beyond(&self, gap: f64) -> Beyond {
        if gap < 0.0 { Beyond::Seen(gap - self.gap) } else { Beyond::Last(0.0) }
    }

    /// The contact goes on from here.
    #[inline]
    pub fn leave(&self, beside: &Place, place: &mut Place) {
        match place {
            _ if self.kept => {}
            // Which faces or curves they are does not change.
            Place::Face(_) | Place::Strand(_) => {}
            Place::Closest(tracker) if !self.whole => tracker.take_direct(self.pair),
            _ => *place = *beside,
        }
    }
}

/// A contact that a step looks at.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Place in the state's list.
    pub contact: u32,
    /// It must act in the next pass.
    pub forced: bool,
    /// Which of the active contacts it is, the first of the two where faces press; `u32::MAX` for none.
    pub acting: u32,
    /// Where it is at the end of the step.
    pub end: Followed,
    /// Its place there, where points do not do.
    pub beside: Place,
}

impl Candidate {
    /// Its place in the state's list, as an index.
    #[inline]
    pub fn slot(&self) -> usize {
        self.contact as usize
    }
}

/// The contacts that a step looks at, in order of the state's list; those promoted between passes come at the end, out of
/// order. Room of earlier steps is used again.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    room: Vec<Candidate>,
    count: usize,
}

impl Candidates {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    pub fn list(&self) -> &[Candidate] {
        &self.room[..self.count]
    }

    pub fn list_mut(&mut self) -> &mut [Candidate] {
        &mut self.room[..self.count]
    }

    /// A further contact, which does not act yet. Its end is that of whoever had the room before: to be looked at.
    #[inline]
    pub fn push(&mut self, slot: usize, contact: &ContactState) -> &mut Candidate {
        if self.room.len() == self.count {
            let end = Followed::new(contact);
            self.room.push(Candidate { contact: 0, forced: false, acting: 0, end, beside: NO_PLACE });
        }
        self.count += 1;
        let one = &mut self.room[self.count - 1];
        (one.contact, one.forced, one.acting) = (slot as u32, false, u32::MAX);
        one
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

/// Follows a contact from where it is to a pose of its bodies; `beside` has its place where the points do not do.
#[inline]
pub fn look(
    model: &Model,
    set: Option<&ContactSet>,
    contact: &ContactState,
    followed: &mut Followed,
    beside: &mut Place,
    X_AB: &Isometry3<f64>,
) -> Result<(), Stop> {
    let (a, b) = (contact.pair.a.0, contact.pair.b.0);
    let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
    let stop = |error| Stop::Track { pair: contact.pair, error };
    let is_closest = matches!(contact.place, Place::Closest(_));
    let direct = if is_closest { Tracker::direct(shapes.0, shapes.1, X_AB) } else { None };
    followed.whole = direct.is_none();
    (followed.lost, followed.kept) = (false, false);
    if let Some(pair) = direct {
        followed.pair = pair.map_err(stop)?;
    } else {
        *beside = contact.place;
        followed.lost = beside.follow_points(set, shapes, X_AB).map_err(stop)? == Way::Lost;
        if let Some(pair) = beside.pair() {
            followed.pair = *pair;
        }
    }
    followed.gap = followed.pair.gap + contact.rest_offset;
    Ok(())
}

/// The set of places that a contact belongs to.
#[inline]
pub fn set_of(state: &State, index: u32) -> Option<&ContactSet> {
    state.near.get(index as usize).and_then(|near| near.set())
}

/// Renews near pairs and contacts where what is known of them does not last for a step of length h.
pub fn update_if_due(
    model: &Model,
    state: &mut State,
    broad: &mut BroadPhase,
    pressings: &mut Vec<f64>,
    h: f64,
) -> Result<(), Stop> {
    let Some(scope) = sight::due(model, state, h) else { return Ok(()) };
    catch_up(model, state)?;
    energies(model, state, &mut broad.room, pressings)?;
    update_contacts(model, state, broad, Overlap::TakesOver, scope, |i, contact| match (contact.mode, &contact.place) {
        (ContactMode::Free, _) => (0.0, 0.0),
        (_, Place::Face(_) | Place::Strand(_)) => (pressings[i], contact.memory.energy()),
        _ => (pressing(model, contact), contact.memory.energy()),
    })
}

/// Brings places at rest, which are those of anchors, to the poses of the state.
fn catch_up(model: &Model, state: &mut State) -> Result<(), Stop> {
    let State { contacts, near, bodies, .. } = state;
    for contact in contacts.iter_mut().filter(|contact| contact.fixed.led.0 != 0.0) {
        let order = contact.pair.order();
        let set = near.binary_search_by_key(&order, |pair| pair.order()).ok().and_then(|i| near[i].set());
        let [a, b] = [contact.pair.a.0, contact.pair.b.0];
        let X_AB = model.frame(a, &bodies[a].X_WBcm).inv_mul(&model.frame(b, &bodies[b].X_WBcm));
        let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
        let stop = |error| Stop::Track { pair: contact.pair, error };
        contact.place.follow_points(set, shapes, &X_AB).map_err(stop)?;
        contact.fixed.led = (0.0, 0.0);
    }
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
pub fn closing(model: &Model, contact: &ContactState, solver_bodies: &[SolverBody]) -> f64 {
    let (a, b) = (contact.pair.a.0, contact.pair.b.0);
    let (A, B) = (&solver_bodies[a], &solver_bodies[b]);
    (A.v_step - B.v_step).norm() + sweep(model, a, A) + sweep(model, b, B)
}

/// Speed of the fastest point of a body about its centre of mass (m/s).
#[inline]
fn sweep(model: &Model, index: usize, solver_body: &SolverBody) -> f64 {
    let body = &model.bodies()[index];
    let centred = body.p_BoBcm == Point3::origin();
    if solver_body.w_step == nalgebra::Vector3::zeros() || (centred && matches!(*body.shape, Shape::Sphere(_))) {
        return 0.0;
    }
    solver_body.w_step.norm() * (model.extents()[index].reach + body.p_BoBcm.coords.norm())
}

/// What a step knows of the contacts of its state, by their place in the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Near pair.
    pub set: u32,
    /// To be looked at in this step.
    pub near: bool,
    /// Nothing happens between bodies that sleep.
    pub sleeps: bool,
}

/// The contacts to look at in this step, and those that stay away for more than two of them.
pub fn near(
    model: &Model,
    state: &mut State,
    solver_bodies: &[SolverBody],
    h: f64,
    seen: &mut Vec<Seen>,
    (candidates, aside): (&mut Candidates, &mut Vec<u32>),
    parallel: Parallel,
) -> Result<(), Stop> {
    let State { contacts, near, .. } = state;
    seen.resize(contacts.len(), Seen::default());
    let list = (Even { list: contacts, size: CONTACTS }, Even { list: seen, size: CONTACTS });
    let each = |(contacts, seen): (Even<ContactState>, Even<Seen>)| {
        let Some(first) = contacts.list.first() else { return Ok(()) };
        let mut between = Between::new();
        let mut set = near.partition_point(|pair| pair.order() < first.pair.order());
        for (contact, seen) in contacts.list.iter_mut().zip(seen.list.iter_mut()) {
            let order = contact.pair.order();
            while near.get(set).is_some_and(|pair| pair.order() < order) {
                set += 1;
            }
            let found = near.get(set).filter(|pair| pair.order() == order);
            *seen = Seen { set: found.map_or(u32::MAX, |_| set as u32), near: true, sleeps: false };
            let (A, B) = (&solver_bodies[contact.pair.a.0], &solver_bodies[contact.pair.b.0]);
            if (A.sleeps || B.sleeps) && A.is_still() && B.is_still() {
                (seen.near, seen.sleeps) = (false, true);
                continue;
            }
            if contact.fixed.far > 0.0 && contact.fixed.far > 2.0 * h * closing(model, contact, solver_bodies) {
                seen.near = false;
                continue;
            }
            if contact.fixed.far > 0.0 {
                let X_AB = between.of(contact, |i| model.frame(i, &solver_bodies[i].X));
                bring(model, found.and_then(|near| near.set()), contact, X_AB)?;
            }
            lift(contact);
        }
        Ok(())
    };
    gather(parallel, list, &each, &Result::and)?;
    candidates.clear();
    aside.clear();
    for (slot, seen) in seen.iter().enumerate() {
        if seen.near {
            candidates.push(slot, &contacts[slot]);
        } else if !seen.sleeps {
            aside.push(slot as u32);
        }
    }
    Ok(())
}

/// Brings the place of a contact that was left aside to a pose of its bodies.
fn bring(
    model: &Model,
    set: Option<&ContactSet>,
    contact: &mut ContactState,
    X_AB: &Isometry3<f64>,
) -> Result<(), Stop> {
    let mut followed = Followed::new(contact);
    let mut beside = NO_PLACE;
    look(model, set, contact, &mut followed, &mut beside, X_AB)?;
    followed.leave(&beside, &mut contact.place);
    contact.fixed.far = 0.0;
    Ok(())
}

/// Promotes contacts left aside whose bodies were found, in this pass, to come near within the step: they act in the next.
/// Whether there are any.
pub fn promote(
    model: &Model,
    state: &mut State,
    solver_bodies: &[SolverBody],
    h: f64,
    seen: &[Seen],
    (candidates, aside): (&mut Candidates, &mut Vec<u32>),
) -> Result<bool, Stop> {
    let State { contacts, near, .. } = state;
    let before = aside.len();
    let mut between = Between::new();
    let mut stop = Ok(());
    aside.retain(|&slot| {
        let contact = &mut contacts[slot as usize];
        if contact.fixed.far > h * closing(model, contact, solver_bodies) {
            return true;
        }
        let set = near.get(seen[slot as usize].set as usize).and_then(|near| near.set());
        let X_AB = between.of(contact, |i| model.frame(i, &solver_bodies[i].X));
        let brought = bring(model, set, contact, X_AB);
        if stop.is_ok() {
            stop = brought;
        }
        let one = candidates.push(slot as usize, contact);
        (one.forced, one.end) = (true, Followed::new(contact));
        false
    });
    stop.map(|()| aside.len() < before)
}

/// Roots of the inverse masses of all bodies.
pub fn roots(model: &Model) -> Vec<InverseMassRoot> {
    model.bodies().iter().enumerate().map(|(i, body)| InverseMassRoot::of(body, model.inverse_inertia(i))).collect()
}
