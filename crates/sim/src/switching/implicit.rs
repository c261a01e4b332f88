//! # Implicit steps of a given error: fixed steps, made in several columns
//!
//! - **in**: a state, a time to reach, a tolerance
//! - **out**: the state a step later or some steps later; what that cost
//! - **not here**: columns and their difference (`columns`); when implicit steps carry (`switching`)
//! - **start at** [`carry`]
//!
//! A step of length h is made as 1, 2, 3 … fixed steps; the results are extrapolated to none (Aitken–Neville on 1, 2, 3, …;
//! Hairer, §II.9, on errors in all powers of h), and the error is what the last column changed. Errors are measured in
//! lengths of the body and in the speed that its energy would give it: a slip direction without load has no part in it.

use super::columns::Columns;
use super::joints;
use super::{SwitchingReport, SwitchingWorkspace, presses};
use crate::model::Model;
use crate::run::{Stop, Subject};
use crate::state::State;
use crate::steppers::accurate::Accurate;
use crate::steppers::fixed::{FixedReport, FixedStep, FixedWorkspace};

/// Columns at most.
pub(super) const COLUMNS: usize = 4;
/// A step is never shorter than this (s), whatever its error.
const SHORTEST: f64 = 1e-8;
/// An error at which even the shortest step is given up: over tolerance, and by itself. A force that jumps within such a step
/// (friction that turns round, a corner that lets go) changes a velocity by some 1e-7 of it, and the motion goes on.
const HOPELESS: (f64, f64) = (10.0, 1e-6);
/// What a fixed step costs beside its Newton steps, in rates.
const STEP_COST: f64 = 2.0;

/// What some steps cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Carried {
    /// In rates.
    pub cost: f64,
    /// Steps above the tolerance.
    pub rough: u64,
}

/// Implicit steps, not beyond `end`, until they have cost `most` rates, at least one.
pub(super) fn carry(
    settings: &Accurate,
    model: &Model,
    state: &mut State,
    work: &mut SwitchingWorkspace,
    end: f64,
    most: f64,
    report: &mut SwitchingReport,
) -> Result<Carried, Stop> {
    let mut sum = Carried::default();
    loop {
        let (began, rough) = (state.time, report.implicit.rough);
        sum.cost += step(settings, model, state, work, end, report)?;
        sum.rough += report.implicit.rough - rough;
        report.implicit.time += state.time - began;
        report.implicit.steps += 1;
        if state.time >= end.min(state.accurate.implicit.until) || sum.cost >= most || !presses(model, state) {
            return Ok(sum);
        }
    }
}

/// One step of the error that is asked for; its cost in rates.
fn step(
    settings: &Accurate,
    model: &Model,
    state: &mut State,
    work: &mut SwitchingWorkspace,
    end: f64,
    report: &mut SwitchingReport,
) -> Result<f64, Stop> {
    let SwitchingWorkspace { accurate, fixed, columns, .. } = work;
    let Some(fixed) = fixed else { return Ok(0.0) };
    let room = end - state.time;
    let mut h = state.accurate.implicit.h.min(settings.longest).min(model.longest_step());
    let mut cost = 0.0;
    loop {
        // A last step that would leave a crumb takes the crumb along.
        let last = h * 1.01 >= room;
        let length = if last { room } else { h };
        let Tried { error, column, spent, parts, failed } = attempt(settings, model, state, fixed, columns, length);
        cost += spent;
        report.implicit.parts += parts;
        let shortest = length <= SHORTEST;
        if let (Some(cause), true) = (&failed, shortest) {
            return Err(cause.clone());
        }
        // Steps this short that are still far off lead nowhere.
        if shortest && (error.is_nan() || error > HOPELESS.0.max(HOPELESS.1 / settings.relative)) {
            return Err(Stop::TooShort { h: length, of: Subject::Body(fastest(state)) });
        }
        // What the last column changed goes at least with h^(column + 1).
        let power = 1.0 / (column + 1) as f64;
        let factor = if failed.is_some() { 0.25 } else { (0.85 * error.max(1e-12).powf(-power)).clamp(0.2, 4.0) };
        if error <= 1.0 || shortest && failed.is_none() {
            report.implicit.rough += u64::from(error > 1.0);
            report.accurate.position_error += columns.position_error(model);
            columns.accept(model, state, column, error <= 1.0)?;
            if last {
                state.time = end;
            }
            accurate.events.extend_from_slice(&columns.events);
            let next = if last { h.max(length * factor) } else { h * factor };
            state.accurate.implicit.h = next.max(SHORTEST);
            return Ok(cost);
        }
        report.implicit.rejected += 1;
        h = (length * factor.min(0.7)).max(SHORTEST);
    }
}

/// The body that moves fastest: the one to name where nothing holds.
fn fastest(state: &State) -> usize {
    let speed = |k: usize| state.bodies[k].V_WBcm.v.norm_squared();
    (0..state.bodies.len()).max_by(|&i, &j| speed(i).total_cmp(&speed(j))).unwrap_or(0)
}

/// What a step of some length came to.
struct Tried {
    /// Over tolerance.
    error: f64,
    /// The last column made.
    column: usize,
    /// In rates.
    spent: f64,
    /// Fixed steps.
    parts: u64,
    failed: Option<Stop>,
}

fn attempt(
    settings: &Accurate,
    model: &Model,
    state: &State,
    fixed: &mut FixedWorkspace,
    columns: &mut Columns,
    h: f64,
) -> Tried {
    let mut tried = Tried { error: f64::INFINITY, column: 0, spent: 0.0, parts: 0, failed: None };
    columns.begin(model, state);
    for column in 0..COLUMNS {
        let parts = column + 1;
        let part = h / parts as f64;
        let stepper = FixedStep { step: part, cuts_impacts: false, touches: false, ..FixedStep::default() };
        let mut made = FixedReport::default();
        fixed.events.clear();
        let trial = columns.trial(state);
        for _ in 0..parts {
            joints::forget(trial);
            if let Err(cause) = stepper.step_by(model, trial, fixed, part, &mut made) {
                return Tried { failed: Some(cause), column, ..tried };
            }
        }
        tried.parts += parts as u64;
        tried.spent += made.newton as f64 + STEP_COST * parts as f64;
        tried.column = column;
        columns.events.clear();
        columns.events.extend_from_slice(&fixed.events);
        columns.extrapolate(model, state, column);
        if column == 0 {
            continue;
        }
        tried.error = columns.error(model, state, settings);
        // Good; or hopeless, where further columns do not gain that much.
        if tried.error <= 1.0 || tried.error > 1e3 {
            break;
        }
    }
    tried
}
