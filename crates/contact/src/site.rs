//! # Contact site: what geometry and motion hand to any contact law
//!
//! `track` ──(closest pair)──▶ **here** ──(frame, gap, relative velocity, curvature)──▶ `law`, any formulation
//!
//! - **in**: a closest pair, poses and velocities of both bodies, where between the points C lies
//! - **out**: the contact frame in the world and the motion of B relative to A in it
//! - **not here**: forces (`law`)
//! - **start at** [`ContactSite::new`]
//!
//! C lies on the line between the closest points, `p_WC = (1 − α) p_WCa + α p_WCb`, at the share α of the deformation
//! that A takes (Stramigioli, eq. 32, inverted: `docs/decisions/0002-errata.md`). The tangent axes turn about the normal
//! with `frame_spin = α n·w_A + (1 − α) n·w_B`; only then is an elastic displacement carried along in them the difference
//! of two anchors, one in each body. SE(2) is not commutative, against (Stramigioli, remark 1): at 0.3 rad integration in
//! other axes errs by 15–30 %.

use crate::patch::RelativeCurvature;
use crate::spatial::{SpatialForce, SpatialVelocity};
use crate::track::ClosestPair;
use nalgebra::{Isometry3, Matrix2, Matrix3x2, Point3, Vector2, Vector3, Vector4};

/// The place of contact and the motion there, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSite {
    /// Contact point C (m).
    pub p_WC: Point3<f64>,
    /// Unit normal out of A into B.
    pub nhat_W: Vector3<f64>,
    /// Tangent axes: two orthonormal columns with e1 × e2 = nhat.
    pub E_W: Matrix3x2<f64>,
    /// Signed gap (m): positive apart.
    pub gap: f64,
    /// Rate of the gap (m/s).
    pub gap_rate: f64,
    /// Velocity of B less that of A at C, along the tangent axes (m/s).
    pub v_t: Vector2<f64>,
    /// Spin of B relative to A about the normal (rad/s).
    pub w_n: f64,
    /// Rate of the normal in the world (1/s); zero where the closest points are not isolated.
    pub nhat_rate_W: Vector3<f64>,
    /// Spin of the tangent axes about the normal (rad/s).
    pub frame_spin: f64,
    /// Sum of both curvatures in the tangent axes (1/m).
    pub curvature: Matrix2<f64>,
    /// Share of the deformation that A takes.
    pub alpha: f64,
}

impl ContactSite {
    /// The site of a closest pair. Velocities are told at the bodies' origins, in world axes.
    pub fn new(
        pair: &ClosestPair,
        X_WA: &Isometry3<f64>,
        V_WA: &SpatialVelocity,
        X_WB: &Isometry3<f64>,
        V_WB: &SpatialVelocity,
        alpha: f64,
    ) -> Self {
        let mut site = Self::without_turning(pair, X_WA, V_WA, X_WB, V_WB, alpha);
        // Contact kinematics in the tangent axes (track::rolling), with the velocity of B at Cb.
        let w_AB = V_WB.w - V_WA.w;
        let a = site.E_W.tr_mul(&w_AB.cross(&site.nhat_W));
        let s = site.v_t + a * ((1.0 - alpha) * pair.gap);
        let M = pair.matrix();
        let det = M.determinant();
        let c = a + pair.curvature_B * s;
        if det != 0.0 {
            let inverse = 1.0 / det;
            let x_A = Vector2::new(
                inverse * (M[(1, 1)] * c.x - M[(0, 1)] * c.y),
                inverse * (M[(0, 0)] * c.y - M[(1, 0)] * c.x),
            );
            site.nhat_rate_W += site.E_W * (pair.curvature_A * x_A);
        }
        site
    }

    /// The same without contact kinematics, for fixed steps that carry the memory from normal to normal: `nhat_rate_W`
    /// is that of a normal fixed in A.
    #[inline]
    pub fn without_turning(
        pair: &ClosestPair,
        X_WA: &Isometry3<f64>,
        V_WA: &SpatialVelocity,
        X_WB: &Isometry3<f64>,
        V_WB: &SpatialVelocity,
        alpha: f64,
    ) -> Self {
        let R_WA = X_WA.rotation.to_rotation_matrix();
        let R_WA = R_WA.matrix();
        let nhat_W = R_WA * pair.nhat_AB_A;
        let E_W = R_WA * pair.E_A;
        // C from Ca along the normal: the points differ by gap · n.
        let p_AoC_W = R_WA * pair.p_ACa.coords + nhat_W * (alpha * pair.gap);
        let p_WC = X_WA.translation.vector + p_AoC_W;
        let V_WAc = V_WA.shift(p_AoC_W);
        let V_WBc = V_WB.shift(p_WC - X_WB.translation.vector);
        let V_ABc = V_WBc - V_WAc;
        Self {
            p_WC: Point3::from(p_WC),
            nhat_W,
            E_W,
            gap: pair.gap,
            gap_rate: nhat_W.dot(&V_ABc.v),
            v_t: E_W.tr_mul(&V_ABc.v),
            w_n: nhat_W.dot(&V_ABc.w),
            nhat_rate_W: V_WA.w.cross(&nhat_W),
            frame_spin: alpha * nhat_W.dot(&V_WA.w) + (1.0 - alpha) * nhat_W.dot(&V_WB.w),
            curvature: pair.curvature_A + pair.curvature_B,
            alpha,
        }
    }

    /// Approach δ = −gap (m).
    #[inline]
    pub fn approach(&self) -> f64 {
        -self.gap
    }

    /// Principal curvatures of the gap.
    #[inline]
    pub fn relative_curvature(&self) -> RelativeCurvature {
        RelativeCurvature::new(&self.curvature, &Matrix2::zeros())
    }

    /// The projection P of (Stramigioli, eq. 26): of a velocity of B relative to A, told at C, what stores or loses
    /// energy: (gap rate, v1, v2, spin about the normal). Rolling is left out.
    pub fn project(&self, V_ABc_W: &SpatialVelocity) -> Vector4<f64> {
        let v_t = self.E_W.tr_mul(&V_ABc_W.v);
        Vector4::new(self.nhat_W.dot(&V_ABc_W.v), v_t.x, v_t.y, self.nhat_W.dot(&V_ABc_W.w))
    }

    /// Its adjoint P* (Stramigioli, eq. 27): loads along those four motions as an action on B at C.
    pub fn embed(&self, load: &Vector4<f64>) -> SpatialForce {
        let f = self.nhat_W * load[0] + self.E_W * Vector2::new(load[1], load[2]);
        SpatialForce::new(self.nhat_W * load[3], f)
    }
}
