//! # Workspace: scratch of a run, and a state as a list of numbers
//!
//! `state` ──▶ **here** ──(y, and back)──▶ `field`, `accurate`
//!
//! - **in**: a model and a state
//! - **out**: y: for each free body position, rotation vector, velocity, angular velocity; for each contact x or z,
//!   E_visc, E_slip, the energy put into springs, the path of slip; the work of loads; for each tree of joints increments, v
//!   and sums
//! - **start at** [`Workspace`], then [`pack`]

use super::field::Motion;
use super::touch::Touch;
use super::trees::{TreeField, numbers_of};
use crate::contacts::BroadPhase;
use crate::contacts::rules::Offer;
use crate::contacts::scratch::ContactScratch;
use crate::coordinates::rotation::turned;
use crate::extrapolate::{System, Table};
use crate::model::Model;
use crate::run::{ContactResult, Event, Stop};
use crate::state::{BodyState, ContactMode, State};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Isometry3, Translation3, Vector3};

/// Numbers of a free body.
pub const PER_BODY: usize = 12;
/// Numbers of a contact.
pub const PER_CONTACT: usize = 8;

/// Scratch of the accurate stepper, sized from a model; losing it loses nothing.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) table: Table,
    pub(crate) y: Vec<f64>,
    pub(crate) scratch: Scratch,
    pub(crate) broad: BroadPhase,
    pub(crate) events: Vec<Event>,
    results: Vec<ContactResult>,
}

/// What the field needs on its way.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub bodies: Vec<BodyState>,
    pub frames: Vec<Isometry3<f64>>,
    pub forces: Vec<SpatialForce>,
    pub accelerations: Vec<SpatialVelocity>,
    /// Where contacts are.
    pub at: ContactScratch,
    pub views: Vec<View>,
    /// Trees of joints.
    pub trees: Vec<TreeField>,
    pub rate: Vec<f64>,
    pub evaluations: u64,
}

impl Scratch {
    /// A step begins at this state; what follows depends on it alone.
    pub fn begin(&mut self, model: &Model, state: &State) {
        self.at.begin(model, state);
        self.rate.resize(numbers(model, state), 0.0);
    }
}

/// A contact as the field sees it: what it does, and what tells events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// What readers see.
    pub shown: ContactResult,
    /// What two faces offer.
    pub offer: Option<Offer>,
    /// Its loads, where it presses.
    pub touch: Option<Touch>,
    /// Sign-carrying part of the slip multiplier (N/s).
    pub push: f64,
    /// P′ (N/s), where asked for.
    pub load_rate: f64,
}

impl View {
    /// A contact that presses nothing.
    pub fn apart(shown: ContactResult, offer: Option<Offer>) -> Self {
        Self { shown, offer, touch: None, push: 0.0, load_rate: 0.0 }
    }

    /// Takes what a pressed contact does.
    pub fn press(&mut self, touch: Touch) {
        self.shown.offer(&touch.grip);
        self.shown.normal = touch.normal;
        self.shown.V_tangential = touch.energy();
        self.shown.displacement = touch.displacement();
        self.shown.load = touch.load();
        self.shown.used = touch.used;
        self.touch = Some(touch);
    }
}

impl Workspace {
    /// Scratch for a model, warmed by a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        let count = model.bodies().len();
        // Room for as many contacts as there usually are.
        let room = state.contacts.capacity().max(2 * count + 8);
        let of_trees: usize = model.trees().iter().map(|made| numbers_of(&made.tree)).sum();
        let n = PER_BODY * model.free_count() + PER_CONTACT * room + 1 + of_trees;
        Self {
            table: Table::new(n),
            y: vec![0.0; n],
            broad: BroadPhase::with_room(count, room),
            scratch: Scratch {
                bodies: state.bodies.clone(),
                frames: vec![Isometry3::identity(); count],
                forces: vec![SpatialForce::zero(); count],
                accelerations: vec![SpatialVelocity::zero(); count],
                at: ContactScratch::with_room(count, room),
                views: Vec::with_capacity(room),
                trees: model.trees().iter().map(TreeField::new).collect(),
                rate: vec![0.0; n],
                evaluations: 0,
            },
            events: Vec::with_capacity(64),
            results: Vec::with_capacity(room),
        }
    }

    /// What the contacts of a state do under the compliant law, in the order of [`State::contacts`].
    pub fn look(&mut self, model: &Model, state: &State) -> Result<&[ContactResult], Stop> {
        self.view(model, state)?;
        self.results.clear();
        self.results.extend(self.scratch.views.iter().map(|view| view.shown));
        Ok(&self.results)
    }

    /// The same with what tells events.
    pub(crate) fn view(&mut self, model: &Model, state: &State) -> Result<&[View], Stop> {
        pack(model, state, &mut self.y);
        let Self { y, scratch, .. } = self;
        scratch.begin(model, state);
        let mut rate = std::mem::take(&mut scratch.rate);
        let mut motion = Motion { model, state, scratch };
        motion.rewind();
        let found = motion.rate(state.time, y, &mut rate);
        scratch.rate = rate;
        found.map(|()| scratch.views.as_slice())
    }
}

/// How many numbers a state is.
pub(crate) fn numbers(model: &Model, state: &State) -> usize {
    let of_trees: usize = model.trees().iter().map(|made| numbers_of(&made.tree)).sum();
    PER_BODY * model.free_count() + PER_CONTACT * state.contacts.len() + 1 + of_trees
}

/// Writes a state as numbers; rotation vectors start at zero.
pub(crate) fn pack(model: &Model, state: &State, y: &mut Vec<f64>) {
    y.resize(numbers(model, state), 0.0);
    for (body, place) in state.bodies.iter().zip(model.places()) {
        let Some(place) = place else { continue };
        let part = &mut y[PER_BODY * place..][..PER_BODY];
        part[..3].copy_from_slice(body.X_WBcm.translation.vector.as_slice());
        part[3..6].fill(0.0);
        part[6..9].copy_from_slice(body.V_WBcm.v.as_slice());
        part[9..].copy_from_slice(body.V_WBcm.w.as_slice());
    }
    let first = PER_BODY * model.free_count();
    for (i, contact) in state.contacts.iter().enumerate() {
        let part = &mut y[first + PER_CONTACT * i..][..PER_CONTACT];
        if contact.mode == ContactMode::Slip {
            part[..4].copy_from_slice(contact.accurate.slip.as_slice());
        } else {
            part[..3].copy_from_slice(contact.memory.x_W.as_slice());
            part[3] = contact.memory.x_theta;
        }
        part[4..].copy_from_slice(&[contact.E_visc, contact.E_slip, contact.stored, contact.slid]);
    }
    let mut at = first + PER_CONTACT * state.contacts.len();
    y[at] = state.W_injected;
    at += 1;
    for (made, now) in model.trees().iter().zip(&state.trees) {
        let n = made.tree.nv();
        y[at..at + n].fill(0.0);
        y[at + n..at + 2 * n].copy_from_slice(&now.v);
        let sums = &now.sums;
        y[at + 2 * n..][..3].copy_from_slice(&[sums.E_joint, sums.E_drive, sums.W_drive]);
        at += numbers_of(&made.tree);
    }
}

/// Pose and velocity of a body from its numbers.
pub(crate) fn body_of(start: &BodyState, part: &[f64]) -> BodyState {
    let three = |k: usize| Vector3::new(part[k], part[k + 1], part[k + 2]);
    BodyState {
        X_WBcm: Isometry3::from_parts(Translation3::from(three(0)), turned(&three(3), &start.X_WBcm.rotation)),
        V_WBcm: SpatialVelocity::new(three(9), three(6)),
    }
}
