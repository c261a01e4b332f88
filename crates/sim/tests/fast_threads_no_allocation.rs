//! Fixed steps by threads allocate next to nothing after the first ones: counted over all threads, so this test is alone.

#[path = "../../contact/tests/allocations/mod.rs"]
mod allocations;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{Shape, Sphere};
use fingerpad_sim::{
    Body, FixedStep, FixedWorkspace, Interactions, LawId, Mobility, Model, PairLaw, Parts, Places, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// 91 balls piled on a bed of held ones, with more than 256 contacts: nothing by one thread. Two hand each other work
/// through a queue of blocks: a few dozen steps share one.
#[test]
fn a_pile_allocates_nothing_and_threads_next_to_nothing() {
    let r = 0.05;
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.0, k_t: 7e4, k_theta: 28.0, e_n: 0.02 }),
        damping: Damping { normal: 100.0, tangential: 30.0, torsional: 0.02, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.5 },
        partial: None,
    };
    let mut bodies = Vec::new();
    for layer in 0..7 {
        for i in 0..7 - layer {
            for j in 0..7 - layer {
                let at = |i: i32| 2.0 * r * f64::from(i) + r * f64::from(layer);
                let shape = Shape::Sphere(Sphere::new(r).unwrap());
                let ball = Body::free("ball", shape, 0.2, Matrix3::identity() * (0.08 * r * r));
                let ball = ball.at(Isometry3::translation(at(i), at(j), 2.0_f64.sqrt() * r * f64::from(layer)));
                bodies.push(if layer == 0 { ball.with(Mobility::Fixed) } else { ball });
            }
        }
    }
    let laws = vec![PairLaw { places: Places::Closest, ..PairLaw::even(law) }];
    let interactions = Interactions { laws, table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    let model = Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap();
    for (threads, most) in [(1, 0), (2, 10)] {
        let mut state = model.start().unwrap();
        let mut work = FixedWorkspace::new(&model).unwrap().with_threads(threads);
        let fast = FixedStep::default();
        fast.advance(&model, &mut state, &mut work, 0.3).unwrap();
        let before = allocations::count_all();
        let report = fast.advance(&model, &mut state, &mut work, 0.5).unwrap();
        let made = allocations::count_all() - before;
        assert!(made <= most, "{made} with {threads} threads");
        assert!(report.contacts > 200 * 256, "{report:?}");
    }
}
