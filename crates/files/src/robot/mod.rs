//! # Robots: URDF and MJCF as plain descriptions
//!
//! disk ──(URDF | MJCF, meshes)──▶ **here** ──([`Robot`])──▶ [`tree`] ──▶ `fingerpad_sim::coordinates`; `inspect`; scenes
//!
//! - **in**: a file, recognised by its root element; [`RobotOptions`]: where packages are
//! - **out**: [`Robot`] in SI units; everything without effect listed with its place; errors drawn under the text
//! - **not here**: motion; contact laws: friction and softness of the files are reported and replaced by materials
//! - **assumes**: nothing of the files: any bytes give a robot or an error
//! - **start at** [`read`], then `urdf::read` or `mjcf::read`; [`description`] is what both fill

mod check;
pub mod description;
mod meshes;
mod mjcf;
mod paths;
mod reader;
pub mod surfaces;
pub mod tree;
mod urdf;
pub(crate) mod xml;

pub use description::{Format, Robot};

use crate::input;
use crate::scene::Problem;
use crate::scene::error::{SceneError, Source};
use reader::Reader;
use std::path::{Path, PathBuf};

/// Why a robot cannot be used: everything that was found wrong, drawn under the text as for scenes.
pub type RobotError = SceneError;

/// Longest file of XML that is read (bytes).
pub(crate) const LONGEST: u64 = 64 << 20;

/// How to read a robot.
#[derive(Clone, Debug, Default)]
pub struct RobotOptions {
    /// Folders that hold packages (`package://NAME/…`), and that files may lie in beside the robot's own folder.
    pub search: Vec<PathBuf>,
}

/// Reads the robot in a file.
pub fn read(path: &Path, options: &RobotOptions) -> Result<Robot, RobotError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf();
    let mut reader = Reader::new(options, folder);
    let name = path.display().to_string();
    let text = match input::read_text(path, LONGEST) {
        Ok(text) => text,
        Err(e) => {
            reader.problem(Problem::bare(format!("{name}: {e}")));
            return Err(reader.error());
        }
    };
    reader.files.push(path.to_path_buf());
    read_text(reader, name, text)
}

/// Reads a robot from a text; `name` stands for its file, whose folder holds meshes and includes.
pub fn read_str(text: &str, name: &str, folder: &Path, options: &RobotOptions) -> Result<Robot, RobotError> {
    read_text(Reader::new(options, folder.to_path_buf()), name.to_string(), text.to_string())
}

fn read_text(mut reader: Reader<'_>, name: String, text: String) -> Result<Robot, RobotError> {
    let parsed = xml::parse(&text, 0);
    reader.sources.push(Source { name, text });
    let root = match parsed {
        Ok(root) => root,
        Err(problem) => {
            reader.problem(problem);
            return Err(reader.error());
        }
    };
    let robot = match root.name.as_str() {
        "robot" => urdf::read(&mut reader, &root),
        "mujoco" | "mujocoinclude" => mjcf::read(&mut reader, root),
        other => {
            let known = "expected <robot> (URDF) or <mujoco> (MJCF)";
            reader.wrong(&root, format!("{known} as the root element, got <{other}>"));
            None
        }
    };
    let robot = robot.inspect(|robot| check::inertias(&mut reader, robot));
    reader.finish()?;
    // Without a problem there is a robot.
    let Some(mut robot) = robot else {
        reader.problem(Problem::bare("no robot in the file"));
        return Err(reader.error());
    };
    robot.ignored = reader.ignored();
    robot.warnings.append(&mut reader.warnings);
    robot.files = std::mem::take(&mut reader.files);
    Ok(robot)
}

/// Whether a text looks like a robot: its first element is `<robot` or `<mujoco`.
pub fn is_robot(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let skipped = if rest.starts_with("<?") {
            rest.find("?>").map(|at| at + 2)
        } else if rest.starts_with("<!--") {
            rest.find("-->").map(|at| at + 3)
        } else {
            break;
        };
        // A comment longer than what was read of the file hides the element behind it: XML it is.
        let Some(skipped) = skipped else { return true };
        rest = rest[skipped..].trim_start();
    }
    ["<robot", "<mujoco", "<!DOCTYPE"].iter().any(|root| rest.starts_with(root))
}
