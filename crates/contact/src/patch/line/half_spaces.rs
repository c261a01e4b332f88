//! # Elastic bodies along a curve: how far they approach
//!
//! - **in**: the curve, curvature across (1/m), E* (Pa), approach (m) or load (N)
//! - **out**: the [`LinePatch`] with approach, energy and stiffness of one potential
//! - **not here**: width and pressure as such, which are the plane problem's ([`super`])
//! - **assumes**: a slender contact; a line of half-length L ≥ 4b (the load errs by 6 % at 2.2 b, 13 % at 0.9 b)
//! - **start at** [`at_approach`]
//!
//! **Rings.** The line load p′ around a circle, with the plane problem's width, displaces by
//! δ = (2p′/πE*)(ln(16R/b) + ½); hence dP/dδ = π²RE*/ln(16R/b) and V = 2R (p′²/E*)(ln(16R/b) + ¼). Boundary elements
//! agree to 0.05 %.
//!
//! **Lines.** Pressed evenly, a line that ends has more load near its ends, so p′ = P/2L and b are means. The approach
//! comes from an energy that is exact for free ellipses (Hertz) and written for any depth δ(s) along the contact:
//!
//! ```text
//! V = (πE*/2√2) μ(X) N₂ g(X),   N₂ = ∫δ² ds,   g = 1 + η (S − S_p),   η = (4 + ln(1 + e^X))⁻²
//! ```
//!
//! μ is Hertz's own curve, μ = √(2D/K)/(2K) at R′/R″ = e^X; X is such that a parabolic depth has X = ln(R′/R″). S is
//! the variance that the logarithmic potential of the load p′ ∝ δ leaves over, S_p its value for a parabola. For an even
//! depth over |s| ≤ L that potential is ln(1 − u²) + const, u = s/L, whose mean is 2 ln 2 − 2 and variance 4 − π²/3, so
//!
//! ```text
//! N₂ = 2Lδ²,   X = ln(L²/(R″δ)) + 1/15 − ln(7/3),   S = 4 − π²/3
//! P = dV/dδ = (V/δ)(2 − F′/F),   dP/dδ = (V/δ²)(2 − 3F′/F + F″/F),   F = μ g,   ′ = d/dX
//! ```
//!
//! Hertz's energy at equal approach changes with 1/R′ by −½ P ⟨x²⟩ = −P a²/10, which gives d ln μ/dX = D/2K − ½ without
//! a difference. Against boundary elements the load of even lines with L/R″ of 0.5 … 5 errs by −0.2 … +1.6 %.

use super::{Curve, LineContact, LinePatch};
use crate::patch::elliptic::Complete;
use crate::patch::hertz::axis_ratio;
use crate::patch::shear::ShearCompliance;
use crate::patch::{PatchError, PatchStiffness};
use std::f64::consts::{LN_2, PI};

/// S of a parabolic depth, by quadrature of its definition (a test sums it again).
const S_PARABOLA: f64 = 0.460_084_682_446_84;

/// Beyond this X the integrals are their limits to rounding, and κ² would underflow.
const SLENDER: f64 = 60.0;

/// The patch under an approach δ > 0.
pub(super) fn at_approach(
    contact: &LineContact,
    approach: f64,
    e_star: f64,
    shear: &ShearCompliance,
) -> Result<LinePatch, PatchError> {
    match contact.curve {
        Curve::Line { half_length } => Ok(line(contact, half_length, approach, e_star, shear)),
        Curve::Ring { radius } => {
            // b² (ln(16R/b) + ½) = 2δ/c, by Newton in ln b; the left side rises while b < 16R.
            let target = (2.0 * approach / contact.curvature_across).ln();
            let log = |u: f64| (16.0 * radius).ln() - u + 0.5;
            if 2.0 * radius.ln() + log(radius.ln()).ln() <= target {
                return Err(PatchError::RingCloses { radius, half_width: radius });
            }
            let mut u = (0.5 * target).min(radius.ln());
            for _ in 0..50 {
                let step = (2.0 * u + log(u).ln() - target) / (2.0 - 1.0 / log(u));
                u = (u - step).min(radius.ln());
                if step.abs() <= 1e-15 * (1.0 + u.abs()) {
                    break;
                }
            }
            let line_load = 0.25 * PI * e_star * contact.curvature_across * (2.0 * u).exp();
            Ok(LinePatch { approach, ..ring(contact, radius, line_load, e_star, shear) })
        }
    }
}

/// The patch under a load > 0.
pub(super) fn under_load(contact: &LineContact, load: f64, e_star: f64, shear: &ShearCompliance) -> LinePatch {
    let line_load = load / contact.curve.length();
    match contact.curve {
        Curve::Ring { radius } => LinePatch { load, ..ring(contact, radius, line_load, e_star, shear) },
        Curve::Line { half_length } => {
            // Newton in ln δ: d ln P/d ln δ stays between 1 and 3/2, for long lines near 1, for short ones near 3/2.
            let short = (load / e_star * contact.curvature_across.sqrt()).powf(2.0 / 3.0);
            let mut log = (line_load / e_star).min(short).ln();
            let mut patch = line(contact, half_length, log.exp(), e_star, shear);
            for _ in 0..50 {
                let step = (patch.load / load).ln() / (patch.normal_stiffness / patch.load * patch.approach);
                log -= step;
                patch = line(contact, half_length, log.exp(), e_star, shear);
                if step.abs() <= 1e-15 * (1.0 + log.abs()) {
                    break;
                }
            }
            LinePatch { load, line_load, ..patch }
        }
    }
}

/// b = √(4p′/(πE*c)), p₀ = 2p′/(πb) (Johnson, eqs 4.43, 4.45).
fn plane_problem(contact: &LineContact, line_load: f64, e_star: f64) -> (f64, f64) {
    let b = (4.0 / PI * (line_load / e_star) / contact.curvature_across).sqrt();
    (b, 2.0 / PI * line_load / b)
}

fn ring(contact: &LineContact, radius: f64, line_load: f64, e_star: f64, shear: &ShearCompliance) -> LinePatch {
    let (half_width, peak_pressure) = plane_problem(contact, line_load, e_star);
    let log = (16.0 * radius / half_width).ln();
    let normal_stiffness = PI * PI * radius * e_star / log;
    // A ring acts like a slender ellipse with K = ln(4a/b), a = 4R. Half of a shift runs along it, all of a turn.
    let (along, across) = shear_shares(log, log - 1.0, e_star, shear);
    let shift = normal_stiffness * 0.5 * (along + across);
    LinePatch {
        half_width,
        peak_pressure,
        load: line_load * contact.curve.length(),
        line_load,
        approach: 2.0 / PI * (line_load / e_star) * (log + 0.5),
        exponent: 0.5,
        energy: 2.0 * radius * line_load * (line_load / e_star) * (log + 0.25),
        normal_stiffness,
        stiffness: PatchStiffness {
            along: shift,
            across: shift,
            torsional: normal_stiffness * along * radius * radius,
        },
        e_n: contact.curve.mean_distance(half_width, 0.5),
    }
}

fn line(contact: &LineContact, half_length: f64, approach: f64, e_star: f64, shear: &ShearCompliance) -> LinePatch {
    let x = 2.0 * half_length.ln() + contact.curvature_across.ln() - approach.ln() + 1.0 / 15.0 - (7.0_f64 / 3.0).ln();
    let hertz = HertzCurve::at(x);
    // η and its derivatives, with s = 4 + ln(1 + e^X).
    let s = 4.0 + x.max(0.0) + (-x.abs()).exp().ln_1p();
    let rise = 1.0 / (1.0 + (-x).exp());
    let excess = 4.0 - PI * PI / 3.0 - S_PARABOLA;
    let g = 1.0 + excess / (s * s);
    let g1 = -2.0 * excess * rise / s.powi(3) / g;
    let g2 = excess * rise * (6.0 * rise / s - 2.0 * (1.0 - rise)) / s.powi(3) / g;
    // Of F = μ g, over F.
    let first = hertz.first + g1;
    let second = hertz.second + hertz.first * hertz.first + 2.0 * hertz.first * g1 + g2;
    // V/δ² in full.
    let scale = PI * e_star / (2.0 * 2.0_f64.sqrt()) * hertz.value * g * 2.0 * half_length;
    let load = scale * approach * (2.0 - first);
    let line_load = load / contact.curve.length();
    let (half_width, peak_pressure) = plane_problem(contact, line_load, e_star);
    let normal_stiffness = scale * (2.0 - 3.0 * first + second);
    let (long, short) = shear_shares(hertz.k, hertz.d, e_star, shear);
    // X < 0: the ellipse is longer across the line.
    let (along, across) = if x >= 0.0 { (long, short) } else { (short, long) };
    let across = normal_stiffness * across;
    LinePatch {
        half_width,
        peak_pressure,
        load,
        line_load,
        approach,
        exponent: 0.5,
        energy: scale * approach * approach,
        normal_stiffness,
        // A turn moves the line across itself, by the distance from its middle: ⟨s²⟩ = L²/3.
        stiffness: PatchStiffness {
            along: normal_stiffness * along,
            across,
            torsional: across * half_length * half_length / 3.0,
        },
        e_n: contact.curve.mean_distance(half_width, 0.5),
    }
}

/// k_t/k_n of an ellipse along its longer and its shorter axis: 2πa/(e K + u D) and so on over πE*a/K (`patch::shear`).
fn shear_shares(k: f64, d: f64, e_star: f64, shear: &ShearCompliance) -> (f64, f64) {
    let share = |d: f64| 2.0 / (e_star * (shear.even + shear.uneven * d / k));
    (share(d), share(k - d))
}

/// μ(X) of Hertz's ellipses with the first two derivatives of ln μ.
struct HertzCurve {
    value: f64,
    first: f64,
    second: f64,
    k: f64,
    d: f64,
}

impl HertzCurve {
    fn at(x: f64) -> Self {
        let slender = x.abs();
        let (k, d, j2, j4) = if slender < SLENDER {
            let c = Complete::new(axis_ratio((-slender).exp()));
            (c.k, c.d, c.j2, c.j4)
        } else {
            // K = ln(4/κ), D = K − 1, J₂ = J₄ = 1, and R′/R″ = J₂/(κ²D): with K unknown, 2K − ln(K − 1) = X + 4 ln 2.
            let target = slender + 4.0 * LN_2;
            let mut k = 0.5 * target;
            for _ in 0..20 {
                k -= (2.0 * k - (k - 1.0).ln() - target) / (2.0 - 1.0 / (k - 1.0));
            }
            (k, k - 1.0, 1.0, 1.0)
        };
        let first = 0.5 * d / k - 0.5;
        // dK/d ln κ = −J₂, dD/d ln κ = −J₄; dX/d ln κ from d ln μ/d ln κ.
        let rate = (1.5 * j2 / k - 0.5 * j4 / d) / first;
        let second = 0.5 * (d * j2 / k - j4) / k / rate;
        let value = (2.0 * d / k).sqrt() / (2.0 * k);
        // An ellipse is the same turned by a quarter: μ(−X) = e^(X/2) μ(X).
        if x >= 0.0 {
            Self { value, first, second, k, d }
        } else {
            Self { value: value * (0.5 * slender).exp(), first: -0.5 - first, second, k, d }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ f(u, 1 − u²) over [−1, 1] by the double exponential rule, which ends' logarithms do not disturb.
    fn over_line(f: impl Fn(f64, f64) -> f64) -> f64 {
        let step = 1e-3;
        (-4000..=4000)
            .map(|i| {
                let t = f64::from(i) * step;
                let a = 0.5 * PI * t.sinh();
                let depth = 1.0 / a.cosh().powi(2);
                if depth < 1e-300 { 0.0 } else { f(a.tanh(), depth) * depth * 0.5 * PI * t.cosh() * step }
            })
            .sum()
    }

    /// S of a parabola and of an even line from their definition: the potential of the Legendre polynomial P_m is
    /// P_m (ln(1 − u²) − 2H_m), H_m harmonic numbers.
    #[test]
    fn variances_of_the_potential() {
        let potential = |u: f64, depth: f64| depth * depth.ln() + 3.0 * u * u - 1.0;
        let (n2, n3) = (over_line(|_, d| d * d), over_line(|_, d| d.powi(3)));
        let q = over_line(|u, d| d * potential(u, d)) / n2;
        let left = |u: f64, d: f64| (2.0 * q - 3.0) * d + 3.0 * n2 / n3 * d * d - 2.0 * potential(u, d);
        let s = over_line(|u, d| d * left(u, d).powi(2)) / (4.0 * n3);
        assert!((s - S_PARABOLA).abs() < 1e-12, "{s}");
        let even = over_line(|_, d| (2.0 * LN_2 - 2.0 - d.ln()).powi(2)) / 2.0;
        assert!((even - (4.0 - PI * PI / 3.0)).abs() < 1e-12, "{even}");
    }

    /// d ln μ/dX and its slope against differences of μ, and the limit for slender patches against the integrals.
    #[test]
    fn slopes_of_the_curve_match_differences() {
        for x in [-7.0, -0.3, 0.2, 1.0, 6.0, 25.0, 59.0, 61.0, 300.0] {
            let step = 1e-4;
            let (low, here, high) = (HertzCurve::at(x - step), HertzCurve::at(x), HertzCurve::at(x + step));
            // (1e-4)²/6 of the third derivative; rounding 1e-15/1e-4.
            let slope = (high.value / low.value).ln() / (2.0 * step);
            assert!((here.first - slope).abs() < 1e-9, "{x}: {} {slope}", here.first);
            let bend = (high.first - low.first) / (2.0 * step);
            assert!((here.second - bend).abs() < 1e-9, "{x}: {} {bend}", here.second);
        }
        let (below, above) = (HertzCurve::at(SLENDER - 1e-12), HertzCurve::at(SLENDER));
        assert!((below.value / above.value - 1.0).abs() < 1e-12);
    }
}
