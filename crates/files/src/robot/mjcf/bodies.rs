//! # Bodies: the tree under `<worldbody>`
//!
//! - **in**: `<body>`, `<frame>` and what they hold
//! - **out**: links depth first, with joints, shapes, sites and inertias
//! - **not here**: single joints (`joints`), single geoms (`geoms`), sums of masses (`inertia`)
//! - **start at** [`read`], then [`body`]

use super::super::description::{Inertial, JointKind, Link, NamedFrame, ShapeIndex};
use super::super::reader::Reader;
use super::super::xml::Element;
use super::compiler::{FromGeoms, flag};
use super::geoms::Geom;
use super::{File, blank_joint, inertia, known};
use crate::nearest;
use nalgebra::Isometry3;

/// Content that would change the mechanism, and that we do not read.
const REFUSED: [(&str, &str); 4] = [
    ("attach", "models are not attached to others; save the whole from MuJoCo (mj_saveLastXML) and read that"),
    ("replicate", "copies are not made; save the whole from MuJoCo (mj_saveLastXML) and read that"),
    ("composite", "composite bodies are not made; save the whole from MuJoCo (mj_saveLastXML) and read that"),
    ("flexcomp", "soft bodies are not modelled"),
];

/// Content without effect.
const IGNORED: [(&str, &str); 3] =
    [("camera", "appearance"), ("light", "appearance"), ("plugin", "plug-ins are not run")];

/// Where elements stand.
#[derive(Clone, Copy)]
struct Around {
    /// Default class of elements that name none.
    class: usize,
    /// Frame of `<frame>` in the body.
    X_BF: Isometry3<f64>,
}

/// What a body holds, but for other bodies.
#[derive(Default)]
struct Content<'e> {
    joints: Vec<(Element, Isometry3<f64>)>,
    geoms: Vec<Geom>,
    sites: Vec<NamedFrame>,
    inertial: Option<&'e Element>,
}

/// Reads all bodies.
pub(super) fn read(reader: &mut Reader<'_>, file: &mut File, root: &Element) {
    let around = Around { class: 0, X_BF: Isometry3::identity() };
    let worlds: Vec<&Element> = root.named("worldbody").collect();
    let mut content = Content::default();
    for world in &worlds {
        reader.attributes(
            world,
            &[],
            &[("name", "the world is called world"), ("childclass", "see <frame childclass>")],
        );
        gather(reader, file, world, around, false, &mut content);
    }
    for (joint, _) in &content.joints {
        reader.wrong(joint, "the world has no joints");
    }
    if let Some(e) = content.inertial {
        reader.wrong(e, "the world has no inertial");
    }
    let mut parent = None;
    if let (false, Some(world)) = (content.geoms.is_empty(), worlds.first()) {
        file.robot.links.push(Link {
            name: "world".to_string(),
            parent: None,
            joints: Vec::new(),
            X_FB: Isometry3::identity(),
            inertial: Inertial::default(),
            shapes: Vec::new(),
            place: reader.place(world),
        });
        file.bodies.insert("world".to_string(), Some(0));
        shapes(file, 0, &mut content.geoms);
        parent = Some(0);
    }
    content.sites.iter_mut().for_each(|site| site.link = parent);
    file.robot.frames.append(&mut content.sites);
    for world in worlds {
        children(reader, file, world, around, parent);
    }
}

/// Bodies in an element, through frames.
fn children(reader: &mut Reader<'_>, file: &mut File, element: &Element, around: Around, parent: Option<usize>) {
    for child in &element.children {
        match child.name.as_str() {
            "body" => body(reader, file, child, around, parent),
            "frame" => {
                let inner = inside_frame(reader, file, child, around);
                children(reader, file, child, inner, parent);
            }
            _ => {}
        }
    }
}

fn inside_frame(reader: &mut Reader<'_>, file: &File, frame: &Element, around: Around) -> Around {
    let class = file.defaults.class(reader, frame, "childclass").unwrap_or(around.class);
    Around { class, X_BF: around.X_BF * file.compiler.pose(reader, frame) }
}

fn body(reader: &mut Reader<'_>, file: &mut File, element: &Element, around: Around, parent: Option<usize>) {
    if let Some(known) = known::of("body") {
        known.check(reader, element);
    }
    let X_PB = around.X_BF * file.compiler.pose(reader, element);
    let class = file.defaults.class(reader, element, "childclass").unwrap_or(around.class);
    if flag(reader, element, "mocap") == Some(true) {
        reader.ignore(element, "body mocap".to_string(), "the body is fixed; give it prescribed motion in a scene");
    }
    if reader.number(element, "gravcomp").is_some_and(|x| x != 0.0) {
        reader.ignore(element, "body gravcomp".to_string(), "gravity acts on every link");
    }
    let link = file.robot.links.len();
    let name = name(reader, file, element, link);
    file.bodies.insert(name.clone(), Some(link));
    let inside = Around { class, X_BF: Isometry3::identity() };
    let mut content = Content::default();
    let has_inertial = element.child("inertial").is_some();
    let weighs = match file.compiler.from_geoms {
        FromGeoms::Never => false,
        FromGeoms::Always => true,
        FromGeoms::Auto => !has_inertial,
    };
    gather(reader, file, element, inside, weighs, &mut content);
    let inertial = inertia::of_body(reader, &file.compiler, element, content.inertial, weighs, &content.geoms);
    file.robot.links.push(Link {
        name,
        parent,
        joints: Vec::new(),
        X_FB: Isometry3::identity(),
        inertial,
        shapes: Vec::new(),
        place: reader.place(element),
    });
    hang(reader, file, element, link, X_PB, content.joints);
    shapes(file, link, &mut content.geoms);
    content.sites.iter_mut().for_each(|site| site.link = Some(link));
    file.robot.frames.append(&mut content.sites);
    children(reader, file, element, inside, Some(link));
}

/// The name of a body; one of our own where the file has none.
fn name(reader: &mut Reader<'_>, file: &File, element: &Element, link: usize) -> String {
    let Some(attribute) = element.get("name") else {
        return (0..).map(|k| format!("body_{}", link + k)).find(|n| !file.bodies.contains_key(n)).unwrap_or_default();
    };
    if file.bodies.contains_key(&attribute.value) {
        let message = format!("the name `{}` of a body is used twice", attribute.value);
        let message = if attribute.value == "world" { "only the world is called `world`".to_string() } else { message };
        reader.wrong_value(element, attribute, message);
    }
    attribute.value.clone()
}

/// Hangs a link on its parent by its joints, or by a fixed one.
fn hang(
    reader: &mut Reader<'_>,
    file: &mut File,
    element: &Element,
    link: usize,
    X_PB: Isometry3<f64>,
    joints: Vec<(Element, Isometry3<f64>)>,
) {
    let parent = file.robot.links[link].parent;
    let mut before = X_PB;
    let several = joints.len() > 1;
    let mut turning_ball = false;
    for (e, X_BF) in joints {
        let fallback = format!("{}_joint", file.robot.links[link].name);
        let Some((mut joint, anchor)) = super::joints::read(reader, file, &e, &X_BF, &fallback) else { continue };
        if joint.kind == JointKind::Free {
            if several {
                reader.wrong(&e, "a free joint must be the only joint of its body");
            }
            if parent.is_some_and(|p| !file.robot.is_world(p)) {
                reader.wrong(&e, "a free joint must hang on the world");
            }
        }
        if turning_ball && matches!(joint.kind, JointKind::Ball | JointKind::Revolute) {
            reader.wrong(&e, "a ball joint turns all ways: no further hinge or ball can stand on its body");
        }
        turning_ball |= joint.kind == JointKind::Ball;
        // What the joint moves coincides with the body at `ref`; at zero it is turned or moved back.
        joint.X_PF = before * anchor * joint.moved(-joint.reference);
        before = anchor.inverse();
        joint.parent = parent;
        joint.child = link;
        let index = file.robot.joints.len();
        file.joints.insert(joint.name.clone(), index);
        file.robot.joints.push(joint);
        file.robot.links[link].joints.push(index);
        file.robot.links[link].X_FB = before;
    }
    if file.robot.links[link].joints.is_empty() {
        let name = (0..)
            .map(|k| {
                format!("{}_fixed{}", file.robot.links[link].name, if k == 0 { String::new() } else { k.to_string() })
            })
            .find(|n| !file.joints.contains_key(n))
            .unwrap_or_default();
        let mut joint = blank_joint(name, reader.place(element));
        (joint.X_PF, joint.parent, joint.child) = (X_PB, parent, link);
        let index = file.robot.joints.len();
        file.robot.joints.push(joint);
        file.robot.links[link].joints.push(index);
    }
}

/// Gives a link its shapes.
fn shapes(file: &mut File, link: usize, geoms: &mut Vec<Geom>) {
    for geom in geoms.drain(..) {
        if let Some(name) = &geom.shape.name {
            let shape = file.robot.links[link].shapes.len();
            file.geoms.insert(name.clone(), ShapeIndex { link, shape });
        }
        file.robot.links[link].shapes.push(geom.shape);
    }
}

/// Joints, geoms, sites and the inertial of a body, through frames.
fn gather<'e>(
    reader: &mut Reader<'_>,
    file: &mut File,
    element: &'e Element,
    around: Around,
    weighs: bool,
    content: &mut Content<'e>,
) {
    for child in &element.children {
        match child.name.as_str() {
            "body" => {}
            "frame" => {
                if let Some(known) = known::of("frame") {
                    known.check(reader, child);
                }
                let inner = inside_frame(reader, file, child, around);
                gather(reader, file, child, inner, weighs, content);
            }
            "joint" => {
                let merged = file.defaults.merged(reader, child, "joint", around.class);
                content.joints.push((merged, around.X_BF));
            }
            "freejoint" => {
                if let Some(known) = known::of("freejoint") {
                    known.check(reader, child);
                }
                content.joints.push((child.clone(), around.X_BF));
            }
            "geom" => {
                let merged = file.defaults.merged(reader, child, "geom", around.class);
                content.geoms.extend(super::geoms::read(reader, file, &merged, &around.X_BF, weighs));
            }
            "site" => {
                let merged = file.defaults.merged(reader, child, "site", around.class);
                content.sites.extend(super::geoms::site(reader, file, &merged, &around.X_BF));
            }
            "inertial" => {
                if content.inertial.is_some() {
                    reader.wrong(child, "a second <inertial> in one body");
                }
                content.inertial = Some(child);
            }
            other => rest(reader, element, child, other),
        }
    }
}

fn rest(reader: &mut Reader<'_>, element: &Element, child: &Element, name: &str) {
    if let Some((_, why)) = REFUSED.iter().find(|(known, _)| *known == name) {
        reader.wrong(child, format!("<{name}> is not read: {why}"));
    } else if let Some((_, why)) = IGNORED.iter().find(|(known, _)| *known == name) {
        reader.ignore_element(child, why);
    } else {
        let known: Vec<&str> = ["body", "frame", "joint", "freejoint", "geom", "site", "inertial"]
            .into_iter()
            .chain(IGNORED.iter().chain(&REFUSED).map(|(name, _)| *name))
            .collect();
        let message = nearest::unknown(&format!("element in <{}>", element.name), name, &known);
        reader.wrong(child, message);
    }
}
