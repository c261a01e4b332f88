//! # Outlines: corners joined by straight sides and arcs of circles
//!
//! [`Shape`] ──▶ **here** ──([`Outline`]: pieces and corners, counter-clockwise)──▶ `find`
//!
//! - **in**: a shape as written, either way round
//! - **out**: [`Outline`]; whether a point is inside; area, centroid and radius of gyration
//! - **not here**: what touches what (`find`), whether sides cross (`crossing`)
//! - **assumes**: an arc is given by its ends and a third point, so that its centre is rational; its radius and, for
//!   coordinates of more than 128 bits, its centre are rounded to doubles where they are not
//! - **start at** [`Outline::new`]

use super::{P2, PartError, Shape, Side, cross, dot, sub};
use crate::number::Rational;
use std::cmp::Ordering;

/// Part of a circle, or all of it.
#[derive(Clone, Debug)]
pub(crate) struct Arc {
    pub(crate) centre: P2,
    pub(crate) radius: Rational,
    /// Turns left on the way: convex, since the inside of an outline is on the left.
    pub(crate) left: bool,
    /// A whole circle, without ends.
    pub(crate) whole: bool,
}

/// One side of an outline, from `a` to `b`, with the inside on its left.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) a: P2,
    pub(crate) b: P2,
    pub(crate) arc: Option<Arc>,
}

/// Where two sides meet.
#[derive(Clone, Debug)]
pub(crate) struct Corner {
    pub(crate) at: P2,
    /// Direction of travel on arrival and on departure.
    pub(crate) tangents: [P2; 2],
    /// Curvature of the side before and of the side after (1/m), convex positive.
    pub(crate) curvatures: [Rational; 2],
    pub(crate) turn: Turn,
}

/// How the direction changes in a corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// To the left: a corner that can touch.
    Sharp,
    /// Not at all.
    Smooth,
    /// To the right: a corner that can be touched on both sides.
    Hollow,
}

/// A closed outline, counter-clockwise.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    pub(crate) pieces: Vec<Piece>,
    /// Corner i is where piece i starts; none for a disc.
    pub(crate) corners: Vec<Corner>,
}

/// Directions that differ by less than this are one direction (rad): what rounding to doubles leaves, and more.
const SMOOTH: f64 = 1e-9;

/// Sides an outline may have: every pair of them is looked at.
pub(crate) const MOST_SIDES: usize = 2000;

fn left_of(v: &P2) -> P2 {
    [-&v[1], v[0].clone()]
}

pub(crate) fn right_of(v: &P2) -> P2 {
    [v[1].clone(), -&v[0]]
}

pub(crate) fn negated(v: &P2) -> P2 {
    [-&v[0], -&v[1]]
}

/// Whether two directions are equal (`Less` when opposite), to [`SMOOTH`] and `slack` (rad).
pub(crate) fn parallel(a: &P2, b: &P2, slack: f64) -> Option<Ordering> {
    let [a, b] = [a, b].map(scaled);
    let (across, along) = (a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
    if across.abs() > SMOOTH + slack {
        return None;
    }
    Some(if along < 0.0 { Ordering::Less } else { Ordering::Greater })
}

/// A direction as a unit vector in doubles.
fn scaled(v: &P2) -> [f64; 2] {
    let largest = v[0].abs().max(v[1].abs());
    if largest.is_zero() {
        return [0.0; 2];
    }
    let [x, y] = [(&v[0] / &largest).to_f64(), (&v[1] / &largest).to_f64()];
    let length = x.hypot(y);
    [x / length, y / length]
}

impl Arc {
    /// The circle through three points, or `None` where they lie on one line.
    fn through(a: &P2, via: &P2, b: &P2) -> Option<Arc> {
        let (u, v) = (sub(via, a), sub(b, a));
        let twice = &Rational::from(2) * &cross(&u, &v);
        if twice.is_zero() {
            return None;
        }
        let (uu, vv) = (dot(&u, &u), dot(&v, &v));
        let x = &(&(&v[1] * &uu) - &(&u[1] * &vv)) / &twice;
        let y = &(&(&u[0] * &vv) - &(&v[0] * &uu)) / &twice;
        let centre = [rounded_if_long(&a[0] + &x), rounded_if_long(&a[1] + &y)];
        let arm = sub(a, &centre);
        let radius = root(&dot(&arm, &arm));
        // The way a → via → b turns left where the triangle does.
        Some(Arc { centre, radius, left: twice.sign() == Ordering::Greater, whole: false })
    }

    /// Curvature (1/m), convex positive.
    pub(crate) fn curvature(&self) -> Rational {
        let k = &Rational::ONE / &self.radius;
        if self.left { k } else { -&k }
    }

    fn tangent(&self, at: &P2) -> P2 {
        let arm = sub(at, &self.centre);
        if self.left { left_of(&arm) } else { right_of(&arm) }
    }
}

/// Numbers beyond 128 bits become doubles: they came from doubles.
fn rounded_if_long(x: Rational) -> Rational {
    if x.num().words() == 1 && x.den().words() == 1 { x } else { Rational::from_f64(x.to_f64()).unwrap_or(x) }
}

/// The square root: exact where it is rational, else rounded.
fn root(square: &Rational) -> Rational {
    square_root(square).unwrap_or_else(|| Rational::from_f64(square.to_f64().sqrt()).unwrap_or(Rational::ZERO))
}

/// The rational square root, where there is one that an `f64` can point to.
pub(crate) fn square_root(x: &Rational) -> Option<Rational> {
    let root = |text: String| {
        let guess = text.parse::<f64>().ok()?.sqrt().round();
        if guess > 9e15 { None } else { Some(Rational::from(guess as i64)) }
    };
    let candidate = &root(x.num().to_string())? / &root(x.den().to_string()).filter(|r| !r.is_zero())?;
    (&candidate * &candidate == *x).then_some(candidate)
}

impl Piece {
    fn reversed(&self) -> Piece {
        let arc = self.arc.clone().map(|a| Arc { left: !a.left, ..a });
        Piece { a: self.b.clone(), b: self.a.clone(), arc }
    }

    /// Curvature (1/m), convex positive.
    pub(crate) fn curvature(&self) -> Rational {
        self.arc.as_ref().map_or(Rational::ZERO, Arc::curvature)
    }

    /// Whether the direction `d` from the centre of the piece's arc meets the arc.
    pub(crate) fn faces(&self, d: &P2) -> bool {
        let Some(arc) = &self.arc else { return false };
        if arc.whole {
            return true;
        }
        let (a, b) = (sub(&self.a, &arc.centre), sub(&self.b, &arc.centre));
        let (from, to) = if arc.left { (&a, &b) } else { (&b, &a) };
        let not_before = cross(from, d).sign() != Ordering::Less;
        let not_after = cross(d, to).sign() != Ordering::Less;
        match cross(from, to).sign() {
            Ordering::Greater => not_before && not_after,
            Ordering::Less => not_before || not_after,
            // Half a circle, since the ends differ.
            Ordering::Equal => not_before,
        }
    }

    fn tangents(&self) -> [P2; 2] {
        match &self.arc {
            None => [sub(&self.b, &self.a), sub(&self.b, &self.a)],
            Some(arc) => [arc.tangent(&self.a), arc.tangent(&self.b)],
        }
    }
}

impl Corner {
    /// Outward directions of both sides.
    pub(crate) fn outward(&self) -> [P2; 2] {
        self.tangents.each_ref().map(right_of)
    }

    /// Directions of both sides, away from the corner.
    pub(crate) fn sides(&self) -> [P2; 2] {
        [negated(&self.tangents[0]), self.tangents[1].clone()]
    }
}

impl Outline {
    /// The outline of a shape, counter-clockwise; `name` is for messages.
    pub(crate) fn new(shape: &Shape, name: &str) -> Result<Outline, PartError> {
        let sides = match shape {
            Shape::Disc { centre, radius } => return Outline::disc(centre, radius, name),
            Shape::Polygon(corners) => corners.iter().map(|c| Side { start: c.clone(), via: None }).collect(),
            Shape::Outline(sides) => sides.clone(),
        };
        if sides.len() > MOST_SIDES {
            return Err(PartError::TooManySides { name: name.into(), sides: sides.len() });
        }
        let mut pieces = Vec::new();
        for (i, side) in sides.iter().enumerate() {
            let (a, b) = (&side.start, &sides[(i + 1) % sides.len()].start);
            let arc = match &side.via {
                // A corner said twice would be a side without direction.
                None if a == b => continue,
                None => None,
                Some(via) => {
                    let flat = || PartError::FlatArc { name: name.into(), x: via[0].to_f64(), y: via[1].to_f64() };
                    Some(Arc::through(a, via, b).ok_or_else(flat)?)
                }
            };
            pieces.push(Piece { a: a.clone(), b: b.clone(), arc });
        }
        let mut outline = Outline { pieces, corners: Vec::new() };
        match outline.area().sign() {
            _ if outline.pieces.len() < 2 => return Err(PartError::Degenerate(name.into())),
            // Loops of a figure of eight cancel.
            Ordering::Equal if outline.has_corners_off_a_line() => {
                let [x, y] = outline.pieces[0].a.each_ref().map(Rational::to_f64);
                return Err(PartError::CrossesItself { name: name.into(), x, y });
            }
            Ordering::Equal => return Err(PartError::Degenerate(name.into())),
            Ordering::Less => outline.pieces = outline.pieces.iter().rev().map(Piece::reversed).collect(),
            Ordering::Greater => {}
        }
        outline.corners = corners(&outline.pieces);
        Ok(outline)
    }

    fn has_corners_off_a_line(&self) -> bool {
        let (a, b) = (&self.pieces[0].a, &self.pieces[0].b);
        self.pieces.iter().any(|p| p.arc.is_some() || !cross(&sub(b, a), &sub(&p.b, a)).is_zero())
    }

    fn disc(centre: &P2, radius: &Rational, name: &str) -> Result<Outline, PartError> {
        if radius.sign() != Ordering::Greater {
            return Err(PartError::Radius(name.into()));
        }
        let start = [&centre[0] + radius, centre[1].clone()];
        let arc = Arc { centre: centre.clone(), radius: radius.clone(), left: true, whole: true };
        let pieces = vec![Piece { a: start.clone(), b: start, arc: Some(arc) }];
        Ok(Outline { pieces, corners: Vec::new() })
    }

    /// Whether `p` is inside (boundary undefined: callers ask only for points away from it).
    pub(crate) fn contains(&self, p: &P2) -> bool {
        let mut odd = false;
        for Piece { a, b, arc } in &self.pieces {
            if (a[1] > p[1]) != (b[1] > p[1]) {
                let side = cross(&sub(b, a), &sub(p, a)).sign();
                odd ^= (side == Ordering::Greater) == (b[1] > a[1]);
            }
            // Between chord and arc the chord's verdict is the wrong way round.
            if let Some(arc) = arc {
                let arm = sub(p, &arc.centre);
                let in_circle = dot(&arm, &arm) < &arc.radius * &arc.radius;
                // On the chord, the side that the count above took it for.
                let beyond = match cross(&sub(b, a), &sub(p, a)).sign() {
                    Ordering::Equal if a[1] == b[1] => b[0].cmp(&a[0]),
                    Ordering::Equal => Ordering::Less,
                    side => side,
                };
                let on_side = arc.whole || beyond == if arc.left { Ordering::Less } else { Ordering::Greater };
                odd ^= in_circle && on_side;
            }
        }
        odd
    }

    /// Points along the outline, arcs in pieces of at most five degrees (m).
    pub(crate) fn points(&self) -> Vec<[f64; 2]> {
        let mut all = Vec::new();
        for Piece { a, b, arc } in &self.pieces {
            let start = a.each_ref().map(Rational::to_f64);
            let Some(arc) = arc else {
                all.push(start);
                continue;
            };
            let (centre, sweep) = (arc.centre.each_ref().map(Rational::to_f64), sweep(a, b, arc));
            let arm = [start[0] - centre[0], start[1] - centre[1]];
            let count = (sweep.abs() / 5f64.to_radians()).ceil().max(1.0);
            for k in 0..count as usize {
                let (sin, cos) = (sweep * k as f64 / count).sin_cos();
                all.push([centre[0] + cos * arm[0] - sin * arm[1], centre[1] + sin * arm[0] + cos * arm[1]]);
            }
        }
        all
    }

    /// Signed area (m²); the angle of an arc is rounded.
    pub(crate) fn area(&self) -> Rational {
        self.moments().0
    }

    /// Area, first moments and polar second moment about the origin, by Green's theorem (m², m³, m⁴).
    ///
    /// Each arc is replaced by the way a → centre → b, which is exact, and a sector with angle φ:
    ///
    /// ```text
    /// area r²φ/2,  first moments about the centre r²/3 (yb − ya, xa − xb),  polar moment about it r⁴φ/4
    /// ```
    fn moments(&self) -> (Rational, P2, Rational) {
        let (mut area, mut first, mut polar) = (Rational::ZERO, [Rational::ZERO; 2], Rational::ZERO);
        let r = |n: i64, d: i64| &Rational::from(n) / &Rational::from(d);
        let mut straight = |a: &P2, b: &P2| {
            let c = cross(a, b);
            area = &area + &(&c * &r(1, 2));
            for i in 0..2 {
                first[i] = &first[i] + &(&(&c * &(&a[i] + &b[i])) * &r(1, 6));
            }
            polar = &polar + &(&(&c * &(&(&dot(a, a) + &dot(a, b)) + &dot(b, b))) * &r(1, 12));
        };
        for Piece { a, b, arc } in &self.pieces {
            match arc {
                None => straight(a, b),
                Some(arc) => {
                    straight(a, &arc.centre);
                    straight(&arc.centre, b);
                }
            }
        }
        for Piece { a, b, arc } in &self.pieces {
            let Some(arc) = arc else { continue };
            let (c, square) = (&arc.centre, &arc.radius * &arc.radius);
            let angle = Rational::from_f64(sweep(a, b, arc)).unwrap_or(Rational::ZERO);
            let sector = &(&square * &angle) * &r(1, 2);
            let third = &square * &r(1, 3);
            let about = [&third * &(&b[1] - &a[1]), &third * &(&a[0] - &b[0])];
            area = &area + &sector;
            for i in 0..2 {
                first[i] = &first[i] + &(&about[i] + &(&c[i] * &sector));
            }
            let own = &(&square * &sector) * &r(1, 2);
            let moved = &(&Rational::from(2) * &dot(c, &about)) + &(&dot(c, c) * &sector);
            polar = &polar + &(&own + &moved);
        }
        (area, first, polar)
    }

    /// Centroid and squared radius of gyration of the uniform outline; exact for polygons and discs.
    pub(crate) fn uniform(&self) -> (P2, Rational) {
        if let [Piece { arc: Some(arc), .. }] = &self.pieces[..] {
            return (arc.centre.clone(), &(&arc.radius * &arc.radius) / &Rational::from(2));
        }
        let (area, first, polar) = self.moments();
        let centre = [&first[0] / &area, &first[1] / &area];
        let gyration_sq = &(&polar / &area) - &dot(&centre, &centre);
        if self.pieces.iter().all(|p| p.arc.is_none()) {
            return (centre, gyration_sq);
        }
        // The angles of arcs are doubles: no digits are lost by giving doubles back.
        let rounded = |x: &Rational| Rational::from_f64(x.to_f64()).unwrap_or_else(|_| x.clone());
        ([rounded(&centre[0]), rounded(&centre[1])], rounded(&gyration_sq))
    }
}

/// Angle of an arc about its centre, positive to the left (rad).
pub(crate) fn sweep(a: &P2, b: &P2, arc: &Arc) -> f64 {
    if arc.whole {
        return std::f64::consts::TAU;
    }
    let angle = |p: &P2| {
        let [x, y] = scaled(&sub(p, &arc.centre));
        y.atan2(x)
    };
    let turn = (angle(b) - angle(a)).rem_euclid(std::f64::consts::TAU);
    if arc.left { turn } else { turn - std::f64::consts::TAU }
}

fn corners(pieces: &[Piece]) -> Vec<Corner> {
    let n = pieces.len();
    let corner = |i: usize| {
        let (before, after) = (&pieces[(i + n - 1) % n], &pieces[i]);
        let [_, arrival] = before.tangents();
        let [departure, _] = after.tangents();
        let turn = match (parallel(&arrival, &departure, 0.0), cross(&arrival, &departure).sign()) {
            (Some(Ordering::Greater), _) => Turn::Smooth,
            (_, Ordering::Less) => Turn::Hollow,
            _ => Turn::Sharp,
        };
        Corner {
            at: after.a.clone(),
            tangents: [arrival, departure],
            curvatures: [before.curvature(), after.curvature()],
            turn,
        }
    };
    (0..n).map(corner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn q(text: &str) -> Rational {
        text.parse().unwrap()
    }

    fn outline(sides: &[([&str; 2], Option<[&str; 2]>)]) -> Outline {
        let side =
            |(start, via): &([&str; 2], Option<[&str; 2]>)| Side { start: start.map(q), via: via.map(|v| v.map(q)) };
        Outline::new(&Shape::Outline(sides.iter().map(side).collect()), "it").unwrap()
    }

    /// Half a disc: centroid 4r/3π above its side, ρ² = r²/2 − (4r/3π)². Written clockwise, to be turned round.
    #[test]
    fn half_a_disc_has_the_textbook_moments() {
        let half = outline(&[(["-2", "0"], Some(["0", "2"])), (["2", "0"], None)]);
        let (centre, gyration_sq) = half.uniform();
        let height = 8.0 / (3.0 * std::f64::consts::PI);
        assert!((half.area().to_f64() - 2.0 * std::f64::consts::PI).abs() < 1e-14);
        assert!(centre[0].to_f64().abs() < 1e-15 && (centre[1].to_f64() - height).abs() < 1e-15);
        assert!((gyration_sq.to_f64() - (2.0 - height * height)).abs() < 1e-14);
    }

    /// A square with a quarter of a disc bitten out of a corner, far from the origin, against a sum over a fine grid.
    #[test]
    fn a_bitten_square_has_the_moments_of_its_grains() {
        let bitten = outline(&[
            (["10", "7"], None),
            (["12", "7"], None),
            (["12", "8"], Some(["57/5", "41/5"])), // about (12, 9): (57/5 − 12, 41/5 − 9) = (−3/5, −4/5)
            (["11", "9"], None),
            (["10", "9"], None),
        ]);
        let n = 2000;
        let (mut count, mut sum, mut square) = (0.0, [0.0; 2], 0.0);
        for i in 0..n {
            for j in 0..n {
                let (x, y) = (2.0 * (i as f64 + 0.5) / n as f64, 2.0 * (j as f64 + 0.5) / n as f64);
                if (x - 2.0).hypot(y - 2.0) > 1.0 {
                    count += 1.0;
                    sum = [sum[0] + x, sum[1] + y];
                    square += x * x + y * y;
                }
            }
        }
        let mean = sum.map(|s| s / count);
        let (centre, gyration_sq) = bitten.uniform();
        // Grains of 1e-3 miss the curved edge by some 1e-3/√n of the area: 1e-5 holds with room.
        assert!(
            (centre[0].to_f64() - 10.0 - mean[0]).abs() < 1e-5 && (centre[1].to_f64() - 7.0 - mean[1]).abs() < 1e-5
        );
        assert!((gyration_sq.to_f64() - (square / count - mean[0] * mean[0] - mean[1] * mean[1])).abs() < 1e-5);
        for (p, inside) in [(["57/5", "42/5"], false), (["57/5", "8"], true), (["11", "8"], true), (["9", "8"], false)]
        {
            assert_eq!(bitten.contains(&p.map(q)), inside, "{p:?}");
        }
    }

    #[test]
    fn arcs_know_their_centre_ends_and_bulge() {
        let lens = outline(&[(["3", "0"], Some(["0", "1"])), (["-3", "0"], Some(["0", "-1"]))]);
        let arc = lens.pieces[0].arc.as_ref().unwrap();
        assert_eq!((&arc.centre, &arc.radius, arc.left), (&["0", "-4"].map(q), &q("5"), true));
        assert!(lens.pieces[0].faces(&["0", "1"].map(q)) && !lens.pieces[0].faces(&["1", "0"].map(q)));
        assert!(lens.corners.iter().all(|c| c.turn == Turn::Sharp));
        let stadium = outline(&[
            (["-1", "-1"], None),
            (["1", "-1"], Some(["2", "0"])),
            (["1", "1"], None),
            (["-1", "1"], Some(["-2", "0"])),
        ]);
        assert!(stadium.corners.iter().all(|c| c.turn == Turn::Smooth));
    }
}
