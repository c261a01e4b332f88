//! # Materials of a scene
//!
//! - **in**: `[materials.NAME]`
//! - **out**: [`NamedMaterial`]s, and what the table of frictions says of two of them
//! - **not here**: laws between pairs (`pairs`)
//! - **start at** [`read`]

use super::error::Span;
use super::keys;
use super::section::{Problems, Range, Section};
use super::tree::{Node, Value};
use crate::units::Dimension;
use fingerpad_contact::material::{FrictionTable, Layer, Material};

/// A material with its name.
#[derive(Clone, Debug)]
pub(crate) struct NamedMaterial {
    pub name: String,
    pub span: Span,
    pub material: Material,
    /// Whether it says anything of friction with materials that it does not name.
    pub has_friction: bool,
    /// Kelvin–Voigt damping (N·s/m).
    pub kelvin_voigt: f64,
}

/// All materials, and friction by pair.
#[derive(Debug, Default)]
pub(crate) struct Materials {
    pub list: Vec<NamedMaterial>,
    pub friction: FrictionTable,
}

impl Materials {
    pub fn names(&self) -> Vec<&str> {
        self.list.iter().map(|m| m.name.as_str()).collect()
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|m| m.name == name)
    }

    /// The same material under a soft layer, as a further one of its name: friction and pairs go by the name.
    pub fn layered(&mut self, of: usize, layer: Layer) -> usize {
        let mut material = self.list[of].clone();
        material.material = material.material.with_layer(layer);
        self.list.push(material);
        self.list.len() - 1
    }

    /// All materials that share the name of one: itself, and it under layers of pads.
    pub fn alike(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.list.len()).filter(move |k| self.list[*k].name == self.list[of].name)
    }

    /// The material that a text names.
    pub fn named(&self, node: &Node, section: &Section) -> Option<usize> {
        let Value::Text(name) = &node.value else {
            section.wrong(node, format!("expected the name of a material, got {}", node.kind()));
            return None;
        };
        let found = self.find(name);
        if found.is_none() {
            section.problems().no_such("material", name, &node.span, &self.names(), section.whose);
        }
        found
    }
}

/// Reads `[materials]`.
pub(crate) fn read(node: Option<&Node>, problems: &Problems) -> Materials {
    let mut materials = Materials::default();
    let Some(section) = node.and_then(|node| Section::open(node, "", problems)) else { return materials };
    for entry in section.entries() {
        let whose = format!("of material `{}`", entry.key);
        if let Some(section) = Section::new(&entry.node, keys::MATERIAL, &whose, problems) {
            materials.list.push(one(&entry.key, &entry.key_span, &section));
        }
    }
    for entry in section.entries() {
        by_partner(&entry.key, &entry.node, &mut materials, problems);
    }
    materials
}

fn one(name: &str, span: &Span, section: &Section) -> NamedMaterial {
    let pressure = Dimension::Pressure;
    let young = section.quantity("young", "Young's modulus", pressure, Range::Positive);
    let ratio = Range::Within(-1.0, 0.5, "above -1 and at most 0.5");
    let poisson = section.quantity("poisson", "Poisson's ratio", Dimension::Number, ratio);
    if section.has("young") && !section.has("poisson") {
        section.lacks("missing key `poisson` beside `young`");
    }
    if section.has("poisson") && !section.has("young") {
        section.lacks("missing key `young` beside `poisson`");
    }
    let mut material = match (young, poisson) {
        (Some(young), Some(poisson)) => Material::elastic(young, poisson).unwrap_or(Material::rigid()),
        _ => Material::rigid(),
    };
    if let Some(layer) = section.get("layer").and_then(|node| layer(node, section)) {
        material = material.with_layer(layer);
    }
    let mut set = |value: Option<f64>, with: fn(Material, f64) -> Result<Material, _>| {
        // The ranges are those that the material checks, so that nothing is refused here.
        if let Some(Ok(better)) = value.map(|x| with(material, x)) {
            material = better;
        }
    };
    let not_negative = Range::NotNegative;
    set(section.quantity("density", "density", Dimension::Density, Range::Positive), Material::with_density);
    let c = section.quantity("hunt_crossley", "Hunt-Crossley dissipation", Dimension::Dissipation, not_negative);
    set(c, Material::with_hunt_crossley);
    let own = match section.get("friction").map(|node| (node, &node.value)) {
        Some((node, Value::Table(_))) => {
            let inner = Section::open(node, section.whose, section.problems());
            inner.and_then(|s| s.quantity("default", "friction", Dimension::Number, not_negative))
        }
        Some((node, _)) => section.quantity_of(node, "friction", Dimension::Number, not_negative),
        None => None,
    };
    set(own, Material::with_friction);
    let kelvin_voigt = section.quantity("kelvin_voigt", "Kelvin-Voigt damping", Dimension::Damping, not_negative);
    NamedMaterial {
        name: name.to_string(),
        span: span.clone(),
        material,
        has_friction: own.is_some(),
        kelvin_voigt: kelvin_voigt.unwrap_or(0.0),
    }
}

pub(crate) fn layer(node: &Node, of: &Section) -> Option<Layer> {
    let section = Section::new(node, keys::LAYER, of.whose, of.problems())?;
    section.require("modulus");
    section.require("depth");
    let positive = |key, what, dimension| section.quantity(key, what, dimension, Range::Positive);
    let modulus = positive("modulus", "the layer's modulus", Dimension::Pressure);
    let depth = positive("depth", "the layer's depth", Dimension::Length);
    let exponent = positive("exponent", "the layer's exponent", Dimension::Number);
    let shear = positive("shear", "the layer's shear modulus", Dimension::Pressure);
    let mut layer = Layer::new(modulus?, depth?).ok()?;
    if let Some(k) = exponent {
        layer = layer.with_exponent(k).ok()?;
    }
    if let Some(g) = shear {
        layer = layer.with_shear(g).ok()?;
    }
    Some(layer)
}

/// Friction by the other material: `friction = { glass = 0.8, default = 0.5 }`.
fn by_partner(name: &str, node: &Node, materials: &mut Materials, problems: &Problems) {
    let whose = format!("of material `{name}`");
    let Some(friction) = node.get("friction").filter(|node| node.entries().is_some()) else { return };
    let Some(section) = Section::open(friction, &whose, problems) else { return };
    for entry in section.entries().iter().filter(|entry| entry.key != "default") {
        if materials.find(&entry.key).is_none() {
            problems.no_such("material", &entry.key, &entry.key_span, &materials.names(), &whose);
            continue;
        }
        let Some(mu) = section.quantity_of(&entry.node, "friction", Dimension::Number, Range::NotNegative) else {
            continue;
        };
        match materials.friction.get(name, &entry.key) {
            Some(other) if other != mu => {
                let message = format!("friction of `{name}` and `{}` is {other} elsewhere, {mu} here", entry.key);
                section.wrong(&entry.node, message);
            }
            _ => {
                let _ = materials.friction.set(name, &entry.key, mu);
            }
        }
    }
}
