//! # Paper D: one planar body, several frictional contacts
//!
//! - **out**: the three-point example in fractions; places where the text gives too much or too little; where the
//!   sliding rod has one, several or no motions
//! - **outside opinion**: the printed edges, motions worked out by hand, the closed form of the rod's window

mod figures;

use super::{Experiment, Figure, Finding, PAPER_D, Quantity, Verdict};
use crate::planar::record::{Wanted, question, solved};
use crate::planar::{Answered, picture, ready};
use fingerpad_planar::cspace::terms;
use fingerpad_planar::{Case, Contact, Kind, Options, Rational, Status, paper, solve};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[
    Experiment {
        name: "two-types-of-contact",
        paper: PAPER_D,
        figure: "Fig. 3",
        statement: "a vertex on an edge and an edge on a vertex have the same vectors now, and other ones later",
        compute: figures::two_types,
    },
    Experiment {
        name: "cone-in-both-spaces",
        paper: PAPER_D,
        figure: "Fig. 4",
        statement: "the cone of one contact is a flat sheet in (Fx, Fy, τ/ρ), with edges Δn ± μ v_f",
        compute: figures::one_cone,
    },
    Experiment {
        name: "three-point-contact",
        paper: PAPER_D,
        figure: "Fig. 5",
        statement: "the part can slide on all three points or turn about an outer one",
        compute: figures::principal_motions,
    },
    Experiment {
        name: "composite-cone",
        paper: PAPER_D,
        figure: "Fig. 6",
        statement: "the composite cone lies between the outer cones, and holds the middle one in its sides",
        compute: figures::composite_cone,
    },
    Experiment {
        name: "three-point-edges",
        paper: PAPER_D,
        figure: "§5.2",
        statement: "the six cone edges of three points on a floor, ρ = 1, μ = 1/4",
        compute: three_point_edges,
    },
    Experiment {
        name: "three-point-motions",
        paper: PAPER_D,
        figure: "§5.3",
        statement: "a force slides the part, a torque turns it about one contact",
        compute: three_point_motions,
    },
    Experiment {
        name: "zero-net-force",
        paper: PAPER_D,
        figure: "§5.4.3",
        statement: "the reaction cancels the applied force wherever that lies in the friction cone",
        compute: zero_net_force,
    },
    Experiment {
        name: "peg-between-walls",
        paper: PAPER_D,
        figure: "§5.4.5",
        statement: "parallel normals add no motions to those without reaction and without net force",
        compute: peg_between_walls,
    },
    Experiment {
        name: "projection-algorithm",
        paper: PAPER_D,
        figure: "§5.3, §5.5, Table 1",
        statement: "projecting the force onto the composite cone gives every motion of the three-point part, one at small friction",
        compute: projection_algorithm,
    },
    Experiment {
        name: "painleve-map",
        paper: PAPER_D,
        figure: "§5.3",
        statement: "indeterminacies arise even for some single-point contacts: the sliding rod",
        compute: painleve_map,
    },
];

fn answered(record: &Value) -> Result<Answered, String> {
    question(record).and_then(|q| solved(q, Wanted::default())).map_err(|e| e.to_string())
}

fn three_point(force: [i64; 3]) -> Result<Answered, String> {
    let mut record = ready::named("three-point").ok_or("the case is gone")?;
    record["F"] = json!(force);
    answered(&record)
}

/// A vector as fractions.
fn shown(v: &[Rational; 3]) -> [String; 3] {
    v.each_ref().map(ToString::to_string)
}

fn three_point_edges() -> Result<Finding, String> {
    let example = three_point([0, -1, 3])?;
    let edges = terms(&example.question.case).map_err(|e| e.to_string())?;
    let ours: Vec<[String; 3]> = edges.iter().flat_map(|t| [t.edge(1), t.edge(-1)]).map(|e| shown(&e)).collect();
    // (μ, 1, (μ − 1)/ρ), (−μ, 1, −(μ + 1)/ρ); (μ, 1, (μ + 1)/ρ), (−μ, 1, −(μ − 1)/ρ); (±μ, 1, ±μ/ρ)
    let printed = [
        ["1/4", "1", "-3/4"],
        ["-1/4", "1", "-5/4"],
        ["1/4", "1", "5/4"],
        ["-1/4", "1", "3/4"],
        ["1/4", "1", "1/4"],
        ["-1/4", "1", "-1/4"],
    ];
    let missed = ours.iter().zip(&printed).filter(|(o, p)| o.iter().ne(p.iter())).count() + 6 - ours.len().min(6);
    let caption = "The part pushed with F = (0, −1, 3), and its cone edges: the pivot, contact 0, slips.".to_string();
    Ok(Finding {
        theirs: Quantity::Number(6.0),
        ours: Quantity::Number(6.0 - missed as f64),
        unit: "edges equal as fractions",
        tolerance: Some(0.0),
        verdict: Verdict::Agrees.or_fails(missed == 0),
        note:
            "Contacts at (−1, −1), (1, −1) and (0, −1) from the centre of mass; edges N ± μT of each, compared exactly \
               with the paper's formulas at μ = 1/4."
                .to_string(),
        figures: vec![Figure { svg: picture::svg("three-point", &example), caption, file: None }],
    })
}

fn three_point_motions() -> Result<Finding, String> {
    let expected = [
        ([1, 0, 0], ["1", "0", "0"]),
        ([1, -1, 0], ["3/4", "0", "0"]),
        ([0, -1, 3], ["-4/9", "7/9", "7/9"]),
        ([0, -1, 0], ["0", "0", "0"]),
    ];
    let mut right = 0;
    for (force, a) in expected {
        let got = three_point(force)?.answer;
        let corners: Vec<[String; 3]> = got.sets.iter().flat_map(|s| &s.region.vertices).map(shown).collect();
        if got.status == Status::Unique && corners == [a.map(String::from)] {
            right += 1;
        }
    }
    Ok(Finding {
        theirs: Quantity::Number(4.0),
        ours: Quantity::Number(f64::from(right)),
        unit: "motions equal as fractions",
        tolerance: Some(0.0),
        verdict: Verdict::Extends.or_fails(right == 4),
        note: "F = (1, 0, 0) gives a = (1, 0, 0); (1, −1, 0) gives (3/4, 0, 0); (0, −1, 3) gives (−4/9, 7/9, 7/9); \
               (0, −1, 0) rests; each the only motion. The torque does turn the part about one contact, but at μ = 1/4 \
               that contact slips: it is no fixed pivot."
            .to_string(),
        figures: Vec::new(),
    })
}

/// Pushes on the three-point part: F = (x/20, −1, t/20), at rest and sliding at 1 m/s.
const PUSHES: std::ops::RangeInclusive<i64> = -30..=30;

fn projection_algorithm() -> Result<Finding, String> {
    let (mut cases, mut agree, mut several, mut wrong) = (0, 0, 0, 0);
    let mut cells = Vec::new();
    for speed in [0, 1] {
        for x in PUSHES {
            for t in PUSHES {
                let mut record = ready::named("three-point").ok_or("the case is gone")?;
                record["F"] = json!([format!("{x}/20"), -1, format!("{t}/20")]);
                record["vel"] = json!([speed, 0, 0]);
                let Answered { question, answer, .. } = answered(&record)?;
                let agreement =
                    paper::compare(&question.case, &answer, &Options::default()).map_err(|e| e.to_string())?;
                cases += 1;
                agree += usize::from(agreement.holds() && agreement.whole && agreement.gap.is_none());
                several += usize::from(answer.status != Status::Unique);
                if speed == 0 {
                    let at_rest =
                        answer.sets.iter().flat_map(|s| &s.region.vertices).all(|a| a.iter().all(Rational::is_zero));
                    // −F in the composite cone, whose section at Fy = 1 is |fx| ≤ μ, |τ − fx| ≤ 1: μ = 1/4, all over 20.
                    let held = x.abs() <= 5 && (t - x).abs() <= 20;
                    wrong += usize::from(at_rest != held);
                    cells.push((x, t, at_rest, answer.sets.len()));
                }
            }
        }
    }
    let holds = agree == cases && several == 0 && wrong == 0;
    Ok(Finding {
        theirs: Quantity::Number(cases as f64),
        ours: Quantity::Number(agree as f64),
        unit: "forces for which the paper's steps give the whole answer",
        tolerance: Some(0.0),
        verdict: Verdict::Agrees.or_fails(holds),
        note: format!(
            "F = (x, −1, τ) with x and τ from −1.5 to 1.5, μ = 1/4, ρ = 1, at rest and sliding at 1 m/s: {cases} cases. The steps of \
             §5.4.2 with the projection of §5.5 and Table 1 (sign and prime of §5.5.3 and §5.4.7 corrected) find what the complete \
             solver finds, {several} of them more than one motion. The part rests where |x| ≤ μ and |τ − x| ≤ 1, the section of \
             the composite cone, with {wrong} exceptions."
        ),
        figures: vec![Figure {
            svg: pushed(&cells),
            caption: "Forces on the three-point part at rest. Dark: the reaction cancels them, a section of Fig. 6's composite cone; \
                      light: the part moves, in one way."
                .to_string(),
            file: None,
        }],
    })
}

/// The plane of forces (x, τ), a cell for each.
fn pushed(cells: &[(i64, i64, bool, usize)]) -> String {
    const CELL: i64 = 6;
    let side = (PUSHES.end() - PUSHES.start() + 1) * CELL;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">\n\
         <style>text{{font:13px system-ui,sans-serif;fill:#5b6472}}</style>\n",
        side + 70,
        side + 50
    );
    for (x, t, rests, sets) in cells {
        let colour = match (rests, sets) {
            (true, _) => "#0072b2",
            (false, 1) => "#d9dde3",
            _ => "#d55e00",
        };
        let (left, top) = (50 + (x - PUSHES.start()) * CELL, 10 + (PUSHES.end() - t) * CELL);
        let _ = write!(svg, "<rect x=\"{left}\" y=\"{top}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{colour}\"/>");
    }
    for (mark, at) in [("−1", -20), ("0", 0), ("1", 20)] {
        let (x, y) = (50 + (at - PUSHES.start()) * CELL + CELL / 2, 10 + (PUSHES.end() - at) * CELL + CELL);
        let _ = writeln!(svg, "\n<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{mark}</text>", side + 26);
        let _ = writeln!(svg, "<text x=\"44\" y=\"{y}\" text-anchor=\"end\">{mark}</text>");
    }
    let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">x</text>", 50 + side / 2, side + 44);
    let _ = writeln!(svg, "<text x=\"8\" y=\"{}\">τ</text>", 14 + side / 2);
    svg.push_str("</svg>\n");
    svg
}

fn zero_net_force() -> Result<Finding, String> {
    let record = json!({"m": 1, "rho2": 1, "F": [0, -1, 1], "vel": [0, 1, 1],
        "contacts": [{"n": [0, 1], "r": [1, 0], "mu": "1/2", "kind": "VE"}]});
    let answer = answered(&record)?.answer;
    let corners: Vec<[String; 3]> = answer.sets.iter().flat_map(|s| &s.region.vertices).map(shown).collect();
    let holds = answer.status == Status::Unique && corners == [["-1/2", "0", "0"].map(String::from)];
    Ok(Finding {
        theirs: Quantity::Text("a = (0, 0, 0)"),
        ours: Quantity::Text(if holds { "a = (−1/2, 0, 0), the only one" } else { "another motion" }),
        unit: "m/s²",
        tolerance: Some(0.0),
        verdict: Verdict::Corrects.or_fails(holds),
        note: "m = ρ = 1, n = (0, 1), r = (1, 0), μ = 1/2, v = (0, 1), ω = 1, F = (0, −1, 1). −F lies in the cone, so the \
               text accepts a = 0; but the part turns, its contact point then accelerates along the floor at 1 m/s² and \
               slips, so that only one edge of the cone is allowed."
            .to_string(),
        figures: Vec::new(),
    })
}

fn peg_between_walls() -> Result<Finding, String> {
    let peg = answered(&ready::named("peg-between-walls").ok_or("the case is gone")?)?;
    let ends: Vec<[String; 3]> = peg.answer.sets.iter().flat_map(|s| &s.region.vertices).map(shown).collect();
    let segment =
        peg.answer.dim == Some(1) && ends == [["0", "-10", "0"], ["0", "0", "0"]].map(|e| e.map(String::from));
    let pieces = paper::procedure(&peg.question.case, &Options::default()).map_err(|e| e.to_string())?;
    let points = pieces.unwrap_or_default();
    let only_points = !points.is_empty() && points.iter().all(|p| p.ends[0] == p.ends[1] && p.ends[0].is_some());
    let caption =
        "Arrows at both ends of the set (a ring is no acceleration); everything between is possible.".to_string();
    Ok(Finding {
        theirs: Quantity::Text("a_y = −10 or 0"),
        ours: Quantity::Text(if segment { "any a_y from −10 to 0" } else { "another set" }),
        unit: "m/s²",
        tolerance: Some(0.0),
        verdict: Verdict::Corrects.or_fails(segment && only_points),
        note: "A peg between two walls at equal height, μ = 1/2, g = 10. How hard the walls squeeze is not determined, so \
               friction may carry any part of the weight. The paper's steps, run as printed, give the two ends only."
            .to_string(),
        figures: vec![Figure { svg: picture::svg("peg-between-walls", &peg), caption, file: None }],
    })
}

/// A uniform rod at slope t = tan θ, its lower end sliding at 1 m/s so that friction turns it down, turning at `omega`.
/// Half length √(1 + t²) and g = 1, so that all is rational.
fn rod(t: &Rational, mu: &Rational, omega: i64) -> Case {
    let w = Rational::from(omega);
    let one = Rational::ONE;
    Case {
        mass: Rational::ONE,
        gyration_sq: &(&one + &(t * t)) / &Rational::from(3),
        force: [Rational::ZERO, Rational::from(-1), Rational::ZERO],
        // The end stays on the floor (vy = ω) and slips at −1 (vx = −1 − tω).
        velocity: [&Rational::from(-1) - &(t * &w), w.clone(), w],
        contacts: vec![Contact {
            normal: [Rational::ZERO, Rational::ONE],
            to_com: [Rational::ONE, t.clone()],
            mu: mu.clone(),
            kind: Kind::VertexOnEdge,
        }],
    }
}

/// A speed of turning (rad/s) at which ω² t exceeds g = 1 at every angle of the map: the end would lift off by itself.
const SPIN: i64 = 4;
const ANGLES: std::ops::RangeInclusive<i64> = 3..=42; // times 2°
const FRICTIONS: std::ops::RangeInclusive<i64> = 0..=40; // tenths

fn painleve_map() -> Result<Finding, String> {
    let (mut wrong, mut cells) = (0, 0);
    let mut maps = Vec::new();
    for (omega, odd) in [(0, Status::Inconsistent), (SPIN, Status::Ambiguous)] {
        let mut map = Vec::new();
        for i in ANGLES {
            let slope = (2.0 * i as f64).to_radians().tan();
            let t = Rational::new((slope * 1e4).round() as i64, 10_000).ok_or("no slope")?;
            for j in FRICTIONS {
                let mu = Rational::new(j, 10).ok_or("no friction")?;
                let got = solve(&rod(&t, &mu, omega), &Options::default()).map_err(|e| e.to_string())?.status;
                // tan²θ − 3μ tan θ + 4 < 0
                let (t, mu) = (t.to_f64(), mu.to_f64());
                let inside = t * t - 3.0 * mu * t + 4.0 < 0.0;
                let expected = if inside { odd } else { Status::Unique };
                wrong += usize::from(got != expected);
                cells += 1;
                map.push((i, j, got));
            }
        }
        maps.push(map);
    }
    let caption =
        "Left: the rod does not turn; right: it turns so fast that its end would lift off by itself. Light: one \
                   motion; orange: none; blue: several. The line is tan²θ − 3μ tan θ + 4 = 0."
            .to_string();
    Ok(Finding {
        theirs: Quantity::Text("such contacts exist"),
        ours: Quantity::Number(wrong as f64),
        unit: "cells against the closed form",
        tolerance: Some(0.0),
        verdict: Verdict::Extends.or_fails(wrong == 0),
        note: format!(
            "A uniform rod at angle θ from the floor, sliding so that friction turns its end down, over θ from 6° to 84° \
             and μ from 0 to 4: {cells} cases. The window is tan²θ − 3μ tan θ + 4 < 0 and needs μ > 4/3; inside it there \
             is no motion while the end would press on the floor, and there are several when it would lift off."
        ),
        figures: vec![Figure { svg: drawn(&maps), caption, file: None }],
    })
}

fn drawn(maps: &[Vec<(i64, i64, Status)>]) -> String {
    let (w, h, left, top) = (8.0, 7.0, 50.0, 16.0);
    let (columns, rows) = (ANGLES.count() as f64, FRICTIONS.count() as f64);
    let step = columns * w + left + 16.0;
    let (width, height) = (2.0 * step, top + rows * h + 50.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\">\n<style>text{{font:13px system-ui,sans-serif;fill:#5b6472}}</style>\n"
    );
    for (k, map) in maps.iter().enumerate() {
        let x0 = left + k as f64 * step;
        let x = |degrees: f64| x0 + (degrees / 2.0 - *ANGLES.start() as f64 + 0.5) * w;
        let y = |mu: f64| top + (rows - 0.5 - 10.0 * mu) * h;
        for (i, j, status) in map {
            let colour = match status {
                Status::Inconsistent => "#d55e00",
                Status::Ambiguous => "#0072b2",
                _ => "#d9dde3",
            };
            let (cx, cy) = (x(2.0 * *i as f64) - 0.5 * w, y(*j as f64 / 10.0) - 0.5 * h);
            let _ = write!(svg, "<rect x=\"{cx:.1}\" y=\"{cy:.1}\" width=\"{w}\" height=\"{h}\" fill=\"{colour}\"/>");
        }
        let edge: Vec<String> = (60..=840)
            .map(|d| f64::from(d) / 10.0)
            .map(|d| (d, d.to_radians().tan()))
            .map(|(d, t)| (d, (t * t + 4.0) / (3.0 * t)))
            .filter(|(_, mu)| *mu <= 4.0)
            .map(|(d, mu)| format!("{:.1},{:.1}", x(d), y(mu)))
            .collect();
        let _ = writeln!(
            svg,
            "\n<polyline points=\"{}\" fill=\"none\" stroke=\"#1d2430\" stroke-width=\"1.5\"/>",
            edge.join(" ")
        );
        let bottom = top + rows * h;
        for degrees in [20.0, 40.0, 60.0, 80.0] {
            let at = x(degrees);
            let _ =
                writeln!(svg, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{degrees}°</text>", bottom + 18.0);
        }
        for mu in [0.0, 1.0, 2.0, 3.0, 4.0] {
            let at = y(mu) + 4.5;
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{at:.1}\" text-anchor=\"end\">{mu}</text>", x0 - 6.0);
        }
        let middle = x0 + 0.5 * columns * w;
        let _ = writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">angle θ</text>", bottom + 38.0);
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">μ</text>", x0 - 40.0, top + 0.5 * rows * h);
    }
    svg.push_str("</svg>\n");
    svg
}
