//! # Section: how deep one section of a curve is in the other body
//!
//! `carrier` ──(points across the curve)──▶ **here** ──([`Station`]: gap, foot, normal, curvature across)──▶ `nodes`
//!
//! - **in**: a place s of a [`Curve`], the other body A as a signed distance φ_A
//! - **out**: g(s) = min over t of φ_A, where that is, and the curvature of the gap across the curve there
//! - **not here**: which places are looked at (`nodes`); loads (`law::strand`)
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
use crate::surface::{Shape, Surface};
use crate::track::tips;
use nalgebra::{Isometry3, Point3, Vector3};

/// Nodes and weights of Gauss–Legendre with five points on [−1, 1].
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.538_469_310_105_683, 0.478_628_670_499_366_47),
    (0.0, 0.568_888_888_888_888_9),
    (0.538_469_310_105_683, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

/// The other body as its signed distance, and where the curve is.
#[derive(Clone, Copy)]
pub(super) struct Other<'a> {
    pub curve: &'a Curve,
    pub body: &'a Shape,
    /// The body that does not carry the curve.
    pub shape: &'a Shape,
    /// Pose of the frame of the curve in it.
    pub X_AS: Isometry3<f64>,
    plane: Option<Plane>,
}

/// A body that is a plane where the curve is.
#[derive(Clone, Copy)]
struct Plane {
    /// Its normal in the frame of the curve, and in its own.
    n: Vector3<f64>,
    nhat_A: Vector3<f64>,
    /// How far the origin of the frame of the curve is above it (m).
    height: f64,
    /// Where it ends, in its own frame: x from, x to, y from, y to (m).
    ends: Option<[f64; 4]>,
}

impl Plane {
    fn of(shape: &Shape, X_AS: &Isometry3<f64>) -> Option<Self> {
        let (z, slope, ends) = match shape {
            Shape::HalfSpace(_) => (0.0, [0.0; 2], None),
            Shape::Elevation(map) if map.is_plane() => {
                let plain = &map.plains()[0];
                (plain.z, plain.slope, plain.parts.first().copied())
            }
            _ => return None,
        };
        let nhat_A = Vector3::new(-slope[0], -slope[1], 1.0).normalize();
        let height = nhat_A.dot(&X_AS.translation.vector) - z * nhat_A.z;
        Some(Self { n: X_AS.rotation.inverse() * nhat_A, nhat_A, height, ends })
    }

    /// Signed distance of a point of the curve's frame; none beyond where the plane ends.
    fn distance(&self, p_S: &Vector3<f64>, X_AS: &Isometry3<f64>) -> Option<f64> {
        if let Some([x0, x1, y0, y1]) = self.ends {
            let p = X_AS * Point3::from(*p_S);
            if !(x0..=x1).contains(&p.x) || !(y0..=y1).contains(&p.y) {
                return None;
            }
        }
        Some(self.n.dot(p_S) + self.height)
    }
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
    pub t: f64,
    pub gap: f64,
    pub nhat_A: Vector3<f64>,
    pub jet: Jet,
    /// Second derivative of the gap by t.
    bend: f64,
}

impl<'a> Other<'a> {
    pub fn new(curve: &'a Curve, body: &'a Shape, shape: &'a Shape, X_AB: &Isometry3<f64>) -> Self {
        let X_AS = X_AB * curve.X_BS;
        Self { curve, body, shape, X_AS, plane: Plane::of(shape, &X_AS) }
    }

    /// Signed distance of a point of the curve's frame, and the normal of A under it, in A.
    fn distance(&self, p_S: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        if let Some(plane) = &self.plane {
            return plane.distance(p_S, &self.X_AS).map(|distance| (distance, plane.nhat_A));
        }
        let p_A = self.X_AS * Point3::from(*p_S);
        match self.shape {
            Shape::Graph(_) | Shape::Elevation(_) => {
                // The foot nearest to the place right below. Near contact it is the only one; further away, where hollows
                // are narrower than the gap, another may be nearer, and no station is pressed.
                tips::foot(self.shape, &p_A, Some(&p_A)).map(|(at, distance)| (distance, at.nhat))
            }
            shape => shape.closest_point(&p_A).ok().map(|foot| (foot.distance, foot.nhat)),
        }
    }

    /// A gap that the section at s has at least (m).
    pub fn at_least(&self, s: f64) -> f64 {
        let (middle, reach) = self.curve.middle(s);
        self.distance(&middle).map_or(f64::INFINITY, |(distance, _)| distance - reach)
    }

    /// The nearest point of the section at s; none where A has ended.
    pub fn look(&self, s: f64) -> Option<Foot> {
        let (curve, body) = (self.curve, self.body);
        let turn = |n_A: &Vector3<f64>| self.X_AS.rotation.inverse() * n_A;
        let start = match self.plane {
            Some(plane) => curve.facing(s, &-plane.n),
            None => {
                let middle = curve.middle(s).0;
                curve.facing(s, &-turn(&self.distance(&middle)?.1))
            }
        };
        // On a plane the angle that faces it is the answer.
        let exact = self.plane.is_some() && !matches!(curve.path, Path::Foot { .. });
        let (mut t, mut last) = (curve.within(start), None::<(f64, f64)>);
        for i in 0.. {
            let jet = curve.point(body, s, t);
            let (gap, nhat_A) = self.distance(&jet.p)?;
            let n = turn(&nhat_A);
            let slope = n.dot(&jet.d1);
            let own = n.dot(&jet.d2);
            // The curvature of A shows in how the slope changes; a plane has none.
            let bend = match last {
                _ if self.plane.is_some() => own.abs(),
                Some((t0, slope0)) if (t - t0).abs() > 1e-9 => {
                    let found = (slope - slope0) / (t - t0);
                    if found > 0.05 * own.abs() { found } else { own.abs() }
                }
                _ => own.abs(),
            };
            let step = (-slope / bend.max(f64::MIN_POSITIVE)).clamp(-curve.longest_step(), curve.longest_step());
            let next = curve.within(t + step);
            let arc = jet.d1.norm();
            if exact || i >= 14 || (next - t).abs() * arc <= 1e-8 * (arc + jet.p.norm()) {
                return Some(Foot { t, gap, nhat_A, jet, bend });
            }
            last = Some((t, slope));
            t = next;
        }
        None
    }

    /// The section at s that stands for `ds` of the curve's parameter.
    pub fn station(&self, s: f64, ds: f64) -> Option<Station> {
        let foot = self.look(s)?;
        let Foot { gap, nhat_A, jet, bend, .. } = foot;
        let mut station = Station {
            s,
            ds,
            length: jet.stretch * ds,
            slope: self.slope(s, &foot),
            gap,
            p_A: (self.X_AS * Point3::from(jet.p)).coords,
            nhat_A,
            curvature: bend / jet.d1.norm_squared(),
            push: 1.0,
            turn_curvature: Vector3::zeros(),
            turn_length: Vector3::zeros(),
        };
        match self.plane {
            Some(plane) => self.turn(&mut station, &foot, &plane.n),
            None if gap < 0.0 => self.sum_across(&mut station, &foot),
            None => {}
        }
        Some(station)
    }

    /// dδ/ds = −n·∂p/∂s, of straight curves.
    fn slope(&self, s: f64, foot: &Foot) -> f64 {
        if !matches!(self.curve.path, Path::Rod { .. }) {
            return 0.0;
        }
        let h = 1e-6 * (self.curve.length() + s.abs());
        let [before, after] = [s - h, s + h].map(|s| self.curve.point(self.body, s, foot.t).p);
        -foot.nhat_A.dot(&(self.X_AS.rotation * (after - before))) / (2.0 * h)
    }

    /// How curvature and length change as B turns on a plane.
    fn turn(&self, station: &mut Station, foot: &Foot, n: &Vector3<f64>) {
        let (of_c, of_J) = match self.curve.path {
            Path::Rod { .. } => {
                let across = Vector3::new(n.x, n.y, 0.0);
                (across / across.norm_squared(), Vector3::zeros())
            }
            Path::Tube { minor, .. } => {
                let (radial, a, b) = self.in_section(station.s, n);
                let squared = a * a + b * b;
                let across = radial * a + Vector3::z() * b;
                let J = foot.jet.stretch;
                (across / squared, (across * (a / squared) - radial) * (minor / (squared.sqrt() * J)))
            }
            Path::Foot { window, .. } => {
                // c = sin β k(v), with k the curvature of the profile; v follows the normal.
                let Shape::Revolution(body) = self.body else { return };
                let (radial, a, b) = self.in_section(station.s, n);
                let across = radial * a + Vector3::z() * b;
                let bend = |v: f64| {
                    let [_, d1, d2] = body.profile(v);
                    (d1[0] * d2[1] - d1[1] * d2[0]) / (d1[0] * d1[0] + d1[1] * d1[1]).powf(1.5)
                };
                let [c, d1, _] = body.profile(foot.t);
                let small = 1e-5 * (window[1] - window[0]);
                let k = bend(foot.t);
                let growth = (bend(foot.t + small) - bend(foot.t - small)) / (2.0 * small * k);
                let v_of_n = (radial * d1[0] + Vector3::z() * d1[1]) * (-1.0 / foot.bend);
                (across / (a * a + b * b) + v_of_n * growth, v_of_n * (d1[0] / c[0]))
            }
        };
        let turned = |of: Vector3<f64>| self.X_AS.rotation * n.cross(&of);
        (station.turn_curvature, station.turn_length) = (turned(of_c), turned(of_J));
    }

    /// The radial direction of a section around z, and the parts of n along it and along z.
    fn in_section(&self, s: f64, n: &Vector3<f64>) -> (Vector3<f64>, f64, f64) {
        let radial = Vector3::new(s.cos(), s.sin(), 0.0);
        (radial, n.dot(&radial), n.z)
    }

    /// Energy and load of a pressed section, summed across it.
    fn sum_across(&self, station: &mut Station, foot: &Foot) {
        let depth = -station.gap;
        let arc = foot.jet.d1.norm();
        let first = (2.0 * depth / station.curvature).sqrt() / arc;
        let most = if matches!(self.curve.path, Path::Foot { .. }) { f64::INFINITY } else { 1.5 };
        let end = |side: f64| self.end(station.s, foot, side, first.min(most));
        let (Some(low), Some(high)) = (end(-1.0), end(1.0)) else { return };
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (mut E, mut F, mut P, mut arm) = (0.0, Vector3::zeros(), 0.0, Vector3::zeros());
        for (x, weight) in GAUSS {
            let jet = self.curve.point(self.body, station.s, middle + half * x);
            let Some((gap, n)) = self.distance(&jet.p) else { return };
            let d = (-gap).max(0.0);
            // The length of the curve there goes with the weight.
            let w = weight * half * jet.d1.norm() * (jet.stretch / foot.jet.stretch);
            E += w * d * d;
            F += n * (w * d);
            P += w * d;
            arm += jet.p * (w * d);
        }
        if !(E > 0.0 && P > 0.0) {
            return;
        }
        let ratio = 16.0 / 15.0 * depth * depth / E;
        station.curvature = 2.0 * depth * ratio * ratio;
        let size = F.norm();
        station.nhat_A = F / size;
        // (4/3) √2 δ^{3/2}/√c is the load of a parabola.
        station.push = size / (4.0 / 3.0 * depth * (2.0 * depth / station.curvature).sqrt());
        station.p_A = (self.X_AS * Point3::from(arm / P)).coords;
    }

    /// Where the depth of a section ends on one side of its foot.
    fn end(&self, s: f64, foot: &Foot, side: f64, first: f64) -> Option<f64> {
        let (mut t, mut inside, mut outside) = (foot.t + side * first, foot.t, None::<f64>);
        for _ in 0..5 {
            let at = self.curve.within(t);
            let jet = self.curve.point(self.body, s, at);
            let (gap, nhat_A) = self.distance(&jet.p)?;
            if gap < 0.0 && at != t {
                return Some(at);
            }
            if gap.abs() < 1e-3 * -foot.gap {
                return Some(at);
            }
            if gap < 0.0 {
                inside = at
            } else {
                outside = Some(at)
            }
            let slope = (self.X_AS.rotation.inverse() * nhat_A).dot(&jet.d1);
            let newton = at - gap / slope;
            let bound = outside.unwrap_or(inside + side * 2.0 * first);
            t = if (newton - inside) * (newton - bound) < 0.0 { newton } else { 0.5 * (inside + bound) };
        }
        Some(t)
    }
}
