//! # Facets: a triangle mesh in pieces
//!
//! - **out**: boxes of the tree of facets, then facets, then quarters of facets
//! - **start at** [`Facets`]
//!
//! The tree's boxes are those of the facets; a smoothed surface departs from them by no more than its bound, which the
//! caller adds to the limit.

use super::Cover;
use crate::surface::mesh::MeshSolid;
use crate::surface::mesh::bvh::Branch;
use nalgebra::Point3;

/// The facets of a mesh.
pub(crate) struct Facets<'a> {
    solid: &'a MeshSolid,
}

/// A box of the tree, or a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Piece {
    Branch(Branch),
    Triangle([Point3<f64>; 3]),
}

impl<'a> Facets<'a> {
    /// The facets of a mesh.
    pub fn new(solid: &'a MeshSolid) -> Self {
        Self { solid }
    }
}

impl Cover for Facets<'_> {
    type Piece = Piece;

    fn whole(&self, pieces: &mut Vec<Piece>) {
        pieces.push(Piece::Branch(Branch::ROOT));
    }

    fn ball(&self, piece: &Piece) -> (Point3<f64>, f64) {
        match piece {
            Piece::Branch(branch) => self.solid.bvh().ball(*branch),
            Piece::Triangle(corners) => {
                let centre = Point3::from((corners[0].coords + corners[1].coords + corners[2].coords) / 3.0);
                (centre, corners.iter().map(|p| (p - centre).norm()).fold(0.0, f64::max))
            }
        }
    }

    fn is_single(&self, piece: &Piece) -> bool {
        matches!(piece, Piece::Triangle(_))
    }

    fn split(&self, piece: &Piece, parts: &mut Vec<Piece>) {
        match piece {
            Piece::Branch(branch) => {
                let (bvh, mesh) = (self.solid.bvh(), self.solid.mesh());
                match bvh.children(*branch) {
                    Some(children) => parts.extend(children.map(Piece::Branch)),
                    None => bvh.facets(*branch, |corners| {
                        parts.push(Piece::Triangle(corners.map(|v| mesh.vertices()[v as usize])));
                    }),
                }
            }
            Piece::Triangle([a, b, c]) => {
                let [ab, bc, ca] = [nalgebra::center(a, b), nalgebra::center(b, c), nalgebra::center(c, a)];
                parts.extend([[*a, ab, ca], [ab, *b, bc], [ca, bc, *c], [ab, bc, ca]].map(Piece::Triangle));
            }
        }
    }
}
