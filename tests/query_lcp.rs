//! `fingerpad query lcp` from outside: reference problems, texts, edges, errors; and what `inspect` says of them.

mod program;

use program::{answered, numbers, run};
use serde_json::{Value, json};
use std::path::PathBuf;

const ARGS: [&str; 4] = ["query", "lcp", "-", "--json"];
const ANSWERS: [&str; 6] = ["status", "z", "w", "residual", "farkas_y", "proved_no_solution"];

fn cases_file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("crates/solve/tests/oracle/lcp_cases.json")
}

/// M z + q, and max(0, −z, −w, |min(z, w)|) of a record, from its JSON alone.
fn graded(record: &Value) -> (Vec<f64>, f64) {
    let (z, q) = (numbers(&record["z"]), numbers(&record["q"]));
    let row = |i: usize| numbers(&record["M"][i]).iter().zip(&z).map(|(m, z)| m * z).sum::<f64>() + q[i];
    let w: Vec<f64> = (0..q.len()).map(row).collect();
    let residual = z.iter().zip(&w).fold(0.0, |m: f64, (z, w)| m.max(-z).max(-w).max(z.min(*w).abs()));
    (w, residual)
}

fn tolerance(record: &Value) -> f64 {
    1e-10 * (1.0 + numbers(&record["q"]).iter().fold(0.0, |m: f64, q| m.max(q.abs())))
}

fn one(record: Value) -> (i32, Value) {
    let (code, document) = answered(&ARGS, &json!({"cases": [record]}));
    (code, document["cases"][0].clone())
}

/// Thirty problems of an independent program, its answers removed.
#[test]
fn reference_problems_are_answered() {
    let reference: Value = serde_json::from_str(&std::fs::read_to_string(cases_file()).unwrap()).unwrap();
    let mut question = reference.clone();
    for record in question["cases"].as_array_mut().unwrap() {
        ANSWERS.iter().for_each(|key| drop(record.as_object_mut().unwrap().shift_remove(*key)));
    }
    let (code, got) = answered(&ARGS, &question);
    assert_eq!((code, &got["schema"]), (0, &reference["schema"]));
    for (ours, theirs) in got["cases"].as_array().unwrap().iter().zip(reference["cases"].as_array().unwrap()) {
        let id = &theirs["id"];
        assert_eq!(&ours["id"], id);
        match theirs["status"].as_str().unwrap() {
            "solvable" => {
                let (w, residual) = graded(ours);
                assert_eq!(ours["status"], json!("solved"), "{id}");
                assert!(residual <= tolerance(ours), "{id}: {residual}");
                assert!(numbers(&ours["w"]).iter().zip(&w).all(|(a, b)| (a - b).abs() <= 1e-10), "{id}");
            }
            "infeasible" => {
                assert_eq!(ours["status"], json!("infeasible"), "{id}");
                let (y, q) = (numbers(&ours["farkas_y"]), numbers(&ours["q"]));
                let along: f64 = y.iter().zip(&q).map(|(y, q)| y * q).sum();
                assert!(y.iter().all(|y| *y >= 0.0) && (along + 1.0).abs() < 1e-12, "{id}");
                for j in 0..q.len() {
                    let rise: f64 = (0..q.len()).map(|i| numbers(&ours["M"][i])[j] * y[i]).sum();
                    assert!(rise <= 1e-9, "{id}: {rise}");
                }
            }
            _ => {
                assert_eq!((&ours["status"], &ours["proved_no_solution"]), (&json!("not_found"), &json!(true)), "{id}");
                assert!(graded(ours).1 == ours["residual"].as_f64().unwrap(), "{id}");
            }
        }
    }
    // Fed back, the same bytes; and the table names every case.
    let (_, once, _) = run(&ARGS, &question.to_string());
    assert_eq!(run(&ARGS, &once).1, once);
    let (code, table, _) = run(&["query", "lcp", cases_file().to_str().unwrap()], "");
    assert!(code == 0 && table.contains("L58") && table.contains("infeasible") && table.contains("has no solution"));
}

/// n = 0, n = 1, M = 0, duplicated rows, scales from 1e-150 to 1e150, whole numbers that make pivots tie.
#[test]
fn edges_have_right_answers() {
    let status = |n: usize, m: Value, q: Value| {
        let (code, got) = one(json!({"n": n, "M": m, "q": q}));
        assert_eq!(code, 0, "{got}");
        got
    };
    assert_eq!(status(0, json!([]), json!([]))["status"], json!("solved"));
    assert_eq!(status(1, json!([[2]]), json!([-3]))["z"], json!([1.5]));
    assert_eq!(status(1, json!([[2]]), json!([3]))["z"], json!([0.0]));
    assert_eq!(status(1, json!([[-1]]), json!([-1]))["farkas_y"], json!([1.0]));
    // Two solutions: 0 and 2.
    assert_eq!(status(1, json!([[-1]]), json!([2]))["status"], json!("solved"));
    assert_eq!(status(2, json!([[0, 0], [0, 0]]), json!([0, 1]))["status"], json!("solved"));
    assert_eq!(status(2, json!([[0, 0], [0, 0]]), json!([0, -1]))["farkas_y"], json!([0.0, 1.0]));
    let twins = status(2, json!([[1, 1], [1, 1]]), json!([-1, -1]));
    assert_eq!(twins["status"], json!("solved"));
    for scale in [1e-150, 1e-20, 1e20, 1e150] {
        let got = status(2, json!([[2.0 * scale, scale], [scale, 2.0 * scale]]), json!([-5, -6]));
        let z = numbers(&got["z"]);
        assert!((z[0] * scale - 4.0 / 3.0).abs() < 1e-14 && (z[1] * scale - 7.0 / 3.0).abs() < 1e-14, "{got}");
        let got = status(2, json!([[2, 1], [1, 2]]), json!([-5.0 * scale, -6.0 * scale]));
        let z = numbers(&got["z"]);
        assert!((z[0] / scale - 4.0 / 3.0).abs() < 1e-14 && (z[1] / scale - 7.0 / 3.0).abs() < 1e-14, "{got}");
    }
    // Rows and columns of sizes from 1e-8 to 1e8: the same solution in other units.
    let d = [1e-8, 1.0, 1e8];
    let m = [[4.0, 1.0, 0.5], [1.0, 3.0, 1.0], [0.5, 1.0, 2.0]];
    let scaled: Vec<Vec<f64>> = (0..3).map(|i| (0..3).map(|j| d[i] * m[i][j] * d[j]).collect()).collect();
    let q: Vec<f64> = (0..3).map(|i| -d[i] * [5.5, 5.0, 3.5][i]).collect();
    let z = numbers(&status(3, json!(scaled), json!(q))["z"]);
    assert!((0..3).all(|i| (z[i] * d[i] - 1.0).abs() < 1e-13), "{z:?}");
}

/// Problems on which careless pivot rules cycle or end on a ray at the solution (Murty; cyclic matrices of whole numbers).
#[test]
fn cycling_examples_are_solved() {
    let murty = json!([[1, 2, 0], [0, 1, 2], [2, 0, 1]]);
    let kostreva = json!([[1, 2, 2], [0, 1, 2], [0, 0, 1]]);
    for m in [murty, kostreva] {
        for q in [json!([-1, -1, -1]), json!([-1, 0, 0]), json!([0, -1, 0]), json!([-3, -2, -1])] {
            let (_, got) = one(json!({"n": 3, "M": m, "q": q}));
            assert!(got["status"] == json!("solved") && graded(&got).1 <= 1e-14, "{got}");
        }
    }
}

/// Text: n, rows, q; comments and line breaks anywhere.
#[test]
fn plain_text_is_read() {
    let (code, out, _) = run(&ARGS, "# example\n2\n2 1\n1 2  # second row\n-5 -6\n");
    let got: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &got["cases"][0]["status"]), (0, &json!("solved")));
    let z = numbers(&got["cases"][0]["z"]);
    assert!((z[0] - 4.0 / 3.0).abs() < 1e-15 && (z[1] - 7.0 / 3.0).abs() < 1e-15);
    for (text, message) in [("2 1 2 3", "got 3"), ("2 1 2 3 4 5 x", "got `x`"), ("2 1 2 3 4 5 nan", "nan"), ("-1", "")]
    {
        let (code, out, err) = run(&ARGS, text);
        assert!(code == 2 && out.is_empty() && err.contains(message), "{text}: {err}");
    }
}

/// Ragged, not square, null, words: errors of the record that name the field.
#[test]
fn bad_records_name_their_field() {
    let records = [
        (json!({"n": 2, "M": [[1, 2], [3]], "q": [1, 2]}), "M[1]"),
        (json!({"n": 2, "M": [[1, 2]], "q": [1, 2]}), "M"),
        (json!({"n": 2, "M": [[1, 2], [3, null]], "q": [1, 2]}), "M[1][1]"),
        (json!({"n": 3, "M": [[1, 2], [3, 4]], "q": [1, 2]}), "q"),
        (json!({"M": [[1]], "q": ["1N"]}), "q[0]"),
        (json!({"M": [[1]]}), "q"),
        (json!({"n": -1, "M": [], "q": []}), "n"),
        (json!({"n": 1, "M": 3, "q": [1]}), "M"),
    ];
    let list: Vec<Value> = records.iter().map(|(r, _)| r.clone()).collect();
    let (code, got) = answered(&ARGS, &json!({"cases": list}));
    assert_eq!(code, 1);
    for (got, (_, field)) in got["cases"].as_array().unwrap().iter().zip(&records) {
        assert_eq!(got["error"]["field"], json!(field), "{got}");
    }
    let (code, _, err) = run(&ARGS, "{\"cases\": [{\"M\": [[NaN]], \"q\": [1]}]}");
    assert!(code == 2 && err.contains("not JSON"), "{err}");
}

/// `inspect` counts sizes and kinds, of documents and of texts.
#[test]
fn inspect_tells_the_kinds_of_matrices() {
    let inspected = |path: &str| {
        let (code, out, err) = run(&["inspect", path, "--json"], "");
        assert_eq!(code, 0, "{err}");
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let facts = inspected(cases_file().to_str().unwrap());
    assert_eq!((&facts["kind"], &facts["records"]), (&json!("input of query lcp"), &json!(30)));
    assert_eq!((&facts["rows_least"], &facts["rows_most"], &facts["unreadable"]), (&json!(5), &json!(120), &json!(0)));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lcp.txt");
    std::fs::write(&path, "2\n2 1\n1 2\n-5 -6\n").unwrap();
    let facts = inspected(path.to_str().unwrap());
    assert_eq!((&facts["symmetric"], &facts["positive_definite"]), (&json!(1), &json!(1)));
    let (_, text, _) = run(&["inspect", path.to_str().unwrap()], "");
    assert!(text.contains("with M positive definite") && text.contains("rows, largest problem"), "{text}");
    std::fs::write(&path, "2\n2 1\n1 2\n-5\n").unwrap();
    let (code, out, err) = run(&["inspect", path.to_str().unwrap()], "");
    assert!(code == 2 && out.is_empty() && err.contains("got 5"), "{err}");
}
