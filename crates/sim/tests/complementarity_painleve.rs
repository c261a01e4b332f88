//! The sliding rod (Painlevé): which states have an impulse that does not vanish with the step, and how large it is.
//!
//! A uniform rod of half length l leans at θ, its lower tip on the floor slides with speed v, pushed by what is behind it.
//! With m the mass, I = m l²/3 and the arm from the centre to the tip (x, −z) = l (cos θ, −sin θ):
//!
//! ```text
//! A_nn = 1/m + x²/I,   A_tt = 1/m + z²/I,   A_nt = x z/I
//! ```
//!
//! Sliding on, a normal force presses the tip down where A_nn − μ A_nt < 0: tan²θ − 3 μ tan θ + 4 < 0 (Champneys). At rest in
//! the normal direction there is no force then, and an impulse ends the slip at once: A f = −(0, v).

mod common;

use common::{G, all_meet, ground};
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Shape, Sphere};
use fingerpad_sim::{Body, BodyId, EventKind, Model, Rigid, RigidReport, RigidWorkspace, State, Stepper};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

const HALF: f64 = 0.5;
const MASS: f64 = 1.2;
const TIP: f64 = 0.02;

/// A rod with a small ball for its tip, which touches the floor; tip and centre move along x with the same speed.
fn rod(mu: f64, degrees: f64, speed: f64) -> Model {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let inertia = MASS * HALF * HALF / 3.0;
    let mut body = Body::free("rod", Shape::Sphere(Sphere::new(TIP).unwrap()), MASS, Matrix3::identity() * inertia);
    // From the ball's centre, straight above the touching point, to the rod's.
    body.p_BoBcm = Point3::new(-HALF * cos, 0.0, HALF * sin - TIP);
    body.X_WB = Isometry3::translation(0.0, 0.0, TIP);
    body.V_WBcm = SpatialVelocity::new(Vector3::zeros(), Vector3::new(speed, 0.0, 0.0));
    let constants = Constants { k: 1e5, n: 1.0, k_t: 1e5, k_theta: 0.0, e_n: 0.0 };
    let friction = Friction::Coulomb { mu };
    let law =
        ContactLaw { stiffness: Stiffness::Constants(constants), damping: Damping::default(), friction, partial: None };
    all_meet(vec![ground(), body], law, Vector3::new(0.0, 0.0, -G))
}

/// One step of a rod: what was reported, the state, events of kind Painlevé.
fn one_step(model: &Model, step: f64) -> (RigidReport, State, Vec<(BodyId, BodyId)>) {
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(model, &state);
    let stepper = Rigid::with_step(step);
    let first = stepper.ledger(model, &state).total();
    let report = stepper.advance(model, &mut state, &mut work, step).unwrap();
    assert!(report.unsolved == 0 && report.steps == 1, "{report:?}");
    let total = stepper.ledger(model, &state).total();
    assert!((total - first).abs() < 1e-13, "{total} {first}");
    let named = work.events().iter().filter(|event| event.kind == EventKind::Painleve);
    let named = named.map(|event| (event.a, event.b)).collect();
    (report, state, named)
}

/// Inside the window the impulse has the closed form at every step size, to what gravity adds in that step; it is named, and
/// what it takes is the kinetic energy of the slip, ½ A_nn v²/(A_nn A_tt − A_nt²).
#[test]
fn slip_ends_at_once_where_friction_presses_the_tip_down() {
    for (mu, degrees, speed) in [(2.0, 45.0, 1.0), (2.0, 70.0, 0.2), (1.4, 63.43495, 3.0), (3.0, 30.0, 1.0)] {
        let (sin, cos) = f64::to_radians(degrees).sin_cos();
        let (x, z, inertia) = (HALF * cos, HALF * sin, MASS * HALF * HALF / 3.0);
        let (nn, tt, nt) = (1.0 / MASS + x * x / inertia, 1.0 / MASS + z * z / inertia, x * z / inertia);
        let det = nn * tt - nt * nt;
        for step in [1e-4, 1e-6] {
            let model = rod(mu, degrees, speed);
            let (report, state, named) = one_step(&model, step);
            assert_eq!((report.painleve, &named[..]), (1, &[(BodyId(0), BodyId(1))][..]), "{mu} {degrees}");
            let impulse = state.contacts[0].rigid.total.map(|f| f * step);
            let slack = 40.0 * G * step * MASS;
            assert!((impulse[0] - nt * speed / det).abs() < slack, "{mu} {degrees} {impulse:?}");
            assert!((impulse[1].hypot(impulse[2]) - nn * speed / det).abs() < slack, "{mu} {degrees} {impulse:?}");
            let ledger = Rigid::default().ledger(&model, &state);
            let lost = 0.5 * nn * speed * speed / det;
            assert!((ledger.E_painleve - lost).abs() < slack * speed, "{} {lost}", ledger.E_painleve);
            // Nothing of it is in the other lines.
            assert!(ledger.E_slip == 0.0 && report.impacts == 0.0, "{ledger:?}");
        }
    }
}

/// The window of angles is that of the closed form, for rods that slide forwards; backwards, slowly enough for the step's
/// gravity to stop them, or with μ below 4/3, there is none.
#[test]
fn the_window_is_that_of_the_closed_form() {
    for (mu, window) in
        [(1.4, (55.5858, 69.9519)), (1.5, (50.6416, 73.0485)), (2.0, (37.3774, 79.1877)), (1.3, (90.0, 90.0))]
    {
        for tenth in (50..=890).step_by(7) {
            let degrees = f64::from(tenth) * 0.1;
            let margin = 0.3;
            let inside = degrees > window.0 + margin && degrees < window.1 - margin;
            let outside = degrees < window.0 - margin || degrees > window.1 + margin;
            let (report, state, named) = one_step(&rod(mu, degrees, 1.0), 1e-4);
            if inside || outside {
                assert_eq!(report.painleve == 1, inside, "{mu} {degrees}: {:?}", state.contacts[0].rigid);
                assert_eq!(named.len(), usize::from(inside));
            }
            let (report, ..) = one_step(&rod(mu, degrees, -1.0), 1e-4);
            assert_eq!(report.painleve, 0, "{mu} {degrees} backwards");
        }
    }
}

/// Impacts are none, however much they take: a rod that lands sliding, outside the window.
#[test]
fn landings_are_impacts() {
    for degrees in [20.0, 85.0] {
        let model = rod(2.0, degrees, 1.0);
        let mut state = model.start().unwrap();
        state.bodies[1].V_WBcm.v.z = -2.0;
        let mut work = RigidWorkspace::new(&model, &state);
        let stepper = Rigid::with_step(1e-3);
        let report = stepper.advance(&model, &mut state, &mut work, 1e-3).unwrap();
        assert!(report.painleve == 0 && report.impacts > 0.1, "{report:?}");
        assert_eq!(stepper.ledger(&model, &state).E_painleve, 0.0);
    }
}
