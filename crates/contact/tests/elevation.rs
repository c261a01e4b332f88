//! Elevation maps: against the oracle, across edges, beside holes, far from the origin, and with bad input.

mod common;

use common::Random;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, MapError, Samples};
use fingerpad_contact::surface::height::HeightJet;
use fingerpad_contact::surface::{SmoothSurface, Surface, SurfaceError};
use nalgebra::{Point3, Vector3};
use serde_json::Value;

const ALL: [Interpolation; 3] = [Interpolation::Cubic, Interpolation::Quintic, Interpolation::Quintic6];

fn grid(nx: usize, ny: usize, dx: f64, dy: f64) -> Grid {
    Grid { nx, ny, dx, dy, x0: 0.0, y0: 0.0 }
}

fn sampled(g: Grid, kind: Interpolation, h: impl Fn(f64, f64) -> f64) -> ElevationMap {
    let z = (0..g.nx * g.ny).map(|k| h((k % g.nx) as f64 * g.dx, (k / g.nx) as f64 * g.dy)).collect();
    ElevationMap::new(g, Samples::F64(z), kind).unwrap()
}

fn fields(jet: &HeightJet) -> [f64; 6] {
    [jet.z, jet.zx, jet.zy, jet.zxx, jet.zxy, jet.zyy]
}

/// 60 queries on a random map with a UTM-like origin, cubic and corrected quintic, to 1e-12 relative.
#[test]
fn patches_match_the_oracle_far_from_the_origin() {
    let file: Value = serde_json::from_str(include_str!("oracle/dem_patch.json")).unwrap();
    let number = |key: &str| file[key].as_f64().unwrap();
    let rows = file["z"].as_array().unwrap();
    let z: Vec<f64> = rows.iter().flat_map(|r| r.as_array().unwrap()).map(|v| v.as_f64().unwrap()).collect();
    let g = Grid {
        nx: rows[0].as_array().unwrap().len(),
        ny: rows.len(),
        dx: number("dx"),
        dy: number("dy"),
        x0: number("x0"),
        y0: number("y0"),
    };
    let mut count = 0;
    for (key, kind) in [("cubic", Interpolation::Cubic), ("quintic_corrected", Interpolation::Quintic)] {
        let map = ElevationMap::new(g, Samples::F64(z.clone()), kind).unwrap();
        for query in file["queries"].as_array().unwrap() {
            let (i, j) = (query["cell"][0].as_u64().unwrap(), query["cell"][1].as_u64().unwrap());
            let (s, t) = (query["s"].as_f64().unwrap(), query["t"].as_f64().unwrap());
            let got = fields(&map.jet_in_cell(i as usize, j as usize, s, t).unwrap());
            for (k, name) in ["z", "zx", "zy", "zxx", "zxy", "zyy"].iter().enumerate() {
                let want = query[key][name].as_f64().unwrap();
                // Relative to the size of the sums' terms (heights of about 1 over cells of 0.5 m).
                assert!((got[k] - want).abs() <= 1e-12 * want.abs().max(1.0), "{key} {name}: {} {want}", got[k]);
                count += 1;
            }
        }
    }
    assert_eq!(count, 2 * 60 * 6);
}

/// Every derivative that is promised continuous has no jump across any cell edge or corner of a random map with
/// dx ≠ dy, rim cells included; the cubic's curvature does jump.
#[test]
fn quintic_maps_are_c2_across_all_edges_and_corners() {
    let mut random = Random(7);
    let g = grid(9, 8, 0.5, 2.0);
    let z: Vec<f64> = (0..72).map(|_| random.between(-1.0, 1.0)).collect();
    for kind in ALL {
        let map = ElevationMap::new(g, Samples::F64(z.clone()), kind).unwrap();
        assert_continuous(&map, kind);
    }
}

/// Jumps over every edge between two valid cells, sampled along the edge with its ends (corners).
fn assert_continuous(map: &ElevationMap, kind: Interpolation) {
    let g = *map.grid();
    let (mut worst, mut cubic_jump, mut edges) = (0.0_f64, 0.0_f64, 0);
    let mut compare = |one: HeightJet, two: HeightJet| {
        edges += 1;
        let (a, b) = (fields(&one), fields(&two));
        let smooth = if kind == Interpolation::Cubic { 0..3 } else { 0..6 };
        for k in smooth {
            worst = worst.max((a[k] - b[k]).abs());
        }
        cubic_jump = cubic_jump.max((a[3] - b[3]).abs().max((a[5] - b[5]).abs()));
    };
    for j in 0..g.ny - 1 {
        for i in 0..g.nx - 1 {
            for step in 0..=4 {
                let s = f64::from(step) / 4.0;
                if i + 2 < g.nx && map.cell_is_valid(i, j) && map.cell_is_valid(i + 1, j) {
                    compare(map.jet_in_cell(i, j, 1.0, s).unwrap(), map.jet_in_cell(i + 1, j, 0.0, s).unwrap());
                }
                if j + 2 < g.ny && map.cell_is_valid(i, j) && map.cell_is_valid(i, j + 1) {
                    compare(map.jet_in_cell(i, j, s, 1.0).unwrap(), map.jet_in_cell(i, j + 1, s, 0.0).unwrap());
                }
            }
        }
    }
    assert!(edges > 100);
    // Heights of order 1, 1/dx² = 4, weights up to 20: round-off of a few 1e-13.
    assert!(worst < 1e-11, "{kind:?}: jump {worst}");
    if kind == Interpolation::Cubic {
        assert!(cubic_jump > 0.1, "the cubic should jump in curvature, got {cubic_jump}");
    }
}

/// A map with holes of all kinds (single nodes, a line, a block, at the rim) keeps C2 between its valid cells.
#[test]
fn maps_with_holes_are_c2_beside_them() {
    let mut random = Random(11);
    for trial in 0..20 {
        let g = grid(14, 12, 0.5, 0.7);
        let mut z: Vec<f64> = (0..g.nx * g.ny).map(|_| random.between(-1.0, 1.0)).collect();
        for _ in 0..6 + trial {
            z[(random.unit() * (g.nx * g.ny) as f64) as usize] = f64::NAN;
        }
        for k in 0..4 {
            z[5 * g.nx + 6 + k] = f64::NAN;
            z[6 * g.nx + 6 + k] = f64::NAN;
        }
        for kind in ALL {
            let map = ElevationMap::new(g, Samples::F64(z.clone()), kind).unwrap();
            assert_continuous(&map, kind);
            for j in 0..g.ny - 1 {
                for i in 0..g.nx - 1 {
                    let jet = map.jet_in_cell(i, j, 0.3, 0.6);
                    if map.cell_is_valid(i, j) {
                        assert!(fields(&jet.unwrap()).iter().all(|v| v.is_finite()));
                    } else {
                        assert_eq!(jet, Err(SurfaceError::Hole { i, j }));
                    }
                }
            }
        }
    }
}

/// Quadratics are reproduced up to the rim and up to holes with three nodes of data beside them, by all three
/// kinds (the ghost 3a − 3b + c keeps degree 2; a linear ghost would be off by 2 in x² at dx = 1).
#[test]
fn quadratic_ground_is_exact_up_to_the_rim_and_beside_a_hole() {
    let h = |x: f64, y: f64| 0.3 + 0.2 * x - 0.5 * y + 0.2 * x * x - 0.1 * x * y + 0.15 * y * y;
    for kind in ALL {
        let g = grid(14, 13, 1.0, 0.5);
        let mut z: Vec<f64> = (0..g.nx * g.ny).map(|k| h((k % g.nx) as f64, (k / g.nx) as f64 * 0.5)).collect();
        z[6 * g.nx + 6] = f64::NAN;
        let map = ElevationMap::new(g, Samples::F64(z), kind).unwrap();
        let mut random = Random(3);
        let mut tested = 0;
        for _ in 0..3000 {
            let (x, y) = (random.between(0.0, 13.0), random.between(0.0, 6.0));
            let Ok(jet) = map.jet(x, y) else { continue };
            let want = [h(x, y), 0.2 + 0.4 * x - 0.1 * y, -0.5 - 0.1 * x + 0.3 * y, 0.4, -0.1, 0.3];
            for (got, want) in fields(&jet).iter().zip(want) {
                assert!((got - want).abs() < 1e-11, "{kind:?} at ({x}, {y}): {got} {want}");
            }
            tested += 1;
        }
        assert!(tested > 2800, "the hole takes 4 of 156 cells");
    }
}

/// Interpolation orders on a smooth function: about 3 for cubic and quintic, about 5 for the 6×6 patches.
#[test]
fn heights_converge_at_the_stated_orders() {
    let h = |x: f64, y: f64| (1.3 * x).sin() * (0.8 * y).cos();
    let error = |kind, n: usize| {
        let d = 4.0 / (n - 1) as f64;
        let map = sampled(grid(n, n, d, d), kind, h);
        let mut random = Random(5);
        // Away from the rim, where ghosts are second order for all kinds.
        (0..4000)
            .map(|_| {
                let (x, y) = (random.between(1.0, 3.0), random.between(1.0, 3.0));
                (map.jet(x, y).unwrap().z - h(x, y)).abs()
            })
            .fold(0.0, f64::max)
    };
    for (kind, order) in [(Interpolation::Cubic, 2.8), (Interpolation::Quintic, 2.8), (Interpolation::Quintic6, 4.7)] {
        let measured = (error(kind, 33) / error(kind, 65)).log2();
        assert!(measured > order, "{kind:?}: order {measured}");
    }
}

/// The bowl 0.2x² + 0.2y² is in the space of the patches: round-off only, whatever the origin. (The matrices of
/// absolute powers in the paper lose 3e12 m at x = 5e5.) Slopes and curvature of the surface come along.
#[test]
fn georeferenced_bowl_is_exact_to_round_off() {
    let g = Grid { nx: 11, ny: 11, dx: 1.0, dy: 1.0, x0: 5.0e5 - 5.0, y0: 4.4e6 - 5.0 };
    let h = |k: usize| 0.2 * ((k % 11) as f64 - 5.0).powi(2) + 0.2 * ((k / 11) as f64 - 5.0).powi(2);
    for kind in ALL {
        let map = ElevationMap::new(g, Samples::F64((0..121).map(h).collect()), kind).unwrap();
        for k in 0..200 {
            let (u, v) = (-4.9 + 9.8 * f64::from(k % 20) / 20.0, -4.9 + 9.8 * f64::from(k / 20) / 10.0);
            let jet = map.jet_georeferenced(5.0e5 + u, 4.4e6 + v).unwrap();
            // The query itself is rounded to 2^-31 m at 4.4e6 m; slope 2 at most.
            assert!((jet.z - 0.2 * (u * u + v * v)).abs() < 2e-9, "{kind:?}");
            let local = map.jet(5.0 + u, 5.0 + v).unwrap();
            assert!((local.z - 0.2 * (u * u + v * v)).abs() < 2e-14, "{kind:?}");
            assert!((local.zxx - 0.4).abs() < 1e-13 && local.zxy.abs() < 1e-13, "{kind:?}");
        }
    }
}

/// A map of heights around 8,000 m with 1 mm detail keeps its derivatives: heights are taken relative to the cell.
#[test]
fn high_ground_loses_no_curvature() {
    let low = sampled(grid(12, 12, 0.1, 0.1), Interpolation::Quintic, |x, y| 1e-3 * (20.0 * x).sin() + y * y);
    let high =
        sampled(grid(12, 12, 0.1, 0.1), Interpolation::Quintic, |x, y| 8192.0 + (1e-3 * (20.0 * x).sin() + y * y));
    for k in 0..100 {
        let (x, y) = (0.15 + 0.008 * f64::from(k), 0.9 - 0.007 * f64::from(k));
        let (a, b) = (low.jet(x, y).unwrap(), high.jet(x, y).unwrap());
        // The samples themselves are rounded to 9e-13 m up there; /dx² and weights make 1e-9.
        assert!((a.zxx - b.zxx).abs() < 2e-9 && (a.zyy - b.zyy).abs() < 2e-9);
    }
}

/// Number types: heights that fit are the same surface bit for bit; scale and offset act after interpolation.
#[test]
fn sample_types_give_the_same_surface() {
    let g = grid(8, 7, 0.5, 0.25);
    let raw: Vec<i16> = (0..56).map(|k| ((k * 37) % 101) as i16 - 50).collect();
    let maps = [
        Samples::F64(raw.iter().map(|&v| f64::from(v)).collect()),
        Samples::F32(raw.iter().map(|&v| f32::from(v)).collect()),
        Samples::I16 { raw: raw.clone(), missing: Some(-999) },
        Samples::U16 { raw: raw.iter().map(|&v| (v + 50) as u16).collect(), missing: Some(60000) },
    ];
    let jets: Vec<HeightJet> = maps
        .into_iter()
        .enumerate()
        .map(|(k, samples)| {
            let offset = if k == 3 { -50.0 } else { 0.0 };
            ElevationMap::with_scale(g, samples, 1.0, offset, Interpolation::Quintic).unwrap().jet(1.3, 0.8).unwrap()
        })
        .collect();
    assert_eq!(jets[0], jets[1]);
    assert_eq!(jets[0], jets[2]);
    assert!((jets[0].z - jets[3].z).abs() < 1e-12 && (jets[0].zxx - jets[3].zxx).abs() < 1e-12);
}

/// Normal and shape operator against finite differences of the surface itself.
#[test]
fn normal_and_shape_operator_are_derivatives_of_the_surface() {
    for kind in ALL {
        let map = common::gentle_map(kind);
        let mut random = Random(17);
        for _ in 0..200 {
            let near = Point3::new(random.between(0.5, 9.5), random.between(0.5, 11.5), 0.0);
            let at = map.point_near(&near).unwrap();
            let h = 1e-5;
            // Keep the difference stencil inside one cell: the cubic's curvature jumps between cells.
            let inside = |x: f64, d: f64| (x / d).fract() > 0.01 && (x / d).fract() < 0.99;
            if !inside(at.p.x, 0.25) || !inside(at.p.y, 0.4) {
                continue;
            }
            for step in [Vector3::x(), Vector3::y()] {
                let (plus, minus) =
                    (map.point_near(&(near + step * h)).unwrap(), map.point_near(&(near - step * h)).unwrap());
                let tangent = (plus.p - minus.p) / (2.0 * h);
                assert!(tangent.dot(&at.nhat).abs() < 1e-8, "normal");
                let turned = (plus.nhat - minus.nhat) / (2.0 * h);
                assert!((at.Dn * tangent - turned).norm() < 1e-6, "{kind:?} {}", (at.Dn * tangent - turned).norm());
            }
            assert!((at.Dn * at.nhat).norm() < 1e-14 && (at.nhat.norm() - 1.0).abs() < 1e-15);
            assert!((at.Dn - at.Dn.transpose()).norm() == 0.0);
        }
    }
}

/// The foot of a point on the whole map is the brute-force nearest of a dense sampling, above and below ground.
#[test]
fn closest_point_is_the_nearest_of_a_dense_sampling() {
    let map = common::gentle_map(Interpolation::Quintic);
    let mut random = Random(23);
    for _ in 0..60 {
        let p = Point3::new(random.between(2.0, 8.0), random.between(2.0, 10.0), random.between(-1.5, 2.5));
        let foot = map.closest_point(&p).unwrap();
        let mut best = f64::INFINITY;
        for a in 0..200 {
            for b in 0..200 {
                let (x, y) = (p.x - 2.0 + 0.02 * f64::from(a), p.y - 2.0 + 0.02 * f64::from(b));
                if let Ok(jet) = map.jet(x, y) {
                    best = best.min((Point3::new(x, y, jet.z) - p).norm());
                }
            }
        }
        let distance = foot.distance.abs();
        // A sample lies within 0.015 m of the foot: second order in that, over the distance.
        assert!(
            distance <= best + 1e-12 && best <= distance + 0.015_f64.powi(2) / distance.max(0.02),
            "{distance} {best}"
        );
        let above = p.z > map.jet(p.x, p.y).unwrap().z;
        assert_eq!(foot.distance > 0.0, above);
        assert!((foot.p + foot.nhat * foot.distance - p).norm() < 1e-12);
    }
}

/// Outside, on a hole, NaN: typed errors, each with the place.
#[test]
fn places_without_surface_are_typed_errors() {
    let mut z = vec![0.0; 25];
    z[12] = f64::NAN;
    let map = ElevationMap::new(grid(5, 5, 1.0, 1.0), Samples::F64(z), Interpolation::Quintic).unwrap();
    assert_eq!(map.missing_nodes(), 1);
    assert!(matches!(map.jet(-0.1, 1.0), Err(SurfaceError::OffMap { .. })));
    assert!(matches!(map.jet(1.0, 4.1), Err(SurfaceError::OffMap { .. })));
    assert!(matches!(map.jet(f64::NAN, 1.0), Err(SurfaceError::OffMap { .. })));
    assert_eq!(map.jet(1.5, 1.5), Err(SurfaceError::Hole { i: 1, j: 1 }));
    assert!(map.jet(0.0, 0.0).is_ok() && map.jet(4.0, 4.0).is_ok() && map.jet(4.0, 0.0).is_ok());
    assert!(matches!(map.jet_in_cell(4, 0, 0.5, 0.5), Err(SurfaceError::OffMap { .. })));
    assert!(map.jet_in_cell(usize::MAX - 1, 0, 0.5, 0.5).is_err());
    assert!(map.jet_in_cell(0, 0, f64::NAN, 0.5).is_err());
    let error = map.jet(-0.1, 1.0).unwrap_err().to_string();
    assert!(error.contains("(-0.1, 1) m is outside the map") && error.contains("0 to 4 m"), "{error}");
}

/// Maps that cannot be: the documented error for each.
#[test]
fn unusable_maps_are_refused() {
    let make = |g, z: Vec<f64>| ElevationMap::new(g, Samples::F64(z), Interpolation::Quintic);
    assert!(matches!(make(grid(1, 5, 1.0, 1.0), vec![0.0; 5]), Err(MapError::TooSmall { nx: 1, ny: 5 })));
    assert!(matches!(make(grid(3, 3, 1.0, 1.0), vec![0.0; 8]), Err(MapError::WrongCount { got: 8, .. })));
    assert!(matches!(make(grid(usize::MAX, 3, 1.0, 1.0), vec![0.0; 8]), Err(MapError::WrongCount { .. })));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(make(grid(3, 3, bad, 1.0), vec![0.0; 9]), Err(MapError::BadNumber { .. })), "{bad}");
    }
    assert!(matches!(make(grid(3, 3, 1.0, 1.0), vec![f64::NAN; 9]), Err(MapError::NoData { with_data: 0, nodes: 9 })));
    let mut z = vec![0.0; 9];
    z[5] = f64::INFINITY;
    assert!(matches!(make(grid(3, 3, 1.0, 1.0), z), Err(MapError::InfiniteHeight { i: 2, j: 1, .. })));
    let huge = make(grid(3, 3, 1.0, 1.0), vec![-3.4e38; 9]).unwrap_err().to_string();
    assert!(huge.contains("within ±1e30") && huge.contains("node (0, 0)"), "an unmarked NODATA value: {huge}");
    // A checkerboard has data but no cell.
    let checker = (0..16).map(|k| if (k + k / 4) % 2 == 0 { 1.0 } else { f64::NAN }).collect();
    assert!(matches!(make(grid(4, 4, 1.0, 1.0), checker), Err(MapError::NoData { with_data: 8, nodes: 16 })));
    // Extreme but defined: cells of ratio 1e6 still answer.
    let long = make(grid(4, 4, 1e3, 1e-3), (0..16).map(f64::from).collect()).unwrap();
    assert!(long.jet(1500.0, 0.0015).unwrap().z.is_finite());
    assert!(make(grid(2, 2, 1.0, 1.0), vec![0.0, 1.0, 2.0, 3.0]).unwrap().jet(0.5, 0.5).unwrap().z == 1.5);
}

/// Memory beyond the samples stays small: the rim's stand-ins and a fraction of a byte per sample.
#[test]
fn overhead_is_a_small_part_of_the_samples() {
    let n = 1500;
    let map = ElevationMap::new(grid(n, n, 1.0, 1.0), Samples::F32(vec![1.5; n * n]), Interpolation::Quintic).unwrap();
    let share = map.overhead_bytes() as f64 / (4 * n * n) as f64;
    assert!(share < 0.1, "overhead {share} of the samples");
}
