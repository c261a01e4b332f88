//! # Drives: what moves joints as it is told
//!
//! timelines, recorded motion, a [`Controller`] ──(reference)──▶ **here** ──(force along joints)──▶ rows of the steppers
//!
//! - **in**: joints of a model, gains, references over time
//! - **out**: the force along the joints, implicit in each step; what it stored, lost and supplied
//! - **not here**: the equations that it enters (`coordinates::motion`, `steppers`); limits and friction of joints
//! - **start at** [`Drive`], then [`Controller`]
//!
//! | drive | force | supplied | lost | stored |
//! |---|---|---|---|---|
//! | position | −C(k x + d x′), x = q − r | f r′ | in the damper and the limit | Huber's function of x |
//! | velocity | −C(d (v − u)) | f u | −f (v − u) | – |
//! | torque | C(τ) | τ v | – | – |
//! | grip | a velocity drive whose largest force follows a normal force | f u | −f (v − u) | – |
//!
//! [`Impedance`] acts on frames in place of joints.
//!
//! C clamps to the drive's largest force. Position and velocity drives are implicit: stiff ones are stable at any step.

mod check;
mod control;
mod effort;
mod grip;
pub(crate) mod impedance;
mod timeline;

pub(crate) use check::{check, place};
pub use control::{Commands, Controller};
pub use effort::{DriveStep, Gains};
pub use grip::GripState;
pub(crate) use grip::{LONGEST_STEP as LONGEST_STEP_OF_GRIPS, sense};
pub(crate) use impedance::Told;
pub use impedance::{
    Impedance, ImpedanceId, ImpedanceNow, ImpedanceState, PoseCommand, PoseTimeline, SpatialSpring, SpringStart,
};
pub use timeline::{Smooth, Timeline, TimelineError};

use crate::coordinates::TreeState;
use crate::model::joints::JointId;

/// A drive of a model: an index of [`Parts::drives`](crate::Parts::drives).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DriveId(pub usize);

/// What follows a reference, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriveKind {
    /// A spring and a damper towards a position (rad or m).
    Position {
        /// Stiffness (N·m/rad or N/m).
        stiffness: f64,
        /// Damping of the way from the reference (N·m·s/rad or N·s/m).
        damping: f64,
    },
    /// A damper towards a velocity (rad/s or m/s).
    Velocity {
        /// Damping (N·m·s/rad or N·s/m).
        damping: f64,
    },
    /// A force that is given (N·m or N).
    Torque,
    /// Closes at a speed until what it closes on presses back with the normal force of the reference (N), then holds that. A
    /// negative reference opens, with that force.
    Grip {
        /// Velocity of the joint that closes (rad/s or m/s); its sign says which way.
        speed: f64,
        /// Damping towards that velocity (N·m·s/rad or N·s/m); by the force and the speed if none.
        damping: Option<f64>,
    },
}

impl DriveKind {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            DriveKind::Position { .. } => "position",
            DriveKind::Velocity { .. } => "velocity",
            DriveKind::Torque => "torque",
            DriveKind::Grip { .. } => "grip",
        }
    }
}

/// A drive on a joint, or on a weighted sum of joints (a tendon).
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// Its name, for messages and commands.
    pub name: String,
    /// Joints with one coordinate each, and how much of each the drive's coordinate has: Σ c q.
    pub along: Vec<(JointId, f64)>,
    /// What it does.
    pub kind: DriveKind,
    /// Largest force (N·m or N); infinite: none.
    pub limit: f64,
    /// Its reference over time: a position, a velocity or a force. A command in its place stands in [`DriveState`].
    pub reference: Timeline,
}

/// What changes of a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DriveState {
    /// The reference that a controller has set in place of the timeline.
    pub command: Option<Command>,
    /// What a grip feels.
    pub grip: GripState,
    /// The last step. The accurate stepper tells the force at its end, and sums of all drives of a tree only.
    pub last: DriveStep,
}

/// A reference from a time on: value + rate (t − time).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Command {
    /// When it was given (s).
    pub time: f64,
    /// The reference then.
    pub value: f64,
    /// Its rate (1/s).
    pub rate: f64,
}

/// A joint's share in a drive, in coordinates of its tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Term {
    pub column: u32,
    pub q: u32,
    pub share: f64,
}

/// A drive in its tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    /// Which drive of the model.
    pub drive: usize,
    pub terms: Vec<Term>,
}

impl Placed {
    /// Σ c q.
    pub fn position(&self, q: &[f64]) -> f64 {
        self.terms.iter().map(|term| term.share * q[term.q as usize]).sum()
    }

    /// Σ c v.
    pub fn velocity(&self, v: &[f64]) -> f64 {
        self.terms.iter().map(|term| term.share * v[term.column as usize]).sum()
    }
}

/// A drive at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Instant {
    pub force: f64,
    /// Powers (W).
    pub lost: f64,
    pub supplied: f64,
}

impl Drive {
    /// A drive on one joint, without a largest force.
    pub fn new(name: &str, joint: JointId, kind: DriveKind, reference: Timeline) -> Self {
        Self { name: name.to_string(), along: vec![(joint, 1.0)], kind, limit: f64::INFINITY, reference }
    }

    /// The same with a largest force (N·m or N).
    pub fn limited(mut self, limit: f64) -> Self {
        self.limit = limit;
        self
    }

    /// Its spring and damper at a time; zero for a torque.
    pub fn gains(&self, now: &DriveState, t: f64) -> Gains {
        let (stiffness, damping, limit) = match self.kind {
            DriveKind::Position { stiffness, damping } => (stiffness, damping, self.limit),
            DriveKind::Velocity { damping } => (0.0, damping, self.limit),
            DriveKind::Torque => (0.0, 0.0, self.limit),
            DriveKind::Grip { speed, damping } => {
                let (most, damping) = now.grip.gains(self.reference_at(now, t).0, speed, damping, self.limit);
                (0.0, damping, most)
            }
        };
        Gains { stiffness, damping, limit }
    }

    /// The velocity that a velocity drive or a grip is told.
    fn speed_at(&self, now: &DriveState, t: f64) -> f64 {
        let value = self.reference_at(now, t).0;
        match self.kind {
            DriveKind::Grip { speed, .. } if value < 0.0 => -speed,
            DriveKind::Grip { speed, .. } => speed,
            _ => value,
        }
    }

    /// The reference and its rate at a time.
    pub fn reference_at(&self, now: &DriveState, t: f64) -> (f64, f64) {
        match now.command {
            Some(Command { time, value, rate }) => (value + rate * (t - time), rate),
            None => self.reference.at(t),
        }
    }

    /// Position references at the ends of a step; of a velocity drive how far its reference goes; and the force that is given.
    pub(crate) fn over(&self, now: &DriveState, from: f64, to: f64) -> ([f64; 2], f64) {
        let middle = 0.5 * (from + to);
        match self.kind {
            DriveKind::Position { .. } => ([from, to].map(|t| self.reference_at(now, t).0), 0.0),
            DriveKind::Velocity { .. } | DriveKind::Grip { .. } => {
                ([0.0, self.speed_at(now, middle) * (to - from)], 0.0)
            }
            DriveKind::Torque => ([0.0; 2], self.reference_at(now, middle).0.clamp(-self.limit, self.limit)),
        }
    }

    /// Force and powers at an instant, for a coordinate and its rate.
    pub(crate) fn at(&self, now: &DriveState, t: f64, position: f64, velocity: f64) -> Instant {
        let (value, rate) = self.reference_at(now, t);
        match self.kind {
            DriveKind::Position { .. } => {
                let (force, lost) = self.gains(now, t).at(position - value, velocity - rate);
                Instant { force, lost, supplied: force * rate }
            }
            DriveKind::Velocity { .. } | DriveKind::Grip { .. } => {
                let speed = self.speed_at(now, t);
                let (force, lost) = self.gains(now, t).at(0.0, velocity - speed);
                Instant { force, lost, supplied: force * speed }
            }
            DriveKind::Torque => {
                let force = value.clamp(-self.limit, self.limit);
                Instant { force, lost: 0.0, supplied: force * velocity }
            }
        }
    }

    /// Spring and damper at an instant as a share of the largest force: beyond ±1 the drive is at it. None where there is none.
    pub(crate) fn share(&self, now: &DriveState, t: f64, position: f64, velocity: f64) -> Option<f64> {
        let gains = self.gains(now, t);
        let whole = match self.kind {
            DriveKind::Position { stiffness, damping } => {
                let (value, rate) = self.reference_at(now, t);
                stiffness * (position - value) + damping * (velocity - rate)
            }
            DriveKind::Velocity { .. } | DriveKind::Grip { .. } => gains.damping * (velocity - self.speed_at(now, t)),
            DriveKind::Torque => return None,
        };
        (gains.limit.is_finite() && gains.limit > 0.0).then(|| whole / gains.limit)
    }

    /// Stored where the coordinate is `position` at a time (J).
    pub(crate) fn stored(&self, now: &DriveState, t: f64, position: f64) -> f64 {
        match self.kind {
            DriveKind::Position { .. } => self.gains(now, t).stored(position - self.reference_at(now, t).0),
            DriveKind::Velocity { .. } | DriveKind::Torque | DriveKind::Grip { .. } => 0.0,
        }
    }
}

/// Stored in the drives of a tree (J).
pub(crate) fn stored(drives: &[Drive], placed: &[Placed], states: &[DriveState], now: &TreeState, t: f64) -> f64 {
    let one = |of: &Placed| drives[of.drive].stored(&states[of.drive], t, of.position(&now.q));
    placed.iter().map(one).sum()
}
