//! # Strands: the law of a contact along a curve
//!
//! `track::strand` ──(stations along the curve)──▶ **here** ──(wrench at the centre of load)──▶ any stepper
//!
//! - **in**: a [`PlacedStrand`], poses, velocities
//! - **out**: energy, load and what holds along the patch; a [`FacePress`], as faces give it
//! - **not here**: where the curve is pressed (`track::strand`)
//! - **assumes**: a layer or raw constants, whose sections store by themselves; half-spaces pull on their neighbours and have their
//!   own sum (`strand_elastic`)
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

use super::strand_elastic::{self, Elastic as Shares};
use super::{ContactLaw, FaceGrip, FacePress, FaceRates, Grip, Rocking, Stiffness};
use crate::friction::TangentialStiffness;
use crate::patch::elliptic::Complete;
use crate::patch::line::width_factor;
use crate::patch::{Growth, PatchTheory, Pressed, hertz, shear};
use crate::site::ContactSite;
use crate::spatial::SpatialVelocity;
use crate::surface::Shape;
use crate::track::strand::{Curve, INTERVALS, Path, PlacedStrand, STATIONS, Station, StrandPlace};
use nalgebra::{Isometry3, Matrix2, Matrix3, Point3, Translation3, UnitQuaternion, Vector2, Vector3};
use std::f64::consts::PI;

/// Nodes and weights of the Gauss rule over half a width under the pressure 1 − t².
const ACROSS: [(f64, f64); 4] = [
    (0.061_691_37, 0.230_326_87),
    (0.291_886_30, 0.396_038_69),
    (0.599_463_21, 0.294_440_70),
    (0.867_318_41, 0.079_193_74),
];

/// The same under the pressure √(1 − t²).
const ACROSS_HERTZ: [(f64, f64); 4] = [
    (0.065_223_73, 0.207_285_50),
    (0.309_205_19, 0.370_055_91),
    (0.631_771_67, 0.311_965_08),
    (0.897_788_29, 0.110_693_52),
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

    /// How the load grows with the depth (N/m).
    #[inline]
    pub fn slope(&self, depth: f64) -> f64 {
        if depth > 0.0 { self.exponent * self.load(depth) / depth } else { 0.0 }
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
    /// Σ p a aᵀ, with a the lever of each station's normal about the centre of load (N·m²).
    pub levers: Matrix3<f64>,
}

impl ContactLaw {
    /// Whether this law has an energy for a curve: patch theories have.
    pub fn has_strands(&self) -> bool {
        matches!(self.stiffness, Stiffness::Patch(_))
    }

    /// E* of half-spaces (Pa), whose stations pull on each other.
    fn coupling(&self) -> Option<f64> {
        match &self.stiffness {
            Stiffness::Patch(PatchTheory { pressed: Pressed::HalfSpaces { e_star, .. }, .. }) => Some(*e_star),
            _ => None,
        }
    }

    /// Whether stations of a curve pull on each other: those of half-spaces do.
    pub fn couples_stations(&self) -> bool {
        self.coupling().is_some()
    }

    /// Room for the stations that this law asks for.
    pub fn strand_room(&self) -> PlacedStrand {
        let mut room = PlacedStrand::default();
        room.strand.coupled = self.coupling().is_some();
        room
    }

    /// The spring that stands for a station of a curve of this whole length (m), where stations store by themselves.
    fn spring(&self, station: &Station, whole: f64) -> Spring {
        match &self.stiffness {
            Stiffness::Patch(theory) => match &theory.pressed {
                Pressed::Foundation { layer, .. } => {
                    let k = layer.exponent;
                    let (modulus, beta) = match k == 1.0 {
                        true => (layer.modulus / layer.depth, 4.0 / 3.0),
                        false => (layer.modulus / layer.depth.powf(k), width_factor(k)),
                    };
                    let factor = modulus * beta * (2.0 / station.curvature).sqrt() * station.length;
                    Spring { factor, exponent: k + 0.5 }
                }
                // About what a long contact has; only for what is not pressed yet.
                Pressed::HalfSpaces { e_star, .. } => Spring { factor: 0.5 * e_star * station.length, exponent: 1.0 },
            },
            Stiffness::Constants(c) | Stiffness::Custom { tangential: c, .. } => {
                Spring { factor: c.k * station.length / whole, exponent: c.n }
            }
            Stiffness::Field(sample) => Spring { factor: sample.normal * station.length / whole, exponent: 1.0 },
        }
    }

    /// The springs that stand for the stations of a curve over a short time. Half-spaces have those that carry what each station does
    /// now, as if the load were proportional to the depth; near the ends of an interval, where Hertz's patch has
    /// ended already, none.
    pub fn springs(&self, placed: &PlacedStrand, curve: &Curve, list: &mut [Spring; STATIONS]) {
        let whole = curve.length();
        let stations = placed.strand.stations();
        for (spring, station) in list.iter_mut().zip(stations) {
            *spring = self.spring(station, whole);
        }
        let Some(shares) = self.coupling().and_then(|_| self.shares(placed, curve)) else { return };
        let (mut all, mut kept) = (0.0, 0.0);
        for ((spring, station), load) in list.iter_mut().zip(stations).zip(shares.loads) {
            let depth = -station.gap;
            all += load;
            kept += load.max(0.0);
            spring.factor = if depth > 0.0 { load.max(0.0) / depth } else { 0.0 };
        }
        all += shares.ends.iter().flatten().sum::<f64>();
        let scale = if kept > 0.0 { all / kept } else { 1.0 };
        list.iter_mut().take(stations.len()).for_each(|spring| spring.factor *= scale);
    }

    /// What each station carries and stores; nothing where nothing is pressed.
    fn shares(&self, placed: &PlacedStrand, curve: &Curve) -> Option<Shares> {
        if let Some(e_star) = self.coupling() {
            let radius = match curve.path {
                Path::Rod { .. } => None,
                Path::Tube { major, .. } => Some(major),
                Path::Foot { radius, .. } => Some(radius[0]),
            };
            return strand_elastic::potential(e_star, &placed.strand, radius);
        }
        let by_width = if matches!(self.stiffness, Stiffness::Patch(_)) { -0.5 } else { 0.0 };
        let mut shares = Shares {
            energy: 0.0,
            loads: [0.0; STATIONS],
            by_curvature: [0.0; STATIONS],
            by_length: [0.0; STATIONS],
            ends: [[0.0; 2]; INTERVALS],
            ratio: 0.0,
        };
        for (i, station) in placed.strand.stations().iter().enumerate().filter(|(_, station)| station.gap < 0.0) {
            let spring = self.spring(station, curve.length());
            shares.loads[i] = spring.load(-station.gap);
            let energy = shares.loads[i] * -station.gap / (spring.exponent + 1.0);
            shares.energy += energy;
            (shares.by_curvature[i], shares.by_length[i]) = (by_width * energy, energy);
        }
        (shares.energy > 0.0).then_some(shares)
    }

    /// What a curve carries; nothing where it is not pressed.
    pub fn strand_load(&self, placed: &PlacedStrand, curve: &Curve) -> Option<StrandLoad> {
        let shares = self.shares(placed, curve)?;
        let mut sum = carried(placed, &shares)?;
        self.hold_along(placed, curve.length(), &shares, &mut sum);
        Some(sum)
    }

    /// The same without what holds along the curve: e_n, levers and stiffness along it are zero.
    pub fn strand_carried(&self, placed: &PlacedStrand, curve: &Curve) -> Option<StrandLoad> {
        carried(placed, &self.shares(placed, curve)?)
    }

    /// Half-spaces are pressed over less than they overlap by: Hertz's ellipse ends at ξ of it, an even line nowhere. The pressed
    /// length over that of the overlap, and the square of the width over 2δ/c.
    fn spread(&self, placed: &PlacedStrand, shares: &Shares) -> (f64, f64) {
        let Some(e_star) = self.coupling() else { return (1.0, 1.0) };
        let total: f64 = shares.loads.iter().chain(shares.ends.iter().flatten()).sum();
        let stations = || placed.strand.stations().iter().filter(|station| station.gap < 0.0);
        let N = |k: i32| stations().map(|s| s.length * (-s.gap).powi(k)).sum::<f64>();
        let (N1, N2, N3) = (N(1), N(2), N(3));
        let ellipse = hertz::Shape::tabled((-shares.ratio.abs()).exp().max(1e-9));
        let even = (15.0 - 14.0 * N1 * N3 / (N2 * N2)).clamp(0.0, 1.0);
        let narrow = (1.0 - (1.0 - 0.5 * ellipse.spread()) * (1.0 - even)).sqrt();
        // b² = 4p′/(πE* c), with p′ shared out as the depth is: over the overlap's own 2δ/c.
        (narrow, 2.0 * total / (narrow * N1 * PI * e_star))
    }

    /// Each pressed station with the load (N) and the half-width (m) of its part of the patch. Half-spaces share their load out as
    /// the depth is.
    pub(super) fn strand_shares<'a>(
        &self,
        placed: &'a PlacedStrand,
        curve: &Curve,
    ) -> impl Iterator<Item = (&'a Station, f64, f64)> {
        let shares = self.shares(placed, curve);
        let broad = shares.as_ref().map_or(0.0, |shares| self.spread(placed, shares).1);
        let coupled = self.coupling().is_some();
        let stations = placed.strand.stations().iter().enumerate();
        let overlap: f64 = placed.strand.stations().iter().map(|s| s.length * (-s.gap).max(0.0)).sum();
        stations.filter(|(_, station)| station.gap < 0.0).filter_map(move |(i, station)| {
            let shares = shares.as_ref()?;
            let load = match coupled {
                true => {
                    let total: f64 = shares.loads.iter().chain(shares.ends.iter().flatten()).sum();
                    total * station.length * -station.gap / overlap
                }
                false => shares.loads[i],
            };
            Some((station, load, (2.0 * -station.gap / station.curvature * broad).sqrt()))
        })
    }

    /// e_n and what holds along the patch.
    fn hold_along(&self, placed: &PlacedStrand, whole: f64, shares: &Shares, sum: &mut StrandLoad) {
        let (narrow, broad) = self.spread(placed, shares);
        let across = if self.coupling().is_some() { &ACROSS_HERTZ } else { &ACROSS };
        let (mut area, mut spread, mut length, mut far, mut distance, mut weight) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for (i, station) in placed.strand.stations().iter().enumerate().filter(|(_, station)| station.gap < 0.0) {
            let away = station.p_A - sum.centre;
            let lever = away.cross(&station.nhat_A);
            sum.levers += lever * lever.transpose() * (shares.loads[i] * station.push);
            let squared = (away - sum.nhat * sum.nhat.dot(&away)).norm_squared() * narrow * narrow;
            let width = (2.0 * -station.gap / station.curvature * broad).sqrt();
            let load = if self.coupling().is_some() { station.length * -station.gap } else { shares.loads[i] };
            let root = |t: f64| (squared + width * width * t * t).sqrt();
            distance += load * across.iter().map(|(t, v)| v * root(*t)).sum::<f64>();
            weight += load;
            area += 2.0 * width * station.length;
            spread += (2.0 * width * squared + 2.0 / 3.0 * width.powi(3)) * station.length;
            length += station.length;
            far += squared * station.length;
        }
        sum.e_n = distance / weight;
        match &self.stiffness {
            Stiffness::Patch(theory) => match &theory.pressed {
                Pressed::Foundation { shear_per_depth, .. } => {
                    (sum.tangential, sum.torsional) = (shear_per_depth * area, shear_per_depth * spread);
                }
                Pressed::HalfSpaces { shear, .. } => {
                    // An ellipse as long as what is pressed, and of its mean width.
                    let a = if placed.strand.is_whole() { 2.0 * length / PI } else { 0.5 * length };
                    let kappa = (area / (4.0 * length * a)).min(1.0) * if placed.strand.is_whole() { 2.0 } else { 1.0 };
                    let kappa = kappa.clamp(1e-6, 1.0);
                    let k = shear::half_spaces(a, kappa, &Complete::new(kappa), shear);
                    sum.tangential = 0.5 * (k.along + k.across);
                    sum.torsional = sum.tangential * far / length;
                }
            },
            Stiffness::Constants(c) | Stiffness::Custom { tangential: c, .. } => {
                sum.tangential = c.k_t * (length / whole).min(1.0);
                sum.torsional = c.k_theta + c.k_t * far / whole;
            }
            Stiffness::Field(sample) => {
                sum.tangential = 0.5 * sample.stiffness.k.trace() * (length / whole).min(1.0);
                sum.torsional = sample.stiffness.k_theta;
            }
        }
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
    ) -> Option<FacePress> {
        let whole = place.curve.length();
        room.strand.coupled = self.coupling().is_some();
        let at = |X_WA: &Isometry3<f64>, X_WB: &Isometry3<f64>, room: &mut PlacedStrand| {
            let X_AB = X_WA.inv_mul(X_WB);
            place.find(a, b, &X_AB, 0.0, room);
            self.strand_load(room, &place.curve).map(|load| (load, load.pair(room.swapped, &X_AB)))
        };
        let (load, pair) = at(X_WA, X_WB, room)?;
        let deep = load.depth;
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
            let mut aside = self.strand_room();
            for (found, sign) in found.iter_mut().zip([-1.0, 1.0]) {
                let (X_WA, X_WB) = beside(sign * dt);
                *found = at(&X_WA, &X_WB, &mut aside).map(|(load, pair)| {
                    let C = X_WA * (pair.p_ACa + pair.nhat_AB_A * (alpha * pair.gap));
                    (load, C.coords, X_WA.rotation * pair.nhat_AB_A)
                });
            }
        }
        let mut site = ContactSite::without_turning(&pair, X_WA, V_WA, X_WB, V_WB, alpha);
        let mut rates = FaceRates {
            load: 0.0,
            tangential: 0.0,
            torsional: 0.0,
            e_n: 0.0,
            normal_damping: 0.0,
            centre_W: Vector3::zeros(),
            rocking: rocking(&load, &site, room.swapped, place, (X_WA, V_WA), (X_WB, V_WB)),
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
        Some(FacePress { site, grip: load.grip(), rates })
    }
}

/// Force, moment, energy and centre of load of a curve; nothing where it is not pressed.
fn carried(placed: &PlacedStrand, shares: &Shares) -> Option<StrandLoad> {
    let mut sum = StrandLoad {
        energy: shares.energy,
        force: Vector3::zeros(),
        moment: Vector3::zeros(),
        nhat: Vector3::z(),
        centre: Vector3::zeros(),
        depth: 0.0,
        stiffness: 0.0,
        tangential: 0.0,
        torsional: 0.0,
        e_n: 0.0,
        levers: Matrix3::zeros(),
    };
    let mut total = 0.0;
    for (i, station) in placed.strand.stations().iter().enumerate().filter(|(_, station)| station.gap < 0.0) {
        let (load, depth) = (shares.loads[i], -station.gap);
        let force = station.nhat_A * (load * station.push);
        let turning = station.turn_length * shares.by_length[i] + station.turn_curvature * shares.by_curvature[i];
        sum.force += force;
        sum.moment += station.p_A.cross(&force) + turning;
        sum.centre += station.p_A * load;
        sum.depth += load * depth;
        total += load;
    }
    for (stations, loads) in placed.strand.ends().iter().zip(&shares.ends) {
        for (station, load) in stations.iter().zip(loads) {
            let Some(station) = station else { continue };
            sum.force += station.nhat_A * *load;
            sum.moment += station.p_A.cross(&(station.nhat_A * *load));
            sum.centre += station.p_A * *load;
            total += load;
        }
    }
    let size = sum.force.norm();
    if !(total > 0.0 && size > 0.0) {
        return None;
    }
    sum.nhat = sum.force / size;
    sum.depth /= total;
    sum.stiffness = 1.5 * total / sum.depth;
    // From the mean place to the line along which the force acts.
    let mean = sum.centre / total;
    let left = sum.moment - mean.cross(&sum.force);
    sum.centre = mean + sum.force.cross(&left) / (size * size);
    Some(sum)
}

/// What dampers at every station do to rocking: each carries p (1 + c δ′), of which the mean acts at the centre of load and the
/// rest is the couple −c Σ p a aᵀ w. A body that turns about the axis of its curve stays as it is, and is not damped.
fn rocking(
    load: &StrandLoad,
    site: &ContactSite,
    swapped: bool,
    place: &StrandPlace,
    (X_WA, V_WA): (&Isometry3<f64>, &SpatialVelocity),
    (X_WB, V_WB): (&Isometry3<f64>, &SpatialVelocity),
) -> Rocking {
    let (other, carrier) = if swapped { (X_WB, X_WA) } else { (X_WA, X_WB) };
    let axis_W = carrier.rotation * (place.curve.X_BS.rotation * Vector3::z());
    let E_W = &site.E_W;
    let across = E_W.tr_mul(&axis_W);
    let left = Matrix2::identity() - across * across.transpose();
    // Turned about the tangent axes, less what is about the axis.
    let w = left * E_W.tr_mul(&(V_WB.w - V_WA.w));
    let E_A = other.rotation.inverse().to_rotation_matrix() * E_W;
    let couple = left * (E_A.tr_mul(&load.levers) * E_A * w);
    let power = w.dot(&(E_A.tr_mul(&load.levers) * E_A * w));
    Rocking { couple_W: E_W * couple, power }
}

impl StrandLoad {
    /// The centre of load as a pair of points of (A, B); `swapped` where A has the curve.
    pub fn pair(&self, swapped: bool, X_AB: &Isometry3<f64>) -> crate::track::ClosestPair {
        let placed = PlacedStrand { swapped, ..PlacedStrand::default() };
        let station = Station { gap: -self.depth, p_A: self.centre, nhat_A: self.nhat, ..Station::default() };
        placed.pair_at(&station, X_AB)
    }

    /// What it offers along the patch, and stores.
    pub fn face_grip(&self) -> FaceGrip {
        let k = [self.tangential, self.tangential, self.torsional];
        FaceGrip { energy: self.energy, k, e_n: self.e_n, centre: Vector2::zeros() }
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
