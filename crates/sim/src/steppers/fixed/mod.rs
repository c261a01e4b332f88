//! # Fixed steps that neither gain energy nor creep
//!
//! `state` ──▶ `candidates`, `faces` ──▶ `rows`, `law`, `press` ──▶ `single_contact`, `island_solver` ──▶ **here** ──(state a step later, ledger)──▶ whoever asked
//!
//! - **in**: a model, a state, a time to reach, the length of a step
//! - **out**: the state then; a [`FixedReport`]; in the state, sums of what each step lost
//! - **not here**: located events, errors of 1e-12 ([`Accurate`](crate::Accurate))
//! - **assumes**: masses do not change
//! - **start at** [`FixedStep::advance`], then `step`
//!
//! The step is the midpoint rule with a discrete gradient of the contact's energy, and implicit Euler in contact
//! directions only as far as they are stiff. Sticking contacts do not creep: their springs hold. Touchdown, slip and release need
//! no sub-step. Each loss is computed from the step's own work and is never negative:
//!
//! - `E_num`: what the blend with implicit Euler takes (velocity, normal, tangential part)
//! - `E_visc`, `E_slip`, `E_release`: dampers, slip, springs let go
//!
//! Two more lines have either sign: `E_geo`, energy at the gap that geometry has at the end of the step less energy at
//! the gap that the rows led to, and what joints do whose inertia changes on the way; and `E_solver`, what Newton's iteration left.
//!
//! Faces on faces are two sets of rows: what presses (depth and slopes over the shared region) and what holds along them at
//! the centre of load. What a region gives to springs by changing is booked as modulation, as by the accurate stepper.
//!
//! **Length.** Settings, report and workspace of the stepper stand here together with the trait, since callers see them as one.

mod adaptive;
mod block;
mod candidates;
mod commit;
mod curve;
mod faces;
mod impact;
mod inverse_mass;
mod island_solver;
mod islands;
mod joint;
mod law;
mod meet;
mod parallel;
mod pattern;
mod pool;
mod press;
mod resting;
mod results;
mod rows;
mod single_body;
mod single_contact;
mod site;
mod sleep;
mod solver_body;
mod sparse;
mod step;
mod strands;
mod trees;

use crate::contacts::scratch::ContactScratch;
use crate::contacts::{BroadPhase, advancement, rest_offset};
use crate::energy::{Ledger, add_springs, without_springs};
use crate::model::Model;
use crate::model::body::Body;
use crate::model::check::ModelError;
use crate::model::interactions::Places;
use crate::run::stop::name;
use crate::run::{ContactResult, Event, Report, RunError, Stepper, Stop};
use crate::state::{FixedSums, State};
use candidates::{Candidates, Seen};
use faces::Faces;
use fingerpad_contact::law::Friction;
use island_solver::Numbers;
use islands::Islands;
use nalgebra::{Isometry3, Vector3};
use parallel::Parallel;
use pool::Pool;
use rows::ContactConstraint;
use solver_body::SolverBody;

/// Contacts or bodies from which on threads are worth their waking.
const MANY: usize = 256;

/// Parts of one step, at most.
const MOST_PARTS: u64 = 4000;
/// Those of them for short impacts, at most.
const MOST_CUTS: u64 = 2000;
/// What a last step takes along, as a share of a step: summed times are off by more than rounding of one.
const CRUMB: f64 = 1e-3;

/// Settings of the fast stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedStep {
    /// Length of a step (s).
    pub step: f64,
    /// A step whose `E_geo` is above this share of the energy of bodies that touch, all together, is made again.
    pub geometry: f64,
    /// How often a step is made at most.
    pub passes: u32,
    /// How long all bodies of an island must be at rest before it is left alone (s); none: nothing ever sleeps. What is
    /// left of their kinetic energy then is booked as numerical loss. A pose that is changed from outside wakes nobody.
    pub sleep: Option<f64>,
    /// Whether steps are cut into parts while an impact lasts that is too short for whole ones (`impact`).
    pub cuts_impacts: bool,
    /// Whether trees of joints end a step with the energy that its work leaves them, by a last touch of their velocity; else what
    /// differs is told (`E_inertia`).
    pub touches: bool,
    /// Error allowed in a step, relative to the size of a body and to its speed: then steps have lengths of their own, at most
    /// [`FixedStep::step`]; none for steps of one length.
    pub tolerance: Option<f64>,
}

impl Default for FixedStep {
    fn default() -> Self {
        Self { step: 1e-3, geometry: 1e-10, passes: 3, sleep: None, cuts_impacts: true, touches: true, tolerance: None }
    }
}

/// What steps added to the ledger (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Increments {
    /// Numerical losses, geometry, solver.
    pub sums: FixedSums,
    /// Lost in dampers.
    pub E_visc: f64,
    /// Lost to slip.
    pub E_slip: f64,
    /// Let go where contacts ended.
    pub E_release: f64,
    /// Work of loads and given motions.
    pub W_injected: f64,
    /// Σ |E_geo|.
    pub E_geo_size: f64,
}

impl Increments {
    /// The least of the losses that are never negative.
    pub fn least(&self) -> f64 {
        let s = &self.sums;
        [s.E_num_v, s.E_num_n, s.E_num_t, self.E_visc, self.E_slip, self.E_release].into_iter().fold(0.0, f64::min)
    }

    fn and(mut self, other: Self) -> Self {
        self.add(&other);
        self
    }

    fn add(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        self.E_visc += other.E_visc;
        self.E_slip += other.E_slip;
        self.E_release += other.E_release;
        self.W_injected += other.W_injected;
        self.E_geo_size += other.E_geo_size;
    }
}

/// What an advance cost, and what it added to the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FixedReport {
    /// Steps made.
    pub steps: u64,
    /// Further parts of steps in which bodies would have passed each other.
    pub parts: u64,
    /// Impacts that were shorter than some steps, and had steps cut into parts.
    pub impacts: u64,
    /// Further parts of steps made for them.
    pub impact_parts: u64,
    /// Steps in which these parts were more than may be, and the rest of the step was made as one.
    pub crowded: u64,
    /// With a tolerance: steps made again, shorter, and steps as short as may be that are still above it.
    pub rejected: u64,
    /// See `rejected`.
    pub rough: u64,
    /// Steps made again for their geometry.
    pub repeated: u64,
    /// Newton steps.
    pub newton: u64,
    /// Iterations of conjugate gradients in them.
    pub inner: u64,
    /// Searches that Newton's steps did not end.
    pub unconverged: u64,
    /// Searches whose friction limit was still changing.
    pub open: u64,
    /// Contacts that acted, summed over steps.
    pub contacts: u64,
    /// Those of them between bodies at rest, whose places were not looked at.
    pub rested: u64,
    /// The least of the losses that are never negative, over all steps (J).
    pub least_loss: f64,
    /// Added to the ledger.
    pub added: Increments,
}

impl Report for FixedReport {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn count_step(&mut self) {
        self.steps += 1;
    }

    fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.parts += other.parts;
        self.impacts += other.impacts;
        self.impact_parts += other.impact_parts;
        self.crowded += other.crowded;
        self.rejected += other.rejected;
        self.rough += other.rough;
        self.repeated += other.repeated;
        self.newton += other.newton;
        self.inner += other.inner;
        self.unconverged += other.unconverged;
        self.open += other.open;
        self.contacts += other.contacts;
        self.rested += other.rested;
        self.least_loss = self.least_loss.min(other.least_loss);
        self.added.add(&other.added);
    }

    fn effort(&self) -> u64 {
        self.newton
    }

    fn unsolved(&self) -> u64 {
        self.unconverged
    }
}

/// Counts of a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub newton: u64,
    pub rounds: u64,
    pub unconverged: u64,
    pub open: u64,
    pub inner: u64,
}

impl Tally {
    fn and(self, other: Self) -> Self {
        Self {
            newton: self.newton + other.newton,
            rounds: self.rounds + other.rounds,
            unconverged: self.unconverged + other.unconverged,
            open: self.open + other.open,
            inner: self.inner + other.inner,
        }
    }
}

/// A part of a step, as asked for and then as made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// Its length (s).
    pub h: f64,
    /// Its length but for impacts (s).
    pub asked: f64,
    /// Length of steps as the settings have it (s).
    pub whole: f64,
    /// Whether it may be cut shorter for an impact.
    pub may_cut: bool,
    /// Whether the step has been cut for one.
    pub cuts: bool,
    /// Whether islands may be carried apart from each other.
    pub may_split: bool,
    /// They must be: nothing is done yet, and `FixedWorkspace::held` has those in a short impact.
    pub splits: bool,
}

/// Scratch of the fast stepper; losing it loses nothing.
#[derive(Clone, Debug)]
pub struct FixedWorkspace {
    solver_bodies: Vec<SolverBody>,
    /// Contacts that are looked at.
    candidates: Candidates,
    /// The only body that is not fixed.
    only_body: Option<usize>,
    /// How many of the candidates have been looked at where they are at the end of the step: all but those promoted since.
    looked: usize,
    seen: Vec<Seen>,
    /// Contacts that are faces on faces.
    faces: Faces,
    /// Whether there may be any.
    flat: bool,
    /// Energy of pressing of faces before lists are renewed (J).
    pressings: Vec<f64>,
    /// How many contacts act: faces are two of the active ones.
    chosen: usize,
    /// Contacts that are not looked at.
    aside: Vec<u32>,
    /// Events of this step, one for each candidate.
    told: Vec<commit::Told>,
    bounds: Vec<u32>,
    broad: BroadPhase,
    pub(crate) events: Vec<Event>,
    /// Contacts that act, the first `count` of them.
    active: Vec<ContactConstraint>,
    count: usize,
    /// Bodies that this pass solves.
    open: Vec<bool>,
    /// Bodies that are left where they are while others are carried on; empty where there are none.
    held: Vec<bool>,
    /// Bodies that an impact strikes.
    struck: Vec<u32>,
    /// What the blend lost and what Newton left, by island (J).
    left: Vec<(f64, f64)>,
    /// Which candidate each active contact is; they are in order of their islands.
    watched: Vec<u32>,
    /// The same in order of the candidates.
    listed: Vec<u32>,
    /// Bodies that sleep and must wake, with their islands.
    woken: Vec<u32>,
    /// Loads as of the last step, where bodies may sleep.
    loads: Vec<(Vector3<f64>, Vector3<f64>)>,
    parallel: Parallel,
    pool: Option<Pool>,
    /// Places of contacts, while results are looked at.
    at: ContactScratch,
    results: Vec<ContactResult>,
    ends: Vec<Isometry3<f64>>,
    islands: Islands,
    numbers: Numbers,
    /// Trees of joints.
    forest: trees::Forest,
    /// Steps of a given error.
    doubled: adaptive::Doubled,
}

impl FixedWorkspace {
    /// Events of the last advance, in order; their times are ends of steps.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The same with this many threads, for scenes of some hundred contacts and more; smaller ones stay with one. The bits
    /// of the result do not depend on it. Where the system gives no threads, and without the feature `rayon`, one does all.
    pub fn with_threads(self, threads: usize) -> Self {
        Self { pool: Pool::new(threads), ..self }
    }

    /// Scratch for a model. Laws that the fast stepper does not know are refused.
    pub fn new(model: &Model) -> Result<Self, ModelError> {
        for law in model.laws() {
            let law = &law.law;
            let what = match &law.friction {
                _ if law.partial.is_some() => "partial slip",
                Friction::TwoCoefficients { .. } => "friction with two coefficients",
                Friction::Rule(_) => "a friction rule of the user's own",
                _ => continue,
            };
            return Err(ModelError::Fixed { of: "a pair".to_string(), what });
        }
        let roots = candidates::roots(model).into_iter().zip(model.bodies());
        let fall = |body: &Body| {
            let size = body.shape.reach();
            if size.is_finite() { body.mass * model.gravity_W().norm() * size } else { 0.0 }
        };
        Ok(Self {
            solver_bodies: roots
                .map(|(root, body)| SolverBody::new(root, body.mass, fall(body), resting::size(body)))
                .collect(),
            candidates: Candidates::default(),
            looked: 0,
            only_body: single_body::find(model),
            seen: Vec::new(),
            faces: Faces::default(),
            flat: model.laws().iter().any(|law| law.places == Places::All),
            pressings: Vec::new(),
            chosen: 0,
            aside: Vec::new(),
            told: Vec::new(),
            bounds: Vec::new(),
            broad: BroadPhase::with_room(model.bodies().len(), 2 * model.bodies().len() + 8),
            events: Vec::with_capacity(64),
            active: Vec::new(),
            count: 0,
            open: vec![true; model.bodies().len()],
            held: Vec::with_capacity(model.bodies().len()),
            struck: Vec::with_capacity(2 * model.bodies().len() + 64),
            left: Vec::new(),
            watched: Vec::new(),
            listed: Vec::new(),
            woken: Vec::new(),
            loads: Vec::new(),
            parallel: Parallel::default(),
            pool: None,
            at: ContactScratch::default(),
            results: Vec::new(),
            ends: vec![Isometry3::identity(); model.bodies().len()],
            forest: trees::Forest::new(model),
            islands: Islands::default(),
            numbers: Numbers::default(),
            doubled: adaptive::Doubled::default(),
        })
    }
}

impl FixedStep {
    /// One whole step; kicks are left alone.
    #[allow(clippy::result_large_err)] // once in a run
    pub fn step(&self, model: &Model, state: &mut State, work: &mut FixedWorkspace) -> Result<FixedReport, RunError> {
        let mut report = FixedReport::default();
        self.step_by(model, state, work, self.step, &mut report).map_err(|cause| name(model, state, cause))?;
        report.count_step();
        Ok(report)
    }

    /// One step of length h, in parts where bodies would pass each other in a whole one.
    pub(crate) fn step_by(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut FixedWorkspace,
        h: f64,
        report: &mut FixedReport,
    ) -> Result<(), Stop> {
        let time = state.time;
        let pool = work.pool.clone().filter(|_| model.bodies().len().max(state.contacts.len()) >= MANY);
        work.parallel = Parallel { many: pool.is_some() };
        self.carry(model, state, work, h, &pool, report)?;
        state.time = time + h;
        rest_offset::check(model, state)
    }

    /// Parts of a step that add up to h.
    fn carry(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut FixedWorkspace,
        h: f64,
        pool: &Option<Pool>,
        report: &mut FixedReport,
    ) -> Result<(), Stop> {
        let time = state.time;
        let (mut left, mut parts, mut cuts) = (h, 0, 0);
        while left > 0.0 {
            let FixedWorkspace { broad, pressings, .. } = work;
            candidates::update_if_due(model, state, broad, pressings, left)?;
            let safe = advancement::safe_time(model, state, left);
            let part = if safe < left * (1.0 - 1e-6) { safe.max(1e-6 * h) } else { left };
            parts += 1;
            if parts - cuts > MOST_PARTS {
                return Err(Stop::TooFast { h: part });
            }
            let may_cut = self.cuts_impacts && cuts < MOST_CUTS;
            let may_split = work.held.is_empty() && self.sleep.is_none();
            let plain =
                Part { h: part, asked: part, whole: self.step, may_cut, cuts: cuts > 0, may_split, splits: false };
            let mut part = plain;
            let added = match pool {
                Some(pool) => pool.with(|| step::step(self, model, state, work, &mut part, report))?,
                None => step::step(self, model, state, work, &mut part, report)?,
            };
            if part.splits {
                self.carry_apart(model, state, work, plain, pool, report)?;
                left -= plain.h;
                state.time = time + (h - left);
                continue;
            }
            let Part { h: part, asked, .. } = part;
            cuts += u64::from(part < asked);
            if cuts == MOST_CUTS && part < asked {
                report.crowded += 1;
            }
            book(state, &added, report);
            left -= part;
            state.time = time + (h - left);
        }
        report.parts += (parts - 1).saturating_sub(cuts);
        report.impact_parts += cuts;
        Ok(())
    }

    /// One part in which some islands are in a short impact: the others as a whole, then these, cut.
    fn carry_apart(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut FixedWorkspace,
        part: Part,
        pool: &Option<Pool>,
        report: &mut FixedReport,
    ) -> Result<(), Stop> {
        let mut whole = Part { may_cut: false, may_split: false, ..part };
        let told = work.events.len();
        let made = match pool {
            Some(pool) => pool.with(|| step::step(self, model, state, work, &mut whole, report)),
            None => step::step(self, model, state, work, &mut whole, report),
        };
        let made = made.and_then(|added| {
            book(state, &added, report);
            impact::hold_others(work);
            self.carry(model, state, work, part.h, pool, report)
        });
        work.held.clear();
        work.islands.forget();
        // The others' are those of the end of the part.
        work.events[told..].sort_unstable_by(|one, other| {
            let order = |event: &Event| (event.a.0, event.b.0, event.id);
            one.time.total_cmp(&other.time).then_with(|| order(one).cmp(&order(other)))
        });
        made
    }
}

/// Writes what a part added into the sums of state and report.
fn book(state: &mut State, added: &Increments, report: &mut FixedReport) {
    report.least_loss = report.least_loss.min(added.least());
    report.added.add(added);
    state.fixed.sums.add(&added.sums);
    state.W_injected += added.W_injected;
}

impl Stepper for FixedStep {
    type Workspace = FixedWorkspace;
    type Report = FixedReport;

    fn workspace(&self, model: &Model, _: &State) -> Result<FixedWorkspace, ModelError> {
        FixedWorkspace::new(model)
    }

    fn take_over(&self, _: &Model, _: &mut State, _: &mut FixedWorkspace) -> Result<(), Stop> {
        Ok(())
    }

    fn step_towards(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut FixedWorkspace,
        end: f64,
        report: &mut FixedReport,
    ) -> Result<(), Stop> {
        if let Some(tolerance) = self.tolerance {
            return adaptive::advance(self, tolerance, model, state, work, end, report);
        }
        let left = end - state.time;
        // A last step that would leave a crumb takes the crumb along.
        let last = left <= self.step * (1.0 + CRUMB);
        let whole = !last || (left - self.step).abs() <= 1e-9 * self.step;
        let h = if whole { self.step } else { left };
        self.step_by(model, state, work, h, report)?;
        if last {
            state.time = end;
        }
        Ok(())
    }

    fn ends_at_breaks(&self) -> bool {
        false
    }

    fn most_steps(&self) -> u64 {
        u64::MAX
    }

    fn events(work: &FixedWorkspace) -> &[Event] {
        &work.events
    }

    fn events_mut(work: &mut FixedWorkspace) -> &mut Vec<Event> {
        &mut work.events
    }

    fn contact_results<'a>(
        &self,
        model: &Model,
        state: &State,
        work: &'a mut FixedWorkspace,
    ) -> Result<&'a [ContactResult], Stop> {
        results::fill(model, state, work)
    }

    fn ledger(&self, model: &Model, state: &State, work: &mut FixedWorkspace) -> Result<Ledger, Stop> {
        let mut sum = without_springs(model, state);
        for (contact, result) in state.contacts.iter().zip(results::fill(model, state, work)?) {
            add_springs(&mut sum, &model.law(&contact.pair).law, contact, result);
        }
        Ok(sum)
    }
}
