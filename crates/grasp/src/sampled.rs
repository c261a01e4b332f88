//! # Sampled: epsilon as GraspIt! computes it
//!
//! - **in**: a grasp, the load whose patch every contact is given
//! - **out**: epsilon of the hull of 20 sampled loads a contact
//! - **not here**: exact friction (`epsilon`)
//! - **start at** [`graspit`]
//!
//! GraspIt! (softContact.cpp, read 2026-11) gives every contact the patch of 5 N, whatever it will carry, and replaces the
//! friction ellipsoid by 20 loads on it: latitudes 90°, 45°, 0°, −45°, −90° with 1, 5, 8, 5, 1 directions. A latitude
//! is an angle in the space of N and N·mm, so that the points crowd where a patch is small. Its hull is joggled; ours is not.
//! A contact without friction is one load; one without a patch has eight directions.

use crate::descent::Local;
use crate::epsilon::{Certify, Support, bounds};
use crate::{Epsilon, Grasp, Norm, PatchGrowth};
use nalgebra::Vector6;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Load whose patch GraspIt! gives to every contact (N).
pub const GRASPIT_LOAD: f64 = 5.0;

/// e_n as GraspIt! has it: (8/15)√(ab) of a layer for pads, our e_n at 5 N for patches that are given by numbers (m).
pub fn graspit_patch(patch: &PatchGrowth) -> f64 {
    match patch {
        PatchGrowth::Pad { theory, curvature } => {
            theory.under_load(curvature, GRASPIT_LOAD).map_or(0.0, |p| p.e_n_of_root_ab())
        }
        other => other.e_n(GRASPIT_LOAD),
    }
}

struct Sampled {
    contacts: Vec<Vec<Vector6<f64>>>,
    norm: Norm,
}

impl Support for Sampled {
    fn support(&self, u: &Vector6<f64>) -> (f64, Vector6<f64>) {
        let farthest = |points: &Vec<Vector6<f64>>| {
            points.iter().map(|p| (p.dot(u), *p)).fold((0.0, Vector6::zeros()), |a, b| if b.0 > a.0 { b } else { a })
        };
        let all = self.contacts.iter().map(farthest);
        match self.norm {
            Norm::L1 => all.fold((0.0, Vector6::zeros()), |a, b| if b.0 > a.0 { b } else { a }),
            Norm::Linf => all.fold((0.0, Vector6::zeros()), |a, b| (a.0 + b.0, a.1 + b.1)),
        }
    }
}

/// Friction (f₁, f₂, τ) over the normal force at the sampled places; τ in N·m.
fn samples(friction: [f64; 2], e_n: f64) -> Vec<[f64; 3]> {
    const LATITUDES: [(f64, usize); 5] = [(1.0, 1), (0.5, 5), (0.0, 8), (-0.5, 5), (-1.0, 1)];
    if friction == [0.0; 2] {
        return vec![[0.0; 3]];
    }
    let millimetres = 1e3 * e_n;
    let mut all = Vec::new();
    for (latitude, count) in LATITUDES {
        if e_n == 0.0 && latitude != 0.0 {
            continue;
        }
        let (s, c) = (latitude * FRAC_PI_2).sin_cos();
        for k in 0..count {
            let angle = TAU * k as f64 / count as f64;
            let spin = if e_n > 0.0 { s / millimetres } else { 0.0 };
            let over = 1.0 / (c * c + spin * spin).sqrt();
            let (f1, f2) = (angle.cos() * c * over, angle.sin() * c * over);
            all.push([friction[0] * f1, friction[1] * f2, friction[0] * 1e-3 * s * over]);
        }
    }
    all
}

/// Epsilon as GraspIt! has it, with this e_n at each contact; none where the sampled set does not hold zero inside.
pub fn graspit(grasp: &Grasp, e_n: &[f64], norm: Norm) -> Option<Epsilon> {
    let wrench = |k: usize, f: &[f64; 3]| {
        let mut w: Vector6<f64> = grasp.map_about(k, &grasp.reference) * nalgebra::Vector4::new(1.0, f[0], f[1], f[2]);
        w.fixed_rows_mut::<3>(3).scale_mut(1.0 / grasp.torque_length);
        w
    };
    let contact = |(k, e_n): (usize, &f64)| {
        samples(grasp.contacts[k].friction, *e_n).iter().map(|f| wrench(k, f)).collect::<Vec<_>>()
    };
    let set = Sampled { contacts: e_n.iter().enumerate().map(contact).collect(), norm };
    let options = Certify { gap: 1e-6, points: 20_000 };
    let polish = |u: Vector6<f64>| Local { direction: u, value: set.support(&u).0 };
    bounds(&set, None, options, polish).map(|(e, _)| e).filter(|e| e.value > 0.0 && e.at_least > 0.0)
}
