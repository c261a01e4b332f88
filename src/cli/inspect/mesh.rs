//! # What is in a mesh file
//!
//! - **in**: an STL, OBJ or COLLADA file, its unit
//! - **out**: counts, whether it encloses a solid, size, mass properties, which surface stands for it and how near that
//!   keeps to the facets
//! - **not here**: reading and checking (`json::mesh`), smoothing (`fingerpad_contact`)
//! - **start at** [`describe`]; [`is_mesh`] tells meshes from maps

use crate::json::mesh::{self, Read};
use crate::outcome::Failure;
use crate::progress::Meter;
use crate::report::run::stage::Stage;
use crate::report::shell::Shell;
use fingerpad_contact::surface::Bounds;
use fingerpad_contact::surface::mesh::smooth::SmoothMesh;
use fingerpad_contact::surface::mesh::topology::Topology;
use fingerpad_contact::surface::mesh::{
    Fidelity, MassProperties, MeshSolid, MeshSurface, MeshWarning, SurfaceChoice, TriangleMesh,
};
use fingerpad_files::mesh::MeshFormat;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Meshes with more triangles are made smooth only when asked for.
const SMOOTHED: usize = 200_000;
/// Bytes that maps in binary form start with: TIFF in both byte orders, BigTIFF, PNG.
const MAP_MAGIC: [&[u8]; 5] = [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"\x89PNG"];
/// Words that lines of OBJ files start with.
const OBJ_WORDS: [&[u8]; 9] = [b"v", b"vn", b"vt", b"f", b"o", b"g", b"s", b"mtllib", b"usemtl"];

/// Whether a file of this name, length (bytes) and start is a mesh: by its content, by its extension where that is mute.
pub fn is_mesh(path: &Path, length: u64, start: &[u8]) -> bool {
    if MAP_MAGIC.iter().any(|magic| start.starts_with(magic)) {
        return false;
    }
    let count = start.get(80..84).map(|b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    let mut lines = start.split(|b| matches!(b, b'\n' | b'\r')).map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
    let word = first.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    count.is_some_and(|n| 84 + 50 * n == length)
        || word.eq_ignore_ascii_case(b"solid")
        || start.windows(8).any(|w| w == b"<COLLADA")
        || OBJ_WORDS.contains(&word)
        || ["stl", "obj", "dae"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// The facts of a mesh; `smooth` asks for smoothing whatever its size.
pub fn describe(path: &Path, unit: f64, smooth: bool, quiet: bool) -> Result<Map<String, Value>, Failure> {
    let meter = mesh::meter(path, quiet);
    let Read { mesh, format, doubts, mut warnings } = mesh::load(path, unit, &meter).map_err(Failure)?;
    let smoothness = smoothness(&mesh, smooth, &mut warnings, &meter);
    let mass = MassProperties::of(&mesh);
    let bounds = mesh.bounds();
    let topology = Topology::new(mesh.vertices(), mesh.faces());
    let bent = |limit: f64| topology.edges.iter().filter(|e| e.bend.abs() > limit).count();
    let creases = bent(mesh::smooth_options().crease_angle);
    let median = median_edge(&mesh, &topology);
    let (faces, vertices) = (mesh.faces().len(), mesh.vertices().len());
    let solid = MeshSolid::new(mesh);
    // An open mesh has no mass, and says so by `watertight`; a solid without volume is worth a word.
    if let (true, Err(e)) = (solid.is_watertight(), &mass) {
        warnings.push(e.to_string());
    }
    let mass = mass.ok();
    let count = |wanted: fn(&MeshWarning) -> Option<usize>| doubts.iter().find_map(wanted).unwrap_or(0);
    let open = count(|w| if let MeshWarning::OpenEdges { count } = w { Some(*count) } else { None });
    let crowded = count(|w| if let MeshWarning::NonManifoldEdges { count } = w { Some(*count) } else { None });
    let rows = |m: MassProperties| m.inertia.row_iter().map(|row| row.iter().copied().collect()).collect();
    let inertia: Option<Vec<Vec<f64>>> = mass.map(rows);
    let facts = [
        ("file", json!(path.display().to_string())),
        ("kind", json!("mesh")),
        ("format", json!(format_name(format))),
        ("unit", json!(unit)),
        ("faces", json!(faces)),
        ("vertices", json!(vertices)),
        ("watertight", json!(solid.is_watertight())),
        ("manifold", json!(solid.is_manifold())),
        ("open_edges", json!(open)),
        ("non_manifold_edges", json!(crowded)),
        ("min", json!(bounds.min.coords.as_slice())),
        ("max", json!(bounds.max.coords.as_slice())),
        ("size", json!((bounds.max - bounds.min).as_slice())),
        ("volume", json!(mass.map(|m| m.volume))),
        ("centre", json!(mass.map(|m| [m.centre.x, m.centre.y, m.centre.z]))),
        ("inertia", json!(inertia)),
        ("edge_length_median", json!(median)),
        ("crease_edges", json!(creases)),
        ("sheets", json!(smoothness.as_ref().map(|s| s.sheets))),
        ("unresolved_share", json!(smoothness.as_ref().map(|s| s.unresolved))),
    ];
    let facts = facts.into_iter().chain(fidelity_facts(smoothness.as_ref().map(|s| &s.fidelity), &bounds));
    let facts = facts.chain([("warnings", json!(warnings))]);
    Ok(facts.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
}

/// The mesh to look at.
pub fn stage(path: &Path, unit: f64, quiet: bool) -> Result<Stage, Failure> {
    let Read { mesh, .. } = mesh::load(path, unit, &mesh::meter(path, quiet)).map_err(Failure)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Stage::of_shell(name, "mesh", Shell::of_mesh(mesh.vertices(), mesh.faces())))
}

fn format_name(format: MeshFormat) -> &'static str {
    match format {
        MeshFormat::StlText => "STL (text)",
        MeshFormat::StlBinary => "STL (binary)",
        MeshFormat::Obj => "OBJ",
        MeshFormat::Collada => "COLLADA",
    }
}

/// Which surface stands for the mesh; unknown if nobody looked.
fn fidelity_facts(chosen: Option<&Fidelity>, bounds: &Bounds) -> [(&'static str, Value); 7] {
    let worst = chosen.and_then(|c| c.worst);
    let bound = chosen.map(|c| c.bound);
    [
        ("surface", json!(chosen.map(|c| c.surface.name()))),
        ("surface_reason", json!(chosen.map(|c| c.reason.to_string()))),
        ("departure_bound", json!(bound)),
        ("departure_bound_share", json!(bound.map(|b| b / (2.0 * bounds.radius())))),
        ("worst_facet", json!(worst.map(|w| w.face))),
        ("worst_facet_at", json!(worst.map(|w| [w.place.x, w.place.y, w.place.z]))),
        ("untrusted_share", json!(chosen.and_then(|c| c.untrusted_share))),
    ]
}

/// Which surface stands for a mesh, and how it can be made smooth.
#[derive(Clone, Debug)]
struct Smoothness {
    /// Sheets that creases cut it into.
    sheets: usize,
    /// Share of vertices where the mesh is too coarse for its shape.
    unresolved: f64,
    /// The surface chosen.
    fidelity: Fidelity,
}

fn smoothness(mesh: &TriangleMesh, asked: bool, warnings: &mut Vec<String>, meter: &Meter) -> Option<Smoothness> {
    let (faces, vertices) = (mesh.faces().len(), mesh.vertices().len());
    if faces > SMOOTHED && !asked {
        warnings.push(format!("sheets are not counted above {SMOOTHED} triangles, got {faces}; ask with --smooth"));
        return None;
    }
    let options = mesh::smooth_options();
    let described = MeshSurface::watched(mesh.clone(), &options, &meter.watch()).and_then(|surface| {
        let fidelity = surface.fidelity().clone();
        let count = |smooth: &SmoothMesh| (smooth.sheets(), smooth.unresolved().len());
        let (sheets, unresolved) = match surface.smooth() {
            Some(smooth) => count(smooth),
            // Taken by its facets: what a smooth surface would be like is told all the same.
            None => count(&SmoothMesh::new(mesh.vertices(), mesh.faces(), &options)?),
        };
        Ok((sheets, unresolved, fidelity))
    });
    match described {
        Ok((sheets, unresolved, fidelity)) => {
            warnings.extend(fidelity.warning());
            if fidelity.surface == SurfaceChoice::Smooth {
                warnings.extend(mesh::too_coarse(unresolved, vertices));
            }
            Some(Smoothness { sheets, unresolved: unresolved as f64 / vertices as f64, fidelity })
        }
        Err(e) => {
            warnings.push(format!("it cannot be made smooth: {e}"));
            None
        }
    }
}

/// Median length of the edges (m).
fn median_edge(mesh: &TriangleMesh, topology: &Topology) -> Option<f64> {
    let length = |ends: [u32; 2]| {
        let [a, b] = ends.map(|v| mesh.vertices()[v as usize]);
        (b - a).norm()
    };
    let mut lengths: Vec<f64> = topology.edges.iter().map(|e| length(e.ends)).collect();
    lengths.sort_unstable_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied()
}
