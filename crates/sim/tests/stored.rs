//! A state written to bytes and read again goes on as if nothing had happened, bit by bit.

mod common;

use common::{G, all_meet, ball, block, ground, linear};
use fingerpad_contact::law::{Damping, Friction};
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::{Ellipsoid, Shape};
use fingerpad_sim::{Accurate, Body, State, Stepper, Workspace};
use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

/// Boxes on faces and corners, balls on a map, an ellipsoid: every kind of place. A run stored and read at each of forty
/// pauses against one that only pauses. Would catch whatever is part of the motion and not of the state.
#[test]
fn a_stored_state_goes_on_bit_by_bit() {
    let (n, d) = (41, 0.05);
    let height = |x: f64, y: f64| 0.02 * (6.0 * x).sin() * (5.0 * y).cos();
    let z = (0..n * n).map(|k| height((k % n) as f64 * d, (k / n) as f64 * d)).collect();
    let grid = Grid { nx: n, ny: n, dx: d, dy: d, x0: 0.0, y0: 0.0 };
    let map = ElevationMap::new(grid, Samples::F64(z), Interpolation::Quintic).unwrap();
    let tilt = UnitQuaternion::from_scaled_axis(Vector3::new(0.06, 0.02, 0.3));
    let egg = Shape::Ellipsoid(Ellipsoid::new([0.03, 0.04, 0.05]).unwrap());
    let bodies = vec![
        Body::fixed("map", Shape::Elevation(Arc::new(map))).at(Isometry3::translation(1.0, 0.0, 0.0)),
        ground().at(Isometry3::translation(0.0, 0.0, -0.03)),
        block([0.1, 0.08, 0.05], 0.005, 1.0).at(Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.04), tilt)),
        ball("ball", 0.06, 0.3).at(Isometry3::translation(2.0, 1.0, 0.1)),
        Body::free("egg", egg, 0.2, Matrix3::identity() * 1.4e-4).at(Isometry3::translation(-0.3, 0.0, 0.05)),
    ];
    let law =
        linear(2e4, Friction::Coulomb { mu: 0.4 }, Damping { normal: 5.0, hunt_crossley: 0.2, ..Damping::default() });
    let model = all_meet(bodies, law, Vector3::new(0.5, 0.0, -G));
    let stepper = Accurate { relative: 1e-8, absolute: 1e-10, ..Accurate::default() };
    let run = |store: bool| {
        let mut state = model.start().unwrap();
        let mut work = Workspace::new(&model, &state);
        let mut most = 0;
        for i in 1..=40 {
            stepper.advance(&model, &mut state, &mut work, 0.01 * f64::from(i)).unwrap();
            most = most.max(state.contacts.len());
            if store {
                let bytes = postcard::to_allocvec(&state).unwrap();
                let read: State = postcard::from_bytes(&bytes).unwrap();
                assert_eq!(read, state);
                state = read;
                work = Workspace::new(&model, &state);
            }
        }
        (state, most)
    };
    let (one, two) = (run(false), run(true));
    assert!(one.1 >= 4, "{}", one.1);
    assert_eq!(one.0, two.0);
}
