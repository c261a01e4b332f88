//! Patches against reference data made by independent programs, and against themselves by differences.

use fingerpad_contact::patch::foundation::{Foundation, torsion_factor};
use fingerpad_contact::patch::shear::ShearCompliance;
use fingerpad_contact::patch::{PatchError, PatchTheory, Pressed, RelativeCurvature};
use serde_json::Value;

fn hertz(e_star: f64) -> PatchTheory {
    // Equal materials with ν = 0.3: E = 2 E* (1 − ν²), G = E/2.6.
    let g = 2.0 * e_star * 0.91 / 2.6;
    let shear = ShearCompliance { even: 2.0 * 0.7 / g, uneven: 2.0 * 0.3 / g };
    PatchTheory { pressed: Pressed::HalfSpaces { e_star, shear }, extent: f64::INFINITY }
}

fn layer(modulus: f64, depth: f64, exponent: f64) -> PatchTheory {
    let layer = Foundation { modulus, depth, exponent };
    PatchTheory {
        pressed: Pressed::Foundation { layer, shear_per_depth: modulus / 3.0 / depth },
        extent: f64::INFINITY,
    }
}

fn close(name: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours / theirs - 1.0).abs() <= tolerance, "{name}: {ours} against {theirs}");
}

/// 30 cases by 60-digit arithmetic; the issue asks 1e-10 relative.
#[test]
fn reference_patches_are_met_to_1e_10() {
    let data: Value = serde_json::from_str(include_str!("oracle/patches.json")).unwrap();
    let cases = data["contact_cases"].as_array().unwrap();
    assert_eq!(cases.len(), 30);
    for case in cases {
        let inp = |key: &str| case["inp"][key].as_f64().unwrap();
        let (load, mu) = (inp("P"), inp("mu"));
        let curvature = RelativeCurvature::from_radii(inp("R1"), inp("R2"));
        for (name, theory) in [("hertz", hertz(inp("Estar"))), ("winkler", layer(inp("K"), inp("layer"), 1.0))] {
            let patch = theory.under_load(&curvature, load).unwrap();
            let want = |key: &str| case[name][key].as_f64().unwrap();
            let id = format!("{} {name}", case["id"]);
            close(&format!("{id} a"), patch.a, want("a"), 1e-12);
            close(&format!("{id} b"), patch.b, want("b"), 1e-12);
            close(&format!("{id} delta"), patch.approach, want("delta"), 1e-12);
            close(&format!("{id} p0"), patch.peak_pressure(), want("p0"), 1e-12);
            close(&format!("{id} e_n"), patch.e_n, want("e_n"), 1e-12);
            close(&format!("{id} tau_max"), mu * load * patch.e_n, want("tau_max"), 1e-12);
            close(&format!("{id} sqrt(ab)"), patch.e_n_of_root_ab(), want("e_n_paper_sqrt_ab"), 1e-12);
            // The table used inside steps, asked by approach.
            let stepped = theory.at_approach(&curvature, patch.approach).unwrap();
            close(&format!("{id} load by approach"), stepped.load, load, 4e-12);
            close(&format!("{id} a by approach"), stepped.a, patch.a, 2e-12);
        }
        close("T_k", torsion_factor(inp("k")), case["power_law"]["T_k"].as_f64().unwrap(), 1e-13);
    }
}

/// Golden 1 and 14: printed digits.
#[test]
fn golden_1_and_14() {
    let steel: f64 = 1.0 / (2.0 * (1.0 - 0.09) / 210e9);
    assert!((steel / 1.1538e11 - 1.0).abs() < 5e-5);
    let patch = hertz(steel).at_approach(&RelativeCurvature::from_radii(10e-3, 10e-3), 23.42085e-6).unwrap();
    assert!((patch.load / 1743.776 - 1.0).abs() < 5e-7, "{}", patch.load);
    let soft = hertz(1e6).under_load(&RelativeCurvature::from_radii(10e-3, 10e-3), 10.0).unwrap();
    assert!((soft.a - 4.217163e-3).abs() < 5e-10);
    assert!((0.8 * 10.0 * soft.e_n - 19.872914e-3).abs() < 5e-10);
}

/// Golden 13: doubling the load.
#[test]
fn golden_13_load_exponents() {
    let curvature = RelativeCurvature::from_radii(20e-3, 7e-3);
    for (theory, ratio) in [(hertz(1e6), 2.519842), (layer(2e5, 4e-3, 1.0), 2.378414)] {
        let moment = |load: f64| load * theory.under_load(&curvature, load).unwrap().e_n;
        assert!((moment(6.0) / moment(3.0) - ratio).abs() < 5e-7);
    }
}

/// Golden 8: a sphere on a layer with K/h = E/R, as hydroelastic contact has it: 1 kg sinks √(9.81/(πE)).
#[test]
fn golden_8_hydroelastic_sphere() {
    let radius: f64 = 0.1;
    for (modulus, depth_mm) in [(1e7, 0.559), (1e6, 1.767)] {
        let theory = layer(modulus, radius, 1.0);
        let patch = theory.under_load(&RelativeCurvature::from_radii(radius, radius), 9.81).unwrap();
        assert!((patch.approach * 1e3 - depth_mm).abs() < 5e-4, "{}", patch.approach);
    }
}

/// Golden 21: k_t/k_n = 2(1 − ν)/(2 − ν) for equal materials.
#[test]
fn golden_21_tangential_to_normal_stiffness() {
    for (nu, ratio) in [(0.0, 1.0), (0.3, 0.823529), (0.5, 0.666667)] {
        let young = 1e6;
        let g = young / (2.0 * (1.0 + nu));
        let shear = ShearCompliance { even: 2.0 * (1.0 - nu) / g, uneven: 2.0 * nu / g };
        let e_star = young / (2.0 * (1.0 - nu * nu));
        let theory = PatchTheory { pressed: Pressed::HalfSpaces { e_star, shear }, extent: f64::INFINITY };
        let patch = theory.at_approach(&RelativeCurvature::from_radii(0.01, 0.01), 1e-4).unwrap();
        assert!((patch.stiffness.along / patch.normal_stiffness - ratio).abs() < 5e-7);
        // ρ = k_θ/(k_t e_n²) of mechanics: 3.84, 3.27, 2.88.
        let rho = patch.stiffness.torsional / (patch.stiffness.along * patch.e_n * patch.e_n);
        assert!((rho - (2.0 - nu) * 8.0 / 12.0 / (3.0 * std::f64::consts::PI / 16.0).powi(2)).abs() < 1e-12);
    }
}

/// Energy is the sum of the load, stiffness its slope, and growth that of the other numbers, on free and capped patches.
#[test]
fn energy_load_and_stiffness_belong_together() {
    let free = RelativeCurvature::from_radii(30e-3, 8e-3);
    let line = RelativeCurvature::from_radii(f64::INFINITY, 8e-3);
    let saddle = RelativeCurvature { low: -5.0, ..free };
    for (curvature, extent) in [(free, f64::INFINITY), (free, 2.5e-3), (line, 6e-3), (saddle, 6e-3)] {
        for theory in [hertz(3e5), layer(2e5, 4e-3, 1.0), layer(2e5, 4e-3, 0.7)] {
            let theory = PatchTheory { extent, ..theory };
            let at = |delta: f64| theory.at_approach(&curvature, delta).unwrap();
            let approach: f64 = 4e-4;
            let patch = at(approach);
            assert_eq!(patch.capped, extent.is_finite());
            // Simpson in √δ over 400 pieces, error below 1e-8 of the energy for loads that grow as a power of δ.
            let n = 400;
            let f = |i: usize| {
                let root = approach.sqrt() * i as f64 / n as f64;
                at(root * root).load * 2.0 * root
            };
            let sum: f64 = (0..n / 2).map(|i| f(2 * i) + 4.0 * f(2 * i + 1) + f(2 * i + 2)).sum::<f64>()
                * approach.sqrt()
                / n as f64
                / 3.0;
            close("energy", patch.energy, sum, 1e-6);
            let step = 1e-5 * approach;
            let (up, down) = (at(approach + step), at(approach - step));
            let slope = |x: fn(&fingerpad_contact::patch::Patch) -> f64| (x(&up) - x(&down)) / (2.0 * step);
            // Central differences: (1e-5)² and rounding 1e-16/1e-5.
            close("stiffness", patch.normal_stiffness, slope(|p| p.load), 1e-7);
            close("dV", patch.load, slope(|p| p.energy), 1e-6);
            let growth = |x: fn(&fingerpad_contact::patch::Patch) -> f64| slope(x) * approach / x(&patch);
            assert!((patch.growth.tangential - growth(|p| p.stiffness.along)).abs() < 1e-6);
            assert!((patch.growth.torsional - growth(|p| p.stiffness.torsional)).abs() < 1e-6);
            assert!((patch.growth.e_n - growth(|p| p.e_n)).abs() < 1e-6);
            // Load undoes approach.
            close("approach", theory.under_load(&curvature, patch.load).unwrap().approach, approach, 1e-10);
        }
    }
}

/// The cap takes hold without a jump.
#[test]
fn capped_patches_join_free_ones() {
    let curvature = RelativeCurvature::from_radii(30e-3, 8e-3);
    for theory in [hertz(3e5), layer(2e5, 4e-3, 1.0)] {
        let approach: f64 = 3e-4;
        let free = theory.at_approach(&curvature, approach).unwrap();
        let capped = PatchTheory { extent: free.a * (1.0 - 1e-9), ..theory }.at_approach(&curvature, approach).unwrap();
        assert!(capped.capped && !free.capped);
        for (name, ours, theirs) in [
            ("load", capped.load, free.load),
            ("b", capped.b, free.b),
            ("energy", capped.energy, free.energy),
            ("e_n", capped.e_n, free.e_n),
            ("k", capped.stiffness.along, free.stiffness.along),
        ] {
            close(name, ours, theirs, 1e-8);
        }
    }
}

/// A long line under a cap tends to the plane-strain line contact of Johnson §4.2(c) in its width: with the pressure
/// p₀√(1 − y²/b²) and load per length p′ in the middle, b² = 4 p′ R″/(π E*). At κ = 0.01 the middle of the ellipse has
/// p′ = (π/2) p₀ b, so b = 2 p₀ R″/E* within ln-corrections of order κ².
#[test]
fn long_capped_patch_has_the_width_of_a_line_contact() {
    let radius = 8e-3;
    let curvature = RelativeCurvature::from_radii(f64::INFINITY, radius);
    let theory = PatchTheory { extent: 0.2, ..hertz(1e9) };
    let patch = theory.under_load(&curvature, 20.0).unwrap();
    assert!(patch.b / patch.a < 0.01);
    close("b", patch.b, 2.0 * patch.peak_pressure() * radius / 1e9, 1e-3);
}

/// Load 0 is a point; 1e300 N, radii of 1e-12 and 1e12 m and ratios of 1e9 give finite, ordered numbers.
#[test]
fn extremes_give_limits_or_errors() {
    let curvature = RelativeCurvature::from_radii(0.02, 0.01);
    for theory in [hertz(1e6), layer(2e5, 4e-3, 1.0)] {
        let point = theory.under_load(&curvature, 0.0).unwrap();
        assert_eq!((point.a, point.b, point.e_n, point.load, point.energy), (0.0, 0.0, 0.0, 0.0, 0.0));
        let apart = theory.at_approach(&curvature, -1e-3).unwrap();
        assert_eq!((apart.load, apart.approach), (0.0, -1e-3));
        for (one, other) in [(1e-12, 1e-12), (1e12, 1e12), (1e12, 1e3 * 1.1), (0.02, 0.01)] {
            for load in [1e-300, 1.0, 1e300] {
                let patch = theory.under_load(&RelativeCurvature::from_radii(one, other), load).unwrap();
                let numbers = [patch.a, patch.b, patch.e_n, patch.approach, patch.peak_pressure()];
                assert!(numbers.iter().all(|x| x.is_finite() && *x > 0.0), "{one} {other} {load}: {patch:?}");
                assert!(patch.a >= patch.b);
            }
        }
        let line = RelativeCurvature::from_radii(1e12, 1e2);
        assert!(matches!(theory.under_load(&line, 1.0), Err(PatchError::Line { .. })));
        let flat = RelativeCurvature::from_radii(f64::INFINITY, f64::INFINITY);
        assert!(matches!(theory.under_load(&flat, 1.0), Err(PatchError::NotElliptic { .. })));
        assert!(matches!(theory.under_load(&curvature, f64::NAN), Err(PatchError::NotFinite { .. })));
        assert!(matches!(theory.at_approach(&curvature, f64::INFINITY), Err(PatchError::NotFinite { .. })));
    }
}

/// Two coefficients of friction: the largest moment against a sum over the patch, axes of friction askew.
#[test]
fn largest_moment_with_two_coefficients_matches_a_sum() {
    let patch = hertz(1e6).under_load(&RelativeCurvature::from_radii(0.05, 0.01), 5.0).unwrap();
    let direction = nalgebra::Vector2::new(0.6, 0.8);
    let n = 1200;
    let (mut moment, mut total) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..n {
            let (s, t) = ((2.0 * i as f64 + 1.0) / n as f64 - 1.0, (2.0 * j as f64 + 1.0) / n as f64 - 1.0);
            let inside = 1.0 - s * s - t * t;
            if inside > 0.0 {
                let p = inside.sqrt();
                let r =
                    patch.axis * (patch.a * s) + nalgebra::Vector2::new(-patch.axis.y, patch.axis.x) * (patch.b * t);
                let v = nalgebra::Vector2::new(-r.y, r.x);
                let (along, across) = (direction.dot(&v), direction.x * v.y - direction.y * v.x);
                moment += p * ((0.3 * along).powi(2) + (0.9 * across).powi(2)).sqrt();
                total += p;
            }
        }
    }
    // Midpoints over a rim of √-type: 1e-5 at this n.
    close("moment", patch.largest_moment(0.3, 0.9, &direction), moment / total, 3e-5);
    close("one coefficient", patch.largest_moment(0.7, 0.7, &direction), 0.7 * patch.e_n, 1e-12);
}
