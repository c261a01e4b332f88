//! A ball in a bowl against an independent program: six runs of 4 s, with ledger and events.

mod bowl_scene;

use bowl_scene::{read, scene};
use fingerpad_sim::{Accurate, Event, EventKind, Ledger, State, Stepper, Workspace, ledger};
use nalgebra::Vector3;
use serde_json::Value;

struct Run {
    rows: Vec<(State, Ledger)>,
    events: Vec<Event>,
}

fn run(data: &Value) -> Run {
    let (model, mut state) = scene(data);
    let mut work = Workspace::new(&model, &state);
    let stepper = Accurate::default();
    let mut rows = Vec::new();
    let mut events = Vec::new();
    let mut cost = (0, 0, 0);
    let clock = std::time::Instant::now();
    for row in data["rows"].as_array().unwrap() {
        let report = stepper.advance(&model, &mut state, &mut work, row[0].as_f64().unwrap()).unwrap();
        cost = (cost.0 + report.steps, cost.1 + report.rejected, cost.2 + report.evaluations);
        events.extend_from_slice(work.events());
        let sums = ledger(&model, &state, &mut work).unwrap();
        rows.push((state.clone(), sums));
    }
    println!("steps, rejected, evaluations {cost:?} in {:?}", clock.elapsed());
    Run { rows, events }
}

/// Position and every line of the ledger to 1e-6 (the oracle's own error is below 4e-10 m), modes at every row, touchdowns
/// and releases to 1e-6 s; losses never fall; the ledger closes to 1e-9.
fn compare(name: &str) {
    let data = read(name);
    let Run { rows, events } = run(&data);
    let columns: Vec<&str> = data["columns"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
    let column = |name: &str| columns.iter().position(|c| *c == name).unwrap();
    let mut worst = [0.0_f64; 12];
    let mut last = rows[0].1;
    let first = rows[0].1.total();
    for ((state, sums), row) in rows.iter().zip(data["rows"].as_array().unwrap()) {
        let want = |name: &str| row[column(name)].as_f64().unwrap();
        let ball = &state.bodies[1];
        let off = ball.X_WBcm.translation.vector - Vector3::new(want("Cx"), want("Cy"), want("Cz"));
        let turning = ball.V_WBcm.w - Vector3::new(want("wx"), want("wy"), want("wz"));
        let q = ball.X_WBcm.rotation;
        let theirs = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
            want("qw"),
            want("qx"),
            want("qy"),
            want("qz"),
        ));
        let lines = [
            off.norm(),
            turning.norm(),
            q.angle_to(&theirs),
            (sums.KE - want("KE")).abs(),
            (sums.PE - want("PE")).abs(),
            (sums.V_normal - want("V_normal")).abs(),
            (sums.V_tangential - want("V_tangential")).abs(),
            (sums.E_visc - want("E_visc")).abs(),
            (sums.E_slip - want("E_slip")).abs(),
            (sums.E_release - want("E_release")).abs(),
            (sums.W_injected - want("W_injected")).abs(),
            (sums.total() - first).abs(),
        ];
        for (worst, line) in worst.iter_mut().zip(lines) {
            *worst = worst.max(line);
        }
        assert_eq!(f64::from(state.contacts[0].mode.code()), want("mode"), "mode at {}", state.time);
        assert!(sums.E_slip >= last.E_slip && sums.E_visc >= last.E_visc, "{name}: losses fell at {}", state.time);
        last = *sums;
    }
    println!("{name}: {:?}", worst.map(|x| format!("{x:.1e}")));
    let ours: Vec<(f64, &str)> = events
        .iter()
        .filter(|e| matches!(e.kind, EventKind::On | EventKind::Off))
        .map(|e| (e.time, e.kind.name()))
        .collect();
    let theirs: Vec<(f64, &str)> = data["meta"]["first_events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e[0].as_f64().unwrap(), e[2].as_str().unwrap()))
        .filter(|e| e.1 == "on" || e.1 == "off")
        .collect();
    assert!(ours.len() >= theirs.len(), "{} {}", ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert!(ours.1 == theirs.1 && (ours.0 - theirs.0).abs() <= 1e-6, "{ours:?} {theirs:?}");
    }
    assert!(worst[0] <= 1e-6, "{name}: position off by {:e} m", worst[0]);
    for line in &worst[3..11] {
        assert!(*line <= 1e-6, "{name}: {worst:?}");
    }
    assert!(worst[11] <= 1e-9 * first.abs(), "{name}: ledger drifts by {:e} J of {first}", worst[11]);
}

/// No tangential load; f_n begins as δ^1.5.
#[test]
fn hunt_crossley_frictionless() {
    compare("hc_frictionless");
}

/// Springs along the patch that never slip; what they hold at release is let go.
#[test]
fn hunt_crossley_sticking() {
    compare("hc_stick");
}

/// Touchdown in slip, since the limit begins slower than the springs; would catch negative slip loss.
#[test]
fn hunt_crossley_slipping() {
    compare("hc_slip");
}

/// The damper's force jumps at touchdown and is held at zero before release.
#[test]
fn kelvin_voigt_frictionless() {
    compare("kv_frictionless");
}

/// Springs and dampers along the patch stay while the normal force is held at zero.
#[test]
fn kelvin_voigt_sticking() {
    compare("kv_stick");
}

/// Touchdown in stick, since the damper presses at once.
#[test]
fn kelvin_voigt_slipping() {
    compare("kv_slip");
}
