//! # One step: length, order, and the event that ends it
//!
//! - **start at** [`step`]
//!
//! Order and length of the next step are those of least work per time (Hairer, §II.9).

use super::events::{beyond, change, remember};
use super::field::Motion;
use super::trees;
use super::workspace::{PER_BODY, PER_CONTACT, Scratch, Workspace, body_of, pack};
use super::{Accurate, AccurateReport};
use crate::contacts::Tracked;
use crate::contacts::advancement;
use crate::contacts::rules::holds_unpressed;
use crate::contacts::update::{Overlap, Scope, update_contacts};
use crate::drive::Told;
use crate::extrapolate::{Attempt, COLUMNS, System, Table, work as cost};
use crate::model::Model;
use crate::model::body::Mobility;
use crate::model::prescribed::prescribed_state;
use crate::run::{Event, Stop, Subject};
use crate::state::{BodyState, ContactMode, State, Stride};
use nalgebra::{UnitQuaternion, Vector4};

/// Columns that are aimed for, least and most; a step may end one column earlier or later.
const TARGETS: (usize, usize) = (3, COLUMNS - 2);
/// After an event the next one is no nearer than this (s): time goes on.
const QUIET: f64 = 1e-10;
/// The same where stick and slip chatter (s).
const LONGEST_QUIET: f64 = 1e-7;
/// How closely events are located (s).
const SHARP: f64 = 1e-14;
/// Places that stop a run vanish if det M is below this share of tr(A + B)²: see [`ContactSet::let_go`].
///
/// [`ContactSet::let_go`]: fingerpad_contact::track::ContactSet::let_go
const VANISHING: f64 = 1e-5;
/// The first step after one has vanished (s).
const AFTER: f64 = 1e-6;

/// One step, not beyond `end`.
pub fn step(
    settings: &Accurate,
    model: &Model,
    state: &mut State,
    work: &mut Workspace,
    end: f64,
    report: &mut AccurateReport,
) -> Result<(), Stop> {
    pack(model, state, &mut work.y);
    work.table.resize(work.y.len());
    work.scratch.begin(model, state);
    let room = end - state.time;
    let mut stride = state.accurate.stride;
    stride.h = stride.h.min(settings.longest).min(model.longest_step()).min(advancement::time_to_stray(model, state));
    stride.h = stride.h.min(trees::longest_step(model, state, work));
    let (h, attempt, found) = loop {
        // A last step that would leave a crumb takes the crumb along.
        let h = if stride.h * 1.01 >= room { room } else { stride.h };
        let tried = attempt(settings, model, state, work, h, stride.column);
        let shorter = match &tried {
            Ok((attempt, Some(_))) if attempt.errors[attempt.column] <= 1.0 => break (h, *attempt, tried?.1),
            // A contact passed over, or a body beyond where others were looked for: look closer.
            Ok((attempt, None)) if attempt.errors[attempt.column] <= 1.0 => 0.5 * h,
            Ok((attempt, _)) => retreat(h, attempt),
            Err(_) => 0.25 * h,
        };
        report.rejected += 1;
        let least = 4.0 * f64::EPSILON * state.time.abs().max(1e-3);
        if shorter < least {
            let of = subject(model, state, tried?.0.worst);
            return Err(Stop::TooShort { h: shorter, of });
        }
        stride.h = shorter;
    };
    let beyond_end = found.unwrap_or(f64::NEG_INFINITY);
    let cut = h < stride.h;
    let next = next_stride(h, &attempt);
    let next = Stride { h: if cut { next.h.max(stride.h) } else { next.h }, ..next };
    let time = if h == room { end } else { state.time + h };
    if beyond_end <= 0.0 || time < state.accurate.quiet_until {
        accept(model, state, work, time, report)?;
        state.accurate.stride = next;
        return refresh(model, state, work);
    }
    // An event: the shortest step that ends beyond it.
    let columns = attempt.column;
    let quiet = (state.accurate.quiet_until - state.time).max(0.0);
    let h = locate(settings, model, state, work, (quiet, h, beyond_end), columns)?;
    let time = state.time + h;
    accept(model, state, work, time, report)?;
    happen(model, state, work)?;
    // Events that follow on each other's heels wait twice as long each time.
    let chatters = time <= state.accurate.quiet_until + state.accurate.quiet;
    state.accurate.quiet = if chatters { (2.0 * state.accurate.quiet).min(LONGEST_QUIET) } else { QUIET };
    state.accurate.quiet_until = time + state.accurate.quiet;
    // Contacts begin with roots of time and end in others: start small.
    state.accurate.stride = Stride { h: (0.1 * h).clamp(1e-8, 1e-4).min(settings.longest), column: 4 };
    refresh(model, state, work)
}

/// A step of length h and how far its end is beyond an event; `None` where bodies met on the way but not at the end, or
/// moved further than was looked ahead for others.
fn attempt(
    settings: &Accurate,
    model: &Model,
    state: &State,
    work: &mut Workspace,
    h: f64,
    target: usize,
) -> Result<(Attempt, Option<f64>), Stop> {
    let Workspace { table, y, scratch, .. } = work;
    let mut motion = Watched { motion: Motion { model, state, scratch }, met: false };
    let tolerance = |_: usize, size: f64| settings.absolute + settings.relative * size;
    let most = (target + 1).min(COLUMNS - 1);
    let found = table.attempt(&mut motion, state.time, y, h, (target - 1, most), tolerance)?;
    let met = motion.met;
    let value = at_end(model, state, work, h)?;
    let unseen = (met && value <= 0.0) || strays(model, state, &work.scratch);
    Ok((found, (!unseen).then_some(value)))
}

/// Looks at free contacts and at drives with a largest force while a step is made.
struct Watched<'a> {
    motion: Motion<'a>,
    met: bool,
}

impl System for Watched<'_> {
    type Error = Stop;

    fn rewind(&mut self) {
        self.motion.rewind();
    }

    fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Stop> {
        self.motion.rate(t, y, rate)?;
        let quiet = t <= self.motion.state.accurate.quiet_until;
        let Motion { state, scratch, .. } = &self.motion;
        // A micrometre: rough columns of a step err.
        self.met |= !quiet
            && state
                .contacts
                .iter()
                .zip(&scratch.views)
                .any(|(c, v)| c.mode == ContactMode::Free && v.shown.gap < -1e-6);
        self.met |= !quiet && trees::drives_change(self.motion.model, self.motion.state, self.motion.scratch, t, y);
        Ok(())
    }
}

/// The field at the end of the step just made; how far that is beyond an event.
fn at_end(model: &Model, state: &State, work: &mut Workspace, h: f64) -> Result<f64, Stop> {
    let Workspace { table, scratch, .. } = work;
    let mut rate = std::mem::take(&mut scratch.rate);
    let mut motion = Motion { model, state, scratch };
    let found = motion.rate(state.time + h, table.end(), &mut rate);
    scratch.rate = rate;
    found?;
    let views = state.contacts.iter().zip(&scratch.views);
    let of_contacts = views
        .map(|(contact, view)| beyond(contact, &model.law(&contact.pair).law, view))
        .fold(f64::NEG_INFINITY, f64::max);
    let mut at = trees::first(model, state);
    let driven = trees::Driven {
        drives: model.drives(),
        told: Told::new(model.impedances(), &state.impedances),
        states: &state.drives,
        t: state.time + h,
    };
    Ok(scratch.trees.iter().zip(model.trees().iter().zip(&state.trees)).fold(
        of_contacts,
        |most, (field, (made, now))| {
            let y = &table.end()[at..];
            at += trees::numbers_of(&made.tree);
            most.max(field.beyond(made, (state.time, now), &driven, y))
        },
    ))
}

/// The length of the step that ends just beyond the event, by secant steps that keep a bracket (Illinois).
fn locate(
    settings: &Accurate,
    model: &Model,
    state: &State,
    work: &mut Workspace,
    (quiet, h, value): (f64, f64, f64),
    columns: usize,
) -> Result<f64, Stop> {
    let mut try_at = |h: f64| -> Result<f64, Stop> {
        let Workspace { table, y, scratch, .. } = work;
        let tolerance = |_: usize, size: f64| settings.absolute + settings.relative * size;
        let mut motion = Motion { model, state, scratch };
        table.attempt(&mut motion, state.time, y, h, (columns, columns), tolerance)?;
        at_end(model, state, work, h)
    };
    let (mut low, mut high, mut at_high) = (quiet, h, value);
    let mut at_low = try_at(low)?;
    if at_low > 0.0 {
        return Ok(low);
    }
    let mut side = 0;
    for round in 0..100 {
        let sharp = SHARP.max(2.0 * f64::EPSILON * state.time.abs());
        if high - low <= sharp {
            break;
        }
        let secant = high - at_high * (high - low) / (at_high - at_low);
        // Every third round halves; a secant at the edge of the bracket moves a little inside.
        let inside = 0.25 * sharp;
        let middle = if round % 3 == 2 || !secant.is_finite() {
            0.5 * (low + high)
        } else {
            secant.clamp(low + inside, high - inside)
        };
        let there = try_at(middle)?;
        if there > 0.0 {
            (high, at_high) = (middle, there);
            if side == 1 {
                at_low *= 0.5;
            }
            side = 1;
        } else {
            (low, at_low) = (middle, there);
            if side == -1 {
                at_high *= 0.5;
            }
            side = -1;
        }
    }
    try_at(high)?;
    Ok(high)
}

/// Writes the end of the step into the state.
fn accept(
    model: &Model,
    state: &mut State,
    work: &mut Workspace,
    time: f64,
    report: &mut AccurateReport,
) -> Result<(), Stop> {
    report.position_error += position_error(model, &work.table);
    move_bodies(model, &mut state.bodies, work.table.end(), time)?;
    let y = work.table.end();
    let first = PER_BODY * model.free_count();
    for (i, contact) in state.contacts.iter_mut().enumerate() {
        let part = &y[first + PER_CONTACT * i..][..PER_CONTACT];
        let n = work.scratch.views[i].shown.site.nhat_W;
        let mut x = Vector4::from_column_slice(&part[..4]);
        // Integration leaves x in the tangent plane to rounding only.
        let in_plane = x.xyz() - n * n.dot(&x.xyz());
        x = Vector4::new(in_plane.x, in_plane.y, in_plane.z, x.w);
        if contact.mode == ContactMode::Slip {
            contact.accurate.slip = x.normalize();
        } else {
            contact.memory.x_W = x.xyz();
            contact.memory.x_theta = x.w;
            contact.memory.nhat_W = n;
        }
        (contact.E_visc, contact.E_slip, contact.stored, contact.slid) = (part[4], part[5], part[6], part[7]);
        contact.place = work.scratch.at.places[i];
        contact.fixed.slips = false;
    }
    state.W_injected = y[first + PER_CONTACT * state.contacts.len()];
    state.time = time;
    trees::accept(model, state, work, trees::first(model, state));
    Ok(())
}

/// Bodies at the end of a step: moved by forces, on the motions that are left to them; or as given.
fn move_bodies(model: &Model, bodies: &mut [BodyState], y: &[f64], time: f64) -> Result<(), Stop> {
    for (i, place) in model.places().iter().enumerate() {
        let Some(place) = place else {
            bodies[i] = prescribed_state(model, i, &bodies[i], time)?;
            continue;
        };
        let mut now = body_of(&bodies[i], &y[PER_BODY * place..][..PER_BODY]);
        now.X_WBcm.rotation = UnitQuaternion::new_normalize(now.X_WBcm.rotation.into_inner());
        bodies[i] = match &model.bodies()[i].mobility {
            Mobility::Restricted(restriction) => restriction.keep(&model.bodies()[i], &now),
            _ => now,
        };
    }
    Ok(())
}

/// The largest estimated error that the step just made left in the position of a body (m).
fn position_error(model: &Model, table: &Table) -> f64 {
    let of = |place: usize| (0..3).map(|k| table.error(PER_BODY * place + k).powi(2)).sum::<f64>().sqrt();
    (0..model.free_count()).map(of).fold(0.0, f64::max)
}

/// Changes the modes of all contacts that are beyond their ends.
fn happen(model: &Model, state: &mut State, work: &mut Workspace) -> Result<(), Stop> {
    for (contact, view) in state.contacts.iter_mut().zip(&mut work.scratch.views) {
        let (pair, id) = (contact.pair, contact.id);
        let law = &model.law(&pair).law;
        if beyond(contact, law, view) > 0.0 {
            let from = contact.mode;
            let kind = change(contact, law, view)?;
            // Seen in a mode that is over.
            view.touch = None;
            work.events.push(Event { time: state.time, a: pair.a, b: pair.b, id, from, kind });
        }
    }
    if !model.trees().is_empty() {
        let views = std::mem::take(&mut work.scratch.views);
        let found = trees::happen(model, state, work);
        work.scratch.views = views;
        found?;
    }
    Ok(())
}

/// Near pairs and contacts at the end of a step.
pub(super) fn refresh(model: &Model, state: &mut State, work: &mut Workspace) -> Result<(), Stop> {
    let Workspace { broad, scratch, .. } = work;
    // What springs hold while they slip, for those who take over.
    for (contact, view) in state.contacts.iter_mut().zip(&scratch.views) {
        if let (ContactMode::Slip, Some(touch)) = (contact.mode, &view.touch) {
            remember(contact, touch);
        }
    }
    update_contacts(model, state, broad, Overlap::TakesOver, Scope::All, |i, contact| {
        let (view, law) = (&scratch.views[i], &model.law(&contact.pair).law);
        match contact.mode {
            ContactMode::Free => (0.0, 0.0),
            ContactMode::Clamped if !holds_unpressed(law) => (view.shown.V_normal, 0.0),
            ContactMode::Slip => (view.shown.V_normal, contact.memory.energy()),
            _ => (view.shown.V_normal, view.shown.V_tangential),
        }
    })
}

/// After no step was short enough: contacts whose place is about to vanish end here, and what is found elsewhere takes over.
/// Without such contacts the cause stands.
pub fn let_go(model: &Model, state: &mut State, work: &mut Workspace, cause: Stop) -> Result<(), Stop> {
    work.view(model, state)?;
    let mut any = false;
    for near in &mut state.near {
        let Tracked::Several(set) = &mut near.tracked else { continue };
        let (pair, frames) = (near.pair, &work.scratch.frames);
        let (a, b) = (&model.bodies()[pair.a.0].shape, &model.bodies()[pair.b.0].shape);
        let X_AB = frames[pair.a.0].inv_mul(&frames[pair.b.0]);
        any |= set.let_go(a, b, &X_AB, VANISHING).map_err(|error| Stop::Track { pair, error })?;
    }
    if !any {
        return Err(cause);
    }
    state.accurate.stride.h = state.accurate.stride.h.max(AFTER);
    refresh(model, state, work)
}

/// Whether a body is, at the end of a step, where nobody looked for others.
fn strays(model: &Model, state: &State, scratch: &Scratch) -> bool {
    let extents = model.extents();
    let moved = |i: usize| extents[i].moved(&scratch.at.starts[i], &scratch.frames[i]);
    // Ten per cent more than is aimed for, so that few steps are made twice. A fixed body has no room, and its turn against
    // itself is zero only to rounding.
    let fixed = |i: usize| model.bodies()[i].mobility == Mobility::Fixed;
    let alone = |i: usize| moved(i) > 1.1 * state.rooms[i] && !fixed(i);
    let together = state.near.iter().filter(|near| near.set().is_some());
    (0..extents.len()).any(alone)
        || together.into_iter().any(|near| moved(near.pair.a.0) + moved(near.pair.b.0) > 1.1 * near.budget)
}

/// The length at which a column's error would be within tolerance.
fn length(h: f64, column: usize, error: f64) -> f64 {
    let power = 1.0 / (2 * column + 1) as f64;
    h * (0.94 * (0.65 / error.max(1e-30)).powf(power)).clamp(0.05, 5.0)
}

/// A shorter step after a failed one.
fn retreat(h: f64, attempt: &Attempt) -> f64 {
    let column = attempt.column;
    length(h, column, attempt.errors[column]).min(0.7 * h)
}

/// The next step after a good one: the column of least work per time.
fn next_stride(h: f64, attempt: &Attempt) -> Stride {
    let last = attempt.column;
    let at = |j: usize| length(h, j, attempt.errors[j]);
    let rate = |j: usize| cost(j) / at(j);
    // Columns below the last were made on the way, so that their lengths are known too.
    let best = (TARGETS.0 - 1..=last).min_by(|a, b| rate(*a).total_cmp(&rate(*b))).unwrap_or(last);
    if best == last && last < TARGETS.1 {
        return Stride { h: at(last) * cost(last + 1) / cost(last), column: last + 1 };
    }
    Stride { h: at(best), column: best.clamp(TARGETS.0, TARGETS.1) }
}

/// Whose number of the integrated list this is.
fn subject(model: &Model, state: &State, number: usize) -> Subject {
    let place = number / PER_BODY;
    if let Some(body) = model.places().iter().position(|p| *p == Some(place)) {
        return Subject::Body(body);
    }
    let mut at = trees::first(model, state);
    for made in model.trees() {
        let n = trees::numbers_of(&made.tree);
        if (at..at + n).contains(&number) {
            return Subject::Body(made.bodies[0].0);
        }
        at += n;
    }
    let contact = number.saturating_sub(PER_BODY * model.free_count()) / PER_CONTACT;
    state.contacts.get(contact).map_or(Subject::Loads, |contact| Subject::Pair(contact.pair))
}
