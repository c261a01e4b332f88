//! # Answers about one grasp
//!
//! `read` ──([`Question`])──▶ **here** ──([`Answered`])──▶ `text`, `picture`, JSON
//!
//! - **in**: a question and what is wanted
//! - **out**: closure, grip, pushes, task, epsilon, volume, gradients, passive pushes; as values and as JSON
//! - **not here**: how they are computed (`fingerpad_grasp`)
//! - **start at** [`answered`]

use super::read::Question;
use fingerpad_grasp::{
    Certify, Closure, ContactGradient, DEFAULT_LIMIT, Epsilon, GRASPIT_LOAD, Grasp, Grip, GripError, Least,
    LiveOptions, Norm, Passive, PassiveOptions, Push, Screw, Solver, Twist, Volume, Wrench, best_found, closure,
    epsilon, epsilon_gradient, frozen_grip, graspit, graspit_patch, largest_push, least_grip, margin_gradient,
    passive_push, preload, task_scale, volume,
};
use serde_json::{Map, Value, json};

/// What is wanted of every grasp.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What the loads shown have least.
    pub least: Least,
    /// Epsilon with the sum of normal forces, with each of them, volume.
    pub metrics: [bool; 3],
    /// Relative gap of the certified bound.
    pub certify: f64,
    /// Frozen patches beside live ones.
    pub frozen: Option<FrozenAt>,
    /// GraspIt!'s epsilon beside ours.
    pub sampled: bool,
    /// Pushes with motors still, pressed with this force (N).
    pub passive: Option<f64>,
    /// Derivatives of epsilon and margin.
    pub gradients: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            least: Least::Max,
            metrics: [true, true, false],
            certify: 0.05,
            frozen: None,
            sampled: false,
            passive: None,
            gradients: false,
        }
    }
}

/// How patches are frozen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FrozenAt {
    /// As under this load (N).
    Load(f64),
    /// With this e_n (m).
    EN(f64),
}

impl FrozenAt {
    /// In words.
    pub fn words(self) -> String {
        match self {
            FrozenAt::Load(load) => format!("frozen at {} N", crate::cli::table::short(load)),
            FrozenAt::EN(e_n) => format!("frozen with e_n {} mm", crate::cli::table::short(1e3 * e_n)),
        }
    }
}

/// What frozen patches would say.
#[derive(Clone, Copy, Debug)]
pub struct Frozen {
    /// How they are frozen.
    pub at: FrozenAt,
    /// Whether the grasp is closed.
    pub closed: bool,
    /// Epsilon by both norms, best found; 0 where it is not closed.
    pub epsilon: [f64; 2],
    /// The least largest normal force (N).
    pub grip: Option<f64>,
}

fn freeze(question: &Question, at: FrozenAt, solver: &mut Solver) -> Frozen {
    let grasp = match at {
        FrozenAt::Load(load) => question.grasp.frozen_at(load),
        FrozenAt::EN(e_n) => question.grasp.frozen_with(e_n),
    };
    let closed = closure(&grasp, solver).closed;
    let value = |norm| if closed { best_found(&grasp, norm).map_or(0.0, |(value, _)| value) } else { 0.0 };
    let hand = question.hand.as_ref();
    // The load does not matter any more: the patches are frozen.
    let grip = question.wrench.as_ref().and_then(|w| frozen_grip(&grasp, hand, w, Least::Max, 1.0, solver));
    Frozen { at, closed, epsilon: [value(Norm::L1), value(Norm::Linf)], grip }
}

/// Everything found about one grasp.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Closed or not.
    pub closure: Closure,
    /// Least largest, least summed normal force, and the goal that was chosen; none without a wrench.
    pub grips: Option<[Result<Grip, GripError>; 3]>,
    /// Least largest normal force with patches frozen at 60 N, beside live patches (N).
    pub at_default: Option<Option<f64>>,
    /// With patches frozen as asked.
    pub frozen: Option<Frozen>,
    /// Epsilon by both norms; none where not asked or not closed.
    pub epsilon: [Option<Epsilon>; 2],
    /// Volume by both norms.
    pub volume: [Option<Volume>; 2],
    /// GraspIt!'s epsilon by both norms.
    pub graspit: Option<[Option<Epsilon>; 2]>,
    /// Pushes along the directions.
    pub pushes: Vec<Push>,
    /// Scales of the task.
    pub task: Vec<Push>,
    /// Passive pushes along the directions; none where the grasp cannot be pressed so.
    pub passive: Option<Vec<Option<Passive>>>,
    /// Derivatives of the margin, and of epsilon by both norms.
    pub gradients: [Option<Vec<ContactGradient>>; 3],
    /// What the reader should know.
    pub warnings: Vec<String>,
}

/// Asks everything that is wanted.
pub fn answered(question: &Question, wanted: &Wanted) -> Answered {
    let Question { grasp, hand, wrench, .. } = question;
    let (mut solver, options) = (Solver::default(), LiveOptions::default());
    let hand = hand.as_ref();
    let mut warnings = grasp.warnings.clone();
    let closure = closure(grasp, &mut solver);
    if closure.stalled {
        warnings.push(format!("the closure program ended early, residual {:.1e}", closure.grade.worst()));
    }
    if grasp.lives() {
        let without = grasp.contacts.iter().filter(|c| c.limit.is_none() && c.patch.lives()).count();
        let loads = if without == 0 { "their limits" } else { "their limits, or at 60 N where a contact has none" };
        warnings.push(format!("closure and epsilon take patches that live with the load at {loads}"));
    }
    let mut ask = |least: Least| wrench.as_ref().map(|w| least_grip(grasp, hand, w, least, options, &mut solver));
    let grips = match (ask(Least::Max), ask(Least::Sum)) {
        (Some(max), Some(sum)) => {
            let chosen = match wanted.least {
                Least::Max => max.clone(),
                Least::Sum => sum.clone(),
                Least::Energy => ask(Least::Energy).unwrap_or(Err(GripError::NotFound)),
            };
            Some([max, sum, chosen])
        }
        _ => None,
    };
    for (grip, name) in grips.iter().flatten().zip(["largest", "summed", "chosen"]) {
        match grip {
            Ok(grip) if !grip.certified => warnings.push(format!(
                "least {name} normal force: bound {:.6e} N is below the value {:.6e} N by more than 1e-6 after {} boxes",
                grip.at_least, grip.value, grip.nodes
            )),
            Err(GripError::NotFound) => warnings.push(format!("least {name} normal force: neither loads nor a proof found")),
            _ => {}
        }
    }
    let at_default = wrench.as_ref().filter(|_| grasp.lives());
    let at_default = at_default.map(|w| frozen_grip(grasp, hand, w, Least::Max, DEFAULT_LIMIT, &mut solver));
    let frozen = wanted.frozen.map(|at| freeze(question, at, &mut solver));
    let certify = Certify { gap: wanted.certify, ..Certify::default() };
    let norms = [Norm::L1, Norm::Linf];
    let metric = |k: usize| (wanted.metrics[k] && closure.closed).then(|| epsilon(grasp, norms[k], certify)).flatten();
    let found = [metric(0), metric(1)];
    for (e, name) in found.iter().zip(["L1", "L∞"]) {
        if let Some(e) = e.as_ref().filter(|e| !e.certified) {
            warnings.push(format!("epsilon {name} is certified to {:.1} % only", 100.0 * (1.0 - e.at_least / e.value)));
        }
    }
    let volume_of = |k: usize| {
        let asked = wanted.metrics[2] && wanted.metrics[k] && closure.closed;
        asked.then(|| volume(grasp, norms[k], 0.05, 200_000)).flatten()
    };
    let volumes = [volume_of(0), volume_of(1)];
    let sampled = wanted.sampled.then(|| {
        let e_n: Vec<f64> = grasp.contacts.iter().map(|c| graspit_patch(&c.patch)).collect();
        norms.map(|norm| graspit(grasp, &e_n, norm))
    });
    let there = wrench.unwrap_or_default();
    let pushes: Vec<Push> =
        question.directions.iter().map(|d| largest_push(grasp, hand, &there, d, options, &mut solver)).collect();
    let task = task_scale(grasp, hand, &question.task, options, &mut solver);
    if pushes.iter().chain(&task).any(|p| matches!(p, Push::Unlimited)) {
        warnings.push("some push has no end: no limit bounds the loads that resist it".to_string());
    }
    let passive: Option<Vec<Option<Passive>>> = wanted.passive.and_then(|force| {
        let options = PassiveOptions { preload: force, stiffness: question.stiffness.clone() };
        let pressed = preload(grasp, &closure, &options)?;
        Some(question.directions.iter().map(|d| passive_push(grasp, &pressed, &there, d)).collect())
    });
    if wanted.passive.is_some() && passive.is_none() {
        warnings.push("passive: internal loads do not press every contact inside its friction limit".to_string());
    }
    if let (Some(force), Some(all)) = (wanted.passive, &passive)
        && all.iter().any(Option::is_none)
    {
        let force = crate::cli::table::short(force);
        warnings.push(format!("passive: pressed with {force} N the grasp does not hold the wrench that is there"));
    }
    let gradient = |k: usize| found[k].as_ref().map(|e| epsilon_gradient(grasp, e, norms[k]));
    let gradients = match wanted.gradients {
        true => [margin_gradient(grasp, &closure), gradient(0), gradient(1)],
        false => [None, None, None],
    };
    Answered {
        closure,
        grips,
        at_default,
        frozen,
        epsilon: found,
        volume: volumes,
        graspit: sampled,
        pushes,
        task,
        passive,
        gradients,
        warnings,
    }
}

fn vector(v: &Twist) -> Value {
    json!(v.as_slice())
}

/// The motion that nothing resists: along the opposite of the proof.
pub fn unresisted(proof: &Twist, grasp: &Grasp) -> Screw {
    Screw::of(&-proof, &grasp.reference, grasp.torque_length)
}

fn gradients(all: &[ContactGradient]) -> Value {
    let one = |g: &ContactGradient| json!({"point": g.point.as_slice(), "normal": g.normal.as_slice(), "friction": g.friction, "e_n": g.e_n});
    all.iter().map(one).collect()
}

impl Answered {
    /// Loads that the chosen goal has least.
    pub fn loads(&self) -> Option<&[[f64; 4]]> {
        let grip = self.grips.as_ref()?[2].as_ref().ok()?;
        Some(&grip.loads)
    }

    /// What each finger presses in all with these loads (N), where one has several contacts.
    pub fn by_finger<'a>(&self, question: &'a Question) -> Option<Vec<(&'a str, f64)>> {
        let mut all: Vec<(&str, f64)> = Vec::new();
        for (finger, load) in question.fingers.iter().zip(self.loads()?) {
            match all.iter_mut().find(|(name, _)| name == finger) {
                Some((_, sum)) => *sum += load[0],
                None => all.push((finger, load[0])),
            }
        }
        (all.len() < question.fingers.len()).then_some(all)
    }

    /// Why the wrench is not held: a twist.
    pub fn not_held(&self) -> Option<&Twist> {
        match self.grips.as_ref()?[0].as_ref() {
            Err(GripError::Impossible(twist)) => twist.as_ref(),
            _ => None,
        }
    }

    /// The keys of `expected`.
    pub fn to_json(&self, question: &Question, wanted: &Wanted) -> Map<String, Value> {
        let grasp = &question.grasp;
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| drop(out.insert(key.to_string(), value));
        put("margin", json!(self.closure.margin));
        put("rank", json!(self.closure.rank));
        put("force_closure", json!(self.closure.closed));
        put("torque_length", json!(grasp.torque_length));
        for (k, name) in ["l1", "linf"].into_iter().enumerate().filter(|(k, _)| wanted.metrics[*k]) {
            match &self.epsilon[k] {
                Some(e) => {
                    put(&format!("epsilon_{name}"), json!(e.value));
                    put(&format!("epsilon_{name}_certified_at_least"), json!(e.at_least));
                    put(&format!("worst_direction_{name}"), vector(&e.direction));
                }
                None => put(&format!("epsilon_{name}"), json!(0.0)),
            }
            if let Some(v) = &self.volume[k] {
                put(&format!("volume_{name}"), json!({"at_least": v.at_least, "at_most": v.at_most}));
            }
            if let Some(all) = &self.graspit {
                let value = all[k].as_ref().map(|e| e.value);
                put(&format!("graspit_epsilon_{name}"), json!(value));
            }
        }
        if let Some(twist) = &self.closure.proof {
            put("proof_twist", vector(twist));
            let words = unresisted(twist, grasp).words(grasp.torque_length);
            put("proof", json!(format!("nothing resists {words}")));
        }
        if let Some([max, sum, chosen]) = &self.grips {
            let value = |grip: &Result<Grip, GripError>| grip.as_ref().ok().map(|g| g.value);
            put("least_max_normal", json!(value(max)));
            put("least_sum_normal", json!(value(sum)));
            put("holds", json!(max.is_ok()));
            let status = match max {
                Ok(_) => "Solved",
                Err(GripError::Impossible(_)) => "PrimalInfeasible",
                Err(GripError::NotFound) => "NotFound",
            };
            put("status", json!(status));
            if wanted.least == Least::Energy {
                put("least_energy", json!(value(chosen)));
            }
            if let Ok(grip) = max {
                put("certified_at_least", json!(grip.at_least));
                put("nodes", json!(grip.nodes));
            }
            if let Ok(grip) = chosen {
                put("forces", json!(grip.loads));
                if let Some(all) = self.by_finger(question) {
                    put("by_finger", all.into_iter().map(|(finger, sum)| (finger.to_string(), json!(sum))).collect());
                }
                put("residual", json!(grip.residual));
                if let Some(hand) = &question.hand {
                    put("joint_torques", json!(hand.torques(&grip.loads)));
                }
            }
            if let Some(twist) = self.not_held() {
                put("not_held_twist", vector(twist));
            }
        }
        if let Some(grip) = &self.at_default {
            put("frozen_at_limit_60N", json!(grip));
        }
        if let Some(frozen) = &self.frozen {
            let mut parts = json!({"force_closure": frozen.closed, "least_max_normal": frozen.grip,
                "epsilon_l1": frozen.epsilon[0], "epsilon_linf": frozen.epsilon[1]});
            match frozen.at {
                FrozenAt::Load(load) => parts["load"] = json!(load),
                FrozenAt::EN(e_n) => parts["e_n"] = json!(e_n),
            }
            put("frozen", parts);
        }
        let values = |all: &[Push]| all.iter().map(|p| json!(p.value())).collect::<Vec<Value>>();
        if !self.pushes.is_empty() {
            put("largest_push", json!(values(&self.pushes)));
        }
        if let Some(passive) = &self.passive {
            let part =
                |f: fn(&Passive) -> Option<f64>| passive.iter().map(|p| p.as_ref().and_then(f)).collect::<Vec<_>>();
            put("passive_first_slip", json!(part(|p| Some(p.first_slip))));
            put("passive_lost", json!(part(|p| p.lost)));
        }
        if !self.task.is_empty() {
            put("task_scales", json!(values(&self.task)));
            let least = self.task.iter().map(Push::value).collect::<Option<Vec<f64>>>();
            put("task_scale", json!(least.map(|all| all.into_iter().fold(f64::INFINITY, f64::min))));
        }
        for (all, name) in self.gradients.iter().zip(["margin", "epsilon_l1", "epsilon_linf"]) {
            if let Some(all) = all {
                put(&format!("gradient_{name}"), gradients(all));
            }
        }
        out
    }
}

/// What GraspIt! assumes, in words.
pub fn graspit_words() -> String {
    format!("patches of {GRASPIT_LOAD} N at every contact, friction sampled at 20 points")
}

/// A wrench for words: which of ±x … about ±z it is, else its numbers.
pub fn direction_name(d: &Wrench) -> String {
    let names = ["x", "y", "z", "turn x", "turn y", "turn z"];
    for k in 0..6 {
        let others = (0..6).filter(|j| *j != k).all(|j| d[j] == 0.0);
        if others && d[k] != 0.0 {
            return format!("{}{}", if d[k] > 0.0 { "+" } else { "-" }, names[k]);
        }
    }
    format!("({})", d.iter().map(|x| crate::cli::table::short(*x)).collect::<Vec<_>>().join(", "))
}
