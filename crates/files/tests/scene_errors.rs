//! What a scene says when it is wrong: message, line and column, the text underlined.

use fingerpad_files::scene::Scene;
use std::path::Path;

fn told(text: &str) -> String {
    let made = Scene::parse(text, "t.toml", Path::new("."), &[]).and_then(|scene| scene.build(&mut |_| {}));
    made.err().map_or("no error".to_string(), |error| error.to_string())
}

#[test]
fn look() {
    let good = std::fs::read_to_string("tests/scenes/bounce.toml").unwrap();
    println!("{}", told(&good));
    for (from, to) in [
        ("young = \"2 MPa\"", "young = -1e5"),
        ("young = \"2 MPa\"", "young = \"2 N\""),
        ("young = \"2 MPa\"", "yuong = 3"),
        ("young = \"2 MPa\"", "young = 3\nyoung = 4"),
        ("young = \"2 MPa\"", "young = 3 4"),
        ("duration = \"2 s\"", ""),
        ("ball.height", "ball.heigth"),
        ("table-ball", "tabel-ball"),
        ("name = \"ball\"\n", ""),
        ("material = \"rubber\"", "material = \"ruber\""),
        ("radius = \"20 mm\"", "radiuss = \"20 mm\""),
        ("\"0.1 m\"", "0.01"),
        ("[record]", "[[robot]]\nfile = 3\n[record]"),
        ("steel = 0.7", "stel = 0.7"),
    ] {
        assert!(good.contains(from));
        println!("{}\n=====", told(&good.replacen(from, to, 1)));
    }
}
