//! # One step: forces, impulses, motion, books
//!
//! - **start at** [`step`]
//!
//! Work is booked at the mean of the velocities before and after, at which an impulse p changes kinetic energy by p·V̄
//! exactly: E_slip gets what friction takes, E_num what normal impulses take (impacts), E_painleve both where an impulse
//! does not vanish with the step, W_injected the work of loads and given motions. What is left of each body's balance is
//! integration, and in E_num too.

use super::bounce::Calming;
use super::bounce::rebound;
use super::gyroscopic::{is_even, turned};
use super::islands::{Islands, velocity};
use super::painleve::Seizing;
use super::spots::{Limit, Spot, dot};
use super::{Complementarity, StepReport, project, spots};
use crate::accurate::step::time_to_stray;
use crate::accurate::{Event, EventKind, Stop};
use crate::body::{Body, Mobility};
use crate::energy::kinetic;
use crate::given::{given_state, surface_velocity};
use crate::inertia::answer;
use crate::model::Model;
use crate::near::renew::{Overlap, renew};
use crate::state::{BodyState, ContactMode, Impulse, State};
use crate::workspace::Workspace;
use fingerpad_contact::law::Friction;
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Matrix6, UnitQuaternion, Vector3};
use std::ops::Range;

/// Slower than this (m/s) a patch counts as sticking.
const STILL: f64 = 1e-8;
/// Gaps below this (m) belong to a step whatever the speeds.
const TOUCHING: f64 = 1e-6;
/// Contacts that carry nothing but are nearer than this (m) have not come off.
const ON: f64 = 1e-9;
/// Relative change of a semi-axis of friction that counts as none.
const SETTLED: f64 = 1e-6;

/// Storage of the stepper.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    pub(super) spots: Vec<Spot>,
    pub(super) sites: Vec<ContactSite>,
    pub(super) islands: Islands,
    /// Inverse masses of all bodies.
    pub(super) inverse: Vec<Matrix6<f64>>,
    pub(super) shifts: Vec<SpatialVelocity>,
    /// Velocities before the step, turned, and after it.
    pub(super) before: Vec<SpatialVelocity>,
    pub(super) after: Vec<SpatialVelocity>,
    /// Impulses of loads, and the work on each body but gravity's.
    pub(super) loads: Vec<SpatialForce>,
    works: Vec<f64>,
    /// By spot.
    impulses: Vec<[f64; 4]>,
    limits: Vec<Limit>,
    /// By contact: whether its impulse is one that does not vanish with the step.
    pub(super) seized: Vec<bool>,
    /// By contact: what friction could hold and what it took; loads and what holds them.
    sums: Vec<[f64; 2]>,
    shares: Vec<[[f64; 3]; 2]>,
    pub(super) seizing: Seizing,
    pub(super) calming: Calming,
}

/// One step, not beyond `end`.
pub(super) fn step(
    settings: &Complementarity,
    model: &Model,
    state: &mut State,
    work: &mut Workspace,
    end: f64,
    report: &mut StepReport,
) -> Result<(), Stop> {
    // Steps end at multiples of their length, so that a run cut in pieces makes the same ones.
    let next = ((state.time / settings.step + 1e-6).floor() + 1.0) * settings.step;
    let end = if next < end - 1e-6 * settings.step { next } else { end };
    let left = end - state.time;
    let sight = time_to_stray(model, state).max(1e-3 * settings.step).min(model.longest_step());
    let parts = (left / sight).ceil().max(1.0);
    report.shortened += u64::from(parts > 1.0);
    let (h, time) = if parts > 1.0 { (left / parts, state.time + left / parts) } else { (left, end) };
    let mut room = std::mem::take(&mut work.rigid);
    let made = make(settings, model, state, work, &mut room, (h, time), report);
    work.rigid = room;
    made
}

fn make(
    settings: &Complementarity,
    model: &Model,
    state: &mut State,
    work: &mut Workspace,
    room: &mut Room,
    (h, time): (f64, f64),
    report: &mut StepReport,
) -> Result<(), Stop> {
    spots::find(model, state, &mut work.scratch, &mut room.spots, &mut room.sites)?;
    room.fall_free(model, state, h)?;
    room.touch(settings, model, state, h, report)?;
    if let Some(body) = room.after.iter().position(|V| !V.v.iter().chain(&V.w).all(|x| x.is_finite())) {
        return Err(Stop::Diverged { body });
    }
    room.book(model, state, h, report);
    room.remember(model, state, h);
    room.change_modes(model, state, time, &mut work.events);
    let deepest = room.expected_overlap(settings, model, h);
    room.move_on(model, state, h, time, report)?;
    state.time = time;
    // The next step follows from where this one began.
    for (contact, place) in state.contacts.iter_mut().zip(&work.scratch.places) {
        contact.place = *place;
    }
    let renewed = room.look_around(model, state, work, h)?;
    match deepest {
        Some(deepest) if !renewed => {
            report.penetration = report.penetration.max(deepest);
            Ok(())
        }
        _ => project::apart(settings, model, state, &mut work.scratch, room, report),
    }
}

impl Room {
    /// Deepest overlap that the step leads to (m), where that is no more than the slop whatever the shapes: gaps change by
    /// their rate over the step, and by the square of the way over a size.
    fn expected_overlap(&self, settings: &Complementarity, model: &Model, h: f64) -> Option<f64> {
        let mut deepest = 0.0_f64;
        for spot in &self.spots {
            let way: f64 = spot.bodies.iter().map(|&i| h * model.extents()[i].speed(&self.after[i])).sum();
            // A body that stands has no room.
            let rooms = spot.bodies.iter().map(|&i| model.extents()[i].room).filter(|room| *room > 0.0);
            let size = rooms.fold(f64::INFINITY, f64::min);
            let bent = way * way / size;
            if bent.is_nan() || bent > 0.1 * settings.slop {
                return None;
            }
            deepest = deepest.max(bent - spot.gap - h * velocity(spot, &self.after)[0]);
        }
        (deepest <= settings.slop).then_some(deepest)
    }

    /// Whether near bodies and new contacts were looked for: where some may leave, in the next step, the room in which others were looked for.
    fn look_around(&self, model: &Model, state: &mut State, work: &mut Workspace, h: f64) -> Result<bool, Stop> {
        let extents = model.extents();
        let share = |speed: &dyn Fn(usize) -> f64| {
            let alone = (0..extents.len()).map(|i| h * speed(i) / extents[i].room);
            let together = state.near.iter().filter_map(|near| {
                let set = near.set()?;
                Some(h * (speed(near.pair.a.0) + speed(near.pair.b.0)) / set.limits().birth)
            });
            alone.chain(together).filter(|share| !share.is_nan()).fold(0.0, f64::max)
        };
        let now = |i: usize| extents[i].speed(&state.bodies[i].V_WBcm);
        let moved = share(&|i| extents[i].speed(&self.before[i]).max(now(i)));
        // The next step may be faster than this one has left the bodies.
        let left = state.fast.room - moved;
        if left < 2.0 * share(&now) + 0.01 {
            renew(model, state, &mut work.broad, Overlap::Rigid, |_, _| (0.0, 0.0))?;
            state.fast.room = 1.0;
            return Ok(true);
        }
        state.fast.room = left;
        Ok(false)
    }

    /// Velocities without contacts: gravity, loads at the middle of the step, turning.
    fn fall_free(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Stop> {
        let count = model.bodies().len();
        self.loads.clear();
        self.loads.resize(count, SpatialForce::zero());
        for load in model.loads() {
            let (i, share) = (load.body.0, h * load.profile.share(state.time + 0.5 * h));
            let X_WBcm = &state.bodies[i].X_WBcm;
            let arm = load.p_BoQ.map_or_else(Vector3::zeros, |p_BoQ| {
                (model.frame(i, X_WBcm) * p_BoQ).coords - X_WBcm.translation.vector
            });
            let f = load.f_W * share;
            self.loads[i] = self.loads[i] + SpatialForce::new(load.t_W * share + arm.cross(&f), f);
        }
        self.before.clear();
        self.after.clear();
        self.inverse.clear();
        for (i, (body, now)) in model.bodies().iter().zip(&state.bodies).enumerate() {
            let mut before = now.V_WBcm;
            let found = answer(model, i, now, state.time);
            let weight = SpatialForce::new(Vector3::zeros(), model.gravity_W() * (body.mass * h));
            let mut change = found.of(&(weight + self.loads[i]));
            match body.mobility {
                Mobility::Free if !is_even(&body.I_BBcm_B) => {
                    let R = &now.X_WBcm.rotation;
                    before.w = R * turned(&body.I_BBcm_B, &(R.inverse() * before.w), h);
                }
                Mobility::Restricted(_) => {
                    change = SpatialVelocity::new(change.w + found.bias.w * h, change.v + found.bias.v * h)
                }
                Mobility::Prescribed(_) => {
                    change = given_state(model, i, now, state.time + h)?.V_WBcm - before;
                }
                _ => {}
            }
            self.before.push(before);
            self.after.push(SpatialVelocity::new(before.w + change.w, before.v + change.v));
            self.inverse.push(found.inverse_mass);
        }
        Ok(())
    }

    /// Impulses of all islands, and the velocities after them.
    fn touch(
        &mut self,
        settings: &Complementarity,
        model: &Model,
        state: &State,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), Stop> {
        self.impulses.clear();
        self.impulses.resize(self.spots.len(), [0.0; 4]);
        self.limits.clear();
        self.limits.resize(self.spots.len(), Limit::default());
        self.seized.clear();
        self.seized.resize(state.contacts.len(), false);
        let mut islands = std::mem::take(&mut self.islands);
        let speed = |i: usize| {
            let extent = &model.extents()[i];
            extent.speed(&self.before[i]).max(extent.speed(&self.after[i]))
        };
        islands.group(model, &self.spots, |spot| {
            spot.gap <= 2.0 * h * (speed(spot.bodies[0]) + speed(spot.bodies[1])) + TOUCHING
        });
        let (mut at, mut solved) = (0, Ok(()));
        while let (Some(island), true) = (islands.next(at), solved.is_ok()) {
            at = island.end;
            solved = self.solve(settings, model, state, h, &mut islands, &island, report);
        }
        self.islands = islands;
        solved
    }

    #[allow(clippy::too_many_arguments)] // an island and all that it is made of
    fn solve(
        &mut self,
        settings: &Complementarity,
        model: &Model,
        state: &State,
        h: f64,
        islands: &mut Islands,
        island: &Range<usize>,
        report: &mut StepReport,
    ) -> Result<(), Stop> {
        let Self { spots, inverse, before, after, .. } = self;
        islands.set_up(model, spots, inverse, island, |spot| {
            let mut b = velocity(spot, after);
            let along = surface(model, state, spot);
            (0..4).for_each(|r| b[r] += along[r]);
            b[0] += aim(settings, state, spot, h, velocity(spot, before)[0], b[0]);
            b
        });
        islands.impulses.clear();
        for place in island.clone() {
            let spot = &self.spots[islands.member(place)];
            let last = state.contacts[spot.contact].impulse.points.get(spot.slot);
            islands.impulses.push(last.map_or([0.0; 4], |force| force.map(|f| f * h)));
        }
        let most = settings.passes.max(1);
        let (mut residual, mut solved) = (0.0, true);
        for pass in 0..=most {
            let change = self.renew_limits(model, state, h, islands, island)?;
            if pass > 0 && change <= SETTLED {
                break;
            }
            if pass == most {
                report.unsettled += u64::from(most > 1);
                break;
            }
            (residual, solved) = islands.solve(settings, report);
            report.solves += 1;
        }
        report.residual = if residual.is_nan() { f64::NAN } else { report.residual.max(residual) };
        report.unsolved += u64::from(!solved);
        self.calm(settings, model, state, h, islands, island, report);
        if solved {
            self.seize(settings, model, state, h, islands, island, report);
        }
        report.contacts += island.len() as u64;
        for (k, f) in islands.members(island).zip(&islands.impulses) {
            self.impulses[k] = *f;
        }
        islands.push(&self.spots, &self.inverse, island, &mut self.after);
        Ok(())
    }

    /// Friction under the impulses at hand; the largest relative change of a semi-axis.
    fn renew_limits(
        &mut self,
        model: &Model,
        state: &State,
        h: f64,
        islands: &mut Islands,
        island: &Range<usize>,
    ) -> Result<f64, Stop> {
        let mut most = 0.0f64;
        for place in 0..island.len() {
            let k = islands.member(island.start + place);
            let spot = &self.spots[k];
            let pair = state.contacts[spot.contact].pair;
            let load = islands.impulses[place][0].max(0.0) / h;
            let limit = spot.limit(pair, &model.law(&pair).law, load)?;
            let last = &mut islands.problem.contacts[place].friction;
            for (old, new) in last.iter().zip(&limit.friction) {
                most = most.max((old - new).abs() / old.max(*new).max(f64::MIN_POSITIVE));
            }
            *last = limit.friction;
            self.limits[k] = limit;
        }
        Ok(most)
    }

    /// Work of impulses and loads at the mean velocities.
    fn book(&mut self, model: &Model, state: &mut State, h: f64, report: &mut StepReport) {
        let mean = |i: usize| middle(&self.before[i], &self.after[i]);
        self.works.clear();
        for (i, push) in self.loads.iter().enumerate() {
            let moved = model.bodies()[i].mobility.is_moved_by_forces();
            let done = if moved { push.power(&mean(i)) } else { 0.0 };
            state.W_injected += done;
            self.works.push(done);
        }
        // Largest friction of each contact (N·s), and what it rubbed (J).
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(state.contacts.len(), [0.0; 2]);
        for ((spot, f), limit) in self.spots.iter().zip(&self.impulses).zip(&self.limits) {
            sums[spot.contact][0] += f[0] * limit.friction[0].max(limit.friction[1]);
        }
        for (k, spot) in self.spots.iter().enumerate() {
            let f = self.impulses[k];
            if f == [0.0; 4] {
                continue;
            }
            let along = surface(model, state, spot);
            let mut lost = [0, 1, 2, 3].map(|r| -f[r] * along[r]);
            let mut given: f64 = lost.iter().sum();
            for (side, body) in spot.bodies.into_iter().enumerate() {
                let rows = &spot.rows[side];
                let done = [0, 1, 2, 3].map(|r| f[r] * dot(&rows[r], &mean(body)));
                (0..4).for_each(|r| lost[r] -= done[r]);
                let done: f64 = done.iter().sum();
                if model.bodies()[body].mobility.is_moved_by_forces() {
                    self.works[body] += done;
                } else {
                    given -= done;
                }
            }
            state.W_injected += given;
            if self.seized[spot.contact] {
                state.spent.E_painleve += lost.iter().sum::<f64>();
                continue;
            }
            report.impacts += lost[0];
            state.spent.E_num += lost[0];
            sums[spot.contact][1] += lost[1] + lost[2] + lost[3];
        }
        // Corners of a face may push against each other: only their sum tells a loss.
        for (contact, &[holds, rubbed]) in state.contacts.iter_mut().zip(&sums) {
            state.spent.E_num += rubbed.min(0.0);
            contact.E_slip += rubbed.max(0.0);
            if holds > 0.0 {
                contact.slid += h * rubbed.max(0.0) / holds;
            }
        }
        self.sums = sums;
    }

    /// What contacts carried, per unit of time.
    fn remember(&mut self, model: &Model, state: &mut State, h: f64) {
        for contact in &mut state.contacts {
            let mut points = std::mem::take(&mut contact.impulse.points);
            points.clear();
            contact.impulse = Impulse { points, ..Impulse::default() };
        }
        // In the axes of friction: loads of each contact, and what it can hold of each.
        let mut loads = std::mem::take(&mut self.shares);
        loads.clear();
        loads.resize(state.contacts.len(), [[0.0; 3]; 2]);
        for (k, spot) in self.spots.iter().enumerate() {
            let (site, limit) = (&self.sites[spot.contact], &self.limits[k]);
            let force = self.impulses[k].map(|f| f / h);
            let carried = &mut state.contacts[spot.contact].impulse;
            carried.points.push(force);
            if force[0] <= 0.0 {
                continue;
            }
            let [n, t1, t2] = spot.axes_W;
            let (along, arm) = (t1 * force[1] + t2 * force[2], spot.q_W - site.p_WC.coords);
            let spin = force[3] + n.dot(&arm.cross(&along));
            let in_site = site.E_W.tr_mul(&along);
            for (sum, part) in carried.total.iter_mut().zip([force[0], in_site.x, in_site.y, spin]) {
                *sum += part;
            }
            let [a1, a2, a3] = limit.friction;
            let holds = [a1, a2, a3 + a1.max(a2) * arm.norm()];
            for (r, load) in [force[1], force[2], spin].into_iter().enumerate() {
                loads[spot.contact][0][r] += load;
                loads[spot.contact][1][r] += holds[r] * force[0];
            }
            (carried.e_n, carried.patch) = (limit.e_n, limit.patch);
        }
        for (contact, [load, holds]) in state.contacts.iter_mut().zip(&loads) {
            if !matches!(model.law(&contact.pair).law.friction, Friction::Sticks) {
                let share = |r: usize| if holds[r] > 0.0 { load[r] / holds[r] } else { 0.0 };
                contact.impulse.used = (0..3).map(|r| share(r).powi(2)).sum::<f64>().sqrt().min(1.0);
            }
        }
        self.shares = loads;
    }

    /// Modes as the impulses say, and what happened.
    fn change_modes(&self, model: &Model, state: &mut State, time: f64, events: &mut Vec<Event>) {
        let mut first = 0;
        for i in 0..state.contacts.len() {
            let count = self.spots[first..].iter().take_while(|spot| spot.contact == i).count();
            let own = first..first + count;
            first += count;
            let near = own.clone().any(|k| self.spots[k].gap <= ON);
            let slides = own.clone().any(|k| self.impulses[k][0] > 0.0 && self.slip(model, state, k) > STILL);
            let contact = &mut state.contacts[i];
            let pressed = contact.impulse.total[0] > 0.0;
            let limited = !matches!(model.law(&contact.pair).law.friction, Friction::None | Friction::Sticks);
            let next = match (pressed, limited) {
                (false, _) if near => contact.mode,
                (false, _) => ContactMode::Free,
                (true, false) => ContactMode::Contact,
                (true, true) if slides => ContactMode::Slip,
                (true, true) => ContactMode::Stick,
            };
            let from = std::mem::replace(&mut contact.mode, next);
            if self.seized[i] {
                let kind = EventKind::Painleve;
                events.push(Event { time, a: contact.pair.a, b: contact.pair.b, id: contact.id, from, kind });
            }
            let kind = match (from, next) {
                (from, next) if from == next => continue,
                (ContactMode::Free, _) => EventKind::On,
                (_, ContactMode::Free) => EventKind::Off,
                (_, ContactMode::Slip) => EventKind::Slip,
                _ => EventKind::Stick,
            };
            events.push(Event { time, a: contact.pair.a, b: contact.pair.b, id: contact.id, from, kind });
        }
    }

    /// How fast a spot slips at the end of the step (m/s), turning as e w.
    fn slip(&self, model: &Model, state: &State, k: usize) -> f64 {
        let spot = &self.spots[k];
        let (v, along) = (velocity(spot, &self.after), surface(model, state, spot));
        let a = self.limits[k].friction;
        let m = a[0].max(a[1]).max(a[2]);
        if m > 0.0 { (0..3).map(|r| (a[r] / m * (v[r + 1] + along[r + 1])).powi(2)).sum::<f64>().sqrt() } else { 0.0 }
    }

    /// Places by the mean velocities, given ones as told; what integration misses.
    fn move_on(
        &self,
        model: &Model,
        state: &mut State,
        h: f64,
        time: f64,
        report: &mut StepReport,
    ) -> Result<(), Stop> {
        for (i, body) in model.bodies().iter().enumerate() {
            let now = &mut state.bodies[i];
            if !body.mobility.is_moved_by_forces() {
                *now = given_state(model, i, now, time)?;
                continue;
            }
            let (was, place) = (kinetic(body, now), now.X_WBcm.translation.vector);
            let mean = middle(&self.before[i], &self.after[i]);
            now.V_WBcm = self.after[i];
            now.X_WBcm.translation.vector += mean.v * h;
            settle(body, now, UnitQuaternion::from_scaled_axis(mean.w * h));
            if let Mobility::Restricted(restriction) = &body.mobility {
                *now = restriction.keep(body, now);
            }
            let lifted = -body.mass * model.gravity_W().dot(&(now.X_WBcm.translation.vector - place));
            let missed = self.works[i] - (kinetic(body, now) - was + lifted);
            state.spent.E_num += missed;
            report.integration += missed.abs();
        }
        Ok(())
    }
}

/// Turns a body; where its inertia is not that of a ball the velocity turns along, which keeps its energy.
pub(super) fn settle(body: &Body, now: &mut BodyState, turn: UnitQuaternion<f64>) {
    now.X_WBcm.rotation = turn * now.X_WBcm.rotation;
    now.X_WBcm.rotation.renormalize_fast();
    if !is_even(&body.I_BBcm_B) && body.mobility == Mobility::Free {
        now.V_WBcm.w = turn * now.V_WBcm.w;
    }
}

fn middle(before: &SpatialVelocity, after: &SpatialVelocity) -> SpatialVelocity {
    SpatialVelocity::new((before.w + after.w) * 0.5, (before.v + after.v) * 0.5)
}

/// Velocity of surfaces over their bodies along the axes of friction.
pub(super) fn surface(model: &Model, state: &State, spot: &Spot) -> [f64; 4] {
    let v = surface_velocity(model, &state.contacts[spot.contact].pair);
    [0.0, spot.axes_W[1].dot(&v), spot.axes_W[2].dot(&v), 0.0]
}

/// What is added to v_n⁺ before it must not be negative: the gap may close; an impact bounces.
fn aim(settings: &Complementarity, state: &State, spot: &Spot, h: f64, before: f64, free: f64) -> f64 {
    rebound(settings, state, spot, h, before, free).unwrap_or((spot.gap - settings.slop).max(0.0) / h)
}
