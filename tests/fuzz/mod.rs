//! Scenes out of chance that are stepped, not only read: shapes, materials, motions and events as the schema has them, a
//! third of them with numbers that nobody would choose. Each runs 50 steps in each stepper.
//!
//! A scene may be refused, and a run may stop with a cause. What may not happen: a panic, a step that does not end,
//! numbers that are none, a body below the ground it stands on without a word.

use fingerpad_files::scene::{Built, Scene};
use fingerpad_sim::{
    Accurate, ContactMode, FixedStep, FixedWorkspace, Rigid, RigidWorkspace, State, Stepper, Workspace,
};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Steps of each stepper.
pub const STEPS: u32 = 50;
/// Length of a step (s).
const STEP: f64 = 1e-3;
/// A run that takes longer than this is left, and counted as slow.
const LONGEST: Duration = Duration::from_secs(1);

/// Numbers of a seed, the same ones each time.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// From `low` to `high`, evenly in its logarithm; sometimes far outside.
    fn size(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let x = low * (high / low).powf(share);
        match self.below(60) {
            0 => x * 1e6,
            1 => x * 1e-6,
            _ => x,
        }
    }

    /// From −`most` to `most`.
    fn about(&mut self, most: f64) -> f64 {
        ((self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * most
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }
}

/// A scene of a seed.
pub fn scene(seed: u64) -> String {
    let mut c = Chance::new(seed);
    let mut text = format!("[scene]\nname = \"fuzz\"\nduration = 0.05\ngravity = {}\n", c.size(0.1, 20.0));
    let layered = c.below(4) == 0;
    for name in ["soft", "hard"] {
        let _ =
            writeln!(text, "[materials.{name}]\ndensity = {}\nfriction = {}", c.size(200.0, 8000.0), c.size(0.1, 1.0));
        if name == "soft" && layered {
            let (modulus, depth) = (c.size(1e4, 1e7), c.size(1e-3, 1e-2));
            let _ = writeln!(text, "layer = {{ modulus = {modulus}, depth = {depth} }}");
        } else {
            let _ = writeln!(text, "young = {}\npoisson = {}", c.size(1e5, 1e11), c.about(0.2) + 0.28);
        }
        if c.below(2) == 0 {
            let _ = writeln!(text, "hunt_crossley = {}", c.size(0.01, 1.0));
        }
    }
    match c.below(4) {
        0 => {
            let (a, l) = (c.size(0.005, 0.05), c.size(0.5, 5.0));
            let _ = writeln!(
                text,
                "[terrain]\nmaterial = \"hard\"\ngenerated = {{ formula = \"{a}*sin(2*pi*x/{l})*cos(2*pi*y/{l})\", \
                 size = [4, 4], spacing = 0.1 }}"
            );
        }
        kind => {
            let how = match (kind, c.below(3)) {
                (1, 0) => format!(
                    "motion = {{ type = \"shaker\", amplitude = [{}, 0, 0], frequency = {} }}",
                    c.size(1e-4, 1e-2),
                    c.size(1.0, 50.0)
                ),
                (1, 1) => format!("motion = {{ type = \"turntable\", rate = {} }}", c.about(10.0)),
                (1, _) => format!("motion = {{ type = \"conveyor\", velocity = [{}, 0, 0] }}", c.about(2.0)),
                _ => "fixed = true".to_string(),
            };
            let _ = writeln!(text, "[[body]]\nname = \"ground\"\nshape = \"half_space\"\nmaterial = \"hard\"\n{how}");
        }
    }
    let bodies = 1 + c.below(4);
    for k in 0..bodies {
        let size = c.size(0.01, 0.2);
        let shape = match c.below(7) {
            0 | 1 => format!("{{ type = \"sphere\", radius = {size} }}"),
            2 => format!(
                "{{ type = \"ellipsoid\", semi_axes = [{size}, {}, {}] }}",
                c.size(0.5, 2.0) * size,
                c.size(0.5, 2.0) * size
            ),
            3 => format!(
                "{{ type = \"box\", half_extents = [{size}, {}, {}] }}",
                c.size(0.5, 2.0) * size,
                c.size(0.5, 2.0) * size
            ),
            4 => format!("{{ type = \"cylinder\", radius = {size}, half_length = {} }}", c.size(0.5, 2.0) * size),
            5 => format!("{{ type = \"capsule\", radius = {size}, half_length = {} }}", c.size(0.5, 2.0) * size),
            _ => format!("{{ type = \"torus\", major_radius = {size}, minor_radius = {} }}", c.size(0.2, 0.6) * size),
        };
        let upright = if c.below(2) == 0 {
            String::new()
        } else {
            format!("orientation = {{ rpy = [{}, {}, {}] }}\n", c.about(3.0), c.about(1.5), c.about(3.0))
        };
        // In a row well apart, just above the ground or pressed a little into it.
        let _ = writeln!(
            text,
            "[[body]]\nname = \"b{k}\"\nmaterial = \"{}\"\nshape = {shape}\n{upright}position = [{}, {}, {}]\nvelocity = [{}, {}, {}]",
            c.of(&["soft", "hard"]),
            k as f64 - 1.5,
            c.about(0.5),
            0.06 + 3.0 * size,
            c.about(2.0),
            c.about(2.0),
            -c.size(0.1, 10.0)
        );
    }
    match c.below(4) {
        0 => {
            let _ = writeln!(
                text,
                "[[event]]\ntype = \"impulse\"\nbody = \"b0\"\ntime = 0.01\nimpulse = [{}, 0, {}]",
                c.about(1.0),
                c.about(1.0)
            );
        }
        1 => {
            let _ = writeln!(
                text,
                "[[event]]\ntype = \"wave\"\nbody = \"b0\"\nfrequency = {}\nforce = [0, {}, 0]",
                c.size(1.0, 100.0),
                c.about(10.0)
            );
        }
        _ => {}
    }
    text
}

/// What became of a scene in one stepper.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It was refused when it was read.
    Refused,
    /// It made its steps.
    Ran,
    /// It stopped with a cause.
    Stopped(String),
    /// It was left after a second, between two steps: slow, and no hang.
    Slow,
    /// It did what it may not.
    Wrong(String),
}

/// Runs a scene in each stepper: accurate, fast, rigid.
pub fn fates(text: &str) -> [Fate; 3] {
    let built =
        catch_unwind(|| Scene::parse(text, "fuzz.toml", Path::new("."), &[]).and_then(|s| s.build(&mut |_| {})));
    let built = match built {
        Err(_) => return [(); 3].map(|()| Fate::Wrong("panic while it is read".to_string())),
        Ok(Err(_)) => return [Fate::Refused, Fate::Refused, Fate::Refused],
        Ok(Ok(built)) => built,
    };
    [0, 1, 2].map(|stepper| {
        let run = catch_unwind(AssertUnwindSafe(|| stepped(&built, stepper)));
        run.unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<&str>().map(|s| s.to_string());
            Fate::Wrong(format!(
                "panic: {}",
                words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
            ))
        })
    })
}

fn stepped(built: &Built, stepper: usize) -> Fate {
    let model = &built.model;
    let mut state = match model.start() {
        Ok(state) => state,
        Err(error) => return Fate::Stopped(error.to_string()),
    };
    let began = Instant::now();
    let mut go_on = || began.elapsed() < LONGEST;
    let until = f64::from(STEPS) * STEP;
    let stopped = match stepper {
        0 => {
            let mut work = Workspace::new(model, &state);
            let accurate = Accurate { relative: 1e-6, absolute: 1e-8, ..Accurate::default() };
            accurate.advance_while(model, &mut state, &mut work, until, &mut go_on).err().map(|e| e.to_string())
        }
        1 => match FixedWorkspace::new(model) {
            Err(error) => Some(error.to_string()),
            Ok(mut work) => {
                let fast = FixedStep { step: STEP, ..FixedStep::default() };
                fast.advance_while(model, &mut state, &mut work, until, &mut go_on).err().map(|e| e.to_string())
            }
        },
        _ => {
            let mut work = RigidWorkspace::new(model, &state);
            let rigid = Rigid::with_step(STEP);
            rigid.advance_while(model, &mut state, &mut work, until, &mut go_on).err().map(|e| e.to_string())
        }
    };
    if let Some(cause) = stopped {
        return Fate::Stopped(cause);
    }
    if state.time < until * (1.0 - 1e-9) {
        return Fate::Slow;
    }
    judge(built, &state)
}

/// Numbers are numbers, and what was above the plane is not below it.
fn judge(built: &Built, state: &State) -> Fate {
    for (body, now) in built.model.bodies().iter().zip(&state.bodies) {
        let p = now.X_WBcm.translation.vector;
        if !(p.iter().all(|x| x.is_finite()) && now.V_WBcm.v.iter().chain(now.V_WBcm.w.iter()).all(|x| x.is_finite())) {
            return Fate::Wrong(format!("`{}` has numbers that are none", body.name));
        }
        // The whole body below a plane that nothing can open: found by its place alone.
        let deep = fingerpad_contact::surface::Surface::bounds(&*body.shape).radius();
        let plane = built.model.bodies()[0].name == "ground";
        // One that is still pressed is told: its depth is beyond its theory, and the run's quality bad.
        let pressed = || {
            let own = |id: fingerpad_sim::BodyId| built.model.bodies()[id.0].name == body.name;
            state.contacts.iter().any(|c| c.mode != ContactMode::Free && (own(c.pair.a) || own(c.pair.b)))
        };
        if plane && body.mobility.is_moved_by_forces() && p.z < -deep && !pressed() {
            return Fate::Wrong(format!("`{}` is {} m below the ground, and {deep} m in radius", body.name, -p.z));
        }
    }
    Fate::Ran
}
