//! # Support: how far the wrenches of a grasp reach along a direction
//!
//! `grasp` ──▶ **here** ──(h(u), the farthest wrench)──▶ `descent`, `polytope`, `volume`
//!
//! - **in**: a grasp, e_n of each contact, which sums of loads are allowed
//! - **out**: the support function h(u) of the set of wrenches, the wrench that reaches it, smooth versions of h
//! - **not here**: its least value (`epsilon`)
//! - **start at** [`Reach::new`]
//!
//! ```text
//! g_i(u) = q_n + |(μ₁q₁, μ₂q₂, μ₁e_n q_τ)|,   q = G_iᵀu           a unit normal force with all its friction
//! L1: h = max(0, max g_i)          L∞: h = Σ limit_i max(0, g_i)
//! ```

use crate::Grasp;
use nalgebra::{Matrix6, Vector6};

/// Which sums of normal forces are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The sum of all is at most one.
    L1,
    /// Each is at most one (or its weight).
    Linf,
}

/// The set of wrenches that a grasp can make.
#[derive(Clone, Debug)]
pub struct Reach {
    norm: Norm,
    /// Columns of unit normal force and of the friction that goes with it, moments over the torque length.
    parts: Vec<[Vector6<f64>; 4]>,
    weights: Vec<f64>,
    /// A wrench that is there anyway.
    offset: Vector6<f64>,
}

/// h at a direction, smoothed.
pub struct Smooth {
    pub value: f64,
    pub gradient: Vector6<f64>,
    pub hessian: Matrix6<f64>,
}

impl Reach {
    /// Wrenches of unit normal forces, moments over the torque length.
    pub fn new(grasp: &Grasp, e_n: &[f64], norm: Norm) -> Self {
        let part = |(k, e_n): (usize, &f64)| {
            let (map, scales) = (grasp.map_about(k, &grasp.reference), grasp.contacts[k].scales(*e_n));
            [0, 1, 2, 3].map(|c| {
                let mut column: Vector6<f64> = map.column(c) * scales[c];
                column.fixed_rows_mut::<3>(3).scale_mut(1.0 / grasp.torque_length);
                column
            })
        };
        let parts: Vec<_> = e_n.iter().enumerate().map(part).collect();
        Self { norm, weights: vec![1.0; parts.len()], parts, offset: Vector6::zeros() }
    }

    /// Each normal force up to its own limit.
    pub fn weighted(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Wrenches seen through a linear map, moved by a wrench that is there anyway.
    pub fn through(mut self, map: &Matrix6<f64>, offset: &Vector6<f64>) -> Self {
        self.parts.iter_mut().flatten().for_each(|c| *c = map * *c);
        self.offset = map * offset;
        self
    }

    /// Sum of products of the columns: its axes are directions that turn with the grasp.
    pub fn moments(&self) -> Matrix6<f64> {
        self.parts.iter().flatten().map(|c| c * c.transpose()).sum()
    }

    /// g of one contact.
    fn one(part: &[Vector6<f64>; 4], u: &Vector6<f64>) -> (f64, [f64; 3]) {
        let q = [part[1].dot(u), part[2].dot(u), part[3].dot(u)];
        let along = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).sqrt();
        let over = if along > 0.0 { 1.0 / along } else { 0.0 };
        (part[0].dot(u) + along, q.map(|q| q * over))
    }

    /// h(u).
    pub fn value(&self, u: &Vector6<f64>) -> f64 {
        let all = self.parts.iter().zip(&self.weights).map(|(p, w)| w * Self::one(p, u).0.max(0.0));
        let most = match self.norm {
            Norm::L1 => all.fold(0.0, f64::max),
            Norm::Linf => all.sum(),
        };
        most + self.offset.dot(u)
    }

    /// h(u) and the wrench that reaches it.
    pub fn support(&self, u: &Vector6<f64>) -> (f64, Vector6<f64>) {
        let wrench = |part: &[Vector6<f64>; 4], unit: &[f64; 3]| {
            part[0] + part[1] * unit[0] + part[2] * unit[1] + part[3] * unit[2]
        };
        let mut point = self.offset;
        match self.norm {
            Norm::L1 => {
                let mut best = (0.0, None);
                for (part, weight) in self.parts.iter().zip(&self.weights) {
                    let (g, unit) = Self::one(part, u);
                    if weight * g > best.0 {
                        best = (weight * g, Some((part, unit, *weight)));
                    }
                }
                if let Some((part, unit, weight)) = best.1 {
                    point += wrench(part, &unit) * weight;
                }
            }
            Norm::Linf => {
                for (part, weight) in self.parts.iter().zip(&self.weights) {
                    let (g, unit) = Self::one(part, u);
                    if g > 0.0 {
                        point += wrench(part, &unit) * *weight;
                    }
                }
            }
        }
        (point.dot(u), point)
    }

    /// Weights with which contacts make up the gradient of h at u, for contacts whose g is within `slack` of active.
    ///
    /// L1: contacts that share the largest g share a weight of one, so that Σ λ∇g is closest to h·u; L∞: the weight of
    /// each contact that reaches out.
    pub fn shares(&self, u: &Vector6<f64>, slack: f64) -> Vec<f64> {
        let g: Vec<f64> = self.parts.iter().map(|p| Self::one(p, u).0).collect();
        match self.norm {
            Norm::Linf => {
                let gradient = |i: usize| {
                    let (part, unit) = (&self.parts[i], Self::one(&self.parts[i], u).1);
                    part[0] + part[1] * unit[0] + part[2] * unit[1] + part[3] * unit[2]
                };
                let most = self.value(u);
                let mut shares: Vec<f64> =
                    g.iter().zip(&self.weights).map(|(g, w)| if *g > slack * most { *w } else { 0.0 }).collect();
                // Contacts that just touch (g = 0) take what is missing, each between nothing and its weight.
                let touching: Vec<usize> = (0..g.len()).filter(|i| g[*i].abs() <= slack * most).collect();
                let gradients: Vec<Vector6<f64>> = touching.iter().map(|i| gradient(*i)).collect();
                let size: f64 = gradients.iter().map(|v| v.norm_squared()).sum::<f64>().max(1e-300);
                let fixed: Vector6<f64> = (0..g.len()).map(|i| gradient(i) * shares[i]).sum();
                for _ in 0..20_000 {
                    let mean: Vector6<f64> = touching.iter().zip(&gradients).map(|(i, v)| v * shares[*i]).sum();
                    let off = fixed + mean + self.offset - u * most;
                    let mut moved: f64 = 0.0;
                    for (i, v) in touching.iter().zip(&gradients) {
                        let next = (shares[*i] - v.dot(&off) / size).clamp(0.0, self.weights[*i]);
                        moved = moved.max((next - shares[*i]).abs());
                        shares[*i] = next;
                    }
                    if moved < 1e-15 {
                        break;
                    }
                }
                shares
            }
            Norm::L1 => {
                let most = g.iter().copied().fold(0.0, f64::max);
                let active: Vec<usize> = (0..g.len()).filter(|i| g[*i] >= most - slack * most).collect();
                let gradients: Vec<Vector6<f64>> = active
                    .iter()
                    .map(|i| {
                        let (part, unit) = (&self.parts[*i], Self::one(&self.parts[*i], u).1);
                        part[0] + part[1] * unit[0] + part[2] * unit[1] + part[3] * unit[2]
                    })
                    .collect();
                let mut shares = vec![0.0; g.len()];
                nearest_shares(&gradients, &(u * most)).iter().zip(&active).for_each(|(s, i)| shares[*i] = *s);
                shares
            }
        }
    }

    /// A smooth function within about δ of h, with its derivatives.
    pub fn smooth(&self, u: &Vector6<f64>, delta: f64) -> Smooth {
        let mut out = Smooth { value: 0.0, gradient: Vector6::zeros(), hessian: Matrix6::zeros() };
        let most = match self.norm {
            Norm::L1 => {
                let all = self.parts.iter().zip(&self.weights).map(|(p, w)| w * Self::one(p, u).0);
                all.fold(f64::NEG_INFINITY, f64::max)
            }
            Norm::Linf => 0.0,
        };
        let mut sum = 0.0;
        for (part, weight) in self.parts.iter().zip(&self.weights) {
            let q = [part[1].dot(u), part[2].dot(u), part[3].dot(u)];
            let along = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + delta * delta).sqrt();
            let g = weight * (part[0].dot(u) + along);
            let (first, second) = match self.norm {
                Norm::L1 => {
                    let share = ((g - most) / delta).exp();
                    if share < 1e-18 {
                        continue;
                    }
                    sum += share;
                    (share, share / delta)
                }
                Norm::Linf => {
                    let root = (g * g + delta * delta).sqrt();
                    out.value += 0.5 * (g + root);
                    (0.5 * (1.0 + g / root), 0.5 * delta * delta / (root * root * root))
                }
            };
            let friction = (part[1] * q[0] + part[2] * q[1] + part[3] * q[2]) / along;
            let slope = (part[0] + friction) * *weight;
            out.gradient += slope * first;
            let bend = first * weight / along;
            if bend > 0.0 {
                for c in &part[1..] {
                    out.hessian.ger(bend, c, c, 1.0);
                }
                out.hessian.ger(-bend, &friction, &friction, 1.0);
            }
            out.hessian.ger(second, &slope, &slope, 1.0);
        }
        if self.norm == Norm::L1 {
            out.value = most + delta * sum.max(f64::MIN_POSITIVE).ln();
            out.gradient /= sum;
            out.hessian /= sum;
            let gradient = out.gradient;
            out.hessian.ger(-1.0 / delta, &gradient, &gradient, 1.0);
        }
        out.value += self.offset.dot(u);
        out.gradient += self.offset;
        out
    }
}

/// Shares ≥ 0 with sum 1 for which the mean of the vectors is nearest to a target: projected gradient steps on few of them.
fn nearest_shares(vectors: &[Vector6<f64>], target: &Vector6<f64>) -> Vec<f64> {
    let n = vectors.len();
    // Subsets by size: the first whose equality solution is a true mean and whose rest does not pull further.
    let mut shares = vec![1.0 / n.max(1) as f64; n];
    let size: f64 = vectors.iter().map(|v| v.norm_squared()).sum::<f64>().max(1e-300);
    for _ in 0..20_000 {
        let mean: Vector6<f64> = vectors.iter().zip(&shares).map(|(v, s)| v * *s).sum();
        let off = mean - target;
        let slopes: Vec<f64> = vectors.iter().map(|v| v.dot(&off)).collect();
        let mut next: Vec<f64> = shares.iter().zip(&slopes).map(|(s, g)| s - g / size).collect();
        onto_simplex(&mut next);
        let moved: f64 = next.iter().zip(&shares).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        shares = next;
        if moved < 1e-16 {
            break;
        }
    }
    shares
}

/// The nearest point of {s ≥ 0, Σ s = 1}.
fn onto_simplex(s: &mut [f64]) {
    let mut sorted = s.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut level) = (0.0, 0.0);
    for (k, x) in sorted.iter().enumerate() {
        sum += x;
        let candidate = (sum - 1.0) / (k + 1) as f64;
        if candidate < *x {
            level = candidate;
        }
    }
    s.iter_mut().for_each(|x| *x = (*x - level).max(0.0));
}
