//! # Features: corners and edges of a core that another body can touch
//!
//! - **in**: a mesh with its topology and planes, the vertices of its core
//! - **out**: [`Corner`]s and [`CoreEdge`]s over which the body is convex
//! - **not here**: flat faces (`track::faces`); who touches them (`track`)
//! - **start at** [`edges`] and [`corners`]

use super::super::topology::Topology;
use super::core::planes_at;
use super::planes::Planes;
use nalgebra::{Point3, Vector3};

/// A vertex of the core that some plane touches from outside at this vertex alone: the ball ρ around it is a corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Corner {
    /// The core vertex (m).
    pub p: Point3<f64>,
    /// Unit outward normals of the planes around it.
    pub normals: Vec<Vector3<f64>>,
    /// Its index in the core.
    pub vertex: u32,
}

/// A core edge over which the body is convex: the tube ρ around it is a rounded edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoreEdge {
    /// Its ends (m).
    pub ends: [Point3<f64>; 2],
    /// Unit outward normals of the planes on both sides.
    pub normals: [Vector3<f64>; 2],
    /// Indices of its ends in the core.
    pub vertices: [u32; 2],
}

/// Edges between different planes that bend outwards, in the order of their ends.
pub(super) fn edges(topology: &Topology, planes: &Planes, core: &[Point3<f64>]) -> Vec<CoreEdge> {
    let edges = topology.edges.iter().enumerate();
    edges
        .filter_map(|(e, edge)| {
            let &[s, t] = topology.edge_faces.row(e as u32) else { return None };
            let [s, t] = [s, t].map(|f| planes.of_face[f as usize]);
            (s != t && edge.bend > 0.0).then(|| CoreEdge {
                ends: edge.ends.map(|v| core[v as usize]),
                normals: [s, t].map(|k| planes.normals[k as usize]),
                vertices: edge.ends,
            })
        })
        .collect()
}

/// Vertices of three planes or more that are extreme in some direction.
pub(super) fn corners(topology: &Topology, planes: &Planes, core: &[Point3<f64>]) -> Vec<Corner> {
    (0..core.len() as u32)
        .filter_map(|v| {
            let around = planes_at(topology, planes, v);
            let normals: Vec<_> = around.iter().map(|&k| planes.normals[k as usize]).collect();
            if normals.len() < 3 {
                return None;
            }
            let sides = topology.vertex_vertices.row(v).iter();
            let ways: Vec<_> =
                sides.filter_map(|&o| (core[o as usize] - core[v as usize]).try_normalize(0.0)).collect();
            is_extreme(&normals, &ways).then(|| Corner { p: core[v as usize], normals, vertex: v })
        })
        .collect()
}

/// Steps of the search for a direction; it ends early where there is one with some room.
const STEPS: usize = 200;

/// Whether some direction d has d·w < 0 for all ways w that leave the vertex (perceptron).
///
/// A direction with less room than 1/√[`STEPS`], about 4°, may be missed if the sum of the normals is none: such a
/// corner is nearly an edge, and the ends of edges are features too.
fn is_extreme(normals: &[Vector3<f64>], ways: &[Vector3<f64>]) -> bool {
    let mut d: Vector3<f64> = normals.iter().sum();
    for _ in 0..STEPS {
        let Some(worst) = ways.iter().max_by(|a, b| d.dot(a).total_cmp(&d.dot(b))) else { return false };
        if d.dot(worst) < 0.0 {
            return true;
        }
        d -= worst;
    }
    false
}
