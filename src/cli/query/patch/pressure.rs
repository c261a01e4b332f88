//! # What `query patch` says of a patch, be it an ellipse or a line
//!
//! `patch::Patch`, `patch::line::LinePatch` ──▶ **here** ──▶ the fields of one theory
//!
//! - **out**: sizes (m), pressure (Pa), approach (m), stiffnesses, e_n (m)
//! - **start at** [`Pressure`]

use fingerpad_contact::patch::foundation::torsion_factor;
use fingerpad_contact::patch::line::LinePatch;
use fingerpad_contact::patch::{Patch, PatchStiffness};

/// A patch under load.
pub struct Pressure {
    /// Longer semi-axis; half the length of a line (m).
    pub a: f64,
    /// Shorter semi-axis; half-width of a line (m).
    pub b: f64,
    /// Approach of the bodies (m).
    pub approach: f64,
    /// In the middle (Pa).
    pub peak_pressure: f64,
    /// Largest moment over largest force of friction (m).
    pub e_n: f64,
    /// The same as the paper has it, T_k √(ab) (m).
    pub e_n_of_root_ab: f64,
    /// dP/dδ (N/m).
    pub normal_stiffness: f64,
    /// Before slip.
    pub stiffness: PatchStiffness,
    /// Whether the pad ends the patch, not its curvature.
    pub capped: bool,
    /// Whether the patch is that of a line.
    pub line: bool,
}

impl Pressure {
    /// Of an elliptic patch.
    pub fn of_ellipse(patch: &Patch) -> Self {
        Self {
            a: patch.a,
            b: patch.b,
            approach: patch.approach,
            peak_pressure: patch.peak_pressure(),
            e_n: patch.e_n,
            e_n_of_root_ab: patch.e_n_of_root_ab(),
            normal_stiffness: patch.normal_stiffness,
            stiffness: patch.stiffness,
            capped: patch.capped,
            line: false,
        }
    }

    /// Of a line; without load it is a point, as ellipses are.
    pub fn of_line(half_length: f64, patch: &LinePatch) -> Self {
        let loaded = patch.load > 0.0;
        let a = if loaded { half_length } else { 0.0 };
        Self {
            a,
            b: patch.half_width,
            approach: patch.approach,
            peak_pressure: patch.peak_pressure,
            e_n: if loaded { patch.e_n } else { 0.0 },
            e_n_of_root_ab: torsion_factor(patch.exponent) * (a * patch.half_width).sqrt(),
            normal_stiffness: patch.normal_stiffness,
            stiffness: patch.stiffness,
            capped: true,
            line: true,
        }
    }
}
