//! # `fingerpad query bowl`: a ball in a bowl, followed accurately
//!
//! `cases: [{friction, params, t_end, dt_out}]` ──▶ **here** ──▶ `columns, rows, events` in each record
//!
//! - **in**: bowl z = a u² + b v², ball, constants of the contact law, a pulse (`params`)
//! - **out**: a row every `dt_out`: motion, contact, energy ledger; events with their times
//! - **not here**: reading a case (`json::bowl`), the motion itself (`fingerpad_sim`)
//! - **start at** [`run`], then [`answer`]
//!
//! The ground is body A, the ball body B.

use super::{Answers, count_errors, label};
use crate::cli::table::{aligned, short};
use crate::json::bowl::{Question, question};
use crate::json::document::Document;
use crate::json::{self, FieldError};
use crate::outcome::{self, Failure, Outcome};
use clap::Args;
use fingerpad_sim::{Accurate, Model, State, Stepper, Workspace, ledger};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query bowl`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Bowl {
    /// JSON document with a list `cases`, or one case as the whole document; `-` reads stdin.
    pub file: PathBuf,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query bowl cases.json --json > answered.json
  echo '{\"friction\": \"slip\", \"t_end\": 1, \"dt_out\": 0.01, \"params\": {\"mass\": 1, \"radius\": 0.5, \"inertia\": 0.1,
     \"g\": 9.81, \"bowl\": [0.2, 0.2], \"k\": 5e4, \"n\": 1.5, \"c_hc\": 0.4, \"alpha\": 0.5, \"k_t\": 2e4, \"e_n\": 0.02,
     \"k_theta\": 8, \"mu\": 0.4, \"C0\": [1.2, 0.3, 1.6], \"V0\": [0, 0.6, 0]}}' | fingerpad query bowl -

friction is frictionless, stick or slip. Fields and columns: docs/formats.md.";

/// Keys of the answer.
const ANSWERS: [&str; 3] = ["columns", "rows", "events"];

/// Columns of the answer.
const COLUMNS: [&str; 32] = [
    "t",
    "Cx",
    "Cy",
    "Cz",
    "qw",
    "qx",
    "qy",
    "qz",
    "Vx",
    "Vy",
    "Vz",
    "wx",
    "wy",
    "wz",
    "Delta",
    "u",
    "v",
    "xix",
    "xiy",
    "xiz",
    "theta",
    "f_n",
    "mode",
    "KE",
    "PE",
    "V_normal",
    "V_tangential",
    "E_visc",
    "E_slip",
    "E_release",
    "W_injected",
    "total",
];

/// Answers every case of the document.
pub fn run(options: &Bowl, quiet: bool) -> Result<Outcome, Failure> {
    let mut document = Document::read(&options.file)?;
    let name = document.name.clone();
    // A document without a list, but with `params`, is itself the case.
    let alone = !document.root.contains_key("cases") && document.root.contains_key("params");
    let failed = if alone {
        let mut record = [Value::Object(std::mem::take(&mut document.root))];
        fill(&mut record[0]);
        let failed = count_errors(&name, "case", &record, options.answers.json && !quiet);
        let [record] = record;
        if let Value::Object(fields) = record {
            document.root = fields;
        }
        failed
    } else {
        let records = document.list("cases")?;
        records.iter_mut().for_each(fill);
        count_errors(&name, "cases", records, options.answers.json && !quiet)
    };
    options.answers.deliver(&document, || table(&document), failed)
}

/// Rows and events.
fn answer(record: &Value) -> Result<(Map<String, Value>, Vec<String>), FieldError> {
    let Question { model, mut state, t_end, dt_out, mut warnings } = question(record)?;
    let mut work = Workspace::new(&model, &state);
    let stepper = Accurate { most_steps: 2_000_000, ..Accurate::default() };
    let (mut rows, mut events) = (Vec::new(), Vec::new());
    let stopped = |e: &dyn ToString| FieldError::new("params", e.to_string());
    // Whole multiples, and the end where it is none.
    let count = (t_end / dt_out * (1.0 + 1e-12)).floor() as usize;
    let rest = t_end - count as f64 * dt_out > 1e-9 * dt_out;
    let ends = (0..=count).map(|k| k as f64 * dt_out).chain(rest.then_some(t_end));
    for until in ends {
        stepper.advance(&model, &mut state, &mut work, until).map_err(|e| stopped(&e))?;
        events.extend(work.events().iter().map(|e| json!([e.time, e.from.name(), e.kind.name()])));
        let numbers = row(&model, &state, &mut work).map_err(|e| stopped(&e))?;
        let named = COLUMNS.iter().zip(numbers);
        rows.push(named.map(|(name, x)| json::finite(name, x, &mut warnings)).collect::<Value>());
    }
    let answer = [("columns", json!(COLUMNS)), ("rows", Value::Array(rows)), ("events", Value::Array(events))];
    Ok((answer.into_iter().map(|(key, value)| (key.to_string(), value)).collect(), warnings))
}

fn row(model: &Model, state: &State, work: &mut Workspace) -> Result<[f64; 32], fingerpad_sim::Stop> {
    let sums = ledger(model, state, work)?;
    let view = work.look(model, state)?[0];
    let ball = &state.bodies[1];
    let (p, q, V) = (&ball.X_WBcm.translation, &ball.X_WBcm.rotation, &ball.V_WBcm);
    let contact = &state.contacts[0];
    let foot = contact.place.pair().map_or(view.site.p_WC, |pair| pair.p_ACa);
    let d = view.displacement;
    let mode = f64::from(contact.mode.code());
    Ok([
        state.time,
        p.x,
        p.y,
        p.z,
        q.w,
        q.i,
        q.j,
        q.k,
        V.v.x,
        V.v.y,
        V.v.z,
        V.w.x,
        V.w.y,
        V.w.z,
        view.gap,
        foot.x,
        foot.y,
        d.x,
        d.y,
        d.z,
        d.w,
        view.normal.max(0.0),
        mode,
        sums.KE,
        sums.PE,
        sums.V_normal,
        sums.V_tangential,
        sums.E_visc,
        sums.E_slip,
        sums.E_release,
        sums.W_injected,
        sums.total(),
    ])
}

/// Puts the answer, or the error, into a record.
fn fill(record: &mut Value) {
    let found = outcome::guarded(|| answer(record)).unwrap_or_else(|bug| Err(FieldError::new("params", bug)));
    let Value::Object(fields) = record else {
        *record = json!({"record": record, "error": FieldError::new("", "expected an object").to_json()});
        return;
    };
    match found {
        Ok((answer, warnings)) => {
            fields.shift_remove("error");
            fields.extend(answer);
            json::warn(fields, &warnings);
        }
        Err(error) => json::refuse(fields, &ANSWERS, &error),
    }
}

/// The answers for people: where each ball is at the end, and what became of its energy.
fn table(document: &Document) -> String {
    let alone = [Value::Object(document.root.clone())];
    let list = document.root.get("cases").and_then(Value::as_array).map_or(alone.as_slice(), Vec::as_slice);
    let shown = ["t", "Cx", "Cy", "Cz", "mode", "KE", "PE", "E_visc", "E_slip", "E_release", "W_injected", "total"];
    let rows: Vec<Vec<String>> = list
        .iter()
        .enumerate()
        .map(|(k, record)| {
            if let Some(error) = record.get("error") {
                let part = |name: &str| error[name].as_str().unwrap_or_default();
                return vec![label(record, k), format!("error: {}: {}", part("field"), part("message"))];
            }
            let last = record["rows"].as_array().and_then(|rows| rows.last()).unwrap_or(&Value::Null);
            let number = |name: &str| {
                let at = COLUMNS.iter().position(|c| *c == name).unwrap_or_default();
                last[at].as_f64().map_or("-".to_string(), short)
            };
            let mut row = vec![label(record, k), record["events"].as_array().map_or(0, Vec::len).to_string()];
            row.extend(shown.map(number));
            row
        })
        .collect();
    let header = [
        "case",
        "events",
        "t [s]",
        "Cx [m]",
        "Cy [m]",
        "Cz [m]",
        "mode",
        "KE [J]",
        "PE [J]",
        "E_visc [J]",
        "E_slip [J]",
        "E_release [J]",
        "W_injected [J]",
        "total [J]",
    ];
    aligned(&header, &rows)
}
