//! # State of a tree: what changes, and nothing that can be computed from it
//!
//! - **in / out**: q and v in the tree's own order ([`Tree::q_of_user`] leads there and back)

use super::tree::Tree;

/// Coordinates and velocities of one tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeState {
    /// Coordinates (rad, m, quaternions wxyz).
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Changes of v over the last step and the step before it: fixed steps predict by them.
    pub last: [Vec<f64>; 2],
    /// How many of `last` are known: 0 at the start and after a sudden change.
    pub known: u8,
    /// Energy that the last fixed step left to the next one, below its guard against rounding (J).
    pub owed: f64,
    /// Scale of the energies met so far, for guards against rounding (J).
    pub energy_scale: f64,
}

impl TreeState {
    /// A state in the tree's order, from numbers in the user's order.
    pub fn from_user(tree: &Tree, q: &[f64], v: &[f64]) -> Self {
        let mut state = Self::rest(tree);
        tree.q_from_user(q, &mut state.q);
        tree.v_from_user(v, &mut state.v);
        state
    }

    /// All joints at zero, nothing moves.
    pub fn rest(tree: &Tree) -> Self {
        let zeros = vec![0.0; tree.nv()];
        Self { q: tree.rest(), v: zeros.clone(), last: [zeros.clone(), zeros], known: 0, owed: 0.0, energy_scale: 0.0 }
    }
}
