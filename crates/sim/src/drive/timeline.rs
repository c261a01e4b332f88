//! # Timelines: a reference over time, with its rate
//!
//! points (t, value) ──▶ **here** ──(value, rate)──▶ drives
//!
//! - **in**: points in order of time, and how the way between two is taken
//! - **out**: value and rate at a time, the same bits wherever it is asked from
//! - **not here**: what follows the reference (`drive`)
//! - **start at** [`Timeline::stops`], [`Timeline::through`]
//!
//! A line through stops rests at each of its points; a line through samples (recorded motion) passes them. Between two points
//! stands the polynomial that has the values of both ends, their rates (cubic) and their accelerations (quintic). Before the
//! first point and after the last one the value stays.

/// How the way between two points is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Smooth {
    /// Straight: the rate jumps at points.
    None,
    /// Rates of both ends are met: a stop is reached and left with rate 0.
    #[default]
    Cubic,
    /// Rates and accelerations of both ends are met.
    Quintic,
}

/// A point of a timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Knot {
    t: f64,
    value: f64,
    rate: f64,
    acceleration: f64,
}

/// A value over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    knots: Vec<Knot>,
    smooth: Smooth,
}

/// Points that make no timeline.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct TimelineError {
    /// Which point is to blame.
    pub point: usize,
    /// What was expected and what came.
    pub message: String,
}

impl Timeline {
    /// The same value at all times.
    pub fn constant(value: f64) -> Self {
        Self { knots: vec![Knot { t: 0.0, value, rate: 0.0, acceleration: 0.0 }], smooth: Smooth::None }
    }

    /// A line that rests at each of its points (s, value).
    pub fn stops(points: &[[f64; 2]], smooth: Smooth) -> Result<Self, TimelineError> {
        check(points)?;
        let knots = points.iter().map(|[t, value]| Knot { t: *t, value: *value, rate: 0.0, acceleration: 0.0 });
        Ok(Self { knots: knots.collect(), smooth })
    }

    /// A line through samples (s, value): rates and accelerations at each are those of the parabola through it and its
    /// neighbours.
    pub fn through(points: &[[f64; 2]], smooth: Smooth) -> Result<Self, TimelineError> {
        check(points)?;
        let mut knots: Vec<Knot> =
            points.iter().map(|[t, value]| Knot { t: *t, value: *value, rate: 0.0, acceleration: 0.0 }).collect();
        let n = knots.len();
        for i in 0..n {
            let middle = i.clamp(1, n.saturating_sub(2).max(1));
            if n == 2 {
                knots[i].rate = (points[1][1] - points[0][1]) / (points[1][0] - points[0][0]);
            } else if n > 2 {
                let [a, b, c] = [points[middle - 1], points[middle], points[middle + 1]];
                let (ab, bc) = ((b[1] - a[1]) / (b[0] - a[0]), (c[1] - b[1]) / (c[0] - b[0]));
                let bend = (bc - ab) / (c[0] - a[0]);
                knots[i].rate = ab + bend * (2.0 * points[i][0] - a[0] - b[0]);
                knots[i].acceleration = 2.0 * bend;
            }
        }
        Ok(Self { knots, smooth })
    }

    /// Value and rate at a time (s).
    pub fn at(&self, t: f64) -> (f64, f64) {
        let after = self.knots.partition_point(|knot| knot.t <= t);
        let Some(a) = after.checked_sub(1).map(|i| &self.knots[i]) else { return (self.knots[0].value, 0.0) };
        let Some(b) = self.knots.get(after) else { return (a.value, 0.0) };
        let (T, s) = (b.t - a.t, (t - a.t) / (b.t - a.t));
        let rise = b.value - a.value;
        match self.smooth {
            Smooth::None => (a.value + rise * s, rise / T),
            Smooth::Cubic => {
                let (m, n) = (a.rate * T, b.rate * T);
                // Hermite's cubic about the start: value, rate, and two coefficients from the end.
                let (c, d) = (3.0 * rise - 2.0 * m - n, m + n - 2.0 * rise);
                (a.value + s * (m + s * (c + s * d)), (m + s * (2.0 * c + s * 3.0 * d)) / T)
            }
            Smooth::Quintic => {
                let (m, n) = (a.rate * T, b.rate * T);
                let (p, q) = (a.acceleration * T * T, b.acceleration * T * T);
                let (x, y, z) = (rise - m - 0.5 * p, n - m - p, q - p);
                let c3 = 10.0 * x - 4.0 * y + 0.5 * z;
                let c4 = -15.0 * x + 7.0 * y - z;
                let c5 = 6.0 * x - 3.0 * y + 0.5 * z;
                let value = a.value + s * (m + s * (0.5 * p + s * (c3 + s * (c4 + s * c5))));
                let rate = (m + s * (p + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / T;
                (value, rate)
            }
        }
    }

    /// The first point after a time (s), where the line stops being one polynomial.
    pub fn next_break(&self, t: f64) -> Option<f64> {
        self.knots.get(self.knots.partition_point(|knot| knot.t <= t)).map(|knot| knot.t)
    }

    /// The largest value, by size.
    pub(crate) fn largest(&self) -> f64 {
        self.knots.iter().fold(0.0, |most, knot| most.max(knot.value.abs()))
    }
}

/// Points are finite, and each later than the one before it.
fn check(points: &[[f64; 2]]) -> Result<(), TimelineError> {
    let refuse = |point: usize, message: String| Err(TimelineError { point, message });
    if points.is_empty() {
        return refuse(0, "a timeline has at least one point [t, value], got none".into());
    }
    for (i, [t, value]) in points.iter().enumerate() {
        if !t.is_finite() || !value.is_finite() {
            return refuse(i, format!("a point of a timeline must be finite, got [{t}, {value}]"));
        }
        let Some([before, from]) = i.checked_sub(1).map(|k| points[k]) else { continue };
        if *t == before && *value != from {
            let message = format!(
                "the timeline jumps at {t} s, from {from} to {value}: no drive can follow; leave some time between the points"
            );
            return refuse(i, message);
        }
        if *t <= before {
            return refuse(i, format!("points must be in order of time, got {t} s after {before} s"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of values are the opinion on rates; a wrong coefficient of either polynomial shows.
    #[test]
    fn rates_are_the_slopes_of_values() {
        let points = [[0.5, 1.0], [1.0, -2.0], [2.5, 0.3], [3.0, 0.4]];
        for smooth in [Smooth::None, Smooth::Cubic, Smooth::Quintic] {
            for line in [Timeline::stops(&points, smooth).unwrap(), Timeline::through(&points, smooth).unwrap()] {
                for i in 0..350 {
                    let (t, d) = (0.0103 * f64::from(i), 1e-6);
                    if points.iter().any(|[knot, _]| (t - knot).abs() < 2.0 * d) {
                        continue;
                    }
                    let slope = (line.at(t + d).0 - line.at(t - d).0) / (2.0 * d);
                    assert!((line.at(t).1 - slope).abs() < 1e-8, "{smooth:?} {t}: {} {slope}", line.at(t).1);
                }
                for [t, value] in points {
                    assert!((line.at(t).0 - value).abs() < 1e-14);
                    assert!((line.at(t - 1e-12).0 - value).abs() < 1e-10);
                }
            }
        }
    }

    /// A parabola is its own parabola through three points, and both polynomials contain it.
    #[test]
    fn samples_of_a_parabola_give_the_parabola() {
        let f = |t: f64| 0.3 - 1.1 * t + 0.7 * t * t;
        let points: Vec<[f64; 2]> = [0.0, 0.1, 0.35, 0.4, 1.0].map(|t| [t, f(t)]).to_vec();
        for smooth in [Smooth::Cubic, Smooth::Quintic] {
            let line = Timeline::through(&points, smooth).unwrap();
            for i in 0..100 {
                let t = 0.01 * f64::from(i);
                assert!((line.at(t).0 - f(t)).abs() < 1e-14 && (line.at(t).1 - (1.4 * t - 1.1)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_stop_is_at_rest_and_a_quintic_one_without_acceleration() {
        let points = [[0.0, 0.0], [1.0, 2.0]];
        let d = 1e-5;
        for (smooth, most) in [(Smooth::Cubic, 1e-8), (Smooth::Quintic, 1e-13)] {
            let line = Timeline::stops(&points, smooth).unwrap();
            assert!(line.at(d).0.abs() < most && (line.at(1.0 - d).0 - 2.0).abs() < most, "{:e}", line.at(d).0);
            assert_eq!((line.at(-1.0), line.at(7.0)), ((0.0, 0.0), (2.0, 0.0)));
            assert!((line.at(0.5).0 - 1.0).abs() < 1e-15);
        }
        assert_eq!(Timeline::stops(&points, Smooth::None).unwrap().at(0.25), (0.5, 2.0));
    }

    #[test]
    fn jumps_and_disorder_are_told_with_their_point() {
        let of = |points: &[[f64; 2]]| Timeline::stops(points, Smooth::Cubic).unwrap_err();
        assert!(of(&[]).message.contains("at least one point"));
        let jump = of(&[[0.0, 0.0], [1.0, 1.0], [1.0, 2.0]]);
        assert!(jump.point == 2 && jump.message.contains("jumps at 1 s, from 1 to 2"), "{jump}");
        let order = of(&[[0.0, 0.0], [-1.0, 1.0]]);
        assert!(order.point == 1 && order.message.contains("in order of time"), "{order}");
        assert!(of(&[[0.0, f64::NAN]]).message.contains("finite"));
    }
}
