//! # Model: bodies, pairs, gravity and pulses, frozen after checking
//!
//! - **in**: shapes, masses, contact laws
//! - **out**: a [`Model`]; a [`State`] from poses and velocities
//! - **not here**: what changes in time ([`State`])
//! - **start at** [`Model::new`], then [`Model::start`]

use crate::check::{ModelError, check_body, check_index, check_pair, finite, rule};
use crate::state::{BodyState, ContactMode, ContactState, State, Stride};
use crate::workspace::Workspace;
use fingerpad_contact::law::{ContactLaw, Friction, Memory};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::Tracker;
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Vector3, Vector4};
use std::f64::consts::PI;
use std::sync::Arc;

/// A body of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyId(pub usize);

/// A pair of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairId(pub usize);

/// How a body may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mobility {
    /// By the forces on it.
    Free,
    /// Not at all.
    Fixed,
}

/// A rigid body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name, for messages.
    pub name: String,
    /// Its surface, in body axes.
    pub shape: Arc<Shape>,
    /// How it may move.
    pub mobility: Mobility,
    /// Mass (kg); not used where fixed.
    pub mass: f64,
    /// Centre of mass, in the body (m).
    pub p_BoBcm: Point3<f64>,
    /// Inertia about the centre of mass, in body axes (kg·m²).
    pub I_BBcm_B: Matrix3<f64>,
}

/// Two bodies that can touch; the normal leads out of A into B.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Body A.
    pub a: BodyId,
    /// Body B.
    pub b: BodyId,
    /// What acts between them.
    pub law: ContactLaw,
    /// Share of the deformation that A takes.
    pub alpha: f64,
}

/// A push at the centre of mass: F(t) = peak · sin²(π (t − t0)/duration).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pulse {
    /// On which body.
    pub body: BodyId,
    /// Start (s).
    pub t0: f64,
    /// Length (s).
    pub duration: f64,
    /// Greatest force, in the world (N).
    pub peak_W: Vector3<f64>,
}

impl Pulse {
    /// Force (N) at a time; zero outside.
    pub fn force(&self, t: f64) -> Vector3<f64> {
        let share = (t - self.t0) / self.duration;
        if (0.0..=1.0).contains(&share) { self.peak_W * (PI * share).sin().powi(2) } else { Vector3::zeros() }
    }
}

/// Everything that does not change in time.
#[derive(Clone, Debug)]
pub struct Model {
    bodies: Vec<Body>,
    pairs: Vec<Pair>,
    gravity_W: Vector3<f64>,
    pulses: Vec<Pulse>,
    /// Place of each body among the free ones.
    places: Vec<Option<usize>>,
    inverse_inertia: Vec<Matrix3<f64>>,
}

impl Model {
    /// A model, checked.
    pub fn new(
        bodies: Vec<Body>,
        pairs: Vec<Pair>,
        gravity_W: Vector3<f64>,
        pulses: Vec<Pulse>,
    ) -> Result<Self, ModelError> {
        let mut inverse_inertia = Vec::with_capacity(bodies.len());
        for body in &bodies {
            inverse_inertia.push(check_body(body)?);
        }
        finite("gravity", "the model", gravity_W.as_slice())?;
        for pair in &pairs {
            check_pair(pair, &bodies)?;
        }
        for pulse in &pulses {
            check_index(pulse.body, "a pulse", &bodies)?;
            let of = format!("the pulse on `{}`", bodies[pulse.body.0].name);
            finite("peak force", &of, pulse.peak_W.as_slice())?;
            finite("start", &of, &[pulse.t0])?;
            rule("duration", &of, "positive and finite (s)", pulse.duration, pulse.duration > 0.0)?;
        }
        let mut free = 0;
        let places = bodies.iter().map(|body| (body.mobility == Mobility::Free).then(|| (free, free += 1).0)).collect();
        Ok(Self { bodies, pairs, gravity_W, pulses, places, inverse_inertia })
    }

    /// Bodies, by [`BodyId`].
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Pairs, by [`PairId`].
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Acceleration of free fall, in the world (m/s²).
    pub fn gravity_W(&self) -> Vector3<f64> {
        self.gravity_W
    }

    /// Pulses.
    pub fn pulses(&self) -> &[Pulse] {
        &self.pulses
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
        format!("`{}`–`{}`", self.bodies[a.0].name, self.bodies[b.0].name)
    }

    /// The state at time 0 from poses of the body frames and velocities of the centres of mass, in the world. Contacts
    /// that overlap already start without memory.
    pub fn start(&self, poses: &[Isometry3<f64>], velocities: &[SpatialVelocity]) -> Result<State, ModelError> {
        let mut bodies = Vec::with_capacity(self.bodies.len());
        for (i, body) in self.bodies.iter().enumerate() {
            let X_WB = poses.get(i).copied().unwrap_or_else(Isometry3::identity);
            let V_WBcm = velocities.get(i).copied().unwrap_or_else(SpatialVelocity::zero);
            let of = format!("body `{}`", body.name);
            finite("position", &of, X_WB.translation.vector.as_slice())?;
            finite("attitude", &of, X_WB.rotation.coords.as_slice())?;
            finite("velocity", &of, V_WBcm.v.as_slice())?;
            finite("angular velocity", &of, V_WBcm.w.as_slice())?;
            let fixed = body.mobility == Mobility::Fixed;
            bodies.push(BodyState {
                X_WBcm: Isometry3::from_parts(Translation3::from(X_WB * body.p_BoBcm), X_WB.rotation),
                V_WBcm: if fixed { SpatialVelocity::zero() } else { V_WBcm },
            });
        }
        let mut contacts = Vec::with_capacity(self.pairs.len());
        for (i, pair) in self.pairs.iter().enumerate() {
            let pose = |id: BodyId| self.frame(id.0, &bodies[id.0].X_WBcm);
            let X_AB = pose(pair.a).inv_mul(&pose(pair.b));
            let (a, b) = (&self.bodies[pair.a.0].shape, &self.bodies[pair.b.0].shape);
            let tracker =
                Tracker::new(a, b, &X_AB).map_err(|error| ModelError::Track { of: self.pair_name(i), error })?;
            contacts.push(ContactState {
                mode: ContactMode::Free,
                memory: Memory::default(),
                slip: Vector4::zeros(),
                E_visc: 0.0,
                E_slip: 0.0,
                E_release: 0.0,
                stored: 0.0,
                ceiling: 1.0,
                tracker,
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
        };
        self.begin(&mut state)?;
        Ok(state)
    }

    /// Contacts of bodies that overlap from the start: pressed, springs along the patch at rest.
    fn begin(&self, state: &mut State) -> Result<(), ModelError> {
        for (pair, contact) in self.pairs.iter().zip(&mut state.contacts) {
            if contact.tracker.pair().gap < 0.0 {
                let limited = !matches!(pair.law.friction, Friction::None | Friction::Sticks);
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
        let shift = X_WBcm.rotation * self.bodies[body].p_BoBcm.coords;
        Isometry3::from_parts(Translation3::from(X_WBcm.translation.vector - shift), X_WBcm.rotation)
    }
}
