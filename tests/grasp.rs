//! `fingerpad grasp`: the oracle through the program, grasps of a run's state, words for open grasps, errors by field, exit
//! codes.

mod program;

use program::run;
use serde_json::{Value, json};

const ORACLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/grasp/tests/oracle/grasp_cases.json");
const SCENE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/grasps/pinch.toml");
const PINCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/grasps/pinch.json");

/// Cases of the oracle without their answers, through stdin: the same keys come back, within its tolerances.
#[test]
fn the_oracle_is_answered_through_stdin() {
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(ORACLE).unwrap()).unwrap();
    let cases = document["cases"].as_array_mut().unwrap();
    let expected: Vec<Value> =
        cases.iter_mut().map(|c| c.as_object_mut().unwrap().remove("expected").unwrap()).collect();
    let (code, out, err) = run(&["grasp", "-", "--json"], &document.to_string());
    assert_eq!(code, 0, "{err}");
    let answered: Value = serde_json::from_str(&out).unwrap();
    for (record, theirs) in answered["cases"].as_array().unwrap().iter().zip(&expected) {
        let ours = &record["expected"];
        for (key, value) in theirs.as_object().unwrap() {
            assert!(ours.get(key).is_some(), "case {}: no `{key}`", record["id"]);
            let exact = matches!(key.as_str(), "margin" | "least_max_normal" | "least_sum_normal" | "task_scale");
            if let (true, Some(theirs)) = (exact, value.as_f64()) {
                let ours = ours[key].as_f64().unwrap();
                assert!(
                    (ours - theirs).abs() <= 1e-6 * theirs.abs() + 1e-8,
                    "case {}, {key}: {ours} {theirs}",
                    record["id"]
                );
            }
            if value.is_null() || value.is_boolean() {
                assert_eq!(&ours[key], value, "case {}, {key}", record["id"]);
            }
        }
        assert_eq!(record.get("proof_twist").is_some(), ours["force_closure"] == json!(false), "case {}", record["id"]);
    }
}

/// Two flat fingers of four corners each hold a weight: horizontal forces balance, so each presses with W/2μ.
#[test]
fn fingers_of_several_contacts_are_summed() {
    let (weight, mu) = (6.0, 0.4);
    let corner = |side: f64, y: f64, z: f64| {
        json!({"finger": if side < 0.0 { "left" } else { "right" }, "point": [0.02 * side, y, z],
               "normal": [-side, 0.0, 0.0], "friction": mu, "e_n": 0.0})
    };
    let sides = [-1.0, 1.0];
    let corners = [(-0.01, -0.01), (-0.01, 0.01), (0.01, -0.01), (0.01, 0.01)];
    let contacts: Vec<Value> =
        sides.iter().flat_map(|side| corners.iter().map(|(y, z)| corner(*side, *y, *z))).collect();
    let case = json!({"contacts": contacts, "wrench": [0.0, 0.0, -weight, 0.0, 0.0, 0.0]});
    let (code, document) = program::answered(&["grasp", "-", "--json"], &json!({"cases": [case]}));
    assert_eq!(code, 0);
    let expected = &document["cases"][0]["expected"];
    let near = |value: &Value, wanted: f64| (number(value) - wanted).abs() < 1e-5 * wanted;
    assert!(near(&expected["least_sum_normal"], weight / mu), "{expected}");
    for finger in ["left", "right"] {
        assert!(near(&expected["by_finger"][finger], 0.5 * weight / mu), "{expected}");
    }
    assert!(near(&expected["least_max_normal"], weight / mu / 8.0), "{expected}");
}

/// The grasp of the docs page: 7.099 N, as the condition of the pinch says; patches frozen at 60 N ask for less.
#[test]
fn the_pinch_of_the_docs_needs_seven_newtons() {
    let svg = tempfile::tempdir().unwrap();
    let svg = svg.path().join("pinch.svg");
    let (code, out, err) = run(&["grasp", PINCH, "--json", "--svg", svg.to_str().unwrap()], "");
    assert_eq!(code, 0, "{err}");
    let answered: Value = serde_json::from_str(&out).unwrap();
    let grip = answered["expected"]["least_max_normal"].as_f64().unwrap();
    // Golden number of an independent program: 7.099358.
    assert!((grip - 7.099358).abs() < 1e-5, "{grip}");
    assert!(answered["expected"]["frozen_at_limit_60N"].as_f64().unwrap() < grip);
    assert!(std::fs::read_to_string(&svg).unwrap().contains("</svg>"));
    let (code, out, _) = run(&["grasp", PINCH, "--passive", "--frozen", "load=5N", "--sampled", "graspit"], "");
    assert!(code == 0 && out.contains("force closure") && out.contains("GraspIt!") && out.contains("passive"), "{out}");
    assert!(out.contains("pressed with 5 N the grasp does not hold the wrench"), "{out}");
    let (code, out, _) = run(&["grasp", PINCH, "--passive", "--preload", "9N"], "");
    assert!(code == 0 && !out.contains("does not hold"), "{out}");
}

/// An open grasp is an answer, in words that can be pictured.
#[test]
fn an_open_grasp_says_what_nothing_resists() {
    let case = json!({"contacts": [
        {"point": [-0.02, 0, 0], "normal": [1, 0, 0], "friction": 0.5, "e_n": 0},
        {"point": [0.02, 0, 0], "normal": [-1, 0, 0], "friction": 0.5, "e_n": 0}]});
    let (code, out, err) = run(&["grasp", "-"], &case.to_string());
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("not closed: nothing resists turning about") && out.contains("through (0.00, 0.00, 0.00) mm"),
        "{out}"
    );
}

/// Bad records name their field (exit 1); what cannot be read at all ends with 2 and an empty stdout.
#[test]
fn errors_name_the_field() {
    let contact = json!({"point": [0, 0, 0.01], "normal": [0, 0, 1], "friction": 0.5, "e_n": 0.001});
    let mut flat = contact.clone();
    flat["normal"] = json!([0, 0, 0]);
    let mut missing = contact.clone();
    missing.as_object_mut().unwrap().remove("friction");
    let cases: [(Value, &str); 5] = [
        (json!({"contacts": []}), "contacts"),
        (json!({"contacts": [contact, flat]}), "contacts[1].normal"),
        (json!({"contacts": [missing]}), "contacts[0].friction"),
        (json!({"contacts": [contact], "wrench": [1, 2]}), "wrench"),
        (json!({"contacts": [contact], "hand": {"jacobian": [[1]], "torque_limits": [1]}}), "hand.jacobian"),
    ];
    for (case, field) in cases {
        let (code, out, _) = run(&["grasp", "-", "--json"], &json!({"cases": [case]}).to_string());
        let answered: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, answered["cases"][0]["error"]["field"].as_str()), (1, Some(field)), "{out}");
    }
    for args in [&["grasp", "/no/such.json"][..], &["grasp", "-", "--push", "+w"], &["grasp", "-", "--certify", "0"]] {
        let (code, out, err) = run(args, "{}");
        assert_eq!((code, out.as_str()), (2, ""), "{args:?} {err}");
    }
}

/// The least grip of a pinch with a thin layer: μP = (W/2)√(1 + (d/e_n(P))²), e_n = (8/15)√(2δR), by halving.
fn pinch_grip(weight: f64, lever: f64) -> f64 {
    let (mu, radius, modulus, depth) = (0.6, 0.01, 2e5, 4e-3);
    let (mut low, mut high) = (0.0_f64, 1e3_f64);
    for _ in 0..200 {
        let p = 0.5 * (low + high);
        let delta = (p * depth / (std::f64::consts::PI * modulus * radius)).sqrt();
        let e_n = 8.0 / 15.0 * (2.0 * delta * radius).sqrt();
        let needed = 0.5 * weight * (1.0 + (lever / e_n).powi(2)).sqrt();
        if mu * p < needed { low = p } else { high = p }
    }
    low
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A scene's state: contacts, live patches and weight come from the run, and the grip is that of the pinch's equation at
/// the lever that the box has come to. What was printed can be asked again as a file.
#[test]
fn the_grasp_of_a_scene_meets_the_equation_of_the_pinch() {
    let (code, out, err) = run(&["grasp", SCENE, "--object", "box", "--at", "0.5s", "--json"], "");
    assert_eq!(code, 0, "{err}");
    let answered: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((answered["object"].as_str(), answered["t"].as_f64()), (Some("box"), Some(0.5)));
    let contacts = answered["contacts"].as_array().unwrap();
    let names: Vec<&str> = contacts.iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["thumb", "index"]);
    // Tips of 50 g pressed with 5 N, at rest: 5 N to what is left of the motion.
    assert!(contacts.iter().all(|c| (number(&c["now"]["normal"]) - 5.0).abs() < 0.05), "{contacts:?}");
    let lever = number(&answered["reference"][0]) - number(&contacts[0]["point"][0]);
    let (grip, exact) = (number(&answered["expected"]["least_max_normal"]), pinch_grip(0.1 * 9.81, lever));
    // Patches on faces that are 1.8 mm inside each other are a little off the line between the tips.
    assert!((grip / exact - 1.0).abs() < 1e-3, "{grip} {exact} at {lever}");
    assert!((number(&answered["expected"]["margin"]) - 0.5).abs() < 1e-3, "{out}");
    let (code, again, err) = run(&["grasp", "-", "--json"], &out);
    assert_eq!(code, 0, "{err}");
    let again: Value = serde_json::from_str(&again).unwrap();
    let same = number(&again["expected"]["least_max_normal"]);
    assert!((same / grip - 1.0).abs() < 1e-6, "{same} {grip}");
}

/// A saved state goes on to the same bits as the run that was not interrupted.
#[test]
fn a_saved_state_has_the_grasp_of_the_whole_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (state, out) = (path("half.state"), path("out"));
    let (code, _, err) = run(&["run", SCENE, "--out", &out, "--duration", "0.2s", "--save-state", &state], "");
    assert!(code == 0 || code == 1, "{err}");
    let whole = run(&["grasp", SCENE, "--object", "box", "--at", "0.3s", "--json"], "");
    let on = run(&["grasp", SCENE, "--object", "box", "--at", "0.3s", "--from", &state, "--json"], "");
    assert_eq!((whole.0, on.0), (0, 0), "{} {}", whole.2, on.2);
    assert_eq!(whole.1, on.1);
    let (code, out, err) = run(&["grasp", SCENE, "--object", "box", "--at", "0.1s", "--from", &state], "");
    assert!(code == 2 && out.is_empty() && err.contains("0.2 s"), "{err}");
}

/// Checks on grasps are judged at the end, and the report shows the grasp that they name.
#[test]
fn scene_checks_and_the_report_know_grasps() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let (code, text, err) = run(&["run", SCENE, "--out", out, "--json"], "");
    assert_eq!(code, 0, "{text}{err}");
    let summary: Value = serde_json::from_str(&text).unwrap();
    assert!(summary["checks"].as_array().unwrap().iter().all(|c| c["ok"] == json!(true)), "{summary}");
    assert_eq!(summary["grasps"]["box"]["force_closure"], json!(true), "{summary}");
    assert_eq!(summary["grasps"]["box"]["contacts"], json!(["thumb", "index"]));
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(
        page.contains("id=\"grasps\"") && page.contains("box: force closure, margin 0.5"),
        "no grasp in the report"
    );
}

/// Points in the place of pads reach five directions. Their loads have a margin of a half all the same, which a check must
/// not take for closure; the report says what nothing resists.
#[test]
fn a_margin_without_closure_fails_its_check() {
    let folder = tempfile::tempdir().unwrap();
    let scene = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/scenes/pinch-sliders.toml")).unwrap();
    let check = "\n[[check]]\nname = \"closed\"\nexpression = \"grasp.object.margin > 0.1\"\n";
    let path = folder.path().join("points.toml");
    std::fs::write(&path, scene.replace("e_n = \"1.5 mm\"", "e_n = 0").replace("k_theta = 1", "k_theta = 0") + check)
        .unwrap();
    let out = folder.path().join("out");
    let args = ["run", path.to_str().unwrap(), "--out", out.to_str().unwrap(), "--duration", "10.1s", "--json"];
    let (code, text, err) = run(&args, "");
    assert_eq!(code, 1, "{text}{err}");
    let summary: Value = serde_json::from_str(&text).unwrap();
    let closed = summary["checks"].as_array().unwrap().iter().find(|c| c["name"] == "closed").unwrap();
    assert_eq!((&closed["ok"], closed["value"].as_f64()), (&json!(false), Some(0.0)), "{closed}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("not closed: nothing resists turning about"), "the report does not say why");
}

/// Body absent, nothing touches, no TOML, a scene without --object, a time past a limit: told, exit 2, stdout empty.
#[test]
fn scenes_that_have_no_grasp_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let not_toml = write("scene.toml", "{\"contacts\": []}");
    let free = write(
        "free.toml",
        "[scene]\nname = \"free\"\nduration = 0.01\n[[body]]\nname = \"ball\"\nshape = { type = \"sphere\", radius = 0.01 }\nmass = 0.1\n",
    );
    let cases: [(&[&str], &str); 8] = [
        (&["grasp", SCENE, "--object", "bix"], "did you mean `box`"),
        (&["grasp", SCENE], "--object BODY"),
        (&["grasp", "pinch-sliders"], "--object BODY"),
        (&["grasp", &not_toml, "--object", "box"], "scene.toml"),
        (&["grasp", &free, "--object", "ball"], "nothing touches `ball`"),
        (&["grasp", SCENE, "--object", "box", "--at", "-1s"], "positive time"),
        (&["grasp", "/no/such.toml", "--object", "box"], "cannot be read"),
        (&["grasp", PINCH, "--at", "1s"], "--object"),
    ];
    for (args, words) in cases {
        let (code, out, err) = run(args, "");
        assert!(code == 2 && out.is_empty() && err.contains(words), "{args:?}: {code} {err}");
    }
}

/// Names of grasps in checks: an unknown quantity, an unknown body and a wrong unit are told with what was meant.
#[test]
fn checks_on_grasps_are_read_with_care() {
    let text = std::fs::read_to_string(SCENE).unwrap();
    let cases = [
        ("grasp.box.margn > 0.1", "did you mean `margin`"),
        ("grasp.bix.margin > 0.1", "did you mean `box`"),
        ("grasp.box.grip > 2 mm", "can neither be compared"),
        ("grasp.margin > 0.1", "grasp.BODY.QUANTITY"),
    ];
    for (expression, words) in cases {
        let folder = tempfile::tempdir().unwrap();
        let scene = folder.path().join("scene.toml");
        std::fs::write(&scene, text.replace("grasp.box.margin == 0.5 +- 1e-3", expression)).unwrap();
        let (code, out, err) = run(&["run", scene.to_str().unwrap(), "--out", folder.path().to_str().unwrap()], "");
        assert!(code == 2 && out.is_empty() && err.contains(words), "{expression}: {code} {err}");
    }
}

/// Bad input of the issue through the program: one contact, contacts at one place, zeros, mixed units, a far object, 200
/// contacts. Every answer is a number or a reason; none is a bare −1.
#[test]
fn odd_grasps_are_answered_or_refused_in_words() {
    let contact =
        |x: f64, y: f64| json!({"point": [x, y, 0], "normal": [-x.signum(), 0, 0], "friction": 0.5, "e_n": 0.003});
    let pinch = [contact(0.02, 0.0), contact(-0.02, 0.0)];
    let with = |key: &str, value: Value| {
        let mut changed = pinch.clone();
        changed.iter_mut().for_each(|c| c[key] = value.clone());
        changed
    };
    let far = json!([
        {"point": [1000.02, 0, 0], "normal": [-1, 0, 0], "friction": 0.5, "e_n": 0.003},
        {"point": [999.98, 0, 0], "normal": [1, 0, 0], "friction": 0.5, "e_n": 0.003}]);
    let ring = |k: usize| {
        let (s, c) = (std::f64::consts::TAU * k as f64 / 200.0).sin_cos();
        json!({"point": [0.03 * c, 0.03 * s, 0], "normal": [-c, -s, 0], "tangent": [0, 0, 1], "friction": 0.5, "e_n": 0.002})
    };
    let cases = [
        ("one", json!({"contacts": [pinch[0]]}), "not closed: nothing resists"),
        ("coincident", json!({"contacts": [pinch[0], pinch[0]]}), "not closed: nothing resists"),
        ("slick", json!({"contacts": with("friction", json!(0)), "mass": 0.1}), "the wrench is not held"),
        ("no force", json!({"contacts": with("limit", json!(0)), "mass": 0.1}), "limits are too low"),
        ("no wrench", json!({"contacts": pinch, "wrench": [0, 0, 0, 0, 0, 0]}), "least 0"),
        ("millimetres", json!({"contacts": with("e_n", json!(3))}), "are units mixed?"),
        ("far", json!({"contacts": far, "torque_length": 0.02}), "moments are about a far point"),
        ("many", json!({"contacts": (0..200).map(ring).collect::<Vec<_>>(), "mass": 0.1}), "force closure"),
    ];
    for (name, case, words) in cases {
        let metrics = if name == "many" { "l1" } else { "l1,linf" };
        let (code, out, err) = run(&["grasp", "-", "--metrics", metrics], &case.to_string());
        assert!(code == 0 && out.contains(words) && !out.contains("-1 "), "{name}: {code} {out}{err}");
    }
}

/// Every command of the docs page does what it says there: it ends with 0.
#[test]
fn commands_of_the_docs_page_run() {
    let folder = tempfile::tempdir().unwrap();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/grasp.md")).unwrap();
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("fingerpad ")).collect();
    assert!(lines.len() >= 4, "{lines:?}");
    for line in lines {
        let place = |word: &str| match (word.strip_prefix("examples/"), word.strip_prefix("out/")) {
            (Some(rest), _) => format!("{}/examples/{rest}", env!("CARGO_MANIFEST_DIR")),
            (_, Some(rest)) => folder.path().join(rest).to_str().unwrap().to_string(),
            _ => word.to_string(),
        };
        let words: Vec<String> = line.split_whitespace().map(place).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (code, out, err) = run(&words, "");
        assert!(code == 0 && !out.is_empty(), "{line}: {code} {err}");
    }
}
