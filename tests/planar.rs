//! `fingerpad planar` from outside: the oracle, ready cases, part files, errors, pictures.

mod program;

use program::{answered, run};
use serde_json::{Value, json};

fn oracle() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/planar/tests/oracle/planar_contact_cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The oracle's cases without answers and derived numbers: nothing can be copied from input to output.
fn unanswered() -> Value {
    let mut file = oracle();
    for case in file["cases"].as_array_mut().unwrap() {
        let case = case.as_object_mut().unwrap();
        case.shift_remove("answer");
        case.shift_remove("derived");
    }
    file
}

/// Same triples in any order, to 1e-9 of their size.
fn same(ours: &Value, theirs: &Value) -> bool {
    let read = |v: &Value| -> Vec<[f64; 3]> { serde_json::from_value(v.clone()).unwrap() };
    let (ours, theirs) = (read(ours), read(theirs));
    let near = |a: &[f64; 3], b: &[f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() <= 1e-9 * b[i].abs().max(1.0));
    ours.len() == theirs.len() && theirs.iter().all(|t| ours.iter().any(|o| near(o, t)))
}

fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], Vec::as_slice)
}

/// All 75: status, sets (corners, rays, dimension, exact corners), closed modes by name with their sets.
#[test]
fn oracle_cases_come_back_with_the_oracles_answers() {
    let expected = oracle();
    let (code, got) = answered(&["planar", "-", "--json"], &unanswered());
    assert_eq!(code, 0);
    assert_eq!((got["cases"].as_array().unwrap().len(), &got["schema"]), (75, &expected["schema"]));
    for (got, want) in list(&got["cases"]).iter().zip(list(&expected["cases"])) {
        let (id, got, want) = (&want["id"], &got["answer"], &want["answer"]);
        for key in ["status", "family_dim", "n_components"] {
            assert_eq!(got[key], want[key], "{id} {key}");
        }
        assert_eq!(list(&got["accel_sets"]).len(), list(&want["accel_sets"]).len(), "{id}");
        for w in list(&want["accel_sets"]) {
            let exact = |s: &Value| {
                let mut all: Vec<String> = list(&s["vertices_exact"]).iter().map(Value::to_string).collect();
                all.sort();
                all
            };
            let found = list(&got["accel_sets"]).iter().find(|g| exact(g) == exact(w));
            let g = found.unwrap_or_else(|| panic!("{id}: no set {w} in {got}"));
            assert!(same(&g["vertices"], &w["vertices"]) && same(&g["rays"], &w["rays"]), "{id}: {g} against {w}");
            assert!(same(&g["lines"], &w["lines"]) && g["dim"] == w["dim"], "{id}");
        }
        assert_eq!(list(&got["feasible_modes"]).len(), list(&want["feasible_modes"]).len(), "{id}");
        for (g, w) in list(&got["feasible_modes"]).iter().zip(list(&want["feasible_modes"])) {
            assert_eq!((&g["mode"], &g["dim"]), (&w["mode"], &w["dim"]), "{id}");
            assert!(same(&g["vertices"], &w["vertices"]) && same(&g["rays"], &w["rays"]), "{id}: {g} against {w}");
        }
    }
}

/// Answers fed back give the same bytes, and threads change nothing.
#[test]
fn output_fed_back_gives_the_same_output() {
    let mut input = unanswered();
    list_mut(&mut input).push(json!({"id": "bad", "m": 0, "rho2": 1, "F": [0, 0, 0], "contacts": []}));
    let (code, once, _) = run(&["planar", "-", "--json", "--threads", "1"], &input.to_string());
    assert_eq!(code, 1);
    let (_, twice, _) = run(&["planar", "-", "--json", "--threads", "4"], &once);
    assert_eq!(once, twice);
}

fn list_mut(v: &mut Value) -> &mut Vec<Value> {
    v["cases"].as_array_mut().unwrap()
}

#[test]
fn modes_lists_the_strict_kinematic_modes() {
    let (code, out, _) = run(&["planar", "three-point", "--json", "--modes"], "");
    let got: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, list(&got["answer"]["modes"]).len()), (0, 10));
    assert!(list(&got["answer"]["modes"]).iter().all(|m| m["mode"].as_str().unwrap().len() == 3));
}

/// The paper's example, in words: fractions are shown where they are short.
#[test]
fn the_three_point_example_is_told_in_fractions() {
    let (code, out, _) = run(&["planar", "three-point", "--forces"], "");
    assert_eq!(code, 0);
    assert!(out.contains("unique") && out.contains("(-4/9, 7/9, 7/9)") && out.contains("PSS"), "{out}");
    assert!(out.contains("contact 0: normal"), "{out}");
}

#[test]
fn a_name_that_is_nearly_right_gets_a_hint_and_nothing_is_done() {
    let (code, out, err) = run(&["planar", "three-points"], "");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("three-point"), "{err}");
}

/// Every kind of bad record keeps its place, names its field and does not stop the others.
#[test]
fn bad_records_name_their_field() {
    let good =
        json!({"m": 1, "rho2": 1, "F": [0, -1, 0], "contacts": [{"n": [0, 1], "r": [0, 1], "mu": 0.5, "kind": "VE"}]});
    let spoilt = [
        ("m", "/m", json!(-1)),
        ("m", "/m", json!("1/0")),
        ("m", "/m", json!("a third")),
        ("m", "/m", json!(null)),
        ("rho2", "/rho2", json!(0)),
        ("F", "/F", json!([0, 1])),
        ("F[1]", "/F", json!([0, true, 0])),
        ("contacts", "/contacts", json!(3)),
        ("contacts[0].n", "/contacts/0/n", json!([1, 1])),
        ("contacts[0].mu", "/contacts/0/mu", json!("-1/2")),
        ("contacts[0].kind", "/contacts/0/kind", json!("VX")),
        ("contacts[0].k1", "/contacts/0/kind", json!("CC")),
    ];
    let mut cases: Vec<Value> = spoilt
        .iter()
        .map(|(_, path, value)| {
            let mut case = good.clone();
            *case.pointer_mut(path).unwrap() = value.clone();
            case
        })
        .collect();
    cases.push(good);
    cases.push(json!(7));
    let (code, got) = answered(&["planar", "-", "--json"], &json!({"cases": cases}));
    assert_eq!(code, 1);
    let records = list(&got["cases"]);
    for ((field, ..), record) in spoilt.iter().zip(records) {
        assert_eq!(record["error"]["field"], *field, "{record}");
        assert!(record.get("answer").is_none() && !record["error"]["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(records[spoilt.len()]["answer"]["status"], "unique");
    assert_eq!(records[spoilt.len() + 1]["record"], 7);
}

#[test]
fn nothing_is_done_without_a_list_or_json() {
    for (input, word) in [("{}", "cases"), ("[", "not JSON"), ("3", "object")] {
        let (code, out, err) = run(&["planar", "-", "--json"], input);
        assert_eq!((code, out.as_str()), (2, ""), "{input}");
        assert!(err.contains(word), "{err}");
    }
    let (code, ..) = run(&["planar", "no/such.json"], "");
    assert_eq!(code, 2);
    let (code, ..) = run(&["planar", "wedge", "--dt", "0.1"], "");
    assert_eq!(code, 2);
}

/// A lone record comes back alone, with its keys in their order.
#[test]
fn one_case_alone_comes_back_alone() {
    let case = json!({"note": "n", "m": "1/2", "rho2": 1, "F": [0, 1, 0], "contacts": [], "zz": 1});
    let (code, got) = answered(&["planar", "-", "--json"], &case);
    assert_eq!((code, &got["answer"]["accel_sets"][0]["vertices_exact"]), (0, &json!([["0", "2", "0"]])));
    let keys: Vec<&String> = got.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["note", "m", "rho2", "F", "contacts", "zz", "answer"]);
}

/// Sliding down a slope of 3/4 with μ = 1/2: a = g (3/5 − 4/5 · 1/2) along (−4/5, −3/5).
#[test]
fn a_part_file_finds_its_contacts_and_slides_as_in_the_textbook() {
    let (code, out, _) = run(&["planar", "block-on-incline", "--json"], "");
    let got: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(code, 0);
    assert_eq!(list(&got["answer"]["case"]["contacts"]).len(), 2);
    let a = 9.81 * 0.2;
    assert!(same(&got["answer"]["accel_sets"][0]["vertices"], &json!([[-0.8 * a, -0.6 * a, 0.0]])), "{out}");
}

/// The same part by angle and by density; an overlap, a missing friction and both masses are errors with their field.
#[test]
fn part_files_have_their_own_errors() {
    let floor = json!({"polygon": [[-3, -1], [3, -1], [3, 0], [-3, 0]], "mu": "1/3"});
    let part = json!({"body": {"polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}, "density": 2, "gravity": [0, -10],
        "pose": {"angle": 0.0}, "obstacles": [floor]});
    let spoilt = [
        ("obstacles[0]", "pose", json!({"pos": [0, "-1/10"]})),
        ("density", "m", json!(1)),
        ("obstacles[0].mu", "obstacles", json!([{"polygon": [[-3, -1], [3, -1], [3, 0]]}])),
        ("body.polygon", "body", json!({"polygon": [[0, 0], [1, 0]]})),
        ("body", "body", json!({"polygon": [[0, 0], [1, 0], [2, 0]]})),
        ("body.disc.radius", "body", json!({"disc": {"radius": 0}})),
        ("body", "body", json!({"circle": 1})),
        ("pose.angle", "pose", json!({"angle": 1, "tan_half": 1})),
        ("tolerance", "tolerance", json!(-1)),
    ];
    let mut cases = vec![part.clone()];
    for (_, key, value) in &spoilt {
        let mut case = part.clone();
        case[*key] = value.clone();
        cases.push(case);
    }
    let (code, got) = answered(&["planar", "-", "--json"], &json!({"cases": cases}));
    assert_eq!(code, 1);
    assert_eq!(got["cases"][0]["answer"]["case"]["m"], "2");
    assert_eq!(got["cases"][0]["answer"]["status"], "unique");
    for ((field, ..), record) in spoilt.iter().zip(&list(&got["cases"])[1..]) {
        assert_eq!(record["error"]["field"], *field, "{record}");
    }
}

/// Uniform acceleration from rest: x = a t²/2, which the steps meet exactly; ambiguity ends a path at once.
#[test]
fn a_part_is_followed_while_its_motion_is_the_only_one() {
    let (code, out, _) = run(&["planar", "block-on-incline", "--json", "--steps", "20", "--dt", "0.01"], "");
    assert_eq!(code, 0);
    let got: Value = serde_json::from_str(&out).unwrap();
    let path = &got["answer"]["path"];
    let rows = list(&path["instants"]);
    assert_eq!((rows.len(), path["stopped"].as_str().unwrap().contains("20")), (21, true), "{path}");
    let x = |k: usize| rows[k]["pose"][0].as_f64().unwrap();
    let expected = -0.8 * 9.81 * 0.2 * 0.2 * 0.2 / 2.0;
    assert!((x(20) - x(0) - expected).abs() < 1e-9, "{} against {expected}", x(20) - x(0));
    let (code, _, err) = run(&["planar", "painleve-rod", "--steps", "3"], "");
    assert!(code == 1 && err.contains("outlines"), "{err}");
}

/// A block let go above the floor falls freely and the path ends at the impact.
#[test]
fn a_path_ends_at_an_impact_with_its_reason() {
    let part = json!({"body": {"polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}, "m": 1, "gravity": [0, -10],
        "pose": {"pos": [0, 0.05]}, "mu": 0.5, "obstacles": [{"polygon": [[-3, -1], [3, -1], [3, 0], [-3, 0]]}]});
    let (_, got) = answered(&["planar", "-", "--json", "--steps", "1000"], &part);
    let path = &got["answer"]["path"];
    let last = list(&path["instants"]).last().unwrap();
    // t = √(2 · 0.05 / 10) = 0.1 s
    assert!((last["t"].as_f64().unwrap() - 0.1).abs() < 2e-3, "{last}");
    assert!(
        path["stopped"].as_str().unwrap().contains("impact") || path["stopped"].as_str().unwrap().contains("overlaps")
    );
}

#[test]
fn a_picture_shows_contacts_cones_and_motions() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["three-point", "peg-between-walls", "v-feeder", "painleve-rod"] {
        let file = folder.path().join(format!("{name}.svg"));
        let (code, ..) = run(&["planar", name, "--svg", file.to_str().unwrap()], "");
        let svg = std::fs::read_to_string(&file).unwrap();
        assert!(code == 0 && svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{name}");
        assert!(svg.contains("class=\"cone\"") && svg.contains("τ/ρ") && !svg.contains("NaN"), "{name}");
    }
    let (code, out, _) = run(&["planar", "-", "--svg", "x.svg"], r#"{"cases": []}"#);
    assert_eq!((code, out.as_str()), (2, ""));
}
