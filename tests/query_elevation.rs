//! `fingerpad query elevation` from outside: the oracle, places off the map and in holes, maps from files.

mod program;

use program::{answered, oracle_json, run};
use serde_json::{Value, json};

const ARGS: [&str; 4] = ["query", "elevation", "-", "--json"];

/// To 1e-12 relative, as the oracle's README asks, for both interpolations it knows; x0, y0 are large on purpose.
#[test]
fn oracle_queries_come_back_with_the_oracles_answers() {
    let expected = oracle_json("dem_patch.json");
    let mut input = expected.clone();
    for query in input["queries"].as_array_mut().unwrap() {
        let query = query.as_object_mut().unwrap();
        query.retain(|key, _| ["cell", "s", "t"].contains(&key.as_str()));
    }
    let (code, got) = answered(&ARGS, &input);
    assert_eq!(code, 0);
    let mut compared = 0;
    for (got, want) in got["queries"].as_array().unwrap().iter().zip(expected["queries"].as_array().unwrap()) {
        assert_eq!(got["quintic_6x6"].as_object().unwrap().len(), 6);
        for kind in ["cubic", "quintic_corrected"] {
            for (name, want) in want[kind].as_object().unwrap() {
                let want = want.as_f64().unwrap();
                let miss = (got[kind][name].as_f64().unwrap() - want).abs();
                assert!(miss <= 1e-12 * want.abs(), "{kind}.{name} misses {want} by {miss}");
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 60 * 12);
    let (_, once, _) = run(&ARGS, &input.to_string());
    assert_eq!(once, run(&ARGS, &once).1, "output fed back as input");
}

/// A parabola is reproduced by all three: the closed form at a georeferenced place, 5·10⁵ m out.
#[test]
fn georeferenced_places_see_a_parabola_exactly() {
    let z: Vec<Vec<f64>> = (0..8).map(|j| (0..7).map(|i| 0.5 * f64::from(i * i) - f64::from(j)).collect()).collect();
    let input =
        json!({"dx": 1, "dy": 1, "x0": 5e5, "y0": 4e6, "z": z, "queries": [{"x": 500003.25, "y": 4000003.5, "id": 7}]});
    let (code, got) = answered(&ARGS, &input);
    assert_eq!(code, 0);
    for kind in ["cubic", "quintic_corrected", "quintic_6x6"] {
        let at = |name: &str| got["queries"][0][kind][name].as_f64().unwrap();
        let want =
            [("z", 0.5 * 3.25 * 3.25 - 3.5), ("zx", 3.25), ("zy", -1.0), ("zxx", 1.0), ("zxy", 0.0), ("zyy", 0.0)];
        for (name, want) in want {
            assert!((at(name) - want).abs() < 1e-12, "{kind}.{name} = {}", at(name));
        }
    }
}

/// Off the map, in a hole, outside the cell: each names its field, and the good query between is answered.
#[test]
fn holes_and_places_off_the_map_are_errors_of_their_record_only() {
    let z = json!([[0, 0, 0, 0], [0, null, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]);
    let cases = [
        (json!({"x": -1, "y": 1}), "x"),
        (json!({"x": 1, "y": 9}), "y"),
        (json!({"x": 0.5, "y": 0.5}), "x, y"),
        (json!({"cell": [0, 0], "s": 0.5, "t": 0.5}), "cell"),
        (json!({"cell": [3, 0], "s": 0.5, "t": 0.5}), "cell"),
        (json!({"cell": [0.5, 0], "s": 0.5, "t": 0.5}), "cell[0]"),
        (json!({"cell": [2, 2], "s": 1.5, "t": 0.5}), "s"),
        (json!({"cell": [2, 2], "s": 0.5}), "t"),
        (json!({"x": null, "y": 1}), "x"),
        (json!({}), "cell"),
    ];
    let mut queries: Vec<Value> = cases.iter().map(|(q, _)| q.clone()).collect();
    queries.push(json!({"x": 2.5, "y": 2.5}));
    let (code, got) = answered(&ARGS, &json!({"dx": 1, "dy": 1, "x0": 0, "y0": 0, "z": z, "queries": queries}));
    assert_eq!(code, 1);
    for ((query, field), record) in cases.iter().zip(got["queries"].as_array().unwrap()) {
        assert_eq!(record["error"]["field"], json!(field), "{query}: {record}");
        assert!(record.get("cubic").is_none());
    }
    assert_eq!(got["queries"][cases.len()]["quintic_corrected"]["z"], json!(0.0));
}

/// A map from a file: rows of an ESRI grid run from the north, ours from the south.
#[test]
fn a_map_file_is_read_with_its_north_first() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..5).rev().map(|j| format!("{0} {0} {0} {0}\n", j * 10)).collect();
    let header = "ncols 4\nnrows 5\nxllcenter 100\nyllcenter 200\ncellsize 2\n";
    let map = folder.path().join("slope.asc");
    std::fs::write(&map, format!("{header}{rows}")).unwrap();
    let input = json!({"map": "slope.asc", "queries": [{"x": 103, "y": 203}]});
    let file = folder.path().join("q.json");
    std::fs::write(&file, input.to_string()).unwrap();
    let (code, out, err) = run(&["query", "elevation", file.to_str().unwrap(), "--json"], "");
    assert_eq!(code, 0, "{err}");
    let got: Value = serde_json::from_str(&out).unwrap();
    assert!((got["queries"][0]["cubic"]["z"].as_f64().unwrap() - 15.0).abs() < 1e-12);
    assert!((got["queries"][0]["cubic"]["zy"].as_f64().unwrap() - 5.0).abs() < 1e-12);
    let options = ["query", "elevation", "--map", map.to_str().unwrap(), "--at", "103,203", "--interpolation", "cubic"];
    let (code, table, _) = run(&options, "");
    assert_eq!(code, 0);
    assert!(table.lines().count() == 2 && table.contains("cubic") && table.contains("15"), "{table}");
}

/// A document whose map cannot be made has no answers: exit 2, nothing on stdout.
#[test]
fn a_document_without_a_map_is_refused() {
    let query = json!([{"x": 0, "y": 0}]);
    let documents = [
        json!({"queries": query}),
        json!({"queries": query, "map": "no-such-file.tif"}),
        json!({"queries": query, "dx": 1, "dy": 0, "z": [[0, 0], [0, 0]]}),
        json!({"queries": query, "dx": 1, "dy": 1, "z": [[0, 0], [0]]}),
        json!({"queries": query, "dx": 1, "dy": 1, "z": [[0, null], [0, 0]]}),
        json!({"dx": 1, "dy": 1, "z": [[0, 0], [0, 0]]}),
    ];
    for document in documents {
        let (code, out, err) = run(&ARGS, &document.to_string());
        assert_eq!((code, out.as_str()), (2, ""), "{document}");
        assert!(err.starts_with("error: "), "{err}");
    }
}
