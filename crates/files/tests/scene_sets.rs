//! Values of a scene replaced by `path=value`.

use fingerpad_files::scene::{Built, Scene, SceneError, Stepper};
use nalgebra::Vector3;
use std::path::Path;

fn with(sets: &[&str]) -> Result<Built, SceneError> {
    let sets: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    let text = include_str!("scenes/bounce.toml");
    Scene::parse(text, "bounce.toml", Path::new("."), &sets).and_then(|scene| scene.build(&mut |_| {}))
}

#[test]
fn values_are_replaced_by_path() {
    let built = with(&[
        "body.ball.velocity=[1, 0, 0]",
        "solver.tolerance=1e-10",
        "solver.stepper=fast",
        "materials.rubber.density=2 g/cm^3",
        "materials.rubber.friction.steel=0.2",
        "event.0.time = \"250 ms\"",
        "scene.duration=5",
        "body.1.position=[0, 0, 1]",
        "scene.name=\"other\"",
    ])
    .unwrap_or_else(|e| panic!("{e}"));
    let ball = &built.model.bodies()[1];
    assert_eq!(ball.V_WBcm.v, Vector3::x());
    assert_eq!(ball.X_WB.translation.z, 1.0);
    assert!((ball.mass / (2000.0 * 4.0 / 3.0 * std::f64::consts::PI * 8e-6) - 1.0).abs() < 1e-14);
    assert_eq!((built.solver.tolerance, built.solver.stepper), (Some(1e-10), Stepper::Fast));
    assert_eq!((built.duration, built.model.kicks()[0].time, built.name.as_str()), (5.0, 0.25, "other"));
}

/// The text that a hash is made of tells one set of options from another.
#[test]
fn options_are_part_of_the_source() {
    let source = |sets: &[String]| {
        let text = include_str!("scenes/bounce.toml");
        Scene::parse(text, "bounce.toml", Path::new("."), sets).unwrap().source().to_string()
    };
    assert_eq!(source(&[]), include_str!("scenes/bounce.toml"));
    assert!(source(&["scene.duration=3".to_string()]).ends_with("\n# --set scene.duration=3"));
}

/// Errors point into the option.
#[test]
fn errors_name_the_option() {
    let error = with(&["body.ball.velocity=[1, 0]"]).unwrap_err().to_string();
    let picture = "\
error: expected a list of 3 numbers for velocity, got 2
 --> option --set:1:20
  |
1 | body.ball.velocity=[1, 0]
  |                    ^^^^^^ of body `ball`";
    assert_eq!(error, picture);
    for (set, message, column) in [
        ("solver.tolerence=1", "unknown key `tolerence`", 8),
        ("body.bal.mass=1", "there is no `bal` in this list of 2", 6),
        ("body.7.mass=1", "there is no `7` in this list of 2", 6),
        ("scene.duration=-1", "duration must be positive", 16),
        ("scene.duration=[1", "", 18),
        ("scene.duration", "expected path=value", 1),
        ("=1", "expected names between dots", 1),
        ("scene..duration=1", "expected names between dots", 1),
        ("scene.name.first=1", "`first` is asked of text, which has no parts", 12),
        ("scne.duration=1", "unknown key `scne`", 1),
        ("scene.duration=1\nv2=3", "", 16),
        ("materials.rubber.young=2 N", "which is a force", 24),
    ] {
        let error = with(&[set]).expect_err(set);
        let found = error.problems().iter().find(|p| p.message.contains(message));
        let place = found.and_then(|p| error.place(p));
        assert!(place.is_some_and(|(line, at)| line == 1 && at == column), "{set}: {place:?} {error}");
        assert!(error.to_string().contains("option --set:1:"), "{error}");
    }
}
