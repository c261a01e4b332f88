//! What a scene says when it is wrong: message, line and column, the text underlined.
//!
//! Each case changes one place of a good scene, so that the opinion is the place that was changed.

use fingerpad_files::scene::{Scene, SceneError};
use std::path::Path;

const GOOD: &str = include_str!("scenes/bounce.toml");

fn refused(text: &str) -> SceneError {
    let made = Scene::parse(text, "scenes/bounce.toml", Path::new("tests/scenes"), &[]);
    made.and_then(|scene| scene.build(&mut |_| {})).expect_err("the scene is wrong")
}

/// The good scene with one place changed.
fn with(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    GOOD.replacen(from, to, 1)
}

/// The picture of the issue: file, line, column, underline, whose it is.
#[test]
fn errors_are_drawn_under_the_text() {
    let error = refused(&with("young = \"2 MPa\"", "young = -1e5"));
    let picture = "\
error: Young's modulus must be positive and finite, got -1e5 Pa
 --> scenes/bounce.toml:9:9
  |
9 | young = -1e5
  |         ^^^^ of material `rubber`";
    assert_eq!(error.to_string(), picture);
    assert!(error.render(true).contains("\u{1b}["), "colours where they are asked for");
    let error = refused(&with("material = \"rubber\"", "material = \"ruber\""));
    let picture = "\
error: there is no material `ruber`
  --> scenes/bounce.toml:29:12
   |
29 | material = \"ruber\"
   |            ^^^^^^^ of body `ball`
   |
   = note: did you mean `rubber`?";
    assert_eq!(error.to_string(), picture);
}

/// Every class of mistake: what is changed, into what, the message, and the line and column it is told at.
#[test]
fn every_mistake_is_told_at_its_place() {
    let cases = [
        // Keys.
        ("young = \"2 MPa\"", "yuong = \"2 MPa\"", "unknown key `yuong`", (9, 1)),
        ("young = \"2 MPa\"", "young = 3\nyoung = 4", "duplicate key", (10, 1)),
        ("duration = \"2 s\"", "", "missing key `duration`", (2, 1)),
        ("radius = \"20 mm\"", "radius = \"20 mm\", width = 3", "unknown key `width`", (28, 46)),
        ("[record]", "[recrod]", "unknown key `recrod`", (40, 2)),
        ("[record]", "[[robot]]\nname = \"r\"\n[record]", "missing key `file`", (40, 1)),
        // Types.
        (
            "duration = \"2 s\"",
            "duration = true",
            "duration must be a number or text with a unit, got true or false",
            (6, 12),
        ),
        ("name = \"bounce\"", "name = 3", "expected text, got a number", (3, 8)),
        ("fixed = true", "fixed = 1", "expected true or false, got a number", (24, 9)),
        ("velocity = [0.5, 0, 0]", "velocity = [0.5, 0]", "expected a list of 3 numbers for velocity, got 2", (31, 12)),
        (
            "velocity = [0.5, 0, 0]",
            "velocity = 0.5",
            "expected a list of 3 numbers for velocity, got a number",
            (31, 12),
        ),
        ("[record]\n", "[[record]]\n", "expected a table, got a list", (40, 1)),
        ("time = 1", "time = 2020-01-01", "`time` must be a number or text with a unit, got a date", (37, 8)),
        // Units.
        ("\"2 MPa\"", "\"2 N\"", "which is a force", (9, 9)),
        ("\"60 rpm\"", "\"60 rmp\"", "with the unknown unit `rmp`", (32, 24)),
        ("\"1 mN s\"", "\"1 mN\"", "expected an impulse such as `1 N s`, got `1 mN`, which is a force", (38, 15)),
        // Ranges.
        ("poisson = 0.48", "poisson = 0.6", "Poisson's ratio must be above -1 and at most 0.5, got 0.6", (10, 11)),
        ("\"20 mm\"", "0", "`radius` must be a length from 1e-9 m to 1e9 m, got 0 m", (28, 37)),
        ("\"5 ms\"", "1e-12", "a recording has at most", (41, 10)),
        ("duration = \"2 s\"", "duration = inf", "duration must be positive", (6, 12)),
        ("velocity = [0.5, 0, 0]", "velocity = [nan, 0, 0]", "velocity must be finite, got NaN m/s", (31, 13)),
        // A size that no number may have is told as such, not as one that is no number.
        ("position", "mass = 1e300\nposition", "must be within ±1e100 kg, got 1e300 kg", (30, 8)),
        ("duration = \"2 s\"", "duration = 1e300", "duration must be positive and at most 1e9 s", (6, 12)),
        // A number for gravity pulls down: a sign would turn it.
        ("gravity = \"9.81 m/s^2\"", "gravity = -9.81", "pulls down along −z and is not negative", (5, 11)),
        // Names.
        ("\"sphere\"", "\"shpere\"", "unknown shape `shpere`", (28, 18)),
        ("body = \"ball\"", "body = \"bal\"", "there is no body `bal`", (36, 8)),
        ("name = \"table\"", "name = \"ball\"", "there is another body `ball` already", (27, 8)),
        ("name = \"ball\"", "name = \"the ball\"", "a name must begin with a letter", (27, 8)),
        ("name = \"ball\"", "name = \"energy\"", "means something else in checks", (27, 8)),
        ("{ steel = 0.7", "{ stele = 0.7", "there is no material `stele`", (12, 14)),
        ("type = \"impulse\"", "type = \"kick\"", "unknown event `kick`", (35, 8)),
        // Files.
        ("{ type = \"sphere\", radius = \"20 mm\" }", "{ type = \"mesh\", mesh = \"no.stl\" }", "no.stl", (28, 33)),
        ("\"half-space\"", "{ type = \"elevation\", map = \"no.asc\" }", "no.asc", (22, 37)),
        // Mass.
        ("position", "mass = -1\nposition", "mass must be positive and finite, got -1 kg", (30, 8)),
        ("position", "mass = 1\ninertia = [1, 1, 3]\nposition", "no solid has this inertia", (31, 11)),
        ("position", "mass = 1\ninertia = [1, -1, 3]\nposition", "inertia must be positive about every axis", (31, 11)),
        ("position", "mass = 1\ndensity = 2\nposition", "expected either `mass` or `density`, got both", (31, 1)),
        ("fixed = true", "", "a shape of type `half_space` has no end and so no mass", (22, 9)),
        ("density = \"1.1 g/cm^3\"", "", "a body that forces move needs `mass`, `density`, or a material", (26, 1)),
        // Motion.
        ("position", "moves = [\"rx\", \"ry\"]\nposition", "a body may turn about no axis, one, or all three", (30, 9)),
        ("position", "moves = []\nposition", "expected at least one motion", (30, 9)),
        ("position", "moves = [\"z\"]\nposition", "`moves` leaves no motion along x", (32, 12)),
        ("fixed = true", "fixed = true\nvelocity = [0, 0, 0]", "takes no `velocity`", (25, 1)),
        ("fixed = true", "fixed = true\nmotion = {type = \"steady\", velocity = [1, 0, 0]}", "got both", (25, 1)),
        (
            "[0.5, 0, 0]",
            "[0.5, 0, 0]\norientation = [0, 0, 0, 0]",
            "a quaternion must have a length above zero",
            (32, 15),
        ),
        // Start.
        ("\"0.1 m\"", "0.015", "start 0.005 m deep inside each other", (30, 12)),
        ("position = [0, 0, \"0.1 m\"]", "place = \"above table\"", "expected a place such as", (30, 9)),
        ("position = [0, 0, \"0.1 m\"]", "place = \"on tabel at (0, 0)\"", "there is no body `tabel`", (30, 9)),
        // Checks.
        ("ball.height", "ball.heigth", "unknown quantity `heigth` of body `ball`", (45, 15)),
        ("ball.height", "bal.height", "there is no body `bal`", (45, 15)),
        ("> 1 mm", "> 1 mmm", "unknown unit `mmm`", (45, 29)),
        ("> 1 mm", "", "expected a comparison (<, <=, >, >=, ==), got the end", (45, 27)),
        ("table-ball", "table-table", "there is no pair `table-table` that can touch", (49, 15)),
        ("> 1 mm", "> 1 N", "a length and a force can neither be compared nor added", (45, 15)),
        ("\"stays up\"", "\"stays up\"\nsteppers = [\"fats\"]", "unknown stepper `fats`", (45, 13)),
        ("\"stays up\"", "\"stays up\"\nsteppers = []", "a check of no stepper is never asked", (45, 12)),
        // TOML.
        ("young = \"2 MPa\"", "young = = 3", "", (9, 9)),
    ];
    let mut missed = Vec::new();
    for (from, to, message, place) in cases {
        let error = refused(&with(from, to));
        let found = error.problems().iter().find(|p| p.message.contains(message) && error.place(p) == Some(place));
        if found.is_none() {
            missed.push(format!("{to}: expected `{message}` at {place:?}, got\n{error}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}

/// One mistake gives one message: what follows from it is not told.
#[test]
fn one_mistake_gives_one_message() {
    for (from, to) in [
        ("young = \"2 MPa\"", "young = -1e5"),
        ("material = \"rubber\"", "material = \"ruber\""),
        ("radius = \"20 mm\"", "radius = -1"),
        ("duration = \"2 s\"", ""),
        ("type = \"impulse\"", "type = \"kick\""),
    ] {
        let error = refused(&with(from, to));
        assert_eq!(error.problems().len(), 1, "{error}");
    }
}

/// All mistakes are told, ten at most in full.
#[test]
fn all_mistakes_are_told() {
    let text = with("poisson = 0.48", "poisson = 0.6").replace("\"5 ms\"", "\"5 m\"").replace("\"20 mm\"", "-1");
    let error = refused(&text);
    assert_eq!(error.problems().len(), 3, "{error}");
    let many: String = (0..14).map(|k| format!("k{k} = 1\n")).collect();
    let error = refused(&with("[record]\n", &format!("[record]\n{many}")));
    assert_eq!(error.problems().len(), 14);
    assert!(error.to_string().ends_with("and 4 more"), "{error}");
}

/// A law that the stepper cannot follow is told at its pair, in words of the file.
#[test]
fn laws_that_cannot_be_are_told_at_their_pair() {
    let pair = |keys: &str| format!("{GOOD}\n[[pair]]\nbodies = [\"ball\", \"table\"]\n{keys}\n");
    for (keys, message) in [
        ("k = 1e5", "missing key `n`"),
        ("k = 1e5\nn = 0.5", "`n` must be from 1 to 10, got 0.5"),
        ("k = \"1e5 N/m\"\nn = 1.5", "expected a stiffness such as `1 N/m^1.5`, got `1e5 N/m`"),
        ("k_t = 1e5", "`k_t` is one of the constants that go with `k`"),
        ("k = 1e5\nn = 1.5\nk_t = 1e3", "missing key `mu` or `friction`"),
        ("k = 1e5\nn = 1.5\nk_t = 1e3\nmu = 0.5\nb_t = 1", "`b_t` without `b_theta`: give both or none"),
        ("k = 1e5\nn = 1.5\nk_t = 1e3\nmu = 0.5\nb_theta = 1", "`b_theta` without `b_t`"),
        ("k = 1e5\nn = 1.5\nk_t = 1e3\nk_theta = 1\nmu = 0.5", "e_n"),
        ("k = 1e5\nn = 1.5\nmu = 0.5", "missing key `k_t`: friction acts through a spring"),
        ("friction = \"glue\"", "unknown friction `glue`"),
        ("friction = \"exact\"\nmu = -1", "`mu` must be zero or positive"),
        ("theory = \"layer\"", "a foundation needs a layer"),
        ("places = \"some\"", "unknown places `some`"),
    ] {
        let error = refused(&pair(keys));
        let found = error.problems().iter().find(|p| p.message.contains(message));
        let line = found.and_then(|p| error.place(p)).map(|(line, _)| line);
        assert!(line >= Some(50), "{keys}: {error}");
    }
    let rigid =
        GOOD.replace("young = \"2 MPa\"\npoisson = 0.48\n", "").replace("young = \"210 GPa\"\npoisson = 0.3\n", "");
    let error = refused(&rigid);
    assert!(error.to_string().contains("both materials are rigid"), "{error}");
    let error = refused(&GOOD.replace("material = \"steel\"\n", ""));
    assert!(error.to_string().contains("nothing says what happens where `table` touches `ball`"), "{error}");
}

/// What cannot be read at all says so without a picture.
#[test]
fn files_that_are_no_scenes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let absent = Scene::read(&folder.path().join("no.toml"), &[]).unwrap_err().to_string();
    assert!(absent.starts_with("error: ") && absent.contains("no.toml"), "{absent}");
    let at = folder.path().join("bytes.toml");
    std::fs::write(&at, [b'a', 0xff, 0xfe]).unwrap();
    assert!(Scene::read(&at, &[]).unwrap_err().to_string().contains("expected UTF-8 text"));
    assert!(Scene::read(folder.path(), &[]).unwrap_err().to_string().contains("expected a file"));
}
