//! # Islands with trees: one Newton iteration over joints, bodies, contacts and rows of joints
//!
//! - **in**: members and contacts of an island at mid-step
//! - **out**: s of its trees, σ and ν of its bodies, displacements and loads of its contacts, impulses of joint rows
//! - **not here**: islands without trees (`island_solver`)
//! - **start at** [`solve`]
//!
//! With the friction limit held the contacts are the gradient of a convex function of s. Rows of joints are constraints
//! on it. Limits and dry friction lock columns of the sparse matrix ([`LockedColumns`](crate::coordinates)); where equations
//! tie joints, each Newton step solves for the impulses of all rows together (`Intervals`), G = A H⁻¹ Aᵀ.
//!
//! **Length.** Two ways through one Newton iteration (columns that lock, and intervals of rows) that share matrix, residual and search.

use super::super::Tally;
use super::super::faces::Face;
use super::super::rows::{ContactConstraint, Role};
use super::super::solver_body::SolverBody;
use super::dense::{IslandRoom, Rows};
use super::{Forest, TreeStep};
use crate::coordinates::{Matrix, Tree};
use crate::model::Model;
use crate::state::State;
use nalgebra::Vector6;

/// Rounds of Newton steps, the friction limit held in each.
const ROUNDS: u32 = 20;
/// Newton steps in a round.
const STEPS: u32 = 40;
/// How well the friction limit is met, as a share of the impulse.
const LIMIT: f64 = 1e-7;
/// A Newton step shorter than this share of s, where the mass is 1, is the last of a round.
const ENOUGH: f64 = 1e-8;
/// Rows of joints beyond which storage is asked for as they come.
const MANY_ROWS: usize = 256;
/// Errors of energies below this share of their scale are rounding.
const ROUNDING: f64 = 1e-14;

/// An island that has trees.
pub struct Island<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub members: &'a [u32],
    pub faces: &'a [Face],
    pub h: f64,
    /// The first time that this island is solved in the step.
    pub first: bool,
}

/// Solves an island; what the blend of bodies loses, and what Newton leaves over of them (J).
pub fn solve(
    island: &Island,
    forest: &mut Forest,
    bodies: &mut [SolverBody],
    active: &mut [ContactConstraint],
    tally: &mut Tally,
) -> (f64, f64) {
    let Forest { list, dense, done, .. } = forest;
    let mut dense = std::mem::take(dense);
    dense.set_up(island.model, list, bodies, island.members, active);
    let mut work = Work { island, trees: list, dense: &mut dense, bodies, active };
    work.begin();
    work.run(tally);
    let left = work.leave();
    for member in &dense.members {
        if let Some(tree) = member.tree {
            (done[tree], list[tree].solved) = (true, true);
        }
    }
    forest.dense = dense;
    left
}

struct Work<'a> {
    island: &'a Island<'a>,
    trees: &'a mut [TreeStep],
    dense: &'a mut IslandRoom,
    bodies: &'a mut [SolverBody],
    active: &'a mut [ContactConstraint],
}

impl Work<'_> {
    /// s and σ to start from: predicted, or those of the last pass; bodies by their last loads.
    fn begin(&mut self) {
        let h = self.island.h;
        let mut push = std::mem::take(&mut self.dense.r);
        if self.island.first {
            for (i, contact) in self.active.iter().enumerate() {
                self.dense.back(i, &((contact.blend - contact.f) * h), &mut push);
            }
        }
        for k in 0..self.dense.members.len() {
            let member = self.dense.members[k];
            let s = &mut self.dense.s[member.base..][..member.len];
            match member.tree {
                Some(tree) => s.copy_from_slice(&self.trees[tree].work.s),
                None if self.island.first => {
                    let own = &self.bodies[member.body];
                    (0..6).for_each(|k| s[k] = own.push[k] + push[member.base + k]);
                }
                None => s.copy_from_slice(self.bodies[member.body].sigma.as_slice()),
            }
        }
        self.dense.r = push;
        let tied = |tree: usize| !self.island.model.trees()[tree].equations.is_empty();
        let by_rows = self.trees_of().any(|(_, tree)| tied(tree));
        self.dense.by_rows = by_rows;
        if self.dense.by_rows {
            self.list_rows();
        } else {
            self.list_columns();
        }
    }

    /// Limits and dry friction as graphs of their columns.
    fn list_columns(&mut self) {
        let IslandRoom { columns, members, n, .. } = &mut *self.dense;
        columns.begin(*n);
        for (base, tree) in members.iter().filter_map(|member| Some((member.base, member.tree?))) {
            self.trees[tree].add_columns(base, &self.island.state.trees[tree].v, self.island.h, columns);
        }
    }

    /// Impulses of the rows of joints, told to their trees.
    fn tell_rows(&mut self) {
        if self.dense.by_rows {
            return;
        }
        for k in 0..self.dense.members.len() {
            let member = self.dense.members[k];
            if let Some(tree) = member.tree {
                self.trees[tree].take_columns(member.base, &self.dense.columns);
            }
        }
    }

    fn list_rows(&mut self) {
        let (n, h) = (self.dense.n, self.island.h);
        let count: usize = self.trees_of().map(|(_, tree)| self.trees[tree].rows.len()).sum();
        // Limits come and go: storage for all of them, unless there are very many.
        let most: usize = self.trees_of().map(|(_, tree)| self.trees[tree].most_rows()).sum();
        let most = most.min(MANY_ROWS).max(count);
        let IslandRoom { rows, members, .. } = &mut *self.dense;
        rows.a.clear();
        rows.a.reserve(most * n);
        rows.x.reserve((most * n).saturating_sub(rows.x.len()));
        rows.b.reserve(most.saturating_sub(rows.b.len()));
        rows.of.reserve(most);
        rows.a.resize(count * n, 0.0);
        rows.b.clear();
        rows.of.resize(count);
        let mut at = 0;
        for (base, tree) in members.iter().filter_map(|member| Some((member.base, member.tree?))) {
            let step = &self.trees[tree];
            let v0 = &self.island.state.trees[tree].v;
            for i in 0..step.rows.len() {
                let row = &mut rows.a[at * n + base..][..v0.len()];
                let (b, low, high) = step.row(i, v0, h, row);
                rows.b.push(b);
                (rows.of.low[at], rows.of.high[at]) = (low, high);
                rows.of.lambda[at] = step.lambda[i];
                at += 1;
            }
        }
    }

    fn trees_of(&self) -> impl Iterator<Item = (usize, usize)> + use<'_> {
        self.dense.members.iter().filter_map(|member| Some((member.base, member.tree?)))
    }

    fn run(&mut self, tally: &mut Tally) {
        self.bear(true);
        self.evaluate(true);
        for round in 0..ROUNDS {
            self.newton(tally);
            tally.rounds += 1;
            self.bear(false);
            if !self.renew_limits(round) {
                break;
            }
            if round + 1 == ROUNDS {
                tally.open += 1;
            }
            self.evaluate(false);
        }
        self.tell_rows();
    }

    /// Tells what holds faces along each other how they press.
    fn bear(&mut self, first: bool) {
        let h = self.island.h;
        for i in 1..self.active.len() {
            let z = self.dense.along(i - 1);
            let [contact, next] = &mut self.active[i - 1..=i] else { continue };
            let Role::Presses(face) = contact.role else { continue };
            if first {
                contact.u = contact.drift + z * (0.5 * h);
            }
            let face = &self.island.faces[face as usize];
            next.law.borne = Some(face.press.bears(face.bed(), &contact.u));
        }
    }

    /// Loads and residual at the present s, without the impulses of joint rows.
    fn evaluate(&mut self, refresh: bool) {
        let (h, model) = (self.island.h, self.island.model);
        let mut forced = std::mem::take(&mut self.dense.forced);
        let mut blended = std::mem::take(&mut self.dense.blended);
        forced.fill(0.0);
        blended.fill(0.0);
        for (i, contact) in self.active.iter_mut().enumerate() {
            let z = self.dense.along(i);
            contact.u = contact.drift + z * (0.5 * h);
            let stiffness = &model.law(&contact.pair).law.stiffness;
            let loads = if let Role::Presses(face) = contact.role {
                let face = &self.island.faces[face as usize];
                face.press.loads(face.bed(), &contact.u)
            } else {
                let pressed = contact.law.normal(stiffness, contact.u[0]);
                if refresh {
                    contact.law.held = contact.law.refresh(stiffness, &pressed, &contact.u, false);
                }
                contact.law.loads_pressed(pressed, &contact.u)
            };
            contact.f = loads.f;
            contact.pressed = loads.pressed;
            contact.slope = contact.newton_slope(&loads, h);
            self.dense.back(i, &(loads.f * h), &mut forced);
            self.dense.back(i, &contact.w.component_mul(&z), &mut blended);
        }
        for k in 0..self.dense.members.len() {
            let member = self.dense.members[k];
            let range = member.base..member.base + member.len;
            match member.tree {
                None => {
                    let own = &self.bodies[member.body];
                    for (i, at) in range.enumerate() {
                        self.dense.r[at] = self.dense.s[at] - own.push[i] + forced[at] - blended[at];
                    }
                }
                Some(t) => {
                    let (made, now) = (&model.trees()[t].tree, &self.island.state.trees[t]);
                    let step = &mut self.trees[t];
                    step.work.s.copy_from_slice(&self.dense.s[range.clone()]);
                    step.work.extra.copy_from_slice(&blended[range.clone()]);
                    step.pushed.copy_from_slice(&forced[range.clone()]);
                    step.residual(made, now, h);
                    for (i, at) in range.enumerate() {
                        self.dense.r[at] = step.work.residual[i] + forced[at];
                    }
                }
            }
        }
        (self.dense.forced, self.dense.blended) = (forced, blended);
    }

    /// Size of the residual with the impulses of joint rows, and of what it is a sum of; both where masses are 1.
    fn size(&mut self) -> (f64, f64) {
        let (mut size, mut scale) = (0.0, f64::MIN_POSITIVE);
        let mut scratch = std::mem::take(&mut self.dense.scratch);
        for member in &self.dense.members {
            let range = member.base..member.base + member.len;
            scratch.clear();
            scratch.extend_from_slice(&self.dense.r[range.clone()]);
            match member.tree {
                None => {
                    size += scratch.iter().map(|x| x * x).sum::<f64>();
                    scale += self.bodies[member.body].push.norm_squared();
                    scale += range.map(|at| self.dense.forced[at].powi(2)).sum::<f64>();
                }
                Some(t) => {
                    let (tree, step) = (&self.island.model.trees()[t].tree, &self.trees[t]);
                    step.subtract_rows(&mut scratch);
                    size += unit(tree, step, &mut scratch);
                    for part in [&self.dense.forced[range.clone()], &step.work.bias] {
                        scratch.clear();
                        scratch.extend_from_slice(part);
                        let by = if std::ptr::eq(part.as_ptr(), step.work.bias.as_ptr()) { self.island.h } else { 1.0 };
                        scale += by * by * unit(tree, step, &mut scratch);
                    }
                    scratch.clear();
                    scratch.extend_from_slice(&step.work.momenta_of_s);
                    scale += unit(tree, step, &mut scratch);
                }
            }
        }
        self.dense.scratch = scratch;
        (size.sqrt(), scale.sqrt())
    }

    /// Newton's method with limits and friction of joints as graphs of their columns; false where their sides go round.
    fn newton_by_columns(&mut self, tally: &mut Tally) -> bool {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let searches = !self.active.is_empty() || self.is_bounded();
        let (mut moved, mut enough) = (f64::INFINITY, 0.0);
        for _ in 0..STEPS {
            self.assemble();
            let IslandRoom { columns, H, s, r, d, start, .. } = &mut *self.dense;
            columns.renew();
            if !columns.solve(H, s, r) {
                return false;
            }
            tally.newton += 1;
            start.copy_from_slice(s);
            d.copy_from_slice(&columns.d);
            let slope = columns.slope_along(r);
            moved = dot(&columns.d, &columns.product);
            let (mut whole, mut scale) = (0.0, f64::MIN_POSITIVE);
            for member in &self.dense.members {
                let s = &self.dense.s[member.base..member.base + member.len];
                match member.tree {
                    None => {
                        whole += dot(s, s);
                        scale += self.bodies[member.body].push.norm_squared();
                    }
                    Some(t) => {
                        whole += dot(s, &self.trees[t].work.momenta_of_s);
                        scale += 2.0 * self.trees[t].scale;
                    }
                }
            }
            enough = (ENOUGH * ENOUGH * whole).max(ROUNDING * ROUNDING * scale);
            self.go(1.0);
            if moved <= enough {
                return true;
            }
            let ahead = self.along();
            if searches && (ahead > 0.5 * slope.abs() || !ahead.is_finite()) {
                self.search(slope, ahead);
            }
        }
        tally.unconverged += u64::from(!moved.is_finite() || moved > 1e6 * enough);
        true
    }

    fn newton(&mut self, tally: &mut Tally) {
        if !self.dense.by_rows {
            if self.newton_by_columns(tally) {
                return;
            }
            self.tell_rows();
            self.dense.by_rows = true;
            self.list_rows();
        }
        let (mut size, mut scale) = self.size();
        let mut last = f64::INFINITY;
        let n = self.dense.n;
        for step in 0..STEPS {
            let enough = 1e-13 * scale;
            if step > 0 && (size <= enough || (size <= 1e-9 * scale && size > 0.25 * last)) {
                return;
            }
            last = size;
            self.assemble();
            let IslandRoom { H, columns, .. } = &mut *self.dense;
            columns.begin(n);
            if !H.factor_without(columns.locked()) {
                break;
            }
            tally.newton += 1;
            self.dense.start.copy_from_slice(&self.dense.s);
            // Where s would go without joint rows, then with their impulses.
            let mut x = std::mem::take(&mut self.dense.d);
            x.copy_from_slice(&self.dense.r);
            self.dense.H.solve(&mut x);
            (0..n).for_each(|k| x[k] = self.dense.s[k] - x[k]);
            self.push_rows(&mut x);
            (0..n).for_each(|k| x[k] -= self.dense.start[k]);
            self.dense.d = x;
            let slope = self.along();
            self.go(1.0);
            let ahead = self.along();
            if (!self.active.is_empty() || self.is_bounded()) && (ahead > 0.5 * slope.abs() || !ahead.is_finite()) {
                self.search(slope, ahead);
            }
            (size, scale) = self.size();
        }
        tally.unconverged += u64::from(size > 1e-8 * scale);
    }

    /// Whether a drive has a largest force: its slope changes where that is met.
    fn is_bounded(&self) -> bool {
        let bounded = |tree: usize| self.trees[tree].work.joints.rows.iter().any(|row| row.gains.limit.is_finite());
        self.trees_of().any(|(_, tree)| bounded(tree))
    }

    /// A shorter way along the direction, where its slope is small.
    fn search(&mut self, slope: f64, ahead: f64) {
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, slope, 1.0, ahead);
        for i in 0..40 {
            let share = if i % 3 == 2 { 0.5 } else { at_low / (at_low - at_high) };
            let share = if share.is_finite() { share } else { 0.5 };
            let middle = low + (high - low) * share.clamp(0.02, 0.98);
            self.go(middle);
            let value = self.along();
            if value.abs() <= 0.1 * slope.abs() {
                break;
            }
            if value > 0.0 || !value.is_finite() {
                (high, at_high) = (middle, if value.is_finite() { value } else { slope.abs() });
            } else {
                (low, at_low) = (middle, value);
            }
        }
    }

    fn go(&mut self, share: f64) {
        for k in 0..self.dense.n {
            self.dense.s[k] = self.dense.start[k] + share * self.dense.d[k];
        }
        self.evaluate(false);
    }

    /// Slope along the direction, impulses of joint rows held.
    fn along(&self) -> f64 {
        if !self.dense.by_rows {
            return self.dense.columns.slope_along(&self.dense.r);
        }
        let mut sum: f64 = self.dense.r.iter().zip(&self.dense.d).map(|(r, d)| r * d).sum();
        let rows = &self.dense.rows;
        for (row, lambda) in rows.a.chunks_exact(self.dense.n.max(1)).zip(&rows.of.lambda) {
            sum -= lambda * row.iter().zip(&self.dense.d).map(|(a, d)| a * d).sum::<f64>();
        }
        sum
    }

    fn assemble(&mut self) {
        let IslandRoom { H, members, .. } = &mut *self.dense;
        H.clear();
        for member in members.iter() {
            let base = member.base;
            match member.tree {
                None => (0..6).for_each(|k| H.add(base + k, base + k, 1.0)),
                Some(t) => {
                    let (tree, step) = (&self.island.model.trees()[t].tree, &self.trees[t]);
                    step.work.mass.each(tree, |i, j, m| H.add(base + i, base + j, m));
                    let h = self.island.h;
                    step.work.joints.slopes(&step.work.v_s, h, |i, j, slope| H.add(base + i, base + j, slope));
                }
            }
        }
        for (i, contact) in self.active.iter().enumerate() {
            self.dense.add_slope(i, &contact.slope);
        }
    }

    /// Impulses of joint rows that bring x to where they hold, with the factor at hand.
    fn push_rows(&mut self, x: &mut [f64]) {
        let IslandRoom { rows, H, n, .. } = &mut *self.dense;
        let n = *n;
        let Rows { a, x: back, b, of } = rows;
        let m = b.len();
        if m == 0 {
            return;
        }
        back.clear();
        back.extend_from_slice(a);
        back.chunks_exact_mut(n).for_each(|row| H.solve(row));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for i in 0..m {
            let row = &a[i * n..(i + 1) * n];
            for j in 0..=i {
                let product = dot(row, &back[j * n..(j + 1) * n]);
                (of.G[i * m + j], of.G[j * m + i]) = (product, product);
            }
            of.b[i] = b[i] + dot(row, x);
        }
        of.solve();
        for i in 0..m {
            let lambda = of.lambda[i];
            x.iter_mut().zip(&back[i * n..(i + 1) * n]).for_each(|(x, back)| *x += lambda * back);
        }
        let mut at = 0;
        for tree in self.dense.members.iter().filter_map(|member| member.tree) {
            let step = &mut self.trees[tree];
            let count = step.rows.len();
            step.lambda.clear();
            step.lambda.extend_from_slice(&self.dense.rows.of.lambda[at..at + count]);
            at += count;
        }
    }

    /// Renews friction limits and gyroscopic moments; whether that changes anything.
    fn renew_limits(&mut self, round: u32) -> bool {
        let (h, model) = (self.island.h, self.island.model);
        let last = round + 1 == ROUNDS;
        let (mut changed, mut weighed, mut wary) = (0.0, f64::MIN_POSITIVE, false);
        let mut renewed = std::mem::take(&mut self.dense.renewed);
        renewed.clear();
        for contact in self.active.iter_mut() {
            let stiffness = &model.law(&contact.pair).law.stiffness;
            let before = contact.law.held;
            let held = contact.law.renew_limit(stiffness, &contact.pressed, &contact.u, round);
            let weight = |f: &nalgebra::Vector4<f64>| f.component_mul(f).dot(&contact.G.diagonal()) * h * h;
            weighed += weight(&contact.f);
            if contact.law.differs(&held, &contact.u, LIMIT) {
                contact.law.held = held;
                let df = contact.law.loads(stiffness, &contact.u).f - contact.f;
                contact.law.held = before;
                changed += weight(&df);
            }
            wary |= held.wary && !before.wary;
            renewed.push(held);
        }
        let mut turned = 0.0;
        for k in 0..self.dense.members.len() {
            let member = self.dense.members[k];
            if member.tree.is_some() {
                continue;
            }
            let six = |list: &[f64]| Vector6::from_column_slice(&list[member.base..member.base + 6]);
            let (sigma, forced) = (six(&self.dense.s), six(&self.dense.forced));
            let body = &mut self.bodies[member.body];
            let nu = body.push - forced;
            let turned_done = body.turned();
            body.take(&sigma, &nu, &turned_done);
            if body.is_gyroscopic() && !last {
                let (push, _) = body.pushed(&sigma, &nu, h);
                turned += (push - body.push).norm_squared();
                body.gather_push(h);
            }
        }
        let open = wary || changed.sqrt() > LIMIT * weighed.sqrt() || turned.sqrt() > 1e-13;
        if open && !last {
            for (contact, held) in self.active.iter_mut().zip(&renewed) {
                contact.law.held = *held;
            }
        }
        self.dense.renewed = renewed;
        open
    }

    /// What the blend loses, ½ ν·Tσ over bodies and trees together, and what Newton leaves over of bodies. Only the sum has a
    /// sign: a contact may take from a tree what it gives to a body.
    fn leave(&mut self) -> (f64, f64) {
        let h = self.island.h;
        for (i, contact) in self.active.iter_mut().enumerate() {
            contact.blend = contact.w.component_mul(&self.dense.along(i)) / h;
        }
        let (mut lost, mut left) = (0.0, 0.0);
        for tree in self.dense.members.iter().filter_map(|member| member.tree) {
            lost += self.trees[tree].work.blend();
            self.trees[tree].alone = 0.0;
        }
        for member in self.dense.members.iter().filter(|member| member.tree.is_none()) {
            let nu = self.bodies[member.body].nu;
            for k in 0..6 {
                let at = member.base + k;
                let (s, T) = (self.dense.s[at], self.dense.blended[at]);
                let F = s - T - nu[k];
                lost += 0.5 * (s - T) * T;
                left -= 0.5 * F * (s - 2.0 * T - F);
            }
        }
        (lost, left)
    }
}

/// |L⁻ᵀ f|²: a force where the mass is 1.
fn unit(tree: &Tree, step: &TreeStep, f: &mut [f64]) -> f64 {
    step.work.factor.to_unit(tree, f);
    f.iter().map(|x| x * x).sum()
}

impl TreeStep {
    /// The tree's own rows at s: inertia, bias, the energy correction, forces of joints and loads; contacts not yet.
    pub(super) fn residual(&mut self, tree: &Tree, now: &crate::coordinates::TreeState, h: f64) {
        let work = &mut self.work;
        work.end_of_step(tree, now, h);
        work.inertia(tree, h);
        let explained: f64 = work.v_s.iter().zip(&work.residual).map(|(v, r)| v * r).sum();
        let unexplained = work.gained(tree) + work.blend() - explained;
        if unexplained.abs() > 0.1 * ROUNDING * self.scale {
            work.correct(tree, unexplained);
        }
        work.forces(&self.tau, h);
        for k in 0..tree.nv() {
            work.residual[k] -= h * work.force[k];
        }
        work.mass.multiply(tree, &work.s, &mut work.momenta_of_s);
    }
}
