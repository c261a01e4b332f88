//! # Nodes that stand in where there is no data: beyond the edge and in holes
//!
//! - **in**: the nodes with data
//! - **out**: one height for each missing node in the stencil of a valid cell
//! - **not here**: which cells are valid (all four corners have data: [`ElevationMap`](super::ElevationMap))
//! - **assumes**: stencils reach two nodes beyond a cell (6×6) at most
//! - **start at** [`Fill::new`]
//!
//! A stand-in belongs to its *node*, not to the cell that asks: cells that share an edge then share all
//! stencil values they have in common, and the surface stays C2 across edges, corners and beside holes.
//! (Filling per cell breaks this.)
//!
//! Rule: along the row first, then along the column, the latter also from values found along rows. Of the
//! two sides of the node, the one with more consecutive nodes with data (three, two, one) is used, then the
//! nearer one; equal sides are averaged. Three nodes are continued quadratically (one step: 3a − 3b + c),
//! which keeps the reproduction of degree 2 up to the edge; two linearly; one as a constant.

/// Heights of missing nodes, found by binary search (few: the rim of the map and of its holes).
#[derive(Clone, Debug, Default)]
pub struct Fill {
    keys: Vec<u64>,
    values: Vec<f64>,
}

/// How far beyond a valid cell's corners stencils reach.
pub const REACH: isize = 2;

impl Fill {
    /// All stand-ins for a map of `nx` × `ny` nodes, where `row(j, out)` gives the heights of row j (NaN where missing).
    pub fn new(nx: usize, ny: usize, mut row: impl FnMut(usize, &mut Vec<f64>)) -> Self {
        // A window of rows slides north; rows outside the map are missing throughout.
        let (inx, iny) = (nx as isize, ny as isize);
        let width = nx + 2 * REACH as usize;
        let mut fill = Self::default();
        let mut read = |j: isize| -> Row {
            let mut z = vec![f64::NAN; width];
            if (0..iny).contains(&j) {
                let mut data = Vec::with_capacity(nx);
                row(j as usize, &mut data);
                z[REACH as usize..REACH as usize + nx].copy_from_slice(&data);
            }
            Row::new(z)
        };
        // Rows j − 5 … j + 5: stencils reach 2 beyond cells, continuation uses 3 nodes at most 2 away.
        const SPAN: isize = 5;
        let mut window: std::collections::VecDeque<Row> = (-REACH - SPAN..-REACH + SPAN).map(&mut read).collect();
        for j in -REACH..iny + REACH {
            window.push_back(read(j + SPAN));
            if window.len() > (2 * SPAN + 1) as usize {
                window.pop_front();
            }
            let here = SPAN as usize;
            // Rows of cells whose stencil holds row j: cell rows j − 3 … j + 2.
            let cell_rows: Vec<usize> = (here - 3..=here + 2).collect();
            if !cell_rows.iter().any(|&k| window[k].complete_pairs && window[k + 1].complete_pairs) {
                continue;
            }
            // Most rows lack only their ends; where much is missing, marking whole rows of cells is cheaper.
            let missing: Vec<usize> = (0..width).filter(|&a| window[here].z[a].is_nan()).collect();
            let marked = if missing.len() > 64 { Some(needed_columns(&window, &cell_rows, width)) } else { None };
            for a in missing {
                let needed = match &marked {
                    Some(marked) => marked[a],
                    None => cell_rows.iter().any(|&k| (a.saturating_sub(3)..=a + 2).any(|c| valid_cell(&window, k, c))),
                };
                if !needed {
                    continue;
                }
                let value = if !window[here].along[a].is_nan() {
                    window[here].along[a]
                } else {
                    continue_from(|step| {
                        let row = &window[(here as isize + step) as usize];
                        if row.z[a].is_nan() { row.along[a] } else { row.z[a] }
                    })
                };
                debug_assert!(!value.is_nan(), "a valid cell always gives its stencil nodes a value");
                let i = a as isize - REACH;
                fill.keys.push(key(i, j, inx));
                fill.values.push(value);
            }
        }
        fill
    }

    /// The stand-in for node (i, j), if one was made.
    pub fn get(&self, i: isize, j: isize, nx: usize) -> Option<f64> {
        self.keys.binary_search(&key(i, j, nx as isize)).ok().map(|k| self.values[k])
    }

    /// Number of stand-ins.
    pub fn len(&self) -> usize {
        self.keys.len()
    }
}

/// Position of a node in the map widened by the reach of stencils; grows with j, then i.
fn key(i: isize, j: isize, nx: isize) -> u64 {
    ((j + REACH) * (nx + 2 * REACH) + i + REACH) as u64
}

/// One row of the widened map with what continuation along the row gives.
struct Row {
    z: Vec<f64>,
    along: Vec<f64>,
    /// Whether two neighbouring nodes with data occur at all.
    complete_pairs: bool,
}

impl Row {
    fn new(z: Vec<f64>) -> Self {
        let n = z.len() as isize;
        let complete_pairs = z.windows(2).any(|w| !w[0].is_nan() && !w[1].is_nan());
        let at = |i: isize| if (0..n).contains(&i) { z[i as usize] } else { f64::NAN };
        let along = (0..n)
            .map(|i| if complete_pairs && at(i).is_nan() { continue_from(|step| at(i + step)) } else { f64::NAN })
            .collect();
        Self { z, along, complete_pairs }
    }
}

/// Which columns of the row in the middle of the window lie in the stencil of a valid cell.
fn needed_columns(window: &std::collections::VecDeque<Row>, cell_rows: &[usize], width: usize) -> Vec<bool> {
    let mut needed = vec![false; width];
    for &k in cell_rows {
        if !(window[k].complete_pairs && window[k + 1].complete_pairs) {
            continue;
        }
        for a in 0..width - 1 {
            if valid_cell(window, k, a) {
                let (from, to) = (a.saturating_sub(2), (a + 3).min(width - 1));
                needed[from..=to].iter_mut().for_each(|n| *n = true);
            }
        }
    }
    needed
}

/// Whether all four corners of the cell with south-west node (column a, window row k) have data.
fn valid_cell(window: &std::collections::VecDeque<Row>, k: usize, a: usize) -> bool {
    let data = |row: &Row, a: usize| row.z.get(a).is_some_and(|z| !z.is_nan());
    data(&window[k], a) && data(&window[k], a + 1) && data(&window[k + 1], a) && data(&window[k + 1], a + 1)
}

/// Continues heights to the node at step 0 from its two sides; NaN if neither side has data within reach.
fn continue_from(at: impl Fn(isize) -> f64) -> f64 {
    let side = |direction: isize| -> Option<(usize, isize, f64)> {
        let near = (1..=REACH).find(|&g| !at(g * direction).is_nan())?;
        let count = (0..3).take_while(|&k| !at((near + k) * direction).is_nan()).count();
        let z = |k: isize| at((near + k) * direction);
        let g = near as f64;
        // Polynomial through the nodes at distance near, near + 1, near + 2, taken at distance 0.
        let value = match count {
            3 => {
                let (a, b, c) = (z(0), z(1), z(2));
                a - g * (b - a) + 0.5 * g * (g + 1.0) * (c - 2.0 * b + a)
            }
            2 => z(0) - g * (z(1) - z(0)),
            _ => z(0),
        };
        Some((count, -near, value))
    };
    match (side(-1), side(1)) {
        (Some(a), Some(b)) if (a.0, a.1) == (b.0, b.1) => 0.5 * (a.2 + b.2),
        (Some(a), Some(b)) => {
            if (a.0, a.1) > (b.0, b.1) {
                a.2
            } else {
                b.2
            }
        }
        (Some(a), None) | (None, Some(a)) => a.2,
        (None, None) => f64::NAN,
    }
}
