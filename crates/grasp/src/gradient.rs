//! # Gradient: how epsilon and the margin change as contacts move
//!
//! `closure`, `epsilon` ──▶ **here** ──([`ContactGradient`] of each contact)──▶ planners
//!
//! - **in**: a grasp with its closure or epsilon
//! - **out**: derivatives by point, normal, friction and e_n of every contact
//! - **not here**: steps of a planner
//! - **assumes**: reference and torque length stay; where several loads or directions are best there are only one-sided
//!   derivatives, and one of them is given
//! - **start at** [`epsilon_gradient`]
//!
//! At the optimum only what is written in the program changes (the envelope theorem). With the velocity of the object's point
//! at the contact, v = v₀ + ω × r, and a the load of the contact in the world (force a, moment τ about n):
//!
//! ```text
//! ∂/∂p = a × ω,   ∂/∂θ = a × v + τ n × ω  (turning the contact's axes),   ∂/∂n = ∂/∂θ × n
//! ```

use crate::epsilon::twist_of;
use crate::support::Reach;
use crate::{Closure, Epsilon, Grasp, Norm, Twist};
use nalgebra::Vector3;

/// Derivatives by what one contact is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactGradient {
    /// By the point (1/m).
    pub point: Vector3<f64>,
    /// By the normal, across it; tangents follow the shortest turn.
    pub normal: Vector3<f64>,
    /// By friction along both tangents.
    pub friction: [f64; 2],
    /// By e_n (1/m).
    pub e_n: f64,
}

/// Derivative of the work that a load does on a twist.
fn of_load(grasp: &Grasp, k: usize, load: &[f64; 4], e_n: f64, twist: &Twist) -> ContactGradient {
    let c = &grasp.contacts[k];
    let w: Vector3<f64> = twist.fixed_rows::<3>(3).into_owned();
    let v: Vector3<f64> = twist.fixed_rows::<3>(0).into_owned() + w.cross(&(c.point - grasp.reference));
    let (t1, t2) = (c.tangent, c.tangent2());
    let a = c.normal * load[0] + t1 * load[1] + t2 * load[2];
    let turn = a.cross(&v) + c.normal.cross(&w) * load[3];
    // Loads are friction times what the cone holds: their derivative by friction is the load over it.
    let over = |load: f64, by: f64| if by > 0.0 { load / by } else { 0.0 };
    let spin = c.normal.dot(&w);
    ContactGradient {
        point: a.cross(&w),
        normal: turn.cross(&c.normal),
        friction: [
            over(load[1], c.friction[0]) * t1.dot(&v) + over(load[3], c.friction[0]) * spin,
            over(load[2], c.friction[1]) * t2.dot(&v),
        ],
        e_n: over(load[3], e_n) * spin,
    }
}

/// Gradient of the margin of a grasp that has one.
pub fn margin_gradient(grasp: &Grasp, closure: &Closure) -> Option<Vec<ContactGradient>> {
    closure.margin?;
    let e_n = grasp.metric_e_n();
    let of = |(k, load): (usize, &[f64; 4])| of_load(grasp, k, load, e_n[k], &closure.multiplier);
    Some(closure.loads.iter().enumerate().map(of).collect())
}

/// Gradient of epsilon at its weakest direction.
pub fn epsilon_gradient(grasp: &Grasp, epsilon: &Epsilon, norm: Norm) -> Vec<ContactGradient> {
    let e_n = grasp.metric_e_n();
    let reach = Reach::new(grasp, &e_n, norm);
    let shares = reach.shares(&epsilon.direction, 1e-6);
    let twist = twist_of(&epsilon.direction, grasp.torque_length);
    let of = |k: usize| {
        // The load that reaches farthest: unit normal force, friction along the velocity of the contact.
        let (map, scales) = (grasp.map_about(k, &grasp.reference), grasp.contacts[k].scales(e_n[k]));
        let q = map.transpose() * twist;
        let part = [q[1] * scales[1], q[2] * scales[2], q[3] * scales[3]];
        let along = (part[0] * part[0] + part[1] * part[1] + part[2] * part[2]).sqrt();
        let over = if along > 0.0 { shares[k] / along } else { 0.0 };
        let load = [shares[k], scales[1] * part[0] * over, scales[2] * part[1] * over, scales[3] * part[2] * over];
        of_load(grasp, k, &load, e_n[k], &twist)
    };
    (0..grasp.contacts.len()).map(of).collect()
}
