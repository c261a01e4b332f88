//! # Conservative advancement: how far bodies may move before contacts must be looked for again
//!
//! - **in**: velocities, rooms of bodies, budgets of pairs
//! - **out**: which pairs a renewal looks at; how long a step may be
//! - **not here**: the renewal itself ([`update_contacts`](super::update::update_contacts))
//! - **start at** [`due`], then [`safe_time`]
//!
//! Each body has a room, within which others were looked for, and each pair with several contacts a budget: how much nearer
//! the two may come before something touches that is not listed. Steps spend both. A pair whose budget does not last
//! for the next step is looked at again, alone; a body whose room does not last makes the broad phase look at all.

use super::update::Scope;
use crate::model::Model;
use crate::model::body::Mobility;
use crate::model::interactions::Pair;
use crate::state::State;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use nalgebra::Vector3;

/// Share of a body's half thickness by which it may sink in one go before another side of it is the nearer way out.
const SINK: f64 = 0.4;
/// Bodies that come near fast have contacts this much ahead of what a step asks for.
pub(super) const AHEAD: f64 = 1.3;
/// This share of the smaller body's radius is kept in reserve.
pub(super) const RESERVE: f64 = 0.01;
/// And at most this share of the smaller body's radius ahead: faster ones make shorter steps.
pub(super) const FURTHEST: f64 = 0.25;

/// How fast the gaps between two bodies can change (m/s): on a half-space that stands, only what goes across it counts.
/// With p the closest point of B, the gap changes by n·(v_B − v_A) there: velocities of the two as bodies, at one point.
pub(crate) fn closing(model: &Model, state: &State, pair: &Pair) -> f64 {
    closing_at(model, state, pair, |i| &state.bodies[i].V_WBcm)
}

/// The same at other velocities than those of the state.
fn closing_at<'a>(model: &Model, state: &State, pair: &Pair, V: impl Fn(usize) -> &'a SpatialVelocity) -> f64 {
    let (a, b) = (pair.a.0, pair.b.0);
    for (ground, other) in [(a, b), (b, a)] {
        let body = &model.bodies()[ground];
        if matches!((&*body.shape, body.mobility), (Shape::HalfSpace(_), Mobility::Fixed)) {
            let nhat_W = state.bodies[ground].X_WBcm.rotation * Vector3::z();
            return model.extents()[other].speed_along(V(other), &nhat_W);
        }
    }
    let (of_a, of_b) = (&model.extents()[a], &model.extents()[b]);
    // Bodies that move as one do not come nearer: what counts is how fast the points of either move as the other sees them.
    let seen = |from: usize, to: usize| {
        let arm = state.bodies[to].X_WBcm.translation.vector - state.bodies[from].X_WBcm.translation.vector;
        let carried = V(from).v + V(from).w.cross(&arm);
        SpatialVelocity::new(V(to).w - V(from).w, V(to).v - carried)
    };
    let mut fastest = of_a.speed(V(a)) + of_b.speed(V(b));
    // Asked where a mechanism carries: heaps of single bodies are looked at as often as ever.
    if ![a, b].iter().any(|i| matches!(model.bodies()[*i].mobility, Mobility::Link { .. })) {
        return fastest;
    }
    for (extent, from, to) in [(of_b, a, b), (of_a, b, a)] {
        if extent.ground.is_none() {
            fastest = fastest.min(extent.speed(&seen(from, to)));
        }
    }
    fastest
}

/// What must be renewed before a step of length h, if anything.
pub(crate) fn due(model: &Model, state: &State, h: f64) -> Option<Scope> {
    let extents = model.extents();
    let moves = |i: usize| h * extents[i].speed(&state.bodies[i].V_WBcm);
    let look = state.rooms.len() != extents.len() || (0..extents.len()).any(|i| state.rooms[i] < moves(i));
    let short = || {
        state.near.iter().any(|near| {
            near.set().is_some_and(|set| near.budget < enough(h * closing(model, state, &near.pair), set.size()))
        })
    };
    (look || short()).then_some(Scope::Due { h, look })
}

/// The budget that a pair needs to come nearer by `way` (m): a blow within the step may make it somewhat more.
pub(super) fn enough(way: f64, size: f64) -> f64 {
    (way + RESERVE * size).min(FURTHEST * size)
}

/// How much further apart contacts are to begin for that (m).
pub(super) fn ahead(way: f64, size: f64) -> f64 {
    (AHEAD * way + 2.0 * RESERVE * size).min(FURTHEST * size)
}

/// Takes what bodies move in a step of length h from rooms and budgets; those that are held, if any are, do not move in it.
pub(crate) fn spend(model: &Model, state: &mut State, h: f64, held: &[bool]) {
    let extents = model.extents();
    let is_held = |i: usize| held.get(i) == Some(&true);
    for (i, room) in state.rooms.iter_mut().enumerate() {
        if !is_held(i) {
            *room -= h * extents[i].speed(&state.bodies[i].V_WBcm);
        }
    }
    let still = SpatialVelocity::zero();
    for k in 0..state.near.len() {
        if state.near[k].set().is_some() {
            let V = |i: usize| if is_held(i) { &still } else { &state.bodies[i].V_WBcm };
            state.near[k].budget -= h * closing_at(model, state, &state.near[k].pair, V);
        }
    }
}

/// The same after the step, from velocities before it and those of the state, whichever are faster.
pub(crate) fn spend_after(model: &Model, state: &mut State, before: &[SpatialVelocity], h: f64) {
    let extents = model.extents();
    for (i, room) in state.rooms.iter_mut().enumerate() {
        *room -= h * extents[i].speed(&before[i]).max(extents[i].speed(&state.bodies[i].V_WBcm));
    }
    for k in 0..state.near.len() {
        let near = &state.near[k];
        if near.set().is_some() {
            let fastest = closing(model, state, &near.pair).max(closing_at(model, state, &near.pair, |i| &before[i]));
            state.near[k].budget -= h * fastest;
        }
    }
}

/// How long bodies that go on as they do can be left to themselves (s): until some may have come nearer than their gap and
/// a share of their thickness, so that none passes another unseen. Limited to `most`.
///
/// Conservative advancement (Mirtich) on gaps that are proven, or known from closest points.
pub(crate) fn safe_time(model: &Model, state: &State, most: f64) -> f64 {
    let mut safe = most;
    let mut contacts = state.contacts.iter().peekable();
    for near in &state.near {
        let order = near.order();
        let speed = closing(model, state, &near.pair);
        let sink = SINK
            * [near.pair.a.0, near.pair.b.0]
                .map(|i| model.extents()[i].thickness)
                .into_iter()
                .fold(f64::INFINITY, f64::min);
        // Without a budget, contacts are about to be looked for.
        if near.set().is_some() && near.budget > 0.0 && near.budget < speed * safe {
            safe = near.budget / speed;
        }
        // Most bodies move less than that whatever their gap.
        if speed * safe <= sink {
            continue;
        }
        while contacts.next_if(|contact| contact.pair.order() < order).is_some() {}
        while let Some(contact) = contacts.next_if(|contact| contact.pair.order() == order) {
            let gap = contact.gap_at_least();
            if gap < f64::INFINITY {
                safe = safe.min((gap.max(0.0) + sink) / speed);
            }
        }
    }
    safe
}

/// How long bodies that go on as they do stay where others were looked for, and do not pass each other (s).
pub(crate) fn time_to_stray(model: &Model, state: &State) -> f64 {
    let speed = |i: usize| model.extents()[i].speed(&state.bodies[i].V_WBcm);
    let alone = (0..state.bodies.len()).map(|i| state.rooms[i] / speed(i)).filter(|time| !time.is_nan());
    safe_time(model, state, alone.fold(f64::INFINITY, f64::min))
}
