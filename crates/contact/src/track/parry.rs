//! # The adaptor to parry: GJK and EPA on shrunken bodies
//!
//! - **in**: two convex bodies by their support points
//! - **out**: a start near their closest points
//! - **not here**: half-spaces and maps, where parry 0.31.1 gives wrong answers (`docs/decisions/0003-parry.md`)
//! - **start at** [`closest`]
//!
//! Only parry's support-map algorithms are used, never its shapes: a body shrunk by its least radius of curvature
//! is still convex (an inner parallel body), so shallow penetration is a plain distance between cores, which GJK
//! does well. Only where cores overlap does EPA come in. Its answers are starts for Newton, never results.
//!
//! parry speaks glam; nothing of it leaves this file.

use super::seed::Start;
use crate::surface::ConvexSurface;
use nalgebra::{Isometry3, Point3, Vector3};
use parry3d_f64::glamx::DQuat;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::contact::contact_support_map_support_map_with_params;
use parry3d_f64::query::gjk::{GJKResult, VoronoiSimplex};
use parry3d_f64::shape::SupportMap;

/// A convex body shrunk by its least radius.
struct Core<'a> {
    body: &'a dyn ConvexSurface,
    radius: f64,
}

impl SupportMap for Core<'_> {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let d = from_glam(direction);
        let Some(unit) = d.try_normalize(0.0) else { return Vector::ZERO };
        to_glam(&(self.body.support(&unit).coords - unit * self.radius))
    }
}

/// A start near the closest points of two convex bodies.
pub fn closest(a: &dyn ConvexSurface, b: &dyn ConvexSurface, X_AB: &Isometry3<f64>) -> Option<Start> {
    // Slightly less than the least radius: cores keep a smooth, non-degenerate boundary.
    let core = |body| Core { body, radius: 0.999 * ConvexSurface::least_radius(body) };
    let (core_A, core_B) = (core(a), core(b));
    let q = X_AB.rotation.coords;
    let pose = Pose { rotation: DQuat::from_xyzw(q.x, q.y, q.z, q.w), translation: to_glam(&X_AB.translation.vector) };
    let mut simplex = VoronoiSimplex::new();
    // EPA of parry 0.31.1 indexes out of bounds (epa3.rs:100) on bodies of extreme size ratio. A start is worth
    // having, not worth a panic: without one the spread of directions serves.
    let attempt = std::panic::AssertUnwindSafe(|| {
        contact_support_map_support_map_with_params(&pose, &core_A, &core_B, f64::MAX, &mut simplex, None)
    });
    let result = std::panic::catch_unwind(attempt).ok()?;
    // parry gives both points and the normal in the frame of the first body.
    let GJKResult::ClosestPoints(p_A, p_B, normal) = result else { return None };
    let (p_A, p_B, n) = (from_glam(p_A), from_glam(p_B), from_glam(normal));
    let n = n.try_normalize(0.0)?;
    let on_A = p_A + n * core_A.radius;
    let on_B = X_AB.inverse_transform_point(&Point3::from(p_B - n * core_B.radius));
    Some(Start { p_A: Point3::from(on_A), p_B: on_B })
}

fn to_glam(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn from_glam(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}
