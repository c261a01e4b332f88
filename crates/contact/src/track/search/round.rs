//! # Round: tori and bodies of revolution in pieces
//!
//! - **out**: rectangles of angle and profile, each with a ball around it
//! - **start at** [`Round`]
//!
//! A piece with half angle α around the axis, at most r from it, and half a length ℓ of the profile lies within
//! 2 r sin(α/2) + ℓ of its middle: along a circle, then along a meridian.

use super::Cover;
use crate::surface::{Bounds, ParametricSurface, Revolution, Shape, Surface, Torus};
use nalgebra::Point3;

/// A surface of revolution around z with the speed of its parameters bounded.
pub(crate) struct Round<'a> {
    surface: &'a dyn ParametricSurface,
    /// Largest distance from the axis (m).
    widest: f64,
    /// Length of the profile per unit of v, at most (m), and by ranges of v for splines.
    speed: Speed<'a>,
}

enum Speed<'a> {
    Even(f64),
    Spline(&'a Revolution),
}

/// A rectangle of parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    u: [f64; 2],
    v: [f64; 2],
}

impl<'a> Round<'a> {
    /// A torus: u around the axis, v around the section.
    pub fn torus(torus: &'a Torus) -> Self {
        let widest = torus.major_radius() + torus.minor_radius();
        Self { surface: torus, widest, speed: Speed::Even(torus.minor_radius()) }
    }

    /// A body of revolution: v is the length of chords.
    pub fn revolution(body: &'a Revolution) -> Self {
        let Bounds { max, .. } = body.bounds();
        Self { surface: body, widest: max.x, speed: Speed::Spline(body) }
    }

    /// The pieces of a shape that is one of these.
    pub fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Torus(torus) => Some(Self::torus(torus)),
            Shape::Revolution(body) => Some(Self::revolution(body)),
            _ => None,
        }
    }
}

impl Cover for Round<'_> {
    type Piece = Piece;

    fn whole(&self, pieces: &mut Vec<Piece>) {
        let domain = self.surface.domain();
        let part = |range: [f64; 2], k: usize, n: usize| {
            let at = |k: usize| range[0] + (range[1] - range[0]) * k as f64 / n as f64;
            [at(k), at(k + 1)]
        };
        for i in 0..4 {
            for j in 0..4 {
                pieces.push(Piece { u: part(domain.u, i, 4), v: part(domain.v, j, 4) });
            }
        }
    }

    fn ball(&self, piece: &Piece) -> (Point3<f64>, f64) {
        let [u, v] = [piece.u, piece.v].map(|range| 0.5 * (range[0] + range[1]));
        let half = 0.5 * (piece.u[1] - piece.u[0]);
        let speed = match self.speed {
            Speed::Even(speed) => speed,
            Speed::Spline(body) => body.speed_bound(piece.v),
        };
        let along = 0.5 * (piece.v[1] - piece.v[0]) * speed;
        let centre = self.surface.point(u, v);
        // First along the meridian to the height of the point, then around: no further out than the meridian leads.
        let out = (centre.x.hypot(centre.y) + along).min(self.widest);
        (centre, along + 2.0 * out * (0.5 * half).sin())
    }

    fn is_single(&self, _: &Piece) -> bool {
        true
    }

    fn split(&self, piece: &Piece, parts: &mut Vec<Piece>) {
        let halves = |range: [f64; 2]| {
            let middle = 0.5 * (range[0] + range[1]);
            [[range[0], middle], [middle, range[1]]]
        };
        for u in halves(piece.u) {
            for v in halves(piece.v) {
                parts.push(Piece { u, v });
            }
        }
    }
}
