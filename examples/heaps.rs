//! Lets random heaps fall in each stepper and counts what became of their bodies, by geometry of its own.
//!
//! `cargo run --release --example heaps -- SEED COUNT [STEPPER…]` (0, 200 and all three if not given): COUNT scenes of three to
//! ten bodies of seven kinds on three grounds. A line for each stepper; a line for each body that is through or lost.

#[path = "../tests/throws/mod.rs"]
#[allow(dead_code)] // its throws are another example's
mod throws;

use throws::{heap, write_meshes};

/// By the names of scenes and docs.
const STEPPERS: [&str; 3] = ["accurate", "fast", "rigid"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(default);
    let (seed, count): (u64, u64) = (number(0, 0), number(1, 200));
    let asked = |name: &str| words.len() < 3 || words[2..].iter().any(|word| word == name);
    let folder = std::env::temp_dir().join(format!("fingerpad-heaps-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    write_meshes(&folder);
    let mut all = 0;
    for stepper in STEPPERS.into_iter().filter(|name| asked(name)) {
        let (mut bodies, mut through, mut stopped, mut deepest) = (0, 0, 0, 0.0_f64);
        for seed in seed..seed + count {
            let heap = heap(seed, stepper, &folder);
            bodies += heap.bodies;
            through += heap.through.len();
            deepest = deepest.max(heap.deepest);
            for one in &heap.through {
                println!("{stepper}, seed {seed}: {one}");
            }
            if let Some(why) = heap.stopped {
                stopped += 1;
                println!("{stepper}, seed {seed} stopped: {why}");
            }
        }
        println!(
            "{stepper}: {through} of {bodies} bodies through or lost; {stopped} of {count} scenes stopped; deepest {:.3} mm",
            1e3 * deepest
        );
        all += through;
    }
    std::fs::remove_dir_all(&folder).ok();
    std::process::exit(i32::from(all > 0));
}
