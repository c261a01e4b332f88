//! # Steps of a given error: each is made whole and in halves
//!
//! `Stepper::step_towards` ──(a state, a tolerance)──▶ **here** ──(the state after two halves, the next length)──▶ state
//!
//! - **in**: a state, a time not to go beyond, [`FixedStep::tolerance`]
//! - **out**: the state after a step whose error is within the tolerance; its length for the next, in the state
//! - **not here**: the steps themselves (`step`); extrapolated ones of higher order ([`Switching`](crate::Switching))
//! - **assumes**: the error of a whole step is of second order in its length, or of first where slip begins or ends within
//! - **start at** [`advance`]
//!
//! Two halves and a whole differ by the error of the whole but for a share (step doubling, Hairer, §II.4). The halves are kept as
//! they are: each loss is that of fixed steps, not negative, and the ledger closes as theirs. Impacts are not told apart: a whole
//! and its halves disagree until a blow is resolved.

use super::{FixedReport, FixedStep, FixedWorkspace};
use crate::model::Model;
use crate::run::{Report, Stop};
use crate::state::{BodyState, State};

/// No step is shorter than this (s), whatever its error.
const SHORTEST: f64 = 1e-8;
/// An error over tolerance at which even the shortest step is given up.
const HOPELESS: f64 = 1e3;
/// What a last step takes along.
const CRUMB: f64 = 1e-2;

/// Room for the two states that are compared; losing it loses nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubled {
    whole: Option<State>,
    halves: Option<State>,
}

/// A copy of a state in room that was there.
fn copy<'a>(room: &'a mut Option<State>, from: &State) -> &'a mut State {
    let copy = room.get_or_insert_with(|| from.clone());
    copy.clone_from(from);
    copy
}

/// One step within the tolerance, not beyond `end`.
pub(super) fn advance(
    fast: &FixedStep,
    tolerance: f64,
    model: &Model,
    state: &mut State,
    work: &mut FixedWorkspace,
    end: f64,
    report: &mut FixedReport,
) -> Result<(), Stop> {
    let mut doubled = std::mem::take(&mut work.doubled);
    let made = doubled.advance(fast, tolerance, model, state, work, end, report);
    work.doubled = doubled;
    made
}

impl Doubled {
    #[allow(clippy::too_many_arguments)] // as above
    fn advance(
        &mut self,
        fast: &FixedStep,
        tolerance: f64,
        model: &Model,
        state: &mut State,
        work: &mut FixedWorkspace,
        end: f64,
        report: &mut FixedReport,
    ) -> Result<(), Stop> {
        let room = end - state.time;
        let mut h = if state.fixed.next > 0.0 { state.fixed.next } else { 0.1 * fast.step };
        h = h.min(fast.step).min(model.longest_step());
        loop {
            let last = h * (1.0 + CRUMB) >= room;
            let length = if last { room } else { h };
            let events = work.events.len();
            let mut made = FixedReport::default();
            let error = self.attempt(fast, model, state, work, length, events, &mut made);
            let shortest = length <= SHORTEST;
            let error = match error {
                Err(cause) if shortest => return Err(cause),
                Err(_) => f64::INFINITY,
                Ok(error) => error / tolerance,
            };
            // Of second order, or of first.
            let factor = (0.9 * error.max(1e-6).powf(-0.5)).clamp(0.2, 2.0);
            if error <= 1.0 || shortest && error <= HOPELESS {
                let Some(halves) = &mut self.halves else { return Ok(()) };
                std::mem::swap(state, halves);
                let next = if last { h.max(length * factor) } else { h * factor };
                state.fixed.next = next.clamp(SHORTEST, fast.step);
                if last {
                    state.time = end;
                }
                report.rough += u64::from(error > 1.0);
                report.add(&made);
                return Ok(());
            }
            if shortest {
                return Err(Stop::NotFinite);
            }
            work.events.truncate(events);
            report.rejected += 1;
            h = (length * factor.min(0.5)).max(SHORTEST);
        }
    }

    /// Makes a step whole and in halves; how far apart they end.
    #[allow(clippy::too_many_arguments)] // as above
    fn attempt(
        &mut self,
        fast: &FixedStep,
        model: &Model,
        state: &State,
        work: &mut FixedWorkspace,
        h: f64,
        events: usize,
        made: &mut FixedReport,
    ) -> Result<f64, Stop> {
        let plain = |step: f64| FixedStep { step, tolerance: None, cuts_impacts: false, ..*fast };
        let whole = copy(&mut self.whole, state);
        plain(h).step_by(model, whole, work, h, &mut FixedReport::default())?;
        work.events.truncate(events);
        let halves = copy(&mut self.halves, state);
        for _ in 0..2 {
            plain(0.5 * h).step_by(model, halves, work, 0.5 * h, made)?;
        }
        Ok(error(model, state, whole, halves))
    }
}

/// The largest difference of a body between two ends: of lengths by its size, of speeds by that of its energy.
fn error(model: &Model, start: &State, one: &State, other: &State) -> f64 {
    let mut worst = 0.0_f64;
    for (i, body) in model.bodies().iter().enumerate() {
        if !body.mobility.is_moved_by_forces() {
            continue;
        }
        let size = model.extents()[i].radius;
        let size = if size.is_finite() { size } else { 1.0 };
        let (BodyState { X_WBcm: X, V_WBcm: V }, BodyState { X_WBcm: Y, V_WBcm: W }) =
            (&one.bodies[i], &other.bodies[i]);
        let now = &start.bodies[i].V_WBcm;
        let fall = (model.gravity_W().norm() * size).sqrt();
        let speed = now.v.norm().max(size * now.w.norm()).max(fall).max(1e-3 * size);
        let way = (X.translation.vector - Y.translation.vector).norm().max(size * X.rotation.angle_to(&Y.rotation));
        let gained = (V.v - W.v).norm().max(size * (V.w - W.w).norm());
        let error = (way / size).max(gained / speed);
        worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
    }
    worst
}
