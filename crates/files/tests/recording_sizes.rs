//! How large recordings are: bytes that one more body and one more contact cost in each row.

use fingerpad_files::recording::{About, BodyFrame, ContactFrame, Frame, Mode, Recorder, Recording};
use std::collections::BTreeMap;
use std::path::Path;

fn frame(t: f64, bodies: usize, contacts: usize) -> Frame {
    let body = |k: usize| BodyFrame { p: [t, k as f64, 0.1], q: [1.0, 0.0, 0.0, 0.0], v: [1.0, 0.0, 0.0], w: [0.0; 3] };
    let contact = |k: usize| ContactFrame {
        a: 0,
        b: k % bodies,
        id: 0,
        mode: Mode::Stick,
        p: [t, 0.0, 0.0],
        n: [0.0, 0.0, 1.0],
        e1: [1.0, 0.0, 0.0],
        gap: -1e-5,
        depth: 1e-5,
        normal: 3.0 + t,
        load: [0.1, 0.2, 1e-3],
        used: 0.3,
        mu: Some(0.5),
        e_n: Some(1e-3),
        patch: Some((1e-3, 1e-3)),
        slid: 0.0,
        outline: Vec::new(),
    };
    Frame {
        time: t,
        bodies: (0..bodies).map(body).collect(),
        contacts: (0..contacts).map(contact).collect(),
        energy: vec![1.0; 22],
        near: Vec::new(),
    }
}

fn record(path: &Path, bodies: usize, contacts: usize, rows: usize) -> u64 {
    let about = About {
        names: (0..bodies).map(|k| format!("b{k:03}")).collect(),
        moving: vec![true; bodies],
        contacts: true,
        scene: "scene".to_string(),
        facts: BTreeMap::from([("version".to_string(), "0".to_string())]),
        arrows: 0.1,
    };
    let mut recorder = Recorder::new(path, about, Box::new(BTreeMap::new)).unwrap();
    for k in 0..rows {
        recorder.push(&frame(k as f64 * 1e-3, bodies, contacts)).unwrap();
    }
    recorder.finish().unwrap();
    std::fs::metadata(path).unwrap().len()
}

/// At 1 kHz, names of four letters: at most 100 bytes a body, 200 a contact, everything counted (poses and arrows, at
/// 10 Hz, too). Rows come back with their exact times.
#[test]
fn a_body_takes_100_bytes_and_a_contact_200() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let rows = 2000;
    let size = |bodies, contacts| record(&path, bodies, contacts, rows) as f64 / rows as f64;
    let (few, many, touching) = (size(10, 0), size(20, 0), size(20, 20));
    let (body, contact) = ((many - few) / 10.0, (touching - many) / 20.0);
    println!("{body:.1} bytes a body, {contact:.1} a contact, {:.0} a row besides", few - 10.0 * body);
    assert!(body <= 100.0, "{body} bytes a body");
    assert!(contact <= 200.0, "{contact} bytes a contact");
    let found = Recording::read(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((found.frames.len(), &found.broken), (rows, &None));
    assert_eq!(found.frames[1234].time, 1234.0 * 1e-3);
    assert_eq!(found.frames[1234].poses.len(), 20);
    assert_eq!(
        found.frames[1234]
            .differs(&frame(1234.0 * 1e-3, 20, 0), &(0..20).map(|k| format!("b{k:03}")).collect::<Vec<_>>()),
        None
    );
}
