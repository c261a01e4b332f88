//! # What is in a robot: links, joints, masses, limits, shapes, and everything that is ignored
//!
//! - **in**: a URDF or MJCF file
//! - **out**: the document of `inspect --json`; a tree as text; the robot at rest to look at
//! - **not here**: reading (`fingerpad_files::robot`)
//! - **start at** [`read`], then [`facts`], [`text`], [`stage`]

use crate::cli::table::short;
use crate::outcome::Failure;
use crate::report::run::stage::Stage;
use crate::report::shell::{Drawn, Shell};
use fingerpad_files::recording::{BodyFrame, Frame};
use fingerpad_files::robot::description::{
    Actuator, Coupling, Geometry, Joint, JointKind, Link, Shape, Tendon, Transmission,
};
use fingerpad_files::robot::{self, Format, Robot, RobotOptions, surfaces};
use nalgebra::{Isometry3, Point3};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Reads a robot; packages are looked for in `search`.
pub fn read(path: &Path, search: &[PathBuf]) -> Result<Robot, Failure> {
    let options = RobotOptions { search: search.to_vec() };
    robot::read(path, &options).map_err(|e| Failure(e.to_string().trim_start_matches("error: ").to_string()))
}

/// The document of a robot.
pub fn facts(path: &Path, robot: &Robot) -> Map<String, Value> {
    let poses = robot.poses_at_zero();
    let names = |list: &[usize]| list.iter().map(|j| robot.joints[*j].name.clone()).collect::<Vec<_>>();
    let links: Vec<Value> = robot.links.iter().zip(&poses).map(|(l, X)| link(robot, l, X)).collect();
    let couplings: Vec<Value> = robot
        .couplings
        .iter()
        .map(|coupling| match coupling {
            Coupling::Linear { joints, coefficients, offset } => {
                json!({ "joints": names(joints), "coefficients": coefficients, "offset": offset })
            }
            Coupling::Polynomial { joint, of, coefficients } => {
                json!({ "joints": names(&[*joint, *of]), "polynomial": coefficients })
            }
        })
        .collect();
    let loops: Vec<Value> = robot
        .loops
        .iter()
        .map(|l| {
            let bodies = l.links.map(|link| link.map_or("world", |k| robot.links[k].name.as_str()));
            let kind = if l.weld { "weld" } else { "connect" };
            json!({ "name": l.name, "type": kind, "bodies": bodies, "poses": l.X_BL.map(|X| pose(&X)) })
        })
        .collect();
    let ignored: Vec<Value> = robot
        .ignored
        .iter()
        .map(|i| json!({ "element": i.element, "line": i.place.line, "why": i.why, "file": i.place.file, "count": i.count }))
        .collect();
    let excludes: Vec<[&str; 2]> =
        robot.excludes.iter().map(|pair| pair.map(|l| robot.links[l].name.as_str())).collect();
    let keyframes: Vec<Value> = robot
        .keyframes
        .iter()
        .map(|k| json!({ "name": k.name, "time": k.time, "q": k.q, "v": k.v, "controls": k.controls }))
        .collect();
    let facts = [
        ("file", json!(path.display().to_string())),
        ("kind", json!("robot")),
        ("format", json!(format_name(robot.format))),
        ("name", json!(robot.name)),
        ("total_mass", json!(robot.total_mass())),
        ("links", json!(links)),
        ("joints", json!(robot.joints.iter().map(|j| joint(robot, j)).collect::<Vec<_>>())),
        ("actuators", json!(robot.actuators.iter().map(|a| actuator(robot, a)).collect::<Vec<_>>())),
        ("couplings", json!(couplings)),
        ("tendons", json!(robot.tendons.iter().map(|t| tendon(robot, t)).collect::<Vec<_>>())),
        ("loops", json!(loops)),
        ("excludes", json!(excludes)),
        ("keyframes", json!(keyframes)),
        ("ignored", json!(ignored)),
        ("warnings", json!(robot.warnings)),
    ];
    facts.into_iter().map(|(key, value)| (key.to_string(), value)).collect()
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Urdf => "URDF",
        Format::Mjcf => "MJCF",
    }
}

fn pose(X: &Isometry3<f64>) -> Value {
    let (p, q) = (X.translation.vector, X.rotation);
    json!({ "p": [p.x, p.y, p.z], "quat_wxyz": [q.w, q.i, q.j, q.k] })
}

fn link(robot: &Robot, link: &Link, X_WB: &Isometry3<f64>) -> Value {
    let (I, c) = (&link.inertial.I_BBcm_B, &link.inertial.p_BoBcm);
    json!({
        "name": link.name,
        "parent": link.parent.map(|p| robot.links[p].name.clone()),
        "parent_joint": link.joints.last().map(|j| robot.joints[*j].name.clone()),
        "mass": link.inertial.mass,
        "com": [c.x, c.y, c.z],
        "inertia_com": [I.m11, I.m22, I.m33, I.m12, I.m13, I.m23],
        "pose_at_zero": pose(X_WB),
        "shapes": link.shapes.iter().map(|s| shape(robot, s)).collect::<Vec<_>>(),
        "line": link.place.line,
    })
}

fn shape(robot: &Robot, shape: &Shape) -> Value {
    let mut facts = json!({ "kind": shape.geometry.kind(), "name": shape.name, "touches": shape.touches });
    let sizes = match &shape.geometry {
        Geometry::Sphere { radius } => json!({ "radius": radius }),
        Geometry::Box { half } => json!({ "half_extents": half.as_slice() }),
        Geometry::Cylinder { radius, half_length } | Geometry::Capsule { radius, half_length } => {
            json!({ "radius": radius, "half_length": half_length })
        }
        Geometry::Ellipsoid { semi_axes } => json!({ "semi_axes": semi_axes.as_slice() }),
        Geometry::HalfSpace => json!({}),
        Geometry::Mesh(k) => {
            let mesh = &robot.meshes[*k];
            let file = mesh.file.as_ref().map(|f| f.display().to_string());
            json!({ "mesh": mesh.name, "file": file, "faces": mesh.faces.len(), "vertices": mesh.vertices.len() })
        }
        Geometry::HeightField(k) => {
            let field = &robot.height_fields[*k];
            let high = field.z.iter().fold(0.0_f64, |a, b| a.max(*b));
            json!({ "columns": field.columns, "rows": field.rows, "half_extents": field.half, "z_max": high })
        }
        Geometry::Picture { file } => json!({ "file": file }),
    };
    let placed = pose(&shape.X_BS);
    for part in [sizes, placed] {
        if let (Value::Object(all), Value::Object(more)) = (&mut facts, part) {
            all.extend(more);
        }
    }
    facts
}

fn joint(robot: &Robot, joint: &Joint) -> Value {
    let axis = joint.axis;
    json!({
        "name": joint.name,
        "kind": joint.kind.name(),
        "parent": joint.parent.map_or("world", |p| robot.links[p].name.as_str()),
        "child": robot.links[joint.child].name,
        "axis": [axis.x, axis.y, axis.z],
        "limits": joint.limits,
        "armature": joint.armature,
        "damping": joint.damping,
        "friction_loss": joint.friction_loss,
        "spring": joint.spring.map(|[stiffness, rest]| json!({ "stiffness": stiffness, "rest": rest })),
        "reference": joint.reference,
        "effort": joint.effort,
        "speed": joint.speed,
        "pose_in_parent": pose(&joint.X_PF),
        "line": joint.place.line,
    })
}

fn actuator(robot: &Robot, actuator: &Actuator) -> Value {
    let mut facts = json!({
        "name": actuator.name,
        "kind": actuator.kind,
        "gear": actuator.gear,
        "gain": actuator.gain,
        "bias": actuator.bias,
        "damping_ratio": actuator.damping_ratio,
        "control_range": actuator.control_range,
        "force_range": actuator.force_range,
        "line": actuator.place.line,
    });
    match actuator.transmission {
        Transmission::Joint(j) => facts["joint"] = json!(robot.joints[j].name),
        Transmission::Tendon(t) => facts["tendon"] = json!(robot.tendons[t].name),
    }
    facts
}

fn tendon(robot: &Robot, tendon: &Tendon) -> Value {
    let joints: Vec<&str> = tendon.joints.iter().map(|j| robot.joints[*j].name.as_str()).collect();
    json!({ "name": tendon.name, "joints": joints, "coefficients": tendon.coefficients, "limits": tendon.limits })
}

/// The robot for people: its tree, what drives it, what is ignored.
pub fn text(path: &Path, robot: &Robot) -> String {
    let moving = robot.joints.iter().filter(|j| j.kind != JointKind::Fixed).count();
    let mut out = format!(
        "{}: robot `{}` ({})\n{} links, {} joints of which {} move, {} kg\n\n",
        path.display(),
        robot.name,
        format_name(robot.format),
        robot.links.len(),
        robot.joints.len(),
        moving,
        short(robot.total_mass())
    );
    // Writing to a string cannot fail.
    for (k, link) in robot.links.iter().enumerate() {
        let depth = std::iter::successors(link.parent, |p| robot.links[*p].parent).count();
        let _ = write!(out, "{:indent$}{} {} kg", "", link.name, short(link.inertial.mass), indent = 2 * depth);
        for j in &link.joints {
            let _ = write!(out, " · {}", joint_words(&robot.joints[*j]));
        }
        let touching: Vec<&str> = link.shapes.iter().filter(|s| s.touches).map(|s| s.geometry.kind()).collect();
        let shapes = if touching.is_empty() { "touches nothing".to_string() } else { counted(&touching) };
        let _ = writeln!(out, " · {shapes}");
        debug_assert!(link.parent.is_none_or(|p| p < k));
    }
    for a in &robot.actuators {
        let target = match a.transmission {
            Transmission::Joint(j) => format!("joint {}", robot.joints[j].name),
            Transmission::Tendon(t) => format!("tendon {}", robot.tendons[t].name),
        };
        let force = a.force_range.map_or(String::new(), |[l, h]| format!(", force {} to {}", short(l), short(h)));
        let _ = writeln!(out, "actuator {} ({}) on {target}, gain {}{force}", a.name, a.kind, short(a.gain));
    }
    for coupling in &robot.couplings {
        let _ = writeln!(out, "coupling {}", coupling_words(robot, coupling));
    }
    for tendon in &robot.tendons {
        let joints = tendon.joints.iter().map(|j| robot.joints[*j].name.as_str());
        let terms: Vec<String> =
            joints.zip(&tendon.coefficients).map(|(name, c)| format!("{} {name}", short(*c))).collect();
        let _ = writeln!(out, "tendon {} = {}", tendon.name, terms.join(" + "));
    }
    for l in &robot.loops {
        let bodies = l.links.map(|link| link.map_or("world", |k| robot.links[k].name.as_str()));
        let _ = writeln!(out, "{} of {} and {}", if l.weld { "weld" } else { "connect" }, bodies[0], bodies[1]);
    }
    if !robot.keyframes.is_empty() {
        let names: Vec<&str> = robot.keyframes.iter().map(|k| k.name.as_str()).collect();
        let _ = writeln!(out, "keyframes {}", names.join(", "));
    }
    if !robot.ignored.is_empty() {
        out.push_str("\nignored:\n");
    }
    for i in &robot.ignored {
        let times = if i.count > 1 { format!(", {} times", i.count) } else { String::new() };
        let _ = writeln!(out, "  {}:{} {}{times}: {}", i.place.file, i.place.line, i.element, i.why);
    }
    for warning in &robot.warnings {
        let _ = writeln!(out, "warning: {warning}");
    }
    out
}

/// `box ×2, capsule`.
fn counted(words: &[&str]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for word in words {
        match counts.iter_mut().find(|(known, _)| known == word) {
            Some((_, n)) => *n += 1,
            None => counts.push((word, 1)),
        }
    }
    let shown = counts.iter().map(|(word, n)| if *n > 1 { format!("{word} ×{n}") } else { word.to_string() });
    shown.collect::<Vec<_>>().join(", ")
}

fn joint_words(joint: &Joint) -> String {
    let unit = if joint.kind == JointKind::Prismatic { "m" } else { "rad" };
    let axis = joint.axis;
    let along = match joint.kind {
        JointKind::Revolute | JointKind::Prismatic => {
            format!(" ({}, {}, {})", short(axis.x), short(axis.y), short(axis.z))
        }
        _ => String::new(),
    };
    let limits = joint.limits.map_or(String::new(), |[l, h]| format!(" {} to {} {unit}", short(l), short(h)));
    format!("{} {}{along}{limits}", joint.name, joint.kind.name())
}

fn coupling_words(robot: &Robot, coupling: &Coupling) -> String {
    let name = |j: &usize| robot.joints[*j].name.as_str();
    match coupling {
        Coupling::Linear { joints, coefficients, offset } => {
            let terms: Vec<String> =
                joints.iter().zip(coefficients).map(|(j, c)| format!("{} {}", short(*c), name(j))).collect();
            format!("{} = {}", terms.join(" + "), short(*offset))
        }
        Coupling::Polynomial { joint, of, coefficients } => {
            let terms: Vec<String> = coefficients.iter().map(|c| short(*c)).collect();
            format!("{} = polynomial [{}] of {}", name(joint), terms.join(", "), name(of))
        }
    }
}

/// The robot at rest: what touches, every joint at zero.
pub fn stage(robot: &Robot) -> (Stage, Frame) {
    let mut stage = Stage {
        names: Vec::new(),
        middle: Point3::origin(),
        reach: 0.0,
        shells: Vec::new(),
        kinds: Vec::new(),
        shape_of: Vec::new(),
        fixed: Vec::new(),
        shapes: Vec::new(),
    };
    let mut frame = Frame::default();
    let (mut low, mut high) = (Point3::from([f64::INFINITY; 3]), Point3::from([f64::NEG_INFINITY; 3]));
    let mut add = |name: &str, kind: &'static str, shell: Shell, X: Isometry3<f64>| {
        for p in &shell.points {
            let p = X * p;
            (low, high) = (low.inf(&p), high.sup(&p));
        }
        let (p, q) = (X.translation.vector, X.rotation);
        stage.names.push(name.to_string());
        stage.shape_of.push(stage.shells.len());
        stage.shells.push(shell);
        stage.kinds.push(kind);
        stage.fixed.push(false);
        stage.shapes.push(None);
        frame.bodies.push(BodyFrame { p: p.into(), q: [q.w, q.i, q.j, q.k], ..BodyFrame::default() });
    };
    let drawn = Drawn { middle: Point3::origin(), reach: 1.0, around: 24, cells: 50 };
    for (link, X_WB) in robot.links.iter().zip(robot.poses_at_zero()) {
        for shape in link.shapes.iter().filter(|s| s.touches) {
            let shell = match &shape.geometry {
                Geometry::Mesh(k) => Shell::of_mesh(&robot.meshes[*k].vertices, &robot.meshes[*k].faces),
                // A ground without end would hide how large the robot is.
                Geometry::HalfSpace => continue,
                other => match surfaces::primitive(other) {
                    Some(Ok(surface)) => Shell::of(&surface, &drawn),
                    _ => continue,
                },
            };
            add(&link.name, shape.geometry.kind(), shell, X_WB * shape.X_BS);
        }
    }
    if low.x <= high.x {
        stage.middle = nalgebra::center(&low, &high);
        stage.reach = 0.5 * (high - low).norm();
    }
    stage.reach = stage.reach.max(1e-9);
    (stage, frame)
}
