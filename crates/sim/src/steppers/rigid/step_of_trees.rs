//! # Trees in the step of rigid contacts
//!
//! - **in**: the step's scratch, a state, trees of the model
//! - **out**: velocities of links beside those of bodies; trees moved on
//! - **not here**: one tree (`trees`); the order of the step (`step`)
//! - **start at** [`Scratch::begin_trees`]

use super::constraint::ContactPoint;
use super::islands::Islands;
use super::step::{Scratch, middle};
use super::trees::Of;
use super::{Rigid, RigidReport};
use crate::model::Model;
use crate::model::body::Mobility;
use crate::run::Stop;
use crate::state::State;
use fingerpad_contact::spatial::SpatialVelocity;

impl Scratch {
    /// Trees at the start of a step, and how their links answer to forces.
    pub(super) fn begin_trees(&mut self, model: &Model, state: &State) -> Result<(), Stop> {
        let count = model.bodies().len();
        self.links.clear();
        self.links.extend(model.bodies().iter().map(|body| body.mobility.is_link()));
        self.thetas.clear();
        self.thetas.resize(count, 0.5);
        self.trees.ready(model);
        // Links that nothing comes near need not answer; all of them do so once.
        let new = self.cache.inverse.len() != count;
        self.near.clear();
        self.near.resize(count, new);
        for near in &state.near {
            (self.near[near.pair.a.0], self.near[near.pair.b.0]) = (true, true);
        }
        let Self { trees, cache, near, .. } = self;
        for (step, (made, now)) in trees.list.iter_mut().zip(model.trees().iter().zip(&state.trees)) {
            step.begin(made, now, near, |body, inverse| cache.set_inverse(body, count, inverse))?;
        }
        Ok(())
    }

    /// Velocities of links without impulses.
    pub(super) fn fall_trees(&mut self, model: &Model, state: &State, h: f64) -> Result<(), Stop> {
        let Self { trees, loads, before, after, speeds, .. } = self;
        for (step, (made, now)) in trees.list.iter_mut().zip(model.trees().iter().zip(&state.trees)) {
            step.refer(model, made, state, now, h);
            step.fall(made, model.bodies(), now, (state.time, h), |body| loads[body])?;
            step.velocities(made, Of::Start, |body, V| before[body] = V);
            step.velocities(made, Of::Free, |body, V| after[body] = V);
            for (link, id) in made.bodies.iter().enumerate() {
                if made.tree.ride(link).node.is_none() {
                    continue;
                }
                let extent = &model.extents()[id.0];
                speeds[id.0] = [extent.speed(&before[id.0]), extent.speed(&after[id.0])];
                self.thetas[id.0] = step.share;
            }
        }
        Ok(())
    }

    /// Velocities of the trees of the problem at hand under its impulses.
    pub(super) fn act_on_trees(&mut self, model: &Model, islands: &mut Islands) {
        if islands.trees.is_empty() {
            return;
        }
        islands.respond(model, &mut self.trees, false);
        let mut after = std::mem::take(&mut self.after);
        self.velocities_of_links(model, islands, &mut after);
        self.after = after;
        // Bodies that touch a tree move on as it does.
        let theta = islands.trees.iter().map(|(tree, _)| self.trees.list[*tree].share).fold(0.5, f64::max);
        islands.bodies.iter().for_each(|body| self.thetas[*body] = theta);
    }

    /// Velocities of links from those of the joints after the step.
    pub(super) fn velocities_of_links(&mut self, model: &Model, islands: &Islands, after: &mut [SpatialVelocity]) {
        for (tree, _) in &islands.trees {
            self.trees.list[*tree].velocities(&model.trees()[*tree], Of::End, |body, V| after[body] = V);
        }
    }

    /// Trees that touch nothing, but have rows of their own.
    pub(super) fn solve_lone_trees(
        &mut self,
        settings: &Rigid,
        model: &Model,
        h: f64,
        islands: &mut Islands,
        report: &mut RigidReport,
    ) {
        for tree in 0..model.trees().len() {
            let touches = islands.all().any(|k| {
                let of = |i: usize| model.bodies()[i].mobility;
                self.cache.points[k]
                    .bodies
                    .into_iter()
                    .any(|i| matches!(of(i), Mobility::Link { tree: t, .. } if t == tree))
            });
            if touches || self.trees.list[tree].rows.is_empty() {
                continue;
            }
            let (made, step) = (&model.trees()[tree], &mut self.trees.list[tree]);
            if step.solve_alone(made, h) {
                let after = &mut self.after;
                step.velocities(made, Of::End, |body, V| after[body] = V);
                report.solves += 1;
                continue;
            }
            islands.set_up_alone(model, tree, (&mut self.trees, h));
            islands.impulses.clear();
            islands.start_joints(&self.trees);
            let (residual, solved) = islands.by_cone(settings.options, report);
            report.solves += 1;
            report.residual = if residual.is_nan() { f64::NAN } else { report.residual.max(residual) };
            report.unsolved += u64::from(!solved);
            self.act_on_trees(model, islands);
        }
    }

    /// Mean velocity over the step: halfway, or nearer to its end where stiff joints ask for it.
    pub(super) fn mean(&self, body: usize) -> SpatialVelocity {
        let (before, after, theta) = (&self.before[body], &self.after[body], self.thetas[body]);
        if theta == 0.5 {
            return middle(before, after);
        }
        SpatialVelocity::new(before.w + (after.w - before.w) * theta, before.v + (after.v - before.v) * theta)
    }

    /// θ′ of the bodies of a point.
    pub(super) fn theta_of(&self, point: &ContactPoint) -> f64 {
        let of = |i: usize| if self.moves[i] { self.thetas[i] } else { 0.5 };
        of(point.bodies[0]).max(of(point.bodies[1]))
    }

    /// Moves the trees on, and tells their links.
    pub(super) fn move_trees(&mut self, model: &Model, state: &mut State, h: f64) {
        let time = state.time;
        for (step, (made, now)) in self.trees.list.iter_mut().zip(model.trees().iter().zip(&mut state.trees)) {
            let bodies = &mut state.bodies;
            let put = |i: usize, body| bodies[i] = body;
            state.W_injected += step.move_on(made, model.bodies(), now, &mut state.drives, (time, h), put);
        }
    }
}
