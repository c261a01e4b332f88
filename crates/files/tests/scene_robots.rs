//! `[[robot]]` in scenes: links where the robot's own kinematics puts them, surfaces that touch as its file says, motion that
//! follows from statics and free fall in every stepper; bad tables refused with their places.

use fingerpad_files::robot::{self, Robot, RobotOptions};
use fingerpad_files::scene::{Built, Scene, SceneError};
use fingerpad_sim::{FixedStep, JointId, Model, Rigid, State, Stepper, Switching};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

const HEAD: &str = r#"
[scene]
name = "robots"
duration = 1.0
[materials.steel]
young = "200 GPa"
poisson = 0.3
friction = 0.5
hunt_crossley = 20.0
[materials.rubber]
layer = { modulus = "1 MPa", depth = "4 mm" }
friction = 0.9
hunt_crossley = 20.0
"#;

fn build(rest: &str) -> Result<Built, SceneError> {
    Scene::parse(&format!("{HEAD}{rest}"), "scene.toml", &root(), &[])?.build(&mut |_| {})
}

fn built(rest: &str) -> Built {
    build(rest).unwrap_or_else(|e| panic!("{e}"))
}

fn read(file: &str) -> Robot {
    robot::read(&root().join(file), &RobotOptions::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn body(model: &Model, name: &str) -> usize {
    model.bodies().iter().position(|body| body.name == name).unwrap_or_else(|| panic!("no body {name}"))
}

fn pose(model: &Model, state: &State, name: &str) -> Isometry3<f64> {
    let k = body(model, name);
    model.frame(k, &state.bodies[k].X_WBcm)
}

fn apart(a: &Isometry3<f64>, b: &Isometry3<f64>) -> f64 {
    (a.translation.vector - b.translation.vector).norm() + a.rotation.angle_to(&b.rotation)
}

/// Runs a model in all three steppers and hands each end to a judge.
fn in_each(model: &Model, until: f64, mut judge: impl FnMut(&str, &State)) {
    fn run<S: Stepper>(stepper: &S, model: &Model, until: f64) -> State {
        let mut state = model.start().unwrap();
        let mut work = stepper.workspace(model, &state).unwrap();
        stepper.advance(model, &mut state, &mut work, until).unwrap_or_else(|e| panic!("{e}"));
        state
    }
    judge("accurate", &run(&Switching::default(), model, until));
    judge("fast", &run(&FixedStep { step: 1e-3, ..FixedStep::default() }, model, until));
    judge("rigid", &run(&Rigid::with_step(1e-3), model, until));
}

const HELD: &str = r#"
[[robot]]
name = "jaw"
file = "robots/parallel-jaw.urdf"
position = [0.3, -0.2, 0.5]
orientation = { rpy = [0.4, -0.3, 1.1] }
materials = { default = "steel" }
start = { slide_left = "12 mm" }

[[robot]]
name = "hand"
file = "robots/three-finger.urdf"
position = [-0.3, 0, 0.5]
materials = { default = "steel" }
start = { a_base = "20 deg", a_tip = 0.5, b_base = -0.3 }
"#;

/// Links stand where the chain of joint frames of the description puts them, which MuJoCo and Pinocchio have judged
/// elsewhere. A mimic joint goes with its leader. Would catch frames of bodies, joints and surfaces mixed up.
#[test]
fn links_stand_where_kinematics_puts_them() {
    let model = built(HELD).model;
    let state = model.start().unwrap();
    let q = |pairs: &[(&str, f64)]| pairs.iter().map(|(k, v)| (k.to_string(), *v)).collect::<HashMap<_, _>>();
    let rotated =
        Isometry3::from_parts(Translation3::new(0.3, -0.2, 0.5), UnitQuaternion::from_euler_angles(0.4, -0.3, 1.1));
    for (name, file, base, q) in [
        ("jaw", "robots/parallel-jaw.urdf", rotated, q(&[("slide_left", 0.012), ("slide_right", 0.012)])),
        (
            "hand",
            "robots/three-finger.urdf",
            Isometry3::translation(-0.3, 0.0, 0.5),
            q(&[("a_base", 20_f64.to_radians()), ("a_tip", 0.5), ("b_base", -0.3)]),
        ),
    ] {
        let robot = read(file);
        let poses = robot.poses(|joint| q.get(&joint.name).copied().unwrap_or(0.0));
        for (link, X_RL) in robot.links.iter().zip(&poses) {
            let at = pose(&model, &state, &format!("{name}/{}", link.name));
            assert!(apart(&at, &(base * X_RL)) < 1e-14, "{name}/{}", link.name);
            // Each surface is where the file has it on its link, and is told by the link's name.
            for (k, shape) in link.shapes.iter().enumerate() {
                let part = body(&model, &format!("{name}/{}#{}", link.name, k + 1));
                let at = model.frame(part, &state.bodies[part].X_WBcm);
                assert!(apart(&at, &(base * X_RL * shape.X_BS)) < 1e-14, "{name}/{} shape {k}", link.name);
                assert_eq!(model.name(part), format!("{name}/{}", link.name));
            }
        }
        let mass: f64 = model.bodies().iter().filter(|b| b.name.starts_with(&format!("{name}/"))).map(|b| b.mass).sum();
        assert!((mass - robot.total_mass()).abs() < 1e-15);
    }
}

/// The file with every element of MJCF, less its equalities: no pose meets them all, as MuJoCo's soft ones need not.
fn everything() -> (tempfile::TempDir, String) {
    let (from, to) = (root().join("crates/files/tests/robots"), tempfile::tempdir().unwrap());
    for file in std::fs::read_dir(&from).unwrap().chain(std::fs::read_dir(from.join("meshes")).unwrap()) {
        let path = file.unwrap().path();
        let place = to.path().join(path.strip_prefix(&from).unwrap());
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        if path.is_file() {
            std::fs::copy(&path, place).unwrap();
        }
    }
    let text = std::fs::read_to_string(from.join("everything.xml")).unwrap();
    let (start, end) = (text.find("<equality>").unwrap(), text.find("</equality>").unwrap() + "</equality>".len());
    let file = to.path().join("everything.xml");
    // Nor its height field, beside whose rim the robot stands.
    let kept = format!("{}{}", &text[..start], &text[end..]);
    let kept: Vec<&str> = kept.lines().filter(|line| !line.contains("type=\"hfield\"")).collect();
    std::fs::write(&file, kept.join("\n")).unwrap();
    let name = file.to_str().unwrap().to_string();
    (to, name)
}

/// Every element of MJCF at once, on a turned base: chains of joints on one body, a ball, a slide, `ref`, a free body, frames
/// of joints away from the body's. Poses against the description's own recursion at the file's drawing.
#[test]
fn links_of_mjcf_stand_where_the_file_draws_them() {
    let (_folder, file) = everything();
    let robot = read(&file);
    let base =
        Isometry3::from_parts(Translation3::new(0.1, 0.2, 3.0), UnitQuaternion::from_euler_angles(0.2, 0.1, -0.5));
    let rest = format!(
        "[[robot]]\nname = \"all\"\nfile = \"{file}\"\nposition = [0.1, 0.2, 3.0]\n\
         orientation = {{ rpy = [0.2, 0.1, -0.5] }}\nmaterials = {{ default = \"steel\" }}\nself_contact = false\n"
    );
    let model = built(&rest).model;
    let state = model.start().unwrap();
    // Couplings and limits move some joints away from where the file draws them.
    let at = |joint: &robot::description::Joint| {
        let found = model.joints().iter().position(|known| known.name == format!("all/{}", joint.name));
        found.map_or(0.0, |k| model.joint_state(&state, JointId(k)).0.first().copied().unwrap_or(0.0))
    };
    let drawn = robot.joints.iter().filter(|joint| (at(joint) - joint.reference).abs() < 1e-12).count();
    assert!(drawn + 4 >= robot.joints.len(), "{drawn} of {}", robot.joints.len());
    let poses = robot.poses(at);
    for (link, X_RL) in robot.links.iter().zip(&poses) {
        let at = pose(&model, &state, &format!("all/{}", link.name));
        assert!(apart(&at, &(base * X_RL)) < 1e-12, "{}: {:e}", link.name, apart(&at, &(base * X_RL)));
    }
}

/// Whether two surfaces may touch is asked of the description again, pair by pair.
#[test]
fn neighbours_and_excluded_links_pass_through_each_other() {
    let (_folder, all) = everything();
    for (file, own) in [("robots/three-finger.urdf", true), ("robots/three-finger.urdf", false), (&all, true)] {
        let robot = read(file);
        let rest = format!(
            "[[robot]]\nname = \"r\"\nfile = \"{file}\"\nmaterials = {{ default = \"steel\" }}\nself_contact = {own}\n"
        );
        let model = built(&rest).model;
        let link_of = |k: usize| robot.link(model.name(k).strip_prefix("r/").unwrap()).unwrap();
        let (mut touching, mut through) = (0, 0);
        for j in 0..model.bodies().len() {
            for i in (0..j).filter(|i| model.bodies()[*i].touches && model.bodies()[j].touches) {
                let moved = [i, j].iter().any(|k| model.bodies()[*k].mobility.is_moved_by_forces());
                let (a, b) = (link_of(i), link_of(j));
                let shape = |k: usize| {
                    let number: usize = model.bodies()[k].name.rsplit('#').next().unwrap().parse().unwrap();
                    robot.links[link_of(k)]
                        .shapes
                        .iter()
                        .enumerate()
                        .filter(|(_, s)| s.touches)
                        .nth(number - 1)
                        .unwrap()
                };
                let ((ka, sa), (kb, sb)) = (shape(i), shape(j));
                let named = robot.pairs.iter().any(|p| {
                    let mut at = p.map(|s| (s.link, s.shape));
                    at.sort_unstable();
                    let mut ours = [(a, ka), (b, kb)];
                    ours.sort_unstable();
                    at == ours
                });
                let bits = sa.bits[0] & sb.bits[1] != 0 || sb.bits[0] & sa.bits[1] != 0;
                let may = own && moved && (named || (robot.may_touch(a, b) && bits));
                assert_eq!(model.between(i, j).is_some(), may, "{} {}", model.bodies()[i].name, model.bodies()[j].name);
                if may { touching += 1 } else { through += 1 }
            }
        }
        assert!(through > 0 && (touching > 0 || !own), "{file}");
    }
}

/// A robot that floats falls as a whole: its centre of mass by g t²/2, whatever its joints do on the way.
#[test]
fn a_free_robot_falls_by_its_centre_of_mass() {
    let rest = "[[robot]]\nname = \"hand\"\nfile = \"robots/three-finger.urdf\"\nbase = \"free\"\nposition = [0, 0, 1]\n\
                orientation = { rpy = [0.7, 0.2, 0] }\nmaterials = { default = \"steel\" }\n\
                start = { a_tip = 1.0, b_tip = 0.5 }\n";
    let model = built(rest).model;
    let centre = |state: &State| {
        let of = model.bodies().iter().zip(&state.bodies);
        let sum: Vector3<f64> = of.map(|(body, now)| now.X_WBcm.translation.vector * body.mass).sum();
        sum / model.bodies().iter().map(|body| body.mass).sum::<f64>()
    };
    let start = centre(&model.start().unwrap());
    in_each(&model, 0.2, |stepper, state| {
        let fallen = centre(state) - start - Vector3::new(0.0, 0.0, -0.5 * 9.81 * 0.2 * 0.2);
        // Dampers of joints make steps of rigid contacts first order: at most half a step of fall.
        let bound = if stepper == "rigid" { 0.5 * 1e-3 * 9.81 * 0.2 } else { 1e-10 };
        assert!(fallen.norm() < bound, "{stepper}: {fallen:?}");
    });
}

/// Three steppers move two limp robots alike, on bases that are turned. Would catch fixed links that seem to move by
/// rounding, which kept the accurate stepper from any step at all, and limits that rounding passes again and again.
#[test]
fn limp_robots_move_alike_in_every_stepper() {
    let model = built(HELD).model;
    let mut ends: Vec<Vec<f64>> = Vec::new();
    in_each(&model, 0.05, |_, state| {
        let of = |k: usize| model.joint_state(state, JointId(k)).0.to_vec();
        ends.push((0..model.joints().len()).flat_map(of).collect());
    });
    let start = model.start().unwrap();
    let before = (0..model.joints().len()).flat_map(|k| model.joint_state(&start, JointId(k)).0.to_vec());
    let moved = before.zip(&ends[0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved > 0.02, "{moved}");
    // Fixed steps are second order here, steps of rigid contacts with damped joints first order: h g t over a link's length.
    for (end, bound) in [(&ends[1], 1e-3), (&ends[2], 2e-2)] {
        let apart = ends[0].iter().zip(end).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < bound, "{apart}: {end:?} against {:?}", ends[0]);
    }
}

const GRIPPED: &str = r#"
[[body]]
name = "block"
shape = { type = "box", half_extents = [0.02, 0.015, 0.02] }
mass = 0.2
material = "steel"
position = [0, 0, 0.035]

[[robot]]
name = "jaw"
file = "robots/parallel-jaw.urdf"
position = [0, 0, 0.155]
orientation = { axis = [1, 0, 0], angle = "180 deg" }
materials = { default = "steel" }
pads = { finger_left = { material = "rubber" }, finger_right = { material = "rubber" } }
start = { slide_left = "14.9 mm" }

[[event]]
type = "push"
body = "jaw/finger_left"
force = [0, 12, 0]
from = 0
[[event]]
type = "push"
body = "jaw/finger_right"
force = [0, -12, 0]
from = 0
"#;

/// Two fingers pushed with 12 N each hold a block of 0.2 kg in the air: each pad carries 12 N. The pads overlap the block
/// over 20 mm × 25 mm; a layer of modulus E and depth d gives δ = F d/(E A) = 0.096 mm there.
#[test]
fn a_jaw_pushed_together_holds_a_block() {
    let model = built(GRIPPED).model;
    let (force, area) = (12.0, 0.02 * 0.025);
    let depth = force * 0.004 / (1e6 * area);
    in_each(&model, 0.5, |stepper, state| {
        let block = pose(&model, state, "block");
        assert!(block.translation.z > 0.034, "{stepper}: the block fell to {}", block.translation.z);
        let left = pose(&model, state, "jaw/finger_left").translation.y;
        let overlap = 0.015 - left.abs();
        let expected = if stepper == "rigid" { 0.0 } else { depth };
        // Edges are rounded by 0.15 mm to 0.2 mm, which takes 2 % of the area.
        assert!((overlap - expected).abs() < 0.05 * depth, "{stepper}: {overlap:e} against {expected:e}");
    });
}

/// A pad of its own on a link: an ellipsoid under a layer, pressed on a plane. For a foundation of modulus E and depth d
/// under an ellipsoid of radii R1, R2 at the pole the load is F = π E √(R1 R2) δ²/d.
#[test]
fn an_ellipsoid_pad_carries_what_a_foundation_gives() {
    let rest = r#"
[[body]]
name = "table"
shape = "half_space"
fixed = true
material = "steel"

[[robot]]
name = "jaw"
file = "robots/parallel-jaw.urdf"
base = "free"
position = [0, 0, 0.0798]
orientation = { axis = [1, 0, 0], angle = "180 deg" }
materials = { default = "steel" }
pads.palm = { material = "rubber", shape = { type = "ellipsoid", semi_axes = [0.02, 0.03, 0.01] }, position = [0, 0, 0.07], layer = { modulus = "0.4 MPa", depth = "3 mm" } }

[[ignore]]
bodies = ["table", "jaw/finger_left"]
[[ignore]]
bodies = ["table", "jaw/finger_right"]
"#;
    // At the pole of semi-axes a, b, c the radii are a²/c and b²/c.
    let (a, b, c) = (0.02_f64, 0.03_f64, 0.01_f64);
    let radius = (a * a / c * (b * b / c)).sqrt();
    let robot = read("robots/parallel-jaw.urdf");
    let load = robot.total_mass() * 9.81;
    let depth = (load * 0.003 / (std::f64::consts::PI * 0.4e6 * radius)).sqrt();
    let model = built(rest).model;
    let state = {
        let mut state = model.start().unwrap();
        let stepper = FixedStep { step: 1e-3, ..FixedStep::default() };
        let mut work = stepper.workspace(&model, &state).unwrap();
        stepper.advance(&model, &mut state, &mut work, 0.4).unwrap();
        state
    };
    // A body upright on its pole: it stands for a while.
    let palm = pose(&model, &state, "jaw/palm");
    let lowest = palm * nalgebra::Point3::new(0.0, 0.0, 0.08);
    assert!((-lowest.z - depth).abs() < 0.05 * depth, "{} against {depth}", -lowest.z);
}

/// A robot on a link of another, and a body welded to a link, move with what carries them.
#[test]
fn robots_stand_on_links_and_carry_bodies() {
    let rest = r#"
[[body]]
name = "arm"
shape = { type = "capsule", radius = 0.02, half_length = 0.1 }
mass = 1.0
material = "steel"
position = [0, 0, 1]
[[joint]]
name = "shoulder"
type = "revolute"
parent = "world"
child = "arm"
position = [0, 0, 1.1]
axis = [0, 1, 0]
start = "50 deg"

[[robot]]
name = "jaw"
file = "robots/parallel-jaw.urdf"
base = "arm"
position = [0, 0, -0.12]
orientation = { axis = [1, 0, 0], angle = "180 deg" }
materials = { default = "steel" }
start = { slide_left = "20 mm" }

[[robot]]
name = "second"
file = "robots/parallel-jaw.urdf"
base = "jaw/palm"
position = [0.1, 0, 0]
materials = { default = "steel" }

[[body]]
name = "tag"
shape = { type = "sphere", radius = 0.01 }
mass = 0.05
material = "steel"
position = [0, 0.08, 0.85]
[[joint]]
name = "weld"
type = "fixed"
parent = "jaw/palm"
child = "tag"
"#;
    let model = built(rest).model;
    let turn = Isometry3::rotation(Vector3::x() * std::f64::consts::PI);
    let start = model.start().unwrap();
    let tag = pose(&model, &start, "jaw/palm").inv_mul(&pose(&model, &start, "tag"));
    in_each(&model, 0.1, |stepper, state| {
        let arm = pose(&model, state, "arm");
        let swung = arm.rotation.angle();
        assert!((0.2..0.87).contains(&swung), "{stepper}: {swung}");
        let palm = pose(&model, state, "jaw/palm");
        let expected = arm * Isometry3::translation(0.0, 0.0, -0.12) * turn;
        assert!(apart(&palm, &expected) < 1e-12, "{stepper}");
        let second = pose(&model, state, "second/palm");
        assert!(apart(&second, &(palm * Isometry3::translation(0.1, 0.0, 0.0))) < 1e-12, "{stepper}");
        assert!(apart(&palm.inv_mul(&pose(&model, state, "tag")), &tag) < 1e-12, "{stepper}");
    });
    assert!(model.between(body(&model, "arm"), body(&model, "jaw/palm#1")).is_none(), "what it stands on");
}

/// A hand on a turntable, and one on a shaken table: the palm goes along, the fingers swing in it, and the ledger closes.
#[test]
fn robots_ride_on_what_moves_as_told() {
    let on = |motion: &str| {
        built(&format!(
            "[[body]]\nname = \"table\"\nshape = {{ type = \"cylinder\", radius = 0.5, half_length = 0.02 }}\nmaterial = \"steel\"\n\
             motion = {motion}\n[[robot]]\nname = \"hand\"\nfile = \"robots/three-finger.urdf\"\nbase = \"table\"\n\
             position = [0.3, 0.1, 0.4]\nmaterials = {{ default = \"steel\" }}\n"
        ))
        .model
    };
    for motion in
        ["{ type = \"turntable\", rate = 3 }", "{ type = \"shaker\", amplitude = [0.01, 0, 0.02], frequency = 3 }"]
    {
        let model = on(motion);
        let start = model.start().unwrap();
        let stands = pose(&model, &start, "table").inv_mul(&pose(&model, &start, "hand/palm"));
        in_each(&model, 0.3, |stepper, state| {
            let (table, palm) = (pose(&model, state, "table"), pose(&model, state, "hand/palm"));
            assert!((apart(&table, &Isometry3::identity())) > 1e-2, "the table moves");
            let off = apart(&table.inv_mul(&palm), &stands);
            assert!(off < 1e-11, "{stepper}: the palm is off by {off:e}");
            assert!(state.trees[0].q.iter().all(|q| q.is_finite()));
        });
    }
}

fn refused(rest: &str) -> String {
    build(rest).err().unwrap_or_else(|| panic!("accepted:\n{rest}")).to_string()
}

/// Each wrong table names the key, the place in the scene, and where it is the robot's file, the place there.
#[test]
fn bad_robots_are_refused_with_their_places() {
    let jaw = "[[robot]]\nname = \"jaw\"\nfile = \"robots/parallel-jaw.urdf\"\nmaterials = { default = \"steel\" }\n";
    let with = |more: &str| format!("{jaw}{more}\n");
    for (rest, words) in [
        ("[[robot]]\nname = \"jaw\"\n".to_string(), vec!["missing key `file`"]),
        ("[[robot]]\nfile = \"robots/parallel-jaw.urdf\"\n".to_string(), vec!["missing key `name`"]),
        ("[[robot]]\nname = \"a/b\"\nfile = \"robots/parallel-jaw.urdf\"\n".to_string(), vec!["a name must begin"]),
        ("[[robot]]\nname = \"jaw\"\nfile = \"robots/absent.urdf\"\n".to_string(), vec![
            "the robot in robots/absent.urdf cannot be used",
            "scene.toml:",
        ]),
        (with("bse = \"free\""), vec!["unknown key `bse`", "did you mean `base`"]),
        (with("base = \"flor\""), vec!["there is no body `flor`"]),
        (with("keyframe = \"home\""), vec!["no keyframe `home`", "its file has none"]),
        (with("start = { slide_lft = 0.01 }"), vec!["there is no joint `slide_lft`", "slide_left"]),
        (with("start = { slide_left = \"10 deg\" }"), vec!["the start of joint `slide_left`"]),
        (with("start = { slide_left = 0.3, slide_right = 0.3 }"), vec![
            "outside its limits",
            "it stands in",
            "parallel-jaw.urdf:",
        ]),
        (with("pads = { finger = { material = \"rubber\" } }"), vec!["there is no link `finger`"]),
        (with("pads = { finger_left = { } }"), vec!["missing key `material` or `layer`"]),
        (with("pads = { finger_left = { material = \"rubbr\" } }"), vec!["there is no material `rubbr`"]),
        (with("pads = { finger_left = { material = \"rubber\", position = [0, 0, 1] } }"), vec!["covers the link's own"]),
        (with("meshes = \"round\""), vec!["unknown meshes `round`"]),
        (with("self_contact = 1"), vec!["expected true or false"]),
        (format!("{jaw}{jaw}"), vec!["there is another robot `jaw` already"]),
        (
            "[[robot]]\nname = \"jaw\"\nfile = \"robots/parallel-jaw.urdf\"\n[[body]]\nname = \"g\"\nshape = \"half_space\"\n\
             fixed = true\nmaterial = \"steel\"\nposition = [0, 0, -1]\n"
                .to_string(),
            vec!["nothing says what happens where `jaw/finger", "`materials` of the robot"],
        ),
        (with("materials = { palm = \"steel\" }"), vec!["materials"]),
        (
            format!("{}[[check]]\nexpression = \"jaw/finger_lef.z > 0\"\n", with("")),
            vec!["there is no body `jaw/finger_lef`", "did you mean `jaw/finger_left`"],
        ),
        (
            "[[body]]\nname = \"cart\"\nshape = { type = \"sphere\", radius = 0.1 }\nmaterial = \"steel\"\n\
             moves = [\"x\"]\n[[robot]]\nname = \"jaw\"\n\
             file = \"robots/parallel-jaw.urdf\"\nbase = \"cart\"\nposition = [0, 0, 1]\n\
             materials = { default = \"steel\" }\n"
                .to_string(),
            vec!["`cart` is restricted by `moves`", "base = \"cart\""],
        ),
    ] {
        let told = refused(&rest);
        for word in words {
            assert!(told.contains(word), "expected {word:?} for\n{rest}\ngot\n{told}");
        }
    }
}

/// A robot file that is wrong is drawn with its own line, beside the line of the scene that names it; checks that name its
/// links are not blamed.
#[test]
fn a_wrong_robot_file_is_drawn_itself() {
    let folder = tempfile::tempdir().unwrap();
    let good = std::fs::read_to_string(root().join("robots/parallel-jaw.urdf")).unwrap();
    std::fs::write(
        folder.path().join("bad.urdf"),
        good.replace("child link=\"finger_left\"", "child link=\"finger_lft\""),
    )
    .unwrap();
    let text = format!(
        "{HEAD}[[robot]]\nname = \"jaw\"\nfile = \"bad.urdf\"\nmaterials = {{ default = \"steel\" }}\n\
         [[check]]\nexpression = \"jaw/finger_left.z > 0\"\n[[check]]\nexpression = \"joint.jaw/slide_left.position > 0\"\n"
    );
    let told =
        Scene::parse(&text, "scene.toml", folder.path(), &[]).unwrap().build(&mut |_| {}).unwrap_err().to_string();
    for word in ["scene.toml:", "bad.urdf:", "no link is called `finger_lft`", "file = \"bad.urdf\""] {
        assert!(told.contains(word), "{word}: {told}");
    }
    assert!(!told.contains("check"), "{told}");
}
