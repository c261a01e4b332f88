//! # Pressure image: how the normal load of a contact is spread over it
//!
//! `law` (load of a patch, a curve, a face) ──▶ **here** ──([`PressureCell`]s)──▶ tactile sensors, pictures, integrals of any kind
//!
//! - **in**: a contact that is pressed, and how fine the image is to be
//! - **out**: cells with their place, area and mean pressure, appended to the caller's list
//! - **not here**: friction along the patch; the load itself, which is the law's
//! - **start at** [`ContactLaw::patch_pressure`], [`ContactLaw::strand_pressure`], [`ContactLaw::face_pressure`]
//!
//! The pressure of a cell is the exact mean over it of what the theory gives, so that Σ p A is the elastic load at any
//! fineness, but for rounding:
//!
//! | contact | pressure | cells |
//! |---|---|---|
//! | point | p₀ (1 − s²)^k over the ellipse s ≤ 1 (Hertz k = ½; Winkler's layer k = 1) | rings × sectors |
//! | curve | p₀(s) (1 − y²/b²)^k across it | stations × strips across |
//! | face | κ δ(x), linear | squares, cut by the rim of what is pressed |
//!
//! Raw constants name no area at a point: there is no image, and the answer says so.

use super::{ContactLaw, Grip, LawError, Stiffness};
use crate::patch::Pressed;
use crate::site::ContactSite;
use crate::track::faces::FaceContact;
use crate::track::strand::{Path, PlacedStrand, StrandPlace};
use nalgebra::{Isometry3, Point2, Point3, Vector2, Vector3};
use std::f64::consts::TAU;

/// A piece of a contact and the pressure on it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PressureCell {
    /// Its middle (m).
    pub p_W: Point3<f64>,
    /// Unit normal out of A into B there.
    pub nhat_W: Vector3<f64>,
    /// Mean pressure (Pa).
    pub pressure: f64,
    /// Area (m²).
    pub area: f64,
}

/// Why a contact has no pressure image.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PressureError {
    /// Raw constants say how hard a contact is, not how large.
    #[error("raw constants name no area: a pressure image needs a material (Young's modulus, or a layer)")]
    NoArea,
    /// The law has no answer here.
    #[error(transparent)]
    Law(#[from] LawError),
}

impl ContactLaw {
    /// Pressure at a point contact: `fineness` rings, each of six sectors and more outwards.
    pub fn patch_pressure(
        &self,
        site: &ContactSite,
        grip: &Grip,
        fineness: usize,
        image: &mut Vec<PressureCell>,
    ) -> Result<(), PressureError> {
        let [a, b, k] = grip.patch.ok_or(PressureError::NoArea)?;
        if a.is_nan() || a <= 0.0 || b <= 0.0 {
            return Ok(());
        }
        let ea_W = site.E_W * grip.axis;
        let eb_W = site.E_W * Vector2::new(-grip.axis.y, grip.axis.x);
        let rings = fineness.max(1);
        // Share of the load outside s: (1 − s²)^(k + 1).
        let outside = |s: f64| (1.0 - s * s).max(0.0).powf(k + 1.0);
        for ring in 0..rings {
            let [s0, s1] = [ring, ring + 1].map(|i| i as f64 / rings as f64);
            let sectors = 6 * (2 * ring + 1);
            let load = grip.load * (outside(s0) - outside(s1)) / sectors as f64;
            let area = 0.5 * TAU * a * b * (s1 * s1 - s0 * s0) / sectors as f64;
            // The centroid of the sector of a ring.
            let half = 0.5 * TAU / sectors as f64;
            let s = 2.0 / 3.0 * (s1.powi(3) - s0.powi(3)) / (s1 * s1 - s0 * s0) * half.sin() / half;
            image.extend((0..sectors).map(|sector| {
                let (sin, cos) = (half * (2 * sector + 1) as f64).sin_cos();
                let p_W = site.p_WC + ea_W * (a * s * cos) + eb_W * (b * s * sin);
                PressureCell { p_W, nhat_W: site.nhat_W, pressure: load / area, area }
            }));
        }
        Ok(())
    }

    /// Pressure along a curve whose stations `placed` holds: `fineness` strips on either side of it at each station.
    pub fn strand_pressure(
        &self,
        place: &StrandPlace,
        placed: &PlacedStrand,
        X_WA: &Isometry3<f64>,
        X_WB: &Isometry3<f64>,
        fineness: usize,
        image: &mut Vec<PressureCell>,
    ) -> Result<(), PressureError> {
        let Stiffness::Patch(theory) = &self.stiffness else { return Err(PressureError::NoArea) };
        let k = match &theory.pressed {
            Pressed::HalfSpaces { .. } => 0.5,
            Pressed::Foundation { layer, .. } => layer.exponent,
        };
        let (X_WO, X_WK) = if placed.swapped { (X_WB, X_WA) } else { (X_WA, X_WB) };
        let X_WS = X_WK * place.curve.X_BS;
        let strips = 2 * fineness.max(1);
        let whole: f64 = share_across(k, 1.0);
        for (station, load, half_width) in self.strand_shares(placed, &place.curve) {
            // From the other body to the one with the curve; images look from A to B.
            let nhat_W = X_WO.rotation * station.nhat_A;
            let foot_W = X_WO * Point3::from(station.p_A);
            let along_S = match place.curve.path {
                Path::Rod { .. } => Vector3::z(),
                Path::Tube { .. } | Path::Foot { .. } => {
                    Vector3::z().cross(&X_WS.inverse_transform_point(&foot_W).coords)
                }
            };
            let across_W = nhat_W.cross(&(X_WS.rotation * along_S)).normalize();
            let area = station.length * 2.0 * half_width / strips as f64;
            image.extend((0..strips).map(|strip| {
                let [t0, t1] = [strip, strip + 1].map(|i| 2.0 * i as f64 / strips as f64 - 1.0);
                let share = 0.5 * (share_across(k, t1) - share_across(k, t0)) / whole;
                PressureCell {
                    p_W: foot_W + across_W * (half_width * 0.5 * (t0 + t1)),
                    nhat_W: if placed.swapped { -nhat_W } else { nhat_W },
                    pressure: load * share / area,
                    area,
                }
            }));
        }
        Ok(())
    }

    /// Pressure on two faces: squares of the longer side of the region over `fineness`, cut by the rim of what is pressed.
    pub fn face_pressure(
        &self,
        face: &FaceContact,
        X_WA: &Isometry3<f64>,
        fineness: usize,
        image: &mut Vec<PressureCell>,
    ) -> Result<(), PressureError> {
        let kappa = self.face_modulus(face)?;
        let reach = [Vector2::x(), -Vector2::x(), Vector2::y(), -Vector2::y()].map(|d| face.region.support(&d));
        let (low, size) = ([-reach[1], -reach[3]], [reach[0] + reach[1], reach[2] + reach[3]]);
        let side = size[0].max(size[1]) / fineness.max(1) as f64;
        if !(side.is_finite() && side > 0.0) {
            return Ok(());
        }
        let count = size.map(|length| ((length / side - 1e-9).ceil() as usize).max(1));
        let (laid, nhat_W) = (face.laid(), X_WA.rotation * face.pair.nhat_AB_A);
        for (i, j) in (0..count[0]).flat_map(|i| (0..count[1]).map(move |j| (i, j))) {
            let corner = [low[0] + i as f64 * side, low[1] + j as f64 * side];
            let (mut area, mut first) = (0.0, Vector2::zeros());
            for piece in face.region.pieces() {
                let mut cell = *piece;
                cell.cut(&Vector2::x(), corner[0] + side);
                cell.cut(&-Vector2::x(), -corner[0]);
                cell.cut(&Vector2::y(), corner[1] + side);
                cell.cut(&-Vector2::y(), -corner[1]);
                cell.cut(&face.tilt, -face.pair.gap);
                let sums = cell.sums();
                area += sums.area;
                first += sums.first;
            }
            // The depth is linear: its mean is that of the centroid.
            let centroid = Point2::from(first / area);
            let depth = -face.gap_at(&centroid);
            if area > 0.0 && depth > 0.0 {
                let p_W = X_WA * (face.pair.p_ACa + laid * centroid.coords);
                image.push(PressureCell { p_W, nhat_W, pressure: kappa * depth, area });
            }
        }
        Ok(())
    }
}

/// ∫₀ᵗ (1 − u²)^k du.
fn share_across(k: f64, t: f64) -> f64 {
    if k == 1.0 {
        return t - t.powi(3) / 3.0;
    }
    if k == 0.5 {
        return 0.5 * (t * (1.0 - t * t).max(0.0).sqrt() + t.clamp(-1.0, 1.0).asin());
    }
    // u = sin φ makes it smooth at the rim: ∫ cos^(2k + 1) φ dφ.
    let end = t.clamp(-1.0, 1.0).asin();
    crate::quadrature::gauss(0.0, end, |phi| phi.cos().powf(2.0 * k + 1.0))
}
