//! # Poses that a controller commands
//!
//! - **in**: a pose and its velocity, given to a state while a model runs
//! - **out**: where the reference of an impedance is ([`Told`]); the energy that a jump puts into its springs
//! - **start at** [`Model::command_pose`]

use super::{Impedance, ImpedanceId, SpringStart};
use crate::model::Model;
use crate::model::check::ModelError;
use crate::state::State;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Translation3, UnitQuaternion};

/// A reference pose that a controller has commanded; it goes on with its velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseCommand {
    /// When it was commanded (s).
    pub time: f64,
    /// Pose of the reference then.
    pub X_WR: Isometry3<f64>,
    /// Velocity of its origin and its angular velocity from then on, both in the world.
    pub V_WR: SpatialVelocity,
}

/// What an impedance remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ImpedanceState {
    /// Commanded reference; the timeline where there is none.
    pub command: Option<PoseCommand>,
}

impl PoseCommand {
    /// Pose and velocity at a time (s).
    fn at(&self, t: f64) -> (Isometry3<f64>, SpatialVelocity) {
        let dt = t - self.time;
        let p = Translation3::from(self.X_WR.translation.vector + self.V_WR.v * dt);
        let R = UnitQuaternion::from_scaled_axis(self.V_WR.w * dt) * self.X_WR.rotation;
        (Isometry3::from_parts(p, R), self.V_WR)
    }
}

/// Where the references of impedances are told to be.
#[derive(Clone, Copy)]
pub(crate) struct Told<'a> {
    impedances: &'a [Impedance],
    states: &'a [ImpedanceState],
}

impl<'a> Told<'a> {
    pub fn new(impedances: &'a [Impedance], states: &'a [ImpedanceState]) -> Self {
        Self { impedances, states }
    }

    /// Pose and velocity of a reference at a time (s).
    pub fn at(&self, impedance: usize, t: f64) -> (Isometry3<f64>, SpatialVelocity) {
        match &self.states[impedance].command {
            Some(command) => command.at(t),
            None => self.impedances[impedance].reference.at(t),
        }
    }
}

impl Model {
    /// An impedance by its name.
    pub fn impedance_named(&self, name: &str) -> Option<ImpedanceId> {
        self.impedances().iter().position(|impedance| impedance.name == name).map(ImpedanceId)
    }

    /// Sets the reference pose of an impedance from now on, which goes on with a velocity (of its origin, and angular, in
    /// the world). A jump puts energy into the springs, or takes it out: `W_drive`. Says what is wrong with numbers that
    /// are not finite, and keeps the old reference.
    pub fn command_pose(
        &self,
        state: &mut State,
        impedance: ImpedanceId,
        X_WR: Isometry3<f64>,
        V_WR: SpatialVelocity,
    ) -> Result<(), ModelError> {
        let Some(own) = self.impedances().get(impedance.0) else {
            let message =
                format!("a command names impedance {}, and there are {}", impedance.0, self.impedances().len());
            return Err(ModelError::Drive { of: format!("{}", impedance.0), field: "name", message });
        };
        let p = X_WR.translation.vector;
        let numbers = p.iter().chain(X_WR.rotation.coords.iter()).chain(V_WR.v.iter()).chain(V_WR.w.iter());
        if let Some(bad) = numbers.copied().find(|x| !x.is_finite()) {
            let message = format!("a reference pose and its velocity must be finite, the controller gave {bad}");
            return Err(ModelError::Drive { of: own.name.clone(), field: "reference", message });
        }
        // A quaternion that was put together by hand may have another length.
        let Some(rotation) = UnitQuaternion::try_new(X_WR.rotation.into_inner(), f64::MIN_POSITIVE) else {
            let message =
                "the rotation of a reference pose is a quaternion of length 1, the controller gave 0".to_string();
            return Err(ModelError::Drive { of: own.name.clone(), field: "reference", message });
        };
        let X_WR = Isometry3::from_parts(X_WR.translation, rotation);
        self.tell(state, impedance.0, Some(PoseCommand { time: state.time, X_WR, V_WR }));
        Ok(())
    }

    /// Lets an impedance follow its timeline again; nothing where there is no such impedance.
    pub fn release_pose(&self, state: &mut State, impedance: ImpedanceId) {
        if impedance.0 < self.impedances().len() {
            self.tell(state, impedance.0, None);
        }
    }

    fn tell(&self, state: &mut State, impedance: usize, command: Option<PoseCommand>) {
        let springs = &self.impedances()[impedance].springs;
        let old = state.impedances[impedance].command;
        // Springs between bodies do not feel the reference; those that do belong to the trees of the bodies that they hold.
        for spring in springs.iter().filter(|spring| matches!(spring.from, SpringStart::Reference(_))) {
            let Some(tree) = self.trees().iter().position(|made| made.bodies.contains(&spring.to.0)) else { continue };
            let [before, after] = [old, command].map(|told| {
                state.impedances[impedance].command = told;
                super::instant::stored_by(self, state, impedance, spring)
            });
            state.trees[tree].sums.W_drive += after - before;
        }
        state.impedances[impedance].command = command;
    }
}
