//! `fingerpad inspect` from outside: a map made here, the maps of others, query files, files of no use.

mod program;
#[path = "../crates/contact/tests/common/skipped.rs"]
mod skipped;

use program::{oracle, run};
use serde_json::{Value, json};
use std::path::Path;

fn inspected(path: &Path) -> (i32, Value, String) {
    let (code, out, err) = run(&["inspect", path.to_str().unwrap(), "--json"], "");
    (code, serde_json::from_str(&out).unwrap_or(Value::Null), err)
}

/// A map whose every fact is known: 3 × 4 nodes, one missing, one steep step of 6 m over 2 m.
#[test]
fn facts_of_a_small_map_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.asc");
    let text = "ncols 3\nnrows 4\nxllcenter 10\nyllcenter 20\ncellsize 2\nNODATA_value -9999\n1 2 3\n1 2 -9999\n1 2 9\n1 2 3\n";
    std::fs::write(&path, text).unwrap();
    let (code, facts, err) = inspected(&path);
    assert_eq!(code, 0, "{err}");
    let want = [
        ("kind", json!("elevation map")),
        ("format", json!("ESRI ASCII grid")),
        ("columns", json!(3)),
        ("rows", json!(4)),
        ("dx", json!(2.0)),
        ("x0", json!(10.0)),
        ("y_max", json!(26.0)),
        ("z_min", json!(1.0)),
        ("z_max", json!(9.0)),
        ("missing_nodes", json!(1)),
        ("steepest_slope", json!(3.5)),
        ("steepest_at", json!([1, 1])),
        ("usable_as_terrain", json!(true)),
    ];
    for (key, want) in want {
        assert_eq!(facts[key], want, "{key}");
    }
    let (code, text, _) = run(&["inspect", path.to_str().unwrap()], "");
    assert!(code == 0 && text.contains("nodes without data") && text.contains("3.5"), "{text}");
}

/// Maps of others, if they are here: a projected one, one with holes, and one in degrees that may be seen but not used.
#[test]
fn maps_of_others_are_told_of() {
    let Some(assets) = skipped::asset("terrain") else { return };
    let (code, moon, err) = inspected(&assets.join("gz_common/dem_moon.tif"));
    assert_eq!((code, &moon["format"]), (0, &json!("GeoTIFF")), "{err}");
    let (code, holes, _) = inspected(&assets.join("gz_common/dem_nodata.dem"));
    assert!(code == 0 && holes["missing_nodes"].as_u64().unwrap() > 0);
    let (code, degrees, _) = inspected(&assets.join("gz_common/dem_squared.tif"));
    assert_eq!((code, &degrees["usable_as_terrain"]), (0, &json!(false)));
    assert!(degrees["warnings"][0].as_str().unwrap().contains("gdalwarp"), "{degrees}");
}

/// Query files are told of by their lists.
#[test]
fn query_files_are_counted() {
    let (code, facts, _) = inspected(&oracle("ellipsoid_pairs.json"));
    assert_eq!((code, &facts["records"], &facts["answered"]), (0, &json!(100), &json!(100)));
    assert_eq!(facts["kind"], json!("input of query closest"));
    let (code, facts, _) = inspected(&oracle("dem_patch.json"));
    assert_eq!((code, &facts["records"], &facts["list"]), (0, &json!(60), &json!("queries")));
    let (code, facts, _) = inspected(&oracle("patches.json"));
    assert_eq!((code, &facts["answered"], &facts["kind"]), (0, &json!(30), &json!("input of query patch")));
    let (code, facts, _) = inspected(&oracle("return_map.json"));
    assert_eq!((code, &facts["answered"], &facts["kind"]), (0, &json!(200), &json!("input of query slip")));
}

/// What cannot be used: exit 2, a message, and nothing on stdout.
#[test]
fn useless_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let paths = [
        folder.path().join("absent.tif"),
        folder.path().to_path_buf(),
        write("empty.asc", b""),
        write("words.txt", b"hello there"),
        write("broken.json", b"{\"pairs\": ["),
        write("other.json", b"{\"cases\": []}"),
        write("thin.asc", b"ncols 1\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1\n2\n"),
        write("cut.tif", b"II*\0\x08\0\0\0"),
        write("cut.png", b"\x89PNG\r\n\x1a\n"),
    ];
    for path in paths {
        let (code, out, err) = run(&["inspect", path.to_str().unwrap()], "");
        assert_eq!((code, out.as_str()), (2, ""), "{}", path.display());
        assert!(err.starts_with("error: ") && !err.contains("panicked"), "{err}");
    }
}
