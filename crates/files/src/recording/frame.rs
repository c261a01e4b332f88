//! # Frame: a run at one time, as plain numbers
//!
//! - **start at** [`Frame`]

/// A run at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time (s).
    pub time: f64,
    /// Bodies, in the order of the scene.
    pub bodies: Vec<BodyFrame>,
    /// Contacts that press.
    pub contacts: Vec<ContactFrame>,
    /// Pairs that are near and do not press: body A, body B, signed gap of the surfaces (m). For reports; recordings and
    /// their digests leave it out.
    pub near: Vec<(usize, usize, f64)>,
    /// Energies (J), as [`OF_ENERGY`](crate::scene::OF_ENERGY) names them.
    pub energy: Vec<f64>,
}

/// Pose of the body frame and velocity of the centre of mass, in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyFrame {
    /// Position (m).
    pub p: [f64; 3],
    /// Quaternion w, x, y, z, body to world.
    pub q: [f64; 4],
    /// Velocity of the centre of mass (m/s).
    pub v: [f64; 3],
    /// Angular velocity (rad/s).
    pub w: [f64; 3],
}

/// A contact that presses.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactFrame {
    /// Body A, by its place in the scene.
    pub a: usize,
    /// Body B; the normal leads out of A into B.
    pub b: usize,
    /// Which of the contacts of this pair.
    pub id: u64,
    /// What it is doing.
    pub mode: Mode,
    /// Contact point (m), in the world.
    pub p: [f64; 3],
    /// Unit normal, in the world.
    pub n: [f64; 3],
    /// First axis of the patch, in the world; the second is n × e1.
    pub e1: [f64; 3],
    /// Signed gap of the surfaces (m), whatever the law forgives.
    pub gap: f64,
    /// Geometric overlap (m).
    pub depth: f64,
    /// Normal force (N).
    pub normal: f64,
    /// Load along e1, along n × e1 (N) and about the normal (N·m); it acts on A, its negative on B.
    pub load: [f64; 3],
    /// Share of the friction limit in use, 0 to 1.
    pub used: f64,
    /// Coefficient of friction, where friction has a limit.
    pub mu: Option<f64>,
    /// Largest moment over largest tangential force of the friction limit (m), where known.
    pub e_n: Option<f64>,
    /// Semi-axes of the patch along e1 and across (m), where a theory gives them.
    pub patch: Option<(f64, f64)>,
    /// Path of slip (m).
    pub slid: f64,
    /// Outline of flat parts that lie on each other (m), in the world; empty for points.
    pub outline: Vec<[f64; 3]>,
}

/// What a contact is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In contact without friction or without limit.
    Contact,
    /// The patch holds.
    Stick,
    /// The patch slides.
    Slip,
    /// Overlapping without a normal force.
    Clamped,
}

impl Mode {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Contact => "contact",
            Mode::Stick => "stick",
            Mode::Slip => "slip",
            Mode::Clamped => "clamped",
        }
    }

    /// The number in recordings and replays.
    pub fn code(self) -> u8 {
        self as u8
    }
}
