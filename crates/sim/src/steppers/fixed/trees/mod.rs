//! # Trees of joints in fixed steps
//!
//! `step` ──(passes)──▶ **here** ──(mid-step of each tree, rows of contacts on joints)──▶ `solve` ──▶ links, state of trees
//!
//! - **in**: trees of a model and their states, contacts prepared at mid-step, a step h
//! - **out**: displacements and loads of all contacts in islands that have a tree; links at the end of the step; trees moved on
//! - **not here**: the equations of one tree ([`motion`](crate::coordinates::motion)); contacts (`rows`, `law`)
//! - **start at** [`Forest::at_mid_step`], then `solve`, [`Forest::commit`]
//!
//! A tree enters an island as one of its bodies, its first link that moves. Its own rows are those of its scheme by itself:
//!
//! ```text
//! r = M Δv + h b + c − h (f + τ) + h Σ Jᵀ f_c − Aᵀ λ = 0,     Δv = s − M⁻¹ (w + Σ Jᵀ w_c J) s,   v_s = v0 + s/2
//! ```
//!
//! with J the rows of contacts at mid-step and A those of limits, dry friction and equations (`rows`).

mod alone;
mod dense;
mod joint_rows;
mod skyline;
mod solve;

pub(super) use solve::{Island, solve};

use super::solver_body::SolverBody;
use super::{FixedWorkspace, Tally};
use crate::coordinates::motion::FixedWork;
use crate::coordinates::{Base, Equations, Impact, LockedColumns, Mass};
use crate::drive::Told;
use crate::model::Model;
use crate::model::body::Mobility;
use crate::model::trees::ModelTree;
use crate::run::Stop;
use crate::state::{BodyState, State};
use dense::IslandRoom;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_solve::cone::root;
use joint_rows::JointRow;
use nalgebra::{Isometry3, Matrix6, Vector3};

/// A link over one step, as rows of contacts see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMotion {
    /// Centre of mass at mid-step (m).
    pub p_mid: Vector3<f64>,
    /// Its velocity of the start with the columns of mid-step.
    pub V_start: SpatialVelocity,
    /// Root of J M⁻¹ Jᵀ at its centre of mass: how the link alone answers. Only where contacts act on it.
    pub root: Matrix6<f64>,
    /// Energy of the tree, to measure small ones by (J).
    pub scale: f64,
}

impl LinkMotion {
    /// A link to be placed.
    pub fn new() -> Self {
        Self { p_mid: Vector3::zeros(), V_start: SpatialVelocity::zero(), root: Matrix6::zeros(), scale: 0.0 }
    }
}

/// A tree over one step.
#[derive(Clone, Debug)]
pub(super) struct TreeStep {
    pub work: FixedWork,
    /// Rows of its joints and their impulses.
    pub rows: Vec<JointRow>,
    pub lambda: Vec<f64>,
    pub equations: Equations,
    pub closing: Equations,
    pub impact: Impact,
    /// Loads on its links over the step, along the coordinates (N·m or N).
    pub tau: Vec<f64>,
    /// Impulses of contacts, and of their blend, along the coordinates.
    pub pushed: Vec<f64>,
    path: Vec<[f64; 6]>,
    /// Limits that pushed, and the velocities they leave.
    aims: Vec<(usize, f64)>,
    columns: LockedColumns,
    /// What M̃ has more than M on its diagonal, now and in the factor at hand; and beside it, where tendons tie joints.
    diagonal: Vec<f64>,
    factored: Vec<f64>,
    ties: Vec<Tie>,
    tied: Vec<Tie>,
    /// M with the ties.
    driven: Mass,
    /// Energy to measure small ones by (J).
    scale: f64,
    /// It stands at mid-step of the motion at hand.
    placed: bool,
    /// By link, whether its root belongs to where it stands.
    rooted: Vec<bool>,
    /// Whether something is near the tree, or loads one of its links.
    watched: bool,
    /// What the blend lost, where the tree touches nothing (J).
    pub alone: f64,
    /// Whether a pass has solved it.
    pub solved: bool,
}

/// An entry beside the diagonal: its two columns, and what it is.
type Tie = (usize, usize, f64);

/// All trees, and the room that their islands are solved in.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    pub list: Vec<TreeStep>,
    pub dense: IslandRoom,
    /// Trees that an island has solved in this pass.
    pub done: Vec<bool>,
    /// By body: whether something is near it or loads it. No other link needs to be known before the step has ended.
    watched: Vec<bool>,
}

/// The body that stands for a link's tree in islands: the first of its links that moves; others stand for themselves.
pub(super) fn leader(model: &Model, body: usize) -> usize {
    match model.bodies()[body].mobility {
        Mobility::Link { tree, .. } => first_of(&model.trees()[tree]),
        _ => body,
    }
}

fn first_of(made: &ModelTree) -> usize {
    let first = (0..made.bodies.len()).find(|link| made.tree.ride(*link).node.is_some());
    made.bodies[first.unwrap_or(0)].0
}

impl TreeStep {
    fn new(model: &Model, made: &ModelTree) -> Self {
        let n = made.tree.nv();
        let mut work = FixedWork::new(&made.tree);
        work.joints.add_drives(&made.tree, &made.drives, model.drives());
        work.joints.add_springs(&made.tree, &made.springs);
        Self {
            work,
            rows: Vec::new(),
            lambda: Vec::new(),
            equations: Equations::default(),
            closing: Equations::default(),
            impact: Impact::default(),
            tau: vec![0.0; n],
            pushed: vec![0.0; n],
            path: Vec::new(),
            aims: Vec::new(),
            columns: LockedColumns::default(),
            diagonal: vec![0.0; n],
            factored: vec![0.0; n],
            ties: Vec::new(),
            tied: Vec::new(),
            driven: Mass::new(&made.tree),
            scale: 0.0,
            placed: false,
            rooted: vec![false; made.bodies.len()],
            watched: false,
            alone: 0.0,
            solved: false,
        }
    }

    /// Tells links their mean velocities over the step, by the columns of mid-step.
    fn ride(&mut self, made: &ModelTree, watched: &[bool], bodies: &mut [SolverBody]) {
        if !self.watched {
            return;
        }
        let (tree, work) = (&made.tree, &mut self.work);
        work.mid.set_velocities(tree, &work.v_s);
        for (link, id) in made.bodies.iter().enumerate().filter(|(_, id)| watched[id.0]) {
            if let (Some(node), Some(motion)) = (tree.ride(link).node, bodies[id.0].link()) {
                let arm = motion.p_mid - work.mid.p_WO;
                bodies[id.0].ride(&work.mid.velocity_of_node(node as usize).shift(arm));
            }
        }
    }

    /// Root of J M⁻¹ Jᵀ of a node at mid-step, at a point from the frame's origin.
    fn root(&mut self, made: &ModelTree, node: usize, arm: &Vector3<f64>) -> Matrix6<f64> {
        let tree = &made.tree;
        let columns = tree.path_of_node(node);
        self.path.clear();
        for k in columns {
            let V = self.work.mid.column(*k as usize).shift(*arm);
            self.path.push([V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z]);
        }
        let W = self.work.factor.answer(tree, columns[columns.len() - 1] as usize, &mut self.path);
        let found = root(&W);
        Matrix6::from_fn(|i, j| found[i][j])
    }
}

impl Forest {
    /// Scratch for a model.
    pub fn new(model: &Model) -> Self {
        let list: Vec<TreeStep> = model.trees().iter().map(|made| TreeStep::new(model, made)).collect();
        Self { done: vec![false; list.len()], list, ..Self::default() }
    }

    /// Trees at the start of a step: the motion that the last steps lead to, as links see it.
    pub fn begin(&mut self, model: &Model, state: &State, bodies: &mut [SolverBody], h: f64) {
        self.watched.clear();
        self.watched.resize(bodies.len(), false);
        for contact in &state.contacts {
            (self.watched[contact.pair.a.0], self.watched[contact.pair.b.0]) = (true, true);
        }
        model.loads().iter().for_each(|load| self.watched[load.body.0] = true);
        for (step, (made, now)) in self.list.iter_mut().zip(model.trees().iter().zip(&state.trees)) {
            step.work.begin(&made.tree, now);
            let (t0, t1) = (state.time, state.time + h);
            step.work.joints.refer(&made.drives, model.drives(), &state.drives, t0, t1);
            step.work.joints.refer_springs(
                &made.tree,
                &now.q,
                &Told::new(model.impedances(), &state.impedances),
                t0,
                t1,
            );
            step.work.predict(now);
            step.watched = made.bodies.iter().any(|id| self.watched[id.0]);
            step.solved = false;
            step.placed = false;
            step.lambda.clear();
            step.list_rows(made, now, h);
        }
        // A bad mass matrix shows again, and stops there.
        if self.at_mid_step(model, state, bodies, h, |_| true).is_ok() {
            self.list.iter_mut().for_each(|step| step.placed = true);
        }
    }

    /// M, its factor and all links at mid-step of the motion at hand, of trees whose first link `open` names.
    pub fn at_mid_step(
        &mut self,
        model: &Model,
        state: &State,
        bodies: &mut [SolverBody],
        h: f64,
        open: impl Fn(usize) -> bool,
    ) -> Result<(), Stop> {
        let Self { list, watched, .. } = self;
        for (step, (made, now)) in list.iter_mut().zip(model.trees().iter().zip(&state.trees)) {
            if !open(first_of(made)) {
                continue;
            }
            let tree = &made.tree;
            // Once at the start of the step; where nothing was solved since, that still holds.
            let placed = std::mem::take(&mut step.placed);
            if !placed {
                step.rooted.fill(false);
                step.work.at_mid_step(tree, now, h).map_err(|_| Stop::Diverged { body: made.bodies[0].0 })?;
                if now.energy_scale == 0.0 && !step.solved {
                    step.work.end_of_step(tree, now, h);
                    step.work.gained(tree);
                }
                step.scale = now.energy_scale.max(step.work.scale(tree));
                if !made.equations.is_empty() {
                    step.equations.evaluate(tree, made.held(state.time + 0.5 * h), &step.work.mid, &step.work.q);
                    step.equations.lead(&made.equations, (state.time, state.time + h), 0.5);
                }
                if step.watched {
                    step.work.mid.set_velocities(tree, &now.v);
                }
                for (link, id) in made.bodies.iter().enumerate() {
                    let (Some(node), Some(motion)) = (tree.ride(link).node, bodies[id.0].link_mut()) else { continue };
                    // The first link stands for the tree, near something or not.
                    motion.scale = step.scale;
                    if watched[id.0] {
                        let arm = step.work.mid.in_node(node as usize, &made.in_node[link].1);
                        motion.p_mid = arm + step.work.mid.p_WO;
                        motion.V_start = step.work.mid.velocity_of_node(node as usize).shift(arm);
                    }
                }
                step.ride(made, watched, bodies);
            }
            for (link, id) in made.bodies.iter().enumerate() {
                let asked = bodies[id.0].contacts > 0 && !step.rooted[link];
                if let (Some(node), true) = (tree.ride(link).node, asked) {
                    step.rooted[link] = true;
                    let arm = step.work.mid.in_node(node as usize, &made.in_node[link].1);
                    let root = step.root(made, node as usize, &arm);
                    if let Some(motion) = bodies[id.0].link_mut() {
                        motion.root = root;
                    }
                }
            }
        }
        Ok(())
    }

    /// Loads on links over the step, along the coordinates of their trees.
    pub fn load(&mut self, model: &Model, state: &State, bodies: &[SolverBody], h: f64) {
        for step in &mut self.list {
            step.tau.fill(0.0);
        }
        for load in model.loads() {
            let body = load.body.0;
            let Mobility::Link { tree, link } = model.bodies()[body].mobility else { continue };
            let (made, step) = (&model.trees()[tree], &mut self.list[tree]);
            let Some(node) = made.tree.ride(link).node else { continue };
            let share = load.profile.share(state.time + 0.5 * h);
            let p = match (load.p_BoQ, bodies[body].link()) {
                (Some(p_BoQ), _) => (step.work.mid.pose(&made.tree, link) * made.X_MB[link] * p_BoQ).coords,
                (None, Some(motion)) => motion.p_mid,
                (None, None) => continue,
            };
            let F = SpatialForce::new(load.t_W * share, load.f_W * share);
            let F = step.work.mid.about_origin(&F, &p.into());
            step.work.mid.add_wrench(&made.tree, node as usize, &F, &mut step.tau);
        }
    }

    /// Contacts of a tree are counted together: each of its links is as busy as all of them, stiff joints with it.
    pub fn count(&self, model: &Model, bodies: &mut [SolverBody]) {
        for (step, made) in self.list.iter().zip(model.trees()) {
            let total: u32 = made.bodies.iter().map(|id| bodies[id.0].contacts).sum();
            let busy = total + step.work.joints.rows.iter().filter(|row| row.is_elastic()).count() as u32;
            for id in made.bodies.iter().filter(|_| total > 0) {
                if bodies[id.0].contacts > 0 {
                    bodies[id.0].contacts = busy;
                }
            }
        }
    }

    /// Trees that touch nothing in this pass: each by itself.
    pub fn solve_alone(
        &mut self,
        model: &Model,
        state: &State,
        bodies: &mut [SolverBody],
        open: &[bool],
        (h, first): (f64, bool),
        tally: &mut Tally,
    ) {
        for (t, made) in model.trees().iter().enumerate() {
            let lead = first_of(made);
            if self.done[t] || !open[lead] {
                continue;
            }
            let step = &mut self.list[t];
            if step.solve_alone(made, &state.trees[t], h, tally) {
                step.alone = step.work.blend();
                (self.done[t], step.solved) = (true, true);
                continue;
            }
            let island = Island { model, state, members: &[lead as u32], faces: &[], h, first };
            let (lost, _) = solve(&island, self, bodies, &mut [], tally);
            self.list[t].alone = lost;
        }
    }

    /// Links at the end of the step, and their mean velocities over it.
    pub fn place_ends(&mut self, model: &Model, bodies: &mut [SolverBody], ends: &mut [Isometry3<f64>]) {
        for (step, made) in self.list.iter_mut().zip(model.trees()) {
            made.write(model.bodies(), &step.work.end, |i, body| ends[i] = body.X_WBcm);
            step.ride(made, &self.watched, bodies);
        }
    }

    /// Whether all links of a tree are solved again, or none.
    pub fn open_together(model: &Model, open: &mut [bool]) {
        for made in model.trees() {
            if made.bodies.iter().any(|id| open[id.0]) {
                made.bodies.iter().for_each(|id| open[id.0] = true);
            }
        }
    }
}

/// Writes the trees into the state after the contacts, with what their joints lost; links follow.
pub(super) fn commit(model: &Model, state: &mut State, work: &mut FixedWorkspace, h: f64, touches: bool) {
    for (t, made) in model.trees().iter().enumerate() {
        let step = &mut work.forest.list[t];
        let now = &mut state.trees[t];
        state.W_injected += step.finish(made, now, &mut state.drives, (state.time, h), touches);
        let loaded = step.tau.iter().zip(&step.work.v_s).map(|(tau, v)| h * tau * v);
        state.W_injected += loaded.sum::<f64>();
        if !made.equations.is_empty() {
            step.work.end.place(&made.tree, &now.q, &Base::default());
            step.work.end.set_velocities(&made.tree, &now.v);
        }
        let bodies = &mut state.bodies;
        if made.equations.is_empty() {
            // Where the step has ended already; velocities may have been touched since.
            for (link, id) in made.bodies.iter().enumerate() {
                if let Some(node) = made.tree.ride(link).node {
                    let arm = step.work.end.in_node(node as usize, &made.in_node[link].1);
                    let V_WBcm = step.work.end.velocity_of_node(node as usize).shift(arm);
                    bodies[id.0] = BodyState { X_WBcm: work.ends[id.0], V_WBcm };
                }
            }
            continue;
        }
        made.write(model.bodies(), &step.work.end, |i, body| bodies[i] = body);
    }
}
