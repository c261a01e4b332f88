//! # Friction ellipsoid: (f/μP)² + (τ/μPe_n)² ≤ 1, also with two coefficients of friction
//!
//! - **in**: normal load, coefficients, eccentricity e_n of the patch
//! - **out**: [`FrictionLimit`] in closed form or by one scalar equation
//! - **assumes**: the ellipsoid stands for the exact limit surface, which lies inside it by up to 6.6 % (round patch) to
//!   12 % (long one) and outside by up to 5 % (`limit_surface`)
//! - **start at** [`Ellipsoid::isotropic`]
//!
//! (Ciocarlie, eq. 1) writes the ellipsoid as one "of height e_n"; e_n is a length (m) and the semi-axis of the moment
//! is μ P e_n (N·m).

use super::return_map::multiplier;
use super::{FrictionLimit, Projection, TangentialStiffness};
use crate::symmetric::{eigen, square_root};
use nalgebra::{Matrix2, Vector2, Vector3};

/// Loads with fᵀ W f + w_τ τ² ≤ P².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipsoid {
    /// Normal load P (N). Without load nothing holds.
    pub load: f64,
    /// W: 1/μ² along the axes of friction, in the tangent axes of the contact.
    pub force: Matrix2<f64>,
    /// w_τ: 1/(largest moment per load)² (1/m²); infinite where no moment holds.
    pub moment: f64,
}

impl Ellipsoid {
    /// One coefficient μ and the eccentricity e_n = largest moment / largest force (m).
    #[inline]
    pub fn isotropic(mu: f64, e_n: f64, load: f64) -> Self {
        let inverse = 1.0 / mu;
        let w = inverse * inverse;
        Self { load, force: Matrix2::new(w, 0.0, 0.0, w), moment: w / (e_n * e_n) }
    }

    /// Two coefficients, along and across a direction of the tangent plane, and the largest moment per load (m).
    pub fn anisotropic(mu_along: f64, mu_across: f64, along: &Vector2<f64>, moment_per_load: f64, load: f64) -> Self {
        let axis = along.normalize();
        let force = crate::symmetric::compose(mu_along.powi(-2), mu_across.powi(-2), &axis);
        Self { load, force, moment: moment_per_load.powi(-2) }
    }

    /// gauge² · P², without dividing by a load that may be zero.
    #[inline]
    fn form(&self, load: &Vector3<f64>) -> f64 {
        let f = load.xy();
        let turning = if load.z == 0.0 { 0.0 } else { self.moment * load.z * load.z };
        (self.force * f).dot(&f) + turning
    }
}

impl FrictionLimit for Ellipsoid {
    #[inline]
    fn gauge(&self, load: &Vector3<f64>) -> f64 {
        let form = self.form(load);
        if form == 0.0 {
            0.0
        } else if self.load > 0.0 {
            form.sqrt() / self.load
        } else {
            f64::INFINITY
        }
    }

    fn load_against(&self, twist: &Vector3<f64>) -> Vector3<f64> {
        // The load of largest dissipation on an ellipsoid with matrix M is P M⁻¹ t / √(tᵀ M⁻¹ t).
        let v = self.force.try_inverse().unwrap_or_else(Matrix2::zeros) * twist.xy();
        let direction = Vector3::new(v.x, v.y, twist.z / self.moment);
        let size = twist.dot(&direction).sqrt();
        if size > 0.0 && self.load > 0.0 { direction * (-self.load / size) } else { Vector3::zeros() }
    }

    #[inline]
    fn project(&self, trial: &Vector3<f64>, stiffness: &TangentialStiffness) -> Projection {
        self.project_form(trial, self.form(trial), stiffness)
    }
}

impl Ellipsoid {
    /// The projection together with the margin of the trial load: what both need is computed once.
    #[inline]
    pub fn project_with_margin(&self, trial: &Vector3<f64>, stiffness: &TangentialStiffness) -> (Projection, f64) {
        let form = self.form(trial);
        let margin = if form == 0.0 {
            1.0
        } else if self.load > 0.0 {
            1.0 - form.sqrt() / self.load
        } else {
            f64::NEG_INFINITY
        };
        (self.project_form(trial, form, stiffness), margin)
    }

    #[inline]
    fn project_form(&self, trial: &Vector3<f64>, form: f64, stiffness: &TangentialStiffness) -> Projection {
        let limit = self.load.max(0.0);
        if form <= limit * limit {
            return Projection { load: *trial, slip: Vector3::zeros(), iterations: 0 };
        }
        let k = &stiffness.k;
        if limit == 0.0 {
            let slip = k.try_inverse().unwrap_or_else(Matrix2::zeros) * trial.xy();
            return Projection {
                load: Vector3::zeros(),
                slip: Vector3::new(slip.x, slip.y, trial.z / stiffness.k_theta),
                iterations: 0,
            };
        }
        let over = 1.0 / (limit * limit);
        if k[(0, 1)] == 0.0 && self.force[(0, 1)] == 0.0 {
            self.project_along_axes(trial, &[k[(0, 0)], k[(1, 1)], stiffness.k_theta], over)
        } else {
            self.project_general(trial, stiffness, over)
        }
    }

    /// Stiffness and friction along the same axes: nothing to turn.
    #[inline]
    fn project_along_axes(&self, trial: &Vector3<f64>, k: &[f64; 3], over: f64) -> Projection {
        let mut w = [self.force[(0, 0)], self.force[(1, 1)], self.moment];
        let mut shares = [w[0] * trial.x * trial.x * over, w[1] * trial.y * trial.y * over, 0.0];
        // No moment holds: the turn is given up whole, whatever the force does.
        let no_moment = w[2].is_infinite();
        if no_moment {
            w[2] = 0.0;
        } else {
            shares[2] = w[2] * trial.z * trial.z * over;
        }
        let scale = 1.0 / (k[0] * w[0]);
        let weights = [1.0, k[1] * w[1] * scale, k[2] * w[2] * scale];
        let (lambda, iterations) =
            if shares[0] + shares[1] + shares[2] > 1.0 { multiplier(&shares, &weights) } else { (0.0, 0) };
        let mut load = Vector3::zeros();
        let mut slip = Vector3::zeros();
        for i in 0..3 {
            load[i] = trial[i] / (1.0 + weights[i] * lambda);
            slip[i] = weights[i] * lambda * load[i] / k[i];
        }
        if no_moment {
            load.z = 0.0;
            slip.z = trial.z / k[2];
        }
        Projection { load, slip, iterations }
    }

    /// Any stiffness, any two coefficients: the axes are those of W in the metric of the stiffness.
    fn project_general(&self, trial: &Vector3<f64>, stiffness: &TangentialStiffness, over: f64) -> Projection {
        let root = square_root(&stiffness.k);
        let Some(root_inverse) = root.try_inverse() else {
            return Projection { load: Vector3::zeros(), slip: Vector3::zeros(), iterations: 0 };
        };
        let axes = eigen(&(root * self.force * root));
        let (e1, e2) = (axes.axis, Vector2::new(-axes.axis.y, axes.axis.x));
        let y = root_inverse * trial.xy();
        let (y1, y2) = (e1.dot(&y), e2.dot(&y));
        let (q1, q2) = (axes.low, axes.high);
        let no_moment = self.moment.is_infinite();
        let q3 = if no_moment { 0.0 } else { stiffness.k_theta * self.moment };
        let tau_share = if no_moment { 0.0 } else { self.moment * trial.z * trial.z * over };
        let shares = [q1 * y1 * y1 * over, q2 * y2 * y2 * over, tau_share];
        let weights = [q1 / q2, 1.0, q3 / q2];
        let (lambda, iterations) =
            if shares.iter().sum::<f64>() > 1.0 { multiplier(&shares, &weights) } else { (0.0, 0) };
        let keep = weights.map(|w| 1.0 / (1.0 + w * lambda));
        let kept = e1 * (y1 * keep[0]) + e2 * (y2 * keep[1]);
        let slipped = e1 * (y1 * keep[0] * weights[0] * lambda) + e2 * (y2 * keep[1] * weights[1] * lambda);
        let f = root * kept;
        let slip = root_inverse * slipped;
        let tau = if no_moment { 0.0 } else { trial.z * keep[2] };
        let turn = if no_moment { trial.z } else { trial.z * keep[2] * weights[2] * lambda } / stiffness.k_theta;
        Projection { load: Vector3::new(f.x, f.y, tau), slip: Vector3::new(slip.x, slip.y, turn), iterations }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The projection is the nearest point in the energy metric: no point of a fine sampling of the limit is nearer, and
    /// the returned load is on the limit. Two coefficients, turned stiffness.
    #[test]
    fn projection_is_nearest_in_energy_for_turned_stiffness_and_two_coefficients() {
        let limit = Ellipsoid::anisotropic(0.4, 0.9, &Vector2::new(0.8, 0.6), 2.5e-3, 7.0);
        let k = crate::symmetric::compose(2e4, 5e3, &Vector2::new(0.28, 0.96));
        let stiffness = TangentialStiffness { k, k_theta: 0.3 };
        let trial = Vector3::new(9.0, -4.0, 0.02);
        let found = limit.project(&trial, &stiffness);
        assert!((limit.gauge(&found.load) - 1.0).abs() < 1e-14);
        assert!((stiffness.matrix() * found.slip + found.load - trial).norm() < 1e-13);
        let compliance = stiffness.matrix().try_inverse().unwrap();
        let energy = |load: &Vector3<f64>| (load - trial).dot(&(compliance * (load - trial)));
        let least = energy(&found.load);
        for i in 0..200 {
            for j in 0..400 {
                let (u, v) = (i as f64 / 199.0 * std::f64::consts::PI, j as f64 / 400.0 * std::f64::consts::TAU);
                let direction = Vector3::new(u.sin() * v.cos(), u.sin() * v.sin(), 2.5e-3 * u.cos());
                let on = direction / limit.gauge(&direction);
                assert!(energy(&on) >= least * (1.0 - 1e-12));
            }
        }
    }

    /// The general path with equal axes gives what the short path gives.
    #[test]
    fn general_and_short_paths_agree() {
        let limit = Ellipsoid::isotropic(0.7, 3e-3, 5.0);
        let stiffness = TangentialStiffness::isotropic(8e3, 0.2);
        let trial = Vector3::new(3.0, 5.0, -0.04);
        let short = limit.project(&trial, &stiffness);
        let general = limit.project_general(&trial, &stiffness, 1.0 / 25.0);
        assert!((short.load - general.load).norm() < 1e-14 && (short.slip - general.slip).norm() < 1e-17);
    }

    /// Largest dissipation: no other load on the limit takes more power from the twist.
    #[test]
    fn load_against_a_twist_dissipates_most() {
        let limit = Ellipsoid::anisotropic(0.4, 0.9, &Vector2::new(0.8, 0.6), 2.5e-3, 7.0);
        let twist = Vector3::new(0.3, -0.1, 40.0);
        let load = limit.load_against(&twist);
        assert!((limit.gauge(&load) - 1.0).abs() < 1e-14);
        for i in 0..5000 {
            let a = i as f64;
            let direction = Vector3::new((a * 0.7).cos(), (a * 1.3).sin(), 3e-3 * (a * 0.37).cos());
            let on = direction / limit.gauge(&direction);
            assert!(on.dot(&twist) >= load.dot(&twist) * (1.0 + 1e-12));
        }
    }

    /// No load, no friction; no eccentricity, no moment.
    #[test]
    fn limits_without_load_or_moment_hold_nothing_there() {
        let stiffness = TangentialStiffness::isotropic(1e4, 0.1);
        let none = Ellipsoid::isotropic(0.5, 1e-3, 0.0);
        assert_eq!(none.project(&Vector3::new(1.0, 0.0, 0.1), &stiffness).load, Vector3::zeros());
        assert_eq!(none.gauge(&Vector3::zeros()), 0.0);
        assert_eq!(none.gauge(&Vector3::x()), f64::INFINITY);
        let point = Ellipsoid::isotropic(0.5, 0.0, 2.0);
        let returned = point.project(&Vector3::new(3.0, 4.0, 0.1), &stiffness);
        assert!((returned.load - Vector3::new(0.6, 0.8, 0.0)).norm() < 1e-15);
        assert!((returned.slip.z - 1.0).abs() < 1e-15);
    }
}
