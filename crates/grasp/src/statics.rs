//! # Statics: loads in equilibrium as a second-order cone program
//!
//! `balance` ──(rows)──▶ **here** ──([`Socp`])──▶ `fingerpad_solve` ──▶ loads, multipliers
//!
//! - **in**: equations of equilibrium, the set that each contact's load may lie in, limits, what is to be least
//! - **out**: loads (N, N·m) and the value; or a twist that proves that no loads exist
//! - **not here**: which sets to take for patches that live with the load (`live`)
//! - **start at** [`Statics`]

use crate::balance::Balance;
use crate::{Hand, Twist, Wrench};
use fingerpad_solve::socp::{Grade, InteriorPoint, Socp, SocpAnswer, SocpSolver, SocpStatus};

/// Solves the cone programs of grasps: our interior point, and Clarabel (feature `clarabel`) where it stalls.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    own: InteriorPoint,
}

impl Solver {
    /// Solves a program.
    pub(crate) fn solve(&mut self, program: &Socp) -> SocpAnswer {
        let found = self.own.solve(program);
        #[cfg(feature = "clarabel")]
        if found.status == SocpStatus::Stalled {
            let other = fingerpad_solve::socp::Clarabel::default().solve(program);
            if other.status != SocpStatus::Stalled || other.grade.worst() < found.grade.worst() {
                return other;
            }
        }
        found
    }
}

/// The convex set that the load of one contact may lie in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A cone with this e_n and loads from `least` to `most` (N).
    Cone {
        /// e_n (m).
        e_n: f64,
        /// Least normal force.
        least: f64,
        /// Largest normal force; infinite without a limit.
        most: f64,
    },
    /// The convex hull of the sections at two loads, each with its own e_n.
    Hull {
        /// Loads of both ends (N), the first above zero.
        loads: [f64; 2],
        /// e_n at both ends (m).
        e_n: [f64; 2],
    },
}

/// What is to be least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The largest normal force.
    Max,
    /// The sum of normal forces.
    Sum,
    /// √Σ(P² + f₁² + f₂² + (τ/length)²).
    Energy {
        /// Length that divides moments (m).
        length: f64,
    },
    /// −λ, where the loads carry `wrench` + λ `direction`.
    Push {
        /// The direction.
        direction: Wrench,
    },
}

/// One program of statics.
pub struct Statics<'a> {
    /// Equations.
    pub balance: &'a Balance,
    /// e_n with which the scales of `balance` were made.
    pub e_n: &'a [f64],
    /// Sets of the contacts.
    pub sections: &'a [Section],
    /// Torque limits.
    pub hand: Option<&'a Hand>,
    /// The wrench on the object.
    pub wrench: Wrench,
    /// What is to be least.
    pub goal: Goal,
}

/// Loads in equilibrium.
#[derive(Clone, Debug)]
pub struct Held {
    /// The value of the goal.
    pub value: f64,
    /// A bound from the multipliers: no loads have less, to the grade.
    pub bound: f64,
    /// (P, f₁, f₂, τ) of each contact.
    pub loads: Vec<[f64; 4]>,
    /// Grade of the program's answer.
    pub grade: Grade,
    /// Whether the solver stopped early.
    pub stalled: bool,
}

impl Held {
    /// Whether the answer is made of numbers: a program that stalled may end far outside of them.
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.loads.iter().flatten().all(|x| x.is_finite())
    }
}

/// What came of a program of statics.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Loads exist.
    Held(Held),
    /// No loads exist; where friction is to blame, a twist on which no contact does positive work although the wrench
    /// asks for some.
    Impossible(Option<Twist>),
    /// The goal has no end (a push without limits).
    Unbounded,
}

impl Statics<'_> {
    /// The unit of force of the program (N): all numbers in it are near one.
    fn unit(&self) -> f64 {
        let most = |s: &Section| match s {
            Section::Cone { least, most, .. } if most.is_finite() => most.max(*least),
            Section::Cone { least, .. } => *least,
            Section::Hull { loads, .. } => loads[1],
        };
        let loads = self.sections.iter().map(most).fold(0.0, f64::max);
        let size = match &self.goal {
            Goal::Push { direction } if loads == 0.0 => {
                self.balance.size(&self.wrench).max(self.balance.size(direction))
            }
            Goal::Push { .. } => loads,
            _ => self.balance.size(&self.wrench),
        };
        if size > 0.0 {
            size
        } else if loads > 0.0 {
            loads
        } else {
            1.0
        }
    }

    /// The multipliers as a twist, if no contact does positive work on it: then friction, not limits, is to blame.
    fn proof(&self, y: &[f64]) -> Option<Twist> {
        let work = |j: usize| self.balance.rows.iter().zip(y).map(|(row, y)| y * row[j]).sum::<f64>();
        let all: Vec<f64> = (0..4 * self.sections.len()).map(work).collect();
        let most = all.iter().fold(0.0, |m, q| f64::max(m, q.abs()));
        let holds = all.chunks_exact(4).all(|q| q[0] + (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]).sqrt() <= 1e-7 * most);
        (holds && most > 0.0).then(|| self.balance.twist(y))
    }

    /// Solves it.
    pub fn solve(&self, solver: &mut Solver) -> Outcome {
        let unit = self.unit();
        let sides = match self.balance.sides(&(-self.wrench / unit)) {
            Ok(sides) => sides,
            Err(twist) => return Outcome::Impossible(Some(twist)),
        };
        let push = match &self.goal {
            Goal::Push { direction } => {
                let size = self.balance.size(direction);
                if size == 0.0 {
                    return Outcome::Unbounded;
                }
                match self.balance.sides(&(-direction / size)) {
                    Ok(along) => Some((along, unit / size)),
                    Err(twist) => return Outcome::Impossible(Some(twist)),
                }
            }
            _ => None,
        };
        let mut program = Program::new(self, unit, sides, push.as_ref().map(|(along, _)| along.as_slice()));
        let found = solver.solve(&program.socp);
        let value_unit = push.as_ref().map_or(unit, |(_, per)| *per);
        match found.status {
            SocpStatus::Infeasible => Outcome::Impossible(self.proof(&found.y[..self.balance.rank])),
            SocpStatus::Unbounded => Outcome::Unbounded,
            SocpStatus::Solved | SocpStatus::Stalled => {
                let bound: f64 = program.socp.rhs_mut().iter().zip(&found.y).map(|(b, y)| b * y).sum();
                Outcome::Held(Held {
                    value: value_unit * found.value,
                    bound: value_unit * bound.min(found.value),
                    loads: program.loads(self, &found.x, unit),
                    grade: found.grade,
                    stalled: found.status == SocpStatus::Stalled,
                })
            }
        }
    }
}

/// The program and where the loads are in it.
struct Program {
    socp: Socp,
    /// First variables of the blocks of each contact, with their e_n.
    blocks: Vec<[Option<(usize, f64)>; 2]>,
}

impl Program {
    fn new(statics: &Statics, unit: f64, mut sides: Vec<f64>, push: Option<&[f64]>) -> Self {
        let k = statics.sections.len();
        let rank = statics.balance.rank;
        // Rows: equilibrium; then for each contact hull, bounds; then joints; then copies for the energy.
        let mut next = rank;
        let mut row = |side: f64, sides: &mut Vec<f64>| {
            sides.push(side);
            next += 1;
            next - 1
        };
        let (mut hull, mut shared, mut least, mut most) = (vec![None; k], vec![None; k], vec![None; k], vec![None; k]);
        for (i, section) in statics.sections.iter().enumerate() {
            match section {
                Section::Hull { .. } => hull[i] = Some(row(1.0, &mut sides)),
                Section::Cone { least: low, most: high, .. } => {
                    if *low > 0.0 {
                        least[i] = Some(row(low / unit, &mut sides));
                    }
                    if high.is_finite() {
                        most[i] = Some(row(high / unit, &mut sides));
                    }
                }
            }
            if statics.goal == Goal::Max {
                shared[i] = Some(row(0.0, &mut sides));
            }
        }
        let joints = statics.hand.map_or(0, |h| h.torque_limits.len());
        let mut joint_rows = Vec::new();
        if let Some(hand) = statics.hand {
            for j in 0..joints {
                // In units of the torque that a unit load asks for, so that rows are of like size.
                let size = hand.jacobian.iter().map(|r| r[j].abs()).fold(0.0, f64::max).max(1e-12);
                let (m, bias) = (hand.torque_limits[j] / unit / size, hand.bias[j] / unit / size);
                let upper = row(m - bias, &mut sides);
                joint_rows.push((upper, row(2.0 * m, &mut sides), size));
            }
        }
        let copies = match statics.goal {
            Goal::Energy { .. } => (0..4 * k).map(|_| row(0.0, &mut sides)).collect(),
            _ => Vec::new(),
        };
        let mut socp = Socp::new(&sides);
        let mut blocks = Vec::with_capacity(k);
        let mut touched: Vec<(usize, [f64; 4])> = Vec::with_capacity(rank + 3 + joints);
        for (i, section) in statics.sections.iter().enumerate() {
            let parts: &[(f64, f64)] = match section {
                Section::Cone { e_n, .. } => &[(*e_n, 0.0)],
                Section::Hull { loads, e_n } => &[(e_n[0], unit / loads[0]), (e_n[1], unit / loads[1])],
            };
            let mut firsts = [None; 2];
            for ((e_n, share), first) in parts.iter().zip(&mut firsts) {
                let scales = statics.balance.scales[i];
                // Columns were scaled with another e_n: the last one is stretched to this one.
                let stretch = if statics.e_n[i] > 0.0 { e_n / statics.e_n[i] } else { 0.0 };
                let scales = [scales[0], scales[1], scales[2], scales[3] * stretch];
                touched.clear();
                for (r, entries) in statics.balance.rows.iter().enumerate() {
                    let e = &entries[4 * i..4 * i + 4];
                    touched.push((r, [e[0], e[1], e[2], e[3] * stretch]));
                }
                if let Some(row) = hull[i] {
                    touched.push((row, [*share, 0.0, 0.0, 0.0]));
                }
                for row in [shared[i], least[i], most[i]].into_iter().flatten() {
                    touched.push((row, [1.0, 0.0, 0.0, 0.0]));
                }
                if let Some(hand) = statics.hand {
                    for (j, (row, _, size)) in joint_rows.iter().enumerate() {
                        let entry = |c: usize| hand.jacobian[4 * i + c][j] * scales[c] / size;
                        touched.push((*row, [entry(0), entry(1), entry(2), entry(3)]));
                    }
                }
                for (c, row) in copies.iter().skip(4 * i).take(4).enumerate() {
                    let mut entries = [0.0; 4];
                    let length = match statics.goal {
                        Goal::Energy { length } if c == 3 => 1.0 / length,
                        _ => 1.0,
                    };
                    entries[c] = scales[c] * length;
                    touched.push((*row, entries));
                }
                let cost = if statics.goal == Goal::Sum { 1.0 } else { 0.0 };
                *first = Some((socp.block(&[cost, 0.0, 0.0, 0.0], &touched), *e_n));
            }
            blocks.push(firsts);
            for (row, sign) in [(shared[i], 1.0), (least[i], -1.0), (most[i], 1.0)] {
                if let Some(row) = row {
                    socp.slack(row, sign);
                }
            }
        }
        for (upper, both, _) in &joint_rows {
            socp.block(&[0.0], &[(*upper, [1.0]), (*both, [1.0])]);
            socp.slack(*both, 1.0);
        }
        if !copies.is_empty() {
            let mut cost = vec![0.0; 4 * k + 1];
            cost[0] = 1.0;
            let identity: Vec<Vec<f64>> =
                (0..4 * k).map(|c| (0..4 * k + 1).map(|j| if j == c + 1 { -1.0 } else { 0.0 }).collect()).collect();
            socp.block_of(&cost, copies.iter().copied().zip(identity.iter().map(Vec::as_slice)));
        }
        if statics.goal == Goal::Max {
            let entries: Vec<(usize, f64)> = shared.iter().flatten().map(|row| (*row, -1.0)).collect();
            socp.free(1.0, &entries);
        }
        if let Some(along) = push {
            // Loads carry the wrench and λ times the direction: rows·x − λ·along = sides.
            let entries: Vec<(usize, f64)> = along.iter().enumerate().map(|(r, a)| (r, -a)).collect();
            socp.free(-1.0, &entries);
        }
        Self { socp, blocks }
    }

    fn loads(&self, statics: &Statics, x: &[f64], unit: f64) -> Vec<[f64; 4]> {
        let load = |(i, parts): (usize, &[Option<(usize, f64)>; 2])| {
            let mut load = [0.0; 4];
            for (first, e_n) in parts.iter().flatten() {
                let scales = statics.balance.scales[i];
                let stretch = if statics.e_n[i] > 0.0 { e_n / statics.e_n[i] } else { 0.0 };
                for c in 0..4 {
                    let scale = if c == 3 { scales[3] * stretch } else { scales[c] };
                    load[c] += unit * scale * x[first + c];
                }
            }
            load
        };
        self.blocks.iter().enumerate().map(load).collect()
    }
}
