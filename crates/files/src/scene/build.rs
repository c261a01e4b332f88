//! # Build: from a document to a model
//!
//! - **in**: the document
//! - **out**: [`Built`], or all that is wrong
//! - **not here**: the parts (their own rooms)
//! - **start at** [`build`]

use super::bodies::{self, ReadBody};
use super::drives::{self, ReadDrives};
use super::error::{Problem, Source, Span};
use super::events::{self, Event};
use super::expression::Expression;
use super::heights;
use super::joints::{self, ReadJoints};
use super::keys;
use super::materials::{self, Materials};
use super::names::Names;
use super::pairs::{self, Known, ReadPairs, body_named};
use super::place;
use super::robots::{self, Scope};
use super::section::{Problems, Range, Section, unknown_key};
use super::shapes::Shapes;
use super::tree::{Node, Value};
use super::{AtHand, Built, Check, Formulation, Method, Record, Solver, Stepper};
use crate::units::Dimension::{Acceleration, Number, Speed, Time};
use fingerpad_sim::{Model, ModelError, Parts};
use nalgebra::Vector3;
use std::collections::HashSet;
use std::path::Path;

/// Most bodies of a scene: every two of them are a pair.
const MOST_BODIES: usize = 4000;
/// Longest simulated time (s).
pub(super) const LONGEST_RUN: f64 = 1e9;
/// Most rows of a recording.
pub(super) const MOST_ROWS: f64 = 2e7;
/// Rows of a recording whose period is not given.
const ROWS: f64 = 500.0;
/// Free fall where a scene says nothing (m/s²).
const GRAVITY: f64 = 9.81;

/// All that is wrong, and the texts beside the scene that it points into.
type Wrong = (Vec<Problem>, Vec<Source>);

/// Reads everything and makes the model.
pub(crate) fn build(
    root: &Node,
    folder: &Path,
    at_hand: AtHand,
    sources: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Built, Wrong> {
    let problems = Problems::new(sources);
    unknown_parts(root, &problems);
    let scene = scene(root, &problems);
    let mut solver = solver(root, &problems);
    let mut materials = materials::read(root.get("materials"), &problems);
    let mut shapes = Shapes::new(folder.to_path_buf(), at_hand, progress);
    let mut bodies = read_bodies(root, &materials, &mut shapes, &problems);
    place::put(&mut bodies, &problems);
    let mut scope = Scope { materials: &mut materials, shapes: &mut shapes, bodies: &mut bodies, problems: &problems };
    let (of_robots, touching) = robots::read(tables(root, "robot", &problems), &mut scope);
    let (mut warnings, mut assets) = (shapes.warnings, shapes.assets);
    classify(&mut bodies, &materials);
    let of_joints = ["joint", "coupling", "loop"].map(|key| tables(root, key, &problems));
    let tied = joints::read(of_joints, of_robots, &bodies, &problems);
    let driven = drives::read(
        tables(root, "drive", &problems),
        (&tied, &bodies),
        folder,
        (&mut assets, &mut warnings),
        &problems,
    );
    let joined = tied.neighbours();
    let known =
        Known { joined: &joined, robots: &touching, materials: &materials, bodies: &bodies, problems: &problems };
    let read = pairs::read(tables(root, "pair", &problems), tables(root, "ignore", &problems), &known);
    warnings.extend(read.warnings.iter().cloned());
    solver.restitution = restitutions(root, &read, &problems);
    warnings.extend(unused_step(root, &solver));
    let names: Vec<&str> = bodies.iter().map(|b| b.body.name.as_str()).collect();
    let mut parts = Parts {
        bodies: bodies.iter().map(|b| b.body.clone()).collect(),
        interactions: read.interactions.clone(),
        gravity_W: scene.gravity,
        joints: tied.joints.clone(),
        couplings: tied.couplings.clone(),
        loops: tied.loops.clone(),
        drives: driven.drives.clone(),
        impedances: driven.impedances.clone(),
        ..Parts::default()
    };
    for (i, node) in tables(root, "event", &problems).iter().enumerate() {
        match events::read(node, i, &names, &problems) {
            Some(Event::Kick(kick)) => parts.kicks.push(kick),
            Some(Event::Load(load)) => parts.loads.push(load),
            None => {}
        }
    }
    let record = record(root, scene.duration, &names, &problems);
    let model = match Model::new(parts) {
        Ok(model) => Some(model),
        // Something was wrong before, and this follows from it.
        Err(_) if !problems.is_empty() => None,
        Err(error) => {
            problems.push(of_model(&error, &bodies, &read, &tied, &driven));
            None
        }
    };
    let unread = problems.unread();
    let joint_names: Vec<&str> = tied.joints.iter().map(|joint| joint.name.as_str()).collect();
    let drive_names: Vec<&str> = driven.drives.iter().map(|drive| drive.name.as_str()).collect();
    let impedance_names: Vec<&str> = driven.impedances.iter().map(|one| one.name.as_str()).collect();
    let moved = [joint_names.as_slice(), drive_names.as_slice(), impedance_names.as_slice()];
    let expressions = Names::of_model(&names, moved, unread.iter().map(String::as_str), model.as_ref());
    let checks = checks(root, &expressions, problems.is_empty(), &problems);
    drop(expressions);
    if let Some(model) = model.as_ref().filter(|_| problems.is_empty()) {
        place::overlaps(model, &bodies, &problems);
    }
    let wrong = problems.take();
    match model {
        Some(model) if wrong.is_empty() => Ok(Built {
            name: scene.name,
            description: scene.description,
            model,
            duration: scene.duration,
            solver,
            record,
            checks,
            warnings,
            assets,
        }),
        _ => Err((wrong, problems.foreign())),
    }
}

/// Classes of bodies by their materials: pads may have added some.
fn classify(bodies: &mut [ReadBody], materials: &Materials) {
    for read in bodies {
        read.body.class = read.material.unwrap_or(materials.list.len());
    }
}

/// Parts that we do not know.
fn unknown_parts(root: &Node, problems: &Problems) {
    for entry in root.entries().unwrap_or_default() {
        if !keys::ROOT.contains(&entry.key.as_str()) {
            problems.push(unknown_key(entry, keys::ROOT, ""));
        }
    }
}

/// The tables of a list such as `[[body]]`.
fn tables<'a>(root: &'a Node, key: &str, problems: &Problems) -> &'a [Node] {
    match root.get(key).map(|node| (node, &node.value)) {
        None => &[],
        Some((_, Value::List(list))) => list,
        Some((node, _)) => {
            let message = format!("expected a list of tables `[[{key}]]`, got {}", node.kind());
            problems.push(Problem::new(node.span.clone(), message));
            &[]
        }
    }
}

struct General {
    name: String,
    description: Option<String>,
    gravity: Vector3<f64>,
    duration: f64,
}

fn scene(root: &Node, problems: &Problems) -> General {
    let mut general =
        General { name: String::new(), description: None, gravity: Vector3::new(0.0, 0.0, -GRAVITY), duration: 1.0 };
    let Some(node) = root.get("scene") else {
        problems.push(Problem::new(start(root), "missing table `[scene]` with `name` and `duration`"));
        return general;
    };
    let Some(section) = Section::new(node, keys::SCENE, "of the scene", problems) else { return general };
    general.name = section.require("name").and_then(|node| section.text_of(node)).unwrap_or_default().to_string();
    general.description = section.text("description").map(str::to_string);
    if let Some(node) = section.get("gravity") {
        if matches!(node.value, Value::List(_)) {
            let vector = section.vector_of::<3>(node, "gravity", Acceleration, Range::Any);
            general.gravity = vector.unwrap_or_default().into();
        } else if let Some(g) = section.quantity_of(node, "gravity", Acceleration, Range::Any) {
            general.gravity = Vector3::new(0.0, 0.0, -g);
            if g < 0.0 {
                let message = format!("gravity as a number pulls down along −z and is not negative, got {g} m/s²");
                let note = format!("write gravity = {}, or a vector such as [0, 0, {g}]", -g);
                problems.push(Problem::new(node.span.clone(), message).label("of the scene").note(note));
            }
        }
    }
    if section.require("duration").is_some() {
        let length = Range::Within(0.0, LONGEST_RUN, "positive and at most 1e9 s");
        general.duration = section.quantity("duration", "duration", Time, length).unwrap_or(1.0);
    }
    general
}

/// The first byte of the document.
fn start(root: &Node) -> Span {
    Span { source: root.span.source, range: 0..0 }
}

fn solver(root: &Node, problems: &Problems) -> Solver {
    let whose = "of the solver";
    let section = root.get("solver").and_then(|node| Section::new(node, keys::SOLVER, whose, problems));
    let Some(section) = section else { return Solver::default() };
    let formulations = [("compliant", Formulation::Compliant), ("complementarity", Formulation::Complementarity)];
    let steppers = [("accurate", Some(Stepper::Accurate)), ("fast", Some(Stepper::Fast)), ("rigid", None)];
    let told = section.choice("formulation", &formulations);
    let stepper = section.choice("stepper", &steppers);
    // `rigid` names the formulation too.
    let formulation = if stepper == Some(None) { Formulation::Complementarity } else { told.unwrap_or_default() };
    if let (Some(told), Some(node)) = (told.filter(|told| *told != formulation), section.get("stepper")) {
        debug_assert_eq!(told, Formulation::Compliant);
        section.wrong(node, "`rigid` has rigid contacts, and `formulation` says `compliant`: leave one of them out");
    }
    let below = Range::Within(0.0, 0.1, "above 0 and at most 0.1");
    Solver {
        formulation,
        stepper: stepper.flatten().unwrap_or_default(),
        tolerance: section.quantity("tolerance", "`tolerance`", Number, below),
        step: section.quantity("step", "`step`", Time, Range::Positive),
        longest_step: section.quantity("longest_step", "`longest_step`", Time, Range::Positive),
        sleep: section.quantity("sleep", "`sleep`", Time, Range::Positive),
        restitution: Vec::new(),
        bounce_threshold: section.quantity("bounce_threshold", "`bounce_threshold`", Speed, Range::NotNegative),
        hull: hull(&section),
    }
}

/// A word about a `step` that the accurate stepper does not use, unless the file names that stepper beside it.
fn unused_step(root: &Node, solver: &Solver) -> Option<String> {
    let table = root.get("solver")?;
    let step = table.get("step")?;
    let knowing = table.get("stepper").is_some_and(|stepper| stepper.span.source >= step.span.source);
    (solver.method() == Method::Accurate && !knowing).then(|| {
        "`step` is ignored: the accurate stepper, the default, chooses its steps (`longest_step` bounds them); \
         stepper = \"fast\" has fixed ones"
            .to_string()
    })
}

/// Restitution of rigid contacts by law: of the pair, else of the solver, else none.
fn restitutions(root: &Node, read: &ReadPairs, problems: &Problems) -> Vec<f64> {
    let node = root.get("solver").filter(|node| node.entries().is_some());
    let section = node.and_then(|node| Section::open(node, "of the solver", problems));
    let all = section.and_then(|section| pairs::restitution(&section)).unwrap_or(0.0);
    read.restitution.iter().map(|own| own.unwrap_or(all)).collect()
}

/// Points of the hull that stands for the friction ellipsoid, as rings.
fn hull(section: &Section) -> Option<(usize, usize)> {
    let points = section.quantity("hull", "`hull`", Number, Range::Positive)?;
    let known = [(20.0, (6, 2)), (42.0, (8, 3)), (86.0, (12, 4))];
    let rings = known.iter().find(|(count, _)| *count == points).map(|(_, rings)| *rings);
    if let (None, Some(node)) = (rings, section.get("hull")) {
        section.wrong(node, "a hull has 20, 42 or 86 points");
    }
    rings
}

fn read_bodies(root: &Node, materials: &Materials, shapes: &mut Shapes, problems: &Problems) -> Vec<ReadBody> {
    let mut bodies: Vec<ReadBody> = Vec::new();
    if let Some(entry) = root.entries().unwrap_or_default().iter().find(|entry| entry.key == "terrain")
        && let Some(section) = Section::new(&entry.node, keys::TERRAIN, "of the terrain", problems)
    {
        let material = section.get("material").and_then(|node| materials.named(node, &section));
        if let Some(mut body) = heights::terrain(&section, shapes) {
            body.class = material.unwrap_or(materials.list.len());
            bodies.push(bodies::made(body, material, entry.key_span.clone()));
        }
    }
    let tables = tables(root, "body", problems);
    if tables.len() > MOST_BODIES {
        let message = format!("a scene has at most {MOST_BODIES} bodies, got {}", tables.len());
        problems.push(Problem::new(tables[MOST_BODIES].span.clone(), message));
        return bodies;
    }
    let mut known: HashSet<String> = bodies.iter().map(|body| body.body.name.clone()).collect();
    for (i, node) in tables.iter().enumerate() {
        let Some(read) = bodies::read(node, i, materials, shapes, problems) else { continue };
        if !known.insert(read.body.name.clone()) {
            let message = format!("there is another body `{}` already", read.body.name);
            problems.push(Problem::new(read.span.clone(), message));
            continue;
        }
        bodies.push(read);
    }
    if tables.is_empty() && root.get("robot").is_none() {
        problems.push(Problem::new(start(root), "a scene needs at least one `[[body]]` or `[[robot]]`"));
    }
    bodies
}

fn record(root: &Node, duration: f64, names: &[&str], problems: &Problems) -> Record {
    let mut record = Record { period: duration / ROWS, contacts: true, bodies: None };
    let whose = "of the record";
    let section = root.get("record").and_then(|node| Section::new(node, keys::RECORD, whose, problems));
    let Some(section) = section else { return record };
    if let Some(period) = section.quantity("period", "`period`", Time, Range::Positive) {
        if duration / period > MOST_ROWS
            && let Some(node) = section.get("period")
        {
            section
                .wrong(node, format!("a recording has at most {MOST_ROWS} rows, got {}", (duration / period).round()));
        }
        record.period = period;
    }
    record.contacts = section.flag("contacts").unwrap_or(true);
    if let Some(node) = section.get("bodies") {
        let list = section.list_of(node, "a list of bodies").unwrap_or_default();
        let found = list.iter().filter_map(|item| body_named(item, names, &section));
        record.bodies = Some(found.map(|k| names[k].to_string()).collect());
    }
    record
}

/// Reads the checks. Where something is wrong elsewhere pairs may be unknown, and nobody is blamed for naming one.
fn checks(root: &Node, names: &Names, pairs_known: bool, problems: &Problems) -> Vec<Check> {
    let mut checks = Vec::new();
    for (i, node) in tables(root, "check", problems).iter().enumerate() {
        let whose = match node.get("name").map(|n| &n.value) {
            Some(Value::Text(name)) => format!("of check `{name}`"),
            _ => format!("of check {}", i + 1),
        };
        let Some(section) = Section::new(node, keys::CHECK, &whose, problems) else { continue };
        let Some(node) = section.require("expression") else { continue };
        let Some(text) = section.text_of(node) else { continue };
        let name = section.text("name").unwrap_or(text).to_string();
        let steppers = section.get("steppers").map(|node| methods(node, &section));
        match Expression::parse(text, names) {
            Ok(expression) => checks.push(Check { name, expression, steppers }),
            Err(error) if !pairs_known && error.message.starts_with("there is no pair") => {}
            Err(error) if problems.is_excused(error.message.split('`').nth(1).unwrap_or_default()) => {}
            Err(error) => {
                let problem = Problem::new(error.place(node, text), error.message.clone()).label(&whose);
                problems.push(Problem { note: error.note, ..problem });
            }
        }
    }
    checks
}

/// The steppers that a check is asked of.
fn methods(node: &Node, section: &Section) -> Vec<Method> {
    let list = section.list_of(node, "a list of steppers such as [\"accurate\", \"fast\"]").unwrap_or_default();
    if list.is_empty() && matches!(node.value, Value::List(_)) {
        section.wrong(node, "a check of no stepper is never asked; leave `steppers` out to ask it of all");
    }
    list.iter().filter_map(|item| section.choice_of(item, "stepper", &Method::ALL)).collect()
}

/// What the model refused, at the place in the file where it was said.
fn of_model(
    error: &ModelError,
    bodies: &[ReadBody],
    read: &ReadPairs,
    tied: &ReadJoints,
    driven: &ReadDrives,
) -> Problem {
    let message = error.to_string();
    if let ModelError::Joint { of, field, message } = error {
        let key = if *field == "limit" { "limits" } else { field };
        let in_robot = tied.places.get(of).filter(|place| !place.is_empty());
        return match tied.span_of(of, key) {
            Some(span) => {
                let problem = Problem::new(span, message.clone()).label(format!("of `{of}`"));
                if let Some(place) = in_robot { problem.note(place) } else { problem }
            }
            None => Problem::bare(error.to_string()),
        };
    }
    if let ModelError::Drive { of, field, message } = error {
        return match driven.span_of(of, field) {
            Some(span) => Problem::new(span, message.clone()).label(format!("of drive `{of}`")),
            None => Problem::bare(error.to_string()),
        };
    }
    if let ModelError::Link { of, field, .. } = error
        && let Some(body) = bodies.iter().find(|b| b.body.name == *of)
    {
        let key = if *field == "inertia_com" { "inertia" } else { field };
        let problem = Problem::new(body.span_of(key), message);
        return match &body.place_of_link {
            Some(place) => problem.note(place),
            None => problem,
        };
    }
    let of = match error {
        ModelError::Number { of, .. }
        | ModelError::Law { of, .. }
        | ModelError::Constants { of, .. }
        | ModelError::Track { of, .. } => of.clone(),
        _ => String::new(),
    };
    if let Some(body) = bodies.iter().find(|b| of.contains(&format!("body `{}`", b.body.name))) {
        let key = match error {
            ModelError::Number { what: "inertia", .. } => "inertia",
            ModelError::Number { what: "mass", .. } => "mass",
            ModelError::Number { what: "position", .. } => "position",
            _ => "name",
        };
        return Problem::new(body.span_of(key), message);
    }
    let by_number = of.strip_prefix("law ").and_then(|k| k.parse::<usize>().ok());
    let named = read.interactions.exceptions.values().flatten().find(|pair| {
        let name = |id: fingerpad_sim::BodyId| bodies.get(id.0).map_or("", |b| b.body.name.as_str());
        of == format!("`{}`–`{}`", name(pair.a), name(pair.b))
    });
    match by_number.or(named.map(|pair| pair.law.0)).and_then(|k| read.spans.get(k)) {
        Some(span) => {
            let message = message.replacen(&format!("law {}", by_number.unwrap_or(usize::MAX)), "this pair", 1);
            Problem::new(span.clone(), message)
        }
        None => Problem::bare(message),
    }
}
