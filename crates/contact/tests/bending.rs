//! What changing curvature under a patch adds to the wrench: force and moment of a point contact are differences of its energy.

use fingerpad_contact::law::{ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::patch::foundation::Foundation;
use fingerpad_contact::patch::shear::ShearCompliance;
use fingerpad_contact::patch::{PatchTheory, Pressed};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Cylinder, Ellipsoid, Graph, HalfSpace, Revolution, Shape, Sphere, Torus};
use fingerpad_contact::track::{ClosestPair, closest_points};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::FRAC_PI_2;
use std::sync::Arc;

fn law(pressed: Pressed) -> ContactLaw {
    ContactLaw {
        stiffness: Stiffness::Patch(PatchTheory { pressed, extent: f64::INFINITY }),
        damping: Damping::default(),
        friction: Friction::None,
        partial: None,
    }
}

/// The site of the closest points, A at rest in the world.
fn site(pair: &ClosestPair, X_AB: &Isometry3<f64>) -> ContactSite {
    let still = SpatialVelocity::new(Vector3::zeros(), Vector3::zeros());
    ContactSite::new(pair, &Isometry3::identity(), &still, X_AB, &still, 0.3)
}

fn energy(law: &ContactLaw, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> f64 {
    let pair = closest_points(a, b, X_AB).unwrap();
    law.stiffness.grip(&site(&pair, X_AB)).unwrap().energy
}

/// Action on B told at the origin of B, without and with what bends.
fn action(law: &ContactLaw, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> [SpatialForce; 2] {
    let pair = closest_points(a, b, X_AB).unwrap();
    let site = site(&pair, X_AB);
    let grip = law.stiffness.grip(&site).unwrap();
    let plain = SpatialForce::new(Vector3::zeros(), site.nhat_W * grip.load);
    let bent = plain + law.bending(&grip, &site, &pair, (a, b), X_AB);
    [plain, bent].map(|F| F.shift(X_AB.translation.vector - site.p_WC.coords))
}

/// Over random poses of each pair, layers and half-spaces: |∂V/∂q + wrench| < 1e-6 of the load, of the load times 40 mm; without
/// what bends it is more than 1e-4 in some pose of each.
#[test]
fn wrenches_of_points_are_differences_of_the_energy() {
    let egg = [[0.0, -0.04], [0.02, -0.034], [0.03, -0.012], [0.028, 0.012], [0.017, 0.032], [0.0, 0.045]];
    let egg = || Shape::Revolution(Arc::new(Revolution::new(&egg).unwrap()));
    let stone = |x: f64, y: f64, z: f64| Shape::Ellipsoid(Ellipsoid::new([x, y, z]).unwrap());
    let term = |p, q, c| Term { p, q, c };
    let terms = vec![term(2, 0, 0.8), term(0, 2, 1.1), term(3, 0, 0.9), term(1, 2, 1.3)];
    let bowl = Graph::polynomial(terms, Rectangle::PLANE).unwrap();
    let rod = |r: f64| Shape::Cylinder(Cylinder::new(r, 0.2, 1e-3).unwrap());
    let lying = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
    let level = UnitQuaternion::identity();
    let pairs = [
        ("ellipsoid on plane", Shape::HalfSpace(HalfSpace), stone(0.05, 0.035, 0.025), level, 1.0),
        ("ellipsoid on ellipsoid", stone(0.06, 0.08, 0.03), stone(0.05, 0.035, 0.025), level, 1.0),
        ("ellipsoid in bowl", Shape::Graph(bowl), stone(0.05, 0.035, 0.025), level, 1.0),
        (
            "ball on torus",
            Shape::Torus(Torus::new(0.05, 0.02).unwrap()),
            Shape::Sphere(Sphere::new(0.03).unwrap()),
            level,
            1.0,
        ),
        ("egg on plane", Shape::HalfSpace(HalfSpace), egg(), level, 0.4),
        ("crossed rods", rod(0.02), rod(0.03), lying, 0.3),
    ];
    let layer =
        Pressed::Foundation { layer: Foundation { modulus: 1e6, depth: 2e-3, exponent: 1.0 }, shear_per_depth: 1e8 };
    let stiffening =
        Pressed::Foundation { layer: Foundation { modulus: 1e6, depth: 2e-3, exponent: 1.5 }, shear_per_depth: 1e8 };
    let half_spaces = Pressed::HalfSpaces { e_star: 2e6, shear: ShearCompliance { even: 1e-6, uneven: 5e-7 } };
    let mut seed = 3_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        2.0 * (seed >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    };
    for (name, a, b, attitude, tilt) in &pairs {
        let mut worst = [0.0_f64; 2];
        for pressed in [layer, stiffening, half_spaces] {
            let law = law(pressed);
            for _ in 0..12 {
                let turn =
                    UnitQuaternion::from_scaled_axis(Vector3::new(random(), random(), random()) * *tilt) * attitude;
                let side = if *name == "crossed rods" { Vector3::x() } else { Vector3::z() };
                let start = if *name == "ball on torus" { 0.05 } else { 0.0 };
                let across = Vector3::new(start + 0.01 * random(), 0.01 * random(), 0.01 * random());
                let first = across - side * side.dot(&across) + side * 0.2;
                let mut X = Isometry3::from_parts(Translation3::from(first), turn);
                // Lower it until it is pressed by 20 to 100 µm.
                let depth = 60e-6 + 40e-6 * random();
                for _ in 0..60 {
                    X.translation.vector -= side * (0.9 * (closest_points(a, b, &X).unwrap().gap + depth));
                }
                let wrenches = action(&law, a, b, &X);
                let p = X.translation.vector;
                let slope =
                    |f: &dyn Fn(f64) -> f64, h: f64| (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h);
                for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
                    let moved = |s: f64| Isometry3::from_parts((p + axis * s).into(), X.rotation);
                    let turned = |s: f64| {
                        Isometry3::from_parts(p.into(), UnitQuaternion::from_scaled_axis(axis * s) * X.rotation)
                    };
                    let by_force = slope(&|s| energy(&law, a, b, &moved(s)), 4e-7);
                    let by_moment = slope(&|s| energy(&law, a, b, &turned(s)), 1e-5);
                    for (worst, F) in worst.iter_mut().zip(&wrenches) {
                        let size = F.f.norm();
                        *worst = worst.max((by_force + F.f.dot(&axis)).abs() / size);
                        *worst = worst.max((by_moment + F.t.dot(&axis)).abs() / (0.04 * size));
                    }
                }
            }
        }
        println!("{name}: {:.1e} without, {:.1e} with", worst[0], worst[1]);
        assert!(worst[0] > 1e-4, "{name}: {:e} without", worst[0]);
        assert!(worst[1] < 1e-6, "{name}: {:e}", worst[1]);
    }
}
