//! # `fingerpad grasp`: is a grasp closed, how good is it, how hard must it be held
//!
//! `cases: [{contacts, wrench, directions, task, hand}]` ──▶ **here** ──▶ `expected {margin, epsilon_l1, least_max_normal, …}`
//!
//! - **in**: a document with a list `cases`, or one record alone; or a scene and a body of it; options that hold for every
//!   record
//! - **out**: words and tables, or the document with its answers; a picture with `--svg`
//! - **not here**: records and words (`grasp`), mechanics (`fingerpad_grasp`)
//! - **start at** [`run`]

mod scene;

use super::query::{Answers, label};
use super::table::aligned;
use crate::grasp::answer::{Answered, FrozenAt, Wanted, answered};
use crate::grasp::read::{Question, question};
use crate::grasp::{picture, text};
use crate::json::document::Document;
use crate::json::{self, Field, FieldError};
use crate::outcome::{self, Failure, Outcome};
use clap::{Args, ValueEnum};
use fingerpad_files::units::{self, Dimension};
use fingerpad_grasp::{Least, Wrench};
use nalgebra::Vector3;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Options of `grasp`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Grasp {
    /// JSON document with a list `cases`, or one case alone (`-` reads stdin); with --object a scene file or the name of a
    /// shipped scene.
    pub file: PathBuf,
    /// The body of a scene that is held: whatever touches it at the end of the run counts as a finger.
    #[arg(long, value_name = "BODY")]
    pub object: Option<String>,
    /// Simulated time at which the scene is looked at, instead of its end.
    #[arg(long, value_name = "TIME", requires = "object", value_parser = time, allow_hyphen_values = true)]
    pub at: Option<f64>,
    /// State of the same scene to go on from (`run --save-state`).
    #[arg(long, value_name = "FILE", requires = "object")]
    pub from: Option<PathBuf>,
    /// Changes a value of the scene, e.g. `body.cup.mass=0.3`; may be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", requires = "object")]
    pub sets: Vec<String>,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
    /// What must be held, on the object about the reference: fx,fy,fz,tx,ty,tz (N, N·m); replaces `wrench`.
    #[arg(long, value_name = "WRENCH", value_parser = wrench, allow_hyphen_values = true, conflicts_with = "weight")]
    pub wrench: Option<[f64; 6]>,
    /// Hold the weight of this mass, along -z (in a scene along its gravity); replaces `wrench`.
    #[arg(long, value_name = "MASS", value_parser = mass)]
    pub weight: Option<f64>,
    /// Largest normal force of every contact that has no `limit` of its own.
    #[arg(long, value_name = "FORCE", value_parser = limit, allow_hyphen_values = true)]
    pub limit: Option<f64>,
    /// Directions to push along: +x,-x,…,+z, turns +rx,-rx,…; replaces `directions`.
    #[arg(long, value_name = "LIST", value_parser = pushes, allow_hyphen_values = true)]
    pub push: Option<Directions>,
    /// JSON document with a list `task` of wrenches; replaces `task`.
    #[arg(long, value_name = "FILE")]
    pub task: Option<PathBuf>,
    /// What the loads shown have least.
    #[arg(long, value_enum, default_value_t = Goal::Max)]
    pub least: Goal,
    /// Metrics, between commas: l1, linf, volume.
    #[arg(long, value_name = "LIST", default_value = "l1,linf", value_parser = metrics)]
    pub metrics: Metrics,
    /// Answer with frozen patches as well: `load=5N` or `e_n=3mm` at every contact.
    #[arg(long, value_name = "HOW", value_parser = frozen)]
    pub frozen: Option<FrozenAt>,
    /// Epsilon as another tool samples friction, beside ours.
    #[arg(long, value_enum, value_name = "TOOL")]
    pub sampled: Option<Tool>,
    /// How near the certified bound of epsilon shall come, as a share or in percent.
    #[arg(long, value_name = "SHARE", default_value = "5%", value_parser = share)]
    pub certify: f64,
    /// Pushes with motors still as well: pads and friction alone resist.
    #[arg(long)]
    pub passive: bool,
    /// Largest normal force with which fingers press before a passive push.
    #[arg(long, value_name = "FORCE", default_value = "5N", value_parser = force)]
    pub preload: f64,
    /// Derivatives of margin and epsilon by contact points, normals and friction (with --json).
    #[arg(long)]
    pub gradients: bool,
    /// Draw contacts, cones and loads into this file (one case only).
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Most threads to use; results do not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad grasp cup.json
  fingerpad grasp cup.json --weight 0.3kg --push +x,-x,+rz --passive --preload 5N
  fingerpad grasp cup.json --frozen load=5N --sampled graspit
  fingerpad grasp cases.json --json > answered.json
  fingerpad grasp cup.json --svg cup.svg
  fingerpad grasp scene.toml --object cup --at 0.2s --push +x,-x --limit 10N

Fields of a case: docs/formats.md. What the numbers mean: docs/grasp.md. A grasp that is not closed is an answer (exit
code 0), with the motion that nothing resists.";

/// What is to be least.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Goal {
    /// The largest normal force.
    Max,
    /// The sum of normal forces.
    Sum,
    /// The root of the sum of squares of all loads, moments over the torque length.
    Energy,
}

/// Another tool.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Tool {
    /// GraspIt!: 20 points of the friction ellipsoid with the patch of 5 N.
    Graspit,
}

/// Directions of pushes.
#[derive(Clone, Debug)]
pub struct Directions(Vec<Wrench>);

/// Which metrics.
#[derive(Clone, Copy, Debug)]
pub struct Metrics([bool; 3]);

fn wrench(text: &str) -> Result<[f64; 6], String> {
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() != 6 {
        return Err(format!("expected fx,fy,fz,tx,ty,tz, got {} numbers", parts.len()));
    }
    let mut out = [0.0; 6];
    for (k, part) in parts.iter().enumerate() {
        let dimension = if k < 3 { Dimension::Force } else { Dimension::Moment };
        out[k] = units::parse(part, dimension).map_err(|e| e.to_string())?;
    }
    Ok(out)
}

fn mass(text: &str) -> Result<f64, String> {
    let mass = units::parse(text, Dimension::Mass).map_err(|e| e.to_string())?;
    if mass >= 0.0 { Ok(mass) } else { Err(format!("expected zero or a positive mass, got `{text}`")) }
}

fn limit(text: &str) -> Result<f64, String> {
    let force = units::parse(text, Dimension::Force).map_err(|e| e.to_string())?;
    if force >= 0.0 { Ok(force) } else { Err(format!("expected zero or a positive force, got `{text}`")) }
}

fn time(text: &str) -> Result<f64, String> {
    let time = units::parse(text, Dimension::Time).map_err(|e| e.to_string())?;
    if time >= 0.0 { Ok(time) } else { Err(format!("expected zero or a positive time, got `{text}`")) }
}

fn force(text: &str) -> Result<f64, String> {
    let force = units::parse(text, Dimension::Force).map_err(|e| e.to_string())?;
    if force > 0.0 { Ok(force) } else { Err(format!("expected a positive force, got `{text}`")) }
}

fn share(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 0.01));
    let share = number.trim().parse::<f64>().map_err(|e| e.to_string())? * unit;
    if (1e-4..0.9).contains(&share) { Ok(share) } else { Err("expected a share from 0.01% to 90%".to_string()) }
}

fn pushes(text: &str) -> Result<Directions, String> {
    let one = |word: &str| {
        let (sign, name) = match word.strip_prefix('-') {
            Some(name) => (-1.0, name),
            None => (1.0, word.strip_prefix('+').unwrap_or(word)),
        };
        let place = ["x", "y", "z", "rx", "ry", "rz"].iter().position(|n| *n == name);
        let place = place.ok_or_else(|| format!("expected x, y, z, rx, ry or rz with + or -, got `{word}`"))?;
        let mut w = Wrench::zeros();
        w[place] = sign;
        Ok(w)
    };
    text.split(',').map(|word| one(word.trim())).collect::<Result<Vec<_>, String>>().map(Directions)
}

fn metrics(text: &str) -> Result<Metrics, String> {
    let mut out = [false; 3];
    for word in text.split(',').map(str::trim) {
        let place = ["l1", "linf", "volume"].iter().position(|n| *n == word.to_ascii_lowercase());
        out[place.ok_or_else(|| format!("expected l1, linf or volume, got `{word}`"))?] = true;
    }
    Ok(Metrics(out))
}

fn frozen(text: &str) -> Result<FrozenAt, String> {
    let found = match text.split_once('=') {
        Some(("load", x)) => units::parse(x, Dimension::Force).map(FrozenAt::Load).map_err(|e| e.to_string())?,
        Some(("e_n", x)) => units::parse(x, Dimension::Length).map(FrozenAt::EN).map_err(|e| e.to_string())?,
        _ => return Err(format!("expected load=FORCE or e_n=LENGTH, got `{text}`")),
    };
    match found {
        FrozenAt::Load(x) | FrozenAt::EN(x) if x >= 0.0 => Ok(found),
        _ => Err(format!("expected zero or a positive number, got `{text}`")),
    }
}

const ANSWERS: [&str; 3] = ["expected", "forces", "proof_twist"];

/// Standard gravity (m/s²).
const GRAVITY: f64 = 9.80665;

impl Grasp {
    /// What is wanted of every grasp.
    fn wanted(&self) -> Wanted {
        Wanted {
            least: match self.least {
                Goal::Max => Least::Max,
                Goal::Sum => Least::Sum,
                Goal::Energy => Least::Energy,
            },
            metrics: self.metrics.0,
            certify: self.certify,
            frozen: self.frozen,
            sampled: self.sampled.is_some(),
            passive: self.passive.then_some(self.preload),
            gradients: self.gradients,
        }
    }

    /// Puts what the options say in the place of what a record or a scene said.
    fn apply(&self, question: &mut Question, task: Option<&[Wrench]>, gravity: &Vector3<f64>) {
        if let Some(wrench) = self.wrench {
            question.wrench = Some(Wrench::from(wrench));
        }
        if let Some(mass) = self.weight {
            let weight = gravity * mass;
            question.wrench = Some(Wrench::new(weight.x, weight.y, weight.z, 0.0, 0.0, 0.0));
        }
        if let Some(Directions(directions)) = &self.push {
            question.directions.clone_from(directions);
        }
        if let Some(task) = task {
            question.task = task.to_vec();
        }
        for contact in &mut question.grasp.contacts {
            contact.limit = contact.limit.or(self.limit);
        }
    }
}

/// Answers every case.
pub fn run(options: &Grasp, quiet: bool) -> Result<Outcome, Failure> {
    if let Some(object) = &options.object {
        return scene::run(options, object, quiet);
    }
    if scene::is_one(&options.file) {
        let name = options.file.display();
        return Err(Failure(format!("{name} is a scene: name the body that is held with --object BODY")));
    }
    let mut document = Document::read(&options.file)?;
    let name = document.name.clone();
    let alone = !document.root.contains_key("cases") && document.root.contains_key("contacts");
    let mut records = match alone {
        true => vec![Value::Object(std::mem::take(&mut document.root))],
        false => std::mem::take(document.list("cases")?),
    };
    if options.svg.is_some() && records.len() != 1 {
        return Err(Failure(format!("--svg draws one case, got {} in {name}", records.len())));
    }
    let task = options.task.as_deref().map(read_task).transpose()?;
    let wanted = options.wanted();
    let ask = |record: &Value| {
        let asked = outcome::guarded(|| {
            let field = Field::root(record);
            field.object()?;
            let mut question = question(&field)?;
            options.apply(&mut question, task.as_deref(), &Vector3::new(0.0, 0.0, -GRAVITY));
            let found = answered(&question, &wanted);
            Ok((question, found))
        });
        asked.unwrap_or_else(|bug| Err(FieldError::new("", bug)))
    };
    let found = in_threads(&records, options.threads, ask);
    if let (Some(path), Some(Ok((question, answered)))) = (&options.svg, found.first()) {
        outcome::write_whole(path, &picture::svg(&label(&records[0], 0), question, answered))?;
    }
    let table = shown(&records, &found);
    for (record, found) in records.iter_mut().zip(&found) {
        fill(record, found, &wanted);
    }
    let failed = super::query::count_errors(&name, "cases", &records, options.answers.json && !quiet);
    match alone {
        true => {
            if let Some(Value::Object(root)) = records.pop() {
                document.root = root;
            }
        }
        false => *document.list("cases")? = records,
    }
    options.answers.deliver(&document, || table, failed)
}

/// A question with its answer, or why there is none.
type Found = Result<(Question, Answered), FieldError>;

fn read_task(path: &std::path::Path) -> Result<Vec<Wrench>, Failure> {
    let document = Document::read(path)?;
    let root = Value::Object(document.root);
    let list =
        Field::root(&root).require("task").and_then(|f| f.list("a list of wrenches").map(|l| (f.path.clone(), l)));
    let wrong = |e: FieldError| Failure(format!("{}: {e}", document.name));
    let (_, list) = list.map_err(wrong)?;
    list.iter().map(|f| f.numbers::<6>().map(Wrench::from).map_err(wrong)).collect()
}

/// Every record by some thread, answers in their order.
fn in_threads(records: &[Value], threads: Option<u16>, ask: impl Fn(&Value) -> Found + Sync) -> Vec<Found> {
    let most = threads.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let count = most.min(records.len()).max(1);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut own = Vec::new();
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            let Some(record) = records.get(k) else { break own };
            own.push((k, ask(record)));
        }
    };
    let mut all: Vec<(usize, Found)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (1..count).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        // Panics are caught inside `ask`: a thread that is lost leaves its records without an answer, told below.
        handles.into_iter().for_each(|h| all.extend(h.join().unwrap_or_default()));
        all
    });
    all.sort_by_key(|(k, _)| *k);
    let mut found = all.into_iter().peekable();
    let lost = || Err(FieldError::new("", "internal error, please report it: a thread was lost"));
    (0..records.len()).map(|k| found.next_if(|(place, _)| *place == k).map_or_else(lost, |(_, f)| f)).collect()
}

/// Puts an answer, or the error, into its record; answers to an earlier question go.
fn fill(record: &mut Value, found: &Found, wanted: &Wanted) {
    let Value::Object(fields) = record else {
        *record = json!({"record": record, "error": FieldError::new("", "expected an object").to_json()});
        return;
    };
    match found {
        Err(error) => json::refuse(fields, &ANSWERS, error),
        Ok((question, answered)) => {
            fields.shift_remove("error");
            ANSWERS.iter().for_each(|key| drop(fields.shift_remove(*key)));
            let expected = answered.to_json(question, wanted);
            // Beside `expected` too, where the machine interface names them.
            let beside: Vec<(String, Value)> = ["forces", "proof_twist"]
                .iter()
                .filter_map(|key| expected.get(*key).map(|value| (key.to_string(), value.clone())))
                .collect();
            fields.insert("expected".to_string(), Value::Object(expected));
            fields.extend(beside);
            json::warn(fields, &answered.warnings);
        }
    }
}

/// The answers for people: in full for a few, a row each for many.
fn shown(records: &[Value], found: &[Found]) -> String {
    let error = |e: &FieldError| format!("error: {}: {}", e.field, e.message);
    let named = records.iter().enumerate().map(|(k, r)| label(r, k)).zip(found);
    if found.len() <= 3 {
        let full = |(name, found): (String, &Found)| match found {
            Ok((question, answered)) => text::one(&name, question, answered),
            Err(e) => format!("{name}: {}\n", error(e)),
        };
        return named.map(full).collect::<Vec<_>>().join("\n");
    }
    let row = |(name, found): (String, &Found)| match found {
        Ok((question, answered)) => text::row(&name, question, answered),
        Err(e) => vec![name, error(e)],
    };
    aligned(&text::HEADER, &named.map(row).collect::<Vec<_>>())
}
