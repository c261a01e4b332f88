//! # Mechanism: what joints and drives do, row by row
//!
//! `row` ──([`Row`])──▶ **here** ──▶ `joints.csv`, `drives.csv`
//!
//! - **in**: rows of a scene with joints
//! - **out**: one line for each coordinate of each joint, one for each drive
//! - **not here**: what checks read of them, which are the same numbers (`history`); their energy (`energy.csv`)
//! - **start at** [`Tables`]

use super::row::{Row, add, start};
use crate::outcome::{self, Failure, Sheet};
use fingerpad_sim::{JointId, Model};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const JOINTS: &str = "joints.csv";
const DRIVES: &str = "drives.csv";

/// Both tables, each there if the scene has something for it.
pub struct Tables {
    joints: Option<Sheet>,
    drives: Option<Sheet>,
    folder: PathBuf,
}

impl Tables {
    /// Begins the tables in a folder.
    pub fn new(folder: &Path, model: &Model) -> Result<Self, Failure> {
        let sheet =
            |wanted: bool, name: &str, header: &str| wanted.then(|| Sheet::new(&folder.join(name), header)).transpose();
        let driven = !model.drives().is_empty() || !model.impedances().is_empty();
        Ok(Self {
            joints: sheet(
                !model.joints().is_empty(),
                JOINTS,
                "t [s],joint [-],coordinate [-],position [rad or m],velocity [rad/s or m/s]",
            )?,
            drives: sheet(
                driven,
                DRIVES,
                "t [s],drive [-],position [rad or m],velocity [rad/s or m/s],reference [as the drive],force [N m or N],\
                 distance [m],angle [rad],stored [J]",
            )?,
            folder: folder.to_path_buf(),
        })
    }

    /// Adds a row to each table.
    pub fn push(&mut self, row: &Row, line: &mut String) -> Result<(), Failure> {
        if let Some(sheet) = &mut self.joints {
            for (i, joint) in row.model.joints().iter().enumerate() {
                let (q, v) = row.model.joint_state(row.state, JointId(i));
                // A ball joint has four numbers for its attitude and three for its rate.
                for k in 0..q.len().max(v.len()) {
                    start(line, row.state.time, &[&joint.name]);
                    let _ = write!(line, ",{k}");
                    let of = |numbers: &[f64]| numbers.get(k).copied().unwrap_or(f64::NAN);
                    add(line, &[of(q), of(v)]);
                    sheet.line(line)?;
                }
            }
        }
        if let Some(sheet) = &mut self.drives {
            for (drive, now) in row.model.drives().iter().zip(&row.state.drives) {
                let mut at = [0.0; 2];
                for (joint, share) in &drive.along {
                    let (q, v) = row.model.joint_state(row.state, *joint);
                    at[0] += share * q.first().copied().unwrap_or(0.0);
                    at[1] += share * v.first().copied().unwrap_or(0.0);
                }
                start(line, row.state.time, &[&drive.name]);
                add(line, &[at[0], at[1], drive.reference_at(now, row.state.time).0, now.last.force]);
                line.push_str(",,,");
                sheet.line(line)?;
            }
            for (i, impedance) in row.model.impedances().iter().enumerate() {
                let now = row.model.impedance_now(row.state, i);
                start(line, row.state.time, &[&impedance.name]);
                line.push_str(",,,");
                let stiffness = impedance.springs.first().map_or(0.0, |spring| spring.stiffness[0]);
                add(line, &[stiffness * now.distance(), now.distance(), now.angle(), now.stored]);
                sheet.line(line)?;
            }
        }
        Ok(())
    }

    /// Puts the tables into their places; one of an earlier run would be taken for this one's.
    pub fn finish(self) -> Result<(), Failure> {
        for (sheet, name) in [(self.joints, JOINTS), (self.drives, DRIVES)] {
            match sheet {
                Some(sheet) => sheet.finish()?,
                None => outcome::remove(&self.folder.join(name))?,
            }
        }
        Ok(())
    }
}
