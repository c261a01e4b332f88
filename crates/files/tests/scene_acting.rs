//! Actuators of robots' files that act by themselves, sequences of poses, drives of whole robots: against statics in closed
//! form, in every stepper; what is wrong is refused with its place.

use fingerpad_files::scene::{Built, Scene, SceneError};
use fingerpad_sim::{FixedStep, JointId, Model, Rigid, State, Stepper, Switching};
use std::path::Path;

/// An arm of one hinge (500 g at 200 mm), three sliders that go up and down, two sliders on one tendon.
const ROBOT: &str = r#"<mujoco model="acting">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="arm" pos="0 0 1">
      <joint name="hinge" type="hinge" axis="0 -1 0" damping="0.05"/>
      <inertial pos="0.2 0 0" mass="0.5" diaginertia="1e-4 1e-4 1e-4"/>
    </body>
    <body name="lift" pos="1 0 0">
      <joint name="lift" type="slide" axis="0 0 1" damping="8"/>
      <inertial pos="0 0 0" mass="0.4" diaginertia="1e-4 1e-4 1e-4"/>
    </body>
    <body name="crane" pos="2 0 0">
      <joint name="crane" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="0.3" diaginertia="1e-4 1e-4 1e-4"/>
    </body>
    <body name="general" pos="3 0 0">
      <joint name="general" type="slide" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="0.2" diaginertia="1e-4 1e-4 1e-4"/>
    </body>
    <body name="left" pos="4 0 0">
      <joint name="left" type="slide" axis="1 0 0" stiffness="30" damping="3"/>
      <inertial pos="0 0 0" mass="0.2" diaginertia="1e-4 1e-4 1e-4"/>
    </body>
    <body name="right" pos="5 0 0">
      <joint name="right" type="slide" axis="1 0 0" stiffness="60" damping="3"/>
      <inertial pos="0 0 0" mass="0.2" diaginertia="1e-4 1e-4 1e-4"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="both"><joint joint="left" coef="1"/><joint joint="right" coef="-2"/></fixed>
  </tendon>
  <actuator>
    <position name="hinge" joint="hinge" kp="12" kv="0.6" gear="2" ctrlrange="-3 3"/>
    <motor name="lift" joint="lift" gear="0.5" forcerange="-2 20"/>
    <velocity name="crane" joint="crane" kv="25"/>
    <general name="general" joint="general" gaintype="fixed" biastype="affine" gainprm="4" biasprm="1.5 -80 -6" forcerange="-1 9"/>
    <position name="both" tendon="both" kp="50" dampratio="1"/>
  </actuator>
  <keyframe>
    <key name="up" ctrl="1.2 7 0.1 0.3 0.05"/>
    <key name="far" qpos="0.5 0 0 0.05 0.01 -0.02" ctrl="9 7 0.1 50 0.1"/>
    <key name="bare" qpos="0.3 0 0 0.02 0.01 0.01"/>
  </keyframe>
</mujoco>"#;

const HEAD: &str = "[scene]\nname = \"acting\"\nduration = 2\n";
const G: f64 = 9.81;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("robot.xml"), ROBOT).unwrap();
    std::fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robots/three-finger.urdf"),
        folder.path().join("hand.urdf"),
    )
    .unwrap();
    folder
}

fn build(rest: &str) -> Result<Built, SceneError> {
    let folder = folder();
    Scene::parse(&format!("{HEAD}{rest}"), "scene.toml", folder.path(), &[])?.build(&mut |_| {})
}

fn robot(keys: &str) -> String {
    format!("[[robot]]\nname = \"r\"\nfile = \"robot.xml\"\n{keys}\n")
}

fn built(rest: &str) -> Built {
    build(rest).unwrap_or_else(|e| panic!("{e}"))
}

fn q(model: &Model, state: &State, joint: &str) -> f64 {
    let id = model.joints().iter().position(|known| known.name == joint).unwrap_or_else(|| panic!("no joint {joint}"));
    model.joint_state(state, JointId(id)).0[0]
}

fn v(model: &Model, state: &State, joint: &str) -> f64 {
    let id = model.joints().iter().position(|known| known.name == joint).unwrap();
    model.joint_state(state, JointId(id)).1[0]
}

/// Runs a model in all three steppers, and hands the states at these times to a judge.
fn in_each(model: &Model, times: &[f64], mut judge: impl FnMut(&str, &[State])) {
    fn run<S: Stepper>(stepper: &S, model: &Model, times: &[f64]) -> Vec<State> {
        let mut state = model.start().unwrap();
        let mut work = stepper.workspace(model, &state).unwrap();
        let mut to = |t: &f64| {
            stepper.advance(model, &mut state, &mut work, *t).unwrap_or_else(|e| panic!("{e}"));
            state.clone()
        };
        times.iter().map(&mut to).collect()
    }
    judge("accurate", &run(&Switching::default(), model, times));
    judge("fast", &run(&FixedStep { step: 1e-3, ..FixedStep::default() }, model, times));
    judge("rigid", &run(&Rigid::with_step(1e-3), model, times));
}

/// Where a function that falls has its root.
fn root(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-10.0, 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

/// Where the arm hangs under a control: 2 clamp(12 (u − 2 q)) = m g l cos q.
fn arm(u: f64) -> f64 {
    root(|q| 2.0 * 12.0 * (u.clamp(-3.0, 3.0) - 2.0 * q) - 0.5 * G * 0.2 * q.cos())
}

/// Statics of every kind of actuator, with the controls of a keyframe; without one controls are 0.
#[test]
fn actuators_act_by_themselves_under_the_controls_of_a_keyframe() {
    let of = built(&robot("keyframe = \"up\""));
    assert!(of.warnings.iter().all(|w| !w.contains("act")), "{:?}", of.warnings);
    let model = &of.model;
    in_each(model, &[4.0], |stepper, states| {
        let state = &states[0];
        let near = |what: &str, got: f64, expected: f64, most: f64| {
            assert!((got - expected).abs() < most, "{stepper}, {what}: {got} against {expected}");
        };
        near("hinge", q(model, state, "r/hinge"), arm(1.2), 1e-6);
        // The motor's 0.5 · 7 N against the weight, through the damper of the joint: speed (3.5 − 3.924)/8.
        near("lift", v(model, state, "r/lift"), (3.5 - 0.4 * G) / 8.0, 1e-9);
        near("crane", v(model, state, "r/crane"), 0.1 - 0.3 * G / 25.0, 1e-9);
        // 4 u + 1.5 − 80 l = m g.
        near("general", q(model, state, "r/general"), (4.0 * 0.3 + 1.5 - 0.2 * G) / 80.0, 1e-7);
        // Springs of 30 and 60 N/m against 50 (0.05 − l) along (1, −2), l = x − 2 y: x = f/30, y = −2f/60.
        let f = 50.0 * 0.05 / (1.0 + 50.0 * (1.0 / 30.0 + 4.0 / 60.0));
        near("left", q(model, state, "r/left"), f / 30.0, 1e-7);
        near("right", q(model, state, "r/right"), -2.0 * f / 60.0, 1e-7);
    });
    let of = built(&robot(""));
    in_each(&of.model, &[4.0], |stepper, states| {
        let got = q(&of.model, &states[0], "r/hinge");
        assert!((got - arm(0.0)).abs() < 1e-6, "{stepper}: {got}");
        let speed = v(&of.model, &states[0], "r/crane");
        assert!((speed + 0.3 * G / 25.0).abs() < 1e-9, "{stepper}: {speed}");
    });
}

/// Ranges: a control beyond its range acts as its end (`arm`); a force range that does not lie about zero holds on both sides:
/// a control of 50 lifts the general one with 9 N less the weight, from rest.
#[test]
fn ranges_of_controls_and_forces_hold() {
    let of = built(&robot("keyframe = \"far\""));
    in_each(&of.model, &[0.1, 4.0], |stepper, states| {
        let rise = q(&of.model, &states[0], "r/general") - 0.05;
        let expected = 0.5 * (9.0 / 0.2 - G) * 0.01;
        assert!((rise / expected - 1.0).abs() < 1e-2, "{stepper}: {rise} against {expected}");
        let hangs = q(&of.model, &states[1], "r/hinge");
        assert!((hangs - arm(3.0)).abs() < 1e-6, "{stepper}: {hangs}");
    });
    // The other side: −1 N and the weight pull down.
    let down = "[[drive]]\nactuator = \"r/general\"\ntimeline = [[0, -50]]\n";
    let of = built(&format!("{}{down}", robot("")));
    in_each(&of.model, &[0.1], |stepper, states| {
        let fall = q(&of.model, &states[0], "r/general");
        let expected = -0.5 * (1.0 / 0.2 + G) * 0.01;
        assert!((fall / expected - 1.0).abs() < 1e-2, "{stepper}: {fall} against {expected}");
    });
}

/// A damping ratio of 1 on a tendon: 2 √(k m), m = Σ M/c², with M = 0.2 kg each and c = 1, −2.
#[test]
fn a_damping_ratio_is_that_of_the_inertia_at_the_tendon() {
    let of = built(&robot(""));
    let drive = of.model.drives().iter().find(|drive| drive.name == "r/both").unwrap();
    let fingerpad_sim::DriveKind::Position { stiffness, damping } = drive.kind else { panic!("{drive:?}") };
    let expected = 2.0 * (50.0_f64 * (0.2 + 0.2 / 4.0)).sqrt();
    assert!(stiffness == 50.0 && (damping - expected).abs() < 1e-12, "{damping} against {expected}");
}

/// A drive of the scene on a joint takes the place of its actuator; a control over time is followed; `actuators = false`.
#[test]
fn drives_of_the_scene_go_before_actuators() {
    let own = "[[drive]]\njoint = \"r/crane\"\ntype = \"velocity\"\ndamping = 25\ntimeline = [[0, 0.5]]\n\
               [[drive]]\nactuator = \"r/hinge\"\ntimeline = [[0, 0], [1, 1.2]]\nsmooth = \"quintic\"\n";
    let of = built(&format!("{}{own}", robot("")));
    assert!(of.warnings.iter().any(|w| w.contains("1 of its actuators do not act")), "{:?}", of.warnings);
    assert_eq!(of.model.drives().iter().filter(|drive| drive.along[0].0 == JointId(2)).count(), 1);
    in_each(&of.model, &[4.0], |stepper, states| {
        let speed = v(&of.model, &states[0], "r/crane");
        assert!((speed - 0.5 + 0.3 * G / 25.0).abs() < 1e-9, "{stepper}: {speed}");
        let hangs = q(&of.model, &states[0], "r/hinge");
        assert!((hangs - arm(1.2)).abs() < 1e-6, "{stepper}: {hangs}");
    });
    assert!(built(&robot("actuators = false")).model.drives().is_empty());
}

/// A sequence leads actuators to controls of keyframes, to positions of poses that have none, and rests in between.
#[test]
fn a_sequence_of_keyframes_and_poses_is_followed() {
    let keys = "keyframe = \"bare\"\nposes.low = { hinge = \"-20 deg\", general = \"10 mm\" }\n\
                sequence = [[0.5, \"up\"], [2.5, \"up\"], [3, \"bare\"], [5, \"bare\"], [5.5, \"low\"]]\nsmooth = \"quintic\"";
    let of = built(&robot(keys));
    let model = &of.model;
    in_each(model, &[1e-3, 2.5, 5.0, 8.0], |stepper, states| {
        let near = |what: &str, got: f64, expected: f64, most: f64| {
            assert!((got - expected).abs() < most, "{stepper}, {what}: {got} against {expected}");
        };
        near("start", q(model, &states[0], "r/hinge"), 0.3, 1e-4);
        near("up", q(model, &states[1], "r/hinge"), arm(1.2), 1e-6);
        // A pose of 0.3 rad asks for the control 0.6; the arm hangs below it by its weight.
        near("bare", q(model, &states[2], "r/hinge"), arm(0.6), 1e-6);
        near("general", q(model, &states[2], "r/general"), 0.02 - 0.2 * G / 80.0, 1e-6);
        near("low", q(model, &states[3], "r/hinge"), arm(-40_f64.to_radians()), 1e-6);
        near("low", q(model, &states[3], "r/general"), 0.01 - 0.2 * G / 80.0, 1e-6);
    });
}

/// One table drives each joint of a URDF hand along the poses of the scene, with what the drives give under the weight.
#[test]
fn one_drive_leads_a_whole_hand_along_poses() {
    let hand = "gravity = 0\n[materials.a]\nyoung = \"1 GPa\"\npoisson = 0.3\nfriction = 0.5\n[[robot]]\nname = \"hand\"\nfile = \"hand.urdf\"\n\
        materials.default = \"a\"\n\
        poses.bent = { a_base = 0.2, b_base = 0.2, c_base = 0.2, a_tip = 0.3 }\nsequence = [[0.5, \"bent\"]]\n\
        [[drive]]\nrobot = \"hand\"\ntype = \"position\"\nstiffness = 8\ndamping = 0.1\n\
        [[drive]]\njoint = \"hand/c_tip\"\ntype = \"position\"\nstiffness = 8\ndamping = 0.1\ntimeline = [[0, 0.1]]\n";
    let of = built(hand);
    assert_eq!(of.model.drives().len(), 9);
    in_each(&of.model, &[2.0], |stepper, states| {
        for (joint, expected) in [("a_base", 0.2), ("c_base", 0.2), ("a_tip", 0.3), ("b_tip", 0.0), ("c_tip", 0.1)] {
            let got = q(&of.model, &states[0], &format!("hand/{joint}"));
            assert!((got - expected).abs() < 1e-6, "{stepper}, {joint}: {got}");
        }
    });
}

#[test]
fn bad_sequences_and_controls_are_refused_where_they_stand() {
    let refused = |rest: &str, message: &str, under: &str| {
        let error = build(rest).err().unwrap_or_else(|| panic!("read: {rest}"));
        let text = error.render(false);
        let found = error.problems().iter().find(|problem| problem.message.contains(message));
        let problem = found.unwrap_or_else(|| panic!("expected `{message}`:\n{text}"));
        let (line, _) = error.place(problem).unwrap_or_else(|| panic!("no place:\n{text}"));
        let whole = format!("{HEAD}{rest}");
        assert!(whole.lines().nth(line - 1).unwrap().contains(under), "line {line}:\n{text}");
    };
    let of = |keys: &str, message: &str| refused(&robot(keys), message, keys.lines().last().unwrap());
    of("sequence = [[1, \"upp\"]]", "no keyframe or pose `upp`; did you mean `up`?");
    of("sequence = [[1, \"up\"], [0.5, \"bare\"]]", "in order of time");
    of("sequence = [[1, \"up\"], [1, \"bare\"]]", "got 1 s after 1 s");
    of("sequence = [[1, 2]]", "the name of a keyframe");
    of("sequence = []", "at least one point");
    of("sequence = [[1, \"low\"]]\nposes.low = { hing = 1 }", "there is no joint `hing`");
    of("sequence = [[1, \"low\"]]\nposes.low = { hinge = \"1 mm\" }", "a pose of joint `hinge`");
    of("smooth = \"cubic\"", "stands beside `sequence`");
    let of = |table: &str, message: &str| {
        let under = table.lines().last().unwrap().to_string();
        refused(&format!("{}[[drive]]\n{table}\n", robot("")), message, &under);
    };
    of("timeline = [[0, 1]]\nactuator = \"r/hing\"", "there is no actuator `r/hing`");
    of("actuator = \"r/hinge\"\ntimeline = [[0, 1], [0, 2]]", "jumps at 0 s, from 1 to 2");
    of("actuator = \"r/hinge\"\ntimeline = [[0, 1]]\nstiffness = 3", "takes no `stiffness`");
    of("type = \"position\"\nstiffness = 3\nrobot = \"q\"", "there is no robot `q`");
    of("type = \"torque\"\nrobot = \"r\"", "is of type \"position\"");
    of("robot = \"r\"\ntype = \"position\"\nstiffness = 3\ntimeline = [[0, 1]]", "takes no `timeline`");
}
