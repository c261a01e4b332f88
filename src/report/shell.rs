//! # Shells: any shape as triangles, for pictures
//!
//! `Shape` ──▶ **here** ──([`Shell`]: points, normals, triangles)──▶ still views, 3-D replay
//!
//! - **in**: a shape in its own frame (m), how fine, and how far unbounded shapes are drawn
//! - **out**: triangles, counter-clockwise seen from outside, with the exact normal at each point
//! - **not here**: contact: nothing that touches is computed from these triangles
//! - **start at** [`Shell::of`]

use fingerpad_contact::surface::height::HeightFunction;
use fingerpad_contact::surface::{
    Capsule, Cylinder, ParametricSurface, RoundedBox, Shape, SmoothSurface, Surface, Torus,
};
use nalgebra::{Point3, Vector3};
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Most triangles of one shape.
pub const MOST: usize = 20_000;

/// Triangles of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shell {
    /// Points (m).
    pub points: Vec<Point3<f64>>,
    /// Unit outward normals.
    pub normals: Vec<Vector3<f64>>,
    /// Triangles.
    pub faces: Vec<[u32; 3]>,
    /// Triangles of the shape itself, where it has more than are drawn.
    pub simplified_from: Option<usize>,
    /// Whether it is ground: unbounded or a map, drawn behind everything.
    pub ground: bool,
}

/// How far and how finely to draw.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Middle of what is drawn of unbounded shapes, in the frame of the shape (m).
    pub middle: Point3<f64>,
    /// Half of its side (m).
    pub reach: f64,
    /// Parts around a full circle.
    pub around: usize,
    /// Most cells along one side of a map.
    pub cells: usize,
}

impl Shell {
    /// The triangles of a shape.
    pub fn of(shape: &Shape, drawn: &Drawn) -> Self {
        let n = drawn.around;
        let arc = |from: f64, to: f64, parts: usize| {
            (0..=parts).map(move |k| (from + (to - from) * k as f64 / parts as f64).sin_cos())
        };
        match shape {
            Shape::Sphere(s) => {
                let r = s.radius();
                revolve(arc(-FRAC_PI_2, FRAC_PI_2, n / 2).map(|(s, c)| [r * c, r * s, c, s]).collect(), n)
            }
            Shape::Ellipsoid(e) => {
                let axes = e.semi_axes();
                let mut shell = revolve(arc(-FRAC_PI_2, FRAC_PI_2, n / 2).map(|(s, c)| [c, s, c, s]).collect(), n);
                shell.points.iter_mut().for_each(|p| p.coords.component_mul_assign(&axes));
                shell.normals.iter_mut().for_each(|m| *m = m.component_div(&axes).normalize());
                shell
            }
            Shape::Cylinder(c) => revolve(cylinder(c, n), n),
            Shape::Capsule(c) => revolve(capsule(c, n), n),
            Shape::Torus(t) => revolve(torus(t, n), n),
            Shape::RoundedBox(b) => rounded_box(b),
            Shape::Revolution(r) => sampled(shape, r.as_ref(), n, 3 * n),
            Shape::HalfSpace(_) => plane(drawn),
            Shape::Graph(g) => {
                let area = g.rectangle();
                let clip = |[lo, hi]: [f64; 2], at: f64| [lo.max(at - drawn.reach), hi.min(at + drawn.reach)];
                let (x, y) = (clip(area.x, drawn.middle.x), clip(area.y, drawn.middle.y));
                height(x, y, [drawn.cells; 2], |x, y| g.jet(x, y).ok().map(|jet| (jet.z, jet.nhat())))
            }
            Shape::Elevation(map) => {
                let grid = map.grid();
                let (x, nx) = side(grid.nx - 1, grid.dx, drawn.middle.x, drawn);
                let (y, ny) = side(grid.ny - 1, grid.dy, drawn.middle.y, drawn);
                height(x, y, [nx, ny], |x, y| map.jet(x, y).ok().map(|jet| (jet.z, jet.nhat())))
            }
            Shape::Mesh(mesh) => Self::of_mesh(mesh.solid().mesh().vertices(), mesh.solid().mesh().faces()),
            // A shape that this room does not know yet shows as its box.
            other => boxed(other, drawn),
        }
    }
}

/// What is drawn of one side of a map: the whole cells around the middle, and into how many parts they are cut.
fn side(cells: usize, d: f64, middle: f64, drawn: &Drawn) -> ([f64; 2], usize) {
    let cell = |x: f64| (x / d).clamp(0.0, cells as f64);
    let first = cell(middle - drawn.reach).floor().min(cells as f64 - 1.0);
    let last = cell(middle + drawn.reach).ceil().max(first + 1.0);
    let count = (last - first) as usize;
    let parts = if count <= drawn.cells { count * (drawn.cells / count).clamp(1, 8) } else { drawn.cells };
    ([first * d, last * d], parts)
}

/// A profile (r, z, normal along r, normal along z) turned around z.
fn revolve(profile: Vec<[f64; 4]>, around: usize) -> Shell {
    let mut shell = Shell::default();
    let rows = profile.len();
    for k in 0..=around {
        let (s, c) = (TAU * k as f64 / around as f64).sin_cos();
        for [r, z, nr, nz] in &profile {
            shell.points.push(Point3::new(r * c, r * s, *z));
            shell.normals.push(Vector3::new(nr * c, nr * s, *nz).normalize());
        }
    }
    shell.quads(around, rows - 1, rows);
    shell
}

impl Shell {
    /// The triangles of a mesh, fewer where it has too many.
    pub fn of_mesh(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Self {
        triangles(vertices, faces)
    }

    /// Triangles of a grid of points stored column by column; those without area are left out.
    fn quads(&mut self, columns: usize, rows: usize, stride: usize) {
        for i in 0..columns {
            for j in 0..rows {
                let at = |i: usize, j: usize| (i * stride + j) as u32;
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                self.face([a, b, c]);
                self.face([a, c, d]);
            }
        }
    }

    fn face(&mut self, face: [u32; 3]) {
        let [a, b, c] = face.map(|v| self.points[v as usize]);
        let (ab, ac) = (b - a, c - a);
        if ab.cross(&ac).norm() > 1e-9 * (ab.norm_squared() + ac.norm_squared()) {
            self.faces.push(face);
        }
    }
}

fn turn(centre: [f64; 2], radius: f64, from: f64, to: f64, parts: usize) -> impl Iterator<Item = [f64; 4]> {
    (0..=parts).map(move |k| {
        let (s, c) = (from + (to - from) * k as f64 / parts as f64).sin_cos();
        [centre[0] + radius * c, centre[1] + radius * s, c, s]
    })
}

fn cylinder(c: &Cylinder, n: usize) -> Vec<[f64; 4]> {
    let (r, h, e) = (c.radius(), c.half_length(), c.edge_radius());
    let rim = (n / 8).max(2);
    let mut profile = vec![[0.0, -h, 0.0, -1.0]];
    profile.extend(turn([r - e, e - h], e, -FRAC_PI_2, 0.0, rim));
    profile.extend(turn([r - e, h - e], e, 0.0, FRAC_PI_2, rim));
    profile.push([0.0, h, 0.0, 1.0]);
    profile
}

fn capsule(c: &Capsule, n: usize) -> Vec<[f64; 4]> {
    let (r, h) = (c.radius(), c.half_length());
    let low = turn([0.0, -h], r, -FRAC_PI_2, 0.0, n / 4);
    low.chain(turn([0.0, h], r, 0.0, FRAC_PI_2, n / 4)).map(|[x, z, a, b]| [x.max(0.0), z, a, b]).collect()
}

fn torus(t: &Torus, n: usize) -> Vec<[f64; 4]> {
    turn([t.major_radius(), 0.0], t.minor_radius(), -PI, PI, n / 2).collect()
}

/// A box whose eight corners are parts of a ball: a ball cut along its axes and pulled apart.
fn rounded_box(b: &RoundedBox) -> Shell {
    let (half, e) = (b.half_extents(), b.edge_radius());
    let core = half.map(|x| x - e);
    // Small roundings need few parts: they are seen as edges.
    let parts = if e > 0.15 * half.min() { 5 } else { 2 };
    let quarter =
        |k: usize, start: usize| (0..=parts).map(move |j| ((start + k) as f64 + j as f64 / parts as f64) * FRAC_PI_2);
    let mut shell = Shell::default();
    let rows: Vec<(f64, f64)> = [(-1.0, 0), (1.0, 1)]
        .into_iter()
        .flat_map(|(sign, k)| quarter(k, 0).map(move |angle| (sign, angle - FRAC_PI_2)))
        .collect();
    let columns: Vec<(f64, f64, f64)> = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)]
        .into_iter()
        .enumerate()
        .flat_map(|(k, (sx, sy))| quarter(k, 0).map(move |angle| (sx, sy, angle)))
        .collect();
    let closed = columns.iter().chain(columns.first());
    for (sx, sy, around) in closed {
        for (sz, up) in &rows {
            let n = Vector3::new(up.cos() * around.cos(), up.cos() * around.sin(), up.sin());
            let corner = core.component_mul(&Vector3::new(*sx, *sy, *sz));
            shell.points.push(Point3::from(corner + n * e));
            shell.normals.push(n);
        }
    }
    let stride = rows.len();
    shell.quads(columns.len(), stride - 1, stride);
    // Lids: the rows at the poles are rectangles.
    for (row, up) in [(0, false), (stride - 1, true)] {
        let at = |k: usize| (k * (parts + 1) * stride + row) as u32;
        let [a, b, c, d] = [at(0), at(1), at(2), at(3)];
        let lids = if up { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
        lids.into_iter().for_each(|face| shell.face(face));
    }
    shell
}

/// A surface known by its parameters; normals are the shape's own.
fn sampled(shape: &Shape, surface: &dyn ParametricSurface, nu: usize, nv: usize) -> Shell {
    let domain = surface.domain();
    let mut shell = Shell::default();
    for i in 0..=nu {
        for j in 0..=nv {
            let at = |[lo, hi]: [f64; 2], k: usize, n: usize| lo + (hi - lo) * k as f64 / n as f64;
            let p = surface.point(at(domain.u, i, nu), at(domain.v, j, nv));
            shell.points.push(p);
            shell.normals.push(shape.point_near(&p).map_or_else(|_| Vector3::z(), |found| found.nhat));
        }
    }
    shell.quads(nu, nv, nv + 1);
    // Parameters may run either way: triangles follow the normals.
    for face in &mut shell.faces {
        let [a, b, c] = face.map(|v| shell.points[v as usize]);
        let mean: Vector3<f64> = face.iter().map(|v| shell.normals[*v as usize]).sum();
        if (b - a).cross(&(c - a)).dot(&mean) < 0.0 {
            face.swap(1, 2);
        }
    }
    shell
}

fn plane(drawn: &Drawn) -> Shell {
    let Drawn { middle, reach, .. } = drawn;
    let side = |at: f64| [at - reach, at + reach];
    height(side(middle.x), side(middle.y), [10; 2], |_, _| Some((0.0, Vector3::z())))
}

/// A surface z = h(x, y); places without a height are holes.
fn height(
    [x0, x1]: [f64; 2],
    [y0, y1]: [f64; 2],
    [nx, ny]: [usize; 2],
    at: impl Fn(f64, f64) -> Option<(f64, Vector3<f64>)>,
) -> Shell {
    let mut shell = Shell { ground: true, ..Shell::default() };
    let mut known = Vec::with_capacity((nx + 1) * (ny + 1));
    for i in 0..=nx {
        for j in 0..=ny {
            let x = x0 + (x1 - x0) * i as f64 / nx as f64;
            let y = y0 + (y1 - y0) * j as f64 / ny as f64;
            let found = at(x, y);
            known.push(found.is_some());
            let (z, nhat) = found.unwrap_or((0.0, Vector3::z()));
            shell.points.push(Point3::new(x, y, z));
            shell.normals.push(nhat);
        }
    }
    shell.quads(nx, ny, ny + 1);
    shell.faces.retain(|face| face.iter().all(|v| known[*v as usize]));
    shell
}

/// A mesh; above [`MOST`] triangles, vertices are joined in cubes that grow until it fits.
fn triangles(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Shell {
    let (mut points, mut kept) = (vertices.to_vec(), faces.to_vec());
    let mut simplified_from = None;
    if faces.len() > MOST {
        simplified_from = Some(faces.len());
        let size = points.iter().fold(0.0_f64, |m, p| m.max(p.coords.amax()));
        let mut cells = (MOST as f64 / 4.0).sqrt();
        loop {
            (points, kept) = clustered(vertices, faces, 2.0 * size.max(f64::MIN_POSITIVE) / cells);
            if kept.len() <= MOST || cells < 2.0 {
                break;
            }
            cells *= 0.85;
        }
    }
    // Facets sharper than 40° have corners of their own, as contacts see them.
    let mut shell = Shell { simplified_from, ..Shell::default() };
    let area = |face: &[u32; 3]| {
        let [a, b, c] = face.map(|v| points[v as usize]);
        (b - a).cross(&(c - a))
    };
    let mut around: Vec<Vec<Vector3<f64>>> = vec![Vec::new(); points.len()];
    for face in &kept {
        let n = area(face);
        face.iter().for_each(|v| around[*v as usize].push(n));
    }
    let mut made: HashMap<(u32, [i16; 3]), u32> = HashMap::new();
    for face in &kept {
        let n = area(face);
        let unit = n.normalize();
        let corners = face.map(|v| {
            let near = around[v as usize].iter().filter(|m| m.normalize().dot(&unit) > 0.766);
            let nhat = near.sum::<Vector3<f64>>().try_normalize(0.0).unwrap_or(unit);
            let key = nhat.map(|x| (x * 1000.0).round() as i16);
            *made.entry((v, key.into())).or_insert_with(|| {
                shell.points.push(points[v as usize]);
                shell.normals.push(nhat);
                (shell.points.len() - 1) as u32
            })
        });
        shell.face(corners);
    }
    shell
}

/// Vertices joined in cubes of a side (m), each at the mean of its own.
fn clustered(vertices: &[Point3<f64>], faces: &[[u32; 3]], side: f64) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let mut cubes: HashMap<[i64; 3], u32> = HashMap::new();
    let mut sums: Vec<(Vector3<f64>, f64)> = Vec::new();
    let to: Vec<u32> = vertices
        .iter()
        .map(|p| {
            let cube = [p.x, p.y, p.z].map(|x| (x / side).floor() as i64);
            let at = *cubes.entry(cube).or_insert_with(|| {
                sums.push((Vector3::zeros(), 0.0));
                (sums.len() - 1) as u32
            });
            let sum = &mut sums[at as usize];
            sum.0 += p.coords;
            sum.1 += 1.0;
            at
        })
        .collect();
    let mut seen = std::collections::HashSet::new();
    let faces = faces.iter().map(|face| face.map(|v| to[v as usize]));
    let kept = faces.filter(|[a, b, c]| {
        a != b && b != c && c != a && {
            let mut key = [*a, *b, *c];
            key.sort_unstable();
            seen.insert(key)
        }
    });
    let kept = kept.collect();
    (sums.into_iter().map(|(sum, count)| Point3::from(sum / count)).collect(), kept)
}

fn boxed(shape: &Shape, drawn: &Drawn) -> Shell {
    let bounds = shape.bounds();
    if !bounds.is_finite() {
        return plane(drawn);
    }
    let half = 0.5 * (bounds.max - bounds.min);
    let Ok(block) = RoundedBox::new(half, 0.01 * half.min()) else { return Shell::default() };
    let mut shell = rounded_box(&block);
    shell.points.iter_mut().for_each(|p| *p += bounds.centre().coords);
    shell
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingerpad_contact::surface::{Ellipsoid, HalfSpace, Revolution, Sphere};
    use std::sync::Arc;

    const DRAWN: Drawn = Drawn { middle: Point3::new(0.0, 0.0, 0.0), reach: 1.0, around: 48, cells: 40 };

    /// Volume inside triangles, by the divergence theorem.
    fn volume(shell: &Shell) -> f64 {
        let part = |f: &[u32; 3]| {
            let [a, b, c] = f.map(|v| shell.points[v as usize].coords);
            a.dot(&b.cross(&c)) / 6.0
        };
        shell.faces.iter().map(part).sum()
    }

    /// Closed shapes enclose their volume, which no hole, no triangle turned inside out and no wrong size would.
    #[test]
    fn shells_enclose_the_volume_of_their_shapes() {
        let profile = [[0.0, -0.3], [0.2, -0.2], [0.25, 0.1], [0.0, 0.3]];
        let cases = [
            (Shape::Sphere(Sphere::new(0.5).unwrap()), 4.0 / 3.0 * PI * 0.125),
            (Shape::Ellipsoid(Ellipsoid::new([0.3, 0.2, 0.1]).unwrap()), 4.0 / 3.0 * PI * 0.006),
            (Shape::Capsule(Capsule::new(0.2, 0.3).unwrap()), PI * 0.04 * 0.6 + 4.0 / 3.0 * PI * 0.008),
            (Shape::Torus(Torus::new(0.4, 0.1).unwrap()), TAU * 0.4 * PI * 0.01),
            (Shape::Cylinder(Cylinder::new(0.3, 0.2, 0.001).unwrap()), PI * 0.09 * 0.4),
            (Shape::RoundedBox(RoundedBox::new(Vector3::new(0.3, 0.2, 0.1), 0.001).unwrap()), 8.0 * 0.006),
        ];
        for (shape, expected) in cases {
            let shell = Shell::of(&shape, &DRAWN);
            // Chords of 1/48 turn take 0.3 % of a circle's area, twice that with a second curvature.
            let found = volume(&shell) / expected;
            assert!((0.985..=1.0005).contains(&found), "{}: {found}", shape.kind());
        }
        let turned = Shape::Revolution(Arc::new(Revolution::new(&profile).unwrap()));
        assert!(volume(&Shell::of(&turned, &DRAWN)) > 0.03);
    }

    /// Every normal is that of the surface, every point on it.
    #[test]
    fn points_lie_on_the_surface_with_its_normal() {
        for shape in [
            Shape::RoundedBox(RoundedBox::new(Vector3::new(0.3, 0.2, 0.1), 0.05).unwrap()),
            Shape::Cylinder(Cylinder::new(0.3, 0.2, 0.05).unwrap()),
            Shape::HalfSpace(HalfSpace),
        ] {
            let shell = Shell::of(&shape, &DRAWN);
            for (p, n) in shell.points.iter().zip(&shell.normals) {
                let foot = shape.closest_point(&(p + n * 0.01)).unwrap();
                assert!((foot.distance - 0.01).abs() < 1e-9, "{} {p} {n} {}", shape.kind(), foot.distance);
            }
        }
    }

    /// A mesh of 80,000 triangles is drawn with at most 20,000 and says so.
    #[test]
    fn large_meshes_are_simplified() {
        let fine = Shell::of(&Shape::Sphere(Sphere::new(1.0).unwrap()), &Drawn { around: 284, ..DRAWN });
        assert!(fine.faces.len() > 4 * MOST - 2000);
        let drawn = triangles(&fine.points, &fine.faces);
        assert!(drawn.faces.len() <= MOST && drawn.faces.len() > MOST / 3, "{}", drawn.faces.len());
        assert_eq!(drawn.simplified_from, Some(fine.faces.len()));
        assert!(volume(&drawn) > 0.95 * volume(&fine));
    }
}
