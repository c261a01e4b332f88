//! # Islands: spots that move the same bodies, solved apart from all others
//!
//! `step`, `project` ──(spots, b)──▶ **here** ──▶ `fingerpad_solve` ──(impulses)──▶ velocities
//!
//! - **in**: spots that matter, inverse masses, velocities without contacts
//! - **out**: a [`ConeProblem`] for each island, its impulses, what they do to the velocities
//! - **not here**: what the rows ask for (the caller's b)
//! - **start at** [`Islands::group`], then [`Islands::set_up`], [`Islands::solve`]

use super::polyhedral::Faceted;
use super::spots::{Spot, dot};
use super::{Complementarity, Solver, StepReport};
use crate::body::Mobility;
use crate::model::Model;
use fingerpad_contact::friction::SphereSampling;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_solve::cone::{ConeContact, ConeOperator, ConeOptions, ConeProblem, ConeSolver, Link};
use fingerpad_solve::{Lemke, Status};
use nalgebra::{Matrix6, Vector6};
use std::ops::Range;

const NONE: usize = usize::MAX;
/// Softness of the corners of faces under bodies that cannot tilt, against that of the bodies.
const SOFTNESS: f64 = 1e-6;
/// Residual (m/s) that is tried for in islands of up to so many contacts.
const SHARP: f64 = 1e-12;
const FEW: usize = 60;
/// Residual (m/s) at which larger ones count as solved.
const MANY: f64 = 1e-8;

/// Islands and the storage of their solver.
#[derive(Clone, Debug)]
pub(super) struct Islands {
    parents: Vec<usize>,
    /// Root and spot, island after island.
    order: Vec<(usize, usize)>,
    /// Places of bodies in the problem at hand.
    local: Vec<usize>,
    pub problem: ConeProblem,
    /// Impulses of the problem at hand.
    pub impulses: Vec<[f64; 4]>,
    solver: ConeSolver,
    lemke: Lemke,
    sampling: Option<((usize, usize), SphereSampling)>,
}

impl Default for Islands {
    fn default() -> Self {
        let operator = ConeOperator::Bodies { inverse_mass: Vec::new(), links: Vec::new() };
        Self {
            parents: Vec::new(),
            order: Vec::new(),
            local: Vec::new(),
            problem: ConeProblem { operator, contacts: Vec::new() },
            impulses: Vec::new(),
            solver: ConeSolver::default(),
            lemke: Lemke::default(),
            sampling: None,
        }
    }
}

impl Islands {
    /// Groups spots by the bodies that they move.
    pub fn group(&mut self, model: &Model, spots: &[Spot], matters: impl Fn(&Spot) -> bool) {
        self.parents.clear();
        self.parents.extend(0..model.bodies().len());
        self.order.clear();
        let moved = |i: usize| model.bodies()[i].mobility.is_moved_by_forces();
        for (k, spot) in spots.iter().enumerate().filter(|(_, spot)| matters(spot)) {
            let [a, b] = spot.bodies;
            if moved(a) && moved(b) {
                let (a, b) = (root(&mut self.parents, a), root(&mut self.parents, b));
                self.parents[a.max(b)] = a.min(b);
            }
            self.order.push((if moved(a) { a } else { b }, k));
        }
        for (body, _) in &mut self.order {
            *body = root(&mut self.parents, *body);
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
        self.order[island.clone()].iter().map(|(_, spot)| *spot)
    }

    /// The spot at a place of the list.
    pub fn member(&self, place: usize) -> usize {
        self.order[place].1
    }

    /// Makes the problem of an island; friction is left at zero.
    pub fn set_up(
        &mut self,
        model: &Model,
        spots: &[Spot],
        inverse: &[Matrix6<f64>],
        island: &Range<usize>,
        b: impl Fn(&Spot) -> [f64; 4],
    ) {
        let Self { order, local, problem, .. } = self;
        let ConeOperator::Bodies { inverse_mass, links } = &mut problem.operator else { return };
        inverse_mass.clear();
        links.clear();
        problem.contacts.clear();
        let members = || order[island.clone()].iter().map(|(_, k)| &spots[*k]);
        for spot in members() {
            let mut link = Link { bodies: [None; 2], jacobian: [[[0.0; 6]; 4]; 2] };
            for (side, body) in spot.bodies.into_iter().enumerate() {
                if !model.bodies()[body].mobility.is_moved_by_forces() {
                    continue;
                }
                if local[body] == NONE {
                    local[body] = inverse_mass.len();
                    let w = &inverse[body];
                    inverse_mass.push([0, 1, 2, 3, 4, 5].map(|r| [0, 1, 2, 3, 4, 5].map(|c| w[(r, c)])));
                }
                link.bodies[side] = Some(local[body]);
                link.jacobian[side] = spot.rows[side];
            }
            let mut compliance = [0.0; 4];
            let guided = |body: usize| matches!(&model.bodies()[body].mobility, Mobility::Restricted(guide) if guide.turns != [true; 3]);
            if spot.curvature.is_none() && spot.bodies.into_iter().any(guided) {
                // Under a body that cannot tilt, corners of a face share its load in any way: the least bit of softness
                // makes it the even one.
                let push = |side: usize| {
                    let row = &link.jacobian[side][0];
                    let mass = link.bodies[side].map(|body| &inverse_mass[body]);
                    mass.map_or(0.0, |w| (0..6).map(|r| (0..6).map(|c| row[r] * w[r][c] * row[c]).sum::<f64>()).sum())
                };
                compliance[0] = SOFTNESS * (push(0) + push(1));
            }
            links.push(link);
            problem.contacts.push(ConeContact { friction: [0.0; 3], b: b(spot), compliance });
        }
        for spot in members() {
            spot.bodies.into_iter().for_each(|body| local[body] = NONE);
        }
    }

    /// Solves the problem at hand from the impulses at hand; the residual (m/s), and whether it is within tolerance.
    pub fn solve(&mut self, settings: &Complementarity, report: &mut StepReport) -> (f64, bool) {
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
    pub fn by_cone(&mut self, options: ConeOptions, report: &mut StepReport) -> (f64, bool) {
        let many = self.problem.contacts.len() > FEW;
        let tolerance = if many { options.tolerance.max(MANY) } else { options.tolerance };
        let sharp = if many { tolerance } else { SHARP.min(tolerance) };
        self.to(ConeOptions { tolerance, ..options }, sharp, report)
    }

    /// To one tolerance, by way of a short try at a sharper one.
    pub fn to(&mut self, options: ConeOptions, sharp: f64, report: &mut StepReport) -> (f64, bool) {
        self.solver.options = ConeOptions { tolerance: sharp, proximal: 0, sweeps: options.patience, ..options };
        for _ in 0..2 {
            // Numbers that are not finite are refused: the velocities that follow from zeros show it.
            let Ok(found) = self.solver.solve(&self.problem, &mut self.impulses) else { break };
            report.sweeps += found.sweeps as u64;
            report.newton += found.newton as u64;
            if found.residual <= options.tolerance {
                return (found.residual, true);
            }
            if self.solver.options == options {
                return (found.residual, false);
            }
            self.solver.options = options;
        }
        self.impulses.clear();
        self.impulses.resize(self.problem.contacts.len(), [0.0; 4]);
        (f64::NAN, false)
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

    /// What the impulses at hand do to velocities.
    pub fn push(&self, spots: &[Spot], inverse: &[Matrix6<f64>], island: &Range<usize>, V: &mut [SpatialVelocity]) {
        for (spot, f) in self.members(island).map(|k| &spots[k]).zip(&self.impulses) {
            for (side, body) in spot.bodies.into_iter().enumerate() {
                let rows = &spot.rows[side];
                let push = Vector6::from_fn(|c, _| (0..4).map(|r| rows[r][c] * f[r]).sum());
                let change = inverse[body] * push;
                V[body].w += change.fixed_rows::<3>(0);
                V[body].v += change.fixed_rows::<3>(3);
            }
        }
    }
}

/// Velocities of the rows of a spot.
pub(super) fn velocity(spot: &Spot, V: &[SpatialVelocity]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for (side, body) in spot.bodies.into_iter().enumerate() {
        let rows = &spot.rows[side];
        (0..4).for_each(|r| sum[r] += dot(&rows[r], &V[body]));
    }
    sum
}

fn root(parents: &mut [usize], mut i: usize) -> usize {
    while parents[i] != i {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    i
}
