//! # Batches: many grasps, over threads where the feature `rayon` is on
//!
//! - **in**: grasps, a question
//! - **out**: answers in the order of the grasps, the same bits with any number of threads
//! - **start at** [`each`]

use crate::{Closure, Grasp, Solver, closure};

/// Asks a question of every grasp; each thread keeps one solver.
#[cfg(feature = "rayon")]
pub fn each<T: Send>(grasps: &[Grasp], ask: impl Fn(&Grasp, &mut Solver) -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    grasps.par_iter().map_init(Solver::default, |solver, grasp| ask(grasp, solver)).collect()
}

/// Asks a question of every grasp.
#[cfg(not(feature = "rayon"))]
pub fn each<T: Send>(grasps: &[Grasp], ask: impl Fn(&Grasp, &mut Solver) -> T + Sync) -> Vec<T> {
    let mut solver = Solver::default();
    grasps.iter().map(|grasp| ask(grasp, &mut solver)).collect()
}

/// Closure of every grasp.
pub fn closures(grasps: &[Grasp]) -> Vec<Closure> {
    each(grasps, closure)
}
