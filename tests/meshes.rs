//! Meshes from outside: a meshed ball as STL and OBJ in `query closest`, `query fit` and `inspect`; files of no use.

mod program;

use program::{answered, distance, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Point = [f64; 3];

/// A ball in triangles of an icosahedron split `level` times.
fn ball(level: usize, radius: f64) -> (Vec<Point>, Vec<[usize; 3]>) {
    let g = (1.0 + 5f64.sqrt()) / 2.0;
    let unit = |p: Point| {
        let n = p.iter().map(|x| x * x).sum::<f64>().sqrt();
        p.map(|x| x / n)
    };
    let mut p: Vec<Point> = Vec::new();
    for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        p.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]].map(unit));
    }
    // Facets are the triples of mutual neighbours, turned outwards.
    let near = |i: usize, j: usize| (0..3).map(|k| p[i][k] * p[j][k]).sum::<f64>() > 0.4;
    let mut f = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if near(i, j) && near(j, k) && near(i, k) {
                    let (a, b, c) = (p[i], p[j], p[k]);
                    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
                    let out = (0..3).map(|m| a[m] * cross[m]).sum::<f64>() > 0.0;
                    f.push(if out { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    assert_eq!(f.len(), 20);
    for _ in 0..level {
        let mut middles = BTreeMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in f {
            let mut middle = |i: usize, j: usize| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    p.push(unit([0, 1, 2].map(|k| p[i][k] + p[j][k])));
                    p.len() - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        f = finer;
    }
    (p.into_iter().map(|q| q.map(|x| x * radius)).collect(), f)
}

fn stl((p, f): &(Vec<Point>, Vec<[usize; 3]>)) -> Vec<u8> {
    let mut bytes = vec![b'x'; 80];
    bytes.extend((f.len() as u32).to_le_bytes());
    for face in f {
        bytes.extend([0; 12]);
        bytes.extend(face.iter().flat_map(|&v| p[v]).flat_map(|x| (x as f32).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn obj((p, f): &(Vec<Point>, Vec<[usize; 3]>)) -> String {
    let vertices = p.iter().map(|[x, y, z]| format!("v {x:e} {y:e} {z:e}\n"));
    vertices.chain(f.iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1))).collect()
}

/// A profile (r, z) from the bottom axis to the top axis, turned around z in n steps.
fn lathe(profile: &[(f64, f64)], n: usize) -> (Vec<Point>, Vec<[usize; 3]>) {
    let (mut p, mut rings, mut f) = (Vec::new(), Vec::new(), Vec::new());
    for &(r, z) in profile {
        let count = if r == 0.0 { 1 } else { n };
        rings.push((p.len(), count));
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
        p.extend((0..count).map(|k| [r * angle(k).cos(), r * angle(k).sin(), z]));
    }
    for pair in rings.windows(2) {
        let ((a, na), (b, nb)) = (pair[0], pair[1]);
        for (k, j) in (0..n).map(|k| (k, (k + 1) % n)) {
            match (na, nb) {
                (1, _) => f.push([a, b + j, b + k]),
                (_, 1) => f.push([a + k, a + j, b]),
                _ => f.extend([[a + k, a + j, b + j], [a + k, b + j, b + k]]),
            }
        }
    }
    (p, f)
}

/// A folder with a ball of 10 mm: `ball.obj` and `ball.stl` in millimetres.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let ball = ball(3, 10.0);
    std::fs::write(folder.path().join("ball.stl"), stl(&ball)).unwrap();
    std::fs::write(folder.path().join("ball.obj"), obj(&ball)).unwrap();
    folder
}

fn written(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Exit code and document of a command on a file of the folder, so that mesh names are relative to it.
fn on_file(folder: &Path, command: &[&str], input: &Value) -> (i32, Value) {
    let path = written(folder, "input.json", input.to_string());
    answered(&[command, &[path.to_str().unwrap(), "--json"]].concat(), &Value::Null)
}

/// A meshed ball answers as the ball does: binary STL (32 bits) and OBJ, unit by name and by number, apart and overlapping.
#[test]
fn a_meshed_ball_is_as_close_as_the_ball() {
    let folder = folder();
    let others = [
        json!({"shape": "sphere", "radius": 0.02, "pos": [0.01, 0.02, 0.03], "vel_origin_world": [0.1, 0, -0.2]}),
        json!({"semi_axes": [0.02, 0.01, 0.03], "pos": [0.015, 0.003, 0.025], "quat_wxyz": [1, 0.2, 0.3, 0]}),
        json!({"shape": "half_space", "pos": [0, 0, -0.0098], "vel_origin_world": [0.1, 0, 0]}),
    ];
    let meshes = [
        json!({"type": "mesh", "mesh": "ball.stl", "unit": "mm"}),
        json!({"type": "mesh", "mesh": "ball.obj", "unit": 0.001}),
        json!({"type": "sphere", "radius": 0.01}),
    ];
    let pair = |shape: &Value, other: &Value| json!({"body1": {"shape": shape}, "body2": other});
    let pairs: Vec<Value> = others.iter().flat_map(|o| meshes.iter().map(move |m| pair(m, o))).collect();
    let (code, got) = on_file(folder.path(), &["query", "closest"], &json!({"pairs": pairs}));
    assert_eq!(code, 0, "{got}");
    for three in got["pairs"].as_array().unwrap().chunks(3) {
        let want = &three[2]["expected"];
        for meshed in &three[..2] {
            assert!(meshed.get("warnings") == three[2].get("warnings"), "{meshed}");
            let got = &meshed["expected"];
            let miss = (got["Delta"].as_f64().unwrap() - want["Delta"].as_f64().unwrap()).abs();
            assert!(miss < 1e-6, "gap misses by {miss}");
            for key in ["p1_world", "p2_world"] {
                assert!(distance(&got[key], &want[key]) < 1e-5, "{key}: {got} {want}");
            }
        }
    }
}

/// The same from words on the command line, and with a name that is not a key.
#[test]
fn meshes_are_shapes_in_one_line() {
    let folder = folder();
    let shape = format!("mesh mesh={} unit=mm", folder.path().join("ball.stl").display());
    let (code, out, err) =
        run(&["query", "closest", "--shape1", &shape, "--shape2", "half_space", "--pos2", "0,0,-12mm", "--json"], "");
    assert_eq!(code, 0, "{err}");
    let got: Value = serde_json::from_str(&out).unwrap();
    assert!((got["pairs"][0]["expected"]["Delta"].as_f64().unwrap() - 0.002).abs() < 1e-6, "{out}");
    let bad = json!({"type": "mesh", "mesh": "ball.stl", "units": "mm"});
    let input = json!({"pairs": [{"body1": {"shape": bad}, "body2": {"shape": "half_space"}}]});
    let (code, got) = on_file(folder.path(), &["query", "closest"], &input);
    assert_eq!((code, &got["pairs"][0]["error"]["field"]), (1, &json!("body1.shape.units")), "{got}");
}

/// Doubts about a mesh reach the record: an open one, and one in millimetres taken for metres.
#[test]
fn doubts_about_a_mesh_stand_in_the_record() {
    let folder = folder();
    let (p, mut f) = ball(2, 20.0);
    f.pop();
    written(folder.path(), "open.obj", obj(&(p, f)));
    let body = json!({"shape": "mesh", "mesh": "open.obj"});
    let input = json!({"pairs": [{"body1": body, "body2": {"shape": "half_space", "pos": [0, 0, -21]}}]});
    let (code, got) = on_file(folder.path(), &["query", "closest"], &input);
    assert_eq!(code, 0, "{got}");
    let text = got["pairs"][0]["warnings"].to_string();
    assert!(text.contains("body1: ") && text.contains("not watertight") && text.contains("unit"), "{text}");
}

/// 1/R to 3 % with six terms where the radius is free (the library has 1.6 % in the median at this fineness; here 2.1 %), to
/// 5 % with a region of 0.4 R (6.2 % at R/2); the normal to 1°; and the same answer when fed back.
#[test]
fn fits_of_a_ball_have_its_curvature() {
    let folder = folder();
    let cases = json!([{"id": "a", "point": [0, 0, 0.01]}, {"point": [0.02, 0.01, -0.01]}, {"point": [0, 0.01, 0], "radius": 0.004}]);
    let input = json!({"note": 1, "mesh": "ball.stl", "unit": "mm", "cases": cases});
    let (code, got) = on_file(folder.path(), &["query", "fit"], &input);
    assert_eq!(code, 0, "{got}");
    for case in got["cases"].as_array().unwrap() {
        assert_eq!(case["class"], "smooth", "{case}");
        for key in ["k1", "k2"] {
            let k = case[key].as_f64().unwrap();
            let tolerance = if case["radius"] == json!(0.004) { 0.05 } else { 0.03 };
            assert!((k / 100.0 - 1.0).abs() < tolerance, "{key} {k}");
        }
        let point = program::numbers(&case["point"]);
        let length = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        let want: Vec<f64> = point.iter().map(|x| x / length).collect();
        // From far away the closest place of a facet lies aside by up to the angle that a facet spans.
        let tolerance = if case.get("warnings").is_some() { 0.09 } else { 0.02 };
        assert!(distance(&case["normal"], &json!(want)) < tolerance, "{case}");
        assert!(case["std"].as_f64().unwrap() < 1e-4 && case["condition"].as_f64().unwrap() <= 30.0);
        assert!(case["vertices"].as_u64().unwrap() >= 10 && case["dir1"].is_array());
    }
    assert!(got["cases"][1]["warnings"][0].as_str().unwrap().contains("from the mesh"), "{got}");
    assert_eq!(on_file(folder.path(), &["query", "fit"], &got).1, got);
    let (_, three) = on_file(folder.path(), &["query", "fit", "--terms", "3"], &input);
    // Without tilt and height the surface hangs on the facet.
    let spread = |document: &Value| document["cases"][0]["std"].as_f64().unwrap();
    assert!(spread(&three) > 10.0 * spread(&got), "{three}");
}

/// Tables, edges with null and a warning, errors in records, and options in place of a document.
#[test]
fn fits_at_edges_and_bad_points_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let cube = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
        f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let path = written(folder.path(), "cube.obj", cube);
    let cases = json!([{"point": [0.5, 0, 0], "radius": 0.1}, {"point": [0.5, 0.4, 1]}, {"point": [0, null, 0]}, {"point": [0, 0, 0], "radius": -1}]);
    let (code, got) = on_file(folder.path(), &["query", "fit"], &json!({"mesh": "cube.obj", "cases": cases}));
    assert_eq!(code, 1);
    let cases = got["cases"].as_array().unwrap();
    assert_eq!((&cases[0]["class"], &cases[0]["k1"], &cases[0]["std"]), (&json!("edge"), &Value::Null, &Value::Null));
    assert!(cases[0]["warnings"][0].as_str().unwrap().contains("edge"));
    assert_eq!(
        (&cases[1]["class"], &cases[1]["k1"], &cases[1]["normal"]),
        (&json!("flat"), &json!(0.0), &json!([0.0, 0.0, 1.0]))
    );
    assert_eq!((&cases[2]["error"]["field"], &cases[3]["error"]["field"]), (&json!("point[1]"), &json!("radius")));
    assert_eq!(cases[3]["radius"], json!(-1));
    let (code, text, _) = run(&["query", "fit", "--mesh", path.to_str().unwrap(), "--at", "0.5,0.4,1"], "");
    assert!(code == 0 && text.contains("flat") && text.contains("k1 [1/m]"), "{text}");
}

/// Facts of a ball: those of the polyhedron, close to those of the ball.
#[test]
fn facts_of_a_meshed_ball_are_told() {
    let folder = folder();
    for (name, format) in [("ball.stl", "STL (binary)"), ("ball.obj", "OBJ")] {
        let path = folder.path().join(name);
        let (code, out, err) = run(&["inspect", path.to_str().unwrap(), "--unit", "mm", "--json"], "");
        assert_eq!(code, 0, "{err}");
        let facts: Value = serde_json::from_str(&out).unwrap();
        let want = [
            ("kind", json!("mesh")),
            ("format", json!(format)),
            ("faces", json!(1280)),
            ("vertices", json!(642)),
            ("watertight", json!(true)),
            ("manifold", json!(true)),
            ("open_edges", json!(0)),
            ("non_manifold_edges", json!(0)),
            ("crease_edges", json!(0)),
            ("sheets", json!(1)),
            ("unresolved_share", json!(0.0)),
            ("warnings", json!([])),
        ];
        for (key, want) in want {
            assert_eq!(facts[key], want, "{key}");
        }
        let volume = facts["volume"].as_f64().unwrap();
        let round = 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
        assert!(volume < round && volume > 0.98 * round, "{volume}");
        assert!(distance(&facts["centre"], &json!([0, 0, 0])) < 1e-9);
        let inertia = facts["inertia"][2][2].as_f64().unwrap();
        assert!((inertia / (0.4 * volume * 1e-4) - 1.0).abs() < 0.02, "{inertia}");
        assert!(distance(&facts["size"], &json!([0.02, 0.02, 0.02])) < 1e-3);
        let edge = facts["edge_length_median"].as_f64().unwrap();
        assert!((1e-3..2e-3).contains(&edge), "{edge}");
        let (code, text, _) = run(&["inspect", path.to_str().unwrap(), "--unit", "mm"], "");
        assert!(code == 0 && text.contains("volume [m³]"), "{text}");
    }
}

/// An open mesh can be looked at: no volume, open edges counted, exit 0.
#[test]
fn an_open_mesh_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let (p, mut f) = ball(2, 0.01);
    f.pop();
    let path = written(folder.path(), "mesh-without-extension", stl(&(p, f)));
    let (code, out, err) = run(&["inspect", path.to_str().unwrap(), "--json"], "");
    assert_eq!(code, 0, "{err}");
    let facts: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&facts["watertight"], &facts["open_edges"], &facts["volume"]),
        (&json!(false), &json!(3), &Value::Null)
    );
    assert!(facts["warnings"].to_string().contains("watertight"));
}

/// Files of no use: exit 2 from `inspect` and `query fit`, an error in the record from `query closest`.
#[test]
fn useless_meshes_are_refused_with_their_reason() {
    let folder = tempfile::tempdir().unwrap();
    let whole = stl(&ball(1, 0.01));
    let mut nan = whole.clone();
    nan[84 + 12..84 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
    written(folder.path(), "short.stl", &whole[..whole.len() - 70]);
    written(folder.path(), "nan.stl", &nan);
    written(folder.path(), "index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n");
    written(folder.path(), "nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n");
    let bad = [
        ("absent.stl", "absent.stl"),
        ("short.stl", "short.stl"),
        ("nan.stl", "nan.stl"),
        ("index.obj", "4"),
        ("nan.obj", "2"),
    ];
    for (name, reason) in bad {
        let path = folder.path().join(name);
        let (code, out, err) = run(&["inspect", path.to_str().unwrap()], "");
        assert!(code == 2 && out.is_empty() && err.contains(name) && err.contains(reason), "{name}: {code} {err}");
        let (code, out, err) = run(&["query", "fit", "--mesh", path.to_str().unwrap(), "--at", "0,0,0", "--json"], "");
        assert!(code == 2 && out.is_empty() && err.contains(name), "{name}: {code} {out} {err}");
        let body = json!({"shape": {"type": "mesh", "mesh": name}});
        let good = json!({"body1": {"semi_axes": [1, 1, 1]}, "body2": {"semi_axes": [1, 1, 1], "pos": [3, 0, 0]}});
        let input = json!({"pairs": [{"body1": body, "body2": {"shape": "half_space"}}, good]});
        let (code, got) = on_file(folder.path(), &["query", "closest"], &input);
        let error = &got["pairs"][0]["error"];
        assert_eq!((code, &error["field"]), (1, &json!("body1.shape.mesh")), "{got}");
        assert!(error["message"].as_str().unwrap().contains(name), "{error}");
        assert_eq!(got["pairs"][1]["expected"]["Delta"], json!(1.0));
    }
    let (code, _, err) = run(&["inspect", folder.path().join("index.obj").to_str().unwrap()], "");
    assert!(code == 2 && err.contains(":4"), "the line is named: {err}");
    let (code, out, _) = run(&["query", "fit", "-", "--json"], r#"{"mesh": "ball.stl"}"#);
    assert!(code == 2 && out.is_empty(), "no list");
}

/// A cone of 96 facets: its surface was a plane through the tip, and a ball 33 mm away was told to be 60 mm inside.
#[test]
fn a_coarse_cone_is_where_its_facets_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "cone.obj", obj(&lathe(&[(0.0, 0.0), (0.03, 0.0), (0.0, 0.1)], 48)));
    let pair = |surface: &str| {
        let cone = json!({"type": "mesh", "mesh": "cone.obj", "surface": surface});
        let ball = json!({"shape": {"type": "sphere", "radius": 0.01}, "pos": [0.06, 0, 0.05]});
        json!({"body1": {"shape": cone}, "body2": ball})
    };
    let pairs: Vec<Value> = ["auto", "facets", "hull", "round"].map(pair).to_vec();
    let (code, got) = on_file(folder.path(), &["query", "closest"], &json!({"pairs": pairs}));
    assert_eq!(code, 1);
    // The line from (0.03, 0) to (0, 0.1), less the radius of the ball; rounding lowers its edges by some µm.
    let gap = (0.03 * 0.1 + 0.05 * 0.03) / 0.1_f64.hypot(0.03) - 0.01;
    for k in 0..3 {
        let found = got["pairs"][k]["expected"]["Delta"].as_f64().unwrap_or_else(|| panic!("{}", got["pairs"][k]));
        assert!((found - gap).abs() < 5e-6, "{found} for {gap}");
    }
    let warned = got["pairs"][0]["warnings"][0].as_str().unwrap();
    assert!(warned.contains("too coarse") && warned.contains("facets"), "{warned}");
    let error = &got["pairs"][3]["error"];
    assert!(error["field"].as_str().unwrap().ends_with("surface"), "{error}");

    let (code, out, err) = run(&["inspect", path.to_str().unwrap(), "--json"], "");
    assert_eq!(code, 0, "{err}");
    let facts: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&facts["surface"], &facts["untrusted_share"]), (&json!("facets"), &json!(1.0)));
    assert!(facts["surface_reason"].as_str().unwrap().contains("too coarse"));
    let (bound, share) = (facts["departure_bound"].as_f64().unwrap(), facts["departure_bound_share"].as_f64().unwrap());
    assert!(bound < 1.4e-3 && (bound / share / 0.06_f64.hypot(0.06).hypot(0.1) - 1.0).abs() < 1e-9, "{bound} {share}");
    assert!(facts["worst_facet"].as_u64().unwrap() < 96 && facts["worst_facet_at"][2].as_f64().is_some());
    let (_, text, _) = run(&["inspect", path.to_str().unwrap()], "");
    assert!(text.contains("surface chosen") && text.contains("too coarse for a smooth surface"), "{text}");
}

/// A glass from a lathe over a half-space, upright and tilted: "no pair of closest points found" before.
#[test]
fn a_glass_stands_over_a_half_space() {
    let folder = tempfile::tempdir().unwrap();
    let profile = [
        (0.0, 0.004),
        (0.02, 0.004),
        (0.022, 0.0),
        (0.025, 0.0),
        (0.028, 0.01),
        (0.034, 0.1),
        (0.032, 0.1),
        (0.026, 0.012),
        (0.0, 0.009),
    ];
    for n in [24, 90] {
        let glass = lathe(&profile, n);
        written(folder.path(), "glass.obj", obj(&glass));
        let half = 0.05_f64;
        let over = |quat: [f64; 4]| {
            let shape = json!({"type": "mesh", "mesh": "glass.obj"});
            json!({"body1": {"shape": "half_space"}, "body2": {"shape": shape, "pos": [0, 0, 0.002], "quat_wxyz": quat}})
        };
        let pairs = [over([1.0, 0.0, 0.0, 0.0]), over([half.cos(), half.sin(), 0.0, 0.0])];
        let (code, got) = on_file(folder.path(), &["query", "closest"], &json!({"pairs": pairs}));
        assert_eq!(code, 0, "{got}");
        let (_, out, _) = run(&["inspect", folder.path().join("glass.obj").to_str().unwrap(), "--json"], "");
        let bound = serde_json::from_str::<Value>(&out).unwrap()["departure_bound"].as_f64().unwrap();
        assert!(bound < 1e-3, "{bound}");
        for (k, angle) in [(0, 0.0_f64), (1, 0.1)] {
            let height = |q: &Point| q[1] * angle.sin() + q[2] * angle.cos() + 0.002;
            let truth = glass.0.iter().map(height).fold(f64::INFINITY, f64::min);
            let gap = got["pairs"][k]["expected"]["Delta"].as_f64().unwrap();
            assert!((gap - truth).abs() <= bound, "{n} sides, {angle} rad: {gap} for {truth}, bound {bound}");
        }
    }
}
