//! # Newton in velocity space: all contacts of a problem at once
//!
//! - **in**: impulses g (ball coordinates) and the velocities that they leave
//! - **out**: impulses nearer to a solution: [`NewtonVelocity::damped`] (Newton), [`NewtonVelocity::held`] (convex, slips held)
//! - **not here**: which of the two, and whether their answer is taken (`solver` looks at the residual); factors (`sparse`)
//! - **assumes**: blocks (a dense operator has none: sweeps and the Newton step on impulses serve it)
//!
//! x are velocities of blocks of unit mass, so that impulses g leave them with x = Ĵᵀ g and contacts with v = Ĵ x + b. Both steps solve a system 1 + Σ Ĵᵀ D Ĵ with one 4 × 4 block D a contact; its zeros are those of
//! the contact graph.
//!
//! **Damped Newton.** Contacts are open, stuck or sliding as the residual has them (see [`cone`](super)), and softened by E = ε δ
//! around the impulses at hand, so that redundant contacts do no harm:
//!
//! ```text
//! open     dg = −g                        limits without impulse as well
//! held     dλ = −(v + dv)/E               one row: limits that press, equations, dry friction that sticks
//! slips    dλ = ±f − λ                    one row: dry friction at its limit f
//! closed   dP = −(v_n + dv_n)/E
//! stuck    dȳ = −(ū + dū)/E
//! sliding  dȳ = ŷ (m (P + dP) − ŷ·ȳ) + T(−ȳ − β dū/δ)/(1 − β + ε)     T = 1 − ŷŷᵀ, y = ȳ − ū/δ, β = m P/|y|
//! ```
//!
//! Nothing makes it descend: it finishes what is near a solution, and ε keeps it near.
//!
//! **Slips held.** With the slip m|ū| of every contact held and added to its normal velocity, friction is a convex problem on cones
//! K (Acary). A proximal step around g,
//!
//! ```text
//! g⁺ = Π_K(τ),   τ = g − (Ĵ x + b + slip)/E,   x minimises  ½|x|² + Σ ½E (|τ|² − |τ − Π_K(τ)|²)
//! ```
//!
//! (|Π_K(τ)|² in the sum where K is a cone; sets of one row are intervals)
//!
//! has one answer, which Newton with a line search on the slope always finds; slips then follow from it. In piles this comes nearer
//! by a fifth to a half each time, whatever the start.
//!
//! Not chosen: the same with slips free and the size of the gradient to guide: it stopped short in most piles.

use super::local::{Block, Four};
use super::problem::{Arm, ConeContact, ConeOperator, ConeProblem, Span};
use super::sets::Mode;
use crate::sparse::{BlockLu, Six};

/// Most Newton steps with slips held.
pub(crate) const HELD: usize = 40;

/// Rows in ball coordinates of all contacts on blocks of unit mass.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    arms: Vec<Arm>,
    spans: Vec<Span>,
    /// Which have four rows.
    whole: Vec<bool>,
    /// Number of blocks.
    pub(super) count: usize,
}

impl Rows {
    /// Those of a problem; false for a dense operator.
    pub(super) fn set_up(&mut self, problem: &ConeProblem, blocks: &[Block]) -> bool {
        let ConeOperator::Blocks { count, arms, spans } = &problem.operator else { return false };
        self.count = *count;
        self.spans.clone_from(spans);
        self.whole.clear();
        self.whole.extend(problem.contacts.iter().map(|contact| contact.set.is_contact()));
        self.arms.clear();
        // Spans may be in any order: arms keep their places.
        self.arms.extend_from_slice(arms);
        for ((span, block), _) in spans.iter().zip(blocks).zip(&self.whole).filter(|(_, whole)| **whole) {
            for arm in &mut self.arms[span.range()] {
                for (row, t) in arm.rows.iter_mut().zip(block.t) {
                    row.iter_mut().for_each(|x| *x *= t);
                }
            }
        }
        true
    }

    /// Arms of a contact.
    #[inline]
    pub(super) fn of(&self, i: usize) -> &[Arm] {
        &self.arms[self.spans[i].range()]
    }

    /// Velocities of a contact: Ĵ x.
    #[inline]
    pub(super) fn gather(&self, i: usize, x: &[Six]) -> Four {
        let mut v = [0.0; 4];
        if !self.whole[i] {
            for arm in self.of(i) {
                let (x, j) = (&x[arm.block as usize], &arm.rows[0]);
                v[0] += (j[0] * x[0] + j[1] * x[1]) + (j[2] * x[2] + j[3] * x[3]) + (j[4] * x[4] + j[5] * x[5]);
            }
            return v;
        }
        for arm in self.of(i) {
            let x = &x[arm.block as usize];
            for r in 0..4 {
                let j = &arm.rows[r];
                v[r] += (j[0] * x[0] + j[1] * x[1]) + (j[2] * x[2] + j[3] * x[3]) + (j[4] * x[4] + j[5] * x[5]);
            }
        }
        v
    }

    /// Impulses of a contact added to velocities of blocks: x ← x + Ĵᵀ f.
    #[inline]
    pub(super) fn scatter(&self, i: usize, f: &Four, x: &mut [Six]) {
        if !self.whole[i] {
            for Arm { block, rows: j } in self.of(i) {
                let x = &mut x[*block as usize];
                (0..6).for_each(|c| x[c] += j[0][c] * f[0]);
            }
            return;
        }
        for Arm { block, rows: j } in self.of(i) {
            let x = &mut x[*block as usize];
            for c in 0..6 {
                x[c] += (j[0][c] * f[0] + j[1][c] * f[1]) + (j[2][c] * f[2] + j[3][c] * f[3]);
            }
        }
    }
}

/// Storage of both steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct NewtonVelocity {
    rows: Rows,
    /// Where the blocks between two arms of a contact are: for each contact its pairs (1, 0), (2, 0), (2, 1), …
    between: Vec<(u32, bool)>,
    system: BlockLu,
    /// Velocities in units of mass 1, and vectors of the same kind.
    x: Vec<Six>,
    gradient: Vec<Six>,
    direction: Vec<Six>,
    /// By contact: softness, constant part, impulses, D.
    e: Vec<f64>,
    shift: Vec<Four>,
    new: Vec<Four>,
    slope: Vec<[Four; 4]>,
    /// D Ĵ of the arms of one contact.
    weighed: Vec<[Six; 4]>,
}

impl NewtonVelocity {
    /// Makes a problem ready; false for a dense operator.
    pub(crate) fn set_up(&mut self, problem: &ConeProblem, blocks: &[Block]) -> bool {
        if !self.rows.set_up(problem, blocks) {
            return false;
        }
        let (rows, k) = (&self.rows, blocks.len());
        let pairs = |i: usize| {
            let own = rows.of(i);
            (1..own.len()).flat_map(move |b| (0..b).map(move |a| (own[b].block, own[a].block)))
        };
        self.system.analyse(rows.count, (0..k).flat_map(pairs));
        self.between.clear();
        self.between.extend((0..k).flat_map(pairs).map(|(b, a)| self.system.between(b, a)));
        for list in [&mut self.x, &mut self.gradient, &mut self.direction] {
            list.clear();
            list.resize(rows.count, [0.0; 6]);
        }
        self.new.clear();
        self.new.resize(k, [0.0; 4]);
        self.slope.clear();
        self.slope.resize(k, [[0.0; 4]; 4]);
        true
    }

    /// Impulses after a Newton step from g, where velocities are v; `None` where its matrix is singular. They may be outside of
    /// their cones.
    pub(crate) fn damped(
        &mut self,
        contacts: &[ConeContact],
        blocks: &[Block],
        g: &[Four],
        v: &[Four],
        soft: f64,
    ) -> Option<&[Four]> {
        for (i, block) in blocks.iter().enumerate() {
            (self.new[i], self.slope[i]) = linear(&contacts[i], block, &g[i], &v[i], soft);
        }
        self.direction.fill([0.0; 6]);
        for i in 0..g.len() {
            self.rows.scatter(i, &self.new[i], &mut self.direction);
        }
        self.assemble();
        if !self.system.factor() {
            return None;
        }
        self.system.solve(&mut self.direction);
        for i in 0..g.len() {
            let dv = self.rows.gather(i, &self.direction);
            let d = &self.slope[i];
            for r in 0..4 {
                self.new[i][r] += g[i][r] - ((d[r][0] * dv[0] + d[r][1] * dv[1]) + (d[r][2] * dv[2] + d[r][3] * dv[3]));
            }
        }
        self.new.iter().flatten().all(|x| x.is_finite()).then_some(&self.new)
    }

    /// Velocities (ball coordinates) under impulses g.
    pub(crate) fn velocities_of(&mut self, contacts: &[ConeContact], blocks: &[Block], g: &[Four], v: &mut Vec<Four>) {
        self.x.fill([0.0; 6]);
        for (i, g) in g.iter().enumerate() {
            self.rows.scatter(i, g, &mut self.x);
        }
        v.clear();
        for (i, g) in g.iter().enumerate() {
            let (own, t, c) = (self.rows.gather(i, &self.x), blocks[i].t, &contacts[i]);
            v.push([0, 1, 2, 3].map(|r| own[r] + t[r] * (c.b[r] + c.compliance[r] * t[r] * g[r])));
        }
    }

    /// What constraint i answers to a change of velocity: dg = c − D dv.
    #[inline]
    pub(crate) fn set(&mut self, i: usize, c: Four, d: [Four; 4]) {
        (self.new[i], self.slope[i]) = (c, d);
    }

    /// Factors of 1 + Σ Ĵᵀ D Ĵ; whether there are any.
    pub(crate) fn factor(&mut self) -> bool {
        self.assemble();
        self.system.factor()
    }

    /// Impulses and velocities (without compliance) that follow from all answers, by the factors at hand.
    pub(crate) fn back_substitute(&mut self, dg: &mut [Four], dv: &mut [Four]) {
        self.direction.fill([0.0; 6]);
        for i in 0..dg.len() {
            self.rows.scatter(i, &self.new[i], &mut self.direction);
        }
        self.system.solve(&mut self.direction);
        for i in 0..dg.len() {
            dv[i] = self.rows.gather(i, &self.direction);
            let (d, dv) = (&self.slope[i], &dv[i]);
            for r in 0..4 {
                dg[i][r] = self.new[i][r] - ((d[r][0] * dv[0] + d[r][1] * dv[1]) + (d[r][2] * dv[2] + d[r][3] * dv[3]));
            }
        }
    }

    /// Impulses after a proximal step from g, with slips held; Newton steps that it took.
    pub(crate) fn held(
        &mut self,
        contacts: &[ConeContact],
        blocks: &[Block],
        g: &[Four],
        slips: &[f64],
        soft: f64,
        tolerance: f64,
    ) -> (&[Four], usize) {
        self.e.clear();
        self.shift.clear();
        for (i, block) in blocks.iter().enumerate() {
            let own = block.d[0][0].max(block.delta);
            self.e.push(if own > 0.0 { soft * own } else { 1.0 });
            let (t, c) = (block.t, &contacts[i]);
            // Compliance acts with the impulses before the step.
            let b = [0, 1, 2, 3].map(|r| t[r] * (c.b[r] + c.compliance[r] * t[r] * g[i][r]));
            self.shift.push([b[0] + slips[i], b[1], b[2], b[3]]);
        }
        // Starts where these impulses put the blocks.
        self.x.fill([0.0; 6]);
        for i in 0..g.len() {
            self.rows.scatter(i, &g[i], &mut self.x);
        }
        self.evaluate(blocks, g);
        let mut steps = 0;
        while steps < HELD && largest(&self.gradient) > tolerance {
            self.assemble();
            self.direction.copy_from_slice(&self.gradient);
            self.direction.iter_mut().flatten().for_each(|x| *x = -*x);
            if !self.system.factor() {
                break;
            }
            self.system.solve(&mut self.direction);
            steps += 1;
            // The slope along the direction rises from below zero: near its root, within a bracket.
            let first = dot(&self.gradient, &self.direction);
            let (mut share, mut moved) = (1.0, 0.0);
            let (mut low, mut high) = ((0.0, first), None);
            for _ in 0..12 {
                add(share - moved, &self.direction, &mut self.x);
                moved = share;
                self.evaluate(blocks, g);
                let slope = dot(&self.gradient, &self.direction);
                if slope.abs() <= 0.3 * first.abs() {
                    break;
                }
                if slope > 0.0 {
                    high = Some((share, slope));
                } else {
                    low = (share, slope);
                }
                let Some((top, there)) = high else { break };
                let root = low.0 - low.1 * (top - low.0) / (there - low.1);
                let margin = 0.1 * (top - low.0);
                share = root.clamp(low.0 + margin, top - margin);
            }
        }
        (&self.new, steps)
    }

    /// The gradient at x; the impulses and D on the way.
    fn evaluate(&mut self, blocks: &[Block], g: &[Four]) {
        self.gradient.copy_from_slice(&self.x);
        for i in 0..g.len() {
            let v = self.rows.gather(i, &self.x);
            let over = 1.0 / self.e[i];
            let tau = [0, 1, 2, 3].map(|r| g[i][r] - (v[r] + self.shift[i][r]) * over);
            let (p, slope) = blocks[i].project(&tau);
            self.slope[i] = slope.map(|row| row.map(|x| x * over));
            self.new[i] = p;
            self.rows.scatter(i, &p.map(|x| -x), &mut self.gradient);
        }
    }

    /// 1 + Σ Ĵᵀ D Ĵ.
    fn assemble(&mut self) {
        self.system.reset();
        let mut next = 0;
        for i in 0..self.slope.len() {
            let d = &self.slope[i];
            let arms = self.rows.of(i).len();
            let mut pair = next;
            next += arms * arms.saturating_sub(1) / 2;
            // Open contacts.
            if d[0][0] == 0.0 {
                continue;
            }
            let rows = if d[1] == [0.0; 4] && d[2] == [0.0; 4] && d[3] == [0.0; 4] {
                1
            } else if d[3] == [0.0; 4] && d[0][3] == 0.0 && d[1][3] == 0.0 && d[2][3] == 0.0 {
                3
            } else {
                4
            };
            self.weighed.clear();
            for (b, two) in self.rows.of(i).iter().enumerate() {
                let own = times(d, &two.rows, rows);
                add_product(self.system.own(two.block), &two.rows, &own, rows);
                for (one, other) in self.rows.of(i)[..b].iter().zip(&self.weighed) {
                    let (ba, ab) = self.system.pair(self.between[pair]);
                    pair += 1;
                    add_product(ab, &one.rows, &own, rows);
                    add_product(ba, &two.rows, other, rows);
                }
                self.weighed.push(own);
            }
        }
    }
}

/// What a contact answers: its own change, and D.
fn linear(contact: &ConeContact, block: &Block, g: &Four, v: &Four, soft: f64) -> (Four, [Four; 4]) {
    let nn = block.d[0][0];
    let mut slope = [[0.0; 4]; 4];
    match block.mode(g, v) {
        Mode::Contact => {}
        Mode::Open => return (g.map(|x| -x), slope),
        Mode::Slips(limit) => return ([limit - g[0], 0.0, 0.0, 0.0], slope),
        Mode::Held => {
            slope[0][0] = 1.0 / (soft * nn + contact.compliance[0]);
            return ([-v[0] * slope[0][0], 0.0, 0.0, 0.0], slope);
        }
    }
    let delta = block.delta;
    let own = soft * nn.max(delta);
    let e = own + contact.compliance[0];
    slope[0][0] = 1.0 / e;
    let normal = -v[0] / e;
    let mut new = [normal, -g[1], -g[2], -g[3]];
    if block.m <= 0.0 || delta <= 0.0 {
        return (new, slope);
    }
    let y = [1, 2, 3].map(|k| g[k] - v[k] / delta);
    let size = (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]).sqrt();
    let radius = block.m * g[0].max(0.0);
    if size <= radius {
        for r in 1..4 {
            if block.t[r] > 0.0 {
                let e = own + block.t[r] * block.t[r] * contact.compliance[r];
                slope[r][r] = 1.0 / e;
                new[r] = -v[r] / e;
            }
        }
        return (new, slope);
    }
    let (hat, beta) = (y.map(|y| y / size), radius / size);
    let along: f64 = (0..3).map(|k| hat[k] * g[k + 1]).sum();
    let (ahead, across) = (block.m * (g[0] + normal) - along, 1.0 / (1.0 - beta + soft));
    for r in 0..3 {
        new[r + 1] = hat[r] * ahead - across * (g[r + 1] - hat[r] * along);
        slope[r + 1][0] = block.m * hat[r] / e;
        for s in 0..3 {
            let same = f64::from(u8::from(r == s));
            slope[r + 1][s + 1] = across * beta / delta * (same - hat[r] * hat[s]);
        }
    }
    for r in 1..4 {
        if block.t[r] == 0.0 {
            new[r] = -g[r];
            slope[r] = [0.0; 4];
            slope.iter_mut().for_each(|row| row[r] = 0.0);
        }
    }
    (new, slope)
}

/// D Ĵ.
#[inline]
fn times(d: &[Four; 4], j: &[Six; 4], rows: usize) -> [Six; 4] {
    let mut out = [[0.0; 6]; 4];
    for r in 0..rows {
        let mut sum = [0.0; 6];
        for s in 0..rows {
            let x = d[r][s];
            (0..6).for_each(|c| sum[c] += x * j[s][c]);
        }
        out[r] = sum;
    }
    out
}

/// A ← A + Ĵᵀ B; the number of rows is known to the compiler, so that sums stay in registers.
#[inline]
fn add_product(a: &mut [Six; 6], j: &[Six; 4], b: &[Six; 4], rows: usize) {
    match rows {
        1 => add_rows::<1>(a, j, b),
        3 => add_rows::<3>(a, j, b),
        _ => add_rows::<4>(a, j, b),
    }
}

#[inline]
fn add_rows<const ROWS: usize>(a: &mut [Six; 6], j: &[Six; 4], b: &[Six; 4]) {
    for p in 0..6 {
        let mut sum = a[p];
        for r in 0..ROWS {
            let x = j[r][p];
            (0..6).for_each(|q| sum[q] += x * b[r][q]);
        }
        a[p] = sum;
    }
}

fn dot(a: &[Six], b: &[Six]) -> f64 {
    crate::kernel::dot(a.as_flattened(), b.as_flattened())
}

fn add(factor: f64, a: &[Six], out: &mut [Six]) {
    crate::kernel::axpy(factor, a.as_flattened(), out.as_flattened_mut());
}

fn largest(a: &[Six]) -> f64 {
    a.iter().flatten().fold(0.0, |most, x| most.max(x.abs()))
}
