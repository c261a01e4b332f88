//! # Blended quadrics: value, gradient and Hessian of Σ w Q / Σ w
//!
//! - **in**: quadrics near a point, the point (m)
//! - **out**: [`FieldJet`], exact derivatives of one closed formula
//! - **not here**: where the quadrics come from (`stencil`), which are near (`grid`)
//! - **start at** [`Sums::add`]
//!
//! ```text
//! Q(d) = c + b·d + dᵀA d,   d = x − p
//! w = t⁴,   t = 1 − |d|²/r²  (0 beyond r);   thin walls: w ψ,   ψ = (1 − Q²/T²)³  (0 where |Q| ≥ T)
//! f = N/D,   D = Σ w,   N = Σ w Q
//! ∇f = (∇N − f ∇D)/D,   ∇²f = (∇²N − f ∇²D − ∇f ∇Dᵀ − ∇D ∇fᵀ)/D
//! ```
//!
//! w is C³ and ψ is C², so f is C². Both depend on the vertex and x only: f is one function, and a force −∇V(f)
//! does no work around a closed path.

use nalgebra::{Matrix3, Point3, Vector3};

/// A value with its gradient and Hessian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldJet {
    /// Value (m): zero on the surface, positive outside. Close to a distance, but not one: |∇f| is about 1.
    pub f: f64,
    /// Gradient.
    pub grad: Vector3<f64>,
    /// Hessian (1/m).
    pub hess: Matrix3<f64>,
}

/// The quadric of one vertex, in body axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quadric {
    /// The vertex (m).
    pub p: [f64; 3],
    /// 1/r² with r the radius of the weight (1/m²).
    pub inv_r2: f64,
    /// Value at the vertex (m).
    pub c: f64,
    /// Gradient at the vertex.
    pub b: [f64; 3],
    /// Half of the Hessian: xx, xy, xz, yy, yz, zz (1/m).
    pub a: [f64; 6],
    /// 1/T² with T the half thickness of the layer where the quadric counts (1/m²); 0: everywhere.
    pub inv_t2: f64,
}

impl Quadric {
    /// Value and gradient at displacement `d` from the vertex.
    #[inline(always)]
    pub fn value(&self, d: &[f64; 3]) -> (f64, [f64; 3]) {
        let (a, b) = (&self.a, &self.b);
        let ad = [
            a[0] * d[0] + a[1] * d[1] + a[2] * d[2],
            a[1] * d[0] + a[3] * d[1] + a[4] * d[2],
            a[2] * d[0] + a[4] * d[1] + a[5] * d[2],
        ];
        let q = self.c + (b[0] + ad[0]) * d[0] + (b[1] + ad[1]) * d[1] + (b[2] + ad[2]) * d[2];
        (q, [b[0] + 2.0 * ad[0], b[1] + 2.0 * ad[1], b[2] + 2.0 * ad[2]])
    }
}

/// Upper triangle of a symmetric matrix, row by row: the pairs of indices.
const PAIRS: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// Running sums D, N and their derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    d: f64,
    n: f64,
    gd: [f64; 3],
    gn: [f64; 3],
    hd: [f64; 6],
    hn: [f64; 6],
}

/// Weight below which a place counts as outside all supports: t = 10⁻³ for a single vertex. Nearer to the rim,
/// ∇²D/D ~ t⁻² takes more than half of the digits of the Hessian.
const LEAST_WEIGHT: f64 = 1e-12;

impl Sums {
    /// Adds the part of one vertex at `x` (m).
    #[inline(always)]
    pub fn add(&mut self, quadric: &Quadric, x: &Point3<f64>) {
        let d = [x.x - quadric.p[0], x.y - quadric.p[1], x.z - quadric.p[2]];
        let inv_r2 = quadric.inv_r2;
        let t = 1.0 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inv_r2;
        if t <= 0.0 {
            return;
        }
        let (q, g) = quadric.value(&d);
        let t2 = t * t;
        let (w, w1, w2) = (t2 * t2, -8.0 * t2 * t * inv_r2, 48.0 * t2 * inv_r2 * inv_r2);
        if quadric.inv_t2 == 0.0 {
            self.d += w;
            self.n += w * q;
            for k in 0..3 {
                self.gd[k] += w1 * d[k];
                self.gn[k] += w1 * q * d[k] + w * g[k];
            }
            for (k, (i, j)) in PAIRS.into_iter().enumerate() {
                let h = w2 * d[i] * d[j] + if i == j { w1 } else { 0.0 };
                self.hd[k] += h;
                self.hn[k] += h * q + w1 * (d[i] * g[j] + g[i] * d[j]) + 2.0 * w * quadric.a[k];
            }
        } else {
            self.add_thin(quadric, &d, q, &g, [w, w1, w2]);
        }
    }

    /// The same with the factor ψ(Q): W = w ψ, ∇W = ψ∇w + w ψ' ∇Q,
    /// ∇²W = ψ∇²w + ψ'(∇w∇Qᵀ + ∇Q∇wᵀ) + w(ψ'' ∇Q∇Qᵀ + ψ' ∇²Q).
    #[inline(always)]
    fn add_thin(&mut self, quadric: &Quadric, d: &[f64; 3], q: f64, g: &[f64; 3], [w, w1, w2]: [f64; 3]) {
        let s = quadric.inv_t2;
        let y = 1.0 - q * q * s;
        if y <= 0.0 {
            return;
        }
        let (psi, psi1, psi2) = (y * y * y, -6.0 * y * y * q * s, (24.0 * y * q * q * s - 6.0 * y * y) * s);
        let weight = w * psi;
        let (on_d, on_g) = (psi * w1, w * psi1);
        self.d += weight;
        self.n += weight * q;
        for k in 0..3 {
            let gw = on_d * d[k] + on_g * g[k];
            self.gd[k] += gw;
            self.gn[k] += gw * q + weight * g[k];
        }
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let (dg, gg) = (d[i] * g[j] + g[i] * d[j], g[i] * g[j]);
            let h = psi * (w2 * d[i] * d[j] + if i == j { w1 } else { 0.0 })
                + psi1 * w1 * dg
                + w * (psi2 * gg + 2.0 * psi1 * quadric.a[k]);
            self.hd[k] += h;
            self.hn[k] += h * q + on_d * dg + 2.0 * on_g * gg + 2.0 * weight * quadric.a[k];
        }
    }

    /// The blended field, or `None` outside all supports.
    #[inline]
    pub fn jet(&self) -> Option<FieldJet> {
        // A NaN weight (a NaN point) is no place either.
        if self.d.is_nan() || self.d <= LEAST_WEIGHT {
            return None;
        }
        let inv = 1.0 / self.d;
        let f = self.n * inv;
        let mut grad = Vector3::zeros();
        for k in 0..3 {
            grad[k] = (self.gn[k] - f * self.gd[k]) * inv;
        }
        let mut hess = Matrix3::zeros();
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let h = (self.hn[k] - f * self.hd[k] - grad[i] * self.gd[j] - self.gd[i] * grad[j]) * inv;
            hess[(i, j)] = h;
            hess[(j, i)] = h;
        }
        Some(FieldJet { f, grad, hess })
    }
}
