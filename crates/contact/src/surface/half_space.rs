//! # Half-space: the solid below the plane z = 0
//!
//! point (m) ──▶ **here** ──(foot, +z, Dn = 0)──▶ `track`
//!
//! - **in**: a point in S
//! - **out**: the point below or above it on the plane, the normal +z, no curvature
//! - **not here**: a plane elsewhere: give the body another pose
//! - **assumes**: the plane has no edge; its bounds are infinite, so it has no parameter rectangle
//! - **start at** [`HalfSpace`]

use super::{Bounds, Foot, SmoothSurface, Surface, SurfaceError, SurfacePoint, finite};
use nalgebra::{Matrix3, Point3, Vector3};

/// The solid z ≤ 0, with outward normal +z everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HalfSpace;

impl Surface for HalfSpace {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        Ok(Foot { p: Point3::new(p.x, p.y, 0.0), nhat: Vector3::z(), distance: p.z })
    }

    fn bounds(&self) -> Bounds {
        let far = f64::INFINITY;
        Bounds { min: Point3::new(-far, -far, -far), max: Point3::new(far, far, 0.0) }
    }
}

impl SmoothSurface for HalfSpace {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        let foot = self.closest_point(near)?;
        Ok(SurfacePoint { p: foot.p, nhat: foot.nhat, Dn: Matrix3::zeros() })
    }
}
