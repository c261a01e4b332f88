//! `fingerpad query bowl` from outside: an oracle file as it is, and cases that are wrong.

mod program;

use program::{answered, run};
use serde_json::{Value, json};

const ARGS: [&str; 4] = ["query", "bowl", "-", "--json"];

fn oracle(name: &str) -> Value {
    let path = format!("{}/crates/sim/tests/oracle/bowl_{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The oracle's own file is a case: every column comes back within 1e-6, the events in order, and fed back the same bytes.
#[test]
fn oracle_file_comes_back_with_the_oracles_rows() {
    let want = oracle("kv_slip");
    let (code, got) = answered(&ARGS, &want);
    assert_eq!(code, 0);
    assert_eq!(got["columns"], want["columns"]);
    let columns: Vec<&str> = want["columns"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let (rows, theirs) = (got["rows"].as_array().unwrap(), want["rows"].as_array().unwrap());
    assert_eq!(rows.len(), theirs.len());
    for (got, want) in rows.iter().zip(theirs) {
        let sign = if (4..8).map(|k| got[k].as_f64().unwrap() * want[k].as_f64().unwrap()).sum::<f64>() < 0.0 {
            -1.0
        } else {
            1.0
        };
        for (k, name) in columns.iter().enumerate() {
            let x = got[k].as_f64().unwrap() * if (4..8).contains(&k) { sign } else { 1.0 };
            let miss = (x - want[k].as_f64().unwrap()).abs();
            assert!(miss <= 1e-6, "{name} misses by {miss} at {}", want[0]);
        }
    }
    for (got, want) in got["events"].as_array().unwrap().iter().zip(want["meta"]["first_events"].as_array().unwrap()) {
        assert_eq!((&got[1], &got[2]), (&want[1], &want[2]), "at {}", want[0]);
        assert!((got[0].as_f64().unwrap() - want[0].as_f64().unwrap()).abs() < 1e-6);
    }
    let (_, once, _) = run(&ARGS, &want.to_string());
    assert_eq!(once, run(&ARGS, &once).1, "output fed back as input");
}

/// Each wrong case names its field, and the good one beside them is answered.
#[test]
fn wrong_cases_name_their_field() {
    let good = json!({"friction": "slip", "t_end": 0.02, "dt_out": 0.01, "params": oracle("kv_slip")["params"]});
    let with = |pointer: &str, value: Value| {
        let mut case = good.clone();
        *case.pointer_mut(pointer).unwrap() = value;
        case
    };
    let cases = [
        (with("/friction", json!("sticky")), "friction"),
        (with("/params/mass", json!(-1)), "params.mass"),
        (with("/params/n", json!(0.5)), "params.n"),
        (with("/params/alpha", json!(2)), "params.alpha"),
        (with("/params/k_t", json!(null)), "params.k_t"),
        (with("/params/pulse/duration", json!(0)), "params.pulse.duration"),
        (with("/t_end", json!("soon")), "t_end"),
        (with("/dt_out", json!(1e-9)), "dt_out"),
    ];
    let mut list: Vec<Value> = cases.iter().map(|(case, _)| case.clone()).collect();
    list.push(good);
    let (code, got) = answered(&ARGS, &json!({"cases": list}));
    assert_eq!(code, 1);
    for (k, (_, field)) in cases.iter().enumerate() {
        assert_eq!(got["cases"][k]["error"]["field"], *field);
        assert!(got["cases"][k].get("rows").is_none());
    }
    assert_eq!(got["cases"][cases.len()]["rows"].as_array().unwrap().len(), 3);
}
