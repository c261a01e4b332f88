//! # `fingerpad query slip`: elastic displacements that slip back to the friction limit
//!
//! `cases: [{k_t, k_theta, e_n, mu, P, xi_trial, theta_trial}]` ──▶ **here** ──▶ `xi`, `theta`, `lam`, … in each case
//!
//! - **in**: springs along a patch (N/m, N·m/rad), its friction limit, and a stretch they may not be able to hold (m, rad)
//! - **out**: the nearest stretch that holds, nearest in the energy of the springs, and what the way there costs (J)
//! - **not here**: how the multiplier is found (`fingerpad_contact::friction::return_map`)
//! - **start at** [`run`], then [`answer`]
//!
//! ```text
//! |k_t ξ|² + (k_θ θ/e_n)² ≤ (μP)²,   ξ = ξ_trial/(1 + λ),   θ = θ_trial/(1 + ρλ),   ρ = k_θ/(k_t e_n²)
//! ```

use super::Answers;
use super::batch::{Answer, Batch, cell};
use crate::json::document::Document;
use crate::json::{self, Field, FieldError, words};
use crate::outcome::{Failure, Outcome};
use clap::Args;
use fingerpad_contact::friction::return_map::multiplier;
use fingerpad_files::units::{self, Dimension};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Options of `query slip`.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Slip {
    /// JSON document with a list `cases`; `-` reads stdin.
    #[arg(required_unless_present = "k_t")]
    pub file: Option<PathBuf>,
    /// Spring along the patch, e.g. `8 N/mm`.
    #[arg(long, value_name = "STIFFNESS", conflicts_with = "file", requires_all = ["k_theta", "e_n", "friction", "load", "xi"], value_parser = stiffness)]
    pub k_t: Option<f64>,
    /// Spring about the normal (N m/rad).
    #[arg(long, value_name = "STIFFNESS", requires = "k_t", value_parser = torsional)]
    pub k_theta: Option<f64>,
    /// Largest moment over largest force of friction.
    #[arg(long, value_name = "LENGTH", requires = "k_t", value_parser = length)]
    pub e_n: Option<f64>,
    /// Coefficient of friction.
    #[arg(long, value_name = "NUMBER", requires = "k_t", value_parser = number)]
    pub friction: Option<f64>,
    /// Normal load.
    #[arg(long, value_name = "FORCE", requires = "k_t", allow_hyphen_values = true, value_parser = force)]
    pub load: Option<f64>,
    /// Stretch along the patch (m, cm, mm, um).
    #[arg(long, value_name = "X,Y", requires = "k_t", allow_hyphen_values = true, value_parser = words::lengths::<2>)]
    pub xi: Option<[f64; 2]>,
    /// Turn about the normal (rad, deg).
    #[arg(long, value_name = "ANGLE", requires = "k_t", default_value = "0", allow_hyphen_values = true, value_parser = angle)]
    pub theta: f64,
    /// How answers leave.
    #[command(flatten)]
    pub answers: Answers,
}

const EXAMPLE: &str = "\
Examples:
  fingerpad query slip --k-t 8N/mm --k-theta 0.06 --e-n 3mm --friction 0.8 --load 5N --xi 1mm,0 --theta 10deg
  fingerpad query slip cases.json --json > answered.json
  echo '{\"cases\": [{\"k_t\": 8000, \"k_theta\": 0.06, \"e_n\": 0.003, \"mu\": 0.8, \"P\": 5,
     \"xi_trial\": [0.001, 0], \"theta_trial\": 0.2}]}' | fingerpad query slip -

Fields: docs/formats.md.";

const BATCH: Batch = Batch {
    lists: &["cases", "queries"],
    answers: &["xi", "theta", "lam", "slipping", "dissipated_energy", "work_at_end_load"],
    optional: &[],
    answer,
    header: &["slips", "xi [m]", "theta [rad]", "lam", "dissipated [J]", "work at end load [J]"],
    rows,
};

/// Answers every case of the document.
pub fn run(options: &Slip, quiet: bool) -> Result<Outcome, Failure> {
    let document = match &options.file {
        Some(path) => Document::read(path)?,
        None => {
            let Slip { k_t, k_theta, e_n, friction, load, xi, theta, .. } = options;
            let springs = json!({"k_t": k_t, "k_theta": k_theta, "e_n": e_n, "mu": friction, "P": load,
                "xi_trial": xi, "theta_trial": theta});
            Document::of_options(Map::from_iter([("cases".to_string(), json!([springs]))]))
        }
    };
    BATCH.run(document, &options.answers, quiet)
}

fn stiffness(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Stiffness { n: 1.0 })
}

fn torsional(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::TorsionalStiffness)
}

fn length(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Length)
}

fn number(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Number)
}

fn force(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Force)
}

fn angle(text: &str) -> Result<f64, units::UnitError> {
    units::parse(text, Dimension::Angle)
}

/// Springs and limit of one case.
struct Case {
    k_t: f64,
    k_theta: f64,
    e_n: f64,
    /// μP (N), 0 without load.
    limit: f64,
    xi: [f64; 2],
    theta: f64,
}

/// Where a case ends.
struct Returned {
    xi: [f64; 2],
    theta: f64,
    lam: Option<f64>,
    slipping: bool,
    dissipated: f64,
    work: f64,
}

fn answer(record: &Field) -> Result<Answer, FieldError> {
    let mu = record.require("mu")?.not_negative()?;
    let case = Case {
        k_t: record.require("k_t")?.positive()?,
        k_theta: record.require("k_theta")?.positive()?,
        e_n: record.require("e_n")?.not_negative()?,
        limit: mu * record.require("P")?.number()?.max(0.0),
        xi: record.require("xi_trial")?.numbers::<2>()?,
        theta: record.require("theta_trial")?.number()?,
    };
    let found = case.returned();
    let mut warnings = Vec::new();
    let mut number = |name: &str, x: f64| json::finite(name, x, &mut warnings);
    let fields = [
        ("xi", found.xi.iter().map(|x| number("xi", *x)).collect()),
        ("theta", number("theta", found.theta)),
        ("lam", found.lam.map_or(Value::Null, |lam| number("lam", lam))),
        ("slipping", json!(found.slipping)),
        ("dissipated_energy", number("dissipated_energy", found.dissipated)),
        ("work_at_end_load", number("work_at_end_load", found.work)),
    ];
    Ok((Map::from_iter(fields.map(|(key, value)| (key.to_string(), value))), warnings))
}

impl Case {
    /// Energy of the springs (J), told apart by displacement and turn.
    fn energy(&self, xi: &[f64; 2], theta: f64) -> [f64; 2] {
        [0.5 * self.k_t * (xi[0] * xi[0] + xi[1] * xi[1]), 0.5 * self.k_theta * theta * theta]
    }

    fn returned(&self) -> Returned {
        let Case { k_t, k_theta, e_n, limit, xi, theta } = *self;
        let stretched = xi != [0.0; 2] || theta != 0.0;
        if limit == 0.0 {
            // Nothing holds: all that was stored is lost, at no load.
            let [shift, turn] = self.energy(&xi, theta);
            let (xi, lam) = ([0.0; 2], None);
            return Returned { xi, theta: 0.0, lam, slipping: stretched, dissipated: shift + turn, work: 0.0 };
        }
        let used = |load: f64| (load / limit) * (load / limit);
        let shift = xi.map(|x| used(k_t * x));
        if e_n == 0.0 {
            return self.without_moment(shift[0] + shift[1]);
        }
        let turn = used(k_theta * theta / e_n);
        if shift[0] + shift[1] + turn <= 1.0 {
            return Returned { xi, theta, lam: Some(0.0), slipping: false, dissipated: 0.0, work: 0.0 };
        }
        let rho = k_theta / k_t / e_n / e_n;
        let (lam, _) = multiplier(&[shift[0], shift[1], turn], &[1.0, 1.0, rho]);
        let (xi, theta) = (xi.map(|x| x / (1.0 + lam)), theta / (1.0 + rho * lam));
        // V(trial) − V(returned) with the trial written as (1 + wλ) times the returned: nothing cancels.
        let [shift, turn] = self.energy(&xi, theta);
        let dissipated = shift * lam * (2.0 + lam) + turn * (rho * lam) * (2.0 + rho * lam);
        let work = 2.0 * (shift * lam + turn * rho * lam);
        Returned { xi, theta, lam: Some(lam), slipping: true, dissipated, work }
    }

    /// A point of contact (e_n = 0) holds no moment: the turn is lost whole, the displacement returns alone.
    fn without_moment(&self, used: f64) -> Returned {
        let lam = (used.sqrt() - 1.0).max(0.0);
        let xi = self.xi.map(|x| x / (1.0 + lam));
        let [shift, _] = self.energy(&xi, 0.0);
        let [_, turn] = self.energy(&[0.0; 2], self.theta);
        Returned {
            xi,
            theta: 0.0,
            lam: Some(lam),
            slipping: lam > 0.0 || self.theta != 0.0,
            dissipated: shift * lam * (2.0 + lam) + turn,
            work: 2.0 * shift * lam,
        }
    }
}

fn rows(record: &Value) -> Vec<Vec<String>> {
    let slips = if record["slipping"] == json!(true) { "yes" } else { "no" };
    let xi: Vec<String> = record["xi"].as_array().into_iter().flatten().map(|x| cell(x, 1.0)).collect();
    let mut row = vec![slips.to_string(), format!("({})", xi.join(", "))];
    row.extend(["theta", "lam", "dissipated_energy", "work_at_end_load"].map(|key| cell(&record[key], 1.0)));
    vec![row]
}
