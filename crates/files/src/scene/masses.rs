//! # Masses of a scene: mass, centre and inertia of a body
//!
//! - **in**: `mass` or `density`, `inertia`, `center_of_mass`
//! - **out**: the same in a body; what no solid can have is told
//! - **not here**: integrals over shapes (`solids`)
//! - **start at** [`mass`]

use super::error::Problem;
use super::section::{Range, Section, rounded};
use super::solids;
use super::tree::{Node, Value};
use crate::units::Dimension::{self, Length};
use fingerpad_sim::Body;
use nalgebra::{Matrix3, Point3, Vector3};

/// Mass, centre and inertia: given, or of the solid filled evenly.
pub(crate) fn mass(body: &mut Body, section: &Section, of_material: Option<f64>) {
    section.not_both("mass", "density");
    let mass = section.quantity("mass", "mass", Dimension::Mass, Range::Positive);
    let density = section.quantity("density", "density", Dimension::Density, Range::Positive);
    let given = section.get("inertia").map(|node| (node, inertia(node, section)));
    let centre = section.vector::<3>("center_of_mass", "centre of mass", Length, Range::Any);
    let density = density.or(if section.has("mass") || section.has("density") { None } else { of_material });
    let solid = solids::of(&body.shape);
    let endless = |why: &String| {
        let node = section.get("shape").map_or(section.span(), |node| &node.span);
        let problem = Problem::new(node.clone(), why.clone()).label(section.whose);
        section.problems().push(problem.note("give `mass` and `inertia`, or make the body `fixed = true`"));
    };
    if mass.is_none() && density.is_none() {
        if let (Err(why), false) = (&solid, section.has("mass") || section.has("density")) {
            endless(why);
        } else if !section.has("mass") && !section.has("density") {
            section.lacks("a body that forces move needs `mass`, `density`, or a material with a density");
        }
        return;
    }
    match (mass, &solid) {
        (Some(mass), Ok(solid)) => {
            body.mass = mass;
            body.p_BoBcm = solid.centre;
            body.I_BBcm_B = solid.inertia * (mass / solid.volume);
        }
        (None, Ok(solid)) => {
            let density = density.unwrap_or(1.0);
            body.mass = density * solid.volume;
            body.p_BoBcm = solid.centre;
            body.I_BBcm_B = solid.inertia * density;
        }
        (Some(mass), Err(_)) if given.is_some() => body.mass = mass,
        (_, Err(why)) => endless(why),
    }
    if let Some(centre) = centre {
        if given.is_none() {
            section.lacks("`center_of_mass` needs `inertia` beside it: both differ from the evenly filled shape");
        }
        body.p_BoBcm = Point3::from(centre);
    }
    if let Some((node, Some(I))) = given {
        body.I_BBcm_B = I;
        possible(node, &I, section);
    }
}

/// `[xx, yy, zz]`, `[xx, yy, zz, xy, xz, yz]` or three rows.
fn inertia(node: &Node, section: &Section) -> Option<Matrix3<f64>> {
    let what = "inertia";
    let (kind, range) = (Dimension::Inertia, Range::Any);
    let list = section.list_of(node, "a list of 3 or 6 numbers or 3 rows for inertia")?;
    if list.len() == 6 {
        let [xx, yy, zz, xy, xz, yz] = section.vector_of(node, what, kind, range)?;
        return Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz));
    }
    if list.len() == 3 && list.iter().all(|row| matches!(row.value, Value::List(_))) {
        let mut rows = [[0.0; 3]; 3];
        for (row, node) in rows.iter_mut().zip(list) {
            *row = section.vector_of(node, what, kind, range)?;
        }
        return Some(Matrix3::from_fn(|i, j| rows[i][j]));
    }
    if list.len() == 3 {
        let diagonal: [f64; 3] = section.vector_of(node, what, kind, range)?;
        return Some(Matrix3::from_diagonal(&Vector3::from(diagonal)));
    }
    section.wrong(node, format!("expected 3 or 6 numbers or 3 rows for inertia, got a list of {}", list.len()));
    None
}

/// Tells of an inertia that no solid has: each principal moment is at most the sum of the others.
fn possible(node: &Node, I: &Matrix3<f64>, section: &Section) {
    let scale = I.amax();
    if (I - I.transpose()).amax() > 1e-12 * scale {
        return section.wrong(node, "inertia must be symmetric");
    }
    let mut moments: Vec<f64> = I.symmetric_eigenvalues().iter().copied().collect();
    moments.sort_by(f64::total_cmp);
    let [a, b, c] = moments[..] else { return };
    let list = format!("{}, {}, {} kg m^2", rounded(a), rounded(b), rounded(c));
    if a.is_nan() || a <= 0.0 {
        section.wrong(node, format!("inertia must be positive about every axis, got principal moments {list}"));
    } else if c > (a + b) * (1.0 + 1e-9) {
        let rule = "no principal moment of a solid exceeds the sum of the other two";
        section.wrong(node, format!("no solid has this inertia: {rule}, got {list}"));
    }
}
