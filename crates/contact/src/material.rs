//! # Materials: physical constants, checked when made, and what two of them are together
//!
//! - **in**: Young's modulus, Poisson's ratio, a layer on top, friction, dissipation
//! - **out**: [`Material`]s; for a pair its [`PatchTheory`], the share each body deforms, friction and dissipation
//! - **not here**: shape (`surface`); tensor fields over a surface (`law::field`)
//! - **start at** [`Material::elastic`], then [`pair`]
//!
//! **How a pair combines.** Half-spaces: 1/E* = Σ (1 − ν²)/E, shear compliances add. Layers lie in series: depth over
//! modulus adds. The theory is chosen by [`Theory::Auto`]: a layer on either body makes a foundation (its core counts as
//! rigid), no layer makes Hertz. Friction of a pair without an entry of its own in a [`FrictionTable`] is the geometric
//! mean √(μ_A μ_B). Dissipation is weighted by each body's share of the deformation (Simbody's rule, (Sherman)).

use crate::patch::foundation::Foundation;
use crate::patch::shear::ShearCompliance;
use crate::patch::{PatchTheory, Pressed};
use std::collections::BTreeMap;

/// Why a material or a pair could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MaterialError {
    /// A constant outside its range.
    #[error("{what} must be {expected}, got {got} {unit}")]
    OutOfRange {
        /// Which constant.
        what: &'static str,
        /// The rule.
        expected: &'static str,
        /// What came.
        got: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// Nothing in the pair can deform.
    #[error("both materials are rigid: a compliant contact needs a modulus or a layer on at least one body")]
    BothRigid,
    /// A theory was asked for that the materials do not describe.
    #[error("{theory} needs {needs}, which neither material has")]
    NotDescribed {
        /// The theory asked for.
        theory: &'static str,
        /// What it needs.
        needs: &'static str,
    },
}

fn positive(what: &'static str, unit: &'static str, got: f64) -> Result<f64, MaterialError> {
    if got > 0.0 && got.is_finite() {
        Ok(got)
    } else {
        Err(MaterialError::OutOfRange { what, expected: "positive and finite", got, unit })
    }
}

fn not_negative(what: &'static str, unit: &'static str, got: f64) -> Result<f64, MaterialError> {
    if got >= 0.0 && got.is_finite() {
        Ok(got)
    } else {
        Err(MaterialError::OutOfRange { what, expected: "zero or positive, and finite", got, unit })
    }
}

/// Elastic constants of a body that deforms in depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bulk {
    young: f64,
    poisson: f64,
}

impl Bulk {
    /// Young's modulus (Pa) and Poisson's ratio in (−1, 0.5].
    pub fn new(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        positive("Young's modulus", "Pa", young)?;
        if !(poisson > -1.0 && poisson <= 0.5) {
            return Err(MaterialError::OutOfRange {
                what: "Poisson's ratio",
                expected: "above -1 and at most 0.5",
                got: poisson,
                unit: "",
            });
        }
        Ok(Self { young, poisson })
    }

    /// Young's modulus E (Pa).
    pub fn young(&self) -> f64 {
        self.young
    }

    /// Poisson's ratio ν.
    pub fn poisson(&self) -> f64 {
        self.poisson
    }

    /// Shear modulus G = E/(2(1 + ν)) (Pa).
    pub fn shear(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// (1 − ν²)/E (1/Pa).
    pub fn normal_compliance(&self) -> f64 {
        (1.0 - self.poisson) * (1.0 + self.poisson) / self.young
    }
}

/// A soft layer on a stiff core.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layer {
    modulus: f64,
    depth: f64,
    exponent: f64,
    shear: f64,
}

impl Layer {
    /// A linear layer: modulus K (Pa) and depth (m). Its shear modulus is K/3, that of incompressible columns free to
    /// bulge, until [`Layer::with_shear`] says otherwise.
    pub fn new(modulus: f64, depth: f64) -> Result<Self, MaterialError> {
        positive("the layer's modulus", "Pa", modulus)?;
        positive("the layer's depth", "m", depth)?;
        Ok(Self { modulus, depth, exponent: 1.0, shear: modulus / 3.0 })
    }

    /// Shear modulus G (Pa).
    pub fn with_shear(mut self, shear: f64) -> Result<Self, MaterialError> {
        self.shear = positive("the layer's shear modulus", "Pa", shear)?;
        Ok(self)
    }

    /// Exponent k of the pressure in the compression, p = K (d/h)^k.
    pub fn with_exponent(mut self, exponent: f64) -> Result<Self, MaterialError> {
        self.exponent = positive("the layer's exponent", "", exponent)?;
        Ok(self)
    }

    /// Depth (m).
    pub fn depth(&self) -> f64 {
        self.depth
    }
}

/// One material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    bulk: Option<Bulk>,
    layer: Option<Layer>,
    density: Option<f64>,
    friction: f64,
    hunt_crossley: f64,
}

impl Material {
    /// An elastic body: Young's modulus (Pa), Poisson's ratio. Friction is 0 until given.
    pub fn elastic(young: f64, poisson: f64) -> Result<Self, MaterialError> {
        Ok(Self { bulk: Some(Bulk::new(young, poisson)?), ..Self::rigid() })
    }

    /// A body that does not deform (its partner does).
    pub fn rigid() -> Self {
        Self { bulk: None, layer: None, density: None, friction: 0.0, hunt_crossley: 0.0 }
    }

    /// With a soft layer on top.
    pub fn with_layer(mut self, layer: Layer) -> Self {
        self.layer = Some(layer);
        self
    }

    /// With a coefficient of friction of its own.
    pub fn with_friction(mut self, mu: f64) -> Result<Self, MaterialError> {
        self.friction = not_negative("friction", "", mu)?;
        Ok(self)
    }

    /// With Hunt–Crossley dissipation (s/m): f = f_el (1 + c δ′).
    pub fn with_hunt_crossley(mut self, c: f64) -> Result<Self, MaterialError> {
        self.hunt_crossley = not_negative("Hunt-Crossley dissipation", "s/m", c)?;
        Ok(self)
    }

    /// With a density (kg/m³).
    pub fn with_density(mut self, density: f64) -> Result<Self, MaterialError> {
        self.density = Some(positive("density", "kg/m³", density)?);
        Ok(self)
    }

    /// Elastic constants of the body; none for a rigid one.
    pub fn bulk(&self) -> Option<&Bulk> {
        self.bulk.as_ref()
    }

    /// The layer on top, if any.
    pub fn layer(&self) -> Option<&Layer> {
        self.layer.as_ref()
    }

    /// Density (kg/m³), if given.
    pub fn density(&self) -> Option<f64> {
        self.density
    }

    /// The material's own coefficient of friction.
    pub fn friction(&self) -> f64 {
        self.friction
    }
}

/// Which theory gives the patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theory {
    /// A foundation where a layer is, Hertz otherwise.
    #[default]
    Auto,
    /// Half-spaces; layers are ignored.
    Hertz,
    /// Layers on rigid cores.
    Foundation,
}

/// What a contact law needs of two materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairMaterial {
    /// How load makes a patch.
    pub theory: PatchTheory,
    /// Share of the deformation that A takes, α = K_B/(K_A + K_B): 1 where only A is soft.
    ///
    /// (Stramigioli, eq. 32) prints Pn(K₁)/Pn(K) = 1 + K₁/K₂, which is never below 1; the inverse is meant.
    pub alpha: f64,
    /// √(μ_A μ_B), unless the pair has an entry of its own.
    pub friction: f64,
    /// Hunt–Crossley dissipation of the pair (s/m).
    pub hunt_crossley: f64,
}

/// What A and B are together.
pub fn pair(a: &Material, b: &Material, theory: Theory) -> Result<PairMaterial, MaterialError> {
    let layered = a.layer.is_some() || b.layer.is_some();
    let (pressed, compliances) = match theory {
        Theory::Foundation if !layered => {
            return Err(MaterialError::NotDescribed { theory: "a foundation", needs: "a layer (modulus and depth)" });
        }
        Theory::Hertz => half_spaces(a, b)?,
        Theory::Foundation => layers(a, b),
        Theory::Auto if layered => layers(a, b),
        Theory::Auto => half_spaces(a, b)?,
    };
    let share = compliances[0] / (compliances[0] + compliances[1]);
    Ok(PairMaterial {
        theory: PatchTheory { pressed, extent: f64::INFINITY },
        alpha: share,
        friction: (a.friction * b.friction).sqrt(),
        hunt_crossley: share * a.hunt_crossley + (1.0 - share) * b.hunt_crossley,
    })
}

fn half_spaces(a: &Material, b: &Material) -> Result<(Pressed, [f64; 2]), MaterialError> {
    let normal = |m: &Material| m.bulk.map_or(0.0, |bulk| bulk.normal_compliance());
    let compliances = [normal(a), normal(b)];
    let sum = compliances[0] + compliances[1];
    if sum == 0.0 {
        return Err(MaterialError::BothRigid);
    }
    let even = |m: &Material| m.bulk.map_or(0.0, |bulk| (1.0 - bulk.poisson) / bulk.shear());
    let uneven = |m: &Material| m.bulk.map_or(0.0, |bulk| bulk.poisson / bulk.shear());
    let shear = ShearCompliance { even: even(a) + even(b), uneven: uneven(a) + uneven(b) };
    Ok((Pressed::HalfSpaces { e_star: 1.0 / sum, shear }, compliances))
}

fn layers(a: &Material, b: &Material) -> (Pressed, [f64; 2]) {
    let normal = |m: &Material| m.layer.map_or(0.0, |l| l.depth / l.modulus);
    let compliances = [normal(a), normal(b)];
    let shear: f64 = [a, b].iter().filter_map(|m| m.layer).map(|l| l.depth / l.shear).sum();
    let depth: f64 = [a, b].iter().filter_map(|m| m.layer).map(|l| l.depth).sum();
    // Two layers of different exponents have no common power law; the softer one rules.
    let softer = if compliances[0] >= compliances[1] { a.layer } else { b.layer };
    let exponent = softer.map_or(1.0, |l| l.exponent);
    let layer = Foundation { modulus: depth / (compliances[0] + compliances[1]), depth, exponent };
    (Pressed::Foundation { layer, shear_per_depth: 1.0 / shear }, compliances)
}

/// Friction of pairs of materials by name, in either order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionTable {
    entries: BTreeMap<(String, String), f64>,
}

impl FrictionTable {
    /// Sets the coefficient of a pair.
    pub fn set(&mut self, a: &str, b: &str, mu: f64) -> Result<(), MaterialError> {
        not_negative("friction", "", mu)?;
        self.entries.insert(key(a, b), mu);
        Ok(())
    }

    /// The coefficient of a pair, if it has an entry.
    pub fn get(&self, a: &str, b: &str) -> Option<f64> {
        self.entries.get(&key(a, b)).copied()
    }
}

fn key(a: &str, b: &str) -> (String, String) {
    if a <= b { (a.into(), b.into()) } else { (b.into(), a.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each constant outside its range is refused with its name; the limits themselves are taken as stated.
    #[test]
    fn constants_outside_their_range_are_refused() {
        for (young, poisson, word) in [
            (0.0, 0.3, "Young"),
            (-1e5, 0.3, "Young"),
            (f64::NAN, 0.3, "Young"),
            (f64::INFINITY, 0.3, "Young"),
            (1e6, -1.0, "Poisson"),
            (1e6, 0.500001, "Poisson"),
            (1e6, f64::NAN, "Poisson"),
        ] {
            let error = Material::elastic(young, poisson).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(Material::elastic(1e6, 0.5).is_ok());
        assert!(Material::rigid().with_friction(-0.1).is_err());
        assert!(Material::rigid().with_hunt_crossley(f64::NAN).is_err());
        assert!(Layer::new(1e5, 0.0).is_err() && Layer::new(f64::INFINITY, 1e-3).is_err());
        assert_eq!(pair(&Material::rigid(), &Material::rigid(), Theory::Auto), Err(MaterialError::BothRigid));
    }

    /// α is ½ for equal bodies, 1 where only A is soft, and exchanges with the bodies; the printed equation gives 2 at
    /// equal stiffness.
    #[test]
    fn share_of_the_deformation_lies_between_0_and_1() {
        let soft = Material::elastic(1e6, 0.4).unwrap();
        let hard = Material::elastic(2e11, 0.3).unwrap();
        assert_eq!(pair(&soft, &soft, Theory::Auto).unwrap().alpha, 0.5);
        assert_eq!(pair(&soft, &Material::rigid(), Theory::Auto).unwrap().alpha, 1.0);
        let one = pair(&soft, &hard, Theory::Auto).unwrap().alpha;
        let other = pair(&hard, &soft, Theory::Auto).unwrap().alpha;
        assert!(one > 0.99999 && (one + other - 1.0).abs() < 1e-16);
    }

    /// Two equal layers in series are one of double depth; a layer wins over the bulk under `Auto`.
    #[test]
    fn layers_add_in_series() {
        let layer = Layer::new(2e5, 2e-3).unwrap();
        let one = Material::elastic(2e9, 0.3).unwrap().with_layer(layer);
        let both = pair(&one, &one, Theory::Auto).unwrap();
        let Pressed::Foundation { layer, shear_per_depth } = both.theory.pressed else { panic!("not a foundation") };
        assert!((layer.depth - 4e-3).abs() < 1e-18 && (layer.modulus / 2e5 - 1.0).abs() < 1e-15);
        assert!((shear_per_depth / (2e5 / 3.0 / 4e-3) - 1.0).abs() < 1e-15);
    }

    /// A pair is found in either order.
    #[test]
    fn friction_table_does_not_mind_the_order() {
        let mut table = FrictionTable::default();
        table.set("rubber", "glass", 0.8).unwrap();
        assert_eq!(table.get("glass", "rubber"), Some(0.8));
        assert_eq!(table.get("glass", "glass"), None);
        assert!(table.set("a", "b", f64::NAN).is_err());
    }
}
