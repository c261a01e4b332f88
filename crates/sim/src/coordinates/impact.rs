//! # Impact of joints: velocities that jump at limits, while equations hold
//!
//! v before, limits that are reached ──▶ **here** ──(v after, energy lost)──▶ steppers, kicks
//!
//! - **in**: a placed tree with its factor, velocities, the limits that it lies at
//! - **out**: velocities with which equations hold and Newton's rule at limits: v_j⁺ ≥ −e v_j⁻, pushed only inwards
//! - **not here**: contacts
//! - **start at** [`Impact::act`]

use super::equations::{Equations, Held};
use super::frame::Frame;
use super::intervals::Intervals;
use super::mass::Factor;
use super::tree::Tree;

/// A limit that a coordinate lies at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtLimit {
    /// Its column.
    pub column: usize,
    /// +1 at the lower limit, −1 at the upper.
    pub sign: f64,
    /// Newton's restitution.
    pub restitution: f64,
}

/// Scratch of impacts.
#[derive(Clone, Debug, Default)]
pub struct Impact {
    equations: Equations,
    rows: Intervals,
    a: Vec<f64>,
    x: Vec<f64>,
    before: Vec<f64>,
    /// Work of what moves as told, in the last impact (J).
    pub supplied: f64,
}

impl Impact {
    /// Changes v; the energy that limits take (J).
    #[allow(clippy::too_many_arguments)] // a tree, its equations and limits
    pub fn act(
        &mut self,
        tree: &Tree,
        held: Held,
        (frame, factor): (&Frame, &Factor),
        q: &[f64],
        v: &mut [f64],
        limits: &[AtLimit],
    ) -> f64 {
        let n = tree.nv();
        let equations = Equations::count(held.list);
        let m = equations + limits.len();
        self.supplied = 0.0;
        if m == 0 {
            return 0.0;
        }
        self.a.clear();
        if !held.list.is_empty() {
            self.equations.evaluate(tree, held, frame, q);
            self.a.extend_from_slice(&self.equations.a);
        }
        self.a.resize(m * n, 0.0);
        for (i, limit) in limits.iter().enumerate() {
            self.a[(equations + i) * n + limit.column] = limit.sign;
        }
        self.rows.resize(m);
        gram(tree, factor, &self.a, &mut self.x, &mut self.rows.G);
        self.before.clear();
        for (i, row) in self.a.chunks_exact(n).enumerate() {
            let along: f64 = row.iter().zip(&*v).map(|(a, v)| a * v).sum();
            self.before.push(along);
            let limit = i.checked_sub(equations).map(|i| &limits[i]);
            let bounce = match limit {
                Some(limit) => limit.restitution * along.min(0.0),
                None => self.equations.rate[i],
            };
            self.rows.b[i] = along + bounce;
            self.rows.low[i] = if limit.is_some() { 0.0 } else { f64::NEG_INFINITY };
            self.rows.high[i] = f64::INFINITY;
        }
        self.rows.lambda.fill(0.0);
        self.rows.solve();
        let mut lost = 0.0;
        for i in 0..m {
            let lambda = self.rows.lambda[i];
            for (v, x) in v.iter_mut().zip(&self.x[i * n..(i + 1) * n]) {
                *v += lambda * x;
            }
        }
        for i in 0..equations {
            self.supplied -= self.rows.lambda[i] * self.equations.rate[i];
        }
        for (i, row) in self.a.chunks_exact(n).enumerate().skip(equations) {
            let after: f64 = row.iter().zip(&*v).map(|(a, v)| a * v).sum();
            lost -= self.rows.lambda[i] * 0.5 * (self.before[i] + after);
        }
        lost
    }
}

impl Impact {
    /// Changes v by the least change so that columns have these velocities and equations hold; whether anything changed.
    #[allow(clippy::too_many_arguments)] // a tree, its equations and aims
    pub fn meet(
        &mut self,
        tree: &Tree,
        held: Held,
        (frame, factor): (&Frame, &Factor),
        q: &[f64],
        v: &mut [f64],
        aims: &[(usize, f64)],
    ) -> bool {
        let n = tree.nv();
        let equations = Equations::count(held.list);
        let m = equations + aims.len();
        self.a.clear();
        if !held.list.is_empty() {
            self.equations.evaluate(tree, held, frame, q);
            self.a.extend_from_slice(&self.equations.a);
        }
        self.a.resize(m * n, 0.0);
        aims.iter().enumerate().for_each(|(i, (column, _))| self.a[(equations + i) * n + column] = 1.0);
        self.rows.resize(m);
        gram(tree, factor, &self.a, &mut self.x, &mut self.rows.G);
        for (i, row) in self.a.chunks_exact(n).enumerate() {
            let aim = i.checked_sub(equations).map_or_else(|| -self.equations.rate[i], |i| aims[i].1);
            self.rows.b[i] = row.iter().zip(&*v).map(|(a, v)| a * v).sum::<f64>() - aim;
            (self.rows.low[i], self.rows.high[i]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        self.rows.lambda.fill(0.0);
        self.rows.solve();
        for (i, lambda) in self.rows.lambda.iter().enumerate() {
            v.iter_mut().zip(&self.x[i * n..(i + 1) * n]).for_each(|(v, x)| *v += lambda * x);
        }
        self.rows.lambda.iter().any(|lambda| *lambda != 0.0)
    }
}

/// X = M⁻¹ Aᵀ row by row, and G = A X.
pub(crate) fn gram(tree: &Tree, factor: &Factor, a: &[f64], x: &mut Vec<f64>, G: &mut [f64]) {
    let n = tree.nv();
    let m = a.len() / n;
    x.clear();
    x.extend_from_slice(a);
    x.chunks_exact_mut(n).for_each(|row| factor.solve(tree, row));
    for i in 0..m {
        for j in 0..=i {
            let dot = a[i * n..(i + 1) * n].iter().zip(&x[j * n..(j + 1) * n]).map(|(a, x)| a * x).sum();
            G[i * m + j] = dot;
            G[j * m + i] = dot;
        }
    }
}
