//! # Recording of a run: what goes into `run.mcap` besides rows, and the way back
//!
//! - **in**: a run's request, its rows
//! - **out**: `run.mcap` (`fingerpad_files::recording`); [`verify`]: the first recorded state that does not come out again
//! - **start at** [`begin`], [`verify`]

use super::row::{Row, energies};
use super::saved::Saved;
use super::{Course, Pause, frame, times};
use crate::outcome::{self, Failure};
use crate::report::run::stage::Stage;
use crate::report::run::still::{COLOURS, GROUND};
use fingerpad_contact::surface::Shape;
use fingerpad_files::recording::{About, Frame, Model as Drawn, Recorder, RecorderError, Recording, digest};
use fingerpad_files::scene::{Built, Formulation, Stepper};
use fingerpad_sim::Model;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Where a scene came from, so that a recording can be run again.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its text.
    pub text: String,
    /// The folder that its files are relative to.
    pub folder: PathBuf,
    /// Overrides.
    pub sets: Vec<String>,
}

impl From<RecorderError> for Failure {
    fn from(e: RecorderError) -> Self {
        Failure(e.to_string())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Begins `run.mcap` in a folder.
pub fn begin(out: &Path, built: &Built, hash: &str, source: &Source, start: f64) -> Result<Recorder, Failure> {
    let model = &built.model;
    let formulation = match built.solver.formulation {
        Formulation::Compliant => "compliant",
        Formulation::Complementarity => "complementarity",
    };
    let stepper = match built.solver.stepper {
        Stepper::Accurate => "accurate",
        Stepper::Fast => "fast",
    };
    let facts = [
        ("scene", built.name.clone()),
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("hash", hash.to_string()),
        ("formulation", formulation.to_string()),
        ("stepper", stepper.to_string()),
        ("sets", serde_json::json!(source.sets).to_string()),
        ("folder", source.folder.display().to_string()),
        ("duration", format!("{:e}", built.duration)),
        ("period", format!("{:e}", built.record.period)),
        ("start", format!("{start:e}")),
        ("poses_every", "0.1 s at most; /tf has every row".to_string()),
    ];
    let shapes: Vec<(String, std::sync::Arc<Shape>)> =
        model.bodies().iter().map(|b| (b.name.clone(), b.shape.clone())).collect();
    // Reading and hashing tens of megabytes is the other thread's work.
    let late = move || {
        let program = std::env::current_exe().and_then(std::fs::read).ok();
        let program = program.map(|bytes| ("program_sha256".to_string(), hexadecimal(&Sha256::digest(&bytes))));
        shapes
            .iter()
            .filter_map(|(name, shape)| Some((format!("asset {name}"), asset(shape)?)))
            .chain(program)
            .collect()
    };
    let weight: f64 = model.bodies().iter().filter(|b| b.mobility.is_moved_by_forces()).map(|b| b.mass).sum();
    let force = (weight * model.gravity_W().norm()).max(1e-3);
    let stage = Stage::new(model, &[]);
    let about = About {
        names: stage.names.clone(),
        moving: stage.fixed.iter().map(|fixed| !fixed).collect(),
        contacts: built.record.contacts,
        scene: source.text.clone(),
        facts: facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect::<BTreeMap<_, _>>(),
        arrows: 0.5 * stage.reach / force,
    };
    let path = out.join("run.mcap");
    outcome::expect_no_pipe(&path)?;
    Ok(Recorder::new(&path, about, Box::new(late))?)
}

/// Hash of the numbers of a map or a mesh: a file that changed makes another body.
fn asset(shape: &Shape) -> Option<String> {
    let mut sha = Sha256::new();
    match shape {
        Shape::Mesh(mesh) => {
            let mesh = mesh.mesh();
            mesh.vertices().iter().flat_map(|p| [p.x, p.y, p.z]).for_each(|x| sha.update(x.to_le_bytes()));
            mesh.faces().iter().flatten().for_each(|v| sha.update(v.to_le_bytes()));
        }
        Shape::Elevation(map) => {
            let grid = map.grid();
            [grid.dx, grid.dy, grid.x0, grid.y0].iter().for_each(|x| sha.update(x.to_le_bytes()));
            for j in 0..grid.ny {
                (0..grid.nx).for_each(|i| sha.update(map.node(i, j).unwrap_or(f64::NAN).to_le_bytes()));
            }
        }
        _ => return None,
    }
    Some(hexadecimal(&sha.finalize()))
}

/// The shapes of a scene as triangles, for viewers that have no report.
pub fn draw(recorder: &mut Recorder, model: &Model, first: &Frame) -> Result<(), Failure> {
    let stage = Stage::new(model, std::slice::from_ref(first));
    let drawn = |i: usize| {
        let shell = &stage.shells[stage.shape_of[i]];
        let colour = if stage.fixed[i] { GROUND } else { COLOURS[i % COLOURS.len()] };
        Drawn {
            name: &stage.names[i],
            points: shell.points.iter().map(|p| [p.x, p.y, p.z]).collect(),
            faces: shell.faces.clone(),
            colour: colour.map(|c| f64::from(c) / 255.0),
        }
    };
    let all: Vec<Drawn> = (0..stage.names.len()).map(drawn).collect();
    Ok(recorder.models(&all, first.time)?)
}

/// What came of comparing.
#[derive(Debug, PartialEq)]
pub enum Verified {
    /// So many states came out bit for bit.
    Same(usize),
    /// The first that did not: time (s), and what differs.
    Different(f64, String),
}

/// Simulates again and compares every recorded state bit for bit.
pub fn verify(recording: &Recording, built: &Built, from: Option<Saved>, threads: usize) -> Result<Verified, Failure> {
    let model = &built.model;
    let names: Vec<String> = model.bodies().iter().map(|b| b.name.clone()).collect();
    let mut course = Course::new(built, from, threads)?;
    let start = course.state.time;
    let rows = std::iter::once(start).chain(times(built.record.period, start, built.duration));
    let mut rows = rows.enumerate();
    for recorded in &recording.frames {
        let t = recorded.time;
        // A run that diverged has no more rows than it recorded, and neither has this one.
        let Some((k, until)) = rows.next() else {
            return Ok(Verified::Different(t, "no row at this time".to_string()));
        };
        if k > 0 {
            match course.advance(model, until) {
                Ok(()) => {}
                Err(Pause::Stopped(e)) => return Ok(Verified::Different(course.state.time, format!("stopped: {e}"))),
                Err(Pause::Interrupted) => return Err(Failure("interrupted".to_string())),
            }
        }
        look(&mut course, model)?;
        let frame = &course.frame;
        if frame.time.to_bits() != t.to_bits() {
            return Ok(Verified::Different(t, format!("a row at {} s instead", frame.time)));
        }
        if let Some(body) = recorded.differs(frame, &names) {
            return Ok(Verified::Different(t, format!("pose of `{body}`")));
        }
        if digest(frame) != recorded.digest {
            return Ok(Verified::Different(t, "a velocity, a contact or an energy".to_string()));
        }
    }
    Ok(Verified::Same(recording.frames.len()))
}

/// The frame of the present state.
fn look(course: &mut Course, model: &Model) -> Result<(), Failure> {
    let Course { engine, state, frame, face, .. } = course;
    let energy = energies(&engine.ledger(model, state)?);
    let results = engine.results(model, state)?;
    let row = Row { model, state, results, energy, ledger_error: 0.0, touches: &[] };
    frame::take(frame, &row, face);
    Ok(())
}
