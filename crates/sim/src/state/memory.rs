//! # Memory: what each stepper keeps in a state for itself
//!
//! - **out**: one typed part of the state and one of each contact, for each stepper
//! - **not here**: what is done with them (`steppers`)
//! - **start at** [`AccurateMemory`], [`FixedMemory`], [`RigidMemory`]

use nalgebra::{Isometry3, Vector3, Vector4};

/// What the accurate stepper keeps from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AccurateMemory {
    /// The next step.
    pub stride: Stride,
    /// Events before this time (s) wait for it: whatever happens, time goes on.
    pub quiet_until: f64,
    /// How long that was after the last event (s).
    pub quiet: f64,
    /// When implicit steps take over, and for how long.
    #[cfg_attr(feature = "serde", serde(default))]
    pub implicit: ImplicitMemory,
}

/// What is kept of implicit steps that stand in for explicit ones ([`Switching`](crate::Switching)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ImplicitMemory {
    /// They carry until this time (s).
    pub until: f64,
    /// The next of them (s); 0: not known yet.
    pub h: f64,
    /// How long the last spell was meant to be (s).
    pub spell: f64,
    /// When explicit steps began to be counted (s), and the rates asked for since.
    pub since: f64,
    /// Rates asked for since then.
    pub rates: f64,
    /// Rates per second of explicit steps before the spell, and of what implicit ones cost.
    pub cost: [f64; 2],
}

/// What fixed steps keep from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FixedMemory {
    /// Sums of the ledger.
    pub sums: FixedSums,
    /// How long each body has been at rest (s), infinite for those that sleep; empty where nothing may sleep.
    pub still: Vec<f64>,
    /// Linearisation poses: bodies that hardly move keep the places and rows of their contacts at these. Empty before the
    /// first step.
    pub linearised_at: Vec<Isometry3<f64>>,
    /// Whether the last step was cut for a short impact.
    pub cut: bool,
    /// Length of the next step where steps have a tolerance (s); 0 before the first.
    pub next: f64,
}

/// What the stepper of rigid contacts keeps from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidMemory {
    /// Linearisation poses (at the centres of mass) that the places of contacts belong to; empty where these are to be found.
    pub linearised_at: Vec<Isometry3<f64>>,
}

/// What the accurate stepper keeps of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AccurateContact {
    /// While slipping: the load over its limit, a unit vector; tangential part in the world, then about the normal.
    pub slip: Vector4<f64>,
    /// How much of the friction limit may be used before the contact slips: 1, and what rounding left above it.
    pub ceiling: f64,
}

impl Default for AccurateContact {
    fn default() -> Self {
        Self { slip: Vector4::zeros(), ceiling: 1.0 }
    }
}

/// The step that an error-controlled method makes next.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stride {
    /// Length (s).
    pub h: f64,
    /// Column of the extrapolation that is expected to suffice.
    pub column: usize,
}

/// What fixed steps keep of a contact from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FixedContact {
    /// Normal force of the last step (N).
    pub normal: f64,
    /// Load along the patch of the last step, in the world (N).
    pub f_W: Vector3<f64>,
    /// Moment about the normal of the last step (N·m).
    pub moment: f64,
    /// What its blend added to the motion of the last step beyond its loads, as such (N and N·m), along the same rows.
    pub blend: Vector4<f64>,
    /// Whether it slipped in the last step.
    pub slips: bool,
    /// What the gap changed by beyond its row in the first pass of the last step (m).
    pub off: f64,
    /// Factor of the elastic normal force at the start of the last step, where curvature may change it; else 0.
    pub factor: f64,
    /// The gap is at least this wide and its tracker is not kept up (m); 0 for all others.
    pub far: f64,
    /// At rest: what the gap changed by since its place was looked at (m), and the gap there.
    pub led: (f64, f64),
    /// Length of the last part where that was cut for a short impact (s); else 0.
    pub part: f64,
    /// The short impact that it is in the middle of; zeros for none.
    pub impact: ShortImpact,
}

/// An impact that is too short for whole steps: they are cut into parts while it lasts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShortImpact {
    /// Length of a part (s); 0 where there is no such impact.
    pub part: f64,
    /// Parts are cut until then (s).
    pub until: f64,
    /// … and, while the bodies part, at most until then (s).
    pub at_most: f64,
}

/// What fixed steps summed up (J).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FixedSums {
    /// Numerical loss in velocities.
    pub E_num_v: f64,
    /// Numerical loss in normal springs.
    pub E_num_n: f64,
    /// Numerical loss in tangential springs.
    pub E_num_t: f64,
    /// Geometry at the end of steps against rows.
    pub E_geo: f64,
    /// What iterations left.
    pub E_solver: f64,
}

impl FixedSums {
    /// Adds what further steps summed up.
    pub(crate) fn add(&mut self, other: &Self) {
        self.E_num_v += other.E_num_v;
        self.E_num_n += other.E_num_n;
        self.E_num_t += other.E_num_t;
        self.E_geo += other.E_geo;
        self.E_solver += other.E_solver;
    }

    /// All numerical losses (J).
    pub fn E_num(&self) -> f64 {
        self.E_num_v + self.E_num_n + self.E_num_t
    }
}

/// What a rigid contact carried over a step, per unit of time: where the next step starts from, and what tables show.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidContact {
    /// Action on B at the contact point, along the normal, the two tangent axes of the site, and about the normal
    /// (N, N, N, N·m).
    pub total: [f64; 4],
    /// Share of the friction limit in use, 0 to 1; 0 where there is no limit.
    pub used: f64,
    /// Eccentricity of the friction ellipsoid in use (m).
    pub e_n: f64,
    /// Semi-axes of the patch (m), where a theory gives them.
    pub patch: Option<(f64, f64)>,
    /// The same as `total` for each point that the contact is made of: one, or the corners of a face. In the axes of
    /// friction.
    pub points: Vec<[f64; 4]>,
}
