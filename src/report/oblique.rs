//! # Oblique drawings: a surface seen from above and aside, as SVG
//!
//! - **in**: polygons, lines, dots and balls in space (m), handed over far ones first
//! - **out**: one SVG document; hidden surfaces are covered by what is painted later
//! - **not here**: what is drawn (`reproduce`)
//! - **assumes**: a parallel view from the south-west; the caller paints in the order of [`Scene::far_first`]
//! - **start at** [`Scene::new`]

use super::escaped;
use nalgebra::{Point3, Vector3};
use std::fmt::Write;

/// Where the reader stands: compass angle of the camera and its height (rad).
const AZIMUTH: f64 = -117.0 * std::f64::consts::PI / 180.0;
const ELEVATION: f64 = 40.0 * std::f64::consts::PI / 180.0;
/// Pixels per metre of a map of 5 m.
const ZOOM: f64 = 102.0;

/// A drawing under construction.
#[derive(Clone, Debug)]
pub struct Scene {
    width: f64,
    height: f64,
    right: Vector3<f64>,
    up: Vector3<f64>,
    towards: Vector3<f64>,
    middle: Point3<f64>,
    zoom: f64,
    body: String,
}

/// A colour under the drawing's light, for a surface with this normal.
pub fn shade(colour: [u8; 3], nhat: &Vector3<f64>) -> String {
    let light = Vector3::new(-0.65, 0.15, 0.75).normalize();
    // Half of the light comes from everywhere.
    let bright = 0.55 + 0.55 * nhat.dot(&light).max(0.0);
    let [r, g, b] = colour.map(|c| (f64::from(c) * bright).min(255.0) as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

impl Scene {
    /// An empty drawing of this size (px), looking at the middle of a map of 5 m.
    pub fn new(width: f64, height: f64) -> Self {
        Self::looking_at(width, height, Point3::new(2.5, 2.5, 0.05), ZOOM)
    }

    /// An empty drawing of this size (px), looking at a point (m), with so many pixels per metre.
    pub fn looking_at(width: f64, height: f64, middle: Point3<f64>, zoom: f64) -> Self {
        let ((sa, ca), (se, ce)) = (AZIMUTH.sin_cos(), ELEVATION.sin_cos());
        Scene {
            width,
            height,
            right: Vector3::new(-sa, ca, 0.0),
            up: Vector3::new(-se * ca, -se * sa, ce),
            towards: Vector3::new(ce * ca, ce * sa, se),
            middle,
            zoom,
            body: String::new(),
        }
    }

    fn place(&self, p: &Point3<f64>) -> (f64, f64) {
        let from_middle = p - self.middle;
        let x = 0.5 * self.width + self.zoom * self.right.dot(&from_middle);
        (x, 0.5 * self.height - self.zoom * self.up.dot(&from_middle))
    }

    fn points(&self, list: &[Point3<f64>]) -> String {
        let points: Vec<String> = list.iter().map(|p| self.place(p)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        points.join(" ")
    }

    /// Squares of a grid, those far from the reader first.
    pub fn far_first(&self, mut squares: Vec<(usize, usize)>, side: f64) -> Vec<(usize, usize)> {
        let near = |s: &(usize, usize)| self.towards.x * s.0 as f64 * side + self.towards.y * s.1 as f64 * side;
        squares.sort_by(|a, b| near(a).total_cmp(&near(b)));
        squares
    }

    /// Whether no part of the surface `height` stands between a point on it and the reader.
    pub fn is_seen(&self, p: &Point3<f64>, height: impl Fn(&Point3<f64>) -> f64) -> bool {
        (2..100).map(|k| p + self.towards * (0.02 * f64::from(k))).all(|q| height(&q) <= q.z)
    }

    /// A filled polygon; its line covers the seams between neighbours of one colour.
    pub fn polygon(&mut self, corners: &[Point3<f64>], fill: &str, line: &str, width: f64) {
        let points = self.points(corners);
        let _ = writeln!(
            self.body,
            "<polygon points=\"{points}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{width}\"/>"
        );
    }

    /// A line through points.
    pub fn polyline(&mut self, list: &[Point3<f64>], colour: &str, width: f64) {
        let points = self.points(list);
        let _ = writeln!(
            self.body,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>"
        );
    }

    /// A wall from a profile down to a height (m).
    pub fn skirt(&mut self, profile: Vec<Point3<f64>>, base: f64) {
        let mut corners = profile.clone();
        corners.extend(profile.iter().rev().map(|p| Point3::new(p.x, p.y, base)));
        self.polygon(&corners, "#c3c8d0", "#8d94a1", 0.9);
    }

    /// A dot of a radius in pixels.
    pub fn dot(&mut self, p: &Point3<f64>, radius: f64, colour: &str) {
        let (x, y) = self.place(p);
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\" stroke=\"#ffffff\" stroke-width=\"1\"/>"
        );
    }

    /// A translucent ball of a radius in metres.
    pub fn ball(&mut self, centre: &Point3<f64>, radius: f64) {
        let ((x, y), r) = (self.place(centre), radius * self.zoom);
        let _ = writeln!(
            self.body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r:.1}\" fill=\"url(#fp-ball)\" stroke=\"#39424f\" stroke-opacity=\".55\"/>"
        );
    }

    /// A label in the ground's colour of text.
    pub fn text(&mut self, p: &Point3<f64>, text: &str, size: f64) {
        let (x, y) = self.place(p);
        let _ = writeln!(
            self.body,
            "<text class=\"fp-axis\" x=\"{x:.1}\" y=\"{:.1}\" font-size=\"{size}\" text-anchor=\"middle\">{}</text>",
            y + 0.35 * size,
            escaped(text)
        );
    }

    /// A letter with an index, readable on any patch.
    pub fn name(&mut self, p: &Point3<f64>, letter: &str, index: &str) {
        let (x, y) = self.place(p);
        let _ = writeln!(
            self.body,
            "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"17\" font-style=\"italic\" text-anchor=\"middle\" fill=\"#101722\" \
             stroke=\"#ffffff\" stroke-opacity=\".75\" stroke-width=\"3\" paint-order=\"stroke\">{}<tspan font-size=\"11\" dy=\"4\">{}</tspan></text>",
            y + 4.0,
            escaped(letter),
            escaped(index)
        );
    }

    /// The whole drawing.
    pub fn svg(&self, title: &str) -> String {
        let (width, height) = (self.width, self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
             <title>{}</title>\n\
             <style>text{{font-family:system-ui,sans-serif}}.fp-axis{{fill:#5b6472}}@media (prefers-color-scheme:dark){{.fp-axis{{fill:#9aa4b2}}}}</style>\n\
             <defs><radialGradient id=\"fp-ball\" cx=\".36\" cy=\".3\" r=\".8\"><stop offset=\"0\" stop-color=\"#ffffff\" stop-opacity=\".85\"/>\
             <stop offset=\".5\" stop-color=\"#c9d3e2\" stop-opacity=\".55\"/><stop offset=\"1\" stop-color=\"#5d6b80\" stop-opacity=\".6\"/></radialGradient></defs>\n\
             {}</svg>\n",
            escaped(title),
            self.body
        )
    }
}
