//! # A pad from plain options
//!
//! `--radius 10mm --load 1N..20N:20 --young 0.3MPa` ──▶ **here** ──(records)──▶ `query patch`
//!
//! - **in**: radii, loads, material, as people write them (`units`)
//! - **out**: the document that a file would hold, one record a load; refusals by option, before anything is computed
//! - **not here**: the answer ([`super`])
//! - **assumes**: a rigid counterpart whose principal directions are those of the pad
//! - **start at** [`Pad::document`]

use crate::json::document::Document;
use crate::outcome::Failure;
use clap::{Args, ValueEnum};
use fingerpad_contact::material::{Bulk, Layer, Material, MaterialError, pair};
use fingerpad_contact::patch::Pressed;
use fingerpad_files::units::{self, Dimension};
use serde_json::{Map, Value, json};

/// A pad and what presses it.
#[derive(Debug, Args)]
pub struct Pad {
    /// Radius of the pad.
    #[arg(long, value_name = "LENGTH", requires = "load", conflicts_with = "file", allow_hyphen_values = true, value_parser = length)]
    pub radius: Option<f64>,
    /// Its other principal radius, or `straight`; the same if absent.
    #[arg(long, value_name = "LENGTH", requires = "radius", allow_hyphen_values = true, value_parser = radius)]
    pub radius2: Option<f64>,
    /// Radius of the counterpart, negative for a hollow; flat if absent.
    #[arg(long, value_name = "LENGTH", requires = "radius", allow_hyphen_values = true, value_parser = radius)]
    pub against_radius: Option<f64>,
    /// Load, or evenly spaced loads `from..to:count`.
    #[arg(long, value_name = "FORCE", requires = "radius", allow_hyphen_values = true, value_parser = loads)]
    pub load: Option<Loads>,
    /// Young's modulus of the pad.
    #[arg(long, value_name = "PRESSURE", requires = "radius", allow_hyphen_values = true, value_parser = pressure)]
    pub young: Option<f64>,
    /// Poisson's ratio of the pad.
    #[arg(long, value_name = "NUMBER", requires = "radius", default_value = "0.5", allow_hyphen_values = true, value_parser = number)]
    pub poisson: f64,
    /// Modulus of a soft layer on a stiff core.
    #[arg(long, value_name = "PRESSURE", requires = "layer_depth", allow_hyphen_values = true, value_parser = pressure)]
    pub layer_modulus: Option<f64>,
    /// Depth of that layer.
    #[arg(long, value_name = "LENGTH", requires = "layer_modulus", allow_hyphen_values = true, value_parser = length)]
    pub layer_depth: Option<f64>,
    /// Coefficient of friction, for the largest moment.
    #[arg(long, value_name = "NUMBER", requires = "radius", allow_hyphen_values = true, value_parser = number)]
    pub friction: Option<f64>,
    /// Which theory: auto takes winkler where a layer is, hertz otherwise.
    #[arg(long, value_name = "NAME", requires = "radius", default_value = "auto")]
    pub theory: Theory,
    /// Half the length of the pad, where the patch would be longer; of a straight pad half the length of the line.
    #[arg(long, value_name = "LENGTH", requires = "radius", allow_hyphen_values = true, value_parser = length)]
    pub length: Option<f64>,
}

/// Loads (N).
#[derive(Clone, Debug)]
pub struct Loads(Vec<f64>);

/// Which theory, on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Theory {
    /// Winkler where a layer is, Hertz otherwise.
    Auto,
    /// Bodies that deform in depth.
    Hertz,
    /// A layer on a stiff core.
    Winkler,
}

fn length(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Length)
}

fn pressure(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Pressure)
}

fn number(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Number)
}

fn loads(text: &str) -> Result<Loads, units::UnitError> {
    units::parse_range(text, Dimension::Force).map(Loads)
}

/// A radius; `straight`, `flat` and `inf` are infinite ones.
fn radius(text: &str) -> Result<f64, units::UnitError> {
    if ["straight", "flat", "inf"].contains(&text) { Ok(f64::INFINITY) } else { length(text) }
}

/// A material's refusal, told of its option.
fn told(option: &'static str) -> impl Fn(MaterialError) -> Failure {
    move |e| Failure(format!("--{option}: {e}").trim_end().to_string())
}

impl Pad {
    /// The document that the options stand for: one record a load.
    pub fn document(&self) -> Result<Document, Failure> {
        let mut inp = self.radii()?;
        inp.extend(self.material()?);
        if let Some(mu) = self.friction {
            Material::rigid().with_friction(mu).map_err(told("friction"))?;
            inp.insert("mu".to_string(), json!(mu));
        }
        let loads = self.load.as_ref().map(|loads| loads.0.as_slice()).unwrap_or_default();
        if let Some(load) = loads.iter().find(|load| **load < 0.0) {
            return Err(Failure(format!("--load: the load must be zero or positive, got {load} N")));
        }
        let records: Vec<Value> = loads
            .iter()
            .map(|load| {
                let mut inp = inp.clone();
                inp.shift_insert(0, "P".to_string(), json!(load));
                json!({"inp": inp})
            })
            .collect();
        Ok(Document::of_options(Map::from_iter([("contact_cases".to_string(), Value::Array(records))])))
    }

    /// Relative radii: curvatures of pad and counterpart add.
    fn radii(&self) -> Result<Map<String, Value>, Failure> {
        let radius = self.radius.unwrap_or_default();
        let pad = [self.radius2.unwrap_or(radius), radius];
        for (option, radius) in [("radius", pad[1]), ("radius2", pad[0])] {
            if radius <= 0.0 {
                return Err(Failure(format!("--{option}: a radius must be positive, got {radius} m")));
            }
        }
        let against = self.against_radius.unwrap_or(f64::INFINITY);
        if against == 0.0 {
            return Err(Failure("--against-radius: a radius must not be zero (negative for a hollow)".to_string()));
        }
        let curvature = pad.map(|radius| 1.0 / radius + 1.0 / against);
        if curvature.iter().any(|c| *c < 0.0) {
            let widest = pad[0].max(pad[1]);
            return Err(Failure(format!(
                "--against-radius: a hollow of radius {} m is narrower than the pad, of radius {widest} m: they touch at the rim, not at a point",
                -against
            )));
        }
        let (low, high) = (curvature[0].min(curvature[1]), curvature[0].max(curvature[1]));
        if high == 0.0 {
            return Err(Failure(
                "--radius: pad and counterpart fit face to face, which makes no elliptic patch".to_string(),
            ));
        }
        if self.length.is_some_and(|length| length <= 0.0) {
            let length = self.length.unwrap_or_default();
            return Err(Failure(format!("--length: half the pad's length must be positive, got {length} m")));
        }
        if low == 0.0 && self.length.is_none() {
            return Err(Failure(
                "--length: the contact is a line, which has no end of its own; give half the length of the pad"
                    .to_string(),
            ));
        }
        let mut inp = Map::new();
        if low > 0.0 {
            inp.insert("R1".to_string(), json!(1.0 / low));
        }
        inp.insert("R2".to_string(), json!(1.0 / high));
        if let Some(length) = self.length {
            inp.insert("extent".to_string(), json!(length));
        }
        Ok(inp)
    }

    /// Constants of the theory that was chosen.
    fn material(&self) -> Result<Map<String, Value>, Failure> {
        // Poisson's ratio is checked with a modulus that is right, so that each option answers for itself.
        Bulk::new(1.0, self.poisson).map_err(told("poisson"))?;
        let mut pad = Material::rigid();
        if let Some(young) = self.young {
            pad = Material::elastic(young, self.poisson).map_err(told("young"))?;
        }
        if let Some((modulus, depth)) = self.layer_modulus.zip(self.layer_depth) {
            Layer::new(modulus, 1.0).map_err(told("layer-modulus"))?;
            pad = pad.with_layer(Layer::new(modulus, depth).map_err(told("layer-depth"))?);
        }
        let theory = match self.theory {
            Theory::Auto => fingerpad_contact::material::Theory::Auto,
            Theory::Hertz => fingerpad_contact::material::Theory::Hertz,
            Theory::Winkler => fingerpad_contact::material::Theory::Foundation,
        };
        let together = pair(&pad, &Material::rigid(), theory).map_err(|_| {
            Failure(match self.theory {
                Theory::Winkler => "--theory winkler needs --layer-modulus and --layer-depth".to_string(),
                Theory::Hertz => "--theory hertz needs --young".to_string(),
                Theory::Auto => "the pad needs --young, or --layer-modulus and --layer-depth".to_string(),
            })
        })?;
        let constants = match together.theory.pressed {
            Pressed::HalfSpaces { e_star, .. } => vec![("Estar", e_star)],
            Pressed::Foundation { layer, .. } => vec![("K", layer.modulus), ("layer", layer.depth)],
        };
        let constants = constants.into_iter().chain([("poisson", self.poisson)]);
        Ok(constants.map(|(key, x)| (key.to_string(), json!(x))).collect())
    }
}
