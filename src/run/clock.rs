//! # Clock: time that passed and time that the processor worked
//!
//! - **start at** [`Stopwatch`]

use std::time::Instant;

/// Measures from its start.
pub struct Stopwatch {
    began: Instant,
    cpu: f64,
}

impl Stopwatch {
    /// Starts.
    pub fn start() -> Self {
        Self { began: Instant::now(), cpu: processor_time() }
    }

    /// Time passed (s).
    pub fn wall(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Processor time of all threads (s).
    pub fn cpu(&self) -> f64 {
        processor_time() - self.cpu
    }
}

#[cfg(unix)]
fn processor_time() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    // A clock that cannot be read counts nothing: no run ends for that.
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_or(0.0, |now| now.tv_sec() as f64 + 1e-9 * now.tv_nsec() as f64)
}

#[cfg(not(unix))]
fn processor_time() -> f64 {
    use std::sync::OnceLock;
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_secs_f64()
}
