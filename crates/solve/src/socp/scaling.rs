//! # Scaling of Nesterov and Todd: the map that makes a pair of cone points equal
//!
//! - **in**: x and z strictly inside one cone
//! - **out**: W with W z = W⁻¹ x = λ; products with W and its inverse; the algebra of the cone
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
}

/// √(x₀² − x₁·x₁) without cancellation of squares.
#[inline]
pub fn length(x: &[f64]) -> f64 {
    let tail = norm(&x[1..]);
    ((x[0] - tail).max(0.0) * (x[0] + tail)).sqrt()
}

#[inline]
pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Scaling {
    /// The scaling of x and z, w written beside it.
    #[inline]
    pub fn of(x: &[f64], z: &[f64], w: &mut [f64]) -> Self {
        if x.len() == 1 {
            w[0] = 1.0;
            return Self { eta: (x[0] / z[0]).sqrt() };
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
        Self { eta: (lx * iz).sqrt() }
    }

    /// out = W v.
    #[inline]
    pub fn times(&self, w: &[f64], v: &[f64], out: &mut [f64]) {
        let tail: f64 = w[1..].iter().zip(&v[1..]).map(|(w, v)| w * v).sum();
        let along = v[0] + tail / (1.0 + w[0]);
        out[0] = self.eta * (w[0] * v[0] + tail);
        for k in 1..v.len() {
            out[k] = self.eta * (v[k] + along * w[k]);
        }
    }

    /// out = W⁻¹ v.
    #[inline]
    pub fn undo(&self, w: &[f64], v: &[f64], out: &mut [f64]) {
        let over = 1.0 / self.eta;
        let tail: f64 = w[1..].iter().zip(&v[1..]).map(|(w, v)| w * v).sum();
        let along = -v[0] + tail / (1.0 + w[0]);
        out[0] = over * (w[0] * v[0] - tail);
        for k in 1..v.len() {
            out[k] = over * (v[k] + along * w[k]);
        }
    }
}

/// out = u ∘ v, the product of the cone's algebra.
#[inline]
pub fn circle(u: &[f64], v: &[f64], out: &mut [f64]) {
    out[0] = u.iter().zip(v).map(|(u, v)| u * v).sum();
    for k in 1..u.len() {
        out[k] = u[0] * v[k] + v[0] * u[k];
    }
}

/// out with λ ∘ out = d.
#[inline]
pub fn divide(lambda: &[f64], d: &[f64], out: &mut [f64]) {
    if lambda.len() == 1 {
        out[0] = d[0] / lambda[0];
        return;
    }
    let length = length(lambda);
    let tail: f64 = lambda[1..].iter().zip(&d[1..]).map(|(l, d)| l * d).sum();
    out[0] = (lambda[0] * d[0] - tail) / (length * length);
    for k in 1..d.len() {
        out[k] = (d[k] - out[0] * lambda[k]) / lambda[0];
    }
}

/// Inverse of the largest step from λ along d that stays in the cone; 0 where none leaves it.
#[inline]
pub fn inverse_step(lambda: &[f64], d: &[f64]) -> f64 {
    if lambda.len() == 1 {
        return (-d[0] / lambda[0]).max(0.0);
    }
    let over = 1.0 / length(lambda);
    let tail: f64 = lambda[1..].iter().zip(&d[1..]).map(|(l, d)| l * d).sum();
    let first = over * over * (lambda[0] * d[0] - tail);
    let scale = (first + over * d[0]) / (over * lambda[0] + 1.0);
    let mut rest = 0.0;
    for k in 1..d.len() {
        let part = over * d[k] - scale * over * lambda[k];
        rest += part * part;
    }
    (rest.sqrt() - first).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scaling makes both points one, its inverse undoes it, and the largest step ends on the boundary.
    #[test]
    fn both_points_become_one() {
        let (x, z) = ([2.0, 1.0, -0.5, 0.3], [1.0, -0.2, 0.7, 0.1]);
        let mut w = [0.0; 4];
        let scaling = Scaling::of(&x, &z, &mut w);
        let (mut a, mut b, mut back) = ([0.0; 4], [0.0; 4], [0.0; 4]);
        scaling.times(&w, &z, &mut a);
        scaling.undo(&w, &x, &mut b);
        scaling.undo(&w, &a, &mut back);
        for k in 0..4 {
            assert!((a[k] - b[k]).abs() < 1e-15 && (back[k] - z[k]).abs() < 1e-15, "{a:?} {b:?} {back:?}");
        }
        let d = [-0.3, 0.4, 0.2, -0.9];
        let step = 1.0 / inverse_step(&x, &d);
        let end: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + step * d).collect();
        assert!((end[0] - norm(&end[1..])).abs() < 1e-14, "{end:?}");
        let (mut q, mut again) = ([0.0; 4], [0.0; 4]);
        divide(&x, &d, &mut q);
        circle(&x, &q, &mut again);
        assert!((0..4).all(|k| (again[k] - d[k]).abs() < 1e-14), "{again:?}");
    }
}
