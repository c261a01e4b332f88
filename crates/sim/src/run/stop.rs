//! # Stop: why a state cannot be carried on
//!
//! - **out**: [`Stop`], the cause; [`RunError`], the cause with whose motion it was and when
//! - **start at** [`Stop`], then [`name`]

use crate::model::Model;
use crate::model::check::ModelError;
use crate::model::interactions::Pair;
use crate::state::State;
use fingerpad_contact::law::LawError;
use fingerpad_contact::track::TrackError;
use nalgebra::Point3;

/// Whose motion a cause speaks of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Subject {
    /// A body, by its index.
    Body(usize),
    /// Two bodies that touch.
    Pair(Pair),
    /// The work of loads.
    Loads,
}

/// Why a state cannot be carried on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// Closest points were lost.
    #[error("{error}")]
    Track {
        /// Which pair.
        pair: Pair,
        /// Why.
        error: TrackError,
    },
    /// A law could not answer.
    #[error("{error}")]
    Law {
        /// Which pair.
        pair: Pair,
        /// Why.
        error: LawError,
    },
    /// No step is short enough.
    #[error("no step down to {h:.1e} s keeps the error within tolerance; the motion diverges or is not smooth")]
    TooShort {
        /// The shortest step tried (s).
        h: f64,
        /// Whose motion has the greatest error.
        of: Subject,
    },
    /// A motion that is given leaves double precision.
    #[error("the motion that is given to it is not finite any more")]
    Given {
        /// Which body.
        body: usize,
    },
    /// A controller gave a command that cannot be.
    #[error("{cause}")]
    Command {
        /// What is wrong with it.
        cause: Box<ModelError>,
    },
    /// A kick leaves double precision.
    #[error("its velocity is not finite after a kick")]
    Kick {
        /// Which body.
        body: usize,
    },
    /// Numbers beyond double precision.
    #[error(
        "a pose is no longer a finite number; the motion diverges: try a shorter step, and look for bodies that touch or hang \
         together whose masses are many powers of ten apart, or for a stiffness that is"
    )]
    NotFinite,
    /// A friction rule of the user's own, where friction must be an ellipsoid.
    #[error(
        "its slip rule is no friction ellipsoid, which complementarity needs; expected a coefficient, two, or none"
    )]
    NoEllipsoid {
        /// Which pair.
        pair: Pair,
    },
    /// A contact overlaps by more than may be forgiven.
    #[error(
        "at ({}) the law forgives {depth:.3e} m of the overlap, above the {most:.3e} m that bodies of \
         this size may: the contact was found too late, or its place jumped",
        [p_W.x, p_W.y, p_W.z].map(|x| format!("{x:.6}")).join(", ")
    )]
    Forgiven {
        /// Which pair.
        pair: Pair,
        /// Where, in the world.
        p_W: Point3<f64>,
        /// Rest offset (m).
        depth: f64,
        /// What it may be (m).
        most: f64,
    },
    /// A body goes through another.
    #[error(
        "at ({}) one goes through the other: pressed in by {depth:.3e} m, it is nearer to the opposite side of the thinner body, \
         whose half thickness is {thin:.3e} m; the contact is too soft for this load or speed, or the step too long",
        [p_W.x, p_W.y, p_W.z].map(|x| format!("{x:.6}")).join(", ")
    )]
    Through {
        /// Which pair.
        pair: Pair,
        /// Where, in the world.
        p_W: Point3<f64>,
        /// Depth before (m).
        depth: f64,
        /// Half of the least way through the thinner body (m).
        thin: f64,
    },
    /// Bodies whose motion is prescribed close inside a rigid body.
    #[error(
        "at ({}) rigid bodies are pressed into each other by {overlap:.3e} m and none of them can give way: bodies whose motion is \
         prescribed, or that are fixed, close inside a body; let a force or a drive close them (a load on a slider), or take compliant \
         contacts (formulation = \"compliant\")",
        [p_W.x, p_W.y, p_W.z].map(|x| format!("{x:.6}")).join(", ")
    )]
    Squeezed {
        /// Which pair.
        pair: Pair,
        /// Where, in the world.
        p_W: Point3<f64>,
        /// Overlap (m).
        overlap: f64,
    },
    /// Velocities leave double precision.
    #[error("its velocity is not finite any more")]
    Diverged {
        /// Which body.
        body: usize,
    },
    /// Bodies that move too fast for their thickness.
    #[error(
        "bodies move so fast that parts of a step down to {h:.1e} s do not keep them from passing each other; shorten the step"
    )]
    TooFast {
        /// The length of the last part (s).
        h: f64,
    },
    /// Too many steps.
    #[error("{steps} steps did not reach the time asked for")]
    TooMany {
        /// Steps made.
        steps: u64,
    },
}

/// A run that stopped: whose motion, when, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{body} at t = {time} s: {cause}")]
pub struct RunError {
    /// The body or pair.
    pub body: String,
    /// When (s).
    pub time: f64,
    /// Why.
    #[source]
    pub cause: Stop,
}

/// Names the body behind a cause.
pub(crate) fn name(model: &Model, state: &State, cause: Stop) -> RunError {
    let body = match &cause {
        Stop::Track { pair, .. }
        | Stop::Law { pair, .. }
        | Stop::NoEllipsoid { pair }
        | Stop::Through { pair, .. }
        | Stop::Squeezed { pair, .. }
        | Stop::Forgiven { pair, .. } => {
            format!("pair {}", model.pair_name(pair))
        }
        Stop::TooShort { of: Subject::Body(body), .. } => format!("body `{}`", model.bodies()[*body].name),
        Stop::TooShort { of: Subject::Pair(pair), .. } => format!("pair {}", model.pair_name(pair)),
        Stop::TooShort { of: Subject::Loads, .. } => "the work of loads".to_string(),
        Stop::Given { body } | Stop::Kick { body } | Stop::Diverged { body } => {
            format!("body `{}`", model.bodies()[*body].name)
        }
        Stop::Command { .. } => "the controller".to_string(),
        Stop::TooMany { .. } | Stop::NotFinite | Stop::TooFast { .. } => "the run".to_string(),
    };
    RunError { body, time: state.time, cause }
}
