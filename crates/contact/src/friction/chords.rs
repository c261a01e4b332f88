//! # Chords: mean distance from a point to an elliptic patch, weighted with its pressure
//!
//! - **in**: aspect β = b/a, exponent k of p ∝ (1 − s²)^k, s² = x²/a² + y²/b²; a = 1, load 1
//! - **out**: [`Turn`]: H(c) = ∬ p |r − c| dA with gradient and Hessian
//! - **start at** [`Chords::turn`]
//!
//! In polar coordinates about c the integrals along a ray and the ray opposite join into one along the whole chord, which
//! is closed for every k; no inverse function is left. On the line c + τ e, with D = diag(1/a², 1/b²),
//!
//! ```text
//! 1 − s² = q (ℓ² − (τ − m)²),   q = eᵀDe,   n = cᵀDe,   m = −n/q,   ℓ² = Q/q²,   Q = (1 − cᵀDc) q + n²
//! ∫ (1 − s²)^k dτ = B_k Q^{k+½} q^{−k−1},    ∫ … τ dτ = m (…),    ∫ … τ² dτ = (m² + ℓ²/(2k+3)) (…)
//! H = ∫ |e| (n² + Q/(2k+3)) q⁻² C dψ,   ∇H = ∫ e n q⁻¹ C/|e| dψ,   H″ = ∫ (Je)(Je)ᵀ C/|e|³ dψ,
//! C = p0 B_k √β Q^{k+½} q^{−k−1},   e = (cos ψ, √β sin ψ),   0 ≤ ψ < π,   p0 = (k + 1)/πβ
//! ```
//!
//! With √β in e the two forms |e|² and q have the ratio a/b between their axes where the plain angle would give (a/b)²:
//! poles at √(b/a) from the real line and half the lines. Q is a third form; in its own axes Q = λ₁ (1 − S² sin²χ),
//! S < 1 for c inside, S > 1 outside, where only |sin χ| < 1/S meets the patch and sin χ = sin u/S makes it smooth.
//! For k = ½ inside, Q^{k+½} is a polynomial in c and so is H (module `hertzian`).
//!
//! Number of lines: the error falls as exp(−2 n atanh √β) (midpoints on a periodic function with poles there), and as
//! n^{−2k−3} while c is near the rim; measured in `tests/limit_surface.rs`, 1e-6 for a/b ≤ 10.

use super::hertzian::Hertzian;
use super::lines::{Family, Rule, rule};
use super::turning::{Turn, Turning};
use crate::symmetric::eigen;
use nalgebra::{Matrix2, Vector2};
use std::f64::consts::PI;

/// Pressures whose powers need no logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pressure {
    Uniform,
    Hertz(Hertzian),
    Winkler,
    Power,
}

/// An elliptic patch with a = 1, b = β ≤ 1, load 1, friction 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chords {
    pub beta: f64,
    root: f64,
    k: f64,
    factor: f64,
    lines: f64,
    /// 1; more in tests, to see what more lines would change.
    effort: f64,
    pressure: Pressure,
}

/// The form Q in its own axes: unit vector of λ₁ in (cos ψ, sin ψ), λ₁ > 0, and 1 − S² = λ₂/λ₁.
#[derive(Clone, Copy)]
struct Frame {
    axis: Vector2<f64>,
    high: f64,
    ratio: f64,
}

impl Chords {
    pub fn new(beta: f64, k: f64, torsion: f64) -> Self {
        let root = beta.sqrt();
        let pressure = if k == 0.5 {
            Pressure::Hertz(Hertzian::new(beta))
        } else if k == 1.0 {
            Pressure::Winkler
        } else if k == 0.0 {
            Pressure::Uniform
        } else {
            Pressure::Power
        };
        // exp(−2 n atanh √β) = 1e-6 with n = 7/atanh, more for the powers of c; the second is what c at the tips of long
        // patches asks for (fitted to the scan at the foot of this file).
        let rate = root.atanh();
        let lines = (8.0 + 7.0 / rate).max(4.5 + 9.5 / rate) + 4.0 * (k - 1.0).max(0.0);
        let effort = 1.0;
        let factor = (k + 1.0) / (PI * beta) * chord_factor(k, torsion) * root;
        Self { beta, root, k, factor, lines, effort, pressure }
    }

    /// Lines for midpoints with a pole of Q^{k+½} at `rate` from the real line: exp(−2 n rate) = 1e-7, until so many that the
    /// power of n which holds at the rim itself is better.
    fn midpoint_lines(&self, rate: f64, least: f64) -> f64 {
        let most = if self.k >= 1.0 { 1.75 } else { 4.0 };
        self.effort * (0.5 * self.lines + 8.5 / rate).min(most * self.lines).max(least * self.lines)
    }

    /// Lines of Gauss for S² = `s2`: the error is ρ^{−2n}, ρ the size of the ellipse through the nearest pole in x = S sin χ.
    /// The forms |e|² and q have theirs at χ₀ ± i atanh √β, nearest for χ₀ = 0, where ln ρ = asinh(S √(β/(1 − β))); cos χ = 0
    /// is at x = S ≥ √2.
    fn gauss_lines(&self, s2: f64) -> f64 {
        let pole = (s2 * self.beta / (1.0 - self.beta)).sqrt();
        let rate = (pole + (pole * pole + 1.0).sqrt()).ln();
        (self.effort * GAUSS / rate).max(12.0)
    }

    /// All lines meet the patch.
    fn inside(&self, at: &Vector2<f64>, frame: &Frame) -> Turn {
        // 1 − S² sin²χ = 0 at π/2 + i y with tanh² y = 1 − S².
        let rule = rule(Family::Midpoints, self.midpoint_lines(frame.ratio.sqrt().atanh(), 1.0));
        self.sum(at, frame, rule, 1.0, |sine, cosine, weight| Line {
            sine,
            cosine,
            weight,
            q: frame.high * (cosine * cosine + frame.ratio * sine * sine),
        })
    }

    /// Lines between the tangents from c, where |Q| = λ₁ cos²u; `sign` is that of Q.
    fn outside(&self, at: &Vector2<f64>, frame: &Frame, sign: f64) -> Turn {
        let s2 = 1.0 - frame.ratio;
        let s = 1.0 / s2.sqrt();
        // After x = sin u the integrand is (1 − x²)^{k+½} times a smooth one, a polynomial times that for k = ½, 3/2, …;
        // cos^{2k+2} u has the period π for whole k.
        let family = if (self.k - 0.5).fract() == 0.0 { Family::Gauss } else { Family::Midpoints };
        let lines = match family {
            Family::Gauss => self.gauss_lines(s2),
            // sin u = S at π/2 + i acosh S.
            Family::Midpoints if self.k.fract() == 0.0 => {
                self.midpoint_lines(s2.sqrt().acosh(), if s2 > 4.0 { 0.6 } else { 1.0 })
            }
            // Ends that are not smooth: an error of n^{−2k−3} wherever c is.
            Family::Midpoints => self.effort * 4.0 * self.lines,
        };
        let rule = rule(family, lines);
        self.sum(at, frame, rule, sign, |sine, cosine, weight| {
            let sine = sine * s;
            let along = (1.0 - sine * sine).sqrt();
            Line { sine, cosine: along, weight: weight * cosine * s / along, q: frame.high * cosine * cosine }
        })
    }

    fn sum(
        &self,
        at: &Vector2<f64>,
        frame: &Frame,
        rule: Rule,
        sign: f64,
        line: impl Fn(f64, f64, f64) -> Line,
    ) -> Turn {
        let k = self.k;
        match self.pressure {
            Pressure::Uniform => self.add(at, frame, rule, sign, line, |q, over| q.sqrt() * over),
            Pressure::Hertz(_) => self.add(at, frame, rule, sign, line, |q, over| q * over * over.sqrt()),
            Pressure::Winkler => self.add(at, frame, rule, sign, line, |q, over| q * q.sqrt() * over * over),
            Pressure::Power => self.add(at, frame, rule, sign, line, |q, over| q.powf(k + 0.5) * over.powf(k + 1.0)),
        }
    }

    /// The sums over the lines, four at a time so that the compiler may pair them.
    #[inline(always)]
    fn add(
        &self,
        at: &Vector2<f64>,
        frame: &Frame,
        rule: Rule,
        sign: f64,
        line: impl Fn(f64, f64, f64) -> Line,
        power: impl Fn(f64, f64) -> f64,
    ) -> Turn {
        let (beta, root) = (self.beta, self.root);
        let (hx, hy) = (frame.axis.x, frame.axis.y);
        let (nx, ny) = (at.x, at.y / root);
        let share = sign / (2.0 * self.k + 3.0);
        let mut sums = [[0.0; LANES]; 6];
        let chunks = rule.sine.chunks_exact(LANES).zip(rule.cosine.chunks_exact(LANES));
        for ((sines, cosines), weights) in chunks.zip(rule.weight.chunks_exact(LANES)) {
            for i in 0..LANES {
                let l = line(sines[i], cosines[i], weights[i]);
                let (c, s) = (l.cosine * hx - l.sine * hy, l.cosine * hy + l.sine * hx);
                let (form, size2) = (beta * c * c + s * s, c * c + beta * s * s);
                let both = 1.0 / (form * size2);
                let (over_q, over_size2, size) = (beta * size2 * both, form * both, size2.sqrt());
                let (x, y) = (c, root * s);
                let n = nx * c + ny * s;
                let chord = l.weight * power(l.q, over_q);
                let push = chord * n * over_q * size * over_size2;
                let bend = chord * size * over_size2 * over_size2;
                sums[0][i] += chord * size * (n * n + l.q * share) * over_q * over_q;
                sums[1][i] += push * x;
                sums[2][i] += push * y;
                sums[3][i] += bend * y * y;
                sums[4][i] -= bend * x * y;
                sums[5][i] += bend * x * x;
            }
        }
        let [value, gx, gy, xx, xy, yy] = sums.map(|s| s.iter().sum::<f64>() * self.factor);
        Turn { value, gradient: Vector2::new(gx, gy), hessian: Matrix2::new(xx, xy, xy, yy) }
    }

    /// Q as a form in (cos ψ, sin ψ), X = c_x and Y = c_y/β: ((1 − Y², XY/√β), (…, (1 − X²)/β)), without differences.
    fn frame(&self, at: &Vector2<f64>) -> Frame {
        let off = at.x * at.y / self.root;
        let form = Matrix2::new(1.0 - at.y * at.y, off, off, (1.0 - at.x * at.x) / self.beta);
        let axes = eigen(&form);
        let depth = 1.0 - at.norm_squared();
        // The determinant is (1 − X² − Y²)/β, better than the product of the entries near the rim.
        let ratio = depth / (self.beta * axes.high * axes.high);
        Frame { axis: Vector2::new(axes.axis.y, -axes.axis.x), high: axes.high, ratio }
    }
}

const LANES: usize = 4;

/// ½ ln(1e-10): two decades for the factors before ρ^{−2n} and one to spare.
const GAUSS: f64 = 13.5;

/// One line: direction in the axes of Q, weight, and Q itself.
#[derive(Clone, Copy)]
struct Line {
    sine: f64,
    cosine: f64,
    weight: f64,
    q: f64,
}

impl Turning for Chords {
    #[inline]
    fn turn(&self, c: &Vector2<f64>) -> Turn {
        let at = Vector2::new(c.x, c.y / self.beta);
        let depth = 1.0 - at.norm_squared();
        if let Pressure::Hertz(whole) = &self.pressure {
            if depth >= 0.0 {
                return whole.turn(&at, self.beta);
            }
            let frame = self.frame(&at);
            if frame.ratio > -1.0 {
                // Fewer lines miss the patch than meet it. The polynomial counts them too, with their negative Q: take
                // them away again.
                let missing = Frame {
                    axis: Vector2::new(-frame.axis.y, frame.axis.x),
                    high: -frame.ratio * frame.high,
                    ratio: 1.0 / frame.ratio,
                };
                let (all, more) = (whole.turn(&at, self.beta), self.outside(&at, &missing, -1.0));
                return Turn {
                    value: all.value + more.value,
                    gradient: all.gradient + more.gradient,
                    hessian: all.hessian + more.hessian,
                };
            }
            return self.outside(&at, &frame, 1.0);
        }
        let frame = self.frame(&at);
        if depth >= 0.0 { self.inside(&at, &frame) } else { self.outside(&at, &frame, 1.0) }
    }

    fn first(&self) -> Vector2<f64> {
        Vector2::zeros()
    }

    /// ⟨x²⟩ = a²/2(k + 2): a quarter of a² for a uniform disc.
    fn second(&self) -> Matrix2<f64> {
        let x = 0.5 / (self.k + 2.0);
        Matrix2::new(x, 0.0, 0.0, x * self.beta * self.beta)
    }
}

/// B_k = ∫₋₁¹ (1 − t²)^k dt = 2 T_k (k + 3/2)/(k + 1), since B_{k+1} = 2 T_k and B_{k+1}/B_k = (k + 1)/(k + 3/2).
fn chord_factor(k: f64, torsion: f64) -> f64 {
    2.0 * torsion * (k + 1.5) / (k + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::foundation::torsion_factor;

    /// The number of lines suffices everywhere: a dense scan of centres against the largest rule, whose own error is seen
    /// from outside in `tests/limit_surface.rs`.
    #[test]
    fn lines_suffice_for_all_places_of_the_centre() {
        for k in [0.0, 0.5, 1.0] {
            for aspect in [1.0, 1.1, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0] {
                let few = Chords::new(1.0 / aspect, k, torsion_factor(k));
                let mut many = few;
                many.effort = 1e9;
                let (mut worst, mut place) = (0.0f64, (0.0, 0.0));
                for i in 0..160 {
                    // Inside, then outside, denser near the rim on both sides.
                    let u = f64::from(i % 80) / 80.0;
                    let s = if i < 80 { 1.0 - (1.0 - u).powi(3) } else { 1.0 / (1.0 - (1.0 - u).powi(3)).max(1e-2) };
                    for j in 0..=30 {
                        let theta = 0.5 * PI * f64::from(j) / 30.0;
                        let c = Vector2::new(s * theta.cos(), s * theta.sin() / aspect);
                        let (a, b) = (few.turn(&c), many.turn(&c));
                        let moment = (a.value - b.value - c.dot(&(a.gradient - b.gradient))).abs();
                        let error = (a.gradient - b.gradient).amax().max(moment / (torsion_factor(k) * 2.0 / PI));
                        if error > worst {
                            (worst, place) = (error, (s, theta));
                        }
                    }
                }
                println!("k {k} a/b {aspect}: {worst:.1e} at s {:.4}, {:.2} rad", place.0, place.1);
                assert!(worst < if aspect > 10.0 { 1e-5 } else { 1e-6 }, "k {k} a/b {aspect}: {worst:e} {place:?}");
            }
        }
    }
}
