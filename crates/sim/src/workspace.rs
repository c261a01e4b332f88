//! # Workspace: scratch of a run, and a state as a list of numbers
//!
//! `state` ──▶ **here** ──(y, and back)──▶ `field`, `accurate`
//!
//! - **in**: a model and a state
//! - **out**: y: for each free body position, rotation vector, velocity, angular velocity; for each pair x or z, E_visc,
//!   E_slip, the energy put into springs; the work of loads last
//! - **start at** [`Workspace`], then [`pack`]

use crate::accurate::Stop;
use crate::contact::Touch;
use crate::extrapolate::{System, Table};
use crate::field::Motion;
use crate::model::Model;
use crate::rotation::turned;
use crate::state::{BodyState, ContactMode, State};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_contact::track::Tracker;
use nalgebra::{Isometry3, Translation3, Vector3, Vector4};

/// Numbers of a free body.
pub const PER_BODY: usize = 12;
/// Numbers of a contact.
pub const PER_CONTACT: usize = 7;

/// Scratch sized from a model; losing it loses nothing.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) table: Table,
    pub(crate) y: Vec<f64>,
    pub(crate) scratch: Scratch,
    pub(crate) events: Vec<crate::accurate::Event>,
}

/// What the field needs on its way.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub bodies: Vec<BodyState>,
    pub frames: Vec<Isometry3<f64>>,
    pub forces: Vec<SpatialForce>,
    pub accelerations: Vec<SpatialVelocity>,
    pub trackers: Vec<Tracker>,
    /// Where trackers go back to within a step: its start, or a search made since.
    pub anchors: Vec<Tracker>,
    pub views: Vec<ContactView>,
    pub rate: Vec<f64>,
    pub evaluations: u64,
}

impl Scratch {
    /// A step begins at this state; what follows depends on it alone.
    pub fn begin(&mut self, state: &State) {
        for (anchor, contact) in self.anchors.iter_mut().zip(&state.contacts) {
            *anchor = contact.tracker;
        }
    }
}

/// What a contact looks like at one instant.
#[derive(Clone, Copy, Debug)]
pub struct ContactView {
    /// Signed gap (m).
    pub gap: f64,
    /// Normal force (N).
    pub normal: f64,
    /// Energy stored by pressing (J).
    pub V_normal: f64,
    /// Energy stored along the patch (J).
    pub V_tangential: f64,
    /// Elastic displacement of B over A, in the world (m), and turn (rad).
    pub displacement: Vector4<f64>,
    /// The place and the motion there.
    pub site: ContactSite,
    pub(crate) touch: Option<Touch>,
    /// Sign-carrying part of the slip multiplier (N/s).
    pub(crate) push: f64,
    /// P′ (N/s), where asked for.
    pub(crate) load_rate: f64,
}

impl Workspace {
    /// Scratch for a model, warmed by a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        let n = PER_BODY * model.free_count() + PER_CONTACT * model.pairs().len() + 1;
        let count = model.bodies().len();
        Self {
            table: Table::new(n),
            y: vec![0.0; n],
            scratch: Scratch {
                bodies: state.bodies.clone(),
                frames: vec![Isometry3::identity(); count],
                forces: vec![SpatialForce::zero(); count],
                accelerations: vec![SpatialVelocity::zero(); count],
                trackers: state.contacts.iter().map(|c| c.tracker).collect(),
                anchors: state.contacts.iter().map(|c| c.tracker).collect(),
                views: Vec::with_capacity(model.pairs().len()),
                rate: vec![0.0; n],
                evaluations: 0,
            },
            events: Vec::with_capacity(64),
        }
    }

    /// What the contacts look like in a state, by pair.
    pub fn look(&mut self, model: &Model, state: &State) -> Result<&[ContactView], Stop> {
        pack(model, state, &mut self.y);
        let Self { y, scratch, .. } = self;
        let mut rate = std::mem::take(&mut scratch.rate);
        scratch.begin(state);
        let mut motion = Motion { model, state, scratch };
        motion.rewind();
        let found = motion.rate(state.time, y, &mut rate);
        scratch.rate = rate;
        found.map(|()| scratch.views.as_slice())
    }
}

/// Writes a state as numbers; rotation vectors start at zero.
pub(crate) fn pack(model: &Model, state: &State, y: &mut [f64]) {
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
            part[..4].copy_from_slice(contact.slip.as_slice());
        } else {
            part[..3].copy_from_slice(contact.memory.x_W.as_slice());
            part[3] = contact.memory.x_theta;
        }
        part[4..].copy_from_slice(&[contact.E_visc, contact.E_slip, contact.stored]);
    }
    y[first + PER_CONTACT * state.contacts.len()] = state.W_injected;
}

/// Pose and velocity of a body from its numbers.
pub(crate) fn body_of(start: &BodyState, part: &[f64]) -> BodyState {
    let three = |k: usize| Vector3::new(part[k], part[k + 1], part[k + 2]);
    BodyState {
        X_WBcm: Isometry3::from_parts(Translation3::from(three(0)), turned(&three(3), &start.X_WBcm.rotation)),
        V_WBcm: SpatialVelocity::new(three(9), three(6)),
    }
}
