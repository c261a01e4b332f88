//! # Closure: can the fingers press against each other and hold every small push
//!
//! `balance` ──▶ **here** ──(margin | twist that proves the opposite)──▶ the program, `gradient`
//!
//! - **in**: a grasp
//! - **out**: [`Closure`]: closed or not, rank, margin, internal loads; for open grasps a twist
//! - **not here**: how good a closed grasp is (`epsilon`)
//! - **assumes**: patches that live with the load are taken at their limit
//! - **start at** [`closure`]
//!
//! ```text
//! margin = max s   so that   Σ G f = 0,   Σ P = 1,   |(f₁/μ₁, f₂/μ₂, τ/(μ₁e_n))| ≤ P − s at every contact
//! ```
//!
//! A grasp is closed if the margin is above 1e-9 and the contacts reach all six directions. Otherwise there is a twist u
//! with q = Gᵀu at every contact so that q_n + |(μ₁q₁, μ₂q₂, μ₁e_n q_τ)| ≤ 0: no load of any contact does positive work on
//! it. A push along −u therefore meets no resistance.

use crate::balance::Balance;
use crate::statics::Solver;
use crate::{Grasp, Twist};
use fingerpad_solve::socp::{Grade, Socp, SocpStatus};

/// Least margin of a closed grasp.
pub const LEAST_MARGIN: f64 = 1e-9;

/// Whether a grasp is closed, and why.
#[derive(Clone, Debug)]
pub struct Closure {
    /// Every small wrench can be resisted.
    pub closed: bool,
    /// Directions of wrenches that contacts reach.
    pub rank: usize,
    /// Share of the sum of normal forces by which internal loads stay inside all cones; negative where they cannot;
    /// none where no balanced loads press at all.
    pub margin: Option<f64>,
    /// Internal loads (P, f₁, f₂, τ) with Σ P = 1 that have this margin.
    pub loads: Vec<[f64; 4]>,
    /// Where it is open: no contact does positive work on this twist.
    pub proof: Option<Twist>,
    /// Multipliers as a twist: on it the loads of every contact do at most −margin·(…) of work (used for gradients).
    pub(crate) multiplier: Twist,
    /// Grade of the program's answer.
    pub grade: Grade,
    /// The solver stopped early; without a margin, closure is then not decided.
    pub stalled: bool,
}

/// Whether a grasp is closed.
pub fn closure(grasp: &Grasp, solver: &mut Solver) -> Closure {
    let e_n = grasp.metric_e_n();
    let balance = Balance::new(grasp, &e_n);
    let k = grasp.contacts.len();
    let rank = balance.rank;
    let mut found = Closure {
        closed: false,
        rank,
        margin: None,
        loads: Vec::new(),
        proof: balance.null.first().map(|null| balance.twist_of_scaled(null)),
        multiplier: Twist::zeros(),
        grade: Grade::default(),
        stalled: false,
    };
    // Do balanced loads press at all? Not where (1, 0, 0, 0) at every contact lies in the span of the equations.
    let along: Vec<f64> = balance.rows.iter().map(|row| row.iter().step_by(4).sum()).collect();
    let mut left: f64 = 0.0;
    for j in 0..4 * k {
        let own = if j % 4 == 0 { 1.0 } else { 0.0 };
        let rest = own - balance.rows.iter().zip(&along).map(|(row, a)| a * row[j]).sum::<f64>();
        left += rest * rest;
    }
    if left.sqrt() <= 1e-9 * (k as f64).sqrt() {
        // That combination is a twist on which every unit load does the work 1, whatever its friction.
        let twist = balance.twist(&along);
        found.proof = found.proof.or(Some(-twist));
        return found;
    }
    let mut sides = vec![0.0; rank];
    sides.push(1.0);
    let mut program = Socp::new(&sides);
    let mut touched: Vec<(usize, [f64; 4])> = Vec::with_capacity(rank + 1);
    for i in 0..k {
        touched.clear();
        for (r, row) in balance.rows.iter().enumerate() {
            touched.push((r, [row[4 * i], row[4 * i + 1], row[4 * i + 2], row[4 * i + 3]]));
        }
        touched.push((rank, [1.0, 0.0, 0.0, 0.0]));
        program.block(&[0.0; 4], &touched);
    }
    // P = x₀ + s: the margin enters where the normal forces do.
    let mut column: Vec<(usize, f64)> = along.iter().copied().enumerate().collect();
    column.push((rank, k as f64));
    program.free(-1.0, &column);
    let answer = solver.solve(&program);
    let margin = answer.free.first().copied().unwrap_or(f64::NAN);
    found.grade = answer.grade;
    found.stalled = answer.status != SocpStatus::Solved;
    if !margin.is_finite() || !answer.y.iter().all(|y| y.is_finite()) {
        found.stalled = true;
        return found;
    }
    found.margin = Some(margin);
    found.multiplier = balance.twist(&answer.y[..rank]);
    let load = |i: usize| {
        let x = |c: usize| answer.x[4 * i + c] + if c == 0 { margin } else { 0.0 };
        [0, 1, 2, 3].map(|c| x(c) * balance.scales[i][c])
    };
    found.loads = (0..k).map(load).collect();
    found.closed = rank == 6 && margin > LEAST_MARGIN;
    if found.closed {
        found.proof = None;
    } else {
        found.proof = found.proof.or(Some(found.multiplier));
    }
    found
}
