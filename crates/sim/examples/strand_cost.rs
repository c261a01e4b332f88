//! What contacts along curves cost: processor time of a fixed step of 1 ms, beside a ball at one point on the same ground.
//!
//! ```text
//! cargo run --release -p fingerpad-sim --example strand_cost                 all cases, at rest and swaying
//! cargo run --release -p fingerpad-sim --example strand_cost -- CASE STEPS   one of them for so many steps, swaying
//! ```
//!
//! Bodies lie on a layer and come to rest, or are pushed to and fro by a tenth of their weight, so that nothing is at rest.
//! Times are those of the processor (this process), the least of several runs. Instructions of a step are those of two runs of
//! one case with different STEPS under `valgrind --tool=callgrind`, their difference over that of the steps.
//! The last column is how far the body moves at rest in the second after the timed runs (m).

use fingerpad_contact::law::{ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::patch::foundation::Foundation;
use fingerpad_contact::patch::{PatchTheory, Pressed};
use fingerpad_contact::surface::mesh::smooth::SmoothOptions;
use fingerpad_contact::surface::mesh::{MeshSurface, TriangleMesh};
use fingerpad_contact::surface::{Capsule, Cylinder, HalfSpace, RoundedBox, Shape, Sphere, Torus};
use fingerpad_sim::{
    Body, BodyId, FixedStep, Interactions, LawId, Load, Model, PairLaw, Parts, Profile, State, Stepper,
};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, SQRT_2, TAU};
use std::sync::Arc;
use std::time::Instant;

type Failed = Box<dyn std::error::Error>;
/// Bodies with their poses.
type Placed = Vec<(Shape, Isometry3<f64>)>;

/// Steps before any is timed, steps of a run, and runs of which the least counts.
const WARM: usize = 400;
const STEPS: usize = 1000;
const RUNS: usize = 4;

/// Time of the processor in this process (s), in ticks of some ms; where the system does not tell it, that of the clock.
fn clock(start: &Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let spent = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    spent.map_or_else(|| start.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn law() -> ContactLaw {
    let layer = Foundation { modulus: 1e6, depth: 2e-3, exponent: 1.0 };
    let pressed = Pressed::Foundation { layer, shear_per_depth: 1e8 };
    ContactLaw {
        stiffness: Stiffness::Patch(PatchTheory { pressed, extent: f64::INFINITY }),
        damping: Damping { hunt_crossley: 20.0, ..Damping::default() },
        friction: Friction::Coulomb { mu: 0.5 },
        partial: None,
    }
}

/// Triangles of a profile (r, z) turned around z, poles closed.
fn lathe(profile: &[[f64; 2]], n: u32) -> Result<Shape, Failed> {
    let (mut p, mut f) = (Vec::<Point3<f64>>::new(), Vec::<[u32; 3]>::new());
    let mut rows = Vec::<Vec<u32>>::new();
    for [r, z] in profile {
        let (first, count) = (p.len() as u32, if *r == 0.0 { 1 } else { n });
        for k in 0..count {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(n)).sin_cos();
            p.push(Point3::new(r * cos, r * sin, *z));
        }
        rows.push((0..n).map(|k| first + k % count).collect());
    }
    for pair in rows.windows(2) {
        for k in 0..n as usize {
            let next = (k + 1) % n as usize;
            let [a, b, c, d] = [pair[0][k], pair[0][next], pair[1][next], pair[1][k]];
            f.extend([[a, b, c], [a, c, d]].into_iter().filter(|[x, y, z]| x != y && y != z && z != x));
        }
    }
    mesh(p, f)
}

fn mesh(p: Vec<Point3<f64>>, f: Vec<[u32; 3]>) -> Result<Shape, Failed> {
    let (mesh, _) = TriangleMesh::new(p, f)?;
    Ok(Shape::Mesh(Arc::new(MeshSurface::new(mesh, &SmoothOptions::default())?)))
}

/// A slab of 0.6 × 0.6 × 0.1 m whose top is at z = 0.
fn slab() -> Result<Shape, Failed> {
    let corner = |k: u32| {
        let sign = |bit: u32| if k & bit > 0 { 0.3 } else { -0.3 };
        Point3::new(sign(1), sign(2), if k & 4 > 0 { 0.0 } else { -0.1 })
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let facets = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    mesh((0..8).map(corner).collect(), facets.collect())
}

/// What moves, and how high its middle is over what it lies on.
fn part(name: &str) -> Result<(Shape, f64, UnitQuaternion<f64>), Failed> {
    let upright = UnitQuaternion::identity();
    let lying = UnitQuaternion::from_scaled_axis(Vector3::y() * FRAC_PI_2);
    Ok(match name {
        "ball" => (Shape::Sphere(Sphere::new(0.02)?), 0.02, upright),
        "torus" => (Shape::Torus(Torus::new(0.03, 0.006)?), 0.006, upright),
        "cylinder" => (Shape::Cylinder(Cylinder::new(0.02, 0.04, 0.001)?), 0.02, lying),
        "capsule" => (Shape::Capsule(Capsule::new(0.02, 0.04)?), 0.02, lying),
        "box" => {
            let edge = UnitQuaternion::from_scaled_axis(Vector3::x() * FRAC_PI_4);
            let (half, round) = (0.02, 0.001);
            let shape = RoundedBox::new(Vector3::new(0.02, half, half), round)?;
            (Shape::RoundedBox(shape), (half - round) * SQRT_2 + round, edge)
        }
        "glass" => {
            let profile = [
                [0.0, 0.004],
                [0.012, 0.0035],
                [0.0195, 0.0012],
                [0.0225, 0.0],
                [0.0255, 0.0015],
                [0.027, 0.006],
                [0.0285, 0.02],
                [0.031, 0.055],
                [0.034, 0.095],
                [0.0335, 0.1],
                [0.03, 0.1035],
                [0.02, 0.105],
                [0.0, 0.1055],
            ];
            (lathe(&profile, 48)?, 0.0, upright)
        }
        _ => return Err(format!("no part is called {name}").into()),
    })
}

/// What it lies on, with poses, and how much higher than z = 0 that carries a part of this radius.
fn ground(name: &str) -> Result<(Placed, f64), Failed> {
    let along_x = UnitQuaternion::from_scaled_axis(Vector3::y() * FRAC_PI_2);
    let tube = |y: f64| -> Result<_, Failed> {
        let shape = Shape::Cylinder(Cylinder::new(0.015, 0.08, 0.001)?);
        Ok((shape, Isometry3::from_parts(Vector3::new(0.0, y, 0.0).into(), along_x)))
    };
    Ok(match name {
        "plane" => (vec![(Shape::HalfSpace(HalfSpace), Isometry3::identity())], 0.0),
        "slab" => (vec![(slab()?, Isometry3::identity())], 0.0),
        "block" => {
            let shape = Shape::RoundedBox(RoundedBox::new(Vector3::new(0.1, 0.1, 0.05), 0.001)?);
            (vec![(shape, Isometry3::translation(0.0, 0.0, -0.05))], 0.0)
        }
        "tubes" => (vec![tube(-0.022)?, tube(0.022)?], (0.035_f64.powi(2) - 0.022_f64.powi(2)).sqrt() - 0.02),
        _ => return Err(format!("no ground is called {name}").into()),
    })
}

fn model(case: &str, sways: bool) -> Result<Model, Failed> {
    let (on, under) = case.split_once('-').ok_or("a case is PART-GROUND")?;
    let (shape, height, turn) = part(on)?;
    let (grounds, up) = ground(under)?;
    let mut bodies: Vec<Body> = Vec::new();
    for (shape, X) in grounds {
        bodies.push(Body::fixed("ground", shape).at(X));
    }
    let mass = 0.2;
    let I = Matrix3::from_diagonal(&Vector3::new(1e-4, 1e-4, 1e-4));
    let X = Isometry3::from_parts(Vector3::new(0.001, 0.0, up + height).into(), turn);
    bodies.push(Body::free("part", shape, mass, I).at(X));
    let weight = mass * 9.81;
    let body = BodyId(bodies.len() - 1);
    let profile = Profile::Wave { t0: 0.1, t1: f64::INFINITY, frequency: 13.0, phase: 0.0 };
    let f_W = Vector3::new(0.05 * weight, 0.0, 0.1 * weight);
    let loads = if sways { vec![Load { body, f_W, t_W: Vector3::zeros(), p_BoQ: None, profile }] } else { vec![] };
    let interactions =
        Interactions { laws: vec![PairLaw::even(law())], table: vec![vec![Some(LawId(0))]], ..Interactions::default() };
    let gravity_W = Vector3::new(0.0, 0.0, -9.81);
    Ok(Model::new(Parts { bodies, interactions, gravity_W, loads, ..Parts::default() })?)
}

/// A state, and the means to move it on.
struct Run {
    model: Model,
    state: State,
    work: <FixedStep as Stepper>::Workspace,
    ticks: u32,
}

impl Run {
    fn new(case: &str, sways: bool) -> Result<Self, Failed> {
        let model = model(case, sways)?;
        let state = model.start()?;
        let work = FixedStep::default().workspace(&model, &state)?;
        Ok(Self { model, state, work, ticks: 0 })
    }

    fn steps(&mut self, count: usize) -> Result<(), Failed> {
        for _ in 0..count {
            self.ticks += 1;
            let end = 1e-3 * f64::from(self.ticks);
            FixedStep::default().advance(&self.model, &mut self.state, &mut self.work, end)?;
        }
        Ok(())
    }

    /// Least time of a step (µs).
    fn cost(&mut self) -> Result<f64, Failed> {
        self.steps(WARM)?;
        let (begun, mut best) = (Instant::now(), f64::INFINITY);
        for _ in 0..RUNS {
            let start = clock(&begun);
            self.steps(STEPS)?;
            best = best.min((clock(&begun) - start) / STEPS as f64);
        }
        Ok(best * 1e6)
    }

    fn place(&self) -> Vector3<f64> {
        self.state.bodies.last().map_or(Vector3::zeros(), |body| body.X_WBcm.translation.vector)
    }
}

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [case, steps] = &words[..] {
        return Run::new(case, true)?.steps(steps.parse()?);
    }
    println!("{:<18} {:>9} {:>9}   µs a step;  moves (m)", "", "at rest", "swaying");
    for under in ["plane", "block", "slab", "tubes"] {
        let parts: &[&str] = match under {
            "plane" => &["ball", "torus", "cylinder", "capsule", "glass"],
            "block" => &["ball", "torus", "cylinder", "capsule", "glass", "box"],
            "slab" => &["ball", "torus", "cylinder", "capsule"],
            _ => &["ball", "capsule"],
        };
        for on in parts {
            let case = format!("{on}-{under}");
            let row = || -> Result<(f64, f64, f64), Failed> {
                let mut rest = Run::new(&case, false)?;
                let at_rest = rest.cost()?;
                let before = rest.place();
                rest.steps(STEPS)?;
                Ok((at_rest, Run::new(&case, true)?.cost()?, (rest.place() - before).norm()))
            };
            match row() {
                Ok((rest, sways, moved)) => println!("{case:<18} {rest:>9.2} {sways:>9.2}   {moved:.1e}"),
                Err(error) => println!("{case:<18} {error}"),
            }
        }
    }
    Ok(())
}
