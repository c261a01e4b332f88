//! COLLADA: units, axes, nodes in nodes, instances of instances; files that lie.

use fingerpad_files::mesh::{self, MeshFormat, MeshOptions, read_bytes};
use nalgebra::{Point3, Vector3};
use std::path::Path;

fn nodes() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/robots/meshes/nodes.dae");
    std::fs::read_to_string(path).unwrap()
}

fn volume(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> f64 {
    let tetrahedron = |f: &[u32; 3]| {
        let [a, b, c]: [Vector3<f64>; 3] = f.map(|v| vertices[v as usize].coords);
        a.dot(&b.cross(&c)) / 6.0
    };
    faces.iter().map(tetrahedron).sum()
}

/// Would catch transformations composed the wrong way (z = 10 m), instances lost, y up left as it is, and a mirrored node
/// that turns its triangles inside out.
#[test]
fn nodes_and_instances_are_placed_in_metres_with_z_up() {
    let mesh = read_bytes(nodes().as_bytes(), "nodes.dae", &MeshOptions::default()).unwrap();
    assert_eq!((mesh.format, mesh.faces.len(), mesh.groups.len()), (MeshFormat::Collada, 12, 3));
    let has = |x: f64, y: f64, z: f64| mesh.vertices.iter().any(|p| (p - Point3::new(x, y, z)).amax() < 1e-12);
    // Unit 1 mm: (1, 0, 0) · 2 and 5000 along z, which becomes −y.
    assert!(has(0.002, -5.0, 0.0) && has(0.0, -5.002, 0.0) && has(0.0, -5.0, 0.002));
    // Mirrored x, 7 more along z; the second of the pair turned by 90° and moved by 10.
    assert!(has(-0.001, -5.007, 0.0) && has(-0.01, -5.007, 0.001) && has(-0.009, -5.007, 0.0));
    for group in &mesh.groups {
        let v = volume(&mesh.vertices, &mesh.faces[group.faces.clone()]);
        assert!(v > 0.0, "{} is inside out", group.name);
    }
    let whole = volume(&mesh.vertices, &mesh.faces);
    assert!((whole / (10.0 / 6.0 * 1e-9) - 1.0).abs() < 1e-6, "{whole}");
    assert!(mesh.warnings.iter().any(|w| w.contains("Y_UP")) && mesh.warnings.iter().any(|w| w.contains("0.001 m")));
}

#[test]
fn collada_that_lies_is_refused() {
    let told = |text: String| read_bytes(text.as_bytes(), "x.dae", &MeshOptions::default()).unwrap_err().to_string();
    assert!(told(nodes().replace("#tetra", "#none")).contains("id of an element"));
    assert!(told(nodes().replace("0 3 2 1 2 3", "0 3 2 1 2 9")).contains("vertices from 0 to 3, got 9"));
    assert!(told(nodes().replace("<vcount>3 3", "<vcount>3 30")).contains("as many corners"));
    assert!(told(nodes().replace("meter=\"0.001\"", "meter=\"-1\"")).contains("positive number"));
    assert!(told(nodes().replace("Y_UP", "W_UP")).contains("Z_UP"));
    assert!(told(nodes().replace("1 0 0 0 1 0", "1 0 0 x 1 0")).contains("finite numbers"));
    assert!(told("<robot/>".to_string()).contains("<COLLADA>"));
    // A node that holds itself twice would grow without end.
    let inside = "<instance_node url=\"#pair\"/><instance_node url=\"#pair\"/>";
    assert!(told(nodes().replace("<node id=\"pair\">", &format!("<node id=\"pair\">{inside}"))).contains("nested"));
    assert!(mesh::read(Path::new("none.dae"), &MeshOptions::default()).is_err());
}
