//! # Globalisation: series of Newton steps from impulses that may be near a solution
//!
//! - **in**: the impulses that `solver` has, their velocities
//! - **out**: impulses at a solution, or nearer to one; whether they arrive
//! - **not here**: the steps themselves (`newton_velocity`, `newton_impulse`); what is done where they do not arrive (`solver`)
//! - **start at** [`ConeSolver::finish`]

use super::local::{Block, Four};
use super::problem::{ConeOperator, ConeProblem};
use super::solver::{ConeReport, ConeSolver, STIFF_FIRST, slip};
use crate::answer::Status;
use crate::lcp::InputError;

/// Softness of the last Newton steps, and how many are made: what a tower of boxes leans by is soft itself, and is not stopped by
/// softer ones.
const STIFFER: f64 = 1e-9;
const POLISHES: usize = 2;
/// Softness of bold Newton steps, and how many are made in a row.
const STIFF: f64 = 1e-7;
const BOLD: usize = 5;
/// Most Newton steps of which each comes nearer.
const CAREFUL: usize = 12;
/// Bold steps after which the residual must have fallen to a share of the first, for more to be made.
const TRIAL: usize = 2;
const PROMISING: f64 = 0.5;
/// Residual (m/s) below which nothing is left to polish where joints are among the rows, whatever the tolerance.
const POLISHED: f64 = 1e-13;
/// Multiple of its tolerance at which a try without rounds gives up sharpness where joints are among the rows.
const DIGITS: f64 = 1e3;
/// Most Newton steps that descend, their softness at first, and shares of a step that are tried.
const DESCENTS: usize = 10;
const GENTLE: f64 = 1e-3;
const SHARES: [f64; 3] = [1.0, 0.3, 0.09];
/// Paths through the inside for many contacts, and the most steps of the first and of later ones.
const INSIDE_ROUNDS: usize = 4;
const INSIDE_FIRST: usize = 32;
const INSIDE_LATER: usize = 16;
/// Paths through the inside: products begin at the square of so many residuals, and of so many times more where a path
/// is left after a step of less than the last share, which one path does at most so often: farther inside it turns back at the
/// same place.
const ABOVE: f64 = 10.0;
const WIDER: f64 = 10.0;
const STUCK: f64 = 0.03;
const TURNS: usize = 1;
/// Products (m²/s²) below which a path may be near a solution, and by how much they fall until stiff steps are tried again.
const NEAR: f64 = 1e-9;
const AGAIN: f64 = 0.1;

impl ConeSolver {
    /// Two stiff Newton steps from impulses that are good already, kept where they come nearer.
    pub fn polish(&mut self, problem: &ConeProblem, impulses: &mut Vec<[f64; 4]>) -> Result<ConeReport, InputError> {
        problem.check()?;
        self.set_up(problem, impulses);
        let mut report = ConeReport { status: Status::NotFound, residual: 0.0, sweeps: 0, newton: 0, proximal: 0 };
        let mut best = self.renew(problem);
        self.best.clone_from(&self.g);
        if self.newton_velocity.set_up(problem, &self.blocks) {
            for _ in 0..POLISHES {
                self.newton_step(problem, &mut best, &mut report, STIFFER);
            }
        }
        self.return_to_best(problem);
        report.residual = best;
        if best <= self.options.tolerance {
            report.status = Status::Solved;
        }
        self.hand_over(impulses);
        Ok(report)
    }

    /// Residual (m/s) below which a solution is left as it is. Contacts alone are brought to their last digits: what is left of
    /// impulses that are kept for many steps adds up.
    fn polished(&self, problem: &ConeProblem) -> f64 {
        let share = 1e-3 * self.options.tolerance;
        if problem.has_scalar_rows() { share.max(POLISHED) } else { share }
    }

    /// Newton steps that lower the sum of squares of all residuals: stiffer after whole ones, softer where no share of a step does. Whether
    /// they arrive.
    pub(super) fn descending_steps(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport) -> bool {
        self.renew(problem);
        let (mut merit, mut soft, mut failed) = (self.merit(), GENTLE, 0);
        for _ in 0..DESCENTS {
            self.kept.clone_from(&self.g);
            let Some(new) = self.newton_velocity.damped(&problem.contacts, &self.blocks, &self.g, &self.v, soft) else {
                break;
            };
            self.before.clear();
            self.before.extend_from_slice(new);
            report.newton += 1;
            let mut taken = None;
            for share in SHARES {
                self.go(share);
                let residual = self.renew(problem);
                self.keep(residual, best);
                let now = self.merit();
                if now < merit * (1.0 - 0.1 * share) {
                    (merit, taken) = (now, Some(share));
                    break;
                }
            }
            if *best <= self.options.tolerance {
                if *best > self.polished(problem) {
                    self.return_to_best(problem);
                    self.newton_step(problem, best, report, STIFF);
                }
                return true;
            }
            if let Some(share) = taken {
                failed = 0;
                soft = if share == 1.0 { (0.2 * soft).max(1e-8) } else { soft };
                continue;
            }
            self.g.clone_from(&self.kept);
            self.renew(problem);
            soft = (10.0 * soft).min(1.0);
            failed += 1;
            // A try at a sharp tolerance of a problem with joints ends where more would be asked of it than a few digits.
            let short = self.options.proximal == 0 && problem.has_scalar_rows();
            if failed == 4 || short && *best <= DIGITS * self.options.tolerance {
                break;
            }
        }
        false
    }

    /// Paths through the inside of all sets, with a step of the convex problem with held slips between two, from where the last
    /// path ended, which puts the next one elsewhere: stiff enough to keep what the path has found. Of bounded length: what is not
    /// solved then is told.
    pub(super) fn interior_rounds(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport) {
        self.return_to_best(problem);
        for round in 0..INSIDE_ROUNDS {
            let most = if round == 0 { INSIDE_FIRST } else { INSIDE_LATER };
            if self.interior_path(problem, best, report, most) || report.proximal >= self.options.proximal {
                break;
            }
            self.renew(problem);
            slip(&self.blocks, &self.v, &mut self.slips);
            let tolerance = (1e-2 * *best).clamp(1e-13, 1e-6);
            let (new, steps) = self.newton_velocity.held(
                &problem.contacts,
                &self.blocks,
                &self.g,
                &self.slips,
                STIFF_FIRST,
                tolerance,
            );
            self.g.copy_from_slice(new);
            report.newton += steps;
            report.proximal += 1;
            let residual = self.renew(problem);
            self.keep(residual, best);
            if *best <= self.options.tolerance {
                break;
            }
        }
        // What is solved only just is brought nearer.
        if *best <= self.options.tolerance && *best > self.polished(problem) {
            self.return_to_best(problem);
            self.newton_step(problem, best, report, STIFF);
        }
    }

    /// The path through the inside of all sets ([`Interior`](super::interior::Interior)), from the impulses at hand; whether it
    /// arrives in so many steps, by itself or by stiff Newton steps from near its end. Where it turns back (there is no answer that goes on smoothly) it
    /// is taken up again further inside.
    pub(super) fn interior_path(
        &mut self,
        problem: &ConeProblem,
        best: &mut f64,
        report: &mut ConeReport,
        most: usize,
    ) -> bool {
        let start = self.renew(problem);
        let mut path = std::mem::take(&mut self.interior);
        let (mut velocity, mut next) = (ABOVE * start, NEAR);
        let contacts = &problem.contacts;
        let mut inside = path.start(&mut self.newton_velocity, contacts, &self.blocks, (&self.g, &self.v), velocity);
        let (mut steps, mut turns) = (0, 0);
        while inside && steps < most {
            steps += 1;
            report.newton += 1;
            let Some((mean, share)) = path.step(&mut self.newton_velocity, contacts, &self.blocks) else { break };
            for ((g, inner), block) in self.g.iter_mut().zip(path.impulses()).zip(&self.blocks) {
                *g = block.onto_set(*inner);
            }
            if share < STUCK {
                let residual = self.renew(problem);
                self.keep(residual, best);
                if turns == TURNS {
                    break;
                }
                turns += 1;
                velocity *= WIDER;
                inside = path.start(&mut self.newton_velocity, contacts, &self.blocks, (&self.g, &self.v), velocity);
            } else if mean < NEAR {
                let residual = self.renew(problem);
                self.keep(residual, best);
                if *best > self.options.tolerance && mean < next {
                    self.bold_steps(problem, best, report, true);
                    next = AGAIN * mean;
                }
                inside = *best > self.options.tolerance;
            }
        }
        self.interior = path;
        *best <= self.options.tolerance
    }

    /// Goes a share of the way from the kept impulses to those of a step.
    fn go(&mut self, share: f64) {
        for (i, block) in self.blocks.iter().enumerate() {
            let (from, to) = (&self.kept[i], &self.before[i]);
            self.g[i] = block.onto_set([0, 1, 2, 3].map(|r| from[r] + share * (to[r] - from[r])));
        }
    }

    /// Sum of the squares of all residuals.
    fn merit(&self) -> f64 {
        let of = |((block, g), v): ((&Block, &Four), &Four)| block.residual(g, v).iter().map(|x| x * x).sum::<f64>();
        self.blocks.iter().zip(&self.g).zip(&self.v).map(of).sum()
    }

    /// Newton steps of which each comes nearer, softened by as much as the residual asks for; whether they arrive.
    pub(super) fn careful_steps(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport) -> bool {
        let mut residual = self.renew(problem);
        let scale = self.g.iter().zip(&self.blocks).map(|(g, block)| block.d[0][0] * g[0].abs()).fold(0.0, f64::max);
        let (mut kappa, mut failed) = (1.0, 0);
        for _ in 0..CAREFUL {
            self.kept.clone_from(&self.g);
            let soft = (kappa * residual / scale).clamp(1e-9, 0.1);
            let Some(now) = self.newton_step(problem, best, report, soft) else { break };
            if *best <= self.options.tolerance {
                return true;
            }
            if now < 0.8 * residual {
                (residual, failed) = (now, 0);
                kappa *= 0.3;
                continue;
            }
            self.g.clone_from(&self.kept);
            self.renew(problem);
            kappa *= 5.0;
            failed += 1;
            if failed == 3 {
                break;
            }
        }
        false
    }

    /// Stiff Newton steps, some of which may lead away; whether they arrive. If not, the impulses stay as they are, or, unless
    /// told to `stay`, go where these came much nearer.
    pub(super) fn bold_steps(
        &mut self,
        problem: &ConeProblem,
        best: &mut f64,
        report: &mut ConeReport,
        stay: bool,
    ) -> bool {
        self.kept.clone_from(&self.g);
        let first = self.renew(problem);
        let mut least = f64::INFINITY;
        for step in 0..BOLD {
            if step >= TRIAL && least > PROMISING * first {
                break;
            }
            let Some(residual) = self.newton_step(problem, best, report, STIFF) else { break };
            if *best <= self.options.tolerance {
                if residual > self.polished(problem) {
                    self.newton_step(problem, best, report, STIFF);
                }
                return true;
            }
            if residual < least {
                least = residual;
                self.before.clone_from(&self.g);
            }
        }
        self.g.clone_from(if least < 0.3 * first && !stay { &self.before } else { &self.kept });
        self.renew(problem);
        false
    }

    /// One Newton step of all impulses; the residual there.
    pub(super) fn newton_step(
        &mut self,
        problem: &ConeProblem,
        best: &mut f64,
        report: &mut ConeReport,
        soft: f64,
    ) -> Option<f64> {
        let new = self.newton_velocity.damped(&problem.contacts, &self.blocks, &self.g, &self.v, soft)?;
        for ((g, new), block) in self.g.iter_mut().zip(new).zip(&self.blocks) {
            *g = block.onto_set(*new);
        }
        report.newton += 1;
        let residual = self.renew(problem);
        self.keep(residual, best);
        Some(residual)
    }

    /// Newton steps as long as each lowers the residual; where they do not end at a solution, everything is as before, but for the first
    /// ones of many contacts.
    pub(super) fn finish(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport) {
        if self.options.newton_contacts == 0 {
            return;
        }
        let dense = matches!(problem.operator, ConeOperator::Dense(_));
        if !dense {
            self.ready = self.ready || self.newton_velocity.set_up(problem, &self.blocks);
            // Many contacts descend at first, and stay where that leads.
            if report.newton == 0 && self.g.len() > self.options.newton_contacts {
                self.descending_steps(problem, best, report);
                return;
            }
            if self.bold_steps(problem, best, report, true) {
                return;
            }
        }
        if self.g.len() > self.options.newton_contacts {
            return;
        }
        self.kept.clone_from(&self.g);
        let mut last = f64::INFINITY;
        for _ in 0..30 {
            self.before.clone_from(&self.g);
            let mut step = std::mem::take(&mut self.step);
            let found = self.newton_impulse.step(problem, &self.delassus, &self.blocks, &self.g, &self.v, &mut step);
            self.step = step;
            if found.is_none() {
                break;
            }
            report.newton += 1;
            let mut lowered = false;
            for share in [1.0, 0.5, 0.2] {
                for i in 0..self.g.len() {
                    let moved = [0, 1, 2, 3].map(|r| self.before[i][r] + share * self.step[i][r]);
                    self.g[i] = self.blocks[i].onto_set(moved);
                }
                let residual = self.renew(problem);
                self.keep(residual, best);
                if residual < 0.9 * last {
                    last = residual;
                    lowered = true;
                    break;
                }
            }
            if !lowered || *best <= self.options.tolerance {
                break;
            }
        }
        self.g.clone_from(&self.kept);
        self.renew(problem);
    }
}
