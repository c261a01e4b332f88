//! # Grip: how hard a grasp must be held for a wrench
//!
//! `live`, `statics` ──▶ **here** ──([`Grip`])──▶ the program
//!
//! - **in**: a grasp, the wrench on the object, what is to be least, torque limits of a hand
//! - **out**: least value with a bound that certifies it, and the loads
//! - **not here**: the search over boxes of loads (`live`)
//! - **start at** [`least_grip`]

use crate::live::{Bounded, Found, LiveOptions, Search};
use crate::statics::{Goal, Outcome, Solver};
use crate::{Grasp, Hand, Twist, Wrench};

/// What is to be least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Least {
    /// The largest normal force (N).
    Max,
    /// The sum of normal forces (N).
    Sum,
    /// √Σ(P² + f₁² + f₂² + (τ/ρ)²) with the torque length ρ (N).
    Energy,
}

/// The least grip.
pub type Grip = Bounded;

/// Why there is no least grip.
#[derive(Clone, Debug, PartialEq)]
pub enum GripError {
    /// No loads hold the wrench. Where friction alone is to blame: a twist on which no contact does positive work,
    /// although holding the wrench asks for some.
    Impossible(Option<Twist>),
    /// The search found neither loads nor a proof that there are none.
    NotFound,
}

fn goal(grasp: &Grasp, least: Least) -> Goal {
    match least {
        Least::Max => Goal::Max,
        Least::Sum => Goal::Sum,
        Least::Energy => Goal::Energy { length: grasp.torque_length },
    }
}

/// Least grip that holds `wrench`, with patches that live with the load.
pub fn least_grip(
    grasp: &Grasp,
    hand: Option<&Hand>,
    wrench: &Wrench,
    least: Least,
    options: LiveOptions,
    solver: &mut Solver,
) -> Result<Grip, GripError> {
    let search = Search { grasp, hand, wrench: *wrench, goal: goal(grasp, least), options };
    // Nothing to hold, and joints that bear themselves: no load at all.
    let idle = hand.is_none_or(|h| h.bias.iter().zip(&h.torque_limits).all(|(b, m)| b.abs() <= *m));
    if *wrench == Wrench::zeros() && idle {
        let loads = vec![[0.0; 4]; grasp.contacts.len()];
        return Ok(Bounded { value: 0.0, at_least: 0.0, loads, nodes: 0, certified: true, residual: 0.0 });
    }
    let found = if grasp.lives() { search.minimise(solver) } else { search.fixed(solver) };
    match found {
        Found::Held(grip) => Ok(grip),
        Found::Impossible(twist) => Err(GripError::Impossible(twist)),
        Found::Unbounded | Found::Open => Err(GripError::NotFound),
    }
}

/// Least grip with every patch frozen at a load (N); none where no loads hold.
pub fn frozen_grip(
    grasp: &Grasp,
    hand: Option<&Hand>,
    wrench: &Wrench,
    least: Least,
    load: f64,
    solver: &mut Solver,
) -> Option<f64> {
    let search = Search { grasp, hand, wrench: *wrench, goal: goal(grasp, least), options: LiveOptions::default() };
    let e_n: Vec<f64> = grasp.contacts.iter().map(|c| c.patch.e_n(load)).collect();
    match search.frozen(&e_n, solver) {
        Outcome::Held(held) => Some(held.value),
        _ => None,
    }
}
