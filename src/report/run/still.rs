//! # Still views: a scene at one time, drawn by Rust alone
//!
//! - **in**: the stage, a frame
//! - **out**: an SVG seen from above and aside, far triangles painted first
//! - **not here**: the 3-D replay (`viewer/`)
//! - **start at** [`still`]

use super::stage::{Stage, pose};
use crate::report::escaped;
use crate::report::shell::{Drawn, Shell};
use fingerpad_contact::surface::Shape;
use fingerpad_files::recording::Frame;
use nalgebra::{Point3, Vector3};
use std::fmt::Write;

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 330.0;
/// Compass angle and height of the reader (rad).
const AZIMUTH: f64 = -1.05;
const ELEVATION: f64 = 0.42;
/// Most polygons of one view.
const POLYGONS: usize = 2600;
/// Colours of bodies, told apart by eyes that mix red and green.
pub const COLOURS: [[u8; 3]; 8] = [
    [86, 156, 214],
    [230, 145, 70],
    [70, 175, 140],
    [205, 130, 175],
    [215, 185, 80],
    [120, 130, 200],
    [150, 190, 90],
    [190, 120, 110],
];
/// Colour of ground and of bodies that stay.
pub const GROUND: [u8; 3] = [176, 183, 193];

/// A direction of view.
struct View {
    right: Vector3<f64>,
    up: Vector3<f64>,
    towards: Vector3<f64>,
    middle: Point3<f64>,
    zoom: f64,
}

impl View {
    fn place(&self, p: &Point3<f64>) -> [f64; 2] {
        let d = p - self.middle;
        [0.5 * WIDTH + self.zoom * self.right.dot(&d), 0.5 * HEIGHT - self.zoom * self.up.dot(&d)]
    }
}

struct Polygon {
    depth: f64,
    ground: bool,
    text: String,
}

/// The scene at one time; `peak` is the greatest normal force of the run (N), for arrows.
pub fn still(stage: &Stage, frame: &Frame, trails: &[Vec<Point3<f64>>], peak: f64, title: &str) -> String {
    let ((sa, ca), (se, ce)) = (AZIMUTH.sin_cos(), ELEVATION.sin_cos());
    let view = View {
        right: Vector3::new(-sa, ca, 0.0),
        up: Vector3::new(-se * ca, -se * sa, ce),
        towards: Vector3::new(ce * ca, ce * sa, se),
        middle: stage.middle,
        zoom: 0.5 * HEIGHT / (0.8 * stage.reach),
    };
    let mut polygons = Vec::new();
    let visible: usize = stage.shape_of.iter().map(|s| stage.shells[*s].faces.len()).sum();
    for (i, body) in frame.bodies.iter().enumerate() {
        let X_WB = pose(body);
        let colour = if stage.fixed[i] { GROUND } else { COLOURS[i % COLOURS.len()] };
        if let Some(Shape::Sphere(ball)) = stage.shapes[i].as_deref() {
            let centre = X_WB * Point3::origin();
            let ([x, y], r) = (view.place(&centre), ball.radius() * view.zoom);
            let [red, green, blue] = colour;
            let mut text = format!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"rgb({red},{green},{blue})\" stroke=\"#000\" stroke-opacity=\".25\"/>\
                 <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"url(#shine)\"/>"
            );
            // A ring on the ball shows how it turns.
            let ring = |k: i32| {
                X_WB * Point3::from(
                    Vector3::new((0.2618 * f64::from(k)).cos(), (0.2618 * f64::from(k)).sin(), 0.0) * ball.radius(),
                )
            };
            let seen: Vec<Point3<f64>> = (0..=24).map(ring).collect();
            let mut line = String::new();
            let mut drawn = false;
            for two in seen.windows(2) {
                let faces = (two[0] - centre).dot(&view.towards) > 0.0;
                if faces {
                    let ([a, b], [c, d]) = (view.place(&two[0]), view.place(&two[1]));
                    if !drawn {
                        let _ = write!(line, "M{a:.1} {b:.1}");
                    }
                    let _ = write!(line, "L{c:.1} {d:.1}");
                }
                drawn = faces;
            }
            let _ = write!(text, "<path d=\"{line}\" fill=\"none\" stroke=\"#000\" stroke-opacity=\".35\"/>");
            polygons.push(Polygon { depth: view.towards.dot(&centre.coords), ground: false, text });
            continue;
        }
        let shell = &stage.shells[stage.shape_of[i]];
        // Where there are more triangles than the picture can hold, shapes are cut more coarsely, and meshes show every
        // so many of their triangles. Ground is drawn by its cells, joined.
        if shell.ground {
            ground(&mut polygons, stage, i, frame, &view);
            continue;
        }
        let every = (visible / (2 * POLYGONS)).max(1);
        let coarse = coarser(stage, i, every);
        let (shell, every) = coarse.as_ref().map_or((shell, every), |shell| (shell, 1));
        for face in shell.faces.iter().step_by(every) {
            let corners = face.map(|v| X_WB * shell.points[v as usize]);
            let n = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
            if n.dot(&view.towards) <= 0.0 {
                continue;
            }
            let mean = (corners[0].coords + corners[1].coords + corners[2].coords) / 3.0;
            let depth = view.towards.dot(&mean);
            polygons.push(Polygon { depth, ground: false, text: polygon(&view, &corners, colour, &n) });
        }
    }
    polygons.sort_by(|a, b| b.ground.cmp(&a.ground).then(a.depth.total_cmp(&b.depth)));
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">", escaped(title));
    svg.push_str("<g stroke-width=\".7\">");
    polygons.iter().for_each(|p| svg.push_str(&p.text));
    svg.push_str("</g>");
    for trail in trails {
        let points: Vec<String> = trail.iter().map(|p| view.place(p)).map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = write!(
            svg,
            "<polyline class=\"still-line\" fill=\"none\" stroke-dasharray=\"3 3\" points=\"{}\"/>",
            points.join(" ")
        );
    }
    for contact in frame.contacts.iter().take(200) {
        let p = Point3::from(contact.p);
        let size = 0.45 * stage.reach * (contact.normal / peak.max(f64::MIN_POSITIVE)).sqrt();
        let ([x, y], [u, v]) = (view.place(&p), view.place(&(p + Vector3::from(contact.n) * size)));
        let class = if contact.mode == fingerpad_files::recording::Mode::Slip { "--slip" } else { "--stick" };
        let _ = write!(
            svg,
            "<path d=\"M{x:.1} {y:.1}L{u:.1} {v:.1}\" stroke=\"var({class})\" stroke-width=\"2.5\"/>\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"var({class})\" stroke=\"#fff\"/>"
        );
    }
    if stage.names.len() <= 12 {
        for (i, body) in frame.bodies.iter().enumerate().filter(|(i, _)| !stage.fixed[*i]) {
            let [x, y] = view.place(&Point3::from(body.p));
            let name = super::plot::cut(&stage.names[i], 18);
            let _ = write!(
                svg,
                "<text class=\"still-text\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                y - 9.0,
                escaped(&name)
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

/// The shape of a body in about `every` times fewer triangles; none where it has few enough, or is a mesh.
fn coarser(stage: &Stage, body: usize, every: usize) -> Option<Shell> {
    let shape = stage.shapes[body].as_deref().filter(|shape| every > 1 && !matches!(shape, Shape::Mesh(_)))?;
    let finest = 48.0 / (every as f64).sqrt();
    let around = (4 * (finest / 4.0) as usize).max(8);
    Some(Shell::of(shape, &Drawn { middle: Point3::origin(), reach: stage.reach, around, cells: around }))
}

fn polygon(view: &View, corners: &[Point3<f64>], colour: [u8; 3], n: &Vector3<f64>) -> String {
    let light = Vector3::new(0.25, -0.55, 0.8);
    let bright = 0.6 + 0.45 * n.normalize().dot(&light.normalize()).max(0.0);
    let [r, g, b] = colour.map(|c| (f64::from(c) * bright).min(255.0) as u8);
    let places: Vec<[i64; 2]> = corners.iter().map(|p| view.place(p).map(|x| x.round() as i64)).collect();
    let mut path = format!("M{} {}", places[0][0], places[0][1]);
    for two in places.windows(2) {
        let _ = write!(path, "l{} {}", two[1][0] - two[0][0], two[1][1] - two[0][1]);
    }
    let fill = format!("#{r:02x}{g:02x}{b:02x}");
    format!("<path d=\"{path}z\" fill=\"{fill}\" stroke=\"{fill}\"/>")
}

/// Ground as a coarse grid of quads around the middle.
fn ground(polygons: &mut Vec<Polygon>, stage: &Stage, body: usize, frame: &Frame, view: &View) {
    let X_WB = pose(&frame.bodies[body]);
    let drawn = Drawn { middle: X_WB.inverse() * stage.middle, reach: 1.5 * stage.reach, around: 8, cells: 18 };
    let Some(shape) = &stage.shapes[body] else { return };
    let shell = Shell::of(shape, &drawn);
    // Triangles come in pairs that share their first corner.
    let pairs = shell.faces.chunks(2).filter(|two| two.len() == 2 && two[0][0] == two[1][0] && two[0][2] == two[1][1]);
    for two in pairs {
        let corners = [two[0][0], two[0][1], two[0][2], two[1][2]].map(|v| X_WB * shell.points[v as usize]);
        let n = (corners[1] - corners[0]).cross(&(corners[3] - corners[0]));
        if n.dot(&view.towards) <= 0.0 {
            continue;
        }
        let depth = view.towards.dot(&corners[0].coords);
        polygons.push(Polygon { depth, ground: true, text: polygon(view, &corners, GROUND, &n) });
    }
}
