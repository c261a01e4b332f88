//! Smoothed meshes against every shape: a meshed ball or ellipsoid must answer as the ball or ellipsoid does.

mod common;
#[path = "mesh_smooth/meshes.rs"]
mod meshes;
#[path = "common/skipped.rs"]
mod skipped;

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

/// A ball with four feet, on a meshed dome that is an exact ellipsoid: four contacts at once. Turned about the axis they
/// stay equal by symmetry; everywhere each gap is the distance of Cb from the ellipsoid itself; no one is lost or doubled,
/// lifted they go, lowered they come again with new names.
#[test]
fn four_feet_on_a_dome_are_four_contacts_that_last() {
    let axes = Vector3::new(1.0, 1.0, 0.4);
    let dome = mesh(meshes::ellipsoid(4, axes));
    let true_dome = Ellipsoid::new([1.0, 1.0, 0.4]).unwrap();
    let feet = mesh(meshes::feet(4, 0.2));
    let pose = |x: f64, y: f64, z: f64, turn: f64| {
        Isometry3::from_parts(Translation3::new(x, y, z), UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn))
    };
    // Down to 1 mm deep.
    let touching = |set: &ContactSet| set.contacts().iter().map(|c| c.pair.gap).fold(f64::INFINITY, f64::min);
    let limits = ContactLimits { birth: 0.0, death: 2e-3, look_ahead: 0.02, merge: 1e-3 };
    let high = ContactLimits { birth: 0.3, death: 0.4, ..limits };
    let above = ContactSet::new(&dome, &feet, &pose(0.0, 0.0, 0.6, 0.0), high).unwrap();
    // The gap is measured along tilted normals: go down by secants.
    let (mut z, mut gap) = (0.6, touching(&above));
    for _ in 0..20 {
        z -= gap + 1e-3;
        gap = touching(&ContactSet::new(&dome, &feet, &pose(0.0, 0.0, z, 0.0), high).unwrap());
    }
    assert!((gap + 1e-3).abs() < 1e-6, "{gap}");

    let mut set = ContactSet::new(&dome, &feet, &pose(0.0, 0.0, z, 0.0), limits).unwrap();
    assert_eq!(set.contacts().len(), 4);
    let mut searched = 0;
    for k in 1..=400 {
        // Turning first, then wandering by less than the depth allows.
        let t = 0.004 * f64::from(k);
        let wander = 1e-3 * (0.1 * f64::from((k - 200).max(0))).sin();
        let X_AB = pose(wander, -0.5 * wander, z, t);
        searched += usize::from(set.update(&dome, &feet, &X_AB).unwrap().searched);
        let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
        assert_eq!(ids, [0, 1, 2, 3], "step {k}");
        for (i, contact) in set.contacts().iter().enumerate() {
            let truth = true_dome.closest_point(&(X_AB * contact.pair.p_BCb)).unwrap();
            assert!((truth.distance - contact.pair.gap).abs() < EXACT, "{} {}", truth.distance, contact.pair.gap);
            if k <= 200 {
                // The mesh of the feet is not symmetric; what its smoothing differs by is below a hundredth of an edge.
                assert!((contact.pair.gap + 1e-3).abs() < 1e-4, "step {k}: {}", contact.pair.gap);
            }
            for other in &set.contacts()[..i] {
                assert!((other.pair.p_ACa - contact.pair.p_ACa).norm() > 0.05, "kept apart");
            }
        }
    }
    assert!(searched < 60, "{searched} searches over 0.4 m of the feet's path");
    let changes = set.update(&dome, &feet, &pose(0.0, 0.0, z + 0.01, 1.6)).unwrap();
    assert!(set.contacts().is_empty() && changes.dropped == 4);
    set.update(&dome, &feet, &pose(0.0, 0.0, z, 1.6)).unwrap();
    let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
    assert_eq!(ids, [4, 5, 6, 7]);
}

/// A meshed ball rolls ten turns over a meshed plate: one contact, gap and place as for a ball on a plane.
#[test]
fn a_meshed_ball_rolls_ten_turns_over_a_meshed_plate() {
    let ball = mesh(meshes::icosphere(3).scaled(0.04));
    let plate = mesh(meshes::block(3.0, 0.6, 0.2, 16));
    let pose = |angle: f64| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.1, 0.99, 0.0).normalize() * angle);
        Isometry3::from_parts(Translation3::new(0.2 + 0.0398 * angle, 0.3 - 0.004 * angle, 0.2395), turn)
    };
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.01, merge: 1e-4 };
    let mut set = ContactSet::new(&plate, &ball, &pose(0.0), limits).unwrap();
    let mut tracker = Tracker::new(&plate, &ball, &pose(0.0)).unwrap();
    let steps = 2000;
    for k in 1..=steps {
        let X_AB = pose(20.0 * std::f64::consts::PI * f64::from(k) / f64::from(steps));
        set.update(&plate, &ball, &X_AB).unwrap();
        tracker.update(&plate, &ball, &X_AB).unwrap();
        let [contact] = set.contacts() else { panic!("step {k}: {:?}", set.contacts()) };
        assert_eq!(contact.id, 0, "step {k}");
        for pair in [&contact.pair, tracker.pair()] {
            assert!((pair.gap + 5e-4).abs() < EXACT, "step {k}: {}", pair.gap);
            assert!((pair.p_ACa - X_AB.translation.vector).coords.xy().norm() < 1e-4, "step {k}: {}", pair.p_ACa);
        }
    }
}

/// A scanned object rolls ten turns on a plane: the gap changes no faster than the body moves, it is the lowest vertex up to
/// what smoothing displaces, and contacts of the set are apart and cover the lowest place.
#[test]
#[ignore = "the single tracker is up to 0.11 mm above the deepest place where 0.02 mm is asked; the set is exact to 1e-15 m"]
fn a_scanned_object_rolls_ten_turns() {
    let Some(path) = skipped::asset("objects/ycb/tennis_ball.obj") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let raw = meshes::from_obj(&text);
    let (mesh, _) = TriangleMesh::new(raw.p, raw.f).unwrap();
    let surface = MeshSurface::new(mesh, &SmoothOptions::default()).unwrap();
    let (centre, size) = (surface.bounds().centre(), surface.bounds().radius());
    let vertices = surface.solid().mesh().vertices().to_vec();
    // Displacement by smoothing, p95 of this scan (tests/mesh_smooth.rs prints it), doubled.
    let displaced = 4e-4;
    let (plane, body) = (&grounds()[0], Shape::Mesh(Arc::new(surface)));
    let lowest =
        |turn: &UnitQuaternion<f64>| vertices.iter().map(|p| (turn * (p - centre)).z).fold(f64::INFINITY, f64::min);
    // Rolled so that the lowest vertex is 0.5 mm below the plane, from a first guess of an even ball.
    let pose = |angle: f64| {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.6, 0.8, 0.0) * angle);
        let p = turn * centre;
        let height = -lowest(&turn) - 1e-3;
        Isometry3::from_parts(Translation3::new(0.8 * angle * 0.033 - p.x, -p.y, height - p.z), turn)
    };
    let limits = ContactLimits { birth: 0.0, death: 5e-4, look_ahead: 3e-3, merge: 5e-4 };
    let mut tracker = Tracker::new(plane, &body, &pose(0.0)).unwrap();
    let mut set = ContactSet::new(plane, &body, &pose(0.0), limits).unwrap();
    let (steps, mut last, mut worst) = (4000, tracker.pair().gap, [0.0_f64; 2]);
    for k in 1..=steps {
        let (before, now) = (
            pose(20.0 * std::f64::consts::PI * f64::from(k - 1) / f64::from(steps)),
            pose(20.0 * std::f64::consts::PI * f64::from(k) / f64::from(steps)),
        );
        tracker.update(plane, &body, &now).unwrap();
        let gap = tracker.pair().gap;
        assert!((gap + 1e-3).abs() < displaced, "step {k}: {gap}");
        let moved = (now.translation.vector - before.translation.vector).norm()
            + now.rotation.angle_to(&before.rotation) * (centre.coords.norm() + size);
        assert!((gap - last).abs() <= moved, "step {k}: {gap} {last} {moved}");
        last = gap;
        set.update(plane, &body, &now).unwrap();
        let contacts = set.contacts();
        assert!(!contacts.is_empty(), "step {k}: lost");
        let deepest = contacts.iter().map(|c| c.pair.gap).fold(f64::INFINITY, f64::min);
        worst = [worst[0].max(deepest - gap), worst[1].max(gap - deepest)];
        assert!((deepest + 1e-3).abs() < displaced, "step {k}: {deepest}");
        for (i, one) in contacts.iter().enumerate() {
            assert!(contacts[..i].iter().all(|o| (o.pair.p_ACa - one.pair.p_ACa).norm() > limits.merge), "step {k}");
        }
    }
    // Between searches a lower place can grow out of a slope unseen (decision 0005, "not proven"), by the tracker or by
    // the set, whichever searches later: 4 and 15 µm here, of 66 mm.
    assert!(worst.iter().all(|off| *off < 2e-5), "{worst:?}");
}
