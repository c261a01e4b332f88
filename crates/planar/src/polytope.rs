//! # Polytope: closed convex sets of accelerations, by their corners
//!
//! `cspace` ──(planes c·(1, A) ≥ 0)──▶ **here** ──(vertices, rays, lines)──▶ `modes`, `solve`
//!
//! - **in**: half-spaces and planes with integer coefficients, one at a time
//! - **out**: [`Polyhedron`]: minimal generators of the set cut so far, with the planes each lies on
//! - **not here**: what the planes mean
//! - **assumes**: at most three dimensions (homogeneous vectors of four)
//! - **start at** [`Polyhedron::cut`] (double description), then [`Vec4::dot_sign`] (the filter)
//!
//! A vector (x0; x) with x0 > 0 is the point x/x0, with x0 = 0 the direction x. Everything is whole numbers, so no
//! fraction is ever reduced here; a sign is first asked of `f64` with a proven error bound
//! and computed exactly only where that bound does not decide.

use crate::number::{Int, Rational};
use std::cmp::Ordering;
use std::rc::Rc;

/// Homogeneous vector (x0; x, y, q) of whole numbers, with its `f64` shadow; a positive factor does not matter.
#[derive(Clone, Debug)]
pub(crate) struct Vec4 {
    pub(crate) x: [Int; 4],
    shadow: [f64; 4],
}

/// Covers six roundings of u = 1.1e-16 per term (two conversions, product, three sums) and those of the bound itself.
const FILTER: f64 = 1e-15;

impl Vec4 {
    /// Divides out the common factor once the numbers are long; short ones may keep theirs, since the division would
    /// cost more than it saves.
    pub(crate) fn new(x: [Int; 4]) -> Vec4 {
        if x.iter().all(Int::is_short) {
            let shadow = [x[0].to_f64(), x[1].to_f64(), x[2].to_f64(), x[3].to_f64()];
            return Vec4 { x, shadow };
        }
        Vec4::primitive(x)
    }

    /// Divides out the common factor; the zero vector is kept as it is.
    fn primitive(x: [Int; 4]) -> Vec4 {
        let mut g = Int::ZERO;
        for xi in &x {
            if g.is_one() {
                break;
            }
            g = g.gcd(xi);
        }
        let x = if g.is_zero() || g.is_one() { x } else { x.map(|xi| xi.exact_div(&g)) };
        let shadow = [x[0].to_f64(), x[1].to_f64(), x[2].to_f64(), x[3].to_f64()];
        Vec4 { x, shadow }
    }

    /// The direction of `[w, x, y, q]` in whole numbers: multiplied by a positive common denominator.
    pub(crate) fn from_rationals(v: [&Rational; 4]) -> Vec4 {
        let mut scale = Int::ONE;
        for vi in v {
            scale = &scale.exact_div(&scale.gcd(vi.den())) * vi.den();
        }
        Vec4::new(v.map(|vi| vi.num() * &scale.exact_div(vi.den())))
    }

    fn unit(axis: usize) -> Vec4 {
        let mut x = [Int::ZERO, Int::ZERO, Int::ZERO, Int::ZERO];
        x[axis] = Int::ONE;
        Vec4::new(x)
    }

    pub(crate) fn dot(&self, o: &Vec4) -> Int {
        let mut sum = Int::ZERO;
        for i in 0..4 {
            if !self.x[i].is_zero() && !o.x[i].is_zero() {
                sum = &sum + &(&self.x[i] * &o.x[i]);
            }
        }
        sum
    }

    /// Sign of the scalar product: floating point where it is certain, exact otherwise.
    pub(crate) fn dot_sign(&self, o: &Vec4) -> Ordering {
        let (mut sum, mut bound) = (0.0, 0.0);
        for i in 0..4 {
            let term = self.shadow[i] * o.shadow[i];
            sum += term;
            bound += term.abs();
        }
        // Infinities and NaN fail the comparison and go the exact way.
        if f64::abs(sum) > FILTER * bound && bound.is_finite() {
            return if sum > 0.0 { Ordering::Greater } else { Ordering::Less };
        }
        if bound == 0.0 {
            return Ordering::Equal;
        }
        self.dot(o).sign()
    }

    /// `a·self − b·other`.
    fn combine(&self, a: &Int, other: &Vec4, b: &Int) -> Vec4 {
        let term = |i: usize| &(a * &self.x[i]) - &(b * &other.x[i]);
        Vec4::new([term(0), term(1), term(2), term(3)])
    }

    pub(crate) fn negated(&self) -> Vec4 {
        Vec4::new([-&self.x[0], -&self.x[1], -&self.x[2], -&self.x[3]])
    }

    pub(crate) fn is_point(&self) -> bool {
        self.x[0].sign() == Ordering::Greater
    }

    /// Cartesian coordinates of a point.
    pub(crate) fn point(&self) -> [Rational; 3] {
        let at = |i: usize| Rational::reduced(self.x[i].clone(), self.x[0].clone());
        [at(1), at(2), at(3)]
    }

    /// Components of a direction, whole numbers without common factor.
    pub(crate) fn direction(&self) -> [Rational; 3] {
        let v = Vec4::primitive(self.x.clone());
        let at = |i: usize| Rational::from(v.x[i].clone());
        [at(1), at(2), at(3)]
    }
}

/// A set of plane numbers; the first 128 need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bits {
    low: u128,
    high: Vec<u64>,
}

impl Bits {
    pub(crate) fn insert(&mut self, i: usize) {
        if i < 128 {
            self.low |= 1 << i;
        } else {
            let word = (i - 128) / 64;
            if self.high.len() <= word {
                self.high.resize(word + 1, 0);
            }
            self.high[word] |= 1 << ((i - 128) % 64);
        }
    }

    pub(crate) fn contains(&self, i: usize) -> bool {
        if i < 128 {
            return self.low >> i & 1 == 1;
        }
        self.high.get((i - 128) / 64).is_some_and(|w| w >> ((i - 128) % 64) & 1 == 1)
    }

    fn first(n: usize) -> Bits {
        let mut bits = Bits::default();
        if n <= 128 {
            bits.low = if n == 128 { u128::MAX } else { (1 << n) - 1 };
        } else {
            (0..n).for_each(|i| bits.insert(i));
        }
        bits
    }

    pub(crate) fn and(&self, o: &Bits) -> Bits {
        let mut high: Vec<u64> = self.high.iter().zip(&o.high).map(|(a, b)| a & b).collect();
        // Trailing zero words go, so that equal sets are equal structures.
        while high.last() == Some(&0) {
            high.pop();
        }
        Bits { low: self.low & o.low, high }
    }

    fn count_common(&self, o: &Bits) -> u32 {
        let high: u32 = self.high.iter().zip(&o.high).map(|(a, b)| (a & b).count_ones()).sum();
        (self.low & o.low).count_ones() + high
    }

    /// Whether `self` holds everything that both `a` and `b` hold.
    fn covers_common(&self, a: &Bits, b: &Bits) -> bool {
        let common = a.low & b.low;
        common & !self.low == 0
            && a.high
                .iter()
                .zip(&b.high)
                .enumerate()
                .all(|(w, (x, y))| x & y & !self.high.get(w).copied().unwrap_or(0) == 0)
    }
}

/// Whether a plane keeps its positive side or only itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    AtLeast,
    Equal,
}

/// c·(1, A) ≥ 0 or = 0.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) plane: Rc<Vec4>,
    pub(crate) side: Side,
}

#[derive(Clone, Debug)]
struct Generator {
    v: Rc<Vec4>,
    /// Planes of the cuts so far on which this generator lies.
    tight: Bits,
}

/// Steps of work left; a solver that runs out stops and says so.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    pub(crate) left: u64,
    pub(crate) spent: u64,
}

impl Budget {
    pub(crate) fn new(steps: u64) -> Budget {
        Budget { left: steps, spent: 0 }
    }

    pub(crate) fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps as u64);
        self.spent += steps as u64;
    }

    /// A product of long numbers costs the square of their length.
    fn spend_arithmetic(&mut self, v: &Vec4) {
        let words = v.x.iter().map(Int::words).max().unwrap_or(1);
        self.spend(words * words);
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.left == 0
    }
}

/// A closed convex polyhedron in at most three dimensions, or a cone of forces, by its minimal generators.
#[derive(Clone, Debug)]
pub(crate) struct Polyhedron {
    lines: Vec<Rc<Vec4>>,
    generators: Vec<Generator>,
    cuts: usize,
    /// Homogeneous dimension of the space around: four for points, three for cones of forces.
    ambient: usize,
}

impl Polyhedron {
    /// All of (ax, ay, α); the first cut, number 0, is the plane at infinity.
    pub(crate) fn everything() -> Polyhedron {
        let lines = (1..4).map(|i| Rc::new(Vec4::unit(i))).collect();
        let origin = Generator { v: Rc::new(Vec4::unit(0)), tight: Bits::default() };
        Polyhedron { lines, generators: vec![origin], cuts: 1, ambient: 4 }
    }

    /// All directions: cuts through the origin make cones of it.
    pub(crate) fn all_directions() -> Polyhedron {
        let lines = (1..4).map(|i| Rc::new(Vec4::unit(i))).collect();
        Polyhedron { lines, generators: Vec::new(), cuts: 0, ambient: 3 }
    }

    /// How many cuts were made: the number the next plane will get.
    pub(crate) fn next_cut(&self) -> usize {
        self.cuts
    }

    /// Whether no point is left (directions may be).
    pub(crate) fn is_empty(&self) -> bool {
        !self.generators.iter().any(|g| g.v.is_point())
    }

    pub(crate) fn points(&self) -> impl Iterator<Item = &Vec4> {
        self.generators.iter().map(|g| &*g.v).filter(|v| v.is_point())
    }

    pub(crate) fn rays(&self) -> impl Iterator<Item = &Vec4> {
        self.generators.iter().map(|g| &*g.v).filter(|v| !v.is_point())
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = &Vec4> {
        self.lines.iter().map(|v| &**v)
    }

    /// Planes on which the whole set lies.
    pub(crate) fn tight_everywhere(&self) -> Bits {
        let mut all = self.generators.iter().map(|g| &g.tight);
        let Some(first) = all.next() else { return Bits::default() };
        all.fold(first.clone(), |a, b| a.and(b))
    }

    /// Number of generators.
    pub(crate) fn size(&self) -> usize {
        self.generators.len()
    }

    /// Whether some point of the set lies on plane number `cut`.
    pub(crate) fn touches(&self, cut: usize) -> bool {
        self.generators.iter().any(|g| g.tight.contains(cut) && g.v.is_point())
    }

    /// The face on plane number `cut`.
    pub(crate) fn face(&self, cut: usize) -> Polyhedron {
        let generators = self.generators.iter().filter(|g| g.tight.contains(cut)).cloned().collect();
        Polyhedron { lines: self.lines.clone(), generators, cuts: self.cuts, ambient: self.ambient }
    }

    /// Signs the function c·(1, A) takes: (somewhere below zero, somewhere above zero).
    pub(crate) fn signs(&self, c: &Vec4) -> (bool, bool) {
        let (mut below, mut above) = (false, false);
        for line in &self.lines {
            if c.dot_sign(line) != Ordering::Equal {
                return (true, true);
            }
        }
        for g in &self.generators {
            match c.dot_sign(&g.v) {
                Ordering::Less => below = true,
                Ordering::Greater => above = true,
                Ordering::Equal => {}
            }
        }
        (below, above)
    }

    /// Whether every point of the set satisfies `constraint`.
    pub(crate) fn satisfies(&self, constraint: &Constraint) -> bool {
        let (below, above) = self.signs(&constraint.plane);
        !below && (constraint.side == Side::AtLeast || !above)
    }

    /// Dimension of the set, `None` when it is empty: rank of the generators less one.
    pub(crate) fn dim(&self) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let rows = self.generators.iter().map(|g| g.v.x.clone()).chain(self.lines.iter().map(|l| l.x.clone()));
        Some(rank(rows.collect()) - 1)
    }

    /// A point of the relative interior: mean of the vertices plus the rays. `None` when empty.
    pub(crate) fn inner_point(&self) -> Option<[Rational; 3]> {
        let n = Rational::from(i64::try_from(self.points().count()).ok().filter(|n| *n > 0)?);
        let mut mean = [Rational::ZERO, Rational::ZERO, Rational::ZERO];
        for p in self.points() {
            let p = p.point();
            mean = std::array::from_fn(|i| &mean[i] + &(&p[i] / &n));
        }
        for r in self.rays() {
            let r = r.direction();
            mean = std::array::from_fn(|i| &mean[i] + &r[i]);
        }
        Some(mean)
    }

    /// Cuts with every constraint in turn, stopping when nothing is left.
    pub(crate) fn cut_all<'a>(
        mut self,
        constraints: impl IntoIterator<Item = &'a Constraint>,
        budget: &mut Budget,
    ) -> Polyhedron {
        for c in constraints {
            if self.is_empty() {
                break;
            }
            self = self.cut(&c.plane, c.side, budget);
        }
        self
    }

    /// The part where c·x ≥ 0 (or = 0): one step of the double description method.
    ///
    /// A line that leaves the plane becomes a ray and everything else slides along it onto the plane. Otherwise
    /// generators above stay, those below go, and each adjacent pair across the plane leaves its point on it.
    pub(crate) fn cut(mut self, c: &Vec4, side: Side, budget: &mut Budget) -> Polyhedron {
        let number = self.cuts;
        self.cuts += 1;
        budget.spend(1 + self.generators.len());
        if let Some(i) = self.lines.iter().position(|l| c.dot_sign(l) != Ordering::Equal) {
            self.cut_line(c, side, i, number);
            self.generators.iter().for_each(|g| budget.spend_arithmetic(&g.v));
            return self;
        }
        let signs: Vec<Ordering> = self.generators.iter().map(|g| c.dot_sign(&g.v)).collect();
        let above: Vec<usize> = (0..signs.len()).filter(|&i| signs[i] == Ordering::Greater).collect();
        let below: Vec<usize> = (0..signs.len()).filter(|&i| signs[i] == Ordering::Less).collect();
        let mut crossing = Vec::new();
        for &p in &above {
            for &n in &below {
                if self.adjacent(p, n, budget) {
                    crossing.push(self.crossing(c, p, n, number));
                    budget.spend_arithmetic(&crossing[crossing.len() - 1].v);
                }
            }
        }
        let mut kept = Vec::with_capacity(self.generators.len() + crossing.len());
        for (mut g, sign) in self.generators.into_iter().zip(signs) {
            match sign {
                Ordering::Equal => {
                    g.tight.insert(number);
                    kept.push(g);
                }
                Ordering::Greater if side == Side::AtLeast => kept.push(g),
                _ => {}
            }
        }
        kept.append(&mut crossing);
        self.generators = kept;
        self
    }

    fn cut_line(&mut self, c: &Vec4, side: Side, i: usize, number: usize) {
        let mut line = self.lines.swap_remove(i);
        let mut rise = c.dot(&line);
        if rise.sign() == Ordering::Less {
            line = Rc::new(line.negated());
            rise = -&rise;
        }
        let slide = |v: &Rc<Vec4>| {
            let value = c.dot(v);
            if value.is_zero() { v.clone() } else { Rc::new(v.combine(&rise, &line, &value)) }
        };
        for l in &mut self.lines {
            *l = slide(l);
        }
        for g in &mut self.generators {
            g.v = slide(&g.v);
            g.tight.insert(number);
        }
        if side == Side::AtLeast {
            self.generators.push(Generator { v: line.clone(), tight: Bits::first(number) });
        }
    }

    /// Two generators are adjacent when no third lies on all the planes they share.
    fn adjacent(&self, p: usize, n: usize, budget: &mut Budget) -> bool {
        let (a, b) = (&self.generators[p].tight, &self.generators[n].tight);
        // An edge lies on (dimension − 2) planes or more, where the dimension leaves out the lines.
        budget.spend(1);
        if (a.count_common(b) as usize) + self.lines.len() + 2 < self.ambient {
            return false;
        }
        budget.spend(self.generators.len());
        !self.generators.iter().enumerate().any(|(i, g)| i != p && i != n && g.tight.covers_common(a, b))
    }

    fn crossing(&self, c: &Vec4, p: usize, n: usize, number: usize) -> Generator {
        let (p, n) = (&self.generators[p], &self.generators[n]);
        let v = n.v.combine(&c.dot(&p.v), &p.v, &c.dot(&n.v));
        let mut tight = p.tight.and(&n.tight);
        tight.insert(number);
        Generator { v: Rc::new(v), tight }
    }
}

/// Rank of a list of rows, by elimination without fractions.
pub(crate) fn rank<const D: usize>(mut rows: Vec<[Int; D]>) -> usize {
    let mut rank = 0;
    for column in 0..D {
        let Some(pivot) = (rank..rows.len()).find(|&i| !rows[i][column].is_zero()) else { continue };
        rows.swap(rank, pivot);
        for i in rank + 1..rows.len() {
            if rows[i][column].is_zero() {
                continue;
            }
            let (a, b) = (rows[rank][column].clone(), rows[i][column].clone());
            for j in 0..D {
                rows[i][j] = &(&a * &rows[i][j]) - &(&b * &rows[rank][j]);
            }
        }
        rank += 1;
    }
    rank
}

/// The planes y·f ≥ 0 and y·f = 0 that bound the cone of all sums λ₁e₁ + … (λ ≥ 0) of the given edges.
///
/// They are the extreme rays and the lines of the dual cone, which the same cutting finds.
pub(crate) fn cone_facets(edges: &[Rc<Vec4>], budget: &mut Budget) -> Vec<(Rc<Vec4>, Side)> {
    let mut dual = Polyhedron::all_directions();
    for e in edges {
        dual = dual.cut(e, Side::AtLeast, budget);
    }
    let equal = dual.lines.iter().map(|l| (l.clone(), Side::Equal));
    equal.chain(dual.generators.iter().map(|g| (g.v.clone(), Side::AtLeast))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(c: [i128; 4]) -> Vec4 {
        Vec4::new(c.map(Int::Small))
    }

    fn cut(p: Polyhedron, c: [i128; 4]) -> Polyhedron {
        p.cut(&plane(c), Side::AtLeast, &mut Budget::new(u64::MAX))
    }

    fn cube() -> Polyhedron {
        let mut p = Polyhedron::everything();
        for axis in 1..4 {
            for sign in [1, -1] {
                let mut c = [1, 0, 0, 0];
                c[axis] = sign;
                p = cut(p, c);
            }
        }
        p
    }

    #[test]
    fn six_planes_make_a_cube_and_a_seventh_cuts_its_corner() {
        assert_eq!(cube().points().count(), 8);
        assert_eq!((cube().rays().count(), cube().lines().count(), cube().dim()), (0, 0, Some(3)));
        assert_eq!(cut(cube(), [2, 1, 1, 1]).points().count(), 10);
        assert_eq!(cut(cube(), [-3, 1, 1, 1]).dim(), Some(0));
        assert!(cut(cube(), [-4, 1, 1, 1]).is_empty());
    }

    /// Would catch an adjacency test that counts planes instead of asking for a third generator.
    #[test]
    fn planes_said_twice_or_touching_only_a_corner_change_nothing() {
        let p = cut(cut(cut(cube(), [3, 1, 1, 1]), [3, 1, 1, 1]), [2, 2, 0, 0]);
        assert_eq!(p.points().count(), 8);
        assert_eq!(cut(p, [0, 1, 1, 0]).points().count(), 6);
    }

    #[test]
    fn a_half_space_keeps_its_lines_and_a_wedge_its_edge() {
        let half = cut(Polyhedron::everything(), [0, 0, 1, 0]);
        assert_eq!((half.points().count(), half.rays().count(), half.lines().count()), (1, 1, 2));
        let wedge = cut(half, [0, 1, 1, 0]);
        assert_eq!((wedge.rays().count(), wedge.lines().count(), wedge.dim()), (2, 1, Some(3)));
    }

    #[test]
    fn the_cone_of_two_edges_lies_in_a_plane_between_two_half_planes() {
        let edges = [plane([0, 1, 4, 0]), plane([0, -1, 4, 0])].map(Rc::new);
        let facets = cone_facets(&edges, &mut Budget::new(u64::MAX));
        assert_eq!(facets.iter().filter(|f| f.1 == Side::Equal).count(), 1);
        assert_eq!(facets.len(), 3);
        assert_eq!(cone_facets(&[], &mut Budget::new(u64::MAX)).len(), 3);
    }

    #[test]
    fn the_filter_agrees_with_exact_signs_where_terms_cancel() {
        let big = 1i128 << 60;
        let a = plane([big, big + 1, 1, 0]);
        assert_eq!(a.dot_sign(&plane([big + 1, -big, 0, 0])), Ordering::Equal);
        assert_eq!(a.dot_sign(&plane([big + 1, -big, 1, 0])), Ordering::Greater);
        assert_eq!(a.dot_sign(&plane([big + 1, -big, -1, 0])), Ordering::Less);
    }
}
