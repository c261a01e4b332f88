//! # Single body: the only body that moves, with one contact
//!
//! - **in**: a state whose only contact is that of the only body that is not fixed
//! - **out**: what [`step`](super::step) would make of it, bit by bit, without lists
//! - **start at** [`attempt`]
//!
//! A ball on a map takes a microsecond, and lists of one would take a third of it.
//!
//! `attempt` is `step::step` for one contact, unrolled: the order of its blocks is that of the phases there, so that bits agree.

use super::candidates::{Candidate, lift, look, points};
use super::commit::accept_contact;
use super::inverse_mass::InverseMassRoot;
use super::meet::{judge, keep};
use super::rows::{Beyond, ContactConstraint};
use super::site::expected_approach;
use super::step::{Attempt, both, finish, give};
use super::{FixedReport, FixedStep, FixedWorkspace, Increments, Part, Tally, impact, single_contact};
use crate::contacts::NearPair;
use crate::model::Model;
use crate::model::body::Mobility;
use crate::run::{Event, Stop};
use crate::state::{BodyState, State};
use nalgebra::Vector3;

/// The only body that is not fixed, if it is one that forces move.
pub fn find(model: &Model) -> Option<usize> {
    let mut moving = model.bodies().iter().enumerate().filter(|(_, body)| !matches!(body.mobility, Mobility::Fixed));
    let (one, body) = moving.next()?;
    let alone = body.mobility.is_moved_by_forces() && !body.mobility.is_link();
    (moving.next().is_none() && alone).then_some(one)
}

/// The step, where it is such a one and the contact acts in it; else nothing is done.
pub fn attempt(
    fast: &FixedStep,
    model: &Model,
    state: &mut State,
    work: &mut FixedWorkspace,
    part: &Part,
    report: &mut FixedReport,
) -> Result<Attempt, Stop> {
    let h = part.h;
    let (Some(only_body), [contact], None) = (work.only_body, &state.contacts[..], fast.sleep) else {
        return Ok(Attempt::Other);
    };
    if contact.fixed.far > 0.0 || state.fixed.linearised_at.len() != state.bodies.len() {
        return Ok(Attempt::Other);
    }
    state.contacts.iter_mut().for_each(lift);
    let contact = &state.contacts[0];
    let Some((pair, gap)) = points(contact) else { return Ok(Attempt::Other) };
    let FixedWorkspace { solver_bodies, active, candidates, ends, events, .. } = work;
    let (a, b) = (contact.pair.a.0, contact.pair.b.0);
    let other = if a == only_body { b } else { a };
    for i in [other, only_body] {
        solver_bodies[i].begin(&model.bodies()[i], &state.bodies[i], state.time, h);
        solver_bodies[i].lie(false);
        solver_bodies[i].anchor(&state.fixed.linearised_at[i], h);
        solver_bodies[i].contacts = 1;
    }
    let Some((A, B)) = both(solver_bodies, a, b) else { return Ok(Attempt::Other) };
    if matches!(A.root, InverseMassRoot::Joint(_)) || matches!(B.root, InverseMassRoot::Joint(_)) {
        return Ok(Attempt::Other);
    }
    let X_WA = model.frame(a, &A.X);
    if gap >= 0.0 && expected_approach(pair, gap, &X_WA, A, B, h) <= 0.0 {
        return Ok(Attempt::Other);
    }
    if impact::asks(part) {
        let approach = impact::of_point((pair, gap), &X_WA, (A, B));
        let found = impact::judge(model, contact, &approach, [&mut *A, &mut *B], part, state.time);
        if let Some(shorter) = impact::settle(&mut state.contacts[0], found, part, report) {
            return Ok(Attempt::Shorter(shorter));
        }
    }
    impact::begin_part(state, part, std::iter::once(0));
    let contact = &state.contacts[0];
    let Some((pair, gap)) = points(contact) else { return Ok(Attempt::Other) };
    if active.is_empty() {
        active.push(ContactConstraint::empty());
    }
    candidates.clear();
    let Candidate { end: followed, beside, .. } = candidates.push(0, contact);
    let active = &mut active[0];
    let (law, gravity) = (model.law(&contact.pair), model.gravity_W());
    let R_WA = X_WA.rotation.to_rotation_matrix();
    let stop = |error| Stop::Law { pair: contact.pair, error };
    let set = state.near.iter().find(|near| near.order() == contact.pair.order()).and_then(|near| near.set());
    let mut tally = Tally::default();
    let mut added;
    let mut pass = 1;
    loop {
        let first = pass == 1;
        let solver_body = if a == only_body { &mut *A } else { &mut *B };
        solver_body.turn_half(h);
        solver_body.given = (Vector3::zeros(), gravity * (solver_body.mass * h));
        for load in model.loads().iter().filter(|load| load.body.0 == only_body) {
            give(load, &model.bodies()[only_body], solver_body, state.time, h);
        }
        if A.lies() && B.lies() {
            let frame = || model.frame(a, &A.anchor);
            active.rest(0, contact, (pair, gap), law, frame, A, B, h, first).map_err(stop)?;
        } else {
            let frame = (R_WA.matrix(), &X_WA.translation.vector);
            let beyond = if first { Beyond::Last(contact.fixed.off) } else { followed.beyond(gap) };
            active.prepare(0, contact, (pair, gap), law, frame, A, B, h, beyond, first).map_err(stop)?;
        }
        active.bend(model, (pair, gap), law, (&*A, &*B), h);
        let (solver_body, impulse) =
            if a == only_body { (&mut *A, &active.bent[0]) } else { (&mut *B, &active.bent[1]) };
        if active.bends() {
            solver_body.take_impulse(impulse);
        }
        let found = solver_body.sigma;
        solver_body.fly(h);
        if !first {
            solver_body.sigma = found;
        }
        let (lost, left) = single_contact::solve(active, A, B, &law.law.stiffness, h, &mut tally);
        added = Increments::default();
        added.sums.E_num_v += lost;
        added.sums.E_solver += left;
        let mut done = Increments::default();
        let solver_body = if a == only_body { &mut *A } else { &mut *B };
        finish(solver_body, &mut ends[only_body], &model.bodies()[only_body], &gravity, (state.time, h), &mut done);
        added.add(&done);
        solver_body.rests = solver_body.rests && !solver_body.strays(&ends[only_body]);
        ends[other] = state.bodies[other].X_WBcm;
        if !(A.lies() && B.lies() && keep(contact, Some(active), A, B, followed)) {
            let X_AB = if a == other { X_WA } else { model.frame(a, &ends[a]) };
            look(model, set, contact, followed, beside, &X_AB.inv_mul(&model.frame(b, &ends[b])))?;
        }
        judge(active, followed, model, (A, B), h);
        if first {
            followed.off = active.off;
        }
        let energy = A.reference() + B.reference() + (active.met + active.pressed.stored);
        if active.geo <= fast.geometry * energy || pass >= fast.passes {
            break;
        }
        pass += 1;
    }
    let X = &ends[only_body];
    if !(X.translation.vector.sum() + X.rotation.coords.sum()).is_finite() {
        return Err(Stop::NotFinite);
    }
    report.repeated += u64::from(pass > 1);
    report.newton += tally.newton;
    report.unconverged += tally.unconverged;
    report.open += tally.open;
    report.contacts += 1;
    report.rested += u64::from(active.rests());
    let (mut told, mut done) = (None, Increments::default());
    let contact = &mut state.contacts[0];
    accept_contact(model, contact, Some(active), (followed, beside), (&*A, &*B), &ends[a], &mut told, &mut done)?;
    added.add(&done);
    if followed.lost {
        state.near.iter_mut().for_each(NearPair::forget);
    }
    if let Some((from, kind)) = told {
        let (a, b) = (contact.pair.a, contact.pair.b);
        events.push(Event { time: state.time + h, a, b, id: contact.id, from, kind });
    }
    let solver_body = if a == only_body { &*A } else { &*B };
    if !solver_body.lies() {
        state.fixed.linearised_at[only_body] = *X;
    }
    state.bodies[only_body] = BodyState { X_WBcm: *X, V_WBcm: solver_body.end_velocity(X) };
    Ok(Attempt::Done(added))
}
