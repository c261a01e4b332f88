//! # Quality: where the smooth surface can be trusted
//!
//! - **out**: per vertex, how it was fitted; for the whole mesh, how far the surface lies from the facets
//! - **start at** [`VertexQuality`] and [`SmoothMesh::distance_to_facets`]

use super::SmoothMesh;
use super::fits::UNRESOLVED;
use super::stencil::Terms;
use nalgebra::Point3;

/// How one vertex was fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexQuality {
    /// The vertex of the given mesh (the first of equal ones).
    pub vertex: u32,
    /// Its sheet.
    pub sheet: u32,
    /// Rings of neighbours used.
    pub rings: usize,
    /// Terms of its quadric.
    pub terms: Terms,
    /// Standard deviation of the neighbours about the quadric (m).
    pub sigma: f64,
    /// Longest edge at the vertex, in its sheet (m).
    pub longest_edge: f64,
    /// Whether the mesh is fine enough here: spread below 5 % of the longest edge and no fall-back.
    pub resolved: bool,
}

/// How far the smooth surface is from the facets, at four points of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshDistance {
    /// Points tried.
    pub samples: usize,
    /// Points from which the surface was reached.
    pub reached: usize,
    /// Root mean square distance (m).
    pub rms: f64,
    /// Median (m).
    pub median: f64,
    /// Distance that 95 % of the points do not exceed (m).
    pub p95: f64,
    /// Largest distance (m).
    pub max: f64,
}

impl SmoothMesh {
    /// How well each vertex is represented; a vertex on a crease is there once per sheet. With deferred fits, the
    /// vertices fitted so far.
    pub fn quality(&self) -> impl Iterator<Item = VertexQuality> + '_ {
        let kept = &self.kept;
        (0..kept.vertex.len()).filter_map(|v| {
            let grade = self.fits.grade(v)?;
            let longest_edge = kept.longest[v];
            // A plane through points that lie in a plane is no fall-back.
            let exact = grade.terms >= Terms::Plane && grade.sigma <= 1e-6 * longest_edge;
            Some(VertexQuality {
                vertex: kept.vertex[v],
                sheet: kept.sheet[v],
                rings: usize::from(grade.rings),
                terms: grade.terms,
                sigma: grade.sigma,
                longest_edge,
                resolved: grade.sigma <= UNRESOLVED * longest_edge && (grade.terms == Terms::Nine || exact),
            })
        })
    }

    /// Vertices of the given mesh where it is too coarse for its shape, in increasing order; with deferred fits, of
    /// those fitted so far.
    pub fn unresolved(&self) -> Vec<u32> {
        let mut found: Vec<u32> = self.quality().filter(|q| !q.resolved).map(|q| q.vertex).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Distance from facets to the surface, at the centroid and three inner points of each facet.
    ///
    /// On a curved body this is mostly what the facets lack, not what the surface has wrong.
    pub fn distance_to_facets(&self, vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> MeshDistance {
        const INNER: [[f64; 3]; 4] = [
            [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0],
            [2.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0],
            [1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0],
            [1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0],
        ];
        let mut distances = Vec::with_capacity(4 * faces.len());
        for f in faces {
            let [a, b, c] = f.map(|v| vertices[v as usize].coords);
            for [i, j, k] in INNER {
                let x = Point3::from(a * i + b * j + c * k);
                distances.extend(self.project(&x).ok().map(|s| (s.p - x).norm()));
            }
        }
        distances.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            let last = distances.len().saturating_sub(1);
            distances.get((share * last as f64).round() as usize).copied().unwrap_or(f64::INFINITY)
        };
        let squares: f64 = distances.iter().map(|d| d * d).sum();
        MeshDistance {
            samples: 4 * faces.len(),
            reached: distances.len(),
            rms: (squares / distances.len().max(1) as f64).sqrt(),
            median: at(0.5),
            p95: at(0.95),
            max: at(1.0),
        }
    }
}
