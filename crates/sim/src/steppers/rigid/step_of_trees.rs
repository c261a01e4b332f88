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
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};

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
        let Self { trees, loads, before, after, speeds, near, .. } = self;
        // Of links that nothing is near, velocities of the start are those of the state, and none other is asked for but by loads.
        near.iter_mut().zip(&*loads).for_each(|(near, load)| *near |= *load != SpatialForce::zero());
        for (step, (made, now)) in trees.list.iter_mut().zip(model.trees().iter().zip(&state.trees)) {
            step.refer(model, made, state, now, h);
            step.fall(made, model.bodies(), now, (state.time, h), |body| loads[body])?;
            step.velocities(made, Of::Start, near, |body, V| before[body] = V);
            step.velocities(made, Of::Free, near, |body, V| after[body] = V);
            for (link, id) in made.bodies.iter().enumerate() {
                if made.tree.ride(link).node.is_none() {
                    continue;
                }
                if near[id.0] {
                    let extent = &model.extents()[id.0];
                    speeds[id.0] = [extent.speed(&before[id.0]), extent.speed(&after[id.0])];
                }
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
            let (made, near) = (&model.trees()[*tree], &self.near);
            self.trees.list[*tree].velocities(made, Of::End, near, |body, V| after[body] = V);
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
                step.velocities(made, Of::End, &self.near, |body, V| after[body] = V);
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

    /// Impulses, with drives of trees on the sides of their largest forces that they were on in the last step; where one is not, it is a row
    /// and the step is solved again.
    pub(super) fn touch_with_drives(
        &mut self,
        settings: &Rigid,
        model: &Model,
        state: &State,
        h: f64,
        report: &mut RigidReport,
    ) -> Result<(), Stop> {
        loop {
            let before = *report;
            self.touch(settings, model, state, h, report)?;
            let mut hold = true;
            self.trees.list.iter_mut().for_each(|step| hold &= step.sides_hold(h));
            if hold {
                return Ok(());
            }
            // Drives taken are fewer each time.
            let RigidReport { solves, sweeps, newton, .. } = *report;
            *report = RigidReport { solves, sweeps, newton, ..before };
            self.fall_free(model, state, h)?;
        }
    }

    /// A link of a tree whose velocities are no numbers.
    pub(super) fn lost_tree(&self, model: &Model) -> Option<usize> {
        let mut trees = self.trees.list.iter().zip(model.trees());
        trees.find(|(step, _)| !step.plus.iter().all(|v| v.is_finite())).map(|(_, made)| made.bodies[0].0)
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

#[cfg(test)]
mod tests {
    use super::super::trees::{JointRow, Trees};
    use super::*;
    use crate::coordinates::{Joint, JointLaw};
    use crate::drive::{Drive, DriveKind, Timeline};
    use crate::model::body::{Body, BodyId};
    use crate::model::joints::{JointId, ModelJoint};
    use crate::model::{Model, Parts};
    use fingerpad_contact::spatial::SpatialForce;
    use fingerpad_contact::surface::{Shape, Sphere};
    use fingerpad_solve::cone::ConeOptions;
    use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

    /// A trunk of two hinges with three fingers of three: a limited drive at every joint, a tendon along each finger, dry
    /// friction at most joints and limits at some.
    fn hand(random: &mut impl FnMut() -> f64) -> Model {
        let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(1), Some(5), Some(6), Some(1), Some(8), Some(9)];
        let shape = Shape::Sphere(Sphere::new(0.01).unwrap());
        let bodies: Vec<Body> = (0..parents.len())
            .map(|i| {
                let at = Vector3::new(0.03 * i as f64, 0.02 * (i % 3) as f64, 0.01);
                let body = Body::free(&format!("{i}"), shape.clone(), 0.1, Matrix3::identity() * 2e-5);
                Body { X_WB: Isometry3::translation(at.x, at.y, at.z), ..body }
            })
            .collect();
        let mut joints = Vec::new();
        for (i, parent) in parents.iter().enumerate() {
            let axis = Vector3::new((i as f64).sin(), (1.7 * i as f64).cos(), 0.3);
            let kind = Joint::Revolute(Unit::new_normalize(axis));
            let place = bodies[i].X_WB * Isometry3::translation(-0.03, 0.01, 0.0);
            let parent = parent.map(|k: usize| (BodyId(k), &bodies[k]));
            let joint = ModelJoint::at(&format!("{i}"), kind, parent, (BodyId(i), &bodies[i]), &place);
            let limit = (i % 3 == 1).then(|| [-0.3 * random().abs() - 1e-3, 0.3]);
            let friction_loss = if i % 4 == 3 { 0.0 } else { 0.05 * random().abs() };
            let law = JointLaw { limit, friction_loss, damping: 1e-3, ..JointLaw::default() };
            let q = if random() > 0.0 { limit.map_or(0.1, |limit| limit[0]) } else { 0.1 };
            joints.push(ModelJoint { armature: 1e-4, ..joint.with(law) }.starting(&[q], &[2.0 * random()]));
        }
        let mut drives = Vec::new();
        for i in 0..parents.len() {
            let kind = match i % 3 {
                0 => DriveKind::Velocity { damping: 0.3 },
                _ => DriveKind::Position { stiffness: 20.0, damping: 0.1 },
            };
            let drive = Drive::new(&format!("{i}"), JointId(i), kind, Timeline::constant(random()));
            drives.push(drive.limited(2.0 * random().abs() + 1e-3));
        }
        for first in [2, 5, 8] {
            let kind = DriveKind::Position { stiffness: 10.0, damping: 0.05 };
            let mut tendon = Drive::new(&format!("tendon {first}"), JointId(first), kind, Timeline::constant(random()));
            tendon.along = vec![(JointId(first + 1), 1.0), (JointId(first + 2), 0.7)];
            drives.push(if first == 5 { tendon } else { tendon.limited(random().abs()) });
        }
        Model::new(Parts { bodies, joints, drives, ..Parts::default() }).unwrap()
    }

    /// Drives that are solved with their tree, as parts of its mass matrix or as given forces, move it as the rows of the cone
    /// solver do. Would catch a side that is not flipped, or a tendon that is entered once for both of its joints.
    #[test]
    fn a_lone_tree_with_drives_moves_as_the_cone_solver_has_it() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let h = 1e-3;
        let (mut compared, mut full, mut follows) = (0, 0, 0);
        for round in 0..100 {
            let model = hand(&mut random);
            let state = model.start().unwrap();
            let (made, now) = (&model.trees()[0], &state.trees[0]);
            let mut trees = Trees::default();
            trees.ready(&model);
            let near = vec![false; model.bodies().len()];
            let step = &mut trees.list[0];
            step.begin(made, now, &near, |_, _| {}).unwrap();
            step.refer(&model, made, &state, now, h);
            step.fall(made, model.bodies(), now, (0.0, h), |_| SpatialForce::zero()).unwrap();
            let mut islands = Islands::default();
            islands.set_up_alone(&model, 0, (&mut trees, h));
            islands.impulses.clear();
            islands.start_joints(&trees);
            let options = ConeOptions { tolerance: 1e-11, ..Rigid::default().options };
            let (_, solved) = islands.by_cone(options, &mut RigidReport::default());
            islands.respond(&model, &mut trees, false);
            let step = &mut trees.list[0];
            let (theirs, forces) = (step.plus.clone(), step.impulses.clone());
            step.impulses.fill(0.0);
            assert!(step.solve_alone(made, h), "{round}");
            for f in &step.impulses[step.impulses.len() - 14..] {
                let limits = model.drives().iter().map(|drive| h * drive.limit);
                let at_limit = limits.clone().any(|most| f.abs() == most);
                (full, follows) = (full + usize::from(at_limit), follows + usize::from(!at_limit));
            }
            if !solved {
                continue;
            }
            compared += 1;
            for (own, theirs) in step.plus.iter().zip(&theirs) {
                assert!((own - theirs).abs() < 1e-8, "{round}: {own} {theirs}");
            }
            // A joint at rest on its limit with dry friction: only the sum of both is told by the motion.
            let (mut along, mut drives) = (vec![0.0; step.plus.len()], Vec::new());
            for ((own, theirs), row) in step.impulses.iter().zip(&forces).zip(&step.rows) {
                match row {
                    JointRow::Limit { column, sign, .. } => along[*column] += sign * (own - theirs),
                    JointRow::Friction { column, .. } => along[*column] += own - theirs,
                    _ => drives.push(own - theirs),
                }
            }
            assert_eq!(drives.len(), 14, "{round}");
            assert!(along.iter().chain(&drives).all(|off| off.abs() < 1e-9), "{round}: {along:?} {drives:?}");
        }
        assert!(compared >= 90 && full > 100 && follows > 100, "{compared} {full} {follows}");
    }
}
