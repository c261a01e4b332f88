//! Shipped scenes and files of generated ones with something changed: numbers, lines, characters.

use super::Case;
use super::chance::Chance;
use super::{loose, machine, root};
use std::fs;

/// A shipped scene, changed in up to three places; sometimes its robot instead.
pub fn shipped(c: &mut Chance) -> Case {
    let mut names: Vec<String> = fs::read_dir(root().join("scenes"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let mut text = fs::read_to_string(root().join("scenes").join(&names[c.below(names.len())])).unwrap();
    let mut case = Case::default();
    let robots: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("file = \"../robots/")?.strip_suffix('"'))
        .map(str::to_string)
        .collect();
    for robot in &robots {
        text = text.replace(&format!("../robots/{robot}"), robot);
        let file = fs::read_to_string(root().join("robots").join(robot)).unwrap();
        case.files.push((robot.clone(), file.into_bytes()));
    }
    let robot_alone = !robots.is_empty() && c.once_in(3);
    for _ in 0..1 + c.below(3) {
        match case.files.first_mut().filter(|_| robot_alone) {
            Some((_, bytes)) => *bytes = changed(c, &String::from_utf8_lossy(bytes)).into_bytes(),
            None => text = changed(c, &text),
        }
    }
    case.scene = text;
    case
}

/// A generated scene with a map, a mesh or a robot, whose file is changed in up to three places.
pub fn files(c: &mut Chance) -> Case {
    loop {
        let mut case = if c.once_in(3) { machine::robot(c) } else { loose::scene(c) };
        let count = case.files.len();
        if count == 0 {
            continue;
        }
        let (_, bytes) = &mut case.files[c.below(count)];
        for _ in 0..1 + c.below(3) {
            if c.once_in(4) && !bytes.is_empty() {
                let at = c.below(bytes.len());
                bytes[at] ^= 1 << c.below(8);
            } else {
                *bytes = changed(c, &String::from_utf8_lossy(bytes)).into_bytes();
            }
        }
        // What the judge knew of the scene may no longer be so.
        return Case { scene: case.scene, files: case.files, ..Case::default() };
    }
}

fn changed(c: &mut Chance, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (a, b) = (c.below(lines.len().max(1)), c.below(lines.len().max(1)));
    let mut lines: Vec<String> = lines.into_iter().map(str::to_string).collect();
    match c.below(10) {
        0 if !lines.is_empty() => {
            lines.remove(a);
        }
        1 if !lines.is_empty() => lines.insert(b, lines[a].clone()),
        2 if !lines.is_empty() => lines.swap(a, b),
        3 => {
            let mut letters: Vec<char> = text.chars().collect();
            let at = c.below(letters.len().max(1)).min(letters.len());
            let put = c.of(&["", "0", "-", "e9", "\"", "]", "=", "é", "\n", "nan"]);
            letters.splice(at..(at + 1).min(letters.len()), put.chars());
            return letters.into_iter().collect();
        }
        _ => return with_another_number(c, text),
    }
    lines.join("\n")
}

/// One number of a text is changed, mostly by a little.
fn with_another_number(c: &mut Chance, text: &str) -> String {
    let mut places = Vec::new();
    let bytes = text.as_bytes();
    let mut k = 0;
    while k < bytes.len() {
        let begins =
            bytes[k].is_ascii_digit() && (k == 0 || !(bytes[k - 1].is_ascii_alphanumeric() || bytes[k - 1] == b'_'));
        let mut end = k + 1;
        while begins && end < bytes.len() && (bytes[end].is_ascii_digit() || b".e".contains(&bytes[end])) {
            end += 1;
        }
        if begins {
            places.push(k..end);
        }
        k = end;
    }
    if places.is_empty() {
        return text.to_string();
    }
    let place = places[c.below(places.len())].clone();
    let Ok(x) = text[place.clone()].parse::<f64>() else { return text.to_string() };
    let new = match c.below(16) {
        0 => "0".to_string(),
        1 => format!("-{x}"),
        2 => "1e300".to_string(),
        3 => "1e-300".to_string(),
        4 => "nan".to_string(),
        5 | 6 => format!("{}", x * 1e3),
        7 | 8 => format!("{}", x * 1e-3),
        _ => format!("{}", x * (1.0 + c.about(0.9))),
    };
    format!("{}{new}{}", &text[..place.start], &text[place.end..])
}
