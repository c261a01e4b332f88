//! # Faces: the law of two flat faces that lie on each other
//!
//! `track::faces` ──(region, gap over it as a plane)──▶ **here** ──(wrench at the centre of load)──▶ any stepper
//!
//! - **in**: a [`FaceContact`], poses, velocities
//! - **out**: the site at the centre of load and a [`Response`], as for a patch
//! - **assumes**: pressure proportional to the depth at each point, p = κ δ(x), none where the faces are apart
//! - **start at** [`ContactLaw::press_face`], then [`ContactLaw::advance_face`]
//!
//! Depth over the region is linear, so is the pressure; load, centre and energy are exact integrals:
//!
//! ```text
//! P = κ ∫δ,   r_c = ∫δ x/∫δ,   V = (κ/2) ∫δ² = ½ P δ(r_c)
//! ```
//!
//! The force at r_c has the power P δ′(r_c) = dV/dt for every motion that keeps the region. κ is K/h for a layer, k/A for
//! raw constants with n = 1, and for half-spaces 2E*/√(πA): the flat punch of equal area (Johnson, §3.4), whose true
//! pressure is not even. Tangential stiffness: the shear layer over the pressed area, or a round punch of its area.
//!
//! Friction holds moments up to e_n: the pressure-weighted mean distance from the centre of load, ∫ p |x − r_c| dA/P,
//! summed over the pressed region. The normal damper counts by the share of the area that is pressed: a finite load on
//! a vanishing area would stretch vanishing springs without limit. For convex regions
//! [`FlatContact`](crate::friction::flat::FlatContact) has the exact limit, whose largest moment is smaller by the little
//! that the centre differs from the median.

use super::face_rim::{self, DepthRate, Rim};
use super::{ContactLaw, Grip, LawError, Memory, Response, Stiffness};
use crate::friction::TangentialStiffness;
use crate::patch::elliptic::Complete;
use crate::patch::{Growth, Pressed, shear};
use crate::site::ContactSite;
use crate::spatial::SpatialVelocity;
use crate::track::faces::{FaceContact, Pressed as PressedFace};
use nalgebra::{Isometry3, Point2, Vector2, Vector3};
use std::f64::consts::PI;

impl ContactLaw {
    /// One step of a face contact; the site is that of the centre of load. `None` for the site where nothing is pressed.
    #[allow(clippy::too_many_arguments)] // two bodies, each with pose and velocity
    pub fn advance_face(
        &self,
        face: &FaceContact,
        X_WA: &Isometry3<f64>,
        V_WA: &SpatialVelocity,
        X_WB: &Isometry3<f64>,
        V_WB: &SpatialVelocity,
        alpha: f64,
        memory: &mut Memory,
        h: f64,
    ) -> Result<(Option<ContactSite>, Response), LawError> {
        let Some(FacePress { site, grip, .. }) = self.press_face(face, X_WA, V_WA, X_WB, V_WB, alpha)? else {
            let released = memory.energy();
            memory.clear();
            return Ok((None, Response { released, ..Response::free() }));
        };
        let local = self.local_with(&site, grip);
        let response = self.step(&site, &local, memory, h);
        Ok((Some(site), response))
    }

    /// Where the load of a face contact is, and what the faces offer there; nothing where nothing is pressed.
    pub fn press_face(
        &self,
        face: &FaceContact,
        X_WA: &Isometry3<f64>,
        V_WA: &SpatialVelocity,
        X_WB: &Isometry3<f64>,
        V_WB: &SpatialVelocity,
        alpha: f64,
    ) -> Result<Option<FacePress>, LawError> {
        let pressed = face.pressed();
        if pressed.volume.is_nan() || pressed.volume <= 0.0 {
            return Ok(None);
        }
        let centre = pressed.centre;
        let (kappa, along, torsional) = self.stiffness.per_area(face, &pressed)?;
        let mut pair = face.pair;
        pair.gap = face.gap_at(&Point2::from(centre));
        pair.p_ACa += face.laid() * centre;
        let mut site = ContactSite::without_turning(&pair, X_WA, V_WA, X_WB, V_WB, alpha);
        let w_AB = V_WB.w - V_WA.w;
        site.nhat_rate_W = normal_rate(face, &site, V_WA, V_WB);
        // P′ = κ ∫δ′ over what is pressed: the rate at its middle, which is not that at the centre of load.
        let to_middle = pressed.middle - centre;
        let laid = X_WA.rotation.to_rotation_matrix() * face.laid();
        let rate = DepthRate { centre: -site.gap_rate, slope: -laid.tr_mul(&site.nhat_W.cross(&w_AB)) };
        let volume_rate = pressed.area * (rate.centre + rate.slope.dot(&to_middle));
        let rim = Rim::new(face, &centre, &rate);
        // ∫ δ (x − r_c) dA stays zero.
        let centre_rate = (to_middle * (pressed.area * rate.centre) + pressed.second * rate.slope) / pressed.volume;
        let e_n = rim.distance / pressed.volume;
        let e_n_rate = (rim.distance_rate - rim.drift.dot(&centre_rate) - e_n * volume_rate) / pressed.volume;
        let spread_rate = rim.spread_rate - 2.0 * pressed.area * to_middle.dot(&centre_rate);
        let over = |rate: f64, of: f64| if of > 0.0 { rate / of } else { 0.0 };
        let area_growth = over(rim.area_rate, pressed.area);
        let growth = match self.stiffness.as_half_spaces() {
            // A round punch of equal area: k ∝ √A, k_θ ∝ √A³.
            true => [0.5 * area_growth, 1.5 * area_growth],
            false => [area_growth, over(spread_rate, pressed.second.trace())],
        };
        let rates = FaceRates {
            load: kappa * volume_rate,
            tangential: growth[0],
            torsional: growth[1],
            e_n: over(e_n_rate, e_n),
            normal_damping: self.damping.normal * rim.area_rate / face.area,
            centre_W: site.E_W * centre_rate,
            rocking: Rocking::default(),
        };
        let load = kappa * pressed.volume;
        let grip = Grip {
            load,
            normal_stiffness: kappa * pressed.area,
            energy: 0.5 * load * -pair.gap,
            axis: Vector2::new(1.0, 0.0),
            k: [along, along, torsional],
            damping: TangentialStiffness::none(),
            // Dampers side by side, as the springs: those of the part that is pressed.
            normal_damping: self.damping.normal * (pressed.area / face.area - 1.0),
            growth: Growth { tangential: 0.0, torsional: 0.0, e_n: 0.0 },
            e_n,
            patch: None,
        };
        Ok(Some(FacePress { site, grip, rates }))
    }
}

impl ContactLaw {
    /// Stiffness κ per area of two faces (N/m³), whatever of them is pressed.
    pub fn face_modulus(&self, face: &FaceContact) -> Result<f64, LawError> {
        let (whole, origin) = (face.area, Vector2::zeros());
        let part = PressedFace {
            area: whole,
            volume: 0.0,
            moment: origin,
            centre: origin,
            middle: origin,
            second: face.second,
        };
        Ok(self.stiffness.per_area(face, &part)?.0)
    }

    /// What two faces offer along each other where they are, without rates; nothing where nothing is pressed.
    pub fn face_grip(&self, face: &FaceContact) -> Result<Option<FaceGrip>, LawError> {
        let pressed = face.pressed();
        if pressed.volume.is_nan() || pressed.volume <= 0.0 {
            return Ok(None);
        }
        let (kappa, along, torsional) = self.stiffness.per_area(face, &pressed)?;
        let e_n = face_rim::distance(face, &pressed.centre) / pressed.volume;
        let load = kappa * pressed.volume;
        let depth = -face.gap_at(&Point2::from(pressed.centre));
        Ok(Some(FaceGrip { energy: 0.5 * load * depth, k: [along, along, torsional], e_n, centre: pressed.centre }))
    }
}

/// What two faces offer along each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceGrip {
    /// Energy of pressing (J).
    pub energy: f64,
    /// Stiffness along, across (N/m) and about the normal (N·m/rad).
    pub k: [f64; 3],
    /// Eccentricity e_n (m).
    pub e_n: f64,
    /// Centre of load, from the centroid of the region (m).
    pub centre: Vector2<f64>,
}

/// Two faces pressed together, at one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacePress {
    /// The site at the centre of load; its gap is that at this place.
    pub site: ContactSite,
    /// What the faces offer.
    pub grip: Grip,
    /// How that changes with the motion.
    pub rates: FaceRates,
}

/// How what two faces offer changes, the region they share being carried along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceRates {
    /// Rate of the elastic load (N/s).
    pub load: f64,
    /// Relative rate of the tangential stiffness (1/s).
    pub tangential: f64,
    /// Relative rate of the torsional stiffness (1/s).
    pub torsional: f64,
    /// Relative rate of the eccentricity (1/s).
    pub e_n: f64,
    /// Rate of the normal damping (N/m).
    pub normal_damping: f64,
    /// Velocity of the centre of load over the region, in the world (m/s).
    pub centre_W: Vector3<f64>,
    /// What dampers beside each other do to rocking about the centre of load.
    pub rocking: Rocking,
}

/// Hunt–Crossley's damping of rocking, for c = 1 s/m.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rocking {
    /// Couple on body A, in the world; on B its negative (N·m·m/s).
    pub couple_W: Vector3<f64>,
    /// What it takes (W·m/s), never negative.
    pub power: f64,
}

/// Rate of the normal: that of the face without end, or of m = (a − b)/|a − b|, which halves the angle between the normals
/// of both faces, with a′ = w_A × a.
fn normal_rate(face: &FaceContact, site: &ContactSite, V_WA: &SpatialVelocity, V_WB: &SpatialVelocity) -> Vector3<f64> {
    let m = &site.nhat_W;
    if face.lean != 0.5 {
        return if face.lean > 0.5 { V_WA.w.cross(m) } else { V_WB.w.cross(m) };
    }
    // The slopes of both planes are ∓tilt/2.
    let half = site.E_W * (face.tilt * 0.5);
    let (a, b) = ((m + half).normalize(), (half - m).normalize());
    let turned = (V_WA.w.cross(&a) - V_WB.w.cross(&b)) / (a - b).norm();
    turned - m * m.dot(&turned)
}

impl Stiffness {
    fn as_half_spaces(&self) -> bool {
        matches!(self, Stiffness::Patch(theory) if matches!(theory.pressed, Pressed::HalfSpaces { .. }))
    }

    /// κ (N/m³), tangential stiffness (N/m) and torsional stiffness (N·m/rad) of what is pressed of a face. Springs side
    /// by side resist turning about the centre of load by ∫ |x − r_c|² dA; constants are those of the whole face.
    fn per_area(&self, face: &FaceContact, part: &PressedFace) -> Result<(f64, f64, f64), LawError> {
        let (whole, pressed) = (face.area, part.area);
        let (share, turning) = (pressed / whole, part.second.trace() / face.second.trace());
        match self {
            Stiffness::Patch(theory) => match &theory.pressed {
                Pressed::Foundation { layer, shear_per_depth } if layer.exponent == 1.0 => {
                    Ok((layer.modulus / layer.depth, shear_per_depth * pressed, shear_per_depth * part.second.trace()))
                }
                Pressed::Foundation { layer, .. } => Err(LawError::Constant {
                    what: "the exponent of a layer under a face",
                    expected: "1",
                    got: layer.exponent,
                }),
                Pressed::HalfSpaces { e_star, shear } => {
                    let k = shear::half_spaces((pressed / PI).sqrt(), 1.0, &Complete::new(1.0), shear);
                    Ok((2.0 * e_star / (PI * whole).sqrt(), k.along, k.torsional))
                }
            },
            Stiffness::Constants(c) | Stiffness::Custom { tangential: c, .. } if c.n == 1.0 => {
                Ok((c.k / whole, c.k_t * share, c.k_theta * turning))
            }
            Stiffness::Constants(c) | Stiffness::Custom { tangential: c, .. } => {
                Err(LawError::Constant { what: "n under a face", expected: "1", got: c.n })
            }
            Stiffness::Field(sample) => Ok((
                sample.normal / whole,
                0.5 * sample.stiffness.k.trace() * share,
                sample.stiffness.k_theta * turning,
            )),
        }
    }
}
