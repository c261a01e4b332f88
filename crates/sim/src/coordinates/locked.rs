//! # Locked columns: limits and dry friction of joints in a sparse factor
//!
//! matrix, r, graphs of columns ──▶ **here** ──(step, forces of limits and friction)──▶ fixed steps, rigid contacts
//!
//! - **in**: a sparse [`Matrix`] H, the residual r at s, what may act along each column
//! - **out**: d with H d + r = F, F_k on the graph of column k at s_k + d_k
//! - **not here**: rows along several coordinates ([`Intervals`](super::Intervals))
//! - **start at** [`LockedColumns::begin`], then [`LockedColumns::solve`]
//!
//! Limits and dry friction act along one coordinate each, so that their force on column k is a graph over x = s_k + d_k that
//! falls:
//!
//! ```text
//! x = low: [±loss, ∞)     x < rest: loss     x = rest: [−loss, loss]     x > rest: −loss     x = high: (−∞, ±loss]
//! ```
//!
//! A column is either locked at a corner of its graph, or free under a given force. With sides known, the step is that of the
//! matrix without the locked columns: these come out of the rows of others, and no entry is filled in. Sides are told by the
//! resolvent of the graph at x − F_k/H_kk, and chosen again until none changes: a semismooth Newton method, as `Intervals` has
//! it for rows along any direction. Both leave their steppers another way to go where sides go round.

use super::mass::{Factor, Mass};
use super::tree::Tree;

/// Choices of sides before sweeps help, how often they may, and sweeps of one help.
const CHOICES: usize = 24;
const HELPS: usize = 8;
const SWEEPS: usize = 30;

/// What acts along a column beside springs and drives, and the side that it is on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    low: f64,
    high: f64,
    rest: f64,
    loss: f64,
    /// The corner of the graph that s_k is locked at.
    locked: Option<f64>,
    /// Force over the step (an impulse).
    force: f64,
}

impl Column {
    const FREE: Self =
        Self { low: f64::NEG_INFINITY, high: f64::INFINITY, rest: 0.0, loss: 0.0, locked: None, force: 0.0 };

    /// Chooses the side for a value of s_k with the present force; whether it is another.
    fn choose(&mut self, s: f64, give: f64) -> bool {
        let (_, locked, force) = self.resolve(s - give * self.force, give);
        let changed = locked != self.locked || (locked.is_none() && force != self.force);
        self.locked = locked;
        if locked.is_none() {
            self.force = force;
        }
        changed
    }

    /// The resolvent of the graph: the place x with x − give F = trial, where it is a corner, and F where it is none.
    fn resolve(&self, trial: f64, give: f64) -> (f64, Option<f64>, f64) {
        let (mut at, mut force) = (trial, 0.0);
        let mut locked = None;
        if self.loss > 0.0 {
            if trial > self.rest + give * self.loss {
                (at, force) = (trial - give * self.loss, -self.loss);
            } else if trial < self.rest - give * self.loss {
                (at, force) = (trial + give * self.loss, self.loss);
            } else {
                (at, locked) = (self.rest, Some(self.rest));
            }
        }
        if at <= self.low {
            (at, locked) = (self.low, Some(self.low));
        } else if at >= self.high {
            (at, locked) = (self.high, Some(self.high));
        }
        (at, locked, force)
    }

    /// Its force as that of friction and that of a limit.
    fn parts(&self) -> (f64, f64) {
        match self.locked {
            Some(at) if at == self.low || at == self.high => {
                let friction = if self.loss == 0.0 {
                    0.0
                } else if at < self.rest {
                    self.loss
                } else if at > self.rest {
                    -self.loss
                } else {
                    self.force.clamp(-self.loss, self.loss)
                };
                (friction, self.force - friction)
            }
            _ => (self.force, 0.0),
        }
    }
}

/// A symmetric matrix that is positive definite, and its factor without some of its columns.
pub(crate) trait Matrix {
    /// An entry of the diagonal.
    fn own(&self, k: usize) -> f64;
    /// The product with x.
    fn multiply(&self, x: &[f64], out: &mut [f64]);
    /// Every entry of a column: row, value.
    fn each_of_column(&self, k: usize, put: impl FnMut(usize, f64));
    /// Factors it without the columns named; false where that is not positive definite.
    fn factor_without(&mut self, out: &[bool]) -> bool;
    /// x ← the inverse of what was factored, times x; columns left out are to be zero in x.
    fn solve(&self, x: &mut [f64]);
}

/// M + diag(d) of a tree.
pub(crate) struct Softened<'a> {
    /// The tree.
    pub tree: &'a Tree,
    /// M.
    pub mass: &'a Mass,
    /// What is added to its diagonal.
    pub diagonal: &'a [f64],
    /// Where the factor goes.
    pub factor: &'a mut Factor,
}

impl Matrix for Softened<'_> {
    fn own(&self, k: usize) -> f64 {
        self.mass.diagonal(self.tree, k) + self.diagonal[k]
    }

    fn multiply(&self, x: &[f64], out: &mut [f64]) {
        self.mass.multiply(self.tree, x, out);
        out.iter_mut().zip(x.iter().zip(self.diagonal)).for_each(|(out, (x, d))| *out += d * x);
    }

    fn each_of_column(&self, k: usize, mut put: impl FnMut(usize, f64)) {
        put(k, self.diagonal[k]);
        self.mass.each_of_column(self.tree, k, put);
    }

    fn factor_without(&mut self, out: &[bool]) -> bool {
        self.factor.compute_without(self.tree, self.mass, self.diagonal, out).is_ok()
    }

    fn solve(&self, x: &mut [f64]) {
        self.factor.solve(self.tree, x);
    }
}

/// Graphs of all columns, and the scratch of the solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct LockedColumns {
    columns: Vec<Column>,
    /// Columns that the factor at hand leaves out.
    locked: Vec<bool>,
    known: bool,
    /// The step.
    pub d: Vec<f64>,
    /// The matrix times the step.
    pub product: Vec<f64>,
}

impl LockedColumns {
    /// All of n columns free, for another matrix.
    pub fn begin(&mut self, n: usize) {
        self.columns.clear();
        self.columns.resize(n, Column::FREE);
        self.locked.clear();
        self.locked.resize(n, false);
        self.d.resize(n, 0.0);
        self.product.resize(n, 0.0);
        self.known = false;
    }

    /// Columns that the last factor left out.
    pub fn locked(&self) -> &[bool] {
        &self.locked
    }

    /// The matrix is another than that of the last solution.
    pub fn renew(&mut self) {
        self.known = false;
    }

    /// A limit: +1 the lower, −1 the upper; where it is, and its last force.
    pub fn add_limit(&mut self, column: usize, sign: f64, at: f64, force: f64) {
        let of = &mut self.columns[column];
        *(if sign > 0.0 { &mut of.low } else { &mut of.high }) = at;
        of.force += sign * force;
    }

    /// Dry friction about a place, and its last force.
    pub fn add_friction(&mut self, column: usize, rest: f64, loss: f64, force: f64) {
        let of = &mut self.columns[column];
        (of.rest, of.loss) = (rest, loss);
        of.force += force;
    }

    /// Force of a limit.
    pub fn limit(&self, column: usize, sign: f64) -> f64 {
        let of = &self.columns[column];
        let at = if sign > 0.0 { of.low } else { of.high };
        if of.locked == Some(at) { (sign * of.parts().1).max(0.0) } else { 0.0 }
    }

    /// Force of friction.
    pub fn friction(&self, column: usize) -> f64 {
        self.columns[column].parts().0
    }

    /// d·(r − F).
    pub fn slope_along(&self, r: &[f64]) -> f64 {
        self.columns.iter().zip(&self.d).zip(r).map(|((column, d), r)| d * (r - column.force)).sum()
    }

    /// Sides, forces and the step; whether all sides were found.
    pub fn solve(&mut self, matrix: &mut impl Matrix, s: &[f64], r: &[f64]) -> bool {
        self.d.fill(0.0);
        for _ in 0..HELPS {
            if self.change_sides(matrix, s, r) {
                return true;
            }
            if !self.known {
                return false;
            }
            self.sweep(matrix, s, r);
        }
        false
    }

    /// Each column by itself, one after the other: descent on a convex function, which brings sides nearer that go round.
    fn sweep(&mut self, matrix: &impl Matrix, s: &[f64], r: &[f64]) {
        let Self { columns, d, product, .. } = self;
        // The gradient without the graphs: the matrix times d, and r.
        matrix.multiply(d, product);
        (0..d.len()).for_each(|k| product[k] += r[k]);
        for _ in 0..SWEEPS {
            for k in 0..d.len() {
                let own = matrix.own(k);
                let at = s[k] + d[k];
                let change = columns[k].resolve(at - product[k] / own, 1.0 / own).0 - at;
                d[k] += change;
                matrix.each_of_column(k, |j, m| product[j] += m * change);
            }
        }
        columns.iter_mut().zip(&*product).for_each(|(column, p)| column.force = *p);
    }

    fn change_sides(&mut self, matrix: &mut impl Matrix, s: &[f64], r: &[f64]) -> bool {
        let Self { columns, locked, known, d, product } = self;
        for choice in 0..CHOICES {
            let mut changed = false;
            for (k, column) in columns.iter_mut().enumerate() {
                let own = matrix.own(k);
                changed |= column.choose(s[k] + d[k], 1.0 / own);
            }
            if choice > 0 && !changed {
                return true;
            }
            let same = columns.iter().zip(&*locked).all(|(column, locked)| column.locked.is_some() == *locked);
            if !*known || !same {
                locked.iter_mut().zip(&*columns).for_each(|(locked, column)| *locked = column.locked.is_some());
                *known = matrix.factor_without(locked);
                if !*known {
                    return false;
                }
            }
            // Locked columns go where they are locked; what that asks of the others.
            let mut goes = false;
            for (k, column) in columns.iter().enumerate() {
                d[k] = column.locked.map_or(0.0, |at| at - s[k]);
                goes |= d[k] != 0.0;
            }
            product.fill(0.0);
            if goes {
                matrix.multiply(d, product);
            }
            for (k, column) in columns.iter().enumerate() {
                product[k] = if column.locked.is_some() { 0.0 } else { column.force - r[k] - product[k] };
            }
            matrix.solve(product);
            for (k, column) in columns.iter().enumerate() {
                d[k] = if column.locked.is_some() { d[k] } else { product[k] };
            }
            matrix.multiply(d, product);
            for (k, column) in columns.iter_mut().enumerate() {
                if column.locked.is_some() {
                    column.force = product[k] + r[k];
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Base, Frame, Intervals, Joint, Link};
    use super::*;
    use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};

    /// A trunk of two hinges with three fingers of three.
    fn hand() -> Tree {
        let link = |i: usize| Link {
            name: format!("{i}"),
            parent: [None, Some(0), Some(1), Some(2), Some(3), Some(1), Some(5), Some(6), Some(1), Some(8), Some(9)][i],
            joint: Joint::Revolute(Unit::new_normalize(Vector3::new((i as f64).sin(), (1.7 * i as f64).cos(), 0.3))),
            X_PF: Isometry3::new(Vector3::new(0.02, 0.01, 0.1), Vector3::new(0.1 * i as f64, 0.2, -0.1)),
            mass: 0.1,
            p_BoBcm: Point3::new(0.0, 0.01, 0.05),
            I_BBcm_B: Matrix3::from_diagonal(&Vector3::new(1e-4, 1e-4, 2e-5)),
            armature: 1e-4,
            laws: Vec::new(),
        };
        Tree::new((0..11).map(link).collect(), Vector3::zeros()).unwrap()
    }

    /// Random limits and friction: the forces and the motion are those of the rows solved along any direction.
    #[test]
    fn locked_columns_are_what_interval_rows_find() {
        let tree = hand();
        let n = tree.nv();
        let (mut frame, mut mass, mut factor) = (Frame::new(&tree), Mass::new(&tree), Factor::new(&tree));
        let mut seed = 5_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (mut held, mut slid, mut compared) = (0, 0, 0);
        for round in 0..200 {
            let q: Vec<f64> = (0..n).map(|_| random()).collect();
            frame.place(&tree, &q, &Base::default());
            mass.compute(&tree, &frame);
            let mut columns = LockedColumns::default();
            let diagonal: Vec<f64> = (0..n).map(|_| 1e-3 * random().abs()).collect();
            factor.compute_with(&tree, &mass, &diagonal).unwrap();
            let s: Vec<f64> = (0..n).map(|_| random()).collect();
            let r: Vec<f64> = (0..n).map(|_| 1e-3 * random()).collect();
            // Where everything would go without rows.
            let mut free = r.clone();
            factor.solve(&tree, &mut free);
            (0..n).for_each(|k| free[k] = s[k] - free[k]);
            columns.begin(n);
            let mut rows: Vec<(usize, f64, f64, [f64; 2])> = Vec::new();
            for k in 0..n {
                let (kind, at) = ((round + 3 * k) % 4, random());
                if kind == 0 || kind == 3 {
                    columns.add_limit(k, 1.0, at, 0.0);
                    rows.push((k, 1.0, -at, [0.0, f64::INFINITY]));
                    columns.add_limit(k, -1.0, at + 0.3, 0.0);
                    rows.push((k, -1.0, at + 0.3, [0.0, f64::INFINITY]));
                }
                if kind == 1 || kind == 3 {
                    let (rest, loss) = (random(), 1e-3 * random().abs());
                    columns.add_friction(k, rest, loss, 0.0);
                    rows.push((k, 1.0, -rest, [-loss, loss]));
                }
            }
            let mut without = Factor::new(&tree);
            let mut matrix = Softened { tree: &tree, mass: &mass, diagonal: &diagonal, factor: &mut without };
            assert!(columns.solve(&mut matrix, &s, &r), "{round}");
            let mut other = Intervals::default();
            other.resize(rows.len());
            for (i, (k, sign, b, [low, high])) in rows.iter().enumerate() {
                let mut x = vec![0.0; n];
                x[*k] = *sign;
                factor.solve(&tree, &mut x);
                for (j, (k, sign, ..)) in rows.iter().enumerate() {
                    other.G[i * rows.len() + j] = sign * x[*k];
                }
                other.b[i] = sign * free[*k] + b;
                (other.low[i], other.high[i]) = (*low, *high);
            }
            other.solve();
            // Conditions, from M itself: the solution of a convex problem is the only one that meets them.
            for k in 0..n {
                let own: f64 = (0..n).map(|j| mass.entry(&tree, k, j) * columns.d[j]).sum();
                let force = own + diagonal[k] * columns.d[k] + r[k];
                let told: f64 = rows.iter().filter(|row| row.0 == k).fold(0.0, |sum, (_, sign, _, [low, _])| {
                    sum + if *low < 0.0 { columns.friction(k) } else { sign * columns.limit(k, *sign) }
                });
                assert!((force - told).abs() < 1e-12, "{round} {k}: {force} {told}");
                for (_, sign, b, [low, high]) in rows.iter().filter(|row| row.0 == k) {
                    let w = sign * (s[k] + columns.d[k]) + b;
                    let f = if *low < 0.0 { columns.friction(k) } else { columns.limit(k, *sign) };
                    let off = f - (f - 1e-3 * w).clamp(*low, *high);
                    assert!(off.abs() < 1e-12, "{round} {k}: {w} {f}");
                }
            }
            let met = |i: usize| {
                let (l, w) = (other.lambda[i], other.w[i]);
                (l - (l - 1e-3 * w).clamp(other.low[i], other.high[i])).abs() < 1e-11
            };
            // Rows of one column follow from each other, which not always ends well there.
            if (0..rows.len()).all(met) {
                compared += 1;
                let mut x = vec![0.0; n];
                rows.iter().zip(&other.lambda).for_each(|((k, sign, ..), lambda)| x[*k] += sign * lambda);
                factor.solve(&tree, &mut x);
                for k in 0..n {
                    let (own, theirs) = (s[k] + columns.d[k], free[k] + x[k]);
                    assert!((own - theirs).abs() < 1e-8, "{round} {k}: {own} {theirs}");
                }
            }
            held += columns.locked.iter().filter(|locked| **locked).count();
            slid += columns.locked.iter().filter(|locked| !**locked).count();
        }
        assert!(held > 300 && slid > 300 && compared > 100, "{held} {slid} {compared}");
    }
}
