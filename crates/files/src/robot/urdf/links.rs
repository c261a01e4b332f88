//! # Links of URDF: inertials and shapes
//!
//! - **in**: `<link>`
//! - **out**: a [`Link`] that hangs nowhere yet
//! - **start at** [`read`]
//!
//! Meshes of collision shapes are read; those of visual shapes are only looked for: their absence is a warning.

use super::super::description::{Geometry, Inertial, Link, Shape};
use super::super::meshes::Meshes;
use super::super::paths::NoFile;
use super::super::reader::Reader;
use super::super::xml::Element;
use super::origin;
use crate::nearest;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use std::path::Path;

/// Children of a link that others put there.
const EXTENSIONS: [(&str, &str); 4] = [
    ("contact", "contact parameters of another simulator; give materials in [[robot]]"),
    ("sensor", "sensors are not modelled"),
    ("gazebo", "an extension of Gazebo"),
    ("self_collision_checking", "an extension of another simulator; use self_contact of [[robot]]"),
];

pub(super) fn read(reader: &mut Reader<'_>, element: &Element, meshes: &mut Meshes) -> Option<Link> {
    reader.attributes(element, &["name"], &[("type", "has no effect"), ("concave", "of another simulator")]);
    let name = reader.name(element)?;
    let inertial = reader.only(element, "inertial").map(|e| inertial(reader, e)).unwrap_or_default();
    let mut shapes = Vec::new();
    for child in &element.children {
        match child.name.as_str() {
            "inertial" => {}
            "collision" => shapes.extend(shape(reader, child, true, meshes)),
            "visual" => shapes.extend(shape(reader, child, false, meshes)),
            other => {
                if other.contains(':') {
                    reader.ignore_element(child, "of another namespace");
                } else if let Some((_, why)) = EXTENSIONS.iter().find(|(known, _)| *known == other) {
                    reader.ignore_element(child, why);
                } else {
                    let known: Vec<&str> = ["inertial", "collision", "visual"]
                        .into_iter()
                        .chain(EXTENSIONS.iter().map(|(name, _)| *name))
                        .collect();
                    let message = nearest::unknown("element in <link>", other, &known);
                    reader.wrong(child, message);
                }
            }
        }
    }
    let place = reader.place(element);
    Some(Link { name, parent: None, joints: Vec::new(), X_FB: Isometry3::identity(), inertial, shapes, place })
}

fn inertial(reader: &mut Reader<'_>, element: &Element) -> Inertial {
    children(reader, element, &["origin", "mass", "inertia"]);
    let X_BC = origin(reader, element);
    let mass = reader.only(element, "mass").and_then(|e| {
        reader.attributes(e, &["value"], &[]);
        reader.required(e, "value")?;
        Some(reader.not_negative(e, "value", 0.0))
    });
    let Some(mass) = mass else {
        if element.child("mass").is_none() {
            reader.wrong(element, "<inertial> needs <mass value=\"…\"/> (kg)");
        }
        return Inertial::default();
    };
    let mut I = Matrix3::zeros();
    if let Some(e) = reader.only(element, "inertia") {
        reader.attributes(e, &["ixx", "ixy", "ixz", "iyy", "iyz", "izz"], &[]);
        let mut entry = |name: &str| reader.number(e, name).unwrap_or(0.0);
        let [xx, xy, xz, yy, yz, zz] = ["ixx", "ixy", "ixz", "iyy", "iyz", "izz"].map(&mut entry);
        I = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        for name in ["ixx", "iyy", "izz"] {
            reader.required(e, name);
        }
    } else if mass > 0.0 {
        reader.wrong(element, "<inertial> needs <inertia ixx=… iyy=… izz=…/> (kg m²)");
    }
    let R = X_BC.rotation.to_rotation_matrix();
    let turned = R.matrix() * I * R.matrix().transpose();
    // The product is symmetric but for rounding.
    let I_BBcm_B = (turned + turned.transpose()) * 0.5;
    Inertial { mass, p_BoBcm: Point3::from(X_BC.translation.vector), I_BBcm_B }
}

fn children(reader: &mut Reader<'_>, element: &Element, known: &[&str]) {
    for child in &element.children {
        if !known.contains(&child.name.as_str()) {
            let message = nearest::unknown(&format!("element in <{}>", element.name), &child.name, known);
            reader.wrong(child, message);
        }
    }
}

fn shape(reader: &mut Reader<'_>, element: &Element, touches: bool, meshes: &mut Meshes) -> Option<Shape> {
    reader.attributes(element, &["name"], &[("group", "has no effect"), ("concave", "of another simulator")]);
    for child in &element.children {
        match child.name.as_str() {
            "origin" | "geometry" => {}
            "material" => reader.ignore_element(child, "appearance"),
            "verbose" | "contact" | "contact_coefficients" | "self_collision_checking" => {
                reader.ignore_element(child, "contact parameters of another simulator; give materials in [[robot]]");
            }
            other if other.contains(':') => reader.ignore_element(child, "of another namespace"),
            other => {
                let known = ["origin", "geometry", "material"];
                let message = nearest::unknown(&format!("element in <{}>", element.name), other, &known);
                reader.wrong(child, message);
            }
        }
    }
    let X_BS = origin(reader, element);
    let Some(holder) = reader.only(element, "geometry") else {
        reader.wrong(element, format!("<{}> needs <geometry>", element.name));
        return None;
    };
    let [kind] = holder.children.as_slice() else {
        reader.wrong(holder, format!("<geometry> holds one shape, got {}", holder.children.len()));
        return None;
    };
    let geometry = geometry(reader, kind, touches, meshes)?;
    Some(Shape {
        name: element.value("name").map(str::to_string),
        touches,
        bits: [u32::from(touches); 2],
        X_BS,
        geometry,
        friction: None,
        place: reader.place(element),
    })
}

fn geometry(reader: &mut Reader<'_>, kind: &Element, touches: bool, meshes: &mut Meshes) -> Option<Geometry> {
    let positive = |reader: &mut Reader<'_>, name: &str| {
        let attribute = reader.required(kind, name)?;
        let x = reader.number(kind, name)?;
        if x <= 0.0 {
            reader.wrong_value(kind, attribute, format!("`{name}` must be positive (m), got {x}"));
            return None;
        }
        Some(x)
    };
    match kind.name.as_str() {
        "sphere" => {
            reader.attributes(kind, &["radius"], &[]);
            Some(Geometry::Sphere { radius: positive(reader, "radius")? })
        }
        "cylinder" | "capsule" => {
            reader.attributes(kind, &["radius", "length"], &[]);
            let (radius, half_length) = (positive(reader, "radius")?, positive(reader, "length")? / 2.0);
            if kind.name == "capsule" {
                return Some(Geometry::Capsule { radius, half_length });
            }
            Some(Geometry::Cylinder { radius, half_length })
        }
        "box" => {
            reader.attributes(kind, &["size"], &[]);
            let attribute = reader.required(kind, "size")?;
            let size = Vector3::from(reader.numbers::<3>(kind, "size")?);
            if size.min() <= 0.0 {
                reader.wrong_value(
                    kind,
                    attribute,
                    format!("sides of a box must be positive (m), got {}", attribute.value),
                );
                return None;
            }
            Some(Geometry::Box { half: size / 2.0 })
        }
        "mesh" => mesh(reader, kind, touches, meshes),
        other => {
            let message = nearest::unknown("shape", other, &["box", "sphere", "cylinder", "capsule", "mesh"]);
            reader.wrong(kind, message);
            None
        }
    }
}

fn mesh(reader: &mut Reader<'_>, kind: &Element, touches: bool, meshes: &mut Meshes) -> Option<Geometry> {
    reader.attributes(kind, &["filename", "scale"], &[("convex", "choose by `meshes` of [[robot]]")]);
    let file = reader.required(kind, "filename")?;
    let scale = Vector3::from(reader.numbers::<3>(kind, "scale").unwrap_or([1.0; 3]));
    if scale.iter().any(|x| *x == 0.0) {
        reader.wrong(kind, "no scale of a mesh can be zero");
        return None;
    }
    if touches {
        return meshes.load(reader, kind, file, Path::new(""), scale).map(Geometry::Mesh);
    }
    match reader.resolve(&file.value, Path::new("")) {
        Ok(_) => {}
        Err(NoFile::Absent(why)) => {
            let place = reader.place(kind);
            reader.warnings.push(format!("{}:{}: visual mesh: {why}", place.file, place.line));
        }
        Err(NoFile::Refused(why)) => reader.wrong_value(kind, file, why),
    }
    Some(Geometry::Picture { file: file.value.clone() })
}
