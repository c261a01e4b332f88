//! # Screw: a twist as a motion that a person can picture
//!
//! - **in**: a twist about a point, the size of the object
//! - **out**: an axis, a point on it and a pitch, or a direction of sliding; words for both
//! - **start at** [`Screw::of`]

use crate::Twist;
use nalgebra::Vector3;

/// A rigid motion at an instant: turning about an axis with some sliding along it, or sliding alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Screw {
    /// Sliding along a direction.
    Slide {
        /// Unit direction.
        direction: Vector3<f64>,
    },
    /// Turning about an axis.
    Turn {
        /// Unit axis, by the right hand.
        axis: Vector3<f64>,
        /// The point of the axis nearest to the reference (m).
        point: Vector3<f64>,
        /// Sliding along the axis for each radian (m).
        pitch: f64,
    },
}

impl Screw {
    /// The screw of a twist about `reference`; turns whose axis is farther than 1e4 lengths away count as sliding.
    pub fn of(twist: &Twist, reference: &Vector3<f64>, length: f64) -> Self {
        let (v, w) = (twist.fixed_rows::<3>(0).into_owned(), twist.fixed_rows::<3>(3).into_owned());
        let turn = w.norm();
        if turn * length <= 1e-4 * v.norm() {
            return Screw::Slide { direction: v.try_normalize(0.0).unwrap_or_default() };
        }
        let axis = w / turn;
        let pitch = v.dot(&axis) / turn;
        Screw::Turn { axis, point: reference + axis.cross(&v) / turn, pitch }
    }

    /// In words, lengths in millimetres.
    pub fn words(&self, length: f64) -> String {
        let direction = |v: &Vector3<f64>| format!("({})", [v.x, v.y, v.z].map(|x| plain(x, 3)).join(", "));
        match self {
            Screw::Slide { direction: d } => format!("sliding along {}", direction(d)),
            Screw::Turn { axis, point, pitch } => {
                let place = [point.x, point.y, point.z].map(|x| plain(1e3 * x, 2)).join(", ");
                let slide = match pitch {
                    h if h.abs() < 1e-3 * length => String::new(),
                    h => format!(", sliding {} mm along it for each radian", plain(1e3 * h, 2)),
                };
                format!("turning about {} through ({place}) mm{slide}", direction(axis))
            }
        }
    }
}

/// A number with some decimals and no minus before zeros.
fn plain(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_string(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn about a line off the reference: every point of the axis moves along it alone, by the velocity field.
    #[test]
    fn points_of_the_axis_move_along_it() {
        let (axis, through, pitch) = (Vector3::new(1.0, 2.0, -2.0) / 3.0, Vector3::new(0.1, 0.0, -0.3), 0.02);
        let reference = Vector3::new(0.5, -0.2, 0.1);
        let v = axis * pitch + axis.cross(&(reference - through));
        let twist = Twist::new(v.x, v.y, v.z, axis.x, axis.y, axis.z);
        let Screw::Turn { axis: found, point, pitch: slide } = Screw::of(&twist, &reference, 0.1) else { panic!() };
        let velocity = v + axis.cross(&(point - reference));
        assert!((velocity - axis * slide).norm() < 1e-15 && (found - axis).norm() < 1e-15);
        assert!((slide - pitch).abs() < 1e-15 && (point - reference).dot(&axis).abs() < 1e-15);
        let slide = Screw::of(&Twist::new(0.0, -2.0, 0.0, 0.0, 0.0, 0.0), &reference, 0.1);
        assert_eq!(slide.words(0.1), "sliding along (0.000, -1.000, 0.000)");
    }
}
