//! Dynamics and motion of trees allocate nothing after their scratch is made: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;
mod articulated_trees;

use articulated_trees::{numbers, oracle, tree};
use fingerpad_contact::spatial::SpatialForce;
use fingerpad_sim::coordinates::motion::{Accurate, AccurateWork, Fixed, FixedWork};
use fingerpad_sim::coordinates::{Arms, Base, Derivatives, Factor, Frame, Joint, Mass, TreeState};
use nalgebra::Vector3;

/// Every joint kind, floating and fixed roots.
#[test]
fn dynamics_rows_and_motion_allocate_nothing() {
    for name in ["trajectory-hand.json", "trajectory-floating.json", "trajectory-mixed.json"] {
        let file = oracle(name);
        let tree = tree(&file, Joint::Free);
        let row = &file["rows"][0];
        let mut state = TreeState::from_user(&tree, &numbers(&row["q"]), &numbers(&row["v"]));
        let (mut frame, mut mass, mut factor) = (Frame::new(&tree), Mass::new(&tree), Factor::new(&tree));
        let (mut slopes, mut arms) = (Derivatives::new(&tree), Arms::new(&tree));
        let (mut fixed, mut accurate) = (FixedWork::new(&tree), AccurateWork::new(&tree));
        let (mut tau, mut scratch) = (vec![0.0; tree.nv()], vec![0.0; tree.nv()]);
        let mut out = Vec::with_capacity(32);
        let wrench = [SpatialForce::new(Vector3::x(), Vector3::z()); 4];
        let before = allocations::count();
        frame.place(&tree, &state.q, &Base::default());
        frame.set_velocities(&tree, &state.v);
        mass.compute(&tree, &frame);
        factor.compute(&tree, &mass).unwrap();
        frame.forward_dynamics(&tree, &factor, &state.v, &mut tau, &mut scratch);
        slopes.compute(&tree, &mut frame, &state.v, &tau);
        let last = tree.nodes().len() - 1;
        arms.add(&tree, &frame, &factor, last, &wrench, 1.0, 0, &mut out);
        for _ in 0..20 {
            Fixed::default().advance(&tree, &mut state, &mut fixed, &[], 1e-3).unwrap();
        }
        Accurate::default().advance(&tree, &mut state, &mut accurate, &[], 0.02).unwrap();
        assert_eq!(allocations::count() - before, 0, "{name}");
    }
}
