//! # Slip rules: when elastic load turns into slip, in the words of paper A
//!
//! - **start at** [`SlipRule`]; [`EllipsoidRule`] is the one that the patch gives
//!
//! (Stramigioli, eqs 41–43) leave V_slip and S to "future work": slip where V_slip(h) > S(Δ). With the friction limit of
//! the patch they are V_slip = (|f|² + τ²/e_n²)/2k_t and S = (μP)²/2k_t, S falling strictly with the gap and zero
//! without contact.

use super::Grip;
use crate::friction::{Projection, TangentialStiffness};
use nalgebra::Vector3;
use std::fmt;

/// A user's own threshold of slip.
pub trait SlipRule: Send + Sync + fmt::Debug {
    /// V_slip (J) of a load along the axes of the patch (N, N, N·m); zero without load, rising along every ray.
    fn energy(&self, load: &Vector3<f64>, grip: &Grip) -> f64;

    /// S (J) under a normal force (N); zero without it.
    fn threshold(&self, grip: &Grip, normal: f64) -> f64;
}

/// V_slip and S of the friction ellipsoid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EllipsoidRule {
    /// Coefficient of friction.
    pub mu: f64,
}

impl SlipRule for EllipsoidRule {
    fn energy(&self, load: &Vector3<f64>, grip: &Grip) -> f64 {
        let turning = load.z / grip.e_n;
        (load.x * load.x + load.y * load.y + turning * turning) / (2.0 * grip.k[0])
    }

    fn threshold(&self, grip: &Grip, normal: f64) -> f64 {
        (self.mu * normal).powi(2) / (2.0 * grip.k[0])
    }
}

/// Shrinks a load along its ray until the rule holds: stored energy falls, so the return never gives energy.
pub(super) fn hold(
    rule: &dyn SlipRule,
    grip: &Grip,
    normal: f64,
    trial: &Vector3<f64>,
    stiffness: &TangentialStiffness,
) -> (Projection, f64) {
    let threshold = rule.threshold(grip, normal);
    let used = rule.energy(trial, grip);
    if used <= threshold {
        let margin = if threshold > 0.0 { 1.0 - (used / threshold).sqrt() } else { 1.0 };
        return (Projection { load: *trial, slip: Vector3::zeros(), iterations: 0 }, margin);
    }
    // For an energy of second degree the first guess is the answer; bisection serves the rest.
    let (mut low, mut high) = (0.0, 1.0);
    let mut scale = if used.is_finite() { (threshold / used).sqrt() } else { 0.5 };
    let mut iterations = 0;
    for i in 0..60 {
        iterations = i + 1;
        let value = rule.energy(&(trial * scale), grip);
        if (value - threshold).abs() <= 1e-14 * threshold {
            break;
        }
        if value > threshold {
            high = scale
        } else {
            low = scale
        }
        scale = 0.5 * (low + high);
    }
    let load = trial * scale;
    let k = stiffness.matrix();
    let slip = k.try_inverse().map_or_else(Vector3::zeros, |inverse| inverse * (trial - load));
    let margin = if threshold > 0.0 { 1.0 - (used / threshold).sqrt() } else { f64::NEG_INFINITY };
    (Projection { load, slip, iterations }, margin)
}
