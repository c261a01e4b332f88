//! Two soft fingertips hold 0.1 kg whose centre is 30 mm to the side. Prints the least grip with the patch that grows with
//! the load, 7.099 N, and what a patch frozen at 60 N would say.

use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_grasp::{
    Contact, Grasp, Least, LiveOptions, PatchGrowth, Solver, Wrench, closure, frozen_grip, least_grip,
};
use nalgebra::Vector3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rubber = Material::rigid().with_layer(Layer::new(2e5, 4e-3)?);
    let theory = pair(&rubber, &Material::rigid(), Theory::Auto)?.theory;
    let pad = PatchGrowth::Pad { theory, curvature: RelativeCurvature::from_radii(0.01, 0.01) };
    let finger = |x: f64| Contact::new(Vector3::new(x, 0.0, 0.0), Vector3::new(-x.signum(), 0.0, 0.0), 0.6, pad);
    let grasp = Grasp::new(vec![finger(-0.02), finger(0.02)], Vector3::zeros(), Some(0.03))?;
    let mut solver = Solver::default();
    let closed = closure(&grasp, &mut solver);
    println!("closed: {}, margin {:.4}", closed.closed, closed.margin.unwrap_or(f64::NAN));
    let weight = 0.1 * 9.81;
    let wrench = Wrench::new(0.0, 0.0, -weight, -weight * 0.03, 0.0, 0.0);
    let grip = least_grip(&grasp, None, &wrench, Least::Max, LiveOptions::default(), &mut solver)
        .map_err(|e| format!("{e:?}"))?;
    let frozen = frozen_grip(&grasp, None, &wrench, Least::Max, 60.0, &mut solver).unwrap_or(f64::NAN);
    println!("frozen at 60 N: {frozen:.4} N, at least {:.4} N", grip.at_least);
    println!("least grip {:.4} N", grip.value);
    Ok(())
}
