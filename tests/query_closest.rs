//! `fingerpad query closest` from outside: the oracle, shapes in every spelling, errors in records, threads.

mod program;

use program::{answered, distance, numbers, oracle, oracle_json, run};
use serde_json::{Value, json};

/// The oracle's cases without their answers: nothing can be copied from input to output.
fn unanswered() -> Value {
    let mut file = oracle_json("ellipsoid_pairs.json");
    for pair in file["pairs"].as_array_mut().unwrap() {
        pair.as_object_mut().unwrap().shift_remove("expected");
    }
    file
}

/// Points and gaps to 1e-10 m, rates to 1e-9 relative, as the oracle's README asks; all 11 fields.
#[test]
fn oracle_pairs_come_back_with_the_oracles_answers() {
    let expected = oracle_json("ellipsoid_pairs.json");
    let (code, got) = answered(&["query", "closest", "-", "--json"], &unanswered());
    assert_eq!(code, 0);
    let pairs = got["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 100);
    for (got, want) in pairs.iter().zip(expected["pairs"].as_array().unwrap()) {
        let (got, want) = (&got["expected"], &want["expected"]);
        assert_eq!(got.as_object().unwrap().len(), 11);
        for key in want.as_object().unwrap().keys() {
            let (got, want) = (&got[key], &want[key]);
            let size = match want {
                Value::Array(_) => numbers(want).iter().map(|x| x * x).sum::<f64>().sqrt(),
                _ => want.as_f64().unwrap().abs(),
            };
            let (got, want) = match want {
                Value::Array(_) => (got.clone(), want.clone()),
                _ => (json!([got]), json!([want])),
            };
            let rate = key.contains("dot") || key.contains("min");
            let tolerance = if rate { 1e-9 * size.max(1e-3) } else { 1e-10 };
            assert!(distance(&got, &want) <= tolerance, "{key}: {got} against {want}");
        }
    }
}

/// Answers fed back give the same bytes: nothing depends on keys that we wrote. Errors and warnings included.
#[test]
fn output_fed_back_as_input_gives_the_same_output() {
    let mut input = unanswered();
    let pairs = input["pairs"].as_array_mut().unwrap();
    pairs.push(json!({"id": "bad", "body1": {"semi_axes": [1, 0, 1]}, "body2": {"semi_axes": [1, 1, 1]}}));
    pairs.push(json!({"id": "flat", "body1": {"shape": "sphere", "radius": 1}, "body2": {"shape": "half_space", "pos": [0, 0, -2]}}));
    let (code, once, _) = run(&["query", "closest", "-", "--json"], &input.to_string());
    assert_eq!(code, 1);
    let (_, twice, _) = run(&["query", "closest", "-", "--json"], &once);
    assert_eq!(once, twice);
}

/// Would catch maps that sort or drop keys: `schema`, `note`, `family` are not ours to touch, nor is the order.
#[test]
fn unknown_keys_and_their_order_are_kept() {
    let text = r#"{"schema":"s","pairs":[{"zeta":1,"id":"p","body2":{"pos":[0,0,3],"family":{"b":1,"a":2},"semi_axes":[1,1,1]},
        "body1":{"semi_axes":[1,1,1]},"note":"n"}],"meta":{"y":null,"x":1e-3}}"#;
    let (code, out, _) = run(&["query", "closest", "-", "--json"], text);
    assert_eq!(code, 0);
    let got: Value = serde_json::from_str(&out).unwrap();
    let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&got), ["schema", "pairs", "meta"]);
    assert_eq!(keys(&got["meta"]), ["y", "x"]);
    let pair = &got["pairs"][0];
    assert_eq!(keys(pair)[..5], ["zeta", "id", "body2", "body1", "note"]);
    assert_eq!(keys(&pair["body2"]), ["pos", "family", "semi_axes"]);
    assert_eq!(keys(&pair["body2"]["family"]), ["b", "a"]);
    assert_eq!(pair["expected"]["Delta"], json!(1.0));
}

/// The same answer by file and by stdin, and with one thread or two, to the byte.
#[test]
fn file_and_stdin_and_any_number_of_threads_give_the_same_bytes() {
    let path = oracle("ellipsoid_pairs.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let path = path.to_str().unwrap();
    let (code, file, _) = run(&["query", "closest", path, "--json", "--threads", "1"], "");
    assert_eq!(code, 0);
    for threads in ["1", "2", "7"] {
        assert_eq!(file, run(&["query", "closest", "-", "--json", "--threads", threads], &text).1);
    }
}

/// Every kind of shape against a ball far above it: a gap comes back, in each spelling of kind and place of sizes.
#[test]
fn every_shape_is_taken_in_every_spelling() {
    let profile = json!([[0.0, -0.6], [0.25, -0.55], [0.4, -0.3], [0.28, 0.0], [0.35, 0.3], [0.22, 0.5], [0.0, 0.56]]);
    let z = json!([[0, 0.1, 0.2, 0.1], [0.1, 0.2, 0.3, 0.2], [0, 0.1, 0.2, 0.1], [0, 0, 0.1, 0]]);
    let shapes = [
        ("half_space", json!({})),
        ("half-space", json!({})),
        ("sphere", json!({"radius": 0.3})),
        ("ellipsoid", json!({"semi_axes": [0.3, 0.2, 0.1]})),
        ("cylinder", json!({"radius": 0.3, "half_length": 0.2})),
        ("cylinder", json!({"radius": 0.3, "half_length": 0.2, "edge_radius": 0.02})),
        ("capsule", json!({"radius": 0.3, "half_length": 0.2})),
        ("torus", json!({"major_radius": 0.3, "minor_radius": 0.1})),
        ("rounded_box", json!({"half_extents": [0.3, 0.2, 0.1], "edge_radius": 0.02})),
        ("rounded-box", json!({"half_extents": [0.3, 0.2, 0.1], "edge_radius": 0.02})),
        ("Box", json!({"half_extents": [0.3, 0.2, 0.1]})),
        ("revolution", json!({"profile": profile})),
        ("graph", json!({"terms": [[2, 0, 0.2], [0, 2, 0.2]]})),
        ("graph", json!({"terms": [[2, 0, 0.2], [0, 2, 0.2]], "domain": [-1, 1, -1, 1]})),
        ("elevation", json!({"dx": 0.4, "dy": 0.4, "x0": 5e5, "y0": 4e6, "z": z, "interpolation": "cubic"})),
        ("elevation", json!({"dx": 0.4, "dy": 0.4, "z": z, "interpolation": "quintic-6x6"})),
    ];
    for (kind, sizes) in shapes {
        let mut object = sizes.clone();
        object["type"] = json!(kind);
        let mut beside = sizes;
        beside["shape"] = json!(kind);
        let ball = json!({"shape": "sphere", "radius": 0.25, "pos": [0.51, 0.53, 1.4]});
        let input = json!({"pairs": [{"body1": {"shape": object}, "body2": ball}, {"body1": beside, "body2": ball}]});
        let (code, got) = answered(&["query", "closest", "-", "--json"], &input);
        assert_eq!(code, 0, "{kind}: {got}");
        let pairs = &got["pairs"];
        assert_eq!(pairs[0]["expected"], pairs[1]["expected"], "{kind}");
        assert!(pairs[0]["expected"]["Delta"].as_f64().unwrap() > 0.0, "{kind}");
    }
}

/// A map from a file, named relative to the JSON file, is found and gives the gap above its flat ground.
#[test]
fn maps_are_found_beside_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let row = "5 5 5 5\n".repeat(4);
    let header = "ncols 4\nnrows 4\nxllcenter 100\nyllcenter 200\ncellsize 1\n";
    std::fs::write(folder.path().join("flat.asc"), format!("{header}{row}")).unwrap();
    let ground = json!({"shape": {"type": "elevation", "map": "flat.asc"}});
    let ball = json!({"shape": "sphere", "radius": 0.5, "pos": [1.5, 1.5, 7]});
    let input = json!({"pairs": [{"body1": ground, "body2": ball}, {"body1": ground, "body2": ball}]});
    let file = folder.path().join("pairs.json");
    std::fs::write(&file, input.to_string()).unwrap();
    let (code, out, err) = run(&["query", "closest", file.to_str().unwrap(), "--json"], "");
    assert_eq!(code, 0, "{err}");
    let got: Value = serde_json::from_str(&out).unwrap();
    assert!((got["pairs"][1]["expected"]["Delta"].as_f64().unwrap() - 1.5).abs() < 1e-12);
}

/// Each broken record names its field, and its neighbours are answered all the same.
#[test]
fn broken_records_name_their_field_and_others_are_answered() {
    let good = json!({"semi_axes": [1, 1, 1], "pos": [0, 0, 5]});
    let with = |key: &str, value: Value| {
        let mut body = good.clone();
        body[key] = value;
        body
    };
    let shaped = |shape: Value| json!({"shape": shape});
    let cases = [
        (with("semi_axes", json!([1, 0, 1])), "body1.semi_axes[1]"),
        (with("semi_axes", json!([1, 1])), "body1.semi_axes"),
        (with("omega_world", json!([0, null, 0])), "body1.omega_world[1]"),
        (with("omega_world", json!(null)), "body1.omega_world"),
        (with("vel_origin_world", json!(["NaN", 0, 0])), "body1.vel_origin_world[0]"),
        (with("quat_wxyz", json!([0, 0, 0, 0])), "body1.quat_wxyz"),
        (with("quat_wxyz", json!([1, 0, 0, null])), "body1.quat_wxyz[3]"),
        (with("pos", json!("here")), "body1.pos"),
        (shaped(json!({"type": "sphere", "radius": -1})), "body1.shape.radius"),
        (shaped(json!({"type": "sphere", "radus": 1})), "body1.shape.radus"),
        (shaped(json!({"type": "spere", "radius": 1})), "body1.shape.type"),
        (shaped(json!({"type": "torus", "major_radius": 1, "minor_radius": 2})), "body1.shape"),
        (
            shaped(
                json!({"type": "revolution", "profile": [[0.0, -1.0], [0.5, -0.5], [-0.4, 0.0], [0.5, 0.5], [0.0, 1.0]]}),
            ),
            "body1.shape.profile",
        ),
        (shaped(json!({"type": "graph", "terms": [[2, -1, 1]]})), "body1.shape.terms[0][1]"),
        (shaped(json!({"type": "elevation", "map": "no-such-file.asc"})), "body1.shape.map"),
        (shaped(json!({"type": "elevation", "dx": 1, "dy": 1, "z": [[0, 1], [2]]})), "body1.shape.z[1]"),
        (shaped(json!({"type": "sphere", "radius": 1e200})), "body1.shape.radius"),
        (shaped(json!({"type": "elevation", "dx": 1, "dy": 1, "z": [[0, 1e300], [0, 0]]})), "body1.shape.z[0][1]"),
        (with("pos", json!([0, 1e300, 0])), "body1.pos[1]"),
        (json!({}), "body1.shape"),
        (json!(3), "body1"),
    ];
    let unit = json!({"semi_axes": [1, 1, 1]});
    let mut pairs: Vec<Value> = cases.iter().map(|(body, _)| json!({"body1": body, "body2": unit})).collect();
    pairs.push(json!({"body1": good, "body2": unit, "error": {"message": "stale"}}));
    pairs.push(json!({"body1": good}));
    let (code, got) = answered(&["query", "closest", "-", "--json"], &json!({"pairs": pairs}));
    assert_eq!(code, 1);
    for ((body, field), record) in cases.iter().zip(got["pairs"].as_array().unwrap()) {
        assert_eq!(record["error"]["field"], json!(field), "{body}: {record}");
        assert!(!record["error"]["message"].as_str().unwrap().is_empty() && record.get("expected").is_none());
    }
    let answered = &got["pairs"][cases.len()];
    assert!((answered["expected"]["Delta"].as_f64().unwrap() - 3.0).abs() < 1e-12 && answered.get("error").is_none());
    assert_eq!(got["pairs"][cases.len() + 1]["error"]["field"], json!("body2"));
    let message = |k: usize| got["pairs"][k]["error"]["message"].as_str().unwrap().to_string();
    assert!(message(9).contains("`radius`") && message(10).contains("`sphere`"), "{} {}", message(9), message(10));
}

/// A cylinder lying on a plane touches along a line: rates are null with a warning, the gap's rate is not.
#[test]
fn a_line_of_closest_points_has_no_rates_but_a_gap_rate() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let lying = json!({"shape": {"type": "cylinder", "radius": 0.1, "half_length": 0.3}, "quat_wxyz": [half, half, 0, 0],
        "pos": [0, 0, 0.15], "vel_origin_world": [0, 0, -2]});
    let input = json!({"pairs": [{"body1": {"shape": "half_space"}, "body2": lying}]});
    let (code, got) = answered(&["query", "closest", "-", "--json"], &input);
    let record = &got["pairs"][0];
    assert_eq!(code, 0, "{record}");
    for key in ["p1dot_body1", "p2dot_body2", "normal_dot_world", "Delta_min_at_these_curvatures"] {
        assert_eq!(record["expected"][key], Value::Null, "{key}");
    }
    assert!((record["expected"]["Delta"].as_f64().unwrap() - 0.05).abs() < 1e-12);
    assert!((record["expected"]["Delta_dot"].as_f64().unwrap() + 2.0).abs() < 1e-12);
    let warnings = record["warnings"].to_string();
    assert!(warnings.contains("line or an area") && warnings.contains("Delta_min"), "{warnings}");
}

/// A quaternion of any length is the same rotation.
#[test]
fn quaternions_are_normalised_on_reading() {
    let body = |scale: f64| json!({"semi_axes": [0.3, 0.2, 0.1], "pos": [0, 0, 1], "quat_wxyz": [0.8 * scale, 0.0, 0.6 * scale, 0.0]});
    let pairs: Vec<Value> = [1.0, 2.0, 1e-200, 1e200]
        .iter()
        .map(|s| json!({"body1": {"semi_axes": [1, 1, 0.5]}, "body2": body(*s)}))
        .collect();
    let (code, got) = answered(&["query", "closest", "-", "--json"], &json!({"pairs": pairs}));
    assert_eq!(code, 0);
    let gap = |k: usize| got["pairs"][k]["expected"]["Delta"].as_f64().unwrap();
    assert!((1..4).all(|k| (gap(k) - gap(0)).abs() < 1e-14));
}

/// For people: a pair from options, with units, as a table; and the same as a document.
#[test]
fn a_pair_from_options_prints_a_table() {
    let options =
        ["query", "closest", "--shape1", "sphere radius=10mm", "--shape2", "half-space", "--pos2", "0,0,-12mm"];
    let (code, out, _) = run(&options, "");
    assert_eq!(code, 0);
    assert!(out.starts_with("id  Delta [m]") && out.contains("0.002"), "{out}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("answer.json");
    let (_, table, _) = run(&[&options[..], &["--out", file.to_str().unwrap()]].concat(), "");
    assert_eq!(table, out);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!((document["pairs"][0]["expected"]["Delta"].as_f64().unwrap() - 0.002).abs() < 1e-15);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// The paper's bowl: a ball above it may rise by 2 m only before its closest point is lost; the warning says so.
#[test]
fn a_hollow_warns_of_its_widest_gap() {
    let bowl = json!({"shape": {"type": "graph", "terms": [[2, 0, 0.2], [0, 2, 0.2]]}});
    let ball = json!({"shape": {"type": "sphere", "radius": 0.5}, "pos": [0, 0, 0.7]});
    let (code, got) =
        answered(&["query", "closest", "-", "--json"], &json!({"pairs": [{"body1": bowl, "body2": ball}]}));
    assert_eq!(code, 0);
    assert!(got["pairs"][0]["warnings"].to_string().contains("below Delta = 2 m"), "{got}");
}

/// The README's first example answers without a word about values that a table does not have; JSON has its warning.
#[test]
fn the_first_example_has_no_warning() {
    let args = ["query", "closest", "--shape1", "half_space", "--shape2", "sphere radius=10mm", "--pos2", "0,0,12mm"];
    let (code, out, err) = run(&args, "");
    assert!(code == 0 && err.is_empty(), "{err}");
    assert!(out.contains("0.002") && !out.contains("null") && !out.contains("warning ("), "{out}");
    let (_, out, _) = run(&[&args[..], &["--json"]].concat(), "");
    assert!(out.contains("Delta_min_at_these_curvatures is null"), "{out}");
}

/// An option that is wrong is an option's error: exit 2, an empty stdout, the option named.
#[test]
fn a_wrong_shape_is_told_of_its_option() {
    for (first, second, message) in [
        ("sphere radius=-1", "half_space", "--shape1"),
        ("half_space", "sphere", "--shape2"),
        ("half_space", "spehre radius=1", "--shape2"),
        ("cube size=1", "half_space", "--shape1"),
    ] {
        let (code, out, err) = run(&["query", "closest", "--shape1", first, "--shape2", second], "");
        assert_eq!((code, out.as_str()), (2, ""), "{first}, {second}: {err}");
        assert!(err.contains(message), "{first}, {second}: {err}");
    }
}
