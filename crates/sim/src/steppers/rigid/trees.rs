//! # Trees of joints under rigid contacts
//!
//! state ──(q, v)──▶ **here** ──(M̂, velocities without impulses, rows on blocks)──▶ `islands` ──(impulses)──▶ **here** ──▶ q, v, links
//!
//! - **in**: the trees of a model and their states, loads on links, a step h
//! - **out**: velocities of links before and after; rows of contacts, limits, dry friction and equations on unit-mass blocks;
//!   the state of the trees after the step, with what joints lost
//! - **not here**: solving (`islands`); contacts (`constraint`)
//! - **start at** [`TreeStep::begin`], [`TreeStep::fall`], [`TreeStep::add_rows`], [`TreeStep::move_on`]
//!
//! ```text
//! v_s = v0 + θ′ Δv,   θ′ = (1 + t)/2,  t = y²/(1 + y²),  y = max h (d + h k)(M⁻¹)_jj
//! M̂ = M(q_m) + θ′ h (D + h θ K),       v⁺ = v0 + M̂⁻¹ (h (τ(v_s = v0) − b) + Jᵀλ),       q1 = q0 ⊕ h v_s
//! ```
//!
//! Without springs and dampers θ′ = ½, and the step is the midpoint rule as for single bodies. The bias b is taken at
//! the middle of the step without impulses, or with the change of velocity of the last step where equations hold the tree. Rows of contacts are those of the start of the step, equations those of its
//! middle, where A v_s = 0 (or follows what moves as told): they do no work but its. What is left of them at the end is taken away by the least motion (`E_project`).
//!
//! **Length.** The three phases of a step of a tree (free motion, rows, motion) share its scratch, `TreeStep`; each alone would have to hand out
//! all of it.

use crate::coordinates::motion::{JointRow as Spring, JointRows, Losses};
use crate::coordinates::{
    Arm as TreeArm, Arms, Base, Equations, Factor, Frame, LockedColumns, Mass, Softened, TreeState,
};
use crate::drive::{DriveState, Gains, Term, Told};
use crate::model::Model;
use crate::model::body::Body;
use crate::model::trees::ModelTree;
use crate::run::Stop;
use crate::state::{BodyState, State};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_solve::cone::{Arm, ConeContact, Set, Span};
use nalgebra::{Matrix6, Vector3};

/// How well equations of joints hold at the end of a step (m, rad).
const CLOSED: f64 = 1e-13;
/// Steps that it may take.
const CLOSING: usize = 4;
/// How near a limit is (rad or m) that moving apart may reach, and how much more for each metre of overlap.
const NEAR_LIMIT: f64 = 1e-3;
const REACH: f64 = 1e4;
/// Choices of the sides of drives, and the share of a largest force within which one stays on its side.
const SIDES: usize = 12;
const EDGE: f64 = 1e-12;
/// Blocks of trees are numbered from here while those of bodies are not all known.
pub(super) const OF_TREES: u32 = 1 << 31;

/// What a row of a joint is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum JointRow {
    /// A limit of a column: +1 the lower, −1 the upper; its gap.
    Limit { column: usize, sign: f64, gap: f64 },
    /// Dry friction of a column.
    Friction { column: usize, loss: f64 },
    /// A row of the equations.
    Equation(usize),
    /// A drive that has a largest force or acts on several joints: which of the springs.
    Drive(usize),
}

/// A drive that is a row, as a function of the velocity along it.
#[derive(Clone, Copy, Debug)]
struct DriveLine {
    /// Its impulse where nothing moves at the end of the step, if it had no largest one.
    still: f64,
    /// Velocity per impulse.
    compliance: f64,
    /// The largest impulse.
    most: f64,
}

impl DriveLine {
    /// The impulse at a velocity of the joints.
    fn at(&self, terms: &[Term], v: &[f64]) -> f64 {
        self.still + self.change(terms, v)
    }

    /// What a change of velocity does to it.
    fn change(&self, terms: &[Term], v: &[f64]) -> f64 {
        -along(terms, v) / self.compliance
    }
}

/// Velocity along a drive.
fn along(terms: &[Term], v: &[f64]) -> f64 {
    terms.iter().map(|term| term.share * v[term.column as usize]).sum()
}

/// A tree over one step.
#[derive(Clone, Debug)]
pub(super) struct TreeStep {
    /// At the start, and at the middle of the step.
    pub frame: Frame,
    mid: Frame,
    mass: Mass,
    plain: Factor,
    factor: Factor,
    springs: JointRows,
    /// What each spring does beside its row or its part of M̂, by the motion expected (N·m or N).
    crossing: Vec<f64>,
    diagonal: Vec<f64>,
    /// θ′.
    pub share: f64,
    columns: LockedColumns,
    without: Factor,
    /// M with the drives that follow their spring and damper, and which side of its largest force each row of a drive is on.
    driven: Mass,
    sides: Vec<i8>,
    /// By spring: the side of its largest force that a drive of a tree near something is taken to be on, and whether that was
    /// found wrong in this step.
    taken: Vec<Option<i8>>,
    doubtful: Vec<bool>,
    /// Whether [`Self::solve_alone`] has found the sides.
    alone: bool,
    /// Where `frame` stands; whether something is near the tree.
    placed: Vec<f64>,
    touched: bool,
    /// Velocities at the end of the last step, and its energies there: kinetic and potential (J).
    ended: Vec<f64>,
    energies: Option<(f64, f64)>,
    arms: Arms,
    made: Vec<TreeArm>,
    equations: Equations,
    closing: Equations,
    /// Rows of the joints in this step, and their impulses.
    pub rows: Vec<JointRow>,
    pub impulses: Vec<f64>,
    /// Where blocks of the tree begin in the problem at hand.
    pub first_block: u32,
    pub v0: Vec<f64>,
    /// v⁺ without impulses, and with them.
    pub free: Vec<f64>,
    pub plus: Vec<f64>,
    bias: Vec<f64>,
    tau: Vec<f64>,
    loads: Vec<f64>,
    v_s: Vec<f64>,
    x: Vec<f64>,
    q: Vec<f64>,
    path: Vec<f64>,
    /// Columns of a link, as they move its centre of mass.
    link: Vec<[f64; 6]>,
}

impl TreeStep {
    /// Scratch for a tree.
    pub fn new(model: &Model, made: &ModelTree) -> Self {
        let tree = &made.tree;
        let mut springs = JointRows::new(tree);
        springs.add_drives(tree, &made.drives, model.drives());
        springs.add_springs(tree, &made.springs);
        let zeros = || vec![0.0; tree.nv()];
        let count = springs.rows.len();
        Self {
            frame: Frame::new(tree),
            mid: Frame::new(tree),
            mass: Mass::new(tree),
            plain: Factor::new(tree),
            factor: Factor::new(tree),
            crossing: vec![0.0; springs.rows.len()],
            springs,
            diagonal: zeros(),
            share: 0.5,
            columns: LockedColumns::default(),
            without: Factor::new(tree),
            driven: Mass::new(tree),
            sides: Vec::new(),
            taken: vec![None; count],
            doubtful: vec![false; count],
            alone: false,
            placed: vec![f64::NAN; tree.nq()],
            touched: true,
            ended: zeros(),
            energies: None,
            arms: Arms::new(tree),
            made: Vec::new(),
            equations: Equations::default(),
            closing: Equations::default(),
            rows: Vec::new(),
            impulses: Vec::new(),
            first_block: 0,
            v0: zeros(),
            free: zeros(),
            plus: zeros(),
            bias: zeros(),
            tau: zeros(),
            loads: zeros(),
            v_s: zeros(),
            x: zeros(),
            q: vec![0.0; tree.nq()],
            path: Vec::new(),
            link: Vec::new(),
        }
    }

    /// Places the tree at the start of a step, with its factor there; how each link answers to forces at its centre of mass.
    pub fn begin(
        &mut self,
        made: &ModelTree,
        now: &TreeState,
        near: &[bool],
        mut put: impl FnMut(usize, Matrix6<f64>),
    ) -> Result<(), Stop> {
        let tree = &made.tree;
        self.v0.copy_from_slice(&now.v);
        self.doubtful.fill(false);
        // The end of the last step, unless the state was changed in between.
        if self.placed != now.q {
            self.frame.place(tree, &now.q, &Base::default());
            self.placed.copy_from_slice(&now.q);
            self.energies = None;
        }
        self.touched = made.bodies.iter().any(|id| near[id.0]);
        if !self.touched {
            return Ok(());
        }
        self.mass.compute(tree, &self.frame);
        self.plain.compute(tree, &self.mass).map_err(|_| Stop::Diverged { body: made.bodies[0].0 })?;
        for (link, id) in made.bodies.iter().enumerate().filter(|(_, id)| near[id.0]) {
            let Some(node) = tree.ride(link).node else { continue };
            let arm = self.frame.in_node(node as usize, &made.in_node[link].1);
            put(id.0, self.inverse_mass(made, node as usize, &arm));
        }
        Ok(())
    }

    /// J M⁻¹ Jᵀ of a node at a point.
    fn inverse_mass(&mut self, made: &ModelTree, node: usize, arm: &Vector3<f64>) -> Matrix6<f64> {
        let tree = &made.tree;
        let columns = tree.path_of_node(node);
        self.link.clear();
        for k in columns {
            let V = self.frame.column(*k as usize).shift(*arm);
            self.link.push([V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z]);
        }
        let W = self.plain.answer(tree, columns[columns.len() - 1] as usize, &mut self.link);
        Matrix6::from_fn(|i, j| W[i][j])
    }

    /// References of the drives over a step.
    pub fn refer(&mut self, model: &Model, made: &ModelTree, state: &State, now: &TreeState, h: f64) {
        let (t0, t1) = (state.time, state.time + h);
        self.springs.refer(&made.drives, model.drives(), &state.drives, t0, t1);
        self.springs.refer_springs(&made.tree, &now.q, &Told::new(model.impedances(), &state.impedances), t0, t1);
    }

    /// Velocities without impulses after a step of length h, under loads (impulses at the centres of mass of links).
    pub fn fall(
        &mut self,
        made: &ModelTree,
        bodies: &[Body],
        now: &TreeState,
        (time, h): (f64, f64),
        load: impl Fn(usize) -> SpatialForce,
    ) -> Result<(), Stop> {
        let (tree, n) = (&made.tree, made.tree.nv());
        self.loads.fill(0.0);
        for (link, id) in made.bodies.iter().enumerate() {
            let F = load(id.0);
            if let (Some(node), true) = (tree.ride(link).node, F != SpatialForce::zero()) {
                let p = made.body_at(bodies, &self.frame, link).X_WBcm.translation;
                let F = self.frame.about_origin(&F, &p.vector.into());
                self.frame.add_wrench(tree, node as usize, &F, &mut self.loads);
            }
        }
        self.v_s.copy_from_slice(&now.v);
        // Where equations hold the tree or drives are rows, the motion without their impulses is no guide: the change of the
        // last step is. So it is where nothing is near: what it misses is of second order, as what a second pass misses. But what
        // turns far in a step has passes until they agree: of a top that spins by 0.1 rad in a step one left 3 % of its precession.
        let rows = !made.equations.is_empty() || self.springs.rows.iter().any(is_row);
        let led = now.known > 0 && (rows || !self.touched);
        if led {
            (0..n).for_each(|k| self.v_s[k] += 0.5 * now.last[0][k]);
        }
        self.take_sides(now, h);
        let quick = !rows && !self.touched && now.v.iter().any(|v| h * v.abs() > FAR);
        let most = match (quick, led) {
            (true, _) => 3,
            (false, true) => 1,
            (false, false) => 2,
        };
        for _ in 0..most {
            tree.add_motion(&now.q, &self.v_s, 0.5 * h, &mut self.q);
            self.mid.place(tree, &self.q, &Base::default());
            self.mid.set_velocities(tree, &self.v_s);
            self.mass.compute(tree, &self.mid);
            let stop = |_| Stop::Diverged { body: made.bodies[0].0 };
            self.plain.compute(tree, &self.mass).map_err(stop)?;
            self.weigh(made, now, h);
            self.drive(made, h);
            let mass = if self.taken.contains(&Some(0)) { &self.driven } else { &self.mass };
            self.factor.compute_with(tree, mass, &self.diagonal).map_err(stop)?;
            self.mid.bias(tree, &self.v_s, &mut self.bias);
            self.tau.copy_from_slice(&self.loads);
            (0..n).for_each(|k| self.tau[k] -= h * self.bias[k]);
            for (i, row) in self.springs.rows.iter().enumerate() {
                let terms = self.springs.terms(row);
                let crossing = -row.gains.crossing(row.x0, row.moved(terms, &self.v_s, h));
                let drive = || self.taken_impulse(i, &now.v, h);
                let own =
                    if is_row(row) { h * crossing + drive() } else { h * row.linear(row.moved(terms, &now.v, h), h) };
                self.crossing[i] = crossing;
                terms.iter().for_each(|term| self.tau[term.column as usize] += term.share * (h * row.push + own));
            }
            self.factor.solve(tree, &mut self.tau);
            let (mut change, mut size) = (0.0_f64, 0.0_f64);
            for k in 0..n {
                self.free[k] = now.v[k] + self.tau[k];
                let v_s = now.v[k] + self.share * self.tau[k];
                change = change.max((v_s - self.v_s[k]).abs());
                size = size.max(v_s.abs());
                self.v_s[k] = v_s;
            }
            if quick && change <= AGREED * size {
                break;
            }
        }
        self.plus.copy_from_slice(&self.free);
        if !made.equations.is_empty() {
            self.equations.evaluate(tree, made.held(time + 0.5 * h), &self.mid, &self.q);
            self.equations.lead(&made.equations, (time, time + h), self.share);
        }
        self.list_rows(made, now, h);
        Ok(())
    }

    /// Sides of the drives of a tree near something: those of the last step. A drive below its largest force is then a part of M̂, one at
    /// it a given force, and neither is a row of the problem; [`Self::sides_hold`] tells where that was wrong.
    fn take_sides(&mut self, now: &TreeState, h: f64) {
        self.taken.fill(None);
        self.alone = false;
        let count = self.springs.rows.iter().filter(|row| is_row(row)).count();
        // Drives are the last of the rows.
        let (true, Some(first)) = (self.touched, now.forces.len().checked_sub(count)) else { return };
        let drives = self.springs.rows.iter().enumerate().filter(|(_, row)| is_row(row));
        for ((i, row), force) in drives.zip(&now.forces[first..]) {
            let (impulse, most) = (force * h, h * row.gains.limit);
            let side = if impulse >= most { 1 } else { -i8::from(impulse <= -most) };
            self.taken[i] = Some(side).filter(|_| !self.doubtful[i]);
        }
    }

    /// M with the drives that are below their largest force. One that ties joints of which neither carries the other stays a row.
    fn drive(&mut self, made: &ModelTree, h: f64) {
        self.driven.copy_from(&self.mass);
        for i in 0..self.springs.rows.len() {
            if self.taken[i] != Some(0) {
                continue;
            }
            let row = &self.springs.rows[i];
            let line = self.line_of(row, h);
            if !soften(&mut self.driven, made, self.springs.terms(row), &line) {
                self.taken[i] = None;
            }
        }
    }

    /// The impulse at a velocity of the joints of a drive whose side is taken; none of others.
    fn taken_impulse(&self, i: usize, v: &[f64], h: f64) -> f64 {
        let Some(side) = self.taken[i] else { return 0.0 };
        let row = &self.springs.rows[i];
        let line = self.line_of(row, h);
        if side == 0 { line.at(self.springs.terms(row), v) } else { f64::from(side) * line.most }
    }

    /// Whether drives are on the sides that they were taken to be on; their impulses. Those that are not are rows of the problem when this
    /// step is solved again.
    pub fn sides_hold(&mut self, h: f64) -> bool {
        if self.alone {
            return true;
        }
        let mut hold = true;
        for k in 0..self.rows.len() {
            let JointRow::Drive(i) = self.rows[k] else { continue };
            let Some(side) = self.taken[i] else { continue };
            let row = &self.springs.rows[i];
            let line = self.line_of(row, h);
            let force = line.at(self.springs.terms(row), &self.plus);
            self.doubtful[i] |= side_of(force, side, line.most) != side;
            hold &= !self.doubtful[i];
            self.impulses[k] = if side == 0 { force.clamp(-line.most, line.most) } else { f64::from(side) * line.most };
        }
        hold
    }

    /// Whether a row of the joints is a constraint of the problem.
    pub fn acts(&self, row: &JointRow) -> bool {
        !matches!(row, JointRow::Drive(i) if self.taken[*i].is_some())
    }

    /// θ of each spring, θ′, and what M̂ has more than M. A drive at its largest force is not stiff.
    fn weigh(&mut self, made: &ModelTree, now: &TreeState, h: f64) {
        self.springs.place(&made.tree, &self.plain, &self.mid, &now.q);
        let mut stiffest = 0.0_f64;
        for i in 0..self.springs.rows.len() {
            let row = &self.springs.rows[i];
            let Gains { stiffness, damping, limit } = row.gains;
            let z = h * h * stiffness * row.own();
            let theta = 0.5 + 0.5 * z * z / (1.0 + z * z);
            let moved = row.moved(self.springs.terms(row), &now.v, h);
            if limit.is_infinite() || row.gains.over(theta, row.x0, moved, h).0.abs() < limit {
                stiffest = stiffest.max(h * (damping + h * stiffness) * row.own());
            }
            self.springs.rows[i].theta = theta;
        }
        let t = stiffest * stiffest / (1.0 + stiffest * stiffest);
        self.share = 0.5 * (1.0 + t);
        self.diagonal.fill(0.0);
        for row in self.springs.rows.iter().filter(|row| !is_row(row)) {
            for term in self.springs.terms(row) {
                let slope = row.gains.damping + h * row.theta * row.gains.stiffness;
                self.diagonal[term.column as usize] += self.share * h * slope * term.share * term.share;
            }
        }
    }

    /// Which rows of joints matter in this step.
    fn list_rows(&mut self, made: &ModelTree, now: &TreeState, h: f64) {
        let tree = &made.tree;
        self.rows.clear();
        for column in 0..tree.nv() {
            let (law, Some(q)) = (tree.law(column), tree.scalar_q(column)) else { continue };
            if let Some([low, high]) = law.limit {
                let way = 2.0 * h * (now.v[column].abs() + self.free[column].abs()) + 1e-6;
                for (sign, gap) in [(1.0, now.q[q] - low), (-1.0, high - now.q[q])] {
                    if gap <= way {
                        self.rows.push(JointRow::Limit { column, sign, gap });
                    }
                }
            }
            if law.friction_loss > 0.0 {
                self.rows.push(JointRow::Friction { column, loss: law.friction_loss });
            }
        }
        self.rows.extend((0..Equations::count(&made.equations)).map(JointRow::Equation));
        let drives = (0..self.springs.rows.len()).filter(|i| is_row(&self.springs.rows[*i]));
        self.rows.extend(drives.map(JointRow::Drive));
        self.impulses.clear();
        if now.forces.len() == self.rows.len() {
            self.impulses.extend(now.forces.iter().map(|f| f * h));
        } else {
            self.impulses.resize(self.rows.len(), 0.0);
        }
    }

    /// Adds the rows of a contact on a link: wrenches at its centre of mass, given row by row.
    pub fn add_contact(
        &mut self,
        made: &ModelTree,
        link: usize,
        rows: &[[f64; 6]; 4],
        p_WBcm: &Vector3<f64>,
        first: usize,
        arms: &mut Vec<Arm>,
    ) {
        let Some(node) = made.tree.ride(link).node else { return };
        let wrench = |row: &[f64; 6]| {
            let F = SpatialForce::new(Vector3::new(row[0], row[1], row[2]), Vector3::new(row[3], row[4], row[5]));
            self.frame.about_origin(&F, &(*p_WBcm).into())
        };
        let wrenches = [wrench(&rows[0]), wrench(&rows[1]), wrench(&rows[2]), wrench(&rows[3])];
        self.made.clear();
        self.arms.add(&made.tree, &self.frame, &self.factor, node as usize, &wrenches, 1.0, 0, &mut self.made);
        for arm in &self.made {
            add_arm(arms, first, OF_TREES | (self.first_block + arm.block), &arm.rows);
        }
    }

    /// Adds the rows of the joints to a problem: on v⁺, or with `places` on positions.
    pub fn add_rows(
        &mut self,
        made: &ModelTree,
        (h, places): (f64, bool),
        arms: &mut Vec<Arm>,
        spans: &mut Vec<Span>,
        contacts: &mut Vec<ConeContact>,
    ) {
        let (tree, n) = (&made.tree, made.tree.nv());
        for i in 0..self.rows.len() {
            if !self.acts(&self.rows[i]) {
                continue;
            }
            let first = arms.len();
            let mut compliance = 0.0;
            self.x.fill(0.0);
            let (set, b) = match self.rows[i] {
                JointRow::Limit { column, sign, gap } => {
                    self.x[column] = sign;
                    let (before, free) = (sign * self.v0[column], sign * self.free[column]);
                    let e = tree.law(column).restitution;
                    let aim = aim_of(e, before, (free, gap, h));
                    (Set::AtLeast, if places { gap } else { free + aim })
                }
                JointRow::Friction { .. } if places => continue,
                JointRow::Friction { column, loss } => {
                    self.x[column] = 1.0;
                    (Set::Within(h * loss), self.free[column])
                }
                JointRow::Equation(row) => {
                    let rows = if places { &self.closing } else { &self.equations };
                    self.x.copy_from_slice(&rows.a[row * n..(row + 1) * n]);
                    let along = |v: &[f64]| self.x.iter().zip(v).map(|(a, v)| a * v).sum::<f64>();
                    // A v_s + ∂g/∂t = 0.
                    let share = (1.0 - self.share) / self.share;
                    let held = || along(&self.free) + share * along(&self.v0) + rows.rate[row] / self.share;
                    (Set::Free, if places { rows.g[row] } else { held() })
                }
                JointRow::Drive(_) if places => continue,
                JointRow::Drive(i) => {
                    let row = &self.springs.rows[i];
                    let (terms, line) = (self.springs.terms(row), self.line_of(row, h));
                    terms.iter().for_each(|term| self.x[term.column as usize] += term.share);
                    compliance = line.compliance;
                    let set = if line.most.is_finite() { Set::Within(line.most) } else { Set::Free };
                    (set, along(terms, &self.free) - line.still * compliance)
                }
            };
            let factor = if places { &self.plain } else { &self.factor };
            match self.rows[i] {
                // What acts on one column reaches those that carry it, and no other.
                JointRow::Limit { column, .. } | JointRow::Friction { column, .. } => {
                    let columns = tree.path(column);
                    self.path.clear();
                    self.path.resize(columns.len(), 0.0);
                    self.path[columns.len() - 1] = self.x[column];
                    factor.sweep(tree, column, &mut self.path);
                    columns.iter().zip(&self.path).for_each(|(k, x)| self.x[*k as usize] = *x);
                }
                JointRow::Equation(_) | JointRow::Drive(_) => factor.to_unit(tree, &mut self.x),
            }
            let mut own = 0.0;
            for (k, x) in self.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                let (block, place) = tree.block_of(k);
                let mut rows = [[0.0; 6]; 4];
                rows[0][place] = *x;
                own += x * x;
                add_arm(arms, first, OF_TREES | (self.first_block + block as u32), &rows);
            }
            let mut row = ConeContact::row(set, b);
            row.compliance[0] = if set == Set::Free { compliance.max(1e-12 * own) } else { compliance };
            spans.push(Span { first: first as u32, count: (arms.len() - first) as u32 });
            contacts.push(row);
        }
    }

    /// v⁺ (or a motion, with `places`) from what impulses make of the tree's blocks.
    pub fn respond(&mut self, made: &ModelTree, places: bool, block: impl Fn(u32) -> [f64; 6]) {
        let tree = &made.tree;
        for k in 0..tree.nv() {
            let (of, place) = tree.block_of(k);
            self.x[k] = block(self.first_block + of as u32)[place];
        }
        let factor = if places { &self.plain } else { &self.factor };
        factor.from_unit(tree, &mut self.x);
        if !places {
            (0..tree.nv()).for_each(|k| self.plus[k] = self.free[k] + self.x[k]);
        }
    }

    /// Velocities at their centres of mass of all links that are asked for, at the configuration of the start.
    pub fn velocities(
        &mut self,
        made: &ModelTree,
        of: Of,
        asked: &[bool],
        mut put: impl FnMut(usize, SpatialVelocity),
    ) {
        if !made.bodies.iter().any(|id| asked[id.0]) {
            return;
        }
        let v = match of {
            Of::Start => &self.v0,
            Of::Free => &self.free,
            Of::End => &self.plus,
        };
        self.frame.set_velocities(&made.tree, v);
        for (link, id) in made.bodies.iter().enumerate().filter(|(_, id)| asked[id.0]) {
            if let Some(node) = made.tree.ride(link).node {
                let arm = self.frame.in_node(node as usize, &made.in_node[link].1);
                put(id.0, self.frame.velocity_of_node(node as usize).shift(arm));
            }
        }
    }

    /// The line of a drive that is a row: λ = still − (c·v⁺)/compliance, and the largest λ.
    fn line_of(&self, row: &Spring, h: f64) -> DriveLine {
        let before: f64 = self.springs.terms(row).iter().map(|term| term.share * self.v0[term.column as usize]).sum();
        // λ = h f and f linear in v⁺.
        let slope = row.gains.damping + h * row.theta * row.gains.stiffness;
        let still = h * row.linear(h * (1.0 - self.share) * before - row.travelled(), h);
        DriveLine { still, compliance: 1.0 / (self.share * h * slope), most: h * row.gains.limit }
    }

    /// Impulses of limits, dry friction and drives of a tree that touches nothing; false where it has equations, a drive ties
    /// joints of which neither carries the other, or sides go round.
    ///
    /// A drive below its largest force is a part of M̂, one at it a given force, and limits and dry friction are those of
    /// [`LockedColumns`]. Sides of the drives begin as in the last step and change until each is where its force sends it.
    pub fn solve_alone(&mut self, made: &ModelTree, h: f64) -> bool {
        if self.rows.iter().any(|row| matches!(row, JointRow::Equation(_))) {
            return false;
        }
        self.sides.clear();
        for (row, impulse) in self.rows.iter().zip(&self.impulses) {
            let JointRow::Drive(i) = row else { continue };
            let most = h * self.springs.rows[*i].gains.limit;
            self.sides.push(if *impulse >= most { 1 } else { -i8::from(*impulse <= -most) });
        }
        for _ in 0..SIDES {
            if !self.move_with_sides(made, h) {
                return false;
            }
            if !self.change_sides(h) {
                self.alone = true;
                (0..made.tree.nv()).for_each(|k| self.plus[k] = self.free[k] + self.columns.d[k]);
                return true;
            }
        }
        false
    }

    /// The motion that follows from the sides of the drives; whether it was found.
    fn move_with_sides(&mut self, made: &ModelTree, h: f64) -> bool {
        let tree = &made.tree;
        self.driven.copy_from(&self.mass);
        self.columns.begin(tree.nv());
        // What is left over at v⁺ without impulses: the forces of the drives.
        self.x.fill(0.0);
        let mut drive = 0;
        for (row, impulse) in self.rows.iter().zip(&self.impulses) {
            match row {
                JointRow::Limit { column, sign, gap } => {
                    let aim = aim_of(
                        tree.law(*column).restitution,
                        sign * self.v0[*column],
                        (sign * self.free[*column], *gap, h),
                    );
                    self.columns.add_limit(*column, *sign, -sign * aim, *impulse);
                }
                JointRow::Friction { column, loss } => self.columns.add_friction(*column, 0.0, h * loss, *impulse),
                JointRow::Equation(_) => return false,
                JointRow::Drive(i) => {
                    let row = &self.springs.rows[*i];
                    let (terms, line) = (self.springs.terms(row), self.line_of(row, h));
                    let side = self.sides[drive];
                    drive += 1;
                    let force = match side {
                        0 => line.at(terms, &self.free),
                        side => f64::from(side) * line.most,
                    };
                    // Beyond what the motion without impulses has of it.
                    let force = force - self.taken_impulse(*i, &self.free, h);
                    terms.iter().for_each(|a| self.x[a.column as usize] -= a.share * force);
                    if side == 0 && !soften(&mut self.driven, made, terms, &line) {
                        return false;
                    }
                }
            }
        }
        let mut matrix = Softened { tree, mass: &self.driven, diagonal: &self.diagonal, factor: &mut self.without };
        self.columns.solve(&mut matrix, &self.free, &self.x)
    }

    /// Impulses of the motion at hand; whether a drive has changed its side.
    fn change_sides(&mut self, h: f64) -> bool {
        let (mut drive, mut changed) = (0, false);
        for k in 0..self.rows.len() {
            self.impulses[k] = match self.rows[k] {
                JointRow::Limit { column, sign, .. } => self.columns.limit(column, sign),
                JointRow::Friction { column, .. } => self.columns.friction(column),
                JointRow::Equation(_) => 0.0,
                JointRow::Drive(i) => {
                    let row = &self.springs.rows[i];
                    let (terms, line) = (self.springs.terms(row), self.line_of(row, h));
                    let force = line.at(terms, &self.free) + line.change(terms, &self.columns.d);
                    let side = self.sides[drive];
                    let now = side_of(force, side, line.most);
                    changed |= now != side;
                    self.sides[drive] = now;
                    drive += 1;
                    if now == 0 { force.clamp(-line.most, line.most) } else { f64::from(now) * line.most }
                }
            };
        }
        changed
    }

    /// Moves the tree to the end of the step, and books what its joints did; what bodies that move as told have supplied (J).
    pub fn move_on(
        &mut self,
        made: &ModelTree,
        bodies: &[Body],
        now: &mut TreeState,
        drives: &mut [DriveState],
        (time, h): (f64, f64),
        mut put: impl FnMut(usize, BodyState),
    ) -> f64 {
        let mut given = 0.0;
        let (tree, n) = (&made.tree, made.tree.nv());
        let (T0, U0) = match self.energies.filter(|_| self.ended == now.v && self.placed == now.q) {
            Some(known) => known,
            None => {
                self.frame.set_velocities(tree, &now.v);
                (self.frame.kinetic(tree, &now.v), self.frame.potential(tree))
            }
        };
        for k in 0..n {
            self.v_s[k] = now.v[k] + self.share * (self.plus[k] - now.v[k]);
            self.x[k] = self.plus[k] - now.v[k];
        }
        // What the rows of inertia and gravity explain: v_s·(M Δv + h b).
        self.mass.multiply(tree, &self.x, &mut self.tau);
        let explained: f64 = (0..n).map(|k| self.v_s[k] * (self.tau[k] + h * self.bias[k])).sum();
        let sums = &mut now.sums;
        let blended = (self.share - 0.5) * self.tau.iter().zip(&self.x).map(|(p, dv)| p * dv).sum::<f64>();
        sums.E_num += blended;
        let mut losses = Losses::default();
        let mut impulses = self.rows.iter().zip(&self.impulses).filter(|(row, _)| matches!(row, JointRow::Drive(_)));
        for (row, crossing) in self.springs.rows.iter().zip(&self.crossing) {
            let moved = row.moved(self.springs.terms(row), &self.v_s, h);
            let f = match is_row(row) {
                true => crossing + impulses.next().map_or(0.0, |(_, impulse)| impulse / h),
                false => row.linear(moved, h),
            };
            let step = row.step(f, moved, h);
            losses.add(row.is_drive(), &step);
            if let Some(drive) = row.drive {
                drives[made.drives[drive as usize].drive].last = step;
            }
        }
        sums.E_joint += losses.viscous;
        sums.E_num += losses.numerical;
        sums.E_drive += losses.driven;
        sums.W_drive += losses.supplied;
        for (row, impulse) in self.rows.iter().zip(&self.impulses) {
            match row {
                JointRow::Limit { column, sign, .. } => sums.E_limit -= impulse * sign * self.v_s[*column],
                JointRow::Friction { column, .. } => {
                    let lost = -impulse * self.v_s[*column];
                    sums.E_joint += lost.max(0.0);
                    sums.E_num += lost.min(0.0);
                }
                JointRow::Equation(row) => {
                    let a = &self.equations.a[row * n..(row + 1) * n];
                    let by_guides = -impulse * self.equations.rate[*row];
                    sums.E_num -= impulse * a.iter().zip(&self.v_s).map(|(a, v)| a * v).sum::<f64>() - by_guides;
                    given += by_guides;
                }
                JointRow::Drive(_) => {}
            }
        }
        now.forces.clear();
        now.forces.extend(self.impulses.iter().map(|f| f / h));
        tree.add_motion(&now.q, &self.v_s, h, &mut self.q);
        now.q.copy_from_slice(&self.q);
        for k in 0..n {
            now.last[0][k] = self.plus[k] - now.v[k];
        }
        now.v.copy_from_slice(&self.plus);
        // A limit that was met is no guide to the next step.
        let met = |row: &JointRow, impulse: f64| match row {
            JointRow::Limit { column, .. } => impulse > 0.0 && now.last[0][*column].abs() > SLOW,
            _ => false,
        };
        let met = self.rows.iter().zip(&self.impulses).any(|(row, impulse)| met(row, *impulse));
        let rows = !made.equations.is_empty() || self.springs.rows.iter().any(is_row);
        (now.known, now.owed) = (u8::from(rows || !(met || self.touched)), 0.0);
        self.frame.place(tree, &now.q, &Base::default());
        self.placed.copy_from_slice(&now.q);
        self.frame.set_velocities(tree, &now.v);
        let (T1, U1) = (self.frame.kinetic(tree, &now.v), self.frame.potential(tree));
        self.ended.copy_from_slice(&now.v);
        self.energies = Some((T1, U1));
        now.sums.E_inertia += explained - blended - (T1 - T0 + U1 - U0);
        now.sums.E_geo += self.springs.misfit(tree, &self.frame, &self.v_s, h);
        self.close(made, now, time + h, T1 + U1 + self.springs.stored_in_springs(tree, &self.frame));
        made.write(bodies, &self.frame, &mut put);
        given
    }

    /// Brings limits and equations of a tree together that the step left open; what that takes of an energy.
    fn close(&mut self, made: &ModelTree, now: &mut TreeState, t: f64, before: f64) {
        let tree = &made.tree;
        let mut moved = false;
        for column in 0..tree.nv() {
            if let (Some([low, high]), Some(q)) = (tree.law(column).limit, tree.scalar_q(column)) {
                let kept = now.q[q].clamp(low, high);
                moved |= kept != now.q[q];
                now.q[q] = kept;
            }
        }
        if !made.equations.is_empty() {
            let rooms = (&mut self.frame, &mut self.mass, &mut self.plain);
            self.closing.close(tree, made.held(t), &mut now.q, rooms, CLOSED, CLOSING);
            self.mass.compute(tree, &self.frame);
            if self.plain.compute(tree, &self.mass).is_ok() {
                self.closing.settle(tree, made.held(t), &now.q, &mut now.v, &self.frame, &self.plain);
            }
            moved = true;
        }
        if moved {
            self.energies = None;
            self.frame.place(tree, &now.q, &Base::default());
            self.placed.copy_from_slice(&now.q);
            self.frame.set_velocities(tree, &now.v);
            let springs = self.springs.stored(&now.q) + self.springs.stored_in_springs(tree, &self.frame);
            let after = self.frame.kinetic(tree, &now.v) + self.frame.potential(tree) + springs;
            now.sums.E_project += before + self.springs.stored(&self.q) - after;
        }
    }

    /// Rows of the joints for moving apart what overlaps by so much at most (m), at a state: limits that such a way may reach.
    /// Should a joint go farther, [`Self::close`] holds it.
    pub fn begin_places(&mut self, made: &ModelTree, now: &TreeState, t: f64, deepest: f64) {
        let tree = &made.tree;
        self.placed.fill(f64::NAN);
        self.energies = None;
        self.frame.place(tree, &now.q, &Base::default());
        self.frame.set_velocities(tree, &now.v);
        self.mass.compute(tree, &self.frame);
        // The factor was good at the start of the step.
        let _ = self.plain.compute(tree, &self.mass);
        self.factor.clone_from(&self.plain);
        if !made.equations.is_empty() {
            self.closing.evaluate(tree, made.held(t), &self.frame, &now.q);
        }
        self.rows.clear();
        for column in 0..tree.nv() {
            if let (Some([low, high]), Some(q)) = (tree.law(column).limit, tree.scalar_q(column)) {
                for (sign, gap) in [(1.0, now.q[q] - low), (-1.0, high - now.q[q])] {
                    if gap <= NEAR_LIMIT + REACH * deepest {
                        self.rows.push(JointRow::Limit { column, sign, gap });
                    }
                }
            }
        }
        self.rows.extend((0..Equations::count(&made.equations)).map(JointRow::Equation));
    }

    /// Moves the tree by the motion at hand, which parts what overlaps.
    pub fn shift(
        &mut self,
        made: &ModelTree,
        bodies: &[Body],
        now: &mut TreeState,
        t: f64,
        mut put: impl FnMut(usize, BodyState),
    ) -> f64 {
        let tree = &made.tree;
        self.placed.fill(f64::NAN);
        self.energies = None;
        let stored = self.springs.stored(&now.q);
        let energy = |frame: &Frame, springs: &JointRows, v: &[f64]| {
            frame.kinetic(tree, v) + frame.potential(tree) + springs.stored_in_springs(tree, frame)
        };
        let before = energy(&self.frame, &self.springs, &now.v);
        tree.add_motion(&now.q, &self.x, 1.0, &mut self.q);
        now.q.copy_from_slice(&self.q);
        self.frame.place(tree, &now.q, &Base::default());
        self.frame.set_velocities(tree, &now.v);
        let after = energy(&self.frame, &self.springs, &now.v);
        let taken = before + stored - after - self.springs.stored(&now.q);
        self.close(made, now, t, after);
        made.write(bodies, &self.frame, &mut put);
        taken
    }
}

/// The side of a drive that would have a force; one just at its largest force stays on the side that it is on.
fn side_of(force: f64, side: i8, most: f64) -> i8 {
    let edge = most * if side == 0 { 1.0 + EDGE } else { 1.0 - EDGE };
    if force > edge { 1 } else { -i8::from(force < -edge) }
}

/// Adds what a drive has of M̂; false where it ties joints of which neither carries the other, with nothing added.
fn soften(mass: &mut Mass, made: &ModelTree, terms: &[Term], line: &DriveLine) -> bool {
    let tree = &made.tree;
    let pairs = || terms.iter().enumerate().flat_map(|(n, a)| terms[..=n].iter().enumerate().map(move |b| ((n, a), b)));
    let carries = |(a, b): (&Term, &Term)| {
        let (low, high) = (a.column.min(b.column), a.column.max(b.column));
        tree.path(high as usize).contains(&(low as u16))
    };
    if !pairs().all(|((_, a), (_, b))| carries((a, b))) {
        return false;
    }
    pairs().all(|((n, a), (m, b))| {
        let twice = if m < n && a.column == b.column { 2.0 } else { 1.0 };
        mass.add(tree, a.column as usize, b.column as usize, twice * a.share * b.share / line.compliance)
    })
}

/// Whether a drive is a row of the problem: it has a largest force, or acts on several joints. Others stand in M̂.
fn is_row(row: &Spring) -> bool {
    row.is_elastic() && (row.gains.limit.is_finite() || row.is_tendon())
}

/// A joint that moves farther than this in a step (rad or m) is quick.
const FAR: f64 = 0.02;

/// Passes that agree to this share of the largest velocity of a joint are the last, as in fixed steps.
const AGREED: f64 = 1e-5;

/// Approaches of a limit slower than this (rad/s or m/s) do not bounce.
const SLOW: f64 = 1e-6;

/// What the velocity v⁺ towards a limit must not be below the negative of: what the gap leaves, or a rebound.
fn aim_of(restitution: f64, before: f64, (free, gap, h): (f64, f64, f64)) -> f64 {
    let lands = restitution > 0.0 && before < -SLOW && gap + h * free < 0.0;
    if lands { restitution * before } else { gap.max(0.0) / h }
}

/// Which velocities are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// Those before the step.
    Start,
    /// Those after it without impulses.
    Free,
    /// Those after it.
    End,
}

/// Adds rows to the arm of a block, new where there is none among those from `first` on.
fn add_arm(arms: &mut Vec<Arm>, first: usize, block: u32, rows: &[[f64; 6]; 4]) {
    match arms[first..].iter_mut().find(|arm| arm.block == block) {
        Some(arm) => {
            for (sum, row) in arm.rows.iter_mut().zip(rows) {
                sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
        }
        None => arms.push(Arm { block, rows: *rows }),
    }
}

/// Trees of a model, for one step.
#[derive(Clone, Debug, Default)]
pub(super) struct Trees {
    pub list: Vec<TreeStep>,
}

impl Trees {
    /// Scratch for a model.
    pub fn ready(&mut self, model: &Model) {
        if self.list.len() != model.trees().len() {
            self.list = model.trees().iter().map(|made| TreeStep::new(model, made)).collect();
        }
    }
}
