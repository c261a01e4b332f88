//! `fingerpad run --formulation complementarity` from outside: impulses that do not vanish with the step.

mod program;

use program::run;
use serde_json::Value;
use std::path::Path;

/// A scene in a folder, run there with rigid contacts: its summary.
fn rigid(folder: &Path, text: &str, more: &[&str]) -> Value {
    let scene = folder.join("scene.toml");
    std::fs::write(&scene, text).unwrap();
    let out = folder.join("out");
    let paths = [scene.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let args = [&["run"], &paths[..], &["--json", "--formulation", "complementarity"], more].concat();
    let (code, out, err) = run(&args, "");
    let got: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out:?} {err}"));
    assert_eq!(code, 0, "{err} {:#}", got["checks"]);
    got
}

/// A uniform rod of half length 0.5 m leans at 60° with its tip on the floor and slides towards that side.
const ROD: &str = r#"
[scene]
name = "rod"
duration = "1 ms"
[record]
period = "0.1 ms"
[solver]
step = "0.1 ms"
[[body]]
name = "floor"
shape = "half_space"
fixed = true
[[body]]
name = "rod"
shape = { type = "sphere", radius = "20 mm" }
mass = "1.2 kg"
inertia = [0.1, 0.1, 0.1]
center_of_mass = [-0.25, 0, 0.4130127018922193]
position = [0, 0, "20 mm"]
velocity = [1, 0, 0]
[[pair]]
bodies = ["floor", "rod"]
k = 1e5
n = 1
k_t = 1e5
mu = 2
[[check]]
name = "its slip ends at once"
expression = "at(energy.E_painleve, '0.1 ms') == 0.5 * (1/1.2 + 0.0625/0.1) / ((1/1.2 + 0.0625/0.1) * (1/1.2 + 0.1875/0.1) - 0.0625 * 0.1875 / 0.01) +- 1e-3"
"#;

/// The rod's impulse is named with both bodies, has its own column, and is missing where friction is small.
#[test]
fn impulses_that_stay_are_named_and_booked() {
    let folder = tempfile::tempdir().unwrap();
    let got = rigid(folder.path(), &ROD.replace('\'', "\\\""), &[]);
    assert!(got["painleve"].as_u64().unwrap() >= 1, "{got:#}");
    assert!(got["ledger_error"].as_f64().unwrap() < 1e-12);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    assert!(read("energy.csv").lines().next().unwrap().ends_with("total [J],E_painleve [J]"));
    let events = read("events.csv");
    let event = events.lines().find(|line| line.ends_with(",painleve")).unwrap_or_else(|| panic!("{events}"));
    assert!(event.contains(",floor,rod,"), "{event}");
    let calm = ROD.split("[[check]]").next().unwrap();
    let got = rigid(folder.path(), calm, &["--set", "pair.0.mu=1"]);
    assert_eq!((got["painleve"].as_u64(), got["energy"]["E_painleve"].as_f64()), (Some(0), Some(0.0)));
}

/// A ball and a block of the same restitution fall on the floor; another ball has its own.
const DROPS: &str = r#"
[scene]
name = "drops"
duration = "0.5 s"
[record]
period = "1 ms"
[solver]
step = "1 ms"
restitution = 0.5
[[body]]
name = "floor"
shape = "half_space"
fixed = true
[[body]]
name = "ball"
shape = { type = "sphere", radius = "50 mm" }
mass = "1 kg"
position = [0, 0, "0.25 m"]
[[body]]
name = "lively"
shape = { type = "sphere", radius = "50 mm" }
mass = "1 kg"
position = [1, 0, "0.25 m"]
[[pair]]
bodies = ["floor", "ball"]
k = 1e7
n = 1
friction = "none"
[[pair]]
bodies = ["floor", "lively"]
k = 1e7
n = 1
friction = "none"
restitution = 0.9
[[ignore]]
bodies = ["ball", "lively"]
[[check]]
name = "leaves at half its speed"
expression = "max(ball.vz) == -0.5 * min(ball.vz) +- 1e-9"
[[check]]
name = "has its own restitution"
expression = "max(lively.vz) == -0.9 * min(lively.vz) +- 1e-9"
[[check]]
name = "what impacts take is there"
expression = "energy.E_num > 0.5"
"#;

/// v⁺ = −e v⁻, of the pair or of all; wrong numbers are told with their place.
#[test]
fn restitution_comes_from_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let got = rigid(folder.path(), DROPS, &[]);
    assert!(got["ledger_error"].as_f64().unwrap() < 1e-12);
    assert_eq!(got["calmed"], 0);
    for (from, to, said) in [
        ("restitution = 0.9", "restitution = 1.1", "from 0 to 1"),
        ("restitution = 0.5", "restitution = -0.5", "from 0 to 1"),
        ("restitution = 0.5", "hull = 30", "20, 42 or 86"),
    ] {
        let scene = folder.path().join("wrong.toml");
        std::fs::write(&scene, DROPS.replace(from, to)).unwrap();
        let (code, _, err) = run(&["run", scene.to_str().unwrap()], "");
        assert!(code == 2 && err.contains(said), "{code} {err}");
    }
}
