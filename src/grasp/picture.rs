//! # Grasps drawn: contacts, friction cones, loads, the weakest direction
//!
//! - **in**: a question with its answer
//! - **out**: an SVG of the grasp seen along two axes
//! - **start at** [`svg`]

use super::answer::{Answered, unresisted};
use super::read::Question;
use crate::report::escaped;
use fingerpad_grasp::Screw;
use nalgebra::{Vector2, Vector3};
use std::fmt::Write;

const SIDE: f64 = 360.0;
const TOP: f64 = 56.0;
const STYLE: &str = ".grasp text{font:13px system-ui,sans-serif;fill:#1d2430}.grasp .soft{fill:#5b6472}\
 @media(prefers-color-scheme:dark){.grasp text{fill:#e6e9ee}.grasp .soft{fill:#9aa4b2}}";

/// One view: which axes go right and up.
struct View {
    title: &'static str,
    axes: [usize; 2],
    left: f64,
}

impl View {
    fn place(&self, p: &Vector3<f64>, centre: &Vector3<f64>, scale: f64) -> Vector2<f64> {
        let at = (p - centre) * scale;
        Vector2::new(self.left + 0.5 * SIDE + at[self.axes[0]], TOP + 0.5 * SIDE - at[self.axes[1]])
    }
}

fn arrow(svg: &mut String, from: Vector2<f64>, to: Vector2<f64>, colour: &str, width: f64) {
    let along = to - from;
    if along.norm() < 1.0 {
        return;
    }
    let (d, n) = (along.normalize(), Vector2::new(-along.y, along.x).normalize());
    let (a, b) = (to - d * 8.0 + n * 4.0, to - d * 8.0 - n * 4.0);
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}\" fill=\"none\" stroke=\"{colour}\" \
         stroke-width=\"{width}\"/>",
        from.x, from.y, to.x, to.y, a.x, a.y, to.x, to.y, b.x, b.y
    );
}

/// The drawing.
pub fn svg(name: &str, question: &Question, answered: &Answered) -> String {
    let grasp = &question.grasp;
    let centre = grasp.contacts.iter().map(|c| c.point).sum::<Vector3<f64>>() / grasp.contacts.len() as f64;
    let reach = grasp.contacts.iter().map(|c| (c.point - centre).norm()).fold(1e-9, f64::max);
    let scale = 0.3 * SIDE / reach;
    // From the side along which contacts are seen apart.
    let spread = |axis: usize| grasp.contacts.iter().map(|c| (c.point[axis] - centre[axis]).abs()).fold(0.0, f64::max);
    let side = match spread(0) >= spread(1) {
        true => View { title: "from the side (x, z)", axes: [0, 2], left: SIDE },
        false => View { title: "from the side (y, z)", axes: [1, 2], left: SIDE },
    };
    let views = [View { title: "from above (x, y)", axes: [0, 1], left: 0.0 }, side];
    let (width, height) = (2.0 * SIDE, SIDE + TOP + 24.0);
    let label = escaped(&format!("Contacts of {name}, seen from above and from the side"));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"grasp\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"{label}\">\n<style>{STYLE}</style>\n"
    );
    let words = match (&answered.closure.proof, answered.closure.margin) {
        (Some(twist), _) => {
            format!("{name}: not closed, nothing resists {}", unresisted(twist, grasp).words(grasp.torque_length))
        }
        (None, margin) => format!("{name}: force closure, margin {:.4}", margin.unwrap_or(0.0)),
    };
    let _ = writeln!(svg, "<text x=\"12\" y=\"22\">{}</text>", escaped(&words));
    let weakest = match (&answered.closure.proof, answered.epsilon.iter().flatten().next()) {
        (Some(twist), _) => Some((unresisted(twist, grasp), "#c0262d")),
        (None, Some(e)) => Some((Screw::of(&e.twist(grasp), &grasp.reference, grasp.torque_length), "#8250df")),
        (None, None) => None,
    };
    let most = answered.loads().map_or(0.0, |l| l.iter().map(|f| f[0]).fold(0.0, f64::max));
    for view in &views {
        let place = |p: &Vector3<f64>| view.place(p, &centre, scale);
        let _ =
            writeln!(svg, "<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>", view.left + 12.0, TOP - 8.0, view.title);
        for (k, c) in grasp.contacts.iter().enumerate() {
            // Normal with the friction cone's two edges in this view.
            let length = 0.45 * reach;
            let flat = |v: Vector3<f64>| {
                let mut v = v;
                v[3 - view.axes[0] - view.axes[1]] = 0.0;
                v
            };
            let across = flat(c.normal).cross(&flat(c.tangent.cross(&c.normal)).cross(&c.normal)).try_normalize(1e-9);
            let sideways = across.unwrap_or(c.tangent) * c.friction[0];
            let from = place(&c.point);
            let edge = |sign: f64| place(&(c.point + (c.normal + sideways * sign) * length));
            let (a, b) = (edge(1.0), edge(-1.0));
            let _ = writeln!(
                svg,
                "<path d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" fill=\"#0b68cb\" fill-opacity=\".15\" stroke=\"#0b68cb\" \
                 stroke-opacity=\".5\"/>",
                from.x, from.y, a.x, a.y, b.x, b.y
            );
            if let Some(load) = answered.loads().map(|l| l[k]) {
                let force = c.normal * load[0] + c.tangent * load[1] + c.tangent2() * load[2];
                arrow(&mut svg, from, place(&(c.point + force * (0.8 * reach / most.max(1e-300)))), "#18794e", 2.0);
            }
            let _ = writeln!(svg, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#0b68cb\"/>", from.x, from.y);
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                from.x + 7.0,
                from.y - 7.0,
                escaped(&question.names[k])
            );
        }
        match &weakest {
            Some((Screw::Turn { axis, point, .. }, colour)) => {
                let (a, b) = (place(&(point - axis * reach)), place(&(point + axis * reach)));
                arrow(&mut svg, a, b, colour, 1.5);
            }
            Some((Screw::Slide { direction }, colour)) => {
                arrow(&mut svg, place(&centre), place(&(centre + direction * reach)), colour, 1.5);
            }
            None => {}
        }
    }
    let legend =
        "blue: contacts, friction cones; green: least loads; violet: weakest direction; red: unresisted motion";
    let _ = writeln!(svg, "<text class=\"soft\" x=\"12\" y=\"{}\">{legend}</text>\n</svg>", height - 8.0);
    svg
}
