//! # Stiffness: what resists at a contact, in all four directions
//!
//! - **in**: approach and curvature at a site
//! - **out**: a [`Grip`]: load, energy and stiffness along the axes of the patch
//! - **start at** [`Stiffness`]
//!
//! The normal force of a patch follows the curvature under it. While a body rolls over changing curvature V_n changes
//! at equal approach: the force of that is `bending`'s. Where it has none (seams, meshes) steppers book the energy apart.

use super::LawError;
use super::field::FieldSample;
use crate::friction::TangentialStiffness;
use crate::patch::{Growth, PatchTheory, largest_moment};
use crate::site::ContactSite;
use nalgebra::Vector2;
use std::fmt;
use std::sync::Arc;

/// What resists: a patch theory, constants, a normal energy of the user's own, or tensor fields.
#[derive(Clone, Debug)]
pub enum Stiffness {
    /// From curvature and material; follows load and curvature.
    Patch(PatchTheory),
    /// Raw constants.
    Constants(Constants),
    /// A normal energy given by the user, tangential constants beside it (Stramigioli, eqs 33, 36).
    Custom {
        /// V_n(δ).
        normal: Arc<dyn NormalEnergy>,
        /// Tangential constants; k and n are not used.
        tangential: Constants,
    },
    /// Tensor fields over both surfaces (Stramigioli, eqs 29, 30), sampled at the site.
    Field(FieldSample),
}

/// Raw constants of a contact law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Normal stiffness k (N/mⁿ): f_el = k δⁿ.
    pub k: f64,
    /// Exponent n ≥ 1.
    pub n: f64,
    /// Tangential stiffness (N/m).
    pub k_t: f64,
    /// Torsional stiffness (N·m/rad).
    pub k_theta: f64,
    /// Eccentricity of the friction ellipsoid (m).
    pub e_n: f64,
}

/// A normal energy V(δ), V = 0 for δ ≤ 0, convex.
pub trait NormalEnergy: Send + Sync + fmt::Debug {
    /// V (J), V′ (N) and V″ (N/m) at an approach δ > 0 (m).
    fn at(&self, approach: f64) -> (f64, f64, f64);
}

/// What a contact offers at its present approach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Elastic normal force (N).
    pub load: f64,
    /// Its slope by the approach (N/m).
    pub normal_stiffness: f64,
    /// Energy stored by pressing (J).
    pub energy: f64,
    /// First axis of the patch in the tangent axes of the site.
    pub axis: Vector2<f64>,
    /// Stiffness along that axis, across it (N/m), and about the normal (N·m/rad).
    pub k: [f64; 3],
    /// Damping in the same axes (N·s/m, N·m·s/rad), from a damping field.
    pub damping: TangentialStiffness,
    /// Damping along the normal (N·s/m), from a damping field.
    pub normal_damping: f64,
    /// How stiffness and e_n grow with the approach.
    pub growth: Growth,
    /// Eccentricity of the friction ellipsoid (m).
    pub e_n: f64,
    /// Semi-axes of the patch (m) and exponent of its pressure, where a theory gives one.
    pub patch: Option<[f64; 3]>,
}

impl Grip {
    /// Largest moment per load under two coefficients (m), `direction` in the axes of the patch.
    pub(super) fn moment_per_load(&self, along: f64, across: f64, direction: &Vector2<f64>) -> f64 {
        match self.patch {
            Some([a, b, k]) => largest_moment(a, b, k, (along, across), direction),
            // Without a patch the moment is that of the mean coefficient.
            None => (along * across).sqrt() * self.e_n,
        }
    }
}

pub(super) const STILL: Growth = Growth { tangential: 0.0, torsional: 0.0, e_n: 0.0 };

impl Stiffness {
    /// Load, energy and stiffness at a site in contact (gap < 0).
    #[inline]
    pub fn grip(&self, site: &ContactSite) -> Result<Grip, LawError> {
        let approach = site.approach();
        match self {
            Stiffness::Patch(theory) => {
                let patch = theory.at_approach(&site.relative_curvature(), approach)?;
                Ok(Grip {
                    load: patch.load,
                    normal_stiffness: patch.normal_stiffness,
                    energy: patch.energy,
                    axis: patch.axis,
                    k: [patch.stiffness.along, patch.stiffness.across, patch.stiffness.torsional],
                    damping: TangentialStiffness::none(),
                    normal_damping: 0.0,
                    growth: patch.growth,
                    e_n: patch.e_n,
                    patch: Some([patch.a, patch.b, patch.exponent]),
                })
            }
            Stiffness::Constants(constants) => {
                let (energy, load, slope) = constants.normal(approach);
                Ok(constants.tangential(energy, load, slope))
            }
            Stiffness::Custom { normal, tangential } => {
                let (energy, load, slope) = normal.at(approach);
                Ok(tangential.tangential(energy, load, slope))
            }
            Stiffness::Field(sample) => Ok(sample.grip(approach)),
        }
    }
}

impl Constants {
    /// V, V′, V″ of k δⁿ.
    #[inline]
    pub fn normal(&self, approach: f64) -> (f64, f64, f64) {
        let n = self.n;
        let power = if n == 1.5 {
            approach * approach.sqrt()
        } else if n == 1.0 {
            approach
        } else {
            approach.powf(n)
        };
        let load = self.k * power;
        (load * approach / (n + 1.0), load, n * load / approach)
    }

    #[inline]
    fn tangential(&self, energy: f64, load: f64, normal_stiffness: f64) -> Grip {
        Grip {
            load,
            normal_stiffness,
            energy,
            axis: Vector2::new(1.0, 0.0),
            k: [self.k_t, self.k_t, self.k_theta],
            damping: TangentialStiffness::none(),
            normal_damping: 0.0,
            growth: STILL,
            e_n: self.e_n,
            patch: None,
        }
    }

    /// The same constants, checked: stiffness positive, n at least 1, e_n not negative.
    pub fn checked(self) -> Result<Self, LawError> {
        let rule = |what, expected, ok: bool, got: f64| {
            if ok && got.is_finite() { Ok(()) } else { Err(LawError::Constant { what, expected, got }) }
        };
        rule("k", "positive and finite (N/m^n)", self.k > 0.0, self.k)?;
        rule("n", "at least 1", self.n >= 1.0, self.n)?;
        rule("k_t", "zero or positive, and finite (N/m)", self.k_t >= 0.0, self.k_t)?;
        rule("k_theta", "zero or positive, and finite (N m/rad)", self.k_theta >= 0.0, self.k_theta)?;
        rule("e_n", "zero or positive, and finite (m)", self.e_n >= 0.0, self.e_n)?;
        Ok(self)
    }
}
