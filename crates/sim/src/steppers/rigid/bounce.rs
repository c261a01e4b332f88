//! # Bounce: Newton's restitution, lowered where it would gain energy
//!
//! `step` ──(an island, solved with restitution)──▶ **here** ──(impulses that gain nothing)──▶ `step`
//!
//! - **in**: the problem of an island, its impulses, velocities before the step
//! - **out**: [`rebound`]: which points bounce; [`Scratch::calm`]: the impulses with less restitution, if need be
//! - **not here**: how impulses are found (`islands`)
//! - **start at** [`Scratch::calm`]
//!
//! Newton's rule v_n⁺ = −e v_n⁻ asks for a velocity and not for energy. With friction whose slip turns back within the impact, or
//! with several contacts of which some only pass impulses on, it can give more than it got (Kane). Without restitution the
//! impulses of an island take energy: there v_n⁺ ≤ 0 goes with every f_n and friction acts against slip. In
//! between there is a share of all coefficients of the island from which on nothing is gained; it is found by halving.
//!
//! Gain is the work of the impulses at the mean of the velocities before and after, of surfaces against each other: what a
//! bat gives to a ball is none.

use super::constraint::ContactPoint;
use super::islands::{Islands, velocity};
use super::step::{Scratch, surface};
use super::{Rigid, RigidReport};
use crate::model::Model;
use crate::state::State;
use fingerpad_contact::spatial::SpatialVelocity;
use std::ops::Range;

/// Halvings of the share of restitution that is left.
const HALVINGS: usize = 10;
/// Gain that counts as none, against the sizes of works that it is a sum of: what solutions to 1e-9 m/s leave.
const NONE: f64 = 1e-9;

/// Restitution asked of a point that comes in at `before` (m/s, negative) and would be at `free` without contact: e v_n⁻,
/// which is added to v_n⁺ before that must not be negative. None if it does not land in this step, or too slowly.
pub(super) fn rebound(
    settings: &Rigid,
    state: &State,
    point: &ContactPoint,
    h: f64,
    before: f64,
    free: f64,
) -> Option<f64> {
    let law = state.contacts[point.contact].pair.law.0;
    let restitution = settings.restitution.get(law).copied().unwrap_or(0.0);
    let bounces = restitution > 0.0 && before < -settings.threshold && point.gap + h * free < 0.0;
    bounces.then_some(restitution * before)
}

/// Storage: what is asked of each point, its full drive, the impulses that gain nothing, velocities.
#[derive(Clone, Debug, Default)]
pub(super) struct Calming {
    asked: Vec<f64>,
    full: Vec<f64>,
    least: Vec<[f64; 4]>,
    after: Vec<SpatialVelocity>,
}

impl Scratch {
    /// Lowers the restitution of an island, just solved, until its impulses gain nothing.
    #[allow(clippy::too_many_arguments)] // an island and all that it is made of
    pub(super) fn calm(
        &mut self,
        settings: &Rigid,
        model: &Model,
        state: &State,
        h: f64,
        islands: &mut Islands,
        island: &Range<usize>,
        report: &mut RigidReport,
    ) {
        if settings.restitution.iter().all(|e| *e == 0.0) {
            return;
        }
        let mut room = std::mem::take(&mut self.calming);
        room.asked.clear();
        room.asked.extend(islands.members(island).map(|k| {
            let point = &self.cache.points[k];
            let (before, free) = (velocity(point, &self.before)[0], velocity(point, &self.after)[0]);
            rebound(settings, state, point, h, before, free).unwrap_or(0.0)
        }));
        if room.asked.iter().any(|asked| *asked != 0.0) && self.gains(model, state, islands, island, &mut room.after) {
            self.lower(settings, model, state, islands, island, &mut room, report);
        }
        self.calming = room;
    }

    /// The largest share of what is asked that gains nothing.
    #[allow(clippy::too_many_arguments)] // an island and all that it is made of
    fn lower(
        &mut self,
        settings: &Rigid,
        model: &Model,
        state: &State,
        islands: &mut Islands,
        island: &Range<usize>,
        Calming { asked, full, least, after }: &mut Calming,
        report: &mut RigidReport,
    ) {
        report.calmed += 1;
        full.clear();
        full.extend(islands.problem.contacts.iter().map(|contact| contact.b[0]));
        least.clear();
        // Share that gains nothing, share that gains.
        let (mut low, mut high) = (0.0, 1.0);
        for round in 0..=HALVINGS {
            let share = if round == 0 { 0.0 } else { 0.5 * (low + high) };
            for (contact, (full, asked)) in islands.problem.contacts.iter_mut().zip(full.iter().zip(asked.iter())) {
                contact.b[0] = full - (1.0 - share) * asked;
            }
            islands.solve(settings, report);
            report.solves += 1;
            if round > 0 && self.gains(model, state, islands, island, after) {
                high = share;
            } else {
                low = share;
                least.clone_from(&islands.impulses);
            }
        }
        islands.impulses.clone_from(least);
    }

    /// Whether the impulses at hand do work at the mean velocities.
    fn gains(
        &mut self,
        model: &Model,
        state: &State,
        islands: &mut Islands,
        island: &Range<usize>,
        after: &mut Vec<SpatialVelocity>,
    ) -> bool {
        after.clone_from(&self.after);
        islands.push(&self.cache.points, &self.cache.inverse, &self.links, island, after);
        if !islands.trees.is_empty() {
            islands.respond(model, &mut self.trees, false);
            self.velocities_of_links(model, islands, after);
        }
        let (mut gain, mut size) = (0.0, 0.0);
        for (k, f) in islands.members(island).zip(&islands.impulses) {
            let point = &self.cache.points[k];
            let (from, to) = (velocity(point, &self.before), velocity(point, after));
            let along = surface(model, state, point);
            for r in 0..4 {
                gain += f[r] * (0.5 * (from[r] + to[r]) + along[r]);
                size += (f[r] * (from[r].abs() + to[r].abs())).abs();
            }
        }
        gain > NONE * size
    }
}
