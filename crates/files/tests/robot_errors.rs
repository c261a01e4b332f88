//! Robots that cannot be used: each is refused with the file, the line and the element; none panics or hangs.

use fingerpad_files::robot::{self, Format, RobotOptions};
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/robots")
}

/// The message about a text, drawn; empty for a robot that can be used.
fn told(text: &str) -> String {
    match robot::read_str(text, "robot.file", &folder(), &RobotOptions::default()) {
        Ok(_) => String::new(),
        Err(e) => e.to_string(),
    }
}

fn refused(text: &str, line: usize, words: &[&str]) {
    let message = told(text);
    for word in words {
        assert!(message.contains(word), "expected `{word}` in\n{message}\nof\n{text}");
    }
    assert!(message.contains(&format!("robot.file:{line}:")), "expected line {line} in\n{message}\nof\n{text}");
}

fn urdf(inside: &str) -> String {
    format!("<robot name=\"r\">\n{inside}\n</robot>")
}

const MASS: &str = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>";

fn two_links(joint: &str) -> String {
    urdf(&format!("<link name=\"a\"/><link name=\"b\">{MASS}</link>\n{joint}"))
}

fn joint(kind: &str, inside: &str) -> String {
    format!("<joint name=\"j\" type=\"{kind}\"><parent link=\"a\"/><child link=\"b\"/>{inside}</joint>")
}

#[test]
fn urdf_with_wrong_structure_is_refused() {
    assert_eq!(told(&two_links(&joint("continuous", ""))), "");
    refused(&urdf("<link name=\"a\"/>\n<link name=\"b\"/>"), 1, &["one root link", "`a`, `b`"]);
    refused(&urdf("<link name=\"a\"/>\n<link name=\"a\"/>"), 3, &["`a`", "used twice"]);
    refused(&urdf(""), 1, &["at least one <link>"]);
    let joints = "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n\
                  <joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>";
    refused(&two_links(joints), 4, &["loop", "`a`", "`b`"]);
    let joints = "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n\
                  <joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>";
    refused(&two_links(joints), 4, &["two parents", "`j`"]);
    refused(
        &two_links("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/>\n<child link=\"bb\"/></joint>"),
        4,
        &["no link is called `bb`", "`b`"],
    );
    refused(&two_links("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"), 3, &["<child"]);
    refused(
        &two_links("<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/><child link=\"b\"/></joint>"),
        3,
        &["itself"],
    );
    refused(&urdf("<lnik name=\"a\"/>"), 2, &["unknown element", "`link`"]);
    refused(&urdf("<link name=\"a\"><colision/></link>"), 2, &["unknown element", "`collision`"]);
    refused("<robot xmlns:xacro=\"x\" name=\"r\"><xacro:macro/></robot>", 1, &["xacro"]);
    refused("<sdf/>", 1, &["<robot>", "<mujoco>"]);
}

#[test]
fn urdf_with_wrong_numbers_is_refused() {
    refused(&two_links(&joint("revolute", "")), 3, &["needs <limit", "continuous"]);
    refused(&two_links(&joint("revolute", "\n<limit lower=\"1\" upper=\"-1\"/>")), 4, &["lower limit", "1 and -1"]);
    refused(&two_links(&joint("continuous", "\n<axis xyz=\"0 0 0\"/>")), 4, &["must not be zero"]);
    refused(&two_links(&joint("continuous", "\n<axis xyz=\"0 0 nan\"/>")), 4, &["finite number", "nan"]);
    refused(&two_links(&joint("continuous", "\n<origin xyz=\"0 0\"/>")), 4, &["expected 3 numbers, got 2"]);
    refused(&two_links(&joint("contineous", "")), 3, &["`continuous`"]);
    refused(&two_links(&joint("continuous", "<mimic joint=\"j\"/>")), 3, &["mimics itself"]);
    refused(&two_links(&joint("continuous", "<mimic joint=\"x\"/>")), 3, &["no joint is called `x`"]);
    refused(&two_links(&joint("continuous", "<dynamics damping=\"-1\"/>")), 3, &["must not be negative"]);
    let inertia = |mass: &str, x: &str| {
        let joint = joint("continuous", "");
        urdf(&format!(
            "<link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"{mass}\"/>\
             <inertia ixx=\"{x}\" iyy=\"1\" izz=\"1\"/></inertial></link>{joint}"
        ))
    };
    assert_eq!(told(&inertia("1", "1")), "");
    // Robots in use exceed what solids have by some share: told, not refused.
    let light = robot::read_str(&inertia("1", "2.5"), "r", &folder(), &RobotOptions::default()).unwrap();
    assert!(light.warnings[0].contains("exceed the sum"), "{:?}", light.warnings);
    refused(&inertia("-1", "1"), 3, &["must not be negative"]);
    refused(&inertia("1", "3"), 3, &["link `b`", "exceed the sum"]);
    refused(&inertia("1", "-1"), 3, &["negative"]);
    refused(&inertia("0", "1"), 3, &["without mass"]);
    let light = urdf(&format!("<link name=\"a\"/><link name=\"b\"/>\n{}", joint("continuous", "")));
    refused(&light, 3, &["no mass"]);
    let point = urdf(&format!(
        "<link name=\"a\"/>\n<link name=\"b\"><inertial><mass value=\"1\"/><inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/></inertial></link>{}",
        joint("continuous", "")
    ));
    refused(&point, 3, &["inertia must be positive"]);
    refused(
        &urdf("<link name=\"a\"><collision><geometry><box size=\"1 -1 1\"/></geometry></collision></link>"),
        2,
        &["positive"],
    );
}

#[test]
fn meshes_that_are_absent_or_outside_are_refused() {
    let mesh = |place: &str, file: &str| {
        urdf(&format!("<link name=\"a\">\n<{place}><geometry><mesh filename=\"{file}\"/></geometry></{place}></link>"))
    };
    assert_eq!(told(&mesh("collision", "meshes/wedge.obj")), "");
    assert_eq!(told(&mesh("collision", "package://robots/meshes/wedge.obj")), "");
    refused(&mesh("collision", "meshes/none.obj"), 3, &["not there"]);
    refused(&mesh("collision", "../../src/lib.rs"), 3, &["outside the robot's folder"]);
    refused(&mesh("collision", "/etc/passwd"), 3, &["outside the robot's folder"]);
    refused(&mesh("visual", "../../../../Cargo.toml"), 3, &["outside the robot's folder"]);
    refused(&mesh("collision", "package://robots/../../src/lib.rs"), 3, &["outside"]);
    refused(&mesh("collision", "package://nowhere/x.stl"), 3, &["not found", "--search"]);
    refused(&mesh("collision", "http://example.org/x.stl"), 3, &["not read"]);
    refused(&mesh("collision", "meshes"), 3, &["expected a file"]);
    // What is only looked at may be absent: a warning.
    let seen = mesh("visual", "meshes/none.obj");
    let robot = robot::read_str(&seen, "r", &folder(), &RobotOptions::default()).unwrap();
    assert!(robot.warnings[0].contains("visual mesh"), "{:?}", robot.warnings);
    // A folder that the user names may be used.
    let outside = mesh("collision", "../robots/meshes/wedge.obj");
    let elsewhere = folder().join("meshes");
    assert!(robot::read_str(&outside, "r", &elsewhere, &RobotOptions::default()).is_err());
    let allowed = RobotOptions { search: vec![folder()] };
    assert!(robot::read_str(&mesh("collision", "../meshes/wedge.obj"), "r", &elsewhere, &allowed).is_ok());
}

fn mjcf(inside: &str) -> String {
    format!("<mujoco>\n{inside}\n</mujoco>")
}

fn body(inside: &str) -> String {
    mjcf(&format!("<worldbody><body name=\"b\">\n{inside}</body></worldbody>"))
}

#[test]
fn mjcf_with_wrong_structure_is_refused() {
    let ball = "<geom size=\"0.1\"/>";
    assert_eq!(told(&body(&format!("<joint/>{ball}"))), "");
    refused(&mjcf("<worldbody/>"), 1, &["no <body>"]);
    refused(&body(&format!("<jiont/>{ball}")), 3, &["unknown element", "`joint`"]);
    refused(&body(&format!("<joint axes=\"0 0 1\"/>{ball}")), 3, &["unknown attribute", "`axis`"]);
    refused(&mjcf("<wordbody/>"), 2, &["unknown section", "`worldbody`"]);
    refused(&body("<joint/>"), 3, &["no mass"]);
    refused(&body(&format!("<joint class=\"x\"/>{ball}")), 3, &["no default class is called `x`"]);
    refused(&body(&format!("<freejoint/><joint/>{ball}")), 3, &["only joint"]);
    refused(&body(&format!("<body name=\"c\"><freejoint/>{ball}</body>{ball}")), 3, &["hang on the world"]);
    refused(&body(&format!("<body name=\"b\">{ball}</body>{ball}")), 3, &["`b`", "used twice"]);
    refused(&body(&format!("<joint name=\"j\"/><joint name=\"j\"/>{ball}")), 3, &["`j`", "used twice"]);
    refused(&body("<geom type=\"mesh\" mesh=\"none\"/>"), 3, &["no mesh is called `none`"]);
    refused(&body("<replicate count=\"3\"/>"), 3, &["not read"]);
    let after = |section: &str| {
        mjcf(&format!("<worldbody><body name=\"b\"><joint name=\"j\"/>{ball}</body></worldbody>\n{section}"))
    };
    refused(&after("<actuator><motor joint=\"k\"/></actuator>"), 3, &["no joint is called `k`", "`j`"]);
    refused(&after("<actuator><motor/></actuator>"), 3, &["needs `joint` or `tendon`"]);
    refused(&after("<contact><exclude body1=\"b\" body2=\"c\"/></contact>"), 3, &["no body is called `c`"]);
    refused(&after("<tendon><fixed name=\"t\"/></tendon>"), 3, &["at least one <joint"]);
    refused(&after("<equality><joint joint1=\"x\"/></equality>"), 3, &["no joint is called `x`"]);
    refused(&after("<keyframe><key qpos=\"1 2\"/></keyframe>"), 3, &["expected 1 numbers", "got 2"]);
    refused(&after("<default><default class=\"a\"/><default class=\"a\"/></default>"), 3, &["`a` is used twice"]);
}

#[test]
fn mjcf_with_wrong_numbers_is_refused() {
    let ball = "<geom size=\"0.1\"/>";
    refused(&body("<geom size=\"-0.1\"/>"), 3, &["positive sizes"]);
    refused(&body("<geom type=\"box\" size=\"0.1\"/>"), 3, &["3 positive sizes"]);
    refused(&body("<geom type=\"capsule\" size=\"0.1\" fromto=\"0 0 0 0 0 0\"/>"), 3, &["must not coincide"]);
    refused(&body(&format!("<joint range=\"1 -1\"/>{ball}")), 3, &["lower limit"]);
    refused(&body(&format!("<joint limited=\"true\"/>{ball}")), 3, &["needs `range`"]);
    refused(&body(&format!("<joint axis=\"0 0 0\"/>{ball}")), 3, &["axis", "zero"]);
    refused(&body(&format!("<joint armature=\"-1\"/>{ball}")), 3, &["must not be negative"]);
    refused(
        &body("<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 3\"/>"),
        3,
        &["exceed the sum", "balanceinertia"],
    );
    refused(&body("<inertial pos=\"0 0 0\" mass=\"1\"/>"), 3, &["diaginertia"]);
    refused(&body(&format!("<geom size=\"1\" quat=\"0 0 0 0\"/>{ball}")), 3, &["no orientation"]);
    refused(&body(&format!("<geom size=\"1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>{ball}")), 3, &["one orientation"]);
    refused(&mjcf("<compiler angle=\"grad\"/>"), 2, &["`angle`", "radian"]);
    refused(&mjcf("<compiler coordinate=\"global\"/>"), 2, &["global"]);
}

/// Files that include themselves or each other, entities that grow, nesting without end.
#[test]
fn bombs_and_circles_are_refused_at_once() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    file("self.xml", "<mujoco>\n<include file=\"self.xml\"/></mujoco>");
    file("a.xml", "<mujoco><include file=\"b.xml\"/></mujoco>");
    file("b.xml", "<mujoco>\n\n<include file=\"a.xml\"/></mujoco>");
    file("away.xml", "<mujoco>\n<include file=\"../a.xml\"/></mujoco>");
    let read = |name: &str| robot::read(&place.path().join(name), &RobotOptions::default()).unwrap_err().to_string();
    assert!(read("self.xml").contains("included already") && read("self.xml").contains("self.xml:2:"));
    assert!(read("a.xml").contains("included already") && read("a.xml").contains("b.xml:3:"));
    let away = read("away.xml");
    assert!(away.contains("not there") || away.contains("outside"), "{away}");
    assert!(read("none.xml").contains("none.xml"));
    let start = Instant::now();
    let laughs = (0..30).map(|k| format!("<!ENTITY l{} \"&l{k};&l{k};\">", k + 1)).collect::<String>();
    let bomb = format!("<!DOCTYPE robot [<!ENTITY l0 \"lol\">{laughs}]>\n<robot name=\"&l30;\"/>");
    assert!(told(&bomb).contains("DOCTYPE"));
    for depth in [300, 200_000] {
        let deep = mjcf(&format!("<worldbody>{}{}</worldbody>", "<body>".repeat(depth), "</body>".repeat(depth)));
        assert!(told(&deep).contains("nested deeper"));
    }
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// Everything without effect is listed, once a kind, with its first line.
#[test]
fn what_is_ignored_is_listed() {
    let robot =
        robot::read(&folder().join("everything.xml"), &RobotOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(robot.format, Format::Mjcf);
    let listed =
        |element: &str| robot.ignored.iter().find(|i| i.element == element).unwrap_or_else(|| panic!("{element}"));
    assert_eq!((listed("option").place.line, listed("sensor").place.line), (4, 109));
    assert!(listed("geom friction").why.contains("no physical meaning"));
    assert!(listed("spatial").why.contains("not modelled"));
    assert!(listed("intvelocity").why.contains("not modelled"));
    assert_eq!(listed("texture").place.file.rsplit('/').next(), Some("everything_assets.xml"));
    let arm = robot::read(&folder().join("arm.urdf"), &RobotOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    for element in ["safety_controller", "gazebo", "material", "limit velocity", "drake:actuator"] {
        assert!(arm.ignored.iter().any(|i| i.element == element), "{element}");
    }
}

/// Every collision pair that neighbours or the file rule out, and none besides.
#[test]
fn neighbours_and_excluded_links_do_not_touch() {
    let robot = robot::read(&folder().join("everything.xml"), &RobotOptions::default()).unwrap();
    let link = |name: &str| robot.link(name).unwrap();
    let touch = |a: &str, b: &str| robot.may_touch(link(a), link(b)) && robot.may_touch(link(b), link(a));
    assert!(!touch("base", "f1a") && !touch("f1a", "f1b") && !touch("base", "f1b") && !touch("base", "welded"));
    assert!(touch("f1a", "f1c") && touch("f1a", "f2a") && touch("world", "f1a") && touch("world", "object"));
    assert!(!touch("welded", "f1a"), "a link welded to the base is the base");
}

fn sources() -> Vec<String> {
    let text = |name: &str| std::fs::read_to_string(folder().join(name)).unwrap();
    vec![text("everything.xml"), text("masses.xml"), text("arm.urdf")]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Bytes dropped, doubled, exchanged or replaced: an answer comes, and soon.
    #[test]
    fn mutated_robots_give_an_answer(
        which in 0_usize..3,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..7, any::<prop::sample::Index>(), 1_usize..60), 1..6),
    ) {
        let words = ["0", "-1", "1e308", "nan", "name", "<body>", "</body>", "\"", "class=\"finger\"", "<joint/>", "1 2 3", "&lt;", "ball", "mesh"];
        let mut text = sources().swap_remove(which).into_bytes();
        for (at, kind, other, length) in edits {
            let i = at.index(text.len().max(1)).min(text.len());
            let end = (i + length).min(text.len());
            match kind {
                0 => drop(text.drain(i..end)),
                1 => { let part = text[i..end].to_vec(); text.splice(i..i, part); }
                2 => { let j = other.index(text.len().max(1)); if i < text.len() && j < text.len() { text.swap(i, j); } }
                3 => { if i < text.len() { text[i] = b'0' + (length % 10) as u8; } }
                _ => { text.splice(i..end.min(i + 3), words[other.index(words.len())].bytes()); }
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let start = Instant::now();
        if let Err(e) = robot::read_str(&text, "mutated", &folder(), &RobotOptions::default()) {
            prop_assert!(!e.problems().is_empty());
            prop_assert!(!e.to_string().is_empty());
        }
        prop_assert!(start.elapsed() < Duration::from_secs(10));
    }
}
