//! A haptic loop: a hand scene at 1 kHz against the clock, which is what paper B aims at. Every millisecond one step is made and
//! the forces of all contacts are read, as a device would want them. Prints how many steps came late, and how long they took.
//!
//! ```text
//! cargo run --release --example haptic_loop                              finger-pads, lift-flat, jaw-can; 2 s each
//! cargo run --release --example haptic_loop -- scenes/jaw-can.toml 10    one scene, for 10 s
//! ```
//!
//! A step is late when it, or what was left over from those before it, ends after its millisecond. On a machine with other work
//! the worst step is the scheduler's; the time of the processor beside it is the step's own.

use fingerpad_files::scene::Scene;
use fingerpad_sim::{FixedStep, Model, Rigid, Stepper};
use std::path::PathBuf;
use std::time::{Duration, Instant};

type Failed = Box<dyn std::error::Error>;

/// Length of a step, in the scene and by the clock.
const PERIOD: Duration = Duration::from_millis(1);
/// The last part of a wait is spent awake: a system wakes its sleepers late.
const AWAKE: Duration = Duration::from_micros(200);
/// Longest run (s).
const LONGEST: f64 = 3600.0;

/// What a run against the clock has shown.
struct Shown {
    /// Of each step, from when it was begun (s), sorted.
    took: Vec<f64>,
    /// Steps that ended after their millisecond.
    late: usize,
    /// Of the processor, all steps together (s), where the system tells it.
    processor: Option<f64>,
    /// Largest normal force that was read (N).
    felt: f64,
}

/// Time of the processor that this process has had (s).
fn processor() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    told.split_whitespace().next()?.parse::<f64>().ok().map(|ns| ns * 1e-9)
}

/// Sleeps until shortly before a time and waits awake for the rest.
fn wait(until: Instant) {
    let left = until.saturating_duration_since(Instant::now());
    if left > AWAKE {
        std::thread::sleep(left - AWAKE);
    }
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}

/// One step each millisecond, or one after the other where the clock does not count.
fn run<S: Stepper>(stepper: &S, model: &Model, steps: u32, by_clock: bool) -> Result<Shown, Failed> {
    let mut state = model.start()?;
    let mut work = stepper.workspace(model, &state)?;
    let (mut took, mut late, mut felt) = (Vec::with_capacity(steps as usize), 0, 0.0_f64);
    let (before, start) = (processor(), Instant::now());
    for tick in 1..=steps {
        if by_clock {
            wait(start + PERIOD * (tick - 1));
        }
        let begun = Instant::now();
        stepper.advance(model, &mut state, &mut work, PERIOD.as_secs_f64() * f64::from(tick))?;
        let results = stepper.contact_results(model, &state, &mut work)?;
        felt = results.iter().map(|contact| contact.normal).fold(felt, f64::max);
        let end = Instant::now();
        took.push((end - begun).as_secs_f64());
        late += usize::from(end > start + PERIOD * tick);
    }
    let processor = before.zip(processor()).map(|(before, after)| after - before);
    took.sort_by(f64::total_cmp);
    Ok(Shown { took, late, processor, felt })
}

/// Runs a scene by the clock and once more without waiting, which tells the processor's share, and prints a line.
fn tell<S: Stepper>(name: &str, stepper: &S, model: &Model, steps: u32) -> Result<(), Failed> {
    let shown = run(stepper, model, steps, true)?;
    let unhurried = run(stepper, model, steps, false)?;
    let count = shown.took.len();
    let us = |seconds: f64| 1e6 * seconds;
    let mean = us(shown.took.iter().sum::<f64>() / count as f64);
    let own = unhurried.processor.map_or_else(String::new, |s| format!(", processor {:.1}", us(s / count as f64)));
    println!(
        "{name:<24} {count} steps, {} late; mean {mean:.1} µs, p99 {:.1}, worst {:.1}{own}; up to {:.2} N felt",
        shown.late,
        us(shown.took[(count - 1) * 99 / 100]),
        us(shown.took[count - 1]),
        shown.felt,
    );
    Ok(())
}

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds = words.get(1).map_or(Ok(2.0), |word| word.parse::<f64>())?;
    if !(seconds > 0.0 && seconds <= LONGEST) {
        return Err(format!("seconds: above 0 and at most {LONGEST}, not {seconds}").into());
    }
    let shipped = |name: &str| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{name}.toml"));
    let scenes = match words.first() {
        Some(path) => vec![PathBuf::from(path)],
        None => ["finger-pads", "lift-flat", "jaw-can"].map(shipped).to_vec(),
    };
    for path in scenes {
        let built = Scene::read(&path, &[])?.build(&mut |_| {})?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let steps = (seconds / PERIOD.as_secs_f64()).ceil() as u32;
        let step = PERIOD.as_secs_f64();
        tell(&format!("{name}, fast"), &FixedStep { step, ..FixedStep::default() }, &built.model, steps)?;
        tell(&format!("{name}, rigid"), &Rigid::with_step(step), &built.model, steps)?;
    }
    Ok(())
}
