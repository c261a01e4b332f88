//! # Partial slip: the rim slides before the middle
//!
//! - **in**: a bank of parallel sliders, shares of stiffness and of the limit
//! - **out**: the same answers as the whole-patch law, with a rounded yield and loops that lose energy below gross slip
//! - **assumes**: each slider sees its share of the *present* normal load; exact at constant load
//! - **start at** [`Sliders`]
//!
//! At constant load a patch with pressure (1 − s²)^k yields along Q/μP = 1 − (1 − y)^(k+1), y = d/d_max, with
//! d_max = (k + 1) μP/k_t: Cattaneo and Mindlin for Hertz (exponent 3/2, (Johnson, §7.2)), a layer of independent springs
//! for k = 1 (exponent 2). Unloading and cycles follow Masing's rule, which is what springs in series with sliders, side
//! by side, do (Iwan). A bank of N sliders draws the curve by N tangents;
//! its error falls as 1/N².

use super::{ContactLaw, Friction, Local, Memory, Response, carried};
use crate::site::ContactSite;
use nalgebra::Vector3;

/// Parallel sliders.
#[derive(Clone, Debug, PartialEq)]
pub struct Sliders {
    /// Share of the stiffness of each slider; they sum to 1.
    pub stiffness: Vec<f64>,
    /// Share of the friction limit of each slider; they sum to 1.
    pub limit: Vec<f64>,
}

impl Sliders {
    /// `count` sliders (at least 1) for a pressure (1 − s²)^k: 1/2 for Hertz, 1 for a layer.
    pub fn new(count: usize, exponent: f64) -> Self {
        let n = count.max(1);
        let q = exponent + 1.0;
        // The polygon of the curve's tangents at N + 1 points, which crowd towards y = 1 where it bends most: slope at
        // the start and load at the end are exact, so that the shares sum to 1.
        let y: Vec<f64> = (0..=n).map(|i| 1.0 - (1.0 - i as f64 / n as f64).powi(2)).collect();
        let load = |y: f64| 1.0 - (1.0 - y).powf(q);
        let slope = |y: f64| q * (1.0 - y).powf(q - 1.0);
        let (mut stiffness, mut limit) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for pair in y.windows(2) {
            // A slider gives up where two tangents meet: its stiffness is the drop of slope, its limit that times y.
            let drop = slope(pair[0]) - slope(pair[1]);
            let start = |y: f64| load(y) - slope(y) * y;
            stiffness.push(drop / q);
            limit.push(start(pair[1]) - start(pair[0]));
        }
        Self { stiffness, limit }
    }
}

pub(super) fn respond(
    law: &ContactLaw,
    sliders: &Sliders,
    site: &ContactSite,
    local: &Local,
    memory: &Memory,
) -> Response {
    let mut load = Vector3::zeros();
    for (i, (x, theta)) in memory.sliders.iter().enumerate() {
        load += local.through(&local.split(x, *theta)) * sliders.stiffness[i].sqrt();
    }
    let margin = law.limit(local).map_or(1.0, |limit| crate::friction::FrictionLimit::margin(&limit, &load));
    law.answer(site, local, &load, memory.energy(), 0.0, Vector3::zeros(), 0.0, margin <= 1e-12, margin)
}

/// One step: every slider stretches, and returns to its share of the limit.
pub(super) fn advance(
    law: &ContactLaw,
    sliders: &Sliders,
    site: &ContactSite,
    local: &Local,
    memory: &mut Memory,
    h: f64,
) -> Response {
    let count = sliders.stiffness.len();
    if memory.sliders.len() != count {
        memory.sliders.resize(count, (Vector3::zeros(), 0.0));
    }
    let velocity = local.in_patch(&Vector3::new(site.v_t.x, site.v_t.y, site.w_n));
    let stretch = local.through(&(velocity * h));
    let whole = law.limit(local);
    let stiffness = local.stiffness();
    let from = memory.nhat_W;
    let (mut load, mut lost, mut energy) = (Vector3::zeros(), 0.0, 0.0);
    for (i, (x_W, theta)) in memory.sliders.iter_mut().enumerate() {
        let share = sliders.stiffness[i];
        let root = share.sqrt();
        let y = local.split(&carried(x_W, &from, site, h), *theta) + stretch * root;
        let trial = local.through(&y) * root;
        let mut kept = y;
        if let Some(limit) = whole {
            let part = crate::friction::Ellipsoid { load: limit.load * sliders.limit[i], ..limit };
            let mut k = stiffness;
            k.k *= share;
            k.k_theta *= share;
            let held = crate::friction::FrictionLimit::project(&part, &trial, &k);
            kept = y - local.through(&held.slip) * root;
        } else if matches!(law.friction, Friction::None) {
            kept = Vector3::zeros();
        }
        lost += 0.5 * (y.norm_squared() - kept.norm_squared());
        energy += 0.5 * kept.norm_squared();
        load += local.through(&kept) * root;
        *x_W = local.join(&kept);
        *theta = kept.z;
    }
    memory.nhat_W = site.nhat_W;
    let margin = whole.map_or(1.0, |limit| crate::friction::FrictionLimit::margin(&limit, &load));
    let gross = margin <= 1e-12;
    law.answer(site, local, &load, energy, 0.0, Vector3::zeros(), lost, gross, margin)
}
