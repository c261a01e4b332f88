//! # Model: bodies, what acts between them, gravity and loads, frozen after checking
//!
//! - **in**: [`Parts`]
//! - **out**: a [`Model`]; its [`State`] at time 0
//! - **not here**: what changes in time ([`State`])
//! - **start at** [`Model::new`], then [`Model::start`]

pub(crate) mod body;
pub(crate) mod check;
pub(crate) mod interactions;
pub(crate) mod joints;
pub(crate) mod load;
pub(crate) mod prescribed;
pub(crate) mod trees;

use crate::contacts::update::{Overlap, Scope, update_contacts};
use crate::contacts::{BroadPhase, Extent};
use crate::coordinates::{Base, Frame};
use crate::drive::{self, Drive, DriveKind, DriveState, Impedance, ImpedanceState};
use crate::run::Stop;
use crate::run::stop::{self, RunError};
use crate::state::{AccurateMemory, BodyState, FixedMemory, ImplicitMemory, RigidMemory, Spent, State, Stride};
use body::{Body, BodyId, Mobility, Prescribed};
use check::{ModelError, check_command, check_parts, check_start};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Shape, Surface};
use interactions::{Interactions, Pair, PairLaw};
use joints::{Coupling, JointId, Loop, ModelJoint};
use load::{Kick, Load};
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Vector3};
use trees::ModelTree;

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
    /// Joints between bodies, which make them links of trees.
    pub joints: Vec<ModelJoint>,
    /// Equations between joints.
    pub couplings: Vec<Coupling>,
    /// Frames on two bodies that stay together.
    pub loops: Vec<Loop>,
    /// What moves joints as it is told.
    pub drives: Vec<Drive>,
    /// Spatial springs between bodies and references that move.
    pub impedances: Vec<Impedance>,
}

/// Everything that does not change in time.
#[derive(Clone, Debug)]
pub struct Model {
    parts: Parts,
    /// Trees of joints.
    trees: Vec<ModelTree>,
    /// Tree and link of each joint; none where no joint above it moves.
    joint_places: trees::Places,
    /// Place of each body among those that forces move one by one: links move with their trees.
    places: Vec<Option<usize>>,
    inverse_inertia: Vec<Matrix3<f64>>,
    extents: Vec<Extent>,
    sizes: Vec<f64>,
    /// Longest step over which driven bodies do not turn back unseen (s).
    longest_step: f64,
}

/// Longest side of the box around a shape (m).
fn longest_extent(shape: &Shape) -> f64 {
    let bounds = shape.bounds();
    let is_ground = matches!(shape, Shape::HalfSpace(_) | Shape::Graph(_) | Shape::Elevation(_));
    if is_ground || !bounds.is_finite() { f64::INFINITY } else { (bounds.max - bounds.min).max() }
}

impl Model {
    /// A model, checked. Kicks are put in order of time.
    pub fn new(mut parts: Parts) -> Result<Self, ModelError> {
        drive::impedance::check(&parts)?;
        let (mut trees, joint_places) = trees::build(&mut parts)?;
        drive::check(&parts)?;
        drive::place(&parts, &mut trees, &joint_places)?;
        drive::impedance::settle(&mut parts);
        drive::impedance::place(&parts, &mut trees)?;
        let inverse_inertia = check_parts(&parts)?;
        parts.kicks.sort_by(|a, b| a.time.total_cmp(&b.time));
        let bodies = &parts.bodies;
        let mut moved = 0;
        let alone = |body: &Body| body.mobility.is_moved_by_forces() && !body.mobility.is_link();
        let places = bodies.iter().map(|body| alone(body).then(|| (moved, moved += 1).0)).collect();
        let quarter = |body: &Body| match &body.mobility {
            Mobility::Prescribed(motion) => motion.quarter(),
            _ => f64::INFINITY,
        };
        let grips = parts.drives.iter().any(|drive| matches!(drive.kind, DriveKind::Grip { .. }));
        let longest_step = if grips { drive::LONGEST_STEP_OF_GRIPS } else { f64::INFINITY };
        let longest_step = bodies.iter().map(quarter).fold(longest_step, f64::min);
        let mut extents: Vec<Extent> =
            bodies.iter().map(|body| Extent::new(&body.shape, body.mobility != Mobility::Fixed)).collect();
        let alone = extents.iter().filter(|extent| !extent.is_everywhere()).count() <= 1;
        if alone || parts.interactions.laws.is_empty() {
            extents.iter_mut().for_each(Extent::let_go);
        }
        for (extent, _) in extents.iter_mut().zip(bodies).filter(|(_, body)| !body.touches) {
            extent.let_go();
        }
        let sizes = parts.bodies.iter().map(|body| longest_extent(&body.shape)).collect();
        Ok(Self { parts, trees, joint_places, places, inverse_inertia, extents, sizes, longest_step })
    }

    /// Bodies, by [`BodyId`].
    pub fn bodies(&self) -> &[Body] {
        &self.parts.bodies
    }

    /// Trees of joints.
    pub fn trees(&self) -> &[ModelTree] {
        &self.trees
    }

    /// Joints, by [`JointId`].
    pub fn joints(&self) -> &[ModelJoint] {
        &self.parts.joints
    }

    /// Drives, by [`DriveId`](crate::DriveId).
    pub fn drives(&self) -> &[Drive] {
        &self.parts.drives
    }

    /// Spatial impedances.
    pub fn impedances(&self) -> &[Impedance] {
        &self.parts.impedances
    }

    /// Tree and link of a joint; none where nothing moves.
    pub fn place_of(&self, joint: JointId) -> Option<(usize, usize)> {
        self.joint_places.get(joint.0).copied().flatten()
    }

    /// Coordinates and velocities of a joint in a state; empty where nothing moves.
    pub fn joint_state<'a>(&self, state: &'a State, joint: JointId) -> (&'a [f64], &'a [f64]) {
        let Some((tree, link)) = self.place_of(joint) else { return (&[], &[]) };
        let (made, now) = (&self.trees[tree], &state.trees[tree]);
        let (column, q) = made.first_of(link);
        let kind = &made.tree.links()[link].joint;
        (&now.q[q..q + kind.nq()], &now.v[column..column + kind.nv()])
    }

    /// Writes the poses and velocities of all links into a state, from the coordinates of its trees.
    pub(crate) fn write_links(&self, state: &mut State) {
        for (made, now) in self.trees.iter().zip(&state.trees) {
            let mut frame = Frame::new(&made.tree);
            frame.place(&made.tree, &now.q, &Base::default());
            frame.set_velocities(&made.tree, &now.v);
            made.write(self.bodies(), &frame, |i, body| state.bodies[i] = body);
        }
    }

    /// Acceleration of free fall, in the world (m/s²).
    pub fn gravity_W(&self) -> Vector3<f64> {
        self.parts.gravity_W
    }

    /// Forces given over time.
    pub fn loads(&self) -> &[Load] {
        &self.parts.loads
    }

    /// Sets the force (N) and moment (N·m) of a load, for the steps to come: what a controller does between steps. Says
    /// what is wrong with numbers that are not finite, and keeps the old ones.
    pub fn set_load(&mut self, load: usize, f_W: Vector3<f64>, t_W: Vector3<f64>) -> Result<(), ModelError> {
        let count = self.parts.loads.len();
        let Some(given) = self.parts.loads.get(load) else {
            let (what, of, expected) = ("the number of a load", "a command".to_string(), "that of a load of the model");
            return Err(ModelError::Number { what, of, expected, got: format!("{load} of {count}") });
        };
        let of = self.parts.bodies[given.body.0].name.as_str();
        check_command(of, &f_W, &t_W)?;
        let load = &mut self.parts.loads[load];
        (load.f_W, load.t_W) = (f_W, t_W);
        Ok(())
    }

    /// Lets a body with prescribed motion go on with another velocity (m/s), from where it is in a state: what a controller
    /// does between steps. Says what is wrong with numbers that are not finite, and keeps the old motion. A state stored
    /// later knows the pose, not the command: give it again after loading.
    pub fn set_velocity(&mut self, body: BodyId, v_W: Vector3<f64>, state: &mut State) -> Result<(), ModelError> {
        let count = self.parts.bodies.len();
        if body.0 >= count {
            let (what, of, expected) = ("the number of a body", "a command".to_string(), "that of a body of the model");
            return Err(ModelError::Number { what, of, expected, got: format!("{} of {count}", body.0) });
        }
        let now = self.frame(body.0, &state.bodies[body.0].X_WBcm);
        let part = &mut self.parts.bodies[body.0];
        check_command(&part.name, &v_W, &Vector3::zeros())?;
        if !matches!(part.mobility, Mobility::Prescribed(_)) {
            return Err(ModelError::NotPrescribed { of: part.name.clone() });
        }
        part.mobility = Mobility::Prescribed(Prescribed::Moving { v_W });
        // The motion is told from time 0 on.
        part.X_WB = Isometry3::from_parts((now.translation.vector - v_W * state.time).into(), now.rotation);
        state.bodies[body.0].V_WBcm = SpatialVelocity::new(Vector3::zeros(), v_W);
        Ok(())
    }

    /// Sudden changes of momentum, in order of time.
    pub fn kicks(&self) -> &[Kick] {
        &self.parts.kicks
    }

    /// The laws, by [`LawId`](crate::LawId).
    pub fn laws(&self) -> &[PairLaw] {
        &self.parts.interactions.laws
    }

    /// The law of a pair.
    pub fn law(&self, pair: &Pair) -> &PairLaw {
        &self.parts.interactions.laws[pair.law.0]
    }

    /// All pairs of bodies that can touch, one by one.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        (1..self.bodies().len()).flat_map(move |j| (0..j).filter_map(move |i| self.between(i, j)))
    }

    /// The pair that two bodies make, if a law acts between them and forces move one of them.
    pub fn between(&self, i: usize, j: usize) -> Option<Pair> {
        let [one, two] = [i, j].map(|k| &self.bodies()[k]);
        let moved = one.mobility.is_moved_by_forces() || two.mobility.is_moved_by_forces();
        if !(one.touches && two.touches) || self.owner(i) == self.owner(j) {
            return None;
        }
        let meet = || self.parts.interactions.between(BodyId(i), BodyId(j), one.class, two.class);
        moved.then(meet).flatten()
    }

    /// The body that reports name for this one: itself, or the one whose further surface it is.
    pub fn owner(&self, body: usize) -> usize {
        self.bodies()[body].part_of.map_or(body, |id| id.0)
    }

    /// The name that reports give a body.
    pub fn name(&self, body: usize) -> &str {
        &self.bodies()[self.owner(body)].name
    }

    /// Longest extent of a body (m); infinite for grounds, which reach down without end.
    pub(crate) fn size(&self, body: usize) -> f64 {
        self.sizes[body]
    }

    pub(crate) fn extents(&self) -> &[Extent] {
        &self.extents
    }

    pub(crate) fn longest_step(&self) -> f64 {
        self.longest_step
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
    pub fn pair_name(&self, pair: &Pair) -> String {
        let Pair { a, b, .. } = pair;
        format!("`{}`–`{}`", self.name(a.0), self.name(b.0))
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
            if !body.mobility.is_moved_by_forces() || body.mobility.is_link() {
                X_WB = body.X_WB;
            }
            let X_WBcm = Isometry3::from_parts(Translation3::from(X_WB * body.p_BoBcm), X_WB.rotation);
            let V_WBcm = match &body.mobility {
                Mobility::Fixed => SpatialVelocity::zero(),
                Mobility::Prescribed(motion) => motion.velocity_at(&Point3::from(X_WBcm.translation.vector), 0.0),
                Mobility::Free | Mobility::Restricted(_) | Mobility::Link { .. } => V_WBcm,
            };
            let now = BodyState { X_WBcm, V_WBcm };
            bodies.push(match &body.mobility {
                Mobility::Restricted(restriction) => restriction.keep(body, &now),
                _ => now,
            });
        }
        // Room for as many as there usually are, so that a run seldom asks for more.
        let room = 2 * bodies.len() + 8;
        let mut state = State {
            time: 0.0,
            bodies,
            trees: self.trees.iter().map(|made| made.start.clone()).collect(),
            drives: vec![DriveState::default(); self.parts.drives.len()],
            impedances: vec![ImpedanceState::default(); self.parts.impedances.len()],
            near: Vec::with_capacity(room),
            contacts: Vec::with_capacity(room),
            spent: Spent::default(),
            W_injected: 0.0,
            kicks_done: 0,
            rooms: Vec::with_capacity(self.bodies().len()),
            accurate: AccurateMemory {
                stride: Stride { h: 1e-4, column: 4 },
                quiet_until: f64::NEG_INFINITY,
                quiet: 0.0,
                implicit: ImplicitMemory::default(),
            },
            fixed: FixedMemory::default(),
            rigid: RigidMemory::default(),
        };
        self.write_links(&mut state);
        let mut broad = BroadPhase::with_room(self.bodies().len(), room);
        update_contacts(self, &mut state, &mut broad, Overlap::Given, Scope::All, |_, _| (0.0, 0.0))
            .map_err(|stop| self.at_start(&state, stop))?;
        // What is pressed together from the start was given so.
        state.spent = Spent::default();
        Ok(state)
    }

    fn at_start(&self, state: &State, stop: Stop) -> ModelError {
        match stop {
            Stop::Track { pair, error } => ModelError::Track { of: self.pair_name(&pair), error },
            cause => {
                let RunError { body: of, cause, .. } = stop::name(self, state, cause);
                ModelError::Start { of, cause: Box::new(cause) }
            }
        }
    }

    /// A body by its name; links of robots as `robot/link`.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.bodies().iter().position(|body| body.name == name).map(BodyId)
    }

    /// Pose of a body's frame in a state.
    pub fn X_WB(&self, state: &State, body: BodyId) -> Isometry3<f64> {
        self.frame(body.0, &state.bodies[body.0].X_WBcm)
    }

    /// Pose of the body frame from that of the centre of mass.
    pub fn frame(&self, body: usize, X_WBcm: &Isometry3<f64>) -> Isometry3<f64> {
        let shift = X_WBcm.rotation * self.bodies()[body].p_BoBcm.coords;
        Isometry3::from_parts(Translation3::from(X_WBcm.translation.vector - shift), X_WBcm.rotation)
    }
}
