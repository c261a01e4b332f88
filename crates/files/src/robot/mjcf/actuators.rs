//! # Actuators of MJCF: gains and biases, ranges, what they pull at
//!
//! - **in**: `<actuator>`; `<default>` elements of the same kinds
//! - **out**: [`Actuator`]s with f = gain·u + bias·(1, l, l′)
//! - **not here**: what such a law becomes as a drive (scenes)
//! - **start at** [`read`], [`read_law`]
//!
//! `motor`, `position` and `velocity` are shortcuts that set the numbers of `general`; in a default class they set the
//! numbers that all kinds share (MuJoCo, XML reference, actuator).

use super::super::description::{Actuator, Transmission};
use super::super::reader::Reader;
use super::super::xml::Element;
use super::File;
use crate::nearest;

/// Kinds of actuators.
pub(super) const KINDS: [&str; 12] = [
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
    "orientation",
    "pid",
];

const READ: [&str; 30] = [
    "name",
    "class",
    "joint",
    "jointinparent",
    "tendon",
    "site",
    "refsite",
    "body",
    "slidersite",
    "cranksite",
    "gear",
    "ctrllimited",
    "ctrlrange",
    "forcelimited",
    "forcerange",
    "armature",
    "damping",
    "kp",
    "kv",
    "dampratio",
    "timeconst",
    "inheritrange",
    "gaintype",
    "gainprm",
    "biastype",
    "biasprm",
    "dyntype",
    "dynprm",
    "actdim",
    "cranklength",
];
const ACTIVATION: &str = "activations are not modelled";
const WITHOUT_EFFECT: [(&str, &str); 14] = [
    ("group", "appearance"),
    ("user", "data for user code"),
    ("lengthrange", "length ranges of muscles are not modelled"),
    ("actlimited", ACTIVATION),
    ("actrange", ACTIVATION),
    ("actearly", ACTIVATION),
    ("delay", "delays are not modelled"),
    ("nsample", "delays are not modelled"),
    ("interp", "delays are not modelled"),
    ("input", "has no effect here"),
    ("ffrange", "has no effect here"),
    ("velrange", "has no effect here"),
    ("posrange", "has no effect here"),
    ("area", "cylinders are not modelled"),
];

/// Whether a range holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limited {
    Auto,
    No,
    Yes,
}

/// Numbers that all kinds share.
#[derive(Clone, Debug)]
pub(super) struct Law {
    gain: f64,
    bias: [f64; 3],
    ratio: Option<f64>,
    gear: f64,
    control: (Limited, [f64; 2]),
    force: (Limited, [f64; 2]),
    inherit: f64,
    armature: f64,
    damping: f64,
    /// Why it cannot be a drive.
    unknown: Option<&'static str>,
}

impl Default for Law {
    fn default() -> Self {
        Law {
            gain: 1.0,
            bias: [0.0; 3],
            ratio: None,
            gear: 1.0,
            control: (Limited::Auto, [0.0; 2]),
            force: (Limited::Auto, [0.0; 2]),
            inherit: 0.0,
            armature: 0.0,
            damping: 0.0,
            unknown: None,
        }
    }
}

/// Puts the numbers of an element over those of its class.
pub(super) fn read_law(reader: &mut Reader<'_>, e: &Element, law: &mut Law) {
    let kind = e.name.as_str();
    if !["general", "motor", "position", "velocity"].contains(&kind) {
        // Which numbers these kinds have does not matter then.
        law.unknown = Some("actuators of this kind are not modelled");
        return;
    }
    reader.attributes(e, &READ, &WITHOUT_EFFECT);
    if let Some(attribute) = e.get("gear")
        && let Some(gear) = reader.list(e, attribute)
    {
        law.gear = gear.first().copied().unwrap_or(1.0);
        if gear.len() > 6 || gear.iter().skip(1).any(|g| *g != 0.0) {
            reader.wrong_value(e, attribute, "joints and tendons have one gear; further numbers must be 0");
        }
    }
    for (limited, key) in [("ctrllimited", "ctrlrange"), ("forcelimited", "forcerange")] {
        let slot = if key == "ctrlrange" { &mut law.control } else { &mut law.force };
        match reader.choice(e, limited, &["false", "true", "auto"]) {
            Some("false") => slot.0 = Limited::No,
            Some("true") => slot.0 = Limited::Yes,
            Some(_) => slot.0 = Limited::Auto,
            None => {}
        }
        slot.1 = reader.numbers::<2>(e, key).unwrap_or(slot.1);
    }
    law.armature = reader.not_negative(e, "armature", law.armature);
    law.damping = reader.not_negative(e, "damping", law.damping);
    match kind {
        "general" => general(reader, e, law),
        "motor" => (law.gain, law.bias, law.ratio, law.unknown) = (1.0, [0.0; 3], None, None),
        "position" => position(reader, e, law),
        _ => {
            let kv = reader.not_negative(e, "kv", law.gain);
            (law.gain, law.bias, law.ratio, law.unknown) = (kv, [0.0, 0.0, -kv], None, None);
        }
    }
}

fn position(reader: &mut Reader<'_>, e: &Element, law: &mut Law) {
    let kp = reader.not_negative(e, "kp", law.gain);
    (law.gain, law.bias[1], law.unknown) = (kp, -kp, None);
    if e.get("kv").is_some() {
        if e.get("dampratio").is_some() {
            reader.wrong(e, "either `kv` or `dampratio`, got both");
        }
        law.bias[2] = -reader.not_negative(e, "kv", 0.0);
        law.ratio = None;
    }
    if e.get("dampratio").is_some() {
        law.ratio = Some(reader.not_negative(e, "dampratio", 0.0)).filter(|r| *r > 0.0);
        law.bias[2] = 0.0;
    }
    law.inherit = reader.not_negative(e, "inheritrange", law.inherit);
    if reader.number(e, "timeconst").is_some_and(|t| t != 0.0) {
        reader.ignore(e, "position timeconst".to_string(), "drives follow their reference without a filter");
    }
}

fn general(reader: &mut Reader<'_>, e: &Element, law: &mut Law) {
    match reader.choice(e, "gaintype", &["fixed", "affine", "muscle", "dcmotor", "pid", "user"]) {
        Some("fixed") | None => {}
        Some(_) => law.unknown = Some("gains that depend on length or speed are not modelled"),
    }
    match reader.choice(
        e,
        "dyntype",
        &["none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user"],
    ) {
        Some("none") | None => {}
        Some(_) => law.unknown = Some(ACTIVATION),
    }
    if let Some(list) = e.get("gainprm").and_then(|a| reader.list(e, a)) {
        law.gain = list.first().copied().unwrap_or(law.gain);
    }
    let affine = match reader.choice(e, "biastype", &["none", "affine", "muscle", "dcmotor", "pid", "user"]) {
        Some("affine") => Some(true),
        Some("none") => Some(false),
        Some(_) => {
            law.unknown = Some("biases of this type are not modelled");
            None
        }
        None => None,
    };
    if let Some(list) = e.get("biasprm").and_then(|a| reader.list(e, a)) {
        (0..3).for_each(|k| law.bias[k] = list.get(k).copied().unwrap_or(0.0));
        if affine.is_none() && law.bias != [0.0; 3] && e.get("biastype").is_none() {
            // Without biastype="affine" the numbers have no effect, in MuJoCo as here.
            reader.ignore(e, "general biasprm".to_string(), "has an effect with biastype=\"affine\" alone");
            law.bias = [0.0; 3];
        }
    }
    if affine == Some(false) {
        law.bias = [0.0; 3];
    }
    law.inherit = reader.not_negative(e, "inheritrange", law.inherit);
}

/// Reads all actuators.
pub(super) fn read(reader: &mut Reader<'_>, file: &mut File, root: &Element) {
    for e in root.named("actuator").flat_map(|s| &s.children) {
        let number = file.robot.actuators.len();
        let made = actuator(reader, file, e);
        file.controls.push(made.is_some().then_some(number));
        file.robot.actuators.extend(made);
    }
}

fn actuator(reader: &mut Reader<'_>, file: &mut File, e: &Element) -> Option<Actuator> {
    let kind = match e.name.as_str() {
        "general" => "general",
        "motor" => "motor",
        "position" => "position",
        "velocity" => "velocity",
        "plugin" => {
            reader.ignore_element(e, "plug-ins are not run");
            return None;
        }
        other if KINDS.contains(&other) => "other",
        other => {
            let message = nearest::unknown("element in <actuator>", other, &KINDS);
            reader.wrong(e, message);
            return None;
        }
    };
    let mut law = file.defaults.law(reader, e);
    read_law(reader, e, &mut law);
    let transmission = transmission(reader, file, e)?;
    if let Some(why) = law.unknown {
        reader.ignore_element(e, why);
        return None;
    }
    let name = name(reader, file, e, transmission);
    if let Transmission::Joint(joint) = transmission {
        // The drive's own inertia and damping, as the joint feels them.
        file.robot.joints[joint].armature += law.gear * law.gear * law.armature;
        file.robot.joints[joint].damping += law.gear * law.gear * law.damping;
    } else if law.armature > 0.0 || law.damping > 0.0 {
        let why = "inertia and damping of drives are modelled at joints alone";
        reader.ignore(e, format!("{kind} armature, damping"), why);
    }
    let control_range = control_range(reader, file, e, &law, transmission);
    let force_range = held(reader, file, e, law.force, "forcerange");
    let place = reader.place(e);
    Some(Actuator {
        name,
        kind,
        transmission,
        gear: law.gear,
        gain: law.gain,
        bias: law.bias,
        damping_ratio: law.ratio,
        control_range,
        force_range,
        place,
    })
}

fn name(reader: &mut Reader<'_>, file: &mut File, e: &Element, transmission: Transmission) -> String {
    if let Some(name) = e.value("name") {
        file.unique(reader, e, "actuator", name);
        return name.to_string();
    }
    let target = match transmission {
        Transmission::Joint(j) => &file.robot.joints[j].name,
        Transmission::Tendon(t) => &file.robot.tendons[t].name,
    };
    let base = format!("{}_{target}", e.name);
    let mut names = std::iter::once(base.clone()).chain((2..).map(|k| format!("{base}{k}")));
    // There are more numbers than actuators.
    let name = names.find(|n| file.robot.actuators.iter().all(|a| a.name != *n)).unwrap_or_default();
    file.used.insert(("actuator", name.clone()));
    name
}

fn transmission(reader: &mut Reader<'_>, file: &File, e: &Element) -> Option<Transmission> {
    for key in ["joint", "jointinparent"] {
        if e.get(key).is_some() {
            let joint = File::find(reader, e, key, "joint", &file.joints)?;
            if file.robot.joints[joint].kind.nq() == 1 {
                return Some(Transmission::Joint(joint));
            }
            reader.ignore_element(e, "drives of ball and free joints are not modelled");
            return None;
        }
    }
    if e.get("tendon").is_some() {
        let tendon = File::find(reader, e, "tendon", "tendon", &file.tendons)?;
        if tendon.is_none() {
            reader.ignore_element(e, "tendons through space are not modelled, nor what pulls at them");
        }
        return tendon.map(Transmission::Tendon);
    }
    if ["site", "body", "cranksite", "slidersite"].iter().any(|key| e.get(key).is_some()) {
        reader.ignore_element(e, "actuators act on joints and fixed tendons; use [[drive]] frame in a scene");
        return None;
    }
    reader.wrong(e, "an actuator needs `joint` or `tendon`");
    None
}

fn control_range(
    reader: &mut Reader<'_>,
    file: &File,
    e: &Element,
    law: &Law,
    transmission: Transmission,
) -> Option<[f64; 2]> {
    if law.inherit > 0.0 {
        let range = match transmission {
            Transmission::Joint(j) => file.robot.joints[j].limits,
            Transmission::Tendon(t) => file.robot.tendons[t].limits,
        };
        let Some([low, high]) = range else {
            reader.wrong(e, "`inheritrange` needs a range of the joint or tendon");
            return None;
        };
        let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0 * law.inherit);
        return Some([middle - half, middle + half]);
    }
    held(reader, file, e, law.control, "ctrlrange")
}

/// A range if it holds.
fn held(reader: &mut Reader<'_>, file: &File, e: &Element, range: (Limited, [f64; 2]), key: &str) -> Option<[f64; 2]> {
    let (limited, [low, high]) = range;
    let given = low != 0.0 || high != 0.0;
    match limited {
        Limited::No => return None,
        Limited::Auto if !given => return None,
        Limited::Auto if !file.compiler.autolimits => {
            reader.wrong(e, format!("`{key}` without its `limited`: with autolimits=\"false\" both are needed"));
            return None;
        }
        _ => {}
    }
    if low >= high {
        reader.wrong(e, format!("`{key}`: the lower limit must be below the upper one, got {low} and {high}"));
        return None;
    }
    Some([low, high])
}
