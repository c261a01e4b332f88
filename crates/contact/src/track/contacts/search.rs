//! # Search: where two bodies touch that is not listed yet
//!
//! - **in**: the set at a pose, limits
//! - **out**: local pairs that wait to become contacts, and how far the bodies may move before the next search
//! - **not here**: how places are found ([`local`](crate::track::local)); contacts that are known ([`follow`](super::follow))
//! - **start at** `search`, then `admit`

use super::contact::Contact;
use super::follow::LOW_REACH;
use super::{ContactLimits, ContactSet, low};
use crate::surface::height::HeightFunction;
use crate::surface::{Shape, Surface};
use crate::track::edged::Key;
use crate::track::faces::FaceContact;
use crate::track::local::{EXPLAINED, Nearby, is_loose};
use crate::track::refine::{Tolerance, refine};
use crate::track::seed::{all_near, closest_points};
use crate::track::tips::Tips;
use crate::track::{ClosestPair, TrackError};
use nalgebra::{Isometry3, Vector3};

/// A local pair that is not a contact, and when to look at it again.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Waiting {
    pub pair: ClosestPair,
    /// Length of the bodies' path from which on the gap may be below 0 (m).
    pub touch: f64,
}

impl ContactSet {
    /// Lets go of contacts whose place is about to vanish, and searches anew; whether there were any.
    ///
    /// A local minimum of the distance ends where a saddle runs into it: det M falls to zero as the square root of the time
    /// left, and the points run ever faster. Whoever follows them in time cannot come nearer; here they end where det M is
    /// below `share` of tr(A + B)². Rings that lie on uneven ground do this.
    pub fn let_go(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, share: f64) -> Result<bool, TrackError> {
        let stays = |pair: &ClosestPair| {
            let sum = pair.curvature_A.trace() + pair.curvature_B.trace();
            pair.matrix().determinant() > share * sum * sum
        };
        let vanishes = |contact: &Contact| contact.key == Key::Smooth && !stays(&contact.pair);
        if !self.contacts.iter().any(vanishes) {
            return Ok(false);
        }
        let within = self.within();
        let limit = within.birth + within.look_ahead;
        let mut found = all_near(a, b, X_AB, limit, self.known())?;
        found.pairs.extend(closest_points(a, b, X_AB));
        for contact in self.contacts.iter().filter(|contact| vanishes(contact)) {
            found.pairs.extend(self.downhill(&contact.pair, a, b, X_AB));
        }
        self.contacts.retain(|contact| !vanishes(contact));
        found.pairs.retain(|pair| stays(pair) && pair.gap <= limit);
        self.renew_waiting(found, a, b, X_AB);
        self.admit(a, b, X_AB);
        Ok(true)
    }

    /// Pairs that a vanishing one leaves to: along the direction in which it is flat.
    fn downhill(&self, from: &ClosestPair, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Vec<ClosestPair> {
        let M = from.matrix();
        let eigen = (0.5 * (M + M.transpose())).symmetric_eigen();
        let flat_A = from.E_A * eigen.eigenvectors.column(eigen.eigenvalues.iamin());
        let shares = [0.02, 0.05, 0.1, 0.2].into_iter().flat_map(|share| [share, -share]);
        let starts = shares.map(|share| flat_A * (share * self.size));
        let settle = |d_A: Vector3<f64>| {
            let (p_A, p_B) = (from.p_ACa + d_A, from.p_BCb + X_AB.rotation.inverse() * d_A);
            refine(a, b, X_AB, p_A, p_B, Tolerance::default()).ok()
        };
        starts.filter_map(settle).filter(|pair| pair.gap < from.gap).collect()
    }

    /// Finds all local pairs up to birth plus look-ahead; returns how many contacts were born.
    pub(super) fn search(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<usize, TrackError> {
        let within = self.within();
        let found = if is_all_corners(a, b) || is_all_corners(b, a) {
            Nearby { pairs: Vec::new(), apart: f64::INFINITY }
        } else {
            all_near(a, b, X_AB, within.birth + within.look_ahead, self.known())?
        };
        self.renew_waiting(found, a, b, X_AB);
        let before = self.contacts.len();
        self.admit(a, b, X_AB);
        self.settle_low(a, b, X_AB, before);
        Ok(self.contacts.len() - before)
    }

    /// Among contacts born from the index `before` on, those at the vertex of a mesh rather than at a lowest point of its surface
    /// become that vertex; older ones near a lowest point become that.
    fn settle_low(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, before: usize) {
        let Some((body, mesh)) = low::mesh_of(a, b) else { return };
        let (size, reach) = (self.size, LOW_REACH * self.size);
        let mut k = before;
        while k < self.contacts.len() {
            let mut born = self.contacts[k];
            if is_loose(&born.pair, size) {
                let p_M = if body == 0 { born.pair.p_ACa } else { born.pair.p_BCb };
                let found =
                    low::vertex_near(mesh, &p_M).and_then(|vertex| low::follow((a, b), X_AB, vertex, None, size));
                if let Some((key, pair)) = found {
                    born = Contact::new(born.id, pair, key);
                    self.contacts[k] = born;
                }
            }
            let near = |other: &Contact| (other.pair.p_ACa - born.pair.p_ACa).norm() <= reach;
            let same = self.contacts[..k].iter().position(|other| (other.is_low() || born.is_low()) && near(other));
            if let Some(old) = same {
                if self.contacts[old].is_low() && !born.is_low() {
                    self.contacts[old] = Contact::new(self.contacts[old].id, born.pair, born.key);
                }
                self.contacts.remove(k);
            } else {
                k += 1;
            }
        }
    }

    /// The least gap of contacts that no search finds (m): corners, rims, faces.
    pub(super) fn known(&self) -> f64 {
        let tips = self.contacts.iter().filter(|contact| contact.key != Key::Smooth).map(|contact| contact.pair.gap);
        let strands = self.strands.contacts.iter().map(|strand| strand.gap);
        let faces = self.faces.contacts.iter().map(FaceContact::least_gap);
        tips.chain(faces).chain(strands).fold(f64::INFINITY, f64::min)
    }

    /// Local pairs of a search at this pose replace those of the last.
    fn renew_waiting(&mut self, found: Nearby, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) {
        self.motion.restart(X_AB);
        // Nothing else is nearer than what was looked for; where nothing was found, than what is proven.
        let within = self.within();
        self.seen = within.look_ahead;
        if found.pairs.is_empty() {
            self.seen = self.seen.max(found.apart - within.birth);
        }
        self.unfolds = f64::INFINITY;
        if !(found.pairs.is_empty() && self.contacts.is_empty()) {
            let X_BA = X_AB.inverse();
            let [on_A, on_B] = [(1, a, b, *X_AB), (0, b, a, X_BA)].map(|(body, ground, other, X): (usize, _, _, _)| {
                let has_flats = !self.tips[body].is_empty() || matches!(other, Shape::Mesh(_));
                if has_flats { unfolding(ground, other, &X, self.size) } else { f64::INFINITY }
            });
            self.unfolds = on_A.min(on_B);
            self.seen = self.seen.min(self.unfolds);
        }
        self.waiting.clear();
        let path = self.path;
        self.waiting.extend(found.pairs.into_iter().map(|pair| Waiting { pair, touch: path + pair.gap }));
    }

    /// Makes contacts of waiting pairs that are near enough and new; drops those that are contacts already.
    pub(super) fn admit(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> usize {
        let before = self.contacts.len();
        let (ContactLimits { birth, merge, .. }, path) = (self.within(), self.path);
        if self.strands.edges {
            let near = self.near();
            for waiting in self.waiting.iter().filter(|waiting| waiting.touch - birth <= path) {
                let pair = &waiting.pair;
                if !self.faces.hold(pair, merge) && !self.strands.hold(pair, X_AB) {
                    self.strands.offer((a, b), X_AB, pair, near, &mut self.next_id);
                }
            }
        }
        let tips = Held { tips: &self.tips, least: self.known(), slack: EXPLAINED * self.size };
        let (contacts, next_id, faces, strands) = (&mut self.contacts, &mut self.next_id, &self.faces, &self.strands);
        self.waiting.retain(|waiting| {
            // Not looked at in this update: still above birth.
            if waiting.touch - birth > path {
                return true;
            }
            let pair = &waiting.pair;
            if contacts.iter().any(|c| (c.pair.p_ACa - pair.p_ACa).norm() <= merge) {
                return false;
            }
            if pair.gap > birth || faces.hold(pair, merge) || strands.hold(pair, X_AB) || tips.hold(pair, X_AB) {
                return true;
            }
            contacts.push(Contact::new(*next_id, *pair, Key::Smooth));
            *next_id += 1;
            false
        });
        contacts.len() - before
    }
}

/// Whether a body on a ground has no place but its corners: a hull over a plane. It is the hull of the balls at its corners,
/// so that the lowest of them is its lowest point, and all lower than some height are ends of what is that low.
fn is_all_corners(ground: &Shape, body: &Shape) -> bool {
    let Shape::Mesh(mesh) = body else { return false };
    matches!(ground, Shape::HalfSpace(_))
        && mesh.polyhedron().is_some_and(|hull| hull.is_hull())
        && !Tips::of(body).is_empty()
}

/// What corners and rims stand for.
pub(super) struct Held<'a> {
    pub tips: &'a [Tips; 2],
    /// The least gap of those that stand, and of faces (m).
    pub least: f64,
    /// Depths that differ by less are explained by each other (m).
    pub slack: f64,
}

impl Held<'_> {
    /// Whether corners and rims stand for a pair of smooth places: one of a line or an area of equally close points that
    /// has an end as near, or on a ring that lies flat. A line whose ends hang over is a place of its own.
    pub fn hold(&self, pair: &ClosestPair, X_AB: &Isometry3<f64>) -> bool {
        if self.least > pair.gap + self.slack || self.tips.iter().all(Tips::is_empty) {
            return false;
        }
        let down_B = X_AB.rotation.inverse() * -pair.nhat_AB_A;
        let [on_A, on_B] = self.tips;
        !pair.is_isolated() || on_A.hold(&pair.p_ACa, &pair.nhat_AB_A) || on_B.hold(&pair.p_BCb, &down_B)
    }
}

/// How far a body with edges and flats may move on a height, some part of it being near, before a place may have come away
/// from a corner by 1e-4 of its size (m); infinite where the ground does not bulge by that under it.
///
/// A bulge of curvature c under an edge has no least gap of its own while the edge is steeper than the bulge: the corner is
/// nearest. As the edge turns by θ beyond that, the least gap leaves the corner and is lower than it by θ²/(2c). No search
/// before could list it. Curvature is looked at on a lattice under the body; a bulge between its places is narrower than the
/// body and has a least gap of its own at most attitudes.
fn unfolding(ground: &Shape, body: &Shape, X_GB: &Isometry3<f64>, size: f64) -> f64 {
    const PLACES: i32 = 4;
    let (middle, reach) = (X_GB * body.bounds().centre(), body.bounds().radius());
    let mut bulge = 0.0_f64;
    for i in -PLACES..=PLACES {
        for j in -PLACES..=PLACES {
            let at = |c: f64, k: i32| c + reach * f64::from(k) / f64::from(PLACES);
            let (x, y) = (at(middle.x, i), at(middle.y, j));
            let jet = match ground {
                Shape::Elevation(map) => map.jet(x, y),
                Shape::Graph(graph) => HeightFunction::jet(graph, x, y),
                _ => return f64::INFINITY,
            };
            let Ok(jet) = jet else { continue };
            // The least eigenvalue of the second derivatives.
            let (mean, off) = (0.5 * (jet.zxx + jet.zyy), (0.5 * (jet.zxx - jet.zyy)).hypot(jet.zxy));
            bulge = bulge.max(off - mean);
        }
    }
    let most = 1e-4 * size;
    if 0.5 * bulge * size * size <= most { f64::INFINITY } else { size * (2.0 * bulge * most).sqrt() }
}
