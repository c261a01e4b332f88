//! # Torus: a circle turned around an axis it does not meet
//!
//! point (m) ──▶ **here** ──(foot, normal, Dn)──▶ `track`
//!
//! - **in**: a point in S; the axis is z, the centres of the turned circle lie on z = 0
//! - **out**: signed distance, foot, normal, shape operator (saddle-shaped on the inner half)
//! - **not here**: other turned profiles (`revolution`)
//! - **assumes**: 0 < minor < major, so the hole is open
//! - **start at** [`Torus`]

use super::{
    Bounds, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError, SurfacePoint, finite,
    positive,
    revolution::{HalfPlane, MeridianFoot},
    sphere::direction,
};
use nalgebra::{Point3, Vector3};
use std::f64::consts::TAU;

/// All points within `minor_radius` of the circle with radius `major_radius` around z in the plane z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Torus {
    major_radius: f64,
    minor_radius: f64,
}

impl Torus {
    /// A torus from the radius of its central circle (m) and of its tube (m), 0 < minor < major.
    pub fn new(major_radius: f64, minor_radius: f64) -> Result<Self, ShapeError> {
        let major_radius = positive("major radius of the torus", major_radius)?;
        let minor_radius = positive("minor radius of the torus", minor_radius)?;
        if minor_radius >= major_radius {
            return Err(ShapeError::Misfit {
                what: "minor radius of the torus",
                expected: format!("less than the major radius, {major_radius} m"),
                got: format!("{minor_radius} m"),
            });
        }
        Ok(Self { major_radius, minor_radius })
    }

    /// Radius of the central circle (m).
    pub fn major_radius(&self) -> f64 {
        self.major_radius
    }

    /// Radius of the tube (m).
    pub fn minor_radius(&self) -> f64 {
        self.minor_radius
    }

    /// The foot in the half-plane of the point. A point on the central circle is sent away from the axis.
    ///
    /// ```text
    /// k_m = 1/a,   k_a = n_r/(R + a n_r)      (R major, a minor radius; n_r radial part of the normal)
    /// ```
    fn meridian_foot(&self, rho: f64, z: f64) -> MeridianFoot {
        let (R, a) = (self.major_radius, self.minor_radius);
        let (n, length) = direction(&Vector3::new(rho - R, z, 0.0)).unwrap_or((Vector3::x(), 0.0));
        let r = R + a * n.x;
        MeridianFoot {
            r,
            z: a * n.y,
            n_r: n.x,
            n_z: n.y,
            distance: length - a,
            k_meridian: 1.0 / a,
            k_azimuthal: n.x / r,
        }
    }
}

impl Surface for Torus {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let plane = HalfPlane::through(p);
        Ok(plane.foot(&self.meridian_foot(plane.rho, p.z)))
    }

    fn bounds(&self) -> Bounds {
        let outer = self.major_radius + self.minor_radius;
        Bounds::centred(Vector3::new(outer, outer, self.minor_radius))
    }
}

impl SmoothSurface for Torus {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        finite(near)?;
        let plane = HalfPlane::through(near);
        Ok(plane.surface_point(&self.meridian_foot(plane.rho, near.z)))
    }
}

impl ParametricSurface for Torus {
    /// u: angle around z (rad), v: angle around the tube from its outer equator (rad).
    fn domain(&self) -> Domain {
        Domain { u: [0.0, TAU], v: [0.0, TAU], u_wraps: true, v_wraps: true }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        let r = self.major_radius + self.minor_radius * v.cos();
        Point3::new(r * u.cos(), r * u.sin(), self.minor_radius * v.sin())
    }
}
