//! # Columns: one step made with 1, 2, 3 … parts, extrapolated to none
//!
//! - **in**: a state at the start of a step; what 1, 2, 3 … fixed steps made of it
//! - **out**: the state at the end, of higher order; the error of it
//! - **not here**: fixed steps (`steppers::fixed`); which length comes next (`implicit`)
//! - **assumes**: between equal lists of contacts in equal modes the end is smooth in the number of parts; where lists differ the
//!   finest column counts as it is
//! - **start at** [`Columns::extrapolate`], then [`Columns::error`], [`Columns::accept`]

use super::implicit::COLUMNS;
use super::joints::{self, Mode, Room};
use crate::model::Model;
use crate::model::body::Mobility;
use crate::run::{Event, Stop};
use crate::state::{BodyState, State};
use crate::steppers::accurate::Accurate;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Numbers of a body: position, rotation vector since the start, velocity, angular velocity.
const PER_BODY: usize = 12;
/// Numbers of a contact: x and what it has lost.
const PER_CONTACT: usize = 9;
/// Sums of a state.
const SUMS: usize = 13;

/// Scratch of a step in columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    /// The end that the last column's fixed steps came to.
    trial: Option<State>,
    /// Table of the extrapolation: the newest first.
    table: [Vec<f64>; COLUMNS],
    /// The column before, as fixed steps made it, and the last.
    plain: [Vec<f64>; 2],
    /// Which contacts the last column has, and in which modes.
    order: [Vec<Mode>; 2],
    /// Scratch of trees.
    rooms: Vec<Room>,
    /// Where numbers of trees begin in the column before and in the last: their lists of contacts may differ.
    of_trees: [usize; 2],
    /// Whether all columns so far have the same contacts.
    alike: bool,
    /// Events of the last column.
    pub events: Vec<Event>,
}

impl Columns {
    /// A step begins.
    pub fn begin(&mut self, model: &Model, start: &State) {
        self.alike = true;
        joints::begin(model, start, &mut self.rooms);
    }

    /// A copy of the start, to be carried to the end.
    pub fn trial(&mut self, start: &State) -> &mut State {
        let trial = self.trial.get_or_insert_with(|| start.clone());
        trial.clone_from(start);
        trial
    }

    /// Takes in the end that a further column came to.
    pub fn extrapolate(&mut self, model: &Model, start: &State, column: usize) {
        let Some(trial) = &self.trial else { return };
        self.plain.swap(0, 1);
        self.order.swap(0, 1);
        self.of_trees.swap(0, 1);
        pack(model, start, trial, &mut self.plain[1]);
        self.of_trees[1] = self.plain[1].len();
        joints::pack(model, start, trial, &mut self.plain[1]);
        let order = &mut self.order[1];
        order.clear();
        order.extend(trial.contacts.iter().map(|contact| {
            let (low, high, id) = contact.order();
            (low, high, id, contact.mode.code())
        }));
        joints::list_modes(model, trial, order);
        self.alike &= column == 0 || self.order[0] == self.order[1];
        self.table[column].clone_from(&self.plain[1]);
        if !self.alike {
            return;
        }
        let parts = (column + 1) as f64;
        for j in (0..column).rev() {
            let factor = 1.0 / (parts / (j + 1) as f64 - 1.0);
            let (low, high) = self.table.split_at_mut(j + 1);
            for (rough, fine) in low[j].iter_mut().zip(&high[0]) {
                *rough = fine + (fine - *rough) * factor;
            }
        }
    }

    /// The end and what it is compared with.
    fn both(&self) -> (&[f64], &[f64]) {
        if self.alike { (&self.table[0], &self.table[1]) } else { (&self.plain[1], &self.plain[0]) }
    }

    /// The largest error of a body over its tolerance: of lengths by its size, of speeds by that of its energy.
    pub fn error(&self, model: &Model, start: &State, settings: &Accurate) -> f64 {
        let (best, before) = self.both();
        let mut worst = 0.0_f64;
        for (i, place) in model.places().iter().enumerate() {
            let Some(place) = place else { continue };
            let at = PER_BODY * place;
            let off = |k: usize| {
                let three = |list: &[f64]| Vector3::from_column_slice(&list[at + k..][..3]);
                (three(best) - three(before)).norm()
            };
            let size = model.extents()[i].radius;
            let size = if size.is_finite() { size } else { 1.0 };
            let now = &start.bodies[i].V_WBcm;
            let fall = (model.gravity_W().norm() * size).sqrt();
            let speed = now.v.norm().max(size * now.w.norm()).max(fall).max(1e-3 * size);
            let tolerance = settings.relative.max(10.0 * settings.absolute);
            let lengths = off(0).max(size * off(3)) / (tolerance * size);
            let speeds = off(6).max(size * off(9)) / (tolerance * speed);
            let error = lengths.max(speeds);
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
        let [of_before, of_best] = self.of_trees;
        let tolerance = settings.relative.max(10.0 * settings.absolute);
        worst.max(joints::error(model, &self.rooms, tolerance, &best[of_best..], &before[of_before..]))
    }

    /// The largest error in the position of a body (m).
    pub fn position_error(&self, model: &Model) -> f64 {
        let (best, before) = self.both();
        let of = |place: usize| {
            let k = PER_BODY * place;
            (0..3).map(|i| (best[k + i] - before[k + i]).powi(2)).sum::<f64>().sqrt()
        };
        (0..model.free_count()).map(of).fold(0.0, f64::max)
    }

    /// Writes the end into the state: extrapolated where columns are alike and the error is within tolerance.
    pub fn accept(&mut self, model: &Model, state: &mut State, column: usize, good: bool) -> Result<(), Stop> {
        let Some(trial) = &mut self.trial else { return Ok(()) };
        let kept = state.accurate;
        std::mem::swap(state, trial);
        state.accurate = kept;
        joints::forget(state);
        if !(self.alike && good) || column == 0 {
            return Ok(());
        }
        // The start of the step is in `trial` now.
        unpack(model, trial, state, &self.table[0]);
        joints::unpack(model, trial, state, &self.table[0][self.of_trees[1]..], &self.order[1], &mut self.rooms);
        settle(model, state)
    }
}

/// Numbers of a state; rotations are those since the start.
fn pack(model: &Model, start: &State, end: &State, y: &mut Vec<f64>) {
    y.clear();
    y.resize(PER_BODY * model.free_count(), 0.0);
    for (i, place) in model.places().iter().enumerate() {
        let Some(place) = place else { continue };
        let part = &mut y[PER_BODY * place..][..PER_BODY];
        let (from, BodyState { X_WBcm, V_WBcm }) = (&start.bodies[i].X_WBcm, &end.bodies[i]);
        part[..3].copy_from_slice(X_WBcm.translation.vector.as_slice());
        let turned = (X_WBcm.rotation * from.rotation.inverse()).scaled_axis();
        part[3..6].copy_from_slice(turned.as_slice());
        part[6..9].copy_from_slice(V_WBcm.v.as_slice());
        part[9..].copy_from_slice(V_WBcm.w.as_slice());
    }
    for contact in &end.contacts {
        y.extend_from_slice(contact.memory.x_W.as_slice());
        y.extend_from_slice(&[
            contact.memory.x_theta,
            contact.E_visc,
            contact.E_slip,
            contact.E_release,
            contact.stored,
            contact.slid,
        ]);
    }
    let (spent, sums) = (&end.spent, &end.fixed.sums);
    y.extend_from_slice(&[
        end.W_injected,
        sums.E_num_v,
        sums.E_num_n,
        sums.E_num_t,
        sums.E_geo,
        sums.E_solver,
        spent.E_visc,
        spent.E_slip,
        spent.E_release,
        spent.E_num,
        spent.E_painleve,
        spent.modulation,
        spent.slid,
    ]);
}

/// Writes numbers into a state whose contacts they belong to.
fn unpack(model: &Model, start: &State, end: &mut State, y: &[f64]) {
    for (i, place) in model.places().iter().enumerate() {
        let Some(place) = place else { continue };
        let part = &y[PER_BODY * place..][..PER_BODY];
        let three = |k: usize| Vector3::new(part[k], part[k + 1], part[k + 2]);
        let rotation = UnitQuaternion::from_scaled_axis(three(3)) * start.bodies[i].X_WBcm.rotation;
        let now = BodyState {
            X_WBcm: Isometry3::from_parts(
                Translation3::from(three(0)),
                UnitQuaternion::new_normalize(rotation.into_inner()),
            ),
            V_WBcm: SpatialVelocity::new(three(9), three(6)),
        };
        end.bodies[i] = match &model.bodies()[i].mobility {
            Mobility::Restricted(restriction) => restriction.keep(&model.bodies()[i], &now),
            _ => now,
        };
    }
    let first = PER_BODY * model.free_count();
    for (i, contact) in end.contacts.iter_mut().enumerate() {
        let part = &y[first + PER_CONTACT * i..][..PER_CONTACT];
        let (x, n) = (Vector3::from_column_slice(&part[..3]), &contact.memory.nhat_W);
        contact.memory.x_W = x - n * n.dot(&x);
        contact.memory.x_theta = part[3];
        (contact.E_visc, contact.E_slip, contact.E_release) = (part[4], part[5], part[6]);
        (contact.stored, contact.slid) = (part[7], part[8]);
    }
    let last = &y[first + PER_CONTACT * end.contacts.len()..][..SUMS];
    end.W_injected = last[0];
    let sums = &mut end.fixed.sums;
    (sums.E_num_v, sums.E_num_n, sums.E_num_t) = (last[1], last[2], last[3]);
    (sums.E_geo, sums.E_solver) = (last[4], last[5]);
    let spent = &mut end.spent;
    (spent.E_visc, spent.E_slip, spent.E_release) = (last[6], last[7], last[8]);
    (spent.E_num, spent.E_painleve, spent.modulation, spent.slid) = (last[9], last[10], last[11], last[12]);
}

/// Brings the places of all contacts to the poses of the state, for a stepper that takes over.
pub(super) fn settle(model: &Model, state: &mut State) -> Result<(), Stop> {
    let State { contacts, near, bodies, fixed, .. } = state;
    fixed.linearised_at.clear();
    for contact in contacts.iter_mut() {
        (contact.fixed.far, contact.fixed.led) = (0.0, (0.0, 0.0));
        let order = contact.pair.order();
        let set = near.binary_search_by_key(&order, |pair| pair.order()).ok().and_then(|i| near[i].set());
        let [a, b] = [contact.pair.a.0, contact.pair.b.0];
        let X_AB = model.frame(a, &bodies[a].X_WBcm).inv_mul(&model.frame(b, &bodies[b].X_WBcm));
        let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
        let stop = |error| Stop::Track { pair: contact.pair, error };
        contact.place.follow_points(set, shapes, &X_AB).map_err(stop)?;
    }
    Ok(())
}
