//! # Patches: how the nodes of a stencil make the height between them
//!
//! - **in**: position (s, t) in the cell, 0 to 1, and the heights of 4×4 or 6×6 nodes
//! - **out**: height with first and second derivatives in s and t
//! - **not here**: which nodes ([`ElevationMap`](super::ElevationMap)), what stands in for missing ones (`fill`)
//! - **start at** [`patch`]
//!
//! Along one axis a patch is a straight line between the two middle nodes plus bends, each a polynomial times a
//! second difference of the nodes:
//!
//! ```text
//! f(s) = z₀ + s (z₁ − z₀) + Σ_k A_k(s) d_k,   d_k = z_{k−1} − 2 z_k + z_{k+1}
//! ```
//!
//! the same functions as the weights of (PortDem, §III), sorted so that a quarter of the work remains and slopes
//! are made of differences, which keep their digits on a mountain. (PortDem, eqs 2 and 5) builds its patches by
//! inverting matrices of powers of absolute coordinates, whose condition is 1e28 (cubic) to 1e44 (quintic) at a
//! georeferenced x of 5e5 m; the local s has none of this.

/// Bend polynomials: row p holds the factors of s^p for each second difference of the stencil.
pub type Table<const K: usize> = [[f64; K]; 6];

/// Cubic on nodes −1 … 2: slopes at the nodes are central differences (PortDem, eq. 2), i.e. Catmull–Rom. C1.
pub const CUBIC: Table<2> = [[0.0, 0.0], [-0.5, 0.0], [1.0, -0.5], [-0.5, 0.5], [0.0; 2], [0.0; 2]];

/// Quintic on nodes −1 … 2: central first and second differences at the nodes. C2.
///
/// (PortDem, §III.C) prints the second difference as (z₊ − 2z + z₋)/(2Δ); that is (Δ/2) z″ and right only at
/// Δ = 2. Here it is divided by Δ². As printed the bowl 0.2x² + 0.2y² at Δ = 1 has half its curvature.
pub const QUINTIC: Table<2> = [[0.0, 0.0], [-0.5, 0.0], [0.5, 0.0], [1.5, -1.5], [-2.5, 2.5], [1.0, -1.0]];

/// Quintic on nodes −2 … 3: five-point first and second differences at the nodes. C2, reproduces degree 4.
pub const QUINTIC6: Table<4> = [
    [0.0, 0.0, 0.0, 0.0],
    [1.0 / 12.0, -0.5, -1.0 / 12.0, 0.0],
    [-1.0 / 24.0, 7.0 / 12.0, -1.0 / 24.0, 0.0],
    [-0.375, 0.875, -19.0 / 24.0, 7.0 / 24.0],
    [13.0 / 24.0, -19.0 / 12.0, 37.0 / 24.0, -0.5],
    [-5.0 / 24.0, 0.625, -0.625, 5.0 / 24.0],
];

/// No patch leaves mid ± LEBESGUE² · half range of its nodes: Σ|weights| per axis stays below this.
pub const LEBESGUE: f64 = 1.5;

/// Bends at s with their first and second derivatives in s.
#[derive(Clone, Copy, Debug)]
struct Bends<const K: usize> {
    s: f64,
    f: [f64; K],
    d1: [f64; K],
    d2: [f64; K],
}

impl<const K: usize> Bends<K> {
    /// By Horner's rule, all bends at once.
    #[inline(always)]
    fn at(table: &Table<K>, s: f64) -> Self {
        let (mut f, mut d1, mut d2) = (table[5], [0.0; K], [0.0; K]);
        for p in (0..5).rev() {
            for k in 0..K {
                // d2 carries half of the second derivative until the end.
                d2[k] = d2[k] * s + d1[k];
                d1[k] = d1[k] * s + f[k];
                f[k] = f[k] * s + table[p][k];
            }
        }
        for x in &mut d2 {
            *x *= 2.0;
        }
        Self { s, f, d1, d2 }
    }
}

/// Height above node (0, 0) of the cell, and derivatives, from a stencil `z[row][column]`: [z, z_s, z_t, z_ss, z_st, z_tt].
///
/// `N` nodes and `K = N − 2` second differences along each axis.
#[inline(always)]
pub fn patch<const N: usize, const K: usize>(table: &Table<K>, z: &[[f64; N]; N], s: f64, t: f64) -> [f64; 6] {
    let (along_s, along_t) = (Bends::at(table, s), Bends::at(table, t));
    let middle = N / 2 - 1;
    let z_ref = z[middle][middle];

    // Up the columns: value, first and second derivative in t, N lanes side by side.
    let (mut c0, mut c1, mut c2) = ([0.0; N], [0.0; N], [0.0; N]);
    for a in 0..N {
        let rise = z[middle + 1][a] - z[middle][a];
        c0[a] = (z[middle][a] - z_ref) + t * rise;
        c1[a] = rise;
    }
    for k in 0..K {
        for a in 0..N {
            let bend = (z[k][a] - z[k + 1][a]) + (z[k + 2][a] - z[k + 1][a]);
            c0[a] += along_t.f[k] * bend;
            c1[a] += along_t.d1[k] * bend;
            c2[a] += along_t.d2[k] * bend;
        }
    }
    // Along the rows: [value, first, second derivative in s] of each.
    let [f, f_s, f_ss] = across(&along_s, &c0);
    let [f_t, f_st, _] = across(&along_s, &c1);
    let [f_tt, _, _] = across(&along_s, &c2);
    [f, f_s, f_t, f_ss, f_st, f_tt]
}

/// Value and derivatives along one row.
#[inline(always)]
fn across<const N: usize, const K: usize>(bends: &Bends<K>, c: &[f64; N]) -> [f64; 3] {
    let middle = N / 2 - 1;
    let rise = c[middle + 1] - c[middle];
    let mut out = [c[middle] + bends.s * rise, rise, 0.0];
    for k in 0..K {
        let bend = (c[k] - c[k + 1]) + (c[k + 2] - c[k + 1]);
        out[0] += bends.f[k] * bend;
        out[1] += bends.d1[k] * bend;
        out[2] += bends.d2[k] * bend;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Weights of single nodes along s: the patch of a stencil with one column raised.
    fn weights<const N: usize, const K: usize>(table: &Table<K>, s: f64) -> [[f64; 3]; N] {
        std::array::from_fn(|a| {
            let mut row = [0.0; N];
            row[a] = 1.0;
            across(&Bends::at(table, s), &row)
        })
    }

    /// Weights reproduce the polynomials they claim: degree 2 for the 4-node tables, 4 for the 6-node table.
    /// Would catch any wrong digit in a table.
    #[test]
    fn tables_reproduce_their_degree_with_both_derivatives() {
        fn check<const N: usize, const K: usize>(table: &Table<K>, degree: i32, first: i32) {
            for step in 0..=20 {
                let s = f64::from(step) / 20.0;
                let weights = weights::<N, K>(table, s);
                for p in 0..=degree {
                    let node = |a: usize| f64::from(first + a as i32).powi(p);
                    let sum = |d: usize| (0..N).map(|a| weights[a][d] * node(a)).sum::<f64>();
                    let q = f64::from(p);
                    let d1 = if p > 0 { q * s.powi(p - 1) } else { 0.0 };
                    let d2 = if p > 1 { q * (q - 1.0) * s.powi(p - 2) } else { 0.0 };
                    // Round-off: values up to 3^4, weights up to about 20 in the second derivative.
                    assert!((sum(0) - s.powi(p)).abs() < 1e-13, "value, degree {p}, s {s}");
                    assert!((sum(1) - d1).abs() < 1e-12, "slope, degree {p}, s {s}");
                    assert!((sum(2) - d2).abs() < 1e-11, "curvature, degree {p}, s {s}");
                }
            }
        }
        check::<4, 2>(&CUBIC, 2, -1);
        check::<4, 2>(&QUINTIC, 2, -1);
        check::<6, 4>(&QUINTIC6, 4, -2);
    }

    /// The weights as the derivation lists them (independent of the bends above), at s = 0.3.
    #[test]
    fn bends_are_the_weights_of_the_derivation() {
        let s = 0.3_f64;
        let (s2, s3, s4, s5) = (s * s, s.powi(3), s.powi(4), s.powi(5));
        let quintic = [
            s5 - 2.5 * s4 + 1.5 * s3 + 0.5 * s2 - 0.5 * s,
            -3.0 * s5 + 7.5 * s4 - 4.5 * s3 - s2 + 1.0,
            3.0 * s5 - 7.5 * s4 + 4.5 * s3 + 0.5 * s2 + 0.5 * s,
            -s5 + 2.5 * s4 - 1.5 * s3,
        ];
        let six = [
            -5.0 / 24.0 * s5 + 13.0 / 24.0 * s4 - 3.0 / 8.0 * s3 - s2 / 24.0 + s / 12.0,
            25.0 / 24.0 * s5 - 8.0 / 3.0 * s4 + 13.0 / 8.0 * s3 + 2.0 / 3.0 * s2 - 2.0 / 3.0 * s,
            -25.0 / 12.0 * s5 + 21.0 / 4.0 * s4 - 35.0 / 12.0 * s3 - 5.0 / 4.0 * s2 + 1.0,
            25.0 / 12.0 * s5 - 31.0 / 6.0 * s4 + 11.0 / 4.0 * s3 + 2.0 / 3.0 * s2 + 2.0 / 3.0 * s,
            -25.0 / 24.0 * s5 + 61.0 / 24.0 * s4 - 11.0 / 8.0 * s3 - s2 / 24.0 - s / 12.0,
            5.0 / 24.0 * s5 - 0.5 * s4 + 7.0 / 24.0 * s3,
        ];
        for (got, want) in weights::<4, 2>(&QUINTIC, s).iter().zip(quintic) {
            assert!((got[0] - want).abs() < 1e-15);
        }
        for (got, want) in weights::<6, 4>(&QUINTIC6, s).iter().zip(six) {
            assert!((got[0] - want).abs() < 1e-15);
        }
    }

    /// At s = 1 the weights are those of s = 0, one node on, up to the promised derivative.
    #[test]
    fn quintic_tables_join_in_second_derivative_and_the_cubic_does_not() {
        fn jump<const N: usize, const K: usize>(table: &Table<K>) -> [f64; 3] {
            let (end, start) = (weights::<N, K>(table, 1.0), weights::<N, K>(table, 0.0));
            std::array::from_fn(|d| {
                let inner = (1..N).map(|a| (end[a][d] - start[a - 1][d]).abs()).fold(0.0, f64::max);
                inner.max(end[0][d].abs()).max(start[N - 1][d].abs())
            })
        }
        for j in [jump::<4, 2>(&QUINTIC), jump::<6, 4>(&QUINTIC6)].concat() {
            assert!(j < 1e-13, "jump {j}");
        }
        let [w, d1, d2] = jump::<4, 2>(&CUBIC);
        assert!(w < 1e-15 && d1 < 1e-15 && d2 > 0.5, "the cubic is C1 only: {w} {d1} {d2}");
    }

    /// The overshoot bound that pruning of searches relies on.
    #[test]
    fn no_weights_exceed_the_lebesgue_bound() {
        fn most<const N: usize, const K: usize>(table: &Table<K>) -> f64 {
            let sum = |k: i32| weights::<N, K>(table, f64::from(k) / 1000.0).iter().map(|w| w[0].abs()).sum::<f64>();
            (0..=1000).map(sum).fold(0.0, f64::max)
        }
        for sum in [most::<4, 2>(&CUBIC), most::<4, 2>(&QUINTIC), most::<6, 4>(&QUINTIC6)] {
            assert!((1.0..=LEBESGUE).contains(&sum), "{sum}");
        }
    }
}
