//! Golden numbers of impact and of partial slip, reached by driving the law.

mod laws;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Memory, Sliders, Stiffness};
use fingerpad_contact::material::{Material, Theory, pair};
use laws::flat_site;
use nalgebra::{Matrix2, Vector2};

/// A mass on the law, one axis, no gravity, by RK4 until it leaves; (speed out, time in contact, largest approach, force).
fn bounce(law: &ContactLaw, curvature: Matrix2<f64>, mass: f64, speed: f64, h: f64) -> (f64, f64, f64, f64) {
    let force = |delta: f64, rate: f64| {
        let mut site = flat_site(-delta, -rate, Vector2::zeros(), 0.0);
        site.curvature = curvature;
        law.respond(&site, &Memory::default()).unwrap().normal
    };
    let acc = |delta: f64, rate: f64| -force(delta, rate) / mass;
    // Just in contact: a damper pushes from the first instant.
    let (mut delta, mut rate, mut t) = (f64::MIN_POSITIVE, speed, 0.0);
    let (mut deepest, mut most) = (0.0_f64, 0.0_f64);
    loop {
        let (k1x, k1v) = (rate, acc(delta, rate));
        let (k2x, k2v) = (rate + 0.5 * h * k1v, acc(delta + 0.5 * h * k1x, rate + 0.5 * h * k1v));
        let (k3x, k3v) = (rate + 0.5 * h * k2v, acc(delta + 0.5 * h * k2x, rate + 0.5 * h * k2v));
        let (k4x, k4v) = (rate + h * k3v, acc(delta + h * k3x, rate + h * k3v));
        let next = delta + h / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x);
        if next <= 0.0 && t > 0.0 {
            // Free flight over the last part of the step.
            return (-rate, t + delta / -rate, deepest, most);
        }
        rate += h / 6.0 * (k1v + 2.0 * k2v + 2.0 * k3v + k4v);
        delta = next;
        t += h;
        deepest = deepest.max(delta);
        most = most.max(force(delta, 0.0));
    }
}

/// Golden 1, 2, 3: steel ball on steel.
#[test]
fn golden_1_2_3_hertz_impact() {
    let steel = Material::elastic(210e9, 0.3).unwrap();
    let material = pair(&steel, &steel, Theory::Auto).unwrap();
    let law = ContactLaw {
        stiffness: Stiffness::Patch(material.theory),
        damping: Damping::default(),
        friction: Friction::None,
        partial: None,
    };
    let curvature = Matrix2::identity() / 10e-3;
    let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    assert!((mass - 0.032673).abs() < 5e-7);
    let (out, time, deepest, most) = bounce(&law, curvature, mass, 1.0, 2e-9);
    assert!((deepest - 23.42085e-6).abs() < 5e-11, "{deepest}");
    assert!((most - 1743.776).abs() < 5e-3, "{most}");
    assert!((time - 68.93400e-6).abs() < 2e-9, "{time}");
    assert!((time / deepest - 2.943275184).abs() < 2e-4);
    assert!((out - 1.0).abs() < 1e-8, "{out}");
}

/// Golden 4 and 5: restitution of Hunt–Crossley does not depend on k, n or mass.
#[test]
fn golden_4_5_hunt_crossley_restitution() {
    for (dv, e) in
        [(0.01, 0.993377), (0.1, 0.937476), (0.3, 0.832870), (1.0, 0.593624), (3.0, 0.306897), (10.0, 0.099982)]
    {
        for (k, n, mass) in [(1e5, 1.0, 1.0), (3e6, 1.5, 0.2), (1e8, 2.0, 0.7)] {
            let law = ContactLaw {
                stiffness: Stiffness::Constants(Constants { k, n, k_t: 0.0, k_theta: 0.0, e_n: 0.0 }),
                damping: Damping { hunt_crossley: dv, ..Damping::default() },
                friction: Friction::None,
                partial: None,
            };
            let (out, ..) = bounce(&law, Matrix2::identity(), mass, 1.0, 2e-6);
            assert!((out - e).abs() < 2e-6, "d v {dv}, n {n}: {out} against {e}");
        }
        if dv <= 0.01 {
            assert!((e - (1.0 - 2.0 / 3.0 * dv)).abs() < 1e-4);
        }
    }
}

/// Kelvin–Voigt with a force that never pulls: the closed form of the clamped restitution; unclamped it would be 0.163.
#[test]
fn kelvin_voigt_restitution_is_the_clamped_one() {
    let (k, mass) = (1e4_f64, 1.0);
    for zeta in [0.05_f64, 0.2, 0.5] {
        let law = ContactLaw {
            stiffness: Stiffness::Constants(Constants { k, n: 1.0, k_t: 0.0, k_theta: 0.0, e_n: 0.0 }),
            damping: Damping { normal: 2.0 * zeta * (k * mass).sqrt(), ..Damping::default() },
            friction: Friction::None,
            partial: None,
        };
        let root = (1.0 - zeta * zeta).sqrt();
        let closed = (-zeta / root * (2.0 * zeta * root).atan2(2.0 * zeta * zeta - 1.0)).exp();
        let (out, ..) = bounce(&law, Matrix2::identity(), mass, 1.0, 1e-6);
        assert!((out - closed).abs() < 1e-6, "ζ {zeta}: {out} against {closed}");
    }
}

/// Golden 20 and 22: Cattaneo–Mindlin and the loop of fretting, by driving the bank of sliders. The error falls with the
/// square of their number.
#[test]
fn golden_20_22_partial_slip_driven() {
    let rubber = Material::elastic(1e6, 0.3).unwrap();
    let material = pair(&rubber, &rubber, Theory::Auto).unwrap();
    let mu = 0.6;
    let curvature = Matrix2::identity() / 0.02;
    let approach = 2e-4;
    let drive_to = |count: usize, path: &[f64]| {
        let law = ContactLaw {
            stiffness: Stiffness::Patch(material.theory),
            damping: Damping::default(),
            friction: Friction::Coulomb { mu },
            partial: Some(Sliders::new(count, 0.5)),
        };
        let mut memory = Memory::default();
        let mut x = 0.0;
        let (mut lost, mut work, mut last) = (0.0, 0.0, 0.0);
        let mut loads = Vec::new();
        for target in path {
            let n = 4000;
            let (step, mut loop_lost, started) = ((target - x) / n as f64, 0.0, work);
            for _ in 0..n {
                let mut site = flat_site(-approach, 0.0, Vector2::new(step, 0.0), 0.0);
                site.curvature = curvature;
                let response = law.advance(&site, &mut memory, 1.0).unwrap();
                work += 0.5 * (last + response.load.x) * step;
                last = response.load.x;
                lost += response.slip_energy;
                loop_lost += response.slip_energy;
            }
            x = *target;
            loads.push((last, loop_lost, work - started));
        }
        (loads, lost, work, memory.energy())
    };
    // Closed forms.
    let patch = material
        .theory
        .at_approach(&fingerpad_contact::patch::RelativeCurvature::from_radii(0.02, 0.02), approach)
        .unwrap();
    let (a, P) = (patch.a, patch.load);
    let g = 1e6 / 2.6;
    let s = 2.0 * (2.0 - 0.3) / g;
    let displacement = |q: f64| 3.0 * mu * P * s / (16.0 * a) * (1.0 - (1.0 - q).powf(2.0 / 3.0));
    let mut errors = Vec::new();
    for count in [16, 64, 2000] {
        let mut worst = 0.0_f64;
        for q in [0.1_f64, 0.5, 0.9] {
            let (loads, ..) = drive_to(count, &[displacement(q)]);
            worst = worst.max((loads[0].0 / (q * mu * P) - 1.0).abs());
        }
        errors.push(worst);
    }
    // 2000 sliders: 1e-6; a factor of 4 in number is one of 16 in error, less at the ends of the polygon's pieces.
    assert!(errors[2] < 1e-6 && errors[1] < errors[0] / 6.0, "{errors:?}");
    for q in [0.1_f64, 0.5, 0.9] {
        let amplitude = displacement(q);
        let (loads, lost, work, stored) = drive_to(2000, &[amplitude, -amplitude, amplitude]);
        let closed = 0.9 * mu * mu * P * P * s / a
            * (1.0 - (1.0 - q).powf(5.0 / 3.0) - 5.0 * q / 6.0 * (1.0 + (1.0 - q).powf(2.0 / 3.0)));
        let loop_lost = loads[1].1 + loads[2].1;
        // The work around the closed loop, by trapezoids; the loss that the law itself reports is first order in the step.
        let around = loads[1].2 + loads[2].2;
        // At q = 0.1 only some 70 of the sliders give up: 1/70² of this small loop.
        let tolerance = if q < 0.2 { 2e-4 } else { 2e-5 };
        assert!((around / closed - 1.0).abs() < tolerance, "q {q}: {around} against {closed}");
        assert!((loop_lost / closed - 1.0).abs() < 1e-3, "q {q}: {loop_lost} against {closed}");
        // What went in is stored or lost.
        assert!((work - stored - lost).abs() < 1e-3 * work.abs().max(lost), "{work} {stored} {lost}");
        assert!((loads[1].0 + q * mu * P).abs() < 1e-5 * mu * P);
    }
}
