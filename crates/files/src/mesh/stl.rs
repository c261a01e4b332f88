//! # STL: triangles one by one, as text or as bytes
//!
//! - **in**: text (`solid … facet normal … outer loop … vertex …`), or 80 bytes of header, a count, 50 bytes each
//! - **out**: vertices shared where their bits are equal; each `solid` of a text is a group
//! - **not here**: normals of the file, which are only compared with the winding; attribute bytes, which are skipped
//! - **assumes**: little-endian numbers
//! - **start at** [`read_binary`] and [`read_text`]

use fingerpad_contact::surface::mesh::DistinctPoints;
use nalgebra::{Point3, Vector3};

use super::text::{Lines, Word, Words};
use super::{FaceGroup, MeshFile, MeshFileError, MeshFormat, MeshOptions};
use super::{begin_group, end_group, in_metres, push_face};

/// Bytes before the triangles: 80 of anything and a count.
const HEADER: usize = 84;
/// Bytes of a triangle: a normal, three corners, two more.
const TRIANGLE: usize = 50;

pub(super) fn read_binary(bytes: &[u8], file: &str, options: &MeshOptions) -> Result<MeshFile, MeshFileError> {
    let wrong = |offset: usize, expected: String, got: String| MeshFileError::Bytes {
        file: file.to_string(),
        offset: offset as u64,
        expected,
        got,
    };
    let Some(end) = announced(bytes, bytes.len() as u64, file, options)? else {
        let expected = format!("text, or a binary STL of at least {HEADER} bytes");
        return Err(wrong(bytes.len(), expected, "the end of the file".to_string()));
    };
    // The header and chunks below have the lengths that are asked of them.
    let body = &bytes[HEADER..end as usize];
    let mut triangles = Triangles::with_capacity(body.len() / TRIANGLE);
    for (k, chunk) in body.chunks_exact(TRIANGLE).enumerate() {
        let number = |i: usize| {
            f64::from(f32::from_le_bytes([chunk[4 * i], chunk[4 * i + 1], chunk[4 * i + 2], chunk[4 * i + 3]]))
        };
        let vector = |i: usize| [number(i), number(i + 1), number(i + 2)];
        let mut corners = [Point3::origin(); 3];
        for c in 0..3 {
            let raw = vector(3 + 3 * c);
            corners[c] = in_metres(raw, options.unit).ok_or_else(|| {
                let expected = format!("a finite vertex (corner {} of triangle {})", c + 1, k + 1);
                wrong(HEADER + k * TRIANGLE + 12 + 12 * c, expected, format!("{raw:?}"))
            })?;
        }
        triangles.push(Vector3::from(vector(0)), corners, file, options)?;
    }
    let mut mesh = triangles.finish(MeshFormat::StlBinary);
    mesh.warnings.extend(left_over(bytes.len() as u64 - end, mesh.faces.len()));
    Ok(mesh)
}

/// Where the triangles that a header announces end (bytes), in a file of this length; none where there is no header.
pub(super) fn announced(
    start: &[u8],
    length: u64,
    file: &str,
    options: &MeshOptions,
) -> Result<Option<u64>, MeshFileError> {
    let Some(&[a, b, c, d]) = start.get(80..HEADER) else { return Ok(None) };
    let count = u32::from_le_bytes([a, b, c, d]);
    let limit = options.max_faces.min(u64::from(u32::MAX) / 3);
    let (need, rest) = (u64::from(count) * TRIANGLE as u64, length.saturating_sub(HEADER as u64));
    if count == 0 || need > rest {
        let expected = format!("a count of triangles that fits the {rest} bytes after it (50 each)");
        let got = format!("{count} (a truncated file, or not a binary STL)");
        return Err(MeshFileError::Bytes { file: file.to_string(), offset: 80, expected, got });
    }
    if u64::from(count) > limit {
        return Err(MeshFileError::TooLarge { file: file.to_string(), what: "triangles", got: count.into(), limit });
    }
    Ok(Some(HEADER as u64 + need))
}

/// A word about bytes behind the triangles.
pub(super) fn left_over(bytes: u64, triangles: usize) -> Option<String> {
    (bytes > 0).then(|| format!("{bytes} bytes after the {triangles} triangles that the header announces: ignored"))
}

/// Triangles so far.
struct Triangles {
    points: DistinctPoints,
    faces: Vec<[u32; 3]>,
    groups: Vec<FaceGroup>,
    /// Triangles whose stored normal has a direction, and of these the ones wound against it.
    judged: usize,
    against: usize,
}

impl Triangles {
    fn with_capacity(faces: usize) -> Self {
        // A closed mesh has half as many vertices as triangles.
        let points = DistinctPoints::with_capacity(faces / 2 + 2);
        Triangles { points, faces: Vec::with_capacity(faces), groups: Vec::new(), judged: 0, against: 0 }
    }

    fn push(
        &mut self,
        normal: Vector3<f64>,
        corners: [Point3<f64>; 3],
        file: &str,
        options: &MeshOptions,
    ) -> Result<(), MeshFileError> {
        let [a, b, c] = corners;
        let agreement = (b - a).cross(&(c - a)).dot(&normal);
        // NaN is neither.
        self.judged += usize::from(agreement.abs() > 0.0);
        self.against += usize::from(agreement < 0.0);
        let face = corners.map(|p| self.points.index_of(p));
        push_face(&mut self.faces, face, file, options)
    }

    fn finish(mut self, format: MeshFormat) -> MeshFile {
        end_group(&mut self.groups, self.faces.len());
        let mut warnings = Vec::new();
        if 2 * self.against > self.judged {
            warnings.push(format!(
                "{} of {} normals point against the winding of their triangles: the winding is believed",
                self.against, self.judged
            ));
        }
        let vertices = self.points.into_points();
        MeshFile { vertices, faces: self.faces, groups: self.groups, warnings, format }
    }
}

pub(super) fn read_text(bytes: &[u8], file: &str, options: &MeshOptions) -> Result<MeshFile, MeshFileError> {
    // A triangle takes over 80 bytes of text.
    let mut triangles = Triangles::with_capacity(bytes.len() / 100);
    let mut source = Source { lines: Lines::new(bytes), words: Words::new(b"", 0), file };
    let mut in_solid = false;
    while let Some(word) = source.next() {
        if word.is("solid") && !in_solid {
            let name = source.words.remainder();
            begin_group(&mut triangles.groups, name, triangles.faces.len());
            in_solid = true;
        } else if word.is("endsolid") && in_solid {
            source.words.remainder();
            end_group(&mut triangles.groups, triangles.faces.len());
            in_solid = false;
        } else if word.is("facet") && in_solid {
            let (normal, corners) = source.facet(options.unit)?;
            triangles.push(normal, corners, file, options)?;
        } else {
            return Err(word.unexpected(file, if in_solid { "`facet` or `endsolid`" } else { "`solid`" }));
        }
    }
    if in_solid {
        return Err(source.ended("`facet` or `endsolid`"));
    }
    Ok(triangles.finish(MeshFormat::StlText))
}

/// Words across lines.
struct Source<'a> {
    lines: Lines<'a>,
    words: Words<'a>,
    file: &'a str,
}

impl<'a> Source<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            if let Some(word) = self.words.next() {
                return Some(word);
            }
            self.words = Words::new(self.lines.next()?, self.lines.line);
        }
    }

    fn ended(&self, expected: &str) -> MeshFileError {
        MeshFileError::Text {
            file: self.file.to_string(),
            line: self.lines.line,
            column: 1,
            expected: expected.to_string(),
            got: "the end of the file".to_string(),
        }
    }

    fn expect(&mut self, keyword: &str) -> Result<(), MeshFileError> {
        let expected = || format!("`{keyword}`");
        let word = self.next().ok_or_else(|| self.ended(&expected()))?;
        if word.is(keyword) { Ok(()) } else { Err(word.unexpected(self.file, &expected())) }
    }

    /// Three numbers, and where the first stands.
    fn vector(&mut self, expected: &str) -> Result<([f64; 3], Word<'a>), MeshFileError> {
        let mut raw = [0.0; 3];
        let mut first = None;
        for x in &mut raw {
            let word = self.next().ok_or_else(|| self.ended(expected))?;
            *x = word.number().ok_or_else(|| word.unexpected(self.file, expected))?;
            first.get_or_insert(word);
        }
        // Three words were read, so there is a first.
        Ok((raw, first.unwrap_or(Word { text: b"", line: self.lines.line, column: 1 })))
    }

    /// What stands between `facet` and `endfacet`.
    fn facet(&mut self, unit: f64) -> Result<(Vector3<f64>, [Point3<f64>; 3]), MeshFileError> {
        self.expect("normal")?;
        let (normal, _) = self.vector("three numbers of a normal")?;
        self.expect("outer")?;
        self.expect("loop")?;
        let mut corners = [Point3::origin(); 3];
        for corner in &mut corners {
            self.expect("vertex")?;
            let (raw, place) = self.vector("three numbers of a vertex")?;
            let p = in_metres(raw, unit);
            *corner = p.ok_or_else(|| place.unexpected(self.file, &format!("a finite vertex, not {raw:?}")))?;
        }
        self.expect("endloop")?;
        self.expect("endfacet")?;
        Ok((Vector3::from(normal), corners))
    }
}
