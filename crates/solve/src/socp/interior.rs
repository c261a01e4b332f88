//! # Interior point: Nesterov–Todd steps on the homogeneous embedding, for few rows and small blocks
//!
//! [`Socp`] ──▶ **here** ──▶ [`SocpAnswer`]
//!
//! - **in**: a program
//! - **out**: its answer, or the certificate that it has none; scratch is kept for the next call
//! - **not here**: scalings of one cone (`scaling`), the small linear system (`factor`)
//! - **assumes**: as the room does
//! - **start at** [`InteriorPoint`]
//!
//! ```text
//! A x − b τ = 0,   c τ − Aᵀy − z = 0,   b·y − c·x = κ,   x ∘ z = μ e,   τ κ = μ
//! ```
//!
//! τ > 0 in the end gives the answer x/τ, y/τ; κ > 0 a certificate (Andersen, Roos, Terlaky; the steps are Mehrotra's).
//! Eliminating x and z leaves M dy = r with M = A W² Aᵀ, one row for each equation: 6 to 20 for a grasp.
//!
//! Directions are kept scaled, dx̃ = W⁻¹dx and dz̃ = W dz, beside B = A W, c̃ = W c and the scaled dual residual. There
//! dx̃ + dz̃ = s with s = λ \ (σμ e − λ∘λ − …), and one solve of M gives dx̃ = Bᵀdy + s − c̃ dτ − share·r̃.

use super::factor::Factor;
use super::packed::{Packed, add_times, add_transposed, by_size, product};
use super::program::{dot, largest};
use super::scaling::Scaling;
use super::{Grade, Socp, SocpAnswer, SocpSolver, SocpStatus};

/// Settings of [`InteriorPoint`].
#[derive(Clone, Copy, Debug)]
pub struct SocpOptions {
    /// Residuals and gap at which a program counts as solved, relative as in [`Grade`].
    pub tolerance: f64,
    /// Residuals at which an iteration that gets no further still counts as solved.
    pub acceptable: f64,
    /// Most iterations.
    pub iterations: usize,
}

impl Default for SocpOptions {
    fn default() -> Self {
        Self { tolerance: 1e-11, acceptable: 1e-8, iterations: 60 }
    }
}

/// Our solver, with its scratch.
#[derive(Clone, Debug, Default)]
pub struct InteriorPoint {
    /// Settings.
    pub options: SocpOptions,
    packed: Packed,
    factor: Factor,
    now: Iterate,
    best: Iterate,
    scalings: Vec<Scaling>,
    w: Vec<f64>,
    lambda: Vec<f64>,
    /// B = A W of all blocks, in the order of the packed entries.
    scaled: Vec<f64>,
    residual: Residual,
    /// The part of a direction that belongs to τ, and the rest.
    first: Step,
    second: Step,
    full: Step,
    /// W c and W times the dual residual.
    cost: Vec<f64>,
    dual: Vec<f64>,
    /// dx̃ + dz̃, that less share·r̃, and dz̃.
    s: Vec<f64>,
    q: Vec<f64>,
    dz: Vec<f64>,
    /// dx, then Aᵀdy, not scaled.
    plain: Vec<f64>,
    /// c·x and b·y.
    values: [f64; 2],
    /// Largest right side and cost.
    sizes: [f64; 2],
}

/// A point of the embedding; y in the order of the packed rows.
#[derive(Clone, Debug, Default)]
struct Iterate {
    x: Vec<f64>,
    z: Vec<f64>,
    free: Vec<f64>,
    y: Vec<f64>,
    tau: f64,
    kappa: f64,
}

/// Residuals of the three linear equations.
#[derive(Clone, Debug, Default)]
struct Residual {
    primal: Vec<f64>,
    dual: Vec<f64>,
    free: Vec<f64>,
    gap: f64,
}

/// A direction, or a part of one; x is scaled.
#[derive(Clone, Debug, Default)]
struct Step {
    x: Vec<f64>,
    free: Vec<f64>,
    y: Vec<f64>,
    tau: f64,
    kappa: f64,
}

fn sized(v: &mut Vec<f64>, n: usize) {
    v.clear();
    v.resize(n, 0.0);
}

impl Step {
    fn sized(&mut self, n: usize, r: usize, m: usize) {
        sized(&mut self.x, n);
        sized(&mut self.free, r);
        sized(&mut self.y, m);
    }
}

impl InteriorPoint {
    /// A solver with these settings.
    pub fn new(options: SocpOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Rooms of the right size, the start x = z = e.
    fn begin(&mut self, program: &Socp) {
        let (n, m, r) = (program.cost.len(), program.rows(), program.free_cost.len());
        self.packed.gather(program);
        let now = &mut self.now;
        sized(&mut now.x, n);
        sized(&mut now.free, r);
        sized(&mut now.y, m);
        program.blocks.iter().for_each(|block| now.x[block.first] = 1.0);
        now.z.clone_from(&now.x);
        (now.tau, now.kappa) = (1.0, 1.0);
        self.scalings.clear();
        self.scalings.resize(program.blocks.len(), Scaling::default());
        let Self { w, lambda, cost, dual, s, q, dz, plain, .. } = self;
        for v in [w, lambda, cost, dual, s, q, dz, plain] {
            sized(v, n);
        }
        sized(&mut self.scaled, self.packed.entries.len());
        sized(&mut self.residual.primal, m);
        sized(&mut self.residual.free, r);
        // The dual residual at the start; every step takes its share off it.
        self.residual.dual.clear();
        self.residual.dual.extend(program.cost.iter().zip(&now.z).map(|(c, z)| c - z));
        self.first.sized(n, r, m);
        self.second.sized(n, r, m);
        self.full.sized(n, r, m);
        self.sizes = [largest(&program.rhs), largest(&program.cost).max(largest(&program.free_cost))];
    }

    /// Residuals of the embedding's equations; the dual one is kept by [`InteriorPoint::advance`], since z moves by it.
    fn residuals(&mut self, program: &Socp) {
        let (now, residual, packed) = (&self.now, &mut self.residual, &self.packed);
        packed.times(&now.x, &now.free, &mut residual.primal);
        for (r, b) in residual.primal.iter_mut().zip(&packed.rhs) {
            *r -= b * now.tau;
        }
        let columns = packed.columns.chunks_exact(packed.rhs.len().max(1));
        for ((r, c), column) in residual.free.iter_mut().zip(&program.free_cost).zip(columns) {
            *r = c * now.tau - dot(column, &now.y);
        }
        self.values = [program.value(&now.x, &now.free), dot(&packed.rhs, &now.y)];
        residual.gap = self.values[1] - self.values[0] - now.kappa;
    }

    /// Scalings of all blocks, λ, B, the factors of M, and y of τ's part and of the prediction (s = −λ).
    fn scale(&mut self, program: &Socp) {
        let Self { packed, factor, now, residual, first, second, w, lambda, scaled, cost, dual, s, q, .. } = self;
        let m = packed.rhs.len();
        factor.clear(m, program.free_cost.len());
        first.y.copy_from_slice(&packed.rhs);
        first.free.copy_from_slice(&program.free_cost);
        second.y.iter_mut().zip(&residual.primal).for_each(|(y, r)| *y = -r);
        second.free.copy_from_slice(&residual.free);
        for (block, scaling) in packed.blocks.iter().zip(&mut self.scalings) {
            let rows = block.rows(packed);
            let (entries, scaled) = (&packed.entries[block.range()], &mut scaled[block.range()]);
            by_size!(block.dim, d => {
                let (w, lambda) = (block.of_mut(w, d), block.of_mut(lambda, d));
                let z = block.of(&now.z, d);
                *scaling = Scaling::of(block.of(&now.x, d), z, w);
                scaling.times(w, z, lambda);
                scaling.measure(lambda);
                for (from, to) in entries.chunks_exact(d).zip(scaled.chunks_exact_mut(d)) {
                    scaling.times(w, from, to);
                }
                // M gains B_i B_iᵀ: a product of a matrix and its transpose, so that rounding keeps it positive.
                for (j, row) in rows.iter().enumerate() {
                    let a = &scaled[j * d..(j + 1) * d];
                    let line = &mut factor.matrix[row * m..(row + 1) * m];
                    for (other, b) in rows[j..].iter().zip(scaled[j * d..].chunks_exact(d)) {
                        line[*other] += product(d, a, b);
                    }
                }
                let (dual, s, q) = (block.of_mut(dual, d), block.of_mut(s, d), block.of_mut(q, d));
                scaling.times(w, block.of(&residual.dual, d), dual);
                for k in 0..d {
                    s[k] = -lambda[k];
                    q[k] = lambda[k] + dual[k];
                }
                add_times(d, rows, scaled, q, &mut second.y);
                q.iter_mut().for_each(|q| *q = -*q);
                if block.costs {
                    let cost = block.of_mut(cost, d);
                    scaling.times(w, block.of(&program.cost, d), cost);
                    add_times(d, rows, scaled, cost, &mut first.y);
                }
            });
        }
        factor.refresh(&packed.columns);
        factor.solve_both([&mut first.y, &mut first.free], [&mut second.y, &mut second.free]);
    }

    /// Right sides of the correction: s = λ \ (σμ e − λ∘λ − dx̃∘dz̃) with the direction of the prediction.
    fn correct(&mut self, sigma_mu: f64, share: f64) {
        let Self { packed, residual, second, full, lambda, scaled, dual, q, s, dz, .. } = self;
        second.y.fill(0.0);
        for (block, scaling) in packed.blocks.iter().zip(&self.scalings) {
            let (rows, scaled) = (block.rows(packed), &scaled[block.range()]);
            by_size!(block.dim, d => {
                let (lambda, dual, q) = (block.of(lambda, d), block.of(dual, d), block.of_mut(q, d));
                let (a, b, s) = (block.of(&full.x, d), block.of(dz, d), block.of_mut(s, d));
                s[0] = sigma_mu - product(d, a, b);
                for k in 1..d {
                    s[k] = -(a[0] * b[k] + b[0] * a[k]);
                }
                scaling.divide(lambda, s);
                for k in 0..d {
                    s[k] -= lambda[k];
                    q[k] = s[k] - share * dual[k];
                }
                add_times(d, rows, scaled, q, &mut second.y);
            });
        }
        for (y, r) in second.y.iter_mut().zip(&residual.primal) {
            *y = -share * r - *y;
        }
        for (free, r) in second.free.iter_mut().zip(&residual.free) {
            *free = share * r;
        }
    }

    /// The part of τ from its y; returns the slope of the gap along τ.
    fn tau_part(&mut self, program: &Socp) -> f64 {
        let Self { packed, first, scaled, cost, .. } = self;
        let mut value = dot(&program.free_cost, &first.free);
        for block in &packed.blocks {
            let (rows, scaled) = (block.rows(packed), &scaled[block.range()]);
            by_size!(block.dim, d => {
                let (x, cost) = (block.of_mut(&mut first.x, d), block.of(cost, d));
                for k in 0..d {
                    x[k] = -cost[k];
                }
                add_transposed(d, rows, scaled, &first.y, x);
                if block.costs {
                    value += product(d, cost, x);
                }
            });
        }
        dot(&packed.rhs, &first.y) - value + self.now.kappa / self.now.tau
    }

    /// The rest of a direction, from its y and q; returns b·y − c·x of it.
    fn rest_part(&mut self, program: &Socp) -> f64 {
        let Self { packed, second, scaled, cost, q, .. } = self;
        let mut value = dot(&program.free_cost, &second.free);
        for block in &packed.blocks {
            let (rows, scaled) = (block.rows(packed), &scaled[block.range()]);
            by_size!(block.dim, d => {
                let x = block.of_mut(&mut second.x, d);
                x.copy_from_slice(block.of(q, d));
                add_transposed(d, rows, scaled, &second.y, x);
                if block.costs {
                    value += product(d, block.of(cost, d), x);
                }
            });
        }
        dot(&packed.rhs, &second.y) - value
    }

    /// The whole direction from its parts; `right` is what the gap asks of τ, `tau_kappa` the target of κ dτ + τ dκ.
    fn join(&mut self, slope: f64, right: f64, tau_kappa: f64) {
        let Self { first, second, full, now, .. } = self;
        let d_tau = if slope > 0.0 { right / slope } else { 0.0 };
        let add = |out: &mut [f64], one: &[f64], two: &[f64]| {
            out.iter_mut().zip(one).zip(two).for_each(|((out, one), two)| *out = d_tau * one + two);
        };
        add(&mut full.x, &first.x, &second.x);
        add(&mut full.free, &first.free, &second.free);
        add(&mut full.y, &first.y, &second.y);
        full.tau = d_tau;
        full.kappa = (tau_kappa - now.kappa * d_tau) / now.tau;
    }

    /// One step of refinement of the whole direction: what is left of its equations is solved for and added.
    ///
    /// Near the end M is as ill-conditioned as μ is small; without this the equations keep errors of 1e-8.
    fn refine(&mut self, program: &Socp, share: f64, slope: f64, tau_kappa: f64) {
        self.unscale();
        let Self { packed, second, full, residual, plain, q, .. } = self;
        packed.times(plain, &full.free, &mut second.y);
        for ((y, r), b) in second.y.iter_mut().zip(&residual.primal).zip(&packed.rhs) {
            *y = b * full.tau - share * r - *y;
        }
        let columns = packed.columns.chunks_exact(packed.rhs.len().max(1));
        for (((free, r), c), column) in second.free.iter_mut().zip(&residual.free).zip(&program.free_cost).zip(columns)
        {
            *free = c * full.tau + share * r - dot(column, &full.y);
        }
        let gap = -share * residual.gap - dot(&packed.rhs, &full.y) + program.value(plain, &full.free) + full.kappa;
        q.fill(0.0);
        self.factor.solve(&mut self.second.y, &mut self.second.free);
        let off = gap - self.rest_part(program);
        let d_tau = if slope > 0.0 { off / slope } else { 0.0 };
        let Self { first, second, full, now, .. } = self;
        let add = |out: &mut [f64], one: &[f64], two: &[f64]| {
            out.iter_mut().zip(one).zip(two).for_each(|((out, one), two)| *out += d_tau * one + two);
        };
        add(&mut full.x, &first.x, &second.x);
        add(&mut full.free, &first.free, &second.free);
        add(&mut full.y, &first.y, &second.y);
        full.tau += d_tau;
        full.kappa = (tau_kappa - now.kappa * full.tau) / now.tau;
    }

    /// dx = W dx̃.
    fn unscale(&mut self) {
        for (block, scaling) in self.packed.blocks.iter().zip(&self.scalings) {
            by_size!(block.dim, d => {
                scaling.times(block.of(&self.w, d), block.of(&self.full.x, d), block.of_mut(&mut self.plain, d));
            });
        }
    }

    /// Largest step along the direction, up to 1; dz̃ = s − dx̃ is kept.
    fn largest_step(&mut self) -> f64 {
        let Self { packed, now, full, lambda, s, dz, .. } = self;
        let mut inverse: f64 = (-full.tau / now.tau).max(-full.kappa / now.kappa).max(0.0);
        for (block, scaling) in packed.blocks.iter().zip(&self.scalings) {
            by_size!(block.dim, d => {
                let (lambda, x, z) = (block.of(lambda, d), block.of(&full.x, d), block.of_mut(dz, d));
                let s = block.of(s, d);
                for k in 0..d {
                    z[k] = s[k] - x[k];
                }
                inverse = inverse.max(scaling.inverse_step(lambda, x)).max(scaling.inverse_step(lambda, z));
            });
        }
        if inverse > 1.0 { 1.0 / inverse } else { 1.0 }
    }

    fn mu(&self, program: &Socp) -> f64 {
        (dot(&self.now.x, &self.now.z) + self.now.tau * self.now.kappa) / (program.blocks.len() + 1) as f64
    }

    /// Prediction, correction, step; returns its length.
    fn advance(&mut self, program: &Socp) -> f64 {
        let mu = self.mu(program);
        self.scale(program);
        let slope = self.tau_part(program);
        let (tau, kappa, gap) = (self.now.tau, self.now.kappa, self.residual.gap);
        let product = tau * kappa;
        let right = -gap - self.rest_part(program) - kappa;
        self.join(slope, right, -product);
        let affine = self.largest_step();
        let sigma = (1.0 - affine).powi(2);
        let share = 1.0 - sigma;
        let tau_kappa = sigma * mu - product - self.full.tau * self.full.kappa;
        self.correct(sigma * mu, share);
        self.factor.solve(&mut self.second.y, &mut self.second.free);
        let right = -share * gap - self.rest_part(program) + tau_kappa / tau;
        self.join(slope, right, tau_kappa);
        if mu <= 1e-7 * tau * tau {
            self.refine(program, share, slope, tau_kappa);
        }
        // Nearer to the boundary where the prediction came near: the last iterations gain more digits each.
        let step = (1.0 - (0.1 * (1.0 - affine)).clamp(1e-4, 0.01)) * self.largest_step();
        self.unscale();
        let Self { packed, now, full, residual, plain, .. } = self;
        let add = |to: &mut [f64], by: &[f64]| to.iter_mut().zip(by).for_each(|(to, by)| *to += step * by);
        add(&mut now.x, plain);
        add(&mut now.free, &full.free);
        add(&mut now.y, &full.y);
        now.tau += step * full.tau;
        now.kappa += step * full.kappa;
        // dz from the dual equation, so that its residual falls as the step says.
        plain.fill(0.0);
        for block in &packed.blocks {
            let (rows, entries) = (block.rows(packed), &packed.entries[block.range()]);
            by_size!(block.dim, d => add_transposed(d, rows, entries, &full.y, block.of_mut(plain, d)));
        }
        let left = 1.0 - step * share;
        let duals = residual.dual.iter_mut().zip(&program.cost);
        for ((z, y), (r, c)) in now.z.iter_mut().zip(plain.iter()).zip(duals) {
            *z += step * (c * full.tau - y + share * *r);
            *r *= left;
        }
        step
    }

    /// The largest of the primal, dual and gap errors of x/τ, y/τ.
    fn error(&self) -> f64 {
        let residual = &self.residual;
        let over = 1.0 / self.now.tau;
        let [value, bound] = self.values.map(|v| v * over);
        let primal = largest(&residual.primal) * over / (1.0 + self.sizes[0]);
        let dual = largest(&residual.dual).max(largest(&residual.free)) * over / (1.0 + self.sizes[1]);
        let gap = (value - bound).abs() / (1.0 + value.abs());
        if gap.is_nan() { gap } else { primal.max(dual).max(gap) }
    }

    /// Whether y proves that no x exists, or x that the cost has no end.
    fn certificate(&self, program: &Socp) -> Option<SocpStatus> {
        let tolerance = 1e-10;
        let now = &self.now;
        if now.kappa <= now.tau {
            return None;
        }
        let [cost, falls] = self.values;
        if falls > 0.0 {
            // Aᵀy + z and A_fᵀy, from the residuals less their parts of τ.
            let work = self.residual.dual.iter().zip(&program.cost).map(|(r, c)| (r - c * now.tau).abs());
            let free = self.residual.free.iter().zip(&program.free_cost).map(|(r, c)| (r - c * now.tau).abs());
            if work.chain(free).fold(0.0, f64::max) <= tolerance * falls {
                return Some(SocpStatus::Infeasible);
            }
        }
        if cost < 0.0 {
            let rows = self.residual.primal.iter().zip(&self.packed.rhs).map(|(r, b)| (r + b * now.tau).abs());
            if rows.fold(0.0, f64::max) <= -tolerance * cost {
                return Some(SocpStatus::Unbounded);
            }
        }
        None
    }

    fn answer(&self, program: &Socp, at: &Iterate, status: SocpStatus, iterations: usize) -> SocpAnswer {
        let scaled = |v: &[f64], by: f64| v.iter().map(|x| x * by).collect::<Vec<f64>>();
        let by = match status {
            SocpStatus::Infeasible => 1.0 / dot(&self.packed.rhs, &at.y),
            SocpStatus::Unbounded => -1.0 / program.value(&at.x, &at.free),
            _ => 1.0 / at.tau,
        };
        let (x, free) = (scaled(&at.x, by), scaled(&at.free, by));
        let y: Vec<f64> = self.packed.unsorted(&at.y).map(|y| y * by).collect();
        let grade: Grade = match status {
            SocpStatus::Infeasible => program.grade_certificate(&y),
            SocpStatus::Unbounded => program.grade_ray(&x, &free),
            _ => program.grade(&x, &free, &y),
        };
        SocpAnswer { status, value: program.value(&x, &free), x, free, y, grade, iterations }
    }
}

impl SocpSolver for InteriorPoint {
    fn solve(&mut self, program: &Socp) -> SocpAnswer {
        self.begin(program);
        let options = self.options;
        let (mut least, mut since) = (f64::INFINITY, 0);
        for iteration in 0..=options.iterations {
            self.residuals(program);
            let error = self.error();
            if error <= options.tolerance {
                return self.answer(program, &self.now, SocpStatus::Solved, iteration);
            }
            if let Some(status) = self.certificate(program) {
                return self.answer(program, &self.now, status, iteration);
            }
            if error < least {
                (least, since) = (error, 0);
                self.best.clone_from(&self.now);
            } else {
                since += 1;
            }
            // Rounding has the last word: no better for some iterations, or nothing finite any more.
            let ended = error.is_nan() || (since >= 3 && least <= options.acceptable) || since >= 12;
            if ended || iteration == options.iterations || self.advance(program) < 1e-9 {
                let status = if least <= options.acceptable { SocpStatus::Solved } else { SocpStatus::Stalled };
                return self.answer(program, &self.best, status, iteration);
            }
        }
        self.answer(program, &self.best, SocpStatus::Stalled, options.iterations)
    }
}
