//! # Push: how far a grasp resists along a direction, and how large a task it bears
//!
//! `live` ──▶ **here** ──([`Push`])──▶ the program
//!
//! - **in**: a grasp with limits, the wrench that is there already, directions
//! - **out**: the largest push with a bound above it; the scale of a task
//! - **not here**: pushes with motors still (`passive`)
//! - **start at** [`largest_push`]

use crate::live::{Bounded, Found, LiveOptions, Search};
use crate::statics::{Goal, Solver};
use crate::{Grasp, Hand, Twist, Wrench};

/// How far a grasp resists.
#[derive(Clone, Debug)]
pub enum Push {
    /// Up to λ times the direction, with these loads; `at_most` is certified.
    UpTo {
        /// λ.
        value: f64,
        /// No loads resist more.
        at_most: f64,
        /// Loads (P, f₁, f₂, τ) at the largest push.
        loads: Vec<[f64; 4]>,
        /// Whether value and bound are within the gap asked for.
        certified: bool,
    },
    /// Without end: nothing limits the loads.
    Unlimited,
    /// Not at all: the wrench that is there already is not held, or nothing resists this direction.
    None(Option<Twist>),
    /// The search found neither.
    NotFound,
}

impl Push {
    /// λ, where there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Push::UpTo { value, .. } => Some(*value),
            _ => None,
        }
    }
}

/// Largest λ for which `wrench` + λ `direction` is held.
pub fn largest_push(
    grasp: &Grasp,
    hand: Option<&Hand>,
    wrench: &Wrench,
    direction: &Wrench,
    options: LiveOptions,
    solver: &mut Solver,
) -> Push {
    let search = Search { grasp, hand, wrench: *wrench, goal: Goal::Push { direction: *direction }, options };
    let found = if grasp.lives() { search.minimise(solver) } else { search.fixed(solver) };
    match found {
        // A negative λ: the wrench alone is not held.
        Found::Held(Bounded { value, .. }) if value > 1e-9 => Push::None(None),
        Found::Held(Bounded { value, at_least, loads, certified, .. }) => {
            Push::UpTo { value: (-value).max(0.0), at_most: -at_least, loads, certified }
        }
        Found::Impossible(twist) => Push::None(twist),
        Found::Unbounded => Push::Unlimited,
        Found::Open => Push::NotFound,
    }
}

/// Scale of each wrench of a task that is resisted; the least of them is the scale of the task.
pub fn task_scale(
    grasp: &Grasp,
    hand: Option<&Hand>,
    task: &[Wrench],
    options: LiveOptions,
    solver: &mut Solver,
) -> Vec<Push> {
    task.iter().map(|w| largest_push(grasp, hand, &Wrench::zeros(), w, options, solver)).collect()
}
