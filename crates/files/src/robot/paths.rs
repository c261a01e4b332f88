//! # Paths: which file a robot means
//!
//! - **in**: a path or an address (`package://NAME/…`, `file://…`) out of a robot's file
//! - **out**: a file inside the folders that a robot may use, or why not
//! - **not here**: reading it
//! - **start at** [`Reader::resolve`]
//!
//! A robot from elsewhere must not read files that have nothing to do with it. So whatever it names must lie in the
//! folder of its own file, in the package around it (the nearest folder above with a `package.xml`), or in a folder that
//! the user names. `package://NAME/rest` is looked for in folders called NAME: those that the user names, those in
//! them, those above the robot's file and those beside them.

use super::reader::Reader;
use std::path::{Path, PathBuf};

/// Folders above a robot's file that are looked at.
const ABOVE: usize = 8;

/// Why there is no file.
pub(super) enum NoFile {
    /// It is not there.
    Absent(String),
    /// It must not be read.
    Refused(String),
}

impl Reader<'_> {
    /// The file that a robot means, below `prefix` (`meshdir`, or nothing).
    pub fn resolve(&self, address: &str, prefix: &Path) -> Result<PathBuf, NoFile> {
        let address = address.trim();
        for scheme in ["package://", "model://"] {
            if let Some(rest) = address.strip_prefix(scheme) {
                return self.in_package(rest, scheme);
            }
        }
        let plain = address.strip_prefix("file://").unwrap_or(address);
        if let Some((scheme, _)) = plain.split_once("://") {
            return Err(NoFile::Refused(format!("`{scheme}://` is not read; known are package://, file:// and paths")));
        }
        if plain.is_empty() {
            return Err(NoFile::Refused("the name of a file must not be empty".to_string()));
        }
        let path = self.folder.join(prefix).join(plain);
        self.inside(&path, &self.roots())
    }

    /// Folders that files may lie in.
    fn roots(&self) -> Vec<PathBuf> {
        let mut roots = vec![self.folder.clone()];
        let above = absolute(&self.folder);
        roots.extend(above.ancestors().take(ABOVE).find(|f| f.join("package.xml").is_file()).map(Path::to_path_buf));
        roots.extend(self.options.search.iter().cloned());
        roots
    }

    fn inside(&self, path: &Path, roots: &[PathBuf]) -> Result<PathBuf, NoFile> {
        let shown = path.display();
        let Ok(found) = path.canonicalize() else {
            return Err(NoFile::Absent(format!("the file {shown} is not there")));
        };
        if !found.is_file() {
            return Err(NoFile::Refused(format!("expected a file, got something else at {shown}")));
        }
        let home = |root: &PathBuf| root.canonicalize().is_ok_and(|root| found.starts_with(root));
        if roots.iter().any(home) {
            return Ok(path.to_path_buf());
        }
        let allowed = "a robot may use its own folder, the package around it, and folders given by --search";
        Err(NoFile::Refused(format!("{shown} lies outside the robot's folder; {allowed}")))
    }

    fn in_package(&self, rest: &str, scheme: &str) -> Result<PathBuf, NoFile> {
        let Some((package, inner)) = rest.split_once('/').filter(|(name, _)| !name.is_empty() && *name != "..") else {
            return Err(NoFile::Refused(format!("expected {scheme}NAME/path, got `{scheme}{rest}`")));
        };
        let above = absolute(&self.folder);
        let folders = self.options.search.iter().map(|s| absolute(s)).collect::<Vec<_>>();
        let folders = folders.into_iter().chain(above.ancestors().take(ABOVE).map(Path::to_path_buf));
        let mut tried = Vec::new();
        for folder in folders {
            let itself = folder.file_name().is_some_and(|name| name == package).then(|| folder.clone());
            for root in itself.into_iter().chain([folder.join(package)]) {
                if root.join(inner).exists() {
                    return self.inside(&root.join(inner), &[root]);
                }
                tried.push(root);
            }
        }
        let first = tried.first().map(|t| t.display().to_string()).unwrap_or_default();
        let message = format!("`{scheme}{rest}` was not found; {} folders were tried, from {first} on", tried.len());
        Err(NoFile::Absent(format!("{message}. Give the folder that holds the package `{package}` by --search")))
    }
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
