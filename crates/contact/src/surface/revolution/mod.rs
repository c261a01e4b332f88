//! # Revolution: a profile turned around the z axis
//!
//! profile points (r, z) (m) ──`spline`──▶ **here** ──(foot, normal, Dn)──▶ `track`
//!
//! - **in**: points of a profile, from axis to axis or around a loop; then points in S
//! - **out**: signed distance, foot, normal, shape operator, all of them in the half-plane of the point
//! - **not here**: how the profile is interpolated and checked (`spline`)
//! - **assumes**: the solid is on one side of a simple curve; a spline through too few points swings
//! - **start at** [`Revolution`]; `HalfPlane` carries answers from the half-plane back to space, for `torus` and
//!   `cylinder` too
//!
//! The closest point of a surface of revolution lies in the half-plane of the point, so everything is planar.
//! Lines of curvature are meridians and parallels (DoCarmo, §3-3, ex. 4), with outward normal (n_r, n_z):
//!
//! ```text
//! Dn = k_m t tᵀ + k_a φ φᵀ,   k_m = (r' z'' − z' r'')/(r'² + z'²)^(3/2),   k_a = n_r/r
//! ```
//!
//! for a profile that runs counter-clockwise around the solid in (r, z).

mod spline;

use super::{
    Bounds, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError, SurfacePoint, finite,
    sphere::direction,
};
use nalgebra::{Matrix3, Point3, Vector3};
use spline::{Jet, Profile, Segment, halves};
use std::f64::consts::TAU;

/// The half-plane through the z axis in which a point lies; for a point on the axis the one through +x.
#[derive(Clone, Copy, Debug)]
pub(super) struct HalfPlane {
    /// Distance of the point from the axis (m).
    pub rho: f64,
    cos: f64,
    sin: f64,
}

/// A foot in the half-plane, with the two principal curvatures there.
#[derive(Clone, Copy, Debug)]
pub(super) struct MeridianFoot {
    /// Distance from the axis (m).
    pub r: f64,
    /// Height (m).
    pub z: f64,
    /// Radial part of the outward normal.
    pub n_r: f64,
    /// Axial part of the outward normal.
    pub n_z: f64,
    /// Signed distance (m).
    pub distance: f64,
    /// Curvature along the profile, positive for convex (1/m).
    pub k_meridian: f64,
    /// Curvature around the axis, n_r/r (1/m).
    pub k_azimuthal: f64,
}

impl HalfPlane {
    #[inline]
    pub fn through(p: &Point3<f64>) -> Self {
        let (radial, rho) = direction(&Vector3::new(p.x, p.y, 0.0)).unwrap_or((Vector3::x(), 0.0));
        Self { rho, cos: radial.x, sin: radial.y }
    }

    #[inline]
    fn vector(&self, r: f64, z: f64) -> Vector3<f64> {
        Vector3::new(r * self.cos, r * self.sin, z)
    }

    #[inline]
    pub fn foot(&self, m: &MeridianFoot) -> Foot {
        Foot { p: self.vector(m.r, m.z).into(), nhat: self.vector(m.n_r, m.n_z), distance: m.distance }
    }

    #[inline]
    pub fn surface_point(&self, m: &MeridianFoot) -> SurfacePoint {
        let t = self.vector(-m.n_z, m.n_r);
        let phi = Vector3::new(-self.sin, self.cos, 0.0);
        let Dn: Matrix3<f64> = t * t.transpose() * m.k_meridian + phi * phi.transpose() * m.k_azimuthal;
        SurfacePoint { p: self.vector(m.r, m.z).into(), nhat: self.vector(m.n_r, m.n_z), Dn }
    }
}

/// A solid of revolution around z, its profile a twice-continuous spline through given points.
///
/// ```
/// use fingerpad_contact::surface::{Revolution, Surface};
/// // A pear, from its bottom pole to its top pole (m).
/// let pear = Revolution::new(&[[0.0, -0.05], [0.04, -0.02], [0.025, 0.02], [0.01, 0.05], [0.0, 0.055]])?;
/// assert!(pear.closest_point(&[0.0, 0.0, 0.0].into()).unwrap().distance < 0.0);
/// # Ok::<(), fingerpad_contact::surface::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Revolution {
    points: Vec<[f64; 2]>,
    closed: bool,
    segments: Vec<Segment>,
    /// Chord length from the start of the profile to the start of each segment, and the whole (m).
    knots: Vec<f64>,
    /// Boxes around the segments in a binary tree: node 1 is the root, i has children 2i and 2i + 1, segment k
    /// is node n + k. (The array index 0 is not used.)
    tree: Vec<Rectangle>,
    /// Largest coordinate of the profile (m).
    size: f64,
}

impl Revolution {
    /// The solid whose profile passes through the points (r, z) (m).
    ///
    /// Either the first and the last point lie on the axis (r = 0 exactly; at least 3 points): the profile then
    /// meets the axis squarely. Or the last point repeats the first (at least 4 distinct points, all with r > 0):
    /// a closed loop around a hole. The solid is inside the profile, whichever way the points run.
    ///
    /// Refused are: points with r < 0 or not finite, coincident neighbours, other ends, and splines that reach
    /// the axis between the points, have a cusp or cross themselves.
    pub fn new(profile: &[[f64; 2]]) -> Result<Self, ShapeError> {
        let Profile { points, segments, closed } = spline::through(profile)?;
        let mut knots = vec![0.0];
        for (i, segment) in segments.iter().enumerate() {
            knots.push(knots[i] + segment.length());
        }
        let n = segments.len();
        let mut tree = vec![Rectangle::around(&segments[0].bezier); 2 * n];
        for (k, segment) in segments.iter().enumerate() {
            tree[n + k] = Rectangle::around(&segment.bezier);
        }
        for i in (1..n).rev() {
            tree[i] = tree[2 * i].join(&tree[2 * i + 1]);
        }
        let size = points.iter().flatten().fold(0.0_f64, |size, x| size.max(x.abs()));
        Ok(Self { points, closed, segments, knots, tree, size })
    }

    /// The points of the profile (r, z) (m), in counter-clockwise order around the solid: for profiles from axis
    /// to axis the end with outward normal −z comes first.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.points
    }

    /// Whether the profile is a loop that does not meet the axis.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The parameter v of each point: length of chords from the first point (m).
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// The length of the profile per unit of v, at most, over a range of v.
    ///
    /// The derivative of a Bézier curve lies within its own control points, 3 (b₁ − b₀)/(hi − lo) and so on.
    pub(crate) fn speed_bound(&self, v: [f64; 2]) -> f64 {
        let n = self.segments.len();
        let segment = |v: f64| self.knots.partition_point(|knot| *knot <= v).clamp(1, n) - 1;
        let speed = |s: &Segment| {
            let legs = s.bezier.windows(2).map(|b| (b[1][0] - b[0][0]).hypot(b[1][1] - b[0][1]));
            3.0 * legs.fold(0.0, f64::max) / s.length()
        };
        self.segments[segment(v[0])..=segment(v[1])].iter().map(speed).fold(0.0, f64::max)
    }

    /// The profile (r, z) (m) and its first two derivatives by v, the parameter of [`point`](ParametricSurface::point).
    pub fn profile(&self, v: f64) -> [[f64; 2]; 3] {
        let n = self.segments.len();
        let v = if self.closed { v.rem_euclid(self.knots[n]) } else { v };
        let i = self.knots.partition_point(|knot| *knot <= v).clamp(1, n) - 1;
        let segment = &self.segments[i];
        let t = (segment.lo + (v - self.knots[i])).clamp(segment.lo, segment.hi);
        let Jet { c, d1, d2 } = segment.jet(t);
        [c, d1, d2]
    }

    /// The closest place of the profile to (ρ, z).
    fn meridian_foot(&self, rho: f64, z: f64) -> MeridianFoot {
        // From very far the foot depends on the direction only; coming closer along it keeps squares finite.
        let q = if rho.max(z.abs()) < FARTHEST {
            [rho, z]
        } else {
            let (unit, _) = direction(&Vector3::new(rho, z, 0.0)).unwrap_or((Vector3::x(), 0.0));
            [unit.x * FARTHEST, unit.y * FARTHEST]
        };
        let (i, t, jet) = self.settle(&q, self.search(&q));
        let Jet { c, d1, d2 } = jet;
        let speed = (d1[0] * d1[0] + d1[1] * d1[1]).sqrt();
        let (n_r, n_z) = (d1[1] / speed, -d1[0] / speed);
        MeridianFoot {
            r: c[0],
            z: c[1],
            n_r,
            n_z,
            distance: (rho - c[0]) * n_r + (z - c[1]) * n_z,
            k_meridian: (d1[0] * d2[1] - d1[1] * d2[0]) / (speed * speed * speed),
            k_azimuthal: self.segments[i].slope_over_radius(t, &jet) / speed,
        }
    }

    /// Segment and parameter of the closest place, to about 1e-9 of the segment: the tree is searched depth first,
    /// nearer child first, leaving out what cannot beat the best so far.
    fn search(&self, q: &[f64; 2]) -> Best {
        let n = self.segments.len();
        let far = q[0].max(q[1].abs()) > 64.0 * self.size;
        let mut best = Best { value: f64::INFINITY, segment: 0, t: 0.0, q: *q, far };
        // Depth first needs one open sibling per level: at most 15 for 10,000 segments.
        let mut open = [(0.0, 1); 32];
        open[0] = (f64::NEG_INFINITY, 1);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (bound, node) = open[count];
            if bound >= best.value {
                continue;
            }
            if node >= n {
                let segment = &self.segments[node - n];
                let coefficients = best.bernstein(&segment.bezier);
                best.look_between(segment, node - n, &coefficients, [segment.lo, segment.hi], 48);
                continue;
            }
            let mut children = [2 * node, 2 * node + 1].map(|k| (self.tree[k].bound(q, far), k));
            if children[0].0 < children[1].0 {
                children.swap(0, 1);
            }
            for child in children {
                open[count] = child;
                count += 1;
            }
        }
        best
    }

    /// Newton steps on (c − q)·c' = 0 to round-off, over segment ends where the foot is there.
    fn settle(&self, q: &[f64; 2], best: Best) -> (usize, f64, Jet) {
        let (n, mut i, mut t) = (self.segments.len(), best.segment, best.t);
        for _ in 0..4 {
            let segment = &self.segments[i];
            let (slope, bend) = derivatives(&segment.jet(t), q);
            let step = -slope / bend;
            // Steps below round-off are done; large ones mean a flat minimum, where t is as good as any.
            let small = step.abs() > 1e-15 * segment.length() && step.abs() < 1e-3 * segment.length();
            if !(bend > 0.0 && small) {
                break;
            }
            t += step;
            if t > segment.hi && (self.closed || i + 1 < n) {
                i = if i + 1 < n { i + 1 } else { 0 };
                t = self.segments[i].lo + (t - segment.hi);
            } else if t < segment.lo && (self.closed || i > 0) {
                i = if i > 0 { i - 1 } else { n - 1 };
                t = self.segments[i].hi + (t - segment.lo);
            }
            t = t.clamp(self.segments[i].lo, self.segments[i].hi);
        }
        (i, t, self.segments[i].jet(t))
    }
}

/// Queries beyond this (m) are brought here along their ray: squares stay finite.
const FARTHEST: f64 = 1e140;

/// First and second derivative of ½|c − q|² by t.
#[inline]
fn derivatives(jet: &Jet, q: &[f64; 2]) -> (f64, f64) {
    let Jet { c, d1, d2 } = jet;
    let off = [c[0] - q[0], c[1] - q[1]];
    (off[0] * d1[0] + off[1] * d1[1], d1[0] * d1[0] + d1[1] * d1[1] + off[0] * d2[0] + off[1] * d2[1])
}

/// An axis-parallel rectangle of the half-plane (m).
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rectangle {
    min: [f64; 2],
    max: [f64; 2],
}

impl Rectangle {
    fn around(points: &[[f64; 2]; 4]) -> Self {
        let fold = |k: usize, f: fn(f64, f64) -> f64| points.iter().map(|p| p[k]).fold(points[0][k], f);
        Self { min: [fold(0, f64::min), fold(1, f64::min)], max: [fold(0, f64::max), fold(1, f64::max)] }
    }

    fn join(&self, other: &Self) -> Self {
        Self {
            min: [self.min[0].min(other.min[0]), self.min[1].min(other.min[1])],
            max: [self.max[0].max(other.max[0]), self.max[1].max(other.max[1])],
        }
    }

    /// No point of the rectangle is closer to q than this, as in [`Best::value`].
    #[inline]
    fn bound(&self, q: &[f64; 2], far: bool) -> f64 {
        let nearest = [q[0].max(self.min[0]).min(self.max[0]), q[1].max(self.min[1]).min(self.max[1])];
        half_product(&nearest, &nearest, q, far)
    }
}

/// ½(a − q)·(b − q), or that less ½q·q when q is far.
///
/// For a far point all distances agree in their leading digits, and only what is left tells segments apart; for a
/// near one the same subtraction would cost half of the digits.
#[inline]
fn half_product(a: &[f64; 2], b: &[f64; 2], q: &[f64; 2], far: bool) -> f64 {
    if far {
        0.5 * (a[0] * b[0] + a[1] * b[1] - q[0] * (a[0] + b[0]) - q[1] * (a[1] + b[1]))
    } else {
        0.5 * ((a[0] - q[0]) * (b[0] - q[0]) + (a[1] - q[1]) * (b[1] - q[1]))
    }
}

/// The best foot found so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    /// ½ distance² (m²), less ½|q|² for far points.
    value: f64,
    segment: usize,
    t: f64,
    /// The point whose foot is sought.
    q: [f64; 2],
    far: bool,
}

impl Best {
    /// Half of the squared distance along a segment, a polynomial of degree 6, in Bernstein form.
    #[inline]
    fn bernstein(&self, b: &[[f64; 2]; 4]) -> [f64; 7] {
        let product = |i: usize, j: usize| half_product(&b[i], &b[j], &self.q, self.far);
        [
            product(0, 0),
            product(0, 1),
            (2.0 * product(0, 2) + 3.0 * product(1, 1)) / 5.0,
            (product(0, 3) + 9.0 * product(1, 2)) / 10.0,
            (2.0 * product(1, 3) + 3.0 * product(2, 2)) / 5.0,
            product(2, 3),
            product(3, 3),
        ]
    }

    fn offer(&mut self, value: f64, segment: usize, t: f64) {
        if value < self.value {
            (self.value, self.segment, self.t) = (value, segment, t);
        }
    }

    /// Looks for a better foot for t in `range`, over which half the squared distance has these coefficients.
    ///
    /// Coefficients bound the values, and their differences have at least as many sign changes as the derivative
    /// has roots (Farin, variation diminishing): no change means the least value is at an end, one change from
    /// falling to rising means exactly one minimum. Other cases are halved.
    fn look_between(&mut self, segment: &Segment, index: usize, b: &[f64; 7], range: [f64; 2], depth: u32) {
        let least = b.iter().fold(f64::INFINITY, |least, &x| least.min(x));
        if least >= self.value {
            return;
        }
        let (mut changes, mut turn, mut last) = (0, 0, 0.0_f64);
        for k in 0..6 {
            let difference = b[k + 1] - b[k];
            if difference * last < 0.0 {
                changes += 1;
                turn = k;
            }
            if difference != 0.0 {
                last = difference.signum();
            }
        }
        if changes == 1 && last > 0.0 {
            // The control polygon of the derivative crosses zero between (turn − 1)/5 and turn/5.
            let guess = range[0] + (range[1] - range[0]) * (turn as f64 - 0.5) / 5.0;
            let t = self.minimum(segment, range, guess);
            let c = segment.jet(t).c;
            return self.offer(half_product(&c, &c, &self.q, self.far), index, t);
        }
        // One change from rising to falling, or none: the ends are the least. Variation below round-off counts
        // as none, or circles seen from their centre would be halved for ever.
        let greatest = b.iter().fold(f64::NEG_INFINITY, |greatest, &x| greatest.max(x));
        if changes <= 1 || depth == 0 || greatest - least <= 4.0 * f64::EPSILON * greatest.abs().max(least.abs()) {
            self.offer(b[0], index, range[0]);
            return self.offer(b[6], index, range[1]);
        }
        let (left, right) = halves(b);
        let middle = 0.5 * (range[0] + range[1]);
        self.look_between(segment, index, &left, [range[0], middle], depth - 1);
        self.look_between(segment, index, &right, [middle, range[1]], depth - 1);
    }

    /// The one minimum in `range`, to 1e-9 of the segment: Newton, or halving where Newton would leave.
    fn minimum(&self, segment: &Segment, [mut lo, mut hi]: [f64; 2], guess: f64) -> f64 {
        let mut t = guess;
        for _ in 0..60 {
            let (slope, bend) = derivatives(&segment.jet(t), &self.q);
            if slope > 0.0 {
                hi = t
            } else {
                lo = t
            }
            let newton = t - slope / bend;
            let next = if bend > 0.0 && newton >= lo && newton <= hi { newton } else { 0.5 * (lo + hi) };
            let step = next - t;
            t = next;
            if step.abs() <= 1e-9 * segment.length() {
                break;
            }
        }
        t
    }
}

impl Surface for Revolution {
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let plane = HalfPlane::through(p);
        Ok(plane.foot(&self.meridian_foot(plane.rho, p.z)))
    }

    fn bounds(&self) -> Bounds {
        let join = |k: usize| {
            self.segments
                .iter()
                .map(|segment| segment.range(k))
                .fold([f64::INFINITY, f64::NEG_INFINITY], |all, range| [all[0].min(range[0]), all[1].max(range[1])])
        };
        let ([_, r], [z_min, z_max]) = (join(0), join(1));
        Bounds { min: Point3::new(-r, -r, z_min), max: Point3::new(r, r, z_max) }
    }
}

impl SmoothSurface for Revolution {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        finite(near)?;
        let plane = HalfPlane::through(near);
        Ok(plane.surface_point(&self.meridian_foot(plane.rho, near.z)))
    }
}

impl ParametricSurface for Revolution {
    /// u: angle around z (rad), v: length of chords along the profile from its first point (m).
    fn domain(&self) -> Domain {
        Domain { u: [0.0, TAU], v: [0.0, self.knots[self.segments.len()]], u_wraps: true, v_wraps: self.closed }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        let n = self.segments.len();
        let i = self.knots.partition_point(|knot| *knot <= v).clamp(1, n) - 1;
        let segment = &self.segments[i];
        let t = (segment.lo + (v - self.knots[i])).clamp(segment.lo, segment.hi);
        let [r, z] = segment.jet(t).c;
        Point3::new(r * u.cos(), r * u.sin(), z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cubics with loops and hairpins, drawn at random: the distance has up to three minima along one. The opinion is
    /// the least of 4001 samples, which is above the truth by at most (speed/8000)² over twice the distance, plus the
    /// bend: 1e-5 is generous. Would catch taking several sign changes for one.
    #[test]
    fn the_least_of_several_minima_on_one_cubic_is_found() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut several = 0;
        for _ in 0..2000 {
            let segment = Segment::from_bezier(std::array::from_fn(|_| [random(), random()]));
            let q = [random(), random()];
            let mut best = Best { value: f64::INFINITY, segment: 0, t: 0.0, q, far: false };
            best.look_between(&segment, 0, &best.bernstein(&segment.bezier), [0.0, 1.0], 48);

            let samples: Vec<f64> = (0..=4000)
                .map(|k| segment.jet(k as f64 / 4000.0).c)
                .map(|c| 0.5 * ((c[0] - q[0]).powi(2) + (c[1] - q[1]).powi(2)))
                .collect();
            let least = samples.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(best.value <= least + 1e-15 && best.value > least - 1e-5, "{} {least}", best.value);
            several += usize::from(samples.windows(3).filter(|w| w[1] < w[0] && w[1] < w[2]).count() > 1);
        }
        assert!(several > 50, "only {several} cubics had several minima");
    }
}
