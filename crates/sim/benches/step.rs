//! Fixed steps of named scenes: time per step, median and 999th thousandth, with counts.
//!
//! ```text
//! cargo bench -p fingerpad-sim --bench step
//! ```
//!
//! Rows: scene, contacts in a step, those of them at rest (%), Newton steps in a step, inner iterations, steps made again (%);
//! median and p99.9 of the steps by the clock (µs), median and fastest twentieth by the time of the processor, over batches
//! of 50 µs, since asking for it takes as long as a short step; searches without end. Below piles, time per contact against
//! that of the first: once all their contacts rest, or after 8 s. The ledger is kept in every step.
//! Goals: bowl 0.7 µs on every ground, box 2 µs at rest and 5 µs sliding, stack of 50 boxes 150 µs, loose heap of 50 balls
//! 120 µs. Where other work runs beside, p99.9 is the scheduler's and the 20th part nearest to the truth. Ratios are of one
//! run.

mod scenes;

use fingerpad_sim::{
    FixedReport, FixedStep, FixedWorkspace, Model, Places, Report, Rigid, RigidWorkspace, State, Stepper,
};
use nalgebra::Vector3;
use scenes::{bowl, boxes, boxes_at, cpu, energy, graph, loose, map, pile, pinch, tower};
use std::time::Instant;

struct Row {
    name: String,
    contacts: f64,
    newton: f64,
    repeated: f64,
    median: f64,
    tail: f64,
}

/// What comes before the steps that are timed.
enum Warm {
    /// So many steps.
    Steps(usize),
    /// Until all contacts have been at rest for 100 steps, at most so many.
    Rest(usize),
}

fn time(name: &str, model: &Model, steps: usize, warm: Warm) -> Row {
    let mut state: State = model.start().unwrap();
    let mut work = FixedWorkspace::new(model).unwrap();
    let fast = FixedStep::default();
    let mut add = |state: &mut State| fast.step(model, state, &mut work).unwrap();
    let (most, to_rest) = match warm {
        Warm::Steps(steps) => (steps, false),
        Warm::Rest(steps) => (steps, true),
    };
    let mut rested = 0;
    for _ in 0..most {
        let report = add(&mut state);
        rested = if report.contacts > 0 && report.rested == report.contacts { rested + 1 } else { 0 };
        if to_rest && rested == 100 {
            break;
        }
    }
    let (mut times, mut own) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
    let mut sum = FixedReport::default();
    while times.len() < steps {
        let (first, used) = (times.len(), cpu());
        let mut spent = 0.0;
        while spent < 50.0 && times.len() < steps {
            let start = Instant::now();
            sum.add(&add(&mut state));
            let took = start.elapsed().as_secs_f64() * 1e6;
            times.push(took);
            spent += took;
        }
        own.push((cpu() - used) * 1e6 / (times.len() - first) as f64);
    }
    times.sort_by(f64::total_cmp);
    own.sort_by(f64::total_cmp);
    let (middle, best) = (own[own.len() / 2], own[own.len() / 20]);
    let per = |x: u64| x as f64 / steps as f64;
    let row = Row {
        name: name.to_string(),
        contacts: per(sum.contacts),
        newton: per(sum.newton),
        repeated: 100.0 * per(sum.repeated),
        median: middle,
        tail: times[steps * 999 / 1000],
    };
    println!(
        "{:<22} {:>8.1} {:>6.0} {:>8.2} {:>7.1} {:>7.1} {:>10.3} {:>10.3} {:>10.3} {:>10.3}  {}",
        row.name,
        row.contacts,
        100.0 * sum.rested as f64 / sum.contacts.max(1) as f64,
        row.newton,
        per(sum.inner),
        row.repeated,
        times[steps / 2],
        row.tail,
        middle,
        best,
        sum.unconverged
    );
    row
}

/// Scenes that `benches/peers/steps.py` has too: one line of JSON each, times of the processor.
fn beside_peers() {
    let fast = FixedStep::default();
    let run = |model: &Model, state: &mut State, from: f64, until: f64| {
        let mut work = FixedWorkspace::new(model).unwrap();
        fast.advance(model, state, &mut work, from).unwrap();
        let (before, start) = (state.clone(), cpu());
        let report = fast.advance(model, state, &mut work, until).unwrap();
        let per_step = (cpu() - start) / report.steps as f64;
        (before, per_step * 1e6, report.contacts as f64 / report.steps as f64)
    };
    for spacing in [1.0, 0.1] {
        let model = bowl(map(spacing));
        let mut state = model.start().unwrap();
        let (five, us, contacts) = run(&model, &mut state, 5.0, 25.0);
        let kept = energy(&model, &state) / energy(&model, &five);
        println!(r#"{{"scene": "bowl {spacing} m", "us": {us}, "contacts": {contacts}, "kept": {kept}}}"#);
    }
    let model = pinch();
    let mut state = model.start().unwrap();
    let (before, us, contacts) = run(&model, &mut state, 0.5, 2.5);
    let (from, to) = (&before.bodies[0].X_WBcm, &state.bodies[0].X_WBcm);
    let slip = (to.translation.vector - from.translation.vector).norm();
    let turn = to.rotation.angle_to(&from.rotation).to_degrees();
    println!(r#"{{"scene": "pinch", "us": {us}, "contacts": {contacts}, "slip": {slip}, "turn": {turn}}}"#);
    for count in [5, 50] {
        let model = boxes(count, 0.0);
        let mut state = model.start().unwrap();
        let (_, us, contacts) = run(&model, &mut state, 1.0, 10.0);
        let place = state.bodies[count].X_WBcm.translation.vector;
        let off = (place - Vector3::new(0.0, 0.0, 0.05 * (2 * count - 1) as f64)).norm();
        println!(r#"{{"scene": "stack of {count}", "us": {us}, "contacts": {contacts}, "off": {off}}}"#);
    }
    for (scene, model, from, until) in [("heap of 50", loose(50), 3.0, 8.0), ("pile of 50", pile(50), 1.0, 3.0)] {
        let mut state = model.start().unwrap();
        let (before, us, contacts) = run(&model, &mut state, from, until);
        let creep = fastest(&before, &state);
        println!(r#"{{"scene": "{scene}", "us": {us}, "contacts": {contacts}, "creep": {creep}}}"#);
    }
    for (scene, model) in [("stack of 50", boxes(50, 0.0)), ("pile of 50", pile(50))] {
        rigid(scene, &model);
    }
}

/// Mean speed of the body that moved furthest (m/s).
fn fastest(before: &State, after: &State) -> f64 {
    let moved = before.bodies.iter().zip(&after.bodies);
    let moved = moved.map(|(a, b)| (a.X_WBcm.translation.vector - b.X_WBcm.translation.vector).norm());
    moved.fold(0.0, f64::max) / (after.time - before.time)
}

/// The same by complementarity, from 1 to 3 s; residual and unsolved steps are those of all steps.
fn rigid(scene: &str, model: &Model) {
    let stepper = Rigid::with_step(1e-3);
    let mut state = model.start().unwrap();
    let mut work = RigidWorkspace::new(model, &state);
    let mut whole = stepper.advance(model, &mut state, &mut work, 1.0).unwrap();
    let (before, start) = (state.clone(), cpu());
    let report = stepper.advance(model, &mut state, &mut work, 3.0).unwrap();
    let us = (cpu() - start) / report.steps as f64 * 1e6;
    whole.add(&report);
    let overlap =
        stepper.contact_results(model, &state, &mut work).unwrap().iter().map(|view| -view.gap).fold(0.0, f64::max);
    let (contacts, creep) = (report.contacts as f64 / report.steps as f64, fastest(&before, &state));
    let (residual, unsolved) = (whole.residual, whole.unsolved);
    println!(
        r#"{{"scene": "{scene}", "engine": "rigid", "us": {us}, "contacts": {contacts}, "creep": {creep}, "residual": {residual}, "overlap": {overlap}, "unsolved": {unsolved}}}"#
    );
}

/// One and two threads on a pile by turns, and beside it what two threads reach that have nothing to do with each other.
fn threads(count: usize) {
    let model = pile(count);
    let fast = FixedStep::default();
    let mut rooms = [1, 2].map(|threads| {
        let mut work = FixedWorkspace::new(&model).unwrap().with_threads(threads);
        let mut state = model.start().unwrap();
        fast.advance(&model, &mut state, &mut work, 0.3).unwrap();
        (state, work, Vec::new())
    });
    let mut apart = (Vec::new(), Vec::new());
    for _ in 0..150 {
        for (state, work, times) in &mut rooms {
            let start = Instant::now();
            fast.step(&model, state, work).unwrap();
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        let start = Instant::now();
        spin();
        apart.0.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(spin);
            spin();
        });
        apart.1.push(start.elapsed().as_secs_f64());
    }
    let twentieth = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        (times[times.len() / 20], times[times.len() / 2])
    };
    let [one, two] = rooms.each_mut().map(|(_, _, times)| twentieth(times));
    let (alone, together) = (twentieth(&mut apart.0), twentieth(&mut apart.1));
    println!(
        "threads: pile of {count}: {:.0} µs with one, {:.0} µs with two: ×{:.2} (medians ×{:.2}); two that share nothing \
         ×{:.2} (medians ×{:.2})",
        one.0,
        two.0,
        one.0 / two.0,
        one.1 / two.1,
        2.0 * alone.0 / together.0,
        2.0 * alone.1 / together.1
    );
    let same = rooms[0].0 == rooms[1].0;
    println!("{:>60}", if same { "same bits" } else { "OTHER BITS" });
}

/// Steps of a pile that has fallen asleep.
fn asleep(count: usize) {
    let model = pile(count);
    let fast = FixedStep { sleep: Some(0.1), ..FixedStep::default() };
    let mut state = model.start().unwrap();
    let mut work = FixedWorkspace::new(&model).unwrap();
    fast.advance(&model, &mut state, &mut work, 2.0).unwrap();
    let sleepers = (0..state.bodies.len()).filter(|i| state.sleeps(*i)).count();
    let start = cpu();
    let report = fast.advance(&model, &mut state, &mut work, 3.0).unwrap();
    let us = (cpu() - start) / report.steps as f64 * 1e6;
    println!("asleep: pile of {count}: {us:.1} µs a step, {sleepers} of {count} asleep, {} contacts", report.contacts);
}

/// Some milliseconds of work without memory.
fn spin() {
    let mut x = 0.5_f64;
    for _ in 0..2_000_000 {
        x = 3.9 * x * (1.0 - x);
    }
    std::hint::black_box(x);
}

fn main() {
    if std::env::args().any(|argument| argument == "--peers") {
        return beside_peers();
    }
    // A word as argument picks the scenes whose names hold it.
    let word = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let wanted = |name: &str| name.contains(&word);
    println!(
        "scene                  contacts rest %   newton   inner again %  median µs   p99.9 µs     own µs    best µs  unconverged"
    );
    for (name, ground) in [("bowl, graph", graph()), ("bowl, map 1 m", map(1.0)), ("bowl, map 0.1 m", map(0.1))] {
        if wanted(name) {
            time(name, &bowl(ground), 25_000, Warm::Steps(0));
        }
    }
    for (name, count, speed, steps) in [
        ("box at rest", 1, 0.0, 5_000),
        ("box sliding at 1 m/s", 1, 1.0, 3_000),
        ("stack of 5", 5, 0.0, 2_000),
        ("stack of 50", 50, 0.0, 2_000),
    ] {
        if wanted(name) {
            time(name, &boxes(count, speed), steps, Warm::Steps(if speed > 0.0 { 100 } else { 1_000 }));
        }
    }
    for (name, count, speed) in
        [("face at rest", 1, 0.0), ("face sliding at 1 m/s", 1, 1.0), ("stack of 50, faces", 50, 0.0)]
    {
        if wanted(name) {
            let model = boxes_at(count, speed, Places::All);
            time(name, &model, 2_000, Warm::Steps(if speed > 0.0 { 100 } else { 1_000 }));
        }
    }
    for count in [10, 50] {
        let name = format!("loose heap of {count}");
        if wanted(&name) {
            time(&name, &loose(count), 2_000, Warm::Steps(3_000));
        }
    }
    let mut first = None;
    for count in [1, 2, 5, 10, 20, 50, 100, 200, 500] {
        let name = format!("pile of {count}");
        if wanted(&name) {
            let steps = (20_000 / count).clamp(100, 2_000);
            let row = time(&name, &pile(count), steps, Warm::Rest(8_000));
            let per_contact = row.median / row.contacts.max(1.0);
            let ratio = per_contact / *first.get_or_insert(per_contact);
            println!("{per_contact:>60.3} µs a contact, ×{ratio:.2}");
        }
    }
    if wanted("threads") {
        threads(500);
    }
    if wanted("asleep") {
        asleep(500);
    }
    for count in [5, 20, 50] {
        let name = format!("tower of {count}");
        if wanted(&name) {
            time(&name, &tower(count), 1_000, Warm::Steps(300));
        }
    }
}
