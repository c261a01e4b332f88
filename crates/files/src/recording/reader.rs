//! # Reading recordings, whole ones and those that a crash left
//!
//! - **in**: the bytes of a file
//! - **out**: what it is of, how many messages on which topic, frames ([`Recording`]); a whole file made of a broken one
//!   ([`recover`])
//! - **assumes**: nothing: any bytes give an answer or an error
//! - **start at** [`Recording::read`], [`recover`]

use super::frame::{BodyFrame, Frame};
use super::wire::Fields;
use super::writer::{FACTS, HASHES, options};
use mcap::read::{ChunkFlattener, Options};
use mcap::records::{MessageHeader, Record};
use mcap::{Attachment, MAGIC};
use std::collections::BTreeMap;
use std::io::{BufWriter, Seek, Write};

/// Why a file cannot be read as a recording.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// It is no MCAP file.
    #[error("not a recording: expected an MCAP file (first bytes 89 4D 43 41 50 30 0D 0A), got {got}")]
    NotMcap {
        /// Its first bytes.
        got: String,
    },
    /// It is MCAP, but not ours.
    #[error("an MCAP file without fingerpad's metadata, so that the scene it is of is not known")]
    NotOurs,
    /// It cannot be written.
    #[error("{why}")]
    Write {
        /// Why.
        why: String,
    },
}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Name and value: version, hash, overrides, …
    pub facts: BTreeMap<String, String>,
    /// Text of the scene.
    pub scene: Option<String>,
    /// Topic, schema, number of messages.
    pub topics: Vec<(String, String, u64)>,
    /// First and last time (ns).
    pub span: Option<(u64, u64)>,
    /// Frames with exact time, digest and poses by name, as far as messages of all three topics are there.
    pub frames: Vec<Recorded>,
    /// Where and why reading stopped, if the file does not end as it should.
    pub broken: Option<String>,
}

/// A recorded frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Exact time (s).
    pub time: f64,
    /// [`digest`](super::messages::digest) of the numbers that are not poses.
    pub digest: u64,
    /// Bodies that move: name, position, quaternion wxyz.
    pub poses: Vec<(String, [f64; 3], [f64; 4])>,
}

/// Whether bytes begin as MCAP files do.
pub fn is_mcap(start: &[u8]) -> bool {
    start.starts_with(MAGIC)
}

fn open(bytes: &[u8]) -> Result<ChunkFlattener<'_>, RecordingError> {
    let got = || {
        let start: Vec<String> = bytes.iter().take(8).map(|b| format!("{b:02X}")).collect();
        if start.is_empty() { "an empty file".to_string() } else { start.join(" ") }
    };
    if !is_mcap(bytes) {
        return Err(RecordingError::NotMcap { got: got() });
    }
    ChunkFlattener::new_with_options(bytes, Options::IgnoreEndMagic.into())
        .map_err(|_| RecordingError::NotMcap { got: got() })
}

impl Recording {
    /// Reads what is there; what is broken ends it, and is told.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordingError> {
        let mut found = Self::default();
        let mut schemas: BTreeMap<u16, String> = BTreeMap::new();
        let mut channels: BTreeMap<u16, usize> = BTreeMap::new();
        let mut now = Recorded::default();
        let mut ended = false;
        let mut records = open(bytes)?;
        loop {
            let record = match records.next() {
                None => break,
                Some(Ok(record)) => record,
                Some(Err(e)) => {
                    found.broken = Some(e.to_string());
                    break;
                }
            };
            match record {
                Record::Schema { header, .. } => _ = schemas.insert(header.id, header.name.clone()),
                Record::Channel(channel) => {
                    let known = found.topics.iter().position(|(topic, ..)| *topic == channel.topic);
                    let at = known.unwrap_or_else(|| {
                        let schema = schemas.get(&channel.schema_id).cloned().unwrap_or_default();
                        found.topics.push((channel.topic.clone(), schema, 0));
                        found.topics.len() - 1
                    });
                    channels.insert(channel.id, at);
                }
                Record::Message { header, data } => {
                    let Some(at) = channels.get(&header.channel_id) else { continue };
                    found.topics[*at].2 += 1;
                    let (first, last) = found.span.unwrap_or((header.log_time, header.log_time));
                    found.span = Some((first.min(header.log_time), last.max(header.log_time)));
                    match found.topics[*at].0.as_str() {
                        "/tf" => now.poses = poses(&data),
                        "/state" => {
                            for (field, value) in Fields(&data) {
                                match field {
                                    1 => now.time = value.double(),
                                    2 => now.digest = value.number(),
                                    _ => {}
                                }
                            }
                            // Poses come before the state of the same frame.
                            found.frames.push(std::mem::take(&mut now));
                        }
                        _ => {}
                    }
                }
                Record::Attachment { header, data, .. } if header.name == "scene.toml" => {
                    found.scene = Some(String::from_utf8_lossy(&data).into_owned());
                }
                Record::Metadata(metadata) if [FACTS, HASHES].contains(&metadata.name.as_str()) => {
                    found.facts.extend(metadata.metadata);
                }
                Record::DataEnd(_) => {
                    ended = true;
                    break;
                }
                _ => {}
            }
        }
        if !ended && found.broken.is_none() {
            found.broken = Some("the file ends before its end record".to_string());
        }
        Ok(found)
    }

    /// A fact by its name; a file of others has none.
    pub fn fact(&self, name: &str) -> Result<&str, RecordingError> {
        self.facts.get(name).map(String::as_str).ok_or(RecordingError::NotOurs)
    }
}

impl Recorded {
    /// The first body whose pose is not that of a frame, bit for bit.
    pub fn differs<'a>(&'a self, frame: &Frame, names: &[String]) -> Option<&'a str> {
        let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
        let of = |name: &str| -> Option<&BodyFrame> { frame.bodies.get(names.iter().position(|n| n == name)?) };
        let wrong = |(name, p, q): &&(String, [f64; 3], [f64; 4])| {
            !of(name).is_some_and(|body| same(p, &body.p) && same(q, &body.q))
        };
        self.poses.iter().find(wrong).map(|(name, ..)| name.as_str())
    }
}

/// Poses of a `foxglove.FrameTransforms`.
fn poses(data: &[u8]) -> Vec<(String, [f64; 3], [f64; 4])> {
    let mut all = Vec::new();
    for (_, transform) in Fields(data) {
        let mut one = (String::new(), [0.0; 3], [0.0; 4]);
        for (field, value) in Fields(transform.bytes()) {
            let numbers = || Fields(value.bytes()).map(|(k, v)| (k as usize, v.double()));
            match field {
                3 => one.0 = value.text(),
                4 => numbers().filter(|(k, _)| (1..=3).contains(k)).for_each(|(k, x)| one.1[k - 1] = x),
                5 => numbers().filter(|(k, _)| (1..=4).contains(k)).for_each(|(k, x)| one.2[k % 4] = x),
                _ => {}
            }
        }
        all.push(one);
    }
    all
}

/// Writes all that can be read of a recording into a new one, with a summary; how many messages that were, and why
/// reading stopped.
pub fn recover(bytes: &[u8], out: impl Write + Seek) -> Result<(u64, Option<String>), RecordingError> {
    let told = |e: mcap::McapError| RecordingError::Write { why: e.to_string() };
    let records = open(bytes)?;
    let mut writer = options().create(BufWriter::new(out)).map_err(told)?;
    let mut schemas: BTreeMap<u16, u16> = BTreeMap::new();
    let mut channels: BTreeMap<u16, u16> = BTreeMap::new();
    let mut count = 0;
    let mut broken = Some("the file ends before its end record".to_string());
    for record in records {
        let record = match record {
            Ok(record) => record,
            Err(e) => {
                broken = Some(e.to_string());
                break;
            }
        };
        match record {
            Record::Schema { header, data } => {
                let id = writer.add_schema(&header.name, &header.encoding, &data).map_err(told)?;
                schemas.insert(header.id, id);
            }
            Record::Channel(channel) => {
                let schema = schemas.get(&channel.schema_id).copied().unwrap_or(0);
                let id = writer.add_channel(schema, &channel.topic, &channel.message_encoding, &channel.metadata);
                channels.insert(channel.id, id.map_err(told)?);
            }
            Record::Message { header, data } => {
                if let Some(id) = channels.get(&header.channel_id) {
                    let header = MessageHeader { channel_id: *id, ..header };
                    writer.write_to_known_channel(&header, &data).map_err(told)?;
                    count += 1;
                }
            }
            Record::Attachment { header, data, .. } => {
                let (name, media_type) = (header.name, header.media_type);
                let attachment =
                    Attachment { log_time: header.log_time, create_time: header.create_time, name, media_type, data };
                writer.attach(&attachment).map_err(told)?;
            }
            Record::Metadata(metadata) => writer.write_metadata(&metadata).map_err(told)?,
            Record::DataEnd(_) => {
                broken = None;
                break;
            }
            _ => {}
        }
    }
    writer.finish().map_err(told)?;
    Ok((count, broken))
}
