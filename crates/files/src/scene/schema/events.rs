//! # Schema: what acts from outside
//!
//! - **not here**: the document as a whole (`schema`); reading, which never goes through these structs

use super::{Quantity, Vector};
use schemars::JsonSchema;

/// A force or a kick from outside, in world axes.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Event {
    /// A sudden change of momentum.
    Impulse {
        /// The body it acts on.
        body: String,
        /// When (s).
        time: Quantity,
        /// Change of momentum (N·s).
        impulse: Option<Vector>,
        /// Change of angular momentum beside it (N·m·s).
        angular_impulse: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// sin²(π (t − from)/duration) of the force.
    Pulse {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// Duration (s).
        duration: Quantity,
        /// Peak force (N).
        force: Option<Vector>,
        /// Peak moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// A steady force.
    Push {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// End (s); none if absent.
        to: Option<Quantity>,
        /// Force (N).
        force: Option<Vector>,
        /// Moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// sin(2π f (t − from) + phase) of the force.
    Wave {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// End (s); none if absent.
        to: Option<Quantity>,
        /// Frequency (Hz).
        frequency: Quantity,
        /// Phase (rad); 0 if absent.
        phase: Option<Quantity>,
        /// Force (N).
        force: Option<Vector>,
        /// Moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// From nothing at `from` to all of the force at `to`, and on.
    Ramp {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// When all of it acts (s).
        to: Quantity,
        /// Force (N).
        force: Option<Vector>,
        /// Moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
}
