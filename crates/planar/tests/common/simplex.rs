//! A second opinion: exact linear programs over the contact forces, sharing nothing with the crate but its fractions.

use fingerpad_planar::{Case, Kind, Rational, Region};
use std::cmp::Ordering::{Greater, Less};

/// max c·x over A x = b, x ≥ 0, by the tableau method with Bland's rule.
pub enum Outcome {
    Infeasible,
    Unbounded,
    Best(Rational),
}

pub struct Program {
    rows: Vec<Vec<Rational>>, // coefficients, then the right side
    basis: Vec<usize>,
    columns: usize,
}

impl Program {
    /// Phase one; `None` when there is no feasible x.
    pub fn new(a: Vec<Vec<Rational>>, b: Vec<Rational>) -> Option<Program> {
        let columns = a.first().map_or(0, Vec::len);
        let m = a.len();
        let mut rows = Vec::new();
        for (i, (mut row, bi)) in a.into_iter().zip(b).enumerate() {
            let flip = bi.sign() == Less;
            if flip {
                row = row.iter().map(|x| -x).collect();
            }
            row.extend((0..m).map(|j| if i == j { Rational::ONE } else { Rational::ZERO }));
            row.push(bi.abs());
            rows.push(row);
        }
        let mut p = Program { rows, basis: (columns..columns + m).collect(), columns: columns + m };
        let cost: Vec<Rational> =
            (0..columns + m).map(|j| if j < columns { Rational::ZERO } else { Rational::from(-1) }).collect();
        match p.maximise(&cost) {
            Outcome::Best(v) if v.is_zero() => {}
            _ => return None,
        }
        // Artificial columns leave the basis where they can; rows where they cannot are redundant.
        for i in 0..m {
            if p.basis[i] >= columns
                && let Some(j) = (0..columns).find(|&j| !p.rows[i][j].is_zero())
            {
                p.pivot(i, j);
            }
        }
        let keep: Vec<usize> = (0..m).filter(|&i| p.basis[i] < columns).collect();
        p.rows = keep.iter().map(|&i| [&p.rows[i][..columns], &p.rows[i][columns + m..]].concat()).collect();
        p.basis = keep.iter().map(|&i| p.basis[i]).collect();
        p.columns = columns;
        Some(p)
    }

    pub fn maximise(&mut self, cost: &[Rational]) -> Outcome {
        loop {
            let reduced = |j: usize| {
                let used: Rational = (0..self.rows.len()).map(|i| &cost[self.basis[i]] * &self.rows[i][j]).sum();
                &cost[j] - &used
            };
            let Some(enter) = (0..self.columns).find(|&j| reduced(j).sign() == Greater) else {
                let value = (0..self.rows.len()).map(|i| &cost[self.basis[i]] * &self.rows[i][self.columns]).sum();
                return Outcome::Best(value);
            };
            let ratios = (0..self.rows.len()).filter(|&i| self.rows[i][enter].sign() == Greater);
            let leave = ratios.min_by_key(|&i| (&self.rows[i][self.columns] / &self.rows[i][enter], self.basis[i]));
            match leave {
                Some(i) => self.pivot(i, enter),
                None => return Outcome::Unbounded,
            }
        }
    }

    fn pivot(&mut self, i: usize, j: usize) {
        let p = self.rows[i][j].clone();
        self.rows[i].iter_mut().filter(|x| !x.is_zero()).for_each(|x| *x = &*x / &p);
        let row = self.rows[i].clone();
        for (other, target) in self.rows.iter_mut().enumerate() {
            if other == i || target[j].is_zero() {
                continue;
            }
            let f = target[j].clone();
            for (x, r) in target.iter_mut().zip(&row).filter(|(_, r)| !r.is_zero()) {
                *x = &*x - &(&f * r);
            }
        }
        self.basis[i] = j;
    }
}

/// One contact, from the equations of the design note, written again.
struct Line {
    n: [Rational; 3],
    t: [Rational; 3],
    h: Rational,
    bias: Rational,
    mu: Rational,
    rate: Rational,
    slip: Rational,
}

fn dot(a: &[Rational; 3], b: &[Rational; 3]) -> Rational {
    (0..3).map(|i| &a[i] * &b[i]).sum()
}

fn lines(case: &Case) -> Vec<Line> {
    let (v, w) = (&case.velocity, &case.velocity[2]);
    let two = Rational::from(2);
    let line = |c: &fingerpad_planar::Contact| {
        let ([nx, ny], [rx, ry]) = (&c.normal, &c.to_com);
        let n = [nx.clone(), ny.clone(), &(nx * ry) - &(ny * rx)];
        let t = [ny.clone(), -nx, &(nx * rx) + &(ny * ry)];
        let slip = dot(&t, v);
        let n_r = &(w * w) * &t[2];
        let h = match &c.kind {
            Kind::VertexOnEdge => n_r,
            Kind::EdgeOnVertex => &(&(&two * w) * &(&(nx * &v[1]) - &(ny * &v[0]))) - &n_r,
            Kind::Curved { k_body: k1, k_obstacle: k2 } => {
                let a = &(k1 * k2) * &(&slip * &slip);
                let b = &(&two * k2) * &(&slip * w);
                &n_r + &(&(&(&a - &b) - &(w * w)) / &(k1 + k2))
            }
            other => panic!("no random case has {other:?}"),
        };
        let bias = &(w * w) * &(&(ny * rx) - &(nx * ry));
        let rate = dot(&n, v);
        Line { n, t, h, bias, mu: c.mu.clone(), rate, slip }
    };
    case.contacts.iter().map(line).collect()
}

/// The linear program of one closed mode: x = edge forces, then slacks; A = M⁻¹(F + Σ λ e).
pub struct ModeProgram {
    program: Program,
    /// A = free + Σ gain·λ
    free: [Rational; 3],
    gain: Vec<[Rational; 3]>,
    columns: usize,
}

impl ModeProgram {
    /// `None` when the mode is infeasible or not a mode of this case.
    pub fn new(case: &Case, mode: &str) -> Option<ModeProgram> {
        let mass = [case.mass.clone(), case.mass.clone(), &case.mass * &case.gyration_sq];
        let free: [Rational; 3] = std::array::from_fn(|i| &case.force[i] / &mass[i]);
        let mut gain: Vec<[Rational; 3]> = Vec::new();
        let mut asks: Vec<([Rational; 3], Rational, bool)> = Vec::new(); // g·A + c (≥ | =) 0
        for (line, letter) in lines(case).iter().zip(mode.chars()) {
            let moving = line.slip.sign();
            if (line.rate.sign() == Greater) != (letter == '-') {
                return None;
            }
            let fits = match letter {
                'P' => moving != Less,
                'N' => moving != Greater,
                'F' => line.slip.is_zero(),
                _ => true,
            };
            if !fits {
                return None;
            }
            let mut push = |sign: i64| {
                let f = &line.mu * &Rational::from(sign);
                gain.push(std::array::from_fn(|i| &(&line.n[i] + &(&f * &line.t[i])) / &mass[i]));
            };
            if matches!(letter, 'P' | 'F') {
                push(-1);
            }
            if matches!(letter, 'N' | 'F') {
                push(1);
            }
            if letter != '-' {
                asks.push((line.n.clone(), line.h.clone(), letter != 'S'));
            }
            if line.slip.is_zero() && letter == 'N' {
                asks.push((line.t.clone().map(|x| -&x), -&line.bias, false));
            }
            if line.slip.is_zero() && matches!(letter, 'P' | 'F') {
                asks.push((line.t.clone(), line.bias.clone(), letter == 'F'));
            }
        }
        let slacks = asks.iter().filter(|a| !a.2).count();
        let columns = gain.len() + slacks;
        let (mut a, mut b, mut slack) = (Vec::new(), Vec::new(), gain.len());
        for (g, c, equal) in &asks {
            let mut row: Vec<Rational> = gain.iter().map(|e| dot(g, e)).collect();
            row.resize(columns, Rational::ZERO);
            if !equal {
                row[slack] = Rational::from(-1);
                slack += 1;
            }
            a.push(row);
            b.push(-&(&dot(g, &free) + c));
        }
        Some(ModeProgram { program: Program::new(a, b)?, free, gain, columns })
    }

    /// max d·A; `None` when unbounded.
    pub fn support(&mut self, d: &[Rational; 3]) -> Option<Rational> {
        let mut cost: Vec<Rational> = self.gain.iter().map(|e| dot(d, e)).collect();
        cost.resize(self.columns, Rational::ZERO);
        match self.program.maximise(&cost) {
            Outcome::Best(v) => Some(&v + &dot(d, &self.free)),
            _ => None,
        }
    }
}

/// Whether one polyhedron lies inside another: its vertices in hull + rays + lines, its directions in rays + lines.
pub fn inside(a: &Region, b: &Region) -> bool {
    let back = |v: &[Rational; 3]| v.clone().map(|x| -&x);
    let mut columns: Vec<([Rational; 3], Rational)> = b.vertices.iter().map(|v| (v.clone(), Rational::ONE)).collect();
    let directions = b.rays.iter().cloned().chain(b.lines.iter().flat_map(|l| [l.clone(), back(l)]));
    columns.extend(directions.map(|d| (d, Rational::ZERO)));
    let reaches = |target: &[Rational; 3], weight: Rational| {
        let mut rows: Vec<Vec<Rational>> = (0..3).map(|i| columns.iter().map(|c| c.0[i].clone()).collect()).collect();
        rows.push(columns.iter().map(|c| c.1.clone()).collect());
        let mut right = target.to_vec();
        right.push(weight);
        Program::new(rows, right).is_some()
    };
    a.vertices.iter().all(|v| reaches(v, Rational::ONE))
        && a.rays.iter().all(|r| reaches(r, Rational::ZERO))
        && a.lines.iter().all(|l| reaches(l, Rational::ZERO) && reaches(&back(l), Rational::ZERO))
}
