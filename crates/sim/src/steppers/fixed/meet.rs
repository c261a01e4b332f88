//! # Meet: where surfaces are at the end of a pass, and whether it must be made again
//!
//! - **in**: bodies and contacts that a pass has solved
//! - **out**: places at the end of the step; a [`Verdict`]
//! - **not here**: the pass itself (`step`); what is written into the state (`commit`)
//! - **start at** [`meet`]
//!
//! `meet` is one long pass over contacts: each kind of place answers the same questions, and the verdict is the worst of all answers.

use super::candidates::{Between, Candidate, Followed, look, points, set_of};
use super::faces::Face;
use super::parallel::{CONTACTS, Even, Span, gather, spread};
use super::rows::{ContactConstraint, Role};
use super::solver_body::SolverBody;
use super::trees::Forest;
use super::{FixedStep, FixedWorkspace};
use crate::contacts::place::Place;
use crate::model::Model;
use crate::run::Stop;
use crate::state::{ContactState, State};
use nalgebra::Vector3;

/// How much more of its own energy than an island of its own a contact in it may gain before it is solved again.
const ALONE: f64 = 100.0;

/// What a pass leaves to do.
pub(super) struct Verdict {
    /// Some islands must be solved again.
    pub again: bool,
    /// Contacts met that were left out: their islands must be, too.
    pub met: bool,
}

/// Where the surfaces are at the end of the step; whether some islands must be solved again, and which.
pub(super) fn meet(
    fast: &FixedStep,
    model: &Model,
    state: &State,
    work: &mut FixedWorkspace,
    h: f64,
    pass: u32,
) -> Result<Verdict, Stop> {
    let FixedWorkspace {
        solver_bodies,
        candidates,
        active,
        count,
        watched,
        ends,
        open,
        islands,
        seen,
        parallel,
        woken,
        looked,
        faces,
        ..
    } = work;
    let candidates = candidates.list_mut();
    let known = if pass == 1 { 0 } else { *looked };
    *looked = candidates.len();
    // Rows at the anchor are what a first pass would take of a body that starts from rest.
    for (solver_body, end) in solver_bodies.iter_mut().zip(ends.iter()) {
        solver_body.rests = solver_body.rests && !solver_body.strays(end);
    }
    let size = CONTACTS;
    let list = (Span::new(candidates.len(), size), Even { list: &mut *candidates, size });
    let each = |(span, part): (Span, Even<Candidate>)| {
        let mut between = Between::new();
        for (k, one) in (span.from..).zip(part.list.iter_mut()) {
            let slot = one.slot();
            let contact = &state.contacts[slot];
            if matches!(contact.place, Place::Face(_) | Place::Strand(_)) {
                continue;
            }
            let (A, B) = (&solver_bodies[contact.pair.a.0], &solver_bodies[contact.pair.b.0]);
            if A.lies() && B.lies() && keep(contact, active.get(one.acting as usize), A, B, &mut one.end) {
                continue;
            }
            let stays = !(open[contact.pair.a.0] && A.moves() || open[contact.pair.b.0] && B.moves());
            if k < known && stays && !one.end.kept {
                continue;
            }
            let set = set_of(state, seen[slot].set);
            let X_AB = between.of(contact, |i| model.frame(i, &ends[i]));
            look(model, set, contact, &mut one.end, &mut one.beside, X_AB)?;
        }
        Ok(())
    };
    gather(*parallel, list, &each, &Result::and)?;
    for face in faces.list_mut() {
        let contact = &state.contacts[face.slot];
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        let stays = !(open[a] && solver_bodies[a].moves() || open[b] && solver_bodies[b].moves());
        if pass == 1 || !stays {
            let goes_on = face.look(
                model,
                set_of(state, seen[face.slot].set),
                contact,
                ((&solver_bodies[a], &solver_bodies[b]), h),
                ends,
            );
            let end = Followed { pair: face.end.pair, gap: face.end_gap(), lost: !goes_on, ..Followed::new(contact) };
            let one = &mut candidates[face.k];
            one.end = Followed { off: one.end.off, ..end };
        }
        if candidates[face.k].forced {
            let (A, B) = (&solver_bodies[a], &solver_bodies[b]);
            judge_face(&mut active[candidates[face.k].acting as usize], face, (A, B), h);
        }
    }
    open.fill(false);
    let mut again = false;
    let list = (Span::new(*count, CONTACTS), Even { list: &mut active[..*count], size: CONTACTS });
    spread(*parallel, list, &|(span, part): (Span, Even<ContactConstraint>)| {
        for (contact, &k) in part.list.iter_mut().zip(&watched[span.from..]) {
            if contact.role != Role::Point {
                continue;
            }
            let bodies = (&solver_bodies[contact.a], &solver_bodies[contact.b]);
            judge(contact, &candidates[k as usize].end, model, bodies, h);
        }
    });
    for (contact, &k) in active[..*count].iter().zip(watched.iter()) {
        if pass == 1 && contact.role != Role::Rubs {
            candidates[k as usize].end.off = contact.off;
        }
    }
    for island in 0..islands.ends.len() {
        let (bodies, contacts) = islands.range(island);
        let (bodies, contacts) = (&islands.bodies[bodies], &active[contacts]);
        if disagrees(fast, bodies.iter().map(|&b| &solver_bodies[b as usize]), contacts, solver_bodies) {
            again = true;
            bodies.iter().for_each(|&b| open[b as usize] = true);
        }
    }
    for (solver_body, open) in solver_bodies.iter().zip(open.iter_mut()) {
        if solver_body.carried != 0.0 && solver_body.carried.abs() > fast.geometry * solver_body.reference() {
            again = true;
            *open = true;
        }
    }
    Forest::open_together(model, open);
    if again {
        // All bodies of an island, or none.
        for island in 0..islands.ends.len() {
            let bodies = &islands.bodies[islands.range(island).0];
            if bodies.iter().any(|&b| open[b as usize]) {
                bodies.iter().for_each(|&b| open[b as usize] = true);
            }
        }
        Forest::open_together(model, open);
    }
    let mut met = false;
    for one in candidates.iter_mut().filter(|one| !one.forced && one.end.gap < 0.0) {
        one.forced = true;
        met = true;
        let pair = &state.contacts[one.slot()].pair;
        woken.extend(
            [pair.a.0, pair.b.0]
                .into_iter()
                .filter(|i| solver_bodies[*i].sleeps && !solver_bodies[*i].held)
                .map(|i| i as u32),
        );
    }
    Ok(Verdict { again, met })
}

/// Whether an island must be solved again: geometry brings more than a share of the energy of all its bodies, or much
/// more than that of the two that touch.
pub(super) fn disagrees<'a>(
    fast: &FixedStep,
    bodies: impl Iterator<Item = &'a SolverBody>,
    contacts: &[ContactConstraint],
    solver_bodies: &[SolverBody],
) -> bool {
    let brought: f64 = contacts.iter().map(|contact| contact.geo).sum();
    if brought == 0.0 {
        return false;
    }
    let pressed = |contact: &ContactConstraint| contact.met + contact.pressed.stored;
    let energy = bodies.map(SolverBody::reference).sum::<f64>() + contacts.iter().map(pressed).sum::<f64>();
    let own = |contact: &ContactConstraint| {
        solver_bodies[contact.a].reference() + solver_bodies[contact.b].reference() + pressed(contact)
    };
    brought > fast.geometry * energy
        || contacts.len() > 1 && contacts.iter().any(|contact| contact.geo > ALONE * fast.geometry * own(contact))
}

/// What geometry says to where the rows of a contact led.
#[inline]
pub(super) fn judge(
    contact: &mut ContactConstraint,
    followed: &Followed,
    model: &Model,
    (A, B): (&SolverBody, &SolverBody),
    h: f64,
) {
    if followed.kept {
        (contact.off, contact.met, contact.geo) = (0.0, contact.pressed.stored, 0.0);
        return;
    }
    let (d0, d1) = (contact.law.d0, -followed.gap);
    let plain = contact.u[0] - h * contact.secant.dot(&(B.v_step - A.v_step));
    contact.off = if d0 > 0.0 || d1 > 0.0 { d1 - d0 - plain } else { 0.0 };
    let stiffness = &model.law(&contact.pair).law.stiffness;
    contact.met = contact.law.curve.at(stiffness, d1).0;
    let (V1, Vu) = (contact.met, contact.pressed.stored);
    // Gaps are known to the rounding of places.
    let places = A.X.translation.vector.amax() + B.X.translation.vector.amax();
    let rounding = contact.f[0] * 1e-15 * places;
    contact.geo = ((V1 - Vu).abs() - rounding).max(0.0);
}

/// The same of two faces.
pub(super) fn judge_face(contact: &mut ContactConstraint, face: &Face, (A, B): (&SolverBody, &SolverBody), h: f64) {
    let press = &face.press;
    let u = Vector3::new(contact.u[1], contact.u[2], contact.u[3]);
    let led = press.q0 + u;
    let end = if face.end.area > 0.0 { face.q1 } else { led };
    let turned = h * contact.secant.dot(&(B.v_step - A.v_step));
    let touches = face.gap() < 0.0 || face.end_gap() < 0.0;
    if let Some(along) = &face.strand {
        contact.off = if touches { along.beyond(&(u - Vector3::x() * turned)) } else { 0.0 };
        contact.met = along.stored[1];
    } else {
        contact.off = if touches { end[0] - press.q0[0] - (u[0] - turned) } else { 0.0 };
        contact.met = press.at(face.bed(), &end).stored;
    }
    // Gaps are known to the rounding of places.
    let places = A.X.translation.vector.amax() + B.X.translation.vector.amax() + press.radius;
    let rounding = contact.f[1].abs() * 1e-15 * places;
    contact.geo = ((contact.met - contact.pressed.stored).abs() - rounding).max(0.0);
}

/// Leaves a contact between bodies that rest where it is, with the gap that its rows led to; not where it may come to press
/// without rows.
#[inline]
pub(super) fn keep(
    contact: &ContactState,
    acts: Option<&ContactConstraint>,
    A: &SolverBody,
    B: &SolverBody,
    followed: &mut Followed,
) -> bool {
    let gap = match acts {
        Some(active) => -(active.law.d0 + active.u[0]),
        None => match points(contact) {
            Some((_, gap)) if gap > 2.0 * (A.room() + B.room()) => gap,
            _ => return false,
        },
    };
    (followed.gap, followed.kept, followed.lost) = (gap, true, false);
    true
}
