//! # Examples: one of each part of a scene
//!
//! **here** ──▶ `reference` ──▶ `docs/scene-reference.md`
//!
//! - **out**: for each part of a scene a piece of TOML; all of them, one after the other, are one scene that runs
//! - **not here**: what keys mean (`schema`); a test builds the scene and runs it
//! - **start at** [`of`]

/// The example of a part, by its key.
pub fn of(part: &str) -> Option<&'static str> {
    EXAMPLES.iter().find(|(key, _)| *key == part).map(|(_, text)| *text)
}

const EXAMPLES: [(&str, &str); 15] = [
    (
        "scene",
        r#"[scene]
name = "yard"
description = "A crate on rough ground, a parcel on a belt, two doors, a lamp, a jaw."
duration = "2 s"
"#,
    ),
    (
        "solver",
        r#"[solver]
stepper = "fast"
step = "0.5 ms"
"#,
    ),
    (
        "materials",
        r#"[materials.oak]
young = "10 GPa"
poisson = 0.3
density = "0.7 g/cm^3"
friction = { rubber = 0.9, default = 0.5 }

[materials.rubber]
layer = { modulus = "1 MPa", depth = "5 mm" }
friction = 0.8
hunt_crossley = "2 s/m"
"#,
    ),
    (
        "terrain",
        r#"[terrain]
generated = { formula = "0.01*sin(2*pi*x)*cos(2*pi*y)", size = ["4 m", "4 m"], spacing = "0.1 m" }
origin = "center"
material = "rubber"
"#,
    ),
    (
        "body",
        r#"# It starts where it just touches the ground.
[[body]]
name = "crate"
shape = { type = "box", half_extents = ["20 cm", "15 cm", "10 cm"], edge_radius = "5 mm" }
material = "oak"
place = "on terrain at (0.8, 0.5)"

# It stays while its surface moves.
[[body]]
name = "belt"
shape = { type = "box", half_extents = ["50 cm", "20 cm", "5 cm"] }
material = "rubber"
position = [0, "-1 m", "0.2 m"]
motion = { type = "conveyor", velocity = ["0.3 m/s", 0, 0] }

[[body]]
name = "parcel"
shape = { type = "capsule", radius = "4 cm", half_length = "10 cm" }
material = "oak"
mass = "0.8 kg"
place = { on = "belt", at = ["-30 cm", "-1 m"] }
orientation = { axis = [0, 1, 0], angle = "90 deg" }

# Two doors, which joints below will carry, and a lamp, which a loop will.
[[body]]
name = "left_door"
shape = { type = "box", half_extents = ["40 cm", "2 cm", "1 m"] }
material = "oak"
position = ["-1.6 m", "1.5 m", "1.2 m"]

[[body]]
name = "right_door"
shape = { type = "box", half_extents = ["40 cm", "2 cm", "1 m"] }
material = "oak"
position = ["-0.7 m", "1.5 m", "1.2 m"]

[[body]]
name = "lamp"
shape = { type = "sphere", radius = "10 cm" }
mass = "1 kg"
touches = false
position = [1, "-1 m", "1 m"]
velocity = ["0.2 m/s", 0, 0]
"#,
    ),
    (
        "robot",
        r#"[[robot]]
name = "jaw"
file = "robots/parallel-jaw.urdf"
position = [0, "1 m", "0.5 m"]
materials = { default = "oak" }
pads.finger_left = { layer = { modulus = "0.5 MPa", depth = "4 mm" } }
pads.finger_right = { material = "rubber" }
start = { slide_left = "20 mm" }
"#,
    ),
    (
        "joint",
        r#"[[joint]]
name = "left_hinge"
type = "revolute"
parent = "world"
child = "left_door"
position = ["-2 m", "1.5 m", "1.2 m"]
axis = [0, 0, 1]
limits = ["-90 deg", "90 deg"]
damping = "8 N m s/rad"
spring = { stiffness = "6 N m/rad" }
start = "30 deg"

[[joint]]
name = "right_hinge"
type = "revolute"
parent = "world"
child = "right_door"
position = ["-0.3 m", "1.5 m", "1.2 m"]
axis = [0, 0, 1]
start = "-30 deg"
"#,
    ),
    (
        "coupling",
        r#"# The doors open together, in opposite senses: left + right = 0.
[[coupling]]
joints = ["left_hinge", "right_hinge"]
coefficients = [1, 1]
"#,
    ),
    (
        "loop",
        r#"# The lamp hangs on the point (1, -1, 2): a pendulum of 1 m.
[[loop]]
type = "connect"
bodies = ["world", "lamp"]
position = [1, "-1 m", "2 m"]
"#,
    ),
    (
        "drive",
        r#"# The jaw closes and opens again; its other finger follows by the file's mimic.
[[drive]]
joint = "jaw/slide_left"
type = "position"
stiffness = "5 kN/m"
damping = "60 N s/m"
timeline = [["0.5 s", "20 mm"], ["1 s", "5 mm"], ["1.5 s", "20 mm"]]
"#,
    ),
    (
        "pair",
        r#"# Between these two materials in place of what each says by itself.
[[pair]]
materials = ["oak", "rubber"]
mu = 0.7
"#,
    ),
    (
        "ignore",
        r#"[[ignore]]
bodies = ["left_door", "right_door"]
"#,
    ),
    (
        "event",
        r#"[[event]]
type = "push"
body = "crate"
from = "1 s"
to = "1.2 s"
force = ["20 N", 0, 0]
"#,
    ),
    (
        "record",
        r#"[record]
period = "10 ms"
bodies = ["crate", "parcel", "lamp", "left_door", "right_door"]
"#,
    ),
    (
        "check",
        r#"[[check]]
name = "the parcel goes with the belt"
expression = "abs(parcel.vx - 0.3) < 1e-2"

[[check]]
name = "the doors are coupled"
expression = "max(abs(joint.left_hinge.position + joint.right_hinge.position)) < 1e-9"

[[check]]
name = "the lamp stays 1 m from its hook"
expression = "max(abs(sqrt((lamp.x - 1)^2 + (lamp.y + 1)^2 + (lamp.z - 2)^2) - 1)) < 1e-9"
"#,
    ),
];
