//! Scenes of tests: a model with its state and scratch, and laws in few words.
#![allow(dead_code)] // each test file takes what it needs

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_sim::{
    Accurate, AccurateReport, Body, BodyId, ContactResult, Event, EventKind, Interactions, Ledger, Model, PairLaw,
    Parts, Places, State, Stepper, Workspace, ledger,
};
use nalgebra::{Matrix3, Vector3};

/// Free fall (m/s²).
pub const G: f64 = 9.81;

/// A run of a model.
pub struct Run {
    pub model: Model,
    pub state: State,
    pub work: Workspace,
    /// All events so far.
    pub events: Vec<Event>,
    /// Sums over all advances.
    pub report: AccurateReport,
}

impl Run {
    pub fn new(parts: Parts) -> Self {
        let model = Model::new(parts).unwrap();
        let state = model.start().unwrap();
        Self::from(model, state)
    }

    pub fn from(model: Model, state: State) -> Self {
        let work = Workspace::new(&model, &state);
        Self { model, state, work, events: Vec::new(), report: AccurateReport::default() }
    }

    pub fn to(&mut self, until: f64) {
        let report = Accurate::default().advance(&self.model, &mut self.state, &mut self.work, until).unwrap();
        self.events.extend_from_slice(self.work.events());
        self.report.steps += report.steps;
        self.report.position_error += report.position_error;
    }

    /// Until something happens to a contact, looked for every `dt`, at most until `end`.
    pub fn until_event(&mut self, kind: EventKind, dt: f64, end: f64) -> f64 {
        let known = self.events.len();
        while self.state.time < end {
            let next = self.state.time + dt;
            self.to(next);
            if let Some(event) = self.events[known..].iter().find(|event| event.kind == kind) {
                return event.time;
            }
        }
        panic!("no {} until {end} s", kind.name());
    }

    pub fn ledger(&mut self) -> Ledger {
        ledger(&self.model, &self.state, &mut self.work).unwrap()
    }

    pub fn views(&mut self) -> &[ContactResult] {
        self.work.look(&self.model, &self.state).unwrap()
    }

    pub fn p(&self, body: usize) -> Vector3<f64> {
        self.state.bodies[body].X_WBcm.translation.vector
    }

    pub fn V(&self, body: usize) -> SpatialVelocity {
        self.state.bodies[body].V_WBcm
    }

    /// A direction of body axes, in the world.
    pub fn axis(&self, body: usize, axis_B: Vector3<f64>) -> Vector3<f64> {
        self.state.bodies[body].X_WBcm.rotation * axis_B
    }
}

pub fn constants(k: f64, n: f64, k_t: f64, k_theta: f64, e_n: f64) -> Stiffness {
    Stiffness::Constants(Constants { k, n, k_t, k_theta, e_n })
}

pub fn law(stiffness: Stiffness, damping: Damping, friction: Friction) -> ContactLaw {
    ContactLaw { stiffness, damping, friction, partial: None }
}

/// The law between two bodies at their closest points.
pub fn between(a: usize, b: usize, law: ContactLaw, alpha: f64) -> (BodyId, BodyId, PairLaw) {
    (BodyId(a), BodyId(b), PairLaw { law, alpha, places: Places::Closest })
}

pub fn parts(bodies: Vec<Body>, pairs: Vec<(BodyId, BodyId, PairLaw)>, gravity_W: Vector3<f64>) -> Parts {
    Parts { bodies, interactions: Interactions::of_pairs(pairs), gravity_W, ..Parts::default() }
}

pub fn sphere(radius: f64) -> Shape {
    Shape::Sphere(Sphere::new(radius).unwrap())
}

pub fn solid_ball(radius: f64, mass: f64) -> Body {
    Body::free("ball", sphere(radius), mass, Matrix3::identity() * (0.4 * mass * radius * radius))
}

pub fn plane() -> Body {
    Body::fixed("ground", Shape::HalfSpace(HalfSpace))
}

/// Gravity downward.
pub fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -G)
}

/// Velocity from its two parts.
pub fn moving(w: [f64; 3], v: [f64; 3]) -> SpatialVelocity {
    SpatialVelocity::new(Vector3::from(w), Vector3::from(v))
}
