//! # Paused: a scene carried to a time, with nothing written
//!
//! - **in**: a built scene, perhaps a saved state, a time
//! - **out**: the state at that time and what its contacts look like
//! - **not here**: runs with rows and files ([`run`](super::run))
//! - **start at** [`Paused::at`]
//!
//! Steps end at the rows of the scene, as in a run: at the time of a row the state has the bits of that row.

use super::saved::Saved;
use super::{Course, Meter, Pause, times};
use crate::grasp::touching::Sight;
use crate::outcome::{self, Failure};
use fingerpad_files::scene::Built;

/// A scene at a time.
pub struct Paused {
    built: Built,
    course: Course,
}

/// How a scene is carried on.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The time to reach (s); the end of the scene if not given.
    pub at: Option<f64>,
    /// Most threads to use.
    pub threads: usize,
    /// Whether progress is shown.
    pub shown: bool,
}

impl Paused {
    /// Carries a scene to a time; nothing after Ctrl-C.
    pub fn at(mut built: Built, from: Option<Saved>, options: Options) -> Result<Option<Self>, Failure> {
        let start = from.as_ref().map_or(0.0, |saved| saved.state.time);
        // A state that was saved past the end of the scene is looked at as it is.
        let until = options.at.unwrap_or(built.duration.max(start));
        if until < start {
            return Err(Failure(format!("--at: the saved state is at t = {start} s, after {until} s")));
        }
        if until > 0.0 {
            built.set_duration(until).map_err(|why| Failure(format!("--at: {why}")))?;
        }
        outcome::listen_for_interrupt();
        let mut course = Course::new(&built, from, options.threads)?;
        let mut meter = Meter::new(options.shown, start, until);
        for row in times(built.record.period, start, until) {
            match course.advance(&built.model, row) {
                Ok(()) => {}
                Err(Pause::Stopped(error)) => return Err(Failure(format!("the run stopped: {error}"))),
                Err(Pause::Interrupted) => return Ok(None),
            }
            meter.show(course.state.time, course.engine.costs().steps());
        }
        drop(meter);
        Ok(Some(Self { built, course }))
    }

    /// The state and what its contacts look like.
    pub fn sight(&mut self) -> Result<Sight<'_>, Failure> {
        let Course { engine, state, .. } = &mut self.course;
        let model = &self.built.model;
        let views = engine.results(model, state)?;
        Ok(Sight { model, state, views })
    }

    /// The scene.
    pub fn built(&self) -> &Built {
        &self.built
    }
}
