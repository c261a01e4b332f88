//! Any text gives a scene or an error that can be printed: nothing panics, hangs or takes much memory.

mod counting;

use fingerpad_files::scene::{Expression, Names, Scene};
use proptest::prelude::*;
use std::path::Path;
use std::sync::atomic::Ordering;

const SCENES: [&str; 2] = [include_str!("scenes/bounce.toml"), include_str!("scenes/arena.toml")];

fn try_it(text: &str, sets: &[String]) {
    let made = Scene::parse(text, "t.toml", Path::new("tests/scenes"), sets).and_then(|s| s.build(&mut |_| {}));
    if let Err(error) = made {
        assert!(!error.problems().is_empty());
        assert!(error.to_string().starts_with("error: "), "{error}");
    }
}

/// Words that a scene may hold, right and wrong.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1e400",
    "nan",
    "inf",
    "-inf",
    "1e-300",
    "1e300",
    "\"1 mm\"",
    "\"9e99 km\"",
    "true",
    "[]",
    "{}",
    "[[]]",
    "\"\"",
    "\"é°µ\"",
    "[1, 2, 3]",
    "[1e200, 1e200, 1e200]",
    "[0, 0, 0]",
    "{ type = \"sphere\" }",
    "9223372036854775807",
    "2020-01-01",
    "'ball'",
    "\"on terrain at (1e9, 0)\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The value of one key replaced.
    #[test]
    fn values_replaced(scene in 0..2_usize, line in 0..200_usize, word in 0..WORDS.len()) {
        let lines: Vec<&str> = SCENES[scene].lines().collect();
        let changed: Vec<String> = lines.iter().enumerate().map(|(k, text)| match text.split_once('=') {
            Some((key, _)) if k == line % lines.len() => format!("{key}= {}", WORDS[word]),
            _ => text.to_string(),
        }).collect();
        try_it(&changed.join("\n"), &[]);
    }

    /// Lines dropped, doubled, exchanged.
    #[test]
    fn lines_moved(scene in 0..2_usize, from in 0..200_usize, to in 0..200_usize, how in 0..3) {
        let mut lines: Vec<&str> = SCENES[scene].lines().collect();
        let (from, to) = (from % lines.len(), to % lines.len());
        match how {
            0 => { lines.remove(from); }
            1 => lines.insert(to, lines[from]),
            _ => lines.swap(from, to),
        }
        try_it(&lines.join("\n"), &[]);
    }

    /// Characters dropped or put in.
    #[test]
    fn characters_changed(scene in 0..2_usize, at in 0..4000_usize, put in "[\\[\\]{}\"'=#.,\\-0-9a-zé\n]{0,3}") {
        let mut text: Vec<char> = SCENES[scene].chars().collect();
        let at = at % text.len();
        text.splice(at..at + 1, put.chars());
        try_it(&text.into_iter().collect::<String>(), &[]);
    }

    /// Options of any kind.
    #[test]
    fn options_of_any_kind(path in "[a-z0-9.= é]{0,20}", value in ".{0,20}") {
        try_it(SCENES[0], &[format!("{path}={value}"), path]);
    }

    /// Text of any kind, as a scene and as an expression.
    #[test]
    fn text_of_any_kind(text in "[\\PC\n]{0,200}") {
        try_it(&text, &[]);
        let names = Names::new(["ball"], []);
        if let Err(error) = Expression::parse(&text, &names) {
            prop_assert!(text.get(error.range.clone()).is_some(), "{error}");
        }
    }

    /// Expressions out of their own parts.
    #[test]
    fn expressions_of_parts(parts in prop::collection::vec(0..22_usize, 0..12)) {
        const PARTS: [&str; 22] = ["ball.x", "1", "2 mm", "(", ")", "+", "-", "*", "/", "^", "<", "==", "+-", "max", "at", ",",
            "contact.slip", "t", "pi", "\"1 m\"", "é", "."];
        let text: String = parts.iter().map(|k| PARTS[*k]).collect();
        match Expression::parse(&text, &Names::new(["ball"], [])) {
            // What is taken says itself again, and asks only for what it names.
            Ok(expression) => {
                prop_assert_eq!(expression.to_string(), text.as_str());
                prop_assert!(expression.paths().iter().all(|path| text.contains(path.as_str())), "{}", text);
            }
            Err(error) => prop_assert!(text.get(error.range.clone()).is_some(), "{error}"),
        }
    }
}

/// Brackets upon brackets end at the parser's limit, not at that of the stack.
#[test]
fn deep_nesting_is_refused() {
    try_it(&format!("a = {}", "[".repeat(100_000)), &[]);
    try_it(&format!("a = {}", "{a=".repeat(100_000)), &[]);
    try_it(&format!("[{}]", vec!["a"; 100_000].join(".")), &[]);
    try_it(&format!("{} = 1", vec!["a"; 50_000].join(".")), &[]);
    try_it(SCENES[0], &[format!("{}=1", vec!["a"; 50_000].join("."))]);
}

/// Set-up takes memory that grows with bodies, not with pairs: two thousand balls have two million pairs, and took 869 MB.
#[test]
fn many_bodies_are_set_up_in_little_memory() {
    let scene = |count: usize| {
        let mut text = String::from(
            "[scene]\nname = \"many\"\nduration = 1\n[materials.m]\nyoung = 1e6\npoisson = 0.3\nfriction = 1\n",
        );
        for k in 0..count {
            let (x, y) = (k % 40, k / 40);
            text.push_str(&format!(
                "[[body]]\nname = \"b{k}\"\nmass = 1\nmaterial = \"m\"\nposition = [{x}, {y}, 0]\n\
                 shape = {{ type = \"sphere\", radius = 0.4 }}\n"
            ));
        }
        text.push_str("[[check]]\nexpression = \"contact.b3-b7.count == 0\"\n");
        Scene::parse(&text, "t.toml", Path::new("."), &[]).unwrap()
    };
    let peak = |count: usize| {
        let scene = scene(count);
        let _one = counting::ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
        let before = counting::NOW.load(Ordering::Relaxed);
        counting::PEAK.store(before, Ordering::Relaxed);
        let built = scene.build(&mut |_| {}).unwrap();
        assert_eq!(built.model.bodies().len(), count);
        (counting::PEAK.load(Ordering::Relaxed) - before) as f64
    };
    // Other tests of this file allocate beside it: a bound with room, far below a square (a factor of 16).
    let (some, more) = (peak(500), peak(2000));
    assert!(more < 6.0 * some && more < 1e8, "{some} bytes for 500, {more} for 2000");
}

/// Many bodies are refused before every two of them are looked at.
#[test]
fn too_many_bodies_are_refused() {
    let mut text = String::from("[scene]\nname = \"many\"\nduration = 1\n");
    for k in 0..4001 {
        text.push_str(&format!("[[body]]\nname = \"b{k}\"\nmass = 1\nshape = {{ type = \"sphere\", radius = 1 }}\n"));
    }
    let scene = Scene::parse(&text, "t.toml", Path::new("."), &[]).unwrap();
    let error = scene.build(&mut |_| {}).unwrap_err().to_string();
    assert!(error.contains("a scene has at most 4000 bodies, got 4001"), "{error}");
}
