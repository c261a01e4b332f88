//! # Schema: how bodies hang together
//!
//! - **not here**: the document as a whole (`schema`); reading, which never goes through these structs

use super::{Quantity, Vector};
use schemars::JsonSchema;

/// A joint between two bodies, which stand in the file where all joints are at zero.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Joint {
    /// Name of the joint.
    name: String,
    /// What it leaves free: nothing, a turn about `axis`, a slide along it, motion in a plane, or all turns.
    #[schemars(rename = "type")]
    kind: JointKind,
    /// The body that it hangs on, or "world".
    parent: String,
    /// The body that it carries.
    child: String,
    /// Where it is, in the world (m); at the origin of the child if absent.
    position: Option<Vector>,
    /// Its axis, in the world; of a planar joint the normal of the plane. Needed by revolute and prismatic joints.
    axis: Option<[f64; 3]>,
    /// Least and greatest coordinate (rad or m).
    limits: Option<[Quantity; 2]>,
    /// Newton's coefficient of restitution at the limits, 0 to 1; 0 if absent.
    restitution: Option<f64>,
    /// Inertia of a drive as the joint feels it (kg·m², or kg for slides).
    armature: Option<Quantity>,
    /// Damping (N·m·s/rad or N·s/m).
    damping: Option<Quantity>,
    /// Dry friction (N·m or N).
    friction_loss: Option<Quantity>,
    spring: Option<JointSpring>,
    /// Coordinate at time 0 (rad or m); planar [x, y, angle]; ball a quaternion [w, x, y, z].
    start: Option<JointStart>,
    /// Its rate at time 0 (rad/s or m/s); planar [x, y, angle]; ball in axes of the child.
    start_velocity: Option<JointStart>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum JointKind {
    Fixed,
    Revolute,
    Prismatic,
    Planar,
    Ball,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum JointStart {
    One(Quantity),
    Several(Vec<Quantity>),
}

/// A spring along the coordinate of a joint.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct JointSpring {
    /// Stiffness (N·m/rad or N/m).
    stiffness: Quantity,
    /// Where it is relaxed (rad or m); 0 if absent.
    rest: Option<Quantity>,
}

/// An equation between joints: Σ coefficients q = offset, or the first as a polynomial of the second.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Coupling {
    /// For messages.
    name: Option<String>,
    /// Revolute or prismatic joints.
    joints: Vec<String>,
    /// One for each joint.
    coefficients: Option<Vec<f64>>,
    /// Right side, SI (rad, m); 0 if absent.
    offset: Option<f64>,
    /// In place of `coefficients`: those of the second joint's coordinate, from the constant one up.
    polynomial: Option<Vec<f64>>,
}

/// Two bodies that stay together at a place, besides their joints.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Loop {
    /// For messages.
    name: Option<String>,
    /// What stays together.
    #[schemars(rename = "type")]
    kind: LoopKind,
    /// Two bodies, or one and "world".
    bodies: [String; 2],
    /// Where, in the world, bodies as they stand in the file (m); at the origin of the second if absent.
    position: Option<Vector>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum LoopKind {
    /// A point stays together.
    Connect,
    /// A point and all axes do.
    Weld,
}
