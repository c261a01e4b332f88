//! # Kept: what the report needs of a run, in bounded memory
//!
//! `frame` ──([`Frame`] a row)──▶ **here** ──▶ `report::run`
//!
//! - **in**: every row of a run, from none to millions
//! - **out**: frames for the replay (at most 60 a second of simulated time, fewer in long or large runs), and curves with
//!   the least and greatest value of each stretch of rows ([`Timeline`]), so that peaks survive
//! - **not here**: drawing (`report::run`)
//! - **start at** [`Kept::push`]

use fingerpad_files::recording::{Frame, Mode};

/// Most replay frames a second of simulated time.
const RATE: f64 = 60.0;
/// Most replay frames.
const MOST_FRAMES: usize = 4096;
/// Most poses of the replay: bodies times frames.
const MOST_POSES: usize = 400_000;
/// Most stretches of a curve.
const MOST_STRETCHES: usize = 2048;
/// Most pairs of bodies with curves of their own.
const MOST_PAIRS: usize = 64;

/// What the report needs of a run.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Frames of the replay, in time.
    pub frames: Vec<Frame>,
    /// Curves of the whole run.
    pub whole: Timeline<WHOLE>,
    /// Curves by pair of bodies (A, B), in the order of their first contact.
    pub pairs: Vec<((usize, usize), PairCurves)>,
    /// Pairs beyond [`MOST_PAIRS`] that touched.
    pub more_pairs: bool,
    /// Events: time (s), bodies, name.
    pub events: Vec<(f64, usize, usize, &'static str)>,
    /// Events beyond those.
    pub more_events: u64,
    /// Rows seen.
    pub rows: u64,
    /// Whether frames were left out beyond the rate.
    pub thinned: bool,
    latest: Option<Frame>,
    period: f64,
    next: f64,
    last_effort: [u64; 2],
    energies: usize,
}

/// Curves of the whole run besides energies: contacts, steps since the last row, work since the last row.
pub const WHOLE: usize = 3 + 32;
/// Events kept.
const MOST_EVENTS: usize = 4000;

/// Curves of one pair of bodies.
#[derive(Clone, Debug)]
pub struct PairCurves {
    /// Normal force (N), tangential force (N), least friction margin, greatest depth (m), greatest slip path (m),
    /// greatest moment (N·m), contacts, least signed gap of the surfaces (m).
    pub curves: Timeline<8>,
    /// Modes seen in each stretch: bit k for mode of code k.
    pub modes: Vec<u8>,
    mode: u8,
}

/// Least and greatest values of N quantities over stretches of rows.
#[derive(Clone, Debug)]
pub struct Timeline<const N: usize> {
    /// Time of the first row of each stretch (s).
    pub times: Vec<f64>,
    /// Least and greatest value of each quantity in each stretch.
    pub ranges: Vec<[[f64; 2]; N]>,
    per: u32,
    inside: u32,
}

impl<const N: usize> Default for Timeline<N> {
    fn default() -> Self {
        Self { times: Vec::new(), ranges: Vec::new(), per: 1, inside: 0 }
    }
}

impl<const N: usize> Timeline<N> {
    /// One more row; whether a stretch began, and whether stretches were joined two by two before.
    fn push(&mut self, t: f64, values: &[f64; N]) -> (bool, bool) {
        let mut joined = false;
        if self.inside == 0 || self.inside == self.per {
            if self.times.len() == MOST_STRETCHES {
                self.join();
                joined = true;
            }
            self.times.push(t);
            self.ranges.push(values.map(|x| [x, x]));
            self.inside = 1;
            return (true, joined);
        }
        self.inside += 1;
        if let Some(last) = self.ranges.last_mut() {
            widen(last, &values.map(|x| [x, x]));
        }
        (false, joined)
    }

    fn join(&mut self) {
        self.per *= 2;
        let half = self.times.len().div_ceil(2);
        for k in 0..half {
            self.times[k] = self.times[2 * k];
            let mut range = self.ranges[2 * k];
            if let Some(other) = self.ranges.get(2 * k + 1) {
                widen(&mut range, other);
            }
            self.ranges[k] = range;
        }
        self.times.truncate(half);
        self.ranges.truncate(half);
    }

    /// Time, least and greatest value of one quantity, by stretch.
    pub fn curve(&self, k: usize) -> Vec<[f64; 3]> {
        self.times.iter().zip(&self.ranges).map(|(t, range)| [*t, range[k][0], range[k][1]]).collect()
    }

    /// The greatest size of one quantity.
    pub fn peak(&self, k: usize) -> f64 {
        self.ranges.iter().flat_map(|range| range[k]).filter(|x| x.is_finite()).fold(0.0, |m, x| x.abs().max(m))
    }
}

fn widen<const N: usize>(range: &mut [[f64; 2]; N], by: &[[f64; 2]; N]) {
    for (mine, other) in range.iter_mut().zip(by) {
        // min and max pass over NaN: no contact in a row.
        *mine = [mine[0].min(other[0]), mine[1].max(other[1])];
    }
}

impl Kept {
    /// For a run with rows every `period` (s) of `bodies` bodies and this many energies.
    pub fn new(energies: usize) -> Self {
        Self {
            frames: Vec::new(),
            whole: Timeline::default(),
            pairs: Vec::new(),
            more_pairs: false,
            events: Vec::new(),
            more_events: 0,
            rows: 0,
            thinned: false,
            latest: None,
            period: 1.0 / RATE,
            next: f64::NEG_INFINITY,
            last_effort: [0, 0],
            energies,
        }
    }

    /// One more row; `effort` counts steps and work since the start.
    pub fn push(&mut self, frame: &Frame, effort: [u64; 2]) {
        self.rows += 1;
        let t = frame.time;
        let mut values = [f64::NAN; WHOLE];
        values[0] = frame.contacts.len() as f64;
        values[1] = effort[0].saturating_sub(self.last_effort[0]) as f64;
        values[2] = effort[1].saturating_sub(self.last_effort[1]) as f64;
        for (slot, x) in values[3..].iter_mut().zip(&frame.energy) {
            *slot = *x;
        }
        self.last_effort = effort;
        self.whole.push(t, &values);
        self.push_pairs(frame);
        // A row that comes a rounding error early is on time.
        if t >= self.next - 1e-9 * self.period {
            self.frames.push(frame.clone());
            self.latest = None;
            self.next =
                if self.next.is_finite() { self.next.max(t - self.period) + self.period } else { t + self.period };
            let most = MOST_FRAMES.min((MOST_POSES / frame.bodies.len().max(1)).max(16));
            if self.frames.len() > most {
                self.thin();
            }
        } else {
            match &mut self.latest {
                Some(latest) => latest.clone_from(frame),
                None => self.latest = Some(frame.clone()),
            }
        }
    }

    /// Half of the frames, at half of the rate.
    pub fn thin(&mut self) {
        let last = self.frames.len() - 1;
        let mut at = 0;
        self.frames.retain(|_| {
            let keep = at % 2 == 0 || at == last;
            at += 1;
            keep
        });
        self.period *= 2.0;
        self.thinned = true;
    }

    fn push_pairs(&mut self, frame: &Frame) {
        for contact in &frame.contacts {
            let pair = (contact.a, contact.b);
            if self.pairs.iter().any(|(known, _)| *known == pair) {
                continue;
            }
            if self.pairs.len() == MOST_PAIRS {
                self.more_pairs = true;
                continue;
            }
            let curves = PairCurves { curves: Timeline::default(), modes: Vec::new(), mode: 0 };
            self.pairs.push((pair, curves));
        }
        for (pair, of_pair) in &mut self.pairs {
            let mut values = [0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, f64::NAN];
            let mut mode = 0_u8;
            for contact in frame.contacts.iter().filter(|c| (c.a, c.b) == *pair) {
                values[0] += contact.normal;
                values[1] += contact.load[0].hypot(contact.load[1]);
                if contact.mu.is_some() {
                    values[2] = values[2].min(1.0 - contact.used);
                }
                values[3] = f64::max(values[3], contact.depth);
                values[4] = f64::max(values[4], contact.slid);
                values[5] = f64::max(values[5], contact.load[2].abs());
                values[6] += 1.0;
                values[7] = values[7].min(contact.gap);
                mode |= 1 << contact.mode.code();
            }
            for (_, _, gap) in frame.near.iter().filter(|(a, b, _)| (*a, *b) == *pair) {
                values[7] = values[7].min(*gap);
            }
            let (began, joined) = of_pair.curves.push(frame.time, &values);
            of_pair.book(mode, began, joined);
        }
    }

    /// An event.
    pub fn event(&mut self, time: f64, a: usize, b: usize, name: &'static str) {
        if self.events.len() < MOST_EVENTS {
            self.events.push((time, a, b, name));
        } else {
            self.more_events += 1;
        }
    }

    /// The last row has a frame too.
    pub fn finish(&mut self) {
        if let Some(latest) = self.latest.take() {
            self.frames.push(latest);
        }
    }

    /// Curves of the energies, in the order of the ledger's names: time, least, greatest.
    pub fn energy(&self, k: usize) -> Vec<[f64; 3]> {
        debug_assert!(k < self.energies);
        self.whole.curve(3 + k)
    }
}

impl PairCurves {
    fn book(&mut self, mode: u8, began: bool, joined: bool) {
        if joined {
            let halved: Vec<u8> = self.modes.chunks(2).map(|two| two.iter().fold(0, |all, m| all | m)).collect();
            self.modes = halved;
        }
        if began {
            self.modes.push(mode);
        } else if let Some(last) = self.modes.last_mut() {
            *last |= mode;
        }
        self.mode |= mode;
    }

    /// Whether the pair was ever seen in this mode.
    pub fn was(&self, mode: Mode) -> bool {
        self.mode & (1 << mode.code()) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(t: f64) -> Frame {
        Frame { time: t, energy: vec![t], ..Frame::default() }
    }

    /// A million rows stay within bounds, and a peak of one row among them survives.
    #[test]
    fn many_rows_are_bounded_and_keep_their_peaks() {
        let mut kept = Kept::new(1);
        for k in 0..1_000_000_u32 {
            let mut row = frame(f64::from(k) * 1e-3);
            if k == 777_777 {
                row.energy[0] = 1e9;
            }
            kept.push(&row, [u64::from(k), 0]);
        }
        kept.finish();
        assert!(kept.frames.len() <= MOST_FRAMES + 1 && kept.frames.len() > MOST_FRAMES / 4, "{}", kept.frames.len());
        assert!(kept.thinned && kept.whole.times.len() <= MOST_STRETCHES);
        assert_eq!(kept.whole.peak(3), 1e9);
        assert_eq!(kept.frames.last().unwrap().time, 999.999);
        assert!(kept.frames.windows(2).all(|two| two[0].time < two[1].time));
        assert_eq!(kept.rows, 1_000_000);
    }

    /// Rows rarer than the replay's rate are all kept, the last one too.
    #[test]
    fn few_rows_are_all_kept() {
        let mut kept = Kept::new(1);
        (0..=50).for_each(|k| kept.push(&frame(f64::from(k) * 0.02), [0, 0]));
        kept.finish();
        assert_eq!(kept.frames.len(), 51);
        assert!(!kept.thinned);
    }
}
