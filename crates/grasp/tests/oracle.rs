//! The oracle of 20 grasps: answers of other solvers (cvxpy with Clarabel and ECOS, scipy) within the tolerances that came
//! with it.

mod common;

use common::{Case, oracle};
use fingerpad_grasp::{
    Certify, GripError, Least, LiveOptions, Norm, Solver, closure, epsilon, frozen_grip, largest_push, least_grip,
    task_scale,
};
use serde_json::Value;

/// Relative tolerance of grips, pushes and scales.
const RELATIVE: f64 = 1e-6;

fn same(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= RELATIVE * theirs.abs()
}

/// Closed or not, rank and margin; for open grasps the twist is checked by hand: no contact does positive work on it.
#[test]
fn closure_rank_and_margin_agree_and_open_grasps_are_proved() {
    let mut solver = Solver::default();
    for case in oracle().iter().filter(|c| c.expected.get("force_closure").is_some()) {
        let found = closure(&case.grasp, &mut solver);
        let e = &case.expected;
        assert_eq!(Some(found.closed), e["force_closure"].as_bool(), "case {}: {found:?}", case.id);
        assert_eq!(Some(found.rank as u64), e["rank"].as_u64(), "case {}", case.id);
        match e["margin"].as_f64() {
            Some(margin) => assert!((found.margin.unwrap() - margin).abs() <= 1e-8, "case {}: {found:?}", case.id),
            None => assert_eq!(found.margin, None, "case {}", case.id),
        }
        assert_eq!(found.proof.is_none(), found.closed);
        if let Some(u) = found.proof {
            assert!(u.norm() > 0.0);
            for (k, c) in case.grasp.contacts.iter().enumerate() {
                let q = case.grasp.map_about(k, &case.grasp.reference).transpose() * u;
                let e_n = c.patch.e_n(1.0);
                let along = [c.friction[0] * q[1], c.friction[1] * q[2], c.friction[0] * e_n * q[3]];
                let work = q[0] + along.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!(work <= 1e-9 * u.norm(), "case {}, contact {k}: {work}", case.id);
            }
        }
    }
}

fn value_of(case: &Case, least: Least, solver: &mut Solver) -> Option<f64> {
    let options = LiveOptions::default();
    match least_grip(&case.grasp, case.hand.as_ref(), &case.wrench?, least, options, solver) {
        Ok(grip) => {
            // What was found holds: balance and friction with the patch of the load itself.
            let off = (case.grasp.wrench_of(&grip.loads) + case.wrench?).norm();
            assert!(off <= 1e-8 * (1.0 + case.wrench?.norm()), "case {}: balance off by {off}", case.id);
            for (c, load) in case.grasp.contacts.iter().zip(&grip.loads) {
                assert!(c.used(load) <= 1.0 + 1e-6, "case {}: {load:?}", case.id);
            }
            assert!(grip.certified && grip.at_least <= grip.value, "case {}: {grip:?}", case.id);
            Some(grip.value)
        }
        Err(GripError::Impossible(_)) => None,
        Err(error) => panic!("case {}: {error:?}", case.id),
    }
}

/// Least largest and least summed normal force, live patches and joint limits included; null where none exists.
#[test]
fn least_grips_agree() {
    let mut solver = Solver::default();
    let mut compared = 0;
    for case in oracle().iter().filter(|c| c.wrench.is_some()) {
        for (key, least) in [("least_max_normal", Least::Max), ("least_sum_normal", Least::Sum)] {
            let Some(theirs) = case.expected.get(key) else { continue };
            let ours = value_of(case, least, &mut solver);
            compared += 1;
            match theirs.as_f64() {
                Some(theirs) => assert!(same(ours.unwrap(), theirs), "case {}, {key}: {ours:?}, {theirs}", case.id),
                None => assert_eq!(ours, None, "case {}, {key}", case.id),
            }
        }
        if let Some(theirs) = case.expected["frozen_at_limit_60N"].as_f64() {
            let ours = frozen_grip(&case.grasp, None, &case.wrench.unwrap(), Least::Max, 60.0, &mut solver).unwrap();
            assert!(same(ours, theirs), "case {}, frozen: {ours} {theirs}", case.id);
        }
    }
    assert!(compared >= 20, "{compared}");
}

/// Pushes on top of the wrench, and scales of tasks.
#[test]
fn pushes_and_tasks_agree() {
    let mut solver = Solver::default();
    let options = LiveOptions::default();
    let list = |v: &Value| v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
    let mut compared = 0;
    for case in oracle() {
        let wrench = case.wrench.unwrap_or_default();
        if case.expected.get("largest_push").is_some() {
            for (d, theirs) in case.directions.iter().zip(list(&case.expected["largest_push"])) {
                let push = largest_push(&case.grasp, case.hand.as_ref(), &wrench, d, options, &mut solver);
                assert!(same(push.value().unwrap(), theirs), "case {}: {push:?} {theirs}", case.id);
                compared += 1;
            }
        }
        if case.expected.get("task_scales").is_some() {
            let ours = task_scale(&case.grasp, case.hand.as_ref(), &case.task, options, &mut solver);
            for (ours, theirs) in ours.iter().zip(list(&case.expected["task_scales"])) {
                assert!(same(ours.value().unwrap(), theirs), "case {}: {ours:?} {theirs}", case.id);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 11);
}

/// Epsilon lies between the oracle's certified bound and its value; ours is certified to 5 % from below.
#[test]
fn epsilon_agrees_and_is_certified() {
    for case in oracle() {
        for (key, norm) in [("epsilon_l1", Norm::L1), ("epsilon_linf", Norm::Linf)] {
            let Some(theirs) = case.expected[key].as_f64().filter(|x| *x > 0.0) else { continue };
            let at_least = case.expected[format!("{key}_certified_at_least")].as_f64().unwrap();
            let ours = epsilon(&case.grasp, norm, Certify::default()).unwrap();
            assert!(ours.value <= theirs * (1.0 + 1e-6), "case {}, {key}: {ours:?} {theirs}", case.id);
            assert!(ours.value >= at_least * (1.0 - 1e-6), "case {}, {key}: {ours:?} {at_least}", case.id);
            assert!(ours.certified && ours.at_least >= 0.95 * ours.value - 1e-12, "case {}, {key}: {ours:?}", case.id);
            println!(
                "case {:2} {key:12} {:.12} ({:+.1e}) at least {:.6}, {} points, {} facets",
                case.id,
                ours.value,
                ours.value / theirs - 1.0,
                ours.at_least,
                ours.points,
                ours.facets
            );
        }
    }
}
