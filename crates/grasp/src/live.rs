//! # Live patches: least loads where e_n grows with the load, by branch and bound
//!
//! `statics` ──(bounds, loads)──▶ **here** ──([`Bounded`]: value and certified bound)──▶ `grip`, `push`
//!
//! - **in**: a goal, contacts whose e_n grows with their load
//! - **out**: loads that truly hold, and a bound that no loads pass, 1e-6 apart
//! - **not here**: one convex program (`statics`)
//! - **assumes**: P·e_n(P) is convex between kinks (Hertz, layers, power laws; a pad's end is a kink)
//! - **start at** [`minimise`]
//!
//! With e_n(P) = e₁P^β the set of loads is not convex: |τ| ≤ μe₁P^(1+β). But for a fixed twist the most that the section at
//! P can do, h(P; u) = μ√(P²|u_f|² + P²e_n(P)²u_τ²), is convex in P. So the hull of all sections from L to U is the hull of
//! the two at the ends, which are two cones (`Section::Hull`); from L = 0 it is the cone with e_n(U). Hulls give bounds.
//! Cones with e_n(L) and P ≥ L hold truly: they give answers. Boxes of loads are split until both meet. Both errors fall
//! with the square of a box's width, the second since the cone begins at the hull's own loads.

use crate::balance::Balance;
use crate::statics::{Goal, Held, Outcome, Section, Solver, Statics};
use crate::{Contact, Grasp, Hand, Twist, Wrench};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Settings of the branch and bound.
#[derive(Clone, Copy, Debug)]
pub struct LiveOptions {
    /// Relative distance of answer and bound at which it ends.
    pub gap: f64,
    /// Most boxes.
    pub nodes: usize,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self { gap: 1e-6, nodes: 4000 }
    }
}

/// A value with the bound that certifies it.
#[derive(Clone, Debug)]
pub struct Bounded {
    /// Value of loads that hold.
    pub value: f64,
    /// No loads have less.
    pub at_least: f64,
    /// The loads (P, f₁, f₂, τ).
    pub loads: Vec<[f64; 4]>,
    /// Boxes looked at.
    pub nodes: usize,
    /// Whether the gap asked for was reached.
    pub certified: bool,
    /// Worst grade of a program that the answer or its bound rests on.
    pub residual: f64,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Found {
    /// With loads.
    Held(Bounded),
    /// No loads exist.
    Impossible(Option<Twist>),
    /// No end without limits.
    Unbounded,
    /// Neither loads nor a proof that there are none.
    Open,
}

/// The search.
pub struct Search<'a> {
    pub grasp: &'a Grasp,
    pub hand: Option<&'a Hand>,
    pub wrench: Wrench,
    pub goal: Goal,
    pub options: LiveOptions,
}

/// Loads from low to high at every contact, and the bound of that box.
struct Node {
    bound: f64,
    order: usize,
    boxes: Vec<[f64; 2]>,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Node {}
impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Node {
    /// The heap gives the least bound first, older boxes before newer.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.order.cmp(&self.order))
    }
}

impl Search<'_> {
    fn contacts(&self) -> &[Contact] {
        &self.grasp.contacts
    }

    fn limit(&self, k: usize) -> f64 {
        self.contacts()[k].limit.unwrap_or(f64::INFINITY)
    }

    fn solve(&self, balance: &Balance, e_n: &[f64], sections: &[Section], solver: &mut Solver) -> Outcome {
        let (hand, wrench, goal) = (self.hand, self.wrench, self.goal);
        Statics { balance, e_n, sections, hand, wrench, goal }.solve(solver)
    }

    /// Every patch frozen with an e_n of its own.
    pub fn frozen(&self, e_n: &[f64], solver: &mut Solver) -> Outcome {
        let balance = Balance::new(self.grasp, e_n);
        let section = |(k, e_n): (usize, &f64)| Section::Cone { e_n: *e_n, least: 0.0, most: self.limit(k) };
        let sections: Vec<Section> = e_n.iter().enumerate().map(section).collect();
        self.solve(&balance, e_n, &sections, solver)
    }

    /// The answer where nothing grows with the load: one program.
    pub fn fixed(&self, solver: &mut Solver) -> Found {
        let e_n: Vec<f64> = self.contacts().iter().map(|c| c.patch.e_n(1.0)).collect();
        match self.frozen(&e_n, solver) {
            Outcome::Held(held) => Found::Held(bounded(held)),
            Outcome::Impossible(twist) => Found::Impossible(twist),
            Outcome::Unbounded => Found::Unbounded,
        }
    }

    /// Bound of a box: hulls of the sections.
    ///
    /// A load that reaches up to `value`, which is held already, needs no upper bound: the least grip keeps it below. The
    /// row would leave the program without an inside where box and answer meet.
    fn relaxed(&self, boxes: &[[f64; 2]], value: f64, solver: &mut Solver) -> Outcome {
        let least = !matches!(self.goal, Goal::Push { .. });
        let e_n: Vec<f64> = self.contacts().iter().zip(boxes).map(|(c, b)| c.patch.e_n(b[1])).collect();
        let balance = Balance::new(self.grasp, &e_n);
        let section = |(k, c): (usize, &Contact)| {
            let [low, high] = boxes[k];
            if !c.patch.lives() || low <= 0.0 {
                let most = if least && high >= value { f64::INFINITY } else { high };
                return Section::Cone { e_n: e_n[k], least: low, most };
            }
            if high - low <= 1e-9 * high {
                return Section::Cone { e_n: e_n[k], least: low, most: high };
            }
            Section::Hull { loads: [low, high], e_n: [c.patch.e_n(low), e_n[k]] }
        };
        let sections: Vec<Section> = self.contacts().iter().enumerate().map(section).collect();
        self.solve(&balance, &e_n, &sections, solver)
    }

    /// Loads that truly hold: no load below `least`, patches of those loads.
    fn inner(&self, least: &[f64], solver: &mut Solver) -> Option<Held> {
        let e_n: Vec<f64> = self.contacts().iter().zip(least).map(|(c, load)| c.patch.e_n(*load)).collect();
        let balance = Balance::new(self.grasp, &e_n);
        let section = |(k, c): (usize, &Contact)| {
            let least = if c.patch.lives() { least[k].min(self.limit(k)) } else { 0.0 };
            Section::Cone { e_n: e_n[k], least, most: self.limit(k) }
        };
        let sections: Vec<Section> = self.contacts().iter().enumerate().map(section).collect();
        match self.solve(&balance, &e_n, &sections, solver) {
            Outcome::Held(held) if !held.stalled && held.is_finite() => Some(held),
            _ => None,
        }
    }

    /// Some loads that hold, to begin with.
    fn first(&self, solver: &mut Solver) -> Result<Held, Found> {
        let size =
            self.wrench.fixed_rows::<3>(0).norm() + self.wrench.fixed_rows::<3>(3).norm() / self.grasp.torque_length;
        let mut guess = if size > 0.0 { size } else { 1.0 };
        let mut loads: Vec<f64> = (0..self.contacts().len()).map(|k| guess.min(self.limit(k))).collect();
        let mut last = None;
        for _ in 0..24 {
            let e_n: Vec<f64> = self.contacts().iter().zip(&loads).map(|(c, p)| c.patch.e_n(*p)).collect();
            match self.frozen(&e_n, solver) {
                // A program that stalled far away says nothing: other loads are assumed.
                Outcome::Held(held) if !held.is_finite() => {
                    last = Some(Found::Open);
                    guess *= 8.0;
                    loads = (0..loads.len()).map(|k| guess.min(self.limit(k))).collect();
                }
                Outcome::Held(held) => {
                    let found: Vec<f64> = held.loads.iter().map(|l| l[0].max(0.0)).collect();
                    if let Some(held) = self.inner(&found, solver) {
                        return Ok(held);
                    }
                    // Between the loads assumed and those found, geometrically: fixed points of the frozen program.
                    loads.iter_mut().zip(&found).for_each(|(p, f)| *p = (*p * f.max(1e-6 * size)).sqrt());
                    last = Some(Found::Open);
                }
                Outcome::Impossible(twist) => {
                    // Larger loads have larger patches: only at the limits, or far beyond the wrench, is it final.
                    last = Some(Found::Impossible(twist));
                    guess *= 8.0;
                    loads = (0..loads.len()).map(|k| guess.min(self.limit(k))).collect();
                    if (0..loads.len()).all(|k| loads[k] == self.limit(k) || loads[k] > 1e9 * size.max(1.0)) {
                        break;
                    }
                }
                Outcome::Unbounded => return Err(Found::Unbounded),
            }
        }
        // All contacts pressed alike, harder and harder.
        let mut guess = if size > 0.0 { size } else { 1.0 };
        for _ in 0..16 {
            let least: Vec<f64> = (0..self.contacts().len()).map(|k| guess.min(self.limit(k))).collect();
            if let Some(held) = self.inner(&least, solver) {
                return Ok(held);
            }
            guess *= 4.0;
        }
        Err(last.unwrap_or(Found::Open))
    }

    /// Largest load that a contact can have in loads no worse than `value`.
    fn ceiling(&self, k: usize, value: f64) -> f64 {
        match self.goal {
            Goal::Push { .. } => self.limit(k),
            _ => self.limit(k).min(value * (1.0 + 1e-9)),
        }
    }

    /// Sum of bounds on all variables of the program of a box (N), among loads no worse than `value`: cones, shares, slacks.
    fn most(&self, boxes: &[[f64; 2]], value: f64) -> f64 {
        if matches!(self.goal, Goal::Push { .. }) || self.hand.is_some() {
            return f64::INFINITY;
        }
        boxes.iter().map(|[_, high]| 5.0 * high).sum::<f64>() + value
    }

    /// The search itself.
    pub fn minimise(&self, solver: &mut Solver) -> Found {
        if matches!(self.goal, Goal::Push { .. }) {
            let open = |k: usize| self.contacts()[k].patch.lives() && self.contacts()[k].limit.is_none();
            if (0..self.contacts().len()).any(open) {
                return Found::Unbounded;
            }
        }
        let mut best = match self.first(solver) {
            Ok(held) => bounded(held),
            Err(found) => return found,
        };
        let ceiling = |value: f64| (0..self.contacts().len()).map(move |k| self.ceiling(k, value));
        let mut heap = BinaryHeap::new();
        heap.push(Node { bound: f64::NEG_INFINITY, order: 0, boxes: ceiling(best.value).map(|u| [0.0, u]).collect() });
        let (mut nodes, mut order, mut at_least) = (0, 0, f64::NEG_INFINITY);
        let close = |value: f64, bound: f64| value - bound <= 0.5 * self.options.gap * value.abs().max(1e-300);
        let (mut ended, mut lost) = (false, f64::INFINITY);
        while let Some(mut node) = heap.pop() {
            if close(best.value, node.bound) {
                at_least = node.bound;
                ended = true;
                break;
            }
            if nodes >= self.options.nodes {
                at_least = node.bound;
                break;
            }
            nodes += 1;
            // A box is looked at again while its ceiling falls with a better answer.
            let (mut relaxed, mut blind) = (None, false);
            for _ in 0..30 {
                node.boxes.iter_mut().zip(ceiling(best.value)).for_each(|(b, u)| b[1] = b[1].min(u));
                if node.boxes.iter().any(|[low, high]| low > high) {
                    relaxed = None;
                    break;
                }
                let held = match self.relaxed(&node.boxes, best.value, solver) {
                    Outcome::Held(held) if held.is_finite() => held,
                    Outcome::Held(_) => {
                        (relaxed, blind) = (None, true);
                        break;
                    }
                    _ => {
                        relaxed = None;
                        break;
                    }
                };
                // Multipliers of a program that stalled bound as well, less what they miss of their cones times the most
                // that the variables can be.
                let slack = match held.stalled {
                    false => held.grade.worst() * held.value.abs(),
                    true => 2.0 * held.grade.dual * self.most(&node.boxes, best.value),
                };
                if slack.is_finite() && held.bound.is_finite() {
                    node.bound = node.bound.max(held.bound - slack);
                }
                if !held.stalled {
                    best.residual = best.residual.max(held.grade.worst());
                }
                let least: Vec<f64> = held.loads.iter().map(|l| l[0].max(0.0)).collect();
                relaxed = Some(held);
                let before = best.value;
                if let Some(better) = self.inner(&least, solver)
                    && better.value < best.value
                {
                    let residual = best.residual;
                    best = Bounded { residual: residual.max(better.grade.worst()), ..bounded(better) };
                }
                if close(best.value, node.bound) || before - best.value <= 1e-3 * (before - node.bound) {
                    break;
                }
            }
            if blind {
                // A program that ended without numbers says nothing of its box, which is halved where it is widest.
                let Some((k, at)) = self.halved(&node.boxes) else {
                    lost = lost.min(node.bound);
                    continue;
                };
                heap.extend(halves(&node, k, at, &mut order));
                continue;
            }
            let Some(held) = relaxed else { continue };
            if close(best.value, node.bound) {
                // Nothing better is in this box; its bound still counts among the open ones.
                order += 1;
                heap.push(Node { order, ..node });
                continue;
            }
            let (k, at) = self.split(&node.boxes, &held);
            heap.extend(halves(&node, k, at, &mut order));
        }
        if heap.is_empty() && !ended && at_least == f64::NEG_INFINITY {
            at_least = best.value;
        }
        best.at_least = at_least.min(best.value).min(lost);
        best.nodes = nodes;
        best.certified = best.value - best.at_least <= self.options.gap * best.value.abs().max(1e-300);
        Found::Held(best)
    }

    /// The contact whose box is widest for its size, and its middle; none where all are narrow.
    fn halved(&self, boxes: &[[f64; 2]]) -> Option<(usize, f64)> {
        let width = |k: usize| (boxes[k][1] - boxes[k][0]) / boxes[k][1];
        let wide = (0..boxes.len()).filter(|k| self.contacts()[*k].patch.lives() && width(*k) > 1e-6);
        let widest = wide.max_by(|a, b| width(*a).total_cmp(&width(*b)))?;
        Some((widest, 0.5 * (boxes[widest][0] + boxes[widest][1])))
    }

    /// The contact whose load is farthest outside its true limit, and where to split its box.
    fn split(&self, boxes: &[[f64; 2]], held: &Held) -> (usize, f64) {
        let mut worst = (f64::NEG_INFINITY, 0);
        for (k, contact) in self.contacts().iter().enumerate() {
            let [low, high] = boxes[k];
            if !contact.patch.lives() || high - low <= 1e-9 * high {
                continue;
            }
            // A kink of e_n comes first: across it hulls are no hulls.
            if let Some(kink) = contact.patch.kink(low, high) {
                return (k, kink);
            }
            let used = contact.used(&held.loads[k]);
            let excess = if used.is_finite() { (used - 1.0) * held.loads[k][0] } else { held.loads[k][0].max(1e-12) };
            // Ties go to the wider box.
            let score = excess + 1e-9 * (high - low);
            if score > worst.0 {
                worst = (score, k);
            }
        }
        let k = worst.1;
        let [low, high] = boxes[k];
        let load = held.loads[k][0].max(0.0);
        (k, load.clamp(low + 0.1 * (high - low), high - 0.1 * (high - low)))
    }
}

/// A box split at a load of one contact.
fn halves(node: &Node, k: usize, at: f64, order: &mut usize) -> [Node; 2] {
    [[node.boxes[k][0], at], [at, node.boxes[k][1]]].map(|part| {
        let mut boxes = node.boxes.clone();
        boxes[k] = part;
        *order += 1;
        Node { bound: node.bound, order: *order, boxes }
    })
}

fn bounded(held: Held) -> Bounded {
    Bounded {
        value: held.value,
        at_least: held.bound,
        residual: held.grade.worst(),
        loads: held.loads,
        nodes: 1,
        certified: !held.stalled,
    }
}
