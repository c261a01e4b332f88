//! # Curve: the elastic normal force over the approach, and its mean over a step
//!
//! - **in**: V(δ) of a contact at the curvature it has when the step begins
//! - **out**: V, V′, V″; the mean force (V(δ₁) − V(δ₀))/(δ₁ − δ₀) and its slope by δ₁
//! - **start at** [`Curve::of`], then [`Curve::mean`]
//!
//! The mean is a discrete gradient: force times displacement is the change of energy, whatever the step. Differences of V
//! lose digits where δ₁ is near δ₀, so powers that occur (1, 3/2, 2) are divided out; others are integrated by two Gauss
//! points where the step is short.

use fingerpad_contact::law::{Constants, LawError, Stiffness};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_contact::site::ContactSite;

/// Elastic normal force as a function of the approach δ, zero for δ ≤ 0.
#[derive(Clone, Copy, Debug)]
pub enum Curve {
    /// k δ.
    Linear(f64),
    /// k δ^(3/2).
    ThreeHalves(f64),
    /// k δ².
    Square(f64),
    /// k δⁿ.
    Power(f64, f64),
    /// As the stiffness tells at this site.
    Told(ContactSite),
}

/// Steps shorter than this share of the approach are integrated, not differenced.
const SHORT: f64 = 1e-4;

impl Curve {
    /// The curve of a stiffness at a site.
    pub fn of(stiffness: &Stiffness, site: &ContactSite, approach: f64) -> Result<Self, LawError> {
        match stiffness {
            Stiffness::Constants(Constants { k, n, .. }) => Ok(Self::power(*k, *n)),
            Stiffness::Patch(theory) => {
                let curvature: RelativeCurvature = site.relative_curvature();
                let patch = theory.at_approach(&curvature, approach)?;
                if patch.capped || theory.extent.is_finite() {
                    return Ok(Self::Told(*site));
                }
                let n = patch.normal_stiffness * approach / patch.load;
                let near = [1.0, 1.5, 2.0].into_iter().find(|x| (x - n).abs() < 1e-9).unwrap_or(n);
                let one = Self::power(1.0, near);
                Ok(Self::power(patch.load / one.at(stiffness, approach).1, near))
            }
            Stiffness::Custom { .. } | Stiffness::Field(_) => Ok(Self::Told(*site)),
        }
    }

    /// k δⁿ.
    #[inline]
    pub fn power(k: f64, n: f64) -> Self {
        if n == 1.0 {
            Self::Linear(k)
        } else if n == 1.5 {
            Self::ThreeHalves(k)
        } else if n == 2.0 {
            Self::Square(k)
        } else {
            Self::Power(k, n)
        }
    }

    /// The factor k of a power; 0 for others.
    pub fn factor(&self) -> f64 {
        match *self {
            Self::Linear(k) | Self::ThreeHalves(k) | Self::Square(k) | Self::Power(k, _) => k,
            Self::Told(_) => 0.0,
        }
    }

    /// A power with another factor; others stay.
    pub fn with_factor(self, k: f64) -> Self {
        match self {
            Self::Linear(_) => Self::Linear(k),
            Self::ThreeHalves(_) => Self::ThreeHalves(k),
            Self::Square(_) => Self::Square(k),
            Self::Power(_, n) => Self::Power(k, n),
            Self::Told(site) => Self::Told(site),
        }
    }

    /// V (J), V′ (N), V″ (N/m). Not a number where the stiffness has no answer.
    #[inline]
    pub fn at(&self, stiffness: &Stiffness, d: f64) -> (f64, f64, f64) {
        if d <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        match *self {
            Self::Linear(k) => (0.5 * k * d * d, k * d, k),
            Self::ThreeHalves(k) => {
                let root = k * d.sqrt();
                (0.4 * root * d * d, root * d, 1.5 * root)
            }
            Self::Square(k) => (k * d * d * d / 3.0, k * d * d, 2.0 * k * d),
            Self::Power(k, n) => {
                let f = k * d.powf(n);
                (f * d / (n + 1.0), f, n * f / d)
            }
            Self::Told(site) => match stiffness.grip(&ContactSite { gap: -d, ..site }) {
                Ok(grip) => (grip.energy, grip.load, grip.normal_stiffness),
                Err(_) => (f64::NAN, f64::NAN, f64::NAN),
            },
        }
    }

    /// Mean force from δ₀ to δ₁ and its slope by δ₁; either may be open.
    #[inline]
    pub fn mean(&self, stiffness: &Stiffness, d0: f64, d1: f64) -> (f64, f64) {
        let u = d1 - d0;
        if d0 > 0.0 && d1 > 0.0 {
            return self.closed_mean(stiffness, d0, d1);
        }
        if d0 <= 0.0 && d1 <= 0.0 || u == 0.0 {
            return (0.0, 0.0);
        }
        // One end is open: all of V over the whole step.
        let (V0, V1) = (self.at(stiffness, d0).0, self.at(stiffness, d1));
        let mean = (V1.0 - V0) / u;
        (mean, (V1.1 - mean) / u)
    }

    #[inline]
    fn closed_mean(&self, stiffness: &Stiffness, d0: f64, d1: f64) -> (f64, f64) {
        match *self {
            Self::Linear(k) => (0.5 * k * (d0 + d1), 0.5 * k),
            Self::ThreeHalves(k) => {
                let (a, b) = (d0.sqrt(), d1.sqrt());
                let over = 1.0 / (a + b);
                let (a2, ab, b2) = (d0, a * b, d1);
                let sum = a2 * a2 + ab * (a2 + ab + b2) + b2 * b2;
                let slope = a * (2.0 * a2 + 4.0 * ab + 6.0 * b2) + 3.0 * b * b2;
                (0.4 * k * sum * over, 0.2 * k * slope * over * over)
            }
            Self::Square(k) => (k / 3.0 * (d0 * d0 + d0 * d1 + d1 * d1), k / 3.0 * (d0 + 2.0 * d1)),
            Self::Power(..) | Self::Told(_) => {
                let u = d1 - d0;
                if u.abs() > SHORT * d0 {
                    let (V0, V1) = (self.at(stiffness, d0).0, self.at(stiffness, d1));
                    let mean = (V1.0 - V0) / u;
                    return (mean, (V1.1 - mean) / u);
                }
                // Gauss: exact to u⁴.
                let (near, far) = (0.5 - 0.75_f64.sqrt() / 3.0, 0.5 + 0.75_f64.sqrt() / 3.0);
                let (at_near, at_far) = (self.at(stiffness, d0 + near * u), self.at(stiffness, d0 + far * u));
                (0.5 * (at_near.1 + at_far.1), 0.5 * (near * at_near.2 + far * at_far.2))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean force times step is the change of energy; its slope is that of a difference. All powers, both ends open too.
    #[test]
    fn mean_is_a_discrete_gradient_with_its_slope() {
        let stiffness = Stiffness::Constants(Constants { k: 1.0, n: 1.0, k_t: 0.0, k_theta: 0.0, e_n: 0.0 });
        for n in [1.0, 1.5, 2.0, 1.3] {
            let curve = Curve::power(3e4, n);
            for (d0, d1) in [(1e-3, 2e-3), (2e-3, 1e-5), (-1e-3, 1e-3), (1e-3, -2e-3), (1e-3, 1.00003e-3)] {
                let (mean, slope) = curve.mean(&stiffness, d0, d1);
                let change = curve.at(&stiffness, d1).0 - curve.at(&stiffness, d0).0;
                let scale = curve.at(&stiffness, d0).0 + curve.at(&stiffness, d1).0;
                assert!((mean * (d1 - d0) - change).abs() <= 4e-16 * scale, "{n} {d0} {d1}");
                let e = 1e-8;
                let found = (curve.mean(&stiffness, d0, d1 + e).0 - curve.mean(&stiffness, d0, d1 - e).0) / (2.0 * e);
                // Rounding of the mean over e, and e² of a curvature.
                assert!((found / slope - 1.0).abs() < 1e-4, "{n} {d0} {d1}: {slope} {found}");
            }
        }
    }
}
