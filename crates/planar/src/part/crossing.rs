//! # Crossings: sides that pass through each other
//!
//! `outline` ──(pieces)──▶ **here** ──▶ an outline that crosses itself; two outlines that overlap where no corner shows it
//!
//! - **in**: pieces of outlines
//! - **out**: a point where they cross
//! - **not here**: touching within the tolerance (`find`)
//! - **assumes**: straight against straight is decided exactly; where an arc takes part, in doubles
//! - **start at** [`crosses_itself`] and [`crosses`]

use super::outline::{Arc, Outline, Piece, sweep};
use super::{P2, cross, dot, sub};
use crate::number::Rational;
use std::cmp::Ordering;
use std::f64::consts::TAU;

type Point = [f64; 2];

/// A piece in doubles, from the place `origin`, so that a part far away loses no digits.
enum Curve {
    Line { a: Point, d: Point },
    Arc { centre: Point, radius: f64, start: f64, sweep: f64 },
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn times(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn turned(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl Curve {
    fn new(piece: &Piece, origin: &P2) -> Curve {
        let at = |p: &P2| sub(p, origin).each_ref().map(Rational::to_f64);
        let a = at(&piece.a);
        match &piece.arc {
            None => Curve::Line { a, d: minus(at(&piece.b), a) },
            Some(arc) => {
                let centre = at(&arc.centre);
                let arm = minus(a, centre);
                let sweep = sweep(&piece.a, &piece.b, arc);
                Curve::Arc { centre, radius: arc.radius.to_f64(), start: arm[1].atan2(arm[0]), sweep }
            }
        }
    }

    fn at(&self, s: f64) -> Point {
        match self {
            Curve::Line { a, d } => [a[0] + s * d[0], a[1] + s * d[1]],
            Curve::Arc { centre, radius, start, sweep } => {
                let (sin, cos) = (start + s * sweep).sin_cos();
                [centre[0] + radius * cos, centre[1] + radius * sin]
            }
        }
    }

    /// Where the nearest point of the whole line or circle lies, as a share of the way; `None` beyond the ends.
    fn share(&self, p: Point) -> Option<f64> {
        let share = match self {
            Curve::Line { a, d } => times(minus(p, *a), *d) / times(*d, *d),
            Curve::Arc { centre, start, sweep, .. } => {
                let arm = minus(p, *centre);
                let turn = ((arm[1].atan2(arm[0]) - start) * sweep.signum()).rem_euclid(TAU);
                // Just before the start is a small negative share, not a whole turn.
                let turn = if turn > TAU - 1e-9 { turn - TAU } else { turn };
                turn / sweep.abs()
            }
        };
        (-1e-9..=1.0 + 1e-9).contains(&share).then_some(share.clamp(0.0, 1.0))
    }

    /// Distance of a point from the whole line or circle, positive to the left (m).
    fn left_by(&self, p: Point) -> f64 {
        match self {
            Curve::Line { a, d } => turned(*d, minus(p, *a)) / d[0].hypot(d[1]),
            Curve::Arc { centre, radius, sweep, .. } => {
                let arm = minus(p, *centre);
                sweep.signum() * (radius - arm[0].hypot(arm[1]))
            }
        }
    }

    /// Points common to both whole lines or circles.
    fn common(&self, other: &Curve) -> Vec<Point> {
        match (self, other) {
            (Curve::Line { a, d }, Curve::Line { a: b, d: e }) => {
                let det = turned(*d, *e);
                if det == 0.0 { Vec::new() } else { vec![self.at(turned(minus(*b, *a), *e) / det)] }
            }
            (Curve::Line { a, d }, Curve::Arc { centre, radius, .. })
            | (Curve::Arc { centre, radius, .. }, Curve::Line { a, d }) => {
                let length = d[0].hypot(d[1]);
                let foot = times(minus(*centre, *a), *d) / (length * length);
                let height = turned(*d, minus(*centre, *a)) / length;
                let half = (radius * radius - height * height).max(0.0).sqrt() / length;
                let line = Curve::Line { a: *a, d: *d };
                if height.abs() > *radius { Vec::new() } else { vec![line.at(foot - half), line.at(foot + half)] }
            }
            (Curve::Arc { centre: c, radius: r, .. }, Curve::Arc { centre: e, radius: s, .. }) => {
                let between = minus(*e, *c);
                let distance = between[0].hypot(between[1]);
                if distance > r + s || distance < (r - s).abs() || distance < 1e-9 * r {
                    return Vec::new();
                }
                let along = (distance * distance + r * r - s * s) / (2.0 * distance);
                let across = (r * r - along * along).max(0.0).sqrt();
                let u = between.map(|x| x / distance);
                [-1.0, 1.0]
                    .map(|t| [c[0] + along * u[0] - t * across * u[1], c[1] + along * u[1] + t * across * u[0]])
                    .to_vec()
            }
        }
    }

    /// Points common to both, and a point where arcs of one circle lie on each other.
    fn meets(&self, other: &Curve) -> Vec<Point> {
        if let (Curve::Arc { centre: c, radius: r, .. }, Curve::Arc { centre: e, radius: s, .. }) = (self, other)
            && minus(*e, *c).iter().all(|x| x.abs() < 1e-9 * r)
            && (r - s).abs() < 1e-9 * r
        {
            let middles = [self.at(0.5), other.at(0.5)];
            return middles.into_iter().filter(|m| self.share(*m).is_some() && other.share(*m).is_some()).collect();
        }
        let on_both = |p: &Point| self.share(*p).is_some() && other.share(*p).is_some();
        self.common(other).into_iter().filter(on_both).collect()
    }

    /// How far this goes to either side of `other` at the point p where they meet, before it comes back (m).
    fn passes(&self, other: &Curve, p: Point) -> [f64; 2] {
        const SAMPLES: u32 = 32;
        let Some(here) = self.share(p) else { return [0.0; 2] };
        [0.0, 1.0].map(|end| {
            let mut far = 0.0f64;
            for k in 1..=SAMPLES {
                let left = other.left_by(self.at(here + (end - here) * f64::from(k) / f64::from(SAMPLES)));
                if left * far < 0.0 {
                    break;
                }
                far = if left.abs() > far.abs() { left } else { far };
            }
            far
        })
    }
}

/// Least and greatest coordinates, with room for the bulge of an arc.
fn bounds(piece: &Piece) -> [[f64; 2]; 2] {
    let at = |p: &P2| p.each_ref().map(Rational::to_f64);
    let (a, b) = (at(&piece.a), at(&piece.b));
    if let Some(Arc { centre, radius, .. }) = &piece.arc {
        let (c, r) = (at(centre), radius.to_f64() * (1.0 + 1e-9));
        return [[c[0] - r, c[1] - r], [c[0] + r, c[1] + r]];
    }
    [[a[0].min(b[0]), a[1].min(b[1])], [a[0].max(b[0]), a[1].max(b[1])]]
}

fn apart(p: &[[f64; 2]; 2], q: &[[f64; 2]; 2], tolerance: f64) -> bool {
    (0..2).any(|i| p[0][i] > q[1][i] + tolerance || q[0][i] > p[1][i] + tolerance)
}

/// A point where an outline crosses or touches itself (m).
pub(super) fn crosses_itself(outline: &Outline) -> Option<Point> {
    let (pieces, n) = (&outline.pieces, outline.pieces.len());
    let boxes: Vec<_> = pieces.iter().map(bounds).collect();
    let at = |p: &P2| p.each_ref().map(Rational::to_f64);
    // Neighbours that turn back lie on each other.
    for corner in &outline.corners {
        let [arrival, departure] = &corner.tangents;
        if cross(arrival, departure).is_zero() && dot(arrival, departure).sign() == Ordering::Less {
            return Some(at(&corner.at));
        }
    }
    let origin = pieces.first()?.a.clone();
    let curves: Vec<Curve> = pieces.iter().map(|p| Curve::new(p, &origin)).collect();
    let start = at(&origin);
    for i in 0..n {
        for j in 0..i {
            if apart(&boxes[i], &boxes[j], 0.0) {
                continue;
            }
            let (p, q) = (&pieces[i], &pieces[j]);
            let neighbours = i - j == 1 || i - j == n - 1;
            if p.arc.is_none() && q.arc.is_none() {
                if !neighbours && touch(p, q) {
                    return Some(at(&p.a));
                }
                continue;
            }
            // Neighbours meet in their common corner; a smooth one is found to half the digits.
            let size = (0..2).map(|k| boxes[i][1][k] - boxes[i][0][k]).fold(0.0, f64::max);
            let shared = |x: &Point| {
                let near = |c: &P2| {
                    let d = minus(*x, sub(c, &origin).each_ref().map(Rational::to_f64));
                    d[0].hypot(d[1]) < 1e-6 * size
                };
                neighbours && [&p.a, &p.b].iter().any(|c| (**c == q.a || **c == q.b) && near(c))
            };
            if let Some(x) = curves[i].meets(&curves[j]).into_iter().find(|x| !shared(x)) {
                return Some([x[0] + start[0], x[1] + start[1]]);
            }
        }
    }
    None
}

/// Whether two straight sides have a point in common.
fn touch(p: &Piece, q: &Piece) -> bool {
    let side = |x: &P2, s: &Piece| cross(&sub(&s.b, &s.a), &sub(x, &s.a)).sign();
    let (a, b, c, d) = (side(&p.a, q), side(&p.b, q), side(&q.a, p), side(&q.b, p));
    if a != b && c != d {
        return true;
    }
    // On one line: they have a point in common where an end of one lies between the ends of the other.
    let between = |x: &P2, s: &Piece| dot(&sub(x, &s.a), &sub(x, &s.b)).sign() != Ordering::Greater;
    a == Ordering::Equal
        && b == Ordering::Equal
        && (between(&p.a, q) || between(&p.b, q) || between(&q.a, p) || between(&q.b, p))
}

/// A point where two outlines pass through each other by more than the tolerance, both ways on both (m).
pub(super) fn crosses(body: &Outline, obstacle: &Outline, tolerance: &Rational) -> Option<Point> {
    let (room, tolerance_sq) = (tolerance.to_f64(), tolerance * tolerance);
    let boxes: Vec<_> = obstacle.pieces.iter().map(bounds).collect();
    for p in &body.pieces {
        let own = bounds(p);
        for (q, other) in obstacle.pieces.iter().zip(&boxes) {
            if apart(&own, other, room) {
                continue;
            }
            if p.arc.is_none() && q.arc.is_none() {
                if straight_cross(p, q, &tolerance_sq) {
                    return Some(p.a.each_ref().map(Rational::to_f64));
                }
                continue;
            }
            let (f, g) = (Curve::new(p, &p.a), Curve::new(q, &p.a));
            let deep = |[a, b]: [f64; 2]| a * b < 0.0 && a.abs().min(b.abs()) > room;
            let start = p.a.each_ref().map(Rational::to_f64);
            let found = f.meets(&g).into_iter().find(|x| deep(f.passes(&g, *x)) && deep(g.passes(&f, *x)));
            if let Some(x) = found {
                return Some([x[0] + start[0], x[1] + start[1]]);
            }
        }
    }
    None
}

/// Straight sides whose ends lie on both sides of each other, beyond the tolerance.
fn straight_cross(p: &Piece, q: &Piece, tolerance_sq: &Rational) -> bool {
    let side = |x: &P2, s: &Piece| {
        let d = sub(&s.b, &s.a);
        let across = cross(&d, &sub(x, &s.a));
        if &across * &across <= tolerance_sq * &dot(&d, &d) { Ordering::Equal } else { across.sign() }
    };
    let opposite = |a: Ordering, b: Ordering| a != Ordering::Equal && a == b.reverse();
    opposite(side(&p.a, q), side(&p.b, q)) && opposite(side(&q.a, p), side(&q.b, p))
}
