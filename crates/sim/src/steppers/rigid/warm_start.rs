//! # Last impulses: islands that they solve as they are
//!
//! `step` ──(points, velocities without contacts)──▶ **here** ──(what the last impulses leave, residuals)──▶ `step`
//!
//! - **in**: points of all islands, the impulses that the last step left in the state
//! - **out**: [`Scratch::try_warm_start`]: velocities of bodies and rows under them, residuals; [`Scratch::verdict`]: what is left to do
//! - **not here**: other impulses (`islands`)
//! - **start at** [`Scratch::try_warm_start`]
//!
//! Bodies at rest need the same impulses in every step. Whether these do shows in one look at the residual, with no problem made:
//! impulses are added up by body and velocities taken along the rows, 150 products a point.
//!
//! **The step after.** Impulses that stop a drift, V → 0, lead to −V if they act once more. So the residual is also taken at 2 v⁺ − v, where
//! the same impulses would lead next; if that is larger by more than a little they are brought nearer by two Newton steps, which find
//! those that hold still. Without this, every second step of a stack at rest was solved anew. In motion the impulses of the next step are others
//! anyhow.

use super::bounce::rebound;
use super::constraint::Limit;
use super::islands::{Islands, tolerances, velocity};
use super::painleve::SLOW;
use super::step::{Scratch, surface};
use super::{Rigid, Solver};
use crate::model::Model;
use crate::run::Stop;
use crate::state::{ContactMode, State};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Matrix6, Vector3};
use std::ops::Range;

/// Residual that large islands at rest are held to, against the one at which they count as solved.
const STILL: f64 = 0.01;
/// Slower than this (m/s) bodies come to rest.
const RESTS: f64 = 1e-5;
/// What it may grow by in a step (m/s).
const GROWTH: f64 = 1e-13;

/// What the last impulses are worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    /// They solve the island; residual (m/s).
    Solved(f64),
    /// They do, but would not for long.
    Nearly,
    /// They do not.
    Off,
}

impl Scratch {
    /// What the impulses of the last step do in this one, for all points that matter. [`Scratch::after`] has the velocities without
    /// contacts.
    pub(super) fn try_warm_start(
        &mut self,
        settings: &Rigid,
        model: &Model,
        state: &State,
        h: f64,
        islands: &Islands,
    ) -> Result<(), Stop> {
        let count = self.cache.points.len();
        fill(&mut self.impulses, count, [0.0; 4]);
        fill(&mut self.limits, count, Limit::default());
        fill(&mut self.was, count, [0.0; 4]);
        fill(&mut self.now, count, [0.0; 4]);
        fill(&mut self.offs, count, [0.0; 2]);
        fill(&mut self.pushes, state.bodies.len(), SpatialForce::zero());
        for k in islands.all() {
            let point = &self.cache.points[k];
            let at = &state.contacts[point.contact];
            let last = at.rigid.points.get(point.slot).map_or([0.0; 4], |force| force.map(|f| f * h));
            let (limit, gauge) = match point.steady {
                Some(steady) => steady,
                None => {
                    let limit = point.limit(at.pair, &model.law(&at.pair).law, last[0].max(0.0) / h)?;
                    (limit, point.gauge(&limit))
                }
            };
            (self.impulses[k], self.limits[k]) = (gauge.onto_set(&last), limit);
            point.push(&self.impulses[k], &mut self.pushes);
        }
        self.tried.clone_from(&self.after);
        for (i, V) in self.tried.iter_mut().enumerate() {
            if self.moves[i] && !self.links[i] {
                add(V, &self.cache.inverse[i], &self.pushes[i]);
            }
        }
        let bounces = settings.restitution.iter().any(|e| *e > 0.0);
        for k in islands.all() {
            let point = &self.cache.points[k];
            let (was, now) = (velocity(point, &self.before), velocity(point, &self.tried));
            (self.was[k], self.now[k]) = (was, now);
            let f = &self.impulses[k];
            let gauge = point.steady.map_or_else(|| point.gauge(&self.limits[k]), |(_, gauge)| gauge);
            let mut shift = if self.belts { surface(model, state, point) } else { [0.0; 4] };
            shift[0] += (point.gap - settings.slop).max(0.0) / h + point.softness * f[0];
            let (mut here, mut ahead) = (now, now);
            for r in 0..4 {
                here[r] += shift[r] + point.bend[r];
                ahead[r] = here[r] + now[r] - was[r];
            }
            self.offs[k] = [gauge.residual(f, &here), gauge.residual(f, &ahead)];
            // What lands is solved with restitution.
            if bounces {
                let free = velocity(point, &self.after)[0];
                if rebound(settings, state, point, h, was[0], free).is_some() {
                    self.offs[k] = [f64::INFINITY; 2];
                }
            }
        }
        Ok(())
    }

    /// Whether the last impulses solve an island, as it is looked at alone.
    pub(super) fn verdict(&self, settings: &Rigid, state: &State, islands: &Islands, island: &Range<usize>) -> Verdict {
        // Links answer together, which velocities tried body by body do not show.
        let links = || islands.members(island).any(|k| self.cache.points[k].bodies.into_iter().any(|i| self.links[i]));
        if matches!(settings.solver, Solver::Lemke { .. }) || links() {
            return Verdict::Off;
        }
        let (mut worst, mut ahead, mut fastest, mut slips) = (0.0_f64, 0.0_f64, 0.0_f64, false);
        for k in islands.members(island) {
            let [now, next] = self.offs[k];
            (worst, ahead) = (worst.max(now), ahead.max(next));
            let [a, b] = self.cache.points[k].bodies;
            fastest = fastest.max(self.speeds[a][0]).max(self.speeds[b][0]);
            let sticks = state.contacts[self.cache.points[k].contact].mode == ContactMode::Stick;
            if !sticks && self.impulses[k][0] > 0.0 {
                slips |= self.belts || self.was[k][1].hypot(self.was[k][2]) > SLOW;
            }
        }
        let (tolerance, sharp) = tolerances(&settings.options, island.len());
        let still = sharp.min(STILL * tolerance);
        if slips || worst > sharp {
            // What slips is looked at for impulses that slip drives.
            Verdict::Off
        } else if fastest < RESTS && (worst > still || ahead > worst + GROWTH) {
            Verdict::Nearly
        } else {
            Verdict::Solved(worst)
        }
    }
}

/// V ← V + W F.
pub(super) fn add(V: &mut SpatialVelocity, W: &Matrix6<f64>, F: &SpatialForce) {
    let F = [F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z];
    let row = |r: usize| (0..6).map(|c| W[(r, c)] * F[c]).sum::<f64>();
    V.w += Vector3::new(row(0), row(1), row(2));
    V.v += Vector3::new(row(3), row(4), row(5));
}

fn fill<T: Clone>(list: &mut Vec<T>, count: usize, with: T) {
    list.clear();
    list.resize(count, with);
}
