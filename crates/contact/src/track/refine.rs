//! # Refine: from a nearby pair of points to the closest pair, by Newton on a 2×2 system
//!
//! - **in**: two smooth surfaces, their pose, a point near each
//! - **out**: the stationary pair: points on one common normal, normals opposite
//! - **not here**: finding a start ([`seed`](super::seed)); whether another pair is closer ([`Tracker`](super::Tracker))
//! - **assumes**: the start is within the basin; C1 seams (box edges) are crossed as they come
//! - **start at** [`refine`]
//!
//! ```text
//! r = Eᵀ(p_Cb − p_Ca),   m = Eᵀ(n_A + n_B),   φ = n_A·(p_Cb − p_Ca)
//! (A + B + φ B A) x_A = −m + B r,   x_B = (I + φ A) x_A − r
//! ```
//!
//! the same matrix as contact kinematics (Stramigioli, eq. 22, corrected), with the offsets in the place of
//! the velocities. Quadratic convergence.

use super::{ClosestPair, into_A, project, tangent_basis};
use crate::surface::{SmoothSurface, SurfaceError};
use nalgebra::{Isometry3, Matrix2, Point3, Vector2};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Length of a step, as a share of the size of the numbers involved, that counts as none.
    pub step: f64,
    /// Most Newton steps.
    pub steps: u32,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { step: 2e-15, steps: 40 }
    }
}

/// How a refinement ended without a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// No convergence within the allowed steps.
    NotConverged,
    /// Converged to a pair that is no local minimum (a saddle, or beyond the focal distance).
    Saddle,
    /// A surface could not answer along the way.
    Surface(SurfaceError),
}

impl From<SurfaceError> for Failure {
    fn from(error: SurfaceError) -> Self {
        Failure::Surface(error)
    }
}

/// The stationary pair near (`p_A` on A in A, `p_B` on B in B).
#[inline]
pub fn refine<A: SmoothSurface + ?Sized, B: SmoothSurface + ?Sized>(
    a: &A,
    b: &B,
    X_AB: &Isometry3<f64>,
    p_A: Point3<f64>,
    p_B: Point3<f64>,
    tolerance: Tolerance,
) -> Result<ClosestPair, Failure> {
    let (mut near_A, mut near_B) = (p_A, p_B);
    let mut last = f64::INFINITY;
    for steps in 0..=tolerance.steps {
        let (at_A, off_A) = a.point_toward(&near_A)?;
        let (at_B, off_B) = b.point_toward(&near_B)?;
        let b_A = into_A(&at_B, X_AB);
        let E = tangent_basis(&at_A.nhat);
        let between = b_A.p - at_A.p;
        let gap = at_A.nhat.dot(&between);
        let r = E.tr_mul(&between);
        let m = E.tr_mul(&(at_A.nhat + b_A.nhat));
        let (cA, cB) = (project(&at_A.Dn, &E), project(&b_A.Dn, &E));
        let M = cA + cB + cB * cA * gap;
        let trace = cA.trace() + cB.trace();
        let x_A = solve(&M, &(cB * r - m), trace);
        let x_B = x_A + cA * x_A * gap - r;

        let step = x_A.norm().max(x_B.norm()).max(off_A).max(off_B);
        // Facing normals that point the same way are stationary too, and on flat parts no step can turn a normal that
        // is not opposite: neither is a contact.
        let facing = at_A.nhat.dot(&b_A.nhat) < 0.0 && m.norm_squared() < 1e-16;
        let size = at_A.p.coords.amax().max(b_A.p.coords.amax()).max(between.amax());
        let reach = tolerance.step * size;
        // Round-off can hold a step just above the reach; once it no longer falls it is noise.
        let stalled = step >= 0.5 * last && step <= 1e4 * reach;
        if facing && (step <= reach || stalled) {
            let residual = step;
            let mut pair = ClosestPair::from_points(&at_A, &b_A, X_AB);
            pair.p_BCb = at_B.p;
            pair.residual = residual;
            pair.steps = steps;
            return if is_local_minimum(&M, trace) { Ok(pair) } else { Err(Failure::Saddle) };
        }
        // Far from the end, stay within what the curvatures can tell.
        let bend = cA.amax().max(cB.amax());
        let most = if bend > 0.0 { (0.7 / bend).max(0.1 * between.norm()) } else { f64::INFINITY };
        let cut = if step > most { most / step } else { 1.0 };
        near_A = at_A.p + E * x_A * cut;
        near_B = X_AB.inverse_transform_point(&(b_A.p + E * x_B * cut));
        last = step;
    }
    Err(Failure::NotConverged)
}

/// Solves M x = c; where M is (nearly) singular, the shortest x of the least-squares problem.
///
/// Singular M is a line or an area of equally close points: a cylinder along a plane, a face on a face.
/// The shortest step then keeps the point where it was along the free direction.
#[inline]
fn solve(M: &Matrix2<f64>, c: &Vector2<f64>, trace: f64) -> Vector2<f64> {
    let det = M.determinant();
    let scale = trace.abs().max(M.amax());
    if det.abs() > super::DEGENERATE * scale * scale {
        let inv = 1.0 / det;
        return Vector2::new(inv * (M[(1, 1)] * c.x - M[(0, 1)] * c.y), inv * (M[(0, 0)] * c.y - M[(1, 0)] * c.x));
    }
    shortest(M, c, scale)
}

#[cold]
fn shortest(M: &Matrix2<f64>, c: &Vector2<f64>, scale: f64) -> Vector2<f64> {
    if scale == 0.0 {
        return Vector2::zeros();
    }
    let damping = 1e-7 * scale;
    let normal = M.transpose() * M + Matrix2::identity() * (damping * damping);
    let right = M.transpose() * c;
    normal.try_inverse().map_or_else(Vector2::zeros, |inverse| inverse * right)
}

/// Whether a stationary pair with this matrix is a local minimum (or a flat valley).
#[inline]
fn is_local_minimum(M: &Matrix2<f64>, trace: f64) -> bool {
    let scale = trace.abs().max(M.amax());
    let slack = super::DEGENERATE * scale;
    M.determinant() >= -slack * scale && M.trace() >= -slack
}
