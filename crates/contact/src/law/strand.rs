//! # Strands: the law of a contact along a curve
//!
//! `track::strand` ──(stations along the curve)──▶ **here** ──(wrench at the centre of load)──▶ any stepper
//!
//! - **in**: a [`PlacedStrand`], poses, velocities
//! - **out**: energy, load and what holds along the patch; a [`FacePress`], as faces give it
//! - **not here**: where the curve is pressed (`track::strand`)
//! - **assumes**: a layer, or raw constants; half-spaces pull on their neighbours and have no such sum
//! - **start at** [`ContactLaw::strand_load`], then [`ContactLaw::press_strand`]
//!
//! With δ(s) the depth of the section at s, c its relative curvature across the curve and J ds the length it stands for,
//! a layer p = K (d/h)^k carries per length, and stores, exactly for a parabola across,
//!
//! ```text
//! p′ = κ β √(2/c) δ^(k + ½),   W = p′ δ/(k + 3/2),   κ = K/hᵏ,   β = √π Γ(k + 1)/Γ(k + 3/2)
//! V = Σ W J ds,   wrench on B = −∂V/∂q = Σ p′ (n, x × n) J ds + n × Σ W (−½ ∂ln c/∂n + ∂ln J/∂n) J ds
//! ```
//!
//! Raw constants k, n are shared out along the curve: p′ = (k/Λ) δⁿ, so that a curve pressed all along by δ carries k δⁿ.
//!
//! **Friction.** e_n is the mean distance of the pressure from the centre of load r. Across, a Gauss rule over half the width is used,
//! because |y| has a kink in the middle:
//!
//! ```text
//! e_n = Σ p′ Σ_j v_j √(|x − r|² + b² t_j²) J ds/P,   b = √(2δ/c)
//! k_t = (G/h) Σ 2b J ds,   k_θ = (G/h) Σ (2b |x − r|² + ⅔b³) J ds
//! ```

use super::{ContactLaw, FaceGrip, FacePress, FaceRates, Grip, LawError, Stiffness};
use crate::friction::TangentialStiffness;
use crate::patch::line::width_factor;
use crate::patch::{Growth, Pressed};
use crate::site::ContactSite;
use crate::spatial::SpatialVelocity;
use crate::surface::Shape;
use crate::track::strand::{PlacedStrand, Station, StrandPlace};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector2, Vector3};

/// Nodes and weights of the Gauss rule over half a width under the pressure 1 − t².
const ACROSS: [(f64, f64); 4] = [
    (0.061_691_37, 0.230_326_87),
    (0.291_886_30, 0.396_038_69),
    (0.599_463_21, 0.294_440_70),
    (0.867_318_41, 0.079_193_74),
];

/// A spring that stands for a section of a curve: it carries a δᵐ and stores a δ^(m + 1)/(m + 1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring {
    /// a (N/mᵐ).
    pub factor: f64,
    /// m.
    pub exponent: f64,
}

impl Spring {
    /// The load under a depth (N).
    #[inline]
    pub fn load(&self, depth: f64) -> f64 {
        if depth <= 0.0 {
            return 0.0;
        }
        self.factor
            * if self.exponent == 1.5 {
                depth * depth.sqrt()
            } else if self.exponent == 1.0 {
                depth
            } else {
                depth.powf(self.exponent)
            }
    }

    /// The energy under a depth (J).
    #[inline]
    pub fn energy(&self, depth: f64) -> f64 {
        self.load(depth) * depth / (self.exponent + 1.0)
    }
}

/// What a contact along a curve carries and stores, told in the frame of the body without the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandLoad {
    /// V (J).
    pub energy: f64,
    /// Force on the body with the curve (N).
    pub force: Vector3<f64>,
    /// Its moment about the origin of the frame (N·m).
    pub moment: Vector3<f64>,
    /// Direction of the force.
    pub nhat: Vector3<f64>,
    /// Centre of load, on the surface that has the curve (m).
    pub centre: Vector3<f64>,
    /// Mean depth, weighted by the load (m).
    pub depth: f64,
    /// Σ of the stations' stiffnesses (N/m).
    pub stiffness: f64,
    /// Stiffness along the patch (N/m), and about the normal (N·m/rad).
    pub tangential: f64,
    /// See `tangential`.
    pub torsional: f64,
    /// e_n (m).
    pub e_n: f64,
}

impl ContactLaw {
    /// Whether this law has an energy for a curve.
    pub fn has_strands(&self) -> bool {
        matches!(&self.stiffness, Stiffness::Patch(theory) if matches!(theory.pressed, Pressed::Foundation { .. }))
    }

    /// The spring that stands for a station of a curve of this whole length (m).
    pub fn spring(&self, station: &Station, whole: f64) -> Result<Spring, LawError> {
        match &self.stiffness {
            Stiffness::Patch(theory) => match &theory.pressed {
                Pressed::Foundation { layer, .. } => {
                    let k = layer.exponent;
                    let (modulus, beta) = match k == 1.0 {
                        true => (layer.modulus / layer.depth, 4.0 / 3.0),
                        false => (layer.modulus / layer.depth.powf(k), width_factor(k)),
                    };
                    let factor = modulus * beta * (2.0 / station.curvature).sqrt() * station.length;
                    Ok(Spring { factor, exponent: k + 0.5 })
                }
                Pressed::HalfSpaces { .. } => Err(LawError::Constant {
                    what: "the material of a contact along a curve",
                    expected: "a layer",
                    got: f64::NAN,
                }),
            },
            Stiffness::Constants(c) => Ok(Spring { factor: c.k * station.length / whole, exponent: c.n }),
            Stiffness::Custom { tangential: c, .. } => {
                Ok(Spring { factor: c.k * station.length / whole, exponent: c.n })
            }
            Stiffness::Field(sample) => Ok(Spring { factor: sample.normal * station.length / whole, exponent: 1.0 }),
        }
    }

    /// What a curve carries; nothing where it is not pressed.
    pub fn strand_load(&self, placed: &PlacedStrand, whole: f64) -> Result<Option<StrandLoad>, LawError> {
        let is_layer = matches!(self.stiffness, Stiffness::Patch(_));
        let mut sum = StrandLoad {
            energy: 0.0,
            force: Vector3::zeros(),
            moment: Vector3::zeros(),
            nhat: Vector3::z(),
            centre: Vector3::zeros(),
            depth: 0.0,
            stiffness: 0.0,
            tangential: 0.0,
            torsional: 0.0,
            e_n: 0.0,
        };
        let mut total = 0.0;
        for station in placed.strand.stations().iter().filter(|station| station.gap < 0.0) {
            let depth = -station.gap;
            let spring = self.spring(station, whole)?;
            let (load, energy) = (spring.load(depth), spring.energy(depth));
            let force = station.nhat_A * (load * station.push);
            let turning = station.turn_length - if is_layer { station.turn_curvature * 0.5 } else { Vector3::zeros() };
            sum.energy += energy;
            sum.force += force;
            sum.moment += station.p_A.cross(&force) + turning * energy;
            sum.centre += station.p_A * load;
            sum.depth += load * depth;
            sum.stiffness += spring.exponent * load / depth;
            total += load;
        }
        let size = sum.force.norm();
        if !(total > 0.0 && size > 0.0) {
            return Ok(None);
        }
        sum.nhat = sum.force / size;
        sum.depth /= total;
        // From the mean place to the line along which the force acts.
        let mean = sum.centre / total;
        let left = sum.moment - mean.cross(&sum.force);
        sum.centre = mean + sum.force.cross(&left) / (size * size);
        self.hold_along(placed, whole, total, &mut sum)?;
        Ok(Some(sum))
    }

    /// e_n and what holds along the patch.
    fn hold_along(
        &self,
        placed: &PlacedStrand,
        whole: f64,
        total: f64,
        sum: &mut StrandLoad,
    ) -> Result<(), LawError> {
        let (mut area, mut spread, mut length, mut far, mut distance) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for station in placed.strand.stations().iter().filter(|station| station.gap < 0.0) {
            let away = station.p_A - sum.centre;
            let squared = (away - sum.nhat * sum.nhat.dot(&away)).norm_squared();
            let width = (2.0 * -station.gap / station.curvature).sqrt();
            let load = self.spring(station, whole)?.load(-station.gap);
            let root = |t: f64| (squared + width * width * t * t).sqrt();
            distance += load * ACROSS.iter().map(|(t, v)| v * root(*t)).sum::<f64>();
            area += 2.0 * width * station.length;
            spread += (2.0 * width * squared + 2.0 / 3.0 * width.powi(3)) * station.length;
            length += station.length;
            far += squared * station.length;
        }
        sum.e_n = distance / total;
        match &self.stiffness {
            Stiffness::Patch(theory) => {
                if let Pressed::Foundation { shear_per_depth, .. } = &theory.pressed {
                    (sum.tangential, sum.torsional) = (shear_per_depth * area, shear_per_depth * spread);
                }
            }
            Stiffness::Constants(c) | Stiffness::Custom { tangential: c, .. } => {
                sum.tangential = c.k_t * (length / whole).min(1.0);
                sum.torsional = c.k_theta + c.k_t * far / whole;
            }
            Stiffness::Field(sample) => {
                sum.tangential = 0.5 * sample.stiffness.k.trace() * (length / whole).min(1.0);
                sum.torsional = sample.stiffness.k_theta;
            }
        }
        Ok(())
    }

    /// Where the load of a contact along a curve is, and what it offers there; nothing where it is not pressed. Rates are
    /// differences along the motion.
    #[allow(clippy::too_many_arguments)] // two bodies, each with shape, pose and velocity
    pub fn press_strand(
        &self,
        place: &StrandPlace,
        (a, b): (&Shape, &Shape),
        X_WA: &Isometry3<f64>,
        V_WA: &SpatialVelocity,
        X_WB: &Isometry3<f64>,
        V_WB: &SpatialVelocity,
        alpha: f64,
        room: &mut PlacedStrand,
    ) -> Result<Option<FacePress>, LawError> {
        let whole = place.curve.length();
        let mut at = |X_WA: &Isometry3<f64>, X_WB: &Isometry3<f64>| {
            let X_AB = X_WA.inv_mul(X_WB);
            place.find(a, b, &X_AB, 0.0, room);
            Ok::<_, LawError>(self.strand_load(room, whole)?.map(|load| (load, load.pair(room.swapped, &X_AB))))
        };
        // The pose itself comes last: its stations stay in the room.
        let deep = at(X_WA, X_WB)?.map(|(load, _)| load.depth);
        let Some(deep) = deep else { return Ok(None) };
        let span = X_WB.translation.vector - X_WA.translation.vector;
        let speed = (V_WB.v - V_WA.v).norm() + (V_WA.w.norm() + V_WB.w.norm()) * (whole + span.norm());
        let dt = if speed > 0.0 { 1e-3 * deep / speed } else { 0.0 };
        let moved = |X: &Isometry3<f64>, V: &SpatialVelocity, dt: f64| {
            Isometry3::from_parts(
                Translation3::from(X.translation.vector + V.v * dt),
                UnitQuaternion::from_scaled_axis(V.w * dt) * X.rotation,
            )
        };
        let beside = |dt: f64| (moved(X_WA, V_WA, dt), moved(X_WB, V_WB, dt));
        let mut found = [None, None];
        if dt > 0.0 && dt.is_finite() {
            for (found, sign) in found.iter_mut().zip([-1.0, 1.0]) {
                let (X_WA, X_WB) = beside(sign * dt);
                *found = at(&X_WA, &X_WB)?.map(|(load, pair)| {
                    let C = X_WA * (pair.p_ACa + pair.nhat_AB_A * (alpha * pair.gap));
                    (load, C.coords, X_WA.rotation * pair.nhat_AB_A)
                });
            }
        }
        let Some((load, pair)) = at(X_WA, X_WB)? else { return Ok(None) };
        let mut site = ContactSite::without_turning(&pair, X_WA, V_WA, X_WB, V_WB, alpha);
        let mut rates = FaceRates {
            load: 0.0,
            tangential: 0.0,
            torsional: 0.0,
            e_n: 0.0,
            normal_damping: 0.0,
            centre_W: Vector3::zeros(),
        };
        if let [Some((before, C0, n0)), Some((after, C1, n1))] = found {
            let over = 0.5 / dt;
            let relative = |x0: f64, x1: f64, x: f64| if x > 0.0 { (x1 - x0) * over / x } else { 0.0 };
            rates.load = (after.force.norm() - before.force.norm()) * over;
            rates.tangential = relative(before.tangential, after.tangential, load.tangential);
            rates.torsional = relative(before.torsional, after.torsional, load.torsional);
            rates.e_n = relative(before.e_n, after.e_n, load.e_n);
            site.nhat_rate_W = (n1 - n0) * over;
            let carried = |V: &SpatialVelocity, X: &Isometry3<f64>| V.shift(site.p_WC.coords - X.translation.vector).v;
            let (with_A, with_B) = (carried(V_WA, X_WA), carried(V_WB, X_WB));
            let carried = match (a, b) {
                (Shape::HalfSpace(_), _) => with_B,
                (_, Shape::HalfSpace(_)) => with_A,
                _ => (with_A + with_B) * 0.5,
            };
            rates.centre_W = (C1 - C0) * over - carried;
        }
        Ok(Some(FacePress { site, grip: load.grip(), rates }))
    }

    /// What a curve offers along the patch where it is, without rates; nothing where it is not pressed.
    pub fn strand_grip(&self, placed: &PlacedStrand, whole: f64) -> Result<Option<FaceGrip>, LawError> {
        Ok(self.strand_load(placed, whole)?.map(|load| FaceGrip {
            energy: load.energy,
            k: [load.tangential, load.tangential, load.torsional],
            e_n: load.e_n,
            centre: Vector2::zeros(),
        }))
    }
}

impl StrandLoad {
    /// The centre of load as a pair of points of (A, B); `swapped` where A has the curve.
    pub fn pair(&self, swapped: bool, X_AB: &Isometry3<f64>) -> crate::track::ClosestPair {
        let placed = PlacedStrand { swapped, ..PlacedStrand::default() };
        let station = Station { gap: -self.depth, p_A: self.centre, nhat_A: self.nhat, ..Station::default() };
        placed.pair_at(&station, X_AB)
    }

    /// What it offers.
    fn grip(&self) -> Grip {
        Grip {
            load: self.force.norm(),
            normal_stiffness: self.stiffness,
            energy: self.energy,
            axis: Vector2::new(1.0, 0.0),
            k: [self.tangential, self.tangential, self.torsional],
            damping: TangentialStiffness::none(),
            normal_damping: 0.0,
            growth: Growth { tangential: 0.0, torsional: 0.0, e_n: 0.0 },
            e_n: self.e_n,
            patch: None,
        }
    }

    /// Force and moment on the body with the curve, about a point of the frame (N, N·m).
    pub fn wrench_about(&self, p: &Point3<f64>) -> (Vector3<f64>, Vector3<f64>) {
        (self.force, self.moment - p.coords.cross(&self.force))
    }
}
