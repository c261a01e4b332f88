//! `[[drive]]` in scenes: what is read, and what is refused with its place.

use fingerpad_files::scene::{Built, Scene, SceneError};
use fingerpad_sim::{DriveKind, JointId};
use std::fs;
use std::path::Path;

const ARM: &str = r#"
[scene]
name = "arm"
duration = 1

[[body]]
name = "upper"
shape = { type = "sphere", radius = "10 mm" }
mass = 1
position = [0.1, 0, 0]

[[body]]
name = "lower"
shape = { type = "sphere", radius = "10 mm" }
mass = 1
position = [0.3, 0, 0]

[[joint]]
name = "shoulder"
type = "revolute"
parent = "world"
child = "upper"
position = [0, 0, 0]
axis = [0, 1, 0]
start = "20 deg"

[[joint]]
name = "arm/slide"
type = "prismatic"
parent = "upper"
child = "lower"
axis = [1, 0, 0]

[[joint]]
name = "wrist"
type = "ball"
parent = "lower"
child = "hand"

[[body]]
name = "hand"
shape = { type = "sphere", radius = "10 mm" }
mass = 0.1
position = [0.4, 0, 0]

[[ignore]]
bodies = ["upper", "hand"]
"#;

fn built(drives: &str, folder: &Path) -> Result<Built, SceneError> {
    Scene::parse(&format!("{ARM}{drives}"), "arm.toml", folder, &[])?.build(&mut |_| {})
}

fn refused(drives: &str, folder: &Path, message: &str, under: &str) {
    let error = built(drives, folder).err().unwrap_or_else(|| panic!("read: {drives}"));
    let text = error.render(false);
    let found = error.problems().iter().find(|problem| problem.message.contains(message));
    let problem = found.unwrap_or_else(|| panic!("expected `{message}`:\n{text}"));
    let (line, _) = error.place(problem).unwrap_or_else(|| panic!("no place:\n{text}"));
    let whole = format!("{ARM}{drives}");
    let shown = whole.lines().nth(line - 1).unwrap();
    assert!(shown.contains(under), "line {line} `{shown}` has no `{under}`:\n{text}");
    assert!(text.contains("arm.toml:"), "{text}");
}

#[test]
fn kinds_gains_and_timelines_are_read_in_the_units_of_their_joints() {
    let drives = r#"
[[drive]]
joint = "shoulder"
type = "position"
stiffness = "50 N m/rad"
damping = "0.5 N m s/rad"
limit = "2 N m"
timeline = [[0, "20 deg"], ["0.5 s", "90 deg"]]
smooth = "quintic"

[[drive]]
name = "push"
joint = "arm/slide"
type = "velocity"
damping = 100
timeline = [[0, "10 mm/s"]]

[[drive]]
name = "hold"
joint = "shoulder"
type = "position"
stiffness = 1

[[drive]]
name = "both"
joints = ["shoulder", "arm/slide"]
coefficients = [1, -2]
type = "torque"
timeline = [[0, 3]]
"#;
    let built = built(drives, Path::new(".")).unwrap();
    let [a, b, c, d] = built.model.drives() else { panic!() };
    assert_eq!((a.name.as_str(), a.along.as_slice(), a.limit), ("shoulder", &[(JointId(0), 1.0)][..], 2.0));
    assert_eq!(a.kind, DriveKind::Position { stiffness: 50.0, damping: 0.5 });
    assert!((a.reference.at(0.5).0 - 90_f64.to_radians()).abs() < 1e-15 && a.reference.at(0.25).1 > 0.0);
    assert_eq!((b.kind, b.reference.at(9.0).0, b.limit), (DriveKind::Velocity { damping: 100.0 }, 0.01, f64::INFINITY));
    assert!((c.reference.at(0.3).0 - 20_f64.to_radians()).abs() < 1e-15, "it holds where the joint starts");
    assert_eq!((d.along.as_slice(), d.kind), (&[(JointId(0), 1.0), (JointId(1), -2.0)][..], DriveKind::Torque));
}

#[test]
fn bad_drives_are_refused_where_they_stand() {
    let here = Path::new(".");
    let with = |rest: &str| format!("\n[[drive]]\njoint = \"shoulder\"\ntype = \"position\"\nstiffness = 10\n{rest}\n");
    let of = |rest: &str, message: &str, under: &str| refused(&with(rest), here, message, under);
    of("timeline = [[0, 0], [1, 1], [1, 2]]", "the timeline jumps at 1 s, from 1 to 2", "timeline");
    of("timeline = [[0, 0], [2, 1], [1, 2]]", "in order of time, got 1 s after 2 s", "timeline");
    of("timeline = []", "at least one point", "timeline");
    of("timeline = [[0, 0, 1]]", "is [time, value], got 3 numbers", "timeline");
    of("timeline = [[0, \"1 mm\"]]", "the value of a point", "timeline");
    of("limit = -1", "`limit` must be positive and finite, got -1", "limit");
    of("limit = [3, 1]", "`limit` must be a number", "limit");
    of("damping = -0.1", "`damping` must be", "damping");
    of("smooth = \"linear\"", "smooth", "smooth");
    of("smooth = \"cubic\"", "stands beside `timeline` or `recording`", "smooth");
    of("gain = 3", "unknown key `gain`", "gain");
    of("joints = [\"shoulder\"]", "joints", "joint");
    of("coefficients = [1]", "stand beside `joints`", "coefficients");
    of("timeline = [[0, 0]]\nrecording = \"m.csv\"", "recording", "");
    let all = |text: &str, message: &str, under: &str| refused(text, here, message, under);
    all("\n[[drive]]\njoint = \"shoulde\"\ntype = \"torque\"\n", "there is no joint `shoulde`", "shoulde");
    all("\n[[drive]]\njoint = \"shoulder\"\ntype = \"position\"\nstiffness = -5\n", "`stiffness` must be", "stiffness");
    all("\n[[drive]]\njoint = \"shoulder\"\ntype = \"position\"\nstiffness = 0\n", "above 0, got 0", "stiffness");
    all("\n[[drive]]\njoint = \"shoulder\"\ntype = \"position\"\n", "missing key `stiffness`", "drive");
    all("\n[[drive]]\njoint = \"shoulder\"\ntype = \"servo\"\n", "servo", "servo");
    all("\n[[drive]]\njoint = \"wrist\"\ntype = \"torque\"\n", "`wrist` is a ball joint", "wrist");
    all("\n[[drive]]\njoint = \"shoulder\"\ntype = \"torque\"\nstiffness = 1\n", "takes no `stiffness`", "stiffness");
    all("\n[[drive]]\ntype = \"torque\"\n", "missing key `joint`", "drive");
    let twice = "\n[[drive]]\njoint = \"shoulder\"\ntype = \"torque\"\n".repeat(2);
    all(&twice, "there is a drive `shoulder` already", "shoulder");
}

#[test]
fn a_recording_is_read_by_column_and_unit_and_blamed_by_line() {
    let folder = std::env::temp_dir().join(format!("fingerpad-recording-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let drive = "\n[[drive]]\njoint = \"shoulder\"\ntype = \"position\"\nstiffness = 10\nrecording = \"motion.csv\"\n";
    let write = |text: &str| fs::write(folder.join("motion.csv"), text).unwrap();
    write("# a glove\nt [ms], other, shoulder [deg]\n0, 7, 0\n100, 7, 90\n\n300, 7, 45\n");
    let read = built(drive, &folder).unwrap();
    let line = &read.model.drives()[0].reference;
    assert!((line.at(0.1).0 - 90_f64.to_radians()).abs() < 1e-14 && line.at(5.0).0 == 45_f64.to_radians());
    assert!(read.assets.iter().any(|asset| asset.name == "motion.csv"));
    let bad = |text: &str, message: &str| {
        write(text);
        refused(drive, &folder, message, "recording");
    };
    bad("t,elbow\n0,1\n", "motion.csv:1: there is no column `shoulder`");
    bad("time,shoulder\n0,1\n", "motion.csv:1: there is no column `t`");
    bad("t,shoulder\n0,1\n1,up\n", "motion.csv:3: expected a finite number in column `shoulder`, got `up`");
    bad("t,shoulder\n0,1\n1\n", "motion.csv:3: expected a number in column `shoulder`, got nothing");
    bad("t,shoulder\n0,1\n0,2\n", "motion.csv:3: the timeline jumps");
    bad("t,shoulder\n0,1\n-1,2\n", "motion.csv:3: points must be in order of time");
    bad("t,shoulder [mm]\n0,1\n", "motion.csv:1: unit of column `shoulder`");
    bad("t,shoulder\n", "motion.csv:1: expected rows of numbers");
    bad("t,shoulder,shoulder\n0,1,2\n", "motion.csv:1: column 3 is named `shoulder`");
    bad("", "got an empty file");
    fs::remove_file(folder.join("motion.csv")).unwrap();
    refused(drive, &folder, "motion.csv", "recording");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_grip_needs_a_speed_and_a_force() {
    let here = Path::new(".");
    let grip = |rest: &str| format!("\n[[drive]]\njoint = \"arm/slide\"\ntype = \"grip\"\n{rest}\n");
    let read = built(&grip("speed = \"-20 mm/s\"\nforce = \"5 N\""), here).unwrap();
    let drive = &read.model.drives()[0];
    assert_eq!((drive.kind, drive.reference.at(1.0).0), (DriveKind::Grip { speed: -0.02, damping: None }, 5.0));
    let of = |rest: &str, message: &str, under: &str| refused(&grip(rest), here, message, under);
    of("force = 5", "missing key `speed`", "drive");
    of("speed = 1", "missing key `force`", "drive");
    of("speed = 0\nforce = 5", "not 0, got 0", "speed");
    of("speed = 1\nforce = -5", "`force` must be positive and finite, got -5", "force");
    of("speed = 1\nforce = 5\ntimeline = [[0, 1]]", "got both", "force");
    of("speed = 1\nforce = 5\nstiffness = 2", "a grip drive takes no `stiffness`", "stiffness");
}

const FREE: &str = "\n[[body]]\nname = \"virtual\"\nshape = { type = \"sphere\", radius = \"10 mm\" }\nmass = 0.1\ntouches = false\nposition = [0.5, 0, 0.2]\n";

#[test]
fn impedances_are_read_with_their_frames_and_references() {
    let drives = r#"
[[drive]]
name = "object"
type = "impedance"
frame = { on = "virtual", position = ["10 mm", 0, 0], orientation = { axis = [0, 0, 1], angle = "90 deg" } }
stiffness = { translation = "2 N/mm", rotation = "20 N m/rad" }
damping = { rotation = "0.02 N m s/rad" }
timeline = [["0.5 s", [0, 0, 0]], ["1 s", ["6 mm", 0, 0], [0, 0, "12 deg"]]]
smooth = "quintic"

[[drive]]
type = "impedance"
frame = "hand"
to = "virtual"
stiffness = { translation = 3 }

[[drive]]
name = "placed"
type = "impedance"
frame = "virtual"
damping = { translation = 1 }
position = [1, 2, 3]
"#;
    let built = built(&format!("{FREE}{drives}"), Path::new(".")).unwrap();
    let [object, hand, placed] = built.model.impedances() else { panic!() };
    let spring = &object.springs[0];
    assert_eq!((spring.stiffness, spring.damping), ([2000.0, 20.0], [0.0, 0.02]));
    assert!(
        (spring.to.1.translation.x - 0.01).abs() < 1e-15
            && (spring.to.1.rotation.angle().to_degrees() - 90.0).abs() < 1e-9
    );
    // The reference begins at the frame, wherever that starts, and goes along axes of the world.
    let (start, end) = (object.reference.at(0.0).0, object.reference.at(2.0).0);
    assert!((start.translation.vector - fingerpad_sim::nalgebra::Vector3::new(0.51, 0.0, 0.2)).norm() < 1e-15);
    assert!((start.rotation.angle().to_degrees() - 90.0).abs() < 1e-9);
    assert!((end.translation.x - 0.516).abs() < 1e-15 && (end.rotation.angle().to_degrees() - 102.0).abs() < 1e-9);
    assert_eq!((hand.name.as_str(), hand.springs[0].stiffness), ("hand", [3.0, 0.0]));
    assert!(matches!(hand.springs[0].from, fingerpad_sim::SpringStart::Body(..)));
    assert_eq!(placed.reference.at(0.0).0.translation.vector.as_slice(), [1.0, 2.0, 3.0]);
    // It is at rest at the start.
    let now = built.model.impedance_now(&built.model.start().unwrap(), 0);
    assert!(now.distance() < 1e-15 && now.angle() < 1e-7 && now.stored < 1e-12, "{now:?}");
}

#[test]
fn bad_impedances_are_refused_where_they_stand() {
    let here = Path::new(".");
    let with = |rest: &str| format!("{FREE}\n[[drive]]\nname = \"i\"\ntype = \"impedance\"\n{rest}\n");
    let of = |rest: &str, message: &str, under: &str| refused(&with(rest), here, message, under);
    let good = "frame = \"virtual\"\nstiffness = { translation = 1 }\n";
    of("stiffness = { translation = 1 }", "missing key `frame`", "drive");
    of("frame = \"virtual\"", "missing key `stiffness`", "drive");
    of("frame = \"virtua\"\nstiffness = { translation = 1 }", "there is no body or frame `virtua`", "virtua");
    of("frame = 3\nstiffness = { translation = 1 }", "expected a body, a link or", "frame = 3");
    of("frame = { on = \"virtual\", at = 3 }\nstiffness = { translation = 1 }", "unknown key `at`", "frame");
    of("frame = \"virtual\"\nstiffness = 5", "a table { translation, rotation }", "stiffness = 5");
    of("frame = \"virtual\"\nstiffness = { translation = -1 }", "must be zero or positive", "stiffness");
    of("frame = \"virtual\"\nstiffness = { rotation = 0 }", "above 0", "stiffness");
    of("frame = \"virtual\"\nstiffness = { rotation = \"3 N/m\" }", "`rotation` of `stiffness`", "stiffness");
    of(&format!("{good}joint = \"shoulder\""), "an impedance drive takes no `joint`", "joint");
    of(&format!("{good}limit = 3"), "an impedance drive takes no `limit`", "limit");
    of(&format!("{good}timeline = [[0, 1]]"), "the displacement of a point", "timeline");
    of(&format!("{good}timeline = [[0, [0, 0, 0]], [0, [1, 0, 0]]]"), "jumps at 0 s, from 0 to 1", "timeline");
    of(&format!("{good}timeline = [[1, [0, 0, 0]], [0, [1, 0, 0]]]"), "in order of time", "timeline");
    of(&format!("{good}timeline = [[0]]"), "expected a point [time, [x, y, z]]", "timeline");
    of(&format!("{good}to = \"hand\"\ntimeline = [[0, [0, 0, 0]]]"), "pulls to the frame `to`", "timeline");
    of(&format!("{good}smooth = \"cubic\""), "stands beside", "smooth");
    let twice = format!("{}\n[[drive]]\nname = \"i\"\ntype = \"impedance\"\n{good}", with(good));
    refused(&twice, here, "there is a drive `i` already", "name = \"i\"");
    let shaker = "\n[[body]]\nname = \"table\"\nshape = { type = \"sphere\", radius = 1 }\nmotion = { type = \"steady\", velocity = [0, 0, 1] }\ntouches = false\n[[drive]]\ntype = \"impedance\"\nframe = \"table\"\nstiffness = { translation = 1 }\n";
    refused(shaker, here, "springs act on free bodies and links", "frame");
    let joint = "\n[[drive]]\njoint = \"shoulder\"\ntype = \"torque\"\nframe = \"upper\"\n";
    refused(joint, here, "a torque drive takes no `frame`", "frame");
}

#[test]
fn a_recorded_pose_leads_an_impedance() {
    let folder = tempfile::tempdir().unwrap();
    let drive = format!(
        "{FREE}\n[[drive]]\nname = \"i\"\ntype = \"impedance\"\nframe = \"virtual\"\nstiffness = {{ translation = 1 }}\nrecording = \"motion.csv\"\n"
    );
    let write = |text: &str| fs::write(folder.path().join("motion.csv"), text).unwrap();
    write("t [s], i.x [mm], rz [deg]\n0, 0, 0\n1, 20, 90\n2, 40, 180\n");
    let read = built(&drive, folder.path()).unwrap();
    let (X, V) = read.model.impedances()[0].reference.at(1.0);
    assert!((X.translation.x - 0.52).abs() < 1e-14 && (X.rotation.angle().to_degrees() - 90.0).abs() < 1e-9);
    assert!((V.v.x - 0.02).abs() < 1e-14 && X.translation.z == 0.2, "{V:?}");
    write("t,shoulder\n0,1\n");
    refused(&drive, folder.path(), "none of the columns x, y, z, rx, ry, rz", "recording");
    write("t,x [deg]\n0,1\n");
    refused(&drive, folder.path(), "motion.csv:1: unit of column `x`", "recording");
}
