//! # Table: the keys of `[[drive]]`, for editors
//!
//! - **out**: structs that mirror the format; nothing is ever read into them (`schema`)
//! - **start at** [`DriveTable`]

use super::super::schema::{Orientation, Quantity};
use schemars::JsonSchema;

/// What moves a joint, or a body or link, as it is told.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)] // the schema
pub(in super::super) struct DriveTable {
    /// For messages, commands and checks; the name of its joint if absent.
    name: Option<String>,
    /// The revolute or prismatic joint that it moves.
    joint: Option<String>,
    /// Of an impedance: what it pulls, a body or link by name (its own frame) or a frame on one.
    frame: Option<FrameOrName>,
    /// Of an impedance: the frame on another body or link that it pulls to, in place of a reference.
    to: Option<FrameOrName>,
    /// Of an impedance: where its reference is before it is moved (m); where `frame` starts, if neither this nor `orientation` is given.
    position: Option<[Quantity; 3]>,
    /// Of an impedance: how its reference is turned before it is moved; not turned, if `position` is given alone.
    orientation: Option<Orientation>,
    /// In place of `joint`: a robot, each of whose joints a position drive of these gains holds, or leads along the robot's `sequence`; joints that another drive names are left to that.
    robot: Option<String>,
    /// In place of `joint`: an actuator of a robot's file, `robot/actuator`, whose control this table tells; it has no `type` nor gains of its own.
    actuator: Option<String>,
    /// In place of `joint`: several, whose weighted sum it moves (a tendon).
    joints: Option<Vec<String>>,
    /// Weights of `joints`; 1 each if absent.
    coefficients: Option<Vec<f64>>,
    /// What it follows: a position (spring and damper), a velocity (damper), a force that is given, a grip (it closes until a normal force, then holds that), or an impedance (a spring and a damper between two frames, in translation and rotation).
    #[schemars(rename = "type")]
    kind: Option<DriveType>,
    /// Of a position drive (N·m/rad or N/m); of an impedance a table.
    stiffness: Option<GainOrPair>,
    /// Of position and velocity drives (N·m·s/rad or N·s/m), on the way from the reference; 0 if absent for a position; of an impedance a table.
    damping: Option<GainOrPair>,
    /// Largest force (N·m or N); none if absent.
    limit: Option<Quantity>,
    /// Of a grip: the normal force that it holds (N). In place of `timeline`.
    force: Option<Quantity>,
    /// Of a grip: the velocity of the joint at which it closes (rad/s or m/s); its sign says which way.
    speed: Option<Quantity>,
    /// Points [time, value] at which the reference rests; it stays before the first and after the last. Where it starts, or 0, if absent. Of an impedance [time, [x, y, z]] or [time, [x, y, z], [rx, ry, rz]]: displacement (m) and rotation vector (rad) of the reference along the axes of the world.
    timeline: Option<Vec<TimelinePoint>>,
    /// In place of `timeline`: a CSV file with a column `t [s]` and one that is named as the joint or the drive; of an impedance columns `x`, `y`, `z`, `rx`, `ry`, `rz`, or `NAME.x` and so on.
    recording: Option<String>,
    /// The way between points; "cubic" if absent.
    smooth: Option<SmoothWay>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[allow(dead_code)] // the schema
enum DriveType {
    Position,
    Velocity,
    Torque,
    Grip,
    Impedance,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)] // the schema
enum TimelinePoint {
    Value([Quantity; 2]),
    Moved((Quantity, [Quantity; 3])),
    MovedAndTurned((Quantity, [Quantity; 3], [Quantity; 3])),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)] // the schema
enum GainOrPair {
    One(Quantity),
    Pair(ImpedanceGains),
}

/// Of an impedance.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)] // the schema
struct ImpedanceGains {
    /// Along (N/m, or N·s/m); 0 if absent.
    translation: Option<Quantity>,
    /// About (N·m/rad, or N·m·s/rad); 0 if absent.
    rotation: Option<Quantity>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)] // the schema
enum FrameOrName {
    Name(String),
    Frame(Frame),
}

/// A frame on a body or link.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code)] // the schema
struct Frame {
    /// The body or link, or a named frame of a robot (a site of MJCF).
    on: String,
    /// Where, in that (m); 0 if absent.
    position: Option<[Quantity; 3]>,
    orientation: Option<Orientation>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[allow(dead_code)] // the schema
pub(in super::super) enum SmoothWay {
    /// Rates of both ends are met.
    Cubic,
    /// Rates and accelerations of both ends are met.
    Quintic,
    /// Straight.
    None,
}
