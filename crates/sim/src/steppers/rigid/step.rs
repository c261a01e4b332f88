//! # One step: forces, impulses, motion
//!
//! - **in**: a state and the end of the step
//! - **out**: the state there
//! - **not here**: points (`cache`), impulses (`warm_start`, `islands`), what is told of them (`accounting`), overlap (`project`)
//! - **start at** [`step`]
//!
//! **Length.** `Scratch` is what all phases of a step share; the phases with files of their own are named above.

use super::bounce::{Calming, rebound};
use super::cache::ConstraintCache;
use super::constraint::{ContactPoint, Limit};
use super::gyroscopic::{is_even, turned};
use super::islands::{Islands, velocity};
use super::midway::Midway;
use super::painleve::Seizing;
use super::trees::Trees;
use super::warm_start::{Verdict, add};
use super::{Rigid, RigidReport, RigidWorkspace, project};
use crate::contacts::advancement::time_to_stray;
use crate::contacts::advancement::{self, closing};
use crate::contacts::update::{Overlap, update_contacts};
use crate::coordinates::inertia::answer;
use crate::energy::kinetic;
use crate::model::Model;
use crate::model::body::{Body, Mobility};
use crate::model::prescribed::{prescribed_state, surface_velocity};
use crate::run::Stop;
use crate::state::{BodyState, State};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_solve::cone::Set;
use nalgebra::{UnitQuaternion, Vector3};
use std::ops::Range;

/// Gaps below this (m) belong to a step whatever the speeds.
const TOUCHING: f64 = 1e-6;
/// Relative change of a semi-axis of friction that counts as none.
const SETTLED: f64 = 1e-6;

/// Share of the speed of a prescribed body that impulses cannot stop, where it closes inside another.
const SQUEEZED: f64 = 1e-2;

/// Times whose difference is below this share of them are the same.
const CRUMB: f64 = 8.0 * f64::EPSILON;
/// Bodies come no nearer in a step than this share of the smaller one's radius.
const SHORT: f64 = 0.02;
/// Parts of one step, at most.
const MOST_PARTS: f64 = 1e5;

/// Storage of the stepper.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    pub(super) cache: ConstraintCache,
    pub(super) midway: Midway,
    pub(super) islands: Islands,
    /// Trees of joints over this step; whether a body is a link; θ′ of each body.
    pub(super) trees: Trees,
    pub(super) links: Vec<bool>,
    /// By body: whether others are near it.
    pub(super) near: Vec<bool>,
    pub(super) thetas: Vec<f64>,
    pub(super) shifts: Vec<SpatialVelocity>,
    /// Velocities before the step, turned, and after it; those that the last impulses would lead to.
    pub(super) before: Vec<SpatialVelocity>,
    pub(super) after: Vec<SpatialVelocity>,
    pub(super) tried: Vec<SpatialVelocity>,
    /// By body: whether forces move it.
    pub(super) moves: Vec<bool>,
    /// Whether surfaces move over their bodies.
    pub(super) belts: bool,
    /// How fast points of each body are at most, before and after (m/s).
    pub(super) speeds: Vec<[f64; 2]>,
    /// Impulses of loads, and of contacts; the work on each body but gravity's.
    pub(super) loads: Vec<SpatialForce>,
    pub(super) pushes: Vec<SpatialForce>,
    pub(super) works: Vec<f64>,
    /// By point: impulses, friction, velocities of its rows before and after.
    pub(super) impulses: Vec<[f64; 4]>,
    pub(super) limits: Vec<Limit>,
    pub(super) was: Vec<[f64; 4]>,
    pub(super) now: Vec<[f64; 4]>,
    /// By point: residual of the last impulses (m/s), now and in the next step.
    pub(super) offs: Vec<[f64; 2]>,
    /// By contact: whether its impulse is one that does not vanish with the step.
    pub(super) seized: Vec<bool>,
    /// By contact: what friction could hold and what it took; loads and what holds them.
    pub(super) sums: Vec<[f64; 2]>,
    pub(super) shares: Vec<[[f64; 3]; 2]>,
    pub(super) seizing: Seizing,
    pub(super) calming: Calming,
}

/// One step, not beyond `end`.
pub(super) fn step(
    settings: &Rigid,
    model: &Model,
    state: &mut State,
    work: &mut RigidWorkspace,
    end: f64,
    report: &mut RigidReport,
) -> Result<(), Stop> {
    // Steps end at multiples of their length, so that a run cut in pieces makes the same ones.
    let next = ((state.time / settings.step + 1e-6).floor() + 1.0) * settings.step;
    let end = if next < end - 1e-6 * settings.step { next } else { end };
    let left = end - state.time;
    // Times that differ by rounding are one: over a step of no length, impulses say nothing about forces.
    if left <= CRUMB * end.abs() {
        state.time = end;
        return Ok(());
    }
    // What comes near fast is met in short steps, so that little overlap has to be moved out of.
    let short =
        state.near.iter().filter_map(|near| Some(SHORT * near.set()?.size() / closing(model, state, &near.pair)));
    let short = short.filter(|time| !time.is_nan()).fold(f64::INFINITY, f64::min).max(1e-3 * settings.step);
    let sight = time_to_stray(model, state).min(short).min(model.longest_step());
    let parts = (left / sight).ceil().max(1.0);
    if parts > MOST_PARTS {
        return Err(Stop::TooFast { h: sight });
    }
    report.shortened += u64::from(parts > 1.0);
    let (h, time) = if parts > 1.0 { (left / parts, state.time + left / parts) } else { (left, end) };
    let mut room = std::mem::take(&mut work.room);
    let made = make(settings, model, state, work, &mut room, (h, time), report);
    work.room = room;
    made
}

fn make(
    settings: &Rigid,
    model: &Model,
    state: &mut State,
    work: &mut RigidWorkspace,
    room: &mut Scratch,
    (h, time): (f64, f64),
    report: &mut RigidReport,
) -> Result<(), Stop> {
    room.begin_trees(model, state)?;
    room.cache.find(model, state, settings.keep, report)?;
    room.fall_free(model, state, h)?;
    room.go_midway(model, state, settings.keep, h);
    let touched = room.touch_with_drives(settings, model, state, h, report).and_then(|()| {
        let lost = room.after.iter().position(|V| !V.v.iter().chain(&V.w).all(|x| x.is_finite()));
        let body = lost.or_else(|| room.lost_tree(model));
        body.map_or(Ok(()), |body| Err(Stop::Diverged { body }))
    });
    if touched.is_ok() {
        room.book(model, state, h, report);
        room.remember(model, state, h);
        room.change_modes(model, state, time, &mut work.events);
    }
    room.go_back();
    touched?;
    let deepest = room.expected_overlap(settings, model, h);
    room.move_on(model, state, h, time, report)?;
    state.time = time;
    let renewed = room.look_around(model, state, work, h)?;
    match deepest {
        Some(deepest) if !renewed && model.trees().is_empty() => {
            report.penetration = report.penetration.max(deepest);
            Ok(())
        }
        _ => project::apart(settings, model, state, room, report),
    }
}

impl Scratch {
    /// Deepest overlap that the step leads to (m), where that is no more than the slop whatever the shapes: gaps change by
    /// their mean rate over the step, and by the square of the way over a size.
    fn expected_overlap(&self, settings: &Rigid, model: &Model, h: f64) -> Option<f64> {
        let mut deepest = 0.0_f64;
        for (k, point) in self.cache.points.iter().enumerate() {
            let [a, b] = point.bodies;
            let mean = |i: usize| 0.5 * (self.speeds[i][0] + self.speeds[i][1]);
            let way = h * (mean(a) + mean(b));
            // A body that stands has no room.
            let rooms = [a, b].into_iter().map(|i| model.extents()[i].room).filter(|room| *room > 0.0);
            let size = rooms.fold(f64::INFINITY, f64::min);
            let bent = way * way / size;
            if bent.is_nan() || bent > 0.1 * settings.slop {
                return None;
            }
            let rate = if self.islands.holds(k) {
                0.5 * (self.was[k][0] + self.now[k][0])
            } else {
                let rate = |i: usize, side: usize| point.rate(side, &self.before[i]) + point.rate(side, &self.after[i]);
                0.5 * (rate(a, 0) + rate(b, 1))
            };
            deepest = deepest.max(bent - point.gap - h * rate);
        }
        (deepest <= settings.slop).then_some(deepest)
    }

    /// Whether near bodies and new contacts were looked for: where what is known of them does not last for the next step.
    fn look_around(&self, model: &Model, state: &mut State, work: &mut RigidWorkspace, h: f64) -> Result<bool, Stop> {
        advancement::spend_after(model, state, &self.before, h);
        // The next step may be faster than this one has left the bodies.
        let Some(scope) = advancement::due(model, state, 2.0 * h) else { return Ok(false) };
        update_contacts(model, state, &mut work.broad, Overlap::Rigid, scope, |_, _| (0.0, 0.0))?;
        // Places of several contacts are at these poses now.
        state.rigid.linearised_at.clear();
        Ok(true)
    }

    /// Velocities without contacts: gravity, loads at the middle of the step, turning.
    pub(super) fn fall_free(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Stop> {
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
        self.speeds.clear();
        self.moves.clear();
        self.belts = false;
        for (i, (body, now)) in model.bodies().iter().zip(&state.bodies).enumerate() {
            let mut before = now.V_WBcm;
            let mut change = SpatialVelocity::zero();
            let weight = SpatialForce::new(Vector3::zeros(), model.gravity_W() * (body.mass * h));
            match body.mobility {
                Mobility::Free => {
                    if !is_even(&body.I_BBcm_B) {
                        let R = &now.X_WBcm.rotation;
                        before.w = R * turned(&body.I_BBcm_B, &(R.inverse() * before.w), h);
                    }
                    if self.loads[i] == SpatialForce::zero() {
                        change.v = model.gravity_W() * h;
                    } else {
                        add(&mut change, &self.cache.inverse[i], &(weight + self.loads[i]));
                    }
                }
                Mobility::Restricted(_) => {
                    let found = answer(model, i, now, state.time);
                    let by_force = found.of(&(weight + self.loads[i]));
                    change = SpatialVelocity::new(by_force.w + found.bias.w * h, by_force.v + found.bias.v * h)
                }
                Mobility::Prescribed(_) => {
                    change = prescribed_state(model, i, now, state.time + h)?.V_WBcm - before;
                }
                _ => {}
            }
            let after = SpatialVelocity::new(before.w + change.w, before.v + change.v);
            // Links follow with their trees.
            let extent = &model.extents()[i];
            let speeds = if self.links[i] { [0.0; 2] } else { [extent.speed(&before), extent.speed(&after)] };
            self.before.push(before);
            self.after.push(after);
            self.speeds.push(speeds);
            self.moves.push(body.mobility.is_moved_by_forces());
            if let Mobility::Prescribed(motion) = &body.mobility {
                self.belts |= motion.surface_velocity() != Vector3::zeros();
            }
        }
        self.fall_trees(model, state, h)
    }

    /// Impulses of all islands, and the velocities after them.
    pub(super) fn touch(
        &mut self,
        settings: &Rigid,
        model: &Model,
        state: &State,
        h: f64,
        report: &mut RigidReport,
    ) -> Result<(), Stop> {
        self.seized.clear();
        self.seized.resize(state.contacts.len(), false);
        let mut islands = std::mem::take(&mut self.islands);
        let speed = |i: usize| self.speeds[i][0].max(self.speeds[i][1]);
        islands.group(model, &self.cache, |point| {
            let [a, b] = point.bodies;
            point.gap <= 2.0 * h * (speed(a) + speed(b)) + TOUCHING
        });
        let mut solved = self.try_warm_start(settings, model, state, h, &islands);
        let mut at = 0;
        while let (Some(island), true) = (islands.next(at), solved.is_ok()) {
            at = island.end;
            solved = match self.verdict(settings, state, &islands, &island) {
                Verdict::Solved(residual) => {
                    self.take_warm_start(&islands, &island);
                    report.still += 1;
                    report.contacts += island.len() as u64;
                    report.residual = report.residual.max(residual);
                    Ok(())
                }
                verdict => self.solve(settings, model, state, h, &mut islands, &island, verdict, report),
            };
        }
        if solved.is_ok() && !model.trees().is_empty() {
            self.solve_lone_trees(settings, model, h, &mut islands, report);
        }
        self.islands = islands;
        let asked = self.links.iter().zip(&self.near).map(|(link, near)| !link || *near);
        let list = self.speeds.iter_mut().zip(self.after.iter().zip(model.extents()));
        for ((speeds, (V, extent)), _) in list.zip(asked).filter(|(_, asked)| *asked) {
            speeds[1] = extent.speed(V);
        }
        solved
    }

    /// Bodies of an island as the last impulses leave them.
    fn take_warm_start(&mut self, islands: &Islands, island: &Range<usize>) {
        for k in islands.members(island) {
            for body in self.cache.points[k].bodies {
                self.after[body] = if self.moves[body] { self.tried[body] } else { self.after[body] };
            }
        }
    }

    #[allow(clippy::too_many_arguments)] // an island and all that it is made of
    fn solve(
        &mut self,
        settings: &Rigid,
        model: &Model,
        state: &State,
        h: f64,
        islands: &mut Islands,
        island: &Range<usize>,
        verdict: Verdict,
        report: &mut RigidReport,
    ) -> Result<(), Stop> {
        let Self { cache, before, after, trees, .. } = self;
        let (points, inverse) = (&cache.points, &cache.inverse);
        islands.set_up(
            model,
            points,
            inverse,
            island,
            (trees, h, false),
            |body| cache.centre(body),
            |point| {
                let mut b = velocity(point, after);
                let along = surface(model, state, point);
                (0..4).for_each(|r| b[r] += along[r] + point.bend[r]);
                b[0] += aim(settings, state, point, h, velocity(point, before)[0], b[0]);
                b
            },
        );
        islands.impulses.clear();
        for place in island.clone() {
            islands.impulses.push(self.impulses[islands.member(place)]);
        }
        islands.start_joints(&self.trees);
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
            (residual, solved) = if verdict == Verdict::Nearly && pass == 0 {
                (islands.polish(report), true)
            } else {
                islands.solve(settings, report)
            };
            report.solves += 1;
        }
        report.residual = if residual.is_nan() { f64::NAN } else { report.residual.max(residual) };
        report.unsolved += u64::from(!solved);
        if !solved {
            self.check_squeeze(model, state, h, islands, island, residual)?;
        }
        self.calm(settings, model, state, h, islands, island, report);
        if solved {
            self.seize(settings, model, state, h, islands, island, report);
        }
        report.contacts += island.len() as u64;
        self.act(model, islands, island);
        Ok(())
    }

    /// Fails where bodies of prescribed motion come nearer than the bodies between them allow, which no impulse can stop: what is left
    /// of their approach is a share of their speed.
    fn check_squeeze(
        &self,
        model: &Model,
        state: &State,
        h: f64,
        islands: &Islands,
        island: &Range<usize>,
        residual: f64,
    ) -> Result<(), Stop> {
        let is_prescribed = |body: &usize| matches!(model.bodies()[*body].mobility, Mobility::Prescribed(_));
        let (mut fastest, mut worst) = (0.0_f64, None);
        for (k, f) in islands.members(island).zip(&islands.impulses) {
            for body in self.cache.points[k].bodies.into_iter().filter(is_prescribed) {
                fastest = fastest.max(self.speeds[body][0]).max(self.speeds[body][1]);
                worst = worst.filter(|(most, _)| *most >= f[0]).or(Some((f[0], k)));
            }
        }
        match worst {
            Some((_, k)) if residual > SQUEEZED * fastest && residual * h > TOUCHING * SQUEEZED => {
                let point = &self.cache.points[k];
                let overlap = (h * residual - point.gap).max(h * residual);
                Err(Stop::Squeezed { pair: state.contacts[point.contact].pair, p_W: point.p_W.into(), overlap })
            }
            _ => Ok(()),
        }
    }

    /// Takes the impulses at hand: velocities of the bodies of an island, and of its rows.
    fn act(&mut self, model: &Model, islands: &mut Islands, island: &Range<usize>) {
        for k in islands.members(island) {
            self.cache.points[k].bodies.into_iter().for_each(|body| self.pushes[body] = SpatialForce::zero());
        }
        islands.bodies.iter().for_each(|body| self.pushes[*body] = SpatialForce::zero());
        for (k, f) in islands.members(island).zip(&islands.impulses) {
            self.impulses[k] = *f;
            self.cache.points[k].push(f, &mut self.pushes);
        }
        islands.accelerate(&self.pushes, &mut self.after);
        self.act_on_trees(model, islands);
        for k in islands.members(island) {
            self.now[k] = velocity(&self.cache.points[k], &self.after);
        }
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
            let point = &self.cache.points[k];
            let limit = match point.steady {
                Some((limit, _)) => limit,
                None => {
                    let pair = state.contacts[point.contact].pair;
                    point.limit(pair, &model.law(&pair).law, islands.impulses[place][0].max(0.0) / h)?
                }
            };
            let Set::Ellipsoid { friction: last } = &mut islands.problem.contacts[place].set else { continue };
            for (old, new) in last.iter().zip(&limit.friction) {
                most = most.max((old - new).abs() / old.max(*new).max(f64::MIN_POSITIVE));
            }
            *last = limit.friction;
            self.limits[k] = limit;
        }
        Ok(most)
    }

    /// Places by the mean velocities, given ones as told; what integration misses.
    fn move_on(
        &mut self,
        model: &Model,
        state: &mut State,
        h: f64,
        time: f64,
        report: &mut RigidReport,
    ) -> Result<(), Stop> {
        for (i, body) in model.bodies().iter().enumerate() {
            if self.links[i] {
                continue;
            }
            let now = &mut state.bodies[i];
            if !body.mobility.is_moved_by_forces() {
                *now = prescribed_state(model, i, now, time)?;
                continue;
            }
            let (was, place) = (kinetic(body, now), now.X_WBcm.translation.vector);
            let mean = self.mean(i);
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
        self.move_trees(model, state, h);
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

pub(super) fn middle(before: &SpatialVelocity, after: &SpatialVelocity) -> SpatialVelocity {
    SpatialVelocity::new((before.w + after.w) * 0.5, (before.v + after.v) * 0.5)
}

/// Velocity of surfaces over their bodies along the axes of friction.
pub(super) fn surface(model: &Model, state: &State, point: &ContactPoint) -> [f64; 4] {
    let v = surface_velocity(model, &state.contacts[point.contact].pair);
    [0.0, point.axes_W[1].dot(&v), point.axes_W[2].dot(&v), 0.0]
}

/// What is added to v_n⁺ before it must not be negative: the gap may close; an impact bounces.
fn aim(settings: &Rigid, state: &State, point: &ContactPoint, h: f64, before: f64, free: f64) -> f64 {
    rebound(settings, state, point, h, before, free).unwrap_or((point.gap - settings.slop).max(0.0) / h)
}
