//! # Saved states: a run that goes on bit by bit
//!
//! - **in**: a state, what it is of
//! - **out**: a file: one line that names the format, one line of JSON ([`Header`]), the state in binary, and the SHA-256
//!   of all that as its last 32 bytes
//! - **start at** [`write()`], [`read`]
//!
//! Numbers are stored as their bits (`postcard`), so that nothing is rounded. A state belongs to one scene (its text, its
//! overrides and the maps and meshes that it names, not its duration) and one version of the program. A file in which any
//! bit has changed is refused, since a wrong state would go on without a word.

use crate::outcome::{self, Failure};
use fingerpad_files::input;
use fingerpad_files::scene::Built;
use fingerpad_sim::{Model, State};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

/// How the first line of every saved state begins; the number of the format follows.
pub const MAGIC: &str = "fingerpad state ";
/// The format that this program writes and reads.
const FORMAT: &str = "6";
/// Length of the checksum (bytes).
const DIGEST: usize = 32;
/// Longest state that is read (bytes).
const LONGEST: u64 = 1 << 32;

/// What is known of a saved state besides the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the program.
    pub version: String,
    /// What it was saved from.
    pub origin: Origin,
    /// What the ledger is measured against.
    pub measure: Measure,
}

/// What a state was saved from: all of this must be the same where it goes on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the scene.
    pub scene: String,
    /// Hash of the scene's text.
    pub text: String,
    /// Overrides, as given.
    pub sets: Vec<String>,
    /// Maps and meshes: name in the scene, hash of the file.
    pub assets: Vec<(String, String)>,
}

/// What the error of the ledger is measured against, from the start of the first run on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Energy total at the start (J).
    pub total: f64,
    /// Potential energy at the start (J).
    pub PE: f64,
    /// The largest energy so far, or what is too little to notice (J).
    pub scale: f64,
    /// The largest error of the ledger so far (J).
    pub error: f64,
}

/// A state and what is known of it.
#[derive(Debug)]
pub struct Saved {
    /// What it is of.
    pub header: Header,
    /// The state.
    pub state: State,
}

fn hexadecimal(sha: Sha256) -> String {
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hash of a scene's text and its overrides, as hexadecimal digits.
pub fn hash(text: &str, sets: &[String]) -> String {
    let mut sha = Sha256::new();
    sha.update(text.as_bytes());
    for set in sets {
        sha.update([0]);
        sha.update(set.as_bytes());
    }
    hexadecimal(sha)
}

impl Origin {
    /// What a run of this scene is from. Reads every map and mesh once more.
    pub fn new(built: &Built, text: &str, sets: &[String]) -> Result<Self, Failure> {
        let mut assets = Vec::new();
        for asset in &built.assets {
            assets.push((asset.name.clone(), file_hash(&asset.path)?));
        }
        Ok(Self { scene: built.name.clone(), text: hash(text, &[]), sets: sets.to_vec(), assets })
    }

    /// What is different here from what a state was saved from, in words.
    fn difference(&self, saved: &Origin) -> Option<String> {
        if self.scene != saved.scene {
            return Some(format!("saved from another scene: `{}`, and this is `{}`", saved.scene, self.scene));
        }
        if self.text != saved.text {
            return Some(format!("the text of the scene `{}` has changed since it was saved", self.scene));
        }
        if self.sets != saved.sets {
            let list = |sets: &[String]| match sets {
                [] => "none".to_string(),
                sets => sets.join(", "),
            };
            return Some(format!(
                "saved with other overrides: {}, and here are {}",
                list(&saved.sets),
                list(&self.sets)
            ));
        }
        let changed = self.assets.iter().zip(&saved.assets).find(|(here, there)| here != there);
        let changed = changed.map(|((name, _), _)| name).or_else(|| {
            let longer = [&self.assets, &saved.assets].into_iter().max_by_key(|list| list.len())?;
            longer.get(self.assets.len().min(saved.assets.len())).map(|(name, _)| name)
        });
        changed.map(|name| format!("the file `{name}` of the scene has changed since it was saved"))
    }
}

/// Hash of a file, read bit by bit.
fn file_hash(path: &Path) -> Result<String, Failure> {
    let mut sha = Sha256::new();
    let mut file = std::fs::File::open(path).map_err(|e| Failure::of_file(path, e))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match std::io::Read::read(&mut file, &mut buffer) {
            Ok(0) => return Ok(hexadecimal(sha)),
            Ok(count) => sha.update(&buffer[..count]),
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Failure::of_file(path, e)),
        }
    }
}

/// Writes a state, whole or not at all.
pub fn write(path: &Path, header: &Header, state: &State) -> Result<(), Failure> {
    let bytes = bytes_of(header, state);
    let bytes = bytes.map_err(|e| Failure::of_file(path, format!("state cannot be written: {e}")))?;
    outcome::write_bytes_whole(path, &bytes)
}

/// A state as it is stored.
fn bytes_of(header: &Header, state: &State) -> Result<Vec<u8>, String> {
    let json = serde_json::to_string(header).map_err(|e| e.to_string())?;
    let mut bytes = format!("{MAGIC}{FORMAT}\n{json}\n").into_bytes();
    bytes.extend(postcard::to_stdvec(state).map_err(|e| e.to_string())?);
    let sum = Sha256::digest(&bytes);
    bytes.extend(sum);
    Ok(bytes)
}

/// Reads a state that was saved from the same.
pub fn read(path: &Path, origin: &Origin, model: &Model) -> Result<Saved, Failure> {
    let saved = open(path)?;
    if let Some(why) = origin.difference(&saved.header.origin) {
        return Err(Failure::of_file(path, why));
    }
    let bodies = model.bodies().len();
    let known = saved.state.contacts.iter().all(|contact| {
        let pair = &contact.pair;
        pair.a.0 < bodies && pair.b.0 < bodies && pair.law.0 < model.laws().len()
    });
    if saved.state.bodies.len() != bodies || !known {
        return Err(Failure::of_file(path, "the state does not fit the bodies and pairs of the scene"));
    }
    Ok(saved)
}

/// Reads a state of any scene.
pub fn open(path: &Path) -> Result<Saved, Failure> {
    let bytes = input::read(path, LONGEST).map_err(|e| Failure::of_file(path, format!("cannot be read: {e}")))?;
    parse(&bytes).map_err(|why| Failure::of_file(path, why))
}

/// A state from what is stored; why it is none otherwise.
fn parse(bytes: &[u8]) -> Result<Saved, String> {
    let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(format) = first.strip_prefix(MAGIC.as_bytes()) else {
        return Err(format!("not a saved state (expected `{MAGIC}{FORMAT}` in its first line)"));
    };
    if format != FORMAT.as_bytes() {
        let format: String = String::from_utf8_lossy(format).chars().take(20).collect();
        return Err(format!("a saved state of format {format:?}, this program reads format {FORMAT}"));
    }
    let (content, sum) = bytes.split_at(bytes.len().saturating_sub(DIGEST));
    if Sha256::digest(content)[..] != *sum {
        return Err("the saved state is damaged or cut short: its checksum does not fit".to_string());
    }
    let mut parts = content.splitn(3, |byte| *byte == b'\n').skip(1);
    let (json, body) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let header: Header =
        serde_json::from_slice(json).map_err(|e| format!("the second line of a saved state must describe it: {e}"))?;
    let version = env!("CARGO_PKG_VERSION");
    if header.version != version {
        return Err(format!("saved by version {}, this is {version}: states do not carry over", header.version));
    }
    let state = postcard::from_bytes(body)
        .map_err(|e| format!("saved by another build of version {version}: states do not carry over ({e})"))?;
    Ok(Saved { header, state })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fingerpad_files::scene::Scene;

    /// Ten thousand flipped bits, spread over head, state and checksum: every one is refused.
    #[test]
    fn every_flipped_bit_is_refused() {
        let text = include_str!("../../scenes/pinch-sliders.toml");
        let built = Scene::parse(text, "", Path::new(""), &[]).and_then(|scene| scene.build(&mut |_| {})).unwrap();
        let header = Header {
            version: env!("CARGO_PKG_VERSION").to_string(),
            origin: Origin::new(&built, text, &["a=1".to_string()]).unwrap(),
            measure: Measure { total: 1.0, PE: 0.1, scale: 2.0, error: 1e-9 },
        };
        let whole = bytes_of(&header, &built.model.start().unwrap()).unwrap();
        assert_eq!(parse(&whole).unwrap().header, header);
        let bits = 8 * whole.len();
        for k in 0..10_000 {
            // A step that is prime to any length in bytes visits bits all over the file.
            let bit = k * 104_729 % bits;
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&bytes).is_err(), "bit {bit} of {bits}");
        }
    }
}
