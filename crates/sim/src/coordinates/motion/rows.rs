//! # Joint rows of a fixed step: springs and dampers, blended where they are stiff
//!
//! M⁻¹ along paths ──▶ **here** ──(θ, w, slopes)──▶ `fixed`
//!
//! - **in**: springs and dampers of the joints, references of drives, the factor of M at mid-step
//! - **out**: forces over the step, their slopes, the weights w ≤ M, losses by cause
//! - **start at** [`JointRows::weigh`]
//!
//! With x = q − r, Δx = h v_s − Δr:
//!
//! ```text
//! f = −k ((1 − θ) x0 + θ x1) − d Δx/h
//! z = h² k (M⁻¹)_jj,  y = ½ h d (M⁻¹)_jj,  θ = ½ + ½ z²/(1 + z²),  share = max(z²/(1 + z²), y²/(1 + y²))
//! w_j = share/(1 + share) / ((M⁻¹)_jj λ),   λ = max(1, largest Σ_j √(share_i share_j) |M⁻¹_ij|/√(M⁻¹_ii M⁻¹_jj))
//! ```
//!
//! The row sums bound the largest eigenvalue of √w M⁻¹ √w by 1, so that w ≤ M and the loss ½ Δv·w s is never negative.

use crate::coordinates::{Factor, Tree};

/// Shares below this blend nothing.
const LEAST_SHARE: f64 = 1e-6;

/// A spring and a damper on one coordinate over one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointRow {
    /// The column.
    pub column: u32,
    /// Place of its coordinate in q.
    pub q: u32,
    /// Stiffness (N·m/rad or N/m).
    pub stiffness: f64,
    /// Damping (N·m·s/rad or N·s/m).
    pub damping: f64,
    /// Reference at the start and at the end of the step (rad or m).
    pub reference: [f64; 2],
    theta: f64,
    share: f64,
    x0: f64,
}

/// All rows of a tree's joints, and what they need of M⁻¹.
#[derive(Clone, Debug)]
pub struct JointRows {
    /// The rows; steppers may change gains and references between steps.
    pub rows: Vec<JointRow>,
    /// w of each column.
    pub(super) w: Vec<f64>,
    /// What M̃ has more than M on the diagonal.
    pub(crate) slope: Vec<f64>,
    /// Rows of L⁻¹ of the columns above, in the layout of paths.
    inverse: Vec<f64>,
    diagonal: Vec<f64>,
    pub(super) any_w: bool,
}

/// Losses of the joint rows in one step (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Losses {
    pub viscous: f64,
    pub numerical: f64,
}

impl JointRows {
    /// Rows for the springs and dampers in a tree's laws.
    pub fn new(tree: &Tree) -> Self {
        let row = |k: usize| {
            let (law, q) = (tree.law(k), tree.scalar_q(k)?);
            let (stiffness, rest) = law.spring.map_or((0.0, 0.0), |spring| (spring.stiffness, spring.rest));
            (stiffness > 0.0 || law.damping > 0.0).then_some(JointRow {
                column: k as u32,
                q: q as u32,
                stiffness,
                damping: law.damping,
                reference: [rest; 2],
                ..JointRow::default()
            })
        };
        Self {
            rows: (0..tree.nv()).filter_map(row).collect(),
            w: vec![0.0; tree.nv()],
            slope: vec![0.0; tree.nv()],
            inverse: vec![0.0; tree.entries()],
            diagonal: vec![0.0; tree.nv()],
            any_w: false,
        }
    }

    /// θ, w and slopes for a step of h from q0.
    pub(super) fn weigh(&mut self, tree: &Tree, factor: &Factor, q0: &[f64], h: f64) {
        self.w.fill(0.0);
        self.slope.fill(0.0);
        self.any_w = false;
        for row in &mut self.rows {
            let k = row.column as usize;
            // (M⁻¹)_kk = |e_k L⁻¹|², along the path of k.
            let own = &mut self.inverse[tree.row(k)];
            own.fill(0.0);
            own[own.len() - 1] = 1.0;
            factor.sweep(tree, k, own);
            let g = own.iter().map(|x| x * x).sum::<f64>();
            self.diagonal[k] = g;
            let squared = |x: f64| x * x / (1.0 + x * x);
            let (z, y) = (squared(h * h * row.stiffness * g), squared(0.5 * h * row.damping * g));
            row.theta = 0.5 + 0.5 * z;
            row.share = z.max(y);
            row.x0 = q0[row.q as usize] - row.reference[0];
            self.any_w |= row.share > LEAST_SHARE;
        }
        let lambda = if self.any_w { self.row_sum(tree) } else { 1.0 };
        for row in &self.rows {
            let k = row.column as usize;
            if row.share > LEAST_SHARE {
                self.w[k] = row.share / (1.0 + row.share) / (self.diagonal[k] * lambda);
            }
            self.slope[k] = 0.5 * h * h * row.theta * row.stiffness + 0.5 * h * row.damping - self.w[k];
        }
    }

    /// λ: the largest sum of couplings between stiff rows.
    fn row_sum(&self, tree: &Tree) -> f64 {
        let stiff = |row: &&JointRow| row.share > LEAST_SHARE;
        let mut most = 1.0_f64;
        for a in self.rows.iter().filter(stiff) {
            let (i, mut sum) = (a.column as usize, 0.0);
            for b in self.rows.iter().filter(stiff) {
                let j = b.column as usize;
                let (own, other) = (tree.row(i), tree.row(j));
                // Common ancestors come first in both paths.
                let common = tree.path(i).iter().zip(tree.path(j)).take_while(|(a, b)| a == b).count();
                let (x, y) = (&self.inverse[own][..common], &self.inverse[other][..common]);
                let entry: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
                sum += (a.share * b.share).sqrt() * entry.abs() / (self.diagonal[i] * self.diagonal[j]).sqrt();
            }
            most = most.max(sum);
        }
        most
    }

    /// Adds the mean forces over a step with mean velocity v_s.
    pub(super) fn add_forces(&self, v_s: &[f64], h: f64, force: &mut [f64]) {
        for row in &self.rows {
            let dx = row.moved(v_s, h);
            force[row.column as usize] -= row.stiffness * (row.x0 + row.theta * dx) + row.damping * dx / h;
        }
    }

    /// What the rows lost over a step, each from its own product.
    pub(crate) fn losses(&self, v_s: &[f64], h: f64) -> Losses {
        let mut losses = Losses::default();
        for row in &self.rows {
            let dx = row.moved(v_s, h);
            losses.viscous += row.damping * dx * dx / h;
            losses.numerical += (row.theta - 0.5) * row.stiffness * dx * dx;
        }
        losses
    }

    /// Energy stored in the springs at q (J).
    pub fn stored(&self, q: &[f64]) -> f64 {
        let x = |row: &JointRow| q[row.q as usize] - row.reference[1];
        self.rows.iter().map(|row| 0.5 * row.stiffness * x(row) * x(row)).sum()
    }
}

impl JointRow {
    /// Δx of a step.
    fn moved(&self, v_s: &[f64], h: f64) -> f64 {
        h * v_s[self.column as usize] - (self.reference[1] - self.reference[0])
    }
}
