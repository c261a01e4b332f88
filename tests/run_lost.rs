//! `fingerpad run` with bodies that leave the world: told once, and named in the summary.

mod program;

use program::run;
use serde_json::Value;

/// Runs a scene in a folder of its own; the exit code, the summary and what was said beside it.
fn summary(scene: &str) -> (i32, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, scene).unwrap();
    let out = folder.path().join("out");
    let (code, text, said) = run(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--json"], "");
    (code, serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text} {said}")), said)
}

const HEAD: &str = "[scene]\nname = \"world\"\nduration = 1.5\n[solver]\nstepper = \"fast\"\n\
    [materials.m]\nyoung = 1e7\npoisson = 0.4\ndensity = 500\nfriction = 0.5\nhunt_crossley = 1\n";

/// A ball that rolls off a map of 2 m falls for ever: it reached z = −15.9 km without a word before.
#[test]
fn a_ball_that_rolls_off_a_map_is_told_once() {
    let scene = format!(
        "{HEAD}[terrain]\ngenerated = {{ formula = \"0*x\", size = [2, 2], spacing = 0.1, center = [0, 0] }}\n\
         material = \"m\"\n\
         [[body]]\nname = \"rolls\"\nmaterial = \"m\"\nshape = {{ type = \"sphere\", radius = 0.05 }}\n\
         position = [0.5, 0, 0.05]\nvelocity = [2, 0, 0]\n\
         [[body]]\nname = \"stays\"\nmaterial = \"m\"\nshape = {{ type = \"sphere\", radius = 0.05 }}\n\
         position = [-0.5, 0, 0.05]\n"
    );
    for stepper in ["fast", "accurate"] {
        let (code, got, said) = summary(&scene.replace("\"fast\"", &format!("\"{stepper}\"")));
        assert_eq!(code, 0, "{stepper}: {said} {got:#}");
        assert_eq!(got["quality"]["lost"], serde_json::json!(["rolls"]), "{stepper}: {got:#}");
        let told: Vec<&str> = got["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let told: Vec<&&str> = told.iter().filter(|text| text.contains("`rolls`")).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("has left `terrain` at t = ") && told[0].contains(" s"), "{told:?}");
        assert_eq!(said.matches("`rolls`").count(), 1, "{said}");
    }
}

/// A ball that drops beside a fixed box is below everything it could meet; one above a floor is not.
#[test]
fn a_ball_that_falls_past_everything_fixed_is_told() {
    let scene = format!(
        "{HEAD}[[body]]\nname = \"box\"\nfixed = true\nmaterial = \"m\"\n\
         shape = {{ type = \"box\", half_extents = [0.1, 0.1, 0.1] }}\n\
         [[body]]\nname = \"ball\"\nmaterial = \"m\"\nshape = {{ type = \"sphere\", radius = 0.05 }}\n\
         position = [0.3, 0, 0.5]\n"
    );
    let (code, got, said) = summary(&scene);
    assert_eq!(code, 0, "{said}");
    assert_eq!(got["quality"]["lost"], serde_json::json!(["ball"]));
    assert!(said.contains("body `ball` has fallen past everything fixed at t = "), "{said}");
    let floor =
        "[[body]]\nname = \"floor\"\nfixed = true\nmaterial = \"m\"\nshape = \"half_space\"\nposition = [0, 0, -20]\n";
    let (code, got, said) = summary(&format!("{scene}{floor}"));
    assert_eq!((code, &got["quality"]["lost"]), (0, &serde_json::json!([])), "{said}");
}
