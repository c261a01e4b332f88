//! What searches and proofs rely on: bounds that really bound.

use super::bounds::{BEND_BLOCK, BLOCK};
use super::*;

fn rough(kind: Interpolation, n: usize, seed: u64) -> ElevationMap {
    // A cheap generator is enough for roughness (Knuth's MMIX constants).
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let z = (0..n * n).map(|_| if next() < 0.01 { f64::NAN } else { next() }).collect();
    let grid = Grid { nx: n, ny: n, dx: 0.7, dy: 0.4, x0: 0.0, y0: 0.0 };
    ElevationMap::new(grid, Samples::F64(z), kind).unwrap()
}

/// Heights and second derivatives at 25 places per cell of a random map never leave the bounds of their block.
#[test]
fn block_bounds_hold_on_a_rough_map_with_holes() {
    for kind in [Interpolation::Cubic, Interpolation::Quintic, Interpolation::Quintic6] {
        let n = 40;
        let map = rough(kind, n, 9);
        for j in 0..n - 1 {
            for i in 0..n - 1 {
                let range = map.pyramid.levels[0].range(i / BLOCK, j / BLOCK);
                let blocks = Blocks { i: [i / BEND_BLOCK; 2], j: [j / BEND_BLOCK; 2] };
                let bound = map.concave_curvature(&blocks);
                for k in 0..25 {
                    let (s, t) = (f64::from(k % 5) / 4.0, f64::from(k / 5) / 4.0);
                    let Ok(jet) = map.jet_in_cell(i, j, s, t) else { continue };
                    assert!(jet.z >= range.lo && jet.z <= range.hi, "{kind:?} height");
                    let mean = 0.5 * (jet.zxx + jet.zyy);
                    let largest = mean + (0.5 * (jet.zxx - jet.zyy)).hypot(jet.zxy);
                    assert!(largest <= bound * (1.0 + 1e-12), "{kind:?} curvature {largest} above {bound}");
                }
            }
        }
    }
}

/// A negative height scale turns hollows into humps, and the bound follows.
#[test]
fn curvature_bound_follows_a_negative_height_scale() {
    let n = 6;
    let z: Vec<f64> = (0..n * n).map(|k| ((k % n) as f64 - 2.5).powi(2)).collect();
    let grid = Grid { nx: n, ny: n, dx: 1.0, dy: 1.0, x0: 0.0, y0: 0.0 };
    let all = Blocks { i: [0, 0], j: [0, 0] };
    let bound = |scale| {
        ElevationMap::with_scale(grid, Samples::F64(z.clone()), scale, 0.0, Interpolation::Quintic)
            .unwrap()
            .concave_curvature(&all)
    };
    assert!(bound(1.0) >= 2.0 && bound(1.0) - 2.0 < 1e-6, "{}", bound(1.0));
    assert!(bound(-1.0).abs() < 1e-12, "{}", bound(-1.0));
}

/// The search returns the least value of all cells, as a plain scan does, for a body far above and close by.
#[test]
fn search_finds_what_a_full_scan_finds() {
    let map = rough(Interpolation::Quintic, 70, 4);
    for (x, y, z) in [(20.0, 12.0, 9.0), (3.0, 20.0, 1.2), (40.0, 5.0, 0.4), (-5.0, 40.0, 3.0)] {
        let p = Point3::new(x, y, z);
        let phi = |q: &Point3<f64>| (q - p).norm();
        let found = map.candidates(phi, 0.0);
        let mut least = f64::INFINITY;
        for j in 0..69 {
            for i in 0..69 {
                if let Ok(jet) = map.jet_in_cell(i, j, 0.5, 0.5) {
                    least = least.min(phi(&Point3::new((i as f64 + 0.5) * 0.7, (j as f64 + 0.5) * 0.4, jet.z)));
                }
            }
        }
        assert_eq!(found[0].value, least);
    }
}
