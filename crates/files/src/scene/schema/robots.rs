//! # Schema: what a robot from a file is given
//!
//! - **not here**: the document as a whole (`schema`); reading, which never goes through these structs

use super::super::drives::table::SmoothWay;
use super::bodies::Orientation;
use super::joints::JointStart;
use super::materials::Layer;
use super::shapes::{MeshSurface, ShapeOrName};
use super::{Quantity, Vector};
use schemars::JsonSchema;
use std::collections::BTreeMap;

/// A robot from a URDF or MJCF file: its links are bodies `robot/link`, its joints `robot/joint`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Robot {
    /// Name of the robot, as names of bodies are.
    name: String,
    /// URDF or MJCF file, relative to the scene.
    file: String,
    /// Where its base is: in the world, or in the body that `base` names (m); 0 if absent.
    position: Option<Vector>,
    orientation: Option<Orientation>,
    /// What its base stands on: `"fixed"` in the world, `"free"`, or a body or link, which is fixed, free, on a joint or moved as told; fixed if absent.
    base: Option<String>,
    /// A keyframe of its file at which it starts.
    keyframe: Option<String>,
    /// Where joints start (rad or m; planar [x, y, angle]; ball [w, x, y, z]), by the names of the file; others as the keyframe or the file has them, or at the limit that is nearest.
    start: Option<BTreeMap<String, JointStart>>,
    /// Poses for `sequence`, beside the keyframes of its file: where joints are (rad or m); others as they start.
    poses: Option<BTreeMap<String, BTreeMap<String, Quantity>>>,
    /// Points [time, name] of keyframes and poses that the robot's actuators and position drives follow, from where it starts.
    sequence: Option<Vec<(Quantity, String)>>,
    /// The way between points of `sequence`; "cubic" if absent.
    smooth: Option<SmoothWay>,
    /// `false`: actuators of its file do not act; true if absent.
    actuators: Option<bool>,
    /// Materials by link; `default` stands for all others.
    materials: Option<BTreeMap<String, String>>,
    /// Soft pads by link, each with `material` or `layer` (instead of the material's), and, where it is one more shape on the link and not the link's own shapes, `shape` with `position` and `orientation` in the link.
    pads: Option<BTreeMap<String, Pad>>,
    /// What surface its meshes have; auto, which is the hull for MJCF as MuJoCo has it, if absent.
    meshes: Option<MeshSurface>,
    /// `false`: its links do not touch each other. Links that a joint joins, or that the file excludes, never do; true if absent.
    self_contact: Option<bool>,
}

/// A soft pad on a link.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Pad {
    /// Material of the pad; the link's if absent.
    material: Option<String>,
    /// A soft layer on that material.
    layer: Option<Layer>,
    /// A shape that the link carries beside its own; the pad covers the link's own shapes if absent.
    shape: Option<ShapeOrName>,
    /// Where the shape is, in the link's frame (m); 0 if absent.
    position: Option<Vector>,
    orientation: Option<Orientation>,
}
