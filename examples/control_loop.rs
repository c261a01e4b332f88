//! A control loop at 1 kHz: two tips on guides hold a ball against gravity with a force that a controller sets from the
//! loads it feels; after a second the ball is struck. Prints where the ball is, and the median
//! and the slowest step; on a machine with other work the slowest is the scheduler's.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::surface::{Shape, Sphere};
use fingerpad_sim::{
    Body, BodyId, FixedStep, FixedWorkspace, Interactions, Kick, Load, Mobility, Model, PairLaw, Parts, Profile,
    Restriction, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::time::Instant;

const MU: f64 = 0.5;

fn ball(name: &str, radius: f64, mass: f64, x: f64) -> Result<Body, Box<dyn std::error::Error>> {
    let inertia = Matrix3::identity() * (0.4 * mass * radius * radius);
    let body = Body::free(name, Shape::Sphere(Sphere::new(radius)?), mass, inertia);
    Ok(body.at(Isometry3::translation(x, 0.0, 0.0)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let law = PairLaw::even(ContactLaw {
        stiffness: Stiffness::Constants(Constants { k: 1e4, n: 1.0, k_t: 7e3, k_theta: 0.2, e_n: 5e-3 }),
        damping: Damping { normal: 10.0, tangential: 10.0, torsional: 1e-4, ..Damping::default() },
        friction: Friction::Coulomb { mu: MU },
        partial: None,
    });
    let guide = Restriction { X_WF: Isometry3::identity(), slides: [true, false, false], turns: [false; 3] };
    let mut bodies = vec![ball("object", 0.02, 0.05, 0.0)?];
    let mut loads = Vec::new();
    for (i, side) in [-1.0, 1.0].into_iter().enumerate() {
        bodies.push(ball("tip", 0.008, 0.02, side * 0.028)?.with(Mobility::Restricted(guide)));
        let (f_W, t_W) = (Vector3::new(-side, 0.0, 0.0), Vector3::zeros());
        let profile = Profile::Steady { t0: 0.0, t1: f64::INFINITY };
        loads.push(Load { body: BodyId(i + 1), f_W, t_W, p_BoQ: None, profile });
    }
    let (gravity_W, p_W) = (Vector3::new(0.0, 0.0, -9.81), Vector3::new(0.0, 0.0, -2e-3));
    let kicks = vec![Kick { body: BodyId(0), time: 1.0, p_W, L_W: Vector3::zeros(), p_BoQ: None }];
    let interactions = Interactions::of_pairs(vec![(BodyId(0), BodyId(1), law.clone()), (BodyId(0), BodyId(2), law)]);
    let mut model = Model::new(Parts { bodies, interactions, gravity_W, loads, kicks, ..Parts::default() })?;
    let (mut state, mut work) = (model.start()?, FixedWorkspace::new(&model)?);
    let (stepper, mut times, mut grip) = (FixedStep::default(), Vec::with_capacity(3000), 1.0_f64);
    for tick in 1..=3000 {
        // Three times what friction needs for the load that the tips feel; quick to close, slow to open.
        let results = stepper.contact_results(&model, &state, &mut work)?;
        let felt = results.iter().map(|contact| contact.load.xy().norm()).fold(0.0, f64::max);
        let wanted = (3.0 * felt / MU).max(1.0);
        grip += (wanted - grip) * if wanted > grip { 0.5 } else { 0.01 };
        model.set_load(0, Vector3::new(grip, 0.0, 0.0), Vector3::zeros())?;
        model.set_load(1, Vector3::new(-grip, 0.0, 0.0), Vector3::zeros())?;
        let clock = Instant::now();
        stepper.advance(&model, &mut state, &mut work, 1e-3 * f64::from(tick))?;
        times.push(clock.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let fallen = -1e3 * state.bodies[0].X_WBcm.translation.z;
    println!("held with {grip:.2} N, {fallen:.3} mm below its start");
    println!("median step {:.1} µs, slowest {:.1} µs", times[1500], times[2999]);
    Ok(())
}
