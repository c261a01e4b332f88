//! Shoots small bodies at thin ones over a grid of speeds, thicknesses and steps, and counts those that pass.
//!
//! `cargo run --release --example shots`: a line for each shot that passed, and the counts.

#[path = "../tests/throws/mod.rs"]
#[allow(dead_code)] // its throws and heaps are other examples'
mod throws;

use throws::{SHOTS, TARGETS, shoot};

fn main() {
    let folder = std::env::temp_dir().join(format!("fingerpad-shots-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut passed, mut stopped, mut count) = (0, 0, 0);
    for stepper in ["fast", "rigid"] {
        for (body, target) in SHOTS.iter().flat_map(|body| TARGETS.iter().map(move |target| (body, target))) {
            for thick in [0.0005, 0.001, 0.004, 0.02] {
                for speed in [1.0, 3.0, 9.0, 20.0, 40.0, 100.0, 300.0, 1e3, 1e5] {
                    for step in [1e-2, 1e-3, 1e-4] {
                        count += 1;
                        match shoot(body, target, thick, speed, step, stepper, &folder) {
                            Ok(why) => stopped += u32::from(why.is_some()),
                            Err(how) => {
                                passed += 1;
                                println!("{how}");
                            }
                        }
                    }
                }
            }
        }
    }
    println!("{passed} of {count} passed; {stopped} runs stopped with their cause");
    std::fs::remove_dir_all(&folder).ok();
    std::process::exit(i32::from(passed > 0));
}
