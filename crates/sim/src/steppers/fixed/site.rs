//! # Site: where a contact is at the start of a step, and how it goes on
//!
//! - **in**: closest points at the start, bodies with their motion as guessed
//! - **out**: normal, place and their rates, for `rows`; vectors of a tangent plane carried to another
//! - **assumes**: the normal turns and the place moves as contact kinematics say; no geometry is asked for
//! - **start at** [`Site::new`], [`Carry`]

use super::solver_body::SolverBody;
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::track::ClosestPair;
use nalgebra::{Isometry3, Matrix2, Matrix3, Matrix3x2, Point3, Vector2, Vector3};

/// A contact's place at the start of a step, in the world, and how it moves.
pub struct Site {
    pub n0: Vector3<f64>,
    pub E: Matrix3x2<f64>,
    pub c: Vector3<f64>,
    pub n_rate: Vector3<f64>,
    pub c_rate: Vector3<f64>,
    pub gap_rate: f64,
    pub spin: f64,
}

impl Site {
    /// From the closest points at the start, with the motions as guessed for the step.
    #[inline]
    pub fn new(
        (pair, gap): (&ClosestPair, f64),
        (R, p): (&Matrix3<f64>, &Vector3<f64>),
        A: &SolverBody,
        B: &SolverBody,
        alpha: f64,
    ) -> Self {
        let n0 = R * pair.nhat_AB_A;
        let E = R * pair.E_A;
        let p_Ca = p + R * pair.p_ACa.coords;
        let c = p_Ca + n0 * (alpha * gap);
        let (w_A, w_B) = (A.turning(), B.turning());
        let at = |body: &SolverBody, w: &Vector3<f64>, p: &Vector3<f64>| {
            body.v_step + w.cross(&(p - body.X.translation.vector))
        };
        let v_ACa = at(A, &w_A, &p_Ca);
        let v_rel = at(B, &w_B, &c) - at(A, &w_A, &c);
        let gap_rate = n0.dot(&v_rel);
        // Contact kinematics (track::rolling).
        let turning = E.tr_mul(&(w_B - w_A).cross(&n0));
        let s = E.tr_mul(&v_rel) + turning * ((1.0 - alpha) * gap);
        let M = pair.matrix();
        let det = M.determinant();
        let sum = pair.curvature_A.trace() + pair.curvature_B.trace();
        let r = turning + pair.curvature_B * s;
        let x_A = if det.abs() > 1e-12 * sum * sum {
            Vector2::new(M[(1, 1)] * r.x - M[(0, 1)] * r.y, M[(0, 0)] * r.y - M[(1, 0)] * r.x) / det
        } else {
            Vector2::zeros()
        };
        let n_rate = w_A.cross(&n0) + E * (pair.curvature_A * x_A);
        let c_rate = v_ACa + E * x_A + (n0 * gap_rate + n_rate * gap) * alpha;
        Self { n0, E, c, n_rate, c_rate, gap_rate, spin: alpha * n0.dot(&w_A) + (1.0 - alpha) * n0.dot(&w_B) }
    }

    /// The same where nothing moves.
    pub fn still((pair, gap): (&ClosestPair, f64), X_WA: &Isometry3<f64>, alpha: f64) -> Self {
        let R = X_WA.rotation.to_rotation_matrix();
        let (R, zero) = (R.matrix(), Vector3::zeros());
        let n0 = R * pair.nhat_AB_A;
        let c = X_WA.translation.vector + R * pair.p_ACa.coords + n0 * (alpha * gap);
        Self { n0, E: R * pair.E_A, c, n_rate: zero, c_rate: zero, gap_rate: 0.0, spin: 0.0 }
    }
}

/// Approach at the end of the step as the velocities guessed would have it.
#[inline]
pub fn expected_approach(
    pair: &ClosestPair,
    gap: f64,
    X_WA: &Isometry3<f64>,
    A: &SolverBody,
    B: &SolverBody,
    h: f64,
) -> f64 {
    let n = X_WA.rotation.transform_vector(&pair.nhat_AB_A);
    let p = X_WA * pair.p_ACa;
    let at = |body: &SolverBody| body.v_step + body.turning().cross(&(p.coords - body.X.translation.vector));
    -gap - h * n.dot(&(at(B) - at(A)))
}

/// A site with the place and curvature of a pair, and no motion.
pub fn still_site(site: &Site, pair: &ClosestPair, gap: f64) -> ContactSite {
    ContactSite {
        p_WC: Point3::from(site.c),
        nhat_W: site.n0,
        E_W: site.E,
        gap,
        gap_rate: 0.0,
        v_t: Vector2::zeros(),
        w_n: 0.0,
        nhat_rate_W: Vector3::zeros(),
        frame_spin: 0.0,
        curvature: curvature_of(pair),
        alpha: 0.5,
    }
}

/// Sum of both curvatures (1/m).
fn curvature_of(pair: &ClosestPair) -> Matrix2<f64> {
    pair.curvature_A + pair.curvature_B
}

/// How vectors of a tangent plane come along with it: the shortest turn from one normal to the other, and a turn about
/// the normal by Cayley's rotation.
#[derive(Clone, Copy, Debug)]
pub struct Carry {
    from: Vector3<f64>,
    to: Vector3<f64>,
    /// (from + to)/(1 + from·to).
    across: Vector3<f64>,
    cos: f64,
    sin: f64,
    /// Turned before it is carried, not after.
    before: bool,
}

impl Carry {
    /// To the plane of another normal, then about it.
    #[inline]
    pub fn after(from: &Vector3<f64>, to: &Vector3<f64>, angle: f64) -> Self {
        Self::new(from, to, angle, false)
    }

    /// About the normal, then to the plane of another.
    #[inline]
    pub fn before(from: &Vector3<f64>, to: &Vector3<f64>, angle: f64) -> Self {
        Self::new(from, to, angle, true)
    }

    #[inline]
    fn new(from: &Vector3<f64>, to: &Vector3<f64>, angle: f64, before: bool) -> Self {
        let half = 0.5 * angle;
        let scale = 1.0 / (1.0 + half * half);
        let across = (from + to) / (1.0 + from.dot(to));
        let (cos, sin) = ((1.0 - half * half) * scale, 2.0 * half * scale);
        Self { from: *from, to: *to, across, cos, sin, before }
    }

    /// A vector of the first plane in the second.
    #[inline]
    pub fn of(&self, v: &Vector3<f64>) -> Vector3<f64> {
        let along = |v: &Vector3<f64>| v - self.across * v.dot(&self.to);
        let about = |v: &Vector3<f64>, n: &Vector3<f64>| v * self.cos + n.cross(v) * self.sin;
        if self.before { along(&about(v, &self.from)) } else { about(&along(v), &self.to) }
    }
}
