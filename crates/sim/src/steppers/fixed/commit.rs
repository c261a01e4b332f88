//! # Commit: a step is written into the state and the ledger
//!
//! `step`, `single_body` ──(what the last pass found)──▶ **here** ──(state a step later, losses by cause, events)──▶ whoever asked
//!
//! - **in**: contacts that acted, where all contacts are at the end, bodies
//! - **out**: the state at the end of the step; what contacts lost; events
//! - **not here**: what bodies do by themselves (`step::finish`)
//! - **start at** [`accept`], then [`accept_contact`]
//!
//! `accept` and its two parts (points, faces) are long, since each loss is computed beside the state that it comes from.

use super::candidates::{Between, Candidate, Followed, closing, look, set_of, still};
use super::faces::Face;
use super::parallel::{CONTACTS, Even, Span, Uneven, gather};
use super::rows::ContactConstraint;
use super::site::Carry;
use super::solver_body::SolverBody;
use super::{FixedWorkspace, Increments};
use crate::contacts::place::Place;
use crate::contacts::rules::pressed_mode;
use crate::contacts::through;
use crate::model::Model;
use crate::model::body::Mobility;
use crate::run::{Event, EventKind, Stop};
use crate::state::{BodyState, ContactMode, ContactState, FixedContact, State};
use fingerpad_contact::law::{ContactLaw, Friction};
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Point3, Vector3};

/// Share of the energy that a contact may gain by a step that geometry does not agree with.
const JUMP: f64 = 1e-9;
/// What happened to a contact, and the mode it came from.
pub type Told = Option<(ContactMode, EventKind)>;

/// Writes the step into the state, contact by contact.
pub fn accept(
    model: &Model,
    state: &mut State,
    work: &mut FixedWorkspace,
    h: f64,
    added: &mut Increments,
) -> Result<(), Stop> {
    let FixedWorkspace {
        solver_bodies,
        candidates,
        aside,
        active,
        ends,
        events,
        seen,
        told,
        bounds,
        parallel,
        looked,
        faces,
        flat,
        ..
    } = work;
    let total = state.contacts.len() as u32;
    if ends.iter().any(|X| !(X.translation.vector.sum() + X.rotation.coords.sum()).is_finite()) {
        return Err(Stop::NotFinite);
    }
    // Contacts that were left aside come nearer by as much as their bodies can.
    for &slot in aside.iter() {
        let contact = &mut state.contacts[slot as usize];
        contact.fixed.far = (contact.fixed.far - h * closing(model, contact, solver_bodies)).max(f64::MIN_POSITIVE);
    }
    // Contacts left aside that the last pass found near: they go on from where they are.
    let mut between = Between::new();
    for Candidate { contact, end, beside, .. } in &mut candidates.list_mut()[*looked..] {
        let slot = *contact as usize;
        let contact = &state.contacts[slot];
        let set = set_of(state, seen[slot].set);
        let X_AB = between.of(contact, |i| model.frame(i, &ends[i]));
        look(model, set, contact, end, beside, X_AB)?;
    }
    let candidates = candidates.list();
    told.clear();
    told.resize(candidates.len(), None);
    // Those found near on the way are at the end, out of order.
    let unordered = candidates.windows(2).position(|pair| pair[0].contact > pair[1].contact);
    let sorted = unordered.map_or(candidates.len(), |at| at + 1);
    let book = |k: usize, contact: &mut ContactState, told: &mut Told, added: &mut Increments| {
        let Candidate { acting, end, beside, .. } = &candidates[k];
        let acts = active.get(*acting as usize);
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        let bodies = (&solver_bodies[a], &solver_bodies[b]);
        if let (Place::Face(_) | Place::Strand(_), Some(face)) = (&contact.place, faces.of(k)) {
            let acts = acts.zip(active.get(*acting as usize + 1));
            return accept_face(model, contact, acts, (end, face), bodies, [&ends[a], &ends[b]], told, added);
        }
        accept_contact(model, contact, acts, (end, beside), bodies, &ends[a], told, added)
    };
    let size = CONTACTS;
    // Each part of the candidates has the contacts between its first and the next part's first.
    bounds.clear();
    bounds.extend(
        (1..=sorted.div_ceil(size)).map(|part| candidates[..sorted].get(part * size).map_or(total, |one| one.contact)),
    );
    let list = (
        Span::new(sorted, size),
        Even { list: &mut told[..sorted], size },
        Uneven { list: &mut state.contacts, ends: bounds, from: 0 },
    );
    let each = |(span, told, contacts): (Span, Even<Told>, Uneven<ContactState>)| {
        let mut added = Increments::default();
        for (k, told) in (span.from..).zip(told.list.iter_mut()) {
            book(k, &mut contacts.list[(candidates[k].contact - contacts.from) as usize], told, &mut added)?;
        }
        Ok(added)
    };
    added.add(&gather(*parallel, list, &each, &|a, b| Ok(a?.and(b?)))?);
    for k in sorted..candidates.len() {
        book(k, &mut state.contacts[candidates[k].slot()], &mut told[k], added)?;
    }
    for one in candidates.iter().filter(|one| one.end.lost) {
        if let Some(near) = state.near.get_mut(seen[one.slot()].set as usize) {
            near.forget();
        }
    }
    if *flat {
        turn_to_faces(model, state, solver_bodies, ends);
    }
    for (told, one) in told.iter().zip(candidates) {
        if let Some((from, kind)) = *told {
            let ContactState { pair, id, .. } = &state.contacts[one.slot()];
            events.push(Event { time: state.time + h, a: pair.a, b: pair.b, id: *id, from, kind });
        }
    }
    for (anchor, (solver_body, end)) in state.fixed.linearised_at.iter_mut().zip(solver_bodies.iter().zip(ends.iter()))
    {
        if !solver_body.lies() && !solver_body.held {
            *anchor = *end;
        }
    }
    for ((now, body), (solver_body, end)) in
        state.bodies.iter_mut().zip(model.bodies()).zip(solver_bodies.iter().zip(ends.iter()))
    {
        if solver_body.held {
            continue;
        }
        *now = match &body.mobility {
            Mobility::Fixed => BodyState { X_WBcm: now.X_WBcm, V_WBcm: SpatialVelocity::zero() },
            Mobility::Prescribed(motion) => {
                let p = Point3::from(end.translation.vector);
                BodyState { X_WBcm: *end, V_WBcm: motion.velocity_at(&p, state.time + h) }
            }
            _ => BodyState { X_WBcm: *end, V_WBcm: solver_body.end_velocity(end) },
        };
    }
    Ok(())
}

/// Pairs with faces that were no contact and have come near to parallel are looked at again.
fn turn_to_faces(model: &Model, state: &mut State, solver_bodies: &[SolverBody], ends: &[Isometry3<f64>]) {
    for near in &mut state.near {
        let (a, b) = (near.pair.a.0, near.pair.b.0);
        let Some(set) = near.set().filter(|_| !(solver_bodies[a].lies() && solver_bodies[b].lies())) else { continue };
        let between = |X: [&Isometry3<f64>; 2]| model.frame(a, X[0]).inv_mul(&model.frame(b, X[1]));
        if set.faces_turn_to(&between([&solver_bodies[a].X, &solver_bodies[b].X]), &between([&ends[a], &ends[b]])) {
            near.forget();
        }
    }
}

/// Writes the step of two faces into their contact, and into the ledger: what pressed, and what held along it.
#[allow(clippy::too_many_arguments)] // what a contact is written from
fn accept_face(
    model: &Model,
    contact: &mut ContactState,
    acts: Option<(&ContactConstraint, &ContactConstraint)>,
    (followed, face): (&Followed, &Face),
    (A, B): (&SolverBody, &SolverBody),
    [end_A, end_B]: [&Isometry3<f64>; 2],
    told: &mut Told,
    added: &mut Increments,
) -> Result<(), Stop> {
    let law = &model.law(&contact.pair).law;
    let before = (contact.doing(), contact.fixed.slips);
    contact.fixed.far = 0.0;
    let mut d1 = -followed.gap;
    let n1 = end_A.rotation * followed.pair.nhat_AB_A;
    let mut stored = 0.0;
    if let Some((active, rub)) = acts {
        let p_W = || model.frame(contact.pair.a.0, end_A) * followed.pair.p_ACa;
        let X_AB = || model.frame(contact.pair.a.0, end_A).inv_mul(&model.frame(contact.pair.b.0, end_B));
        through::check_faces(model, contact.pair, d1, &followed.pair, X_AB, p_W)?;
        let (press, bed) = (&face.press, face.bed());
        let pressing = press.account(bed, &active.u);
        let rubbing = rub.law.account(&rub.pressed, &rub.u);
        let (mut met, led) = (active.met, active.pressed.stored);
        if face.strand.is_none() && met > led && met - led > JUMP * (A.reference() + B.reference() + led) {
            // The place jumped: the springs go on from where they were led to, but for slopes.
            let jump = face.q1[0] - (press.q0[0] + active.u[1]);
            contact.rest_offset += jump;
            d1 -= jump;
            met = press.at(bed, &(face.q1 - Vector3::x() * jump)).stored;
        }
        let geo = met - led;
        added.sums.E_num_n += pressing.numerical;
        added.sums.E_num_t += rubbing.numerical_t;
        added.sums.E_geo += geo;
        added.E_geo_size += geo.abs();
        let viscous = pressing.viscous + rubbing.viscous;
        added.E_visc += viscous;
        added.E_slip += rubbing.slip;
        added.W_injected += active.f.dot(&active.driven) + rub.f.dot(&rub.driven);
        contact.E_visc += viscous;
        contact.E_slip += rubbing.slip;
        if let Friction::Coulomb { mu } | Friction::Exact { mu } = law.friction
            && active.f[1] > 0.0
        {
            contact.slid += rubbing.slip / (mu * active.f[1]);
        }
        let held = contact.memory.energy();
        let carry = Carry::before(&rub.n, &n1, rub.half_spin);
        contact.memory.x_theta = rubbing.y1.z;
        contact.memory.nhat_W = n1;
        contact.memory.x_W = carry.of(&(rub.ea * rubbing.y1.x + rub.eb * rubbing.y1.y));
        contact.fixed = FixedContact {
            normal: active.f[1],
            f_W: carry.of(&(rub.ea * rub.f[1] + rub.eb * rub.f[2])),
            moment: rub.f[3],
            blend: rub.blend,
            slips: rubbing.slips,
            off: if face.gap() < 0.0 && d1 > 0.0 { followed.off } else { 0.0 },
            part: contact.fixed.part,
            impact: contact.fixed.impact,
            ..FixedContact::default()
        };
        stored += met - press.start.stored - held;
    } else if d1 > 0.0 {
        // Met after the last pass: its energy comes from geometry.
        let energy = match &face.strand {
            Some(along) => along.stored[1],
            None => {
                let grip = law.face_grip(&face.end).map_err(|error| Stop::Law { pair: contact.pair, error })?;
                grip.map_or(0.0, |grip| grip.energy)
            }
        };
        added.sums.E_geo += energy;
        added.E_geo_size += energy;
        stored += energy;
    }
    conclude(contact, law, d1, stored, added);
    contact.fixed.far = 0.0;
    *told = tell(contact, before);
    Ok(())
}

/// Writes the step into one contact, and into the ledger.
#[allow(clippy::too_many_arguments)] // what a contact is written from
pub fn accept_contact(
    model: &Model,
    contact: &mut ContactState,
    acts: Option<&ContactConstraint>,
    (followed, beside): (&Followed, &Place),
    (A, B): (&SolverBody, &SolverBody),
    end_A: &Isometry3<f64>,
    told: &mut Told,
    added: &mut Increments,
) -> Result<(), Stop> {
    let law = &model.law(&contact.pair).law;
    followed.leave(beside, &mut contact.place);
    let before = (contact.doing(), contact.fixed.slips);
    contact.fixed.far = 0.0;
    let mut d1 = -followed.gap;
    let n1 = match acts {
        Some(active) if followed.kept => active.n,
        _ => end_A.rotation * followed.pair.nhat_AB_A,
    };
    let mut stored = 0.0;
    if let Some(active) = acts {
        if d1 > 0.0 {
            let p_W = || model.frame(contact.pair.a.0, end_A) * followed.pair.p_ACa;
            through::check(model, contact.pair, d1.max(active.law.d0), (&active.n, &n1), p_W)?;
        }
        let account = active.law.account(&active.pressed, &active.u);
        let (mut met, led) = (active.met, active.pressed.stored);
        if met > led && met - led > JUMP * (A.reference() + B.reference() + led) {
            // The place jumped, as on ridges: the springs go on from where they were led to.
            let jump = d1 - (active.law.d0 + active.u[0]);
            contact.rest_offset += jump;
            d1 -= jump;
            met = led;
        }
        let geo = met - led;
        added.sums.E_num_n += account.numerical_n;
        added.sums.E_num_t += account.numerical_t;
        added.sums.E_geo += geo;
        added.E_geo_size += geo.abs();
        added.E_visc += account.viscous;
        added.E_slip += account.slip;
        added.W_injected += active.f.dot(&active.driven);
        contact.E_visc += account.viscous;
        contact.E_slip += account.slip;
        if let Friction::Coulomb { mu } | Friction::Exact { mu } = law.friction
            && active.f[0] > 0.0
        {
            contact.slid += account.slip / (mu * active.f[0]);
        }
        let held = contact.memory.energy();
        let x_mid = active.ea * account.y1.x + active.eb * account.y1.y;
        let mut f = active.ea * active.f[1] + active.eb * active.f[2];
        contact.memory.x_theta = account.y1.z;
        contact.memory.nhat_W = n1;
        let mut led = (0.0, 0.0);
        if followed.kept {
            contact.memory.x_W = x_mid;
            let from = contact.place.pair().map_or(0.0, |pair| pair.gap);
            led = (followed.gap - (from + contact.rest_offset), from);
        } else {
            let carry = Carry::before(&active.n, &n1, active.half_spin);
            contact.memory.x_W = carry.of(&x_mid);
            f = carry.of(&f);
        }
        contact.fixed = FixedContact {
            normal: active.f[0],
            f_W: f,
            moment: active.f[3],
            blend: active.blend,
            slips: account.slips,
            factor: active.law.factor,
            off: if active.law.d0 > 0.0 && d1 > 0.0 { followed.off } else { 0.0 },
            far: 0.0,
            led,
            part: contact.fixed.part,
            impact: contact.fixed.impact,
        };
        stored += met - active.law.curve.at(&law.stiffness, active.law.d0).0 - held;
        if active.bends() {
            // The springs give it, by their curvature; a body whose motion is given takes its part from outside.
            let work = A.work_of(&active.bent[0]) + B.work_of(&active.bent[1]);
            added.W_injected -= work;
            stored -= work;
        }
    } else if d1 > 0.0 {
        // Met after the last pass: its energy comes from geometry.
        let pair = followed.pair();
        let grip = law.stiffness.grip(&still(&pair)).map_err(|error| Stop::Law { pair: contact.pair, error })?;
        added.sums.E_geo += grip.energy;
        added.E_geo_size += grip.energy;
        stored += grip.energy;
    }
    conclude(contact, law, d1, stored, added);
    *told = tell(contact, before);
    Ok(())
}

/// Pressed at the depth d₁, or let go; `stored` is what the step put into its springs, less all that they held along the patch.
#[inline]
fn conclude(contact: &mut ContactState, law: &ContactLaw, d1: f64, stored: f64, added: &mut Increments) {
    let held = contact.memory.energy();
    if d1 > 0.0 {
        contact.mode = pressed_mode(law);
        contact.stored += stored + held;
        return;
    }
    contact.stored += stored;
    added.E_release += held;
    contact.E_release += held;
    contact.memory.clear();
    contact.mode = ContactMode::Free;
    contact.fixed = FixedContact { far: (-d1).max(0.0), ..FixedContact::default() };
}

/// The event of a contact between two ends of steps, if there was one.
fn tell(contact: &ContactState, (from, slipped): (ContactMode, bool)) -> Told {
    let kind = match (from == ContactMode::Free, contact.mode == ContactMode::Free) {
        (true, false) => EventKind::On,
        (false, true) => EventKind::Off,
        (false, false) if slipped != contact.fixed.slips => {
            if slipped {
                EventKind::Stick
            } else {
                EventKind::Slip
            }
        }
        _ => return None,
    };
    Some((from, kind))
}
