//! Throws bodies on grounds in each stepper and counts what became of them, by geometry of its own.
//!
//! `cargo run --release --example throws -- SEED COUNT [STEPPER…]` (0, 24 and all three if not given): COUNT throws of each body
//! on each ground. One line a kind of throw: how many went through, stopped with a cause, or were deeper than the bound.

#[path = "../tests/throws/mod.rs"]
#[allow(dead_code)] // its heaps are another example's
mod throws;

use throws::{Fate, GROUNDS, SHAPES, half_extent, throw, write_meshes};

/// By the names of scenes and docs.
const STEPPERS: [&str; 3] = ["accurate", "fast", "rigid"];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(default);
    let (seed, count): (u64, u64) = (number(0, 0), number(1, 24));
    let asked = |name: &str| words.len() < 3 || words[2..].iter().any(|word| word == name);
    let folder = std::env::temp_dir().join(format!("fingerpad-throws-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    write_meshes(&folder);
    let mut through = 0;
    println!("stepper   body       ground     through  stopped  too deep  deepest [mm]  bound [mm]");
    for stepper in STEPPERS.into_iter().filter(|name| asked(name)) {
        for kind in SHAPES {
            for on in GROUNDS {
                let (mut counts, mut worst, mut bound) = ([0; 3], 0.0_f64, f64::INFINITY);
                for seed in seed..seed + count {
                    let (fate, most) = throw(kind, on, seed, stepper, &folder);
                    counts[0] += u64::from(fate.depth() >= half_extent(kind));
                    counts[1] += u64::from(matches!(fate, Fate::Stopped(..)));
                    counts[2] += u64::from(fate.depth() > most);
                    (worst, bound) = (worst.max(fate.depth()), bound.min(most));
                }
                through += counts[0];
                println!(
                    "{stepper:<9} {kind:<10} {on:<10} {:<8} {:<8} {:<9} {:<13.4} {:.4}",
                    counts[0],
                    counts[1],
                    counts[2],
                    1e3 * worst,
                    1e3 * bound
                );
            }
        }
    }
    println!("{through} went through");
    std::fs::remove_dir_all(&folder).ok();
    std::process::exit(i32::from(through > 0));
}
