//! # Capsule: a segment of the z axis, grown by a radius
//!
//! point (m) ──▶ **here** ──(foot, normal, Dn)──▶ `track`
//!
//! - **in**: a point in S; the segment is |z| ≤ half_length on the z axis
//! - **out**: signed distance to the segment less the radius, foot, normal, shape operator
//! - **not here**: flat ends (`cylinder`)
//! - **assumes**: nothing; points on the segment are sent to +x
//! - **start at** [`Capsule`]
//!
//! The surface is C1: on the circles |z| = half_length the curvature along z jumps from 0 to 1/r. There the
//! answer is that of the round end.

use super::{
    Bounds, ConvexSurface, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError,
    SurfacePoint, finite, positive, sphere::direction,
};
use nalgebra::{Matrix3, Point3, Vector3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// All points within `radius` of the segment from −`half_length` to +`half_length` on the z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    radius: f64,
    half_length: f64,
}

impl Capsule {
    /// A capsule from its radius (m) and half the length of its straight part (m); it ends at
    /// z = ±(half_length + radius).
    pub fn new(radius: f64, half_length: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            radius: positive("radius of the capsule", radius)?,
            half_length: positive("half length of the capsule", half_length)?,
        })
    }

    /// Radius (m).
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Half the length of the straight part (m).
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// The point of the segment closest to height z.
    fn spine(&self, z: f64) -> Vector3<f64> {
        Vector3::z() * z.clamp(-self.half_length, self.half_length)
    }
}

impl Surface for Capsule {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let spine = self.spine(p.z);
        let (nhat, length) = direction(&(p.coords - spine)).unwrap_or((Vector3::x(), 0.0));
        Ok(Foot { p: Point3::from(spine + nhat * self.radius), nhat, distance: length - self.radius })
    }

    fn bounds(&self) -> Bounds {
        Bounds::centred(Vector3::new(self.radius, self.radius, self.half_length + self.radius))
    }
}

impl SmoothSurface for Capsule {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        let Foot { p, nhat, .. } = self.closest_point(near)?;
        // Straight part: curved around the axis only. Ends: a sphere.
        let mut bent = Matrix3::identity();
        if near.z.abs() < self.half_length {
            bent[(2, 2)] = 0.0;
        }
        Ok(SurfacePoint { p, nhat, Dn: (bent - nhat * nhat.transpose()) / self.radius })
    }
}

impl ParametricSurface for Capsule {
    /// u: angle around z (rad), v: length along the profile from the top pole to the bottom pole (m).
    fn domain(&self) -> Domain {
        Domain { u: [0.0, TAU], v: [0.0, PI * self.radius + 2.0 * self.half_length], u_wraps: true, v_wraps: false }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        let quarter = FRAC_PI_2 * self.radius;
        let along = (v - quarter).clamp(0.0, 2.0 * self.half_length);
        let angle = (v - along) / self.radius;
        let r = self.radius * angle.sin();
        Point3::new(r * u.cos(), r * u.sin(), self.half_length - along + self.radius * angle.cos())
    }
}

impl ConvexSurface for Capsule {
    fn support(&self, d: &Vector3<f64>) -> Point3<f64> {
        let unit = direction(d).map_or(Vector3::x(), |(unit, _)| unit);
        let end = if d.z == 0.0 { 0.0 } else { self.half_length.copysign(d.z) };
        Point3::from(unit * self.radius + Vector3::z() * end)
    }

    fn least_radius(&self) -> f64 {
        self.radius
    }
}
