//! Closure of 10,000 random grasps against sampled cones.
//!
//! Loads on every friction cone are sampled. An open grasp must have all of them on one side of its proof. A closed grasp
//! with a margin above what sampling can miss must have zero in the hull of its sampled wrenches, found by non-negative
//! least squares (Lawson-Hanson), which shares nothing with the interior point.

mod common;

use common::Random;
use fingerpad_grasp::{Grasp, Solver, closure};
use nalgebra::{DMatrix, DVector, SVector};

type Vector7 = SVector<f64, 7>;

/// Unit directions (f₁, f₂, τ) over a sphere: 92 of them, spread by the golden angle.
fn sphere() -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let one = |k: usize| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / 92.0;
        let (s, c) = (golden * k as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        [r * c, r * s, z]
    };
    (0..92).map(one).collect()
}

/// Wrenches (moments over the torque length) of sampled loads with unit normal force.
fn sampled(grasp: &Grasp, directions: &[[f64; 3]]) -> Vec<SVector<f64, 6>> {
    let mut all = Vec::new();
    for (k, c) in grasp.contacts.iter().enumerate() {
        let map = grasp.map_about(k, &grasp.reference);
        let e_n = c.patch.e_n(1.0);
        for d in directions {
            let load =
                nalgebra::Vector4::new(1.0, c.friction[0] * d[0], c.friction[1] * d[1], c.friction[0] * e_n * d[2]);
            let mut w: SVector<f64, 6> = map * load;
            w.fixed_rows_mut::<3>(3).scale_mut(1.0 / grasp.torque_length);
            all.push(w);
        }
    }
    all
}

/// Distance of zero from the hull of the points, as the residual of least squares with shares ≥ 0 that sum to one.
fn distance_of_zero(points: &[SVector<f64, 6>]) -> f64 {
    let columns: Vec<Vector7> = points.iter().map(|p| Vector7::from_iterator(p.iter().copied().chain([1.0]))).collect();
    let target = Vector7::from_iterator([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let (mut chosen, mut shares): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let made: Vector7 = chosen.iter().zip(&shares).map(|(k, s)| columns[*k] * *s).sum();
        let left = target - made;
        let best =
            (0..columns.len()).map(|k| (columns[k].dot(&left), k)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        if best.0 <= 1e-10 || chosen.contains(&best.1) {
            return left.norm();
        }
        chosen.push(best.1);
        shares.push(0.0);
        loop {
            let a = DMatrix::from_fn(7, chosen.len(), |r, c| columns[chosen[c]][r]);
            let b = DVector::from_iterator(7, target.iter().copied());
            let Ok(free) = a.svd(true, true).solve(&b, 1e-13) else { return left.norm() };
            if free.iter().all(|s| *s > 1e-14) {
                shares = free.iter().copied().collect();
                break;
            }
            // Back to where the first share reaches zero; it leaves.
            let mut step = 1.0_f64;
            for (s, f) in shares.iter().zip(free.iter()) {
                if *f <= 1e-14 {
                    step = step.min(s / (s - f).max(1e-300));
                }
            }
            shares.iter_mut().zip(free.iter()).for_each(|(s, f)| *s += step * (f - *s));
            let keep: Vec<bool> = shares.iter().map(|s| *s > 1e-14).collect();
            let mut flags = keep.iter();
            chosen.retain(|_| *flags.next().unwrap());
            let mut flags = keep.iter();
            shares.retain(|_| *flags.next().unwrap());
            if chosen.is_empty() {
                break;
            }
        }
    }
    f64::NAN
}

/// Every answer for `count` grasps; returns how many were closed and how many of these were compared.
fn compare(count: usize, seed: u64) -> (usize, usize) {
    let directions = sphere();
    let mut random = Random(seed);
    let mut solver = Solver::default();
    let (mut closed, mut compared) = (0, 0);
    for k in 0..count {
        let grasp = random.on_sphere(2 + k % 5, 0.6);
        let points = sampled(&grasp, &directions);
        let found = closure(&grasp, &mut solver);
        assert!(!found.stalled, "{k}: {:?}", found.grade);
        if !found.closed {
            let u = found.proof.unwrap();
            let metric = SVector::<f64, 6>::from_fn(|j, _| if j < 3 { u[j] } else { u[j] * grasp.torque_length });
            let metric = metric / metric.norm();
            let most = points.iter().map(|p| p.dot(&metric)).fold(f64::NEG_INFINITY, f64::max);
            assert!(most <= 1e-8, "grasp {k}: a sampled load works by {most} on the proof; {found:?}");
            continue;
        }
        closed += 1;
        // 92 points leave caps of about 12°: the polyhedron has at least 0.97 of the cone's reach.
        if found.margin.unwrap() > 0.02 {
            compared += 1;
            let distance = distance_of_zero(&points);
            assert!(
                distance <= 1e-6,
                "grasp {k} is closed by {:?}, sampled cones miss zero by {distance}",
                found.margin
            );
        }
    }
    (closed, compared)
}

/// A share of the 10,000, every time.
#[test]
fn two_thousand_random_grasps_without_contradiction() {
    let (closed, compared) = compare(2000, 101);
    assert!(closed > 300 && compared > 200, "{closed} {compared}");
}

/// All: `cargo test -p fingerpad-grasp --test brute_force -- --ignored`.
#[test]
#[ignore = "10,000 grasps; the test above runs 2,000 of another seed"]
fn ten_thousand_random_grasps_without_contradiction() {
    let (closed, compared) = compare(10_000, 202);
    println!("{closed} closed, {compared} of them compared with sampled hulls");
    assert!(closed > 1500 && compared > 1000, "{closed} {compared}");
}
