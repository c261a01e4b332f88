//! # Loads: forces that are given over time, and kicks
//!
//! - **in**: a body, a force, when
//! - **out**: the share of the force at a time, and when it stops being smooth
//! - **start at** [`Load`], [`Kick`]

use crate::model::body::BodyId;
use nalgebra::{Point3, Vector3};
use std::f64::consts::{PI, TAU};

/// A force and a moment on a body, with a course over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// On which body.
    pub body: BodyId,
    /// Force at its full size, in the world (N).
    pub f_W: Vector3<f64>,
    /// Moment at its full size, in the world (N·m).
    pub t_W: Vector3<f64>,
    /// Where the force acts, in the body; `None`: at the centre of mass.
    pub p_BoQ: Option<Point3<f64>>,
    /// Its course.
    pub profile: Profile,
}

/// The course of a load over time: a share of its full size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Profile {
    /// All of it from `t0` to `t1`.
    Steady {
        /// Start (s).
        t0: f64,
        /// End (s); may be infinite.
        t1: f64,
    },
    /// sin²(π (t − t0)/duration).
    Pulse {
        /// Start (s).
        t0: f64,
        /// Length (s).
        duration: f64,
    },
    /// sin(2π f (t − t0) + phase) from `t0` to `t1`.
    Wave {
        /// Start (s).
        t0: f64,
        /// End (s); may be infinite.
        t1: f64,
        /// Frequency (Hz).
        frequency: f64,
        /// Phase (rad).
        phase: f64,
    },
    /// From nothing at `t0` to all of it at `t1`, and on.
    Ramp {
        /// Start (s).
        t0: f64,
        /// Full from here on (s).
        t1: f64,
    },
}

/// A sudden change of momentum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kick {
    /// On which body.
    pub body: BodyId,
    /// When (s).
    pub time: f64,
    /// Change of momentum, in the world (N·s).
    pub p_W: Vector3<f64>,
    /// Change of angular momentum beside it, in the world (N·m·s).
    pub L_W: Vector3<f64>,
    /// Where it acts, in the body; `None`: at the centre of mass.
    pub p_BoQ: Option<Point3<f64>>,
}

impl Profile {
    /// Share of the full load at a time.
    pub fn share(&self, t: f64) -> f64 {
        match *self {
            Self::Steady { t0, t1 } => f64::from(u8::from(t0 <= t && t <= t1)),
            Self::Pulse { t0, duration } => {
                let share = (t - t0) / duration;
                if (0.0..=1.0).contains(&share) { (PI * share).sin().powi(2) } else { 0.0 }
            }
            Self::Wave { t0, t1, frequency, phase } => {
                if t0 <= t && t <= t1 {
                    (TAU * frequency * (t - t0) + phase).sin()
                } else {
                    0.0
                }
            }
            Self::Ramp { t0, t1 } => ((t - t0) / (t1 - t0)).clamp(0.0, 1.0),
        }
    }

    /// When the share, or its rate, jumps (s).
    pub fn breaks(&self) -> [f64; 2] {
        match *self {
            Self::Steady { t0, t1 } | Self::Wave { t0, t1, .. } | Self::Ramp { t0, t1 } => [t0, t1],
            Self::Pulse { t0, duration } => [t0, t0 + duration],
        }
    }
}
