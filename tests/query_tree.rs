//! `fingerpad query tree` from outside: random trees of an independent program, edges, errors.

mod program;

use program::{answered, run};
use serde_json::{Value, json};
use std::path::PathBuf;

const ARGS: [&str; 4] = ["query", "tree", "-", "--json"];
const ANSWERS: [&str; 10] = [
    "M",
    "bias",
    "gravity_force",
    "qdd",
    "frames",
    "kinetic",
    "kinetic_of_armature",
    "potential",
    "centre_of_mass_W",
    "momentum_W",
];

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crates/sim/tests/oracle/articulated").join(name)
}

fn reference(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file(name)).unwrap()).unwrap()
}

/// The document without its answers.
fn question(reference: &Value) -> Value {
    let mut question = reference.clone();
    for state in question["states"].as_array_mut().unwrap() {
        let state = state.as_object_mut().unwrap();
        ANSWERS.iter().for_each(|key| drop(state.shift_remove(*key)));
        state["inverse"] = json!({"qdd": state["inverse"]["qdd"]});
    }
    question
}

/// All numbers of a value, in order.
fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap_or_else(|| panic!("{other} is no number"))],
    }
}

/// Largest difference over the largest number.
fn apart(ours: &Value, theirs: &Value) -> f64 {
    let (a, b) = (numbers(ours), numbers(theirs));
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let worst = a.iter().zip(&b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    worst / if scale > 0.0 { scale } else { 1.0 }
}

/// Every number of six trees, to 1e-10 of the largest of its kind.
#[test]
fn random_trees_are_answered() {
    for name in
        ["public-00.json", "public-01.json", "public-02.json", "public-07.json", "public-10.json", "public-19.json"]
    {
        let theirs = reference(name);
        let (code, ours) = answered(&ARGS, &question(&theirs));
        assert_eq!(code, 0);
        assert_eq!((&ours["tree"], &ours["name"]), (&theirs["tree"], &theirs["name"]));
        for (ours, theirs) in ours["states"].as_array().unwrap().iter().zip(theirs["states"].as_array().unwrap()) {
            for key in ANSWERS.iter().filter(|key| **key != "frames") {
                assert!(apart(&ours[*key], &theirs[*key]) <= 1e-10, "{name} {key}");
            }
            for key in ["qdd", "tau", "dtau_dq", "dtau_dv"] {
                assert!(apart(&ours["inverse"][key], &theirs["inverse"][key]) <= 1e-10, "{name} inverse.{key}");
            }
            // Over all frames of a state: J′v of a single one may be nothing but rounding.
            let all = |state: &Value, key: &str| -> Value {
                state["frames"].as_array().unwrap().iter().map(|frame| frame[key].clone()).collect()
            };
            for key in ["body", "p_WBo", "quat_wxyz", "J", "V", "Jdot_v"] {
                assert!(apart(&all(ours, key), &all(theirs, key)) <= 1e-10, "{name} {key} of frames");
            }
        }
    }
}

/// Fed back the bytes stay; the table has a row for each state; other keys of the document stay.
#[test]
fn answers_are_stable_and_tables_readable() {
    let mut asked = question(&reference("public-04.json"));
    asked["states"][1]["id"] = json!("swing");
    asked["note"] = json!("kept");
    let (_, once, _) = run(&ARGS, &asked.to_string());
    assert_eq!(run(&ARGS, &once).1, once);
    assert!(once.contains("\"note\": \"kept\""));
    let (code, table, _) = run(&["query", "tree", "-"], &once);
    assert!(
        code == 0 && table.lines().count() == 4 && table.contains("kinetic [J]") && table.contains("swing"),
        "{table}"
    );
}

/// A pendulum of one line: M = m l², bias = m g l sin q, period by qdd; a state may leave out tau and inverse.
#[test]
fn a_pendulum_is_a_pendulum() {
    let (code, got) = answered(&ARGS, &pendulum(json!({"q": [0.3], "v": [2.0]})));
    let state = &got["states"][0];
    assert_eq!(code, 0, "{got}");
    assert!((state["M"][0][0].as_f64().unwrap() - 0.5).abs() < 1e-15);
    assert!((state["bias"][0].as_f64().unwrap() - 2.0 * 9.81 * 0.5 * 0.3_f64.sin()).abs() < 1e-14);
    assert!(state.get("qdd").is_none() && state.get("inverse").is_none());
    let (_, got) = answered(&ARGS, &pendulum(json!({"q": [0.3], "v": [2.0], "tau": [0.0], "inverse": {"qdd": [0.0]}})));
    let state = &got["states"][0];
    assert!((state["qdd"][0].as_f64().unwrap() + 9.81 / 0.5 * 0.3_f64.sin()).abs() < 1e-13);
    assert!((state["inverse"]["dtau_dq"][0][0].as_f64().unwrap() - 9.81 * 0.3_f64.cos()).abs() < 1e-13);
}

fn pendulum(state: Value) -> Value {
    let joint = json!({"kind": "revolute", "axis": [0, 1, 0]});
    let body = json!({"parent": -1, "mass": 2, "com": [0, 0, -0.5], "inertia_com": [0, 0, 0, 0, 0, 0], "joint": joint});
    json!({"tree": {"gravity": [0, 0, -9.81], "bodies": [body]}, "states": [state]})
}

/// Wrong states name their field; the others are answered.
#[test]
fn bad_states_name_their_field() {
    let states = [
        (json!({"q": [0.3, 1], "v": [2.0]}), "q"),
        (json!({"q": [0.3]}), "v"),
        (json!({"q": [0.3], "v": [null]}), "v[0]"),
        (json!({"q": [0.3], "v": [1], "tau": [1, 2]}), "tau"),
        (json!({"q": [0.3], "v": [1], "inverse": {}}), "inverse.qdd"),
        (json!({"q": [0.3], "v": [1e200]}), "v"),
        (json!(3), ""),
        (json!({"q": [0.3], "v": [1]}), "none"),
    ];
    let mut document = pendulum(json!(null));
    document["states"] = states.iter().map(|(state, _)| state.clone()).collect();
    let (code, got) = answered(&ARGS, &document);
    assert_eq!(code, 1);
    for (got, (_, field)) in got["states"].as_array().unwrap().iter().zip(&states) {
        match *field {
            "none" => assert!(got["M"].is_array(), "{got}"),
            field => assert_eq!(got["error"]["field"], json!(field), "{got}"),
        }
    }
}

/// Wrong trees: loops, missing parents, inertias that no solid has, axes, masses; every state carries the error.
#[test]
fn bad_trees_name_body_and_field() {
    let change = |path: &str, value: Value, field: &str, words: &str| {
        let mut document = pendulum(json!({"q": [0.3], "v": [2.0]}));
        *document.pointer_mut(path).unwrap() = value;
        let (code, got) = answered(&ARGS, &document);
        let error = &got["states"][0]["error"];
        assert_eq!((code, &error["field"]), (1, &json!(field)), "{got}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    };
    let body = "/tree/bodies/0";
    change(&format!("{body}/parent"), json!(0), "tree.bodies[0].parent", "loop");
    change(&format!("{body}/parent"), json!(7), "tree.bodies[0].parent", "only 1 links");
    change(&format!("{body}/parent"), json!(-2), "tree.bodies[0].parent", "-1 for the world");
    change(&format!("{body}/inertia_com"), json!([1, 1, 3, 0, 0, 0]), "tree.bodies[0].inertia_com", "exceed the sum");
    change(&format!("{body}/inertia_com"), json!([-1, 1, 1, 0, 0, 0]), "tree.bodies[0].inertia_com", "negative");
    change(&format!("{body}/inertia_com"), json!([1, 1]), "tree.bodies[0].inertia_com", "6 numbers");
    change(&format!("{body}/mass"), json!(-1), "tree.bodies[0].mass", "negative");
    change(&format!("{body}/joint/axis"), json!([0, 0, 0]), "tree.bodies[0].joint.axis", "length 1");
    change(&format!("{body}/joint/kind"), json!("revolut"), "tree.bodies[0].joint.kind", "revolute");
    change(&format!("{body}/com"), json!([0, 0, 0]), "tree.bodies[0].mass", "without moving any mass");
    change("/tree/gravity", json!([0, 0]), "tree.gravity", "3 numbers");
    let (code, got) = answered(&ARGS, &json!({"states": [{"q": [], "v": []}]}));
    assert_eq!((code, &got["states"][0]["error"]["field"]), (1, &json!("tree")));
}

/// Nothing done: exit 2 and an empty stdout.
#[test]
fn unreadable_documents_exit_with_2() {
    let none = json!({"tree": {"gravity": [0, 0, 0], "bodies": []}}).to_string();
    for text in ["{", "[]", none.as_str(), "{\"states\": []}"] {
        let (code, out, err) = run(&ARGS, text);
        assert!(code == 2 && out.is_empty() && !err.is_empty(), "{text}: {err}");
    }
    let (code, got) =
        answered(&ARGS, &json!({"tree": {"gravity": [0, 0, 0], "bodies": []}, "states": [{"q": [], "v": []}]}));
    assert_eq!((code, &got["states"][0]["M"]), (0, &json!([])));
}
