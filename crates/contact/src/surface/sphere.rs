//! # Sphere: one radius, the same curvature everywhere
//!
//! point (m) ──▶ **here** ──(foot, p/|p|, Dn = P/r)──▶ `track`
//!
//! - **in**: a point in S, whose origin is the centre
//! - **out**: signed distance |p| − r, foot, normal, shape operator
//! - **not here**: ellipsoids, which need a search for the foot
//! - **assumes**: nothing; the centre itself is sent to +x
//! - **start at** [`Sphere`]; `direction` is the overflow-proof v/|v| that the other round shapes use too

use super::{
    Bounds, ConvexSurface, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError,
    SurfacePoint, finite, positive,
};
use nalgebra::{Matrix3, Point3, Vector3};
use std::f64::consts::{PI, TAU};

/// A ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// A ball with this radius (m), positive and finite.
    pub fn new(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self { radius: positive("radius of the sphere", radius)? })
    }

    /// Radius (m).
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Surface for Sphere {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let (nhat, length) = direction(&p.coords).unwrap_or((Vector3::x(), 0.0));
        Ok(Foot { p: Point3::from(nhat * self.radius), nhat, distance: length - self.radius })
    }

    fn bounds(&self) -> Bounds {
        Bounds::centred(Vector3::repeat(self.radius))
    }
}

impl SmoothSurface for Sphere {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        let Foot { p, nhat, .. } = self.closest_point(near)?;
        Ok(SurfacePoint { p, nhat, Dn: (Matrix3::identity() - nhat * nhat.transpose()) / self.radius })
    }
}

impl ParametricSurface for Sphere {
    /// u: longitude (rad), v: angle from +z (rad).
    fn domain(&self) -> Domain {
        Domain { u: [0.0, TAU], v: [0.0, PI], u_wraps: true, v_wraps: false }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        Point3::new(u.cos() * v.sin(), u.sin() * v.sin(), v.cos()) * self.radius
    }
}

impl ConvexSurface for Sphere {
    fn support(&self, d: &Vector3<f64>) -> Point3<f64> {
        Point3::from(direction(d).map_or(Vector3::x(), |(unit, _)| unit) * self.radius)
    }

    fn least_radius(&self) -> f64 {
        self.radius
    }

    fn largest_radius(&self) -> f64 {
        self.radius
    }
}

/// The unit vector along v, with the length of v; nothing for the zero vector.
///
/// Lengths whose square would over- or underflow are scaled first, so every finite non-zero vector has an answer.
#[inline]
pub(super) fn direction(v: &Vector3<f64>) -> Option<(Vector3<f64>, f64)> {
    let squared = v.norm_squared();
    if (1e-280..1e280).contains(&squared) {
        let length = squared.sqrt();
        return Some((v / length, length));
    }
    let largest = v.amax();
    if largest == 0.0 {
        return None;
    }
    let scaled = v / largest;
    let length = scaled.norm();
    Some((scaled / length, length * largest))
}
