//! # Root of the inverse mass: coordinates in which the mass of a body is 1
//!
//! - **in**: a body
//! - **out**: [`InverseMassRoot`] Y with Y Yᵀ = M⁻¹
//! - **start at** [`InverseMassRoot::of`]

use super::joint::Joint;
use super::trees::LinkMotion;
use crate::model::body::{Body, Mobility};
use nalgebra::{Matrix3, Vector3};

/// Root Y of the inverse mass, turning first.
#[derive(Clone, Debug, PartialEq)]
pub enum InverseMassRoot {
    /// Not moved by forces.
    Held,
    /// All axes alike: √(1/I), √(1/m); in world axes.
    Round(f64, f64),
    /// In body axes: I^(−1/2), √(1/m), and I itself.
    Free(Matrix3<f64>, f64, Matrix3<f64>),
    /// Slides without turning: √(1/m) times the projection onto the directions left.
    Sliding(Matrix3<f64>),
    /// Turns, and perhaps slides, as a joint lets it.
    Joint(Box<Joint>),
    /// Rides on a tree of joints: the tree has its unknowns, and Y is that of the link alone.
    Link(Box<LinkMotion>),
}

impl InverseMassRoot {
    /// Root of the inverse mass of a body; `inverse` is that of its inertia.
    pub fn of(body: &Body, inverse: &Matrix3<f64>) -> Self {
        if !body.mobility.is_moved_by_forces() {
            return Self::Held;
        }
        if body.mobility.is_link() {
            return Self::Link(Box::new(LinkMotion::new()));
        }
        let (I, light) = (&body.I_BBcm_B, (1.0 / body.mass).sqrt());
        if let Mobility::Restricted(restriction) = &body.mobility {
            if restriction.turns != [false; 3] {
                return Self::Joint(Box::new(Joint::new(body, restriction)));
            }
            let R = restriction.X_WF.rotation.to_rotation_matrix();
            let left = Vector3::from(restriction.slides.map(f64::from));
            return Self::Sliding(R.matrix() * Matrix3::from_diagonal(&(left * light)) * R.matrix().transpose());
        }
        if *I == Matrix3::identity() * I[(0, 0)] {
            return Self::Round((1.0 / I[(0, 0)]).sqrt(), light);
        }
        let axes = inverse.symmetric_eigen();
        let roots = Matrix3::from_diagonal(&axes.eigenvalues.map(f64::sqrt));
        Self::Free(axes.eigenvectors * roots * axes.eigenvectors.transpose(), light, *I)
    }
}
