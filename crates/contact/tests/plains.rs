//! Plane stretches of maps: where they are, that the surface is plane there, and what lies flat on them.

use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Plain, Samples};
use fingerpad_contact::surface::{HalfSpace, RoundedBox, Shape};
use fingerpad_contact::track::{ContactLimits, ContactSet};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::sync::Arc;

const N: usize = 41;
const SPACING: f64 = 0.05;

fn grid() -> Grid {
    Grid { nx: N, ny: N, dx: SPACING, dy: SPACING, x0: 0.0, y0: 0.0 }
}

fn heights(z: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    (0..N * N).map(|k| z((k % N) as f64 * SPACING, (k / N) as f64 * SPACING)).collect()
}

fn map(z: impl Fn(f64, f64) -> f64) -> ElevationMap {
    ElevationMap::new(grid(), Samples::F64(heights(z)), Interpolation::Quintic).unwrap()
}

fn area(plain: &Plain) -> f64 {
    plain.parts.iter().map(|[x0, x1, y0, y1]| (x1 - x0) * (y1 - y0)).sum()
}

/// A sloped plane of any number type; none where the ground bends by a micrometre over the map.
#[test]
fn planes_are_found_and_bent_ground_is_not_taken_for_one() {
    let slope = |x: f64, y: f64| 0.7 + 0.21 * x - 0.13 * y;
    let single: Vec<f32> = heights(slope).into_iter().map(|z| z as f32).collect();
    // Stand-ins beyond the edge of a map of 32-bit numbers multiply its rounding: the outermost cells may be left out.
    for (samples, whole) in [(Samples::F64(heights(slope)), true), (Samples::F32(single), false)] {
        for kind in [Interpolation::Cubic, Interpolation::Quintic, Interpolation::Quintic6] {
            let map = ElevationMap::new(grid(), samples.clone(), kind).unwrap();
            assert!(map.is_plane() || !whole);
            let [plain, ..] = map.plains() else { panic!("{:?}", map.plains()) };
            assert!(if whole { (area(plain) - 4.0).abs() < 1e-12 } else { area(plain) > 3.2 }, "{plain:?}");
            assert!((plain.slope[0] - 0.21).abs() < 1e-7 && (plain.slope[1] + 0.13).abs() < 1e-7);
        }
    }
    assert!(map(|x, _| 1e-6 * x * x).plains().is_empty());
    assert!(map(|x, y| 1e-7 * (30.0 * x).sin() * (20.0 * y).cos()).plains().is_empty());
}

/// Two terraces and the ramp between them are three plains; a hole is part of none. Would catch patches beside a bend, whose
/// stencils reach over it: the surface there is off the plane by millimetres.
#[test]
fn terraces_and_ramps_are_plains_of_their_own() {
    let terraces = |x: f64, y: f64| {
        if (x - 0.3).abs() < 0.01 && (y - 1.0).abs() < 0.01 {
            return f64::NAN;
        }
        ((x - 0.8).clamp(0.0, 0.5)) * 0.4
    };
    let map = map(terraces);
    let plains = map.plains();
    assert_eq!(plains.len(), 3, "{plains:?}");
    assert!(!map.is_plane());
    // 16, 14 and 10 columns of cells, less those whose stencil reaches over a bend; the hole takes away four cells and what
    // is made from it, which is the plane again.
    let mut areas: Vec<f64> = plains.iter().map(area).collect();
    areas.sort_by(f64::total_cmp);
    for (found, columns) in areas.iter().zip([8.0, 13.0, 15.0]) {
        let whole: f64 = columns * SPACING * 2.0;
        let hole = if columns == 15.0 { 4.0 * SPACING * SPACING } else { 0.0 };
        assert!((found - whole + hole).abs() < 1e-9, "{found} {whole} {areas:?}");
    }
    for plain in plains {
        for [x0, x1, y0, y1] in &plain.parts {
            for k in 0..49 {
                let (s, t) = ((k % 7) as f64 / 6.0, (k / 7) as f64 / 6.0);
                let (x, y) = (x0 + (x1 - x0) * s, y0 + (y1 - y0) * t);
                // The far corner of a part may be a node of the next cell.
                let jet = map.jet(x - 1e-9 * s, y - 1e-9 * t).unwrap();
                let plane = plain.z + plain.slope[0] * x + plain.slope[1] * y;
                assert!((jet.z - plane).abs() < 2e-9, "{x} {y}: {} {plane}", jet.z);
            }
        }
    }
}

/// A box on a sloped map has the contact that it has on a half-space in the same place: one face, with the same gap, area and
/// tilt to 1e-9, whichever body is first; no point beside it.
#[test]
fn a_box_on_a_plane_map_is_a_box_on_a_half_space() {
    let block = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.06, 0.04, 0.03), 2e-3).unwrap());
    let (gx, gy) = (0.21, -0.13);
    let ground = Shape::Elevation(Arc::new(map(|x, y| gx * x + gy * y)));
    let up = Vector3::new(-gx, -gy, 1.0f64).normalize();
    let lay = UnitQuaternion::rotation_between(&Vector3::z(), &up).unwrap();
    let foot = Vector3::new(0.9, 1.1, gx * 0.9 + gy * 1.1);
    // Pose of the plane in the map.
    let X_MH = Isometry3::from_parts(foot.into(), lay);
    let limits = ContactLimits { birth: 1e-4, death: 2e-4, look_ahead: 2e-3, merge: 1e-5 };
    for (lean, depth) in [(0.0, 1e-5), (0.01, 1e-5), (0.02, -5e-5)] {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(lean, 0.4 * lean, 0.7));
        let X_HB = Isometry3::from_parts(Vector3::new(0.0, 0.0, 0.03 - depth).into(), turn);
        let plane = ContactSet::new(&Shape::HalfSpace(HalfSpace), &block, &X_HB, limits).unwrap();
        let on_map = ContactSet::new(&ground, &block, &(X_MH * X_HB), limits).unwrap();
        let under = ContactSet::new(&block, &ground, &(X_MH * X_HB).inverse(), limits).unwrap();
        let [expected] = plane.faces() else { panic!() };
        for set in [&on_map, &under] {
            let [found] = set.faces() else { panic!("{lean}: {} faces", set.faces().len()) };
            assert_eq!(set.contacts().len(), 0);
            assert!((found.pair.gap - expected.pair.gap).abs() < 1e-9, "{} {}", found.pair.gap, expected.pair.gap);
            assert!((found.area - expected.area).abs() < 1e-9);
            assert!((found.tilt.norm() - expected.tilt.norm()).abs() < 1e-9);
            assert!((found.pressed().volume - expected.pressed().volume).abs() < 1e-9 * expected.area);
        }
    }
}
