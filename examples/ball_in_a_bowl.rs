//! A ball bounces in a bowl sampled at 1 m (paper C's experiment). Prints how well the energy ledger closes.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::{Shape, Sphere};
use fingerpad_sim::{Accurate, Body, BodyId, Interactions, Model, PairLaw, Parts, Stepper, Workspace, ledger};
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let height = |k: usize| 0.2 * ((k % 11) as f64 - 5.0).powi(2) + 0.2 * ((k / 11) as f64 - 5.0).powi(2);
    let grid = Grid { nx: 11, ny: 11, dx: 1.0, dy: 1.0, x0: 0.0, y0: 0.0 };
    let map = ElevationMap::new(grid, Samples::F64((0..121).map(height).collect()), Interpolation::Quintic)?;
    let law = ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 5e4, n: 1.5, k_t: 2e4, k_theta: 8.0, e_n: 0.02 }),
        damping: Damping { hunt_crossley: 0.4, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.4 },
        partial: None,
    };
    let ball = Body::free("ball", Shape::Sphere(Sphere::new(0.5)?), 1.0, Matrix3::identity() * 0.1)
        .at(Isometry3::translation(6.2, 5.3, 1.6))
        .moving(SpatialVelocity::new(Vector3::new(3.0, -5.0, 8.0), Vector3::new(0.0, 0.6, 0.0)));
    let model = Model::new(Parts {
        bodies: vec![Body::fixed("ground", Shape::Elevation(Arc::new(map))), ball],
        interactions: Interactions::of_pairs(vec![(BodyId(0), BodyId(1), PairLaw::even(law))]),
        gravity_W: Vector3::new(0.0, 0.0, -9.81),
        ..Parts::default()
    })?;
    let mut state = model.start()?;
    let mut work = Workspace::new(&model, &state);
    let before = ledger(&model, &state, &mut work)?.total();
    let report = Accurate::default().advance(&model, &mut state, &mut work, 4.0)?;
    let now = ledger(&model, &state, &mut work)?;
    println!("{} steps; {:.6} J lost to damping, {:.6} J to slip", report.steps, now.E_visc, now.E_slip);
    println!("the ledger closes to {:.1e} J of {:.3} J", (now.total() - before).abs(), before);
    Ok(())
}
