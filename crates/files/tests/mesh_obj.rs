//! OBJ files: every way to write a face, and every way to get it wrong.

use fingerpad_contact::surface::mesh::{MassProperties, TriangleMesh};
use fingerpad_files::mesh::{self, MeshFile, MeshFileError, MeshFormat, MeshOptions};
use nalgebra::Point3;

const CORNERS: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";

fn read(text: &str) -> Result<MeshFile, MeshFileError> {
    mesh::read_bytes(text.as_bytes(), "part.obj", &MeshOptions::default())
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

/// Volume 1/6 whatever the way its faces are written.
fn check(text: &str) {
    let made = read(text).unwrap();
    assert_eq!((made.format, made.warnings.len()), (MeshFormat::Obj, 0), "{:?}", made.warnings);
    let (mesh, _) = TriangleMesh::new(made.vertices, made.faces).unwrap();
    assert!((MassProperties::of(&mesh).unwrap().volume - 1.0 / 6.0).abs() < 1e-16, "{text}");
}

#[test]
fn every_way_to_write_a_corner_names_the_same_vertex() {
    for faces in [
        "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
        "f 1/1 3/2 2/3\nf 1/1 2/1 4/1\nf 1/ 4/ 3/\nf 2/9 3/9 4/9\n",
        "f 1//1 3//1 2//1\nf 1//2 2//2 4//2\nf 1//3 4//3 3//3\nf 2//4 3//4 4//4\n",
        "f 1/5/1 3/5/1 2/5/1\nf 1/5/2 2/5/2 4/5/2\nf 1/5/3 4/5/3 3/5/3\nf 2/-5/4 3/5/-4 4/5/4\n",
        "f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1",
        "f 1 \\\n3 \\\n2\nf 1 2\\\n 4\nf 1 4 3\nf 2 3 \\\n\\\n4\n",
        "  f\t1  3 2   # base\n# f 9 9 9\n\nfo 1 2 4\ns off\nusemtl red\nf 1 4 3\nvn 0 0 1\nvt 0 0\nf 2 3 4 # end",
    ] {
        check(&format!("{CORNERS}{faces}"));
        check(&format!("\u{feff}mtllib a.mtl\n{CORNERS}{faces}").replace('\n', "\r\n"));
    }
}

#[test]
fn vertices_may_carry_weights_and_colours() {
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    check(&format!("v 0 0 0 1\nv 1 0 0 1.0\nv 0 1 0 0.5 0.5 0.5\nv 0 0 1e0 1 0.1 0.2 0.3\n{faces}"));
    let made = read(&format!("v 0 0 0 0.5\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{faces}")).unwrap();
    assert_eq!(made.warnings, ["1 vertices have a weight other than 1: ignored (first on line 1: `v`)"]);
    for (line, expected) in [
        ("v 1 2", "part.obj:1:1: expected 3, 4, 6 or 7 numbers after `v`, not 2, got \"v\""),
        ("v 1 2 3 4 5", "not 5"),
        ("v 1 2 3 4 5 6 7 8", "part.obj:1:17: expected at most 7 numbers after `v`, got \"8\""),
        ("v 1 two 3", "part.obj:1:5: expected a number, got \"two\""),
        ("v 1 nan 3", "part.obj:1:3: expected a finite vertex, not [1.0, NaN, 3.0]"),
        ("v 1 2 -inf", "expected a finite vertex"),
        ("v 1 2 1e999", "expected a finite vertex"),
    ] {
        let error = refused(line);
        assert!(error.contains(expected), "{error}\nis not\n{expected}");
    }
}

#[test]
fn wrong_corners_are_refused_with_line_and_column() {
    for (face, expected) in [
        ("f 1 2 5", "part.obj:5:7: expected a vertex from 1 to 4 or -4 to -1 (those above this line), got \"5\""),
        ("f 1 0 2", "part.obj:5:5: expected a vertex"),
        ("f 1 -5 2", "part.obj:5:5: expected a vertex"),
        ("f 1 9223372036854775807 -9223372036854775808", "part.obj:5:5"),
        ("f 1 -9223372036854775808 1", "part.obj:5:5"),
        ("f 1 99999999999999999999 2", "part.obj:5:5: expected a corner as `1`, `1/2`, `1//3` or `1/2/3`"),
        ("f 1 2.5 3", "expected a corner"),
        ("f 1 2/a 3", "expected a corner"),
        ("f 1 2/1/1/1 3", "expected a corner"),
        ("f 1 /2 3", "expected a corner"),
        ("f 1 2", "part.obj:5:1: expected at least 3 corners after `f`, not 2"),
        ("f", "not 0"),
        ("f 1 \\\n 2 7", "part.obj:5:9: expected a vertex"),
        ("f 1 2 3\nv 0 0 9\nf 5 6 1\nv 1 1 1", "part.obj:7:5"),
    ] {
        let error = refused(&format!("{CORNERS}{face}\n"));
        assert!(error.contains(expected), "{error}\nis not\n{expected}");
    }
}

fn area(made: &MeshFile) -> (f64, bool) {
    let mut total = 0.0;
    let mut all_up = true;
    for f in &made.faces {
        let [a, b, c]: [Point3<f64>; 3] = f.map(|v| made.vertices[v as usize]);
        let z = (b - a).cross(&(c - a)).z / 2.0;
        total += z;
        all_up &= z >= 0.0;
    }
    (total, all_up)
}

#[test]
fn polygons_become_fans_that_do_not_fold() {
    let quad = read("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3 4").unwrap();
    assert_eq!(quad.faces, [[0, 1, 2], [0, 2, 3]]);
    // An arrow head: a fan from its first corner would fold, one from the dent does not.
    let arrow = read("v 0 0 0\nv 2 1 0\nv 0 2 0\nv 0.5 1 0\nf 1 2 3 4").unwrap();
    assert_eq!((arrow.faces.len(), area(&arrow), arrow.warnings.len()), (2, (1.5, true), 0));
    let hexagon: String = (0..6)
        .map(|k| (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos())
        .map(|(s, c)| format!("v {c} {s} 0\n"))
        .collect();
    let made = read(&(hexagon + "f 1 2 3 4 5 6")).unwrap();
    assert!((area(&made).0 - 1.5 * 3.0_f64.sqrt()).abs() < 1e-14 && area(&made).1);
    // A comb has no corner that sees all others: told of, and the area is right with its signs.
    let comb = "v 0 0 0\nv 6 0 0\nv 6 3 0\nv 5 1 0\nv 4 3 0\nv 3 1 0\nv 2 3 0\nv 1 1 0\nv 0 3 0\nf 1 2 3 4 5 6 7 8 9";
    let made = read(comb).unwrap();
    assert!(made.warnings[0].starts_with("1 concave polygons"), "{:?}", made.warnings);
    assert!(made.warnings[0].contains("line 10: `f with 9 corners`"));
    let exact = 18.0 - 3.0 * 2.0;
    assert!((area(&made).0 - exact).abs() < 1e-12, "{}", area(&made).0);
}

#[test]
fn objects_and_groups_are_ranges_of_triangles() {
    let text = format!(
        "{CORNERS}f 1 3 2\no body\ng left side\nf 1 2 4\nf 1 4 3\ng\ng empty\no lid\nv 1 1 1\nf 2 5 3\nf 2 3 5 4\n"
    );
    let made = read(&text).unwrap();
    let groups: Vec<_> = made.groups.iter().map(|g| (g.name.as_str(), g.faces.clone())).collect();
    assert_eq!(groups, [("left side", 1..3), ("lid", 3..6)]);
}

#[test]
fn other_statements_are_passed_over_or_told_of() {
    let made = read(&format!("{CORNERS}l 1 2\np 1\nf 1 2 3\nwibble 1 2\ncurv 0 1 1 2\n")).unwrap();
    assert_eq!(
        made.warnings,
        [
            "3 statements of lines, curves or free-form surfaces were ignored (first on line 5: `l`)",
            "1 unknown statements were ignored (first on line 8: `wibble`)",
        ]
    );
    assert!(refused("wibble 1 2\nv 0 0 0\n").starts_with("part.obj:1:1: expected a statement of OBJ"));
    assert_eq!(refused(CORNERS), "part.obj: no triangles (4 vertices); expected at least one");
    assert_eq!(refused("# nothing\n\n"), "part.obj: no triangles (0 vertices); expected at least one");
}

#[test]
fn units_scale_vertices() {
    let options = MeshOptions { unit: 0.0254, ..Default::default() };
    let made = mesh::read_bytes(format!("{CORNERS}f 1 2 3").as_bytes(), "inch.obj", &options).unwrap();
    assert_eq!(made.vertices[1], Point3::new(0.0254, 0.0, 0.0));
}
