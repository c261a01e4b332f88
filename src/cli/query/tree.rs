//! # `fingerpad query tree`: dynamics of trees of joints
//!
//! `tree`, `states: [{q, v, tau, inverse: {qdd}}]` ──▶ **here** ──▶ mass matrix, forces, frames and energies in each state
//!
//! - **in**: bodies and joints, and states of them
//! - **out**: `M, bias, gravity_force, qdd, inverse {tau, dtau_dq, dtau_dv}, frames, kinetic, …` as docs/formats.md says
//! - **not here**: reading a tree (`json::tree`); the dynamics (`fingerpad_sim::coordinates`)
//! - **start at** [`run`], then [`answer`]

use super::{Answers, count_errors, label};
use crate::cli::table::{aligned, short};
use crate::json::document::Document;
use crate::json::{self, Field, FieldError, tree};
use crate::outcome::{self, Failure, Outcome};
use clap::Args;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_sim::coordinates::{Base, Derivatives, Factor, Frame, Mass, Tree, TreeState};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query tree`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct TreeQuery {
    /// JSON document with `tree` and a list `states`; `-` reads stdin.
    pub file: PathBuf,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query tree arm.json --json > answered.json
  echo '{\"tree\": {\"gravity\": [0, 0, -9.81], \"bodies\": [{\"parent\": -1, \"mass\": 1, \"com\": [0, 0, -0.5],
     \"inertia_com\": [0, 0, 0, 0, 0, 0], \"joint\": {\"kind\": \"revolute\", \"axis\": [0, 1, 0]}}]},
     \"states\": [{\"q\": [0.1], \"v\": [0], \"tau\": [0]}]}' | fingerpad query tree -

Joints are fixed, revolute, prismatic, planar, ball and free; spatial vectors have rotation first. A state without tau
gets no qdd, one without inverse no derivatives. Fields: docs/formats.md.";

/// Keys of the answer, but for those inside `inverse`.
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

/// Keys of the answer inside `inverse`.
const INVERSE: [&str; 3] = ["tau", "dtau_dq", "dtau_dv"];

/// Answers every state of the document.
pub fn run(options: &TreeQuery, quiet: bool) -> Result<Outcome, Failure> {
    let mut document = Document::read(&options.file)?;
    let name = document.name.clone();
    let root = Value::Object(document.root.clone());
    let read = Field::root(&root).require("tree").and_then(|field| tree::read(&field));
    let states = document.list("states")?;
    if let (Err(error), true) = (&read, states.is_empty()) {
        return Err(Failure(format!("{name}: {error}")));
    }
    for state in states.iter_mut() {
        let found = read.as_ref().map_err(Clone::clone).and_then(|tree| {
            let answered = outcome::guarded(|| answer(tree, &Field::root(state)));
            answered.unwrap_or_else(|bug| Err(FieldError::new("", bug)))
        });
        fill(state, found);
    }
    let failed = count_errors(&name, "states", states, options.answers.json && !quiet);
    options.answers.deliver(&document, || table(&document), failed)
}

/// Puts an answer, or the error, into its state; answers to an earlier question go.
fn fill(state: &mut Value, found: Result<Map<String, Value>, FieldError>) {
    let Value::Object(fields) = state else {
        *state = json!({"record": state, "error": FieldError::new("", "expected an object").to_json()});
        return;
    };
    if let Some(Value::Object(inverse)) = fields.get_mut("inverse") {
        INVERSE.iter().for_each(|key| drop(inverse.shift_remove(*key)));
    }
    match found {
        Err(error) => json::refuse(fields, &ANSWERS, &error),
        Ok(found) => {
            fields.shift_remove("error");
            ANSWERS.iter().filter(|key| !found.contains_key(**key)).for_each(|key| drop(fields.shift_remove(*key)));
            for (key, value) in found {
                match value {
                    Value::Object(parts) => json::put(fields, &key, parts),
                    value => drop(fields.insert(key, value)),
                }
            }
        }
    }
}

/// Everything about one state.
fn answer(tree: &Tree, state: &Field) -> Result<Map<String, Value>, FieldError> {
    state.object()?;
    let n = tree.nv();
    let at_q = state.require("q")?;
    let q = tree::numbers(&at_q, tree.nq(), "coordinates of all joints")?;
    let v = tree::numbers(&state.require("v")?, n, "velocities of all joints")?;
    let mut at = TreeState::from_user(tree, &q, &v);
    if !tree.normalise(&mut at.q) {
        return Err(FieldError::new(&at_q.path, "expected unit quaternions of ball and free joints, got others"));
    }
    let mut frame = Frame::new(tree);
    frame.place(tree, &at.q, &Base::default());
    frame.set_velocities(tree, &at.v);
    let (mut mass, mut factor) = (Mass::new(tree), Factor::new(tree));
    mass.compute(tree, &frame);
    let of = tree.v_of_user();
    let dense = |entry: &dyn Fn(usize, usize) -> f64| -> Value {
        let row = |i: &u32| of.iter().map(|j| entry(*i as usize, *j as usize)).collect::<Vec<f64>>();
        json!(of.iter().map(row).collect::<Vec<_>>())
    };
    let inner = |field: &Field, what: &str| {
        let mut x = vec![0.0; n];
        tree.v_from_user(&tree::numbers(field, n, what)?, &mut x);
        Ok::<Vec<f64>, FieldError>(x)
    };
    let mut found = Map::new();
    let mut put = |key: &str, value: Value| drop(found.insert(key.to_string(), value));
    let mut force = vec![0.0; n];
    put("M", dense(&|i, j| mass.entry(tree, i, j)));
    frame.bias(tree, &at.v, &mut force);
    if !force.iter().all(|x| x.is_finite()) {
        return Err(FieldError::new(
            "v",
            "expected velocities whose forces double precision can hold, got larger ones",
        ));
    }
    put("bias", json!(tree.v_to_user(&force)));
    frame.gravity_force(tree, &mut force);
    put("gravity_force", json!(tree.v_to_user(&force)));
    if let Some(tau) = state.get("tau") {
        let mut vdot = inner(&tau, "forces along all coordinates")?;
        factor.compute(tree, &mass).map_err(|e| FieldError::new(&at_q.path, e))?;
        frame.forward_dynamics(tree, &factor, &at.v, &mut vdot, &mut force);
        put("qdd", json!(tree.v_to_user(&vdot)));
    }
    if let Some(inverse) = state.get("inverse") {
        let vdot = inner(&inverse.require("qdd")?, "accelerations of all coordinates")?;
        frame.inverse_dynamics(tree, &at.v, &vdot, &mut force);
        let mut slopes = Derivatives::new(tree);
        slopes.compute(tree, &mut frame, &at.v, &vdot);
        let (dtau_dq, dtau_dv) = (dense(&|i, j| slopes.dtau_dq[(i, j)]), dense(&|i, j| slopes.dtau_dv[(i, j)]));
        put("inverse", json!({"tau": tree.v_to_user(&force), "dtau_dq": dtau_dq, "dtau_dv": dtau_dv}));
    }
    put("frames", frames(tree, &mut frame, &at));
    put("kinetic", json!(frame.kinetic(tree, &at.v)));
    put("kinetic_of_armature", json!(frame.kinetic_of_armature(tree, &at.v)));
    put("potential", json!(frame.potential(tree)));
    put("centre_of_mass_W", json!(frame.centre_of_mass(tree).coords.as_slice()));
    let momentum = frame.momentum();
    put("momentum_W", json!([momentum.t.as_slice(), momentum.f.as_slice()].concat()));
    Ok(found)
}

/// Pose, Jacobian, velocity and J′v of every body.
fn frames(tree: &Tree, frame: &mut Frame, at: &TreeState) -> Value {
    frame.set_velocity_accelerations(tree, &at.v);
    let six = |V: &SpatialVelocity| [V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z];
    let of = tree.v_of_user();
    let list = (0..tree.links().len()).map(|body| {
        let pose = frame.pose(tree, body);
        let c = pose.rotation.coords;
        let mut columns = vec![[0.0; 6]; tree.nv()];
        frame.jacobian(tree, body, |k, S| columns[k] = six(&S));
        let row = |r: usize| of.iter().map(|k| columns[*k as usize][r]).collect::<Vec<f64>>();
        json!({
            "body": body,
            "p_WBo": pose.translation.vector.as_slice(),
            "quat_wxyz": [c.w, c.x, c.y, c.z],
            "J": (0..6).map(row).collect::<Vec<_>>(),
            "V": six(&frame.velocity(tree, body)),
            "Jdot_v": six(&frame.acceleration(tree, body)),
        })
    });
    Value::Array(list.collect())
}

/// The answers for people: a row for each state.
fn table(document: &Document) -> String {
    let list = document.root["states"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |value: &Value| value.as_f64().map_or("-".to_string(), short);
    let largest = |value: &Value| {
        let sizes = value.as_array().into_iter().flatten().filter_map(Value::as_f64).map(f64::abs);
        sizes.fold(None, |most: Option<f64>, x| Some(most.map_or(x, |m| m.max(x)))).map_or("-".to_string(), short)
    };
    let row = |(k, state): (usize, &Value)| match state.get("error") {
        Some(error) => {
            let part = |name: &str| error[name].as_str().unwrap_or_default();
            vec![label(state, k), format!("error: {}: {}", part("field"), part("message"))]
        }
        None => vec![
            label(state, k),
            state["frames"].as_array().map_or(0, Vec::len).to_string(),
            state["bias"].as_array().map_or(0, Vec::len).to_string(),
            number(&state["kinetic"]),
            number(&state["potential"]),
            largest(&state["bias"]),
            largest(&state["gravity_force"]),
            largest(&state["qdd"]),
            largest(&state["inverse"]["tau"]),
        ],
    };
    let rows: Vec<Vec<String>> = list.iter().enumerate().map(row).collect();
    aligned(
        &[
            "state",
            "bodies",
            "nv",
            "kinetic [J]",
            "potential [J]",
            "max |bias|",
            "max |gravity|",
            "max |qdd|",
            "max |inverse tau|",
        ],
        &rows,
    )
}
