//! # Schema: the format of scenes for editors
//!
//! - **in**: structs that mirror the format; nothing is ever read into them
//! - **out**: a JSON Schema with every key and its meaning, kept as `docs/scene.schema.json`
//! - **not here**: reading (`bodies`, `materials`, …), whose keys a test compares with these
//! - **start at** [`text`]

// The structs are only looked at by the derive.
#![allow(dead_code, clippy::large_enum_variant)]

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
enum Quantity {
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
    body: Vec<Body>,
    joint: Option<Vec<Joint>>,
    coupling: Option<Vec<Coupling>>,
    #[schemars(rename = "loop")]
    loops: Option<Vec<Loop>>,
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
    name: String,
    description: Option<String>,
    /// Free fall: a number is down along −z (m/s²); 9.81 if absent.
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
    formulation: Option<Formulation>,
    stepper: Option<Stepper>,
    /// Error allowed per step, relative.
    tolerance: Option<f64>,
    /// Length of a step (s), for the fast stepper.
    step: Option<Quantity>,
    /// Longest step (s), for the accurate stepper.
    longest_step: Option<Quantity>,
    /// How long bodies that touch must all be at rest before they are left alone (s), for the fast stepper; never if absent.
    sleep: Option<Quantity>,
    /// Restitution of rigid contacts, 0 to 1, of pairs that say nothing.
    restitution: Option<f64>,
    /// Rigid contacts that come in more slowly than this (m/s) do not bounce.
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
}

/// A material; rigid without `young` and `layer`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Material {
    /// Young's modulus (Pa).
    young: Option<Quantity>,
    /// Poisson's ratio, above −1 and at most 0.5.
    poisson: Option<f64>,
    layer: Option<Layer>,
    /// Density (kg/m³), for bodies without mass.
    density: Option<Quantity>,
    /// Coefficient of friction: one number, or by the other material with a `default`.
    friction: Option<MaterialFriction>,
    /// Hunt–Crossley dissipation (s/m).
    hunt_crossley: Option<Quantity>,
    /// Kelvin–Voigt damping (N·s/m).
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
    name: String,
    shape: ShapeOrName,
    /// Name of its material.
    material: Option<String>,
    /// Mass (kg).
    mass: Option<Quantity>,
    /// Density (kg/m³); of the material if neither this nor `mass` is given.
    density: Option<Quantity>,
    /// Inertia about the centre of mass in body axes (kg·m²): 3 numbers, 6 (xx, yy, zz, xy, xz, yz), or 3 rows.
    inertia: Option<Inertia>,
    /// Centre of mass in the body (m).
    center_of_mass: Option<Vector>,
    /// Position of the body's origin (m).
    position: Option<Vector>,
    orientation: Option<Orientation>,
    /// Velocity of the centre of mass at time 0 (m/s).
    velocity: Option<Vector>,
    /// Angular velocity at time 0, world axes (rad/s).
    angular_velocity: Option<Vector>,
    /// Whether it does not move.
    fixed: Option<bool>,
    /// Motions that are left to it.
    moves: Option<Vec<Move>>,
    axes: Option<Axes>,
    motion: Option<Motion>,
    place: Option<PlaceOrText>,
}

/// A joint between two bodies, which stand in the file where all joints are at zero.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Joint {
    name: String,
    #[schemars(rename = "type")]
    kind: JointKind,
    /// The body that it hangs on, or "world".
    parent: String,
    /// The body that it carries.
    child: String,
    /// Where it is, in the world (m); at the origin of the child if absent.
    position: Option<Vector>,
    /// Its axis, in the world; of a planar joint the normal of the plane.
    axis: Option<[f64; 3]>,
    /// Least and greatest coordinate (rad or m).
    limits: Option<[Quantity; 2]>,
    /// Newton's restitution at the limits, 0 to 1.
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
    name: Option<String>,
    joints: Vec<String>,
    /// One for each joint.
    coefficients: Option<Vec<f64>>,
    /// SI (rad, m).
    offset: Option<f64>,
    /// From the constant one up.
    polynomial: Option<Vec<f64>>,
}

/// Two bodies that stay together at a place, besides their joints.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Loop {
    name: Option<String>,
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
enum Orientation {
    Quaternion([f64; 4]),
    Table(OrientationTable),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct OrientationTable {
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

/// A motion that is given.
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
    /// Swings about its pose.
    Shaker {
        /// Direction and size (m).
        amplitude: Vector,
        /// Frequency (Hz).
        frequency: Quantity,
        /// Phase at time 0 (rad).
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
    Sphere {
        radius: Quantity,
    },
    Ellipsoid {
        semi_axes: Vector,
    },
    /// Axis along z.
    Cylinder {
        radius: Quantity,
        half_length: Quantity,
        edge_radius: Option<Quantity>,
    },
    /// Axis along z; `half_length` is of the straight part.
    Capsule {
        radius: Quantity,
        half_length: Quantity,
    },
    /// Axis along z.
    Torus {
        major_radius: Quantity,
        minor_radius: Quantity,
    },
    RoundedBox {
        half_extents: Vector,
        edge_radius: Option<Quantity>,
    },
    Box {
        half_extents: Vector,
        edge_radius: Option<Quantity>,
    },
    /// A C2 spline through points [r, z], turned around z.
    Revolution {
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
        map: Option<String>,
        png: Option<Png>,
        degrees: Option<Degrees>,
        dx: Option<Quantity>,
        dy: Option<Quantity>,
        x0: Option<Quantity>,
        y0: Option<Quantity>,
        z: Option<Vec<Vec<Quantity>>>,
        generated: Option<Generated>,
        interpolation: Option<Interpolation>,
    },
    Mesh {
        /// STL or OBJ, relative to the scene.
        mesh: String,
        /// Metres per unit of the file, or m, cm, mm, in; m if absent.
        unit: Option<Quantity>,
        /// Radius along creases; 0 keeps them sharp.
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
    dx: Quantity,
    dy: Quantity,
    x0: Option<Quantity>,
    y0: Option<Quantity>,
    /// Metres per gray level.
    z_scale: Quantity,
    z_offset: Option<Quantity>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Degrees {
    Refuse,
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

/// Heights from a formula.
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

/// The ground: a fixed body named `terrain`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Terrain {
    /// ESRI ASCII grid, GeoTIFF or 16-bit PNG, relative to the scene.
    map: Option<String>,
    png: Option<Png>,
    degrees: Option<Degrees>,
    dx: Option<Quantity>,
    dy: Option<Quantity>,
    x0: Option<Quantity>,
    y0: Option<Quantity>,
    /// Rows of heights (m), row 0 in the south; nan for no data.
    z: Option<Vec<Vec<Quantity>>>,
    generated: Option<Generated>,
    /// Interpolation; quintic if absent.
    kind: Option<Interpolation>,
    /// Place of the map that comes to the world's origin: "center", "corner", [x, y] or [x, y, z].
    origin: Option<Origin>,
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

/// What acts between two materials or two bodies.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Pair {
    materials: Option<[String; 2]>,
    bodies: Option<[String; 2]>,
    /// Coefficient of friction, or how friction works.
    friction: Option<PairFriction>,
    /// Coefficient of friction.
    mu: Option<f64>,
    places: Option<Places>,
    theory: Option<Theory>,
    /// Normal stiffness (N/mⁿ): with it the law is made of constants.
    k: Option<Quantity>,
    /// Exponent n, at least 1.
    n: Option<f64>,
    /// Hunt–Crossley dissipation (s/m).
    c_hc: Option<Quantity>,
    /// Kelvin–Voigt damping (N·s/m).
    b_kv: Option<Quantity>,
    /// Share of the deformation that the first of the pair takes; 0.5 if absent.
    alpha: Option<f64>,
    /// Tangential stiffness (N/m).
    k_t: Option<Quantity>,
    /// Torsional stiffness (N·m/rad).
    k_theta: Option<Quantity>,
    /// Eccentricity of the friction ellipsoid (m).
    e_n: Option<Quantity>,
    /// Tangential damping (N·s/m).
    b_t: Option<Quantity>,
    /// Torsional damping (N·m·s/rad).
    b_theta: Option<Quantity>,
    /// Restitution of rigid contacts, 0 to 1.
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
    None,
    Stick,
    Coulomb,
    Exact,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Places {
    All,
    Points,
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

/// Two that pass through each other.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Ignore {
    bodies: Option<[String; 2]>,
    materials: Option<[String; 2]>,
}

/// A force or a kick from outside, in world axes.
#[derive(JsonSchema)]
#[schemars(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Event {
    /// A sudden change of momentum.
    Impulse {
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
        body: String,
        from: Option<Quantity>,
        duration: Quantity,
        /// Peak force (N).
        force: Option<Vector>,
        /// Peak moment (N·m).
        moment: Option<Vector>,
        at: Option<Vector>,
    },
    /// A steady force.
    Push {
        body: String,
        from: Option<Quantity>,
        to: Option<Quantity>,
        force: Option<Vector>,
        moment: Option<Vector>,
        at: Option<Vector>,
    },
    /// sin(2π f (t − from) + phase) of the force.
    Wave {
        body: String,
        from: Option<Quantity>,
        to: Option<Quantity>,
        frequency: Quantity,
        phase: Option<Quantity>,
        force: Option<Vector>,
        moment: Option<Vector>,
        at: Option<Vector>,
    },
    /// From nothing at `from` to all of the force at `to`, and on.
    Ramp {
        body: String,
        from: Option<Quantity>,
        to: Quantity,
        force: Option<Vector>,
        moment: Option<Vector>,
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

/// An expectation on the result.
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
