//! Median time of one exact answer for k = 3, 6, 12, 24 contacts, over seeded random cases of five families; then how
//! time, modes visited and steps of work grow with k, against the 4ᵏ words of four letters.
//!
//! `cargo bench -p fingerpad-planar`

#[path = "../tests/common/mod.rs"]
mod common;

use common::Random;
use fingerpad_planar::{Case, Contact, Kind, Options, Rational, feasible_modes, reactions, solve};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Normals at whole multiples of 0.01 rad as a computer would write them: fractions of 53 bits, not quite unit.
fn sixteen_digits(case: &mut Case) {
    for (i, c) in case.contacts.iter_mut().enumerate() {
        let angle = c.normal[0].to_f64() + 0.01 * i as f64;
        c.normal = [angle.sin(), angle.cos()].map(|x| Rational::from_f64(x).unwrap());
    }
}

/// Sorted times of `run` on 101 cases, each the best of three.
fn times<T>(mut next: impl FnMut() -> Case, run: impl Fn(&Case) -> T) -> Vec<Duration> {
    let once = |case: &Case| {
        let start = Instant::now();
        black_box(run(black_box(case)));
        start.elapsed()
    };
    let mut all: Vec<Duration> = (0..101).map(|_| next()).map(|c| (0..3).map(|_| once(&c)).min().unwrap()).collect();
    all.sort();
    all
}

fn print(k: usize, name: &str, times: &[Duration], limit: &str) {
    let ms = |i: usize| format!("{:.4}", times[i].as_secs_f64() * 1e3);
    println!("{k:>3} {name:<34} {:>9} {:>9} {:>9}   {limit}", ms(50), ms(90), ms(100));
}

/// k contacts whose gap planes all are facets of what motion allows: none is idle.
fn every_plane_a_facet(k: usize, random: &mut Random) -> Case {
    let k = k as i64;
    let contacts = (0..k).map(|i| {
        let t = Rational::new(2 * i - k, 2 * k).unwrap();
        let square = &t * &t;
        let d = &Rational::ONE + &square;
        let (x, y) = (&(&t + &t) / &d, &(&Rational::ONE - &square) / &d);
        let nq = &x * &x; // (x, y, x²) is on a parabola in the plane y = 1
        let to_com = [&(-&nq) * &y, &nq * &x];
        Contact { normal: [x, y], to_com, mu: common::q("1/2"), kind: Kind::VertexOnEdge }
    });
    let force = [random.eighths(5), random.eighths(5), random.eighths(4)];
    Case { force, ..common::at_rest(["0", "0", "0"], contacts.collect()) }
}

/// Medians over 101 cases for each number of contacts.
fn growth(name: &str, case: impl Fn(usize, &mut Random) -> Case) {
    println!("\n{name}");
    println!("{:>3} {:>10} {:>9} {:>9} {:>9}   {:>17}", "k", "median ms", "modes", "most", "steps", "4^k");
    let options = Options::default();
    for k in [1, 2, 3, 4, 6, 8, 12, 16, 20, 24] {
        let mut random = Random(3000 + k as u64);
        let times = times(|| case(k, &mut random), |c| solve(c, &options));
        let mut random = Random(3000 + k as u64);
        let answers: Vec<_> = (0..101).map(|_| solve(&case(k, &mut random), &options).unwrap()).collect();
        let mut modes: Vec<usize> = answers.iter().map(|a| a.modes_tried).collect();
        let mut steps: Vec<u64> = answers.iter().map(|a| a.work).collect();
        modes.sort();
        steps.sort();
        let (ms, words) = (times[50].as_secs_f64() * 1e3, 4f64.powi(k as i32));
        println!("{k:>3} {ms:>10.4} {:>9} {:>9} {:>9}   {words:>17}", modes[50], modes[100], steps[50]);
    }
}

fn main() {
    growth("every gap plane a facet, at rest", every_plane_a_facet);
    growth("scattered, at rest", |k, random| random.case(k, 0));
    println!("{:>3} {:<34} {:>9} {:>9} {:>9}   limit (median)", "k", "ms for one answer", "median", "90 %", "worst");
    let families = ["scattered, at rest", "flat floor", "two walls", "moving", "above a floor"];
    let options = Options::default();
    for (k, limit) in [(3, "0.2 ms"), (6, "1 ms"), (12, "10 ms"), (24, "")] {
        for (family, name) in families.iter().enumerate() {
            let mut random = Random(1000 + k as u64);
            let times = times(|| random.case(k, family as u64), |c| solve(c, &options));
            print(k, name, &times, limit);
        }
        let mut random = Random(1000 + k as u64);
        let decimals = || {
            let mut case = random.case(k, 4);
            sixteen_digits(&mut case);
            case
        };
        print(k, "above a floor, sixteen digits", &times(decimals, |c| solve(c, &options)), limit);
    }
    for k in [3, 6, 12] {
        let mut random = Random(2000 + k as u64);
        let rest = ["0", "0", "0"].map(common::q);
        let times = times(|| random.case(k, 0), |c| reactions(c, &rest, &options));
        print(k, "all forces behind rest, scattered", &times, "");
    }
    for k in [3, 6] {
        let mut random = Random(2000 + k as u64);
        let times = times(|| random.case(k, 4), |c| feasible_modes(c, &options));
        print(k, "list of closed modes, above a floor", &times, "");
    }
}
