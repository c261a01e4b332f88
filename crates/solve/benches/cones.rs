//! Contacts on exact friction ellipsoids: time to the tolerance from zeros and from the last step's impulses, sweeps, residual.
//!
//! ```text
//! cargo bench -p fingerpad-solve --bench cones
//! ```
//!
//! "Sweep" is ten sweeps alone, per contact and sweep. Medians over seeds (scenes thrown together) or one run (walls, pyramid).

#[path = "../tests/bank/mod.rs"]
mod bank;

use bank::{Family, Random, Scene, cone_problem, moved, pile, wall};
use fingerpad_solve::cone::{ConeOptions, ConeSolver};
use std::time::Instant;

fn main() {
    println!("{:<34} {:>10} {:>10} {:>8} {:>9} {:>9}", "", "cold µs", "warm µs", "sweeps", "residual", "sweep ns");
    for contacts in [4, 12, 40, 100] {
        let scenes: Vec<Scene> = (0..21).map(|s| Scene::random(Family::Thrown, contacts, &mut Random(s))).collect();
        line(&format!("thrown, {contacts} contacts, 1e-12"), &scenes, 1e-12);
    }
    line("wall 4 x 25, 1e-8", &[wall(4, 25, &mut Random(3))], 1e-8);
    line("wall 4 x 130, 1e-8", &[wall(4, 130, &mut Random(3))], 1e-8);
    line("wall 10 x 50, 1e-8", &[wall(10, 50, &mut Random(3))], 1e-8);
    line("ball pyramid of 4 layers, 1e-8", &[pile(4, 4, &mut Random(3))], 1e-8);
    line("ball pyramid of 8 layers, 1e-8", &[pile(8, 8, &mut Random(3))], 1e-8);
}

fn line(name: &str, scenes: &[Scene], tolerance: f64) {
    let mut solver = ConeSolver::new(ConeOptions { tolerance, ..ConeOptions::default() });
    let mut ten =
        ConeSolver::new(ConeOptions { tolerance: 0.0, sweeps: 10, newton_contacts: 0, patience: 10, proximal: 0 });
    let (mut cold, mut warm, mut sweeps, mut residual, mut sweep) = (vec![], vec![], vec![], 0.0f64, vec![]);
    for scene in scenes {
        let (now, next) = (cone_problem(scene), cone_problem(&moved(scene, 1e-3)));
        let mut f = Vec::new();
        let start = Instant::now();
        let report = solver.solve(&now, &mut f).unwrap();
        cold.push(start.elapsed().as_secs_f64() * 1e6);
        sweeps.push(report.sweeps as f64);
        residual = residual.max(report.residual);
        let start = Instant::now();
        solver.solve(&next, &mut f).unwrap();
        warm.push(start.elapsed().as_secs_f64() * 1e6);
        let mut g = Vec::new();
        ten.solve(&now, &mut g).unwrap();
        let start = Instant::now();
        ten.solve(&now, &mut g).unwrap();
        sweep.push(start.elapsed().as_secs_f64() * 1e9 / (10.0 * now.contacts.len() as f64));
    }
    let median = |mut x: Vec<f64>| {
        x.sort_by(f64::total_cmp);
        x[x.len() / 2]
    };
    println!(
        "{name:<34} {:>10.0} {:>10.0} {:>8.0} {residual:>9.1e} {:>9.0}",
        median(cold),
        median(warm),
        median(sweeps),
        median(sweep)
    );
}
