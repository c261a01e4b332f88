//! # Names: what an expression may name
//!
//! - **in**: bodies, pairs that can touch
//! - **out**: paths as recorders know them; why a path is not known
//! - **start at** [`Names::new`]

use super::expression::FUNCTIONS;
use crate::nearest::nearest;
use fingerpad_sim::Model;
use std::collections::{BTreeSet, HashMap};

/// Quantities of a body.
pub const OF_BODY: [&str; 19] = [
    "x", "y", "z", "height", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "speed", "wx", "wy", "wz", "spin", "rx", "ry",
    "rz",
];
/// Quantities of contacts, of all or of one pair.
pub const OF_CONTACT: [&str; 7] = ["slip", "depth", "normal", "count", "time", "touchdowns", "margin"];
/// Lines of the energy ledger.
pub const OF_ENERGY: [&str; 22] = [
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
    "V_drive",
    "V_limit",
    "E_drive",
    "E_joint",
    "E_limit",
    "W_drive",
    "E_inertia",
    "E_project",
];
/// Quantities of a joint with one coordinate.
pub const OF_JOINT: [&str; 2] = ["position", "velocity"];
/// Quantities of a drive.
pub const OF_DRIVE: [&str; 2] = ["force", "reference"];
/// Quantities of an impedance: the pose that it pulls to, how far its frame is from there, and its spring.
pub const OF_IMPEDANCE: [&str; 14] =
    ["x", "y", "z", "qw", "qx", "qy", "qz", "rx", "ry", "rz", "distance", "angle", "force", "stored"];
/// Quantities of the grasp that holds a body: whatever touches it counts as a finger.
pub const OF_GRASP: [&str; 7] = ["margin", "closed", "contacts", "epsilon_l1", "epsilon_linf", "grip", "grip_sum"];
/// Quantities of the run.
pub const OF_RUN: [&str; 3] = ["t", "ledger_error", "E"];

/// Two bodies by name, A first, if they can touch.
type Touch<'a> = Box<dyn Fn(&str, &str) -> Option<(&'a str, &'a str)> + 'a>;

/// What an expression may name.
pub struct Names<'a> {
    bodies: BTreeSet<&'a str>,
    joints: BTreeSet<&'a str>,
    drives: BTreeSet<&'a str>,
    impedances: BTreeSet<&'a str>,
    /// Two bodies by name in either order, A first if they can touch.
    touch: Touch<'a>,
    /// Some of the pairs that can touch.
    some: Box<dyn Fn() -> Vec<(&'a str, &'a str)> + 'a>,
}

/// Pairs that a message chooses from.
const OFFERED: usize = 200;

impl<'a> Names<'a> {
    /// Bodies by name, and pairs of them that can touch, A first.
    pub fn new(bodies: impl IntoIterator<Item = &'a str>, pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let pairs: Vec<(&str, &str)> = pairs.into_iter().collect();
        let listed = pairs.clone();
        let touch =
            move |x: &str, y: &str| listed.iter().copied().find(|(a, b)| (*a, *b) == (x, y) || (*b, *a) == (x, y));
        let joints = BTreeSet::new();
        Self {
            bodies: bodies.into_iter().collect(),
            joints,
            drives: BTreeSet::new(),
            impedances: BTreeSet::new(),
            touch: Box::new(touch),
            some: Box::new(move || pairs.clone()),
        }
    }

    /// The bodies of a model, those that could not be read, and pairs as the model has them. A scene of thousands of bodies
    /// has millions of pairs: they are asked for one by one.
    pub(crate) fn of_model(
        bodies: &[&'a str],
        [joints, drives, impedances]: [&[&'a str]; 3],
        unread: impl IntoIterator<Item = &'a str>,
        model: Option<&'a Model>,
    ) -> Self {
        let by_name: HashMap<&str, usize> = bodies.iter().enumerate().map(|(k, name)| (*name, k)).collect();
        // Surfaces of links go by the name of the link.
        let owner = move |k: usize| model.map_or(k, |model| model.owner(k));
        let mut parts: HashMap<usize, Vec<usize>> = HashMap::new();
        for k in (0..bodies.len()).filter(|k| owner(*k) != *k) {
            parts.entry(owner(k)).or_default().push(k);
        }
        let names = bodies.to_vec();
        let touch = move |x: &str, y: &str| {
            let (i, j) = (*by_name.get(x)?, *by_name.get(y)?);
            let all = |k: usize| std::iter::once(k).chain(parts.get(&k).into_iter().flatten().copied());
            let mut pairs = all(i).flat_map(|a| all(j).map(move |b| (a.min(b), a.max(b)))).filter(|(a, b)| a != b);
            let pair = pairs.find_map(|(a, b)| model?.between(a, b))?;
            Some((names[owner(pair.a.0)], names[owner(pair.b.0)]))
        };
        let names = bodies.to_vec();
        let some = move || {
            let pairs = model.into_iter().flat_map(Model::pairs).take(OFFERED);
            pairs.map(|pair| (names[owner(pair.a.0)], names[owner(pair.b.0)])).collect()
        };
        let whole = |name: &&str| !name.contains('#');
        let bodies = bodies.iter().copied().filter(whole).chain(unread).collect();
        let [joints, drives, impedances] =
            [joints, drives, impedances].map(|names| names.iter().copied().filter(whole).collect());
        Self { bodies, joints, drives, impedances, touch: Box::new(touch), some: Box::new(some) }
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
        if let Some(joint) = head.strip_prefix("joint.") {
            return (self.joints.contains(joint) && OF_JOINT.contains(&quantity)).then(|| path.to_string());
        }
        if let Some(drive) = head.strip_prefix("drive.") {
            let of = |names: &BTreeSet<&str>, known: &[&str]| names.contains(drive) && known.contains(&quantity);
            let known = of(&self.drives, &OF_DRIVE) || of(&self.impedances, &OF_IMPEDANCE);
            return known.then(|| path.to_string());
        }
        if let Some(body) = head.strip_prefix("grasp.") {
            return (self.bodies.contains(body) && OF_GRASP.contains(&quantity)).then(|| path.to_string());
        }
        let known = match head {
            "contact" => OF_CONTACT.contains(&quantity),
            "energy" => OF_ENERGY.contains(&quantity),
            body => self.bodies.contains(body) && OF_BODY.contains(&quantity),
        };
        known.then(|| path.to_string())
    }

    fn pair(&self, text: &str) -> Option<String> {
        let mut found = text.match_indices('-').filter_map(|(k, _)| (self.touch)(&text[..k], &text[k + 1..]));
        found.next().map(|(a, b)| format!("{a}-{b}"))
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
            let both = |(a, b)| [format!("{a}-{b}"), format!("{b}-{a}")];
            let both: Vec<String> = (self.some)().into_iter().flat_map(both).take(OFFERED).collect();
            let known: Vec<&str> = both.iter().map(String::as_str).collect();
            let note = if known.is_empty() { Some("no two bodies can".to_string()) } else { offer(pair, &known) };
            return (format!("there is no pair `{pair}` that can touch"), note);
        }
        if let Some(joint) = head.strip_prefix("joint.") {
            if self.joints.contains(joint) {
                return quantity_of(format!("the joint `{joint}`"), &OF_JOINT);
            }
            let joints: Vec<&str> = self.joints.iter().copied().take(20).collect();
            return (format!("there is no joint `{joint}`"), offer(joint, &joints));
        }
        if let Some(drive) = head.strip_prefix("drive.") {
            if self.drives.contains(drive) {
                return quantity_of(format!("the drive `{drive}`"), &OF_DRIVE);
            }
            if self.impedances.contains(drive) {
                return quantity_of(format!("the impedance `{drive}`"), &OF_IMPEDANCE);
            }
            let drives: Vec<&str> = self.drives.iter().chain(&self.impedances).copied().take(20).collect();
            return (format!("there is no drive `{drive}`"), offer(drive, &drives));
        }
        if let Some(body) = head.strip_prefix("grasp.") {
            if self.bodies.contains(body) {
                return quantity_of(format!("the grasp of `{body}`"), &OF_GRASP);
            }
            let bodies: Vec<&str> = self.bodies.iter().copied().take(20).collect();
            return (format!("there is no body `{body}` to be held"), offer(body, &bodies));
        }
        match head {
            "grasp" if !self.bodies.contains("grasp") => {
                let bodies: Vec<&str> = self.bodies.iter().copied().take(20).collect();
                (format!("expected `grasp.BODY.QUANTITY`, got `{path}`"), offer("", &bodies))
            }
            "contact" => quantity_of("contacts".to_string(), &OF_CONTACT),
            "energy" => quantity_of("the energy".to_string(), &OF_ENERGY),
            body if self.bodies.contains(body) => quantity_of(format!("body `{body}`"), &OF_BODY),
            other => {
                let bodies: Vec<&str> = self.bodies.iter().copied().chain(["contact", "energy", "grasp"]).collect();
                (format!("there is no body `{other}`"), offer(other, &bodies[..bodies.len().min(23)]))
            }
        }
    }
}
