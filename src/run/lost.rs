//! # Lost: bodies that have left the world
//!
//! - **in**: the rows of a run
//! - **out**: [`lost_bodies`]: names of bodies that nothing fixed can stop any more; a warning for each, with its time
//! - **not here**: whether a contact was missed (`fingerpad_sim` stops such runs)
//! - **start at** [`Lookout::look`]
//!
//! A body is out of reach of a fixed one when it is off the edge of a map or a graph and does not move back, when it is more
//! than its own size below all of its surface, or below a bounded body, and moves on down. It is lost when it is out of reach
//! of everything fixed or driven that a law lets it meet, and touches nothing. Without gravity there is no down.

use fingerpad_contact::surface::{Bounds, Shape, Surface};
use fingerpad_sim::{ContactMode, Mobility, Model, State};
use nalgebra::{Isometry3, Point3, Vector3};

/// What bodies may come to rest on, and who has left it.
pub struct Lookout {
    /// Bodies that forces do not move.
    stands: Vec<Stand>,
    /// Free bodies with the stands that they can meet, in order.
    free: Vec<(usize, Vec<usize>)>,
    lost: Vec<Lost>,
}

/// A body that forces do not move.
struct Stand {
    body: usize,
    bounds: Bounds,
    /// It reaches down without end, in its own frame.
    is_ground: bool,
}

/// A body that is lost.
struct Lost {
    body: usize,
    /// Time of the row in which it was seen (s).
    time: f64,
    /// The map or graph whose edge it went over, if it did.
    left: Option<usize>,
}

/// How a body is out of reach of a stand.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    Within,
    OverTheEdge,
    Below,
}

impl Lookout {
    /// For the bodies of a model.
    pub fn new(model: &Model) -> Self {
        let bodies = model.bodies();
        let stand = |(body, of): (usize, &fingerpad_sim::Body)| {
            let is_ground = matches!(*of.shape, Shape::HalfSpace(_) | Shape::Graph(_) | Shape::Elevation(_));
            Stand { body, bounds: of.shape.bounds(), is_ground }
        };
        let stands: Vec<Stand> =
            bodies.iter().enumerate().filter(|(_, of)| !of.mobility.is_moved_by_forces()).map(stand).collect();
        let free = bodies.iter().enumerate().filter(|(_, of)| matches!(of.mobility, Mobility::Free));
        let free = free.map(|(i, _)| {
            let met = stands.iter().enumerate().filter(|(_, stand)| model.between(i, stand.body).is_some());
            (i, met.map(|(k, _)| k).collect())
        });
        Self { free: free.collect(), stands, lost: Vec::new() }
    }

    /// Looks at a row.
    pub fn look(&mut self, model: &Model, state: &State) {
        let Some(down_W) = model.gravity_W().try_normalize(0.0) else { return };
        let touches = |i: usize| {
            let of = |id: usize| id == i;
            let mut pressed = state.contacts.iter().filter(|contact| contact.mode != ContactMode::Free);
            pressed.any(|contact| of(contact.pair.a.0) || of(contact.pair.b.0))
        };
        for (i, met) in &self.free {
            let known = self.lost.iter().any(|lost| lost.body == *i);
            if known || met.is_empty() {
                continue;
            }
            let body = Moving::of(model, state, *i);
            let how = |k: &usize| {
                let stand = &self.stands[*k];
                stand.reach(&model.frame(stand.body, &state.bodies[stand.body].X_WBcm), &body, &down_W)
            };
            if met.iter().any(|k| how(k) == Reach::Within) || touches(*i) {
                continue;
            }
            let left = met.iter().find(|k| how(k) == Reach::OverTheEdge).map(|k| self.stands[*k].body);
            self.lost.push(Lost { body: *i, time: state.time, left });
        }
    }

    /// What to tell, one line for each body.
    pub fn warnings(&self, model: &Model) -> Vec<String> {
        let name = |body: usize| &model.bodies()[body].name;
        let tell = |lost: &Lost| {
            let where_to = match lost.left {
                Some(map) => format!("has left `{}`", name(map)),
                None => "has fallen past everything fixed".to_string(),
            };
            format!("body `{}` {where_to} at t = {} s: nothing can stop it any more", name(lost.body), lost.time)
        };
        self.lost.iter().map(tell).collect()
    }
}

/// Names of the bodies that have left the world, in the order in which they did.
pub fn lost_bodies<'a>(lookout: &Lookout, model: &'a Model) -> Vec<&'a str> {
    lookout.lost.iter().map(|lost| model.bodies()[lost.body].name.as_str()).collect()
}

/// A ball around a body, and its motion.
struct Moving {
    middle_W: Point3<f64>,
    radius: f64,
    v_W: Vector3<f64>,
}

impl Moving {
    fn of(model: &Model, state: &State, body: usize) -> Self {
        let now = &state.bodies[body];
        let radius = model.bodies()[body].shape.reach();
        let middle_W = Point3::from(model.frame(body, &now.X_WBcm).translation.vector);
        Self { middle_W, radius, v_W: now.V_WBcm.v }
    }
}

impl Stand {
    fn reach(&self, X_WS: &Isometry3<f64>, body: &Moving, down_W: &Vector3<f64>) -> Reach {
        let Bounds { min, max } = &self.bounds;
        let p = X_WS.inverse_transform_point(&body.middle_W);
        let v = X_WS.inverse_transform_vector(&body.v_W);
        let falls = body.v_W.dot(down_W) > 0.0;
        if self.is_ground {
            // Beyond the edge, with no way back.
            let beyond =
                |i: usize| (p[i] > max[i] + body.radius && v[i] >= 0.0) || (p[i] < min[i] - body.radius && v[i] <= 0.0);
            return match (beyond(0) || beyond(1), p.z < min.z - 2.0 * body.radius && v.z < 0.0) {
                (true, _) => Reach::OverTheEdge,
                (false, true) => Reach::Below,
                (false, false) => Reach::Within,
            };
        }
        let half = 0.5 * (max - min);
        let down_S = X_WS.inverse_transform_vector(down_W);
        let lowest = down_S.dot(&self.bounds.centre().coords) + half.dot(&down_S.abs());
        let is_below = down_S.dot(&p.coords) > lowest + 2.0 * body.radius;
        if is_below && falls { Reach::Below } else { Reach::Within }
    }
}
