//! # Strands: contacts along a curve of one body
//!
//! `carrier` ──(curves)──▶ `section` ──(gap at a place)──▶ `nodes` ──([`Strand`])──▶ `law::strand`, any stepper
//!
//! - **in**: two shapes, one of which has curves along which it touches: capsule, cylinder, torus, body of revolution
//! - **out**: [`StrandContact`]s with an identity, and their [`Strand`] at any pose
//! - **not here**: what is stored and pressed (`law::strand`); points ([`contacts`](super::contacts)); faces ([`faces`](super::faces))
//! - **assumes**: across its curve a body faces the other at one place
//! - **start at** `LiveStrands`, [`StrandPlace::find`]
//!
//! A contact along a curve is one integral of what its sections store, for every pose: the torus that lies flat, tilts and
//! rolls on its edge, the capsule that lies down, have one potential and no hand-over between points and lines.
//! Several pressed intervals of one curve are one contact.

mod carrier;
mod nodes;
mod section;
mod spots;

pub use carrier::{Curve, Path, curves_of};
pub use nodes::{INTERVALS, STATIONS, Strand};
pub use section::Station;

use super::faces::Near;
use super::{ClosestPair, tangent_basis};
use crate::surface::Shape;
use nalgebra::{Isometry3, Matrix2, Point3, Vector3};

/// Which curve touches: all that is needed to find the contact at any pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StrandPlace {
    /// The body that has the curve: 0 (A) or 1 (B).
    pub body: u8,
    /// Which of its curves, as numbered by [`curves_of`].
    pub index: u32,
    /// The curve.
    pub curve: Curve,
}

/// A contact along a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StrandContact {
    /// Counts up from 0 within a set, together with all other contacts; never used twice.
    pub id: u64,
    /// Which curve.
    pub place: StrandPlace,
    /// The least gap along it (m).
    pub gap: f64,
}

/// The contact of a curve at one pose, told from the body that has no curve (A here) to the one that has it (B).
#[derive(Clone, Debug, Default)]
pub struct PlacedStrand {
    /// Whether the curve is on body A of the pair.
    pub swapped: bool,
    /// The stations, in the frame of the other body.
    pub strand: Strand,
}

impl StrandPlace {
    /// Finds the stations at a pose of the pair (A, B), where the gap is below `within` (m).
    pub fn find(&self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, within: f64, room: &mut PlacedStrand) {
        room.swapped = self.body == 0;
        if room.swapped {
            room.strand.find(&self.curve, b, a, &X_AB.inverse(), within);
        } else {
            room.strand.find(&self.curve, a, b, X_AB, within);
        }
    }

    /// Whether the curve still faces the other body, as a contact that goes on, where it is nearest.
    pub fn goes_on(&self, placed: &PlacedStrand, X_AB: &Isometry3<f64>) -> bool {
        let least = &placed.strand.least;
        !least.gap.is_finite() || faces(self, placed, least, X_AB, true)
    }

    /// The same stations at another pose.
    pub fn moved(&self, from: &PlacedStrand, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, to: &mut PlacedStrand) {
        to.swapped = from.swapped;
        if from.swapped {
            from.strand.moved(&self.curve, b, a, &X_AB.inverse(), &mut to.strand);
        } else {
            from.strand.moved(&self.curve, a, b, X_AB, &mut to.strand);
        }
    }
}

impl PlacedStrand {
    /// A station as a pair of points of (A, B): normal, gap, places; without curvatures.
    pub fn pair_at(&self, station: &Station, X_AB: &Isometry3<f64>) -> ClosestPair {
        let on_other = Point3::from(station.p_A - station.nhat_A * station.gap);
        let on_carrier = Point3::from(station.p_A);
        // Of the pair as the curve sees it, and with A and B in their places.
        let (p_ACa, p_BCb, nhat) = if self.swapped {
            (X_AB * on_carrier, on_other, -(X_AB.rotation * station.nhat_A))
        } else {
            (on_other, X_AB.inverse_transform_point(&on_carrier), station.nhat_A)
        };
        ClosestPair {
            p_ACa,
            p_BCb,
            nhat_AB_A: nhat,
            gap: station.gap,
            E_A: tangent_basis(&nhat),
            curvature_A: Matrix2::zeros(),
            curvature_B: Matrix2::zeros(),
            residual: 0.0,
            steps: 0,
        }
    }
}

/// The curves of a pair that touch, from update to update.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LiveStrands {
    places: Vec<StrandPlace>,
    pub contacts: Vec<StrandContact>,
    #[cfg_attr(feature = "serde", serde(skip))]
    room: PlacedStrand,
}

impl PartialEq for LiveStrands {
    /// Room for trials does not count.
    fn eq(&self, other: &Self) -> bool {
        self.places == other.places && self.contacts == other.contacts
    }
}

/// How a shape takes part in contacts along curves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// Its curve goes first.
    Ring,
    /// A straight one.
    Rod,
    /// Rings at the ends of a body of revolution.
    Foot,
    /// No curve, but others may lie along it.
    Ground,
    /// No curve, and no line along which another could lie; a ring may.
    Ball,
}

fn part(shape: &Shape) -> Part {
    match shape {
        Shape::Torus(_) => Part::Ring,
        Shape::Capsule(_) | Shape::Cylinder(_) => Part::Rod,
        Shape::Revolution(_) => Part::Foot,
        Shape::Sphere(_) | Shape::Ellipsoid(_) => Part::Ball,
        _ => Part::Ground,
    }
}

/// Whether the sections of a curve that are looked at miss nothing of a body: its distance along the curve has no hollows or
/// bumps between two of them. Uneven maps, graphs of higher degree and meshes that are not convex are met by points, which a search proves.
fn is_even(shape: &Shape) -> bool {
    match shape {
        // Along a line a quadratic has one hollow or bump, around a circle two.
        Shape::Graph(graph) => graph.degree().is_some_and(|degree| degree <= 2),
        Shape::Elevation(map) => map.is_plane(),
        Shape::Mesh(mesh) => mesh.polyhedron().is_some_and(|body| body.is_convex()),
        _ => true,
    }
}

/// Which body's curves count: 0 (A), 1 (B), or none. The shorter of two straight ones ends the contact.
fn carrier(a: &Shape, b: &Shape) -> Option<u8> {
    let length = |shape: &Shape| curves_of(shape).first().map_or(f64::INFINITY, Curve::length);
    let body = match (part(a), part(b)) {
        (Part::Ring, _) => Some(0),
        (_, Part::Ring) => Some(1),
        (Part::Rod, Part::Ball) | (Part::Ball, Part::Rod) => None,
        (Part::Rod, Part::Rod) => Some(u8::from(length(b) < length(a))),
        (Part::Rod, _) => Some(0),
        (_, Part::Rod) => Some(1),
        (Part::Foot, Part::Foot) => None,
        (Part::Foot, _) => Some(0),
        (_, Part::Foot) => Some(1),
        _ => None,
    };
    body.filter(|_| is_even(a) && is_even(b))
}

impl LiveStrands {
    /// The curves of a pair; none where its contacts are points and faces.
    pub fn new(a: &Shape, b: &Shape) -> Self {
        let Some(body) = carrier(a, b) else { return Self::default() };
        let curves = curves_of(if body == 0 { a } else { b });
        let places = curves.into_iter().enumerate();
        let places = places.map(|(index, curve)| StrandPlace { body, index: index as u32, curve }).collect();
        Self { places, ..Self::default() }
    }

    /// Whether the pair has curves.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether nothing but curves can touch: rings.
    pub fn are_all(&self) -> bool {
        matches!(self.places.first(), Some(StrandPlace { curve: Curve { path: Path::Tube { .. }, .. }, .. }))
    }

    /// Follows all contacts to a pose and finds new ones; how many were born and dropped.
    pub fn update(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        near: Near,
        next_id: &mut u64,
    ) -> (usize, usize) {
        let (mut born, mut dropped) = (0, 0);
        for place in &self.places {
            let known = self.contacts.iter().position(|contact| contact.place.index == place.index);
            let within = if known.is_some() { near.death } else { near.birth };
            place.find(a, b, X_AB, 0.0, &mut self.room);
            let least = &self.room.strand.least;
            let touches = least.gap <= within && faces(place, &self.room, least, X_AB, known.is_some());
            match (known, touches) {
                (Some(k), true) => self.contacts[k].gap = least.gap,
                (Some(k), false) => {
                    self.contacts.remove(k);
                    dropped += 1;
                }
                (None, true) => {
                    self.contacts.push(StrandContact { id: *next_id, place: *place, gap: least.gap });
                    *next_id += 1;
                    born += 1;
                }
                (None, false) => {}
            }
        }
        (born, dropped)
    }

    /// Whether a pair of points is part of a contact along a curve.
    pub fn hold(&self, pair: &ClosestPair, X_AB: &Isometry3<f64>) -> bool {
        self.contacts.iter().any(|contact| {
            // Outward normal of the body that has the curve, in the frame of the curve.
            let out = match contact.place.body {
                0 => pair.nhat_AB_A,
                _ => X_AB.rotation.inverse() * -pair.nhat_AB_A,
            };
            let X = &contact.place.curve.X_BS;
            let n = X.rotation.inverse() * out;
            let p = if contact.place.body == 0 { pair.p_ACa } else { pair.p_BCb };
            contact.place.curve.faces(&n, true) && contact.place.curve.has(&X.inverse_transform_point(&p).coords)
        })
    }
}

/// Whether a curve faces the other body where it is nearest.
fn faces(place: &StrandPlace, room: &PlacedStrand, least: &Station, X_AB: &Isometry3<f64>, goes_on: bool) -> bool {
    let R_SA = match room.swapped {
        true => place.curve.X_BS.rotation.inverse() * X_AB.rotation,
        false => place.curve.X_BS.rotation.inverse() * X_AB.rotation.inverse(),
    };
    place.curve.faces(&(R_SA * -least.nhat_A), goes_on)
}

impl Curve {
    /// Whether a point of the surface belongs to the curve, in its frame.
    fn has(&self, p: &Vector3<f64>) -> bool {
        match self.path {
            Path::Rod { .. } | Path::Tube { .. } => true,
            Path::Foot { radius, .. } => (p.xy().norm() - radius[0]).abs() <= 1.5 * radius[1],
        }
    }
}
