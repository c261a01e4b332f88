//! # Contact: where a finger touches, and what its patch can carry
//!
//! numbers ──▶ **here** ──▶ `grasp`
//!
//! - **in**: point, normal into the object, tangent, friction along both tangents, how e_n grows with the load, limit
//! - **out**: [`Contact`], checked; e_n at a load
//! - **not here**: balance of many contacts (`grasp`, `statics`)
//! - **start at** [`Contact::checked`]
//!
//! ```text
//! |(f₁/μ₁, f₂/μ₂, τ/(μ₁ e_n))| ≤ P        e_n = 0: a point with friction; μ = 0: frictionless
//! ```

use crate::GraspError;
use fingerpad_contact::patch::{PatchTheory, RelativeCurvature};
use nalgebra::Vector3;

/// How the moment that a contact can hold grows with its load: e_n(P).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatchGrowth {
    /// e_n does not change with the load (m): rigid faces, frozen patches.
    Fixed(f64),
    /// e_n = e_n_at_1N · P^exponent: 1/3 for Hertz, 1/4 for a thin layer.
    Power {
        /// e_n at 1 N (m).
        e_n_at_1N: f64,
        /// Exponent, from 0 to below 1.
        exponent: f64,
    },
    /// A pad and its curvature: e_n of the patch under the load, with the end of the pad.
    Pad {
        /// What is pressed.
        theory: PatchTheory,
        /// Curvature of the pair at the contact.
        curvature: RelativeCurvature,
    },
}

impl PatchGrowth {
    /// e_n at a load (m); 0 without load.
    pub fn e_n(&self, load: f64) -> f64 {
        match self {
            PatchGrowth::Fixed(e_n) => *e_n,
            PatchGrowth::Power { e_n_at_1N, exponent } => e_n_at_1N * load.max(0.0).powf(*exponent),
            PatchGrowth::Pad { theory, curvature } => theory.under_load(curvature, load).map_or(0.0, |p| p.e_n),
        }
    }

    /// Whether e_n depends on the load.
    pub fn lives(&self) -> bool {
        !matches!(self, PatchGrowth::Fixed(_)) && !matches!(self, PatchGrowth::Power { exponent: 0.0, .. })
    }

    /// Loads in (low, high) at which P·e_n(P) has a concave kink: there boxes of loads are split first.
    ///
    /// A pad that ends its patch lets e_n grow more slowly from that load on (see `live`).
    pub(crate) fn kink(&self, low: f64, high: f64) -> Option<f64> {
        let PatchGrowth::Pad { theory, curvature } = self else { return None };
        let capped = |load: f64| theory.under_load(curvature, load).is_ok_and(|p| p.capped);
        if capped(low) || !capped(high) {
            return None;
        }
        let (mut free, mut ends) = (low, high);
        for _ in 0..60 {
            let middle = 0.5 * (free + ends);
            if capped(middle) { ends = middle } else { free = middle }
        }
        (ends - low > 1e-6 * high && high - ends > 1e-6 * high).then_some(ends)
    }
}

/// One contact of a grasp, in the frame of the grasp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where it touches (m).
    pub point: Vector3<f64>,
    /// Unit normal into the object.
    pub normal: Vector3<f64>,
    /// Unit tangent t₁; t₂ = normal × tangent.
    pub tangent: Vector3<f64>,
    /// Friction along t₁ and t₂.
    pub friction: [f64; 2],
    /// e_n(P).
    pub patch: PatchGrowth,
    /// Largest normal force (N).
    pub limit: Option<f64>,
}

impl Contact {
    /// A contact with any tangent, the same friction in all directions and no limit.
    pub fn new(point: Vector3<f64>, normal: Vector3<f64>, friction: f64, patch: PatchGrowth) -> Self {
        let least = normal.iamin();
        let mut axis = Vector3::zeros();
        axis[least] = 1.0;
        let tangent = normal.cross(&axis);
        Contact { point, normal, tangent, friction: [friction; 2], patch, limit: None }
    }

    /// The contact with unit and orthogonal axes, and what had to be changed for it.
    pub fn checked(mut self, place: &str, warnings: &mut Vec<String>) -> Result<Self, GraspError> {
        let finite = |v: &Vector3<f64>, name: &str| match v.iter().all(|x| x.is_finite() && x.abs() <= 1e9) {
            true => Ok(()),
            false => Err(GraspError::number(format!("{place}.{name}"), "finite numbers up to 1e9", v.as_slice())),
        };
        finite(&self.point, "point")?;
        finite(&self.normal, "normal")?;
        finite(&self.tangent, "tangent")?;
        let length = self.normal.norm();
        if length < 1e-9 {
            let got = self.normal.as_slice().to_vec();
            return Err(GraspError::number(format!("{place}.normal"), "a direction (not zero)", got));
        }
        if (length - 1.0).abs() > 1e-6 {
            warnings.push(format!("{place}.normal has length {length:.6}; it was made a unit vector"));
        }
        self.normal /= length;
        let tangent = self.tangent - self.normal * self.tangent.dot(&self.normal);
        let across = tangent.norm();
        if across <= 1e-6 * self.tangent.norm() || across < 1e-9 {
            let got = self.tangent.as_slice().to_vec();
            return Err(GraspError::number(format!("{place}.tangent"), "a direction across the normal", got));
        }
        if (tangent - self.tangent).norm() > 1e-6 * self.tangent.norm() {
            warnings.push(format!("{place}.tangent is not across the normal; its part along the normal was left out"));
        }
        self.tangent = tangent / across;
        for (mu, k) in self.friction.iter().zip(0..) {
            if !(0.0..=1e3).contains(mu) {
                return Err(GraspError::number(format!("{place}.friction[{k}]"), "a number from 0 to 1000", mu));
            }
        }
        if let Some(limit) = self.limit
            && !(0.0..=1e12).contains(&limit)
        {
            return Err(GraspError::number(format!("{place}.limit"), "zero or a positive force (N)", limit));
        }
        match self.patch {
            PatchGrowth::Fixed(e_n) if !(0.0..=1e6).contains(&e_n) => {
                Err(GraspError::number(format!("{place}.e_n"), "zero or a positive length (m)", e_n))
            }
            PatchGrowth::Power { e_n_at_1N, .. } if !(0.0..=1e6).contains(&e_n_at_1N) => {
                Err(GraspError::number(format!("{place}.patch.e_n_at_1N"), "zero or a positive length (m)", e_n_at_1N))
            }
            PatchGrowth::Power { exponent, .. } if !(0.0..1.0).contains(&exponent) => {
                Err(GraspError::number(format!("{place}.patch.exponent"), "a number from 0 to below 1", exponent))
            }
            PatchGrowth::Pad { theory, curvature } => match theory.under_load(&curvature, 1.0) {
                Ok(_) => Ok(self),
                Err(why) => {
                    Err(GraspError::number(format!("{place}.pad"), "a pad that makes a patch", why.to_string()))
                }
            },
            _ => Ok(self),
        }
    }

    /// The other tangent.
    pub fn tangent2(&self) -> Vector3<f64> {
        self.normal.cross(&self.tangent)
    }

    /// Factors of (P, f₁, f₂, τ) for which the friction limit is the unit cone, with e_n given.
    pub(crate) fn scales(&self, e_n: f64) -> [f64; 4] {
        [1.0, self.friction[0], self.friction[1], self.friction[0] * e_n]
    }

    /// Share of the friction limit that a load uses, with the patch of this load; infinite where it holds nothing.
    pub fn used(&self, load: &[f64; 4]) -> f64 {
        let scales = self.scales(self.patch.e_n(load[0]));
        let part = |k: usize| if load[k] == 0.0 { 0.0 } else { load[k] / scales[k] };
        let along = (part(1).powi(2) + part(2).powi(2) + part(3).powi(2)).sqrt();
        if along == 0.0 { 0.0 } else { along / load[0].max(0.0) }
    }
}
