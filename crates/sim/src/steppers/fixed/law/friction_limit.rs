//! # Friction limit of a step: which load bounds it, and from when on the contact slips
//!
//! - **in**: displacements over the step with their normal part
//! - **out**: [`Held`]: the limit, the share of the step in contact, θ
//! - **not here**: loads under a limit that is held (`law`)
//! - **start at** [`DiscreteLaw::refresh`], then `weigh`

use super::{DiscreteLaw, Held, Hold, Pressed, returned};
use fingerpad_contact::law::Stiffness;
use nalgebra::{Vector3, Vector4};

/// How well θ is met.
const THETA: f64 = 1e-2;
/// How near the springs must end to the friction limit of the end of the step, as a share of it, for θ to have its least value.
const EVEN: f64 = 1e-3;
/// Rounds after which θ stays.
const SETTLED: u32 = 4;

impl DiscreteLaw {
    /// The friction limit for a further round, [`refresh`](Self::refresh): θ settles first, lest the two turn in circles.
    #[inline]
    pub fn renew_limit(&self, stiffness: &Stiffness, pressed: &Pressed, u: &Vector4<f64>, round: u32) -> Held {
        let Held { theta, wary, .. } = self.held;
        self.limit(stiffness, pressed, u, wary, (round >= SETTLED).then_some(theta))
    }

    /// The friction limit that displacements u lead to, with their normal part. Once wary, always so.
    #[inline]
    pub fn refresh(&self, stiffness: &Stiffness, pressed: &Pressed, u: &Vector4<f64>, wary: bool) -> Held {
        self.limit(stiffness, pressed, u, wary, None)
    }

    /// The same; θ may be settled.
    fn limit(
        &self,
        stiffness: &Stiffness,
        pressed: &Pressed,
        u: &Vector4<f64>,
        wary: bool,
        settled: Option<f64>,
    ) -> Held {
        if let Some(borne) = &self.borne {
            let mut held = Held { load: borne.load, share: borne.share, theta: self.theta, wary };
            if borne.share > 0.0 {
                let mean = borne.mean / borne.share;
                match self.hold {
                    Hold::Limited => self.weigh(u, &mut held, (mean, settled), || borne.first),
                    Hold::Damped => held.load = mean,
                    Hold::Nothing | Hold::Springs => {}
                }
            }
            return held;
        }
        let (d0, d1) = (self.d0, self.d0 + u[0]);
        let share = match (d0 > 0.0, d1 > 0.0) {
            (true, true) => 1.0,
            (false, true) => d1 / u[0],
            (true, false) => d0 / -u[0],
            (false, false) => 0.0,
        };
        let mut held = Held { load: 0.0, share, theta: self.theta, wary };
        if share <= 0.0 {
            return held;
        }
        let mean = pressed.force / share;
        if self.hold != Hold::Limited {
            held.load = mean;
            return held;
        }
        if d1 > 0.0 {
            // The velocity at the end is twice the mean less that of the start; where stiff, the mean.
            let rate = u[0] * self.rate;
            let rate = rate + (1.0 - self.beta) * (rate - self.rate0);
            // f_el is V′ at the end but for the share of the mean in it.
            let elastic = pressed.elastic + (1.0 - self.beta) * pressed.above;
            held.load = self.damped(elastic, rate);
        }
        // Force where contact begins in this step: at its start, or at touchdown by dampers alone.
        self.weigh(u, &mut held, (mean, settled), || match self.d0 > 0.0 {
            true => self.pressing(stiffness, self.d0, self.rate0),
            false => (self.damper * u[0] * self.rate).max(0.0),
        });
        held
    }

    /// Normal force at an approach and its rate (N).
    #[inline]
    fn pressing(&self, stiffness: &Stiffness, d: f64, rate: f64) -> f64 {
        if d <= 0.0 {
            return 0.0;
        }
        self.damped(self.curve.at(stiffness, d).1, rate)
    }

    /// An elastic force with what dampers add to it at a rate (N).
    #[inline]
    fn damped(&self, elastic: f64, rate: f64) -> f64 {
        (elastic * (1.0 + self.hunt_crossley * rate) + self.damper * rate).max(0.0)
    }

    /// θ and the limit of a step that slips. The load goes from that of y₀ along its trial until it meets the limit, after
    /// the share τ of the time in contact, and along with the limit from there. With P̄ the mean normal force of that time, P₀
    /// and P₁ those at its ends and γ the load for which a state just holds, the mean load is the friction of
    ///
    /// ```text
    /// P_m = P̄ − τ (P₀ − γ₀)/2
    /// ```
    ///
    /// and (1 − θ) y₀ + θ y₁ has it for y₁ on the limit of P₁ and θ = (P_m − γ₀)/(P₁ − γ₀): ½ while it slips on under a force
    /// that changes evenly, 1 − τ/2 where it begins under a steady one. Where that θ is out of range, as in an impact of a
    /// step or two, y₁ gives way: it goes to the limit of γ₀ + (P_m − γ₀)/θ. So the impulse of slip is μ times the normal
    /// one. (With y₁ on the limit of P₁ always, a ball that strikes within a step of 1 ms was held back by a third of that.)
    fn weigh(&self, u: &Vector4<f64>, held: &mut Held, (mean, settled): (f64, Option<f64>), first: impl Fn() -> f64) {
        let P = held.load;
        let moved = self.root.component_mul(&Vector3::new(u[1], u[2], u[3])) * held.share;
        let trial = self.y0 + moved;
        let q = self.root.component_mul(&self.root).component_mul(&self.weights);
        let used = q.component_mul(&trial).dot(&trial);
        if used <= P * P {
            return;
        }
        let gauge0 = self.gauge0;
        let first = first();
        let mut tau = 0.0;
        // Springs that slipped and go on loading are on the limit all the while, wherever the last step left them.
        let goes_on = self.slipped && q.component_mul(&self.y0).dot(&moved) > 0.0;
        if gauge0 < first && !goes_on {
            let grown = P - first;
            let along = q.component_mul(&self.y0).dot(&moved) - first * grown;
            let across = q.component_mul(&moved).dot(&moved) - grown * grown;
            let short = (first - gauge0) * (first + gauge0);
            tau = (short / (along + (along * along + across * short).max(0.0).sqrt())).clamp(0.0, 1.0);
        }
        let mean = (mean - 0.5 * tau * (first - gauge0)).max(0.0);
        let theta = (mean - gauge0) / (P - gauge0);
        held.theta = match settled {
            Some(theta) => theta,
            // As good as on the limit of the end anyway.
            None if (self.end_limit(mean, held.theta) - P).abs() <= EVEN * P => held.theta,
            None if theta >= 0.0 => theta.clamp(held.theta, 1.0),
            None => 1.0,
        };
        held.load = self.end_limit(mean, held.theta);
        // Slip against springs that the limit leaves behind could gain energy; not so where y₁ bears the whole step.
        let y1 = match held.load {
            load if used <= load * load => trial,
            load if load > 0.0 => returned(&trial, &q, &q, load, used).0,
            _ => Vector3::zeros(),
        };
        held.wary |= gauge0 > held.load && self.y0.dot(&(trial - y1)) < 0.0;
        if held.wary {
            (held.theta, held.load) = (1.0, mean);
        }
    }

    /// The limit of y₁ for which (1 − θ) y₀ + θ y₁ is on that of a mean (N).
    fn end_limit(&self, mean: f64, theta: f64) -> f64 {
        (self.gauge0 + (mean - self.gauge0) / theta).max(0.0)
    }

    /// Whether another friction limit changes the loads of displacements u, by more than a share of them.
    #[inline]
    pub fn differs(&self, other: &Held, u: &Vector4<f64>, share: f64) -> bool {
        if matches!(self.hold, Hold::Nothing) {
            return false;
        }
        let held = &self.held;
        let near = |a: f64, b: f64| (a - b).abs() <= share * (a.abs() + b.abs());
        if !near(held.share, other.share) || held.wary != other.wary {
            return true;
        }
        // Any θ will do where slip goes with the springs; then it is a matter of accuracy only.
        if (held.theta - other.theta).abs() > if held.wary { share } else { THETA } {
            return true;
        }
        if self.hold == Hold::Springs || near(held.load, other.load) {
            return false;
        }
        // A load within the smaller of both limits holds under either.
        let u_t = Vector3::new(u[1], u[2], u[3]);
        let k = self.root.component_mul(&self.root) * held.share + self.dampers * self.rate;
        let trial = self.root.component_mul(&self.y0) + k.component_mul(&u_t);
        let least = held.load.min(other.load);
        self.weights.component_mul(&trial).dot(&trial) > least * least
    }
}
