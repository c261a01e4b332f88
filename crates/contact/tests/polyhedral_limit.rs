//! Polyhedral friction limits against the table of inradii, the ellipsoid, and nearest points by brute force.

mod friction;

use fingerpad_contact::friction::{Ellipsoid, FrictionLimit, Polyhedral, SphereSampling, TangentialStiffness};
use friction::Dice;
use nalgebra::Vector3;
use serde_json::Value;

/// Counts and inradii of rings and spirals as another program found them.
#[test]
fn samplings_match_the_table_of_inradii() {
    let file: Value = serde_json::from_str(include_str!("oracle/soft_contact_tables.json")).unwrap();
    for row in file["discretisation"].as_array().unwrap() {
        let number = |key: &str| row[key].as_u64().unwrap() as usize;
        let sampling = match row["kind"].as_str().unwrap() {
            "rings" => SphereSampling::rings(number("nphi"), number("nlat")),
            _ => SphereSampling::fibonacci(number("u")),
        };
        assert_eq!(sampling.points().len(), number("u"));
        let (found, expected) = (sampling.inradius(), row["inradius"].as_f64().unwrap());
        println!("{row} {found}");
        // Both programs compute planes through points on a sphere: rounding over the smallest facet.
        assert!((found - expected).abs() < 1e-9, "{row}: {found}");
        assert!((sampling.inner_error() - row["max_error"].as_f64().unwrap()).abs() < 1e-9);
    }
    assert_eq!(SphereSampling::rings(8, 3).points().len(), 42);
    assert_eq!(SphereSampling::rings(12, 4).points().len(), 86);
    assert!((SphereSampling::rings(12, 4).inner_error() - 0.051).abs() < 5e-4, "printed as 5.1 %");
}

/// Facets, edges and vertices of a closed convex surface, and every point on the right side of every facet.
#[test]
fn hulls_are_closed_and_hold_all_points() {
    for sampling in [
        SphereSampling::rings(4, 1),
        SphereSampling::rings(8, 3),
        SphereSampling::rings(7, 2),
        SphereSampling::fibonacci(42),
        SphereSampling::fibonacci(4),
    ] {
        let mut corners = 0;
        for facet in sampling.facets() {
            let on = |p: &&Vector3<f64>| (facet.normal.dot(p) - facet.distance).abs() < 1e-9;
            corners += sampling.points().iter().filter(on).count();
            assert!(sampling.points().iter().all(|p| facet.normal.dot(p) <= facet.distance + 1e-9));
        }
        // Euler: V − E + F = 2, every edge belongs to two facets.
        assert_eq!(sampling.points().len() + sampling.facets().len(), 2 + corners / 2);
    }
}

/// Inside the ellipsoid by no more than the inner error, and exact where the rings have points.
#[test]
fn gauge_lies_between_the_ellipsoid_and_its_inner_error() {
    let sampling = SphereSampling::rings(8, 3);
    let (limit, ellipsoid) = (Polyhedral::new(&sampling, 0.6, 2e-3, 5.0), Ellipsoid::isotropic(0.6, 2e-3, 5.0));
    let mut dice = Dice(1);
    for _ in 0..1000 {
        let load = Vector3::new(dice.between(-3.0, 3.0), dice.between(-3.0, 3.0), dice.between(-6e-3, 6e-3));
        let (outer, inner) = (ellipsoid.gauge(&load), limit.gauge(&load));
        assert!(inner >= outer * (1.0 - 1e-12) && inner <= outer / (1.0 - limit.inner_error()) * (1.0 + 1e-12));
    }
    for load in [Vector3::new(3.0, 0.0, 0.0), Vector3::new(0.0, -3.0, 0.0), Vector3::new(0.0, 0.0, 6e-3)] {
        assert!((limit.gauge(&load) - 1.0).abs() < 1e-12);
    }
    for (column, point) in limit.columns().iter().zip(sampling.points()) {
        assert_eq!(*column, [point.x, point.y, 2e-3 * point.z]);
        assert!((limit.gauge(&(Vector3::from(*column) * 3.0)) - 1.0).abs() < 1e-12);
    }
}

/// Projections: on the limit, K slip = trial − load, and the slip is normal: no vertex lies beyond the plane through the
/// load (the variational inequality of a nearest point).
#[test]
fn projections_are_nearest_in_energy() {
    let mut dice = Dice(2);
    for sampling in [SphereSampling::rings(8, 3), SphereSampling::rings(12, 4), SphereSampling::fibonacci(60)] {
        let limit = Polyhedral::new(&sampling, 0.6, 2e-3, 5.0);
        let stiffness = TangentialStiffness { k: nalgebra::Matrix2::new(2e4, 3e3, 3e3, 1e4), k_theta: 0.05 };
        for _ in 0..500 {
            let trial = Vector3::new(dice.between(-9.0, 9.0), dice.between(-9.0, 9.0), dice.between(-0.02, 0.02));
            let found = limit.project(&trial, &stiffness);
            if limit.contains(&trial) {
                assert_eq!(found.slip, Vector3::zeros());
                continue;
            }
            assert!((limit.gauge(&found.load) - 1.0).abs() < 1e-9, "{}", limit.gauge(&found.load));
            assert!((stiffness.matrix() * found.slip + found.load - trial).norm() < 1e-12);
            let power = found.slip.dot(&found.load);
            for column in limit.columns() {
                assert!(found.slip.dot(&Vector3::from(column)) * 3.0 <= power * (1.0 + 1e-9), "{trial:?}");
            }
            // The vertex against the slip dissipates as much as the load does.
            assert!((limit.load_against(&-found.slip).dot(&found.slip) - power).abs() <= 1e-9 * power);
        }
    }
}

/// No load, no friction; what is no number comes back at once.
#[test]
fn empty_limits_and_bad_values_end() {
    let sampling = SphereSampling::rings(8, 3);
    let none = Polyhedral::new(&sampling, 0.6, 2e-3, 0.0);
    let stiffness = TangentialStiffness::isotropic(1e4, 0.1);
    let trial = Vector3::new(1.0, 2.0, 0.01);
    assert_eq!(none.load_against(&trial), Vector3::zeros());
    assert!(none.project(&trial, &stiffness).load.norm() < 1e-15);
    assert_eq!(none.gauge(&trial), f64::INFINITY);
    let limit = Polyhedral::new(&sampling, 0.6, 2e-3, 1.0);
    assert!(limit.gauge(&Vector3::new(f64::NAN, 0.0, 0.0)).is_nan());
    let _ = limit.project(&Vector3::new(f64::NAN, 0.0, 0.0), &stiffness);
}
