//! # Spots: contacts as points with four rows each
//!
//! `place` ──(pairs of points, faces)──▶ **here** ──([`Spot`])──▶ `islands`, `project`
//!
//! - **in**: a state whose step has begun ([`Scratch::begin`])
//! - **out**: a [`Spot`] for every point contact, one for every corner of a face; its Jacobians; its friction under a load
//! - **not here**: which spots matter in a step (`step`)
//! - **start at** [`find`], then [`Spot::rows`], [`Spot::limit`]

use crate::accurate::Stop;
use crate::interactions::Pair;
use crate::model::Model;
use crate::place::Place;
use crate::state::State;
use crate::workspace::Scratch;
use fingerpad_contact::law::{ContactLaw, Friction, Stiffness};
use fingerpad_contact::patch::RelativeCurvature;
use fingerpad_contact::site::ContactSite;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::track::FaceContact;
use nalgebra::{Point2, Vector2, Vector3};
use std::f64::consts::PI;

/// μ that stands for no limit, and its moment per load (m).
const STICKS: [f64; 3] = [1e4, 1e4, 1e2];

/// A point where two bodies may touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Which contact it belongs to.
    pub contact: usize,
    /// Which of the points of that contact.
    pub slot: usize,
    /// Bodies A and B.
    pub bodies: [usize; 2],
    pub gap: f64,
    /// Where the normal force acts (m).
    pub p_W: Vector3<f64>,
    /// Where friction acts, midway (m). On each body it acts at the surface, which a gap sets apart: when they touch, that
    /// is the arm.
    pub q_W: Vector3<f64>,
    /// From there to the surfaces of A and B, along the normal (m).
    ends: [f64; 2],
    /// Normal out of A into B, and two axes of friction.
    pub axes_W: [Vector3<f64>; 3],
    /// The first axis of friction in the tangent axes of the site.
    pub axis: Vector2<f64>,
    /// Curvature of the gap; none for corners of faces.
    pub curvature: Option<RelativeCurvature>,
    /// Rows n, t1, t2, s of the Jacobians of A and B, at their centres of mass.
    pub rows: [[[f64; 6]; 4]; 2],
}

/// What friction holds per unit of normal load: semi-axes, and where they come from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Limit {
    /// (μ, μ, μ e): 1, 1, m.
    pub friction: [f64; 3],
    /// e (m).
    pub e_n: f64,
    /// Semi-axes of the patch (m).
    pub patch: Option<(f64, f64)>,
}

/// All spots of a state, and the sites of its contacts.
pub(super) fn find(
    model: &Model,
    state: &State,
    scratch: &mut Scratch,
    spots: &mut Vec<Spot>,
    sites: &mut Vec<ContactSite>,
) -> Result<(), Stop> {
    scratch.begin(model, state);
    spots.clear();
    sites.clear();
    let Scratch { starts, places, sets, faces, .. } = scratch;
    for (contact, at) in state.contacts.iter().enumerate() {
        let pair = at.pair;
        let (a, b) = (pair.a.0, pair.b.0);
        let (X_WA, X_WB) = (&starts[a], &starts[b]);
        let shapes = (&*model.bodies()[a].shape, &*model.bodies()[b].shape);
        let set = sets[contact].and_then(|near| state.near[near].set());
        let place = &mut places[contact];
        let stop = |error| Stop::Track { pair, error };
        place.follow(set, shapes, &X_WA.inv_mul(X_WB), &mut faces[contact]).map_err(stop)?;
        let law = model.law(&pair);
        let closest = if let Place::Face(_) = place {
            &faces[contact].pair
        } else {
            place.pair().unwrap_or(&faces[contact].pair)
        };
        let [V_WA, V_WB] = [a, b].map(|i| {
            let now = &state.bodies[i];
            now.V_WBcm.shift(starts[i].translation.vector - now.X_WBcm.translation.vector)
        });
        let site = ContactSite::without_turning(closest, X_WA, &V_WA, X_WB, &V_WB, law.alpha);
        sites.push(site);
        let axis = axis(&law.law.friction, &site);
        let t1 = site.E_W * axis;
        let spot = Spot {
            contact,
            slot: 0,
            bodies: [a, b],
            gap: site.gap,
            p_W: site.p_WC.coords,
            q_W: site.p_WC.coords,
            ends: [-law.alpha * site.gap, (1.0 - law.alpha) * site.gap],
            axes_W: [site.nhat_W, t1, site.nhat_W.cross(&t1)],
            axis,
            curvature: Some(site.relative_curvature()),
            rows: [[[0.0; 6]; 4]; 2],
        };
        let first = spots.len();
        match place {
            Place::Face(_) if faces[contact].area > 0.0 => corners(&faces[contact], &site, &spot, spots),
            Place::Face(_) => {}
            _ => spots.push(spot),
        }
        for spot in &mut spots[first..] {
            spot.rows =
                [0, 1].map(|side| spot.jacobian(side, &state.bodies[spot.bodies[side]].X_WBcm.translation.vector));
        }
    }
    Ok(())
}

/// First axis of friction in the tangent axes: that of two coefficients.
fn axis(friction: &Friction, site: &ContactSite) -> Vector2<f64> {
    let along = match friction {
        Friction::TwoCoefficients { direction_W, .. } => site.E_W.tr_mul(direction_W).try_normalize(1e-150),
        _ => None,
    };
    along.unwrap_or(Vector2::new(1.0, 0.0))
}

/// The corners of a face.
fn corners(face: &FaceContact, site: &ContactSite, spot: &Spot, spots: &mut Vec<Spot>) {
    let mut places = Vec::new();
    for piece in face.region.pieces() {
        piece.outline(PI / 6.0, |corner| places.push(corner));
    }
    if face.region.pieces().len() > 1 {
        places = hull(places);
    }
    let far = places.iter().map(|x| x.coords.norm()).sum::<f64>() / places.len() as f64;
    let drawn = (mean_distance(face) / far).min(1.0);
    for (slot, x) in places.iter().enumerate() {
        let along = site.E_W * x.coords;
        let (p_W, q_W) = (spot.p_W + along, spot.p_W + along * drawn);
        let gap = face.gap_at(x);
        let ends = [-site.alpha * gap, (1.0 - site.alpha) * gap];
        spots.push(Spot { slot, gap, p_W, q_W, ends, curvature: None, ..*spot });
    }
}

/// Mean distance of the points of a region from its centroid (m): triangles from there to each piece of the outline,
/// ∫ |x| dA = (p × q)/3 ∫ |p + (q − p) t| dt, Simpson with 9 points.
fn mean_distance(face: &FaceContact) -> f64 {
    let (mut sum, mut area) = (0.0, 0.0);
    let mut edge = |p: Vector2<f64>, q: Vector2<f64>| {
        let turn = p.perp(&q);
        let at = |k: usize| (p + (q - p) * (k as f64 / 8.0)).norm();
        let weight = |k: usize| {
            if k == 0 || k == 8 {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        sum += turn / 3.0 * (0..9).map(|k| weight(k) * at(k)).sum::<f64>() / 24.0;
        area += 0.5 * turn;
    };
    for piece in face.region.pieces() {
        let (mut first, mut last) = (None::<Vector2<f64>>, None::<Vector2<f64>>);
        piece.outline(PI / 36.0, |corner| {
            if let Some(last) = last {
                edge(last, corner.coords);
            }
            first = first.or(Some(corner.coords));
            last = Some(corner.coords);
        });
        if let (Some(last), Some(first)) = (last, first) {
            edge(last, first);
        }
    }
    sum / area
}

/// Corners of the convex hull, in order (Andrew).
fn hull(mut points: Vec<Point2<f64>>) -> Vec<Point2<f64>> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    let size = points.iter().map(|p| p.coords.norm()).fold(0.0, f64::max);
    let half = |points: &mut dyn Iterator<Item = &Point2<f64>>| {
        let mut chain: Vec<Point2<f64>> = Vec::new();
        for p in points {
            while let [.., q, r] = chain[..] {
                if (r - q).perp(&(p - r)) > 1e-9 * size * size {
                    break;
                }
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut all = half(&mut points.iter());
    all.extend(half(&mut points.iter().rev()));
    all
}

impl Spot {
    /// Rows n, t1, t2, s of the Jacobian of A (side 0) or B (side 1), its centre of mass at p_WBcm.
    fn jacobian(&self, side: usize, p_WBcm: &Vector3<f64>) -> [[f64; 6]; 4] {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let [n, t1, t2] = self.axes_W.map(|axis| axis * sign);
        let row = |arm: Vector3<f64>, d: Vector3<f64>| {
            let t = arm.cross(&d);
            [t.x, t.y, t.z, d.x, d.y, d.z]
        };
        let (at, rub) = (self.p_W - p_WBcm, self.q_W + self.axes_W[0] * self.ends[side] - p_WBcm);
        [row(at, n), row(rub, t1), row(rub, t2), [n.x, n.y, n.z, 0.0, 0.0, 0.0]]
    }

    /// What friction holds under a load (N).
    pub fn limit(&self, pair: Pair, law: &ContactLaw, load: f64) -> Result<Limit, Stop> {
        let patch = match (&law.stiffness, &self.curvature) {
            (Stiffness::Patch(theory), Some(curvature)) => theory.under_load(curvature, load).ok(),
            _ => None,
        };
        let e_n = match (&law.stiffness, &self.curvature) {
            (_, None) => 0.0,
            (Stiffness::Patch(_), _) => patch.map_or(0.0, |patch| patch.e_n),
            (Stiffness::Constants(constants), _) | (Stiffness::Custom { tangential: constants, .. }, _) => {
                constants.e_n
            }
            (Stiffness::Field(sample), _) => sample.e_n,
        };
        let friction = match &law.friction {
            Friction::None => [0.0; 3],
            Friction::Sticks => STICKS,
            Friction::Coulomb { mu } | Friction::Exact { mu } => [*mu, *mu, mu * e_n],
            Friction::TwoCoefficients { along, across, .. } => {
                let moment = match patch {
                    Some(patch) if patch.a > 0.0 => patch.largest_moment(*along, *across, &self.axis),
                    _ => (along * across).sqrt() * e_n,
                };
                [*along, *across, moment]
            }
            Friction::Rule(_) => return Err(Stop::NoEllipsoid { pair }),
        };
        Ok(Limit { friction, e_n, patch: patch.map(|patch| (patch.a, patch.b)) })
    }
}

/// A row times a velocity.
pub(super) fn dot(row: &[f64; 6], V: &SpatialVelocity) -> f64 {
    row[0] * V.w.x + row[1] * V.w.y + row[2] * V.w.z + row[3] * V.v.x + row[4] * V.v.y + row[5] * V.v.z
}
