//! # Pictures of a planar case: the part and its possible motions; the friction cone in space
//!
//! - **in**: an answered question
//! - **out**: one SVG: left the part with contacts, cones and an arrow per possible motion (one colour a component), right
//!   the cones of the contacts and of their sum in (Fx, Fy, τ/ρ)
//! - **not here**: charts (`report::chart`)
//! - **start at** [`svg`]

use super::Answered;
use crate::report::escaped;
use fingerpad_planar::cspace::terms;
use fingerpad_planar::part::Shape;
use fingerpad_planar::{Contact, Kind, Rational, Status};
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

/// The picture of one case: the part on the left, the friction cone on the right.
pub fn svg(label: &str, solved: &Answered) -> String {
    let mut svg = page(label, solved, 2.0 * SIDE + 20.0);
    part(&mut svg, solved);
    let _ = writeln!(svg, "<g transform=\"translate({} 0)\">", SIDE + 20.0);
    cone(&mut svg, solved);
    svg.push_str("</g>\n</svg>\n");
    svg
}

/// The part alone.
pub fn part_svg(label: &str, solved: &Answered) -> String {
    let mut svg = page(label, solved, SIDE);
    part(&mut svg, solved);
    svg.push_str("</svg>\n");
    svg
}

/// The friction cone alone.
pub fn cone_svg(label: &str, solved: &Answered) -> String {
    let mut svg = page(label, solved, SIDE);
    cone(&mut svg, solved);
    svg.push_str("</svg>\n");
    svg
}

fn page(label: &str, solved: &Answered, width: f64) -> String {
    let height = SIDE + TOP + 60.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\">\n<style>{STYLE}</style>\n<text x=\"10\" y=\"20\">{}: {}</text>\n",
        escaped(label),
        solved.answer.status.name()
    )
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
        for normal in normals(c) {
            let [nx, ny] = normal.each_ref().map(Rational::to_f64);
            let mu = c.mu.to_f64();
            let edge = |sign: f64| {
                let d = [nx + sign * mu * ny, ny - sign * mu * nx];
                let length = d[0].hypot(d[1]);
                [p[0] + long * d[0] / length, p[1] + long * d[1] / length]
            };
            view.polygon(svg, "cone", &[*p, edge(1.0), edge(-1.0)]);
        }
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

/// The normals of a contact: two extreme ones for a vertex on a vertex.
fn normals(contact: &Contact) -> Vec<&[Rational; 2]> {
    match &contact.kind {
        Kind::VertexOnVertex { other, .. } => vec![&contact.normal, other],
        _ => vec![&contact.normal],
    }
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
            let arrows = match vertices.iter().flatten().all(|x| *x == 0.0) {
                true => "a ring: no acceleration".to_string(),
                false => format!("longest arrow {largest:.3} m/s² (turning × ρ)"),
            };
            format!("{arrows}; modes {}", modes.join(", "))
        }
    };
    let _ = writeln!(svg, "<text x=\"10\" y=\"{}\">{}</text>", SIDE + TOP + 40.0, escaped(&said));
    // One colour a component, where there are several.
    for k in 0..solved.answer.components.min(COLOURS.len()) {
        if solved.answer.components > 1 {
            let (x, colour) = (10.0 + 130.0 * k as f64, COLOURS[k]);
            let y = TOP - 14.0;
            let _ = writeln!(
                svg,
                "<path d=\"M{x} {y}h18\" stroke=\"{colour}\" stroke-width=\"2.5\"/><text x=\"{}\" y=\"{}\">component {k}</text>",
                x + 23.0,
                y + 4.5
            );
        }
    }
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

/// Tips of the cone's edges: at one height Fy where all point up well, as in (Erdmann, Fig. 6), else of unit length.
fn tips(edges: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let length = |e: &[f64; 3]| e.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
    if edges.iter().any(|e| e[1] < 0.3 * length(e)) {
        return edges.iter().map(|e| e.map(|x| x / length(e))).collect();
    }
    let level: Vec<[f64; 3]> = edges.iter().map(|e| e.map(|x| x / e[1])).collect();
    let longest = level.iter().map(length).fold(1.0, f64::max);
    level.iter().map(|e| e.map(|x| 1.15 * x / longest)).collect()
}

/// Pairs of edges that span a side of the composite cone: all others lie on one side of their plane.
fn sides(tips: &[[f64; 3]]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for i in 0..tips.len() {
        for j in 0..i {
            let (a, b) = (tips[i], tips[j]);
            let n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            let heights = || tips.iter().map(|c| (0..3).map(|k| n[k] * c[k]).sum::<f64>());
            let flat = n.iter().all(|x| x.abs() < 1e-9);
            // Of edges in one plane only neighbours are joined.
            let part = |u: [f64; 3], v: [f64; 3]| {
                let w = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
                (0..3).map(|k| w[k] * n[k]).sum::<f64>() > 1e-9
            };
            let within = |c: &[f64; 3]| {
                let height: f64 = (0..3).map(|k| n[k] * c[k]).sum();
                height.abs() < 1e-9 && part(a, *c) && part(*c, b)
            };
            if flat || tips.iter().any(within) {
                continue;
            }
            if heights().all(|h| h > -1e-9) || heights().all(|h| h < 1e-9) {
                pairs.push((i, j));
            }
        }
    }
    pairs
}

/// Sides of the composite cone are drawn up to this many contacts; beyond, they hide each other.
const MOST_WITH_SIDES: usize = 12;

fn cone(svg: &mut String, solved: &Answered) {
    let case = &solved.question.case;
    let rho = case.gyration_sq.to_f64().sqrt();
    let scaled = |v: [Rational; 3]| {
        let v = v.each_ref().map(Rational::to_f64);
        [v[0], v[1], v[2] / rho]
    };
    let axes = [([1.1, 0.0, 0.0], "Fx"), ([0.0, 1.3, 0.0], "Fy"), ([0.0, 0.0, 1.3], "τ/ρ")];
    let view = View { centre: [0.0, 0.1], scale: 0.36 * SIDE };
    let (ox, oy) = view.at([0.0; 2]);
    for (end, name) in axes {
        let (x, y) = view.at(seen(end));
        let left = if name == "τ/ρ" { 26.0 } else { -4.0 };
        let _ = writeln!(
            svg,
            "<path class=\"axis\" d=\"M{ox:.1} {oy:.1}L{x:.1} {y:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            x - left,
            y - 4.0
        );
    }
    // A vertex on a vertex has the cones of both its extreme normals.
    let mut plain = case.clone();
    plain.contacts = case.contacts.iter().flat_map(|c| normals(c).into_iter().map(|n| with_normal(c, n))).collect();
    let names = case.contacts.iter().enumerate().flat_map(|(k, c)| normals(c).into_iter().map(move |_| k));
    let names: Vec<usize> = names.collect();
    let edges =
        terms(&plain).unwrap_or_default().iter().flat_map(|t| [t.edge(1), t.edge(-1)]).map(scaled).collect::<Vec<_>>();
    let tips = tips(&edges);
    for (k, pair) in tips.chunks(2).enumerate() {
        let corners = [[0.0; 2], seen(pair[0]), seen(pair[1])];
        view.polygon(svg, "cone", &corners);
        let (x, y) = view.at([0.54 * (corners[1][0] + corners[2][0]), 0.54 * (corners[1][1] + corners[2][1])]);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", names.get(k).copied().unwrap_or(k));
    }
    if (2..=MOST_WITH_SIDES).contains(&names.len()) {
        for (i, j) in sides(&tips).into_iter().filter(|(i, j)| i / 2 != j / 2) {
            let ((ax, ay), (bx, by)) = (view.at(seen(tips[i])), view.at(seen(tips[j])));
            let _ =
                writeln!(svg, "<path class=\"axis\" stroke-dasharray=\"4 3\" d=\"M{ax:.1} {ay:.1}L{bx:.1} {by:.1}\"/>");
        }
    }
    let force = scaled(case.force.clone());
    let length = force.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        let (x, y) = view.at(seen(force.map(|x| x / length)));
        let _ = writeln!(
            svg,
            "<path d=\"M{ox:.1} {oy:.1}L{x:.1} {y:.1}\" stroke=\"#0072b2\" stroke-width=\"2.5\"/><text x=\"{:.1}\" y=\"{y:.1}\">F</text>",
            x + 6.0
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"10\" y=\"{}\">cones of the contacts and of their sum (dashed); force F</text>",
        SIDE + TOP + 40.0
    );
}

fn with_normal(contact: &Contact, normal: &[Rational; 2]) -> Contact {
    Contact { normal: normal.clone(), kind: Kind::VertexOnEdge, ..contact.clone() }
}
