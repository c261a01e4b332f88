//! # Geoms of MJCF: shapes and what they weigh; sites
//!
//! - **in**: `<geom>`, `<site>` with their defaults
//! - **out**: [`Geom`]: a shape in its body, volume and inertia where they count
//! - **not here**: sums over a body (`inertia`); meshes and height fields (`assets`)
//! - **start at** [`read`]

use super::super::description::{Geometry, NamedFrame, Shape};
use super::super::meshes;
use super::super::reader::Reader;
use super::super::xml::Element;
use super::File;
use super::compiler::{along, flag};
use crate::scene::solids;
use fingerpad_contact::surface::mesh::MassProperties;
use nalgebra::{Isometry3, Translation3, Vector3};

/// A shape and what it weighs.
pub(super) struct Geom {
    pub shape: Shape,
    /// Mass (kg), and the solid for unit density in the shape's frame; none where it does not count.
    pub weight: Option<(f64, MassProperties)>,
}

const TYPES: [&str; 9] = ["sphere", "capsule", "cylinder", "box", "ellipsoid", "plane", "mesh", "hfield", "sdf"];

/// A geom; `weighs` tells whether its body takes its inertia from geoms.
pub(super) fn read(
    reader: &mut Reader<'_>,
    file: &mut File,
    e: &Element,
    X_BF: &Isometry3<f64>,
    weighs: bool,
) -> Option<Geom> {
    let name = e.value("name").map(str::to_string);
    if let Some(name) = &name {
        file.unique(reader, e, "geom", name);
    }
    let kind = match reader.choice(e, "type", &TYPES) {
        Some(kind) => kind,
        None if e.get("type").is_some() => return None,
        None => "sphere",
    };
    let bits = ["contype", "conaffinity"].map(|key| bits(reader, e, key));
    let touches = bits != [0, 0];
    let group = reader.number_or(e, "group", 0.0);
    let [least, most] = file.compiler.groups;
    let weighs = weighs && group >= least && group <= most;
    let mut X_BS = X_BF * file.compiler.pose(reader, e);
    let mut sizes = sizes(reader, e)?;
    if let Some([a, b, c, d, f, g]) = reader.numbers::<6>(e, "fromto") {
        let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, f, g));
        let placed = from_to(reader, e, kind, from, to, &mut sizes)?;
        X_BS = X_BF * placed;
    }
    let needed = touches || weighs;
    let geometry = geometry(reader, file, e, kind, &sizes, needed)?;
    let weight = if weighs { weight(reader, file, e, &geometry)? } else { None };
    let friction = e.get("friction").and_then(|a| reader.list(e, a)).and_then(|l| l.first().copied());
    let shape = Shape { name, touches, bits, X_BS, geometry, friction, place: reader.place(e) };
    Some(Geom { shape, weight })
}

fn bits(reader: &mut Reader<'_>, e: &Element, key: &str) -> u32 {
    let Some(x) = reader.number(e, key) else { return 1 };
    if x.fract() != 0.0 || !(0.0..=f64::from(i32::MAX)).contains(&x) {
        reader.wrong(e, format!("`{key}` is a whole number from 0 on, got {x}"));
        return 1;
    }
    x as u32
}

/// Up to three sizes (m).
fn sizes(reader: &mut Reader<'_>, e: &Element) -> Option<Vec<f64>> {
    let Some(attribute) = e.get("size") else { return Some(Vec::new()) };
    let list = reader.list(e, attribute)?;
    if list.len() > 3 {
        reader.wrong_value(e, attribute, format!("expected at most 3 sizes, got {}", list.len()));
        return None;
    }
    Some(list)
}

/// The pose of a shape between two points, and its sizes.
fn from_to(
    reader: &mut Reader<'_>,
    e: &Element,
    kind: &str,
    from: Vector3<f64>,
    to: Vector3<f64>,
    sizes: &mut Vec<f64>,
) -> Option<Isometry3<f64>> {
    if !["capsule", "cylinder", "box", "ellipsoid"].contains(&kind) {
        reader.wrong(e, format!("`fromto` places capsules, cylinders, boxes and ellipsoids, got a {kind}"));
        return None;
    }
    let length = (from - to).norm();
    if length < 1e-14 {
        reader.wrong(e, "the two points of `fromto` must not coincide");
        return None;
    }
    let Some(radius) = sizes.first().copied() else {
        reader.wrong(e, "`fromto` needs `size` with the radius");
        return None;
    };
    *sizes = match kind {
        "capsule" | "cylinder" => vec![radius, length / 2.0],
        _ => vec![radius, radius, length / 2.0],
    };
    let p = Translation3::from((from + to) / 2.0);
    Some(Isometry3::from_parts(p, along(&((from - to) / length))))
}

fn geometry(
    reader: &mut Reader<'_>,
    file: &mut File,
    e: &Element,
    kind: &str,
    sizes: &[f64],
    needed: bool,
) -> Option<Geometry> {
    let count = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        "box" | "ellipsoid" => 3,
        _ => 0,
    };
    if count > 0 && e.get("mesh").is_some() {
        reader.wrong(e, format!("a {kind} is not fitted to a mesh: give `size`, or type=\"mesh\""));
        return None;
    }
    if sizes.len() < count || sizes.iter().take(count).any(|x| *x <= 0.0) {
        let got = e.value("size").map_or("none".to_string(), |s| format!("`{s}`"));
        reader.wrong(e, format!("a {kind} needs {count} positive sizes (m), got {got}"));
        return None;
    }
    match kind {
        "sphere" => Some(Geometry::Sphere { radius: sizes[0] }),
        "capsule" => Some(Geometry::Capsule { radius: sizes[0], half_length: sizes[1] }),
        "cylinder" => Some(Geometry::Cylinder { radius: sizes[0], half_length: sizes[1] }),
        "box" => Some(Geometry::Box { half: Vector3::new(sizes[0], sizes[1], sizes[2]) }),
        "ellipsoid" => Some(Geometry::Ellipsoid { semi_axes: Vector3::new(sizes[0], sizes[1], sizes[2]) }),
        "plane" => Some(Geometry::HalfSpace),
        "hfield" => {
            reader.required(e, "hfield")?;
            let field = file.assets.field(reader, e)?;
            Some(Geometry::HeightField(field))
        }
        "mesh" => {
            reader.required(e, "mesh")?;
            file.assets.mesh(reader, &file.compiler, e, needed)
        }
        _ => {
            reader.wrong(e, "signed distance fields of plug-ins are not read");
            None
        }
    }
}

/// Mass of a geom; the outer `None` is a problem.
#[allow(clippy::option_option)]
fn weight(
    reader: &mut Reader<'_>,
    file: &File,
    e: &Element,
    geometry: &Geometry,
) -> Option<Option<(f64, MassProperties)>> {
    let solid = match geometry {
        Geometry::Sphere { radius } => solids::ellipsoid(&Vector3::repeat(*radius)),
        Geometry::Ellipsoid { semi_axes } => solids::ellipsoid(semi_axes),
        Geometry::Box { half } => solids::rounded_box(half, 0.0),
        Geometry::Cylinder { radius, half_length } => solids::rounded_cylinder(*radius, *half_length, 0.0),
        Geometry::Capsule { radius, half_length } => solids::rounded_cylinder(*radius, half_length + radius, *radius),
        Geometry::Mesh(mesh) => {
            let mesh = &file.assets.meshes.list[*mesh];
            let Some(solid) = meshes::solid(mesh) else {
                let message =
                    format!("the mesh `{}` encloses no volume to weigh; give the body an <inertial>", mesh.name);
                reader.wrong(e, message);
                return None;
            };
            if !file.assets.is_solid(e) {
                let message = "inertias of shells and hulls are not computed; give the body an <inertial>";
                reader.wrong(e, message);
                return None;
            }
            solid
        }
        Geometry::HalfSpace | Geometry::HeightField(_) | Geometry::Picture { .. } => return Some(None),
    };
    if flag(reader, e, "shellinertia") == Some(true) {
        reader.wrong(e, "inertias of shells are not computed; give the body an <inertial>");
        return None;
    }
    let mass = match reader.number(e, "mass") {
        Some(mass) => mass,
        None => reader.not_negative(e, "density", 1000.0) * solid.volume,
    };
    if mass < 0.0 {
        reader.wrong(e, format!("the mass must not be negative, got {mass} kg"));
        return None;
    }
    Some((mass > 0.0).then_some((mass, solid)))
}

/// A named frame.
pub(super) fn site(reader: &mut Reader<'_>, file: &mut File, e: &Element, X_BF: &Isometry3<f64>) -> Option<NamedFrame> {
    let mut pose = file.compiler.pose(reader, e);
    if let Some([a, b, c, d, f, g]) = reader.numbers::<6>(e, "fromto") {
        let (from, to) = (Vector3::new(a, b, c), Vector3::new(d, f, g));
        if let Some(z) = (from - to).try_normalize(1e-14) {
            pose = Isometry3::from_parts(Translation3::from((from + to) / 2.0), along(&z));
        }
    }
    let name = e.value("name")?.to_string();
    file.unique(reader, e, "site", &name);
    Some(NamedFrame { name, link: None, X_BF: X_BF * pose })
}
