//! # One fixed step: passes until geometry agrees, then the commit (`commit`)
//!
//! - **start at** [`step`]
//!
//! A pass places contacts at mid-step, solves, moves the bodies, and looks where the surfaces are then. Another pass
//! follows where that disagrees with the rows by more than a share of the energy, or where bodies met that were left out.
//!
//! **Length.** `choose`, `prepare` and `solve` are each a phase over all contacts, with points, faces and strands side by side.

use super::candidates::{Candidate, near, points, promote, set_of};
use super::commit::accept;
use super::inverse_mass::InverseMassRoot;
use super::meet::{Verdict, meet};
use super::parallel::{BODIES, CONTACTS, Even, Span, gather, spread};
use super::rows::{Beyond, ContactConstraint};
use super::site::expected_approach;
use super::solver_body::SolverBody;
use super::strands::Between;
use super::trees;
use super::{
    FixedReport, FixedStep, FixedWorkspace, Increments, Part, Tally, impact, island_solver, single_body,
    single_contact, sleep,
};
use crate::contacts::advancement;
use crate::model::Model;
use crate::model::body::{Body, Mobility};
use crate::model::load::Load;
use crate::run::Stop;
use crate::state::{BodyState, State};
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// How many times the passes of a step may be spent on contacts that were left out.
const MEETINGS: u32 = 4;

/// What came of trying a step.
pub(super) enum Attempt {
    Done(Increments),
    /// It is none for the path that tried.
    Other,
    /// Somebody who sleeps was met, and must wake first.
    Woken,
    /// An impact needs a shorter one (s).
    Shorter(f64),
}

/// One step, shorter than asked for where an impact needs it; what it adds to the ledger.
pub fn step(
    fast: &FixedStep,
    model: &Model,
    state: &mut State,
    work: &mut FixedWorkspace,
    part: &mut Part,
    report: &mut FixedReport,
) -> Result<Increments, Stop> {
    advancement::spend(model, state, part.h, &work.held);
    sleep::rouse(fast.sleep, model, state, work, part.h);
    loop {
        let mut made = single_body::attempt(fast, model, state, work, part, report)?;
        if matches!(made, Attempt::Other) {
            made = attempt(fast, model, state, work, part, report)?;
        }
        match made {
            Attempt::Done(mut added) => {
                if let Some(time) = fast.sleep {
                    added.sums.E_num_v += sleep::rest(time, model, state, work, part.h);
                }
                return Ok(added);
            }
            // All over again.
            Attempt::Woken | Attempt::Other => sleep::wake(state, work),
            Attempt::Shorter(h) => {
                if part.may_split && impact::split(model, part.h, work) {
                    advancement::spend(model, state, -part.h, &work.held);
                    part.splits = true;
                    return Ok(Increments::default());
                }
                advancement::spend(model, state, h - part.h, &work.held);
                *part = Part { h, may_cut: false, cuts: true, ..*part };
            }
        }
    }
}

/// The step with those awake.
fn attempt(
    fast: &FixedStep,
    model: &Model,
    state: &mut State,
    work: &mut FixedWorkspace,
    part: &Part,
    report: &mut FixedReport,
) -> Result<Attempt, Stop> {
    let h = part.h;
    let parallel = work.parallel;
    if state.fixed.linearised_at.len() != state.bodies.len() {
        // All places are those of the poses of the state.
        state.fixed.linearised_at.clear();
        state.fixed.linearised_at.extend(state.bodies.iter().map(|body| body.X_WBcm));
    }
    let held = &work.held;
    let solver_bodies =
        (Span::new(work.solver_bodies.len(), BODIES), Even { list: &mut work.solver_bodies, size: BODIES });
    spread(parallel, solver_bodies, &|(span, solver_bodies): (Span, Even<SolverBody>)| {
        let bodies = model.bodies()[span.from..].iter().zip(&state.bodies[span.from..]);
        for (i, (solver_body, (body, now))) in (span.from..).zip(solver_bodies.list.iter_mut().zip(bodies)) {
            solver_body.begin(body, now, state.time, h);
            solver_body.held = held.get(i) == Some(&true);
            solver_body.lie(solver_body.held || state.sleeps(i));
            solver_body.anchor(&state.fixed.linearised_at[i], h);
        }
    });
    work.forest.begin(model, state, &mut work.solver_bodies, h);
    near(model, state, &work.solver_bodies, h, &mut work.seen, (&mut work.candidates, &mut work.aside), parallel)?;
    if work.flat {
        let FixedWorkspace { faces, solver_bodies, candidates, seen, .. } = work;
        faces.begin(model, state, solver_bodies, candidates.list(), |slot| seen[slot].set);
    }
    work.open.fill(true);
    work.count = 0;
    let mut tally = Tally::default();
    let mut added;
    let mut pass = 1;
    loop {
        let first = pass == 1 || work.candidates.list().iter().filter(|one| one.forced).count() != work.chosen;
        if first {
            choose(model, state, work, h, pass);
        }
        if !work.woken.is_empty() {
            return Ok(Attempt::Woken);
        }
        if pass == 1 {
            if let Some(shorter) = impact::plan(model, state, work, part, report) {
                return Ok(Attempt::Shorter(shorter));
            }
            impact::begin_part(state, part, work.candidates.list().iter().map(Candidate::slot));
        }
        prepare(model, state, work, h, (pass, first))?;
        added = solve(model, state, work, h, first, &mut tally);
        let Verdict { again, mut met } = meet(fast, model, state, work, h, pass)?;
        let FixedWorkspace { candidates, aside, solver_bodies, seen, .. } = work;
        met |= promote(model, state, solver_bodies, h, seen, (candidates, aside))?;
        if !work.woken.is_empty() {
            return Ok(Attempt::Woken);
        }
        // Bodies that meet push others into their neighbours: a wave through a stack takes a pass for each.
        let most = if met { fast.passes.max(1) * MEETINGS } else { fast.passes };
        if !(again || met) || pass >= most {
            break;
        }
        pass += 1;
    }
    report.repeated += u64::from(pass > 1);
    report.newton += tally.newton;
    report.inner += tally.inner;
    report.unconverged += tally.unconverged;
    report.open += tally.open;
    report.contacts += work.chosen as u64;
    report.rested += work.active[..work.count].iter().filter(|contact| contact.rests()).count() as u64;
    accept(model, state, work, h, &mut added)?;
    trees::commit(model, state, work, h, fast.touches);
    Ok(Attempt::Done(added))
}

/// Which contacts act: those that overlap, those that will as far as velocities tell, and those found to in an earlier
/// pass.
fn choose(model: &Model, state: &State, work: &mut FixedWorkspace, h: f64, pass: u32) {
    let FixedWorkspace {
        solver_bodies,
        candidates,
        watched,
        listed,
        open,
        count,
        chosen,
        active,
        islands,
        faces,
        parallel,
        woken,
        forest,
        ..
    } = work;
    for solver_body in solver_bodies.iter_mut() {
        solver_body.contacts = 0;
    }
    open.fill(true);
    let candidates = candidates.list_mut();
    if pass == 1 {
        spread(*parallel, Even { list: candidates, size: CONTACTS }, &|part: Even<Candidate>| {
            for one in part.list.iter_mut() {
                let contact = &state.contacts[one.slot()];
                let (A, B) = (&solver_bodies[contact.pair.a.0], &solver_bodies[contact.pair.b.0]);
                let Some((pair, gap)) = points(contact) else { continue };
                let frame = || model.frame(contact.pair.a.0, &A.X);
                one.forced = gap < 0.0 || expected_approach(pair, gap, &frame(), A, B, h) > 0.0;
            }
        });
        for face in faces.list_mut() {
            let pair = &state.contacts[face.slot].pair;
            let bodies = (&solver_bodies[pair.a.0], &solver_bodies[pair.b.0]);
            let between = Between { model, pair, law: model.law(pair) };
            candidates[face.k].forced = face.gap() < 0.0 || face.expected_approach(between, bodies, h) > 0.0;
        }
    }
    listed.clear();
    *chosen = 0;
    for (k, one) in candidates.iter_mut().enumerate() {
        one.acting = u32::MAX;
        if one.forced {
            *chosen += 1;
            listed.push(k as u32);
            let pair = &state.contacts[one.slot()].pair;
            for body in [pair.a.0, pair.b.0] {
                solver_bodies[body].contacts += 1;
                if solver_bodies[body].sleeps && !solver_bodies[body].held {
                    woken.push(body as u32);
                }
            }
            if !faces.is_empty() && faces.of(k).is_some() {
                // What presses, and what holds along it.
                listed.push(k as u32);
                solver_bodies[pair.a.0].contacts += 1;
                solver_bodies[pair.b.0].contacts += 1;
            }
        }
    }
    forest.count(model, solver_bodies);
    // A tree is in its island by its first link.
    let leads = |body: usize| trees::leader(model, body) as u32;
    islands.sort(
        solver_bodies,
        listed.iter().map(|&k| {
            let pair = &state.contacts[candidates[k as usize].slot()].pair;
            (leads(pair.a.0), leads(pair.b.0))
        }),
    );
    watched.clear();
    watched.extend(islands.contacts.iter().map(|&i| listed[i as usize]));
    // Of two, the first.
    for (i, &k) in watched.iter().enumerate().rev() {
        candidates[k as usize].acting = i as u32;
    }
    *count = watched.len();
    while active.len() < *count {
        active.push(ContactConstraint::empty());
    }
}

/// A load over the step.
pub(super) fn give(load: &Load, body: &Body, solver_body: &mut SolverBody, time: f64, h: f64) {
    let share = load.profile.share(time + 0.5 * h) * h;
    let (mut t, f) = (load.t_W * share, load.f_W * share);
    if let Some(p_BoQ) = load.p_BoQ {
        let arm = solver_body.X.rotation * (p_BoQ - body.p_BoBcm);
        // At mid-step.
        t += (arm + solver_body.turning().cross(&arm) * (0.5 * h)).cross(&f);
    }
    solver_body.given.0 += t;
    solver_body.given.1 += f;
}

/// Given forces and rows at mid-step, of all that this pass solves.
fn prepare(
    model: &Model,
    state: &State,
    work: &mut FixedWorkspace,
    h: f64,
    (pass, first): (u32, bool),
) -> Result<(), Stop> {
    let FixedWorkspace {
        solver_bodies, candidates, active, count, watched, open, faces, seen, parallel, forest, ..
    } = work;
    forest.at_mid_step(model, state, solver_bodies, h, |body| open[body])?;
    forest.load(model, state, solver_bodies, h);
    let candidates = candidates.list();
    let gravity = model.gravity_W();
    let list = (Span::new(solver_bodies.len(), BODIES), Even { list: solver_bodies, size: BODIES });
    spread(*parallel, list, &|(span, solver_bodies): (Span, Even<SolverBody>)| {
        for (solver_body, _) in solver_bodies.list.iter_mut().zip(&open[span.from..]).filter(|(_, open)| **open) {
            solver_body.turn_half(h);
            solver_body.given = (Vector3::zeros(), gravity * (solver_body.mass * h));
        }
    });
    for load in model.loads() {
        if !open[load.body.0] || solver_bodies[load.body.0].link().is_some() {
            continue;
        }
        give(load, &model.bodies()[load.body.0], &mut solver_bodies[load.body.0], state.time, h);
    }
    let list = (Span::new(*count, CONTACTS), Even { list: &mut active[..*count], size: CONTACTS });
    let each = |(span, part): (Span, Even<ContactConstraint>)| {
        // Frame of the last body A.
        let mut frame = (usize::MAX, Matrix3::identity(), Vector3::zeros());
        for (active, &k) in part.list.iter_mut().zip(&watched[span.from..]) {
            let one = &candidates[k as usize];
            let slot = one.slot();
            let contact = &state.contacts[slot];
            let (a, b) = (contact.pair.a.0, contact.pair.b.0);
            let (A, B) = (&solver_bodies[a], &solver_bodies[b]);
            if !(open[a] && A.moves() || open[b] && B.moves()) {
                continue;
            }
            let law = model.law(&contact.pair);
            let Some((pair, gap)) = points(contact) else { continue };
            let stop = |error| Stop::Law { pair: contact.pair, error };
            if A.lies() && B.lies() {
                let frame = || model.frame(a, &A.anchor);
                active.rest(slot, contact, (pair, gap), law, frame, A, B, h, first).map_err(stop)?;
                active.bend(model, (pair, gap), law, (A, B), h);
                continue;
            }
            if frame.0 != a {
                let X_WA = model.frame(a, &solver_bodies[a].X);
                frame = (a, *X_WA.rotation.to_rotation_matrix().matrix(), X_WA.translation.vector);
            }
            let frame = (&frame.1, &frame.2);
            let beyond = match pass {
                1 => Beyond::Last(contact.fixed.off),
                _ => one.end.beyond(gap),
            };
            active.prepare(slot, contact, (pair, gap), law, frame, A, B, h, beyond, first).map_err(stop)?;
            active.bend(model, (pair, gap), law, (A, B), h);
        }
        Ok(())
    };
    gather(*parallel, list, &each, &Result::and)?;
    for (active, &k) in active[..*count].iter().zip(watched.iter()) {
        // Of bodies that both stand, rows are not prepared.
        if !active.bends() || active.slot != candidates[k as usize].slot() {
            continue;
        }
        for (body, impulse) in [active.a, active.b].into_iter().zip(&active.bent) {
            if open[body] && solver_bodies[body].moves() {
                solver_bodies[body].take_impulse(impulse);
            }
        }
    }
    for (i, face) in faces.list_mut().iter_mut().enumerate() {
        let contact = &state.contacts[face.slot];
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        let (A, B) = (&solver_bodies[a], &solver_bodies[b]);
        if !(candidates[face.k].forced && (open[a] && A.moves() || open[b] && B.moves())) {
            continue;
        }
        let (law, set) = (model.law(&contact.pair), set_of(state, seen[face.slot].set));
        let stop = |error| Stop::Law { pair: contact.pair, error };
        // As far as they press already; else how far geometry led them is no guide.
        let beyond = match pass {
            1 => Beyond::Last(contact.fixed.off),
            _ if face.strand.is_some() => Beyond::Last(candidates[face.k].end.off),
            _ if face.gap() < 0.0 => Beyond::Seen(face.q1[0] - face.press.q0[0]),
            _ => Beyond::Last(0.0),
        };
        face.place(model, set, contact, law, (A, B), h).map_err(stop)?;
        let at = candidates[face.k].acting as usize;
        if let [press, rub] = &mut active[at..at + 2] {
            press.press(contact, (face, i), A, B, h, beyond, first);
            rub.rub(contact, face, law, A, B, h, first);
        }
    }
    Ok(())
}

/// Loads, velocities and poses at the end.
fn solve(
    model: &Model,
    state: &State,
    work: &mut FixedWorkspace,
    h: f64,
    first: bool,
    tally: &mut Tally,
) -> Increments {
    let FixedWorkspace {
        solver_bodies,
        active,
        count,
        islands,
        numbers,
        ends,
        open,
        left,
        faces,
        parallel,
        forest,
        ..
    } = work;
    let active = &mut active[..*count];
    forest.done.fill(false);
    let gravity = model.gravity_W();
    let list = (Span::new(solver_bodies.len(), BODIES), Even { list: solver_bodies, size: BODIES });
    spread(*parallel, list, &|(span, solver_bodies): (Span, Even<SolverBody>)| {
        let list = solver_bodies.list.iter_mut().zip(&open[span.from..]);
        for (solver_body, _) in list.filter(|(solver_body, open)| **open && solver_body.moves()) {
            let found = solver_body.sigma;
            solver_body.fly(h);
            if !first && solver_body.contacts > 0 {
                solver_body.sigma = found;
            }
        }
    });
    left.resize(islands.ends.len(), (0.0, 0.0));
    if islands.ends.len() < active.len() {
        let faces = faces.list();
        *tally = tally.and(island_solver::solve(
            model,
            solver_bodies,
            active,
            faces,
            islands,
            numbers,
            open,
            left,
            (h, first),
            *parallel,
        ));
    }
    for index in 0..islands.ends.len() {
        let island = index;
        let (bodies, contacts) = islands.range(island);
        if !open[islands.bodies[bodies.start] as usize] {
            continue;
        }
        let members = &islands.bodies[bodies.clone()];
        if members.iter().any(|&body| solver_bodies[body as usize].link().is_some()) {
            let island = trees::Island { model, state, members, faces: faces.list(), h, first };
            left[index] = trees::solve(&island, forest, solver_bodies, &mut active[contacts], tally);
            continue;
        }
        if contacts.len() == 1 {
            let contact = &mut active[contacts.start];
            let law = &model.law(&contact.pair).law;
            let Some((A, B)) = both(solver_bodies, contact.a, contact.b) else { continue };
            left[island] = single_contact::solve(contact, A, B, &law.stiffness, h, tally);
        } else {
            for (&body, node) in islands.bodies[bodies.clone()].iter().zip(&numbers.nodes[bodies]) {
                solver_bodies[body as usize].take(&node.sigma, &node.nu, &node.turned_done);
            }
        }
    }
    forest.solve_alone(model, state, solver_bodies, open, (h, first), tally);
    forest.place_ends(model, solver_bodies, ends);
    let mut added = Increments::default();
    for (lost, left) in left.iter() {
        added.sums.E_num_v += lost;
        added.sums.E_solver += left;
    }
    let size = BODIES;
    let list = (Span::new(solver_bodies.len(), size), Even { list: solver_bodies, size }, Even { list: ends, size });
    let each = |(span, solver_bodies, ends): (Span, Even<SolverBody>, Even<Isometry3<f64>>)| {
        let mut added = Increments::default();
        let list = solver_bodies.list.iter_mut().zip(ends.list.iter_mut());
        for ((solver_body, end), body) in list.zip(&model.bodies()[span.from..]) {
            finish(solver_body, end, body, &gravity, (state.time, h), &mut added);
        }
        added
    };
    added.add(&gather(*parallel, list, &each, &Increments::and));
    added
}

/// A body at the end of the step.
pub(super) fn finish(
    solver_body: &mut SolverBody,
    end: &mut Isometry3<f64>,
    body: &Body,
    gravity: &Vector3<f64>,
    (time, h): (f64, f64),
    added: &mut Increments,
) {
    if solver_body.link().is_some() {
        // Its tree has moved it.
    } else if solver_body.moves() {
        solver_body.solve();
        *end = solver_body.end_pose(h);
        if let (Mobility::Restricted(restriction), InverseMassRoot::Sliding(_)) = (&body.mobility, &solver_body.root) {
            *end = restriction.slid_to(body, &end.translation.vector);
        } else if let Mobility::Restricted(restriction) = &body.mobility {
            let at_rest = BodyState { X_WBcm: *end, V_WBcm: SpatialVelocity::zero() };
            *end = restriction.keep(body, &at_rest).X_WBcm;
        }
        let (given, turned) = solver_body.work(gravity, h);
        added.W_injected += given;
        added.sums.E_solver += turned;
        let (changed, carried) = solver_body.carry(end, gravity, h);
        solver_body.carried = carried;
        added.sums.E_geo += changed + carried;
        added.E_geo_size += (changed + carried).abs();
    } else if let Mobility::Prescribed(motion) = &body.mobility {
        *end = super::candidates::centre(body, &motion.pose(&body.X_WB, time + h));
    } else {
        *end = solver_body.X;
    }
}

/// Two different elements of a slice.
pub(super) fn both<T>(list: &mut [T], a: usize, b: usize) -> Option<(&mut T, &mut T)> {
    match list.get_disjoint_mut([a, b]) {
        Ok([a, b]) => Some((a, b)),
        Err(_) => None,
    }
}
