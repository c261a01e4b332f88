//! # Charts: curves and points on two axes, as SVG
//!
//! - **in**: named series of points, axes linear or logarithmic
//! - **out**: one SVG document that reads on light and dark ground
//! - **not here**: surfaces in space ([`oblique`](super::oblique))
//! - **start at** [`Chart::new`]

use super::escaped;
use std::fmt::Write;

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    label: &'static str,
    logarithmic: bool,
}

impl Axis {
    /// Even steps.
    pub fn linear(label: &'static str) -> Self {
        Axis { label, logarithmic: false }
    }

    /// Even decades; values must be positive.
    pub fn logarithmic(label: &'static str) -> Self {
        Axis { label, logarithmic: true }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A line.
    Line,
    /// A dashed line.
    Dashes,
    /// Dots.
    Points,
}

#[derive(Clone, Debug)]
struct Series {
    name: &'static str,
    mark: Mark,
    points: Vec<[f64; 2]>,
}

/// A chart under construction.
#[derive(Clone, Debug)]
pub struct Chart {
    axes: [Axis; 2],
    series: Vec<Series>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
/// Left, right, top, bottom.
const MARGIN: [f64; 4] = [76.0, 18.0, 14.0, 50.0];
/// Told apart also by eyes that mix red and green (Okabe, Ito).
const COLOURS: [&str; 5] = ["#d55e00", "#0072b2", "#cc79a7", "#009e73", "#e69f00"];
const STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#5b6472}.grid{stroke:#8d94a1;stroke-opacity:.28}.frame{stroke:#8d94a1;fill:none}\
@media (prefers-color-scheme:dark){text{fill:#9aa4b2}}";

/// The range of one axis and its ticks, in the axis's own measure (exponents where logarithmic).
#[derive(Clone, Debug)]
struct Scale {
    lo: f64,
    hi: f64,
    ticks: Vec<f64>,
    logarithmic: bool,
}

impl Chart {
    /// An empty chart.
    pub fn new(x: Axis, y: Axis) -> Self {
        Chart { axes: [x, y], series: Vec::new() }
    }

    /// The chart with another series.
    pub fn series(mut self, name: &'static str, mark: Mark, points: Vec<[f64; 2]>) -> Self {
        self.series.push(Series { name, mark, points });
        self
    }

    /// The drawing.
    pub fn svg(&self) -> String {
        let scales = [0, 1]
            .map(|k| Scale::over(self.series.iter().flat_map(|s| s.points.iter().map(move |p| p[k])), &self.axes[k]));
        // The legend stands above the frame, one line for two series.
        let top = MARGIN[2] + 22.0 * self.series.len().div_ceil(2) as f64;
        let height = HEIGHT + top;
        let place = |p: &[f64; 2]| {
            let x = MARGIN[0] + scales[0].share(p[0]) * (WIDTH - MARGIN[0] - MARGIN[1]);
            let y = height - MARGIN[3] - scales[1].share(p[1]) * (height - MARGIN[3] - top);
            (x, y)
        };
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
             role=\"img\">\n<style>{STYLE}</style>\n"
        );
        self.draw_axes(&mut svg, &scales, top, height);
        for (k, series) in self.series.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let places: Vec<(f64, f64)> = series.points.iter().map(place).collect();
            draw(&mut svg, series.mark, &places, colour);
            let (x, y) = (MARGIN[0] + (k % 2) as f64 * 320.0, MARGIN[2] + 22.0 * (k / 2) as f64 + 4.0);
            draw(&mut svg, series.mark, &[(x, y), (x + 12.0, y), (x + 24.0, y)], colour);
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{}</text>", x + 32.0, y + 4.5, escaped(series.name));
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn draw_axes(&self, svg: &mut String, scales: &[Scale; 2], top: f64, height: f64) {
        let (left, right, bottom) = (MARGIN[0], WIDTH - MARGIN[1], height - MARGIN[3]);
        for tick in &scales[0].ticks {
            let x = left + scales[0].part(*tick) * (right - left);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{x:.1} {top}V{bottom}\"/>");
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 18.0,
                scales[0].named(*tick)
            );
        }
        for tick in &scales[1].ticks {
            let y = bottom - scales[1].part(*tick) * (bottom - top);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{left} {y:.1}H{right}\"/>");
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                y + 4.5,
                scales[1].named(*tick)
            );
        }
        let _ = writeln!(
            svg,
            "<rect class=\"frame\" x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\"/>",
            right - left,
            bottom - top
        );
        let (mid_x, mid_y) = (0.5 * (left + right), 0.5 * (top + bottom));
        let _ = writeln!(
            svg,
            "<text x=\"{mid_x}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            height - 10.0,
            escaped(self.axes[0].label)
        );
        let _ = writeln!(
            svg,
            "<text transform=\"translate(16 {mid_y}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escaped(self.axes[1].label)
        );
    }
}

fn draw(svg: &mut String, mark: Mark, places: &[(f64, f64)], colour: &str) {
    if mark == Mark::Points {
        for (x, y) in places {
            let _ = write!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\" fill-opacity=\".85\"/>");
        }
        svg.push('\n');
        return;
    }
    let points: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dashes = if mark == Mark::Dashes { " stroke-dasharray=\"7 4\"" } else { "" };
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>",
        points.join(" ")
    );
}

impl Scale {
    /// A scale that holds these values.
    fn over(values: impl Iterator<Item = f64>, axis: &Axis) -> Self {
        let measure = |v: f64| if axis.logarithmic { v.log10() } else { v };
        let fold = |(lo, hi): (f64, f64), v: f64| (lo.min(v), hi.max(v));
        let (mut lo, mut hi) =
            values.map(measure).filter(|v| v.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), fold);
        if lo > hi {
            (lo, hi) = (0.0, 1.0);
        }
        if hi - lo < 1e-9 {
            (lo, hi) = (lo - 0.5, hi + 0.5);
        }
        let step = if axis.logarithmic { ((hi - lo) / 8.0).ceil().max(1.0) } else { round_step((hi - lo) / 6.0) };
        let (first, last) = ((lo / step).floor(), (hi / step).ceil());
        let count = (last - first).round() as usize;
        let ticks = (0..=count).map(|k| (first + k as f64) * step).collect();
        Scale { lo: first * step, hi: last * step, ticks, logarithmic: axis.logarithmic }
    }

    /// Place of a tick between the ends.
    fn part(&self, measure: f64) -> f64 {
        (measure - self.lo) / (self.hi - self.lo)
    }

    /// Place of a value between the ends.
    fn share(&self, value: f64) -> f64 {
        self.part(if self.logarithmic { value.log10() } else { value })
    }

    fn named(&self, tick: f64) -> String {
        if self.logarithmic {
            return format!("10<tspan dy=\"-5\" font-size=\"9\">{tick}</tspan>");
        }
        let text = format!("{tick:.4}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        if text == "-0" { "0".to_string() } else { text.replace('-', "−") }
    }
}

/// The least of 1, 2, 5 times a power of ten that is not below this.
fn round_step(step: f64) -> f64 {
    let power = 10.0_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= step * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would catch ticks that end inside the data: points would be drawn outside the frame.
    #[test]
    fn scales_hold_their_values() {
        for (lo, hi) in [(0.0, 60.0), (-0.3, 0.41), (1e-16, 2.0), (5.0, 5.0)] {
            for axis in [Axis::linear(""), Axis::logarithmic("")] {
                let values = [lo, hi].into_iter().filter(|v| *v > 0.0 || !axis.logarithmic);
                let scale = Scale::over(values.clone(), &axis);
                assert!(values.clone().all(|v| (0.0..=1.0).contains(&scale.share(v))), "{lo} {hi} {scale:?}");
                assert!(scale.ticks.len() >= 2 && scale.ticks.len() < 14, "{scale:?}");
            }
        }
    }
}
