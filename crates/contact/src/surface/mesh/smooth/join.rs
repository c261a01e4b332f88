//! # Joins: sheets put together across creases, with a fillet
//!
//! jets of the sheets at one place ──▶ **here** ──▶ one jet of the solid
//!
//! - **in**: [`FieldJet`]s in the order of their [`Place`]s, the radius of the fillet (m)
//! - **out**: one C² field: round max over ridges, round min in grooves
//! - **assumes**: a sheet without support here does not matter here
//!
//! ```text
//! round max = −ρ' + (Σ u³)^⅓,   u = max(f + ρ', 0),   ρ' = 1.78 ρ;     round min(f) = −round max(−f)
//! ```
//!
//! Power 3 gives C² (power 2, the true circle, only C¹); with ρ' = 1.78 ρ the least radius over a 90° edge is ρ.
//! The flats beyond ρ' are untouched. Solid = max over groups of (min over subgroups of (max over sheets)):
//! an L-bracket's inner corner is one group of two, a boss on a plate one group with a ring of sides as subgroup.
//! Of components that no crease connects, the one with the least |f| answers.

use super::quadric::FieldJet;
use super::sheets::Place;
use nalgebra::{Matrix3, Vector3};

/// ρ' for ρ: the least radius of curvature of u³ + v³ = ρ'³ is ρ'/1.78 (to four digits).
pub const WIDTH: f64 = 1.78;

/// A round max (sign +1) or round min (sign −1) being collected.
#[derive(Clone, Copy, Debug)]
struct Round {
    sign: f64,
    width: f64,
    /// Terms with u > 0.
    terms: u32,
    sum: f64,
    grad: Vector3<f64>,
    hess: Matrix3<f64>,
    /// The plain max (of sign·f).
    best: Option<FieldJet>,
}

impl Round {
    fn new(sign: f64, width: f64) -> Self {
        Self { sign, width, terms: 0, sum: 0.0, grad: Vector3::zeros(), hess: Matrix3::zeros(), best: None }
    }

    fn add(&mut self, jet: &FieldJet) {
        let value = self.sign * jet.f;
        if self.best.is_none_or(|b| value > self.sign * b.f) {
            self.best = Some(*jet);
        }
        let u = value + self.width;
        if u > 0.0 {
            self.terms += 1;
            self.sum += u * u * u;
            self.grad += jet.grad * (3.0 * u * u * self.sign);
            self.hess += jet.grad * jet.grad.transpose() * (6.0 * u) + jet.hess * (3.0 * u * u * self.sign);
        }
    }

    fn take(&mut self) -> Option<FieldJet> {
        let result = self.result();
        *self = Self::new(self.sign, self.width);
        result
    }

    fn result(&self) -> Option<FieldJet> {
        // One term gives itself; a vanishing sum (deep inside) gives the plain max.
        if self.terms < 2 || self.sum < (1e-3 * self.width).powi(3) {
            return self.best;
        }
        let s = self.sum.cbrt();
        let first = 1.0 / (3.0 * s * s);
        let second = -2.0 / (9.0 * s * s * self.sum);
        let grad = self.grad * first;
        let hess = self.hess * first + self.grad * self.grad.transpose() * second;
        Some(FieldJet { f: self.sign * (s - self.width), grad: grad * self.sign, hess: hess * self.sign })
    }
}

/// The solid being collected from its sheets, which come in the order of their places.
#[derive(Clone, Copy, Debug)]
pub struct Join {
    last: Option<Place>,
    over_sheets: Round,
    over_subgroups: Round,
    over_groups: Round,
    nearest: Option<FieldJet>,
}

impl Join {
    /// Nothing yet; `fillet` is ρ (m), 0 for sharp edges.
    pub fn new(fillet: f64) -> Self {
        let width = WIDTH * fillet;
        Self {
            last: None,
            over_sheets: Round::new(1.0, width),
            over_subgroups: Round::new(-1.0, width),
            over_groups: Round::new(1.0, width),
            nearest: None,
        }
    }

    /// The next sheet that has support here.
    pub fn add(&mut self, place: &Place, jet: &FieldJet) {
        if let Some(last) = self.last {
            self.close(&last, Some(place));
        }
        self.over_sheets.add(jet);
        self.last = Some(*place);
    }

    /// The jet of the solid; `None` if no sheet came.
    pub fn finish(mut self) -> Option<FieldJet> {
        let last = self.last?;
        self.close(&last, None);
        self.nearest
    }

    /// Closes the joins that end between `last` and `next`.
    fn close(&mut self, last: &Place, next: Option<&Place>) {
        let ends = |same: fn(&Place, &Place) -> bool| next.is_none_or(|n| !same(last, n));
        if ends(|a, b| a == b)
            && let Some(jet) = self.over_sheets.take()
        {
            self.over_subgroups.add(&jet);
        }
        if ends(|a, b| (a.component, a.group) == (b.component, b.group))
            && let Some(jet) = self.over_subgroups.take()
        {
            self.over_groups.add(&jet);
        }
        if ends(|a, b| a.component == b.component)
            && let Some(jet) = self.over_groups.take()
            && self.nearest.is_none_or(|n| jet.f.abs() < n.f.abs())
        {
            self.nearest = Some(jet);
        }
    }
}
