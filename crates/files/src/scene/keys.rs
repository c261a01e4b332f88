//! # Keys: every key that a scene may have
//!
//! - **out**: lists of keys, which the readers check against and the schema must agree with
//! - **not here**: what they mean (`docs/formats.md`, `schema`)

pub(crate) const ROOT: &[&str] = &[
    "scene",
    "solver",
    "materials",
    "terrain",
    "body",
    "robot",
    "joint",
    "coupling",
    "loop",
    "drive",
    "pair",
    "ignore",
    "event",
    "record",
    "check",
];
pub(crate) const SCENE: &[&str] = &["name", "description", "gravity", "duration"];
pub(crate) const SOLVER: &[&str] = &[
    "formulation",
    "stepper",
    "tolerance",
    "step",
    "longest_step",
    "sleep",
    "restitution",
    "bounce_threshold",
    "hull",
];
pub(crate) const MATERIAL: &[&str] =
    &["young", "poisson", "layer", "density", "friction", "hunt_crossley", "kelvin_voigt"];
pub(crate) const LAYER: &[&str] = &["modulus", "depth", "exponent", "shear"];
pub(crate) const BODY: &[&str] = &[
    "name",
    "shape",
    "material",
    "mass",
    "density",
    "inertia",
    "center_of_mass",
    "position",
    "orientation",
    "velocity",
    "angular_velocity",
    "touches",
    "fixed",
    "moves",
    "axes",
    "motion",
    "place",
];
pub(crate) const ROBOT: &[&str] = &[
    "name",
    "file",
    "position",
    "orientation",
    "base",
    "keyframe",
    "start",
    "poses",
    "sequence",
    "smooth",
    "actuators",
    "materials",
    "pads",
    "meshes",
    "self_contact",
];
pub(crate) const PAD: &[&str] = &["material", "layer", "shape", "position", "orientation"];
pub(crate) const JOINT: &[&str] = &[
    "name",
    "type",
    "parent",
    "child",
    "position",
    "axis",
    "limits",
    "restitution",
    "armature",
    "damping",
    "friction_loss",
    "spring",
    "start",
    "start_velocity",
];
pub(crate) const SPRING: &[&str] = &["stiffness", "rest"];
pub(crate) const COUPLING: &[&str] = &["name", "joints", "coefficients", "offset", "polynomial"];
pub(crate) const LOOP: &[&str] = &["name", "type", "bodies", "position"];
pub(crate) const FRAME: &[&str] = &["on", "position", "orientation"];
pub(crate) const IMPEDANCE: &[&str] = &["translation", "rotation"];
pub(crate) const DRIVE: &[&str] = &[
    "name",
    "robot",
    "actuator",
    "frame",
    "to",
    "position",
    "orientation",
    "joint",
    "joints",
    "coefficients",
    "type",
    "stiffness",
    "damping",
    "limit",
    "force",
    "speed",
    "timeline",
    "recording",
    "smooth",
];
pub(crate) const AXES: &[&str] = &["origin", "orientation"];
pub(crate) const ORIENTATION: &[&str] = &["quaternion", "axis", "angle", "rotation_vector", "rpy"];
pub(crate) const PLACE: &[&str] = &["on", "at", "gap"];
/// Motions with the keys of each.
pub(crate) const MOTIONS: [(&str, &[&str]); 4] = [
    ("turntable", &["type", "point", "axis", "rate"]),
    ("shaker", &["type", "amplitude", "frequency", "phase"]),
    ("conveyor", &["type", "velocity"]),
    ("steady", &["type", "velocity"]),
];
/// Shapes with the keys of each.
pub(crate) const SHAPES: [(&str, &[&str]); 12] = [
    ("half_space", &["type"]),
    ("sphere", &["type", "radius"]),
    ("ellipsoid", &["type", "semi_axes"]),
    ("cylinder", &["type", "radius", "half_length", "edge_radius"]),
    ("capsule", &["type", "radius", "half_length"]),
    ("torus", &["type", "major_radius", "minor_radius"]),
    ("rounded_box", &["type", "half_extents", "edge_radius"]),
    ("box", &["type", "half_extents", "edge_radius"]),
    ("revolution", &["type", "profile"]),
    ("graph", &["type", "terms", "domain"]),
    ("elevation", &["type", "map", "png", "degrees", "dx", "dy", "x0", "y0", "z", "generated", "interpolation"]),
    ("mesh", &["type", "mesh", "unit", "fillet_radius", "surface"]),
];
pub(crate) const PNG: &[&str] = &["dx", "dy", "x0", "y0", "z_scale", "z_offset"];
pub(crate) const GENERATED: &[&str] = &["formula", "size", "spacing", "center"];
pub(crate) const TERRAIN: &[&str] =
    &["map", "png", "degrees", "dx", "dy", "x0", "y0", "z", "generated", "kind", "origin", "material"];
pub(crate) const PAIR: &[&str] = &[
    "materials",
    "bodies",
    "friction",
    "mu",
    "places",
    "theory",
    "k",
    "n",
    "c_hc",
    "b_kv",
    "alpha",
    "k_t",
    "k_theta",
    "e_n",
    "b_t",
    "b_theta",
    "restitution",
];
pub(crate) const IGNORE: &[&str] = &["bodies", "materials"];
/// Events with the keys of each.
pub(crate) const EVENTS: [(&str, &[&str]); 5] = [
    ("impulse", &["type", "body", "time", "impulse", "angular_impulse", "at"]),
    ("pulse", &["type", "body", "from", "duration", "force", "moment", "at"]),
    ("push", &["type", "body", "from", "to", "force", "moment", "at"]),
    ("wave", &["type", "body", "from", "to", "frequency", "phase", "force", "moment", "at"]),
    ("ramp", &["type", "body", "from", "to", "force", "moment", "at"]),
];
pub(crate) const RECORD: &[&str] = &["period", "contacts", "bodies"];
pub(crate) const CHECK: &[&str] = &["name", "expression", "steppers"];
