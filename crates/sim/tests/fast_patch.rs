//! Fixed steps with live patches, any ratio of stiffnesses, dampers and given motions: against the accurate stepper and
//! the ledger.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Ellipsoid, HalfSpace, Shape, Sphere};
use fingerpad_sim::{
    Accurate, Body, BodyId, FixedStep, FixedWorkspace, Interactions, Ledger, Load, Mobility, Model, PairLaw, Parts,
    Places, Prescribed, Profile, Restriction, State, Stepper, Workspace, ledger,
};
use nalgebra::{Isometry3, Matrix3, Unit, Vector3};

const G: f64 = 9.81;

fn on_plane(body: Body, ground: Mobility, law: ContactLaw) -> Model {
    pushed_on_plane(body, ground, law, vec![])
}

fn pushed_on_plane(body: Body, ground: Mobility, law: ContactLaw, loads: Vec<Load>) -> Model {
    let pair = (BodyId(0), BodyId(1), PairLaw { places: Places::Closest, ..PairLaw::even(law) });
    Model::new(Parts {
        bodies: vec![Body::fixed("ground", Shape::HalfSpace(HalfSpace)).with(ground), body],
        interactions: Interactions::of_pairs(vec![pair]),
        gravity_W: Vector3::new(0.0, 0.0, -G),
        loads,
        ..Parts::default()
    })
    .unwrap()
}

fn egg() -> Body {
    let shape = Shape::Ellipsoid(Ellipsoid::new([0.03, 0.04, 0.05]).unwrap());
    let V = SpatialVelocity::new(Vector3::new(10.0, 20.0, 5.0), Vector3::new(0.5, 0.2, -0.5));
    Body::free("egg", shape, 0.2, Matrix3::from_diagonal(&Vector3::new(1.6e-4, 1.4e-4, 1.0e-4)))
        .at(Isometry3::translation(0.0, 0.0, 0.06))
        .moving(V)
}

fn ball() -> Body {
    let V = SpatialVelocity::new(Vector3::new(10.0, 20.0, 30.0), Vector3::new(0.5, 0.2, -0.5));
    Body::free("ball", Shape::Sphere(Sphere::new(0.05).unwrap()), 0.3, Matrix3::identity() * 3e-4)
        .at(Isometry3::translation(0.0, 0.0, 0.06))
        .moving(V)
}

fn live(friction: Friction, layer: bool) -> ContactLaw {
    let rubber = if layer {
        Material::rigid().with_layer(Layer::new(1e6, 5e-3).unwrap())
    } else {
        Material::elastic(1e6, 0.45).unwrap()
    };
    ContactLaw {
        stiffness: Stiffness::Patch(pair(&rubber, &rubber, Theory::Auto).unwrap().theory),
        damping: Damping { hunt_crossley: 0.3, ..Damping::default() },
        friction,
        partial: None,
    }
}

fn constants(k_theta: f64, tangential: f64) -> ContactLaw {
    ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e5, n: 1.5, k_t: 1e4, k_theta, e_n: 1e-2 }),
        damping: Damping { hunt_crossley: 0.3, tangential, torsional: 1e-4 * tangential, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.3 },
        partial: None,
    }
}

/// State and ledger after a time, all steps checked: no loss negative, the sum stays.
fn fast(model: &Model, step: f64, until: f64) -> (State, Ledger) {
    let mut state = model.start().unwrap();
    let mut work = FixedWorkspace::new(model).unwrap();
    let mut eyes = Workspace::new(model, &state);
    let first = ledger(model, &state, &mut eyes).unwrap().total();
    let stepper = FixedStep { step, ..FixedStep::default() };
    let report = stepper.advance(model, &mut state, &mut work, until).unwrap();
    let end = ledger(model, &state, &mut eyes).unwrap();
    let drift = (end.total() - first).abs() / first;
    println!(
        "h {step:e}: drift {drift:.1e}, least {:.1e}, repeated {}, newton {}, open {}, unconverged {}, {end:?}",
        report.least_loss, report.repeated, report.newton, report.open, report.unconverged
    );
    assert!(drift <= 1e-12 * (report.steps as f64 / 1e4).max(1.0), "{drift:e}");
    assert!(report.least_loss >= -1e-14 * first, "{:e}", report.least_loss);
    (state, end)
}

fn accurate(model: &Model, until: f64) -> (State, Ledger) {
    let mut state = model.start().unwrap();
    let mut work = Workspace::new(model, &state);
    Accurate::default().advance(model, &mut state, &mut work, until).unwrap();
    let end = ledger(model, &state, &mut work).unwrap();
    (state, end)
}

/// Errors of position against the accurate stepper at two steps fall at least by `factor` from 0.4 to 0.1 ms and end
/// below `least`.
fn converges(name: &str, model: &Model, until: f64, factor: f64, least: f64) {
    let (want, book) = accurate(model, until);
    let off = [4e-4, 1e-4].map(|step| {
        let (state, _) = fast(model, step, until);
        (state.bodies[1].X_WBcm.translation.vector - want.bodies[1].X_WBcm.translation.vector).norm()
    });
    println!("{name}: {off:?} m; {book:?}");
    assert!(off[1] <= least && off[0] / off[1] >= factor, "{name}: {off:?}");
}

/// Hertz under an ellipsoid that rolls: stiffness, axes and e_n follow load and curvature.
#[test]
fn live_patch_agrees_with_the_accurate_stepper() {
    for (name, friction, factor) in [
        ("none", Friction::None, 8.0),
        ("sticks", Friction::Sticks, 8.0),
        ("slips", Friction::Coulomb { mu: 0.2 }, 3.0),
    ] {
        let model = on_plane(egg(), Mobility::Fixed, live(friction, false));
        converges(name, &model, 0.1, factor, 1e-4);
    }
}

/// ρ = k_θ/(k_t e_n²) of 0.1, 1 and 10: the return to the limit is not radial.
#[test]
fn any_ratio_of_stiffnesses_agrees_with_the_accurate_stepper() {
    for rho in [0.1, 1.0, 10.0] {
        let model = on_plane(ball(), Mobility::Fixed, constants(rho, 0.0));
        converges(&format!("ρ {rho}"), &model, 0.15, 2.0, 1e-4);
    }
}

/// Dampers beside springs that slip.
#[test]
fn dampers_that_slip_agree_with_the_accurate_stepper() {
    let model = on_plane(ball(), Mobility::Fixed, constants(1.0, 5.0));
    converges("damped", &model, 0.15, 2.5, 2e-4);
}

/// A layer on both bodies, on a plane that shakes, turns, or conveys: work of given motions is in the ledger.
#[test]
fn given_motions_do_work() {
    let motions = [
        Prescribed::Shaking { amplitude_W: Vector3::new(0.01, 0.0, 0.005), frequency: 5.0, phase: 0.3 },
        Prescribed::Turning {
            p_WQ: nalgebra::Point3::new(0.1, 0.0, 0.0),
            axis_W: Unit::new_normalize(Vector3::z()),
            rate: 2.0,
        },
        Prescribed::Conveying { v_W: Vector3::new(1.0, 0.5, 0.0) },
        Prescribed::Moving { v_W: Vector3::new(0.2, 0.0, 0.1) },
    ];
    for motion in motions {
        let model = on_plane(egg(), Mobility::Prescribed(motion), live(Friction::Coulomb { mu: 0.4 }, true));
        let (_, end) = fast(&model, 2e-4, 1.0);
        assert!(end.W_injected.abs() > 1e-4, "{motion:?}: {end:?}");
    }
}

/// Two runs are equal bit by bit, and so is one that goes on from a stored state with fresh scratch.
#[test]
fn runs_repeat_and_continue_bit_by_bit() {
    let model = on_plane(egg(), Mobility::Fixed, live(Friction::Coulomb { mu: 0.2 }, false));
    let run = |pause: bool| {
        let mut state = model.start().unwrap();
        let mut work = FixedWorkspace::new(&model).unwrap();
        for i in 1..=30 {
            FixedStep::default().advance(&model, &mut state, &mut work, 0.01 * f64::from(i)).unwrap();
            if pause {
                state = state.clone();
                work = FixedWorkspace::new(&model).unwrap();
            }
        }
        state
    };
    let one = run(false);
    assert!(one.contacts[0].E_slip > 0.0);
    assert_eq!(one, run(false));
    assert_eq!(one, run(true));
}

/// The only body that moves takes its steps without lists; with lists, as where others may sleep, they are the same bit by
/// bit: bounces, slip, rolling, rest, a load, a slider.
#[test]
fn a_body_by_itself_takes_the_steps_of_many() {
    let slider = Mobility::Restricted(Restriction {
        X_WF: Isometry3::identity(),
        slides: [true, false, true],
        turns: [false; 3],
    });
    let sliding = SpatialVelocity::new(Vector3::zeros(), Vector3::new(0.5, 0.0, -0.5));
    let laws = [live(Friction::Coulomb { mu: 0.2 }, false), constants(2.0, 0.0), constants(2.0, 5.0)];
    for (i, law) in laws.into_iter().enumerate() {
        for body in [egg(), ball(), ball().with(slider).moving(sliding)] {
            let profile = Profile::Wave { t0: 0.0, t1: 1.0, frequency: 3.0, phase: 0.0 };
            let f_W = Vector3::new(0.3, 0.1, 0.0);
            let load = Load { body: BodyId(1), f_W, t_W: Vector3::zeros(), p_BoQ: None, profile };
            let loads = if i == 1 { vec![load] } else { vec![] };
            let model = pushed_on_plane(body, Mobility::Fixed, law.clone(), loads);
            let run = |fast: FixedStep| {
                let mut state = model.start().unwrap();
                let mut work = FixedWorkspace::new(&model).unwrap();
                let report = fast.advance(&model, &mut state, &mut work, 2.0).unwrap();
                state.fixed.still.clear();
                (state, report, work.events().to_vec())
            };
            let one = run(FixedStep::default());
            assert!(one.1.contacts > 500 && one.2.len() > 2, "{:?}", one.1);
            assert_eq!(one, run(FixedStep { sleep: Some(f64::MAX), ..FixedStep::default() }));
        }
    }
}

/// Times that are summed from short steps do not leave crumbs of steps before the times asked for.
#[test]
fn no_crumbs_of_steps() {
    let model = on_plane(ball(), Mobility::Fixed, constants(2.0, 0.0));
    let mut state = model.start().unwrap();
    let mut work = FixedWorkspace::new(&model).unwrap();
    let fast = FixedStep { step: 1.25e-5, ..FixedStep::default() };
    state.time = 100.0;
    let mut steps = 0;
    for i in 1..=20 {
        steps += fast.advance(&model, &mut state, &mut work, 100.0 + 0.02 * f64::from(i)).unwrap().steps;
    }
    assert_eq!(steps, 20 * 1600);
}
