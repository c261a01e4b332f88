//! Runs that are wrong in ways seen before do not end with exit 0 and no word: `quality` in the summary, one warning for
//! each cause, exit 1 where the result is bad. What is expected comes from closed forms or from the scene itself.

mod program;

use serde_json::Value;
use std::process::Command;

/// A ball of 1 kg and 5 cm above a plane, with the pair's constants and a solver as given.
fn ball(solver: &str, start: &str, pair: &str, rest: &str) -> String {
    format!(
        "[scene]\nname = \"q\"\nduration = 0.05\n{rest}\n[solver]\n{solver}\n[record]\nperiod = 0.005\n\
         [[body]]\nname = \"ground\"\nshape = \"half_space\"\nfixed = true\n\
         [[body]]\nname = \"ball\"\nshape = {{ type = \"sphere\", radius = 0.05 }}\nmass = 1\n{start}\n\
         [[pair]]\nbodies = [\"ground\", \"ball\"]\n{pair}\n"
    )
}

const THROWN: &str = "position = [0, 0, 0.051]\nvelocity = [0.3, 0, -1]";

/// Exit code, summary, stderr and table of a scene.
fn run(scene: &str, args: &[&str]) -> (i32, Value, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("q.toml"), scene).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fingerpad"))
        .args([&["run", "q.toml"], args].concat())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let err = text(output.stderr);
    let file =
        std::fs::read_to_string(folder.path().join("out/q/summary.json")).unwrap_or_else(|e| panic!("{e}: {err}"));
    (output.status.code().unwrap(), serde_json::from_str(&file).unwrap(), err, text(output.stdout))
}

fn number(summary: &Value, key: &str) -> f64 {
    summary["quality"][key].as_f64().unwrap_or_else(|| panic!("{key}: {:#}", summary["quality"]))
}

/// A soft, slow contact: nothing speaks against it, in any stepper, and every field is there.
#[test]
fn a_run_that_works_is_good() {
    let scene =
        ball("stepper = \"accurate\"\nstep = \"0.1 ms\"", "position = [0, 0, 0.05]", "k = 1e5\nn = 1\nb_kv = 100", "");
    for args in [&[][..], &["--set", "solver.stepper=fast"], &["--formulation", "complementarity"]] {
        let (code, summary, err, table) = run(&scene, args);
        assert_eq!(
            (code, &summary["quality"]["verdict"]),
            (0, &"good".into()),
            "{args:?} {err} {:#}",
            summary["quality"]
        );
        assert!(err.is_empty() && table.contains("quality good"), "{err}{table}");
        for key in ["unsolved", "unconverged", "ledger_error", "numerical_share", "depth_worst", "depth_of_law"] {
            assert!(summary["quality"][key].is_number(), "{key}");
        }
        for key in ["outside_theory", "aliased", "lost"] {
            assert_eq!(summary["quality"][key], Value::Array(vec![]), "{key}");
        }
    }
}

/// A table that shakes at 1 kHz stands still at steps of 1 ms: without a word, nothing would happen in the scene.
#[test]
fn a_motion_that_the_step_aliases_is_bad() {
    let scene = |frequency: f64, step: &str| {
        let fast = format!("stepper = \"fast\"\nstep = {step:?}");
        ball(&fast, "position = [0, 0, 0.05]", "k = 1e6\nn = 1\nb_kv = 100\nk_t = 1e5\nmu = 0.5", "").replace(
            "fixed = true",
            &format!("motion = {{ type = \"shaker\", amplitude = [1e-6, 0, 0], frequency = {frequency} }}"),
        )
    };
    let (code, summary, err, _) = run(&scene(1000.0, "1 ms"), &[]);
    assert_eq!((code, &summary["quality"]["verdict"]), (1, &"bad".into()), "{err}");
    assert_eq!(summary["quality"]["aliased"], serde_json::json!(["ground"]));
    assert!(err.contains("`ground` shakes") && err.contains("aliased") && err.contains("steps of"), "{err}");
    // Five steps a period are poor, a hundred are good.
    let (code, summary, _, _) = run(&scene(200.0, "1 ms"), &[]);
    assert_eq!((code, &summary["quality"]["verdict"]), (0, &"poor".into()));
    let (_, summary, err, _) = run(&scene(200.0, "50 us"), &[]);
    assert_eq!(summary["quality"]["aliased"], serde_json::json!([]), "{err}");
    // The accurate stepper follows any motion.
    let (_, summary, err, _) = run(&scene(1000.0, "1 ms"), &["--set", "solver.stepper=accurate"]);
    assert_eq!(summary["quality"]["aliased"], serde_json::json!([]), "{err}");
}

/// Dampers of 1e12 N s/m: a twentieth of the energy is missing from the books.
#[test]
fn an_open_ledger_is_bad() {
    let pair = "k = 1e6\nn = 1.5\nk_t = 1e5\nk_theta = 1\ne_n = 0.001\nb_t = 1e12\nb_theta = 1e12\nmu = 0.5";
    let (code, summary, err, _) = run(&ball("", THROWN, pair, ""), &[]);
    let open = summary["ledger_error"].as_f64().unwrap();
    // The opinion is the table itself: total at its ends.
    assert!(open > 1e-3, "this scene no longer opens its ledger ({open:e}): the test needs another");
    assert_eq!((code, &summary["quality"]["verdict"]), (1, &"bad".into()));
    assert!(err.contains("ledger is open"), "{err}");
}

/// An impact that is slower than a fall of one step (0.2 s) is none to fixed steps, which are not cut for it: the numbers take
/// its energy, with a closed ledger.
#[test]
fn energy_that_the_numbers_take_is_bad() {
    let pair = "k = 1e12\nn = 1.5\nc_hc = 0.2\nk_t = 1e5\nk_theta = 1\ne_n = 0.001\nmu = 0.5";
    let (code, summary, err, _) = run(&ball("stepper = \"fast\"\nstep = \"0.2 s\"", THROWN, pair, ""), &[]);
    // ½ m vz² of the 0.545 J of the start is the impact's, and none of it comes back.
    let share = number(&summary, "numerical_share");
    assert!(share > 0.45 / 0.545 && share < 1.1, "{share}");
    assert!(summary["ledger_error"].as_f64().unwrap() < 1e-12);
    assert_eq!((code, &summary["quality"]["verdict"]), (1, &"bad".into()));
    assert!(err.contains("E_num"), "{err}");
}

/// Steps that were not solved are counted, told, and fail the run where they are many.
#[test]
fn steps_that_are_not_solved_are_told() {
    let pair = "k = 1e15\nn = 1.5\nc_hc = 0.2\nk_t = 1e5\nk_theta = 1\ne_n = 0.001\nmu = 0.5";
    let (code, summary, err, _) = run(&ball("stepper = \"fast\"", THROWN, pair, ""), &[]);
    let count = number(&summary, "unconverged");
    assert_eq!(count, summary["unconverged"].as_f64().unwrap());
    // Steppers get better: where none is left, the energy that the numbers took still tells.
    assert_eq!((code, &summary["quality"]["verdict"]), (1, &"bad".into()), "{err}");
    assert!(count == 0.0 || err.contains("steps unconverged"), "{err}");
}

/// A ball that sinks deeper than its radius has left the theory: depth by m g/k, in closed form.
#[test]
fn a_body_that_sinks_into_the_ground_is_told() {
    let scene = |k: f64| {
        ball("", "position = [0, 0, 0.05]", &format!("k = {k}\nn = 1\nb_kv = {}", 2.0 * k.sqrt()), "gravity = 100")
            .replace("duration = 0.05", "duration = 2")
            .replace("period = 0.005", "period = 0.1")
    };
    // m g/k = 1 cm, 6 cm and 40 cm, on a ball of 5 cm; critically damped, so that nothing overshoots.
    for (k, code, verdict, outside) in
        [(1e4, 0, "good", false), (100.0 / 0.06, 0, "poor", true), (250.0, 1, "bad", true)]
    {
        let (got, summary, err, _) = run(&scene(k), &[]);
        let depth = number(&summary, "depth_worst");
        assert!((depth * k / 100.0 - 1.0).abs() < 1e-3, "{depth} m at k = {k}");
        assert_eq!((got, summary["quality"]["verdict"].as_str().unwrap()), (code, verdict), "k = {k}: {err}");
        assert_eq!(summary["quality"]["outside_theory"] == serde_json::json!(["ground-ball"]), outside);
        assert_eq!(err.contains("pressed"), outside, "{err}");
    }
}

/// `step` without a stepper that has one is told, not ignored in silence.
#[test]
fn a_step_that_is_not_used_is_told() {
    let pair = "k = 1e5\nn = 1";
    let (_, _, err, _) = run(&ball("step = \"1 ms\"", THROWN, pair, ""), &[]);
    assert!(err.contains("`step` is ignored"), "{err}");
    let (_, _, err, _) = run(&ball("step = \"1 ms\"\nstepper = \"fast\"", THROWN, pair, ""), &[]);
    assert!(!err.contains("ignored"), "{err}");
}
