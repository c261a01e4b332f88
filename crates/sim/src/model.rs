//! # Model: bodies, pairs, gravity and pulses, frozen after checking
//!
//! - **in**: shapes, masses, contact laws
//! - **out**: a [`Model`]; a [`State`] from poses and velocities
//! - **not here**: what changes in time ([`State`])
//! - **start at** [`Model::new`], then [`Model::start`]

use crate::accurate::Stop;
use crate::field::Workspace;
use crate::state::{BodyState, ContactMode, ContactState, State, Stride};
use fingerpad_contact::law::{ContactLaw, Friction, LawError, Memory, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::{TrackError, Tracker};
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

/// Why a model or its start cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A number outside its range.
    #[error("{what} of {of} must be {expected}, got {got}")]
    Number {
        /// Which number.
        what: &'static str,
        /// Whose.
        of: String,
        /// The rule.
        expected: &'static str,
        /// What came.
        got: String,
    },
    /// A law that cannot be integrated accurately.
    #[error("{of}: {what} cannot be integrated by the accurate stepper{instead}")]
    Law {
        /// Which pair.
        of: String,
        /// What about it.
        what: &'static str,
        /// What to do.
        instead: &'static str,
    },
    /// Constants of a law outside their range.
    #[error("{of}: {error}")]
    Constants {
        /// Which pair.
        of: String,
        /// Why.
        error: LawError,
    },
    /// A contact that cannot be answered at the start.
    #[error("at the start: {0}")]
    Start(Stop),
    /// No closest points at the start.
    #[error("{of}: {error}")]
    Track {
        /// Which pair.
        of: String,
        /// Why.
        error: TrackError,
    },
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
                pressed: 0.0,
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
            contact.pressed = view.V_normal;
        }
        Ok(())
    }

    /// Pose of the body frame from that of the centre of mass.
    pub fn frame(&self, body: usize, X_WBcm: &Isometry3<f64>) -> Isometry3<f64> {
        let shift = X_WBcm.rotation * self.bodies[body].p_BoBcm.coords;
        Isometry3::from_parts(Translation3::from(X_WBcm.translation.vector - shift), X_WBcm.rotation)
    }
}

fn rule(what: &'static str, of: &str, expected: &'static str, got: f64, ok: bool) -> Result<(), ModelError> {
    if ok && got.is_finite() {
        Ok(())
    } else {
        Err(ModelError::Number { what, of: of.to_string(), expected, got: got.to_string() })
    }
}

fn finite(what: &'static str, of: &str, got: &[f64]) -> Result<(), ModelError> {
    if got.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(ModelError::Number { what, of: of.to_string(), expected: "finite", got: format!("{got:?}") })
    }
}

fn check_body(body: &Body) -> Result<Matrix3<f64>, ModelError> {
    let of = format!("body `{}`", body.name);
    finite("centre of mass", &of, body.p_BoBcm.coords.as_slice())?;
    if body.mobility == Mobility::Fixed {
        return Ok(Matrix3::zeros());
    }
    rule("mass", &of, "positive and finite (kg)", body.mass, body.mass > 0.0)?;
    let I = &body.I_BBcm_B;
    let symmetric = (I - I.transpose()).amax() <= 1e-12 * I.amax();
    match I.cholesky() {
        Some(root) if symmetric && I.iter().all(|x| x.is_finite()) => Ok(root.inverse()),
        _ => Err(ModelError::Number {
            what: "inertia",
            of,
            expected: "symmetric, positive definite and finite (kg m²)",
            got: format!("{:?}", I.as_slice()),
        }),
    }
}

fn check_index(id: BodyId, whose: &str, bodies: &[Body]) -> Result<(), ModelError> {
    let got = id.0 as f64;
    rule("body", whose, "one of the model's", got, id.0 < bodies.len())
}

fn check_pair(pair: &Pair, bodies: &[Body]) -> Result<(), ModelError> {
    check_index(pair.a, "a pair", bodies)?;
    check_index(pair.b, "a pair", bodies)?;
    let of = format!("`{}`–`{}`", bodies[pair.a.0].name, bodies[pair.b.0].name);
    rule("alpha", &of, "between 0 and 1", pair.alpha, (0.0..=1.0).contains(&pair.alpha))?;
    rule("second body", &of, "another than the first", pair.b.0 as f64, pair.a != pair.b)?;
    let law = &pair.law;
    let refuse = |what, instead| Err(ModelError::Law { of: of.clone(), what, instead });
    if law.partial.is_some() {
        return refuse("partial slip", "");
    }
    let d = &law.damping;
    for (what, value) in [
        ("Hunt–Crossley damping", d.hunt_crossley),
        ("normal damping", d.normal),
        ("tangential damping", d.tangential),
        ("torsional damping", d.torsional),
    ] {
        rule(what, &of, "zero or positive, and finite", value, value >= 0.0)?;
    }
    if let Stiffness::Constants(constants) = &law.stiffness {
        constants.checked().map_err(|error| ModelError::Constants { of: of.clone(), error })?;
        if matches!(law.friction, Friction::Coulomb { .. }) && constants.k_theta > 0.0 {
            rule(
                "e_n",
                &of,
                "positive where friction is Coulomb and k_theta is not zero (m)",
                constants.e_n,
                constants.e_n > 0.0,
            )?;
        }
    }
    match &law.friction {
        Friction::Coulomb { mu } => rule("friction coefficient", &of, "positive and finite", *mu, *mu > 0.0),
        Friction::TwoCoefficients { .. } | Friction::Rule(_) if d.tangential == 0.0 => {
            refuse("this friction without tangential damping", "; give tangential damping, or one coefficient")
        }
        _ => Ok(()),
    }
}
