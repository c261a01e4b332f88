//! # Relations of MJCF: contact pairs and excludes, tendons, equalities
//!
//! - **in**: `<contact>`, `<tendon>`, `<equality>`
//! - **out**: pairs, excludes, fixed tendons, couplings and loops of the robot
//! - **start at** [`contacts`], [`tendons`], [`equalities`]

use super::super::description::{Coupling, Loop, Tendon};
use super::super::reader::Reader;
use super::super::xml::Element;
use super::compiler::{flag, quaternion};
use super::{File, range};
use crate::nearest;
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Pairs and excludes.
pub(super) fn contacts(reader: &mut Reader<'_>, file: &mut File, root: &Element) {
    for e in root.named("contact").flat_map(|s| &s.children) {
        match e.name.as_str() {
            "pair" => {
                let e = file.defaults.merged(reader, e, "pair", 0);
                let ends = ["geom1", "geom2"].map(|key| {
                    reader.required(&e, key)?;
                    File::find(reader, &e, key, "geom", &file.geoms)
                });
                if let [Some(a), Some(b)] = ends {
                    file.robot.pairs.push([a, b]);
                }
            }
            "exclude" => {
                reader.attributes(e, &["name", "body1", "body2"], &[]);
                let ends = ["body1", "body2"].map(|key| {
                    reader.required(e, key)?;
                    File::find(reader, e, key, "body", &file.bodies)
                });
                // A world without shapes touches nothing.
                if let [Some(Some(a)), Some(Some(b))] = ends {
                    file.robot.excludes.push([a, b]);
                }
            }
            other => {
                let message = nearest::unknown("element in <contact>", other, &["pair", "exclude"]);
                reader.wrong(e, message);
            }
        }
    }
}

/// Fixed tendons; spatial ones are listed as ignored.
pub(super) fn tendons(reader: &mut Reader<'_>, file: &mut File, root: &Element) {
    for element in root.named("tendon").flat_map(|s| &s.children) {
        match element.name.as_str() {
            "fixed" => {
                let e = file.defaults.merged(reader, element, "tendon", 0);
                let fallback = format!("tendon_{}", file.robot.tendons.len());
                let name = e.value("name").map_or(fallback, str::to_string);
                let index = fixed(reader, file, element, &e, name.clone());
                if file.tendons.insert(name.clone(), index).is_some() {
                    reader.wrong(element, format!("the name `{name}` of a tendon is used twice"));
                }
            }
            "spatial" => {
                reader.ignore_element(element, "tendons through space are not modelled, nor what pulls at them");
                if let Some(name) = element.value("name") {
                    file.tendons.insert(name.to_string(), None);
                }
            }
            other => {
                let message = nearest::unknown("element in <tendon>", other, &["fixed", "spatial"]);
                reader.wrong(element, message);
            }
        }
    }
}

fn fixed(reader: &mut Reader<'_>, file: &mut File, element: &Element, e: &Element, name: String) -> Option<usize> {
    let (mut joints, mut coefficients) = (Vec::new(), Vec::new());
    for part in &element.children {
        if part.name != "joint" {
            reader.wrong(part, format!("a fixed tendon holds <joint>, got <{}>", part.name));
            continue;
        }
        reader.attributes(part, &["joint", "coef"], &[]);
        reader.required(part, "joint");
        reader.required(part, "coef");
        let Some(joint) = File::find(reader, part, "joint", "joint", &file.joints) else { continue };
        if file.robot.joints[joint].kind.nq() != 1 {
            reader.wrong(part, "a fixed tendon pulls at hinges and slides");
            continue;
        }
        joints.push(joint);
        coefficients.push(reader.number_or(part, "coef", 0.0));
    }
    if joints.is_empty() {
        reader.wrong(element, "a fixed tendon needs at least one <joint joint=… coef=…/>");
        return None;
    }
    if reader.number(e, "armature").is_some_and(|a| a != 0.0) {
        reader.ignore(e, "tendon armature".to_string(), "inertia of tendons is not modelled");
    }
    let limits = range(reader, e, file.compiler.autolimits, "limited", "range", 1.0);
    let stiffness = reader.not_negative(e, "stiffness", 0.0);
    if stiffness > 0.0 && e.get("springlength").is_some() {
        reader.ignore(e, "tendon springlength".to_string(), "springs of tendons are not modelled");
    }
    file.robot.tendons.push(Tendon {
        name,
        joints,
        coefficients,
        limits,
        stiffness,
        damping: reader.not_negative(e, "damping", 0.0),
        friction_loss: reader.not_negative(e, "frictionloss", 0.0),
    });
    Some(file.robot.tendons.len() - 1)
}

/// Loops and couplings.
pub(super) fn equalities(reader: &mut Reader<'_>, file: &mut File, root: &Element) {
    for element in root.named("equality").flat_map(|s| &s.children) {
        let kind = element.name.as_str();
        if ["flex", "flexvert", "flexstrain", "distance"].contains(&kind) {
            reader.ignore_element(element, "soft bodies are not modelled");
            continue;
        }
        if !["connect", "weld", "joint", "tendon"].contains(&kind) {
            let message = nearest::unknown("element in <equality>", kind, &["connect", "weld", "joint", "tendon"]);
            reader.wrong(element, message);
            continue;
        }
        let e = file.defaults.merged(reader, element, "equality", 0);
        if flag(reader, &e, "active") == Some(false) {
            reader.ignore_element(element, "active=\"false\"");
            continue;
        }
        match kind {
            "connect" | "weld" => closed(reader, file, &e, kind == "weld"),
            "joint" => coupled(reader, file, &e),
            _ => tendon_equality(reader, file, &e),
        }
    }
}

fn closed(reader: &mut Reader<'_>, file: &mut File, e: &Element, weld: bool) {
    let name = e.value("name").map(str::to_string);
    if e.get("site1").is_some() || e.get("site2").is_some() {
        let ends = ["site1", "site2"].map(|key| {
            reader.required(e, key)?;
            File::find(reader, e, key, "site", &file.sites)
        });
        if let [Some(a), Some(b)] = ends {
            let [a, b] = [a, b].map(|k| (file.robot.frames[k].link, file.robot.frames[k].X_BF));
            file.robot.loops.push(Loop { name, weld, links: [a.0, b.0], X_BL: [a.1, b.1] });
        }
        return;
    }
    reader.required(e, "body1");
    let first = File::find(reader, e, "body1", "body", &file.bodies);
    let second =
        if e.get("body2").is_some() { File::find(reader, e, "body2", "body", &file.bodies) } else { Some(None) };
    let (Some(a), Some(b)) = (first, second) else { return };
    let poses = file.robot.poses_at_reference();
    let pose = |link: Option<usize>| link.map_or_else(Isometry3::identity, |l| poses[l]);
    let X_AB = pose(a).inverse() * pose(b);
    let anchor = reader.numbers::<3>(e, "anchor").map(Vector3::from);
    let at = |p: Vector3<f64>| Isometry3::from_parts(Translation3::from(p), UnitQuaternion::identity());
    let X_BL = if weld {
        let given = reader.numbers::<7>(e, "relpose").and_then(|[x, y, z, w, i, j, k]| {
            Some(Isometry3::from_parts(Translation3::new(x, y, z), quaternion([w, i, j, k])?))
        });
        let X_BL = at(anchor.unwrap_or_default());
        [given.unwrap_or(X_AB) * X_BL, X_BL]
    } else {
        if anchor.is_none() {
            reader.wrong(e, "<connect> needs `anchor`, or two sites");
        }
        let X_AL = at(anchor.unwrap_or_default());
        [X_AL, X_AB.inverse() * X_AL]
    };
    file.robot.loops.push(Loop { name, weld, links: [a, b], X_BL });
}

/// q1 − ref1 = Σ a_k (q2 − ref2)^k.
fn coupled(reader: &mut Reader<'_>, file: &mut File, e: &Element) {
    reader.required(e, "joint1");
    let Some(first) = File::find(reader, e, "joint1", "joint", &file.joints) else { return };
    let second = if e.get("joint2").is_some() {
        let Some(found) = File::find(reader, e, "joint2", "joint", &file.joints) else { return };
        Some(found)
    } else {
        None
    };
    if [Some(first), second].into_iter().flatten().any(|j| file.robot.joints[j].kind.nq() != 1) {
        reader.wrong(e, "joints that are coupled are hinges and slides");
        return;
    }
    let a = polynomial(reader, e);
    let reference = |j: usize| file.robot.joints[j].reference;
    let coupling = match second {
        None => Coupling::Linear { joints: vec![first], coefficients: vec![1.0], offset: a[0] + reference(first) },
        Some(second) => {
            let mut c = shifted(&a, reference(second));
            c[0] += reference(first);
            if c[2..].iter().all(|x| *x == 0.0) {
                Coupling::Linear { joints: vec![first, second], coefficients: vec![1.0, -c[1]], offset: c[0] }
            } else {
                Coupling::Polynomial { joint: first, of: second, coefficients: c }
            }
        }
    };
    file.robot.couplings.push(coupling);
}

/// Up to five coefficients; 0 1 0 0 0 where none are given.
fn polynomial(reader: &mut Reader<'_>, e: &Element) -> [f64; 5] {
    let mut a = [0.0, 1.0, 0.0, 0.0, 0.0];
    let Some(attribute) = e.get("polycoef") else { return a };
    let Some(list) = reader.list(e, attribute) else { return a };
    if list.len() > 5 {
        reader.wrong_value(e, attribute, format!("expected at most 5 coefficients, got {}", list.len()));
        return a;
    }
    list.iter().enumerate().for_each(|(k, x)| a[k] = *x);
    a
}

/// Coefficients in x of Σ a_k (x − x0)^k.
fn shifted(a: &[f64; 5], x0: f64) -> [f64; 5] {
    // Horner: p ← p (x − x0) + a_k.
    let mut p = [0.0; 5];
    for coefficient in a.iter().rev() {
        for k in (1..5).rev() {
            p[k] = p[k - 1] - x0 * p[k];
        }
        p[0] = coefficient - x0 * p[0];
    }
    p
}

/// Lengths of tendons, each told from its length at the reference.
fn tendon_equality(reader: &mut Reader<'_>, file: &mut File, e: &Element) {
    reader.required(e, "tendon1");
    let find = |reader: &mut Reader<'_>, key: &str| File::find(reader, e, key, "tendon", &file.tendons);
    let first = find(reader, "tendon1");
    let second = if e.get("tendon2").is_some() { find(reader, "tendon2") } else { Some(None) };
    let (Some(first), Some(second)) = (first, second) else { return };
    let Some(first) = first else {
        reader.ignore_element(e, "tendons through space are not modelled, nor what pulls at them");
        return;
    };
    let a = polynomial(reader, e);
    if a[2..].iter().any(|x| *x != 0.0) {
        reader.wrong(e, "tendons are coupled by `polycoef` of degree 1 at most");
        return;
    }
    let rest = |t: usize| -> f64 {
        let tendon = &file.robot.tendons[t];
        tendon.joints.iter().zip(&tendon.coefficients).map(|(j, c)| c * file.robot.joints[*j].reference).sum()
    };
    let tendon = &file.robot.tendons[first];
    let (mut joints, mut coefficients) = (tendon.joints.clone(), tendon.coefficients.clone());
    let mut offset = a[0] + rest(first);
    if let Some(second) = second {
        let other = &file.robot.tendons[second];
        joints.extend(&other.joints);
        coefficients.extend(other.coefficients.iter().map(|c| -a[1] * c));
        offset -= a[1] * rest(second);
    }
    file.robot.couplings.push(Coupling::Linear { joints, coefficients, offset });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ a_k (x − x0)^k at a few x, by powers.
    #[test]
    fn shifted_polynomials_have_the_same_values() {
        let a = [0.3, -1.0, 2.0, 0.5, -0.25];
        let c = shifted(&a, 0.7);
        for x in [-1.0, 0.0, 0.4, 2.0_f64] {
            let value = |p: &[f64; 5], x: f64| p.iter().enumerate().map(|(k, c)| c * x.powi(k as i32)).sum::<f64>();
            assert!((value(&a, x - 0.7) - value(&c, x)).abs() < 1e-14);
        }
    }
}
