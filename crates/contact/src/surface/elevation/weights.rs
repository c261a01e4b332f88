//! # Patch weights: how the nodes of a stencil share in the height between them
//!
//! - **in**: position s in the cell, 0 to 1
//! - **out**: weights of the 4 or 6 nodes along one axis, with first and second derivatives in s
//! - **not here**: which nodes ([`ElevationMap`](super::ElevationMap)), what stands in for missing ones ([`fill`](super::fill))
//! - **start at** [`Weights::at`]
//!
//! (PortDem, eqs 2 and 5) builds the same patches by inverting matrices of powers of absolute coordinates,
//! whose condition is 1e28 (cubic) to 1e44 (quintic) at a georeferenced x of 5e5 m. The local s has none of this.

/// Weights of N nodes and their first and second derivatives in s.
#[derive(Clone, Copy, Debug)]
pub struct Weights<const N: usize> {
    /// Weights; they sum to 1.
    pub w: [f64; N],
    /// d/ds; they sum to 0.
    pub d1: [f64; N],
    /// d²/ds²; they sum to 0.
    pub d2: [f64; N],
}

/// Coefficients of the weight polynomials: row k holds the factors of s^k for each node.
pub type Table<const N: usize> = [[f64; N]; 6];

/// Cubic, nodes −1 … 2: slopes at the nodes are central differences (PortDem, eq. 2), i.e. Catmull–Rom. C1.
pub const CUBIC: Table<4> =
    [[0.0, 1.0, 0.0, 0.0], [-0.5, 0.0, 0.5, 0.0], [1.0, -2.5, 2.0, -0.5], [-0.5, 1.5, -1.5, 0.5], [0.0; 4], [0.0; 4]];

/// Quintic, nodes −1 … 2: central first and second differences at the nodes. C2.
///
/// (PortDem, §III.C) prints the second difference as (z₊ − 2z + z₋)/(2Δ); that is (Δ/2) z″ and right only at
/// Δ = 2. Here it is divided by Δ². As printed the bowl 0.2x² + 0.2y² at Δ = 1 has half its curvature.
pub const QUINTIC: Table<4> = [
    [0.0, 1.0, 0.0, 0.0],
    [-0.5, 0.0, 0.5, 0.0],
    [0.5, -1.0, 0.5, 0.0],
    [1.5, -4.5, 4.5, -1.5],
    [-2.5, 7.5, -7.5, 2.5],
    [1.0, -3.0, 3.0, -1.0],
];

/// Quintic, nodes −2 … 3: five-point first and second differences at the nodes. C2, reproduces degree 4.
pub const QUINTIC6: Table<6> = [
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
    [1.0 / 12.0, -2.0 / 3.0, 0.0, 2.0 / 3.0, -1.0 / 12.0, 0.0],
    [-1.0 / 24.0, 2.0 / 3.0, -1.25, 2.0 / 3.0, -1.0 / 24.0, 0.0],
    [-0.375, 1.625, -35.0 / 12.0, 2.75, -1.375, 7.0 / 24.0],
    [13.0 / 24.0, -8.0 / 3.0, 5.25, -31.0 / 6.0, 61.0 / 24.0, -0.5],
    [-5.0 / 24.0, 25.0 / 24.0, -25.0 / 12.0, 25.0 / 12.0, -25.0 / 24.0, 5.0 / 24.0],
];

/// Largest Σ|w| over the cell, per axis: how far a patch may overshoot its nodes.
///
/// Cubic 1.25 at s = 1/2, quintic 1.25 + 0.0 …: a test scans all three tables against this common bound.
pub const LEBESGUE: f64 = 1.5;

impl<const N: usize> Weights<N> {
    /// The weights at s, by Horner's rule for all nodes at once.
    #[inline(always)]
    pub fn at(table: &Table<N>, s: f64) -> Self {
        let mut w = table[5];
        let mut d1 = [0.0; N];
        let mut d2 = [0.0; N];
        for k in (0..5).rev() {
            for a in 0..N {
                // d2 carries half of the second derivative until the end.
                d2[a] = d2[a] * s + d1[a];
                d1[a] = d1[a] * s + w[a];
                w[a] = w[a] * s + table[k][a];
            }
        }
        for x in &mut d2 {
            *x *= 2.0;
        }
        Self { w, d1, d2 }
    }
}

/// Heights and derivatives in the cell from an N×N stencil `z[row][column]`: (z, z_s, z_t, z_ss, z_st, z_tt).
#[inline(always)]
pub fn contract<const N: usize>(z: &[[f64; N]; N], ws: &Weights<N>, wt: &Weights<N>) -> [f64; 6] {
    // Down the columns first: N independent lanes.
    let (mut c0, mut c1, mut c2) = ([0.0; N], [0.0; N], [0.0; N]);
    for b in 0..N {
        for a in 0..N {
            c0[a] += wt.w[b] * z[b][a];
            c1[a] += wt.d1[b] * z[b][a];
            c2[a] += wt.d2[b] * z[b][a];
        }
    }
    let mut out = [0.0; 6];
    for a in 0..N {
        out[0] += ws.w[a] * c0[a];
        out[1] += ws.d1[a] * c0[a];
        out[2] += ws.w[a] * c1[a];
        out[3] += ws.d2[a] * c0[a];
        out[4] += ws.d1[a] * c1[a];
        out[5] += ws.w[a] * c2[a];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights reproduce the polynomials they claim: degree 2 for the 4-node tables, 4 for the 6-node table.
    /// Would catch any wrong digit in a table.
    #[test]
    fn tables_reproduce_their_degree_with_both_derivatives() {
        fn check<const N: usize>(table: &Table<N>, degree: i32, first: i32) {
            for step in 0..=20 {
                let s = f64::from(step) / 20.0;
                let weights = Weights::at(table, s);
                for p in 0..=degree {
                    let node = |a: usize| f64::from(first + a as i32).powi(p);
                    let sum = |w: &[f64; N]| (0..N).map(|a| w[a] * node(a)).sum::<f64>();
                    let q = f64::from(p);
                    let d1 = if p > 0 { q * s.powi(p - 1) } else { 0.0 };
                    let d2 = if p > 1 { q * (q - 1.0) * s.powi(p - 2) } else { 0.0 };
                    // Round-off: values up to 3^4, weights up to about 20 in the second derivative.
                    assert!((sum(&weights.w) - s.powi(p)).abs() < 1e-13, "value, degree {p}, s {s}");
                    assert!((sum(&weights.d1) - d1).abs() < 1e-12, "slope, degree {p}, s {s}");
                    // The cubic is only promised to reproduce curvature of degree 2, which it does.
                    assert!((sum(&weights.d2) - d2).abs() < 1e-11, "curvature, degree {p}, s {s}");
                }
            }
        }
        check(&CUBIC, 2, -1);
        check(&QUINTIC, 2, -1);
        check(&QUINTIC6, 4, -2);
    }

    /// At s = 1 the weights are those of s = 0, one node on, up to the promised derivative.
    #[test]
    fn quintic_tables_join_in_second_derivative_and_the_cubic_does_not() {
        fn jump<const N: usize>(table: &Table<N>) -> [f64; 3] {
            let (end, start) = (Weights::at(table, 1.0), Weights::at(table, 0.0));
            let worst = |e: &[f64; N], s: &[f64; N]| {
                let inner = (1..N).map(|a| (e[a] - s[a - 1]).abs()).fold(0.0, f64::max);
                inner.max(e[0].abs()).max(s[N - 1].abs())
            };
            [worst(&end.w, &start.w), worst(&end.d1, &start.d1), worst(&end.d2, &start.d2)]
        }
        for j in [jump(&QUINTIC), jump(&QUINTIC6)].concat() {
            assert!(j < 1e-13, "jump {j}");
        }
        let [w, d1, d2] = jump(&CUBIC);
        assert!(w < 1e-15 && d1 < 1e-15 && d2 > 0.5, "the cubic is C1 only: {w} {d1} {d2}");
    }

    /// The overshoot bound that pruning of searches relies on.
    #[test]
    fn no_weights_exceed_the_lebesgue_bound() {
        fn most<const N: usize>(table: &Table<N>) -> f64 {
            (0..=1000)
                .map(|k| Weights::at(table, f64::from(k) / 1000.0).w.iter().map(|w| w.abs()).sum::<f64>())
                .fold(0.0, f64::max)
        }
        for sum in [most(&CUBIC), most(&QUINTIC), most(&QUINTIC6)] {
            assert!((1.0..=LEBESGUE).contains(&sum), "{sum}");
        }
    }
}
