//! # Press: mean loads of two faces over a step, from how their depth changes
//!
//! `faces` ──(region, stiffness per area, frozen)──▶ **here** ──(mean force and moments, slopes, energies)──▶ `island_solver`
//!
//! - **in**: u = (approach at the centroid, two slopes) over the step: the depth δ(x) = q₀ + q₁ x + q₂ y goes from q to q + u
//! - **out**: mean loads on u and their slopes; what is stored and lost
//! - **not here**: what holds along the faces (`law`)
//! - **assumes**: the shared region and the centre of load, where dampers act, stay for the step
//! - **start at** [`Press::loads`], then [`Press::account`]
//!
//! V = (κ/2) ∫ δ₊² dA is convex in q, quadratic while the whole region is pressed. The mean load is that of the straight way,
//!
//! ```text
//! ḡ = ∫₀¹ ∇V(q + τu) dτ,    ḡ·u = V(q + u) − V(q),    ∂ḡ/∂u = ∫₀¹ τ ∇²V(q + τu) dτ ≥ 0
//! ```
//!
//! a discrete gradient and itself the gradient of a convex function: the same as one spring of `curve` at every point of the
//! region. The way is cut where the first point touches and where the last one does. Between, the integrand is smooth and three
//! points of Gauss do; what they leave of ḡ·u is put along u in the metric of the region. As far as the contact is
//! stiff (β) the load is that of the end, ∇V(q + u).
//!
//! Dampers act at the centre of load r: d = max(D u_r/h, −P), u_r = u·(1, r), D = c P + b A′/A, A′ the pressed area. They take
//! d u_r ≥ 0, and the normal force is never negative. Springs along a curve have each its own: p (1 + c δ′) at every
//! station, which also resists rocking.
//!
//! **Length.** A fifth are tests; mean loads and account repeat one integral, which is read more easily in one place.

use super::law::{Borne, Loads, Pressed, Slope};
use super::strands::Stations;
use fingerpad_contact::track::faces::{Piece, Region};
use nalgebra::{Matrix2, Matrix3, Vector2, Vector3, Vector4};

/// What is pressed: an area, or springs along a curve, whose depth at the start is their own and for which q counts from there.
#[derive(Clone, Copy)]
pub enum Bed<'a> {
    Region(&'a Region),
    Stations(&'a Stations),
}

/// Points of Gauss on (0, 1), and their weights.
const GAUSS: [(f64, f64); 3] =
    [(0.112_701_665_379_258_3, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

/// What of V counts as rounding.
const ROUNDING: f64 = 1e-14;

/// Two faces over one step, frozen.
#[derive(Clone, Copy, Debug)]
pub struct Press {
    /// Stiffness per area (N/m³).
    pub kappa: f64,
    /// Area of the region (m²), and its second moments about its centroid (m⁴).
    pub area: f64,
    pub second: Matrix2<f64>,
    /// No point of the region is further from the centroid (m).
    pub radius: f64,
    /// Depth and slopes at the start (m, 1, 1), and their rates there.
    pub q0: Vector3<f64>,
    pub rate0: Vector3<f64>,
    /// How stiff it is, 0 to 1.
    pub beta: f64,
    /// Hunt–Crossley (s/m), and Kelvin–Voigt of the whole region (N·s/m).
    pub hunt_crossley: f64,
    pub damper: f64,
    /// 1/h (1/s).
    pub rate: f64,
    /// Centre of load (m).
    pub centre: Vector2<f64>,
    /// What is pressed at the start.
    pub start: Part,
}

/// What is pressed at some depth.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// V (J).
    pub stored: f64,
    /// ∇V: force, moments (N, N·m).
    pub load: Vector3<f64>,
    /// ∇²V.
    pub slope: Matrix3<f64>,
    /// Pressed area (m²).
    pub area: f64,
}

/// A step in detail.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Mean of ∇V, its slope, mean pressed area.
    mean: Part,
    end: Part,
    /// Elastic load with the blend.
    elastic: Vector3<f64>,
    /// Force of the dampers at the centre of load, and what they moved by.
    drag: f64,
    way: f64,
    /// What dampers of single stations add.
    own: Damped,
}

/// Dampers at every station of a curve: load, slope, energy lost (J).
#[derive(Clone, Copy, Debug)]
struct Damped {
    load: Vector3<f64>,
    slope: Matrix3<f64>,
    lost: f64,
}

impl Damped {
    const NONE: Self =
        Self { load: Vector3::new(0.0, 0.0, 0.0), slope: Matrix3::from_array_storage(NOTHING), lost: 0.0 };
}

/// Energies of a step (J).
#[derive(Clone, Copy, Debug, Default)]
pub struct PressAccount {
    pub numerical: f64,
    pub viscous: f64,
}

impl Part {
    const NONE: Self =
        Self { stored: 0.0, load: Vector3::new(0.0, 0.0, 0.0), slope: Matrix3::from_array_storage(NOTHING), area: 0.0 };

    fn add(&mut self, other: &Self, share: f64, by_end: f64) {
        self.load += other.load * share;
        self.slope += other.slope * (share * by_end);
        self.area += other.area * share;
    }
}

const NOTHING: nalgebra::ArrayStorage<f64, 3, 3> = nalgebra::ArrayStorage([[0.0; 3]; 3]);

/// Distance of the farthest point of a region from its origin (m), or more.
pub fn radius(region: &Region) -> f64 {
    let mut most = 0.0_f64;
    for piece in region.pieces() {
        for (k, corner) in piece.corners().iter().enumerate() {
            most = most.max(corner.coords.norm());
            if let Some((centre, radius)) = piece.arc(k) {
                most = most.max(centre.coords.norm() + radius);
            }
        }
    }
    most
}

impl Press {
    /// Nothing yet.
    pub const NONE: Self = Self {
        kappa: 0.0,
        area: 0.0,
        second: Matrix2::new(0.0, 0.0, 0.0, 0.0),
        radius: 0.0,
        q0: Vector3::new(0.0, 0.0, 0.0),
        rate0: Vector3::new(0.0, 0.0, 0.0),
        beta: 0.0,
        hunt_crossley: 0.0,
        damper: 0.0,
        rate: 0.0,
        centre: Vector2::new(0.0, 0.0),
        start: Part::NONE,
    };

    /// Least and greatest depth over the region (m).
    fn range(&self, region: &Region, q: &Vector3<f64>) -> (f64, f64) {
        let s = Vector2::new(q[1], q[2]);
        let spread = s.norm() * self.radius;
        if spread <= q[0].abs() {
            return (q[0] - spread, q[0] + spread);
        }
        (q[0] - region.support(&-s), q[0] + region.support(&s))
    }

    /// Greatest depth over the region (m).
    pub fn deepest(&self, bed: Bed, q: &Vector3<f64>) -> f64 {
        match bed {
            Bed::Region(region) => self.range(region, q).1,
            Bed::Stations(stations) => {
                stations.iter().map(|(arm, depth, _)| depth + arm.dot(q)).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// ∇²V of the whole region.
    pub fn whole(&self) -> Matrix3<f64> {
        let J = &self.second;
        Matrix3::new(self.area, 0.0, 0.0, 0.0, J[(0, 0)], J[(0, 1)], 0.0, J[(1, 0)], J[(1, 1)]) * self.kappa
    }

    /// What is pressed at a depth q.
    pub fn at(&self, bed: Bed, q: &Vector3<f64>) -> Part {
        let region = match bed {
            Bed::Region(region) => region,
            Bed::Stations(stations) => return along_curve(stations, q),
        };
        let (least, most) = self.range(region, q);
        if most <= 0.0 {
            return Part::NONE;
        }
        if least >= 0.0 {
            let slope = self.whole();
            let load = slope * q;
            return Part { stored: 0.5 * load.dot(q), load, slope, area: self.area };
        }
        // About a corner of the part, so that a narrow one keeps its digits.
        let s = Vector2::new(q[1], q[2]);
        let (place, sums) = region.sums_within_part(&-s, q[0]);
        if sums.area.is_nan() || sums.area <= 0.0 {
            return Part::NONE;
        }
        let depth = q[0] + s.dot(&place);
        let turned = sums.second * s;
        let volume = depth * sums.area + s.dot(&sums.first);
        let moment = sums.first * depth + turned + place * volume;
        let stored = depth * (depth * sums.area + 2.0 * s.dot(&sums.first)) + s.dot(&turned);
        let about = sums.moved(&place);
        let (S, J) = (&about.first, &about.second);
        let slope =
            Matrix3::new(about.area, S.x, S.y, S.x, J[(0, 0)], J[(0, 1)], S.y, J[(1, 0)], J[(1, 1)]) * self.kappa;
        Part {
            stored: 0.5 * self.kappa * stored,
            load: Vector3::new(volume, moment.x, moment.y) * self.kappa,
            slope,
            area: sums.area,
        }
    }

    /// Where a function of the way from 0 to 1 that changes its sign once is zero.
    fn zero(of: impl Fn(f64) -> f64, at_0: f64, at_1: f64) -> f64 {
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, at_0, 1.0, at_1);
        for i in 0..60 {
            if high - low < 1e-14 {
                break;
            }
            let share = if i % 3 == 2 { 0.5 } else { (at_low / (at_low - at_high)).clamp(1e-3, 1.0 - 1e-3) };
            let middle = low + (high - low) * share;
            let value = of(middle);
            if value == 0.0 {
                return middle;
            }
            if (value > 0.0) == (at_low > 0.0) {
                (low, at_low) = (middle, value);
            } else {
                (high, at_high) = (middle, value);
            }
        }
        0.5 * (low + high)
    }

    /// When on the straight way from 0 to 1 the least (`least`) or the greatest depth over the region changes its sign.
    ///
    /// Depth at a corner is linear along the way, so that of a region without arcs this is when the first or the last corner
    /// crosses; with arcs it is searched for.
    fn crossing(&self, region: &Region, u: &Vector3<f64>, least: bool, (at_0, at_1): (f64, f64)) -> f64 {
        let begins = if least { at_0 >= 0.0 } else { at_0 <= 0.0 };
        let sign = if at_0 >= 0.0 && least || at_0 > 0.0 { -1.0 } else { 1.0 };
        if region.pieces().iter().all(Piece::is_straight) {
            let mut found = None;
            for x in region.pieces().iter().flat_map(|piece| piece.corners()) {
                let along = |q: &Vector3<f64>| q[0] + q[1] * x.x + q[2] * x.y;
                let (from, way) = (along(&self.q0), along(u));
                // Those that cross in the direction in which the extreme does: the first of them where it begins, else the last.
                if way != 0.0 && sign * from <= 0.0 && sign * (from + way) >= 0.0 {
                    let t = (-from / way).clamp(0.0, 1.0);
                    found = Some(found.map_or(t, |other: f64| if begins { other.min(t) } else { other.max(t) }));
                }
            }
            if let Some(t) = found {
                return t;
            }
        }
        let extreme = |t: f64| {
            let range = self.range(region, &(self.q0 + u * t));
            if least { range.0 } else { range.1 }
        };
        Self::zero(extreme, at_0, at_1)
    }

    /// Mean of ∇V on the straight way, with its slope by the end and the mean pressed area; `V` is that of both ends.
    fn mean(&self, bed: Bed, u: &Vector3<f64>, V: (f64, f64)) -> Part {
        let region = match bed {
            Bed::Region(region) => region,
            Bed::Stations(stations) => return self.step_along_curve(stations, u).1,
        };
        let at = |t: f64| self.q0 + u * t;
        let (from, to) = (self.range(region, &self.q0), self.range(region, &at(1.0)));
        let mut mean = Part::NONE;
        // Depth is linear along the way: its least value is concave, its greatest convex.
        if from.0 >= 0.0 && to.0 >= 0.0 {
            self.add_whole(&mut mean, (0.0, 1.0), u);
            return mean;
        }
        if from.1 <= 0.0 && to.1 <= 0.0 {
            return mean;
        }
        let (mut begin, mut end) = (0.0, 1.0);
        if from.1 <= 0.0 {
            begin = self.crossing(region, u, false, (from.1, to.1));
        } else if to.1 <= 0.0 {
            end = self.crossing(region, u, false, (from.1, to.1));
        }
        if from.0 >= 0.0 {
            let until = self.crossing(region, u, true, (from.0, to.0)).min(end);
            self.add_whole(&mut mean, (0.0, until), u);
            begin = until;
        } else if to.0 >= 0.0 {
            let since = self.crossing(region, u, true, (from.0, to.0)).max(begin);
            self.add_whole(&mut mean, (since, 1.0), u);
            end = since;
        }
        if end > begin {
            for (x, weight) in GAUSS {
                let t = begin + (end - begin) * x;
                mean.add(&self.at(bed, &at(t)), (end - begin) * weight, t);
            }
        }
        let left = V.1 - V.0 - mean.load.dot(u);
        if left.abs() > ROUNDING * (V.0 + V.1) {
            let along = self.whole() * u;
            mean.load += along * (left / along.dot(u));
        }
        mean
    }

    /// A part of the way on which the whole region is pressed.
    fn add_whole(&self, mean: &mut Part, (from, to): (f64, f64), u: &Vector3<f64>) {
        let (share, middle) = (to - from, 0.5 * (from + to));
        let slope = self.whole();
        mean.load += slope * (self.q0 + u * middle) * share;
        mean.slope += slope * (share * middle);
        mean.area += self.area * share;
    }

    fn step(&self, bed: Bed, u: &Vector3<f64>) -> Step {
        let (end, mean, own) = match bed {
            Bed::Region(_) => {
                let end = self.at(bed, &(self.q0 + u));
                (end, self.mean(bed, u, (self.start.stored, end.stored)), Damped::NONE)
            }
            Bed::Stations(stations) => self.step_along_curve(stations, u),
        };
        let elastic = mean.load + (end.load - mean.load) * self.beta;
        let way = self.line().dot(u);
        let (c, left) = match bed {
            Bed::Region(_) => (self.hunt_crossley, elastic[0]),
            Bed::Stations(_) => (0.0, elastic[0] + own.load[0]),
        };
        let D = c * elastic[0] + self.damper * (mean.area / self.area);
        let drag = (D.max(0.0) * way * self.rate).max(-left.max(0.0));
        Step { mean, end, elastic, drag, way, own }
    }

    /// The end of a step of springs along a curve, the mean of ∇V on the straight way, and their dampers (Hunt–Crossley): each
    /// is asked once. The mean load of a spring is (W₁ − W₀)/(δ₁ − δ₀), its slope by δ₁ (p₁ − p̄)/(δ₁ − δ₀).
    fn step_along_curve(&self, stations: &Stations, u: &Vector3<f64>) -> (Part, Part, Damped) {
        let (mut end, mut mean) = (Part { stored: stations.offset, ..Part::NONE }, Part::NONE);
        let mut own = Damped::NONE;
        let c = self.hunt_crossley * self.rate;
        for ((arm, depth, spring), stored) in stations.iter().zip(&stations.energies) {
            let way = arm.dot(u);
            let to = depth + way;
            if depth <= 0.0 && to <= 0.0 {
                continue;
            }
            let load_1 = spring.load(to);
            let slope_1 = if to > 0.0 { spring.exponent * load_1 / to } else { 0.0 };
            let outer = arm * arm.transpose();
            let energy = load_1 * to / (spring.exponent + 1.0);
            if to > 0.0 {
                end.stored += energy;
                end.load += arm * load_1;
                end.slope += outer * slope_1;
                end.area = 1.0;
            }
            let (load, slope) = if way.abs() > 1e-6 * depth.abs().max(to.abs()) {
                let load = (energy - stored) / way;
                (load, (load_1 - load) / way)
            } else {
                let middle = 0.5 * (depth + to);
                let load = spring.load(middle);
                (load, 0.5 * spring.exponent * load / middle)
            };
            mean.load += arm * load;
            mean.slope += outer * slope;
            mean.area = 1.0;
            if c <= 0.0 {
                continue;
            }
            let elastic = load + (load_1 - load) * self.beta;
            let slope = slope + (slope_1 - slope) * self.beta;
            let damped = stations.damped(arm);
            let way = damped.dot(u);
            // It takes no more than the spring gives.
            let share = (c * way).max(-1.0);
            own.load += damped * (elastic * share);
            own.lost += elastic * share * way;
            own.slope += damped * arm.transpose() * (slope * share);
            if share > -1.0 {
                own.slope += damped * damped.transpose() * (elastic * c);
            }
        }
        (end, mean, own)
    }

    /// (1, r).
    fn line(&self) -> Vector3<f64> {
        Vector3::new(1.0, self.centre.x, self.centre.y)
    }

    /// Loads for displacements u of the last three rows.
    pub fn loads(&self, bed: Bed, u: &Vector4<f64>) -> Loads {
        let u = Vector3::new(u[1], u[2], u[3]);
        let step = self.step(bed, &u);
        let line = self.line();
        let f = step.elastic + step.own.load + line * step.drag;
        let mut K = step.mean.slope + (step.end.slope - step.mean.slope) * self.beta;
        let force = step.elastic[0];
        if matches!(bed, Bed::Stations(_)) {
            K += step.own.slope;
            if step.drag > -(force + step.own.load[0]) {
                K += line * line.transpose() * (self.damper * self.rate);
            }
        } else if step.drag <= -force && step.drag < 0.0 {
            // Nothing is left of the force; moments about r are.
            let along = Matrix3::identity() - line * Vector3::x().transpose();
            K = along * K * along.transpose();
        } else {
            let D = self.hunt_crossley * force + self.damper * (step.end.area / self.area);
            K *= (1.0 + self.hunt_crossley * step.way * self.rate).max(0.0);
            K += line * line.transpose() * (D.max(0.0) * self.rate);
        }
        K = (K + K.transpose()) * 0.5;
        let pressed =
            Pressed { force: f[0], slope: 0.0, elastic: force, stored: step.end.stored, ..Pressed::default() };
        Loads { f: Vector4::new(0.0, f[0], f[1], f[2]), normal: 0.0, tangential: Slope::Slips(K), pressed }
    }

    /// What friction has to follow for displacements u: the force at the end of the step, its mean, the share of the step in
    /// contact, and the force at its start.
    pub fn bears(&self, bed: Bed, u: &Vector4<f64>) -> Borne {
        let u = Vector3::new(u[1], u[2], u[3]);
        let line = self.line();
        let Step { end, elastic, drag, own, .. } = self.step(bed, &u);
        let (d0, d1) = (self.deepest(bed, &self.q0), self.deepest(bed, &(self.q0 + u)));
        let share = match (d0 > 0.0, d1 > 0.0) {
            (true, true) => 1.0,
            (false, true) => d1 / (d1 - d0),
            (true, false) => d0 / (d0 - d1),
            (false, false) => 0.0,
        };
        // The rate at the end is twice the mean less that of the start; where stiff, the mean.
        let (mean, rate0) = (line.dot(&u) * self.rate, line.dot(&self.rate0));
        let rate1 = mean + (1.0 - self.beta) * (mean - rate0);
        let force = |part: &Part, rate: f64| {
            let damped = self.damper * (part.area / self.area) * rate;
            (part.load[0] * (1.0 + self.hunt_crossley * rate) + damped).max(0.0)
        };
        let first = if d0 > 0.0 { force(&self.start, rate0) } else { (self.damper * mean).max(0.0) };
        Borne { load: force(&end, rate1), mean: (elastic[0] + own.load[0] + drag).max(0.0), share, first }
    }

    /// What a step with displacements u loses.
    pub fn account(&self, bed: Bed, u: &Vector4<f64>) -> PressAccount {
        let u = Vector3::new(u[1], u[2], u[3]);
        let step = self.step(bed, &u);
        PressAccount {
            numerical: self.beta * (step.end.load - step.mean.load).dot(&u),
            viscous: step.drag * step.way + step.own.lost,
        }
    }
}

/// What springs along a curve carry and store at displacements q.
fn along_curve(stations: &Stations, q: &Vector3<f64>) -> Part {
    let mut part = Part { stored: stations.offset, ..Part::NONE };
    for (arm, depth, spring) in stations.iter() {
        let depth = depth + arm.dot(q);
        if depth > 0.0 {
            let load = spring.load(depth);
            part.stored += load * depth / (spring.exponent + 1.0);
            part.load += arm * load;
            part.slope += arm * arm.transpose() * (spring.exponent * load / depth);
            part.area = 1.0;
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingerpad_contact::surface::{Cylinder, HalfSpace, RoundedBox, Shape};
    use fingerpad_contact::track::faces::{FaceContact, faces_of};
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};

    fn face(shape: &Shape, which: usize, turn: UnitQuaternion<f64>) -> FaceContact {
        let ground = faces_of(&Shape::HalfSpace(HalfSpace));
        let X = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.1), turn);
        FaceContact::between(&ground[0], &faces_of(shape)[which], &X, 0.1).unwrap()
    }

    fn press(face: &FaceContact, q0: Vector3<f64>) -> Press {
        let press = Press {
            kappa: 1e8,
            area: face.area,
            second: face.second,
            radius: radius(&face.region),
            q0,
            beta: 0.3,
            hunt_crossley: 0.2,
            damper: 50.0,
            rate: 1e3,
            ..Press::NONE
        };
        Press { start: press.at(Bed::Region(&face.region), &q0), ..press }
    }

    /// When depth over a rectangle begins or ceases to be pressed in part or whole, by its corners, is when the sign of its extremes
    /// changes, by halving; all four changes are met.
    #[test]
    fn crossings_of_corners_are_those_found_by_halving() {
        let brick = Shape::RoundedBox(RoundedBox::new(nalgebra::Vector3::new(0.05, 0.03, 0.02), 1e-3).unwrap());
        let down = faces_of(&brick).iter().position(|f| f.nhat().z < -0.9).unwrap();
        let face = face(&brick, down, UnitQuaternion::from_euler_angles(0.0, 0.0, 0.4));
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            2.0 * (seed >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
        };
        let mut met = [0; 4];
        for k in 0..3000 {
            let mut around = || Vector3::new(3e-3 * random(), 0.03 * random(), 0.03 * random());
            let (q0, u) = (around(), around());
            let press = press(&face, q0);
            let range = |t: f64| press.range(&face.region, &(q0 + u * t));
            for least in [true, false] {
                let extreme = |t: f64| if least { range(t).0 } else { range(t).1 };
                let ends = (extreme(0.0), extreme(1.0));
                if (ends.0 > 0.0) == (ends.1 > 0.0) {
                    continue;
                }
                let (mut low, mut high) = (0.0, 1.0);
                while high - low > 1e-13 {
                    let middle = 0.5 * (low + high);
                    if (extreme(middle) > 0.0) == (ends.0 > 0.0) { low = middle } else { high = middle }
                }
                let found = press.crossing(&face.region, &u, least, ends);
                assert!((found - low).abs() < 1e-9, "{k} {least}: {found}, by halving {low}");
                met[2 * usize::from(least) + usize::from(ends.0 > 0.0)] += 1;
            }
        }
        assert!(met.iter().all(|count| *count > 100), "{met:?}");
    }

    /// Over random steps of a rectangle and a disc, pressed whole, in part, or apart at either end: mean force times way is
    /// the change of energy, losses are not negative, and the slope is that of differences.
    #[test]
    fn mean_load_is_a_discrete_gradient_with_its_slope() {
        let brick = Shape::RoundedBox(RoundedBox::new(nalgebra::Vector3::new(0.05, 0.03, 0.02), 1e-3).unwrap());
        let disc = Shape::Cylinder(Cylinder::new(0.03, 0.01, 1e-3).unwrap());
        let down = faces_of(&brick).iter().position(|f| f.nhat().z < -0.9).unwrap();
        let end = faces_of(&disc).iter().position(|f| f.nhat().z < -0.9).unwrap();
        let mut seed = 3_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            2.0 * (seed >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
        };
        let (mut partly, mut worst) = (0, 0.0_f64);
        for (shape, which) in [(&brick, down), (&disc, end)] {
            let face = face(shape, which, UnitQuaternion::from_euler_angles(0.0, 0.0, 0.4));
            for _ in 0..2000 {
                let mut around = |depth: f64| Vector3::new(depth * random(), 0.03 * random(), 0.03 * random());
                let q0 = around(1e-3);
                let press = press(&face, q0);
                let q1 = q0 + around(1e-3) * 0.3;
                let u = q1 - q0;
                let (V0, V1) = (press.at(Bed::Region(&face.region), &q0), press.at(Bed::Region(&face.region), &q1));
                let mean = press.mean(Bed::Region(&face.region), &u, (V0.stored, V1.stored));
                let scale = V0.stored + V1.stored;
                partly += usize::from(V1.area > 0.0 && V1.area < 0.99 * face.area);
                // Rounding of sums over corners.
                assert!((mean.load.dot(&u) - (V1.stored - V0.stored)).abs() <= 2e-14 * scale);
                let four = Vector4::new(0.0, u[0], u[1], u[2]);
                let account = press.account(Bed::Region(&face.region), &four);
                assert!(account.numerical >= -1e-14 * scale && account.viscous >= 0.0, "{account:?} {scale}");
                // V by its own gradient: the difference over a small step.
                let e = Vector3::new(1e-9, 3e-8, -2e-8);
                let ahead = press.at(Bed::Region(&face.region), &(q1 + e)).stored
                    - press.at(Bed::Region(&face.region), &(q1 - e)).stored;
                let slope = 2.0 * V1.load.dot(&e);
                let curved = e.dot(&(press.whole() * e));
                assert!((ahead - slope).abs() <= 1e-5 * slope.abs() + 1e-3 * curved, "{ahead} {slope}");
                // The slope of the mean load is that of its differences, but for what Gauss leaves.
                let more = press.mean(
                    Bed::Region(&face.region),
                    &(u + e),
                    (V0.stored, press.at(Bed::Region(&face.region), &(q1 + e)).stored),
                );
                let less = press.mean(
                    Bed::Region(&face.region),
                    &(u - e),
                    (V0.stored, press.at(Bed::Region(&face.region), &(q1 - e)).stored),
                );
                let found = more.load - less.load;
                let told = mean.slope * e * 2.0;
                let metric = press.whole();
                let size = (metric * e * 2.0).norm();
                worst = worst.max((found - told).norm() / size);
            }
        }
        println!("slopes off by {worst}");
        assert!(worst < 0.05, "{worst}");
        assert!(partly > 500, "{partly}");
    }
}
