//! # Moving apart: overlap taken away from places, with no velocity
//!
//! - **in**: a state whose bodies have moved, inverse masses
//! - **out**: the same with bodies moved along the normals by the least motion, mass-weighted; what gravity says to it
//! - **start at** [`apart`]
//!
//! ```text
//! least ½ Δᵀ M Δ   with   gap + Jn Δ ≥ 0:     Δ = W Jnᵀ p,   0 ≤ p ⊥ gap + Jn Δ ≥ 0
//! ```
//!
//! a cone problem without friction. Corrections through velocities (Baumgarte) would shoot out what overlaps.

use super::cache::ConstraintCache;
use super::constraint::ContactPoint;
use super::step::{Scratch, settle};
use super::{Rigid, RigidReport};
use crate::energy::kinetic;
use crate::model::Model;
use crate::model::body::Mobility;
use crate::run::Stop;
use crate::state::State;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_solve::cone::ConeOptions;
use nalgebra::UnitQuaternion;

/// Overlap (m) that is left, or moved far for, only where bodies are held from several sides.
const HELD: f64 = 1e-6;
/// Moves of this many times the overlap, per body of the island, are far.
const FAR: f64 = 30.0;

/// Moves apart what overlaps by more than the slop.
pub(super) fn apart(
    settings: &Rigid,
    model: &Model,
    state: &mut State,
    room: &mut Scratch,
    report: &mut RigidReport,
) -> Result<(), Stop> {
    room.cache.find(model, state, settings.keep, report)?;
    let Scratch { cache, islands, shifts, trees, links, .. } = room;
    let ConstraintCache { points, inverse, .. } = &*cache;
    let deepest = points.iter().map(|point| -point.gap).fold(0.0, f64::max);
    report.penetration = report.penetration.max(deepest);
    if deepest <= settings.slop {
        return Ok(());
    }
    for (tree, (made, now)) in trees.list.iter_mut().zip(model.trees().iter().zip(&state.trees)) {
        tree.begin_places(made, now, state.time, deepest);
    }
    shifts.clear();
    shifts.resize(state.bodies.len(), SpatialVelocity::zero());
    islands.group(model, cache, |point| point.gap < 4.0 * deepest);
    let mut at = 0;
    while let Some(island) = islands.next(at) {
        at = island.end;
        if islands.members(&island).all(|k| points[k].gap >= -settings.slop) {
            continue;
        }
        let gap = |point: &ContactPoint| [point.gap, 0.0, 0.0, 0.0];
        islands.set_up(model, points, inverse, &island, (trees, 1.0, true), |body| cache.centre(body), gap);
        islands.impulses.clear();
        let (left, solved) =
            islands.to(ConeOptions { tolerance: 0.1 * settings.slop, ..settings.options }, 0.1 * settings.slop, report);
        report.unprojected += u64::from(!solved);
        islands.push(points, inverse, links, &island, shifts);
        // Whatever overlaps can be moved apart, unless it is held from several sides by bodies that do not give way. What is
        // held so from sides nearly opposite is moved far.
        let far = shifts_of(islands.bodies.iter(), shifts) > FAR * islands.bodies.len() as f64 * deepest;
        let held = islands.members(&island).any(|k| {
            points[k].bodies.iter().any(|body| matches!(model.bodies()[*body].mobility, Mobility::Prescribed(_)))
        });
        // Joints give way in their own coordinates, in which the residual of an island with a tree is not a length.
        if islands.trees.is_empty() && (!solved && left > HELD || held && far && deepest > HELD) {
            let overlap = |k: &usize| -points[*k].gap;
            let k = islands.members(&island).max_by(|i, j| overlap(i).total_cmp(&overlap(j)));
            if let Some(point) = k.map(|k| &points[k]) {
                let pair = state.contacts[point.contact].pair;
                return Err(Stop::Squeezed { pair, p_W: point.p_W.into(), overlap: -point.gap });
            }
        }
        islands.respond(model, trees, true);
        for (tree, _) in &islands.trees {
            let (made, now, time) = (&model.trees()[*tree], &mut state.trees[*tree], state.time);
            let bodies = &mut state.bodies;
            let taken = trees.list[*tree].shift(made, model.bodies(), now, time, |i, body| bodies[i] = body);
            report.projected -= taken;
            state.spent.E_num += taken;
        }
    }
    for (i, body) in model.bodies().iter().enumerate() {
        let shift = &shifts[i];
        if *shift == SpatialVelocity::zero() {
            continue;
        }
        let now = &mut state.bodies[i];
        let (before, place) = (kinetic(body, now), now.X_WBcm.translation.vector);
        let turn = UnitQuaternion::from_scaled_axis(shift.w);
        now.X_WBcm.translation.vector += shift.v;
        settle(body, now, turn);
        if let Mobility::Restricted(restriction) = &body.mobility {
            *now = restriction.keep(body, now);
        }
        let lifted = -body.mass * model.gravity_W().dot(&(now.X_WBcm.translation.vector - place));
        report.projected += lifted;
        state.spent.E_num -= lifted + kinetic(body, now) - before;
    }
    Ok(())
}

/// Largest way of some bodies (m).
fn shifts_of<'a>(bodies: impl Iterator<Item = &'a usize>, shifts: &[SpatialVelocity]) -> f64 {
    bodies.map(|body| shifts[*body].v.norm()).fold(0.0, f64::max)
}
