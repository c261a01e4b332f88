//! `fingerpad query limit-surface` from outside: a closed form, sums over the patch, errors.

mod program;

use program::{answered, numbers, run};
use serde_json::{Value, json};
use std::f64::consts::PI;

const ARGS: [&str; 4] = ["query", "limit-surface", "-", "--json"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn one(record: Value) -> (i32, Value) {
    let (code, document) = answered(&ARGS, &json!({"cases": [record]}));
    (code, document["cases"][0].clone())
}

/// Complete elliptic integrals K(m), E(m) by means of means.
fn complete(m: f64) -> (f64, f64) {
    let (mut a, mut g, mut sum, mut power) = (1.0_f64, (1.0 - m).sqrt(), 0.5 * m, 1.0);
    for _ in 0..40 {
        let c = 0.5 * (a - g);
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
        sum += 0.5 * power * 2.0 * c * c;
        power *= 2.0;
    }
    let k = PI / (2.0 * a);
    (k, k * (1.0 - sum))
}

/// A disc under even pressure that slides and spins, ε = v/(Rω) ≤ 1 (Farkas; golden number 16):
/// F = (4/3π)[(ε²+1)E + (ε²−1)K]/ε, T = (4/9π)[(4−2ε²)E + (ε²−1)K], in μN and μNR. The load on body 2 opposes its twist.
#[test]
fn a_sliding_and_spinning_disc_has_its_closed_form() {
    for epsilon in [0.1, 0.3, 0.653002, 0.9] {
        let (mu, load, radius, spin) = (0.4, 7.0, 0.02, -3.0);
        let twist = [0.0, epsilon * radius * 3.0, spin];
        let (code, got) =
            one(json!({"id": "disc", "a": radius, "b": radius, "k": 0, "mu": mu, "P": load, "twist": twist}));
        let m: f64 = epsilon * epsilon;
        let (k, e) = complete(m);
        let force = 4.0 / (3.0 * PI) * ((m + 1.0) * e + (m - 1.0) * k) / epsilon;
        let moment = 4.0 / (9.0 * PI) * ((4.0 - 2.0 * m) * e + (m - 1.0) * k);
        let f = numbers(&got["f"]);
        assert!(code == 0 && got["id"] == "disc" && f[0].abs() < 1e-9 * mu * load);
        // The library promises 1e-6 of the largest load.
        assert!((f[1] + mu * load * force).abs() < 1e-6 * mu * load, "ε {epsilon}: {} against {force}", f[1]);
        assert!((number(&got["tau"]) - mu * load * radius * moment).abs() < 1e-6 * mu * load * radius, "ε {epsilon}");
        assert!((number(&got["e_n"]) - 2.0 / 3.0 * radius).abs() < 1e-15);
    }
}

/// Force and moment on body 2, summed over cells of the patch: −μ p v/|v|.
fn summed(a: f64, b: f64, k: f64, size: f64, twist: [f64; 3]) -> [f64; 3] {
    let n = 1000;
    let (mut sum, mut total) = ([0.0; 3], 0.0);
    for i in 0..n {
        // Cells even in s² and in angle.
        let s = ((i as f64 + 0.5) / n as f64).sqrt();
        let pressure = (1.0 - s * s).powf(k);
        for j in 0..n {
            let angle = 2.0 * PI * (j as f64 + 0.5) / n as f64;
            let (x, y) = (a * s * angle.cos(), b * s * angle.sin());
            let v = [twist[0] - twist[2] * y, twist[1] + twist[2] * x];
            let speed = v[0].hypot(v[1]).max(1e-300);
            sum[0] -= pressure * v[0] / speed;
            sum[1] -= pressure * v[1] / speed;
            sum[2] -= pressure * (x * v[1] - y * v[0]) / speed;
            total += pressure;
        }
    }
    sum.map(|x| x * size / total)
}

/// Hertz, Winkler and two exponents between and beyond, x along a, also where a is the shorter; the ellipsoid is
/// f = −μP v/λ, τ = −μP e_n² w/λ with λ² = |v|² + e_n² w² (paper B, eq. 1).
#[test]
fn loads_match_sums_over_the_patch() {
    let (mu, load) = (0.8, 5.0);
    for (a, b) in [(4e-3, 2e-3), (1e-3, 5e-3), (3e-3, 3e-3)] {
        for k in [0.5, 1.0, 0.8, 2.0] {
            for twist in [[0.01, 0.004, 3.0], [-0.002, 0.006, -3.0], [0.0, 0.01, 0.5], [0.0, 0.0, 1.0], [0.3, 0.1, 0.0]]
            {
                let (_, got) = one(json!({"a": a, "b": b, "k": k, "mu": mu, "P": load, "twist": twist}));
                let want = summed(a, b, k, mu * load, twist);
                let e_n = number(&got["e_n"]);
                let f = numbers(&got["f"]);
                let error = [f[0] - want[0], f[1] - want[1], (number(&got["tau"]) - want[2]) / e_n];
                // A million cells, across a jump of direction at the centre of rotation: 1e-4 of the largest.
                assert!(error.iter().all(|e| e.abs() < 2e-4 * mu * load), "{a} {b} {k} {twist:?}: {error:?}");
                let lambda = (twist[0] * twist[0] + twist[1] * twist[1] + (e_n * twist[2]).powi(2)).sqrt();
                let ellipsoid = numbers(&got["ellipsoid"]["f"]);
                for i in 0..2 {
                    assert!((ellipsoid[i] + mu * load * twist[i] / lambda).abs() < 1e-13 * mu * load);
                }
                let tau = -mu * load * e_n * e_n * twist[2] / lambda;
                assert!((number(&got["ellipsoid"]["tau"]) - tau).abs() < 1e-13 * mu * load * e_n);
            }
        }
    }
}

/// A point, a patch without friction and one without load have their limits; a very thin one says how it is counted.
#[test]
fn degenerate_patches_have_their_limits() {
    let case = |a: f64, b: f64, mu: f64, load: f64| {
        one(json!({"a": a, "b": b, "k": 0.5, "mu": mu, "P": load, "twist": [3e-3, 4e-3, 1.0]}))
    };
    let (code, point) = case(0.0, 0.0, 0.5, 2.0);
    let f = numbers(&point["f"]);
    assert!(code == 0 && (f[0] + 0.6).abs() < 1e-15 && (f[1] + 0.8).abs() < 1e-15, "{point}");
    assert_eq!((number(&point["tau"]), number(&point["e_n"])), (0.0, 0.0));
    for (mu, load) in [(0.0, 2.0), (0.5, 0.0)] {
        let (code, none) = case(2e-3, 1e-3, mu, load);
        assert!(code == 0 && numbers(&none["f"]).iter().all(|x| *x == 0.0) && number(&none["tau"]) == 0.0);
        assert!(number(&none["e_n"]) > 0.0 && numbers(&none["ellipsoid"]["f"]).iter().all(|x| *x == 0.0), "{none}");
    }
    let (code, punch) = one(json!({"a": 3e-3, "b": 3e-3, "k": -0.5, "mu": 0.5, "P": 2, "twist": [0, 0, 1]}));
    // T_k at k = −½ is (√π/2) Γ(3/2)/Γ(2) = π/4.
    assert!((number(&punch["e_n"]) - PI / 4.0 * 3e-3).abs() < 1e-15 && code == 0);
    assert!(
        (number(&punch["tau"]) + PI / 4.0 * 3e-3).abs() < 3e-6
            && punch["warnings"][0].as_str().unwrap().contains("1e-3")
    );
    let (code, line) = case(2e-3, 1e-7, 0.5, 2.0);
    assert!(code == 0 && line["warnings"][0].as_str().unwrap().contains("1000 times"), "{line}");
}

/// Undefined input: an error with its field, exit code 1; no motion is no question.
#[test]
fn undefined_input_is_an_error_of_its_record() {
    let good = json!({"a": 4e-3, "b": 2e-3, "k": 0.5, "mu": 0.8, "P": 5, "twist": [0.01, 0, 3]});
    let cases = [
        ("a", json!(-1e-3)),
        ("b", json!("2mm")),
        ("k", json!(-1)),
        ("mu", json!(-0.1)),
        ("P", json!(-5)),
        ("twist", json!([0, 0, 0])),
        ("twist", json!([1, 2])),
    ];
    let mut records = vec![good.clone()];
    for (field, value) in &cases {
        let mut record = good.clone();
        record[*field] = value.clone();
        record["tau"] = json!(1);
        records.push(record);
    }
    let (code, got) = answered(&ARGS, &json!({"cases": records}));
    assert_eq!(code, 1);
    for (record, (field, _)) in got["cases"].as_array().unwrap()[1..].iter().zip(&cases) {
        assert!(record["error"]["field"] == json!(field) && record.get("tau").is_none(), "{record}");
    }
    let (code, table, _) = run(&["query", "limit-surface", "-"], &json!({"cases": [good]}).to_string());
    assert!(code == 0 && table.contains("ellipsoid tau [N·m]"), "{table}");
    assert_eq!(run(&["query", "limit-surface"], "").0, 2);
}

/// One case from options is the case that a file would hold.
#[test]
fn options_stand_for_a_record() {
    let options =
        "query limit-surface --semi-axes 4mm,2mm --pressure winkler --friction 0.8 --load 5N --twist 10mm/s,0,3 --json";
    let (code, out, err) = run(&options.split(' ').collect::<Vec<_>>(), "");
    assert_eq!((code, err.as_str()), (0, ""));
    let got: Value = serde_json::from_str(&out).unwrap();
    let record = json!({"a": 0.004, "b": 0.002, "k": 1.0, "mu": 0.8, "P": 5.0, "twist": [0.01, 0.0, 3.0]});
    let (_, expected) = answered(&["query", "limit-surface", "-", "--json"], &json!({"cases": [record]}));
    assert_eq!(got["cases"][0], expected["cases"][0]);
    for wrong in
        ["query limit-surface --semi-axes 4mm,2mm", "query limit-surface --semi-axes 4mm,2mm --load 1N --twist 1,2"]
    {
        let (code, out, _) = run(&wrong.split(' ').collect::<Vec<_>>(), "");
        assert_eq!((code, out.as_str()), (2, ""), "{wrong}");
    }
}
