//! # Bending: what a patch does to motions that change the curvature under it
//!
//! `patch` ──(load, semi-axes)──▶ **here** ──(action on B at C)──▶ steppers that follow the energy of the pose
//!
//! - **in**: a pressed pair of points, its shapes, its [`Grip`]
//! - **out**: −∂V/∂q at equal approach: an action on B at C, on A its negative at the same point
//! - **not here**: the force of the approach (`normal`); curves, whose wrench has it already (`strand`)
//! - **assumes**: surfaces whose shape operator has a derivative ([`Shape::bends`]); one patch of a patch theory
//! - **start at** [`ContactLaw::bending`]
//!
//! V of a patch depends on the approach and on the relative curvature R = A + B under it. Pressing settles so that V is least, so that
//! a gap raised by ½ xᵀdR x stores less by what the pressure p meets there,
//!
//! ```text
//! ∂V/∂R|δ = −½ ∫ p x xᵀ dA = −P/(4(k + 2)) diag(a², b²)        p = p₀ (1 − s²)^k; Hertz: k = ½
//! ```
//!
//! and R follows the motion by contact kinematics (`track::rolling`) with x_A, x_B the ways of both points,
//!
//! ```text
//! dR = Eᵀ(∂Dn_A x_A)E + Eᵀ(∂Dn_B x_B)E + w_n (J B − B J),   M x_A = a + B s,   x_B = (I + φA) x_A − s
//! ```

use super::{ContactLaw, Grip, Stiffness};
use crate::site::ContactSite;
use crate::spatial::SpatialForce;
use crate::surface::Shape;
use crate::track::{ClosestPair, project};
use nalgebra::{Isometry3, Matrix2, Matrix3x2, Point3, Vector2};

impl ContactLaw {
    /// The action on B at C, in world axes, of an energy that changes with the curvature under the patch.
    ///
    /// Nothing where the law is no patch, where the patch is cut off by its pad, where the points are not isolated, or where
    /// neither surface bends.
    pub fn bending(
        &self,
        grip: &Grip,
        site: &ContactSite,
        pair: &ClosestPair,
        (a, b): (&Shape, &Shape),
        X_AB: &Isometry3<f64>,
    ) -> SpatialForce {
        let none = SpatialForce::zero();
        let (Stiffness::Patch(theory), Some([along, across, exponent])) = (&self.stiffness, grip.patch) else {
            return none;
        };
        let turns = (pair.curvature_B[(0, 0)] - pair.curvature_B[(1, 1)]).abs() + pair.curvature_B[(0, 1)].abs() > 0.0;
        let still = !a.bends() && !b.bends() && !turns;
        if still || !pair.is_isolated() || along >= theory.extent * (1.0 - 1e-12) {
            return none;
        }
        // ∂V/∂R in the tangent axes.
        let share = -grip.load / (4.0 * (exponent + 2.0));
        let e = grip.axis;
        let f = Vector2::new(-e.y, e.x);
        let G = (e * e.transpose() * (along * along) + f * f.transpose() * (across * across)) * share;
        let of = |m: &Matrix2<f64>| G.component_mul(m).sum();

        let E_B = X_AB.rotation.inverse().to_rotation_matrix() * pair.E_A;
        let (Some(t_A), Some(t_B)) = (by_way(a, &pair.p_ACa, &pair.E_A, of), by_way(b, &pair.p_BCb, &E_B, of)) else {
            return none;
        };
        let (A, B, gap) = (&pair.curvature_A, &pair.curvature_B, pair.gap);
        let J = Matrix2::new(0.0, -1.0, 1.0, 0.0);
        let spin = of(&(J * B - B * J));
        let Some(inverse) = pair.matrix().try_inverse() else { return none };
        let tilt = inverse.tr_mul(&(t_A + t_B + A * t_B * gap));
        let slide = B * tilt - t_B;
        // Power: tilt · Eᵀ(w × n) + slide · Eᵀ v_Cb + spin n·w, with Cb = C + (1 − α) φ n.
        let beyond = (1.0 - site.alpha) * gap;
        let n = &site.nhat_W;
        let turn = n.cross(&(site.E_W * (tilt + slide * beyond))) + n * spin;
        -SpatialForce::new(turn, site.E_W * slide)
    }
}

/// How something linear in the curvature changes as the point goes along each axis; nothing where the surface cannot say.
fn by_way(
    shape: &Shape,
    p: &Point3<f64>,
    E: &Matrix3x2<f64>,
    of: impl Fn(&Matrix2<f64>) -> f64,
) -> Option<Vector2<f64>> {
    if !shape.bends() {
        return Some(Vector2::zeros());
    }
    let along = |i: usize| Some(of(&project(&shape.bending(p, &E.column(i).into())?, E)));
    Some(Vector2::new(along(0)?, along(1)?))
}
