//! # `fingerpad query patch`: contact patches under load
//!
//! `contact_cases: [{inp}]` ──▶ **here** ──▶ `hertz`, `winkler`, `power_law` in each record
//!
//! - **in**: load, relative radii, and the constants of one theory or of several (`inp`)
//! - **out**: semi-axes, approach, peak pressure, eccentricity, largest moment; stiffness where Poisson's ratio is given
//! - **not here**: the theories (`fingerpad_contact::patch`); plain options ([`options`])
//! - **start at** [`run`], then [`answer`]

mod options;
mod pressure;

use super::Answers;
use super::batch::{Answer, Batch, cell};
use crate::json::document::Document;
use crate::json::{self, Field, FieldError};
use crate::outcome::{Failure, Outcome};
use clap::Args;
use fingerpad_contact::patch::foundation::{Foundation, torsion_factor};
use fingerpad_contact::patch::line::{Curve, LineContact};
use fingerpad_contact::patch::shear::ShearCompliance;
use fingerpad_contact::patch::{Kind, PatchTheory, Pressed, RelativeCurvature, hertz};
use pressure::Pressure;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query patch`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Patch {
    /// JSON document with a list `contact_cases`; `-` reads stdin.
    #[arg(required_unless_present = "radius")]
    pub file: Option<PathBuf>,
    /// A pad and what presses it.
    #[command(flatten)]
    pub pad: options::Pad,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query patch --radius 10mm --load 1N..20N:20 --young 0.3MPa
  fingerpad query patch --radius 10mm --radius2 straight --length 15mm --load 5N --layer-modulus 0.2MPa --layer-depth 4mm \\
     --friction 0.8
  echo '{\"contact_cases\": [{\"inp\": {\"P\": 5, \"R1\": 0.02, \"R2\": 0.01, \"Estar\": 4e5, \"mu\": 0.8}}]}' \\
     | fingerpad query patch - --json

The counterpart is rigid, and flat unless --against-radius is given. Lengths take m, cm, mm, um; moduli Pa, kPa, MPa, GPa.
Fields: docs/formats.md.";

const BATCH: Batch = Batch {
    lists: &["contact_cases", "cases", "queries"],
    answers: &["hertz", "winkler", "power_law"],
    optional: &["k_n", "k_t_along", "k_t_across", "k_theta"],
    answer,
    header: &[
        "theory",
        "load [N]",
        "a [mm]",
        "b [mm]",
        "area [mm²]",
        "p0 [kPa]",
        "approach [mm]",
        "k_n [N/mm]",
        "k_t [N/mm]",
        "k_theta [N·mm/rad]",
        "tau_max [N·mm]",
        "a/R",
        "approach/depth",
    ],
    rows,
};

/// Answers every record of the document, or the pad of the options.
pub fn run(options: &Patch, quiet: bool) -> Result<Outcome, Failure> {
    let document = match &options.file {
        Some(path) => Document::read(path)?,
        None => options.pad.document()?,
    };
    BATCH.run(document, &options.answers, quiet)
}

/// What all theories share.
struct Pressing {
    load: f64,
    mu: Option<f64>,
    curvature: RelativeCurvature,
    /// Half the length of the pad (m).
    extent: f64,
    poisson: Option<f64>,
}

fn answer(record: &Field) -> Result<Answer, FieldError> {
    let inp = record.require("inp")?;
    inp.object()?;
    let mut warnings = Vec::new();
    let mut fields = Map::new();
    let e_star = inp.get("Estar").map(|f| f.positive()).transpose()?;
    let modulus = inp.get("K").map(|f| f.positive()).transpose()?;
    let depth = inp.get("layer").map(|f| f.positive()).transpose()?;
    let exponent = inp.get("k").map(|f| exponent(&f)).transpose()?;
    let layer = modulus.zip(depth);
    if e_star.is_none() && layer.is_none() && exponent.is_none() {
        let path = inp.child(if modulus.is_some() {
            "layer"
        } else if depth.is_some() {
            "K"
        } else {
            "Estar"
        });
        return Err(FieldError::new(
            path,
            "expected `Estar` (Hertz), `K` and `layer` (Winkler) or `k` (power law), got none of them complete",
        ));
    }
    if layer.is_none() && (modulus.is_some() || depth.is_some()) {
        let (here, gone) = if modulus.is_some() { ("K", "layer") } else { ("layer", "K") };
        warnings.push(format!("no winkler: it needs `K` and `layer`, got `{here}` without `{gone}`"));
    }
    if e_star.is_some() || layer.is_some() {
        let pressing = pressing(&inp, &mut warnings)?;
        if let Some(e_star) = e_star {
            fields.insert("hertz".to_string(), pressing.hertz(e_star, &inp, &mut warnings)?);
        }
        if let Some((modulus, depth)) = layer {
            fields.insert("winkler".to_string(), pressing.winkler(modulus, depth, &inp, &mut warnings)?);
        }
    }
    if let Some(exponent) = exponent {
        let factor = json::finite("power_law.T_k", torsion_factor(exponent), &mut warnings);
        fields.insert("power_law".to_string(), json!({"T_k": factor}));
    }
    Ok((fields, warnings))
}

fn exponent(field: &Field) -> Result<f64, FieldError> {
    let k = field.number()?;
    if k > -1.0 { Ok(k) } else { Err(field.expected("a number above -1")) }
}

fn pressing(inp: &Field, warnings: &mut Vec<String>) -> Result<Pressing, FieldError> {
    let load = inp.require("P")?.not_negative()?;
    let extent = inp.get("extent").map(|f| f.positive()).transpose()?;
    let other = inp.require("R2")?.positive()?;
    // Along a line there is no radius: then the pad must say where it ends.
    let one = match extent {
        Some(_) => inp.get("R1").map(|f| f.positive()).transpose()?.unwrap_or(f64::INFINITY),
        None => inp.require("R1")?.positive()?,
    };
    if one < other {
        warnings.push(format!("R1 = {one} m is less than R2 = {other} m: swapped, a is along the larger"));
    }
    let mu = inp.get("mu").map(|f| f.not_negative()).transpose()?;
    if mu.is_none() {
        warnings.push("tau_max is null: it needs `mu` (--friction)".to_string());
    }
    let poisson = inp.get("poisson").map(|f| poisson(&f)).transpose()?;
    let curvature = RelativeCurvature::from_radii(one, other);
    Ok(Pressing { load, mu, curvature, extent: extent.unwrap_or(f64::INFINITY), poisson })
}

fn poisson(field: &Field) -> Result<f64, FieldError> {
    let nu = field.number()?;
    if nu > -1.0 && nu <= 0.5 { Ok(nu) } else { Err(field.expected("a number above -1 and at most 0.5")) }
}

/// Poisson's ratio where none is given: patch, pressure and moment do not depend on it.
const ANY_POISSON: f64 = 0.5;

/// Half-widths that an elastic line must be long (half its length) for the theory to hold (`patch::line`).
const LEAST_LENGTH: f64 = 4.0;

impl Pressing {
    fn hertz(&self, e_star: f64, inp: &Field, warnings: &mut Vec<String>) -> Result<Value, FieldError> {
        // All of the deformation in one body: E = (1 − ν²) E*, G = E/(2(1 + ν)).
        let nu = self.poisson.unwrap_or(ANY_POISSON);
        let shear_modulus = 0.5 * (1.0 - nu) * e_star;
        let shear = ShearCompliance { even: (1.0 - nu) / shear_modulus, uneven: nu / shear_modulus };
        let patch = self.patch(Pressed::HalfSpaces { e_star, shear }, "hertz", inp, warnings)?;
        // A point has the shape of the patches that grow from it.
        let kappa = if patch.a > 0.0 {
            patch.b / patch.a
        } else if self.curvature.kind() == Kind::Elliptic {
            hertz::axis_ratio(self.curvature.ratio())
        } else {
            0.0
        };
        Ok(self.fields("hertz", &patch, Some(kappa), warnings))
    }

    fn winkler(&self, modulus: f64, depth: f64, inp: &Field, warnings: &mut Vec<String>) -> Result<Value, FieldError> {
        let layer = Foundation { modulus, depth, exponent: 1.0 };
        // Columns that may bulge: G = K/(2(1 + ν)).
        let shear_per_depth = modulus / (2.0 * (1.0 + self.poisson.unwrap_or(ANY_POISSON))) / depth;
        let patch = self.patch(Pressed::Foundation { layer, shear_per_depth }, "winkler", inp, warnings)?;
        if patch.approach > depth {
            let delta = patch.approach;
            warnings.push(format!(
                "winkler: the approach delta = {delta:.4e} m is above the layer's depth {depth:e} m: outside the theory's range"
            ));
        }
        Ok(self.fields("winkler", &patch, None, warnings))
    }

    /// The patch of one theory: of the line itself where the pad is straight, else the ellipse.
    fn patch(
        &self,
        pressed: Pressed,
        name: &str,
        inp: &Field,
        warnings: &mut Vec<String>,
    ) -> Result<Pressure, FieldError> {
        let refused = |e| FieldError::new(inp.child("R1"), e);
        let patch = if self.curvature.kind() == Kind::LineLike && self.extent.is_finite() {
            let curve = Curve::Line { half_length: self.extent };
            let line = LineContact { curve, curvature_across: self.curvature.high };
            Pressure::of_line(self.extent, &line.under_load(&pressed, self.load).map_err(refused)?)
        } else {
            let theory = PatchTheory { pressed, extent: self.extent };
            Pressure::of_ellipse(&theory.under_load(&self.curvature, self.load).map_err(refused)?)
        };
        for (axis, radius, size, curvature) in
            [("a", "R1", patch.a, self.curvature.low), ("b", "R2", patch.b, self.curvature.high)]
        {
            if size * curvature > 1.0 {
                let limit = 1.0 / curvature;
                warnings.push(format!(
                    "{name}: the semi-axis {axis} = {size:.4e} m is above the radius {radius} = {limit:.4e} m: outside the theory's range, which is patches small against the radii"
                ));
            }
        }
        if patch.capped && patch.a > 0.0 {
            let extent = self.extent;
            warnings.push(if patch.a > extent || patch.b >= extent {
                format!("{name}: the patch is wider than the pad is long (half-length {extent:e} m): outside the theory's range")
            } else {
                format!("{name}: the pad ends the patch, at its half-length {extent:e} m")
            });
            let short = patch.b < extent && extent < LEAST_LENGTH * patch.b;
            if short && patch.line && matches!(pressed, Pressed::HalfSpaces { .. }) {
                warnings.push(format!(
                    "{name}: the line is short, its half-length {extent:e} m below four half-widths b = {:.4e} m: outside the theory's range, delta and k_n err by some 5 % and more",
                    patch.b
                ));
            }
        }
        Ok(patch)
    }

    /// The answer of one theory.
    fn fields(&self, name: &str, patch: &Pressure, kappa: Option<f64>, warnings: &mut Vec<String>) -> Value {
        let mut fields = Map::new();
        let mut put = |key: &str, x: Option<f64>| {
            let value = x.map_or(Value::Null, |x| json::finite(&format!("{name}.{key}"), x, warnings));
            fields.insert(key.to_string(), value);
        };
        put("a", Some(patch.a));
        put("b", Some(patch.b));
        if kappa.is_some() {
            put("kappa", kappa);
        }
        put("delta", Some(patch.approach));
        put("p0", Some(patch.peak_pressure));
        put("e_n", Some(patch.e_n));
        put("tau_max", self.mu.map(|mu| mu * self.load * patch.e_n));
        put("e_n_paper_sqrt_ab", Some(patch.e_n_of_root_ab));
        if self.poisson.is_some() {
            put("k_n", Some(patch.normal_stiffness));
            put("k_t_along", Some(patch.stiffness.along));
            put("k_t_across", Some(patch.stiffness.across));
            put("k_theta", Some(patch.stiffness.torsional));
        }
        Value::Object(fields)
    }
}

/// Millimetres per metre, kilopascals per pascal: tables are in the units of workshops.
const MM: f64 = 1e3;
const KPA: f64 = 1e-3;

fn rows(record: &Value) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> =
        ["hertz", "winkler"].iter().filter_map(|name| Some(row(name, &record["inp"], record.get(*name)?))).collect();
    if let Some(law) = record.get("power_law").filter(|_| rows.is_empty()) {
        rows.push(vec![format!("power law: T_k = {}", cell(&law["T_k"], 1.0))]);
    }
    rows
}

fn row(name: &str, inp: &Value, answer: &Value) -> Vec<String> {
    let number = |key: &str| answer[key].as_f64();
    let derived = |x: Option<f64>| cell(&json!(x), 1.0);
    let (a, b, delta) = (number("a"), number("b"), number("delta"));
    // Each semi-axis against the radius along it; the larger share counts.
    let radii = [inp["R1"].as_f64().unwrap_or(f64::INFINITY), inp["R2"].as_f64().unwrap_or(f64::INFINITY)];
    // A line presses a rectangle.
    let line = RelativeCurvature::from_radii(radii[0], radii[1]).kind() == Kind::LineLike;
    let shape = if line { 4.0 } else { std::f64::consts::PI };
    let area = a.zip(b).map(|(a, b)| shape * a * b * MM * MM);
    let share = a.zip(b).map(|(a, b)| (a / radii[0].max(radii[1])).max(b / radii[0].min(radii[1])));
    let strain = delta.zip(inp["layer"].as_f64()).filter(|_| name == "winkler").map(|(delta, depth)| delta / depth);
    let (along, across) = (cell(&answer["k_t_along"], 1.0 / MM), cell(&answer["k_t_across"], 1.0 / MM));
    vec![
        name.to_string(),
        cell(&inp["P"], 1.0),
        cell(&answer["a"], MM),
        cell(&answer["b"], MM),
        derived(area),
        cell(&answer["p0"], KPA),
        cell(&answer["delta"], MM),
        cell(&answer["k_n"], 1.0 / MM),
        if along == across { along } else { format!("{along} | {across}") },
        cell(&answer["k_theta"], MM),
        cell(&answer["tau_max"], MM),
        derived(share),
        derived(strain),
    ]
}
