//! A box on flat ground: faces and corners are one potential of the pose, from corner over edge to face.

use fingerpad_contact::law::{ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::patch::foundation::Foundation;
use fingerpad_contact::patch::{PatchTheory, Pressed};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape};
use fingerpad_contact::track::{ContactLimits, ContactSet, FaceLimits};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::PI;

/// K/h of the layer (N/m³).
const KAPPA: f64 = 5e8;
const HALF: f64 = 0.02;
const EDGE: f64 = 1e-3;

fn law() -> ContactLaw {
    let layer = Foundation { modulus: 1e6, depth: 2e-3, exponent: 1.0 };
    let pressed = Pressed::Foundation { layer, shear_per_depth: 1e8 };
    ContactLaw {
        stiffness: Stiffness::Patch(PatchTheory { pressed, extent: f64::INFINITY }),
        damping: Damping::default(),
        friction: Friction::None,
        partial: None,
    }
}

/// Energy (J), force (N) and moment about the centre of the box (N·m) of all contacts at a pose.
fn total(X: &Isometry3<f64>) -> (f64, Vector3<f64>, Vector3<f64>) {
    let (a, b) =
        (Shape::HalfSpace(HalfSpace), Shape::RoundedBox(RoundedBox::new(Vector3::repeat(HALF), EDGE).unwrap()));
    let limits = FaceLimits { strands: true, ..FaceLimits::default() };
    let set = ContactSet::with_face_limits(&a, &b, X, ContactLimits::for_size(HALF), limits).unwrap();
    assert!(set.is_joined());
    let (law, A, still) = (law(), Isometry3::identity(), SpatialVelocity::zero());
    let (mut V, mut force, mut moment) = (0.0, Vector3::zeros(), Vector3::zeros());
    let mut add = |site: &ContactSite, energy: f64, load: f64| {
        V += energy;
        force += site.nhat_W * load;
        moment += (site.p_WC.coords - X.translation.vector).cross(&(site.nhat_W * load));
    };
    for contact in set.contacts().iter().filter(|contact| contact.pair.gap < 0.0) {
        let site = ContactSite::new(&contact.pair, &A, &still, X, &still, 0.5);
        let grip = law.stiffness.grip(&site).unwrap();
        add(&site, grip.energy, grip.load);
    }
    for face in set.faces() {
        if let Some(press) = law.press_face(face, &A, &still, X, &still, 0.5).unwrap() {
            add(&press.site, press.grip.energy, press.grip.load);
        }
    }
    (V, force, moment)
}

/// A box turned this way whose lowest point is so deep.
fn sunk(turn: UnitQuaternion<f64>, depth: f64) -> Isometry3<f64> {
    let R = turn.to_rotation_matrix();
    let core = HALF - EDGE;
    let low = (0..3).map(|k| core * R[(2, k)].abs()).sum::<f64>() + EDGE;
    Isometry3::from_parts(Translation3::new(0.01, -0.02, low - depth), turn)
}

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1_u64 << 53) as f64
}

/// Over random tilts, flat, on an edge, on a corner, the wrench is what differences of the energy say, to 1e-6 of the load.
#[test]
fn wrench_is_the_slope_of_the_energy() {
    let (mut seed, mut worst, mut both) = (7, 0.0_f64, 0);
    for case in 0..300 {
        // Tilts from 1e-4 to 1 rad; every third one about an axis of the box.
        let angle = 10_f64.powf(-4.0 * random(&mut seed));
        let way = 2.0 * PI * random(&mut seed);
        let axis = if case % 3 == 0 { Vector3::x() } else { Vector3::new(way.cos(), way.sin(), 0.0) };
        let depth = EDGE * 10_f64.powf(-3.0 * random(&mut seed)) * 0.4;
        let X = sunk(UnitQuaternion::from_scaled_axis(axis * angle), depth);
        let (_, force, moment) = total(&X);
        let h = 1e-3 * depth;
        // Fourth-order differences.
        let slope = |at: &dyn Fn(f64) -> Isometry3<f64>, h: f64| {
            let V = |x: f64| total(&at(x)).0;
            (8.0 * (V(h) - V(-h)) - (V(2.0 * h) - V(-2.0 * h))) / (12.0 * h)
        };
        let mut off = 0.0_f64;
        for k in 0..3 {
            let mut d = Vector3::zeros();
            d[k] = 1.0;
            let moved = |x: f64| Isometry3::from_parts((X.translation.vector + d * x).into(), X.rotation);
            let turned =
                |x: f64| Isometry3::from_parts(X.translation, UnitQuaternion::from_scaled_axis(d * x) * X.rotation);
            off = off.max((force[k] + slope(&moved, h)).abs() / force.norm());
            off = off.max((moment[k] + slope(&turned, h / HALF)).abs() / (force.norm() * HALF));
        }
        both += usize::from(angle > 0.01 && angle < 0.3);
        worst = worst.max(off);
        assert!(off < 1e-6, "{case}: tilt {angle}, depth {depth}: {off:e}");
    }
    println!("wrench off by {worst:e}; {both} between corner and face");
    assert!(both > 50);
}

/// From corner to face at equal depth of the lowest point the energy has no jump: neighbours 1e-5 rad apart differ by
/// less than 1e-3 of it.
#[test]
fn energy_has_no_jump_from_corner_to_face() {
    for axis in [Vector3::new(1.0, 0.7, 0.1).normalize(), Vector3::x()] {
        for depth in [3e-6, 3e-5, 3e-4] {
            let V = |angle: f64| total(&sunk(UnitQuaternion::from_scaled_axis(axis * angle), depth)).0;
            // Where faces were handed over, where they begin and end, and where they lie flat.
            for angle in [2_f64.to_radians(), 2.5_f64.to_radians(), 0.1, 0.4, 1.05, 1.13] {
                let (from, to) = (V(angle - 5e-6), V(angle + 5e-6));
                assert!((to - from).abs() <= 1e-3 * from, "{angle}, {depth}: {from:e} {to:e}");
            }
        }
    }
}

/// Flat: κAδ + 4κπeδ².
#[test]
fn flat_load_is_that_of_face_and_corners() {
    let depth = 1e-5;
    let (V, force, _) = total(&sunk(UnitQuaternion::identity(), depth));
    let area = (2.0 * (HALF - EDGE)).powi(2);
    let load = KAPPA * (area * depth + 4.0 * PI * EDGE * depth * depth);
    let energy = KAPPA * (area * depth * depth / 2.0 + 4.0 * PI * EDGE * depth.powi(3) / 3.0);
    assert!(
        (force.z - load).abs() < 1e-12 * load && (V - energy).abs() < 1e-12 * energy,
        "{force} {load} {V} {energy}"
    );
}
