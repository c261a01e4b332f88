//! What a scene says when its joints, couplings or loops are wrong: the message, and the line it is told at.
//!
//! Each case changes a good scene in one place or adds a table to it, so that the opinion is the line that was written.

use fingerpad_files::scene::{Scene, SceneError};
use fingerpad_sim::{Accurate, FixedStep, Model, Rigid, State, Stepper};
use std::path::Path;

const GOOD: &str = include_str!("../../../scenes/double-pendulum.toml");

fn build(text: &str) -> Result<Model, SceneError> {
    let scene = Scene::parse(text, "scene.toml", Path::new("."), &[])?;
    Ok(scene.build(&mut |_| {})?.model)
}

const STEEL: &str = "[materials.steel]\nyoung = \"200 GPa\"\npoisson = 0.3\nfriction = 0.5\n";

/// The shipped scene, its bodies of steel, so that any two may touch.
fn good() -> String {
    GOOD.replacen("[[body]]", &format!("{STEEL}[[body]]"), 1)
        .replace("mass = \"1 kg\"\n", "mass = \"1 kg\"\nmaterial = \"steel\"\n")
}

/// A third rod on a hinge of its own, so that three joints can be tied.
const THIRD: &str = "[[body]]\nname = \"third\"\nshape = { type = \"sphere\", radius = 0.01 }\nmass = 1\nmaterial = \"steel\"\nposition = [3, 0, 0]\n\
    [[joint]]\nname = \"third\"\ntype = \"revolute\"\nparent = \"world\"\nchild = \"third\"\nposition = [2.5, 0, 0]\naxis = [0, 1, 0]\n";

/// The good scene with one place changed, or a table more before its checks.
fn with(from: &str, to: &str) -> String {
    let good = good();
    assert!(good.contains(from), "{from}");
    good.replacen(from, to, 1)
}

fn more(table: &str) -> String {
    with("# Angles after", &format!("{THIRD}{table}\n# Angles after"))
}

fn couplings(list: &[(&str, &str)]) -> String {
    let one = |(i, (joints, law)): (usize, &(&str, &str))| {
        format!("[[coupling]]\nname = \"c{i}\"\njoints = {joints}\n{law}\n")
    };
    more(&list.iter().enumerate().map(one).collect::<String>())
}

/// What is written, the words of the message, and the text of the line that it must be told at.
#[test]
fn every_mistake_of_joints_is_told_at_its_line() {
    let mut wrong = Vec::new();
    let end = |more_of_it: &str| more(&format!("[[loop]]\nname = \"end\"\n{more_of_it}\n"));
    let (ab, bc, ca) = ("[\"shoulder\", \"elbow\"]", "[\"elbow\", \"third\"]", "[\"third\", \"shoulder\"]");
    for (text, words, line) in [
        // Names.
        (with("parent = \"upper\"", "parent = \"uper\""), "there is no body `uper`", "parent = \"uper\""),
        (with("child = \"lower\"", "child = \"lowr\""), "there is no body `lowr`", "child = \"lowr\""),
        (with("name = \"elbow\"", "name = \"shoulder\""), "there is a joint `shoulder` already", "[[joint]]"),
        (end("type = \"weld\"\nbodies = [\"upper\", \"floor\"]"), "there is no body `floor`", "bodies = [\"upper\""),
        (couplings(&[("[\"shoulder\", \"knee\"]", "coefficients = [1, 1]")]), "there is no joint `knee`", "\"knee\""),
        // What hangs on what.
        (with("child = \"upper\"", "child = \"world\""), "the world cannot hang on a joint", "[[joint]]"),
        (with("parent = \"world\"", "parent = \"lower\""), "upper", "parent = \"lower\""),
        (with("parent = \"upper\"", "parent = \"lower\""), "cannot hang on itself", "parent = \"lower\""),
        (with("child = \"lower\"", "child = \"upper\""), "cannot hang on itself", "parent = \"upper\""),
        (
            with("parent = \"upper\"\nchild = \"lower\"", "parent = \"world\"\nchild = \"upper\""),
            "hangs on joint `shoulder` already",
            "child = \"upper\"",
        ),
        (
            with("name = \"lower\"\n", "name = \"lower\"\nfixed = true\n"),
            "is fixed; a body on a joint must be free",
            "",
        ),
        // Axes, limits, laws.
        (with("axis = [0, 1, 0]\nstart = 0.3", "axis = [0, 0, 0]\nstart = 0.3"), "axis", "axis = [0, 0, 0]"),
        (with("axis = [0, 1, 0]\nstart = 0.3", "start = 0.3"), "missing key `axis`", "[[joint]]"),
        (
            with("start = 0.3", "limits = [1, -1]\nstart = 0.3"),
            "the lower limit must not be above the upper one, got 1 and -1",
            "limits = [1, -1]",
        ),
        (with("start = 0.3", "limits = [-1, 0.2]\nstart = 0.3"), "outside its limits -1 and 0.2", "start = 0.3"),
        (with("start = 0.3", "restitution = 2\nstart = 0.3"), "from 0 to 1", "restitution = 2"),
        (with("start = 0.3", "damping = -1\nstart = 0.3"), "`damping`", "damping = -1"),
        (with("start = 0.3", "spring = { stiffness = -2 }\nstart = 0.3"), "`stiffness`", "spring = {"),
        (with("start = 0.3", "start = [0.3, 1]"), "`start`", "start = [0.3, 1]"),
        (with("start_velocity = 2", "start_velocity = \"2 m\""), "which is a length", "start_velocity = \"2 m\""),
        (
            with("axis = [0, 1, 0]\nstart = -0.4\nstart_velocity = -1", "damping = 1").replacen(
                "type = \"revolute\"\nparent = \"upper\"",
                "type = \"ball\"\nparent = \"upper\"",
                1,
            ),
            "it acts along a single coordinate",
            "damping = 1",
        ),
        (
            with("axis = [0, 1, 0]\nstart = -0.4\nstart_velocity = -1", "start = [0, 0, 0, 0]").replacen(
                "type = \"revolute\"\nparent = \"upper\"",
                "type = \"ball\"\nparent = \"upper\"",
                1,
            ),
            "a quaternion must have a length above zero",
            "start = [0, 0, 0, 0]",
        ),
        (with("mass = \"1 kg\"\n", "mass = \"1 kg\"\nvelocity = [1, 0, 0]\n"), "takes no `velocity`", "velocity = [1"),
        // Masses that cannot be.
        (with("mass = \"1 kg\"", "mass = 0"), "mass must be positive", "mass = 0"),
        (
            with("inertia = [0.08333333333333333, 0.08333333333333333, 1e-4]", "inertia = [0, 0, 0]"),
            "inertia must be positive about every axis",
            "inertia = [0, 0, 0]",
        ),
        (
            with("inertia = [0.08333333333333333, 0.08333333333333333, 1e-4]", "inertia = [1, 1, 3]"),
            "no solid has this inertia",
            "inertia = [1, 1, 3]",
        ),
        // Couplings.
        (couplings(&[(ab, "coefficients = [1, 1, 1]")]), "expected one for each of 2 joints, got 3", "coefficients ="),
        (couplings(&[(ab, "coefficients = [1, 0]")]), "must be finite and not zero", "coefficients = [1, 0]"),
        (couplings(&[("[\"elbow\", \"elbow\"]", "coefficients = [1, 1]")]), "is named twice", "joints = [\"elbow\""),
        (couplings(&[("[\"elbow\"]", "polynomial = [1, 1]")]), "a polynomial ties two joints, got 1", "joints = ["),
        (couplings(&[(ab, "polynomial = [1, 1]\noffset = 2")]), "it takes no `offset`", "offset = 2"),
        (
            couplings(&[
                (ab, "coefficients = [1, -1]"),
                (bc, "coefficients = [1, -1]"),
                (ca, "coefficients = [1, -1] # last"),
            ]),
            "couplings go round in a circle: this one follows from those before it",
            "# last",
        ),
        (
            couplings(&[
                (ab, "coefficients = [1, -1]"),
                (bc, "coefficients = [1, -1]"),
                (ca, "offset = 0.5\ncoefficients = [1, -1] # last"),
            ]),
            "contradict each other",
            "# last",
        ),
        // Loops.
        (end("type = \"tie\"\nbodies = [\"upper\", \"third\"]"), "unknown loop `tie`", "type = \"tie\""),
        (end("type = \"connect\"\nbodies = [\"upper\", \"upper\"]"), "got one twice", "bodies = ["),
        (end("type = \"connect\"\nbodies = [\"world\", \"world\"]"), "at least one body that moves", "bodies = ["),
        (end("type = \"connect\"\nbodies = [\"upper\"]"), "expected two bodies", "bodies = ["),
        (
            // The loop holds the upper rod where it stands, the coupling turns it by half a radian.
            end(
                "type = \"connect\"\nbodies = [\"upper\", \"world\"]\nposition = [1, 0, 0]\n[[coupling]]\nname = \"c\"\n\
                 joints = [\"shoulder\"]\ncoefficients = [1]\noffset = 0.5",
            ),
            "cannot close: the nearest position that was found leaves it open by",
            "position = [1, 0, 0]",
        ),
        (
            // The loop closes where the shoulder is at zero, and its limits do not let it go there.
            end("type = \"connect\"\nbodies = [\"upper\", \"world\"]\nposition = [1, 0, 0]").replacen(
                "start = 0.3",
                "limits = [0.1, 1]\nstart = 0.3",
                1,
            ),
            "outside its limits 0.1 and 1",
            "start = 0.3",
        ),
    ] {
        let told = match build(&text) {
            Err(error) => error.to_string(),
            Ok(_) => "accepted".to_string(),
        };
        if !told.contains(words) {
            wrong.push(format!("expected {words:?} at {line:?}, got\n{told}"));
        }
        let numbers: Vec<usize> =
            text.lines().enumerate().filter(|(_, l)| l.contains(line)).map(|(i, _)| i + 1).collect();
        assert!(!numbers.is_empty(), "{line}");
        let at = |n: &usize| told.contains(&format!("scene.toml:{n}:"));
        if !numbers.iter().any(at) {
            wrong.push(format!("expected line {numbers:?} ({line:?}) in\n{told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A chain that hangs out from a wall, let go.
fn chain(count: usize) -> Model {
    let mut text = format!("[scene]\nname = \"chain\"\nduration = 1\n{STEEL}");
    for k in 0..count {
        let x = 0.02 * k as f64;
        let parent = if k == 0 { "world".to_string() } else { format!("l{}", k - 1) };
        text += &format!(
            "[[body]]\nname = \"l{k}\"\nshape = {{ type = \"sphere\", radius = 0.002 }}\nmass = 0.01\nmaterial = \"steel\"\nposition = [{}, 0, 0]\n\
             [[joint]]\nname = \"j{k}\"\ntype = \"revolute\"\nparent = \"{parent}\"\nchild = \"l{k}\"\nposition = [{x}, 0, 0]\n\
             axis = [0, 1, 0]\n",
            x + 0.01
        );
    }
    build(&text).unwrap()
}

fn fall<S: Stepper>(stepper: &S, model: &Model, until: f64) {
    let begun = std::time::Instant::now();
    let mut state: State = model.start().unwrap();
    let mut work = stepper.workspace(model, &state).unwrap();
    let before = stepper.ledger(model, &state, &mut work).unwrap().total();
    stepper.advance(model, &mut state, &mut work, until).unwrap();
    let off = stepper.ledger(model, &state, &mut work).unwrap().total() - before;
    println!("{:?}, the ledger misses {off:e} J", begun.elapsed());
    assert!(off.abs() < 1e-9, "{off:e}");
    for (k, pair) in state.bodies.windows(2).enumerate() {
        let apart = (pair[1].X_WBcm.translation.vector - pair[0].X_WBcm.translation.vector).norm();
        assert!((apart - 0.02).abs() < 1e-6, "{k}: {apart}");
    }
    // Beyond its first links it falls freely.
    let fallen = state.bodies[state.bodies.len() / 2].X_WBcm.translation.vector.z;
    assert!((fallen + 0.5 * 9.81 * until * until).abs() < 1e-9, "{fallen:e}");
}

/// A chain of a thousand hinges is right: it moves, and its links stay together.
#[test]
fn a_chain_of_a_thousand_joints_moves() {
    let model = chain(1000);
    fall(&FixedStep::default(), &model, 1e-3);
    fall(&Rigid::default(), &model, 1e-3);
}

/// The accurate stepper asks for many mass matrices in a step, each cubic in the length of the chain: a tenth of that chain here.
#[test]
fn a_chain_of_a_hundred_joints_moves_accurately() {
    fall(&Accurate { relative: 1e-6, absolute: 1e-9, ..Accurate::default() }, &chain(100), 1e-3);
}
