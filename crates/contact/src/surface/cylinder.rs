//! # Cylinder: flat caps, straight side, rounded rims
//!
//! point (m) ──▶ **here** ──(foot, normal, Dn)──▶ `track`
//!
//! - **in**: a point in S; the axis is z, the caps are at z = ±half_length
//! - **out**: signed distance, foot, normal, shape operator
//! - **not here**: round ends without a cap (`capsule`), though edge_radius = radius makes them
//! - **assumes**: a sharp rim has no normal, so the edge radius is positive
//! - **start at** [`Cylinder`]
//!
//! The body is its core, the cylinder with radius R − e and half length L − e, grown by e. The distance to a
//! grown body is the distance to the core less e, outside the core; inside, both boundaries share the nearest
//! face. The surface is C1: where rims meet cap and side the curvature jumps, and there the flat or straight
//! side answers.

use super::{
    Bounds, ConvexSurface, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError,
    SurfacePoint, finite, positive,
    revolution::{HalfPlane, MeridianFoot},
    sphere::direction,
};
use nalgebra::{Point3, Vector3};
use std::f64::consts::{FRAC_PI_2, TAU};

/// A cylinder around z with rounded rims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    radius: f64,
    half_length: f64,
    edge_radius: f64,
}

impl Cylinder {
    /// A cylinder from its outer radius (m), outer half length (m) and the radius of its rims (m),
    /// 0 < edge_radius ≤ min(radius, half_length).
    pub fn new(radius: f64, half_length: f64, edge_radius: f64) -> Result<Self, ShapeError> {
        let radius = positive("radius of the cylinder", radius)?;
        let half_length = positive("half length of the cylinder", half_length)?;
        let edge_radius = positive("edge radius of the cylinder", edge_radius)?;
        let largest = radius.min(half_length);
        if edge_radius > largest {
            return Err(ShapeError::Misfit {
                what: "edge radius of the cylinder",
                expected: format!("at most the lesser of radius and half length, {largest} m"),
                got: format!("{edge_radius} m"),
            });
        }
        Ok(Self { radius, half_length, edge_radius })
    }

    /// Outer radius (m).
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Outer half length (m).
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// Radius of the rims (m).
    pub fn edge_radius(&self) -> f64 {
        self.edge_radius
    }

    /// Radius and half length of the core, which grown by the edge radius is the body.
    fn core(&self) -> (f64, f64) {
        (self.radius - self.edge_radius, self.half_length - self.edge_radius)
    }

    /// The foot in the half-plane of the point.
    fn meridian_foot(&self, rho: f64, z: f64) -> MeridianFoot {
        let (core_r, core_z) = self.core();
        let (height, sign) = (z.abs(), if z < 0.0 { -1.0 } else { 1.0 });
        // A core without width has no cap of its own: the rims meet at the pole, which is round. Likewise a
        // core without length has no side.
        let beyond_side = rho > core_r || core_r == 0.0;
        let beyond_cap = height > core_z || core_z == 0.0;
        match (beyond_side, beyond_cap) {
            (true, true) => self.rim(rho - core_r, height - core_z, sign),
            (true, false) => self.side(rho, z),
            (false, true) => self.cap(rho, height, sign),
            (false, false) if core_r - rho <= core_z - height => self.side(rho, z),
            (false, false) => self.cap(rho, height, sign),
        }
    }

    fn side(&self, rho: f64, z: f64) -> MeridianFoot {
        MeridianFoot {
            r: self.radius,
            z,
            n_r: 1.0,
            n_z: 0.0,
            distance: rho - self.radius,
            k_meridian: 0.0,
            k_azimuthal: 1.0 / self.radius,
        }
    }

    fn cap(&self, rho: f64, height: f64, sign: f64) -> MeridianFoot {
        MeridianFoot {
            r: rho,
            z: sign * self.half_length,
            n_r: 0.0,
            n_z: sign,
            distance: height - self.half_length,
            k_meridian: 0.0,
            k_azimuthal: 0.0,
        }
    }

    /// Quarter of a torus with major radius R − e, or of a sphere when that is zero. `over_r`, `over_z` ≥ 0 is
    /// where the point is from the edge of the core.
    fn rim(&self, over_r: f64, over_z: f64, sign: f64) -> MeridianFoot {
        let (core_r, core_z) = self.core();
        let e = self.edge_radius;
        let (n, length) = direction(&Vector3::new(over_r, over_z, 0.0)).unwrap_or((Vector3::x(), 0.0));
        let r = core_r + e * n.x;
        MeridianFoot {
            r,
            z: sign * (core_z + e * n.y),
            n_r: n.x,
            n_z: sign * n.y,
            distance: length - e,
            k_meridian: 1.0 / e,
            k_azimuthal: if core_r == 0.0 { 1.0 / e } else { n.x / r },
        }
    }
}

impl Surface for Cylinder {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let plane = HalfPlane::through(p);
        Ok(plane.foot(&self.meridian_foot(plane.rho, p.z)))
    }

    fn bounds(&self) -> Bounds {
        Bounds::centred(Vector3::new(self.radius, self.radius, self.half_length))
    }
}

impl SmoothSurface for Cylinder {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        finite(near)?;
        let plane = HalfPlane::through(near);
        Ok(plane.surface_point(&self.meridian_foot(plane.rho, near.z)))
    }
}

impl ParametricSurface for Cylinder {
    /// u: angle around z (rad), v: length along the profile, top cap, rim, side, rim, bottom cap (m).
    fn domain(&self) -> Domain {
        let (core_r, core_z) = self.core();
        let half = core_r + FRAC_PI_2 * self.edge_radius + core_z;
        Domain { u: [0.0, TAU], v: [0.0, 2.0 * half], u_wraps: true, v_wraps: false }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        // The profile mirrors itself at mid-length; walk the upper half.
        let (core_r, core_z) = self.core();
        let (e, whole) = (self.edge_radius, self.domain().v[1]);
        let (along, sign) = if v <= 0.5 * whole { (v, 1.0) } else { (whole - v, -1.0) };
        let on_cap = along.clamp(0.0, core_r);
        let on_rim = (along - core_r).clamp(0.0, FRAC_PI_2 * e);
        let on_side = (along - core_r - FRAC_PI_2 * e).clamp(0.0, core_z);
        let angle = on_rim / e;
        let r = on_cap + e * angle.sin();
        Point3::new(r * u.cos(), r * u.sin(), sign * (core_z - on_side + e * angle.cos()))
    }
}

impl ConvexSurface for Cylinder {
    /// Along the axis the centre of a cap, square to it the middle of the side.
    fn support(&self, d: &Vector3<f64>) -> Point3<f64> {
        let (core_r, core_z) = self.core();
        let unit = direction(d).map_or(Vector3::x(), |(unit, _)| unit);
        let radial = direction(&Vector3::new(unit.x, unit.y, 0.0)).map_or(Vector3::zeros(), |(radial, _)| radial);
        let end = if unit.z == 0.0 { 0.0 } else { core_z.copysign(unit.z) };
        Point3::from(radial * core_r + Vector3::z() * end + unit * self.edge_radius)
    }

    fn least_radius(&self) -> f64 {
        self.edge_radius
    }
}
