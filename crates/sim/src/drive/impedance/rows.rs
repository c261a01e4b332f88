//! # Rows of spatial springs over a step
//!
//! - **in**: springs of a tree, its frame at the start, in the middle and at the end of a step
//! - **out**: coordinates x of each spring and its six directions; what the springs store, and what straight rows miss
//! - **not here**: the law of a row ([`Gains`](crate::drive::Gains))
//! - **start at** [`coordinates`], [`SpringRows`]
//!
//! Over a step each row is straight: Δx = h c·v_s − Δr, c the directions in the middle of the step and Δr what the reference
//! does to x there. What x is at the end beside x0 + Δx, of the third order in h, is a misfit of geometry: `E_geo`.

use super::Told;
use super::place::{End, PlacedSpring};
use crate::coordinates::{Base, Frame, Tree};
use crate::drive::Term;
use fingerpad_contact::spatial::SpatialForce;
use nalgebra::{Isometry3, Vector3};

/// x and y of a spring, and for each of the six the wrench at p_B that does work on it: on B, and its negative on A.
pub(crate) fn coordinates(X_WA: &Isometry3<f64>, X_WB: &Isometry3<f64>) -> ([f64; 6], [SpatialForce; 6]) {
    let R_WA = X_WA.rotation.to_rotation_matrix();
    let x = R_WA.inverse() * (X_WB.translation.vector - X_WA.translation.vector);
    let q = (X_WA.rotation.inverse() * X_WB.rotation).into_inner();
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    let (eta, epsilon) = (sign * q.w, q.imag() * sign);
    let mut along = [SpatialForce::zero(); 6];
    for i in 0..3 {
        let e = Vector3::ith(i, 1.0);
        along[i].f = R_WA * e;
        // A row of (η 1 − [ε]×): its transpose on e is η e + ε × e.
        along[3 + i].t = R_WA * (e * eta + epsilon.cross(&e));
    }
    ([x.x, x.y, x.z, 2.0 * epsilon.x, 2.0 * epsilon.y, 2.0 * epsilon.z], along)
}

/// Springs of a tree over one step.
#[derive(Clone, Debug)]
pub(crate) struct SpringRows {
    springs: Vec<PlacedSpring>,
    /// Poses of the references at the ends of the step.
    references: Vec<[Isometry3<f64>; 2]>,
    /// x at the start of the step.
    pub x0: Vec<[f64; 6]>,
    frame: Frame,
}

impl SpringRows {
    /// Scratch for the springs of a tree.
    pub fn new(tree: &Tree, springs: &[PlacedSpring]) -> Self {
        Self {
            springs: springs.to_vec(),
            references: vec![[Isometry3::identity(); 2]; springs.len()],
            x0: vec![[0.0; 6]; springs.len()],
            frame: Frame::new(tree),
        }
    }

    /// Springs in their order.
    pub fn list(&self) -> &[PlacedSpring] {
        &self.springs
    }

    /// References and x0 of a step from t0 to t1.
    pub fn refer(&mut self, tree: &Tree, q0: &[f64], told: &Told, t0: f64, t1: f64) {
        self.frame.place(tree, q0, &Base::default());
        for (i, spring) in self.springs.iter().enumerate() {
            self.references[i] = [t0, t1].map(|t| told.at(spring.impedance, t).0);
            self.x0[i] = spring.coordinates(tree, &self.frame, &self.references[i][0]).0;
        }
    }

    /// Directions of a spring over its columns, in the middle of the step, and what the reference does to its rows.
    pub fn directions(&self, i: usize, tree: &Tree, mid: &Frame, terms: [&mut [Term]; 6]) -> [f64; 6] {
        let (spring, [r0, r1]) = (&self.springs[i], &self.references[i]);
        let (_, along) = spring.coordinates(tree, mid, &middle(r0, r1));
        let p = spring.to.pose(tree, mid, r0).translation.vector;
        for (terms, F) in terms.into_iter().zip(&along) {
            let F = mid.about_origin(F, &p.into());
            terms.iter_mut().for_each(|term| term.share = 0.0);
            spring.add(tree, &F, mid, terms);
        }
        if !matches!(spring.from, End::Reference(_)) {
            return [0.0; 6];
        }
        let [x0, x1] = [r0, r1].map(|r| spring.coordinates(tree, mid, r).0);
        // A rotation by half a turn has two names; the shorter way is meant.
        std::array::from_fn(|k| x0[k] - x1[k])
    }

    /// Stored at a frame of the end of the step (J).
    pub fn stored(&self, tree: &Tree, frame: &Frame) -> f64 {
        let one = |(spring, [_, r1]): (&PlacedSpring, &[Isometry3<f64>; 2])| {
            spring.stored(&spring.coordinates(tree, frame, r1).0)
        };
        self.springs.iter().zip(&self.references).map(one).sum()
    }
}

fn middle(a: &Isometry3<f64>, b: &Isometry3<f64>) -> Isometry3<f64> {
    let half = (b.rotation * a.rotation.inverse()).scaled_axis() * 0.5;
    let R = nalgebra::UnitQuaternion::from_scaled_axis(half) * a.rotation;
    Isometry3::from_parts(((a.translation.vector + b.translation.vector) * 0.5).into(), R)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingerpad_contact::spatial::SpatialVelocity;
    use nalgebra::{Translation3, UnitQuaternion};

    /// Differences of x are the opinion on its directions, whichever end moves.
    #[test]
    fn directions_are_the_slopes_of_the_coordinates() {
        let X_WA = Isometry3::new(Vector3::new(0.1, 0.2, -0.3), Vector3::new(0.4, -0.7, 1.9));
        let X_WB = Isometry3::new(Vector3::new(-0.2, 0.4, 0.1), Vector3::new(-0.9, 0.3, -1.2));
        let moved = |X: &Isometry3<f64>, V: &SpatialVelocity, d: f64| {
            let R = UnitQuaternion::from_scaled_axis(V.w * d) * X.rotation;
            Isometry3::from_parts(Translation3::from(X.translation.vector + V.v * d), R)
        };
        let V = SpatialVelocity::new(Vector3::new(0.3, -1.0, 0.4), Vector3::new(0.8, 0.1, -0.5));
        let (_, along) = coordinates(&X_WA, &X_WB);
        let d = 1e-6;
        let slope = |at: &dyn Fn(f64) -> [f64; 6]| -> [f64; 6] {
            let (a, b) = (at(-d), at(d));
            std::array::from_fn(|i| (b[i] - a[i]) / (2.0 * d))
        };
        let of_b = slope(&|d| coordinates(&X_WA, &moved(&X_WB, &V, d)).0);
        let of_a = slope(&|d| coordinates(&moved(&X_WA, &V, d), &X_WB).0);
        let arm = X_WB.translation.vector - X_WA.translation.vector;
        for i in 0..6 {
            assert!((along[i].power(&V) - of_b[i]).abs() < 1e-8, "{i}: {} {}", along[i].power(&V), of_b[i]);
            let back = -along[i].power(&V.shift(arm));
            assert!((back - of_a[i]).abs() < 1e-8, "{i}: {back} {}", of_a[i]);
        }
    }
}
