//! # Solver: sweeps over contacts, then Newton
//!
//! [`ConeProblem`] and impulses ──▶ **here** ──▶ better impulses, [`ConeReport`]
//!
//! - **in**: a problem; impulses to start from (zeros, or those of the last step)
//! - **out**: impulses, velocities, residual
//! - **not here**: one contact (`local`), all at once (`newton_velocity`; `newton_impulse` for a dense operator and the last digits of few), series of
//!   Newton steps (`globalisation`)
//! - **start at** [`ConeSolver::solve`]
//!
//! Few contacts (up to [`ConeOptions::newton_contacts`]) are swept first: block Gauss–Seidel with the exact solution of each contact,
//! then bold Newton steps, and careful ones that come nearer each. Many contacts begin with Newton steps that descend, from the
//! impulses given, since sweeps undo what a warm start knows of stuck contacts. Where descent stalls, paths through the inside of all sets
//! follow ([`interior_rounds`](ConeSolver::interior_rounds)), a bounded number of steps. Few contacts go through [`stiff_rounds`](ConeSolver::stiff_rounds)
//! in their place: convex problems with held slips, from the impulses at hand and once more from none; then through softer rounds and
//! longer sweeps, as far as the options allow. The impulses returned are the best that were seen.

use super::anderson::Anderson;
use super::delassus::Delassus;
use super::interior::Interior;
use super::local::{Block, Four};
use super::newton_impulse::NewtonImpulse;
use super::newton_velocity::{HELD, NewtonVelocity};
use super::problem::ConeProblem;
use super::proximal::Proximal;
use super::sets::size;
use crate::answer::Status;
use crate::lcp::InputError;

/// Softness at first of steps with slips held, and how many are made in one way.
const SOFT: f64 = 0.1;
const ROUNDS: usize = 40;
/// Softness at first of stiff rounds, its limits, and how many rounds are made from one start.
pub(super) const STIFF_FIRST: f64 = 1e-3;
const STIFF_RANGE: (f64, f64) = (1e-9, 0.1);
const STIFF_ROUNDS: usize = 30;
/// A stiff round of no more Newton steps than the first number was too soft to change much; of more than the second, too stiff.
const EASY: usize = 5;
const HEAVY: usize = 15;
/// Residual (m/s) above which many contacts are given so many stiff rounds more.
const ROUGH: f64 = 1e-6;
const ROUGH_ROUNDS: usize = 10;
/// Sweeps of the first longer stage.
const STAGE: usize = 200;
/// Sweeps after each step with slips held as they are.
const SMOOTHING: usize = 4;

/// When to stop, and by what means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeOptions {
    /// Residual (m/s) at which a problem counts as solved.
    pub tolerance: f64,
    /// Most sweeps.
    pub sweeps: usize,
    /// Newton with a dense matrix is tried up to so many contacts; 0 for sweeps alone.
    pub newton_contacts: usize,
    /// Sweeps before rounds with held slips begin.
    pub patience: usize,
    /// Most rounds with held slips (proximal steps); 0 for none, and where joints are among many
    /// constraints for a try that leaves out the paths through the inside.
    pub proximal: usize,
}

impl Default for ConeOptions {
    fn default() -> Self {
        ConeOptions { tolerance: 1e-12, sweeps: 20_000, newton_contacts: 100, patience: 200, proximal: 120 }
    }
}

/// What became of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeReport {
    /// Solved or not found: cone problems have no certificate.
    pub status: Status,
    /// Largest violation (m/s).
    pub residual: f64,
    /// Sweeps over all contacts.
    pub sweeps: usize,
    /// Newton steps taken.
    pub newton: usize,
    /// Proximal steps.
    pub proximal: usize,
}

/// The solver and its storage: nothing is allocated for a problem no larger than those before.
#[derive(Clone, Debug, Default)]
pub struct ConeSolver {
    /// When to stop, and by what means.
    pub options: ConeOptions,
    pub(super) blocks: Vec<Block>,
    pub(super) delassus: Delassus,
    /// Impulses in ball coordinates: now, before a step, before Newton, the best, and a step.
    pub(super) g: Vec<Four>,
    pub(super) before: Vec<Four>,
    pub(super) kept: Vec<Four>,
    pub(super) best: Vec<Four>,
    pub(super) step: Vec<Four>,
    pub(super) search: Vec<Four>,
    /// Velocities in ball coordinates, and as rows at the end.
    pub(super) v: Vec<Four>,
    pub(super) velocities: Vec<Four>,
    pub(super) newton_impulse: NewtonImpulse,
    pub(super) newton_velocity: NewtonVelocity,
    pub(super) proximal: Proximal,
    pub(super) interior: Interior,
    /// Whether that is made ready.
    pub(super) ready: bool,
    /// Slips that are held, and those that came of them.
    pub(super) slips: Vec<f64>,
    pub(super) found: Vec<f64>,
    pub(super) anderson: Anderson,
}

impl ConeSolver {
    /// A solver with given options.
    pub fn new(options: ConeOptions) -> Self {
        ConeSolver { options, ..ConeSolver::default() }
    }

    /// Velocities of the rows at the impulses that were returned (m/s; rad/s for spin).
    pub fn velocities(&self) -> &[[f64; 4]] {
        &self.velocities
    }

    /// Solves from the impulses given and leaves the best ones there. A list of another length counts as zeros.
    pub fn solve(&mut self, problem: &ConeProblem, impulses: &mut Vec<[f64; 4]>) -> Result<ConeReport, InputError> {
        problem.check()?;
        self.set_up(problem, impulses);
        let mut report = ConeReport { status: Status::NotFound, residual: 0.0, sweeps: 0, newton: 0, proximal: 0 };
        let mut best = self.renew(problem);
        self.best.clone_from(&self.g);
        if best > self.options.tolerance {
            self.search(problem, &mut best, &mut report);
            self.return_to_best(problem);
            best = self.align(problem, best);
        }
        self.g.clone_from(&self.best);
        report.residual = best;
        if report.residual <= self.options.tolerance {
            report.status = Status::Solved;
        }
        self.hand_over(impulses);
        Ok(report)
    }

    /// Residual (m/s) of given impulses, with nothing changed.
    pub fn residual(&mut self, problem: &ConeProblem, impulses: &[[f64; 4]]) -> Result<f64, InputError> {
        problem.check()?;
        if impulses.len() != problem.contacts.len() {
            let (expected, got) = (problem.contacts.len(), impulses.len());
            return Err(InputError::Length { what: "impulses".into(), expected, got });
        }
        self.set_up(problem, impulses);
        Ok(self.renew(problem))
    }

    pub(super) fn set_up(&mut self, problem: &ConeProblem, impulses: &[Four]) {
        let k = problem.contacts.len();
        self.delassus.set_up(problem);
        self.blocks.clear();
        for (i, contact) in problem.contacts.iter().enumerate() {
            let own = self.delassus.block(problem, i, i);
            self.blocks.push(Block::new(contact, &own));
        }
        self.g.clear();
        self.g.resize(k, [0.0; 4]);
        self.v.resize(k, [0.0; 4]);
        self.step.resize(k, [0.0; 4]);
        self.velocities.resize(k, [0.0; 4]);
        self.v.truncate(k);
        self.step.truncate(k);
        self.velocities.truncate(k);
        if impulses.len() == k {
            for (i, f) in impulses.iter().enumerate() {
                let t = self.blocks[i].t;
                let g = [0, 1, 2, 3].map(|r| if t[r] > 0.0 && f[r].is_finite() { f[r] / t[r] } else { 0.0 });
                self.g[i] = self.blocks[i].onto_set(g);
            }
        }
    }

    pub(super) fn hand_over(&mut self, impulses: &mut Vec<Four>) {
        impulses.clear();
        for (i, g) in self.g.iter().enumerate() {
            impulses.push([0, 1, 2, 3].map(|r| self.blocks[i].t[r] * g[r]));
        }
    }

    /// Velocities from the impulses, from scratch; the residual.
    pub(super) fn renew(&mut self, problem: &ConeProblem) -> f64 {
        self.delassus.clear();
        for (i, g) in self.g.iter().enumerate() {
            if *g != [0.0; 4] {
                let f = [0, 1, 2, 3].map(|r| self.blocks[i].t[r] * g[r]);
                self.delassus.add(problem, i, &f);
            }
        }
        let mut most = 0.0f64;
        for i in 0..self.g.len() {
            let contact = &problem.contacts[i];
            let block = &self.blocks[i];
            let a = self.delassus.velocity(problem, i);
            for r in 0..4 {
                let f = block.t[r] * self.g[i][r];
                self.velocities[i][r] = a[r] + contact.compliance[r] * f + contact.b[r];
                self.v[i][r] = block.t[r] * self.velocities[i][r];
            }
            most = most.max(size(&block.residual(&self.g[i], &self.v[i])));
        }
        most
    }

    pub(super) fn keep(&mut self, residual: f64, best: &mut f64) {
        if residual < *best {
            *best = residual;
            self.best.clone_from(&self.g);
        }
    }

    /// Every contact once, in order.
    fn sweep(&mut self, problem: &ConeProblem) {
        for i in 0..self.g.len() {
            let contact = &problem.contacts[i];
            let block = &mut self.blocks[i];
            let a = self.delassus.velocity(problem, i);
            let g = self.g[i];
            let mut b = [0.0; 4];
            for r in 0..4 {
                // This contact's own share is taken out.
                let own = (0..4).map(|s| block.d[r][s] * g[s]).sum::<f64>();
                let f = block.t[r] * g[r];
                b[r] = block.t[r] * (a[r] + contact.compliance[r] * f + contact.b[r]) - own;
            }
            let new = block.solve(&b);
            if new != g {
                let change = [0, 1, 2, 3].map(|r| block.t[r] * (new[r] - g[r]));
                self.g[i] = new;
                self.delassus.add(problem, i, &change);
            }
        }
    }

    /// A sweep, and a step along the sweeps before it: conjugate gradients with the change by a sweep in place of
    /// the gradient (Silcowitz). Where changes grow, the memory is dropped.
    fn accelerated_sweep(&mut self, problem: &ConeProblem, last: &mut f64) {
        self.before.clone_from(&self.g);
        self.sweep(problem);
        let mut size = 0.0;
        for (i, (g, before)) in self.g.iter().zip(&self.before).enumerate() {
            let block = &self.blocks[i];
            let tangential: f64 = (1..4).map(|r| (g[r] - before[r]).powi(2)).sum();
            size += block.d[0][0] * (g[0] - before[0]).powi(2) + block.delta * tangential;
        }
        let beta = size / *last;
        *last = size;
        if beta > 1.0 || beta.is_nan() {
            self.search.fill([0.0; 4]);
            for ((search, g), before) in self.search.iter_mut().zip(&self.g).zip(&self.before) {
                (0..4).for_each(|r| search[r] = g[r] - before[r]);
            }
            return;
        }
        for i in 0..self.g.len() {
            let mut moved = self.g[i];
            for r in 0..4 {
                let along = beta * self.search[i][r];
                self.search[i][r] = along + self.g[i][r] - self.before[i][r];
                moved[r] += along;
            }
            let moved = self.blocks[i].onto_set(moved);
            if moved != self.g[i] {
                let change = [0, 1, 2, 3].map(|r| self.blocks[i].t[r] * (moved[r] - self.g[i][r]));
                self.g[i] = moved;
                self.delassus.add(problem, i, &change);
            }
        }
    }

    /// Sweeps up to a number, with Newton now and then.
    fn sweeps(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport, most: usize) {
        let (mut next, mut wait) = (report.sweeps + 4, 4usize);
        let mut last = f64::INFINITY;
        self.search.clear();
        self.search.resize(self.g.len(), [0.0; 4]);
        while *best > self.options.tolerance && report.sweeps < most {
            self.accelerated_sweep(problem, &mut last);
            report.sweeps += 1;
            if report.sweeps < next && report.sweeps < most {
                continue;
            }
            // The residual costs as much as a sweep, and a Newton step more: looked at ever more rarely.
            let residual = self.renew(problem);
            self.keep(residual, best);
            // What is solved only just would not be so any more at the next step.
            if *best > 0.1 * self.options.tolerance {
                self.finish(problem, best, report);
            }
            wait = (2 * wait).min(64);
            next = report.sweeps + wait;
        }
    }

    /// Newton that descends, stiff rounds; or sweeps and Newton for few contacts. Then rounds with slips held and longer sweeps in
    /// turns: each gets out of places where the others are slow.
    fn search(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport) {
        let many = self.options.newton_contacts > 0 && self.g.len() > self.options.newton_contacts;
        self.ready = many && self.newton_velocity.set_up(problem, &self.blocks);
        let warm = self.g.iter().any(|g| g[0] > 0.0);
        // Sides of joints are those of the last step more often than not: then stiff steps arrive at once.
        let joints = problem.has_scalar_rows();
        let known = self.ready && warm;
        if known
            && (joints && self.bold_steps(problem, best, report, false) || self.descending_steps(problem, best, report))
        {
            return;
        }
        if !(self.ready && warm) {
            self.sweeps(problem, best, report, self.options.patience.min(self.options.sweeps));
        }
        if *best <= self.options.tolerance || many && joints && self.options.proximal == 0 {
            return;
        }
        self.ready =
            self.options.newton_contacts > 0 && (self.ready || self.newton_velocity.set_up(problem, &self.blocks));
        if !self.ready {
            return self.sweeps(problem, best, report, self.options.sweeps);
        }
        if !many {
            self.return_to_best(problem);
            if self.bold_steps(problem, best, report, false) || self.careful_steps(problem, best, report) {
                return;
            }
        }
        if many && Interior::knows(&problem.contacts) {
            self.interior_rounds(problem, best, report);
            if *best > ROUGH {
                self.return_to_best(problem);
                self.stiff_rounds(problem, best, report, ROUGH_ROUNDS);
            }
            return;
        }
        for again in [false, true] {
            if again {
                self.g.fill([0.0; 4]);
            }
            if self.stiff_rounds(problem, best, report, STIFF_ROUNDS) {
                return;
            }
        }
        self.return_to_best(problem);
        let (mut stage, mut mixed) = (STAGE, false);
        while *best > self.options.tolerance
            && (report.proximal < self.options.proximal || report.sweeps < self.options.sweeps)
        {
            let most = (report.proximal + ROUNDS).min(self.options.proximal);
            if report.proximal >= 2 * ROUNDS {
                self.gentle_rounds(problem, best, report, most);
            } else {
                self.rounds(problem, best, report, most, mixed);
            }
            mixed = !mixed;
            self.sweeps(problem, best, report, (report.sweeps + stage).min(self.options.sweeps));
            stage *= 3;
        }
    }

    /// Friction of what slides is turned against the slip, which no residual sees where the load is next to nothing. The
    /// residual then; nothing is changed where that is too large.
    fn align(&mut self, problem: &ConeProblem, best: f64) -> f64 {
        for ((g, v), block) in self.g.iter_mut().zip(&self.v).zip(&self.blocks) {
            let (speed, limit) = ((v[1] * v[1] + v[2] * v[2] + v[3] * v[3]).sqrt(), block.m * g[0]);
            if speed > 1e3 * best && limit > 0.0 {
                let turned = [1, 2, 3].map(|k| -limit * v[k] / speed);
                let far = (0..3).map(|k| (turned[k] - g[k + 1]).abs()).fold(0.0, f64::max);
                if block.delta * far <= best {
                    g[1..].copy_from_slice(&turned);
                }
            }
        }
        let residual = self.renew(problem);
        if residual <= best.max(0.1 * self.options.tolerance) {
            self.best.clone_from(&self.g);
            return residual;
        }
        self.return_to_best(problem);
        best
    }

    pub(super) fn return_to_best(&mut self, problem: &ConeProblem) {
        self.g.clone_from(&self.best);
        self.renew(problem);
    }

    /// Steps with slips held, up to a number, each followed by Newton steps. Slips are those of the last step, or mixed from
    /// several.
    fn rounds(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport, most: usize, mixed: bool) {
        self.renew(problem);
        self.anderson.clear();
        slip(&self.blocks, &self.v, &mut self.slips);
        let (mut soft, mut last) = (SOFT, f64::INFINITY);
        while report.proximal < most && *best > self.options.tolerance {
            let tolerance = (1e-3 * *best).clamp(1e-15, 1e-9);
            let (new, steps) =
                self.newton_velocity.held(&problem.contacts, &self.blocks, &self.g, &self.slips, soft, tolerance);
            report.newton += steps;
            report.proximal += 1;
            if steps >= HELD {
                // Too stiff for its answer to be found.
                (soft, last) = ((30.0 * soft).min(1.0), f64::INFINITY);
                continue;
            }
            self.g.copy_from_slice(new);
            let residual = self.renew(problem);
            self.keep(residual, best);
            if residual > 0.3 * last {
                soft = (0.5 * soft).max(1e-8);
            }
            last = residual;
            if mixed {
                slip(&self.blocks, &self.v, &mut self.found);
                self.anderson.next(&mut self.slips, &self.found);
                self.slips.iter_mut().for_each(|s| *s = s.max(0.0));
            } else {
                (0..SMOOTHING).for_each(|_| self.sweep(problem));
                report.sweeps += SMOOTHING;
                let residual = self.renew(problem);
                self.keep(residual, best);
            }
            if self.bold_steps(problem, best, report, false) || self.careful_steps(problem, best, report) {
                return;
            }
            if !mixed {
                slip(&self.blocks, &self.v, &mut self.slips);
            }
        }
    }

    /// Rounds with slips held, each so stiff that its Newton steps find which contacts stick, slip and open; whether they arrive.
    ///
    /// A round solves the convex problem around the impulses at hand (augmented Lagrangian with softness ε), takes the slips that
    /// come of it, and tries to finish by bold and careful steps. A round that took few steps has left the contacts as they
    /// were: the next one is ten times stiffer. Where a round took many, the next one is softer.
    fn stiff_rounds(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport, rounds: usize) -> bool {
        let most = (report.proximal + rounds).min(self.options.proximal);
        let mut soft = STIFF_FIRST;
        self.renew(problem);
        while report.proximal < most {
            slip(&self.blocks, &self.v, &mut self.slips);
            let tolerance = (1e-2 * *best).clamp(1e-13, 1e-6);
            let (new, steps) =
                self.newton_velocity.held(&problem.contacts, &self.blocks, &self.g, &self.slips, soft, tolerance);
            self.g.copy_from_slice(new);
            report.newton += steps;
            report.proximal += 1;
            let residual = self.renew(problem);
            self.keep(residual, best);
            if *best <= self.options.tolerance
                || self.bold_steps(problem, best, report, false)
                || self.careful_steps(problem, best, report)
            {
                return true;
            }
            if steps <= EASY {
                soft *= 0.1;
            } else if steps > HEAVY {
                soft *= 5.0;
            }
            soft = soft.clamp(STIFF_RANGE.0, STIFF_RANGE.1);
        }
        false
    }

    /// The same by inexact steps, softer ones first, which go elsewhere; Newton now and then.
    fn gentle_rounds(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport, most: usize) {
        if !self.proximal.set_up(problem, &self.blocks) {
            return;
        }
        let mut soft = 0.1;
        let mut last = self.renew(problem);
        while *best > self.options.tolerance && report.proximal < most {
            self.proximal.step(&problem.contacts, &self.blocks, &mut self.g, &self.v, soft);
            report.proximal += 1;
            let residual = self.renew(problem);
            self.keep(residual, best);
            if report.proximal.is_multiple_of(4) {
                self.finish(problem, best, report);
            }
            if residual > 0.3 * last {
                soft = (0.5 * soft).max(1e-4);
            }
            last = residual;
        }
    }
}

/// Slips m|ū| of velocities.
pub(super) fn slip(blocks: &[Block], v: &[Four], out: &mut Vec<f64>) {
    out.clear();
    let size = |v: &Four| (v[1] * v[1] + v[2] * v[2] + v[3] * v[3]).sqrt();
    out.extend(blocks.iter().zip(v).map(|(block, v)| block.m * size(v)));
}
