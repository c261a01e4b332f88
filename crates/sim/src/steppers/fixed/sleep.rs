//! # Sleep: islands at rest are left alone until something happens to them
//!
//! `step` ──(a step done)──▶ **here** ──(who sleeps, who wakes)──▶ `step`
//!
//! - **in**: bodies after a step, islands; at the start of a step loads and velocities
//! - **out**: [`FixedMemory::still`](crate::FixedMemory::still); the kinetic energy of those that fall asleep
//! - **not here**: which contacts reach a body that sleeps (`step` looks at them)
//! - **start at** [`rest`], then [`rouse`] and [`wake`]
//!
//! An island falls asleep when all its bodies have moved with less than a share [`QUIET`] of the energy of a fall over their
//! own size for the time given. What is left of that energy is lost and booked as numerical loss of velocities. Asleep, a
//! body is as good as fixed, and its contacts keep what they remember. All of a sleeping island wake together: where a
//! moving body comes to touch one of them, where one is kicked, where a load on it changes, and where a body of given motion
//! that it touches moves.

use super::FixedWorkspace;
use super::islands::Islands;
use crate::model::Model;
use crate::model::body::Body;
use crate::state::{BodyState, ContactMode, ContactState, FixedMemory, State};
use fingerpad_contact::spatial::SpatialVelocity;

/// Kinetic energy of a body at rest, as a share of that of a fall over its own size.
const QUIET: f64 = 1e-8;

/// Kinetic energy (J).
fn kinetic(body: &Body, now: &BodyState) -> f64 {
    let w = now.X_WBcm.rotation.inverse() * now.V_WBcm.w;
    0.5 * (body.mass * now.V_WBcm.v.norm_squared() + w.dot(&(body.I_BBcm_B * w)))
}

/// Before a step: wakes what was kicked or whose load changes, and everything where there is no sleeping.
pub fn rouse(sleep: Option<f64>, model: &Model, state: &mut State, work: &mut FixedWorkspace, h: f64) {
    if sleep.is_none() {
        if !state.fixed.still.is_empty() {
            state.fixed.still.clear();
            work.islands.forget();
        }
        return;
    }
    if state.fixed.still.len() != state.bodies.len() {
        state.fixed.still.clear();
        state.fixed.still.resize(state.bodies.len(), 0.0);
    }
    for (i, now) in state.bodies.iter().enumerate() {
        if state.sleeps(i) && now.V_WBcm != SpatialVelocity::zero() {
            work.woken.push(i as u32);
        }
    }
    for (i, load) in model.loads().iter().enumerate() {
        let share = |t: f64| load.profile.share(t);
        let other = work.loads.get(i).is_some_and(|last| *last != (load.f_W, load.t_W));
        if state.sleeps(load.body.0) && (other || share(state.time + 0.5 * h) != share(state.time - 0.5 * h)) {
            work.woken.push(load.body.0 as u32);
        }
    }
    work.loads.clear();
    work.loads.extend(model.loads().iter().map(|load| (load.f_W, load.t_W)));
    wake(state, work);
}

/// Wakes the islands of all bodies in the list of the woken.
pub fn wake(state: &mut State, work: &mut FixedWorkspace) {
    if work.woken.is_empty() {
        return;
    }
    work.islands.forget();
    for body in work.woken.drain(..) {
        state.fixed.still[body as usize] = 0.0;
    }
    // Along what touches, to and fro, until nobody else wakes.
    let State { contacts, fixed: FixedMemory { still, .. }, .. } = state;
    let mut wakes = |contact: &ContactState| {
        let (a, b) = (contact.pair.a.0, contact.pair.b.0);
        let held = work.solver_bodies[a].is_held() || work.solver_bodies[b].is_held();
        let one = (still[a] == f64::INFINITY) != (still[b] == f64::INFINITY);
        if contact.mode == ContactMode::Free || held || !one {
            return false;
        }
        (still[a], still[b]) = (0.0, 0.0);
        true
    };
    let mut more = true;
    while more {
        more = false;
        for contact in contacts.iter() {
            more |= wakes(contact);
        }
        for contact in contacts.iter().rev() {
            more |= wakes(contact);
        }
    }
}

/// After a step of length h: who has come to rest, and falls asleep; the kinetic energy that is lost (J).
pub fn rest(sleep: f64, model: &Model, state: &mut State, work: &mut FixedWorkspace, h: f64) -> f64 {
    let FixedWorkspace { solver_bodies, islands, active, count, .. } = work;
    for (i, (now, solver_body)) in state.bodies.iter().zip(solver_bodies.iter()).enumerate() {
        if !solver_body.sleeps {
            // A tree never sleeps.
            let quiet = solver_body.contacts > 0
                && solver_body.link().is_none()
                && kinetic(&model.bodies()[i], now) <= QUIET * solver_body.fall;
            state.fixed.still[i] = if quiet { state.fixed.still[i] + h } else { 0.0 };
        }
    }
    // What is carried along does not sleep.
    for contact in &active[..*count] {
        for (one, other) in [(contact.a, contact.b), (contact.b, contact.a)] {
            if !solver_bodies[one].moves() && !solver_bodies[one].is_still() {
                state.fixed.still[other] = 0.0;
            }
        }
    }
    let mut lost = 0.0;
    for island in 0..islands.ends.len() {
        let bodies = &islands.bodies[islands.range(island).0];
        if bodies.iter().all(|&body| state.fixed.still[body as usize] >= sleep) {
            for &body in bodies {
                let now = &mut state.bodies[body as usize];
                lost += kinetic(&model.bodies()[body as usize], now);
                now.V_WBcm = SpatialVelocity::zero();
                state.fixed.still[body as usize] = f64::INFINITY;
            }
        }
    }
    lost
}

impl Islands {
    /// What moves is no longer what it was.
    pub fn forget(&mut self) {
        self.stale = true;
    }
}
