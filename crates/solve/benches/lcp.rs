//! Contact LCPs: median time of a cold and a warm solve, ratio to the goals, pivots.
//!
//! ```text
//! cargo bench -p fingerpad-solve                       the table
//! cargo bench -p fingerpad-solve -- --census 10000     random contact problems of seven families: none may fail
//! cargo bench -p fingerpad-solve -- --warm             the motion alone
//! cargo bench -p fingerpad-solve -- --times 100 20     times of 20 problems with 100 rows as JSON
//! cargo bench -p fingerpad-solve -- --dump 100 20      those problems as JSON, for other solvers
//! ```
//!
//! Problems: bodies thrown together, 8 directions of friction per contact, 21 seeds a size; each time is the best of
//! several runs on one problem, the table shows the median over problems.

#[path = "../tests/bank/mod.rs"]
mod bank;

use bank::{bench_problem, bench_scene, census_problem, moved};
use fingerpad_solve::{Lcp, Lemke, Status};
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

const SEEDS: u64 = 21;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, otherwise: usize| arguments.get(k).and_then(|v| v.parse().ok()).unwrap_or(otherwise);
    match arguments.first().map(String::as_str) {
        Some("--census") => census(number(1, 10_000) as u64),
        Some("--times") => times(number(1, 100), number(2, 20) as u64),
        Some("--warm") => warm(f64::NAN),
        Some("--dump") => dump(number(1, 100), number(2, 20) as u64),
        _ => table(),
    }
}

/// Processor and compiler, for the record.
fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        cpu.lines().find(|l| l.starts_with("model name")).and_then(|l| l.split(": ").nth(1)).unwrap_or("unknown");
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success());
        output.map_or("unknown".to_string(), |o| String::from_utf8_lossy(&o.stdout).trim().to_string())
    };
    format!("{model}; {}; commit {}", said("rustc", &["--version"]), said("git", &["rev-parse", "--short", "HEAD"]))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Best time of one call (µs).
fn best(runs: usize, mut run: impl FnMut()) -> f64 {
    let once = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..runs).map(|_| once(&mut run)).fold(f64::INFINITY, f64::min)
}

fn table() {
    println!("{}", machine());
    println!(
        "{:<34} {:>9} {:>8} {:>6} {:>7} {:>8}",
        "contact LCP", "median µs", "goal µs", "ratio", "pivots", "basic z"
    );
    let mut cold_400 = f64::NAN;
    for (n, goal) in [(20, 4.0), (50, f64::NAN), (100, 120.0), (200, f64::NAN), (400, 3000.0), (1000, f64::NAN)] {
        let seeds = if n > 400 { 3 } else { SEEDS };
        let problems: Vec<Lcp> = (0..seeds).map(|s| bench_problem(n, s)).collect();
        let mut lemke = Lemke::new(n);
        let (mut times, mut pivots, mut basic) = (Vec::new(), Vec::new(), Vec::new());
        for lcp in &problems {
            let report = lemke.solve(lcp);
            assert_eq!(report.status, Status::Solved);
            pivots.push(report.pivots as f64);
            basic.push(lemke.support().len() as f64);
            let runs = if n <= 100 { 200 } else { 9 };
            times.push(best(runs, || _ = black_box(lemke.solve(black_box(lcp)))));
        }
        let time = median(times);
        if n == 400 {
            cold_400 = time;
        }
        let (goal, ratio) =
            if goal.is_nan() { ("".into(), "".into()) } else { (format!("{goal:.0}"), format!("{:.2}", time / goal)) };
        println!(
            "{:<34} {time:>9.1} {goal:>8} {ratio:>6} {:>7.0} {:>8.0}",
            format!("cold, n = {n}"),
            median(pivots),
            median(basic)
        );
    }
    warm(cold_400);
}

/// A motion of 200 steps of 1 ms, n = 400: each problem from the basis of the one before.
fn warm(cold: f64) {
    let (mut times, mut held, mut pivots, mut steps) = (Vec::new(), 0, 0, 0);
    for seed in 0..5 {
        let scene = bench_scene(400, seed);
        let mut lemke = Lemke::new(400);
        lemke.solve(&scene.lcp(8));
        for k in 1..=200 {
            let lcp = moved(&scene, 1e-3 * f64::from(k)).lcp(8);
            let start = Instant::now();
            let report = lemke.resolve(black_box(&lcp));
            times.push(start.elapsed().as_secs_f64() * 1e6);
            assert_eq!(report.status, Status::Solved);
            held += usize::from(report.pivots == 0);
            pivots += report.pivots;
            steps += 1;
        }
    }
    times.sort_by(f64::total_cmp);
    let (p50, p90) = (times[times.len() / 2], times[times.len() * 9 / 10]);
    println!(
        "{:<34} {p50:>9.1} {:>8} {:>6.2}   {:.0} times faster than cold; p90 {p90:.0} µs; {held} of {steps} held their basis, {pivots} pivots",
        "warm along a motion, n = 400",
        250,
        p50 / 250.0,
        cold / p50
    );
}

fn census(count: u64) {
    let mut lemke = Lemke::default();
    let (mut worst, mut failed, mut again) = (0.0f64, 0, 0);
    for k in 0..count {
        let (family, lcp) = census_problem(k);
        let report = lemke.solve(&lcp);
        let ours = lcp.residual(lemke.z()) / lcp.tolerance();
        if report.status != Status::Solved || ours > 1.0 {
            println!("{k} {family:?} n = {}: {report:?}", lcp.n());
            failed += 1;
        }
        again += usize::from(report.attempts > 1);
        worst = worst.max(ours);
    }
    println!(
        "{count} problems: {failed} failed; worst residual {worst:.1e} of the tolerance; {again} took several paths"
    );
}

/// Times of the dumped problems as JSON, for `benches/peers/lcp.py`.
fn times(n: usize, count: u64) {
    let mut lemke = Lemke::new(n);
    let (mut us, mut failed) = (Vec::new(), 0);
    for seed in 0..count {
        let lcp = bench_problem(n, seed);
        failed += usize::from(lemke.solve(&lcp).status != Status::Solved);
        us.push(best(if n <= 100 { 200 } else { 9 }, || _ = black_box(lemke.solve(black_box(&lcp)))));
    }
    println!("{}", serde_json::json!({"us": us, "failed": failed}));
}

/// Problems as `fingerpad query lcp` reads them.
fn dump(n: usize, count: u64) {
    let cases: Vec<serde_json::Value> = (0..count)
        .map(|seed| {
            let lcp = bench_problem(n, seed);
            let n = lcp.n();
            let rows: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| lcp.entry(i, j)).collect()).collect();
            serde_json::json!({"id": format!("n{n}-{seed}"), "n": n, "M": rows, "q": lcp.q()})
        })
        .collect();
    println!("{}", serde_json::json!({"cases": cases}));
}
