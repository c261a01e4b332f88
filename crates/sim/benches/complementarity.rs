//! Rigid contacts by complementarity: time per step of stacks and piles over two seconds, with what the answers are worth.
//!
//! ```text
//! cargo bench -p fingerpad-sim --bench complementarity
//! ```
//!
//! Rows: scene, from and to (s), contacts in a step, places found anew in a step, sweeps and Newton steps in a step, islands that the
//! last impulses solved in a step, steps that missed the tolerance, worst
//! residual (m/s), deepest overlap at the end of a step (m), median, mean, p99.9 and 20th part of the times (µs of the processor).
//! The ledger is kept in every step. A word as argument picks the scenes whose names hold it.

mod scenes;

use fingerpad_contact::law::{Constants, ContactLaw, Damping, Friction, Stiffness};
use fingerpad_sim::{Model, Places, Report, Rigid, RigidReport, RigidWorkspace, State, Stepper};
use scenes::{cpu, dropped, stacked};

fn rough(mu: f64) -> ContactLaw {
    let constants = Constants { k: 1e6, n: 1.0, k_t: 1e6, k_theta: 0.0, e_n: 0.0 };
    let friction = Friction::Coulomb { mu };
    ContactLaw { stiffness: Stiffness::Constants(constants), damping: Damping::default(), friction, partial: None }
}

fn boxes(count: usize, places: Places) -> Model {
    stacked(count, 0.0, rough(0.3), places)
}

fn balls(count: usize) -> Model {
    dropped(count, rough(0.5))
}

fn deepest(stepper: &Rigid, model: &Model, state: &State, work: &mut RigidWorkspace) -> f64 {
    let views = stepper.contact_results(model, state, work).unwrap();
    views.iter().map(|view| -view.gap).fold(0.0, f64::max)
}

fn time(name: &str, model: &Model, until: f64) {
    let mut state: State = model.start().unwrap();
    let mut work = RigidWorkspace::new(model, &state);
    let stepper = Rigid::with_step(1e-3);
    let first = stepper.ledger(model, &state).total();
    let half = 0.5 * until;
    for (from, to) in [(0.0, half), (half, until)] {
        let steps = ((to - from) / 1e-3_f64).round() as usize;
        let mut times = Vec::with_capacity(steps);
        let (mut sum, mut overlap) = (RigidReport::default(), 0.0_f64);
        for k in 1..=steps {
            let began = cpu();
            let report = stepper.advance(model, &mut state, &mut work, from + 1e-3 * k as f64).unwrap();
            times.push((cpu() - began) * 1e6);
            sum.add(&report);
            overlap = overlap.max(deepest(&stepper, model, &state, &mut work));
        }
        let mean = times.iter().sum::<f64>() / steps as f64;
        times.sort_by(f64::total_cmp);
        let per = |x: u64| x as f64 / steps as f64;
        println!(
            "{name:<20} {from:>3.1}–{to:<3.1} {:>7.1} {:>7.2} {:>7.2} {:>7.2} {:>6.2} {:>6} {:>6} {:>9.1e} {overlap:>9.1e} {:>9.1} {mean:>9.1} {:>9.1} {:>9.1}",
            per(sum.contacts),
            per(sum.found),
            per(sum.sweeps),
            per(sum.newton),
            per(sum.still),
            sum.unsolved,
            sum.unprojected,
            sum.residual,
            times[steps / 2],
            times[steps * 999 / 1000],
            times[steps / 20],
        );
    }
    let ledger = stepper.ledger(model, &state);
    println!("{:>24} KE {:.1e} J, off balance {:.1e} J", "", ledger.KE, ledger.total() - first);
}

fn main() {
    let word = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    println!(
        "scene                 s      contacts   found  sweeps  newton  still missed unproj  residual   overlap    median      mean     p99.9      20th"
    );
    for (name, model) in [
        ("stack of 5 boxes", boxes(5, Places::Points)),
        ("stack of 50 boxes", boxes(50, Places::Points)),
        ("stack of 50, faces", boxes(50, Places::All)),
        ("stack of 100, faces", boxes(100, Places::All)),
        ("stack of 150, faces", boxes(150, Places::All)),
        ("stack of 200, faces", boxes(200, Places::All)),
        ("pile of 12 spheres", balls(12)),
        ("pile of 27 spheres", balls(27)),
        ("pile of 50 spheres", balls(50)),
        ("pile of 125 spheres", balls(125)),
        ("pile of 200 spheres", balls(200)),
        ("pile of 500 spheres", balls(500)),
    ] {
        if name.contains(&word) {
            time(name, &model, 2.0);
        }
    }
}
