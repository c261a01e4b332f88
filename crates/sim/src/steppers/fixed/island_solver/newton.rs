//! # Newton on an island: directions, and how far to go along them
//!
//! - **in**: an island with its contacts evaluated, the friction limit held
//! - **out**: σ at which the step is balanced, or as near as it came
//! - **not here**: rounds of limits (`island_solver`); the sparse solution (`sparse`)
//! - **start at** `Work::newton`

use super::super::Tally;
use super::super::block::Rows;
use super::super::parallel::{BODIES, Even, gather, spread};
use super::super::pattern::NONE;
use super::super::rows::ContactConstraint;
use super::super::sparse::{Columns, Search};
use super::{LEAST, Node, STEPS, Work};
use nalgebra::Vector6;

impl Work<'_> {
    pub(super) fn newton(&mut self, (mut size, mut scale): (f64, f64), tally: &mut Tally) {
        let mut last = f64::INFINITY;
        let incomplete = self.numbers.pattern.incomplete;
        let rests = self.active.iter().all(ContactConstraint::rests);
        let (mut fresh, mut whole) = (!rests, true);
        for step in 0..STEPS {
            // Momentum and springs are exact whatever is left here; it costs accuracy of the loads alone.
            let enough = if incomplete { 1e-9 } else { 1e-13 } * scale;
            if size <= enough || (size <= (100.0 * enough).max(1e-9 * scale) && size > 0.25 * last) {
                return;
            }
            let before = size;
            last = size;
            let share = (0.3 * enough / size).clamp(LEAST, 0.1);
            if fresh {
                whole = self.assemble(false);
            } else if step == 0 && !(*self.solid && self.active.iter().all(|contact| contact.stays)) {
                whole = self.assemble(true);
            }
            self.aim(whole, share, tally);
            tally.newton += 1;
            let slope = self.along();
            self.go(1.0);
            (size, scale) = self.evaluate(false);
            let ahead = self.along();
            if ahead > 0.5 * slope.abs() || !ahead.is_finite() {
                let (mut low, mut at_low, mut high, mut at_high) = (0.0, slope, 1.0, ahead);
                for i in 0..40 {
                    let share = if i % 3 == 2 { 0.5 } else { at_low / (at_low - at_high) };
                    let middle = low + (high - low) * share.clamp(0.02, 0.98);
                    self.go(middle);
                    (size, scale) = self.evaluate(false);
                    let value = self.along();
                    if value.abs() <= 0.1 * slope.abs() {
                        break;
                    }
                    if value > 0.0 {
                        (high, at_high) = (middle, value);
                    } else {
                        (low, at_low) = (middle, value);
                    }
                }
            }
            // Slopes that led as well as was asked for lead once more.
            fresh = !(rests || incomplete) || size > 0.05 * before;
        }
        tally.unconverged += 1;
    }

    pub(super) fn go(&mut self, share: f64) {
        let nodes = Even { list: &mut *self.nodes, size: BODIES };
        let search = Even { list: &mut *self.numbers.search, size: BODIES };
        spread(self.parallel, (nodes, search), &|(nodes, search): (Even<Node>, Even<Search>)| {
            for (node, at) in nodes.list.iter_mut().zip(search.list.iter()) {
                node.sigma = node.start + Vector6::from(at.x) * share;
            }
        });
    }

    /// Slope along the direction.
    pub(super) fn along(&mut self) -> f64 {
        let nodes = Even { list: &mut *self.nodes, size: BODIES };
        let search = Even { list: &mut *self.numbers.search, size: BODIES };
        let each = |(nodes, search): (Even<Node>, Even<Search>)| {
            let pairs = nodes.list.iter().zip(search.list.iter());
            pairs.map(|(node, at)| node.residual.dot(&Vector6::from(at.x))).sum::<f64>()
        };
        gather(self.parallel, (nodes, search), &each, &|a, b| a + b)
    }

    /// Newton's matrix, column by column, and its factor: at the present slopes, or at those of contacts at rest, which
    /// stay the same from step to step. Whether it has one: the matrix is at least half the identity, but rounding can hide that where masses
    /// or stiffnesses differ by 1e15.
    pub(super) fn assemble(&mut self, at_rest: bool) -> bool {
        *self.solid = at_rest;
        let (pattern, parallel) = (self.numbers.pattern, self.parallel);
        let (active, sides) = (&*self.active, &*self.sides);
        spread(parallel, self.numbers.columns(), &|columns: Columns| {
            let base = pattern.first_block(columns.first);
            columns.lower.fill([[0.0; 6]; 6]);
            for (place, diagonal) in (columns.first..).zip(columns.diagonal.iter_mut()) {
                *diagonal = [[0.0; 6]; 6];
                for i in 0..6 {
                    diagonal[i][i] = 1.0;
                }
                for touch in pattern.touches(place) {
                    let contact = &active[touch.contact as usize];
                    let (own, other): (&Rows, &Rows) =
                        if touch.is_b { (&contact.JB, &contact.JA) } else { (&contact.JA, &contact.JB) };
                    let slope = if at_rest { &contact.slope } else { &sides[touch.contact as usize].slope };
                    let weighed = own.weighed(slope);
                    own.add_half_product(&weighed, diagonal);
                    if touch.block != NONE {
                        other.add_product(&weighed, &mut columns.lower[touch.block as usize - base]);
                    }
                }
                for j in 1..6 {
                    for i in 0..j {
                        diagonal[j][i] = diagonal[i][j];
                    }
                }
            }
        });
        let whole = self.numbers.factor(parallel);
        *self.solid &= whole;
        whole
    }

    /// Newton's direction, to a share of the residual where it is searched; without a whole factor that of steepest descent.
    pub(super) fn aim(&mut self, whole: bool, share: f64, tally: &mut Tally) {
        let nodes = Even { list: &mut *self.nodes, size: BODIES };
        let search = Even { list: &mut *self.numbers.search, size: BODIES };
        spread(self.parallel, (nodes, search), &|(nodes, search): (Even<Node>, Even<Search>)| {
            for (node, at) in nodes.list.iter_mut().zip(search.list.iter_mut()) {
                node.start = node.sigma;
                at.x = (-node.residual).into();
            }
        });
        if whole {
            tally.inner += self.numbers.solve(self.parallel, share);
        }
    }
}
