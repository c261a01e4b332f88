//! # Path: pivots along which z0 falls to zero
//!
//! `scaling`, `basis` ──▶ **here** ──(complementary basis, or a ray)──▶ `lemke`
//!
//! - **in**: a problem, a covering vector d > 0, and a basis to start from
//! - **out**: [`End`]: a complementary basis, a ray, or nothing within the limits
//! - **not here**: what an end is worth (`lemke` grades it by the residual)
//! - **start at** [`Path::descend`]
//!
//! ```text
//! w = q + M z + d z0:   z0 enters, the complement of whoever left enters, until z0 leaves
//! ```
//!
//! Ties in the ratio test: z0 leaves if it is among them. Without that rule more than half of all contact problems ended on
//! a ray at z0 = 0, at their solution. Other ties go by lexicographic order from a cold start, whose columns are computed
//! only as far as they are needed, and by the largest pivot otherwise.

use super::basis::{Basis, NONE};
use super::blocks::Blocks;
use super::pattern::Pattern;
use super::scaling::Scaling;
use crate::kernel::{least_ratio, max_abs};
use crate::lcp::Lcp;

/// A variable: slack w of a row, or z of a column (n for z0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Variable {
    W(usize),
    Z(usize),
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// z0 left: the basis is complementary.
    Complementary,
    /// Nothing blocks the variable that enters.
    Ray(Variable),
    /// Too many pivots, or numbers lost their meaning.
    Lost,
}

/// Who leaves among ties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TieRule {
    /// First in lexicographic order: no cycles. From a cold start only.
    Lexicographic,
    /// The largest pivot.
    Largest,
}

/// Pivots smaller than this, against the largest rate, are taken for zero.
const PIVOT: f64 = 1e-10;
/// Basic variables that reach zero within this (scaled q has size 1) are tied.
const TIE: f64 = 1e-12;
/// Rates whose equations are violated by more than this are corrected.
const DRIFT: f64 = 1e-11;
/// Corrections by old factors are given up where one of them leaves more than this share.
const CONTRACTION: f64 = 0.05;

/// State of a path; all storage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    pub(crate) n: usize,
    pub(crate) scaling: Scaling,
    pub(crate) blocks: Blocks,
    pub(crate) basis: Basis,
    /// Covering vector, scaled.
    pub(crate) d: Vec<f64>,
    /// q, scaled.
    pub(crate) q: Vec<f64>,
    /// Values of the basic columns.
    pub(crate) x: Vec<f64>,
    /// Values of w, 0 in nonbasic rows.
    pub(crate) w: Vec<f64>,
    /// Rates of `x` per unit of the entering variable.
    pub(crate) gx: Vec<f64>,
    /// Rates of `w`.
    pub(crate) gw: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    ties: Vec<Variable>,
    /// Pivots so far, over all paths since the count was cleared.
    pub(crate) pivots: usize,
    lu: crate::lu::Lu,
    /// Rows and columns that `lu` is of.
    factored: (Vec<usize>, Vec<usize>),
    /// Where that K has entries.
    pattern: Pattern,
}

impl Path {
    /// Room for n rows; grows, never shrinks.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.scaling.reserve(n);
        self.blocks.reserve(n);
        self.basis.reserve(n);
        for list in [&mut self.d, &mut self.q, &mut self.w, &mut self.gw] {
            list.resize(n, 0.0);
        }
        for list in [&mut self.x, &mut self.gx, &mut self.a, &mut self.b, &mut self.u, &mut self.v] {
            list.resize(n + 1, 0.0);
        }
        self.ties.reserve(n + 1);
        self.lu = crate::lu::Lu::with_capacity(n + 1);
        self.factored = (Vec::with_capacity(n + 1), Vec::with_capacity(n + 1));
        self.pattern.reserve(n);
    }

    /// Takes q over and starts with all w basic.
    pub(crate) fn begin(&mut self, lcp: &Lcp) {
        let n = lcp.n();
        self.n = n;
        self.q.clear();
        self.q.extend(lcp.q().iter().zip(&self.scaling.row).map(|(q, r)| q * r * self.scaling.q));
        self.basis.clear(n);
        self.x.clear();
        self.w.clear();
        self.w.extend_from_slice(&self.q);
        self.gw.resize(n, 0.0);
        self.d.resize(n, 0.0);
    }

    fn entry(&self, lcp: &Lcp, row: usize, column: usize) -> f64 {
        if column == self.n {
            self.d[row]
        } else if self.scaling.even {
            lcp.entry(row, column)
        } else {
            lcp.entry(row, column) * self.scaling.row[row] * self.scaling.column[column]
        }
    }

    /// Row of K-columns at a row of the problem, into `b`.
    fn gather_row(&mut self, lcp: &Lcp, row: usize) {
        let mut b = std::mem::take(&mut self.b);
        b.clear();
        let columns = self.basis.columns.iter();
        if self.scaling.even {
            b.extend(columns.map(|column| if *column == self.n { self.d[row] } else { lcp.entry(row, *column) }));
        } else {
            b.extend(columns.map(|column| self.entry(lcp, row, *column)));
        }
        self.b = b;
    }

    /// (M d) restricted to basic columns times `x`, added to `out` over all rows; `x` by place.
    fn add_product(&self, lcp: &Lcp, x: &[f64], out: &mut [f64]) {
        let columns = &self.basis.columns;
        let zero_place = self.basis.column_at[self.n];
        if self.scaling.even {
            let terms = columns.iter().zip(x).filter(|(j, _)| **j != self.n).map(|(j, x)| (*j, *x));
            self.blocks.add_columns(lcp, terms, out);
        } else {
            // Rows are scaled after the sum: out holds scaled numbers, so they are unscaled first; both are exact.
            let (row, column) = (&self.scaling.row, &self.scaling.column);
            out.iter_mut().zip(row).for_each(|(x, r)| *x /= r);
            let terms = columns.iter().zip(x).filter(|(j, _)| **j != self.n).map(|(j, x)| (*j, *x * column[*j]));
            self.blocks.add_columns(lcp, terms, out);
            out.iter_mut().zip(row).for_each(|(x, r)| *x *= r);
        }
        if zero_place != NONE {
            crate::kernel::axpy(x[zero_place], &self.d, out);
        }
    }

    /// Rates of all basic variables per unit of the entering one. False if the inverse has lost its meaning.
    pub(crate) fn rates(&mut self, lcp: &Lcp, enter: Variable) -> bool {
        let m = self.basis.len();
        let (mut gx, mut gw) = (std::mem::take(&mut self.gx), std::mem::take(&mut self.gw));
        gx.clear();
        match enter {
            Variable::W(j) => gx.extend_from_slice(self.basis.inverse_column(self.basis.row_at[j])),
            Variable::Z(j) => {
                self.a.clear();
                for p in 0..m {
                    self.a.push(-self.entry(lcp, self.basis.rows[p], j));
                }
                gx.resize(m, 0.0);
                self.basis.solve(&self.a, &mut gx);
            }
        }
        let mut sound = false;
        for round in 0..3 {
            self.column_into(lcp, enter, &mut gw);
            self.add_product(lcp, &gx, &mut gw);
            // In rows whose w is nonbasic, the rate must be that of the entering variable alone: drift shows here.
            let mut defect = 0.0f64;
            self.a.clear();
            for &row in &self.basis.rows {
                let wanted = if enter == Variable::W(row) { 1.0 } else { 0.0 };
                let off = gw[row] - wanted;
                defect = defect.max(off.abs());
                self.a.push(-off);
                gw[row] = 0.0;
            }
            let size = 1.0 + max_abs(&gx);
            if defect <= DRIFT * size {
                sound = true;
                break;
            }
            if !defect.is_finite() || defect > 1e-3 * size || round == 2 {
                sound = defect <= 1e-8 * size;
                break;
            }
            self.u.resize(m, 0.0);
            self.basis.solve(&self.a, &mut self.u);
            crate::kernel::axpy(1.0, &self.u, &mut gx);
        }
        (self.gx, self.gw) = (gx, gw);
        sound
    }

    /// The scaled column of a variable as it stands in w = q + M z + d z0.
    fn column_into(&self, lcp: &Lcp, enter: Variable, out: &mut [f64]) {
        match enter {
            Variable::W(_) => out.fill(0.0),
            Variable::Z(j) if j == self.n => out.copy_from_slice(&self.d),
            Variable::Z(j) if self.scaling.even => out.copy_from_slice(lcp.column(j)),
            Variable::Z(j) => {
                let factor = self.scaling.column[j];
                for ((out, x), r) in out.iter_mut().zip(lcp.column(j)).zip(&self.scaling.row) {
                    *out = x * r * factor;
                }
            }
        }
    }

    /// Values of all basic variables from q, with one correction.
    pub(crate) fn refresh(&mut self, lcp: &Lcp) {
        let m = self.basis.len();
        let (mut x, mut w) = (std::mem::take(&mut self.x), std::mem::take(&mut self.w));
        x.clear();
        x.resize(m, 0.0);
        for _ in 0..2 {
            w.copy_from_slice(&self.q);
            self.add_product(lcp, &x, &mut w);
            self.a.clear();
            self.a.extend(self.basis.rows.iter().map(|row| -w[*row]));
            self.u.resize(m, 0.0);
            self.basis.solve(&self.a, &mut self.u);
            crate::kernel::axpy(1.0, &self.u, &mut x);
        }
        w.copy_from_slice(&self.q);
        self.add_product(lcp, &x, &mut w);
        self.basis.rows.iter().for_each(|row| w[*row] = 0.0);
        (self.x, self.w) = (x, w);
    }

    /// Factors K as the basis now is. False if it is singular in working precision.
    pub(crate) fn factor(&mut self, lcp: &Lcp) -> bool {
        let m = self.basis.len();
        let mut lu = std::mem::take(&mut self.lu);
        let whole = lu.factor(m, |k| {
            for (c, &column) in self.basis.columns.iter().enumerate() {
                if column == self.n {
                    self.basis.rows.iter().enumerate().for_each(|(p, row)| k[p * m + c] = self.d[*row]);
                    continue;
                }
                let from = lcp.column(column);
                if self.scaling.even {
                    self.basis.rows.iter().enumerate().for_each(|(p, row)| k[p * m + c] = from[*row]);
                } else {
                    let factor = self.scaling.column[column];
                    for (p, &row) in self.basis.rows.iter().enumerate() {
                        k[p * m + c] = from[row] * self.scaling.row[row] * factor;
                    }
                }
            }
        });
        let sound = whole && lu.ratio() > 1e-13;
        self.lu = lu;
        self.forget_factors();
        if sound {
            self.factored.0.extend_from_slice(&self.basis.rows);
            self.factored.1.extend_from_slice(&self.basis.columns);
        }
        sound
    }

    /// Scales of a problem and where it has entries; factors of others are worth nothing then.
    pub(crate) fn measure(&mut self, lcp: &Lcp) {
        self.scaling.measure(lcp);
        self.blocks.find(lcp);
        self.forget_factors();
    }

    /// Says that the factors belong to nothing.
    pub(crate) fn forget_factors(&mut self) {
        self.factored.0.clear();
        self.factored.1.clear();
        self.pattern.clear();
    }

    /// Whether there are factors of the rows and columns that are basic, of this problem or one like it.
    pub(crate) fn has_factors(&self) -> bool {
        !self.basis.rows.is_empty() && self.factored.0 == self.basis.rows && self.factored.1 == self.basis.columns
    }

    /// Values of the basic columns from a guess of z, corrected by the factors of an earlier problem like this one:
    ///
    /// ```text
    /// x ← x − K̃⁻¹(q_R + K x)     until |q_R + K x| ≤ wanted
    /// ```
    ///
    /// K is taken where it had entries at the first use of K̃. Where it has others too, x is wrong and the residual shows
    /// it. False if a correction
    /// leaves more than a twentieth: K̃ is too far from K.
    pub(crate) fn refine(&mut self, lcp: &Lcp, z: &[f64], wanted: f64) -> bool {
        let m = self.basis.len();
        let mut pattern = std::mem::take(&mut self.pattern);
        let entry = |row: usize, column: usize| self.entry(lcp, self.basis.rows[row], self.basis.columns[column]);
        if pattern.is_empty() {
            pattern.collect(m, entry);
        } else {
            pattern.take_values(entry);
        }
        self.x.clear();
        let scaling = &self.scaling;
        self.x.extend(self.basis.columns.iter().map(|j| z[*j] * scaling.q / scaling.column[*j]));
        self.u.resize(m, 0.0);
        let mut before = f64::INFINITY;
        let close = loop {
            self.a.clear();
            self.a.extend(self.basis.rows.iter().map(|row| self.q[*row]));
            pattern.add_product(&self.x, &mut self.a);
            let off = max_abs(&self.a);
            if off <= wanted {
                break true;
            }
            if off.is_nan() || off > CONTRACTION * before {
                break false;
            }
            before = off;
            self.lu.solve(&self.a, &mut self.u);
            crate::kernel::axpy(-1.0, &self.u[..m], &mut self.x);
        };
        self.pattern = pattern;
        close
    }

    /// Values of the basic columns alone by the factors of K.
    pub(crate) fn columns_by_factors(&mut self) {
        self.a.clear();
        self.a.extend(self.basis.rows.iter().map(|row| -self.q[*row]));
        self.x.clear();
        self.x.resize(self.basis.len(), 0.0);
        self.lu.solve(&self.a, &mut self.x);
    }

    /// Values of the basic variables by the factors of K.
    pub(crate) fn values_by_factors(&mut self, lcp: &Lcp, corrections: usize) {
        let m = self.basis.len();
        self.columns_by_factors();
        let (mut x, mut w) = (std::mem::take(&mut self.x), std::mem::take(&mut self.w));
        self.u.resize(m, 0.0);
        w.copy_from_slice(&self.q);
        self.add_product(lcp, &x, &mut w);
        for _ in 0..corrections {
            self.a.clear();
            self.a.extend(self.basis.rows.iter().map(|row| -w[*row]));
            self.lu.solve(&self.a, &mut self.u);
            crate::kernel::axpy(1.0, &self.u[..m], &mut x);
            w.copy_from_slice(&self.q);
            self.add_product(lcp, &x, &mut w);
        }
        self.basis.rows.iter().for_each(|row| w[*row] = 0.0);
        (self.x, self.w) = (x, w);
    }

    /// K⁻¹ from the factors of K.
    pub(crate) fn invert(&mut self) {
        let m = self.basis.len();
        self.a.clear();
        self.a.resize(m, 0.0);
        self.u.resize(m, 0.0);
        for p in 0..m {
            self.a[p] = 1.0;
            self.lu.solve(&self.a, &mut self.u);
            self.a[p] = 0.0;
            self.basis.set_inverse_column(p, &self.u[..m]);
        }
    }

    fn rebuild(&mut self, lcp: &Lcp) -> bool {
        let sound = self.factor(lcp);
        if sound {
            self.invert();
            self.refresh(lcp);
        }
        sound
    }

    /// From the basis as it stands (values in `x` and `w`, some negative) down to z0 = 0.
    pub(crate) fn descend(&mut self, lcp: &Lcp, rule: TieRule, most: usize) -> End {
        let n = self.n;
        let mut enter = Variable::Z(n);
        // z0 enters at the value that makes all others non-negative. Last of ties: lexicographically least.
        if !self.rates(lcp, enter) {
            return End::Lost;
        }
        let Some((leave, theta)) = self.first_to_leave() else { return End::Complementary };
        self.pivot(lcp, enter, leave, theta);
        enter = complement(leave);
        let mut rebuilt = 0;
        for count in 1..most {
            if !self.rates(lcp, enter) {
                // One fresh inverse may help; where the basis itself is singular nothing does.
                rebuilt += 1;
                if rebuilt > 8 || !self.rebuild(lcp) || !self.rates(lcp, enter) {
                    return End::Lost;
                }
            }
            let Some((leave, theta)) = self.leaving(lcp, rule) else { return End::Ray(enter) };
            self.pivot(lcp, enter, leave, theta);
            if leave == Variable::Z(n) {
                return End::Complementary;
            }
            enter = complement(leave);
            // Values are sums of steps: taken anew now and then.
            if count % 64 == 0 {
                self.refresh(lcp);
            }
        }
        End::Lost
    }

    fn first_to_leave(&self) -> Option<(Variable, f64)> {
        let mut best: Option<(Variable, f64)> = None;
        let mut look = |variable: Variable, value: f64, rate: f64| {
            let ratio = value / rate;
            if value < 0.0 && rate > 0.0 && best.is_none_or(|(_, least)| ratio <= least) {
                best = Some((variable, ratio));
            }
        };
        for (c, &column) in self.basis.columns.iter().enumerate() {
            look(Variable::Z(column), self.x[c], self.gx[c]);
        }
        for i in 0..self.n {
            if self.basis.row_at[i] == NONE {
                look(Variable::W(i), self.w[i], self.gw[i]);
            }
        }
        best.map(|(variable, ratio)| (variable, -ratio))
    }

    /// The ratio test.
    fn leaving(&mut self, lcp: &Lcp, rule: TieRule) -> Option<(Variable, f64)> {
        let size = max_abs(&self.gx).max(max_abs(&self.gw)).max(1e-3);
        let small = -PIVOT * size;
        // Least ratio. Rates of nonbasic rows are 0 and never count.
        let theta = least_ratio(&self.x, &self.gx, small).min(least_ratio(&self.w, &self.gw, small));
        if theta == f64::INFINITY {
            return None;
        }
        let theta = theta.max(0.0);
        self.ties.clear();
        let mut largest = 0.0f64;
        let tied = |x: f64, g: f64| (g < small) & (x + theta * g <= TIE * (1.0 + x.abs()));
        for (c, &column) in self.basis.columns.iter().enumerate() {
            if tied(self.x[c], self.gx[c]) {
                if column == self.n {
                    return Some((Variable::Z(self.n), theta));
                }
                largest = largest.max(-self.gx[c]);
                self.ties.push(Variable::Z(column));
            }
        }
        // Most runs of eight rows hold no tie: one look at each.
        for (run, (w, gw)) in self.w.chunks(8).zip(self.gw.chunks(8)).enumerate() {
            if w.iter().zip(gw).fold(false, |any, (w, g)| any | tied(*w, *g)) {
                for (k, (w, g)) in w.iter().zip(gw).enumerate() {
                    if tied(*w, *g) {
                        largest = largest.max(-g);
                        self.ties.push(Variable::W(8 * run + k));
                    }
                }
            }
        }
        if self.ties.len() > 1 {
            // Tiny pivots among ties would spoil the inverse.
            let mut ties = std::mem::take(&mut self.ties);
            ties.retain(|t| -self.rate(*t) >= 1e-6 * largest);
            match rule {
                TieRule::Lexicographic => self.lexicographic(lcp, &mut ties),
                TieRule::Largest => {
                    let best = ties.iter().copied().min_by(|a, b| self.rate(*a).total_cmp(&self.rate(*b)));
                    ties.clear();
                    ties.extend(best);
                }
            }
            self.ties = ties;
        }
        self.ties.first().map(|leave| (*leave, theta))
    }

    fn rate(&self, variable: Variable) -> f64 {
        match variable {
            Variable::W(i) => self.gw[i],
            Variable::Z(j) => self.gx[self.basis.column_at[j]],
        }
    }

    /// Keeps the lexicographically least of the ties: rows of (B⁻¹) over −rate, column by column. The column of w_k is a unit
    /// vector while it is basic, else minus the rates that w_k would cause.
    fn lexicographic(&mut self, lcp: &Lcp, ties: &mut Vec<Variable>) {
        for k in 0..self.n {
            if ties.len() == 1 {
                return;
            }
            let place = self.basis.row_at[k];
            let mut least = f64::INFINITY;
            self.v.clear();
            for t in 0..ties.len() {
                let value = if place == NONE {
                    f64::from(u8::from(ties[t] == Variable::W(k)))
                } else {
                    match ties[t] {
                        Variable::Z(j) => -self.basis.inverse_column(place)[self.basis.column_at[j]],
                        Variable::W(i) => {
                            self.gather_row(lcp, i);
                            -crate::kernel::dot(&self.b, self.basis.inverse_column(place))
                        }
                    }
                };
                let ratio = value / -self.rate(ties[t]);
                least = least.min(ratio);
                self.v.push(ratio);
            }
            let mut kept = 0;
            let limit = least + 1e-11 * (1.0 + least.abs());
            for t in 0..ties.len() {
                if self.v[t] <= limit {
                    ties[kept] = ties[t];
                    kept += 1;
                }
            }
            ties.truncate(kept.max(1));
        }
    }

    /// One pivot: values move by θ along the rates, the entering variable takes the place of the leaving one.
    fn pivot(&mut self, lcp: &Lcp, enter: Variable, leave: Variable, theta: f64) {
        self.pivots += 1;
        if theta != 0.0 {
            let moved = |x: &mut f64, g: f64| {
                let step = theta * g;
                let new = *x + step;
                // What cancels to round-off is zero: degenerate vertices stay degenerate.
                *x = if new.abs() <= 1e-14 * step.abs() { 0.0 } else { new };
            };
            self.x.iter_mut().zip(&self.gx).for_each(|(x, g)| moved(x, *g));
            self.w.iter_mut().zip(&self.gw).for_each(|(x, g)| moved(x, *g));
        }
        let m = self.basis.len();
        let row_of_leaving = if let Variable::W(i) = leave {
            self.gather_row(lcp, i);
            self.v.resize(m, 0.0);
            let mut v = std::mem::take(&mut self.v);
            self.basis.solve_transposed(&self.b, &mut v);
            self.v = v;
            self.w[i] = 0.0;
            i
        } else {
            NONE
        };
        match (enter, leave) {
            (Variable::Z(j), Variable::W(_)) => {
                // u = K⁻¹ a = −rates.
                self.gx.iter_mut().for_each(|g| *g = -*g);
                let s = self.gw[row_of_leaving];
                self.basis.border(row_of_leaving, j, &self.gx, &self.v, s);
                self.x.push(theta);
            }
            (Variable::Z(j), Variable::Z(k)) => {
                let place = self.basis.column_at[k];
                self.gx.iter_mut().for_each(|g| *g = -*g);
                self.basis.replace_column(place, j, &self.gx);
                self.x[place] = theta;
            }
            (Variable::W(j), Variable::W(i)) => {
                let place = self.basis.row_at[j];
                self.basis.replace_row(place, i, &self.v);
                self.w[j] = theta;
            }
            (Variable::W(j), Variable::Z(k)) => {
                let (row_place, column_place) = (self.basis.row_at[j], self.basis.column_at[k]);
                self.basis.remove(row_place, column_place);
                self.x.swap_remove(column_place);
                self.w[j] = theta;
            }
        }
    }
}

fn complement(variable: Variable) -> Variable {
    match variable {
        Variable::W(i) => Variable::Z(i),
        Variable::Z(j) => Variable::W(j),
    }
}
