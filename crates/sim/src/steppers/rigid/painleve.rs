//! # Painlevé: impulses that slip drives, and that stay where the step goes to zero
//!
//! `step` ──(an island, solved)──▶ **here** ──(which contacts)──▶ books, events
//!
//! - **in**: the problem of an island, its impulses, velocities before the step
//! - **out**: [`Scratch::seize`]: contacts whose impulse does not vanish with what drives them
//! - **not here**: finding impulses (`islands`); what is done about them (nothing: they are the solution)
//! - **start at** [`Scratch::seize`]
//!
//! A contact is driven by approach, by forces over the step and by restitution: all that makes b_n negative, and all that
//! differs between the velocities before the step and those without contacts after it. Impulses follow these: half the
//! drive, half the impulse. With much friction there are states where they do not: friction presses the bodies together
//! harder than the normal impulse parts them, and only an end of slip stops it. Then the impulse comes from the speed of slip, and
//! is the same however short the step (inconsistent states), or one of several answers (ambiguous ones). The island is solved
//! once more with 2⁻¹⁰ of its drive and slip as it was before the step; a contact that keeps more than half of its impulse has seized.
//!
//! Asked only where something slips or lands, and impulses change velocities (as Σ f·Δv, an energy) by more than 16
//! times what the drive alone amounts to.

use super::islands::{Islands, velocity};
use super::step::{Scratch, surface};
use super::{Rigid, RigidReport};
use crate::model::Model;
use crate::state::{ContactMode, State};
use fingerpad_contact::spatial::SpatialForce;
use fingerpad_solve::cone::{Arm, ConeOperator};
use nalgebra::{Vector3, Vector6};
use std::ops::Range;

/// What is left of the drive.
const SHARE: f64 = 1.0 / 1024.0;
/// Energy of the impulses over that of the drive where it is worth a look.
const SUSPECT: f64 = 16.0;
/// Slower than this (m/s) nothing slips.
pub(super) const SLOW: f64 = 1e-6;

/// Storage: impulses as they were; what impulses make of blocks; which bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Seizing {
    kept: Vec<[f64; 4]>,
    pushes: Vec<[f64; 6]>,
    bodies: Vec<usize>,
}

impl Scratch {
    /// Marks the contacts of an island, just solved, that have seized. The problem is another one afterwards; impulses are kept.
    #[allow(clippy::too_many_arguments)] // an island and all that it is made of
    pub(super) fn seize(
        &mut self,
        settings: &Rigid,
        model: &Model,
        state: &State,
        h: f64,
        islands: &mut Islands,
        island: &Range<usize>,
        report: &mut RigidReport,
    ) {
        if !self.is_suspect(model, state, h, islands, island) {
            return;
        }
        self.seizing.kept.clone_from(&islands.impulses);
        for place in 0..island.len() {
            let point = &self.cache.points[islands.member(island.start + place)];
            let (before, along) = (velocity(point, &self.before), surface(model, state, point));
            let b = &mut islands.problem.contacts[place].b;
            // A gap that does not close is no drive.
            b[0] *= if b[0] < 0.0 { SHARE } else { 1.0 };
            // What slips where the contact sticks is drift.
            let held = if state.contacts[point.contact].mode == ContactMode::Stick { SHARE } else { 1.0 };
            for r in 1..4 {
                let was = before[r] + along[r];
                b[r] = held * was + SHARE * (b[r] - was);
            }
        }
        let (_, solved) = islands.by_cone(settings.options, report);
        let kept = &self.seizing.kept;
        let most = kept.iter().map(|f| f[0]).fold(0.0, f64::max);
        let mut any = false;
        for (place, k) in islands.members(island).enumerate() {
            let (full, left) = (kept[place][0], islands.impulses[place][0]);
            if solved && full > 1e-3 * most && left > 0.5 * full {
                self.seized[self.cache.points[k].contact] = true;
                any = true;
            }
        }
        report.painleve += u64::from(any);
        islands.impulses.clone_from(&self.seizing.kept);
    }

    /// Whether impulses are large against what drives them.
    fn is_suspect(&mut self, model: &Model, state: &State, h: f64, islands: &Islands, island: &Range<usize>) -> bool {
        let ConeOperator::Blocks { count, arms, spans } = &islands.problem.operator else { return false };
        let slips = |k: usize| {
            let point = &self.cache.points[k];
            if state.contacts[point.contact].mode == ContactMode::Stick {
                return false;
            }
            let (before, along) = (velocity(point, &self.before), surface(model, state, point));
            (before[1] + along[1]).hypot(before[2] + along[2]) > SLOW
        };
        let loaded = || islands.members(island).zip(&islands.impulses).filter(|(_, f)| f[0] > 0.0);
        if !loaded().any(|(k, _)| slips(k)) {
            return false;
        }
        // Σ f·Δv over the bodies: squares of what impulses make of each, where its mass is 1.
        let Seizing { pushes, bodies, .. } = &mut self.seizing;
        pushes.clear();
        pushes.resize(*count, [0.0; 6]);
        let mut drive = 0.0;
        for (place, (span, f)) in spans.iter().zip(&islands.impulses).enumerate() {
            let mut gives = 0.0;
            for Arm { block, rows } in &arms[span.range()] {
                let push = &mut pushes[*block as usize];
                (0..6).for_each(|c| push[c] += (0..4).map(|r| f[r] * rows[r][c]).sum::<f64>());
                gives += square(&rows[0]);
            }
            let b = islands.problem.contacts[place].b[0].min(0.0);
            if gives > 0.0 {
                drive += b * b / gives;
            }
        }
        let done: f64 = pushes.iter().map(square).sum();
        if done <= SUSPECT * drive {
            return false;
        }
        // Forces may press bodies together that do not move against each other.
        bodies.clear();
        bodies.extend(islands.members(island).flat_map(|k| self.cache.points[k].bodies));
        bodies.sort_unstable();
        bodies.dedup();
        for &body in bodies.iter() {
            let weight = model.gravity_W() * (model.bodies()[body].mass * h);
            let F = self.loads[body] + SpatialForce::new(Vector3::zeros(), weight);
            let F = Vector6::from_iterator(F.t.iter().chain(&F.f).copied());
            drive += F.dot(&(self.cache.inverse[body] * F));
        }
        done > SUSPECT * drive
    }
}

/// x·x.
fn square(x: &[f64; 6]) -> f64 {
    x.iter().map(|x| x * x).sum()
}
