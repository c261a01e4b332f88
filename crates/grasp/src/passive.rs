//! # Passive: what a grasp holds with motors still
//!
//! `closure` ──(internal loads)──▶ **here** ──([`Passive`])──▶ the program, beside the active push
//!
//! - **in**: a grasp pressed by internal loads, stiffness of each contact, the wrench that is there, a direction
//! - **out**: the push at which the first contact slips, and the one at which no equilibrium is left
//! - **not here**: pushes that the hand answers by choosing its forces (`push`)
//! - **assumes**: small motions; fingers as stiff as their pads; stiffness along the patch as under the preload
//! - **start at** [`passive_push`]
//!
//! The object moves by a small twist δ. Each contact answers by its compliant law: the load along the normal grows as
//! P = P₀(1 + x/x₀)^m (m = 3/2 for Hertz, 2 for a thin layer), the load along the patch by springs that return to the friction
//! limit of the load P (the return map of `fingerpad_contact::friction`). Equilibrium Σ G f + w + λd = 0 is followed in λ.
//! (Haas-Heger) showed how far optimal grip forces are from what a hand does that cannot sense the push.

use crate::{Closure, Grasp, PatchGrowth, Wrench};
use fingerpad_contact::friction::{Ellipsoid, FrictionLimit, TangentialStiffness};
use nalgebra::{Matrix2, Matrix4, Matrix6, Vector3, Vector4, Vector6};

/// Settings of the passive analysis.
#[derive(Clone, Debug)]
pub struct PassiveOptions {
    /// Largest normal force of the internal loads (N).
    pub preload: f64,
    /// (k_n, k_t, k_θ) of each contact (N/m, N/m, N·m/rad); where absent from the pad, else as of equal round Hertz pads.
    pub stiffness: Option<Vec<[f64; 3]>>,
}

/// What a grasp holds with motors still, along one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passive {
    /// λ at which the first contact slips or lifts.
    pub first_slip: f64,
    /// λ beyond which there is no equilibrium; none if it was not met up to a thousand preloads.
    pub lost: Option<f64>,
}

/// A contact in its pressed state.
#[derive(Clone, Copy, Debug)]
struct Spring {
    /// Preload P₀ and approach x₀ (N, m), exponent m.
    load: f64,
    approach: f64,
    exponent: f64,
    tangential: TangentialStiffness,
    friction: [f64; 2],
    patch: PatchGrowth,
    /// Load along the patch at the end of the last increment, motion then.
    along: Vector3<f64>,
    motion: Vector4<f64>,
}

impl Spring {
    /// P after a motion of the object's point by `q` along the normal (m).
    fn normal(&self, q: f64) -> (f64, f64) {
        let share = 1.0 - q / self.approach;
        if share <= 0.0 {
            return (0.0, 0.0);
        }
        let load = self.load * share.powf(self.exponent);
        (load, -self.exponent * load / share / self.approach)
    }

    fn limit(&self, load: f64) -> Ellipsoid {
        let [mu1, mu2] = self.friction.map(|mu| mu.max(1e-12));
        let reach = (mu1 * self.patch.e_n(load)).max(1e-15);
        Ellipsoid { load, force: Matrix2::new(mu1.powi(-2), 0.0, 0.0, mu2.powi(-2)), moment: reach.powi(-2) }
    }

    /// Load under a motion (normal, t₁, t₂, spin) of the object, and whether it slips.
    fn answer(&self, q: &Vector4<f64>) -> (Vector4<f64>, bool) {
        let (load, _) = self.normal(q[0]);
        let moved = Vector3::new(q[1] - self.motion[1], q[2] - self.motion[2], q[3] - self.motion[3]);
        let trial = self.along - self.tangential.times(&moved);
        let held = self.limit(load).project(&trial, &self.tangential).load;
        (Vector4::new(load, held.x, held.y, held.z), load <= 0.0 || held != trial)
    }

    /// Slope of the load by the motion, by differences.
    fn slope(&self, q: &Vector4<f64>) -> Matrix4<f64> {
        let mut slope = Matrix4::zeros();
        let small = 1e-6 * self.approach;
        let turn = small * (self.tangential.k[(0, 0)] / self.tangential.k_theta.max(1e-300)).sqrt().min(1e6);
        for k in 0..4 {
            let step = if k == 3 { turn } else { small };
            let mut there = *q;
            there[k] += step;
            let mut back = *q;
            back[k] -= step;
            slope.set_column(k, &((self.answer(&there).0 - self.answer(&back).0) / (2.0 * step)));
        }
        slope
    }
}

/// Pressed contacts in equilibrium, followed in λ.
struct Followed<'a> {
    grasp: &'a Grasp,
    springs: Vec<Spring>,
    twist: Vector6<f64>,
}

impl Followed<'_> {
    fn motion(&self, k: usize, twist: &Vector6<f64>) -> Vector4<f64> {
        self.grasp.map_about(k, &self.grasp.reference).transpose() * twist
    }

    /// Equilibrium under a wrench from the present state: the new state, or none.
    fn settle(&mut self, wrench: &Wrench) -> Option<bool> {
        let scale = self.springs.iter().map(|s| s.load).fold(wrench.norm(), f64::max);
        let length = self.grasp.torque_length;
        let metric = Vector6::from_fn(|k, _| if k < 3 { 1.0 } else { 1.0 / length });
        let mut twist = self.twist;
        let residual = |twist: &Vector6<f64>, this: &Self| {
            let load = |(k, s): (usize, &Spring)| {
                this.grasp.map_about(k, &this.grasp.reference) * s.answer(&this.motion(k, twist)).0
            };
            let sum: Vector6<f64> = this.springs.iter().enumerate().map(load).sum();
            (sum + wrench).component_mul(&metric)
        };
        let mut off = residual(&twist, self);
        for _ in 0..60 {
            if off.norm() <= 1e-10 * scale {
                let mut slips = false;
                for k in 0..self.springs.len() {
                    let q = self.motion(k, &twist);
                    let (load, slipped) = self.springs[k].answer(&q);
                    slips |= slipped;
                    self.springs[k].along = Vector3::new(load[1], load[2], load[3]);
                    self.springs[k].motion = q;
                }
                self.twist = twist;
                return Some(slips);
            }
            let mut slope = Matrix6::zeros();
            for (k, s) in self.springs.iter().enumerate() {
                let map = self.grasp.map_about(k, &self.grasp.reference);
                slope += map * s.slope(&self.motion(k, &twist)) * map.transpose();
            }
            // Rows and columns in the metric, so that metres and radians count alike.
            let scaled = Matrix6::from_fn(|r, c| slope[(r, c)] * metric[r] * metric[c]);
            let step = scaled.lu().solve(&off)?;
            let step = step.component_mul(&metric);
            if !step.iter().all(|x| x.is_finite()) {
                return None;
            }
            let mut share = 1.0;
            loop {
                let next = twist - step * share;
                let there = residual(&next, self);
                if there.norm() < off.norm() {
                    (twist, off) = (next, there);
                    break;
                }
                share *= 0.5;
                if share < 1e-4 {
                    return None;
                }
            }
        }
        None
    }
}

/// The pressed state of a grasp under internal loads.
#[derive(Clone, Debug)]
pub struct Preload {
    springs: Vec<Spring>,
}

/// Presses a closed grasp with its best internal loads; none where it is not closed or a contact does not press.
pub fn preload(grasp: &Grasp, closure: &Closure, options: &PassiveOptions) -> Option<Preload> {
    if !closure.closed {
        return None;
    }
    let most = closure.loads.iter().map(|l| l[0]).fold(0.0, f64::max);
    let spring = |(k, load): (usize, &[f64; 4])| {
        let c = &grasp.contacts[k];
        let load = load.map(|x| x * options.preload / most);
        let exponent = match c.patch {
            PatchGrowth::Power { exponent, .. } if exponent > 0.0 && exponent < 0.3 => 0.5 / exponent,
            _ => 1.5,
        };
        let [k_n, k_t, k_theta] = match (&options.stiffness, &c.patch) {
            (Some(all), _) => all[k],
            (None, PatchGrowth::Pad { theory, curvature }) => {
                let patch = theory.under_load(curvature, load[0]).ok()?;
                let along = 0.5 * (patch.stiffness.along + patch.stiffness.across);
                [patch.normal_stiffness, along, patch.stiffness.torsional]
            }
            (None, patch) => {
                // Round Hertz pads of one incompressible rubber: a = 16 e_n/3π; its modulus cancels in every load.
                let a = (16.0 / (3.0 * std::f64::consts::PI) * patch.e_n(load[0])).max(1e-4 * grasp.torque_length);
                let k_n = 2e6 * a;
                [k_n, k_n / 1.5, k_n * a * a / 1.5]
            }
        };
        let usable = load[0] > 0.0 && k_n > 0.0 && k_t > 0.0 && k_theta >= 0.0;
        usable.then(|| Spring {
            load: load[0],
            approach: exponent * load[0] / k_n,
            exponent,
            tangential: TangentialStiffness::isotropic(k_t, k_theta.max(1e-12 * k_t)),
            friction: c.friction,
            patch: c.patch,
            along: Vector3::new(load[1], load[2], load[3]),
            motion: Vector4::zeros(),
        })
    };
    let springs = closure.loads.iter().enumerate().map(spring).collect::<Option<Vec<_>>>()?;
    // The live patch of the preload may hold less than the patch at the limit, which closure took.
    let holds = |s: &Spring| s.limit(s.load).gauge(&s.along) < 1.0;
    springs.iter().all(holds).then_some(Preload { springs })
}

/// How far a pressed grasp resists along `direction`, on top of `wrench`; none where `wrench` alone is not held.
pub fn passive_push(grasp: &Grasp, pressed: &Preload, wrench: &Wrench, direction: &Wrench) -> Option<Passive> {
    let mut held = Followed { grasp, springs: pressed.springs.clone(), twist: Vector6::zeros() };
    let slips_at_once = held.settle(wrench)?;
    let metric = |w: &Wrench| w.fixed_rows::<3>(0).norm() + w.fixed_rows::<3>(3).norm() / grasp.torque_length;
    let unit = pressed.springs.iter().map(|s| s.load).fold(0.0, f64::max) / metric(direction);
    if !unit.is_finite() {
        return None;
    }
    // First slip: by doubling, then by halving, each time from the state before any push.
    let slips = |lambda: f64| {
        let mut trial = Followed { grasp, springs: held.springs.clone(), twist: held.twist };
        trial.settle(&(wrench + direction * lambda)) != Some(false)
    };
    let (mut low, mut high) = (0.0, 1e-3 * unit);
    while !slips(high) && high < 1e3 * unit {
        (low, high) = (high, 2.0 * high);
    }
    if high >= 1e3 * unit {
        return Some(Passive { first_slip: high, lost: None });
    }
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if slips(middle) { high = middle } else { low = middle }
    }
    let first_slip = if slips_at_once { 0.0 } else { low };
    // Loss: on from there with memory, by steps that shorten where no equilibrium is found.
    let mut step = (0.05 * first_slip).max(1e-3 * unit);
    let mut lambda = first_slip;
    held.settle(&(wrench + direction * lambda))?;
    let shortest = 1e-7 * (first_slip + step);
    for _ in 0..4000 {
        let mut next = Followed { grasp, springs: held.springs.clone(), twist: held.twist };
        if next.settle(&(wrench + direction * (lambda + step))).is_some() {
            lambda += step;
            held.springs = next.springs;
            held.twist = next.twist;
            if lambda > 1e3 * unit {
                return Some(Passive { first_slip, lost: None });
            }
        } else {
            step *= 0.5;
            if step < shortest {
                break;
            }
        }
    }
    Some(Passive { first_slip, lost: Some(lambda) })
}
