//! # The samples of an elevation map: a regular grid of heights, as they came
//!
//! - **in**: numbers of nodes, spacings and origin (m), heights in the number type of the source
//! - **out**: [`Grid`] and [`Samples`], checked by [`ElevationMap::new`](super::ElevationMap::new)
//! - **not here**: interpolation ([`weights`](super::weights)), nodes without data ([`fill`](super::fill))
//!
//! Heights stay in the type they were read in (a 10,000 × 10,000 map of 16-bit heights takes 200 MB, not
//! 800) and become f64 only in the stencil of a query.

/// Where the nodes of a map are: node (i, j) lies at (x0 + i dx, y0 + j dy), row 0 in the south.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Number of columns (nodes along x, eastward).
    pub nx: usize,
    /// Number of rows (nodes along y, northward).
    pub ny: usize,
    /// Spacing of columns (m).
    pub dx: f64,
    /// Spacing of rows (m).
    pub dy: f64,
    /// Easting of node (0, 0) (m); may be as large as a map projection makes it.
    pub x0: f64,
    /// Northing of node (0, 0) (m).
    pub y0: f64,
}

/// Heights, row-major from the south-west node, in the number type of their source.
///
/// Floats mark missing nodes by NaN; integers by the `missing` value.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// Signed 16-bit integers.
    I16 {
        /// Raw heights.
        raw: Vec<i16>,
        /// The value that means "no data".
        missing: Option<i16>,
    },
    /// Unsigned 16-bit integers.
    U16 {
        /// Raw heights.
        raw: Vec<u16>,
        /// The value that means "no data".
        missing: Option<u16>,
    },
}

impl Samples {
    /// Number of heights.
    pub fn len(&self) -> usize {
        match self {
            Samples::F64(v) => v.len(),
            Samples::F32(v) => v.len(),
            Samples::I16 { raw, .. } => raw.len(),
            Samples::U16 { raw, .. } => raw.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The raw height at position `k`, NaN where there is no data.
    #[inline]
    pub fn get(&self, k: usize) -> f64 {
        match self {
            Samples::F64(v) => v[k],
            Samples::F32(v) => f64::from(v[k]),
            Samples::I16 { raw, missing } => from_integer(raw[k], *missing),
            Samples::U16 { raw, missing } => from_integer(raw[k], *missing),
        }
    }

    /// `N` consecutive raw heights from position `k`; one decision on the number type for all.
    #[inline]
    pub(crate) fn run<const N: usize>(&self, k: usize) -> [f64; N] {
        let mut out = [0.0; N];
        match self {
            Samples::F64(v) => out.copy_from_slice(&v[k..k + N]),
            Samples::F32(v) => out.iter_mut().zip(&v[k..k + N]).for_each(|(o, &z)| *o = f64::from(z)),
            Samples::I16 { raw, missing } => {
                out.iter_mut().zip(&raw[k..k + N]).for_each(|(o, &z)| *o = from_integer(z, *missing));
            }
            Samples::U16 { raw, missing } => {
                out.iter_mut().zip(&raw[k..k + N]).for_each(|(o, &z)| *o = from_integer(z, *missing));
            }
        }
        out
    }
}

#[inline]
fn from_integer<T: Copy + PartialEq + Into<f64>>(z: T, missing: Option<T>) -> f64 {
    if Some(z) == missing { f64::NAN } else { z.into() }
}
