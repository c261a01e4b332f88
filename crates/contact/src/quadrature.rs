//! # Quadrature: Gauss–Legendre with eight points
//!
//! - **start at** [`gauss`]

/// Nodes in (0, 1) and weights on [−1, 1]; each node stands for ±itself.
pub(crate) const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// ∫ f over [from, to]: exact for polynomials up to degree 15.
#[inline]
pub fn gauss(from: f64, to: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let mut sum = 0.0;
    for (x, w) in NODES {
        sum += w * (f(middle - half * x) + f(middle + half * x));
    }
    sum * half
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x¹⁵ and x¹⁴ over [0, 2] in closed form; would catch a wrong digit of a node or weight.
    #[test]
    fn polynomials_of_degree_15_are_exact() {
        for degree in [0, 1, 7, 14, 15] {
            let exact = 2.0_f64.powi(degree + 1) / f64::from(degree + 1);
            assert!((gauss(0.0, 2.0, |x| x.powi(degree)) / exact - 1.0).abs() < 4e-15, "{degree}");
        }
    }
}
