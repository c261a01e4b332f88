//! # Finding contacts between two outlines
//!
//! `outline` ──(body, obstacle)──▶ **here** ──(contacts with their places)──▶ `part`
//!
//! - **in**: two outlines in place, the tolerance, how the body moves
//! - **out**: contacts: corner on side, side on corner, tangent arcs, corner on corner; overlaps are errors
//! - **not here**: shapes (`outline`), crossing sides (`crossing`)
//! - **assumes**: simple outlines; surfaces closer than the tolerance touch
//! - **start at** [`Finder::run`]

use super::crossing::crosses;
use super::outline::{Arc, Corner, Outline, Piece, Turn, negated, parallel, right_of, square_root};
use super::{P2, PartError, Place, cross, dot, sub};
use crate::contact::{Contact, Kind};
use crate::number::Rational;
use std::cmp::Ordering;

/// Contacts of one obstacle so far.
pub(super) struct Finder<'a> {
    pub(super) com: &'a P2,
    pub(super) velocity: &'a [Rational; 3],
    pub(super) tolerance: &'a Rational,
    pub(super) obstacle: usize,
    pub(super) mu: &'a Rational,
    pub(super) found: Vec<Touch>,
    /// Corners on corners without a separating line.
    pub(super) lost: Vec<Place>,
}

/// A contact with where it was found, and on what.
pub(super) struct Touch {
    pub(super) contact: Contact,
    pub(super) place: Place,
    /// Its normal was rounded to a rational unit vector.
    pub(super) rounded: bool,
    on: [Feature; 2],
}

/// What touches: of the body, then of the obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feature {
    Corner(usize),
    Joint(usize),
    Piece(usize),
}

/// What an outline is like where it touches.
#[derive(Clone, Debug)]
enum Local {
    Sharp,
    Curve(Rational),
    /// A smooth corner: the curvature before and after it.
    Joint([Rational; 2]),
}

impl Local {
    fn of(corner: &Corner) -> Local {
        if corner.turn == Turn::Smooth { Local::Joint(corner.curvatures.clone()) } else { Local::Sharp }
    }
}

/// An exact unit vector along `d`, and whether its direction had to be rounded. ±d give ± the same vector.
pub(super) fn unit(d: &P2) -> (P2, bool) {
    if let Some(length) = square_root(&dot(d, d)) {
        return ([&d[0] / &length, &d[1] / &length], false);
    }
    // ((1 − t²), 2t)/(1 + t²) with t = tan(θ/2) rounded to 2⁻⁴⁵; the vector is first turned to |θ| ≤ 90°.
    let flip = d[0].sign() == Ordering::Less || (d[0].is_zero() && d[1].sign() == Ordering::Less);
    let s: P2 = if flip { negated(d) } else { d.clone() };
    let scale = s[0].abs().max(s[1].abs());
    let half = ((&s[1] / &scale).to_f64().atan2((&s[0] / &scale).to_f64()) / 2.0).tan();
    let bits = (1i64 << 45) as f64;
    let t = &Rational::from((half * bits).round() as i64) / &Rational::from(1i64 << 45);
    let t2 = &t * &t;
    let den = &Rational::ONE + &t2;
    let v: P2 = [&(&Rational::ONE - &t2) / &den, &(&t + &t) / &den];
    (if flip { negated(&v) } else { v }, true)
}

fn distance_sq(a: &P2, b: &P2) -> Rational {
    let d = sub(a, b);
    dot(&d, &d)
}

/// a + d·share
fn along(a: &P2, d: &P2, share: &Rational) -> P2 {
    [&a[0] + &(&d[0] * share), &a[1] + &(&d[1] * share)]
}

/// Where a point lies against a side.
enum Near {
    Far,
    /// Within the tolerance of an end.
    End,
    /// Within the tolerance of its inside; outward direction there.
    Inside(P2),
}

impl Finder<'_> {
    /// Finds every contact; refuses what overlaps.
    pub(super) fn run(&mut self, body: &Outline, obstacle: &Outline) -> Result<(), PartError> {
        for i in 0..body.corners.len() {
            self.corner(body, i, obstacle, true)?;
        }
        for i in 0..obstacle.corners.len() {
            self.corner(obstacle, i, body, false)?;
        }
        for (i, p) in body.pieces.iter().enumerate() {
            for (j, q) in obstacle.pieces.iter().enumerate() {
                self.tangent((i, p), (j, q), body, obstacle)?;
            }
        }
        if let Some([x, y]) = crosses(body, obstacle, self.tolerance) {
            return Err(PartError::Overlap { obstacle: self.obstacle, x, y });
        }
        for (i, b) in body.corners.iter().enumerate() {
            for (j, o) in obstacle.corners.iter().enumerate() {
                if distance_sq(&b.at, &o.at) <= self.tolerance_sq() {
                    self.corner_on_corner((i, b), (j, o));
                }
            }
        }
        self.forget_joints(body.corners.len(), obstacle.corners.len());
        Ok(())
    }

    fn tolerance_sq(&self) -> Rational {
        self.tolerance * self.tolerance
    }

    fn overlap(&self, p: &P2) -> PartError {
        PartError::Overlap { obstacle: self.obstacle, x: p[0].to_f64(), y: p[1].to_f64() }
    }

    fn push(&mut self, point: &P2, direction: &P2, local: [Local; 2], on: [Feature; 2]) {
        if direction.iter().all(Rational::is_zero) {
            // A tolerance larger than a disc: nothing tells which way is out.
            self.lost.push(Place { obstacle: self.obstacle, point: point.clone() });
            return;
        }
        let (normal, rounded) = unit(direction);
        let to_com = sub(self.com, point);
        let kind = self.kind(local, &normal, &to_com);
        self.keep(Contact { normal, to_com, mu: self.mu.clone(), kind }, point, rounded, on);
    }

    fn keep(&mut self, contact: Contact, point: &P2, rounded: bool, on: [Feature; 2]) {
        let place = Place { obstacle: self.obstacle, point: point.clone() };
        let same = |f: &Touch| f.place == place && f.contact.normal == contact.normal;
        if !self.found.iter().any(same) {
            self.found.push(Touch { contact, place, rounded, on });
        }
    }

    /// The kind of a contact. In a smooth corner the curvature is that of the side onto which the contact moves:
    ///
    /// ```text
    /// along the body u₁ = −(ω + k₂ s)/(k₁ + k₂),  along the obstacle u₂ = (k₁ s − ω)/(k₁ + k₂)     (in ts; s slip)
    /// ```
    ///
    /// The body's outline runs along +ts, the obstacle's along −ts. Where the contact does not move, both sides give
    /// the same gap acceleration.
    fn kind(&self, local: [Local; 2], n: &P2, r: &P2) -> Kind {
        let [vx, vy, w] = self.velocity;
        let slip = &(&(&n[1] * vx) - &(&n[0] * vy)) + &(w * &dot(n, r));
        let sharp_obstacle = |k: &Rational| match k.is_zero() {
            true => Kind::VertexOnEdge,
            false => Kind::VertexOnCurve { k_obstacle: k.clone() },
        };
        let sharp_body = |k: &Rational| match k.is_zero() {
            true => Kind::EdgeOnVertex,
            false => Kind::CurveOnVertex { k_body: k.clone() },
        };
        let forward = |rate: &Rational| rate.sign() == Ordering::Greater;
        let both = |k: &Rational| [k.clone(), k.clone()];
        let (body, obstacle) = match &local {
            [Local::Sharp, Local::Curve(k)] => return sharp_obstacle(k),
            [Local::Sharp, Local::Joint(k)] => return sharp_obstacle(&k[usize::from(!forward(&slip))]),
            [Local::Curve(k), Local::Sharp] => return sharp_body(k),
            // u₁ = −s for k₂ → ∞
            [Local::Joint(k), Local::Sharp] => return sharp_body(&k[usize::from(!forward(&slip))]),
            [Local::Sharp, Local::Sharp] => return Kind::VertexOnEdge,
            [Local::Curve(a), Local::Curve(b)] => (both(a), both(b)),
            [Local::Curve(a), Local::Joint(b)] => (both(a), b.clone()),
            [Local::Joint(a), Local::Curve(b)] => (a.clone(), both(b)),
            [Local::Joint(a), Local::Joint(b)] => (a.clone(), b.clone()),
        };
        let mut usable: Option<(bool, &Rational, &Rational)> = None;
        for (i, k1) in body.iter().enumerate() {
            for (j, k2) in obstacle.iter().enumerate() {
                if (k1 + k2).sign() != Ordering::Greater {
                    continue;
                }
                let (u1, u2) = (-&(w + &(k2 * &slip)), &(k1 * &slip) - w);
                let fits = (u1.is_zero() || forward(&u1) == (i == 1)) && (u2.is_zero() || forward(&u2) == (j == 0));
                if usable.is_none_or(|(before, ..)| fits && !before) {
                    usable = Some((fits, k1, k2));
                }
            }
        }
        // Straight on straight, in a corner of 180°.
        usable.map_or(Kind::VertexOnEdge, |(_, k1, k2)| Kind::Curved { k_body: k1.clone(), k_obstacle: k2.clone() })
    }

    fn near(&self, p: &P2, piece: &Piece) -> Near {
        let limit = self.tolerance_sq();
        let whole = piece.arc.as_ref().is_some_and(|a| a.whole);
        if !whole && (distance_sq(p, &piece.a) <= limit || distance_sq(p, &piece.b) <= limit) {
            return Near::End;
        }
        match &piece.arc {
            None => {
                let (d, v) = (sub(&piece.b, &piece.a), sub(p, &piece.a));
                let (forth, across, length_sq) = (dot(&v, &d), cross(&d, &v), dot(&d, &d));
                let beside = forth.sign() == Ordering::Greater && forth < length_sq;
                let close = &across * &across <= &limit * &length_sq;
                if beside && close { Near::Inside(right_of(&d)) } else { Near::Far }
            }
            Some(arc) => {
                let arm = sub(p, &arc.centre);
                if !self.at_distance(&dot(&arm, &arm), &arc.radius) || !piece.faces(&arm) {
                    return Near::Far;
                }
                Near::Inside(if arc.left { arm } else { negated(&arm) })
            }
        }
    }

    /// Whether a squared distance is that of a length, to the tolerance.
    fn at_distance(&self, square: &Rational, length: &Rational) -> bool {
        let (low, high) = (length - self.tolerance, length + self.tolerance);
        let above = low.sign() == Ordering::Less || *square >= &low * &low;
        above && *square <= &high * &high
    }

    /// Whether a point lies inside an outline by more than the tolerance.
    fn deep(&self, p: &P2, outline: &Outline) -> bool {
        outline.pieces.iter().all(|piece| matches!(self.near(p, piece), Near::Far)) && outline.contains(p)
    }

    /// A corner of one on the sides of the other; the normal leads from the obstacle into the body.
    fn corner(&mut self, mover: &Outline, index: usize, fixed: &Outline, body_moves: bool) -> Result<(), PartError> {
        let corner = &mover.corners[index];
        let mut touches = false;
        for (j, piece) in fixed.pieces.iter().enumerate() {
            match self.near(&corner.at, piece) {
                Near::Far => {}
                Near::End => touches = true,
                Near::Inside(outward) => {
                    touches = true;
                    let own = if corner.turn == Turn::Smooth { Feature::Joint(index) } else { Feature::Corner(index) };
                    let (own_local, other_local) = (Local::of(corner), Local::Curve(piece.curvature()));
                    if body_moves {
                        self.push(&corner.at, &outward, [own_local, other_local], [own, Feature::Piece(j)]);
                    } else {
                        let inward = negated(&outward);
                        self.push(&corner.at, &inward, [other_local, own_local], [Feature::Piece(j), own]);
                    }
                }
            }
        }
        if !touches && fixed.contains(&corner.at) { Err(self.overlap(&corner.at)) } else { Ok(()) }
    }

    /// An arc against a side, away from the ends of both.
    fn tangent(
        &mut self,
        (i, p): (usize, &Piece),
        (j, q): (usize, &Piece),
        body: &Outline,
        obstacle: &Outline,
    ) -> Result<(), PartError> {
        let on = [Feature::Piece(i), Feature::Piece(j)];
        match (&p.arc, &q.arc) {
            (None, None) => Ok(()),
            (Some(arc), None) => self.arc_on_line((p, arc), q, obstacle, on, true),
            (None, Some(arc)) => self.arc_on_line((q, arc), p, body, on, false),
            (Some(a), Some(b)) => self.arc_on_arc((p, a, body), (q, b, obstacle), on),
        }
    }

    fn arc_on_line(
        &mut self,
        (piece, arc): (&Piece, &Arc),
        line: &Piece,
        owner: &Outline,
        on: [Feature; 2],
        arc_is_body: bool,
    ) -> Result<(), PartError> {
        if !arc.left {
            return Ok(()); // a hollow arc touches straight sides with its ends only
        }
        let (d, v) = (sub(&line.b, &line.a), sub(&arc.centre, &line.a));
        let (forth, across, length_sq) = (dot(&v, &d), cross(&d, &v), dot(&d, &d));
        let outward = right_of(&d);
        if !piece.faces(&negated(&outward)) {
            return Ok(());
        }
        // The arc's point nearest to the inside of the line's owner.
        let lowest = along(&arc.centre, &unit(&negated(&outward)).0, &arc.radius);
        if self.deep(&lowest, owner) {
            return Err(self.overlap(&lowest));
        }
        let square = &(&across * &across) / &length_sq;
        let beside = forth.sign() == Ordering::Greater && forth < length_sq;
        if !beside || across.sign() != Ordering::Less || !self.at_distance(&square, &arc.radius) {
            return Ok(());
        }
        let foot = along(&line.a, &d, &(&forth / &length_sq));
        if self.at_end(&foot, line) || self.at_end(&foot, piece) {
            return Ok(());
        }
        let (curve, flat) = (Local::Curve(arc.curvature()), Local::Curve(Rational::ZERO));
        if arc_is_body {
            self.push(&foot, &outward, [curve, flat], on);
        } else {
            self.push(&foot, &negated(&outward), [flat, curve], on);
        }
        Ok(())
    }

    fn at_end(&self, p: &P2, piece: &Piece) -> bool {
        matches!(self.near(p, piece), Near::End)
    }

    fn arc_on_arc(
        &mut self,
        (p, a, body): (&Piece, &Arc, &Outline),
        (q, b, obstacle): (&Piece, &Arc, &Outline),
        on: [Feature; 2],
    ) -> Result<(), PartError> {
        let d = sub(&a.centre, &b.centre);
        let square = dot(&d, &d);
        let local = [Local::Curve(a.curvature()), Local::Curve(b.curvature())];
        // Directions from the centres to the contact, the distance of touching, and the normal's direction.
        let (from_a, from_b, apart, normal) = match (a.left, b.left) {
            (true, true) => (negated(&d), d.clone(), &a.radius + &b.radius, d.clone()),
            (true, false) => (d.clone(), d.clone(), &b.radius - &a.radius, negated(&d)),
            (false, true) => (negated(&d), negated(&d), &a.radius - &b.radius, negated(&d)),
            (false, false) => return Ok(()), // two hollows touch with their ends only
        };
        if apart <= *self.tolerance {
            return self.conforming((p, a), (q, b), &square, &apart);
        }
        if square.is_zero() {
            let within = a.left && b.left && (a.whole || b.whole);
            return if within { Err(self.overlap(&a.centre)) } else { Ok(()) };
        }
        if !p.faces(&from_a) || !q.faces(&from_b) {
            return Ok(());
        }
        // The farthest points must not lie inside the other outline.
        let tips = [(&a.centre, &from_a, &a.radius, obstacle), (&b.centre, &from_b, &b.radius, body)];
        for (centre, direction, radius, other) in tips {
            let tip = along(centre, &unit(direction).0, radius);
            if self.deep(&tip, other) {
                return Err(self.overlap(&tip));
            }
        }
        if !self.at_distance(&square, &apart) {
            return Ok(());
        }
        let share = &b.radius / &apart;
        let point = along(&b.centre, &from_b, &share);
        if !self.at_end(&point, p) && !self.at_end(&point, q) {
            self.push(&point, &normal, local, on);
        }
        Ok(())
    }

    /// Arcs of one radius about one centre touch along a stretch, which no finite set of points stands for.
    fn conforming(
        &self,
        (p, a): (&Piece, &Arc),
        (q, b): (&Piece, &Arc),
        square: &Rational,
        apart: &Rational,
    ) -> Result<(), PartError> {
        let one_circle = apart.abs() <= *self.tolerance && *square <= self.tolerance_sq();
        if !one_circle || a.left == b.left {
            return Ok(());
        }
        // Of the ends that the other arc faces two lie apart, or one arc is a whole circle.
        let mut common: Vec<&P2> = Vec::new();
        for (end, other, circle) in [(&p.a, q, b), (&p.b, q, b), (&q.a, p, a), (&q.b, p, a)] {
            let far = |c: &&P2| distance_sq(c, end) > self.tolerance_sq();
            if other.faces(&sub(end, &circle.centre)) && common.iter().all(far) {
                common.push(end);
            }
        }
        match common[..] {
            [first, _, ..] => {
                let (x, y) = (first[0].to_f64(), first[1].to_f64());
                Err(PartError::Conforming { obstacle: self.obstacle, x, y })
            }
            _ if a.whole || b.whole => {
                let (x, y) = (q.a[0].to_f64(), q.a[1].to_f64());
                Err(PartError::Conforming { obstacle: self.obstacle, x, y })
            }
            _ => Ok(()),
        }
    }

    /// A corner in a hollow corner touches both its sides; flush sides touch; smooth corners are no corners; two sharp
    /// corners touch with every normal between two extreme ones.
    fn corner_on_corner(&mut self, (i, body): (usize, &Corner), (j, obstacle): (usize, &Corner)) {
        let on = [Feature::Corner(i), Feature::Corner(j)];
        let curve = |c: &Corner, side: usize| Local::Curve(c.curvatures[side].clone());
        if obstacle.turn == Turn::Hollow {
            for (side, n) in obstacle.outward().iter().enumerate() {
                self.push(&body.at, n, [Local::of(body), curve(obstacle, side)], on);
            }
        } else if body.turn == Turn::Hollow {
            for (side, n) in body.outward().iter().enumerate() {
                self.push(&body.at, &negated(n), [curve(body, side), Local::of(obstacle)], on);
            }
        } else if obstacle.turn == Turn::Smooth {
            self.push(&body.at, &obstacle.outward()[0], [Local::of(body), Local::of(obstacle)], on);
        } else if body.turn == Turn::Smooth {
            self.push(&body.at, &negated(&body.outward()[0]), [Local::of(body), Local::of(obstacle)], on);
        } else if !self.flush(body, obstacle, on) {
            self.sharp_on_sharp(body, obstacle, on);
        }
    }

    /// Sides on one line that face each other and leave the corner the same way.
    fn flush(&mut self, body: &Corner, obstacle: &Corner, on: [Feature; 2]) -> bool {
        let mut any = false;
        // Sides may be off one line by the tolerance at their ends.
        let lengths = body.tangents.iter().chain(&obstacle.tangents).map(|t| dot(t, t).to_f64().sqrt());
        let slack = self.tolerance.to_f64() / lengths.fold(f64::INFINITY, f64::min);
        for (k, (n, side)) in obstacle.outward().iter().zip(obstacle.sides()).enumerate() {
            for (l, (m, other)) in body.outward().iter().zip(body.sides()).enumerate() {
                let facing = parallel(n, m, slack) == Some(Ordering::Less);
                if facing && parallel(&side, &other, slack) == Some(Ordering::Greater) {
                    let local = match (body.curvatures[l].is_zero(), obstacle.curvatures[k].is_zero()) {
                        (true, true) => [Local::Sharp, Local::Curve(Rational::ZERO)],
                        _ => [Local::Curve(body.curvatures[l].clone()), Local::Curve(obstacle.curvatures[k].clone())],
                    };
                    self.push(&body.at, n, local, on);
                    any = true;
                }
            }
        }
        any
    }

    /// Normals n with n·o ≤ 0 ≤ n·b for all directions o into the obstacle and b into the body: those between two of
    /// the sides' own normals. The gap opens where either extreme normal says so (Erdmann, footnotes 1 and 2).
    fn sharp_on_sharp(&mut self, body: &Corner, obstacle: &Corner, on: [Feature; 2]) {
        if self.found.iter().any(|f| f.place.point == body.at && f.on[0] == on[0]) {
            return; // it already touches a side here
        }
        let curved = |k: &Rational, straight: Kind, bent: fn(Rational) -> Kind| {
            if k.is_zero() { straight } else { bent(k.clone()) }
        };
        let mut candidates: Vec<(P2, bool, Kind)> = Vec::new();
        for (n, k) in obstacle.outward().iter().zip(&obstacle.curvatures) {
            let (n, rounded) = unit(n);
            candidates.push((
                n,
                rounded,
                curved(k, Kind::VertexOnEdge, |k_obstacle| Kind::VertexOnCurve { k_obstacle }),
            ));
        }
        for (n, k) in body.outward().iter().zip(&body.curvatures) {
            let (n, rounded) = unit(&negated(n));
            candidates.push((n, rounded, curved(k, Kind::EdgeOnVertex, |k_body| Kind::CurveOnVertex { k_body })));
        }
        let slightly = |x: Rational| x.to_f64() > -1e-9;
        candidates.retain(|(n, ..)| {
            let into = obstacle.sides().into_iter().map(|o| -&dot(n, &unit(&o).0));
            let out = body.sides().into_iter().map(|b| dot(n, &unit(&b).0));
            into.chain(out).all(slightly)
        });
        // The extreme ones: rightmost and leftmost.
        let rightmost = |a: &&(P2, bool, Kind)| candidates.iter().all(|b| slightly(cross(&a.0, &b.0)));
        let leftmost = |a: &&(P2, bool, Kind)| candidates.iter().all(|b| slightly(-&cross(&a.0, &b.0)));
        match (candidates.iter().find(rightmost), candidates.iter().find(leftmost)) {
            (Some(first), Some(last)) => {
                let to_com = sub(self.com, &body.at);
                let kind = if cross(&first.0, &last.0).to_f64() <= 1e-9 {
                    first.2.clone()
                } else {
                    Kind::VertexOnVertex { other: last.0.clone(), sides: Box::new([first.2.clone(), last.2.clone()]) }
                };
                let rounded = first.1 || last.1;
                let contact = Contact { normal: first.0.clone(), to_com, mu: self.mu.clone(), kind };
                self.keep(contact, &body.at, rounded, on);
            }
            _ => self.lost.push(Place { obstacle: self.obstacle, point: body.at.clone() }),
        }
    }

    /// Near a smooth corner the arc beside it may have its own contact on the same side: one of them is enough.
    fn forget_joints(&mut self, body_corners: usize, obstacle_corners: usize) {
        let beside = |joint: usize, piece: usize, n: usize| piece == joint || (piece + 1) % n == joint;
        let doubled = |f: &Touch, g: &Touch| match (f.on, g.on) {
            ([Feature::Joint(c), o], [Feature::Piece(p), other]) => o == other && beside(c, p, body_corners),
            ([b, Feature::Joint(c)], [other, Feature::Piece(p)]) => b == other && beside(c, p, obstacle_corners),
            _ => false,
        };
        let keep: Vec<bool> = self.found.iter().map(|f| !self.found.iter().any(|g| doubled(f, g))).collect();
        let mut keep = keep.into_iter();
        self.found.retain(|_| keep.next().unwrap_or(true));
    }
}
