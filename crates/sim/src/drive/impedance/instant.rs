//! # Spatial springs at an instant
//!
//! - **in**: a spring of a tree that is placed with its velocities, the reference at that time
//! - **out**: forces along the coordinates, power lost and supplied; what is stored, from poses of bodies alone
//! - **start at** [`PlacedSpring::act`]

use super::place::{End, PlacedSpring};
use super::{ImpedanceNow, SpatialSpring, SpringStart, Told};
use crate::coordinates::{Frame, Tree};
use crate::model::Model;
use crate::model::body::BodyId;
use crate::state::State;
use fingerpad_contact::spatial::{SpatialForce, SpatialVelocity};
use nalgebra::{Isometry3, Vector3};

impl PlacedSpring {
    /// Adds its forces along the coordinates; powers lost and supplied (W).
    pub fn act(&self, tree: &Tree, frame: &Frame, told: &Told, t: f64, tau: &mut [f64]) -> (f64, f64) {
        let (X_WR, V_WR) = told.at(self.impedance, t);
        let (x, along) = self.coordinates(tree, frame, &X_WR);
        let p = self.to.pose(tree, frame, &X_WR).translation.vector;
        let velocity = |end: &End| match end {
            End::Reference(_) => V_WR.shift(p - X_WR.translation.vector),
            End::Still(_) => SpatialVelocity::zero(),
            End::Link(link, _) => frame.velocity(tree, *link).shift(p - frame.pose(tree, *link).translation.vector),
        };
        let (V_A, V_B) = (velocity(&self.from), velocity(&self.to));
        let (mut lost, mut supplied) = (0.0, 0.0);
        let mut F = SpatialForce::new(Vector3::zeros(), Vector3::zeros());
        for (i, direction) in along.iter().enumerate() {
            let of_start = direction.power(&V_A);
            let (f, loss) = self.gains[i / 3].at(x[i], direction.power(&V_B) - of_start);
            lost += loss;
            if matches!(self.from, End::Reference(_)) {
                supplied += f * of_start;
            }
            F.t += direction.t * f;
            F.f += direction.f * f;
        }
        let F = frame.about_origin(&F, &p.into());
        for (end, sign) in [(&self.to, 1.0), (&self.from, -1.0)] {
            if let Some(node) = end.node(tree) {
                frame.add_wrench(tree, node, &SpatialForce::new(F.t * sign, F.f * sign), tau);
            }
        }
        (lost, supplied)
    }
}

/// Frames A and B of a spring in a state.
fn ends(model: &Model, state: &State, impedance: usize, spring: &SpatialSpring) -> [Isometry3<f64>; 2] {
    let pose = |id: BodyId, X_BE: &Isometry3<f64>| model.frame(id.0, &state.bodies[id.0].X_WBcm) * X_BE;
    let from = match &spring.from {
        SpringStart::Reference(X_RE) => {
            Told::new(model.impedances(), &state.impedances).at(impedance, state.time).0 * X_RE
        }
        SpringStart::Body(id, X_BE) => pose(*id, X_BE),
    };
    [from, pose(spring.to.0, &spring.to.1)]
}

/// Stored in one spring of an impedance (J).
pub(super) fn stored_by(model: &Model, state: &State, impedance: usize, spring: &SpatialSpring) -> f64 {
    let [A, B] = ends(model, state, impedance, spring);
    let away = (B.translation.vector - A.translation.vector).norm_squared();
    let turned = A.rotation.angle_to(&B.rotation);
    0.5 * spring.stiffness[0] * away + 2.0 * spring.stiffness[1] * (0.5 * turned).sin().powi(2)
}

/// Stored in the springs of an impedance (J), from poses of bodies: other code than that of the steps.
fn stored_in(model: &Model, state: &State, impedance: usize) -> f64 {
    let one = |spring: &SpatialSpring| stored_by(model, state, impedance, spring);
    model.impedances()[impedance].springs.iter().map(one).sum()
}

/// Stored in all spatial springs of a state (J).
pub(crate) fn stored(model: &Model, state: &State) -> f64 {
    (0..model.impedances().len()).map(|impedance| stored_in(model, state, impedance)).sum()
}

impl Model {
    /// An impedance in a state: where its first spring is, and what its springs store.
    pub fn impedance_now(&self, state: &State, impedance: usize) -> ImpedanceNow {
        // A model has no impedance without springs.
        let [X_WA, X_WB] = ends(self, state, impedance, &self.impedances()[impedance].springs[0]);
        ImpedanceNow { X_WA, X_WB, stored: stored_in(self, state, impedance) }
    }
}
