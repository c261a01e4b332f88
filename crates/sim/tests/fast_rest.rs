//! Bodies that hardly move keep their places and rows: the same motion, noticed at once when it is no longer so.

mod common;

use common::{G, ball, block, ground, linear};
use fingerpad_contact::law::{ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::{
    Body, BodyId, FixedReport, FixedStep, FixedWorkspace, Interactions, Kick, LawId, Load, Model, PairLaw, Parts,
    Places, Profile, Report, State, Stepper, Workspace, ledger,
};
use nalgebra::{Isometry3, Vector3};

fn law() -> ContactLaw {
    linear(1e6, Friction::Coulomb { mu: 0.5 }, Damping { normal: 200.0, ..Damping::default() })
}

/// Everything meets everything at points.
fn model(bodies: Vec<Body>, law: ContactLaw, loads: Vec<Load>, kicks: Vec<Kick>) -> Model {
    let law = PairLaw { places: Places::Points, ..PairLaw::even(law) };
    let interactions = Interactions { laws: vec![law], table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    Model::new(Parts { bodies, interactions, gravity_W: Vector3::new(0.0, 0.0, -G), loads, kicks, ..Parts::default() })
        .unwrap()
}

fn boxes(count: usize) -> Vec<Body> {
    let mut bodies = vec![ground()];
    let at = |i: usize| Isometry3::translation(0.1, 0.2, 0.05 + 0.1 * i as f64);
    bodies.extend((0..count).map(|i| block([0.05; 3], 0.005, 1.0).at(at(i))));
    bodies
}

/// Steps of 1 ms up to a time. Without rest, each step is told that bodies were last looked at elsewhere.
fn run(model: &Model, until: f64, rest: bool) -> (State, FixedReport) {
    let (mut state, mut report) = (model.start().unwrap(), FixedReport::default());
    let mut work = FixedWorkspace::new(model).unwrap();
    while state.time < until - 1e-9 {
        if !rest {
            state.fixed.linearised_at = vec![Isometry3::translation(1e3, 0.0, 0.0); state.bodies.len()];
        }
        let end = state.time + 1e-3;
        report.add(&FixedStep::default().advance(model, &mut state, &mut work, end).unwrap());
    }
    (state, report)
}

fn apart(one: &State, other: &State) -> f64 {
    let pairs = one.bodies.iter().zip(&other.bodies);
    pairs
        .map(|(a, b)| {
            let (a, b) = (a.X_WBcm, b.X_WBcm);
            (a.translation.vector - b.translation.vector).norm() + 0.1 * a.rotation.angle_to(&b.rotation)
        })
        .fold(0.0, f64::max)
}

/// A push too weak to make it slip, growing and going again.
fn swaying(force: f64) -> Load {
    let profile = Profile::Wave { t0: 0.5, t1: f64::INFINITY, frequency: 1.0, phase: 0.0 };
    let f_W = Vector3::new(force, 0.5 * force, 0.0);
    Load { body: BodyId(3), f_W, t_W: Vector3::zeros(), p_BoQ: None, profile }
}

/// A stack that is pushed to and fro: gently enough to stay at rest, and beyond. Would catch gaps that are led wrongly,
/// rows of another place, rest that does not end where it should, and books that leave out what looking again finds.
#[test]
fn kept_places_give_the_motion_of_fresh_ones() {
    for (force, rests) in [(1e-5, true), (1e-3, false), (1.0, false)] {
        let model = model(boxes(3), law(), vec![swaying(force)], vec![]);
        let (kept, counted) = run(&model, 2.0, true);
        let (fresh, none) = run(&model, 2.0, false);
        let share = counted.rested as f64 / counted.contacts as f64;
        let off = apart(&kept, &fresh);
        let mut work = Workspace::new(&model, &kept);
        let sums = |state: &State, work: &mut Workspace| ledger(&model, state, work).unwrap().total();
        let start = sums(&model.start().unwrap(), &mut work);
        let drift = (sums(&kept, &mut work) - start).abs();
        println!("{force:e} N: {share:.3} at rest, {off:e} m apart, ledger {drift:e} J");
        assert_eq!(none.rested, 0);
        assert!(if rests { share > 0.7 } else { share > 0.1 && share < 0.9 }, "{share}");
        assert!(off < 1e-14, "{off:e}");
        assert!(drift < 1e-12, "{drift:e}");
    }
}

/// Live patches at rest, whose stiffness follows the load.
#[test]
fn kept_places_do_for_live_patches() {
    let rubber = Material::elastic(1e6, 0.45).unwrap();
    let stiffness = Stiffness::Patch(pair(&rubber, &rubber, Theory::Auto).unwrap().theory);
    let law = ContactLaw { stiffness, ..law() };
    let at = |x: f64, z: f64| ball("ball", 0.05, 0.2).at(Isometry3::translation(x, 0.0, z));
    let model = model(vec![ground(), at(0.0, 0.05), at(0.3, 0.05), at(0.0, 0.15)], law, vec![], vec![]);
    let (kept, counted) = run(&model, 3.0, true);
    let (fresh, _) = run(&model, 3.0, false);
    let off = apart(&kept, &fresh);
    println!("{} of {} at rest, {off:e} m apart", counted.rested, counted.contacts);
    assert!(counted.rested > counted.contacts / 4);
    assert!(off < 1e-13, "{off:e}");
}

/// A blow to a stack that rests, and a ball that falls on it.
#[test]
fn a_blow_is_noticed_in_its_step() {
    let mut bodies = boxes(3);
    bodies.push(ball("ball", 0.05, 0.2).at(Isometry3::translation(0.1, 0.2, 1.35)));
    let kick =
        Kick { body: BodyId(1), time: 0.8, p_W: Vector3::new(0.02, 0.0, 0.0), L_W: Vector3::zeros(), p_BoQ: None };
    let model = model(bodies, law(), vec![], vec![kick]);
    // The ball lands after 0.45 s and the blow falls at 0.8 s, both among boxes at rest.
    for until in [0.44, 0.5, 0.79, 0.81, 1.0] {
        let (kept, counted) = run(&model, until, true);
        let (fresh, _) = run(&model, until, false);
        let off = apart(&kept, &fresh);
        println!("{until} s: {} of {} at rest, {off:e} m apart", counted.rested, counted.contacts);
        assert!(counted.rested > 0);
        // Rows may be wrong by 1e-9; of 4.3 m/s that is 4e-9 m in a second.
        assert!(off < 1e-10, "{until}: {off:e}");
    }
}

/// A run that goes on from a stored state with fresh scratch, at rest and pushed out of it, is the same bit by bit.
#[test]
fn a_rest_goes_on_bit_by_bit() {
    for force in [1e-5, 1.0] {
        let model = model(boxes(3), law(), vec![swaying(force)], vec![]);
        let run = |pause: bool| {
            let mut state = model.start().unwrap();
            let mut work = FixedWorkspace::new(&model).unwrap();
            let mut rested = 0;
            for i in 1..=900 {
                rested +=
                    FixedStep::default().advance(&model, &mut state, &mut work, 1e-3 * f64::from(i)).unwrap().rested;
                if pause && i % 7 == 0 {
                    work = FixedWorkspace::new(&model).unwrap();
                }
            }
            assert!(rested > 900);
            state
        };
        assert_eq!(run(false), run(true));
    }
}

/// One workspace that goes to and fro between two states gives what two would give.
#[test]
fn scratch_serves_two_states() {
    let model = model(boxes(2), law(), vec![], vec![]);
    let (start, _) = run(&model, 1.0, true);
    let mut other = start.clone();
    other.bodies[2].V_WBcm = SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.5, 0.0, 0.0));
    let mut both = [start.clone(), other.clone()];
    let mut shared = FixedWorkspace::new(&model).unwrap();
    let mut each = [start, other];
    let mut own = [FixedWorkspace::new(&model).unwrap(), FixedWorkspace::new(&model).unwrap()];
    for _ in 0..300 {
        for i in 0..2 {
            FixedStep::default().step(&model, &mut both[i], &mut shared).unwrap();
            FixedStep::default().step(&model, &mut each[i], &mut own[i]).unwrap();
        }
    }
    assert!(apart(&both[0], &both[1]) > 1e-6);
    assert_eq!(both, each);
}
