//! How much of its grip a soft fingertip keeps when it must also hold a twist: exact limit surface and ellipsoid.
//!
//! ```text
//! cargo run --release --example limit_surface
//! ```

use fingerpad_contact::friction::{FrictionLimit, LimitSurface};
use fingerpad_contact::material::{Material, Theory, pair};
use fingerpad_contact::patch::RelativeCurvature;
use nalgebra::Vector3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A silicone fingertip of 10 mm on a glass rod of 4 mm: the patch is more than twice as long as wide.
    let silicone = Material::elastic(0.3e6, 0.48)?;
    let glass = Material::elastic(70e9, 0.22)?;
    let theory = pair(&silicone, &glass, Theory::Auto)?.theory;
    let (mu, load) = (0.8, 5.0);
    let curvature = RelativeCurvature::from_radii(10e-3, 1.0 / (1.0 / 10e-3 + 1.0 / 4e-3));
    let patch = theory.under_load(&curvature, load)?;
    println!("patch {:.2} x {:.2} mm under {load} N", 2e3 * patch.a, 2e3 * patch.b);

    let limit = LimitSurface::new(patch.a, patch.b, patch.exponent, mu, load);
    let ellipsoid = limit.ellipsoid();
    println!("largest force {:.3} N, largest moment {:.3} mN m", mu * load, 1e3 * mu * load * patch.e_n);
    println!("{:>12} {:>16} {:>10} {:>10}", "force N", "moment mN m", "exact", "ellipsoid");
    let mut least: f64 = 1.0;
    for i in 0..=8 {
        // Points of the ellipsoid, from pure force across the patch to pure moment.
        let angle = std::f64::consts::FRAC_PI_2 * f64::from(i) / 8.0;
        let asked = Vector3::new(0.0, mu * load * angle.cos(), mu * load * patch.e_n * angle.sin());
        let used = limit.gauge(&asked);
        least = least.min(1.0 / used);
        println!("{:>12.3} {:>16.3} {:>10.4} {:>10.4}", asked.y, 1e3 * asked.z, used, ellipsoid.gauge(&asked));
    }
    // The ellipsoid promises more than Coulomb friction holds.
    println!("the exact limit holds {:.1} % of what the ellipsoid promises, at worst", 100.0 * least);
    Ok(())
}
