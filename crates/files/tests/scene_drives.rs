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
