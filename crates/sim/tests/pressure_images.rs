//! Pressure images of bodies at rest: they carry the weight, wherever it stands on a point, a curve or a face.

mod common;

use common::{G, all_meet, ball, block, ground};
use fingerpad_contact::law::{ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::patch::foundation::Foundation;
use fingerpad_contact::patch::{PatchTheory, Pressed};
use fingerpad_contact::surface::{Shape, Torus};
use fingerpad_sim::{Body, FixedStep, FixedWorkspace, PressureImageError, Stepper, pressure_image};
use nalgebra::{Isometry3, Matrix3, Vector3};

const MASS: f64 = 0.4;

/// A layer of rubber, damped so that bodies come to rest.
fn rubber() -> ContactLaw {
    let layer = Foundation { modulus: 1e6, depth: 2e-3, exponent: 1.0 };
    let pressed = Pressed::Foundation { layer, shear_per_depth: 1e8 };
    ContactLaw {
        stiffness: Stiffness::Patch(PatchTheory { pressed, extent: f64::INFINITY }),
        damping: Damping { normal: 60.0, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.5 },
        partial: None,
    }
}

fn torus() -> Body {
    let shape = Shape::Torus(Torus::new(0.03, 0.006).unwrap());
    Body::free("torus", shape, MASS, Matrix3::identity() * 2e-4)
}

/// Σ p A n = the weight and Σ p A x = the weight at the centre of mass, for a ball, a torus and a box that lie still.
#[test]
fn an_image_carries_the_weight() {
    let cases = [(ball("ball", 0.02, MASS), 0.02), (torus(), 0.006), (block([0.03, 0.02, 0.01], 1e-3, MASS), 0.01)];
    for (body, height) in cases {
        let name = body.name.clone();
        let body = body.at(Isometry3::translation(0.05, -0.02, height));
        let model = all_meet(vec![ground(), body], rubber(), Vector3::new(0.0, 0.0, -G));
        let mut state = model.start().unwrap();
        let mut work = FixedWorkspace::new(&model).unwrap();
        FixedStep::default().advance(&model, &mut state, &mut work, 3.0).unwrap();
        let mut force = Vector3::zeros();
        let mut moment = Vector3::zeros();
        let mut cells = 0;
        for index in 0..state.contacts.len() {
            for cell in pressure_image(&model, &state, index, 12).unwrap() {
                let up = if cell.nhat_W.z > 0.0 { cell.nhat_W } else { -cell.nhat_W };
                force += up * (cell.pressure * cell.area);
                moment += cell.p_W.coords * (cell.pressure * cell.area);
                cells += 1;
            }
        }
        let weight = MASS * G;
        assert!(cells >= 50, "{name}: {cells} cells");
        assert!((force - Vector3::z() * weight).norm() < 1e-6 * weight, "{name}: {force:?}");
        let centre = moment / weight - state.bodies[1].X_WBcm.translation.vector;
        assert!(centre.xy().norm() < 1e-6, "{name}: {centre:?}");
    }
}

/// A contact that is not there is an error, not an empty image.
#[test]
fn a_contact_that_is_not_there_is_an_error() {
    let model = all_meet(vec![ground(), ball("ball", 0.02, MASS)], rubber(), Vector3::zeros());
    let state = model.start().unwrap();
    let count = state.contacts.len();
    let asked = pressure_image(&model, &state, 7, 4);
    assert!(matches!(asked, Err(PressureImageError::NoContact { index: 7, count: c }) if c == count));
}
