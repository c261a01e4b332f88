//! Live patches: nothing better is found by local optimisation from 25 starts, and the patch at the load itself holds.

mod common;

use common::Random;
use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_grasp::{
    Contact, Grasp, Least, LiveOptions, PatchGrowth, Push, Solver, Wrench, closure, frozen_grip, largest_push,
    least_grip,
};
use nalgebra::{DMatrix, DVector};

/// Friction held by construction: P = t·sin²a (or a² for the sum), friction inside the ellipsoid of the patch at P by
/// v·sin|v|/|v|. Every bound is met at finite numbers, where the map is smooth.
fn loads(grasp: &Grasp, x: &[f64], largest: bool) -> (f64, Vec<[f64; 4]>) {
    let t = x[0];
    let load = |(k, c): (usize, &Contact)| {
        let v = &x[1 + 4 * k..5 + 4 * k];
        let p = if largest { t * v[0].sin().powi(2) } else { v[0] * v[0] };
        let length = (v[1] * v[1] + v[2] * v[2] + v[3] * v[3]).sqrt();
        let inside = if length > 1e-12 { length.sin() / length } else { 1.0 };
        let e_n = c.patch.e_n(p);
        let [f1, f2, tau] = [c.friction[0], c.friction[1], c.friction[0] * e_n].map(|scale| scale * p * inside);
        [p, f1 * v[1], f2 * v[2], tau * v[3]]
    };
    let all: Vec<[f64; 4]> = grasp.contacts.iter().enumerate().map(load).collect();
    (if largest { t } else { all.iter().map(|l| l[0]).sum() }, all)
}

/// Sequential quadratic programming on the six equations of balance, damped BFGS, gradients by differences; the value and
/// the balance that is left (N).
fn local(grasp: &Grasp, wrench: &Wrench, largest: bool, mut x: DVector<f64>) -> (f64, f64) {
    let n = x.len();
    let off = |x: &DVector<f64>| {
        let (value, loads) = loads(grasp, x.as_slice(), largest);
        let mut off = grasp.wrench_of(&loads) + wrench;
        off.fixed_rows_mut::<3>(3).scale_mut(1.0 / grasp.torque_length);
        (value, off)
    };
    let slopes = |x: &DVector<f64>| {
        let (mut g, mut a) = (DVector::zeros(n), DMatrix::zeros(6, n));
        for k in 0..n {
            let (mut more, mut less) = (x.clone(), x.clone());
            (more[k], less[k]) = (more[k] + 1e-6, less[k] - 1e-6);
            let (above, below) = (off(&more), off(&less));
            g[k] = (above.0 - below.0) / 2e-6;
            a.set_column(k, &((above.1 - below.1) / 2e-6));
        }
        (g, a)
    };
    let mut curvature = DMatrix::<f64>::identity(n, n);
    let (mut g, mut a) = slopes(&x);
    let mut penalty = 1.0_f64;
    for _ in 0..200 {
        let (value, c) = off(&x);
        let mut kkt = DMatrix::zeros(n + 6, n + 6);
        kkt.view_mut((0, 0), (n, n)).copy_from(&curvature);
        kkt.view_mut((n, 0), (6, n)).copy_from(&a);
        kkt.view_mut((0, n), (n, 6)).copy_from(&a.transpose());
        // A little of it in the corner, where equations have become dependent.
        (n..n + 6).for_each(|k| kkt[(k, k)] = -1e-10);
        let mut right = DVector::zeros(n + 6);
        right.rows_mut(0, n).copy_from(&-&g);
        right.rows_mut(n, 6).copy_from(&-c);
        let Some(solved) = kkt.lu().solve(&right) else { break };
        let mut step = solved.rows(0, n).into_owned();
        let multiplier = solved.rows(n, 6).into_owned();
        step *= (1.0_f64).min(1.0 / step.norm().max(1e-300));
        penalty = penalty.max(2.0 * multiplier.amax());
        let merit = |x: &DVector<f64>| {
            let (value, c) = off(x);
            value + penalty * c.lp_norm(1)
        };
        let (at, fall) = (value + penalty * c.lp_norm(1), g.dot(&step) - penalty * c.lp_norm(1));
        let mut length = 1.0;
        while merit(&(&x + &step * length)) > at + 1e-4 * length * fall.min(0.0) && length > 1e-9 {
            length *= 0.5;
        }
        let s = &step * length;
        let next = &x + &s;
        let (g_next, a_next) = slopes(&next);
        // Change of the Lagrangian's slope, damped so that the curvature stays positive (Powell).
        let mut y = (&g_next + a_next.transpose() * &multiplier) - (&g + a.transpose() * &multiplier);
        let bs = &curvature * &s;
        let (sy, sbs) = (s.dot(&y), s.dot(&bs));
        if sbs > 1e-30 {
            if sy < 0.2 * sbs {
                let share = 0.8 * sbs / (sbs - sy);
                y = y * share + &bs * (1.0 - share);
            }
            curvature += &y * y.transpose() / s.dot(&y) - &bs * bs.transpose() / sbs;
        }
        (x, g, a) = (next, g_next, a_next);
        if length <= 1e-9 {
            // The penalty has outgrown the cost: from here once more.
            (curvature, penalty) = (DMatrix::identity(n, n), 1.0);
        }
        if s.norm() < 1e-11 && length > 1e-9 {
            break;
        }
    }
    // What is out of balance is brought back by the shortest steps.
    for _ in 0..30 {
        let (_, left) = off(&x);
        if left.norm() <= 1e-12 {
            break;
        }
        let (_, a) = slopes(&x);
        let Ok(step) = a.svd(true, true).solve(&DVector::from_column_slice(left.as_slice()), 1e-12) else { break };
        let length = (0.5 / step.norm().max(1e-300)).min(1.0);
        x -= step * length;
    }
    let (value, left) = off(&x);
    (value, left.norm())
}

fn live_grasp(random: &mut Random, contacts: usize) -> Grasp {
    loop {
        let mut grasp = random.on_sphere(contacts, 0.2);
        for c in &mut grasp.contacts {
            let exponent = if random.unit() < 0.5 { 1.0 / 3.0 } else { 0.25 };
            c.patch = PatchGrowth::Power { e_n_at_1N: random.range(8e-4, 2.5e-3), exponent };
        }
        if closure(&grasp, &mut Solver::default()).margin.is_some_and(|m| m > 0.05) {
            return grasp;
        }
    }
}

/// Grasps whose searches balanced, and how near the best of each grasp came (relative).
struct Campaign {
    compared: usize,
    /// Searches that balanced to 1e-8 N, of all.
    balanced: [usize; 2],
    /// Answers of four contacts whose bound is more than 1e-6 away, and how far the farthest is.
    open: (usize, f64),
    farthest: f64,
}

/// Least largest and least summed force of `count` grasps: no search of 25 ends below the certified bound, and the best
/// of them ends at the answer.
fn campaign(count: usize, seed: u64) -> Campaign {
    let (mut random, mut starts) = (Random(seed), Random(seed + 1));
    let mut solver = Solver::default();
    let mut all = Campaign { compared: 0, balanced: [0; 2], open: (0, 0.0), farthest: 0.0 };
    for round in 0..count {
        let grasp = live_grasp(&mut random, 3 + round % 2);
        let k = grasp.contacts.len();
        let wrench =
            Wrench::new(0.3, -0.2, -3.0, 0.04 * random.normal(), 0.04 * random.normal(), 0.02 * random.normal());
        for (least, largest) in [(Least::Max, true), (Least::Sum, false)] {
            let found = least_grip(&grasp, None, &wrench, least, LiveOptions::default(), &mut solver).unwrap();
            let gap = 1.0 - found.at_least / found.value;
            assert!(k > 3 || (found.certified && gap <= 1e-6), "{round}: {found:?}");
            if !found.certified {
                all.open = (all.open.0 + 1, all.open.1.max(gap));
            }
            for (c, load) in grasp.contacts.iter().zip(&found.loads) {
                assert!(c.used(load) <= 1.0 + 1e-8, "{round}: {load:?}");
            }
            let mut best = f64::INFINITY;
            for _ in 0..25 {
                let mut start = DVector::from_fn(1 + 4 * k, |_, _| 0.7 * starts.normal());
                start[0] = found.value * starts.range(1.0, 4.0);
                for j in 0..k {
                    start[1 + 4 * j] =
                        if largest { starts.range(0.3, 1.3) } else { (found.value * starts.range(0.1, 2.0)).sqrt() };
                }
                let (value, off) = local(&grasp, &wrench, largest, start);
                all.balanced[1] += 1;
                if off <= 1e-8 {
                    all.balanced[0] += 1;
                    best = best.min(value);
                }
            }
            // What a search leaves out of balance, 1e-8 N, is worth some times as much normal force.
            let bound = found.at_least * (1.0 - 1e-6) - 1e-6;
            assert!(best >= bound, "round {round}, {least:?}: {best} below {}", found.at_least);
            all.compared += 1;
            all.farthest = all.farthest.max(best / found.value - 1.0);
        }
    }
    all
}

/// A share of the campaign, every time. The searches are worth their name: most balance, and the best is at the answer.
#[test]
fn twenty_five_local_searches_never_find_less() {
    let found = campaign(4, 5);
    let [balanced, searches] = found.balanced;
    assert!(balanced > searches / 2, "{balanced} of {searches} searches balance");
    assert!(found.compared == 8 && found.farthest <= 1e-5, "{}", found.farthest);
    // Without Clarabel one answer of four contacts stays open, where our interior point stalls (docs/grasp.md, limits).
    assert!(found.open.0 <= usize::from(!cfg!(feature = "clarabel")), "{:?}", found.open);
}

/// All: `cargo test --release -p fingerpad-grasp --test live -- --ignored --nocapture`.
#[test]
#[ignore = "200 grasps, 10,000 searches; the test above runs 4 grasps of another seed"]
fn local_searches_of_two_hundred_grasps_never_find_less() {
    let found = campaign(200, 55);
    let [balanced, searches] = found.balanced;
    let (open, gap) = found.open;
    println!("{} answers, {open} of four contacts certified to {gap:.1e} only", found.compared);
    println!("{balanced} of {searches} searches balance, the best ends {:.1e} above", found.farthest);
    assert!(balanced > searches / 2 && found.farthest <= 1e-3, "{}", found.farthest);
}

/// A frozen patch at 60 N asks for less than is needed, never for more (grips below 60 N).
#[test]
fn patches_frozen_at_the_limit_are_on_the_unsafe_side() {
    let mut random = Random(9);
    let mut solver = Solver::default();
    for _ in 0..6 {
        let grasp = live_grasp(&mut random, 3);
        let wrench = Wrench::new(0.0, 0.0, -3.0, 0.05, 0.03, 0.02);
        let live = least_grip(&grasp, None, &wrench, Least::Max, LiveOptions::default(), &mut solver).unwrap();
        let frozen = frozen_grip(&grasp, None, &wrench, Least::Max, 60.0, &mut solver).unwrap();
        assert!(live.value < 60.0 && frozen <= live.value, "{frozen} {}", live.value);
    }
}

/// Live pushes: at the largest push the loads are within limits, hold by their own patches, and balance it.
#[test]
fn live_pushes_hold_and_are_bounded() {
    let mut random = Random(15);
    let mut solver = Solver::default();
    for _ in 0..4 {
        let mut grasp = live_grasp(&mut random, 3);
        grasp.contacts.iter_mut().for_each(|c| c.limit = Some(8.0));
        let d = Wrench::new(0.2, 0.1, -1.0, 0.01, 0.0, 0.005);
        let push = largest_push(&grasp, None, &Wrench::zeros(), &d, LiveOptions::default(), &mut solver);
        let Push::UpTo { value, at_most, loads, certified } = push else { panic!("{push:?}") };
        assert!(certified && at_most >= value && at_most <= value * (1.0 + 1e-6), "{value} {at_most}");
        assert!((grasp.wrench_of(&loads) + d * value).norm() <= 1e-7);
        assert!(grasp.contacts.iter().zip(&loads).all(|(c, l)| c.used(l) <= 1.0 + 1e-8 && l[0] <= 8.0 + 1e-7));
    }
}

/// Pads by their material: a thin layer that is long enough gives the power law of exponent 1/4.
#[test]
fn a_pad_of_a_thin_layer_is_a_power_law() {
    let material = Material::rigid().with_layer(Layer::new(2e5, 4e-3).unwrap());
    let theory = pair(&material, &Material::rigid(), Theory::Auto).unwrap().theory;
    let pad = PatchGrowth::Pad { theory, curvature: RelativeCurvature::from_radii(0.01, 0.01) };
    let power = PatchGrowth::Power { e_n_at_1N: pad.e_n(1.0), exponent: 0.25 };
    let wrench = Wrench::new(0.0, 0.0, -2.0, -0.01, 0.0, 0.0);
    let value = |patch: PatchGrowth| {
        let grasp = common::ring(3, 0.03, 0.6, patch);
        least_grip(&grasp, None, &wrench, Least::Max, LiveOptions::default(), &mut Solver::default()).unwrap().value
    };
    let (a, b) = (value(pad), value(power));
    assert!((a - b).abs() <= 2e-6 * b, "{a} {b}");
}
