//! # Balance: the six equations of equilibrium, made independent and of like size
//!
//! `grasp` ──▶ **here** ──(orthonormal rows)──▶ `statics`, `closure`
//!
//! - **in**: a grasp and e_n of each contact
//! - **out**: rank; orthonormal rows over the scaled loads; right sides of wrenches; twists from multipliers
//! - **not here**: cones and costs (`statics`)
//! - **assumes**: directions that contacts reach with less than 1e-9 of the best are not reached
//! - **start at** [`Balance::new`]
//!
//! Moments are taken about the middle of the contacts and divided by their spread, so that neither a far reference nor
//! millimetres cost digits. Rows are made orthonormal by Gram–Schmidt with the longest row first.

use crate::{Grasp, Twist, Wrench};
use nalgebra::{Vector3, Vector6};

/// Share of the longest row below which a row counts as none.
const RANK_TOLERANCE: f64 = 1e-9;

/// The equations of equilibrium of one grasp.
#[derive(Clone, Debug)]
pub struct Balance {
    /// Independent equations.
    pub rank: usize,
    /// Orthonormal rows over scaled loads x (4 a contact): load = scales·x.
    pub rows: Vec<Vec<f64>>,
    /// Row r of the equations is `transform[r]`·(scaled wrench).
    transform: Vec<Vector6<f64>>,
    /// Scaled twists that no contact feels.
    pub null: Vec<Vector6<f64>>,
    centre: Vector3<f64>,
    reference: Vector3<f64>,
    length: f64,
    /// Factors of (P, f₁, f₂, τ) for each contact.
    pub scales: Vec<[f64; 4]>,
}

impl Balance {
    /// The equations with these e_n.
    pub fn new(grasp: &Grasp, e_n: &[f64]) -> Self {
        let k = grasp.contacts.len();
        let centre = grasp.contacts.iter().map(|c| c.point).sum::<Vector3<f64>>() / k as f64;
        let spread = grasp.contacts.iter().map(|c| (c.point - centre).norm()).fold(0.0, f64::max);
        let length = spread.max(e_n.iter().copied().fold(0.0, f64::max)).max(1e-9 * grasp.torque_length);
        let scales: Vec<[f64; 4]> = grasp.contacts.iter().zip(e_n).map(|(c, e)| c.scales(*e)).collect();
        let mut rows = vec![vec![0.0; 4 * k]; 6];
        for (i, scales) in scales.iter().enumerate() {
            let map = grasp.map_about(i, &centre);
            for r in 0..6 {
                let unit = if r < 3 { 1.0 } else { 1.0 / length };
                for c in 0..4 {
                    rows[r][4 * i + c] = unit * map[(r, c)] * scales[c];
                }
            }
        }
        let mut balance = Self {
            rank: 0,
            rows,
            transform: Vec::new(),
            null: Vec::new(),
            centre,
            reference: grasp.reference,
            length,
            scales,
        };
        balance.make_independent();
        balance
    }

    fn make_independent(&mut self) {
        let dot = products;
        let mut transform: Vec<Vector6<f64>> =
            (0..6).map(|r| Vector6::from_fn(|i, _| if i == r { 1.0 } else { 0.0 })).collect();
        let rows = &mut self.rows;
        let longest = rows.iter().map(|r| dot(r, r)).fold(0.0, f64::max).sqrt();
        let mut rank = 0;
        while rank < 6 {
            // The longest of what is left; ties by index, so that the order is the same everywhere.
            let mut lengths = [0.0; 6];
            (rank..6).for_each(|r| lengths[r] = dot(&rows[r], &rows[r]));
            let best = (rank..6).fold(rank, |best, r| if lengths[r] > lengths[best] { r } else { best });
            rows.swap(rank, best);
            transform.swap(rank, best);
            // Once more against all rows before: what cancelled is restored.
            for j in 0..rank {
                let (before, row) = rows.split_at_mut(rank);
                let along = dot(&before[j], &row[0]);
                row[0].iter_mut().zip(&before[j]).for_each(|(x, y)| *x -= along * y);
                let other = transform[j];
                transform[rank] -= other * along;
            }
            let length = dot(&rows[rank], &rows[rank]).sqrt();
            if length <= RANK_TOLERANCE * longest {
                break;
            }
            let over = 1.0 / length;
            rows[rank].iter_mut().for_each(|x| *x *= over);
            transform[rank] *= over;
            let (done, rest) = rows.split_at_mut(rank + 1);
            let own = &done[rank];
            for (r, row) in rest.iter_mut().enumerate() {
                let along = dot(own, row);
                row.iter_mut().zip(own).for_each(|(x, y)| *x -= along * y);
                let pivot = transform[rank];
                transform[rank + 1 + r] -= pivot * along;
            }
            rank += 1;
        }
        self.rank = rank;
        self.rows.truncate(rank);
        self.null = transform.split_off(rank).into_iter().map(|u| u.normalize()).collect();
        self.transform = transform;
    }

    /// A wrench about the middle of the contacts, moments over the length.
    fn scaled(&self, wrench: &Wrench) -> Vector6<f64> {
        let (force, moment) = (wrench.fixed_rows::<3>(0).into_owned(), wrench.fixed_rows::<3>(3).into_owned());
        let moment = (moment + (self.reference - self.centre).cross(&force)) / self.length;
        Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z)
    }

    /// Size of a wrench in the units of the equations (N).
    pub fn size(&self, wrench: &Wrench) -> f64 {
        self.scaled(wrench).norm()
    }

    /// Right sides of Σ rows·x = these, for loads that make `wrench`; or the twist along which no contact can make it.
    pub fn sides(&self, wrench: &Wrench) -> Result<Vec<f64>, Twist> {
        let scaled = self.scaled(wrench);
        for null in &self.null {
            let along = null.dot(&scaled);
            if along.abs() > 1e-9 * scaled.norm() {
                // Along this twist or its opposite: the sign with which the loads would have to do work.
                return Err(self.twist_of_scaled(&(null * along.signum())));
            }
        }
        Ok(self.transform.iter().map(|t| t.dot(&scaled)).collect())
    }

    /// The twist of multipliers y of the rows: loads x do the work (rowsᵀy)·x on it.
    pub fn twist(&self, y: &[f64]) -> Twist {
        let scaled: Vector6<f64> = self.transform.iter().zip(y).map(|(t, y)| t * *y).sum();
        self.twist_of_scaled(&scaled)
    }

    /// A scaled twist about the middle, in m/s and rad/s about the reference.
    pub fn twist_of_scaled(&self, scaled: &Vector6<f64>) -> Twist {
        let w = scaled.fixed_rows::<3>(3).into_owned() / self.length;
        let v = scaled.fixed_rows::<3>(0).into_owned() + w.cross(&(self.reference - self.centre));
        Vector6::new(v.x, v.y, v.z, w.x, w.y, w.z)
    }
}

/// a·b of two rows, four numbers for each contact: sums beside each other, so that none waits for the last.
fn products(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = [0.0; 4];
    for (a, b) in a.chunks_exact(4).zip(b.chunks_exact(4)) {
        for k in 0..4 {
            sum[k] += a[k] * b[k];
        }
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}
