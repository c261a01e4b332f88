//! The 75 cases of the oracle (exact rational enumeration in Python, checked there against linear programs).

mod common;

use common::{case, number, oracle};
use fingerpad_planar::{Options, Rational, feasible_modes, solve};
use serde_json::Value;

const CLOSE: f64 = 1e-9; // the oracle's own figure; ours are correctly rounded exact values

fn exact_vertices(v: &Value) -> Vec<[Rational; 3]> {
    let mut all: Vec<[Rational; 3]> = v.as_array().unwrap().iter().map(common::numbers).collect();
    all.sort();
    all
}

fn close(ours: &[[f64; 3]], theirs: &Value, what: &str) {
    let theirs: Vec<[f64; 3]> = serde_json::from_value(theirs.clone()).unwrap();
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for t in &theirs {
        let near = |o: &&[f64; 3]| (0..3).all(|i| (o[i] - t[i]).abs() <= CLOSE * t[i].abs().max(1.0));
        assert!(ours.iter().any(|o| near(&o)), "{what}: {t:?} is not among {ours:?}");
    }
}

#[test]
fn every_case_has_the_same_status_components_dimension_and_sets() {
    for v in oracle() {
        let (id, theirs) = (v["id"].as_str().unwrap(), &v["answer"]);
        let ours = solve(&case(&v), &Options::default()).unwrap();
        assert!(ours.complete && ours.warnings.is_empty(), "{id}");
        assert_eq!(ours.status.name(), theirs["status"], "{id}");
        let Some(sets) = theirs["accel_sets"].as_array() else {
            assert!(!ours.approaching.is_empty(), "{id}");
            continue;
        };
        assert_eq!(ours.components as i64, theirs["n_components"], "{id}");
        assert_eq!(ours.dim.map_or(-1, |d| d as i64), theirs["family_dim"], "{id}");
        assert_eq!(ours.sets.len(), sets.len(), "{id}");
        for s in sets {
            let exact = exact_vertices(&s["vertices_exact"]);
            let same = ours.sets.iter().find(|o| o.region.vertices == exact);
            let o = same.unwrap_or_else(|| panic!("{id}: no set {exact:?} among {:?}", ours.sets));
            close(&o.region.vertices_f64(), &s["vertices"], id);
            close(&o.region.rays_f64(), &s["rays"], id);
            assert_eq!(o.region.dim as i64, s["dim"], "{id}");
            assert_eq!(o.kinematic_mode.to_string(), s["kinematic_mode"].as_str().unwrap(), "{id}");
        }
    }
}

#[test]
fn every_case_lists_the_same_closed_modes_in_the_same_order_with_the_same_sets() {
    let mut modes = 0;
    for v in oracle() {
        let id = v["id"].as_str().unwrap();
        let Some(theirs) = v["answer"]["feasible_modes"].as_array() else { continue };
        let ours = feasible_modes(&case(&v), &Options::default()).unwrap();
        assert!(ours.complete);
        assert_eq!(ours.items.len(), theirs.len(), "{id}");
        for (o, t) in ours.items.iter().zip(theirs) {
            let what = format!("{id} {}", o.mode);
            assert_eq!(o.mode.to_string(), t["mode"].as_str().unwrap(), "{id}");
            assert_eq!(o.region.dim as i64, t["dim"], "{what}");
            close(&o.region.vertices_f64(), &t["vertices"], &what);
            close(&o.region.rays_f64(), &t["rays"], &what);
        }
        modes += theirs.len();
    }
    assert_eq!(modes, 7735, "the whole file was compared");
}

/// The oracle's `derived` fields: gap rate, slip, h and slip bias of each contact, from its own kinematics.
#[test]
fn kinematics_of_every_contact_agree() {
    for v in oracle() {
        let terms = fingerpad_planar::cspace::terms(&case(&v)).unwrap();
        for (t, d) in terms.iter().zip(v["derived"].as_array().unwrap()) {
            assert_eq!(t.gap_rate.to_f64(), d["gap_rate"].as_f64().unwrap());
            assert_eq!(t.slip.to_f64(), d["slip"].as_f64().unwrap());
            assert_eq!(t.gap_bias.to_f64(), d["h"].as_f64().unwrap());
            assert_eq!(t.slip_bias.to_f64(), d["slip_acc_bias"].as_f64().unwrap());
        }
    }
}

#[test]
fn json_numbers_enter_by_their_decimal_text() {
    assert_eq!(number(&serde_json::json!(0.1)).to_string(), "1/10");
}
