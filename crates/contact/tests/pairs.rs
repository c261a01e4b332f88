//! Every shape against every other: closest points by their own definition, by symmetry, by brute force and by
//! closed forms.

mod common;

use common::{Random, above, bounded_shapes, grounds};
use fingerpad_contact::surface::{Capsule, HalfSpace, RoundedBox, Shape, SmoothSurface, Sphere, Surface, Torus};
use fingerpad_contact::track::{ClosestPair, TrackError, Tracker, TrackerEvent, closest_points};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

/// Points on their surfaces, on one common normal, with opposite normals: what "closest" means locally.
fn assert_stationary(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, pair: &ClosestPair, what: &str) {
    let at_A = a.point_near(&pair.p_ACa).unwrap();
    let at_B = b.point_near(&pair.p_BCb).unwrap();
    assert!((at_A.p - pair.p_ACa).norm() < 1e-12, "{what}: Ca is off A by {}", (at_A.p - pair.p_ACa).norm());
    assert!((at_B.p - pair.p_BCb).norm() < 1e-12, "{what}: Cb is off B by {}", (at_B.p - pair.p_BCb).norm());
    let between = X_AB * pair.p_BCb - (pair.p_ACa + pair.nhat_AB_A * pair.gap);
    assert!(between.norm() < 1e-11, "{what}: points are off the common normal by {}", between.norm());
    // Seams of C1 shapes have one normal but two curvatures; normals themselves must agree.
    assert!((at_A.nhat - pair.nhat_AB_A).norm() < 1e-7, "{what}: normal of A");
    let opposite = at_A.nhat + X_AB.rotation * at_B.nhat;
    assert!(opposite.norm() < 1e-7, "{what}: normals are not opposite: {}", opposite.norm());
}

/// Least signed distance from B over a dense grid of A's parameters.
fn brute_force(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, n: usize) -> Option<f64> {
    let surface = a.as_parametric()?;
    let domain = surface.domain();
    let mut least = f64::INFINITY;
    for i in 0..=n {
        for j in 0..=n {
            let u = domain.u[0] + (domain.u[1] - domain.u[0]) * i as f64 / n as f64;
            let v = domain.v[0] + (domain.v[1] - domain.v[0]) * j as f64 / n as f64;
            let q = X_AB.inverse_transform_point(&surface.point(u, v));
            least = least.min(b.closest_point(&q).ok()?.distance);
        }
    }
    Some(least)
}

fn check_pair(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, samples: Option<usize>) {
    let what = format!("{} against {} at {:?}", a.kind(), b.kind(), X_AB);
    let pair = closest_points(a, b, X_AB).unwrap_or_else(|e| panic!("{what}: {e}"));
    assert_stationary(a, b, X_AB, &pair, &what);

    // Exchange of the bodies: the same pair, the other way round.
    let swapped = closest_points(b, a, &X_AB.inverse()).unwrap();
    assert!((swapped.gap - pair.gap).abs() < 1e-9, "{what}: swap changes the gap {} to {}", pair.gap, swapped.gap);

    // The same relative pose reached through another world frame.
    let mut random = Random(99);
    let X_WA = random.pose(3.0);
    let moved = closest_points(a, b, &X_WA.inv_mul(&(X_WA * X_AB))).unwrap();
    assert!((moved.gap - pair.gap).abs() < 1e-9, "{what}: a common motion changes the gap by {}", moved.gap - pair.gap);

    let Some((n, sampled)) = samples.and_then(|n| Some((n, brute_force(b, a, &X_AB.inverse(), n)?))) else { return };
    // Samples lie within s = perimeter/n of the closest point; distance grows as s²/2 times curvature, or as s at
    // a crease.
    assert!(pair.gap <= sampled + 1e-9, "{what}: gap {} but a sample is at {sampled}", pair.gap);
    assert!(sampled - pair.gap < 2.4 / n as f64, "{what}: gap {} but no sample below {sampled}", pair.gap);
}

/// All bounded shapes in pairs, random poses from far apart to touching.
#[test]
fn bounded_shapes_apart_match_brute_force_and_symmetry() {
    let shapes = bounded_shapes();
    let mut random = Random(1);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            let mut tested = 0;
            for _ in 0..400 {
                let X_AB = random.pose(1.1);
                if brute_force(a, b, &X_AB, 24).is_some_and(|d| d > 0.03) {
                    check_pair(a, b, &X_AB, Some(120));
                    tested += 1;
                }
                if tested == 12 {
                    break;
                }
            }
            assert!(tested >= 5, "{} {}: only {tested} poses apart", a.kind(), b.kind());
        }
    }
}

/// The same with shallow overlap: each apart pose pushed along its normal to a depth of 1 and 4 cm. The gap must
/// fall by exactly the push while the push stays along the normal.
#[test]
fn pushing_along_the_normal_lowers_the_gap_by_the_push() {
    let shapes = bounded_shapes();
    let mut random = Random(2);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            let mut tested = 0;
            for _ in 0..400 {
                let X_AB = random.pose(1.1);
                let Ok(pair) = closest_points(a, b, &X_AB) else { continue };
                if pair.gap < 0.02 || pair.gap > 0.6 {
                    continue;
                }
                for depth in [0.01, 0.04] {
                    let push = Translation3::from(-pair.nhat_AB_A * (pair.gap + depth));
                    let X_pushed = push * X_AB;
                    let pushed = closest_points(a, b, &X_pushed).unwrap();
                    let what = format!("{} in {} by {depth}", b.kind(), a.kind());
                    assert_stationary(a, b, &X_pushed, &pushed, &what);
                    let both_convex = a.as_convex().is_some() && b.as_convex().is_some();
                    // A hollow body may meet elsewhere first; convex ones may not.
                    if both_convex {
                        assert!((pushed.gap + depth).abs() < 1e-9, "{what}: {} at {X_pushed:?}", pushed.gap);
                    } else {
                        assert!(pushed.gap < -depth + 1e-9, "{what}: {}", pushed.gap);
                    }
                }
                tested += 1;
                if tested == 6 {
                    break;
                }
            }
            assert!(tested >= 3, "{} {}", a.kind(), b.kind());
        }
    }
}

/// All bounded shapes on half-space, polynomial bowl and elevation map, apart and overlapping.
#[test]
fn bounded_shapes_on_grounds_match_brute_force_and_symmetry() {
    let mut random = Random(3);
    for ground in grounds() {
        for body in bounded_shapes() {
            for k in 0..10 {
                let up = if k < 6 { random.between(0.6, 1.5) } else { random.between(0.15, 0.4) };
                let sideways = Vector3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), up);
                let X_AB = Isometry3::from_parts(Translation3::from(above(&ground) + sideways), random.rotation());
                // With a hollow ground and overlap, samples of the body need not see the same distance.
                check_pair(&ground, &body, &X_AB, if k < 4 { Some(40) } else { None });
            }
        }
    }
}

/// A map as a body: upside down on another map, and on a plane; the gap is the least over both, by brute force.
#[test]
fn map_on_map_and_map_on_plane() {
    let ground = &grounds()[2];
    let lid = &grounds()[2];
    let plane = Shape::HalfSpace(HalfSpace);
    let over = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let mut random = Random(4);
    for k in 0..4 {
        let tilt = UnitQuaternion::from_scaled_axis(random.vector() * 0.05);
        // The lid's frame is at its corner: put its middle above the ground's middle.
        let turn = tilt * over;
        let middle = Vector3::new(5.0, 6.0, 1.5 + 0.2 * f64::from(k));
        let X_AB = Isometry3::from_parts(Translation3::from(middle - turn * Vector3::new(5.0, 6.0, 0.0)), turn);
        let pair = closest_points(ground, lid, &X_AB).unwrap();
        assert_stationary(ground, lid, &X_AB, &pair, "map on map");
        let swapped = closest_points(lid, ground, &X_AB.inverse()).unwrap();
        assert!((swapped.gap - pair.gap).abs() < 1e-9, "{} {}", swapped.gap, pair.gap);
        // Brute force: nearest nodes-between-nodes of the lid to the ground, away from rims.
        let Shape::Elevation(map) = lid else { unreachable!() };
        let mut least = f64::INFINITY;
        for i in 0..80 {
            for j in 0..80 {
                let (x, y) = (1.0 + 0.1 * f64::from(i), 1.0 + 0.125 * f64::from(j));
                let q = X_AB * Point3::new(x, y, map.jet(x, y).unwrap().z);
                if let Ok(foot) = ground.closest_point(&q) {
                    least = least.min(foot.distance);
                }
            }
        }
        assert!(pair.gap <= least + 1e-9 && least - pair.gap < 0.02, "{} {least}", pair.gap);

        let on_plane = closest_points(&plane, lid, &X_AB).unwrap();
        assert_stationary(&plane, lid, &X_AB, &on_plane, "map on plane");
    }
}

/// Closed forms that need no code of ours: two balls, ball and plane, crossed capsules, ring around a ball, boxes.
#[test]
fn known_distances_come_out() {
    let ball = |r| Shape::Sphere(Sphere::new(r).unwrap());
    let at = |x: f64, y: f64, z: f64| Isometry3::translation(x, y, z);
    let gap = |a: &Shape, b: &Shape, X: &Isometry3<f64>| closest_points(a, b, X).unwrap().gap;
    assert!((gap(&ball(0.5), &ball(0.25), &at(3.0, 4.0, 0.0)) - 4.25).abs() < 1e-14);
    assert!((gap(&ball(0.5), &ball(0.25), &at(0.3, 0.4, 0.0)) + 0.25).abs() < 1e-14);
    let plane = Shape::HalfSpace(HalfSpace);
    assert!((gap(&plane, &ball(0.5), &at(7.0, -3.0, 0.2)) + 0.3).abs() < 1e-14);
    assert!((gap(&ball(0.5), &plane, &at(0.0, 0.0, -2.0)) - 1.5).abs() < 1e-14);
    // Capsules at right angles, axes 1 m apart.
    let capsule = Shape::Capsule(Capsule::new(0.2, 1.0).unwrap());
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let X = Isometry3::from_parts(Translation3::new(1.0, 0.3, 0.2), quarter);
    assert!((gap(&capsule, &capsule, &X) - 0.6).abs() < 1e-13);
    // Parallel capsules side by side: a line of closest points, one of them given.
    let side = closest_points(&capsule, &capsule, &at(0.9, 0.0, 0.5)).unwrap();
    assert!((side.gap - 0.5).abs() < 1e-13 && !side.is_isolated());
    // A ring on a horn: torus around a ball that fits with 1 cm to spare.
    let ring = Shape::Torus(Torus::new(0.5, 0.1).unwrap());
    assert!((gap(&ring, &ball(0.39), &at(0.0, 0.0, 0.0)) - 0.01).abs() < 1e-14);
    // Linked rings: each passes through the other's middle at the far side of 0.5.
    let X = Isometry3::from_parts(Translation3::new(0.5, 0.0, 0.0), quarter);
    assert!((gap(&ring, &ring, &X) - 0.3).abs() < 1e-12, "{}", gap(&ring, &ring, &X));
    // Boxes face to face, edge over edge, corner over face.
    let cube = Shape::RoundedBox(RoundedBox::new(Vector3::repeat(0.5), 0.05).unwrap());
    let face = closest_points(&cube, &cube, &at(1.3, 0.2, 0.1)).unwrap();
    assert!((face.gap - 0.3).abs() < 1e-12 && !face.is_isolated());
    let eighth = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_4);
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2) * eighth;
    let X = Isometry3::from_parts(Translation3::new(2.0, 0.0, 0.0), tilt);
    // Its edge leads along −x: reach √2·0.45 + 0.05 from the centre, against a face at 0.5.
    let want = 2.0 - (0.45 * std::f64::consts::SQRT_2 + 0.05) - 0.5;
    assert!((gap(&cube, &cube, &X) - want).abs() < 1e-12);
}

/// The interval of valid gaps of a ball in a bowl has an upper end, where the ball's centre reaches the bowl's
/// centre of curvature: R − r = 2.5 − 0.5 m for z = 0.2x² + 0.2y² (golden case of the derivation).
#[test]
fn ball_above_a_hollow_is_valid_up_to_its_focal_point() {
    use fingerpad_contact::surface::Graph;
    use fingerpad_contact::surface::graph::{Rectangle, Term};
    let terms = vec![Term { p: 2, q: 0, c: 0.2 }, Term { p: 0, q: 2, c: 0.2 }];
    let bowl = Shape::Graph(Graph::polynomial(terms, Rectangle::PLANE).unwrap());
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let pair = closest_points(&bowl, &ball, &Isometry3::translation(0.0, 0.0, 0.6)).unwrap();
    let valid = pair.validity();
    assert!((valid.max - 2.0).abs() < 1e-6, "{valid:?}");
    assert!(valid.min == f64::NEG_INFINITY || valid.min < -1e6, "a ball in a hollow has no lower end: {valid:?}");
    assert!(pair.is_isolated() && valid.contains(pair.gap));
}

/// A wide ball over a corrugated map rests on crests; as it moves, the closest crest changes. The tracked gap must
/// be the global one at every step, and the change must be reported.
#[test]
fn tracked_points_jump_when_another_place_becomes_closer() {
    use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
    let (n, d) = (81, 0.05);
    let z = (0..n * n).map(|k| 0.1 * (4.0 * std::f64::consts::PI * (k % n) as f64 * d).cos()).collect();
    let grid = Grid { nx: n, ny: n, dx: d, dy: d, x0: 0.0, y0: 0.0 };
    let map = Shape::Elevation(std::sync::Arc::new(
        ElevationMap::new(grid, Samples::F64(z), Interpolation::Quintic).unwrap(),
    ));
    let ball = Shape::Sphere(Sphere::new(0.6).unwrap());
    let pose = |k: usize| Isometry3::translation(1.2 + 0.002 * k as f64, 2.0, 0.72);
    let mut tracker = Tracker::new(&map, &ball, &pose(0)).unwrap();
    let mut jumps = 0;
    for k in 1..800 {
        let event = tracker.update(&map, &ball, &pose(k)).unwrap();
        jumps += usize::from(matches!(event, TrackerEvent::Jumped | TrackerEvent::Lost));
        let fresh = closest_points(&map, &ball, &pose(k)).unwrap();
        assert!((tracker.pair().gap - fresh.gap).abs() < 1e-9, "step {k}: {} {}", tracker.pair().gap, fresh.gap);
    }
    // From x = 1.2 to 2.8 m over crests at multiples of 0.5 m: halfway at 1.25, 1.75, 2.25, 2.75.
    assert_eq!(jumps, 4);
}

/// Following instead of searching: every pair of bounded shapes and grounds along a smooth motion stays on the
/// global answer.
#[test]
fn tracking_agrees_with_searching_along_a_motion() {
    let mut random = Random(8);
    let mut followed = 0;
    let mut all = 0;
    let mut shapes = grounds();
    shapes.extend(bounded_shapes());
    for a in &shapes {
        for b in &bounded_shapes() {
            let bounded = a.as_parametric().is_some() && !matches!(a, Shape::Elevation(_));
            let start = if bounded { Vector3::zeros() } else { above(a) + Vector3::z() * 0.8 };
            let offset = if bounded { random.direction() * 1.2 } else { Vector3::zeros() };
            let (w, v) = (random.vector() * 2.0, random.vector() * 0.3);
            let turn0 = random.rotation();
            let pose = |t: f64| {
                let turn = UnitQuaternion::from_scaled_axis(w * t) * turn0;
                Isometry3::from_parts(Translation3::from(start + offset + v * t), turn)
            };
            let mut tracker = Tracker::new(a, b, &pose(0.0)).unwrap();
            for k in 1..60 {
                let X = pose(0.005 * f64::from(k));
                let event = tracker.update(a, b, &X).unwrap();
                followed += usize::from(event == TrackerEvent::Followed);
                all += 1;
                if k % 6 == 0 {
                    let fresh = closest_points(a, b, &X).unwrap();
                    let what = format!("{} {} step {k}", a.kind(), b.kind());
                    assert!(
                        (tracker.pair().gap - fresh.gap).abs() < 1e-9,
                        "{what}: {} {}",
                        tracker.pair().gap,
                        fresh.gap
                    );
                }
            }
        }
    }
    assert!(followed * 10 > all * 8, "only {followed} of {all} updates were followed");
}

/// Poses with NaN or infinity are refused, by search and by tracker; the tracker's state survives.
#[test]
fn non_finite_poses_are_refused() {
    let shapes = bounded_shapes();
    for a in grounds().iter().chain(&shapes) {
        let b = &shapes[1];
        let good = Isometry3::from_parts(Translation3::from(above(a) + Vector3::z()), UnitQuaternion::identity());
        let mut tracker = Tracker::new(a, b, &good).unwrap();
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let X = Isometry3::translation(bad, 0.0, 1.0);
            assert!(matches!(closest_points(a, b, &X), Err(TrackError::NotFinite { .. })), "{} {bad}", a.kind());
            assert!(tracker.update(a, b, &X).is_err(), "{} {bad}", a.kind());
        }
        let before = tracker.pair().gap;
        tracker.update(a, b, &good).unwrap();
        assert!((tracker.pair().gap - before).abs() < 1e-9);
    }
    let plane = Shape::HalfSpace(HalfSpace);
    let error = closest_points(&plane, &plane, &Isometry3::identity()).unwrap_err();
    assert!(matches!(error, TrackError::Unbounded { .. }), "{error}");
}

/// The proof that a ball rolls freely must never be wrong: on random maps from gentle to rough, wherever a search
/// and the proof answer, they agree; and the proof is not idle.
#[test]
fn balls_found_from_below_are_the_closest_by_brute_force() {
    use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
    let mut random = Random(31);
    let ball = Shape::Sphere(Sphere::new(0.3).unwrap());
    for trial in 0..12 {
        let rough = [0.02, 0.1, 0.3][trial % 3];
        let (n, d) = (40, 0.2);
        let waves: Vec<[f64; 4]> = (0..12)
            .map(|_| {
                [random.between(-4.0, 4.0), random.between(-4.0, 4.0), random.between(0.0, 6.0), rough * random.unit()]
            })
            .collect();
        let h = |x: f64, y: f64| waves.iter().map(|w| w[3] * (w[0] * x + w[1] * y + w[2]).sin()).sum::<f64>();
        let z = (0..n * n).map(|k| h((k % n) as f64 * d, (k / n) as f64 * d)).collect();
        let grid = Grid { nx: n, ny: n, dx: d, dy: d, x0: 0.0, y0: 0.0 };
        let map = std::sync::Arc::new(ElevationMap::new(grid, Samples::F64(z), Interpolation::Quintic).unwrap());
        let ground = Shape::Elevation(map.clone());
        for _ in 0..25 {
            let (x, y) = (random.between(2.0, 5.8), random.between(2.0, 5.8));
            let centre = Point3::new(x, y, map.jet(x, y).unwrap().z + random.between(0.15, 0.6));
            let pair = closest_points(
                &ground,
                &ball,
                &Isometry3::from_parts(centre.coords.into(), UnitQuaternion::identity()),
            )
            .unwrap();
            let mut least = f64::INFINITY;
            for a in -60..=60 {
                for b in -60..=60 {
                    let (u, v) = (x + 0.015 * f64::from(a), y + 0.015 * f64::from(b));
                    let q = Point3::new(u, v, map.jet(u, v).unwrap().z);
                    least = least.min((q - centre).norm());
                }
            }
            // Closer than every sample; a sample lies within 1 cm, lifted by slope.
            assert!(pair.gap <= least - 0.3 + 1e-12, "trial {trial}: {} {least}", pair.gap);
            assert!(pair.gap > least - 0.3 - 0.02, "trial {trial}: {} {least}", pair.gap);
        }
    }
}
