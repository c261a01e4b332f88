//! # Cholesky: symmetric positive matrices of blocks, by a complete or an incomplete factor
//!
//! - **in**: a [`Pattern`]; blocks by columns, below the diagonal and on it
//! - **out**: L with L Lᵀ = A, or nearly so where blocks that fill in are left out; solutions
//! - **assumes**: the part of diagonal blocks above their diagonal is not read
//! - **start at** [`factor`], then [`substitute`]; heaps take [`factor_domain`] and [`substitute_domain`]

use super::block::{
    Block, Six, backward, cholesky, divide, forward, subtract_product, subtract_square, take, take_transposed,
};
use super::pattern::{NONE, Pattern, Structure};

/// Factors a matrix in place: blocks below the diagonal, then diagonals. `false` if it is not positive.
pub fn factor(pattern: &Pattern, blocks: &mut [Block]) -> bool {
    let (lower, diagonal) = blocks.split_at_mut(pattern.structure.rows.len());
    eliminate(&pattern.structure, 0, lower, diagonal, None)
}

/// Solves in place by the complete factor; `of` gives the six numbers of an entry of x, which is in order of places.
pub fn substitute<T>(pattern: &Pattern, blocks: &[Block], x: &mut [T], of: impl Fn(&mut T) -> &mut Six) {
    let (lower, diagonal) = blocks.split_at(pattern.structure.rows.len());
    through(&pattern.structure, lower, diagonal, 0, x, of);
}

/// The incomplete factor of the domain that begins at a place: its blocks below the diagonal and its diagonals are
/// made from the matrix. `false` if that is not positive.
pub fn factor_domain(
    pattern: &Pattern,
    matrix: &[Block],
    from: usize,
    lower: &mut [Block],
    diagonal: &mut [Block],
) -> bool {
    let domains = &pattern.domains;
    let own = &matrix[pattern.structure.rows.len()..][from..from + diagonal.len()];
    diagonal.copy_from_slice(own);
    let first = domains.structure.starts[from] as usize;
    for (block, source) in lower.iter_mut().zip(&domains.sources[first..]) {
        *block = matrix[*source as usize];
    }
    eliminate(&domains.structure, from, lower, diagonal, Some(own))
}

/// Solves in place by the factor of the domain that begins at a place; the blocks are those of all domains.
pub fn substitute_domain(pattern: &Pattern, lower: &[Block], diagonal: &[Block], from: usize, x: &mut [Six]) {
    through(&pattern.domains.structure, lower, diagonal, from, x, |x| x);
}

/// Eliminates the columns that begin at a place. Where what was left out made a diagonal block lose its sign, the
/// matrix's own block, if given, takes its place.
fn eliminate(
    structure: &Structure,
    from: usize,
    lower: &mut [Block],
    diagonal: &mut [Block],
    own: Option<&[Block]>,
) -> bool {
    let Structure { starts, rows, targets, target_starts } = structure;
    let first = starts[from] as usize;
    let mut next = target_starts.get(from).map_or(0, |at| *at as usize);
    for column in 0..diagonal.len() {
        if !cholesky(&mut diagonal[column]) {
            let Some(own) = own else { return false };
            diagonal[column] = own[column];
            if !cholesky(&mut diagonal[column]) {
                return false;
            }
        }
        let L = diagonal[column];
        let span = starts[from + column] as usize - first..starts[from + column + 1] as usize - first;
        for block in &mut lower[span.clone()] {
            divide(block, &L);
        }
        for k in span.clone() {
            subtract_square(&mut diagonal[rows[first + k] as usize - from], &lower[k]);
            for i in k + 1..span.end {
                let target = targets[next];
                next += 1;
                if target != NONE {
                    // Later columns come later.
                    let (before, after) = lower.split_at_mut(target as usize - first);
                    subtract_product(&mut after[0], &before[i], &before[k]);
                }
            }
        }
    }
    true
}

/// L⁻ᵀ L⁻¹ x over the columns that begin at a place.
#[inline]
fn through<T>(
    structure: &Structure,
    lower: &[Block],
    diagonal: &[Block],
    from: usize,
    x: &mut [T],
    of: impl Fn(&mut T) -> &mut Six,
) {
    let rows = &structure.rows;
    for column in 0..x.len() {
        let at = of(&mut x[column]);
        let y = forward(&diagonal[from + column], *at);
        *at = y;
        for k in structure.column(from + column) {
            take(of(&mut x[rows[k] as usize - from]), &lower[k], &y);
        }
    }
    for column in (0..x.len()).rev() {
        let mut y = *of(&mut x[column]);
        for k in structure.column(from + column) {
            take_transposed(&mut y, &lower[k], of(&mut x[rows[k] as usize - from]));
        }
        *of(&mut x[column]) = backward(&diagonal[from + column], y);
    }
}
