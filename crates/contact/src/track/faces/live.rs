//! # Live faces: which faces of a pair lie on each other, from update to update
//!
//! - **in**: two shapes, their pose, the limits of contacts
//! - **out**: face contacts that keep their identity
//! - **not here**: points ([`contacts`](crate::track::contacts))
//! - **start at** [`LiveFaces`]
//!
//! A face contact begins with an angle below `angle_on` and a gap somewhere below `birth`; it ends beyond `angle_off` or
//! `death`, or when nothing is shared any more.
//!
//! **Joined.** Where the law asks for one potential ([`FaceLimits::strands`]) and a box stands on flat ground, the energy is
//! that of the pose at every tilt: V = Σ faces + Σ corners, each a function of the pose alone. A face whose rounding is e
//! lies e (1 − cos θ) above the lowest point of its corners at a tilt θ, so that it comes to press by itself while the box
//! falls from corner to face, and nothing is handed over. Faces then live up to [`JOINED`], at which they press only where a
//! corner is deeper than half its radius, and do not stand for their corners. What a corner's ball adds under a flat face
//! is 4πeδ/A of its load.

use super::{Face, FaceContact, FaceLimits, faces_of};
use crate::surface::{Shape, Surface, SurfaceError};
use crate::track::ClosestPair;
use crate::track::tips::foot;
use nalgebra::{Isometry3, Point3};

/// The faces of two bodies and the contacts between them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LiveFaces {
    pub limits: FaceLimits,
    /// Whether faces and corners are there together, at every tilt.
    pub joined: bool,
    /// Whether they may be.
    joins: bool,
    /// Angles to begin and to go on where they are not (rad).
    alone: [f64; 2],
    pub faces: [Vec<Face>; 2],
    pub contacts: Vec<FaceContact>,
    /// Room for a trial, so that trying does not allocate.
    #[cfg_attr(feature = "serde", serde(skip))]
    spare: FaceContact,
}

impl PartialEq for LiveFaces {
    /// Room for trials does not count.
    fn eq(&self, other: &Self) -> bool {
        self.limits == other.limits && self.faces == other.faces && self.contacts == other.contacts
    }
}

/// Angles of faces that are joined with their corners: to begin, and to go on (rad).
const JOINED: [f64; 2] = [1.05, 1.13];

/// Whether faces and corners of two bodies make one potential: a box on flat ground.
fn is_joined(a: &Shape, b: &Shape) -> bool {
    let is_ground = |shape: &Shape| matches!(shape, Shape::HalfSpace(_) | Shape::Elevation(_));
    let is_box = |shape: &Shape| matches!(shape, Shape::RoundedBox(body) if body.edge_radius() > 0.0);
    (is_ground(a) && is_box(b)) || (is_box(a) && is_ground(b))
}

/// What became of the faces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FaceChanges {
    pub born: usize,
    pub dropped: usize,
}

/// What of the other contacts' limits counts here (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub birth: f64,
    pub death: f64,
    /// Radius of the smaller body.
    pub size: f64,
}

impl LiveFaces {
    pub fn new(a: &Shape, b: &Shape, limits: FaceLimits) -> Self {
        // A map is asked for its plane stretches only where something flat may lie on them.
        let is_map = |shape: &Shape| matches!(shape, Shape::Elevation(_));
        let mut faces = [a, b].map(|shape| if is_map(shape) { Vec::new() } else { faces_of(shape) });
        for (k, shape) in [a, b].into_iter().enumerate() {
            if is_map(shape) && !faces[1 - k].is_empty() {
                faces[k] = faces_of(shape);
            }
        }
        let joins = limits.faces && limits.strands && is_joined(a, b);
        let alone = [limits.angle_on, limits.angle_off];
        let spare = FaceContact::blank([0, 0]);
        let mut live = Self { limits, joined: false, joins, alone, faces, contacts: Vec::new(), spare };
        live.join(true);
        live
    }

    /// Whether faces and corners are there together, if they may.
    pub fn join(&mut self, join: bool) {
        if (join && self.joins) != self.joined {
            self.joined = !self.joined;
            [self.limits.angle_on, self.limits.angle_off] = if self.joined { JOINED } else { self.alone };
        }
    }

    /// Follows all face contacts to a pose and finds new ones.
    pub fn update(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        near: Near,
        next_id: &mut u64,
    ) -> FaceChanges {
        let [faces_A, faces_B] = &self.faces;
        let mut changes = FaceChanges::default();
        if faces_A.is_empty() || faces_B.is_empty() || !self.limits.faces {
            return changes;
        }
        let before = self.contacts.len();
        let off = self.limits.angle_off;
        self.contacts.retain_mut(|contact| {
            let [i, j] = contact.faces;
            contact.follow(&faces_A[i], &faces_B[j], X_AB, off)
                && contact.least_gap() <= near.death
                && is_real(a, b, contact, X_AB, near.size)
        });
        changes.dropped = before - self.contacts.len();

        let least_cos = self.limits.angle_on.cos();
        for (j, face_B) in faces_B.iter().enumerate() {
            let n_B = X_AB.rotation * face_B.nhat();
            for (i, face_A) in faces_A.iter().enumerate() {
                if -n_B.dot(&face_A.nhat()) < least_cos || self.contacts.iter().any(|c| c.faces == [i, j]) {
                    continue;
                }
                self.spare.faces = [i, j];
                if self.spare.follow(face_A, face_B, X_AB, self.limits.angle_on)
                    && self.spare.least_gap() <= near.birth
                    && is_real(a, b, &self.spare, X_AB, near.size)
                {
                    self.spare.id = *next_id;
                    *next_id += 1;
                    changes.born += 1;
                    self.contacts.push(self.spare.clone());
                }
            }
        }
        changes
    }

    /// Whether two faces that are no contact come near to parallel on the way from one pose to another.
    pub fn turn_to(&self, from: &Isometry3<f64>, to: &Isometry3<f64>) -> bool {
        let [faces_A, faces_B] = &self.faces;
        if !self.limits.faces || faces_A.is_empty() || from.rotation == to.rotation {
            return false;
        }
        let least_cos = self.limits.angle_on.cos();
        faces_B.iter().enumerate().any(|(j, face_B)| {
            let (before, after) = (from.rotation * face_B.nhat(), to.rotation * face_B.nhat());
            faces_A.iter().enumerate().any(|(i, face_A)| {
                let n_A = face_A.nhat();
                -after.dot(&n_A) >= least_cos
                    && -before.dot(&n_A) < least_cos
                    && !self.contacts.iter().any(|c| c.faces == [i, j])
            })
        })
    }

    /// Whether a corner or rim belongs to a face contact.
    pub fn hold_corner(&self, pair: &ClosestPair, merge: f64) -> bool {
        !self.joined && self.hold(pair, merge)
    }

    /// Whether a face contact goes on at its tilt.
    pub fn goes_on(&self, contact: &FaceContact) -> bool {
        let off = self.limits.angle_off;
        // On ground the slope along the face is the sine of the angle.
        contact.tilt.norm() <= if self.joined { off.sin() } else { off }
    }

    /// Whether a pair of points belongs to a face contact.
    pub fn hold(&self, pair: &ClosestPair, merge: f64) -> bool {
        let angle = self.limits.angle_off.min(FaceLimits::default().angle_off);
        self.contacts.iter().any(|contact| {
            let [i, j] = contact.faces;
            let rim = self.faces[0][i].rim.max(self.faces[1][j].rim);
            contact.holds(pair, angle, rim + merge)
        })
    }
}

/// Whether the faces are what the bodies touch with: the gap at the centroid is a distance from the other body. Sides
/// turned away from each other, deep inside both bodies, face each other as well; so do the flanks of boxes that overlap
/// at an edge.
fn is_real(a: &Shape, b: &Shape, contact: &FaceContact, X_AB: &Isometry3<f64>, size: f64) -> bool {
    let pair = &contact.pair;
    // Ask the body that answers fastest; a map by the foot near the place, which takes no search.
    let on_map = |map: &Shape, p: &Point3<f64>| {
        foot(map, p, Some(p)).map(|found| found.1).ok_or(SurfaceError::NoSmoothPoint { x: p.x, y: p.y, z: p.z })
    };
    let distance = match (a, b) {
        (Shape::Elevation(_), _) => on_map(a, &(pair.p_ACa + pair.nhat_AB_A * pair.gap)),
        (_, Shape::Elevation(_)) => on_map(b, &X_AB.inverse_transform_point(&pair.p_ACa)),
        (Shape::Mesh(mesh), Shape::Mesh(_)) => {
            let p = pair.p_ACa + pair.nhat_AB_A * pair.gap;
            mesh.solid().closest(&p, None).map(|found| found.foot.distance)
        }
        (Shape::Mesh(_), _) => b.closest_point(&X_AB.inverse_transform_point(&pair.p_ACa)).map(|foot| foot.distance),
        _ => a.closest_point(&(pair.p_ACa + pair.nhat_AB_A * pair.gap)).map(|foot| foot.distance),
    };
    distance.is_ok_and(|d| (d - pair.gap).abs() <= 1e-3 * pair.gap.abs() + 1e-6 * size)
}
