//! # Model: bodies, what acts between them, gravity and loads, frozen after checking
//!
//! - **in**: [`Parts`]
//! - **out**: a [`Model`]; its [`State`] at time 0
//! - **not here**: what changes in time ([`State`])
//! - **start at** [`Model::new`], then [`Model::start`]

use crate::body::{Body, BodyId, Mobility};
use crate::check::{ModelError, check_parts, check_start};
use crate::fast::{FastMemory, FastSums};
use crate::interactions::{Interactions, Pair, PairLaw};
use crate::load::{Kick, Load};
use crate::state::{BodyState, ContactMode, ContactState, State, Stride};
use crate::workspace::Workspace;
use fingerpad_contact::law::{Friction, Memory};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::track::Tracker;
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Vector3, Vector4};

/// What a model is made of.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Bodies.
    pub bodies: Vec<Body>,
    /// What acts between them.
    pub interactions: Interactions,
    /// Acceleration of free fall, in the world (m/s²).
    pub gravity_W: Vector3<f64>,
    /// Forces given over time.
    pub loads: Vec<Load>,
    /// Sudden changes of momentum.
    pub kicks: Vec<Kick>,
}

/// Everything that does not change in time.
#[derive(Clone, Debug)]
pub struct Model {
    parts: Parts,
    /// Pairs that can touch.
    pairs: Vec<Pair>,
    /// Place of each body among those that forces move.
    places: Vec<Option<usize>>,
    inverse_inertia: Vec<Matrix3<f64>>,
}

impl Model {
    /// A model, checked. Kicks are put in order of time.
    pub fn new(mut parts: Parts) -> Result<Self, ModelError> {
        let inverse_inertia = check_parts(&parts)?;
        parts.kicks.sort_by(|a, b| a.time.total_cmp(&b.time));
        let bodies = &parts.bodies;
        let mut pairs = Vec::new();
        for j in 0..bodies.len() {
            for i in 0..j {
                let moved = [i, j].iter().any(|k| bodies[*k].mobility.is_moved_by_forces());
                let meet = || parts.interactions.between(BodyId(i), BodyId(j), bodies[i].class, bodies[j].class);
                pairs.extend(moved.then(meet).flatten());
            }
        }
        let mut moved = 0;
        let places =
            bodies.iter().map(|body| body.mobility.is_moved_by_forces().then(|| (moved, moved += 1).0)).collect();
        Ok(Self { parts, pairs, places, inverse_inertia })
    }

    /// Bodies, by [`BodyId`].
    pub fn bodies(&self) -> &[Body] {
        &self.parts.bodies
    }

    /// Pairs, by [`PairId`].
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Acceleration of free fall, in the world (m/s²).
    pub fn gravity_W(&self) -> Vector3<f64> {
        self.parts.gravity_W
    }

    /// Forces given over time.
    pub fn loads(&self) -> &[Load] {
        &self.parts.loads
    }

    /// Sudden changes of momentum, in order of time.
    pub fn kicks(&self) -> &[Kick] {
        &self.parts.kicks
    }

    /// The laws, by [`LawId`].
    pub fn laws(&self) -> &[PairLaw] {
        &self.parts.interactions.laws
    }

    /// The law of a pair.
    pub fn law(&self, pair: &Pair) -> &PairLaw {
        &self.parts.interactions.laws[pair.law.0]
    }

    pub(crate) fn places(&self) -> &[Option<usize>] {
        &self.places
    }

    pub(crate) fn free_count(&self) -> usize {
        self.places.iter().flatten().count()
    }

    pub(crate) fn inverse_inertia(&self, body: usize) -> &Matrix3<f64> {
        &self.inverse_inertia[body]
    }

    /// `ground`–`ball`, as messages name a pair.
    pub fn pair_name(&self, pair: usize) -> String {
        let Pair { a, b, .. } = &self.pairs[pair];
        format!("`{}`–`{}`", self.bodies()[a.0].name, self.bodies()[b.0].name)
    }

    /// The state at time 0.
    pub fn start(&self) -> Result<State, ModelError> {
        self.start_from(|_, body| (body.X_WB, body.V_WBcm))
    }

    /// A state at time 0 from other poses of the body frames and velocities of the centres of mass. Contacts that overlap
    /// already start without memory. Bodies whose motion is given start where it says.
    pub fn start_from(
        &self,
        place: impl Fn(BodyId, &Body) -> (Isometry3<f64>, SpatialVelocity),
    ) -> Result<State, ModelError> {
        let mut bodies = Vec::with_capacity(self.bodies().len());
        for (i, body) in self.bodies().iter().enumerate() {
            let (mut X_WB, V_WBcm) = place(BodyId(i), body);
            check_start(body, &X_WB, &V_WBcm)?;
            if !body.mobility.is_moved_by_forces() {
                X_WB = body.X_WB;
            }
            let X_WBcm = Isometry3::from_parts(Translation3::from(X_WB * body.p_BoBcm), X_WB.rotation);
            let V_WBcm = match &body.mobility {
                Mobility::Fixed => SpatialVelocity::zero(),
                Mobility::Prescribed(motion) => motion.velocity_at(&Point3::from(X_WBcm.translation.vector), 0.0),
                Mobility::Free | Mobility::Restricted(_) => V_WBcm,
            };
            bodies.push(BodyState { X_WBcm, V_WBcm });
        }
        let mut contacts = Vec::with_capacity(self.pairs.len());
        for (i, pair) in self.pairs.iter().enumerate() {
            let pose = |id: BodyId| self.frame(id.0, &bodies[id.0].X_WBcm);
            let X_AB = pose(pair.a).inv_mul(&pose(pair.b));
            let (a, b) = (&self.bodies()[pair.a.0].shape, &self.bodies()[pair.b.0].shape);
            let tracker =
                Tracker::new(a, b, &X_AB).map_err(|error| ModelError::Track { of: self.pair_name(i), error })?;
            contacts.push(ContactState {
                pair: *pair,
                id: 0,
                mode: ContactMode::Free,
                memory: Memory::default(),
                slip: Vector4::zeros(),
                E_visc: 0.0,
                E_slip: 0.0,
                E_release: 0.0,
                stored: 0.0,
                ceiling: 1.0,
                tracker,
                fast: FastMemory::default(),
            });
        }
        let mut state = State {
            time: 0.0,
            bodies,
            contacts,
            W_injected: 0.0,
            stride: Stride { h: 1e-4, column: 4 },
            quiet_until: f64::NEG_INFINITY,
            quiet: 0.0,
            fast: FastSums::default(),
        };
        self.begin(&mut state)?;
        Ok(state)
    }

    /// Contacts of bodies that overlap from the start: pressed, springs along the patch at rest.
    fn begin(&self, state: &mut State) -> Result<(), ModelError> {
        for (pair, contact) in self.pairs.iter().zip(&mut state.contacts) {
            if contact.tracker.pair().gap < 0.0 {
                let limited = !matches!(self.law(pair).law.friction, Friction::None | Friction::Sticks);
                contact.mode = if limited { ContactMode::Stick } else { ContactMode::Contact };
            }
        }
        let mut work = Workspace::new(self, state);
        let views = work.look(self, state).map_err(ModelError::Start)?;
        for (contact, view) in state.contacts.iter_mut().zip(views) {
            contact.stored = view.V_normal;
        }
        Ok(())
    }

    /// Pose of the body frame from that of the centre of mass.
    pub fn frame(&self, body: usize, X_WBcm: &Isometry3<f64>) -> Isometry3<f64> {
        let shift = X_WBcm.rotation * self.bodies()[body].p_BoBcm.coords;
        Isometry3::from_parts(Translation3::from(X_WBcm.translation.vector - shift), X_WBcm.rotation)
    }
}
