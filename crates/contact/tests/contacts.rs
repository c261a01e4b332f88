//! Several contacts for one pair: found, kept apart, born and dropped with hysteresis, with lasting identity.

mod common;
#[path = "mesh_smooth/meshes.rs"]
mod meshes;

use common::Random;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, SurfaceChoice, TriangleMesh};
use fingerpad_contact::surface::{Capsule, RoundedBox, Shape, Sphere, Surface, Torus};
use fingerpad_contact::track::{ContactLimits, ContactSet, closest_points};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

fn map(h: impl Fn(f64, f64) -> f64) -> Shape {
    let (n, d) = (101, 0.04);
    let z = (0..n * n).map(|k| h((k % n) as f64 * d - 2.0, (k / n) as f64 * d - 2.0)).collect();
    let grid = Grid { nx: n, ny: n, dx: d, dy: d, x0: 0.0, y0: 0.0 };
    Shape::Elevation(Arc::new(ElevationMap::new(grid, Samples::F64(z), Interpolation::Quintic).unwrap()))
}

/// Middle of the map, z above its zero.
fn at(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(2.0 + x, 2.0 + y, z)
}

/// A ball in a groove with straight walls at 45°: two contacts, one on each wall, at the height that plane geometry
/// gives, while it slides 1 m along the groove; lifted it has none; lowered it gets new ones.
#[test]
fn a_ball_in_a_groove_has_two_contacts_that_last() {
    // Walls z = |x| beyond a rounded bottom 0.2 m wide.
    let groove = map(|x, _| if x.abs() > 0.1 { x.abs() } else { 0.05 + 5.0 * x * x });
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    // Centre at height h over the walls' line: distance h/√2 − 0.5 to each wall.
    let touching = 0.5 * std::f64::consts::SQRT_2;
    let limits = ContactLimits { birth: 0.0, death: 2e-3, look_ahead: 0.03, merge: 1e-4 };
    let mut set = ContactSet::new(&groove, &ball, &at(0.0, -0.5, touching - 0.01), limits).unwrap();
    let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
    assert_eq!(ids, [0, 1]);
    let mut searches = 0;
    for k in 1..=500 {
        let y = -0.5 + 0.002 * f64::from(k);
        let changes = set.update(&groove, &ball, &at(0.0, y, touching - 0.01)).unwrap();
        searches += usize::from(changes.searched);
        let now: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
        assert_eq!(now, ids, "step {k}: {changes:?}");
        for contact in set.contacts() {
            assert!((contact.pair.gap + 0.01 / std::f64::consts::SQRT_2).abs() < 1e-6, "{}", contact.pair.gap);
            assert!((contact.pair.p_ACa.y - 2.0 - y).abs() < 1e-9);
        }
        let apart = set.contacts()[0].pair.p_ACa.x - set.contacts()[1].pair.p_ACa.x;
        assert!((apart.abs() - touching).abs() < 0.02, "{apart}");
    }
    assert!((25..60).contains(&searches), "a search every 3 cm: {searches}");
    // Up by 1 mm: gaps of 0.7 mm, inside the hysteresis. Up by 5 mm: dropped. Down again: new identities.
    set.update(&groove, &ball, &at(0.0, 0.5, touching + 0.001)).unwrap();
    assert_eq!(set.contacts().len(), 2);
    let changes = set.update(&groove, &ball, &at(0.0, 0.5, touching + 0.005)).unwrap();
    assert!(set.contacts().is_empty() && changes.dropped == 2);
    set.update(&groove, &ball, &at(0.0, 0.5, touching + 0.001)).unwrap();
    assert!(set.contacts().is_empty(), "not born within the hysteresis");
    let changes = set.update(&groove, &ball, &at(0.0, 0.5, touching - 0.001)).unwrap();
    let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
    assert!(changes.born == 2 && ids == [2, 3], "{changes:?} {ids:?}");
}

/// A ball that rolls from one wall to the other: the first contact goes, the second comes, never two of one kind.
#[test]
fn contacts_come_and_go_one_at_a_time() {
    let groove = map(|x, _| if x.abs() > 0.1 { x.abs() } else { 0.05 + 5.0 * x * x });
    let ball = Shape::Sphere(Sphere::new(0.5).unwrap());
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.03, merge: 1e-4 };
    let height = 0.5 * std::f64::consts::SQRT_2 + 0.003;
    let mut set = ContactSet::new(&groove, &ball, &at(-0.05, 0.0, height), limits).unwrap();
    assert_eq!(set.contacts().len(), 1);
    let mut most = 0;
    for k in 0..200 {
        set.update(&groove, &ball, &at(-0.05 + 0.0005 * f64::from(k), 0.0, height)).unwrap();
        most = most.max(set.contacts().len());
    }
    let last = set.contacts();
    assert!(last.len() == 1 && last[0].id == 1 && last[0].pair.p_ACa.x > 2.0, "{last:?}");
    assert_eq!(most, 1, "between the walls it touches nothing");
}

/// A peg askew in a ring touches it at two opposite places; straight it touches nowhere.
#[test]
fn a_peg_in_a_ring_jams_at_two_places() {
    let ring = Shape::Torus(Torus::new(0.2, 0.1).unwrap());
    let peg = Shape::Capsule(Capsule::new(0.095, 0.5).unwrap());
    let tilt = |angle: f64| {
        Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&Vector3::x_axis(), angle))
    };
    let limits = ContactLimits { birth: 0.0, death: 2e-4, look_ahead: 2e-3, merge: 1e-3 };
    let mut set = ContactSet::new(&ring, &peg, &tilt(0.0), limits).unwrap();
    assert!(set.contacts().is_empty());
    let mut jammed = None;
    for k in 1..=100 {
        let angle = 0.005 * f64::from(k);
        set.update(&ring, &peg, &tilt(angle)).unwrap();
        if set.contacts().len() == 2 && jammed.is_none() {
            jammed = Some(angle);
        }
        assert!(set.contacts().len() != 1 && set.contacts().len() < 3, "{:?}", set.contacts());
    }
    // In the plane of tilt: the axis passes the section's centre (0.2, 0) at 0.2 cos α; contact at 0.1 + 0.095.
    let expected = (0.195_f64 / 0.2).acos();
    assert!((jammed.unwrap() - expected).abs() < 0.006, "{jammed:?} {expected}");
    let [one, two] = set.contacts() else { panic!("two contacts") };
    assert!((one.pair.p_ACa.coords + two.pair.p_ACa.coords).norm() < 1e-9, "opposite");
    assert!((one.pair.gap - two.pair.gap).abs() < 1e-12);
}

/// A log over two bumps: one contact on each bump, identities kept while it turns on them.
#[test]
fn a_log_on_two_bumps_has_a_contact_on_each() {
    let bump = |x: f64, y: f64, c: f64| 0.3 * (-((x - c).powi(2) + y * y) / 0.08).exp();
    let ground = map(move |x, y| bump(x, y, -0.6) + bump(x, y, 0.6));
    let log = Shape::Capsule(Capsule::new(0.2, 1.0).unwrap());
    let along_x = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let pose = |turn: f64| {
        let yaw = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
        Isometry3::from_parts(at(0.0, 0.0, 0.495).translation, yaw * along_x)
    };
    let limits = ContactLimits { birth: 0.0, death: 1e-3, look_ahead: 0.02, merge: 1e-3 };
    let mut set = ContactSet::new(&ground, &log, &pose(0.0), limits).unwrap();
    assert_eq!(set.contacts().len(), 2);
    for k in 0..40 {
        set.update(&ground, &log, &pose(0.001 * f64::from(k))).unwrap();
        let ids: Vec<u64> = set.contacts().iter().map(|c| c.id).collect();
        assert_eq!(ids, [0, 1], "step {k}");
        let (one, two) = (set.contacts()[0].pair.p_ACa, set.contacts()[1].pair.p_ACa);
        assert!((one.x - 2.0) * (two.x - 2.0) < 0.0, "one on each bump");
    }
}

/// A mug's handle hangs on a bar: a meshed tube along an ellipse whose end is narrower than the bar, so that it touches
/// left and right of the end. The gap is that of the plane figure: the bar's centre from the ellipse, found by a scan of
/// the ellipse, less both radii. Pulled up the contacts come and go together, pulled aside one at a time.
#[test]
fn a_handle_on_a_bar_touches_left_and_right() {
    let (a, b, tube, bar_radius) = (0.012, 0.03, 0.004, 0.005);
    let raw = meshes::handle(a, b, tube, 160, 32);
    let (mesh, warnings) = TriangleMesh::new(raw.p, raw.f).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let handle = Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default()).unwrap()));
    let bar = Shape::Capsule(Capsule::new(bar_radius, 0.05).unwrap());
    // Least distance from the ellipse on one side, by a scan of 20,000 places (error 1e-9 m).
    let gap = |x: f64, y: f64, side: f64| {
        let scan =
            (0..20_000).map(|k| std::f64::consts::PI * (f64::from(k) + 0.5) / 20_000.0 - std::f64::consts::FRAC_PI_2);
        let to = |u: f64| (side * a * u.cos() - x).hypot(b * u.sin() - y);
        scan.map(to).fold(f64::INFINITY, f64::min) - tube - bar_radius
    };
    // Where the bar is 0.1 mm deep on both sides, by bisection along the ellipse's long axis.
    let (mut low, mut high) = (0.0, b - tube);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gap(0.0, middle, 1.0) > -1e-4 { low = middle } else { high = middle }
    }
    let y = low;
    let at = |x: f64, y: f64| Isometry3::translation(x, y, 0.0);
    let limits = ContactLimits { birth: 0.0, death: 1e-4, look_ahead: 1e-3, merge: 2e-4 };
    let mut set = ContactSet::new(&handle, &bar, &at(0.0, y), limits).unwrap();
    let ids = |set: &ContactSet| set.contacts().iter().map(|c| c.id).collect::<Vec<u64>>();
    assert_eq!(ids(&set), [0, 1]);
    for k in 0..=300 {
        let t = 0.02 * f64::from(k);
        // Aside by a fifth of the depth, and swinging about the bar's length.
        let (x, dy) = (2e-5 * t.sin(), 2e-5 * (1.7 * t).sin());
        let swing = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 0.02 * (0.9 * t).sin());
        let straight = k % 50 == 0;
        let X_AB = Isometry3::from_parts(
            Translation3::new(x, y + dy, 0.0),
            if straight { UnitQuaternion::identity() } else { swing },
        );
        set.update(&handle, &bar, &X_AB).unwrap();
        assert_eq!(ids(&set), [0, 1], "step {k}");
        let [one, two] = set.contacts() else { unreachable!() };
        assert!(one.pair.p_ACa.x * two.pair.p_ACa.x < 0.0, "one on each side");
        if straight {
            for contact in [one, two] {
                let want = gap(x, y + dy, contact.pair.p_ACa.x.signum());
                // The tube is 32 vertices around: smoothing leaves 1e-6 m.
                assert!((contact.pair.gap - want).abs() < 2e-6, "{} {want}", contact.pair.gap);
            }
        }
    }
    // Aside: the left one opens by more than the limit and goes; back: a new one.
    let one_side = |set: &mut ContactSet, x: f64| {
        (1..=20).for_each(|k| {
            set.update(&handle, &bar, &at(x * f64::from(k) / 20.0, y)).unwrap();
        })
    };
    one_side(&mut set, 3e-4);
    assert!(set.contacts().len() == 1 && set.contacts()[0].pair.p_ACa.x > 0.0, "{:?}", set.contacts());
    let kept = set.contacts()[0].id;
    set.update(&handle, &bar, &at(0.0, y)).unwrap();
    assert_eq!(ids(&set), [kept, 2]);
    // Down by a millimetre: free.
    let changes = set.update(&handle, &bar, &at(0.0, y - 1e-3)).unwrap();
    assert!(set.contacts().is_empty() && changes.dropped == 2);
}

/// A capsule stands on end in a plate of 0.5 mm, ever deeper: its contact on the upper side lasts until the middle of its lower
/// ball is in the plate, at the depth of that ball below the upper side. Would catch a corner that is judged by its lowest
/// point, which is nearer to the lower side from half of the plate on: the capsule then fell through.
#[test]
fn a_capsule_stays_on_a_thin_plate() {
    let plate = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.1, 0.1, 2.5e-4), 6e-5).unwrap());
    let capsule = Shape::Capsule(Capsule::new(2e-3, 4e-3).unwrap());
    let limits = ContactLimits { birth: 1e-4, death: 2e-4, look_ahead: 1e-3, merge: 1e-6 };
    // The lowest point is 6 mm below the middle; the upper side of the plate at 0.25 mm.
    let pose = |depth: f64| Isometry3::translation(0.01, 0.02, 6e-3 + 2.5e-4 - depth);
    let mut set = ContactSet::new(&plate, &capsule, &pose(0.0), limits).unwrap();
    for step in 1..=19 {
        let depth = 1e-4 * f64::from(step);
        set.update(&plate, &capsule, &pose(depth)).unwrap();
        let deepest = set.contacts().iter().map(|contact| contact.pair.gap).fold(f64::INFINITY, f64::min);
        assert!((deepest + depth).abs() < 1e-12, "{deepest} at a depth of {depth}: {:?}", set.contacts().len());
        assert!(set.contacts().iter().all(|contact| contact.pair.nhat_AB_A.z > 0.999), "at {depth}");
    }
}

/// A box that just touches waves with a corner may already be deeper with an edge across a crest. Its contacts must say so, to a
/// ten-thousandth of its size; truth: the axes of its edges, sampled, by the distance of points from the map.
#[test]
fn edges_across_crests_are_no_shallower_than_they_are() {
    let map = map(|x, y| 0.02 * (8.0 * x).sin() * (7.0 * y).cos());
    let (half, radius) = (Vector3::new(0.05, 0.04, 0.03), 0.004);
    let body = Shape::RoundedBox(RoundedBox::new(half, radius).unwrap());
    let core = half.add_scalar(-radius);
    let size = body.bounds().radius();
    let limits = ContactLimits { birth: 0.02 * size, death: 0.03 * size, look_ahead: 0.05 * size, merge: 1e-4 * size };
    let gap = |X: &Isometry3<f64>, p: Vector3<f64>| {
        map.closest_point(&(X * Point3::from(p))).map_or(f64::INFINITY, |foot| foot.distance - radius)
    };
    let corner = |k: usize| Vector3::from_fn(|i, _| if k >> i & 1 == 0 { -core[i] } else { core[i] });
    let mut random = Random(7);
    let mut across = 0;
    for case in 0..150 {
        // About a box that lies on a side and hangs over with an edge.
        let lying = Quaternion::new(-0.265_348, -0.268_711, -0.617_009, -0.690_424);
        let turn = UnitQuaternion::new(random.vector() * 0.02) * UnitQuaternion::new_normalize(lying);
        let (x, y) = (-0.1134 + random.between(-0.01, 0.01), 0.1704 + random.between(-0.01, 0.01));
        let pose = |z: f64| Isometry3::from_parts(at(x, y, z).translation, turn);
        let corners = |X: &Isometry3<f64>| (0..8).map(|k| gap(X, corner(k))).fold(f64::INFINITY, f64::min);
        let mut z = 0.1;
        for _ in 0..30 {
            z -= corners(&pose(z));
        }
        let X = pose(z);
        let mut truth = f64::INFINITY;
        for (k, axis) in (0..8_usize).flat_map(|k| (0..3).map(move |axis| (k, axis))).filter(|(k, i)| k >> i & 1 == 0) {
            for step in 1..20 {
                let mut p = corner(k);
                p[axis] = core[axis] * (f64::from(step) / 10.0 - 1.0);
                truth = truth.min(gap(&X, p));
            }
        }
        let set = ContactSet::new(&map, &body, &X, limits).unwrap();
        let least = set.contacts().iter().map(|contact| contact.pair.gap).fold(f64::INFINITY, f64::min);
        let least = set.strands().iter().map(|strand| strand.gap).fold(least, f64::min);
        across += usize::from(truth < -1e-4 * size);
        assert!(least <= truth + 1e-4 * size, "case {case}: {least:e} for {truth:e}");
    }
    assert!(across > 10, "{across} of the poses try anything");
}

/// A plate that rocks over a crest, a smooth mesh with creases: as it turns, the far edge becomes a place of its own, which no search
/// before could list. Its contacts are as deep as a search from nothing says, to a hundredth of its size.
#[test]
fn a_meshed_plate_that_rocks_is_looked_at_again() {
    let map = map(|x, y| 0.006 * (20.0 * x).sin() * (17.0 * y).cos());
    let half = Vector3::new(0.03, 0.02, 0.004);
    let corners: Vec<Point3<f64>> = (0..8)
        .map(|k| Point3::from(Vector3::from_fn(|i, _| if k >> i & 1 == 0 { -half[i] } else { half[i] })))
        .collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let facets = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let (mesh, _) = TriangleMesh::new(corners, facets).unwrap();
    let options = SmoothOptions { surface: SurfaceChoice::Smooth, ..Default::default() };
    let plate = Shape::Mesh(Arc::new(MeshSurface::new(mesh, &options).unwrap()));
    let size = plate.bounds().radius();
    let limits = ContactLimits { birth: 0.02 * size, death: 0.03 * size, look_ahead: 0.05 * size, merge: 1e-4 * size };
    let mut random = Random(11);
    let mut touching = 0;
    for case in 0..8 {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), random.between(0.0, 6.3));
        let axis =
            nalgebra::Unit::new_normalize(Vector3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), 0.0));
        let (x, y) = (random.between(-0.3, 0.3), random.between(-0.3, 0.3));
        let tilted = |z: f64, angle: f64| {
            Isometry3::from_parts(at(x, y, z).translation, UnitQuaternion::from_axis_angle(&axis, angle) * turn)
        };
        let level = |angle: f64| {
            let gap = closest_points(&map, &plate, &tilted(0.05, angle)).unwrap().gap;
            let mut z = 0.05 - gap;
            for _ in 0..4 {
                z -= closest_points(&map, &plate, &tilted(z, angle)).unwrap().gap;
            }
            z
        };
        let z = level(0.12);
        let mut set = ContactSet::new(&map, &plate, &tilted(z, 0.12), limits).unwrap();
        for k in 1..=120 {
            let X = tilted(z, 0.12 - 0.002 * f64::from(k));
            set.update(&map, &plate, &X).unwrap();
            let truth = closest_points(&map, &plate, &X).unwrap().gap;
            let least = set.contacts().iter().map(|contact| contact.pair.gap).fold(f64::INFINITY, f64::min);
            let least = set.strands().iter().map(|strand| strand.gap).fold(least, f64::min);
            touching += usize::from(truth < 0.0);
            assert!(
                truth > limits.birth || least <= truth.max(-0.02 * size) + 0.01 * size,
                "case {case}, {k}: {least:e} for {truth:e}"
            );
        }
    }
    assert!(touching > 60, "{touching} poses try anything");
}
