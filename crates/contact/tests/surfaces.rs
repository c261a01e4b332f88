//! Analytic surfaces against outside opinions: dense samples, inside tests written another way, finite differences,
//! automatic differentiation of implicit functions, closed forms.
//!
//! Every check runs over one catalogue of shapes, at sizes from 1e-6 m to 1e6 m.

mod solids;

use fingerpad_contact::surface::{
    Capsule, ConvexSurface, Cylinder, Ellipsoid, HalfSpace, ParametricSurface, Revolution, RoundedBox, ShapeError,
    SmoothSurface, Sphere, Surface, SurfaceError, Torus,
};
use nalgebra::{Matrix3, Point3, SVector, Vector3};
use num_dual::{Dual2SVec64, DualNum};
use solids::*;

type Inside = Box<dyn Fn(&Point3<f64>) -> bool>;

/// A shape with what is known of it from elsewhere.
struct Case {
    name: &'static str,
    /// Largest coordinate, roughly (m).
    size: f64,
    /// Least radius of curvature, roughly (m): offsets and steps stay below.
    radius: f64,
    /// Whether curvature is continuous.
    smooth: bool,
    surface: Box<dyn Bounded>,
    /// Whether a point is in the solid, by inequalities only.
    inside: Inside,
}

fn rho(p: &Point3<f64>) -> f64 {
    p.x.hypot(p.y)
}

/// Even-odd rule on a polyline of the profile, along the ray away from the axis.
fn inside_polyline(surface: &Revolution) -> Inside {
    let end = surface.domain().v[1];
    let nodes: Vec<[f64; 2]> =
        (0..=6000).map(|k| surface.point(0.0, end * k as f64 / 6000.0)).map(|p| [p.x, p.z]).collect();
    Box::new(move |p| {
        let crossed = |w: &&[[f64; 2]]| {
            let ([r0, z0], [r1, z1]) = (w[0], w[1]);
            (z0 > p.z) != (z1 > p.z) && r0 + (r1 - r0) * (p.z - z0) / (z1 - z0) > rho(p)
        };
        nodes.windows(2).filter(crossed).count() % 2 == 1
    })
}

fn catalogue(s: f64) -> Vec<Case> {
    let mut cases = vec![
        Case {
            name: "sphere",
            size: s,
            radius: 0.7 * s,
            smooth: true,
            surface: Box::new(Sphere::new(0.7 * s).unwrap()),
            inside: Box::new(move |p| p.coords.norm_squared() < 0.49 * s * s),
        },
        Case {
            name: "torus",
            size: s,
            radius: 0.3 * s,
            smooth: true,
            surface: Box::new(Torus::new(0.7 * s, 0.3 * s).unwrap()),
            inside: Box::new(move |p| {
                let k = p.coords.norm_squared() / (s * s) + 0.49 - 0.09;
                k * k < 4.0 * 0.49 * rho(p) * rho(p) / (s * s)
            }),
        },
        Case {
            name: "capsule",
            size: s,
            radius: 0.4 * s,
            smooth: false,
            surface: Box::new(Capsule::new(0.4 * s, 0.6 * s).unwrap()),
            inside: Box::new(move |p| {
                let ball = |z: f64| (p - Point3::new(0.0, 0.0, z)).norm() < 0.4 * s;
                ball(0.6 * s) || ball(-0.6 * s) || (rho(p) < 0.4 * s && p.z.abs() <= 0.6 * s)
            }),
        },
    ];
    for (name, axes, radius) in
        [("ellipsoid", [0.9, 0.6, 0.4], 0.17), ("lens", [0.9, 0.8, 0.3], 0.1), ("rod", [0.3, 0.3, 1.0], 0.09)]
    {
        let axes = axes.map(|a| a * s);
        cases.push(Case {
            name,
            size: s,
            radius: radius * s,
            smooth: true,
            surface: Box::new(Ellipsoid::new(axes).unwrap()),
            inside: Box::new(move |p| (0..3).map(|k| (p[k] / axes[k]).powi(2)).sum::<f64>() < 1.0),
        });
    }
    // The last two have rims that meet: no cap, no side.
    for (name, R, L, e) in [
        ("cylinder", 0.5, 0.8, 0.15),
        ("disc", 0.9, 0.3, 0.2),
        ("cylinder without cap", 0.3, 0.8, 0.3),
        ("cylinder without side", 0.8, 0.3, 0.3),
    ] {
        let (R, L, e) = (R * s, L * s, e * s);
        cases.push(Case {
            name,
            size: s,
            radius: e,
            smooth: false,
            surface: Box::new(Cylinder::new(R, L, e).unwrap()),
            inside: Box::new(move |p| {
                let (r, z) = (rho(p), p.z.abs());
                (r < R && z < L - e) || (r < R - e && z < L) || (r - (R - e)).hypot(z - (L - e)) < e
            }),
        });
    }
    for (name, h, e) in [("box", [0.5, 0.7, 0.9], 0.12), ("box without x faces", [0.3, 0.5, 0.8], 0.3)] {
        let (h, e) = (Vector3::from(h) * s, e * s);
        cases.push(Case {
            name,
            size: s,
            radius: e,
            smooth: false,
            surface: Box::new(RoundedBox::new(h, e).unwrap()),
            inside: Box::new(move |p| {
                // The box less what the balls in the corners and the rods along the edges do not reach.
                let over = p.coords.abs() - h.map(|x| x - e);
                over.iter().all(|x| *x < e) && over.map(|x| x.max(0.0)).norm() < e
            }),
        });
    }
    for (name, profile, radius) in [("pear", scaled(&PEAR, s), 0.08), ("ring", ring(s), 0.06)] {
        let surface = Revolution::new(&profile).unwrap();
        let inside = inside_polyline(&surface);
        cases.push(Case { name, size: s, radius: radius * s, smooth: true, surface: Box::new(surface), inside });
    }
    cases
}

fn all_cases() -> impl Iterator<Item = Case> {
    SCALES.into_iter().flat_map(catalogue)
}

/// A query: anywhere around, close to the surface, or on the axis.
fn query(random: &mut Random, case: &Case, k: usize) -> Point3<f64> {
    match k % 4 {
        0 | 1 => random.point(1.6 * case.size),
        2 => random.on(&*case.surface) + random.point(0.05 * case.size).coords,
        _ => Point3::new(0.0, 0.0, random.between(-1.6, 1.6) * case.size),
    }
}

/// Tolerance 1e-12 of the size: some thousand times round-off, since feet of the spline are found by iteration.
#[test]
fn a_foot_is_on_the_surface_and_straight_below_the_point() {
    let mut random = Random(1);
    for case in all_cases() {
        for k in 0..400 {
            let p = query(&mut random, &case, k);
            let foot = case.surface.closest_point(&p).unwrap();
            let tolerance = 1e-12 * case.size;
            assert!((foot.nhat.norm() - 1.0).abs() < 1e-14, "{}", case.name);
            assert!((foot.p + foot.nhat * foot.distance - p).norm() < tolerance, "{} at {p}", case.name);
            let again = case.surface.closest_point(&foot.p).unwrap();
            assert!(again.distance.abs() < tolerance, "{} at {p}: {}", case.name, again.distance);
            assert!((again.p - foot.p).norm() < tolerance, "{} at {p}", case.name);
            let near = case.surface.point_near(&foot.p).unwrap();
            assert!((near.p - foot.p).norm() < tolerance && (near.nhat - foot.nhat).norm() < 1e-12, "{}", case.name);
        }
    }
}

/// Samples are at most half a cell off the foot, so the least squared distance to them exceeds d² by at most
/// cell²/4 (1 + |d|/radius); the factor is taken generously. A second foot taken for the first shows at once.
#[test]
fn distances_match_brute_force_over_samples_and_an_inside_test() {
    let mut random = Random(2);
    for case in catalogue(1.0) {
        let (domain, n) = (case.surface.domain(), 300);
        let at = |i: usize, j: usize| {
            let part = |range: [f64; 2], k: usize| range[0] + (range[1] - range[0]) * k as f64 / n as f64;
            case.surface.point(part(domain.u, i), part(domain.v, j))
        };
        let grid: Vec<Vec<Point3<f64>>> = (0..=n).map(|i| (0..=n).map(|j| at(i, j)).collect()).collect();
        let mut cell = 0.0_f64;
        for i in 0..n {
            for j in 0..n {
                cell = cell.max((grid[i][j] - grid[i + 1][j + 1]).norm());
            }
        }
        assert!(cell < 0.05, "{}: the parameters leave gaps of {cell}", case.name);
        for k in 0..60 {
            let p = query(&mut random, &case, k);
            let distance = case.surface.closest_point(&p).unwrap().distance;
            let squared = grid.iter().flatten().map(|sample| (sample - p).norm_squared()).fold(f64::INFINITY, f64::min);
            let slack = cell * cell * (1.0 + distance.abs() / case.radius);
            assert!(squared.sqrt() >= distance.abs() - 1e-12, "{} at {p}: a sample is closer", case.name);
            assert!(squared <= distance * distance + slack, "{} at {p}: {distance}, {}", case.name, squared.sqrt());
            // The polyline of the inside test sags by 1e-7.
            if distance.abs() > 1e-5 {
                assert_eq!(distance < 0.0, (case.inside)(&p), "{} at {p}: {distance}", case.name);
            }
        }
    }
}

/// Thousands of points for the inside test alone, at all sizes; it does not need the grid.
#[test]
fn the_sign_of_the_distance_agrees_with_an_inside_test() {
    let mut random = Random(3);
    for case in all_cases() {
        for k in 0..300 {
            let p = query(&mut random, &case, k);
            let distance = case.surface.closest_point(&p).unwrap().distance;
            if distance.abs() > 1e-5 * case.size {
                assert_eq!(distance < 0.0, (case.inside)(&p), "{} at {p}: {distance}", case.name);
            }
        }
    }
}

#[test]
fn parametric_points_are_on_the_surface_within_bounds_and_reach_them() {
    let mut random = Random(4);
    for case in all_cases() {
        let bounds = case.surface.bounds();
        let mut reached = [bounds.max, bounds.min];
        for _ in 0..4000 {
            let p = random.on(&*case.surface);
            assert!(case.surface.closest_point(&p).unwrap().distance.abs() < 1e-14 * case.size * 10.0, "{}", case.name);
            for k in 0..3 {
                let slack = 1e-14 * case.size;
                assert!(p[k] > bounds.min[k] - slack && p[k] < bounds.max[k] + slack, "{}", case.name);
                reached = [reached[0].inf(&p), reached[1].sup(&p)];
            }
        }
        let gap = (reached[0] - bounds.min).amax().max((reached[1] - bounds.max).amax());
        assert!(gap < 0.03 * case.size, "{}: bounds are {gap} too wide", case.name);
        // Ends of wrapped parameters are the same curve.
        let domain = case.surface.domain();
        let seam =
            case.surface.point(domain.u[0], domain.v[1] * 0.4) - case.surface.point(domain.u[1], domain.v[1] * 0.4);
        assert!(seam.norm() < 1e-14 * case.size);
        if domain.v_wraps {
            let seam = case.surface.point(1.0, domain.v[0]) - case.surface.point(1.0, domain.v[1]);
            assert!(seam.norm() < 1e-14 * case.size);
        }
    }
}

/// Central differences over h = 1e-5: truncation (h/radius)² < 1e-7, round-off 1e-15/1e-5.
#[test]
fn normals_are_the_gradient_of_the_distance() {
    let mut random = Random(5);
    for case in all_cases() {
        let (h, reach) = (1e-5 * case.size, 0.5 * case.radius);
        for _ in 0..200 {
            let on = case.surface.closest_point(&random.on(&*case.surface)).unwrap();
            let p = on.p + on.nhat * random.between(-reach, reach);
            let distance = |d: Vector3<f64>| case.surface.closest_point(&(p + d)).unwrap().distance;
            let gradient = Vector3::from_fn(|k, _| {
                let step = Vector3::ith(k, h);
                (distance(step) - distance(-step)) / (2.0 * h)
            });
            let nhat = case.surface.closest_point(&p).unwrap().nhat;
            assert!((gradient - nhat).norm() < 1e-6, "{} at {p}: {}", case.name, (gradient - nhat).norm());
        }
    }
}

/// Normals of displaced points over h = 1e-5 against Dn, both tangents. Curvature steps on C1 seams are recognised by
/// Dn itself; they may be met by chance (1 point in 10⁴) but not by C2 shapes.
#[test]
fn shape_operators_match_finite_differences_of_the_normal() {
    let mut random = Random(6);
    for case in all_cases() {
        let h = 1e-5 * case.radius;
        let (mut seams, count) = (0, 500);
        for _ in 0..count {
            let at = case.surface.point_near(&random.on(&*case.surface)).unwrap();
            assert!((at.Dn - at.Dn.transpose()).norm() == 0.0, "{}: Dn is symmetric", case.name);
            assert!((at.Dn * at.nhat).norm() * case.radius < 1e-13, "{}: Dn is projected", case.name);
            for t in tangents(&at.nhat) {
                let [ahead, behind] = [h, -h].map(|h| case.surface.point_near(&(at.p + t * h)).unwrap());
                if (ahead.Dn - behind.Dn).norm() * case.radius > 0.02 {
                    seams += 1;
                    continue;
                }
                let difference = (ahead.nhat - behind.nhat) / (2.0 * h);
                let error = (difference - at.Dn * t).norm() * case.radius;
                assert!(error < 1e-6, "{} at {}: {error}", case.name, at.p);
            }
        }
        assert!(seams <= if case.smooth { 0 } else { 3 }, "{}: {seams} seams", case.name);
    }
}

/// Dn = P Hess F P/|∇F| for an implicit function F, derivatives by dual numbers.
fn implicit_shape_operator(
    F: impl Fn(SVector<Dual2SVec64<3>, 3>) -> Dual2SVec64<3>,
    p: &Point3<f64>,
) -> (Vector3<f64>, Matrix3<f64>) {
    let (_, gradient, hessian) = num_dual::hessian(F, &p.coords);
    let nhat = gradient.normalize();
    let P = Matrix3::identity() - nhat * nhat.transpose();
    (nhat, P * hessian * P / gradient.norm())
}

/// Implicit functions know nothing of half-planes, cores and masks; the Gauss map and its derivative on the tangent plane are
/// those of (Stramigioli, §2.3).
#[test]
fn shape_operators_match_automatic_differentiation_of_implicit_functions() {
    type Field = Box<dyn Fn(SVector<Dual2SVec64<3>, 3>) -> Dual2SVec64<3>>;
    let torus = |R: f64, a: f64, z0: f64| -> Field {
        Box::new(move |p| {
            let z = p[2] - z0;
            let rho_squared = p[0].powi(2) + p[1].powi(2);
            (rho_squared + z.powi(2) + (R * R - a * a)).powi(2) - rho_squared * (4.0 * R * R)
        })
    };
    let sphere = |centre: [f64; 3], r: f64| -> Field {
        Box::new(move |p| (p[0] - centre[0]).powi(2) + (p[1] - centre[1]).powi(2) + (p[2] - centre[2]).powi(2) - r * r)
    };
    let mut random = Random(7);
    let mut check = |surface: &dyn Bounded, field: &Field, here: &dyn Fn(&Point3<f64>) -> bool| {
        let mut count = 0;
        while count < 200 {
            let at = surface.point_near(&random.on(surface)).unwrap();
            if here(&at.p) {
                let (nhat, Dn) = implicit_shape_operator(field, &at.p);
                assert!((nhat - at.nhat).norm() < 1e-12 && (Dn - at.Dn).norm() < 1e-11, "at {}", at.p);
                count += 1;
            }
        }
    };
    check(&Sphere::new(0.7).unwrap(), &sphere([0.0; 3], 0.7), &|_| true);
    check(&Torus::new(0.7, 0.3).unwrap(), &torus(0.7, 0.3, 0.0), &|_| true);
    let ellipsoid: Field = Box::new(|p| (p[0] / 0.9).powi(2) + (p[1] / 0.6).powi(2) + (p[2] / 0.4).powi(2) - 1.0);
    check(&Ellipsoid::new([0.9, 0.6, 0.4]).unwrap(), &ellipsoid, &|_| true);
    // Upper rim of a cylinder, one corner of a box, the side and an end of a capsule.
    let rim = |p: &Point3<f64>| rho(p) > 0.351 && p.z > 0.651;
    check(&Cylinder::new(0.5, 0.8, 0.15).unwrap(), &torus(0.35, 0.15, 0.65), &rim);
    let corner = |p: &Point3<f64>| p.x > 0.301 && p.y < -0.501 && p.z > 0.701;
    let rounded = RoundedBox::new(Vector3::new(0.5, 0.7, 0.9), 0.2).unwrap();
    check(&rounded, &sphere([0.3, -0.5, 0.7], 0.2), &corner);
    let capsule = Capsule::new(0.4, 0.6).unwrap();
    check(&capsule, &sphere([0.0, 0.0, -0.6], 0.4), &|p| p.z < -0.601);
    let side: Field = Box::new(|p| p[0].powi(2) + p[1].powi(2) - 0.16);
    check(&capsule, &side, &|p| p.z.abs() < 0.599);
}

#[test]
fn known_curvatures_are_met() {
    let close = |surface: &dyn SmoothSurface, p: [f64; 3], expected: [f64; 2]| {
        let got = principal(&surface.point_near(&p.into()).unwrap());
        let error = (got[0] - expected[0]).abs().max((got[1] - expected[1]).abs());
        assert!(error < 1e-12, "at {p:?}: expected {expected:?}, got {got:?}");
    };
    let torus = Torus::new(0.7, 0.3).unwrap();
    close(&torus, [1.0, 0.0, 0.0], [1.0, 1.0 / 0.3]);
    close(&torus, [0.0, -0.4, 0.0], [-1.0 / 0.4, 1.0 / 0.3]);
    close(&torus, [0.0, 0.7, 0.3], [0.0, 1.0 / 0.3]);
    let cylinder = Cylinder::new(0.5, 0.8, 0.1).unwrap();
    close(&cylinder, [0.3, 0.4, 0.2], [0.0, 2.0]);
    close(&cylinder, [0.1, 0.2, -0.8], [0.0, 0.0]);
    // Half-way around the rim: n_r = √½.
    let n = 0.5_f64.sqrt();
    close(&cylinder, [0.4 + 0.1 * n, 0.0, 0.7 + 0.1 * n], [n / (0.4 + 0.1 * n), 10.0]);
    // Rims that meet make a round pole.
    close(&Cylinder::new(0.5, 0.8, 0.5).unwrap(), [0.0, 0.0, 0.8], [2.0, 2.0]);
    close(&Cylinder::new(0.8, 0.5, 0.5).unwrap(), [0.8, 0.0, 0.0], [1.0 / 0.8, 2.0]);
    let capsule = Capsule::new(0.5, 0.6).unwrap();
    close(&capsule, [0.3, 0.4, 0.2], [0.0, 2.0]);
    close(&capsule, [0.0, 0.0, -1.1], [2.0, 2.0]);
    let rounded = RoundedBox::new(Vector3::new(0.5, 0.7, 0.9), 0.2).unwrap();
    close(&rounded, [0.5, 0.1, 0.1], [0.0, 0.0]);
    close(&rounded, [0.3 + 0.2 * n, 0.5 + 0.2 * n, 0.1], [0.0, 5.0]);
    close(&rounded, [1.0, 1.2, -1.4], [5.0, 5.0]);
    close(&RoundedBox::new(Vector3::new(0.3, 0.3, 0.8), 0.3).unwrap(), [0.3, 0.0, 0.1], [0.0, 1.0 / 0.3]);
    close(&HalfSpace, [3.0, -2.0, 0.5], [0.0, 0.0]);
}

#[test]
fn the_half_space_is_below_its_plane() {
    for z in [-3.0, 0.0, 1e-9, 4.0] {
        let foot = HalfSpace.closest_point(&Point3::new(1.0, -2.0, z)).unwrap();
        assert_eq!((foot.p, foot.nhat, foot.distance), (Point3::new(1.0, -2.0, 0.0), Vector3::z(), z));
    }
    let bounds = HalfSpace.bounds();
    assert!(!bounds.is_finite() && bounds.max.z == 0.0);
}

#[test]
fn support_points_are_on_the_surface_and_beat_every_sample() {
    fn check(shape: &(impl Bounded + ConvexSurface), size: f64) {
        let mut random = Random(8);
        let samples: Vec<Point3<f64>> = (0..20_000).map(|_| random.on(shape)).collect();
        let axes = (0..3).flat_map(|k| [Vector3::ith(k, 2.0), Vector3::ith(k, -2.0)]);
        let edges = [Vector3::new(1.0, -1.0, 0.0), Vector3::new(0.0, 3.0, 1.0), Vector3::new(1e-200, 1e-200, 0.0)];
        let others: Vec<Vector3<f64>> = (0..40).map(|_| random.point(1.0).coords).collect();
        for d in axes.chain(edges).chain(others) {
            let p = shape.support(&d);
            let d = (d / d.amax()).normalize();
            assert!(shape.closest_point(&p).unwrap().distance.abs() < 1e-14 * size, "{d}");
            let best = samples.iter().map(|q| q.coords.dot(&d)).fold(f64::NEG_INFINITY, f64::max);
            let got = p.coords.dot(&d);
            assert!(got >= best - 1e-14 * size && got <= best + 0.01 * size, "{d}: {got} {best}");
        }
        assert!(shape.support(&Vector3::zeros()).coords.norm().is_finite());
    }
    for s in SCALES {
        check(&Sphere::new(0.7 * s).unwrap(), s);
        check(&Capsule::new(0.4 * s, 0.6 * s).unwrap(), s);
        check(&Ellipsoid::new([0.9 * s, 0.6 * s, 0.4 * s]).unwrap(), s);
        for (R, L, e) in [(0.5, 0.8, 0.15), (0.3, 0.8, 0.3), (0.8, 0.3, 0.3)] {
            check(&Cylinder::new(R * s, L * s, e * s).unwrap(), s);
        }
        check(&RoundedBox::new(Vector3::new(0.5, 0.7, 0.9) * s, 0.12 * s).unwrap(), s);
        check(&RoundedBox::new(Vector3::new(0.3, 0.5, 0.8) * s, 0.3 * s).unwrap(), s);
    }
}

/// 1/(least radius) is the greatest eigenvalue of Dn met over the surface.
#[test]
fn the_least_radius_is_the_inverse_of_the_greatest_curvature() {
    fn check(shape: &(impl Bounded + ConvexSurface)) {
        let mut random = Random(9);
        let greatest = (0..5000)
            .map(|_| principal(&shape.point_near(&random.on(shape)).unwrap())[1])
            .fold(f64::NEG_INFINITY, f64::max);
        assert!((greatest * shape.least_radius() - 1.0).abs() < 1e-10, "{greatest} {}", shape.least_radius());
    }
    check(&Sphere::new(0.7).unwrap());
    check(&Capsule::new(0.4, 0.6).unwrap());
    // An ellipsoid has its extremes at single points: those of the longest and of the shortest axis.
    let ellipsoid = Ellipsoid::new([0.9, 0.6, 0.4]).unwrap();
    let at = |p: [f64; 3]| principal(&ellipsoid.point_near(&Point3::from(p)).unwrap());
    assert!((at([0.9, 0.0, 0.0])[1] * ellipsoid.least_radius() - 1.0).abs() < 1e-14);
    assert!((at([0.0, 0.0, 0.4])[0] * ellipsoid.largest_radius() - 1.0).abs() < 1e-14);
    check(&Cylinder::new(0.5, 0.8, 0.15).unwrap());
    check(&Cylinder::new(0.3, 0.8, 0.3).unwrap());
    check(&RoundedBox::new(Vector3::new(0.5, 0.7, 0.9), 0.12).unwrap());
}

/// Centres, axes, the central circle of the torus, denormals and points near the end of the number range.
#[test]
fn singular_and_extreme_points_have_a_finite_foot() {
    let tiny = f64::from_bits(1);
    for case in all_cases() {
        let s = case.size;
        let points = [
            [0.0, 0.0, 0.0],
            [-0.0, -0.0, -0.0],
            [0.0, 0.0, 0.3 * s],
            [0.0, 0.0, -5.0 * s],
            [0.7 * s, 0.0, 0.0],
            [0.0, -0.7 * s, 0.0],
            [tiny, -tiny, tiny],
            [1e-200, 1e-190, -1e-300],
            [1e200, 1e199, -1e200],
            [-1e307, 0.0, 0.0],
            [0.0, 0.0, 1e307],
            [3e40, -1e41, 2e40],
        ];
        for p in points.map(Point3::from) {
            let foot = case.surface.closest_point(&p).unwrap();
            let at = case.surface.point_near(&p).unwrap();
            assert!((foot.nhat.norm() - 1.0).abs() < 1e-14, "{} at {p}", case.name);
            assert!(foot.distance.is_finite() && at.Dn.iter().all(|x| x.is_finite()), "{} at {p}", case.name);
            assert!(case.surface.closest_point(&foot.p).unwrap().distance.abs() < 1e-13 * s, "{} at {p}", case.name);
            // Compared with the length of the largest number involved.
            let scale = p.coords.amax().max(s);
            let back = (foot.p.coords / scale + foot.nhat * (foot.distance / scale)) - p.coords / scale;
            assert!(back.norm() < 1e-13, "{} at {p}: {}", case.name, back.norm());
        }
    }
}

/// From far away the foot is the support point of the direction: the sampled maximum of d·p.
#[test]
fn feet_of_far_points_are_extreme_in_their_direction() {
    let mut random = Random(10);
    for case in catalogue(1.0) {
        let samples: Vec<Point3<f64>> = (0..20_000).map(|_| random.on(&*case.surface)).collect();
        for distance in [1e5, 1e9, 1e15, 1e30, 1e160] {
            let d = random.point(1.0).coords.normalize();
            let foot = case.surface.closest_point(&Point3::from(d * distance)).unwrap();
            let best = samples.iter().map(|q| q.coords.dot(&d)).fold(f64::NEG_INFINITY, f64::max);
            let got = foot.p.coords.dot(&d);
            assert!(got > best - 1e-5 && got < best + 0.01, "{} from {distance}: {got} {best}", case.name);
            assert!((foot.nhat - d).norm() < 1e-4, "{} from {distance}", case.name);
        }
    }
}

#[test]
fn points_that_are_not_finite_are_refused() {
    let mut surfaces: Vec<(&str, Box<dyn SmoothSurface>)> = vec![("half-space", Box::new(HalfSpace))];
    surfaces.push(("sphere", Box::new(Sphere::new(1.0).unwrap())));
    surfaces.push(("torus", Box::new(Torus::new(1.0, 0.5).unwrap())));
    surfaces.push(("ellipsoid", Box::new(Ellipsoid::new([1.0, 0.5, 0.2]).unwrap())));
    surfaces.push(("capsule", Box::new(Capsule::new(1.0, 0.5).unwrap())));
    surfaces.push(("cylinder", Box::new(Cylinder::new(1.0, 0.5, 0.1).unwrap())));
    surfaces.push(("box", Box::new(RoundedBox::new(Vector3::repeat(1.0), 0.5).unwrap())));
    surfaces.push(("pear", Box::new(Revolution::new(&PEAR).unwrap())));
    for (name, surface) in &surfaces {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for k in 0..3 {
                let mut p = Point3::new(0.1, 0.2, 0.3);
                p[k] = bad;
                let refused = |e: SurfaceError| matches!(e, SurfaceError::NotFinite { .. });
                assert!(surface.closest_point(&p).is_err_and(refused), "{name}");
                assert!(surface.point_near(&p).is_err_and(refused), "{name}");
            }
        }
    }
}

#[test]
fn sizes_that_make_no_body_are_refused_by_name() {
    fn message<T: std::fmt::Debug>(made: Result<T, ShapeError>) -> String {
        made.unwrap_err().to_string()
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let must = |name: &str| format!("{name} must be positive and finite, got {bad} m");
        assert_eq!(message(Sphere::new(bad)), must("radius of the sphere"));
        assert_eq!(message(Ellipsoid::new([1.0, bad, 1.0])), must("semi-axis of the ellipsoid"));
        assert_eq!(message(Cylinder::new(bad, 1.0, 0.1)), must("radius of the cylinder"));
        assert_eq!(message(Cylinder::new(1.0, bad, 0.1)), must("half length of the cylinder"));
        assert_eq!(message(Cylinder::new(1.0, 1.0, bad)), must("edge radius of the cylinder"));
        assert_eq!(message(Capsule::new(bad, 1.0)), must("radius of the capsule"));
        assert_eq!(message(Capsule::new(1.0, bad)), must("half length of the capsule"));
        assert_eq!(message(Torus::new(bad, 1.0)), must("major radius of the torus"));
        assert_eq!(message(Torus::new(1.0, bad)), must("minor radius of the torus"));
        for k in 0..3 {
            let mut half = Vector3::repeat(1.0);
            half[k] = bad;
            assert_eq!(message(RoundedBox::new(half, 0.1)), must("half extent of the rounded box"));
        }
        assert_eq!(message(RoundedBox::new(Vector3::repeat(1.0), bad)), must("edge radius of the rounded box"));
    }
    assert_eq!(
        message(Torus::new(1.0, 1.0)),
        "minor radius of the torus: expected less than the major radius, 1 m, got 1 m"
    );
    assert_eq!(
        message(Cylinder::new(2.0, 1.0, 1.5)),
        "edge radius of the cylinder: expected at most the lesser of radius and half length, 1 m, got 1.5 m"
    );
    assert!(message(Cylinder::new(1.0, 2.0, 1.5)).contains("edge radius of the cylinder"));
    assert_eq!(
        message(RoundedBox::new(Vector3::new(3.0, 1.0, 2.0), 1.25)),
        "edge radius of the rounded box: expected at most the least half extent, 1 m, got 1.25 m"
    );
}

#[test]
fn sizes_can_be_read_back() {
    assert_eq!(Sphere::new(2.0).unwrap().radius(), 2.0);
    let cylinder = Cylinder::new(3.0, 2.0, 1.0).unwrap();
    assert_eq!((cylinder.radius(), cylinder.half_length(), cylinder.edge_radius()), (3.0, 2.0, 1.0));
    let capsule = Capsule::new(3.0, 2.0).unwrap();
    assert_eq!((capsule.radius(), capsule.half_length()), (3.0, 2.0));
    let torus = Torus::new(3.0, 2.0).unwrap();
    assert_eq!((torus.major_radius(), torus.minor_radius()), (3.0, 2.0));
    let rounded = RoundedBox::new(Vector3::new(1.0, 2.0, 3.0), 0.5).unwrap();
    assert_eq!((rounded.half_extents(), rounded.edge_radius()), (Vector3::new(1.0, 2.0, 3.0), 0.5));
    let pear = Revolution::new(&PEAR).unwrap();
    assert!(pear.points() == PEAR && !pear.is_closed() && pear.knots().len() == 7);
}
