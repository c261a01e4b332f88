//! Times of the questions that planners ask most, one thread, against the figures set before they were measured.
//!
//! ```text
//! cargo bench -p fingerpad-grasp --features rayon,clarabel
//! ```
//!
//! Each grasp counts with the best of seven rounds, so that other work on the machine counts little; medians over seeded
//! grasps. The batch is wall time on two threads.

use fingerpad_grasp::{
    Certify, Contact, Grasp, Least, LiveOptions, Norm, PatchGrowth, Solver, Wrench, best_found, closure, closures,
    epsilon, least_grip,
};
use fingerpad_solve::socp::{Clarabel, InteriorPoint, Socp, SocpSolver};
use nalgebra::Vector3;
use std::hint::black_box;
use std::time::Instant;

#[path = "../tests/common/mod.rs"]
mod common;

/// Median over grasps of the time of one call (s), each the best of seven rounds.
fn median(grasps: &[Grasp], rounds: usize, mut ask: impl FnMut(&Grasp)) -> f64 {
    let mut one = |grasp: &Grasp| {
        let mut best = f64::INFINITY;
        for _ in 0..7 {
            let start = Instant::now();
            (0..rounds).for_each(|_| ask(black_box(grasp)));
            best = best.min(start.elapsed().as_secs_f64() / rounds as f64);
        }
        best
    };
    let mut times: Vec<f64> = grasps.iter().map(&mut one).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Closed random grasps.
fn closed(contacts: usize, count: usize) -> Vec<Grasp> {
    let mut random = common::Random(7 + contacts as u64);
    let mut solver = Solver::default();
    let mut all = Vec::new();
    while all.len() < count {
        let grasp = random.on_sphere(contacts, 0.3);
        if closure(&grasp, &mut solver).closed {
            all.push(grasp);
        }
    }
    all
}

fn live(grasp: &Grasp) -> Grasp {
    let grow = |(k, c): (usize, &Contact)| Contact {
        patch: PatchGrowth::Power { e_n_at_1N: 1.2e-3 + 3e-4 * k as f64, exponent: 1.0 / 3.0 },
        ..*c
    };
    let contacts = grasp.contacts.iter().enumerate().map(grow).collect();
    Grasp::new(contacts, grasp.reference, Some(grasp.torque_length)).unwrap()
}

/// The closure program of a ring, to time both solvers on the same numbers.
fn program(contacts: usize) -> Socp {
    let grasp = common::ring(contacts, 0.03, 0.5, PatchGrowth::Fixed(5e-3));
    let mut sides = vec![0.0; 6];
    sides[2] = 1.0;
    let mut socp = Socp::new(&sides);
    for k in 0..contacts {
        let map = grasp.map_about(k, &Vector3::zeros());
        let scale = [1.0, 0.5, 0.5, 0.5 * 5e-3];
        let row = |r: usize| {
            let unit = if r < 3 { 1.0 } else { 1.0 / 0.03 };
            (r, [0, 1, 2, 3].map(|c| unit * map[(r, c)] * scale[c]))
        };
        socp.block(&[1.0, 0.0, 0.0, 0.0], &[row(0), row(1), row(2), row(3), row(4), row(5)]);
    }
    socp
}

fn line(what: &str, seconds: f64, figure: &str) {
    let (value, unit) = if seconds < 1e-3 { (1e6 * seconds, "µs") } else { (1e3 * seconds, "ms") };
    println!("{what:<58} {value:>9.1} {unit}   {figure}");
}

fn main() {
    let mut solver = Solver::default();
    let weight = Wrench::new(0.3, 0.1, -2.0, 0.004, 0.002, 0.001);
    let options = LiveOptions::default();
    println!("{:<58} {:>12}   figure", "one thread, median of 41 grasps", "");
    for (contacts, figure) in [(2, ""), (3, "≤ 20 µs"), (5, "≤ 40 µs"), (10, "")] {
        let grasps = if contacts == 2 {
            (0..41).map(|k| common::ring(2, 0.03, 0.3 + 0.01 * f64::from(k), PatchGrowth::Fixed(5e-3))).collect()
        } else {
            closed(contacts, 41)
        };
        let time =
            median(&grasps, 50, |g| drop(black_box(least_grip(g, None, &weight, Least::Max, options, &mut solver))));
        line(&format!("grip, {contacts} contacts, least largest normal force"), time, figure);
        let time =
            median(&grasps, 50, |g| drop(black_box(least_grip(g, None, &weight, Least::Sum, options, &mut solver))));
        line(&format!("grip, {contacts} contacts, least sum"), time, "");
        let limit = |g: &Grasp| {
            let contacts = g.contacts.iter().map(|c| Contact { limit: Some(50.0), ..*c }).collect();
            Grasp::new(contacts, g.reference, Some(g.torque_length)).unwrap()
        };
        let limited: Vec<Grasp> = grasps.iter().map(limit).collect();
        let time =
            median(&limited, 50, |g| drop(black_box(least_grip(g, None, &weight, Least::Max, options, &mut solver))));
        line(&format!("grip, {contacts} contacts, with limits"), time, "");
    }
    for contacts in [3, 5] {
        let socp = program(contacts);
        let rings = [common::ring(contacts, 0.03, 0.5, PatchGrowth::Fixed(5e-3))];
        let mut own = InteriorPoint::default();
        let time = median(&rings, 50, |_| drop(black_box(own.solve(&socp))));
        line(&format!("one program, ring of {contacts}: our interior point"), time, "");
        let mut other = Clarabel::default();
        let time = median(&rings, 20, |_| drop(black_box(other.solve(&socp))));
        line(&format!("one program, ring of {contacts}: Clarabel, set-up included"), time, "≤ 250 µs");
    }
    let mut random = common::Random(3);
    let mixed: Vec<Grasp> = (0..41).map(|_| random.on_sphere(5, 0.5)).collect();
    line("closure with proof, 5 contacts", median(&mixed, 50, |g| drop(black_box(closure(g, &mut solver)))), "≤ 50 µs");
    let three = closed(3, 41);
    line(
        "epsilon L1, 3 contacts, best found",
        median(&three, 3, |g| assert!(black_box(best_found(g, Norm::L1)).is_some())),
        "≤ 1 ms",
    );
    line(
        "epsilon L∞, 3 contacts, best found",
        median(&three, 3, |g| assert!(black_box(best_found(g, Norm::Linf)).is_some())),
        "",
    );
    for (norm, name, figure) in [(Norm::L1, "L1", "≤ 10 ms"), (Norm::Linf, "L∞", "≤ 100 ms")] {
        let time = median(&three, 1, |g| assert!(black_box(epsilon(g, norm, Certify::default())).is_some()));
        line(&format!("epsilon {name}, 3 contacts, certified to 5 %"), time, figure);
    }
    let alive: Vec<Grasp> = three.iter().map(live).collect();
    let mut certified = 0;
    let time = median(&alive, 1, |g| {
        if let Ok(grip) = least_grip(g, None, &weight, Least::Max, options, &mut solver) {
            certified += usize::from(grip.certified);
        }
    });
    line("live grip, certified to 1e-6, 3 contacts", time, "≤ 2 ms");
    println!("{:<58} {certified:>9} of {}", "  of these certified", 7 * alive.len());
    let many: Vec<Grasp> = (0..10_000).map(|k| random.on_sphere(3 + k % 3, 0.5)).collect();
    let start = Instant::now();
    let found = closures(&many);
    let rate = found.len() as f64 / start.elapsed().as_secs_f64();
    let per_thread = median(&many[..400], 5, |g| drop(black_box(closure(g, &mut solver))));
    println!("{:<58} {rate:>9.0} /s   ≥ 40,000 /s on two threads (wall time)", "10,000 closure tests, 3 to 5 contacts");
    line("  one of them, one thread", per_thread, "50 µs a thread is 40,000 /s on two");
}
