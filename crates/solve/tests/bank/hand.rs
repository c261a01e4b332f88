//! Hands: blocks of a wrist, five fingers and an object, with contacts of two and three arms and rows of joints.
//!
//! A finger's rows reach into the wrist, as J L⁻¹ of a tree does: a contact finger–object has three arms, a contact of the
//! palm two, a joint of a finger two, a joint of the wrist one.

use super::Random;
use fingerpad_solve::cone::{Arm, ConeContact, ConeOperator, ConeProblem, Set, Span};

/// Velocity coordinates of each block: wrist, five fingers, object.
pub const COORDINATES: [usize; 7] = [2, 4, 4, 4, 5, 5, 6];
const OBJECT: usize = 6;

/// Constraints of a hand that are asked for.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Contacts of fingers, and now and then of the palm, with the object.
    pub contacts: usize,
    /// Rows of joints: limits, friction loss and equations in turns.
    pub joints: usize,
    /// Whether contacts have friction.
    pub friction: bool,
}

impl Hand {
    /// A random hand as a problem on blocks.
    pub fn problem(&self, random: &mut Random) -> ConeProblem {
        let (mut arms, mut spans, mut contacts) = (Vec::new(), Vec::new(), Vec::new());
        // Half of all hands slip fast, the others mostly hold.
        let slip = if random.share() < 0.5 { 1.0 } else { 0.02 };
        for k in 0..self.contacts {
            let finger = (k % 6 < 5).then_some(1 + k % 6);
            let first = arms.len() as u32;
            for block in finger.into_iter().chain([0, OBJECT]) {
                let rows = if block == OBJECT { on_ball(random) } else { [0, 1, 2, 3].map(|_| row(block, random)) };
                arms.push(Arm { block: block as u32, rows });
            }
            spans.push(Span { first, count: arms.len() as u32 - first });
            let b = [random.between(-1.0, 0.2), slip * random.signed(), slip * random.signed(), slip * random.signed()];
            let mu = if self.friction { random.between(0.2, 1.0) } else { 0.0 };
            contacts.push(ConeContact::new(mu, random.between(0.001, 0.01), b));
        }
        for k in 0..self.joints {
            let block = (5 * k + 1) % 6;
            let first = arms.len() as u32;
            let mut arm = |block: usize| {
                let mut rows = [[0.0; 6]; 4];
                rows[0] = row(block, random);
                arms.push(Arm { block: block as u32, rows });
            };
            arm(block);
            if block != 0 {
                arm(0);
            }
            spans.push(Span { first, count: arms.len() as u32 - first });
            let set = match k % 4 {
                0 | 3 => Set::AtLeast,
                1 => Set::Within(random.between(0.01, 0.5)),
                _ => Set::Free,
            };
            contacts.push(ConeContact::row(set, random.signed()));
        }
        ConeProblem { operator: ConeOperator::Blocks { count: COORDINATES.len(), arms, spans }, contacts }
    }
}

/// A row on a block, zero in coordinates that the block lacks.
fn row(block: usize, random: &mut Random) -> [f64; 6] {
    let mut row = [0.0; 6];
    row[..COORDINATES[block]].iter_mut().for_each(|x| *x = random.signed());
    row
}

/// Rows of a contact somewhere on a ball of 0.1 kg and 40 mm, off its surface by up to a third, through the root of its
/// inverse mass.
fn on_ball(random: &mut Random) -> [[f64; 6]; 4] {
    let (mass, radius) = (0.1f64, 0.04f64);
    let n = super::unit([random.signed(), random.signed(), random.signed()]);
    let arm = n.map(|n| radius * (0.3 * random.signed() - n));
    let (turn, slide) = ((1.0 / (0.4 * mass * radius * radius)).sqrt(), (1.0 / mass).sqrt());
    let root = [turn, turn, turn, slide, slide, slide];
    super::rows(arm, n, 1.0).map(|row| [0, 1, 2, 3, 4, 5].map(|k| row[k] * root[k]))
}

/// A = Ĵ Ĵᵀ written out over all coordinates, row after row.
pub fn matrix(problem: &ConeProblem) -> Vec<f64> {
    let ConeOperator::Blocks { count, arms, spans } = &problem.operator else { panic!("blocks are asked for") };
    let (n, width) = (4 * spans.len(), 6 * count);
    let mut rows = vec![0.0; n * width];
    for (i, span) in spans.iter().enumerate() {
        for arm in &arms[span.first as usize..(span.first + span.count) as usize] {
            for r in 0..4 {
                for c in 0..6 {
                    rows[(4 * i + r) * width + 6 * arm.block as usize + c] = arm.rows[r][c];
                }
            }
        }
    }
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] = (0..width).map(|k| rows[i * width + k] * rows[j * width + k]).sum();
        }
    }
    a
}
