//! # Summary: what a run came to, for machines and for people
//!
//! - **in**: [`Facts`]
//! - **out**: `summary.json`, a table, verdicts of the checks
//! - **start at** [`document`], [`table`]

use super::clock::Stopwatch;
use super::held::Held;
use super::history::History;
use super::quality::Quality;
use super::row::{ENERGY, energies};
use super::{Seen, Status};
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
    pub(super) seen: &'a Seen,
    pub verdicts: &'a [Verdict],
    /// Grasps that checks ask about, at the end.
    pub held: &'a [Held],
    pub quality: &'a Quality,
    pub watch: &'a Stopwatch,
    pub out: &'a Path,
}

/// A check and what became of it.
pub struct Verdict {
    pub name: String,
    pub expression: String,
    /// The left side; none where it could not be computed.
    pub value: Option<f64>,
    /// Whether it holds; none where it was not judged, since the run did not reach its end.
    pub ok: Option<bool>,
    /// Why it could not be computed.
    pub trouble: Option<String>,
    /// The steppers that it is asked of, if not of all.
    pub only: Option<Vec<&'static str>>,
}

impl Verdict {
    fn word(&self) -> &'static str {
        match self.ok {
            Some(true) => "ok",
            Some(false) => "FAILED",
            None => "not judged",
        }
    }
}

/// Checks of a run that did not reach its end, and whose rows nobody looked at.
pub fn not_judged(built: &Built) -> Vec<Verdict> {
    built.checks.iter().map(left_out).collect()
}

fn left_out(check: &fingerpad_files::scene::Check) -> Verdict {
    let expression = check.expression.to_string();
    let only = check.steppers.as_ref().map(|list| list.iter().map(|method| method.name()).collect());
    Verdict { name: check.name.clone(), expression, value: None, ok: None, trouble: None, only }
}

/// Checks of a run that reached its end. Of another the values so far are told, and none is judged: what is asked of the
/// whole run may hold or fail in the part that is missing.
pub fn verdicts(built: &Built, history: &History, held: &[Held], status: Status) -> Vec<Verdict> {
    let method = built.solver.method();
    let judge = |check: &fingerpad_files::scene::Check| {
        if !check.is_for(method) {
            return left_out(check);
        }
        let found = check.expression.evaluate(history);
        let (value, ok, trouble) = match found {
            Ok(verdict) if !verdict.value.is_finite() => (None, verdict.ok, without_value(check, held)),
            Ok(verdict) => (verdict.value.is_finite().then_some(verdict.value), verdict.ok, None),
            Err(trouble) => (None, false, Some(trouble)),
        };
        let ok = (status == Status::Completed).then_some(ok);
        let trouble = trouble.filter(|_| ok.is_some());
        Verdict { value, ok, trouble, ..left_out(check) }
    };
    built.checks.iter().map(judge).collect()
}

/// Why a check on a grasp has no value; none for other checks.
fn without_value(check: &fingerpad_files::scene::Check, held: &[Held]) -> Option<String> {
    let paths = check.expression.paths();
    let named = |held: &&Held| paths.iter().any(|path| path.starts_with(&format!("grasp.{}.", held.name)));
    held.iter().find(named).map(Held::why_without_value)
}

/// `summary.json`.
pub fn document(facts: &Facts, warnings: &mut Vec<String>) -> Result<Value, Failure> {
    let Facts { built, seen, watch, .. } = facts;
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
            if let Some(only) = &v.only {
                check["steppers"] = json!(only);
            }
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
        .filter(|(_, body)| body.mobility.is_moved_by_forces() && body.part_of.is_none())
        .map(|(i, body)| {
            let X_WB = built.model.frame(i, &seen.bodies[i].X_WBcm);
            let V = &seen.bodies[i].V_WBcm;
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
    let simulated = seen.time - facts.start;
    let mut summary = json!({
        "scene": built.name,
        "version": env!("CARGO_PKG_VERSION"),
        "hash": facts.hash,
        "formulation": formulation(built),
        "stepper": stepper(built),
        "status": facts.status.name(),
        "t_start": facts.start,
        "t_end": seen.time,
        "rows": seen.rows,
        "wall_s": wall,
        "cpu_s": cpu,
        "real_time_factor": simulated / wall,
        "contacts_now": seen.touching,
        "events": seen.events.iter().map(|(name, count)| (name.to_string(), json!(count))).collect::<Map<_, _>>(),
        "energy": energy,
        "ledger_error": seen.ledger_error(),
        "quality": facts.quality.document(warnings),
        "bodies": bodies,
        "checks": checks,
    });
    if let (Value::Object(fields), Value::Object(costs)) = (&mut summary, seen.costs.fields()) {
        fields.extend(costs);
    }
    if !facts.held.is_empty() {
        let all = facts.held.iter().map(|held| (held.name.clone(), held.document()));
        summary["grasps"] = Value::Object(all.collect());
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
        self.seen.last
    }
}

/// Columns of the ledger that count against its total: work that came in, and energy that numbers made.
const AGAINST: [&str; 5] = ["E_geo", "E_solver", "W_injected", "modulation", "W_drive"];

/// The summary for people.
pub fn table(facts: &Facts) -> String {
    let Facts { built, seen, watch, .. } = facts;
    let wall = watch.wall();
    let simulated = seen.time - facts.start;
    let mut text = format!("{}: {}, {}\n", built.name, formulation(built), stepper(built));
    if let Some(description) = &built.description {
        let _ = writeln!(text, "{description}");
    }
    let reached = format!("{} s of {} s", short(seen.time), short(built.duration));
    let [steps, accuracy] = seen.costs.lines(wall);
    let rows = [
        ("simulated", format!("{reached} in {wall:.3} s ({:.3} × real time)", simulated / wall)),
        steps,
        accuracy,
        ("contacts", contacts(seen)),
    ];
    for (name, value) in rows {
        let _ = writeln!(text, "{name:<10} {value}");
    }
    let now = energies(&facts.ledger());
    let first = energies(&seen.first);
    // The total comes last, what counts against it says so, and rounding is nothing.
    let shown = |x: f64| if x.abs() <= 1e-15 * seen.measure.scale { 0.0 } else { x };
    let is_total = |k: &usize| ENERGY[*k] == "total";
    let lines = (0..ENERGY.len()).filter(|k| !is_total(k)).chain((0..ENERGY.len()).filter(is_total));
    let energy: Vec<Vec<String>> = lines
        .map(|k| (ENERGY[k], shown(first[k]), shown(now[k])))
        .filter(|(_, first, now)| *first != 0.0 || *now != 0.0)
        .map(|(name, first, now)| {
            let less = if AGAINST.contains(&name) { "less " } else { "" };
            vec![format!("{less}{name}"), short(first), short(now)]
        })
        .collect();
    text.push('\n');
    text += &aligned(&["energy [J]", "start", "end"], &energy);
    let _ = writeln!(text, "ledger closes to {:.1e} of {} J", seen.ledger_error(), short(seen.measure.scale));
    let _ = writeln!(text, "quality {}", facts.quality.line());
    if !facts.verdicts.is_empty() {
        let lines: Vec<Vec<String>> = facts
            .verdicts
            .iter()
            .map(|v| {
                let value = v.value.map_or_else(|| v.trouble.clone().unwrap_or_else(|| "-".to_string()), short);
                vec![v.word().to_string(), v.name.clone(), value, v.expression.clone()]
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

fn contacts(seen: &Seen) -> String {
    let counts: Vec<String> = seen.events.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let events = if counts.is_empty() { "no events".to_string() } else { counts.join(", ") };
    format!("{} now; {events}", seen.touching)
}
