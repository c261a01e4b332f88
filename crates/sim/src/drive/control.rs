//! # Controllers: references that are set while a model runs
//!
//! state ──▶ [`Controller`] ──([`Commands`])──▶ references of drives ──▶ the next steps
//!
//! - **in**: a model, a state, now and then
//! - **out**: references of drives, and poses of impedances, in the state; the energy that a jump of a reference puts into
//!   a spring
//! - **not here**: timelines, which need no controller
//! - **start at** [`Controller`], then [`Stepper::advance_controlled`](crate::Stepper::advance_controlled)
//!
//! Commands are part of the state: a run that is continued from a stored state goes on with them.

use super::{Command, DriveId, ImpedanceId};
use crate::model::Model;
use crate::model::check::ModelError;
use crate::state::State;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::Isometry3;

/// Sets references of drives, and poses of impedances, while a model runs.
///
/// ```
/// use fingerpad_sim::{Commands, Controller, Model, State};
/// /// Follows a circle.
/// struct Circle;
/// impl Controller for Circle {
///     fn control(&mut self, _: &Model, state: &State, commands: &mut Commands) {
///         let angle = 2.0 * state.time;
///         commands.set("x", 0.1 * angle.cos(), -0.2 * angle.sin());
///         commands.set("y", 0.1 * angle.sin(), 0.2 * angle.cos());
///     }
/// }
/// ```
pub trait Controller {
    /// Looks at a state and says what drives are to do from now on.
    fn control(&mut self, model: &Model, state: &State, commands: &mut Commands);
}

impl<F: FnMut(&Model, &State, &mut Commands)> Controller for F {
    fn control(&mut self, model: &Model, state: &State, commands: &mut Commands) {
        self(model, state, commands);
    }
}

/// What a controller wants; a drive that it does not name goes on as before.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    named: Vec<(String, f64, f64)>,
    numbered: Vec<(DriveId, f64, f64)>,
    poses: Vec<(String, Isometry3<f64>, SpatialVelocity)>,
    poses_numbered: Vec<(ImpedanceId, Isometry3<f64>, SpatialVelocity)>,
}

impl Commands {
    /// Sets the reference of a drive by its name, and its rate (1/s): 0 where it stays.
    pub fn set(&mut self, drive: &str, value: f64, rate: f64) {
        self.named.push((drive.to_string(), value, rate));
    }

    /// Sets the reference of a drive by its number: no search, no allocation.
    pub fn set_id(&mut self, drive: DriveId, value: f64, rate: f64) {
        self.numbered.push((drive, value, rate));
    }

    /// Sets the reference pose of an impedance by its name, and the velocity with which it goes on
    /// ([`Model::command_pose`]).
    pub fn set_pose(&mut self, impedance: &str, X_WR: Isometry3<f64>, V_WR: SpatialVelocity) {
        self.poses.push((impedance.to_string(), X_WR, V_WR));
    }

    /// Sets the reference pose of an impedance by its number: no search, no allocation.
    pub fn set_pose_id(&mut self, impedance: ImpedanceId, X_WR: Isometry3<f64>, V_WR: SpatialVelocity) {
        self.poses_numbered.push((impedance, X_WR, V_WR));
    }

    pub(crate) fn clear(&mut self) {
        self.named.clear();
        self.numbered.clear();
        self.poses.clear();
        self.poses_numbered.clear();
    }

    /// Gives the commands to a state.
    pub(crate) fn give(&self, model: &Model, state: &mut State) -> Result<(), ModelError> {
        for (name, value, rate) in &self.named {
            let Some(drive) = model.drive_named(name) else {
                let message = "a controller commands it, and there is no such drive".to_string();
                return Err(ModelError::Drive { of: name.clone(), field: "name", message });
            };
            model.command(state, drive, *value, *rate)?;
        }
        for (name, X_WR, V_WR) in &self.poses {
            let Some(impedance) = model.impedance_named(name) else {
                let message = "a controller commands its pose, and there is no such impedance".to_string();
                return Err(ModelError::Drive { of: name.clone(), field: "name", message });
            };
            model.command_pose(state, impedance, *X_WR, *V_WR)?;
        }
        self.numbered.iter().try_for_each(|(drive, value, rate)| model.command(state, *drive, *value, *rate))?;
        self.poses_numbered.iter().try_for_each(|(of, X_WR, V_WR)| model.command_pose(state, *of, *X_WR, *V_WR))
    }
}

impl Model {
    /// A drive by its name.
    pub fn drive_named(&self, name: &str) -> Option<DriveId> {
        self.drives().iter().position(|drive| drive.name == name).map(DriveId)
    }

    /// Sets the reference of a drive from now on: a position, a velocity or a force, which goes on with a rate (1/s). A jump
    /// puts energy into the spring of a position drive, or takes it out: `W_drive`. Says what is wrong with numbers that are
    /// not finite, and keeps the old reference.
    pub fn command(&self, state: &mut State, drive: DriveId, value: f64, rate: f64) -> Result<(), ModelError> {
        let Some(own) = self.drives().get(drive.0) else {
            let message = format!("a command names drive {}, and there are {}", drive.0, self.drives().len());
            return Err(ModelError::Drive { of: format!("{}", drive.0), field: "name", message });
        };
        if !value.is_finite() || !rate.is_finite() {
            let message = format!("a reference and its rate must be finite, the controller gave {value} and {rate}");
            return Err(ModelError::Drive { of: own.name.clone(), field: "reference", message });
        }
        let command = Command { time: state.time, value, rate };
        for (made, now) in self.trees().iter().zip(&mut state.trees) {
            let Some(placed) = made.drives.iter().find(|placed| placed.drive == drive.0) else { continue };
            let (position, of) = (placed.position(&now.q), &mut state.drives[drive.0]);
            let before = own.stored(of, state.time, position);
            of.command = Some(command);
            now.sums.W_drive += own.stored(of, state.time, position) - before;
        }
        Ok(())
    }

    /// Lets a drive follow its timeline again.
    pub fn release(&self, state: &mut State, drive: DriveId) {
        for (made, now) in self.trees().iter().zip(&mut state.trees) {
            let Some(placed) = made.drives.iter().find(|placed| placed.drive == drive.0) else { continue };
            let (own, of) = (&self.drives()[drive.0], &mut state.drives[drive.0]);
            let position = placed.position(&now.q);
            let before = own.stored(of, state.time, position);
            of.command = None;
            now.sums.W_drive += own.stored(of, state.time, position) - before;
        }
    }
}
