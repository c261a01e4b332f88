//! What smoothing does to a mesh, as pictures for docs/meshes.md. Prints the largest error of the normal (°) on a ring
//! of a torus: of the facets, and of the smoothed surface.
//!
//! ```text
//! cargo run --release --example mesh_pictures -- docs/images
//! ```

use fingerpad_contact::surface::mesh::smooth::{SmoothMesh, SmoothOptions};
use fingerpad_contact::surface::mesh::{MeshSolid, TriangleMesh};
use nalgebra::{Point3, Vector3};
use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use std::path::PathBuf;

type Failure = Box<dyn std::error::Error>;
/// Radii of the torus (mm).
const RING: f64 = 20.0;
const TUBE: f64 = 8.0;
const FACETS: &str = "#c0392b";
const SMOOTH: &str = "#1f5fa8";

fn main() -> Result<(), Failure> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/images".to_string()));
    let (solid, smooth) = made(torus(32, 13, |_, _| TUBE), None)?;
    let (picture, worst) = normals_along_a_ring(&solid, &smooth)?;
    std::fs::write(folder.join("mesh-normals.svg"), picture)?;
    std::fs::write(folder.join("mesh-section.svg"), section(&solid, &smooth)?)?;
    std::fs::write(folder.join("mesh-edge.svg"), edge()?)?;
    std::fs::write(folder.join("mesh-quality.svg"), quality()?)?;
    println!("largest error of the normal: facets {:.2}°, smoothed {:.2}°", worst[0], worst[1]);
    Ok(())
}

type Raw = (Vec<Point3<f64>>, Vec<[u32; 3]>);

fn made((vertices, faces): Raw, fillet_radius: Option<f64>) -> Result<(MeshSolid, SmoothMesh), Failure> {
    let mesh = TriangleMesh::new(vertices, faces)?.0;
    let options = SmoothOptions { fillet_radius, ..SmoothOptions::default() };
    let smooth = SmoothMesh::new(mesh.vertices(), mesh.faces(), &options)?;
    Ok((MeshSolid::new(mesh), smooth))
}

fn on_torus(u: f64, v: f64, tube: f64) -> Point3<f64> {
    let ring = RING + tube * v.cos();
    Point3::new(ring * u.cos(), ring * u.sin(), tube * v.sin())
}

/// A torus of nu × nv vertices, the tube's radius (mm) a function of the two angles.
fn torus(nu: u32, nv: u32, tube: impl Fn(f64, f64) -> f64) -> Raw {
    let (mut vertices, mut faces) = (Vec::new(), Vec::new());
    for i in 0..nu {
        for j in 0..nv {
            let (u, v) = (TAU * f64::from(i) / f64::from(nu), TAU * f64::from(j) / f64::from(nv));
            vertices.push(on_torus(u, v, tube(u, v)));
            let (k, l) = ((i + 1) % nu, (j + 1) % nv);
            let (a, b, c, d) = (i * nv + j, k * nv + j, k * nv + l, i * nv + l);
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    (vertices, faces)
}

/// The angle of the normal in the plane of the ring, against the position, for a fifth of the outer ring.
fn normals_along_a_ring(solid: &MeshSolid, smooth: &SmoothMesh) -> Result<(String, [f64; 2]), Failure> {
    let (mut lines, mut worst) = ([Vec::new(), Vec::new()], [0.0_f64; 2]);
    for k in 0..=600 {
        let u = 0.2 * TAU * f64::from(k) / 600.0;
        let p = on_torus(u, 0.35, TUBE);
        let true_n = Vector3::new(0.35_f64.cos() * u.cos(), 0.35_f64.cos() * u.sin(), 0.35_f64.sin());
        let facet = solid.closest(&p, None)?;
        for (line, (n, w)) in lines
            .iter_mut()
            .zip([solid.mesh().face_normal(facet.face as usize), smooth.project(&p)?.nhat].into_iter().zip(&mut worst))
        {
            line.push([u.to_degrees(), n.y.atan2(n.x).to_degrees()]);
            *w = w.max(n.cross(&true_n).norm().atan2(n.dot(&true_n)).to_degrees());
        }
    }
    let mut chart = Svg::new(640.0, 400.0);
    let at = |[x, y]: [f64; 2]| [60.0 + x * 560.0 / 72.0, 350.0 - y * 320.0 / 80.0];
    for k in 0..=4 {
        let y = 20.0 * f64::from(k);
        chart.line(&[at([0.0, y]), at([72.0, y])], "#dddddd", 1.0);
        chart.text(28.0, at([0.0, y])[1] + 5.0, &format!("{y}°"));
        let x = 18.0 * f64::from(k);
        chart.text(at([x, 0.0])[0] - 10.0, 370.0, &format!("{x}°"));
    }
    for (line, colour) in lines.iter().zip([FACETS, SMOOTH]) {
        chart.line(&line.iter().map(|p| at(*p)).collect::<Vec<_>>(), colour, 2.0);
    }
    chart.key(80.0, 40.0);
    chart.text(200.0, 392.0, "place around the ring; upwards: heading of the normal");
    Ok((chart.end(), worst))
}

/// The tube cut across, what differs from the true circle ten times as large.
fn section(solid: &MeshSolid, smooth: &SmoothMesh) -> Result<String, Failure> {
    const LARGER: f64 = 10.0;
    let u = 0.5 * TAU / 32.0;
    let (mut facets, mut smoothed, mut truth) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..=720 {
        let v = TAU * f64::from(k) / 720.0;
        let draw = |radius: f64| {
            let shown = TUBE + LARGER * (radius - TUBE);
            [210.0 + 20.0 * shown * v.cos(), 210.0 - 20.0 * shown * v.sin()]
        };
        // Where a ray from the middle of the tube leaves the body.
        let leaves = |inside: &dyn Fn(&Point3<f64>) -> Result<bool, Failure>| -> Result<f64, Failure> {
            let (mut low, mut high) = (0.9 * TUBE, 1.1 * TUBE);
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                *(if inside(&on_torus(u, v, middle))? { &mut low } else { &mut high }) = middle;
            }
            Ok(low)
        };
        facets.push(draw(leaves(&|p| Ok(solid.closest(p, None)?.foot.distance < 0.0))?));
        smoothed.push(draw(leaves(&|p| Ok(smooth.evaluate(p).ok_or("outside the supports")?.f < 0.0))?));
        truth.push(draw(TUBE));
    }
    let mut svg = Svg::new(420.0, 440.0);
    svg.line(&truth, "#999999", 5.0);
    svg.line(&facets, FACETS, 2.0);
    svg.line(&smoothed, SMOOTH, 2.0);
    svg.key(150.0, 190.0);
    svg.text(150.0, 240.0, "grey: true circle");
    svg.text(90.0, 432.0, "differences from the circle × 10");
    Ok(svg.end())
}

/// A corner of a box of twelve triangles in cross-section, with fillets of 1, 2 and 4 mm.
fn edge() -> Result<String, Failure> {
    let corner = |k: u32| Point3::new(f64::from(k & 1) * 40.0, f64::from(k >> 1 & 1) * 30.0, f64::from(k >> 2) * 20.0);
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces: Vec<[u32; 3]> = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    let vertices: Vec<Point3<f64>> = (0..8).map(corner).collect();
    let mut svg = Svg::new(420.0, 420.0);
    let at = |x: f64, y: f64| [380.0 - (40.0 - x) * 33.0, 40.0 + (30.0 - y) * 33.0];
    svg.line(&[at(30.0, 30.0), at(40.0, 30.0), at(40.0, 20.0)], FACETS, 2.0);
    for radius in [1.0, 2.0, 4.0] {
        let smooth = made((vertices.clone(), faces.clone()), Some(radius))?.1;
        let mut line = Vec::new();
        for k in 0..=200 {
            // Rays from a point inside, from one flat side around the edge to the other.
            let angle = 0.5 * PI * f64::from(k) / 200.0;
            let direction = Vector3::new(angle.sin(), angle.cos(), 0.0);
            let (mut low, mut high) = (0.0, 16.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                let p = Point3::new(30.0, 20.0, 10.0) + direction * middle;
                *(if smooth.evaluate(&p).ok_or("outside the supports")?.f < 0.0 { &mut low } else { &mut high }) =
                    middle;
            }
            let p = Point3::new(30.0, 20.0, 10.0) + direction * low;
            line.push(at(p.x, p.y));
        }
        svg.line(&line, SMOOTH, 2.0);
    }
    svg.text(60.0, 200.0, "red: the box as stored");
    svg.text(60.0, 220.0, "blue: fillet radius 1, 2, 4 mm");
    svg.text(60.0, 240.0, "one square centimetre of the section");
    Ok(svg.end())
}

/// Facets coloured by the spread of their corners about the fitted quadrics, over their longest edge: bumps get
/// narrower around the ring until the mesh cannot hold them.
fn quality() -> Result<String, Failure> {
    // Sixteen bumps in three quarters of the ring, their number per angle growing evenly; the rest is plain.
    let bumps =
        |u: f64, _: f64| TUBE + if u < 1.5 * PI { 0.35 * (1.0 - (u * u / (1.5 * PI) * 16.0 / 1.5).cos()) } else { 0.0 };
    let (vertices, faces) = torus(64, 16, bumps);
    let smooth = SmoothMesh::new(&vertices, &faces, &SmoothOptions::default())?;
    let mut share = vec![0.0; vertices.len()];
    smooth.quality().for_each(|q| share[q.vertex as usize] = q.sigma / q.longest_edge);
    let eye = Vector3::new(0.0, -0.6, 0.8).normalize();
    let up = Vector3::new(0.0, 0.8, 0.6);
    let mut seen: Vec<(f64, [u32; 3])> = Vec::new();
    for f in faces {
        let [a, b, c] = f.map(|v| vertices[v as usize]);
        if (b - a).cross(&(c - a)).dot(&eye) > 0.0 {
            seen.push(((a.coords + b.coords + c.coords).dot(&eye), f));
        }
    }
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut svg = Svg::new(540.0, 470.0);
    for (_, f) in seen {
        let worst = f.map(|v| share[v as usize]).into_iter().fold(0.0, f64::max);
        // White to red at the limit of 5 %, dark beyond.
        let part = (worst / 0.05).min(1.0);
        let fill = if worst > 0.05 {
            "#8e1b10".to_string()
        } else {
            format!("#ff{0:02x}{0:02x}", 255 - (170.0 * part) as u32)
        };
        let corners = f.map(|v| vertices[v as usize]);
        svg.polygon(&corners.map(|p| [270.0 + 8.5 * p.x, 210.0 - 8.5 * p.coords.dot(&up)]), &fill);
    }
    svg.text(40.0, 440.0, "spread over longest edge: white 0, red towards 5 %, dark: not resolved");
    svg.text(40.0, 460.0, "bumps get narrower anticlockwise from the right");
    Ok(svg.end())
}

/// A picture being drawn.
struct Svg(String);

impl Svg {
    fn new(width: f64, height: f64) -> Self {
        let style = "font-family=\"sans-serif\" font-size=\"14\"";
        let open = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" {style}>\n");
        Svg(open + &format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"))
    }

    fn points(list: &[[f64; 2]]) -> String {
        list.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
    }

    // Writing to a string cannot fail.
    fn line(&mut self, list: &[[f64; 2]], colour: &str, width: f64) {
        let points = Self::points(list);
        let _ = writeln!(
            self.0,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>"
        );
    }

    fn polygon(&mut self, list: &[[f64; 2]], fill: &str) {
        let points = Self::points(list);
        let _ = writeln!(self.0, "<path d=\"M{points}z\" fill=\"{fill}\" stroke=\"#888\" stroke-width=\".3\"/>");
    }

    fn text(&mut self, x: f64, y: f64, text: &str) {
        let _ = writeln!(self.0, "<text x=\"{x:.0}\" y=\"{y:.0}\" fill=\"#222222\">{text}</text>");
    }

    fn key(&mut self, x: f64, y: f64) {
        for (k, (name, colour)) in [("facets", FACETS), ("smoothed", SMOOTH)].into_iter().enumerate() {
            let y = y + 20.0 * k as f64;
            self.line(&[[x, y], [x + 30.0, y]], colour, 2.0);
            self.text(x + 40.0, y + 5.0, name);
        }
    }

    fn end(self) -> String {
        self.0 + "</svg>\n"
    }
}
