//! # Inertia of MJCF bodies: given, or summed over geoms
//!
//! - **in**: `<inertial>`, geoms with their masses, the compiler's bounds
//! - **out**: [`Inertial`]
//! - **start at** [`of_body`]

use super::super::check::{ROUNDING, impossible};
use super::super::description::{Inertial, Robot};
use super::super::reader::Reader;
use super::super::xml::Element;
use super::compiler::Compiler;
use super::geoms::Geom;
use super::known;
use nalgebra::{Matrix3, Point3, Vector3};

/// What a body weighs.
pub(super) fn of_body(
    reader: &mut Reader<'_>,
    compiler: &Compiler,
    body: &Element,
    inertial: Option<&Element>,
    from_geoms: bool,
    geoms: &[Geom],
) -> Inertial {
    let mut given = match inertial {
        Some(e) if !from_geoms => of_element(reader, compiler, e),
        Some(e) => {
            reader.ignore_element(e, "inertiafromgeom=\"true\" takes masses from geoms");
            sum(geoms)
        }
        None => sum(geoms),
    };
    bounds(compiler, &mut given);
    if let Some(message) = impossible(&given, 1.0 + ROUNDING) {
        let hint = if compiler.balance { "" } else { "; compiler balanceinertia=\"true\" would mend sums" };
        reader.wrong(inertial.unwrap_or(body), format!("{message}{hint}"));
        return Inertial::default();
    }
    given
}

fn of_element(reader: &mut Reader<'_>, compiler: &Compiler, e: &Element) -> Inertial {
    if let Some(known) = known::of("inertial") {
        known.check(reader, e);
    }
    reader.required(e, "mass");
    reader.required(e, "pos");
    let pose = compiler.pose(reader, e);
    let mass = reader.not_negative(e, "mass", 0.0);
    let (diagonal, full) = (reader.numbers::<3>(e, "diaginertia"), reader.numbers::<6>(e, "fullinertia"));
    let I = match (diagonal, full) {
        (Some(_), Some(_)) => {
            reader.wrong(e, "either `diaginertia` or `fullinertia`, got both");
            Matrix3::zeros()
        }
        (Some(d), None) => Matrix3::from_diagonal(&Vector3::from(d)),
        (None, Some([xx, yy, zz, xy, xz, yz])) => {
            if compiler_turns(e) {
                reader.wrong(e, "`fullinertia` stands in the axes of the body: no orientation can be given beside it");
            }
            Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
        }
        (None, None) => {
            if e.get("diaginertia").is_none() && e.get("fullinertia").is_none() {
                reader.wrong(e, "<inertial> needs `diaginertia` or `fullinertia` (kg m²)");
            }
            Matrix3::zeros()
        }
    };
    let R = pose.rotation.to_rotation_matrix();
    let turned = R.matrix() * I * R.matrix().transpose();
    Inertial { mass, p_BoBcm: Point3::from(pose.translation.vector), I_BBcm_B: (turned + turned.transpose()) * 0.5 }
}

fn compiler_turns(e: &Element) -> bool {
    super::compiler::ORIENTATIONS.iter().any(|name| e.get(name).is_some())
}

/// The sum over geoms (parallel axes).
fn sum(geoms: &[Geom]) -> Inertial {
    let weights = || geoms.iter().filter_map(|g| g.weight.as_ref().map(|w| (g, w)));
    let mass: f64 = weights().map(|(_, (mass, _))| mass).sum();
    if mass <= 0.0 {
        return Inertial::default();
    }
    let centre_of = |g: &Geom, c: &Point3<f64>| (g.shape.X_BS * c).coords;
    let centre: Vector3<f64> = weights().map(|(g, (m, s))| centre_of(g, &s.centre) * (m / mass)).sum();
    let mut I = Matrix3::zeros();
    for (g, (m, solid)) in weights() {
        let R = g.shape.X_BS.rotation.to_rotation_matrix();
        let d = centre_of(g, &solid.centre) - centre;
        let away = Matrix3::identity() * d.norm_squared() - d * d.transpose();
        I += R.matrix() * (solid.inertia * (m / solid.volume)) * R.matrix().transpose() + away * *m;
    }
    Inertial { mass, p_BoBcm: Point3::from(centre), I_BBcm_B: (I + I.transpose()) * 0.5 }
}

/// Least masses and inertias, and moments that no solid has replaced by their mean, as the compiler is told to.
fn bounds(compiler: &Compiler, inertial: &mut Inertial) {
    inertial.mass = inertial.mass.max(compiler.bound_mass);
    if compiler.bound_inertia <= 0.0 && !compiler.balance {
        return;
    }
    if !inertial.I_BBcm_B.iter().all(|x| x.is_finite()) {
        return;
    }
    let eigen = inertial.I_BBcm_B.symmetric_eigen();
    let mut moments = eigen.eigenvalues.map(|x| x.max(compiler.bound_inertia));
    if compiler.balance && 2.0 * moments.max() > moments.sum() {
        moments = Vector3::repeat(moments.sum() / 3.0);
    }
    if moments != eigen.eigenvalues {
        let R = eigen.eigenvectors;
        inertial.I_BBcm_B = R * Matrix3::from_diagonal(&moments) * R.transpose();
    }
}

/// Scales masses so that their sum is what the compiler is told.
pub(super) fn scale_total(compiler: &Compiler, robot: &mut Robot) {
    let total = robot.total_mass();
    let Some(wanted) = compiler.total_mass.filter(|_| total > 0.0) else { return };
    for link in &mut robot.links {
        link.inertial.mass *= wanted / total;
        link.inertial.I_BBcm_B *= wanted / total;
    }
}
