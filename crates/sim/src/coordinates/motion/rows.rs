//! # Joint rows of a fixed step: springs, dampers and drives, blended where they are stiff
//!
//! M⁻¹ along paths ──▶ **here** ──(θ, w, slopes)──▶ `fixed`
//!
//! - **in**: springs and dampers of the joints, drives with their references, the factor of M at mid-step
//! - **out**: forces over the step, their slopes, the weights w ≤ M, losses by cause
//! - **not here**: the law of one row ([`Gains`])
//! - **start at** [`JointRows::weigh`]
//!
//! A row acts along c: one coordinate, or a weighted sum of several (a tendon). With x = c·q − r, Δx = h c·v_s − Δr,
//! g = c·M⁻¹c and rows without a largest force:
//!
//! ```text
//! f = −k ((1 − θ) x0 + θ x1) − d Δx/h
//! z = h² k g,  y = ½ h d g,  θ = ½ + ½ z²/(1 + z²),  share = max(z²/(1 + z²), y²/(1 + y²))
//! w = share/(1 + share) / (g λ),   λ = max(1, largest Σ_j √(share_i share_j) |c_i·M⁻¹c_j|/√(g_i g_j))
//! ```
//!
//! The row sums bound the largest eigenvalue of Σ √w c M⁻¹ c √w by 1, so that Σ w c cᵀ ≤ M and the loss ½ Δv·Σ w c (c·s) is
//! never negative. A drive that is at its largest force where the step begins is not blended: nothing about it is stiff.

use crate::coordinates::{Factor, Frame, Tree};
use crate::drive::impedance::{PlacedSpring, SpringRows};
use crate::drive::{Drive, DriveState, DriveStep, Gains, Placed, Term, Told};
use std::ops::Range;

/// Shares below this blend nothing.
const LEAST_SHARE: f64 = 1e-6;

/// A spring and a damper, or a drive, over one step.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRow {
    /// Stiffness, damping and largest force.
    pub gains: Gains,
    /// Reference at the start and at the end of the step (rad or m).
    pub reference: [f64; 2],
    /// A force that is given beside them (N·m or N).
    pub push: f64,
    /// Which drive of the tree it is; none: the joint's own spring and damper.
    pub drive: Option<u32>,
    /// A row of a spatial spring.
    pub(crate) spatial: bool,
    pub(crate) theta: f64,
    share: f64,
    w: f64,
    pub(crate) x0: f64,
    /// g = c·M⁻¹c.
    own: f64,
    terms: Range<usize>,
    support: Range<usize>,
}

/// All rows of a tree's joints, and what they need of M⁻¹.
#[derive(Clone, Debug)]
pub struct JointRows {
    /// The rows; steppers may change gains and references between steps.
    pub rows: Vec<JointRow>,
    terms: Vec<Term>,
    /// Columns on which L⁻ᵀ c of a row over several joints is not zero.
    support: Vec<u16>,
    /// L⁻ᵀ c of such rows, over all columns; of other rows nothing.
    inverse: Vec<f64>,
    /// Columns that rows act on, and by column L⁻ᵀ e along its path, in the layout of M.
    columns: Vec<u16>,
    units: Vec<f64>,
    /// By column: e·M⁻¹e.
    owns: Vec<f64>,
    /// √(share/g) of each row, and the sums of its couplings.
    scaled: Vec<f64>,
    sums: Vec<f64>,
    /// Spatial springs, and the first of their rows, which stand together.
    spatial: Option<(SpringRows, usize)>,
    pub(super) any_w: bool,
    /// Σ w c² of blended rows on one joint, by column; the others that are blended.
    weights: Vec<f64>,
    tied: Vec<u32>,
    n: usize,
}

/// Losses of the joint rows in one step (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Losses {
    /// Dampers of joints.
    pub viscous: f64,
    /// Numbers of the step, of all rows.
    pub numerical: f64,
    /// Dampers and limits of drives.
    pub driven: f64,
    /// Work that drives supplied.
    pub supplied: f64,
}

impl JointRows {
    /// Rows for the springs and dampers in a tree's laws.
    pub fn new(tree: &Tree) -> Self {
        let mut made = Self {
            rows: Vec::new(),
            terms: Vec::new(),
            support: Vec::new(),
            inverse: Vec::new(),
            columns: Vec::new(),
            units: vec![0.0; tree.entries()],
            owns: vec![0.0; tree.nv()],
            scaled: Vec::new(),
            sums: Vec::new(),
            spatial: None,
            any_w: false,
            weights: vec![0.0; tree.nv()],
            tied: Vec::new(),
            n: tree.nv(),
        };
        for k in 0..tree.nv() {
            let (law, Some(q)) = (tree.law(k), tree.scalar_q(k)) else { continue };
            let (stiffness, rest) = law.spring.map_or((0.0, 0.0), |spring| (spring.stiffness, spring.rest));
            if stiffness > 0.0 || law.damping > 0.0 {
                let gains = Gains { stiffness, damping: law.damping, limit: f64::INFINITY };
                made.add(tree, gains, [rest; 2], None, &[Term { column: k as u32, q: q as u32, share: 1.0 }]);
            }
        }
        made
    }

    /// Adds a row for each drive of the tree.
    pub(crate) fn add_drives(&mut self, tree: &Tree, placed: &[Placed], drives: &[Drive]) {
        for (i, one) in placed.iter().enumerate() {
            let gains = drives[one.drive].gains(&DriveState::default(), 0.0);
            self.add(tree, gains, [0.0; 2], Some(i as u32), &one.terms);
        }
    }

    /// Adds six rows for each spatial spring of the tree.
    pub(crate) fn add_springs(&mut self, tree: &Tree, springs: &[PlacedSpring]) {
        if springs.is_empty() {
            return;
        }
        let first = self.rows.len();
        for spring in springs {
            let terms: Vec<Term> =
                spring.columns.iter().map(|column| Term { column: *column, q: 0, share: 0.0 }).collect();
            for i in 0..6 {
                self.add(tree, spring.gains[i / 3], [0.0; 2], None, &terms);
            }
        }
        self.rows[first..].iter_mut().for_each(|row| row.spatial = true);
        self.spatial = Some((SpringRows::new(tree, springs), first));
    }

    /// References of spatial springs over a step from t0 to t1, and where they start.
    pub(crate) fn refer_springs(&mut self, tree: &Tree, q0: &[f64], told: &Told, t0: f64, t1: f64) {
        let Some((springs, first)) = &mut self.spatial else { return };
        springs.refer(tree, q0, told, t0, t1);
        let x0 = springs.x0.iter().flatten();
        self.rows[*first..].iter_mut().zip(x0).for_each(|(row, x0)| row.x0 = *x0);
    }

    /// Directions of spatial springs in the middle of a step.
    fn aim_springs(&mut self, tree: &Tree, mid: &Frame) {
        let Some((springs, first)) = &self.spatial else { return };
        let mut at = *first;
        for (i, spring) in springs.list().iter().enumerate() {
            let n = spring.columns.len();
            let from = self.rows[at].terms.start;
            let mut parts = self.terms[from..from + 6 * n].chunks_exact_mut(n.max(1));
            let terms: [&mut [Term]; 6] = std::array::from_fn(|_| parts.next().unwrap_or_default());
            let travelled = springs.directions(i, tree, mid, terms);
            for (row, travelled) in self.rows[at..at + 6].iter_mut().zip(travelled) {
                row.reference = [0.0, travelled];
            }
            at += 6;
        }
    }

    /// Stored in the spatial springs at a frame of the end of the step (J).
    pub(crate) fn stored_in_springs(&self, tree: &Tree, frame: &Frame) -> f64 {
        self.spatial.as_ref().map_or(0.0, |(springs, _)| springs.stored(tree, frame))
    }

    /// What is stored at the end of a step beyond what straight rows of spatial springs say (J).
    pub(crate) fn misfit(&self, tree: &Tree, end: &Frame, v_s: &[f64], h: f64) -> f64 {
        let Some((_, first)) = &self.spatial else { return 0.0 };
        let straight: f64 =
            self.rows[*first..].iter().map(|row| row.gains.stored(row.x0 + row.moved(self.terms(row), v_s, h))).sum();
        self.stored_in_springs(tree, end) - straight
    }

    fn add(&mut self, tree: &Tree, gains: Gains, reference: [f64; 2], drive: Option<u32>, terms: &[Term]) {
        let (first, support) = (self.terms.len(), self.support.len());
        self.terms.extend_from_slice(terms);
        for term in terms {
            if let Err(at) = self.columns.binary_search(&(term.column as u16)) {
                self.columns.insert(at, term.column as u16);
            }
            self.support.extend_from_slice(tree.path(term.column as usize));
        }
        let own = &mut self.support[support..];
        own.sort_unstable();
        let mut own = own.to_vec();
        own.dedup();
        self.support.truncate(support);
        self.support.extend(own);
        self.rows.push(JointRow {
            gains,
            reference,
            push: 0.0,
            drive,
            spatial: false,
            theta: 0.5,
            share: 0.0,
            w: 0.0,
            x0: 0.0,
            own: 0.0,
            terms: first..self.terms.len(),
            support: support..self.support.len(),
        });
        self.inverse.resize(self.rows.len() * self.n, 0.0);
    }

    /// Gains, references and given forces of the drives over a step from t0 to t1.
    pub(crate) fn refer(&mut self, placed: &[Placed], drives: &[Drive], states: &[DriveState], t0: f64, t1: f64) {
        for row in &mut self.rows {
            let Some(of) = row.drive.map(|i| placed[i as usize].drive) else { continue };
            (row.reference, row.push) = drives[of].over(&states[of], t0, t1);
            row.gains = drives[of].gains(&states[of], 0.5 * (t0 + t1));
        }
    }

    /// Pairs of columns that a row ties.
    pub(crate) fn each_pair(&self, mut put: impl FnMut(usize, usize)) {
        for row in self.rows.iter().filter(|row| row.is_tendon()) {
            let terms = self.terms(row);
            terms.iter().for_each(|a| terms.iter().for_each(|b| put(a.column as usize, b.column as usize)));
        }
    }

    /// c of a row: its joints with their shares.
    pub(crate) fn terms(&self, row: &JointRow) -> &[Term] {
        &self.terms[row.terms.clone()]
    }

    /// x0 of each row, and g = c·M⁻¹c, with directions of the middle of the step.
    pub(crate) fn place(&mut self, tree: &Tree, factor: &Factor, mid: &Frame, q0: &[f64]) {
        self.aim_springs(tree, mid);
        let Self { rows, terms, support, inverse, columns, units, owns, n, .. } = self;
        // e_k L⁻¹, along the path of k: once for all rows on one joint.
        for k in columns.iter().map(|k| *k as usize) {
            let unit = &mut units[tree.row(k)];
            unit.fill(0.0);
            unit[tree.row(k).len() - 1] = 1.0;
            factor.sweep(tree, k, unit);
            owns[k] = unit.iter().map(|x| x * x).sum();
        }
        for (i, row) in rows.iter_mut().enumerate() {
            let of = &terms[row.terms.clone()];
            if !row.spatial {
                row.x0 = of.iter().map(|term| term.share * q0[term.q as usize]).sum::<f64>() - row.reference[0];
            }
            if let [term] = of {
                row.own = term.share * term.share * owns[term.column as usize];
                continue;
            }
            let own = &mut inverse[i * *n..(i + 1) * *n];
            own.fill(0.0);
            for term in of {
                let path = tree.row(term.column as usize);
                let along = tree.path(term.column as usize).iter().zip(&units[path]);
                along.for_each(|(k, x)| own[*k as usize] += term.share * x);
            }
            row.own = support[row.support.clone()].iter().map(|k| own[*k as usize].powi(2)).sum();
        }
    }

    /// c_i·M⁻¹c_j of two rows.
    fn coupling(&self, tree: &Tree, i: usize, j: usize) -> f64 {
        let (a, b) = (&self.rows[i], &self.rows[j]);
        let inverse = |i: usize| &self.inverse[i * self.n..(i + 1) * self.n];
        match (self.terms(a), self.terms(b)) {
            ([one], [two]) => {
                let (k, l) = (one.column as usize, two.column as usize);
                // Paths go together from the root on, then apart.
                let (x, y) = (tree.path(k).iter().zip(&self.units[tree.row(k)]), &self.units[tree.row(l)]);
                let common = x.zip(tree.path(l)).zip(y).take_while(|(((k, _), l), _)| k == l);
                one.share * two.share * common.map(|(((_, x), _), y)| x * y).sum::<f64>()
            }
            ([one], _) => self.along(tree, one, inverse(j)),
            (_, [two]) => self.along(tree, two, inverse(i)),
            _ => {
                let shorter = if a.support.len() < b.support.len() { a } else { b };
                let (x, y) = (inverse(i), inverse(j));
                self.support[shorter.support.clone()].iter().map(|k| x[*k as usize] * y[*k as usize]).sum()
            }
        }
    }

    /// What a row on one joint has in common with one that is told over all columns.
    fn along(&self, tree: &Tree, term: &Term, other: &[f64]) -> f64 {
        let k = term.column as usize;
        let products = tree.path(k).iter().zip(&self.units[tree.row(k)]).map(|(k, x)| x * other[*k as usize]);
        term.share * products.sum::<f64>()
    }

    /// θ and w for a step of h from q0, near the mean velocity v_s.
    pub(super) fn weigh(&mut self, tree: &Tree, (factor, mid): (&Factor, &Frame), q0: &[f64], v_s: &[f64], h: f64) {
        self.place(tree, factor, mid, q0);
        self.any_w = false;
        let Self { rows, terms, any_w, .. } = self;
        for row in rows.iter_mut() {
            let squared = |x: f64| x * x / (1.0 + x * x);
            let (z, y) =
                (squared(h * h * row.gains.stiffness * row.own), squared(0.5 * h * row.gains.damping * row.own));
            row.theta = 0.5 + 0.5 * z;
            let limited = row.gains.limit.is_finite() && {
                let dx = row.moved(&terms[row.terms.clone()], v_s, h);
                row.gains.over(row.theta, row.x0, dx, h).0.abs() >= row.gains.limit
            };
            row.share = if limited { 0.0 } else { z.max(y) };
            row.w = 0.0;
            *any_w |= row.share > LEAST_SHARE;
        }
        let lambda = if self.any_w { self.row_sum(tree) } else { 1.0 };
        self.weights.fill(0.0);
        self.tied.clear();
        for (i, row) in self.rows.iter_mut().enumerate().filter(|(_, row)| row.share > LEAST_SHARE) {
            row.w = row.share / (1.0 + row.share) / (row.own * lambda);
            match &self.terms[row.terms.clone()] {
                [term] => self.weights[term.column as usize] += row.w * term.share * term.share,
                _ => self.tied.push(i as u32),
            }
        }
    }

    /// λ: the largest sum of couplings between stiff rows.
    fn row_sum(&mut self, tree: &Tree) -> f64 {
        // |c_i·M⁻¹c_j| is at most √(g_i g_j): where even these sums are below 1, so is λ.
        let stiff = || self.rows.iter().filter(|row| row.share > LEAST_SHARE).map(|row| row.share.sqrt());
        if stiff().fold(0.0, f64::max) * stiff().sum::<f64>() <= 1.0 {
            return 1.0;
        }
        let (mut scaled, mut sums) = (std::mem::take(&mut self.scaled), std::mem::take(&mut self.sums));
        let scale = |row: &JointRow| if row.share > LEAST_SHARE { (row.share / row.own).sqrt() } else { 0.0 };
        scaled.clear();
        scaled.extend(self.rows.iter().map(scale));
        sums.clear();
        sums.resize(self.rows.len(), 0.0);
        for i in (0..self.rows.len()).filter(|i| scaled[*i] > 0.0) {
            sums[i] += self.rows[i].share;
            for j in (0..i).filter(|j| scaled[*j] > 0.0) {
                let part = scaled[i] * scaled[j] * self.coupling(tree, i, j).abs();
                sums[i] += part;
                sums[j] += part;
            }
        }
        let most = sums.iter().fold(1.0, |most, sum| sum.max(most));
        (self.scaled, self.sums) = (scaled, sums);
        most
    }

    /// Adds Σ w c (c·s) to a list over the columns.
    pub(super) fn add_blend(&self, s: &[f64], sum: &mut [f64]) {
        sum.iter_mut().zip(s.iter().zip(&self.weights)).for_each(|(sum, (s, w))| *sum += w * s);
        for row in self.tied() {
            let terms = self.terms(row);
            let along: f64 = terms.iter().map(|term| term.share * s[term.column as usize]).sum();
            terms.iter().for_each(|term| sum[term.column as usize] += row.w * term.share * along);
        }
    }

    /// Σ w (c·s) (c·x): what the blend of the rows takes along x.
    pub(super) fn blended(&self, s: &[f64], x: &[f64]) -> f64 {
        let along = |row: &JointRow, v: &[f64]| {
            self.terms(row).iter().map(|term| term.share * v[term.column as usize]).sum::<f64>()
        };
        let single: f64 = self.weights.iter().zip(s.iter().zip(x)).map(|(w, (s, x))| w * s * x).sum();
        single + self.tied().map(|row| row.w * along(row, s) * along(row, x)).sum::<f64>()
    }

    fn tied(&self) -> impl Iterator<Item = &JointRow> {
        self.tied.iter().map(|i| &self.rows[*i as usize])
    }

    /// What M̃ has more than M at a mean velocity v_s: c cᵀ (h²/2 · slope of the force − w), entry by entry, (i, j) with
    /// i ≥ j only.
    pub(crate) fn slopes(&self, v_s: &[f64], h: f64, mut put: impl FnMut(usize, usize, f64)) {
        for row in &self.rows {
            let terms = self.terms(row);
            let (_, slope) = row.gains.over(row.theta, row.x0, row.moved(terms, v_s, h), h);
            let slope = 0.5 * h * h * slope - row.w;
            for a in terms {
                for b in terms.iter().filter(|b| b.column <= a.column) {
                    put(a.column as usize, b.column as usize, slope * a.share * b.share);
                }
            }
        }
    }

    /// Adds the mean forces over a step with mean velocity v_s.
    pub(super) fn add_forces(&self, v_s: &[f64], h: f64, force: &mut [f64]) {
        for row in &self.rows {
            let terms = self.terms(row);
            let f = row.push - row.gains.over(row.theta, row.x0, row.moved(terms, v_s, h), h).0;
            terms.iter().for_each(|term| force[term.column as usize] += term.share * f);
        }
    }

    /// Adds the mean forces over a step, and tells what the rows lost over it, each from its own product; steps of drives are
    /// told one by one.
    pub(crate) fn account(
        &self,
        v_s: &[f64],
        h: f64,
        force: &mut [f64],
        mut tell: impl FnMut(usize, DriveStep),
    ) -> Losses {
        let mut losses = Losses::default();
        for row in &self.rows {
            let terms = self.terms(row);
            let dx = row.moved(terms, v_s, h);
            let f = -row.gains.over(row.theta, row.x0, dx, h).0;
            terms.iter().for_each(|term| force[term.column as usize] += term.share * (row.push + f));
            let step = row.step(f, dx, h);
            losses.add(row.is_drive(), &step);
            if let Some(drive) = row.drive {
                tell(drive as usize, step);
            }
        }
        losses
    }

    /// Energy stored in the springs along coordinates at q, with the references of the end of the step (J).
    pub fn stored(&self, q: &[f64]) -> f64 {
        let of = |row: &JointRow| {
            let position: f64 = self.terms(row).iter().map(|term| term.share * q[term.q as usize]).sum();
            row.gains.stored(position - row.reference[1])
        };
        self.rows.iter().filter(|row| !row.spatial).map(of).sum()
    }
}

impl Losses {
    pub(crate) fn add(&mut self, drives: bool, step: &DriveStep) {
        self.numerical += step.numerical;
        if drives {
            self.driven += step.lost;
            self.supplied += step.supplied;
        } else {
            self.viscous += step.lost;
        }
    }
}

impl JointRow {
    /// Δx of a step.
    pub(crate) fn moved(&self, terms: &[Term], v_s: &[f64], h: f64) -> f64 {
        let along: f64 = terms.iter().map(|term| term.share * v_s[term.column as usize]).sum();
        h * along - self.travelled()
    }

    /// Δr of a step.
    pub(crate) fn travelled(&self) -> f64 {
        self.reference[1] - self.reference[0]
    }

    /// The force of spring and damper over a step, as if it had no limit.
    pub(crate) fn linear(&self, dx: f64, h: f64) -> f64 {
        -(self.gains.stiffness * (self.x0 + self.theta * dx) + self.gains.damping * dx / h)
    }

    /// Whether it is a drive or a part of one, and not the joint's own spring.
    pub(crate) fn is_drive(&self) -> bool {
        self.drive.is_some() || self.spatial
    }

    /// Whether its force answers to motion.
    pub(crate) fn is_elastic(&self) -> bool {
        self.gains.stiffness > 0.0 || self.gains.damping > 0.0
    }

    /// Whether it acts on several joints.
    pub(crate) fn is_tendon(&self) -> bool {
        self.terms.len() > 1 || self.spatial
    }

    /// g = c·M⁻¹c, after [`JointRows::place`].
    pub(crate) fn own(&self) -> f64 {
        self.own
    }

    /// What the row did over a step under a force f of its spring and damper.
    pub(crate) fn step(&self, f: f64, dx: f64, h: f64) -> DriveStep {
        let dr = self.travelled();
        let mut step = self.gains.step(f, self.x0, (dx, dr), h);
        let given = self.push * (dx + dr);
        (step.force, step.work, step.supplied) = (step.force + self.push, step.work + given, step.supplied + given);
        step
    }
}
