//! # How a command ends: exit codes, stdout that may be closed, files that are whole
//!
//! - **in**: what a command returns, text to print, files to write
//! - **out**: 0 all answered · 1 some record or verdict failed · 2 nothing done · 130 Ctrl-C or SIGTERM
//! - **not here**: usage errors (clap ends the program with 2)
//! - **start at** [`exit_code`]

use fingerpad_files::input;
use std::cell::Cell;
use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

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

/// Time that a command has to end in order after Ctrl-C, before [`rescue_with`] acts for it.
const PATIENCE: Duration = Duration::from_millis(600);

type Rescue = Box<dyn FnOnce() + Send>;

/// How to end in order while the command is deep in a computation that does not look at [`is_interrupted`].
static RESCUE: Mutex<Option<Rescue>> = Mutex::new(None);

/// Says how to end in order where the command does not answer to Ctrl-C in time. It acts on the thread of the signal;
/// the program ends behind it.
pub fn rescue_with(rescue: impl FnOnce() + Send + 'static) {
    *RESCUE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(rescue));
}

/// The command ends in order from here on: no rescue is needed. Waits for one that is under way, which ends the program.
pub fn need_no_rescue() {
    RESCUE.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Ends the program with 130 on Ctrl-C and SIGTERM, after the file being written, if any, is whole.
pub fn exit_130_on_interrupt() {
    #[cfg(unix)]
    listen_for_termination();
    // Where no handler can be set the default one ends the program, and shells report 130 all the same.
    let _ = ctrlc::set_handler(interrupt);
}

/// SIGTERM is blocked in this thread, and so in all that it starts, and waited for in one of its own. (The handler of
/// `ctrlc` could take it too, but only together with SIGHUP, which `nohup` has told us to ignore.)
#[cfg(unix)]
fn listen_for_termination() {
    use nix::sys::signal::{SigSet, Signal};
    let mut set = SigSet::empty();
    set.add(Signal::SIGTERM);
    if set.thread_block().is_ok() {
        std::thread::spawn(move || {
            while set.wait().is_ok() {
                interrupt();
            }
        });
    }
}

/// Ends in order at first, at once the second time.
fn interrupt() {
    if LISTENING.load(Ordering::SeqCst) && !INTERRUPTED.swap(true, Ordering::SeqCst) {
        std::thread::sleep(PATIENCE);
        // Held until the end of the program, so that the command cannot go on beside the rescue.
        let mut rescue = RESCUE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rescue) = rescue.take() else { return };
        rescue();
    }
    let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    for part in PARTS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        let _ = fs::remove_file(part);
    }
    std::process::exit(130);
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

/// Writes bytes whole or not at all, as [`write_whole`] does text.
pub fn write_bytes_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let part = Part::beside(path)?;
    let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    fs::write(&part.part, bytes).and_then(|()| part.finish()).map_err(|e| unwritten(path, e))
}

/// Says before a long computation whether a file can be written at a path in the end.
pub fn expect_writable(path: &Path) -> Result<(), Failure> {
    let part = Part::beside(path)?;
    fs::write(&part.part, b"").map_err(|e| unwritten(path, e))
}

fn unwritten(path: &Path, why: impl std::fmt::Display) -> Failure {
    Failure::of_file(path, format_args!("cannot be written: {why}"))
}

/// Files that are being written now, to be removed should the program be ended.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that grows beside its place as `NAME.PID.part`; removed where it is never put into it.
struct Part {
    /// Where it belongs: behind links, if the path is one.
    place: PathBuf,
    part: PathBuf,
}

impl Part {
    /// A part beside a path. Parts there that a program left which was killed are removed.
    fn beside(path: &Path) -> Result<Self, Failure> {
        let place = place_of(path)?;
        remove_stale(&place);
        let mut name = place.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.part", std::process::id()));
        let part = place.with_file_name(name);
        PARTS.lock().unwrap_or_else(PoisonError::into_inner).push(part.clone());
        Ok(Self { place, part })
    }

    /// Puts the file into its place.
    fn finish(&self) -> io::Result<()> {
        fs::rename(&self.part, &self.place)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Renamed already, or something failed: nothing half-written stays.
        let _ = fs::remove_file(&self.part);
        PARTS.lock().unwrap_or_else(PoisonError::into_inner).retain(|part| *part != self.part);
    }
}

/// Most links from one to the next.
const MOST_LINKS: usize = 40;

/// Where a file at this path is to be written: a link leads to its target. Pipes, devices and folders are refused, since
/// renaming into their place would replace them.
fn place_of(path: &Path) -> Result<PathBuf, Failure> {
    let mut place = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&place) {
            Ok(meta) if meta.is_symlink() => {
                let target = fs::read_link(&place).map_err(|e| unwritten(path, e))?;
                // Relative to the folder of the link; an absolute target replaces all of it.
                place = place.parent().unwrap_or(Path::new("")).join(target);
            }
            Ok(meta) if meta.is_file() => return Ok(place),
            Ok(meta) => {
                let found = input::kind(&meta);
                return Err(unwritten(path, format_args!("expected a file or nothing there, got {found}")));
            }
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(place),
            Err(e) => return Err(unwritten(path, e)),
        }
    }
    Err(unwritten(path, "its links lead in a circle"))
}

/// Removes parts of a file whose writers are no more.
fn remove_stale(place: &Path) {
    let (Some(name), Some(folder)) = (place.file_name().and_then(|n| n.to_str()), place.parent()) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let writer =
            found.to_str().and_then(|found| found.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".part"));
        if writer.and_then(|pid| pid.parse().ok()).is_some_and(|pid| !is_running(pid)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether there is a process of this number; yes where that cannot be known.
#[cfg(unix)]
fn is_running(pid: i32) -> bool {
    use nix::{errno::Errno, sys::signal::kill, unistd::Pid};
    // Signal 0 only asks; numbers below 1 would ask for groups of processes.
    pid < 1 || kill(Pid::from_raw(pid), None) != Err(Errno::ESRCH)
}

#[cfg(not(unix))]
fn is_running(_: i32) -> bool {
    true
}

/// A table that grows line by line beside its place, and is renamed into it when it is whole.
pub struct Sheet {
    path: PathBuf,
    part: Part,
    out: BufWriter<fs::File>,
}

impl Sheet {
    /// A table with its header.
    pub fn new(path: &Path, header: &str) -> Result<Self, Failure> {
        let part = Part::beside(path)?;
        let file = fs::File::create(&part.part).map_err(|e| unwritten(path, e))?;
        let mut sheet = Self { path: path.to_path_buf(), part, out: BufWriter::new(file) };
        sheet.line(header)?;
        Ok(sheet)
    }

    /// One more line.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        let written = self.out.write_all(line.as_bytes()).and_then(|()| self.out.write_all(b"\n"));
        written.map_err(|e| unwritten(&self.path, e))
    }

    /// Puts the table into its place.
    pub fn finish(mut self) -> Result<(), Failure> {
        let _whole = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        self.out.flush().and_then(|()| self.part.finish()).map_err(|e| unwritten(&self.path, e))
    }
}

/// Removes a file that an earlier run left and this one does not write. One that is not there is no error.
pub fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(e) if e.kind() != ErrorKind::NotFound => {
            Err(Failure::of_file(path, format_args!("cannot be removed: {e}")))
        }
        _ => Ok(()),
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
