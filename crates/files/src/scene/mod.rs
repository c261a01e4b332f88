//! # Scenes: bodies, materials, events and expectations in a TOML file
//!
//! text, `--set path=value` ──▶ **here** ──([`Built`]: model, duration, solver, record, checks)──▶ `fingerpad run`
//!
//! - **in**: a TOML document; maps and meshes that it names, relative to its folder
//! - **out**: a checked [`Model`] and how to run it; or a [`SceneError`] which tells everything that is wrong, each with its
//!   place in the text
//! - **not here**: what happens then (`fingerpad_sim`); every key with unit and default is in `docs/formats.md`
//! - **assumes**: nothing: any text gives a scene or an error
//! - **start at** [`Scene::read`], [`Scene::build`]; then `tree` (TOML with places), `section` (tables read key by key),
//!   `bodies`, `robots`, `materials`, `pairs`, `events`, `heights`, `expression`

mod bodies;
mod build;
mod dimensions;
mod drives;
pub(crate) mod error;
mod events;
mod examples;
mod expression;
mod heights;
mod joints;
mod keys;
mod lexer;
mod masses;
mod materials;
mod motions;
mod names;
mod pairs;
mod place;
mod poses;
mod recorded;
pub mod reference;
mod robots;
pub mod schema;
mod section;
mod set;
pub(crate) mod shapes;
pub(crate) mod solids;
mod tree;
mod values;

pub use error::{Problem, SceneError, Span};
pub use expression::{Expression, ExpressionError};
pub use names::{Names, OF_BODY, OF_CONTACT, OF_DRIVE, OF_ENERGY, OF_GRASP, OF_IMPEDANCE, OF_JOINT, OF_RUN};
pub use values::{Series, Verdict};

use crate::input;
use error::Source;
use fingerpad_sim::Model;
use std::path::{Path, PathBuf};
use tree::{Node, Value};

/// Longest scene that is read (bytes).
pub const LONGEST: u64 = 64 << 20;

/// Texts that stand for files, by the names that scenes give them.
pub type AtHand = &'static [(&'static str, &'static str)];

/// A scene as it was written.
#[derive(Clone, Debug)]
pub struct Scene {
    root: Node,
    sources: Vec<Source>,
    folder: PathBuf,
    at_hand: AtHand,
    noted: String,
}

/// What a scene says, ready to run.
#[derive(Clone, Debug)]
pub struct Built {
    /// Name of the scene.
    pub name: String,
    /// What it shows.
    pub description: Option<String>,
    /// Bodies and what acts between them.
    pub model: Model,
    /// How long to run (s).
    pub duration: f64,
    /// How to run.
    pub solver: Solver,
    /// What to keep.
    pub record: Record,
    /// What is expected.
    pub checks: Vec<Check>,
    /// What a user should know before trusting the result.
    pub warnings: Vec<String>,
    /// Maps and meshes that it was made from.
    pub assets: Vec<Asset>,
}

/// A file that a scene names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its name in the scene.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl Built {
    /// Runs to another time (s); says why it cannot.
    pub fn set_duration(&mut self, duration: f64) -> Result<(), String> {
        if !(duration > 0.0 && duration <= build::LONGEST_RUN) {
            return Err(format!("expected a positive time of at most {:e} s, got {duration:e} s", build::LONGEST_RUN));
        }
        let rows = duration / self.record.period;
        if rows > build::MOST_ROWS {
            return Err(format!(
                "a recording has at most {:e} rows, and {duration:e} s with a row every {:e} s has {rows:.0}; \
                 lengthen `period` of [record]",
                build::MOST_ROWS,
                self.record.period
            ));
        }
        self.duration = duration;
        Ok(())
    }
}

/// How to run a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solver {
    /// Which mechanics of contact.
    pub formulation: Formulation,
    /// Which stepper.
    pub stepper: Stepper,
    /// Error allowed; the stepper's own if absent.
    pub tolerance: Option<f64>,
    /// Length of a step (s), for steppers with fixed steps.
    pub step: Option<f64>,
    /// Longest step (s), for steppers that choose their own.
    pub longest_step: Option<f64>,
    /// How long islands of bodies must be at rest before the fast stepper leaves them alone (s); never if absent.
    pub sleep: Option<f64>,
    /// Restitution of rigid contacts by law, in the order of the model's.
    pub restitution: Vec<f64>,
    /// Rigid contacts that come in more slowly than this (m/s) do not bounce.
    pub bounce_threshold: Option<f64>,
    /// Rings of points (around, up) whose hull stands for the friction ellipsoid of rigid contacts.
    pub hull: Option<(usize, usize)>,
}

/// Which mechanics of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Formulation {
    /// Bodies give way where they touch.
    #[default]
    Compliant,
    /// Bodies are rigid.
    Complementarity,
}

/// Which stepper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stepper {
    /// Variable steps, events located.
    #[default]
    Accurate,
    /// Fixed steps.
    Fast,
}

/// What a run keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Time between rows (s).
    pub period: f64,
    /// Whether each contact is kept.
    pub contacts: bool,
    /// Which bodies are kept; all if absent.
    pub bodies: Option<Vec<String>>,
}

/// An expectation on the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// What must hold.
    pub expression: Expression,
    /// Steppers that it is asked of; all if absent.
    pub steppers: Option<Vec<Method>>,
}

impl Check {
    /// Whether it is asked of runs by this method.
    pub fn is_for(&self, method: Method) -> bool {
        self.steppers.as_ref().is_none_or(|list| list.contains(&method))
    }
}

/// Formulation and stepper together, as checks name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Compliant contacts, variable steps.
    Accurate,
    /// Compliant contacts, fixed steps.
    Fast,
    /// Rigid contacts.
    Rigid,
}

impl Method {
    /// All of them, with their names in scenes.
    pub const ALL: [(&'static str, Method); 3] =
        [("accurate", Method::Accurate), ("fast", Method::Fast), ("rigid", Method::Rigid)];

    /// The name in scenes.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, method)| *method == self).map_or("", |(name, _)| name)
    }
}

impl Solver {
    /// Formulation and stepper together.
    pub fn method(&self) -> Method {
        match (self.formulation, self.stepper) {
            (Formulation::Complementarity, _) => Method::Rigid,
            (Formulation::Compliant, Stepper::Accurate) => Method::Accurate,
            (Formulation::Compliant, Stepper::Fast) => Method::Fast,
        }
    }
}

impl Scene {
    /// Reads a scene from a file, with values replaced by `path=value` options.
    pub fn read(path: &Path, sets: &[String]) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let fail = |why: String| SceneError::new(vec![Problem::bare(format!("{name}: {why}"))], &[]);
        let text = input::read_text(path, LONGEST).map_err(|e| fail(e.to_string()))?;
        Self::parse(&text, &name, path.parent().unwrap_or(Path::new("")), sets)
    }

    /// Reads a scene from its text. `file` stands for it in messages; `folder` is where the files are that it names.
    pub fn parse(text: &str, file: &str, folder: &Path, sets: &[String]) -> Result<Self, SceneError> {
        let mut sources = vec![Source { name: file.to_string(), text: text.to_string() }];
        sources.extend(sets.iter().map(|set| Source { name: "option --set".to_string(), text: set.clone() }));
        if text.len() as u64 > LONGEST {
            let message = format!("{file}: a scene has at most {LONGEST} bytes, got {}", text.len());
            return Err(SceneError::new(vec![Problem::bare(message)], &[]));
        }
        let mut root = tree::parse(text, 0).map_err(|problems| SceneError::new(problems, &sources))?;
        let mut problems = Vec::new();
        let mut noted = text.to_string();
        for (i, option) in sets.iter().enumerate() {
            if let Err(found) = set::apply(&mut root, option, i + 1) {
                problems.extend(found);
            }
            noted.push_str(&format!("\n# --set {option}"));
        }
        if problems.is_empty() {
            Ok(Self { root, sources, folder: folder.to_path_buf(), at_hand: &[], noted })
        } else {
            Err(SceneError::new(problems, &sources))
        }
    }

    /// Robots whose files need not be there: a scene that names one of these files gets this text.
    pub fn with_robots(self, at_hand: AtHand) -> Self {
        Self { at_hand, ..self }
    }

    /// Loads maps and meshes and makes the model. `progress` is told what takes long.
    pub fn build(&self, progress: &mut dyn FnMut(&str)) -> Result<Built, SceneError> {
        let built = build::build(&self.root, &self.folder, self.at_hand, self.sources.len(), progress);
        built.map_err(|(problems, foreign)| {
            let sources: Vec<Source> = self.sources.iter().cloned().chain(foreign).collect();
            SceneError::new(problems, &sources)
        })
    }

    /// How many of the scene's checks are asked of runs by a method, as far as can be read.
    pub fn checks_for(&self, method: Method) -> usize {
        let list = |node: &Node| match &node.value {
            Value::List(list) => list.clone(),
            _ => Vec::new(),
        };
        let named = |node: &Node| matches!(&node.value, Value::Text(name) if name == method.name());
        let asked = |check: &Node| check.get("steppers").is_none_or(|steppers| list(steppers).iter().any(named));
        self.root.get("check").map_or(0, |checks| list(checks).iter().filter(|check| asked(check)).count())
    }

    /// The text of the scene with the options that change it, as comments at its end: what a hash is made of.
    pub fn source(&self) -> &str {
        &self.noted
    }
}
