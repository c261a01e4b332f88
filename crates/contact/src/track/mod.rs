//! # Closest points: where two surfaces are nearest, and how those points move
//!
//! `surface` ──(p, n, Dn)──▶ **here** ──(points, gap, curvatures, rates)──▶ patch, law
//!
//! - **in**: two shapes A and B and the pose `X_AB`
//! - **out**: [`ClosestPair`]: points Ca, Cb, normal out of A, signed gap, curvatures; rates from a twist
//! - **not here**: forces
//! - **assumes**: poses are finite; bodies move little between updates of a [`Tracker`]
//! - **start at** [`closest_points`] (once, global), then [`Tracker`] (along a motion) and [`ContactSet`] (all places,
//!   [`faces`] included)
//!
//! [`seed`] finds candidates for any pair, [`refine`] makes one exact by Newton on a 2×2 system,
//! [`rolling`] tells how the points move with the bodies. The gap always comes from geometry, never from
//! integration: `phi = (p_Cb − p_Ca)·nhat_AB`, positive apart, negative when the bodies overlap.

pub mod contacts;
mod convex;
mod direct;
mod edged;
pub mod faces;
mod hollow;
mod local;
mod motion;
#[cfg(feature = "parry")]
mod parry;
pub mod refine;
pub mod rolling;
mod search;
pub mod seed;
pub mod strand;
mod tips;
mod tracker;

pub use contacts::{Contact, ContactLimits, ContactSet};
pub use faces::{Face, FaceContact, FaceLimits, faces_of};
pub use rolling::{Rates, rates};
pub use seed::closest_points;
pub use strand::{PlacedStrand, StrandContact, StrandPlace};
pub use tracker::{Tracker, TrackerEvent};

use crate::surface::{SurfaceError, SurfacePoint};
use nalgebra::{Isometry3, Matrix2, Matrix3, Matrix3x2, Point3, Vector3};

/// What contacts ask of a mesh, found once and kept with it.
pub(crate) struct OnMesh {
    pub faces: Vec<Face>,
    pub curves: Vec<strand::Curve>,
}

/// The flat faces of a mesh, and its curves.
pub(crate) fn on_mesh(mesh: &crate::surface::mesh::MeshSurface) -> std::sync::Arc<OnMesh> {
    mesh.derived(|| OnMesh { faces: faces::faces_of_mesh(mesh), curves: strand::curves_of_mesh(mesh) })
}

/// The closest points of two surfaces, with what contact mechanics asks of them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPair {
    /// Closest point on A, in A (m).
    pub p_ACa: Point3<f64>,
    /// Closest point on B, in B (m).
    pub p_BCb: Point3<f64>,
    /// Unit normal out of A into B, in the axes of A.
    pub nhat_AB_A: Vector3<f64>,
    /// Signed gap (m): positive apart, negative overlapping.
    pub gap: f64,
    /// Tangent basis: two orthonormal columns, in the axes of A, with e1 × e2 = nhat.
    pub E_A: Matrix3x2<f64>,
    /// Curvature of A at Ca in the basis `E_A` (1/m), positive for convex.
    pub curvature_A: Matrix2<f64>,
    /// Curvature of B at Cb in the basis `E_A` (1/m).
    pub curvature_B: Matrix2<f64>,
    /// What is left of the conditions (points on one normal, normals opposite), as a length (m).
    pub residual: f64,
    /// Newton steps taken.
    pub steps: u32,
}

/// The gaps for which the closest points move smoothly with the bodies, around 0 (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapInterval {
    /// Deepest penetration, negative; −∞ if there is no limit.
    pub min: f64,
    /// Widest gap, positive; +∞ if there is no limit (two convex bodies).
    pub max: f64,
}

/// Share of tr(A + B)² below which the determinant counts as zero.
pub const DEGENERATE: f64 = 1e-9;

impl ClosestPair {
    /// The pair from one point on each surface, both in A.
    #[inline]
    pub(crate) fn from_points(a: &SurfacePoint, b_A: &SurfacePoint, X_AB: &Isometry3<f64>) -> Self {
        let E_A = tangent_basis(&a.nhat);
        let between = b_A.p - a.p;
        Self {
            p_ACa: a.p,
            p_BCb: X_AB.inverse_transform_point(&b_A.p),
            nhat_AB_A: a.nhat,
            gap: a.nhat.dot(&between),
            E_A,
            curvature_A: project(&a.Dn, &E_A),
            curvature_B: project(&b_A.Dn, &E_A),
            residual: 0.0,
            steps: 0,
        }
    }

    /// The matrix of contact kinematics, A + B + φ B A (1/m).
    #[inline]
    pub fn matrix(&self) -> Matrix2<f64> {
        self.curvature_A + self.curvature_B + self.curvature_B * self.curvature_A * self.gap
    }

    /// Whether the closest points are isolated: not a line or an area of equally close points, nor a saddle.
    #[inline]
    pub fn is_isolated(&self) -> bool {
        let sum = self.curvature_A.trace() + self.curvature_B.trace();
        let det = self.matrix().determinant();
        det > DEGENERATE * sum * sum && self.validity().contains(self.gap)
    }

    /// The gaps for which contact kinematics stay valid at these curvatures.
    ///
    /// ```text
    /// det M(φ) = det(A+B) + φ tr(adj(A+B) B A) + φ² det A det B
    /// ```
    ///
    /// The open interval around 0 without a root. For two convex bodies the lower end is −λ_min(A⁻¹ + B⁻¹) and
    /// there is no upper end; (Stramigioli, §4.2) names only the lower one, but a hollow has both: a ball of
    /// radius r at the bottom of a bowl of radius R ends at φ = R − r.
    pub fn validity(&self) -> GapInterval {
        let sum = self.curvature_A + self.curvature_B;
        let adjugate = Matrix2::new(sum[(1, 1)], -sum[(0, 1)], -sum[(1, 0)], sum[(0, 0)]);
        let c0 = sum.determinant();
        let c1 = (adjugate * self.curvature_B * self.curvature_A).trace();
        let c2 = self.curvature_A.determinant() * self.curvature_B.determinant();
        let mut interval = GapInterval { min: f64::NEG_INFINITY, max: f64::INFINITY };
        for root in roots(c0, c1, c2).into_iter().flatten() {
            if root < 0.0 {
                interval.min = interval.min.max(root);
            } else if root > 0.0 {
                interval.max = interval.max.min(root);
            }
        }
        interval
    }

    /// The same pair seen from B: A and B exchanged.
    pub fn swapped(&self, X_AB: &Isometry3<f64>) -> Self {
        let to_B = |v: Vector3<f64>| X_AB.rotation.inverse() * v;
        let nhat = to_B(-self.nhat_AB_A);
        // Exchanging the columns keeps e1 × e2 along the new normal.
        let E = Matrix3x2::from_columns(&[to_B(self.E_A.column(1).into()), to_B(self.E_A.column(0).into())]);
        let turn = |m: &Matrix2<f64>| Matrix2::new(m[(1, 1)], m[(1, 0)], m[(0, 1)], m[(0, 0)]);
        Self {
            p_ACa: self.p_BCb,
            p_BCb: self.p_ACa,
            nhat_AB_A: nhat,
            E_A: E,
            curvature_A: turn(&self.curvature_B),
            curvature_B: turn(&self.curvature_A),
            ..*self
        }
    }
}

impl GapInterval {
    /// Whether the gap lies inside.
    #[inline]
    pub fn contains(&self, gap: f64) -> bool {
        gap > self.min && gap < self.max
    }
}

/// Real roots of c0 + c1 x + c2 x², without cancellation.
fn roots(c0: f64, c1: f64, c2: f64) -> [Option<f64>; 2] {
    let discriminant = c1 * c1 - 4.0 * c0 * c2;
    // A double root (two spheres: det M is a square) may come out slightly negative.
    let scale = c1 * c1 + (4.0 * c0 * c2).abs();
    if discriminant < -8.0 * f64::EPSILON * scale || scale == 0.0 {
        return [None, None];
    }
    let half = -0.5 * (c1 + discriminant.max(0.0).sqrt().copysign(c1));
    let finite = |x: f64| if x.is_finite() { Some(x) } else { None };
    [finite(half / c2), finite(c0 / half)]
}

/// Two unit vectors that complete the unit vector n to a right-handed frame, without branches or square roots.
///
/// (Duff)
#[inline]
pub fn tangent_basis(n: &Vector3<f64>) -> Matrix3x2<f64> {
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    Matrix3x2::new(
        1.0 + sign * n.x * n.x * a,
        b, //
        sign * b,
        sign + n.y * n.y * a, //
        -sign * n.x,
        -n.y,
    )
}

/// Eᵀ D E for a symmetric D.
#[inline]
pub(crate) fn project(D: &Matrix3<f64>, E: &Matrix3x2<f64>) -> Matrix2<f64> {
    let (e1, e2) = (E.column(0), E.column(1));
    let (d1, d2) = (D * e1, D * e2);
    let off = e1.dot(&d2);
    Matrix2::new(e1.dot(&d1), off, off, e2.dot(&d2))
}

/// Moves a surface point of B into A.
#[inline]
pub(crate) fn into_A(b: &SurfacePoint, X_AB: &Isometry3<f64>) -> SurfacePoint {
    let R = X_AB.rotation.to_rotation_matrix();
    let R = R.matrix();
    SurfacePoint {
        p: Point3::from(R * b.p.coords + X_AB.translation.vector),
        nhat: R * b.nhat,
        Dn: R * b.Dn * R.transpose(),
    }
}

/// Why no closest points could be given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// A pose or twist was NaN or infinite.
    #[error("{what} must be finite, got {got}")]
    NotFinite {
        /// Which quantity.
        what: &'static str,
        /// What came.
        got: String,
    },
    /// Neither surface is bounded, so that there is nothing to start from.
    #[error("{a} against {b}: at least one surface must be bounded (give the graph a domain)")]
    Unbounded {
        /// Kind of A.
        a: &'static str,
        /// Kind of B.
        b: &'static str,
    },
    /// No candidate led to a pair of points with opposite normals on one line.
    #[error(
        "{a} against {b}: no pair of closest points found (tried {tried} starts; the surfaces may be closest at a rim or a hole)"
    )]
    NoPair {
        /// Kind of A.
        a: &'static str,
        /// Kind of B.
        b: &'static str,
        /// Candidates tried.
        tried: usize,
    },
    /// A search had more to look at than one may: whether the bodies touch is not known.
    #[error(
        "{a} against {b}: the search for contacts is not resolved (more than {} parts of the surface are near; use a coarser mesh or map, or `surface = \"hull\"`)",
        search::MOST
    )]
    Unresolved {
        /// Kind of A.
        a: &'static str,
        /// Kind of B.
        b: &'static str,
    },
    /// A surface could not answer.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
}

/// The pose if all its numbers are finite.
pub(crate) fn finite_pose(X_AB: &Isometry3<f64>) -> Result<(), TrackError> {
    let t = &X_AB.translation.vector;
    let q = &X_AB.rotation.coords;
    if (t.sum() + q.sum()).is_finite() {
        Ok(())
    } else {
        Err(TrackError::NotFinite { what: "the pose of B in A", got: format!("{:?} {:?}", t.as_slice(), q.as_slice()) })
    }
}
