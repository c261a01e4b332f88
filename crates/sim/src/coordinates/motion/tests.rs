//! Fixed steps and their evidence: what breaks when the equations are wrong.

use super::{Fixed, FixedWork};
use crate::coordinates::{Frame, Joint, Link, Tree, TreeState};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

/// Moments of a rod of 1 m and 1 kg about its middle, along it and across (kg·m²).
const SLENDER: f64 = 1e-4;
const THICK: f64 = 1.0 / 12.0;

/// Something wrong with the equations, not with the energies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mutation {
    None,
    /// The bias times 1.01.
    Bias,
    /// The inertia of one node turned.
    Inertia,
    /// The column of one joint with the other sign.
    Column,
    /// No gravity in the bias.
    Gravity,
}

impl Mutation {
    pub(super) fn of_frame(self, frame: &mut Frame) {
        match self {
            Mutation::Inertia => {
                // A rod turned by 90° about x: its moments about y and z change places.
                let I = &mut frame.inertia[1].I;
                (I[1], I[2]) = (I[1] + SLENDER - THICK, I[2] + THICK - SLENDER);
            }
            Mutation::Column => {
                frame.S[1].w = -frame.S[1].w;
                frame.S[1].v = -frame.S[1].v;
            }
            _ => {}
        }
    }

    pub(super) fn of_bias(self, tree: &Tree, frame: &Frame, bias: &mut [f64]) {
        match self {
            Mutation::Bias => bias.iter_mut().for_each(|b| *b *= 1.01),
            Mutation::Gravity => {
                let mut gravity = vec![0.0; bias.len()];
                frame.gravity_force(tree, &mut gravity);
                bias.iter_mut().zip(gravity).for_each(|(b, g)| *b -= g);
            }
            _ => {}
        }
    }
}

/// Two rods of 1 m and 1 kg that hang from each other, turning about y.
fn double_pendulum() -> Tree {
    let rod = |name: &str, parent: Option<usize>, z: f64| Link {
        name: name.to_string(),
        parent,
        joint: Joint::Revolute(Vector3::y_axis()),
        X_PF: Isometry3::translation(0.0, 0.0, z),
        mass: 1.0,
        p_BoBcm: Point3::new(0.0, 0.0, -0.5),
        I_BBcm_B: Matrix3::from_diagonal(&Vector3::new(THICK, THICK, SLENDER)),
        armature: 0.0,
        laws: Vec::new(),
    };
    Tree::new(vec![rod("upper", None, 0.0), rod("lower", Some(0), -1.0)], Vector3::new(0.0, 0.0, -9.81)).unwrap()
}

/// Thrown so that both rods turn over.
fn thrown(tree: &Tree) -> TreeState {
    TreeState::from_user(tree, &[0.4, 0.3], &[5.0, 3.0])
}

/// Σ|ε| over a second at steps of h; infinite where the motion ends in no numbers.
fn corrected(mutation: Mutation, h: f64) -> f64 {
    let tree = double_pendulum();
    let (mut state, mut work) = (thrown(&tree), FixedWork::new(&tree));
    work.mutation = mutation;
    let steps = (1.0 / h).round() as usize;
    let mut step =
        || Fixed::default().advance(&tree, &mut state, &mut work, &[], h).map_or(f64::INFINITY, |r| r.corrected);
    (0..steps).map(|_| step()).sum()
}

/// Right equations: what is corrected falls as h². Each wrong one breaks that, while energy could not tell.
#[test]
fn corrections_fall_as_h_squared_for_right_equations_alone() {
    let order = |mutation| (corrected(mutation, 2e-3) / corrected(mutation, 0.5e-3)).log2() / 2.0;
    let right = order(Mutation::None);
    println!("right {right}, {:e} {:e}", corrected(Mutation::None, 2e-3), corrected(Mutation::None, 0.5e-3));
    assert!(right > 1.9, "{right}");
    for wrong in [Mutation::Bias, Mutation::Inertia, Mutation::Column, Mutation::Gravity] {
        let order = order(wrong);
        println!("{wrong:?} {order} {:e}", corrected(wrong, 0.5e-3));
        assert!(order.is_nan() || order < 1.0, "{wrong:?}: {order}");
    }
}
