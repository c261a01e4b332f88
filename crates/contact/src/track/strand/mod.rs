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
mod circle;
mod field;
mod nodes;
mod section;
mod spots;
mod turned;

pub use carrier::{Curve, Part, Path, curves_of};
pub use nodes::{INTERVALS, STATIONS, Strand};
pub use section::Station;
pub(crate) use turned::of_mesh as curves_of_mesh;

use super::faces::Near;
use super::{ClosestPair, tangent_basis};
use crate::surface::{RoundedBox, Shape};
use carrier::edge_at;
use nalgebra::{Isometry3, Matrix2, Point3, Vector3};

/// Edges are along each other from this cosine on: 10°.
const PARALLEL: f64 = 0.985;

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
    /// Where along the curve that is.
    pub at: f64,
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
    /// Whether both are the same curve of the same body.
    fn is(&self, other: &Self) -> bool {
        (self.body, self.index) == (other.body, other.index)
    }

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
    /// Takes all from another.
    pub fn copy_from(&mut self, other: &Self) {
        self.swapped = other.swapped;
        self.strand.copy_from(&other.strand);
    }

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
    /// Whether an edge of one body may lie along an edge of the other.
    pub edges: bool,
    /// Whether one of the bodies is a mesh that is no hull.
    hollow: bool,
    pub contacts: Vec<StrandContact>,
    #[cfg_attr(feature = "serde", serde(skip))]
    room: PlacedStrand,
}

impl PartialEq for LiveStrands {
    /// Room for trials does not count.
    fn eq(&self, other: &Self) -> bool {
        self.places == other.places && self.edges == other.edges && self.contacts == other.contacts
    }
}

/// How a shape takes part in contacts along curves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    /// Its curve goes first.
    Ring,
    /// A straight one.
    Rod,
    /// Rings at the ends of a body of revolution.
    Foot,
    /// Curves of a mesh, which lie on flats.
    Turned,
    /// No curve, but others may lie along it: flat.
    Flat,
    /// No curve, but others may lie along it.
    Ground,
    /// No curve, and no line along which another could lie; a ring may.
    Ball,
}

fn role(shape: &Shape) -> Role {
    match shape {
        Shape::Torus(_) => Role::Ring,
        Shape::Capsule(_) | Shape::Cylinder(_) => Role::Rod,
        Shape::Revolution(_) => Role::Foot,
        Shape::Sphere(_) | Shape::Ellipsoid(_) => Role::Ball,
        Shape::HalfSpace(_) | Shape::RoundedBox(_) | Shape::Elevation(_) => Role::Flat,
        Shape::Mesh(_) if !curves_of(shape).is_empty() => Role::Turned,
        _ => Role::Ground,
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
    let (role_A, role_B) = (role(a), role(b));
    let body = match (role_A, role_B) {
        (Role::Ring, _) => Some(0),
        (_, Role::Ring) => Some(1),
        (Role::Rod, Role::Ball) | (Role::Ball, Role::Rod) => None,
        (Role::Rod, Role::Rod) => Some(u8::from(length(b) < length(a))),
        (Role::Rod, _) => Some(0),
        (_, Role::Rod) => Some(1),
        (Role::Foot, Role::Foot) => None,
        (Role::Foot, _) => Some(0),
        (_, Role::Foot) => Some(1),
        (Role::Turned, Role::Flat) => Some(0),
        (Role::Flat, Role::Turned) => Some(1),
        _ => None,
    };
    // A mesh with curves of its own is not what others lie along.
    body.filter(|&body| if body == 0 { role_A == Role::Turned || is_even(a) } else { is_even(a) })
        .filter(|&body| if body == 1 { role_B == Role::Turned || is_even(b) } else { is_even(b) })
}

impl LiveStrands {
    /// The curves of a pair; none where its contacts are points and faces.
    pub fn new(a: &Shape, b: &Shape) -> Self {
        let is_box = |shape: &Shape| matches!(shape, Shape::RoundedBox(_));
        let has_edges = |shape: &Shape| is_box(shape) || matches!(shape, Shape::Mesh(_));
        let edges = (is_box(a) && has_edges(b)) || (has_edges(a) && is_box(b));
        let is_hollow = |shape: &Shape| matches!(shape, Shape::Mesh(_)) && !is_even(shape);
        let hollow = is_hollow(a) || is_hollow(b);
        let Some(body) = carrier(a, b) else { return Self { edges, hollow, ..Self::default() } };
        let curves = curves_of(if body == 0 { a } else { b });
        let places = curves.into_iter().enumerate();
        let places = places.map(|(index, curve)| StrandPlace { body, index: index as u32, curve }).collect();
        Self { places, edges, hollow, ..Self::default() }
    }

    /// Whether the pair has curves.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether nothing but curves can touch: rings.
    pub fn are_all(&self) -> bool {
        let first = self.places.first().map(|place| place.curve);
        matches!(first, Some(Curve { path: Path::Tube { .. }, part: Part::Whole, .. }))
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
        let (mut born, before) = (0, self.contacts.len());
        let room = &mut self.room;
        self.contacts.retain_mut(|contact| {
            let place = &contact.place;
            if !matches!(place.curve.part, Part::Edge(_)) {
                return true;
            }
            place.find(a, b, X_AB, 0.0, room);
            (contact.gap, contact.at) = (room.strand.least.gap, room.strand.least.s);
            contact.gap <= near.death && faces(place, room, &room.strand.least, X_AB, true)
        });
        let mut dropped = before - self.contacts.len();
        for place in &self.places {
            let known = self.contacts.iter().position(|contact| contact.place.is(place));
            let within = if known.is_some() { near.death } else { near.birth };
            place.find(a, b, X_AB, 0.0, &mut self.room);
            let least = &self.room.strand.least;
            let touches = least.gap <= within && faces(place, &self.room, least, X_AB, known.is_some());
            match (known, touches) {
                (Some(k), true) => (self.contacts[k].gap, self.contacts[k].at) = (least.gap, least.s),
                (Some(k), false) => {
                    self.contacts.remove(k);
                    dropped += 1;
                }
                (None, true) => {
                    self.contacts.push(StrandContact { id: *next_id, place: *place, gap: least.gap, at: least.s });
                    *next_id += 1;
                    born += 1;
                }
                (None, false) => {}
            }
        }
        (born, dropped)
    }

    /// Takes a pair of points for an edge of a box that lies along an edge of the other body, within some 10° of parallel: one
    /// contact along the edge in place of a line of points, or of one end after the other. Whether it is one now.
    pub fn offer(
        &mut self,
        (a, b): (&Shape, &Shape),
        X_AB: &Isometry3<f64>,
        pair: &ClosestPair,
        near: Near,
        next_id: &mut u64,
    ) -> bool {
        if !self.edges || pair.gap > near.birth {
            return false;
        }
        let Some(place) = edge_along(a, b, X_AB, pair) else { return false };
        if self.contacts.iter().any(|contact| contact.place.is(&place)) {
            return false;
        }
        place.find(a, b, X_AB, 0.0, &mut self.room);
        let least = self.room.strand.least;
        // It must be what the pair is: as near, and within the edge.
        let same = least.gap <= pair.gap + 1e-3 * near.size;
        if !same || least.gap > near.birth || !faces(&place, &self.room, &least, X_AB, false) {
            return false;
        }
        self.contacts.push(StrandContact { id: *next_id, place, gap: least.gap, at: least.s });
        *next_id += 1;
        true
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
            let p_S = X.inverse_transform_point(&p).coords;
            // Along the edge of a box a mesh that is hollow may have a place of its own, between the sections looked at.
            let apart = self.hollow
                && matches!(contact.place.curve.part, Part::Edge(_))
                && !is_slender(pair)
                && (p_S.z - contact.at).abs() > 0.1 * contact.place.curve.length();
            contact.place.curve.faces(&n, true) && contact.place.curve.has(&p_S) && !apart
        })
    }
}

/// The edge of a box on which a pair of points lies, along an edge of the other body; the shorter of two.
fn edge_along(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, pair: &ClosestPair) -> Option<StrandPlace> {
    let place = |body: u8, shape: &RoundedBox, p: &Point3<f64>, axis: usize| {
        edge_at(shape, p, axis).map(|(index, curve)| StrandPlace { body, index, curve })
    };
    match (a, b) {
        (Shape::RoundedBox(box_A), Shape::RoundedBox(box_B)) => {
            let R_AB = X_AB.rotation.to_rotation_matrix();
            for i in 0..3 {
                let Some(on_A) = place(0, box_A, &pair.p_ACa, i) else { continue };
                let Some(j) = (0..3).find(|&j| R_AB[(i, j)].abs() > PARALLEL) else { continue };
                let Some(on_B) = place(1, box_B, &pair.p_BCb, j) else { continue };
                return Some(if on_B.curve.length() < on_A.curve.length() { on_B } else { on_A });
            }
            None
        }
        (Shape::RoundedBox(shape), _) if is_slender(pair) => {
            (0..3).filter(|&k| is_along(shape, &pair.p_ACa, k)).find_map(|k| place(0, shape, &pair.p_ACa, k))
        }
        (_, Shape::RoundedBox(shape)) if is_slender(pair) => {
            (0..3).filter(|&k| is_along(shape, &pair.p_BCb, k)).find_map(|k| place(1, shape, &pair.p_BCb, k))
        }
        _ => None,
    }
}

/// Whether a point of a box is between the corners of its edges along an axis.
fn is_along(shape: &RoundedBox, p: &Point3<f64>, axis: usize) -> bool {
    p[axis].abs() <= shape.half_extents()[axis] - shape.edge_radius()
}

/// Whether a pair of points is long against its width, as parallel tubes are: those that cross at 10° have a ratio of
/// curvatures of 0.0075.
fn is_slender(pair: &ClosestPair) -> bool {
    let sum = pair.curvature_A + pair.curvature_B;
    sum.determinant() <= 0.0075 * sum.trace() * sum.trace() && sum.trace() > 0.0
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
        let out = p.xy().norm();
        match (self.part, self.path) {
            (Part::Edge(_), Path::Rod { half, edge, .. }) => p.z.abs() <= half + edge && out <= 1.05 * edge,
            (Part::Side, Path::Rod { half, core, edge }) => {
                p.z.abs() <= half + edge && (out - core - edge).abs() <= 0.02 * (core + edge)
            }
            (Part::End(_), Path::Tube { major, minor }) => (out - major).hypot(p.z) <= 1.5 * minor,
            _ => self.has_whole(p),
        }
    }

    fn has_whole(&self, p: &Vector3<f64>) -> bool {
        match self.path {
            Path::Rod { .. } | Path::Tube { .. } => true,
            Path::Foot { radius, .. } => (p.xy().norm() - radius[0]).abs() <= 1.5 * radius[1],
        }
    }
}
