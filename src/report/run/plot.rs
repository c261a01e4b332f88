//! # Plots over time: curves, stacked areas and bands of modes, as SVG for the report
//!
//! - **in**: curves as (time, least, greatest) by stretch of rows
//! - **out**: a figure: SVG with a title for screen readers, and the same numbers as a table to unfold
//! - **not here**: charts of `reproduce` ([`chart`](crate::report::chart))
//! - **assumes**: the page defines the colours `--k0` … `--k9` for light, dark and print
//! - **start at** [`Plot::new`], then [`Plot::figure`]

use crate::cli::table::short;
use crate::report::escaped;
use std::fmt::Write;

/// Time (s), least and greatest value over a stretch of rows.
pub type Stretch = [f64; 3];

const WIDTH: f64 = 860.0;
/// Left, right, top, bottom.
const MARGIN: [f64; 4] = [70.0, 12.0, 10.0, 34.0];
/// Points of a drawn curve.
const POINTS: usize = 420;
/// Rows of the table beside a plot.
const ROWS: usize = 24;
/// Height of one band of modes (px).
const BAND: f64 = 14.0;

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A line.
    Line,
    /// A dashed line.
    Dashed,
    /// An area upon those before it.
    Stacked,
}

struct Curve {
    name: String,
    kind: Kind,
    colour: usize,
    points: Vec<Stretch>,
}

struct Band {
    name: String,
    /// From, to (s), mode code bits.
    parts: Vec<(f64, f64, u8)>,
}

/// A plot under construction.
pub struct Plot {
    title: String,
    unit: &'static str,
    span: [f64; 2],
    height: f64,
    curves: Vec<Curve>,
    bands: Vec<Band>,
    range: Option<[f64; 2]>,
}

impl Plot {
    /// An empty plot of a quantity in an SI unit over a span of time (s).
    pub fn new(title: impl Into<String>, unit: &'static str, span: [f64; 2]) -> Self {
        let span = if span[1] > span[0] { span } else { [span[0], span[0] + 1.0] };
        Self { title: title.into(), unit, span, height: 220.0, curves: Vec::new(), bands: Vec::new(), range: None }
    }

    /// With a range of values instead of the curves' own.
    pub fn within(mut self, lo: f64, hi: f64) -> Self {
        self.range = Some([lo, hi]);
        self
    }

    /// With another height (px).
    pub fn tall(mut self, height: f64) -> Self {
        self.height = height;
        self
    }

    /// With another curve.
    pub fn curve(&mut self, name: impl Into<String>, kind: Kind, colour: usize, points: &[Stretch]) {
        self.curves.push(Curve { name: name.into(), kind, colour, points: fewer(points, POINTS) });
    }

    /// With a band of modes below; the parts are (from, to, bits of modes).
    pub fn band(&mut self, name: impl Into<String>, parts: Vec<(f64, f64, u8)>) {
        self.bands.push(Band { name: name.into(), parts });
    }

    /// Whether nothing would be drawn.
    pub fn is_empty(&self) -> bool {
        self.curves.iter().all(|c| c.points.is_empty())
    }

    /// The figure; `caption` is HTML.
    pub fn figure(&self, caption: &str) -> String {
        let (factor, unit) = prefixed(self.peak(), self.unit);
        let mut svg = self.svg(factor, &unit);
        let table = self.table(factor, &unit);
        svg.push_str("</svg>");
        let legend: String = self
            .curves
            .iter()
            .map(|c| {
                let kind = match c.kind {
                    Kind::Line => "line",
                    Kind::Dashed => "dashed",
                    Kind::Stacked => "area",
                };
                format!("<li><span class=\"key {kind} k{}\"></span>{}</li>", c.colour, escaped(&c.name))
            })
            .collect();
        let modes = if self.bands.is_empty() {
            ""
        } else {
            "<li><span class=\"key area stick\"></span>sticks</li><li><span class=\"key area slip\"></span>slips</li>\
             <li><span class=\"key area touch\"></span>touches without a friction limit</li>"
        };
        format!(
            "<figure class=\"plot\"><h3>{}</h3><ul class=\"legend\">{legend}{modes}</ul>\n{svg}\n\
             <figcaption>{caption}</figcaption>{table}</figure>\n",
            escaped(&self.title)
        )
    }

    fn peak(&self) -> f64 {
        let [lo, hi] = self.bounds();
        lo.abs().max(hi.abs())
    }

    /// Least and greatest value drawn.
    fn bounds(&self) -> [f64; 2] {
        if let Some(range) = self.range {
            return range;
        }
        let stacked = self.stacked();
        let lines = self.curves.iter().filter(|c| c.kind != Kind::Stacked).flat_map(|c| c.points.iter());
        let values = lines.flat_map(|p| [p[1], p[2]]).chain(stacked.iter().flatten().flat_map(|p| [p[1], p[2]]));
        let (lo, hi) = values
            .filter(|v| v.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
        if lo > hi { [0.0, 1.0] } else { [lo, hi] }
    }

    /// For each stacked curve (time, lower edge, upper edge).
    fn stacked(&self) -> Vec<Vec<Stretch>> {
        let mut below: Vec<f64> = Vec::new();
        let mut all = Vec::new();
        for curve in self.curves.iter().filter(|c| c.kind == Kind::Stacked) {
            below.resize(curve.points.len(), 0.0);
            let edges = curve.points.iter().zip(&mut below).map(|(p, below)| {
                let mean = 0.5 * (p[1] + p[2]);
                let from = *below;
                *below += if mean.is_finite() { mean } else { 0.0 };
                [p[0], from, *below]
            });
            all.push(edges.collect());
        }
        all
    }

    fn svg(&self, factor: f64, unit: &str) -> String {
        let [left, right, top, bottom] = MARGIN;
        let bands = BAND * self.bands.len() as f64 + if self.bands.is_empty() { 0.0 } else { 8.0 };
        let height = self.height + bands;
        let (ticks, [lo, hi]) = ticks(self.bounds().map(|v| v * factor), 5);
        let (times, _) = ticks_within(self.span, 8);
        let foot = self.height - bottom;
        let x = |t: f64| left + (t - self.span[0]) / (self.span[1] - self.span[0]) * (WIDTH - left - right);
        let y = |v: f64| foot - (v * factor - lo) / (hi - lo) * (foot - top);
        let mut svg = format!(
            "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\" data-t0=\"{}\" data-t1=\"{}\">",
            escaped(&self.described(unit, factor)),
            self.span[0],
            self.span[1]
        );
        for tick in &ticks {
            let at = foot - (tick - lo) / (hi - lo) * (foot - top);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{left} {at:.1}H{}\"/>", WIDTH - right);
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                left - 7.0,
                at + 4.0,
                number(*tick)
            );
        }
        for tick in &times {
            let at = x(*tick);
            let _ = write!(svg, "<path class=\"grid\" d=\"M{at:.1} {top}V{foot}\"/>");
            let _ = write!(
                svg,
                "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                foot + bands + 15.0,
                number(*tick)
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">t [s]</text><text transform=\"translate(13 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            WIDTH - right,
            foot + bands + 30.0,
            0.5 * (top + foot),
            escaped(unit)
        );
        let areas = self.curves.iter().filter(|c| c.kind == Kind::Stacked).zip(self.stacked());
        for (curve, edges) in areas {
            let mut pen = Pen::default();
            edges.iter().for_each(|p| pen.line(x(p[0]), y(p[2])));
            edges.iter().rev().for_each(|p| pen.line(x(p[0]), y(p[1])));
            let path = pen.path();
            let _ = write!(svg, "<path class=\"area k{}\" d=\"{path}Z\"/>", curve.colour);
        }
        for curve in self.curves.iter().filter(|c| c.kind != Kind::Stacked) {
            let mut pen = Pen::default();
            for p in &curve.points {
                if !(p[1].is_finite() && p[2].is_finite()) {
                    pen.lift();
                    continue;
                }
                let [a, b] = [p[1], p[2]].map(|v| y(v).clamp(-2000.0, 4000.0));
                pen.line(x(p[0]), a);
                if (a - b).abs() > 0.3 {
                    pen.line(x(p[0]), b);
                }
            }
            let path = pen.path();
            let dashes = if curve.kind == Kind::Dashed { " dashed" } else { "" };
            let _ = write!(svg, "<path class=\"curve k{}{dashes}\" d=\"{path}\"/>", curve.colour);
        }
        for (k, band) in self.bands.iter().enumerate() {
            let at = foot + 5.0 + BAND * k as f64;
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                left - 7.0,
                at + 9.0,
                escaped(&cut(&band.name, 10))
            );
            for (from, to, modes) in &band.parts {
                let (a, b) = (x(*from), x(*to));
                let width = (b - a).max(0.6);
                let mut rect = |class: &str, y: f64, h: f64| {
                    let _ = write!(
                        svg,
                        "<rect class=\"{class}\" x=\"{a:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{h}\"/>"
                    );
                };
                match (modes & 0b10 != 0, modes & 0b100 != 0) {
                    (true, true) => {
                        rect("stick", at, 5.0);
                        rect("slip", at + 5.0, 5.0);
                    }
                    (true, false) => rect("stick", at, 10.0),
                    (false, true) => rect("slip", at, 10.0),
                    _ => rect("touch", at, 10.0),
                }
            }
        }
        svg
    }

    /// What the plot says, for those who do not see it.
    fn described(&self, unit: &str, factor: f64) -> String {
        let curves: Vec<String> = self
            .curves
            .iter()
            .take(8)
            .map(|c| {
                let values = c.points.iter().flat_map(|p| [p[1], p[2]]).filter(|v| v.is_finite());
                let (lo, hi) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (lo.min(v), hi.max(v)));
                if lo > hi {
                    format!("{}: no values", c.name)
                } else {
                    format!("{} from {} to {}", c.name, short(lo * factor), short(hi * factor))
                }
            })
            .collect();
        format!(
            "{} in {unit} over {} to {} s: {}",
            self.title,
            short(self.span[0]),
            short(self.span[1]),
            curves.join("; ")
        )
    }

    fn table(&self, factor: f64, unit: &str) -> String {
        let rows = self.curves.iter().map(|c| fewer(&c.points, ROWS)).collect::<Vec<_>>();
        let times = rows.iter().max_by_key(|r| r.len()).cloned().unwrap_or_default();
        let head: String = self.curves.iter().map(|c| format!("<th scope=\"col\">{}</th>", escaped(&c.name))).collect();
        let mut body = String::new();
        for time in &times {
            let _ = write!(body, "<tr><td>{}</td>", short(time[0]));
            for row in &rows {
                // Curves begin at different times: the stretch that holds this one.
                let found = row.iter().rev().find(|p| p[0] <= time[0] * (1.0 + 1e-12));
                let cell = found.filter(|p| p[1].is_finite()).map_or(String::new(), |p| {
                    let (lo, hi) = (short(p[1] * factor), short(p[2] * factor));
                    if lo == hi { lo } else { format!("{lo} … {hi}") }
                });
                let _ = write!(body, "<td>{cell}</td>");
            }
            body.push_str("</tr>");
        }
        format!(
            "<details><summary>Numbers{}</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{} as numbers\"><table><thead><tr><th scope=\"col\">t [s]</th>{head}</tr></thead>\
             <tbody>{body}</tbody></table></div></details>",
            if unit.is_empty() { String::new() } else { format!(" [{}]", escaped(unit)) },
            escaped(&self.title)
        )
    }
}

/// Writes the path of an SVG drawing in few bytes: tenths of a pixel, relative, straight runs along the axes joined.
#[derive(Default)]
struct Pen {
    text: String,
    /// Where the pen is, in tenths of a pixel; none before a line begins.
    at: Option<[i64; 2]>,
    /// A run along x or y that is not yet written: axis and tenths.
    run: Option<(usize, i64)>,
    /// A line has begun and leads nowhere yet: it would not be seen.
    lone: bool,
}

impl Pen {
    /// Draws to a place (px), or begins there.
    fn line(&mut self, x: f64, y: f64) {
        let to = [x, y].map(|v| (10.0 * v).round() as i64);
        let Some(from) = self.at.replace(to) else {
            let _ = write!(self.text, "M{} {}", Tenths(to[0]), Tenths(to[1]));
            self.lone = true;
            return;
        };
        let by = [to[0] - from[0], to[1] - from[1]];
        self.lone &= by == [0, 0];
        match by {
            [0, 0] => {}
            [dx, 0] => self.along(0, dx),
            [0, dy] => self.along(1, dy),
            [dx, dy] => {
                self.flush();
                let gap = if dy < 0 { "" } else { " " };
                let _ = write!(self.text, "l{}{gap}{}", Tenths(dx), Tenths(dy));
            }
        }
    }

    /// The next line begins elsewhere.
    fn lift(&mut self) {
        self.end();
        self.at = None;
    }

    fn along(&mut self, axis: usize, by: i64) {
        match &mut self.run {
            // A run that turns back would lose its peak.
            Some((known, sum)) if *known == axis && sum.signum() == by.signum() => *sum += by,
            _ => {
                self.flush();
                self.run = Some((axis, by));
            }
        }
    }

    /// Ends a line; round ends make a dot of one without length.
    fn end(&mut self) {
        self.flush();
        if std::mem::take(&mut self.lone) {
            self.text.push_str("h0");
        }
    }

    fn flush(&mut self) {
        if let Some((axis, by)) = self.run.take() {
            let _ = write!(self.text, "{}{}", if axis == 0 { 'h' } else { 'v' }, Tenths(by));
        }
    }

    fn path(mut self) -> String {
        self.end();
        self.text
    }
}

/// Tenths as a decimal number without a leading or trailing zero.
struct Tenths(i64);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (sign, whole, part) = (if self.0 < 0 { "-" } else { "" }, self.0.abs() / 10, self.0.abs() % 10);
        match (whole, part) {
            (_, 0) => write!(f, "{sign}{whole}"),
            (0, _) => write!(f, "{sign}.{part}"),
            _ => write!(f, "{sign}{whole}.{part}"),
        }
    }
}

/// The same curve with at most this many stretches; least and greatest values survive.
pub fn fewer(points: &[Stretch], most: usize) -> Vec<Stretch> {
    if points.len() <= most {
        return points.to_vec();
    }
    let per = points.len().div_ceil(most);
    points.chunks(per).map(|c| c.iter().fold(c[0], |m, p| [m[0], m[1].min(p[1]), m[2].max(p[2])])).collect()
}

/// Factor and name of the unit in which a peak has one to three digits before the point.
pub fn prefixed(peak: f64, unit: &str) -> (f64, String) {
    if unit.is_empty() || peak == 0.0 || !peak.is_finite() || !["m", "N", "J", "N·m", "m/s"].contains(&unit) {
        return (1.0, unit.to_string());
    }
    let steps = [(1e9, "n"), (1e6, "µ"), (1e3, "m"), (1.0, ""), (1e-3, "k"), (1e-6, "M")];
    let found = steps.iter().rev().find(|(factor, _)| peak * factor >= 0.5).unwrap_or(&steps[0]);
    // Lengths stay in metres above half a millimetre's thousand.
    let (factor, prefix) = if unit.starts_with('m') && found.0 < 1.0 { (1.0, "") } else { *found };
    (factor, format!("{prefix}{unit}"))
}

/// Round ticks and the range that they span.
fn ticks([lo, hi]: [f64; 2], about: usize) -> (Vec<f64>, [f64; 2]) {
    let (lo, hi) = if hi - lo > 1e-12 * (lo.abs() + hi.abs()) && hi > lo {
        (lo, hi)
    } else {
        (lo - 0.5 * lo.abs().max(1e-12), hi + 0.5 * hi.abs().max(1e-12))
    };
    let step = round_step((hi - lo) / about as f64);
    let (first, last) = ((lo / step + 1e-9).floor(), (hi / step - 1e-9).ceil());
    let count = (last - first).round().clamp(1.0, 40.0) as usize;
    ((0..=count).map(|k| (first + k as f64) * step).collect(), [first * step, last * step])
}

/// Round ticks within a range.
fn ticks_within([lo, hi]: [f64; 2], about: usize) -> (Vec<f64>, f64) {
    let step = round_step((hi - lo) / about as f64);
    let first = (lo / step - 1e-9).ceil();
    let count = ((hi / step + 1e-9).floor() - first).clamp(0.0, 40.0) as usize;
    ((0..=count).map(|k| (first + k as f64) * step).collect(), step)
}

/// The least of 1, 2, 5 times a power of ten that is not below this.
fn round_step(step: f64) -> f64 {
    let power = 10.0_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= step * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

fn number(x: f64) -> String {
    let text = if x != 0.0 && !(1e-3..1e5).contains(&x.abs()) { format!("{x:.1e}") } else { format!("{x:.6}") };
    let text = if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    };
    if text == "-0" { "0".to_string() } else { text.replace('-', "−") }
}

/// At most this many characters.
pub fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_string() } else { text.chars().take(most - 1).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader of SVG's relative commands comes to the same places, in tenths of a pixel; runs are joined, peaks stay.
    #[test]
    fn paths_lead_where_they_should() {
        let places =
            [[0.0, 5.0], [1.0, 5.0], [2.04, 5.0], [2.0, 9.96], [2.0, 1.0], [3.5, 0.04], [3.5, 0.0], [4.0, -2.5]];
        let mut pen = Pen::default();
        places.iter().for_each(|p| pen.line(p[0], p[1]));
        let path = pen.path();
        assert_eq!(path, "M0 5h2v5v-9l1.5-1l.5-2.5");
        let mut broken = Pen::default();
        broken.line(1.0, 1.0);
        broken.line(2.0, 1.0);
        broken.lift();
        broken.line(5.0, 0.5);
        broken.line(5.5, 0.6);
        broken.lift();
        broken.line(7.0, 2.0);
        assert_eq!(broken.path(), "M1 1h1M5 .5l.5 .1M7 2h0");
    }

    /// Would catch a peak lost where rows are joined for drawing.
    #[test]
    fn fewer_points_keep_peaks() {
        let points: Vec<Stretch> = (0..1000).map(|k| [f64::from(k), 0.0, if k == 333 { 9.0 } else { 1.0 }]).collect();
        let few = fewer(&points, 100);
        assert!(few.len() <= 100 && few.iter().any(|p| p[2] == 9.0));
    }

    /// Units follow the size of the numbers.
    #[test]
    fn units_get_prefixes() {
        assert_eq!(prefixed(2.3e-5, "m"), (1e6, "µm".to_string()));
        assert_eq!(prefixed(23.0, "N"), (1.0, "N".to_string()));
        assert_eq!(prefixed(5e4, "m"), (1.0, "m".to_string()));
        assert_eq!(prefixed(2e4, "J"), (1e-3, "kJ".to_string()));
        assert_eq!(prefixed(0.5, ""), (1.0, String::new()));
    }

    /// Ranges without extent, of rounding size or huge give some ticks, finitely many.
    #[test]
    fn ticks_are_few_and_hold_their_range() {
        for range in [[0.0, 0.0], [5.0, 5.0], [-1e-300, 1e-300], [1e300, 1.1e300], [0.0, 1e-17], [-3.0, 7.0]] {
            let (ticks, [lo, hi]) = ticks(range, 5);
            assert!((2..=41).contains(&ticks.len()) && hi > lo, "{range:?} {ticks:?}");
            let slack = 1e-8 * (hi - lo);
            assert!(lo <= range[0] + slack && hi >= range[1] - slack, "{range:?} {lo} {hi}");
        }
    }
}
