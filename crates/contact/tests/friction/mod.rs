//! Second opinions on friction limits: sums over the patch that share no formula with the code under test.

use nalgebra::{Vector2, Vector3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Deterministic numbers in [0, 1): a multiplicative congruence of 64 bits.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }
}

/// Load of unit pressure load against a twist by a plain sum over cells of (s, f), x = a s cos f, y = b s sin f, with any
/// law of friction per pressure. Midpoints; the error is that of the cell around the centre of rotation.
#[allow(dead_code)] // each test file uses some of these
pub fn cells(
    (a, b): (f64, f64),
    k: f64,
    twist: &Vector3<f64>,
    friction: impl Fn(&Vector2<f64>) -> Vector2<f64>,
    n: usize,
) -> Vector3<f64> {
    let mut sum = Vector3::zeros();
    let mut total = 0.0;
    for i in 0..n {
        // s = sin α takes the edge off (1 − s²)^k.
        let alpha = FRAC_PI_2 * (i as f64 + 0.5) / n as f64;
        let (s, cos) = alpha.sin_cos();
        let weight = cos.powf(2.0 * k + 1.0) * s;
        for j in 0..2 * n {
            let f = TAU * (j as f64 + 0.5) / (2 * n) as f64;
            let (x, y) = (a * s * f.cos(), b * s * f.sin());
            let v = Vector2::new(twist.x - twist.z * y, twist.y + twist.z * x);
            let force = friction(&v);
            sum += Vector3::new(force.x, force.y, x * force.y - y * force.x) * weight;
            total += weight;
        }
    }
    sum / total
}

/// Load of unit friction and unit load against a twist by nested quadrature in polar coordinates about the centre of
/// rotation: half rays, numerical along each of them. Right to about 1e-9.
#[allow(dead_code)]
pub fn polar((a, b): (f64, f64), k: f64, twist: &Vector3<f64>) -> Vector3<f64> {
    let w = twist.z;
    let c = Vector2::new(-twist.y / w, twist.x / w);
    let (xc, yc) = (c.x / a, c.y / b);
    let depth = 1.0 - xc * xc - yc * yc;
    let mut sum = Vector3::zeros();
    let mut ray = |phi: f64, weight: f64| {
        let (sin, cos) = phi.sin_cos();
        // Roots of 1 − s² along the ray.
        let q = (cos / a).powi(2) + (sin / b).powi(2);
        let half = (xc * cos / a + yc * sin / b) / q;
        let disc = half * half + depth / q;
        if disc <= 0.0 {
            return;
        }
        let (middle, reach) = (-half, disc.sqrt());
        let from = (-middle / reach).clamp(-1.0, 1.0).asin();
        let n = 64;
        for i in 0..n {
            // r = middle + reach sin α; Gauss would do, midpoints of a periodised variable do as well: α = from + … (3u² − 2u³)
            let u = (i as f64 + 0.5) / n as f64;
            let span = FRAC_PI_2 - from;
            let alpha = from + span * (u * u * u * (10.0 + u * (6.0 * u - 15.0)));
            let jacobian = span * 30.0 * u * u * (1.0 - u) * (1.0 - u) / n as f64;
            let r = middle + reach * alpha.sin();
            let p = (q * (reach * alpha.cos()).powi(2)).powf(k);
            let area = weight * jacobian * reach * alpha.cos() * p * r;
            let (x, y) = (c.x + r * cos, c.y + r * sin);
            sum += Vector3::new(-sin, cos, x * cos + y * sin) * area;
        }
    };
    if depth >= 0.0 {
        let n = 8000;
        for j in 0..n {
            ray(TAU * (j as f64 + 0.5) / f64::from(n), TAU / f64::from(n));
        }
    } else {
        // Tangents to the unit circle from (xc, yc), carried back to the patch; toward the patch.
        let far = xc.hypot(yc);
        let (at, open) = (yc.atan2(xc) + PI, (1.0 / far).asin());
        let angle = |theta: f64| (b * theta.sin()).atan2(a * theta.cos());
        let (low, mut high) = (angle(at - open), angle(at + open));
        while high < low {
            high += TAU;
        }
        let n = 4000;
        for j in 0..n {
            let u = PI * ((j as f64 + 0.5) / f64::from(n) - 0.5);
            ray(0.5 * (low + high) + 0.5 * (high - low) * u.sin(), 0.5 * (high - low) * u.cos() * PI / f64::from(n));
        }
    }
    sum * (-w.signum() * (k + 1.0) / (PI * a * b))
}
