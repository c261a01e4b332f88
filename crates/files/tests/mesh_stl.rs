//! STL files, text and binary, as writers make them and as they should not.

use fingerpad_contact::surface::mesh::{MassProperties, TriangleMesh};
use fingerpad_files::mesh::{self, MeshFile, MeshFileError, MeshFormat, MeshOptions};

/// Corner tetrahedron with legs 1: volume 1/6.
const TETRAHEDRON: [[[f32; 3]; 3]; 4] = [
    [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]],
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
    [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
];
const NORMALS: [[f32; 3]; 4] = [[0.0, 0.0, -1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.6, 0.6, 0.6]];

fn binary(header: &[u8], count: u32, flip: f32) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.resize(80, b' ');
    bytes.extend(count.to_le_bytes());
    for (triangle, normal) in TETRAHEDRON.iter().zip(NORMALS) {
        normal.iter().for_each(|x| bytes.extend((x * flip).to_le_bytes()));
        triangle.iter().flatten().for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend([0xaa, 0x55]);
    }
    bytes
}

fn text(newline: &str) -> String {
    let mut text = format!("solid a corner, cut{newline}");
    for (t, n) in TETRAHEDRON.iter().zip(NORMALS) {
        text += &format!("  facet normal {:e} {} {}{newline}    outer loop{newline}", n[0], n[1], n[2]);
        for [x, y, z] in t {
            text += &format!("      vertex {x:e} {y} {z:.6}{newline}");
        }
        text += &format!("    endloop{newline}  endfacet{newline}");
    }
    text + "endsolid a corner, cut" + newline
}

fn read(bytes: &[u8]) -> Result<MeshFile, MeshFileError> {
    mesh::read_bytes(bytes, "corner.stl", &MeshOptions::default())
}

fn refused(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

fn check(read: &MeshFile, unit: f64) {
    assert_eq!((read.vertices.len(), read.faces.len()), (4, 4));
    let (mesh, warnings) = TriangleMesh::new(read.vertices.clone(), read.faces.clone()).unwrap();
    assert_eq!(warnings, []);
    let volume = MassProperties::of(&mesh).unwrap().volume;
    assert!((volume / (unit * unit * unit) - 1.0 / 6.0).abs() < 1e-15, "{volume}");
}

#[test]
fn text_and_binary_give_the_same_tetrahedron() {
    for newline in ["\n", "\r\n", "\r"] {
        let made = read(text(newline).as_bytes()).unwrap();
        assert_eq!(made.format, MeshFormat::StlText);
        assert_eq!(made.warnings, [""; 0]);
        assert_eq!((made.groups[0].name.as_str(), made.groups[0].faces.clone()), ("a corner, cut", 0..4));
        check(&made, 1.0);
    }
    let made = read(&binary(b"made by hand", 4, 1.0)).unwrap();
    assert_eq!((made.format, made.warnings.len(), made.groups.len()), (MeshFormat::StlBinary, 0, 0));
    check(&made, 1.0);
    assert_eq!(made.faces, read(text("\n").as_bytes()).unwrap().faces);
}

#[test]
fn binary_that_begins_with_solid_is_still_binary() {
    for header in [&b"solid part"[..], b"solid facet normal outer loop vertex endsolid"] {
        let made = read(&binary(header, 4, 1.0)).unwrap();
        assert_eq!(made.format, MeshFormat::StlBinary);
        check(&made, 1.0);
    }
}

#[test]
fn units_scale_vertices_and_must_be_positive() {
    let options = MeshOptions { unit: 0.001, ..Default::default() };
    check(&mesh::read_bytes(&binary(b"", 4, 1.0), "mm.stl", &options).unwrap(), 0.001);
    for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = MeshOptions { unit, ..Default::default() };
        let error = mesh::read_bytes(&binary(b"", 4, 1.0), "mm.stl", &options).unwrap_err().to_string();
        assert!(error.starts_with("mm.stl: the unit must be positive and finite"), "{error}");
    }
    // Millimetres taken for metres are told of.
    let options = MeshOptions { unit: 100.0, ..Default::default() };
    let made = mesh::read_bytes(&binary(b"", 4, 1.0), "m.stl", &options).unwrap();
    assert!(made.warnings[0].contains("0.001 for millimetres"), "{:?}", made.warnings);
}

#[test]
fn vertices_are_shared_by_bits_and_zero_has_no_sign() {
    let text = text("\n").replacen("vertex 0e0 0 0.000000", "vertex -0e0 -0.0 -0", 1);
    assert!(text.contains("-0.0"));
    check(&read(text.as_bytes()).unwrap(), 1.0);
}

#[test]
fn truncated_counts_and_trailing_bytes_are_told_of() {
    let whole = binary(b"", 4, 1.0);
    let cut = refused(&whole[..whole.len() - 1]);
    assert_eq!(
        cut,
        "corner.stl: byte 80: expected a count of triangles that fits the 199 bytes after it (50 each), got 4 (a \
         truncated file, or not a binary STL)"
    );
    for lie in [0, 5, 1_000_000_000, u32::MAX] {
        let error = refused(&binary(b"", lie, 1.0));
        assert!(error.contains("byte 80") && error.contains(&format!("got {lie} ")), "{error}");
    }
    assert!(
        refused(&whole[..60]).contains("byte 60: expected text, or a binary STL of at least 84 bytes") || {
            // The header alone is text, and then no OBJ.
            refused(&whole[..60]).contains("no triangles")
        }
    );
    assert!(refused(&[0; 83]).contains("at least 84 bytes"));
    let mut long = whole.clone();
    long.extend(b"tail");
    let made = read(&long).unwrap();
    assert_eq!(made.warnings, ["4 bytes after the 4 triangles that the header announces: ignored"]);
    check(&made, 1.0);
    let one_less = read(&binary(b"", 3, 1.0)).unwrap();
    assert_eq!((one_less.faces.len(), one_less.warnings.len()), (3, 1));
}

#[test]
fn normals_against_the_winding_give_a_warning_only() {
    let made = read(&binary(b"", 4, -1.0)).unwrap();
    assert!(made.warnings[0].starts_with("4 of 4 normals point against the winding"), "{:?}", made.warnings);
    check(&made, 1.0);
    // Zero and NaN normals, as many writers leave them, say nothing.
    for nothing in [0.0, f32::NAN] {
        assert_eq!(read(&binary(b"", 4, nothing)).unwrap().warnings, [""; 0]);
    }
    let odd = text("\n").replace("normal 6e-1", "normal -nan");
    assert_eq!(read(odd.as_bytes()).unwrap().warnings, [""; 0]);
}

#[test]
fn vertices_that_are_not_finite_are_refused_with_their_place() {
    let mut bytes = binary(b"", 4, 1.0);
    let at = 84 + 2 * 50 + 12 + 12;
    bytes[at + 4..at + 8].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = refused(&bytes);
    let expected = "corner.stl: byte 208: expected a finite vertex (corner 2 of triangle 3), got [0.0, NaN, 1.0]";
    assert_eq!(error, expected);
    let error = refused(text("\n").replacen("vertex 1e0 0 0.000000", "vertex inf 0 0", 1).as_bytes());
    assert!(error.starts_with("corner.stl:6:14: expected a finite vertex, not [inf, 0.0, 0.0]"), "{error}");
    // Finite in the file, infinite in metres.
    let options = MeshOptions { unit: 1e308, ..Default::default() };
    let huge = text("\n").replacen("vertex 1e0 0 0.000000", "vertex 1e9 0 0", 1);
    assert!(matches!(mesh::read_bytes(huge.as_bytes(), "x", &options), Err(MeshFileError::Text { line: 6, .. })));
}

#[test]
fn broken_texts_are_refused_with_line_and_column() {
    let good = text("\n");
    let cases = [
        (good.replacen("outer", "inner", 1), "corner.stl:3:5: expected `outer`, got \"inner\""),
        (
            good.replacen("vertex 1e0", "vertex one", 1),
            "corner.stl:6:14: expected three numbers of a vertex, got \"one\"",
        ),
        (good.replacen("endloop", "vertex 1 1 1\nendloop", 1), "corner.stl:7:5: expected `endloop`, got \"vertex\""),
        (good.replacen("endsolid", "endfacet", 1), "corner.stl:30:1: expected `facet` or `endsolid`, got \"endfacet\""),
        (good.clone() + "facet", "corner.stl:31:1: expected `solid`, got \"facet\""),
        (good[..good.len() - 30].to_string(), "expected `endfacet`, got \"en"),
        (
            good.lines().take(29).map(|l| format!("{l}\n")).collect(),
            "corner.stl:29:1: expected `facet` or `endsolid`, got the end of the file",
        ),
        ("solid nothing\nendsolid\n".to_string(), "corner.stl: no triangles (0 vertices); expected at least one"),
    ];
    for (bad, expected) in cases {
        let error = refused(bad.as_bytes());
        assert!(error.contains(expected), "{error}\nis not\n{expected}");
    }
}

#[test]
fn several_solids_are_groups_and_words_may_stand_anywhere() {
    let one = text(" ").replacen("cut ", "cut\n", 1).to_uppercase();
    let both = one.clone() + "\n" + &one.replace("A CORNER, CUT", "second") + "\n";
    let made = read(both.as_bytes()).unwrap();
    let ranges: Vec<_> = made.groups.iter().map(|g| (g.name.as_str(), g.faces.clone())).collect();
    assert_eq!(ranges, [("A CORNER, CUT", 0..4), ("second", 4..8)]);
}

#[test]
fn empty_and_foreign_files_are_named() {
    assert_eq!(refused(b""), "corner.stl: the file is empty; expected an STL, OBJ or COLLADA mesh");
    assert_eq!(refused(b"ply\nformat ascii"), "corner.stl: expected STL, OBJ or COLLADA, got PLY; convert it first");
    assert!(refused(b"glTF\x02\0\0\0").contains("binary glTF"));
    let error = refused(b"hello world\n");
    assert!(error.starts_with("corner.stl:1:1: expected a statement of OBJ"), "{error}");
}

#[test]
fn limits_hold_before_memory_is_taken() {
    let options = MeshOptions { max_faces: 3, ..Default::default() };
    for bytes in [binary(b"", 4, 1.0), text("\n").into_bytes()] {
        let error = mesh::read_bytes(&bytes, "x.stl", &options).unwrap_err();
        assert!(matches!(error, MeshFileError::TooLarge { got: 4, limit: 3, .. }), "{error}");
    }
}

#[test]
fn files_are_read_from_disk_and_folders_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("corner.obj");
    std::fs::write(&path, binary(b"solid", 4, 1.0)).unwrap();
    check(&mesh::read(&path, &MeshOptions::default()).unwrap(), 1.0);
    assert!(matches!(mesh::read(folder.path(), &MeshOptions::default()), Err(MeshFileError::NotAFile { .. })));
    let absent = mesh::read(&folder.path().join("absent.stl"), &MeshOptions::default()).unwrap_err();
    assert!(matches!(absent, MeshFileError::Io { .. }) && absent.to_string().contains("absent.stl"), "{absent}");
}
