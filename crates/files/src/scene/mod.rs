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
//!   `bodies`, `materials`, `pairs`, `events`, `heights`, `expression`

mod bodies;
mod build;
mod error;
mod events;
mod expression;
mod heights;
mod keys;
mod lexer;
mod masses;
mod materials;
mod motions;
mod names;
mod pairs;
mod place;
mod poses;
pub mod schema;
mod section;
mod set;
mod shapes;
mod solids;
mod tree;
mod values;

pub use error::{Problem, SceneError, Span};
pub use expression::{Expression, ExpressionError};
pub use names::{Names, OF_BODY, OF_CONTACT, OF_ENERGY, OF_RUN};
pub use values::{Series, Verdict};

use error::Source;
use fingerpad_sim::Model;
use std::path::{Path, PathBuf};
use tree::Node;

/// Longest file that is read (bytes).
const LONGEST: u64 = 64 << 20;

/// A scene as it was written.
#[derive(Clone, Debug)]
pub struct Scene {
    root: Node,
    sources: Vec<Source>,
    folder: PathBuf,
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
}

impl Scene {
    /// Reads a scene from a file, with values replaced by `path=value` options.
    pub fn read(path: &Path, sets: &[String]) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let fail = |why: String| SceneError::new(vec![Problem::bare(format!("{name}: {why}"))], &[]);
        // Asked before opening: opening a pipe would wait for its writer.
        let meta = std::fs::metadata(path).map_err(|e| fail(e.to_string()))?;
        if !meta.is_file() {
            return Err(fail("expected a file".to_string()));
        }
        if meta.len() > LONGEST {
            return Err(fail(format!("a scene has at most {LONGEST} bytes, got {}", meta.len())));
        }
        let bytes = std::fs::read(path).map_err(|e| fail(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|e| {
            fail(format!("expected UTF-8 text, got other bytes from byte {} on", e.utf8_error().valid_up_to()))
        })?;
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
            Ok(Self { root, sources, folder: folder.to_path_buf(), noted })
        } else {
            Err(SceneError::new(problems, &sources))
        }
    }

    /// Loads maps and meshes and makes the model. `progress` is told what takes long.
    pub fn build(&self, progress: &mut dyn FnMut(&str)) -> Result<Built, SceneError> {
        build::build(&self.root, &self.folder, progress).map_err(|problems| SceneError::new(problems, &self.sources))
    }

    /// The text of the scene with the options that change it, as comments at its end: what a hash is made of.
    pub fn source(&self) -> &str {
        &self.noted
    }
}
