//! # Replay data: frames of a run in format FPR1
//!
//! `kept` ──(frames)──▶ **here** ──(bytes, base64)──▶ the script of `viewer/`
//!
//! - **in**: frames, the stage
//! - **out**: `FPR1`, length of the header (u32, little endian), header (JSON), columns; then gzip, then base64
//! - **not here**: reading it (`viewer/src/data.ts`, same order of columns)
//! - **start at** [`packed`]
//!
//! A column is a list of whole numbers; times the resolution that the header states they are the values. Written are a
//! byte, 1 or 2, and the first or second differences of the numbers as zig-zag varints, whichever is shorter. Smooth
//! motions so take a byte or two a value before gzip.
//!
//! Columns of one kind stand together (all x, then all y), which gzip packs better than the columns of one body together.
//! What is known of each contact (bodies, start, resolutions) is in columns too: in JSON it took half of the data of a
//! scene whose bodies bounce.

use super::stage::Stage;
use super::still::{COLOURS, GROUND};
use crate::run::row::ENERGY;
use fingerpad_contact::surface::Shape;
use fingerpad_contact::surface::elevation::ElevationMap;
use fingerpad_files::recording::{ContactFrame, Frame};
use flate2::{Compression, write::GzEncoder};
use nalgebra::Point3;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;

/// Most bytes of base64 in a page.
const MOST_BYTES: usize = 3_000_000;
/// Most contacts times frames.
const MOST_CONTACTS: usize = 120_000;
/// Nodes along a side of a drawn map patch.
const SIDE: usize = 7;
/// Most map patches.
const MOST_PATCHES: usize = 600;
/// Columns of a contact: mode, point, normal, first axis, semi-axes, normal force, load along both axes and about the
/// normal, share of the limit, e_n, depth, path of slip.
const COLUMNS: usize = 20;

/// The data of a replay as base64 text; its header says what was left out.
pub fn packed(stage: &Stage, frames: &[Frame], mut thinned: bool) -> String {
    let mut frames: Vec<&Frame> = frames.iter().collect();
    loop {
        let bytes = encoded(stage, &frames, thinned);
        let text = base64(&gzip(&bytes));
        if text.len() <= MOST_BYTES || frames.len() < 8 {
            return text;
        }
        // The rate goes first.
        let last = frames.len() - 1;
        frames = frames.into_iter().enumerate().filter(|(k, _)| k % 2 == 0 || *k == last).map(|(_, f)| f).collect();
        thinned = true;
    }
}

/// One stretch of frames in which a contact lasts.
struct Track<'a> {
    start: usize,
    samples: Vec<&'a ContactFrame>,
}

fn encoded(stage: &Stage, frames: &[&Frame], thinned: bool) -> Vec<u8> {
    let mut out = Columns::default();
    let mut notes = Vec::new();
    let times: Vec<f64> = frames.iter().map(|f| f.time).collect();
    let span = times.last().unwrap_or(&0.0) - times.first().unwrap_or(&0.0);
    let time = (1e-7_f64).min(span.max(1e-9) * 1e-6);
    let position = (1e-6_f64).min(1e-5 * stage.reach).max(1e-12 * stage.reach);
    let quaternion = 1e-5;
    out.column(times.iter().copied(), time);
    let shapes: Vec<Value> =
        stage.shells.iter().enumerate().map(|(s, _)| shape(stage, s, &mut out, &mut notes)).collect();
    let mut poses = Vec::new();
    for (i, fixed) in stage.fixed.iter().enumerate() {
        let first = frames.first().map(|f| &f.bodies[i]);
        if *fixed {
            poses.push(json!(first.map_or([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], |b| {
                [b.p[0], b.p[1], b.p[2], b.q[0], b.q[1], b.q[2], b.q[3]]
            })));
            continue;
        }
        poses.push(Value::Null);
    }
    let moving: Vec<usize> = (0..stage.fixed.len()).filter(|i| !stage.fixed[*i]).collect();
    for k in 0..3 {
        moving.iter().for_each(|i| out.column(frames.iter().map(|f| f.bodies[*i].p[k]), position));
    }
    let turns: Vec<Vec<[f64; 4]>> = moving.iter().map(|i| signed(frames, *i)).collect();
    for k in 0..4 {
        turns.iter().for_each(|turns| out.column(turns.iter().map(|q| q[k]), quaternion));
    }
    let tracks = tracks(frames, &mut notes);
    let frictions = write_tracks(&tracks, position, position.max(1e-5 * stage.reach), &mut out);
    let mut energies = Vec::new();
    for (k, name) in ENERGY.iter().enumerate() {
        let values = || frames.iter().map(|f| f.energy.get(k).copied().unwrap_or(0.0));
        let range = values().fold(0.0_f64, |m, x| m.max(x.abs()));
        if range > 0.0 {
            let res = 1e-5 * range;
            out.column(values(), res);
            energies.push(json!({"name": name, "res": res}));
        }
    }
    let (patches, over) = patches(stage, frames, &mut out, &mut notes);
    if thinned {
        notes.push(format!("the replay has {} frames, fewer than 60 a second, to keep this file small", frames.len()));
    }
    let header = json!({
        "frames": frames.len(),
        "names": stage.names,
        "fixed": stage.fixed,
        "shape_of": stage.shape_of,
        "poses": poses,
        "shapes": shapes,
        "resolution": {"time": time, "position": position, "quaternion": quaternion},
        "tracks": tracks.len(),
        "frictions": frictions,
        "energies": energies,
        "patches": patches,
        "over": over,
        "middle": [stage.middle.x, stage.middle.y, stage.middle.z],
        "reach": stage.reach,
        "notes": notes,
        "colours": COLOURS,
        "ground": GROUND,
    });
    let header = header.to_string();
    let mut bytes = b"FPR1".to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(out.bytes);
    bytes
}

/// Quaternions of a body without jumps of sign.
fn signed(frames: &[&Frame], body: usize) -> Vec<[f64; 4]> {
    let mut last = [1.0, 0.0, 0.0, 0.0];
    let mut all = Vec::with_capacity(frames.len());
    for frame in frames {
        let mut q = frame.bodies[body].q;
        if q.iter().zip(&last).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
            q = q.map(|x| -x);
        }
        all.push(q);
        last = q;
    }
    all
}

fn shape(stage: &Stage, s: usize, out: &mut Columns, notes: &mut Vec<String>) -> Value {
    let shell = &stage.shells[s];
    let size = shell.points.iter().fold(0.0_f64, |m, p| m.max(p.coords.amax())).max(f64::MIN_POSITIVE);
    let scale = size / 32767.0;
    for k in 0..3 {
        out.column(shell.points.iter().map(|p| p[k]), scale);
    }
    for k in 0..3 {
        out.column(shell.normals.iter().map(|n| n[k]), 1.0 / 127.0);
    }
    out.column(shell.faces.iter().flatten().map(|v| f64::from(*v)), 1.0);
    if let Some(all) = shell.simplified_from {
        notes.push(format!("a mesh of {all} triangles is drawn with {}", shell.faces.len()));
    }
    let body = stage.shape_of.iter().position(|k| *k == s).unwrap_or(0);
    // Lines of a map are its cells, where they are not too many to tell apart.
    let grid = match stage.shapes[body].as_deref() {
        Some(Shape::Elevation(map)) => {
            let few = 4.0 * stage.reach / map.grid().dx < 160.0;
            few.then(|| [map.grid().dx, map.grid().dy])
        }
        _ => None,
    };
    let round = !matches!(stage.kinds[s], "rounded_box" | "mesh") && !shell.ground;
    let mut head = json!({"kind": stage.kinds[s], "points": shell.points.len(), "faces": shell.faces.len(), "scale": scale,
        "ground": shell.ground, "round": round});
    if let Some(grid) = grid {
        head["grid"] = json!(grid);
    }
    head
}

/// Contacts as long as they last, the strongest first where they are too many.
fn tracks<'a>(frames: &[&'a Frame], notes: &mut Vec<String>) -> Vec<Track<'a>> {
    let mut open: HashMap<(usize, usize, u64), usize> = HashMap::new();
    let mut all: Vec<Track> = Vec::new();
    for (k, frame) in frames.iter().enumerate() {
        let mut now = HashMap::new();
        for contact in &frame.contacts {
            let key = (contact.a, contact.b, contact.id);
            let at = open.remove(&key).unwrap_or_else(|| {
                all.push(Track { start: k, samples: Vec::new() });
                all.len() - 1
            });
            all[at].samples.push(contact);
            now.insert(key, at);
        }
        open = now;
    }
    let total: usize = all.iter().map(|t| t.samples.len()).sum();
    if total > MOST_CONTACTS {
        let peak = |t: &Track| t.samples.iter().map(|c| c.normal).fold(0.0, f64::max);
        all.sort_by(|a, b| peak(b).total_cmp(&peak(a)));
        let mut sum = 0;
        let before = all.len();
        all.retain(|t| {
            sum += t.samples.len();
            sum <= MOST_CONTACTS
        });
        all.sort_by_key(|t| t.start);
        notes.push(format!("{} of {before} contacts, the lightest, are left out of the replay", before - all.len()));
    }
    all
}

/// Writes contacts: what each is of, then its columns, then outlines of faces. `point` is the resolution of contact
/// points, `position` that of outlines (m). Returns the coefficients of friction, to which the contacts refer.
fn write_tracks(tracks: &[Track], position: f64, point: f64, out: &mut Columns) -> Vec<f64> {
    let mut frictions: Vec<f64> = Vec::new();
    let mut friction_of = Vec::with_capacity(tracks.len());
    for track in tracks {
        let place = track.samples[0].mu.map(|mu| {
            frictions.iter().position(|known| *known == mu).unwrap_or_else(|| {
                frictions.push(mu);
                frictions.len() - 1
            })
        });
        friction_of.push(place.map_or(-1.0, |k| k as f64));
    }
    let flat = |t: &Track| t.samples.iter().any(|c| !c.outline.is_empty());
    let kind = |t: &Track| u8::from(t.samples.iter().any(|c| c.patch.is_some())) + 2 * u8::from(flat(t));
    out.column(tracks.iter().map(|t| t.samples[0].a as f64), 1.0);
    out.column(tracks.iter().map(|t| t.samples[0].b as f64), 1.0);
    out.column(tracks.iter().map(|t| t.samples[0].id as f64), 1.0);
    out.column(tracks.iter().map(|t| t.start as f64), 1.0);
    out.column(tracks.iter().map(|t| t.samples.len() as f64), 1.0);
    out.column(friction_of.into_iter(), 1.0);
    out.column(tracks.iter().map(|t| f64::from(kind(t))), 1.0);
    for k in 0..COLUMNS {
        let exponents: Vec<i32> = tracks.iter().map(|t| exponent(k, &t.samples, point)).collect();
        out.column(exponents.iter().map(|e| f64::from(*e)), 1.0);
        for (track, e) in tracks.iter().zip(&exponents) {
            out.column(track.samples.iter().map(|c| value(k, c)), 2.0_f64.powi(*e));
        }
    }
    for track in tracks.iter().filter(|t| flat(t)) {
        let samples = &track.samples;
        out.column(samples.iter().map(|c| c.outline.len() as f64), 1.0);
        for k in 0..3 {
            out.column(samples.iter().flat_map(|c| c.outline.iter().map(move |p| p[k])), position);
        }
    }
    frictions
}

/// One quantity of a contact; see [`COLUMNS`].
fn value(k: usize, c: &ContactFrame) -> f64 {
    let (a, b) = c.patch.unwrap_or((0.0, 0.0));
    match k {
        0 => f64::from(c.mode.code()),
        1..4 => c.p[k - 1],
        4..7 => c.n[k - 4],
        7..10 => c.e1[k - 7],
        10 => a,
        11 => b,
        12 => c.normal,
        13..16 => c.load[k - 13],
        16 => c.used,
        17 => c.e_n.unwrap_or(0.0),
        18 => c.depth,
        _ => c.slid,
    }
}

/// The resolution of one quantity of a contact, as a power of two.
fn exponent(k: usize, samples: &[&ContactFrame], point: f64) -> i32 {
    let range = samples.iter().map(|c| value(k, c).abs()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let wanted = match k {
        0 => 1.0,
        1..4 => point,
        4..10 => 1e-3,
        16 => 4e-5,
        10..12 | 17 => 1e-3 * range,
        // A thousandth of the range, and better.
        _ => 4e-4 * range,
    };
    if wanted > 0.0 { wanted.log2().floor().clamp(-1000.0, 1000.0) as i32 } else { 0 }
}

/// The patches of maps that lie under bodies, in the order of the first visit, and which is under whom when.
fn patches(stage: &Stage, frames: &[&Frame], out: &mut Columns, notes: &mut Vec<String>) -> (Vec<Value>, Vec<usize>) {
    let found = stage.shapes.iter().enumerate().find_map(|(i, shape)| match shape.as_deref() {
        Some(Shape::Elevation(map)) if stage.fixed[i] => Some((i, map)),
        _ => None,
    });
    let (Some((body, map)), Some(first)) = (found, frames.first()) else { return (Vec::new(), Vec::new()) };
    let X_WM = super::stage::pose(&first.bodies[body]);
    let over: Vec<usize> = (0..stage.fixed.len()).filter(|i| !stage.fixed[*i]).take(32).collect();
    let mut cells: Vec<(usize, usize)> = Vec::new();
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    let mut under: Vec<Vec<f64>> = vec![Vec::with_capacity(frames.len()); over.len()];
    let mut full = false;
    for frame in frames {
        for (column, i) in under.iter_mut().zip(&over) {
            // The patch of the contact, or the one straight below.
            let touch = frame.contacts.iter().find(|c| (c.a, c.b) == (body, *i) || (c.b, c.a) == (body, *i));
            let p = X_WM.inverse() * Point3::from(touch.map_or(frame.bodies[*i].p, |c| c.p));
            let cell = map.cell_at(p.x, p.y).ok().map(|(i, j, _, _)| (i, j)).filter(|(i, j)| map.cell_is_valid(*i, *j));
            let at = cell.and_then(|cell| {
                if let Some(at) = known.get(&cell) {
                    return Some(*at);
                }
                if cells.len() == MOST_PATCHES {
                    full = true;
                    return None;
                }
                cells.push(cell);
                known.insert(cell, cells.len() - 1);
                Some(cells.len() - 1)
            });
            column.push(at.map_or(-1.0, |at| at as f64));
        }
    }
    if full {
        notes.push(format!("map patches beyond the first {MOST_PATCHES} are not drawn"));
    }
    let heights: Vec<f64> = cells.iter().flat_map(|cell| heights(map, *cell)).collect();
    let range = heights.iter().fold(0.0_f64, |m, z| m.max(z.abs())).max(1e-9);
    let res = (1e-5 * map.grid().dx).max(1e-9 * range);
    out.column(heights.iter().copied(), res);
    under.iter().for_each(|column| out.column(column.iter().copied(), 1.0));
    let head = json!({"body": body, "count": cells.len(), "side": SIDE, "res": res, "at": cells});
    (vec![head], over)
}

/// Heights of one patch by the map's own interpolation, column by column.
fn heights(map: &ElevationMap, (i, j): (usize, usize)) -> Vec<f64> {
    let share = |k: usize| k as f64 / (SIDE - 1) as f64;
    let at = |u: usize, v: usize| map.jet_in_cell(i, j, share(u), share(v)).map_or(0.0, |jet| jet.z);
    (0..SIDE).flat_map(|u| (0..SIDE).map(move |v| (u, v))).map(|(u, v)| at(u, v)).collect()
}

#[derive(Default)]
struct Columns {
    bytes: Vec<u8>,
}

impl Columns {
    fn column(&mut self, values: impl Iterator<Item = f64>, resolution: f64) {
        // What is not finite has no place in a picture.
        let whole = |value: f64| {
            let share = value / resolution;
            if share.is_finite() { share.round().clamp(-4e14, 4e14) as i64 } else { 0 }
        };
        let first = differences(values.map(whole).collect());
        let second = differences(first.clone());
        let [first, second] = [first, second].map(|list| varints(&list));
        let (order, bytes) = if second.len() < first.len() { (2, second) } else { (1, first) };
        self.bytes.push(order);
        self.bytes.extend(bytes);
    }
}

/// Each number less the one before it.
fn differences(mut list: Vec<i64>) -> Vec<i64> {
    for k in (1..list.len()).rev() {
        list[k] -= list[k - 1];
    }
    list
}

fn varints(list: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * list.len());
    for d in list {
        let mut zig = ((d << 1) ^ (d >> 63)) as u64;
        while zig > 127 {
            bytes.push((zig & 127) as u8 | 128);
            zig >>= 7;
        }
        bytes.push(zig as u8);
    }
    bytes
}

/// Bytes packed.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let _ = packer.write_all(bytes);
    packer.finish().unwrap_or_default()
}

/// Bytes as base64 (RFC 4648), padded.
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0_u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k)) as usize & 63] as char;
            text.push(if k <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        let cases = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        cases.into_iter().for_each(|(from, to)| assert_eq!(base64(from.as_bytes()), to));
    }

    /// Numbers come back within half a resolution, whatever their size and sign; a reader of ten lines decodes them.
    #[test]
    fn columns_come_back() {
        let values = [0.0, 1e-6, -3.5, 1234.567891, -1e6, 1e6, 0.1];
        let mut columns = Columns::default();
        columns.column(values.into_iter(), 1e-6);
        let order = columns.bytes[0];
        let (mut at, mut last, mut slope, mut found) = (1, 0_i64, 0_i64, Vec::new());
        while at < columns.bytes.len() {
            let (mut zig, mut shift) = (0_u64, 0);
            loop {
                let byte = columns.bytes[at];
                at += 1;
                zig |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    break;
                }
            }
            let d = (zig >> 1) as i64 ^ -((zig & 1) as i64);
            slope = if order == 2 { slope + d } else { d };
            last += slope;
            found.push(last as f64 * 1e-6);
        }
        assert_eq!(found.len(), values.len());
        for (a, b) in values.iter().zip(&found) {
            assert!((a - b).abs() <= 0.5e-6 + 1e-15 * a.abs(), "{a} {b}");
        }
    }
}
