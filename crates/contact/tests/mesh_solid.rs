//! Meshes as solids: what checking changes, mass, signed distance and the tree under it.
//!
//! Opinions: closed forms of cube, tetrahedron, sphere and torus, sums over all triangles, counts of ray crossings.

mod common;

use std::f64::consts::PI;

use common::Random;
use fingerpad_contact::surface::mesh::{
    Bvh, InsideRule, MassError, MassProperties, MeshError, MeshSolid, MeshWarning, Region, TriangleMesh,
    closest_on_triangle,
};
use fingerpad_contact::surface::{Bounds, RoundedBox, Sphere, Surface, Torus};
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Vector3};

type Soup = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// A box with two triangles on each side.
fn cuboid(half: Vector3<f64>) -> Soup {
    let corner = |k: u32| {
        let sign = |bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        Point3::new(half.x * sign(0), half.y * sign(1), half.z * sign(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    ((0..8).map(corner).collect(), faces)
}

/// An icosahedron whose triangles were quartered `levels` times, on the unit sphere.
fn icosphere(levels: u32) -> Soup {
    let g = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut points: Vec<Point3<f64>> = Vec::new();
    for (a, b) in [(1.0, g), (-1.0, g), (1.0, -g), (-1.0, -g)] {
        points.extend([Point3::new(0.0, a, b), Point3::new(a, b, 0.0), Point3::new(b, 0.0, a)]);
    }
    points.iter_mut().for_each(|p| *p = Point3::from(p.coords.normalize()));
    let edge2 = (points[0] - points[3]).norm_squared();
    let near = |a: usize, b: usize| ((points[a] - points[b]).norm_squared() / edge2 - 1.0).abs() < 1e-9;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let [p, q, r] = [a, b, c].map(|k| points[k].coords);
                    let out = (q - p).cross(&(r - p)).dot(&p) > 0.0;
                    faces.push(if out { [a as u32, b as u32, c as u32] } else { [a as u32, c as u32, b as u32] });
                }
            }
        }
    }
    for _ in 0..levels {
        let mut middle = std::collections::HashMap::new();
        let mut split = Vec::new();
        for [a, b, c] in faces {
            let mut half = |a: u32, b: u32| {
                *middle.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let p = points[a as usize].coords + points[b as usize].coords;
                    points.push(Point3::from(p.normalize()));
                    points.len() as u32 - 1
                })
            };
            let [ab, bc, ca] = [half(a, b), half(b, c), half(c, a)];
            split.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        faces = split;
    }
    (points, faces)
}

/// A torus around z with the radii of `Torus`, nu × nv quads.
fn torus(major: f64, minor: f64, nu: u32, nv: u32) -> Soup {
    let point = |k: u32| {
        let (u, v) = (2.0 * PI * f64::from(k / nv) / f64::from(nu), 2.0 * PI * f64::from(k % nv) / f64::from(nv));
        let r = major + minor * v.cos();
        Point3::new(r * u.cos(), r * u.sin(), minor * v.sin())
    };
    let at = |i: u32, j: u32| (i % nu) * nv + j % nv;
    let quad = |k: u32| {
        let (i, j) = (k / nv, k % nv);
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    ((0..nu * nv).map(point).collect(), (0..nu * nv).flat_map(quad).collect())
}

/// A ball with spikes and dents of random depth: sharp convex, concave and saddle vertices everywhere.
fn crumpled(levels: u32, seed: u64) -> Soup {
    let mut random = Random(seed);
    let (mut points, faces) = icosphere(levels);
    points.iter_mut().for_each(|p| *p = Point3::from(p.coords * random.between(0.35, 1.0)));
    (points, faces)
}

fn mesh((vertices, faces): Soup) -> TriangleMesh {
    let (mesh, warnings) = TriangleMesh::new(vertices, faces).unwrap();
    assert_eq!(warnings, []);
    mesh
}

/// The same triangles, no two sharing a vertex.
fn unshared((vertices, faces): &Soup) -> Soup {
    let corners: Vec<Point3<f64>> = faces.iter().flatten().map(|&v| vertices[v as usize]).collect();
    (corners, (0..faces.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]).collect())
}

fn append(all: &mut Soup, (vertices, faces): Soup) {
    let offset = all.0.len() as u32;
    all.0.extend(vertices);
    all.1.extend(faces.into_iter().map(|f| f.map(|v| v + offset)));
}

fn turned((vertices, faces): Soup) -> Soup {
    (vertices, faces.into_iter().map(|[a, b, c]| [a, c, b]).collect())
}

fn moved((vertices, faces): Soup, X: &Isometry3<f64>, scale: f64) -> Soup {
    (vertices.into_iter().map(|p| X * (p * scale)).collect(), faces)
}

fn shift(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// Nearest distance by looking at every triangle, and inside by the parity of rays in several directions.
fn brute_force(mesh: &TriangleMesh, bvh_free_rays: &[Vector3<f64>], p: &Point3<f64>) -> f64 {
    let nearest = mesh.triangles().map(|t| closest_on_triangle(p, &t).2).fold(f64::INFINITY, f64::min).sqrt();
    // Majority of odd crossings over directions; triple products, no tree.
    let odd = bvh_free_rays.iter().filter(|d| {
        let crossed = mesh.triangles().filter(|t| {
            let [a, b, c] = t.map(|q| q - p);
            let sides = [d.dot(&a.cross(&b)), d.dot(&b.cross(&c)), d.dot(&c.cross(&a))];
            let n = (b - a).cross(&(c - a));
            (sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)) && n.dot(&a) * n.dot(d) > 0.0
        });
        crossed.count() % 2 == 1
    });
    if 2 * odd.count() > bvh_free_rays.len() { -nearest } else { nearest }
}

// ---- checking -------------------------------------------------------------------------------------------------

#[test]
fn unusable_meshes_are_refused_with_the_place() {
    let (vertices, faces) = cuboid(Vector3::repeat(1.0));
    let text = |v: Vec<Point3<f64>>, f: Vec<[u32; 3]>| TriangleMesh::new(v, f).unwrap_err().to_string();
    let mut bad = vertices.clone();
    bad[3].y = f64::NAN;
    assert!(text(bad, faces.clone()).starts_with("vertex 3 must be finite"));
    let mut bad = vertices.clone();
    bad[7].z = f64::INFINITY;
    assert!(text(bad, faces.clone()).starts_with("vertex 7"));
    let mut bad = faces.clone();
    bad[5][1] = 8;
    assert_eq!(text(vertices.clone(), bad), "triangle 5 names vertex 8, but there are 8 vertices (counted from 0)");
    assert_eq!(TriangleMesh::new(vertices.clone(), vec![]), Err(MeshError::Empty { got: 0 }));
    assert_eq!(TriangleMesh::new(vertices, vec![[0, 0, 1]]), Err(MeshError::Empty { got: 1 }));
}

#[test]
fn flat_and_double_triangles_are_dropped_and_counted() {
    let (vertices, mut faces) = cuboid(Vector3::repeat(1.0));
    let clean = faces.clone();
    let [a, b, c] = faces[2];
    faces.insert(0, [4, 4, 5]);
    faces.push([b, c, a]);
    let (made, warnings) = TriangleMesh::new(vertices, faces).unwrap();
    assert_eq!(made.faces(), clean);
    assert_eq!(warnings, [MeshWarning::ZeroArea { count: 1 }, MeshWarning::Duplicates { count: 1 }]);
}

#[test]
fn triangles_that_share_places_are_welded_even_across_the_sign_of_zero() {
    let (mut vertices, faces) = unshared(&moved(cuboid(Vector3::repeat(1.0)), &shift(1.0, 1.0, 1.0), 1.0));
    for (k, p) in vertices.iter_mut().enumerate() {
        if k % 2 == 0 && p.x == 0.0 {
            p.x = -0.0;
        }
    }
    let (made, warnings) = TriangleMesh::new(vertices, faces).unwrap();
    assert_eq!(made.vertices().len(), 8);
    assert_eq!(warnings, [MeshWarning::Welded { count: 28 }]);
    assert!(MeshSolid::new(made).is_manifold());
}

/// Two cubes along one edge: by place, that edge has four triangles. Would catch welding by place alone.
#[test]
fn bodies_that_touch_along_an_edge_stay_two() {
    let cube = || cuboid(Vector3::repeat(1.0));
    let mut both = cube();
    append(&mut both, moved(cube(), &shift(2.0, 2.0, 0.0), 1.0));
    // As stored each is closed; as single triangles they must be put together again.
    for (soup, welded) in [(both.clone(), 0), (unshared(&both), 56)] {
        let (made, warnings) = TriangleMesh::new(soup.0, soup.1).unwrap();
        assert_eq!(made.vertices().len(), 16);
        let mut expected = vec![MeshWarning::Welded { count: welded }, MeshWarning::LeftApart { count: 2 }];
        expected.retain(|w| *w != MeshWarning::Welded { count: 0 });
        assert_eq!(warnings, expected);
        let solid = MeshSolid::new(made);
        assert!(solid.is_watertight() && solid.is_manifold());
    }
    // Stored with the edge shared it cannot be helped, only told.
    let place = |p: &Point3<f64>| both.0.iter().position(|q| q == p).unwrap() as u32;
    let faces = both.1.iter().map(|f| f.map(|v| place(&both.0[v as usize]))).collect();
    let (made, warnings) = TriangleMesh::new(both.0.clone(), faces).unwrap();
    let told = [MeshWarning::UnusedVertices { count: 2 }, MeshWarning::NonManifoldEdges { count: 1 }];
    assert_eq!(warnings, told);
    let solid = MeshSolid::new(made);
    assert!(solid.is_watertight() && !solid.is_manifold());
    // Signs near the shared edge, where there are no pseudo-normals.
    for (x, y, inside) in [(0.9, 0.9, true), (1.1, 1.1, true), (0.9, 1.1, false), (1.1, 0.9, false)] {
        let foot = solid.closest_point(&Point3::new(x, y, 0.3)).unwrap();
        assert_eq!(foot.distance < 0.0, inside, "{foot:?}");
        assert!((foot.distance.abs() - 0.1).abs() < 1e-12);
    }
    assert!((MassProperties::of(solid.mesh()).unwrap().volume - 16.0).abs() < 1e-12);
}

/// A corner stored twice, with two triangles collapsed between the copies, as decimation leaves them.
#[test]
fn collapsed_triangles_vanish_with_the_vertex_they_doubled() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]];
    let faces = vec![[4, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3], [2, 4, 0], [4, 1, 0]];
    let (made, warnings) = TriangleMesh::new(points.map(Point3::from).to_vec(), faces).unwrap();
    assert_eq!(warnings, [MeshWarning::Welded { count: 1 }, MeshWarning::ZeroArea { count: 2 }]);
    assert_eq!((made.vertices().len(), made.faces().len()), (4, 4));
    assert!(MeshSolid::new(made).is_manifold());
}

/// A corner cut by a triangle between three places on one line: no area, but it closes two edges.
#[test]
fn a_seam_without_area_does_not_open_a_mesh() {
    let (mut vertices, mut faces) = cuboid(Vector3::repeat(1.0));
    // Middle of the edge 4-5; one neighbour is split there, the other keeps the long edge, the seam lies between.
    vertices.push(Point3::new(0.0, -1.0, 1.0));
    let k = faces.iter().position(|f| *f == [4, 5, 7]).unwrap();
    faces[k] = [4, 8, 7];
    faces.push([8, 5, 7]);
    faces.push([4, 5, 8]);
    let (made, warnings) = TriangleMesh::new(vertices, faces).unwrap();
    assert_eq!(warnings, [MeshWarning::ZeroArea { count: 1 }]);
    assert!((MassProperties::of(&made).unwrap().volume - 8.0).abs() < 1e-14);
    let solid = MeshSolid::new(made);
    assert!(solid.is_watertight() && !solid.is_manifold());
    let exact = RoundedBox::new(Vector3::repeat(1.0), 1e-12).unwrap();
    let mut random = Random(5);
    for _ in 0..2000 {
        let p = Point3::from(random.vector() * 0.4) + Vector3::new(0.0, -1.0, 1.0);
        let (got, want) = (solid.closest_point(&p).unwrap(), exact.closest_point(&p).unwrap());
        assert!((got.distance - want.distance).abs() < 1e-11, "{p}: {got:?} {want:?}");
    }
}

#[test]
fn a_mesh_inside_out_is_turned_and_a_cavity_is_not() {
    let (vertices, faces) = turned(icosphere(1));
    let (made, warnings) = TriangleMesh::new(vertices, faces).unwrap();
    assert_eq!(warnings, [MeshWarning::InsideOut]);
    assert!(MeshSolid::new(made).closest_point(&Point3::origin()).unwrap().distance < -0.7);

    let mut shell = icosphere(2);
    append(&mut shell, turned(moved(icosphere(2), &Isometry3::identity(), 0.5)));
    let solid = MeshSolid::new(mesh(shell));
    for (r, sign) in [(0.0, 1.0), (0.4, 1.0), (0.55, -1.0), (0.7, -1.0), (0.9, -1.0), (1.2, 1.0)] {
        let d = solid.closest_point(&Point3::new(0.3 * r, -0.9 * r, 0.1 * r)).unwrap().distance;
        assert_eq!(d.signum(), sign, "at {r}: {d}");
    }
}

// ---- mass -----------------------------------------------------------------------------------------------------

/// Closed forms; round-off of some hundred terms.
#[test]
fn cube_and_tetrahedron_have_their_textbook_mass() {
    let half = Vector3::new(0.5, 1.0, 1.5);
    let mass = MassProperties::of(&mesh(moved(cuboid(half), &shift(7.0, -3.0, 2.0), 1.0))).unwrap();
    assert!((mass.volume - 6.0).abs() < 1e-13);
    assert!((mass.centre - Point3::new(7.0, -3.0, 2.0)).norm() < 1e-14);
    let expected = Matrix3::from_diagonal(&Vector3::new(4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0)) * (6.0 / 12.0);
    assert!((mass.inertia - expected).norm() < 1e-13);

    // Corner tetrahedron with legs 1: V = 1/6, centre 1/4, I about the centre = V (3/40, off-diagonal 1/80).
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from).to_vec();
    let mass = MassProperties::of(&mesh((points, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))).unwrap();
    assert!((mass.volume - 1.0 / 6.0).abs() < 1e-16);
    assert!((mass.centre - Point3::new(0.25, 0.25, 0.25)).norm() < 1e-15);
    let expected = Matrix3::from_fn(|i, j| if i == j { 3.0 / 40.0 } else { 1.0 / 80.0 }) / 6.0;
    assert!((mass.inertia - expected).norm() < 1e-16);
}

/// An inscribed polyhedron is short of the sphere by O(h²): each quartering leaves a quarter of the error.
#[test]
fn icospheres_approach_the_sphere_at_second_order() {
    let errors = [2, 3, 4, 5].map(|level| {
        let mass = MassProperties::of(&mesh(icosphere(level))).unwrap();
        let (v, i) = (4.0 / 3.0 * PI, 8.0 / 15.0 * PI);
        assert!(mass.centre.coords.norm() < 1e-14);
        assert!((mass.inertia - Matrix3::identity() * mass.inertia[(0, 0)]).norm() < 1e-13, "icosahedral symmetry");
        [1.0 - mass.volume / v, 1.0 - mass.inertia[(0, 0)] / i]
    });
    for k in 1..4 {
        for what in 0..2 {
            let ratio = errors[k - 1][what] / errors[k][what];
            assert!((3.85..4.15).contains(&ratio), "level {k}: {ratio}");
        }
    }
    assert!(errors[3][0] < 1e-3 && errors[3][1] < 2e-3, "{errors:?}");
}

#[test]
fn mass_moves_and_scales_as_bodies_do() {
    let mut random = Random(11);
    for seed in 0..5 {
        let still = MassProperties::of(&mesh(crumpled(2, seed))).unwrap();
        let scale = random.between(0.1, 5.0);
        let X = Isometry3::from_parts(Translation3::from(random.vector() * 10.0), random.rotation());
        let gone = MassProperties::of(&mesh(moved(crumpled(2, seed), &X, scale))).unwrap();
        let R = X.rotation.to_rotation_matrix();
        assert!((gone.volume / (still.volume * scale.powi(3)) - 1.0).abs() < 1e-12);
        assert!((gone.centre - X * (still.centre * scale)).norm() < 1e-12 * 10.0);
        let expected = R.matrix() * still.inertia * R.matrix().transpose() * scale.powi(5);
        assert!((gone.inertia - expected).norm() < 1e-12 * expected.norm());
    }
}

#[test]
fn an_open_mesh_has_no_mass() {
    let (vertices, mut faces) = cuboid(Vector3::repeat(1.0));
    faces.pop();
    let (open, warnings) = TriangleMesh::new(vertices, faces).unwrap();
    assert_eq!(warnings, [MeshWarning::OpenEdges { count: 3 }]);
    assert_eq!(MassProperties::of(&open), Err(MassError::NotWatertight { edges: 3 }));
}

// ---- signed distance ------------------------------------------------------------------------------------------

/// Sharp spikes and dents, half of the points within 10⁻³ of a vertex or edge; sign by rays, distance over all faces.
#[test]
fn signed_distance_agrees_with_brute_force_near_sharp_features() {
    let mut random = Random(1);
    for seed in 0..4 {
        let mesh = mesh(crumpled(2, seed));
        let solid = MeshSolid::new(mesh.clone());
        assert!(solid.is_manifold());
        assert_eq!(solid.inside_rule(), InsideRule::PseudoNormals);
        let rays: Vec<Vector3<f64>> = (0..7).map(|_| random.direction()).collect();
        let mut regions = [0; 3];
        for k in 0..1500 {
            let face = mesh.faces()[(random.bits() % mesh.faces().len() as u64) as usize];
            let [a, b, c] = face.map(|v| mesh.vertices()[v as usize]);
            let t = random.unit();
            let p = match k % 4 {
                0 => Point3::from(random.vector() * 1.2),
                1 => a + random.vector() * 1e-3,
                2 => a + (b - a) * t + random.vector() * 1e-3,
                _ => a + (b - a) * (0.5 * t) + (c - a) * (0.5 * (1.0 - t)) + random.vector() * 1e-2,
            };
            let found = solid.closest(&p, None).unwrap();
            let want = brute_force(&mesh, &rays, &p);
            assert!((found.foot.distance - want).abs() < 1e-14, "{p}: {found:?} {want}");
            assert!((found.foot.nhat.norm() - 1.0).abs() < 1e-14);
            assert!((found.foot.p + found.foot.nhat * found.foot.distance - p).norm() < 1e-13);
            match found.region {
                Region::Face => regions[0] += 1,
                Region::Edge(_) => regions[1] += 1,
                Region::Vertex(_) => regions[2] += 1,
            }
        }
        assert!(regions.iter().all(|n| *n > 100), "{regions:?}: the points miss a kind of feature");
    }
}

/// The normal of a nearest face points away from p for some points near a spike: pseudo-normals are needed.
#[test]
fn naive_normals_fail_where_pseudo_normals_do_not() {
    let mesh = mesh(crumpled(2, 0));
    let solid = MeshSolid::new(mesh.clone());
    let mut random = Random(3);
    let mut naive_wrong = 0;
    for _ in 0..2000 {
        let v = mesh.vertices()[(random.bits() % mesh.vertices().len() as u64) as usize];
        let p = v + random.vector() * 1e-3;
        let found = solid.closest(&p, None).unwrap();
        let naive = mesh.face_normal(found.face as usize).dot(&(p - found.foot.p)) < 0.0;
        naive_wrong += usize::from(naive != (found.foot.distance < 0.0));
        assert_eq!(found.foot.distance < 0.0, solid.winding_number(&p) > 0.5);
    }
    assert!(naive_wrong > 50, "{naive_wrong}");
}

#[test]
fn distance_to_a_box_is_exact() {
    let half = Vector3::new(0.5, 0.3, 0.8);
    let solid = MeshSolid::new(mesh(cuboid(half)));
    let mut random = Random(9);
    for _ in 0..5000 {
        let p = Point3::from(random.vector() * 1.3);
        // The closed form of the signed distance to a box.
        let q = p.coords.abs() - half;
        let want = q.sup(&Vector3::zeros()).norm() + q.max().min(0.0);
        assert!((solid.closest_point(&p).unwrap().distance - want).abs() < 1e-15);
    }
}

/// The mesh lies within the chord height of the surface, h²/8r.
#[test]
fn distances_to_fine_spheres_and_tori_approach_the_smooth_ones() {
    let sphere = (MeshSolid::new(mesh(icosphere(5))), Sphere::new(1.0).unwrap());
    let ring = (MeshSolid::new(mesh(torus(1.0, 0.4, 160, 80))), Torus::new(1.0, 0.4).unwrap());
    let mut random = Random(2);
    for _ in 0..4000 {
        let p = Point3::from(random.vector() * 1.6);
        let (got, want) = (sphere.0.closest_point(&p).unwrap(), sphere.1.closest_point(&p).unwrap());
        // Longest edge about 0.04: 0.04²/8 = 2e-4.
        assert!((got.distance - want.distance).abs() < 3e-4);
        let (got, want) = (ring.0.closest_point(&p).unwrap(), ring.1.closest_point(&p).unwrap());
        // Chords 2π 1.4/160 over radius 1.4, and 2π 0.4/80 over 0.4: 2.7e-4 + 3.1e-4.
        assert!((got.distance - want.distance).abs() < 6e-4, "{p}: {got:?} {want:?}");
    }
}

#[test]
fn meshes_with_holes_go_by_winding_number() {
    let (vertices, mut faces) = icosphere(3);
    // A hole of six triangles around the north: still clearly inside below, outside above.
    let north = vertices.iter().position(|p| p.z == vertices.iter().map(|q| q.z).fold(-1.0, f64::max)).unwrap();
    faces.retain(|f| !f.contains(&(north as u32)));
    let (open, warnings) = TriangleMesh::new(vertices, faces).unwrap();
    assert!(warnings.iter().any(|w| matches!(w, MeshWarning::OpenEdges { .. })), "{warnings:?}");
    let solid = MeshSolid::new(open);
    assert_eq!(solid.inside_rule(), InsideRule::WindingNumber);
    assert!(!solid.is_watertight() && !solid.is_manifold());
    let mut random = Random(8);
    for _ in 0..2000 {
        let p = Point3::from(random.vector() * 1.5);
        if (p - Point3::new(0.0, 0.0, 1.0)).norm() > 0.4 && (p.coords.norm() - 1.0).abs() > 0.01 {
            let foot = solid.closest_point(&p).unwrap();
            assert_eq!(foot.distance < 0.0, p.coords.norm() < 1.0, "{p} {}", solid.winding_number(&p));
            assert!((foot.p + foot.nhat * foot.distance - p).norm() < 1e-12);
        }
    }
}

/// Where two fans touch in one vertex there is no pseudo-normal; all signs are still right.
#[test]
fn two_tetrahedra_tip_to_tip_know_their_inside() {
    let tip = |s: f64| {
        let base = [[1.0, 0.0, 1.0], [-0.5, 0.8, 1.0], [-0.5, -0.8, 1.0]].map(|p| Point3::from(p) * s);
        (vec![Point3::origin(), base[0], base[1], base[2]], vec![[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])
    };
    let (mut vertices, mut faces) = tip(1.0);
    let (more, again) = tip(-1.0);
    vertices.extend(&more[1..]);
    faces.extend(again.iter().map(|f| f.map(|v| if v == 0 { 0 } else { v + 3 })).map(|[a, b, c]| [a, c, b]));
    let made = mesh((vertices, faces));
    let solid = MeshSolid::new(made.clone());
    assert!(solid.is_watertight() && !solid.is_manifold());
    let mut random = Random(4);
    let rays: Vec<Vector3<f64>> = (0..7).map(|_| random.direction()).collect();
    for k in 0..3000 {
        let p = Point3::from(random.vector() * if k % 2 == 0 { 1e-3 } else { 1.5 });
        let (got, want) = (solid.closest_point(&p).unwrap().distance, brute_force(&made, &rays, &p));
        assert!((got - want).abs() < 1e-14, "{p}: {got} {want}");
    }
}

/// Needles thousands of times longer than wide, far from the origin: still the distance to a box.
#[test]
fn needles_far_from_the_origin_keep_the_distance() {
    let n = 400_u32;
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    // A prism of triangles 1e-5 wide and 1 long: an n-gon of radius 1e-3, as a fan of needles at both ends.
    for end in [-0.5, 0.5] {
        for k in 0..n {
            let u = 2.0 * PI * f64::from(k) / f64::from(n);
            vertices.push(Point3::new(1e-3 * u.cos(), 1e-3 * u.sin(), end) + Vector3::new(100.0, -50.0, 20.0));
        }
    }
    for k in 0..n {
        let (a, b) = (k, (k + 1) % n);
        faces.extend([[a, b, b + n], [a, b + n, a + n]]);
        if k > 0 && k + 1 < n {
            faces.extend([[0, b, a], [n, a + n, b + n]]);
        }
    }
    let solid = MeshSolid::new(mesh((vertices, faces)));
    assert!(solid.is_manifold());
    let mut random = Random(6);
    for _ in 0..3000 {
        let (z, r) = (random.between(-0.6, 0.6), random.between(0.0, 3e-3));
        let u = random.between(0.0, 2.0 * PI);
        let p = Point3::new(r * u.cos(), r * u.sin(), z) + Vector3::new(100.0, -50.0, 20.0);
        let (dr, dz) = (r - 1e-3, z.abs() - 0.5);
        let want = if dr > 0.0 && dz > 0.0 { dr.hypot(dz) } else { dr.max(dz) };
        let got = solid.closest_point(&p).unwrap().distance;
        // The n-gon is 1e-3 (1 − cos(π/n)) = 3e-8 inside its circle.
        assert!((got - want).abs() < 4e-8, "{got} {want}");
    }
}

// ---- the tree -------------------------------------------------------------------------------------------------

#[test]
fn hints_and_limits_change_the_work_not_the_answer() {
    let mesh = mesh(crumpled(3, 7));
    let bvh = Bvh::new(mesh.vertices(), mesh.faces());
    let mut random = Random(12);
    for _ in 0..3000 {
        let p = Point3::from(random.vector() * 1.5);
        let cold = bvh.closest(mesh.vertices(), &p, f64::INFINITY, None).unwrap();
        let hint = (random.bits() % mesh.faces().len() as u64) as u32;
        for hint in [hint, cold.face] {
            let warm = bvh.closest(mesh.vertices(), &p, f64::INFINITY, Some(hint)).unwrap();
            assert_eq!(warm.distance_squared, cold.distance_squared);
        }
        let d = cold.distance_squared.sqrt();
        assert!(bvh.closest(mesh.vertices(), &p, 0.999 * d, None).is_none());
        assert!(bvh.closest(mesh.vertices(), &p, 1.001 * d, Some(hint)).is_some());
        // A hint from another mesh is passed over.
        assert!(bvh.closest(mesh.vertices(), &p, f64::INFINITY, Some(u32::MAX)).is_some());
    }
}

#[test]
fn crossings_tell_inside_from_outside() {
    let solid = MeshSolid::new(mesh(crumpled(3, 3)));
    let mut random = Random(13);
    for _ in 0..3000 {
        let p = Point3::from(random.vector());
        let hits = solid.bvh().crossings(solid.mesh().vertices(), &p, &random.direction());
        if hits.doubtful == 0 {
            let inside = solid.closest_point(&p).unwrap().distance < 0.0;
            assert_eq!(hits.count % 2 == 1, inside);
            assert_eq!(hits.outward, i32::from(inside));
        }
    }
    // Along axes, through the inside of boxes' sides.
    let cube = MeshSolid::new(mesh(cuboid(Vector3::repeat(1.0))));
    let hits = cube.bvh().crossings(cube.mesh().vertices(), &Point3::new(0.3, 0.2, -3.0), &Vector3::z());
    assert_eq!((hits.count, hits.outward, hits.doubtful), (2, 0, 0));
}

#[test]
fn overlaps_are_those_of_every_triangle_box() {
    let mesh = mesh(torus(1.0, 0.4, 40, 20));
    let bvh = Bvh::new(mesh.vertices(), mesh.faces());
    let mut random = Random(14);
    for _ in 0..200 {
        let centre = random.vector() * 1.2;
        let half = random.vector().abs() * 0.3;
        let bounds = Bounds { min: Point3::from(centre - half), max: Point3::from(centre + half) };
        let mut got = Vec::new();
        bvh.overlapping(mesh.vertices(), &bounds, |face| got.push(face));
        got.sort_unstable();
        let meets = |t: &[Point3<f64>; 3]| {
            (0..3).all(|k| {
                let (low, high) = (t[0][k].min(t[1][k]).min(t[2][k]), t[0][k].max(t[1][k]).max(t[2][k]));
                low <= bounds.max[k] && bounds.min[k] <= high
            })
        };
        let want: Vec<u32> = mesh.triangles().enumerate().filter(|(_, t)| meets(t)).map(|(k, _)| k as u32).collect();
        assert_eq!(got, want);
    }
}

/// Least distance of vertices of B to triangles of A: by visiting pairs with a falling bound, and by all pairs.
#[test]
fn pairs_visitor_misses_no_near_pair() {
    let a = mesh(crumpled(2, 21));
    let b = mesh(torus(0.5, 0.2, 24, 12));
    let (bvh_a, bvh_b) = (Bvh::new(a.vertices(), a.faces()), Bvh::new(b.vertices(), b.faces()));
    let mut random = Random(15);
    let mut visited = 0;
    for _ in 0..40 {
        let X_AB = Isometry3::from_parts(Translation3::from(random.direction() * 1.9), random.rotation());
        let mut least = f64::INFINITY;
        bvh_a.pairs(a.vertices(), &bvh_b, b.vertices(), &X_AB, f64::INFINITY, |fa, fb| {
            visited += 1;
            let t = a.faces()[fa as usize].map(|v| a.vertices()[v as usize]);
            for v in b.faces()[fb as usize] {
                let p = X_AB * b.vertices()[v as usize];
                least = least.min(closest_on_triangle(&p, &t).2.sqrt());
            }
            least
        });
        let nearest = |p: Point3<f64>| bvh_a.closest(a.vertices(), &p, f64::INFINITY, None).unwrap().distance_squared;
        let want = b.vertices().iter().map(|p| nearest(X_AB * p)).fold(f64::INFINITY, f64::min).sqrt();
        assert!((least - want).abs() < 1e-14, "{least} {want}");
    }
    let all = 40 * a.faces().len() * b.faces().len();
    assert!(visited < all / 100, "{visited} of {all} pairs");
}

/// Everything at one place, on one line, or at distances that grow tenfold: depth stays bounded, nothing overflows.
#[test]
fn trees_over_awkward_clouds_answer() {
    let tiny = |p: Point3<f64>, s: f64| [p, p + Vector3::x() * s, p + Vector3::y() * s];
    let mut random = Random(16);
    let clouds: [Vec<[Point3<f64>; 3]>; 3] = [
        (0..3000).map(|_| tiny(Point3::origin(), 1.0)).collect(),
        (0..3000).map(|k| tiny(Point3::new(f64::from(k), 0.0, 0.0), 0.5)).collect(),
        (0..3000).map(|k| tiny(Point3::from(random.direction() * 10.0_f64.powi(k % 80 - 40)), 1e-45)).collect(),
    ];
    for cloud in clouds {
        let vertices: Vec<Point3<f64>> = cloud.concat();
        let faces: Vec<[u32; 3]> = (0..cloud.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let bvh = Bvh::new(&vertices, &faces);
        for k in (0..cloud.len()).step_by(97) {
            let found = bvh.closest(&vertices, &cloud[k][0], f64::INFINITY, None).unwrap();
            assert_eq!(found.distance_squared, 0.0);
        }
    }
}
