//! Loose bodies over a ground: in a row, on each other, or thrown at each other.

use super::chance::Chance;
use super::{Case, Mass, Round};
use nalgebra::Vector3;
use std::fmt::Write;

/// A scene of a seed.
pub fn scene(c: &mut Chance) -> Case {
    let gravity = c.size(0.1, 20.0);
    let mut case = Case::new(&format!("gravity = {gravity}\n"));
    materials(c, &mut case.scene);
    let (ground, moves) = ground(c, &mut case);
    let layout = c.below(4);
    let (mut top, mut end) = (0.06, 0.0);
    for k in 0..1 + c.below(4) {
        let shape = shape(c, &mut case, k);
        let turned = !c.once_in(2);
        let place = match layout {
            // In a row well apart, just above the ground or pressed a little into it.
            0 | 1 => Vector3::new(k as f64 - 1.5, c.about(0.5), 0.06 + 1.3 * shape.outer),
            // On each other.
            2 => Vector3::new(c.about(0.1) * shape.size, c.about(0.1) * shape.size, top + 1.01 * shape.outer),
            // At each other in the air, a few of them in each other from the start.
            _ => {
                let least = if c.once_in(20) { 0.5 } else { 1.01 };
                let x = if k == 0 { 0.0 } else { end + least * shape.outer };
                Vector3::new(x, c.about(0.3) * shape.size, 0.5 + shape.outer)
            }
        };
        (top, end) = (place.z + shape.outer, place.x + shape.outer);
        // The second comes back to the first.
        let back = if layout == 3 && k % 2 == 1 { -1.0 } else { 1.0 };
        let v = Vector3::new(c.size(0.2, 2.0) * back, c.about(2.0), -c.size(0.1, 10.0))
            * if layout == 2 { 0.05 } else { 1.0 };
        let w = if c.once_in(3) { Vector3::new(c.about(20.0), c.about(20.0), c.about(20.0)) } else { Vector3::zeros() };
        let material = c.of(&["soft", "hard"]);
        let _ = writeln!(
            case.scene,
            "[[body]]\nname = \"b{k}\"\nmaterial = \"{material}\"\nshape = {}\nposition = {}\nvelocity = {}\n\
             angular_velocity = {}",
            shape.text,
            list(place),
            list(v),
            list(w)
        );
        if turned {
            let _ = writeln!(
                case.scene,
                "orientation = {{ rpy = [{}, {}, {}] }}",
                c.about(3.0),
                c.about(1.5),
                c.about(3.0)
            );
        }
        let mass = c.size(200.0, 8000.0) * shape.size.powi(3);
        if c.once_in(2) {
            let _ = writeln!(case.scene, "mass = {mass}");
        } else {
            // Its density gives a mass that the judge does not know.
            case.masses_known = false;
        }
        case.round.push(Round { name: format!("b{k}"), outer: shape.outer, inner: shape.inner });
        let spin = 0.5 * (shape.outer * w.norm()).powi(2);
        case.masses.push(Mass { name: format!("b{k}"), mass, z: place.z, start: 0.5 * v.norm_squared() + spin });
    }
    case.on_plane = ground;
    // Nothing but gravity acts, and nothing is stored at the start.
    let pushed = events(c, &mut case.scene);
    case.gravity = (ground && !moves && !pushed && layout < 2 && case.masses_known).then_some(gravity);
    case
}

pub fn list(v: Vector3<f64>) -> String {
    format!("[{}, {}, {}]", v.x, v.y, v.z)
}

/// The materials `soft` and `hard`.
pub fn materials(c: &mut Chance, text: &mut String) {
    let layered = c.once_in(4);
    for name in ["soft", "hard"] {
        let _ =
            writeln!(text, "[materials.{name}]\ndensity = {}\nfriction = {}", c.size(200.0, 8000.0), c.size(0.1, 1.0));
        if name == "soft" && layered {
            let (modulus, depth) = (c.size(1e4, 1e7), c.size(1e-3, 1e-2));
            let _ = writeln!(text, "layer = {{ modulus = {modulus}, depth = {depth} }}");
        } else {
            let _ = writeln!(text, "young = {}\npoisson = {}", c.size(1e5, 1e11), c.about(0.2) + 0.28);
        }
        match c.below(4) {
            0 | 1 => {
                let _ = writeln!(text, "hunt_crossley = {}", c.size(0.01, 1.0));
            }
            2 => {
                let _ = writeln!(text, "kelvin_voigt = {}", c.size(0.1, 100.0));
            }
            _ => {}
        }
    }
}

/// A ground; whether it is the plane z = 0, and whether it moves.
fn ground(c: &mut Chance, case: &mut Case) -> (bool, bool) {
    let text = &mut case.scene;
    let (a, l) = (c.size(0.005, 0.05), c.size(0.5, 5.0));
    match c.below(8) {
        0 => {
            let kind = c.of(&["cubic", "quintic", "6x6"]);
            let _ = writeln!(
                text,
                "[terrain]\nmaterial = \"hard\"\nkind = \"{kind}\"\ngenerated = {{ formula = \
                 \"{a}*sin(2*pi*x/{l})*cos(2*pi*y/{l})\", size = [4, 4], spacing = 0.1 }}"
            );
            case.lowest = Some(-a.abs());
            (false, false)
        }
        1 => {
            // A file of samples, some without a height.
            let mut rows = String::new();
            for _ in 0..9 {
                let row: Vec<String> = (0..9)
                    .map(|_| if c.once_in(80) { "-9999".to_string() } else { format!("{}", c.about(a)) })
                    .collect();
                let _ = writeln!(rows, "{}", row.join(" "));
            }
            let head = "ncols 9\nnrows 9\nxllcorner -2\nyllcorner -2\ncellsize 0.5\nNODATA_value -9999\n";
            let _ = writeln!(text, "[terrain]\nmap = \"map.asc\"\norigin = [0, 0]\nmaterial = \"hard\"");
            case.files.push(("map.asc".to_string(), format!("{head}{rows}").into_bytes()));
            (false, false)
        }
        2 => {
            let fixed = "fixed = true\nmaterial = \"hard\"\nposition = [0, 0, -0.1]";
            let _ = writeln!(
                text,
                "[[body]]\nname = \"ground\"\nshape = {{ type = \"box\", half_extents = [2, 1, 0.1] }}\n{fixed}"
            );
            (false, false)
        }
        kind => {
            let how = match (kind, c.below(3)) {
                (3 | 4, 0) => format!(
                    "motion = {{ type = \"shaker\", amplitude = [{}, 0, 0], frequency = {} }}",
                    c.size(1e-4, 1e-2),
                    c.size(1.0, 50.0)
                ),
                (3 | 4, 1) => format!("motion = {{ type = \"turntable\", rate = {} }}", c.about(10.0)),
                (3 | 4, _) => format!("motion = {{ type = \"conveyor\", velocity = [{}, 0, 0] }}", c.about(2.0)),
                _ => "fixed = true".to_string(),
            };
            let _ = writeln!(text, "[[body]]\nname = \"ground\"\nshape = \"half_space\"\nmaterial = \"hard\"\n{how}");
            (true, how != "fixed = true")
        }
    }
}

/// A shape with what the judge knows of it (m).
pub struct Sized {
    pub text: String,
    /// What it was made from: between the two.
    pub size: f64,
    /// Radius of a ball around its origin that holds it.
    pub outer: f64,
    /// Radius of a ball around its origin that it holds; 0 where there is none.
    pub inner: f64,
}

pub fn shape(c: &mut Chance, case: &mut Case, k: usize) -> Sized {
    let size = c.size(0.01, 0.2);
    let (p, q) = (c.size(0.5, 2.0), c.size(0.5, 2.0));
    let sized = |text: String, outer: f64, inner: f64| Sized { text, size, outer: outer * size, inner: inner * size };
    match c.below(9) {
        0 | 1 => sized(format!("{{ type = \"sphere\", radius = {size} }}"), 1.0, 1.0),
        2 => sized(
            format!("{{ type = \"ellipsoid\", semi_axes = [{size}, {}, {}] }}", p * size, q * size),
            p.max(q).max(1.0),
            p.min(q).min(1.0),
        ),
        3 => sized(
            format!("{{ type = \"box\", half_extents = [{size}, {}, {}] }}", p * size, q * size),
            (1.0 + p * p + q * q).sqrt(),
            p.min(q).min(1.0),
        ),
        4 => sized(
            format!("{{ type = \"cylinder\", radius = {size}, half_length = {} }}", p * size),
            1.0_f64.hypot(p),
            p.min(1.0),
        ),
        5 => sized(format!("{{ type = \"capsule\", radius = {size}, half_length = {} }}", p * size), 1.0 + p, 1.0),
        6 => {
            let tube = c.size(0.2, 0.6);
            let text = format!("{{ type = \"torus\", major_radius = {size}, minor_radius = {} }}", tube * size);
            sized(text, 1.0 + tube, 0.0)
        }
        7 => {
            // A goblet: stands on the ring of its foot.
            let points = [[0.0, 0.1], [0.5, 0.07], [0.8, 0.0], [1.0, 0.2], [0.9, 1.0], [0.5, 1.6], [0.0, 1.7]];
            let points: Vec<String> = points.iter().map(|[r, z]| format!("[{}, {}]", r * size, z * size)).collect();
            sized(format!("{{ type = \"revolution\", profile = [{}] }}", points.join(", ")), 2.1, 0.0)
        }
        _ => {
            let surface = c.of(&["auto", "facets", "hull", "smooth"]);
            case.files.push((format!("mesh{k}.obj"), mesh(c, size).into_bytes()));
            let text = format!("{{ type = \"mesh\", mesh = \"mesh{k}.obj\", surface = \"{surface}\" }}");
            sized(text, 1.5 * 3.0_f64.sqrt(), 0.0)
        }
    }
}

/// An OBJ file: a cube whose corners were moved.
fn mesh(c: &mut Chance, size: f64) -> String {
    let mut text = String::new();
    for k in 0..8 {
        let [x, y, z] = [0, 1, 2].map(|i| (if k >> i & 1 == 0 { -1.0 } else { 1.0 } + c.about(0.3)) * size);
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for quad in [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]] {
        let _ = writeln!(text, "f {} {} {}\nf {0} {2} {}", quad[0], quad[1], quad[2], quad[3]);
    }
    text
}

/// Perhaps an event; whether there is one.
fn events(c: &mut Chance, text: &mut String) -> bool {
    let (x, z) = (c.about(1.0), c.about(1.0));
    let event = match c.below(6) {
        0 => {
            format!("type = \"impulse\"\ntime = 0.01\nimpulse = [{x}, 0, {z}]\nangular_impulse = [0, {}, 0]", 0.01 * x)
        }
        1 => format!("type = \"wave\"\nfrequency = {}\nforce = [0, {}, 0]", c.size(1.0, 100.0), 10.0 * x),
        2 => format!("type = \"pulse\"\nfrom = 0.005\nduration = {}\nforce = [{x}, 0, {z}]", c.size(1e-3, 1e-1)),
        3 => format!("type = \"ramp\"\nto = {}\nforce = [{x}, 0, {z}]", c.size(1e-3, 1e-1)),
        _ => return false,
    };
    let _ = writeln!(text, "[[event]]\nbody = \"b0\"\n{event}");
    true
}
