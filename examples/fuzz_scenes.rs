//! Steps scenes out of chance in each stepper and counts what became of them.
//!
//! `cargo run --release --example fuzz_scenes -- SEED COUNT` (1 and 1000 if not given). Scenes that did what they may not are
//! printed with their seed: `… -- SEED 1 --show` prints the scene of a seed; `--each` tells each before it runs.

#[path = "../tests/fuzz/mod.rs"]
mod fuzz;

use fuzz::Fate;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(default);
    let (seed, count): (u64, u64) = (number(0, 1), number(1, 1000));
    if words.iter().any(|word| word == "--show") {
        print!("{}", fuzz::scene(seed));
        return;
    }
    // Panics are counted, not told.
    std::panic::set_hook(Box::new(|_| {}));
    let mut counts = [[0_u64; 5]; 3];
    for seed in seed..seed + count {
        let began = std::time::Instant::now();
        if words.iter().any(|word| word == "--each") {
            println!("seed {seed} …");
        }
        for (stepper, fate) in fuzz::fates(&fuzz::scene(seed)).into_iter().enumerate() {
            let kind = match &fate {
                Fate::Refused => 0,
                Fate::Ran => 1,
                Fate::Stopped(_) => 2,
                Fate::Slow => 4,
                Fate::Wrong(why) => {
                    println!("seed {seed}, {}: {why}", ["accurate", "fast", "rigid"][stepper]);
                    3
                }
            };
            counts[stepper][kind] += 1;
        }
        if began.elapsed().as_secs() > 4 {
            println!("seed {seed} took {:.1} s", began.elapsed().as_secs_f64());
        }
    }
    for (stepper, [refused, ran, stopped, wrong, slow]) in ["accurate", "fast", "rigid"].iter().zip(counts) {
        println!(
            "{stepper:<9} {refused} refused, {ran} ran {} steps, {stopped} stopped with a cause, {slow} slow, {wrong} wrong",
            fuzz::STEPS
        );
    }
}
