//! # One fixed step: passes until geometry agrees, then the books
//!
//! - **start at** [`step`]
//!
//! A pass places contacts at mid-step, solves, moves the bodies, and looks where the surfaces are then. Another pass
//! follows where that disagrees with the rows by more than a share of the energy, or where bodies met that were left out.

use super::gather::{Between, Followed, closing, look, near, points, renew_if_due, set_of, sets, still};
use super::rows::{Active, Carry, expected_approach};
use super::{Fast, FastMemory, FastReport, FastWorkspace, Increments, Tally, island, pressed, single};
use crate::accurate::{Event, EventKind, Stop};
use crate::body::Mobility;
use crate::model::Model;
use crate::state::{BodyState, ContactMode, ContactState, State};
use fingerpad_contact::law::Friction;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Matrix3, Point3, Vector3};

/// Share of the energy that a contact may gain by a step that geometry does not agree with.
const JUMP: f64 = 1e-9;
/// How many times the passes of a step may be spent on contacts that were left out.
const MEETINGS: u32 = 4;

/// What a pass leaves to do.
struct Verdict {
    /// Some islands must be solved again.
    again: bool,
    /// Among them contacts that were left out.
    met: bool,
}

/// One step of length h; what it adds to the ledger.
pub fn step(
    fast: &Fast,
    model: &Model,
    state: &mut State,
    work: &mut FastWorkspace,
    h: f64,
    report: &mut FastReport,
) -> Result<Increments, Stop> {
    renew_if_due(model, state, &mut work.broad, h)?;
    sets(state, &mut work.sets);
    for ((mover, body), now) in work.movers.iter_mut().zip(model.bodies()).zip(&state.bodies) {
        mover.begin(body, now, state.time, h);
    }
    near(model, state, &work.movers, h, &mut work.slots, &work.sets, &mut work.room)?;
    let count = work.slots.len();
    work.forced.clear();
    work.forced.resize(count, false);
    work.off.clear();
    work.off.extend(work.slots.iter().map(|&slot| state.contacts[slot as usize].fast.off));
    work.open.fill(true);
    work.count = 0;
    let mut tally = Tally::default();
    let mut added;
    let mut pass = 1;
    loop {
        let first = pass == 1 || work.forced.iter().filter(|x| **x).count() != work.count;
        if first {
            choose(model, state, work, h, pass);
        }
        prepare(model, state, work, h, first)?;
        added = solve(model, state, work, h, first, &mut tally);
        let Verdict { again, met } = meet(fast, model, state, work, h, pass)?;
        // Bodies that meet push others into their neighbours: a wave through a stack takes a pass for each.
        let most = if met { fast.passes.max(1) * MEETINGS } else { fast.passes };
        if !again || pass >= most {
            break;
        }
        pass += 1;
    }
    report.repeated += u64::from(pass > 1);
    report.newton += tally.newton;
    report.unconverged += tally.unconverged;
    report.open += tally.open;
    report.contacts += work.count as u64;
    accept(model, state, work, h, &mut added)?;
    Ok(added)
}

/// Which contacts act: those that overlap, those that will as far as velocities tell, and those found to in an earlier
/// pass.
fn choose(model: &Model, state: &State, work: &mut FastWorkspace, h: f64, pass: u32) {
    let FastWorkspace { movers, slots, forced, watched, open, count, active, .. } = work;
    for mover in movers.iter_mut() {
        mover.contacts = 0;
    }
    open.fill(true);
    watched.clear();
    for (k, &slot) in slots.iter().enumerate() {
        let contact = &state.contacts[slot as usize];
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        if pass == 1 {
            let Some((pair, gap)) = points(contact) else { continue };
            let frame = || model.frame(a, &movers[a].X);
            forced[k] = gap < 0.0 || expected_approach(pair, gap, &frame(), &movers[a], &movers[b], h) > 0.0;
        }
        if forced[k] {
            watched.push(k as u32);
            movers[a].contacts += 1;
            movers[b].contacts += 1;
        }
    }
    *count = watched.len();
    while active.len() < *count {
        active.push(Active::empty());
    }
}

/// Given forces and rows at mid-step, of all that this pass solves.
fn prepare(model: &Model, state: &State, work: &mut FastWorkspace, h: f64, first: bool) -> Result<(), Stop> {
    let FastWorkspace { movers, slots, off, active, watched, open, .. } = work;
    let gravity = model.gravity_W();
    for (mover, open) in movers.iter_mut().zip(open.iter()) {
        if *open {
            mover.turn_half(h);
            mover.given = (Vector3::zeros(), gravity * (mover.mass * h));
        }
    }
    for load in model.loads() {
        if !open[load.body.0] {
            continue;
        }
        let mover = &mut movers[load.body.0];
        let share = load.profile.share(state.time + 0.5 * h) * h;
        let (mut t, f) = (load.t_W * share, load.f_W * share);
        if let Some(p_BoQ) = load.p_BoQ {
            let arm = mover.X.rotation * (p_BoQ - model.bodies()[load.body.0].p_BoBcm);
            // At mid-step.
            t += (arm + mover.turning().cross(&arm) * (0.5 * h)).cross(&f);
        }
        mover.given.0 += t;
        mover.given.1 += f;
    }
    // Frame of the last body A.
    let mut frame = (usize::MAX, Matrix3::identity(), Vector3::zeros());
    for (active, &k) in active.iter_mut().zip(watched.iter()) {
        let slot = slots[k as usize] as usize;
        let contact = &state.contacts[slot];
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        if !(open[a] && movers[a].moves() || open[b] && movers[b].moves()) {
            continue;
        }
        if frame.0 != a {
            let X_WA = model.frame(a, &movers[a].X);
            frame = (a, *X_WA.rotation.to_rotation_matrix().matrix(), X_WA.translation.vector);
        }
        let law = model.law(&contact.pair);
        let Some((pair, gap)) = points(contact) else { continue };
        active
            .prepare(
                slot,
                contact,
                (pair, gap),
                law,
                (&frame.1, &frame.2),
                &movers[a],
                &movers[b],
                h,
                off[k as usize],
                first,
            )
            .map_err(|error| Stop::Law { pair: contact.pair, error })?;
    }
    Ok(())
}

/// Loads, velocities and poses at the end.
fn solve(model: &Model, state: &State, work: &mut FastWorkspace, h: f64, first: bool, tally: &mut Tally) -> Increments {
    let FastWorkspace { movers, active, count, islands, numbers, ends, open, left, .. } = work;
    let active = &mut active[..*count];
    let gravity = model.gravity_W();
    for (mover, _) in movers.iter_mut().zip(open.iter()).filter(|(mover, open)| **open && mover.moves()) {
        let found = mover.sigma;
        mover.fly(h);
        if !first && mover.contacts > 0 {
            mover.sigma = found;
        }
    }
    islands.sort(movers, active);
    left.resize(islands.ends.len(), (0.0, 0.0));
    for island in 0..islands.ends.len() {
        let (bodies, contacts) = islands.range(island);
        if !open[islands.bodies[bodies.start] as usize] {
            continue;
        }
        left[island] = if contacts.len() == 1 {
            let contact = &mut active[islands.contacts[contacts.start] as usize];
            let law = &model.law(&state.contacts[contact.slot].pair).law;
            let Some((A, B)) = both(movers, contact.a, contact.b) else { continue };
            let left = single::solve(contact, A, B, &law.stiffness, h, tally);
            (single::numerical(contact, A, B), left)
        } else {
            island::solve(model, state, movers, active, islands, island, numbers, h, first, tally)
        };
    }
    let mut added = Increments::default();
    for (lost, left) in left.iter() {
        added.sums.E_num_v += lost;
        added.sums.E_solver += left;
    }
    for ((mover, end), body) in movers.iter_mut().zip(ends.iter_mut()).zip(model.bodies()) {
        if mover.moves() {
            mover.solve();
            *end = mover.end_pose(h);
            if let Mobility::Restricted(restriction) = &body.mobility {
                let at_rest = BodyState { X_WBcm: *end, V_WBcm: SpatialVelocity::zero() };
                *end = restriction.keep(body, &at_rest).X_WBcm;
            }
            let (given, turned) = mover.work(&gravity, h);
            added.W_injected += given;
            added.sums.E_solver += turned;
            let (changed, carried) = mover.carry(end, &gravity, h);
            mover.carried = carried;
            added.sums.E_geo += changed + carried;
            added.E_geo_size += (changed + carried).abs();
        } else if let Mobility::Prescribed(motion) = &body.mobility {
            *end = super::gather::centre(body, &motion.pose(&body.X_WB, state.time + h));
        } else {
            *end = mover.X;
        }
    }
    added
}

/// Events of a contact between two ends of steps.
fn tell(events: &mut Vec<Event>, contact: &ContactState, (from, slipped): (ContactMode, bool), time: f64) {
    let kind = match (from == ContactMode::Free, contact.mode == ContactMode::Free) {
        (true, false) => EventKind::On,
        (false, true) => EventKind::Off,
        (false, false) if slipped != contact.fast.slips => {
            if slipped {
                EventKind::Stick
            } else {
                EventKind::Slip
            }
        }
        _ => return,
    };
    events.push(Event { time, a: contact.pair.a, b: contact.pair.b, id: contact.id, from, kind });
}

/// Two different elements of a slice.
fn both<T>(list: &mut [T], a: usize, b: usize) -> Option<(&mut T, &mut T)> {
    match list.get_disjoint_mut([a, b]) {
        Ok([a, b]) => Some((a, b)),
        Err(_) => None,
    }
}

/// Where the surfaces are at the end of the step; whether some islands must be solved again, and which.
fn meet(
    fast: &Fast,
    model: &Model,
    state: &State,
    work: &mut FastWorkspace,
    h: f64,
    pass: u32,
) -> Result<Verdict, Stop> {
    let FastWorkspace {
        movers,
        slots,
        forced,
        off,
        followed,
        active,
        count,
        watched,
        ends,
        open,
        islands,
        sets,
        room,
        ..
    } = work;
    if pass == 1 {
        followed.clear();
        followed.extend(slots.iter().filter_map(|&slot| Followed::new(&state.contacts[slot as usize])));
    }
    let mut between = Between::new();
    for (k, &slot) in slots.iter().enumerate() {
        let contact = &state.contacts[slot as usize];
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        if pass > 1 {
            let Some(start) = Followed::new(contact) else { continue };
            if k >= followed.len() {
                followed.push(start);
            } else if !(open[a] && movers[a].moves() || open[b] && movers[b].moves()) {
                continue;
            }
            followed[k] = start;
        }
        let set = set_of(state, sets[slot as usize]);
        let X_AB = between.of(contact, |i| model.frame(i, &ends[i]));
        look(model, set, contact, &mut followed[k], room, X_AB)?;
    }
    open.fill(false);
    let mut again = false;
    for (contact, &k) in active[..*count].iter_mut().zip(watched.iter()) {
        let k = k as usize;
        let (A, B) = (&movers[contact.a], &movers[contact.b]);
        let (d0, d1) = (contact.law.d0, -followed[k].gap);
        let plain = contact.u[0] - h * contact.secant.dot(&(B.v_step - A.v_step));
        off[k] = if d0 > 0.0 || d1 > 0.0 { d1 - d0 - plain } else { 0.0 };
        let stiffness = &model.law(&state.contacts[contact.slot].pair).law.stiffness;
        contact.met = contact.law.curve.at(stiffness, d1).0;
        let (V1, Vu) = (contact.met, contact.pressed.stored);
        // Gaps are known to the rounding of places.
        let places = A.X.translation.vector.amax() + B.X.translation.vector.amax();
        let rounding = contact.f[0] * 1e-15 * places;
        if (V1 - Vu).abs() > fast.geometry * (A.reference() + B.reference() + V1 + Vu) + rounding {
            again = true;
            open[if A.moves() { contact.a } else { contact.b }] = true;
        }
    }
    for (mover, open) in movers.iter().zip(open.iter_mut()) {
        if mover.carried.abs() > fast.geometry * mover.reference() {
            again = true;
            *open = true;
        }
    }
    if again {
        // All bodies of an island, or none.
        for island in 0..islands.ends.len() {
            let bodies = &islands.bodies[islands.range(island).0];
            if bodies.iter().any(|&b| open[b as usize]) {
                bodies.iter().for_each(|&b| open[b as usize] = true);
            }
        }
    }
    let mut met = false;
    for (k, end) in followed.iter().enumerate() {
        if !forced[k] && end.gap < 0.0 {
            forced[k] = true;
            met = true;
        }
    }
    // Contacts left aside that may have come near after all.
    for (slot, contact) in state.contacts.iter().enumerate() {
        let far = contact.fast.far;
        if far > 0.0 && far <= h * closing(model, contact, movers) && !slots.contains(&(slot as u32)) {
            slots.push(slot as u32);
            forced.push(true);
            off.push(0.0);
            met = true;
        }
    }
    Ok(Verdict { again: again || met, met })
}

/// Writes the step into the state, contact by contact.
fn accept(
    model: &Model,
    state: &mut State,
    work: &mut FastWorkspace,
    h: f64,
    added: &mut Increments,
) -> Result<(), Stop> {
    let FastWorkspace { movers, slots, followed, active, watched, off, ends, events, sets, room, .. } = work;
    if ends.iter().any(|X| !(X.translation.vector.sum() + X.rotation.coords.sum()).is_finite()) {
        return Err(Stop::NotFinite);
    }
    // Contacts that were left aside come nearer by as much as their bodies can.
    for contact in &mut state.contacts {
        if contact.fast.far > 0.0 {
            contact.fast.far = (contact.fast.far - h * closing(model, contact, movers)).max(f64::MIN_POSITIVE);
        }
    }
    // Contacts left aside that the last pass found near: they go on from where they are.
    let mut between = Between::new();
    for &slot in &slots[followed.len()..] {
        let contact = &state.contacts[slot as usize];
        let Some(mut found) = Followed::new(contact) else { return Err(Stop::Faces { pair: contact.pair }) };
        let set = set_of(state, sets[slot as usize]);
        let X_AB = between.of(contact, |i| model.frame(i, &ends[i]));
        look(model, set, contact, &mut found, room, X_AB)?;
        followed.push(found);
    }
    let mut next = 0;
    for (k, (&slot, followed)) in slots.iter().zip(followed.iter()).enumerate() {
        let contact = &mut state.contacts[slot as usize];
        let law = &model.law(&contact.pair).law;
        contact.place = followed.place;
        if followed.lost {
            state.fast.room = -1.0;
        }
        let before = (contact.mode, contact.fast.slips);
        contact.fast.far = 0.0;
        let mut d1 = -followed.gap;
        let acts = watched.get(next) == Some(&(k as u32));
        let Some(pair) = followed.place.pair() else { continue };
        let n1 = ends[contact.pair.a.0].rotation * pair.nhat_AB_A;
        let mut stored = 0.0;
        if acts {
            let active: &mut Active = &mut active[next];
            next += 1;
            let books = active.law.books(&active.pressed, &active.u);
            let mut geo = active.met - active.pressed.stored;
            let (A, B) = (&movers[active.a], &movers[active.b]);
            if geo > JUMP * (A.reference() + B.reference() + active.pressed.stored) {
                // The place jumped, as on ridges: the springs go on from where they were led to.
                let jump = d1 - (active.law.d0 + active.u[0]);
                contact.sunk += jump;
                d1 -= jump;
                active.met = active.pressed.stored;
                geo = 0.0;
            }
            added.sums.E_num_n += books.numerical_n;
            added.sums.E_num_t += books.numerical_t;
            added.sums.E_geo += geo;
            added.E_geo_size += geo.abs();
            added.E_visc += books.viscous;
            added.E_slip += books.slip;
            added.W_injected += active.f.dot(&active.driven);
            contact.E_visc += books.viscous;
            contact.E_slip += books.slip;
            if let Friction::Coulomb { mu } | Friction::Exact { mu } = law.friction
                && active.f[0] > 0.0
            {
                contact.slid += books.slip / (mu * active.f[0]);
            }
            let held = contact.memory.energy();
            let x_mid = active.ea * books.y1.x + active.eb * books.y1.y;
            let carry = Carry::before(&active.n, &n1, active.half_spin);
            contact.memory.x_W = carry.of(&x_mid);
            contact.memory.x_theta = books.y1.z;
            contact.memory.nhat_W = n1;
            let f = active.ea * active.f[1] + active.eb * active.f[2];
            contact.fast = FastMemory {
                normal: active.f[0],
                f_W: carry.of(&f),
                moment: active.f[3],
                slips: books.slips,
                factor: active.law.factor,
                off: if active.law.d0 > 0.0 && d1 > 0.0 { off[k] } else { 0.0 },
                far: 0.0,
            };
            stored += active.met - active.law.curve.at(&law.stiffness, active.law.d0).0 - held;
        } else if d1 > 0.0 {
            // Met after the last pass: its energy comes from geometry.
            let Some(pair) = followed.pair() else { continue };
            let grip = law.stiffness.grip(&still(&pair)).map_err(|error| Stop::Law { pair: contact.pair, error })?;
            added.sums.E_geo += grip.energy;
            added.E_geo_size += grip.energy;
            stored += grip.energy;
        }
        if d1 > 0.0 {
            contact.mode = pressed(&law.friction);
            contact.stored += stored + contact.memory.energy();
        } else {
            let released = contact.memory.energy();
            added.E_release += released;
            contact.E_release += released;
            contact.stored += stored;
            contact.memory.clear();
            contact.mode = ContactMode::Free;
            contact.fast = FastMemory { far: (-d1).max(0.0), ..FastMemory::default() };
        }
        tell(events, contact, before, state.time + h);
    }
    for ((now, body), (mover, end)) in state.bodies.iter_mut().zip(model.bodies()).zip(movers.iter().zip(ends.iter())) {
        *now = match &body.mobility {
            Mobility::Fixed => BodyState { X_WBcm: now.X_WBcm, V_WBcm: SpatialVelocity::zero() },
            Mobility::Prescribed(motion) => {
                let p = Point3::from(end.translation.vector);
                BodyState { X_WBcm: *end, V_WBcm: motion.velocity_at(&p, state.time + h) }
            }
            _ => BodyState { X_WBcm: *end, V_WBcm: mover.end_velocity(end) },
        };
    }
    Ok(())
}
