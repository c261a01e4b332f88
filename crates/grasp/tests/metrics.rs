//! Volume, GraspIt!'s sampling, passive pushes: each against something computed another way.

mod common;

use common::{Random, ring};
use fingerpad_grasp::{
    Certify, Contact, Grasp, LiveOptions, Norm, PassiveOptions, PatchGrowth, Solver, Wrench, closure, closures, each,
    epsilon, graspit, largest_push, passive_push, preload, volume,
};
use nalgebra::{Matrix6, Vector3, Vector6};

/// Without friction the set of wrenches is a polytope. Seven contacts whose wrenches make a simplex: volume |det|/720 by
/// hand, from both sides.
#[test]
fn volume_of_a_simplex_is_its_determinant() {
    let mut random = Random(19);
    let mut solver = Solver::default();
    let mut seen = 0;
    while seen < 3 {
        let mut grasp = random.on_sphere(7, 1.5);
        grasp.contacts.iter_mut().for_each(|c| c.friction = [0.0; 2]);
        if closure(&grasp, &mut solver).margin.is_none_or(|m| m < 1e-3) {
            continue;
        }
        seen += 1;
        let wrench = |k: usize| {
            let mut w: Vector6<f64> = grasp.map_about(k, &grasp.reference).column(0).into();
            w.fixed_rows_mut::<3>(3).scale_mut(1.0 / grasp.torque_length);
            w
        };
        let mut edges = Matrix6::zeros();
        (0..6).for_each(|k| edges.set_column(k, &(wrench(k) - wrench(6))));
        let exact = edges.determinant().abs() / 720.0;
        let found = volume(&grasp, Norm::L1, 1e-3, 100_000).unwrap();
        // Points are drawn in by up to 1e-7 each.
        assert!(
            (found.at_least / exact - 1.0).abs() < 2e-6 && (found.at_most / exact - 1.0).abs() < 1e-3,
            "{found:?} {exact}"
        );
    }
}

/// Bounds of a volume close in on each other and keep their order.
#[test]
fn bounds_of_volume_close_in() {
    let grasp = ring(3, 0.03, 0.5, PatchGrowth::Fixed(5e-3));
    let (few, many) = (volume(&grasp, Norm::L1, 0.0, 3_000).unwrap(), volume(&grasp, Norm::L1, 0.0, 30_000).unwrap());
    assert!(
        few.at_least < many.at_least && many.at_least < many.at_most && many.at_most < few.at_most,
        "{few:?} {many:?}"
    );
}

/// Sampled loads lie on the friction limit: GraspIt!'s epsilon is below the exact one with the same patches, and not far.
#[test]
fn sampled_epsilon_is_below_the_exact_one() {
    for k in [2, 3, 4] {
        let grasp = ring(k, 0.03, 0.5, PatchGrowth::Fixed(5e-3));
        for norm in [Norm::L1, Norm::Linf] {
            let sampled = graspit(&grasp, &vec![5e-3; k], norm).unwrap();
            let exact = epsilon(&grasp, norm, Certify::default()).unwrap().value;
            assert!(
                sampled.value <= exact * (1.0 + 1e-6) && sampled.value > 0.5 * exact,
                "{k} {norm:?}: {sampled:?} {exact}"
            );
            // A hull of few points: its bound closes.
            assert!(sampled.value - sampled.at_least <= 1e-5 * exact, "{sampled:?}");
        }
    }
    let open = ring(2, 0.03, 0.5, PatchGrowth::Fixed(0.0));
    assert!(graspit(&open, &[0.0; 2], Norm::L1).is_none());
}

/// A stiff symmetric pinch pushed along its tangent slips at 2μP on both fingers at once, as Coulomb says.
#[test]
fn a_passive_pinch_slips_at_twice_friction_times_preload() {
    let grasp = ring(2, 0.03, 0.5, PatchGrowth::Fixed(4e-3));
    let closed = closure(&grasp, &mut Solver::default());
    let pressed = preload(&grasp, &closed, &PassiveOptions { preload: 5.0, stiffness: None }).unwrap();
    let along = Wrench::new(0.0, 0.0, -1.0, 0.0, 0.0, 0.0);
    let found = passive_push(&grasp, &pressed, &Wrench::zeros(), &along).unwrap();
    assert!((found.first_slip - 5.0).abs() < 1e-6, "{found:?}");
    assert!((found.lost.unwrap() - 5.0).abs() < 1e-4, "{found:?}");
    // Spin about the line: both patches together hold 2μe_nP.
    let spin = Wrench::new(0.0, 0.0, 0.0, 1.0, 0.0, 0.0);
    let found = passive_push(&grasp, &pressed, &Wrench::zeros(), &spin).unwrap();
    assert!((found.first_slip - 2.0 * 0.5 * 4e-3 * 5.0).abs() < 1e-8, "{found:?}");
}

/// What motors could hold is never less than what still ones hold, with a limit that covers every load on the way.
#[test]
fn passive_never_exceeds_active_with_room_for_its_loads() {
    let mut random = Random(29);
    let mut solver = Solver::default();
    let mut seen = 0;
    while seen < 3 {
        let mut grasp = random.on_sphere(4, 0.2);
        grasp.contacts.iter_mut().for_each(|c| c.limit = Some(200.0));
        let closed = closure(&grasp, &mut solver);
        let options = PassiveOptions { preload: 5.0, stiffness: Some(vec![[2e4, 1.4e4, 0.3]; 4]) };
        let Some(pressed) = closed.margin.filter(|m| *m > 0.05).and_then(|_| preload(&grasp, &closed, &options)) else {
            continue;
        };
        seen += 1;
        for k in 0..6 {
            let mut d = Wrench::zeros();
            d[k] = if k < 3 { 1.0 } else { 0.03 };
            let passive = passive_push(&grasp, &pressed, &Wrench::zeros(), &d).unwrap();
            let active =
                largest_push(&grasp, None, &Wrench::zeros(), &d, LiveOptions::default(), &mut solver).value().unwrap();
            assert!(passive.first_slip > 0.0 && passive.lost.is_none_or(|l| l >= passive.first_slip * (1.0 - 1e-6)));
            assert!(passive.first_slip <= active, "{passive:?} {active}");
        }
    }
}

/// Batches give the bits of single calls, in order.
#[test]
fn batches_have_the_bits_of_single_calls() {
    let mut random = Random(43);
    let grasps: Vec<Grasp> = (0..64).map(|k| random.on_sphere(2 + k % 4, 0.5)).collect();
    let all = closures(&grasps);
    for (grasp, found) in grasps.iter().zip(&all) {
        let alone = closure(grasp, &mut Solver::default());
        assert_eq!(alone.margin.map(f64::to_bits), found.margin.map(f64::to_bits));
        assert_eq!(alone.closed, found.closed);
    }
    let counts = each(&grasps, |g, _| g.contacts.len());
    assert_eq!(counts, grasps.iter().map(|g| g.contacts.len()).collect::<Vec<_>>());
}

/// A contact made from a point and a normal has a tangent across it, whatever the normal.
#[test]
fn tangents_are_made_across_normals() {
    let mut random = Random(47);
    for _ in 0..100 {
        let n = random.direction();
        let c = Contact::new(Vector3::zeros(), n, 0.5, PatchGrowth::Fixed(0.0)).checked("c", &mut Vec::new()).unwrap();
        assert!(c.tangent.dot(&n).abs() < 1e-12 && (c.tangent.norm() - 1.0).abs() < 1e-12);
    }
}
