//! `fingerpad run --formulation complementarity` from outside: impulses that do not vanish with the step, restitution, the
//! same scene with springs and without.

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
    assert!(read("energy.csv").lines().next().unwrap().contains(",total [J],E_painleve [J]"));
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

/// A check and its verdict, none where it is not asked of the stepper.
type Judged = (String, Option<bool>);

/// A shipped scene in a folder of its own: verdicts of its checks by name, and a coordinate of a body at every row.
fn track(name: &str, sets: &[String], more: &[&str], body: &str, column: usize) -> (Vec<Judged>, Vec<f64>) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut args = [&["run", name, "--json", "--out", out], more].concat();
    for set in sets {
        args.extend(["--set", set.as_str()]);
    }
    let (_, text, err) = run(&args, "");
    let got: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text:?} {err}"));
    let checks = got["checks"].as_array().unwrap().iter();
    let verdicts = checks.map(|c| (c["name"].as_str().unwrap().to_string(), c["ok"].as_bool())).collect();
    let bodies = std::fs::read_to_string(folder.path().join("bodies.csv")).unwrap();
    let rows = bodies.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    (verdicts, rows.filter(|row| row[1] == body).map(|row| row[column].parse().unwrap()).collect())
}

/// Springs of `spinning-disc` s times as stiff, one contact with the friction ellipsoid.
fn disc(s: f64) -> Vec<String> {
    let deep = 0.005 - 0.5 * 9.81 / (1e7 * s);
    vec![
        format!("body.disc.position=[0, 0, {deep:?}]"),
        format!("pair.0.k={:?}", 1e7 * s),
        format!("pair.0.k_t={:?}", 1e5 * s),
        format!("pair.0.k_theta={:?}", 40.0 * s),
        // Both with the friction ellipsoid at one point.
        "pair.0.places=closest".to_string(),
    ]
}

/// Springs of `pinch-sliders` s times as stiff.
fn pinch(s: f64) -> Vec<String> {
    let mut sets = vec!["record.period=5 ms".to_string()];
    for (k, side) in [("left", -1.0), ("right", 1.0)] {
        sets.push(format!("body.{k}.position=[0, {:?}, 0]", side * (0.023 - 5.0 / (5e4 * s))));
    }
    for k in 0..2 {
        sets.push(format!("pair.{k}.k={:?}", 5e4 * s));
        sets.push(format!("pair.{k}.k_t={:?}", 4e4 * s));
        sets.push(format!("pair.{k}.k_theta={s:?}"));
    }
    sets
}

/// Springs ten times as stiff come ten times as near to rigid contacts, with the same verdicts: a disc that slides and spins
/// to its stop, and a pinched block that a side load bends away by F/2k_t. Would catch friction that differs between the two.
#[test]
fn stiff_springs_come_near_to_rigid_contacts() {
    // Column 2 is x, 4 is z. The pinch runs for one period; its check at 10 s knows nothing then, in either.
    let springs: [fn(f64) -> Vec<String>; 2] = [disc, pinch];
    let cases =
        [("spinning-disc", &[][..], "disc", 2, 3e-5), ("pinch-sliders", &["--duration", "1 s"][..], "object", 4, 4e-5)];
    for ((name, more, body, column, most), springs) in cases.into_iter().zip(springs) {
        let hard = track(name, &springs(1.0), &[more, &["--formulation", "complementarity"]].concat(), body, column);
        let apart = |s: f64| {
            let soft = track(name, &springs(s), more, body, column);
            let both = soft.0.iter().zip(&hard.0).filter(|(soft, hard)| soft.1.and(hard.1).is_some());
            let both: Vec<(&Judged, &Judged)> = both.collect();
            assert!(both.len() > 1 && both.iter().all(|(soft, hard)| soft == hard), "{name} {s}: {both:?}");
            assert_eq!(soft.1.len(), hard.1.len(), "{name}");
            soft.1.iter().zip(&hard.1).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
        };
        let (soft, stiff) = (apart(1.0), apart(10.0));
        assert!(soft > 0.3 * most && soft < most, "{name}: {soft}");
        assert!(stiff < soft / 8.0, "{name}: {soft} {stiff}");
    }
}
