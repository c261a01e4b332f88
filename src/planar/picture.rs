//! # Pictures of a planar case: the part and its possible motions; the friction cone in space
//!
//! - **in**: an answered question
//! - **out**: one SVG: left the part with contacts, cones and an arrow per possible motion, right the cone edges in
//!   (Fx, Fy, τ/ρ)
//! - **not here**: charts (`report::chart`)
//! - **start at** [`svg`]

use super::Answered;
use crate::report::escaped;
use fingerpad_planar::cspace::terms;
use fingerpad_planar::part::Shape;
use fingerpad_planar::{Rational, Status};
use std::fmt::Write as _;

const SIDE: f64 = 420.0;
const TOP: f64 = 54.0;
/// Told apart also by eyes that mix red and green (Okabe, Ito): one a component.
const COLOURS: [&str; 5] = ["#d55e00", "#0072b2", "#cc79a7", "#009e73", "#e69f00"];
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#5b6472}.obstacle{fill:#8d94a1;fill-opacity:.35;stroke:#8d94a1}\
.body{fill:#56b4e9;fill-opacity:.25;stroke:#0072b2}.cone{fill:#e69f00;fill-opacity:.35;stroke:#e69f00}\
.axis{stroke:#8d94a1;fill:none}@media (prefers-color-scheme:dark){text{fill:#9aa4b2}}";

/// A square of the world on a square of the page.
struct View {
    centre: [f64; 2],
    scale: f64,
}

impl View {
    fn of(points: &[[f64; 2]]) -> View {
        let fold = |k: usize, f: fn(f64, f64) -> f64, start: f64| points.iter().map(|p| p[k]).fold(start, f);
        let lo = [0, 1].map(|k| fold(k, f64::min, f64::INFINITY));
        let hi = [0, 1].map(|k| fold(k, f64::max, f64::NEG_INFINITY));
        let span = (hi[0] - lo[0]).max(hi[1] - lo[1]).max(1e-9);
        View { centre: [0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1])], scale: (SIDE - 50.0) / span }
    }

    fn at(&self, p: [f64; 2]) -> (f64, f64) {
        let x = 0.5 * SIDE + (p[0] - self.centre[0]) * self.scale;
        (x, TOP + 0.5 * SIDE - (p[1] - self.centre[1]) * self.scale)
    }

    fn outline(&self, svg: &mut String, class: &str, shape: &Shape) {
        match shape {
            Shape::Polygon(_) | Shape::Outline(_) => self.polygon(svg, class, &shape.points()),
            Shape::Disc { centre, radius } => {
                let (x, y) = self.at(centre.each_ref().map(Rational::to_f64));
                let r = radius.to_f64() * self.scale;
                let _ = writeln!(svg, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\"/>");
            }
        }
    }

    fn polygon(&self, svg: &mut String, class: &str, corners: &[[f64; 2]]) {
        let points = corners.iter().map(|c| self.at(*c)).map(|(x, y)| format!("{x:.1},{y:.1}"));
        let points: Vec<String> = points.collect();
        let _ = writeln!(svg, "<polygon class=\"{class}\" points=\"{}\"/>", points.join(" "));
    }
}

/// The picture of one case.
pub fn svg(label: &str, solved: &Answered) -> String {
    let (width, height) = (2.0 * SIDE + 20.0, SIDE + TOP + 60.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\">\n<style>{STYLE}</style>\n<text x=\"10\" y=\"20\">{}: {}</text>\n",
        escaped(label),
        solved.answer.status.name()
    );
    part(&mut svg, solved);
    let _ = writeln!(svg, "<g transform=\"translate({} 0)\">", SIDE + 20.0);
    cone(&mut svg, solved);
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn part(svg: &mut String, solved: &Answered) {
    let places = &solved.question.places;
    let mut all = vec![places.centre];
    all.extend(&places.points);
    for shape in places.body.iter().chain(&places.obstacles) {
        all.extend(shape.points());
    }
    if all.len() < 3 {
        all.extend([
            [places.centre[0] - 1.0, places.centre[1] - 1.0],
            [places.centre[0] + 1.0, places.centre[1] + 1.0],
        ]);
    }
    let view = View::of(&all);
    places.obstacles.iter().for_each(|o| view.outline(svg, "obstacle", o));
    places.body.iter().for_each(|b| view.outline(svg, "body", b));
    let long = 60.0 / view.scale;
    for (k, (c, p)) in solved.question.case.contacts.iter().zip(&places.points).enumerate() {
        let [nx, ny] = c.normal.each_ref().map(Rational::to_f64);
        let mu = c.mu.to_f64();
        let edge = |sign: f64| {
            let d = [nx + sign * mu * ny, ny - sign * mu * nx];
            let length = d[0].hypot(d[1]);
            [p[0] + long * d[0] / length, p[1] + long * d[1] / length]
        };
        view.polygon(svg, "cone", &[*p, edge(1.0), edge(-1.0)]);
        let (x, y) = view.at(*p);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"#d55e00\"/><text x=\"{:.1}\" y=\"{:.1}\">{k}</text>",
            x + 7.0,
            y + 14.0
        );
    }
    motions(svg, solved, view.at(places.centre));
}

/// An arrow for each extreme acceleration, dashed for directions without end; its turn as an arc.
fn motions(svg: &mut String, solved: &Answered, (x, y): (f64, f64)) {
    let sets = &solved.answer.sets;
    let vertices: Vec<[f64; 3]> = sets.iter().flat_map(|s| s.region.vertices_f64()).collect();
    let rho = solved.question.case.gyration_sq.to_f64().sqrt();
    let largest =
        vertices.iter().map(|v| v[0].hypot(v[1]).max((v[2] * rho).abs())).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    for set in sets {
        let colour = COLOURS[set.component % COLOURS.len()];
        for v in set.region.vertices_f64() {
            arrow(svg, (x, y), v.map(|c| c / largest), rho, colour, "");
        }
        for v in set.region.rays_f64() {
            arrow(svg, (x, y), v, rho, colour, " stroke-dasharray=\"5 4\"");
        }
    }
    let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"#5b6472\"/>");
    let said = match solved.answer.status {
        Status::Inconsistent => "no acceleration is possible".to_string(),
        Status::InvalidImpact => "an impact comes first".to_string(),
        _ => {
            let mut modes: Vec<String> = sets.iter().take(6).map(|s| s.kinematic_mode.to_string()).collect();
            if sets.len() > 6 {
                modes.push("…".to_string());
            }
            format!("longest arrow {largest:.3} m/s² (turning × ρ); modes {}", modes.join(", "))
        }
    };
    let _ = writeln!(svg, "<text x=\"10\" y=\"{}\">{}</text>", SIDE + TOP + 40.0, escaped(&said));
}

/// A unit acceleration is 110 px long, a unit turn (α ρ) three quarters round.
fn arrow(svg: &mut String, (x, y): (f64, f64), v: [f64; 3], rho: f64, colour: &str, dash: &str) {
    let (tx, ty) = (x + 110.0 * v[0], y - 110.0 * v[1]);
    let pen = format!("stroke=\"{colour}\" stroke-width=\"2.5\" fill=\"none\"{dash}");
    let head = |svg: &mut String, (hx, hy): (f64, f64), toward: f64| {
        let wing = |turn: f64| (hx - 9.0 * (toward + turn).cos(), hy - 9.0 * (toward + turn).sin());
        let ((ax, ay), (bx, by)) = (wing(0.45), wing(-0.45));
        let _ = writeln!(
            svg,
            "<path d=\"M{ax:.1} {ay:.1}L{hx:.1} {hy:.1}L{bx:.1} {by:.1}\" stroke=\"{colour}\" stroke-width=\"2.5\" fill=\"none\"/>"
        );
    };
    if v[0].hypot(v[1]) > 1e-9 {
        let _ = writeln!(svg, "<path d=\"M{x:.1} {y:.1}L{tx:.1} {ty:.1}\" {pen}/>");
        head(svg, (tx, ty), (ty - y).atan2(tx - x));
    } else if v[2] == 0.0 {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\" {pen}/>");
    }
    let turn = (v[2] * rho).clamp(-1.0, 1.0) * 1.5 * std::f64::consts::PI;
    if turn.abs() > 1e-6 {
        let r = 26.0;
        let (ex, ey) = (x + r * turn.cos(), y - r * turn.sin());
        let (large, sweep) = (u8::from(turn.abs() > std::f64::consts::PI), u8::from(turn < 0.0));
        let _ = writeln!(svg, "<path d=\"M{:.1} {y:.1}A{r} {r} 0 {large} {sweep} {ex:.1} {ey:.1}\" {pen}/>", x + r);
        // On the page y points down: the arc's end runs along ∓(−sin, −cos).
        let along = turn.signum();
        head(svg, (ex, ey), (-along * turn.cos()).atan2(-along * turn.sin()));
    }
}

/// Seen from the front right and above: (Fx, Fy, τ/ρ) with Fy up.
fn seen(v: [f64; 3]) -> [f64; 2] {
    [v[0] - 0.5 * v[2], v[1] - 0.32 * v[2]]
}

fn cone(svg: &mut String, solved: &Answered) {
    let rho = solved.question.case.gyration_sq.to_f64().sqrt();
    let scaled = |v: [Rational; 3]| {
        let v = v.each_ref().map(Rational::to_f64);
        let v = [v[0], v[1], v[2] / rho];
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
        v.map(|x| x / length)
    };
    let axes = [([1.1, 0.0, 0.0], "Fx"), ([0.0, 1.1, 0.0], "Fy"), ([0.0, 0.0, 1.1], "τ/ρ")];
    let view = View { centre: [0.0, 0.1], scale: 0.36 * SIDE };
    let (ox, oy) = view.at([0.0; 2]);
    for (end, name) in axes {
        let (x, y) = view.at(seen(end));
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{ox:.1} {oy:.1}L{x:.1} {y:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            x + 4.0,
            y - 4.0
        );
    }
    for (k, t) in terms(&solved.question.case).unwrap_or_default().iter().enumerate() {
        let edges = [t.edge(1), t.edge(-1)].map(scaled);
        let corners = [[0.0; 2], seen(edges[0]), seen(edges[1])];
        view.polygon(svg, "cone", &corners);
        let (x, y) = view.at([0.54 * (corners[1][0] + corners[2][0]), 0.54 * (corners[1][1] + corners[2][1])]);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\">{k}</text>");
    }
    let force = scaled(solved.question.case.force.clone());
    if force.iter().any(|x| *x != 0.0) {
        let (x, y) = view.at(seen(force));
        let _ = writeln!(
            svg,
            "<path d=\"M{ox:.1} {oy:.1}L{x:.1} {y:.1}\" stroke=\"#0072b2\" stroke-width=\"2.5\"/><text x=\"{:.1}\" y=\"{y:.1}\">F</text>",
            x + 6.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"10\" y=\"{}\">unit cone edges of each contact, and the applied force F</text>",
        SIDE + TOP + 40.0
    );
}
