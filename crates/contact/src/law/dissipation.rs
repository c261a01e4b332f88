//! # Dissipation: dampers beside the springs
//!
//! - **start at** [`Damping`]
//!
//! Hunt–Crossley in the normal direction, f = f_el (1 + c δ′) (Hunt), and Kelvin–Voigt, f = f_el + b δ′; both together
//! if wanted; never adhesive. Restitution of Hunt–Crossley alone is 1 − (2/3) c v for slow impacts, whatever the
//! stiffness.

use super::Grip;
use crate::friction::TangentialStiffness;
use nalgebra::{Matrix3, Vector3};

/// Dampers of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Hunt–Crossley c (s/m).
    pub hunt_crossley: f64,
    /// Kelvin–Voigt, normal (N·s/m).
    pub normal: f64,
    /// Tangential, parallel to the springs (N·s/m).
    pub tangential: f64,
    /// Torsional, parallel to the spring (N·m·s/rad).
    pub torsional: f64,
}

impl Damping {
    /// Normal force (N) from its elastic part and the rate of approach δ′ (m/s).
    #[inline]
    pub fn normal_force(&self, grip: &Grip, rate: f64) -> f64 {
        (grip.load * (1.0 + self.hunt_crossley * rate) + (self.normal + grip.normal_damping) * rate).max(0.0)
    }

    /// Slopes of the normal force by load and by rate; zero where the force is held at zero.
    pub(super) fn normal_slopes(&self, grip: &Grip, rate: f64) -> (f64, f64) {
        if self.normal_force(grip, rate) > 0.0 {
            (1.0 + self.hunt_crossley * rate, self.hunt_crossley * grip.load + self.normal + grip.normal_damping)
        } else {
            (0.0, 0.0)
        }
    }

    /// Tangential dampers in the axes of the patch: their own and those of a damping field.
    #[inline]
    pub(super) fn along_the_patch(&self, grip: &Grip) -> TangentialStiffness {
        let mut b = grip.damping;
        b.k[(0, 0)] += self.tangential;
        b.k[(1, 1)] += self.tangential;
        b.k_theta += self.torsional;
        b
    }
}

/// Hunt–Crossley's damping of several dimensions: B_H = Nᵀ D^½ B̄ D^½ N with B̄ = N⁻ᵀ B N⁻¹ and D = diag(|x_i|ⁿ).
///
/// (Stramigioli, eq. 40) prints B N⁻¹ D N with xⁿ for |x|ⁿ: for odd n and compression its damping is negative, and B D is
/// not symmetric, so that it can take −28.6 |v|² from a motion v even with x². The congruence above never gives energy.
/// `None` if N has no inverse.
pub fn hunt_crossley_tensor(N: &Matrix3<f64>, B: &Matrix3<f64>, x: &Vector3<f64>, n: f64) -> Option<Matrix3<f64>> {
    let inverse = N.try_inverse()?;
    let bar = inverse.transpose() * B * inverse;
    let root = Matrix3::from_diagonal(&x.map(|x| x.abs().powf(0.5 * n)));
    Some(N.transpose() * root * bar * root * N)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As printed, power becomes negative on the example of the errata; the congruence stays passive on random tensors.
    #[test]
    fn printed_tensor_gives_energy_and_ours_never() {
        let B = Matrix3::new(2.0, 0.9, 0.0, 0.9, 0.5, 0.0, 0.0, 0.0, 1.0);
        let mut least = f64::INFINITY;
        for i in 0..2000 {
            let a = i as f64 * 0.37;
            let x = Vector3::new(10.0 * a.cos(), 0.3 * (1.7 * a).sin(), (0.3 * a).cos());
            let D = Matrix3::from_diagonal(&x.map(|x| x * x));
            let v = Vector3::new((2.3 * a).cos(), (2.3 * a).sin(), 0.0);
            least = least.min(v.dot(&(B * D * v)));
            let N = Matrix3::new(3.0, 0.4, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0, 0.2);
            let ours = hunt_crossley_tensor(&N, &B, &x, 1.0 + (i % 3) as f64).unwrap();
            let v = Vector3::new((0.9 * a).sin(), (1.1 * a).cos(), a.sin());
            assert!(v.dot(&(ours * v)) >= -1e-12 * ours.norm() * v.norm_squared());
            assert!((ours - ours.transpose()).norm() <= 1e-12 * ours.norm());
        }
        assert!(least < -1.0, "{least}");
    }
}
