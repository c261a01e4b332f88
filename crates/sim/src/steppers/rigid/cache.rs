//! # Constraint cache: contact points that are found anew only where bodies have moved
//!
//! state ──▶ **here** ──(points with their gaps, inverse masses)──▶ `step`, `project`
//!
//! - **in**: a state, with the poses that its places belong to ([`RigidMemory::linearised_at`])
//! - **out**: [`ConstraintCache::points`] with gaps as they are now, [`ConstraintCache::inverse`]; places and poses of what was found anew
//! - **not here**: how a point is made of a place (`constraint`)
//! - **assumes**: the list of contacts changes only where `RigidMemory::linearised_at` is emptied, and between calls of the stepper
//!   ([`ConstraintCache::check`])
//! - **start at** [`ConstraintCache::find`]
//!
//! A point depends on the poses of two bodies. Its normal, with A and B the curvatures and M = A + B + gap A B, turns by no more than
//!
//! ```text
//! (1 + |A||M⁻¹|) turn + |A||M⁻¹||B| way,     its point moves over the bodies by  |M⁻¹| (turn + |B| way)
//! ```
//!
//! where bodies have moved and turned by way and turn. As long as both, the second over the size of the bodies, add up to less than
//! [`Rigid::keep`](super::Rigid::keep), rows stay as they are and the gap changes by its row times the motion: exact
//! but for keep · way. Motion is counted from the pose at which the place was found, so that nothing adds up. Rows that are off
//! by `keep` leave velocities off by keep · (speed + Σ|f|/mass).
//!
//! All of it follows from the state: places belong to the poses `RigidMemory::linearised_at`, and points follow from these.

use super::RigidReport;
use super::constraint::{ContactPoint, make};
use crate::contacts::NearPair;
use crate::contacts::place::Way;
use crate::coordinates::inertia::answer;
use crate::model::Model;
use crate::model::interactions::Pair;
use crate::run::Stop;
use crate::state::{BodyState, State};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::track::{ContactSet, FaceContact};
use nalgebra::{Isometry3, Matrix6, Vector3};

/// Spots of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstraintCache {
    pub points: Vec<ContactPoint>,
    /// Inverse masses of all bodies, at the poses of the points.
    pub inverse: Vec<Matrix6<f64>>,
    /// Counts up where points are no longer the same ones.
    pub generation: u64,
    /// First point of each contact, one more at the end.
    firsts: Vec<usize>,
    /// Whose points these are: body and body, identity, gap where found.
    known: Vec<((usize, usize, u64), u64)>,
    /// The poses that they belong to, and those of the body frames.
    seen: Vec<Isometry3<f64>>,
    frames: Vec<Isometry3<f64>>,
    /// By body: turn and way since then; what they do to points at most; whether that is too much.
    moved: Vec<SpatialVelocity>,
    gains: Vec<[f64; 2]>,
    stale: Vec<bool>,
    /// Near pair of each contact, as last found.
    nears: Vec<usize>,
    spare: Vec<ContactPoint>,
    face: FaceContact,
    valid: bool,
}

impl ConstraintCache {
    /// Whether this still belongs to a state, which others may have changed; if not, points are made again.
    pub fn check(&mut self, state: &State) {
        let gap = |at: &crate::state::ContactState| at.place.pair().map_or(0, |pair| pair.gap.to_bits());
        self.valid = self.valid
            && self.seen == state.rigid.linearised_at
            && self.known.len() == state.contacts.len()
            && self.known.iter().zip(&state.contacts).all(|(known, at)| *known == (at.order(), gap(at)));
    }

    /// How a link answers to forces at its centre of mass.
    pub fn set_inverse(&mut self, body: usize, count: usize, inverse: Matrix6<f64>) {
        self.inverse.resize(count, Matrix6::zeros());
        self.inverse[body] = inverse;
    }

    /// Where the rows of a body are told: its centre of mass as the points were found.
    pub fn centre(&self, body: usize) -> Vector3<f64> {
        self.seen[body].translation.vector
    }

    /// Spots of a state as it is now.
    pub fn find(&mut self, model: &Model, state: &mut State, keep: f64, report: &mut RigidReport) -> Result<(), Stop> {
        let found = self.look(model, state, keep, report);
        if found.is_err() {
            // Some places are at other poses than told.
            state.rigid.linearised_at.clear();
            self.valid = false;
        }
        found
    }

    fn look(&mut self, model: &Model, state: &mut State, keep: f64, report: &mut RigidReport) -> Result<(), Stop> {
        let count = state.bodies.len();
        let told = state.rigid.linearised_at.len() == count;
        self.stale.clear();
        self.stale.resize(count, !told);
        if !told {
            state.rigid.linearised_at.clear();
            state.rigid.linearised_at.extend(state.bodies.iter().map(|body| body.X_WBcm));
            self.take(model, state);
            self.update_contacts(model, state, true)?;
            report.found += self.points.len() as u64;
            return Ok(());
        }
        if !self.valid {
            self.take(model, state);
            self.update_contacts(model, state, false)?;
        }
        let mut any = false;
        for (i, now) in state.bodies.iter().enumerate() {
            let moved = moved(&self.seen[i], now);
            let [by_turn, by_way] = self.gains[i];
            if by_turn == 0.0 && by_way == 0.0 {
                continue;
            }
            let turned = moved.w.norm() * by_turn + moved.v.norm() * by_way;
            // Numbers that are not finite are looked at.
            let stays = turned < 0.5 * keep;
            self.moved[i] = moved;
            if !stays {
                (self.stale[i], any) = (true, true);
                (self.seen[i], state.rigid.linearised_at[i]) = (now.X_WBcm, now.X_WBcm);
                self.moved[i] = SpatialVelocity::zero();
                self.put(model, i, now, state.time);
            }
        }
        let found = if any { self.renew_stale(model, state)? } else { 0 };
        for point in &mut self.points {
            let [a, b] = point.bodies;
            point.gap = point.found + (point.rate(0, &self.moved[a]) + point.rate(1, &self.moved[b]));
        }
        report.found += found;
        report.kept += self.points.len() as u64 - found;
        Ok(())
    }

    /// Goes to the poses of a state.
    fn take(&mut self, model: &Model, state: &State) {
        let count = state.bodies.len();
        self.seen.clone_from(&state.rigid.linearised_at);
        self.frames.resize(count, Isometry3::identity());
        self.inverse.resize(count, Matrix6::zeros());
        self.gains.resize(count, [0.0; 2]);
        self.moved.clear();
        self.moved.resize(count, SpatialVelocity::zero());
        for i in 0..count {
            let now = BodyState { X_WBcm: self.seen[i], ..state.bodies[i] };
            self.put(model, i, &now, state.time);
        }
    }

    fn put(&mut self, model: &Model, body: usize, now: &BodyState, time: f64) {
        self.frames[body] = model.frame(body, &now.X_WBcm);
        // Trees tell those of their links.
        if !model.bodies()[body].mobility.is_link() {
            self.inverse[body] = answer(model, body, now, time).inverse_mass;
        }
    }

    /// All points; places are followed to the poses, or are there.
    fn update_contacts(&mut self, model: &Model, state: &mut State, follow: bool) -> Result<(), Stop> {
        self.valid = false;
        self.points.clear();
        self.firsts.clear();
        self.nears.resize(state.contacts.len(), 0);
        for contact in 0..state.contacts.len() {
            self.firsts.push(self.points.len());
            self.add(model, state, contact, follow)?;
        }
        self.firsts.push(self.points.len());
        self.settle(model, state);
        Ok(())
    }

    /// Spots of the bodies that have moved; how many.
    fn renew_stale(&mut self, model: &Model, state: &mut State) -> Result<u64, Stop> {
        self.valid = false;
        let mut count = 0;
        // Faces may come to have other corners: then all behind them move.
        std::mem::swap(&mut self.points, &mut self.spare);
        self.points.clear();
        for contact in 0..state.contacts.len() {
            let (first, last) = (self.firsts[contact], self.firsts[contact + 1]);
            self.firsts[contact] = self.points.len();
            let Pair { a, b, .. } = state.contacts[contact].pair;
            if self.stale[a.0] || self.stale[b.0] {
                self.add(model, state, contact, true)?;
                count += (self.points.len() - self.firsts[contact]) as u64;
            } else {
                self.points.extend_from_slice(&self.spare[first..last]);
            }
        }
        self.firsts[state.contacts.len()] = self.points.len();
        self.settle(model, state);
        Ok(count)
    }

    fn add(&mut self, model: &Model, state: &mut State, contact: usize, follow: bool) -> Result<(), Stop> {
        let State { contacts, near, .. } = state;
        let at = &mut contacts[contact];
        let set = set_of(near, &at.pair, &mut self.nears[contact]);
        let Self { points, inverse, frames, seen, face, .. } = self;
        let way = make(model, (contact, at), set, frames, seen, inverse, follow, face, points)?;
        if let (Way::Lost, Some(near)) = (way, near.get_mut(self.nears[contact])) {
            near.forget();
        }
        Ok(())
    }

    /// Whose points these are, and what motion does to them at most.
    fn settle(&mut self, model: &Model, state: &State) {
        self.generation += 1;
        self.known.clear();
        self.known
            .extend(state.contacts.iter().map(|at| (at.order(), at.place.pair().map_or(0, |pair| pair.gap.to_bits()))));
        // Inverse masses turn with the bodies.
        // Those of links do too, but trees tell them: what a link is near to alone asks where it is.
        for (gains, body) in self.gains.iter_mut().zip(model.bodies()) {
            let turns = body.mobility.is_moved_by_forces() && !body.mobility.is_link();
            *gains = [f64::from(u8::from(turns)), 0.0];
        }
        for body in state.contacts.iter().flat_map(|at| [at.pair.a.0, at.pair.b.0]) {
            self.gains[body][0] = f64::from(u8::from(model.bodies()[body].mobility.is_moved_by_forces()));
        }
        for point in &self.points {
            for body in point.bodies {
                let gains = &mut self.gains[body];
                (0..2).for_each(|k| gains[k] = gains[k].max(point.gains[k]));
            }
        }
        self.valid = true;
    }
}

/// The places of a pair, where there may be several; both lists are in order of the bodies.
fn set_of<'a>(near: &'a [NearPair], pair: &Pair, last: &mut usize) -> Option<&'a ContactSet> {
    let order = pair.order();
    if near.get(*last).is_none_or(|near| near.order() != order) {
        *last = near.binary_search_by_key(&order, NearPair::order).ok()?;
    }
    near[*last].set()
}

/// Turn and way from a pose to where a body is now.
fn moved(from: &Isometry3<f64>, now: &BodyState) -> SpatialVelocity {
    let to = &now.X_WBcm;
    if from == to {
        return SpatialVelocity::zero();
    }
    let turn = to.rotation * from.rotation.inverse();
    let half = if turn.w < 0.0 { -turn.imag() } else { turn.imag() };
    SpatialVelocity::new(half * 2.0, to.translation.vector - from.translation.vector)
}
