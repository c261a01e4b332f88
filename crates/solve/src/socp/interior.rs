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

use super::factor::Factor;
use super::program::{dot, largest};
use super::scaling::{Scaling, circle, divide, inverse_step};
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
    factor: Factor,
    /// Sorted place of each row, and the columns of free variables in that order.
    place: Vec<usize>,
    columns: Vec<f64>,
    now: Iterate,
    best: Iterate,
    scalings: Vec<Scaling>,
    w: Vec<f64>,
    lambda: Vec<f64>,
    /// A_i W_i of one block.
    scaled: Vec<f64>,
    residual: Residual,
    first: Step,
    second: Step,
    full: Step,
    /// W⁻¹(λ \ d), then q; products with V.
    q: Vec<f64>,
    work: Vec<f64>,
    more: Vec<f64>,
}

/// A point of the embedding.
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

/// A direction, or a part of one.
#[derive(Clone, Debug, Default)]
struct Step {
    x: Vec<f64>,
    z: Vec<f64>,
    free: Vec<f64>,
    y: Vec<f64>,
    /// y in the order of the sorted rows.
    sorted: Vec<f64>,
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
        sized(&mut self.z, n);
        sized(&mut self.free, r);
        sized(&mut self.y, m);
        sized(&mut self.sorted, m);
    }
}

impl InteriorPoint {
    /// A solver with these settings.
    pub fn new(options: SocpOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Rooms of the right size, rows sorted by how many blocks touch them, the start x = z = e.
    fn begin(&mut self, program: &Socp) {
        let (n, m, r) = (program.cost.len(), program.rows(), program.free_cost.len());
        let mut touches = vec![0usize; m];
        program.row_of.iter().for_each(|row| touches[*row] += 1);
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by_key(|row| touches[*row]);
        self.place.clear();
        self.place.resize(m, 0);
        order.iter().enumerate().for_each(|(place, row)| self.place[*row] = place);
        sized(&mut self.columns, m * r);
        for (from, to) in program.free.chunks_exact(m.max(1)).zip(self.columns.chunks_exact_mut(m.max(1))) {
            from.iter().zip(&self.place).for_each(|(a, place)| to[*place] = *a);
        }
        let now = &mut self.now;
        sized(&mut now.x, n);
        sized(&mut now.free, r);
        sized(&mut now.y, m);
        program.blocks.iter().for_each(|block| now.x[block.first] = 1.0);
        now.z.clone_from(&now.x);
        (now.tau, now.kappa) = (1.0, 1.0);
        self.scalings.clear();
        self.scalings.resize(program.blocks.len(), Scaling::default());
        for v in [&mut self.w, &mut self.lambda, &mut self.q, &mut self.work, &mut self.more] {
            sized(v, n);
        }
        sized(&mut self.residual.primal, m);
        sized(&mut self.residual.dual, n);
        sized(&mut self.residual.free, r);
        self.first.sized(n, r, m);
        self.second.sized(n, r, m);
        self.full.sized(n, r, m);
    }

    /// Residuals of the embedding's equations.
    fn residuals(&mut self, program: &Socp) {
        let (now, residual) = (&self.now, &mut self.residual);
        program.times(&now.x, &now.free, &mut residual.primal);
        for (r, b) in residual.primal.iter_mut().zip(&program.rhs) {
            *r -= b * now.tau;
        }
        program.transposed(&now.y, &mut residual.dual);
        for ((r, c), z) in residual.dual.iter_mut().zip(&program.cost).zip(&now.z) {
            *r = c * now.tau - *r - z;
        }
        program.transposed_free(&now.y, &mut residual.free);
        for (r, c) in residual.free.iter_mut().zip(&program.free_cost) {
            *r = c * now.tau - *r;
        }
        residual.gap = dot(&program.rhs, &now.y) - program.value(&now.x, &now.free) - now.kappa;
    }

    /// Scalings of all blocks, λ, and the factors of M.
    fn scale(&mut self, program: &Socp) {
        let m = program.rows();
        self.factor.clear(m, program.free_cost.len());
        for (block, scaling) in program.blocks.iter().zip(&mut self.scalings) {
            let range = block.first..block.first + block.dim;
            let w = &mut self.w[range.clone()];
            *scaling = Scaling::of(&self.now.x[range.clone()], &self.now.z[range.clone()], w);
            scaling.times(w, &self.now.z[range.clone()], &mut self.lambda[range]);
            // M gains (A_i W_i)(A_i W_i)ᵀ: a product of a matrix and its transpose, so that rounding keeps it positive.
            let (rows, d) = (program.rows_of(block), block.dim);
            if self.scaled.len() < rows.len() * d {
                self.scaled.resize(rows.len() * d, 0.0);
            }
            let entries = program.entries_of(block).chunks_exact(d);
            for (from, to) in entries.zip(self.scaled.chunks_exact_mut(d)) {
                scaling.times(w, from, to);
            }
            for (i, row) in rows.iter().enumerate() {
                let a = &self.scaled[i * d..(i + 1) * d];
                let row = self.place[*row];
                for (j, other) in rows[..=i].iter().enumerate() {
                    let b = &self.scaled[j * d..(j + 1) * d];
                    let other = self.place[*other];
                    let product = match (a, b) {
                        ([a0, a1, a2, a3], [b0, b1, b2, b3]) => a0 * b0 + a1 * b1 + (a2 * b2 + a3 * b3),
                        _ => dot(a, b),
                    };
                    self.factor.matrix[row.max(other) * m + row.min(other)] += product;
                }
            }
        }
        self.factor.refresh(&self.columns);
    }

    /// The part of a direction that belongs to τ: M y₁ + A_f x_f = b + A V c, A_fᵀ y₁ = c_f, x₁ = V(Aᵀy₁ − c).
    fn tau_part(&mut self, program: &Socp) {
        self.first.x.copy_from_slice(&program.cost);
        through(program, &self.scalings, &self.w, &mut self.work, &mut self.first.x);
        let step = &mut self.first;
        step.free.fill(0.0);
        program.times(&step.x, &step.free, &mut step.y);
        step.y.iter_mut().zip(&program.rhs).for_each(|(y, b)| *y += b);
        step.free.copy_from_slice(&program.free_cost);
        solve_sorted(&self.factor, &self.place, step);
        program.transposed(&step.y, &mut step.x);
        step.x.iter_mut().zip(&program.cost).for_each(|(x, c)| *x -= c);
        through(program, &self.scalings, &self.w, &mut self.work, &mut self.first.x);
    }

    /// The rest: M y₂ + A_f x_f = r₁ − A V q, A_fᵀy₂ = −r_f, x₂ = V(Aᵀy₂ + q), with residuals kept by a share.
    fn rest_part(&mut self, program: &Socp, share: f64) {
        // q = −share·(dual residual) + W⁻¹(λ \ d); the second term is in `more`.
        for ((q, more), residual) in self.q.iter_mut().zip(&self.more).zip(&self.residual.dual) {
            *q = more - share * residual;
        }
        self.second.x.copy_from_slice(&self.q);
        through(program, &self.scalings, &self.w, &mut self.work, &mut self.second.x);
        let step = &mut self.second;
        step.free.fill(0.0);
        program.times(&step.x, &step.free, &mut step.y);
        for (y, residual) in step.y.iter_mut().zip(&self.residual.primal) {
            *y = -share * residual - *y;
        }
        for (free, residual) in step.free.iter_mut().zip(&self.residual.free) {
            *free = share * residual;
        }
        solve_sorted(&self.factor, &self.place, step);
        program.transposed(&step.y, &mut step.x);
        step.x.iter_mut().zip(&self.q).for_each(|(x, q)| *x += q);
        through(program, &self.scalings, &self.w, &mut self.work, &mut self.second.x);
    }

    /// One step of refinement for both parts: what is left of A x + A_f x_f = target and A_fᵀy = target_f.
    ///
    /// Near the end M is as ill-conditioned as μ is small; without this the equations keep errors of 1e-8.
    fn refine(&mut self, program: &Socp, share: f64, tau_too: bool) {
        let Self { first, second, residual, factor, place, scalings, w, work, q, .. } = self;
        let parts: [(&mut Step, f64, f64); 2] = [(second, share, 0.0), (first, 0.0, 1.0)];
        for (step, share, one) in parts.into_iter().take(if tau_too { 2 } else { 1 }) {
            let mut rows = std::mem::take(&mut step.sorted);
            let mut free = vec![0.0; step.free.len()];
            program.times(&step.x, &step.free, &mut rows);
            for ((row, r), b) in rows.iter_mut().zip(&residual.primal).zip(&program.rhs) {
                *row = one * b - share * r - *row;
            }
            program.transposed_free(&step.y, &mut free);
            for ((free, r), c) in free.iter_mut().zip(&residual.free).zip(&program.free_cost) {
                *free = one * c + share * r - *free;
            }
            let mut sorted = vec![0.0; rows.len()];
            place.iter().zip(&rows).for_each(|(place, row)| sorted[*place] = *row);
            factor.solve(&mut sorted, &mut free);
            place.iter().zip(rows.iter_mut()).for_each(|(place, row)| *row = sorted[*place]);
            step.free.iter_mut().zip(&free).for_each(|(x, d)| *x += d);
            step.y.iter_mut().zip(&rows).for_each(|(y, d)| *y += d);
            program.transposed(&rows, q);
            through(program, scalings, w, work, q);
            step.x.iter_mut().zip(q.iter()).for_each(|(x, d)| *x += d);
            step.sorted = rows;
        }
    }

    /// The whole direction from its parts; `more` holds W⁻¹(λ \ d), `tau_kappa` the target of κ dτ + τ dκ.
    fn join(&mut self, program: &Socp, share: f64, tau_kappa: f64) {
        let Self { first, second, full, now, residual, .. } = self;
        let (b, tau) = (&program.rhs, now.tau);
        let slope = dot(b, &first.y) - program.value(&first.x, &first.free) + now.kappa / tau;
        let right =
            -share * residual.gap - dot(b, &second.y) + program.value(&second.x, &second.free) + tau_kappa / tau;
        let d_tau = if slope > 0.0 { right / slope } else { 0.0 };
        let add = |out: &mut [f64], one: &[f64], two: &[f64]| {
            out.iter_mut().zip(one).zip(two).for_each(|((out, one), two)| *out = d_tau * one + two);
        };
        add(&mut full.x, &first.x, &second.x);
        add(&mut full.free, &first.free, &second.free);
        add(&mut full.y, &first.y, &second.y);
        full.tau = d_tau;
        full.kappa = (tau_kappa - now.kappa * d_tau) / tau;
        // dz from the dual equation, so that its residual falls as the step says.
        program.transposed(&full.y, &mut full.z);
        for ((z, c), residual) in full.z.iter_mut().zip(&program.cost).zip(&residual.dual) {
            *z = c * d_tau - *z + share * residual;
        }
    }

    /// Largest step along the direction, up to 1.
    fn largest_step(&mut self, program: &Socp) -> f64 {
        let (now, full) = (&self.now, &self.full);
        let mut inverse: f64 = (-full.tau / now.tau).max(-full.kappa / now.kappa).max(0.0);
        for (block, scaling) in program.blocks.iter().zip(&self.scalings) {
            let range = block.first..block.first + block.dim;
            let (w, lambda) = (&self.w[range.clone()], &self.lambda[range.clone()]);
            let (a, b) = (&mut self.work[range.clone()], &mut self.more[range.clone()]);
            scaling.undo(w, &full.x[range.clone()], a);
            scaling.times(w, &full.z[range], b);
            inverse = inverse.max(inverse_step(lambda, a)).max(inverse_step(lambda, b));
        }
        if inverse > 1.0 { 1.0 / inverse } else { 1.0 }
    }

    /// `more` ← W⁻¹(λ \ d), d = σμ e − λ∘λ − (W⁻¹dx)∘(W dz) with the direction of the prediction in `work` and `more`.
    fn target(&mut self, program: &Socp, sigma_mu: f64, corrected: bool) {
        for (block, scaling) in program.blocks.iter().zip(&self.scalings) {
            let range = block.first..block.first + block.dim;
            let (w, lambda) = (&self.w[range.clone()], &self.lambda[range.clone()]);
            let (a, b) = (&mut self.work[range.clone()], &mut self.more[range.clone()]);
            let q = &mut self.q[range];
            circle(lambda, lambda, q);
            q.iter_mut().for_each(|q| *q = -*q);
            if corrected {
                let first = sigma_mu - dot(a, b);
                for k in 1..q.len() {
                    q[k] -= a[0] * b[k] + b[0] * a[k];
                }
                q[0] += first;
            }
            divide(lambda, q, a);
            scaling.undo(w, a, b);
        }
    }

    fn mu(&self, program: &Socp) -> f64 {
        (dot(&self.now.x, &self.now.z) + self.now.tau * self.now.kappa) / (program.blocks.len() + 1) as f64
    }

    /// Prediction, correction, step; returns its length.
    fn advance(&mut self, program: &Socp) -> f64 {
        let mu = self.mu(program);
        self.scale(program);
        self.tau_part(program);
        self.target(program, 0.0, false);
        self.rest_part(program, 1.0);
        let product = self.now.tau * self.now.kappa;
        self.join(program, 1.0, -product);
        let affine = self.largest_step(program);
        let sigma = (1.0 - affine).powi(3);
        let tau_kappa = sigma * mu - product - self.full.tau * self.full.kappa;
        self.target(program, sigma * mu, true);
        self.rest_part(program, 1.0 - sigma);
        if mu <= 1e-4 * self.now.tau * self.now.tau {
            self.refine(program, 1.0 - sigma, true);
        }
        self.join(program, 1.0 - sigma, tau_kappa);
        let step = 0.99 * self.largest_step(program);
        let (now, full) = (&mut self.now, &self.full);
        let add = |to: &mut [f64], by: &[f64]| to.iter_mut().zip(by).for_each(|(to, by)| *to += step * by);
        add(&mut now.x, &full.x);
        add(&mut now.z, &full.z);
        add(&mut now.free, &full.free);
        add(&mut now.y, &full.y);
        now.tau += step * full.tau;
        now.kappa += step * full.kappa;
        step
    }

    /// Primal, dual and gap errors of x/τ, y/τ.
    fn errors(&self, program: &Socp) -> [f64; 3] {
        let (now, residual) = (&self.now, &self.residual);
        let over = 1.0 / now.tau;
        let costs = largest(&program.cost).max(largest(&program.free_cost));
        let value = program.value(&now.x, &now.free) * over;
        let bound = dot(&program.rhs, &now.y) * over;
        [
            largest(&residual.primal) * over / (1.0 + largest(&program.rhs)),
            largest(&residual.dual).max(largest(&residual.free)) * over / (1.0 + costs),
            (value - bound).abs() / (1.0 + value.abs()),
        ]
    }

    /// Whether y proves that no x exists, or x that the cost has no end.
    fn certificate(&mut self, program: &Socp) -> Option<SocpStatus> {
        let tolerance = 1e-10;
        let now = &self.now;
        let falls = dot(&program.rhs, &now.y);
        if falls > 0.0 && now.kappa > now.tau {
            // Aᵀy + z and A_fᵀy, from the residuals less their parts of τ.
            let work = self.residual.dual.iter().zip(&program.cost).map(|(r, c)| (r - c * now.tau).abs());
            let free = self.residual.free.iter().zip(&program.free_cost).map(|(r, c)| (r - c * now.tau).abs());
            if work.chain(free).fold(0.0, f64::max) <= tolerance * falls {
                return Some(SocpStatus::Infeasible);
            }
        }
        let cost = -program.value(&now.x, &now.free);
        if cost > 0.0 && now.kappa > now.tau {
            let rows = self.residual.primal.iter().zip(&program.rhs).map(|(r, b)| (r + b * now.tau).abs());
            if rows.fold(0.0, f64::max) <= tolerance * cost {
                return Some(SocpStatus::Unbounded);
            }
        }
        None
    }

    fn answer(&self, program: &Socp, at: &Iterate, status: SocpStatus, iterations: usize) -> SocpAnswer {
        let scaled = |v: &[f64], by: f64| v.iter().map(|x| x * by).collect::<Vec<f64>>();
        let by = match status {
            SocpStatus::Infeasible => 1.0 / dot(&program.rhs, &at.y),
            SocpStatus::Unbounded => -1.0 / program.value(&at.x, &at.free),
            _ => 1.0 / at.tau,
        };
        let (x, free, y) = (scaled(&at.x, by), scaled(&at.free, by), scaled(&at.y, by));
        let grade: Grade = match status {
            SocpStatus::Infeasible => program.grade_certificate(&y),
            SocpStatus::Unbounded => program.grade_ray(&x, &free),
            _ => program.grade(&x, &free, &y),
        };
        SocpAnswer { status, value: program.value(&x, &free), x, free, y, grade, iterations }
    }
}

/// v ← W² v, block by block.
fn through(program: &Socp, scalings: &[Scaling], w: &[f64], work: &mut [f64], v: &mut [f64]) {
    for (block, scaling) in program.blocks.iter().zip(scalings) {
        let range = block.first..block.first + block.dim;
        let (w, part, mid) = (&w[range.clone()], &mut v[range.clone()], &mut work[range]);
        scaling.times(w, part, mid);
        scaling.times(w, mid, part);
    }
}

fn solve_sorted(factor: &Factor, place: &[usize], step: &mut Step) {
    for (y, place) in step.y.iter().zip(place) {
        step.sorted[*place] = *y;
    }
    factor.solve(&mut step.sorted, &mut step.free);
    for (y, place) in step.y.iter_mut().zip(place) {
        *y = step.sorted[*place];
    }
}

impl SocpSolver for InteriorPoint {
    fn solve(&mut self, program: &Socp) -> SocpAnswer {
        self.begin(program);
        let options = self.options;
        let (mut least, mut since) = (f64::INFINITY, 0);
        for iteration in 0..=options.iterations {
            self.residuals(program);
            let error = self.errors(program).into_iter().fold(0.0, f64::max);
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
