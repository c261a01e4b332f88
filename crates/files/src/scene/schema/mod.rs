//! # Schema: the format of scenes for editors
//!
//! - **in**: structs that mirror the format; nothing is ever read into them
//! - **out**: a JSON Schema with every key and its meaning, kept as `docs/scene.schema.json`
//! - **not here**: reading (`bodies`, `materials`, …), whose keys a test compares with these; tables of a scene other than those
//!   about the run as a whole, each in the sibling that its name says
//! - **start at** [`text`], then `Document`

// The structs are only looked at by the derive.
#![allow(dead_code, clippy::large_enum_variant)]

mod bodies;
mod events;
mod joints;
mod maps;
mod materials;
mod robots;
mod shapes;

pub(super) use bodies::Orientation;

use super::drives::table::DriveTable;
use bodies::Body;
use events::Event;
use joints::{Coupling, Joint, Loop};
use maps::Terrain;
use materials::{Ignore, Material, Pair};
use robots::Robot;
use schemars::{JsonSchema, schema_for};
use std::collections::BTreeMap;

/// The schema as text, ending with a new line.
pub fn text() -> String {
    let schema = schema_for!(Document);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// A number in SI units, or text with a unit such as "8 mm".
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Quantity {
    Number(f64),
    Text(String),
}

type Vector = [Quantity; 3];

/// A Fingerpad scene.
#[derive(JsonSchema)]
#[schemars(title = "Fingerpad scene", deny_unknown_fields)]
struct Document {
    scene: Scene,
    solver: Option<Solver>,
    /// Materials by name.
    materials: Option<BTreeMap<String, Material>>,
    terrain: Option<Terrain>,
    /// Bodies; at least one, or a robot.
    body: Option<Vec<Body>>,
    robot: Option<Vec<Robot>>,
    joint: Option<Vec<Joint>>,
    coupling: Option<Vec<Coupling>>,
    #[schemars(rename = "loop")]
    loops: Option<Vec<Loop>>,
    drive: Option<Vec<DriveTable>>,
    pair: Option<Vec<Pair>>,
    ignore: Option<Vec<Ignore>>,
    event: Option<Vec<Event>>,
    record: Option<Record>,
    check: Option<Vec<Check>>,
}

/// The scene as a whole.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Scene {
    /// Name of the scene, and of its folder under `out/`.
    name: String,
    /// What it shows.
    description: Option<String>,
    /// Free fall (m/s²): a number pulls down along −z and is not negative; or a vector. 9.81 if absent.
    gravity: Option<Gravity>,
    /// How long to run (s).
    duration: Quantity,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Gravity {
    Down(Quantity),
    Vector(Vector),
}

/// How to run.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Solver {
    /// What a contact is: springs and dampers over a patch, or a rigid point with an impulse per step (`complementarity`, in these pages: rigid contacts); compliant if absent.
    formulation: Option<Formulation>,
    /// How the scene is carried in time: compliant contacts with error control and events located (`accurate`), or by fixed steps (`fast`); `rigid` is the same as `formulation = "complementarity"`. Accurate if absent.
    stepper: Option<Stepper>,
    /// Relative error allowed per step, above 0 and at most 0.1. Accurate stepper: 1e-12 if absent. Fast stepper: each step is made whole and in halves, and is as long as this error lets it; steps of one length if absent.
    tolerance: Option<f64>,
    /// Length of a fixed step (s), for the fast stepper and for rigid contacts; 1 ms if absent.
    step: Option<Quantity>,
    /// Longest step of the accurate stepper (s), and of the fast one with `tolerance` and no `step`; 5 ms if absent.
    longest_step: Option<Quantity>,
    /// Fast stepper: how long bodies that touch must all be at rest (kinetic energy below 1e-8 of that of a fall over their own size) before they are left alone (s). They wake together when a moving body touches them, when one is kicked, when a load on it changes, or when a body with prescribed motion that they touch moves. The kinetic energy left goes to `E_num`. Never if absent.
    sleep: Option<Quantity>,
    /// Newton's coefficient of restitution of rigid contacts, 0 to 1, for pairs that give none; compliant contacts do not read it. 0 if absent.
    restitution: Option<f64>,
    /// Rigid contacts that come in more slowly than this (m/s) do not bounce; 0.01 if absent.
    bounce_threshold: Option<Quantity>,
    /// Points of the hull that stands for the friction ellipsoid of rigid contacts: 20, 42 or 86; the ellipsoid itself if absent.
    hull: Option<u32>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Formulation {
    Compliant,
    Complementarity,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Stepper {
    Accurate,
    Fast,
    Rigid,
}

/// What a run keeps.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Record {
    /// Between rows (s); a 500th of the duration if absent.
    period: Option<Quantity>,
    /// Whether each contact is kept; true if absent.
    contacts: Option<bool>,
    /// Which bodies are kept; all if absent.
    bodies: Option<Vec<String>>,
}

/// An expectation on the result; how to write one: docs/checks.md.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Check {
    /// The expression itself if absent.
    name: Option<String>,
    /// Such as "ball.height > 0.1".
    expression: String,
    /// Which steppers it is asked of; all if absent.
    steppers: Option<Vec<Method>>,
}

/// Formulation and stepper together.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Method {
    Accurate,
    Fast,
    Rigid,
}

#[cfg(test)]
mod tests {
    use super::super::keys;
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn properties(schema: &Value) -> BTreeSet<String> {
        schema["properties"].as_object().map(|p| p.keys().cloned().collect()).unwrap_or_default()
    }

    fn set(keys: &[&str]) -> BTreeSet<String> {
        keys.iter().map(|key| key.to_string()).collect()
    }

    /// Would catch a key that the reader takes and editors mark as wrong, or the other way round.
    #[test]
    fn schema_and_readers_know_the_same_keys() {
        let schema: Value = serde_json::from_str(&text()).unwrap();
        assert_eq!(properties(&schema), set(keys::ROOT));
        let of = |name: &str| properties(&schema["$defs"][name]);
        for (name, keys) in [
            ("Scene", keys::SCENE),
            ("Solver", keys::SOLVER),
            ("Material", keys::MATERIAL),
            ("Layer", keys::LAYER),
            ("Body", keys::BODY),
            ("Joint", keys::JOINT),
            ("JointSpring", keys::SPRING),
            ("Coupling", keys::COUPLING),
            ("Loop", keys::LOOP),
            ("Robot", keys::ROBOT),
            ("Pad", keys::PAD),
            ("DriveTable", keys::DRIVE),
            ("ImpedanceGains", keys::IMPEDANCE),
            ("Frame", keys::FRAME),
            ("Axes", keys::AXES),
            ("OrientationTable", keys::ORIENTATION),
            ("Place", keys::PLACE),
            ("Png", keys::PNG),
            ("Generated", keys::GENERATED),
            ("Terrain", keys::TERRAIN),
            ("Pair", keys::PAIR),
            ("Ignore", keys::IGNORE),
            ("Record", keys::RECORD),
            ("Check", keys::CHECK),
        ] {
            assert_eq!(of(name), set(keys), "{name}");
        }
        let kinds = |name: &str| -> Vec<(String, BTreeSet<String>)> {
            let list = schema["$defs"][name]["oneOf"].as_array().unwrap();
            let kind = |s: &Value| s["properties"]["type"]["const"].as_str().unwrap().to_string();
            list.iter().map(|s| (kind(s), properties(s))).collect()
        };
        let wanted = |list: &[(&str, &[&str])]| -> Vec<(String, BTreeSet<String>)> {
            list.iter().map(|(name, keys)| (name.to_string(), set(keys))).collect()
        };
        assert_eq!(kinds("Shape"), wanted(&keys::SHAPES));
        assert_eq!(kinds("Motion"), wanted(&keys::MOTIONS));
        assert_eq!(kinds("Event"), wanted(&keys::EVENTS));
    }
}
