//! # COLLADA: the triangles of a scene of nodes
//!
//! - **in**: `.dae`: geometries with triangles, polylists, polygons, strips and fans; nodes with transformations; instances
//! - **out**: one mesh: every instance placed, metres, z up; each instance is a group
//! - **not here**: materials, skins (skipped with a warning), splines, convex meshes of physics
//! - **assumes**: nothing: nesting, instances and indices are checked
//! - **start at** [`read`]
//!
//! Programs disagree about units and axes of COLLADA. The rule here: the file's `<unit meter>` counts, the unit given beside
//! the file multiplies it, and whatever `<up_axis>` says becomes z; a warning tells both where they change anything.
//! Transformations of a node apply in the order in which they stand, the last one first to a point:
//! p_parent = T₁ T₂ … Tₙ p (COLLADA 1.4.1, node).

use super::obj::fan_middle;
use super::{FaceGroup, MeshFile, MeshFileError, MeshFormat, MeshOptions, push_face};
use crate::robot::xml::{self, Element};
use nalgebra::{Matrix4, Point3, Rotation3, Unit, Vector3};
use std::collections::HashMap;

/// Deepest chain of nodes and instances of nodes.
const DEEPEST: usize = 100;
/// Most instances of geometries: instances of nodes of instances of nodes can grow without end.
const MOST_INSTANCES: usize = 20_000;
/// Most nodes that are walked through.
const MOST_NODES: usize = 1_000_000;

/// A mesh of a library, in its own coordinates.
struct Geometry {
    vertices: Vec<Point3<f64>>,
    faces: Vec<[u32; 3]>,
}

/// A reading.
struct Reading<'a> {
    file: &'a str,
    options: &'a MeshOptions,
    by_id: HashMap<&'a str, &'a Element>,
    geometries: HashMap<String, Geometry>,
    mesh: MeshFile,
    skipped: usize,
    concave: usize,
    instances: usize,
    nodes: usize,
}

pub(super) fn read(bytes: &[u8], file: &str, options: &MeshOptions) -> Result<MeshFile, MeshFileError> {
    let text = std::str::from_utf8(bytes).map_err(|e| MeshFileError::Bytes {
        file: file.to_string(),
        offset: e.valid_up_to() as u64,
        expected: "UTF-8 text".to_string(),
        got: "other bytes".to_string(),
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = xml::parse(text, 0).map_err(|problem| {
        let at = problem.span.map_or(0, |s| s.range.start);
        let line = text[..at.min(text.len())].matches('\n').count() as u64 + 1;
        wrong(file, line, "COLLADA", &problem.message)
    })?;
    if root.name != "COLLADA" {
        let got = format!("XML of <{}>", root.name);
        return Err(wrong(file, u64::from(root.line), "<COLLADA>", &got));
    }
    let mut by_id = HashMap::new();
    collect(&root, &mut by_id);
    let mesh = MeshFile {
        vertices: Vec::new(),
        faces: Vec::new(),
        groups: Vec::new(),
        warnings: Vec::new(),
        format: MeshFormat::Collada,
    };
    let mut reading = Reading {
        file,
        options,
        by_id,
        geometries: HashMap::new(),
        mesh,
        skipped: 0,
        concave: 0,
        instances: 0,
        nodes: 0,
    };
    let to_metres = reading.axes(&root)?;
    reading.scene(&root, &to_metres)?;
    reading.finish()
}

fn wrong(file: &str, line: u64, expected: &str, got: &str) -> MeshFileError {
    MeshFileError::Text {
        file: file.to_string(),
        line,
        column: 1,
        expected: expected.to_string(),
        got: got.to_string(),
    }
}

fn collect<'a>(element: &'a Element, by_id: &mut HashMap<&'a str, &'a Element>) {
    if let Some(id) = element.value("id") {
        by_id.entry(id).or_insert(element);
    }
    element.children.iter().for_each(|child| collect(child, by_id));
}

impl<'a> Reading<'a> {
    fn wrong(&self, e: &Element, expected: &str, got: &str) -> MeshFileError {
        wrong(self.file, u64::from(e.line), expected, got)
    }

    /// What turns the file's coordinates into metres with z up.
    fn axes(&mut self, root: &Element) -> Result<Matrix4<f64>, MeshFileError> {
        let asset = root.child("asset");
        let unit = asset.and_then(|a| a.child("unit"));
        let mut metres = 1.0;
        if let Some(e) = unit
            && let Some(value) = e.value("meter")
        {
            metres = value
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|m| *m > 0.0 && m.is_finite())
                .ok_or_else(|| self.wrong(e, "a positive number of metres per unit", &format!("`{value}`")))?;
        }
        let up = asset.and_then(|a| a.child("up_axis")).map_or("Y_UP", |e| e.text.trim());
        #[rustfmt::skip]
        let turn = match up {
            "Z_UP" => Matrix4::identity(),
            "Y_UP" => Matrix4::new(1.0, 0.0, 0.0, 0.0,  0.0, 0.0, -1.0, 0.0,  0.0, 1.0, 0.0, 0.0,  0.0, 0.0, 0.0, 1.0),
            "X_UP" => Matrix4::new(0.0, -1.0, 0.0, 0.0,  0.0, 0.0, -1.0, 0.0,  1.0, 0.0, 0.0, 0.0,  0.0, 0.0, 0.0, 1.0),
            other => return Err(wrong(self.file, 1, "X_UP, Y_UP or Z_UP", &format!("`{other}`"))),
        };
        if up != "Z_UP" {
            self.mesh.warnings.push(format!("up axis {up}: turned so that z is up"));
        }
        if metres != 1.0 {
            self.mesh.warnings.push(format!("unit of {metres} m: scaled to metres"));
        }
        Ok(turn * Matrix4::new_scaling(metres * self.options.unit))
    }

    /// The scene that the file shows; all its geometries where there is none.
    fn scene(&mut self, root: &'a Element, X: &Matrix4<f64>) -> Result<(), MeshFileError> {
        let shown = root.child("scene").and_then(|s| s.child("instance_visual_scene"));
        let scene = match shown {
            Some(instance) => Some(self.target(instance)?),
            None => root.child("library_visual_scenes").and_then(|l| l.child("visual_scene")),
        };
        if let Some(scene) = scene {
            for node in scene.named("node") {
                self.node(node, X, 0)?;
            }
            return Ok(());
        }
        let geometries = root.named("library_geometries").flat_map(|l| &l.children);
        for geometry in geometries.filter(|g| g.name == "geometry") {
            self.place(geometry, X)?;
        }
        Ok(())
    }

    fn target(&self, instance: &Element) -> Result<&'a Element, MeshFileError> {
        let url = instance.value("url").unwrap_or_default();
        let found = url.strip_prefix('#').and_then(|id| self.by_id.get(id).copied());
        found.ok_or_else(|| self.wrong(instance, "the id of an element of this file", &format!("`{url}`")))
    }

    fn node(&mut self, node: &'a Element, X_WP: &Matrix4<f64>, depth: usize) -> Result<(), MeshFileError> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            let got = "nodes that hold each other or are too many";
            return Err(self.wrong(node, &format!("nodes nested at most {DEEPEST} deep"), got));
        }
        let mut X = *X_WP;
        for child in &node.children {
            if let Some(step) = self.transformation(child)? {
                X *= step;
            }
        }
        for child in &node.children {
            match child.name.as_str() {
                "node" => self.node(child, &X, depth + 1)?,
                "instance_node" => self.node(self.target(child)?, &X, depth + 1)?,
                "instance_geometry" => self.place(self.target(child)?, &X)?,
                "instance_controller" => self.skipped += 1,
                _ => {}
            }
        }
        Ok(())
    }

    fn numbers(&self, e: &Element, count: usize) -> Result<Vec<f64>, MeshFileError> {
        let numbers: Option<Vec<f64>> =
            e.text.split_whitespace().map(|w| w.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let numbers = numbers.filter(|n| n.len() == count);
        numbers.ok_or_else(|| self.wrong(e, &format!("{count} finite numbers in <{}>", e.name), "others"))
    }

    fn transformation(&self, e: &Element) -> Result<Option<Matrix4<f64>>, MeshFileError> {
        Ok(Some(match e.name.as_str() {
            "matrix" => Matrix4::from_row_slice(&self.numbers(e, 16)?),
            "translate" => Matrix4::new_translation(&Vector3::from_row_slice(&self.numbers(e, 3)?)),
            "scale" => Matrix4::new_nonuniform_scaling(&Vector3::from_row_slice(&self.numbers(e, 3)?)),
            "rotate" => {
                let n = self.numbers(e, 4)?;
                match Unit::try_new(Vector3::new(n[0], n[1], n[2]), 1e-14) {
                    Some(axis) => Rotation3::from_axis_angle(&axis, n[3].to_radians()).to_homogeneous(),
                    None if n[3] == 0.0 => Matrix4::identity(),
                    None => return Err(self.wrong(e, "an axis that is not zero", "0 0 0")),
                }
            }
            "skew" | "lookat" => {
                return Err(self.wrong(e, "matrix, translate, rotate or scale", &format!("<{}>", e.name)));
            }
            _ => return Ok(None),
        }))
    }

    /// Adds one instance of a geometry.
    fn place(&mut self, geometry: &'a Element, X: &Matrix4<f64>) -> Result<(), MeshFileError> {
        self.instances += 1;
        if self.instances > MOST_INSTANCES {
            let got = self.instances as u64;
            let file = self.file.to_string();
            return Err(MeshFileError::TooLarge { file, what: "instances", got, limit: MOST_INSTANCES as u64 });
        }
        let key = format!("{} {}", geometry.value("id").unwrap_or_default(), geometry.span.range.start);
        if !self.geometries.contains_key(&key) {
            let made = self.geometry(geometry)?;
            self.geometries.insert(key.clone(), made);
        }
        let shape = &self.geometries[&key];
        let (first, first_face) = (self.mesh.vertices.len() as u32, self.mesh.faces.len());
        let turned_inside_out = X.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for p in &shape.vertices {
            let placed = X.transform_point(p);
            if !placed.coords.iter().all(|x| x.is_finite()) {
                return Err(self.wrong(geometry, "finite coordinates", "others, once placed"));
            }
            self.mesh.vertices.push(placed);
        }
        for face in &shape.faces {
            let mut face = face.map(|v| v + first);
            if turned_inside_out {
                face.swap(1, 2);
            }
            push_face(&mut self.mesh.faces, face, self.file, self.options)?;
        }
        let name = geometry.value("name").or(geometry.value("id")).unwrap_or_default().to_string();
        if self.mesh.faces.len() > first_face {
            self.mesh.groups.push(FaceGroup { name, faces: first_face..self.mesh.faces.len() });
        }
        Ok(())
    }

    fn geometry(&mut self, e: &Element) -> Result<Geometry, MeshFileError> {
        let mut made = Geometry { vertices: Vec::new(), faces: Vec::new() };
        let Some(mesh) = e.child("mesh") else {
            self.skipped += 1;
            return Ok(made);
        };
        let mut starts: HashMap<String, (u32, usize)> = HashMap::new();
        for primitive in &mesh.children {
            let kind = primitive.name.as_str();
            if !["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&kind) {
                continue;
            }
            let Some(input) = primitive.named("input").find(|i| i.value("semantic") == Some("VERTEX")) else {
                continue;
            };
            let source = self.positions_of(input)?;
            let key = source.value("id").unwrap_or_default().to_string();
            if !starts.contains_key(&key) {
                let points = self.points(source)?;
                starts.insert(key.clone(), (made.vertices.len() as u32, points.len()));
                made.vertices.extend(points);
            }
            let (start, count) = starts[&key];
            let offset = |i: &Element| i.value("offset").map_or(Some(0), |o| o.trim().parse::<usize>().ok());
            let offsets: Option<Vec<usize>> = primitive.named("input").map(offset).collect();
            let stride = offsets.as_ref().and_then(|o| o.iter().max().copied()).filter(|o| *o < 64);
            let (Some(stride), Some(at)) = (stride.map(|o| o + 1), offset(input)) else {
                return Err(self.wrong(primitive, "offsets of <input> from 0 to 63", "others"));
            };
            for corners in self.polygons(primitive, stride, at, start, count)? {
                self.cut(&corners, &made.vertices, &mut made.faces);
            }
        }
        Ok(made)
    }

    /// The source of positions behind `<vertices>`.
    fn positions_of(&self, input: &Element) -> Result<&'a Element, MeshFileError> {
        let by = |e: &Element| {
            let url = e.value("source").unwrap_or_default();
            let found = url.strip_prefix('#').and_then(|id| self.by_id.get(id).copied());
            found.ok_or_else(|| self.wrong(e, "the id of a source in this file", &format!("`{url}`")))
        };
        let vertices = by(input)?;
        if vertices.name == "source" {
            return Ok(vertices);
        }
        let position = vertices.named("input").find(|i| i.value("semantic") == Some("POSITION"));
        let position = position.ok_or_else(|| self.wrong(vertices, "<input semantic=\"POSITION\">", "none"))?;
        by(position)
    }

    fn points(&self, source: &Element) -> Result<Vec<Point3<f64>>, MeshFileError> {
        let array = source.child("float_array").ok_or_else(|| self.wrong(source, "<float_array>", "none"))?;
        let numbers: Option<Vec<f64>> =
            array.text.split_whitespace().map(|w| w.parse().ok().filter(|x: &f64| x.is_finite())).collect();
        let numbers = numbers.ok_or_else(|| self.wrong(array, "finite numbers", "others"))?;
        let accessor = source.child("technique_common").and_then(|t| t.child("accessor"));
        let whole = |key: &str, default: usize| {
            let value = accessor.and_then(|a| a.value(key));
            value.map_or(Some(default), |v| v.trim().parse().ok())
        };
        let (Some(stride), Some(offset)) = (whole("stride", 3), whole("offset", 0)) else {
            return Err(self.wrong(source, "whole numbers in <accessor>", "others"));
        };
        if stride < 3 || offset > numbers.len() {
            return Err(self.wrong(source, "positions of three numbers", &format!("a stride of {stride}")));
        }
        Ok(numbers[offset..].chunks(stride).filter(|c| c.len() >= 3).map(|c| Point3::new(c[0], c[1], c[2])).collect())
    }

    /// Corners of each polygon.
    fn polygons(
        &self,
        primitive: &Element,
        stride: usize,
        at: usize,
        start: u32,
        count: usize,
    ) -> Result<Vec<Vec<u32>>, MeshFileError> {
        let indices = |p: &Element| -> Result<Vec<u32>, MeshFileError> {
            let all: Option<Vec<u64>> = p.text.split_whitespace().map(|w| w.parse().ok()).collect();
            let all = all.ok_or_else(|| self.wrong(p, "whole numbers from 0 on", "others"))?;
            let corners = all.chunks(stride).filter_map(|c| c.get(at).copied());
            let corner = |k: u64| {
                let fits = (k as usize) < count;
                fits.then_some(start + k as u32).ok_or_else(|| {
                    self.wrong(p, &format!("vertices from 0 to {}", count.saturating_sub(1)), &k.to_string())
                })
            };
            corners.map(corner).collect()
        };
        let mut made = Vec::new();
        let lists: Vec<Vec<u32>> = primitive.named("p").map(indices).collect::<Result<_, _>>()?;
        match primitive.name.as_str() {
            "triangles" => made.extend(lists.iter().flat_map(|l| l.chunks_exact(3)).map(<[u32]>::to_vec)),
            "polygons" => made.extend(lists),
            "trifans" => made.extend(lists.iter().flat_map(|l| l.windows(2).skip(1).map(|w| vec![l[0], w[0], w[1]]))),
            "tristrips" => {
                let strip = |l: &Vec<u32>| -> Vec<Vec<u32>> {
                    let turned = |(k, w): (usize, &[u32])| {
                        if k % 2 == 0 { w.to_vec() } else { vec![w[1], w[0], w[2]] }
                    };
                    l.windows(3).enumerate().map(turned).collect()
                };
                made.extend(lists.iter().flat_map(strip));
            }
            _ => {
                let vcount = primitive.child("vcount").ok_or_else(|| self.wrong(primitive, "<vcount>", "none"))?;
                let counts: Option<Vec<usize>> = vcount.text.split_whitespace().map(|w| w.parse().ok()).collect();
                let counts = counts.ok_or_else(|| self.wrong(vcount, "whole numbers", "others"))?;
                let all: Vec<u32> = lists.concat();
                let mut next = 0_usize;
                for n in counts {
                    let end = next.checked_add(n).filter(|end| *end <= all.len());
                    let Some(end) = end else {
                        return Err(self.wrong(vcount, "as many corners as <p> has", "more"));
                    };
                    made.push(all[next..end].to_vec());
                    next = end;
                }
            }
        }
        Ok(made)
    }

    /// Cuts a polygon into triangles.
    fn cut(&mut self, corners: &[u32], vertices: &[Point3<f64>], faces: &mut Vec<[u32; 3]>) {
        let n = corners.len();
        if n < 3 {
            return;
        }
        let middle = if n == 3 { Some(0) } else { fan_middle(corners, vertices) };
        self.concave += usize::from(middle.is_none());
        let at = |k: usize| corners[(middle.unwrap_or(0) + k) % n];
        faces.extend((1..n - 1).map(|k| [at(0), at(k), at(k + 1)]));
    }

    fn finish(mut self) -> Result<MeshFile, MeshFileError> {
        if self.skipped > 0 {
            self.mesh.warnings.push(format!("{} skins, splines or convex meshes were left out", self.skipped));
        }
        if self.concave > 0 {
            let what = "concave polygons were cut as if they were convex: triangles may overlap";
            self.mesh.warnings.push(format!("{} {what}", self.concave));
        }
        Ok(self.mesh)
    }
}
