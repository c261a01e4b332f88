//! # Low: a vertex of a mesh that lies lowest over a half-space
//!
//! - **in**: a mesh on a half-space, a vertex
//! - **out**: the vertex downhill from it that no neighbour beats, as a pair of points
//! - **not here**: lowest points of the smooth surface, which Newton's method finds ([`refine`](crate::track::refine))
//! - **start at** [`follow`]
//!
//! Flaps and notches of scans have no lowest point that Newton's method could end at. The facets have one, always: a vertex
//! without a lower neighbour. Going from neighbour to neighbour costs some scalar products, and never fails.

use crate::surface::mesh::MeshSurface;
use crate::surface::{Foot, Shape};
use crate::track::edged::Key;
use crate::track::local::loose;
use crate::track::refine::Tolerance;
use crate::track::{ClosestPair, tangent_basis};
use nalgebra::{Isometry3, Point3, Vector3};

/// Which of two bodies is a mesh with a smooth surface, the other being a half-space.
pub(super) fn mesh_of<'a>(a: &'a Shape, b: &'a Shape) -> Option<(u8, &'a MeshSurface)> {
    let (body, mesh) = match (a, b) {
        (Shape::Mesh(mesh), Shape::HalfSpace(_)) => (0, mesh),
        (Shape::HalfSpace(_), Shape::Mesh(mesh)) => (1, mesh),
        _ => return None,
    };
    mesh.smooth().is_some().then_some((body, mesh))
}

/// How exactly a contact is followed. A mesh costs most where it is evaluated, and Newton's method is quadratic: what is left
/// after a step of 1e-9 of the size is below round-off. Where it does not end soon, it does not end.
pub(super) fn tolerance(a: &Shape, b: &Shape) -> Tolerance {
    if mesh_of(a, b).is_some() { Tolerance { step: 1e-9, steps: 14 } } else { Tolerance::default() }
}

/// The vertex of a mesh next to a point of its surface.
pub(super) fn vertex_near(mesh: &MeshSurface, p: &Point3<f64>) -> Option<u32> {
    let face = mesh.solid().closest(p, None).ok()?.face;
    let vertices = mesh.solid().mesh().vertices();
    let far = |v: &u32| (vertices[*v as usize] - p).norm_squared();
    mesh.solid().mesh().faces()[face as usize].into_iter().min_by(|v, w| far(v).total_cmp(&far(w)))
}

/// The lowest vertex downhill from one: what touches, and where. `was` is the pair at the first, where it is known: at the same
/// vertex its curvature, the same in all directions, stays. `size` is the radius of the smaller body (m).
pub(super) fn follow(
    (a, b): (&Shape, &Shape),
    X_AB: &Isometry3<f64>,
    vertex: u32,
    was: Option<&ClosestPair>,
    size: f64,
) -> Option<(Key, ClosestPair)> {
    let (body, mesh) = mesh_of(a, b)?;
    let X_MH = if body == 0 { *X_AB } else { X_AB.inverse() };
    let up_M = X_MH.rotation * Vector3::z();
    let vertices = mesh.solid().mesh().vertices();
    let height = |v: u32| up_M.dot(&(vertices[v as usize].coords - X_MH.translation.vector));
    let (mut at, mut low) = (vertex, height(vertex));
    loop {
        let beside = mesh.neighbours(at).iter().map(|&v| (v, height(v)));
        match beside.min_by(|v, w| v.1.total_cmp(&w.1)) {
            Some(next) if next.1 < low => (at, low) = next,
            _ => break,
        }
    }
    let key = Key::Low { body, vertex: at };
    let p_M = vertices[at as usize];
    let (mut p_H, nhat) = (X_MH.inverse_transform_point(&p_M), Vector3::z());
    p_H.z = 0.0;
    if let Some(was) = was.filter(|_| at == vertex) {
        let (p_ACa, p_BCb) = if body == 0 { (p_M, p_H) } else { (p_H, p_M) };
        let nhat_AB_A = if body == 0 { -up_M } else { nhat };
        return Some((key, ClosestPair { p_ACa, p_BCb, nhat_AB_A, gap: low, E_A: tangent_basis(&nhat_AB_A), ..*was }));
    }
    let foot = Foot { p: p_H, nhat, distance: low };
    let (mesh_shape, plane) = if body == 0 { (a, b) } else { (b, a) };
    let pair = loose(mesh_shape, plane, &X_MH, p_M, &foot, size)?;
    Some((key, if body == 0 { pair } else { pair.swapped(&X_MH) }))
}
