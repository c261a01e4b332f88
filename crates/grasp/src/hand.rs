//! # Hand: joint torques that the contact loads ask for
//!
//! - **in**: the hand's Jacobian in contact frames, torque limits, torques that are there anyway
//! - **out**: [`Hand`], checked; joint torques of loads
//! - **start at** [`Hand::new`]
//!
//! ```text
//! −m ≤ Jᵀf + bias ≤ m        J: 4 rows a contact (normal, t₁, t₂, spin), a column for each joint
//! ```

use crate::GraspError;

/// Torque limits of a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    /// Rows of the Jacobian: 4 for each contact.
    pub jacobian: Vec<Vec<f64>>,
    /// Largest torque of each joint (N·m, or N for sliding joints).
    pub torque_limits: Vec<f64>,
    /// Torque that each joint bears without contact loads: weight of the fingers, springs.
    pub bias: Vec<f64>,
}

impl Hand {
    /// A hand for this many contacts.
    pub fn new(
        jacobian: Vec<Vec<f64>>,
        torque_limits: Vec<f64>,
        bias: Vec<f64>,
        contacts: usize,
    ) -> Result<Self, GraspError> {
        let joints = torque_limits.len();
        if jacobian.len() != 4 * contacts {
            return Err(GraspError::number("hand.jacobian", "four rows for each contact", jacobian.len()));
        }
        if let Some((k, row)) = jacobian.iter().enumerate().find(|(_, row)| row.len() != joints) {
            return Err(GraspError::number(
                format!("hand.jacobian[{k}]"),
                "as many numbers as there are torque_limits",
                row.len(),
            ));
        }
        if bias.len() != joints {
            return Err(GraspError::number("hand.bias", "as many numbers as there are torque_limits", bias.len()));
        }
        if let Some(limit) = torque_limits.iter().find(|m| !(0.0..=1e12).contains(*m)) {
            return Err(GraspError::number("hand.torque_limits", "zero or positive torques", limit));
        }
        if let Some(x) = jacobian.iter().flatten().chain(&bias).find(|x| !x.is_finite()) {
            return Err(GraspError::number("hand", "finite numbers", x));
        }
        Ok(Self { jacobian, torque_limits, bias })
    }

    /// Joint torques under these loads (P, f₁, f₂, τ), bias included.
    pub fn torques(&self, loads: &[[f64; 4]]) -> Vec<f64> {
        let flat: Vec<f64> = loads.iter().flatten().copied().collect();
        let torque = |j: usize| self.bias[j] + self.jacobian.iter().zip(&flat).map(|(row, f)| row[j] * f).sum::<f64>();
        (0..self.bias.len()).map(torque).collect()
    }
}
