//! # Quality: how far a run can be trusted, by its own measure
//!
//! rows, ledgers, counts of the stepper ──▶ **here** ──([`Quality`])──▶ `summary.json`, table, warnings, exit code
//!
//! - **in**: each [`Row`] with its ledger ([`Gauge::row`]); what the stepper counted ([`Gauge::grade`])
//! - **out**: figures, a [`Grade`], one warning for each cause with what to do
//! - **not here**: what a scene expects (`summary::verdicts`)
//! - **start at** [`Gauge`]; thresholds are the constants below, and `docs/quality.md` has them as a table
//!
//! A closed ledger is book-keeping and no proof: columns of the numbers' own can cancel each other. So what is numerical is
//! summed by size, from row to row, and depth is compared with what the law asked for.

use super::engine::Costs;
use super::row::Row;
use crate::json;
use fingerpad_contact::law::Stiffness;
use fingerpad_contact::patch::Pressed;
use fingerpad_contact::surface::{Shape, Surface};
use fingerpad_sim::{ContactMode, Ledger, Mobility, Model, Prescribed, Profile};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Ledger error from which on a run is poor. Every stepper closes its ledger to 1e-9 or better where it works as designed.
const LEDGER_POOR: f64 = 1e-6;
/// … and bad: a thousandth of the energy came from nowhere, which shows in plots.
const LEDGER_BAD: f64 = 1e-3;
/// Share of the energy in numerical columns from which on a run is poor: material constants are known to a few per cent, and
/// numbers should stay below that.
const NUMERICAL_POOR: f64 = 0.01;
/// … and bad: the numbers moved more energy than all of the model's own causes.
const NUMERICAL_BAD: f64 = 0.5;
/// Lift of all bodies, over their size, whose energy can be seen in their motion.
const VISIBLE: f64 = 1e-3;
/// Share of steps that were not solved from which on a run is bad. One is poor already: nothing bounds its error.
const UNSOLVED_BAD: f64 = 0.01;
/// Overlap beyond what the law gives, over the least extent of the smaller body, from which on a run is poor …
const DEPTH_POOR: f64 = 0.01;
/// … and bad: bodies are visibly inside each other, and nothing pushes them out.
const DEPTH_BAD: f64 = 0.1;
/// Edges of a mesh that bend by less (rad) stand for a curve: 40°, as for the choice of its surface.
const CREASE: f64 = 0.698;
/// Steps per period below which a given motion is poorly followed: eight steps miss 5 % of the amplitude between them …
const STEPS_POOR: f64 = 8.0;
/// … and bad: with two steps a period or fewer a motion looks like a slower one, or like none (Nyquist).
const STEPS_BAD: f64 = 2.0;

/// How good a run is, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing speaks against it.
    Good,
    /// It may be used with care; warnings say why.
    Poor,
    /// It does not show what the scene describes: exit code 1.
    Bad,
}

impl Grade {
    /// The name in summaries.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Good => "good",
            Grade::Poor => "poor",
            Grade::Bad => "bad",
        }
    }

    /// By two thresholds.
    fn of(x: f64, poor: f64, bad: f64) -> Self {
        // What is no number is no success.
        if x <= poor {
            Grade::Good
        } else if x <= bad {
            Grade::Poor
        } else {
            Grade::Bad
        }
    }
}

/// What a run is graded by.
#[derive(Clone, Debug)]
pub struct Quality {
    /// Steps of rigid contacts that missed their tolerance.
    pub unsolved: u64,
    /// Steps of the fast stepper whose search did not converge.
    pub unconverged: u64,
    /// Largest change of the ledger's total over the largest energy.
    pub ledger_error: f64,
    /// Sizes of the changes of numerical columns from row to row, added up, over the largest energy.
    pub numerical_share: f64,
    /// Deepest overlap of two bodies (m).
    pub depth_worst: f64,
    /// Depth that the law gives to that contact (m).
    pub depth_of_law: f64,
    /// Pairs pressed deeper than their theory goes.
    pub outside_theory: Vec<String>,
    /// Bodies whose given motion or load is too quick for the step.
    pub aliased: Vec<String>,
    /// Bodies that left the map or fell past everything that is fixed.
    pub lost: Vec<String>,
    /// The worst of all.
    pub verdict: Grade,
    /// A line for each cause: what, why, what to do.
    pub warnings: Vec<String>,
}

/// A contact at its deepest.
#[derive(Clone, Copy, Debug, Default)]
struct Deepest {
    depth: f64,
    of_law: f64,
    /// Least extent of the smaller body (m).
    size: f64,
    pair: (usize, usize),
}

/// Collects what a run is graded by.
#[derive(Clone, Debug)]
pub struct Gauge {
    /// Least extent of each body (m), infinite where it has none.
    sizes: Vec<f64>,
    /// Sizes of changes of numerical columns so far (J).
    numerical: f64,
    /// What lifts the bodies by a thousandth of their size (J): less cannot be seen, and is not bad.
    visible: f64,
    /// Numerical columns at the last row (J).
    before: Option<[f64; 6]>,
    /// The deepest overlap, and the one that exceeds its law by most.
    deepest: Deepest,
    forgiven: Deepest,
    /// Pairs that left their theory: depth and what it may be (m).
    outside: BTreeMap<(usize, usize), (f64, f64, &'static str)>,
    /// Width of the facets of each body that is taken by facets and stands for a curve (m), infinite for all others.
    facets: Vec<f64>,
    /// Pairs whose patch is wider than such facets: patch and facets (m), and the body that has them.
    wide: BTreeMap<(usize, usize), (f64, f64, usize)>,
    /// Names, and what to tell.
    lost: Vec<(String, String)>,
}

impl Gauge {
    /// Nothing seen yet.
    pub fn new(model: &Model) -> Self {
        let size = |body: &fingerpad_sim::Body| match &*body.shape {
            // Solid below, without a bottom.
            Shape::HalfSpace(_) | Shape::Graph(_) | Shape::Elevation(_) => f64::INFINITY,
            shape => (shape.bounds().max - shape.bounds().min).min(),
        };
        Self {
            sizes: model.bodies().iter().map(size).collect(),
            numerical: 0.0,
            visible: VISIBLE * super::lift(model),
            before: None,
            deepest: Deepest::default(),
            forgiven: Deepest::default(),
            outside: BTreeMap::new(),
            facets: model.bodies().iter().map(|body| curved_facets(&body.shape)).collect(),
            wide: BTreeMap::new(),
            lost: Vec::new(),
        }
    }

    /// Notes a body that left the map, or fell past everything that is fixed.
    pub fn lost(&mut self, body: &str, warning: String) {
        if self.lost.iter().all(|(known, _)| known != body) {
            self.lost.push((body.to_string(), warning));
        }
    }

    /// Looks at a row.
    pub fn row(&mut self, row: &Row, ledger: &Ledger, costs: &Costs) {
        let rigid = matches!(costs, Costs::Rigid { .. });
        let starts = self.before.is_none() && row.results.iter().any(|view| view.gap < 0.0);
        self.energies(ledger, costs);
        if rigid && starts {
            // The overlap that a scene starts with is the scene's: moving it out, before the next row, is not counted.
            self.before = None;
        }
        for (contact, view) in row.state.contacts.iter().zip(row.results) {
            let depth = view.depth();
            if contact.mode == ContactMode::Free || depth <= 0.0 {
                continue;
            }
            let pair = (contact.pair.a.0, contact.pair.b.0);
            let size = self.sizes[pair.0].min(self.sizes[pair.1]);
            let of_law = if rigid { 0.0 } else { (depth - contact.rest_offset).max(0.0) };
            let found = Deepest { depth, of_law, size, pair };
            if depth > self.deepest.depth {
                self.deepest = found;
            }
            if found.excess() > self.forgiven.excess() {
                self.forgiven = found;
            }
            let (limit, what) = reach_of_theory(&row.model.law(&contact.pair).law.stiffness, size);
            if depth > limit {
                let worst = self.outside.entry(pair).or_insert((depth, limit, what));
                worst.0 = worst.0.max(depth);
            }
            let facetted = if self.facets[pair.0] <= self.facets[pair.1] { pair.0 } else { pair.1 };
            let (width, patch) = (self.facets[facetted], view.patch.map_or(0.0, |(a, _)| 2.0 * a));
            if patch > width {
                let worst = self.wide.entry(pair).or_insert((patch, width, facetted));
                worst.0 = worst.0.max(patch);
            }
        }
    }

    /// Adds up what numbers did since the last row. Where a stepper sums up sizes step by step, these count: they cancel
    /// nowhere. Losses of rigid impacts are the model's own.
    fn energies(&mut self, ledger: &Ledger, costs: &Costs) {
        let of_contacts = match costs {
            Costs::Accurate { .. } => [ledger.E_num, ledger.E_geo, ledger.E_solver, ledger.modulation],
            Costs::Fixed { report, .. } => [ledger.E_num, report.added.E_geo_size, ledger.E_solver, ledger.modulation],
            Costs::Rigid { report, .. } => [report.projected, report.integration, 0.0, 0.0],
        };
        let [a, b, c, d] = of_contacts;
        let now = [a, b, c, d, ledger.E_inertia, ledger.E_project];
        if let Some(before) = self.before {
            self.numerical += now.iter().zip(before).map(|(now, before)| (now - before).abs()).sum::<f64>();
        }
        self.before = Some(now);
    }

    /// The grade of a run so far. `scale` is its largest energy (J).
    pub fn grade(&self, model: &Model, costs: &Costs, ledger_error: f64, scale: f64) -> Quality {
        let mut grades = Grades::default();
        let steps = costs.steps();
        let (unsolved, unconverged) = match costs {
            Costs::Accurate { report, .. } => (0, report.implicit.rough),
            Costs::Rigid { report, .. } => (report.unsolved, 0),
            Costs::Fixed { report, .. } => (0, report.unconverged),
        };
        for (count, what) in [(unsolved, "unsolved"), (unconverged, "unconverged")] {
            let share = count as f64 / steps.max(1) as f64;
            let grade = Grade::of(share, 0.0, UNSOLVED_BAD);
            let cause = "impulses or forces of those steps may be wrong";
            grades.add(grade, || format!("{count} of {steps} steps {what}: {cause}; {}", shorter(costs)));
        }
        grades.add(Grade::of(ledger_error, LEDGER_POOR, LEDGER_BAD), || {
            format!(
                "the energy ledger is open by {}: energy came from nowhere; {}",
                percent(ledger_error),
                shorter(costs)
            )
        });
        let numerical_share = if scale > 0.0 { self.numerical / scale } else { 0.0 };
        let grade = match Grade::of(numerical_share, NUMERICAL_POOR, NUMERICAL_BAD) {
            Grade::Bad if self.numerical < self.visible => Grade::Poor,
            grade => grade,
        };
        grades.add(grade, || {
            let names = "E_num, E_geo, E_solver, modulation, E_inertia and E_project";
            format!(
                "numerical columns ({names}) moved {} of the energy: contacts are too stiff or too brief for the step, their \
                 list keeps changing, or joints turn far in a step; {}",
                percent(numerical_share),
                shorter(costs)
            )
        });
        self.grade_depth(model, costs, &mut grades);
        let aliased = aliased(model, costs, &mut grades);
        for (_, warning) in &self.lost {
            grades.add(Grade::Poor, || format!("{warning}; enlarge the ground, or end the run sooner"));
        }
        let name = |(a, b): &(usize, usize)| format!("{}-{}", model.name(*a), model.name(*b));
        Quality {
            unsolved,
            unconverged,
            ledger_error,
            numerical_share,
            depth_worst: self.deepest.depth,
            depth_of_law: self.deepest.of_law,
            outside_theory: self
                .outside
                .keys()
                .chain(self.wide.keys())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .map(name)
                .collect(),
            aliased,
            lost: self.lost.iter().map(|(body, _)| body.clone()).collect(),
            verdict: grades.worst,
            warnings: grades.warnings,
        }
    }

    fn grade_depth(&self, model: &Model, costs: &Costs, grades: &mut Grades) {
        let name = |body: usize| model.name(body);
        let Deepest { depth, of_law, size, pair: (a, b) } = self.forgiven;
        grades.add(Grade::of(self.forgiven.excess(), DEPTH_POOR, DEPTH_BAD), || {
            format!(
                "`{}` and `{}` are {depth:.3e} m inside each other where the law gives {of_law:.3e} m, and the smaller is \
                 {size:.3e} m thick; {}, or move bodies that are pressed together apart",
                name(a),
                name(b),
                shorter(costs)
            )
        });
        for ((a, b), (depth, limit, what)) in &self.outside {
            // Half the least extent is a radius: beyond the whole of it a body is through itself.
            let grade = if *depth > 2.0 * limit { Grade::Bad } else { Grade::Poor };
            grades.add(grade, || {
                format!(
                    "`{}` and `{}` are pressed {depth:.3e} m deep, beyond {what} of {limit:.3e} m where the contact law ends; \
                     give a stiffer material or less load",
                    name(*a),
                    name(*b)
                )
            });
        }
        for ((a, b), (patch, width, facetted)) in &self.wide {
            grades.add(Grade::Poor, || {
                format!(
                    "`{}` and `{}` touch over a patch of {patch:.3e} m, wider than the facets of `{}` ({width:.3e} m), which stand \
                     for a curve: an edge between them has only its own rounding for curvature, and force and friction of the patch \
                     come out too small; give `surface = \"smooth\"`, or a cylinder or revolution in its place",
                    name(*a),
                    name(*b),
                    name(*facetted)
                )
            });
        }
    }
}

/// Mean width of the facets of a mesh that is taken by them and stands for a curve (m): most of its edges bend, and by less than
/// a crease. Infinite for all other shapes.
fn curved_facets(shape: &Shape) -> f64 {
    let Shape::Mesh(mesh) = shape else { return f64::INFINITY };
    let Some(polyhedron) = mesh.polyhedron().filter(|polyhedron| !polyhedron.is_hull()) else { return f64::INFINITY };
    let edges = polyhedron.edges();
    let bent = edges.iter().filter(|edge| edge.normals[0].dot(&edge.normals[1]) > CREASE.cos()).count();
    if 2 * bent <= edges.len() {
        return f64::INFINITY;
    }
    // A facet of the area A, as one half of a square.
    let area = |[p, q, r]: [nalgebra::Point3<f64>; 3]| 0.5 * (q - p).cross(&(r - p)).norm();
    let areas: f64 = mesh.mesh().triangles().map(area).sum();
    (2.0 * areas / mesh.mesh().faces().len() as f64).sqrt()
}

impl Deepest {
    /// Depth beyond the law's, over the size of the smaller body.
    fn excess(&self) -> f64 {
        let beyond = self.depth - self.of_law;
        if self.size > 0.0 && self.size.is_finite() { beyond / self.size } else { 0.0 }
    }
}

/// How deep a theory of contact goes, and what ends it: its layer, or the radius of the smaller body.
fn reach_of_theory(stiffness: &Stiffness, size: f64) -> (f64, &'static str) {
    let radius = 0.5 * size;
    match stiffness {
        Stiffness::Patch(theory) => match theory.pressed {
            Pressed::Foundation { layer, .. } if layer.depth < radius => (layer.depth, "the layer"),
            _ => (radius, "the radius"),
        },
        _ => (radius, "the radius"),
    }
}

/// Bodies whose given motion or load the step does not follow.
fn aliased(model: &Model, costs: &Costs, grades: &mut Grades) -> Vec<String> {
    let step = match costs {
        Costs::Accurate { .. } | Costs::Fixed { tolerance: Some(_), .. } => return Vec::new(),
        Costs::Rigid { step, .. } | Costs::Fixed { step, .. } => *step,
    };
    let mut found: Vec<(usize, f64, &str)> = Vec::new();
    for (i, body) in model.bodies().iter().enumerate() {
        match &body.mobility {
            Mobility::Prescribed(Prescribed::Shaking { frequency, .. }) => found.push((i, 1.0 / frequency, "shakes")),
            Mobility::Prescribed(Prescribed::Turning { rate, .. }) if *rate != 0.0 => {
                found.push((i, std::f64::consts::TAU / rate.abs(), "turns"));
            }
            _ => {}
        }
    }
    for load in model.loads() {
        match load.profile {
            Profile::Wave { frequency, .. } => found.push((load.body.0, 1.0 / frequency, "is pushed to and fro")),
            // sin² over the duration: one period.
            Profile::Pulse { duration, .. } => found.push((load.body.0, duration, "is pushed")),
            _ => {}
        }
    }
    let mut names = Vec::new();
    for (body, period, what) in found {
        let count = period / step;
        let grade = Grade::of(-count, -STEPS_POOR, -STEPS_BAD);
        let name = &model.bodies()[body].name;
        grades.add(grade, || {
            format!(
                "`{name}` {what} with a period of {period:.3e} s, {count:.1} steps of {step:e} s: the motion is aliased; \
                 steps of {:.1e} s would follow it",
                period / (2.0 * STEPS_POOR)
            )
        });
        if grade != Grade::Good && !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// What to try.
fn shorter(costs: &Costs) -> String {
    match costs {
        Costs::Accurate { .. } => "try a smaller `tolerance`, or softer constants".to_string(),
        Costs::Rigid { step, .. } => format!("try `step` below {step:e} s"),
        Costs::Fixed { tolerance: Some(tolerance), .. } => format!("try `tolerance` below {tolerance:e}"),
        Costs::Fixed { step, .. } => format!("try `step` below {step:e} s, or stepper = \"accurate\""),
    }
}

fn percent(share: f64) -> String {
    if share >= 1e-3 { format!("{:.1} %", 100.0 * share) } else { format!("{share:.1e}") }
}

/// The worst grade so far, and why.
struct Grades {
    worst: Grade,
    warnings: Vec<String>,
}

impl Default for Grades {
    fn default() -> Self {
        Self { worst: Grade::Good, warnings: Vec::new() }
    }
}

impl Grades {
    fn add(&mut self, grade: Grade, why: impl FnOnce() -> String) {
        if grade != Grade::Good {
            self.worst = self.worst.max(grade);
            self.warnings.push(format!("{} quality: {}", grade.name(), why()));
        }
    }
}

impl Quality {
    /// The run did not reach its end.
    pub fn stopped(&mut self, why: &str) {
        self.verdict = Grade::Bad;
        self.warnings.insert(0, format!("bad quality: the run stopped: {why}"));
    }

    /// The block of `summary.json`.
    pub fn document(&self, warnings: &mut Vec<String>) -> Value {
        let mut number = |name: &str, x: f64| json::finite(&format!("quality.{name}"), x, warnings);
        json!({
            "unsolved": self.unsolved,
            "unconverged": self.unconverged,
            "ledger_error": number("ledger_error", self.ledger_error),
            "numerical_share": number("numerical_share", self.numerical_share),
            "depth_worst": number("depth_worst", self.depth_worst),
            "depth_of_law": number("depth_of_law", self.depth_of_law),
            "outside_theory": self.outside_theory,
            "aliased": self.aliased,
            "lost": self.lost,
            "verdict": self.verdict.name(),
        })
    }

    /// One line for people.
    pub fn line(&self) -> String {
        let causes = match self.warnings.len() {
            0 => String::new(),
            1 => " (1 warning)".to_string(),
            n => format!(" ({n} warnings)"),
        };
        format!(
            "{}{causes}; {} of the energy numerical, deepest overlap {:.1e} m where the law gives {:.1e} m",
            self.verdict.name(),
            percent(self.numerical_share),
            self.depth_worst,
            self.depth_of_law
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch thresholds that are swapped, and a NaN that passes for good.
    #[test]
    fn grades_fall_at_their_thresholds() {
        let grade = |x| Grade::of(x, LEDGER_POOR, LEDGER_BAD);
        assert_eq!(
            [1e-12, 1e-6, 2e-6, 1e-3, 2e-3].map(grade),
            [Grade::Good, Grade::Good, Grade::Poor, Grade::Poor, Grade::Bad]
        );
        assert_eq!(grade(f64::NAN), Grade::Bad);
        // Steps per period: fewer are worse.
        let steps = |x: f64| Grade::of(-x, -STEPS_POOR, -STEPS_BAD);
        assert_eq!(
            [20.0, 8.0, 7.9, 2.0, 1.0].map(steps),
            [Grade::Good, Grade::Good, Grade::Poor, Grade::Poor, Grade::Bad]
        );
    }

    /// A column that goes up and comes back has moved twice its height: sums of sizes do not cancel.
    #[test]
    fn numerical_columns_do_not_cancel() {
        let model = Model::new(fingerpad_sim::Parts::default()).unwrap();
        let mut gauge = Gauge::new(&model);
        let costs = Costs::Fixed { step: 1e-3, tolerance: None, report: Default::default() };
        for x in [0.0, 3.0, 0.0] {
            let ledger = Ledger { E_num: x, modulation: x, E_inertia: -x, E_project: x, ..Ledger::default() };
            gauge.energies(&ledger, &costs);
        }
        assert_eq!(gauge.numerical, 24.0);
        let graded = gauge.grade(&model, &costs, 0.0, 10.0);
        assert_eq!((graded.numerical_share, graded.verdict), (2.4, Grade::Bad));
    }
}
