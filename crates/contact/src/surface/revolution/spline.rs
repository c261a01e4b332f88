//! # Profile spline: points (r, z) joined by a twice-continuous curve, checked
//!
//! profile points (m) ──▶ **here** ──(cubic segments)──▶ `revolution`
//!
//! - **in**: points of the half-plane r ≥ 0, in order; joined to a loop, or from axis to axis
//! - **out**: [`Segment`]s, one cubic each, counter-clockwise around the solid, and a proof that the curve is a
//!   simple one: it stays off the axis, never stops, never crosses itself
//! - **not here**: feet of points, curvatures (`revolution`)
//! - **assumes**: the points are as dense as the shape asks; a spline through few points swings
//! - **start at** [`through`]
//!
//! The parameter s is the length of the chords. Slopes m at the points follow from equal second derivatives on
//! both sides (DeBoor, ch. IV); per coordinate y, with Δᵢ = yᵢ₊₁ − yᵢ and hᵢ the chord:
//!
//! ```text
//! mᵢ₋₁/hᵢ₋₁ + 2 (1/hᵢ₋₁ + 1/hᵢ) mᵢ + mᵢ₊₁/hᵢ = 3 (Δᵢ₋₁/hᵢ₋₁² + Δᵢ/hᵢ²)
//! ```
//!
//! On the axis the turned surface is smooth when the profile goes over into its mirror image, r odd and z even
//! in s: r'' = 0 and z' = 0.

use super::super::ShapeError;

/// Most points a profile may have; bounds the work of the self-crossing check.
pub(super) const MAX_POINTS: usize = 10_000;
/// Largest coordinate (m) whose squares and products stay finite with room to spare.
const MAX_COORDINATE: f64 = 1e100;
/// Chords shorter than this part of the profile's extent count as coincident points.
const MIN_CHORD: f64 = 1e-12;
/// The curve must not run slower than this per unit of chord length: slower is a cusp.
const MIN_SPEED: f64 = 1e-3;

/// A place on the profile with derivatives by s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jet {
    /// (r, z) (m).
    pub c: [f64; 2],
    /// First derivative.
    pub d1: [f64; 2],
    /// Second derivative (1/m).
    pub d2: [f64; 2],
}

/// One cubic of the profile, t in `lo..=hi`.
///
/// t counts from the start of the segment; for the last segment of an open profile from its end, so that both
/// segments that meet the axis do so at t = 0, where r = t (r₁ + r₃ t²) and z' = t (2 z₂ + 3 z₃ t) exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    /// Parameter at the start (m).
    pub lo: f64,
    /// Parameter at the end (m).
    pub hi: f64,
    /// Power coefficients of r.
    r: [f64; 4],
    /// Power coefficients of z.
    z: [f64; 4],
    /// Bézier points (r, z) (m).
    pub bezier: [[f64; 2]; 4],
    /// Whether the point t = 0 is on the axis.
    pub polar: bool,
}

impl Segment {
    /// A segment over t in 0..=1 from its Bézier points.
    #[cfg(test)]
    pub fn from_bezier(bezier: [[f64; 2]; 4]) -> Self {
        let power = |k: usize| {
            let b = bezier.map(|p| p[k]);
            cubic(1.0, [b[0], b[3]], [3.0 * (b[1] - b[0]), 3.0 * (b[3] - b[2])], false)
        };
        Self { lo: 0.0, hi: 1.0, r: power(0), z: power(1), bezier, polar: false }
    }

    /// Chord length (m).
    pub fn length(&self) -> f64 {
        self.hi - self.lo
    }

    /// Point and derivatives at t.
    #[inline]
    pub fn jet(&self, t: f64) -> Jet {
        let (r, z) = (&self.r, &self.z);
        let value = |a: &[f64; 4]| a[0] + t * (a[1] + t * (a[2] + t * a[3]));
        let first = |a: &[f64; 4]| a[1] + t * (2.0 * a[2] + t * (3.0 * a[3]));
        let second = |a: &[f64; 4]| 2.0 * a[2] + t * (6.0 * a[3]);
        Jet { c: [value(r), value(z)], d1: [first(r), first(z)], d2: [second(r), second(z)] }
    }

    /// z'/r, which on the axis has the limit z''/r'.
    #[inline]
    pub fn slope_over_radius(&self, t: f64, jet: &Jet) -> f64 {
        if self.polar {
            (2.0 * self.z[2] + 3.0 * self.z[3] * t) / (self.r[1] + self.r[3] * t * t)
        } else {
            jet.d1[1] / jet.c[0]
        }
    }

    /// Least and greatest value of one coordinate (0: r, 1: z) over the segment (m).
    pub fn range(&self, coordinate: usize) -> [f64; 2] {
        let a = if coordinate == 0 { &self.r } else { &self.z };
        let mut range = [f64::INFINITY, f64::NEG_INFINITY];
        for t in [Some(self.lo), Some(self.hi)].into_iter().chain(quadratic_roots(3.0 * a[3], 2.0 * a[2], a[1])) {
            if let Some(t) = t.filter(|t| (self.lo..=self.hi).contains(t)) {
                let value = self.jet(t).c[coordinate];
                range = [range[0].min(value), range[1].max(value)];
            }
        }
        range
    }

    /// Least r over the segment; in a polar segment least r/|t|, which is r' on the axis.
    fn least_radius(&self) -> f64 {
        if !self.polar {
            return self.range(0)[0];
        }
        // r/t = r₁ + r₃ t² is monotonic in |t|; on the last segment t is negative and so is r/t.
        let (near, far) = (self.r[1], self.r[1] + self.r[3] * self.length() * self.length());
        if self.lo < 0.0 { -near.max(far) } else { near.min(far) }
    }

    /// The part of ∮ r dz over this segment (m²): three Gauss points are exact for the quintic r z'.
    fn area(&self) -> f64 {
        let (middle, half) = (0.5 * (self.lo + self.hi), 0.5 * self.length());
        let at = |x: f64| {
            let jet = self.jet(middle + x * half);
            jet.c[0] * jet.d1[1]
        };
        let x = 0.6_f64.sqrt();
        half * (5.0 * at(-x) + 8.0 * at(0.0) + 5.0 * at(x)) / 9.0
    }

    /// Whether the cubic itself makes a loop.
    ///
    /// c(t₁) = c(t₂) divided by t₁ − t₂ is linear in S = t₁ + t₂ and Q = t₁² + t₁t₂ + t₂²:
    /// c₁ + c₂ S + c₃ Q = 0.
    fn has_loop(&self) -> bool {
        let cross = |i: usize, j: usize| self.r[i] * self.z[j] - self.r[j] * self.z[i];
        let det = cross(2, 3);
        if det == 0.0 {
            return false;
        }
        let (S, Q) = (-cross(1, 3) / det, cross(1, 2) / det);
        match quadratic_roots(1.0, -S, S * S - Q) {
            [Some(a), Some(b)] => a != b && [a, b].iter().all(|t| (self.lo..=self.hi).contains(t)),
            _ => false,
        }
    }

    /// Whether |c'| ≥ [`MIN_SPEED`] everywhere, by subdivision of the Bernstein form of |c'|².
    fn keeps_moving(&self) -> bool {
        let b = &self.bezier;
        let scale = 3.0 / self.length();
        let d: [[f64; 2]; 3] =
            std::array::from_fn(|i| [scale * (b[i + 1][0] - b[i][0]), scale * (b[i + 1][1] - b[i][1])]);
        let dot = |i: usize, j: usize| d[i][0] * d[j][0] + d[i][1] * d[j][1];
        let squared = [dot(0, 0), dot(0, 1), (2.0 * dot(1, 1) + dot(0, 2)) / 3.0, dot(1, 2), dot(2, 2)];
        stays_above(&squared, MIN_SPEED * MIN_SPEED, 30)
    }
}

/// Bernstein coefficients of the two halves of a polynomial (de Casteljau).
#[inline]
pub(super) fn halves<const N: usize>(b: &[f64; N]) -> ([f64; N], [f64; N]) {
    let (mut left, mut right) = (*b, *b);
    for k in 1..N {
        for i in 0..N - k {
            right[i] = 0.5 * (right[i] + right[i + 1]);
        }
        left[k] = right[0];
    }
    // right now holds the diagonal of the triangle, which is the right half in order.
    (left, right)
}

fn stays_above<const N: usize>(b: &[f64; N], floor: f64, depth: u32) -> bool {
    if b.iter().all(|&x| x >= floor) {
        return true;
    }
    if depth == 0 || b[0] < floor || b[N - 1] < floor {
        return false;
    }
    let (left, right) = halves(b);
    stays_above(&left, floor, depth - 1) && stays_above(&right, floor, depth - 1)
}

/// Real roots of a x² + b x + c, without cancellation; a may be zero.
fn quadratic_roots(a: f64, b: f64, c: f64) -> [Option<f64>; 2] {
    let discriminant = b * b - 4.0 * a * c;
    if discriminant < 0.0 || (a == 0.0 && b == 0.0) {
        return [None, None];
    }
    let q = -0.5 * (b + discriminant.sqrt().copysign(b));
    [if a == 0.0 { None } else { Some(q / a) }, if q == 0.0 { None } else { Some(c / q) }]
}

/// A checked profile, counter-clockwise around the solid.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// The points (r, z), in that order (m).
    pub points: Vec<[f64; 2]>,
    /// The cubics between them.
    pub segments: Vec<Segment>,
    /// Whether it is a loop.
    pub closed: bool,
}

/// The spline through the points, or why it bounds no solid.
pub(super) fn through(points: &[[f64; 2]]) -> Result<Profile, ShapeError> {
    let closed = check_points(points)?;
    let mut points = points.to_vec();
    let mut segments = interpolate(&points, closed);
    // ∮ r dz is the signed area: the axis adds nothing, since r = 0 there.
    let extent = extent(&points);
    let area: f64 = segments.iter().map(Segment::area).sum();
    if area.abs() <= 1e-14 * extent * extent {
        return Err(misfit(
            "profile of the revolution",
            "a curve around some area",
            format!("a signed area of {area} m²"),
        ));
    }
    if area < 0.0 {
        points.reverse();
        segments = interpolate(&points, closed);
    }
    check_curve(&segments, closed)?;
    Ok(Profile { points, segments, closed })
}

fn misfit(what: &'static str, expected: &str, got: String) -> ShapeError {
    ShapeError::Misfit { what, expected: expected.into(), got }
}

/// Greater of width and height of the box around the points (m).
fn extent(points: &[[f64; 2]]) -> f64 {
    let span = |k: usize| {
        let (least, greatest) = points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), p| (least.min(p[k]), greatest.max(p[k])));
        greatest - least
    };
    span(0).max(span(1))
}

/// Checks what can be said of the points alone; tells whether they form a closed loop.
fn check_points(points: &[[f64; 2]]) -> Result<bool, ShapeError> {
    let n = points.len();
    if !(3..=MAX_POINTS).contains(&n) {
        return Err(misfit(
            "profile of the revolution",
            &format!("3 to {MAX_POINTS} points (5 for a loop, the first repeated as last)"),
            format!("{n}"),
        ));
    }
    for (i, [r, z]) in points.iter().enumerate() {
        if r.is_nan() || z.is_nan() || r.abs() > MAX_COORDINATE || z.abs() > MAX_COORDINATE {
            let expected = format!("finite coordinates below {MAX_COORDINATE:e} m");
            return Err(misfit("profile of the revolution", &expected, format!("({r}, {z}) m at point {i}")));
        }
    }
    let (first, last) = (points[0], points[n - 1]);
    let closed = first == last;
    if !closed && (first[0] != 0.0 || last[0] != 0.0) && points.iter().all(|p| p[0] >= 0.0) {
        return Err(misfit(
            "ends of the profile of the revolution",
            "both exactly on the axis (r = 0), or the first point repeated as last",
            format!("({}, {}) m and ({}, {}) m", first[0], first[1], last[0], last[1]),
        ));
    }
    if closed && n < 5 {
        return Err(misfit("closed profile of the revolution", "at least 4 distinct points", format!("{}", n - 1)));
    }
    for (i, [r, z]) in points.iter().enumerate() {
        let pole = !closed && (i == 0 || i == n - 1);
        if *r < 0.0 || (*r == 0.0 && !pole) {
            let expected = if pole { "r = 0 at the ends" } else { "r > 0 between ends on the axis and on loops" };
            return Err(misfit("profile of the revolution", expected, format!("({r}, {z}) m at point {i}")));
        }
    }
    let shortest = MIN_CHORD * extent(points);
    for (i, pair) in points.windows(2).enumerate() {
        if chord(&pair[0], &pair[1]) <= shortest {
            return Err(misfit(
                "profile of the revolution",
                "consecutive points apart",
                format!("points {i} and {} both at ({}, {}) m", i + 1, pair[1][0], pair[1][1]),
            ));
        }
    }
    Ok(closed)
}

fn chord(a: &[f64; 2], b: &[f64; 2]) -> f64 {
    (b[0] - a[0]).hypot(b[1] - a[1])
}

/// Checks what only the curve shows: off the axis, no cusp, no self-crossing.
fn check_curve(segments: &[Segment], closed: bool) -> Result<(), ShapeError> {
    for (i, segment) in segments.iter().enumerate() {
        let between = format!("between points {i} and {}, counted counter-clockwise", i + 1);
        let least = segment.least_radius();
        if least <= 0.0 {
            let got = if segment.polar {
                format!("r/s down to {least} {between}")
            } else {
                format!("r down to {least} m {between}")
            };
            return Err(misfit("spline of the profile", "r > 0 between the points", got));
        }
        if !segment.keeps_moving() {
            let expected = "no cusp (speed by chord length at least 1e-3)";
            return Err(misfit("spline of the profile", expected, format!("a slower place {between}")));
        }
        if segment.has_loop() {
            return Err(misfit(
                "spline of the profile",
                "a curve that does not cross itself",
                format!("a loop {between}"),
            ));
        }
    }
    match first_crossing(segments, closed) {
        None => Ok(()),
        Some((i, j)) => Err(misfit(
            "spline of the profile",
            "a curve that does not cross itself",
            format!("segments {i} and {j} (counted counter-clockwise) meeting"),
        )),
    }
}

/// Two segments that meet other than at their common point, found on a polyline of 4 to 16 pieces per segment.
///
/// Pieces are swept along the longer side of the profile's box, so pieces far apart are never compared. Loops
/// across a common point smaller than three pieces are not seen; strands closer than the polyline's sag (chord²
/// times curvature over 128 to 2048) may be taken for crossing.
fn first_crossing(segments: &[Segment], closed: bool) -> Option<(usize, usize)> {
    let pieces = (60_000 / segments.len()).clamp(4, 16);
    let mut nodes: Vec<[f64; 2]> = Vec::with_capacity(pieces * segments.len() + 1);
    for segment in segments {
        nodes.extend((0..pieces).map(|k| segment.jet(segment.lo + segment.length() * k as f64 / pieces as f64).c));
    }
    nodes.push(segments[segments.len() - 1].bezier[3]);

    let span =
        |k: usize| nodes.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |s, c| [s[0].min(c[k]), s[1].max(c[k])]);
    let (r, z) = (span(0), span(1));
    let (along, across) = if z[1] - z[0] >= r[1] - r[0] { (1, 0) } else { (0, 1) };
    let low = |i: usize, k: usize| nodes[i][k].min(nodes[i + 1][k]);
    let high = |i: usize, k: usize| nodes[i][k].max(nodes[i + 1][k]);

    let count = nodes.len() - 1;
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| low(i, along).total_cmp(&low(j, along)));
    for (place, &i) in order.iter().enumerate() {
        for &j in order[place + 1..].iter().take_while(|&&j| low(j, along) <= high(i, along)) {
            let apart = i.abs_diff(j);
            let neighbours = apart == 1 || (closed && apart == count - 1);
            let overlap = low(i, across) <= high(j, across) && low(j, across) <= high(i, across);
            if !neighbours && overlap && meet(&nodes[i], &nodes[i + 1], &nodes[j], &nodes[j + 1]) {
                return Some(((i / pieces).min(j / pieces), (i / pieces).max(j / pieces)));
            }
        }
    }
    None
}

/// Whether the straight pieces ab and cd, whose boxes overlap, have a point in common.
fn meet(a: &[f64; 2], b: &[f64; 2], c: &[f64; 2], d: &[f64; 2]) -> bool {
    let side = |p: &[f64; 2], q: &[f64; 2], x: &[f64; 2]| (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0]);
    let on_both_sides = |x: f64, y: f64| x.min(y) <= 0.0 && x.max(y) >= 0.0;
    on_both_sides(side(a, b, c), side(a, b, d)) && on_both_sides(side(c, d, a), side(c, d, b))
}

/// The cubic segments through the points.
fn interpolate(points: &[[f64; 2]], closed: bool) -> Vec<Segment> {
    let h: Vec<f64> = points.windows(2).map(|pair| chord(&pair[0], &pair[1])).collect();
    let coordinate = |k: usize| points.iter().map(|p| p[k]).collect::<Vec<f64>>();
    let (r, z) = (coordinate(0), coordinate(1));
    let (slope_r, slope_z) = if closed {
        (loop_slopes(&h, &r), loop_slopes(&h, &z))
    } else {
        (open_slopes(&h, &r, End::Straight), open_slopes(&h, &z, End::Level))
    };
    let n = h.len();
    let segment = |i: usize| {
        let at_end = !closed && i == n - 1;
        let mut segment = Segment {
            lo: if at_end { -h[i] } else { 0.0 },
            hi: if at_end { 0.0 } else { h[i] },
            r: cubic(h[i], [r[i], r[i + 1]], [slope_r[i], slope_r[i + 1]], at_end),
            z: cubic(h[i], [z[i], z[i + 1]], [slope_z[i], slope_z[i + 1]], at_end),
            bezier: [[0.0; 2]; 4],
            polar: !closed && (i == 0 || at_end),
        };
        let third = h[i] / 3.0;
        segment.bezier = [
            points[i],
            [r[i] + third * slope_r[i], z[i] + third * slope_z[i]],
            [r[i + 1] - third * slope_r[i + 1], z[i + 1] - third * slope_z[i + 1]],
            points[i + 1],
        ];
        if segment.polar {
            // Zero by the end conditions; round-off would be divided by r later.
            segment.r[2] = 0.0;
            segment.z[1] = 0.0;
        }
        segment
    };
    (0..n).map(segment).collect()
}

/// Power coefficients of the cubic with these values and slopes at both ends, around its start or its end.
fn cubic(h: f64, y: [f64; 2], m: [f64; 2], around_end: bool) -> [f64; 4] {
    let secant = (y[1] - y[0]) / h;
    let third = ((m[0] - secant) + (m[1] - secant)) / (h * h);
    if around_end {
        [y[1], m[1], (2.0 * (m[1] - secant) + (m[0] - secant)) / h, third]
    } else {
        [y[0], m[0], -(2.0 * (m[0] - secant) + (m[1] - secant)) / h, third]
    }
}

/// What an open spline does at its ends.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Second derivative zero.
    Straight,
    /// First derivative zero.
    Level,
}

fn open_slopes(h: &[f64], y: &[f64], end: End) -> Vec<f64> {
    let n = h.len();
    let (mut lower, mut diagonal, mut upper) = (vec![0.0; n + 1], vec![1.0; n + 1], vec![0.0; n + 1]);
    let mut rhs = vec![0.0; n + 1];
    let secant = |i: usize| (y[i + 1] - y[i]) / h[i];
    for i in 1..n {
        (lower[i], upper[i]) = (1.0 / h[i - 1], 1.0 / h[i]);
        diagonal[i] = 2.0 * (lower[i] + upper[i]);
        rhs[i] = 3.0 * (secant(i - 1) * lower[i] + secant(i) * upper[i]);
    }
    if end == End::Straight {
        (diagonal[0], upper[0], rhs[0]) = (2.0, 1.0, 3.0 * secant(0));
        (lower[n], diagonal[n], rhs[n]) = (1.0, 2.0, 3.0 * secant(n - 1));
    }
    tridiagonal(&lower, &diagonal, &upper, rhs)
}

/// Slopes of the periodic spline; the last equals the first. The two corner entries of the cyclic matrix are
/// taken out as a rank-one term (Sherman and Morrison).
fn loop_slopes(h: &[f64], y: &[f64]) -> Vec<f64> {
    let n = h.len();
    let before = |i: usize| (i + n - 1) % n;
    let secant = |i: usize| (y[i + 1] - y[i]) / h[i];
    let lower: Vec<f64> = (0..n).map(|i| 1.0 / h[before(i)]).collect();
    let upper: Vec<f64> = (0..n).map(|i| 1.0 / h[i]).collect();
    let mut diagonal: Vec<f64> = (0..n).map(|i| 2.0 * (lower[i] + upper[i])).collect();
    let rhs: Vec<f64> = (0..n).map(|i| 3.0 * (secant(before(i)) * lower[i] + secant(i) * upper[i])).collect();

    // A = T + u vᵀ with u = (γ, 0, …, 0, β), v = (1, 0, …, 0, α/γ); α, β the corners.
    let corner = lower[0];
    let gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= corner * corner / gamma;
    let mut u = vec![0.0; n];
    (u[0], u[n - 1]) = (gamma, corner);
    let x = tridiagonal(&lower, &diagonal, &upper, rhs);
    let w = tridiagonal(&lower, &diagonal, &upper, u);
    let v = |a: &[f64]| a[0] + a[n - 1] * corner / gamma;
    let factor = v(&x) / (1.0 + v(&w));
    let mut slopes: Vec<f64> = x.iter().zip(&w).map(|(x, w)| x - factor * w).collect();
    slopes.push(slopes[0]);
    slopes
}

/// Solves a diagonally dominant tridiagonal system; such need no pivoting.
fn tridiagonal(lower: &[f64], diagonal: &[f64], upper: &[f64], mut x: Vec<f64>) -> Vec<f64> {
    let n = x.len();
    let mut ratio = vec![0.0; n];
    let mut pivot = diagonal[0];
    x[0] /= pivot;
    for i in 1..n {
        ratio[i] = upper[i - 1] / pivot;
        pivot = diagonal[i] - lower[i] * ratio[i];
        x[i] = (x[i] - lower[i] * x[i - 1]) / pivot;
    }
    for i in (0..n - 1).rev() {
        x[i] -= ratio[i + 1] * x[i + 1];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crossed control polygon of a unit square is the textbook cusp at t = ½; pulled further it is a loop,
    /// less far neither.
    #[test]
    fn cusps_and_loops_of_one_cubic_are_told_apart() {
        let crossed = |pull: f64| Segment::from_bezier([[0.0, 0.0], [pull, 1.0], [1.0 - pull, 1.0], [1.0, 0.0]]);
        let seen = |pull: f64| (crossed(pull).keeps_moving(), crossed(pull).has_loop());
        assert_eq!(seen(0.9), (true, false));
        assert!(!crossed(1.0).keeps_moving());
        assert_eq!(seen(1.2), (true, true));
    }

    #[test]
    fn halves_agree_with_the_whole() {
        // Bernstein form of (2t − 1)²: halves are (1, 0, 0) and (0, 0, 1).
        assert_eq!(halves(&[1.0, -1.0, 1.0]), ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]));
    }

    /// Values at points and equal first and second derivatives on both sides: the definition of the spline.
    #[test]
    fn segments_meet_with_two_derivatives() {
        let open = [[0.0, -1.0], [0.5, -0.7], [0.3, 0.1], [0.4, 0.3], [0.0, 1.1]];
        let closed = [[1.0, 0.0], [2.0, 0.3], [1.8, 1.5], [1.2, 1.1], [1.0, 0.0]];
        for (points, is_loop) in [(open, false), (closed, true)] {
            let Profile { points, segments, closed } = through(&points).unwrap();
            assert_eq!(closed, is_loop);
            for i in 0..segments.len() {
                if !is_loop && i == 0 {
                    continue;
                }
                let before = segments[(i + segments.len() - 1) % segments.len()];
                let (a, b) = (before.jet(before.hi), segments[i].jet(segments[i].lo));
                for k in 0..2 {
                    assert!((a.c[k] - points[i][k]).abs() < 1e-15 && (b.c[k] - points[i][k]).abs() < 1e-15);
                    assert!((a.d1[k] - b.d1[k]).abs() < 1e-14 && (a.d2[k] - b.d2[k]).abs() < 1e-13);
                }
            }
        }
    }
}
