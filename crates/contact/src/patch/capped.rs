//! # Patches that the pad ends: a = extent
//!
//! - **in**: curvature, extent of the pad (m), approach
//! - **out**: the patch for the least curvature along it that keeps it on the pad
//! - **start at** [`foundation`], [`half_spaces`]; the rule is stated in [`super`]
//!
//! Slower than free patches (a root to find and an integral for the energy): some microseconds.

use super::elliptic::{Complete, perimeter};
use super::foundation::{Foundation, torsion_factor};
use super::relative_curvature::LINE_RATIO;
use super::shear::{self, ShearCompliance};
use super::{Growth, Patch, PatchError, PatchTheory, RelativeCurvature, hertz};
use crate::quadrature::gauss;
use std::f64::consts::PI;

/// A layer under a patch of fixed length: P ∝ δ^(k + ½) beyond the approach at which the pad is full.
pub(super) fn foundation(
    layer: &Foundation,
    curvature: &RelativeCurvature,
    extent: f64,
    approach: f64,
    shear_per_depth: f64,
) -> Patch {
    let k = layer.exponent;
    if approach <= 0.0 {
        let growth = Growth { tangential: 0.5, torsional: 0.5, e_n: 0.0 };
        return Patch { capped: true, ..Patch::point(curvature, approach, k, growth) };
    }
    let load_at = |delta: f64| {
        let b = (2.0 * delta / curvature.high).sqrt();
        PI * extent * b * layer.peak_pressure(delta) / (k + 1.0)
    };
    let b = (2.0 * approach / curvature.high).sqrt();
    let load = load_at(approach);
    // Full at δ_c; below it the free patch stored its own energy.
    let full = (0.5 * extent * extent * curvature.low).max(0.0);
    let before = if full > 0.0 { load_at(full) * full } else { 0.0 };
    let energy = before / (k + 2.0) + (load * approach - before) / (k + 1.5);
    let stiffness = shear::layer(extent, b, shear_per_depth);
    let e_n = torsion_factor(k) * perimeter(extent, b) / (2.0 * PI);
    // b may exceed the extent on a deep pad; the longer axis is then across.
    let (a, b, axis) = ordered(extent, b, curvature);
    let step = 1e-5;
    let growth_e_n = {
        let at = |factor: f64| perimeter(extent, (2.0 * approach * factor / curvature.high).sqrt());
        (at(1.0 + step) / at(1.0 - step)).ln() / (2.0 * step)
    };
    let short = 2.0 * approach / curvature.high;
    Patch {
        a,
        b,
        axis,
        load,
        approach,
        exponent: k,
        energy,
        normal_stiffness: (k + 0.5) * load / approach,
        stiffness,
        e_n,
        growth: Growth { tangential: 0.5, torsional: 0.5 + short / (extent * extent + short), e_n: growth_e_n },
        capped: true,
    }
}

fn ordered(along: f64, across: f64, curvature: &RelativeCurvature) -> (f64, f64, nalgebra::Vector2<f64>) {
    let axis = curvature.axis;
    if along >= across { (along, across, axis) } else { (across, along, nalgebra::Vector2::new(-axis.y, axis.x)) }
}

/// κ of a half-space patch of length `extent` under an approach: κ² K(κ)/J₂(κ) = 2 δ/(extent² l₂).
///
/// From R″ = P R_D(0, 1, κ²)-form of the Hertz equations with a given; the left side rises with κ.
fn kappa(target: f64) -> f64 {
    let side = |u: f64| {
        let kappa = u.exp();
        let c = Complete::new(kappa);
        (kappa * kappa * c.k / c.j2).ln() - target.ln()
    };
    let (mut low, mut high) = (-45.0_f64, 0.0_f64);
    if side(high) <= 0.0 {
        return 1.0;
    }
    let mut u = (0.5 * target.ln()).clamp(low, high);
    for _ in 0..100 {
        let value = side(u);
        if value > 0.0 {
            high = u
        } else {
            low = u
        }
        let step = 1e-5;
        let slope = (side((u + step).min(0.0)) - side(u - step)) / ((u + step).min(0.0) - (u - step));
        let mut next = u - value / slope;
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        if (next - u).abs() < 1e-15 * (1.0 + u.abs()) {
            return next.exp();
        }
        u = next;
    }
    u.exp()
}

/// Half-spaces under a patch of fixed length.
pub(super) fn half_spaces(
    curvature: &RelativeCurvature,
    extent: f64,
    approach: f64,
    e_star: f64,
    shear: &ShearCompliance,
) -> Patch {
    let growth = Growth { tangential: 0.0, torsional: 0.5, e_n: 0.0 };
    if approach <= 0.0 {
        return Patch { capped: true, ..Patch::point(curvature, approach, 0.5, growth) };
    }
    let at = |delta: f64| {
        let kappa = kappa(2.0 * delta / (extent * extent * curvature.high));
        let integrals = Complete::new(kappa);
        (kappa, integrals, 2.0 * PI / 3.0 * e_star / integrals.k * extent * delta)
    };
    let (kappa, integrals, load) = at(approach);
    // Energy: the free patch up to δ_c, then the load summed over the approach (Gauss, in √δ).
    let full = if curvature.low > LINE_RATIO * curvature.high {
        extent * extent * curvature.low / hertz::Shape::exact(curvature.ratio()).spread()
    } else {
        0.0
    };
    let before = if full > 0.0 { 0.4 * at(full).2 * full } else { 0.0 };
    let (from, to) = (full.sqrt(), approach.sqrt());
    let energy = before + in_pieces(|root| at(root * root).2 * 2.0 * root, from, to);
    let stiffness = shear::half_spaces(extent, kappa, &integrals, shear);
    let e_n = 0.375 * extent * integrals.e;
    let step = 1e-4;
    let (up, down) = (at(approach * (1.0 + step)), at(approach * (1.0 - step)));
    let slope = |f: &dyn Fn(&(f64, Complete, f64)) -> f64| (f(&up) / f(&down)).ln() / (2.0 * step);
    let stiff = |s: &(f64, Complete, f64)| shear::half_spaces(extent, s.0, &s.1, shear);
    Patch {
        a: extent,
        b: kappa * extent,
        axis: curvature.axis,
        load,
        approach,
        exponent: 0.5,
        energy,
        normal_stiffness: slope(&|s| s.2) * load / approach,
        stiffness,
        e_n,
        growth: Growth {
            tangential: slope(&|s| stiff(s).along),
            torsional: slope(&|s| stiff(s).torsional),
            e_n: slope(&|s| s.1.e),
        },
        capped: true,
    }
}

/// Gauss–Legendre on each of 8 pieces.
fn in_pieces(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let width = (to - from) / 8.0;
    (0..8).map(|piece| from + f64::from(piece) * width).map(|start| gauss(start, start + width, &f)).sum()
}

/// The capped patch under a load: bisection on ln δ, then secant; the load rises with the approach.
pub(super) fn under_load(theory: &PatchTheory, curvature: &RelativeCurvature, load: f64) -> Result<Patch, PatchError> {
    let patch_at = |log: f64| theory.at_approach(curvature, log.exp());
    let (mut low, mut high) = ((1e-300_f64).ln(), (1e300_f64).ln());
    let mut log = (theory.extent * theory.extent * curvature.high).ln().clamp(low, high);
    for _ in 0..200 {
        let patch = patch_at(log)?;
        if patch.load == load {
            return Ok(patch);
        }
        let value = if patch.load > 0.0 { (patch.load / load).ln() } else { f64::NEG_INFINITY };
        if value > 0.0 {
            high = log
        } else {
            low = log
        }
        // d ln P/d ln δ.
        let slope = patch.normal_stiffness * patch.approach / patch.load;
        let mut next = log - value / slope;
        if !(next > low && next < high) {
            next = 0.5 * (low + high);
        }
        if (next - log).abs() <= 1e-15 * (1.0 + log.abs()) {
            break;
        }
        log = next;
    }
    patch_at(log)
}
