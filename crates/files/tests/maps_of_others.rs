//! Maps made by others, with what others say of them: gz-common's tests (Moon, Bay Area) and the text of
//! landlab's grids. They are not part of the project; where they are absent the tests are skipped.

#[path = "../../contact/tests/common/skipped.rs"]
mod skipped;

use std::path::PathBuf;

use fingerpad_contact::surface::elevation::{Grid, Samples};
use fingerpad_files::terrain::{self, Degrees, TerrainError, TerrainFormat, TerrainOptions};

fn map(name: &str) -> Option<PathBuf> {
    skipped::asset(&format!("terrain/{name}"))
}

/// Figures of gz-common's `Dem_TEST.cc`: heights to the digits printed there; 80.04 m on the ground, 80.078 m on the
/// map (33 pixels of 2.42661 m).
#[test]
fn moon_is_as_high_and_as_wide_as_gz_common_says() {
    let Some(path) = map("gz_common/dem_moon.tif") else { return };
    let moon = terrain::read(&path, &TerrainOptions::default()).unwrap();
    assert_eq!((moon.grid.nx, moon.grid.ny), (33, 33));
    let (low, high) = moon.height_range().unwrap();
    assert!((low - -212.29616).abs() < 1e-5 && (high - -205.44009).abs() < 1e-5, "{low} {high}");
    assert!((moon.width() - 80.078).abs() < 1e-3 && (moon.height() - 80.078).abs() < 1e-3);
    assert!((moon.ground_width().unwrap() - 80.0417).abs() < 1e-4, "{:?}", moon.ground_width());
    assert_eq!(moon.crs.as_deref(), Some("Moon2000_npole"));
    assert!(moon.warnings.is_empty(), "{:?}", moon.warnings);
    // A pixel is an area: the first node lies half a pixel into the map.
    assert!((moon.grid.x0 - (-53750.0 + 1.2133)).abs() < 1e-4);
    assert!((moon.grid.y0 - (-51050.0 - 32.5 * 2.42661)).abs() < 1e-3);
}

/// Heights of the corners and the size, from the same tests; theirs are great-circle lengths on a sphere, which
/// differ from the ellipsoid's by up to 0.34 % (flattening).
#[test]
fn bay_area_map_in_degrees_is_refused_then_read_in_local_metres() {
    let Some(path) = map("gz_common/dem_squared.tif") else { return };
    let refused = terrain::read(&path, &TerrainOptions::default()).unwrap_err();
    assert!(matches!(refused, TerrainError::Degrees { .. }));
    assert!(refused.to_string().contains("gdalwarp -t_srs EPSG:32610"), "{refused}");

    let options = TerrainOptions { degrees: Degrees::Local, ..Default::default() };
    let bay = terrain::read(&path, &options).unwrap();
    assert_eq!((bay.grid.nx, bay.grid.ny), (129, 129));
    let (low, high) = bay.height_range().unwrap();
    assert!((low - 65.3583).abs() < 1e-4 && (high - 318.441).abs() < 1e-3, "{low} {high}");
    for (i, j, z) in [(0, 128, 215.82324), (128, 128, 216.04961), (0, 0, 142.2274), (128, 0, 209.14784)] {
        assert!((bay.node_height(i, j) - z).abs() < 1e-4, "({i}, {j}): {}", bay.node_height(i, j));
    }
    assert!((bay.height() / 3984.0 - 1.0).abs() < 5e-3 && (bay.width() / 3140.0 - 1.0).abs() < 5e-3);
    assert_eq!(bay.crs.as_deref(), Some("EPSG:4269 (GCS_North_American_1983)"));
    assert!(bay.warnings[0].contains("lengths are off by up to 0.02 %"), "{:?}", bay.warnings);
}

/// 16-bit, pixel-is-point, NODATA −32767; 4129 heights from 682 m to 2932 m by unpacking its two strips by hand.
#[test]
fn map_with_holes_keeps_them() {
    let Some(path) = map("gz_common/dem_nodata.dem") else { return };
    let holed = terrain::read(&path, &TerrainOptions::default()).unwrap();
    assert_eq!(holed.format, TerrainFormat::GeoTiff);
    let Samples::I16 { raw, missing } = &holed.samples else { panic!("16-bit samples") };
    assert_eq!((raw.len(), *missing), (65 * 65, Some(-32767)));
    assert_eq!(raw.iter().filter(|z| **z != -32767).count(), 4129);
    let (low, high) = holed.height_range().unwrap();
    assert_eq!((low, high), (682.0, 2932.0));
    assert_eq!(holed.crs.as_deref(), Some("EPSG:26710 (UTM Zone 10, Northern Hemisphere)"));
    let Grid { dx, dy, x0, y0, .. } = holed.grid;
    assert!((dx - 150.923_076_9).abs() < 1e-6 && dy == 216.0);
    assert!((x0 - 557_880.461_538).abs() < 1e-5 && y0 == 5_121_897.0 - 64.0 * 216.0);
}

/// The text itself is the opinion: word counting as `wc` would, first and last words by eye.
#[test]
fn landlab_grids_are_read_whole() {
    for (name, nx, ny, dx, x0, y0, holes) in [
        ("4_x_3.asc", 3, 4, 10.0, 6.0, 7.0, false),
        ("4_x_3_no_nodata_value.asc", 3, 4, 10.0, 6.0, 7.0, false),
        ("DEM-kootenai_37x50_1x1.asc", 50, 37, 1.0, 556_440.5, 5_394_932.5, false),
        ("hugo_site.asc", 76, 55, 10.0, 5.0, 5.0, true),
        ("west_bijou_gully.asc", 43, 89, 3.0, 559_706.5, 4_380_221.5, true),
    ] {
        let Some(path) = map(&format!("landlab/{name}")) else { continue };
        let terrain = terrain::read(&path, &TerrainOptions::default()).unwrap();
        assert_eq!(terrain.grid, Grid { nx, ny, dx, dy: dx, x0, y0 }, "{name}");
        assert!(terrain.warnings.is_empty(), "{name}: {:?}", terrain.warnings);
        let text = std::fs::read_to_string(&path).unwrap();
        let rows: Vec<&str> = text.lines().skip_while(|l| l.starts_with(|c: char| c.is_alphabetic())).collect();
        let nodata = if name.starts_with("west") { 0.0 } else { -9999.0 };
        let mut missing = 0;
        for (k, word) in rows.join(" ").split_whitespace().enumerate() {
            let expected: f64 = word.parse().unwrap();
            let got = terrain.node_height(k % nx, ny - 1 - k / nx);
            missing += usize::from(expected == nodata);
            assert!(got == expected || (expected == nodata && got.is_nan()), "{name}: word {k}");
        }
        assert_eq!(missing > 0, holes, "{name}");
    }
}
