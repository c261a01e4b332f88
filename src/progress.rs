//! # Progress: a line on the terminal while a large mesh is made ready
//!
//! - **in**: stages of `fingerpad_contact` with how much of them is done
//! - **out**: one line on stderr, rewritten ten times a second and wiped in the end; nothing where stderr is no
//!   terminal or the user asked for quiet
//! - **start at** [`Meter`]

use fingerpad_contact::surface::mesh::Stage;
use std::io::{IsTerminal, Write, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Time between two lines.
const PAUSE: Duration = Duration::from_millis(100);

/// Shows how far a mesh is.
#[derive(Debug)]
pub struct Meter {
    name: String,
    shown: bool,
    /// When the line was last written, if it was.
    last: Mutex<Option<Instant>>,
}

impl Meter {
    /// A meter for the mesh of this name.
    pub fn new(name: &str, quiet: bool) -> Self {
        Meter { name: name.to_string(), shown: !quiet && stderr().is_terminal(), last: Mutex::new(None) }
    }

    /// Says that the file is being read.
    pub fn reading(&self) {
        self.write(&format!("{}: reading", self.name));
    }

    /// A watch for the set-up.
    pub fn watch(&self) -> impl Fn(Stage, usize, usize) + Sync + '_ {
        |stage, done, total| self.write_rarely(|| line(&self.name, stage, done, total))
    }

    fn write_rarely(&self, text: impl FnOnce() -> String) {
        // Whoever finds the meter busy has nothing newer to say.
        let recent = || self.last.try_lock().map_or(true, |last| last.is_some_and(|at| at.elapsed() < PAUSE));
        if self.shown && !recent() {
            self.write(&text());
        }
    }

    fn write(&self, text: &str) {
        if self.shown
            && let Ok(mut last) = self.last.lock()
        {
            *last = Some(Instant::now());
            // A terminal that is gone needs no line.
            let _ = write!(stderr(), "\r{text}\x1b[K");
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

fn line(name: &str, stage: Stage, done: usize, total: usize) -> String {
    // Stages told of only at their ends have no share.
    if total > 1 { format!("{name}: {stage} {} %", 100 * done / total) } else { format!("{name}: {stage}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_mesh_stage_and_share() {
        assert_eq!(line("mug.obj", Stage::Fits, 512, 2048), "mug.obj: fits 25 %");
        assert_eq!(line("mug.obj", Stage::Creases, 0, 1), "mug.obj: creases");
    }

    /// Under a test stderr may be a terminal: quiet must hold there too.
    #[test]
    fn a_quiet_meter_writes_nothing() {
        let meter = Meter::new("mug.obj", true);
        meter.reading();
        meter.watch()(Stage::Fits, 1, 2);
        assert!(meter.last.lock().unwrap().is_none());
    }
}
