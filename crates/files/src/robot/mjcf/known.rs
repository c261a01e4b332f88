//! # Known attributes: which are read, which have no effect and why
//!
//! - **in**: an element
//! - **out**: problems for unknown attributes, entries in the list of what is ignored
//! - **start at** [`of`]

use super::super::reader::Reader;
use super::super::xml::Element;

const APPEARANCE: &str = "appearance";
const USER: &str = "data for user code";
const CONTACT: &str =
    "friction and softness of MuJoCo's contacts have no physical meaning here: materials of the scene act";
const SOFTNESS: &str = "softness of MuJoCo's constraints has no physical meaning here: limits and couplings are exact";
const FLUID: &str = "no fluid around links is modelled";

/// Attributes of one kind of element.
pub(super) struct Known {
    pub name: &'static str,
    pub has_default: bool,
    read: &'static [&'static str],
    without_effect: &'static [(&'static str, &'static str)],
}

impl Known {
    pub fn check(&self, reader: &mut Reader<'_>, element: &Element) {
        reader.attributes(element, self.read, self.without_effect);
    }
}

/// Kinds of elements whose defaults change nothing.
pub(super) const WITHOUT_EFFECT_IN_DEFAULTS: [&str; 5] = ["material", "texture", "camera", "light", "skin"];

const ALL: [Known; 12] = [
    Known {
        name: "joint",
        has_default: true,
        read: &[
            "name",
            "class",
            "type",
            "pos",
            "axis",
            "limited",
            "range",
            "ref",
            "springref",
            "stiffness",
            "damping",
            "armature",
            "frictionloss",
            "springdamper",
            "actuatorfrclimited",
            "actuatorfrcrange",
            "actuatorgravcomp",
            "springyield",
        ],
        without_effect: &[
            ("group", APPEARANCE),
            ("user", USER),
            ("margin", SOFTNESS),
            ("solreflimit", SOFTNESS),
            ("solimplimit", SOFTNESS),
            ("solreffriction", SOFTNESS),
            ("solimpfriction", SOFTNESS),
        ],
    },
    Known {
        name: "freejoint",
        has_default: false,
        read: &["name"],
        without_effect: &[("group", APPEARANCE), ("align", "frames of links stay where the file has them")],
    },
    Known {
        name: "geom",
        has_default: true,
        read: &[
            "name",
            "class",
            "type",
            "contype",
            "conaffinity",
            "size",
            "fromto",
            "pos",
            "quat",
            "axisangle",
            "euler",
            "xyaxes",
            "zaxis",
            "mass",
            "density",
            "shellinertia",
            "mesh",
            "hfield",
            "group",
        ],
        without_effect: &[
            ("rgba", APPEARANCE),
            ("material", APPEARANCE),
            ("castshadow", APPEARANCE),
            ("user", USER),
            ("condim", CONTACT),
            ("friction", CONTACT),
            ("solmix", CONTACT),
            ("solref", CONTACT),
            ("solimp", CONTACT),
            ("margin", CONTACT),
            ("gap", CONTACT),
            ("priority", CONTACT),
            ("adhesion", "adhesion is not modelled"),
            ("surfacevel", "surfaces that run are bodies with prescribed motion in a scene"),
            ("fluidshape", FLUID),
            ("fluidcoef", FLUID),
            ("fitscale", "primitives are not fitted to meshes"),
        ],
    },
    Known {
        name: "site",
        has_default: true,
        read: &["name", "class", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto"],
        without_effect: &[
            ("group", APPEARANCE),
            ("material", APPEARANCE),
            ("rgba", APPEARANCE),
            ("size", APPEARANCE),
            ("type", APPEARANCE),
            ("mesh", APPEARANCE),
            ("user", USER),
        ],
    },
    Known {
        name: "mesh",
        has_default: true,
        read: &[
            "name",
            "class",
            "file",
            "vertex",
            "face",
            "scale",
            "refpos",
            "refquat",
            "inertia",
            "builtin",
            "content_type",
        ],
        without_effect: &[
            ("smoothnormal", APPEARANCE),
            ("normal", APPEARANCE),
            ("texcoord", APPEARANCE),
            ("material", APPEARANCE),
            ("maxhullvert", "hulls keep all their corners"),
            ("params", "of a built-in mesh"),
        ],
    },
    Known {
        name: "body",
        has_default: false,
        read: &["name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mocap", "gravcomp"],
        without_effect: &[
            ("user", USER),
            ("sleep", "bodies sleep by their own rules here"),
            ("simple", "has no effect here"),
            ("fuse", "has no effect here"),
        ],
    },
    Known {
        name: "frame",
        has_default: false,
        read: &["name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"],
        without_effect: &[],
    },
    Known {
        name: "inertial",
        has_default: false,
        read: &["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"],
        without_effect: &[],
    },
    Known {
        name: "pair",
        has_default: true,
        read: &["name", "class", "geom1", "geom2"],
        without_effect: &[
            ("condim", CONTACT),
            ("friction", CONTACT),
            ("solref", CONTACT),
            ("solimp", CONTACT),
            ("solreffriction", CONTACT),
            ("margin", CONTACT),
            ("gap", CONTACT),
            ("adhesion", "adhesion is not modelled"),
        ],
    },
    Known {
        name: "equality",
        has_default: true,
        read: &[
            "name",
            "class",
            "active",
            "body1",
            "body2",
            "site1",
            "site2",
            "anchor",
            "relpose",
            "torquescale",
            "joint1",
            "joint2",
            "tendon1",
            "tendon2",
            "polycoef",
        ],
        without_effect: &[("solref", SOFTNESS), ("solimp", SOFTNESS)],
    },
    Known {
        name: "tendon",
        has_default: true,
        read: &[
            "name",
            "class",
            "limited",
            "range",
            "stiffness",
            "damping",
            "frictionloss",
            "springlength",
            "armature",
        ],
        without_effect: &[
            ("group", APPEARANCE),
            ("material", APPEARANCE),
            ("rgba", APPEARANCE),
            ("width", APPEARANCE),
            ("user", USER),
            ("margin", SOFTNESS),
            ("solreflimit", SOFTNESS),
            ("solimplimit", SOFTNESS),
            ("solreffriction", SOFTNESS),
            ("solimpfriction", SOFTNESS),
            ("actuatorfrclimited", "forces of tendons are limited by their actuators"),
            ("actuatorfrcrange", "forces of tendons are limited by their actuators"),
            ("springyield", "springs do not yield here"),
        ],
    },
    Known {
        name: "key",
        has_default: false,
        read: &["name", "time", "qpos", "qvel", "ctrl"],
        without_effect: &[
            ("act", "activations are not modelled"),
            ("mpos", "mocap bodies do not move here"),
            ("mquat", "mocap bodies do not move here"),
            ("plastic", "springs do not yield here"),
        ],
    },
];

/// What is known of a kind of element.
pub(super) fn of(name: &str) -> Option<&'static Known> {
    ALL.iter().find(|k| k.name == name)
}
