//! Pictures of docs/concepts.md and the README, drawn from what the library and the program compute. A picture that no longer
//! shows what they give fails here; `UPDATE=1 cargo test --test docs_pictures` draws all anew.

mod pages;
mod program;

use fingerpad_contact::friction::{FrictionLimit, LimitSurface};
use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_contact::surface::{Ellipsoid, Shape};
use fingerpad_contact::track::Tracker;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use std::fmt::Write;
use std::path::Path;

const BLUE: &str = "#1f5fa8";
const RED: &str = "#c0392b";
const GREEN: &str = "#2e8b57";
const GREY: &str = "#8a8f98";
const INK: &str = "#22262c";

/// A sheet to draw on, pixels from the upper left.
struct Sheet {
    size: [f64; 2],
    text: String,
}

impl Sheet {
    fn new(width: f64, height: f64) -> Self {
        Self { size: [width, height], text: String::new() }
    }

    fn path(&mut self, points: &[[f64; 2]], colour: &str, width: f64, fill: &str, dash: &str) {
        let places: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
        let dash = if dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dash}\"") };
        let d = places.join("L");
        let _ = writeln!(
            self.text,
            "<path d=\"M{d}\" stroke=\"{colour}\" stroke-width=\"{width}\" fill=\"{fill}\"{dash}/>"
        );
    }

    fn line(&mut self, points: &[[f64; 2]], colour: &str, width: f64) {
        self.path(points, colour, width, "none", "");
    }

    fn dot(&mut self, [x, y]: [f64; 2], colour: &str) {
        let _ =
            writeln!(self.text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{colour}\" stroke=\"#fff\"/>");
    }

    fn words(&mut self, [x, y]: [f64; 2], colour: &str, anchor: &str, words: &str) {
        let words = words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\" text-anchor=\"{anchor}\">{words}</text>"
        );
    }

    fn arrow(&mut self, from: [f64; 2], to: [f64; 2], colour: &str) {
        let d = [to[0] - from[0], to[1] - from[1]];
        let length = d[0].hypot(d[1]).max(1e-9);
        let (u, v) = (d[0] / length, d[1] / length);
        let wing = |s: f64| [to[0] - 9.0 * u - s * 4.0 * v, to[1] - 9.0 * v + s * 4.0 * u];
        self.line(&[from, to], colour, 2.0);
        self.path(&[wing(1.0), to, wing(-1.0)], colour, 2.0, "none", "");
    }

    fn svg(&self, title: &str) -> String {
        let [w, h] = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" role=\"img\" aria-label=\"{title}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<rect width=\"{w}\" height=\"{h}\" rx=\"6\" fill=\"#fff\"/>\n{}</svg>\n",
            self.text
        )
    }
}

/// A frame with axes, from data to pixels.
struct Axes {
    /// Left, right, top, bottom in pixels.
    frame: [f64; 4],
    x: [f64; 2],
    y: [f64; 2],
}

impl Axes {
    fn at(&self, x: f64, y: f64) -> [f64; 2] {
        let [left, right, top, bottom] = self.frame;
        [
            left + (right - left) * (x - self.x[0]) / (self.x[1] - self.x[0]),
            bottom - (bottom - top) * (y - self.y[0]) / (self.y[1] - self.y[0]),
        ]
    }

    fn draw(&self, sheet: &mut Sheet, ticks: [&[f64]; 2], labels: [&str; 2]) {
        let [left, right, top, bottom] = self.frame;
        for x in ticks[0] {
            let [px, _] = self.at(*x, self.y[0]);
            sheet.line(&[[px, top], [px, bottom]], "#e3e6ea", 1.0);
            sheet.words([px, bottom + 16.0], GREY, "middle", &format!("{x}"));
        }
        for y in ticks[1] {
            let [_, py] = self.at(self.x[0], *y);
            sheet.line(&[[left, py], [right, py]], "#e3e6ea", 1.0);
            sheet.words([left - 6.0, py + 4.0], GREY, "end", &format!("{y}"));
        }
        sheet.line(&[[left, top], [left, bottom], [right, bottom]], INK, 1.0);
        sheet.words([0.5 * (left + right), bottom + 34.0], INK, "middle", labels[0]);
        sheet.words([left - 30.0, top - 10.0], INK, "start", labels[1]);
    }
}

/// All numbers of a picture.
fn numbers(svg: &str) -> Vec<f64> {
    let split = |c: char| !(c.is_ascii_digit() || c == '.' || c == '-');
    svg.split(split).filter_map(|word| word.parse().ok()).collect()
}

/// The kept picture shows the same, to a pixel.
fn keep(name: &str, svg: &str) {
    let path = pages::root().join("docs/images").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, svg).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}; draw it with UPDATE=1"));
    let (now, before) = (numbers(svg), numbers(&kept));
    assert_eq!(now.len(), before.len(), "{name} is old: draw it anew with UPDATE=1");
    for (a, b) in now.iter().zip(&before) {
        assert!((a - b).abs() <= 1.5, "{name} is old ({b} is now {a}): draw it anew with UPDATE=1");
    }
}

/// Two ellipsoids apart and overlapping: closest points, gap, normal.
#[test]
fn closest_points() {
    let mut sheet = Sheet::new(640.0, 300.0);
    let axes = [[0.5, 0.3, 0.3], [0.35, 0.25, 0.3]];
    let shapes = axes.map(|a| Shape::Ellipsoid(Ellipsoid::new(a).unwrap()));
    for (side, height, words) in [(0, 0.75, "gap > 0"), (1, 0.46, "gap < 0")] {
        let turned = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.5);
        let X_AB = Isometry3::from_parts(Vector3::new(0.28, 0.0, height).into(), turned);
        let tracker = Tracker::new(&shapes[0], &shapes[1], &X_AB).unwrap();
        let found = tracker.pair();
        let place = |p: &Point3<f64>| [150.0 + 320.0 * side as f64 + 180.0 * p.x, 215.0 - 180.0 * p.z];
        for (k, X) in [Isometry3::identity(), X_AB].iter().enumerate() {
            let ring: Vec<[f64; 2]> = (0..=72)
                .map(|i| {
                    let (s, c) = (f64::from(i) * 5.0).to_radians().sin_cos();
                    place(&(X * Point3::new(axes[k][0] * c, 0.0, axes[k][2] * s)))
                })
                .collect();
            let colour = [BLUE, GREEN][k];
            sheet.path(&ring, colour, 2.0, ["#dbe7f5", "#dcefe4"][k], "");
        }
        let (a, b) = (found.p_ACa, found.p_ACa + found.gap * found.nhat_AB_A);
        assert_eq!(found.gap > 0.0, side == 0, "{}", found.gap);
        let (pa, pb) = (place(&a), place(&b));
        sheet.arrow(pa, place(&(a + 0.3 * found.nhat_AB_A)), RED);
        sheet.dot(pa, BLUE);
        sheet.dot(pb, GREEN);
        sheet.words([pa[0] - 12.0, pa[1] + 16.0], BLUE, "end", "Ca");
        sheet.words([pb[0] + 12.0, pb[1] - 2.0], GREEN, "start", "Cb");
        sheet.words(
            [150.0 + 320.0 * side as f64, 292.0],
            INK,
            "middle",
            &format!("{words}: {:.0} mm, normal out of A", 1e3 * found.gap),
        );
        sheet.words([place(&Point3::origin())[0], 232.0], BLUE, "middle", "A");
        sheet.words(place(&(X_AB * Point3::origin())), GREEN, "middle", "B");
    }
    keep("closest-points.svg", &sheet.svg("Closest points Ca and Cb of two bodies, apart and overlapping"));
}

/// The patch of a pad under three loads: pressure over its section, and the moment that friction holds.
#[test]
fn patch_under_load() {
    let rubber = Material::rigid().with_layer(Layer::new(0.3e6, 4e-3).unwrap());
    let theory = pair(&rubber, &Material::rigid(), Theory::Auto).unwrap().theory;
    let tip = RelativeCurvature::from_radii(12e-3, 8e-3);
    let mut sheet = Sheet::new(640.0, 300.0);
    let left = Axes { frame: [60.0, 320.0, 40.0, 240.0], x: [-7.0, 7.0], y: [0.0, 160.0] };
    left.draw(
        &mut sheet,
        [&[-6.0, -3.0, 0.0, 3.0, 6.0], &[0.0, 40.0, 80.0, 120.0, 160.0]],
        ["along the patch [mm]", "pressure [kPa]"],
    );
    let right = Axes { frame: [400.0, 620.0, 40.0, 240.0], x: [0.0, 9.0], y: [0.0, 24.0] };
    right.draw(
        &mut sheet,
        [&[0.0, 2.0, 4.0, 6.0, 8.0], &[0.0, 8.0, 16.0, 24.0]],
        ["load [N]", "largest moment about the normal [N·mm]"],
    );
    for (load, colour) in [(1.0, GREEN), (3.0, BLUE), (8.0, RED)] {
        let patch = theory.under_load(&tip, load).unwrap();
        // Winkler: p = p0 (1 − s²).
        let curve: Vec<[f64; 2]> = (-40..=40)
            .map(|i| {
                let s = f64::from(i) / 40.0;
                left.at(1e3 * patch.a * s, 1e-3 * patch.peak_pressure() * (1.0 - s * s))
            })
            .collect();
        sheet.line(&curve, colour, 2.0);
        let top = left.at(0.0, 1e-3 * patch.peak_pressure());
        sheet.words([top[0], top[1] - 5.0], colour, "middle", &format!("{load} N"));
    }
    let moment = |load: f64| 0.8e3 * load * theory.under_load(&tip, load).unwrap().e_n;
    let curve: Vec<[f64; 2]> = (1..=45).map(|i| 0.2 * f64::from(i)).map(|p| right.at(p, moment(p))).collect();
    sheet.line(&curve, BLUE, 2.0);
    let fixed = moment(3.0) / 3.0;
    sheet.path(&[right.at(0.0, 0.0), right.at(9.0, 9.0 * fixed)], GREY, 1.5, "none", "5 4");
    sheet.words(right.at(8.9, moment(8.9) + 2.5), BLUE, "end", "the patch grows");
    sheet.words(right.at(8.9, 9.0 * fixed - 4.0), GREY, "end", "a patch frozen at 3 N");
    keep(
        "patch-under-load.svg",
        &sheet.svg("Pressure over the patch of a soft pad, and the largest moment it holds, over the load"),
    );
}

/// The friction limit of a round patch: exact, and the ellipsoid.
#[test]
fn friction_limit() {
    let (mu, load, a) = (0.8, 5.0, 4e-3);
    let limit = LimitSurface::new(a, a, 0.5, mu, load);
    let mut sheet = Sheet::new(640.0, 320.0);
    let axes = Axes { frame: [70.0, 370.0, 30.0, 260.0], x: [0.0, 4.6], y: [0.0, 11.0] };
    axes.draw(
        &mut sheet,
        [&[0.0, 1.0, 2.0, 3.0, 4.0], &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]],
        ["tangential force [N]", "moment about the normal [N·mm]"],
    );
    let steps = 60;
    let exact: Vec<[f64; 2]> = (0..=steps)
        .map(|i| {
            let (s, c) = (std::f64::consts::FRAC_PI_2 * f64::from(i) / f64::from(steps)).sin_cos();
            let held = limit.load_against(&Vector3::new(c * 1.5e-3, 0.0, s));
            axes.at(held.x.abs(), 1e3 * held.z.abs())
        })
        .collect();
    let (force, moment) = (mu * load, 1e3 * mu * load * limit.e_n());
    let ellipse: Vec<[f64; 2]> = (0..=steps)
        .map(|i| {
            let (s, c) = (std::f64::consts::FRAC_PI_2 * f64::from(i) / f64::from(steps)).sin_cos();
            axes.at(force * c, moment * s)
        })
        .collect();
    sheet.path(&ellipse, GREY, 1.5, "none", "5 4");
    sheet.line(&exact, BLUE, 2.0);
    let held = [0.45 * force, 0.4 * moment];
    sheet.dot(axes.at(held[0], held[1]), GREEN);
    let [x, y] = axes.at(held[0], held[1]);
    sheet.words([x + 10.0, y + 5.0], GREEN, "start", "this load sticks");
    let used = (0.45_f64.powi(2) + 0.4_f64.powi(2)).sqrt();
    sheet.words([400.0, 70.0], BLUE, "start", "solid: exact limit of the patch");
    sheet.words([400.0, 92.0], GREY, "start", "dashed: friction ellipsoid");
    sheet.words([400.0, 124.0], INK, "start", &format!("largest force μP = {force:.1} N"));
    sheet.words([400.0, 146.0], INK, "start", &format!("largest moment μP e_n = {moment:.1} N·mm"));
    sheet.words([400.0, 168.0], INK, "start", &format!("e_n = {:.2} mm for this patch", 1e3 * limit.e_n()));
    sheet.words([400.0, 200.0], GREEN, "start", &format!("margin of the green load: {:.2}", 1.0 - used));
    keep("friction-limit.svg", &sheet.svg("Force and moment that friction can hold together"));
}

/// Columns of a CSV file, by the beginning of their header.
fn columns(file: &Path, keep: impl Fn(&[&str]) -> bool, names: &[&str]) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at: Vec<usize> =
        names.iter().map(|n| head.iter().position(|h| h.split(' ').next() == Some(n)).unwrap()).collect();
    lines
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|cells| keep(cells))
        .map(|cells| at.iter().map(|i| cells[*i].parse().unwrap()).collect())
        .collect()
}

/// A bouncing ball: where its energy is and went; a tippe-top in steps that are too long, which the quality tells.
#[test]
fn ledger_and_quality() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let path = |name: &str| out(name).to_str().unwrap().to_string();
    let (code, _, err) = program::run(&["run", "bouncing-ball", "--quiet", "--out", &path("a")], "");
    assert_eq!(code, 0, "{err}");
    let long = ["--set", "solver.stepper=fast", "--set", "solver.step=1 ms", "--quiet", "--out"];
    for (name, more) in [("c", &["--quiet", "--out"][..]), ("b", &long[..])] {
        let (_, _, err) = program::run(&[&["run", "tippe-top"], more, &[&path(name)]].concat(), "");
        assert!(out(name).join("summary.json").exists(), "{err}");
    }
    let mut sheet = Sheet::new(640.0, 300.0);
    let axes = Axes { frame: [70.0, 470.0, 40.0, 240.0], x: [0.0, 2.0], y: [0.0, 11.0] };
    axes.draw(&mut sheet, [&[0.0, 0.5, 1.0, 1.5, 2.0], &[0.0, 5.0, 10.0]], ["time [s]", "energy [J]"]);
    let every = 4;
    let energies = columns(&out("a/energy.csv"), |_| true, &["t", "PE", "KE", "V_normal", "E_visc"]);
    let mut below = vec![0.0; energies.len()];
    for (k, (colour, name)) in
        [(BLUE, "height (PE)"), (GREEN, "motion (KE)"), ("#d59f2a", "springs (V_normal)"), (RED, "damper (E_visc)")]
            .into_iter()
            .enumerate()
    {
        let above: Vec<f64> = below.iter().zip(&energies).map(|(b, row)| b + row[k + 1]).collect();
        let side = |values: &[f64]| -> Vec<[f64; 2]> {
            (0..values.len()).step_by(every).map(|i| axes.at(energies[i][0], values[i])).collect()
        };
        let mut area = side(&above);
        area.extend(side(&below).into_iter().rev());
        sheet.path(&area, colour, 0.5, colour, "");
        sheet.words([485.0, 210.0 - 26.0 * k as f64], colour, "start", name);
        below = above;
    }
    // The total is that of the start: the ledger closes.
    assert!(below.iter().all(|total| (total - below[0]).abs() < 1e-3), "{below:?}");
    keep("energy-ledger.svg", &sheet.svg("Where the energy of a bouncing ball is and went"));

    let mut sheet = Sheet::new(640.0, 290.0);
    let axes = Axes { frame: [70.0, 620.0, 40.0, 230.0], x: [0.0, 1.8], y: [0.0, 200.0] };
    axes.draw(&mut sheet, [&[0.0, 0.5, 1.0, 1.5], &[0.0, 90.0, 180.0]], ["time [s]", "tilt of the top [degrees]"]);
    for (name, colour, words, y) in [
        ("c", BLUE, "accurate: quality good", 190.0),
        ("b", RED, "fast, 1 ms: quality poor, 8 % of the energy numerical", 212.0),
    ] {
        let rows = columns(&out(name).join("bodies.csv"), |cells| cells[1] == "top", &["t", "qx", "qy"]);
        let tilt = |row: &Vec<f64>| (1.0 - 2.0 * (row[1] * row[1] + row[2] * row[2])).acos().to_degrees();
        let curve: Vec<[f64; 2]> = rows.iter().step_by(every).map(|row| axes.at(row[0], tilt(row))).collect();
        sheet.line(&curve, colour, 2.0);
        sheet.words([250.0, y], colour, "start", words);
        let text = std::fs::read_to_string(out(name).join("summary.json")).unwrap();
        let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
        let verdict = if name == "c" { "good" } else { "poor" };
        assert_eq!(summary["quality"]["verdict"], verdict);
        let share = summary["quality"]["numerical_share"].as_f64().unwrap();
        assert!(name == "c" || (0.075..0.085).contains(&share), "the picture says 8 %, the run {share}");
        // Both ledgers close: that alone proves nothing.
        assert!(summary["ledger_error"].as_f64().unwrap() < 1e-9);
    }
    keep("quality.svg", &sheet.svg("A tippe-top turns over, and the same in steps that are too long"));
}

/// The picture of the introduction: the last view of the report of the glass, in colours of its own.
#[test]
fn the_glass_is_held() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("glass");
    let scene = pages::root().join("examples/grasps/glass.toml");
    let args = ["run", scene.to_str().unwrap(), "--quiet", "--out", out.to_str().unwrap()];
    let (code, text, err) = program::run(&args, "");
    assert_eq!(code, 0, "{text}{err}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let still = page.split("<svg ").filter(|part| part.contains("aria-label=\"Scene at t = 1 s")).last();
    let still = still.and_then(|part| part.split_inclusive("</svg>").next()).expect("no last view in the report");
    assert!(still.contains("3 contacts"), "the glass is not held by three fingertips");
    let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" {still}\n")
        .replace("var(--stick)", GREEN)
        .replace("var(--slip)", RED)
        .replace("class=\"still-line\"", "stroke=\"#667\"")
        .replace("class=\"still-text\"", "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#334\"")
        .replace("url(#shine)", "none")
        // More room above, and white behind.
        .replace("viewBox=\"0 0 460 330\"", "viewBox=\"60 -45 340 300\"")
        .replace(
            "<g stroke-width=\".7\">",
            "<rect x=\"60\" y=\"-45\" width=\"340\" height=\"300\" rx=\"6\" fill=\"#fff\"/><g stroke-width=\".7\">",
        );
    keep("glass-held.svg", &svg);
}

/// The picture of the README: the last view of the report of the scene `glass`, cropped; triangles too small to be seen are left
/// out.
#[test]
fn the_hand_holds_the_glass() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("glass");
    let (code, text, err) = program::run(&["run", "glass", "--quiet", "--out", out.to_str().unwrap()], "");
    assert_eq!(code, 0, "{text}{err}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    let still = page.split("<svg ").filter(|part| part.contains("aria-label=\"Scene at t = 7 s")).last();
    let still = still.and_then(|part| part.split_inclusive("</svg>").next()).expect("no last view in the report");
    let (frame, seen) = ([190.0, 112.0, 190.0, 92.0], 1.0);
    let mut svg = String::from("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"720\" ");
    for piece in still.split_inclusive('>') {
        // Lines of forces would hide the hand.
        let hidden = piece.contains("stroke-width=\"2.5\"") || area(piece, frame).is_some_and(|area| area < seen);
        svg.push_str(if hidden { "" } else { piece });
    }
    let [x, y, width, height] = frame;
    let white = format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>");
    let svg = svg
        .replace("var(--stick)", GREEN)
        .replace("var(--slip)", RED)
        .replace("viewBox=\"0 0 460 330\"", &format!("viewBox=\"{x} {y} {width} {height}\""))
        .replace("<g stroke-width=\".7\">", &format!("{white}<g stroke-width=\"1.3\" stroke-linejoin=\"round\">"));
    keep("hand-holds-glass.svg", &(svg + "\n"));
}

/// Area of a polygon of a still view, or nothing where it lies outside of the frame; none for all else.
fn area(piece: &str, [x, y, width, height]: [f64; 4]) -> Option<f64> {
    let steps = piece.strip_prefix("<path d=\"M")?.split_once("z\"")?.0;
    let mut places = steps.split('l').map(|two| {
        let (a, b) = two.split_once(' ')?;
        Some([a.parse::<f64>().ok()?, b.parse::<f64>().ok()?])
    });
    let mut at = places.next()??;
    if at[0] < x - 60.0 || at[0] > x + width + 60.0 || at[1] < y - 40.0 || at[1] > y + height + 40.0 {
        return Some(0.0);
    }
    let (start, mut twice) = (at, 0.0);
    for step in places {
        let step = step?;
        twice += (at[0] - start[0]) * step[1] - (at[1] - start[1]) * step[0];
        at = [at[0] + step[0], at[1] + step[1]];
    }
    Some(0.5 * twice.abs())
}
