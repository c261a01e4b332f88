//! # Ready cases: the examples of the subject, by name
//!
//! - **in**: a name
//! - **out**: its record, as a file would hold it
//! - **start at** [`named`]

use serde_json::{Value, json};

/// Names, with what each is.
pub const NAMES: &[(&str, &str)] = &[
    ("three-point", "three points on a floor, ρ = 1, μ = 1/4 (Erdmann, §5.2), pushed with (0, −1, 3)"),
    ("peg-between-walls", "held or not by walls at equal height: any fall up to free fall is possible"),
    ("wedge", "a wedge between two blocks"),
    ("block-on-incline", "a block on a slope of 3/4 with μ = 1/2"),
    ("peg-in-hole", "a tilted peg that touches a hole with clearance in two points"),
    ("v-feeder", "a disc in a V-shaped feeder"),
    ("painleve-rod", "a sliding rod for which no acceleration obeys the laws"),
];

/// The record of a name.
pub fn named(name: &str) -> Option<Value> {
    let record = match name {
        "three-point" => json!({
            "m": 1, "rho2": 1, "F": [0, -1, 3], "vel": [0, 0, 0], "centre_of_mass": [0, 1],
            "contacts": [
                {"n": [0, 1], "r": [1, 1], "mu": "1/4", "kind": "VE"},
                {"n": [0, 1], "r": [-1, 1], "mu": "1/4", "kind": "VE"},
                {"n": [0, 1], "r": [0, 1], "mu": "1/4", "kind": "VE"}],
            "body": {"polygon": [[-1, 0], [-0.5, 0.25], [0, 0], [0.5, 0.25], [1, 0], [1, 2], [-1, 2]]},
            "obstacles": [{"polygon": [[-2, -0.5], [2, -0.5], [2, 0], [-2, 0]]}]}),
        "peg-between-walls" => json!({
            "m": 1, "rho2": 1, "F": [0, -10, 0], "vel": [0, 0, 0],
            "contacts": [
                {"n": [1, 0], "r": [1, 0], "mu": "1/2", "kind": "VE"},
                {"n": [-1, 0], "r": [-1, 0], "mu": "1/2", "kind": "VE"}],
            "body": {"polygon": [[-1, 0], [0, -2], [1, 0], [0, 2]]},
            "obstacles": [
                {"polygon": [[-1.5, -2.5], [-1, -2.5], [-1, 2.5], [-1.5, 2.5]]},
                {"polygon": [[1, -2.5], [1.5, -2.5], [1.5, 2.5], [1, 2.5]]}]}),
        "wedge" => json!({
            "body": {"polygon": [[0, 0], [3, 4], [-3, 4]]}, "m": 1, "gravity": [0, -9.81], "mu": "1/2",
            "obstacles": [
                {"polygon": [["3/4", 1], [5, 1], [5, 3], ["9/4", 3]]},
                {"polygon": [["-3/4", 1], ["-9/4", 3], [-5, 3], [-5, 1]]}]}),
        "block-on-incline" => json!({
            "body": {"polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}, "pose": {"tan_half": "1/3"},
            "m": 2, "gravity": [0, -9.81],
            "obstacles": [{"polygon": [[-2, -1.5], [2, -1.5], [2, 1.5]], "mu": "1/2"}]}),
        "peg-in-hole" => json!({
            "body": {"polygon": [["-1/2", 0], ["1/2", 0], ["1/2", 4], ["-1/2", 4]]},
            "pose": {"pos": ["479/802", "-379/401"], "tan_half": "1/20"},
            "m": 1, "gravity": [0, -9.81], "mu": "3/10",
            "obstacles": [
                {"polygon": [[-2, -3], [0, -3], [0, 0], [-2, 0]]},
                {"polygon": [["439/401", -3], [3, -3], [3, 0], ["439/401", 0]]}]}),
        "v-feeder" => json!({
            "body": {"disc": {"radius": 1}}, "pose": {"pos": [0, "5/4"]},
            "density": 1, "gravity": [0, -9.81], "mu": "1/5",
            "obstacles": [
                {"polygon": [[0, 0], [0, -1], [2, -1], [2, 1.5]]},
                {"polygon": [[0, 0], [-2, 1.5], [-2, -1], [0, -1]]}]}),
        "painleve-rod" => json!({
            "m": 1, "rho2": "5/3", "F": [0, -9.81, 0], "vel": [-1, 0, 0], "centre_of_mass": [1, 2],
            "contacts": [{"n": [0, 1], "r": [1, 2], "mu": 1.4, "kind": "VE"}],
            "body": {"polygon": [[0, 0], [2.06, 3.97], [1.94, 4.03]]},
            "obstacles": [{"polygon": [[-1, -0.5], [3, -0.5], [3, 0], [-1, 0]]}]}),
        _ => return None,
    };
    let mut whole = json!({ "id": name });
    if let (Value::Object(whole), Value::Object(record)) = (&mut whole, record) {
        whole.extend(record);
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planar::record::{Wanted, question, solved};

    /// Would catch a typing error in any of the records, and a pose that misses its obstacles.
    #[test]
    fn every_name_is_a_case_with_its_contacts_and_status() {
        let expected = [
            ("three-point", 3, "unique"),
            ("peg-between-walls", 2, "ambiguous"),
            ("wedge", 4, "unique"),
            ("block-on-incline", 2, "unique"),
            ("peg-in-hole", 2, "unique"),
            ("v-feeder", 2, "unique"),
            ("painleve-rod", 1, "inconsistent"),
        ];
        assert_eq!(NAMES.len(), expected.len());
        for (name, contacts, status) in expected {
            let answered = solved(question(&named(name).unwrap()).unwrap(), Wanted::default()).unwrap();
            let got = (answered.question.case.contacts.len(), answered.answer.status.name());
            assert_eq!(got, (contacts, status), "{name}");
        }
    }
}
