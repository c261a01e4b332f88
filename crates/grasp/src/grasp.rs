//! # Grasp: contacts around one object
//!
//! `contact` ──▶ **here** ──▶ `balance`, `support`
//!
//! - **in**: contacts, the point that wrenches refer to, the length that turns moments into forces for metrics
//! - **out**: [`Grasp`], checked; the columns of its grasp map
//! - **not here**: what it can hold (`closure`, `grip`, `epsilon`)
//! - **start at** [`Grasp::new`]

use crate::{Contact, GraspError, PatchGrowth, Wrench};
use nalgebra::{Matrix6x4, Vector3};

/// Loads at which metrics take patches that live with the load and have no limit (N).
pub const DEFAULT_LIMIT: f64 = 60.0;

/// Contacts around one object.
#[derive(Clone, Debug, PartialEq)]
pub struct Grasp {
    /// The contacts.
    pub contacts: Vec<Contact>,
    /// The point that wrenches and twists refer to (m).
    pub reference: Vector3<f64>,
    /// Length that divides moments in metrics (m).
    pub torque_length: f64,
    /// What had to be changed or looks wrong.
    pub warnings: Vec<String>,
}

impl Grasp {
    /// A grasp; without a torque length the largest distance of a contact from the reference is taken.
    pub fn new(
        contacts: Vec<Contact>,
        reference: Vector3<f64>,
        torque_length: Option<f64>,
    ) -> Result<Self, GraspError> {
        if contacts.is_empty() {
            return Err(GraspError::NoContacts);
        }
        if !reference.iter().all(|x| x.is_finite() && x.abs() <= 1e9) {
            return Err(GraspError::number("reference", "finite numbers up to 1e9", reference.as_slice()));
        }
        let mut warnings = Vec::new();
        let checked =
            contacts.into_iter().enumerate().map(|(k, c)| c.checked(&format!("contacts[{k}]"), &mut warnings));
        let contacts = checked.collect::<Result<Vec<_>, _>>()?;
        let reach = contacts.iter().map(|c| (c.point - reference).norm()).fold(0.0, f64::max);
        let torque_length = match torque_length {
            Some(length) if (1e-9..=1e9).contains(&length) => length,
            Some(length) => return Err(GraspError::number("torque_length", "a length from 1e-9 to 1e9 m", length)),
            None if reach >= 1e-9 => reach,
            None => {
                return Err(GraspError::number("torque_length", "a length: every contact is at the reference", reach));
            }
        };
        let mut grasp = Self { contacts, reference, torque_length, warnings };
        grasp.look_for_mixed_units(reach);
        Ok(grasp)
    }

    /// Numbers that are right by themselves and together hardly ever are.
    fn look_for_mixed_units(&mut self, reach: f64) {
        let largest = self.contacts.iter().map(|c| c.patch.e_n(c.limit.unwrap_or(1.0))).fold(0.0, f64::max);
        let centre: Vector3<f64> =
            self.contacts.iter().map(|c| c.point).sum::<Vector3<f64>>() / self.contacts.len() as f64;
        let spread = self.contacts.iter().map(|c| (c.point - centre).norm()).fold(0.0, f64::max);
        let warnings = &mut self.warnings;
        let mut ratio = |a: f64, b: f64, what: &str| {
            if a > 0.0 && b > 0.0 && !(1e-2..=1e2).contains(&(a / b)) {
                warnings.push(format!("{what} ({a:.3e} m and {b:.3e} m): are units mixed?"));
            }
        };
        ratio(self.torque_length, reach, "torque_length and the distance of the contacts differ by more than 100");
        if largest > 0.0 && spread > 0.0 && !(1e-4..=10.0).contains(&(largest / spread)) {
            warnings.push(format!(
                "patches and the distances between contacts do not go together (e_n {largest:.3e} m, contacts {spread:.3e} m \
                 apart): are units mixed?"
            ));
        }
        if spread > 0.0 && reach > 1e3 * spread {
            warnings.push(format!(
                "the reference is {reach:.3e} m from contacts that are {spread:.3e} m apart: moments are about a far point"
            ));
        }
    }

    /// Columns of the grasp map of one contact: what unit (P, f₁, f₂, τ) do to the object, about a point.
    pub fn map_about(&self, k: usize, origin: &Vector3<f64>) -> Matrix6x4<f64> {
        let c = &self.contacts[k];
        let arm = c.point - origin;
        let mut map = Matrix6x4::zeros();
        for (column, axis) in [c.normal, c.tangent, c.tangent2()].into_iter().enumerate() {
            map.fixed_view_mut::<3, 1>(0, column).copy_from(&axis);
            map.fixed_view_mut::<3, 1>(3, column).copy_from(&arm.cross(&axis));
        }
        map.fixed_view_mut::<3, 1>(3, 3).copy_from(&c.normal);
        map
    }

    /// The wrench that loads (P, f₁, f₂, τ) of all contacts make together, about the reference.
    pub fn wrench_of(&self, loads: &[[f64; 4]]) -> Wrench {
        let part = |k: usize| self.map_about(k, &self.reference) * nalgebra::Vector4::from(loads[k]);
        (0..self.contacts.len()).map(part).sum()
    }

    /// Whether some patch grows with its load.
    pub fn lives(&self) -> bool {
        self.contacts.iter().any(|c| c.patch.lives())
    }

    /// Load at which metrics take the patch of a contact (N).
    pub fn metric_load(&self, k: usize) -> f64 {
        self.contacts[k].limit.unwrap_or(DEFAULT_LIMIT)
    }

    /// e_n of every contact as metrics take it: at the limit for patches that live with the load.
    ///
    /// All loads up to the limit have their convex hull in the cone with that e_n, and the hull is all that closure and
    /// epsilon see (see `live`).
    pub fn metric_e_n(&self) -> Vec<f64> {
        (0..self.contacts.len()).map(|k| self.contacts[k].patch.e_n(self.metric_load(k))).collect()
    }

    /// The grasp with every patch frozen at a load (N).
    pub fn frozen_at(&self, load: f64) -> Self {
        let freeze = |c: &Contact| Contact { patch: PatchGrowth::Fixed(c.patch.e_n(load)), ..*c };
        Self { contacts: self.contacts.iter().map(freeze).collect(), ..self.clone() }
    }

    /// The grasp with every patch frozen at one e_n (m).
    pub fn frozen_with(&self, e_n: f64) -> Self {
        let freeze = |c: &Contact| Contact { patch: PatchGrowth::Fixed(e_n), ..*c };
        Self { contacts: self.contacts.iter().map(freeze).collect(), ..self.clone() }
    }
}
