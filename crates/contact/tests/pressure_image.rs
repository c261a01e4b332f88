//! Pressure images: Σ p A is the load, and pressures are those of closed forms.

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, PressureCell, PressureError, Stiffness};
use fingerpad_contact::patch::foundation::Foundation;
use fingerpad_contact::patch::shear::ShearCompliance;
use fingerpad_contact::patch::{PatchTheory, Pressed};
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Capsule, Ellipsoid, HalfSpace, RoundedBox, Shape, Torus};
use fingerpad_contact::track::strand::{PlacedStrand, StrandPlace, curves_of};
use fingerpad_contact::track::{ClosestPair, FaceContact, closest_points, faces_of};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_2, PI};

/// E* (Pa).
const E_STAR: f64 = 2e6;
/// K/h of the layer (N/m³).
const KAPPA: f64 = 5e8;

fn law(pressed: Pressed) -> ContactLaw {
    ContactLaw {
        stiffness: Stiffness::Patch(PatchTheory { pressed, extent: f64::INFINITY }),
        damping: Damping::default(),
        friction: Friction::Coulomb { mu: 0.5 },
        partial: None,
    }
}

fn half_spaces() -> ContactLaw {
    law(Pressed::HalfSpaces { e_star: E_STAR, shear: ShearCompliance { even: 2e-6, uneven: 1e-6 } })
}

fn layer(exponent: f64) -> ContactLaw {
    let layer = Foundation { modulus: 1e6, depth: 2e-3, exponent };
    law(Pressed::Foundation { layer, shear_per_depth: 1e8 })
}

fn total(image: &[PressureCell]) -> f64 {
    image.iter().map(|cell| cell.pressure * cell.area).sum()
}

fn still() -> SpatialVelocity {
    SpatialVelocity { w: Vector3::zeros(), v: Vector3::zeros() }
}

/// Hertz's ellipse: the load to rounding, p₀ = 3P/(2πab) in the middle, Σ p A r of a round patch (3π/16) a P.
#[test]
fn a_point_has_hertzs_pressure() {
    let law = half_spaces();
    let plane = Shape::HalfSpace(HalfSpace);
    for axes in [[0.02, 0.02, 0.02], [0.03, 0.015, 0.01]] {
        let ball = Shape::Ellipsoid(Ellipsoid::new(axes).unwrap());
        let X_WB = Isometry3::translation(0.0, 0.0, axes[2] - 2e-4);
        let pair: ClosestPair = closest_points(&plane, &ball, &X_WB).unwrap();
        let site = ContactSite::new(&pair, &Isometry3::identity(), &still(), &X_WB, &still(), 0.5);
        let grip = law.stiffness.grip(&site).unwrap();
        let [a, b, _] = grip.patch.unwrap();
        let mut image = Vec::new();
        law.patch_pressure(&site, &grip, 40, &mut image).unwrap();
        assert!((total(&image) / grip.load - 1.0).abs() < 1e-12);
        let area: f64 = image.iter().map(|cell| cell.area).sum();
        assert!((area / (PI * a * b) - 1.0).abs() < 1e-12);
        let peak = image.iter().map(|cell| cell.pressure).fold(0.0, f64::max);
        assert!((peak / (1.5 * grip.load / (PI * a * b)) - 1.0).abs() < 1e-3, "{peak}");
        let r = |cell: &PressureCell| (cell.p_W - site.p_WC).norm();
        assert!(image.iter().all(|cell| r(cell) < a && cell.pressure > 0.0));
        if axes[0] == axes[2] {
            let moment: f64 = image.iter().map(|cell| cell.pressure * cell.area * r(cell)).sum();
            assert!((moment / (3.0 * PI / 16.0 * a * grip.load) - 1.0).abs() < 1e-3, "{moment}");
        }
        // Longer along the flatter direction, which is x.
        let furthest = image.iter().max_by(|c, d| r(c).total_cmp(&r(d))).unwrap().p_W - site.p_WC;
        assert!(axes[0] == axes[2] || furthest.x.abs() > 0.9 * furthest.norm());
    }
}

/// A torus lying flat on a layer: a ring of half-width √(2 r δ), pressure κ δ in its middle; the load of the law itself. A capsule
/// on half-spaces: all of the load, symmetric about its axis.
#[test]
fn curves_have_the_pressure_of_a_line() {
    let (major, minor, depth) = (0.03, 0.006, 3e-5);
    let plane = Shape::HalfSpace(HalfSpace);
    for exponent in [1.0, 1.4] {
        let law = layer(exponent);
        let torus = Shape::Torus(Torus::new(major, minor).unwrap());
        let X_WB = Isometry3::translation(0.1, 0.2, minor - depth);
        let place = StrandPlace { body: 1, index: 0, curve: curves_of(&torus)[0] };
        let mut room = law.strand_room();
        place.find(&plane, &torus, &X_WB, 0.0, &mut room);
        let load = law.strand_load(&room, &place.curve).unwrap();
        let mut image = Vec::new();
        law.strand_pressure(&place, &room, &Isometry3::identity(), &X_WB, 16, &mut image).unwrap();
        assert!((total(&image) / load.force.norm() - 1.0).abs() < 1e-9, "{} {}", total(&image), load.force.norm());
        let b = (2.0 * minor * depth).sqrt();
        let from_ring = |cell: &PressureCell| ((cell.p_W.x - 0.1).hypot(cell.p_W.y - 0.2) - major).abs();
        assert!(image.iter().all(|cell| from_ring(cell) < b * 1.001 && cell.p_W.z.abs() < 2.0 * depth));
        assert!(image.iter().any(|cell| from_ring(cell) > 0.9 * b));
        let peak = image.iter().map(|cell| cell.pressure).fold(0.0, f64::max);
        let expected = 1e6 * (depth / 2e-3_f64).powf(exponent);
        assert!((peak / expected - 1.0).abs() < 3e-3, "{peak} {expected}");
        if exponent == 1.0 {
            assert!((expected / (KAPPA * depth) - 1.0).abs() < 1e-12);
        }
    }
    let law = half_spaces();
    let capsule = Shape::Capsule(Capsule::new(0.01, 0.04).unwrap());
    let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * FRAC_PI_2);
    let X_WB = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.01 - 5e-5), turn);
    let place = StrandPlace { body: 1, index: 0, curve: curves_of(&capsule)[0] };
    let mut room: PlacedStrand = law.strand_room();
    place.find(&plane, &capsule, &X_WB, 0.0, &mut room);
    let load = law.strand_load(&room, &place.curve).unwrap();
    let mut image = Vec::new();
    law.strand_pressure(&place, &room, &Isometry3::identity(), &X_WB, 8, &mut image).unwrap();
    assert!((total(&image) / load.force.norm() - 1.0).abs() < 1e-9);
    let sideways: f64 = image.iter().map(|cell| cell.pressure * cell.area * cell.p_W.y).sum();
    assert!(sideways.abs() < 1e-12 * load.force.norm());
    // b² = 4 p′ R/(π E*), Johnson eq. 4.43, in the middle of a contact that is long against its width.
    let line_load = load.force.norm() / image.iter().map(|cell| cell.area).sum::<f64>();
    let widest = image.iter().map(|cell| cell.p_W.y.abs()).fold(0.0, f64::max) * 16.0 / 15.0;
    let b = 8.0 * line_load * 0.01 / (PI * E_STAR);
    assert!((widest / b - 1.0).abs() < 0.05, "{widest} {b}");
}

/// A box on a plane, level and tilted until half of it hangs free: the linear pressure κ δ at every cell, and its exact integral.
#[test]
fn faces_have_the_pressure_of_their_depth() {
    let law = layer(1.0);
    let plane = Shape::HalfSpace(HalfSpace);
    let body = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.05, 0.03, 0.02), 1e-3).unwrap());
    for (tilt, depth) in [(0.0, 2e-5), (4e-4, 2e-5), (2e-3, 0.0)] {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::y() * tilt);
        let X_WB = Isometry3::from_parts(Translation3::new(0.3, -0.1, 0.02 - depth), turn);
        let (of_plane, of_body) = (faces_of(&plane), faces_of(&body));
        let down = of_body.iter().position(|f| (X_WB.rotation * f.nhat()).z < -0.9).unwrap();
        let face = FaceContact::between(&of_plane[0], &of_body[down], &X_WB, 0.04).unwrap();
        let mut image = Vec::new();
        law.face_pressure(&face, &Isometry3::identity(), 13, &mut image).unwrap();
        let grip = law.press_face(&face, &Isometry3::identity(), &still(), &X_WB, &still(), 0.5).unwrap().unwrap().grip;
        assert!((total(&image) / grip.load - 1.0).abs() < 1e-10, "{tilt}: {} {}", total(&image), grip.load);
        // By hand: the depth of the bottom face below z = 0 at the cell's place on it.
        for cell in &image {
            let on_box = X_WB.inverse_transform_point(&cell.p_W);
            let bottom = X_WB * nalgebra::Point3::new(on_box.x, on_box.y, -0.02);
            let error = (cell.pressure / KAPPA + bottom.z).abs();
            assert!(error < 1e-3 * (depth + 0.05 * tilt), "{tilt}: {error}");
            assert!(cell.pressure > 0.0 && cell.nhat_W.z > 0.99);
        }
        // ½ κ w (ℓ sin θ)²/tan θ over the half that hangs down.
        if depth == 0.0 {
            let expected = 0.5 * KAPPA * 0.058 * tilt.sin() * 0.049 * 0.049;
            assert!((total(&image) / expected - 1.0).abs() < 1e-3, "{} {expected}", total(&image));
        }
    }
}

/// Raw constants have no area: said, not guessed.
#[test]
fn raw_constants_have_no_image() {
    let constants = Constants { k: 1e4, n: 1.0, k_t: 1e4, k_theta: 1.0, e_n: 1e-3 };
    let law = ContactLaw { stiffness: Stiffness::Constants(constants), ..half_spaces() };
    let plane = Shape::HalfSpace(HalfSpace);
    let ball = Shape::Ellipsoid(Ellipsoid::new([0.02, 0.02, 0.02]).unwrap());
    let X_WB = Isometry3::translation(0.0, 0.0, 0.0199);
    let pair = closest_points(&plane, &ball, &X_WB).unwrap();
    let site = ContactSite::new(&pair, &Isometry3::identity(), &still(), &X_WB, &still(), 0.5);
    let grip = law.stiffness.grip(&site).unwrap();
    let mut image = Vec::new();
    assert_eq!(law.patch_pressure(&site, &grip, 4, &mut image), Err(PressureError::NoArea));
    assert!(image.is_empty());
}
