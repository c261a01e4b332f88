//! # Graphs: z = h(x, y) from a formula, solid below
//!
//! - **in**: a polynomial in x and y, or (in the library) a closure that gives a jet
//! - **out**: feet, normals, shape operators
//! - **not here**: sampled heights ([`elevation`](super::elevation))
//! - **assumes**: h is C2; outside the domain there is no surface
//! - **start at** [`Graph::polynomial`]
//!
//! Closures are for the library only: a scene or a recording cannot hold one.

use super::height::{self, HeightFunction, HeightJet};
use super::{
    Bounds, Domain, Foot, ParametricSurface, ShapeError, SmoothSurface, Surface, SurfaceError, SurfacePoint, finite,
};
use nalgebra::Point3;
use std::fmt;
use std::sync::Arc;

/// Greatest degree in x or y of a polynomial graph.
pub const MOST_DEGREE: usize = 32;

/// One term c xᵖ yᵠ of a polynomial height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Term {
    /// Power of x.
    pub p: usize,
    /// Power of y.
    pub q: usize,
    /// Factor (m to the power 1 − p − q).
    pub c: f64,
}

/// Where a graph is defined: x and y ranges (m), possibly infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Range of x (m).
    pub x: [f64; 2],
    /// Range of y (m).
    pub y: [f64; 2],
}

impl Rectangle {
    /// The whole plane.
    pub const PLANE: Rectangle =
        Rectangle { x: [f64::NEG_INFINITY, f64::INFINITY], y: [f64::NEG_INFINITY, f64::INFINITY] };

    fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x[0] && x <= self.x[1] && y >= self.y[0] && y <= self.y[1]
    }

    fn is_finite(&self) -> bool {
        self.x.iter().chain(&self.y).all(|v| v.is_finite())
    }
}

/// A height with derivatives as a function of x and y.
pub type HeightClosure = Arc<dyn Fn(f64, f64) -> HeightJet + Send + Sync>;

#[derive(Clone)]
enum Formula {
    Polynomial(Vec<Term>),
    Closure(HeightClosure),
}

/// A surface z = h(x, y) from a formula.
#[derive(Clone)]
pub struct Graph {
    formula: Formula,
    domain: Rectangle,
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match &self.formula {
            Formula::Polynomial(terms) => format!("{terms:?}"),
            Formula::Closure(_) => "closure".to_string(),
        };
        write!(f, "Graph {{ {what}, domain: {:?} }}", self.domain)
    }
}

impl Graph {
    /// A polynomial height over a domain.
    pub fn polynomial(terms: Vec<Term>, domain: Rectangle) -> Result<Self, ShapeError> {
        for term in &terms {
            if !term.c.is_finite() || term.p > MOST_DEGREE || term.q > MOST_DEGREE {
                return Err(ShapeError::Misfit {
                    what: "term of the polynomial height",
                    expected: format!("a finite factor and powers up to {MOST_DEGREE}"),
                    got: format!("{} x^{} y^{}", term.c, term.p, term.q),
                });
            }
        }
        check(domain)?;
        Ok(Self { formula: Formula::Polynomial(terms), domain })
    }

    /// A height given by a closure over a domain. The closure must be C2 and its derivatives right.
    pub fn closure(
        h: impl Fn(f64, f64) -> HeightJet + Send + Sync + 'static,
        domain: Rectangle,
    ) -> Result<Self, ShapeError> {
        check(domain)?;
        Ok(Self { formula: Formula::Closure(Arc::new(h)), domain })
    }

    /// Degree of the polynomial, of both coordinates together; none for closures.
    pub fn degree(&self) -> Option<usize> {
        let Formula::Polynomial(terms) = &self.formula else { return None };
        Some(terms.iter().map(|term| term.p + term.q).max().unwrap_or(0))
    }

    /// Where the graph is defined.
    pub fn rectangle(&self) -> Rectangle {
        self.domain
    }

    /// A bound of the curvature of hollows (1/m) within `reach` (m, horizontally) of a place: the second derivatives with
    /// all terms of one sign. Infinite for closures, of which nothing is known.
    pub(crate) fn hollow_curvature(&self, x: f64, y: f64, reach: f64) -> f64 {
        let [xx, xy, yy] = self.greatest_bends(x, y, [reach; 2]);
        // Row sums bound the eigenvalues, and slopes only lessen the curvature.
        f64::max(xx, yy) + xy
    }

    /// Bounds of |h_xx|, |h_xy|, |h_yy| (1/m) within `half` (m) of a place, along x and along y: all terms of one sign. Infinite
    /// for closures, of which nothing is known.
    pub(crate) fn greatest_bends(&self, x: f64, y: f64, half: [f64; 2]) -> [f64; 3] {
        let Formula::Polynomial(terms) = &self.formula else { return [f64::INFINITY; 3] };
        let (x, y) = (x.abs() + half[0], y.abs() + half[1]);
        let [mut xx, mut xy, mut yy] = [0.0; 3];
        for term in terms {
            let ([a, a1, a2], [b, b1, b2]) = (power(x, term.p), power(y, term.q));
            let c = term.c.abs();
            (xx, xy, yy) = (xx + c * a2 * b, xy + c * a1 * b1, yy + c * a * b2);
        }
        [xx, xy, yy]
    }

    /// Places where a function of space is least over the part of the graph within `reach` (m, horizontally) of `around`.
    ///
    /// A grid of 33×33 places; local minima among them, least first. Not exhaustive: hollows narrower than
    /// 1/16 of the reach can be missed.
    pub(crate) fn candidates(
        &self,
        phi: impl Fn(&Point3<f64>) -> f64,
        around: &Point3<f64>,
        reach: f64,
    ) -> Vec<(Point3<f64>, f64)> {
        const N: usize = 33;
        let range = |c: f64, limits: [f64; 2]| {
            let lo = (c - reach).clamp(limits[0], limits[1]);
            let hi = (c + reach).clamp(limits[0], limits[1]);
            move |k: usize| lo + (hi - lo) * k as f64 / (N - 1) as f64
        };
        let (xs, ys) = (range(around.x, self.domain.x), range(around.y, self.domain.y));
        let point = |i: usize, j: usize| {
            let (x, y) = (xs(i), ys(j));
            Point3::new(x, y, HeightFunction::jet(self, x, y).map_or(f64::NAN, |jet| jet.z))
        };
        crate::track::seed::grid_minima([N, N], [false, false], |i, j| phi(&point(i, j)))
            .into_iter()
            .map(|(i, j, value)| (point(i, j), value))
            .collect()
    }
}

fn check(domain: Rectangle) -> Result<(), ShapeError> {
    if domain.x[0] < domain.x[1] && domain.y[0] < domain.y[1] {
        Ok(())
    } else {
        Err(ShapeError::Misfit {
            what: "domain of the graph",
            expected: "least below greatest, for x and for y".to_string(),
            got: format!("x {:?}, y {:?}", domain.x, domain.y),
        })
    }
}

/// Value, first and second derivative of x^p.
fn power(x: f64, p: usize) -> [f64; 3] {
    // What most formulas have.
    match p {
        0 => return [1.0, 0.0, 0.0],
        1 => return [x, 1.0, 0.0],
        2 => return [x * x, 2.0 * x, 2.0],
        _ => {}
    }
    let n = p as f64;
    let raise = |k: i32| if k < 0 { 0.0 } else { x.powi(k) };
    [raise(p as i32), n * raise(p as i32 - 1), n * (n - 1.0) * raise(p as i32 - 2)]
}

impl HeightFunction for Graph {
    fn jet(&self, x: f64, y: f64) -> Result<HeightJet, SurfaceError> {
        if !self.domain.contains(x, y) {
            let Rectangle { x: [x_min, x_max], y: [y_min, y_max] } = self.domain;
            return Err(SurfaceError::OffMap { x, y, x_min, x_max, y_min, y_max });
        }
        let jet = match &self.formula {
            Formula::Closure(h) => h(x, y),
            Formula::Polynomial(terms) => {
                let mut jet = HeightJet::default();
                for term in terms {
                    let ([a, a1, a2], [b, b1, b2]) = (power(x, term.p), power(y, term.q));
                    jet.z += term.c * a * b;
                    jet.zx += term.c * a1 * b;
                    jet.zy += term.c * a * b1;
                    jet.zxx += term.c * a2 * b;
                    jet.zxy += term.c * a1 * b1;
                    jet.zyy += term.c * a * b2;
                }
                jet
            }
        };
        let sum = jet.z + jet.zx + jet.zy + jet.zxx + jet.zxy + jet.zyy;
        if sum.is_finite() { Ok(jet) } else { Err(SurfaceError::NotFinite { x, y, z: jet.z }) }
    }
}

impl Surface for Graph {
    /// The closest of the feet reached from a grid of starts. No foot is further off, horizontally, than the
    /// height above the graph.
    fn closest_point(&self, p: &Point3<f64>) -> Result<Foot, SurfaceError> {
        finite(p)?;
        let clamp = |v: f64, limits: [f64; 2]| v.clamp(limits[0], limits[1]);
        let (x, y) = (clamp(p.x, self.domain.x), clamp(p.y, self.domain.y));
        let below = Point3::new(x, y, HeightFunction::jet(self, x, y)?.z);
        let reach = (p - below).norm();
        let mut starts = vec![below];
        if reach > 0.0 {
            starts.extend(self.candidates(|q| (q - p).norm(), p, reach).into_iter().map(|(q, _)| q));
        }
        let feet = starts.iter().filter_map(|s| height::foot(self, p, s.x, s.y).ok()).map(|f| f.foot(p));
        feet.min_by(|a, b| a.distance.abs().total_cmp(&b.distance.abs())).ok_or(SurfaceError::NoSmoothPoint {
            x: p.x,
            y: p.y,
            z: p.z,
        })
    }

    fn bounds(&self) -> Bounds {
        let Rectangle { x, y } = self.domain;
        Bounds { min: Point3::new(x[0], y[0], f64::NEG_INFINITY), max: Point3::new(x[1], y[1], f64::INFINITY) }
    }
}

impl SmoothSurface for Graph {
    fn point_near(&self, near: &Point3<f64>) -> Result<SurfacePoint, SurfaceError> {
        Ok(HeightFunction::jet(self, near.x, near.y)?.surface_point(near.x, near.y))
    }
}

impl Graph {
    /// The rectangle as parameters, if it is bounded.
    pub fn as_parametric(&self) -> Option<&dyn ParametricSurface> {
        if self.domain.is_finite() { Some(self) } else { None }
    }
}

impl ParametricSurface for Graph {
    fn domain(&self) -> Domain {
        Domain { u: self.domain.x, v: self.domain.y, u_wraps: false, v_wraps: false }
    }

    fn point(&self, u: f64, v: f64) -> Point3<f64> {
        Point3::new(u, v, HeightFunction::jet(self, u, v).map_or(f64::NAN, |jet| jet.z))
    }
}
