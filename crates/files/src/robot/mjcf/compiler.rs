//! # Compiler: how numbers of an MJCF file are meant
//!
//! - **in**: `<compiler>` sections, the later ones on top
//! - **out**: [`Compiler`]: angles, folders, where inertias come from; poses of elements under it
//! - **start at** [`Compiler::read`], [`Compiler::pose`]

use super::super::reader::Reader;
use super::super::xml::Element;
use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use std::path::PathBuf;

/// Ways to give an orientation.
pub(super) const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// Where inertias come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeoms {
    /// From `<inertial>` alone.
    Never,
    /// From geoms, whatever `<inertial>` says.
    Always,
    /// From geoms where there is no `<inertial>`.
    Auto,
}

/// Settings of the whole file.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// Radians per unit of an angle.
    pub angle: f64,
    pub autolimits: bool,
    pub eulerseq: [u8; 3],
    pub meshdir: PathBuf,
    pub strippath: bool,
    pub from_geoms: FromGeoms,
    pub groups: [f64; 2],
    pub balance: bool,
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub total_mass: Option<f64>,
}

impl Default for Compiler {
    fn default() -> Self {
        Compiler {
            angle: std::f64::consts::PI / 180.0,
            autolimits: true,
            eulerseq: *b"xyz",
            meshdir: PathBuf::new(),
            strippath: false,
            from_geoms: FromGeoms::Auto,
            groups: [0.0, 5.0],
            balance: false,
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
        }
    }
}

const READ: [&str; 14] = [
    "angle",
    "assetdir",
    "autolimits",
    "balanceinertia",
    "boundinertia",
    "boundmass",
    "coordinate",
    "eulerseq",
    "inertiafromgeom",
    "inertiagrouprange",
    "meshdir",
    "settotalmass",
    "strippath",
    "alignfree",
];

const WITHOUT_EFFECT: [(&str, &str); 12] = [
    ("conflict", "nothing is merged from other models"),
    ("discardvisual", "shapes to look at are kept; they do not touch"),
    ("fitaabb", "primitives are not fitted to meshes"),
    ("fusestatic", "links are listed one by one; fixed ones move as one all the same"),
    ("passthrough", "has no effect here"),
    ("savecanonical", "nothing is saved"),
    ("savecompiled", "nothing is saved"),
    ("saveinertial", "nothing is saved"),
    ("texturedir", "appearance"),
    ("usethread", "has no effect here"),
    ("convexhull", "meshes or hulls are chosen by `meshes` of [[robot]]"),
    ("exactmeshinertia", "meshes are integrated exactly"),
];

impl Compiler {
    pub fn read(&mut self, reader: &mut Reader<'_>, e: &Element) {
        reader.attributes(e, &READ, &WITHOUT_EFFECT);
        for child in &e.children {
            reader.ignore_element(child, "length ranges of muscles are not modelled");
        }
        if let Some(angle) = reader.choice(e, "angle", &["radian", "degree"]) {
            self.angle = if angle == "radian" { 1.0 } else { std::f64::consts::PI / 180.0 };
        }
        if reader.choice(e, "coordinate", &["local", "global"]) == Some("global") {
            reader.wrong(e, "global coordinates are not read (MuJoCo dropped them in 2.3.4)");
        }
        if let Some(x) = flag(reader, e, "autolimits") {
            self.autolimits = x;
        }
        if let Some(x) = flag(reader, e, "balanceinertia") {
            self.balance = x;
        }
        if let Some(x) = flag(reader, e, "strippath") {
            self.strippath = x;
        }
        if flag(reader, e, "alignfree") == Some(true) {
            reader.ignore(e, "compiler alignfree".to_string(), "frames of links stay where the file has them");
        }
        for key in ["assetdir", "meshdir"] {
            if let Some(folder) = e.value(key) {
                self.meshdir = PathBuf::from(folder);
            }
        }
        self.bound_mass = reader.not_negative(e, "boundmass", self.bound_mass);
        self.bound_inertia = reader.not_negative(e, "boundinertia", self.bound_inertia);
        self.total_mass = reader.number(e, "settotalmass").filter(|m| *m > 0.0).or(self.total_mass);
        self.groups = reader.numbers::<2>(e, "inertiagrouprange").unwrap_or(self.groups);
        match reader.choice(e, "inertiafromgeom", &["false", "true", "auto"]) {
            Some("false") => self.from_geoms = FromGeoms::Never,
            Some("true") => self.from_geoms = FromGeoms::Always,
            Some(_) => self.from_geoms = FromGeoms::Auto,
            None => {}
        }
        if let Some(attribute) = e.get("eulerseq") {
            let bytes: Option<[u8; 3]> = attribute.value.as_bytes().try_into().ok();
            match bytes.filter(|b| b.iter().all(|c| b"xyzXYZ".contains(c))) {
                Some(sequence) => self.eulerseq = sequence,
                None => {
                    let message = format!("expected three of x, y, z, X, Y, Z, got `{}`", attribute.value);
                    reader.wrong_value(e, attribute, message);
                }
            }
        }
    }

    /// Position and orientation of an element.
    pub fn pose(&self, reader: &mut Reader<'_>, e: &Element) -> Isometry3<f64> {
        let p = reader.numbers::<3>(e, "pos").unwrap_or([0.0; 3]);
        Isometry3::from_parts(Translation3::from(Vector3::from(p)), self.orientation(reader, e))
    }

    pub fn orientation(&self, reader: &mut Reader<'_>, e: &Element) -> UnitQuaternion<f64> {
        let given: Vec<&str> = ORIENTATIONS.into_iter().filter(|name| e.get(name).is_some()).collect();
        let identity = UnitQuaternion::identity();
        let name = match given.as_slice() {
            [] => return identity,
            [name] => *name,
            [first, second, ..] => {
                reader.wrong(e, format!("one orientation at most, got `{first}` and `{second}`"));
                return identity;
            }
        };
        let Some(attribute) = e.get(name) else { return identity };
        let before = reader.problems.len();
        let rotation = match name {
            "quat" => reader.numbers::<4>(e, name).and_then(quaternion),
            "axisangle" => reader.numbers::<4>(e, name).and_then(|[x, y, z, angle]| {
                let axis = nalgebra::Unit::try_new(Vector3::new(x, y, z), 1e-14)?;
                Some(UnitQuaternion::from_axis_angle(&axis, angle * self.angle))
            }),
            "euler" => reader.numbers::<3>(e, name).map(|angles| self.euler(angles)),
            "xyaxes" => reader.numbers::<6>(e, name).and_then(xy_axes),
            _ => reader.numbers::<3>(e, name).and_then(|z| Some(along(&Vector3::from(z).try_normalize(1e-14)?))),
        };
        if rotation.is_none() && reader.problems.len() == before {
            reader.wrong_value(e, attribute, format!("`{}` tells no orientation", attribute.value));
        }
        rotation.unwrap_or(identity)
    }

    fn euler(&self, angles: [f64; 3]) -> UnitQuaternion<f64> {
        let mut q = UnitQuaternion::identity();
        for (letter, angle) in self.eulerseq.into_iter().zip(angles) {
            let axis = match letter.to_ascii_lowercase() {
                b'x' => Vector3::x_axis(),
                b'y' => Vector3::y_axis(),
                _ => Vector3::z_axis(),
            };
            let turn = UnitQuaternion::from_axis_angle(&axis, angle * self.angle);
            // Small letters turn about the axes as they have become, capital ones about those that stay.
            q = if letter.is_ascii_lowercase() { q * turn } else { turn * q };
        }
        q
    }
}

/// `true`, `false`.
pub(super) fn flag(reader: &mut Reader<'_>, e: &Element, name: &str) -> Option<bool> {
    reader.choice(e, name, &["false", "true"]).map(|word| word == "true")
}

/// A quaternion wxyz of any length but zero.
pub(super) fn quaternion([w, x, y, z]: [f64; 4]) -> Option<UnitQuaternion<f64>> {
    UnitQuaternion::try_new(nalgebra::Quaternion::new(w, x, y, z), 1e-14)
}

fn xy_axes(numbers: [f64; 6]) -> Option<UnitQuaternion<f64>> {
    let [x0, x1, x2, y0, y1, y2] = numbers;
    let x = Vector3::new(x0, x1, x2).try_normalize(1e-14)?;
    let y = Vector3::new(y0, y1, y2);
    let y = (y - x * x.dot(&y)).try_normalize(1e-14)?;
    let R = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, x.cross(&y)]));
    Some(UnitQuaternion::from_rotation_matrix(&R))
}

/// The least turn that carries z onto a unit vector; half a turn about x onto −z.
pub(super) fn along(z: &Vector3<f64>) -> UnitQuaternion<f64> {
    let axis = Vector3::z().cross(z);
    let sine = axis.norm();
    let axis = if sine < 1e-10 { Vector3::x_axis() } else { nalgebra::Unit::new_unchecked(axis / sine) };
    UnitQuaternion::from_axis_angle(&axis, sine.atan2(z.z))
}
