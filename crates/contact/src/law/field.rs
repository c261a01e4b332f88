//! # Tensor fields: stiffness and damping that differ over a surface and by direction
//!
//! - **in**: one field on each body, in its own axes
//! - **out**: their series at a contact ([`FieldSample`]), in the tangent axes of the site
//! - **start at** [`TensorField`], then [`FieldPair::sample`]
//!
//! (Stramigioli, eqs 29, 37) attach to every surface point a stiffness and a damping on se(2) × T; in contact they lie in
//! series, K = (K₁⁻¹ + K₂⁻¹)⁻¹ (eq. 30) and likewise B (eq. 38), which is exact only where B₁K₁⁻¹ = B₂K₂⁻¹. B is
//! computed as B₁ (B₁ + B₂)⁻¹ B₂, so that one body without damping is allowed.

use super::normal::STILL;
use super::{Constants, Grip};
use crate::friction::TangentialStiffness;
use crate::symmetric::{eigen, is_positive};
use crate::track::{ClosestPair, project};
use nalgebra::{Isometry3, Matrix2, Matrix3, Point3, Vector2, Vector3};
use std::fmt;
use std::sync::Arc;

/// Stiffness (or damping) of a surface at one point, in the axes of its body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceTensor {
    /// Along the surface: symmetric; its part in the tangent plane counts (N/m, or N·s/m).
    pub tangential: Matrix3<f64>,
    /// About the normal (N·m/rad, or N·m·s/rad).
    pub torsional: f64,
    /// Along the normal (N/mⁿ, or N·s/m).
    pub normal: f64,
}

/// Why a field cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldError {
    /// Not positive definite in the tangent plane.
    #[error("the {what} of body {body} at ({x}, {y}, {z}) m must be symmetric, positive and finite, got {got}")]
    NotPositive {
        /// Stiffness or damping.
        what: &'static str,
        /// A or B.
        body: &'static str,
        /// Where (m, in the body).
        x: f64,
        /// Where (m, in the body).
        y: f64,
        /// Where (m, in the body).
        z: f64,
        /// The tensor in the tangent plane, its torsional and normal parts.
        got: String,
    },
}

/// A tensor at every point of a surface.
#[derive(Clone)]
pub enum TensorField {
    /// The same everywhere.
    Constant(SurfaceTensor),
    /// By region: the first ball (centre and radius, m) that holds the point, else the last entry.
    Regions(Vec<(Point3<f64>, f64, SurfaceTensor)>, SurfaceTensor),
    /// A function of the point and the outward normal, in the body.
    Function(Arc<TensorFunction>),
}

/// A tensor from a surface point and the outward normal there, both in the body.
pub type TensorFunction = dyn Fn(&Point3<f64>, &Vector3<f64>) -> SurfaceTensor + Send + Sync;

impl fmt::Debug for TensorField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TensorField::Constant(tensor) => write!(f, "Constant({tensor:?})"),
            TensorField::Regions(regions, _) => write!(f, "Regions({} balls)", regions.len()),
            TensorField::Function(_) => write!(f, "Function"),
        }
    }
}

impl TensorField {
    /// The tensor at a point of the surface.
    pub fn at(&self, p: &Point3<f64>, nhat: &Vector3<f64>) -> SurfaceTensor {
        match self {
            TensorField::Constant(tensor) => *tensor,
            TensorField::Regions(regions, rest) => regions
                .iter()
                .find(|(centre, radius, _)| (p - centre).norm_squared() <= radius * radius)
                .map_or(*rest, |(_, _, tensor)| *tensor),
            TensorField::Function(function) => function(p, nhat),
        }
    }
}

/// Fields of both bodies of a pair.
#[derive(Clone, Debug)]
pub struct FieldPair {
    /// Stiffness of A and of B.
    pub stiffness: [TensorField; 2],
    /// Damping of A and of B, if any.
    pub damping: Option<[TensorField; 2]>,
    /// Exponent n of the normal law, f_el = K_n δⁿ.
    pub exponent: f64,
    /// Eccentricity of the friction ellipsoid (m).
    pub e_n: f64,
}

/// The series of both fields at a contact, in the tangent axes of the site it was sampled for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSample {
    /// Tangential and torsional stiffness.
    pub stiffness: TangentialStiffness,
    /// Tangential and torsional damping.
    pub damping: TangentialStiffness,
    /// Normal stiffness (N/mⁿ).
    pub normal: f64,
    /// Normal damping (N·s/m).
    pub normal_damping: f64,
    /// Exponent of the normal law.
    pub exponent: f64,
    /// Share of the deformation that A takes, K_B/(K_A + K_B) of the normal stiffness.
    pub alpha: f64,
    /// Eccentricity of the friction ellipsoid (m).
    pub e_n: f64,
}

impl FieldPair {
    /// The series of both fields at a closest pair.
    pub fn sample(&self, pair: &ClosestPair, X_AB: &Isometry3<f64>) -> Result<FieldSample, FieldError> {
        let [(ka, ta, na), (kb, tb, nb)] = both(&self.stiffness, pair, X_AB, "stiffness", true)?;
        let mut damping = TangentialStiffness::none();
        let mut normal_damping = 0.0;
        if let Some(fields) = &self.damping {
            let [(ba, sa, da), (bb, sb, db)] = both(fields, pair, X_AB, "damping", false)?;
            damping = TangentialStiffness { k: in_series(&ba, &bb), k_theta: series(sa, sb) };
            normal_damping = series(da, db);
        }
        Ok(FieldSample {
            stiffness: TangentialStiffness { k: in_series(&ka, &kb), k_theta: series(ta, tb) },
            damping,
            normal: series(na, nb),
            normal_damping,
            exponent: self.exponent,
            alpha: nb / (na + nb),
            e_n: self.e_n,
        })
    }
}

impl FieldSample {
    pub(super) fn grip(&self, approach: f64) -> Grip {
        let constants = Constants { k: self.normal, n: self.exponent, k_t: 0.0, k_theta: 0.0, e_n: self.e_n };
        let (energy, load, normal_stiffness) = constants.normal(approach);
        let axes = eigen(&self.stiffness.k);
        let (e1, e2) = (axes.axis, Vector2::new(-axes.axis.y, axes.axis.x));
        let b = &self.damping.k;
        let off = e1.dot(&(b * e2));
        let turned = Matrix2::new(e1.dot(&(b * e1)), off, off, e2.dot(&(b * e2)));
        Grip {
            load,
            normal_stiffness,
            energy,
            axis: e1,
            k: [axes.low, axes.high, self.stiffness.k_theta],
            damping: TangentialStiffness { k: turned, k_theta: self.damping.k_theta },
            normal_damping: self.normal_damping,
            growth: STILL,
            e_n: self.e_n,
            patch: None,
        }
    }
}

type Part = (Matrix2<f64>, f64, f64);

/// Both tensors in the tangent axes of the pair, checked.
fn both(
    fields: &[TensorField; 2],
    pair: &ClosestPair,
    X_AB: &Isometry3<f64>,
    what: &'static str,
    strictly: bool,
) -> Result<[Part; 2], FieldError> {
    let nhat_B = X_AB.rotation.inverse() * -pair.nhat_AB_A;
    let a = fields[0].at(&pair.p_ACa, &pair.nhat_AB_A);
    let b = fields[1].at(&pair.p_BCb, &nhat_B);
    let R = X_AB.rotation.to_rotation_matrix();
    let b_in_A = R.matrix() * b.tangential * R.matrix().transpose();
    let check = |tensor: &SurfaceTensor, plane: Matrix2<f64>, body, p: &Point3<f64>| {
        let symmetric = tensor.tangential == tensor.tangential.transpose();
        let sizes = [tensor.torsional, tensor.normal];
        let ok = symmetric
            && if strictly {
                is_positive(&plane) && sizes.iter().all(|x| *x > 0.0 && x.is_finite())
            } else {
                let found = eigen(&plane);
                plane.iter().all(|x| x.is_finite())
                    && found.low >= -1e-12 * found.high.abs()
                    && sizes.iter().all(|x| *x >= 0.0 && x.is_finite())
            };
        if ok {
            Ok((plane, tensor.torsional, tensor.normal))
        } else {
            let got = format!("{:?}, torsional {}, normal {}", plane.as_slice(), tensor.torsional, tensor.normal);
            Err(FieldError::NotPositive { what, body, x: p.x, y: p.y, z: p.z, got })
        }
    };
    Ok([
        check(&a, project(&a.tangential, &pair.E_A), "A", &pair.p_ACa)?,
        check(&b, project(&b_in_A, &pair.E_A), "B", &pair.p_BCb)?,
    ])
}

fn series(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a * b / (a + b) } else { 0.0 }
}

/// A (A + B)⁻¹ B, symmetric.
fn in_series(a: &Matrix2<f64>, b: &Matrix2<f64>) -> Matrix2<f64> {
    match (a + b).try_inverse() {
        Some(inverse) => {
            let m = a * inverse * b;
            let off = 0.5 * (m[(0, 1)] + m[(1, 0)]);
            Matrix2::new(m[(0, 0)], off, off, m[(1, 1)])
        }
        None => Matrix2::zeros(),
    }
}
