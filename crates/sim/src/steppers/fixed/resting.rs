//! # Rest: bodies that hardly move keep their places and rows
//!
//! `state` ──(anchors)──▶ **here** ──(who rests)──▶ `rows`, `step`
//!
//! - **in**: the pose and velocity of a body, the pose that its contacts were last looked at
//! - **out**: whether the body rests in this step; whether it has strayed at the end of it
//! - **not here**: sleeping (`sleep`). A body at rest is solved for in every step like all others.
//! - **start at** [`SolverBody::anchor`]
//!
//! A body that stays within a share [`NEAR`] of its size of its *anchor* rests: its rows are those of the anchor, and gaps
//! between bodies that rest change by what the rows say. Rows are then wrong by that share, and gaps by s²/2R where the way
//! is s and the radius of curvature R: below rounding unless R is a millionth of the size. In return gaps are no longer differences of places: a box on its corners is pressed in by 1e-7 m
//! at a place of 0.1 m, whose rounding is 1e-10 of the load. So a load at rest is the same from step to step to its last
//! digits, and there is nothing to solve. Anchors belong to the state: a continued run takes the same rows.

use super::inverse_mass::InverseMassRoot;
use super::solver_body::SolverBody;
use crate::model::body::Body;
use nalgebra::{Isometry3, Vector3};

/// How far from its anchor a body at rest may be, as a share of its size.
const NEAR: f64 = 1e-9;

/// Distance of the farthest point from the centre of mass (m), or more.
pub fn size(body: &Body) -> f64 {
    body.shape.reach() + body.p_BoBcm.coords.norm()
}

/// Σ |x|, no less than the length.
#[inline]
fn sum(x: &Vector3<f64>) -> f64 {
    x.x.abs() + x.y.abs() + x.z.abs()
}

impl SolverBody {
    /// Whether it rests in a step of length h that begins here, and where.
    #[inline]
    pub fn anchor(&mut self, anchor: &Isometry3<f64>, h: f64) {
        if self.anchor != *anchor {
            self.anchor = *anchor;
            self.era += 1;
        }
        self.rests = false;
        let jointed = matches!(self.root, InverseMassRoot::Joint(_) | InverseMassRoot::Link(_));
        if !self.stands && self.moves() && !jointed {
            let ahead = h * (sum(&self.v) + self.size * sum(&self.w));
            self.rests = ahead + self.off(&self.X) <= NEAR * self.size;
        }
    }

    /// Whether its rows are those of its anchor.
    #[inline]
    pub fn lies(&self) -> bool {
        self.rests || self.stands
    }

    /// How far the anchor is from a gap that may close without being looked at (m).
    #[inline]
    pub fn room(&self) -> f64 {
        if self.stands { 0.0 } else { NEAR * self.size }
    }

    /// Whether it ends too far from its anchor.
    #[inline]
    pub fn strays(&self, end: &Isometry3<f64>) -> bool {
        let stays = self.off(end) <= NEAR * self.size;
        !stays
    }

    /// Bound of the way of its points from the anchor (m).
    #[inline]
    fn off(&self, X: &Isometry3<f64>) -> f64 {
        let turned = X.rotation.coords - self.anchor.rotation.coords;
        let moved = X.translation.vector - self.anchor.translation.vector;
        sum(&moved) + 2.0 * self.size * (sum(&turned.xyz()) + turned.w.abs())
    }
}
