//! # Assets of MJCF: meshes and height fields, read when a geom needs them
//!
//! - **in**: `<asset>` sections
//! - **out**: [`Assets`]: meshes and height fields by name
//! - **start at** [`Assets::read`], then [`Assets::mesh`] and [`Assets::field`]

use super::super::description::{Geometry, HeightField};
use super::super::meshes::Meshes;
use super::super::paths::NoFile;
use super::super::reader::Reader;
use super::super::xml::{Attribute, Element};
use super::File;
use super::compiler::{Compiler, quaternion};
use super::defaults::Defaults;
use crate::{input, nearest};
use nalgebra::{Point3, UnitQuaternion, Vector3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Most nodes of a height field.
const MOST_NODES: usize = 1 << 24;
/// Assets that are only looked at.
const APPEARANCE: [&str; 3] = ["texture", "material", "skin"];

struct Asset {
    element: Element,
    /// What it became, once somebody asked.
    made: Option<Option<usize>>,
}

/// Meshes and height fields.
pub(super) struct Assets {
    pub meshes: Meshes,
    pub fields: Vec<HeightField>,
    by_name: HashMap<(&'static str, String), Asset>,
}

impl Assets {
    pub fn read(reader: &mut Reader<'_>, root: &Element, defaults: &Defaults) -> Self {
        let mut assets = Assets { meshes: Meshes::default(), fields: Vec::new(), by_name: HashMap::new() };
        for element in root.named("asset").flat_map(|section| &section.children) {
            match element.name.as_str() {
                "mesh" => {
                    let merged = defaults.merged(reader, element, "mesh", 0);
                    for child in &element.children {
                        reader.ignore_element(child, "plug-ins are not run");
                    }
                    assets.put(reader, "mesh", merged);
                }
                "hfield" => {
                    let read = ["name", "file", "nrow", "ncol", "size", "elevation", "content_type"];
                    reader.attributes(element, &read, &[]);
                    assets.put(reader, "hfield", element.clone());
                }
                "model" => reader.ignore_element(element, "models are not attached to others"),
                name if APPEARANCE.contains(&name) => reader.ignore_element(element, "appearance"),
                name => {
                    let known: Vec<&str> = ["mesh", "hfield", "model"].into_iter().chain(APPEARANCE).collect();
                    let message = nearest::unknown("element in <asset>", name, &known);
                    reader.wrong(element, message);
                }
            }
        }
        assets
    }

    fn put(&mut self, reader: &mut Reader<'_>, kind: &'static str, element: Element) {
        let stem =
            element.value("file").and_then(|f| Path::new(f).file_stem()).map(|s| s.to_string_lossy().into_owned());
        let Some(name) = element.value("name").map(str::to_string).or(stem) else {
            reader.wrong(&element, format!("<{kind}> needs `name` or `file`"));
            return;
        };
        if self.by_name.contains_key(&(kind, name.clone())) {
            reader.wrong(&element, format!("the name `{name}` of a {kind} is used twice"));
            return;
        }
        self.by_name.insert((kind, name), Asset { element, made: None });
    }

    /// The asset that an attribute of a geom names.
    fn named(&self, reader: &mut Reader<'_>, e: &Element, kind: &'static str) -> Option<(String, &Asset)> {
        let attribute = e.get(kind)?;
        let found = self.by_name.get(&(kind, attribute.value.clone()));
        if found.is_none() {
            let names = self.by_name.keys().filter(|(k, _)| *k == kind).map(|(_, name)| name.as_str());
            let near = nearest::nearest(&attribute.value, names);
            let hint = near.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            reader.wrong_value(e, attribute, format!("no {kind} is called `{}`{hint}", attribute.value));
        }
        found.map(|asset| (attribute.value.clone(), asset))
    }

    /// Whether the inertia of a geom's mesh is that of the solid inside.
    pub fn is_solid(&self, e: &Element) -> bool {
        let asset = e.value("mesh").and_then(|name| self.by_name.get(&("mesh", name.to_string())));
        asset.is_none_or(|a| a.element.value("inertia").is_none_or(|word| matches!(word, "exact" | "legacy")))
    }

    /// The mesh of a geom; read only if it touches or weighs something.
    pub fn mesh(
        &mut self,
        reader: &mut Reader<'_>,
        compiler: &Compiler,
        e: &Element,
        needed: bool,
    ) -> Option<Geometry> {
        let (name, asset) = self.named(reader, e, "mesh")?;
        if let Some(made) = asset.made {
            return made.map(Geometry::Mesh);
        }
        let element = asset.element.clone();
        if let (false, Some(file)) = (needed, element.get("file")) {
            let file = stripped(compiler, file);
            match reader.resolve(&file.value, &compiler.meshdir) {
                Ok(_) => {}
                Err(NoFile::Absent(why)) => {
                    let place = reader.place(&element);
                    let warning = format!("{}:{}: visual mesh: {why}", place.file, place.line);
                    if !reader.warnings.contains(&warning) {
                        reader.warnings.push(warning);
                    }
                }
                Err(NoFile::Refused(why)) => reader.wrong_value(&element, &file, why),
            }
            return Some(Geometry::Picture { file: file.value });
        }
        let made = self.make_mesh(reader, compiler, &element, &name);
        if let Some(asset) = self.by_name.get_mut(&("mesh", name)) {
            asset.made = Some(made);
        }
        made.map(Geometry::Mesh)
    }

    fn make_mesh(&mut self, reader: &mut Reader<'_>, compiler: &Compiler, e: &Element, name: &str) -> Option<usize> {
        let scale = Vector3::from(reader.numbers::<3>(e, "scale").unwrap_or([1.0; 3]));
        if scale.iter().any(|x| *x == 0.0) {
            reader.wrong(e, "no scale of a mesh can be zero");
            return None;
        }
        let p = Point3::from(reader.numbers::<3>(e, "refpos").unwrap_or([0.0; 3]));
        let turn = reader.numbers::<4>(e, "refquat").and_then(quaternion).unwrap_or_else(UnitQuaternion::identity);
        if e.get("builtin").is_some_and(|b| b.value != "none") {
            reader.wrong(e, "built-in meshes are not made; use a primitive, or a file");
            return None;
        }
        let (vertices, faces, path) = if let Some(file) = e.get("file") {
            let file = stripped(compiler, file);
            let path = match reader.resolve(&file.value, &compiler.meshdir) {
                Ok(path) => path,
                Err(NoFile::Absent(why) | NoFile::Refused(why)) => {
                    reader.wrong_value(e, &file, why);
                    return None;
                }
            };
            let mesh = self.meshes.file(reader, e, &file, &path)?;
            (mesh.vertices.clone(), mesh.faces.clone(), Some(path))
        } else {
            let (vertices, faces) = inline(reader, e)?;
            (vertices, faces, None)
        };
        // (MuJoCo, XML reference, mesh): first the reference pose is taken off, then the scale acts.
        let placed = vertices.iter().map(|v| Point3::from((turn.inverse() * (v - p)).component_mul(&scale)));
        Some(self.meshes.add(name.to_string(), path, placed.collect(), faces, scale))
    }

    /// The height field of a geom.
    pub fn field(&mut self, reader: &mut Reader<'_>, e: &Element) -> Option<usize> {
        let (name, asset) = self.named(reader, e, "hfield")?;
        if let Some(made) = asset.made {
            return made;
        }
        let element = asset.element.clone();
        let made = make_field(reader, &element, &name).map(|field| {
            self.fields.push(field);
            self.fields.len() - 1
        });
        if let Some(asset) = self.by_name.get_mut(&("hfield", name)) {
            asset.made = Some(made);
        }
        made
    }
}

/// The name of a file without its folders, where the compiler is told to strip them.
fn stripped(compiler: &Compiler, file: &Attribute) -> Attribute {
    let mut file = file.clone();
    if compiler.strippath
        && let Some(name) = Path::new(&file.value).file_name()
    {
        file.value = name.to_string_lossy().into_owned();
    }
    file
}

type Triangles = (Vec<Point3<f64>>, Vec<[u32; 3]>);

/// Vertices and triangles that stand in the file itself.
fn inline(reader: &mut Reader<'_>, e: &Element) -> Option<Triangles> {
    let Some(vertex) = e.get("vertex") else {
        reader.wrong(e, "<mesh> needs `file` or `vertex`");
        return None;
    };
    let numbers = reader.list(e, vertex)?;
    if numbers.len() % 3 != 0 || numbers.len() < 12 {
        reader.wrong_value(
            e,
            vertex,
            format!("expected 3 numbers for each of 4 or more vertices, got {}", numbers.len()),
        );
        return None;
    }
    let vertices: Vec<Point3<f64>> = numbers.chunks_exact(3).map(|c| Point3::new(c[0], c[1], c[2])).collect();
    let Some(face) = e.get("face") else {
        reader.wrong(e, "<mesh vertex> needs `face`: hulls of points are not made");
        return None;
    };
    let corners = reader.list(e, face)?;
    let is_corner = |x: &f64| x.fract() == 0.0 && *x >= 0.0 && *x < vertices.len() as f64;
    if corners.len() % 3 != 0 || corners.is_empty() || !corners.iter().all(is_corner) {
        let message = format!("expected three numbers from 0 to {} for each triangle", vertices.len() - 1);
        reader.wrong_value(e, face, message);
        return None;
    }
    Some((vertices, corners.chunks_exact(3).map(|c| [c[0] as u32, c[1] as u32, c[2] as u32]).collect()))
}

/// Raw numbers, rows from least y.
struct Raw {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

fn make_field(reader: &mut Reader<'_>, e: &Element, name: &str) -> Option<HeightField> {
    reader.required(e, "size")?;
    let [x, y, top, depth] = reader.numbers::<4>(e, "size")?;
    if [x, y, top, depth].iter().any(|s| *s <= 0.0) {
        reader.wrong(e, "the four sizes of a height field must be positive (m)");
        return None;
    }
    let raw = match e.get("file") {
        Some(file) if !file.value.is_empty() => from_file(reader, e, file)?,
        _ => from_element(reader, e)?,
    };
    if raw.rows < 2 || raw.columns < 2 {
        reader.wrong(e, format!("a height field needs 2 rows and columns, got {} and {}", raw.rows, raw.columns));
        return None;
    }
    let (low, high) = raw.values.iter().fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(*z), h.max(*z)));
    // Heights are told from the lowest, and scaled so that the highest is `top`.
    let span = if high > low { high - low } else { 1.0 };
    let z = raw.values.iter().map(|z| (z - low) / span * top).collect();
    Some(HeightField { name: name.to_string(), columns: raw.columns, rows: raw.rows, half: [x, y], depth, z })
}

fn from_element(reader: &mut Reader<'_>, e: &Element) -> Option<Raw> {
    let mut count = |key: &str| {
        let x = reader.number_or(e, key, 0.0);
        if x.fract() != 0.0 || !(0.0..=MOST_NODES as f64).contains(&x) {
            reader.wrong(e, format!("`{key}` is a whole number up to {MOST_NODES}, got {x}"));
            return None;
        }
        Some(x as usize)
    };
    let (rows, columns) = (count("nrow")?, count("ncol")?);
    if rows.saturating_mul(columns) > MOST_NODES {
        reader.wrong(e, format!("a height field has at most {MOST_NODES} nodes"));
        return None;
    }
    let Some(elevation) = e.get("elevation") else {
        return Some(Raw { rows, columns, values: vec![0.0; rows * columns] });
    };
    let listed = reader.list(e, elevation)?;
    if listed.len() != rows * columns {
        let message = format!("expected {rows} × {columns} heights, got {}", listed.len());
        reader.wrong_value(e, elevation, message);
        return None;
    }
    // The text is read from greatest y down, as one sees it from above.
    let values = listed.chunks(columns.max(1)).rev().flatten().copied().collect();
    Some(Raw { rows, columns, values })
}

fn from_file(reader: &mut Reader<'_>, e: &Element, file: &Attribute) -> Option<Raw> {
    let path = match reader.resolve(&file.value, &PathBuf::new()) {
        Ok(path) => path,
        Err(NoFile::Absent(why) | NoFile::Refused(why)) => {
            reader.wrong_value(e, file, why);
            return None;
        }
    };
    let longest = 4 * MOST_NODES as u64 + 8;
    let read = input::read(&path, longest).map_err(|x| x.to_string());
    let raw = read.and_then(|bytes| if bytes.starts_with(b"\x89PNG") { from_png(&bytes) } else { from_bytes(&bytes) });
    match raw {
        Ok(raw) => {
            reader.files.push(path);
            Some(raw)
        }
        Err(why) => {
            reader.wrong_value(e, file, format!("{}: {why}", path.display()));
            None
        }
    }
}

/// MuJoCo's own format: rows, columns (32 bits), heights (32-bit floats) from least y.
fn from_bytes(bytes: &[u8]) -> Result<Raw, String> {
    let word = |k: usize| bytes.get(4 * k..4 * k + 4).map(|b| [b[0], b[1], b[2], b[3]]);
    let count = |k: usize| word(k).map(i32::from_le_bytes).and_then(|n| usize::try_from(n).ok());
    let (Some(rows), Some(columns)) = (count(0), count(1)) else {
        return Err("expected a PNG, or counts of rows and columns and 32-bit floats".to_string());
    };
    let nodes = rows.checked_mul(columns).filter(|n| *n <= MOST_NODES);
    if nodes.is_none_or(|n| bytes.len() != 8 + 4 * n) {
        return Err(format!("{rows} rows of {columns} heights do not fit {} bytes", bytes.len()));
    }
    let values: Vec<f64> =
        bytes[8..].chunks_exact(4).map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect();
    if values.iter().any(|z| !z.is_finite()) {
        return Err("heights must be finite".to_string());
    }
    Ok(Raw { rows, columns, values })
}

/// Gray levels of a PNG; the top row is that of greatest y.
fn from_png(bytes: &[u8]) -> Result<Raw, String> {
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), png::Limits { bytes: 4 * MOST_NODES });
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut image = decoder.read_info().map_err(|e| e.to_string())?;
    let (columns, rows) = (image.info().width as usize, image.info().height as usize);
    if rows.saturating_mul(columns) > MOST_NODES {
        return Err(format!("a height field has at most {MOST_NODES} nodes"));
    }
    let mut pixels = vec![0; image.output_buffer_size().ok_or("the image is too large")?];
    let frame = image.next_frame(&mut pixels).map_err(|e| e.to_string())?;
    let channels = frame.color_type.samples();
    if channels > 2 {
        return Err("expected levels of gray, got colours".to_string());
    }
    let deep = frame.bit_depth == png::BitDepth::Sixteen;
    let stride = channels * if deep { 2 } else { 1 };
    let level = |at: usize| {
        if deep { f64::from(u16::from_be_bytes([pixels[at], pixels[at + 1]])) } else { f64::from(pixels[at]) }
    };
    let row = |r: usize| (0..columns).map(move |c| (r * columns + c) * stride);
    let values = (0..rows).rev().flat_map(row).map(level).collect();
    Ok(Raw { rows, columns, values })
}

impl File {
    /// Numbers the sites that bodies left.
    pub fn number_sites(&mut self) {
        self.sites = self.robot.frames.iter().enumerate().map(|(k, f)| (f.name.clone(), k)).collect();
    }
}
