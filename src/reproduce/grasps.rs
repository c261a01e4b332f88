//! # Paper B, fig. 3, as a grasp: GraspIt!'s patch of 5 N against patches that grow with the load
//!
//! - **out**: the grip that the pinch of fig. 3 needs, for four objects; epsilon as GraspIt! samples it
//! - **outside opinion**: critical grips of an independent program, with time stepping on both sides of each
//!   (golden numbers 2.6 iv); closed forms of the pinch
//! - **start at** [`ROWS`]

use super::{Experiment, Figure, Finding, PAPER_B, Quantity, Verdict, worse};
use crate::report::chart::{Axis, Chart, Mark};
use fingerpad_contact::material::{Layer, Material, Theory, pair};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_grasp::{
    Contact, GRASPIT_LOAD, Grasp, Least, LiveOptions, Norm, PatchGrowth, Solver, Wrench, best_found, graspit,
    graspit_patch, least_grip,
};
use nalgebra::Vector3;

/// Rows of this theme.
pub const ROWS: &[Experiment] = &[Experiment {
    name: "grasp-live-patches",
    paper: PAPER_B,
    figure: "fig. 3, §5",
    statement: "a pinch that holds a flat object slips on a curved one (the grip that each needs, beside GraspIt!'s patch of 5 N)",
    compute: live_patches,
}];

/// Friction, weight (N) and lever (m) of the pinch; half the distance of the fingertips (m).
const FRICTION: f64 = 0.6;
const WEIGHT: f64 = 0.1 * 9.81;
const LEVER: f64 = 0.03;
const HALF: f64 = 0.02;
/// What the fingers of fig. 3 press with in the independent program (N).
const PRESSED: f64 = 8.0;

/// Objects by name, radius across and along the finger (m), and the critical grip of an independent program (N).
const OBJECTS: [(&str, [f64; 2], f64); 4] = [
    ("flat", [f64::INFINITY, f64::INFINITY], 7.099),
    ("cylinder 10 mm", [f64::INFINITY, 0.01], 7.471),
    ("cylinder 3 mm", [f64::INFINITY, 0.003], 7.606),
    ("sphere 5 mm", [0.005, 0.005], 8.827),
];

/// The patch of a fingertip of 10 mm with a layer of 4 mm on an object with these radii.
fn patch(radii: [f64; 2]) -> Result<PatchGrowth, String> {
    let layer = Layer::new(2e5, 4e-3).map_err(|e| e.to_string())?;
    let theory =
        pair(&Material::rigid().with_layer(layer), &Material::rigid(), Theory::Auto).map_err(|e| e.to_string())?;
    let [one, other] = radii.map(|r| 1.0 / (1.0 / 0.01 + 1.0 / r));
    Ok(PatchGrowth::Pad { theory: theory.theory, curvature: RelativeCurvature::from_radii(one, other) })
}

fn pinch(patch: PatchGrowth) -> Result<Grasp, String> {
    let finger = |x: f64| Contact::new(Vector3::new(x, 0.0, 0.0), Vector3::new(-x.signum(), 0.0, 0.0), FRICTION, patch);
    Grasp::new(vec![finger(-HALF), finger(HALF)], Vector3::zeros(), Some(LEVER)).map_err(|e| e.to_string())
}

/// The least grip for the weight at its lever (N).
fn grip(patch: PatchGrowth) -> Result<f64, String> {
    let wrench = Wrench::new(0.0, 0.0, -WEIGHT, -WEIGHT * LEVER, 0.0, 0.0);
    let found = least_grip(&pinch(patch)?, None, &wrench, Least::Max, LiveOptions::default(), &mut Solver::default());
    found.map(|grip| grip.value).map_err(|e| format!("{e:?}"))
}

fn live_patches() -> Result<Finding, String> {
    // Critical grips are printed to a thousandth of a newton.
    const TOLERANCE: f64 = 6e-4;
    let (mut off, mut table, mut wrong) = (0.0, Vec::new(), Vec::new());
    let mut slender = [f64::NAN; 2];
    for (name, radii, golden) in OBJECTS {
        let live = patch(radii)?;
        let ours = grip(live)?;
        let theirs = grip(PatchGrowth::Fixed(graspit_patch(&live)))?;
        off = worse(off, ours - golden);
        table.push(format!("{name} {ours:.3} N, by GraspIt! {theirs:.3} N"));
        if (ours <= PRESSED) != (theirs <= PRESSED) {
            wrong.push(name);
        }
        if name == "cylinder 3 mm" {
            slender = [theirs, ours];
        }
    }
    // Epsilon of the flat pinch: μe_n/ρ for opposed soft fingers, 20 samples lie inside.
    let flat = patch(OBJECTS[0].1)?;
    let frozen = PatchGrowth::Fixed(flat.e_n(GRASPIT_LOAD));
    let grasp = pinch(frozen)?;
    let exact = best_found(&grasp, Norm::L1).ok_or("the pinch is not closed")?.0;
    let closed_form = FRICTION * flat.e_n(GRASPIT_LOAD) / LEVER;
    let sampled = graspit(&grasp, &[graspit_patch(&flat); 2], Norm::L1).ok_or("the sampled pinch is not closed")?.value;
    let holds = off <= TOLERANCE && (exact / closed_form - 1.0).abs() <= 1e-9 && sampled <= exact * (1.0 + 1e-9);
    Ok(Finding {
        theirs: Quantity::Number(slender[0]),
        ours: Quantity::Number(slender[1]),
        unit: "N, grip on a cylinder of 3 mm",
        tolerance: Some(TOLERANCE),
        verdict: Verdict::Corrects.or_fails(holds && wrong == ["cylinder 10 mm", "cylinder 3 mm"]),
        note: format!(
            "Two fingertips of 10 mm with a layer of 4 mm (0.2 MPa), friction {FRICTION}, hold 0.1 kg by a point {:.0} mm beside its \
             centre of mass. Least grip with patches that grow with the load, and with the patch that GraspIt! gives to every contact \
             (5 N, √(ab)): {}. Pressed with {PRESSED} N the first three hold and the sphere slips, as time stepping of an independent \
             program says; by the patch of 5 N only the flat object holds. Largest difference from that program: {off:.1e} N. Epsilon \
             L1 of the flat pinch at 5 N: {exact:.5} (closed form μe_n/ρ), by GraspIt!'s 20 samples {sampled:.5}.",
            1e3 * LEVER,
            table.join("; ")
        ),
        figures: vec![figure()?],
    })
}

/// Least grip over the lever, for the flat object.
fn figure() -> Result<Figure, String> {
    let flat = patch(OBJECTS[0].1)?;
    let frozen = PatchGrowth::Fixed(graspit_patch(&flat));
    let curve = |patch: PatchGrowth| -> Vec<[f64; 2]> {
        let levers = (1..=40).map(|k| 1e-3 * f64::from(k));
        let at = |lever: f64| {
            let wrench = Wrench::new(0.0, 0.0, -WEIGHT, -WEIGHT * lever, 0.0, 0.0);
            let grasp = pinch(patch).ok()?;
            let found = least_grip(&grasp, None, &wrench, Least::Max, LiveOptions::default(), &mut Solver::default());
            Some([1e3 * lever, found.ok()?.value])
        };
        levers.filter_map(at).collect()
    };
    let svg = Chart::new(Axis::linear("lever of the weight [mm]"), Axis::linear("least grip [N]"))
        .series("patch of 5 N, as in GraspIt!", Mark::Dashes, curve(frozen))
        .series("patch of the load itself", Mark::Line, curve(flat))
        .svg();
    let caption = "Below 5 N a patch of 5 N promises a moment that is not there; above it asks for too much.";
    Ok(Figure { svg, caption: caption.to_string(), file: None })
}
