//! Solving allocates nothing once storage is there: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;
mod bank;

use bank::hand::Hand;
use bank::{Random, bench_scene, cone_problem, moved};
use fingerpad_solve::cone::ConeSolver;
use fingerpad_solve::{Lemke, Status};

/// Cold and warm, along a motion on which the basis changes.
#[test]
fn lemke_allocates_nothing_after_set_up() {
    let scene = bench_scene(100, 1);
    let problems: Vec<_> = (0..50).map(|k| moved(&scene, 4e-3 * f64::from(k)).lcp(8)).collect();
    let mut lemke = Lemke::new(100);
    let before = allocations::count();
    assert_eq!(lemke.solve(&problems[0]).status, Status::Solved);
    let mut pivots = 0;
    for lcp in &problems {
        let report = lemke.resolve(lcp);
        assert_eq!(report.status, Status::Solved);
        pivots += report.pivots;
    }
    assert_eq!(allocations::count() - before, 0);
    assert!(pivots > 0, "the basis never changed");
}

/// The cone solver, from the impulses of the step before.
#[test]
fn cones_allocate_nothing_after_the_first() {
    let scene = bench_scene(100, 2);
    let problems: Vec<_> = (0..20).map(|k| cone_problem(&moved(&scene, 1e-3 * f64::from(k)))).collect();
    let mut solver = ConeSolver::default();
    let mut f = Vec::new();
    // The first one may be harder or easier than the others: two rounds bring all storage.
    for problem in &problems {
        solver.solve(problem, &mut f).unwrap();
    }
    f.fill([0.0; 4]);
    let before = allocations::count();
    for problem in &problems {
        assert_eq!(solver.solve(problem, &mut f).unwrap().status, Status::Solved);
    }
    assert_eq!(allocations::count() - before, 0);
    // Hands: three arms a contact, rows of joints of every set.
    let hand = Hand { contacts: 9, joints: 12, friction: true };
    let hands: Vec<_> = (0..10).map(|k| hand.problem(&mut Random(k))).collect();
    for problem in &hands {
        f.clear();
        solver.solve(problem, &mut f).unwrap();
    }
    let before = allocations::count();
    for problem in &hands {
        f.clear();
        assert_eq!(solver.solve(problem, &mut f).unwrap().status, Status::Solved);
    }
    assert_eq!(allocations::count() - before, 0);
    // The counter counts.
    let before = allocations::count();
    drop(std::hint::black_box(vec![1]));
    assert_eq!(allocations::count() - before, 1);
}
