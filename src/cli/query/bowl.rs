//! # `fingerpad query bowl`: a ball in a bowl, followed accurately
//!
//! `cases: [{friction, params, t_end, dt_out}]` ──▶ **here** ──▶ `columns, rows, events` in each record
//!
//! - **in**: bowl z = a u² + b v², ball, constants of the contact law, a pulse (`params`)
//! - **out**: a row every `dt_out`: motion, contact, energy ledger; events with their times
//! - **not here**: the motion itself (`fingerpad_sim`)
//! - **start at** [`run`], then [`question`], [`answer`]
//!
//! The ground is body A, the ball body B.

use super::{Answers, count_errors, label};
use crate::cli::table::{aligned, short};
use crate::json::document::Document;
use crate::json::{self, Field, FieldError};
use crate::outcome::{self, Failure, Outcome};
use clap::Args;
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::{Graph, Shape, Sphere};
use fingerpad_sim::{Accurate, Body, BodyId, Mobility, Model, Pair, Pulse, State, Workspace, ledger};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;

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

/// Rows at most.
const MOST_ROWS: f64 = 200_000.0;

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

/// A case made ready.
struct Question {
    model: Model,
    state: State,
    t_end: f64,
    dt_out: f64,
    warnings: Vec<String>,
}

/// What a record asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rubbing {
    None,
    Sticks,
    Slips,
}

const RUBBING: [(&str, Rubbing); 3] =
    [("frictionless", Rubbing::None), ("stick", Rubbing::Sticks), ("slip", Rubbing::Slips)];

fn question(record: &Value) -> Result<Question, FieldError> {
    let record = Field::root(record);
    record.object()?;
    let friction = match (record.get("friction"), record.get("meta").and_then(|meta| meta.get("friction"))) {
        (Some(field), _) | (None, Some(field)) => field.one_of(&RUBBING)?,
        (None, None) => record.require("friction")?.one_of(&RUBBING)?,
    };
    let (t_end, dt_out) = times(&record)?;
    let p = record.require("params")?;
    let mut warnings = Vec::new();
    let law = law(&p, friction, &mut warnings)?;
    let bowl = p.require("bowl")?.coordinates::<2>()?;
    let terms = vec![Term { p: 2, q: 0, c: bowl[0] }, Term { p: 0, q: 2, c: bowl[1] }];
    let ground = Graph::polynomial(terms, Rectangle::PLANE).map_err(|e| FieldError::new("params.bowl", e))?;
    let radius = p.require("radius")?;
    let ball = Sphere::new(radius.size()?).map_err(|e| FieldError::new(&radius.path, e))?;
    let inertia = positive(&p, "inertia", "kg m²")?;
    let body = |name: &str, shape: Shape, mobility, mass: f64, inertia: f64| Body {
        name: name.to_string(),
        shape: Arc::new(shape),
        mobility,
        mass,
        p_BoBcm: Point3::origin(),
        I_BBcm_B: Matrix3::identity() * inertia,
    };
    let bodies = vec![
        body("ground", Shape::Graph(ground), Mobility::Fixed, 0.0, 0.0),
        body("ball", Shape::Sphere(ball), Mobility::Free, positive(&p, "mass", "kg")?, inertia),
    ];
    let alpha = p.require("alpha")?;
    let share = alpha.number()?;
    if !(0.0..=1.0).contains(&share) {
        return Err(alpha.expected("a share between 0 and 1"));
    }
    let pairs = vec![Pair { a: BodyId(0), b: BodyId(1), law, alpha: share }];
    let gravity = Vector3::new(0.0, 0.0, -p.require("g")?.number()?);
    let whole = |e: &dyn ToString| FieldError::new("params", e.to_string());
    let model = Model::new(bodies, pairs, gravity, pulses(&p)?).map_err(|e| whole(&e))?;
    let [x, y, z] = p.require("C0")?.coordinates::<3>()?;
    let vector = |key: &str| p.get(key).map_or(Ok([0.0; 3]), |f| f.coordinates::<3>()).map(Vector3::from);
    let velocity = SpatialVelocity::new(vector("w0")?, vector("V0")?);
    let state = model
        .start(&[Isometry3::identity(), Isometry3::translation(x, y, z)], &[SpatialVelocity::zero(), velocity])
        .map_err(|e| whole(&e))?;
    Ok(Question { model, state, t_end, dt_out, warnings })
}

/// `t_end` and `dt_out`, or what the rows of an answered case say.
fn times(record: &Field) -> Result<(f64, f64), FieldError> {
    let time = |k: usize| record.value["rows"].as_array().and_then(|rows| rows.get(k)?.get(0)?.as_f64());
    let count = record.value["rows"].as_array().map_or(0, Vec::len);
    let of_rows = |key: &str, found: Option<f64>| match record.get(key) {
        None if found.is_some_and(|x| x > 0.0 && x.is_finite()) => Ok(found.unwrap_or_default()),
        _ => positive(record, key, "s"),
    };
    let t_end = of_rows("t_end", time(count.wrapping_sub(1)))?;
    let dt_out = of_rows("dt_out", time(1).zip(time(0)).map(|(b, a)| b - a))?;
    if t_end / dt_out > MOST_ROWS {
        let message = format!("expected at most {MOST_ROWS} rows, got {} of {dt_out} s in {t_end} s", t_end / dt_out);
        return Err(FieldError::new("dt_out", message));
    }
    Ok((t_end, dt_out))
}

fn positive(of: &Field, key: &str, unit: &str) -> Result<f64, FieldError> {
    let field = of.require(key)?;
    let x = field.number()?;
    if x > 0.0 { Ok(x) } else { Err(field.expected(&format!("a positive number ({unit})"))) }
}

/// A number that is not negative; 0 where it is absent and may be.
fn or_zero(of: &Field, key: &str, needed: bool) -> Result<f64, FieldError> {
    let field = match of.get(key) {
        Some(field) => field,
        None if needed => of.require(key)?,
        None => return Ok(0.0),
    };
    let x = field.number()?;
    if x >= 0.0 { Ok(x) } else { Err(field.expected("zero or a positive number")) }
}

fn law(p: &Field, rubbing: Rubbing, warnings: &mut Vec<String>) -> Result<ContactLaw, FieldError> {
    let n = p.require("n")?;
    let exponent = n.number()?;
    if exponent < 1.0 {
        return Err(n.expected("an exponent of at least 1"));
    }
    let rubs = rubbing != Rubbing::None;
    let mut constants = Constants { k: positive(p, "k", "N/m^n")?, n: exponent, k_t: 0.0, k_theta: 0.0, e_n: 0.0 };
    let mut damping =
        Damping { hunt_crossley: or_zero(p, "c_hc", false)?, normal: or_zero(p, "b_kv", false)?, ..Damping::default() };
    let mut friction = Friction::None;
    if rubs {
        constants.k_t = or_zero(p, "k_t", true)?;
        constants.k_theta = or_zero(p, "k_theta", true)?;
        damping.tangential = or_zero(p, "b_t", false)?;
        damping.torsional = or_zero(p, "b_theta", false)?;
        friction = Friction::Sticks;
    }
    if rubbing == Rubbing::Slips {
        constants.e_n = or_zero(p, "e_n", true)?;
        let mu = or_zero(p, "mu", true)?;
        if constants.e_n == 0.0 && (constants.k_theta > 0.0 || damping.torsional > 0.0) {
            warnings.push("e_n = 0: no moment about the normal is held, k_theta and b_theta do nothing".to_string());
            (constants.k_theta, damping.torsional) = (0.0, 0.0);
        }
        friction = Friction::Coulomb { mu };
        if mu == 0.0 {
            warnings.push("mu = 0: taken as frictionless".to_string());
            friction = Friction::None;
            (damping.tangential, damping.torsional) = (0.0, 0.0);
        }
    }
    Ok(ContactLaw { stiffness: Stiffness::Constants(constants), damping, friction, partial: None })
}

fn pulses(p: &Field) -> Result<Vec<Pulse>, FieldError> {
    let Some(pulse) = p.get("pulse") else { return Ok(Vec::new()) };
    let peak_W = Vector3::from(pulse.require("peak_force")?.numbers::<3>()?);
    let t0 = pulse.require("t0")?.number()?;
    Ok(vec![Pulse { body: BodyId(1), t0, duration: positive(&pulse, "duration", "s")?, peak_W }])
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
    let foot = contact.tracker.pair().p_ACa;
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
