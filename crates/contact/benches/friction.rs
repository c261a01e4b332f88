//! Friction limits: time per evaluation and per projection, exact surface against ellipsoid, in one run.
//!
//! ```text
//! cargo bench -p fingerpad-contact --bench friction
//! ```
//!
//! Times are the median over batches of 64; the columns beside them are the ratio to 1 µs and to the same question asked of
//! the ellipsoid in the same run, which does not depend on the machine.

use fingerpad_contact::friction::{Ellipsoid, FrictionLimit, LimitSurface, TangentialStiffness};
use nalgebra::Vector3;
use std::hint::black_box;
use std::time::Instant;

const BATCH: usize = 64;
const BATCHES: usize = 2000;

/// Median time of one call (ns), the calls cycling through the questions.
fn median<Q>(questions: &[Q], mut ask: impl FnMut(&Q)) -> f64 {
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|b| {
            let start = Instant::now();
            for i in 0..BATCH {
                ask(&questions[(b * BATCH + i) % questions.len()]);
            }
            start.elapsed().as_nanos() as f64 / BATCH as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[BATCHES / 2]
}

/// Twists whose centres of rotation lie at `from` to `to` times the rim.
fn twists(a: f64, b: f64, from: f64, to: f64) -> Vec<Vector3<f64>> {
    (0..997)
        .map(|i| {
            let (turn, share) = (2.4 * f64::from(i), (f64::from(i) * 0.618_034).fract());
            let s = from + (to - from) * share;
            Vector3::new(b * s * turn.sin(), -a * s * turn.cos(), 1.0)
        })
        .collect()
}

fn line(name: &str, time: f64, reference: f64) {
    println!("{name:<52} {time:>8.1} ns  {:>6.3} of 1 µs  {:>6.1} of ellipsoid", time / 1000.0, time / reference);
}

fn main() {
    let (mu, load, a) = (0.6, 5.0, 3e-3);
    for (name, k) in [("Hertz, k = 1/2", 0.5), ("Winkler, k = 1", 1.0), ("uniform, k = 0", 0.0), ("k = 0.8", 0.8)] {
        for aspect in [1.0, 2.0, 4.0, 10.0] {
            println!("{name}, a/b = {aspect}");
            let b = a / aspect;
            let surface = LimitSurface::new(a, b, k, mu, load);
            let ellipsoid = surface.ellipsoid();
            let build = median(&[b], |b| {
                black_box(LimitSurface::new(black_box(a), *b, k, mu, load));
            });
            let build_ellipsoid = median(&[b], |b| {
                black_box(Ellipsoid::isotropic(mu, *b, load));
            });
            line("  build", build, build_ellipsoid);
            for (place, from, to) in [("inside", 0.0, 0.95), ("near the rim", 0.97, 1.03), ("outside", 1.1, 4.0)] {
                let questions = twists(a, b, from, to);
                let exact = median(&questions, |t| {
                    black_box(surface.load_against(black_box(t)));
                });
                let reference = median(&questions, |t| {
                    black_box(ellipsoid.load_against(black_box(t)));
                });
                line(&format!("  load against a twist, centre {place}"), exact, reference);
            }
            projections(&surface, &ellipsoid, mu * load);
        }
    }
}

/// A load that turns slowly around the limit, a tenth outside; the slip of the step before is the guess.
fn projections(surface: &LimitSurface, ellipsoid: &Ellipsoid, size: f64) {
    let e_n = surface.e_n();
    let stiffness = TangentialStiffness::isotropic(2e4, 1.5 * 2e4 * e_n * e_n);
    let trials: Vec<Vector3<f64>> = (0..4001)
        .map(|i| {
            let (phi, theta) = (1e-3 * f64::from(i), 0.9 + 0.6 * (7e-4 * f64::from(i)).sin());
            Vector3::new(theta.sin() * phi.cos(), theta.sin() * phi.sin(), e_n * theta.cos()) * (1.1 * size)
        })
        .collect();
    let mut guess = surface.project(&trials[0], &stiffness).slip;
    let mut rounds = (0u64, 0u64);
    let warm = median(&trials, |trial| {
        let found = surface.project_from(black_box(trial), &stiffness, &guess);
        guess = found.slip;
        rounds = (rounds.0 + u64::from(found.iterations), rounds.1 + 1);
    });
    let cold = median(&trials, |trial| {
        black_box(surface.project(black_box(trial), &stiffness));
    });
    let held = median(&trials, |trial| {
        black_box(surface.project(&(black_box(trial) * 0.7), &stiffness));
    });
    let gauge = median(&trials, |trial| {
        black_box(surface.gauge(black_box(trial)));
    });
    let reference = median(&trials, |trial| {
        black_box(ellipsoid.project(black_box(trial), &stiffness));
    });
    let reference_gauge = median(&trials, |trial| {
        black_box(ellipsoid.gauge(black_box(trial)));
    });
    line(&format!("  projection, warm ({:.2} rounds)", rounds.0 as f64 / rounds.1 as f64), warm, reference);
    line("  projection, cold", cold, reference);
    line("  projection of a load that holds", held, reference);
    line("  gauge", gauge, reference_gauge);
}
