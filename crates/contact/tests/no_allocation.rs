//! Following a pair of surfaces allocates nothing: counted by the allocator itself.

mod allocations;
mod common;
#[path = "mesh_smooth/meshes.rs"]
mod meshes;

use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, TriangleMesh};
use fingerpad_contact::surface::{Cylinder, Ellipsoid, HalfSpace, RoundedBox, Shape, Sphere};
use fingerpad_contact::track::{ContactLimits, ContactSet, Tracker, TrackerEvent, rates};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

fn allocations_while_following(a: &Shape, b: &Shape, pose: impl Fn(f64) -> Isometry3<f64>) -> (u64, u32) {
    let mut tracker = Tracker::new(a, b, &pose(0.0)).unwrap();
    let mut followed = 0;
    let mut counted = 0;
    for k in 1..500 {
        let X_AB = pose(1e-3 * f64::from(k));
        let before = allocations::count();
        let event = tracker.update(a, b, &X_AB).unwrap();
        let V = fingerpad_contact::spatial::SpatialVelocity::new(Vector3::x(), Vector3::y());
        std::hint::black_box(rates(tracker.pair(), &X_AB, &V));
        if event == TrackerEvent::Followed {
            counted += allocations::count() - before;
            followed += 1;
        }
    }
    (counted, followed)
}

/// Ellipsoids, a ball on a map (into new blocks as well), on a mesh, boxes through the general path.
#[test]
fn following_does_not_allocate() {
    let turn = |t: f64| UnitQuaternion::from_scaled_axis(Vector3::new(1.0, 0.4, -0.6) * t);
    let at = |p: Vector3<f64>, t: f64| Isometry3::from_parts(Translation3::from(p), turn(t));
    let ellipsoid = Shape::Ellipsoid(Ellipsoid::new([0.5, 0.35, 0.25]).unwrap());
    let ball = Shape::Sphere(Sphere::new(0.4).unwrap());
    let cube = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.4, 0.3, 0.2), 0.06).unwrap());
    let map = &common::grounds()[2];
    let middle = common::above(map);
    let raw = meshes::torus(64, 0.0, 1.0).scaled(0.01);
    let (mesh, _) = TriangleMesh::new(raw.p, raw.f).unwrap();
    let ring = Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()));
    let bead = Shape::Sphere(Sphere::new(0.03).unwrap());
    let cases = [
        allocations_while_following(&ellipsoid, &ellipsoid, |t| at(Vector3::new(0.8 - 0.2 * t, 0.1, 0.0), t)),
        allocations_while_following(map, &ball, |t| at(middle + Vector3::new(4.0 * t - 1.0, t, 0.1), t)),
        allocations_while_following(&cube, &cube, |t| at(Vector3::new(1.1, 0.1 * t, 0.2), t)),
        allocations_while_following(&ring, &bead, |t| {
            at(Vector3::new(0.2, 0.0, 0.11), 0.0) * at(Vector3::new(0.0, 0.05 * t, 0.0), t)
        }),
        allocations_while_following(&ball, &cube, |t| at(Vector3::new(1.1, 0.1 * t, 0.2), t)),
    ];
    for (k, (allocations, followed)) in cases.into_iter().enumerate() {
        assert!(followed > 450, "case {k}: only {followed} steps followed");
        assert_eq!(allocations, 0, "case {k}");
    }
    // The counter counts.
    let before = allocations::count();
    std::hint::black_box(vec![1_u8; 100]);
    assert!(allocations::count() > before);
}

/// Site, patch, law and wrench allocate nothing, sticking and slipping, live patches and constants.
#[test]
fn contact_laws_do_not_allocate() {
    use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Memory, Mode, Stiffness};
    use fingerpad_contact::material::{Material, Theory, pair};
    use fingerpad_contact::site::ContactSite;
    use fingerpad_contact::spatial::SpatialVelocity;
    let rubber = Material::elastic(1e6, 0.45).unwrap();
    let theory = pair(&rubber, &rubber, Theory::Auto).unwrap().theory;
    let egg = Shape::Ellipsoid(Ellipsoid::new([0.03, 0.02, 0.015]).unwrap());
    let still = SpatialVelocity::zero();
    let X_WB = Isometry3::translation(0.0, 1e-3, 0.0297);
    let found = fingerpad_contact::track::closest_points(&egg, &egg, &X_WB).unwrap();
    let mut modes = [0; 2];
    for stiffness in [
        Stiffness::Patch(theory),
        Stiffness::Constants(Constants { k: 1e6, n: 1.5, k_t: 1e4, k_theta: 0.05, e_n: 2e-3 }),
    ] {
        let law = ContactLaw {
            stiffness,
            damping: Damping { hunt_crossley: 0.2, tangential: 0.1, ..Damping::default() },
            friction: Friction::Coulomb { mu: 0.5 },
            partial: None,
        };
        let mut memory = Memory::default();
        // The first look into the table of patches makes it.
        let V = SpatialVelocity::new(Vector3::new(0.1, 0.2, 1.0), Vector3::new(0.05, 0.02, 0.0));
        let site = ContactSite::new(&found, &Isometry3::identity(), &still, &X_WB, &V, 0.5);
        law.advance(&site, &mut memory, 1e-3).unwrap();
        let before = allocations::count();
        for k in 0..200 {
            let V = SpatialVelocity::new(V.w, V.v * (f64::from(k) * 0.1).sin());
            let site = ContactSite::new(&found, &Isometry3::identity(), &still, &X_WB, &V, 0.5);
            let response = law.advance(&site, &mut memory, 1e-3).unwrap();
            modes[usize::from(response.mode == Mode::Slip)] += 1;
            std::hint::black_box(law.respond(&site, &memory).unwrap());
            std::hint::black_box(law.tangent(&site, &memory, 1e-3).unwrap());
        }
        assert_eq!(allocations::count() - before, 0);
    }
    assert!(modes[0] > 10 && modes[1] > 10, "{modes:?}");
}

/// Boxes and cylinders that rock on a plane and on a box, from face to edge and back: after one round nothing allocates.
#[test]
fn faces_and_corners_do_not_allocate() {
    let floor = Shape::HalfSpace(HalfSpace);
    let cube = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.4, 0.3, 0.2), 0.02).unwrap());
    let can = Shape::Cylinder(Cylinder::new(0.2, 0.2, 0.02).unwrap());
    for (a, b, height) in [(&floor, &cube, 0.2), (&floor, &can, 0.2), (&cube, &can, 0.4), (&cube, &cube, 0.4)] {
        let pose = |k: i32| {
            let tilt = 0.07 * (0.05 * f64::from(k)).sin();
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3 * tilt, tilt, 1e-3 * f64::from(k % 120)));
            Isometry3::from_parts(Translation3::new(0.05, 0.02, height - 1e-3 + 0.1 * tilt.abs()), turn)
        };
        let limits = ContactLimits { birth: 1e-3, death: 2e-3, look_ahead: 0.02, merge: 1e-4 };
        let mut set = ContactSet::new(a, b, &pose(0), limits).unwrap();
        let (mut counted, mut searched, mut with_face, mut with_points) = (0, 0, 0, 0);
        for k in 1..=1500 {
            let X_AB = pose(k);
            let before = allocations::count();
            let changes = set.update(a, b, &X_AB).unwrap();
            for face in set.faces() {
                std::hint::black_box(face.pressed());
            }
            // A face contact that begins brings its own memory; the first round is warm-up.
            let began = changes.born > 0 && !set.faces().is_empty();
            searched += usize::from(changes.searched);
            if k > 130 && !began && !changes.searched {
                counted += allocations::count() - before;
            }
            with_face += usize::from(!set.faces().is_empty());
            with_points += usize::from(!set.contacts().is_empty());
        }
        assert!(with_face > 300 && with_points > 100, "{} {}: {with_face} {with_points}", a.kind(), b.kind());
        assert_eq!(counted, 0, "{} {}", a.kind(), b.kind());
        // Once or twice where a face ends.
        assert!(searched < 100, "{} {}: {searched}", a.kind(), b.kind());
    }
}

/// Four contacts between two meshes, followed: nothing is allocated but by searches.
#[test]
fn contacts_between_meshes_do_not_allocate() {
    let mesh = |raw: meshes::Raw| {
        let (mesh, _) = TriangleMesh::new(raw.p, raw.f).unwrap();
        Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()))
    };
    let (dome, feet) = (mesh(meshes::ellipsoid(3, Vector3::new(1.0, 1.0, 0.4))), mesh(meshes::feet(4, 0.2)));
    let mut height = 0.7;
    for _ in 0..30 {
        let at = Isometry3::translation(0.0, 0.0, height);
        height -= fingerpad_contact::track::closest_points(&dome, &feet, &at).unwrap().gap + 1e-3;
    }
    let pose = |k: i32| Isometry3::new(Vector3::new(0.0, 0.0, height), Vector3::z() * (1e-3 * f64::from(k)));
    let limits = ContactLimits { birth: 0.0, death: 2e-3, look_ahead: 0.02, merge: 1e-3 };
    let mut set = ContactSet::new(&dome, &feet, &pose(0), limits).unwrap();
    let (mut counted, mut followed) = (0, 0);
    for k in 1..300 {
        let X_AB = pose(k);
        let before = allocations::count();
        let changes = set.update(&dome, &feet, &X_AB).unwrap();
        let after = allocations::count();
        assert_eq!(set.contacts().len(), 4, "step {k}");
        if !changes.searched {
            counted += after - before;
            followed += 1;
        }
    }
    assert!(followed > 250, "{followed}");
    assert_eq!(counted, 0);
}
