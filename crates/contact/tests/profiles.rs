//! Surfaces of revolution from profiles: convergence, poles, hollows, searches, and profiles that bound no solid.

mod solids;

use fingerpad_contact::surface::{ParametricSurface, Revolution, SmoothSurface, Sphere, Surface, Torus};
use nalgebra::{Point3, Vector3};
use solids::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Half a circle from pole to pole, n segments.
fn half_circle(n: usize, radius: f64) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> = (0..=n)
        .map(|k| PI * k as f64 / n as f64 - FRAC_PI_2)
        .map(|angle| [radius * angle.cos(), radius * angle.sin()])
        .collect();
    (points[0][0], points[n][0]) = (0.0, 0.0);
    points
}

/// A whole circle off the axis, n segments.
fn circle(n: usize, major: f64, minor: f64) -> Vec<[f64; 2]> {
    let angle = |k: usize| TAU * k as f64 / n as f64;
    let mut points: Vec<[f64; 2]> = (0..n).map(|k| [major + minor * angle(k).cos(), minor * angle(k).sin()]).collect();
    points.push(points[0]);
    points
}

/// Cubic splines are of fourth order in position and of second order in the second derivative: halving the chords must
/// divide errors by 16 and by 4. Wrong end conditions at the poles would show as orders 2 and 0.
#[test]
fn profiles_from_circles_converge_to_sphere_and_torus_with_order_four() {
    let mut random = Random(11);
    let queries: Vec<Point3<f64>> = (0..400).map(|_| random.point(1.5)).collect();
    let errors = |made: &Revolution, exact: &dyn SmoothSurface| {
        let (mut distance, mut curvature) = (0.0_f64, 0.0_f64);
        for p in &queries {
            let foot = exact.closest_point(p).unwrap();
            distance = distance.max((made.closest_point(p).unwrap().distance - foot.distance).abs());
            let (got, expected) = (made.point_near(&foot.p).unwrap(), exact.point_near(&foot.p).unwrap());
            curvature = curvature.max((got.Dn - expected.Dn).norm());
        }
        (distance, curvature)
    };
    let sphere = |n: usize| errors(&Revolution::new(&half_circle(n, 0.7)).unwrap(), &Sphere::new(0.7).unwrap());
    let torus = |n: usize| errors(&Revolution::new(&circle(n, 0.7, 0.3)).unwrap(), &Torus::new(0.7, 0.3).unwrap());
    for (coarse, fine) in [(sphere(16), sphere(32)), (sphere(32), sphere(64)), (torus(32), torus(64))] {
        let (order, order_curvature) = ((coarse.0 / fine.0).log2(), (coarse.1 / fine.1).log2());
        assert!((order - 4.0).abs() < 0.2, "order of the distance {order}: {} {}", coarse.0, fine.0);
        assert!((order_curvature - 2.0).abs() < 0.2, "order of the curvature {order_curvature}");
    }
    assert!(sphere(64).0 < 1e-6);
}

/// 1/R at the pole itself, order 2 in the chords, and umbilic: both principal curvatures equal.
#[test]
fn poles_of_a_turned_circle_are_round() {
    let mut last = f64::INFINITY;
    for n in [8, 16, 32, 64] {
        let ball = Revolution::new(&half_circle(n, 0.7)).unwrap();
        for pole in [-0.7, 0.7] {
            let at = ball.point_near(&Point3::new(0.0, 0.0, pole)).unwrap();
            assert_eq!(at.nhat, Vector3::z() * pole.signum());
            let [low, high] = principal(&at);
            assert!((high - low).abs() < 1e-13, "{low} {high}");
            let error = (high * 0.7 - 1.0).abs();
            assert!(error < 0.3 * last || pole > 0.0, "{n}: {error}");
            last = error;
        }
    }
    assert!(last < 3e-4, "{last}");
}

/// Dn on both sides of every point of the profile and around the poles, ever closer: the jump is of the order of the
/// step.
#[test]
fn curvature_is_continuous_across_profile_points_and_poles() {
    for surface in [Revolution::new(&PEAR).unwrap(), Revolution::new(&ring(1.0)).unwrap()] {
        let end = surface.domain().v[1];
        for eps in [1e-4, 1e-6, 1e-8] {
            for &knot in surface.knots() {
                let inside = knot > 0.0 && knot < end;
                let (before, after) = if inside || surface.is_closed() {
                    ((knot - eps).rem_euclid(end), (knot + eps).rem_euclid(end))
                } else {
                    // The other side of a pole is half a turn further.
                    (if knot > 0.0 { end - eps } else { eps }, if knot > 0.0 { end - eps } else { eps })
                };
                let turn = if inside || surface.is_closed() { 0.0 } else { PI };
                let one = surface.point_near(&surface.point(0.3, before)).unwrap();
                let two = surface.point_near(&surface.point(0.3 + turn, after)).unwrap();
                let middle = surface.point_near(&surface.point(0.3, knot)).unwrap();
                // Curvature changes by less than 1/(0.03 m)² per metre along these profiles.
                let third = 1000.0;
                assert!((one.Dn - two.Dn).norm() < third * eps + 1e-12, "{eps}: {}", (one.Dn - two.Dn).norm());
                assert!((one.Dn - middle.Dn).norm() < third * eps + 1e-12);
                assert!((one.nhat - two.nhat).norm() < third * eps);
            }
        }
    }
}

/// The whole way around the pole at radii down to round-off: 0/0 would show as noise in the azimuthal curvature.
#[test]
fn curvature_stays_exact_ever_closer_to_the_axis() {
    for s in SCALES {
        let pear = Revolution::new(&scaled(&PEAR, s)).unwrap();
        for z in [-s, 0.85 * s] {
            let pole = pear.point_near(&Point3::new(0.0, 0.0, z)).unwrap();
            for exponent in [4, 8, 12, 16, 40, 300] {
                let r = 10f64.powi(-exponent) * s;
                let at = pear.point_near(&Point3::new(0.6 * r, -0.8 * r, z)).unwrap();
                assert!((at.Dn - pole.Dn).norm() * s < 100.0 * r / s + 1e-12, "{s} {exponent}");
            }
        }
    }
}

#[test]
fn points_may_run_either_way_around() {
    for profile in [PEAR.to_vec(), ring(1.0)] {
        let mut backwards = profile.clone();
        backwards.reverse();
        let (one, two) = (Revolution::new(&profile).unwrap(), Revolution::new(&backwards).unwrap());
        let p = Point3::new(0.5, 0.9, 0.2);
        let (a, b) = (one.closest_point(&p).unwrap(), two.closest_point(&p).unwrap());
        assert!((a.distance - b.distance).abs() < 1e-15 && (a.nhat - b.nhat).norm() < 1e-13);
    }
}

/// A cup: the profile goes up outside, over the rim, and down inside to the axis; its hollow is outside.
#[test]
fn a_cup_is_hollow() {
    let outside = [[0.0, 0.0], [0.3, 0.02], [0.4, 0.2], [0.42, 0.6]];
    let inside = [[0.40, 0.64], [0.38, 0.6], [0.36, 0.22], [0.28, 0.07], [0.0, 0.05]];
    let profile: Vec<[f64; 2]> = outside.into_iter().chain(inside).collect();
    let cup = Revolution::new(&profile).unwrap();
    assert!(cup.closest_point(&Point3::new(0.0, 0.1, 0.4)).unwrap().distance > 0.1);
    assert!(cup.closest_point(&Point3::new(0.0, 0.0, 0.025)).unwrap().distance < 0.0);
    let bottom = cup.point_near(&Point3::new(0.0, 0.0, 0.051)).unwrap();
    assert_eq!((bottom.p, bottom.nhat), (Point3::new(0.0, 0.0, 0.05), Vector3::z()));
}

/// The opinion: every minimum over 3000 samples of the profile, sharpened by ternary search, which finds distances to
/// 1e-14. (Several minima on one segment are rare on splines; a test beside the search has them.)
#[test]
fn the_nearest_place_of_profiles_drawn_at_random_is_found() {
    let mut random = Random(13);
    let mut made = 0;
    while made < 60 {
        let count = 1 + made % 3;
        let mut profile = vec![[0.0, -1.0]];
        profile.extend((0..count).map(|_| [random.between(0.1, 1.5), random.between(-1.5, 1.5)]));
        profile.push([0.0, random.between(-0.5, 1.0)]);
        let Ok(surface) = Revolution::new(&profile) else { continue };
        made += 1;
        let (end, n) = (surface.domain().v[1], 3000);
        let samples: Vec<Point3<f64>> = (0..=n).map(|k| surface.point(0.0, end * k as f64 / n as f64)).collect();
        for _ in 0..60 {
            let p = Point3::new(random.between(0.0, 1.5), 0.0, random.between(-1.5, 1.5));
            let distances: Vec<f64> = samples.iter().map(|q| (q - p).norm()).collect();
            let at = |k: isize| if k < 0 || k > n { f64::INFINITY } else { distances[k as usize] };
            let mut best = f64::INFINITY;
            for k in (0..=n).filter(|&k| at(k) <= at(k - 1) && at(k) <= at(k + 1)) {
                let v = |k: isize| end * k as f64 / n as f64;
                let (mut low, mut high) = (v(k - 1).max(0.0), v(k + 1).min(end));
                let distance = |v: f64| (surface.point(0.0, v) - p).norm();
                for _ in 0..80 {
                    let third = (high - low) / 3.0;
                    if distance(low + third) < distance(high - third) { high -= third } else { low += third }
                }
                best = best.min(distance(low));
            }
            let got = surface.closest_point(&p).unwrap().distance.abs();
            assert!((got - best).abs() < 1e-12, "{profile:?} at {p}: {got}, searched {best}");
        }
    }
}

/// Ten thousand points is the most a profile may have; the tree keeps queries short.
#[test]
fn the_largest_profile_is_made_and_one_more_point_refused() {
    let ball = Revolution::new(&half_circle(9_999, 0.7)).unwrap();
    let mut random = Random(12);
    for _ in 0..1000 {
        let p = random.point(1.5);
        // O(h⁴) is below round-off here.
        assert!((ball.closest_point(&p).unwrap().distance - (p.coords.norm() - 0.7)).abs() < 1e-14);
    }
    // From the centre all places are equally far to round-off; the search must still end.
    assert!((ball.closest_point(&Point3::origin()).unwrap().distance + 0.7).abs() < 1e-14);
    let refused = Revolution::new(&half_circle(10_000, 0.7)).unwrap_err().to_string();
    assert!(refused.contains("3 to 10000 points") && refused.ends_with("got 10001"), "{refused}");
}

#[test]
fn profiles_that_bound_no_solid_are_refused_with_the_reason() {
    let nan = f64::NAN;
    let cases: &[(&[[f64; 2]], &str)] = &[
        (&[], "3 to 10000 points (5 for a loop, the first repeated as last), got 0"),
        (&[[0.0, 0.0], [0.0, 1.0]], "got 2"),
        (&[[1.0, 0.0], [2.0, 0.0], [1.5, 1.0], [1.0, 0.0]], "at least 4 distinct points, got 3"),
        (&[[0.0, 0.0], [nan, 0.5], [0.0, 1.0]], "finite coordinates below 1e100 m, got (NaN, 0.5) m at point 1"),
        (&[[0.0, 0.0], [1.0, f64::INFINITY], [0.0, 1.0]], "got (1, inf) m at point 1"),
        (&[[0.0, 0.0], [-0.5, 0.5], [0.0, 1.0]], "got (-0.5, 0.5) m at point 1"),
        (&[[0.0, -1.0], [0.5, -0.5], [0.0, 0.0], [0.5, 0.5], [0.0, 1.0]], "r > 0 between ends on the axis"),
        (&[[-0.1, 0.0], [0.5, 0.5], [0.0, 1.0]], "got (-0.1, 0) m at point 0"),
        (
            &[[0.0, 0.0], [0.5, 0.5], [0.5, 0.5], [0.0, 1.0]],
            "consecutive points apart, got points 1 and 2 both at (0.5, 0.5) m",
        ),
        (
            &[[0.0, 0.0], [0.5, 0.5], [0.1, 1.0]],
            "both exactly on the axis (r = 0), or the first point repeated as last",
        ),
        (&[[0.2, 0.0], [0.5, 0.5], [0.2, 1.0]], "got (0.2, 0) m and (0.2, 1) m"),
        (&[[0.0, 0.0], [1.0, 0.5], [1.0, -0.5], [0.5, -0.2], [0.0, 0.0]], "got (0, 0) m at point 0"),
        // The spline dips below zero between two points close to the axis, and next to the pole.
        (
            &[[0.0, -1.0], [1.0, -0.8], [0.01, 0.0], [0.01, 0.2], [1.0, 0.9], [0.0, 1.0]],
            "r > 0 between the points, got r down to -0.",
        ),
        (&[[0.0, -1.0], [0.01, -0.5], [1.0, 0.3], [0.0, 1.0]], "r > 0 between the points, got r/s down to -0."),
        (&[[1.0, -1.0], [2.0, 1.0], [1.0, 1.0], [2.0, -1.5], [1.0, -1.0]], "a curve that does not cross itself"),
        (&[[1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [3.0, 0.0], [1.0, 0.0]], "a curve around some area"),
    ];
    for (profile, reason) in cases {
        let message = Revolution::new(profile).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains(reason), "expected \"{reason}\", got \"{message}\"");
    }
}
