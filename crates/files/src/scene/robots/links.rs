//! # Links of a robot as bodies, joints as joints of the model
//!
//! - **in**: a table with its robot
//! - **out**: bodies and joints in the lists of the scene; [`Made`]: which body each link is, which surfaces it has
//! - **not here**: surfaces (`surfaces`), who touches whom (`contacts`)
//! - **start at** [`make`]
//!
//! Frames: R is the robot's base, L a link. Joint k of a link has its frame F in what stands before it; `X_FB` of the
//! description is the link in what its last joint moves.

use super::super::bodies::ReadBody;
use super::super::joints::ReadJoints;
use super::acting;
use super::start::{self, Start};
use super::surfaces::{self, Dress};
use super::{Base, Scope, Table, told};
use crate::robot::description::{Coupling as Told, Joint, JointKind, Link, NamedFrame, Place};
use crate::robot::tree;
use fingerpad_contact::spatial::SpatialVelocity;
use fingerpad_contact::surface::{Shape, Sphere};
use fingerpad_sim::coordinates::Joint as Moves;
use fingerpad_sim::{Body, BodyId, Coupling, CouplingLaw, JointId, Loop, LoopKind, Mobility, ModelJoint};
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use std::sync::Arc;

/// Where the links of a robot went.
pub(super) struct Made {
    /// The body of each link.
    pub body_of: Vec<usize>,
    /// Surfaces: body, link, and the shape of the link's list; none for a pad.
    pub surfaces: Vec<(usize, usize, Option<usize>)>,
}

/// Makes bodies and joints of a robot.
pub(super) fn make(table: &Table, scope: &mut Scope, tied: &mut ReadJoints) -> Option<Made> {
    let before = scope.problems.count();
    check_base(table, scope.bodies);
    let start = start::read(table, scope);
    let dress = surfaces::read(table, scope);
    if scope.problems.count() > before {
        // Names stay known, so that nobody else is blamed.
        scope.problems.excuse_all(&table.name);
        return None;
    }
    let first = tied.joints.len();
    let mut maker = Maker { table, start, dress, tied, bodies: scope.bodies, X_WL: Vec::new(), joint_at: Vec::new() };
    maker.joint_at = vec![None; table.robot.joints.len()];
    let mut made = Made { body_of: Vec::new(), surfaces: Vec::new() };
    for (index, link) in table.robot.links.iter().enumerate() {
        maker.link(index, link, &mut made);
    }
    let on_links = table.robot.frames.iter().filter_map(|frame| Some((frame, frame.link?)));
    let frames = on_links.filter(|(_, link)| !table.robot.is_world(*link));
    let named = |frame: &NamedFrame, link: usize| (table.named(&frame.name), BodyId(made.body_of[link]), frame.X_BF);
    maker.tied.frames.extend(frames.map(|(frame, link)| named(frame, link)));
    let acting = acting::read(table, &maker.start, &maker.joint_at);
    maker.tied.acting.push(acting);
    maker.couplings();
    maker.loops(&made);
    debug_assert!(maker.tied.joints.len() >= first);
    Some(made)
}

/// A base that floats without reason, or stands on a body that cannot carry joints.
fn check_base(table: &Table, bodies: &[ReadBody]) {
    let Some(node) = table.section.get("base") else { return };
    let roots: Vec<&Link> = table.robot.links.iter().filter(|link| link.parent.is_none()).collect();
    if let (Base::Free, [root]) = (table.base, &roots[..])
        && root.joints.is_empty()
    {
        return;
    }
    if table.base == Base::Free {
        let how = match &roots[..] {
            [root] => format!("its root link `{}` hangs on a joint of its file", root.name),
            _ => format!("its file has {} roots", roots.len()),
        };
        let message = format!("a base is free where the robot has one root without joints, and {how}");
        table.section.wrong(node, message);
    }
    if let Base::On(body) = table.base
        && matches!(bodies[body].body.mobility, Mobility::Restricted(_))
    {
        let message = format!(
            "`{}` is restricted by `moves`; a robot stands on the world, on a free body, or on one that is fixed or moves as told",
            bodies[body].body.name
        );
        table.section.wrong(node, message);
    }
}

/// What holds a link: a body (none is the world), and a frame in it.
type Hold = (Option<usize>, Isometry3<f64>);

struct Maker<'m, 'a> {
    table: &'m Table<'a>,
    start: Start,
    dress: Dress,
    tied: &'m mut ReadJoints,
    bodies: &'m mut Vec<ReadBody>,
    /// Pose of each link in the world where all joints are at zero.
    X_WL: Vec<Isometry3<f64>>,
    /// The joint of the model that each joint became.
    joint_at: Vec<Option<JointId>>,
}

impl Maker<'_, '_> {
    /// What the base, or the parent's body, offers to hang on.
    fn hold(&self, link: &Link, made: &Made) -> Hold {
        let robot = &self.table.robot;
        match link.parent.filter(|p| !robot.is_world(*p)) {
            Some(parent) => (Some(made.body_of[parent]), Isometry3::identity()),
            None => match self.table.base {
                Base::On(body) => (Some(body), self.table.X_PR),
                Base::Fixed | Base::Free => (None, self.table.X_PR),
            },
        }
    }

    fn link(&mut self, index: usize, link: &Link, made: &mut Made) {
        let (mut held, mut X_PF) = self.hold(link, made);
        let mut X_WP = match link.parent.filter(|p| !self.table.robot.is_world(*p)) {
            Some(parent) => self.X_WL[parent],
            None => held.map_or_else(Isometry3::identity, |body| self.bodies[body].body.X_WB),
        };
        let still = held.is_none_or(|body| self.bodies[body].body.mobility == Mobility::Fixed);
        let body = self.push(&self.table.named(&link.name), link, None);
        made.body_of.push(body);
        let free = link.joints.iter().position(|j| self.table.robot.joints[*j].kind == JointKind::Free);
        let floats = link.parent.is_none() && link.joints.is_empty() && self.table.base == Base::Free;
        if floats || free.is_some() {
            X_WP = self.float(body, link, X_WP * X_PF, free);
        } else if link.joints.is_empty() && still {
            X_WP *= X_PF * link.X_FB;
            self.bodies[body].body.mobility = Mobility::Fixed;
        } else if link.joints.is_empty() {
            X_WP *= X_PF * link.X_FB;
            let name = format!("{}#base", self.table.named(&link.name));
            self.tie(&name, Moves::Fixed, held, body, (X_PF, link.X_FB.inverse()), &link.place);
        } else {
            for (k, index) in link.joints.iter().enumerate() {
                let joint = &self.table.robot.joints[*index];
                X_PF *= joint.X_PF;
                X_WP *= X_PF;
                let last = k + 1 == link.joints.len();
                let child = if last { body } else { self.carrier(link, k, body) };
                let X_BF = if last { link.X_FB.inverse() } else { Isometry3::identity() };
                self.hang(joint, *index, held, child, (X_PF, X_BF));
                (held, X_PF) = (Some(child), Isometry3::identity());
            }
            X_WP *= link.X_FB;
        }
        self.X_WL.push(X_WP);
        self.bodies[body].body.X_WB = X_WP;
        self.surfaces(index, link, body, made);
    }

    /// A body that nothing holds, at its start.
    fn float(&mut self, body: usize, link: &Link, X_WP: Isometry3<f64>, free: Option<usize>) -> Isometry3<f64> {
        let robot = &self.table.robot;
        let mut X_WL = X_WP * link.X_FB;
        if let Some(k) = free {
            let index = link.joints[k];
            let [x, y, z, qw, qx, qy, qz] = self.start.q[index][..] else { return X_WL };
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(qw, qx, qy, qz));
            let X_WF = X_WP * robot.joints[index].X_PF;
            X_WL = X_WF * Isometry3::from_parts(Translation3::new(x, y, z), turn) * link.X_FB;
            // As MuJoCo counts them: velocity of the origin in axes of the world, here those of the base; then ω in the
            // body's own.
            if let [vx, vy, vz, wx, wy, wz] = self.start.v[index][..] {
                let w_W = X_WL.rotation * Vector3::new(wx, wy, wz);
                let v_W = X_WP.rotation * Vector3::new(vx, vy, vz);
                let arm_W = X_WL.rotation * link.inertial.p_BoBcm.coords;
                self.bodies[body].body.V_WBcm = SpatialVelocity::new(w_W, v_W + w_W.cross(&arm_W));
            }
        }
        self.bodies[body].body.mobility = Mobility::Free;
        X_WL
    }

    /// A body without mass between two joints of a link.
    fn carrier(&mut self, link: &Link, k: usize, of: usize) -> usize {
        let name = format!("{}#joint{}", self.table.named(&link.name), k + 1);
        let bare = Link { inertial: Default::default(), ..link.clone() };
        self.push(&name, &bare, Some(of))
    }

    /// Adds a body for a link, without a surface.
    fn push(&mut self, name: &str, link: &Link, part_of: Option<usize>) -> usize {
        let size = self.dress.size_of(link);
        let ball = Sphere::new(size).map_or(Shape::HalfSpace(fingerpad_contact::surface::HalfSpace), Shape::Sphere);
        let mut body = Body::free(name, ball, link.inertial.mass, link.inertial.I_BBcm_B);
        body.p_BoBcm = link.inertial.p_BoBcm;
        (body.touches, body.part_of) = (false, part_of.map(BodyId));
        self.add(body, None, &link.place)
    }

    fn add(&mut self, body: Body, material: Option<usize>, place: &Place) -> usize {
        let keys = ["position", "start"]
            .iter()
            .filter_map(|key| self.table.section.get(key).map(|node| (key.to_string(), node.span.clone())));
        self.bodies.push(ReadBody {
            body,
            span: self.table.span.clone(),
            keys: keys.collect(),
            material,
            place: None,
            carries_frame: false,
            place_of_link: Some(told(place)),
        });
        self.bodies.len() - 1
    }

    /// Adds a joint of the robot.
    fn hang(
        &mut self,
        joint: &Joint,
        index: usize,
        held: Option<usize>,
        child: usize,
        frames: (Isometry3<f64>, Isometry3<f64>),
    ) {
        let name = self.table.named(&joint.name);
        let id = self.tie(&name, tree::moves(joint), held, child, frames, &joint.place);
        let made = &mut self.tied.joints[id.0];
        made.armature = joint.armature;
        made.laws = tree::laws(joint);
        (made.q, made.v) = (self.start.q[index].clone(), self.start.v[index].clone());
        self.joint_at[index] = Some(id);
    }

    fn tie(
        &mut self,
        name: &str,
        kind: Moves,
        held: Option<usize>,
        child: usize,
        (X_PF, X_BF): (Isometry3<f64>, Isometry3<f64>),
        place: &Place,
    ) -> JointId {
        let joint = ModelJoint {
            name: name.to_string(),
            parent: held.map(BodyId),
            child: BodyId(child),
            kind,
            X_PF,
            X_BF,
            armature: 0.0,
            laws: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
        };
        let section = &self.table.section;
        let own = name.rsplit('/').next().and_then(|own| section.get("start")?.get(own));
        let start = own.or(section.get("start")).or(section.get("keyframe")).map(|node| &node.span);
        self.tied.add(joint, &self.table.span, start, told(place));
        JointId(self.tied.joints.len() - 1)
    }

    /// Surfaces of a link, each a body of its own that is fixed to it.
    fn surfaces(&mut self, index: usize, link: &Link, body: usize, made: &mut Made) {
        let worn = std::mem::take(&mut self.dress.links[index]);
        let fixed = self.bodies[body].body.mobility == Mobility::Fixed;
        for (k, surface) in worn.into_iter().enumerate() {
            let name = format!("{}#{}", self.table.named(&link.name), k + 1);
            let mut part =
                Body::free(&name, Shape::HalfSpace(fingerpad_contact::surface::HalfSpace), 0.0, Default::default());
            part.shape = Arc::clone(&surface.shape);
            part.part_of = Some(BodyId(body));
            part.X_WB = self.X_WL[index] * surface.X_BS;
            if fixed {
                part.mobility = Mobility::Fixed;
            }
            let at = self.add(part, surface.material, &surface.place);
            if !fixed {
                self.tie(&name, Moves::Fixed, Some(body), at, (surface.X_BS, Isometry3::identity()), &surface.place);
            }
            made.surfaces.push((at, index, surface.of));
        }
    }

    fn couplings(&mut self) {
        for (k, coupling) in self.table.robot.couplings.iter().enumerate() {
            let (joints, law) = match coupling {
                Told::Linear { joints, coefficients, offset } => {
                    (joints.clone(), CouplingLaw::Linear { coefficients: coefficients.clone(), offset: *offset })
                }
                Told::Polynomial { joint, of, coefficients } => {
                    // A straight line is kept exactly; more than that is brought back after each step.
                    let [c0, c1, rest @ ..] = coefficients;
                    let law = if rest.iter().all(|c| *c == 0.0) && *c1 != 0.0 {
                        CouplingLaw::Linear { coefficients: vec![1.0, -c1], offset: *c0 }
                    } else {
                        CouplingLaw::Polynomial { coefficients: coefficients.to_vec() }
                    };
                    (vec![*joint, *of], law)
                }
            };
            let ids: Option<Vec<JointId>> = joints.iter().map(|j| self.joint_at[*j]).collect();
            let name = self.table.named(&format!("coupling {}", k + 1));
            let first = joints.first().map(|j| &self.table.robot.joints[*j]);
            let place = first.map_or_else(String::new, |joint| told(&joint.place));
            self.tied.note_robot(&name, &self.table.span, Vec::new(), place);
            if let Some(joints) = ids {
                self.tied.couplings.push(Coupling { name, joints, law });
            }
        }
    }

    fn loops(&mut self, made: &Made) {
        for (k, one) in self.table.robot.loops.iter().enumerate() {
            let name = one.name.clone().unwrap_or_else(|| format!("loop {}", k + 1));
            let name = self.table.named(&name);
            let hold = |link: Option<usize>| match (link.filter(|l| !self.table.robot.is_world(*l)), self.table.base) {
                (Some(link), _) => (Some(BodyId(made.body_of[link])), Isometry3::identity()),
                (None, Base::On(body)) => (Some(BodyId(body)), self.table.X_PR),
                (None, _) => (None, self.table.X_PR),
            };
            let (a, b) = (hold(one.links[0]), hold(one.links[1]));
            self.tied.note_robot(&name, &self.table.span, Vec::new(), String::new());
            self.tied.loops.push(Loop {
                name,
                kind: if one.weld { LoopKind::Weld } else { LoopKind::Connect },
                bodies: [a.0, b.0],
                X_BL: [a.1 * one.X_BL[0], b.1 * one.X_BL[1]],
            });
        }
    }
}

/// How far a shape reaches from the origin of its link (m).
pub(super) fn reach(shape: &Shape, X_BS: &Isometry3<f64>) -> f64 {
    let reach = shape.reach();
    if reach.is_finite() && reach < 1e6 { X_BS.translation.vector.norm() + reach } else { 0.0 }
}
