//! # Effort: what a drive does, at an instant and over a step
//!
//! x, Δx (how far the joint is from its reference) ──▶ **here** ──(force, slope, losses)──▶ rows of the steppers
//!
//! - **in**: gains, the largest force, x at the start of a step and its change
//! - **out**: the force over the step, its slope, what was stored and lost; each from its own product
//! - **not here**: references (`timeline`), the equations that the force enters (steppers)
//! - **start at** [`Gains`]
//!
//! With C(·) = clamp to ± limit, x = q − r and Huber's potential V, V′(x) = C(k x):
//!
//! ```text
//! at an instant   f = −C(k x + d x′)                    lost (C(k x + d x′) − C(k x)) x′ ≥ 0
//! over a step     f = −C(S + C(k x̄ + g Δx) − C(k x̄))    S = (V(x1) − V(x0))/Δx,  x̄ = (x0 + x1)/2,  g = (θ − ½) k + d/h
//!                                                       lost (−f − S) Δx ≥ 0
//! ```
//!
//! Both signs follow from the clamp being monotone and |S| ≤ limit. S is C(k x̄) but where a step crosses the limit. Work on the joint is f Δq = f Δx + f Δr, so
//! −f Δq = ΔV + lost − W with W = f Δr: what moving the reference supplies.

/// Gains of a drive, or of a spring and a damper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    /// Stiffness (N·m/rad or N/m).
    pub stiffness: f64,
    /// Damping (N·m·s/rad or N·s/m).
    pub damping: f64,
    /// Largest force (N·m or N); may be infinite.
    pub limit: f64,
}

/// What a drive did over one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DriveStep {
    /// Mean force over the step (N·m or N).
    pub force: f64,
    /// Work on the joint (J).
    pub work: f64,
    /// Work that moving the reference supplied (J).
    pub supplied: f64,
    /// Lost in the damper and the limit (J).
    pub lost: f64,
    /// Lost to the numbers of the step (J).
    pub numerical: f64,
}

impl Gains {
    /// Force at an instant, and the power that it loses (W).
    pub fn at(&self, x: f64, rate: f64) -> (f64, f64) {
        let elastic = self.clamp(self.stiffness * x);
        let whole = self.clamp(self.stiffness * x + self.damping * rate);
        (-whole, (whole - elastic) * rate)
    }

    /// Stored at x (J): Huber's function.
    pub fn stored(&self, x: f64) -> f64 {
        let (k, x) = (self.stiffness, x.abs());
        if k * x <= self.limit { 0.5 * k * x * x } else { self.limit * (x - 0.5 * self.limit / k) }
    }

    fn clamp(&self, f: f64) -> f64 {
        f.max(-self.limit).min(self.limit)
    }

    /// S, the mean slope of the potential from x0 to x0 + dx, and its own slope by dx.
    #[inline]
    fn mean_slope(&self, x0: f64, dx: f64) -> (f64, f64) {
        let (k, x1) = (self.stiffness, x0 + dx);
        let beyond = |x: f64| k * x.abs() > self.limit;
        if !beyond(x0) && !beyond(x1) {
            return (k * (x0 + 0.5 * dx), 0.5 * k);
        }
        self.mean_slope_across(x0, dx)
    }

    /// S where an end of the step is beyond a knee.
    fn mean_slope_across(&self, x0: f64, dx: f64) -> (f64, f64) {
        let (k, x1) = (self.stiffness, x0 + dx);
        let beyond = |x: f64| k * x.abs() > self.limit;
        let knee = self.limit / k;
        if dx == 0.0 || (beyond(x0) && beyond(x1) && x0 * x1 > 0.0) {
            return (self.clamp(k * x0), 0.0);
        }
        // Parts of the way below, within and above the knees.
        let (low, high) = (x0.min(x1), x0.max(x1));
        let (below, above) = ((-knee - low).max(0.0), (high - knee).max(0.0));
        let (a, b) = (low.max(-knee), high.min(knee));
        let within = (b - a).max(0.0);
        let S = ((above - below) * self.limit + within * 0.5 * k * (a + b)) / dx.abs();
        (S, ((self.clamp(k * x1) - S) / dx).clamp(0.0, k))
    }

    /// −f over a step of h, and its slope by dx.
    #[inline]
    pub fn over(&self, theta: f64, x0: f64, dx: f64, h: f64) -> (f64, f64) {
        let g = (theta - 0.5) * self.stiffness + self.damping / h;
        if self.limit == f64::INFINITY {
            return (self.stiffness * (x0 + 0.5 * dx) + g * dx, 0.5 * self.stiffness + g);
        }
        let (S, slope) = self.mean_slope(x0, dx);
        let (k, mean) = (self.stiffness, self.stiffness * (x0 + 0.5 * dx));
        let inside = |f: f64| f64::from(u8::from(f.abs() < self.limit));
        let whole = S + self.damped(g, x0, dx);
        let slope = slope + inside(mean + g * dx) * (0.5 * k + g) - inside(mean) * 0.5 * k;
        (self.clamp(whole), inside(whole) * slope.max(0.0))
    }

    /// C(k x̄ + g Δx) − C(k x̄): what a damper g adds within the limit.
    fn damped(&self, g: f64, x0: f64, dx: f64) -> f64 {
        let mean = self.stiffness * (x0 + 0.5 * dx);
        if self.limit == f64::INFINITY { g * dx } else { self.clamp(mean + g * dx) - self.clamp(mean) }
    }

    /// S − C(k x̄): what Huber's spring has less than the clamp at the mean, where a step crosses the limit.
    pub(crate) fn crossing(&self, x0: f64, dx: f64) -> f64 {
        if self.limit == f64::INFINITY || self.stiffness == 0.0 {
            return 0.0;
        }
        self.mean_slope(x0, dx).0 - self.clamp(self.stiffness * (x0 + 0.5 * dx))
    }

    /// What a step was under a force f along the joint, with the change dr of the reference. The loss is divided between
    /// damper and limit on one side and numbers on the other; where the force is not [`Gains::over`]'s own, as in rows whose
    /// limit is met at the end of a step only, what has the wrong sign is the numbers' doing.
    pub fn step(&self, f: f64, x0: f64, (dx, dr): (f64, f64), h: f64) -> DriveStep {
        let (S, _) = self.mean_slope(x0, dx);
        let whole = (-f - S) * dx;
        let viscous = (self.clamp(S + self.damped(self.damping / h, x0, dx)) - S) * dx;
        let lost = viscous.min(whole).max(0.0);
        DriveStep { force: f, work: f * (dx + dr), supplied: f * dr, lost, numerical: whole - lost }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work = −ΔV − losses + supply, with V by Huber's formula and the rest by the step's products; losses have a sign.
    #[test]
    fn work_is_what_was_stored_lost_and_supplied_with_losses_not_negative() {
        let mut seed = 7_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        for i in 0..20_000 {
            let k = if i % 5 == 0 { 0.0 } else { 10_f64.powf(3.0 * random()) };
            let limit = if i % 3 == 0 { f64::INFINITY } else { 10_f64.powf(random()) };
            let gains = Gains { stiffness: k, damping: 10_f64.powf(2.0 * random() - 2.0), limit };
            let (theta, h) = (0.75 + 0.25 * random(), 1e-3);
            let scale = if i % 2 == 0 { 3.0 } else { 0.2 };
            let (x0, dx, dr) = (scale * random(), 0.5 * random() * 10_f64.powf(-4.0 * random().abs()), 0.1 * random());
            let (minus_f, slope) = gains.over(theta, x0, dx, h);
            let step = gains.step(-minus_f, x0, (dx, dr), h);
            let stored = gains.stored(x0 + dx) - gains.stored(x0);
            let size = gains.stored(x0).max(step.work.abs()).max(step.lost).max(1e-3);
            let off = step.work + stored + step.lost + step.numerical - step.supplied;
            assert!(off.abs() <= 1e-14 * size, "{gains:?} {x0} {dx}: {off:e} of {size:e}");
            assert!(step.lost >= 0.0 && step.numerical >= -1e-15 * size, "{gains:?} {x0} {dx}: {step:?}");
            assert!(minus_f.abs() <= limit);
            // The slope against a difference, where no knee is near; one that falls is taken as none.
            let d = 1e-7;
            let ahead = gains.over(theta, x0, dx + d, h);
            if (ahead.1 - slope).abs() < 1e-4 * slope.abs().max(1.0) && dx.abs() > 1e-3 {
                let measured = (ahead.0 - minus_f) / d;
                assert!((measured.max(0.0) - slope).abs() <= 1e-3 * slope.abs().max(1.0), "{gains:?} {x0} {dx}");
            }
        }
    }

    #[test]
    fn at_an_instant_power_is_lost_or_stored_and_never_made() {
        let gains = Gains { stiffness: 20.0, damping: 3.0, limit: 5.0 };
        for i in -50..50 {
            for j in -50..50 {
                let (x, rate) = (0.03 * f64::from(i), 0.3 * f64::from(j));
                let (f, lost) = gains.at(x, rate);
                let d = 1e-6;
                let slope = (gains.stored(x + d) - gains.stored(x - d)) / (2.0 * d);
                assert!(lost >= 0.0 && f.abs() <= 5.0);
                assert!((f * rate + slope * rate + lost).abs() < 1e-4 * (1.0 + rate.abs()), "{x} {rate}");
            }
        }
    }
}
