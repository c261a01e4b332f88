//! Rigid bodies between others that close by prescribed motion: an error that says so, where no motion is left.

mod common;

use common::{all_meet, ball, block};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_sim::{Body, Mobility, Model, Prescribed, Rigid, RigidWorkspace, Stepper, Stop};
use nalgebra::{Isometry3, Vector3};

fn rough() -> ContactLaw {
    let constants = Constants { k: 1e5, n: 1.0, k_t: 1e5, k_theta: 0.0, e_n: 0.0 };
    let friction = Friction::Coulomb { mu: 0.5 };
    ContactLaw { stiffness: Stiffness::Constants(constants), damping: Damping::default(), friction, partial: None }
}

/// Two tips of 8 mm at the sides of a box of 40 mm, `gap` away from it, that move inwards at `speed`.
fn grip(gap: f64, speed: f64, beside: f64) -> Model {
    let tip = |side: f64| -> Body {
        let v_W = Vector3::x() * (-side * speed);
        let x = side * (0.02 + 0.008 + gap);
        let shape = ball("tip", 0.008, 0.01).at(Isometry3::translation(x, side * beside, 0.0));
        shape.with(Mobility::Prescribed(Prescribed::Moving { v_W }))
    };
    all_meet(vec![tip(1.0), tip(-1.0), block([0.02; 3], 0.002, 0.1)], rough(), Vector3::zeros())
}

fn run(model: &Model, until: f64) -> Result<(f64, f64), (f64, Stop)> {
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(model, &state);
    let advanced = Rigid::with_step(1e-3).advance(model, &mut state, &mut work, until);
    match advanced {
        Ok(_) => Ok((state.time, state.bodies[2].X_WBcm.translation.vector.norm())),
        Err(error) => Err((state.time, error.cause)),
    }
}

/// Tips that close at 16 mm/s reach the box after 0.1 s and would be 1.6 mm inside it at 0.2 s. Before, the box was shot out.
#[test]
fn tips_that_close_inside_a_box_are_an_error() {
    for beside in [0.0, 1e-5, 3e-3] {
        let found = run(&grip(1.6e-3, 1.6e-2, beside), 0.2);
        let Err((time, Stop::Squeezed { overlap, .. })) = found else { panic!("{beside}: {found:?}") };
        // As soon as they are closed, by what two tips come nearer in a step.
        assert!((time - 0.1).abs() < 3e-3, "{beside}: {time} s");
        assert!(overlap > 0.0 && overlap < 1e-4, "{beside}: {overlap} m");
    }
}

/// Tips that begin 1.6 mm inside the box: told by that depth.
#[test]
fn tips_that_begin_inside_a_box_are_an_error() {
    let found = run(&grip(-1.6e-3, 0.0, 0.0), 0.01);
    let Err((_, Stop::Squeezed { overlap, .. })) = found else { panic!("{found:?}") };
    assert!((overlap - 1.6e-3).abs() < 1e-6, "{overlap} m");
}

/// One tip alone pushes the box ahead of it, and two that only touch leave it where it is: no error.
#[test]
fn tips_that_leave_room_are_none() {
    let (time, _) = run(&grip(1.6e-3, 1.6e-2, 0.0), 0.099).unwrap();
    assert_eq!(time, 0.099);
    let bodies = grip(0.0, 0.05, 0.0).bodies()[1..].to_vec();
    let model = all_meet(bodies, rough(), Vector3::zeros());
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(&model, &state);
    Rigid::with_step(1e-3).advance(&model, &mut state, &mut work, 0.2).unwrap();
    let pushed = state.bodies[1].X_WBcm.translation.vector.x;
    assert!((pushed - 0.01).abs() < 1e-6, "{pushed} m");
}
