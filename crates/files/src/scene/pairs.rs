//! # Pairs of a scene: what acts between which bodies
//!
//! - **in**: `[[pair]]`, `[[ignore]]`, materials, bodies
//! - **out**: [`Interactions`] of a model; where each law stands in the file
//! - **not here**: what laws do (`fingerpad_contact::law`)
//! - **start at** [`read`]
//!
//! A pair of bodies has the law of its own `[[pair]]`, else that of the `[[pair]]` of its materials, else what the
//! materials make together: a Hertz patch, or a layer's; friction by pair of materials, else √(μ_A μ_B).

use super::bodies::ReadBody;
use super::error::{Problem, Span};
use super::keys;
use super::materials::{Materials, NamedMaterial};
use super::robots::Touching;
use super::section::{Problems, Range, Section};
use super::tree::{Node, Value};
use crate::units::Dimension;
use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_contact::material::{self, Theory};
use fingerpad_sim::{BodyId, Interactions, LawId, Pair, PairLaw, Places};
use std::collections::HashSet;

/// Keys that only raw constants have.
const RAW: [&str; 5] = ["n", "k_t", "k_theta", "e_n", "alpha"];

/// What a `[[pair]]` or `[[ignore]]` is between.
enum Between {
    Bodies(usize, usize),
    Materials(usize, usize),
}

/// Interactions, and the place of each law in the file.
#[derive(Default)]
pub(crate) struct ReadPairs {
    pub interactions: Interactions,
    pub spans: Vec<Span>,
    /// Restitution of rigid contacts by law, where a pair says it.
    pub restitution: Vec<Option<f64>>,
    pub warnings: Vec<String>,
}

/// Everything that a pair may name.
pub(crate) struct Known<'a> {
    /// Bodies that share a joint, the lower first.
    pub joined: &'a HashSet<(usize, usize)>,
    /// What robots say of their own links.
    pub robots: &'a Touching,
    pub materials: &'a Materials,
    pub bodies: &'a [ReadBody],
    pub problems: &'a Problems,
}

/// Reads all pairs and fills in what the materials say.
pub(crate) fn read(pairs: &[Node], ignored: &[Node], known: &Known) -> ReadPairs {
    let mut out = ReadPairs::default();
    let count = known.materials.list.len();
    out.interactions.table = vec![vec![None; count + 1]; count + 1];
    let mut settled = vec![vec![false; count + 1]; count + 1];
    for (i, node) in pairs.iter().enumerate() {
        let whose = format!("of pair {}", i + 1);
        let Some(section) = Section::new(node, keys::PAIR, &whose, known.problems) else { continue };
        let Some(between) = between(&section, known) else { continue };
        for between in known.each(between) {
            one(&section, between, known, &mut out, &mut settled);
        }
    }
    for (i, node) in ignored.iter().enumerate() {
        let whose = format!("of ignored pair {}", i + 1);
        let Some(section) = Section::new(node, keys::IGNORE, &whose, known.problems) else { continue };
        let Some(between) = between(&section, known) else { continue };
        for between in known.each(between) {
            ignore(&section, between, &mut out, &mut settled);
        }
    }
    for pair in &known.robots.apart {
        out.interactions.exceptions.entry((BodyId(pair.0), BodyId(pair.1))).or_insert(None);
    }
    // Where bodies or materials could not be read, what they lack is told already.
    if known.problems.is_empty() {
        by_material(&mut out, &mut settled, known);
    }
    for &(i, j) in &known.robots.forced {
        let [a, b] = [i, j].map(|k| known.bodies[k].body.class);
        let pair = out.interactions.between(BodyId(i), BodyId(j), a, b);
        out.interactions.exceptions.entry((BodyId(i), BodyId(j))).or_insert(pair);
    }
    out
}

impl Known<'_> {
    /// The surfaces that two names stand for: links of robots have several, materials of pads their layers.
    fn each(&self, between: Between) -> Vec<Between> {
        let surfaces = |of: usize| {
            let part = move |k: &usize| self.bodies[*k].body.part_of.is_some_and(|owner| owner.0 == of);
            let parts: Vec<usize> = (0..self.bodies.len()).filter(part).collect();
            if self.bodies[of].body.touches || parts.is_empty() { [vec![of], parts].concat() } else { parts }
        };
        match between {
            Between::Bodies(a, b) => {
                let (of_a, of_b) = (surfaces(a), surfaces(b));
                of_a.iter().flat_map(|a| of_b.iter().map(|b| Between::Bodies(*a, *b))).collect()
            }
            Between::Materials(a, b) => {
                let mut all: Vec<(usize, usize)> = Vec::new();
                for a in self.materials.alike(a) {
                    for b in self.materials.alike(b) {
                        if !all.contains(&(b, a)) {
                            all.push((a, b));
                        }
                    }
                }
                all.into_iter().map(|(a, b)| Between::Materials(a, b)).collect()
            }
        }
    }
}

/// A `[[pair]]` between two surfaces or two materials.
fn one(section: &Section, between: Between, known: &Known, out: &mut ReadPairs, settled: &mut [Vec<bool>]) {
    let material = |m: Option<usize>| m.map(|m| &known.materials.list[m]);
    let (a, b) = match between {
        Between::Bodies(a, b) => (material(known.bodies[a].material), material(known.bodies[b].material)),
        Between::Materials(a, b) => (material(Some(a)), material(Some(b))),
    };
    let before = known.problems.count();
    let law = law(section, a, b, known.materials);
    let unsaid = ["friction", "mu", "k"].iter().all(|key| !section.has(key));
    if let (Some(PairLaw { law: ContactLaw { friction: Friction::None, .. }, .. }), Some(a), Some(b)) = (&law, a, b)
        && unsaid
    {
        out.warnings.push(frictionless(&a.name, &b.name));
    }
    let restitution = restitution(section);
    let id = law.map(|law| out.add(law, section.span().clone(), restitution));
    if id.is_none() && known.problems.count() == before {
        section.lacks("this pair has no law");
    }
    match between {
        Between::Bodies(a, b) => {
            let key = (BodyId(a.min(b)), BodyId(a.max(b)));
            let pair = id.map(|law| Pair { a: BodyId(a), b: BodyId(b), law });
            if out.interactions.exceptions.insert(key, pair).is_some() {
                section.lacks("this pair of bodies has a law already");
            }
        }
        Between::Materials(a, b) => {
            if settled[a][b] {
                section.lacks("this pair of materials has a law already");
            }
            out.interactions.table[a][b] = id;
            (settled[a][b], settled[b][a]) = (true, true);
        }
    }
}

/// An `[[ignore]]` of two surfaces or two materials.
fn ignore(section: &Section, between: Between, out: &mut ReadPairs, settled: &mut [Vec<bool>]) {
    match between {
        Between::Bodies(a, b) => {
            let key = (BodyId(a.min(b)), BodyId(a.max(b)));
            if let Some(Some(_)) = out.interactions.exceptions.insert(key, None) {
                section.lacks("this pair has a law in a [[pair]] and is ignored here");
            }
        }
        Between::Materials(a, b) => {
            if settled[a][b] {
                section.lacks("this pair has a law in a [[pair]] and is ignored here");
            }
            out.interactions.table[a][b] = None;
            (settled[a][b], settled[b][a]) = (true, true);
        }
    }
}

impl ReadPairs {
    fn add(&mut self, law: PairLaw, span: Span, restitution: Option<f64>) -> LawId {
        self.interactions.laws.push(law);
        self.spans.push(span);
        self.restitution.push(restitution);
        LawId(self.interactions.laws.len() - 1)
    }
}

/// Restitution of rigid contacts, as a pair or the solver says it.
pub(crate) fn restitution(section: &Section) -> Option<f64> {
    let range = Range::Within(-f64::MIN_POSITIVE, 1.0, "from 0 to 1");
    section.quantity("restitution", "`restitution`", Dimension::Number, range)
}

/// Laws of materials for bodies that can meet and have no law yet.
fn by_material(out: &mut ReadPairs, settled: &mut [Vec<bool>], known: &Known) {
    let bodies = known.bodies;
    let nothing = known.materials.list.len();
    for j in 0..bodies.len() {
        for i in 0..j {
            let moved = [i, j].iter().any(|k| bodies[*k].body.mobility.is_moved_by_forces());
            let (a, b) = (bodies[i].body.class, bodies[j].body.class);
            let told = out.interactions.exceptions.contains_key(&(BodyId(i), BodyId(j)));
            let touch = bodies[i].body.touches && bodies[j].body.touches;
            // Bodies that share a joint do not touch.
            let joined = known.joined.contains(&(i, j));
            if !moved || settled[a][b] || told || joined || !touch {
                continue;
            }
            (settled[a][b], settled[b][a]) = (true, true);
            let names = (&bodies[i].body.name, &bodies[j].body.name);
            if a == nothing || b == nothing {
                let (lacking, other) = if b == nothing { (j, names.0) } else { (i, names.1) };
                let told = |name: &str| name.split('#').next().unwrap_or_default().to_string();
                let (lacks, other) = (told(&bodies[lacking].body.name), told(other));
                let message = format!("nothing says what happens where `{lacks}` touches `{other}`");
                let problem = Problem::new(bodies[lacking].span.clone(), message);
                let note = match bodies[lacking].place_of_link {
                    Some(_) => "name its material in `materials` of the robot (`default` stands for all links)",
                    None => "give it a `material`, or write a [[pair]] or [[ignore]] of these bodies",
                };
                known.problems.push(problem.note(note));
                continue;
            }
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            let (first, second) = (&known.materials.list[a], &known.materials.list[b]);
            let span = first.span.clone();
            match material::pair(&first.material, &second.material, Theory::Auto) {
                Ok(made) => {
                    let mu = friction(first, second, known.materials, made.friction);
                    if mu.is_none() {
                        out.warnings.push(frictionless(&first.name, &second.name));
                    }
                    let damping = Damping {
                        hunt_crossley: made.hunt_crossley,
                        normal: damping_of(first, second, made.alpha),
                        ..Damping::default()
                    };
                    let law = ContactLaw {
                        stiffness: Stiffness::Patch(made.theory),
                        damping,
                        friction: coulomb(mu.unwrap_or(0.0)),
                        partial: None,
                    };
                    let id = out.add(PairLaw { law, alpha: made.alpha, places: Places::All }, span, None);
                    out.interactions.table[a][b] = Some(id);
                }
                Err(error) => {
                    let label = format!("and of material `{}`, where `{}` touches `{}`", second.name, names.0, names.1);
                    let problem = Problem::new(span, error.to_string()).label(label);
                    known
                        .problems
                        .push(problem.note("give `young` and `poisson`, a `layer`, or a [[pair]] with constants"));
                }
            }
        }
    }
}

fn frictionless(a: &str, b: &str) -> String {
    format!("`{a}` and `{b}` slide without friction: not both materials give `friction`, nor does a [[pair]]")
}

fn coulomb(mu: f64) -> Friction {
    if mu > 0.0 { Friction::Coulomb { mu } } else { Friction::None }
}

/// Friction of two materials: of the pair, else √(μ_A μ_B) if either says any.
fn friction(a: &NamedMaterial, b: &NamedMaterial, materials: &Materials, mean: f64) -> Option<f64> {
    let own = materials.friction.get(&a.name, &b.name);
    own.or((a.has_friction && b.has_friction).then_some(mean))
}

/// Dampers in series, each by the power it takes at its share of the rate.
fn damping_of(a: &NamedMaterial, b: &NamedMaterial, alpha: f64) -> f64 {
    alpha * alpha * a.kelvin_voigt + (1.0 - alpha) * (1.0 - alpha) * b.kelvin_voigt
}

fn between(section: &Section, known: &Known) -> Option<Between> {
    section.not_both("materials", "bodies");
    let two = |node: &Node| match &node.value {
        Value::List(list) if list.len() == 2 => Some([list[0].clone(), list[1].clone()]),
        _ => {
            section.wrong(node, "expected a list of two names");
            None
        }
    };
    if let Some(node) = section.get("bodies") {
        let [a, b] = two(node)?;
        let names: Vec<&str> = known.bodies.iter().map(|body| body.body.name.as_str()).collect();
        let (a, b) = (body_named(&a, &names, section), body_named(&b, &names, section));
        let (a, b) = (a?, b?);
        if a == b {
            section.wrong(node, "a body does not touch itself: expected two bodies");
            return None;
        }
        return Some(Between::Bodies(a, b));
    }
    if let Some(node) = section.get("materials") {
        let [a, b] = two(node)?;
        let (a, b) = (known.materials.named(&a, section), known.materials.named(&b, section));
        return Some(Between::Materials(a?, b?));
    }
    section.lacks("missing key `materials` or `bodies`: the two that this is between");
    None
}

/// The body that a text names.
pub(crate) fn body_named(node: &Node, names: &[&str], section: &Section) -> Option<usize> {
    let Value::Text(name) = &node.value else {
        section.wrong(node, format!("expected the name of a body, got {}", node.kind()));
        return None;
    };
    let found = names.iter().position(|known| known == name);
    if found.is_none() {
        section.problems().no_such("body", name, &node.span, names, section.whose);
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Stick,
    Coulomb,
    Exact,
}

/// The law of a `[[pair]]`: raw constants, or what the materials make with some of it replaced.
fn law(section: &Section, a: Option<&NamedMaterial>, b: Option<&NamedMaterial>, all: &Materials) -> Option<PairLaw> {
    let not_negative = |key: &str, dimension| section.quantity(key, &format!("`{key}`"), dimension, Range::NotNegative);
    let known = [("all", Places::All), ("points", Places::Points), ("closest", Places::Closest)];
    let places = section.choice("places", &known).unwrap_or_default();
    let raw = section.has("k");
    if !raw {
        for key in RAW.iter().filter_map(|key| section.entry(key)) {
            let message = format!("`{}` is one of the constants that go with `k`; missing key `k`", key.key);
            section.problems().push(Problem::new(key.key_span.clone(), message).label(section.whose));
        }
    } else {
        section.not_both("k", "theory");
    }
    let together = match (a, b) {
        (Some(a), Some(b)) if !raw => {
            let theories = [
                ("auto", Theory::Auto),
                ("hertz", Theory::Hertz),
                ("layer", Theory::Foundation),
                ("winkler", Theory::Foundation),
            ];
            let theory = section.choice("theory", &theories).unwrap_or_default();
            let made = material::pair(&a.material, &b.material, theory);
            Some(made.map_err(|error| section.lacks(error.to_string())).ok()?)
        }
        _ => None,
    };
    let (kind, mu) = friction_of(section);
    let mu = mu.or_else(|| match (a, b, together) {
        (Some(a), Some(b), Some(made)) => friction(a, b, all, made.friction),
        _ => None,
    });
    let damping = Damping {
        hunt_crossley: not_negative("c_hc", Dimension::Dissipation)
            .unwrap_or_else(|| together.map_or(0.0, |made| made.hunt_crossley)),
        normal: not_negative("b_kv", Dimension::Damping).unwrap_or_else(|| match (a, b, together) {
            (Some(a), Some(b), Some(made)) => damping_of(a, b, made.alpha),
            _ => 0.0,
        }),
        tangential: not_negative("b_t", Dimension::Damping).unwrap_or(0.0),
        torsional: not_negative("b_theta", Dimension::TorsionalDamping).unwrap_or(0.0),
    };
    let friction = match (kind, mu) {
        (Some(Kind::None), _) => Friction::None,
        (Some(Kind::Stick), _) => Friction::Sticks,
        (Some(Kind::Exact), Some(mu)) if mu > 0.0 => Friction::Exact { mu },
        (Some(Kind::Exact | Kind::Coulomb), None) => {
            section.lacks("missing key `mu`: this friction needs a coefficient");
            return None;
        }
        (None, None) if raw && ["k_t", "k_theta"].iter().any(|key| section.has(key)) => {
            section.lacks(
                "missing key `mu` or `friction`: springs along the patch need a limit, or `friction = \"stick\"`",
            );
            return None;
        }
        (_, mu) => coulomb(mu.unwrap_or(0.0)),
    };
    if !matches!(friction, Friction::None | Friction::Sticks) && (damping.tangential > 0.0) != (damping.torsional > 0.0)
    {
        let (given, missing) = if damping.tangential > 0.0 { ("b_t", "b_theta") } else { ("b_theta", "b_t") };
        let why =
            "a load beyond the friction limit slips at the rate that its dampers allow, along the patch and about it";
        section.lacks(format!("`{given}` without `{missing}`: give both or none; {why}"));
        return None;
    }
    let springs = ["k_t", "k_theta"].iter().any(|key| section.has(key));
    if raw && !springs && !matches!(friction, Friction::None) {
        section.lacks("missing key `k_t`: friction acts through a spring along the patch");
        return None;
    }
    let (stiffness, alpha) = match together {
        Some(made) => (Stiffness::Patch(made.theory), made.alpha),
        None if raw => {
            let constants = constants(section)?;
            let share = Range::Within(-f64::MIN_POSITIVE, 1.0, "from 0 to 1");
            let alpha = section.quantity("alpha", "`alpha`", Dimension::Number, share);
            (Stiffness::Constants(constants), alpha.unwrap_or(0.5))
        }
        None => {
            section.lacks("missing key `k`: a pair of bodies without materials needs constants");
            return None;
        }
    };
    Some(PairLaw { law: ContactLaw { stiffness, damping, friction, partial: None }, alpha, places })
}

/// `friction` as a number or a word, and `mu`.
fn friction_of(section: &Section) -> (Option<Kind>, Option<f64>) {
    let mut mu = section.quantity("mu", "`mu`", Dimension::Number, Range::NotNegative);
    let words = [("none", Kind::None), ("stick", Kind::Stick), ("coulomb", Kind::Coulomb), ("exact", Kind::Exact)];
    let kind = match section.get("friction") {
        Some(node) if matches!(node.value, Value::Text(_)) => section.choice_of(node, "friction", &words),
        Some(node) => {
            section.not_both("friction", "mu");
            mu = section.quantity_of(node, "friction", Dimension::Number, Range::NotNegative);
            None
        }
        None => None,
    };
    (kind, mu)
}

fn constants(section: &Section) -> Option<Constants> {
    section.require("n");
    let power = Range::Within(1.0 - f64::EPSILON, 10.0, "from 1 to 10");
    let n = section.quantity("n", "`n`", Dimension::Number, power)?;
    let k = section.quantity("k", "`k`", Dimension::Stiffness { n }, Range::Positive)?;
    let not_negative = |key: &str, dimension| {
        let value = section.quantity(key, &format!("`{key}`"), dimension, Range::NotNegative);
        value.unwrap_or(0.0)
    };
    Some(Constants {
        k,
        n,
        k_t: not_negative("k_t", Dimension::Stiffness { n: 1.0 }),
        k_theta: not_negative("k_theta", Dimension::TorsionalStiffness),
        e_n: not_negative("e_n", Dimension::Length),
    })
}
