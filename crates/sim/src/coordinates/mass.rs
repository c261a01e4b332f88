//! # Mass matrix: path-sparse rows, and its factor without fill
//!
//! frame ──▶ **here** ──(M, L)──▶ forward dynamics, rows of contacts
//!
//! - **in**: columns S and inertias of a [`Frame`]
//! - **out**: [`Mass`] by composite rigid bodies, [`Factor`] M = LᵀL, solutions
//! - **start at** [`Mass::compute`], [`Factor::compute`], [`Factor::solve`]
//!
//! (Featherstone, §6.2, §6.5): M_ka = S_a · I^c_k S_k for a on the path of k, zero elsewhere, and L has the same zeros:
//! LᵀL starts at the leaves, so that eliminating k touches ancestors of k alone. Row k stores the columns of its path
//! from the root; the path of an ancestor is a prefix of it, so that inner loops run over neighbouring numbers.
//!
//! The cost of L grows as the sum of squared depths: linear in the number of joints for hands, cubic for serial chains
//! (beyond some 40 joints in one chain an articulated-body factor would win).

use super::frame::Frame;
use super::rigid::RigidInertia;
use super::tree::Tree;

/// M in path-sparse rows.
#[derive(Clone, Debug)]
pub struct Mass {
    pub(super) m: Vec<f64>,
    composite: Vec<RigidInertia>,
}

/// L of M = LᵀL in path-sparse rows; the diagonal is stored inverted.
#[derive(Clone, Debug)]
pub struct Factor {
    pub(super) l: Vec<f64>,
}

/// A mass matrix that is not positive definite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the mass matrix is not positive definite at column {column}")]
pub struct NotPositive {
    /// The column whose pivot is zero, negative or no number.
    pub column: usize,
}

impl Mass {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        Self { m: vec![0.0; tree.entries()], composite: vec![RigidInertia::zero(); tree.nodes.len()] }
    }

    /// M at the frame's configuration, armature included.
    pub fn compute(&mut self, tree: &Tree, frame: &Frame) {
        self.composite.copy_from_slice(&frame.inertia);
        for i in (0..tree.nodes.len()).rev() {
            let (node, own) = (&tree.nodes[i], self.composite[i]);
            if let Some(parent) = node.parent {
                self.composite[parent as usize] += own;
            }
            let first = node.first_v as usize;
            for k in first..first + node.motion.nv() {
                let F = own.of(&frame.S[k]);
                let row = tree.row(k);
                for (m, a) in self.m[row.clone()].iter_mut().zip(&tree.columns[row.clone()]) {
                    *m = F.power(&frame.S[*a as usize]);
                }
                self.m[row.end - 1] += tree.armature[k];
            }
        }
    }

    /// M x.
    pub fn multiply(&self, tree: &Tree, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for k in 0..tree.nv() {
            let row = tree.row(k);
            let (m, path) = (&self.m[row.clone()], &tree.columns[row]);
            let last = m.len() - 1;
            let mut sum = m[last] * x[k];
            for (m, a) in m[..last].iter().zip(path) {
                sum += m * x[*a as usize];
                out[*a as usize] += m * x[k];
            }
            out[k] += sum;
        }
    }

    /// Every entry on and below the diagonal that is stored: row, column, value.
    pub fn each(&self, tree: &Tree, mut put: impl FnMut(usize, usize, f64)) {
        for k in 0..tree.nv() {
            let row = tree.row(k);
            for (m, a) in self.m[row.clone()].iter().zip(&tree.columns[row]) {
                put(k, *a as usize, *m);
            }
        }
    }

    /// Every entry of a column, above the diagonal and below: row, value.
    pub(crate) fn each_of_column(&self, tree: &Tree, k: usize, mut put: impl FnMut(usize, f64)) {
        let row = tree.row(k);
        let depth = row.len() - 1;
        for (m, a) in self.m[row.clone()].iter().zip(&tree.columns[row]) {
            put(*a as usize, *m);
        }
        // What hangs on k follows it, k at the same place of each path.
        for j in k + 1..tree.nv() {
            let row = tree.row(j);
            if tree.columns.get(row.start + depth) != Some(&(k as u16)) || row.len() <= depth {
                break;
            }
            put(j, self.m[row.start + depth]);
        }
    }

    /// An entry of the diagonal.
    #[inline]
    pub(crate) fn diagonal(&self, tree: &Tree, k: usize) -> f64 {
        self.m[tree.rows[k + 1] as usize - 1]
    }

    /// Takes the entries of another.
    pub(crate) fn copy_from(&mut self, other: &Mass) {
        self.m.copy_from_slice(&other.m);
    }

    /// Adds to one entry; false where none is stored, since neither column carries the other.
    pub(crate) fn add(&mut self, tree: &Tree, i: usize, j: usize, x: f64) -> bool {
        let (low, high) = (i.min(j), i.max(j));
        let row = tree.row(high);
        let place = tree.columns[row.clone()].iter().position(|a| *a as usize == low);
        place.is_some_and(|d| {
            self.m[row.start + d] += x;
            true
        })
    }

    /// One entry.
    pub fn entry(&self, tree: &Tree, i: usize, j: usize) -> f64 {
        let (low, high) = (i.min(j), i.max(j));
        let row = tree.row(high);
        tree.columns[row.clone()].iter().position(|a| *a as usize == low).map_or(0.0, |d| self.m[row.start + d])
    }
}

impl Factor {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        Self { l: vec![0.0; tree.entries()] }
    }

    /// The factor of M.
    pub fn compute(&mut self, tree: &Tree, mass: &Mass) -> Result<(), NotPositive> {
        self.l.copy_from_slice(&mass.m);
        self.eliminate(tree, &mass.m)
    }

    /// The factor of M + diag(d).
    pub fn compute_with(&mut self, tree: &Tree, mass: &Mass, d: &[f64]) -> Result<(), NotPositive> {
        self.l.copy_from_slice(&mass.m);
        (0..tree.nv()).for_each(|k| self.l[tree.rows[k + 1] as usize - 1] += d[k]);
        self.eliminate(tree, &mass.m)
    }

    /// The factor of M + diag(d) without some of its columns: their rows are left with the diagonal alone.
    pub(crate) fn compute_without(
        &mut self,
        tree: &Tree,
        mass: &Mass,
        d: &[f64],
        out: &[bool],
    ) -> Result<(), NotPositive> {
        for k in 0..tree.nv() {
            let row = tree.row(k);
            let last = row.end - 1;
            if out[k] {
                self.l[row.clone()].fill(0.0);
                self.l[last] = mass.m[last];
                continue;
            }
            for i in row.clone() {
                self.l[i] = if out[tree.columns[i] as usize] { 0.0 } else { mass.m[i] };
            }
            self.l[last] += d[k];
        }
        self.eliminate(tree, &mass.m)
    }

    fn eliminate(&mut self, tree: &Tree, m: &[f64]) -> Result<(), NotPositive> {
        for k in (0..tree.nv()).rev() {
            let row = tree.row(k);
            let last = row.end - 1;
            let pivot = self.l[last];
            // What is left of the diagonal after its subtree: rounding where nothing is.
            if pivot <= 1e-14 * m[last] || pivot.is_nan() {
                return Err(NotPositive { column: k });
            }
            let inverse = 1.0 / pivot.sqrt();
            let (above, below) = self.l.split_at_mut(row.start);
            let own = &mut below[..row.len()];
            own[row.len() - 1] = inverse;
            let own = &mut own[..row.len() - 1];
            own.iter_mut().for_each(|l| *l *= inverse);
            for (d, a) in tree.columns[row.start..last].iter().enumerate() {
                let start = tree.rows[*a as usize] as usize;
                let scale = own[d];
                for (x, l) in above[start..=start + d].iter_mut().zip(&own[..=d]) {
                    *x -= scale * l;
                }
            }
        }
        Ok(())
    }

    /// M⁻¹ f, in place.
    pub fn solve(&self, tree: &Tree, f: &mut [f64]) {
        self.to_unit(tree, f);
        self.from_unit(tree, f);
    }

    /// x = L⁻ᵀ f: a force along coordinates as one on unit-mass coordinates.
    pub fn to_unit(&self, tree: &Tree, f: &mut [f64]) {
        for k in (0..tree.nv()).rev() {
            let row = tree.row(k);
            let last = row.end - 1;
            let x = f[k] * self.l[last];
            f[k] = x;
            for (l, a) in self.l[row.start..last].iter().zip(&tree.columns[row.start..last]) {
                f[*a as usize] -= l * x;
            }
        }
    }

    /// v = L⁻¹ x: a velocity of unit-mass coordinates as one of the joints.
    pub fn from_unit(&self, tree: &Tree, x: &mut [f64]) {
        for k in 0..tree.nv() {
            let row = tree.row(k);
            let last = row.end - 1;
            let mut sum = x[k];
            for (l, a) in self.l[row.start..last].iter().zip(&tree.columns[row.start..last]) {
                sum -= l * x[*a as usize];
            }
            x[k] = sum * self.l[last];
        }
    }

    /// Rows J along the path of a column become J L⁻¹, in place: `rows[d]` has their entries of the d-th column of the path.
    /// All are swept together, since they read the same L.
    #[inline]
    pub(crate) fn sweep_together<const N: usize>(&self, tree: &Tree, column: usize, rows: &mut [[f64; N]]) {
        let path = tree.path(column);
        for d in (0..path.len()).rev() {
            let l = &self.l[tree.row(path[d] as usize)];
            let (before, at) = rows.split_at_mut(d);
            let y = at[0].map(|x| x * l[d]);
            at[0] = y;
            for (x, l) in before.iter_mut().zip(l) {
                (0..N).for_each(|r| x[r] -= y[r] * l);
            }
        }
    }

    /// J M⁻¹ Jᵀ of six rows J along the path of a column, told as for [`Factor::sweep_together`]; the rows are swept.
    pub(crate) fn answer(&self, tree: &Tree, column: usize, rows: &mut [[f64; 6]]) -> [[f64; 6]; 6] {
        self.sweep_together(tree, column, rows);
        let mut W = [[0.0; 6]; 6];
        for x in &*rows {
            for i in 0..6 {
                (0..6).for_each(|j| W[i][j] += x[i] * x[j]);
            }
        }
        W
    }

    /// A row J along the path of a column becomes J L⁻¹, in place: `row[d]` belongs to the d-th column of the path.
    #[inline]
    pub fn sweep(&self, tree: &Tree, column: usize, row: &mut [f64]) {
        let path = tree.path(column);
        for d in (0..path.len()).rev() {
            let own = tree.row(path[d] as usize);
            let l = &self.l[own];
            let (before, at) = row.split_at_mut(d);
            let y = at[0] * l[d];
            at[0] = y;
            for (x, l) in before.iter_mut().zip(l) {
                *x -= y * l;
            }
        }
    }
}
