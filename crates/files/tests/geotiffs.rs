//! GeoTIFFs: every way of storing the same heights, every way of placing them, and what is refused.

mod made;

use std::io::{Cursor, Seek, Write};

use fingerpad_contact::surface::elevation::{Grid, Samples};
use fingerpad_files::terrain::{self, Degrees, Terrain, TerrainError, TerrainFormat, TerrainOptions};
use made::{Packing, Sample, Tiff, Value, height, keys};
use tiff::encoder::{Compression, DirectoryEncoder, Predictor, TiffEncoder, TiffKind, colortype};
use tiff::tags::Tag;

fn read(bytes: &[u8]) -> Result<Terrain, TerrainError> {
    terrain::read_bytes(bytes, "map.tif", &TerrainOptions::default())
}

fn complaint(tiff: &Tiff) -> String {
    read(&tiff.bytes()).expect_err("should be refused").to_string()
}

fn check_heights(terrain: &Terrain, label: &str) {
    let Grid { nx, ny, .. } = terrain.grid;
    for row in 0..ny {
        for i in 0..nx {
            assert_eq!(terrain.node_height(i, ny - 1 - row), height(i, row), "{label}: column {i}, row {row}");
        }
    }
}

/// Would catch any mix-up of byte order, predictor, padding of tiles, last short strip, or direction of rows.
#[test]
fn all_ways_of_storing_the_same_heights_read_the_same() {
    let (nx, ny) = (21, 18);
    let mut read_ways = 0;
    for sample in [Sample::F32, Sample::F64, Sample::I16, Sample::U16] {
        for packing in [Packing::None, Packing::Lzw, Packing::Deflate, Packing::PackBits] {
            for predictor in [1, 2, 3] {
                if predictor == 3 && !matches!(sample, Sample::F32 | Sample::F64) {
                    continue;
                }
                for (tile, rows_per_strip) in
                    [(None, 1), (None, 5), (None, ny), (Some((16, 16)), 0), (Some((32, 48)), 0), (Some((16, 32)), 0)]
                {
                    for (big_endian, big_tiff) in [(false, false), (true, false), (false, true), (true, true)] {
                        let made = Tiff {
                            packing,
                            predictor,
                            tile,
                            rows_per_strip,
                            big_endian,
                            big_tiff,
                            ..Tiff::new(nx, ny)
                        };
                        let made = made.of(sample);
                        let label = format!(
                            "{sample:?} {packing:?} {predictor} {tile:?} {rows_per_strip} {big_endian} {big_tiff}"
                        );
                        let terrain = read(&made.bytes()).unwrap_or_else(|e| panic!("{label}: {e}"));
                        check_heights(&terrain, &label);
                        read_ways += 1;
                    }
                }
            }
        }
    }
    // 2 types with 3 predictors and 2 with 2, times 4 packings, 6 shapes of chunks and 4 kinds of file.
    assert_eq!(read_ways, (2 * 3 + 2 * 2) * 4 * 6 * 4);
}

/// Would catch letting the decoder crop tiles: its LZW reader then failed on some of the padded ones. Noise, so
/// that packed chunks are also longer than the decoder's buffer of 32 KiB.
#[test]
fn padded_and_long_chunks_of_noise_are_read_whole() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 48) as f64
    };
    for (nx, ny) in [(150, 130), (37, 41), (33, 16)] {
        let z: Vec<f64> = (0..nx * ny).map(|_| noise()).collect();
        for packing in [Packing::Lzw, Packing::Deflate, Packing::PackBits] {
            for tile in [None, Some((16, 16)), Some((48, 32)), Some((128, 128)), Some((160, 144))] {
                for sample in [Sample::U16, Sample::F64] {
                    let made = Tiff { packing, tile, z: z.clone(), ..Tiff::new(nx, ny) }.of(sample);
                    let terrain = read(&made.bytes()).unwrap();
                    for (k, z) in z.iter().enumerate() {
                        assert_eq!(terrain.node_height(k % nx, ny - 1 - k / nx), *z);
                    }
                }
            }
        }
    }
}

fn place<W: Write + Seek, K: TiffKind>(directory: &mut DirectoryEncoder<W, K>) {
    directory.write_tag(Tag::Unknown(33550), &[30.0, 30.0, 0.0][..]).unwrap();
    directory.write_tag(Tag::Unknown(33922), &[0.0, 0.0, 0.0, 500_000.0, 4_000_000.0, 0.0][..]).unwrap();
}

/// The `tiff` crate's own writer as the other hand; an extension would say nothing of the format.
#[test]
fn files_of_another_writer_are_read_whatever_their_name() {
    let (nx, ny) = (40_usize, 30_usize);
    let z: Vec<f32> = (0..ny).flat_map(|row| (0..nx).map(move |i| height(i, row) as f32)).collect();
    let directory = tempfile::tempdir().unwrap();
    for (compression, predictor) in [
        (Compression::Uncompressed, Predictor::None),
        (Compression::Lzw, Predictor::Horizontal),
        (Compression::Deflate(Default::default()), Predictor::None),
    ] {
        let mut file = Cursor::new(Vec::new());
        let encoder = TiffEncoder::new(&mut file).unwrap().with_compression(compression);
        let whole: Vec<i16> = z.iter().map(|z| *z as i16).collect();
        if predictor == Predictor::Horizontal {
            let mut encoder = encoder.with_predictor(predictor);
            let mut image = encoder.new_image::<colortype::GrayI16>(nx as u32, ny as u32).unwrap();
            place(image.encoder());
            image.write_data(&whole).unwrap();
        } else {
            let mut encoder = encoder;
            let mut image = encoder.new_image::<colortype::Gray32Float>(nx as u32, ny as u32).unwrap();
            place(image.encoder());
            image.write_data(&z).unwrap();
        }
        let path = directory.path().join("map.dem");
        std::fs::write(&path, file.get_ref()).unwrap();
        let terrain = terrain::read(&path, &TerrainOptions::default()).unwrap();
        assert_eq!(terrain.format, TerrainFormat::GeoTiff);
        check_heights(&terrain, "another writer");
    }
}

/// Corner of the map (500,000, 4,000,000), pixels of 30 m, 18 rows: by hand.
#[test]
fn areas_have_their_node_at_the_centre_and_points_at_the_tie() {
    let area = read(&Tiff::new(21, 18).bytes()).unwrap();
    assert_eq!(area.grid, Grid { nx: 21, ny: 18, dx: 30.0, dy: 30.0, x0: 500_015.0, y0: 4_000_000.0 - 17.5 * 30.0 });
    assert_eq!((area.width(), area.height()), (630.0, 540.0));
    assert_eq!(area.crs.as_deref(), Some("EPSG:32610"));
    assert!(area.warnings.is_empty(), "{:?}", area.warnings);
    // Without GTRasterType a pixel is an area.
    let default = Tiff::new(21, 18).with(34735, keys(&[(1024, 0, 1, 1), (3072, 0, 1, 32610)]));
    assert_eq!(read(&default.bytes()).unwrap().grid, area.grid);
    let point = Tiff::new(21, 18).with(34735, keys(&[(1024, 0, 1, 1), (1025, 0, 1, 2), (3072, 0, 1, 32610)]));
    let point = read(&point.bytes()).unwrap().grid;
    assert_eq!((point.x0, point.y0), (500_000.0, 4_000_000.0 - 17.0 * 30.0));
}

/// Would catch taking every tie for the north-west corner.
#[test]
fn any_pixel_may_be_the_tie_and_several_must_agree() {
    let grid = read(&Tiff::new(21, 18).bytes()).unwrap().grid;
    let tie = [10.0, 4.0, 0.0, 500_300.0, 4_000_000.0 - 120.0, 0.0];
    assert_eq!(read(&Tiff::new(21, 18).with(33922, Value::Double(tie.to_vec())).bytes()).unwrap().grid, grid);
    let corner = [0.0, 0.0, 0.0, 500_000.0, 4_000_000.0, 0.0];
    let both = Tiff::new(21, 18).with(33922, Value::Double([corner, tie].concat()));
    assert_eq!(read(&both.bytes()).unwrap().grid, grid);
    let wrong = [10.0, 4.0, 0.0, 500_400.0, 4_000_000.0 - 120.0, 0.0];
    let torn = Tiff::new(21, 18).with(33922, Value::Double([corner, wrong].concat()));
    assert!(complaint(&torn).contains("ModelTiepoints disagree"));
    assert!(complaint(&torn.without(33550)).contains("ground control points"));
}

fn with_matrix(m: [f64; 16]) -> Tiff {
    Tiff::new(21, 18).without(33550).without(33922).with(34264, Value::Double(m.to_vec()))
}

#[test]
fn a_matrix_places_the_map_unless_it_turns_it() {
    let (x, y) = (500_000.0, 4_000_000.0);
    let plain = [30.0, 0.0, 0.0, x, 0.0, -30.0, 0.0, y, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let terrain = read(&with_matrix(plain).bytes()).unwrap();
    assert_eq!(terrain, read(&Tiff::new(21, 18).bytes()).unwrap());
    // Rows that go north: the first row of the file is the south row.
    let mut upward = plain;
    upward[5] = 30.0;
    let terrain = read(&with_matrix(upward).bytes()).unwrap();
    assert_eq!(terrain.grid.y0, y + 15.0);
    assert_eq!(terrain.node_height(3, 2), height(3, 2));
    let mut turned = plain;
    (turned[1], turned[4]) = (0.5, 0.5);
    assert!(complaint(&with_matrix(turned)).contains("turns or shears the grid"));
    let mut mirrored = plain;
    mirrored[0] = -30.0;
    assert!(complaint(&with_matrix(mirrored)).contains("pixels of -30"));
}

/// GDAL's text for the most negative f32 has 17 digits; would catch comparing it as f64 with what an f64 parse
/// of fewer digits gives.
#[test]
fn nodata_is_found_in_every_sample_type() {
    let lowest = f64::from(f32::MIN);
    for (sample, marker, text) in [
        (Sample::F32, lowest, "-3.4028234663852886e+38"),
        (Sample::F32, lowest, "-3.4028235e+38"),
        (Sample::F32, f64::from(-9999.9_f32), "-9999.9"),
        (Sample::F32, f64::NAN, "nan"),
        (Sample::F32, f64::INFINITY, "inf"),
        (Sample::F64, -1e300, "-1e+300"),
        (Sample::F64, f64::NAN, "nan"),
        (Sample::I16, -32768.0, "-32768"),
        (Sample::U16, 65535.0, "65535 "),
    ] {
        let mut made = Tiff::new(4, 3).of(sample).with(42113, Value::Ascii(text.to_string()));
        made.z[5] = marker;
        let terrain = read(&made.bytes()).unwrap();
        assert!(terrain.node_height(1, 1).is_nan(), "{text}");
        assert_eq!(terrain.height_range(), Some((height(0, 2), height(3, 0))), "{text}");
        assert!(terrain.warnings.is_empty(), "{:?}", terrain.warnings);
    }
}

#[test]
fn nodata_that_samples_cannot_take_is_said_and_ignored() {
    for (sample, text) in [(Sample::I16, "-99999"), (Sample::U16, "-1"), (Sample::I16, "0.5"), (Sample::I16, "nan")] {
        let made = Tiff::new(4, 3).of(sample).with(42113, Value::Ascii(text.to_string()));
        let terrain = read(&made.bytes()).unwrap();
        assert!(terrain.warnings[0].contains("cannot occur"), "{:?}", terrain.warnings);
        check_heights(&terrain, text);
    }
    let nonsense = Tiff::new(4, 3).with(42113, Value::Ascii("none".into()));
    assert!(read(&nonsense.bytes()).unwrap().warnings[0].contains("\"none\" is not a number"));
}

#[test]
fn nan_is_missing_infinity_is_an_error_and_all_missing_too() {
    let mut made = Tiff::new(4, 3);
    made.z[2] = f64::NAN;
    assert!(read(&made.bytes()).unwrap().node_height(2, 2).is_nan());
    made.z[6] = f64::NEG_INFINITY;
    assert_eq!(complaint(&made), "map.tif: expected finite heights, got -inf (row 2 from the north, column 3)");
    let mut empty = Tiff::new(4, 3).of(Sample::I16).with(42113, Value::Ascii("-7".into()));
    empty.z.fill(-7.0);
    assert_eq!(complaint(&empty), "map.tif: all 12 nodes are NODATA; expected at least one height");
}

fn geographic(west: f64, north: f64, pixel: f64) -> Tiff {
    Tiff::new(21, 18)
        .with(33550, Value::Double(vec![pixel, pixel, 0.0]))
        .with(33922, Value::Double(vec![0.0, 0.0, 0.0, west, north, 0.0]))
        .with(34735, keys(&[(1024, 0, 1, 2), (1025, 0, 1, 1), (2048, 0, 1, 4326), (2054, 0, 1, 9102)]))
}

#[test]
fn degrees_are_refused_with_the_command_that_reprojects() {
    for (west, north, zone) in [(-122.3, 37.8, "EPSG:32610"), (151.2, -33.9, "EPSG:32756"), (10.0, 60.0, "EPSG:32632")]
    {
        let said = complaint(&geographic(west, north, 1.0 / 3600.0));
        assert!(said.contains(&format!("`gdalwarp -t_srs {zone} in.tif out.tif`")), "{said}");
        assert!(said.contains("coordinates are in degrees"), "{said}");
    }
    // Geographic by its code alone, without GTModelType.
    let bare = geographic(-122.3, 37.8, 1e-4).with(34735, keys(&[(2048, 0, 1, 4326)]));
    assert!(matches!(read(&bare.bytes()), Err(TerrainError::Degrees { .. })));
}

/// At 45° a degree of latitude is 111.132 km and one of longitude 78.847 km on WGS 84 (any table); cells of 0.01°.
#[test]
fn degrees_become_local_metres_when_asked() {
    let made = geographic(7.0, 45.09, 0.01);
    let options = TerrainOptions { degrees: Degrees::Local, ..Default::default() };
    let terrain = terrain::read_bytes(&made.bytes(), "map.tif", &options).unwrap();
    assert!((terrain.grid.dx - 788.47).abs() < 0.05 && (terrain.grid.dy - 1111.32).abs() < 0.05, "{:?}", terrain.grid);
    assert_eq!((terrain.grid.x0, terrain.grid.y0, terrain.ground_scale), (0.0, 0.0, Some(1.0)));
    // Half the map is 0.085° = 1.48 mrad, and tan 45° = 1: parallels shrink by 0.15 % to the northern row.
    assert!(terrain.warnings[0].contains("0.15 %"), "{:?}", terrain.warnings);
    check_heights(&terrain, "local metres");
    // Seconds of arc say the same as degrees.
    let seconds = geographic(7.0 * 3600.0, 45.09 * 3600.0, 36.0)
        .with(34735, keys(&[(1024, 0, 1, 2), (1025, 0, 1, 1), (2048, 0, 1, 4326), (2054, 0, 1, 9104)]));
    let seconds = terrain::read_bytes(&seconds.bytes(), "map.tif", &options).unwrap();
    assert!((seconds.grid.dx - terrain.grid.dx).abs() < 1e-9);
    let beyond = geographic(7.0, 95.0, 0.01);
    assert!(matches!(terrain::read_bytes(&beyond.bytes(), "", &options), Err(TerrainError::Malformed { .. })));
}

/// 30 ft = 9.144 m; 30 US survey feet = 36,000/3937 m.
#[test]
fn feet_become_metres_with_a_word_about_it() {
    for (code, foot, name) in [(9002, 0.3048, "feet"), (9003, 1200.0 / 3937.0, "US survey feet")] {
        let made = Tiff::new(21, 18).with(34735, keys(&[(1024, 0, 1, 1), (3072, 0, 1, 2225), (3076, 0, 1, code)]));
        let terrain = read(&made.bytes()).unwrap();
        let grid = terrain.grid;
        assert_eq!((grid.dx, grid.dy, grid.x0), (30.0 * foot, 30.0 * foot, 500_015.0 * foot));
        assert_eq!(terrain.warnings, [format!("coordinates in {name} were turned into metres")]);
        check_heights(&terrain, name);

        let made = Tiff::new(21, 18).with(34735, keys(&[(1024, 0, 1, 1), (3072, 0, 1, 32610), (4099, 0, 1, code)]));
        let terrain = read(&made.bytes()).unwrap();
        assert_eq!((terrain.z_scale, terrain.grid.dx), (foot, 30.0));
        assert_eq!(terrain.warnings, [format!("heights in {name} were turned into metres")]);
    }
    let chains = Tiff::new(21, 18).with(34735, keys(&[(1024, 0, 1, 1), (3072, 0, 1, 1), (3076, 0, 1, 9097)]));
    assert!(complaint(&chains).contains("unit of length EPSG:9097; expected metre 9001"));
    // A unit of the file's own: half a metre.
    let own = keys(&[(1024, 0, 1, 1), (3076, 0, 1, 32767), (3077, 34736, 1, 0)]);
    let own = Tiff::new(21, 18).with(34735, own).with(34736, Value::Double(vec![0.5]));
    assert_eq!(read(&own.bytes()).unwrap().grid.dx, 15.0);
}

/// EPSG:2225 is in US survey feet, which only its name would tell.
#[test]
fn a_grid_that_may_be_in_feet_and_does_not_say_is_doubted() {
    let made = Tiff::new(4, 3).with(34735, keys(&[(1024, 0, 1, 1), (3072, 0, 1, 2225)]));
    assert!(read(&made.bytes()).unwrap().warnings[0].contains("unit of length"));
    let made = Tiff::new(4, 3).with(34735, keys(&[(1024, 0, 1, 1), (3072, 0, 1, 32610)]));
    assert!(read(&made.bytes()).unwrap().warnings.is_empty());
}

#[test]
fn scale_offset_and_unit_of_gdal_reach_the_heights() {
    let xml = "<GDALMetadata>\n  <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">-100</Item>\n  \
               <Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item>\n  \
               <Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">ft</Item>\n</GDALMetadata>\n";
    let terrain = read(&Tiff::new(4, 3).of(Sample::I16).with(42112, Value::Ascii(xml.into())).bytes()).unwrap();
    let expected = 0.3048 * (-100.0 + 0.5 * height(0, 0));
    assert!((terrain.node_height(0, 2) - expected).abs() < 1e-9);
    let metres = xml.replace("ft", "m");
    let terrain = read(&Tiff::new(4, 3).with(42112, Value::Ascii(metres)).bytes()).unwrap();
    assert_eq!((terrain.z_scale, terrain.z_offset, terrain.warnings.len()), (0.5, -100.0, 0));
}

/// 2,000 km from the pole of a Moon (R = 1737.4 km, k₀ = 1): k = 1 + (2000/3474.8)² = 1.331284.
#[test]
fn ground_scale_of_a_polar_stereographic_map_is_known() {
    let list = [
        (1024, 0, 1, 1),
        (1025, 0, 1, 2),
        (2057, 34736, 1, 0),
        (2058, 34736, 1, 0),
        (3075, 0, 1, 15),
        (3081, 34736, 1, 1),
        (3082, 34736, 1, 2),
    ];
    let made = Tiff::new(3, 3)
        .with(33922, Value::Double(vec![1.0, 1.0, 0.0, 1_700_000.0, 1_600_000.0, 0.0]))
        .with(34735, keys(&list))
        .with(34736, Value::Double(vec![1_737_400.0, 90.0, 500_000.0]));
    let terrain = read(&made.bytes()).unwrap();
    let k = terrain.ground_scale.unwrap();
    assert!((k - 1.331_284).abs() < 1e-6, "{k}");
    assert!((terrain.ground_width().unwrap() - 90.0 / k).abs() < 1e-12);
    assert!(terrain.warnings[1].contains("1.33128 times those on the ground"));
    // Web Mercator at 60° N, where lengths double.
    let north = 6_378_137.0 * 75_f64.to_radians().tan().ln();
    let made = Tiff::new(3, 3)
        .with(33922, Value::Double(vec![1.5, 1.5, 0.0, 0.0, north, 0.0]))
        .with(34735, keys(&[(1024, 0, 1, 1), (3072, 0, 1, 3857)]));
    assert!((read(&made.bytes()).unwrap().ground_scale.unwrap() - 2.0).abs() < 1e-9);
}

#[test]
fn a_file_that_names_no_coordinates_is_taken_as_metres_with_a_doubt() {
    let terrain = read(&Tiff::new(4, 3).without(34735).bytes()).unwrap();
    assert!(terrain.crs.is_none() && terrain.warnings[0].contains("taken as metres"));
}

#[test]
fn unplaced_coloured_and_foreign_images_are_refused_by_name() {
    let plain = || Tiff::new(4, 3);
    for (made, said) in [
        (plain().without(33550).without(33922), "no georeference"),
        (plain().without(33922), "no georeference"),
        (plain().with(33550, Value::Double(vec![0.0, 0.0, 0.0])), "must be positive"),
        (plain().with(33550, Value::Double(vec![f64::NAN, 30.0, 0.0])), "pixels of NaN"),
        (plain().of(Sample::U8), "8-bit unsigned integers; expected float32, float64, int16 or uint16"),
        (plain().with(339, Value::Short(vec![1])), "32-bit unsigned integers; expected"),
        (plain().with(277, Value::Short(vec![3])), "3 bands; expected one band"),
        (plain().with(338, Value::Short(vec![0])), "bands; expected one band"),
        (plain().with(262, Value::Short(vec![0])), "photometric interpretation 0; expected 1"),
        (plain().with(262, Value::Short(vec![2])), "photometric interpretation 2; expected 1"),
        (plain().with(259, Value::Short(vec![7])), "compression 7 (JPEG); expected none, deflate, LZW or PackBits"),
        (plain().with(259, Value::Short(vec![50000])), "compression 50000 (ZSTD)"),
        (plain().with(34735, keys(&[(1024, 0, 1, 3)])), "geocentric"),
        (plain().with(279, Value::Long(vec![0])), "strip 0 is empty (a sparse file)"),
        (plain().with(279, Value::Long(vec![47])), "too short for 48 bytes"),
        (plain().with(273, Value::Long(vec![1 << 30])), "outside the file"),
        (plain().with(278, Value::Long(vec![1])), "3 strips expected, 1 offsets and 1 byte counts found"),
        (plain().with(278, Value::Long(vec![0])), "no rows in strips"),
        (plain().with(256, Value::Long(vec![0])), "no width"),
    ] {
        assert!(complaint(&made).contains(said), "expected {said:?}, got {:?}", complaint(&made));
    }
    // Rows per strip of 2³² − 1 is the standard's default: all rows in one.
    check_heights(&read(&plain().with(278, Value::Long(vec![u32::MAX])).bytes()).unwrap(), "one strip");
}

/// Would catch allocating what the header announces: 2 GB here, by 500 bytes.
#[test]
fn sizes_that_the_file_cannot_hold_are_refused_before_memory() {
    for packing in [Packing::None, Packing::Lzw, Packing::Deflate] {
        let made = Tiff { packing, ..Tiff::new(4, 3) };
        let wide = made.clone().with(256, Value::Long(vec![16_000])).with(257, Value::Long(vec![16_000]));
        assert!(matches!(read(&wide.bytes()), Err(TerrainError::TooShort { columns: 16_000, .. })));
        let huge = made.clone().with(256, Value::Long(vec![u32::MAX])).with(257, Value::Long(vec![u32::MAX]));
        assert!(matches!(read(&huge.bytes()), Err(TerrainError::TooLarge { .. })));
        let tile = Tiff { tile: Some((16, 16)), ..made }.with(322, Value::Long(vec![u32::MAX]));
        assert!(matches!(read(&tile.bytes()), Err(TerrainError::TooShort { .. })));
    }
    let few = TerrainOptions { max_nodes: 11, ..Default::default() };
    let refused = terrain::read_bytes(&Tiff::new(4, 3).bytes(), "map.tif", &few);
    assert!(matches!(refused, Err(TerrainError::TooLarge { limit: 11, .. })));
}

#[test]
fn cells_of_absurd_shape_are_doubted() {
    let made = Tiff::new(4, 3).with(33550, Value::Double(vec![1.0, 1e6, 0.0]));
    assert!(read(&made.bytes()).unwrap().warnings[0].contains("is one of the spacings wrong"));
}

/// Heights stay in the type of the file: a map of 16-bit heights takes 2 bytes a node.
#[test]
fn samples_keep_the_type_of_the_file() {
    let kind = |sample| read(&Tiff::new(4, 3).of(sample).bytes()).unwrap().samples;
    assert!(matches!(kind(Sample::F32), Samples::F32(_)));
    assert!(matches!(kind(Sample::F64), Samples::F64(_)));
    assert!(matches!(kind(Sample::I16), Samples::I16 { missing: None, .. }));
    assert!(matches!(kind(Sample::U16), Samples::U16 { missing: None, .. }));
}
