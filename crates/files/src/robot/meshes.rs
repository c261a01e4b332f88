//! # Meshes of robots: each file read once, scaled and placed
//!
//! - **in**: the address of a mesh, scale, and the pose that MJCF subtracts
//! - **out**: index in the robot's list of meshes
//! - **not here**: formats (`crate::mesh`); where files may lie (`paths`)
//! - **start at** [`Meshes::load`]

use super::description::Mesh;
use super::paths::NoFile;
use super::reader::Reader;
use super::xml::{Attribute, Element};
use crate::mesh::{self, MeshFile, MeshOptions};
use fingerpad_contact::surface::mesh::MassProperties;
use nalgebra::{Matrix3, Point3, Vector3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Most triangles of one mesh of a robot.
const MOST_FACES: u64 = 1 << 22;

/// Meshes so far.
#[derive(Default)]
pub(super) struct Meshes {
    pub list: Vec<Mesh>,
    files: HashMap<PathBuf, Option<Arc<MeshFile>>>,
    placed: HashMap<String, usize>,
}

impl Meshes {
    /// A file's mesh; a problem at the attribute that names it where there is none.
    pub fn load(
        &mut self,
        reader: &mut Reader<'_>,
        element: &Element,
        attribute: &Attribute,
        prefix: &Path,
        scale: Vector3<f64>,
    ) -> Option<usize> {
        let path = match reader.resolve(&attribute.value, prefix) {
            Ok(path) => path,
            Err(NoFile::Absent(why) | NoFile::Refused(why)) => {
                reader.wrong_value(element, attribute, why);
                return None;
            }
        };
        let key = format!("{} {:?}", path.display(), scale.as_slice());
        if let Some(known) = self.placed.get(&key) {
            return Some(*known);
        }
        let file = self.file(reader, element, attribute, &path)?;
        let vertices: Vec<Point3<f64>> =
            file.vertices.iter().map(|p| Point3::from(p.coords.component_mul(&scale))).collect();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let index = self.add(name, Some(path), vertices, file.faces.clone(), scale);
        self.placed.insert(key, index);
        Some(index)
    }

    /// A mesh from its numbers; a scale that mirrors turns the triangles around.
    pub fn add(
        &mut self,
        name: String,
        file: Option<PathBuf>,
        vertices: Vec<Point3<f64>>,
        mut faces: Vec<[u32; 3]>,
        scale: Vector3<f64>,
    ) -> usize {
        if scale.product() < 0.0 {
            faces.iter_mut().for_each(|f| f.swap(1, 2));
        }
        self.list.push(Mesh { name, file, vertices: Arc::new(vertices), faces: Arc::new(faces) });
        self.list.len() - 1
    }

    /// The mesh as its file has it.
    pub fn file(
        &mut self,
        reader: &mut Reader<'_>,
        element: &Element,
        attribute: &Attribute,
        path: &Path,
    ) -> Option<Arc<MeshFile>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let options = MeshOptions { unit: 1.0, max_faces: MOST_FACES };
        let read = mesh::read(path, &options);
        let file = match read {
            Ok(mut file) => {
                // Before the scale a size says nothing.
                file.warnings.retain(|w| !w.starts_with("the mesh is "));
                reader.warnings.extend(file.warnings.iter().map(|w| format!("{}: {w}", path.display())));
                reader.files.push(path.to_path_buf());
                Some(Arc::new(file))
            }
            Err(e) => {
                reader.wrong_value(element, attribute, e.to_string());
                None
            }
        };
        self.files.insert(path.to_path_buf(), file.clone());
        file
    }
}

/// Volume, centre and inertia for unit density of what triangles enclose, by signed tetrahedra; holes are not looked for.
///
/// The formulas are those of `fingerpad_contact::surface::mesh::MassProperties`, which refuses open meshes; MuJoCo does not.
pub(super) fn solid(mesh: &Mesh) -> Option<MassProperties> {
    let count = mesh.vertices.len().max(1) as f64;
    let origin = Point3::from(mesh.vertices.iter().map(|p| p.coords / count).sum::<Vector3<f64>>());
    let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
    for face in mesh.faces.iter() {
        let [a, b, c] = face.map(|v| mesh.vertices[v as usize] - origin);
        let v = a.dot(&b.cross(&c)) / 6.0;
        let s = a + b + c;
        volume += v;
        first += s * (v / 4.0);
        second += (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()) * (v / 20.0);
    }
    if !(volume > 0.0 && volume.is_finite()) {
        return None;
    }
    let centre = first / volume;
    let about = second - centre * centre.transpose() * volume;
    let inertia = Matrix3::identity() * about.trace() - about;
    Some(MassProperties { volume, centre: origin + centre, inertia })
}
