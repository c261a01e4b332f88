//! # Solver: sweeps over contacts, then Newton
//!
//! [`ConeProblem`] and impulses ──▶ **here** ──▶ better impulses, [`ConeReport`]
//!
//! - **in**: a problem; impulses to start from (zeros, or those of the last step)
//! - **out**: impulses, velocities, residual
//! - **not here**: one contact (`local`), all at once (`newton`), mixing (`anderson`)
//! - **start at** [`ConeSolver::solve`]
//!
//! Block Gauss–Seidel with the exact solution of each contact moves steadily towards a solution, slowly in stacks and wedges. Every few
//! sweeps Newton tries to finish, where contacts are few enough for its matrix. Where both are slow, proximal steps
//! take over, and sweeps follow them. Newton's step is taken only if it lowers the residual. The impulses returned are the
//! best that were seen.

use super::coupling::Coupling;
use super::local::{Block, Four, size};
use super::newton::Newton;
use super::problem::ConeProblem;
use super::proximal::Proximal;
use crate::answer::Status;
use crate::lcp::InputError;

/// When to stop, and by what means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConeOptions {
    /// Residual (m/s) at which a problem counts as solved.
    pub tolerance: f64,
    /// Most sweeps.
    pub sweeps: usize,
    /// Newton is tried up to so many contacts; 0 for sweeps alone.
    pub newton_contacts: usize,
    /// Sweeps before proximal steps begin.
    pub patience: usize,
    /// Most proximal steps; 0 for none.
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
    blocks: Vec<Block>,
    coupling: Coupling,
    /// Impulses in ball coordinates: now, before a step, before Newton, the best, and a step.
    g: Vec<Four>,
    before: Vec<Four>,
    kept: Vec<Four>,
    best: Vec<Four>,
    step: Vec<Four>,
    search: Vec<Four>,
    /// Velocities in ball coordinates, and as rows at the end.
    v: Vec<Four>,
    velocities: Vec<Four>,
    newton: Newton,
    proximal: Proximal,
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
        // Sweeps and proximal steps in turns: each gets out of places where the other is slow.
        let mut stage = self.options.patience.max(1);
        let mut proximal = self.options.proximal > 0 && self.proximal.set_up(problem, &self.blocks);
        while best > self.options.tolerance && (report.sweeps < self.options.sweeps || proximal) {
            self.sweeps(problem, &mut best, &mut report, stage.min(self.options.sweeps));
            stage += 2 * stage;
            if proximal && best > self.options.tolerance {
                let most = (report.proximal + 40).min(self.options.proximal);
                self.proximal_steps(problem, &mut best, &mut report, most);
                proximal = report.proximal < self.options.proximal;
            }
        }
        self.g.clone_from(&self.best);
        report.residual = self.renew(problem);
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

    fn set_up(&mut self, problem: &ConeProblem, impulses: &[Four]) {
        let k = problem.contacts.len();
        self.coupling.set_up(problem);
        self.blocks.clear();
        for (i, contact) in problem.contacts.iter().enumerate() {
            let own = self.coupling.block(problem, i, i);
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
                self.g[i] = onto_cone(&self.blocks[i], g);
            }
        }
    }

    fn hand_over(&mut self, impulses: &mut Vec<Four>) {
        impulses.clear();
        for (i, g) in self.g.iter().enumerate() {
            impulses.push([0, 1, 2, 3].map(|r| self.blocks[i].t[r] * g[r]));
        }
    }

    /// Velocities from the impulses, from scratch; the residual.
    fn renew(&mut self, problem: &ConeProblem) -> f64 {
        self.coupling.clear();
        for (i, g) in self.g.iter().enumerate() {
            if *g != [0.0; 4] {
                let f = [0, 1, 2, 3].map(|r| self.blocks[i].t[r] * g[r]);
                self.coupling.add(problem, i, &f);
            }
        }
        let mut most = 0.0f64;
        for i in 0..self.g.len() {
            let contact = &problem.contacts[i];
            let block = &self.blocks[i];
            let a = self.coupling.velocity(problem, i);
            for r in 0..4 {
                let f = block.t[r] * self.g[i][r];
                self.velocities[i][r] = a[r] + contact.compliance[r] * f + contact.b[r];
                self.v[i][r] = block.t[r] * self.velocities[i][r];
            }
            most = most.max(size(&block.residual(&self.g[i], &self.v[i])));
        }
        most
    }

    fn keep(&mut self, residual: f64, best: &mut f64) {
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
            let a = self.coupling.velocity(problem, i);
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
                self.coupling.add(problem, i, &change);
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
            let moved = onto_cone(&self.blocks[i], moved);
            if moved != self.g[i] {
                let change = [0, 1, 2, 3].map(|r| self.blocks[i].t[r] * (moved[r] - self.g[i][r]));
                self.g[i] = moved;
                self.coupling.add(problem, i, &change);
            }
        }
    }

    /// Sweeps up to a number, with Newton now and then.
    fn sweeps(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport, most: usize) {
        let (mut next, mut wait) = (report.sweeps + 4, 4);
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
            self.finish(problem, best, report);
            wait = (2 * wait).min(64);
            next = report.sweeps + wait;
        }
    }

    /// Proximal steps, softer ones first; each is followed by a sweep, and Newton tries to finish.
    fn proximal_steps(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport, most: usize) {
        let mut soft = 0.1;
        let mut last = self.renew(problem);
        while *best > self.options.tolerance && report.proximal < most {
            let mut g = std::mem::take(&mut self.g);
            self.proximal.step(&problem.contacts, &self.blocks, &mut g, &self.v, soft);
            self.g = g;
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

    /// Newton steps as long as each lowers the residual; where they do not end at a solution, everything is as before.
    fn finish(&mut self, problem: &ConeProblem, best: &mut f64, report: &mut ConeReport) {
        if self.g.len() > self.options.newton_contacts {
            return;
        }
        self.kept.clone_from(&self.g);
        let mut last = f64::INFINITY;
        for _ in 0..30 {
            self.before.clone_from(&self.g);
            let mut step = std::mem::take(&mut self.step);
            let found = self.newton.step(problem, &self.coupling, &self.blocks, &self.g, &self.v, &mut step);
            self.step = step;
            if found.is_none() {
                break;
            }
            report.newton += 1;
            let mut lowered = false;
            for share in [1.0, 0.5, 0.2] {
                for i in 0..self.g.len() {
                    let moved = [0, 1, 2, 3].map(|r| self.before[i][r] + share * self.step[i][r]);
                    self.g[i] = onto_cone(&self.blocks[i], moved);
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

/// P ≥ 0, and ȳ within its ball, radially.
fn onto_cone(block: &Block, mut g: Four) -> Four {
    if g[0].is_nan() || g[0] <= 0.0 {
        return [0.0; 4];
    }
    let size = (g[1] * g[1] + g[2] * g[2] + g[3] * g[3]).sqrt();
    let radius = block.m * g[0];
    if size > radius {
        let share = radius / size;
        (1..4).for_each(|r| g[r] *= share);
    }
    (1..4).for_each(|r| g[r] = if block.t[r] == 0.0 { 0.0 } else { g[r] });
    g
}
