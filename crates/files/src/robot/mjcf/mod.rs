//! # MJCF: MuJoCo's bodies, with its compiler's rules
//!
//! `<mujoco>` ──(includes, compiler, defaults)──▶ **here** ──▶ [`Robot`]
//!
//! - **in**: the root element
//! - **out**: links depth first as MuJoCo numbers bodies, joints in the order of `qpos`; the world is a link only if it has
//!   shapes
//! - **not here**: MuJoCo's solver: its options, softness and friction numbers are listed as ignored
//! - **assumes**: angles of joints are told so that numbers equal those of the file in radians; `ref` moves the frame
//! - **start at** [`read`], then `bodies`

mod actuators;
mod assets;
mod bodies;
mod compiler;
mod defaults;
mod geoms;
mod include;
mod inertia;
mod joints;
mod keyframes;
mod known;
mod relations;

use super::description::{Format, Joint, Robot};
use super::reader::Reader;
use super::xml::Element;
use crate::nearest;
use assets::Assets;
use compiler::Compiler;
use defaults::Defaults;
use nalgebra::Vector3;
use std::collections::{HashMap, HashSet};

/// Sections without effect, and why.
const SECTIONS: [(&str, &str); 8] = [
    ("option", "gravity, steps and solvers are the scene's"),
    ("size", "memory is taken as needed"),
    ("visual", "appearance"),
    ("statistic", "appearance"),
    ("custom", "data for user code"),
    ("sensor", "sensors are not modelled: runs record everything"),
    ("extension", "plug-ins are not run"),
    ("deformable", "soft bodies are not modelled; pads on links are (`pads` of [[robot]])"),
];

/// What the parts of this reader share.
struct File {
    compiler: Compiler,
    defaults: Defaults,
    assets: Assets,
    robot: Robot,
    /// Link of each body by its name; the world is `None`.
    bodies: HashMap<String, Option<usize>>,
    joints: HashMap<String, usize>,
    geoms: HashMap<String, super::description::ShapeIndex>,
    sites: HashMap<String, usize>,
    /// Spatial tendons are `None`.
    tendons: HashMap<String, Option<usize>>,
    /// Actuator of each control of the file; `None` for those that are not modelled.
    controls: Vec<Option<usize>>,
    /// Names of other things by kind, to find those that are used twice.
    used: HashSet<(&'static str, String)>,
}

/// Reads a robot.
pub(super) fn read(reader: &mut Reader<'_>, root: Element) -> Option<Robot> {
    let root = include::expand(reader, root);
    reader.attributes(&root, &["model"], &[]);
    let name = root.value("model").unwrap_or("MuJoCo Model").to_string();
    let mut compiler = Compiler::default();
    let mut defaults = Defaults::new();
    for section in &root.children {
        match section.name.as_str() {
            "compiler" => compiler.read(reader, section),
            "default" => defaults.read(reader, section),
            _ => {}
        }
    }
    let assets = Assets::read(reader, &root, &defaults);
    let mut file = File {
        compiler,
        defaults,
        assets,
        robot: empty(name),
        bodies: HashMap::from([("world".to_string(), None)]),
        joints: HashMap::new(),
        geoms: HashMap::new(),
        sites: HashMap::new(),
        tendons: HashMap::new(),
        controls: Vec::new(),
        used: HashSet::new(),
    };
    sections(reader, &root);
    bodies::read(reader, &mut file, &root);
    file.number_sites();
    relations::contacts(reader, &mut file, &root);
    relations::tendons(reader, &mut file, &root);
    relations::equalities(reader, &mut file, &root);
    actuators::read(reader, &mut file, &root);
    keyframes::read(reader, &mut file, &root);
    inertia::scale_total(&file.compiler, &mut file.robot);
    file.robot.meshes = file.assets.meshes.list;
    file.robot.height_fields = file.assets.fields;
    if file.robot.links.is_empty() {
        reader.wrong(&root, "no <body> and no <geom> in <worldbody>");
        return None;
    }
    Some(file.robot)
}

/// Lists sections without effect; refuses unknown ones.
fn sections(reader: &mut Reader<'_>, root: &Element) {
    const READ: [&str; 9] =
        ["compiler", "default", "asset", "worldbody", "contact", "tendon", "equality", "actuator", "keyframe"];
    for section in &root.children {
        let name = section.name.as_str();
        if let Some((_, why)) = SECTIONS.iter().find(|(known, _)| *known == name) {
            reader.ignore_element(section, why);
        } else if !READ.contains(&name) {
            let known: Vec<&str> = READ.into_iter().chain(SECTIONS.iter().map(|(name, _)| *name)).collect();
            let message = nearest::unknown("section of <mujoco>", name, &known);
            reader.wrong(section, message);
        }
    }
}

fn empty(name: String) -> Robot {
    Robot {
        name,
        format: Format::Mjcf,
        links: Vec::new(),
        joints: Vec::new(),
        frames: Vec::new(),
        couplings: Vec::new(),
        loops: Vec::new(),
        tendons: Vec::new(),
        actuators: Vec::new(),
        keyframes: Vec::new(),
        excludes: Vec::new(),
        pairs: Vec::new(),
        meshes: Vec::new(),
        height_fields: Vec::new(),
        ignored: Vec::new(),
        warnings: Vec::new(),
        files: Vec::new(),
    }
}

impl File {
    /// Notes a name among its kind; a second one is a problem.
    fn unique(&mut self, reader: &mut Reader<'_>, element: &Element, kind: &'static str, name: &str) {
        if !self.used.insert((kind, name.to_string())) {
            reader.wrong(element, format!("the name `{name}` of a {kind} is used twice"));
        }
    }

    /// What an attribute names, out of a list.
    fn find<T: Copy>(
        reader: &mut Reader<'_>,
        element: &Element,
        key: &str,
        what: &str,
        known: &HashMap<String, T>,
    ) -> Option<T> {
        let attribute = element.get(key)?;
        let found = known.get(&attribute.value).copied();
        if found.is_none() {
            let near = nearest::nearest(&attribute.value, known.keys().map(String::as_str));
            let hint = near.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            reader.wrong_value(element, attribute, format!("no {what} is called `{}`{hint}", attribute.value));
        }
        found
    }
}

/// Least and greatest value if they hold: by `limited`, or by being there where `autolimits` says so.
fn range(
    reader: &mut Reader<'_>,
    e: &Element,
    autolimits: bool,
    limited: &str,
    key: &str,
    unit: f64,
) -> Option<[f64; 2]> {
    let word = reader.choice(e, limited, &["false", "true", "auto"]).unwrap_or("auto");
    let numbers = reader.numbers::<2>(e, key);
    if word == "false" {
        return None;
    }
    let Some([low, high]) = numbers else {
        if word == "true" && e.get(key).is_none() {
            reader.wrong(e, format!("`{limited}` needs `{key}`"));
        }
        return None;
    };
    if word == "auto" && !autolimits {
        reader.wrong(e, format!("`{key}` without `{limited}`: with autolimits=\"false\" both are needed"));
        return None;
    }
    if word == "auto" && low == 0.0 && high == 0.0 {
        return None;
    }
    if low >= high {
        if let Some(attribute) = e.get(key) {
            let message = format!("the lower limit must be below the upper one, got {low} and {high}");
            reader.wrong_value(e, attribute, message);
        }
        return None;
    }
    Some([low * unit, high * unit])
}

/// A joint that moves nothing, to be filled in.
fn blank_joint(name: String, place: super::description::Place) -> Joint {
    Joint {
        name,
        kind: super::description::JointKind::Fixed,
        parent: None,
        child: 0,
        X_PF: nalgebra::Isometry3::identity(),
        axis: Vector3::z_axis(),
        limits: None,
        armature: 0.0,
        damping: 0.0,
        friction_loss: 0.0,
        spring: None,
        reference: 0.0,
        effort: None,
        speed: None,
        named: false,
        place,
    }
}
