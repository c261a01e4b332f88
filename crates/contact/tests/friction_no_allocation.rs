//! Friction limits answer without the heap: counted by the allocator itself.

mod allocations;

use fingerpad_contact::friction::{
    FlatContact, FrictionLimit, LimitSurface, LinearPressure, Polygon, TangentialStiffness,
};
use nalgebra::{Vector2, Vector3};

/// Building, evaluating, gauging and projecting, the first call with its tables included.
#[test]
fn friction_limits_do_not_allocate() {
    let stiffness = TangentialStiffness::isotropic(2e4, 0.1);
    let corners =
        [(-1.0, -0.6), (0.9, -0.8), (1.2, 0.1), (0.3, 0.9), (-0.8, 0.7)].map(|(x, y)| Vector2::new(x, y) * 3e-3);
    let before = allocations::count();
    let mut total = 0.0;
    for i in 0..200 {
        let u = f64::from(i);
        let (k, b) = ([0.0, 0.5, 0.8, 1.0][i as usize % 4], 3e-3 / (1.0 + 0.05 * u));
        let surface = LimitSurface::new(3e-3, b, k, 0.6, 5.0);
        let trial = Vector3::new(3.0 * u.cos(), 3.0 * u.sin(), 8e-3 * (0.3 * u).sin());
        let found = surface.project(&trial, &stiffness);
        total += surface.gauge(&trial) + surface.project_from(&trial, &stiffness, &found.slip).load.x;
        let centre = Vector2::new(1.5e-3 * u.cos(), 1e-3 * u.sin());
        let outline = Polygon::new(&corners).unwrap();
        let flat = FlatContact::new(LinearPressure::from_load(&outline, 5.0, &centre).unwrap(), 0.6);
        total += flat.gauge(&trial) + flat.project(&trial, &stiffness).load.y + flat.median().x;
    }
    assert!(total.is_finite());
    assert_eq!(allocations::count() - before, 0);
}
