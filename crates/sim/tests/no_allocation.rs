//! Stepping allocates nothing after the first steps: counted by the allocator itself.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_sim::{Accurate, Body, BodyId, Mobility, Model, Pair, Workspace};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use std::sync::Arc;

/// A ball bounces, sticks and slips on a plane for a second, with and without dampers along the patch.
#[test]
fn bounces_with_stick_and_slip_allocate_nothing() {
    for tangential in [0.0, 5.0] {
        let law = ContactLaw {
            stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.5, k_t: 1e4, k_theta: 4.0, e_n: 0.02 }),
            damping: Damping { hunt_crossley: 0.4, tangential, torsional: 4e-4 * tangential, ..Damping::default() },
            friction: Friction::Coulomb { mu: 0.3 },
            partial: None,
        };
        let body = |name: &str, shape, mobility| Body {
            name: name.to_string(),
            shape: Arc::new(shape),
            mobility,
            mass: 1.0,
            p_BoBcm: Point3::origin(),
            I_BBcm_B: Matrix3::identity() * 4e-3,
        };
        let bodies = vec![
            body("ground", Shape::HalfSpace(HalfSpace), Mobility::Fixed),
            body("ball", Shape::Sphere(Sphere::new(0.1).unwrap()), Mobility::Free),
        ];
        let pairs = vec![Pair { a: BodyId(0), b: BodyId(1), law, alpha: 0.5 }];
        let model = Model::new(bodies, pairs, Vector3::new(0.0, 0.0, -9.81), Vec::new()).unwrap();
        let V = SpatialVelocity::new(Vector3::new(3.0, -5.0, 8.0), Vector3::new(1.0, 0.5, 0.0));
        let poses = [Isometry3::identity(), Isometry3::translation(0.0, 0.0, 0.3)];
        let mut state = model.start(&poses, &[SpatialVelocity::zero(), V]).unwrap();
        let mut work = Workspace::new(&model, &state);
        let mut events = 0;
        let before = allocations::count();
        for i in 1..=100 {
            Accurate::default().advance(&model, &mut state, &mut work, 0.01 * f64::from(i)).unwrap();
            events += work.events().len();
        }
        assert_eq!(allocations::count() - before, 0, "b {tangential}");
        assert!(events >= 4 && state.contacts[0].E_slip > 0.0, "{events}");
    }
}
