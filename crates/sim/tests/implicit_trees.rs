//! The accurate stepper as programs run it, on trees of joints that explicit steps crawl along.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_sim::coordinates::{Joint, JointLaw, Spring};
use fingerpad_sim::nalgebra::{Isometry3, Matrix3, Unit, Vector3};
use fingerpad_sim::{
    Accurate, Body, BodyId, Drive, DriveKind, Interactions, JointId, Model, ModelJoint, PairLaw, Parts, Report, State,
    Stepper, Switching, SwitchingReport, Timeline,
};

const G: f64 = 9.81;

fn at_tolerance(relative: f64) -> Switching {
    Switching { accurate: Accurate { relative, absolute: 1e-2 * relative, ..Accurate::default() } }
}

/// The state at a time, what it cost, and by how much the ledger missed.
fn run(model: &Model, tolerance: f64, until: f64) -> (State, SwitchingReport, f64) {
    let stepper = at_tolerance(tolerance);
    let mut state = model.start().unwrap();
    let mut work = stepper.workspace(model, &state).unwrap();
    let before = stepper.ledger(model, &state, &mut work).unwrap().total();
    let mut report = SwitchingReport::default();
    report.add(&stepper.advance(model, &mut state, &mut work, until).unwrap());
    let off = stepper.ledger(model, &state, &mut work).unwrap().total() - before;
    println!(
        "{:.3} of {until} s implicit, {} rates, {} parts",
        report.implicit.time,
        report.effort(),
        report.implicit.parts
    );
    (state, report, off)
}

/// A finger's joint in thick oil: the damper alone is faster than 10⁸ a second, the motion takes a second. A hundred times the tolerance
/// of a step.
#[test]
fn a_joint_with_a_stiff_damper_creeps_as_its_closed_form() {
    creeps(1e-6);
}

#[test]
#[ignore = "missed: 4.9e-6 after 3,579 steps, where 1e-6 is asked"]
fn a_joint_with_a_stiff_damper_creeps_as_its_closed_form_at_a_finer_tolerance() {
    creeps(1e-8);
}

fn creeps(tolerance: f64) {
    let (d, k, I) = (1e3, 1e3, 1e-5);
    let tip = Body::free("tip", Shape::Sphere(Sphere::new(0.01).unwrap()), 0.01, Matrix3::identity() * I);
    let law = JointLaw { damping: d, spring: Some(Spring { stiffness: k, rest: 0.0 }), ..JointLaw::default() };
    let hinge = Joint::Revolute(Vector3::y_axis());
    let joint =
        ModelJoint::at("hinge", hinge, None, (BodyId(0), &tip), &Isometry3::identity()).with(law).starting(&[0.5], &[]);
    let model = Model::new(Parts { bodies: vec![tip], joints: vec![joint], ..Parts::default() }).unwrap();
    let until = 1.0;
    // q = a e^{−αt} + b e^{−βt}, at rest first.
    let root = f64::sqrt(d * d - 4.0 * I * k);
    let (fast, slow) = ((d + root) / (2.0 * I), 2.0 * k / (d + root));
    let q = 0.5 * (fast * f64::exp(-slow * until)) / (fast - slow);
    let (state, report, off) = run(&model, tolerance, until);
    let found = state.trees[0].q[0];
    println!("off by {:e}", found - q);
    assert!((found - q).abs() < 100.0 * tolerance, "{found} {q}");
    assert!(report.implicit.time > 0.5 * until, "{report:?}");
    assert!(off.abs() < 1e-5 * k, "{off:e}");
}

/// A hand whose position drives are ten thousand times as stiff and heavily damped, told to close: it rests at its references
/// less what its weight bends it, whoever carries.
#[test]
#[ignore = "missed: six joints whose dampers are faster than 10⁸ a second did not reach 1 s within 25 s of the processor"]
fn a_hand_with_stiff_drives_comes_to_rest_where_it_is_told() {
    let (mut bodies, mut joints, mut drives) = (Vec::new(), Vec::new(), Vec::new());
    let (k, d) = (2e4, 2e3);
    for i in 0..6_usize {
        let shape = Shape::Sphere(Sphere::new(0.005).unwrap());
        let body = Body::free(&format!("link {i}"), shape, 0.02, Matrix3::identity() * 8e-6)
            .at(Isometry3::translation(0.03 * i as f64 + 0.015, 0.0, 0.0));
        let on = i.checked_sub(1).map(|j| (BodyId(j), &bodies[j]));
        let hinge = Joint::Revolute(if i % 2 == 0 {
            Vector3::y_axis()
        } else {
            Unit::new_normalize(Vector3::new(0.0, 1.0, 0.3))
        });
        let at = Isometry3::translation(0.03 * i as f64, 0.0, 0.0);
        joints.push(ModelJoint::at(&format!("j{i}"), hinge, on, (BodyId(i), &body), &at));
        let kind = DriveKind::Position { stiffness: k, damping: d };
        drives.push(Drive::new(&format!("d{i}"), JointId(i), kind, Timeline::constant(0.2)));
        bodies.push(body);
    }
    let gravity_W = Vector3::new(0.0, 0.0, -G);
    let model = Model::new(Parts { bodies, joints, drives, gravity_W, ..Parts::default() }).unwrap();
    let (state, report, off) = run(&model, 1e-6, 1.0);
    assert!(report.implicit.time > 0.3, "{report:?}");
    // The drives' dampers let a share e^{−k/d t} of the way be left: e^{−10}; the weight bends by far less.
    for q in &state.trees[0].q {
        assert!((q - 0.2).abs() < 2.0 * 0.2 * f64::exp(-10.0), "{q}");
    }
    assert!(off.abs() < 1e-5 * 6.0 * 0.5 * k * 0.04, "{off:e}");
}

/// A box that slides let move any way but turn, on its corners at 1 m/s: explicit steps follow the direction of slip within some
/// 10 ns. It comes to rest after v²/(2 μ g), less what the springs along the patch hold.
#[test]
fn a_box_on_slides_that_rubs_on_the_ground_stops_where_coulomb_says() {
    let (mu, v, m) = (0.4, 1.0, 0.5);
    let ground = Body::fixed("ground", Shape::HalfSpace(HalfSpace));
    let ball = |name: &str, z: f64| {
        Body::free(name, Shape::Sphere(Sphere::new(0.005).unwrap()), 1e-3, Matrix3::identity() * 1e-8)
            .at(Isometry3::translation(0.0, 0.0, z))
    };
    let carriage = ball("carriage", 1.0);
    let shape = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.05, 0.04, 0.03), 2e-3).unwrap());
    let block = Body::free("block", shape, m, Matrix3::identity() * 1e-3).at(Isometry3::translation(0.0, 0.0, 0.03));
    let across = ball("across", 1.1);
    let [x, y, z] = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()].map(Joint::Prismatic);
    let joints = vec![
        ModelJoint::at("along", x, None, (BodyId(1), &carriage), &carriage.X_WB).starting(&[], &[v]),
        ModelJoint::at("across", y, Some((BodyId(1), &carriage)), (BodyId(2), &across), &across.X_WB)
            .starting(&[], &[1e-3]),
        ModelJoint::at("down", z, Some((BodyId(2), &across)), (BodyId(3), &block), &block.X_WB),
    ];
    let stiffness = Stiffness::Constants(Constants { k: 1e6, n: 1.0, k_t: 1e7, k_theta: 0.0, e_n: 1e-3 });
    let damping = Damping { hunt_crossley: 5.0, ..Damping::default() };
    let law = ContactLaw { stiffness, damping, friction: Friction::Coulomb { mu }, partial: None };
    let interactions = Interactions::of_pairs(vec![(BodyId(0), BodyId(3), PairLaw::even(law))]);
    let gravity_W = Vector3::new(0.0, 0.0, -G);
    let bodies = vec![ground, carriage, across, block];
    let model = Model::new(Parts { bodies, joints, interactions, gravity_W, ..Parts::default() }).unwrap();
    let (state, report, off) = run(&model, 1e-6, 0.5);
    let slid = state.trees[0].q[0];
    let expected = 0.5 * v * v * (m + 2e-3) / (mu * m * G);
    assert!((slid / expected - 1.0).abs() < 5e-3, "{slid} {expected}");
    assert!(state.trees[0].v[0].abs() < 1e-2, "{:?}", state.trees[0].v);
    assert!(off.abs() < 1e-4 * 0.5 * m * v * v, "{off:e}");
    println!("{report:?}");
}
