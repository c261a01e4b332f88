//! # Tracker: closest points along a motion
//!
//! - **in**: the previous closest pair and the new pose
//! - **out**: the new closest pair, and whether it was followed or found anew
//! - **not here**: several contacts of one pair
//! - **start at** [`Tracker::new`], then [`Tracker::update`]
//!
//! Following is a few Newton steps from the last points. It stays right as long as no other pair of points has
//! become closer (they can: (Stramigioli, §4.2) "the contact points can jump"). Three proofs of that are cheap:
//!
//! - convex bodies apart, or no deeper than their least radii (`convex`);
//! - a convex body on a map whose hollows are wider than the body's largest radius of curvature
//!   (blocks of the map carry a bound of their curvature; it is looked at when the body meets new blocks);
//! - otherwise the *rival*: when last seeded the next best pair had some other gap, and since then no point of the
//!   smaller body has moved far enough to bring that gap level with the present one.
//!
//! Without proof, or if Newton fails or leaves the interval of valid gaps, the pair is seeded again.

use super::convex::{EllipsoidPair, is_certainly_global, renormalized};
use super::motion::Motion;
use super::refine::{Tolerance, refine};
use super::rolling::predict;
use super::seed::{Seeded, global};
use super::{ClosestPair, TrackError, direct, finite_pose, hollow};
use crate::spatial::SpatialVelocity;
use crate::surface::Shape;
use crate::surface::height::{self, HeightFunction};
use crate::surface::mesh::MeshSurface;
use nalgebra::{Isometry3, Point3, Vector3};

/// What an update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackerEvent {
    /// The closest points were followed from the last ones, or have a direct formula.
    Followed,
    /// Newton from the last points failed, or ended outside the valid gaps: seeded again.
    Lost,
    /// Another pair of points could have become closer: seeded again, and the answer stayed.
    Checked,
    /// Seeded again, and another pair of points was closer.
    Jumped,
}

/// Follows the closest points of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tracker {
    pair: ClosestPair,
    /// Gap of the next best pair when last seeded (m).
    rival: f64,
    /// Whether both bodies are convex: the pair with the greatest gap counts, else the one with the least.
    convex: bool,
    /// How far the bodies have moved since the last search.
    motion: Motion,
    /// The part of a map last asked for its hollows.
    hollows: Option<hollow::Known>,
    /// How the foot on a height or mesh, or the normal of an ellipsoid pair, moved in the last three updates.
    strides: [Vector3<f64>; 3],
    /// For a ball and a mesh: the last search.
    on_mesh: Option<direct::MeshSearch>,
}

impl Tracker {
    /// Starts from the closest pair, found from scratch.
    pub fn new(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<Self, TrackError> {
        let seeded = global(a, b, X_AB)?;
        Ok(Self::from_seed(a, b, X_AB, &seeded))
    }

    fn from_seed(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, seeded: &Seeded) -> Self {
        let convex = a.as_convex().is_some() && b.as_convex().is_some();
        Self {
            pair: seeded.pair,
            rival: if convex { seeded.pair.gap - seeded.margin } else { seeded.pair.gap + seeded.margin },
            convex,
            motion: Motion::new(a, b, X_AB),
            hollows: None,
            strides: [Vector3::zeros(); 3],
            on_mesh: None,
        }
    }

    /// The closest pair now.
    pub fn pair(&self) -> &ClosestPair {
        &self.pair
    }

    /// The closest pair at a pose where a formula has it without any memory, for shapes whose tracker would use it.
    #[inline]
    pub fn direct(a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Option<Result<ClosestPair, TrackError>> {
        let is_tracked = |shape: &Shape| matches!(shape, Shape::Mesh(_) | Shape::Graph(_) | Shape::Elevation(_));
        if is_tracked(a) || is_tracked(b) {
            return None;
        }
        let answer = direct::closest(a, b, X_AB)?;
        Some(finite_pose(X_AB).and(answer))
    }

    /// Takes over what [`Tracker::direct`] found.
    #[inline]
    pub fn take_direct(&mut self, pair: ClosestPair) {
        self.pair = pair;
    }

    /// Moves the points ahead by contact kinematics, so that the next update starts closer.
    ///
    /// `V_ABao_A` is the velocity of B relative to A at the present pose, told at the origin of A, in its axes.
    pub fn predict(&mut self, X_AB: &Isometry3<f64>, V_ABao_A: &SpatialVelocity, time: f64) {
        predict(&mut self.pair, X_AB, V_ABao_A, time);
        self.strides = [Vector3::zeros(); 3];
    }

    /// The closest points at a new pose.
    #[inline]
    pub fn update(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>) -> Result<TrackerEvent, TrackError> {
        let followed = match (a, b) {
            (Shape::Ellipsoid(ea), Shape::Ellipsoid(eb)) => {
                let bodies = EllipsoidPair::new(ea, eb, X_AB);
                let last = self.pair.nhat_AB_A;
                let guess = renormalized(last + self.next_stride());
                let found = bodies.follow(&guess, X_AB).or_else(|| bodies.follow(&last, X_AB));
                self.remember(found.map(|pair| pair.nhat_AB_A - last));
                found.filter(|pair| pair.gap.is_finite())
            }
            (Shape::Elevation(map), Shape::Sphere(ball)) => self.ball_on_height(map.as_ref(), ball.radius(), X_AB),
            (Shape::Graph(graph), Shape::Sphere(ball)) => self.ball_on_height(graph, ball.radius(), X_AB),
            (Shape::Mesh(mesh), Shape::Sphere(ball)) => {
                let last = self.pair.p_ACa;
                let (pair, event) = self.ball_on_mesh(mesh, ball.radius(), X_AB, last)?;
                self.pair = pair;
                return Ok(event);
            }
            (Shape::Sphere(ball), Shape::Mesh(mesh)) => {
                let (last, X_BA) = (self.pair.p_BCb, X_AB.inverse());
                let (pair, event) = self.ball_on_mesh(mesh, ball.radius(), &X_BA, last)?;
                self.pair = pair.swapped(&X_BA);
                return Ok(event);
            }
            _ => {
                if let Some(answer) = direct::closest(a, b, X_AB) {
                    finite_pose(X_AB)?;
                    self.pair = answer?;
                    return Ok(TrackerEvent::Followed);
                }
                let found = refine(a, b, X_AB, self.pair.p_ACa, self.pair.p_BCb, Tolerance::default()).ok();
                found.filter(|pair| !pair.is_isolated() || pair.validity().contains(pair.gap))
            }
        };
        match followed {
            Some(pair) if self.is_still_best(a, b, X_AB, &pair) => {
                self.pair = pair;
                Ok(TrackerEvent::Followed)
            }
            Some(pair) => self.reseed(a, b, X_AB, Some(pair)),
            None => self.reseed(a, b, X_AB, None),
        }
    }

    /// The next stride if the motion goes on as in the last two updates: second order, one Newton step saved.
    #[inline]
    fn next_stride(&self) -> Vector3<f64> {
        self.strides[0] * 2.0 - self.strides[1]
    }

    /// The same to third order, where an evaluation is worth a longer memory.
    #[inline]
    fn next_stride_by_three(&self) -> Vector3<f64> {
        (self.strides[0] - self.strides[1]) * 3.0 + self.strides[2]
    }

    #[inline]
    fn remember(&mut self, stride: Option<Vector3<f64>>) {
        // From rest the first stride stands for all, so that the guess does not overshoot.
        let stride = stride.unwrap_or_else(Vector3::zeros);
        let [last, before, _] = self.strides;
        self.strides = if last == Vector3::zeros() { [stride; 3] } else { [stride, last, before] };
    }

    /// A ball on a height: its centre's foot, from where the last ones lead.
    #[inline]
    fn ball_on_height<H: HeightFunction>(
        &mut self,
        surface: &H,
        radius: f64,
        X_AB: &Isometry3<f64>,
    ) -> Option<ClosestPair> {
        let centre = Point3::from(X_AB.translation.vector);
        let last = self.pair.p_ACa;
        let guess = last + self.next_stride();
        let found = height::foot(surface, &centre, guess.x, guess.y)
            .or_else(|_| height::foot(surface, &centre, last.x, last.y))
            .ok()?;
        let at_A = found.jet.surface_point(found.x, found.y);
        let distance = at_A.nhat.dot(&(centre - at_A.p));
        self.remember(Some(at_A.p - last));
        let mut pair = direct::ball_pair(&at_A, distance, radius, X_AB);
        pair.steps = found.steps;
        Some(pair)
    }

    /// A ball on a mesh A: its centre's foot, from where the last ones lead; a search when that may not be the nearest.
    #[inline]
    fn ball_on_mesh(
        &mut self,
        mesh: &MeshSurface,
        radius: f64,
        X_AB: &Isometry3<f64>,
        last: Point3<f64>,
    ) -> Result<(ClosestPair, TrackerEvent), TrackError> {
        finite_pose(X_AB)?;
        let centre = Point3::from(X_AB.translation.vector);
        let guess = last + self.next_stride_by_three();
        let found = mesh.closest_from(&centre, &guess).or_else(|_| mesh.closest_from(&centre, &last)).ok();
        if let (Some(search), Some(found)) = (&self.on_mesh, &found)
            && search.still_holds(&centre, &found.point.p, found.distance)
        {
            self.remember(Some(found.point.p - last));
            let mut pair = direct::ball_pair(&found.point, found.distance, radius, X_AB);
            pair.steps = found.evaluations;
            return Ok((pair, TrackerEvent::Followed));
        }
        let search = direct::ball_on_mesh(mesh, radius, X_AB)?;
        let foot = search.pair.p_ACa;
        let event = match found {
            None => TrackerEvent::Lost,
            Some(found) if (found.point.p - foot).norm() <= 1e-6 * mesh.diagonal() => TrackerEvent::Checked,
            Some(_) => TrackerEvent::Jumped,
        };
        self.remember((event == TrackerEvent::Checked).then_some(foot - last));
        self.on_mesh = Some(search);
        Ok((search.pair, event))
    }

    /// Whether no other pair of points can have become closer.
    #[inline]
    fn is_still_best(&mut self, a: &Shape, b: &Shape, X_AB: &Isometry3<f64>, pair: &ClosestPair) -> bool {
        let proven = match (a, b) {
            (Shape::Elevation(map), _) => hollow::rolls_freely(map, b, &pair.p_ACa, pair.gap, 0.0, &mut self.hollows),
            (_, Shape::Elevation(map)) => hollow::rolls_freely(map, a, &pair.p_BCb, pair.gap, 0.0, &mut self.hollows),
            (Shape::Graph(graph), _) => hollow::rolls_freely_on(graph, b, &pair.p_ACa, pair.gap, 0.0),
            (_, Shape::Graph(graph)) => hollow::rolls_freely_on(graph, a, &pair.p_BCb, pair.gap, 0.0),
            _ => match (a.as_convex(), b.as_convex()) {
                (Some(ca), Some(cb)) => is_certainly_global(pair.gap, ca, cb),
                _ => false,
            },
        };
        let lead = if self.convex { pair.gap - self.rival } else { self.rival - pair.gap };
        proven || (lead > 0.0 && self.motion.since_start(X_AB) < lead)
    }

    /// Finds the pair anew.
    #[cold]
    fn reseed(
        &mut self,
        a: &Shape,
        b: &Shape,
        X_AB: &Isometry3<f64>,
        followed: Option<ClosestPair>,
    ) -> Result<TrackerEvent, TrackError> {
        let seeded = global(a, b, X_AB)?;
        *self = Self::from_seed(a, b, X_AB, &seeded);
        Ok(match followed {
            None => TrackerEvent::Lost,
            // The same place up to what Newton leaves.
            Some(pair) if (pair.p_ACa - seeded.pair.p_ACa).norm() <= 1e-6 * (1.0 + pair.p_ACa.coords.amax()) => {
                TrackerEvent::Checked
            }
            Some(_) => TrackerEvent::Jumped,
        })
    }
}
