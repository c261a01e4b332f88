//! # Sweep: pairs of bodies whose surroundings overlap
//!
//! - **in**: extents and poses
//! - **out**: pairs that are near, in order of their bodies
//! - **start at** [`BroadPhase::look`]
//!
//! Boxes in world axes, each grown by its body's room, sorted along the axis on which bodies are spread furthest, and
//! swept. A pair enters when its boxes overlap, and leaves when boxes grown by twice the room no longer do.

use super::NearPair;
use super::update::Ended;
use crate::model::Model;
use crate::state::{BodyState, ContactState};
use fingerpad_contact::track::FaceContact;
use nalgebra::{Isometry3, Point3, Vector3};

/// Scratch of the search; losing it loses nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadPhase {
    /// Poses of the body frames.
    pub frames: Vec<Isometry3<f64>>,
    boxes: Vec<(Point3<f64>, Vector3<f64>)>,
    /// Bodies with an end, in order along the axis.
    order: Vec<usize>,
    /// Pairs found: lower and higher body, and whether within one room.
    pub found: Vec<(usize, usize, bool)>,
    /// The last lists, while new ones are made.
    pub near: Vec<NearPair>,
    pub contacts: Vec<ContactState>,
    /// Contacts born pressed: index and depth (m).
    pub born: Vec<(usize, f64)>,
    /// Contacts of a pair that ended holding something.
    pub(super) ended: Vec<Ended>,
    /// Room for two faces.
    pub room: FaceContact,
}

impl BroadPhase {
    /// Scratch for this many bodies, and lists of this length.
    pub fn with_room(bodies: usize, room: usize) -> Self {
        Self {
            frames: Vec::with_capacity(bodies),
            boxes: Vec::with_capacity(bodies),
            order: Vec::with_capacity(bodies),
            found: Vec::with_capacity(4 * room),
            near: Vec::with_capacity(room),
            contacts: Vec::with_capacity(room),
            born: Vec::with_capacity(room),
            ended: Vec::with_capacity(room),
            room: FaceContact::default(),
        }
    }

    /// Poses of the body frames.
    pub fn place(&mut self, model: &Model, bodies: &[BodyState]) {
        self.frames.clear();
        self.frames.extend(bodies.iter().enumerate().map(|(i, body)| model.frame(i, &body.X_WBcm)));
    }

    /// Pairs within twice their rooms (m), into `found`; those within one room are marked.
    pub fn look(&mut self, model: &Model, bodies: &[BodyState], rooms: &[f64]) {
        let extents = model.extents();
        self.place(model, bodies);
        self.boxes.clear();
        self.boxes.extend(extents.iter().zip(&self.frames).map(|(extent, X_WB)| extent.boxed(X_WB)));
        self.order.clear();
        self.order.extend((0..extents.len()).filter(|i| extents[*i].ground.is_none() && model.bodies()[*i].touches));
        self.found.clear();
        self.sweep(model, rooms);
        self.on_grounds(model, rooms);
        self.found.sort_unstable();
    }

    /// Pairs of bodies that have an end.
    fn sweep(&mut self, model: &Model, rooms: &[f64]) {
        let boxes = &self.boxes;
        let axis = widest(self.order.iter().map(|i| &boxes[*i].0));
        let reach = |i: usize| boxes[i].1[axis] + 2.0 * rooms[i];
        let low = |i: usize| boxes[i].0[axis] - reach(i);
        self.order.sort_unstable_by(|i, j| low(*i).total_cmp(&low(*j)).then(i.cmp(j)));
        for (k, &i) in self.order.iter().enumerate() {
            let end = boxes[i].0[axis] + reach(i);
            for &j in self.order[k + 1..].iter().take_while(|j| low(**j) <= end) {
                let apart = ((boxes[j].0 - boxes[i].0).abs() - boxes[i].1 - boxes[j].1).max();
                let room = rooms[i] + rooms[j];
                if apart <= 2.0 * room && model.between(i, j).is_some() {
                    self.found.push((i.min(j), i.max(j), apart <= room));
                }
            }
        }
    }

    /// Bodies over grounds.
    fn on_grounds(&mut self, model: &Model, rooms: &[f64]) {
        let extents = model.extents();
        for (i, extent) in extents.iter().enumerate() {
            let Some(ground) = extent.ground else { continue };
            for (j, other) in extents.iter().enumerate() {
                if i == j || (other.ground.is_some() && j < i) || model.between(i, j).is_none() {
                    continue;
                }
                let apart = match other.ground {
                    Some(_) => f64::NEG_INFINITY,
                    None => ground.distance(&self.frames[i], &(self.frames[j] * other.p_BoE), other.radius),
                };
                if apart <= 2.0 * rooms[j] || apart == f64::NEG_INFINITY {
                    self.found.push((i.min(j), i.max(j), apart <= rooms[j]));
                }
            }
        }
    }
}

/// The axis on which places are spread furthest.
fn widest<'a>(places: impl Iterator<Item = &'a Point3<f64>>) -> usize {
    let far = Vector3::repeat(f64::INFINITY);
    let (low, high) = places.fold((far, -far), |(low, high), p| (low.inf(&p.coords), high.sup(&p.coords)));
    (high - low).imax()
}
