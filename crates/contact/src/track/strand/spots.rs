//! # Spots: the points of a curve on which rigid bodies stand
//!
//! - **in**: a curve, the other body, a pose
//! - **out**: stations at places that bear a rigid body: the ends of a straight curve and of what lies along it, the least gap;
//!   places all around a ring
//! - **not here**: integrals along the curve (`nodes`); rows and impulses (steppers)
//! - **start at** [`StrandPlace::spots`]
//!
//! A ring has twelve, the first of them at the least gap: twelve points inscribed in a circle tip 3.4 % early unless one of
//! them is the lowest. A ring that lies flat to within `slack` keeps them where they are.

use super::carrier::{END, Path};
use super::section::{Other, Station};
use super::{PlacedStrand, StrandPlace};
use crate::surface::Shape;
use nalgebra::Isometry3;
use std::f64::consts::TAU;

/// Places of a ring.
const RING: usize = 12;

impl StrandPlace {
    /// The places nearer than `near` (m); gaps that differ by less than `slack` (m) count as alike.
    pub fn spots(
        &self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        (near, slack): (f64, f64),
        room: &mut PlacedStrand,
        list: &mut Vec<Station>,
    ) {
        list.clear();
        self.find(a, b, X_AB, 0.0, room);
        let least = room.strand.least;
        if least.gap > near {
            return;
        }
        let (X, other, body) = if self.body == 0 { (X_AB.inverse(), b, a) } else { (*X_AB, a, b) };
        let other = Other::new(&self.curve, body, other, &X);
        let mut add = |s: f64| {
            let mut station = Station::default();
            if other.station(s, 0.0, &mut station) && station.gap <= near {
                list.push(station);
            }
        };
        let Path::Rod { half, edge, .. } = self.curve.path else {
            let even = |k: usize| TAU * k as f64 / RING as f64;
            let gap = |s: f64| other.look(s).map_or(f64::INFINITY, |foot| foot.gap);
            let most = (0..RING).map(|k| gap(even(k))).fold(f64::NEG_INFINITY, f64::max);
            let first = if most - least.gap > slack { least.s } else { 0.0 };
            (0..RING).for_each(|k| add(first + even(k)));
            return;
        };
        for side in [-1.0, 1.0] {
            add(side * lowest(&other, side, half, edge * END));
        }
        if matches!(other.shape, Shape::HalfSpace(_)) {
            return;
        }
        // The other body may end before the curve does, or bulge under it.
        self.find(a, b, X_AB, least.gap + slack, room);
        for s in room.strand.intervals().iter().flatten().filter(|s| s.abs() < 0.999 * half) {
            add(*s);
        }
        if least.s.abs() < 0.9 * half {
            add(least.s);
        }
    }
}

/// How far along a rod its end is nearest, from where its round part begins: golden section.
fn lowest(other: &Other, side: f64, half: f64, round: f64) -> f64 {
    const GOLDEN: f64 = 0.381_966_011_250_105;
    let gap = |s: f64| other.look(side * s).map_or(f64::INFINITY, |foot| foot.gap);
    let (mut from, mut to) = (half, half + round);
    if gap(half + 1e-6 * round) >= gap(half) {
        return half;
    }
    let (mut s1, mut s2) = (from + GOLDEN * (to - from), to - GOLDEN * (to - from));
    let (mut g1, mut g2) = (gap(s1), gap(s2));
    for _ in 0..24 {
        if g1 < g2 {
            (to, s2, g2) = (s2, s1, g1);
            s1 = from + GOLDEN * (to - from);
            g1 = gap(s1);
        } else {
            (from, s1, g1) = (s1, s2, g2);
            s2 = to - GOLDEN * (to - from);
            g2 = gap(s2);
        }
    }
    0.5 * (from + to)
}
