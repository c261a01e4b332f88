//! Graphs from formulas: derivatives, shape operators and feet against automatic and finite differences.

mod common;

use common::Random;
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::height::{HeightFunction, HeightJet};
use fingerpad_contact::surface::{Graph, SmoothSurface, Surface, SurfaceError};
use nalgebra::{Matrix3, Point3, SVector};
use num_dual::{Dual2SVec64, DualNum};

fn saddle() -> Graph {
    let term = |p, q, c| Term { p, q, c };
    let terms =
        vec![term(0, 0, 0.1), term(2, 0, 0.3), term(0, 2, -0.2), term(1, 1, 0.15), term(3, 1, 0.05), term(0, 5, 0.01)];
    Graph::polynomial(terms, Rectangle { x: [-2.0, 2.0], y: [-1.5, 1.5] }).unwrap()
}

/// The same polynomial as an implicit surface F = z − h, differentiated by dual numbers.
fn implicit(p: SVector<Dual2SVec64<3>, 3>) -> Dual2SVec64<3> {
    let (x, y, z) = (p[0], p[1], p[2]);
    let h = x.powi(2) * 0.3 - y.powi(2) * 0.2 + x * y * 0.15 + x.powi(3) * y * 0.05 + y.powi(5) * 0.01 + 0.1;
    z - h
}

#[test]
fn normal_and_shape_operator_match_automatic_differentiation() {
    let graph = saddle();
    let mut random = Random(1);
    for _ in 0..300 {
        let near = Point3::new(random.between(-2.0, 2.0), random.between(-1.5, 1.5), 0.0);
        let at = graph.point_near(&near).unwrap();
        let (value, gradient, hessian) = num_dual::hessian(implicit, &at.p.coords);
        let nhat = gradient.normalize();
        let P = Matrix3::identity() - nhat * nhat.transpose();
        let Dn = P * hessian * P / gradient.norm();
        assert!(value.abs() < 1e-14 && (nhat - at.nhat).norm() < 1e-14 && (Dn - at.Dn).norm() < 1e-13);
    }
}

/// Feet are the nearest of a dense sampling, for points above and below, and closures answer as polynomials do.
#[test]
fn feet_are_the_nearest_of_a_dense_sampling() {
    let graph = saddle();
    let twin = saddle();
    let closure =
        Graph::closure(move |x, y| twin.jet(x, y).unwrap_or_default(), Rectangle { x: [-2.0, 2.0], y: [-1.5, 1.5] })
            .unwrap();
    let mut random = Random(2);
    for _ in 0..60 {
        let p = Point3::new(random.between(-1.0, 1.0), random.between(-0.8, 0.8), random.between(-0.7, 1.0));
        let foot = graph.closest_point(&p).unwrap();
        let mut least = f64::INFINITY;
        for i in 0..=200 {
            for j in 0..=200 {
                let (x, y) = (-2.0 + 0.02 * f64::from(i), -1.5 + 0.015 * f64::from(j));
                least = least.min((Point3::new(x, y, graph.jet(x, y).unwrap().z) - p).norm());
            }
        }
        let d = foot.distance.abs();
        // A sample lies within 1.3 cm, more where steep: second order in that over the distance.
        assert!(d <= least + 1e-12 && least < d + 0.03_f64.powi(2) / d.max(0.03), "{d} {least}");
        assert_eq!(foot.distance > 0.0, p.z > graph.jet(p.x, p.y).unwrap().z);
        assert_eq!(closure.closest_point(&p).unwrap(), foot);
    }
}

#[test]
fn bad_graphs_and_places_are_refused() {
    let term = |p, q, c| Term { p, q, c };
    assert!(Graph::polynomial(vec![term(1, 0, f64::NAN)], Rectangle::PLANE).is_err());
    assert!(Graph::polynomial(vec![term(99, 0, 1.0)], Rectangle::PLANE).is_err());
    let backwards = Rectangle { x: [1.0, -1.0], y: [0.0, 1.0] };
    let error = Graph::polynomial(vec![], backwards).unwrap_err().to_string();
    assert!(error.contains("least below greatest"), "{error}");
    assert!(Graph::polynomial(vec![], Rectangle { x: [f64::NAN, 1.0], y: [0.0, 1.0] }).is_err());
    assert!(matches!(saddle().jet(2.1, 0.0), Err(SurfaceError::OffMap { .. })));
    assert!(matches!(saddle().jet(f64::NAN, 0.0), Err(SurfaceError::OffMap { .. })));
    assert!(matches!(saddle().closest_point(&Point3::new(f64::NAN, 0.0, 0.0)), Err(SurfaceError::NotFinite { .. })));
    // A closure that gives nonsense is an error, not a contact.
    let broken = Graph::closure(|_, _| HeightJet { z: f64::NAN, ..HeightJet::default() }, Rectangle::PLANE).unwrap();
    assert!(matches!(broken.jet(0.0, 0.0), Err(SurfaceError::NotFinite { .. })));
    let steep = Graph::polynomial(vec![term(30, 0, 1.0)], Rectangle::PLANE).unwrap();
    assert!(steep.closest_point(&Point3::new(1e30, 0.0, 0.0)).is_err());
}
