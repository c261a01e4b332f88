//! # Pressure patch: from curvature and load to an ellipse with pressure on it
//!
//! `track` ──(gap, curvatures)──▶ **here** ──(a, b, p(x, y), stiffness)──▶ `friction`, `law`
//!
//! - **in**: relative principal curvatures (1/m), approach (m) or normal load (N), material
//! - **out**: semi-axes a ≥ b (m), peak pressure (Pa), stored energy (J), stiffness in all directions
//! - **not here**: where the surfaces touch (`track`); what friction the patch can hold (`friction`)
//! - **assumes**: the patch is small against both radii; no adhesion
//! - **start at** [`PatchTheory::under_load`], then [`hertz`] (half-spaces) and [`foundation`] (thin layer)
//!
//! **Anisotropy.** (Stramigioli, §5.2) turns the patch towards the eigenvectors of the curvature with respect to the
//! stiffness K of the contact. We do not: the patch is a matter of the *normal* problem. On a foundation the pressure at
//! a point depends on the compression there alone, so the rim is where the gap closes, whatever the tangential stiffness;
//! on anisotropic half-spaces the ellipse does turn, but by the surface Green's function of all elastic constants
//! (Willis), not by the tangential block of K. Anisotropic stiffness acts on displacement and force (`law`), where
//! (Stramigioli, eqs 29–36) needs it.
//!
//! **Lines and pad edges.** A contact that is straight along one direction has no end of its own. Where the patch would
//! be longer than the pad ([`PatchTheory::extent`], half its length), the curvature along it is raised to the value for
//! which the patch just fits: a = extent. Load, energy and stiffness are those of that patch, which is continuous in the
//! approach; [`Patch::capped`] says so. A line without an extent is an error. For contacts that are even along a line or a
//! ring [`mod@line`] has the width, pressure and approach of the line itself; the capped ellipse is √1.5 too wide for them.

mod capped;
pub mod elliptic;
pub mod foundation;
pub mod hertz;
pub mod line;
pub mod relative_curvature;
pub mod shear;

pub use relative_curvature::{Kind, RelativeCurvature};
pub use shear::PatchStiffness;

use elliptic::perimeter;
use foundation::{Foundation, torsion_factor};
use nalgebra::Vector2;
use shear::ShearCompliance;
use std::f64::consts::PI;

/// What is pressed, and how it yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pressed {
    /// Elastic bodies that deform in depth (Hertz).
    HalfSpaces {
        /// E* (Pa).
        e_star: f64,
        /// Compliance against shear.
        shear: ShearCompliance,
    },
    /// A layer on a stiff core (Winkler, or a power law).
    Foundation {
        /// Law of the layer.
        layer: Foundation,
        /// Shear modulus over depth (Pa/m).
        shear_per_depth: f64,
    },
}

/// How load makes a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchTheory {
    /// What is pressed.
    pub pressed: Pressed,
    /// Half the length that the pad offers to the patch (m); infinite where its curvature ends the patch.
    pub extent: f64,
}

/// The patch under a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Longer semi-axis (m).
    pub a: f64,
    /// Shorter semi-axis (m).
    pub b: f64,
    /// Unit vector along a, in the tangent basis of the curvature.
    pub axis: Vector2<f64>,
    /// Normal load (N).
    pub load: f64,
    /// Approach of the bodies, −gap (m).
    pub approach: f64,
    /// Exponent k of p = p₀ (1 − s²)^k.
    pub exponent: f64,
    /// Energy stored by pressing (J).
    pub energy: f64,
    /// dP/dδ (N/m).
    pub normal_stiffness: f64,
    /// Tangential and torsional stiffness before slip.
    pub stiffness: PatchStiffness,
    /// e_n: largest moment over largest force of isotropic friction (m).
    pub e_n: f64,
    /// How the patch grows with the approach.
    pub growth: Growth,
    /// Whether the pad ends the patch, not its curvature.
    pub capped: bool,
}

/// Logarithmic derivatives by the approach, d ln x/d ln δ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Of the stiffness along a and b.
    pub tangential: f64,
    /// Of the torsional stiffness.
    pub torsional: f64,
    /// Of e_n.
    pub e_n: f64,
}

/// Why there is no patch.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The contact is a line and nothing says where it ends.
    #[error(
        "the contact is a line (relative curvatures {low} and {high} 1/m) and has no end of its own; give the half-length of the \
         pad, or in a scene another `surface` to a mesh, or a cylinder, capsule or revolution in its place"
    )]
    Line {
        /// Smaller curvature (1/m).
        low: f64,
        /// Larger curvature (1/m).
        high: f64,
    },
    /// Faces, or hollow on hollow: no elliptic patch.
    #[error(
        "relative curvatures {low} and {high} 1/m make no elliptic patch: at least one must be positive (faces touch in a region)"
    )]
    NotElliptic {
        /// Smaller curvature (1/m).
        low: f64,
        /// Larger curvature (1/m).
        high: f64,
    },
    /// A length or curvature of a line or ring is not positive.
    #[error("{what} must be positive and finite, got {got}")]
    NotPositive {
        /// Which quantity.
        what: &'static str,
        /// What came.
        got: f64,
    },
    /// The patch of a ring is so wide that its hole is gone.
    #[error(
        "the patch of the ring reaches its middle (half-width {half_width} m, radius {radius} m): it is a ring no more"
    )]
    RingCloses {
        /// Radius of the ring (m).
        radius: f64,
        /// Half-width that the load would make (m).
        half_width: f64,
    },
    /// Load or approach is NaN or infinite.
    #[error("{what} must be finite, got {got}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// What came.
        got: f64,
    },
}

impl PatchTheory {
    /// The patch under an approach δ (m); without contact (δ ≤ 0) a point without load.
    #[inline]
    pub fn at_approach(&self, curvature: &RelativeCurvature, approach: f64) -> Result<Patch, PatchError> {
        if !approach.is_finite() {
            return Err(PatchError::NotFinite { what: "the approach", got: approach });
        }
        // A line shorter than its pad would be: decided by comparing a² with the extent's square.
        let line = curvature.low <= relative_curvature::LINE_RATIO * curvature.high;
        if line && self.extent.is_infinite() || curvature.high <= 0.0 {
            return Err(self.no_patch(curvature));
        }
        let delta = approach.max(0.0);
        match &self.pressed {
            Pressed::HalfSpaces { e_star, shear } => {
                if !line {
                    let shape = hertz::Shape::tabled(curvature.ratio());
                    let a = shape.semi_axis(curvature.low, delta);
                    if a <= self.extent {
                        return Ok(hertz_patch(&shape, curvature, a, approach, *e_star, shear));
                    }
                }
                Ok(capped::half_spaces(curvature, self.extent, approach, *e_star, shear))
            }
            Pressed::Foundation { layer, shear_per_depth } => {
                let low = if 2.0 * delta > self.extent * self.extent * curvature.low || line {
                    None
                } else {
                    Some(curvature.low)
                };
                match low {
                    Some(_) => Ok(foundation_patch(layer, curvature, approach, *shear_per_depth)),
                    None => Ok(capped::foundation(layer, curvature, self.extent, approach, *shear_per_depth)),
                }
            }
        }
    }

    /// The patch under a load (N); a load of 0 or less gives a point.
    pub fn under_load(&self, curvature: &RelativeCurvature, load: f64) -> Result<Patch, PatchError> {
        if !load.is_finite() {
            return Err(PatchError::NotFinite { what: "the load", got: load });
        }
        if load <= 0.0 {
            return self.at_approach(curvature, 0.0);
        }
        let line = curvature.low <= relative_curvature::LINE_RATIO * curvature.high;
        if line && self.extent.is_infinite() || curvature.high <= 0.0 {
            return Err(self.no_patch(curvature));
        }
        let free = match &self.pressed {
            _ if line => None,
            Pressed::HalfSpaces { e_star, shear } => {
                // Exact integrals here: loads come from people, steps ask by approach.
                let shape = hertz::Shape::exact(curvature.ratio());
                let a = shape.semi_axis_under_load(curvature.low, load, *e_star);
                let approach = load / e_star / a / shape.stiffness();
                (a <= self.extent).then(|| {
                    let mut patch = hertz_patch(&shape, curvature, a, approach, *e_star, shear);
                    patch.load = load;
                    patch
                })
            }
            Pressed::Foundation { layer, shear_per_depth } => {
                let approach = layer.approach(curvature.low, curvature.high, load);
                (2.0 * approach <= self.extent * self.extent * curvature.low)
                    .then(|| foundation_patch(layer, curvature, approach, *shear_per_depth))
            }
        };
        match free {
            Some(patch) => Ok(patch),
            None => capped::under_load(self, curvature, load),
        }
    }

    fn no_patch(&self, curvature: &RelativeCurvature) -> PatchError {
        let (low, high) = (curvature.low, curvature.high);
        if high > 0.0 { PatchError::Line { low, high } } else { PatchError::NotElliptic { low, high } }
    }
}

impl Patch {
    /// A contact without load: a point.
    fn point(curvature: &RelativeCurvature, approach: f64, exponent: f64, growth: Growth) -> Self {
        Self {
            a: 0.0,
            b: 0.0,
            axis: curvature.axis,
            load: 0.0,
            approach,
            exponent,
            energy: 0.0,
            normal_stiffness: 0.0,
            stiffness: PatchStiffness { along: 0.0, across: 0.0, torsional: 0.0 },
            e_n: 0.0,
            growth,
            capped: false,
        }
    }

    /// Pressure in the middle, p₀ = (k + 1) P/(π a b) (Pa); zero for a point.
    pub fn peak_pressure(&self) -> f64 {
        if self.a > 0.0 { (self.exponent + 1.0) * (self.load / self.a) / (PI * self.b) } else { 0.0 }
    }

    /// Area (m²).
    pub fn area(&self) -> f64 {
        PI * self.a * self.b
    }

    /// Largest moment per normal load under two coefficients of friction, along `direction` (tangent basis) and across (m).
    ///
    /// A turn moves the point r with J r; friction takes |D J r| of the pressure there, D the coefficients. D J maps
    /// the patch onto another ellipse, whose perimeter gives the moment as for one coefficient.
    pub fn largest_moment(&self, mu_along: f64, mu_across: f64, direction: &Vector2<f64>) -> f64 {
        let d = Vector2::new(self.axis.dot(direction), self.axis.perp(direction));
        largest_moment(self.a, self.b, self.exponent, (mu_along, mu_across), &d)
    }

    /// e_n as the paper has it, with √(ab) for the perimeter over 2π (m): for comparison only.
    pub fn e_n_of_root_ab(&self) -> f64 {
        torsion_factor(self.exponent) * (self.a * self.b).sqrt()
    }
}

/// [`Patch::largest_moment`] for a patch with semi-axes a and b along the axes in which `direction` is told.
pub(crate) fn largest_moment(a: f64, b: f64, exponent: f64, mu: (f64, f64), direction: &Vector2<f64>) -> f64 {
    // Images of the ends of both semi-axes under D J, in the axes of friction.
    let d = direction.normalize();
    let image = |r: Vector2<f64>| {
        let v = Vector2::new(-r.y, r.x);
        Vector2::new(mu.0 * d.dot(&v), mu.1 * d.perp(&v))
    };
    let (one, other) = (image(Vector2::new(a, 0.0)), image(Vector2::new(0.0, b)));
    // Singular values of [one other] are the semi-axes of the image.
    let gram = nalgebra::Matrix2::new(one.dot(&one), one.dot(&other), one.dot(&other), other.dot(&other));
    let axes = crate::symmetric::eigen(&gram);
    torsion_factor(exponent) * perimeter(axes.high.sqrt(), axes.low.max(0.0).sqrt()) / (2.0 * PI)
}

/// Hertz: a ∝ √δ, so stiffness grows as a, the torsional one as a³.
const HERTZ_GROWTH: Growth = Growth { tangential: 0.5, torsional: 1.5, e_n: 0.5 };

#[inline]
fn hertz_patch(
    shape: &hertz::Shape,
    curvature: &RelativeCurvature,
    a: f64,
    approach: f64,
    e_star: f64,
    shear: &ShearCompliance,
) -> Patch {
    if approach <= 0.0 || a == 0.0 {
        return Patch::point(curvature, approach, 0.5, HERTZ_GROWTH);
    }
    let b = shape.kappa * a;
    let per_approach = shape.stiffness() * e_star * a;
    let load = per_approach * approach;
    Patch {
        a,
        b,
        axis: curvature.axis,
        load,
        approach,
        exponent: 0.5,
        energy: 0.4 * load * approach,
        normal_stiffness: 1.5 * per_approach,
        stiffness: shear::half_spaces(a, shape.kappa, &shape.integrals, shear),
        // T_½ L/2π = (3π/16)(4 a E)/2π.
        e_n: 0.375 * a * shape.integrals.e,
        growth: HERTZ_GROWTH,
        capped: false,
    }
}

/// Foundation: area ∝ δ.
const FOUNDATION_GROWTH: Growth = Growth { tangential: 1.0, torsional: 2.0, e_n: 0.5 };

#[inline]
fn foundation_patch(layer: &Foundation, curvature: &RelativeCurvature, approach: f64, shear_per_depth: f64) -> Patch {
    if approach <= 0.0 {
        return Patch::point(curvature, approach, layer.exponent, FOUNDATION_GROWTH);
    }
    let (a, b) = ((2.0 * approach / curvature.low).sqrt(), (2.0 * approach / curvature.high).sqrt());
    let peak_pressure = layer.peak_pressure(approach);
    let k = layer.exponent;
    let load = PI * a * b * peak_pressure / (k + 1.0);
    Patch {
        a,
        b,
        axis: curvature.axis,
        load,
        approach,
        exponent: k,
        energy: load * approach / (k + 2.0),
        normal_stiffness: (k + 1.0) * load / approach,
        stiffness: shear::layer(a, b, shear_per_depth),
        e_n: torsion_factor(k) * perimeter(a, b) / (2.0 * PI),
        growth: FOUNDATION_GROWTH,
        capped: false,
    }
}
