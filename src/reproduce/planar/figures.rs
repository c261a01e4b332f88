//! # Paper D's figures 3 to 6, drawn again from computed numbers
//!
//! - **out**: the two types of contact, the cone of one contact in both spaces, the three-point example with its principal
//!   motions, the composite cone
//! - **outside opinion**: differences of true gaps in time (Fig. 3), the formulas as printed (Fig. 4), motions by hand
//!   (Fig. 5), the paper's words on where the middle cone lies (Fig. 6)

use super::{answered, three_point};
use crate::planar::{Answered, picture};
use crate::reproduce::{Figure, Finding, Quantity, Verdict};
use fingerpad_planar::cspace::terms;
use fingerpad_planar::{Rational, strict_modes};
use serde_json::{Value, json};

type V3 = [Rational; 3];

fn q(n: i64, d: i64) -> Rational {
    Rational::new(n, d).unwrap_or(Rational::ZERO)
}

/// One contact at the origin, the centre of mass 1 m above and ½ m to the left, as a part for drawings.
fn one_contact(kind: &str) -> Value {
    let (body, obstacle) = match kind {
        "VE" => (json!([[0, 0], [0.8, 1.6], [-1.8, 1.4]]), json!([[-2, -0.6], [2, -0.6], [2, 0], [-2, 0]])),
        _ => (json!([[-2, 0], [1, 0], [0.5, 1.5], [-1.5, 1.5]]), json!([[0, 0], [-1.2, -0.8], [1.2, -0.8]])),
    };
    json!({"m": 1, "rho2": 1, "F": [0, -1, 0], "centre_of_mass": ["-1/2", 1],
        "contacts": [{"n": [0, 1], "r": ["-1/2", 1], "mu": "1/4", "kind": kind}],
        "body": {"polygon": body}, "obstacles": [{"polygon": obstacle}]})
}

/// The gap after a time t of uniform motion, by geometry: height of the body's vertex over the floor, or of the body's
/// edge over the obstacle's vertex.
fn true_gap(kind: &str, v: [f64; 3], t: f64) -> f64 {
    let (sin, cos) = (v[2] * t).sin_cos();
    let com = [-0.5 + v[0] * t, 1.0 + v[1] * t];
    // The body's point that touched, now, and its edge's normal, now.
    let arm = [0.5, -1.0];
    let point = [com[0] + cos * arm[0] - sin * arm[1], com[1] + sin * arm[0] + cos * arm[1]];
    match kind {
        "VE" => point[1],
        // Normal of the body's edge (−sin, cos); from the obstacle's vertex, the origin, to the edge.
        _ => -sin * point[0] + cos * point[1],
    }
}

pub(super) fn two_types() -> Result<Finding, String> {
    // The gap's rate vanishes: vy + ω/2 = 0.
    let v = [1.5, -0.5, 1.0];
    let (mut worst, mut shown, mut normals) = (0.0f64, Vec::new(), Vec::new());
    for kind in ["VE", "EV"] {
        let solved = answered(&one_contact(kind))?;
        let mut moving = solved.question.case.clone();
        moving.velocity = [q(3, 2), q(-1, 2), q(1, 1)];
        let t = terms(&moving).map_err(|e| e.to_string())?.remove(0);
        // Second difference of the true gap: error of order h² and of rounding over h².
        let h = 1e-4;
        let second = (true_gap(kind, v, h) - 2.0 * true_gap(kind, v, 0.0) + true_gap(kind, v, -h)) / (h * h);
        worst = crate::reproduce::worse(worst, second - t.gap_bias.to_f64());
        normals.push((t.normal.clone(), t.friction.clone()));
        let name = if kind == "VE" { "Type B: a vertex on an edge" } else { "Type A: an edge on a vertex" };
        shown.push(Figure {
            svg: picture::part_svg(name, &solved),
            caption: format!("{name}. Gap acceleration while turning: h = {} m/s².", t.gap_bias),
            file: None,
        });
    }
    let same = normals[0] == normals[1];
    Ok(Finding {
        theirs: Quantity::Text("same vectors n, r, ts"),
        ours: Quantity::Number(worst),
        unit: "m/s², h against differences of the true gap",
        tolerance: Some(1e-6),
        verdict: Verdict::Agrees.or_fails(same && worst < 1e-6),
        note: "Both contacts have n = (0, 1) and r = (−1/2, 1), so their configuration-space normals and friction vectors are \
               equal. How these change differs: with v = (3/2, −1/2) and ω = 1 the gaps accelerate by different h, each \
               compared with the second difference of the gap between the moving shapes."
            .to_string(),
        figures: shown,
    })
}

pub(super) fn one_cone() -> Result<Finding, String> {
    let solved = answered(&one_contact("VE"))?;
    let t = terms(&solved.question.case).map_err(|e| e.to_string())?.remove(0);
    // (1) and (2) as printed, ρ = 1: Δn = (nx, ny, nq), v_f = (ny, −nx, vq), nq = nx ry − ny rx, vq = nx rx + ny ry.
    let (n_q, v_q, mu) = (q(1, 2), q(1, 1), q(1, 4));
    let printed: [V3; 2] = [1, -1].map(|s| {
        let f = &mu * &Rational::from(s);
        [f.clone(), q(1, 1), &n_q + &(&f * &v_q)]
    });
    let right = [t.edge(1), t.edge(-1)].iter().zip(&printed).filter(|(a, b)| a == b).count();
    let caption = "Left: the contact with its cone in the plane. Right: the same cone in (Fx, Fy, τ/ρ), a flat sheet.";
    Ok(Finding {
        theirs: Quantity::Number(2.0),
        ours: Quantity::Number(right as f64),
        unit: "edges equal as fractions",
        tolerance: Some(0.0),
        verdict: Verdict::Agrees.or_fails(right == 2),
        note: "n = (0, 1), r = (−1/2, 1), μ = 1/4, ρ = 1: n_q = 1/2 and v_q = 1, so the edges are (1/4, 1, 3/4) and \
               (−1/4, 1, 1/4)."
            .to_string(),
        figures: vec![Figure { svg: picture::svg("one contact", &solved), caption: caption.into(), file: None }],
    })
}

pub(super) fn principal_motions() -> Result<Finding, String> {
    // Sliding to the right and to the left, turning about either outer point, each the only motion.
    let pushes: [([i64; 3], &str, &str); 4] = [
        ([1, -1, 0], "PPP", "sliding"),
        ([-1, -1, 0], "NNN", "sliding back"),
        ([0, -1, 3], "PSS", "turning about the left point"),
        ([0, -1, -3], "SNS", "turning about the right point"),
    ];
    let (mut right, mut figures) = (0, Vec::new());
    for (force, mode, name) in pushes {
        let solved = three_point(force)?;
        let found: Vec<String> = solved.answer.sets.iter().map(|s| s.kinematic_mode.to_string()).collect();
        right += usize::from(found == [mode]);
        figures.push(Figure {
            svg: picture::part_svg(name, &solved),
            caption: format!("F = ({}, {}, {}): {name}, mode {}.", force[0], force[1], force[2], found.join(", ")),
            file: None,
        });
    }
    let example = three_point([0, -1, 0])?;
    let listed = strict_modes(&example.question.case, &Default::default()).map_err(|e| e.to_string())?;
    Ok(Finding {
        theirs: Quantity::Number(4.0),
        ours: Quantity::Number(right as f64),
        unit: "motions by hand",
        tolerance: Some(0.0),
        verdict: Verdict::Agrees.or_fails(right == 4 && listed.items.len() == 10),
        note: format!(
            "Contacts at (∓1, −1) and (0, −1) from the centre of mass, ρ = 1, μ = 1/4. {} strict kinematic modes of 64: the \
             middle point can only hold together with both outer ones.",
            listed.items.len()
        ),
        figures,
    })
}

/// Whether `v` lies in the plane of `a` and `b`, between them.
fn between(v: &V3, a: &V3, b: &V3) -> bool {
    let det = |p: &V3, q: &V3, r: &V3| -> Rational {
        (0..3)
            .map(|i| {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                &p[i] * &(&(&q[j] * &r[k]) - &(&q[k] * &r[j]))
            })
            .sum()
    };
    // v = (a + b)/2 for this example; the determinant says that the three lie in one plane.
    let half: V3 = std::array::from_fn(|i| &(&a[i] + &b[i]) / &Rational::from(2));
    det(v, a, b).is_zero() && *v == half
}

pub(super) fn composite_cone() -> Result<Finding, String> {
    let example: Answered = three_point([0, -1, 3])?;
    let all = terms(&example.question.case).map_err(|e| e.to_string())?;
    let right = [1, -1].iter().filter(|&&s| between(&all[2].edge(s), &all[0].edge(s), &all[1].edge(s))).count();
    let caption = "Sheets: the cones of the three contacts. Dashed: sides of the composite cone, at one height Fy.";
    Ok(Finding {
        theirs: Quantity::Number(2.0),
        ours: Quantity::Number(right as f64),
        unit: "edges of the middle cone in the sides",
        tolerance: Some(0.0),
        verdict: Verdict::Agrees.or_fails(right == 2),
        note: "The edges of the middle cone, (±1/4, 1, ±1/4), are the means of those of the outer cones, so they lie in the \
               planes that these span, as the paper says."
            .to_string(),
        figures: vec![Figure { svg: picture::cone_svg("composite cone", &example), caption: caption.into(), file: None }],
    })
}
