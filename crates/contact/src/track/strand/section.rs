//! # Section: how deep one section of a curve is in the other body
//!
//! `carrier` ──(points across the curve)──▶ **here** ──([`Station`]: gap, foot, normal, curvature across)──▶ `nodes`
//!
//! - **in**: a place s of a [`Curve`], the other body A as a signed distance φ_A
//! - **out**: g(s) = min over t of φ_A, where that is, and the curvature of the gap across the curve there
//! - **not here**: which places are looked at (`nodes`); sections that are circles (`circle`); loads (`law::strand`)
//! - **assumes**: the section faces A at one place; A is smooth there but for seams of its curvature
//! - **start at** [`Other::new`], then [`Other::look`], [`Other::station`]
//!
//! Since t minimises and s is fixed in B, dg = n_A·(velocity of B's foot relative to A): what the section stores changes by the
//! motion of its foot alone, and by what turns its curvature c across and its stretch J. On a plane with normal n both
//! depend on n as B sees it, so that they add the couple n × ∂V/∂n.
//!
//! **Bodies that are not planes** may bend across the foot, and their seams cut through it. There the depth is summed across,
//! between the two places where it ends:
//!
//! ```text
//! E = ∫ δ² dy,   F = ∫ δ n_A dy,   c = 2 (16/15)² δ⁵/E²        (so that a parabola of curvature c stores the same)
//! ```

use super::carrier::{Curve, Jet, Path};
use super::circle::{Circle, Side};
use super::field::{Field, Near};
use crate::surface::Shape;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Nodes and weights of Gauss–Legendre with five points on [−1, 1].
pub(super) const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.538_469_310_105_683, 0.478_628_670_499_366_47),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

/// The other body as its signed distance, and where the curve is.
pub(super) struct Other<'a> {
    pub curve: &'a Curve,
    pub body: &'a Shape,
    /// The body that does not carry the curve.
    pub shape: &'a Shape,
    /// Pose of the frame of the curve in it.
    X_AS: Isometry3<f64>,
    /// Its axes.
    R_AS: Matrix3<f64>,
    field: Field<'a>,
}

/// One section of a curve, in the frame of the other body A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Place along the curve.
    pub s: f64,
    /// How much of the curve's parameter it stands for.
    pub ds: f64,
    /// Length of the curve at the foot that it stands for (m).
    pub length: f64,
    /// How the depth of a straight curve changes along it, by s.
    pub slope: f64,
    /// The least gap of the section (m).
    pub gap: f64,
    /// Where the load acts, on the surface of B (m).
    pub p_A: Vector3<f64>,
    /// Direction of the load on B.
    pub nhat_A: Vector3<f64>,
    /// Curvature of the gap across the curve (1/m).
    pub curvature: f64,
    /// The load over that of a parabola with this curvature.
    pub push: f64,
    /// n × ∂ ln c/∂n: how turning B changes the curvature.
    pub turn_curvature: Vector3<f64>,
    /// n × ∂ ln J/∂n: how turning B changes the length.
    pub turn_length: Vector3<f64>,
}

/// The nearest point of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub gap: f64,
    pub nhat_A: Vector3<f64>,
    pub p_A: Vector3<f64>,
}

/// Where on a profile a foot is: its parameter, the point there, second derivative of the gap by the parameter.
type OnProfile = (f64, Jet, f64);

impl<'a> Other<'a> {
    pub fn new(curve: &'a Curve, body: &'a Shape, shape: &'a Shape, X_AB: &Isometry3<f64>) -> Self {
        let X_AS = X_AB * curve.X_BS;
        let R_AS = *X_AS.rotation.to_rotation_matrix().matrix();
        Self { curve, body, shape, X_AS, R_AS, field: Field::new(shape, &X_AS) }
    }

    /// A point of the frame of the curve.
    fn placed(&self, p_S: &Vector3<f64>) -> Vector3<f64> {
        self.X_AS.translation.vector + self.R_AS * p_S
    }

    /// Signed distance of a point of the curve's frame, and the normal of A under it, in A.
    fn distance(&self, p_S: &Vector3<f64>) -> Option<Near> {
        self.field.at(self.shape, &self.placed(p_S))
    }

    /// The nearest point of the section at s; none where A has ended.
    pub fn look(&self, s: f64) -> Option<Foot> {
        self.look_within(s, f64::INFINITY)?.ok()
    }

    /// The same, or a bound of the gap, where that is above `within`.
    #[inline]
    pub fn look_within(&self, s: f64, within: f64) -> Option<Result<Foot, f64>> {
        let Some(circle) = Circle::of(self.curve, &self.R_AS, &self.X_AS, s) else {
            return Some(self.look_on_profile(s, within)?.map(|(foot, _)| foot));
        };
        let found = circle.nearest(&self.field, self.shape, within)?;
        Some(found.map(|side| Foot { gap: side.gap, nhat_A: side.n, p_A: circle.point(&side.at) }))
    }

    fn look_on_profile(&self, s: f64, within: f64) -> Option<Result<(Foot, OnProfile), f64>> {
        let (curve, body) = (self.curve, self.body);
        let (middle, reach) = curve.middle(s);
        let bound = self.distance(&middle)?.gap - reach;
        if bound > within {
            return Some(Err(bound));
        }
        let plane = matches!(self.field, Field::Plane(_));
        let (mut t, mut last) = (curve.within(curve.profile_start()), None::<(f64, f64)>);
        for i in 0.. {
            let jet = curve.point(body, s, t);
            let Near { gap, n: nhat_A } = self.distance(&jet.p)?;
            let n = self.R_AS.tr_mul(&nhat_A);
            let slope = n.dot(&jet.d1);
            let own = n.dot(&jet.d2);
            // The curvature of A shows in how the slope changes; a plane has none.
            let bend = match last {
                _ if plane => own.abs(),
                Some((t0, slope0)) if (t - t0).abs() > 1e-9 => {
                    let found = (slope - slope0) / (t - t0);
                    if found > 0.05 * own.abs() { found } else { own.abs() }
                }
                _ => own.abs(),
            };
            let step = (-slope / bend.max(f64::MIN_POSITIVE)).clamp(-curve.longest_step(), curve.longest_step());
            let next = curve.within(t + step);
            let arc = jet.d1.norm();
            if i >= 14 || (next - t).abs() * arc <= 1e-8 * (arc + jet.p.norm()) {
                return Some(Ok((Foot { gap, nhat_A, p_A: self.placed(&jet.p) }, (t, jet, bend))));
            }
            last = Some((t, slope));
            t = next;
        }
        None
    }

    /// The section at s that stands for `ds` of the curve's parameter, written into a place; whether A is there.
    pub fn station(&self, s: f64, ds: f64, station: &mut Station) -> bool {
        let Some(circle) = Circle::of(self.curve, &self.R_AS, &self.X_AS, s) else {
            return self.station_on_profile(s, ds, station);
        };
        let Some(Ok(side)) = circle.nearest(&self.field, self.shape, f64::INFINITY) else { return false };
        (station.s, station.ds, station.push) = (s, ds, 1.0);
        station.length = circle.stretch(&side.at) * ds;
        station.slope = if matches!(self.curve.path, Path::Rod { .. }) { circle.slope(&side) } else { 0.0 };
        (station.gap, station.p_A, station.nhat_A) = (side.gap, circle.point(&side.at), side.n);
        station.curvature = side.bend / (circle.radius() * circle.radius());
        (station.turn_curvature, station.turn_length) = (Vector3::zeros(), Vector3::zeros());
        match &self.field {
            Field::Plane(plane) => self.turn(station, &circle, &side, &plane.n),
            field if side.gap < 0.0 => circle.sum_across(field, self.shape, &side, station),
            _ => {}
        }
        true
    }

    fn station_on_profile(&self, s: f64, ds: f64, station: &mut Station) -> bool {
        let Some(Ok((foot, (t, jet, bend)))) = self.look_on_profile(s, f64::INFINITY) else { return false };
        *station = Station {
            s,
            ds,
            length: jet.stretch * ds,
            gap: foot.gap,
            p_A: foot.p_A,
            nhat_A: foot.nhat_A,
            curvature: bend / jet.d1.norm_squared(),
            ..Station::default()
        };
        match &self.field {
            Field::Plane(plane) => self.turn_profile(station, (t, bend), &plane.n),
            _ if foot.gap < 0.0 => self.sum_across(station, t, &jet),
            _ => {}
        }
        true
    }

    /// How curvature and length change as B turns on a plane.
    #[inline]
    fn turn(&self, station: &mut Station, circle: &Circle, side: &Side, n: &Vector3<f64>) {
        let (u, v) = (circle.radial(), circle.upward());
        let (a, b) = (n.dot(u), n.dot(v));
        let squared = a * a + b * b;
        let across = u * a + v * b;
        station.turn_curvature = n.cross(&across) / squared;
        if matches!(self.curve.path, Path::Tube { .. }) {
            let share = circle.radius() / (squared.sqrt() * circle.stretch(&side.at));
            station.turn_length = n.cross(&(across * (a / squared) - u)) * share;
        }
    }

    /// The same of a profile: c = sin β k(v), with k the curvature of the profile; v follows the normal.
    fn turn_profile(&self, station: &mut Station, (t, bent): (f64, f64), n: &Vector3<f64>) {
        let (Path::Foot { window, .. }, Shape::Revolution(body)) = (self.curve.path, self.body) else { return };
        let n = self.R_AS.tr_mul(n);
        let radial = Vector3::new(station.s.cos(), station.s.sin(), 0.0);
        let (a, b) = (n.dot(&radial), n.z);
        let across = radial * a + Vector3::z() * b;
        let bend = |v: f64| {
            let [_, d1, d2] = body.profile(v);
            (d1[0] * d2[1] - d1[1] * d2[0]) / (d1[0] * d1[0] + d1[1] * d1[1]).powf(1.5)
        };
        let [c, d1, _] = body.profile(t);
        let small = 1e-5 * (window[1] - window[0]);
        let k = bend(t);
        let growth = (bend(t + small) - bend(t - small)) / (2.0 * small * k);
        let v_of_n = (radial * d1[0] + Vector3::z() * d1[1]) * (-1.0 / bent);
        let turned = |of: Vector3<f64>| self.R_AS * n.cross(&of);
        station.turn_curvature = turned(across / (a * a + b * b) + v_of_n * growth);
        station.turn_length = turned(v_of_n * (d1[0] / c[0]));
    }

    /// Energy and load of a pressed section that follows a profile, summed across it.
    fn sum_across(&self, station: &mut Station, foot: f64, at_foot: &Jet) {
        let depth = -station.gap;
        let arc = at_foot.d1.norm();
        let first = (2.0 * depth / station.curvature).sqrt() / arc;
        let end = |side: f64| self.end(station.s, (foot, station.gap), side, first);
        let (Some(low), Some(high)) = (end(-1.0), end(1.0)) else { return };
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (mut E, mut F, mut P, mut arm) = (0.0, Vector3::zeros(), 0.0, Vector3::zeros());
        for (x, weight) in GAUSS {
            let jet = self.curve.point(self.body, station.s, middle + half * x);
            let p = self.placed(&jet.p);
            let Some(near) = self.field.at(self.shape, &p) else { return };
            let d = (-near.gap).max(0.0);
            // The length of the curve there goes with the weight.
            let w = weight * half * jet.d1.norm() * (jet.stretch / at_foot.stretch) * d;
            E += w * d;
            F += near.n * w;
            P += w;
            arm += p * w;
        }
        station.sum_up(E, &F, P, &arm);
    }

    /// Where the depth of a section ends on one side of its foot.
    fn end(&self, s: f64, (foot, gap0): (f64, f64), side: f64, first: f64) -> Option<f64> {
        let (mut t, mut inside, mut outside) = (foot + side * first, foot, None::<f64>);
        for _ in 0..5 {
            let at = self.curve.within(t);
            let jet = self.curve.point(self.body, s, at);
            let Near { gap, n } = self.distance(&jet.p)?;
            if gap < 0.0 && at != t {
                return Some(at);
            }
            if gap.abs() < 1e-3 * -gap0 {
                return Some(at);
            }
            if gap < 0.0 {
                inside = at
            } else {
                outside = Some(at)
            }
            let slope = self.R_AS.tr_mul(&n).dot(&jet.d1);
            let newton = at - gap / slope;
            let bound = outside.unwrap_or(inside + side * 2.0 * first);
            t = if (newton - inside) * (newton - bound) < 0.0 { newton } else { 0.5 * (inside + bound) };
        }
        Some(t)
    }
}

impl Station {
    /// What a section stores across: Σ δ², Σ δ n, Σ δ and Σ δ x over its pressed width.
    pub(super) fn sum_up(&mut self, E: f64, F: &Vector3<f64>, P: f64, arm: &Vector3<f64>) {
        if !(E > 0.0 && P > 0.0) {
            return;
        }
        let depth = -self.gap;
        let ratio = 16.0 / 15.0 * depth * depth / E;
        self.curvature = 2.0 * depth * ratio * ratio;
        let size = F.norm();
        self.nhat_A = F / size;
        // (4/3) √2 δ^{3/2}/√c is the load of a parabola.
        self.push = size / (4.0 / 3.0 * depth * (2.0 * depth / self.curvature).sqrt());
        self.p_A = arm / P;
    }
}
