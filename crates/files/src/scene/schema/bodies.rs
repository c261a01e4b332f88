//! # Schema: what a body is, where it starts and how it may move
//!
//! - **not here**: the document as a whole (`schema`); reading, which never goes through these structs

use super::shapes::ShapeOrName;
use super::{Quantity, Vector};
use schemars::JsonSchema;

/// A body.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Body {
    /// Letters, digits, `_`, `-`, beginning with a letter; not `contact`, `energy`, `t`, `E`, `ledger_error`, `pi`, `world`.
    name: String,
    /// Its shape; `"half_space"` may stand alone.
    shape: ShapeOrName,
    /// Name of its material; without one its contacts need a `[[pair]]` of bodies.
    material: Option<String>,
    /// Mass (kg); from density and shape if absent.
    mass: Option<Quantity>,
    /// Density (kg/m³); of the material if neither this nor `mass` is given.
    density: Option<Quantity>,
    /// Inertia about the centre of mass in body axes (kg·m²): 3 numbers, 6 (xx, yy, zz, xy, xz, yz), or 3 rows; of the shape, evenly filled, if absent.
    inertia: Option<Inertia>,
    /// Centre of mass in the body (m), together with `inertia`; of the shape if absent.
    center_of_mass: Option<Vector>,
    /// Position of the body's origin in the world (m); 0 if absent.
    position: Option<Vector>,
    orientation: Option<Orientation>,
    /// Velocity of the centre of mass at time 0, world axes (m/s); 0 if absent.
    velocity: Option<Vector>,
    /// Angular velocity at time 0, world axes (rad/s); 0 if absent.
    angular_velocity: Option<Vector>,
    /// `false`: it touches nothing, such as the virtual object of a controller; true if absent.
    touches: Option<bool>,
    /// `true`: it does not move. Half-spaces, graphs and maps have no mass: they are fixed, have a `motion`, or give `mass` and `inertia`.
    fixed: Option<bool>,
    /// Motions that are left to it, along and about `axes`; about none, one or all three axes. All if absent.
    moves: Option<Vec<Move>>,
    axes: Option<Axes>,
    /// A prescribed motion: forces do not change it.
    motion: Option<Motion>,
    /// Where it is put in place of `position`: `"on terrain at (x, y)"`, or a table. The origin comes to (x, y), lowered along −z until the gap is as asked.
    place: Option<PlaceOrText>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Inertia {
    Diagonal(Vector),
    Six([Quantity; 6]),
    Rows([Vector; 3]),
}

/// Rotation body → world: `[w, x, y, z]`, or a table.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(in crate::scene) enum Orientation {
    Quaternion([f64; 4]),
    Table(OrientationTable),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::scene) struct OrientationTable {
    /// `[w, x, y, z]`.
    quaternion: Option<[f64; 4]>,
    /// Axis, with `angle`.
    axis: Option<[f64; 3]>,
    /// Angle about `axis` (rad).
    angle: Option<Quantity>,
    /// Axis times angle (rad).
    rotation_vector: Option<Vector>,
    /// Roll about x, then pitch about y, then yaw about z, axes of the world (rad).
    rpy: Option<Vector>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Move {
    X,
    Y,
    Z,
    Rx,
    Ry,
    Rz,
}

/// The frame of `moves`: at the centre of mass along world axes if absent.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Axes {
    /// Origin (m).
    origin: Option<Vector>,
    orientation: Option<Orientation>,
}

/// A prescribed motion.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Motion {
    /// Turns about an axis.
    Turntable {
        /// A point of the axis (m); the body's origin if absent.
        point: Option<Vector>,
        /// z if absent.
        axis: Option<[f64; 3]>,
        /// Rate (rad/s).
        rate: Quantity,
    },
    /// Swings about its pose: d = amplitude (sin(2π f t + phase) − sin phase).
    Shaker {
        /// Direction and size (m).
        amplitude: Vector,
        /// Frequency (Hz).
        frequency: Quantity,
        /// Phase at time 0 (rad); 0 if absent.
        phase: Option<Quantity>,
    },
    /// Stays while its surface moves.
    Conveyor {
        /// Velocity of the surface (m/s).
        velocity: Vector,
    },
    /// Moves along.
    Steady {
        /// Velocity (m/s).
        velocity: Vector,
    },
}

/// Where a body is put: "on terrain at (x, y)", or a table.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum PlaceOrText {
    Text(String),
    Table(Place),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Place {
    /// Name of the body below, or `terrain`.
    on: String,
    /// x and y of the body's origin (m).
    at: [Quantity; 2],
    /// Gap (m); 0 if absent.
    gap: Option<Quantity>,
}
