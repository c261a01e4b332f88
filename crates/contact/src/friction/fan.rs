//! # Fan: mean distance from a point to a polygon, weighted with a linear pressure
//!
//! - **in**: [`LinearPressure`], its size and load
//! - **out**: [`Turn`]: H(c) = ∬ p |r − c| dA with gradient and Hessian, for unit load and size
//! - **start at** [`Fan::turn`]
//!
//! H is a sum over triangles from the centre of rotation c to every edge, signed, each closed. For an edge at distance d
//! along its outward normal n̂, direction t̂, with ψ from n̂, e = n̂ cos ψ + t̂ sin ψ, r ≤ d sec ψ, p = α + r (γ_n cos ψ + γ_t sin ψ), α = p(c), A = ∫ sec = asinh tan ψ:
//!
//! ```text
//! H:     α d³/3 I₃ + d⁴/4 (γ_n I₃ + γ_t sec³/3),                      I₃ = ∫ sec³ = ½ (sec tan + A)
//! −∇H:   n̂ [α d²/2 A + d³/3 (γ_n A + γ_t sec)] + t̂ [α d²/2 sec + d³/3 (γ_n sec + γ_t ½ (sec tan − A))]
//! H″:    n̂n̂ᵀ [α d (A − sin) + d²/2 (γ_n (A − sin) + γ_t (sec + cos))]
//!        t̂t̂ᵀ [α d sin + d²/2 (γ_n sin − γ_t cos)],   n̂t̂ᵀ [α d cos + d²/2 (γ_n cos − γ_t (A − sin))]
//! ```
//!
//! taken between the ends of the edge (H(c) = ∬ p |r − c| dA as in `turning`).

use super::linear_pressure::LinearPressure;
use super::lines::{Family, rule};
use super::polygon::Polygon;
use super::turning::{Turn, Turning};
use nalgebra::{Matrix2, Vector2};

/// A flat contact in units of its load and size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fan {
    region: Polygon,
    at_origin: f64,
    slope: Vector2<f64>,
    first: Vector2<f64>,
    second: Matrix2<f64>,
}

/// Centres of rotation farther than this (in sizes) see the region so flat that the closed sums, which cancel as c³, lose
/// more than eight points of Gauss each way do: those leave (1/16)¹⁶.
const DISTANT: f64 = 8.0;

impl Fan {
    pub fn new(pressure: &LinearPressure, size: f64, load: f64) -> Self {
        let region = pressure.region.moved(&Vector2::zeros(), 1.0 / size);
        let (at_origin, slope) = (pressure.at_origin * size * size / load, pressure.slope * (size.powi(3) / load));
        let [x, y, xx, xy, yy] = region.integrate(|r| {
            let p = at_origin + slope.dot(r);
            [p * r.x, p * r.y, p * r.x * r.x, p * r.x * r.y, p * r.y * r.y]
        });
        Self { region, at_origin, slope, first: Vector2::new(x, y), second: Matrix2::new(xx, xy, xy, yy) }
    }

    /// Plain cubature over triangles about the first vertex, r = o + u (p − o) + u v (q − p), for a smooth |r − c|.
    fn distant(&self, c: &Vector2<f64>) -> Turn {
        let rule = rule(Family::Gauss, 8.0);
        // Nodes and weights on (0, 1).
        let node = |i: usize| (0.5 + 0.5 * rule.sine[i], 0.5 * rule.weight[i] * rule.cosine[i]);
        let mut turn = Turn { value: 0.0, gradient: Vector2::zeros(), hessian: Matrix2::zeros() };
        let o = self.region.vertices()[0];
        for (p, q) in self.region.edges() {
            let area = (p - o).perp(&(q - o));
            for i in 0..rule.sine.len() {
                let (u, weight_u) = node(i);
                for j in 0..rule.sine.len() {
                    let (v, weight_v) = node(j);
                    let r = o + (p - o) * u + (q - p) * (u * v);
                    let part = area * u * weight_u * weight_v * (self.at_origin + self.slope.dot(&r));
                    let distance = (r - c).norm();
                    let e = (r - c) / distance;
                    let across = Vector2::new(-e.y, e.x);
                    turn.value += part * distance;
                    turn.gradient -= e * part;
                    turn.hessian += across * across.transpose() * (part / distance);
                }
            }
        }
        turn
    }
}

impl Turning for Fan {
    fn turn(&self, c: &Vector2<f64>) -> Turn {
        if c.norm() > DISTANT {
            return self.distant(c);
        }
        let alpha = self.at_origin + self.slope.dot(c);
        let mut turn = Turn { value: 0.0, gradient: Vector2::zeros(), hessian: Matrix2::zeros() };
        for (p, q) in self.region.edges() {
            let along = q - p;
            let length = along.norm();
            if length == 0.0 {
                continue;
            }
            let mut t = along / length;
            let mut n = Vector2::new(t.y, -t.x);
            let mut d = n.dot(&(p - c));
            // Seen from beyond the edge, the triangle counts negative: the axes turn by half a turn, the ends do not swap.
            if d < 0.0 {
                (t, n, d) = (-t, -n, -d);
            }
            if d == 0.0 {
                continue;
            }
            let sums = Sums::between(d, t.dot(&(p - c)), t.dot(&(q - c)));
            add_edge(&mut turn, alpha, &self.slope, d, &n, &t, &sums);
        }
        turn.gradient = -turn.gradient;
        turn
    }

    fn first(&self) -> Vector2<f64> {
        self.first
    }

    fn second(&self) -> Matrix2<f64> {
        self.second
    }
}

/// Differences between the ends of an edge of the functions of ψ in the module's text.
struct Sums {
    asinh: f64,
    sec: f64,
    sec_tan: f64,
    sec3: f64,
    sin: f64,
    cos: f64,
}

impl Sums {
    fn between(d: f64, y0: f64, y1: f64) -> Self {
        let (r0, r1) = (d.hypot(y0), d.hypot(y1));
        // R₁ − R₀ = (y₁ − y₀)(y₁ + y₀)/(R₁ + R₀): a difference of like numbers for centres far away.
        let rise = (y1 - y0) * (y1 + y0) / (r1 + r0);
        let sec3 = rise * (r1 * r1 + r1 * r0 + r0 * r0) / (d * d * d);
        Self {
            asinh: (y1 / d).asinh() - (y0 / d).asinh(),
            sec: rise / d,
            sec_tan: (r1 * y1 - r0 * y0) / (d * d),
            sec3,
            sin: y1 / r1 - y0 / r0,
            cos: -d * rise / (r0 * r1),
        }
    }
}

/// The contribution of one edge; the gradient gathers −∇H.
fn add_edge(turn: &mut Turn, alpha: f64, slope: &Vector2<f64>, d: f64, n: &Vector2<f64>, t: &Vector2<f64>, s: &Sums) {
    let (gn, gt) = (slope.dot(n), slope.dot(t));
    let cube = 0.5 * (s.sec_tan + s.asinh);
    turn.value += d.powi(3) / 3.0 * alpha * cube + d.powi(4) / 4.0 * (gn * cube + gt * s.sec3 / 3.0);
    let (a2, g3) = (alpha * d * d / 2.0, d.powi(3) / 3.0);
    let push_n = a2 * s.asinh + g3 * (gn * s.asinh + gt * s.sec);
    let push_t = a2 * s.sec + g3 * (gn * s.sec + gt * 0.5 * (s.sec_tan - s.asinh));
    turn.gradient += n * push_n + t * push_t;
    let (a1, g2) = (alpha * d, d * d / 2.0);
    let rest = s.asinh - s.sin;
    let nn = a1 * rest + g2 * (gn * rest + gt * (s.sec + s.cos));
    let tt = a1 * s.sin + g2 * (gn * s.sin - gt * s.cos);
    let nt = a1 * s.cos + g2 * (gn * s.cos - gt * rest);
    let mixed = n * t.transpose() * nt;
    turn.hessian += n * n.transpose() * nn + t * t.transpose() * tt + mixed + mixed.transpose();
}
