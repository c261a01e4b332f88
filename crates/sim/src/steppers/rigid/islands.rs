//! # Islands: points that move the same bodies, solved apart from all others
//!
//! `step`, `project` ──(points, b)──▶ **here** ──▶ `fingerpad_solve` ──(impulses)──▶ velocities
//!
//! - **in**: points that matter, inverse masses, velocities without contacts
//! - **out**: a [`ConeProblem`] for each island, its impulses, what they do to the velocities
//! - **not here**: what the rows ask for (the caller's b)
//! - **start at** [`Islands::group`], then [`Islands::set_up`], [`Islands::solve`]

use super::cache::ConstraintCache;
use super::constraint::{ContactPoint, dot};
use super::polyhedral::Faceted;
use super::trees::{OF_TREES, Trees};
use super::{Rigid, RigidReport, Solver};
use crate::model::Model;
use crate::model::body::Mobility;
use fingerpad_contact::friction::SphereSampling;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_solve::cone::{
    Arm, ConeContact, ConeOperator, ConeOptions, ConeProblem, ConeSolver, Set, Span, root, through,
};
use fingerpad_solve::{Lemke, Status};
use nalgebra::{Matrix6, Vector3, Vector6};
use std::ops::Range;

const NONE: usize = usize::MAX;
/// Residual (m/s) that is tried for in islands of up to so many contacts.
const SHARP: f64 = 1e-12;
const FEW: usize = 60;
/// Residual (m/s) at which larger ones count as solved.
const MANY: f64 = 1e-8;
/// Rings of the hull that helps where the cone solver fails.
const HULL: (usize, usize) = (6, 2);
/// Shares of the normal impulses that are started from where nothing else led to a solution.
const RESTARTS: [f64; 3] = [0.5, 2.0, 0.0];

/// Islands and the storage of their solver.
#[derive(Clone, Debug)]
pub(super) struct Islands {
    parents: Vec<usize>,
    /// Root and point, island after island.
    order: Vec<(usize, usize)>,
    /// Which points matter, of which list; the same for the next time.
    matter: Vec<bool>,
    asked: Vec<bool>,
    generation: u64,
    /// Places of bodies in the problem at hand.
    local: Vec<usize>,
    pub problem: ConeProblem,
    /// Its bodies: one block of the problem each.
    pub bodies: Vec<usize>,
    /// Roots of their inverse masses: rows of the problem are those of the points through these.
    roots: Vec<[[f64; 6]; 6]>,
    /// Its trees of joints, and where the rows of their joints begin among its constraints.
    pub trees: Vec<(usize, usize)>,
    /// What impulses make of the blocks of its trees.
    pushed: Vec<[f64; 6]>,
    /// Impulses of the problem at hand.
    pub impulses: Vec<[f64; 4]>,
    best: Vec<[f64; 4]>,
    solver: ConeSolver,
    lemke: Lemke,
    sampling: Option<((usize, usize), SphereSampling)>,
}

impl Default for Islands {
    fn default() -> Self {
        let operator = ConeOperator::blocks(0);
        Self {
            parents: Vec::new(),
            order: Vec::new(),
            matter: Vec::new(),
            asked: Vec::new(),
            generation: 0,
            local: Vec::new(),
            problem: ConeProblem { operator, contacts: Vec::new() },
            bodies: Vec::new(),
            roots: Vec::new(),
            trees: Vec::new(),
            pushed: Vec::new(),
            impulses: Vec::new(),
            best: Vec::new(),
            solver: ConeSolver::default(),
            lemke: Lemke::default(),
            sampling: None,
        }
    }
}

impl Islands {
    /// Groups points by the bodies that they move; as they were, where the same ones of the same list matter.
    pub fn group(&mut self, model: &Model, kept: &ConstraintCache, matters: impl Fn(&ContactPoint) -> bool) {
        let mut asked = std::mem::take(&mut self.asked);
        asked.clear();
        asked.extend(kept.points.iter().map(matters));
        let same = self.generation == kept.generation && asked == self.matter;
        (self.asked, self.matter) = (std::mem::take(&mut self.matter), asked);
        if !same {
            self.generation = kept.generation;
            self.regroup(model, &kept.points);
        }
    }

    fn regroup(&mut self, model: &Model, points: &[ContactPoint]) {
        self.parents.clear();
        self.parents.extend(0..model.bodies().len());
        self.order.clear();
        let moved = |i: usize| model.bodies()[i].mobility.is_moved_by_forces();
        // All links of a tree move together.
        let lead = |i: usize| match model.bodies()[i].mobility {
            Mobility::Link { tree, .. } => model.trees()[tree].bodies[0].0,
            _ => i,
        };
        for (k, point) in points.iter().enumerate().filter(|(k, _)| self.matter[*k]) {
            let [a, b] = point.bodies;
            if moved(a) && moved(b) {
                let (a, b) = (island_of(&mut self.parents, lead(a)), island_of(&mut self.parents, lead(b)));
                self.parents[a.max(b)] = a.min(b);
            }
            self.order.push((lead(if moved(a) { a } else { b }), k));
        }
        for (body, _) in &mut self.order {
            *body = island_of(&mut self.parents, *body);
        }
        self.order.sort_unstable();
        self.local.clear();
        self.local.resize(model.bodies().len(), NONE);
    }

    /// The island that begins at a place of the list.
    pub fn next(&self, from: usize) -> Option<Range<usize>> {
        let (first, _) = self.order.get(from)?;
        let count = self.order[from..].iter().take_while(|(body, _)| body == first).count();
        Some(from..from + count)
    }

    /// Spots of an island.
    pub fn members(&self, island: &Range<usize>) -> impl Iterator<Item = usize> + '_ {
        self.order[island.clone()].iter().map(|(_, point)| *point)
    }

    /// Whether a point matters.
    pub fn holds(&self, point: usize) -> bool {
        self.matter[point]
    }

    /// All points that matter, island after island.
    pub fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().map(|(_, point)| *point)
    }

    /// The point at a place of the list.
    pub fn member(&self, place: usize) -> usize {
        self.order[place].1
    }

    /// Makes the problem of an island; friction is left at zero. Rows of joints come after those of the points: on v⁺, or on
    /// positions with `places`; `centre` is where the rows of a body are told.
    #[allow(clippy::too_many_arguments)] // an island and all that it is made of
    pub fn set_up(
        &mut self,
        model: &Model,
        points: &[ContactPoint],
        inverse: &[Matrix6<f64>],
        island: &Range<usize>,
        (trees, h, places): (&mut Trees, f64, bool),
        centre: impl Fn(usize) -> Vector3<f64>,
        b: impl Fn(&ContactPoint) -> [f64; 4],
    ) {
        self.begin();
        let Self { order, local, problem, bodies, roots, .. } = self;
        let ConeOperator::Blocks { count, arms, spans } = &mut problem.operator else { return };
        let mut blocks = 0;
        let members = || order[island.clone()].iter().map(|(_, k)| &points[*k]);
        for point in members() {
            let first = arms.len() as u32;
            for (side, body) in point.bodies.into_iter().enumerate() {
                if !model.bodies()[body].mobility.is_moved_by_forces() {
                    continue;
                }
                if let Mobility::Link { tree, link } = model.bodies()[body].mobility {
                    let made = &model.trees()[tree];
                    if !self.trees.iter().any(|(known, _)| *known == tree) {
                        self.trees.push((tree, 0));
                        trees.list[tree].first_block = blocks;
                        blocks += made.tree.blocks() as u32;
                    }
                    trees.list[tree].add_contact(made, link, &point.rows[side], &centre(body), first as usize, arms);
                    continue;
                }
                if local[body] == NONE {
                    local[body] = roots.len();
                    bodies.push(body);
                    let w = &inverse[body];
                    roots.push(root(&[0, 1, 2, 3, 4, 5].map(|r| [0, 1, 2, 3, 4, 5].map(|c| w[(r, c)]))));
                }
                let block = local[body];
                arms.push(Arm { block: block as u32, rows: through(&point.rows[side], &roots[block]) });
            }
            spans.push(Span { first, count: arms.len() as u32 - first });
            let compliance = [point.softness, 0.0, 0.0, 0.0];
            problem.contacts.push(ConeContact { set: Set::Ellipsoid { friction: [0.0; 3] }, b: b(point), compliance });
        }
        *count = roots.len();
        bodies.iter().for_each(|body| local[*body] = NONE);
        self.add_joints(model, trees, h, places, blocks);
    }

    /// The problem of a tree by itself: rows of its joints alone.
    pub fn set_up_alone(&mut self, model: &Model, tree: usize, (trees, h): (&mut Trees, f64)) {
        self.begin();
        self.trees.push((tree, 0));
        trees.list[tree].first_block = 0;
        if let ConeOperator::Blocks { count, .. } = &mut self.problem.operator {
            *count = 0;
        }
        self.add_joints(model, trees, h, false, model.trees()[tree].tree.blocks() as u32);
    }

    fn begin(&mut self) {
        if let ConeOperator::Blocks { arms, spans, .. } = &mut self.problem.operator {
            arms.clear();
            spans.clear();
        }
        self.bodies.clear();
        self.roots.clear();
        self.trees.clear();
        self.problem.contacts.clear();
    }

    /// Rows of the joints of all trees of the problem; blocks of trees come after those of bodies.
    fn add_joints(&mut self, model: &Model, trees: &mut Trees, h: f64, places: bool, blocks: u32) {
        let ConeOperator::Blocks { count, arms, spans } = &mut self.problem.operator else { return };
        for (tree, first) in &mut self.trees {
            *first = self.problem.contacts.len();
            let made = &model.trees()[*tree];
            trees.list[*tree].add_rows(made, (h, places), arms, spans, &mut self.problem.contacts);
        }
        for arm in arms.iter_mut().filter(|arm| arm.block & OF_TREES != 0) {
            arm.block = (arm.block & !OF_TREES) + *count as u32;
        }
        *count += blocks as usize;
    }

    /// Adds the last impulses of the joints to those of the points, to start from.
    pub fn start_joints(&mut self, trees: &Trees) {
        for (tree, _) in &self.trees {
            let step = &trees.list[*tree];
            let rows = step.rows.iter().zip(&step.impulses).filter(|(row, _)| step.acts(row));
            self.impulses.extend(rows.map(|(_, f)| [*f, 0.0, 0.0, 0.0]));
        }
    }

    /// v⁺ of the trees of the problem under the impulses at hand, or a motion with `places`; impulses of their joints.
    pub fn respond(&mut self, model: &Model, trees: &mut Trees, places: bool) {
        let ConeOperator::Blocks { count, arms, spans } = &self.problem.operator else { return };
        let bodies = self.roots.len();
        self.pushed.clear();
        self.pushed.resize(*count - bodies, [0.0; 6]);
        for (span, f) in spans.iter().zip(&self.impulses) {
            for arm in arms[span.range()].iter().filter(|arm| arm.block as usize >= bodies) {
                let push = &mut self.pushed[arm.block as usize - bodies];
                for (row, f) in arm.rows.iter().zip(f) {
                    (0..6).for_each(|c| push[c] += row[c] * f);
                }
            }
        }
        for (tree, first) in &self.trees {
            let step = &mut trees.list[*tree];
            step.respond(&model.trees()[*tree], places, |block| self.pushed[block as usize]);
            if !places {
                let mut rows = self.impulses[*first..].iter().map(|f| f[0]);
                for k in 0..step.rows.len() {
                    if step.acts(&step.rows[k]) {
                        step.impulses[k] = rows.next().unwrap_or(step.impulses[k]);
                    }
                }
            }
        }
    }

    /// Solves the problem at hand from the impulses at hand; the residual (m/s), and whether it is within tolerance.
    pub fn solve(&mut self, settings: &Rigid, report: &mut RigidReport) -> (f64, bool) {
        if let Solver::Lemke { around, up } = settings.solver {
            if let Some(found) = self.by_lemke((around, up)) {
                return found;
            }
            report.fallbacks += 1;
        }
        self.by_cone(settings.options, report)
    }

    /// The same on the exact ellipsoid: small islands are tried to rounding and count as solved at the tolerance; for many contacts
    /// the tolerance is [`MANY`] at least.
    pub fn by_cone(&mut self, options: ConeOptions, report: &mut RigidReport) -> (f64, bool) {
        let (tolerance, sharp) = tolerances(&options, self.problem.contacts.len());
        let options = ConeOptions { tolerance, ..options };
        let found = self.to(options, sharp, report);
        if found.1 || found.0.is_nan() || self.trees.is_empty() || self.problem.contacts.len() > FEW {
            return found;
        }
        self.solve_by_hull(options, found.0, report)
    }

    /// Once more from the solution on a hull of 20 points, which Lemke's method finds where cycles of sticking and sliding keep
    /// Newton's from arriving. Where that is no better, impulses stay as they are.
    fn solve_by_hull(&mut self, options: ConeOptions, last: f64, report: &mut RigidReport) -> (f64, bool) {
        if self.by_lemke(HULL).is_some() {
            self.solver.options = options;
            if let Ok(found) = self.solver.solve(&self.problem, &mut self.impulses) {
                report.sweeps += found.sweeps as u64;
                report.newton += found.newton as u64;
                if found.residual < last {
                    return (found.residual, found.residual <= options.tolerance);
                }
            }
        }
        self.impulses.clone_from(&self.best);
        (last, false)
    }

    /// Two Newton steps on from impulses that are good enough; the residual (m/s), no larger than it was.
    pub fn polish(&mut self, report: &mut RigidReport) -> f64 {
        let Ok(found) = self.solver.polish(&self.problem, &mut self.impulses) else { return f64::NAN };
        report.newton += found.newton as u64;
        found.residual
    }

    /// To one tolerance, by way of a short try at a sharper one. Where impulses do not arrive, others often do that begin elsewhere: at shares
    /// of the normal ones.
    pub fn to(&mut self, options: ConeOptions, sharp: f64, report: &mut RigidReport) -> (f64, bool) {
        let short = ConeOptions { tolerance: sharp, proximal: 0, sweeps: options.patience, ..options };
        let long = ConeOptions { proximal: options.proximal / 2, sweeps: options.sweeps / 3, ..options };
        // Many contacts are solved in one go of bounded length, which begins anew from none by itself.
        let whole = ConeOptions { sweeps: options.patience, ..options };
        let many = self.problem.contacts.len() > options.newton_contacts;
        let tries = [(short, None), (if many { whole } else { long }, None)];
        let again = RESTARTS.map(|share| (long, Some(share)));
        let mut least = f64::INFINITY;
        for (how, share) in tries.into_iter().chain(again.into_iter().filter(|_| !many)) {
            if many && how == short && sharp == options.tolerance {
                continue;
            }
            if let Some(share) = share {
                self.impulses.clear();
                self.impulses.extend(self.best.iter().map(|f| [share * f[0], 0.0, 0.0, 0.0]));
            }
            self.solver.options = how;
            // Numbers that are not finite are refused: the velocities that follow from zeros show it.
            let Ok(found) = self.solver.solve(&self.problem, &mut self.impulses) else {
                self.impulses.clear();
                self.impulses.resize(self.problem.contacts.len(), [0.0; 4]);
                return (f64::NAN, false);
            };
            report.sweeps += found.sweeps as u64;
            report.newton += found.newton as u64;
            if found.residual <= options.tolerance {
                return (found.residual, true);
            }
            if found.residual < least || least.is_infinite() {
                least = found.residual;
                self.best.clone_from(&self.impulses);
            }
        }
        self.impulses.clone_from(&self.best);
        (least, false)
    }

    fn by_lemke(&mut self, rings: (usize, usize)) -> Option<(f64, bool)> {
        if self.sampling.as_ref().is_none_or(|(of, _)| *of != rings) {
            self.sampling = Some((rings, SphereSampling::rings(rings.0, rings.1)));
        }
        let (_, sampling) = self.sampling.as_ref()?;
        let faceted = Faceted::new(&self.problem, sampling).ok()?;
        let found = self.lemke.solve(&faceted.lcp);
        if found.status != Status::Solved {
            return None;
        }
        self.impulses = faceted.impulses(self.lemke.z());
        Some((found.residual, true))
    }

    /// V ← V + L Lᵀ F for the bodies of the problem at hand: by the operator that the solver has, so that a velocity that it
    /// asks for is met to rounding.
    pub fn accelerate(&self, pushes: &[SpatialForce], V: &mut [SpatialVelocity]) {
        for (&body, root) in self.bodies.iter().zip(&self.roots) {
            let F = &pushes[body];
            let F = [F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z];
            let x = [0, 1, 2, 3, 4, 5].map(|c| (c..6).map(|i| root[i][c] * F[i]).sum::<f64>());
            let row = |i: usize| (0..=i).map(|c| root[i][c] * x[c]).sum::<f64>();
            V[body].w += Vector3::new(row(0), row(1), row(2));
            V[body].v += Vector3::new(row(3), row(4), row(5));
        }
    }

    /// What the impulses at hand do to velocities of bodies that are no links.
    #[allow(clippy::too_many_arguments)] // an island and all that it is made of
    pub fn push(
        &self,
        points: &[ContactPoint],
        inverse: &[Matrix6<f64>],
        links: &[bool],
        island: &Range<usize>,
        V: &mut [SpatialVelocity],
    ) {
        for (point, f) in self.members(island).map(|k| &points[k]).zip(&self.impulses) {
            for (side, body) in point.bodies.into_iter().enumerate() {
                if links[body] {
                    continue;
                }
                let rows = &point.rows[side];
                let push = Vector6::from_fn(|c, _| (0..4).map(|r| rows[r][c] * f[r]).sum());
                let change = inverse[body] * push;
                V[body].w += change.fixed_rows::<3>(0);
                V[body].v += change.fixed_rows::<3>(3);
            }
        }
    }
}

/// Residuals (m/s) at which an island of so many contacts counts as solved, and which is tried for.
pub(super) fn tolerances(options: &ConeOptions, count: usize) -> (f64, f64) {
    if count > FEW {
        let tolerance = options.tolerance.max(MANY);
        return (tolerance, tolerance);
    }
    (options.tolerance, SHARP.min(options.tolerance))
}

/// Velocities of the rows of a point.
#[inline]
pub(super) fn velocity(point: &ContactPoint, V: &[SpatialVelocity]) -> [f64; 4] {
    let (A, B) = (&V[point.bodies[0]], &V[point.bodies[1]]);
    let [a, b] = &point.rows;
    let mut sum = [0.0; 4];
    for r in 0..4 {
        sum[r] = dot(&a[r], A) + dot(&b[r], B);
    }
    sum
}

fn island_of(parents: &mut [usize], mut i: usize) -> usize {
    while parents[i] != i {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    i
}
