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

const STADIUM: &str = r#"
# A rounded bar on a floor, pushed.
id = "bar"
density = "3/2"
gravity = [0, -9.81]
mu = 0.25
F = [1, 0, 0]

[body]
outline = [[-1, 0], [1, 0], { via = [2, 1] }, [1, 2], [-1, 2], { via = [-2, 1] }]

[[obstacles]]
polygon = [[-9, -1], [9, -1], [9, 0], [-9, 0]]
"#;

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

/// TOML holds the same keys; a 2 × 2 square with two half discs of radius 1 has the area 4 + π.
#[test]
fn a_part_in_toml_with_arcs_is_answered_like_one_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, "bar.toml", STADIUM);
    let (code, out, err) = run(&["planar", &path, "--json", "--paper"], "");
    assert_eq!(code, 0, "{err}");
    let got: Value = serde_json::from_str(&out).unwrap();
    let answer = &got["answer"];
    assert_eq!((&answer["status"], &got["density"]), (&json!("unique"), &json!("3/2")));
    assert_eq!(
        (list(&answer["case"]["contacts"]).len(), &answer["accel_sets"][0]["kinematic_mode"]),
        (2, &json!("FF"))
    );
    let mass: fingerpad_planar::Rational = answer["case"]["m"].as_str().unwrap().parse().unwrap();
    assert!((mass.to_f64() - 1.5 * (4.0 + std::f64::consts::PI)).abs() < 1e-12);
    assert_eq!((&answer["paper"]["agrees"], &answer["paper"]["claims_all"]), (&json!(true), &json!(true)));
    let json = json!({"id": "bar", "density": "3/2", "gravity": [0, -9.81], "mu": 0.25, "F": [1, 0, 0],
        "body": {"outline": [[-1, 0], [1, 0], {"via": [2, 1]}, [1, 2], [-1, 2], {"via": [-2, 1]}]},
        "obstacles": [{"polygon": [[-9, -1], [9, -1], [9, 0], [-9, 0]]}]});
    let (_, same) = answered(&["planar", "-", "--json", "--paper"], &json);
    assert_eq!(same["answer"], *answer);
}

/// Errors in TOML name file, line and column, as editors read them.
#[test]
fn errors_in_toml_name_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let spoilt = [
        ("mu = 0.25", "mu = -0.25", ":6:6: mu: expected a number not negative"),
        ("[1, 0, 0]", "[1, 0]", ":7:5: F: expected a list of 3 numbers, got 2"),
        ("density = \"3/2\"", "density = \"3/0\"", ":4:11: density: the denominator of \"3/0\" is zero"),
        ("{ via = [2, 1] }", "{ va = [2, 1] }", ":10:29: body.outline[2].via: expected `via`"),
        ("[2, 1]", "[1, 3]", ":9:1: body: an arc of the body needs three points"),
        ("[2, 1]", "[-1.5, 1]", ":9:1: body: the body crosses itself"),
        ("[9, 0], [-9, 0]]", "[9, 1], [-9, 1]]", ":12:1: obstacles[0]: the body overlaps obstacle 0"),
    ];
    for (from, to, expected) in spoilt {
        let path = file(&folder, "part.toml", &STADIUM.replacen(from, to, 1));
        let (code, out, err) = run(&["planar", &path], "");
        assert_eq!((code, out.as_str()), (1, ""), "{to}");
        assert!(err.contains(&format!("part.toml{expected}")), "{to}: {err}");
        let (_, out, _) = run(&["planar", &path, "--json"], "");
        let got: Value = serde_json::from_str(&out).unwrap();
        let line: u64 = expected.split(':').nth(1).unwrap().parse().unwrap();
        assert_eq!(got["error"]["line"], line, "{got}");
    }
    let path = file(&folder, "part.toml", "m = 1\nm = 2\n");
    let (code, out, err) = run(&["planar", &path, "--json"], "");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("part.toml:2:1: not TOML"), "{err}");
}

/// Everything undefined has its words, keeps its place, and exits with 1; nothing is called unique.
#[test]
fn bad_input_is_said_in_words() {
    let good =
        json!({"m": 1, "rho2": 1, "F": [0, -1, 0], "contacts": [{"n": [0, 1], "r": [0, 1], "mu": 0.5, "kind": "VE"}]});
    let floor = json!({"polygon": [[-3, -1], [3, -1], [3, 0], [-3, 0]], "mu": "1/3"});
    let part = json!({"body": {"polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}, "m": 2, "gravity": [0, -10], "obstacles": [floor]});
    let spoilt = [
        (&good, "/contacts/0/mu", json!("-1/2"), "the coefficient of friction must not be negative, got -1/2"),
        (&good, "/m", json!(0), "the mass must be positive, got 0 kg"),
        (&good, "/contacts/0/n", json!([1, 1]), "the normal must have length 1, got (1, 1) of length 1.414"),
        (&good, "/m", json!("1/0"), "the denominator of \"1/0\" is zero"),
        (&part, "/m", json!(0), "the mass must be positive"),
        (&part, "/obstacles/0/mu", json!(-1), "expected a number not negative, got -1"),
        (&part, "/body/polygon", json!([[0, 0], [2, 2], [3, 0], [0, 3]]), "the body crosses itself at"),
        (&part, "/obstacles/0/polygon", json!([[0, -1], [2, -3], [3, -1], [0, -4]]), "obstacle 0 crosses itself"),
        (
            &part,
            "/body/polygon/0",
            json!([0, "-1/100"]),
            "overlaps obstacle 0 at (0, -0.01) m by more than the tolerance",
        ),
        (&part, "/body/polygon/0", json!([0, "1/0"]), "is zero"),
    ];
    for (base, path, value, words) in spoilt {
        let mut case = base.clone();
        *case.pointer_mut(path).unwrap() = value;
        let (code, got) = answered(&["planar", "-", "--json"], &case);
        let message = got["error"]["message"].as_str().unwrap_or_default();
        assert!(code == 1 && message.contains(words) && got.get("answer").is_none(), "{words}: {got}");
        let (code, out, err) = run(&["planar", "-"], &case.to_string());
        assert!(code == 1 && out.is_empty() && err.contains(words), "{words}: {err}");
    }
    // A contact that approaches is an answer: an impact, with the speed.
    let mut case = good.clone();
    case["vel"] = json!([0, "-3/2", 0]);
    let (code, out, _) = run(&["planar", "-"], &case.to_string());
    assert!(code == 0 && out.contains("invalid_impact") && out.contains("contact 0 closes at 1.5 m/s"), "{out}");
}

/// 500 contacts end within the bound of work: whole, or marked as partial and never called unique.
#[test]
fn five_hundred_contacts_end_soon_through_the_program() {
    let contact = |i: i32| {
        let angle = f64::from(i - 250) * 0.002;
        let (x, y) = angle.sin_cos();
        json!({"n": [x, y], "r": [-x * x * y, x * x * x], "mu": 0.3, "kind": "VE"})
    };
    let curved: Vec<Value> = (0..500).map(contact).collect();
    let floor: Vec<Value> = (0..500).map(|i| json!({"n": [0, 1], "r": [i, 1], "mu": "1/3", "kind": "VE"})).collect();
    for (contacts, force) in [(curved, json!([1, -3, 0.2])), (floor, json!([0, -1, 250]))] {
        let case = json!({"m": 1, "rho2": 1, "F": force, "contacts": contacts});
        let start = std::time::Instant::now();
        let (code, got) = answered(&["planar", "-", "--json"], &case);
        let spent = start.elapsed();
        let (status, whole) = (&got["answer"]["status"], got["answer"].get("complete").is_none());
        println!("{status}, whole {whole}, {} warnings, {spent:?}", list(&got["warnings"]).len());
        assert_eq!(code, 0);
        assert!(whole || status != "unique", "{status}");
        assert!(whole || got["warnings"].to_string().contains("there may be others"));
        // The work limits count pieces of work, not time: an answer that is not whole says that it stopped at one.
        assert!(whole || got["answer"]["complete"] == json!(false), "{status}");
    }
}

/// The paper's steps, in words: the three-point example turns about one contact, and the peg's segment is missed.
#[test]
fn the_papers_procedure_is_told_step_by_step() {
    let (code, out, _) = run(&["planar", "three-point", "--paper"], "");
    assert_eq!(code, 0);
    for words in [
        "cone edges (0.25, 1, -0.75) = (1/4, 1, -3/4)",
        "projection onto the cone of contact 0 (§4.4)",
        "(-4/9, 7/9, 7/9)",
    ] {
        assert!(out.contains(words), "{words}: {out}");
    }
    assert!(out.contains("claims to find all, and agrees"), "{out}");
    let (_, out, _) = run(&["planar", "peg-between-walls", "--paper"], "");
    assert!(out.contains("misses some") && out.contains("§5.4.5"), "{out}");
}

/// Two blocks corner on corner: three motions without friction, told with kind VV; the case found answers itself.
#[test]
fn a_corner_on_a_corner_is_ambiguous() {
    let part = json!({"body": {"polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}, "m": 1, "gravity": [0, -1], "mu": 0,
        "obstacles": [{"polygon": [[0, 0], [-2, 0], [-2, -2], [0, -2]]}]});
    let (code, got) = answered(&["planar", "-", "--json", "--forces", "--modes"], &part);
    let answer = &got["answer"];
    assert_eq!((code, &answer["status"], &answer["n_components"]), (0, &json!("ambiguous"), &json!(3)));
    assert_eq!(answer["case"]["contacts"][0]["kind"], "VV");
    // One corner, one force: known, though four cone edges can share it.
    assert!(list(&answer["accel_sets"]).iter().all(|s| s["reactions"][0]["indeterminacy"] == 0), "{answer}");
    let (_, again) = answered(&["planar", "-", "--json", "--forces", "--modes"], &answer["case"]);
    assert_eq!(again["answer"]["accel_sets"], answer["accel_sets"]);
}

/// A key of a TOML part that is nearly a known one is told with its place; the user's own keys are not.
#[test]
fn slips_in_keys_of_a_part_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("part.toml");
    let part = "m = 1\nnote = \"mine\"\ngraviti = [0, -10]\nbody = { disc = { centre = [0, 0], radius = 1 } }\nobstacles = []\nF = [0, 0, 0]\n";
    std::fs::write(&path, part).unwrap();
    let (_, _, err) = run(&["planar", path.to_str().unwrap()], "");
    assert!(
        err.contains("part.toml:3:") && err.contains("`graviti` is no known key; did you mean `gravity`?"),
        "{err}"
    );
    assert!(!err.contains("note"), "{err}");
    let (_, _, err) = run(&["planar", path.to_str().unwrap(), "--quiet"], "");
    assert!(!err.contains("graviti"), "{err}");
}
