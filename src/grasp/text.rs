//! # Grasps in words: a paragraph and a table for one, a row each for many
//!
//! - **in**: questions with their answers
//! - **out**: text for a terminal
//! - **start at** [`one`] and [`row`]

use super::answer::{Answered, direction_name, graspit_words, unresisted};
use super::read::Question;
use crate::cli::table::{aligned, short};
use fingerpad_grasp::{GripError, Push, Screw};

fn pushed(push: &Push) -> String {
    match push {
        Push::UpTo { value, .. } => short(*value),
        Push::Unlimited => "no end".to_string(),
        Push::None(_) => "not held".to_string(),
        Push::NotFound => "not found".to_string(),
    }
}

/// One grasp: what it is, what it needs, contact by contact.
pub fn one(name: &str, question: &Question, answered: &Answered) -> String {
    let grasp = &question.grasp;
    let mut text = String::new();
    let mut line = |words: String| text.push_str(&(words + "\n"));
    match (&answered.closure.proof, answered.closure.margin) {
        (None, Some(margin)) => line(format!("{name}: force closure, margin {} of the grip", short(margin))),
        (Some(twist), margin) => {
            let screw = unresisted(twist, grasp).words(grasp.torque_length);
            line(format!("{name}: not closed: nothing resists {screw}"));
            let why = match margin {
                None => "balanced loads that press do not exist".to_string(),
                Some(_) if answered.closure.rank < 6 => {
                    format!("contacts reach {} of 6 directions", answered.closure.rank)
                }
                Some(margin) => {
                    format!("loads that balance leave the friction cones by {} of their sum", short(-margin))
                }
            };
            line(format!("           {why}"));
        }
        (None, None) => line(format!("{name}: not decided")),
    }
    if let Some([max, sum, _]) = &answered.grips {
        match max {
            Ok(grip) => {
                let hardest =
                    (0..grip.loads.len()).fold(0, |a, b| if grip.loads[b][0] > grip.loads[a][0] { b } else { a });
                let sum = sum.as_ref().map_or("-".to_string(), |g| short(g.value));
                let frozen = match answered.at_default.flatten() {
                    Some(grip) => format!("; patches frozen at 60 N would say {} N", short(grip)),
                    None => String::new(),
                };
                line(format!(
                    "grip       least {} N (contact {}), certified ≥ {} N; sum {sum} N{frozen}",
                    short(grip.value),
                    question.names[hardest],
                    short(grip.at_least)
                ));
                if let Some(all) = answered.by_finger(question) {
                    let parts: Vec<String> = all.iter().map(|(name, sum)| format!("{name} {}", short(*sum))).collect();
                    line(format!("by finger  {} N, with the loads below", parts.join(", ")));
                }
            }
            Err(GripError::Impossible(twist)) => {
                let why = match twist {
                    Some(twist) => {
                        let screw = Screw::of(&-twist, &grasp.reference, grasp.torque_length);
                        format!("it drives {}, which nothing resists", screw.words(grasp.torque_length))
                    }
                    None => "limits are too low, or cones too narrow".to_string(),
                };
                line(format!("grip       the wrench is not held: {why}"));
            }
            Err(GripError::NotFound) => line("grip       neither loads nor a proof that there are none".to_string()),
        }
    }
    let mut parts = Vec::new();
    for (e, name) in answered.epsilon.iter().zip(["L1", "L∞"]) {
        if let Some(e) = e {
            parts.push(format!("{name} {} (≥ {})", short(e.value), short(e.at_least)));
        }
    }
    if !parts.is_empty() {
        let weakest = answered.epsilon.iter().flatten().next().map(|e| {
            let screw = Screw::of(&e.twist(grasp), &grasp.reference, grasp.torque_length);
            format!("; weakest: {}", screw.words(grasp.torque_length))
        });
        let length = short(1e3 * grasp.torque_length);
        line(format!("epsilon    {}, torque length {length} mm{}", parts.join(", "), weakest.unwrap_or_default()));
    }
    if let Some(frozen) = &answered.frozen {
        let grip = frozen.grip.map_or(String::new(), |g| format!(", grip {} N", short(g)));
        let closed = if frozen.closed { "closed" } else { "not closed" };
        let [l1, linf] = frozen.epsilon.map(short);
        line(format!("frozen     {closed}{grip}, epsilon L1 {l1}, L∞ {linf} (patches {})", frozen.at.words()));
    }
    if let Some(all) = &answered.graspit {
        let part = |(e, name): (&Option<_>, &str)| {
            format!("{name} {}", e.as_ref().map_or("none".to_string(), |e: &fingerpad_grasp::Epsilon| short(e.value)))
        };
        let values: Vec<String> = all.iter().zip(["L1", "L∞"]).map(part).collect();
        line(format!("GraspIt!   {} ({})", values.join(", "), graspit_words()));
    }
    for (v, name) in answered.volume.iter().zip(["L1", "L∞"]) {
        if let Some(v) = v {
            line(format!("volume     {name} {} to {} N⁶", short(v.at_least), short(v.at_most)));
        }
    }
    if let Some(loads) = answered.loads() {
        let torques = question.hand.as_ref().map(|h| (h, h.torques(loads)));
        let row = |(k, load): (usize, &[f64; 4])| {
            let c = &grasp.contacts[k];
            vec![
                question.names[k].clone(),
                short(load[0]),
                short(1e3 * c.patch.e_n(load[0])),
                short(load[1].hypot(load[2])),
                short(1e3 * load[3]),
                format!("{:.0} %", 100.0 * c.used(load)),
            ]
        };
        let rows: Vec<Vec<String>> = loads.iter().enumerate().map(row).collect();
        line(String::new());
        text.push_str(&aligned(&["contact", "P [N]", "e_n [mm]", "|f| [N]", "tau [N·mm]", "used"], &rows));
        if let Some((hand, torques)) = torques {
            let share = |j: usize| torques[j].abs() / hand.torque_limits[j].max(1e-300);
            if let Some(j) = (0..torques.len()).max_by(|a, b| share(*a).total_cmp(&share(*b))) {
                text.push_str(&format!(
                    "joint {j} is nearest its limit: {} of {} N·m\n",
                    short(torques[j]),
                    short(hand.torque_limits[j])
                ));
            }
        }
    }
    if !answered.pushes.is_empty() {
        let passive = |k: usize| answered.passive.as_ref().and_then(|all| all[k]);
        let row = |k: usize| {
            vec![
                direction_name(&question.directions[k]),
                pushed(&answered.pushes[k]),
                passive(k).map_or("-".to_string(), |p| short(p.first_slip)),
                passive(k).map_or("-".to_string(), |p| p.lost.map_or("no end".to_string(), short)),
            ]
        };
        let rows: Vec<Vec<String>> = (0..answered.pushes.len()).map(row).collect();
        text.push('\n');
        let header = ["push [N, N·m]", "active", "passive: slips at", "lost at"];
        match answered.passive {
            Some(_) => text.push_str(&aligned(&header, &rows)),
            None => {
                let rows: Vec<Vec<String>> = rows.into_iter().map(|r| r[..2].to_vec()).collect();
                text.push_str(&aligned(&header[..2], &rows));
            }
        }
    }
    if !answered.task.is_empty() {
        let all: Vec<String> = answered.task.iter().map(pushed).collect();
        text.push_str(&format!("task       scales {}\n", all.join(", ")));
    }
    for warning in &answered.warnings {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text
}

/// Columns of [`row`].
pub const HEADER: [&str; 8] =
    ["id", "contacts", "closed", "margin", "epsilon L1", "epsilon L∞", "least grip [N]", "unresisted motion"];

/// One grasp among many.
pub fn row(name: &str, question: &Question, answered: &Answered) -> Vec<String> {
    let grasp = &question.grasp;
    let number = |x: Option<f64>| x.map_or("-".to_string(), short);
    let grip = answered.grips.as_ref().and_then(|g| g[0].as_ref().ok()).map(|g| g.value);
    vec![
        name.to_string(),
        grasp.contacts.len().to_string(),
        if answered.closure.closed { "yes" } else { "no" }.to_string(),
        number(answered.closure.margin),
        number(answered.epsilon[0].as_ref().map(|e| e.value)),
        number(answered.epsilon[1].as_ref().map(|e| e.value)),
        number(grip),
        answered.closure.proof.as_ref().map_or("-".to_string(), |t| unresisted(t, grasp).words(grasp.torque_length)),
    ]
}
