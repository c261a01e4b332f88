//! # Part: contacts found from shapes
//!
//! program ──(outlines in place)──▶ **here** ──(`Case`)──▶ `solve`
//!
//! - **in**: [`Part`]: outline of the body and of the obstacles as they lie, mass, what pushes, how it moves
//! - **out**: [`Found`]: the [`Case`] with its contacts, and where each is
//! - **not here**: motion through time, impacts, shapes other than polygons and discs
//! - **assumes**: simple polygons; surfaces closer than the tolerance touch
//! - **start at** [`find_contacts`]
//!
//! Two flush faces touch in the two ends of their common stretch: any pressure on the stretch is a sum of forces there.
//! Everything is decided in exact fractions but one thing: the unit normal of an edge whose length is irrational is
//! replaced by an exact rational unit vector within 1e-13 rad of it, and said so.

use crate::contact::{Case, Contact, Kind};
use crate::number::Rational;
use std::cmp::Ordering;

type P2 = [Rational; 2];

/// An outline, in world coordinates (m).
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Corners in order, either way round, without crossing itself.
    Polygon(Vec<[Rational; 2]>),
    /// A disc.
    Disc {
        /// Centre (m).
        centre: [Rational; 2],
        /// Radius (m), positive.
        radius: Rational,
    },
}

/// A body among obstacles.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Outline of the body.
    pub body: Shape,
    /// Outlines of the obstacles, each with its coefficient of friction against the body.
    pub obstacles: Vec<(Shape, Rational)>,
    /// Mass (kg).
    pub mass: Rational,
    /// Centre of mass (m); `None` for that of the uniform outline.
    pub centre_of_mass: Option<[Rational; 2]>,
    /// Square of the radius of gyration about it (m²); `None` for that of the uniform outline.
    pub gyration_sq: Option<Rational>,
    /// Applied force and torque at the centre of mass (N, N, N·m).
    pub force: [Rational; 3],
    /// Velocity (vx, vy, ω) of the centre of mass (m/s, m/s, rad/s).
    pub velocity: [Rational; 3],
    /// Surfaces this close count as touching, and may overlap by as much (m).
    pub tolerance: Rational,
}

/// Where a contact was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Number of the obstacle.
    pub obstacle: usize,
    /// The point (m).
    pub point: [Rational; 2],
}

/// A case made from shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The question for [`crate::solve`].
    pub case: Case,
    /// Place of each of its contacts.
    pub places: Vec<Place>,
    /// Places without a normal (a sharp corner on a sharp corner): the contact was left out.
    pub corner_on_corner: Vec<Place>,
    /// Contacts whose normal was rounded to a rational unit vector (direction within 1e-13 rad).
    pub rounded_normals: Vec<usize>,
}

/// Why no case can be made from a part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PartError {
    /// A polygon without area.
    #[error("{0} needs at least 3 corners that do not lie on one line")]
    Degenerate(String),
    /// A disc without radius.
    #[error("the radius of {0} must be positive")]
    Radius(String),
    /// A negative tolerance.
    #[error("the contact tolerance must not be negative, got {0} m")]
    Tolerance(Rational),
    /// The body lies inside an obstacle by more than the tolerance.
    #[error("the body overlaps obstacle {obstacle} at ({x}, {y}) m by more than the tolerance")]
    Overlap {
        /// Which obstacle.
        obstacle: usize,
        /// Where (m).
        x: f64,
        /// Where (m).
        y: f64,
    },
}

fn sub(a: &P2, b: &P2) -> P2 {
    [&a[0] - &b[0], &a[1] - &b[1]]
}

fn dot(a: &P2, b: &P2) -> Rational {
    &(&a[0] * &b[0]) + &(&a[1] * &b[1])
}

fn cross(a: &P2, b: &P2) -> Rational {
    &(&a[0] * &b[1]) - &(&a[1] * &b[0])
}

/// Corners counter-clockwise, or the disc, with a name for messages.
fn oriented(shape: &Shape, name: &str) -> Result<Shape, PartError> {
    match shape {
        Shape::Disc { radius, .. } if radius.sign() != Ordering::Greater => Err(PartError::Radius(name.into())),
        Shape::Disc { .. } => Ok(shape.clone()),
        Shape::Polygon(corners) => {
            // A corner said twice would be an edge without direction.
            let mut corners: Vec<P2> = corners.clone();
            corners.dedup();
            while corners.len() > 1 && corners.first() == corners.last() {
                corners.pop();
            }
            match twice_area(&corners).sign() {
                Ordering::Equal => return Err(PartError::Degenerate(name.into())),
                Ordering::Less => corners.reverse(),
                Ordering::Greater => {}
            }
            Ok(Shape::Polygon(corners))
        }
    }
}

fn edges(corners: &[P2]) -> impl Iterator<Item = (&P2, &P2)> {
    corners.iter().zip(corners.iter().cycle().skip(1))
}

fn twice_area(corners: &[P2]) -> Rational {
    edges(corners).map(|(a, b)| cross(a, b)).sum()
}

/// Centroid and squared radius of gyration of a uniform outline.
fn uniform(shape: &Shape) -> (P2, Rational) {
    match shape {
        Shape::Disc { centre, radius } => (centre.clone(), &(radius * radius) / &Rational::from(2)),
        Shape::Polygon(corners) => {
            let area2 = twice_area(corners);
            let (three, six) = (&Rational::from(3) * &area2, &Rational::from(6) * &area2);
            let first = |i: usize| {
                let sum: Rational = edges(corners).map(|(a, b)| &cross(a, b) * &(&a[i] + &b[i])).sum();
                &sum / &three
            };
            let second: Rational =
                edges(corners).map(|(a, b)| &cross(a, b) * &(&(&dot(a, a) + &dot(a, b)) + &dot(b, b))).sum();
            let centre = [first(0), first(1)];
            let gyration_sq = &(&second / &six) - &dot(&centre, &centre);
            (centre, gyration_sq)
        }
    }
}

/// An exact unit vector along `d`, and whether its direction had to be rounded. ±d give ± the same vector.
fn unit(d: &P2) -> (P2, bool) {
    if let Some(length) = square_root(&dot(d, d)) {
        return ([&d[0] / &length, &d[1] / &length], false);
    }
    // ((1 − t²), 2t)/(1 + t²) with t = tan(θ/2) rounded to 2⁻⁴⁵; the vector is first turned to |θ| ≤ 90°.
    let flip = d[0].sign() == Ordering::Less || (d[0].is_zero() && d[1].sign() == Ordering::Less);
    let s: P2 = if flip { [-&d[0], -&d[1]] } else { d.clone() };
    let scale = s[0].abs().max(s[1].abs());
    let half = ((&s[1] / &scale).to_f64().atan2((&s[0] / &scale).to_f64()) / 2.0).tan();
    let bits = (1i64 << 45) as f64;
    let t = Rational::new((half * bits).round() as i64, 1i64 << 45).expect("not zero");
    let t2 = &t * &t;
    let den = &Rational::ONE + &t2;
    let v: P2 = [&(&Rational::ONE - &t2) / &den, &(&t + &t) / &den];
    (if flip { [-&v[0], -&v[1]] } else { v }, true)
}

/// The rational square root, where there is one that an `f64` can point to.
fn square_root(x: &Rational) -> Option<Rational> {
    let root = |text: String| {
        let guess = text.parse::<f64>().ok()?.sqrt().round();
        if guess > 9e15 { None } else { Some(Rational::from(guess as i64)) }
    };
    let candidate = &root(x.num().to_string())? / &root(x.den().to_string()).filter(|r| !r.is_zero())?;
    (&candidate * &candidate == *x).then_some(candidate)
}

/// Where a point lies against an edge a→b (outside to the right).
enum Near {
    Far,
    /// Within the tolerance of the edge's inside.
    Edge,
    /// Within the tolerance of its first or second corner.
    Corner,
}

fn near(p: &P2, a: &P2, b: &P2, tolerance_sq: &Rational) -> Near {
    let close = |q: &P2| dot(&sub(p, q), &sub(p, q)) <= *tolerance_sq;
    if close(a) || close(b) {
        return Near::Corner;
    }
    let (d, v) = (sub(b, a), sub(p, a));
    let (along, across, length_sq) = (dot(&v, &d), cross(&d, &v), dot(&d, &d));
    let inside = along.sign() == Ordering::Greater && along < length_sq;
    if inside && &across * &across <= tolerance_sq * &length_sq { Near::Edge } else { Near::Far }
}

/// Whether `p` is inside the polygon (boundary undefined: callers ask only for points away from it).
fn inside(p: &P2, corners: &[P2]) -> bool {
    let mut odd = false;
    for (a, b) in edges(corners) {
        if (a[1] > p[1]) != (b[1] > p[1]) {
            let side = cross(&sub(b, a), &sub(p, a)).sign();
            odd ^= (side == Ordering::Greater) == (b[1] > a[1]);
        }
    }
    odd
}

struct Finder<'a> {
    com: P2,
    tolerance: &'a Rational,
    obstacle: usize,
    mu: &'a Rational,
    found: Vec<(Contact, Place, bool)>,
    corners: Vec<Place>,
}

impl Finder<'_> {
    fn push(&mut self, point: &P2, direction: &P2, kind: Kind) {
        if direction.iter().all(Rational::is_zero) {
            // A tolerance larger than a disc: nothing tells which way is out.
            self.corners.push(Place { obstacle: self.obstacle, point: point.clone() });
            return;
        }
        let (normal, rounded) = unit(direction);
        let contact = Contact { normal, to_com: sub(&self.com, point), mu: self.mu.clone(), kind };
        let place = Place { obstacle: self.obstacle, point: point.clone() };
        let same = |f: &(Contact, Place, bool)| f.1 == place && f.0.normal == contact.normal;
        if !self.found.iter().any(same) {
            self.found.push((contact, place, rounded));
        }
    }

    fn overlap(&self, p: &P2) -> PartError {
        PartError::Overlap { obstacle: self.obstacle, x: p[0].to_f64(), y: p[1].to_f64() }
    }

    fn polygons(&mut self, body: &[P2], obstacle: &[P2]) -> Result<(), PartError> {
        let tolerance_sq = self.tolerance * self.tolerance;
        // Corners of one on edges of the other; the normal leads from the obstacle into the body.
        for (mover, fixed, body_moves) in [(body, obstacle, true), (obstacle, body, false)] {
            for p in mover {
                let mut touches = false;
                for (a, b) in edges(fixed) {
                    let outward = [&b[1] - &a[1], &a[0] - &b[0]];
                    match near(p, a, b, &tolerance_sq) {
                        Near::Far => {}
                        Near::Corner => touches = true,
                        Near::Edge => {
                            touches = true;
                            if body_moves {
                                self.push(p, &outward, Kind::VertexOnEdge);
                            } else {
                                self.push(p, &[-&outward[0], -&outward[1]], Kind::EdgeOnVertex);
                            }
                        }
                    }
                }
                if !touches && inside(p, fixed) {
                    return Err(self.overlap(p));
                }
            }
        }
        self.crossings(body, obstacle, &tolerance_sq)?;
        for i in 0..body.len() {
            for j in 0..obstacle.len() {
                let d = sub(&body[i], &obstacle[j]);
                if dot(&d, &d) <= tolerance_sq {
                    self.corner_on_corner(Corner::new(body, i), Corner::new(obstacle, j));
                }
            }
        }
        Ok(())
    }

    /// Edges that cross away from all their ends mean an overlap that no corner shows.
    fn crossings(&self, body: &[P2], obstacle: &[P2], tolerance_sq: &Rational) -> Result<(), PartError> {
        // Which side of the line q→r the point lies on; 0 within the tolerance.
        let side = |p: &P2, q: &P2, r: &P2| {
            let d = sub(r, q);
            let across = cross(&d, &sub(p, q));
            if &across * &across <= tolerance_sq * &dot(&d, &d) { Ordering::Equal } else { across.sign() }
        };
        let opposite = |a: Ordering, b: Ordering| a != Ordering::Equal && a == b.reverse();
        for (a, b) in edges(body) {
            for (c, d) in edges(obstacle) {
                if opposite(side(a, c, d), side(b, c, d)) && opposite(side(c, a, b), side(d, a, b)) {
                    return Err(self.overlap(a));
                }
            }
        }
        Ok(())
    }

    /// A corner in a hollow corner touches both its sides; flush sides touch; two sharp corners have no normal.
    fn corner_on_corner(&mut self, body: Corner, obstacle: Corner) {
        let before = self.found.len();
        if obstacle.hollow() {
            for n in obstacle.outward() {
                self.push(body.at, &n, Kind::VertexOnEdge);
            }
        } else if body.hollow() {
            for n in body.outward() {
                self.push(body.at, &[-&n[0], -&n[1]], Kind::EdgeOnVertex);
            }
        } else {
            for (n, side) in obstacle.outward().iter().zip(obstacle.sides()) {
                // Flush: on one line, facing each other, and leaving the corner the same way.
                let facing = |m: &P2| cross(n, m).is_zero() && dot(n, m).sign() == Ordering::Less;
                let together = |other: &P2| dot(&side, other).sign() == Ordering::Greater;
                if body.outward().iter().zip(body.sides()).any(|(m, other)| facing(m) && together(&other)) {
                    self.push(body.at, n, Kind::VertexOnEdge);
                }
            }
            if self.found.len() == before && !self.found.iter().any(|f| f.1.point == *body.at) {
                self.corners.push(Place { obstacle: self.obstacle, point: body.at.clone() });
            }
        }
    }

    /// A disc against a polygon; `disc_is_body` tells which of them moves.
    fn disc(&mut self, centre: &P2, radius: &Rational, polygon: &[P2], disc_is_body: bool) -> Result<(), PartError> {
        let curvature = &Rational::ONE / radius;
        let (low, high) = (radius - self.tolerance, radius + self.tolerance);
        let low_sq = if low.sign() == Ordering::Less { Rational::ZERO } else { &low * &low };
        let high_sq = &high * &high;
        let touches = |distance_sq: &Rational| *distance_sq >= low_sq && *distance_sq <= high_sq;
        if inside(centre, polygon) {
            return Err(self.overlap(centre));
        }
        for (a, b) in edges(polygon) {
            let (d, v) = (sub(b, a), sub(centre, a));
            let (along, length_sq) = (dot(&v, &d), dot(&d, &d));
            if along.sign() == Ordering::Greater && along < length_sq {
                let across = cross(&d, &v);
                let distance_sq = &(&across * &across) / &length_sq;
                let foot = [&a[0] + &(&d[0] * &(&along / &length_sq)), &a[1] + &(&d[1] * &(&along / &length_sq))];
                if distance_sq < low_sq {
                    return Err(self.overlap(&foot));
                }
                if touches(&distance_sq) && across.sign() == Ordering::Less {
                    let (k_body, k_obstacle) = if disc_is_body {
                        (curvature.clone(), Rational::ZERO)
                    } else {
                        (Rational::ZERO, curvature.clone())
                    };
                    let outward = [&b[1] - &a[1], &a[0] - &b[0]];
                    let normal = if disc_is_body { outward } else { [-&outward[0], -&outward[1]] };
                    self.push(&foot, &normal, Kind::Curved { k_body, k_obstacle });
                }
            }
            // The corner a, once per edge.
            let distance_sq = dot(&v, &v);
            if distance_sq < low_sq {
                return Err(self.overlap(a));
            }
            if touches(&distance_sq) {
                let kind = if disc_is_body {
                    Kind::CurveOnVertex { k_body: curvature.clone() }
                } else {
                    Kind::VertexOnCurve { k_obstacle: curvature.clone() }
                };
                let normal = if disc_is_body { v } else { sub(a, centre) };
                self.push(a, &normal, kind);
            }
        }
        Ok(())
    }

    fn discs(&mut self, body: (&P2, &Rational), obstacle: (&P2, &Rational)) -> Result<(), PartError> {
        let d = sub(body.0, obstacle.0);
        let distance_sq = dot(&d, &d);
        let sum = body.1 + obstacle.1;
        let (low, high) = (&sum - self.tolerance, &sum + self.tolerance);
        if low.sign() == Ordering::Greater && distance_sq < &low * &low {
            return Err(self.overlap(body.0));
        }
        if distance_sq <= &high * &high {
            let share = obstacle.1 / &sum;
            let point = [&obstacle.0[0] + &(&d[0] * &share), &obstacle.0[1] + &(&d[1] * &share)];
            let kind = Kind::Curved { k_body: &Rational::ONE / body.1, k_obstacle: &Rational::ONE / obstacle.1 };
            self.push(&point, &d, kind);
        }
        Ok(())
    }
}

struct Corner<'a> {
    before: &'a P2,
    at: &'a P2,
    after: &'a P2,
}

impl<'a> Corner<'a> {
    fn new(corners: &'a [P2], i: usize) -> Corner<'a> {
        let n = corners.len();
        Corner { before: &corners[(i + n - 1) % n], at: &corners[i], after: &corners[(i + 1) % n] }
    }

    fn hollow(&self) -> bool {
        cross(&sub(self.at, self.before), &sub(self.after, self.at)).sign() == Ordering::Less
    }

    /// Directions of both sides, away from the corner.
    fn sides(&self) -> [P2; 2] {
        [sub(self.before, self.at), sub(self.after, self.at)]
    }

    /// Outward normals of both sides, not of unit length.
    fn outward(&self) -> [P2; 2] {
        let right = |a: &P2, b: &P2| [&b[1] - &a[1], &a[0] - &b[0]];
        [right(self.before, self.at), right(self.at, self.after)]
    }
}

/// Finds every contact of a part and makes the case of it.
pub fn find_contacts(part: &Part) -> Result<Found, PartError> {
    if part.tolerance.sign() == Ordering::Less {
        return Err(PartError::Tolerance(part.tolerance.clone()));
    }
    let body = oriented(&part.body, "the body")?;
    let (centre, gyration_sq) = uniform(&body);
    let com = part.centre_of_mass.clone().unwrap_or(centre.clone());
    // Steiner: the uniform value is least about the centroid.
    let shift = sub(&com, &centre);
    let gyration_sq = part.gyration_sq.clone().unwrap_or(&gyration_sq + &dot(&shift, &shift));
    let mut all = Vec::new();
    let mut corner_on_corner = Vec::new();
    for (obstacle, (shape, mu)) in part.obstacles.iter().enumerate() {
        let shape = oriented(shape, &format!("obstacle {obstacle}"))?;
        let (found, corners) = (Vec::new(), Vec::new());
        let mut finder = Finder { com: com.clone(), tolerance: &part.tolerance, obstacle, mu, found, corners };
        match (&body, &shape) {
            (Shape::Polygon(b), Shape::Polygon(o)) => finder.polygons(b, o)?,
            (Shape::Disc { centre, radius }, Shape::Polygon(o)) => finder.disc(centre, radius, o, true)?,
            (Shape::Polygon(b), Shape::Disc { centre, radius }) => finder.disc(centre, radius, b, false)?,
            (Shape::Disc { centre, radius }, Shape::Disc { centre: c, radius: r }) => {
                finder.discs((centre, radius), (c, r))?;
            }
        }
        all.append(&mut finder.found);
        corner_on_corner.append(&mut finder.corners);
    }
    let rounded_normals = (0..all.len()).filter(|&i| all[i].2).collect();
    let places = all.iter().map(|f| f.1.clone()).collect();
    let case = Case {
        mass: part.mass.clone(),
        gyration_sq,
        force: part.force.clone(),
        velocity: part.velocity.clone(),
        contacts: all.into_iter().map(|f| f.0).collect(),
    };
    Ok(Found { case, places, corner_on_corner, rounded_normals })
}
