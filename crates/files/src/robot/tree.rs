//! # Tree: a robot's joints as `fingerpad_sim` moves them
//!
//! [`Robot`] ──▶ **here** ──([`Link`]s of `coordinates`)──▶ `fingerpad_sim::coordinates::Tree`
//!
//! - **in**: a robot
//! - **out**: links of a tree; where each link of the robot and each joint went
//! - **not here**: contacts, drives, couplings
//! - **start at** [`links`]
//!
//! A link with several joints becomes a chain of links without mass; a link whose frame is not that of its last joint is
//! one more link, fixed to it.

use super::description::{Joint, JointKind, Robot};
use fingerpad_sim::coordinates::{Joint as Moves, JointLaw, Link, Spring};
use nalgebra::{Isometry3, Matrix3, Point3};

/// Links of a tree, and where they came from.
#[derive(Clone, Debug)]
pub struct TreeLinks {
    /// For `Tree::new`.
    pub links: Vec<Link>,
    /// Index in `links` of each link of the robot.
    pub link_at: Vec<usize>,
    /// Index in `links` of what each joint moves.
    pub joint_at: Vec<usize>,
}

/// The links of a robot's tree.
pub fn links(robot: &Robot) -> TreeLinks {
    let mut made = TreeLinks { links: Vec::new(), link_at: Vec::new(), joint_at: vec![0; robot.joints.len()] };
    for link in &robot.links {
        let mut parent = link.parent.map(|p| made.link_at[p]);
        for index in &link.joints {
            let joint = &robot.joints[*index];
            made.links.push(bare(joint.name.clone(), parent, moves(joint), joint.X_PF));
            let last = made.links.len() - 1;
            made.links[last].armature = if joint.kind == JointKind::Free { 0.0 } else { joint.armature };
            made.links[last].laws = laws(joint);
            made.joint_at[*index] = last;
            parent = Some(last);
        }
        if link.joints.is_empty() || link.X_FB != Isometry3::identity() {
            made.links.push(bare(String::new(), parent, Moves::Fixed, link.X_FB));
        }
        let last = made.links.len() - 1;
        let body = &mut made.links[last];
        body.name = link.name.clone();
        (body.mass, body.p_BoBcm, body.I_BBcm_B) = (link.inertial.mass, link.inertial.p_BoBcm, link.inertial.I_BBcm_B);
        made.link_at.push(last);
    }
    made
}

fn bare(name: String, parent: Option<usize>, joint: Moves, X_PF: Isometry3<f64>) -> Link {
    Link {
        name,
        parent,
        joint,
        X_PF,
        mass: 0.0,
        p_BoBcm: Point3::origin(),
        I_BBcm_B: Matrix3::zeros(),
        armature: 0.0,
        laws: Vec::new(),
    }
}

pub(crate) fn moves(joint: &Joint) -> Moves {
    match joint.kind {
        JointKind::Fixed => Moves::Fixed,
        JointKind::Revolute => Moves::Revolute(joint.axis),
        JointKind::Prismatic => Moves::Prismatic(joint.axis),
        JointKind::Planar => Moves::Planar,
        JointKind::Ball => Moves::Ball,
        JointKind::Free => Moves::Free,
    }
}

pub(crate) fn laws(joint: &Joint) -> Vec<JointLaw> {
    if !matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) {
        return Vec::new();
    }
    vec![JointLaw {
        limit: joint.limits,
        restitution: 0.0,
        damping: joint.damping,
        friction_loss: joint.friction_loss,
        spring: joint.spring.map(|[stiffness, rest]| Spring { stiffness, rest }),
    }]
}
