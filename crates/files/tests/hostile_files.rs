//! Any bytes give a map or an error: never a panic, a hang, or memory that the file does not pay for.
//!
//! The opinion on memory is the allocator's: each case may have at most 64 MiB at once, from files of a few KB.

mod counting;
mod made;

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use counting::{NOW, ONE_AT_A_TIME, PEAK};
use fingerpad_files::terrain::{self, Degrees, PngScale, TerrainOptions};
use made::{Packing, Sample, Tiff, Value};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const MOST_MEMORY: usize = 64 << 20;
const LONGEST: Duration = Duration::from_secs(5);

/// Read, and hold the reader to its promises; a map that comes must be sound.
fn survive(bytes: &[u8]) -> bool {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let began = Instant::now();
    let png = Some(PngScale { dx: 1.0, dy: 1.0, x0: 0.0, y0: 0.0, z_scale: 0.1, z_offset: 0.0 });
    let options = TerrainOptions { png, degrees: Degrees::Local, ..Default::default() };
    let answer = terrain::read_bytes(bytes, "hostile", &options);
    let peak = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    assert!(peak < MOST_MEMORY, "{peak} bytes of memory for a file of {}", bytes.len());
    assert!(began.elapsed() < LONGEST, "{:?} for a file of {} bytes", began.elapsed(), bytes.len());
    drop(guard);
    match answer {
        Ok(terrain) => {
            let grid = terrain.grid;
            assert_eq!(terrain.samples.len(), grid.nx * grid.ny);
            assert!(grid.nx > 0 && grid.ny > 0 && grid.dx > 0.0 && grid.dy > 0.0, "{grid:?}");
            let (low, high) = terrain.height_range().expect("a map has heights");
            assert!(low.is_finite() && high.is_finite());
            true
        }
        Err(error) => {
            assert!(error.to_string().starts_with("hostile"), "{error}");
            false
        }
    }
}

/// Numbers that break sums, products and signs.
const EXTREMES: [u64; 14] = [
    0,
    1,
    2,
    3,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0xffff_fffe,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

#[derive(Clone, Debug)]
enum Edit {
    Flip(Index, u8),
    Truncate(Index),
    Insert(Index, Vec<u8>),
    Overwrite(Index, usize, usize, bool),
    /// Of the n-th entry of a classic little-endian directory: the type, the count or the value.
    Field(Index, usize, usize),
    /// Text over text.
    Word(Index, usize),
}

const WORDS: [&str; 12] = [
    "ncols",
    "nrows 0",
    "cellsize -1",
    "nan",
    "inf",
    "1e400",
    "99999999999",
    "-9999",
    "NODATA_value",
    "\n",
    "dx 5",
    "\u{fffd}",
];

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let flip = (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| Edit::Flip(at, bit));
    let truncate = any::<Index>().prop_map(Edit::Truncate);
    let bytes = prop::collection::vec(any::<u8>(), 1..9);
    let insert = (any::<Index>(), bytes).prop_map(|(at, bytes)| Edit::Insert(at, bytes));
    let overwrite = (any::<Index>(), 0..EXTREMES.len(), 0..4_usize, any::<bool>())
        .prop_map(|(at, value, size, big)| Edit::Overwrite(at, value, 1 << size, big));
    let field =
        (any::<Index>(), 0..3_usize, 0..EXTREMES.len()).prop_map(|(at, part, value)| Edit::Field(at, part, value));
    let word = (any::<Index>(), 0..WORDS.len()).prop_map(|(at, word)| Edit::Word(at, word));
    let edit = prop_oneof![2 => flip, 1 => truncate, 1 => insert, 2 => overwrite, 4 => field, 2 => word];
    prop::collection::vec(edit, 1..4)
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    if bytes.len() < 16 {
        return;
    }
    match edit {
        Edit::Flip(at, bit) => {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        Edit::Truncate(at) => bytes.truncate(at.index(bytes.len())),
        Edit::Insert(at, more) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, more.iter().copied());
        }
        Edit::Overwrite(at, value, size, big) => {
            let mut value = EXTREMES[*value].to_le_bytes()[..*size].to_vec();
            if *big {
                value.reverse();
            }
            let at = at.index(bytes.len() - size);
            bytes[at..at + size].copy_from_slice(&value);
        }
        Edit::Field(entry, part, value) => {
            let directory = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
            let Some(count) = bytes.get(directory..directory + 2) else { return };
            let count = usize::from(u16::from_le_bytes(count.try_into().unwrap()));
            if count == 0 {
                return;
            }
            let at = directory + 2 + 12 * entry.index(count) + [2, 4, 8][*part];
            let size = [2, 4, 4][*part];
            if let Some(field) = bytes.get_mut(at..at + size) {
                field.copy_from_slice(&EXTREMES[*value].to_le_bytes()[..size]);
            }
        }
        Edit::Word(at, word) => {
            let at = at.index(bytes.len());
            let word = WORDS[*word].as_bytes();
            let end = (at + word.len()).min(bytes.len());
            bytes.splice(at..end, word.iter().copied());
        }
    }
}

/// Deterministic: the same cases in every run.
fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn attack(cases: u32, seeds: Vec<Vec<u8>>, repair: fn(&mut [u8])) {
    for seed in &seeds {
        assert!(survive(seed), "a seed must be a map");
    }
    let outcome = runner(cases).run(&(0..seeds.len(), edits()), |(seed, edits)| {
        let mut bytes = seeds[seed].clone();
        edits.iter().for_each(|edit| apply(&mut bytes, edit));
        repair(&mut bytes);
        survive(&bytes);
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn mutilated_ascii_grids_give_a_map_or_an_error() {
    let values: Vec<String> = (0..120).map(|k| format!("{}", f64::from(k) * 0.37 - 9.0)).collect();
    let values = values.join(" ");
    let seeds = vec![
        format!("ncols 12\nnrows 10\nxllcorner 1.5\nyllcorner -2\ncellsize 0.5\nNODATA_value -9\n{values}\n"),
        format!("NCOLS 10\r\nNROWS 12\r\nXLLCENTER 1e1\r\nYLLCENTER 0\r\nDX 2\r\nDY 3\r\n{values}"),
    ];
    attack(1500, seeds.into_iter().map(String::into_bytes).collect(), |_| {});
}

fn tiff_seeds() -> Vec<Vec<u8>> {
    let packed = |packing, predictor, tile| Tiff { packing, predictor, tile, rows_per_strip: 7, ..Tiff::new(21, 18) };
    let mut seeds = Vec::new();
    for packing in [Packing::None, Packing::Lzw, Packing::Deflate, Packing::PackBits] {
        seeds.push(packed(packing, 1, None).bytes());
        seeds.push(packed(packing, 2, Some((16, 16))).of(Sample::I16).bytes());
        seeds.push(packed(packing, 3, Some((16, 16))).with(42113, Value::Ascii("-7".into())).bytes());
        seeds.push(Tiff { big_endian: true, ..packed(packing, 1, Some((32, 16))).of(Sample::F64) }.bytes());
        seeds.push(Tiff { big_tiff: true, ..packed(packing, 2, None).of(Sample::U16) }.bytes());
    }
    seeds
}

#[test]
fn mutilated_tiffs_give_a_map_or_an_error() {
    attack(6000, tiff_seeds(), |_| {});
}

/// Each field of each tag, alone, through every extreme; no chance involved.
#[test]
fn every_field_of_a_tiff_directory_may_lie() {
    for seed in tiff_seeds().into_iter().filter(|seed| seed.starts_with(b"II*")) {
        let directory = u32::from_le_bytes(seed[4..8].try_into().unwrap()) as usize;
        let entries = usize::from(u16::from_le_bytes(seed[directory..directory + 2].try_into().unwrap()));
        for entry in 0..entries {
            for (at, size) in [(0, 2), (2, 2), (4, 4), (8, 4)] {
                for value in EXTREMES {
                    let mut bytes = seed.clone();
                    let at = directory + 2 + 12 * entry + at;
                    bytes[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
                    survive(&bytes);
                }
            }
        }
    }
}

/// Two lies that agree: huge sides with chunk sizes to match.
#[test]
fn lies_that_agree_cost_no_memory() {
    for packing in [Packing::None, Packing::Lzw, Packing::Deflate] {
        for tile in [None, Some((16, 16))] {
            let made = Tiff { packing, tile, predictor: 3, ..Tiff::new(16, 16) };
            for a in EXTREMES {
                for b in EXTREMES {
                    let [a, b] = [a, b].map(|v| Value::Long(vec![v as u32]));
                    survive(&made.clone().with(256, a.clone()).with(257, b.clone()).with(278, b.clone()).bytes());
                    survive(&made.clone().with(322, a.clone()).with(323, b.clone()).bytes());
                    let all = made.clone().with(256, a.clone()).with(257, b.clone()).with(322, a).with(323, b);
                    survive(&all.bytes());
                }
            }
        }
    }
}

/// Without this, every change would end at the check sum and try nothing behind it.
fn repair_sums(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(size) = bytes.get(at..at + 4) {
        let size = u32::from_be_bytes(size.try_into().unwrap()) as usize;
        let Some(checked) = bytes.get(at + 4..at + 8 + size) else { return };
        let sum = made::crc32(checked).to_be_bytes();
        let Some(field) = bytes.get_mut(at + 8 + size..at + 12 + size) else { return };
        field.copy_from_slice(&sum);
        at += 12 + size;
    }
}

#[test]
fn mutilated_pngs_give_a_map_or_an_error() {
    let (nx, ny) = (19_usize, 16_usize);
    let level = |i: usize, row: usize| (made::height(i, row) as u16).to_be_bytes();
    let line = |row: usize| (0..nx).flat_map(|i| level(i, row)).collect::<Vec<u8>>();
    let lines: Vec<Vec<u8>> = (0..ny).map(line).collect();
    let mut encoded = Vec::new();
    let mut encoder = png::Encoder::new(&mut encoded, nx as u32, ny as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.write_header().unwrap().write_image_data(&lines.concat()).unwrap();
    let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];
    let interlaced: Vec<Vec<u8>> = passes
        .iter()
        .flat_map(|&(x, y, dx, dy)| {
            (y..ny).step_by(dy).map(move |row| (x..nx).step_by(dx).flat_map(|i| level(i, row)).collect())
        })
        .collect();
    let seeds = vec![
        encoded,
        made::png(nx as u32, ny as u32, (16, 0), false, &lines, Some(5)),
        made::png(nx as u32, ny as u32, (16, 0), true, &interlaced, None),
    ];
    attack(1500, seeds.clone(), repair_sums);
    attack(500, seeds, |_| {});
}

/// Noise behind each signature.
#[test]
fn noise_gives_a_map_or_an_error() {
    let heads: [&[u8]; 6] = [b"", b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"\x89PNG\r\n\x1a\n", b"ncols 2 nrows 2 "];
    let noise = (0..heads.len(), prop::collection::vec(any::<u8>(), 0..300));
    let outcome = runner(1000).run(&noise, |(head, noise)| {
        survive(&[heads[head], &noise].concat());
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
}
