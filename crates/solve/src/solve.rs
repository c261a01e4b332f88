//! # Front door: one problem, one whole answer
//!
//! - **in**: an [`Lcp`]
//! - **out**: an [`Answer`]
//! - **not here**: many problems with one storage ([`Lemke`])
//! - **start at** [`solve`]

use crate::answer::{Answer, Status};
use crate::enumerate::{MOST_ROWS, enumerate};
use crate::lcp::Lcp;
use crate::lemke::Lemke;

/// Solves a problem: Lemke with several covering vectors, then, up to 16 rows, every support.
pub fn solve(lcp: &Lcp) -> Answer {
    let mut lemke = Lemke::new(lcp.n());
    let report = lemke.solve(lcp);
    let mut answer = Answer {
        status: report.status,
        z: lemke.z().to_vec(),
        w: lemke.w().to_vec(),
        residual: report.residual,
        farkas: (report.status == Status::Infeasible).then(|| lemke.farkas().to_vec()),
        proved_no_solution: false,
        pivots: report.pivots,
    };
    if answer.status == Status::NotFound
        && lcp.n() <= MOST_ROWS
        && let Ok(all) = enumerate(lcp)
    {
        answer.proved_no_solution = all.solutions.is_empty() && all.undecided == 0;
        if let Some(z) = all.solutions.into_iter().next() {
            answer.status = Status::Solved;
            answer.w = lcp.w(&z);
            answer.residual = lcp.residual(&z);
            answer.z = z;
        }
    }
    answer
}
