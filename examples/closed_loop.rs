//! One contact driven around a closed loop: a ball pressed into a plane, moved around a circle while it twists to and
//! fro, and back to where it began. Prints where the work went; the last number is what is missing from the balance.

use fingerpad_contact::law::{ContactLaw, Damping, Friction, Memory, Stiffness};
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, Shape, Sphere};
use fingerpad_contact::track::closest_points;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::TAU;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (plane, ball) = (Shape::HalfSpace(HalfSpace), Shape::Sphere(Sphere::new(10e-3)?));
    let rubber = Material::elastic(1e6, 0.45)?;
    let together = pair(&Material::rigid(), &rubber, Theory::Auto)?;
    let law = ContactLaw {
        stiffness: Stiffness::Patch(together.theory),
        damping: Damping::default(),
        friction: Friction::Coulomb { mu: 0.5 },
        partial: None,
    };
    // Half a millimetre deep, around a circle of radius 0.4 mm, with ±0.1 rad of twist.
    let (depth, circle, turn, steps) = (0.5e-3, 0.4e-3, 0.1, 20_000);
    let h = 1.0 / f64::from(steps);
    let X_WA = Isometry3::identity();
    let mut memory = Memory::default();
    let mut load = Vector3::zeros();
    let (mut work, mut slipped) = (0.0, 0.0);
    // Two rounds: the ball is back where it began, the springs are not.
    for step in 0..2 * steps {
        // Pose at the end of the step, motion in its middle.
        let (end, middle) = (TAU * h * f64::from(step + 1), TAU * h * (f64::from(step) + 0.5));
        let place = Translation3::new(circle * end.sin(), circle * (1.0 - end.cos()), 10e-3 - depth);
        let X_WB = Isometry3::from_parts(place, UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn * end.sin()));
        let w = Vector3::z() * (TAU * turn * middle.cos());
        let v = Vector3::new(middle.cos(), middle.sin(), 0.0) * (TAU * circle);
        let pair = closest_points(&plane, &ball, &X_WB)?;
        let site = ContactSite::new(
            &pair,
            &X_WA,
            &SpatialVelocity::zero(),
            &X_WB,
            &SpatialVelocity::new(w, v),
            together.alpha,
        );
        let response = law.advance(&site, &mut memory, h)?;
        // Work of the drive against the load along the patch, by the trapezoid; the plane's axes do not turn.
        work += 0.5 * h * (load + response.load).dot(&Vector3::new(site.v_t.x, site.v_t.y, site.w_n));
        load = response.load;
        slipped += response.slip_energy;
    }
    let stored = memory.energy();
    println!("work {work:.6e} J = lost to slip {slipped:.6e} J + left in the springs {stored:.6e} J");
    println!(
        "missing {:.1e} of the work (first order: halves with the step, {steps} a round)",
        (work - slipped - stored) / work
    );
    Ok(())
}
