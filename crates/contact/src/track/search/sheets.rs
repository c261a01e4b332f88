//! # Sheets: a polynomial graph in pieces
//!
//! - **out**: rectangles of x and y, each with a ball around the surface over it
//! - **not here**: closures, of which nothing is known between two places ([`local`](super::super::local) takes a grid of them)
//! - **start at** [`Sheets`]
//!
//! **The bound.** Over a rectangle with half sides u, v around (x, y), with M bounds of the second derivatives all over it,
//!
//! ```text
//! |h(q) − h(x, y)| ≤ |h_x| u + |h_y| v + (M_xx u² + 2 M_xy u v + M_yy v²)/2 = w      (Taylor)
//! ```
//!
//! so that the piece lies within √(u² + v² + w²) of its middle.

use super::Cover;
use crate::surface::Graph;
use crate::surface::graph::Rectangle;
use crate::surface::height::HeightFunction;
use nalgebra::Point3;

/// The part of a polynomial graph over a square.
pub(crate) struct Sheets<'a> {
    graph: &'a Graph,
    part: Rectangle,
}

/// A rectangle of x and y (m).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    middle: [f64; 2],
    half: [f64; 2],
}

impl<'a> Sheets<'a> {
    /// The part of a graph within `reach` (m, horizontally) of a place; none of closures.
    pub fn around(graph: &'a Graph, centre: &Point3<f64>, reach: f64) -> Option<Self> {
        graph.degree()?;
        let limits = graph.rectangle();
        let range = |c: f64, [from, to]: [f64; 2]| [(c - reach).clamp(from, to), (c + reach).clamp(from, to)];
        Some(Self { graph, part: Rectangle { x: range(centre.x, limits.x), y: range(centre.y, limits.y) } })
    }
}

impl Cover for Sheets<'_> {
    type Piece = Sheet;

    fn whole(&self, pieces: &mut Vec<Sheet>) {
        let Rectangle { x, y } = self.part;
        let middle = |[from, to]: [f64; 2]| 0.5 * (from + to);
        pieces.push(Sheet { middle: [middle(x), middle(y)], half: [0.5 * (x[1] - x[0]), 0.5 * (y[1] - y[0])] });
    }

    fn ball(&self, piece: &Sheet) -> (Point3<f64>, f64) {
        let ([x, y], [u, v]) = (piece.middle, piece.half);
        // Beyond numbers nothing is known of the piece: it may hold anything.
        let Ok(jet) = self.graph.jet(x, y) else { return (Point3::new(x, y, f64::NAN), f64::INFINITY) };
        let [xx, xy, yy] = self.graph.greatest_bends(x, y, piece.half);
        let w = jet.zx.abs() * u + jet.zy.abs() * v + 0.5 * (xx * u * u + 2.0 * xy * u * v + yy * v * v);
        (Point3::new(x, y, jet.z), (u * u + v * v + w * w).sqrt())
    }

    fn is_single(&self, _: &Sheet) -> bool {
        true
    }

    fn split(&self, piece: &Sheet, parts: &mut Vec<Sheet>) {
        let ([x, y], [u, v]) = (piece.middle, piece.half);
        // Long rectangles first become squares.
        if u > 2.0 * v || v > 2.0 * u {
            let along = usize::from(v > u);
            for side in [-0.5, 0.5] {
                let mut part = *piece;
                part.middle[along] += side * piece.half[along];
                part.half[along] *= 0.5;
                parts.push(part);
            }
            return;
        }
        for i in [-0.5, 0.5] {
            for j in [-0.5, 0.5] {
                parts.push(Sheet { middle: [x + i * u, y + j * v], half: [0.5 * u, 0.5 * v] });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::graph::Term;

    /// Every point of a graph lies in the ball of its rectangle, at every size and slope; would catch a bound that forgets that
    /// x^p grows towards the far side.
    #[test]
    fn balls_hold_the_surface_over_their_rectangles() {
        let term = |p, q, c| Term { p, q, c };
        let formulas = [
            vec![term(2, 0, 0.4), term(0, 2, 0.3), term(1, 1, 0.1)],
            vec![term(5, 0, -0.7), term(3, 2, 0.3), term(0, 4, 1.1), term(1, 0, 2.0), term(0, 0, -3.0)],
        ];
        for terms in formulas {
            let graph = Graph::polynomial(terms, Rectangle { x: [-3.0, 1.7], y: [-1.0, f64::INFINITY] }).unwrap();
            let sheets = Sheets::around(&graph, &Point3::new(0.3, 0.2, 9.0), 2.5).unwrap();
            let mut open = Vec::new();
            sheets.whole(&mut open);
            let (mut looked, mut tightest) = (0, f64::INFINITY);
            while let Some(piece) = open.pop() {
                let (centre, radius) = sheets.ball(&piece);
                let mut most = 0.0_f64;
                for i in -6..=6 {
                    for j in -6..=6 {
                        let at = |k: usize, i: i32| piece.middle[k] + piece.half[k] * f64::from(i) / 6.0;
                        let (x, y) = (at(0, i).clamp(-3.0, 1.7), at(1, j).max(-1.0));
                        most = most.max((Point3::new(x, y, graph.jet(x, y).unwrap().z) - centre).norm());
                    }
                }
                assert!(most <= radius * (1.0 + 1e-12), "{piece:?}: {most} {radius}");
                (looked, tightest) = (looked + 1, tightest.min(radius / most));
                if piece.half[0].max(piece.half[1]) > 0.05 {
                    sheets.split(&piece, &mut open);
                }
            }
            assert!(
                looked > 1000 && tightest < 1.2,
                "{looked} pieces, the tightest ball {tightest} of what it must be"
            );
        }
    }
}
