//! # Spatial springs in their trees
//!
//! - **in**: impedances of a model with its bodies and trees
//! - **out**: [`PlacedSpring`]s: links, frames on them and columns; or a [`ModelError`] that names the impedance
//! - **start at** [`check`], then [`place`]

use super::rows::coordinates;
use super::{Impedance, SpatialSpring, SpringStart};
use crate::coordinates::{Frame, Tree};
use crate::drive::{Gains, Term};
use crate::model::Parts;
use crate::model::body::{BodyId, Mobility};
use crate::model::check::ModelError;
use crate::model::trees::ModelTree;
use fingerpad_contact::spatial::SpatialForce;
use nalgebra::Isometry3;

/// An end of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    /// With the reference.
    Reference(Isometry3<f64>),
    /// At rest in the world.
    Still(Isometry3<f64>),
    /// On a link: its pose in the link's frame.
    Link(usize, Isometry3<f64>),
}

/// A spring of a tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedSpring {
    /// Which impedance of the model.
    pub impedance: usize,
    /// Of translation and of rotation.
    pub gains: [Gains; 2],
    pub from: End,
    pub to: End,
    /// Columns that move either end, in order.
    pub columns: Vec<u32>,
}

impl End {
    pub fn pose(&self, tree: &Tree, frame: &Frame, X_WR: &Isometry3<f64>) -> Isometry3<f64> {
        match self {
            End::Reference(X_RE) => X_WR * X_RE,
            End::Still(X_WE) => *X_WE,
            End::Link(link, X_ME) => frame.pose(tree, *link) * X_ME,
        }
    }

    /// The node that it moves with.
    pub fn node(&self, tree: &Tree) -> Option<usize> {
        match self {
            End::Link(link, _) => tree.ride(*link).node.map(|node| node as usize),
            _ => None,
        }
    }
}

impl PlacedSpring {
    /// x, y and their directions.
    pub fn coordinates(&self, tree: &Tree, frame: &Frame, X_WR: &Isometry3<f64>) -> ([f64; 6], [SpatialForce; 6]) {
        coordinates(&self.from.pose(tree, frame, X_WR), &self.to.pose(tree, frame, X_WR))
    }

    /// Stored where the coordinates are x (J).
    pub fn stored(&self, x: &[f64; 6]) -> f64 {
        x.iter().enumerate().map(|(i, x)| self.gains[i / 3].stored(*x)).sum()
    }

    /// Adds a direction (a wrench about the frame's origin) along the columns.
    pub fn add(&self, tree: &Tree, F: &SpatialForce, frame: &Frame, terms: &mut [Term]) {
        for (end, sign) in [(&self.to, 1.0), (&self.from, -1.0)] {
            let Some(node) = end.node(tree) else { continue };
            for k in tree.path_of_node(node) {
                if let Ok(at) = terms.binary_search_by_key(&u32::from(*k), |term| term.column) {
                    terms[at].share += sign * F.power(frame.column(*k as usize));
                }
            }
        }
    }
}

fn refuse(of: &Impedance, field: &'static str, message: impl Into<String>) -> ModelError {
    ModelError::Drive { of: of.name.clone(), field, message: message.into() }
}

/// Checks all impedances, before bodies become links.
pub(crate) fn check(parts: &Parts) -> Result<(), ModelError> {
    for (i, impedance) in parts.impedances.iter().enumerate() {
        let others = parts.impedances[..i].iter().map(|other| &other.name);
        if parts.drives.iter().map(|drive| &drive.name).chain(others).any(|other| *other == impedance.name) {
            return Err(refuse(impedance, "name", format!("there is a drive `{}` already", impedance.name)));
        }
        if impedance.springs.is_empty() {
            return Err(refuse(impedance, "frame", "an impedance has at least one spring, got none"));
        }
        if !impedance.reference.is_finite() {
            return Err(refuse(impedance, "timeline", "the reference must be finite"));
        }
        for spring in &impedance.springs {
            for (field, pair) in [("stiffness", spring.stiffness), ("damping", spring.damping)] {
                if let Some(bad) = pair.iter().find(|x| !(x.is_finite() && **x >= 0.0)) {
                    let message = format!("must be zero or positive and finite, got {bad}");
                    return Err(refuse(impedance, field, message));
                }
            }
            if spring.stiffness == [0.0; 2] && spring.damping == [0.0; 2] {
                return Err(refuse(impedance, "stiffness", "a spring needs a stiffness or a damping above 0"));
            }
            let from = match spring.from {
                SpringStart::Body(id, X) => Some((id, X)),
                SpringStart::Reference(_) => None,
            };
            for (id, X) in from.into_iter().chain([spring.to]) {
                let Some(body) = parts.bodies.get(id.0) else {
                    let message = format!("it names body {}, and there are {}", id.0, parts.bodies.len());
                    return Err(refuse(impedance, "frame", message));
                };
                if matches!(body.mobility, Mobility::Prescribed(_) | Mobility::Restricted(_)) {
                    let message =
                        format!("`{}` is moved as told or restricted; springs act on free bodies and links", body.name);
                    return Err(refuse(impedance, "frame", message));
                }
                if !X.translation.vector.iter().chain(X.rotation.coords.iter()).all(|x| x.is_finite()) {
                    return Err(refuse(impedance, "frame", format!("the frame on `{}` must be finite", body.name)));
                }
            }
        }
    }
    Ok(())
}

/// Puts references that begin where they hold something there: bodies stand at their start.
pub(crate) fn settle(parts: &mut Parts) {
    for impedance in parts.impedances.iter_mut().filter(|impedance| impedance.held) {
        let Some(SpatialSpring { from: SpringStart::Reference(X_RA), to: (id, X_BE), .. }) = impedance.springs.first()
        else {
            continue;
        };
        impedance.reference.X_WR = parts.bodies[id.0].X_WB * X_BE * X_RA.inverse();
    }
}

/// Bodies that an impedance ties together.
pub(crate) fn bodies(impedance: &Impedance) -> impl Iterator<Item = BodyId> + '_ {
    impedance.springs.iter().flat_map(|spring| {
        let from = match spring.from {
            SpringStart::Body(id, _) => Some(id),
            SpringStart::Reference(_) => None,
        };
        from.into_iter().chain([spring.to.0])
    })
}

/// Puts the springs of a model, which are checked, into its trees.
pub(crate) fn place(parts: &Parts, trees: &mut [ModelTree]) -> Result<(), ModelError> {
    for (number, impedance) in parts.impedances.iter().enumerate() {
        for spring in &impedance.springs {
            let end = |id: BodyId, X_BE: &Isometry3<f64>| {
                let body = &parts.bodies[id.0];
                match body.mobility {
                    Mobility::Link { tree, link } if trees[tree].tree.ride(link).node.is_some() => {
                        (Some(tree), End::Link(link, trees[tree].X_MB[link] * X_BE))
                    }
                    _ => (None, End::Still(body.X_WB * X_BE)),
                }
            };
            let (tree, to) = end(spring.to.0, &spring.to.1);
            let (other, from) = match &spring.from {
                SpringStart::Reference(X_RE) => (None, End::Reference(*X_RE)),
                SpringStart::Body(id, X_BE) => end(*id, X_BE),
            };
            let Some(tree) = tree.or(other) else {
                let name = &parts.bodies[spring.to.0.0].name;
                return Err(refuse(impedance, "frame", format!("nothing moves `{name}`, nor what it hangs on")));
            };
            let made = &trees[tree].tree;
            let nodes = [from.node(made), to.node(made)];
            let mut columns: Vec<u32> = nodes
                .into_iter()
                .flatten()
                .flat_map(|node| made.path_of_node(node).iter().map(|k| u32::from(*k)))
                .collect();
            columns.sort_unstable();
            columns.dedup();
            trees[tree].springs.push(PlacedSpring { impedance: number, gains: spring.gains(), from, to, columns });
        }
    }
    Ok(())
}
