//! # Clarabel: the same programs by a general solver, as reference and fallback
//!
//! - **in**: a [`Socp`]
//! - **out**: its answer, graded by us; `AlmostSolved` and the like count as stalled
//! - **not here**: our own solver (`interior`)
//! - **start at** [`Clarabel`]

use super::{Grade, Socp, SocpAnswer, SocpSolver, SocpStatus};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

/// The solver Clarabel (Goulart, Chen).
#[derive(Clone, Copy, Debug)]
pub struct Clarabel {
    /// Residuals and gap asked for.
    pub tolerance: f64,
}

impl Default for Clarabel {
    fn default() -> Self {
        Self { tolerance: 1e-10 }
    }
}

impl SocpSolver for Clarabel {
    fn solve(&mut self, program: &Socp) -> SocpAnswer {
        let (n, m, r) = (program.variables(), program.rows(), program.free_cost.len());
        // Rows: the equations, then −x + s = 0 with s in the cones.
        let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut put = |row: usize, column: usize, value: f64| {
            rows.push(row);
            columns.push(column);
            values.push(value);
        };
        let mut cones = vec![SupportedConeT::ZeroConeT(m)];
        for block in &program.blocks {
            for (row, entries) in program.rows_of(block).iter().zip(program.entries_of(block).chunks_exact(block.dim)) {
                entries.iter().enumerate().for_each(|(k, a)| put(*row, block.first + k, *a));
            }
            (0..block.dim).for_each(|k| put(m + block.first + k, block.first + k, -1.0));
            cones.push(match block.dim {
                1 => SupportedConeT::NonnegativeConeT(1),
                dim => SupportedConeT::SecondOrderConeT(dim),
            });
        }
        for (k, column) in program.free.chunks_exact(m.max(1)).enumerate() {
            column.iter().enumerate().filter(|(_, a)| **a != 0.0).for_each(|(row, a)| put(row, n + k, *a));
        }
        let a = CscMatrix::new_from_triplets(m + n, n + r, rows, columns, values);
        let p = CscMatrix::zeros((n + r, n + r));
        let cost: Vec<f64> = program.cost.iter().chain(&program.free_cost).copied().collect();
        let mut rhs = program.rhs.clone();
        rhs.resize(m + n, 0.0);
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .tol_gap_abs(self.tolerance)
            .tol_gap_rel(self.tolerance)
            .tol_feas(self.tolerance)
            .build();
        let solver = settings.ok().and_then(|s| DefaultSolver::new(&p, &cost, &a, &rhs, &cones, s).ok());
        let Some(mut solver) = solver else {
            return stalled(n, m, r);
        };
        solver.solve();
        let found = &solver.solution;
        let (x, free) = (found.x[..n].to_vec(), found.x[n..].to_vec());
        // Clarabel's Lagrangian has +zᵀ(A x − b): the multipliers of the equations have the other sign.
        let y: Vec<f64> = found.z[..m].iter().map(|z| -z).collect();
        let (status, grade) = match found.status {
            SolverStatus::Solved => (SocpStatus::Solved, program.grade(&x, &free, &y)),
            SolverStatus::PrimalInfeasible => {
                let falls: f64 = program.rhs.iter().zip(&y).map(|(b, y)| b * y).sum();
                let y: Vec<f64> = y.iter().map(|y| y / falls).collect();
                let grade = program.grade_certificate(&y);
                let iterations = found.iterations as usize;
                return SocpAnswer { status: SocpStatus::Infeasible, value: f64::NAN, x, free, y, grade, iterations };
            }
            SolverStatus::DualInfeasible => (SocpStatus::Unbounded, Grade::default()),
            _ => (SocpStatus::Stalled, program.grade(&x, &free, &y)),
        };
        SocpAnswer { status, value: program.value(&x, &free), x, free, y, grade, iterations: found.iterations as usize }
    }
}

fn stalled(n: usize, m: usize, r: usize) -> SocpAnswer {
    let worst = Grade { primal: f64::INFINITY, dual: f64::INFINITY, gap: f64::INFINITY };
    let (x, free, y) = (vec![0.0; n], vec![0.0; r], vec![0.0; m]);
    SocpAnswer { status: SocpStatus::Stalled, x, free, y, value: f64::NAN, grade: worst, iterations: 0 }
}
