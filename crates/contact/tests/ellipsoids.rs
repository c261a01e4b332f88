//! Two ellipsoids: the global answer at any depth, and points that follow a motion for 20 s without drift.

mod common;

use common::Random;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Ellipsoid, Shape};
use fingerpad_contact::track::{Tracker, TrackerEvent, closest_points, rates};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// φ(n) = n·o − h_A(n) − h_B(−n) written out, without the library.
fn signed_distance(a: &Vector3<f64>, b: &Vector3<f64>, X_AB: &Isometry3<f64>, n: &Vector3<f64>) -> f64 {
    let n_B = X_AB.rotation.inverse() * n;
    n.dot(&X_AB.translation.vector) - a.component_mul(n).norm() - b.component_mul(&n_B).norm()
}

/// The best of many hill climbs by plain pattern search: slow, simple, nothing in common with Newton.
fn many_starts(a: &Vector3<f64>, b: &Vector3<f64>, X_AB: &Isometry3<f64>, starts: usize, random: &mut Random) -> f64 {
    let mut best = f64::NEG_INFINITY;
    for _ in 0..starts {
        let mut n = random.direction();
        let mut value = signed_distance(a, b, X_AB, &n);
        let mut stride = 0.3;
        while stride > 1e-7 {
            let e = fingerpad_contact::track::tangent_basis(&n);
            let steps = [e.column(0) * stride, e.column(1) * stride];
            let tries = [n + steps[0], n - steps[0], n + steps[1], n - steps[1]];
            let next = tries
                .iter()
                .map(|t| t.normalize())
                .map(|t| (signed_distance(a, b, X_AB, &t), t))
                .max_by(|x, y| x.0.total_cmp(&y.0))
                .unwrap();
            if next.0 > value {
                (value, n) = next;
            } else {
                stride *= 0.5;
            }
        }
        best = best.max(value);
    }
    best
}

fn ellipsoid(axes: &Vector3<f64>) -> Shape {
    Shape::Ellipsoid(Ellipsoid::new([axes.x, axes.y, axes.z]).unwrap())
}

/// Random pairs from apart to concentric, axes from 1:1 to 1:10: never invalid, never a local answer instead of the
/// global one, judged by 24 pattern searches each.
#[test]
fn deep_overlap_gives_the_shortest_way_out() {
    let mut random = Random(42);
    let (mut deep, mut checked) = (0, 0);
    for trial in 0..1500 {
        let axes = |r: &mut Random| Vector3::from_fn(|_, _| 10.0_f64.powf(r.between(-1.0, 0.0)));
        let (a, b) = (axes(&mut random), axes(&mut random));
        let reach = [0.0, 0.1, 0.4, 1.0][trial % 4];
        let X_AB = random.pose(reach);
        let pair = closest_points(&ellipsoid(&a), &ellipsoid(&b), &X_AB).unwrap();
        let oracle = many_starts(&a, &b, &X_AB, 24, &mut random);
        // Pattern search stops at strides of 1e-7: its value is low by less than 1e-12.
        assert!(pair.gap >= oracle - 1e-11, "trial {trial}: {} but {oracle} exists", pair.gap);
        assert!(pair.gap <= oracle + 1e-9, "trial {trial}: {} above the best direction {oracle}", pair.gap);
        let on_surface = |p: &nalgebra::Point3<f64>, axes: &Vector3<f64>| p.coords.component_div(axes).norm();
        assert!((on_surface(&pair.p_ACa, &a) - 1.0).abs() < 1e-12);
        assert!((on_surface(&pair.p_BCb, &b) - 1.0).abs() < 1e-12);
        deep += usize::from(pair.gap < -(a.min().powi(2) / a.max() + b.min().powi(2) / b.max()));
        checked += 1;
    }
    assert!(checked == 1500 && deep > 600, "{deep} deep of {checked}");
}

/// An ellipsoid tumbles around another for 20 s in steps of 5 ms, sometimes touching. Tracked points stay within
/// 1e-9 m of points found from scratch (goal; measured about 1e-15), gaps within 1e-14 m; contact kinematics agree
/// with the motion of the points.
#[test]
fn tracked_points_do_not_drift_in_20_s() {
    let (a, b) = (ellipsoid(&Vector3::new(0.5, 0.35, 0.3)), ellipsoid(&Vector3::new(0.3, 0.25, 0.15)));
    let w = Vector3::new(1.1, -0.7, 0.9);
    let radius = 0.62;
    let pose = |t: f64| {
        let orbit = Vector3::new((0.8 * t).cos(), (0.8 * t).sin(), 0.4 * (0.5 * t).sin()) * radius;
        Isometry3::from_parts(Translation3::from(orbit), UnitQuaternion::from_scaled_axis(w * t))
    };
    let velocity = |t: f64| {
        let v = Vector3::new(-0.8 * (0.8 * t).sin(), 0.8 * (0.8 * t).cos(), 0.2 * (0.5 * t).cos()) * radius;
        // Told at the origin of A instead of that of B.
        SpatialVelocity::new(w, v).shift(-pose(t).translation.vector)
    };
    let h = 0.005;
    let mut tracker = Tracker::new(&a, &b, &pose(0.0)).unwrap();
    let (mut point_error, mut gap_error, mut rate_error, mut overlaps) = (0.0_f64, 0.0_f64, 0.0_f64, 0);
    for k in 1..=4000 {
        let t = h * f64::from(k);
        tracker.predict(&pose(t - h), &velocity(t - h), h);
        let event = tracker.update(&a, &b, &pose(t)).unwrap();
        assert_eq!(event, TrackerEvent::Followed, "step {k}");
        let fresh = closest_points(&a, &b, &pose(t)).unwrap();
        point_error = point_error.max((tracker.pair().p_ACa - fresh.p_ACa).norm());
        point_error = point_error.max((tracker.pair().p_BCb - fresh.p_BCb).norm());
        gap_error = gap_error.max((tracker.pair().gap - fresh.gap).abs());
        overlaps += usize::from(fresh.gap < 0.0);
        if k % 50 == 0 {
            // Fourth-order difference over ±2 ms: error about (2e-3)⁴.
            let point = |dt: f64| closest_points(&a, &b, &pose(t + dt)).unwrap();
            let d = 1e-3;
            let (p1, m1, p2, m2) = (point(d), point(-d), point(2.0 * d), point(-2.0 * d));
            let slope = ((p1.p_ACa - m1.p_ACa) * 8.0 - (p2.p_ACa - m2.p_ACa)) / (12.0 * d);
            let rate = rates(tracker.pair(), &pose(t), &velocity(t)).unwrap();
            rate_error = rate_error.max((slope - rate.p_ACa_dot).norm() / rate.p_ACa_dot.norm());
        }
    }
    println!("points {point_error:.1e} m, gap {gap_error:.1e} m, rates {rate_error:.1e}, {overlaps} overlapping");
    assert!(point_error < 1e-12 && gap_error < 1e-14, "{point_error} {gap_error}");
    assert!(rate_error < 1e-7, "{rate_error}");
    assert!(overlaps > 100, "the motion should touch now and then");
}

/// A flat ellipsoid turned inside another, deep: the shortest way out changes sides. The tracker must stay on the
/// global answer all along and say when it jumps.
#[test]
fn deep_tracking_changes_sides_with_the_global_answer() {
    let (a, b) = (Vector3::new(0.5, 0.45, 0.3), Vector3::new(0.4, 0.1, 0.3));
    let pose = |k: usize| {
        let t = 0.01 * k as f64;
        Isometry3::from_parts(
            Translation3::new(0.05 * t.cos(), 0.04 * (1.7 * t).sin(), 0.03),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.6, 0.3, 1.0) * t),
        )
    };
    let (ea, eb) = (ellipsoid(&a), ellipsoid(&b));
    let mut tracker = Tracker::new(&ea, &eb, &pose(0)).unwrap();
    let mut jumps = 0;
    for k in 1..1200 {
        let event = tracker.update(&ea, &eb, &pose(k)).unwrap();
        jumps += usize::from(matches!(event, TrackerEvent::Jumped | TrackerEvent::Lost));
        let fresh = closest_points(&ea, &eb, &pose(k)).unwrap();
        assert!((tracker.pair().gap - fresh.gap).abs() < 1e-12, "step {k}: {} {}", tracker.pair().gap, fresh.gap);
    }
    assert!(jumps >= 2, "{jumps} jumps");
}
