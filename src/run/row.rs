//! # Rows: what a run looks like at one time, and the files it goes into
//!
//! - **in**: model, state, what contacts look like, the ledger
//! - **out**: lines of `bodies.csv`, `contacts.csv`, `energy.csv`, `events.csv`; joints and drives have theirs in `mechanism`
//! - **start at** [`Row`], [`Files`]

use super::mechanism::Tables;
use crate::outcome::{self, Failure, Sheet};
use fingerpad_files::scene::Record;
use fingerpad_sim::{ContactMode, ContactResult, Event, EventKind, Ledger, Model, State};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Names of the energies, as the machine interface and checks have them.
pub use fingerpad_files::scene::OF_ENERGY as ENERGY;

/// A run at one time.
pub struct Row<'a> {
    /// The model.
    pub model: &'a Model,
    /// Its state.
    pub state: &'a State,
    /// What the contacts do, by the forces that the stepper used.
    pub results: &'a [ContactResult],
    /// Energies (J), as [`ENERGY`] names them.
    pub energy: [f64; ENERGY.len()],
    /// |total − total at the start| over the largest energy so far.
    pub ledger_error: f64,
    /// When pairs touched.
    pub touches: &'a [Touches],
}

/// How often and how long two bodies touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touches {
    /// Body A.
    pub a: usize,
    /// Body B.
    pub b: usize,
    /// Touchdowns.
    pub count: u64,
    /// Contacts now.
    pub open: u32,
    /// Time in contact up to the last change (s).
    pub before: f64,
    /// Time of the last change from or to no contact (s).
    pub since: f64,
}

impl Touches {
    /// Time in contact up to a time (s).
    pub fn total(&self, t: f64) -> f64 {
        if self.open > 0 { self.before + (t - self.since) } else { self.before }
    }

    /// How long contacts that ended lasted on average (s).
    pub fn mean(&self) -> Option<f64> {
        let ended = self.count.saturating_sub(u64::from(self.open));
        (ended > 0).then(|| self.before / ended as f64)
    }

    /// Books an event into a list that grows with pairs.
    pub fn book(list: &mut Vec<Touches>, model: &Model, event: &Event) {
        let (a, b) = (model.owner(event.a.0), model.owner(event.b.0));
        let at = list.iter().position(|touch| (touch.a, touch.b) == (a, b)).unwrap_or_else(|| {
            list.push(Touches { a, b, count: 0, open: 0, before: 0.0, since: 0.0 });
            list.len() - 1
        });
        let touch = &mut list[at];
        match event.kind {
            EventKind::On => {
                touch.count += 1;
                touch.open += 1;
                if touch.open == 1 {
                    touch.since = event.time;
                }
            }
            EventKind::Off => {
                touch.before = touch.total(event.time);
                touch.since = event.time;
                touch.open = touch.open.saturating_sub(1);
            }
            _ => {}
        }
    }
}

/// The energies of a ledger by name.
pub fn energies(ledger: &Ledger) -> [f64; ENERGY.len()] {
    [
        ledger.KE,
        ledger.PE,
        ledger.V_normal,
        ledger.V_tangential,
        ledger.E_visc,
        ledger.E_slip,
        ledger.E_release,
        ledger.E_num,
        ledger.E_geo,
        ledger.E_solver,
        ledger.W_injected,
        ledger.modulation,
        ledger.total(),
        ledger.E_painleve,
        ledger.V_drive,
        ledger.V_limit,
        ledger.E_drive,
        ledger.E_joint,
        ledger.E_limit,
        ledger.W_drive,
        ledger.E_inertia,
        ledger.E_project,
    ]
}

/// The tables of a run; each is whole once [`Files::finish`] is through.
pub struct Files {
    bodies: Sheet,
    contacts: Option<Sheet>,
    energy: Sheet,
    events: Sheet,
    mechanism: Tables,
    /// Which bodies have lines of their own.
    shown: Vec<bool>,
    line: String,
    folder: PathBuf,
}

impl Files {
    /// Begins the tables in a folder.
    pub fn new(folder: &Path, record: &Record, model: &Model) -> Result<Self, Failure> {
        let sheet = |name: &str, header: &str| Sheet::new(&folder.join(name), header);
        Ok(Self {
            bodies: sheet(
                "bodies.csv",
                "t [s],body [-],x [m],y [m],z [m],qw [-],qx [-],qy [-],qz [-],vx [m/s],vy [m/s],vz [m/s],wx [rad/s],\
                 wy [rad/s],wz [rad/s]",
            )?,
            contacts: record
                .contacts
                .then(|| {
                    sheet(
                        "contacts.csv",
                        "t [s],a [-],b [-],id [-],mode [-],x [m],y [m],z [m],nx [-],ny [-],nz [-],gap [m],normal [N],\
                         tangential [N],moment [N m],margin [-],patch_a [m],patch_b [m],slip [m],V_normal [J],\
                         V_tangential [J],depth [m],rest_offset [m]",
                    )
                })
                .transpose()?,
            energy: sheet("energy.csv", &format!("t [s],{}", ENERGY.map(|name| format!("{name} [J]")).join(",")))?,
            events: sheet("events.csv", "t [s],a [-],b [-],id [-],from [-],event [-]")?,
            mechanism: Tables::new(folder, model)?,
            shown: model
                .bodies()
                .iter()
                .map(|body| {
                    let wanted = record.bodies.as_ref().is_none_or(|wanted| wanted.contains(&body.name));
                    wanted && body.part_of.is_none()
                })
                .collect(),
            line: String::new(),
            folder: folder.to_path_buf(),
        })
    }

    /// Adds a row to each table.
    pub fn push(&mut self, row: &Row) -> Result<(), Failure> {
        let t = row.state.time;
        let line = &mut self.line;
        for (i, body) in row.model.bodies().iter().enumerate().filter(|(i, _)| self.shown[*i]) {
            let X_WB = row.model.frame(i, &row.state.bodies[i].X_WBcm);
            let (p, q) = (X_WB.translation.vector, X_WB.rotation);
            let V = &row.state.bodies[i].V_WBcm;
            let numbers = [p.x, p.y, p.z, q.w, q.i, q.j, q.k, V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z];
            start(line, t, &[&body.name]);
            add(line, &numbers);
            self.bodies.line(line)?;
        }
        if let Some(sheet) = &mut self.contacts {
            for (contact, view) in row.state.contacts.iter().zip(row.results) {
                // A free contact that overlaps all the same is forgiven, and told.
                if contact.mode == ContactMode::Free && view.depth() == 0.0 {
                    continue;
                }
                let name = |id: usize| row.model.name(id);
                let (p, n) = (view.site.p_WC, view.site.nhat_W);
                start(line, t, &[name(contact.pair.a.0), name(contact.pair.b.0)]);
                let _ = write!(line, ",{},{}", contact.id, contact.doing().name());
                add(line, &[p.x, p.y, p.z, n.x, n.y, n.z, view.gap - view.rest_offset, view.normal.max(0.0)]);
                add(line, &[view.load.xy().norm(), view.load.z.abs(), 1.0 - view.used]);
                match view.patch {
                    Some((a, b)) => add(line, &[a, b]),
                    None => line.push_str(",,"),
                }
                add(line, &[contact.slid, view.V_normal, view.V_tangential, view.depth(), view.rest_offset]);
                sheet.line(line)?;
            }
        }
        start(line, t, &[]);
        add(line, &row.energy);
        self.energy.line(line)?;
        self.mechanism.push(row, line)
    }

    /// Adds events.
    pub fn events(&mut self, model: &Model, events: &[Event]) -> Result<(), Failure> {
        for event in events {
            let name = |id: usize| model.name(id);
            start(&mut self.line, event.time, &[name(event.a.0), name(event.b.0)]);
            let _ = write!(self.line, ",{},{},{}", event.id, event.from.name(), event.kind.name());
            self.events.line(&self.line)?;
        }
        Ok(())
    }

    /// Puts the tables into their places.
    pub fn finish(self) -> Result<(), Failure> {
        self.bodies.finish()?;
        self.energy.finish()?;
        self.events.finish()?;
        self.mechanism.finish()?;
        match self.contacts {
            Some(sheet) => sheet.finish(),
            // One of an earlier run would be taken for this one's.
            None => outcome::remove(&self.folder.join("contacts.csv")),
        }
    }
}

/// A line at a time (s), with names first.
pub(super) fn start(line: &mut String, t: f64, names: &[&str]) {
    line.clear();
    let _ = write!(line, "{t}");
    for name in names {
        line.push(',');
        // Names with commas or quotes go into quotes, as CSV has it.
        if name.contains([',', '"', '\n']) {
            let _ = write!(line, "\"{}\"", name.replace('"', "\"\""));
        } else {
            line.push_str(name);
        }
    }
}

/// Numbers with the fewest digits that give them back; what is not finite is left out.
pub(super) fn add(line: &mut String, numbers: &[f64]) {
    for x in numbers {
        line.push(',');
        if x.is_finite() {
            let _ =
                if *x != 0.0 && !(1e-4..1e15).contains(&x.abs()) { write!(line, "{x:e}") } else { write!(line, "{x}") };
        }
    }
}
