//! Fixed steps with several threads: the same bits as with one.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Ellipsoid, HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::{
    Body, ContactMode, FixedReport, FixedStep, FixedWorkspace, Interactions, LawId, Model, PairLaw, Parts, Place,
    Places, Report, State, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

/// 216 balls of three sizes that fall into one heap between walls, and beside it five stacks of two boxes, three ellipsoids
/// and seven lone balls.
fn scene(places: Places) -> Model {
    let free = |shape: Shape, mass: f64, size: f64| {
        Body::free("body", shape, mass, Matrix3::identity() * (0.4 * mass * size * size))
    };
    let mut bodies = vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace))];
    for (axis, side) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
        let mut half = Vector3::repeat(0.4);
        half[axis] = 0.02;
        let wall = Shape::RoundedBox(RoundedBox::new(half, 0.005).unwrap());
        let place = Vector3::ith(axis, side * 0.292);
        bodies.push(Body::fixed("wall", wall).at(Isometry3::translation(place.x, place.y, 0.405)));
    }
    for i in 0..216_u32 {
        let r = 0.041 + 0.0015 * f64::from(i % 3);
        let (x, y, z) = (f64::from(i % 6), f64::from(i / 6 % 6), f64::from(i / 36));
        let place = Vector3::new(0.089 * x - 0.2225 + 1e-3 * z, 0.089 * y - 0.2225 - 1e-3 * z, 0.045 + 0.089 * z);
        let V = SpatialVelocity::new(Vector3::new(1.0, -2.0, 0.5), Vector3::new(-place.x, -place.y, -0.5));
        let ball = free(Shape::Sphere(Sphere::new(r).unwrap()), 0.2, r);
        bodies.push(ball.at(Isometry3::translation(place.x, place.y, place.z)).moving(V));
    }
    for i in 0..10_u32 {
        let shape = Shape::RoundedBox(RoundedBox::new(Vector3::repeat(0.05), 0.005).unwrap());
        let z = 0.0501 + 0.1001 * f64::from(i % 2);
        bodies.push(free(shape, 1.0, 0.05).at(Isometry3::translation(2.0 + f64::from(i / 2), 0.0, z)));
    }
    for i in 0..3_u32 {
        let shape = Shape::Ellipsoid(Ellipsoid::new([0.06, 0.05, 0.04]).unwrap());
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.6e-3, 2.1e-3, 2.4e-3));
        let V = SpatialVelocity::new(Vector3::new(3.0, 1.0, -2.0), Vector3::zeros());
        let body = Body::free("ellipsoid", shape, 0.5, inertia).moving(V);
        bodies.push(body.at(Isometry3::translation(0.11 * f64::from(i), 3.0, 0.06)));
    }
    for i in 0..7_u32 {
        let V = SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.5, 0.0, 0.0));
        let ball = free(Shape::Sphere(Sphere::new(0.05).unwrap()), 0.2, 0.05).moving(V);
        bodies.push(ball.at(Isometry3::translation(0.0, -3.0 - f64::from(i), 0.0499)));
    }
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 2e5, n: 1.0, k_t: 1e5, k_theta: 40.0, e_n: 0.02 }),
        damping: Damping { normal: 150.0, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.4 },
        partial: None,
    };
    let laws = vec![PairLaw { places, ..PairLaw::even(law) }];
    let interactions = Interactions { laws, table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, interactions, gravity_W, ..Parts::default() }).unwrap()
}

fn run(model: &Model, threads: usize, steps: usize) -> (State, FixedReport, usize) {
    let mut state = model.start().unwrap();
    let mut work = FixedWorkspace::new(model).unwrap().with_threads(threads);
    let fast = FixedStep::default();
    let mut report = FixedReport::default();
    let mut events = 0;
    for step in 1..=steps {
        report.add(&fast.advance(model, &mut state, &mut work, 1e-3 * step as f64).unwrap());
        events += work.events().len();
    }
    (state, report, events)
}

/// Would catch sums whose order hangs on threads, and lists that are cut elsewhere: every number of the state and of the
/// report is compared, after 200 steps in which contacts come and go.
#[test]
fn one_two_and_three_threads_give_the_same_bits() {
    let model = scene(Places::Points);
    let (alone, report, events) = run(&model, 1, 200);
    // The heap is large enough for threads, and there is more than it.
    assert!(report.contacts > 200 * 250, "{report:?}");
    assert!(report.inner > 0 && report.added.E_slip > 0.0 && events > 300, "{report:?}, {events} events");
    for threads in [2, 3] {
        let (state, same, told) = run(&model, threads, 200);
        assert_eq!(state, alone, "{threads} threads");
        assert_eq!((same, told), (report, events), "{threads} threads");
    }
}

/// The same where the boxes stand on their faces.
#[test]
fn faces_too_give_the_same_bits() {
    let model = scene(Places::All);
    let (alone, report, events) = run(&model, 1, 60);
    let faces = alone.contacts.iter().filter(|c| matches!(c.place, Place::Face(_)) && c.mode != ContactMode::Free);
    assert_eq!(faces.count(), 10);
    let (state, same, told) = run(&model, 2, 60);
    assert_eq!((state, same, told), (alone, report, events));
}
