//! # Restriction: the poses and velocities that are left to a body
//!
//! - **in**: a body whose motions are restricted, its pose and velocity at the centre of mass
//! - **out**: the nearest pose and velocity among those that are left
//! - **not here**: how it answers to forces ([`inertia`](crate::coordinates::inertia))
//! - **start at** [`Restriction::keep`]
//!
//! P is the point of the body at the origin of F when the body frame is at `Body::X_WB`. Its coordinates along locked
//! axes of F are zero; the turn from the attitude of `Body::X_WB` is about the axis that is left.

use crate::model::body::{Body, Restriction};
use crate::state::BodyState;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

impl Restriction {
    /// Axes of F in the world, with whether the body slides along and turns about each.
    fn axes(&self) -> [(Vector3<f64>, bool, bool); 3] {
        let axis = |k: usize| (self.X_WF.rotation * Vector3::ith(k, 1.0), self.slides[k], self.turns[k]);
        [axis(0), axis(1), axis(2)]
    }

    /// Directions of motion: about axes that are left, along axes that are left; zero where locked.
    pub(crate) fn directions(&self) -> ([Vector3<f64>; 3], [Vector3<f64>; 3]) {
        let axes = self.axes();
        let of = |kept: bool, axis: Vector3<f64>| if kept { axis } else { Vector3::zeros() };
        (axes.map(|(axis, _, turns)| of(turns, axis)), axes.map(|(axis, slides, _)| of(slides, axis)))
    }

    /// From P to the centre of mass, in the world (m).
    pub(crate) fn arm(&self, body: &Body, attitude: &UnitQuaternion<f64>) -> Vector3<f64> {
        let p_BoP = body.X_WB.rotation.inverse() * (self.X_WF.translation.vector - body.X_WB.translation.vector);
        attitude * (body.p_BoBcm.coords - p_BoP)
    }

    /// The part of a vector along the axes in `kept`.
    fn along(&self, kept: &[bool; 3], v: &Vector3<f64>) -> Vector3<f64> {
        if kept.iter().all(|kept| *kept) {
            return *v;
        }
        let part = self.X_WF.rotation.inverse() * v;
        self.X_WF.rotation * Vector3::from_fn(|k, _| if kept[k] { part[k] } else { 0.0 })
    }

    /// The nearest attitude among those that are left.
    fn attitude(&self, start: &UnitQuaternion<f64>, now: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        match self.turns.iter().filter(|turns| **turns).count() {
            0 => *start,
            1 => {
                let turn = now * start.inverse();
                let axis = self.along(&self.turns, &turn.imag());
                let twist = Quaternion::from_parts(turn.w, axis);
                // Half a turn about another axis has no part about this one: any will do.
                UnitQuaternion::try_new(twist, 1e-150).map_or(*start, |twist| twist * start)
            }
            _ => *now,
        }
    }

    /// The nearest pose of a body that slides without turning, to a place of its centre of mass.
    pub(crate) fn slid_to(&self, body: &Body, p_WBcm: &Vector3<f64>) -> Isometry3<f64> {
        let from = (body.X_WB * body.p_BoBcm).coords;
        let p = from + self.along(&self.slides, &(p_WBcm - from));
        Isometry3::from_parts(p.into(), body.X_WB.rotation)
    }

    /// The nearest pose and velocity that are left.
    pub(crate) fn keep(&self, body: &Body, now: &BodyState) -> BodyState {
        let mut kept = *now;
        let origin = self.X_WF.translation.vector;
        kept.X_WBcm.rotation = self.attitude(&body.X_WB.rotation, &now.X_WBcm.rotation);
        let arm = self.arm(body, &kept.X_WBcm.rotation);
        let slid = now.X_WBcm.translation.vector - self.arm(body, &now.X_WBcm.rotation) - origin;
        kept.X_WBcm.translation.vector = origin + self.along(&self.slides, &slid) + arm;
        let w = self.along(&self.turns, &now.V_WBcm.w);
        let v_P = self.along(&self.slides, &(now.V_WBcm.v - now.V_WBcm.w.cross(&arm)));
        kept.V_WBcm = SpatialVelocity::new(w, v_P + w.cross(&arm));
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingerpad_contact::surface::{Shape, Sphere};
    use nalgebra::{Matrix3, Point3};

    /// A pose that is reached by a slide and a turn that are left stays; off-axis tilts and shifts are taken away.
    #[test]
    fn kept_poses_stay_and_others_come_back() {
        let X_WF = Isometry3::new(Vector3::new(0.3, -0.2, 0.5), Vector3::new(0.4, 1.1, -0.3));
        let restriction = Restriction { X_WF, slides: [true, false, false], turns: [false, false, true] };
        let mut body = Body::free("arm", Shape::Sphere(Sphere::new(0.1).unwrap()), 1.0, Matrix3::identity());
        body.X_WB = Isometry3::new(Vector3::new(1.0, 0.1, 0.2), Vector3::new(-0.7, 0.2, 0.9));
        body.p_BoBcm = Point3::new(0.05, 0.02, -0.04);
        // In F: turned by 2.1 about z, slid by 0.7 along x.
        let moved = X_WF * Isometry3::new(Vector3::new(0.7, 0.0, 0.0), Vector3::new(0.0, 0.0, 2.1)) * X_WF.inverse();
        let X_WB = moved * body.X_WB;
        let p = X_WB * body.p_BoBcm;
        let (axis, along) = (X_WF.rotation * Vector3::z(), X_WF.rotation * Vector3::x());
        let arm = p - moved * Point3::from(X_WF.translation.vector);
        let V_WBcm = SpatialVelocity::new(axis * 3.0, along * 0.4 + (axis * 3.0).cross(&arm));
        let now = BodyState { X_WBcm: Isometry3::from_parts(p.into(), X_WB.rotation), V_WBcm };
        let kept = restriction.keep(&body, &now);
        let apart = |a: &BodyState, b: &BodyState| {
            (a.X_WBcm.translation.vector - b.X_WBcm.translation.vector).norm()
                + a.X_WBcm.rotation.angle_to(&b.X_WBcm.rotation)
                + (a.V_WBcm.v - b.V_WBcm.v).norm()
                + (a.V_WBcm.w - b.V_WBcm.w).norm()
        };
        assert!(apart(&kept, &now) < 1e-14, "{}", apart(&kept, &now));
        let tilt = UnitQuaternion::from_scaled_axis(along * 1e-3);
        let mut off = now;
        off.X_WBcm.rotation = tilt * off.X_WBcm.rotation;
        off.X_WBcm.translation.vector += X_WF.rotation * Vector3::y() * 1e-3;
        off.V_WBcm.w += along;
        let back = restriction.keep(&body, &off);
        assert!(apart(&restriction.keep(&body, &back), &back) < 1e-14);
        assert!((back.V_WBcm.w - now.V_WBcm.w).norm() < 1e-14);
        assert!(back.X_WBcm.rotation.angle_to(&now.X_WBcm.rotation) < 1e-6);
    }
}
