//! Expressions of checks: what they mean on rows that are known, and what is refused.

use fingerpad_files::scene::{Expression, Names, Series};

/// x = t², y = 3 at t = 0, 0.5, …, 2.
struct Rows {
    times: Vec<f64>,
}

impl Series for Rows {
    fn times(&self) -> &[f64] {
        &self.times
    }

    fn series(&self, path: &str) -> Option<Vec<f64>> {
        match path {
            "t" => Some(self.times.clone()),
            "ball.x" => Some(self.times.iter().map(|t| t * t).collect()),
            "ball.y" | "left-pad.z" => Some(vec![3.0; self.times.len()]),
            "contact.left-pad-ball.slip" => Some(self.times.iter().map(|t| -t).collect()),
            "ball.vz" => Some(vec![f64::NAN; self.times.len()]),
            _ => None,
        }
    }
}

fn rows() -> Rows {
    Rows { times: (0..5).map(|k| 0.5 * f64::from(k)).collect() }
}

fn names() -> Names<'static> {
    Names::new(["ball", "left-pad", "ball2"], [("left-pad", "ball")])
}

fn verdict(text: &str) -> (f64, bool) {
    let expression = Expression::parse(text, &names()).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(expression.to_string(), text);
    let verdict = expression.evaluate(&rows()).unwrap_or_else(|e| panic!("{text}: {e}"));
    (verdict.value, verdict.ok)
}

/// Values by hand; the left side is told.
#[test]
fn expressions_have_the_values_of_their_rows() {
    for (text, value, ok) in [
        ("ball.x > 3.9", 4.0, true),
        ("ball.x < 4", 4.0, false),
        ("ball.x <= 4", 4.0, true),
        ("ball.x >= 4.1", 4.0, false),
        ("first(ball.x) == 0", 0.0, true),
        ("max(ball.x) - min(ball.x) == 4", 4.0, true),
        ("mean(ball.x) == 1.5", 1.5, true),
        // Between rows on the line: (0.25 + 1)/2.
        ("at(ball.x, 0.75) == 0.625 +- 1e-15", 0.625, true),
        ("at(ball.x, 2.0) / 7 == 4/7 ± 1e-15", 4.0 / 7.0, true),
        ("at(ball.x - ball.y, 1) == -2", -2.0, true),
        ("max(abs(ball.x - 2 * t)) == 1", 1.0, true),
        ("2 + 3 * 2 ^ 2 == 14", 14.0, true),
        ("-2 ^ 2 == -4", -4.0, true),
        ("2 ^ -1 == 0.5", 0.5, true),
        ("2 ^ 3 ^ 2 == 512", 512.0, true),
        ("8 / 2 / 2 == 2", 2.0, true),
        ("1 - 2 - 3 == -4", -4.0, true),
        ("(1 + 2) * 3 == 9", 9.0, true),
        ("sin(pi / 2) + cos(0) + tan(0) == 2 +- 1e-12", 2.0, true),
        ("atan2(1, 1) == pi / 4 +- 1e-12", std::f64::consts::FRAC_PI_4, true),
        ("log(exp(2)) + sqrt(9) == 5 +- 1e-12", 5.0, true),
        ("2 mm == 0.002", 0.002, true),
        ("\"36 km/h\" == 10 +- 1e-12", 10.0, true),
        // Hyphens: of names where they are known, else minus signs.
        ("left-pad.z == 3", 3.0, true),
        ("ball.x-ball.y == 1", 1.0, true),
        ("ball.x-1 == 3", 3.0, true),
        ("contact.left-pad-ball.slip == -2", -2.0, true),
        ("contact.ball-left-pad.slip == -2", -2.0, true),
        ("last(ball.x) == 4.5 +- 0.4", 4.0, false),
    ] {
        let got = verdict(text);
        assert!((got.0 - value).abs() < 1e-12 && got.1 == ok, "{text}: {got:?}");
    }
}

/// A value that is no number fails its check, whichever way it is asked.
#[test]
fn no_number_is_no_success() {
    for text in ["ball.vz < 1", "ball.vz > 1", "ball.vz == 1 +- 1e9", "max(ball.vz) < 1", "sqrt(-1) < 1"] {
        assert!(!verdict(text).1, "{text}");
    }
}

#[test]
fn expressions_name_the_quantities_they_need() {
    let expression =
        Expression::parse("max(ball.x) + contact.ball-left-pad.slip < 1 + t * ball.x * 1", &names()).unwrap();
    assert_eq!(expression.paths(), ["ball.x", "contact.left-pad-ball.slip", "t"]);
}

#[test]
fn what_is_no_expression_says_where_and_why() {
    let long = format!("{}1 < 2", "1+".repeat(3000));
    let deep = format!("{}1{} < 2", "(".repeat(500), ")".repeat(500));
    let minus = format!("{}1 < 2", "-".repeat(500));
    for (text, message, place) in [
        ("ball.x", "expected a comparison", 6),
        ("ball.x <", "expected a value, got the end", 8),
        ("ball.x < 1 2", "expected the end, got `2`", 11),
        ("ball.x < (1", "expected `)`, got the end", 11),
        ("ball.x = 1", "unexpected `=`", 7),
        ("ball.x < 1 +- 2", "expected the end, got `+-`", 11),
        ("ball.q < 1", "unknown quantity `q` of body `ball`", 0),
        ("bal.x < 1", "there is no body `bal`; did you mean `ball`?", 0),
        ("ball < 1", "`ball` is a body; expected one of its quantities", 0),
        ("enrgy.KE < 1", "there is no body `enrgy`; did you mean `energy`?", 0),
        ("energy.KEE < 1", "did you mean `KE`?", 0),
        ("contact.slop < 1", "did you mean `slip`?", 0),
        ("contact.ball-ball2.slip < 1", "there is no pair `ball-ball2` that can touch", 0),
        ("1 < mx(ball.x)", "unknown quantity `mx`; did you mean", 4),
        ("1 < at(ball.x)", "`at` takes 2 arguments, got 1", 4),
        ("max < 1", "unknown quantity `max`", 0),
        ("1 < \"2 m", "expected a closing quote", 4),
        ("1 < 2 furlong", "unknown unit `furlong`", 4),
        ("", "expected a value, got the end", 0),
        (&long, "an expression has at most", 0),
        (&deep, "expected less nesting", 61),
        (&minus, "expected less nesting", 61),
    ] {
        let error = Expression::parse(text, &names()).expect_err(text);
        assert!(error.to_string().contains(message) && error.range.start == place, "{text}: {error} {:?}", error.range);
    }
}

/// A length is no force: what cannot be compared is refused. Numbers without a unit may be anything.
#[test]
fn sides_of_other_dimensions_are_refused() {
    for text in [
        "ball.z > 1 N",
        "ball.z + ball.vz > 0",
        "ball.speed < 3 mm",
        "energy.KE > 1 N",
        "at(ball.x, 1 m) > 0",
        "ball.x == 1 +- 1 s",
        "ball.spin > 3 Hz",
        "max(contact.depth) < 1 s",
        "ball.x * ball.x > 1 m",
        "sin(ball.x) < 1",
        "atan2(ball.x, ball.vx) < 1",
    ] {
        let error = Expression::parse(text, &names()).expect_err(text);
        assert!(error.to_string().contains("can neither be compared nor added"), "{text}: {error}");
    }
    for text in [
        "ball.z > 0.5 * 9.81 * t^2",
        "ball.z > 1",
        "ball.z * ball.z > 1 mm * 1 mm",
        "sqrt(ball.x^2 + ball.y^2) < 1 mm",
        "energy.KE > \"1 N m\"",
        "ball.spin > \"30 rpm\"",
        "ball.rx < 30 deg",
        "ball.vx / first(ball.vx) == 5/7 +- 1e-6",
        "at(ball.x, 500 ms) > 0",
        "abs(ball.x) + abs(ball.y) < 1e-9",
        "contact.time == 1 ms +- 1 us",
    ] {
        Expression::parse(text, &names()).unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

#[test]
fn what_was_not_recorded_or_is_out_of_time_is_an_error() {
    let evaluate = |text: &str, rows: &Rows| Expression::parse(text, &names()).unwrap().evaluate(rows);
    assert!(evaluate("ball.z > 1", &rows()).unwrap_err().contains("was not recorded"));
    assert!(evaluate("at(ball.x, 3) > 1", &rows()).unwrap_err().contains("rows from 0 s to 2 s, not at 3 s"));
    let empty = Rows { times: Vec::new() };
    for text in ["ball.x > 1", "max(ball.x) > 1", "first(ball.x) > 1", "at(ball.x, 0) > 1", "mean(ball.x) > 1"] {
        assert!(evaluate(text, &empty).unwrap_err().contains("no rows"), "{text}");
    }
}
