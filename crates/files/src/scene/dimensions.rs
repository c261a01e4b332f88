//! # Dimensions of expressions: what may be added and compared
//!
//! - **in**: terms of a check
//! - **out**: what each measures, where that is known; an error where a length is compared with a force
//! - **not here**: values (`values`), units of single numbers (`units`)
//! - **start at** [`Term::dimension`], [`same`]
//!
//! A number without a unit is in SI, whatever that is: nothing is known of it, nor of a product with it. So `ball.z > 1 N`
//! and `ball.z + ball.vz > 0` are refused, and `ball.z > 0.5 * 9.81 * t^2` is taken as it stands.

use super::expression::{Function, Term};
use crate::units::Powers;

/// What a recorded quantity measures, where we know.
fn of_path(path: &str) -> Option<Powers> {
    const NUMBER: Powers = [0.0; 4];
    const LENGTH: Powers = [0.0, 1.0, 0.0, 0.0];
    const TIME: Powers = [0.0, 0.0, 1.0, 0.0];
    const ENERGY: Powers = [1.0, 2.0, -2.0, 0.0];
    let Some((head, quantity)) = path.rsplit_once('.') else {
        return match path {
            "t" => Some(TIME),
            "E" => Some(ENERGY),
            "ledger_error" => Some(NUMBER),
            _ => None,
        };
    };
    if head == "energy" {
        return Some(ENERGY);
    }
    if head == "contact" || head.starts_with("contact.") {
        return match quantity {
            "slip" | "depth" | "rest_offset" => Some(LENGTH),
            "normal" => Some([1.0, 1.0, -2.0, 0.0]),
            "time" => Some(TIME),
            "count" | "touchdowns" | "margin" => Some(NUMBER),
            _ => None,
        };
    }
    if head.starts_with("grasp.") {
        return match quantity {
            "grip" | "grip_sum" => Some([1.0, 1.0, -2.0, 0.0]),
            _ => Some(NUMBER),
        };
    }
    if head.starts_with("drive.") && matches!(quantity, "distance" | "angle" | "stored") {
        return match quantity {
            "distance" => Some(LENGTH),
            "angle" => Some([0.0, 0.0, 0.0, 1.0]),
            _ => Some(ENERGY),
        };
    }
    match quantity {
        "x" | "y" | "z" | "height" => Some(LENGTH),
        "qw" | "qx" | "qy" | "qz" => Some(NUMBER),
        "vx" | "vy" | "vz" | "speed" => Some([0.0, 1.0, -1.0, 0.0]),
        "wx" | "wy" | "wz" | "spin" => Some([0.0, 0.0, -1.0, 1.0]),
        "rx" | "ry" | "rz" => Some([0.0, 0.0, 0.0, 1.0]),
        _ => None,
    }
}

/// Checks that two may be added or compared; what is known of either.
pub(crate) fn same(a: Option<Powers>, b: Option<Powers>) -> Result<Option<Powers>, String> {
    let (Some(a), Some(b)) = (a, b) else { return Ok(a.or(b)) };
    let near = |k: usize| (a[k] - b[k]).abs() < 1e-9;
    // An angle may go unsaid, but a frequency in Hz is no rate in rad/s: they differ by 2π.
    let rates = near(0) && near(1) && near(2) && a[0] == 0.0 && a[1] == 0.0 && a[2] == -1.0;
    if (0..3).all(near) && (near(3) || !rates) {
        return Ok(Some(a));
    }
    let [first, second] = [a, b].map(|powers| crate::units::name_of(&powers));
    Err(format!("{first} and {second} can neither be compared nor added"))
}

impl Term {
    /// What the term measures, where that is known; why it measures nothing otherwise.
    pub fn dimension(&self) -> Result<Option<Powers>, String> {
        match self {
            Term::Number(_, powers) => Ok(*powers),
            Term::Path(path) => Ok(of_path(path)),
            Term::Minus(inner) => inner.dimension(),
            Term::Binary(sign, a, b) => {
                let (first, second) = (a.dimension()?, b.dimension()?);
                let joined = |f: fn(f64, f64) -> f64| {
                    Some(std::array::from_fn(|k| f(first.unwrap_or_default()[k], second.unwrap_or_default()[k])))
                };
                match sign {
                    '+' | '-' => same(first, second),
                    '*' | '/' if first.is_none() || second.is_none() => Ok(None),
                    '*' => Ok(joined(|x, y| x + y)),
                    '/' => Ok(joined(|x, y| x - y)),
                    _ => match (first, &**b) {
                        (Some(powers), Term::Number(exponent, None)) => Ok(Some(powers.map(|x| x * exponent))),
                        _ => Ok(None),
                    },
                }
            }
            Term::Call(function, arguments) => {
                let mut known = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    known.push(argument.dimension()?);
                }
                match function {
                    Function::Sqrt => Ok(known[0].map(|powers| powers.map(|x| 0.5 * x))),
                    Function::Atan2 => same(known[0], known[1]).map(|_| Some([0.0; 4])),
                    Function::Sin | Function::Cos | Function::Tan => {
                        same(known[0], Some([0.0, 0.0, 0.0, 1.0])).map(|_| Some([0.0; 4]))
                    }
                    Function::Log | Function::Exp => same(known[0], Some([0.0; 4])).map(|_| Some([0.0; 4])),
                    Function::At => same(known[1], Some([0.0, 0.0, 1.0, 0.0])).map(|_| known[0]),
                    Function::Min
                    | Function::Max
                    | Function::Mean
                    | Function::First
                    | Function::Last
                    | Function::Abs => Ok(known[0]),
                }
            }
        }
    }
}
