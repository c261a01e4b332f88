//! # As an LCP: the same question, the way a simulator asks it
//!
//! `cspace` ──(terms)──▶ **here** ──(LCP)──▶ `fingerpad_solve` ──▶ the one acceleration that Lemke picks
//!
//! - **in**: a [`Case`]
//! - **out**: [`Picked`]: the acceleration and forces of the solution that Lemke finds first, if it finds one
//! - **not here**: all accelerations ([`solve`](crate::solve()))
//! - **assumes**: no vertex on a vertex: there the gap opens where either of two says so, which is no LCP
//! - **start at** [`pick`]
//!
//! For each contact that touches, with M A = F + Σ forces:
//!
//! ```text
//! slipping (σ = ±1 along ts):   0 ≤ f ⊥ N·A + h ≥ 0,              force f (N − σμT)
//! not slipping:                 0 ≤ f ⊥ N·A + h ≥ 0,              force f N + (p − m) T
//!                               0 ≤ p ⊥ T·A + b + λ ≥ 0,   0 ≤ m ⊥ −T·A − b + λ ≥ 0,   0 ≤ λ ⊥ μf − p − m ≥ 0
//! ```
//!
//! A simulator that solves this gets one answer, whether there are more or not: which one, its pivots decide.

use crate::contact::{Case, Error, Kind};
use crate::cspace::{Motion, Terms, terms};
use fingerpad_solve::{Lcp, Status, solve};

/// What Lemke picks.
#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    /// Rows of the LCP.
    pub rows: usize,
    /// Whether a solution was found, or proven not to exist.
    pub status: Status,
    /// The acceleration (m/s², m/s², rad/s²).
    pub acceleration: Option<[f64; 3]>,
    /// Normal force and friction along +ts of each contact of the case (N).
    pub forces: Vec<[f64; 2]>,
    /// What is left of the conditions.
    pub residual: f64,
}

/// Columns of a contact in the LCP.
struct Columns {
    contact: usize,
    /// First row.
    at: usize,
    /// −σ of a slipping contact; none where slip may begin.
    drag: Option<f64>,
}

/// The solution that Lemke finds; `None` for cases that are no LCP: an impact, a vertex on a vertex.
pub fn pick(case: &Case) -> Result<Option<Picked>, Error> {
    let terms = terms(case)?;
    let sharp = case.contacts.iter().any(|c| matches!(c.kind, Kind::VertexOnVertex { .. }));
    if sharp || terms.iter().any(|t| t.motion == Motion::Approaching) {
        return Ok(None);
    }
    let mut columns = Vec::new();
    let mut n = 0;
    for (contact, t) in terms.iter().enumerate() {
        let drag = match t.motion {
            Motion::SlidingForward => Some(-1.0),
            Motion::SlidingBackward => Some(1.0),
            Motion::Resting => None,
            Motion::Separating | Motion::Approaching => continue,
        };
        columns.push(Columns { contact, at: n, drag });
        n += if drag.is_some() { 1 } else { 4 };
    }
    let mass = case.mass.to_f64();
    let inverse = [1.0 / mass, 1.0 / mass, 1.0 / (mass * case.gyration_sq.to_f64())];
    let free: [f64; 3] = std::array::from_fn(|i| case.force[i].to_f64() * inverse[i]);
    // Wrench of each variable, and the acceleration that its row looks at.
    let (mut wrench, mut looks, mut q) = (vec![[0.0; 3]; n], vec![[0.0; 3]; n], vec![0.0; n]);
    let mut M = vec![vec![0.0; n]; n];
    for Columns { contact, at, drag } in &columns {
        let t: &Terms = &terms[*contact];
        let [N, T] = [&t.normal, &t.friction].map(|v| [0, 1, 2].map(|i| v[i].to_f64()));
        let mu = t.mu.to_f64();
        looks[*at] = N;
        q[*at] = t.gap_bias.to_f64();
        match drag {
            Some(drag) => wrench[*at] = std::array::from_fn(|i| N[i] + drag * mu * T[i]),
            None => {
                wrench[*at] = N;
                for (row, sign) in [(at + 1, 1.0), (at + 2, -1.0)] {
                    wrench[row] = T.map(|x| sign * x);
                    looks[row] = wrench[row];
                    q[row] = sign * t.slip_bias.to_f64();
                    M[row][at + 3] = 1.0;
                    M[at + 3][row] = -1.0;
                }
                M[at + 3][*at] = mu;
            }
        }
    }
    for (i, look) in looks.iter().enumerate() {
        let along = |v: &[f64; 3]| (0..3).map(|k| look[k] * inverse[k] * v[k]).sum::<f64>();
        q[i] += (0..3).map(|k| look[k] * free[k]).sum::<f64>();
        for (j, v) in wrench.iter().enumerate() {
            M[i][j] += along(v);
        }
    }
    let mut forces = vec![[0.0; 2]; terms.len()];
    let Ok(lcp) = Lcp::from_rows(&M, q) else { return Ok(None) };
    let answer = solve(&lcp);
    let mut acceleration = None;
    if answer.status == Status::Solved {
        let z = &answer.z;
        let a = std::array::from_fn(|k| free[k] + (0..n).map(|j| inverse[k] * wrench[j][k] * z[j]).sum::<f64>());
        acceleration = Some(a);
        for Columns { contact, at, drag } in &columns {
            let along = match drag {
                Some(drag) => drag * terms[*contact].mu.to_f64() * z[*at],
                None => z[at + 1] - z[at + 2],
            };
            forces[*contact] = [z[*at], along];
        }
    }
    Ok(Some(Picked { rows: n, status: answer.status, acceleration, forces, residual: answer.residual }))
}
