//! Trees of joints with couplings, loops and drives, and robots from files, over a ground.

use super::chance::Chance;
use super::loose::{list, materials, shape};
use super::{Case, Joined};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use std::f64::consts::FRAC_PI_2;
use std::fmt::Write;

const PLANE: &str = "[[body]]\nname = \"ground\"\nshape = \"half_space\"\nmaterial = \"hard\"\nfixed = true\n";

/// Links along a line or a tree, each a capsule along x.
pub fn tree(c: &mut Chance) -> Case {
    let mut case = Case::new(&format!("gravity = {}\n", c.size(0.1, 20.0)));
    materials(c, &mut case.scene);
    let (length, radius) = (c.size(0.08, 0.3), c.size(0.01, 0.02));
    // Lying on the ground, or hanging free of it.
    let z = if c.once_in(2) { radius + c.size(1e-4, 0.02) } else { 0.6 };
    case.scene += PLANE;
    let free = c.once_in(4);
    if free {
        let _ = writeln!(
            case.scene,
            "[[body]]\nname = \"base\"\nshape = {{ type = \"sphere\", radius = 0.02 }}\nmaterial = \"soft\"\n\
             position = [-0.05, 0, {}]",
            z.max(0.021)
        );
    }
    // Ends of links, from which the next ones go on.
    let mut ends = vec![(if free { "base" } else { "world" }.to_string(), Vector3::new(0.0, 0.0, z))];
    // Joints of one coordinate.
    let mut single = Vec::new();
    for k in 0..1 + c.below(5) {
        let (parent, p_WJ) = ends[if c.once_in(4) { c.below(ends.len()) } else { ends.len() - 1 }].clone();
        // Branches go sideways.
        let side = Vector3::new(length, 0.3 * length * c.about(1.0), 0.0);
        let p_WB = p_WJ + 0.5 * side;
        let along = UnitQuaternion::rotation_between(&Vector3::z(), &side).unwrap_or_else(UnitQuaternion::identity);
        let half = (0.5 * length - 1.2 * radius).max(0.2 * radius);
        let q = along.quaternion();
        let material = c.of(&["soft", "hard"]);
        let _ = writeln!(
            case.scene,
            "[[body]]\nname = \"l{k}\"\nshape = {{ type = \"capsule\", radius = {radius}, half_length = {half} }}\n\
             material = \"{material}\"\nposition = {}\norientation = [{}, {}, {}, {}]",
            list(p_WB),
            q.w,
            q.i,
            q.j,
            q.k
        );
        let kind = c.of(&["revolute", "revolute", "revolute", "prismatic", "ball", "fixed", "planar"]);
        let axis = match c.below(4) {
            0 => Vector3::x(),
            1 => Vector3::y(),
            2 => Vector3::z(),
            _ => Vector3::new(c.about(1.0), c.about(1.0), c.about(1.0) + 1.5),
        };
        let _ = writeln!(
            case.scene,
            "[[joint]]\nname = \"j{k}\"\ntype = \"{kind}\"\nparent = \"{parent}\"\nchild = \"l{k}\"\nposition = {}",
            list(p_WJ)
        );
        if !["ball", "fixed"].contains(&kind) {
            let _ = writeln!(case.scene, "axis = {}", list(axis));
        }
        if ["revolute", "prismatic"].contains(&kind) {
            single.push(format!("j{k}"));
            coordinate(c, &mut case.scene, kind == "prismatic");
        }
        if ["revolute", "ball", "fixed"].contains(&kind) {
            let X_WB = Isometry3::from_parts(Translation3::from(p_WB), along);
            let p_BJ = X_WB.inverse_transform_point(&Point3::from(p_WJ)).coords;
            let parent_at = case.placed.iter().find(|(name, _)| *name == parent).map(|(_, X_WP)| *X_WP);
            // The base stands turned by nothing.
            let X_WP = parent_at.unwrap_or_else(|| {
                let p = if parent == "base" { Vector3::new(-0.05, 0.0, z.max(0.021)) } else { Vector3::zeros() };
                Isometry3::from_parts(Translation3::from(p), UnitQuaternion::identity())
            });
            let p_PJ = X_WP.inverse_transform_point(&Point3::from(p_WJ)).coords;
            case.joined.push(Joined { bodies: [parent.clone(), format!("l{k}")], points: [p_PJ, p_BJ], size: length });
        }
        case.placed.push((format!("l{k}"), Isometry3::from_parts(Translation3::from(p_WB), along)));
        ends.push((format!("l{k}"), p_WJ + side));
    }
    if single.len() > 1 && c.once_in(2) {
        coupling(c, &mut case.scene, &single);
    }
    if c.once_in(4) {
        closing(c, &mut case, &ends[ends.len() - 1], length);
    }
    for _ in 0..c.below(3) {
        if !single.is_empty() {
            drive(c, &mut case.scene, &single);
        }
    }
    case.on_plane = false;
    case
}

/// What a joint of one coordinate may have.
fn coordinate(c: &mut Chance, text: &mut String, slides: bool) {
    let reach = if slides { 0.05 } else { 1.5 };
    let start = if c.once_in(3) { c.about(0.3 * reach) } else { 0.0 };
    if c.once_in(3) {
        let (low, high) = (start - c.size(0.01, 1.0) * reach, start + c.size(0.01, 1.0) * reach);
        let _ = writeln!(text, "limits = [{low}, {high}]\nrestitution = {}", c.of(&["0", "0.5", "1"]));
    }
    if start != 0.0 {
        let _ = writeln!(text, "start = {start}");
    }
    if c.once_in(3) {
        let _ = writeln!(text, "start_velocity = {}", c.about(5.0));
    }
    if c.once_in(2) {
        let _ = writeln!(text, "damping = {}", c.size(1e-4, 10.0));
    }
    if c.once_in(4) {
        let _ = writeln!(text, "friction_loss = {}", c.size(1e-4, 1.0));
    }
    if c.once_in(4) {
        let _ = writeln!(text, "armature = {}", c.size(1e-6, 1e-2));
    }
    if c.once_in(4) {
        let _ = writeln!(text, "spring = {{ stiffness = {}, rest = {} }}", c.size(0.1, 1e4), c.about(0.3 * reach));
    }
}

fn coupling(c: &mut Chance, text: &mut String, single: &[String]) {
    let a = c.below(single.len());
    let b = (a + 1 + c.below(single.len() - 1)) % single.len();
    let _ = writeln!(text, "[[coupling]]\njoints = [\"{}\", \"{}\"]", single[a], single[b]);
    let _ = match c.below(3) {
        0 => writeln!(text, "polynomial = [0, {}, {}]", c.about(2.0), c.about(2.0)),
        _ => writeln!(text, "coefficients = [1, {}]", c.about(3.0)),
    };
}

/// The end of the last link is held, in the world or by a link.
fn closing(c: &mut Chance, case: &mut Case, (last, end): &(String, Vector3<f64>), length: f64) {
    let kind = c.of(&["connect", "connect", "weld"]);
    let other = if c.once_in(2) || last == "l0" { "world" } else { "l0" };
    let _ = writeln!(
        case.scene,
        "[[loop]]\ntype = \"{kind}\"\nbodies = [\"{last}\", \"{other}\"]\nposition = {}",
        list(*end)
    );
    let at =
        |name: &str| case.placed.iter().find(|(known, _)| known == name).map_or(Isometry3::identity(), |(_, X)| *X);
    let local = |name: &str| at(name).inverse_transform_point(&Point3::from(*end)).coords;
    let points = [local(last), local(other)];
    case.joined.push(Joined { bodies: [last.clone(), other.to_string()], points, size: length });
}

/// A drive on one of these joints, or a tendon over two.
fn drive(c: &mut Chance, text: &mut String, joints: &[String]) {
    let (a, b) = (c.below(joints.len()), c.below(joints.len()));
    if a != b && c.once_in(6) {
        let _ = writeln!(text, "[[drive]]\nname = \"tendon{a}{b}\"\njoints = [\"{}\", \"{}\"]", joints[a], joints[b]);
        let _ = writeln!(text, "coefficients = [1, {}]", c.about(2.0));
    } else {
        let _ = writeln!(text, "[[drive]]\nname = \"d{a}{}\"\njoint = \"{}\"", c.below(1000), joints[a]);
    }
    let limit = if c.once_in(3) { format!("limit = {}\n", c.size(0.1, 100.0)) } else { String::new() };
    let smooth = c.of(&["cubic", "quintic", "none"]);
    let line = |c: &mut Chance, most: f64| {
        format!("timeline = [[0.005, {}], [0.03, {}]]\nsmooth = \"{smooth}\"", c.about(most), c.about(most))
    };
    let _ = match c.below(4) {
        0 => {
            let line = line(c, 0.5);
            writeln!(
                text,
                "type = \"position\"\nstiffness = {}\ndamping = {}\n{limit}{line}",
                c.size(1.0, 1e4),
                c.size(0.01, 100.0)
            )
        }
        1 => {
            let line = line(c, 5.0);
            writeln!(text, "type = \"velocity\"\ndamping = {}\n{limit}{line}", c.size(0.01, 100.0))
        }
        2 => {
            let line = line(c, 5.0);
            writeln!(text, "type = \"torque\"\n{limit}{line}")
        }
        _ => writeln!(text, "type = \"grip\"\nforce = {}\nspeed = {}", c.size(0.1, 100.0), c.about(1.0)),
    };
}

/// One of our robots, perhaps with pads and drives, and a loose body near it.
pub fn robot(c: &mut Chance) -> Case {
    let mut case = Case::new(&format!("gravity = {}\n", c.size(0.1, 20.0)));
    materials(c, &mut case.scene);
    case.scene += PLANE;
    let name = c.of(&["anthro", "parallel-jaw", "rover", "three-finger"]);
    let file = super::root().join(format!("robots/{name}.urdf"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let named = |element: &str, with: &[&str]| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains(&format!("<{element} name=")));
        let lines = lines.filter(|line| with.is_empty() || with.iter().any(|word| line.contains(word)));
        lines.filter_map(|line| line.split('"').nth(1).map(str::to_string)).collect()
    };
    let joints = named("joint", &["revolute", "prismatic", "continuous"]);
    let links = named("link", &[]);
    let base = c.of(&["fixed", "free"]);
    let height = if name == "rover" { 0.11 } else { c.size(0.05, 0.4) };
    let _ = writeln!(
        case.scene,
        "[[robot]]\nname = \"r\"\nfile = \"{name}.urdf\"\nbase = \"{base}\"\nposition = [0, 0, {height}]\n\
         materials = {{ default = \"{}\" }}\nself_contact = {}",
        c.of(&["soft", "hard"]),
        c.of(&["true", "false"])
    );
    if c.once_in(2) {
        let _ = writeln!(case.scene, "orientation = {{ rpy = [{}, {}, 0] }}", c.of(&[0.0, FRAC_PI_2]), c.about(3.0));
    }
    if c.once_in(2) {
        let _ = writeln!(case.scene, "start = {{ {} = {} }}", joints[c.below(joints.len())], c.about(0.3));
    }
    if c.once_in(2) {
        let (modulus, depth) = (c.size(1e5, 1e7), c.size(1e-3, 1e-2));
        let link = &links[c.below(links.len())];
        let _ = writeln!(case.scene, "pads.{link} = {{ layer = {{ modulus = {modulus}, depth = {depth} }} }}");
    }
    let joints: Vec<String> = joints.iter().map(|joint| format!("r/{joint}")).collect();
    for _ in 0..c.below(4) {
        drive(c, &mut case.scene, &joints);
    }
    let loose = shape(c, &mut case, 0);
    let _ = writeln!(
        case.scene,
        "[[body]]\nname = \"b0\"\nmaterial = \"soft\"\nshape = {}\nposition = [{}, {}, {}]",
        loose.text,
        c.about(0.2),
        c.about(0.2),
        height + c.about(0.2)
    );
    case.files.push((format!("{name}.urdf"), text.into_bytes()));
    case
}
