//! # Bodies of a scene
//!
//! - **in**: `[[body]]`
//! - **out**: [`ReadBody`]s: bodies of a model, where they stand in the file, and where they are to be put
//! - **not here**: shapes (`shapes`); mass of solids (`solids`); putting bodies on others (`place`)
//! - **start at** [`read`]

use super::error::{Problem, Span};
use super::keys;
use super::materials::Materials;
use super::section::{Problems, Range, Section, rounded};
use super::shapes::Shapes;
use super::solids;
use super::tree::{Node, Value};
use crate::units::Dimension::{self, Angle, Length, Number};
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::Shape;
use fingerpad_sim::{Body, Mobility, Prescribed, Restriction};
use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

/// Names that expressions and messages use for other things.
const TAKEN: [&str; 7] = ["contact", "energy", "t", "E", "ledger_error", "pi", "world"];

/// A body, and what only the file knows of it.
pub(crate) struct ReadBody {
    pub body: Body,
    /// Where its name stands, or its table.
    pub span: Span,
    /// Where a key of it stands, for messages about the model.
    pub keys: Vec<(String, Span)>,
    /// Index of its material.
    pub material: Option<usize>,
    /// Where it is to be put.
    pub place: Option<Placing>,
    /// Whether the frame of its motions is its own, and so goes where it is put.
    pub carries_frame: bool,
}

/// `place = { on = "terrain", at = [x, y], gap = 0 }`.
pub(crate) struct Placing {
    pub on: String,
    pub at: [f64; 2],
    pub gap: f64,
    pub span: Span,
    pub on_span: Span,
}

impl ReadBody {
    /// Where a key stands, or else the name.
    pub fn span_of(&self, key: &str) -> Span {
        self.keys.iter().find(|(known, _)| known == key).map_or(&self.span, |(_, span)| span).clone()
    }
}

/// Reads one body; `None` if it cannot even stand in for itself.
pub(crate) fn read(
    node: &Node,
    index: usize,
    materials: &Materials,
    shapes: &mut Shapes,
    problems: &Problems,
) -> Option<ReadBody> {
    let label = match node.get("name").map(|n| &n.value) {
        Some(Value::Text(name)) => format!("of body `{name}`"),
        _ => format!("of body {}", index + 1),
    };
    let section = Section::new(node, keys::BODY, &label, problems)?;
    let name = section.require("name").and_then(|node| name(node, &section));
    let material = section.get("material").and_then(|node| materials.named(node, &section));
    let mobility_keys: Vec<&str> = ["fixed", "moves", "motion"].into_iter().filter(|key| section.has(key)).collect();
    if let [first, second, ..] = mobility_keys[..]
        && !(first == "fixed" && section.flag("fixed") == Some(false))
    {
        section.not_both(first, second);
    }
    let shape = section.require("shape").and_then(|node| shapes.read(node, &section));
    let X_WB = pose(&section, "position");
    let velocity = section.vector::<3>("velocity", "velocity", Dimension::Speed, Range::Any);
    let spin = section.vector::<3>("angular_velocity", "angular velocity", Dimension::AngularVelocity, Range::Any);
    let place = section.get("place").and_then(|node| placing(node, &section));
    section.not_both("place", "position");
    let name = name?;
    let Some(shape) = shape else {
        problems.excuse(&name);
        return None;
    };
    let mut body = Body { shape, ..Body::fixed(&name, plane()) };
    body.X_WB = X_WB;
    body.V_WBcm = SpatialVelocity::new(spin.unwrap_or_default().into(), velocity.unwrap_or_default().into());
    let prescribed = section.get("motion").map(|node| motion(node, &section, &body));
    let fixed = section.flag("fixed") == Some(true);
    if !fixed && prescribed.is_none() {
        // A material that is not there is told already.
        let told = section.has("material") && material.is_none();
        let density = material.and_then(|m| materials.list[m].material.density());
        mass(&mut body, &section, if told { Some(1.0) } else { density });
    }
    body.mobility = if fixed {
        Mobility::Fixed
    } else if let Some(motion) = prescribed {
        motion.map_or(Mobility::Fixed, Mobility::Prescribed)
    } else if let Some(node) = section.get("moves") {
        restriction(node, &section, &body).map_or(Mobility::Free, Mobility::Restricted)
    } else {
        Mobility::Free
    };
    if section.has("axes") && !section.has("moves") {
        section.lacks("`axes` says which motions `moves` leaves; missing key `moves`");
    }
    if !body.mobility.is_moved_by_forces() {
        for key in ["velocity", "angular_velocity"].iter().filter_map(|key| section.entry(key)) {
            let message = format!("a body that is fixed or has a motion takes no `{}`", key.key);
            problems.push(Problem::new(key.key_span.clone(), message).label(section.whose));
        }
    }
    body.class = material.unwrap_or(materials.list.len());
    let span = section.get("name").map_or(node.span.clone(), |node| node.span.clone());
    let keys = section.entries().iter().map(|entry| (entry.key.clone(), entry.node.span.clone())).collect();
    let carries_frame = section.get("axes").is_none_or(|axes| axes.get("origin").is_none())
        && section.get("motion").is_none_or(|m| m.get("point").is_none());
    Some(ReadBody { body, span, keys, material, place, carries_frame })
}

fn plane() -> Shape {
    Shape::HalfSpace(fingerpad_contact::surface::HalfSpace)
}

/// A name that expressions can use.
fn name(node: &Node, section: &Section) -> Option<String> {
    let Value::Text(text) = &node.value else {
        section.wrong(node, format!("expected the name of the body, got {}", node.kind()));
        return None;
    };
    let good = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        && text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && text.len() <= 64;
    if !good {
        section.wrong(node, "a name must begin with a letter and have letters, digits, `_` and `-`, at most 64");
        return None;
    }
    if TAKEN.contains(&text.as_str()) {
        section.wrong(node, format!("the name `{text}` means something else in checks; take another"));
        return None;
    }
    Some(text.clone())
}

/// Position and orientation of a table.
fn pose(section: &Section, position: &str) -> Isometry3<f64> {
    let p = section.vector::<3>(position, position, Length, Range::Within(-1e9 - 1.0, 1e9, "within ±1e9 m"));
    let rotation = section.get("orientation").and_then(|node| orientation(node, section)).unwrap_or_default();
    Isometry3::from_parts(Translation3::from(Vector3::from(p.unwrap_or_default())), rotation)
}

/// `[w, x, y, z]`, `{ axis, angle }`, `{ rotation_vector }` or `{ rpy }`.
fn orientation(node: &Node, of: &Section) -> Option<UnitQuaternion<f64>> {
    if matches!(node.value, Value::List(_)) {
        return quaternion(node, of);
    }
    let section = Section::new(node, keys::ORIENTATION, of.whose, of.problems())?;
    if let Some(node) = section.get("quaternion") {
        return quaternion(node, &section);
    }
    if let Some(node) = section.get("rotation_vector") {
        let v: [f64; 3] = section.vector_of(node, "the rotation vector", Angle, Range::Any)?;
        return Some(UnitQuaternion::from_scaled_axis(Vector3::from(v)));
    }
    if let Some(node) = section.get("rpy") {
        let [r, p, y] = section.vector_of(node, "roll, pitch and yaw", Angle, Range::Any)?;
        return Some(UnitQuaternion::from_euler_angles(r, p, y));
    }
    if section.has("axis") || section.has("angle") {
        let axis = direction(section.require("axis")?, &section, "the axis")?;
        section.require("angle")?;
        let angle = section.quantity("angle", "the angle", Angle, Range::Any)?;
        return Some(UnitQuaternion::from_axis_angle(&axis, angle));
    }
    section.wrong(node, "expected `quaternion`, `axis` and `angle`, `rotation_vector` or `rpy`");
    None
}

fn quaternion(node: &Node, section: &Section) -> Option<UnitQuaternion<f64>> {
    let [w, x, y, z] = section.vector_of(node, "the quaternion [w, x, y, z]", Number, Range::Any)?;
    let q = Quaternion::new(w, x, y, z);
    if !(q.norm() > 1e-100 && q.norm().is_finite()) {
        section.wrong(node, "a quaternion must have a length above zero");
        return None;
    }
    Some(UnitQuaternion::from_quaternion(q))
}

fn direction(node: &Node, section: &Section, what: &str) -> Option<Unit<Vector3<f64>>> {
    let v: [f64; 3] = section.vector_of(node, what, Number, Range::Any)?;
    let unit = Unit::try_new(Vector3::from(v), 1e-100).filter(|u| u.iter().all(|x| x.is_finite()));
    if unit.is_none() {
        section.wrong(node, format!("{what} must have a length above zero"));
    }
    unit
}

/// Mass, centre and inertia: given, or of the solid filled evenly.
fn mass(body: &mut Body, section: &Section, of_material: Option<f64>) {
    section.not_both("mass", "density");
    let mass = section.quantity("mass", "mass", Dimension::Mass, Range::Positive);
    let density = section.quantity("density", "density", Dimension::Density, Range::Positive);
    let given = section.get("inertia").map(|node| (node, inertia(node, section)));
    let centre = section.vector::<3>("center_of_mass", "centre of mass", Length, Range::Any);
    let density = density.or(if section.has("mass") || section.has("density") { None } else { of_material });
    let solid = solids::of(&body.shape);
    let endless = |why: &String| {
        let node = section.get("shape").map_or(section.span(), |node| &node.span);
        let problem = Problem::new(node.clone(), why.clone()).label(section.whose);
        section.problems().push(problem.note("give `mass` and `inertia`, or make the body `fixed = true`"));
    };
    if mass.is_none() && density.is_none() {
        if let (Err(why), false) = (&solid, section.has("mass") || section.has("density")) {
            endless(why);
        } else if !section.has("mass") && !section.has("density") {
            section.lacks("a body that forces move needs `mass`, `density`, or a material with a density");
        }
        return;
    }
    match (mass, &solid) {
        (Some(mass), Ok(solid)) => {
            body.mass = mass;
            body.p_BoBcm = solid.centre;
            body.I_BBcm_B = solid.inertia * (mass / solid.volume);
        }
        (None, Ok(solid)) => {
            let density = density.unwrap_or(1.0);
            body.mass = density * solid.volume;
            body.p_BoBcm = solid.centre;
            body.I_BBcm_B = solid.inertia * density;
        }
        (Some(mass), Err(_)) if given.is_some() => body.mass = mass,
        (_, Err(why)) => endless(why),
    }
    if let Some(centre) = centre {
        if given.is_none() {
            section.lacks("`center_of_mass` needs `inertia` beside it: both differ from the evenly filled shape");
        }
        body.p_BoBcm = Point3::from(centre);
    }
    if let Some((node, Some(I))) = given {
        body.I_BBcm_B = I;
        possible(node, &I, section);
    }
}

/// `[xx, yy, zz]`, `[xx, yy, zz, xy, xz, yz]` or three rows.
fn inertia(node: &Node, section: &Section) -> Option<Matrix3<f64>> {
    let what = "inertia";
    let (kind, range) = (Dimension::Inertia, Range::Any);
    let list = section.list_of(node, "a list of 3 or 6 numbers or 3 rows for inertia")?;
    if list.len() == 6 {
        let [xx, yy, zz, xy, xz, yz] = section.vector_of(node, what, kind, range)?;
        return Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz));
    }
    if list.len() == 3 && list.iter().all(|row| matches!(row.value, Value::List(_))) {
        let mut rows = [[0.0; 3]; 3];
        for (row, node) in rows.iter_mut().zip(list) {
            *row = section.vector_of(node, what, kind, range)?;
        }
        return Some(Matrix3::from_fn(|i, j| rows[i][j]));
    }
    if list.len() == 3 {
        let diagonal: [f64; 3] = section.vector_of(node, what, kind, range)?;
        return Some(Matrix3::from_diagonal(&Vector3::from(diagonal)));
    }
    section.wrong(node, format!("expected 3 or 6 numbers or 3 rows for inertia, got a list of {}", list.len()));
    None
}

/// Tells of an inertia that no solid has: each principal moment is at most the sum of the others.
fn possible(node: &Node, I: &Matrix3<f64>, section: &Section) {
    let scale = I.amax();
    if (I - I.transpose()).amax() > 1e-12 * scale {
        return section.wrong(node, "inertia must be symmetric");
    }
    let mut moments: Vec<f64> = I.symmetric_eigenvalues().iter().copied().collect();
    moments.sort_by(f64::total_cmp);
    let [a, b, c] = moments[..] else { return };
    let list = format!("{}, {}, {} kg m^2", rounded(a), rounded(b), rounded(c));
    if a.is_nan() || a <= 0.0 {
        section.wrong(node, format!("inertia must be positive about every axis, got principal moments {list}"));
    } else if c > (a + b) * (1.0 + 1e-9) {
        let rule = "no principal moment of a solid exceeds the sum of the other two";
        section.wrong(node, format!("no solid has this inertia: {rule}, got {list}"));
    }
}

/// `moves = ["x", "rz"]` about `axes`.
fn restriction(node: &Node, section: &Section, body: &Body) -> Option<Restriction> {
    let (mut slides, mut turns) = ([false; 3], [false; 3]);
    let names = [("x", 0), ("y", 1), ("z", 2), ("rx", 3), ("ry", 4), ("rz", 5)];
    for item in section.list_of(node, "a list of motions such as [\"x\", \"rz\"]")? {
        match section.choice_of(item, "motion", &names)? {
            k @ 0..3 => slides[k] = true,
            k => turns[k - 3] = true,
        }
    }
    let count = turns.iter().filter(|x| **x).count();
    if count == 2 {
        section.wrong(node, "a body may turn about no axis, one, or all three, got two");
        return None;
    }
    if count == 0 && slides == [false; 3] {
        section.wrong(node, "expected at least one motion; a body without any is `fixed = true`");
        return None;
    }
    let mut X_WF = Isometry3::from(Translation3::from(body.X_WB * body.p_BoBcm));
    if let Some(axes) = section.get("axes") {
        let axes = Section::new(axes, keys::AXES, section.whose, section.problems())?;
        let frame = pose(&axes, "origin");
        X_WF.rotation = frame.rotation;
        if axes.has("origin") {
            X_WF.translation = frame.translation;
        }
    }
    let restriction = Restriction { X_WF, slides, turns };
    starts_within(&restriction, section, body);
    Some(restriction)
}

/// Tells of a velocity at the start that the restriction does not allow.
fn starts_within(restriction: &Restriction, section: &Section, body: &Body) {
    let Restriction { X_WF, slides, turns } = restriction;
    let p_BcmP_W = X_WF.translation.vector - (body.X_WB * body.p_BoBcm).coords;
    let V = body.V_WBcm.shift(p_BcmP_W);
    let (w_F, v_F) = (X_WF.rotation.inverse() * V.w, X_WF.rotation.inverse() * V.v);
    let scale = 1e-9 * (V.v.norm() + V.w.norm() * (1.0 + p_BcmP_W.norm()));
    for i in 0..3 {
        for (value, free, key) in [(v_F[i], slides[i], "velocity"), (w_F[i], turns[i], "angular_velocity")] {
            if !free && value.abs() > scale {
                let axis = ["x", "y", "z"][i];
                let way = if key == "velocity" { "along" } else { "about" };
                let message = format!("`moves` leaves no motion {way} {axis}, but the body starts with one");
                let node = section.get(key).or(section.get("velocity")).or(section.get("angular_velocity"));
                if let Some(node) = node {
                    section.wrong(node, message);
                    return;
                }
            }
        }
    }
}

/// `motion = { type = "turntable", rate = "33 rpm" }`.
fn motion(node: &Node, of: &Section, body: &Body) -> Option<Prescribed> {
    let kinds: Vec<(&str, usize)> = keys::MOTIONS.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect();
    let open = Section::open(node, of.whose, of.problems())?;
    let (kind, known) = keys::MOTIONS[open.choice_of(open.require("type")?, "motion", &kinds)?];
    let section = Section::new(node, known, of.whose, of.problems())?;
    match kind {
        "turntable" => {
            let p_WQ = match section.get("point") {
                Some(node) => section.vector_of::<3>(node, "`point`", Length, Range::Any)?.into(),
                None => body.X_WB.translation.vector,
            };
            let axis_W = match section.get("axis") {
                Some(node) => direction(node, &section, "`axis`")?,
                None => Vector3::z_axis(),
            };
            section.require("rate")?;
            let rate = section.quantity("rate", "`rate`", Dimension::AngularVelocity, Range::Any)?;
            Some(Prescribed::Turning { p_WQ: p_WQ.into(), axis_W, rate })
        }
        "shaker" => {
            let amplitude = section.vector_of::<3>(section.require("amplitude")?, "`amplitude`", Length, Range::Any);
            section.require("frequency");
            let frequency = section.quantity("frequency", "`frequency`", Dimension::Frequency, Range::Positive);
            let phase = section.quantity("phase", "`phase`", Angle, Range::Any).unwrap_or(0.0);
            Some(Prescribed::Shaking { amplitude_W: amplitude?.into(), frequency: frequency?, phase })
        }
        _ => {
            let node = section.require("velocity")?;
            let v_W = section.vector_of::<3>(node, "`velocity`", Dimension::Speed, Range::Any)?.into();
            Some(if kind == "conveyor" { Prescribed::Conveying { v_W } } else { Prescribed::Moving { v_W } })
        }
    }
}

/// `place = "on terrain at (x, y)"`, or the same as a table.
fn placing(node: &Node, of: &Section) -> Option<Placing> {
    let span = node.span.clone();
    if let Value::Text(text) = &node.value {
        let read = || {
            let (on, at) = text.trim().strip_prefix("on ")?.split_once(" at ")?;
            let (x, y) = at.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
            let length = |text: &str| crate::units::parse(text, Length).ok();
            Some(Placing {
                on: on.trim().to_string(),
                at: [length(x)?, length(y)?],
                gap: 0.0,
                span: span.clone(),
                on_span: span.clone(),
            })
        };
        let placing = read();
        if placing.is_none() {
            of.wrong(node, "expected a place such as \"on terrain at (0.5, 1.2)\"");
        }
        return placing;
    }
    let section = Section::new(node, keys::PLACE, of.whose, of.problems())?;
    let on = section.require("on")?;
    let name = section.text_of(on)?.to_string();
    let at = section.vector_of::<2>(section.require("at")?, "`at`", Length, Range::Any)?;
    let gap = section.quantity("gap", "`gap`", Length, Range::Any).unwrap_or(0.0);
    Some(Placing { on: name, at, gap, span, on_span: on.span.clone() })
}

/// A body that is already made, such as the terrain.
pub(crate) fn made(body: Body, material: Option<usize>, span: Span) -> ReadBody {
    ReadBody { body, span, keys: Vec::new(), material, place: None, carries_frame: false }
}
