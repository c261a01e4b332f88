//! # Defaults: classes of attributes
//!
//! - **in**: `<default>` sections with classes in classes
//! - **out**: [`Defaults`]: an element with the attributes of its class filled in
//! - **not here**: what attributes mean; actuators, whose shortcuts set shared numbers (`actuators`)
//! - **start at** [`Defaults::read`], [`Defaults::merged`]
//!
//! A class starts as a copy of the one around it; the outermost is called `main` and holds for elements that name none
//! and stand under no `childclass`.

use super::super::reader::Reader;
use super::super::xml::{Attribute, Element};
use super::actuators::{self, Law};
use super::compiler::ORIENTATIONS;
use super::known;
use crate::nearest;
use std::collections::HashMap;
use std::rc::Rc;

/// Most classes of one robot.
const MOST: usize = 10_000;
/// Longest value of a default (bytes): every element of the class copies it.
const LONGEST: usize = 4096;

/// One class.
#[derive(Clone, Debug, Default)]
struct Class {
    /// Shared with the class around it until it differs.
    elements: HashMap<&'static str, Rc<Vec<Attribute>>>,
    law: Law,
}

/// All classes.
#[derive(Clone, Debug)]
pub(super) struct Defaults {
    classes: Vec<Class>,
    names: HashMap<String, usize>,
}

impl Defaults {
    pub fn new() -> Self {
        Defaults { classes: vec![Class::default()], names: HashMap::from([("main".to_string(), 0)]) }
    }

    /// Reads an outermost `<default>`.
    pub fn read(&mut self, reader: &mut Reader<'_>, element: &Element) {
        if let Some(name) = element.value("class") {
            self.names.insert(name.to_string(), 0);
        }
        self.fill(reader, element, 0);
    }

    fn fill(&mut self, reader: &mut Reader<'_>, element: &Element, class: usize) {
        reader.attributes(element, &["class"], &[]);
        // Classes inside start from all that stands here, wherever they stand among it.
        for child in element.children.iter().filter(|c| c.name != "default") {
            let name = child.name.as_str();
            if let Some(known) = known::of(name).filter(|k| k.has_default) {
                known.check(reader, child);
                if let Some(long) = child.attributes.iter().find(|a| a.value.len() > LONGEST) {
                    reader.wrong_value(child, long, format!("a default value has at most {LONGEST} bytes"));
                    continue;
                }
                let all = self.classes[class].elements.entry(known.name).or_default();
                overlay(Rc::make_mut(all), &child.attributes);
            } else if actuators::KINDS.contains(&name) {
                let mut law = self.classes[class].law.clone();
                actuators::read_law(reader, child, &mut law);
                self.classes[class].law = law;
            } else if known::WITHOUT_EFFECT_IN_DEFAULTS.contains(&name) {
                reader.ignore_element(child, "elements of this kind have no effect here");
            } else {
                let all: Vec<&str> = ["joint", "geom", "mesh", "site", "pair", "equality", "tendon", "default"]
                    .into_iter()
                    .chain(actuators::KINDS)
                    .chain(known::WITHOUT_EFFECT_IN_DEFAULTS)
                    .collect();
                let message = nearest::unknown("element in <default>", name, &all);
                reader.wrong(child, message);
            }
        }
        for child in element.named("default") {
            let Some(name) = reader.required(child, "class").map(|a| a.value.clone()) else { continue };
            if self.names.contains_key(&name) {
                reader.wrong(child, format!("the class `{name}` is used twice"));
                continue;
            }
            if self.classes.len() >= MOST {
                reader.wrong(child, format!("more than {MOST} default classes"));
                return;
            }
            self.classes.push(self.classes[class].clone());
            self.names.insert(name, self.classes.len() - 1);
            self.fill(reader, child, self.classes.len() - 1);
        }
    }

    /// The class that an attribute names.
    pub fn class(&self, reader: &mut Reader<'_>, element: &Element, key: &str) -> Option<usize> {
        let attribute = element.get(key)?;
        let found = self.names.get(&attribute.value).copied();
        if found.is_none() {
            let near = nearest::nearest(&attribute.value, self.names.keys().map(String::as_str));
            let hint = near.map(|n| format!("; the nearest is `{n}`")).unwrap_or_default();
            reader.wrong_value(element, attribute, format!("no default class is called `{}`{hint}", attribute.value));
        }
        found
    }

    /// An element with its defaults, its own attributes checked; `around` is the class of `childclass`.
    pub fn merged(&self, reader: &mut Reader<'_>, element: &Element, kind: &'static str, around: usize) -> Element {
        let class = self.class(reader, element, "class").unwrap_or(around);
        if let Some(known) = known::of(kind) {
            known.check(reader, element);
        }
        let mut all = self.classes[class].elements.get(kind).map(|all| all.to_vec()).unwrap_or_default();
        overlay(&mut all, &element.attributes);
        Element { attributes: all, ..element.clone_head() }
    }

    /// What actuators of an element's class start from.
    pub fn law(&self, reader: &mut Reader<'_>, element: &Element) -> Law {
        let class = self.class(reader, element, "class").unwrap_or(0);
        self.classes[class].law.clone()
    }
}

/// Puts attributes over others; an orientation replaces one that is told another way.
fn overlay(all: &mut Vec<Attribute>, over: &[Attribute]) {
    let turns = |a: &Attribute| ORIENTATIONS.contains(&a.name.as_str());
    if over.iter().any(turns) {
        all.retain(|a| !turns(a));
    }
    for attribute in over {
        match all.iter_mut().find(|a| a.name == attribute.name) {
            Some(old) => *old = attribute.clone(),
            None => all.push(attribute.clone()),
        }
    }
}
