//! What a run does with files: names that lead elsewhere, pipes and devices, links, states that were changed, files that
//! earlier or killed runs left. Each was done wrong once, in silence.
#![cfg(unix)]

mod program;

use serde_json::Value;
use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A ball that falls on a plane and bounces.
const BALL: &str = r#"
[scene]
name = "ball"
duration = 0.2
[record]
period = 0.01
[[body]]
name = "ground"
shape = "half_space"
fixed = true
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.05 }
mass = 1
position = [0, 0, 0.1]
[[pair]]
bodies = ["ground", "ball"]
k = 1e5
n = 1.5
[[check]]
name = "stays above"
expression = "min(ball.z) > 0"
"#;

/// The same ball over a map in a file.
const OVER_MAP: &str = r#"
[scene]
name = "over-map"
duration = 0.2
[record]
period = 0.01
[terrain]
map = "flat.asc"
[[body]]
name = "ball"
shape = { type = "sphere", radius = 0.05 }
mass = 1
position = [2, 2, 0.1]
[[pair]]
bodies = ["terrain", "ball"]
k = 1e5
n = 1.5
"#;

const FLAT: &str =
    "ncols 5\nnrows 5\nxllcenter 0\nyllcenter 0\ncellsize 1\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n0 0 0 0 0\n";

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// A folder with the scenes in it.
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        place.write("ball.toml", BALL);
        place.write("over-map.toml", OVER_MAP);
        place.write("flat.asc", FLAT);
        place
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    /// Exit code, stdout, stderr; a program that does not end within 20 s is a failure.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fingerpad"))
            .args(args)
            .current_dir(self.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if began.elapsed() > Duration::from_secs(20) {
                child.kill().unwrap();
                panic!("{args:?} does not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Nothing was done, and why.
    fn refused(&self, args: &[&str], why: &str) {
        let (code, out, err) = self.run(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(why), "{args:?}: {err}");
    }

    fn parts(&self, folder: &str) -> Vec<String> {
        let names = fs::read_dir(self.path().join(folder)).into_iter().flatten();
        names.map(|f| f.unwrap().file_name().into_string().unwrap()).filter(|n| n.ends_with(".part")).collect()
    }
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A scene's name is data: without `--out` it names one folder inside `out`, or nothing is written.
#[test]
fn a_scene_name_that_leads_elsewhere_is_refused() {
    let place = Place::new();
    fs::create_dir(place.path().join("work")).unwrap();
    for name in ["../../evil", "/evil", "..", ".", "a/b", "", "a/../../evil", "./x"] {
        place.write("work/evil.toml", &BALL.replace("\"ball\"\nduration", &format!("{name:?}\nduration")));
        let (code, _, err) = place.run(&["run", "work/evil.toml"]);
        assert_eq!(code, 2, "{name:?}: {err}");
        assert!(err.contains("--out DIR"), "{name:?}: {err}");
    }
    assert!(!place.path().join("out").exists() && !place.path().parent().unwrap().join("evil").exists());
    let (code, _, err) = place.run(&["run", "work/evil.toml", "--out", "here"]);
    assert_eq!(code, 0, "{err}");
}

/// Pipes wait for a writer and devices never end: neither is opened, as scene, query, planar case or state.
#[test]
fn pipes_and_devices_are_not_read() {
    let place = Place::new();
    make_pipe(&place.path().join("pipe"));
    make_pipe(&place.path().join("pipe.toml"));
    for file in ["pipe", "/dev/zero"] {
        place.refused(&["run", file], "expected a file, got a");
        place.refused(&["query", "closest", file], "expected a file, got a");
        place.refused(&["query", "lcp", file], "expected a file, got a");
        place.refused(&["planar", file], "expected a file, got a");
        place.refused(&["inspect", file], "expected a");
        place.refused(&["run", "ball.toml", "--from", file], "expected a file, got a");
    }
    place.refused(&["planar", "pipe.toml"], "expected a file, got a pipe");
    place.refused(&["run", "pipe.toml"], "expected a file, got a pipe");
}

/// An endless standard input ends with a word, not with the memory of the machine.
#[test]
fn an_endless_standard_input_is_refused() {
    let zero = fs::File::open("/dev/zero").unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_fingerpad")).args(["query", "closest", "-"]).stdin(zero).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("expected at most"), "{err}");
}

/// Renaming a file into the place of a pipe or device would replace it; a link leads to where its target is.
#[test]
fn outputs_neither_replace_pipes_nor_links() {
    let place = Place::new();
    make_pipe(&place.path().join("pipe"));
    let closest = ["query", "closest", "--shape1", "half_space", "--shape2", "sphere radius=1", "--out"];
    place.refused(&["run", "ball.toml", "--save-state", "pipe"], "got a pipe");
    place.refused(&["run", "ball.toml", "--save-state", "/dev/null"], "got a device");
    place.refused(&[&closest[..], &["pipe"]].concat(), "got a pipe");
    place.refused(&["run", "ball.toml", "--out", "pipe"], "pipe");
    assert!(fs::symlink_metadata(place.path().join("pipe")).unwrap().file_type().is_fifo());

    fs::create_dir_all(place.path().join("elsewhere")).unwrap();
    place.write("elsewhere/old.state", "old");
    symlink("elsewhere/old.state", place.path().join("link.state")).unwrap();
    symlink("elsewhere/new.json", place.path().join("link.json")).unwrap();
    let (code, _, err) = place.run(&["run", "ball.toml", "--save-state", "link.state"]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = place.run(&[&closest[..], &["link.json"]].concat());
    assert_eq!(code, 0, "{err}");
    for (link, target) in [("link.state", "elsewhere/old.state"), ("link.json", "elsewhere/new.json")] {
        assert!(fs::symlink_metadata(place.path().join(link)).unwrap().is_symlink(), "{link}");
        assert!(fs::metadata(place.path().join(target)).unwrap().len() > 10, "{target}");
    }
    // A table of a run that is a link.
    fs::create_dir_all(place.path().join("run")).unwrap();
    symlink("../elsewhere/bodies.csv", place.path().join("run/bodies.csv")).unwrap();
    place.run(&["run", "ball.toml", "--out", "run"]);
    assert!(fs::symlink_metadata(place.path().join("run/bodies.csv")).unwrap().is_symlink());
    assert!(fs::read_to_string(place.path().join("elsewhere/bodies.csv")).unwrap().starts_with("t [s]"));
}

/// Whether a state can be saved is told before the run, not behind it.
#[test]
fn a_state_that_cannot_be_saved_is_told_before_the_run() {
    let place = Place::new();
    place.refused(&["run", "ball.toml", "--save-state", "no/such/folder/a.state"], "no/such/folder/a.state");
    place.refused(&["run", "ball.toml", "--save-state", "."], "got a folder");
    assert!(!place.path().join("out").exists(), "the run was made all the same");
}

/// Every bit of a saved state counts: with any of them changed it is refused. Also states cut short or lengthened.
#[test]
fn every_flipped_bit_of_a_saved_state_is_refused() {
    let place = Place::new();
    let (code, _, err) = place.run(&["run", "ball.toml", "--duration", "0.15", "--save-state", "a.state"]);
    assert_eq!(code, 0, "{err}");
    let whole = fs::read(place.path().join("a.state")).unwrap();
    let bits = 8 * whole.len();
    // Spread over the whole file by a step that is prime to its length; some in each part of it.
    let tried: Vec<usize> = (0..120).map(|k| k * 7919 % bits).chain([0, 130, 150, bits - 1]).collect();
    for bit in tried {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(place.path().join("b.state"), &bytes).unwrap();
        let (code, out, err) = place.run(&["run", "ball.toml", "--from", "b.state"]);
        assert_eq!((code, out.as_str()), (2, ""), "bit {bit} of {bits}: {err}");
        assert!(!err.contains("internal error"), "bit {bit}: {err}");
    }
    for bytes in [&whole[..whole.len() - 1], &whole[..100], &whole[..20], &[whole.as_slice(), b"0"].concat()] {
        fs::write(place.path().join("b.state"), bytes).unwrap();
        place.refused(&["run", "ball.toml", "--from", "b.state"], "b.state");
    }
    place.write("old.state", "fingerpad state 1\n{}\n");
    place.refused(&["run", "ball.toml", "--from", "old.state"], "format \"1\", this program reads format 6");
}

/// A state goes on only under what it was saved under, and the message says what differs.
#[test]
fn what_changed_since_a_state_was_saved_is_named() {
    let place = Place::new();
    let save = ["run", "over-map.toml", "--duration", "0.1", "--save-state", "a.state", "--set", "body.ball.mass=2"];
    let go_on = ["run", "over-map.toml", "--from", "a.state", "--set", "body.ball.mass=2"];
    assert_eq!(place.run(&save).0, 0);
    let (code, _, err) = place.run(&go_on);
    assert_eq!(code, 0, "{err}");
    place.refused(&["run", "over-map.toml", "--from", "a.state"], "body.ball.mass=2");
    place.refused(&["run", "ball.toml", "--from", "a.state"], "another scene: `over-map`");
    // The map: the same text of the scene, other heights.
    place.write("flat.asc", &FLAT.replacen("0 0 0 0 0", "0 0 0 0 1", 1));
    place.refused(&go_on, "the file `flat.asc`");
    place.write("flat.asc", FLAT);
    place.write("over-map.toml", &OVER_MAP.replace("n = 1.5", "n = 1.6"));
    place.refused(&go_on, "the text of the scene `over-map`");
}

/// The error of the ledger of a run in two parts is that of the run in one, to the bit: it is measured from the same start.
#[test]
fn a_continued_run_has_the_ledger_error_of_the_whole() {
    let place = Place::new();
    let error = |folder: &str| -> u64 {
        let text = fs::read_to_string(place.path().join(folder).join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        summary["ledger_error"].as_f64().unwrap().to_bits()
    };
    let fast = ["--set", "solver.stepper=fast"];
    place.run(&[&["run", "ball.toml", "--out", "whole"], &fast[..]].concat());
    place.run(
        &[&["run", "ball.toml", "--out", "a", "--duration", "0.1", "--save-state", "a.state"], &fast[..]].concat(),
    );
    place.run(&[&["run", "ball.toml", "--out", "b", "--from", "a.state"], &fast[..]].concat());
    assert!(f64::from_bits(error("whole")) > 0.0);
    assert_eq!(error("whole"), error("b"));
}

/// A table that this run does not write must not stay from an earlier one; other people's files do.
#[test]
fn tables_of_an_earlier_run_do_not_stay() {
    let place = Place::new();
    place.run(&["run", "ball.toml", "--out", "here"]);
    place.write("here/mine.csv", "mine");
    assert!(place.path().join("here/contacts.csv").exists());
    place.run(&["run", "ball.toml", "--out", "here", "--set", "record.contacts=false"]);
    assert!(!place.path().join("here/contacts.csv").exists());
    assert!(place.path().join("here/mine.csv").exists());
}

/// An arm on a hinge, held level by a drive, and a block on a spring between frames.
const ARM: &str = r#"
[scene]
name = "arm"
duration = 1
[record]
period = 0.02
[solver]
stepper = "fast"
[[body]]
name = "arm"
shape = { type = "capsule", radius = 0.01, half_length = 0.09 }
orientation = { axis = [0, 1, 0], angle = "90 deg" }
position = [0.1, 0, 0]
mass = 0.5
[[body]]
name = "block"
shape = { type = "sphere", radius = 0.02 }
position = [0, 1, 0]
mass = 0.2
[[joint]]
name = "pin"
type = "revolute"
parent = "world"
child = "arm"
position = [0, 0, 0]
axis = [0, 1, 0]
[[drive]]
joint = "pin"
name = "holder"
type = "position"
stiffness = 50
damping = 2
timeline = [[0.1, 0], [0.4, "30 deg"]]
[[drive]]
name = "hanger"
type = "impedance"
frame = "block"
stiffness = { translation = 400 }
damping = { translation = 18 }
[[ignore]]
bodies = ["arm", "block"]
"#;

/// The tables of joints and drives against what is known otherwise: the arm's angle from its attitude in `bodies.csv`, the
/// moment that holds a weight at rest, the stretch of a spring under a weight. A scene without joints removes them.
#[test]
fn joints_and_drives_have_tables() {
    let place = Place::new();
    place.write("arm.toml", ARM);
    let (code, _, err) = place.run(&["run", "arm.toml", "--out", "here"]);
    assert_eq!(code, 0, "{err}");
    let table = |name: &str, of: &str| -> Vec<Vec<f64>> {
        let text = fs::read_to_string(place.path().join("here").join(name)).unwrap();
        let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
        let rows = rows.filter(|row| row[1] == of).map(|row| {
            row.into_iter().enumerate().map(|(k, x)| if k == 1 { 0.0 } else { x.parse().unwrap_or(f64::NAN) }).collect()
        });
        rows.collect()
    };
    let (arm, pin) = (table("bodies.csv", "arm"), table("joints.csv", "pin"));
    let (holder, hanger) = (table("drives.csv", "holder"), table("drives.csv", "hanger"));
    assert_eq!([arm.len(), pin.len(), holder.len(), hanger.len()], [51; 4]);
    for (arm, (pin, holder)) in arm.iter().zip(pin.iter().zip(&holder)) {
        // The arm's frame is turned by 90° about y where the joint is at zero; columns qw and qy, wy.
        let angle = 2.0 * arm[7].atan2(arm[5]) - std::f64::consts::FRAC_PI_2;
        assert!((pin[3] - angle).abs() < 1e-12 && (holder[2] - angle).abs() < 1e-12, "{pin:?} {angle}");
        assert!((pin[4] - arm[13]).abs() < 1e-12 && (holder[3] - arm[13]).abs() < 1e-12);
    }
    // At rest: about y, the weight turns the arm down, which is positive.
    let (end, now) = (holder.last().unwrap(), pin.last().unwrap()[3]);
    let moment = 0.5 * 9.81 * 0.1 * now.cos();
    assert!((end[5] + moment).abs() < 1e-4 * moment, "{end:?} {moment}");
    assert!((end[4] - 30_f64.to_radians()).abs() < 1e-12 && (50.0 * (end[4] - now) - end[5]).abs() < 1e-4);
    let end = hanger.last().unwrap();
    let stretch = 0.2 * 9.81 / 400.0;
    assert!(end[2].is_nan() && end[4].is_nan() && (end[5] - 0.2 * 9.81).abs() < 1e-4, "{end:?}");
    assert!(
        (end[6] - stretch).abs() < 1e-6 && end[7].abs() < 1e-12 && (end[8] - 200.0 * stretch * stretch).abs() < 1e-6
    );
    place.run(&["run", "ball.toml", "--out", "here"]);
    assert!(!place.path().join("here/joints.csv").exists() && !place.path().join("here/drives.csv").exists());
}

/// Two boxes whose edges lie in each other, deeper than their rounding: a start that no law knows. The message names the pair,
/// which it did not; where a law comes to know it, another start has to stand here.
#[test]
fn a_start_that_no_law_knows_names_its_pair() {
    let place = Place::new();
    let shape =
        "shape = { type = \"box\", half_extents = [0.02, 0.02, 0.02], edge_radius = 0.001 }\nmaterial = \"m\"\n";
    place.write(
        "two.toml",
        &format!(
            "[scene]\nname = \"two\"\nduration = 0.05\n[materials.m]\nyoung = 1e6\npoisson = 0.3\nfriction = 0.5\ndensity = 1000\n\
             [[body]]\nname = \"one\"\n{shape}position = [0, 0, 0.02]\n\
             [[body]]\nname = \"other\"\n{shape}position = [0.0385, 0, 0.0585]\n"
        ),
    );
    place.refused(&["run", "two.toml"], "`one`–`other`, at the start");
}

/// A run that is asked to end (SIGTERM) leaves whole files; what one that was killed left is gone after the next.
#[test]
fn parts_of_files_do_not_stay() {
    let place = Place::new();
    let long = |signal: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fingerpad"))
            .args(["run", "bowl-roll", "--duration", "100000", "--out", "long"])
            .current_dir(place.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        let own = format!(".{}.part", child.id());
        let begun = || place.parts("long").iter().filter(|name| name.ends_with(&own)).count() == 4;
        while !begun() && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // The handler of signals stands before the files are begun, and listens once they are.
        std::thread::sleep(Duration::from_millis(200));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        child.wait().unwrap().code()
    };
    assert_eq!(long("-KILL"), None);
    assert_eq!(place.parts("long").len(), 4, "the test needs parts that stay");
    // A part of another's file, and one of a process that runs (this one), are not ours to remove.
    place.write("long/other.csv.1.part", "");
    let ours = format!("long/bodies.csv.{}.part", std::process::id());
    place.write(&ours, "");
    assert_eq!(long("-TERM"), Some(130));
    let mut left = place.parts("long");
    left.sort();
    assert_eq!(left, [ours.strip_prefix("long/").unwrap(), "other.csv.1.part"]);
    let text = fs::read_to_string(place.path().join("long/summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["status"], "interrupted");
}

/// Limits hold for options as for scenes, and a file that only says it is long is refused at once.
#[test]
fn limits_hold_before_any_work() {
    let place = Place::new();
    place.refused(&["run", "ball.toml", "--duration", "1e300"], "at most 1e9 s");
    place.refused(&["run", "ball.toml", "--duration", "1e8"], "rows");
    place.refused(&["run", "ball.toml", "--set", "scene.duration=1e300"], "at most 1e9 s");
    // 10 GB that hold a header and nothing else.
    let sparse = |name: &str, head: &[u8]| {
        fs::write(place.path().join(name), head).unwrap();
        fs::File::options().write(true).open(place.path().join(name)).unwrap().set_len(10 << 30).unwrap();
    };
    let header = FLAT.split("0 0 0").next().unwrap();
    let mut stl = [b' '; 84];
    stl[80..84].copy_from_slice(&200_000_000_u32.to_le_bytes());
    sparse("flat.asc", header.as_bytes());
    sparse("zeros.asc", b"");
    sparse("many.asc", header.replace("5\nnrows 5", "30000\nnrows 30000").as_bytes());
    sparse("zeros.stl", b"");
    sparse("many.stl", &stl);
    sparse("text.stl", format!("solid a\n{}", " \n".repeat(1000)).as_bytes());
    for (file, why) in [
        ("flat.asc", "a height"),
        ("zeros.asc", "expected"),
        ("many.asc", "more than the 268435456 nodes"),
        ("zeros.stl", "expected"),
        ("many.stl", "triangles"),
        ("text.stl", "bytes"),
    ] {
        let began = Instant::now();
        let (code, _, err) = place.run(&["inspect", file]);
        assert!(code == 2 && err.contains(why), "{file}: {code} {err}");
        assert!(began.elapsed() < Duration::from_secs(3), "{file} took {:?}", began.elapsed());
    }
    let (code, _, err) = place.run(&["run", "over-map.toml"]);
    assert!(code == 2 && err.contains("a height"), "{err}");
}

/// A run that ended early has judged nothing, whatever its rows say so far.
#[test]
fn checks_of_a_stopped_run_are_not_judged() {
    let place = Place::new();
    // Diverges in free fall: the check holds in every row until then.
    let args = ["run", "ball.toml", "--json", "--set", "scene.gravity=[1e99, 0, 0]"];
    let (code, out, err) = place.run(&args);
    assert_eq!(code, 1, "{err}");
    let summary: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["status"], "diverged");
    assert_eq!(summary["checks"][0]["ok"], Value::Null, "{:#}", summary["checks"]);
    let (_, out, _) = place.run(&args.map(|arg| if arg == "--json" { "--quiet" } else { arg }));
    assert!(out.contains("not judged") && !out.contains("FAILED"), "{out}");
}
