//! # Equations of a tree: couplings of joints and loops
//!
//! q, v, a [`Frame`] ──▶ **here** ──(values g, rows A = ∂g/∂q, A′v)──▶ steppers; q and v brought back to g = 0, A v = 0
//!
//! - **in**: equations between coordinates, frames on two links that stay together
//! - **out**: g, A row by row over all velocities, A′v; [`Equations::close`] and [`Equations::settle`]
//! - **not here**: limits and friction loss (steppers); multipliers ([`Intervals`](super::intervals))
//! - **start at** [`Equation`], then [`Equations::close`]
//!
//! What a link is tied to may move as told ([`Guide`]): then g depends on time, ∂g/∂t + A v = 0, and what holds does work.
//!
//! A connected point has g = p_B − p_A; a weld also the turn from A's frame to B's, as twice the vector of its quaternion,
//! whose rate is ω_B − ω_A where g = 0. All in world axes.

use super::frame::{Base, Frame};
use super::intervals::solve_semidefinite;
use super::mass::{Factor, Mass};
use super::tree::Tree;
use crate::model::body::Prescribed;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Point3};

/// A scalar coordinate: its column and its place in q.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Column of v.
    pub column: usize,
    /// Place in q.
    pub q: usize,
}

/// What holds in a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Equation {
    /// Σ g_k q_k = offset.
    Linear {
        /// Coordinates and their factors.
        terms: Vec<(Scalar, f64)>,
        /// Their sum.
        offset: f64,
    },
    /// q_a = Σ c_k q_b^k.
    Polynomial {
        /// The coordinate that follows.
        a: Scalar,
        /// The one that it follows.
        b: Scalar,
        /// Coefficients, the constant one first.
        coefficients: Vec<f64>,
    },
    /// Frames on two links (`None`: the world) stay together, by their origins or wholly.
    Loop {
        /// The links.
        links: [Option<usize>; 2],
        /// The frames in them.
        X_ML: [Isometry3<f64>; 2],
        /// What moves a frame that is on no link; none stands still.
        guides: [Option<Guide>; 2],
        /// Whether axes stay together too.
        weld: bool,
    },
}

/// A body that moves as told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guide {
    /// How it moves.
    pub motion: Prescribed,
    /// Where it is at time 0.
    pub X_WB: Isometry3<f64>,
}

impl Guide {
    /// Pose at a time of a frame F in the body.
    pub(crate) fn pose(&self, X_BF: &Isometry3<f64>, t: f64) -> Isometry3<f64> {
        self.motion.pose(&self.X_WB, t) * X_BF
    }

    fn at(&self, X_BF: &Isometry3<f64>, t: f64) -> Point3<f64> {
        self.pose(X_BF, t).translation.vector.into()
    }

    /// Velocity at the origin of F, world axes.
    pub(crate) fn velocity(&self, X_BF: &Isometry3<f64>, t: f64) -> SpatialVelocity {
        self.motion.velocity_at(&self.at(X_BF, t), t)
    }

    /// Angular acceleration, and acceleration of the origin of F.
    fn acceleration(&self, X_BF: &Isometry3<f64>, t: f64) -> SpatialVelocity {
        self.motion.acceleration_at(&self.at(X_BF, t), t)
    }
}

/// Equations at a time.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// The equations.
    pub list: &'a [Equation],
    /// The time (s): where guides are.
    pub t: f64,
}

impl Equation {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        match self {
            Equation::Linear { .. } | Equation::Polynomial { .. } => 1,
            Equation::Loop { weld: false, .. } => 3,
            Equation::Loop { weld: true, .. } => 6,
        }
    }
}

/// Scratch for the equations of a tree.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    /// Values g.
    pub g: Vec<f64>,
    /// Rows A over all velocities.
    pub a: Vec<f64>,
    /// ∂g/∂t, by what moves as told.
    pub rate: Vec<f64>,
    /// A′v, and what guides add to it.
    pub drift: Vec<f64>,
    /// M⁻¹ Aᵀ, row by row.
    pub x: Vec<f64>,
    gram: Vec<f64>,
    eliminated: Vec<f64>,
    lambda: Vec<f64>,
    step: Vec<f64>,
    q: Vec<f64>,
}

/// Σ c_k x^k and its first two derivatives.
fn polynomial(c: &[f64], x: f64) -> [f64; 3] {
    let mut out = [0.0; 3];
    for c in c.iter().rev() {
        out[2] = out[2] * x + 2.0 * out[1];
        out[1] = out[1] * x + out[0];
        out[0] = out[0] * x + c;
    }
    out
}

/// Adds a velocity to the rows of a loop.
fn add_velocity(rows: &mut [f64], V: &SpatialVelocity, share: f64, weld: bool) {
    (0..3).for_each(|k| rows[k] += share * V.v[k]);
    if weld {
        (0..3).for_each(|k| rows[3 + k] += share * V.w[k]);
    }
}

impl Equations {
    /// How many rows a list has.
    pub fn count(list: &[Equation]) -> usize {
        list.iter().map(Equation::rows).sum()
    }

    /// Values and rows at a placed frame.
    pub fn evaluate(&mut self, tree: &Tree, held: Held, frame: &Frame, q: &[f64]) {
        let Held { list, t } = held;
        let (m, n) = (Self::count(list), tree.nv());
        self.g.resize(m, 0.0);
        self.rate.resize(m, 0.0);
        self.rate.fill(0.0);
        self.a.resize(m * n, 0.0);
        self.a.fill(0.0);
        let mut at = 0;
        for equation in list {
            match equation {
                Equation::Linear { terms, offset } => {
                    self.g[at] = terms.iter().map(|(of, k)| k * q[of.q]).sum::<f64>() - offset;
                    terms.iter().for_each(|(of, k)| self.a[at * n + of.column] += k);
                }
                Equation::Polynomial { a, b, coefficients } => {
                    let [value, slope, _] = polynomial(coefficients, q[b.q]);
                    self.g[at] = q[a.q] - value;
                    self.a[at * n + a.column] += 1.0;
                    self.a[at * n + b.column] -= slope;
                }
                Equation::Loop { links, X_ML, guides, weld } => {
                    let X_W = [0, 1].map(|k| match (links[k], &guides[k]) {
                        (Some(link), _) => frame.pose(tree, link) * X_ML[k],
                        (None, Some(guide)) => guide.pose(&X_ML[k], t),
                        (None, None) => X_ML[k],
                    });
                    let apart = X_W[1].translation.vector - X_W[0].translation.vector;
                    (0..3).for_each(|k| self.g[at + k] = apart[k]);
                    if *weld {
                        let turn = X_W[1].rotation * X_W[0].rotation.inverse();
                        let half = if turn.w < 0.0 { -turn.imag() } else { turn.imag() };
                        (0..3).for_each(|k| self.g[at + 3 + k] = 2.0 * half[k]);
                    }
                    for (side, sign) in [(0, -1.0), (1, 1.0)] {
                        if let (None, Some(guide)) = (links[side], &guides[side]) {
                            add_velocity(&mut self.rate[at..], &guide.velocity(&X_ML[side], t), sign, *weld);
                        }
                        let Some(link) = links[side] else { continue };
                        let origin = frame.pose(tree, link).translation.vector;
                        let arm = X_W[side].translation.vector - origin;
                        let a = &mut self.a;
                        frame.jacobian(tree, link, |column, V: SpatialVelocity| {
                            let v = V.v + V.w.cross(&arm);
                            (0..3).for_each(|k| a[(at + k) * n + column] += sign * v[k]);
                            if *weld {
                                (0..3).for_each(|k| a[(at + 3 + k) * n + column] += sign * V.w[k]);
                            }
                        });
                    }
                }
            }
            at += equation.rows();
        }
    }

    /// ∂g/∂t as a step from t0 to t1 takes it: such that whoever follows it ends with the velocity of t1, as A (v0 + θ Δv) = −∂g/∂t
    /// has it.
    pub(crate) fn lead(&mut self, list: &[Equation], (t0, t1): (f64, f64), theta: f64) {
        self.rate.fill(0.0);
        let mut at = 0;
        for equation in list {
            if let Equation::Loop { links, X_ML, guides, weld } = equation {
                for (side, sign) in [(0, -1.0), (1, 1.0)] {
                    let (None, Some(guide)) = (links[side], &guides[side]) else { continue };
                    for (t, share) in [(t0, 1.0 - theta), (t1, theta)] {
                        add_velocity(&mut self.rate[at..], &guide.velocity(&X_ML[side], t), sign * share, *weld);
                    }
                }
            }
            at += equation.rows();
        }
    }

    /// A′v, from a frame whose accelerations are those of v′ = 0 ([`Frame::set_velocity_accelerations`]).
    pub fn drift(&mut self, tree: &Tree, held: Held, frame: &Frame, q: &[f64], v: &[f64]) {
        let Held { list, t } = held;
        self.drift.resize(Self::count(list), 0.0);
        let mut at = 0;
        for equation in list {
            match equation {
                Equation::Linear { .. } => self.drift[at] = 0.0,
                Equation::Polynomial { b, coefficients, .. } => {
                    let [_, _, bend] = polynomial(coefficients, q[b.q]);
                    self.drift[at] = -bend * v[b.column] * v[b.column];
                }
                Equation::Loop { links, X_ML, guides, weld } => {
                    let mut sum = SpatialVelocity::zero();
                    for (side, sign) in [(0, -1.0), (1, 1.0)] {
                        if let (None, Some(guide)) = (links[side], &guides[side]) {
                            let A = guide.acceleration(&X_ML[side], t);
                            sum.v += A.v * sign;
                            sum.w += A.w * sign;
                        }
                        let Some(link) = links[side] else { continue };
                        let (A, V) = (frame.acceleration(tree, link), frame.velocity(tree, link));
                        let arm = frame.pose(tree, link).rotation * X_ML[side].translation.vector;
                        sum.v += (A.v + A.w.cross(&arm) + V.w.cross(&V.w.cross(&arm))) * sign;
                        sum.w += A.w * sign;
                    }
                    (0..3).for_each(|k| self.drift[at + k] = sum.v[k]);
                    if *weld {
                        (0..3).for_each(|k| self.drift[at + 3 + k] = sum.w[k]);
                    }
                }
            }
            at += equation.rows();
        }
    }

    /// M⁻¹ Aᵀ and A M⁻¹ Aᵀ for the rows at hand.
    fn weigh(&mut self, tree: &Tree, factor: &Factor) {
        let (m, n) = (self.g.len(), tree.nv());
        self.x.resize(m * n, 0.0);
        self.x.copy_from_slice(&self.a);
        self.gram.resize(m * m, 0.0);
        for i in 0..m {
            factor.solve(tree, &mut self.x[i * n..(i + 1) * n]);
        }
        for i in 0..m {
            for j in 0..m {
                let dot = self.a[i * n..(i + 1) * n].iter().zip(&self.x[j * n..(j + 1) * n]);
                self.gram[i * m + j] = dot.map(|(a, x)| a * x).sum();
            }
        }
    }

    /// The least change, by the metric M, that brings A (change) to −`self.lambda`; into `self.step`.
    fn correct(&mut self, tree: &Tree) {
        let (m, n) = (self.g.len(), tree.nv());
        self.eliminated.clone_from(&self.gram);
        solve_semidefinite(&mut self.eliminated, &mut self.lambda, m);
        self.step.clear();
        self.step.resize(n, 0.0);
        for i in 0..m {
            for k in 0..n {
                self.step[k] -= self.x[i * n + k] * self.lambda[i];
            }
        }
    }

    /// Moves q by the least motion until g = 0 to a tolerance, by at most so many steps; the largest |g| that is left. The frame
    /// is that of the new q.
    #[allow(clippy::too_many_arguments)] // a tree, its equations and the room to work in
    pub fn close(
        &mut self,
        tree: &Tree,
        held: Held,
        q: &mut [f64],
        (frame, mass, factor): (&mut Frame, &mut Mass, &mut Factor),
        tolerance: f64,
        most: usize,
    ) -> f64 {
        for round in 0..=most {
            frame.place(tree, q, &Base::default());
            self.evaluate(tree, held, frame, q);
            let worst = self.g.iter().fold(0.0, |m: f64, g| m.max(g.abs()));
            if worst <= tolerance || round == most || !worst.is_finite() {
                return worst;
            }
            mass.compute(tree, frame);
            if factor.compute(tree, mass).is_err() {
                return f64::NAN;
            }
            self.weigh(tree, factor);
            self.lambda.clone_from(&self.g);
            self.correct(tree);
            // Long ways are gone in parts: rows belong to where they were taken.
            let longest = self.step.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let scale = if longest > 0.5 { 0.5 / longest } else { 1.0 };
            self.q.clear();
            self.q.extend_from_slice(q);
            tree.add_motion(&self.q, &self.step, scale, q);
        }
        f64::NAN
    }

    /// Changes v by the least change (metric M) so that A v + ∂g/∂t = 0, at a placed frame with its factor.
    pub fn settle(&mut self, tree: &Tree, held: Held, q: &[f64], v: &mut [f64], frame: &Frame, factor: &Factor) {
        self.evaluate(tree, held, frame, q);
        self.weigh(tree, factor);
        let n = tree.nv();
        // Twice: what rounding of the first leaves.
        for _ in 0..2 {
            self.lambda.clear();
            for (row, rate) in self.a.chunks_exact(n).zip(&self.rate) {
                self.lambda.push(row.iter().zip(&*v).map(|(a, v)| a * v).sum::<f64>() + rate);
            }
            self.correct(tree);
            v.iter_mut().zip(&self.step).for_each(|(v, step)| *v += step);
        }
    }
}
