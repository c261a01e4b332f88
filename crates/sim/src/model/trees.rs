//! # Trees of a model: joints between bodies become trees in coordinates of their own
//!
//! [`Parts`] ──(joints, couplings, loops)──▶ **here** ──([`ModelTree`]s; links among bodies)──▶ `Model`, steppers
//!
//! - **in**: bodies, joints between them, what ties joints together
//! - **out**: one tree for all that joints, couplings and loops tie together; bodies that ride on it are
//!   [`Mobility::Link`], at their poses of time 0; pairs of neighbours that do not touch
//! - **not here**: what moves in time (`state`, steppers)
//! - **assumes**: trees hang on the world, on bodies that are fixed or move as told, or float
//! - **start at** [`build`]
//!
//! The frame M of a link is that which meets the joint's frame F where q = 0; for a floating root it stands at the centre of
//! mass, in the body's axes, so that free fall is exact.
//!
//! A tree that hangs on a body that moves as told has a free root in that body's place, after the links of its bodies, which a
//! weld leads along ([`Guide`]). It has a mass, that of the tree, so that joints above it can move; its energy is a function of
//! time alone, and taken out of the work that the body does ([`ModelTree::energy_of_bases`]).
//!
//! **Length.** Joints are sorted, checked and placed in one pass over maps from bodies to links that nothing else needs.

use super::Parts;
use super::body::{BodyId, Mobility};
use super::check::ModelError;
use super::joints::{CouplingLaw, JointId, LoopKind, ModelJoint};
use crate::coordinates::{
    Base, Equation, Equations, Factor, Frame, Guide, Held, Joint, Link, Mass, Scalar, Tree, TreeError, TreeState,
};
use crate::drive::Placed;
use crate::drive::impedance::{self, PlacedSpring};
use crate::state::BodyState;
use fingerpad_contact::spatial::SpatialVelocity;
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, Vector3};

/// How well loops and couplings must close at the start (m, rad).
const CLOSED: f64 = 1e-9;
/// Steps of the search for it.
const SEARCH: usize = 200;

/// A tree of a model.
#[derive(Clone, Debug)]
pub struct ModelTree {
    /// Links and joints in coordinates.
    pub tree: Tree,
    /// The body of each link, in the order of [`Tree::links`].
    pub bodies: Vec<BodyId>,
    /// The body's frame in the link's.
    pub X_MB: Vec<Isometry3<f64>>,
    /// The body's axes and its centre of mass in the node that the link rides on.
    pub(crate) in_node: Vec<(Matrix3<f64>, Vector3<f64>)>,
    /// The joint that holds each link; none for a root that floats.
    pub joints: Vec<Option<JointId>>,
    /// Couplings and loops.
    pub equations: Vec<Equation>,
    /// Names of the equations.
    pub names: Vec<String>,
    /// The state at time 0.
    pub start: TreeState,
    /// Drives of its joints.
    pub(crate) drives: Vec<Placed>,
    /// Spatial springs on its links.
    pub(crate) springs: Vec<PlacedSpring>,
    /// Roots that stand for bodies that move as told.
    bases: Vec<MovingBase>,
}

/// A root that stands for a body that moves as told.
#[derive(Clone, Debug)]
struct MovingBase {
    body: usize,
    guide: Guide,
    mass: f64,
    /// About every axis (kg·m²).
    inertia: f64,
}

impl MovingBase {
    fn energy(&self, gravity_W: &Vector3<f64>, t: f64) -> f64 {
        let at = Isometry3::identity();
        let (p, V) = (self.guide.pose(&at, t).translation.vector, self.guide.velocity(&at, t));
        0.5 * self.mass * V.v.norm_squared() + 0.5 * self.inertia * V.w.norm_squared() - self.mass * gravity_W.dot(&p)
    }
}

impl ModelTree {
    /// Couplings and loops at a time.
    pub(crate) fn held(&self, t: f64) -> Held<'_> {
        Held { list: &self.equations, t }
    }

    /// Energy that roots in place of bodies that move as told have at a time, beyond that of time 0 (J).
    pub(crate) fn energy_of_bases(&self, t: f64) -> f64 {
        let gravity_W = self.tree.gravity_W();
        self.bases.iter().map(|base| base.energy(gravity_W, t) - base.energy(gravity_W, 0.0)).sum()
    }

    /// Pose and velocity of the centre of mass of each body of the tree, at a placed frame with velocities.
    pub(crate) fn write(&self, parts: &[super::Body], frame: &Frame, mut put: impl FnMut(usize, BodyState)) {
        for (link, id) in self.bodies.iter().enumerate() {
            if self.tree.ride(link).node.is_some() {
                put(id.0, self.body_at(parts, frame, link));
            }
        }
    }

    /// Pose and velocity of the centre of mass of a link's body.
    pub(crate) fn body_at(&self, parts: &[super::Body], frame: &Frame, link: usize) -> BodyState {
        if let Some(node) = self.tree.ride(link).node {
            let (R_NB, p_NBcm) = &self.in_node[link];
            let arm = frame.in_node(node as usize, p_NBcm);
            let X_WBcm = Isometry3::from_parts((frame.p_WO + arm).into(), frame.turned_in_node(node as usize, R_NB));
            return BodyState { X_WBcm, V_WBcm: frame.velocity_of_node(node as usize).shift(arm) };
        }
        let (tree, body) = (&self.tree, &parts[self.bodies[link].0]);
        let X_WM = frame.pose(tree, link);
        let X_WB = X_WM * self.X_MB[link];
        let p_WBcm = (X_WB * body.p_BoBcm).coords;
        let V_WBcm = frame.velocity(tree, link).shift(p_WBcm - X_WM.translation.vector);
        BodyState { X_WBcm: Isometry3::from_parts(Translation3::from(p_WBcm), X_WB.rotation), V_WBcm }
    }

    /// The link of a body.
    pub fn link_of(&self, body: BodyId) -> Option<usize> {
        self.bodies.iter().position(|id| *id == body)
    }

    /// The first column and the first place in q of a link's joint.
    pub fn first_of(&self, link: usize) -> (usize, usize) {
        let links = self.tree.links();
        let (q, v) = links[..link].iter().fold((0, 0), |(q, v), l| (q + l.joint.nq(), v + l.joint.nv()));
        let column = self.tree.v_of_user().get(v).map_or(0, |at| *at as usize);
        (column, self.tree.q_of_user().get(q).map_or(0, |at| *at as usize))
    }
}

/// Where joints of a model are: tree and link.
pub(crate) type Places = Vec<Option<(usize, usize)>>;

fn refuse(joint: &str, field: &'static str, message: impl Into<String>) -> ModelError {
    ModelError::Joint { of: joint.to_string(), field, message: message.into() }
}

/// Makes the trees of a model and turns the bodies that ride on them into links.
pub(crate) fn build(parts: &mut Parts) -> Result<(Vec<ModelTree>, Places), ModelError> {
    if parts.joints.is_empty() && parts.loops.is_empty() && parts.impedances.is_empty() {
        if let Some(coupling) = parts.couplings.first() {
            return Err(refuse(&coupling.name, "joints", "a coupling of joints in a model without joints"));
        }
        return Ok((Vec::new(), Vec::new()));
    }
    let above = parents(parts)?;
    let group = groups(parts, &above)?;
    let mut trees = Vec::new();
    let mut places = vec![None; parts.joints.len()];
    for first in 0..parts.bodies.len() {
        let members: Vec<usize> = (0..parts.bodies.len()).filter(|i| group[*i] == Some(first)).collect();
        if members.is_empty() {
            continue;
        }
        let tree = make(parts, &members, &above)?;
        exclude_neighbours(parts, &tree, &above);
        let number = trees.len();
        let moves = tree.tree.nv() > 0;
        settle_bodies(parts, &tree, number)?;
        for (link, joint) in tree.joints.iter().enumerate() {
            if let Some(joint) = joint.filter(|_| moves) {
                places[joint.0] = Some((number, link));
            }
        }
        if moves {
            trees.push(tree);
        }
    }
    Ok((trees, places))
}

/// The joint above each body, checked.
fn parents(parts: &Parts) -> Result<Vec<Option<usize>>, ModelError> {
    let count = parts.bodies.len();
    let mut above: Vec<Option<usize>> = vec![None; count];
    for (j, joint) in parts.joints.iter().enumerate() {
        let of = joint.name.as_str();
        if joint.child.0 >= count || joint.parent.is_some_and(|p| p.0 >= count) {
            return Err(refuse(of, "child", format!("it names a body that is not there; the model has {count}")));
        }
        let child = &parts.bodies[joint.child.0];
        if joint.parent == Some(joint.child) {
            return Err(refuse(of, "parent", format!("`{}` cannot hang on itself", child.name)));
        }
        if let Some(other) = above[joint.child.0] {
            let other = &parts.joints[other].name;
            let message = format!(
                "`{}` hangs on joint `{other}` already, and a body hangs on one joint; close the circle by a loop",
                child.name
            );
            return Err(refuse(of, "child", message));
        }
        let how = |mobility: &Mobility| match mobility {
            Mobility::Fixed => Some("fixed"),
            Mobility::Prescribed(_) => Some("moved as told"),
            Mobility::Restricted(_) => Some("restricted by `moves`"),
            _ => None,
        };
        if let Some(how) = how(&child.mobility) {
            let message = format!("`{}` is {how}; a body on a joint must be free", child.name);
            return Err(refuse(of, "child", message));
        }
        if let Some(parent) = joint.parent.map(|p| &parts.bodies[p.0])
            && let Mobility::Restricted(_) = parent.mobility
        {
            let message = format!(
                "`{}` is restricted by `moves`; a joint hangs on the world, on a free body, or on one that is fixed or moves as \
                 told",
                parent.name
            );
            return Err(refuse(of, "parent", message));
        }
        above[joint.child.0] = Some(j);
    }
    for (id, kind) in parts.loops.iter().flat_map(|one| one.bodies.iter().flatten().map(move |id| (id, one))) {
        let Some(body) = parts.bodies.get(id.0) else {
            return Err(refuse(
                &kind.name,
                "bodies",
                format!("it names a body that is not there; the model has {count}"),
            ));
        };
        if matches!(body.mobility, Mobility::Restricted(_)) {
            let message = format!(
                "`{}` is restricted by `moves`; a loop ties free bodies, links, and what is fixed or moves as told",
                body.name
            );
            return Err(refuse(&kind.name, "bodies", message));
        }
    }
    Ok(above)
}

/// Whether forces move a body: it is to be a link.
fn floats(parts: &Parts, body: usize) -> bool {
    parts.bodies[body].mobility == Mobility::Free
}

/// The first body of the group that each link belongs to; none for bodies without joints.
fn groups(parts: &Parts, above: &[Option<usize>]) -> Result<Vec<Option<usize>>, ModelError> {
    let mut lead: Vec<usize> = (0..parts.bodies.len()).collect();
    fn find(lead: &mut [usize], mut i: usize) -> usize {
        while lead[i] != i {
            lead[i] = lead[lead[i]];
            i = lead[i];
        }
        i
    }
    let join = |lead: &mut Vec<usize>, a: usize, b: usize| {
        let (a, b) = (find(lead, a), find(lead, b));
        lead[a.max(b)] = a.min(b);
    };
    let mut link = vec![false; parts.bodies.len()];
    for joint in &parts.joints {
        link[joint.child.0] = true;
        if let Some(parent) = joint.parent.filter(|p| floats(parts, p.0)) {
            link[parent.0] = true;
            join(&mut lead, parent.0, joint.child.0);
        }
    }
    for coupling in &parts.couplings {
        let mut first = None;
        for id in &coupling.joints {
            let Some(joint) = parts.joints.get(id.0) else {
                let message = format!("it names joint {}, and there are {}", id.0, parts.joints.len());
                return Err(refuse(&coupling.name, "joints", message));
            };
            let first = *first.get_or_insert(joint.child.0);
            join(&mut lead, first, joint.child.0);
        }
    }
    // A drive on a sum of joints pulls at all of them at once. Joints that are not there are told when drives are checked.
    for drive in &parts.drives {
        let mut children = drive.along.iter().filter_map(|(id, _)| parts.joints.get(id.0)).map(|joint| joint.child.0);
        if let Some(first) = children.next() {
            children.for_each(|other| join(&mut lead, first, other));
        }
    }
    for one in &parts.loops {
        let moved: Vec<usize> = one.bodies.iter().flatten().map(|id| id.0).filter(|i| floats(parts, *i)).collect();
        if moved.is_empty() {
            return Err(refuse(&one.name, "bodies", "a loop must tie at least one body that moves"));
        }
        moved.iter().for_each(|i| link[*i] = true);
        if let [a, b] = moved[..] {
            if a == b {
                return Err(refuse(&one.name, "bodies", "a loop ties two bodies, got one twice"));
            }
            join(&mut lead, a, b);
        }
    }
    for one in &parts.impedances {
        let mut first = None;
        for id in impedance::bodies(one).filter(|id| floats(parts, id.0)) {
            link[id.0] = true;
            let first = *first.get_or_insert(id.0);
            join(&mut lead, first, id.0);
        }
    }
    debug_assert!(above.len() == link.len());
    Ok((0..link.len()).map(|i| link[i].then(|| find(&mut lead, i))).collect())
}

/// The tree of a group.
fn make(parts: &Parts, members: &[usize], above: &[Option<usize>]) -> Result<ModelTree, ModelError> {
    let bases = bases(parts, members, above);
    let place = |body: BodyId| {
        let base = || bases.iter().position(|base| base.body == body.0).map(|k| members.len() + k);
        members.iter().position(|i| *i == body.0).or_else(base)
    };
    // Frames M first: children are told in those of their parents.
    let frame = |i: usize| {
        above[i].map_or_else(|| Translation3::from(parts.bodies[i].p_BoBcm.coords).into(), |j| parts.joints[j].X_BF)
    };
    let mut X_MB: Vec<Isometry3<f64>> = members.iter().map(|i| frame(*i).inverse()).collect();
    X_MB.resize(members.len() + bases.len(), Isometry3::identity());
    let mut links = Vec::with_capacity(members.len());
    let (mut q, mut v) = (Vec::new(), Vec::new());
    for (k, &i) in members.iter().enumerate() {
        let body = &parts.bodies[i];
        let joint = above[i].map(|j| &parts.joints[j]);
        let R = X_MB[k].rotation.to_rotation_matrix();
        let mut link = Link {
            name: body.name.clone(),
            parent: None,
            joint: Joint::Free,
            X_PF: Isometry3::identity(),
            mass: body.mass,
            p_BoBcm: X_MB[k] * body.p_BoBcm,
            I_BBcm_B: symmetric(&(R.matrix() * body.I_BBcm_B * R.matrix().transpose())),
            armature: 0.0,
            laws: Vec::new(),
        };
        match joint {
            Some(joint) => {
                hang(parts, joint, &mut link, &X_MB, &place);
                start_of(joint, &mut q, &mut v)?;
            }
            None => {
                let p_WBcm = body.X_WB * body.p_BoBcm;
                let r = body.X_WB.rotation.coords;
                q.extend([p_WBcm.x, p_WBcm.y, p_WBcm.z, r.w, r.x, r.y, r.z]);
                let w_B = body.X_WB.rotation.inverse() * body.V_WBcm.w;
                v.extend(w_B.iter().chain(body.V_WBcm.v.iter()));
                // A centre of mass at the origin of its frame to rounding is there.
                link.p_BoBcm = Point3::origin();
                link.I_BBcm_B = body.I_BBcm_B;
            }
        }
        links.push(link);
    }
    for base in &bases {
        let (link, at) = (root_of(parts, base), Isometry3::identity());
        let (X_WB, V) = (base.guide.pose(&at, 0.0), base.guide.velocity(&at, 0.0));
        let (p, r) = (X_WB.translation.vector, X_WB.rotation.coords);
        q.extend([p.x, p.y, p.z, r.w, r.x, r.y, r.z]);
        let w_B = X_WB.rotation.inverse() * V.w;
        v.extend(w_B.iter().chain(V.v.iter()));
        links.push(link);
    }
    let mut tree = Tree::new(links, parts.gravity_W).map_err(|error| of_tree(parts, members, above, error))?;
    let start = TreeState::from_user(&tree, &q, &v);
    let users: usize = tree.links()[..members.len()].iter().map(|link| link.joint.nv()).sum();
    for k in 0..bases.len() {
        let slides = tree.v_of_user()[users + 6 * k + 3] as usize;
        let turns = tree.v_of_user()[users + 6 * k] as usize;
        tree.ground(slides.min(turns));
    }
    X_MB.truncate(members.len());
    let joints = members.iter().map(|i| above[*i].map(JointId)).collect();
    let bodies = members.iter().map(|i| BodyId(*i)).collect();
    let mut in_node = Vec::with_capacity(members.len());
    for (link, i) in members.iter().enumerate() {
        let X_NB = tree.ride(link).X_NB * X_MB[link];
        let p_NBcm = (X_NB * parts.bodies[*i].p_BoBcm).coords;
        // A floating root stands at its centre of mass.
        let p_NBcm = if above[*i].is_none() { Vector3::zeros() } else { p_NBcm };
        in_node.push((*X_NB.rotation.to_rotation_matrix().matrix(), p_NBcm));
    }
    let (equations, names, drives) = (Vec::new(), Vec::new(), Vec::new());
    let mut made =
        ModelTree { tree, bodies, X_MB, in_node, joints, equations, names, start, drives, springs: Vec::new(), bases };
    add_bases(parts, &mut made);
    add_couplings(parts, &mut made)?;
    add_loops(parts, &mut made);
    check_limits(parts, &made, 0.0, "the joint starts at")?;
    close(&mut made)?;
    check_limits(parts, &made, CLOSED, "couplings and loops close with the joint at")?;
    Ok(made)
}

/// Bodies that move as told and carry joints of these members, in order.
fn bases(parts: &Parts, members: &[usize], above: &[Option<usize>]) -> Vec<MovingBase> {
    let mut list: Vec<MovingBase> = Vec::new();
    let carriers = members.iter().filter_map(|i| above[*i].and_then(|j| parts.joints[j].parent));
    for body in carriers {
        let of = &parts.bodies[body.0];
        let Mobility::Prescribed(motion) = of.mobility else { continue };
        if list.iter().all(|base| base.body != body.0) {
            let guide = Guide { motion, X_WB: of.X_WB };
            let mass: f64 = members.iter().map(|i| parts.bodies[*i].mass).sum();
            let about = |i: &usize| {
                let member = &parts.bodies[*i];
                let arm = (member.X_WB * member.p_BoBcm).coords - of.X_WB.translation.vector;
                member.I_BBcm_B.trace() / 3.0 + member.mass * arm.norm_squared()
            };
            let inertia: f64 = members.iter().map(about).sum();
            list.push(MovingBase { body: body.0, guide, mass, inertia });
        }
    }
    list
}

/// The root that stands for a body that moves as told.
fn root_of(parts: &Parts, base: &MovingBase) -> Link {
    Link {
        name: parts.bodies[base.body].name.clone(),
        parent: None,
        joint: Joint::Free,
        X_PF: Isometry3::identity(),
        mass: base.mass,
        p_BoBcm: Point3::origin(),
        I_BBcm_B: Matrix3::identity() * base.inertia,
        armature: 0.0,
        laws: Vec::new(),
    }
}

/// Welds that lead roots along.
fn add_bases(parts: &Parts, made: &mut ModelTree) {
    for (k, base) in made.bases.iter().enumerate() {
        let links = [None, Some(made.bodies.len() + k)];
        let (X_ML, guides) = ([Isometry3::identity(); 2], [Some(base.guide), None]);
        made.equations.push(Equation::Loop { links, X_ML, guides, weld: true });
        made.names.push(parts.bodies[base.body].name.clone());
    }
}

fn symmetric(I: &nalgebra::Matrix3<f64>) -> nalgebra::Matrix3<f64> {
    (I + I.transpose()) * 0.5
}

/// What a joint makes of a link.
fn hang(
    parts: &Parts,
    joint: &ModelJoint,
    link: &mut Link,
    X_MB: &[Isometry3<f64>],
    place: &impl Fn(BodyId) -> Option<usize>,
) {
    (link.joint, link.armature) = (joint.kind, joint.armature);
    link.laws.clone_from(&joint.laws);
    link.parent = joint.parent.and_then(place);
    link.X_PF = match (joint.parent, link.parent) {
        (_, Some(parent)) => X_MB[parent] * joint.X_PF,
        (Some(fixed), None) => parts.bodies[fixed.0].X_WB * joint.X_PF,
        (None, None) => joint.X_PF,
    };
}

/// q and v of a joint at time 0.
fn start_of(joint: &ModelJoint, q: &mut Vec<f64>, v: &mut Vec<f64>) -> Result<(), ModelError> {
    let (nq, nv) = (joint.kind.nq(), joint.kind.nv());
    for (given, count, what) in [(&joint.q, nq, "coordinates"), (&joint.v, nv, "velocities")] {
        if !given.is_empty() && given.len() != count {
            let message = format!("a {} joint has {count} {what}, got {}", joint.kind.name(), given.len());
            return Err(refuse(&joint.name, "start", message));
        }
        if let Some(x) = given.iter().find(|x| !x.is_finite()) {
            return Err(refuse(&joint.name, "start", format!("{what} must be finite, got {x}")));
        }
    }
    let rest: &[f64] = match joint.kind {
        Joint::Ball => &[1.0, 0.0, 0.0, 0.0],
        Joint::Free | Joint::FreeTwist => &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        _ => &[0.0, 0.0, 0.0],
    };
    let from = q.len();
    q.extend_from_slice(if joint.q.is_empty() { &rest[..nq] } else { &joint.q });
    if let (Joint::Ball, [w, x, y, z]) = (joint.kind, &mut q[from..]) {
        let norm = (*w * *w + *x * *x + *y * *y + *z * *z).sqrt();
        if !(norm - 1.0).abs().lt(&1e-3) {
            return Err(refuse(&joint.name, "start", format!("a quaternion must have length 1, got {norm}")));
        }
        [w, x, y, z].into_iter().for_each(|part| *part /= norm);
    }
    v.extend(joint.v.iter().copied().chain(std::iter::repeat(0.0)).take(nv));
    Ok(())
}

/// What a tree refused, with the joint or the body to blame.
fn of_tree(parts: &Parts, members: &[usize], above: &[Option<usize>], error: TreeError) -> ModelError {
    let body = members[error.link.min(members.len() - 1)];
    let joint = above[body].map(|j| parts.joints[j].name.clone());
    let field = error.field.strip_prefix("joint.");
    match (joint, field) {
        (Some(of), Some(field)) => ModelError::Joint { of, field, message: error.message },
        (Some(of), None) if error.field == "parent" => {
            ModelError::Joint { of, field: "parent", message: error.message }
        }
        _ => ModelError::Link { of: error.name, field: error.field, message: error.message },
    }
}

/// The scalar coordinate of a joint in a tree.
fn scalar(parts: &Parts, made: &ModelTree, id: JointId, of: &str) -> Result<Scalar, ModelError> {
    let joint = &parts.joints[id.0];
    if !matches!(joint.kind, Joint::Revolute(_) | Joint::Prismatic(_)) {
        let message = format!(
            "`{}` is a {} joint; only revolute and prismatic ones can be coupled",
            joint.name,
            joint.kind.name()
        );
        return Err(refuse(of, "joints", message));
    }
    let link = made.joints.iter().position(|j| *j == Some(id)).unwrap_or_default();
    let (column, q) = made.first_of(link);
    Ok(Scalar { column, q })
}

fn add_couplings(parts: &Parts, made: &mut ModelTree) -> Result<(), ModelError> {
    for coupling in &parts.couplings {
        let of = coupling.name.as_str();
        let here = |id: &JointId| made.joints.contains(&Some(*id));
        if !coupling.joints.first().is_some_and(here) {
            if coupling.joints.is_empty() {
                return Err(refuse(of, "joints", "expected at least one joint"));
            }
            continue;
        }
        let of_each = coupling.joints.iter().map(|id| scalar(parts, made, *id, of)).collect::<Result<Vec<_>, _>>()?;
        let twice = (1..of_each.len()).find(|k| of_each[..*k].contains(&of_each[*k]));
        if let Some(k) = twice {
            let message = format!("joint `{}` is named twice", parts.joints[coupling.joints[k].0].name);
            return Err(refuse(of, "joints", message));
        }
        let equation = match &coupling.law {
            CouplingLaw::Linear { coefficients, offset } => {
                if coefficients.len() != of_each.len() {
                    let message =
                        format!("expected one for each of {} joints, got {}", of_each.len(), coefficients.len());
                    return Err(refuse(of, "coefficients", message));
                }
                if coefficients.iter().any(|c| !c.is_finite() || *c == 0.0) || !offset.is_finite() {
                    return Err(refuse(
                        of,
                        "coefficients",
                        format!("must be finite and not zero, got {coefficients:?}"),
                    ));
                }
                Equation::Linear {
                    terms: of_each.into_iter().zip(coefficients.iter().copied()).collect(),
                    offset: *offset,
                }
            }
            CouplingLaw::Polynomial { coefficients } => {
                let [a, b] = of_each[..] else {
                    let message = format!("a polynomial ties two joints, got {}", of_each.len());
                    return Err(refuse(of, "joints", message));
                };
                if coefficients.is_empty() || coefficients.iter().any(|c| !c.is_finite()) {
                    return Err(refuse(of, "polynomial", format!("expected finite numbers, got {coefficients:?}")));
                }
                Equation::Polynomial { a, b, coefficients: coefficients.clone() }
            }
        };
        made.equations.push(equation);
        made.names.push(coupling.name.clone());
    }
    check_rank(made)
}

/// Linear couplings that go round in a circle: one of them follows from the others or contradicts them.
fn check_rank(made: &ModelTree) -> Result<(), ModelError> {
    let n = made.tree.nv();
    let mut known: Vec<(Vec<f64>, f64)> = Vec::new();
    for (equation, name) in made.equations.iter().zip(&made.names) {
        let Equation::Linear { terms, offset } = equation else { continue };
        let (mut row, mut value) = (vec![0.0; n], *offset);
        terms.iter().for_each(|(of, c)| row[of.column] += c);
        let size = row.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (other, offset) in &known {
            let Some(lead) = other.iter().position(|x| *x != 0.0) else { continue };
            let factor = row[lead] / other[lead];
            (0..n).for_each(|k| row[k] -= factor * other[k]);
            value -= factor * offset;
        }
        let largest = row.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if largest <= 1e-12 * size {
            let message = if value.abs() <= 1e-9 * size.max(offset.abs()) {
                "couplings go round in a circle: this one follows from those before it"
            } else {
                "couplings go round in a circle and contradict each other: no position meets this one and those before it"
            };
            return Err(refuse(name, "coefficients", message));
        }
        row.iter_mut().for_each(|x| *x = if x.abs() <= 1e-13 * largest { 0.0 } else { *x });
        known.push((row, value));
    }
    Ok(())
}

fn add_loops(parts: &Parts, made: &mut ModelTree) {
    for one in &parts.loops {
        let links = one.bodies.map(|id| id.and_then(|id| made.link_of(id)));
        if links == [None; 2] {
            continue;
        }
        let guide = |k: usize| {
            let body = &parts.bodies[one.bodies[k].filter(|_| links[k].is_none())?.0];
            let Mobility::Prescribed(motion) = body.mobility else { return None };
            Some(Guide { motion, X_WB: body.X_WB })
        };
        let guides = [guide(0), guide(1)];
        let frame = |k: usize| match (links[k], one.bodies[k]) {
            (Some(link), _) => made.X_MB[link] * one.X_BL[k],
            (None, Some(_)) if guides[k].is_some() => one.X_BL[k],
            (None, Some(id)) => parts.bodies[id.0].X_WB * one.X_BL[k],
            (None, None) => one.X_BL[k],
        };
        let X_ML = [frame(0), frame(1)];
        made.equations.push(Equation::Loop { links, X_ML, guides, weld: one.kind == LoopKind::Weld });
        made.names.push(one.name.clone());
    }
}

/// The start is within the limits, to a tolerance.
fn check_limits(parts: &Parts, made: &ModelTree, tolerance: f64, how: &str) -> Result<(), ModelError> {
    for (link, joint) in made.joints.iter().enumerate() {
        let Some(joint) = joint.map(|id| &parts.joints[id.0]) else { continue };
        let (_, first) = made.first_of(link);
        for (k, law) in joint.laws.iter().enumerate() {
            let q = made.start.q[first + k];
            if let Some([low, high]) = law.limit
                && !(low - tolerance..=high + tolerance).contains(&q)
            {
                let message = format!("{how} {q}, outside its limits {low} and {high}");
                return Err(refuse(&joint.name, "start", message));
            }
        }
    }
    Ok(())
}

/// Brings the start to where couplings and loops hold, by the least motion.
fn close(made: &mut ModelTree) -> Result<(), ModelError> {
    if made.equations.is_empty() {
        return Ok(());
    }
    let tree = &made.tree;
    let (mut frame, mut mass, mut factor) = (Frame::new(tree), Mass::new(tree), Factor::new(tree));
    let mut rows = Equations::default();
    let rooms = (&mut frame, &mut mass, &mut factor);
    let left = rows.close(tree, Held { list: &made.equations, t: 0.0 }, &mut made.start.q, rooms, 1e-14, SEARCH);
    if !left.is_finite() || left > CLOSED {
        let (mut at, mut worst, mut name) = (0, -1.0, "");
        for (equation, own) in made.equations.iter().zip(&made.names) {
            let size = rows.g[at..at + equation.rows()].iter().fold(0.0, |m: f64, g| m.max(g.abs()));
            at += equation.rows();
            if size > worst {
                (worst, name) = (size, own);
            }
        }
        let message = format!(
            "cannot close: the nearest position that was found leaves it open by {left:.3e} (m or rad); lengths and starts \
             of joints must allow it"
        );
        return Err(refuse(name, "position", message));
    }
    if tree.nv() == 0 {
        // Nothing can move, and what is asked holds.
        made.equations.clear();
        made.names.clear();
        return Ok(());
    }
    mass.compute(tree, &frame);
    let singular = |_| refuse(&made.names[0], "bodies", "the mass matrix is singular where it closes");
    factor.compute(tree, &mass).map_err(singular)?;
    rows.settle(tree, Held { list: &made.equations, t: 0.0 }, &made.start.q, &mut made.start.v, &frame, &factor);
    Ok(())
}

/// Bodies become links at their poses of time 0; what no joint moves is fixed.
fn settle_bodies(parts: &mut Parts, made: &ModelTree, number: usize) -> Result<(), ModelError> {
    let tree = &made.tree;
    let mut frame = Frame::new(tree);
    frame.place(tree, &made.start.q, &Base::default());
    frame.set_velocities(tree, &made.start.v);
    for (link, id) in made.bodies.iter().enumerate() {
        let X_WB = frame.pose(tree, link) * made.X_MB[link];
        let now = made.body_at(&parts.bodies, &frame, link);
        let body = &mut parts.bodies[id.0];
        body.X_WB = X_WB;
        if tree.ride(link).node.is_none() {
            (body.mobility, body.V_WBcm) = (Mobility::Fixed, SpatialVelocity::new(Vector3::zeros(), Vector3::zeros()));
        } else {
            (body.mobility, body.V_WBcm) = (Mobility::Link { tree: number, link }, now.V_WBcm);
        }
    }
    Ok(())
}

/// Links that are welded together or share a joint do not touch, unless a pair of their own says so.
fn exclude_neighbours(parts: &mut Parts, made: &ModelTree, above: &[Option<usize>]) {
    // The body that a chain of fixed joints ends at; none is the world.
    let top = |mut body: Option<usize>| {
        while let Some(i) = body {
            match above[i].map(|j| &parts.joints[j]) {
                Some(joint) if joint.kind == Joint::Fixed => body = joint.parent.map(|p| p.0),
                _ => break,
            }
        }
        body
    };
    let parent = |i: usize| above[i].map(|j| parts.joints[j].parent.map(|p| p.0));
    let mut pairs = Vec::new();
    let mut others: Vec<usize> = made.bodies.iter().map(|id| id.0).collect();
    others.extend(parts.joints.iter().filter_map(|joint| joint.parent.map(|p| p.0)).filter(|p| !floats(parts, *p)));
    others.sort_unstable();
    others.dedup();
    for (n, &i) in others.iter().enumerate() {
        for &j in &others[..n] {
            let (a, b) = (top(Some(i)), top(Some(j)));
            let hangs =
                |x: Option<usize>, y: Option<usize>| x.and_then(parent).is_some_and(|p| p.is_some() && top(p) == y);
            if a.is_some() && b.is_some() && (a == b || hangs(a, b) || hangs(b, a)) {
                pairs.push((BodyId(j.min(i)), BodyId(j.max(i))));
            }
        }
    }
    for pair in pairs {
        parts.interactions.exceptions.entry(pair).or_insert(None);
    }
}
