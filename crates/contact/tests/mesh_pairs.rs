//! Smoothed meshes against every shape: a meshed ball or ellipsoid must answer as the ball or ellipsoid does.

mod common;
#[path = "mesh_smooth/meshes.rs"]
mod meshes;

use common::{Random, above, bounded_shapes, grounds};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, TriangleMesh};
use fingerpad_contact::surface::{Ellipsoid, Shape, Sphere, Surface, Torus};
use fingerpad_contact::track::{ContactLimits, ContactSet, Tracker, TrackerEvent, closest_points};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

fn mesh(raw: meshes::Raw) -> Shape {
    let (mesh, warnings) = TriangleMesh::new(raw.p, raw.f).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()))
}

/// Blended quadrics reproduce quadrics: what is left is round-off of the fits, about 1e-9 of the size.
const EXACT: f64 = 1e-7;

/// Meshed ball and ellipsoid against all bounded shapes, apart and overlapping: gap and points of the smooth shape.
#[test]
fn meshed_quadrics_answer_as_quadrics_do() {
    let axes = Vector3::new(0.5, 0.35, 0.25);
    let twins = [
        (mesh(meshes::icosphere(3).scaled(0.4)), Shape::Sphere(Sphere::new(0.4).unwrap())),
        (mesh(meshes::ellipsoid(3, axes)), Shape::Ellipsoid(Ellipsoid::new([0.5, 0.35, 0.25]).unwrap())),
    ];
    let mut random = Random(5);
    for (meshed, smooth) in &twins {
        for other in &bounded_shapes() {
            let mut tested = 0;
            while tested < 4 {
                let X_AB = Isometry3::from_parts(Translation3::from(random.direction() * 1.1), random.rotation());
                let Ok(want) = closest_points(smooth, other, &X_AB) else { continue };
                if want.gap < -0.05 || want.gap > 0.5 || !want.is_isolated() {
                    continue;
                }
                let got = closest_points(meshed, other, &X_AB).unwrap();
                let what = format!("{} {} at {X_AB:?}", smooth.kind(), other.kind());
                assert!((got.gap - want.gap).abs() < EXACT, "{what}: {} {}", got.gap, want.gap);
                assert!((got.p_ACa - want.p_ACa).norm() < 1e-4, "{what}: {}", (got.p_ACa - want.p_ACa).norm());
                let swapped = closest_points(other, meshed, &X_AB.inverse()).unwrap();
                assert!((swapped.gap - want.gap).abs() < EXACT, "{what}, swapped: {} {}", swapped.gap, want.gap);
                tested += 1;
            }
        }
    }
}

/// On half-space, bowl and map; and two meshes against each other.
#[test]
fn meshed_balls_rest_on_grounds_and_on_each_other() {
    let meshed = mesh(meshes::icosphere(3).scaled(0.4));
    let ball = Shape::Sphere(Sphere::new(0.4).unwrap());
    let mut random = Random(6);
    for ground in grounds() {
        for up in [0.8, 0.1, -0.1] {
            let place = above(&ground) + Vector3::new(random.between(-0.5, 0.5), random.between(-0.5, 0.5), up);
            let X_AB = Isometry3::from_parts(Translation3::from(place), random.rotation());
            let (got, want) = (closest_points(&ground, &meshed, &X_AB), closest_points(&ground, &ball, &X_AB).unwrap());
            let got = got.unwrap_or_else(|e| panic!("{}: {e}", ground.kind()));
            assert!((got.gap - want.gap).abs() < EXACT, "{}: {} {}", ground.kind(), got.gap, want.gap);
        }
    }
    for distance in [1.2, 0.81, 0.75] {
        let X_AB = Isometry3::from_parts(Translation3::from(random.direction() * distance), random.rotation());
        let got = closest_points(&meshed, &meshed, &X_AB).unwrap();
        assert!((got.gap - (distance - 0.8)).abs() < EXACT, "{} {distance}", got.gap);
    }
}

/// A meshed ball rolls ten turns over a plane: the gap stays what it is, the contact is one and the same.
#[test]
fn a_meshed_ball_rolls_ten_turns_as_one_contact() {
    let meshed = mesh(meshes::icosphere(3).scaled(0.4));
    let plane = &grounds()[0];
    let pose = |angle: f64| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.8, 0.6, 0.0) * angle);
        Isometry3::from_parts(Translation3::new(0.32 * angle, -0.24 * angle, 0.399), turn)
    };
    let mut tracker = Tracker::new(plane, &meshed, &pose(0.0)).unwrap();
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.1, merge: 1e-3 };
    let mut set = ContactSet::new(plane, &meshed, &pose(0.0), limits).unwrap();
    let steps = 2000;
    for k in 1..=steps {
        let X_AB = pose(20.0 * std::f64::consts::PI * f64::from(k) / f64::from(steps));
        tracker.update(plane, &meshed, &X_AB).unwrap();
        assert!((tracker.pair().gap + 0.001).abs() < EXACT, "step {k}: {}", tracker.pair().gap);
        set.update(plane, &meshed, &X_AB).unwrap();
        let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
        assert_eq!(ids, [0], "step {k}");
    }
}

/// A ball wanders around and through a meshed ring, across its axis too, where the foot jumps to the other side: at every
/// step the gap is that of the true torus (to what 128 columns leave, 0.3 µm of 28 mm, times 10), most steps are
/// followed, and the search agrees whenever it comes.
#[test]
fn a_ball_followed_over_a_meshed_ring_is_always_at_the_nearest_side() {
    let ring = mesh(meshes::torus(128, 0.0, 1.0));
    let true_ring = Torus::new(20.0, 8.0).unwrap();
    let ball = Shape::Sphere(Sphere::new(2.0).unwrap());
    let path = |k: i32| {
        let t = 2e-3 * f64::from(k);
        if k > 9000 {
            // Straight across the axis, 0.02 mm a step.
            return Isometry3::translation(10.0 - 0.02 * f64::from(k - 9000), 1e-3, 1.0);
        }
        // Mostly in the hole and above it, between 1 and 9 mm from the surface.
        Isometry3::translation(9.0 * (0.9 * t).sin(), 7.0 * (1.7 * t).sin(), 10.0 * (0.7 * t).sin())
    };
    let mut tracker = Tracker::new(&ring, &ball, &path(0)).unwrap();
    let mut swapped = Tracker::new(&ball, &ring, &path(0).inverse()).unwrap();
    let (mut followed, mut others) = (0, 0);
    for k in 1..=10_000 {
        let event = tracker.update(&ring, &ball, &path(k)).unwrap();
        followed += usize::from(event == TrackerEvent::Followed);
        others += usize::from(k > 9001 && matches!(event, TrackerEvent::Jumped | TrackerEvent::Lost));
        let want = true_ring.closest_point(&path(k).translation.vector.into()).unwrap().distance - 2.0;
        assert!((tracker.pair().gap - want).abs() < 3e-3, "step {k}, {event:?}: {} {want}", tracker.pair().gap);
        swapped.update(&ball, &ring, &path(k).inverse()).unwrap();
        assert!(
            (swapped.pair().gap - tracker.pair().gap).abs() < 1e-12 && swapped.pair().p_BCb == tracker.pair().p_ACa
        );
    }
    assert!(followed > 9000 && (1..5).contains(&others), "{followed} followed, {others} to the other side");
}

/// Signed distance of the smoothed mesh, inside and outside, near and far.
#[test]
fn distances_of_a_meshed_ellipsoid_are_those_of_the_ellipsoid() {
    let meshed = mesh(meshes::ellipsoid(3, Vector3::new(0.5, 0.35, 0.25)));
    let smooth = Ellipsoid::new([0.5, 0.35, 0.25]).unwrap();
    let mut random = Random(7);
    for _ in 0..300 {
        // Not in the focal region, where two feet are level and facets may prefer the other.
        let p = nalgebra::Point3::from(random.direction() * random.between(0.3, 3.0));
        let (got, want) = (meshed.closest_point(&p).unwrap(), smooth.closest_point(&p).unwrap());
        assert!((got.distance - want.distance).abs() < EXACT, "{p}: {} {}", got.distance, want.distance);
    }
}
