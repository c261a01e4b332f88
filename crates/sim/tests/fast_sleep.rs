//! Islands that sleep: left alone at rest, awake with all they remember when something happens to them.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_sim::{
    Body, BodyId, FixedStep, FixedWorkspace, Interactions, Kick, LawId, Load, Mobility, Model, PairLaw, Parts, Places,
    Prescribed, Profile, State, Stepper, Workspace, ledger,
};
use nalgebra::{Isometry3, Matrix3, Vector3};

const R: f64 = 0.05;

fn ball(x: f64, y: f64, z: f64) -> Body {
    let shape = Shape::Sphere(Sphere::new(R).unwrap());
    Body::free("ball", shape, 0.2, Matrix3::identity() * (0.4 * 0.2 * R * R)).at(Isometry3::translation(x, y, z))
}

fn model(bodies: Vec<Body>, loads: Vec<Load>, kicks: Vec<Kick>) -> Model {
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.0, k_t: 7e4, k_theta: 28.0, e_n: 0.02 }),
        damping: Damping { normal: 100.0, tangential: 30.0, torsional: 0.02, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.5 },
        partial: None,
    };
    let laws = vec![PairLaw { places: Places::Closest, ..PairLaw::even(law) }];
    let interactions = Interactions { laws, table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Model::new(Parts { bodies, interactions, gravity_W, loads, kicks, ..Parts::default() }).unwrap()
}

/// 16 held balls as a bed and 9 + 4 + 1 on it.
fn pile() -> Vec<Body> {
    let rise = 2.0_f64.sqrt() * R;
    let mut bodies = Vec::new();
    for layer in 0..4 {
        for i in 0..4 - layer {
            for j in 0..4 - layer {
                let at = |i: i32| 2.0 * R * f64::from(i) + R * f64::from(layer);
                let body = ball(at(i), at(j), rise * f64::from(layer));
                bodies.push(if layer == 0 { body.with(Mobility::Fixed) } else { body });
            }
        }
    }
    bodies
}

fn sleepers(state: &State) -> usize {
    (0..state.bodies.len()).filter(|i| state.sleeps(*i)).count()
}

fn sleeping(time: f64) -> FixedStep {
    FixedStep { sleep: Some(time), ..FixedStep::default() }
}

/// Would catch a ledger that forgets what sleepers lose or hold, sleepers that are solved or looked at, and waking that
/// leaves out a body of the island.
#[test]
fn a_pile_falls_asleep_and_wakes_when_hit() {
    let mut bodies = pile();
    // Comes down on the top of the pile after 1.2 s.
    let above = 3.0 * 2.0_f64.sqrt() * R + 2.0 * R + 1e-3;
    let V = SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.0, 0.0, 0.5 * 9.81 * 1.2));
    bodies.push(ball(3.0 * R, 3.0 * R, above).moving(V));
    let model = model(bodies, vec![], vec![]);
    let mut state = model.start().unwrap();
    let mut work = FixedWorkspace::new(&model).unwrap();
    let mut eyes = Workspace::new(&model, &state);
    let first = ledger(&model, &state, &mut eyes).unwrap();
    let fast = sleeping(0.1);
    fast.advance(&model, &mut state, &mut work, 1.0).unwrap();
    assert_eq!(sleepers(&state), 14);
    // Asleep, nothing is looked at and nothing moves.
    let before = state.clone();
    let report = fast.advance(&model, &mut state, &mut work, 1.1).unwrap();
    assert_eq!((report.contacts, report.newton), (0, 0));
    assert_eq!(state.bodies[..30], before.bodies[..30]);
    assert_eq!(state.contacts[..40], before.contacts[..40]);
    // The step in which it is hit moves all that it rests on: loads reach the bed at once where contacts are stiff.
    let mut woken = 0;
    while state.time < 1.5 {
        fast.step(&model, &mut state, &mut work).unwrap();
        if woken == 0 && sleepers(&state) < 14 {
            woken = 14 - sleepers(&state);
            assert!((1.15..1.25).contains(&state.time), "at {} s", state.time);
        }
    }
    assert_eq!(woken, 14);
    let now = ledger(&model, &state, &mut eyes).unwrap();
    let drift = (now.total() - first.total()).abs();
    // Energies of 20 J in all, sums of 1,500 steps.
    assert!(drift < 1e-12 * (first.PE + first.KE), "{drift:e} J of {first:?}");
    // All is asleep again, the last ball wherever it has come to.
    fast.advance(&model, &mut state, &mut work, 4.0).unwrap();
    assert!(sleepers(&state) >= 14, "{}", sleepers(&state));
    let now = ledger(&model, &state, &mut eyes).unwrap();
    assert!((now.total() - first.total()).abs() < 1e-12 * (first.PE + first.KE));
}

/// A ball at rest on the ground, each way of waking by itself.
#[test]
fn kicks_loads_and_given_motions_wake() {
    let ground = || Body::fixed("ground", Shape::HalfSpace(HalfSpace));
    let rest = || ball(0.0, 0.0, R - 1e-5);
    let load = |profile: Profile| Load {
        body: BodyId(1),
        f_W: Vector3::new(0.1, 0.0, 0.0),
        t_W: Vector3::zeros(),
        p_BoQ: None,
        profile,
    };
    let kick =
        Kick { body: BodyId(1), time: 1.0, p_W: Vector3::new(0.01, 0.0, 0.0), L_W: Vector3::zeros(), p_BoQ: None };
    let later = Profile::Steady { t0: 1.0, t1: f64::INFINITY };
    let pusher = ball(-0.3, 0.0, R).with(Mobility::Prescribed(Prescribed::Moving { v_W: Vector3::new(0.2, 0.0, 0.0) }));
    for (name, model) in [
        ("kick", model(vec![ground(), rest()], vec![], vec![kick])),
        ("load", model(vec![ground(), rest()], vec![load(later)], vec![])),
        ("pushed", model(vec![ground(), rest(), pusher], vec![], vec![])),
    ] {
        let mut state = model.start().unwrap();
        let mut work = FixedWorkspace::new(&model).unwrap();
        let fast = sleeping(0.1);
        fast.advance(&model, &mut state, &mut work, 0.9).unwrap();
        assert!(state.sleeps(1), "{name}");
        let x = state.bodies[1].X_WBcm.translation.x;
        fast.advance(&model, &mut state, &mut work, 1.2).unwrap();
        assert!(!state.sleeps(1), "{name}");
        assert!(state.bodies[1].X_WBcm.translation.x > x + 1e-4, "{name}");
    }
    // A load set from outside.
    let always = Profile::Steady { t0: -1.0, t1: f64::INFINITY };
    let mut loaded = model(vec![ground(), rest()], vec![Load { f_W: Vector3::zeros(), ..load(always) }], vec![]);
    let mut state = loaded.start().unwrap();
    let mut work = FixedWorkspace::new(&loaded).unwrap();
    sleeping(0.1).advance(&loaded, &mut state, &mut work, 1.0).unwrap();
    assert!(state.sleeps(1));
    loaded.set_load(0, Vector3::new(0.1, 0.0, 0.0), Vector3::zeros()).unwrap();
    sleeping(0.1).advance(&loaded, &mut state, &mut work, 1.01).unwrap();
    assert!(!state.sleeps(1));
    // On a belt that moves nothing sleeps, however slowly it goes; a steady load keeps nobody awake.
    let belt = Body {
        mobility: Mobility::Prescribed(Prescribed::Conveying { v_W: Vector3::new(1e-7, 0.0, 0.0) }),
        ..ground()
    };
    let down = Load { f_W: Vector3::new(0.0, 0.0, -1.0), ..load(always) };
    for (bodies, loads, sleeps) in [(vec![belt, rest()], vec![], false), (vec![ground(), rest()], vec![down], true)] {
        let model = model(bodies, loads, vec![]);
        let mut state = model.start().unwrap();
        let mut work = FixedWorkspace::new(&model).unwrap();
        sleeping(0.1).advance(&model, &mut state, &mut work, 2.0).unwrap();
        assert_eq!(state.sleeps(1), sleeps);
    }
}

/// Nobody sleeps unless told to, and those who never get to sleep do what they did without.
#[test]
fn without_sleep_bits_are_the_same() {
    let model = model(pile(), vec![], vec![]);
    let run = |fast: FixedStep| {
        let mut state = model.start().unwrap();
        let mut work = FixedWorkspace::new(&model).unwrap();
        fast.advance(&model, &mut state, &mut work, 0.5).unwrap();
        state
    };
    let (off, on) = (run(FixedStep::default()), run(sleeping(10.0)));
    assert!(off.fixed.still.is_empty() && on.fixed.still.iter().any(|time| *time > 0.0));
    let mut awake = on;
    awake.fixed.still.clear();
    assert_eq!(awake, off);
}
