//! The first cases of `examples/fuzz_scenes.rs`, as many as a minute allows: none may panic, hang, give numbers that are none,
//! or call motion good that cannot be.
#![cfg(unix)]

mod fuzz;

use fuzz::Fate;
use std::path::Path;

/// Seeds whose cases do what they may not, and in which stepper: each is a defect that is known and not mended yet.
const KNOWN: &[(u64, &str)] = &[];

#[test]
fn scenes_out_of_chance_run_or_say_why_not() {
    let (mut ran, mut wrong, mut mended) = (0, Vec::new(), Vec::new());
    const SEEDS: u64 = 40;
    for seed in 1..=SEEDS {
        let case = fuzz::case(seed);
        for stepper in fuzz::STEPPERS {
            let known = KNOWN.contains(&(seed, stepper));
            let fate = fuzz::fate(Path::new(env!("CARGO_BIN_EXE_fingerpad")), &case, stepper);
            ran += u32::from(fate == Fate::Ran);
            match fate {
                Fate::Wrong(why) if !known => wrong.push(format!("seed {seed}, {stepper}: {why}")),
                Fate::Wrong(_) => {}
                _ if known => mended.push(format!("seed {seed}, {stepper}")),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(mended.is_empty(), "no longer wrong, take them from the list of known ones: {}", mended.join(", "));
    // Scenes that are refused test nothing of the steppers.
    assert!(ran > SEEDS as u32, "only {ran} of {} runs made their steps", 3 * SEEDS);
}
