//! Runs scenes out of chance by the program, in each stepper, and counts what became of them.
//!
//! `cargo build --release && cargo run --release --example fuzz_scenes -- SEED COUNT` (1 and 1000 if not given). Cases that did
//! what they may not are printed with their seed; `… -- SEED 1 --write FOLDER` writes a case into a folder; `--each` tells what
//! became of each case. `--program FILE` takes another program than the one beside this example.

#[path = "../tests/fuzz/mod.rs"]
mod fuzz;

use fuzz::Fate;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(default);
    let (first, count): (u64, u64) = (number(0, 1), number(1, 1000));
    let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|k| words.get(k + 1));
    if let Some(folder) = after("--write") {
        std::fs::create_dir_all(folder).unwrap();
        fuzz::write(&fuzz::case(first), Path::new(folder));
        return;
    }
    let beside = || std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("fingerpad");
    let program = after("--program").map_or_else(beside, PathBuf::from);
    let program = program.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", program.display()));
    let each = words.iter().any(|word| word == "--each");
    let mut counts = [[0_u64; 6]; 3];
    let mut latest = Duration::ZERO;
    for seed in first..first + count {
        let case = fuzz::case(seed);
        for (k, stepper) in fuzz::STEPPERS.iter().enumerate() {
            let fate = fuzz::fate(&program, &case, stepper);
            if each || matches!(fate, Fate::Wrong(_)) {
                println!("seed {seed}, {stepper}: {fate:?}");
            }
            counts[k][match fate {
                Fate::Refused => 0,
                Fate::Ran => 1,
                Fate::Bad => 2,
                Fate::Stopped(_) => 3,
                Fate::Slow(latency) => {
                    if latency > Duration::from_secs(1) {
                        println!("seed {seed}, {stepper}: ended {:.2} s after Ctrl-C", latency.as_secs_f64());
                    }
                    latest = latest.max(latency);
                    4
                }
                Fate::Wrong(_) => 5,
            }] += 1;
        }
    }
    println!("seeds {first} to {}", first + count - 1);
    for (stepper, [refused, ran, bad, stopped, slow, wrong]) in fuzz::STEPPERS.iter().zip(counts) {
        println!(
            "{stepper:<9} {refused} refused, {ran} ran {} steps, {bad} ran and called themselves bad, {stopped} stopped with a \
             cause, {slow} slow (over {} s), {wrong} wrong",
            fuzz::STEPS,
            fuzz::PATIENCE.as_secs()
        );
    }
    println!("longest way from Ctrl-C to the end: {:.2} s", latest.as_secs_f64());
}
