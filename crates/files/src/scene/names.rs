//! # Names: what an expression may name
//!
//! - **in**: bodies, pairs that can touch
//! - **out**: paths as recorders know them; why a path is not known
//! - **start at** [`Names::new`]

use super::expression::FUNCTIONS;
use crate::nearest::nearest;
use std::collections::{BTreeMap, BTreeSet};

/// Quantities of a body.
pub const OF_BODY: [&str; 19] = [
    "x", "y", "z", "height", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "speed", "wx", "wy", "wz", "spin", "rx", "ry",
    "rz",
];
/// Quantities of contacts, of all or of one pair.
pub const OF_CONTACT: [&str; 7] = ["slip", "depth", "normal", "count", "time", "touchdowns", "margin"];
/// Lines of the energy ledger.
pub const OF_ENERGY: [&str; 14] = [
    "KE",
    "PE",
    "V_normal",
    "V_tangential",
    "E_visc",
    "E_slip",
    "E_release",
    "E_num",
    "E_geo",
    "E_solver",
    "W_injected",
    "modulation",
    "total",
    "E_painleve",
];
/// Quantities of the run.
pub const OF_RUN: [&str; 3] = ["t", "ledger_error", "E"];

/// What an expression may name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bodies: BTreeSet<String>,
    /// Pairs that can touch, each under both orders of its names.
    pairs: BTreeMap<(String, String), String>,
}

impl Names {
    /// Bodies by name, and pairs of them that can touch, A first.
    pub fn new<'a>(
        bodies: impl IntoIterator<Item = &'a str>,
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut names = Self { bodies: bodies.into_iter().map(str::to_string).collect(), pairs: BTreeMap::new() };
        for (a, b) in pairs {
            let name = format!("{a}-{b}");
            names.pairs.insert((a.to_string(), b.to_string()), name.clone());
            names.pairs.insert((b.to_string(), a.to_string()), name);
        }
        names
    }

    /// The path as recorders know it: pairs with A first.
    pub(crate) fn canonical(&self, path: &str) -> Option<String> {
        let Some((head, quantity)) = path.rsplit_once('.') else {
            return (OF_RUN.contains(&path) || path == "pi").then(|| path.to_string());
        };
        if let Some(pair) = head.strip_prefix("contact.") {
            let name = self.pair(pair)?;
            return OF_CONTACT.contains(&quantity).then(|| format!("contact.{name}.{quantity}"));
        }
        let known = match head {
            "contact" => OF_CONTACT.contains(&quantity),
            "energy" => OF_ENERGY.contains(&quantity),
            body => self.bodies.contains(body) && OF_BODY.contains(&quantity),
        };
        known.then(|| path.to_string())
    }

    fn pair(&self, text: &str) -> Option<&String> {
        let cuts = text.match_indices('-').map(|(k, _)| (text[..k].to_string(), text[k + 1..].to_string()));
        cuts.filter_map(|names| self.pairs.get(&names)).next()
    }

    /// Why a path is not known.
    pub(crate) fn refuse(&self, path: &str) -> (String, Option<String>) {
        let offer = |word: &str, known: &[&str]| {
            let near = nearest(word, known.iter().copied());
            Some(near.map_or_else(|| format!("known are {}", known.join(", ")), |n| format!("did you mean `{n}`?")))
        };
        let Some((head, quantity)) = path.rsplit_once('.') else {
            let message = if self.bodies.contains(path) {
                return (format!("`{path}` is a body; expected one of its quantities"), offer("", &OF_BODY));
            } else {
                format!("unknown quantity `{path}`")
            };
            let functions = FUNCTIONS.iter().map(|(name, _, _)| *name);
            let known: Vec<&str> = OF_RUN.into_iter().chain(["pi"]).chain(functions).collect();
            return (message, offer(path, &known));
        };
        let quantity_of =
            |what: String, known: &[&str]| (format!("unknown quantity `{quantity}` of {what}"), offer(quantity, known));
        if let Some(pair) = head.strip_prefix("contact.") {
            if self.pair(pair).is_some() {
                return quantity_of(format!("the contact `{pair}`"), &OF_CONTACT);
            }
            let both: Vec<String> = self.pairs.keys().take(200).map(|(a, b)| format!("{a}-{b}")).collect();
            let known: Vec<&str> = both.iter().map(String::as_str).collect();
            let note = if known.is_empty() { Some("no two bodies can".to_string()) } else { offer(pair, &known) };
            return (format!("there is no pair `{pair}` that can touch"), note);
        }
        match head {
            "contact" => quantity_of("contacts".to_string(), &OF_CONTACT),
            "energy" => quantity_of("the energy".to_string(), &OF_ENERGY),
            body if self.bodies.contains(body) => quantity_of(format!("body `{body}`"), &OF_BODY),
            other => {
                let bodies: Vec<&str> = self.bodies.iter().map(String::as_str).chain(["contact", "energy"]).collect();
                (format!("there is no body `{other}`"), offer(other, &bodies[..bodies.len().min(22)]))
            }
        }
    }
}
