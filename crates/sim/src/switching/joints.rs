//! # Trees of joints among the columns of a step
//!
//! - **in**: trees at the start of a step and at the end that fixed steps made of it
//! - **out**: their numbers to be extrapolated, and back; their errors; what their limits and dry friction do
//! - **not here**: bodies, contacts, the extrapolation (`columns`)
//! - **start at** [`pack`], then [`unpack`]

use crate::coordinates::{Base, Frame, Mass, TreeState, TreeSums};
use crate::model::Model;
use crate::model::trees::ModelTree;
use crate::state::State;

/// Sums of a tree.
const SUMS: usize = 8;
/// Nearer to a limit than this (rad or m) a joint lies on it; slower than this (rad/s or m/s) it rests.
const ON: f64 = 1e-10;

/// Numbers of all trees.
fn numbers(made: &ModelTree) -> usize {
    2 * made.tree.nv() + SUMS
}

/// Stands for a body in modes of trees.
const OF_TREES: usize = usize::MAX;

/// Which contact, limit or friction, and what it does.
pub(super) type Mode = (usize, usize, u64, u8);

/// Scratch of a tree, and how fast its joints may answer.
#[derive(Clone, Debug)]
pub(super) struct Room {
    frame: Frame,
    mass: Mass,
    /// By column, what velocities are measured by: how often in a second it does what it does (1/s).
    rates: Vec<f64>,
}

/// Looks at the trees at the start of a step.
///
/// An error of a velocity counts by the way that it leads to: until the joint moves otherwise, until its damper has taken it away
/// (in I/d) or its spring has turned it (in √(I/k)).
pub(super) fn begin(model: &Model, start: &State, rooms: &mut Vec<Room>) {
    if rooms.len() != model.trees().len() {
        let room = |made: &ModelTree| Room {
            frame: Frame::new(&made.tree),
            mass: Mass::new(&made.tree),
            rates: vec![0.0; made.tree.nv()],
        };
        rooms.clear();
        rooms.extend(model.trees().iter().map(room));
    }
    for ((made, from), room) in model.trees().iter().zip(&start.trees).zip(rooms) {
        let tree = &made.tree;
        room.frame.place(tree, &from.q, &Base::default());
        room.mass.compute(tree, &room.frame);
        let size = size_of(model, made);
        // Turns per time of the fastest, of a fall over the size, and something where nothing moves.
        let mut turning = (model.gravity_W().norm() / size).sqrt().max(1e-3);
        for k in 0..tree.nv() {
            turning = turning.max(from.v[k].abs() / if tree.turns(k) { 1.0 } else { size });
        }
        let Room { mass, rates, .. } = room;
        let rate = |k: usize, stiffness: f64, damping: f64| {
            let own = 1.0 / mass.diagonal(tree, k);
            (damping * own).max((stiffness * own).sqrt())
        };
        for (k, to) in rates.iter_mut().enumerate() {
            let law = tree.law(k);
            *to = turning.max(rate(k, law.spring.map_or(0.0, |spring| spring.stiffness), law.damping));
        }
        for placed in &made.drives {
            let gains = model.drives()[placed.drive].gains(&start.drives[placed.drive], start.time);
            for term in &placed.terms {
                let (k, squared) = (term.column as usize, term.share * term.share);
                rates[k] = rates[k].max(rate(k, squared * gains.stiffness, squared * gains.damping));
            }
        }
    }
}

/// The radius of the largest link (m).
fn size_of(model: &Model, made: &ModelTree) -> f64 {
    let radius = |id: &crate::BodyId| Some(model.extents()[id.0].radius).filter(|r| r.is_finite());
    let size = made.bodies.iter().filter_map(radius).fold(0.0, f64::max);
    if size > 0.0 { size } else { 1.0 }
}

/// Adds increments since the start, velocities and sums.
pub(super) fn pack(model: &Model, start: &State, end: &State, y: &mut Vec<f64>) {
    for ((made, from), now) in model.trees().iter().zip(&start.trees).zip(&end.trees) {
        let (at, n) = (y.len(), made.tree.nv());
        y.resize(at + n, 0.0);
        made.tree.drifted(&from.q, &now.q, &mut y[at..]);
        y.extend_from_slice(&now.v);
        let TreeSums { E_joint, E_drive, E_limit, W_drive, E_inertia, E_project, E_num, E_geo } = now.sums;
        y.extend([E_joint, E_drive, E_limit, W_drive, E_inertia, E_project, E_num, E_geo]);
    }
}

/// Writes the numbers of trees; links follow. Joints that limits and friction hold in the last column are held.
pub(super) fn unpack(model: &Model, start: &State, end: &mut State, mut y: &[f64], modes: &[Mode], rooms: &mut [Room]) {
    let State { trees, bodies, .. } = end;
    let first = modes.iter().position(|mode| mode.0 == OF_TREES).unwrap_or(modes.len());
    let mut modes = modes[first..].iter();
    for (t, ((made, from), now)) in model.trees().iter().zip(&start.trees).zip(trees).enumerate() {
        let (own, rest) = y.split_at(numbers(made));
        y = rest;
        let (tree, n) = (&made.tree, made.tree.nv());
        tree.drift(&from.q, &own[..n], &mut now.q);
        tree.normalise(&mut now.q);
        now.v.copy_from_slice(&own[n..2 * n]);
        for (k, (.., held)) in modes.by_ref().take(n).enumerate() {
            if held & RESTS != 0 {
                now.v[k] = 0.0;
            }
            if let (Some(at), Some([low, high])) = (tree.scalar_q(k), tree.law(k).limit) {
                now.q[at] = match held & !RESTS {
                    LOW => low,
                    HIGH => high,
                    _ => now.q[at].clamp(low, high),
                };
            }
        }
        let s = &own[2 * n..];
        now.sums = TreeSums {
            E_joint: s[0],
            E_drive: s[1],
            E_limit: s[2],
            W_drive: s[3],
            E_inertia: s[4],
            E_project: s[5],
            E_num: s[6],
            E_geo: s[7],
        };
        let frame = &mut rooms[t].frame;
        frame.place(tree, &now.q, &Base::default());
        frame.set_velocities(tree, &now.v);
        made.write(model.bodies(), frame, |i, body| bodies[i] = body);
    }
}

const LOW: u8 = 1;
const HIGH: u8 = 2;
const RESTS: u8 = 4;

/// What the limit and the friction of a column do.
fn mode(made: &ModelTree, now: &TreeState, column: usize) -> u8 {
    let (law, Some(q)) = (made.tree.law(column), made.tree.scalar_q(column)) else { return 0 };
    let lies = match law.limit {
        Some([low, _]) if now.q[q] - low <= ON => LOW,
        Some([_, high]) if high - now.q[q] <= ON => HIGH,
        _ => 0,
    };
    let rests = law.friction_loss > 0.0 && now.v[column].abs() <= ON;
    lies | if rests { RESTS } else { 0 }
}

/// Adds what limits and friction of all trees do.
pub(super) fn list_modes(model: &Model, state: &State, modes: &mut Vec<Mode>) {
    for (t, (made, now)) in model.trees().iter().zip(&state.trees).enumerate() {
        modes.extend((0..made.tree.nv()).map(|k| (OF_TREES, t, k as u64, mode(made, now, k))));
    }
}

/// The largest error of a joint over a tolerance: of angles by one radian, of lengths by the size of the largest link, of
/// velocities by these in the time that [`begin`] has found.
pub(super) fn error(model: &Model, rooms: &[Room], tolerance: f64, mut best: &[f64], mut before: &[f64]) -> f64 {
    let mut worst = 0.0_f64;
    for (made, room) in model.trees().iter().zip(rooms) {
        let (tree, n) = (&made.tree, made.tree.nv());
        let size = size_of(model, made);
        for k in 0..n {
            let unit = if tree.turns(k) { 1.0 } else { size };
            let off = |i: usize| (best[i] - before[i]).abs();
            let error = (off(k) / (tolerance * unit)).max(off(n + k) / (tolerance * unit * room.rates[k]));
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
        (best, before) = (&best[numbers(made)..], &before[numbers(made)..]);
    }
    worst
}

/// Whether anything in a tree may be stiff: drives, springs, dampers.
pub(super) fn may_be_stiff(made: &ModelTree) -> bool {
    let stiff = |k: usize| made.tree.law(k).damping > 0.0 || made.tree.law(k).spring.is_some();
    !made.drives.is_empty() || !made.springs.is_empty() || (0..made.tree.nv()).any(stiff)
}

/// Each part of a column begins as the first does: what earlier steps were tells where to look first, and would make the end
/// depend on how many there were.
pub(super) fn forget(state: &mut State) {
    state.trees.iter_mut().for_each(|tree| tree.known = 0);
}
