//! # Projection: surface points and closest points of a smooth mesh
//!
//! - **in**: a point near the surface, or a point with a place to start from (m)
//! - **out**: [`SurfacePoint`], [`ClosestPoint`] with the exact signed distance
//! - **assumes**: starts within the supports, about an edge from the mesh; from further away start at the
//!   closest facet point
//!
//! The closest point is stationary: c − p = λ ∇f(p), f(p) = 0. Both are solved together by Newton's method, one
//! evaluation per step:
//!
//! ```text
//! λ = ∇f·(c − p)/|∇f|²,   dp = −f ∇f/|∇f|² + E y,   E: tangent axes
//! (I + λ EᵀHE) y = Eᵀ(c − p) + λ f EᵀH∇f/|∇f|²
//! ```

use super::SmoothMesh;
use super::quadric::FieldJet;
use super::stencil::frame;
use crate::surface::{Foot, SurfaceError, SurfacePoint, finite};
use nalgebra::{Matrix2, Matrix3, Point3, Vector2, Vector3};

/// Steps beyond which a search gives up.
const MOST_STEPS: u32 = 60;

/// Steps below this share of the size of the mesh are round-off.
const ROUND_OFF: f64 = 4e-16;

/// The closest point of the surface near a start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The point with normal and shape operator.
    pub point: SurfacePoint,
    /// Signed distance of the queried point: positive outside (m).
    pub distance: f64,
    /// Evaluations of the field it took.
    pub evaluations: u32,
}

impl ClosestPoint {
    /// The same without curvature.
    pub fn foot(&self) -> Foot {
        Foot { p: self.point.p, nhat: self.point.nhat, distance: self.distance }
    }
}

impl FieldJet {
    /// The point `p` with this jet as a point of a surface: n = ∇f/|∇f|, Dn = P ∇²f P/|∇f|.
    #[inline]
    pub fn surface_point(&self, p: Point3<f64>) -> SurfacePoint {
        let inv = 1.0 / self.grad.norm();
        let n = self.grad * inv;
        let H = self.hess * inv;
        let Hn = H * n;
        let a = Hn - n * (0.5 * n.dot(&Hn));
        let Dn = Matrix3::from_fn(|i, j| H[(i, j)] - n[i] * a[j] - a[i] * n[j]);
        SurfacePoint { p, nhat: n, Dn }
    }
}

impl SmoothMesh {
    /// The surface point near `near` (m): steps −f ∇f/|∇f|² until they vanish.
    pub fn project(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        finite(near)?;
        let lost = || SurfaceError::NoSmoothPoint { x: near.x, y: near.y, z: near.z };
        let (mut p, mut jet) = (*near, self.evaluate(near).ok_or_else(lost)?);
        let mut last = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let step = jet.grad * (-jet.f / jet.grad.norm_squared());
            let length = step.norm();
            // At the floor of round-off steps stop shrinking.
            let floor = ROUND_OFF * (self.diagonal + p.coords.norm());
            if length <= floor || (length >= last && length <= 64.0 * floor) {
                return Ok(jet.surface_point(p));
            }
            last = length;
            let before = jet.f.abs();
            (p, jet) = self.advance(&p, step, |next| next.f.abs() <= before).ok_or_else(lost)?;
        }
        Err(lost())
    }

    /// The closest point to `c` that the search reaches from `start` (m), with the exact signed distance.
    ///
    /// It is a stationary point of the distance; start near the last one to follow a moving contact.
    pub fn closest(&self, c: &Point3<f64>, start: &Point3<f64>) -> Result<ClosestPoint, SurfaceError> {
        finite(c)?;
        finite(start)?;
        let lost = || SurfaceError::NoSmoothPoint { x: c.x, y: c.y, z: c.z };
        let (mut p, mut jet) = (*start, self.evaluate(start).ok_or_else(lost)?);
        let mut evaluations = 1;
        let mut last = f64::INFINITY;
        while evaluations <= MOST_STEPS {
            let step = closest_step(&jet, &(c - p));
            let length = step.norm();
            let floor = ROUND_OFF * (self.diagonal + p.coords.norm() + c.coords.norm());
            if length <= floor || (length >= last && length <= 256.0 * floor) {
                let point = jet.surface_point(p);
                return Ok(ClosestPoint { point, distance: point.nhat.dot(&(c - p)), evaluations });
            }
            last = length;
            (p, jet) = self.advance(&p, step, |_| true).ok_or_else(lost)?;
            evaluations += 1;
        }
        Err(lost())
    }

    /// The same by steps of at most `longest` (m) along the surface that never lead away from `c`: slower, but it stays
    /// in the valley where it starts.
    pub fn closest_by_short_steps(
        &self,
        c: &Point3<f64>,
        start: &Point3<f64>,
        longest: f64,
    ) -> Result<ClosestPoint, SurfaceError> {
        finite(c)?;
        let lost = || SurfaceError::NoSmoothPoint { x: c.x, y: c.y, z: c.z };
        let mut p = self.project(start)?.p;
        for evaluations in 1..=MOST_STEPS {
            let jet = self.evaluate(&p).ok_or_else(lost)?;
            let step = closest_step(&jet, &(c - p));
            let length = step.norm();
            if length <= 1e-12 * (self.diagonal + p.coords.norm() + c.coords.norm()) {
                // The last digits by full steps, which are now short.
                let found = self.closest(c, &p)?;
                return if (found.point.p - p).norm() <= longest { Ok(found) } else { Err(lost()) };
            }
            let mut share = (longest / length).min(1.0);
            let nearer = loop {
                let next = self.project(&(p + step * share));
                match next {
                    Ok(at) if (c - at.p).norm() < (c - p).norm() => break Some(at.p),
                    _ if share * length < 1e-9 * longest => break None,
                    _ => share *= 0.5,
                }
            };
            let Some(next) = nearer else {
                let point = jet.surface_point(p);
                return Ok(ClosestPoint { point, distance: point.nhat.dot(&(c - p)), evaluations });
            };
            p = next;
        }
        Err(lost())
    }

    /// A step, shortened until it stays within the supports and `accept` agrees.
    fn advance(
        &self,
        p: &Point3<f64>,
        step: Vector3<f64>,
        accept: impl Fn(&FieldJet) -> bool,
    ) -> Option<(Point3<f64>, FieldJet)> {
        let mut share = 1.0;
        let mut fallback = None;
        while share > 1e-3 {
            let next = p + step * share;
            if let Some(jet) = self.evaluate(&next) {
                if accept(&jet) {
                    return Some((next, jet));
                }
                // Round-off may forbid any decrease: then the full step stands.
                fallback = fallback.or(Some((next, jet)));
            }
            share *= 0.5;
        }
        fallback
    }
}

/// Newton's step towards the closest point; where the second-order part is not positive (beyond the focal
/// distance) it is left out.
#[inline]
fn closest_step(jet: &FieldJet, to: &Vector3<f64>) -> Vector3<f64> {
    let (g, H) = (&jet.grad, &jet.hess);
    let g2 = g.norm_squared();
    let lambda = g.dot(to) / g2;
    let back = -jet.f / g2;
    let E = frame(&(g / g2.sqrt()));
    let (e1, e2) = (E.column(0), E.column(1));
    let (h1, h2) = (H * e1, H * e2);
    let off = lambda * e1.dot(&h2);
    let full = Matrix2::new(1.0 + lambda * e1.dot(&h1), off, off, 1.0 + lambda * e2.dot(&h2));
    let coupling = -lambda * back;
    let right = Vector2::new(e1.dot(to) + coupling * h1.dot(g), e2.dot(to) + coupling * h2.dot(g));
    let det = full.determinant();
    let y = if det > 1e-3 && full[(0, 0)] > 0.0 {
        let (a, b, d) = (full[(0, 0)], off, full[(1, 1)]);
        Vector2::new(d * right.x - b * right.y, a * right.y - b * right.x) / det
    } else {
        right
    };
    g * back + e1 * y.x + e2 * y.y
}
