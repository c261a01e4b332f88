//! # Tangent: how the loads of a step change with approach, displacement and velocity
//!
//! - **in**: a site, the memory before the step, the step
//! - **out**: two 4 × 4 matrices over (normal, two tangential, torsional)
//! - **start at** [`ContactLaw::tangent`]
//!
//! Of the load F on the limit, F = F_trial − K_e Δ with slip Δ = ν W F and FᵀWF = P²; differentiating both,
//!
//! ```text
//! A dF = dF_trial − ν (dK_e W + K_e dW) F − dν K_e W F,     A = I + ν K_e W
//! dν = (gᵀA⁻¹(dF_trial − ν (…) F) + ½ FᵀdW F − P dP)/(gᵀA⁻¹K_e g),     g = W F
//! ```

use super::{ContactLaw, Friction, LawError, Memory, carried};
use crate::friction::FrictionLimit;
use crate::site::ContactSite;
use nalgebra::{Matrix3, Matrix4, Vector3};

/// Slopes of the loads (f_n, f1, f2, τ) that [`ContactLaw::advance`] gives, in the tangent axes of the site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// By (approach, displacement 1, displacement 2, turn) within the step (N/m and so on).
    pub stiffness: Matrix4<f64>,
    /// By (rate of approach, velocity 1, velocity 2, spin) at fixed displacement (N·s/m and so on).
    pub damping: Matrix4<f64>,
}

impl ContactLaw {
    /// Slopes of the loads after a step of length `h` from `memory` with the motion of the site. Zero apart; not for
    /// partial slip or rules of the user's own, which answer as if sticking.
    pub fn tangent(&self, site: &ContactSite, memory: &Memory, h: f64) -> Result<Tangent, LawError> {
        let mut stiffness = Matrix4::zeros();
        let mut damping = Matrix4::zeros();
        if site.gap >= 0.0 {
            return Ok(Tangent { stiffness, damping });
        }
        let local = self.local(site)?;
        let grip = &local.grip;
        let (delta, rate) = (site.approach(), -site.gap_rate);
        let (by_load, by_rate) = self.damping.normal_slopes(grip, rate);
        let normal_slope = by_load * grip.normal_stiffness;
        stiffness[(0, 0)] = normal_slope;
        damping[(0, 0)] = by_rate;
        if matches!(self.friction, Friction::None) {
            return Ok(Tangent { stiffness, damping });
        }
        // Trial load and its slopes, in the axes of the patch.
        let x_W = carried(&memory.x_W, &memory.nhat_W, site, h);
        let y0 = local.split(&x_W, memory.x_theta);
        let velocity = local.in_patch(&Vector3::new(site.v_t.x, site.v_t.y, site.w_n));
        let d = velocity * h;
        let b = self.damping.along_the_patch(grip);
        let k = Vector3::from(grip.k);
        let growth = Vector3::new(grip.growth.tangential, grip.growth.tangential, grip.growth.torsional) / delta;
        let trial = local.through(&y0) + k.component_mul(&d) + b.times(&velocity);
        let by_approach = local.through(&y0).component_mul(&growth) * 0.5 + k.component_mul(&d).component_mul(&growth);
        let K = Matrix3::from_diagonal(&k);
        let K_e = K + b.matrix() / h;
        let mut flow = Matrix3::identity(); // dF/dF_trial
        let mut column = by_approach; // dF/dδ
        let mut by_P = Vector3::zeros(); // dF/dP
        if let Some(limit) = self.limit(&local)
            && !limit.contains(&trial)
        {
            let mut through = local.stiffness();
            through.k += b.k / h;
            through.k_theta += b.k_theta / h;
            let held = limit.project(&trial, &through);
            let F = held.load;
            let mut W = Matrix3::zeros();
            W.fixed_view_mut::<2, 2>(0, 0).copy_from(&limit.force);
            W[(2, 2)] = if limit.moment.is_finite() { limit.moment } else { 0.0 };
            let g = W * F;
            let nu = if g.norm_squared() > 0.0 { held.slip.dot(&g) / g.norm_squared() } else { 0.0 };
            if let Some(inverse) = (Matrix3::identity() + K_e * W * nu).try_inverse() {
                let resist = g.dot(&(inverse * K_e * g));
                let back = inverse * K_e * g;
                let respond = |dF: Vector3<f64>, dW_quad: f64, P_dP: f64| {
                    let free = inverse * dF;
                    let d_nu = (g.dot(&free) + 0.5 * dW_quad - P_dP) / resist;
                    free - back * d_nu
                };
                for j in 0..3 {
                    let mut unit = Vector3::zeros();
                    unit[j] = 1.0;
                    flow.set_column(j, &respond(unit, 0.0, 0.0));
                }
                let dK = Matrix3::from_diagonal(&k.component_mul(&growth));
                let mut dW = Matrix3::zeros();
                dW[(2, 2)] = -2.0 * grip.growth.e_n / delta * W[(2, 2)];
                let changed = by_approach - (dK * W + K_e * dW) * F * nu;
                column = respond(changed, F.dot(&(dW * F)), 0.0);
                by_P = respond(Vector3::zeros(), 0.0, local.normal);
            }
        }
        let put = |matrix: &mut Matrix4<f64>, column: usize, value: &Vector3<f64>| {
            let turned = local.along_site(value);
            matrix.fixed_view_mut::<3, 1>(1, column).copy_from(&turned);
        };
        put(&mut stiffness, 0, &(column + by_P * normal_slope));
        put(&mut damping, 0, &(by_P * by_rate));
        for j in 0..3 {
            let mut unit = Vector3::zeros();
            unit[j] = 1.0;
            let along = local.in_patch(&unit);
            put(&mut stiffness, j + 1, &(flow * k.component_mul(&along)));
            put(&mut damping, j + 1, &(flow * b.times(&along)));
        }
        Ok(Tangent { stiffness, damping })
    }
}
