//! # Patches: an elevation map in pieces
//!
//! - **out**: blocks of the map's pyramid, cells, parts of cells
//! - **start at** [`Patches`]

use super::Cover;
use crate::surface::elevation::{ElevationMap, MapPiece};
use nalgebra::Point3;

/// The surface of an elevation map.
pub(crate) struct Patches<'a>(pub &'a ElevationMap);

impl Cover for Patches<'_> {
    type Piece = MapPiece;

    fn whole(&self, pieces: &mut Vec<MapPiece>) {
        self.0.whole(pieces);
    }

    fn ball(&self, piece: &MapPiece) -> (Point3<f64>, f64) {
        self.0.ball(piece)
    }

    fn is_single(&self, piece: &MapPiece) -> bool {
        matches!(piece, MapPiece::Part { .. })
    }

    fn split(&self, piece: &MapPiece, parts: &mut Vec<MapPiece>) {
        self.0.split(piece, parts);
    }
}
