//! # Region: a plane area bounded by lines and arcs, with exact moments
//!
//! - **in**: convex pieces, each a loop of straight edges and arcs; half-planes to cut them by
//! - **out**: area, centroid and second moments in closed form
//! - **not here**: which faces overlap (`overlap`)
//! - **assumes**: pieces are convex and do not overlap each other; counter-clockwise
//! - **start at** [`Piece`], then [`Region`]
//!
//! An arc's share is the segment between it and its chord: with r the radius and h half the angle,
//!
//! ```text
//! ∫dA = r²(h − s c),   ∫u = ⅔ r³ s³,   ∫u² = ¼ r⁴(h + s c) − ½ r⁴ s c³,   ∫w² = ¼ r⁴(h − s c) − ⅙ r⁴ s³ c
//! ```
//!
//! about the centre, u along the middle of the arc, s = sin h, c = cos h.

use nalgebra::{Matrix2, Point2, Vector2};
use std::f64::consts::TAU;

/// Most corners of one piece.
///
/// Outlines come in pieces of at most [`MOST_CORNERS`]; two of them share at most twice as many, and a disc cut by one
/// has at most 2 + 2·16. What is left is room for cuts by callers; beyond it the corner with the least area is given up.
pub const CAPACITY: usize = 40;

/// Most corners of one piece of an outline.
pub const MOST_CORNERS: usize = 16;

/// Arcs narrower than this are corners (rad).
const NO_ARC: f64 = 1e-12;

/// A convex piece of a plane: corners joined by straight edges or arcs, counter-clockwise.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Stored", into = "Stored"))]
pub struct Piece {
    corners: [Point2<f64>; CAPACITY],
    /// What leads from corner k to the next: 0 a straight line, else the arc of circle k − 1.
    edges: [u8; CAPACITY],
    len: usize,
    circles: [Circle; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Circle {
    centre: Point2<f64>,
    radius: f64,
}

impl PartialEq for Piece {
    /// What is left beyond the corners in use does not count.
    fn eq(&self, other: &Self) -> bool {
        let used = |piece: &Self| piece.len;
        self.corners[..used(self)] == other.corners[..used(other)]
            && self.edges[..used(self)] == other.edges[..used(other)]
            && self.circles == other.circles
    }
}

/// A piece as it is written: the corners in use.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Stored {
    corners: Vec<(Point2<f64>, u8)>,
    circles: [Circle; 2],
}

#[cfg(feature = "serde")]
impl From<Piece> for Stored {
    fn from(piece: Piece) -> Self {
        let corners = (0..piece.len).map(|k| (piece.corners[k], piece.edges[k])).collect();
        Self { corners, circles: piece.circles }
    }
}

#[cfg(feature = "serde")]
impl From<Stored> for Piece {
    fn from(stored: Stored) -> Self {
        let mut piece = Self { circles: stored.circles, ..Self::EMPTY };
        for (corner, edge) in stored.corners.into_iter().take(CAPACITY) {
            (piece.corners[piece.len], piece.edges[piece.len]) = (corner, edge);
            piece.len += 1;
        }
        piece
    }
}

/// Integrals over an area: of 1 (m²), of the position (m³) and of its square (m⁴), about some origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums {
    /// ∫ dA (m²).
    pub area: f64,
    /// ∫ x dA (m³).
    pub first: Vector2<f64>,
    /// ∫ x xᵀ dA (m⁴).
    pub second: Matrix2<f64>,
}

impl Sums {
    /// Of nothing.
    pub const ZERO: Self = Self { area: 0.0, first: Vector2::new(0.0, 0.0), second: Matrix2::new(0.0, 0.0, 0.0, 0.0) };

    fn add(&mut self, other: &Self) {
        self.area += other.area;
        self.first += other.first;
        self.second += other.second;
    }

    /// The same integrals with every place moved by `by`.
    pub fn moved(&self, by: &Vector2<f64>) -> Self {
        let cross = self.first * by.transpose();
        Self {
            area: self.area,
            first: self.first + by * self.area,
            second: self.second + cross + cross.transpose() + by * by.transpose() * self.area,
        }
    }

    /// Middle of the area (m); NaN without area.
    pub fn centroid(&self) -> Point2<f64> {
        Point2::from(self.first / self.area)
    }
}

impl Piece {
    const EMPTY: Self = Self {
        corners: [Point2::new(0.0, 0.0); CAPACITY],
        edges: [0; CAPACITY],
        len: 0,
        circles: [Circle { centre: Point2::new(0.0, 0.0), radius: 0.0 }; 2],
    };

    /// A convex polygon, counter-clockwise (m); nothing if it has fewer than 3 or more than [`MOST_CORNERS`] corners.
    pub fn polygon(corners: &[Point2<f64>]) -> Option<Self> {
        let mut piece = Self::EMPTY;
        if !(3..=MOST_CORNERS).contains(&corners.len()) {
            return None;
        }
        piece.corners[..corners.len()].copy_from_slice(corners);
        piece.len = corners.len();
        Some(piece)
    }

    /// A disc (m).
    pub fn disc(centre: Point2<f64>, radius: f64) -> Self {
        let mut piece = Self::EMPTY;
        let across = Vector2::new(radius, 0.0);
        piece.corners[0] = centre - across;
        piece.corners[1] = centre + across;
        piece.edges[..2].fill(1);
        piece.len = 2;
        piece.circles[0] = Circle { centre, radius };
        piece
    }

    /// What two discs share: a lens, the smaller disc, or nothing.
    pub fn lens(centres: [Point2<f64>; 2], radii: [f64; 2]) -> Option<Self> {
        let between = centres[1] - centres[0];
        let distance = between.norm();
        if distance >= radii[0] + radii[1] {
            return None;
        }
        if distance <= (radii[0] - radii[1]).abs() {
            let inner = usize::from(radii[1] < radii[0]);
            return Some(Self::disc(centres[inner], radii[inner]));
        }
        // Along the line of centres, and half of the chord.
        let along = 0.5 * (distance + (radii[0] - radii[1]) * (radii[0] + radii[1]) / distance);
        let half = (radii[0] * radii[0] - along * along).max(0.0).sqrt();
        let u = between / distance;
        let chord = Vector2::new(-u.y, u.x) * half;
        let mut piece = Self::EMPTY;
        // Circle 0 bulges along u: from below to above; circle 1 back.
        piece.corners[0] = centres[0] + u * along - chord;
        piece.corners[1] = centres[0] + u * along + chord;
        piece.edges[0] = 1;
        piece.edges[1] = 2;
        piece.len = 2;
        piece.circles = [0, 1].map(|k| Circle { centre: centres[k], radius: radii[k] });
        Some(piece)
    }

    /// The corners, counter-clockwise (m).
    pub fn corners(&self) -> &[Point2<f64>] {
        &self.corners[..self.len]
    }

    /// Centre and radius of the arc from corner `k` to the next (m), if that is not a straight line.
    pub fn arc(&self, k: usize) -> Option<(Point2<f64>, f64)> {
        self.circle(k).map(|circle| (circle.centre, circle.radius))
    }

    #[inline]
    fn circle(&self, k: usize) -> Option<Circle> {
        match self.edges.get(k) {
            Some(0) | None => None,
            Some(&kind) => Some(self.circles[usize::from(kind) - 1]),
        }
    }

    #[inline]
    fn end(&self, k: usize) -> Point2<f64> {
        self.corners[if k + 1 == self.len { 0 } else { k + 1 }]
    }

    /// Start and sweep of the arc from corner k (rad).
    #[inline]
    fn angles(&self, k: usize, circle: &Circle) -> (f64, f64) {
        let angle = |p: Point2<f64>| (p.y - circle.centre.y).atan2(p.x - circle.centre.x);
        let from = angle(self.corners[k]);
        let sweep = wrap(angle(self.end(k)) - from);
        // Back to where it began, by round-off: nothing, not a full turn (a disc has two arcs).
        (from, if sweep > TAU - NO_ARC { 0.0 } else { sweep })
    }

    /// Area, first and second moments about the origin, exact for lines and arcs.
    pub fn sums(&self) -> Sums {
        let mut sums = Sums::ZERO;
        if self.len == 0 {
            return sums;
        }
        // About the first corner, so that a region far away keeps its digits.
        let base = self.corners[0].coords;
        for k in 0..self.len {
            let (v, w) = (self.corners[k].coords - base, self.end(k).coords - base);
            let twice = v.perp(&w);
            let both = v + w;
            sums.area += 0.5 * twice;
            sums.first += both * (twice / 6.0);
            sums.second += (v * v.transpose() + w * w.transpose() + both * both.transpose()) * (twice / 24.0);
            if let Some(circle) = self.circle(k) {
                let (from, sweep) = self.angles(k, &circle);
                sums.add(&segment(circle.radius, from, sweep).moved(&(circle.centre.coords - base)));
            }
        }
        sums.moved(&base)
    }

    /// Whether no edge is an arc.
    #[inline]
    pub fn is_straight(&self) -> bool {
        self.edges[..self.len].iter().all(|kind| *kind == 0)
    }

    /// Sums over the part with n·x ≤ c of a piece without arcs, about `place`, or about the part's first corner where that is not
    /// given: the same numbers as by [`cut`](Self::cut) and [`sums`](Self::sums), without a copy of the piece. None where nothing is
    /// left.
    fn sums_of_straight_part(&self, n: &Vector2<f64>, c: f64, place: &mut Option<Vector2<f64>>) -> Option<Sums> {
        let mut corners = [Vector2::zeros(); CAPACITY];
        let mut len = 0;
        let mut push = |p: Vector2<f64>| {
            // Cuts through a corner give it twice.
            if len == 0 || corners[len - 1] != p {
                corners[len] = p;
                len += 1;
            }
        };
        let depth = |p: &Point2<f64>| n.dot(&p.coords) - c;
        let mut dv = depth(self.corners.first()?);
        for k in 0..self.len {
            let (v, w) = (self.corners[k], self.end(k));
            let dw = depth(&w);
            if dv <= 0.0 {
                push(v.coords);
            }
            if (dv <= 0.0) != (dw <= 0.0) {
                push((v + (w - v) * (dv / (dv - dw))).coords);
            }
            dv = dw;
        }
        if len < 3 {
            return None;
        }
        let place = *place.get_or_insert(corners[0]);
        let base = corners[0] - place;
        let mut sums = Sums::ZERO;
        let mut v = corners[1] - place - base;
        for corner in &corners[2..len] {
            let w = corner - place - base;
            let twice = v.perp(&w);
            let both = v + w;
            sums.area += 0.5 * twice;
            sums.first += both * (twice / 6.0);
            sums.second += (v * v.transpose() + w * w.transpose() + both * both.transpose()) * (twice / 24.0);
            v = w;
        }
        Some(sums.moved(&base))
    }

    /// The part with n·x ≤ c; a cut that would need more than [`CAPACITY`] corners gives up the least of them.
    pub fn cut(&mut self, n: &Vector2<f64>, c: f64) {
        let mut cut = Self { len: 0, ..*self };
        for k in 0..self.len {
            let (v, w) = (self.corners[k], self.end(k));
            match self.circle(k) {
                None => {
                    let (dv, dw) = (n.dot(&v.coords) - c, n.dot(&w.coords) - c);
                    let crossing = || v + (w - v) * (dv / (dv - dw));
                    match (dv <= 0.0, dw <= 0.0) {
                        (true, true) => cut.push(v, 0),
                        (true, false) => {
                            cut.push(v, 0);
                            cut.push(crossing(), 0);
                        }
                        (false, true) => cut.push(crossing(), 0),
                        (false, false) => {}
                    }
                }
                Some(circle) => cut.push_arc(self, k, &circle, n, c),
            }
        }
        // Two corners joined by straight lines enclose nothing.
        if cut.len < 2 || (cut.len == 2 && cut.edges[..2] == [0, 0]) {
            cut.len = 0;
        }
        *self = cut;
    }

    /// The kept parts of arc k of `whole`.
    fn push_arc(&mut self, whole: &Self, k: usize, circle: &Circle, n: &Vector2<f64>, c: f64) {
        let (from, sweep) = whole.angles(k, circle);
        let kind = whole.edges[k];
        let reach = n.norm() * circle.radius;
        let level = (c - n.dot(&circle.centre.coords)) / reach;
        let mut breaks = [0.0, sweep, sweep, sweep];
        if level.abs() < 1.0 {
            let (middle, half) = (n.y.atan2(n.x), level.acos());
            for (k, angle) in [middle - half, middle + half].into_iter().enumerate() {
                let t = wrap(angle - from);
                breaks[1 + k] = if t > NO_ARC && t < sweep - NO_ARC { t } else { sweep };
            }
            if breaks[1] > breaks[2] {
                breaks.swap(1, 2);
            }
        }
        let at = |t: f64| {
            let (sin, cos) = (from + t).sin_cos();
            circle.centre + Vector2::new(cos, sin) * circle.radius
        };
        for pair in breaks.windows(2) {
            let [start, stop] = [pair[0], pair[1]];
            if stop <= start || n.dot(&at(0.5 * (start + stop)).coords) > c {
                continue;
            }
            self.push(if start == 0.0 { whole.corners[k] } else { at(start) }, kind);
            // Where the next kept edge begins elsewhere, this corner begins the line to it.
            if stop < sweep || n.dot(&whole.end(k).coords) > c {
                self.push(if stop < sweep { at(stop) } else { whole.end(k) }, 0);
            }
        }
    }

    fn push(&mut self, p: Point2<f64>, kind: u8) {
        // Cuts through a corner give it twice: the later edge counts.
        if self.len > 0 && self.corners[self.len - 1] == p && self.edges[self.len - 1] == 0 {
            self.edges[self.len - 1] = kind;
            return;
        }
        if self.len == CAPACITY {
            self.give_up_a_corner();
        }
        self.corners[self.len] = p;
        self.edges[self.len] = kind;
        self.len += 1;
    }

    /// Removes the corner whose triangle with its neighbours is least.
    #[cold]
    fn give_up_a_corner(&mut self) {
        let area = |k: usize| {
            let (a, b, c) = (self.corners[k - 1], self.corners[k], self.corners[k + 1]);
            (b - a).perp(&(c - b)).abs()
        };
        // CAPACITY > 3 corners: there are inner ones.
        let least = (1..self.len - 1).min_by(|&i, &j| area(i).total_cmp(&area(j))).unwrap_or(1);
        self.corners.copy_within(least + 1..self.len, least);
        self.edges.copy_within(least + 1..self.len, least);
        self.edges[least - 1] = 0;
        self.len -= 1;
    }

    /// What this piece shares with a convex polygon without arcs.
    pub fn cut_by(&mut self, polygon: &Self) {
        for k in 0..polygon.len {
            let along = polygon.end(k) - polygon.corners[k];
            let outward = Vector2::new(along.y, -along.x);
            self.cut(&outward, outward.dot(&polygon.corners[k].coords));
            if self.len == 0 {
                return;
            }
        }
    }

    /// The piece turned (or mirrored) by `turn` and then moved by `by`; it stays counter-clockwise.
    pub fn placed(&self, turn: &Matrix2<f64>, by: &Vector2<f64>) -> Self {
        let mut piece = *self;
        let place = |p: &Point2<f64>| Point2::from(turn * p.coords + by);
        piece.corners[..self.len].iter_mut().for_each(|p| *p = place(p));
        piece.circles.iter_mut().for_each(|circle| circle.centre = place(&circle.centre));
        if turn.determinant() < 0.0 {
            piece.corners[..self.len].reverse();
            // Edge k leads from corner k on: reversed it belongs to the corner at its other end.
            if self.len > 1 {
                piece.edges[..self.len - 1].reverse();
            }
        }
        piece
    }

    /// The greatest d·x over the piece (m, for unit d).
    pub fn support(&self, d: &Vector2<f64>) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for k in 0..self.len {
            most = most.max(d.dot(&self.corners[k].coords));
            if let Some(circle) = self.circle(k) {
                let (from, sweep) = self.angles(k, &circle);
                if wrap(d.y.atan2(d.x) - from) < sweep {
                    most = most.max(d.dot(&circle.centre.coords) + d.norm() * circle.radius);
                }
            }
        }
        most
    }

    /// Distance of a point from the piece (m), 0 inside.
    pub fn distance(&self, p: &Point2<f64>) -> f64 {
        let mut inside = self.len > 0;
        let mut nearest = f64::INFINITY;
        for k in 0..self.len {
            let (v, w) = (self.corners[k], self.end(k));
            let along = w - v;
            if let Some(circle) = self.circle(k) {
                let (from, sweep) = self.angles(k, &circle);
                let out = p - circle.centre;
                let beyond = out.norm() - circle.radius;
                inside &= beyond <= 0.0;
                let faced = wrap(out.y.atan2(out.x) - from) < sweep;
                nearest = nearest.min(if faced { beyond.abs() } else { (p - v).norm() });
                continue;
            }
            inside &= along.perp(&(p - v)) >= 0.0;
            let t = (p - v).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
            nearest = nearest.min((p - (v + along * t.clamp(0.0, 1.0))).norm());
        }
        if inside { 0.0 } else { nearest }
    }

    fn shift(&mut self, by: &Vector2<f64>) {
        self.corners[..self.len].iter_mut().for_each(|p| *p += by);
        self.circles.iter_mut().for_each(|circle| circle.centre += by);
    }

    /// The outline as points (m), arcs by chords of at most `step` (rad), for drawing.
    pub fn outline(&self, step: f64, mut visit: impl FnMut(Point2<f64>)) {
        for k in 0..self.len {
            visit(self.corners[k]);
            if let Some(circle) = self.circle(k) {
                let (from, sweep) = self.angles(k, &circle);
                let parts = (sweep / step).ceil().clamp(1.0, 1e4);
                for j in 1..parts as u32 {
                    let (sin, cos) = (from + sweep * f64::from(j) / parts).sin_cos();
                    visit(circle.centre + Vector2::new(cos, sin) * circle.radius);
                }
            }
        }
    }
}

/// The area between an arc and its chord, about the arc's centre.
fn segment(radius: f64, from: f64, sweep: f64) -> Sums {
    let h = 0.5 * sweep;
    let (s, c) = h.sin_cos();
    let (r2, sc) = (radius * radius, s * c);
    let area = r2 * (h - sc);
    let along = 2.0 / 3.0 * r2 * radius * s * s * s;
    let uu = r2 * r2 * (0.25 * (h + sc) - 0.5 * sc * c * c);
    let ww = r2 * r2 * (0.25 * (h - sc) - sc * s * s / 6.0);
    let (sin, cos) = (from + h).sin_cos();
    let (u, w) = (Vector2::new(cos, sin), Vector2::new(-sin, cos));
    Sums { area, first: u * along, second: u * u.transpose() * uu + w * w.transpose() * ww }
}

/// The angle in [0, 2π).
#[inline]
fn wrap(angle: f64) -> f64 {
    let wrapped = angle.rem_euclid(TAU);
    // Tiny negative angles come out as 2π.
    if wrapped >= TAU { 0.0 } else { wrapped }
}

/// A plane area made of convex pieces.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Region {
    pieces: Vec<Piece>,
}

impl Region {
    /// The pieces; they do not overlap.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub(super) fn clear(&mut self) {
        self.pieces.clear();
    }

    pub(super) fn push(&mut self, piece: Piece) {
        if piece.len > 0 {
            self.pieces.push(piece);
        }
    }

    pub(super) fn shift(&mut self, by: &Vector2<f64>) {
        self.pieces.iter_mut().for_each(|piece| piece.shift(by));
    }

    /// Area, first and second moments about the origin.
    pub fn sums(&self) -> Sums {
        self.pieces.iter().fold(Sums::ZERO, |mut sums, piece| {
            sums.add(&piece.sums());
            sums
        })
    }

    /// The same of the part with n·x ≤ c.
    pub fn sums_within(&self, n: &Vector2<f64>, c: f64) -> Sums {
        let (place, sums) = self.sums_within_part(n, c);
        sums.moved(&place)
    }

    /// The same about a corner of that part, which is told too: a part much smaller than its place keeps its digits.
    pub fn sums_within_part(&self, n: &Vector2<f64>, c: f64) -> (Vector2<f64>, Sums) {
        let mut place = None;
        let sums = self.pieces.iter().fold(Sums::ZERO, |mut sums, piece| {
            // Even where rounding cuts every edge there is room.
            if piece.len <= CAPACITY / 2 && piece.is_straight() {
                if let Some(part) = piece.sums_of_straight_part(n, c, &mut place) {
                    sums.add(&part);
                }
                return sums;
            }
            let mut part = *piece;
            part.cut(n, c);
            if part.len > 0 {
                let place = *place.get_or_insert(part.corners[0].coords);
                part.shift(&-place);
                sums.add(&part.sums());
            }
            sums
        });
        (place.unwrap_or_default(), sums)
    }

    /// The greatest d·x over the region.
    pub fn support(&self, d: &Vector2<f64>) -> f64 {
        self.pieces.iter().fold(f64::NEG_INFINITY, |most, piece| most.max(piece.support(d)))
    }

    /// Distance of a point from the region (m), 0 inside.
    pub fn distance(&self, p: &Point2<f64>) -> f64 {
        self.pieces.iter().fold(f64::INFINITY, |least, piece| least.min(piece.distance(p)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums over a part of straight pieces, found without a copy, are those of the piece that is cut: for polygons of 3 to 16
    /// corners, cuts through corners and along edges among them.
    #[test]
    fn sums_of_a_straight_part_are_those_of_the_cut_piece() {
        let (mut whole, mut empty, mut partly) = (0, 0, 0);
        for corners in 3..=MOST_CORNERS {
            let corner = |k: usize| {
                let angle = TAU * k as f64 / corners as f64 + 0.3;
                Point2::new(0.7 + 0.05 * angle.cos(), -0.4 + 0.02 * angle.sin())
            };
            let piece = Piece::polygon(&(0..corners).map(corner).collect::<Vec<_>>()).unwrap();
            let region = Region { pieces: vec![piece] };
            for k in 0..400 {
                let (sin, cos) = (0.37 * f64::from(k)).sin_cos();
                let n = Vector2::new(cos, sin);
                let through = corner(k as usize % corners).coords;
                // Through corners, along edges, and anywhere.
                let (n, c) = match k % 3 {
                    0 => (n, n.dot(&through)),
                    1 => {
                        let along = piece.end(k as usize % corners).coords - through;
                        (Vector2::new(along.y, -along.x), along.y * through.x - along.x * through.y)
                    }
                    _ => (n, n.dot(&Vector2::new(0.7, -0.4)) + 0.06 * (0.11 * f64::from(k)).sin()),
                };
                let mut part = piece;
                part.cut(&n, c);
                let expected = part.sums();
                let found = region.sums_within(&n, c);
                let all = piece.sums();
                assert!((found.area - expected.area).abs() <= 1e-13 * all.area, "{corners} {k}");
                assert!((found.first - expected.first).norm() <= 1e-13 * all.area, "{corners} {k}");
                assert!((found.second - expected.second).norm() <= 1e-13 * all.area, "{corners} {k}");
                whole += usize::from(part.len == corners);
                empty += usize::from(part.len == 0);
                partly += usize::from(part.len > 0 && expected.area < 0.99 * all.area);
            }
        }
        assert!(whole > 100 && empty > 100 && partly > 1000, "{whole} {empty} {partly}");
    }
}
