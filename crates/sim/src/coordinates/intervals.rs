//! # Interval rows: limits, dry friction and equations of joints, solved together
//!
//! G = A M⁻¹ Aᵀ, b ──▶ **here** ──(λ within its intervals)──▶ steppers
//!
//! - **in**: G, symmetric and positive semidefinite; b; the interval of each λ
//! - **out**: λ with w = G λ + b: w = 0 inside the interval, w ≥ 0 at its lower end, w ≤ 0 at its upper end
//! - **not here**: what rows mean (`equations`, the steppers)
//! - **start at** [`Intervals::solve`]
//!
//! A semismooth Newton method: each row is held (w = 0) or at an end, told by λ − w/G; held rows are solved by Cholesky with
//! pivots, so that equations which follow from others cost nothing. Where rows keep changing sides, as those that follow from
//! others may, the equivalent program min ½ λᵀGλ + bᵀλ over the intervals is solved by its active set (Nocedal & Wright,
//! §16.5): each change of sides lowers its value, so that none comes back.

/// Pivots below this share of the first are those of rows that follow from others.
const CUT: f64 = 1e-11;
/// Changes of sides before the active set takes over.
const CHANGES: usize = 24;
/// Sweeps that bring it near.
const SWEEPS: usize = 20;
/// Changes of the active set for each row, at most: some two are usual.
const CHANGES_OF_A_ROW: usize = 20;
/// Share of what w is a sum of, up to which it is rounding.
const ROUNDING: f64 = 1e-12;
/// The same where a solution is judged.
const SOLVED: f64 = 1e-9;

/// Scratch of the solution.
#[derive(Clone, Debug, Default)]
pub struct Intervals {
    /// G, row by row.
    pub G: Vec<f64>,
    /// b.
    pub b: Vec<f64>,
    /// Intervals.
    pub low: Vec<f64>,
    /// Intervals.
    pub high: Vec<f64>,
    /// The solution, and where it is searched from.
    pub lambda: Vec<f64>,
    /// w = G λ + b.
    pub w: Vec<f64>,
    side: Vec<i8>,
    before: Vec<i8>,
    held: Vec<usize>,
    l: Vec<f64>,
    x: Vec<f64>,
}

impl Intervals {
    /// Storage for as many as m rows, so that further ones ask for none.
    pub fn reserve(&mut self, m: usize) {
        let room = |list: &mut Vec<f64>, most: usize| list.reserve(most.saturating_sub(list.len()));
        for list in [&mut self.G, &mut self.l] {
            room(list, m * m);
        }
        for list in [&mut self.b, &mut self.low, &mut self.high, &mut self.lambda, &mut self.w, &mut self.x] {
            room(list, m);
        }
        self.side.reserve(m.saturating_sub(self.side.len()));
        self.before.reserve(m.saturating_sub(self.before.len()));
        self.held.reserve(m.saturating_sub(self.held.len()));
    }

    /// Room for m rows: λ starts from zero where the number of rows changes.
    pub fn resize(&mut self, m: usize) {
        if self.lambda.len() != m {
            self.lambda.clear();
        }
        for (list, len) in [
            (&mut self.G, m * m),
            (&mut self.b, m),
            (&mut self.low, m),
            (&mut self.high, m),
            (&mut self.lambda, m),
            (&mut self.w, m),
        ] {
            list.resize(len, 0.0);
        }
        self.side.resize(m, 2);
        self.before.resize(m, 2);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// Solves for λ; whether every row found its side.
    pub fn solve(&mut self) -> bool {
        for (lambda, (low, high)) in self.lambda.iter_mut().zip(self.low.iter().zip(&self.high)) {
            *lambda = if lambda.is_finite() { lambda.max(*low).min(*high) } else { low.max(0.0).min(*high) };
        }
        self.before.fill(3);
        for _ in 0..CHANGES {
            self.velocities();
            if !self.choose() {
                // Rows that follow from others and contradict them are held in vain.
                if self.is_solved() {
                    return true;
                }
                break;
            }
            self.hold();
        }
        self.descend() && self.is_solved()
    }

    /// The active set: held rows go towards w = 0 as far as the intervals let them; whoever reaches an end stays there, and once
    /// all held rows have arrived the row that pulls hardest at its end is held with them. False where that does not end.
    fn descend(&mut self) -> bool {
        let m = self.b.len();
        for i in 0..m {
            self.lambda[i] = if self.lambda[i].is_finite() { self.lambda[i] } else { 0.0 };
        }
        (0..SWEEPS).for_each(|_| self.sweep());
        for i in 0..m {
            self.side[i] = self.end_of(i);
        }
        for _ in 0..CHANGES_OF_A_ROW * m {
            self.velocities();
            self.held.clear();
            self.held.extend((0..m).filter(|i| self.side[*i] == 0));
            self.x.clear();
            self.x.extend(self.held.iter().map(|i| -self.w[*i]));
            self.solve_held();
            let room = |(k, i): (usize, &usize)| match self.x[k] {
                d if d > 0.0 => (self.high[*i] - self.lambda[*i]) / d,
                d if d < 0.0 => (self.low[*i] - self.lambda[*i]) / d,
                _ => f64::INFINITY,
            };
            let share = self.held.iter().enumerate().map(room).fold(1.0, f64::min).max(0.0);
            for (k, &i) in self.held.iter().enumerate() {
                let d = self.x[k];
                let end = if d > 0.0 { self.high[i] } else { self.low[i] };
                let arrives = d != 0.0 && (end - self.lambda[i]) / d <= share;
                (self.lambda[i], self.side[i]) =
                    if arrives { (end, if d > 0.0 { 1 } else { -1 }) } else { (self.lambda[i] + share * d, 0) };
            }
            if share < 1.0 {
                continue;
            }
            self.velocities();
            match self.pulls_hardest() {
                Some(i) => self.side[i] = 0,
                None => return true,
            }
        }
        false
    }

    /// The end that a row stands at: none if it can go both ways.
    fn end_of(&self, i: usize) -> i8 {
        let stands = self.G[i * self.b.len() + i] <= 0.0 || self.lambda[i] <= self.low[i];
        if stands { -1 } else { i8::from(self.lambda[i] >= self.high[i]) }
    }

    /// What w of a row is a sum of.
    fn size_of(&self, i: usize) -> f64 {
        let m = self.b.len();
        self.b[i].abs() + self.G[i * m..(i + 1) * m].iter().zip(&self.lambda).map(|(g, l)| (g * l).abs()).sum::<f64>()
    }

    /// The row at an end whose w draws it away, the most where all masses are 1.
    fn pulls_hardest(&self) -> Option<usize> {
        let m = self.b.len();
        let pull = |i: usize| {
            let own = self.G[i * m + i];
            let w = f64::from(self.side[i]) * self.w[i];
            let moves = self.side[i] != 0 && self.low[i] < self.high[i] && own > 0.0;
            (moves && w > ROUNDING * self.size_of(i)).then(|| w / own.sqrt())
        };
        let pulls = (0..m).filter_map(|i| Some((i, pull(i)?)));
        pulls.max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i))).map(|(i, _)| i)
    }

    /// Whether every row meets its condition: its λ is where w sends it.
    fn is_solved(&self) -> bool {
        let m = self.b.len();
        (0..m).all(|i| {
            let (own, l) = (self.G[i * m + i], self.lambda[i]);
            let off = own * (l - (l - self.w[i] / own).max(self.low[i]).min(self.high[i])).abs();
            own <= 0.0 || off <= SOLVED * self.size_of(i)
        })
    }

    fn velocities(&mut self) {
        let m = self.b.len();
        for i in 0..m {
            let row = &self.G[i * m..(i + 1) * m];
            self.w[i] = self.b[i] + row.iter().zip(&self.lambda).map(|(g, l)| g * l).sum::<f64>();
        }
    }

    /// The side of each row; whether any has changed.
    fn choose(&mut self) -> bool {
        let m = self.b.len();
        let mut changed = false;
        for i in 0..m {
            let own = self.G[i * m + i];
            let trial = if own > 0.0 { self.lambda[i] - self.w[i] / own } else { self.lambda[i] };
            self.side[i] = if own <= 0.0 || trial <= self.low[i] {
                -1
            } else if trial >= self.high[i] {
                1
            } else {
                0
            };
            changed |= self.side[i] != self.before[i];
        }
        self.before.copy_from_slice(&self.side);
        changed
    }

    /// λ of rows at their ends, and of held rows from w = 0.
    fn hold(&mut self) {
        let m = self.b.len();
        self.held.clear();
        for i in 0..m {
            match self.side[i] {
                0 => self.held.push(i),
                side => {
                    let end = if side < 0 { self.low[i] } else { self.high[i] };
                    self.lambda[i] = if end.is_finite() { end } else { 0.0 };
                }
            }
        }
        self.x.clear();
        for &i in &self.held {
            let others = (0..m).filter(|j| self.side[*j] != 0).map(|j| self.G[i * m + j] * self.lambda[j]);
            self.x.push(-self.b[i] - others.sum::<f64>());
        }
        self.solve_held();
        for (k, &i) in self.held.iter().enumerate() {
            self.lambda[i] = self.x[k];
        }
    }

    /// `x` of held rows from G x = `x` among them.
    fn solve_held(&mut self) {
        let m = self.b.len();
        self.l.clear();
        for &i in &self.held {
            self.l.extend(self.held.iter().map(|&j| self.G[i * m + j]));
        }
        solve_semidefinite(&mut self.l, &mut self.x, self.held.len());
    }

    /// Each row by itself, one after the other.
    fn sweep(&mut self) {
        let m = self.b.len();
        for i in 0..m {
            let row = &self.G[i * m..(i + 1) * m];
            if row[i] <= 0.0 {
                continue;
            }
            let w = self.b[i] + row.iter().zip(&self.lambda).map(|(g, l)| g * l).sum::<f64>();
            self.lambda[i] = (self.lambda[i] - w / row[i]).max(self.low[i]).min(self.high[i]);
        }
    }
}

/// x ← G⁺ x for a symmetric, positive semidefinite G (n × n, overwritten), rows scaled to like size; unknowns that belong to
/// pivots below the cut are zero.
pub(crate) fn solve_semidefinite(g: &mut [f64], x: &mut [f64], n: usize) {
    // Scale of row i, in place of the diagonal's size.
    let mut order = [0_usize; 64];
    let mut long;
    let order: &mut [usize] = if n <= 64 {
        &mut order[..n]
    } else {
        long = vec![0; n];
        &mut long
    };
    let size = |g: &[f64], i: usize| g[i * n + i].max(0.0).sqrt();
    let mut scales = [0.0_f64; 64];
    let mut long_scales;
    let scales: &mut [f64] = if n <= 64 {
        &mut scales[..n]
    } else {
        long_scales = vec![0.0; n];
        &mut long_scales
    };
    for i in 0..n {
        (order[i], scales[i]) = (i, 1.0 / size(g, i).max(f64::MIN_POSITIVE.sqrt()));
    }
    for i in 0..n {
        x[i] *= scales[i];
        (0..n).for_each(|j| g[i * n + j] *= scales[i] * scales[j]);
    }
    let mut rank = 0;
    for k in 0..n {
        let Some(best) = (k..n).max_by(|a, b| {
            let (i, j) = (order[*a], order[*b]);
            g[i * n + i].total_cmp(&g[j * n + j]).then(j.cmp(&i))
        }) else {
            break;
        };
        order.swap(k, best);
        let p = order[k];
        let pivot = g[p * n + p];
        if pivot <= CUT || pivot.is_nan() {
            break;
        }
        rank = k + 1;
        for a in k + 1..n {
            let i = order[a];
            let factor = g[i * n + p] / pivot;
            if factor != 0.0 {
                for b in k + 1..=a {
                    let j = order[b];
                    g[i * n + j] -= factor * g[j * n + p];
                    g[j * n + i] = g[i * n + j];
                }
                x[i] -= factor * x[p];
            }
        }
    }
    for k in (0..n).rev() {
        let p = order[k];
        if k >= rank {
            x[p] = 0.0;
            continue;
        }
        // Column p below its pivot is as elimination left it: the entries of row p then.
        let sum: f64 = (k + 1..rank).map(|a| g[order[a] * n + p] * x[order[a]]).sum();
        x[p] = (x[p] - sum) / g[p * n + p];
    }
    for i in 0..n {
        x[i] *= scales[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five equations of which two follow from the others: G x = b is met, though G has rank 3.
    #[test]
    fn equations_that_follow_from_others_are_met() {
        let a = [[1.0, 2.0, 0.0], [0.0, 1.0, -1.0], [2.0, 0.3, 1.0], [1.0, 3.0, -1.0], [4.0, 4.3, 1.0]];
        let dot = |i: usize, j: usize| (0..3).map(|k| a[i][k] * a[j][k]).sum::<f64>();
        let g: Vec<f64> = (0..25).map(|k| dot(k / 5, k % 5)).collect();
        let truth = [0.3, -0.2, 0.7];
        // b in the range of G.
        let b: Vec<f64> = (0..5).map(|i| (0..3).map(|k| a[i][k] * truth[k]).sum::<f64>()).collect();
        let (mut work, mut x) = (g.clone(), b.clone());
        solve_semidefinite(&mut work, &mut x, 5);
        for i in 0..5 {
            let sum: f64 = (0..5).map(|j| g[i * 5 + j] * x[j]).sum();
            assert!((sum - b[i]).abs() < 1e-12, "{sum} {}", b[i]);
        }
    }

    /// Random rows of all three kinds, no more than coordinates: every solution meets its conditions to rounding.
    #[test]
    fn random_rows_meet_their_conditions() {
        random_rows(6);
    }

    /// More rows than coordinates: half as many again, and three times as many.
    #[test]
    fn redundant_random_rows_meet_their_conditions() {
        random_rows(9);
        random_rows(18);
    }

    /// The active set by itself, from λ = 0: it needs no Newton method before it.
    #[test]
    fn the_active_set_alone_meets_the_conditions() {
        let mut most = 0.0_f64;
        for round in 0..300 {
            let mut rows = random(round, 12);
            assert!(rows.descend() && rows.is_solved(), "{round}");
            most = most.max(worst(&rows));
        }
        assert!(most < 1e-9, "{most}");
    }

    /// Two limits that no velocity meets: told, in place of a false solution.
    #[test]
    fn rows_that_contradict_each_other_are_told() {
        let mut rows = Intervals::default();
        rows.resize(2);
        rows.G = vec![1.0, -1.0, -1.0, 1.0];
        rows.b = vec![-1.0, -1.0];
        (rows.low, rows.high) = (vec![0.0; 2], vec![f64::INFINITY; 2]);
        assert!(!rows.solve());
    }

    fn random_rows(most: usize) {
        for round in 0..300 {
            let mut rows = random(round, most);
            assert!(rows.solve(), "{round}");
            for i in 0..rows.len() {
                assert!(rows.lambda[i] >= rows.low[i] && rows.lambda[i] <= rows.high[i]);
            }
            let off = worst(&rows);
            assert!(off < 1e-9, "{round} {off}");
        }
    }

    /// By how much λ is not where w sends it.
    fn worst(rows: &Intervals) -> f64 {
        let off = |i: usize| rows.lambda[i] - (rows.lambda[i] - rows.w[i]).max(rows.low[i]).min(rows.high[i]);
        (0..rows.len()).map(|i| off(i).abs()).fold(0.0, f64::max)
    }

    /// Up to so many rows of three kinds on six coordinates.
    fn random(round: usize, most: usize) -> Intervals {
        let mut seed = 3 + round as u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        let (m, n) = (1 + round % most, 6);
        let a: Vec<f64> = (0..m * n).map(|_| random()).collect();
        let mut rows = Intervals::default();
        rows.resize(m);
        for i in 0..m {
            for j in 0..m {
                rows.G[i * m + j] = (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum();
            }
            // Beyond the rank, b must be one that rows can have.
            rows.b[i] = (0..n).map(|k| a[i * n + k] * ((k * 7 + round) as f64).sin()).sum();
            let infinite = f64::INFINITY;
            (rows.low[i], rows.high[i]) = [(0.0, infinite), (-0.3, 0.3), (-infinite, infinite)][i % 3];
        }
        rows
    }
}
