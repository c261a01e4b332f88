//! # Convex pairs: the closest points by their common normal
//!
//! - **in**: two convex bodies as support functions h_A, h_B
//! - **out**: the direction n with the greatest signed distance, and the support points there
//! - **not here**: bodies with hollows ([`seed`](super::seed))
//! - **start at** [`EllipsoidPair`]; [`directions`] serve every convex pair
//!
//! ```text
//! φ = max over unit n of φ(n) = n·o − h_A(n) − h_B(−n),   o: origin of B in A
//! (ρ_A + ρ_B + φ I) dn = Eᵀ(p_Cb − p_Ca),                 ρ: inverse curvatures at the support points
//! ```
//!
//! Apart, the maximum is unique (φ is concave where positive). Overlapping, it is the penetration depth, and
//! there can be several local maxima. **One stationary n is enough** if the depth does not exceed the sum of the
//! least radii of curvature: the Minkowski difference then has no smaller radius, so a ball of that radius rolls
//! freely inside it (Blaschke) and the ball of radius |φ| around the origin, which touches at n, stays inside.
//! Deeper, starts are spread over the sphere.

use super::{ClosestPair, tangent_basis};
use crate::surface::{ConvexSurface, Ellipsoid};
use nalgebra::{Isometry3, Matrix2, Matrix3, Point3, Vector3};
use std::sync::LazyLock;

/// Number of start directions.
const SPREAD: usize = 128;

/// Directions spread evenly over the sphere (a Fibonacci spiral).
static DIRECTIONS: LazyLock<[Vector3<f64>; SPREAD]> = LazyLock::new(|| {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    std::array::from_fn(|k| {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / SPREAD as f64;
        let r = (1.0 - z * z).sqrt();
        let angle = golden * k as f64;
        Vector3::new(r * angle.cos(), r * angle.sin(), z)
    })
});

/// The six directions nearest to each.
static NEIGHBOURS: LazyLock<[[usize; 6]; SPREAD]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let mut others: Vec<usize> = (0..SPREAD).filter(|&o| o != k).collect();
        others.sort_by(|&a, &b| DIRECTIONS[k].dot(&DIRECTIONS[b]).total_cmp(&DIRECTIONS[k].dot(&DIRECTIONS[a])));
        std::array::from_fn(|n| others[n])
    })
});

/// The spread of start directions.
pub fn directions() -> &'static [Vector3<f64>] {
    &*DIRECTIONS
}

/// Whether a stationary pair of convex bodies with this gap is certainly the global one.
#[inline]
pub fn is_certainly_global(gap: f64, a: &dyn ConvexSurface, b: &dyn ConvexSurface) -> bool {
    gap >= -(a.least_radius() + b.least_radius())
}

/// Two ellipsoids in the frame of the first.
#[derive(Clone, Copy, Debug)]
pub struct EllipsoidPair {
    /// Squares of the semi-axes of A (m²).
    q_A: Vector3<f64>,
    /// R diag(b²) Rᵀ of B (m²).
    Q_B: Matrix3<f64>,
    /// Origin of B (m).
    o: Vector3<f64>,
    /// Size of the numbers involved (m).
    size: f64,
}

/// φ(n) with what its derivatives need.
struct At {
    phi: f64,
    /// Q_A n and its h.
    u_A: Vector3<f64>,
    inv_h_A: f64,
    u_B: Vector3<f64>,
    inv_h_B: f64,
}

impl At {
    /// Support point of A.
    #[inline(always)]
    fn p_A(&self) -> Vector3<f64> {
        self.u_A * self.inv_h_A
    }
}

impl EllipsoidPair {
    /// The pair for one pose.
    #[inline]
    pub fn new(a: &Ellipsoid, b: &Ellipsoid, X_AB: &Isometry3<f64>) -> Self {
        let R = X_AB.rotation.to_rotation_matrix();
        let R = R.matrix();
        let q = b.squares();
        let c = [R.column(0) * q.x, R.column(1) * q.y, R.column(2) * q.z];
        let Q_B = c[0] * R.column(0).transpose() + c[1] * R.column(1).transpose() + c[2] * R.column(2).transpose();
        let o = X_AB.translation.vector;
        Self { q_A: a.squares(), Q_B, o, size: a.semi_axes().max() + b.semi_axes().max() + o.amax() }
    }

    #[inline(always)]
    fn at(&self, n: &Vector3<f64>) -> At {
        let u_A = self.q_A.component_mul(n);
        let u_B = self.Q_B * n;
        let (s_A, s_B) = (n.dot(&u_A), n.dot(&u_B));
        let (h_A, h_B) = (s_A.sqrt(), s_B.sqrt());
        // h/h² instead of 1/h: the division need not wait for the root.
        let (inv_h_A, inv_h_B) = (h_A * (1.0 / s_A), h_B * (1.0 / s_B));
        At { phi: n.dot(&self.o) - h_A - h_B, u_A, inv_h_A, u_B, inv_h_B }
    }

    /// φ(n) alone.
    #[inline]
    fn phi(&self, n: &Vector3<f64>) -> f64 {
        n.dot(&self.o) - n.dot(&self.q_A.component_mul(n)).sqrt() - n.dot(&(self.Q_B * n)).sqrt()
    }

    /// Inverse curvatures of A and of B in the tangent basis E.
    #[inline(always)]
    fn radii(&self, at: &At, E: &nalgebra::Matrix3x2<f64>) -> (Matrix2<f64>, Matrix2<f64>) {
        let (e1, e2): (Vector3<f64>, Vector3<f64>) = (E.column(0).into(), E.column(1).into());
        // Second derivative of h = √(n·Qn): (Q − u uᵀ/h²)/h, u = Q n.
        let (qe1, qe2) = (self.q_A.component_mul(&e1), self.q_A.component_mul(&e2));
        let (s1, s2) = (at.u_A.dot(&e1) * at.inv_h_A, at.u_A.dot(&e2) * at.inv_h_A);
        let off = (e1.dot(&qe2) - s1 * s2) * at.inv_h_A;
        let A = Matrix2::new(
            (e1.dot(&qe1) - s1 * s1) * at.inv_h_A,
            off, //
            off,
            (e2.dot(&qe2) - s2 * s2) * at.inv_h_A,
        );
        let (qe1, qe2) = (self.Q_B * e1, self.Q_B * e2);
        let (s1, s2) = (at.u_B.dot(&e1) * at.inv_h_B, at.u_B.dot(&e2) * at.inv_h_B);
        let off = (e1.dot(&qe2) - s1 * s2) * at.inv_h_B;
        let B = Matrix2::new(
            (e1.dot(&qe1) - s1 * s1) * at.inv_h_B,
            off, //
            off,
            (e2.dot(&qe2) - s2 * s2) * at.inv_h_B,
        );
        (A, B)
    }

    /// The stationary direction near `n`, by plain Newton; `None` if it leaves the basin.
    #[inline]
    pub fn follow(&self, n: &Vector3<f64>, X_AB: &Isometry3<f64>) -> Option<ClosestPair> {
        let mut n = *n;
        let mut last = f64::INFINITY;
        for steps in 0..12 {
            let at = self.at(&n);
            let E = tangent_basis(&n);
            // p_Cb − p_Ca = o − u_B/h_B − u_A/h_A
            let between = self.o - at.u_B * at.inv_h_B - at.p_A();
            let r = E.tr_mul(&between);
            let (rho_A, rho_B) = self.radii(&at, &E);
            let H = rho_A + rho_B + Matrix2::identity() * at.phi;
            let det = H.determinant();
            let rest = r.norm();
            let stalled = rest >= 0.5 * last && rest <= 1e-11 * self.size;
            if rest <= 2e-15 * self.size || stalled {
                if !(det > 0.0 && H.trace() > 0.0) {
                    return None;
                }
                return Some(self.pair(&n, &at, E, rho_A, rho_B, rest, steps, X_AB));
            }
            let inv = 1.0 / det;
            let step = (E.column(0) * (H[(1, 1)] * r.x - H[(0, 1)] * r.y)
                + E.column(1) * (H[(0, 0)] * r.y - H[(1, 0)] * r.x))
                * inv;
            if !(det > 0.0 && step.norm_squared() < 0.25) {
                return None;
            }
            n = renormalized(n + step);
            last = rest;
        }
        None
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)] // everything the last Newton step knows, handed over once
    fn pair(
        &self,
        n: &Vector3<f64>,
        at: &At,
        E: nalgebra::Matrix3x2<f64>,
        rho_A: Matrix2<f64>,
        rho_B: Matrix2<f64>,
        residual: f64,
        steps: u32,
        X_AB: &Isometry3<f64>,
    ) -> ClosestPair {
        let p_ACb = Point3::from(self.o - at.u_B * at.inv_h_B);
        ClosestPair {
            p_ACa: Point3::from(at.p_A()),
            p_BCb: X_AB.inverse_transform_point(&p_ACb),
            nhat_AB_A: *n,
            gap: at.phi,
            E_A: E,
            curvature_A: inverse(&rho_A),
            curvature_B: inverse(&rho_B),
            residual,
            steps,
        }
    }

    /// A stationary direction uphill from `n`: Newton where φ is curved the right way, gradient steps elsewhere,
    /// each shortened until φ rises. Gives up within 1° of a top that is already known.
    fn climb(&self, n: &Vector3<f64>, X_AB: &Isometry3<f64>, known: &[ClosestPair]) -> Option<ClosestPair> {
        let mut n = *n;
        for _ in 0..200 {
            if known.iter().any(|top| top.nhat_AB_A.dot(&n) > 0.9998) {
                return None;
            }
            let at = self.at(&n);
            let E = tangent_basis(&n);
            let r = E.tr_mul(&(self.o - at.u_B * at.inv_h_B - at.p_A()));
            let (rho_A, rho_B) = self.radii(&at, &E);
            let H = rho_A + rho_B + Matrix2::identity() * at.phi;
            let close = r.norm() <= 1e-6 * self.size && H.determinant() > 0.0 && H.trace() > 0.0;
            if let Some(pair) = if close { self.follow(&n, X_AB) } else { None } {
                return Some(pair);
            }
            let trace = rho_A.trace() + rho_B.trace();
            let newton = if H.trace() > 0.0 && H.determinant() > 1e-12 * trace * trace {
                H.try_inverse().map(|inverse| inverse * r)
            } else {
                None
            };
            let direction = newton.unwrap_or(r / trace.max(f64::MIN_POSITIVE));
            let mut step = E * direction;
            let length = step.norm();
            if length > 0.5 {
                step *= 0.5 / length;
            }
            let mut shortened = 0;
            n = loop {
                let next = (n + step).normalize();
                if self.phi(&next) > at.phi {
                    break next;
                }
                step *= 0.5;
                shortened += 1;
                if shortened > 50 {
                    return self.follow(&n, X_AB);
                }
            };
        }
        self.follow(&n, X_AB)
    }

    /// The global closest pair, and by how much it beats the next best (m; 0 when it is certainly alone).
    pub fn global(&self, a: &Ellipsoid, b: &Ellipsoid, X_AB: &Isometry3<f64>) -> Option<(ClosestPair, f64)> {
        let towards = self.o.try_normalize(1e-9 * self.size).unwrap_or(Vector3::z());
        if let Some(pair) = self.climb(&towards, X_AB, &[]).filter(|pair| is_certainly_global(pair.gap, a, b)) {
            return Some((pair, 0.0));
        }
        // Deep: every direction of the spread that no neighbour beats starts a climb, and so do the axes of both
        // bodies, where ridges of φ too narrow for the spread have their tops.
        let values: [f64; SPREAD] = std::array::from_fn(|k| self.phi(&DIRECTIONS[k]));
        let tops =
            (0..SPREAD).filter(|&k| NEIGHBOURS[k].iter().all(|&n| values[n] <= values[k])).map(|k| DIRECTIONS[k]);
        let R = X_AB.rotation.to_rotation_matrix();
        let axes = (0..3).flat_map(|k| {
            let (e, f) = (Vector3::ith(k, 1.0), R.matrix().column(k).into_owned());
            [e, -e, f, -f]
        });
        let mut found: Vec<ClosestPair> = Vec::new();
        for n in tops {
            let top = self.climb(&n, X_AB, &found);
            found.extend(top);
        }
        // A narrow ridge is low around its top: an axis that is far below the best so far is not near one.
        let high = 2.0 * found.iter().map(|top| top.gap).fold(f64::NEG_INFINITY, f64::max);
        for n in axes.filter(|n| self.phi(n) > high) {
            let top = self.climb(&n, X_AB, &found);
            found.extend(top);
        }
        found.sort_by(|x, y| y.gap.total_cmp(&x.gap));
        let best = *found.first()?;
        // Whatever maximum may be born later lies now below it; so every direction outside the best one's own hill
        // counts as a rival, not only today's other maxima.
        let outside = (0..SPREAD).filter(|&k| DIRECTIONS[k].dot(&best.nhat_AB_A) < 0.9).map(|k| values[k]);
        let others = found.iter().filter(|p| p.nhat_AB_A.dot(&best.nhat_AB_A) < 0.999).map(|p| p.gap);
        let margin = best.gap - outside.chain(others).fold(f64::NEG_INFINITY, f64::max);
        Some((best, margin))
    }
}

/// A vector of nearly unit length, made unit.
///
/// Close to 1, three terms of the series of 1/√m: no root and no division in the chain of Newton steps. What they
/// leave is of third order and goes with the next, smaller step.
#[inline(always)]
pub fn renormalized(v: Vector3<f64>) -> Vector3<f64> {
    let x = v.norm_squared() - 1.0;
    if x.abs() < 1e-3 { v * (1.0 - x * (0.5 - 0.375 * x)) } else { v.normalize() }
}

#[inline(always)]
fn inverse(m: &Matrix2<f64>) -> Matrix2<f64> {
    let inv = 1.0 / (m[(0, 0)] * m[(1, 1)] - m[(0, 1)] * m[(1, 0)]);
    Matrix2::new(m[(1, 1)] * inv, -m[(0, 1)] * inv, -m[(1, 0)] * inv, m[(0, 0)] * inv)
}

/// The direction with the greatest signed distance among the spread, for any convex pair; with both support points.
pub fn best_directions(
    a: &dyn ConvexSurface,
    b: &dyn ConvexSurface,
    X_AB: &Isometry3<f64>,
) -> Vec<(Point3<f64>, Point3<f64>)> {
    let support = |n: &Vector3<f64>| {
        let p_A = a.support(n);
        let p_B = b.support(&(X_AB.rotation.inverse() * -n));
        (n.dot(&(X_AB * p_B - p_A)), p_A, p_B)
    };
    let towards = X_AB.translation.vector.try_normalize(0.0).unwrap_or(Vector3::z());
    let R = X_AB.rotation.to_rotation_matrix();
    let axes = (0..3).flat_map(|k| {
        let (e, f) = (Vector3::ith(k, 1.0), R.matrix().column(k).into_owned());
        [e, -e, f, -f]
    });
    let mut starts: Vec<_> =
        directions().iter().copied().chain(axes).chain([towards]).map(|n| (support(&n), n)).collect();
    starts.sort_by(|x, y| y.0.0.total_cmp(&x.0.0));
    starts.truncate(8);
    starts.into_iter().map(|((_, p_A, p_B), _)| (p_A, p_B)).collect()
}
