//! `fingerpad query slip` from outside: reference data, the limits of the theory, errors.

mod program;

use program::{answered, distance, oracle, oracle_json, run};
use serde_json::{Value, json};

const ARGS: [&str; 4] = ["query", "slip", "-", "--json"];
const ANSWERS: [&str; 6] = ["xi", "theta", "lam", "slipping", "dissipated_energy", "work_at_end_load"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn one(record: Value) -> (i32, Value) {
    let (code, document) = answered(&ARGS, &json!({"cases": [record]}));
    (code, document["cases"][0].clone())
}

/// 200 returns by an independent program, answers removed: 1e-12 relative.
#[test]
fn reference_returns_are_met_to_1e_12() {
    let reference = oracle_json("return_map.json");
    let mut question = reference.clone();
    for record in question["cases"].as_array_mut().unwrap() {
        ANSWERS.iter().for_each(|key| drop(record.as_object_mut().unwrap().shift_remove(*key)));
    }
    let (code, got) = answered(&ARGS, &question);
    assert_eq!((code, &got["meta"]), (0, &reference["meta"]));
    let (ours, theirs) = (got["cases"].as_array().unwrap(), reference["cases"].as_array().unwrap());
    assert_eq!((ours.len(), theirs.len()), (200, 200));
    for (k, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert_eq!(
            ours.as_object().unwrap().keys().collect::<Vec<_>>(),
            theirs.as_object().unwrap().keys().collect::<Vec<_>>()
        );
        assert_eq!(ours["slipping"], theirs["slipping"], "{k}");
        let size = numbers_norm(&theirs["xi"]);
        assert!(distance(&ours["xi"], &theirs["xi"]) <= 1e-12 * size, "{k}");
        for key in ["theta", "lam", "dissipated_energy", "work_at_end_load"] {
            let (ours, theirs) = (number(&ours[key]), number(&theirs[key]));
            assert!((ours - theirs).abs() <= 1e-12 * theirs.abs(), "{k} {key}: {ours} against {theirs}");
        }
    }
    let (_, once, _) = run(&["query", "slip", oracle("return_map.json").to_str().unwrap(), "--json"], "");
    assert_eq!(run(&ARGS, &once).1, once);
}

fn numbers_norm(list: &Value) -> f64 {
    program::numbers(list).iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Without load nothing holds: zeros, no multiplier, all energy lost; a trial of zero does not slip. A pull (P < 0) is no
/// load, and neither is a frictionless contact.
#[test]
fn without_load_nothing_holds() {
    let case = |load: f64, mu: f64, xi: [f64; 2], theta: f64| json!({"k_t": 1e4, "k_theta": 0.1, "e_n": 0.003, "mu": mu, "P": load, "xi_trial": xi, "theta_trial": theta});
    for (load, mu) in [(0.0, 0.5), (-3.0, 0.5), (5.0, 0.0)] {
        let (code, got) = one(case(load, mu, [1e-3, 0.0], 0.2));
        assert_eq!(code, 0);
        assert_eq!((&got["xi"], &got["theta"], &got["lam"]), (&json!([0.0, 0.0]), &json!(0.0), &Value::Null));
        assert_eq!((&got["slipping"], &got["work_at_end_load"]), (&json!(true), &json!(0.0)));
        // ½·1e4·1e-6 + ½·0.1·0.04.
        assert!((number(&got["dissipated_energy"]) - 7e-3).abs() < 1e-17);
        let (_, still) = one(case(load, mu, [0.0; 2], 0.0));
        assert_eq!((&still["slipping"], &still["lam"]), (&json!(false), &Value::Null));
    }
}

/// Just beyond the limit the loss is 1e-9 of the energy: a difference of two energies would keep 7 digits of it. With
/// ρ = 1 the return is radial: λ = s − 1 and the loss (s² − 1) S, s the trial over the limit, S the energy at it.
#[test]
fn a_small_slip_keeps_its_digits() {
    let excess = 2.0_f64.powi(-30);
    let record = json!({"k_t": 1.0, "k_theta": 1.0, "e_n": 1.0, "mu": 1.0, "P": 1.0, "xi_trial": [1.0 + excess, 0.0], "theta_trial": 0.0});
    let (_, got) = one(record);
    let want = 0.5 * excess * (2.0 + excess);
    // The multiplier itself is right to rounding over its size: 2e-16/1e-9.
    assert!((number(&got["dissipated_energy"]) / want - 1.0).abs() < 1e-6, "{got}");
    assert_eq!(got["slipping"], json!(true));
}

/// A point of contact (e_n = 0) is the limit of small ones: no moment, and the force as if alone.
#[test]
fn a_point_of_contact_holds_no_moment() {
    let case = |e_n: f64| {
        let record = json!({"k_t": 1e4, "k_theta": 0.1, "e_n": e_n, "mu": 0.5, "P": 4.0, "xi_trial": [3e-4, -4e-4], "theta_trial": 0.2});
        one(record).1
    };
    let (point, small) = (case(0.0), case(1e-9));
    for key in ["lam", "dissipated_energy", "work_at_end_load"] {
        let (point, small) = (number(&point[key]), number(&small[key]));
        assert!((point / small - 1.0).abs() < 1e-6, "{key}: {point} {small}");
    }
    // |f| = 5 N against 2 N.
    assert!(distance(&point["xi"], &json!([1.2e-4, -1.6e-4])) < 1e-18 && point["theta"] == json!(0.0));
}

/// Undefined input names its field; the table shows it too.
#[test]
fn undefined_input_is_an_error_of_its_record() {
    let good =
        json!({"k_t": 1e4, "k_theta": 0.1, "e_n": 0.003, "mu": 0.5, "P": 4, "xi_trial": [1e-3, 0], "theta_trial": 0});
    let cases = [
        ("k_t", json!(0)),
        ("k_theta", json!(-1)),
        ("e_n", json!(-1e-3)),
        ("mu", json!(-0.5)),
        ("P", json!("4N")),
        ("xi_trial", json!([1])),
        ("theta_trial", Value::Null),
    ];
    let mut records = vec![good.clone()];
    for (field, value) in &cases {
        let mut record = good.clone();
        record[*field] = value.clone();
        record["lam"] = json!(3);
        records.push(record);
    }
    let input = json!({"cases": records});
    let (code, got) = answered(&ARGS, &input);
    assert_eq!(code, 1);
    for (record, (field, _)) in got["cases"].as_array().unwrap()[1..].iter().zip(&cases) {
        assert!(record["error"]["field"] == json!(field) && record.get("lam").is_none(), "{record}");
    }
    let (code, table, _) = run(&["query", "slip", "-"], &input.to_string());
    assert!(code == 1 && table.contains("error: k_t: expected a positive number, got 0"), "{table}");
}

/// One case from options is the case that a file would hold.
#[test]
fn options_stand_for_a_record() {
    let options =
        "query slip --k-t 8N/mm --k-theta 0.06 --e-n 3mm --friction 0.8 --load 5N --xi 1mm,-2mm --theta 0.2 --json";
    let (code, out, err) = run(&options.split(' ').collect::<Vec<_>>(), "");
    assert_eq!((code, err.as_str()), (0, ""));
    let got: Value = serde_json::from_str(&out).unwrap();
    let (_, expected) = one(json!({"k_t": 8000.0, "k_theta": 0.06, "e_n": 0.003, "mu": 0.8, "P": 5.0,
        "xi_trial": [0.001, -0.002], "theta_trial": 0.2}));
    assert_eq!(got["cases"][0], expected);
    // An option that lacks another, and a unit of something else: nothing done.
    for wrong in ["query slip --k-t 8N/mm", "query slip --k-t 8kg --k-theta 1 --e-n 1 --friction 1 --load 1 --xi 0,0"] {
        let (code, out, _) = run(&wrong.split(' ').collect::<Vec<_>>(), "");
        assert_eq!((code, out.as_str()), (2, ""), "{wrong}");
    }
}
