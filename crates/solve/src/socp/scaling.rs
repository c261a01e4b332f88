//! # Scaling of Nesterov and Todd: the map that makes a pair of cone points equal
//!
//! - **in**: x and z strictly inside one cone
//! - **out**: W with W z = W⁻¹ x = λ; products with W; the algebra of the cone
//! - **not here**: the iteration (`interior`)
//! - **start at** [`Scaling::of`]
//!
//! ```text
//! W = η (w₀   w₁ᵀ                  )     η² = |x|/|z|,   |x|² = x₀² − x₁·x₁,   w = (x/|x| + J z/|z|)/(2γ)
//!       (w₁   I + w₁w₁ᵀ/(1 + w₀)   )     γ² = (1 + x·z/(|x||z|))/2,   J = diag(1, −1, …)
//! ```
//! (Nesterov-Todd; the form of (Vandenberghe, §4.2))

/// Scaling of one block; w is kept by the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scaling {
    /// η.
    pub eta: f64,
    /// 1/(1 + w₀).
    per: f64,
    /// 1/|λ|, and 1/(1 + λ₀/|λ|).
    over: f64,
    bar: f64,
}

/// √(x₀² − x₁·x₁) without cancellation of squares.
#[inline(always)]
pub fn length(x: &[f64]) -> f64 {
    let tail = norm(&x[1..]);
    ((x[0] - tail).max(0.0) * (x[0] + tail)).sqrt()
}

#[inline(always)]
pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Scaling {
    /// The scaling of x and z, w written beside it.
    #[inline(always)]
    pub fn of(x: &[f64], z: &[f64], w: &mut [f64]) -> Self {
        if x.len() == 1 {
            w[0] = 1.0;
            return Self { eta: (x[0] / z[0]).sqrt(), per: 0.5, ..Self::default() };
        }
        let (lx, lz) = (length(x), length(z));
        let (ix, iz) = (1.0 / lx, 1.0 / lz);
        let product: f64 = x.iter().zip(z).map(|(x, z)| x * z).sum();
        let gamma = (0.5 * (1.0 + product * ix * iz)).sqrt();
        let half = 0.5 / gamma;
        w[0] = half * (x[0] * ix + z[0] * iz);
        for k in 1..x.len() {
            w[k] = half * (x[k] * ix - z[k] * iz);
        }
        // |w| = 1 to rounding: w₀ from its tail.
        w[0] = (1.0 + w[1..].iter().map(|w| w * w).sum::<f64>()).sqrt();
        Self { eta: (lx * iz).sqrt(), per: 1.0 / (1.0 + w[0]), ..Self::default() }
    }

    /// out = W v.
    #[inline(always)]
    pub fn times(&self, w: &[f64], v: &[f64], out: &mut [f64]) {
        let tail: f64 = w[1..].iter().zip(&v[1..]).map(|(w, v)| w * v).sum();
        let along = v[0] + tail * self.per;
        out[0] = self.eta * (w[0] * v[0] + tail);
        for k in 1..v.len() {
            out[k] = self.eta * (v[k] + along * w[k]);
        }
    }

    /// Takes note of |λ|.
    #[inline(always)]
    pub fn measure(&mut self, lambda: &[f64]) {
        self.over = 1.0 / length(lambda);
        self.bar = 1.0 / (self.over * lambda[0] + 1.0);
    }
    /// d ← λ \ d, so that λ ∘ (λ \ d) = d with the product of the cone's algebra.
    #[inline(always)]
    pub fn divide(&self, lambda: &[f64], d: &mut [f64]) {
        let over = self.over;
        let tail: f64 = lambda[1..].iter().zip(&d[1..]).map(|(l, d)| l * d).sum();
        let first = (lambda[0] * d[0] - tail) * over * over;
        let by = 1.0 / lambda[0];
        d[0] = first;
        for k in 1..d.len() {
            d[k] = (d[k] - first * lambda[k]) * by;
        }
    }

    /// Inverse of the largest step from λ along d that stays in the cone; 0 where none leaves it.
    #[inline(always)]
    pub fn inverse_step(&self, lambda: &[f64], d: &[f64]) -> f64 {
        let over = self.over;
        if lambda.len() == 1 {
            return (-d[0] * over).max(0.0);
        }
        let tail: f64 = lambda[1..].iter().zip(&d[1..]).map(|(l, d)| l * d).sum();
        let first = over * over * (lambda[0] * d[0] - tail);
        let scale = (first + over * d[0]) * self.bar;
        let mut rest = 0.0;
        for k in 1..d.len() {
            let part = over * d[k] - scale * over * lambda[k];
            rest += part * part;
        }
        (rest.sqrt() - first).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scaling makes both points one: W(W z) = x. The largest step ends on the boundary; division undoes the product.
    #[test]
    fn both_points_become_one() {
        let (x, z) = ([2.0, 1.0, -0.5, 0.3], [1.0, -0.2, 0.7, 0.1]);
        let mut w = [0.0; 4];
        let mut scaling = Scaling::of(&x, &z, &mut w);
        let (mut lambda, mut back) = ([0.0; 4], [0.0; 4]);
        scaling.times(&w, &z, &mut lambda);
        scaling.times(&w, &lambda, &mut back);
        for k in 0..4 {
            assert!((back[k] - x[k]).abs() < 1e-15 * 4.0, "{lambda:?} {back:?}");
        }
        let d = [-0.3, 0.4, 0.2, -0.9];
        scaling.measure(&x);
        let step = 1.0 / scaling.inverse_step(&x, &d);
        let end: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + step * d).collect();
        assert!((end[0] - norm(&end[1..])).abs() < 1e-14, "{end:?}");
        let mut q = d;
        scaling.divide(&x, &mut q);
        assert!((d[0] - (0..4).map(|k| x[k] * q[k]).sum::<f64>()).abs() < 1e-14, "{q:?}");
        assert!((1..4).all(|k| (x[0] * q[k] + q[0] * x[k] - d[k]).abs() < 1e-14), "{q:?}");
    }
}
