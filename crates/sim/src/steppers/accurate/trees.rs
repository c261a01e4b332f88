//! # Trees of joints in the accurate stepper
//!
//! y (increments, v, sums) ──▶ **here** ──(links placed; v′ with multipliers of held rows)──▶ `field`, `step`
//!
//! - **in**: trees of a model with their modes, forces on links
//! - **out**: poses, velocities and accelerations of links; rates of y; how far a joint is beyond the end of its mode, and
//!   the mode after it
//! - **not here**: contacts (`touch`), the length of steps (`step`)
//! - **start at** [`TreeField::place`], [`TreeField::accelerate`], then [`happen`]
//!
//! ```text
//! M v′ + bias = tau + Σ Jᵀ f + Aᵀ λ,     A v′ + A′v = 0
//! ```
//!
//! Rows of A are the equations of couplings and loops, limits that are pressed, and dry friction that sticks. A pressed limit
//! ends where λ changes sign, friction that sticks where |λ| is its loss, friction that slips where its velocity is zero, a
//! free limit where the coordinate reaches it: there velocities jump by Newton's rule ([`Impact`]).
//!
//! **Length.** Rates of a tree, modes of its joints and their events share the multipliers of rows that hold.

use super::workspace::{PER_BODY, PER_CONTACT, Scratch, Workspace};
use crate::coordinates::impact::gram;
use crate::coordinates::intervals::solve_semidefinite;
use crate::coordinates::{AtLimit, Base, Equations, Factor, Frame, Impact, Intervals, Mass, Tree, TreeState};
use crate::drive::impedance::PlacedSpring;
use crate::drive::{self, Drive, DriveState, DriveStep, Instant, Placed, Told};
use crate::model::Model;
use crate::model::body::Body;
use crate::model::trees::ModelTree;
use crate::run::Stop;
use crate::state::{BodyState, State};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};

/// Sums of a tree that are integrated with it: E_joint, E_drive, W_drive.
pub(super) const SUMS: usize = 3;
/// Slower than this (rad/s or m/s) a joint comes to rest at its limit instead of bouncing.
const RESTS: f64 = 1e-9;
/// How far beyond its limit a joint is where it meets it (rad or m).
const GRAZE: f64 = 1e-13;
/// Rounding of forces, relative to the largest in the tree.
const ROUNDING: f64 = 1e-12;
/// Drives beyond the end of their mode by less than this share of their largest force have not left it: rough columns err.
const BENT: f64 = 1e-3;
/// Longest step over the fastest time of a drive that has a largest force.
const FOLLOWS: f64 = 2.0;
/// How well equations hold after a step (m, rad).
const CLOSED: f64 = 1e-13;

/// How many numbers a tree is.
pub(super) fn numbers_of(tree: &Tree) -> usize {
    2 * tree.nv() + SUMS
}

/// Where the numbers of the trees begin.
pub(super) fn first(model: &Model, state: &State) -> usize {
    PER_BODY * model.free_count() + PER_CONTACT * state.contacts.len() + 1
}

/// Drives of a model at an instant.
pub(crate) struct Driven<'a> {
    pub drives: &'a [Drive],
    pub told: Told<'a>,
    pub states: &'a [DriveState],
    pub t: f64,
}

impl Driven<'_> {
    fn now(&self, placed: &Placed, q: &[f64], v: &[f64]) -> Instant {
        let (drive, state) = (&self.drives[placed.drive], &self.states[placed.drive]);
        drive.at(state, self.t, placed.position(q), placed.velocity(v))
    }

    /// How far a drive is beyond the end of its mode, of which it has three: at either limit, and between them. Forces bend
    /// there, and a step across the bend may look right in all columns of an extrapolation and be wrong.
    fn beyond(&self, placed: &Placed, start: (f64, &TreeState), q: &[f64], v: &[f64]) -> Option<f64> {
        let (drive, state) = (&self.drives[placed.drive], &self.states[placed.drive]);
        let share = drive.share(state, self.t, placed.position(q), placed.velocity(v))?;
        let (t0, from) = start;
        let before = drive.share(state, t0, placed.position(&from.q), placed.velocity(&from.v))?;
        Some(if before.abs() <= 1.0 { share.abs() - 1.0 } else { 1.0 - before.signum() * share })
    }
}

/// A tree while rates are asked for.
#[derive(Clone, Debug)]
pub(crate) struct TreeField {
    pub frame: Frame,
    mass: Mass,
    factor: Factor,
    q: Vec<f64>,
    tau: Vec<f64>,
    bias: Vec<f64>,
    equations: Equations,
    /// Columns whose limit is pressed (±1) or whose friction sticks (0), after the equations among the rows.
    held: Vec<(usize, i8)>,
    a: Vec<f64>,
    x: Vec<f64>,
    G: Vec<f64>,
    lambda: Vec<f64>,
    /// Power of what moves as told, through the equations (W).
    pub supplied: f64,
}

impl TreeField {
    /// Scratch for a tree.
    pub fn new(made: &ModelTree) -> Self {
        let tree = &made.tree;
        Self {
            frame: Frame::new(tree),
            mass: Mass::new(tree),
            factor: Factor::new(tree),
            q: vec![0.0; tree.nq()],
            tau: vec![0.0; tree.nv()],
            bias: vec![0.0; tree.nv()],
            equations: Equations::default(),
            held: Vec::new(),
            a: Vec::new(),
            x: Vec::new(),
            G: Vec::new(),
            lambda: Vec::new(),
            supplied: 0.0,
        }
    }

    /// Places the links.
    pub fn place(
        &mut self,
        made: &ModelTree,
        bodies: &[Body],
        now: &TreeState,
        y: &[f64],
        put: impl FnMut(usize, BodyState),
    ) {
        let (tree, n) = (&made.tree, made.tree.nv());
        tree.drift(&now.q, &y[..n], &mut self.q);
        self.frame.place(tree, &self.q, &Base::default());
        self.frame.set_velocities(tree, &y[n..2 * n]);
        made.write(bodies, &self.frame, put);
    }

    /// Rates of the tree's numbers under forces at the centres of mass of its links; accelerations of these.
    #[allow(clippy::too_many_arguments)] // a tree in its place
    pub fn accelerate(
        &mut self,
        made: &ModelTree,
        now: &TreeState,
        driven: &Driven,
        y: &[f64],
        forces: &[SpatialForce],
        bodies: &[BodyState],
        rate: &mut [f64],
        mut put: impl FnMut(usize, SpatialVelocity),
    ) -> Result<(), Stop> {
        let (tree, n) = (&made.tree, made.tree.nv());
        let v = &y[n..2 * n];
        tree.drift_rate(&self.q, &y[..n], v, &mut rate[..n]);
        rate[2 * n..2 * n + SUMS].fill(0.0);
        self.tau.fill(0.0);
        for k in 0..n {
            let (law, Some(q)) = (tree.law(k), tree.scalar_q(k)) else { continue };
            let spring = law.spring.map_or(0.0, |spring| spring.stiffness * (self.q[q] - spring.rest));
            let slip = law.friction_loss * f64::from(now.slips[k]);
            self.tau[k] -= spring + law.damping * v[k] + slip;
            rate[2 * n] += law.damping * v[k] * v[k] + slip * v[k];
        }
        for placed in &made.drives {
            let now = driven.now(placed, &self.q, v);
            placed.terms.iter().for_each(|term| self.tau[term.column as usize] += term.share * now.force);
            rate[2 * n + 1] += now.lost;
            rate[2 * n + 2] += now.supplied;
        }
        for spring in &made.springs {
            let (lost, supplied) = spring.act(tree, &self.frame, &driven.told, driven.t, &mut self.tau);
            rate[2 * n + 1] += lost;
            rate[2 * n + 2] += supplied;
        }
        for (link, id) in made.bodies.iter().enumerate() {
            if let (Some(node), true) = (tree.ride(link).node, forces[id.0] != SpatialForce::zero()) {
                let p = bodies[id.0].X_WBcm.translation.vector;
                let F = self.frame.about_origin(&forces[id.0], &p.into());
                self.frame.add_wrench(tree, node as usize, &F, &mut self.tau);
            }
        }
        self.mass.compute(tree, &self.frame);
        self.factor.compute(tree, &self.mass).map_err(|_| Stop::Diverged { body: made.bodies[0].0 })?;
        let vdot = &mut rate[n..2 * n];
        vdot.copy_from_slice(&self.tau);
        self.frame.forward_dynamics(tree, &self.factor, v, vdot, &mut self.bias);
        self.list_held(tree, now);
        self.hold(made, driven.t, v, vdot);
        self.frame.set_accelerations(tree, v, vdot);
        for (link, id) in made.bodies.iter().enumerate() {
            if tree.ride(link).node.is_none() {
                continue;
            }
            let (A, V) = (self.frame.acceleration(tree, link), self.frame.velocity(tree, link));
            let r = bodies[id.0].X_WBcm.translation.vector - self.frame.pose(tree, link).translation.vector;
            put(id.0, SpatialVelocity::new(A.w, A.v + A.w.cross(&r) + V.w.cross(&V.w.cross(&r))));
        }
        Ok(())
    }

    fn list_held(&mut self, tree: &Tree, now: &TreeState) {
        self.held.clear();
        for k in 0..tree.nv() {
            if now.pressed[k] != 0 {
                self.held.push((k, now.pressed[k]));
            } else if now.slips[k] == 0 && tree.law(k).friction_loss > 0.0 {
                self.held.push((k, 0));
            }
        }
    }

    /// v′ with the multipliers of all rows that are held.
    fn hold(&mut self, made: &ModelTree, t: f64, v: &[f64], vdot: &mut [f64]) {
        let (tree, n) = (&made.tree, made.tree.nv());
        let equations = Equations::count(&made.equations);
        let m = equations + self.held.len();
        self.lambda.clear();
        self.supplied = 0.0;
        if m == 0 {
            return;
        }
        self.a.clear();
        if equations > 0 {
            self.equations.evaluate(tree, made.held(t), &self.frame, &self.q);
            self.frame.set_velocity_accelerations(tree, v);
            self.equations.drift(tree, made.held(t), &self.frame, &self.q, v);
            self.a.extend_from_slice(&self.equations.a);
        }
        self.a.resize(m * n, 0.0);
        for (i, (column, side)) in self.held.iter().enumerate() {
            // A pressed limit pushes inwards: down from the upper, up from the lower.
            self.a[(equations + i) * n + column] = if *side > 0 { -1.0 } else { 1.0 };
        }
        self.G.resize(m * m, 0.0);
        gram(tree, &self.factor, &self.a, &mut self.x, &mut self.G);
        for (i, row) in self.a.chunks_exact(n).enumerate() {
            let drift = if i < equations { self.equations.drift[i] } else { 0.0 };
            self.lambda.push(-drift - row.iter().zip(&*vdot).map(|(a, v)| a * v).sum::<f64>());
        }
        solve_semidefinite(&mut self.G, &mut self.lambda, m);
        for (i, lambda) in self.lambda.iter().enumerate() {
            vdot.iter_mut().zip(&self.x[i * n..(i + 1) * n]).for_each(|(v, x)| *v += lambda * x);
        }
        self.supplied = -self.lambda[..equations].iter().zip(&self.equations.rate).map(|(f, r)| f * r).sum::<f64>();
    }

    /// How far the tree is beyond the end of a mode of its joints, by the last rates.
    ///
    /// A joint that rests on its limit with no force to speak of moves by rounding alone: it passes the limit and pulls at
    /// it by the last digit, over and over. So a limit counts from [`GRAZE`] on, and a pull from the rounding of the forces.
    pub fn beyond(&self, made: &ModelTree, (from, now): (f64, &TreeState), end: &Driven, y: &[f64]) -> f64 {
        let (tree, n) = (&made.tree, made.tree.nv());
        let equations = Equations::count(&made.equations);
        let mut most = f64::NEG_INFINITY;
        let largest = |list: &[f64]| list.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let pull = ROUNDING * (largest(&self.lambda) + largest(&self.tau) + largest(&self.bias));
        for k in 0..n {
            let (law, Some(q)) = (tree.law(k), tree.scalar_q(k)) else { continue };
            if let (Some([low, high]), 0) = (law.limit, now.pressed[k]) {
                most = most.max(low - self.q[q] - GRAZE).max(self.q[q] - high - GRAZE);
            }
            if now.slips[k] != 0 {
                most = most.max(-f64::from(now.slips[k]) * y[n + k]);
            }
        }
        for placed in &made.drives {
            most = most.max(end.beyond(placed, (from, now), &self.q, &y[n..2 * n]).unwrap_or(f64::NEG_INFINITY));
        }
        for ((column, side), lambda) in self.held.iter().zip(&self.lambda[equations..]) {
            most = most.max(if *side != 0 { -lambda - pull } else { lambda.abs() - tree.law(*column).friction_loss });
        }
        most
    }
}

/// Whether a drive reaches or leaves its largest force where rates were asked for last. A step that goes there and back
/// would not show it at its end: all columns of an extrapolation may leap over the bend alike.
pub(super) fn drives_change(model: &Model, state: &State, scratch: &Scratch, t: f64, y: &[f64]) -> bool {
    if model.drives().is_empty() {
        return false;
    }
    let driven = Driven {
        drives: model.drives(),
        told: Told::new(model.impedances(), &state.impedances),
        states: &state.drives,
        t,
    };
    let mut at = first(model, state);
    for ((made, now), field) in model.trees().iter().zip(&state.trees).zip(&scratch.trees) {
        let n = made.tree.nv();
        let v = &y[at + n..at + 2 * n];
        let beyond = |placed| driven.beyond(placed, (state.time, now), &field.q, v);
        if made.drives.iter().filter_map(beyond).any(|beyond| beyond > BENT) {
            return true;
        }
        at += numbers_of(&made.tree);
    }
    false
}

/// The longest step over which drives with a largest force are followed (s).
///
/// Explicit steps that are too long for a spring or a damper go astray, and the error shows. Where a clamp bounds the force,
/// all columns of an extrapolation may swing between the limits alike: the error does not show, and losses are wrong.
pub(super) fn longest_step(model: &Model, state: &State, work: &mut Workspace) -> f64 {
    let mut longest = f64::INFINITY;
    for ((made, now), field) in model.trees().iter().zip(&state.trees).zip(&mut work.scratch.trees) {
        let tree = &made.tree;
        let mut placed = false;
        for one in &made.drives {
            let (drive, of) = (&model.drives()[one.drive], &state.drives[one.drive]);
            let share = drive.share(of, state.time, one.position(&now.q), one.velocity(&now.v));
            if share.is_none_or(|share| share.abs() > 1.0) {
                continue;
            }
            if !placed {
                field.frame.place(tree, &now.q, &Base::default());
                field.mass.compute(tree, &field.frame);
                if field.factor.compute(tree, &field.mass).is_err() {
                    break;
                }
                placed = true;
            }
            field.bias.fill(0.0);
            one.terms.iter().for_each(|term| field.bias[term.column as usize] += term.share);
            field.factor.to_unit(tree, &mut field.bias);
            let g: f64 = field.bias.iter().map(|x| x * x).sum();
            let gains = drive.gains(of, state.time);
            longest = longest.min(FOLLOWS / (gains.damping * g + (gains.stiffness * g).sqrt()));
        }
    }
    longest
}

/// Writes the end of a step into the states of trees: on their limits, loops closed; links follow.
pub(super) fn accept(model: &Model, state: &mut State, work: &mut Workspace, at: usize) {
    let mut from = at;
    for (t, made) in model.trees().iter().enumerate() {
        let (tree, n) = (&made.tree, made.tree.nv());
        let field = &mut work.scratch.trees[t];
        let now = &mut state.trees[t];
        let y = &work.table.end()[from..from + numbers_of(tree)];
        from += y.len();
        tree.drift(&now.q, &y[..n], &mut field.q);
        now.q.copy_from_slice(&field.q);
        tree.normalise(&mut now.q);
        now.v.copy_from_slice(&y[n..2 * n]);
        (now.sums.E_joint, now.sums.E_drive, now.sums.W_drive) = (y[2 * n], y[2 * n + 1], y[2 * n + 2]);
        (now.known, now.owed) = (0, 0.0);
        for k in 0..n {
            let (law, Some(q)) = (tree.law(k), tree.scalar_q(k)) else { continue };
            if let (Some(limit), side @ (-1 | 1)) = (law.limit, now.pressed[k]) {
                now.q[q] = if side < 0 { limit[0] } else { limit[1] };
                now.v[k] = 0.0;
            }
            if law.friction_loss > 0.0 && now.slips[k] == 0 {
                now.v[k] = 0.0;
            }
        }
        field.frame.place(tree, &now.q, &Base::default());
        field.frame.set_velocities(tree, &now.v);
        if !made.equations.is_empty() {
            let driven = Driven {
                drives: model.drives(),
                told: Told::new(model.impedances(), &state.impedances),
                states: &state.drives,
                t: state.time,
            };
            field.close(made, now, &driven);
        }
        for placed in &made.drives {
            let driven = Driven {
                drives: model.drives(),
                told: Told::new(model.impedances(), &state.impedances),
                states: &state.drives,
                t: state.time,
            };
            let force = driven.now(placed, &now.q, &now.v).force;
            state.drives[placed.drive].last = DriveStep { force, ..DriveStep::default() };
        }
        let bodies = &mut state.bodies;
        made.write(model.bodies(), &field.frame, |i, body| bodies[i] = body);
    }
}

impl TreeField {
    /// Energy of a tree: kinetic, of gravity, of the springs of its joints and drives.
    fn energy(&self, made: &ModelTree, now: &TreeState, driven: &Driven) -> f64 {
        let tree = &made.tree;
        let spring = |k: usize| {
            let (spring, q) = (tree.law(k).spring?, tree.scalar_q(k)?);
            Some(0.5 * spring.stiffness * (now.q[q] - spring.rest).powi(2))
        };
        let springs: f64 = (0..tree.nv()).filter_map(spring).sum();
        let drives = drive::stored(driven.drives, &made.drives, driven.states, now, driven.t);
        let spatial = |spring: &PlacedSpring| {
            let (X_WR, _) = driven.told.at(spring.impedance, driven.t);
            spring.stored(&spring.coordinates(tree, &self.frame, &X_WR).0)
        };
        let spatial: f64 = made.springs.iter().map(spatial).sum();
        self.frame.kinetic(tree, &now.v) + self.frame.potential(tree) + springs + drives + spatial
    }

    /// Closes loops and couplings; the energy that takes goes to the ledger.
    fn close(&mut self, made: &ModelTree, now: &mut TreeState, driven: &Driven) {
        let tree = &made.tree;
        let before = self.energy(made, now, driven);
        let rooms = (&mut self.frame, &mut self.mass, &mut self.factor);
        self.equations.close(tree, made.held(driven.t), &mut now.q, rooms, CLOSED, 3);
        self.mass.compute(tree, &self.frame);
        if self.factor.compute(tree, &self.mass).is_ok() {
            self.equations.settle(tree, made.held(driven.t), &now.q, &mut now.v, &self.frame, &self.factor);
        }
        self.frame.set_velocities(tree, &now.v);
        now.sums.E_project += before - self.energy(made, now, driven);
    }
}

/// Friction that moves, slips: modes of a state that another stepper, a kick or the start has left.
pub(super) fn take_over(model: &Model, state: &mut State) {
    for (made, now) in model.trees().iter().zip(&mut state.trees) {
        for k in 0..made.tree.nv() {
            if made.tree.law(k).friction_loss > 0.0 && now.slips[k] == 0 && now.v[k].abs() > RESTS {
                now.slips[k] = if now.v[k] > 0.0 { 1 } else { -1 };
            }
            if now.pressed[k] != 0 && now.v[k].abs() > RESTS {
                now.pressed[k] = 0;
            }
        }
    }
}

/// Modes of the joints of all trees that are beyond the end of one: impacts first, then what is held by which force.
pub(super) fn happen(model: &Model, state: &mut State, work: &mut Workspace) -> Result<(), Stop> {
    for t in 0..model.trees().len() {
        let made = &model.trees()[t];
        let (tree, now) = (&made.tree, &mut state.trees[t]);
        let field = &mut work.scratch.trees[t];
        let mut limits = Vec::new();
        let mut ended = false;
        for k in 0..tree.nv() {
            let (law, Some(q)) = (tree.law(k), tree.scalar_q(k)) else { continue };
            if let Some([low, high]) = law.limit {
                let side = if now.q[q] <= low { -1 } else { i8::from(now.q[q] >= high) };
                if side != 0 {
                    ended |= now.pressed[k] == 0;
                    now.q[q] = now.q[q].clamp(low, high);
                    let sign = -f64::from(side);
                    let fast = now.pressed[k] == 0 && sign * now.v[k] < -RESTS;
                    let restitution = if fast { law.restitution } else { 0.0 };
                    limits.push(AtLimit { column: k, sign, restitution });
                }
            }
            if now.slips[k] != 0 && f64::from(now.slips[k]) * now.v[k] <= 0.0 {
                (now.slips[k], now.v[k], ended) = (0, 0.0, true);
            }
        }
        let ends = field.held.iter().zip(field.lambda.get(Equations::count(&made.equations)..).unwrap_or_default());
        ended |= ends.into_iter().any(|((column, side), lambda)| match side {
            0 => lambda.abs() > tree.law(*column).friction_loss,
            _ => *lambda < 0.0,
        });
        if !ended {
            continue;
        }
        field.frame.place(tree, &now.q, &Base::default());
        field.mass.compute(tree, &field.frame);
        field.factor.compute(tree, &field.mass).map_err(|_| Stop::Diverged { body: made.bodies[0].0 })?;
        let placed = (&field.frame, &field.factor);
        let mut impact = Impact::default();
        now.sums.E_limit += impact.act(tree, made.held(state.time), placed, &now.q, &mut now.v, &limits);
        state.W_injected += impact.supplied;
        field.frame.set_velocities(tree, &now.v);
        for limit in &limits {
            if (limit.sign * now.v[limit.column]).abs() <= RESTS {
                now.v[limit.column] = 0.0;
            }
            now.pressed[limit.column] = 0;
        }
        for k in 0..tree.nv() {
            if tree.law(k).friction_loss > 0.0 && now.v[k] != 0.0 {
                now.slips[k] = if now.v[k] > 0.0 { 1 } else { -1 };
            }
        }
        let bodies = &mut state.bodies;
        made.write(model.bodies(), &field.frame, |i, body| bodies[i] = body);
        choose(model, state, work, t, &limits)?;
    }
    Ok(())
}

/// Which of the joints at rest stay so: the rows that hold under the forces at hand.
fn choose(model: &Model, state: &mut State, work: &mut Workspace, t: usize, limits: &[AtLimit]) -> Result<(), Stop> {
    // Candidates press and stick with no force of their own while the others are looked at.
    let made = &model.trees()[t];
    let (tree, n) = (&made.tree, made.tree.nv());
    let resting: Vec<AtLimit> = limits.iter().copied().filter(|limit| state.trees[t].v[limit.column] == 0.0).collect();
    let sticking: Vec<usize> =
        (0..n).filter(|k| tree.law(*k).friction_loss > 0.0 && state.trees[t].slips[*k] == 0).collect();
    let equations = Equations::count(&made.equations);
    let m = equations + resting.len() + sticking.len();
    if resting.is_empty() && sticking.is_empty() {
        return Ok(());
    }
    work.view(model, state)?;
    let field = &mut work.scratch.trees[t];
    // v′ without any of the rows, by the forces of the view.
    let v = state.trees[t].v.clone();
    let mut free = field.tau.clone();
    field.frame.forward_dynamics(tree, &field.factor, &v, &mut free, &mut field.bias);
    field.a.clear();
    if equations > 0 {
        field.equations.evaluate(tree, made.held(state.time), &field.frame, &field.q);
        field.frame.set_velocity_accelerations(tree, &v);
        field.equations.drift(tree, made.held(state.time), &field.frame, &field.q, &v);
        field.a.extend_from_slice(&field.equations.a);
    }
    field.a.resize(m * n, 0.0);
    let mut rows = Intervals::default();
    rows.resize(m);
    for (i, limit) in resting.iter().enumerate() {
        field.a[(equations + i) * n + limit.column] = limit.sign;
    }
    for (i, column) in sticking.iter().enumerate() {
        field.a[(equations + resting.len() + i) * n + column] = 1.0;
    }
    gram(tree, &field.factor, &field.a, &mut field.x, &mut rows.G);
    for (i, row) in field.a.chunks_exact(n).enumerate() {
        let drift = if i < equations { field.equations.drift[i] } else { 0.0 };
        rows.b[i] = drift + row.iter().zip(&free).map(|(a, v)| a * v).sum::<f64>();
        (rows.low[i], rows.high[i]) = if i < equations {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else if i < equations + resting.len() {
            (0.0, f64::INFINITY)
        } else {
            let loss = tree.law(sticking[i - equations - resting.len()]).friction_loss;
            (-loss, loss)
        };
    }
    rows.solve();
    let now = &mut state.trees[t];
    for (limit, lambda) in resting.iter().zip(&rows.lambda[equations..]) {
        now.pressed[limit.column] = if *lambda > 0.0 { -limit.sign as i8 } else { 0 };
    }
    for (column, lambda) in sticking.iter().zip(&rows.lambda[equations + resting.len()..]) {
        let loss = tree.law(*column).friction_loss;
        now.slips[*column] = if lambda.abs() < loss {
            0
        } else if *lambda > 0.0 {
            -1
        } else {
            1
        };
    }
    Ok(())
}
