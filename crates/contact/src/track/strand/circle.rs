//! # Circle: sections of rods and tubes
//!
//! `carrier` ──(centre, radius)──▶ **here** ──(nearest point of the circle, what it stores across)──▶ `section`
//!
//! - **in**: a place s along a rod or a tube, the [`Field`] of the other body
//! - **out**: the same as for any section (`section`), in closed form where the other body is a plane there
//! - **not here**: sections that follow a profile (`section`)
//! - **assumes**: what `section` does
//! - **start at** [`Circle::of`], [`Circle::nearest`], [`Circle::sum_across`]
//!
//! A direction across is told by its cosine and sine, and turned by angles that are small: no function of the library is called
//! for a station of a straight rod. On what is plane the direction that faces it is the answer; elsewhere
//! secants of the slope find it.

use super::carrier::{Curve, Path};
use super::field::{Field, Near};
use super::section::{GAUSS, Station};
use crate::surface::Shape;
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::f64::consts::TAU;
use std::sync::LazyLock;

/// Steps across are no longer than this (rad).
const LONGEST: f64 = 0.5;

/// The circle in which a section cuts the surface of its body, in the frame of the other body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circle {
    middle: Vector3<f64>,
    /// Axes of its plane: across is u cos t + v sin t.
    u: Vector3<f64>,
    v: Vector3<f64>,
    radius: f64,
    /// |∂p/∂s| is this much more than 0 or 1, and grows by so much with cos t (m).
    stretch: [f64; 2],
    /// ∂p/∂s of a rod: along its axis, and along the radius.
    along: [f64; 2],
}

/// Nearest point of a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// cos t and sin t.
    pub at: [f64; 2],
    pub gap: f64,
    pub n: Vector3<f64>,
    /// Second derivative of the gap by t.
    pub bend: f64,
}

/// Cosine and sine of an angle, by their series where it is small.
#[inline]
fn cos_sin(t: f64) -> [f64; 2] {
    if t.abs() > 0.3 {
        let (sin, cos) = t.sin_cos();
        return [cos, sin];
    }
    let x = t * t;
    let cos =
        1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0 * (1.0 - x / 132.0)))));
    let sin = t
        * (1.0
            - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0 * (1.0 - x / 156.0))))));
    [cos, sin]
}

/// Places of a ring that are looked at and pressed all round.
const EVEN: usize = 32;

/// Their cosines and sines.
static DIRECTIONS: LazyLock<[[f64; 2]; EVEN]> = LazyLock::new(|| {
    std::array::from_fn(|k| {
        let (sin, cos) = (TAU * k as f64 / EVEN as f64).sin_cos();
        [cos, sin]
    })
});

/// Cosine and sine of a place around a ring: those of even places are known.
#[inline]
fn around(s: f64) -> [f64; 2] {
    let k = (s * (EVEN as f64 / TAU)).round();
    if (0.0..EVEN as f64).contains(&k) && TAU * k / EVEN as f64 == s {
        return DIRECTIONS[k as usize];
    }
    let (sin, cos) = s.sin_cos();
    [cos, sin]
}

/// A direction turned by an angle.
#[inline]
fn turned([c, s]: [f64; 2], by: f64) -> [f64; 2] {
    let [cos, sin] = cos_sin(by);
    [c * cos - s * sin, s * cos + c * sin]
}

impl Circle {
    /// The section at s of a curve whose frame has this pose; none of curves whose sections follow a profile.
    #[inline]
    pub fn of(curve: &Curve, R: &Matrix3<f64>, X_AS: &Isometry3<f64>, s: f64) -> Option<Self> {
        let origin = X_AS.translation.vector;
        match curve.path {
            Path::Rod { half, core, edge } => {
                let beyond = s.abs() - half;
                let (z, radius, along) = if beyond <= 0.0 {
                    (s, core + edge, [1.0, 0.0])
                } else {
                    let (sin, cos) = (beyond / edge).sin_cos();
                    ((half + edge * sin).copysign(s), core + edge * cos, [cos, -sin * s.signum()])
                };
                Some(Self {
                    middle: origin + R.column(2) * z,
                    u: R.column(0).into(),
                    v: R.column(1).into(),
                    radius,
                    stretch: [1.0, 0.0],
                    along,
                })
            }
            Path::Tube { major, minor } => {
                let [cos, sin] = around(s);
                let u = R.column(0) * cos + R.column(1) * sin;
                Some(Self {
                    middle: origin + u * major,
                    u,
                    v: R.column(2).into(),
                    radius: minor,
                    stretch: [major, minor],
                    along: [0.0; 2],
                })
            }
            Path::Foot { .. } => None,
        }
    }

    #[inline]
    pub fn point(&self, at: &[f64; 2]) -> Vector3<f64> {
        self.middle + (self.u * at[0] + self.v * at[1]) * self.radius
    }

    /// |∂p/∂s|.
    #[inline]
    pub fn stretch(&self, at: &[f64; 2]) -> f64 {
        self.stretch[0] + self.stretch[1] * at[0]
    }

    pub fn radius(&self) -> f64 {
        self.radius
    }

    pub fn radial(&self) -> &Vector3<f64> {
        &self.u
    }

    pub fn upward(&self) -> &Vector3<f64> {
        &self.v
    }

    /// dδ/ds of a rod.
    pub fn slope(&self, side: &Side) -> f64 {
        let out = self.u * side.at[0] + self.v * side.at[1];
        -side.n.dot(&(self.u.cross(&self.v) * self.along[0] + out * self.along[1]))
    }

    /// The direction that faces along −n.
    #[inline]
    fn facing(&self, n: &Vector3<f64>) -> [f64; 2] {
        let (a, b) = (n.dot(&self.u), n.dot(&self.v));
        let length = (a * a + b * b).sqrt();
        if length > 0.0 { [-a / length, -b / length] } else { [1.0, 0.0] }
    }

    /// The nearest point. `Err` with a bound of the gap, where that is above `within`: it was not looked for. `None`
    /// where A has ended.
    #[inline]
    pub fn nearest(&self, field: &Field, shape: &Shape, within: f64) -> Option<Result<Side, f64>> {
        if let Field::Plane(plane) = field {
            let at = self.facing(&plane.n);
            let gap = plane.distance(&self.point(&at))?;
            let bend = self.radius * (at[0] * plane.n.dot(&self.u) + at[1] * plane.n.dot(&self.v)).abs();
            return Some(Ok(Side { at, gap, n: plane.n, bend }));
        }
        let middle = field.at(shape, &self.middle)?;
        if middle.gap - self.radius > within {
            return Some(Err(middle.gap - self.radius));
        }
        let mut at = self.facing(&middle.n);
        let (mut last, mut by) = (None::<f64>, 0.0_f64);
        for i in 0.. {
            let p = self.point(&at);
            let Near { gap, n } = field.at(shape, &p)?;
            let (a, b) = (n.dot(&self.u), n.dot(&self.v));
            let slope = self.radius * (b * at[0] - a * at[1]);
            let own = (self.radius * (a * at[0] + b * at[1])).abs();
            // The curvature of A shows in how the slope changes. Its own second derivative jumps where a face ends in a round
            // edge, and Newton's method with it goes to and fro there: depths came out wrong by more than they were.
            let bend = match last {
                Some(before) if by.abs() > 1e-9 => {
                    let found = (slope - before) / by;
                    if found > 0.05 * own { found } else { own }
                }
                _ => own,
            };
            let step = (-slope / bend.max(f64::MIN_POSITIVE)).clamp(-LONGEST, LONGEST);
            if i >= 14 || step.abs() <= 4e-8 {
                return Some(Ok(Side { at, gap, n, bend }));
            }
            (last, by) = (Some(slope), step);
            at = turned(at, step);
        }
        None
    }

    /// Energy and load of a pressed section, summed across it.
    pub fn sum_across(&self, field: &Field, shape: &Shape, side: &Side, station: &mut Station) {
        let depth = -side.gap;
        let first = (2.0 * depth / side.bend).sqrt().min(1.5);
        let end = |way: f64| self.end(field, shape, side, way, first);
        let (Some(low), Some(high)) = (end(-1.0), end(1.0)) else { return };
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let (mut E, mut F, mut P, mut arm) = (0.0, Vector3::zeros(), 0.0, Vector3::zeros());
        let over = 1.0 / self.stretch(&side.at);
        for (x, weight) in GAUSS {
            let at = turned(side.at, middle + half * x);
            let p = self.point(&at);
            let Some(near) = field.at(shape, &p) else { return };
            let d = (-near.gap).max(0.0);
            // The length of the curve there goes with the weight.
            let w = weight * half * self.radius * (self.stretch(&at) * over) * d;
            E += w * d;
            F += near.n * w;
            P += w;
            arm += p * w;
        }
        station.sum_up(E, &F, P, &arm);
    }

    /// The angle from the foot at which the depth ends on one side.
    fn end(&self, field: &Field, shape: &Shape, side: &Side, way: f64, first: f64) -> Option<f64> {
        let (mut t, mut inside, mut outside) = (way * first, 0.0, None::<f64>);
        for _ in 0..5 {
            let at = turned(side.at, t);
            let Near { gap, n } = field.at(shape, &self.point(&at))?;
            if gap.abs() < 1e-3 * -side.gap {
                return Some(t);
            }
            if gap < 0.0 {
                inside = t
            } else {
                outside = Some(t)
            }
            let slope = self.radius * (n.dot(&self.v) * at[0] - n.dot(&self.u) * at[1]);
            let newton = t - gap / slope;
            let bound = outside.unwrap_or(inside + way * 2.0 * first);
            t = if (newton - inside) * (newton - bound) < 0.0 { newton } else { 0.5 * (inside + bound) };
        }
        Some(t)
    }
}
