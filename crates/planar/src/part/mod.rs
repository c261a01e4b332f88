//! # Part: contacts found from shapes
//!
//! program ──(outlines in place)──▶ **here** ──(`Case`)──▶ `solve`
//!
//! - **in**: [`Part`]: outline of the body and of the obstacles as they lie, mass, what pushes, how it moves
//! - **out**: [`Found`]: the [`Case`] with its contacts, and where each is
//! - **not here**: motion through time, impacts, outlines other than straight sides and arcs of circles
//! - **assumes**: surfaces closer than the tolerance touch
//! - **start at** [`find_contacts`]; `outline` holds shapes, `find` pairs them, `crossing` says what overlaps
//!
//! Two flush faces touch in the two ends of their common stretch: any pressure on the stretch is a sum of forces there.
//! Everything is decided in exact fractions but this: the unit normal of an edge whose length is irrational is
//! replaced by an exact rational unit vector within 1e-13 rad of it, and said so; an arc's irrational radius and its
//! angle (for the area) are doubles; whether an arc crosses a side is decided in doubles.

mod crossing;
mod find;
mod outline;

use crate::contact::Case;
use crate::number::Rational;
use find::Finder;
use outline::Outline;
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
    /// Sides in order, either way round, straight or arcs of circles, without crossing itself.
    Outline(Vec<Side>),
}

/// A side of an outline: from its start to the start of the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Where it starts (m).
    pub start: [Rational; 2],
    /// A point of the arc between its ends (m); `None` for a straight side.
    pub via: Option<[Rational; 2]>,
}

impl Shape {
    /// The shape with every point moved by a rigid motion; a radius stays.
    pub fn moved<E>(&self, mut place: impl FnMut(&[Rational; 2]) -> Result<[Rational; 2], E>) -> Result<Shape, E> {
        Ok(match self {
            Shape::Polygon(corners) => Shape::Polygon(corners.iter().map(place).collect::<Result<_, _>>()?),
            Shape::Disc { centre, radius } => Shape::Disc { centre: place(centre)?, radius: radius.clone() },
            Shape::Outline(sides) => {
                let mut moved = Vec::new();
                for Side { start, via } in sides {
                    let via = via.as_ref().map(&mut place).transpose()?;
                    moved.push(Side { start: place(start)?, via });
                }
                Shape::Outline(moved)
            }
        })
    }

    /// Area (m²) and centroid (m); with arcs, the area is rounded to doubles.
    pub fn area_and_centroid(&self) -> Result<(Rational, [Rational; 2]), PartError> {
        let outline = Outline::new(self, "the body")?;
        Ok((outline.area(), outline.uniform().0))
    }

    /// The outline as points, arcs in pieces of a few degrees, for drawings (m).
    pub fn points(&self) -> Vec<[f64; 2]> {
        Outline::new(self, "the outline").map_or_else(|_| self.corners(), |o| o.points())
    }

    fn corners(&self) -> Vec<[f64; 2]> {
        let at = |p: &P2| p.each_ref().map(Rational::to_f64);
        match self {
            Shape::Polygon(corners) => corners.iter().map(at).collect(),
            Shape::Disc { centre, .. } => vec![at(centre)],
            Shape::Outline(sides) => sides.iter().map(|s| at(&s.start)).collect(),
        }
    }
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
    /// Places without a normal (corners that no line separates, within the tolerance): the contact was left out.
    pub without_normal: Vec<Place>,
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
    /// An arc without a circle.
    #[error("an arc of {name} needs three points that do not lie on one line, got ({x}, {y}) m between its ends")]
    FlatArc {
        /// Whose arc.
        name: String,
        /// The point between (m).
        x: f64,
        /// The point between (m).
        y: f64,
    },
    /// An outline that crosses or touches itself.
    #[error("{name} crosses itself at ({x}, {y}) m")]
    CrossesItself {
        /// Whose outline.
        name: String,
        /// Where (m).
        x: f64,
        /// Where (m).
        y: f64,
    },
    /// More sides than can be looked at in pairs.
    #[error("{name} may have 2000 sides at most, got {sides}")]
    TooManySides {
        /// Whose outline.
        name: String,
        /// How many.
        sides: usize,
    },
    /// Arcs that lie in each other along a stretch.
    #[error(
        "the body lies in obstacle {obstacle} along an arc of one radius from ({x}, {y}) m on: \
         friction on a curved stretch is no finite set of contacts"
    )]
    Conforming {
        /// Which obstacle.
        obstacle: usize,
        /// Where (m).
        x: f64,
        /// Where (m).
        y: f64,
    },
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

/// The outline of a shape, checked.
fn checked(shape: &Shape, name: &str) -> Result<Outline, PartError> {
    let outline = Outline::new(shape, name)?;
    match crossing::crosses_itself(&outline) {
        Some([x, y]) => Err(PartError::CrossesItself { name: name.into(), x, y }),
        None => Ok(outline),
    }
}

/// Finds every contact of a part and makes the case of it.
pub fn find_contacts(part: &Part) -> Result<Found, PartError> {
    if part.tolerance.sign() == Ordering::Less {
        return Err(PartError::Tolerance(part.tolerance.clone()));
    }
    let body = checked(&part.body, "the body")?;
    let (centre, gyration_sq) = body.uniform();
    let com = part.centre_of_mass.clone().unwrap_or(centre.clone());
    // Steiner: the uniform value is least about the centroid.
    let shift = sub(&com, &centre);
    let gyration_sq = part.gyration_sq.clone().unwrap_or(&gyration_sq + &dot(&shift, &shift));
    let mut all = Vec::new();
    let mut without_normal = Vec::new();
    for (obstacle, (shape, mu)) in part.obstacles.iter().enumerate() {
        let outline = checked(shape, &format!("obstacle {obstacle}"))?;
        let mut finder = Finder {
            com: &com,
            velocity: &part.velocity,
            tolerance: &part.tolerance,
            obstacle,
            mu,
            found: Vec::new(),
            lost: Vec::new(),
        };
        finder.run(&body, &outline)?;
        all.append(&mut finder.found);
        without_normal.append(&mut finder.lost);
    }
    let rounded_normals = (0..all.len()).filter(|&i| all[i].rounded).collect();
    let places = all.iter().map(|f| f.place.clone()).collect();
    let case = Case {
        mass: part.mass.clone(),
        gyration_sq,
        force: part.force.clone(),
        velocity: part.velocity.clone(),
        contacts: all.into_iter().map(|f| f.contact).collect(),
    };
    Ok(Found { case, places, without_normal, rounded_normals })
}
