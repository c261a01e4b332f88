//! # OBJ: vertices and polygons as lines of text
//!
//! - **in**: `v x y z [w | r g b | w r g b]`, `f a b c …` with `a`, `a/t`, `a//n` or `a/t/n`, counted from 1 or, negative,
//!   back from the last vertex; `o` and `g`; `\` at the end of a line joins it to the next; `#` begins a comment
//! - **out**: vertices as stored, polygons cut into triangles
//! - **not here**: texture coordinates, normals, materials, smoothing (passed over); curves and free-form surfaces,
//!   points and lines (passed over with a warning)
//! - **assumes**: a face names vertices that stand above it
//! - **start at** [`read`]
//!
//! **Polygons** become fans around the first corner from which all triangles face the same way as the polygon, which
//! a convex one has at once. A polygon without such a corner (deeply concave, or of more than [`TRIED`] corners and
//! concave) becomes a fan around its first corner, with a warning.

use nalgebra::{Point3, Vector3};

use super::text::{Lines, Word, Words};
use super::{MeshFile, MeshFileError, MeshFormat, MeshOptions};
use super::{begin_group, end_group, in_metres, push_face};

/// Most corners of a polygon for which every corner is tried as the middle of a fan.
const TRIED: usize = 64;

/// Statements that say nothing of the surface.
const PASSED_OVER: [&str; 16] = [
    "vt",
    "vn",
    "vp",
    "usemtl",
    "mtllib",
    "s",
    "usemap",
    "maplib",
    "mg",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "call",
];
/// Statements that do, but that we cannot read.
const NOT_READ: [&str; 22] = [
    "p", "l", "curv", "curv2", "surf", "cstype", "deg", "bmat", "step", "parm", "trim", "hole", "scrv", "sp", "end",
    "con", "ctech", "stech", "bzp", "bsp", "cdc", "res",
];

pub(super) fn read(bytes: &[u8], file: &str, options: &MeshOptions) -> Result<MeshFile, MeshFileError> {
    let mut reader = Reader {
        file,
        options,
        mesh: MeshFile {
            vertices: Vec::new(),
            faces: Vec::new(),
            groups: Vec::new(),
            warnings: Vec::new(),
            format: MeshFormat::Obj,
        },
        corners: Vec::new(),
        known: false,
        weights: Counted::default(),
        not_read: Counted::default(),
        unknown: Counted::default(),
        concave: Counted::default(),
    };
    let mut lines = Lines::new(bytes);
    let mut joined = Vec::new();
    while let Some(line) = lines.next() {
        let number = lines.line;
        if !ends_in_backslash(line) {
            reader.statement(&mut Words::new(before_comment(line), number))?;
            continue;
        }
        // Places in a joined line are counted from the line it begins on.
        joined.clear();
        joined.extend_from_slice(&line[..line.len() - 1]);
        while let Some(next) = lines.next() {
            joined.push(b' ');
            let goes_on = ends_in_backslash(next);
            joined.extend_from_slice(&next[..next.len() - usize::from(goes_on)]);
            if !goes_on {
                break;
            }
        }
        reader.statement(&mut Words::new(before_comment(&joined), number))?;
    }
    Ok(reader.finish())
}

fn ends_in_backslash(line: &[u8]) -> bool {
    line.ends_with(b"\\")
}

fn before_comment(line: &[u8]) -> &[u8] {
    &line[..line.iter().position(|b| *b == b'#').unwrap_or(line.len())]
}

/// How often something happened, and on which line first.
#[derive(Default)]
struct Counted {
    count: usize,
    line: u64,
    what: String,
}

impl Counted {
    fn add(&mut self, line: u64, what: &[u8]) {
        if self.count == 0 {
            self.line = line;
            self.what = String::from_utf8_lossy(what).chars().take(32).collect();
        }
        self.count += 1;
    }

    /// A sentence for people, if it happened.
    fn tell(&self, warnings: &mut Vec<String>, sentence: &str) {
        if self.count > 0 {
            let Counted { count, line, what } = self;
            warnings.push(format!("{count} {sentence} (first on line {line}: `{what}`)"));
        }
    }
}

struct Reader<'a> {
    file: &'a str,
    options: &'a MeshOptions,
    mesh: MeshFile,
    /// Corners of the current polygon.
    corners: Vec<u32>,
    /// Whether any statement was one of OBJ.
    known: bool,
    weights: Counted,
    not_read: Counted,
    unknown: Counted,
    concave: Counted,
}

impl Reader<'_> {
    fn statement(&mut self, words: &mut Words) -> Result<(), MeshFileError> {
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword.text {
            b"v" => self.vertex(&keyword, words)?,
            b"f" | b"fo" => self.face(&keyword, words)?,
            b"o" | b"g" => begin_group(&mut self.mesh.groups, words.remainder(), self.mesh.faces.len()),
            text if PASSED_OVER.iter().any(|k| k.as_bytes() == text) => {}
            text if NOT_READ.iter().any(|k| k.as_bytes() == text) => self.not_read.add(keyword.line, text),
            text if self.known => self.unknown.add(keyword.line, text),
            _ => {
                let expected = "a statement of OBJ (v, f, g, …; the file is not an STL either)";
                return Err(keyword.unexpected(self.file, expected));
            }
        }
        self.known = true;
        Ok(())
    }

    fn vertex(&mut self, keyword: &Word, words: &mut Words) -> Result<(), MeshFileError> {
        let mut numbers = [0.0; 7];
        let mut count = 0;
        let mut first = None;
        while let Some(word) = words.next() {
            let number = word.number().filter(|_| count < numbers.len());
            let expected = if count < numbers.len() { "a number" } else { "at most 7 numbers after `v`" };
            numbers[count.min(6)] = number.ok_or_else(|| word.unexpected(self.file, expected))?;
            first.get_or_insert(word);
            count += 1;
        }
        if !matches!(count, 3 | 4 | 6 | 7) {
            let expected = format!("3, 4, 6 or 7 numbers after `v`, not {count}");
            return Err(keyword.unexpected(self.file, &expected));
        }
        // A weight belongs to rational curves and moves no vertex of a polygon.
        if matches!(count, 4 | 7) && numbers[3] != 1.0 {
            self.weights.add(keyword.line, b"v");
        }
        let raw = [numbers[0], numbers[1], numbers[2]];
        let Some(p) = in_metres(raw, self.options.unit) else {
            return Err(first.unwrap_or(*keyword).unexpected(self.file, &format!("a finite vertex, not {raw:?}")));
        };
        if self.mesh.vertices.len() >= u32::MAX as usize - 1 {
            let (got, limit) = (u64::from(u32::MAX), u64::from(u32::MAX) - 1);
            return Err(MeshFileError::TooLarge { file: self.file.to_string(), what: "vertices", got, limit });
        }
        self.mesh.vertices.push(p);
        Ok(())
    }

    /// The vertex that a corner names.
    fn corner(&self, word: &Word) -> Result<u32, MeshFileError> {
        let mut parts = word.text.splitn(4, |b| *b == b'/');
        let whole = |part: &[u8]| std::str::from_utf8(part).ok()?.parse::<i64>().ok();
        let index = parts.next().and_then(whole);
        // Texture and normal are not used, but must look like numbers.
        let rest_is_fine = parts.by_ref().take(2).all(|part| part.is_empty() || whole(part).is_some());
        let (Some(index), true, None) = (index, rest_is_fine, parts.next()) else {
            return Err(word.unexpected(self.file, "a corner as `1`, `1/2`, `1//3` or `1/2/3`"));
        };
        let count = self.mesh.vertices.len() as i64;
        let place = if index < 0 { index.saturating_add(count) } else { index - 1 };
        if index == 0 || place < 0 || place >= count {
            let expected = format!("a vertex from 1 to {count} or -{count} to -1 (those above this line)");
            return Err(word.unexpected(self.file, &expected));
        }
        Ok(place as u32)
    }

    fn face(&mut self, keyword: &Word, words: &mut Words) -> Result<(), MeshFileError> {
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        while let Some(word) = words.next() {
            corners.push(self.corner(&word)?);
        }
        let n = corners.len();
        if n < 3 {
            let expected = format!("at least 3 corners after `f`, not {n}");
            return Err(keyword.unexpected(self.file, &expected));
        }
        let middle = if n == 3 { Some(0) } else { fan_middle(&corners, &self.mesh.vertices) };
        if middle.is_none() {
            self.concave.add(keyword.line, format!("f with {n} corners").as_bytes());
        }
        let at = |k: usize| corners[(middle.unwrap_or(0) + k) % n];
        for k in 1..n - 1 {
            push_face(&mut self.mesh.faces, [at(0), at(k), at(k + 1)], self.file, self.options)?;
        }
        self.corners = corners;
        Ok(())
    }

    fn finish(mut self) -> MeshFile {
        end_group(&mut self.mesh.groups, self.mesh.faces.len());
        let warnings = &mut self.mesh.warnings;
        self.concave.tell(warnings, "concave polygons were cut as if they were convex: triangles may overlap");
        self.weights.tell(warnings, "vertices have a weight other than 1: ignored");
        self.not_read.tell(warnings, "statements of lines, curves or free-form surfaces were ignored");
        self.unknown.tell(warnings, "unknown statements were ignored");
        self.mesh
    }
}

/// The corner from which a polygon is a fan of triangles that all face as it does, if one was found.
pub(super) fn fan_middle(corners: &[u32], vertices: &[Point3<f64>]) -> Option<usize> {
    let n = corners.len();
    let at = |k: usize| vertices[corners[k % n] as usize];
    let cross = |a: usize, b: usize, c: usize| (at(b) - at(a)).cross(&(at(c) - at(a)));
    // Twice the area of the polygon along its normal (Newell).
    let normal: Vector3<f64> = (1..n - 1).map(|k| cross(0, k, k + 1)).sum();
    let fits = |m: usize| (1..n - 1).all(|k| cross(m, m + k, m + k + 1).dot(&normal) >= 0.0);
    (0..if n <= TRIED { n } else { 1 }).find(|m| fits(*m))
}
