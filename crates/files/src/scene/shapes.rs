//! # Shapes of a scene
//!
//! - **in**: `shape = { type = "sphere", radius = "8 mm" }`; files named relative to the scene
//! - **out**: [`Shape`]s, each map and mesh read once
//! - **not here**: the shapes themselves (`fingerpad_contact::surface`); heights (`heights`); mass (`solids`)
//! - **start at** [`Shapes::read`]; a new shape is one row in `keys::SHAPES` and one arm here

use super::error::Problem;
use super::heights;
use super::keys;
use super::section::{Range, Section};
use super::tree::{Node, Value};
use super::{Asset, AtHand};
use crate::mesh::{self, MeshOptions};
use crate::units::Dimension::{Length, Number};
use fingerpad_contact::surface::graph::{Rectangle, Term};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, SurfaceChoice, TriangleMesh};
use fingerpad_contact::surface::{
    Capsule, Cylinder, Ellipsoid, Graph, HalfSpace, Revolution, RoundedBox, Shape, ShapeError, Sphere, Torus,
};
use nalgebra::{Point3, Vector3};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Least and greatest size of anything (m): squares and products must stay far from the ends of double precision.
pub(crate) const SIZE: Range = Range::Within(1e-10, 1e9, "a length from 1e-9 m to 1e9 m");
/// Edges are never sharp: rounding where none is given, as a share of the smallest size.
pub(crate) const DEFAULT_EDGE: f64 = 0.01;
/// Meshes with more triangles are fitted only where they touch.
const DEFERRED: usize = 400_000;
/// Names of units of meshes, with metres per unit.
const UNITS: [(&str, f64); 4] = [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254)];

/// Vertices and triangles of a mesh.
pub(crate) type Triangles = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// Reads shapes, and keeps what came from files.
pub(crate) struct Shapes<'p> {
    pub folder: PathBuf,
    pub at_hand: AtHand,
    pub progress: &'p mut dyn FnMut(&str),
    pub warnings: Vec<String>,
    pub assets: Vec<Asset>,
    meshes: HashMap<String, Option<Arc<MeshSurface>>>,
}

impl<'p> Shapes<'p> {
    pub fn new(folder: PathBuf, at_hand: AtHand, progress: &'p mut dyn FnMut(&str)) -> Self {
        Self { folder, at_hand, progress, warnings: Vec::new(), assets: Vec::new(), meshes: HashMap::new() }
    }

    /// Where a file is that the scene names; notes it among the files that the scene is made of.
    pub fn asset(&mut self, name: &str) -> PathBuf {
        let path = self.folder.join(name);
        if self.assets.iter().all(|known| known.path != path) {
            self.assets.push(Asset { name: name.to_string(), path: path.clone() });
        }
        path
    }

    /// Notes a file that a robot of the scene was read from.
    pub fn note_asset(&mut self, robot: &str, path: &std::path::Path) {
        if self.assets.iter().all(|known| known.path != path) {
            let own = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let name = if robot.ends_with(&own) { robot.to_string() } else { format!("{robot}: {own}") };
            self.assets.push(Asset { name, path: path.to_path_buf() });
        }
    }

    /// The shape that a value describes.
    pub fn read(&mut self, node: &Node, of: &Section) -> Option<Arc<Shape>> {
        let kinds: Vec<(&str, usize)> = keys::SHAPES.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect();
        if matches!(node.value, Value::Text(_)) {
            let kind = of.choice_of(node, "shape", &kinds)?;
            if kind != 0 {
                let kind = keys::SHAPES[kind].0;
                of.wrong(node, format!("a shape of type `{kind}` needs sizes: {{ type = \"{kind}\", … }}"));
                return None;
            }
            return Some(Arc::new(Shape::HalfSpace(HalfSpace)));
        }
        let open = Section::open(node, of.whose, of.problems())?;
        let (name, known) = keys::SHAPES[open.choice_of(open.require("type")?, "shape", &kinds)?];
        let section = Section::new(node, known, of.whose, of.problems())?;
        self.build(name, node, &section)
    }

    fn build(&mut self, kind: &str, node: &Node, section: &Section) -> Option<Arc<Shape>> {
        let fit = |made: Result<Shape, ShapeError>| match made {
            Ok(shape) => Some(Arc::new(shape)),
            Err(error) => {
                section.wrong(node, error.to_string());
                None
            }
        };
        match kind {
            "half_space" => Some(Arc::new(Shape::HalfSpace(HalfSpace))),
            "sphere" => fit(Sphere::new(size(section, "radius")?).map(Shape::Sphere)),
            "ellipsoid" => fit(Ellipsoid::new(sizes(section, "semi_axes")?).map(Shape::Ellipsoid)),
            "cylinder" => {
                let (radius, half_length) = both(size(section, "radius"), size(section, "half_length"))?;
                let edge = edge_radius(section, radius.min(half_length))?;
                fit(Cylinder::new(radius, half_length, edge).map(Shape::Cylinder))
            }
            "capsule" => {
                let (radius, half_length) = both(size(section, "radius"), size(section, "half_length"))?;
                fit(Capsule::new(radius, half_length).map(Shape::Capsule))
            }
            "torus" => {
                let (major, minor) = both(size(section, "major_radius"), size(section, "minor_radius"))?;
                fit(Torus::new(major, minor).map(Shape::Torus))
            }
            "rounded_box" | "box" => {
                let half = Vector3::from(sizes(section, "half_extents")?);
                let edge = edge_radius(section, half.min())?;
                fit(RoundedBox::new(half, edge).map(Shape::RoundedBox))
            }
            "revolution" => {
                let list = section.list_of(section.require("profile")?, "a list of points [r, z]")?;
                let points = each(list, |point| section.vector_of::<2>(point, "the profile", Length, Range::Any))?;
                fit(Revolution::new(&points).map(|s| Shape::Revolution(Arc::new(s))))
            }
            "graph" => fit(Ok(Shape::Graph(graph(section)?))),
            "elevation" => {
                let interpolation = section.choice("interpolation", &heights::INTERPOLATIONS);
                let interpolation = interpolation.unwrap_or_default();
                let map = heights::read(section, interpolation, self)?;
                fit(Ok(Shape::Elevation(Arc::new(map))))
            }
            _ => self.mesh(section).map(|mesh| Arc::new(Shape::Mesh(mesh))),
        }
    }

    fn mesh(&mut self, section: &Section) -> Option<Arc<MeshSurface>> {
        let node = section.require("mesh")?;
        let file = section.text_of(node)?;
        let unit = match section.get("unit") {
            None => 1.0,
            Some(node) if matches!(node.value, Value::Text(_)) => section.choice_of(node, "unit", &UNITS)?,
            Some(node) => section.quantity_of(node, "metres per unit", Number, SIZE)?,
        };
        // Zero keeps edges sharp.
        let fillet = section.quantity("fillet_radius", "fillet radius", Length, Range::NotNegative);
        if section.has("fillet_radius") && fillet.is_none() {
            return None;
        }
        let choice = section.choice("surface", &SurfaceChoice::NAMES);
        if section.has("surface") && choice.is_none() {
            return None;
        }
        let choice = choice.unwrap_or_default();
        let path = self.asset(file);
        let key = format!("{} {unit:?} {fillet:?} {choice:?}", path.display());
        if let Some(known) = self.meshes.get(&key) {
            return known.clone();
        }
        (self.progress)(&format!("reading {file}"));
        let read = self.load(&path, unit, fillet, choice);
        let found = match read {
            Ok(mesh) => Some(Arc::new(mesh)),
            Err(message) => {
                section.wrong(node, message);
                None
            }
        };
        self.meshes.insert(key, found.clone());
        found
    }

    fn load(
        &mut self,
        path: &std::path::Path,
        unit: f64,
        fillet_radius: Option<f64>,
        surface: SurfaceChoice,
    ) -> Result<MeshSurface, String> {
        let file = mesh::read(path, &MeshOptions { unit, ..MeshOptions::default() }).map_err(|e| e.to_string())?;
        let of_file = |what: String| format!("{}: {what}", path.display());
        self.warnings.extend(file.warnings.into_iter().map(of_file));
        self.surface(&path.display().to_string(), (file.vertices, file.faces), fillet_radius, surface)
    }

    /// The surface of a mesh of a robot, each made once; `name` stands for it in messages.
    pub fn of_robot(
        &mut self,
        name: &str,
        mesh: impl FnOnce() -> Triangles,
        choice: SurfaceChoice,
    ) -> Result<Arc<MeshSurface>, String> {
        let key = format!("{name} {choice:?}");
        if let Some(Some(known)) = self.meshes.get(&key) {
            return Ok(Arc::clone(known));
        }
        (self.progress)(&format!("making {name} ready"));
        let made = Arc::new(self.surface(name, mesh(), None, choice)?);
        self.meshes.insert(key, Some(Arc::clone(&made)));
        Ok(made)
    }

    fn surface(
        &mut self,
        name: &str,
        (vertices, faces): Triangles,
        fillet_radius: Option<f64>,
        surface: SurfaceChoice,
    ) -> Result<MeshSurface, String> {
        let of_file = |what: String| format!("{name}: {what}");
        let (mesh, doubts) = TriangleMesh::new(vertices, faces).map_err(|e| of_file(e.to_string()))?;
        let bounds = mesh.bounds();
        let reach = bounds.min.coords.amax().max(bounds.max.coords.amax());
        let extent = (bounds.max - bounds.min).max();
        if reach > 1e9 || extent < 1e-9 {
            return Err(of_file(format!("expected a mesh from 1e-9 m in size to within ±1e9 m, got {extent:e} m")));
        }
        self.warnings.extend(doubts.iter().map(|doubt| of_file(doubt.to_string())));
        let vertices = mesh.vertices().len();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let deferred = mesh.faces().len() > DEFERRED;
        let options = SmoothOptions { fillet_radius, threads, deferred, surface, ..SmoothOptions::default() };
        let surface = MeshSurface::new(mesh, &options).map_err(|e| of_file(e.to_string()))?;
        let rough = if deferred { 0 } else { surface.smooth().map_or(0, |smooth| smooth.unresolved().len()) };
        self.warnings.extend(surface.fidelity().warning().map(&of_file));
        if rough > 0 {
            self.warnings.push(of_file(format!(
                "the mesh is too coarse or rough at {rough} of {vertices} vertices: curvature there is uncertain"
            )));
        }
        Ok(surface)
    }
}

fn both<T>(a: Option<T>, b: Option<T>) -> Option<(T, T)> {
    Some((a?, b?))
}

/// Every item of a list, or nothing if one is wrong.
pub(crate) fn each<'a, T>(list: &'a [Node], read: impl Fn(&'a Node) -> Option<T>) -> Option<Vec<T>> {
    let read: Vec<Option<T>> = list.iter().map(read).collect();
    read.into_iter().collect()
}

pub(crate) fn size(section: &Section, key: &str) -> Option<f64> {
    section.require(key)?;
    section.quantity(key, &format!("`{key}`"), Length, SIZE)
}

fn sizes(section: &Section, key: &str) -> Option<[f64; 3]> {
    section.vector_of(section.require(key)?, &format!("`{key}`"), Length, SIZE)
}

fn edge_radius(section: &Section, smallest: f64) -> Option<f64> {
    if section.has("edge_radius") { size(section, "edge_radius") } else { Some(DEFAULT_EDGE * smallest) }
}

fn graph(section: &Section) -> Option<Graph> {
    let node = section.require("terms")?;
    let terms = each(section.list_of(node, "a list of terms [p, q, c]")?, |term| {
        let [p, q, c] = section.vector_of::<3>(term, "a term [p, q, c]", Number, Range::Any)?;
        let power = |x: f64| (x.fract() == 0.0 && (0.0..=32.0).contains(&x)).then_some(x as usize);
        let (Some(p), Some(q)) = (power(p), power(q)) else {
            section.wrong(term, "powers p and q of a term [p, q, c] must be whole numbers from 0 to 32");
            return None;
        };
        Some(Term { p, q, c })
    })?;
    let mut domain = Rectangle::PLANE;
    if let Some(limits) = section.get("domain") {
        let [x0, x1, y0, y1] = section.vector_of::<4>(limits, "the domain", Length, Range::Any)?;
        if !(x0 < x1 && y0 < y1) {
            section.wrong(limits, "expected [x0, x1, y0, y1] with x0 < x1 and y0 < y1");
            return None;
        }
        domain = Rectangle { x: [x0, x1], y: [y0, y1] };
    }
    Graph::polynomial(terms, domain)
        .map_err(|e| section.problems().push(Problem::new(node.span.clone(), e.to_string()).label(section.whose)))
        .ok()
}
