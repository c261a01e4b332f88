//! # Schema: the format of scenes for editors
//!
//! - **in**: structs that mirror the format; nothing is ever read into them
//! - **out**: a JSON Schema with every key and its meaning, kept as `docs/scene.schema.json`
//! - **not here**: reading (`bodies`, `materials`, …), whose keys a test compares with these
//! - **start at** [`text`]

// The structs are only looked at by the derive.
#![allow(dead_code, clippy::large_enum_variant)]

use super::drives::table::{DriveTable, SmoothWay};
use schemars::{JsonSchema, schema_for};
use std::collections::BTreeMap;

/// The schema as text, ending with a new line.
pub fn text() -> String {
    let schema = schema_for!(Document);
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// A number in SI units, or text with a unit such as "8 mm".
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Quantity {
    Number(f64),
    Text(String),
}

type Vector = [Quantity; 3];

/// A Fingerpad scene.
#[derive(JsonSchema)]
#[schemars(title = "Fingerpad scene", deny_unknown_fields)]
struct Document {
    scene: Scene,
    solver: Option<Solver>,
    /// Materials by name.
    materials: Option<BTreeMap<String, Material>>,
    terrain: Option<Terrain>,
    /// Bodies; at least one, or a robot.
    body: Option<Vec<Body>>,
    robot: Option<Vec<Robot>>,
    joint: Option<Vec<Joint>>,
    coupling: Option<Vec<Coupling>>,
    #[schemars(rename = "loop")]
    loops: Option<Vec<Loop>>,
    drive: Option<Vec<DriveTable>>,
    pair: Option<Vec<Pair>>,
    ignore: Option<Vec<Ignore>>,
    event: Option<Vec<Event>>,
    record: Option<Record>,
    check: Option<Vec<Check>>,
}

/// The scene as a whole.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Scene {
    /// Name of the scene, and of its folder under `out/`.
    name: String,
    /// What it shows.
    description: Option<String>,
    /// Free fall (m/s²): a number pulls down along −z and is not negative; or a vector. 9.81 if absent.
    gravity: Option<Gravity>,
    /// How long to run (s).
    duration: Quantity,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Gravity {
    Down(Quantity),
    Vector(Vector),
}

/// How to run.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Solver {
    /// What a contact is: springs and dampers over a patch, or a rigid point with an impulse per step (`complementarity`, in these pages: rigid contacts); compliant if absent.
    formulation: Option<Formulation>,
    /// How the scene is carried in time: compliant contacts with error control and events located (`accurate`), or by fixed steps (`fast`); `rigid` is the same as `formulation = "complementarity"`. Accurate if absent.
    stepper: Option<Stepper>,
    /// Relative error allowed per step, above 0 and at most 0.1. Accurate stepper: 1e-12 if absent. Fast stepper: each step is made whole and in halves, and is as long as this error lets it; steps of one length if absent.
    tolerance: Option<f64>,
    /// Length of a fixed step (s), for the fast stepper and for rigid contacts; 1 ms if absent.
    step: Option<Quantity>,
    /// Longest step of the accurate stepper (s), and of the fast one with `tolerance` and no `step`; 5 ms if absent.
    longest_step: Option<Quantity>,
    /// Fast stepper: how long bodies that touch must all be at rest (kinetic energy below 1e-8 of that of a fall over their own size) before they are left alone (s). They wake together when a moving body touches them, when one is kicked, when a load on it changes, or when a body with prescribed motion that they touch moves. The kinetic energy left goes to `E_num`. Never if absent.
    sleep: Option<Quantity>,
    /// Newton's coefficient of restitution of rigid contacts, 0 to 1, for pairs that give none; compliant contacts do not read it. 0 if absent.
    restitution: Option<f64>,
    /// Rigid contacts that come in more slowly than this (m/s) do not bounce; 0.01 if absent.
    bounce_threshold: Option<Quantity>,
    /// Points of the hull that stands for the friction ellipsoid of rigid contacts: 20, 42 or 86; the ellipsoid itself if absent.
    hull: Option<u32>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Formulation {
    Compliant,
    Complementarity,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Stepper {
    Accurate,
    Fast,
    Rigid,
}

/// A material; rigid without `young` and `layer`. Two materials make a Hertz patch, or the patch of the layers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Material {
    /// Young's modulus (Pa), together with `poisson`.
    young: Option<Quantity>,
    /// Poisson's ratio, above −1 and at most 0.5.
    poisson: Option<f64>,
    /// A soft layer on a stiff core; it is taken before `young`.
    layer: Option<Layer>,
    /// Density (kg/m³), for bodies that give neither mass nor density.
    density: Option<Quantity>,
    /// Coefficient of friction: one number, or by the other material with a `default`, as `{ glass = 0.8, default = 0.5 }`. Two materials that both say a number of themselves have the root of the product; a `[[pair]]` goes before. None, with a warning, if absent.
    friction: Option<MaterialFriction>,
    /// Hunt–Crossley dissipation c (s/m): f = f_el (1 + c δ′); 0 if absent. Of two materials each counts by its share of the deformation.
    hunt_crossley: Option<Quantity>,
    /// Kelvin–Voigt damping b (N·s/m): f = f_el + b δ′; 0 if absent.
    kelvin_voigt: Option<Quantity>,
}

/// A soft layer on a stiff core.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Layer {
    /// Modulus (Pa).
    modulus: Quantity,
    /// Depth (m).
    depth: Quantity,
    /// Exponent of the pressure in the compression; 1 if absent.
    exponent: Option<f64>,
    /// Shear modulus (Pa); a third of the modulus if absent.
    shear: Option<Quantity>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum MaterialFriction {
    One(f64),
    ByMaterial(BTreeMap<String, f64>),
}

/// A body.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Body {
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

/// A robot from a URDF or MJCF file: its links are bodies `robot/link`, its joints `robot/joint`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Robot {
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

/// A joint between two bodies, which stand in the file where all joints are at zero.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Joint {
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
enum JointStart {
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
struct Coupling {
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
struct Loop {
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
pub(super) enum Orientation {
    Quaternion([f64; 4]),
    Table(OrientationTable),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct OrientationTable {
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

#[derive(JsonSchema)]
#[schemars(untagged)]
enum ShapeOrName {
    Name(Unsized),
    Table(Shape),
}

#[derive(JsonSchema)]
enum Unsized {
    #[schemars(rename = "half_space")]
    HalfSpace,
    #[schemars(rename = "half-space")]
    HalfSpaceHyphen,
}

/// A shape with its sizes (m).
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Shape {
    /// Solid below z = 0.
    HalfSpace {},
    /// Origin at the centre.
    Sphere {
        /// Radius.
        radius: Quantity,
    },
    /// Origin at the centre, axes along x, y, z.
    Ellipsoid {
        /// Semi-axes along x, y, z.
        semi_axes: Vector,
    },
    /// Origin at the centre, axis along z. Edges are never sharp.
    Cylinder {
        /// Radius.
        radius: Quantity,
        /// Half of the length.
        half_length: Quantity,
        /// Radius of its edges; 1 % of the smaller of `radius` and `half_length` if absent.
        edge_radius: Option<Quantity>,
    },
    /// Origin at the centre, axis along z.
    Capsule {
        /// Radius.
        radius: Quantity,
        /// Half of the length of the straight part.
        half_length: Quantity,
    },
    /// Origin at the centre, axis along z.
    Torus {
        /// Radius of the ring.
        major_radius: Quantity,
        /// Radius of the tube.
        minor_radius: Quantity,
    },
    /// Origin at the centre; a box with rounded edges.
    RoundedBox {
        /// Half of each side.
        half_extents: Vector,
        /// Radius of its edges; 1 % of the least half extent if absent.
        edge_radius: Option<Quantity>,
    },
    /// Origin at the centre; a box with rounded edges.
    Box {
        /// Half of each side.
        half_extents: Vector,
        /// Radius of its edges; 1 % of the least half extent if absent.
        edge_radius: Option<Quantity>,
    },
    /// A C2 spline through points [r, z], turned around z.
    Revolution {
        /// Points [r, z], from axis to axis or around a loop.
        profile: Vec<[Quantity; 2]>,
    },
    /// z = Σ c xᵖ yᵠ, solid below.
    Graph {
        /// Terms [p, q, c].
        terms: Vec<[f64; 3]>,
        /// [x0, x1, y0, y1]; the whole plane if absent.
        domain: Option<[Quantity; 4]>,
    },
    /// Heights, solid below; origin at the south-west node.
    Elevation {
        /// ESRI ASCII grid, GeoTIFF or 16-bit PNG, relative to the scene.
        map: Option<String>,
        /// What a PNG cannot say.
        png: Option<Png>,
        /// What to do with a map in degrees; refuse if absent.
        degrees: Option<Degrees>,
        /// Spacing of columns of `z`.
        dx: Option<Quantity>,
        /// Spacing of rows of `z`.
        dy: Option<Quantity>,
        /// Georeferenced x of the south-west node; 0 if absent.
        x0: Option<Quantity>,
        /// Georeferenced y of the south-west node; 0 if absent.
        y0: Option<Quantity>,
        /// Rows of heights, row 0 in the south; nan for no data.
        z: Option<Vec<Vec<Quantity>>>,
        /// Heights from a formula.
        generated: Option<Generated>,
        /// Smooth patches through the samples; quintic if absent.
        interpolation: Option<Interpolation>,
    },
    /// A triangle mesh in the frame of its file (docs/meshes.md).
    Mesh {
        /// STL, OBJ or COLLADA, relative to the scene.
        mesh: String,
        /// Metres per unit of the file, or m, cm, mm, in; m if absent.
        unit: Option<Quantity>,
        /// Radius along creases, of facets along all edges; 0 keeps them sharp. 1 % of the diagonal, where facets have room for it, if absent.
        fillet_radius: Option<Quantity>,
        /// Which surface the mesh stands for; auto if absent.
        surface: Option<MeshSurface>,
    },
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum MeshSurface {
    /// Smooth where the mesh is fine enough for it, else its facets.
    Auto,
    /// A smooth surface through the vertices.
    Smooth,
    /// Its facets, with rounded edges.
    Facets,
    /// The facets of its convex hull, with rounded edges.
    Hull,
}

/// What a PNG cannot say.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Png {
    /// Spacing of columns (m).
    dx: Quantity,
    /// Spacing of rows (m).
    dy: Quantity,
    /// Georeferenced x of the south-west node (m); 0 if absent.
    x0: Option<Quantity>,
    /// Georeferenced y of the south-west node (m); 0 if absent.
    y0: Option<Quantity>,
    /// Metres per gray level.
    z_scale: Quantity,
    /// Height of gray level 0 (m); 0 if absent.
    z_offset: Option<Quantity>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Degrees {
    /// A map in degrees is an error.
    Refuse,
    /// Metres per degree at the map's centre; of an ESRI grid, which names no unit, it says that it is in degrees.
    Local,
}

#[derive(JsonSchema)]
enum Interpolation {
    #[schemars(rename = "cubic")]
    Cubic,
    #[schemars(rename = "quintic")]
    Quintic,
    #[schemars(rename = "quintic_corrected")]
    QuinticCorrected,
    #[schemars(rename = "quintic_6x6")]
    Quintic6x6,
    #[schemars(rename = "6x6")]
    SixBySix,
}

/// Heights from a formula, at most 4 million nodes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Generated {
    /// z (m) as a formula of x and y (m), such as "0.1*sin(2*pi*x/3)".
    formula: String,
    /// Extent along x and y (m).
    size: [Quantity; 2],
    /// Between nodes (m).
    spacing: Quantity,
    /// Middle of the map (m); the origin if absent.
    center: Option<[Quantity; 2]>,
}

/// The ground: a fixed body named `terrain`, from a file (`map`), from numbers (`z`) or from a formula (`generated`).
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Terrain {
    /// ESRI ASCII grid, GeoTIFF or 16-bit PNG, relative to the scene.
    map: Option<String>,
    /// What a PNG cannot say.
    png: Option<Png>,
    /// What to do with a map in degrees; refuse if absent.
    degrees: Option<Degrees>,
    /// Spacing of columns of `z` (m).
    dx: Option<Quantity>,
    /// Spacing of rows of `z` (m).
    dy: Option<Quantity>,
    /// Place of the south-west node of `z` (m); 0 if absent.
    x0: Option<Quantity>,
    /// Place of the south-west node of `z` (m); 0 if absent.
    y0: Option<Quantity>,
    /// Rows of heights (m), row 0 in the south; nan for no data.
    z: Option<Vec<Vec<Quantity>>>,
    /// Heights from a formula.
    generated: Option<Generated>,
    /// Smooth patches through the samples; quintic if absent.
    kind: Option<Interpolation>,
    /// Place of the map that comes to the world's origin: "corner" (south-west node), "center", [x, y] or [x, y, z]; the corner for files, [0, 0] for others if absent.
    origin: Option<Origin>,
    /// Name of its material.
    material: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Origin {
    Named(NamedOrigin),
    Place([Quantity; 2]),
    PlaceAndHeight(Vector),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum NamedOrigin {
    Center,
    Corner,
}

/// What acts between two materials or two bodies; a pair of bodies goes before one of materials.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Pair {
    /// The two materials it is between; this or `bodies`.
    materials: Option<[String; 2]>,
    /// The two bodies it is between.
    bodies: Option<[String; 2]>,
    /// Coefficient of friction, or how friction works; coulomb if absent.
    friction: Option<PairFriction>,
    /// Coefficient of friction; of the materials if absent.
    mu: Option<f64>,
    /// Where the shapes touch; all if absent.
    places: Option<Places>,
    /// Which patch theory; auto (a layer where there is one) if absent.
    theory: Option<Theory>,
    /// Normal stiffness (N/mⁿ), f_el = k δⁿ: with it the law is made of constants and needs no material.
    k: Option<Quantity>,
    /// Exponent n, from 1 to 10; with `k`.
    n: Option<f64>,
    /// Hunt–Crossley dissipation (s/m); of the materials if absent.
    c_hc: Option<Quantity>,
    /// Kelvin–Voigt damping (N·s/m); of the materials if absent.
    b_kv: Option<Quantity>,
    /// Share of the deformation that the first of the pair takes; with `k`, 0.5 if absent.
    alpha: Option<f64>,
    /// Tangential stiffness (N/m); with `k`, 0 if absent.
    k_t: Option<Quantity>,
    /// Torsional stiffness (N·m/rad); with `k`, 0 if absent.
    k_theta: Option<Quantity>,
    /// Eccentricity of the friction ellipsoid, largest moment over largest force (m); with `k`, 0 if absent.
    e_n: Option<Quantity>,
    /// Damping along the patch (N·s/m), together with `b_theta`; 0 if absent.
    b_t: Option<Quantity>,
    /// Damping about the normal (N·m·s/rad), together with `b_t`; 0 if absent.
    b_theta: Option<Quantity>,
    /// Newton's coefficient of restitution of rigid contacts, 0 to 1; of the solver if absent. Compliant contacts do not read it.
    restitution: Option<f64>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum PairFriction {
    Coefficient(f64),
    Kind(FrictionKind),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum FrictionKind {
    /// No friction.
    None,
    /// It never slips.
    Stick,
    /// Slip on the friction ellipsoid.
    Coulomb,
    /// Slip on the exact limit surface of the patch.
    Exact,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Places {
    /// Wherever the shapes can touch, flat parts as faces.
    All,
    /// As all, but flat parts touch at their corners, each with the constants of the pair.
    Points,
    /// At the closest points alone.
    Closest,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Theory {
    Auto,
    Hertz,
    Layer,
    Winkler,
}

/// Two bodies or two materials that pass through each other. Fixed bodies and those with prescribed motion never act on each other.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Ignore {
    /// Names of two bodies.
    bodies: Option<[String; 2]>,
    /// Names of two materials.
    materials: Option<[String; 2]>,
}

/// A force or a kick from outside, in world axes.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Event {
    /// A sudden change of momentum.
    Impulse {
        /// The body it acts on.
        body: String,
        /// When (s).
        time: Quantity,
        /// Change of momentum (N·s).
        impulse: Option<Vector>,
        /// Change of angular momentum beside it (N·m·s).
        angular_impulse: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// sin²(π (t − from)/duration) of the force.
    Pulse {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// Duration (s).
        duration: Quantity,
        /// Peak force (N).
        force: Option<Vector>,
        /// Peak moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// A steady force.
    Push {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// End (s); none if absent.
        to: Option<Quantity>,
        /// Force (N).
        force: Option<Vector>,
        /// Moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// sin(2π f (t − from) + phase) of the force.
    Wave {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// End (s); none if absent.
        to: Option<Quantity>,
        /// Frequency (Hz).
        frequency: Quantity,
        /// Phase (rad); 0 if absent.
        phase: Option<Quantity>,
        /// Force (N).
        force: Option<Vector>,
        /// Moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
    /// From nothing at `from` to all of the force at `to`, and on.
    Ramp {
        /// The body it acts on.
        body: String,
        /// Start (s); 0 if absent.
        from: Option<Quantity>,
        /// When all of it acts (s).
        to: Quantity,
        /// Force (N).
        force: Option<Vector>,
        /// Moment (N·m).
        moment: Option<Vector>,
        /// Where it acts, in the body (m); at the centre of mass if absent.
        at: Option<Vector>,
    },
}

/// What a run keeps.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Record {
    /// Between rows (s); a 500th of the duration if absent.
    period: Option<Quantity>,
    /// Whether each contact is kept; true if absent.
    contacts: Option<bool>,
    /// Which bodies are kept; all if absent.
    bodies: Option<Vec<String>>,
}

/// An expectation on the result; how to write one: docs/checks.md.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Check {
    /// The expression itself if absent.
    name: Option<String>,
    /// Such as "ball.height > 0.1".
    expression: String,
    /// Which steppers it is asked of; all if absent.
    steppers: Option<Vec<Method>>,
}

/// Formulation and stepper together.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Method {
    Accurate,
    Fast,
    Rigid,
}

#[cfg(test)]
mod tests {
    use super::super::keys;
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    fn properties(schema: &Value) -> BTreeSet<String> {
        schema["properties"].as_object().map(|p| p.keys().cloned().collect()).unwrap_or_default()
    }

    fn set(keys: &[&str]) -> BTreeSet<String> {
        keys.iter().map(|key| key.to_string()).collect()
    }

    /// Would catch a key that the reader takes and editors mark as wrong, or the other way round.
    #[test]
    fn schema_and_readers_know_the_same_keys() {
        let schema: Value = serde_json::from_str(&text()).unwrap();
        assert_eq!(properties(&schema), set(keys::ROOT));
        let of = |name: &str| properties(&schema["$defs"][name]);
        for (name, keys) in [
            ("Scene", keys::SCENE),
            ("Solver", keys::SOLVER),
            ("Material", keys::MATERIAL),
            ("Layer", keys::LAYER),
            ("Body", keys::BODY),
            ("Joint", keys::JOINT),
            ("JointSpring", keys::SPRING),
            ("Coupling", keys::COUPLING),
            ("Loop", keys::LOOP),
            ("Robot", keys::ROBOT),
            ("Pad", keys::PAD),
            ("DriveTable", keys::DRIVE),
            ("ImpedanceGains", keys::IMPEDANCE),
            ("Frame", keys::FRAME),
            ("Axes", keys::AXES),
            ("OrientationTable", keys::ORIENTATION),
            ("Place", keys::PLACE),
            ("Png", keys::PNG),
            ("Generated", keys::GENERATED),
            ("Terrain", keys::TERRAIN),
            ("Pair", keys::PAIR),
            ("Ignore", keys::IGNORE),
            ("Record", keys::RECORD),
            ("Check", keys::CHECK),
        ] {
            assert_eq!(of(name), set(keys), "{name}");
        }
        let kinds = |name: &str| -> Vec<(String, BTreeSet<String>)> {
            let list = schema["$defs"][name]["oneOf"].as_array().unwrap();
            let kind = |s: &Value| s["properties"]["type"]["const"].as_str().unwrap().to_string();
            list.iter().map(|s| (kind(s), properties(s))).collect()
        };
        let wanted = |list: &[(&str, &[&str])]| -> Vec<(String, BTreeSet<String>)> {
            list.iter().map(|(name, keys)| (name.to_string(), set(keys))).collect()
        };
        assert_eq!(kinds("Shape"), wanted(&keys::SHAPES));
        assert_eq!(kinds("Motion"), wanted(&keys::MOTIONS));
        assert_eq!(kinds("Event"), wanted(&keys::EVENTS));
    }
}
