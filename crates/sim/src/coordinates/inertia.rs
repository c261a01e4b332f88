//! # Inertia: how a body answers to a force
//!
//! body, its pose and velocity ──▶ **here** ──(inverse mass, bias)──▶ steppers, kicks
//!
//! - **in**: a body of a model, its pose and velocity at the centre of mass, the time
//! - **out**: [`Answer`]: V′ = W F + bias, for F at the centre of mass, everything in world axes, rotation first
//! - **not here**: forces; poses that are left to a restricted body (`restriction`)
//! - **start at** [`answer`]
//!
//! Motions u that are left to a body make V = J u, with columns (a, a × r) for a turn about a through P, r from P to the
//! centre of mass, and (0, e) for a slide along e. By projection on them:
//!
//! ```text
//! W = J (Jᵀ M J)⁻¹ Jᵀ,    bias = J′u − W (M J′u + (w × I w, 0)),    J′u = (0, w × (w × r))
//! ```

use crate::model::Model;
use crate::model::body::{Body, Mobility, Restriction};
use crate::state::BodyState;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Matrix3, Matrix6, Point3, Vector3, Vector6};

/// How a body answers to a force at its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Answer {
    /// W: what a unit of each moment (rows 0–2) and force (rows 3–5) adds to w′ and v′, in world axes.
    pub inverse_mass: Matrix6<f64>,
    /// w′ and v′ without force.
    pub bias: SpatialVelocity,
}

impl Answer {
    /// W F alone: the change of velocity by an action of unit time.
    pub fn of(&self, F: &SpatialForce) -> SpatialVelocity {
        let found = self.inverse_mass * stack(&F.t, &F.f);
        SpatialVelocity::new(found.fixed_rows::<3>(0).into(), found.fixed_rows::<3>(3).into())
    }

    /// W F + bias.
    pub fn acceleration(&self, F: &SpatialForce) -> SpatialVelocity {
        let V = self.of(F);
        SpatialVelocity::new(V.w + self.bias.w, V.v + self.bias.v)
    }
}

/// How a body answers to forces. Fixed and driven bodies do not: W is zero, the bias is the acceleration that is given.
pub(crate) fn answer(model: &Model, body: usize, now: &BodyState, t: f64) -> Answer {
    let (which, still) = (body, Answer { inverse_mass: Matrix6::zeros(), bias: SpatialVelocity::zero() });
    let body = &model.bodies()[which];
    let R = now.X_WBcm.rotation.to_rotation_matrix();
    let turned = |I_B: &Matrix3<f64>| R.matrix() * I_B * R.matrix().transpose();
    let w = &now.V_WBcm.w;
    match &body.mobility {
        // A link answers together with its tree.
        Mobility::Fixed | Mobility::Link { .. } => still,
        Mobility::Prescribed(motion) => {
            let p_WBcm = Point3::from(now.X_WBcm.translation.vector);
            Answer { bias: motion.acceleration_at(&p_WBcm, t), ..still }
        }
        Mobility::Free => {
            let mut inverse_mass = Matrix6::from_diagonal_element(1.0 / body.mass);
            let inverse = turned(model.inverse_inertia(which));
            inverse_mass.fixed_view_mut::<3, 3>(0, 0).copy_from(&inverse);
            let gyroscopic = w.cross(&(turned(&body.I_BBcm_B) * w));
            Answer { inverse_mass, bias: SpatialVelocity::new(-(inverse * gyroscopic), Vector3::zeros()) }
        }
        Mobility::Restricted(restriction) => {
            let I = turned(&body.I_BBcm_B);
            let arm = restriction.arm(body, &now.X_WBcm.rotation);
            restricted(restriction, body.mass, &I, &arm, w)
        }
    }
}

/// The answer of a restricted body, its inertia about the centre of mass in world axes.
fn restricted(restriction: &Restriction, mass: f64, I: &Matrix3<f64>, arm: &Vector3<f64>, w: &Vector3<f64>) -> Answer {
    let J = motions(restriction, arm);
    // M J, and Jᵀ M J with ones in place of motions that are locked.
    let mut MJ = J * mass;
    MJ.fixed_rows_mut::<3>(0).copy_from(&(I * J.fixed_rows::<3>(0)));
    let mut felt = J.tr_mul(&MJ);
    for k in 0..6 {
        if !kept(restriction, k) {
            felt[(k, k)] = 1.0;
        }
    }
    // Checked to be positive where the model was made; numbers beyond double precision show as such.
    let inverse = felt.cholesky().map_or(Matrix6::repeat(f64::NAN), |root| root.inverse());
    let inverse_mass = J * inverse * J.transpose();
    let swing = w.cross(&w.cross(arm));
    let resisted = stack(&w.cross(&(I * w)), &(swing * mass));
    let bias = stack(&Vector3::zeros(), &swing) - inverse_mass * resisted;
    let bias = SpatialVelocity::new(bias.fixed_rows::<3>(0).into(), bias.fixed_rows::<3>(3).into());
    Answer { inverse_mass, bias }
}

/// J: turns in the first three columns, slides in the others; zero where locked.
fn motions(restriction: &Restriction, arm: &Vector3<f64>) -> Matrix6<f64> {
    let (turns, slides) = restriction.directions();
    let mut J = Matrix6::zeros();
    for k in 0..3 {
        J.set_column(k, &stack(&turns[k], &turns[k].cross(arm)));
        J.set_column(3 + k, &stack(&Vector3::zeros(), &slides[k]));
    }
    J
}

fn kept(restriction: &Restriction, k: usize) -> bool {
    if k < 3 { restriction.turns[k] } else { restriction.slides[k - 3] }
}

fn stack(top: &Vector3<f64>, bottom: &Vector3<f64>) -> Vector6<f64> {
    Vector6::new(top.x, top.y, top.z, bottom.x, bottom.y, bottom.z)
}

/// The inertia that turns of a restricted body feel whatever its pose (kg·m²), in body axes: about P where P cannot slide,
/// else at least that about the centre of mass.
pub(crate) fn felt_inertia(body: &Body, restriction: &Restriction) -> Matrix3<f64> {
    if restriction.slides.iter().any(|slides| *slides) {
        return body.I_BBcm_B;
    }
    let arm = body.X_WB.rotation.inverse() * restriction.arm(body, &body.X_WB.rotation);
    body.I_BBcm_B + (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * body.mass
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Parts;
    use fingerpad_contact::surface::{Shape, Sphere};
    use nalgebra::Isometry3;

    fn body(mobility: Mobility) -> Body {
        let I = Matrix3::new(0.5, 0.05, -0.02, 0.05, 0.6, 0.04, -0.02, 0.04, 0.7);
        let mut body = Body::free("thing", Shape::Sphere(Sphere::new(0.1).unwrap()), 2.0, I).with(mobility);
        body.X_WB = Isometry3::new(Vector3::new(0.4, 0.1, -0.2), Vector3::new(0.3, -0.5, 0.8));
        body.p_BoBcm = Point3::new(0.1, 0.2, -0.1);
        body
    }

    fn answer_of(mobility: Mobility, w: Vector3<f64>) -> Answer {
        let model = Model::new(Parts { bodies: vec![body(mobility)], ..Parts::default() }).unwrap();
        let mut now = model.start().unwrap().bodies[0];
        now.V_WBcm.w = w;
        answer(&model, 0, &now, 0.0)
    }

    /// A body with every motion left is a free one; would catch a wrong arm or bias.
    #[test]
    fn all_motions_left_is_free() {
        let X_WF = Isometry3::new(Vector3::new(-0.3, 0.2, 0.9), Vector3::new(0.2, 0.1, 1.4));
        let w = Vector3::new(1.0, -2.0, 3.0);
        let free = answer_of(Mobility::Free, w);
        let all = Restriction { X_WF, slides: [true; 3], turns: [true; 3] };
        let restricted = answer_of(Mobility::Restricted(all), w);
        assert!((free.inverse_mass - restricted.inverse_mass).amax() < 1e-13 * free.inverse_mass.amax());
        assert!((free.bias.w - restricted.bias.w).norm() < 1e-13 && (free.bias.v - restricted.bias.v).norm() < 1e-13);
    }

    /// A hinge: moment over the inertia about its axis, and the pull to the centre.
    #[test]
    fn a_hinge_has_the_inertia_about_its_axis() {
        let X_WF = Isometry3::new(Vector3::new(-0.3, 0.2, 0.9), Vector3::new(0.2, 0.1, 1.4));
        let hinge = Restriction { X_WF, slides: [false; 3], turns: [false, true, false] };
        let axis = X_WF.rotation * Vector3::y();
        let found = answer_of(Mobility::Restricted(hinge), axis * 3.0);
        let b = body(Mobility::Free);
        let r = (b.X_WB * b.p_BoBcm).coords - X_WF.translation.vector;
        let across = r - axis * axis.dot(&r);
        let axis_B = b.X_WB.rotation.inverse() * axis;
        let I = axis_B.dot(&(b.I_BBcm_B * axis_B)) + 2.0 * across.norm_squared();
        let turned = found.of(&SpatialForce::new(axis * 5.0, Vector3::zeros()));
        assert!((turned.w - axis * (5.0 / I)).norm() < 1e-13);
        assert!((turned.v - (axis * (5.0 / I)).cross(&r)).norm() < 1e-13);
        assert!(found.bias.w.norm() < 1e-13 && (found.bias.v + across * 9.0).norm() < 1e-12);
    }
}
