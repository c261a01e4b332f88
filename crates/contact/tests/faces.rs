//! Face on face: overlap regions against closed forms and sums, and the switch between faces and points.

mod common;
#[path = "mesh_smooth/meshes.rs"]
mod meshes;

use common::Random;
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, SurfaceChoice, TriangleMesh};
use fingerpad_contact::surface::{Capsule, Cylinder, HalfSpace, RoundedBox, Shape};
use fingerpad_contact::track::faces::{Outline, angle_between};
use fingerpad_contact::track::{ContactLimits, ContactSet, Face, FaceContact, faces_of};
use nalgebra::{Isometry3, Matrix2, Point2, Point3, Translation3, UnitQuaternion, Vector2, Vector3};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, SQRT_2};
use std::sync::Arc;

const EDGE: f64 = 0.01;

fn plane() -> Shape {
    Shape::HalfSpace(HalfSpace)
}

/// A box whose flat faces have these half sides (m).
fn block(x: f64, y: f64, z: f64) -> Shape {
    Shape::RoundedBox(RoundedBox::new(Vector3::new(x, y, z).add_scalar(EDGE), EDGE).unwrap())
}

/// A cylinder whose caps have this radius (m).
fn can(radius: f64, half_length: f64) -> Shape {
    Shape::Cylinder(Cylinder::new(radius + EDGE, half_length, EDGE).unwrap())
}

fn mesh(raw: meshes::Raw, fillet: f64) -> Shape {
    surface(raw, fillet, SurfaceChoice::Smooth)
}

fn surface(raw: meshes::Raw, fillet: f64, surface: SurfaceChoice) -> Shape {
    let (mesh, warnings) = TriangleMesh::new(raw.p, raw.f).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let options = SmoothOptions { fillet_radius: Some(fillet), surface, ..Default::default() };
    Shape::Mesh(Arc::new(MeshSurface::new(mesh, &options).unwrap()))
}

/// A block 1 × 0.8 × 0.6 m around the origin.
fn cube(n: u32) -> meshes::Raw {
    let mut raw = meshes::block(1.0, 0.8, 0.6, n);
    raw.p.iter_mut().for_each(|p| *p -= Vector3::new(0.5, 0.4, 0.3));
    raw
}

/// The face of a shape whose normal is along `n`.
fn face(shape: &Shape, n: Vector3<f64>) -> Face {
    faces_of(shape).into_iter().find(|f| (f.nhat() - n).norm() < 1e-9).unwrap()
}

fn up(z: f64) -> Isometry3<f64> {
    Isometry3::translation(0.0, 0.0, z)
}

fn turn(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(axis.normalize() * angle)
}

/// Top of A against bottom of B.
fn stacked(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Option<FaceContact> {
    FaceContact::between(&face(a, Vector3::z()), &face(b, -Vector3::z()), X_AB, 0.05)
}

/// Two squares of side 2, one turned by 45°, share a regular octagon: area 8(√2 − 1), second moment A(6R² − s²)/24 with
/// side s and circumradius R (textbooks).
#[test]
fn squares_turned_by_45_degrees_share_a_regular_octagon() {
    let square = block(1.0, 1.0, 0.3);
    let X_AB = Isometry3::from_parts(up(0.62).translation, turn(Vector3::z(), FRAC_PI_4));
    let contact = stacked(&square, &square, &X_AB).unwrap();
    let area = 8.0 * (SQRT_2 - 1.0);
    assert!((contact.area - area).abs() < 1e-14, "{}", contact.area);
    let (side, R2) = (2.0 * (SQRT_2 - 1.0), 1.0 + (SQRT_2 - 1.0).powi(2));
    let want = area * (6.0 * R2 - side * side) / 24.0;
    assert!((contact.second - Matrix2::identity() * want).norm() < want * 1e-14);
    assert!((contact.pair.gap).abs() < 1e-15 && contact.tilt.norm() < 1e-15);
    assert_eq!(contact.region.pieces()[0].corners().len(), 8);
    assert!((contact.X_AC().translation.vector - Vector3::new(0.0, 0.0, 0.31)).norm() < 1e-14);
}

/// Two caps side by side share a lens: the textbook area r² acos(d/2r)·2 − d/2 √(4r² − d²), and with different radii
/// the formula with both half angles.
#[test]
fn discs_share_a_lens() {
    for (r, s, d) in [(1.0, 1.0, 0.7), (1.0, 0.6, 0.9), (0.5, 1.2, 0.75), (1.0, 0.4, 0.3), (1.0, 1.0, 0.0)] {
        let (a, b) = (can(r, 0.2), can(s, 0.3));
        let X_AB = Isometry3::from_parts(Translation3::new(0.6 * d, 0.8 * d, 0.5), turn(Vector3::z(), 0.3));
        let contact = stacked(&a, &b, &X_AB).unwrap();
        let want = if d <= (r - s).abs() {
            PI * r.min(s).powi(2)
        } else {
            let alpha = ((d * d + r * r - s * s) / (2.0 * d * r)).acos();
            let beta = ((d * d + s * s - r * r) / (2.0 * d * s)).acos();
            r * r * (alpha - 0.5 * (2.0 * alpha).sin()) + s * s * (beta - 0.5 * (2.0 * beta).sin())
        };
        assert!((contact.area - want).abs() < 1e-13, "{r} {s} {d}: {} {want}", contact.area);
        // On the line of centres.
        let c = contact.pair.p_ACa;
        assert!((c.x * 0.8 - c.y * 0.6).abs() < 1e-14, "{c}");
    }
    assert!(stacked(&can(1.0, 0.2), &can(0.5, 0.3), &Isometry3::translation(1.51, 0.0, 0.5)).is_none());
}

/// A cap over the edge and over the corner of a box: half and quarter disc, with their textbook centroids 4r/3π and
/// moments about them.
#[test]
fn a_disc_on_an_edge_and_on_a_corner() {
    let (table, cap) = (block(2.0, 2.0, 0.5), can(0.4, 0.3));
    let r: f64 = 0.4;
    let half = stacked(&table, &cap, &Isometry3::translation(2.0, 0.3, 0.81)).unwrap();
    assert!((half.area - 0.5 * PI * r * r).abs() < 1e-14);
    let off = 4.0 * r / (3.0 * PI);
    assert!((half.pair.p_ACa - Point3::new(2.0 - off, 0.3, 0.51)).norm() < 1e-14);
    let (along, across) = (PI / 8.0 * r.powi(4), PI / 8.0 * r.powi(4) - half.area * off * off);
    // E_A is (x, y) for the normal +z.
    assert!((half.second - Matrix2::new(across, 0.0, 0.0, along)).norm() < 1e-15, "{}", half.second);
    let quarter = stacked(&table, &cap, &Isometry3::translation(2.0, -2.0, 0.81)).unwrap();
    assert!((quarter.area - 0.25 * PI * r * r).abs() < 1e-14);
    assert!((quarter.pair.p_ACa - Point3::new(2.0 - off, -2.0 + off, 0.51)).norm() < 1e-14);
    let xy = -r.powi(4) / 8.0 + quarter.area * off * off;
    assert!((quarter.second[(0, 1)] - xy).abs() < 1e-15, "{} {xy}", quarter.second);
    // Beyond the corner, within its circle: nothing shared.
    assert!(stacked(&table, &cap, &Isometry3::translation(2.3, 2.3, 0.81)).is_none());
}

/// One random point in every cell of a grid, as the judge of any region: area, first and second moments, pressed volume
/// and moment.
fn brute(contact: &FaceContact, reach: f64, n: i32) -> (f64, Vector2<f64>, Matrix2<f64>, f64, Vector2<f64>) {
    let (cell, mut area) = (2.0 * reach / f64::from(n), 0.0);
    let mut random = Random(77);
    let (mut first, mut second) = (Vector2::zeros(), Matrix2::zeros());
    let (mut volume, mut moment) = (0.0, Vector2::zeros());
    for i in 0..n {
        for j in 0..n {
            let x = Vector2::new(f64::from(i) + random.unit(), f64::from(j) + random.unit()) * cell
                - Vector2::repeat(reach);
            if contact.region.distance(&x.into()) > 0.0 {
                continue;
            }
            let dA = cell * cell;
            area += dA;
            first += x * dA;
            second += x * x.transpose() * dA;
            let depth = (-contact.gap_at(&x.into())).max(0.0);
            volume += depth * dA;
            moment += x * (depth * dA);
        }
    }
    (area, first, second, volume, moment)
}

/// Random stacks of boxes and cylinders, tilted within the limit: areas, moments and pressed integrals against one random
/// point in each of 400 × 400 cells (only the few hundred cells on the boundary err, each by half of itself at random:
/// 0.5·√400·cell² = 6e-4 m² once, 0.2 % of typical areas), the points of the region against both bodies' own outlines,
/// the gap against rays through both planes.
#[test]
fn random_overlaps_agree_with_sums_over_cells() {
    let mut random = Random(11);
    let mut seen = 0;
    while seen < 60 {
        let pick = |random: &mut Random| match random.bits() % 2 {
            0 => block(random.between(0.2, 1.0), random.between(0.2, 1.0), 0.3 - EDGE),
            _ => can(random.between(0.2, 1.0), 0.3),
        };
        let (a, b) = (pick(&mut random), pick(&mut random));
        let tilt =
            turn(Vector3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0), random.between(0.0, 0.04));
        let place = Translation3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.59);
        let X_AB = Isometry3::from_parts(place, tilt * turn(Vector3::z(), random.between(-3.0, 3.0)));
        let Some(contact) = stacked(&a, &b, &X_AB) else { continue };
        if contact.area < 0.1 {
            continue;
        }
        seen += 1;
        let (area, first, second, volume, moment) = brute(&contact, 1.5, 400);
        assert!((area - contact.area).abs() < 2e-3, "{area} {}", contact.area);
        assert!(first.norm() < 2e-3, "centroid at 0: {first}");
        assert!((second - contact.second).norm() < 3e-3, "{second} {}", contact.second);
        let pressed = contact.pressed();
        assert!((volume - pressed.volume).abs() < 1e-2 * volume + 1e-5, "{volume} {pressed:?}");
        assert!((moment - pressed.moment).norm() < 1e-2 * volume + 1e-5, "{moment} {pressed:?}");

        let (top, bottom) = (face(&a, Vector3::z()), face(&b, -Vector3::z()));
        for _ in 0..50 {
            let x = Vector2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
            let p = contact.X_AC() * Point3::new(x.x, x.y, 0.0);
            let n = contact.pair.nhat_AB_A;
            // Rays along the normal through both planes.
            let to = |n_face: Vector3<f64>, at: Point3<f64>| n_face.dot(&(at - p)) / n_face.dot(&n);
            let z_A = to(top.nhat(), top.X_SF.translation.vector.into());
            let z_B = to(X_AB.rotation * bottom.nhat(), X_AB * Point3::from(bottom.X_SF.translation.vector));
            assert!((z_B - z_A - contact.gap_at(&x.into())).abs() < 1e-13);
            // Places are those of both outlines, but for the turn into the middle plane (2e-4).
            let within = |face: &Face, p: Point3<f64>| {
                let q: Point2<f64> = face.X_SF.inverse_transform_point(&p).xy();
                match &face.outline {
                    Outline::Disc(r) => q.coords.norm() - r,
                    Outline::Polygon(pieces) => {
                        let c = pieces[0].corners();
                        (q.x.abs() - c[1].x.abs()).max(q.y.abs() - c[2].y.abs())
                    }
                    Outline::Infinite => -1.0,
                }
            };
            let beyond = within(&top, p).max(within(&bottom, X_AB.inverse_transform_point(&p)));
            let inside = contact.region.distance(&x.into()) == 0.0;
            assert!(beyond.abs() < 1e-3 || inside == (beyond < 0.0), "{beyond} {inside}");
        }
    }
}

/// A stiffness per area over a square pressed in evenly, and tilted just so that one edge lifts: force and moment of a
/// wedge in closed form.
#[test]
fn pressed_integrals_of_a_square_are_those_of_a_slab_and_a_wedge() {
    let (floor, cube) = (plane(), block(0.5, 0.5, 0.5));
    let ground = &faces_of(&floor)[0];
    let even = FaceContact::between(ground, &face(&cube, -Vector3::z()), &up(0.509), 0.05).unwrap();
    let pressed = even.pressed();
    assert!((pressed.area - 1.0).abs() < 1e-14 && (pressed.volume - 0.001).abs() < 1e-15);
    assert!(pressed.moment.norm() < 1e-16);
    // Turned about y by α: depth 0 in the middle, so a wedge over half the square; along the cube's face it deepens by sin α.
    let alpha = 0.01;
    let X = Isometry3::from_parts(up(0.51 * f64::cos(alpha)).translation, turn(Vector3::y(), alpha));
    let wedge = FaceContact::between(ground, &face(&cube, -Vector3::z()), &X, 0.05).unwrap();
    let slope = alpha.sin();
    let (tilt, pressed) = (wedge.tilt, wedge.pressed());
    assert!((tilt.norm() - slope).abs() < 1e-12 && (wedge.area - 1.0).abs() < 1e-14);
    let shift = wedge.pair.gap / slope;
    let half = 0.5 - shift;
    assert!((pressed.area - half).abs() < 1e-9 && (pressed.volume - 0.5 * slope * half * half).abs() < 1e-12);
    let arm = pressed.moment.norm() / pressed.volume;
    assert!((arm - (0.5 - half / 3.0)).abs() < 1e-9, "a third of the wedge from its deep end: {arm}");
    assert!((wedge.least_gap() + slope * half).abs() < 1e-12);
}

/// Exchanging the bodies, and moving both, changes nothing but the frame.
#[test]
fn exchange_and_common_motion_do_not_matter() {
    let mut random = Random(3);
    for k in 0..40 {
        let (a, b) = (block(0.6, 0.4, 0.2), if k % 2 == 0 { can(0.3, 0.2) } else { block(0.2, 0.5, 0.1) });
        let height = 0.21 + if k % 2 == 0 { 0.2 } else { 0.11 };
        let tilt = turn(random.direction(), 0.02) * turn(Vector3::z(), random.between(-3.0, 3.0));
        let X_AB = Isometry3::from_parts(Translation3::new(0.3, random.between(-0.4, 0.4), height), tilt);
        let limits = ContactLimits::for_size(0.3);
        let limits = ContactLimits { birth: 0.02, death: 0.03, ..limits };
        let one = ContactSet::new(&a, &b, &X_AB, limits).unwrap();
        let two = ContactSet::new(&b, &a, &X_AB.inverse(), limits).unwrap();
        let X_W = random.pose(5.0);
        let moved = ContactSet::new(&a, &b, &(X_W.inverse() * (X_W * X_AB)), limits).unwrap();
        assert_eq!([one.faces().len(), two.faces().len(), moved.faces().len()], [1; 3], "{k}");
        assert!(one.contacts().is_empty() && two.contacts().is_empty());
        let (f, g, h) = (&one.faces()[0], &two.faces()[0], &moved.faces()[0]);
        let trace = |f: &FaceContact| [f.area, f.second.trace(), f.second.determinant(), f.pair.gap, f.tilt.norm()];
        for (x, y) in trace(f).into_iter().zip(trace(g)).chain(trace(f).into_iter().zip(trace(h))) {
            assert!((x - y).abs() < 1e-13, "{k}: {:?} {:?} {:?}", trace(f), trace(g), trace(h));
        }
        assert!((f.pair.p_ACa - g.pair.p_BCb).norm() < 1e-13 && (f.pair.p_BCb - g.pair.p_ACa).norm() < 1e-13);
        let pressed = |f: &FaceContact| [f.pressed().area, f.pressed().volume, f.pressed().moment.norm()];
        for (x, y) in pressed(f).into_iter().zip(pressed(g)) {
            assert!((x - y).abs() < 1e-13, "{k}");
        }
    }
}

/// A box rocks on a plane over the limit of the angle and back, ten times, with a shake of 0.1° on top: one face below,
/// the two ends of its edge above; every change of kind once per crossing, identities kept between.
#[test]
fn a_rocking_box_changes_between_face_and_edge_once_per_crossing() {
    let (floor, cube) = (plane(), block(0.5, 0.4, 0.3));
    let limits = ContactLimits { birth: 1e-3, death: 2e-3, look_ahead: 0.02, merge: 1e-3 };
    // Turned about y by `angle`, the lower edge kept 1 mm below the plane.
    let pose = |angle: f64| {
        let low = 0.5 * angle.abs().sin() + 0.3 * angle.cos() + EDGE;
        Isometry3::from_parts(up(low - 1e-3).translation, turn(Vector3::y(), angle))
    };
    let mut set = ContactSet::new(&floor, &cube, &pose(0.0), limits).unwrap();
    assert_eq!((set.faces().len(), set.contacts().len()), (1, 0));
    let mut random = Random(4);
    let (mut switches, mut before) = (0, vec![set.faces()[0].id]);
    for k in 0..2000 {
        let angle = (4.0 * (f64::from(k) * PI / 100.0).sin() + random.between(-0.1, 0.1)).to_radians();
        set.update(&floor, &cube, &pose(angle)).unwrap();
        let now: Vec<u64> = set.faces().iter().map(|f| f.id).chain(set.contacts().iter().map(|c| c.id)).collect();
        match (set.faces().len(), set.contacts().len()) {
            (1, 0) => assert!(angle.abs() <= 2.5_f64.to_radians() + 1e-9, "face at {angle}"),
            (0, 2) => {
                assert!(angle.abs() > 2.0_f64.to_radians() - 1e-9, "edge at {angle}");
                let [one, two] = set.contacts() else { unreachable!() };
                assert!((one.pair.gap + 1e-3).abs() < 1e-12 && (two.pair.gap + 1e-3).abs() < 1e-12);
                assert!(
                    (one.pair.p_ACa - two.pair.p_ACa - Vector3::y() * (one.pair.p_ACa.y - two.pair.p_ACa.y)).norm()
                        < 1e-12
                );
                assert!(((one.pair.p_ACa.y - two.pair.p_ACa.y).abs() - 0.8).abs() < 1e-12);
            }
            other => panic!("step {k}, {} rad: {other:?}", angle),
        }
        switches += usize::from(now != before);
        before = now;
    }
    // Twenty half waves, up and down.
    assert_eq!(switches, 40);
}

/// A box on a larger box: one contact, with the area of the upper face; pushed over the edge, what is left of it; no
/// contacts of flanks, though they overlap by the depth.
#[test]
fn a_box_on_a_box_has_one_face_contact() {
    let (table, cube) = (block(0.5, 0.5, 0.2), block(0.1, 0.15, 0.1));
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.02, merge: 1e-3 };
    let pose = |x: f64| Isometry3::translation(x, 0.05, 0.21 + 0.11 - 1e-3);
    let mut set = ContactSet::new(&table, &cube, &pose(0.0), limits).unwrap();
    for k in 0..=550 {
        let x = 1e-3 * f64::from(k);
        set.update(&table, &cube, &pose(x)).unwrap();
        let [contact] = set.faces() else { panic!("{x}: {:?} {:?}", set.faces().len(), set.contacts()) };
        assert!(contact.id == 0 && set.contacts().is_empty(), "{x}: {:?}", set.contacts());
        let width = (0.2_f64).min(0.6 - x);
        assert!((contact.area - 0.3 * width).abs() < 1e-12 && (contact.pair.gap + 1e-3).abs() < 1e-14);
    }
}

/// A box askew on a box stands on one corner; both ends of an edge when the edge is level.
#[test]
fn tilted_boxes_stand_on_corners() {
    let (table, cube) = (block(0.5, 0.5, 0.2), block(0.1, 0.15, 0.1));
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.02, merge: 1e-3 };
    let pose = |R: UnitQuaternion<f64>| {
        // The lowest point 1 mm deep: support of the core, then the rounding.
        let down = R.inverse() * -Vector3::z();
        let low = down.abs().dot(&Vector3::new(0.1, 0.15, 0.1)) + EDGE;
        Isometry3::from_parts(Translation3::new(0.1, -0.1, 0.21 + low - 1e-3), R)
    };
    let level = ContactSet::new(&table, &cube, &pose(turn(Vector3::x(), 0.3)), limits).unwrap();
    assert_eq!((level.faces().len(), level.contacts().len()), (0, 2));
    let askew = turn(Vector3::y(), 0.2) * turn(Vector3::x(), 0.3);
    let corner = ContactSet::new(&table, &cube, &pose(askew), limits).unwrap();
    let [contact] = corner.contacts() else { panic!("{:?}", corner.contacts()) };
    assert!((contact.pair.gap + 1e-3).abs() < 1e-12 && corner.faces().is_empty());
    // A box's edge across a box's edge: the closest pair, isolated.
    let crossed = turn(Vector3::z(), FRAC_PI_2) * turn(Vector3::x(), FRAC_PI_4);
    let below = turn(Vector3::x(), FRAC_PI_4);
    let X_AB = below.inverse() * Isometry3::from_parts(up(0.0).translation, crossed);
    let low = (0.15 + 0.1) * FRAC_PI_4.sin() + EDGE;
    let high = (0.5 + 0.2) * FRAC_PI_4.sin() + EDGE;
    let lift = below.inverse() * Translation3::new(0.0, (0.5 - 0.2) * FRAC_PI_4.sin(), high + low - 1e-3);
    let edges = ContactSet::new(&table, &cube, &(Isometry3::from(lift.translation) * X_AB), limits).unwrap();
    assert_eq!((edges.faces().len(), edges.contacts().len()), (0, 1), "{:?}", edges.contacts());
    assert!((edges.contacts()[0].pair.gap + 1e-3).abs() < 1e-9, "{}", edges.contacts()[0].pair.gap);
}

/// A cylinder stands (disc), tips (one point of its rim), lies (two ends of a line, the same two while it rolls).
#[test]
fn a_cylinder_stands_tips_and_lies() {
    let (floor, body) = (plane(), can(0.2, 0.4));
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.02, merge: 1e-3 };
    let (core_r, core_z) = (0.2, 0.39);
    let pose = |angle: f64, roll: f64| {
        let low = core_r * angle.sin().abs() + core_z * angle.cos().abs() + EDGE;
        Isometry3::from_parts(up(low - 5e-4).translation, turn(Vector3::y(), angle) * turn(Vector3::z(), roll))
    };
    let mut set = ContactSet::new(&floor, &body, &pose(0.0, 0.0), limits).unwrap();
    let [disc] = set.faces() else { panic!("stands on its cap") };
    assert!((disc.area - PI * 0.04).abs() < 1e-14 && set.contacts().is_empty());
    let mut kinds = Vec::new();
    for k in 0..=900 {
        let angle = f64::from(k) * 0.1_f64.to_radians();
        set.update(&floor, &body, &pose(angle, 0.02 * f64::from(k))).unwrap();
        let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
        let kind = (set.faces().len(), ids);
        if kinds.last() != Some(&kind) {
            kinds.push(kind);
        }
    }
    // Face 0; rim 1; both ends of the side once it is level enough for 1 mm over 0.8 m.
    assert_eq!(kinds, [(1, vec![]), (0, vec![1]), (0, vec![1, 2])]);
    for k in 0..200 {
        set.update(&floor, &body, &pose(FRAC_PI_2, 0.05 * f64::from(k))).unwrap();
        let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
        assert_eq!(ids, [1, 2]);
        let span = set.contacts()[0].pair.p_ACa - set.contacts()[1].pair.p_ACa;
        assert!((span.norm() - 2.0 * core_z).abs() < 1e-9);
    }
}

/// A capsule lying on a box: its two ends; hanging over the edge, an end and the crossing of the edge are not lost.
#[test]
fn a_capsule_lies_on_its_two_ends() {
    let (floor, log) = (plane(), Shape::Capsule(Capsule::new(0.1, 0.5).unwrap()));
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.02, merge: 1e-3 };
    let lying = Isometry3::from_parts(up(0.0999).translation, turn(Vector3::y(), FRAC_PI_2));
    let set = ContactSet::new(&floor, &log, &lying, limits).unwrap();
    let [one, two] = set.contacts() else { panic!("{:?}", set.contacts()) };
    assert!(((one.pair.p_ACa - two.pair.p_ACa).norm() - 1.0).abs() < 1e-12);
    assert!((one.pair.gap + 1e-4).abs() < 1e-12 && (two.pair.gap + 1e-4).abs() < 1e-12);
}

/// A meshed cube taken by its facets has the faces of the rounded box with that radius, to rounding: same frames, areas,
/// moments and rims, whatever its triangles.
#[test]
fn the_facets_of_a_meshed_cube_are_those_of_a_rounded_box() {
    let radius = 0.02;
    let analytic = faces_of(&Shape::RoundedBox(RoundedBox::new(Vector3::new(0.5, 0.4, 0.3), radius).unwrap()));
    for n in [1, 4] {
        let meshed = surface(cube(n), radius, SurfaceChoice::Auto);
        let faces = faces_of(&meshed);
        assert_eq!(faces.len(), 6);
        for want in &analytic {
            let got = face(&meshed, want.nhat());
            assert!((got.rim - radius).abs() < 1e-15);
            let [one, two] = [&got, want].map(|f| {
                let Outline::Polygon(pieces) = &f.outline else { panic!("{:?}", f.outline) };
                let sums: Vec<_> = pieces.iter().map(|piece| piece.sums()).collect();
                let height = (f.X_SF.translation.vector).dot(&want.nhat());
                (sums.iter().map(|s| s.area).sum::<f64>(), height)
            });
            assert!((one.0 - two.0).abs() < 1e-12 && (one.1 - two.1).abs() < 1e-12, "{one:?} {two:?}");
        }
    }
}

/// A meshed cube with fillets that shrink: area and moments of the rounded box whose rounding does; the difference is
/// the fillet's wider foot (1.78 for 1), so it shrinks with it.
#[test]
fn a_meshed_cube_lies_as_a_box_does() {
    let floor = plane();
    let ground = &faces_of(&floor)[0];
    for (fillet, n) in [(0.02, 4), (0.005, 4), (0.001, 4)] {
        let meshed = mesh(cube(n), fillet);
        let faces = faces_of(&meshed);
        assert_eq!(faces.len(), 6, "fillet {fillet}");
        let bottom = face(&meshed, -Vector3::z());
        let contact = FaceContact::between(ground, &bottom, &up(0.299), 0.05).unwrap();
        let step = 2.0 * 1.78 * fillet;
        let (x, y) = (1.0 - step, 0.8 - step);
        assert!((contact.area - x * y).abs() < 1e-12, "{} {}", contact.area, x * y);
        assert!((contact.second - Matrix2::new(x.powi(3) * y, 0.0, 0.0, x * y.powi(3)) / 12.0).norm() < 1e-12);
        let sharp = RoundedBox::new(Vector3::new(0.5, 0.4, 0.3), fillet).unwrap();
        let smooth = faces_of(&Shape::RoundedBox(sharp));
        let analytic = FaceContact::between(ground, &smooth[4], &up(0.299), 0.05).unwrap();
        let difference = (contact.area - analytic.area).abs();
        assert!(difference < 2.0 * 0.78 * fillet * 1.8 + 1e-12, "{difference} at {fillet}");
        assert!((contact.pair.gap - analytic.pair.gap).abs() < 1e-12);
    }
    // As a set: one face and nothing beside; tilted, no face and points on the edge.
    let meshed = mesh(cube(4), 0.02);
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.02, merge: 1e-3 };
    let mut set = ContactSet::new(&floor, &meshed, &up(0.299), limits).unwrap();
    assert_eq!((set.faces().len(), set.contacts().len()), (1, 0));
    let tilted =
        |angle: f64| Isometry3::from_parts(up(0.299 + 0.464 * angle.sin()).translation, turn(Vector3::y(), angle));
    let shifted = |by: f64| Isometry3::translation(by, 0.0, 0.0);
    for k in 1..=100 {
        set.update(&floor, &meshed, &(shifted(0.01 * f64::from(k)) * tilted(0.0))).unwrap();
        assert_eq!((set.faces().len(), set.contacts().len(), set.faces()[0].id), (1, 0, 0), "{k}");
    }
    for k in 1..=50 {
        let angle = 1e-3 * f64::from(k);
        set.update(&floor, &meshed, &(shifted(1.0) * tilted(angle))).unwrap();
        let kinds = (set.faces().len(), set.contacts().len());
        assert!(if angle < 0.0436 { kinds == (1, 0) } else { kinds.0 == 0 && kinds.1 >= 1 }, "{angle}: {kinds:?}");
    }
}

/// The foot of an L-bracket is not convex: pieces whose area and moments are those of the L.
#[test]
fn the_flank_of_an_l_bracket_is_an_l() {
    let bracket = mesh(meshes::bracket(3), 1e-6);
    let faces = faces_of(&bracket);
    // Six flanks and two L-shaped sides.
    assert_eq!(faces.len(), 8);
    let floor = plane();
    let ground = &faces_of(&floor)[0];
    let mut areas: Vec<f64> = Vec::new();
    for face in &faces {
        // Turn the face down on the plane.
        let down = face.X_SF.inverse();
        let flip = turn(Vector3::x(), PI);
        let X_AB = Isometry3::from_parts(Translation3::identity(), flip) * down;
        assert!(angle_between(ground, face, &X_AB) < 1e-7);
        let contact = FaceContact::between(ground, face, &X_AB, 0.05).unwrap();
        areas.push(contact.area);
        // Convex pieces of a region together: no piece turns right anywhere.
        for piece in contact.region.pieces() {
            let c = piece.corners();
            for k in 0..c.len() {
                let (u, w) = (c[(k + 1) % c.len()] - c[k], c[(k + 2) % c.len()] - c[(k + 1) % c.len()]);
                assert!(u.perp(&w) > -1e-12);
            }
        }
    }
    areas.sort_by(f64::total_cmp);
    let Shape::Mesh(surface) = &bracket else { unreachable!() };
    let triangles: f64 = surface.solid().mesh().triangles().map(|[a, b, c]| 0.5 * (b - a).cross(&(c - a)).norm()).sum();
    let all: f64 = areas.iter().sum();
    // The mesh is in millimetres: a fillet 1e-6 wide takes 1.78e-6 along 720 mm of edges, 1.3e-3 mm².
    assert!((all - triangles).abs() < 1.4e-3, "{all} {triangles}: {areas:?}");
    // 30 × 30 mm less 18 × 18 mm.
    assert!((areas[4] - 576.0).abs() < 1e-3 && (areas[5] - 576.0).abs() < 1e-3, "two L-shaped flanks: {areas:?}");
}
