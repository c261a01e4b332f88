//! # Line patch: a contact along a line or around a ring
//!
//! `query patch` ──(curve, curvature across, load)──▶ **here** ──▶ half-width, pressure, approach, stiffness, e_n
//!
//! - **in**: the curve along which the bodies touch, the relative curvature across it (1/m), approach (m) or load (N)
//! - **out**: [`LinePatch`]: half-width b and load per length p′ are the same all along the curve
//! - **not here**: curves whose depth changes along them (tilted or barrelled bodies); caps and rims at the ends of a
//!   line; patches that curvature ends ([`super::PatchTheory`])
//! - **assumes**: b is small against the radius across and against the curve; the approach is even along the curve
//! - **start at** [`LineContact::under_load`]; `half_spaces` has the approach of elastic bodies
//!
//! Across the curve the problem is plane. With c = 1/R″ the relative curvature across and p′ = P/Λ the load per length
//! (Λ = 2L for a line of half-length L, 2πR for a ring),
//!
//! ```text
//! half-spaces (Johnson, §4.2(c)):  b² = 4p′R″/(πE*),   p₀ = 2p′/(πb)
//! layer, p = K (d/h)^k:            b² = 2δR″,          p₀ = K (δ/h)^k,   p′ = β_k b p₀,   V = P δ/(k + 3/2)
//!                                  β_k = ∫₋₁¹ (1 − t²)^k dt = √π Γ(k + 1)/Γ(k + 3/2)   (4/3 for k = 1, π/2 for ½)
//! ```
//!
//! The plane problem of half-spaces has no approach of its own, since a line load displaces the surface by a logarithm:
//! the approach depends on where the curve ends or closes (`half_spaces`). A layer's is local.
//!
//! **e_n** is the mean distance of the pressure from the middle. Along an even line the integral is closed,
//! (1/L) ∫₀ᴸ √(s² + y²) ds = ½ (√(L² + y²) + (y²/L) asinh(L/y)), and tends to L/2 for a narrow one; across, a Gauss
//! rule over *half* the width is used, because |y| has a kink. On a ring the distance is R + y and the area element
//! grows as 1 + y/R, so e_n = R + ⟨y²⟩/R with ⟨y²⟩ = b²/(2k + 3).

mod half_spaces;

use super::foundation::{Foundation, gamma_ratio};
use super::{PatchError, PatchStiffness, Pressed};
use crate::quadrature::gauss;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// The curve along which two bodies touch, in their common tangent plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// A straight line that both ends cut square.
    Line {
        /// Half its length, L (m).
        half_length: f64,
    },
    /// A closed circle: a torus or the foot ring of a glass on a flat.
    Ring {
        /// Its radius, R (m).
        radius: f64,
    },
}

/// A contact that is even along a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineContact {
    /// Where the bodies touch.
    pub curve: Curve,
    /// Relative curvature across the curve, c = 1/R″ (1/m): both bodies' curvatures added.
    pub curvature_across: f64,
}

/// The patch of a [`LineContact`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinePatch {
    /// Half-width b across the curve (m).
    pub half_width: f64,
    /// Pressure in the middle of the width (Pa).
    pub peak_pressure: f64,
    /// Normal load (N).
    pub load: f64,
    /// Load per length of the curve, p′ (N/m).
    pub line_load: f64,
    /// Approach of the bodies, −gap (m).
    pub approach: f64,
    /// Exponent k of the pressure p = p₀ (1 − y²/b²)^k across.
    pub exponent: f64,
    /// Energy stored by pressing (J).
    pub energy: f64,
    /// dP/dδ (N/m).
    pub normal_stiffness: f64,
    /// Stiffness before slip; of a ring `along` and `across` are the same. Exact for layers, an estimate for half-spaces.
    pub stiffness: PatchStiffness,
    /// e_n: largest moment over largest force of isotropic friction (m).
    pub e_n: f64,
}

impl Curve {
    /// Λ, the whole length (m).
    pub fn length(&self) -> f64 {
        match *self {
            Curve::Line { half_length } => 2.0 * half_length,
            Curve::Ring { radius } => 2.0 * PI * radius,
        }
    }

    /// Mean distance of the pressure (1 − y²/b²)^k from the middle of the curve (m).
    fn mean_distance(&self, half_width: f64, exponent: f64) -> f64 {
        match *self {
            Curve::Ring { radius } => radius + half_width * (half_width / radius) / (2.0 * exponent + 3.0),
            Curve::Line { half_length } => {
                // t = sin θ makes the weight cos^(2k+1) θ, which is smooth to the rim.
                let over = |f: &dyn Fn(f64) -> f64| {
                    let piece = |from, to| {
                        gauss(from, to, |angle: f64| angle.cos().powf(2.0 * exponent + 1.0) * f(angle.sin()))
                    };
                    piece(0.0, FRAC_PI_4) + piece(FRAC_PI_4, FRAC_PI_2)
                };
                let share = half_width / half_length;
                let along = |t: f64| {
                    let q = share * t;
                    // Below, q² asinh(1/q) is lost to rounding.
                    let bent = if q > 1e-100 { q * q * (1.0 / q).asinh() } else { 0.0 };
                    0.5 * ((1.0 + q * q).sqrt() + bent)
                };
                half_length * over(&along) / over(&|_| 1.0)
            }
        }
    }
}

/// β_k = ∫ (1 − t²)^k over the width.
pub(crate) fn width_factor(exponent: f64) -> f64 {
    PI.sqrt() * gamma_ratio(exponent + 1.0)
}

impl LineContact {
    /// The patch under an approach δ (m); without contact (δ ≤ 0) a curve without width and load.
    pub fn at_approach(&self, pressed: &Pressed, approach: f64) -> Result<LinePatch, PatchError> {
        self.checked()?;
        if !approach.is_finite() {
            return Err(PatchError::NotFinite { what: "the approach", got: approach });
        }
        if approach <= 0.0 {
            return Ok(self.unloaded(pressed, approach));
        }
        let patch = match pressed {
            Pressed::HalfSpaces { e_star, shear } => half_spaces::at_approach(self, approach, *e_star, shear)?,
            Pressed::Foundation { layer, shear_per_depth } => self.on_layer(layer, approach, *shear_per_depth),
        };
        self.open(patch)
    }

    /// The patch under a load (N); a load of 0 or less gives a curve without width.
    pub fn under_load(&self, pressed: &Pressed, load: f64) -> Result<LinePatch, PatchError> {
        self.checked()?;
        if !load.is_finite() {
            return Err(PatchError::NotFinite { what: "the load", got: load });
        }
        if load <= 0.0 {
            return Ok(self.unloaded(pressed, 0.0));
        }
        let patch = match pressed {
            Pressed::HalfSpaces { e_star, shear } => half_spaces::under_load(self, load, *e_star, shear),
            Pressed::Foundation { layer, shear_per_depth } => {
                // (δ/h)^(k + ½) = p′/(K β √(2h/c)): no power of a huge or tiny number by itself.
                let k = layer.exponent;
                let width = (2.0 * layer.depth / self.curvature_across).sqrt();
                let line_load = load / self.curve.length();
                let strain = (line_load / layer.modulus / width / width_factor(k)).powf(1.0 / (k + 0.5));
                let patch = self.on_layer(layer, strain * layer.depth, *shear_per_depth);
                LinePatch { load, line_load, ..patch }
            }
        };
        self.open(patch)
    }

    fn on_layer(&self, layer: &Foundation, approach: f64, shear_per_depth: f64) -> LinePatch {
        let k = layer.exponent;
        let b = (2.0 * approach / self.curvature_across).sqrt();
        let peak_pressure = layer.peak_pressure(approach);
        let line_load = width_factor(k) * b * peak_pressure;
        let load = line_load * self.curve.length();
        let shear = shear_per_depth * 2.0 * b * self.curve.length();
        // ∬ r² dA over the area of the patch: a rectangle, or the ring between R − b and R + b.
        let mean_square = match self.curve {
            Curve::Line { half_length } => (half_length * half_length + b * b) / 3.0,
            Curve::Ring { radius } => radius * radius + b * b,
        };
        LinePatch {
            half_width: b,
            peak_pressure,
            load,
            line_load,
            approach,
            exponent: k,
            energy: load * approach / (k + 1.5),
            normal_stiffness: (k + 0.5) * load / approach,
            stiffness: PatchStiffness { along: shear, across: shear, torsional: shear * mean_square },
            e_n: self.curve.mean_distance(b, k),
        }
    }

    /// A curve without load: what grows from it has e_n of the curve.
    fn unloaded(&self, pressed: &Pressed, approach: f64) -> LinePatch {
        let exponent = match pressed {
            Pressed::HalfSpaces { .. } => 0.5,
            Pressed::Foundation { layer, .. } => layer.exponent,
        };
        LinePatch {
            half_width: 0.0,
            peak_pressure: 0.0,
            load: 0.0,
            line_load: 0.0,
            approach,
            exponent,
            energy: 0.0,
            normal_stiffness: 0.0,
            stiffness: PatchStiffness { along: 0.0, across: 0.0, torsional: 0.0 },
            e_n: self.curve.mean_distance(0.0, exponent),
        }
    }

    fn checked(&self) -> Result<(), PatchError> {
        let (what, size) = match self.curve {
            Curve::Line { half_length } => ("half the length of the line", half_length),
            Curve::Ring { radius } => ("the radius of the ring", radius),
        };
        for (what, got) in [(what, size), ("the curvature across the line", self.curvature_across)] {
            if !(got > 0.0 && got.is_finite()) {
                return Err(PatchError::NotPositive { what, got });
            }
        }
        Ok(())
    }

    /// A ring whose hole has closed is no ring.
    fn open(&self, patch: LinePatch) -> Result<LinePatch, PatchError> {
        match self.curve {
            Curve::Ring { radius } if patch.half_width >= radius => {
                Err(PatchError::RingCloses { radius, half_width: patch.half_width })
            }
            _ => Ok(patch),
        }
    }
}
