//! # Summary: what a run came to, for machines and for people
//!
//! - **in**: [`Facts`]
//! - **out**: `summary.json`, a table, verdicts of the checks
//! - **start at** [`document`], [`table`]

use super::clock::Stopwatch;
use super::history::History;
use super::lost::lost_bodies;
use super::row::{ENERGY, energies};
use super::{Course, Status};
use crate::cli::table::{aligned, short};
use crate::json;
use crate::outcome::Failure;
use fingerpad_files::scene::{Built, Formulation, Stepper};
use fingerpad_sim::{Ledger, RunError};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// All that is known at the end of a run.
pub struct Facts<'a> {
    pub built: &'a Built,
    pub hash: &'a str,
    pub status: Status,
    pub stopped: Option<&'a RunError>,
    /// Time at which the run started or went on (s).
    pub start: f64,
    pub(super) course: &'a Course,
    pub verdicts: &'a [Verdict],
    pub watch: &'a Stopwatch,
    pub out: &'a Path,
}

/// A check and what became of it.
pub struct Verdict {
    pub name: String,
    pub expression: String,
    /// The left side; none where it could not be computed.
    pub value: Option<f64>,
    pub ok: bool,
    /// Why it could not be computed.
    pub trouble: Option<String>,
}

/// Checks of a run that reached its end; of another, each fails.
pub fn verdicts(built: &Built, history: &History, status: Status) -> Vec<Verdict> {
    let judge = |check: &fingerpad_files::scene::Check| {
        let found = check.expression.evaluate(history);
        let (value, ok, trouble) = match found {
            Ok(verdict) => (verdict.value.is_finite().then_some(verdict.value), verdict.ok, None),
            Err(trouble) => (None, false, Some(trouble)),
        };
        let ok = ok && status == Status::Completed;
        Verdict { name: check.name.clone(), expression: check.expression.to_string(), value, ok, trouble }
    };
    built.checks.iter().map(judge).collect()
}

/// `summary.json`.
pub fn document(facts: &Facts, warnings: &mut Vec<String>) -> Result<Value, Failure> {
    let Facts { built, course, watch, .. } = facts;
    let now = facts.ledger();
    let mut energy = Map::new();
    for (name, x) in ENERGY.iter().zip(energies(&now)) {
        energy.insert(name.to_string(), json::finite(name, x, warnings));
    }
    let checks: Vec<Value> = facts
        .verdicts
        .iter()
        .map(|v| {
            let mut check = json!({"name": v.name, "expression": v.expression, "value": v.value, "ok": v.ok});
            if let Some(trouble) = &v.trouble {
                check["error"] = json!(trouble);
            }
            check
        })
        .collect();
    let bodies: Map<String, Value> = built
        .model
        .bodies()
        .iter()
        .enumerate()
        .filter(|(_, body)| body.mobility.is_moved_by_forces())
        .map(|(i, body)| {
            let X_WB = built.model.frame(i, &course.state.bodies[i].X_WBcm);
            let V = &course.state.bodies[i].V_WBcm;
            let (p, q) = (X_WB.translation.vector, X_WB.rotation);
            let state = json!({
                "pos": [p.x, p.y, p.z],
                "quat_wxyz": [q.w, q.i, q.j, q.k],
                "vel_world": [V.v.x, V.v.y, V.v.z],
                "omega_world": [V.w.x, V.w.y, V.w.z],
            });
            (body.name.clone(), state)
        })
        .collect();
    let (wall, cpu) = (watch.wall(), watch.cpu());
    let simulated = course.state.time - facts.start;
    let mut summary = json!({
        "scene": built.name,
        "version": env!("CARGO_PKG_VERSION"),
        "hash": facts.hash,
        "formulation": formulation(built),
        "stepper": stepper(built),
        "status": facts.status.name(),
        "t_start": facts.start,
        "t_end": course.state.time,
        "rows": course.rows,
        "wall_s": wall,
        "cpu_s": cpu,
        "real_time_factor": simulated / wall,
        "contacts_now": course.touching(),
        "events": course.events.iter().map(|(name, count)| (name.to_string(), json!(count))).collect::<Map<_, _>>(),
        "energy": energy,
        "ledger_error": course.ledger_error(),
        "bodies": bodies,
        "lost": lost_bodies(&course.lookout, &built.model),
        "checks": checks,
    });
    if let (Value::Object(fields), Value::Object(costs)) = (&mut summary, course.engine.costs()) {
        fields.extend(costs);
    }
    if let Some(error) = facts.stopped {
        summary["message"] = json!(error.to_string());
    }
    warnings.dedup();
    if !warnings.is_empty() {
        summary["warnings"] = json!(warnings);
    }
    Ok(summary)
}

fn formulation(built: &Built) -> &'static str {
    match built.solver.formulation {
        Formulation::Compliant => "compliant",
        Formulation::Complementarity => "complementarity",
    }
}

fn stepper(built: &Built) -> &'static str {
    if built.solver.formulation == Formulation::Complementarity {
        return "impulses";
    }
    match built.solver.stepper {
        Stepper::Accurate => "accurate",
        Stepper::Fast => "fast",
    }
}

impl Facts<'_> {
    fn ledger(&self) -> Ledger {
        self.course.last
    }
}

/// The summary for people.
pub fn table(facts: &Facts) -> String {
    let Facts { built, course, watch, .. } = facts;
    let wall = watch.wall();
    let simulated = course.state.time - facts.start;
    let mut text = format!("{}: {}, {}\n", built.name, formulation(built), stepper(built));
    if let Some(description) = &built.description {
        let _ = writeln!(text, "{description}");
    }
    let reached = format!("{} s of {} s", short(course.state.time), short(built.duration));
    let [steps, accuracy] = course.engine.lines(wall);
    let rows = [
        ("simulated", format!("{reached} in {wall:.3} s ({:.3} × real time)", simulated / wall)),
        steps,
        accuracy,
        ("contacts", contacts(course)),
    ];
    for (name, value) in rows {
        let _ = writeln!(text, "{name:<10} {value}");
    }
    let now = energies(&facts.ledger());
    let first = energies(&course.first);
    let energy: Vec<Vec<String>> = (0..ENERGY.len())
        .filter(|k| first[*k] != 0.0 || now[*k] != 0.0)
        .map(|k| vec![ENERGY[k].to_string(), short(first[k]), short(now[k])])
        .collect();
    text.push('\n');
    text += &aligned(&["energy [J]", "start", "end"], &energy);
    let _ = writeln!(text, "ledger closes to {:.1e} of {} J", course.ledger_error(), short(course.scale));
    if !facts.verdicts.is_empty() {
        let lines: Vec<Vec<String>> = facts
            .verdicts
            .iter()
            .map(|v| {
                let value = v.value.map_or_else(|| v.trouble.clone().unwrap_or_else(|| "-".to_string()), short);
                vec![if v.ok { "ok" } else { "FAILED" }.to_string(), v.name.clone(), value, v.expression.clone()]
            })
            .collect();
        text.push('\n');
        text += &aligned(&["check", "name", "value", "expected"], &lines);
    }
    match facts.status {
        Status::Completed => {}
        Status::Interrupted => text += "\ninterrupted: files are complete up to here\n",
        Status::Diverged | Status::Stopped => {
            let why = facts.stopped.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "\nstopped: {why}\nfiles are complete up to here");
        }
    }
    let _ = writeln!(text, "\nfiles in {}", facts.out.display());
    text
}

fn contacts(course: &Course) -> String {
    let counts: Vec<String> = course.events.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let events = if counts.is_empty() { "no events".to_string() } else { counts.join(", ") };
    format!("{} now; {events}", course.touching())
}
