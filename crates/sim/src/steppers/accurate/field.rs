//! # Field: rates of everything that is integrated, in frozen contact modes
//!
//! `model`, `state` ──▶ **here** ──(y, y′, values whose sign tells events)──▶ `accurate`
//!
//! - **in**: y: for each free body (position, rotation vector since the start of the step, velocity, angular velocity),
//!   for each contact (x or z, E_visc, E_slip, the energy put into springs, the path of slip), and the work of loads
//! - **out**: y′, and what each contact looks like there
//! - **not here**: one contact (`touch`); steps and events (`accurate`)
//! - **start at** [`Motion`]

use super::touch::Touch;
use super::trees::{Driven, first as first_of_trees, numbers_of};
use super::workspace::{PER_BODY, PER_CONTACT, Scratch, View, body_of};
use crate::contacts::place::{Carrier, Meeting, Way, meet};
use crate::contacts::rules::alternates;
use crate::contacts::scratch::ContactScratch;
use crate::coordinates::inertia::answer;
use crate::coordinates::rotation::vector_rate;
use crate::drive::Told;
use crate::extrapolate::System;
use crate::model::Model;
use crate::model::body::{Body, BodyId, Mobility};
use crate::model::interactions::Pair;
use crate::model::prescribed::{prescribed_state, surface_of, surface_velocity};
use crate::run::{ContactResult, Stop};
use crate::state::{BodyState, ContactMode, State};
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_contact::surface::Shape;
use fingerpad_contact::track::{rates, rolling};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3, Vector4};

/// The equations of motion from a state on, modes frozen as they are in it.
pub(crate) struct Motion<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub scratch: &'a mut Scratch,
}

impl System for Motion<'_> {
    type Error = Stop;

    fn rewind(&mut self) {
        self.scratch.at.places.copy_from_slice(&self.scratch.at.anchors);
    }

    fn rate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Stop> {
        self.scratch.evaluations += 1;
        self.place(t, y)?;
        let mut power = self.push(t);
        let first = PER_BODY * self.model.free_count();
        self.scratch.views.clear();
        for i in 0..self.state.contacts.len() {
            let memory = Vector4::from_column_slice(&y[first + PER_CONTACT * i..][..4]);
            let view = self.touch(i, &memory)?;
            power += self.prescribed_power(&self.state.contacts[i].pair, &view);
            self.scratch.views.push(view);
        }
        self.accelerate(t, y, rate);
        self.accelerate_trees(t, y, rate)?;
        power += self.scratch.trees.iter().map(|tree| tree.supplied).sum::<f64>();
        for i in 0..self.state.contacts.len() {
            let at = first + PER_CONTACT * i;
            let memory = Vector4::from_column_slice(&y[at..][..4]);
            self.remember(i, &memory, &mut rate[at..][..PER_CONTACT]);
        }
        rate[first + PER_CONTACT * self.state.contacts.len()] = power;
        Ok(())
    }
}

impl Motion<'_> {
    fn place(&mut self, t: f64, y: &[f64]) -> Result<(), Stop> {
        let scratch = &mut *self.scratch;
        for (i, place) in self.model.places().iter().enumerate() {
            let start = &self.state.bodies[i];
            scratch.bodies[i] = match place {
                Some(place) => body_of(start, &y[PER_BODY * place..][..PER_BODY]),
                None => prescribed_state(self.model, i, start, t)?,
            };
            scratch.frames[i] = self.model.frame(i, &scratch.bodies[i].X_WBcm);
        }
        let mut at = first_of_trees(self.model, self.state);
        for (field, (made, now)) in scratch.trees.iter_mut().zip(self.model.trees().iter().zip(&self.state.trees)) {
            let (bodies, frames) = (&mut scratch.bodies, &mut scratch.frames);
            field.place(made, self.model.bodies(), now, &y[at..], |i, body| {
                frames[i] = self.model.frame(i, &body.X_WBcm);
                bodies[i] = body;
            });
            at += numbers_of(&made.tree);
        }
        Ok(())
    }

    /// Rates of trees of joints, and accelerations of their links.
    fn accelerate_trees(&mut self, t: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Stop> {
        let Scratch { trees, forces, bodies, accelerations, .. } = &mut *self.scratch;
        let mut at = first_of_trees(self.model, self.state);
        let driven = Driven {
            drives: self.model.drives(),
            told: Told::new(self.model.impedances(), &self.state.impedances),
            states: &self.state.drives,
            t,
        };
        for (field, (made, now)) in trees.iter_mut().zip(self.model.trees().iter().zip(&self.state.trees)) {
            let put = |i: usize, A: SpatialVelocity| accelerations[i] = A;
            field.accelerate(made, now, &driven, &y[at..], forces, bodies, &mut rate[at..], put)?;
            at += numbers_of(&made.tree);
        }
        Ok(())
    }

    /// Gravity and loads at the centres of mass; the power of the loads.
    fn push(&mut self, t: f64) -> f64 {
        for (force, body) in self.scratch.forces.iter_mut().zip(self.model.bodies()) {
            // Gravity of links is in the bias of their tree.
            let mass = if body.mobility.is_link() { 0.0 } else { body.mass };
            *force = SpatialForce::new(Vector3::zeros(), self.model.gravity_W() * mass);
        }
        let mut power = 0.0;
        for load in self.model.loads() {
            let share = load.profile.share(t);
            let BodyState { X_WBcm, V_WBcm } = &self.scratch.bodies[load.body.0];
            let arm = load.p_BoQ.map_or_else(Vector3::zeros, |p_BoQ| {
                self.scratch.frames[load.body.0] * p_BoQ - Point3::from(X_WBcm.translation.vector)
            });
            let f = load.f_W * share;
            let F = SpatialForce::new(load.t_W * share + arm.cross(&f), f);
            power += F.f.dot(&V_WBcm.v) + F.t.dot(&V_WBcm.w);
            self.scratch.forces[load.body.0] = self.scratch.forces[load.body.0] + F;
        }
        power
    }

    /// Velocity of a body at the origin of its frame.
    fn at_origin(&self, body: usize) -> SpatialVelocity {
        let BodyState { X_WBcm, V_WBcm } = &self.scratch.bodies[body];
        V_WBcm.shift(self.scratch.frames[body].translation.vector - X_WBcm.translation.vector)
    }

    /// One contact: where it is, and what acts there.
    fn touch(&mut self, i: usize, memory: &Vector4<f64>) -> Result<View, Stop> {
        let contact = &self.state.contacts[i];
        let (pair, mode, rest_offset) = (contact.pair, contact.mode, contact.rest_offset);
        let law = self.model.law(&pair);
        let (a, b) = (pair.a.0, pair.b.0);
        let [on_A, on_B] = [a, b].map(|body| Carrier {
            shape: &self.model.bodies()[body].shape,
            X_WB: self.scratch.frames[body],
            V_WB: self.at_origin(body),
        });
        let ContactScratch { places, anchors, sets, faces, .. } = &mut self.scratch.at;
        let set = sets[i].and_then(|near| self.state.near[near].set());
        let X_AB = on_A.X_WB.inv_mul(&on_B.X_WB);
        let way = places[i]
            .follow(set, (on_A.shape, on_B.shape), &X_AB, &mut faces[i])
            .map_err(|error| Stop::Track { pair, error })?;
        if way == Way::Searched {
            // One search serves the whole step, not each of its columns.
            anchors[i] = places[i];
        }
        let stop = |error| Stop::Law { pair, error };
        let Meeting { gap, mut site, offer } =
            meet(&places[i], &mut faces[i], rest_offset, law, &on_A, &on_B).map_err(stop)?;
        site.v_t += site.E_W.tr_mul(&surface_velocity(self.model, &pair));
        let mut view = View::apart(ContactResult::apart(&self.state.contacts[i], gap, site), offer);
        if mode == ContactMode::Free {
            return Ok(view);
        }
        let mut touch = Touch::new(&law.law, mode, site, offer, memory).map_err(stop)?;
        if let (Some(closest), true) = (places[i].pair(), mode != ContactMode::Clamped && way != Way::Lost) {
            let action = law.law.bending(&touch.grip, &site, closest, (on_A.shape, on_B.shape), &X_AB);
            let at_C = |on: &Carrier| on.V_WB.shift(site.p_WC.coords - on.X_WB.translation.vector);
            touch.bend(action, &(at_C(&on_B) - at_C(&on_A)));
        }
        for (body, F) in [(a, -touch.F_Bc_W), (b, touch.F_Bc_W)] {
            let p_CBcm_W = self.scratch.bodies[body].X_WBcm.translation.vector - site.p_WC.coords;
            self.scratch.forces[body] = self.scratch.forces[body] + F.shift(p_CBcm_W);
        }
        view.press(touch);
        Ok(view)
    }

    /// Newton and Euler: m a = f, I w′ = t − w × I w; on the motions that are left, for restricted bodies.
    fn accelerate(&mut self, t: f64, y: &[f64], rate: &mut [f64]) {
        let scratch = &mut *self.scratch;
        for (i, place) in self.model.places().iter().enumerate() {
            let (body, now) = (&self.model.bodies()[i], &scratch.bodies[i]);
            scratch.accelerations[i] = match body.mobility {
                Mobility::Fixed | Mobility::Link { .. } => continue,
                Mobility::Free => free_acceleration(body, self.model.inverse_inertia(i), now, &scratch.forces[i]),
                _ => answer(self.model, i, now, t).acceleration(&scratch.forces[i]),
            };
            let Some(place) = place else { continue };
            let (V_WBcm, SpatialVelocity { w: w_rate, v: v_rate }) = (&now.V_WBcm, scratch.accelerations[i]);
            let part = &mut rate[PER_BODY * place..][..PER_BODY];
            let theta = Vector3::from_column_slice(&y[PER_BODY * place + 3..][..3]);
            part[..3].copy_from_slice(V_WBcm.v.as_slice());
            part[3..6].copy_from_slice(vector_rate(&theta, &V_WBcm.w).as_slice());
            part[6..9].copy_from_slice(v_rate.as_slice());
            part[9..].copy_from_slice(w_rate.as_slice());
        }
    }

    /// Rates of a contact's memory and of its sums.
    fn remember(&mut self, i: usize, memory: &Vector4<f64>, rate: &mut [f64]) {
        let pair = &self.state.contacts[i].pair;
        let law = &self.model.law(pair).law;
        let mode = self.state.contacts[i].mode;
        rate.fill(0.0);
        let Some(touch) = self.scratch.views[i].touch else { return };
        let alternating = alternates(law);
        if alternating && matches!(mode, ContactMode::Slip | ContactMode::Clamped) {
            let load_rate = touch.load_rate(law, -self.gap_acceleration(i, pair));
            self.scratch.views[i].load_rate = load_rate;
            if mode == ContactMode::Slip {
                let (turning, power, slide, push) = touch.slip_rate(memory, load_rate);
                self.scratch.views[i].push = push;
                rate[..4].copy_from_slice(turning.as_slice());
                rate[5] = power;
                rate[7] = slide;
            }
        } else {
            let (moved, power) = touch.memory_rate(law, mode, memory);
            rate[..4].copy_from_slice(moved.as_slice());
            rate[5] = power;
            rate[7] = touch.slide(law, power);
        }
        rate[4] = touch.viscous();
        rate[6] = touch.grip.load * -touch.site.gap_rate + touch.shear_power() - rate[5] + touch.bending_power;
    }

    /// gap″ = n′·Δv + n·(a_B + α_B × r_B + w_B × (c′ − v_B) − the same of A), with c′ the velocity of the point C.
    fn gap_acceleration(&self, i: usize, pair: &Pair) -> f64 {
        let (a, b) = (pair.a.0, pair.b.0);
        let site = &self.scratch.views[i].shown.site;
        let (X_WA, X_WB) = (&self.scratch.frames[a], &self.scratch.frames[b]);
        let (V_WA, V_WB) = (self.at_origin(a), self.at_origin(b));
        let c_rate = match self.scratch.at.places[i].pair() {
            Some(closest) => {
                let over_A = rolling::relative_velocity(X_WA, &V_WA, X_WB, &V_WB)
                    .ok()
                    .and_then(|V_AB| rates(closest, &X_WA.inv_mul(X_WB), &V_AB))
                    .map_or_else(Vector3::zeros, |r| X_WA.rotation * r.p_ACa_dot);
                let p_AoCa_W = X_WA.rotation * closest.p_ACa.coords;
                let along = site.nhat_W * site.gap_rate + site.nhat_rate_W * closest.gap;
                V_WA.shift(p_AoCa_W).v + over_A + along * site.alpha
            }
            // The centre of load of faces moves over their region, which goes with the body that has its rim.
            None => {
                let at = |V: &SpatialVelocity, X: &Isometry3<f64>| V.shift(site.p_WC.coords - X.translation.vector).v;
                let (with_A, with_B) = (at(&V_WA, X_WA), at(&V_WB, X_WB));
                let endless = |body: usize| matches!(*self.model.bodies()[body].shape, Shape::HalfSpace(_));
                let carried = match (endless(a), endless(b)) {
                    (true, _) => with_B,
                    (_, true) => with_A,
                    _ => (with_A + with_B) * 0.5,
                };
                carried + self.scratch.views[i].offer.map_or_else(Vector3::zeros, |offer| offer.rates.centre_W)
            }
        };
        let at = |body: usize| {
            let BodyState { X_WBcm, V_WBcm } = &self.scratch.bodies[body];
            let acceleration = &self.scratch.accelerations[body];
            let r = site.p_WC.coords - X_WBcm.translation.vector;
            acceleration.v + acceleration.w.cross(&r) + V_WBcm.w.cross(&(c_rate - V_WBcm.v))
        };
        let along_patch = site.v_t - site.E_W.tr_mul(&surface_velocity(self.model, pair));
        let between = site.E_W * along_patch + site.nhat_W * site.gap_rate;
        site.nhat_rate_W.dot(&between) + site.nhat_W.dot(&(at(b) - at(a)))
    }
}

impl Motion<'_> {
    /// Power that prescribed bodies of a pair put in through their contact (W): what acts on each, against its motion there.
    pub fn prescribed_power(&self, pair: &Pair, view: &View) -> f64 {
        let Some(touch) = &view.touch else { return 0.0 };
        let site = &view.shown.site;
        let power = |id: BodyId, sign: f64| {
            if !matches!(self.model.bodies()[id.0].mobility, Mobility::Prescribed(_)) {
                return 0.0;
            }
            let BodyState { X_WBcm, V_WBcm } = &self.scratch.bodies[id.0];
            let V_WQ = V_WBcm.shift(site.p_WC - Point3::from(X_WBcm.translation.vector));
            // Only along the patch: a surface that moves through its own body does no work there.
            let surface = surface_of(self.model, id);
            let along = surface - site.nhat_W * site.nhat_W.dot(&surface);
            // Curvature goes with the body, not with its surface.
            sign * (touch.F_Bc_W.power(&SpatialVelocity::new(V_WQ.w, V_WQ.v + along)) - touch.bending.f.dot(&along))
        };
        power(pair.a, 1.0) + power(pair.b, -1.0)
    }
}

/// m a = f, I w′ = t − w × I w.
fn free_acceleration(body: &Body, inverse: &Matrix3<f64>, now: &BodyState, F: &SpatialForce) -> SpatialVelocity {
    let R = &now.X_WBcm.rotation;
    let (w_B, t_B) = (R.inverse() * now.V_WBcm.w, R.inverse() * F.t);
    let turning = t_B - w_B.cross(&(body.I_BBcm_B * w_B));
    // w′ has the same components in turning axes as at rest: w × w = 0.
    SpatialVelocity::new(R * (inverse * turning), F.f / body.mass)
}
