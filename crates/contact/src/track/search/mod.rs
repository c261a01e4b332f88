//! # Search: where two surfaces come near each other, with proof
//!
//! [`Cover`] (pieces of one surface) and a distance from the other ──▶ **here** ──(starts, or "apart by at least d")──▶ `seed`
//!
//! - **in**: one surface in pieces, each within a known ball; a function φ of space that changes by at most 1 per metre
//!   (the signed distance from the other body); a limit
//! - **out**: samples of the surface, no further apart than asked, wherever φ may be below the limit
//! - **not here**: the exact local minima ([`refine`](super::refine)); corners and rims ([`tips`](super::tips))
//! - **assumes**: φ is a signed distance, or a lower bound of one with the same slope
//! - **start at** [`Samples::below`], then [`proven_apart`]
//!
//! **The bound.** A piece lies within a ball of centre c and radius r. For each of its points q
//!
//! ```text
//! φ(q) ≥ φ(c) − |q − c| ≥ φ(c) − r
//! ```
//!
//! so that a piece with φ(c) − r above the limit holds no point below it, and is left out with all its parts. The others
//! are split until they are as small as asked. No sample left means *apart by at least the limit*, for the surface
//! that the pieces cover. Work is bounded: beyond [`MOST`] pieces the answer is *unresolved*, which is never taken for
//! "apart".

mod facets;
mod level;
mod patches;
mod round;
mod sheets;

pub(crate) use facets::Facets;
pub(crate) use level::{Level, Limit};
pub(crate) use patches::Patches;
pub(crate) use round::Round;
pub(crate) use sheets::Sheets;

use nalgebra::Point3;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Pieces that one search may look at.
pub(crate) const MOST: usize = 60_000;
/// Size of pieces against their distance from the other body, where that asks for less than their size against the bodies.
const SEEN: f64 = 0.08;

/// A surface in pieces that can be split.
pub(crate) trait Cover {
    /// A part of the surface.
    type Piece: Copy;

    /// The pieces that are all of the surface together.
    fn whole(&self, pieces: &mut Vec<Self::Piece>);

    /// A ball that holds the piece: centre and radius (m); a radius of −∞ if the piece has no surface.
    fn ball(&self, piece: &Self::Piece) -> (Point3<f64>, f64);

    /// Whether the piece is one facet or cell, or part of one: its centre is then a point of the surface.
    fn is_single(&self, piece: &Self::Piece) -> bool;

    /// The parts of a piece.
    fn split(&self, piece: &Self::Piece, parts: &mut Vec<Self::Piece>);
}

/// A point of the surface, and φ there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    /// The point (m).
    pub p: Point3<f64>,
    /// φ there (m).
    pub value: f64,
}

/// The samples of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// In the order of the cover.
    pub list: Vec<Sample>,
    /// Radius of the largest piece that a sample stands for (m).
    pub spacing: f64,
    /// Whether the work that one search may do was not enough.
    pub unresolved: bool,
}

impl Samples {
    /// Samples of all facets or cells of a surface where φ may be below `limit`, and of their parts no larger than
    /// `finest` (m).
    pub fn below<C: Cover>(cover: &C, phi: impl Fn(&Point3<f64>) -> f64, limit: f64, finest: f64) -> Self {
        let mut open = Vec::new();
        cover.whole(&mut open);
        // First in, first out among equals: the order of the cover.
        open.reverse();
        let (mut samples, mut looked) = (Self::default(), 0);
        let mut parts = Vec::new();
        while let Some(piece) = open.pop() {
            looked += 1;
            if looked > MOST {
                samples.unresolved = true;
                break;
            }
            let (centre, radius) = cover.ball(&piece);
            // "Not here" (NaN) at the centre says nothing of the piece.
            let value = phi(&centre);
            if radius == f64::NEG_INFINITY || value - radius > limit {
                continue;
            }
            if !cover.is_single(&piece) || radius > finest {
                parts.clear();
                cover.split(&piece, &mut parts);
                open.extend(parts.iter().rev());
            } else if !value.is_nan() {
                samples.list.push(Sample { p: centre, value });
                samples.spacing = samples.spacing.max(radius);
            }
        }
        samples
    }

    /// Samples where φ is within `slack` of the least value found (m), best first through the cover: pieces that cannot
    /// hold such a value are never opened. Pieces are split until they are as small as `finest` (m), or as seen from the
    /// other body: those that are certainly at a distance d need not be smaller than [`SEEN`] d. Without that a small body high
    /// above a large plain would have all of the plain looked at in pieces of its own size.
    pub fn near_least<C: Cover>(cover: &C, phi: impl Fn(&Point3<f64>) -> f64, slack: f64, finest: f64) -> Self {
        let (mut samples, mut best) = (Self::default(), f64::INFINITY);
        let mut open = BinaryHeap::new();
        let (mut parts, mut pieces) = (Vec::new(), Vec::new());
        cover.whole(&mut parts);
        loop {
            for piece in parts.drain(..) {
                let (centre, radius) = cover.ball(&piece);
                if radius == f64::NEG_INFINITY {
                    continue;
                }
                let value = phi(&centre);
                let single = cover.is_single(&piece);
                if single && value < best {
                    best = value;
                }
                let bound = if value.is_nan() { f64::NEG_INFINITY } else { value - radius };
                if bound <= best + slack {
                    open.push(Open { bound, index: pieces.len() });
                    pieces.push((piece, centre, radius, value));
                }
            }
            let Some(Open { bound, index }) = open.pop() else { break };
            if bound > best + slack {
                break;
            }
            if pieces.len() > MOST {
                samples.unresolved = true;
                break;
            }
            let (piece, p, radius, value) = pieces[index];
            if !cover.is_single(&piece) || radius > finest.max(SEEN * bound) {
                cover.split(&piece, &mut parts);
            } else if !value.is_nan() {
                samples.list.push(Sample { p, value });
                samples.spacing = samples.spacing.max(radius);
            }
        }
        // A piece's least value is below its sample's by no more than its radius.
        let most = best + slack + finest.max(samples.spacing);
        samples.list.retain(|sample| sample.value <= most);
        samples
    }

    /// Whether φ is certainly above `limit` all over a surface; pieces below `finest` (m) that do not prove it speak
    /// against it.
    fn is_none_below<C: Cover>(cover: &C, phi: impl Fn(&Point3<f64>) -> f64, limit: f64, finest: f64) -> bool {
        let mut open = Vec::new();
        cover.whole(&mut open);
        for _ in 0..MOST / 10 {
            let Some(piece) = open.pop() else { return true };
            let (centre, radius) = cover.ball(&piece);
            if radius == f64::NEG_INFINITY || phi(&centre) - radius > limit {
                continue;
            }
            if radius <= finest {
                return false;
            }
            cover.split(&piece, &mut open);
        }
        false
    }

    /// Samples that none within `near` (m) of them beats, least first; at most `most`.
    pub fn minima(&self, near: f64, most: usize) -> Vec<Sample> {
        let mut order: Vec<&Sample> = self.list.iter().collect();
        // A stable sort keeps the order of the cover among equals.
        order.sort_by(|a, b| a.value.total_cmp(&b.value));
        let mut found: Vec<Sample> = Vec::new();
        let mut seen = Buckets::new(near, order.len().min(MOST_SEEN));
        for sample in order {
            // All before it are lower or equal.
            if !seen.has_near(&sample.p) {
                found.push(*sample);
                if found.len() >= most {
                    break;
                }
            }
            // Samples far above the best start nothing new.
            if seen.points.len() < MOST_SEEN {
                seen.add(sample.p);
            }
        }
        found
    }
}

/// Samples beside which others are looked for, in [`Samples::minima`].
const MOST_SEEN: usize = 4000;

/// Points by cubes of space as large as a distance: all within that distance of a point are in its cube and those around it.
struct Buckets {
    near: f64,
    /// Cubes per metre.
    per_metre: f64,
    /// By the low bits of a cube's number, the last point of these cubes; by point, the one before it.
    last: Vec<u32>,
    points: Vec<(Point3<f64>, u32)>,
}

impl Buckets {
    fn new(near: f64, most: usize) -> Self {
        let per_metre = if near > 0.0 { 1.0 / (near * (1.0 + 1e-9)) } else { 0.0 };
        let last = vec![u32::MAX; (2 * most).next_power_of_two()];
        Self { near, per_metre, last, points: Vec::with_capacity(most) }
    }

    fn cube(&self, p: &Point3<f64>) -> [i64; 3] {
        [p.x, p.y, p.z].map(|x| (x * self.per_metre).floor() as i64)
    }

    fn slot(&self, [i, j, k]: [i64; 3]) -> usize {
        let number = i.wrapping_mul(73_856_093) ^ j.wrapping_mul(19_349_663) ^ k.wrapping_mul(83_492_791);
        number as usize & (self.last.len() - 1)
    }

    fn add(&mut self, p: Point3<f64>) {
        let slot = self.slot(self.cube(&p));
        self.points.push((p, self.last[slot]));
        self.last[slot] = self.points.len() as u32 - 1;
    }

    fn has_near(&self, p: &Point3<f64>) -> bool {
        let [i, j, k] = self.cube(p);
        let around = (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| [x, y, z])));
        around.map(|[x, y, z]| self.slot([i.wrapping_add(x), j.wrapping_add(y), k.wrapping_add(z)])).any(|slot| {
            let mut at = self.last[slot];
            while let Some((other, before)) = self.points.get(at as usize) {
                if (other - p).norm_squared() <= self.near * self.near {
                    return true;
                }
                at = *before;
            }
            false
        })
    }
}

/// A piece in the heap: the least lower bound first, among equals the first made.
struct Open {
    bound: f64,
    index: usize,
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Open {}
impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.index.cmp(&self.index))
    }
}

/// By how much [`proven_apart`] may exceed what is asked of it, at most.
pub(crate) const PROVEN: f64 = 1024.0;

/// A distance up to which no point of the surface has φ below it (m): at least `limit`, which is proven already; up to [`PROVEN`]
/// times as much.
pub(crate) fn proven_apart<C: Cover>(cover: &C, phi: impl Fn(&Point3<f64>) -> f64, limit: f64) -> f64 {
    let mut proven = limit;
    for _ in 0..10 {
        let next = 2.0 * proven;
        if !Samples::is_none_below(cover, &phi, next, 0.25 * next) {
            return proven;
        }
        proven = next;
    }
    proven
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::{Revolution, Surface, Torus};
    use nalgebra::Vector3;

    /// The minima are those of comparing all with all. Would catch a cube that is not looked at.
    #[test]
    fn minima_are_those_of_all_pairs() {
        let mut numbers = 88_172_645_463_325_252_u64;
        let mut unit = || {
            numbers ^= numbers << 13;
            numbers ^= numbers >> 7;
            numbers ^= numbers << 17;
            2.0 * (numbers >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
        };
        let list: Vec<Sample> = (0..1500)
            .map(|k| Sample { p: Point3::new(unit(), unit(), 0.1 * unit()), value: (f64::from(k) * 0.37).sin() })
            .collect();
        let samples = Samples { list, ..Samples::default() };
        for near in [0.0, 0.05, 0.2, 3.0] {
            let mut order = samples.list.clone();
            order.sort_by(|a, b| a.value.total_cmp(&b.value));
            let lowest = |k: usize| order[..k].iter().all(|other| (other.p - order[k].p).norm() > near);
            let expected: Vec<Sample> = (0..order.len()).filter(|k| lowest(*k)).map(|k| order[k]).take(48).collect();
            assert_eq!(samples.minima(near, 48), expected, "{near}");
        }
    }

    /// Every point of the surfaces lies in a piece, at every size: else a proof would be none. Would catch a radius
    /// that forgets how the profile bends.
    #[test]
    fn pieces_hold_the_surface_they_stand_for() {
        let torus = Torus::new(0.03, 0.008).unwrap();
        let profile = [[0.0, -0.05], [0.04, -0.02], [0.025, 0.02], [0.01, 0.05], [0.0, 0.055]];
        let pear = Revolution::new(&profile).unwrap();
        let points = |surface: &dyn crate::surface::ParametricSurface| {
            let domain = surface.domain();
            let at = |range: [f64; 2], k: usize| range[0] + (range[1] - range[0]) * k as f64 / 60.0;
            let all = (0..=60).flat_map(|i| (0..=60).map(move |j| (i, j)));
            all.map(|(i, j)| surface.point(at(domain.u, i), at(domain.v, j))).collect::<Vec<_>>()
        };
        let check = |cover: &Round, points: &[Point3<f64>]| {
            for finest in [0.05, 0.01, 0.003] {
                let mut leaves = Vec::new();
                let mut open = Vec::new();
                cover.whole(&mut open);
                while let Some(piece) = open.pop() {
                    let (centre, radius) = cover.ball(&piece);
                    if radius > finest {
                        cover.split(&piece, &mut open);
                    } else {
                        leaves.push((centre, radius));
                    }
                }
                for p in points {
                    let held = leaves.iter().any(|(centre, radius)| (p - centre).norm() <= radius * (1.0 + 1e-12));
                    assert!(held, "{p} at {finest}");
                }
            }
        };
        check(&Round::torus(&torus), &points(&torus));
        check(&Round::revolution(&pear), &points(&pear));
        // A plane just below the ring: nothing is proven apart by more than it is.
        let gap = |c: &Point3<f64>| c.z + 0.011;
        let apart = proven_apart(&Round::torus(&torus), gap, 5e-4);
        assert!(apart > 1e-3 && apart <= 3e-3, "{apart}");
        assert!(torus.closest_point(&Point3::from(Vector3::new(0.03, 0.0, -0.011))).unwrap().distance > apart);
    }
}
