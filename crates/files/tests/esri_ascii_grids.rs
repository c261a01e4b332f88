//! ESRI ASCII grids: what is taken, where nodes land, and what is said of those that are wrong.

use fingerpad_contact::surface::elevation::Samples;
use fingerpad_files::terrain::{self, Degrees, Terrain, TerrainError, TerrainFormat, TerrainOptions};

fn read(text: &str) -> Result<Terrain, TerrainError> {
    terrain::read_bytes(text.as_bytes(), "grid.asc", &TerrainOptions::default())
}

fn complaint(text: &str) -> String {
    read(text).expect_err(text).to_string()
}

const HEAD: &str = "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ncellsize 10\n";

fn heights(terrain: &Terrain) -> Vec<f64> {
    let Samples::F64(z) = &terrain.samples else { panic!("text is read as f64") };
    z.clone()
}

/// Would catch rows kept north first and corners taken for nodes.
#[test]
fn first_line_is_the_north_row_and_nodes_are_cell_centres() {
    let terrain = read(&format!("{HEAD}NODATA_value -9999\n1 2 3\n4 -9999 6\n")).unwrap();
    assert_eq!(terrain.format, TerrainFormat::EsriAscii);
    let grid = terrain.grid;
    assert_eq!((grid.nx, grid.ny, grid.dx, grid.dy), (3, 2, 10.0, 10.0));
    assert_eq!((grid.x0, grid.y0), (105.0, 205.0));
    assert_eq!(terrain.node_height(0, 0), 4.0);
    assert!(terrain.node_height(1, 0).is_nan());
    assert_eq!(terrain.node_height(2, 1), 3.0);
    assert_eq!(terrain.height_range(), Some((1.0, 6.0)));
    assert_eq!((terrain.width(), terrain.height(), terrain.ground_width()), (30.0, 20.0, None));
    assert!(terrain.warnings.is_empty(), "{:?}", terrain.warnings);
}

/// Six files that say the same; the first is the plainest.
#[test]
fn case_order_line_ends_and_wrapping_do_not_matter() {
    let plain = read(&format!("{HEAD}NODATA_value -1\n1 2 3\n4 5e1 -0.5\n")).unwrap();
    let same = [
        "NCOLS 3\nNROWS 2\nXLLCORNER 100\nYLLCORNER 200\nCELLSIZE 10\nNODATA_VALUE -1\n1 2 3\n4 50 -.5",
        "cellsize 10\nNODATA_value -1\nyllcorner 200\nxllcorner 100\nnrows 2\nncols 3\n1 2 3\n4 50. -5e-1\n",
        "ncols 3\r\nnrows 2\r\nxllcorner 100\r\nyllcorner 200\r\ncellsize 10\r\nNODATA_value -1\r\n1 2 3\r\n4 50 -0.5\r\n",
        "ncols\t3 nrows 2 xllcorner 100 yllcorner 200 cellsize 10 nodata_value -1 1\n2\n\n3 4 +50 -0.5 \n\n",
        "ncols 3\nnrows 2\nxllcenter 105\nyllcenter 205\ndx 10\ndy 10.0\nNODATA_value -1.0\n1 2 3 4 5.0E+01 -0.5",
        "\u{feff}ncols 3\nnrows 2\nxllcorner 100\nyllcenter 205\ncellsize 1e1\nNODATA -1\n1 2 3\n4 50 -0.5\n",
    ];
    for text in same {
        assert_eq!(read(text).unwrap(), plain, "{text}");
    }
}

#[test]
fn cells_that_are_not_square_keep_both_spacings() {
    let terrain = read("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ndx 2\ndy 5\n1 2\n3 4\n").unwrap();
    assert_eq!((terrain.grid.dx, terrain.grid.dy, terrain.grid.x0, terrain.grid.y0), (2.0, 5.0, 1.0, 2.5));
}

/// Would catch comparing NODATA as text, as words would.
#[test]
fn nodata_is_compared_as_a_number_and_nan_is_missing_too() {
    let z = heights(&read(&format!("{HEAD}NODATA_value -9999.000\n-9999 -9.999e3 nan\nNaN 5 6\n")).unwrap());
    assert_eq!(z.iter().filter(|z| z.is_nan()).count(), 4);
    let z = heights(&read(&format!("{HEAD}NODATA_value nan\nnan 1 2\n3 4 5\n")).unwrap());
    assert_eq!(z.iter().filter(|z| z.is_nan()).count(), 1);
    // An infinite marker is a marker like any other.
    let z = heights(&read(&format!("{HEAD}NODATA_value inf\ninf 1 2\n3 4 5\n")).unwrap());
    assert_eq!(z.iter().filter(|z| z.is_nan()).count(), 1);
}

#[test]
fn without_a_nodata_line_nothing_is_missing_and_minus_9999_is_doubted() {
    let terrain = read(&format!("{HEAD}1 2 3\n4 -9999 6\n")).unwrap();
    assert_eq!(terrain.node_height(1, 0), -9999.0);
    assert!(terrain.warnings[0].contains("no NODATA_value line, yet 1 heights are -9999"), "{:?}", terrain.warnings);
    assert!(read(&format!("{HEAD}1 2 3\n4 5 6\n")).unwrap().warnings.is_empty());
}

/// Would catch a word cut in two where the reader's buffer ends: 9,000 values through a buffer of every small size.
#[test]
fn words_across_buffer_ends_stay_whole() {
    let values: Vec<String> = (0..9000).map(|k| format!("{:.3}", f64::from(k) * 1.7 - 300.0)).collect();
    let text = format!("ncols 90 nrows 100 xllcorner 0 yllcorner 0 cellsize 1\n{}", values.join(" "));
    let whole = read(&text).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("grid.asc");
    std::fs::write(&path, &text).unwrap();
    assert_eq!(terrain::read(&path, &TerrainOptions::default()).unwrap(), whole);
    for (k, value) in values.iter().enumerate() {
        assert_eq!(whole.node_height(k % 90, 99 - k / 90), value.parse::<f64>().unwrap());
    }
    // The disk reader takes 128 KiB at a time: the same words around that border.
    for shift in 0..12 {
        let padded = format!("{}{text}", " ".repeat((1 << 17) - 1000 + shift));
        std::fs::write(&path, &padded).unwrap();
        assert_eq!(terrain::read(&path, &TerrainOptions::default()).unwrap(), whole);
    }
}

#[test]
fn a_bad_height_is_named_with_its_place() {
    assert_eq!(
        complaint(&format!("{HEAD}1 2 3\n4 1.2.3 6\n")),
        "grid.asc:7:3: expected a height, got \"1.2.3\" (row 2, column 2)"
    );
    assert_eq!(
        complaint(&format!("{HEAD}1 2 3\r\n4 5\r\n")),
        "grid.asc:8:1: expected a height, got the end of the file (row 2, column 3)"
    );
    assert_eq!(
        complaint(&format!("{HEAD}1 2 3\n4 5 6\n 7\n")),
        "grid.asc:8:2: expected the end of the file after 6 heights, got \"7\""
    );
    assert_eq!(
        complaint(&format!("{HEAD}1 2 3\n4 inf 6\n")),
        "grid.asc:7:3: expected a finite height, got \"inf\" (row 2, column 2)"
    );
    assert!(complaint(&format!("{HEAD}1 2 3\n4 1e999 6\n")).contains("finite height, got \"1e999\""));
    assert!(complaint(&format!("{HEAD}1,5 2 3\n4 5 6\n")).starts_with("grid.asc:6:1: expected a height, got \"1,5\""));
    assert!(complaint(&format!("{HEAD}{} 2", "1".repeat(5000))).contains("expected a height"));
}

#[test]
fn headers_that_lack_or_repeat_keys_are_named() {
    let all = ["ncols 3", "nrows 2", "xllcorner 1", "yllcorner 2", "cellsize 10"];
    for (k, key) in all.iter().enumerate() {
        let rest: Vec<&str> = all.iter().enumerate().filter(|(j, _)| *j != k).map(|(_, key)| *key).collect();
        let text = format!("{}\n1 2 3\n4 5 6\n", rest.join("\n"));
        let name = key.split(' ').next().unwrap();
        let expected = format!("grid.asc:5:1: expected the key `{name}` before the first height, got \"1\"");
        assert_eq!(complaint(&text), expected);
        let twice = format!("{HEAD}{key}\n1 2 3\n4 5 6\n");
        assert!(complaint(&twice).starts_with("grid.asc:6:1: expected no second key beside"), "{}", complaint(&twice));
    }
    assert!(
        complaint(&format!("{HEAD}xllcenter 5\n1 2 3\n4 5 6\n")).contains("`xllcorner` of line 3, got \"xllcenter\"")
    );
    assert!(complaint(&format!("{HEAD}dx 5\n1 2 3\n4 5 6\n")).contains("`cellsize` of line 5, got \"dx\""));
    let half = "ncols 3\nnrows 2\nxllcorner 100\nyllcorner 200\ndx 10\n1 2 3\n4 5 6\n";
    assert!(complaint(half).contains("the key `dy`"));
    assert!(complaint("").contains("the key `ncols` before the first height, got the end of the file"));
    assert!(complaint("hello world").contains("neither TIFF nor PNG"));
    assert!(complaint("ncols").contains("expected a whole number of columns, at least 1, got the end of the file"));
}

#[test]
fn header_values_must_make_sense() {
    for (from, to, said) in [
        ("ncols 3", "ncols 0", "grid.asc:1:7: expected a whole number of columns, at least 1, got \"0\""),
        ("ncols 3", "ncols 3.5", "columns, at least 1, got \"3.5\""),
        ("nrows 2", "nrows -2", "grid.asc:2:7: expected a whole number of rows, at least 1, got \"-2\""),
        ("nrows 2", "nrows 99999999999999999999", "rows, at least 1, got \"99999999999999999999\""),
        ("cellsize 10", "cellsize 0", "grid.asc:5:10: expected a positive, finite cellsize, got \"0\""),
        ("cellsize 10", "cellsize -3", "got \"-3\""),
        ("cellsize 10", "cellsize nan", "got \"nan\""),
        ("cellsize 10", "cellsize inf", "got \"inf\""),
        ("xllcorner 100", "xllcorner inf", "expected a finite number for xllcorner, got \"inf\""),
        ("yllcorner 200", "yllcorner x", "expected a finite number for yllcorner, got \"x\""),
    ] {
        let text = format!("{HEAD}1 2 3\n4 5 6\n").replace(from, to);
        assert!(complaint(&text).contains(said), "{}", complaint(&text));
    }
}

/// Would catch reserving what the header announces: 8 PB here.
#[test]
fn absurd_sizes_are_refused_or_found_out_without_memory() {
    let huge = HEAD.replace("ncols 3", "ncols 1000000").replace("nrows 2", "nrows 1000000000");
    let said = complaint(&format!("{huge}1 2 3\n"));
    assert!(said.contains("1000000 columns × 1000000000 rows are more than the 268435456 nodes allowed"), "{said}");
    let large = HEAD.replace("ncols 3", "ncols 16000").replace("nrows 2", "nrows 16000");
    assert!(complaint(&format!("{large}1 2 3\n")).contains("(row 1, column 4)"));
    let few = TerrainOptions { max_nodes: 5, ..Default::default() };
    let error = terrain::read_bytes(format!("{HEAD}1 2 3 4 5 6").as_bytes(), "grid.asc", &few).unwrap_err();
    assert!(matches!(error, TerrainError::TooLarge { limit: 5, .. }));
}

#[test]
fn a_map_without_any_height_is_refused() {
    let said = complaint(&format!("{HEAD}NODATA_value 7\n7 7 7\n7 7 7\n"));
    assert_eq!(said, "grid.asc: all 6 nodes are NODATA; expected at least one height");
}

#[test]
fn doubtful_shapes_are_said() {
    let thin = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ndx 1\ndy 1000000\n1 2\n3 4\n";
    assert!(read(thin).unwrap().warnings[0].contains("cells of 1 m × 1000000 m"));
    let degrees = "ncols 2\nnrows 2\nxllcorner -122.2\nyllcorner 38\ncellsize 0.000278\n65 318\n120 99\n";
    assert!(read(degrees).unwrap().warnings[0].contains("are its coordinates in degrees"));
}

#[test]
fn disks_and_folders_answer_with_the_name() {
    let directory = tempfile::tempdir().unwrap();
    let options = TerrainOptions::default();
    let absent = terrain::read(&directory.path().join("absent.asc"), &options).unwrap_err();
    assert!(matches!(&absent, TerrainError::Io { .. }) && absent.to_string().contains("absent.asc"));
    let folder = terrain::read(directory.path(), &options).unwrap_err();
    assert!(folder.to_string().ends_with("expected a regular file"));
}

/// A grid in degrees becomes metres about its centre where that is asked for: at 45° N a degree is 78.847 km by 111.132 km in
/// tables for WGS 84. Coordinates that are no degrees are refused by name. Before, the wish was ignored.
#[test]
fn a_grid_in_degrees_is_turned_into_metres_or_refused() {
    let local = TerrainOptions { degrees: Degrees::Local, ..TerrainOptions::default() };
    let text =
        |x: f64, y: f64| format!("ncols 3\nnrows 3\nxllcenter {x}\nyllcenter {y}\ncellsize 0.001\n1 2 3 4 5 6 7 8 9\n");
    let found = terrain::read_bytes(text(7.0, 44.999).as_bytes(), "alps.asc", &local).unwrap();
    let grid = found.grid;
    assert!((grid.dx - 78.847).abs() < 1e-3 && (grid.dy - 111.132).abs() < 1e-3, "{grid:?}");
    assert_eq!((grid.x0, grid.y0, found.ground_scale), (0.0, 0.0, Some(1.0)));
    assert!(found.warnings[0].contains("latitude 45.0000") && found.warnings[0].contains("EPSG:32632"), "{found:?}");
    let refused = terrain::read_bytes(text(500_000.0, 4_980_000.0).as_bytes(), "utm.asc", &local).unwrap_err();
    assert!(refused.to_string().contains("utm.asc") && refused.to_string().contains("degrees"), "{refused}");
    let plain = read(&text(7.0, 44.999)).unwrap();
    assert_eq!((plain.grid.dx, plain.grid.x0), (0.001, 7.0));
}
