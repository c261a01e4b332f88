//! `fingerpad query patch` from outside: reference data, warnings, errors, plain options.

mod program;

use program::{answered, oracle_json, run};
use serde_json::{Value, json};

const ARGS: [&str; 4] = ["query", "patch", "-", "--json"];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn close(name: &str, ours: &Value, theirs: f64, tolerance: f64) {
    assert!((number(ours) / theirs - 1.0).abs() <= tolerance, "{name}: {ours} against {theirs}");
}

/// One record alone: its exit code and itself.
fn one(inp: Value) -> (i32, Value) {
    let (code, document) = answered(&ARGS, &json!({"contact_cases": [{"inp": inp}]}));
    (code, document["contact_cases"][0].clone())
}

/// 30 cases by 60-digit arithmetic, answers removed: every answer key comes back to 1e-10, and what we do not know stays
/// where it was.
#[test]
fn reference_patches_are_met_to_1e_10() {
    let reference = oracle_json("patches.json");
    let mut question = reference.clone();
    for record in question["contact_cases"].as_array_mut().unwrap() {
        let record = record.as_object_mut().unwrap();
        for key in ["hertz", "winkler", "power_law"] {
            record.shift_remove(key);
        }
        record.insert("note".to_string(), json!("kept"));
    }
    let (code, got) = answered(&ARGS, &question);
    assert_eq!((code, &got["schema"]), (0, &reference["schema"]));
    let (ours, theirs) = (got["contact_cases"].as_array().unwrap(), reference["contact_cases"].as_array().unwrap());
    assert_eq!((ours.len(), theirs.len()), (30, 30));
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!((&ours["id"], &ours["inp"], &ours["note"]), (&theirs["id"], &theirs["inp"], &json!("kept")));
        for theory in ["hertz", "winkler"] {
            let keys: Vec<&String> = ours[theory].as_object().unwrap().keys().collect();
            assert_eq!(keys, theirs[theory].as_object().unwrap().keys().collect::<Vec<_>>());
            for key in keys {
                close(
                    &format!("{} {theory} {key}", ours["id"]),
                    &ours[theory][key],
                    number(&theirs[theory][key]),
                    1e-10,
                );
            }
        }
        close("T_k", &ours["power_law"]["T_k"], number(&theirs["power_law"]["T_k"]), 1e-10);
    }
}

/// Output fed back as input gives the same bytes, the foreign note inside `power_law` included.
#[test]
fn output_fed_back_gives_the_same_bytes() {
    let (code, once, _) = run(&ARGS, &oracle_json("patches.json").to_string());
    assert_eq!(code, 0);
    assert!(once.contains("for the same ellipse"));
    assert_eq!(run(&ARGS, &once).1, once);
}

/// Closed forms of a round Hertz contact (Johnson, ch. 4): a³ = 3PR/4E*, δ = a²/R, p0 = 3P/2πa². Radii the wrong way
/// round are swapped and said so.
#[test]
fn radii_the_wrong_way_round_are_swapped_with_a_warning() {
    let (_, round) = one(json!({"P": 10, "R1": 0.01, "R2": 0.01, "Estar": 1e6, "mu": 0.8}));
    assert!(round.get("warnings").is_none() && round.get("winkler").is_none() && round.get("power_law").is_none());
    close("a", &round["hertz"]["a"], (0.75 * 10.0 * 0.01 / 1e6_f64).cbrt(), 1e-14);
    close("delta", &round["hertz"]["delta"], number(&round["hertz"]["a"]).powi(2) / 0.01, 1e-14);
    // Golden number 14.
    assert!((number(&round["hertz"]["tau_max"]) - 19.872914e-3).abs() < 5e-10);
    let (_, right) = one(json!({"P": 1, "R1": 0.03, "R2": 0.01, "K": 2e5, "layer": 0.004, "mu": 0.5}));
    let (code, wrong) = one(json!({"P": 1, "R1": 0.01, "R2": 0.03, "K": 2e5, "layer": 0.004, "mu": 0.5}));
    assert_eq!((code, &wrong["winkler"]), (0, &right["winkler"]));
    assert!(wrong["warnings"][0].as_str().unwrap().contains("swapped") && right.get("warnings").is_none());
    assert_eq!(wrong["inp"]["R1"], json!(0.01));
}

/// Only what can be computed is; what was left over from an earlier question goes.
#[test]
fn theories_without_their_constants_are_left_out() {
    let (code, law) = one(json!({"k": 0.5}));
    assert_eq!(code, 0);
    close("T_½", &law["power_law"]["T_k"], 3.0 * std::f64::consts::PI / 16.0, 1e-14);
    assert!(law.get("hertz").is_none());
    let stale = json!({"contact_cases": [{"inp": {"P": 1, "R1": 1, "R2": 1, "Estar": 1e6, "K": 3},
        "winkler": {"a": 1}, "hertz": {"k_n": 1, "mine": 2}}]});
    let (code, got) = answered(&ARGS, &stale);
    let record = &got["contact_cases"][0];
    assert!(code == 0 && record.get("winkler").is_none() && record["hertz"].get("k_n").is_none(), "{record}");
    assert_eq!(record["hertz"]["mine"], json!(2));
    let warnings = record["warnings"].to_string();
    assert!(warnings.contains("`K` without `layer`") && warnings.contains("needs `mu`"), "{warnings}");
    assert_eq!(record["hertz"]["tau_max"], Value::Null);
}

/// No load is a point, with the shape of the patches that grow from it (a/b = 1.5858 at R′/R″ = 2, golden number 6).
#[test]
fn no_load_is_a_point() {
    let (code, got) = one(json!({"P": 0, "R1": 0.02, "R2": 0.01, "Estar": 1e6, "K": 2e5, "layer": 0.004, "mu": 0.5}));
    assert!(code == 0 && got.get("warnings").is_none(), "{got}");
    for key in ["a", "b", "delta", "p0", "e_n", "tau_max", "e_n_paper_sqrt_ab"] {
        assert_eq!((&got["hertz"][key], &got["winkler"][key]), (&json!(0.0), &json!(0.0)), "{key}");
    }
    assert!((1.0 / number(&got["hertz"]["kappa"]) - 1.585802).abs() < 5e-7);
}

/// Beyond the range of a theory the numbers are given all the same, with a warning for each bound that is passed.
#[test]
fn beyond_the_range_there_are_numbers_and_warnings() {
    let (code, got) = one(json!({"P": 1000, "R1": 0.01, "R2": 0.01, "Estar": 1e5, "K": 1e5, "layer": 0.002, "mu": 1}));
    let warnings = got["warnings"].to_string();
    assert_eq!(code, 0);
    assert!(number(&got["hertz"]["a"]) > 0.01 && number(&got["winkler"]["delta"]) > 0.002);
    for words in
        ["hertz: the semi-axis a", "hertz: the semi-axis b", "winkler: the semi-axis a", "above the layer's depth"]
    {
        assert!(warnings.contains(words), "{warnings}");
    }
}

/// Undefined input: an error that names the field, no answers, exit code 1, and the other records answered.
#[test]
fn undefined_input_is_an_error_of_its_record() {
    let good = json!({"P": 1, "R1": 0.02, "R2": 0.01, "Estar": 1e6, "K": 2e5, "layer": 0.004, "mu": 0.5, "k": 1});
    let cases: [(&str, Value); 17] = [
        ("P", json!(-1)),
        ("P", json!("5N")),
        ("P", Value::Null),
        ("R1", json!(0)),
        ("R1", Value::Null),
        ("R2", json!(-0.01)),
        ("Estar", json!(0)),
        ("Estar", json!(-1e5)),
        ("K", json!(0)),
        ("K", json!([1])),
        ("layer", json!(-0.1)),
        ("mu", json!(-0.1)),
        ("k", json!(-1)),
        ("k", json!(true)),
        ("poisson", json!(0.6)),
        ("extent", json!(0)),
        ("R1", json!(1e12)),
    ];
    let mut records = vec![json!({"inp": good, "id": "good"})];
    for (field, value) in &cases {
        let mut inp = good.clone();
        inp[*field] = value.clone();
        records.push(json!({"inp": inp, "hertz": {"a": 1}, "warnings": ["old"]}));
    }
    records.extend([json!({"id": 1}), json!({"inp": 3}), json!({"inp": {"P": 1, "R1": 1, "R2": 1}}), json!(7)]);
    let (code, got) = answered(&ARGS, &json!({"contact_cases": records}));
    let got = got["contact_cases"].as_array().unwrap();
    assert_eq!(code, 1);
    assert!(got[0].get("error").is_none() && got[0]["hertz"]["a"].is_f64());
    for (record, (field, value)) in got[1..].iter().zip(&cases) {
        assert_eq!(record["error"]["field"], json!(format!("inp.{field}")), "{field} {value}: {record}");
        assert!(!record["error"]["message"].as_str().unwrap().is_empty());
        assert!(record.get("hertz").is_none() && record.get("warnings").is_none(), "{record}");
    }
    for record in &got[1 + cases.len()..] {
        assert!(record["error"]["message"].is_string(), "{record}");
    }
}

/// The list may have another of the usual names, or any if it is the only list; none is exit code 2.
#[test]
fn the_list_may_have_other_names() {
    let record = json!({"inp": {"k": 1}});
    for key in ["contact_cases", "cases", "queries", "mine"] {
        let (code, got) = answered(&ARGS, &json!({"a": 1, key: [record]}));
        assert!(code == 0 && got[key][0]["power_law"]["T_k"].is_f64(), "{got}");
    }
    for text in ["{}", "{\"x\": [], \"y\": []}", "{\"contact_cases\": 3}", "[]", "{\"contact_cases\": [NaN]}"] {
        let (code, out, err) = run(&ARGS, text);
        assert_eq!((code, out.as_str()), (2, ""), "{text}: {err}");
    }
}

/// A range of loads in one table. k_n, k_t and k_θ of a round Hertz patch: 2E*a, 8a/S, (16/3)a³G (golden 21, Reissner);
/// doubling the load raises the largest moment by 2^(4/3) (golden 13).
#[test]
fn options_make_a_table_over_loads() {
    let pad = ["query", "patch", "--radius", "10mm", "--load", "2N..4N:2", "--young", "0.3MPa", "--friction", "0.8"];
    let (code, text, err) = run(&pad, "");
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("k_theta [N·mm/rad]") && text.contains("a/R"));
    let (_, got) = answered(&[&pad[..], &["--json"]].concat(), &Value::Null);
    let hertz: Vec<&Value> = got["contact_cases"].as_array().unwrap().iter().map(|r| &r["hertz"]).collect();
    // ν = 0.5 against a rigid plane: E* = E/0.75, G = E/3, S = 1.5/G.
    let (e_star, g) = (0.4e6_f64, 0.1e6);
    let a = number(&hertz[0]["a"]);
    close("a", &hertz[0]["a"], (0.75 * 2.0 * 0.01 / e_star).cbrt(), 1e-12);
    close("k_n", &hertz[0]["k_n"], 2.0 * e_star * a, 1e-12);
    close("k_t", &hertz[0]["k_t_along"], 8.0 * a * g / 1.5, 1e-12);
    close("k_theta", &hertz[0]["k_theta"], 16.0 / 3.0 * a.powi(3) * g, 1e-12);
    assert!((number(&hertz[1]["tau_max"]) / number(&hertz[0]["tau_max"]) - 2.519842).abs() < 5e-7);
    // What options stand for is what a file may hold.
    assert_eq!(answered(&ARGS, &got), (0, got));
}

/// Curvatures add: a 10 mm pad in a 30 mm hollow is a 15 mm pad on a plane; `auto` takes the layer where there is one.
#[test]
fn options_combine_radii_and_choose_the_theory() {
    let json = |options: &[&str]| {
        let (code, got) = answered(&[&["query", "patch", "--load", "1N", "--json"], options].concat(), &Value::Null);
        assert_eq!(code, 0, "{got}");
        got["contact_cases"][0].clone()
    };
    let hollow = json(&["--radius", "10mm", "--against-radius", "-30mm", "--young", "1MPa"]);
    let plane = json(&["--radius", "15mm", "--young", "1MPa"]);
    close("a", &hollow["hertz"]["a"], number(&plane["hertz"]["a"]), 1e-14);
    let layer = ["--radius", "10mm", "--young", "1MPa", "--layer-modulus", "200kPa", "--layer-depth", "4mm"];
    let auto = json(&layer);
    assert!(auto.get("hertz").is_none());
    // Golden number 7: δ = √(P h/(K π R)).
    let delta = (4e-3 / (2e5 * std::f64::consts::PI * 0.01_f64)).sqrt();
    close("delta", &auto["winkler"]["delta"], delta, 1e-12);
    let forced = json(&[&layer[..], &["--theory", "hertz"]].concat());
    assert!(forced.get("winkler").is_none() && forced["hertz"]["a"].is_f64());
}

/// A line ends where the pad does, and has the width and pressure of the plane-strain line of (Johnson, §4.2(c)):
/// b² = 4p′R/(πE*), p0 = 2p′/(πb), p′ the load over the whole length.
#[test]
fn a_line_needs_the_length_of_the_pad() {
    let line = ["query", "patch", "--radius", "8mm", "--radius2", "straight", "--load", "20N", "--young", "0.75GPa"];
    let (code, out, err) = run(&line, "");
    assert!(code == 2 && out.is_empty() && err.contains("--length"), "{err}");
    let (code, got) = answered(&[&line[..], &["--length", "0.2", "--json"]].concat(), &Value::Null);
    let record = &got["contact_cases"][0];
    assert!(code == 0 && record["warnings"].to_string().contains("the pad ends the patch"), "{record}");
    assert_eq!(record["hertz"]["a"], json!(0.2));
    let b = (4.0 * 50.0 * 8e-3 / (std::f64::consts::PI * 1e9_f64)).sqrt();
    close("b", &record["hertz"]["b"], b, 1e-12);
    close("p0", &record["hertz"]["p0"], 2.0 * 50.0 / (std::f64::consts::PI * b), 1e-12);
    // Half the half-length, and of order (b/L)² more.
    close("e_n", &record["hertz"]["e_n"], 0.1, 1e-6);
    // What the options stand for gives the same from a file.
    assert_eq!(answered(&ARGS, &got), (0, got));
}

/// A rubber roller of 1 m under 200 N: 1.38 mm and 92 kPa (an ellipse of that length: 1.69 mm and 113 kPa). k_n is
/// the slope of the load, here by a difference of 1 %.
#[test]
fn a_roller_has_the_width_of_a_line() {
    let roller = |load: &str| {
        let options = ["--radius", "10mm", "--radius2", "straight", "--length", "500mm", "--young", "1MPa", "--json"];
        let (code, got) = answered(&[&["query", "patch", "--load", load], &options[..]].concat(), &Value::Null);
        assert_eq!(code, 0, "{got}");
        got["contact_cases"][0].clone()
    };
    let (here, more) = (roller("200N"), roller("202N"));
    assert!((number(&here["hertz"]["b"]) - 1.38e-3).abs() < 5e-6, "{here}");
    assert!((number(&here["hertz"]["p0"]) - 92e3).abs() < 5e2, "{here}");
    let step = number(&more["hertz"]["delta"]) - number(&here["hertz"]["delta"]);
    close("k_n", &here["hertz"]["k_n"], 2.0 / step, 2e-3);
    assert!(!here["warnings"].to_string().contains("outside"), "{here}");
    // A short line is told: half-length 2 mm, half-width 1.4 mm.
    let short = ["--radius", "10mm", "--radius2", "straight", "--length", "2mm", "--young", "1MPa", "--json"];
    let (_, got) = answered(&[&["query", "patch", "--load", "0.8N"], &short[..]].concat(), &Value::Null);
    assert!(got["contact_cases"][0]["warnings"].to_string().contains("below four half-widths"), "{got}");
}

/// A cylinder of 0.2 kg on a layer, R 20 mm, 80 mm long: 32.3430 µm deep, half-width 1.1374 mm (another program's
/// digits). The table has the area of the rectangle.
#[test]
fn a_line_on_a_layer_presses_a_rectangle() {
    let options =
        ["query", "patch", "--radius", "20mm", "--radius2", "straight", "--length", "40mm", "--load", "1.962N"];
    let layer = ["--layer-modulus", "1MPa", "--layer-depth", "2mm", "--friction", "0.5"];
    let (code, got) = answered(&[&options[..], &layer, &["--json"]].concat(), &Value::Null);
    let winkler = &got["contact_cases"][0]["winkler"];
    assert_eq!(code, 0, "{got}");
    assert!((number(&winkler["delta"]) - 3.23430e-5).abs() < 5e-11, "{winkler}");
    assert!((number(&winkler["b"]) - 1.1374e-3).abs() < 5e-8, "{winkler}");
    close("tau_max", &winkler["tau_max"], 0.01962, 1e-3);
    close("k_n", &winkler["k_n"], 1.5 * 1.962 / number(&winkler["delta"]), 1e-12);
    let (_, text, _) = run(&[&options[..], &layer].concat(), "");
    // 4 · 40 · 1.1374 mm².
    assert!(text.contains("182.0") || text.contains("181.98"), "{text}");
}

/// Bad options: exit code 2, nothing on stdout, the option named with what was expected and what came.
#[test]
fn bad_options_are_refused_by_name() {
    let cases: [(&[&str], &str); 17] = [
        (&["--young", "-1e5"], "--young: Young's modulus must be positive and finite, got -100000 Pa"),
        (&["--young", "1N"], "got `1N`, which is a force"),
        (&["--young", "0.3mpa"], "unknown unit `mpa`"),
        (
            &["--young", "1MPa", "--poisson", "0.6"],
            "--poisson: Poisson's ratio must be above -1 and at most 0.5, got 0.6",
        ),
        (&["--young", "1MPa", "--friction", "-1"], "--friction"),
        (&["--young", "1MPa", "--radius2", "0"], "--radius2: a radius must be positive, got 0 m"),
        (&["--young", "1MPa", "--against-radius", "-5mm"], "narrower than the pad"),
        (&["--young", "1MPa", "--against-radius", "-10mm"], "face to face"),
        (&["--young", "1MPa", "--against-radius", "0"], "must not be zero"),
        (&["--young", "1MPa", "--length", "-1"], "--length"),
        (&["--young", "1MPa", "--theory", "winkler"], "--theory winkler needs --layer-modulus"),
        (&["--young", "1MPa", "--theory", "soft"], "soft"),
        (&["--layer-modulus", "1MPa"], "--layer-depth"),
        (&["--layer-modulus", "1MPa", "--layer-depth", "0"], "--layer-depth: the layer's depth must be positive"),
        (&["--layer-modulus", "0", "--layer-depth", "1mm"], "--layer-modulus: the layer's modulus must be positive"),
        (&[], "the pad needs --young"),
        (&["--young", "1MPa", "file.json"], "cannot be used"),
    ];
    for (options, message) in cases {
        let (code, out, err) = run(&[&["query", "patch", "--radius", "10mm", "--load", "5N"], options].concat(), "");
        assert_eq!((code, out.as_str()), (2, ""), "{options:?}: {err}");
        assert!(err.contains(message), "{options:?}: {err}");
    }
    for (load, message) in
        [("-1N", "must be zero or positive"), ("1..2", "from..to:count"), ("5mm", "a length"), ("", "")]
    {
        let (code, out, err) = run(&["query", "patch", "--radius", "1cm", "--young", "1MPa", "--load", load], "");
        assert!(code == 2 && out.is_empty() && err.contains(message), "{load}: {err}");
    }
    let (code, _, err) = run(&["query", "patch", "--radius", "-1mm", "--young", "1MPa", "--load", "1"], "");
    assert!(code == 2 && err.contains("--radius: a radius must be positive"), "{err}");
    assert_eq!(run(&["query", "patch"], "").0, 2);
}
