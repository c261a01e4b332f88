//! What recording costs the simulation's thread: `cargo bench -p fingerpad-files --bench recording`.

use fingerpad_files::recording::{About, BodyFrame, Frame, Recorder};
use std::collections::BTreeMap;
use std::time::Instant;

fn main() {
    let folder = tempfile::tempdir().expect("a folder for the file");
    for bodies in [1, 20, 200] {
        let about = About {
            names: (0..bodies).map(|k| format!("b{k:03}")).collect(),
            moving: vec![true; bodies],
            contacts: true,
            ..About::default()
        };
        let path = folder.path().join("run.mcap");
        let mut recorder = Recorder::new(&path, about, Box::new(BTreeMap::new)).expect("a recorder");
        let mut frame = Frame {
            bodies: vec![BodyFrame { q: [1.0, 0.0, 0.0, 0.0], ..BodyFrame::default() }; bodies],
            energy: vec![1.0; 22],
            ..Frame::default()
        };
        // Rows of 1 ms, one each 30 µs as a simulated hand makes them: the disk has time.
        let mut each = Vec::new();
        for k in 0..20_000_u32 {
            frame.time = f64::from(k) * 1e-3;
            frame.bodies.iter_mut().for_each(|b| b.p[0] = frame.time);
            let began = Instant::now();
            recorder.push(&frame).expect("a row");
            each.push(began.elapsed().as_nanos() as u64);
            let until = Instant::now();
            while until.elapsed().as_micros() < 30 {
                std::hint::spin_loop();
            }
        }
        let told = recorder.finish().expect("a whole file");
        each.sort_unstable();
        let mean = each.iter().sum::<u64>() as f64 / each.len() as f64;
        println!(
            "{bodies} bodies: {:.2} µs a row (median), {:.2} (mean), {:.2} (99 %); waited {:.3} s for the disk",
            each[each.len() / 2] as f64 * 1e-3,
            mean * 1e-3,
            each[each.len() * 99 / 100] as f64 * 1e-3,
            told.waited
        );
    }
}
