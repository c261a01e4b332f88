//! A scene file driven from Rust: two sliders hold a block; every millisecond the contacts are read. Prints the least friction
//! margin and how far the block has moved.

use fingerpad_files::scene::Scene;
use fingerpad_sim::{FixedStep, Stepper};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let built = Scene::read(&folder.join("pinch-sliders.toml"), &[])?.build(&mut |_| {})?;
    let (model, stepper) = (&built.model, FixedStep::default());
    let mut state = model.start()?;
    let mut work = stepper.workspace(model, &state)?;
    let object = model.body_named("object").ok_or("no body `object`")?;
    let start = model.X_WB(&state, object);
    let mut margin = 1.0_f64;
    for tick in 1..=1000 {
        stepper.advance(model, &mut state, &mut work, 1e-3 * f64::from(tick))?;
        let results = stepper.contact_results(model, &state, &mut work)?;
        margin = results.iter().map(|contact| 1.0 - contact.used).fold(margin, f64::min);
    }
    let moved = (model.X_WB(&state, object).translation.vector - start.translation.vector).norm();
    println!("least friction margin {margin:.4}; the block moved {:.3} µm", 1e6 * moved);
    Ok(())
}
