//! # Held: grasps at the end of a run, for the summary and the report
//!
//! - **in**: the last state, the bodies whose grasp some `[[check]]` names
//! - **out**: [`Held`]: the whole answer for each, or why there is none
//! - **not here**: values that checks compare (`grasp::checked`)
//! - **start at** [`held`]

use crate::grasp::answer::{Answered, Wanted, answered};
use crate::grasp::read::Question;
use crate::grasp::touching::{Sight, touching};
use crate::grasp::{picture, text};
use serde_json::{Value, json};

/// The grasp that holds a body.
pub struct Held {
    /// The body.
    pub name: String,
    found: Result<Box<(Question, Answered)>, String>,
}

/// The grasps of these bodies at a state.
pub fn held(sight: Sight, bodies: &[usize]) -> Vec<Held> {
    let one = |body: &usize| {
        let found = touching(sight, *body).map(|found| {
            let answer = answered(&found.question, &Wanted::default());
            Box::new((found.question, answer))
        });
        Held { name: sight.model.bodies()[*body].name.clone(), found }
    };
    bodies.iter().map(one).collect()
}

impl Held {
    /// For `summary.json`: the keys that `fingerpad grasp` answers with, or `error`.
    pub fn document(&self) -> Value {
        match &self.found {
            Ok(found) => {
                let (question, answer) = &**found;
                let mut fields = answer.to_json(question, &Wanted::default());
                fields.insert("contacts".to_string(), json!(question.names));
                fields.insert("warnings".to_string(), json!(answer.warnings));
                Value::Object(fields)
            }
            Err(why) => json!({"error": why}),
        }
    }

    /// For people: words and a picture, or why there are none.
    pub fn shown(&self) -> Result<(String, String), &str> {
        match &self.found {
            Ok(found) => {
                let (question, answer) = &**found;
                Ok((text::one(&self.name, question, answer), picture::svg(&self.name, question, answer)))
            }
            Err(why) => Err(why),
        }
    }

    /// Why a quantity of this grasp has no value, as far as it is known.
    pub fn why_without_value(&self) -> String {
        match &self.found {
            Ok(found) if found.1.closure.margin.is_none() => {
                format!("no balanced loads press `{}`: the grasp is not closed", self.name)
            }
            Ok(found) if matches!(&found.1.grips, Some([Err(_), ..])) => {
                format!("no loads hold the weight of `{}`", self.name)
            }
            Ok(_) => format!("the grasp of `{}` had no value at some row", self.name),
            Err(why) => why.clone(),
        }
    }
}
