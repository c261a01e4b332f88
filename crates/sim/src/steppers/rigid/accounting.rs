//! # Books: what impulses did, in the ledger, in contacts and as events
//!
//! `step` ──(impulses, velocities before and after)──▶ **here** ──▶ ledger, contacts, events
//!
//! - **in**: a step whose impulses are found, before its bodies move
//! - **out**: work by cause; what each contact carried; modes, and events where they change
//! - **start at** [`Scratch::book`], then [`Scratch::remember`], [`Scratch::change_modes`]
//!
//! Work is booked at the mean of the velocities before and after, at which an impulse p changes kinetic energy by p·V̄
//! exactly: E_slip gets what friction takes, E_num what normal impulses take (impacts), E_painleve both where an impulse
//! does not vanish with the step, W_injected the work of loads and given motions. What is left of each body's balance is
//! integration, and in E_num too.

use super::RigidReport;
use super::constraint::dot;
use super::step::{Scratch, surface};
use crate::model::Model;
use crate::run::{Event, EventKind};
use crate::state::{ContactMode, RigidContact, State};
use fingerpad_contact::law::Friction;
use fingerpad_contact::spatial::SpatialVelocity;

/// Slower than this (m/s) a patch counts as sticking.
const STILL: f64 = 1e-8;
/// Contacts that carry nothing but are nearer than this (m) have not come off.
const ON: f64 = 1e-9;

impl Scratch {
    /// Work of impulses and loads at the mean velocities.
    pub(super) fn book(&mut self, model: &Model, state: &mut State, h: f64, report: &mut RigidReport) {
        let mut works = std::mem::take(&mut self.works);
        works.clear();
        for (i, (load, push)) in self.loads.iter().zip(&self.pushes).enumerate() {
            if !self.moves[i] {
                works.push(0.0);
                continue;
            }
            let V = self.mean(i);
            let done = load.power(&V);
            state.W_injected += done;
            works.push(done + push.power(&V));
        }
        self.works = works;
        // Largest friction of each contact (N·s), and what it rubbed (J).
        let mut sums = std::mem::take(&mut self.sums);
        sums.clear();
        sums.resize(state.contacts.len(), [0.0; 2]);
        for (k, point) in self.cache.points.iter().enumerate() {
            let (f, limit) = (&self.impulses[k], &self.limits[k]);
            if *f == [0.0; 4] {
                continue;
            }
            let along = if self.belts { surface(model, state, point) } else { [0.0; 4] };
            let mut lost = [0.0; 4];
            for r in 0..4 {
                let mean = match self.theta_of(point) {
                    0.5 => 0.5 * (self.was[k][r] + self.now[k][r]),
                    theta => self.was[k][r] + theta * (self.now[k][r] - self.was[k][r]),
                };
                lost[r] = -f[r] * (mean + along[r]);
            }
            // What given motions do.
            let mut given: f64 = (0..4).map(|r| -f[r] * along[r]).sum();
            for (side, body) in point.bodies.into_iter().enumerate() {
                let V = if self.moves[body] { SpatialVelocity::zero() } else { self.mean(body) };
                if V != SpatialVelocity::zero() {
                    given -= (0..4).map(|r| f[r] * dot(&point.rows[side][r], &V)).sum::<f64>();
                }
            }
            state.W_injected += given;
            let sum = &mut sums[point.contact];
            sum[0] += f[0] * limit.friction[0].max(limit.friction[1]);
            if self.seized[point.contact] {
                state.spent.E_painleve += lost.iter().sum::<f64>();
                continue;
            }
            report.impacts += lost[0];
            state.spent.E_num += lost[0];
            sum[1] += lost[1] + lost[2] + lost[3];
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
    pub(super) fn remember(&mut self, model: &Model, state: &mut State, h: f64) {
        for contact in &mut state.contacts {
            let mut points = std::mem::take(&mut contact.rigid.points);
            points.clear();
            contact.rigid = RigidContact { points, ..RigidContact::default() };
        }
        // In the axes of friction: loads of each contact, and what it can hold of each.
        let mut loads = std::mem::take(&mut self.shares);
        loads.clear();
        loads.resize(state.contacts.len(), [[0.0; 3]; 2]);
        for (k, point) in self.cache.points.iter().enumerate() {
            let limit = &self.limits[k];
            let force = self.impulses[k].map(|f| f / h);
            let carried = &mut state.contacts[point.contact].rigid;
            carried.points.push(force);
            if force[0] <= 0.0 {
                continue;
            }
            let [n, t1, t2] = point.axes_W;
            let along = t1 * force[1] + t2 * force[2];
            let spin = force[3] + n.dot(&point.arm_W.cross(&along));
            // From the axes of friction to those of the site.
            let (x, y) = (point.axis.x, point.axis.y);
            let in_site = [x * force[1] - y * force[2], y * force[1] + x * force[2]];
            for (sum, part) in carried.total.iter_mut().zip([force[0], in_site[0], in_site[1], spin]) {
                *sum += part;
            }
            let [a1, a2, a3] = limit.friction;
            let holds = [a1, a2, a3 + a1.max(a2) * point.arm_W.norm()];
            for (r, load) in [force[1], force[2], spin].into_iter().enumerate() {
                loads[point.contact][0][r] += load;
                loads[point.contact][1][r] += holds[r] * force[0];
            }
            (carried.e_n, carried.patch) = (limit.e_n, limit.patch);
        }
        for (contact, [load, holds]) in state.contacts.iter_mut().zip(&loads) {
            if !matches!(model.law(&contact.pair).law.friction, Friction::Sticks) {
                let share = |r: usize| if holds[r] > 0.0 { load[r] / holds[r] } else { 0.0 };
                contact.rigid.used = (0..3).map(|r| share(r).powi(2)).sum::<f64>().sqrt().min(1.0);
            }
        }
        self.shares = loads;
    }

    /// Modes as the impulses say, and what happened.
    pub(super) fn change_modes(&self, model: &Model, state: &mut State, time: f64, events: &mut Vec<Event>) {
        let mut first = 0;
        for i in 0..state.contacts.len() {
            let count = self.cache.points[first..].iter().take_while(|point| point.contact == i).count();
            let own = first..first + count;
            first += count;
            let near = own.clone().any(|k| self.cache.points[k].gap <= ON);
            let slides = own.clone().any(|k| self.impulses[k][0] > 0.0 && self.slip(model, state, k) > STILL);
            let contact = &mut state.contacts[i];
            let pressed = contact.rigid.total[0] > 0.0;
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

    /// How fast a point slips at the end of the step (m/s), turning as e w.
    fn slip(&self, model: &Model, state: &State, k: usize) -> f64 {
        let (v, bend) = (&self.now[k], &self.cache.points[k].bend);
        let along = if self.belts { surface(model, state, &self.cache.points[k]) } else { [0.0; 4] };
        let a = self.limits[k].friction;
        let m = a[0].max(a[1]).max(a[2]);
        if m > 0.0 {
            (0..3).map(|r| (a[r] / m * (v[r + 1] + along[r + 1] + bend[r + 1])).powi(2)).sum::<f64>().sqrt()
        } else {
            0.0
        }
    }
}
