//! # State of a tree: what changes, and nothing that can be computed from it
//!
//! - **in / out**: q and v in the tree's own order ([`Tree::q_of_user`] leads there and back)

use super::tree::Tree;

/// Coordinates and velocities of one tree.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// By column, what the accurate stepper knows of its limits: −1 pressed at the lower, 1 at the upper, 0 free.
    pub pressed: Vec<i8>,
    /// By column, what the accurate stepper knows of its dry friction: 0 sticks, ±1 slips with this sign of velocity.
    pub slips: Vec<i8>,
    /// Forces of joint rows over the last step (N·m or N): limits, dry friction, equations, in the order of the stepper.
    pub forces: Vec<f64>,
    /// What joints have added to the ledger.
    pub sums: TreeSums,
}

/// Lines of the ledger that trees of joints have (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TreeSums {
    /// Lost in dampers and dry friction of joints.
    pub E_joint: f64,
    /// Lost in dampers and torque limits of drives.
    pub E_drive: f64,
    /// Lost at limits.
    pub E_limit: f64,
    /// Work of drives.
    pub W_drive: f64,
    /// What inertia and gravity did in a fixed step beyond the rows of the step; either sign, positive where energy went.
    pub E_inertia: f64,
    /// What bringing loops and couplings together took; either sign.
    pub E_project: f64,
    /// Numerical losses of joint rows in fixed steps.
    pub E_num: f64,
    /// Misfit of straight rows of spatial springs; either sign.
    pub E_geo: f64,
}

impl TreeSums {
    /// Adds what further steps summed up.
    pub fn add(&mut self, other: &Self) {
        self.E_joint += other.E_joint;
        self.E_drive += other.E_drive;
        self.E_limit += other.E_limit;
        self.W_drive += other.W_drive;
        self.E_inertia += other.E_inertia;
        self.E_project += other.E_project;
        self.E_num += other.E_num;
        self.E_geo += other.E_geo;
    }
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
        Self {
            q: tree.rest(),
            v: zeros.clone(),
            last: [zeros.clone(), zeros],
            known: 0,
            owed: 0.0,
            energy_scale: 0.0,
            pressed: vec![0; tree.nv()],
            slips: vec![0; tree.nv()],
            forces: Vec::new(),
            sums: TreeSums::default(),
        }
    }
}
