//! # How a command ends: exit codes, stdout that may be closed, files that are whole
//!
//! - **in**: what a command returns, text to print, files to write
//! - **out**: 0 all answered · 1 some record or verdict failed · 2 nothing done · 130 Ctrl-C
//! - **not here**: usage errors (clap ends the program with 2)
//! - **start at** [`exit_code`]

use std::cell::Cell;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every record was answered, every verdict is good.
    AllGood,
    /// Some record carries an error, or some verdict failed.
    SomeFailed,
    /// Ctrl-C; what was done until then is whole.
    Interrupted,
}

impl Outcome {
    /// All good unless something failed.
    pub fn of(failed: usize) -> Self {
        if failed == 0 { Outcome::AllGood } else { Outcome::SomeFailed }
    }
}

/// Why nothing could be done.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

impl Failure {
    /// A failure that names the file it is about.
    pub fn of_file(path: &Path, why: impl std::fmt::Display) -> Self {
        Failure(format!("{}: {why}", path.display()))
    }
}

/// The exit code of a command, after telling stderr why if nothing was done.
pub fn exit_code(result: Result<Outcome, Failure>) -> ExitCode {
    match result {
        Ok(Outcome::AllGood) => ExitCode::SUCCESS,
        Ok(Outcome::SomeFailed) => ExitCode::from(1),
        Ok(Outcome::Interrupted) => ExitCode::from(130),
        Err(failure) => {
            tell(&format!("error: {failure}"));
            ExitCode::from(2)
        }
    }
}

/// Held while a file is being written, so that Ctrl-C waits for the file to be whole.
static WRITING: Mutex<()> = Mutex::new(());

/// Whether a command looks at [`INTERRUPTED`] itself, to stop in order.
static LISTENING: AtomicBool = AtomicBool::new(false);
/// Whether Ctrl-C was pressed while a command listened.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C is for the command to see ([`is_interrupted`]); a second one ends the program.
pub fn listen_for_interrupt() {
    LISTENING.store(true, Ordering::SeqCst);
}

/// Whether Ctrl-C was pressed since the command listens.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Ends the program with 130 on Ctrl-C, after the file being written, if any, is whole.
pub fn exit_130_on_interrupt() {
    // Where no handler can be set the default one ends the program, and shells report 130 all the same.
    let _ = ctrlc::set_handler(|| {
        if LISTENING.load(Ordering::SeqCst) && !INTERRUPTED.swap(true, Ordering::SeqCst) {
            return;
        }
        let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        std::process::exit(130);
    });
}

thread_local! {
    /// Whether a panic on this thread is expected to become an answer.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// A panic is a bug of ours; it is told in one line, without a trace, or not at all where [`guarded`] catches it.
pub fn tell_panics_briefly() {
    std::panic::set_hook(Box::new(|info| {
        if !GUARDED.get() {
            tell(&format!("internal error, please report it: {info}"));
        }
    }));
}

/// Runs one piece of a batch; a panic in it becomes a message, and the rest of the batch goes on.
///
/// Searches run through foreign code (parry's EPA indexes past its end on some inputs): one bad pair must not
/// cost the other thousand.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = GUARDED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    result.map_err(|panic| {
        let words = panic.downcast_ref::<&str>().copied().map(str::to_string);
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        format!("internal error, please report it: {words}")
    })
}

/// Prints to stdout. A reader that has left (`| head`) is no error.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure(format!("cannot write to standard output: {e}"))),
        _ => Ok(()),
    }
}

/// One line on stderr; a closed stderr is no error.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a file whole or not at all: beside its place first, then renamed into it.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes_whole(path, text.as_bytes())
}

/// The same for bytes.
pub fn write_bytes_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let part = part_of(path);
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    written.map_err(|e| {
        let _ = fs::remove_file(&part);
        Failure::of_file(path, format_args!("cannot be written: {e}"))
    })
}

/// Where a file grows before it is whole.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// A table that grows line by line beside its place, and is renamed into it when it is whole.
pub struct Sheet {
    path: PathBuf,
    part: PathBuf,
    out: BufWriter<fs::File>,
}

impl Sheet {
    /// A table with its header.
    pub fn new(path: &Path, header: &str) -> Result<Self, Failure> {
        let part = part_of(path);
        let file =
            fs::File::create(&part).map_err(|e| Failure::of_file(path, format_args!("cannot be written: {e}")))?;
        let mut sheet = Self { path: path.to_path_buf(), part, out: BufWriter::new(file) };
        sheet.line(header)?;
        Ok(sheet)
    }

    /// One more line.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        let written = self.out.write_all(line.as_bytes()).and_then(|()| self.out.write_all(b"\n"));
        written.map_err(|e| Failure::of_file(&self.path, format_args!("cannot be written: {e}")))
    }

    /// Puts the table into its place.
    pub fn finish(mut self) -> Result<(), Failure> {
        let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        let done = self.out.flush().and_then(|()| fs::rename(&self.part, &self.path));
        done.map_err(|e| Failure::of_file(&self.path, format_args!("cannot be written: {e}")))
    }
}

impl Drop for Sheet {
    fn drop(&mut self) {
        // Renamed already, or a run that failed: nothing half-written stays.
        let _ = fs::remove_file(&self.part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panic inside becomes words; afterwards panics are told again.
    #[test]
    fn a_guarded_panic_becomes_a_message() {
        assert_eq!(guarded(|| 3), Ok(3));
        let caught: Result<(), String> = guarded(|| panic!("at {}", 7));
        assert!(caught.unwrap_err().ends_with("at 7") && !GUARDED.get());
    }
}
