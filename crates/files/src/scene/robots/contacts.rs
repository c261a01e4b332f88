//! # Contacts of robots: which surfaces do not touch
//!
//! - **in**: robots with their surfaces
//! - **out**: [`Touching`]: pairs of bodies that pass through each other, pairs that touch whatever else is said
//! - **start at** [`Touching::add`]
//!
//! Links of one robot that a joint joins, that are excluded by its file, or whose bits share none do not touch; none do
//! where `self_contact = false`. What the base stands on does not touch the links at the base.

use super::super::bodies::ReadBody;
use super::links::Made;
use super::{Base, Table};
use crate::robot::description::ShapeIndex;
use std::collections::HashSet;

/// Which bodies of robots touch.
#[derive(Default)]
pub(crate) struct Touching {
    /// Pairs that do not, the lower first.
    pub apart: HashSet<(usize, usize)>,
    /// Pairs that do, although neighbours.
    pub forced: Vec<(usize, usize)>,
}

impl Touching {
    /// Adds a robot.
    pub(super) fn add(&mut self, table: &Table, made: &Made, bodies: &[ReadBody]) {
        let robot = &table.robot;
        for (k, &(i, one, of_one)) in made.surfaces.iter().enumerate() {
            for &(j, two, of_two) in &made.surfaces[..k] {
                let shapes = of_one
                    .zip(of_two)
                    .map(|(a, b)| [ShapeIndex { link: one, shape: a }, ShapeIndex { link: two, shape: b }]);
                let named = shapes.is_some_and(|[a, b]| robot.pairs.iter().any(|p| *p == [a, b] || *p == [b, a]));
                let bits = |shapes: [ShapeIndex; 2]| {
                    let [a, b] = shapes.map(|at| robot.links[at.link].shapes[at.shape].bits);
                    a[0] & b[1] != 0 || b[0] & a[1] != 0
                };
                let may = one != two && robot.may_touch(one, two) && shapes.is_none_or(bits);
                if table.self_contact && named {
                    self.forced.push((j.min(i), j.max(i)));
                } else if !(table.self_contact && may) {
                    self.apart.insert((j.min(i), j.max(i)));
                }
            }
        }
        if let Base::On(base) = table.base {
            let under = |i: usize| i == base || bodies[i].body.part_of.is_some_and(|of| of.0 == base);
            let at_base = |link: usize| robot.links[robot.carrier(link)].parent.is_none();
            for &(i, ..) in made.surfaces.iter().filter(|(_, link, _)| at_base(*link)) {
                let others = (0..bodies.len()).filter(|j| under(*j));
                self.apart.extend(others.map(|j| (i.min(j), i.max(j))));
            }
        }
    }
}
