//! `fingerpad planar --steps` against closed forms: rolling, a slip that ends, contacts that are lost.

mod program;

use program::answered;
use serde_json::{Value, json};

/// Instants and the reason of the end.
fn path(part: &Value, steps: usize, dt: &str) -> (Vec<Value>, String) {
    let (code, got) = answered(&["planar", "-", "--json", "--steps", &steps.to_string(), "--dt", dt], part);
    let path = &got["answer"]["path"];
    assert_eq!(code, 0, "{got}");
    (path["instants"].as_array().unwrap().clone(), path["stopped"].as_str().unwrap().to_string())
}

fn number(v: &Value) -> f64 {
    v.as_f64().unwrap()
}

fn near(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} against {b}");
}

/// x = g sin θ t²/3 for a disc that rolls; its acceleration is constant, so steps add rounding only.
#[test]
fn a_disc_rolls_down_a_slope_without_slipping() {
    let part = json!({"body": {"disc": {"radius": 1}}, "pose": {"pos": ["-3/5", "4/5"]}, "density": 3, "gravity": [0, -10],
        "mu": "1/2", "obstacles": [{"polygon": [[-8, -6], [8, -6], [8, 6]]}]});
    let (rows, stopped) = path(&part, 50, "0.01");
    let last = rows.last().unwrap();
    let way = 10.0 * 0.6 / 3.0 * 0.5 * 0.5;
    assert!(stopped.contains("50 steps") && rows.iter().take(50).all(|r| r["mode"] == "F"), "{stopped}");
    near(number(&last["pose"][0]), -0.6 - 0.8 * way, 1e-9, "x");
    near(number(&last["pose"][1]), 0.8 - 0.6 * way, 1e-9, "y");
    near(number(&last["pose"][2]), way, 1e-9, "angle");
    // With less friction than tan θ/3 it slips: a = g (sin θ − μ cos θ), α = 2 μ g cos θ/r.
    let mut slippery = part.clone();
    slippery["mu"] = json!("1/8");
    let (rows, _) = path(&slippery, 50, "0.01");
    let last = rows.last().unwrap();
    near(number(&last["pose"][0]), -0.6 - 0.8 * (10.0 * (0.6 - 0.1) * 0.125), 1e-9, "x while slipping");
    near(number(&last["pose"][2]), 2.0 * 10.0 * 0.1 * 0.125, 1e-9, "angle while slipping");
}

/// A block at 1 m/s with μ g = 5 m/s² stops after 0.1 m and 0.2 s, inside a step, and stays.
#[test]
fn a_sliding_block_stops_where_its_energy_is_spent_and_then_sticks() {
    let part = json!({"body": {"polygon": [[0, 0], [1, 0], [1, 1], [0, 1]]}, "m": 2, "gravity": [0, -10], "vel": [1, 0, 0],
        "mu": "1/2", "obstacles": [{"polygon": [[-3, -1], [9, -1], [9, 0], [-3, 0]]}]});
    let (rows, _) = path(&part, 10, "0.03");
    let stop = rows.iter().find(|r| r.get("event").is_some()).expect("an event");
    assert!(stop["event"].as_str().unwrap().contains("stops slipping"), "{stop}");
    near(number(&stop["t"]), 0.2, 1e-9, "time");
    near(number(&stop["pose"][0]), 0.5 + 0.1, 1e-9, "way");
    assert_eq!((&stop["mode"], &rows[0]["mode"]), (&json!("FF"), &json!("PP")));
    let last = rows.last().unwrap();
    near(number(&last["pose"][0]), 0.6, 1e-9, "rest");
    assert_eq!(rows.iter().filter(|r| r.get("event").is_some()).count(), 1);
}

/// A disc set down on the floor with backspin: slips until v = ω r. From v₀ = 3, ω = 0, μ g = 2: v = v₀ − μ g t,
/// ω r = −2 μ g t, rolling from t = v₀/(3 μ g) = 1/2 on with v = 2 v₀/3.
#[test]
fn a_sliding_disc_starts_to_roll_at_two_thirds_of_its_speed() {
    let part = json!({"body": {"disc": {"radius": 1}}, "pose": {"pos": [0, 1]}, "m": 1, "gravity": [0, -10], "vel": [3, 0, 0],
        "mu": "1/5", "obstacles": [{"polygon": [[-3, -1], [9, -1], [9, 0], [-3, 0]]}]});
    let (rows, _) = path(&part, 10, "0.07");
    let start = rows.iter().find(|r| r.get("event").is_some()).expect("an event");
    near(number(&start["t"]), 0.5, 1e-9, "time");
    let last = rows.last().unwrap();
    assert_eq!((&rows[0]["mode"], &start["mode"]), (&json!("P"), &json!("F")));
    near(number(&last["velocity"][0]), 2.0, 1e-9, "speed");
    near(number(&last["velocity"][2]), -2.0, 1e-9, "turning");
    near(number(&last["pose"][0]), 3.0 * 0.5 - 0.25 + 2.0 * 0.2, 1e-8, "way");
}

/// The textbook ladder: a rod from rest between smooth wall and floor leaves the wall when its top has come down to two
/// thirds, with ω² = 3 g (sin θ₀ − sin θ)/(2 l) = 4.
#[test]
fn a_rod_sliding_down_a_wall_leaves_it_at_two_thirds_of_the_height() {
    let part = json!({"body": {"polygon": [[-1, 0], [0, -0.01], [1, 0], [0, 0.01]]}, "centre_of_mass": [0, 0], "rho2": "1/3",
        "pose": {"pos": ["3/5", "4/5"], "tan_half": 2}, "m": 1, "gravity": [0, -10], "mu": 0,
        "obstacles": [{"polygon": [[-1, -1], [9, -1], [9, 0], [-1, 0]]}, {"polygon": [[-1, 0], [0, 0], [0, 5], [-1, 5]]}]});
    let (rows, _) = path(&part, 600, "0.001");
    let held = |r: &&Value| r["mode"].as_str().unwrap().chars().filter(|c| *c != 'S' && *c != '-').count();
    assert_eq!(held(&&rows[0]), 2, "{}", rows[0]);
    let left = rows.iter().find(|r| held(r) < 2).expect("it leaves");
    // Told at the first step after: 1.7 m/s times 1 ms, and the error of the steps.
    near(number(&left["pose"][1]), 8.0 / 15.0, 2.5e-3, "height");
    near(number(&left["velocity"][2]).abs(), 2.0, 1e-2, "turning");
}

/// A smooth disc from rest on a smooth disc leaves it at two thirds of its first height, with v² = 2 g (y₀ − y).
#[test]
fn a_disc_sliding_off_a_disc_leaves_it_at_two_thirds_of_the_height() {
    let part = json!({"body": {"disc": {"radius": "1/4"}}, "pose": {"pos": ["3/5", "4/5"]}, "m": 1, "gravity": [0, -10],
        "mu": 0, "obstacles": [{"disc": {"radius": "3/4"}}]});
    let (rows, _) = path(&part, 500, "0.001");
    let left = rows.iter().find(|r| r["mode"] == "S" || r["mode"] == "-").expect("it leaves");
    near(number(&left["pose"][1]), 8.0 / 15.0, 2.5e-3, "height");
    let v = number(&left["velocity"][0]).hypot(number(&left["velocity"][1]));
    near(v * v, 20.0 * (0.8 - number(&left["pose"][1])), 1e-3, "energy");
    near(number(&left["velocity"][2]), 0.0, 1e-12, "turning");
}

/// Second order: on an arc, half the step leaves a quarter of the error. A disc that rolls in a bowl is a pendulum with
/// 3/2 of its inertia; its speed at a height is known from energy.
#[test]
fn steps_are_of_second_order_on_an_arc() {
    let bowl = json!({"outline": [[-4, -4], [4, -4], [4, 0], [3, 0], {"via": [0, -3]}, [-3, 0], [-4, 0]]});
    let part = json!({"body": {"disc": {"radius": 1}}, "pose": {"pos": ["6/5", "-8/5"]}, "m": 1, "gravity": [0, -10], "mu": 1,
        "obstacles": [bowl]});
    let error = |steps: usize, dt: &str| {
        let (rows, stopped) = path(&part, steps, dt);
        let last = rows.last().unwrap();
        assert!(stopped.contains("steps asked") && rows[steps - 1]["mode"] == "F", "{stopped}");
        let v = |i: usize| number(&last["velocity"][i]);
        let energy = 0.75 * (v(0) * v(0) + v(1) * v(1)) + 10.0 * number(&last["pose"][1]);
        (energy + 16.0).abs()
    };
    let (coarse, fine) = (error(40, "0.01"), error(80, "0.005"));
    assert!(coarse < 2e-2 && fine < 0.4 * coarse, "{coarse} {fine}");
}

/// What cannot go on says why: an impact with its speed, an ambiguous start.
#[test]
fn paths_end_with_their_reason() {
    let peg = json!({"body": {"polygon": [[-1, 0], [0, -2], [1, 0], [0, 2]]}, "m": 1, "gravity": [0, -10], "mu": "1/2",
        "obstacles": [{"polygon": [[-1.5, -2.5], [-1, -2.5], [-1, 2.5], [-1.5, 2.5]]},
            {"polygon": [[1, -2.5], [1.5, -2.5], [1.5, 2.5], [1, 2.5]]}]});
    let (rows, stopped) = path(&peg, 5, "0.01");
    assert_eq!((rows.len(), stopped.as_str()), (1, "more than one acceleration is possible"));
    let falling = json!({"body": {"disc": {"radius": 1}}, "pose": {"pos": [0, 1.2]}, "m": 1, "gravity": [0, -10], "mu": 0.5,
        "obstacles": [{"polygon": [[-3, -1], [3, -1], [3, 0], [-3, 0]]}]});
    let (rows, stopped) = path(&falling, 100, "0.03");
    assert!(stopped.contains("impact") && stopped.contains("m/s"), "{stopped}");
    // √(2·0.2/10) = 0.2 s; found within the drift of 1e-4 at 2 m/s, inside a step.
    near(number(&rows.last().unwrap()["t"]), 0.2, 1e-4, "time");
}
