//! # Nodes: which places of a curve stand for it where it is pressed
//!
//! `section` ──(gap at any place)──▶ **here** ──([`Strand`]: stations with their lengths)──▶ `law::strand`
//!
//! - **in**: a curve and the other body at a pose
//! - **out**: places and weights by which an integral along the pressed parts of the curve is a sum
//! - **not here**: gap and curvature at a place (`section`)
//! - **assumes**: gaps between places that are looked at have at most one minimum
//! - **start at** [`Strand::find`]
//!
//! | pressed interval | rule | exact for |
//! |---|---|---|
//! | ends on both sides where δ = 0 | Gauss–Chebyshev of the second kind | √(1 − u²) times polynomials: δ^(3/2), δ^(5/2) |
//! | one end is that of the curve | Gauss–Legendre in the root of the distance from the other | the same at that end |
//! | both ends are | Gauss–Legendre | polynomials |
//! | a whole ring | even places | trigonometric polynomials |
//!
//! Places go with the pressed interval, so that a rolling wheel has no ripple.

use super::carrier::{Curve, Path, Piece};
use super::section::{Other, Station};
use crate::quadrature::NODES;
use crate::surface::Shape;
use nalgebra::{Isometry3, Vector3};
use std::f64::consts::{PI, TAU};

/// Most stations of a strand.
pub const STATIONS: usize = 64;
/// Most pressed intervals.
pub const INTERVALS: usize = 8;

/// Nodes in (0, 1) and weights of Gauss–Legendre with sixteen points on [−1, 1]; each stands for ±itself.
const LEGENDRE: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_58),
    (0.458_016_777_657_227_37, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_74),
    (0.755_404_408_355_003, 0.124_628_971_255_533_88),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_79),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_894),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_096),
];

/// Nodes and weights of Gauss–Legendre with twelve points on [−1, 1].
const COUPLED: [(f64, f64); 12] = [
    (-0.981_560_634_246_719_2, 0.047_175_336_386_511_83),
    (-0.904_117_256_370_474_9, 0.106_939_325_995_318_43),
    (-0.769_902_674_194_304_7, 0.160_078_328_543_346_22),
    (-0.587_317_954_286_617_4, 0.203_167_426_723_065_92),
    (-0.367_831_498_998_180_2, 0.233_492_536_538_354_8),
    (-0.125_233_408_511_468_9, 0.249_147_045_813_402_8),
    (0.125_233_408_511_468_9, 0.249_147_045_813_402_8),
    (0.367_831_498_998_180_2, 0.233_492_536_538_354_8),
    (0.587_317_954_286_617_4, 0.203_167_426_723_065_92),
    (0.769_902_674_194_304_7, 0.160_078_328_543_346_22),
    (0.904_117_256_370_474_9, 0.106_939_325_995_318_43),
    (0.981_560_634_246_719_2, 0.047_175_336_386_511_83),
];

/// The stations of a curve at a pose.
#[derive(Clone, Debug)]
pub struct Strand {
    stations: [Station; STATIONS],
    count: usize,
    /// Pressed parts of the curve.
    intervals: [[f64; 2]; INTERVALS],
    /// Where coupled intervals of a straight curve end with no gap: the stations there.
    ends: [[Option<Station>; 2]; INTERVALS],
    parts: usize,
    /// Whether the curve is a ring that is near all round.
    whole: bool,
    /// Whether stations are where an operator along the curve wants them: twelve Gauss–Legendre nodes an interval, round ends
    /// included, sixteen even places of a ring.
    pub coupled: bool,
    /// The least gap along the curve (m), and the station there; infinite where nothing is near.
    pub least: Station,
}

impl Default for Station {
    fn default() -> Self {
        Self::NONE
    }
}

impl Station {
    const NONE: Self = Self {
        s: 0.0,
        ds: 0.0,
        length: 0.0,
        slope: 0.0,
        gap: f64::INFINITY,
        p_A: Vector3::new(0.0, 0.0, 0.0),
        nhat_A: Vector3::new(0.0, 0.0, 1.0),
        curvature: 1.0,
        push: 1.0,
        turn_curvature: Vector3::new(0.0, 0.0, 0.0),
        turn_length: Vector3::new(0.0, 0.0, 0.0),
    };
}

impl Default for Strand {
    fn default() -> Self {
        Self {
            stations: [Station::NONE; STATIONS],
            count: 0,
            intervals: [[0.0; 2]; INTERVALS],
            ends: [[None; 2]; INTERVALS],
            parts: 0,
            whole: false,
            coupled: false,
            least: Station::NONE,
        }
    }
}

/// A part of a curve that is pressed, and whether each end is where the gap is zero.
#[derive(Clone, Copy, Debug)]
struct Interval {
    from: f64,
    to: f64,
    free: [bool; 2],
    whole: bool,
}

/// Intervals found so far.
#[derive(Clone, Copy, Debug)]
struct Intervals {
    list: [Interval; INTERVALS],
    count: usize,
}

impl Intervals {
    /// Intervals that meet where pieces of the curve do are one.
    fn join(&mut self) {
        let mut kept = 0;
        for k in 0..self.count {
            let interval = self.list[k];
            if kept > 0 && self.list[kept - 1].to == interval.from && !interval.free[0] {
                self.list[kept - 1].to = interval.to;
                self.list[kept - 1].free[1] = interval.free[1];
            } else {
                self.list[kept] = interval;
                kept += 1;
            }
        }
        self.count = kept.min(STATIONS / COUPLED.len());
    }

    fn push(&mut self, interval: Interval) {
        if self.count < INTERVALS && interval.to > interval.from {
            self.list[self.count] = interval;
            self.count += 1;
        }
    }
}

impl Strand {
    /// The stations.
    pub fn stations(&self) -> &[Station] {
        &self.stations[..self.count]
    }

    /// Takes all from another, without what that has no use for.
    pub fn copy_from(&mut self, other: &Self) {
        self.stations[..other.count].copy_from_slice(other.stations());
        self.intervals[..other.parts].copy_from_slice(other.intervals());
        self.ends[..other.parts].copy_from_slice(other.ends());
        (self.count, self.parts, self.whole) = (other.count, other.parts, other.whole);
        (self.coupled, self.least) = (other.coupled, other.least);
    }

    /// The parts of the curve that are nearer than was asked for, from and to.
    pub fn intervals(&self) -> &[[f64; 2]] {
        &self.intervals[..self.parts]
    }

    /// The stations at the ends of coupled intervals of a straight curve, where the gap is zero there.
    pub fn ends(&self) -> &[[Option<Station>; 2]] {
        &self.ends[..self.parts]
    }

    /// Whether the curve is a ring that is near all round.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Finds where a curve of B is nearer to A than `within` (m), and its stations there.
    pub fn find(&mut self, curve: &Curve, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, within: f64) {
        let other = Other::new(curve, b, a, X_AB);
        self.count = 0;
        self.least = Station::NONE;
        let none = Interval { from: 0.0, to: 0.0, free: [false; 2], whole: false };
        let mut intervals = Intervals { list: [none; INTERVALS], count: 0 };
        let (pieces, count) = curve.pieces();
        for piece in &pieces[..count] {
            self.scan(&other, piece, within, &mut intervals);
        }
        if self.coupled {
            intervals.join();
        }
        self.whole = intervals.list[0].whole && intervals.count > 0;
        self.parts = intervals.count;
        for (kept, interval) in self.intervals.iter_mut().zip(&intervals.list[..intervals.count]) {
            *kept = [interval.from, interval.to];
        }
        let share = (STATIONS / intervals.count.max(1)).min(32);
        for (k, interval) in intervals.list[..intervals.count].iter().enumerate() {
            self.fill(&other, interval, share);
            let moves = self.coupled && matches!(curve.path, Path::Rod { .. });
            let end = |s: f64, free: bool| {
                let mut station = Station::NONE;
                (moves && free && other.station(s, 0.0, &mut station)).then_some(station)
            };
            self.ends[k] = [end(interval.from, interval.free[0]), end(interval.to, interval.free[1])];
        }
        self.sharpen(&other, pieces[0].to - pieces[0].from);
    }

    /// The least gap, between stations: one parabola.
    fn sharpen(&mut self, other: &Other, length: f64) {
        let (s, step, middle) = (self.least.s, 0.02 * length, self.least.gap);
        if self.count == 0 || !middle.is_finite() {
            return;
        }
        let [before, after] = [s - step, s + step].map(|s| other.look(s).map_or(f64::INFINITY, |foot| foot.gap));
        let bend = before + after - 2.0 * middle;
        if bend.is_finite() && bend > 1e-9 * middle.abs() {
            let shift = 0.5 * step * (before - after) / bend;
            let s = s + shift.clamp(-step, step);
            if other.look(s).is_some_and(|foot| foot.gap < middle) {
                other.station(s, 0.0, &mut self.least);
            }
        }
    }

    /// The same places of the curve at another pose.
    pub fn moved(&self, curve: &Curve, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, to: &mut Self) {
        let other = Other::new(curve, b, a, X_AB);
        to.count = self.count;
        to.intervals[..self.parts].copy_from_slice(self.intervals());
        (to.parts, to.whole, to.coupled) = (self.parts, self.whole, self.coupled);
        // Frozen intervals do not end elsewhere.
        to.ends[..self.parts].fill([None; 2]);
        to.least = Station::NONE;
        for (old, new) in self.stations().iter().zip(&mut to.stations) {
            if !other.station(old.s, old.ds, new) {
                *new = Station { s: old.s, ds: old.ds, ..Station::NONE };
            }
            if new.gap < to.least.gap {
                to.least = *new;
            }
        }
    }

    /// Looks at places of a piece and finds its pressed intervals.
    fn scan(&mut self, other: &Other, piece: &Piece, within: f64, intervals: &mut Intervals) {
        const MOST: usize = 33;
        let n = piece.looks;
        let at = |k: usize| piece.from + (piece.to - piece.from) * k as f64 / n as f64;
        let mut depth = [0.0; MOST];
        for (k, depth) in depth[..=n].iter_mut().enumerate() {
            *depth = within - self.gap(other, at(k), within);
        }
        if piece.closed {
            if depth[..n].iter().all(|d| *d > 0.0) {
                return intervals.push(Interval { from: 0.0, to: TAU, free: [true; 2], whole: true });
            }
            // Begin where the curve is apart.
            let start = (0..n).find(|&k| depth[k] <= 0.0).unwrap_or(0);
            depth[..n].rotate_left(start);
            depth[n] = depth[0];
            let shift = at(start);
            return self.cells(other, within, n, |k| shift + at(k), &depth, intervals);
        }
        self.cells(other, within, n, at, &depth, intervals);
    }

    /// Pressed intervals from the depths at n + 1 places.
    fn cells(
        &mut self,
        other: &Other,
        within: f64,
        n: usize,
        at: impl Fn(usize) -> f64,
        depth: &[f64],
        intervals: &mut Intervals,
    ) {
        let mut open = (depth[0] > 0.0).then(|| (at(0), false));
        for k in 0..n {
            let (s, next) = (at(k), at(k + 1));
            match (depth[k] > 0.0, depth[k + 1] > 0.0) {
                (false, true) => open = Some((self.root(other, within, (s, depth[k]), (next, depth[k + 1])), true)),
                (true, false) => {
                    let to = self.root(other, within, (next, depth[k + 1]), (s, depth[k]));
                    if let Some((from, free)) = open.take() {
                        intervals.push(Interval { from, to, free: [free, true], whole: false });
                    }
                }
                _ => {}
            }
            // A maximum between places that are apart, no higher than the curve can rise there.
            let reach = -(next - s) * other.curve.speed();
            let (before, here, after) = (k.checked_sub(1).map(|k| depth[k]), depth[k], depth[k + 1]);
            let peak = here <= 0.0 && here > reach && here > after && before.is_none_or(|before| here >= before);
            if peak {
                self.peak(other, within, (at(k.saturating_sub(1)), next), intervals);
            }
            if k + 1 == n && after <= 0.0 && after > reach && after >= here {
                self.peak(other, within, (s, next), intervals);
            }
        }
        if let Some((from, free)) = open {
            intervals.push(Interval { from, to: at(n), free: [free, false], whole: false });
        }
    }

    /// The gap at a place; kept if it is the least. Where the section cannot be near, a bound.
    fn gap(&mut self, other: &Other, s: f64, within: f64) -> f64 {
        let foot = match other.look_within(s, within.max(self.least.gap)) {
            None => return f64::INFINITY,
            Some(Err(bound)) => return bound,
            Some(Ok(foot)) => foot,
        };
        if foot.gap < self.least.gap {
            self.least = Station { s, gap: foot.gap, p_A: foot.p_A, nhat_A: foot.nhat_A, ..Station::NONE };
        }
        foot.gap
    }

    /// The place between one apart and one pressed where the depth is zero (Illinois).
    fn root(&mut self, other: &Other, within: f64, apart: (f64, f64), pressed: (f64, f64)) -> f64 {
        let ((mut s0, mut d0), (mut s1, mut d1)) = (apart, pressed);
        if !d0.is_finite() {
            // Beyond the end of A: by halves.
            for _ in 0..40 {
                let middle = 0.5 * (s0 + s1);
                if within - self.gap(other, middle, f64::INFINITY) > 0.0 { s1 = middle } else { s0 = middle }
            }
            return s1;
        }
        // What an interval misses at its end is of high order, unless its stations pull on each other.
        let (most, mut side) = (if self.coupled { 1e-7 } else { 1e-4 } * d1, 0);
        for _ in 0..24 {
            let s = (s0 * d1 - s1 * d0) / (d1 - d0);
            let d = within - self.gap(other, s, f64::INFINITY);
            if d.abs() < most || (s1 - s0).abs() < 1e-14 * (s0.abs() + s1.abs()) {
                return s;
            }
            if d > 0.0 {
                (s1, d1) = (s, d);
                d0 *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                (s0, d0) = (s, d);
                d1 *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
        }
        s1
    }

    /// The interval around the greatest depth between two places that are apart, if it is pressed there (golden section, then
    /// parabolas).
    fn peak(&mut self, other: &Other, within: f64, (mut from, mut to): (f64, f64), intervals: &mut Intervals) {
        const GOLDEN: f64 = 0.381_966_011_250_105;
        let ends = (from, to);
        let mut depth = |s: f64| within - self.gap(other, s, f64::INFINITY);
        let (mut s1, mut s2) = (from + GOLDEN * (to - from), to - GOLDEN * (to - from));
        let (mut d1, mut d2) = (depth(s1), depth(s2));
        for _ in 0..18 {
            if d1.max(d2) > 0.0 {
                break;
            }
            if d1 > d2 {
                (to, s2, d2) = (s2, s1, d1);
                s1 = from + GOLDEN * (to - from);
                d1 = depth(s1);
            } else {
                (from, s1, d1) = (s1, s2, d2);
                s2 = to - GOLDEN * (to - from);
                d2 = depth(s2);
            }
        }
        let (s, d) = if d1 > d2 { (s1, d1) } else { (s2, d2) };
        if d > 0.0 {
            let [before, after] = [ends.0, ends.1].map(|s| (s, within - self.gap(other, s, f64::INFINITY)));
            let (from, to) = (self.root(other, within, before, (s, d)), self.root(other, within, after, (s, d)));
            intervals.push(Interval { from, to, free: [true; 2], whole: false });
        }
    }

    /// Stations of an interval, at most `share` of them.
    fn fill(&mut self, other: &Other, interval: &Interval, share: usize) {
        let Interval { from, to, free, whole } = *interval;
        let half = 0.5 * (to - from);
        if self.coupled && whole {
            (0..16).for_each(|k| self.add(other, TAU * f64::from(k) / 16.0, TAU / 16.0));
            return;
        }
        if self.coupled {
            for (x, weight) in COUPLED {
                self.add(other, from + half * (1.0 + x), half * weight);
            }
            return;
        }
        if whole {
            let n = share.min(32);
            (0..n).for_each(|k| self.add(other, TAU * k as f64 / n as f64, TAU / n as f64));
            return;
        }
        match free {
            [true, true] => {
                // s = middle − half cos θ at θ = kπ/(n + 1).
                let n = share.min(14);
                for k in 1..=n {
                    let angle = PI * k as f64 / (n + 1) as f64;
                    self.add(other, from + half * (1.0 - angle.cos()), half * PI / (n + 1) as f64 * angle.sin());
                }
            }
            [false, false] => {
                for (x, weight) in LEGENDRE {
                    self.add(other, from + half * (1.0 - x), half * weight);
                    self.add(other, from + half * (1.0 + x), half * weight);
                }
            }
            [begins, _] => {
                // s = free end ∓ (to − from) x², x in (0, 1).
                let (end, way) = if begins { (from, to - from) } else { (to, from - to) };
                for (x, weight) in NODES {
                    for x in [0.5 * (1.0 - x), 0.5 * (1.0 + x)] {
                        self.add(other, end + way * x * x, 0.5 * weight * 2.0 * x * way.abs());
                    }
                }
            }
        }
    }

    fn add(&mut self, other: &Other, s: f64, ds: f64) {
        if self.count == STATIONS {
            return;
        }
        let station = &mut self.stations[self.count];
        if other.station(s, ds, station) {
            if station.gap < self.least.gap {
                self.least = *station;
            }
            self.count += 1;
        }
    }
}
