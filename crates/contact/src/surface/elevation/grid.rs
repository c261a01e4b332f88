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

    /// Relative rounding of one height: half the distance of neighbouring numbers. Integers are exact, but for the product
    /// with their scale.
    pub(crate) fn resolution(&self) -> f64 {
        if matches!(self, Samples::F32(_)) { 0.5 * f64::from(f32::EPSILON) } else { f64::EPSILON }
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

    /// `N` rows of `N` raw heights from position `k`, rows `stride` apart; one decision on the number type for all.
    #[inline]
    pub(crate) fn block<const N: usize>(&self, k: usize, stride: usize) -> [[f64; N]; N] {
        match self {
            Samples::F64(v) => block(v, k, stride, |z| z),
            Samples::F32(v) => block(v, k, stride, f64::from),
            Samples::I16 { raw, missing } => block(raw, k, stride, |z| from_integer(z, *missing)),
            Samples::U16 { raw, missing } => block(raw, k, stride, |z| from_integer(z, *missing)),
        }
    }
}

#[inline(always)]
fn block<T: Copy, const N: usize>(v: &[T], k: usize, stride: usize, to_f64: impl Fn(T) -> f64) -> [[f64; N]; N] {
    // One check of the bounds for the whole block.
    let v = &v[k..k + (N - 1) * stride + N];
    std::array::from_fn(|b| {
        let row = &v[b * stride..b * stride + N];
        std::array::from_fn(|a| to_f64(row[a]))
    })
}

#[inline]
fn from_integer<T: Copy + PartialEq + Into<f64>>(z: T, missing: Option<T>) -> f64 {
    if Some(z) == missing { f64::NAN } else { z.into() }
}
