//! # Workspace: scratch of a run, and a state as a list of numbers
//!
//! `state` ──▶ **here** ──(y, and back)──▶ `field`, `accurate`
//!
//! - **in**: a model and a state
//! - **out**: y: for each free body position, rotation vector, velocity, angular velocity; for each contact x or z,
//!   E_visc, E_slip, the energy put into springs, the path of slip; the work of loads last
//! - **start at** [`Workspace`], then [`pack`]

use crate::accurate::Stop;
use crate::contact::{Offer, Touch};
use crate::extrapolate::{System, Table};
use crate::field::Motion;
use crate::model::Model;
use crate::near::{Broad, Tracked};
use crate::place::Place;
use crate::rotation::turned;
use crate::state::{BodyState, ContactMode, State};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_contact::track::FaceContact;
use nalgebra::{Isometry3, Translation3, Vector3, Vector4};

/// Numbers of a free body.
pub const PER_BODY: usize = 12;
/// Numbers of a contact.
pub const PER_CONTACT: usize = 8;

/// Scratch sized from a model; losing it loses nothing.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) table: Table,
    pub(crate) y: Vec<f64>,
    pub(crate) scratch: Scratch,
    pub(crate) broad: Broad,
    pub(crate) events: Vec<crate::accurate::Event>,
    pub(crate) rigid: crate::complementarity::Room,
}

/// What the field needs on its way.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub bodies: Vec<BodyState>,
    pub frames: Vec<Isometry3<f64>>,
    pub forces: Vec<SpatialForce>,
    pub accelerations: Vec<SpatialVelocity>,
    /// Poses of the body frames at the start of the step.
    pub starts: Vec<Isometry3<f64>>,
    /// Where contacts are.
    pub places: Vec<Place>,
    /// Where they go back to within a step: its start, or a search made since.
    pub anchors: Vec<Place>,
    /// Near pair of each contact that is one of several.
    pub sets: Vec<Option<usize>>,
    /// Room for the faces of each contact.
    pub faces: Vec<FaceContact>,
    pub views: Vec<ContactView>,
    pub rate: Vec<f64>,
    pub evaluations: u64,
}

impl Scratch {
    /// A step begins at this state; what follows depends on it alone.
    pub fn begin(&mut self, model: &Model, state: &State) {
        self.starts.clear();
        self.starts.extend(state.bodies.iter().enumerate().map(|(i, body)| model.frame(i, &body.X_WBcm)));
        self.anchors.clear();
        self.anchors.extend(state.contacts.iter().map(|contact| contact.place));
        self.places.clone_from(&self.anchors);
        let count = state.contacts.len();
        if self.faces.len() < count {
            self.faces.resize_with(count, FaceContact::default);
        }
        // Both lists are in order of the bodies.
        let mut at = 0;
        self.sets.clear();
        self.sets.extend(state.contacts.iter().map(|contact| {
            let order = contact.pair.order();
            while state.near.get(at).is_some_and(|near| near.order() < order) {
                at += 1;
            }
            let near = state.near.get(at).filter(|near| near.order() == order)?;
            matches!(near.tracked, Tracked::Several(_)).then_some(at)
        }));
        self.rate.resize(numbers(model, state), 0.0);
    }
}

/// What a contact looks like at one instant.
#[derive(Clone, Copy, Debug)]
pub struct ContactView {
    /// Signed gap as the law sees it (m): that of the surfaces, and the rest offset.
    pub gap: f64,
    /// Depth that the law forgives (m): [`ContactState::rest_offset`](crate::ContactState::rest_offset).
    pub rest_offset: f64,
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
    /// Load along the axes of the patch and about the normal (N, N, N·m); it acts on A, its negative on B.
    pub load: Vector3<f64>,
    /// Share of the friction limit in use, 0 to 1; 0 where there is no limit.
    pub used: f64,
    /// Semi-axes of the patch (m), where a theory gives them.
    pub patch: Option<(f64, f64)>,
    pub(crate) offer: Option<Offer>,
    pub(crate) touch: Option<Touch>,
    /// Sign-carrying part of the slip multiplier (N/s).
    pub(crate) push: f64,
    /// P′ (N/s), where asked for.
    pub(crate) load_rate: f64,
}

impl ContactView {
    /// A contact that presses nothing.
    pub(crate) fn apart(gap: f64, rest_offset: f64, site: ContactSite, offer: Option<Offer>) -> Self {
        Self {
            gap,
            rest_offset,
            normal: 0.0,
            V_normal: 0.0,
            V_tangential: 0.0,
            displacement: Vector4::zeros(),
            site,
            load: Vector3::zeros(),
            used: 0.0,
            patch: None,
            offer,
            touch: None,
            push: 0.0,
            load_rate: 0.0,
        }
    }

    /// Geometric overlap of the two surfaces here (m), whatever the law forgives; 0 where they are apart.
    pub fn depth(&self) -> f64 {
        (self.rest_offset - self.gap).max(0.0)
    }

    /// Takes what a pressed contact does.
    pub(crate) fn press(&mut self, touch: Touch) {
        self.normal = touch.normal;
        self.V_normal = touch.grip.energy;
        self.V_tangential = touch.energy();
        self.displacement = touch.displacement();
        self.load = touch.load();
        self.used = touch.used;
        self.patch = touch.grip.patch.map(|[a, b, _]| (a, b));
        self.touch = Some(touch);
    }
}

impl Workspace {
    /// Scratch for a model, warmed by a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        let count = model.bodies().len();
        // Room for as many contacts as there usually are.
        let room = state.contacts.capacity().max(2 * count + 8);
        let n = PER_BODY * model.free_count() + PER_CONTACT * room + 1;
        Self {
            table: Table::new(n),
            y: vec![0.0; n],
            broad: Broad::with_room(count, room),
            scratch: Scratch {
                bodies: state.bodies.clone(),
                frames: vec![Isometry3::identity(); count],
                forces: vec![SpatialForce::zero(); count],
                accelerations: vec![SpatialVelocity::zero(); count],
                starts: Vec::with_capacity(count),
                places: Vec::with_capacity(room),
                anchors: Vec::with_capacity(room),
                sets: Vec::with_capacity(room),
                faces: vec![FaceContact::default(); room],
                views: Vec::with_capacity(room),
                rate: vec![0.0; n],
                evaluations: 0,
            },
            events: Vec::with_capacity(64),
            rigid: crate::complementarity::Room::default(),
        }
    }

    /// What the contacts look like in a state, in the order of [`State::contacts`].
    pub fn look(&mut self, model: &Model, state: &State) -> Result<&[ContactView], Stop> {
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
    PER_BODY * model.free_count() + PER_CONTACT * state.contacts.len() + 1
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
            part[..4].copy_from_slice(contact.slip.as_slice());
        } else {
            part[..3].copy_from_slice(contact.memory.x_W.as_slice());
            part[3] = contact.memory.x_theta;
        }
        part[4..].copy_from_slice(&[contact.E_visc, contact.E_slip, contact.stored, contact.slid]);
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
