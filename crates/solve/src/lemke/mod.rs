//! # Lemke: complementary pivots, graded by the residual
//!
//! `Lcp` ──▶ **here** ──(z, or a proof that there is none, or how far it got)──▶ caller
//!
//! - **in**: an [`Lcp`], dense up to n ≈ 1000
//! - **out**: [`Report`]; [`Lemke::z`], [`Lemke::w`], [`Lemke::farkas`]
//! - **not here**: all solutions of small problems (`enumerate`); friction cones without facets (`cone`)
//! - **assumes**: nothing of M. For M that are copositive-plus (contact problems with polygonal friction are nearly so) a ray
//!   means that there is no solution; for others further covering vectors are tried
//! - **start at** [`Lemke::solve`], then [`Lemke::resolve`] (warm); [`path`] has the pivots, [`basis`] their algebra
//!
//! Storage belongs to [`Lemke`]: solving allocates nothing, unless a problem is larger than those before, or seems
//! infeasible and the proof is searched for.

mod basis;
mod blocks;
mod path;
mod pattern;
mod scaling;

use crate::answer::Status;
use crate::lcp::{Lcp, natural};
use crate::linear::{Feasibility, feasible};
use path::{End, Path, TieRule, Variable};

/// What became of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Solved, infeasible or not found.
    pub status: Status,
    /// Residual of [`Lemke::z`].
    pub residual: f64,
    /// Pivots, over all attempts.
    pub pivots: usize,
    /// Paths tried.
    pub attempts: usize,
    /// Whether the answer came from the last basis.
    pub warm: bool,
}

/// How long to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeOptions {
    /// Covering vectors to try after the first has ended on a ray.
    pub more_covers: usize,
    /// Pivots of one path, per row; a hundred are always allowed.
    pub pivots_per_row: usize,
    /// Whether a linear program may decide about infeasibility where the ray does not. Takes a problem of twice the size.
    pub prove_infeasible: bool,
}

impl Default for LemkeOptions {
    fn default() -> Self {
        LemkeOptions { more_covers: 24, pivots_per_row: 20, prove_infeasible: true }
    }
}

/// Bases tried at a warm start before a path: the last one, and exchanges of what it violates.
const EXCHANGES: usize = 3;

/// Corrections by old factors go on until this share of the tolerance is left.
const WANTED: f64 = 1e-3;

/// Certificates may miss by this much, relative to the sums that they are made of.
pub(crate) const CERTIFICATE: f64 = 1e-11;

/// The solver and its storage.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// How long to try.
    pub options: LemkeOptions,
    path: Path,
    z: Vec<f64>,
    w: Vec<f64>,
    /// The best so far, while several attempts are made.
    best: Vec<f64>,
    farkas: Vec<f64>,
    /// Rows with z basic at the last solution.
    support: Vec<usize>,
    last: Vec<usize>,
    /// Rows of the problem that `support` belongs to.
    solved_rows: usize,
}

impl Lemke {
    /// Storage for problems up to n rows.
    pub fn new(n: usize) -> Self {
        let mut lemke = Lemke::default();
        lemke.reserve(n);
        lemke
    }

    fn reserve(&mut self, n: usize) {
        if n > self.z.capacity() || self.z.capacity() == 0 {
            self.path.reserve(n);
            for list in [&mut self.z, &mut self.w, &mut self.best, &mut self.farkas] {
                list.clear();
                list.reserve(n.max(1));
            }
            self.support.reserve(n);
            self.last.reserve(n);
        }
    }

    /// The best z that was found; a solution if the report says so.
    pub fn z(&self) -> &[f64] {
        &self.z
    }

    /// w = M z + q.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// y ≥ 0 with Mᵀy ≤ 0 and q·y = −1; empty unless the report says infeasible.
    pub fn farkas(&self) -> &[f64] {
        &self.farkas
    }

    /// Rows whose z was basic at the last solution: what [`resolve`](Self::resolve) starts from.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// Sets what the next [`resolve`](Self::resolve) starts from; rows out of range are left out.
    pub fn set_support(&mut self, n: usize, rows: impl Iterator<Item = usize>) {
        self.support.clear();
        self.support.extend(rows.filter(|row| *row < n));
        self.support.sort_unstable();
        self.support.dedup();
        self.solved_rows = n;
        self.path.forget_factors();
    }

    /// Solves from scratch.
    pub fn solve(&mut self, lcp: &Lcp) -> Report {
        self.path.pivots = 0;
        self.cold(lcp, 0)
    }

    /// Solves from the basis of the last solution, as it is if that still holds, else along a short path from it, else
    /// from scratch.
    pub fn resolve(&mut self, lcp: &Lcp) -> Report {
        self.path.pivots = 0;
        if self.solved_rows != lcp.n() || lcp.n() == 0 {
            return self.cold(lcp, 0);
        }
        self.farkas.clear();
        self.path.blocks.forget();
        self.path.scaling.measure_q(lcp);
        if self.path.scaling.row.len() != lcp.n() {
            self.path.measure(lcp);
        }
        match self.warm_start(lcp) {
            Some(report) => report,
            None => self.cold(lcp, 1),
        }
    }

    /// The trivial answer, then covering vectors one after the other.
    fn cold(&mut self, lcp: &Lcp, attempts: usize) -> Report {
        let n = lcp.n();
        self.reserve(n);
        self.farkas.clear();
        self.support.clear();
        self.solved_rows = n;
        self.path.n = n;
        if lcp.q().iter().all(|q| *q >= 0.0) {
            self.z.clear();
            self.z.resize(n, 0.0);
            self.w.clear();
            self.w.extend_from_slice(lcp.q());
            self.path.measure(lcp);
            return self.report(Status::Solved, 0.0, attempts);
        }
        self.path.measure(lcp);
        let mut best = f64::INFINITY;
        let mut attempts = attempts;
        for cover in 0..=self.options.more_covers + 1 {
            attempts += 1;
            let rule = if cover == 0 { TieRule::Lexicographic } else { TieRule::Largest };
            self.path.begin(lcp);
            self.path.d.clear();
            self.path.d.extend(lcp.q().iter().enumerate().map(|(i, q)| covering(cover, i, *q)));
            let end = self.path.descend(lcp, rule, self.options.pivots_per_row * n + 100);
            let residual = self.finish(lcp, end);
            if residual <= lcp.tolerance() {
                return self.report(Status::Solved, residual, attempts);
            }
            if residual < best {
                best = residual;
                self.best.clear();
                self.best.extend_from_slice(&self.z);
            }
            if let End::Ray(enter) = end {
                let proved = self.ray_proves(lcp, enter) || (cover == 0 && self.program_proves(lcp));
                if proved {
                    return self.report(Status::Infeasible, best, attempts);
                }
            }
        }
        std::mem::swap(&mut self.z, &mut self.best);
        lcp_w(lcp, &self.z, &mut self.w);
        self.report(Status::NotFound, best, attempts)
    }

    fn report(&self, status: Status, residual: f64, attempts: usize) -> Report {
        Report { status, residual, pivots: self.path.pivots, attempts, warm: false }
    }

    /// Grades the end of a path; what is nearly right is corrected. Leaves z and w.
    fn finish(&mut self, lcp: &Lcp, end: End) -> f64 {
        let mut residual = self.grade(lcp);
        if end != End::Complementary {
            return residual;
        }
        // Corrections by the inverse are cheap; a fresh factorisation is for what they cannot mend.
        let wanted = 1e-13 * crate::kernel::max_abs(lcp.q());
        if residual > wanted {
            self.path.refresh(lcp);
            residual = self.grade(lcp);
        }
        if residual > 1e-3 * lcp.tolerance() && self.path.factor(lcp) {
            let before = residual;
            self.path.values_by_factors(lcp, 2);
            residual = self.grade(lcp);
            if residual > before && before <= lcp.tolerance() {
                self.path.refresh(lcp);
                residual = self.grade(lcp);
            }
            if residual > lcp.tolerance() {
                // The path went astray by round-off: its end is near, and a short path from there leads to it.
                self.path.invert();
                if self.descend_from_here(lcp) == End::Complementary {
                    self.path.refresh(lcp);
                    residual = self.grade(lcp);
                }
            }
        }
        if residual <= lcp.tolerance() {
            self.remember();
        }
        residual
    }

    /// z (never negative), w and residual of the values on the path; z0 is dropped.
    fn grade(&mut self, lcp: &Lcp) -> f64 {
        let n = lcp.n();
        self.z.clear();
        self.z.resize(n, 0.0);
        let scaling = &self.path.scaling;
        for (&column, x) in self.path.basis.columns.iter().zip(&self.path.x) {
            if column < n && *x > 0.0 {
                self.z[column] = x * scaling.column[column] / scaling.q;
            }
        }
        lcp_w(lcp, &self.z, &mut self.w);
        natural(&self.z, &self.w)
    }

    fn remember(&mut self) {
        self.support.clear();
        self.support.extend_from_slice(&self.path.basis.columns);
        self.support.sort_unstable();
    }

    /// The last basis: as it is, with the rows that it violates exchanged, or as the start of a path.
    fn warm_start(&mut self, lcp: &Lcp) -> Option<Report> {
        let n = lcp.n();
        self.last.clear();
        self.last.extend_from_slice(&self.support);
        for round in 0..EXCHANGES {
            self.set_basis(lcp);
            let mut residual = match if round == 0 { self.by_old_factors(lcp) } else { None } {
                Some(residual) => residual,
                None => {
                    if !self.path.factor(lcp) {
                        break;
                    }
                    self.path.columns_by_factors();
                    self.grade(lcp)
                }
            };
            if residual > lcp.tolerance() && residual <= 1e3 * lcp.tolerance() {
                self.path.values_by_factors(lcp, 1);
                residual = self.grade(lcp);
            }
            if residual <= lcp.tolerance() {
                return Some(Report { warm: true, ..self.report(Status::Solved, residual, 0) });
            }
            if round + 1 == EXCHANGES {
                break;
            }
            // Negative z leave, negative w enter.
            self.path.pivots += 1;
            let basis = &self.path.basis;
            self.support.clear();
            for i in 0..n {
                let place = basis.column_at[i];
                let stays = if place == basis::NONE { self.w[i] < 0.0 } else { self.path.x[place] >= 0.0 };
                if stays {
                    self.support.push(i);
                }
            }
        }
        // Exchanging did not help: a path from where it began.
        std::mem::swap(&mut self.support, &mut self.last);
        if !self.take_basis(lcp) {
            return None;
        }
        self.path.blocks.find(lcp);
        self.path.invert();
        self.path.refresh(lcp);
        if self.descend_from_here(lcp) != End::Complementary {
            return None;
        }
        self.path.refresh(lcp);
        let residual = self.grade(lcp);
        if residual > lcp.tolerance() {
            return None;
        }
        self.remember();
        Some(Report { warm: true, ..self.report(Status::Solved, residual, 1) })
    }

    /// The residual of the basis by the factors of an earlier problem; none if there are no such factors, or they belong to
    /// a problem too far from this one.
    fn by_old_factors(&mut self, lcp: &Lcp) -> Option<f64> {
        let wanted = WANTED * lcp.tolerance() * self.path.scaling.q;
        let known = self.path.has_factors() && self.z.len() == lcp.n();
        (known && self.path.refine(lcp, &self.z, wanted)).then(|| self.grade(lcp))
    }

    /// Makes `support` the basis.
    fn set_basis(&mut self, lcp: &Lcp) {
        self.path.begin(lcp);
        for &row in &self.support {
            self.path.basis.add(row, row);
        }
    }

    /// Makes `support` the basis and factors it. False if it is singular.
    fn take_basis(&mut self, lcp: &Lcp) -> bool {
        self.set_basis(lcp);
        self.path.factor(lcp)
    }

    /// A path from a complementary basis α: d is chosen so that z0 raises the basic variables by ρ, which is Lemke
    /// with d = ρ on the problem pivoted at α:
    ///
    /// ```text
    /// d = ρ_i [i not in α] − M ρ_α     (scaled)
    /// ```
    ///
    /// ρ is 1 where a variable is negative and little elsewhere: the path then changes little beside what is wrong.
    fn descend_from_here(&mut self, lcp: &Lcp) -> End {
        let n = lcp.n();
        let path = &mut self.path;
        let rise = |x: f64| if x < 0.0 { 1.0 } else { 0.01 };
        for i in 0..n {
            path.d[i] = if path.basis.row_at[i] == basis::NONE { rise(path.w[i]) } else { 0.0 };
        }
        let scaling = &path.scaling;
        for (&j, x) in path.basis.columns.iter().zip(&path.x) {
            let factor = scaling.column[j] * rise(*x);
            for ((d, x), r) in path.d.iter_mut().zip(lcp.column(j)).zip(&scaling.row) {
                *d -= x * r * factor;
            }
        }
        path.descend(lcp, TieRule::Largest, 4 * n + 100)
    }

    /// Whether the ray at the end of the path is itself a certificate.
    fn ray_proves(&mut self, lcp: &Lcp, enter: Variable) -> bool {
        let n = lcp.n();
        self.farkas.clear();
        self.farkas.resize(n, 0.0);
        self.path.ray_into(enter, &mut self.farkas);
        for (y, (r, c)) in self.farkas.iter_mut().zip(self.path.scaling.row.iter().zip(&self.path.scaling.column)) {
            *y *= (r / c).sqrt();
        }
        let sound = certify(lcp, &mut self.farkas);
        if !sound {
            self.farkas.clear();
        }
        sound
    }

    /// Whether a linear program finds a certificate.
    fn program_proves(&mut self, lcp: &Lcp) -> bool {
        if !self.options.prove_infeasible {
            return false;
        }
        let Feasibility::Never(mut y) = feasible(lcp.n(), lcp.columns(), lcp.q()) else { return false };
        if !certify(lcp, &mut y) {
            return false;
        }
        self.farkas.clear();
        self.farkas.extend_from_slice(&y);
        true
    }

    /// One path with d = e on a problem whose class promises an end: a basis (true, z in place) or a ray into `ray`.
    pub(crate) fn decide(&mut self, lcp: &Lcp, ray: &mut Vec<f64>) -> Option<bool> {
        self.reserve(lcp.n());
        self.path.pivots = 0;
        self.path.measure(lcp);
        for rule in [TieRule::Lexicographic, TieRule::Largest] {
            self.path.begin(lcp);
            self.path.d.fill(1.0);
            match self.path.descend(lcp, rule, 40 * lcp.n() + 200) {
                end @ End::Complementary => {
                    self.finish(lcp, end);
                    return Some(true);
                }
                End::Ray(enter) => {
                    ray.clear();
                    ray.resize(lcp.n(), 0.0);
                    self.path.ray_into(enter, ray);
                    ray.iter_mut().zip(&self.path.scaling.column).for_each(|(x, c)| *x *= c);
                    return Some(false);
                }
                End::Lost => {}
            }
        }
        None
    }
}

impl Path {
    /// Direction of z along a ray, scaled.
    fn ray_into(&self, enter: Variable, out: &mut [f64]) {
        for (&column, g) in self.basis.columns.iter().zip(&self.gx) {
            if column < self.n {
                out[column] = g.max(0.0);
            }
        }
        if let Variable::Z(j) = enter
            && j < self.n
        {
            out[j] = 1.0;
        }
    }
}

/// Makes q·y = −1 and says whether y is a certificate.
pub(crate) fn certify(lcp: &Lcp, y: &mut [f64]) -> bool {
    // Round-off against the largest entry is no entry.
    let least = 1e-13 * crate::kernel::max_abs(y);
    y.iter_mut().for_each(|y| *y = if *y <= least { 0.0 } else { *y });
    let along: f64 = y.iter().zip(lcp.q()).map(|(y, q)| y * q).sum();
    if along >= 0.0 || !along.is_finite() {
        return false;
    }
    y.iter_mut().for_each(|y| *y /= -along);
    lcp.farkas_defect(y) <= CERTIFICATE
}

/// The k-th covering vector: ones, but little where q = 0; ones; then fixed sequences that spread over ever more decades.
///
/// Rows with q = 0 (friction limits) are tied with z0 from the start and trade places with it again and again. With a
/// thirtieth there, contact problems take 47 pivots instead of 77 at n = 100, 200 instead of 316 at n = 400. A thousandth saves
/// no more and spoils the pivots: two of 3,000 problems were then not found.
fn covering(k: usize, i: usize, q: f64) -> f64 {
    match k {
        0 if q == 0.0 => 0.03,
        0 | 1 => 1.0,
        _ => {
            let turn = 0.618_033_988_749_894_9 + (k - 1) as f64 * 0.754_877_666_246_692_8;
            let decades = [0.5, 1.0, 2.0, 3.0][(k - 1) % 4];
            10f64.powf(decades * (((i + 1) as f64 * turn).fract() - 0.5))
        }
    }
}

fn lcp_w(lcp: &Lcp, z: &[f64], w: &mut Vec<f64>) {
    w.clear();
    w.resize(lcp.n(), 0.0);
    lcp.w_into(z, w);
}
