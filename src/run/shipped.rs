//! # Shipped scenes: files of `scenes/` and `robots/`, in the program
//!
//! - **out**: their names, one line about each, their text
//! - **start at** [`text`]

use crate::cli::table::aligned;
use fingerpad_files::scene::{AtHand, Method, Scene, SceneError};
use std::path::Path;

/// Name and text, in the order of the listing.
const SCENES: &[(&str, &str)] = &[
    ("bowl-map", include_str!("../../scenes/bowl-map.toml")),
    ("bowl-analytic", include_str!("../../scenes/bowl-analytic.toml")),
    ("bowl-roll", include_str!("../../scenes/bowl-roll.toml")),
    ("irregular-map", include_str!("../../scenes/irregular-map.toml")),
    ("hertz-impact", include_str!("../../scenes/hertz-impact.toml")),
    ("bouncing-ball", include_str!("../../scenes/bouncing-ball.toml")),
    ("billiard", include_str!("../../scenes/billiard.toml")),
    ("spinning-disc", include_str!("../../scenes/spinning-disc.toml")),
    ("spin-down", include_str!("../../scenes/spin-down.toml")),
    ("tippe-top", include_str!("../../scenes/tippe-top.toml")),
    ("turntable", include_str!("../../scenes/turntable.toml")),
    ("rocking", include_str!("../../scenes/rocking.toml")),
    ("block-on-incline", include_str!("../../scenes/block-on-incline.toml")),
    ("pinch-sliders", include_str!("../../scenes/pinch-sliders.toml")),
    ("double-pendulum", include_str!("../../scenes/double-pendulum.toml")),
    ("four-bar", include_str!("../../scenes/four-bar.toml")),
    ("top", include_str!("../../scenes/top.toml")),
    ("gripper", include_str!("../../scenes/gripper.toml")),
    ("rolling-grip", include_str!("../../scenes/rolling-grip.toml")),
    ("pinch-pivot", include_str!("../../scenes/pinch-pivot.toml")),
    ("torus-flat", include_str!("../../scenes/torus-flat.toml")),
    ("cylinder-lying", include_str!("../../scenes/cylinder-lying.toml")),
    ("glass-on-table", include_str!("../../scenes/glass-on-table.toml")),
    ("box-rocks", include_str!("../../scenes/box-rocks.toml")),
    ("finger-pads", include_str!("../../scenes/finger-pads.toml")),
    ("lift-flat", include_str!("../../scenes/lift-flat.toml")),
    ("lift-curved", include_str!("../../scenes/lift-curved.toml")),
    ("jaw-can", include_str!("../../scenes/jaw-can.toml")),
    ("glass", include_str!("../../scenes/glass.toml")),
    ("roll-ball", include_str!("../../scenes/roll-ball.toml")),
    ("rover-on-map", include_str!("../../scenes/rover-on-map.toml")),
];

/// Robots of shipped scenes, by the names that these give them.
const ROBOTS: AtHand = &[
    ("../robots/anthro.urdf", include_str!("../../robots/anthro.urdf")),
    ("../robots/parallel-jaw.urdf", include_str!("../../robots/parallel-jaw.urdf")),
    ("../robots/rover.urdf", include_str!("../../robots/rover.urdf")),
    ("../robots/three-finger.urdf", include_str!("../../robots/three-finger.urdf")),
];

/// Where files of a shipped scene are that was asked for by its name.
pub const FOLDER: &str = ".";

/// Reads a scene; one that was asked for by its name finds its robots in the program.
pub fn parse(text: &str, file: &str, folder: &Path, sets: &[String]) -> Result<Scene, SceneError> {
    let ours = folder == Path::new(FOLDER) && SCENES.iter().any(|(_, known)| *known == text);
    let scene = Scene::parse(text, file, folder, sets)?;
    Ok(if ours { scene.with_robots(ROBOTS) } else { scene })
}

/// The text of a shipped scene.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Names of all shipped scenes.
pub fn names() -> Vec<&'static str> {
    SCENES.iter().map(|(name, _)| *name).collect()
}

/// Names, how many checks each stepper is asked, and the first comment line of each scene.
pub fn listing() -> String {
    let about = |text: &str| text.lines().next().unwrap_or_default().trim_start_matches('#').trim().to_string();
    let row = |(name, text): &(&str, &str)| {
        let counts = checks(text).map(|count| count.to_string());
        [vec![name.to_string()], counts.to_vec(), vec![about(text)]].concat()
    };
    let rows: Vec<Vec<String>> = SCENES.iter().map(row).collect();
    let [accurate, fast, rigid] = Method::ALL.map(|(stepper, _)| stepper);
    let legend = "Columns in the middle: checks that runs by each stepper must pass\n\
                  (fast: --set solver.stepper=fast; rigid: --formulation complementarity).\n";
    format!("{}\n{legend}", aligned(&["scene", accurate, fast, rigid, "what"], &rows))
}

/// How many checks of a scene are asked of each stepper.
fn checks(text: &str) -> [usize; 3] {
    let scene = Scene::parse(text, "", Path::new(""), &[]);
    Method::ALL.map(|(_, method)| scene.as_ref().map_or(0, |scene| scene.checks_for(method)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shipped scene is called what its file is called, and its first line says what it is.
    #[test]
    fn scenes_carry_their_names() {
        for (name, text) in SCENES {
            assert!(text.starts_with("# "), "{name}");
            assert!(text.contains(&format!("name = \"{name}\"")), "{name}");
            // Its stiff drives take the accurate stepper hours (docs/hands.md).
            let asked = checks(text).iter().filter(|count| **count > 0).count();
            assert_eq!(asked, if *name == "glass" { 2 } else { 3 }, "{name} asks nothing of some stepper");
        }
    }
}
