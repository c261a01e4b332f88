//! Any bytes give a mesh or an error: never a panic, a hang, or memory that the file does not pay for.
//!
//! The opinion on memory is the allocator's: each case may have at most 16 MiB at once, from files of a few KB.

mod counting;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use counting::{NOW, ONE_AT_A_TIME, PEAK};
use fingerpad_contact::surface::Surface;
use fingerpad_contact::surface::mesh::{MassProperties, MeshSolid, TriangleMesh};
use fingerpad_files::mesh::{self, MeshOptions};
use nalgebra::Point3;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const MOST_MEMORY: usize = 16 << 20;
const LONGEST: Duration = Duration::from_secs(5);

/// Read, make a solid of what was read, ask it, and hold all of them to their promises.
fn survive(bytes: &[u8]) -> bool {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let began = Instant::now();
    let answer = mesh::read_bytes(bytes, "hostile", &MeshOptions::default());
    let made = answer.is_ok();
    match answer {
        Ok(file) => {
            assert!(file.vertices.iter().all(|p| p.iter().all(|x| x.is_finite())));
            assert!(file.faces.iter().flatten().all(|&v| (v as usize) < file.vertices.len()));
            let mut end = 0;
            for group in &file.groups {
                assert!(group.faces.start >= end && !group.faces.is_empty() && group.faces.end <= file.faces.len());
                end = group.faces.end;
            }
            if let Ok((mesh, _)) = TriangleMesh::new(file.vertices, file.faces) {
                let centre = mesh.bounds().centre();
                if let Ok(mass) = MassProperties::of(&mesh) {
                    assert!(mass.volume > 0.0 && mass.inertia.iter().all(|x| x.is_finite()));
                }
                let solid = MeshSolid::new(mesh);
                for p in [centre, Point3::origin(), Point3::new(0.3, 0.2, 0.9)] {
                    let foot = solid.closest_point(&p).unwrap();
                    assert!(foot.distance.is_finite() && (foot.nhat.norm() - 1.0).abs() < 1e-9, "{foot:?}");
                }
            }
        }
        Err(error) => assert!(error.to_string().starts_with("hostile"), "{error}"),
    }
    let peak = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    assert!(peak < MOST_MEMORY, "{peak} bytes of memory for a file of {}", bytes.len());
    assert!(began.elapsed() < LONGEST, "{:?} for a file of {} bytes", began.elapsed(), bytes.len());
    drop(guard);
    made
}

#[derive(Clone, Debug)]
enum Edit {
    Flip(Index, u8),
    Truncate(Index),
    Insert(Index, Vec<u8>),
    /// Four bytes, or a word, of the lists below.
    Number(Index, usize),
    Word(Index, usize),
    /// A piece of the file again, elsewhere.
    Repeat(Index, Index, usize),
}

const NUMBERS: [u32; 12] = [
    0,
    1,
    5,
    0xffff,
    1_000_000_000,
    0x7fff_ffff,
    0xffff_ffff,
    0x7f80_0000, // infinity
    0x7fc0_0000, // NaN
    0x7f7f_ffff, // largest f32
    0x0000_0001, // least f32
    0x8000_0000, // −0
];

const WORDS: [&str; 24] = [
    " -1 ",
    " 0 ",
    " 99999999999999999999 ",
    " nan ",
    " inf ",
    " 1e308 ",
    " -1e-320 ",
    "\n",
    "\r",
    "\\\n",
    "#",
    "/",
    "//",
    "\nf ",
    "\nv ",
    "\ng ",
    "\no x\n",
    " vertex ",
    "\nendsolid\n",
    "\nsolid ",
    " facet ",
    "endloop",
    "f 1 2 3 4 5 6 7 8 9",
    "\0",
];

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Edit::Flip(at, byte)),
        any::<Index>().prop_map(Edit::Truncate),
        (any::<Index>(), prop::collection::vec(any::<u8>(), 1..20)).prop_map(|(at, bytes)| Edit::Insert(at, bytes)),
        (any::<Index>(), 0..NUMBERS.len()).prop_map(|(at, n)| Edit::Number(at, n)),
        (any::<Index>(), 0..WORDS.len()).prop_map(|(at, n)| Edit::Word(at, n)),
        (any::<Index>(), any::<Index>(), 1..200_usize).prop_map(|(from, to, n)| Edit::Repeat(from, to, n)),
    ];
    prop::collection::vec(edit, 1..5)
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    if bytes.len() < 4 {
        return;
    }
    match edit {
        Edit::Flip(at, byte) => {
            let at = at.index(bytes.len());
            bytes[at] ^= byte;
        }
        Edit::Truncate(at) => bytes.truncate(at.index(bytes.len())),
        Edit::Insert(at, new) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, new.iter().copied());
        }
        Edit::Number(at, n) => {
            let at = at.index(bytes.len() - 3);
            bytes[at..at + 4].copy_from_slice(&NUMBERS[*n].to_le_bytes());
        }
        Edit::Word(at, n) => {
            let at = at.index(bytes.len());
            let word = WORDS[*n].as_bytes();
            let end = (at + word.len()).min(bytes.len());
            bytes.splice(at..end, word.iter().copied());
        }
        Edit::Repeat(from, to, n) => {
            let from = from.index(bytes.len());
            let piece = bytes[from..(from + n).min(bytes.len())].to_vec();
            let to = to.index(bytes.len());
            bytes.splice(to..to, piece);
        }
    }
}

/// Deterministic: the same cases in every run.
fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn attack(cases: u32, seed: Vec<u8>) {
    assert!(survive(&seed), "a seed must be a mesh");
    let mut made = 0;
    let outcome = runner(cases).run(&edits(), |edits| {
        let mut bytes = seed.clone();
        edits.iter().for_each(|edit| apply(&mut bytes, edit));
        std::hint::black_box(survive(&bytes));
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
    // Single bytes: enough of them leave a mesh that what follows the readers is tried too.
    for k in 0..seed.len() {
        let mut bytes = seed.clone();
        bytes[k] ^= 1 << (k % 8);
        made += usize::from(survive(&bytes));
    }
    assert!(made > seed.len() / 10, "{made} of {}", seed.len());
}

/// A wavy torus, 8 × 6 quads.
fn triangles() -> (Vec<[f32; 3]>, Vec<[usize; 3]>) {
    let (nu, nv) = (8, 6);
    let at = |i: usize, j: usize| (i % nu) * nv + j % nv;
    let point = |k: usize| {
        let (u, v) = ((k / nv) as f32 * std::f32::consts::FRAC_PI_4, (k % nv) as f32 * std::f32::consts::FRAC_PI_3);
        let r = 1.0 + 0.3 * v.cos();
        [r * u.cos(), r * u.sin(), 0.3 * v.sin()]
    };
    let quads = (0..nu * nv).map(|k| (k / nv, k % nv));
    let faces = quads
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]);
    ((0..nu * nv).map(point).collect(), faces.collect())
}

fn binary_stl() -> Vec<u8> {
    let (points, faces) = triangles();
    let mut bytes = vec![b' '; 80];
    bytes.extend((faces.len() as u32).to_le_bytes());
    for face in faces {
        bytes.extend([0; 12]);
        face.iter().flat_map(|&v| points[v]).for_each(|x| bytes.extend(x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[test]
fn mutilated_binary_stl_gives_a_mesh_or_an_error() {
    attack(2000, binary_stl());
}

#[test]
fn mutilated_text_stl_gives_a_mesh_or_an_error() {
    let (points, faces) = triangles();
    let mut text = "solid ring\n".to_string();
    for face in &faces[..40] {
        text += "facet normal 0 0 1\nouter loop\n";
        for &v in face {
            let [x, y, z] = points[v];
            text += &format!("vertex {x} {y} {z:e}\n");
        }
        text += "endloop\nendfacet\n";
    }
    attack(2000, (text + "endsolid ring\n").into_bytes());
}

#[test]
fn mutilated_obj_gives_a_mesh_or_an_error() {
    let (points, faces) = triangles();
    let mut text = "# ring\no ring\n".to_string();
    points.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
    for (k, [a, b, c]) in faces.iter().enumerate() {
        text += &match k % 3 {
            0 => format!("f {} {} {}\n", a + 1, b + 1, c + 1),
            1 => format!("g part{k}\nf {}/1/2 {}//3 \\\n{}/4\n", a + 1, b + 1, c + 1),
            _ => format!("f {} {} {}\r\n", *a as i64 - 48, *b as i64 - 48, *c as i64 - 48),
        };
    }
    attack(2000, text.into_bytes());
}

/// A billion triangles in the header, in a file that has none of them.
#[test]
fn claimed_triangles_cost_no_memory() {
    for claim in NUMBERS {
        let mut bytes = vec![0; 84 + 50];
        bytes[80..84].copy_from_slice(&claim.to_le_bytes());
        survive(&bytes);
    }
}

/// Long lines, long polygons, deep continuations: time and memory stay in proportion.
#[test]
fn long_lines_take_no_more_than_their_length() {
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    survive(format!("{corners}f{}\n", " 1 2 3".repeat(20_000)).as_bytes());
    survive(format!("{corners}f 1 2 3{}\n", " \\\n".repeat(50_000)).as_bytes());
    survive(format!("{corners}{}f 1 2 3\n", "g\n".repeat(50_000)).as_bytes());
    survive(format!("{corners}v {}\n", "9".repeat(200_000)).as_bytes());
    survive(format!("{}\n{corners}f 1 2 3\n", "#".repeat(200_000)).as_bytes());
    survive(format!("solid {}\nendsolid", "x".repeat(200_000)).as_bytes());
    survive("solid\nendsolid\n".repeat(20_000).as_bytes());
}

/// Noise behind what files begin with.
#[test]
fn noise_gives_a_mesh_or_an_error() {
    let heads: [&[u8]; 6] = [b"", b"solid ", b"v 0 0 0\n", b"solid a\nfacet normal 0 0 1\n", &[0; 80], b"f "];
    let noise = (0..heads.len(), prop::collection::vec(any::<u8>(), 0..400), any::<bool>());
    let outcome = runner(1500).run(&noise, |(head, mut noise, text)| {
        if text {
            noise.iter_mut().for_each(|b| *b = b" \n0123456789.-/vfg\\#e"[usize::from(*b) % 21]);
        }
        survive(&[heads[head], &noise].concat());
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}
