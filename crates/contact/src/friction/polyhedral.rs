//! # Polyhedral limit: the ellipsoid by the hull of points on it
//!
//! - **in**: a [`SphereSampling`], friction, eccentricity, load
//! - **out**: columns of D for a complementarity problem; the same questions as any [`FrictionLimit`], exact for the hull
//! - **assumes**: the hull stands for the ellipsoid from inside, short by `inner_error`
//! - **start at** [`Polyhedral::new`], [`Polyhedral::columns`]
//!
//! (Ciocarlie, eq. 2) writes friction as D β with β ≥ 0, Σβ ≤ μP; column i is (x_i, y_i, e_n z_i), x on the unit sphere,
//! the force part without unit and the moment part in m.

use super::hull::SphereSampling;
use super::{FrictionLimit, Projection, TangentialStiffness};
use nalgebra::{Matrix3, SMatrix, SVector, Vector3};

/// A polyhedral limit over a shared sampling.
#[derive(Clone, Copy, Debug)]
pub struct Polyhedral<'a> {
    sampling: &'a SphereSampling,
    e_n: f64,
    /// μP (N).
    most: f64,
}

impl<'a> Polyhedral<'a> {
    /// Coefficient μ, eccentricity e_n (m) and load (N); nothing holds unless all are positive.
    pub fn new(sampling: &'a SphereSampling, mu: f64, e_n: f64, load: f64) -> Self {
        let most = if mu > 0.0 && load > 0.0 && e_n > 0.0 { mu * load } else { 0.0 };
        Self { sampling, e_n, most }
    }

    /// D: one column (1, 1, m) for every direction; friction is D β with β ≥ 0, Σβ ≤ μP.
    pub fn columns(&self) -> Vec<[f64; 3]> {
        self.sampling.points().iter().map(|p| [p.x, p.y, self.e_n * p.z]).collect()
    }

    /// Largest share by which it falls short of the ellipsoid.
    pub fn inner_error(&self) -> f64 {
        self.sampling.inner_error()
    }

    fn unit(&self, load: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(load.x, load.y, load.z / self.e_n) / self.most
    }

    fn vertex(&self, k: usize) -> Vector3<f64> {
        let p = self.sampling.points()[k];
        Vector3::new(p.x, p.y, self.e_n * p.z) * self.most
    }
}

impl FrictionLimit for Polyhedral<'_> {
    fn gauge(&self, load: &Vector3<f64>) -> f64 {
        if *load == Vector3::zeros() {
            return 0.0;
        }
        if self.most == 0.0 {
            return f64::INFINITY;
        }
        let x = self.unit(load);
        // A load that is no number must not come out as zero.
        if x.iter().any(|c| c.is_nan()) {
            return f64::NAN;
        }
        self.sampling.facets().iter().map(|f| f.normal.dot(&x) / f.distance).fold(0.0, f64::max)
    }

    fn load_against(&self, twist: &Vector3<f64>) -> Vector3<f64> {
        let power = |p: &Vector3<f64>| p.x * twist.x + p.y * twist.y + self.e_n * p.z * twist.z;
        let points = self.sampling.points();
        let least = (0..points.len()).min_by(|&a, &b| power(&points[a]).total_cmp(&power(&points[b])));
        least.filter(|_| self.most > 0.0).map_or_else(Vector3::zeros, |k| self.vertex(k))
    }

    /// The nearest point of the hull of the vertices (Wolfe): y = L⁻¹(F − F_trial), K = LLᵀ, least |y| over the hull.
    fn project(&self, trial: &Vector3<f64>, stiffness: &TangentialStiffness) -> Projection {
        let gauge = self.gauge(trial);
        if gauge <= 1.0 || gauge.is_nan() {
            return Projection { load: *trial, slip: Vector3::zeros(), iterations: 0 };
        }
        let k = stiffness.matrix();
        let Some(l) = k.cholesky() else {
            return Projection { load: *trial, slip: Vector3::zeros(), iterations: 0 };
        };
        let lower = l.l();
        let into = lower.try_inverse().unwrap_or_else(Matrix3::zeros);
        let (y, iterations) = if self.most == 0.0 {
            (-(into * trial), 0)
        } else {
            let y: Vec<_> = (0..self.sampling.points().len()).map(|i| into * (self.vertex(i) - trial)).collect();
            least_norm(&y)
        };
        let load = trial + lower * y;
        Projection { load, slip: -(l.inverse() * (lower * y)), iterations }
    }
}

/// The point of least norm in the hull of points (Wolfe, the algorithm of 1976): corrals of at most four of them.
fn least_norm(points: &[Vector3<f64>]) -> (Vector3<f64>, u32) {
    let scale = points.iter().map(|p| p.norm_squared()).fold(0.0, f64::max);
    let first = (0..points.len()).min_by(|&a, &b| points[a].norm_squared().total_cmp(&points[b].norm_squared()));
    let Some(first) = first else { return (Vector3::zeros(), 0) };
    let mut corral = vec![(first, 1.0)];
    let mut y = points[first];
    for round in 1..=10 * points.len() as u32 {
        let next = (0..points.len()).min_by(|&a, &b| y.dot(&points[a]).total_cmp(&y.dot(&points[b]))).unwrap_or(first);
        // No point lies on the near side of the plane through y: rounding of the largest product.
        if y.dot(&points[next]) >= y.norm_squared() - 1e-15 * scale || corral.iter().any(|c| c.0 == next) {
            return (y, round);
        }
        corral.push((next, 0.0));
        while let Some(weights) = affine(points, &corral) {
            // Toward the nearest point of the affine hull, until a weight vanishes.
            let mut share = 1.0;
            let mut leaves = None;
            for (k, (&(_, from), &to)) in corral.iter().zip(&weights).enumerate() {
                if to <= 1e-14 {
                    let reach = if from > to { from / (from - to) } else { 0.0 };
                    if leaves.is_none() || reach < share {
                        (share, leaves) = (reach, Some(k));
                    }
                }
            }
            for (entry, to) in corral.iter_mut().zip(&weights) {
                entry.1 += share * (to - entry.1);
            }
            let Some(leaves) = leaves else { break };
            corral.remove(leaves);
        }
        y = corral.iter().map(|&(k, weight)| points[k] * weight).sum();
    }
    (y, 10 * points.len() as u32)
}

/// Weights (sum 1) of the point of least norm in the affine hull of up to four points; none if they are not independent.
fn affine(points: &[Vector3<f64>], corral: &[(usize, f64)]) -> Option<Vec<f64>> {
    let n = corral.len();
    if n > 4 {
        return None;
    }
    // Rows: G w + λ = 0, Σ w = 1, padded with the identity.
    let mut system = SMatrix::<f64, 5, 5>::identity();
    let mut right = SVector::<f64, 5>::zeros();
    let scale = corral.iter().map(|c| points[c.0].norm_squared()).fold(f64::MIN_POSITIVE, f64::max);
    for i in 0..n {
        for j in 0..n {
            system[(i, j)] = points[corral[i].0].dot(&points[corral[j].0]) / scale;
        }
        system[(i, 4)] = 1.0;
        system[(4, i)] = 1.0;
    }
    system[(4, 4)] = 0.0;
    right[4] = 1.0;
    let solution = system.lu().solve(&right)?;
    Some(solution.iter().take(n).copied().collect())
}
