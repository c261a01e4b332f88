//! Patches of lines and rings against closed forms, sums over the patch and a small boundary-element program.

use fingerpad_contact::patch::foundation::Foundation;
use fingerpad_contact::patch::line::{Curve, LineContact};
use fingerpad_contact::patch::shear::ShearCompliance;
use fingerpad_contact::patch::{PatchError, Pressed};
use nalgebra::{DMatrix, DVector};
use std::f64::consts::PI;

const GRAVITY: f64 = 9.81;

fn line(half_length: f64, radius: f64) -> LineContact {
    LineContact { curve: Curve::Line { half_length }, curvature_across: 1.0 / radius }
}

fn ring(radius: f64, meridian: f64) -> LineContact {
    LineContact { curve: Curve::Ring { radius }, curvature_across: 1.0 / meridian }
}

fn elastic(e_star: f64) -> Pressed {
    // All in one body with ν = 0.3: G = (1 − ν) E*/2.
    let g = 0.35 * e_star;
    Pressed::HalfSpaces { e_star, shear: ShearCompliance { even: 0.7 / g, uneven: 0.3 / g } }
}

fn layer(modulus: f64, depth: f64, exponent: f64) -> Pressed {
    Pressed::Foundation { layer: Foundation { modulus, depth, exponent }, shear_per_depth: modulus / 3.0 / depth }
}

/// 1 MPa on 2 mm: 5e8 N/m³.
fn rubber() -> Pressed {
    layer(1e6, 2e-3, 1.0)
}

fn close(name: &str, ours: f64, theirs: f64, tolerance: f64) {
    assert!((ours / theirs - 1.0).abs() <= tolerance, "{name}: {ours} against {theirs}");
}

/// Bodies at rest on a layer, from digits printed by another program (numpy): half a unit of the last digit.
#[test]
fn bodies_at_rest_on_a_layer() {
    let torus = ring(30e-3, 6e-3).under_load(&rubber(), 0.25 * GRAVITY).unwrap();
    assert!((torus.approach - 3.16620e-5).abs() < 5e-11, "{}", torus.approach);
    let heave = (torus.normal_stiffness / 0.25).sqrt() / (2.0 * PI);
    assert!((heave - 108.50).abs() < 5e-3, "{heave}");
    // Slips in torsion at μPR, and (b/R)²/5 = 8e-5 of it more, because the area grows with the distance.
    close("torsion of the torus", 0.5 * torus.load * torus.e_n, 0.0367875, 1e-4);

    let cylinder = line(40e-3, 20e-3).under_load(&rubber(), 0.2 * GRAVITY).unwrap();
    assert!((cylinder.approach - 3.23430e-5).abs() < 5e-11, "{}", cylinder.approach);
    assert!((cylinder.half_width - 1.1374e-3).abs() < 5e-8, "{}", cylinder.half_width);
    // μPL/4 (L the whole length) for a line without width; (b/L)² ln(L/b) of order 1e-3 more.
    close("torsion of the cylinder", 0.5 * cylinder.load * cylinder.e_n, 0.01962, 1e-3);

    let glass = ring(22.55e-3, 2.650e-3).under_load(&rubber(), 0.2 * GRAVITY).unwrap();
    assert!((glass.approach - 4.334e-5).abs() < 1e-8, "{}", glass.approach);
    let pressed = ring(30e-3, 6e-3).at_approach(&rubber(), 40e-6).unwrap();
    assert!((pressed.load - 3.482495).abs() < 5e-7, "{}", pressed.load);
}

/// Elastic bodies: steel cylinder, rubber torus, and a rubber roller of 1 m under 200 N.
#[test]
fn elastic_bodies_at_rest() {
    let steel = elastic(0.5 * 210e9 / 0.91);
    let cylinder = line(40e-3, 20e-3).under_load(&steel, 0.785 * GRAVITY).unwrap();
    assert!((cylinder.half_width - 4.609e-6).abs() < 5e-10, "{}", cylinder.half_width);
    assert!((cylinder.peak_pressure - 13.30e6).abs() < 5e3, "{}", cylinder.peak_pressure);
    // Lundberg's formula for rollers is right to ±9 %.
    close("approach", cylinder.approach, 5.45e-9, 0.09);

    let torus = ring(30e-3, 6e-3).at_approach(&elastic(1e6), 20e-6).unwrap();
    // Printed after boundary elements, which the ring's formula meets to 0.05 %.
    close("load of the torus", torus.load, 0.7005, 5e-4);

    let roller = line(0.5, 10e-3).under_load(&elastic(1e6 / 0.75), 200.0).unwrap();
    assert!((roller.half_width - 1.382e-3).abs() < 5e-7 && (roller.peak_pressure - 92.13e3).abs() < 5.0, "{roller:?}");
    close("line load", roller.line_load, 200.0, 1e-15);
    close("e_n", roller.e_n, 0.25, 1e-4);
}

/// Load, moment and area of layers by sums over the plane, for three exponents.
#[test]
fn layers_match_sums_over_the_patch() {
    let (modulus, depth, approach) = (2e5, 4e-3, 2e-4);
    for exponent in [0.7, 1.0, 2.3] {
        let pressed = layer(modulus, depth, exponent);
        for contact in [line(6e-3, 8e-3), line(2e-3, 8e-3), ring(12e-3, 5e-3)] {
            let patch = contact.at_approach(&pressed, approach).unwrap();
            let n = 600;
            let (mut load, mut moment, mut area, mut square) = (0.0, 0.0, 0.0, 0.0);
            let mut add = |y: f64, cells: f64, distance: f64| {
                let d = approach - 0.5 * contact.curvature_across * y * y;
                let p = modulus * (d / depth).powf(exponent) * cells;
                (load, moment) = (load + p, moment + p * distance);
                (area, square) = (area + cells, square + cells * distance * distance);
            };
            let middle = |i: usize| (2.0 * i as f64 + 1.0) / n as f64 - 1.0;
            for i in 0..n {
                let y = patch.half_width * middle(i);
                let dy = 2.0 * patch.half_width / n as f64;
                match contact.curve {
                    Curve::Ring { radius } => add(y, dy * 2.0 * PI * (radius + y), radius + y),
                    Curve::Line { half_length } => (0..n).for_each(|j| {
                        let s = half_length * middle(j);
                        add(y, dy * 2.0 * half_length / n as f64, s.hypot(y));
                    }),
                }
            }
            // Midpoints over a rim where the pressure rises as d^0.7: n^(−1.7) = 2e-5.
            close("load", patch.load, load, 5e-5);
            close("e_n", patch.e_n, moment / load, 5e-5);
            // Rounding of 360,000 terms.
            close("shear", patch.stiffness.along, modulus / 3.0 / depth * area, 1e-10);
            close("torsion", patch.stiffness.torsional, modulus / 3.0 / depth * square, 1e-5);
        }
    }
}

/// e_n of an elastic line under the plane problem's pressure p₀ √(1 − y²/b²), by a sum over the rectangle.
#[test]
fn e_n_of_an_elastic_line_matches_a_sum() {
    for half_length in [4e-3, 40e-3] {
        let patch = line(half_length, 10e-3).at_approach(&elastic(1e6), 1e-4).unwrap();
        let n = 800;
        let (mut load, mut moment) = (0.0, 0.0);
        for i in 0..n {
            for j in 0..n {
                let (t, u) = ((i as f64 + 0.5) / n as f64, (j as f64 + 0.5) / n as f64);
                let p = (1.0 - t * t).sqrt();
                load += p;
                moment += p * (patch.half_width * t).hypot(half_length * u);
            }
        }
        // Midpoints with a root at the rim: n^(−1.5) = 4e-5.
        close("e_n", patch.e_n, moment / load, 1e-4);
    }
}

/// Energy is the sum of the load, stiffness its slope, and load undoes approach.
#[test]
fn energy_load_and_stiffness_belong_together() {
    for contact in [line(30e-3, 8e-3), line(2e-3, 8e-3), ring(20e-3, 4e-3)] {
        for pressed in [elastic(1e6), rubber(), layer(2e5, 4e-3, 0.7)] {
            let at = |delta: f64| contact.at_approach(&pressed, delta).unwrap();
            let approach = 1e-4;
            let (patch, step) = (at(approach), 1e-5 * approach);
            let (up, down) = (at(approach + step), at(approach - step));
            // Central differences: (1e-5)² and rounding 1e-15/1e-5.
            close("dV", patch.load, (up.energy - down.energy) / (2.0 * step), 1e-8);
            close("dP", patch.normal_stiffness, (up.load - down.load) / (2.0 * step), 1e-8);
            let back = contact.under_load(&pressed, patch.load).unwrap();
            close("approach", back.approach, approach, 1e-12);
            close("width", back.half_width, patch.half_width, 1e-12);
            close("line load", patch.line_load * contact.curve.length(), patch.load, 1e-14);
        }
    }
}

/// Load of an even line by boundary elements: rectangles of even pressure on a half-space (Love), of which those that
/// would pull are let go. A quarter is solved, elements are graded towards the end of the line.
fn boundary_elements(half_length: f64, radius: f64, e_star: f64, approach: f64, width: f64) -> f64 {
    let (nx, ny) = (28, 12);
    let x = |i: usize| half_length * (0.5 * PI * i as f64 / nx as f64).sin();
    let y = |j: usize| width * j as f64 / ny as f64;
    // ∬ dA/r over a rectangle, as differences of F at its corners.
    let corner = |x: f64, y: f64| {
        let part = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (q / p.abs()).asinh() };
        part(x, y) + part(y, x)
    };
    let over =
        |x: [f64; 2], y: [f64; 2]| corner(x[1], y[1]) - corner(x[0], y[1]) - corner(x[1], y[0]) + corner(x[0], y[0]);
    let cells: Vec<[f64; 4]> =
        (0..nx * ny).map(|c| (c / ny, c % ny)).map(|(i, j)| [x(i), x(i + 1), y(j), y(j + 1)]).collect();
    let middle = |c: &[f64; 4]| (0.5 * (c[0] + c[1]), 0.5 * (c[2] + c[3]));
    let influence = |at: &[f64; 4], from: &[f64; 4]| {
        let (px, py) = middle(at);
        let mut sum = 0.0;
        for xs in [[from[0] - px, from[1] - px], [-from[1] - px, -from[0] - px]] {
            for ys in [[from[2] - py, from[3] - py], [-from[3] - py, -from[2] - py]] {
                sum += over(xs, ys);
            }
        }
        sum / (PI * e_star)
    };
    let mut active: Vec<usize> =
        (0..cells.len()).filter(|c| middle(&cells[*c]).1.powi(2) < 2.0 * radius * approach).collect();
    loop {
        let n = active.len();
        let matrix = DMatrix::from_fn(n, n, |i, j| influence(&cells[active[i]], &cells[active[j]]));
        let depth = DVector::from_fn(n, |i, _| approach - 0.5 * middle(&cells[active[i]]).1.powi(2) / radius);
        let p = matrix.lu().solve(&depth).unwrap();
        let kept: Vec<usize> = (0..n).filter(|i| p[*i] > 0.0).map(|i| active[i]).collect();
        if kept.len() == n {
            let area = |c: &[f64; 4]| (c[1] - c[0]) * (c[3] - c[2]);
            return active.iter().zip(p.iter()).map(|(c, p)| 4.0 * p * area(&cells[*c])).sum();
        }
        active = kept;
    }
}

/// Approach of even lines against boundary elements: the design asks lines within 1.6 %, long ones within 0.3 %, and the
/// elements themselves are right to some 0.3 %.
#[test]
fn lines_match_boundary_elements() {
    for (half_length, approach, bound) in [(5e-3, 20e-6, 0.01), (10e-3, 20e-6, 0.007), (30e-3, 20e-6, 0.007)] {
        let patch = line(half_length, 10e-3).at_approach(&elastic(1e6), approach).unwrap();
        let judge = boundary_elements(half_length, 10e-3, 1e6, approach, 1.35 * patch.half_width);
        println!("L {half_length}: {} N against {judge} N, {:+.2} %", patch.load, 100.0 * (patch.load / judge - 1.0));
        close("load", patch.load, judge, bound);
    }
}

/// No load is a curve without width; tiny and huge loads give finite numbers; nonsense and closed rings are errors.
#[test]
fn extremes_give_limits_or_errors() {
    for pressed in [elastic(1e6), rubber()] {
        let contact = line(20e-3, 8e-3);
        let none = contact.under_load(&pressed, 0.0).unwrap();
        assert_eq!((none.half_width, none.peak_pressure, none.load, none.e_n), (0.0, 0.0, 0.0, 10e-3));
        assert_eq!(contact.at_approach(&pressed, -1e-3).unwrap().approach, -1e-3);
        for load in [1e-300, 1e-20, 1.0, 1e20, 1e300] {
            let patch = contact.under_load(&pressed, load).unwrap();
            let numbers = [patch.half_width, patch.peak_pressure, patch.approach, patch.normal_stiffness, patch.e_n];
            assert!(numbers.iter().all(|x| x.is_finite() && *x > 0.0), "{load}: {patch:?}");
        }
        assert!(matches!(contact.under_load(&pressed, f64::NAN), Err(PatchError::NotFinite { .. })));
        assert!(matches!(line(0.0, 8e-3).under_load(&pressed, 1.0), Err(PatchError::NotPositive { .. })));
        assert!(matches!(line(1.0, -8e-3).under_load(&pressed, 1.0), Err(PatchError::NotPositive { .. })));
        assert!(matches!(ring(5e-3, 1e-3).under_load(&pressed, 1e6), Err(PatchError::RingCloses { .. })));
        assert!(matches!(ring(5e-3, 1e-3).at_approach(&pressed, 1.0), Err(PatchError::RingCloses { .. })));
    }
}
