//! # Planar answers in words
//!
//! - **in**: an answered question
//! - **out**: lines for people
//! - **start at** [`details`] (one case) and [`row`] (one line of a table)

use super::Answered;
use super::follow::Instant;
use crate::cli::table::{aligned, short};
use fingerpad_planar::cspace::terms;
use fingerpad_planar::lcp::Picked;
use fingerpad_planar::paper::Agreement;
use fingerpad_planar::{Mode, Range, Rational, Reaction, Status};
use std::fmt::Write as _;

/// Share of the largest number of a path below which a number is rounding.
const ROUNDING: f64 = 1e-12;

/// Columns of [`row`].
pub const HEADER: [&str; 6] = ["id", "status", "contacts", "sets", "dim", "(ax, ay, alpha)"];

/// One line of a table.
pub fn row(label: String, solved: &Answered) -> Vec<String> {
    let answer = &solved.answer;
    let first = answer.sets.first().map_or(String::new(), |s| {
        let corners: Vec<String> = s.region.vertices.iter().take(2).map(triple).collect();
        let more = s.region.vertices.len() > 2 || !s.region.rays.is_empty() || answer.sets.len() > 1;
        format!("{}{}", corners.join(" … "), if more { " …" } else { "" })
    });
    vec![
        label,
        answer.status.name().to_string(),
        solved.question.case.contacts.len().to_string(),
        answer.sets.len().to_string(),
        answer.dim.map_or("-".to_string(), |d| d.to_string()),
        first,
    ]
}

fn triple(v: &[Rational; 3]) -> String {
    let numbers: Vec<String> = v.iter().map(|x| short(x.to_f64())).collect();
    format!("({})", numbers.join(", "))
}

/// Longest fraction that people read rather than skip.
const READABLE: usize = 24;

/// The numbers, and the fractions where these say more and are short.
fn both(v: &[Rational; 3]) -> String {
    let exact: Vec<String> = v.iter().map(ToString::to_string).collect();
    let fractions = exact.iter().any(|x| x.contains('/')) && exact.iter().all(|x| x.len() <= READABLE);
    if fractions { format!("{} = ({})", triple(v), exact.join(", ")) } else { triple(v) }
}

fn words(mode: &Mode) -> String {
    let one = |c: char| match c {
        '-' => "already leaves",
        'S' => "leaves",
        'F' => "sticks",
        'P' => "slides along +ts",
        _ => "slides along −ts",
    };
    let letters = mode.to_string();
    let each: Vec<String> = letters.chars().enumerate().map(|(k, c)| format!("{k} {}", one(c))).collect();
    if each.is_empty() { "no contacts".to_string() } else { format!("{letters} (contact {})", each.join(", ")) }
}

/// Everything about one case.
pub fn details(label: &str, solved: &Answered) -> String {
    let answer = &solved.answer;
    let mut text = format!("{label}: {}\n", answer.status.name());
    let meaning = match answer.status {
        Status::Unique => "exactly one acceleration obeys the laws of Newton and Coulomb",
        Status::Ambiguous => "several accelerations obey the laws of Newton and Coulomb",
        Status::Inconsistent => "no acceleration obeys the laws of Newton and Coulomb (Painlevé); an impulse must act",
        Status::InvalidImpact => "an impact comes first; accelerations are not asked for yet",
        Status::Unfinished => "the work limit was reached; there may be more accelerations than these",
    };
    let _ = writeln!(text, "  {meaning}");
    contacts(&mut text, solved);
    for approach in &answer.approaching {
        let _ = writeln!(text, "  contact {} closes at {} m/s", approach.contact, short(approach.speed.to_f64()));
    }
    for (k, set) in answer.sets.iter().enumerate() {
        if answer.status != Status::Unique {
            let (n, part) = (answer.components, set.component);
            let _ = writeln!(text, "  set {k} of dimension {} (component {part} of {n}):", set.region.dim);
        }
        for v in &set.region.vertices {
            let _ = writeln!(text, "  (ax, ay, alpha) = {}  [m/s², m/s², rad/s²]", both(v));
        }
        for (name, list) in [("any way along", set.region.rays_f64()), ("both ways along", set.region.lines_f64())] {
            for v in list {
                let _ = writeln!(text, "    and {name} ({}, {}, {})", short(v[0]), short(v[1]), short(v[2]));
            }
        }
        let _ = writeln!(text, "  mode {}", words(&set.kinematic_mode));
        if let Some(forces) = &solved.forces {
            forces[k].iter().for_each(|r| reaction(&mut text, r));
        }
    }
    if let Some(modes) = &solved.modes {
        let names: Vec<String> = modes.items.iter().map(|m| m.mode.to_string()).collect();
        let _ = writeln!(text, "  {} kinematic modes: {}", names.len(), names.join(" "));
    }
    if let Some(agreement) = &solved.paper {
        paper(&mut text, solved, agreement);
    }
    if let Some(picked) = &solved.picked {
        lcp(&mut text, picked.as_ref());
    }
    if let Some(path) = &solved.path {
        let numbers = |i: &Instant| [i.t].into_iter().chain(i.pose).chain(i.velocity);
        let largest = path.instants.iter().flat_map(numbers).fold(0.0, |a: f64, x| a.max(x.abs()));
        // What rounding left of nothing is told as nothing.
        let told = |x: f64| short(if x.abs() < ROUNDING * largest { 0.0 } else { x });
        let rows: Vec<Vec<String>> = path
            .instants
            .iter()
            .map(|i| numbers(i).map(told).chain([format!("{} {}", i.mode, i.event)]).collect())
            .collect();
        let header = ["t [s]", "x [m]", "y [m]", "turned [rad]", "vx [m/s]", "vy [m/s]", "omega [rad/s]", "mode"];
        text.push_str(&aligned(&header, &rows));
        let _ = writeln!(text, "stopped: {}", path.stopped);
    }
    text
}

/// What a simulator would have picked.
fn lcp(text: &mut String, picked: Option<&Picked>) {
    let Some(picked) = picked else {
        let _ = writeln!(text, "  no LCP: an impact, or a vertex on a vertex");
        return;
    };
    let rows = picked.rows;
    let _ = match picked.acceleration {
        Some([ax, ay, alpha]) => writeln!(
            text,
            "  as an LCP of {rows} rows, Lemke picks (ax, ay, alpha) = ({}, {}, {}), residual {:.1e}",
            short(ax),
            short(ay),
            short(alpha),
            picked.residual
        ),
        None => writeln!(text, "  as an LCP of {rows} rows it has no solution that Lemke finds ({:?})", picked.status),
    };
}

/// The paper's own way, step by step.
fn paper(text: &mut String, solved: &Answered, agreement: &Agreement) {
    let _ = writeln!(text, "  the paper's procedure, in (Fx, Fy, τ):");
    for (k, t) in terms(&solved.question.case).unwrap_or_default().iter().enumerate() {
        let [plus, minus] = [t.edge(1), t.edge(-1)];
        let (n, plus, minus) = (both(&t.normal), both(&plus), both(&minus));
        let _ = writeln!(text, "    contact {k}: normal {n}, cone edges {plus} and {minus}");
    }
    for piece in &agreement.pieces {
        let found = match &piece.ends {
            [Some(a), Some(b)] if a == b => both(a),
            [a, b] => {
                let end = |e: &Option<[Rational; 3]>| e.as_ref().map_or("∞".to_string(), both);
                format!("from {} to {}", end(a), end(b))
            }
        };
        let _ = writeln!(text, "    {}: {found}", piece.step);
    }
    let _ = match (agreement.holds(), agreement.gap, agreement.whole) {
        (false, ..) => writeln!(text, "    it DISAGREES with the complete answer"),
        (_, None, _) => writeln!(text, "    it claims to find all, and agrees with the complete answer"),
        (_, Some(gap), true) => writeln!(text, "    it found all, though it does not claim to: {}", gap.words()),
        (_, Some(gap), false) => writeln!(text, "    it misses some, and does not claim to find all: {}", gap.words()),
    };
}

fn contacts(text: &mut String, solved: &Answered) {
    for (k, (c, p)) in solved.question.case.contacts.iter().zip(&solved.question.places.points).enumerate() {
        let [nx, ny] = c.normal.each_ref().map(|x| short(x.to_f64()));
        let [x, y] = p.map(short);
        let (kind, mu) = (c.kind.code(), short(c.mu.to_f64()));
        let _ = writeln!(text, "  contact {k}: {kind} at ({x}, {y}) m, normal ({nx}, {ny}), mu {mu}");
    }
}

fn reaction(text: &mut String, r: &Reaction) {
    let end = |x: &Option<Rational>, none: &str| x.as_ref().map_or(none.to_string(), |x| short(x.to_f64()));
    let range = |r: &Range| {
        let (lo, hi) = (end(&r.least, "−∞"), end(&r.most, "∞"));
        if lo == hi { lo } else { format!("{lo} to {hi}") }
    };
    let _ = writeln!(text, "  forces at {} (indeterminate in {} ways):", triple(&r.acceleration), r.indeterminacy);
    for (k, (n, t)) in r.normal_ranges.iter().zip(&r.friction_ranges).enumerate() {
        let _ = writeln!(text, "    contact {k}: normal {} N, friction along +ts {} N", range(n), range(t));
    }
}
