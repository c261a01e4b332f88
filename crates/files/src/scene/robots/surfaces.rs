//! # Surfaces of a robot's links: collision shapes of its file, pads of the scene
//!
//! - **in**: shapes of the links; `materials`, `pads` and `meshes` of the table
//! - **out**: [`Dress`]: the surfaces of each link with their materials
//! - **not here**: which of them touch (`contacts`)
//! - **start at** [`read`]

use super::super::keys;
use super::super::materials::{self, Materials};
use super::super::poses::pose;
use super::super::section::Section;
use super::{Scope, Table, links};
use crate::robot::description::{Geometry, Link, Place, Shape as Told};
use crate::robot::surfaces::primitive;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::surface::elevation::{ElevationMap, Grid, Interpolation, Samples};
use nalgebra::Isometry3;
use std::sync::Arc;

/// A surface on a link.
pub(super) struct Worn {
    pub shape: Arc<Shape>,
    pub X_BS: Isometry3<f64>,
    pub material: Option<usize>,
    /// Which of the link's shapes it is; none for a pad.
    pub of: Option<usize>,
    pub place: Place,
}

/// Surfaces of all links.
pub(super) struct Dress {
    pub links: Vec<Vec<Worn>>,
    sizes: Vec<(String, f64)>,
}

impl Dress {
    /// Radius of a ball about the link's origin that holds its surfaces (m); a millimetre at least.
    pub fn size_of(&self, link: &Link) -> f64 {
        let size = self.sizes.iter().find(|(name, _)| *name == link.name).map_or(0.0, |(_, size)| *size);
        size.max(link.inertial.p_BoBcm.coords.norm()).clamp(1e-3, 1e3)
    }
}

/// A pad that the table puts on a link.
struct Pad {
    link: usize,
    material: Option<usize>,
    shape: Option<(Arc<Shape>, Isometry3<f64>)>,
}

/// Reads the surfaces of all links.
pub(super) fn read(table: &Table, scope: &mut Scope) -> Dress {
    let by_link = materials_of(table, scope.materials);
    let pads = pads(table, scope, &by_link);
    let robot = &table.robot;
    let mut links = Vec::with_capacity(robot.links.len());
    for (index, link) in robot.links.iter().enumerate() {
        let pad = pads.iter().find(|pad| pad.link == index);
        // A pad without a shape of its own covers the link's.
        let covered = pad.filter(|pad| pad.shape.is_none()).map(|pad| pad.material);
        let mut worn = Vec::new();
        for (k, shape) in link.shapes.iter().enumerate().filter(|(_, shape)| shape.touches) {
            if let Some(made) = surface(table, scope, shape) {
                let material = covered.unwrap_or(by_link[index]);
                worn.push(Worn { shape: made, X_BS: shape.X_BS, material, of: Some(k), place: shape.place.clone() });
            }
        }
        if let Some(Pad { shape: Some((shape, X_BS)), material, .. }) = pad {
            let (shape, place) = (Arc::clone(shape), link.place.clone());
            worn.push(Worn { shape, X_BS: *X_BS, material: *material, of: None, place });
        }
        links.push(worn);
    }
    let size = |worn: &[Worn]| worn.iter().map(|worn| links::reach(&worn.shape, &worn.X_BS)).fold(0.0, f64::max);
    let sizes = robot.links.iter().zip(&links).map(|(link, worn)| (link.name.clone(), size(worn))).collect();
    Dress { links, sizes }
}

/// `materials = { link = material, default = material }`.
fn materials_of(table: &Table, materials: &Materials) -> Vec<Option<usize>> {
    let section = &table.section;
    let given = section.get("materials").and_then(|node| Section::open(node, section.whose, section.problems()));
    let mut all = vec![None; table.robot.links.len()];
    let Some(given) = given else { return all };
    if table.robot.link("default").is_none()
        && let Some(node) = given.get("default")
    {
        all.fill(materials.named(node, &given));
    }
    for entry in given.entries() {
        if entry.key == "default" && table.robot.link("default").is_none() {
            continue;
        }
        let (link, material) = (table.link_named(&entry.key, &entry.key_span), materials.named(&entry.node, &given));
        if let Some(link) = link {
            all[link] = material;
        }
    }
    all
}

/// `pads = { link = { material, layer, shape, position, orientation } }`.
fn pads(table: &Table, scope: &mut Scope, by_link: &[Option<usize>]) -> Vec<Pad> {
    let section = &table.section;
    let given = section.get("pads").and_then(|node| Section::open(node, section.whose, section.problems()));
    let mut pads = Vec::new();
    for entry in given.iter().flat_map(|given| given.entries()) {
        let whose = format!("of the pad on `{}`", entry.key);
        let link = table.link_named(&entry.key, &entry.key_span);
        let Some(pad) = Section::new(&entry.node, keys::PAD, &whose, section.problems()) else { continue };
        let shape = pad.get("shape").map(|node| scope.shapes.read(node, &pad));
        let X_BS = pose(&pad, "position");
        if shape.is_none() {
            for key in ["position", "orientation"].iter().filter_map(|key| pad.get(key)) {
                pad.wrong(key, "a pad without a `shape` covers the link's own shapes, and has no place of its own");
            }
        }
        let own = pad.get("material").map(|node| scope.materials.named(node, &pad));
        let layer = pad.get("layer").and_then(|node| materials::layer(node, &pad));
        let (Some(link), false) = (link, matches!(own, Some(None))) else { continue };
        let bare = shape.is_none() && table.robot.links[link].shapes.iter().all(|shape| !shape.touches);
        if bare {
            pad.lacks(format!("link `{}` has no shape that touches; give the pad a `shape`", entry.key));
        }
        let mut material = own.flatten().or(by_link[link]);
        if !pad.has("material") && !pad.has("layer") {
            pad.lacks("missing key `material` or `layer`: what the pad is made of");
        }
        if let Some(layer) = layer {
            match material {
                Some(of) => material = Some(scope.materials.layered(of, layer)),
                None => pad.lacks("missing key `material`: a layer lies on the link's material, and it has none"),
            }
        }
        if matches!(shape, Some(None)) {
            continue;
        }
        pads.push(Pad { link, material, shape: shape.flatten().map(|shape| (shape, X_BS)) });
    }
    pads
}

/// The surface of a shape.
fn surface(table: &Table, scope: &mut Scope, told: &Told) -> Option<Arc<Shape>> {
    let robot = &table.robot;
    let made = match &told.geometry {
        Geometry::Mesh(index) => {
            let mesh = &robot.meshes[*index];
            let file = mesh.file.as_ref().or(robot.files.first());
            let file = file.map_or_else(|| mesh.name.clone(), |path| path.display().to_string());
            // The number tells meshes of one file at different scales apart.
            let name = format!("{file} (mesh {index} of robot {})", table.robot.name);
            let triangles = || (mesh.vertices.to_vec(), mesh.faces.to_vec());
            scope.shapes.of_robot(&name, triangles, table.meshes).map(Shape::Mesh)
        }
        Geometry::HeightField(index) => {
            let field = &robot.height_fields[*index];
            let [hx, hy] = field.half;
            let step = |half: f64, count: usize| 2.0 * half / (count.max(2) - 1) as f64;
            let grid = Grid {
                nx: field.columns,
                ny: field.rows,
                dx: step(hx, field.columns),
                dy: step(hy, field.rows),
                x0: -hx,
                y0: -hy,
            };
            let map = ElevationMap::new(grid, Samples::F64(field.z.clone()), Interpolation::default());
            map.map(|map| Shape::Elevation(Arc::new(map))).map_err(|e| e.to_string())
        }
        other => primitive(other)?.map_err(|e| e.to_string()),
    };
    match made {
        Ok(shape) => Some(Arc::new(shape)),
        Err(message) => {
            let hint = match (&told.geometry, table.meshes) {
                (Geometry::Mesh(_), choice) if choice.name() != "hull" => "; meshes = \"hull\" takes its convex hull",
                _ => "",
            };
            table.problem(&told.place, format!("{message}{hint}"));
            None
        }
    }
}
