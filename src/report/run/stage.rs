//! # Stage: the shapes of a scene and where to look
//!
//! - **in**: a model, the frames of a run
//! - **out**: triangles of each distinct shape, which body has which, the place and size of what happens
//! - **start at** [`Stage::new`]

use crate::report::shell::{Drawn, Shell};
use fingerpad_contact::surface::{Shape, Sphere, Surface};
use fingerpad_files::recording::{BodyFrame, Frame};
use fingerpad_sim::{Body, Mobility, Model, Prescribed};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

/// Triangles of all bodies together, about.
const TRIANGLES: f64 = 26_000.0;
/// Cells along a side of a map.
const CELLS: usize = 100;

/// The shapes of a scene and where to look.
pub struct Stage {
    /// Names of the bodies.
    pub names: Vec<String>,
    /// Middle of what happens (m).
    pub middle: Point3<f64>,
    /// Half of its diagonal (m).
    pub reach: f64,
    /// Distinct shapes.
    pub shells: Vec<Shell>,
    /// Kind of each shape, as files spell it.
    pub kinds: Vec<&'static str>,
    /// Which shape each body has.
    pub shape_of: Vec<usize>,
    /// Whether each body stays where it is.
    pub fixed: Vec<bool>,
    /// Shapes themselves, by body; none where triangles are all there is.
    pub shapes: Vec<Option<Arc<Shape>>>,
}

/// The pose of a body in a frame.
pub fn pose(body: &BodyFrame) -> Isometry3<f64> {
    let [w, x, y, z] = body.q;
    let turn = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
    Isometry3::from_parts(Translation3::from(Vector3::from(body.p)), turn)
}

impl Stage {
    /// The stage of a model and the frames of its run.
    pub fn new(model: &Model, frames: &[Frame]) -> Self {
        let bodies = model.bodies();
        let fixed: Vec<bool> = bodies
            .iter()
            .map(|b| matches!(b.mobility, Mobility::Fixed | Mobility::Prescribed(Prescribed::Conveying { .. })))
            .collect();
        // A link without a surface of its own is not drawn: a point stands for it.
        let point = Sphere::new(1e-9).ok().map(|point| Arc::new(Shape::Sphere(point)));
        let shape = |b: &Body| match &point {
            Some(point) if !b.touches => Arc::clone(point),
            _ => Arc::clone(&b.shape),
        };
        let shapes: Vec<Arc<Shape>> = bodies.iter().map(shape).collect();
        let names = bodies.iter().map(|b| b.name.clone()).collect();
        Self::of(names, shapes, fixed, frames)
    }

    /// The stage of shapes alone.
    pub fn of(names: Vec<String>, shapes: Vec<Arc<Shape>>, fixed: Vec<bool>, frames: &[Frame]) -> Self {
        let (middle, reach) = extent(&shapes, &fixed, frames);
        let most = TRIANGLES / shapes.len().max(1) as f64;
        let around = (4 * (most.sqrt() / 4.0) as usize).clamp(8, 48);
        let mut stage = Self {
            names,
            middle,
            reach,
            shells: Vec::new(),
            kinds: Vec::new(),
            shape_of: Vec::new(),
            fixed,
            shapes: Vec::new(),
        };
        let mut known: Vec<(String, usize)> = Vec::new();
        for (i, shape) in shapes.iter().enumerate() {
            let start = frames.first().and_then(|f| f.bodies.get(i)).map_or_else(Isometry3::identity, pose);
            let drawn = Drawn { middle: start.inverse() * middle, reach: 2.0 * reach, around, cells: CELLS };
            let key = key(shape, i);
            let found = known.iter().find(|(k, _)| *k == key).map(|(_, at)| *at);
            let at = found.unwrap_or_else(|| {
                stage.shells.push(Shell::of(shape, &drawn));
                stage.kinds.push(shape.kind());
                known.push((key, stage.shells.len() - 1));
                stage.shells.len() - 1
            });
            stage.shape_of.push(at);
        }
        stage.shapes = shapes.into_iter().map(Some).collect();
        stage
    }

    /// The stage of one thing that is known by its triangles.
    pub fn of_shell(name: String, kind: &'static str, shell: Shell) -> Self {
        let first = shell.points.first().copied().unwrap_or_else(Point3::origin);
        let around = |(low, high): (Point3<f64>, Point3<f64>), p: &Point3<f64>| (low.inf(p), high.sup(p));
        let (low, high) = shell.points.iter().fold((first, first), around);
        Self {
            names: vec![name],
            middle: nalgebra::center(&low, &high),
            reach: (0.5 * (high - low).norm()).max(1e-9),
            shells: vec![shell],
            kinds: vec![kind],
            shape_of: vec![0],
            fixed: vec![false],
            shapes: vec![None],
        }
    }
}

/// Shapes with the same key look the same.
fn key(shape: &Shape, body: usize) -> String {
    match shape {
        Shape::Mesh(mesh) => format!("mesh {:p}", Arc::as_ptr(mesh)),
        Shape::Elevation(map) => format!("map {:p}", Arc::as_ptr(map)),
        Shape::Revolution(turned) => format!("{:?}", turned.points()),
        Shape::HalfSpace(_) | Shape::Graph(_) => format!("own {body}"),
        other => format!("{other:?}"),
    }
}

/// Middle and half diagonal of the box around all that moves, or around all that is bounded.
fn extent(shapes: &[Arc<Shape>], fixed: &[bool], frames: &[Frame]) -> (Point3<f64>, f64) {
    let around = |moving: bool| {
        let mut low = Vector3::repeat(f64::INFINITY);
        let mut high = -low;
        let still = [Frame {
            bodies: vec![BodyFrame { q: [1.0, 0.0, 0.0, 0.0], ..BodyFrame::default() }; shapes.len()],
            ..Frame::default()
        }];
        let frames = if frames.is_empty() { &still[..] } else { frames };
        for (i, shape) in shapes.iter().enumerate().filter(|(i, _)| !moving || !fixed[*i]) {
            let bounds = shape.bounds();
            if !bounds.is_finite() {
                continue;
            }
            let (centre, half) = (bounds.centre(), 0.5 * (bounds.max - bounds.min));
            for body in frames.iter().filter_map(|frame| frame.bodies.get(i)) {
                let X_WB = pose(body);
                let (p, half) = (X_WB * centre, X_WB.rotation.to_rotation_matrix().matrix().abs() * half);
                low = low.inf(&(p.coords - half));
                high = high.sup(&(p.coords + half));
            }
        }
        (low, high)
    };
    let (mut low, mut high) = around(true);
    let is_empty = |low: f64, high: f64| low.is_nan() || high.is_nan() || low > high;
    if is_empty(low.x, high.x) {
        (low, high) = around(false);
    }
    if !(low.x <= high.x && low.iter().chain(high.iter()).all(|x| x.is_finite())) {
        return (Point3::origin(), 1.0);
    }
    (Point3::from(0.5 * (low + high)), (0.5 * (high - low).norm()).max(1e-6))
}
