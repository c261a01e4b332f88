//! # History: the quantities that checks ask for, row by row
//!
//! - **in**: paths such as `ball.vx`, `contact.slip`, `energy.KE`, `grasp.cup.margin`, `joint.crank.position`; the rows of a run
//! - **out**: their values over time ([`Series`])
//! - **not here**: what is made of them (`fingerpad_files::scene`, expressions)
//! - **start at** [`History::new`], then [`History::push`]

use super::row::Row;
use crate::grasp::checked;
use crate::grasp::touching::Sight;
use fingerpad_files::scene::{OF_BODY, OF_CONTACT, OF_DRIVE, OF_GRASP, OF_IMPEDANCE, OF_JOINT, Series};
use fingerpad_sim::{ContactMode, JointId, Model};

/// Rows of the quantities asked for.
#[derive(Clone, Debug, Default)]
pub struct History {
    times: Vec<f64>,
    columns: Vec<(String, Quantity, Vec<f64>)>,
}

/// What a path means.
#[derive(Clone, Copy, Debug)]
enum Quantity {
    Time,
    LedgerError,
    Mechanical,
    Energy(usize),
    Body(usize, &'static str),
    /// Of the contacts between two bodies, or of all.
    Contact(Option<(usize, usize)>, &'static str),
    /// Of the grasp that holds a body.
    Grasp(usize, &'static str),
    /// Of a drive.
    Drive(usize, &'static str),
    /// Of an impedance.
    Impedance(usize, &'static str),
    /// Of a joint.
    Joint(usize, &'static str),
}

impl History {
    /// For these paths; a path that means nothing is returned as an error.
    pub fn new(model: &Model, paths: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut columns: Vec<(String, Quantity, Vec<f64>)> = Vec::new();
        for path in paths {
            if columns.iter().all(|(known, ..)| *known != path) {
                let quantity = read(model, &path).ok_or_else(|| format!("`{path}` is not a quantity of this scene"))?;
                columns.push((path, quantity, Vec::new()));
            }
        }
        Ok(Self { times: Vec::new(), columns })
    }

    /// Bodies whose grasp is asked for, in the order of the scene.
    pub fn held(&self) -> Vec<usize> {
        let body = |quantity: &Quantity| match quantity {
            Quantity::Grasp(body, _) => Some(*body),
            _ => None,
        };
        let mut bodies: Vec<usize> = self.columns.iter().filter_map(|(_, quantity, _)| body(quantity)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// One more row.
    pub fn push(&mut self, row: &Row) {
        self.times.push(row.state.time);
        for (_, quantity, values) in &mut self.columns {
            values.push(value(*quantity, row));
        }
    }
}

impl Series for History {
    fn times(&self) -> &[f64] {
        &self.times
    }

    fn series(&self, path: &str) -> Option<Vec<f64>> {
        self.columns.iter().find(|(known, ..)| known == path).map(|(.., values)| values.clone())
    }
}

/// What a path means in a model.
fn read(model: &Model, path: &str) -> Option<Quantity> {
    let body = |name: &str| model.bodies().iter().position(|body| body.name == name);
    match path {
        "t" => return Some(Quantity::Time),
        "E" => return Some(Quantity::Mechanical),
        "ledger_error" => return Some(Quantity::LedgerError),
        _ => {}
    }
    let (of, what) = path.rsplit_once('.')?;
    if of == "energy" {
        return super::row::ENERGY.iter().position(|name| *name == what).map(Quantity::Energy);
    }
    if let Some(found) = body(of) {
        return OF_BODY.iter().find(|name| **name == what).map(|name| Quantity::Body(found, name));
    }
    if let Some(joint) = of.strip_prefix("joint.") {
        let found = model.joints().iter().position(|known| known.name == joint)?;
        return OF_JOINT.iter().find(|name| **name == what).map(|name| Quantity::Joint(found, name));
    }
    if let Some(drive) = of.strip_prefix("drive.") {
        if let Some(found) = model.impedances().iter().position(|known| known.name == drive) {
            return OF_IMPEDANCE.iter().find(|name| **name == what).map(|name| Quantity::Impedance(found, name));
        }
        let found = model.drives().iter().position(|known| known.name == drive)?;
        return OF_DRIVE.iter().find(|name| **name == what).map(|name| Quantity::Drive(found, name));
    }
    if let Some(held) = of.strip_prefix("grasp.") {
        let found = body(held)?;
        return OF_GRASP.iter().find(|name| **name == what).map(|name| Quantity::Grasp(found, name));
    }
    let pair = match of.strip_prefix("contact")? {
        "" => None,
        rest => {
            // Names may hold dashes: the one split that gives two bodies.
            let names = rest.strip_prefix('.')?;
            let splits =
                names.match_indices('-').filter_map(|(at, _)| Some((body(&names[..at])?, body(&names[at + 1..])?)));
            Some({ splits }.next()?)
        }
    };
    OF_CONTACT.iter().find(|name| **name == what).map(|name| Quantity::Contact(pair, name))
}

fn value(quantity: Quantity, row: &Row) -> f64 {
    match quantity {
        Quantity::Time => row.state.time,
        Quantity::LedgerError => row.ledger_error,
        Quantity::Mechanical => row.energy[0] + row.energy[1] + row.energy[2] + row.energy[3],
        Quantity::Energy(k) => row.energy[k],
        Quantity::Body(body, what) => of_body(row, body, what),
        Quantity::Contact(pair, what) => of_contacts(row, pair, what),
        Quantity::Joint(joint, what) => {
            let (q, v) = row.model.joint_state(row.state, JointId(joint));
            let of = if what == "velocity" { v } else { q };
            // Joints that do not move stay at zero; of several coordinates the first.
            of.first().copied().unwrap_or(0.0)
        }
        Quantity::Drive(drive, what) => {
            let now = &row.state.drives[drive];
            match what {
                "reference" => row.model.drives()[drive].reference_at(now, row.state.time).0,
                _ => now.last.force,
            }
        }
        Quantity::Impedance(impedance, what) => of_impedance(row, impedance, what),
        Quantity::Grasp(body, what) => {
            checked::value(Sight { model: row.model, state: row.state, views: row.results }, body, what)
        }
    }
}

fn of_body(row: &Row, body: usize, what: &str) -> f64 {
    let X_WB = row.model.frame(body, &row.state.bodies[body].X_WBcm);
    let (p, q) = (X_WB.translation.vector, X_WB.rotation);
    let V = &row.state.bodies[body].V_WBcm;
    let r = q.scaled_axis();
    match what {
        "x" => p.x,
        "y" => p.y,
        "z" | "height" => p.z,
        "qw" => q.w,
        "qx" => q.i,
        "qy" => q.j,
        "qz" => q.k,
        "vx" => V.v.x,
        "vy" => V.v.y,
        "vz" => V.v.z,
        "speed" => V.v.norm(),
        "wx" => V.w.x,
        "wy" => V.w.y,
        "wz" => V.w.z,
        "spin" => V.w.norm(),
        "rx" => r.x,
        "ry" => r.y,
        _ => r.z,
    }
}

fn of_impedance(row: &Row, impedance: usize, what: &str) -> f64 {
    let now = row.model.impedance_now(row.state, impedance);
    let (p, q) = (now.X_WA.translation.vector, now.X_WA.rotation);
    let r = q.scaled_axis();
    match what {
        "qw" => q.w,
        "qx" => q.i,
        "qy" => q.j,
        "qz" => q.k,
        "x" => p.x,
        "y" => p.y,
        "z" => p.z,
        "rx" => r.x,
        "ry" => r.y,
        "rz" => r.z,
        "distance" => now.distance(),
        "angle" => now.angle(),
        // A model has no impedance without springs.
        "force" => row.model.impedances()[impedance].springs[0].stiffness[0] * now.distance(),
        _ => now.stored,
    }
}

fn of_contacts(row: &Row, pair: Option<(usize, usize)>, what: &str) -> f64 {
    let ours = |a: usize, b: usize| {
        let (a, b) = (row.model.owner(a), row.model.owner(b));
        pair.is_none_or(|(i, j)| (a, b) == (i, j) || (a, b) == (j, i))
    };
    let contacts = || {
        let all = row.state.contacts.iter().zip(row.results);
        all.filter(|(contact, _)| ours(contact.pair.a.0, contact.pair.b.0))
    };
    let pressed = || contacts().filter(|(contact, _)| contact.mode != ContactMode::Free);
    // What contacts slid that are gone is known for all pairs together.
    let before = if pair.is_none() { row.state.spent.slid } else { 0.0 };
    let times = || row.touches.iter().filter(|touch| ours(touch.a, touch.b));
    match what {
        "slip" => contacts().map(|(contact, _)| contact.slid).fold(before, f64::max),
        "depth" => contacts().map(|(_, view)| view.depth()).fold(0.0, f64::max),
        "normal" => pressed().map(|(_, view)| view.normal.max(0.0)).sum(),
        "count" => pressed().count() as f64,
        "margin" => pressed().map(|(_, view)| 1.0 - view.used).fold(1.0, f64::min),
        "time" => times().map(|touch| touch.total(row.state.time)).sum(),
        _ => times().map(|touch| touch.count as f64).sum(),
    }
}
