//! A soft fingertip on a plane under rising load: patch, pressure, stiffness, and the moment friction holds. Prints the
//! growth of that moment when the load doubles: 2^(4/3) = 2.519842 for a half-space, 2^(5/4) = 2.378414 for a layer.

use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::patch::RelativeCurvature;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Rubber of 0.3 MPa, and the same pressed as a layer of 4 mm on a stiff core.
    let rubber = Material::elastic(0.3e6, 0.5)?.with_layer(Layer::new(0.3e6, 4e-3)?);
    let glass = Material::elastic(70e9, 0.22)?;
    let mu = 0.8;
    // A fingertip of radii 8 mm and 12 mm on a plane.
    let curvature = RelativeCurvature::from_radii(12e-3, 8e-3);
    for (name, theory) in [("half-space", Theory::Hertz), ("layer", Theory::Foundation)] {
        let together = pair(&rubber, &glass, theory)?;
        println!("{name}:\n  load [N]  a × b [mm]       peak [kPa]  approach [mm]  k_t [N/mm]  moment [N·mm]");
        for load in [0.5, 1.0, 2.0, 4.0] {
            let patch = together.theory.under_load(&curvature, load)?;
            println!(
                "  {load:8.1}  {:5.3} × {:5.3}  {:14.2}  {:13.4}  {:10.3}  {:13.4}",
                1e3 * patch.a,
                1e3 * patch.b,
                1e-3 * patch.peak_pressure(),
                1e3 * patch.approach,
                1e-3 * patch.stiffness.along,
                1e3 * mu * load * patch.e_n
            );
        }
        let moment = |load: f64| together.theory.under_load(&curvature, load).map(|patch| mu * load * patch.e_n);
        println!("  twice the load, {:.6} times the moment", moment(4.0)? / moment(2.0)?);
    }
    Ok(())
}
