//! # Polyhedral friction: a cone problem as a linear one
//!
//! [`ConeProblem`] ──▶ **here** ──([`Lcp`])──▶ `fingerpad_solve::Lemke`
//!
//! - **in**: contacts and how they couple; points on the unit sphere
//! - **out**: M and q of (Ciocarlie, eqs 3–5); impulses from z
//! - **assumes**: the hull stands for the ellipsoid from inside, short by its
//!   [`inner_error`](fingerpad_contact::friction::SphereSampling::inner_error)
//! - **start at** [`Faceted::new`]
//!
//! With z = (c_n, β, λ), A the operator, N and B the rows of normals and of D β:
//!
//! ```text
//! M = [ N A Nᵀ   N A Bᵀ   0 ]      q = [ N b ]
//!     [ B A Nᵀ   B A Bᵀ   E ]          [ B b ]
//!     [ diag(m)   −Eᵀ     0 ]          [  0  ]
//! ```
//!
//! m is the largest semi-axis and D has the others over it: m = μ and columns (x, y, e z) for (μ, μ, μ e).
//!
//! Dry friction with a fixed limit f, which drives have too, is λ = x − f with 0 ≤ x ⊥ v + s ≥ 0 and 0 ≤ s ⊥ 2f − x ≥ 0: s takes
//! the place of the contact's λ, x that of its normal.

use fingerpad_contact::friction::SphereSampling;
use fingerpad_solve::cone::{ConeOperator, ConeProblem, Set};
use fingerpad_solve::{InputError, Lcp};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// A cone problem with facets.
#[derive(Clone, Debug)]
pub struct Faceted {
    /// The problem.
    pub lcp: Lcp,
    /// What the first unknown of each constraint is more than its impulse (N·s, N·m·s).
    shifts: Vec<f64>,
    /// Contact and column of D of each β.
    columns: Vec<(usize, [f64; 3])>,
}

impl Faceted {
    /// The linear problem over the hull of a sampling. Contacts without torsion take the points of its equator, or 8.
    pub fn new(problem: &ConeProblem, sampling: &SphereSampling) -> Result<Self, InputError> {
        problem.check()?;
        let k = problem.contacts.len();
        let a = dense(problem);
        let friction = problem.contacts.iter().enumerate().map(|(i, contact)| match contact.set {
            Set::Ellipsoid { friction } => Ok(friction),
            Set::AtLeast | Set::Within(_) => Ok([0.0; 3]),
            // Impulses of equations have no bounds, which those of a complementarity problem have.
            Set::Free => {
                let what = format!("the set of constraint {i}");
                Err(InputError::Range { what, expected: "a contact, a limit or dry friction", value: i as f64 })
            }
        });
        let friction = friction.collect::<Result<Vec<[f64; 3]>, _>>()?;
        let size = |i: usize| friction[i].iter().copied().fold(0.0, f64::max);
        let mut columns = Vec::new();
        for (i, friction) in friction.iter().enumerate() {
            let m = size(i);
            if m > 0.0 {
                let axes = friction.map(|a| a / m);
                let scaled = |p: &Vector3<f64>| (i, [p.x * axes[0], p.y * axes[1], p.z * axes[2]]);
                columns.extend(directions(sampling, axes[2] == 0.0).iter().map(scaled));
            }
        }
        let u = columns.len();
        let n = 2 * k + u;
        // Unknowns before λ as columns over the rows of the cone problem.
        let force = |j: usize| -> (usize, [f64; 4]) {
            if j < k {
                return (j, [1.0, 0.0, 0.0, 0.0]);
            }
            let (i, d) = columns[j - k];
            (i, [0.0, d[0], d[1], d[2]])
        };
        let lines: Vec<(usize, [f64; 4])> = (0..k + u).map(force).collect();
        let along = |(i, d): &(usize, [f64; 4]), x: &[f64]| (0..4).map(|s| d[s] * x[4 * i + s]).sum::<f64>();
        let mut q = vec![0.0; n];
        let b: Vec<f64> = problem.contacts.iter().flat_map(|contact| contact.b).collect();
        q.iter_mut().zip(&lines).for_each(|(q, line)| *q = along(line, &b));
        // Column after column: what a unit of each unknown does to all rows of the cone problem, then along each line.
        let mut matrix = vec![0.0; n * n];
        let mut moved = vec![0.0; 4 * k];
        for (column, (j, right)) in matrix.chunks_exact_mut(n).zip(&lines) {
            for (moved, row) in moved.iter_mut().zip(a.chunks_exact(4 * k)) {
                *moved = (0..4).map(|t| row[4 * j + t] * right[t]).sum();
            }
            column.iter_mut().zip(&lines).for_each(|(entry, line)| *entry = along(line, &moved));
        }
        for (j, (i, _)) in columns.iter().enumerate() {
            matrix[(k + u + i) * n + k + j] = 1.0;
            matrix[(k + j) * n + k + u + i] = -1.0;
        }
        let mut shifts = vec![0.0; k];
        for (i, contact) in problem.contacts.iter().enumerate() {
            let Set::Within(limit) = contact.set else {
                matrix[i * n + k + u + i] = size(i);
                continue;
            };
            shifts[i] = limit;
            for (q, entry) in q[..k + u].iter_mut().zip(&matrix[i * n..]) {
                *q -= limit * entry;
            }
            q[k + u + i] = 2.0 * limit;
            matrix[i * n + k + u + i] = -1.0;
            matrix[(k + u + i) * n + i] = 1.0;
        }
        Ok(Self { lcp: Lcp::from_columns(matrix, q)?, shifts, columns })
    }

    /// Impulses n, t1, t2, s of each contact from a solution.
    pub fn impulses(&self, z: &[f64]) -> Vec<[f64; 4]> {
        let normal = |(z, shift): (&f64, &f64)| [z - shift, 0.0, 0.0, 0.0];
        let mut found: Vec<[f64; 4]> = z.iter().zip(&self.shifts).map(normal).collect();
        for ((i, d), beta) in self.columns.iter().zip(&z[self.shifts.len()..]) {
            (0..3).for_each(|s| found[*i][s + 1] += d[s] * beta);
        }
        found
    }
}

fn directions(sampling: &SphereSampling, flat: bool) -> Vec<Vector3<f64>> {
    if !flat {
        return sampling.points().to_vec();
    }
    let equator: Vec<_> = sampling.points().iter().filter(|p| p.z.abs() < 1e-12).copied().collect();
    if equator.len() >= 4 {
        return equator;
    }
    (0..8).map(|i| TAU * f64::from(i) / 8.0).map(|angle| Vector3::new(angle.cos(), angle.sin(), 0.0)).collect()
}

/// A with the compliance on its diagonal, row after row.
fn dense(problem: &ConeProblem) -> Vec<f64> {
    let k = problem.contacts.len();
    let n = 4 * k;
    let mut a = match &problem.operator {
        ConeOperator::Dense(a) => a.clone(),
        ConeOperator::Blocks { arms, spans, .. } => {
            let mut a = vec![0.0; n * n];
            for (i, span) in spans.iter().enumerate() {
                for (j, other) in spans.iter().enumerate() {
                    for one in &arms[span.range()] {
                        for two in arms[other.range()].iter().filter(|two| two.block == one.block) {
                            for (r, c) in (0..4).flat_map(|r| (0..4).map(move |c| (r, c))) {
                                a[(4 * i + r) * n + 4 * j + c] += product(&one.rows[r], &two.rows[c]);
                            }
                        }
                    }
                }
            }
            a
        }
    };
    for (i, contact) in problem.contacts.iter().enumerate() {
        (0..4).for_each(|r| a[(4 * i + r) * (n + 1)] += contact.compliance[r]);
    }
    a
}

fn product(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingerpad_solve::Lemke;
    use fingerpad_solve::cone::ConeContact;

    /// A row with dry friction beside a frictionless contact that it drags on: −b within the limit, ± the limit beyond it, by hand.
    #[test]
    fn dry_friction_is_two_bounds() {
        let limit = 2.0;
        let mut a = vec![0.0; 64];
        (0..8).for_each(|i| a[9 * i] = 1.0);
        (a[4], a[32]) = (0.5, 0.5);
        let row = |set, b: f64| ConeContact { set, b: [b, 0.0, 0.0, 0.0], compliance: [0.0; 4] };
        for b in [-5.0, -1.0, 0.0, 0.3, 7.0] {
            let contacts = vec![row(Set::Within(limit), b), row(Set::AtLeast, -1.0)];
            let problem = ConeProblem { operator: ConeOperator::Dense(a.clone()), contacts };
            let faceted = Faceted::new(&problem, &SphereSampling::rings(6, 2)).unwrap();
            let mut lemke = Lemke::default();
            lemke.solve(&faceted.lcp);
            let [x, y] = [0, 1].map(|i| faceted.impulses(lemke.z())[i][0]);
            let (v, w) = (x + 0.5 * y + b, y + 0.5 * x - 1.0);
            assert!(x.abs() <= limit + 1e-12 && y >= -1e-12 && w >= -1e-12 && (y * w).abs() < 1e-12, "{b}: {x} {y}");
            let moves = v.abs() < 1e-12 || (x + limit * v.signum()).abs() < 1e-12;
            assert!(moves, "{b}: impulse {x} at {v} m/s");
        }
    }
}
