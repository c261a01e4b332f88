//! # Accurate motion: extrapolation on joint increments and velocities
//!
//! - **in**: a tree, its state, an end
//! - **out**: the state at the end, to a tolerance per step
//! - **not here**: events (limits, friction loss)
//! - **start at** [`Accurate::advance`]
//!
//! y = (increments of the joints since the start of the step, v). Springs and dampers of the joints act.

use crate::coordinates::{Base, Factor, Frame, Mass, Tree, TreeState};
use crate::extrapolate::{COLUMNS, System, Table};

/// Tolerances of the accurate motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accurate {
    /// Error of a step, of each number: absolute, and relative where it is above 1.
    pub tolerance: f64,
    /// Steps at most in one call.
    pub most_steps: usize,
}

impl Default for Accurate {
    fn default() -> Self {
        Self { tolerance: 1e-13, most_steps: 1_000_000 }
    }
}

/// Scratch of the accurate motion.
#[derive(Clone, Debug)]
pub struct AccurateWork {
    table: Table,
    frame: Frame,
    mass: Mass,
    factor: Factor,
    q: Vec<f64>,
    y: Vec<f64>,
    scratch: Vec<f64>,
    /// The step to try next (s); 0 where none is known.
    step: f64,
}

/// The end was not reached.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the motion of a tree stopped after {steps} steps, {left} s before its end")]
pub struct TooManySteps {
    /// Steps tried.
    pub steps: usize,
    /// Time left (s).
    pub left: f64,
}

impl AccurateWork {
    /// Scratch for a tree.
    pub fn new(tree: &Tree) -> Self {
        let n = tree.nv();
        Self {
            table: Table::new(2 * n),
            frame: Frame::new(tree),
            mass: Mass::new(tree),
            factor: Factor::new(tree),
            q: vec![0.0; tree.nq()],
            y: vec![0.0; 2 * n],
            scratch: vec![0.0; n],
            step: 0.0,
        }
    }
}

/// y′ of a tree.
struct Equations<'a> {
    tree: &'a Tree,
    q0: &'a [f64],
    tau: &'a [f64],
    q: &'a mut [f64],
    frame: &'a mut Frame,
    mass: &'a mut Mass,
    factor: &'a mut Factor,
    scratch: &'a mut [f64],
}

impl System for Equations<'_> {
    type Error = ();

    fn rewind(&mut self) {}

    fn rate(&mut self, _: f64, y: &[f64], rate: &mut [f64]) -> Result<(), ()> {
        let tree = self.tree;
        let (increments, v) = y.split_at(tree.nv());
        let (moved, vdot) = rate.split_at_mut(tree.nv());
        tree.drift(self.q0, increments, self.q);
        tree.drift_rate(self.q, increments, v, moved);
        self.frame.place(tree, self.q, &Base::default());
        self.frame.set_velocities(tree, v);
        self.mass.compute(tree, self.frame);
        self.factor.compute(tree, self.mass).map_err(|_| ())?;
        for k in 0..tree.nv() {
            vdot[k] = self.tau.get(k).copied().unwrap_or(0.0);
            if let Some(at) = tree.scalar_q(k) {
                let law = tree.law(k);
                vdot[k] -= law.damping * v[k];
                vdot[k] -= law.spring.map_or(0.0, |spring| spring.stiffness * (self.q[at] - spring.rest));
            }
        }
        self.frame.forward_dynamics(tree, self.factor, v, vdot, self.scratch);
        Ok(())
    }
}

impl Accurate {
    /// Moves the state on by `duration` under constant forces `tau` along the coordinates (empty: none).
    pub fn advance(
        &self,
        tree: &Tree,
        state: &mut TreeState,
        work: &mut AccurateWork,
        tau: &[f64],
        duration: f64,
    ) -> Result<(), TooManySteps> {
        let n = tree.nv();
        let mut left = duration;
        if work.step == 0.0 {
            work.step = duration.min(1e-3);
        }
        for steps in 0.. {
            if left <= 0.0 {
                break;
            }
            if steps >= self.most_steps || work.step <= 1e-14 * duration || work.step.is_nan() {
                return Err(TooManySteps { steps, left });
            }
            let h = work.step.min(left);
            let AccurateWork { table, frame, mass, factor, q, y, scratch, .. } = work;
            y[..n].fill(0.0);
            y[n..].copy_from_slice(&state.v);
            let mut system = Equations { tree, q0: &state.q, tau, q, frame, mass, factor, scratch };
            let tolerance = |_: usize, size: f64| self.tolerance * size.max(1.0);
            let found = table.attempt(&mut system, 0.0, y, h, (4, COLUMNS - 1), tolerance);
            let Ok(found) = found else {
                work.step = 0.25 * h;
                continue;
            };
            let error = found.errors[found.column].max(1e-6);
            // Column j has order 2j + 2, its error estimate 2j + 1.
            let factor = 0.9 * error.powf(-1.0 / (2.0 * found.column as f64 + 1.0));
            if error <= 1.0 {
                let (increments, v) = work.table.end().split_at(n);
                tree.drift(&state.q, increments, &mut work.q);
                state.q.copy_from_slice(&work.q);
                state.v.copy_from_slice(v);
                left -= h;
                // A step cut by the end tells nothing about longer ones.
                if h == work.step || factor < 1.0 {
                    work.step = h * factor.clamp(0.3, 2.0);
                }
            } else {
                work.step = h * factor.clamp(0.1, 0.7);
            }
        }
        (state.known, state.owed) = (0, 0.0);
        Ok(())
    }
}
