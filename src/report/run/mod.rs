//! # The report of a run: one page that opens anywhere
//!
//! `run` ──(summary, [`Kept`], model)──▶ **here** ──▶ `report.html`
//!
//! - **in**: `summary.json`, what was kept of the rows, the model
//! - **out**: one HTML file without outside resources, readable without scripts; with the viewer's bundle in the program
//!   also a 3-D replay
//! - **not here**: what is kept (`run::kept`), the code of the replay (`viewer/`)
//! - **assumes**: nothing of names: every text is escaped, and the policy of the page runs no script but ours
//! - **start at** [`page`]; then [`plot`] (curves), [`still`] (views by Rust), [`stage`] (shapes), [`replay`] (data of
//!   the replay)

pub mod plot;
pub mod replay;
pub mod stage;
pub mod still;

use super::{escaped, viewer};
use crate::cli::table::short;
use crate::run::held::Held;
use crate::run::kept::{Kept, PairCurves};
use crate::run::row::ENERGY;
use fingerpad_files::recording::{BodyFrame, Frame, Mode};
use fingerpad_sim::Model;
use nalgebra::Point3;
use plot::{Kind, Plot, Stretch};
use serde_json::Value;
use stage::Stage;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
/// Energies that no mechanics asks for: what numbers took or gave.
const NUMERICAL: [&str; 6] = ["E_num", "E_geo", "E_solver", "modulation", "E_inertia", "E_project"];
/// Pairs whose forces are plotted.
const PLOTTED_PAIRS: usize = 6;
/// Bodies whose ways are plotted.
const PLOTTED_BODIES: usize = 6;
/// Events listed.
const LISTED: usize = 60;

/// What a report is made of.
pub struct Facts<'a> {
    /// `summary.json`.
    pub summary: &'a Value,
    /// What the scene shows.
    pub description: Option<&'a str>,
    /// What was kept of the rows.
    pub kept: &'a Kept,
    /// Grasps that checks ask about, at the end.
    pub held: &'a [Held],
    /// The model.
    pub model: &'a Model,
    /// What the second count of effort is, e.g. "Newton steps".
    pub work: &'static str,
}

/// The whole page.
pub fn page(facts: &Facts) -> String {
    let Facts { summary, kept, .. } = facts;
    let text = |key: &str| summary[key].as_str().unwrap_or_default();
    let stage = Stage::new(facts.model, &kept.frames);
    let span = [summary["t_start"].as_f64().unwrap_or(0.0), summary["t_end"].as_f64().unwrap_or(0.0)];
    let mut body = header(facts);
    let scripts = viewer::Scripts::built();
    let data = scripts.is_some().then(|| replay::packed(&stage, &kept.frames, kept.thinned));
    let mut sections = vec![
        ("replay", "Replay", replay_here(scripts.is_some())),
        ("stills", "Views", stills(facts, &stage)),
        ("verdicts", "Verdicts", verdicts(summary)),
        ("summary", "Summary", facts_of(summary)),
        ("energy", "Energy", energy(kept, span)),
        ("contacts", "Contacts", contacts(facts, span)),
        ("motion", "Motion", motion(facts, &stage, span)),
        ("effort", "Solver effort", effort(facts, span)),
        ("events", "Events", events(facts)),
    ];
    if !facts.held.is_empty() {
        // Behind the verdicts, which name them.
        sections.insert(3, ("grasps", "Grasps", grasps(facts.held)));
    }
    let links: String = sections.iter().map(|(id, name, _)| format!("<li><a href=\"#{id}\">{name}</a></li>")).collect();
    let _ = write!(body, "<nav aria-label=\"Parts of this report\"><ul>{links}</ul></nav>\n<main>");
    for (id, name, content) in sections {
        let _ = write!(body, "<section id=\"{id}\" aria-label=\"{name}\"><h2>{name}</h2>\n{content}</section>\n");
    }
    body.push_str("</main>\n");
    body.push_str(&footer(facts));
    document(&format!("{} – fingerpad", text("scene")), &body, scripts.as_ref().zip(data.as_deref()))
}

/// The page of one thing to look at: a mesh, a map.
pub fn thing(title: &str, facts: &serde_json::Map<String, Value>, stage: &Stage) -> String {
    let still = BodyFrame { q: [1.0, 0.0, 0.0, 0.0], ..BodyFrame::default() };
    thing_at(title, facts, stage, &Frame { bodies: vec![still], ..Frame::default() })
}

/// A still view of a stage, as SVG.
pub fn still_view(stage: &Stage, frame: &Frame, title: &str) -> String {
    still::still(stage, frame, &[], 0.0, title)
}

/// The page of things to look at, each at its place.
pub fn thing_at(title: &str, facts: &serde_json::Map<String, Value>, stage: &Stage, frame: &Frame) -> String {
    let view = still::still(stage, frame, &[], 0.0, title);
    let scripts = viewer::Scripts::built();
    let data = scripts.is_some().then(|| replay::packed(stage, std::slice::from_ref(frame), false));
    let shown = facts.iter().filter(|(key, _)| *key != "warnings");
    let warnings: String = facts
        .get("warnings")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|w| format!("<p class=\"note\">Warning: {}</p>", escaped(w.as_str().unwrap_or_default())))
        .collect();
    let body = format!(
        "<header><h1>{}</h1>{warnings}</header>\n<main><section id=\"replay\" aria-label=\"View\"><h2>View</h2>{}</section>\n\
         <section aria-label=\"Still view\"><h2>Still view</h2><div class=\"stills\"><figure>{view}</figure></div></section>\n\
         <section aria-label=\"Facts\"><h2>Facts</h2>{}</section></main>\n",
        escaped(title),
        replay_here(scripts.is_some()),
        list(shown)
    );
    document(&format!("{title} – fingerpad"), &body, scripts.as_ref().zip(data.as_deref()))
}

/// Where the replay goes, or how to get one.
fn replay_here(built: bool) -> String {
    let why = if built {
        "The replay needs scripts, WebGL and a browser of 2023 or later; views and plots below do not."
    } else {
        "This program was built without npm and has no 3-D replay; build it again with npm on the path to get one. Views and \
         plots below are complete."
    };
    format!("<div id=\"replay-here\"><p class=\"soft\">{why}</p></div>")
}

/// A page around a body of HTML, with the scripts of the replay and its data.
fn document(title: &str, body: &str, replay: Option<(&viewer::Scripts, &str)>) -> String {
    let policy = viewer::policy(replay.map(|(scripts, _)| scripts));
    let scripts = replay.map_or(String::new(), |(scripts, data)| scripts.elements(data));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>\
         <pattern id=\"slip\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"var(--slip)\" fill-opacity=\".35\"/><rect width=\"3\" height=\"6\" fill=\"var(--slip)\"/></pattern>\
         <radialGradient id=\"shine\" cx=\".36\" cy=\".3\" r=\".8\"><stop offset=\"0\" stop-color=\"#fff\" stop-opacity=\".6\"/><stop offset=\".5\" stop-color=\"#fff\" stop-opacity=\".05\"/><stop offset=\"1\" stop-color=\"#000\" stop-opacity=\".35\"/></radialGradient>\
         </defs></svg>\n{body}{scripts}</body>\n</html>\n",
        escaped(title)
    )
}

fn header(facts: &Facts) -> String {
    let summary = facts.summary;
    let text = |key: &str| escaped(summary[key].as_str().unwrap_or_default());
    let status = text("status");
    let class = if status == "completed" { "good" } else { "bad" };
    let checks = summary["checks"].as_array().map_or(&[][..], Vec::as_slice);
    let held = checks.iter().filter(|c| c["ok"] == true).count();
    let judged = checks.iter().filter(|c| !c["ok"].is_null()).count();
    let mut chips = format!("<span class=\"chip {class}\">{status}</span>");
    if judged > 0 {
        let class = if held == judged { "good" } else { "bad" };
        let _ = write!(chips, "<span class=\"chip {class}\">{held} of {judged} checks hold</span>");
    }
    if let Some(verdict) = summary["quality"]["verdict"].as_str() {
        let class = if matches!(verdict, "good" | "bad") { verdict } else { "" };
        let _ = write!(chips, "<a class=\"chip {class}\" href=\"#verdicts\">quality: {}</a>", escaped(verdict));
    }
    let _ = write!(
        chips,
        "<span class=\"chip\">{}, {}</span><span class=\"chip\">{} s simulated</span>",
        text("formulation"),
        text("stepper"),
        shown(&summary["t_end"])
    );
    let mut out = format!("<header><h1>{}</h1>\n", text("scene"));
    if let Some(description) = facts.description {
        let _ = writeln!(out, "<p>{}</p>", escaped(description));
    }
    let _ = writeln!(out, "<div class=\"chips\">{chips}</div>");
    if let Some(message) = summary["message"].as_str() {
        let _ = writeln!(out, "<p class=\"bad\">{}</p>", escaped(message));
    }
    // What lowers the quality stands beside the verdicts.
    let told =
        |w: &&Value| !w.as_str().is_some_and(|w| w.starts_with("poor quality: ") || w.starts_with("bad quality: "));
    for warning in summary["warnings"].as_array().into_iter().flatten().filter(told) {
        let _ = writeln!(out, "<p class=\"note\">Warning: {}</p>", escaped(warning.as_str().unwrap_or_default()));
    }
    out + "</header>\n"
}

fn footer(facts: &Facts) -> String {
    let summary = facts.summary;
    format!(
        "<footer class=\"soft\"><p>Made by fingerpad {} from scene <code>{}</code>, hash <code>{}</code>. Every number was computed in \
         this run. Full data: <code>bodies.csv</code>, <code>contacts.csv</code>, <code>energy.csv</code>, <code>events.csv</code>, \
         <code>summary.json</code> beside this file, and <code>joints.csv</code>, <code>drives.csv</code> of scenes with joints. The replay uses three.js and uPlot (MIT licence).</p></footer>\n",
        escaped(summary["version"].as_str().unwrap_or_default()),
        escaped(summary["scene"].as_str().unwrap_or_default()),
        escaped(summary["hash"].as_str().unwrap_or_default())
    )
}

/// A JSON value as people read it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_string(),
        Value::Number(n) if n.is_f64() => short(n.as_f64().unwrap_or(f64::NAN)),
        Value::String(s) => s.clone(),
        Value::Array(list) if list.is_empty() => "none".to_string(),
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

fn stills(facts: &Facts, stage: &Stage) -> String {
    let frames = &facts.kept.frames;
    let (Some(first), Some(last)) = (frames.first(), frames.last()) else {
        return "<p>The run has no rows: nothing to draw.</p>".to_string();
    };
    let force = |frame: &Frame| frame.contacts.iter().map(|c| c.normal).fold(0.0, f64::max);
    let peak = frames.iter().map(force).fold(0.0, f64::max);
    let strongest = frames.iter().max_by(|a, b| force(a).total_cmp(&force(b))).unwrap_or(last);
    let trails: Vec<Vec<Point3<f64>>> = movers(stage, frames)
        .into_iter()
        .map(|i| {
            let step = frames.len().div_ceil(160);
            frames.iter().step_by(step).map(|f| Point3::from(f.bodies[i].p)).collect()
        })
        .collect();
    let middle = if peak > 0.0 { strongest } else { &frames[frames.len() / 2] };
    let what = if peak > 0.0 {
        format!("largest contact force, {} N", short(peak))
    } else {
        "halfway, no contact".to_string()
    };
    let views = [(first, "start".to_string()), (middle, what), (last, "end".to_string())];
    let mut out = String::from("<div class=\"stills\">");
    for (frame, what) in views {
        let caption = format!("t = {} s: {what}", short(frame.time));
        let title = format!("Scene at {caption}; {} contacts", frame.contacts.len());
        let svg = still::still(stage, frame, &trails, peak, &title);
        let _ = write!(out, "<figure>{svg}<figcaption>{}</figcaption></figure>", escaped(&caption));
    }
    out + "</div><p class=\"soft\">Dashes: ways of the bodies. Dots and strokes: contacts and their normal forces (length by the root of the force), \
           blue while they stick, orange while they slip.</p>"
}

/// Bodies that move, those that go farthest first.
fn movers(stage: &Stage, frames: &[Frame]) -> Vec<usize> {
    let way = |i: usize| {
        let mut sum = 0.0;
        for two in frames.windows(2) {
            sum += (Point3::from(two[1].bodies[i].p) - Point3::from(two[0].bodies[i].p)).norm();
        }
        sum
    };
    let mut found: Vec<(usize, f64)> =
        (0..stage.fixed.len()).filter(|i| !stage.fixed[*i]).map(|i| (i, way(i))).collect();
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut list: Vec<usize> = found.into_iter().take(PLOTTED_BODIES).map(|(i, _)| i).collect();
    list.sort_unstable();
    list
}

fn verdicts(summary: &Value) -> String {
    let checks = summary["checks"].as_array().map_or(&[][..], Vec::as_slice);
    let mut rows = String::new();
    for check in checks {
        let (class, word) = match check["ok"].as_bool() {
            Some(true) => ("good", "holds"),
            Some(false) => ("bad", "FAILED"),
            None => ("soft", "not judged"),
        };
        let value = check["error"].as_str().map_or_else(|| shown(&check["value"]), str::to_string);
        let _ = write!(
            rows,
            "<tr><td class=\"{class}\">{word}</td><th scope=\"row\">{}</th><td>{}</td><td><code>{}</code></td></tr>",
            escaped(check["name"].as_str().unwrap_or_default()),
            escaped(&value),
            escaped(check["expression"].as_str().unwrap_or_default())
        );
    }
    let mut out = if rows.is_empty() {
        "<p>The scene has no <code>[[check]]</code>.</p>".to_string()
    } else {
        format!(
            "<table><thead><tr><th scope=\"col\">verdict</th><th scope=\"col\">check</th><th scope=\"col\">value</th><th scope=\"col\">expected</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    };
    if let Some(quality) = summary["quality"].as_object() {
        out.push_str(&quality_of(quality, summary));
    }
    out
}

/// Grasps at the end: words and a picture for each body that a check names.
fn grasps(held: &[Held]) -> String {
    let mut out =
        String::from("<p class=\"soft\">At the end of the run; whatever touches a body counts as a finger.</p>");
    for held in held {
        let name = escaped(&held.name);
        let _ = write!(out, "<h3>{name}</h3>");
        let _ = match held.shown() {
            Ok((words, svg)) => write!(
                out,
                "<figure>{svg}</figure>\
                 <pre class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Grasp of {name} in numbers\">{}</pre>",
                escaped(&words)
            ),
            Err(why) => write!(out, "<p class=\"bad\">{}</p>", escaped(why)),
        };
    }
    out
}

/// How the run grades itself: the verdict, its causes, and the figures behind it.
fn quality_of(quality: &serde_json::Map<String, Value>, summary: &Value) -> String {
    let verdict = quality.get("verdict").and_then(Value::as_str).unwrap_or_default();
    let class = if matches!(verdict, "good" | "bad") { verdict } else { "note" };
    let causes: String = summary["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|warning| warning.as_str()?.split_once(" quality: "))
        .map(|(grade, cause)| format!("<li>{}: {}</li>", escaped(grade), escaped(cause)))
        .collect();
    let causes = if causes.is_empty() { String::new() } else { format!("<ul class=\"causes\">{causes}</ul>") };
    let words = match verdict {
        "good" => "nothing in its own measures speaks against this run",
        "poor" => "the run may be used with care; causes:",
        _ => "the run does not show what the scene describes; causes:",
    };
    let figures = quality.iter().filter(|(name, _)| *name != "verdict").map(|(name, value)| {
        let (name, unit) = match name.as_str() {
            "unsolved" => ("unsolved steps", ""),
            "unconverged" => ("unconverged steps", ""),
            "ledger_error" => ("error of the ledger", ""),
            "numerical_share" => ("numerical share of the energy", ""),
            "depth_worst" => ("deepest overlap", " m"),
            "depth_of_law" => ("depth that the law gives there", " m"),
            "outside_theory" => ("outside the theory of patches", ""),
            "aliased" => ("too quick for the step", ""),
            "lost" => ("lost bodies", ""),
            other => (other, ""),
        };
        format!("<div><dt>{}</dt><dd>{}{unit}</dd></div>", escaped(name), escaped(&shown(value)))
    });
    format!(
        "<h3>Quality: <span class=\"{class}\">{}</span></h3><p>{words}</p>{causes}<dl class=\"facts\">{}</dl>",
        escaped(verdict),
        figures.collect::<String>()
    )
}

fn list<'a>(entries: impl Iterator<Item = (&'a String, &'a Value)>) -> String {
    let rows: String = entries
        .map(|(name, value)| {
            format!("<div><dt>{}</dt><dd>{}</dd></div>", escaped(&name.replace('_', " ")), escaped(&shown(value)))
        })
        .collect();
    format!("<dl class=\"facts\">{rows}</dl>")
}

fn facts_of(summary: &Value) -> String {
    let shown_apart = ["energy", "bodies", "checks", "grasps", "quality", "warnings", "message", "scene", "events"];
    let Some(all) = summary.as_object() else { return String::new() };
    let mut out = list(all.iter().filter(|(key, value)| !shown_apart.contains(&key.as_str()) && !value.is_object()));
    let bodies = summary["bodies"].as_object();
    let rows: String = bodies
        .into_iter()
        .flatten()
        .take(200)
        .map(|(name, body)| {
            let cell = |key: &str| escaped(&shown(&body[key]));
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                escaped(name),
                cell("pos"),
                cell("quat_wxyz"),
                cell("vel_world"),
                cell("omega_world")
            )
        })
        .collect();
    let _ = write!(
        out,
        "<details><summary>Bodies at the end</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Bodies at the end\"><table><thead><tr><th scope=\"col\">body</th><th scope=\"col\">position [m]</th><th scope=\"col\">quaternion wxyz</th>\
         <th scope=\"col\">velocity [m/s]</th><th scope=\"col\">angular velocity [rad/s]</th></tr></thead><tbody>{rows}</tbody></table></div></details>"
    );
    out
}

/// The ledger: what energy is as stacked areas, what numbers did apart.
fn energy(kept: &Kept, span: [f64; 2]) -> String {
    let columns: Vec<(&str, Vec<Stretch>)> =
        ENERGY.iter().enumerate().map(|(k, name)| (*name, kept.energy(k))).collect();
    let column = |name: &str| columns.iter().find(|(n, _)| *n == name).map(|(_, c)| c.clone()).unwrap_or_default();
    let present = |c: &[Stretch]| c.iter().any(|p| p[1] != 0.0 || p[2] != 0.0);
    let mut stack = Plot::new("Where the energy is and went", "J", span).tall(300.0);
    let left_out = |name: &str| name == "total" || name.starts_with("W_") || NUMERICAL.contains(&name);
    let mut shift = 0.0;
    let shown = columns.iter().filter(|(name, c)| !left_out(name) && present(c));
    for (colour, (name, curve)) in shown.enumerate() {
        let mut drawn = curve.clone();
        let mut label = (*name).to_string();
        if *name == "PE" {
            // Height has no zero of its own: from the lowest of the run.
            shift = curve.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
            drawn.iter_mut().for_each(|p| *p = [p[0], p[1] - shift, p[2] - shift]);
            label = "PE above its least".to_string();
        }
        stack.curve(label, Kind::Stacked, colour % 10, &drawn);
    }
    let (total, work) = (column("total"), column("W_injected"));
    let put_in: Vec<Stretch> =
        total.iter().zip(&work).map(|(a, b)| [a[0], a[1] + b[1] - shift, a[2] + b[2] - shift]).collect();
    let mut out = String::new();
    if put_in.iter().any(|p| p[1].is_finite()) {
        stack.curve("there at the start, and put in since", Kind::Dashed, 7, &put_in);
        out += &stack.figure(
            "Areas add up to the dashed line, less what is numerical (below): the ledger. KE and PE are motion and height, \
             V are springs, E is lost: in dampers (E_visc), to slip (E_slip), where contacts ended (E_release).",
        );
    } else {
        out += "<p>No rows were recorded.</p>";
    }
    let mut apart = Plot::new("What is numerical", "J", span).tall(180.0);
    let mut colour = 0;
    for name in NUMERICAL {
        let curve = column(name);
        if present(&curve) && !curve.is_empty() {
            apart.curve(name, Kind::Line, colour, &curve);
            colour += 1;
        }
    }
    if apart.is_empty() {
        out += "<p>All numerical columns (E_num, E_geo, E_solver, modulation) are zero.</p>";
    } else {
        out += &apart.figure(
            "Energy that contact lists, geometry, solvers or changing patches gave or took; no motion's doing.",
        );
    }
    out
}

/// Stretches of a pair in contact: from, to, modes.
fn bands(curves: &PairCurves, end: f64) -> Vec<(f64, f64, u8)> {
    let times = &curves.curves.times;
    let mut parts: Vec<(f64, f64, u8)> = Vec::new();
    for (k, modes) in curves.modes.iter().enumerate().filter(|(_, m)| **m != 0) {
        let (from, to) = (times[k], times.get(k + 1).copied().unwrap_or(end));
        match parts.last_mut() {
            Some(last) if last.2 == *modes && (last.1 - from).abs() <= 1e-12 * end.abs() => last.1 = to,
            _ => parts.push((from, to, *modes)),
        }
    }
    parts
}

fn contacts(facts: &Facts, span: [f64; 2]) -> String {
    let kept = facts.kept;
    let name = |(a, b): (usize, usize)| {
        let of = |i: usize| facts.model.bodies()[i].name.as_str();
        format!("{}–{}", of(a), of(b))
    };
    if kept.pairs.is_empty() {
        return "<p>No two bodies touched at a recorded row.</p>".to_string();
    }
    let mut order: Vec<&((usize, usize), PairCurves)> = kept.pairs.iter().collect();
    order.sort_by(|a, b| b.1.curves.peak(0).total_cmp(&a.1.curves.peak(0)));
    let left_out = order.len().saturating_sub(PLOTTED_PAIRS);
    let more = match (left_out, kept.more_pairs) {
        (0, false) => String::new(),
        (n, false) => format!(" {n} more pairs touched more lightly; all are in contacts.csv."),
        (_, true) => " Many more pairs touched; all are in contacts.csv.".to_string(),
    };
    let plotted = &order[..order.len().min(PLOTTED_PAIRS)];
    let mut forces = Plot::new("Normal force by pair of bodies", "N", span);
    let mut shares = Plot::new("Tangential force by pair of bodies", "N", span).tall(170.0);
    let mut margins = Plot::new("Friction margin: what is left of the limit", "", span).within(0.0, 1.0).tall(170.0);
    let mut gaps = Plot::new("Gap: how far apart pairs are", "m", span).tall(170.0);
    let mut depths = Plot::new("Depth: how far bodies overlap", "m", span);
    let mut slips = Plot::new("Path of slip", "m", span).tall(170.0);
    let mut rows = String::new();
    for (k, (pair, of_pair)) in plotted.iter().enumerate() {
        let curves = &of_pair.curves;
        let label = name(*pair);
        forces.curve(label.clone(), Kind::Line, k, &curves.curve(0));
        shares.curve(label.clone(), Kind::Line, k, &curves.curve(1));
        if of_pair.was(Mode::Stick) || of_pair.was(Mode::Slip) {
            margins.curve(label.clone(), Kind::Line, k, &curves.curve(2));
        }
        forces.band(label.clone(), bands(of_pair, span[1]));
        gaps.curve(label.clone(), Kind::Line, k, &curves.curve(7));
        depths.curve(label.clone(), Kind::Line, k, &curves.curve(3));
        if curves.peak(4) > 0.0 {
            slips.curve(label, Kind::Line, k, &curves.curve(4));
        }
    }
    for (pair, of_pair) in &order {
        let curves = &of_pair.curves;
        let least = curves.ranges.iter().map(|r| r[2][0]).filter(|x| x.is_finite()).fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { short(least) } else { "–".to_string() };
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{least}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escaped(&name(*pair)),
            short(curves.peak(0)),
            short(curves.peak(1)),
            short(curves.peak(5)),
            short(curves.peak(3)),
            short(curves.peak(4))
        );
    }
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Contacts by pair\"><table><thead><tr><th scope=\"col\">pair A–B</th><th scope=\"col\">largest normal [N]</th><th scope=\"col\">largest tangential [N]</th>\
         <th scope=\"col\">least margin</th><th scope=\"col\">largest moment [N·m]</th><th scope=\"col\">deepest [m]</th><th scope=\"col\">slip path [m]</th></tr></thead><tbody>{rows}</tbody></table></div>"
    );
    out += &forces.figure(&format!(
        "Sum over the contacts of each pair at recorded rows. Bands: what the contacts were doing.{more}"
    ));
    out += &shares.figure("Sum of the sizes over the contacts of each pair.");
    if !margins.is_empty() {
        out += &margins.figure("1: no load along the patch; 0: on the friction limit. The least of the contacts of a pair; gaps where nothing touches.");
    }
    out += &gaps.figure(
        "Signed distance of the undeformed shapes, the least of a pair: below zero they overlap. Drawn while the pair is near \
         enough to be on the list of contacts.",
    );
    out += &depths.figure(
        "Overlap of the undeformed shapes, whatever the law forgives: the elastic approach of a compliant contact, an error \
         where contacts are rigid.",
    );
    if !slips.is_empty() {
        out += &slips.figure("Largest over the contacts of a pair that last.");
    }
    out
}

fn motion(facts: &Facts, stage: &Stage, span: [f64; 2]) -> String {
    let frames = &facts.kept.frames;
    let list = movers(stage, frames);
    if frames.is_empty() || list.is_empty() {
        return "<p>Nothing moves.</p>".to_string();
    }
    let mut out = String::new();
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let mut plot = Plot::new(format!("Position {name}"), "m", span).tall(170.0);
        for (k, i) in list.iter().enumerate() {
            let points: Vec<Stretch> =
                frames.iter().map(|f| [f.time, f.bodies[*i].p[axis], f.bodies[*i].p[axis]]).collect();
            plot.curve(stage.names[*i].clone(), Kind::Line, k, &points);
        }
        out += &plot.figure("Origin of the body frame, in the world.");
    }
    let mut speed = Plot::new("Speed", "m/s", span).tall(170.0);
    let mut spin = Plot::new("Rate of turning", "rad/s", span).tall(170.0);
    let size = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    for (k, i) in list.iter().enumerate() {
        let curve =
            |of: &dyn Fn(&Frame) -> f64| -> Vec<Stretch> { frames.iter().map(|f| [f.time, of(f), of(f)]).collect() };
        speed.curve(stage.names[*i].clone(), Kind::Line, k, &curve(&|f| size(f.bodies[*i].v)));
        spin.curve(stage.names[*i].clone(), Kind::Line, k, &curve(&|f| size(f.bodies[*i].w)));
    }
    out += &speed.figure("Of the centre of mass.");
    out += &spin.figure("");
    let others = stage.fixed.iter().filter(|f| !**f).count() - list.len();
    if others > 0 {
        let _ = write!(
            out,
            "<p class=\"soft\">The {} bodies that went farthest; {others} more are in bodies.csv.</p>",
            list.len()
        );
    }
    out
}

fn effort(facts: &Facts, span: [f64; 2]) -> String {
    let mut plot = Plot::new("Work between rows", "", span).tall(180.0);
    plot.curve("steps", Kind::Line, 0, &facts.kept.whole.curve(1));
    plot.curve(facts.work, Kind::Line, 1, &facts.kept.whole.curve(2));
    if plot.is_empty() {
        return "<p>No rows were recorded.</p>".to_string();
    }
    let mut contacts = Plot::new("Contacts", "", span).tall(140.0);
    contacts.curve("contacts", Kind::Line, 2, &facts.kept.whole.curve(0));
    plot.figure("Counted by the stepper from one row to the next.") + &contacts.figure("Contacts that press, at rows.")
}

fn events(facts: &Facts) -> String {
    let kept = facts.kept;
    if kept.events.is_empty() {
        return "<p>No touchdown, release, stick or slip was located.</p>".to_string();
    }
    let name = |i: usize| escaped(&facts.model.bodies()[i].name);
    let rows: String = kept
        .events
        .iter()
        .take(LISTED)
        .map(|(t, a, b, what)| {
            format!("<tr><td>{}</td><th scope=\"row\">{}–{}</th><td>{what}</td></tr>", t, name(*a), name(*b))
        })
        .collect();
    let all = kept.events.len() as u64 + kept.more_events;
    let more = if all > LISTED as u64 {
        format!("<p class=\"soft\">The first {LISTED} of {all}; all are in events.csv.</p>")
    } else {
        String::new()
    };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Events\"><table><thead><tr><th scope=\"col\">t [s]</th><th scope=\"col\">pair A–B</th><th scope=\"col\">event</th></tr></thead><tbody>{rows}</tbody></table></div>{more}"
    )
}
