//! # Blended quadrics: value, gradient and Hessian of Σ w Q / Σ w
//!
//! - **in**: quadrics near a point, the point (m)
//! - **out**: [`FieldJet`], exact derivatives of one closed formula
//! - **not here**: where the quadrics come from (`stencil`), which are near (`grid`)
//! - **start at** [`Blend::add`]
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
use std::ops::{Add, Mul, Sub};

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
///
/// Two lines of cache, and what tells whether it has weight at a place is in the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Quadric {
    /// The vertex (m).
    pub p: [f64; 3],
    /// 1/r² with r the radius of the weight (1/m²).
    pub inv_r2: f64,
    /// 1/T² with T the half thickness of the layer where the quadric counts (1/m²); 0: everywhere.
    pub inv_t2: f64,
    /// Value at the vertex (m).
    pub c: f64,
    /// Gradient at the vertex.
    pub b: [f64; 3],
    /// Half of the Hessian: xx, xy, xz, yy, yz, zz (1/m).
    pub a: [f64; 6],
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

/// What the formulas calculate with: one number, or two vertices at once.
trait Number: Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    fn of(x: f64) -> Self;
}

impl Number for f64 {
    #[inline(always)]
    fn of(x: f64) -> Self {
        x
    }
}

/// Two numbers side by side: processors of today take them in one step.
#[derive(Clone, Copy, Debug, Default)]
struct Pair([f64; 2]);

impl Number for Pair {
    #[inline(always)]
    fn of(x: f64) -> Self {
        Pair([x; 2])
    }
}

impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Pair([self.0[0] + o.0[0], self.0[1] + o.0[1]])
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Pair([self.0[0] - o.0[0], self.0[1] - o.0[1]])
    }
}

impl Mul for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Pair([self.0[0] * o.0[0], self.0[1] * o.0[1]])
    }
}

/// Running sums D, N and their derivatives. The Hessians are hd + hd_I I and hn + hn_I I.
#[derive(Clone, Copy, Debug, Default)]
struct Sums<T> {
    d: T,
    n: T,
    gd: [T; 3],
    gn: [T; 3],
    hd: [T; 6],
    hn: [T; 6],
    hd_I: T,
    hn_I: T,
}

/// Weight below which a place counts as outside all supports: t = 10⁻³ for a single vertex. Nearer to the rim,
/// ∇²D/D ~ t⁻² takes more than half of the digits of the Hessian.
const LEAST_WEIGHT: f64 = 1e-12;

impl<T: Number> Sums<T> {
    /// Adds a vertex, or two, that have weight at displacement(s) `d`; `part` picks a number of the quadric(s).
    ///
    /// ```text
    /// ∇²w = u dᵀ + w1 I,   u = w2 d;     ∇²(wQ) = s dᵀ + d sᵀ + w1 Q I + 2 w A,   s = ½ Q u + w1 ∇Q
    /// ```
    #[inline(always)]
    fn add(&mut self, d: [T; 3], part: impl Fn(fn(&Quadric) -> f64) -> T) {
        let a = [
            part(|q| q.a[0]),
            part(|q| q.a[1]),
            part(|q| q.a[2]),
            part(|q| q.a[3]),
            part(|q| q.a[4]),
            part(|q| q.a[5]),
        ];
        let b = [part(|q| q.b[0]), part(|q| q.b[1]), part(|q| q.b[2])];
        let inv_r2 = part(|q| q.inv_r2);
        let t = T::of(1.0) - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inv_r2;
        let ad = [
            a[0] * d[0] + a[1] * d[1] + a[2] * d[2],
            a[1] * d[0] + a[3] * d[1] + a[4] * d[2],
            a[2] * d[0] + a[4] * d[1] + a[5] * d[2],
        ];
        let g1 = [b[0] + ad[0], b[1] + ad[1], b[2] + ad[2]];
        let q = part(|q| q.c) + g1[0] * d[0] + g1[1] * d[1] + g1[2] * d[2];
        let g = [g1[0] + ad[0], g1[1] + ad[1], g1[2] + ad[2]];
        let t2 = t * t;
        let t2_r2 = t2 * inv_r2;
        let (w, w1, w2) = (t2 * t2, T::of(-8.0) * t * t2_r2, T::of(48.0) * t2_r2 * inv_r2);
        let (w1q, half_q, two_w) = (w1 * q, T::of(0.5) * q, w + w);
        self.d = self.d + w;
        self.n = self.n + w * q;
        self.hd_I = self.hd_I + w1;
        self.hn_I = self.hn_I + w1q;
        let u = d.map(|x| w2 * x);
        let mut s = [T::default(); 3];
        for k in 0..3 {
            self.gd[k] = self.gd[k] + w1 * d[k];
            self.gn[k] = self.gn[k] + (w1q * d[k] + w * g[k]);
            s[k] = half_q * u[k] + w1 * g[k];
        }
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            self.hd[k] = self.hd[k] + u[i] * d[j];
            self.hn[k] = self.hn[k] + (s[i] * d[j] + d[i] * s[j] + two_w * a[k]);
        }
    }
}

/// Vertices looked at before those with weight are added.
const BATCH: usize = 64;

/// The blend at one place, being collected.
///
/// Vertices with weight are first picked out, without a branch that would be guessed wrong half of the time, and then
/// added two by two; those of thin walls one by one. The k-th of its kind always goes to the same sum, so a list with
/// or without vertices that have no weight here gives the same bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blend {
    pairs: Sums<Pair>,
    /// Thin walls, and the last of an odd number.
    singles: Sums<f64>,
    /// A vertex that waits for its partner.
    odd: Option<u32>,
}

impl Blend {
    /// Adds the vertices of a list at `x` (m).
    #[inline(always)]
    pub fn add<'a>(&mut self, list: &[u32], quadric: &impl Fn(u32) -> &'a Quadric, x: &Point3<f64>) {
        for batch in list.chunks(BATCH) {
            let (mut plain, mut thin) = ([0; BATCH + 1], [0; BATCH + 1]);
            let (mut plains, mut thins) = (0, 0);
            if let Some(odd) = self.odd.take() {
                plain[0] = odd;
                plains = 1;
            }
            for &v in batch {
                let near = quadric(v);
                let d = [x.x - near.p[0], x.y - near.p[1], x.z - near.p[2]];
                let inside = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * near.inv_r2 < 1.0;
                let is_thin = near.inv_t2 > 0.0;
                plain[plains] = v;
                plains += usize::from(inside & !is_thin);
                thin[thins] = v;
                thins += usize::from(inside & is_thin);
            }
            let (pairs, rest) = plain[..plains].as_chunks::<2>();
            for &[v, w] in pairs {
                self.add_pair(quadric(v), quadric(w), x);
            }
            self.odd = rest.first().copied();
            for &v in &thin[..thins] {
                self.add_thin(quadric(v), x);
            }
        }
    }

    #[inline(always)]
    fn add_pair(&mut self, one: &Quadric, two: &Quadric, x: &Point3<f64>) {
        let part = |f: fn(&Quadric) -> f64| Pair([f(one), f(two)]);
        let d = [Pair::of(x.x) - part(|q| q.p[0]), Pair::of(x.y) - part(|q| q.p[1]), Pair::of(x.z) - part(|q| q.p[2])];
        self.pairs.add(d, part);
    }

    /// The same with the factor ψ(Q): W = w ψ, ∇W = ψ∇w + w ψ' ∇Q,
    /// ∇²W = ψ∇²w + ψ'(∇w∇Qᵀ + ∇Q∇wᵀ) + w(ψ'' ∇Q∇Qᵀ + ψ' ∇²Q).
    #[inline(always)]
    fn add_thin(&mut self, quadric: &Quadric, x: &Point3<f64>) {
        let d = [x.x - quadric.p[0], x.y - quadric.p[1], x.z - quadric.p[2]];
        let (q, g) = quadric.value(&d);
        let s = quadric.inv_t2;
        let y = 1.0 - q * q * s;
        if y <= 0.0 {
            return;
        }
        let inv_r2 = quadric.inv_r2;
        let t = 1.0 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * inv_r2;
        let t2 = t * t;
        let (w, w1, w2) = (t2 * t2, -8.0 * t2 * t * inv_r2, 48.0 * t2 * inv_r2 * inv_r2);
        let (psi, psi1, psi2) = (y * y * y, -6.0 * y * y * q * s, (24.0 * y * q * q * s - 6.0 * y * y) * s);
        let weight = w * psi;
        let (on_d, on_g) = (psi * w1, w * psi1);
        let sums = &mut self.singles;
        sums.d += weight;
        sums.n += weight * q;
        for k in 0..3 {
            let gw = on_d * d[k] + on_g * g[k];
            sums.gd[k] += gw;
            sums.gn[k] += gw * q + weight * g[k];
        }
        for (k, (i, j)) in PAIRS.into_iter().enumerate() {
            let (dg, gg) = (d[i] * g[j] + g[i] * d[j], g[i] * g[j]);
            let h = psi * (w2 * d[i] * d[j] + if i == j { w1 } else { 0.0 })
                + psi1 * w1 * dg
                + w * (psi2 * gg + 2.0 * psi1 * quadric.a[k]);
            sums.hd[k] += h;
            sums.hn[k] += h * q + on_d * dg + 2.0 * on_g * gg + 2.0 * weight * quadric.a[k];
        }
    }

    /// The blended field, or `None` outside all supports.
    #[inline(always)]
    pub fn jet<'a>(mut self, quadric: &impl Fn(u32) -> &'a Quadric, x: &Point3<f64>) -> Option<FieldJet> {
        if let Some(v) = self.odd {
            let one = quadric(v);
            let d = [x.x - one.p[0], x.y - one.p[1], x.z - one.p[2]];
            self.singles.add(d, |f| f(one));
        }
        let both = |pair: Pair, single: f64| pair.0[0] + pair.0[1] + single;
        let (pairs, singles) = (&self.pairs, &self.singles);
        let (hd_I, hn_I) = (both(pairs.hd_I, singles.hd_I), both(pairs.hn_I, singles.hn_I));
        let diagonal = |k: usize, h: f64| if PAIRS[k].0 == PAIRS[k].1 { h } else { 0.0 };
        let total = Total {
            d: both(pairs.d, singles.d),
            n: both(pairs.n, singles.n),
            gd: std::array::from_fn(|k| both(pairs.gd[k], singles.gd[k])),
            gn: std::array::from_fn(|k| both(pairs.gn[k], singles.gn[k])),
            hd: std::array::from_fn(|k| both(pairs.hd[k], singles.hd[k]) + diagonal(k, hd_I)),
            hn: std::array::from_fn(|k| both(pairs.hn[k], singles.hn[k]) + diagonal(k, hn_I)),
        };
        total.jet()
    }
}

/// The sums over all vertices.
struct Total {
    d: f64,
    n: f64,
    gd: [f64; 3],
    gn: [f64; 3],
    hd: [f64; 6],
    hn: [f64; 6],
}

impl Total {
    #[inline(always)]
    fn jet(&self) -> Option<FieldJet> {
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
