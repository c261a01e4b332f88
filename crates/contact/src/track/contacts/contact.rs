//! # Contact: one place where two bodies touch, and how it is followed
//!
//! - **in**: the last closest pair, how its points moved, a new pose
//! - **out**: the pair at that pose, or that the place is lost
//! - **not here**: which places there are ([`ContactSet`](super::ContactSet))
//! - **start at** [`Contact::follow`]

use super::low;
use crate::surface::Shape;
use crate::track::edged::Key;
use crate::track::refine::refine;
use crate::track::{ClosestPair, direct};
use nalgebra::{Isometry3, Vector3};

/// One place where two bodies touch or nearly touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// Counts up from 0 within a set, together with the face contacts; never used twice.
    pub id: u64,
    /// The local closest pair.
    pub pair: ClosestPair,
    /// What touches, for bodies with corners.
    pub(in crate::track) key: Key,
    /// How both points moved over their bodies in the last two updates.
    strides: [[Vector3<f64>; 2]; 2],
}

impl Contact {
    pub(super) fn new(id: u64, pair: ClosestPair, key: Key) -> Self {
        Self { id, pair, key, strides: [[Vector3::zeros(); 2]; 2] }
    }

    /// The local pair at a new pose, bodies having moved by `moved` (m): Newton from where the last points lead, or else
    /// from the points themselves.
    ///
    /// Where a mesh on a half-space has none, the lowest vertex goes on for it; `size` is the radius of the smaller body (m).
    pub(super) fn follow(&self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, moved: f64, size: f64) -> Followed {
        let lowest = |vertex, was| low::follow((a, b), X_AB, vertex, was, size).map_or(Followed::Lost, Followed::Low);
        match self.key {
            Key::Smooth => {}
            Key::Low { vertex, .. } => return lowest(vertex, Some(&self.pair)),
            _ => return Followed::Tip,
        }
        // A gap changes by no more than the bodies move; what changes more is another place.
        let most = moved * (1.0 + 1e-6) + 1e-12;
        let is_same = |pair: &ClosestPair| (pair.gap - self.pair.gap).abs() <= most;
        let found = self.settle(a, b, X_AB, true).filter(is_same);
        if let Some(pair) = found.or_else(|| self.settle(a, b, X_AB, false).filter(is_same)) {
            return Followed::To(pair);
        }
        let vertex = low::mesh_of(a, b).and_then(|(body, mesh)| {
            low::vertex_near(mesh, if body == 0 { &self.pair.p_ACa } else { &self.pair.p_BCb })
        });
        vertex.map_or(Followed::Lost, |vertex| lowest(vertex, None))
    }

    /// The stationary pair reached from where the last points lead, if `ahead`, or from the points themselves.
    #[inline]
    pub(super) fn settle(&self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, ahead: bool) -> Option<ClosestPair> {
        let (mut p_A, mut p_B) = (self.pair.p_ACa, self.pair.p_BCb);
        if ahead {
            let [p, q] = [0, 1].map(|k| self.strides[k][0] * 2.0 - self.strides[k][1]);
            (p_A, p_B) = (p_A + p, p_B + q);
        }
        let is_height = |shape: &Shape| matches!(shape, Shape::Elevation(_) | Shape::Graph(_));
        match (a, b) {
            (ground, Shape::Sphere(_)) | (Shape::Sphere(_), ground) if is_height(ground) => {
                direct::ball_on_height(a, b, X_AB, (&p_A, &p_B))
            }
            _ => refine(a, b, X_AB, p_A, p_B, low::tolerance(a, b)).ok(),
        }
    }

    /// Whether it is a vertex of a mesh.
    pub(super) fn is_low(&self) -> bool {
        matches!(self.key, Key::Low { .. })
    }

    /// Takes the next pair.
    pub(super) fn step_to(&mut self, pair: ClosestPair) {
        for (strides, stride) in
            self.strides.iter_mut().zip([pair.p_ACa - self.pair.p_ACa, pair.p_BCb - self.pair.p_BCb])
        {
            let last = strides[0];
            *strides = if last == Vector3::zeros() {
                [stride; 2]
            } else if (stride - last).norm() > 0.5 * last.norm() {
                // Over a ridge, or the bodies turned round: nothing to go by.
                [Vector3::zeros(); 2]
            } else {
                [stride, last]
            };
        }
        self.pair = pair;
    }
}

/// Where a contact came to.
#[allow(clippy::large_enum_variant)] // lives for one line
pub(super) enum Followed {
    /// A local minimum, followed.
    To(ClosestPair),
    /// A vertex that no neighbour beats.
    Low((Key, ClosestPair)),
    /// A local minimum that is no more, or not where it could be.
    Lost,
    /// A corner or rim, which is found in another way.
    Tip,
}

/// How far a contact can travel over the bodies while they move by `moved` (m): contact kinematics with room to spare.
///
/// The points move by M⁻¹(a + B s): the flatter the relative curvature, the further.
pub(super) fn travel(pair: &ClosestPair, moved: f64) -> f64 {
    let M = pair.matrix();
    let bend = pair.curvature_A.amax().max(pair.curvature_B.amax()).max(M.amax());
    let least = M.determinant().abs() / M.amax().max(f64::MIN_POSITIVE);
    3.0 * moved * (1.0 + bend / least.max(1e-6 * bend.max(f64::MIN_POSITIVE)))
}
