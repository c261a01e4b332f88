//! # Rigid: rigid contacts, one impulse per step
//!
//! `contacts` ──(gaps, frames)──▶ **here** ──▶ `fingerpad_solve::cone` ──(impulses)──▶ state, events, ledger
//!
//! - **in**: the same models and states as the compliant law; a step size
//! - **out**: the state at a later time; [`Event`](crate::Event)s; a [`RigidReport`]; contact results
//! - **not here**: solving (`fingerpad-solve`); where bodies touch (`contacts`); events to 1e-14 s (`accurate`)
//! - **assumes**: bodies are rigid, patches take no room: of the contact law only friction and e_n are read, stiffness and
//!   damping are not
//! - **start at** [`Rigid::advance`], then `step`; `constraint` makes rows of contacts, `islands` solves
//!
//! Velocities jump over a step of length h (Stewart–Trinkle, Anitescu–Potra), contacts as they are at its start:
//!
//! ```text
//! M (V⁺ − V) = h F + Σ Jᵀ f,   0 ≤ f_n ⊥ v_n⁺ + max(gap − slop, 0)/h ≥ 0,   (f_t, f_s) on the ellipsoid μ f_n (1, 1, e_n) against v_t⁺
//! ```
//!
//! **Places** move by the mean of V and V⁺, so that gravity, loads and impulses do exactly the work that the kinetic energy
//! shows: a slide under constant friction and free fall are exact at any h. What overlaps after that is moved
//! apart along the normals by the least motion (mass-weighted), with no velocity: `project`.
//!
//! **Turning.** The torque-free part is an implicit midpoint in body axes, which keeps energy and the size of angular momentum.
//!
//! **Patches.** e_n is that of the patch theory under the load f_n/h: a fixed point from the load of the last step, at most
//! [`Rigid::passes`] solves. Contacts without an elliptic patch (edges, corners) hold no moment. `Friction::Exact`
//! takes its ellipsoid; `Friction::Sticks` takes μ = 10⁴ and 10² m for the moment; `Friction::None` takes none.
//!
//! **Faces** are points at the corners of their region (arcs every 30°) that share the load as the solver has it. Friction of
//! each acts not there but drawn in towards the centroid, until a turn of the evenly loaded face takes the moment of an even
//! pressure. A shift within the plane changes nothing but this moment.
//!
//! **Rest.** Rows of bodies that have not moved are kept (`cache`), and impulses of the last step that solve this one are taken as they are
//! (`warm_start`): a body at rest costs a look at its residual.
//!
//! **Painlevé.** Impulses that do not vanish with h are told apart from impacts: `painleve`. Their contacts are named by an
//! event, what they take has its own line of the ledger.

mod accounting;
mod bounce;
mod cache;
mod constraint;
mod gyroscopic;
mod islands;
mod midway;
mod painleve;
pub mod polyhedral;
mod project;
mod results;
mod step;
mod step_of_trees;
mod strands;
mod trees;
mod warm_start;

use crate::contacts::BroadPhase;
use crate::contacts::look::look;
use crate::contacts::scratch::ContactScratch;
use crate::energy::{Ledger, add_springs, without_springs};
use crate::model::Model;
use crate::model::check::ModelError;
use crate::run::{ContactResult, Event, Report, Stepper, Stop};
use crate::state::{ContactMode, ContactState, State};
use fingerpad_solve::cone::ConeOptions;
use step::Scratch;

/// Settings of the complementarity stepper.
#[derive(Clone, Debug, PartialEq)]
pub struct Rigid {
    /// Step (s): steps end at its multiples, and before where kicks and loads need it or bodies would move out of sight.
    pub step: f64,
    /// How each island is solved.
    pub solver: Solver,
    /// When the cone solver stops; small islands that can be brought to 1e-12 m/s by a few Newton steps are, and islands of more
    /// than 60 contacts count as solved at 1e-8 m/s.
    pub options: ConeOptions,
    /// Most solves of a step for e_n at the load; 1 takes the load of the last step.
    pub passes: usize,
    /// Newton's coefficient of restitution by law, in the order of [`LawId`](crate::LawId); 0 for laws beyond its end.
    /// Lowered in a step where it would gain energy.
    pub restitution: Vec<f64>,
    /// Approaches slower than this (m/s) do not bounce.
    pub threshold: f64,
    /// Overlap that is left alone, and gap that counts as touching (m).
    pub slop: f64,
    /// Where rows of a contact are off by less than this (rad) they are kept from step to step; 0 finds all anew at every step.
    pub keep: f64,
    /// Steps after which a single `advance` gives up.
    pub most_steps: u64,
}

/// How an island is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solver {
    /// The cone solver, whatever the island.
    #[default]
    Auto,
    /// On the exact ellipsoid.
    Cone,
    /// On the hull of rings of points (6 × 2: 20, 8 × 3: 42, 12 × 4: 86 points), by Lemke; the cone solver where that fails.
    Lemke {
        /// Points of a ring.
        around: usize,
        /// Rings from the equator up, with it.
        up: usize,
    },
}

impl Default for Rigid {
    fn default() -> Self {
        Self {
            step: 1e-3,
            solver: Solver::Auto,
            options: ConeOptions { tolerance: 1e-9, sweeps: 1000, newton_contacts: 20, patience: 4, proximal: 80 },
            passes: 5,
            restitution: Vec::new(),
            threshold: 0.01,
            slop: 1e-9,
            keep: 1e-10,
            most_steps: 10_000_000,
        }
    }
}

/// What an advance cost, and how well it went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidReport {
    /// Steps made.
    pub steps: u64,
    /// Steps made shorter because a body would have moved out of sight.
    pub shortened: u64,
    /// Islands handed to a solver, each pass counted.
    pub solves: u64,
    /// Contact points that islands were made of, added over steps.
    pub contacts: u64,
    /// Points whose place was kept, and those found anew, added over steps.
    pub kept: u64,
    /// See `kept`.
    pub found: u64,
    /// Islands that the impulses of the last step solved as they were.
    pub still: u64,
    /// Sweeps over islands.
    pub sweeps: u64,
    /// Newton steps on all velocities of an island at once.
    pub newton: u64,
    /// Islands of which the last pass missed the tolerance.
    pub unsolved: u64,
    /// Islands that Lemke could not solve and the cone solver took over.
    pub fallbacks: u64,
    /// Islands whose restitution was lowered because it would have gained energy.
    pub calmed: u64,
    /// Islands with impulses that slip drives and that do not vanish with the step (Painlevé).
    pub painleve: u64,
    /// Islands whose e_n still changed by more than 1e-6 at the last pass, of more than one.
    pub unsettled: u64,
    /// Residual of the worst island (m/s).
    pub residual: f64,
    /// Deepest overlap before bodies were moved apart (m).
    pub penetration: f64,
    /// Moves apart that missed the tolerance.
    pub unprojected: u64,
    /// Lost in inelastic impacts (J); in `E_num`.
    pub impacts: f64,
    /// Potential energy gained by moving bodies apart (J); in `E_num`.
    pub projected: f64,
    /// What integration missed of the balance of energy, sizes added over bodies and steps (J); in `E_num`.
    pub integration: f64,
}

impl Report for RigidReport {
    fn steps(&self) -> u64 {
        self.steps
    }

    fn count_step(&mut self) {
        self.steps += 1;
    }

    fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.shortened += other.shortened;
        self.solves += other.solves;
        self.contacts += other.contacts;
        self.kept += other.kept;
        self.found += other.found;
        self.still += other.still;
        self.sweeps += other.sweeps;
        self.newton += other.newton;
        self.unsolved += other.unsolved;
        self.fallbacks += other.fallbacks;
        self.calmed += other.calmed;
        self.painleve += other.painleve;
        self.unsettled += other.unsettled;
        self.residual = self.residual.max(other.residual);
        self.penetration = self.penetration.max(other.penetration);
        self.unprojected += other.unprojected;
        self.impacts += other.impacts;
        self.projected += other.projected;
        self.integration += other.integration;
    }

    fn effort(&self) -> u64 {
        self.solves
    }

    fn unsolved(&self) -> u64 {
        self.unsolved
    }
}

/// Scratch of the stepper; losing it loses nothing.
#[derive(Clone, Debug)]
pub struct RigidWorkspace {
    broad: BroadPhase,
    events: Vec<Event>,
    room: Scratch,
    /// Places of contacts, while results are looked at.
    at: ContactScratch,
    results: Vec<ContactResult>,
}

impl RigidWorkspace {
    /// Scratch for a model, warmed by a state of it.
    pub fn new(model: &Model, state: &State) -> Self {
        let count = model.bodies().len();
        let room = state.contacts.capacity().max(2 * count + 8);
        Self {
            broad: BroadPhase::with_room(count, room),
            events: Vec::with_capacity(64),
            room: Scratch::default(),
            at: ContactScratch::with_room(count, room),
            results: Vec::with_capacity(room),
        }
    }

    /// Events of the last advance, in order; their times are ends of steps.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

impl Rigid {
    /// Steps of this length (s), else as by default.
    pub fn with_step(step: f64) -> Self {
        Self { step, ..Self::default() }
    }
}

impl Rigid {
    /// The ledger of a state: rigid contacts store nothing, so it needs no scratch.
    pub fn ledger(&self, model: &Model, state: &State) -> Ledger {
        without_springs(model, state)
    }
}

impl Stepper for Rigid {
    type Workspace = RigidWorkspace;
    type Report = RigidReport;

    fn workspace(&self, model: &Model, state: &State) -> Result<RigidWorkspace, ModelError> {
        Ok(RigidWorkspace::new(model, state))
    }

    fn take_over(&self, model: &Model, state: &mut State, work: &mut RigidWorkspace) -> Result<(), Stop> {
        take_over(model, state, work)?;
        work.room.cache.check(state);
        Ok(())
    }

    fn step_towards(
        &self,
        model: &Model,
        state: &mut State,
        work: &mut RigidWorkspace,
        end: f64,
        report: &mut RigidReport,
    ) -> Result<(), Stop> {
        step::step(self, model, state, work, end, report)
    }

    fn ends_at_breaks(&self) -> bool {
        true
    }

    fn most_steps(&self) -> u64 {
        self.most_steps
    }

    fn events(work: &RigidWorkspace) -> &[Event] {
        &work.events
    }

    fn events_mut(work: &mut RigidWorkspace) -> &mut Vec<Event> {
        &mut work.events
    }

    fn contact_results<'a>(
        &self,
        model: &Model,
        state: &State,
        work: &'a mut RigidWorkspace,
    ) -> Result<&'a [ContactResult], Stop> {
        results::fill(model, state, work)
    }

    /// Nothing is stored in contacts.
    fn ledger(&self, model: &Model, state: &State, _: &mut RigidWorkspace) -> Result<Ledger, Stop> {
        Ok(without_springs(model, state))
    }
}

/// A state that the compliant law has left: springs are let go, and their energy booked.
fn take_over(model: &Model, state: &mut State, work: &mut RigidWorkspace) -> Result<(), Stop> {
    let sprung = |c: &ContactState| c.stored != 0.0 || c.memory.energy() > 0.0 || c.rest_offset != 0.0;
    if state.contacts.iter().any(sprung) {
        // At the start nothing was stored by any motion: bodies that overlap are given so.
        let given = state.time == 0.0;
        let before = if given { 0.0 } else { with_springs(model, state, &mut work.at)?.total() };
        for contact in state.contacts.iter_mut().filter(|contact| sprung(contact)) {
            contact.memory.clear();
            (contact.stored, contact.rest_offset) = (0.0, 0.0);
        }
        if !given {
            state.spent.E_num += before - without_springs(model, state).total();
        }
    }
    for contact in &mut state.contacts {
        // Modes are those of impulses from here on.
        if contact.rigid.points.is_empty() {
            contact.mode = ContactMode::Free;
        }
    }
    Ok(())
}

/// The ledger of a state with what the springs of the compliant law hold in it.
fn with_springs(model: &Model, state: &State, at: &mut ContactScratch) -> Result<Ledger, Stop> {
    let mut sum = without_springs(model, state);
    at.begin(model, state);
    for (i, contact) in state.contacts.iter().enumerate() {
        let (meeting, grip) = look(model, state, at, i)?;
        let mut result = ContactResult::apart(contact, meeting.gap, meeting.site);
        if let (Some(grip), true) = (grip, contact.mode != ContactMode::Free) {
            result.offer(&grip);
            result.V_tangential = contact.memory.energy();
        }
        add_springs(&mut sum, &model.law(&contact.pair).law, contact, &result);
    }
    Ok(sum)
}
