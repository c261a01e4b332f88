//! # Scenes and saved states: what is in them
//!
//! - **in**: a TOML scene, or the state of a run
//! - **out**: bodies with their masses and mobilities, laws, loads, checks; what a state belongs to
//! - **start at** [`describe`], [`describe_state`]

use crate::outcome::{self, Failure};
use crate::run::saved;
use fingerpad_files::scene::Scene;
use fingerpad_sim::{Mobility, Model};
use serde_json::{Map, Value, json};
use std::io::{IsTerminal, stderr};
use std::path::Path;

/// Whether a file is a scene by its name.
pub fn is_scene(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

/// What is in a scene.
pub fn describe(path: &Path, quiet: bool) -> Result<Map<String, Value>, Failure> {
    let told = |e: fingerpad_files::scene::SceneError| Failure(e.to_string().trim_start_matches("error: ").to_string());
    let scene = Scene::read(path, &[]).map_err(told)?;
    let shown = !quiet && stderr().is_terminal();
    let mut progress = |stage: &str| {
        if shown {
            outcome::tell(stage);
        }
    };
    let built = scene.build(&mut progress).map_err(told)?;
    let model = &built.model;
    let bodies: Vec<Value> =
        (0..model.bodies().len()).filter(|i| model.owner(*i) == *i).map(|i| body(model, i)).collect();
    let gravity = model.gravity_W();
    let mut facts = Map::new();
    let mut put = |key: &str, value: Value| facts.insert(key.to_string(), value);
    put("file", json!(path.display().to_string()));
    put("kind", json!("scene"));
    put("name", json!(built.name));
    if let Some(description) = &built.description {
        put("description", json!(description));
    }
    put("duration", json!(built.duration));
    put("gravity", json!([gravity.x, gravity.y, gravity.z]));
    put("formulation", json!(format!("{:?}", built.solver.formulation).to_lowercase()));
    put("stepper", json!(format!("{:?}", built.solver.stepper).to_lowercase()));
    put("bodies", json!(bodies));
    put("pairs", json!(model.pairs().count()));
    put("laws", json!(model.laws().len()));
    put("loads", json!(model.loads().len()));
    put("kicks", json!(model.kicks().len()));
    put("checks", json!(built.checks.iter().map(|check| check.name.clone()).collect::<Vec<_>>()));
    put("period", json!(built.record.period));
    if !built.warnings.is_empty() {
        put("warnings", json!(built.warnings));
    }
    Ok(facts)
}

fn body(model: &Model, index: usize) -> Value {
    let body = &model.bodies()[index];
    let p = body.X_WB.translation.vector;
    // A link of a robot has any number of surfaces.
    let surfaces = model.bodies().iter().enumerate().filter(|(i, part)| part.touches && model.owner(*i) == index);
    let kinds: Vec<&str> = surfaces.map(|(_, part)| part.shape.kind()).collect();
    let mut facts = json!({
        "name": body.name,
        "shape": if kinds.is_empty() { "none".to_string() } else { kinds.join(", ") },
        "mobility": mobility(&body.mobility),
        "pos": [p.x, p.y, p.z],
    });
    if body.mobility.is_moved_by_forces() {
        facts["mass"] = json!(body.mass);
    }
    facts
}

fn mobility(mobility: &Mobility) -> String {
    match mobility {
        Mobility::Free => "free".to_string(),
        Mobility::Restricted(restriction) => {
            let axes = |prefix: &str, kept: [bool; 3]| -> Vec<String> {
                let named = ["x", "y", "z"].into_iter().zip(kept);
                named.filter(|(_, kept)| *kept).map(|(axis, _)| format!("{prefix}{axis}")).collect()
            };
            [axes("", restriction.slides), axes("r", restriction.turns)].concat().join(" ")
        }
        Mobility::Prescribed(_) => "driven".to_string(),
        Mobility::Link { .. } => "on a joint".to_string(),
        _ => "fixed".to_string(),
    }
}

/// What a saved state belongs to.
pub fn describe_state(path: &Path) -> Result<Map<String, Value>, Failure> {
    let saved = saved::open(path)?;
    let mut facts = Map::new();
    facts.insert("file".to_string(), json!(path.display().to_string()));
    facts.insert("kind".to_string(), json!("saved state"));
    facts.insert("scene".to_string(), json!(saved.header.origin.scene));
    facts.insert("version".to_string(), json!(saved.header.version));
    facts.insert("text_hash".to_string(), json!(saved.header.origin.text));
    facts.insert("overrides".to_string(), json!(saved.header.origin.sets));
    let assets = saved.header.origin.assets.iter().map(|(name, hash)| (name.clone(), json!(hash)));
    facts.insert("assets".to_string(), Value::Object(assets.collect()));
    facts.insert("time".to_string(), json!(saved.state.time));
    facts.insert("bodies".to_string(), json!(saved.state.bodies.len()));
    facts.insert("contacts".to_string(), json!(saved.state.contacts.len()));
    Ok(facts)
}
