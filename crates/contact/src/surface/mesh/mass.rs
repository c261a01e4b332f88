//! # Mass: volume, centre and inertia of the solid inside a mesh
//!
//! [`TriangleMesh`] ──▶ **here** ──([`MassProperties`])──▶ bodies
//!
//! - **in**: a watertight mesh
//! - **out**: volume (m³), centre (m), inertia about the centre for unit density (kg·m² for 1 kg/m³)
//! - **not here**: density, shells
//! - **assumes**: where surfaces overlap or nest, volumes add with their signs
//! - **start at** [`MassProperties::of`]

use nalgebra::{Matrix3, Point3, Vector3};

use super::TriangleMesh;

/// Volume, centre and inertia of a solid of density 1 kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume (m³), which is also the mass for unit density.
    pub volume: f64,
    /// Centre of mass (m), in the mesh's frame.
    pub centre: Point3<f64>,
    /// Inertia about the centre, along the mesh's axes, for unit density (m⁵).
    pub inertia: Matrix3<f64>,
}

/// Why a mesh has no mass.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MassError {
    /// The mesh does not enclose a volume.
    #[error("mass needs a watertight mesh, got one with {edges} open or unevenly shared edges; give mass by hand")]
    NotWatertight {
        /// Edges which more triangles run along one way than the other way.
        edges: usize,
    },
    /// The volume vanishes, or cavities outweigh the solid.
    #[error("the mesh must enclose a positive volume, got {got} m³")]
    NoVolume {
        /// The volume (m³).
        got: f64,
    },
}

impl MassProperties {
    /// Volume, centre and inertia, exact but for round-off.
    ///
    /// Every triangle (a, b, c) spans a tetrahedron with a reference point o in the middle of the mesh; signed, they
    /// add up to the solid (the divergence theorem). With a, b, c measured from o and s = a + b + c:
    ///
    /// ```text
    /// V = a·(b × c)/6,   ∫ x dV = V s/4,   ∫ x xᵀ dV = V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20,   I = tr(C) 1 − C
    /// ```
    pub fn of(mesh: &TriangleMesh) -> Result<Self, MassError> {
        let edges = mesh.pair_edges().unbalanced;
        if edges > 0 {
            return Err(MassError::NotWatertight { edges });
        }
        let origin = mesh.bounds().centre();
        let mut volume = 0.0;
        let mut first = Vector3::zeros();
        let mut second = Matrix3::zeros();
        for [a, b, c] in mesh.triangles().map(|corners| corners.map(|p| p - origin)) {
            let v = a.dot(&b.cross(&c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0);
            second += (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose()) * (v / 20.0);
        }
        if volume <= 0.0 {
            return Err(MassError::NoVolume { got: volume });
        }
        let centre = first / volume;
        let about_centre = second - centre * centre.transpose() * volume;
        let inertia = Matrix3::identity() * about_centre.trace() - about_centre;
        Ok(Self { volume, centre: origin + centre, inertia })
    }
}
