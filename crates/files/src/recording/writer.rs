//! # Recorder: frames into `run.mcap`, by a thread of its own
//!
//! - **in**: what the recording is of ([`About`]), then a [`Frame`] a row
//! - **out**: an MCAP file with uncompressed chunks, flushed every 100 ms, so that a crash costs what came since
//! - **not here**: messages ([`messages`](super::messages)); reading ([`reader`](super::reader))
//! - **start at** [`Recorder::new`], [`Recorder::push`], [`Recorder::finish`]
//!
//! The simulation's thread writes its messages into a buffer of memory; the other thread takes the buffer whenever it
//! wakes, every 20 ms. Nothing is dropped: when the disk is slower than the simulation, the simulation waits, and
//! [`Recorder::finish`] tells how long.

use super::frame::Frame;
use super::messages::{self, Model, Transforms, nanoseconds};
use super::schema::{self, descriptor};
use mcap::records::{MessageHeader, Metadata};
use mcap::{Attachment, WriteOptions, Writer};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Chunks of the file (bytes).
const CHUNK: u64 = 64 << 10;
/// How often the other thread looks.
const NAP: Duration = Duration::from_millis(20);
/// How often the file is flushed.
const FLUSH: Duration = Duration::from_millis(100);
/// Most bytes that wait in memory.
const WAITING: usize = 8 << 20;
/// Least time between poses and between arrows (s of the simulation).
const SPARSE: f64 = 0.1;

/// Topics with their schemas; the place in this list is the channel.
pub const TOPICS: [(&str, &str); 7] = [
    ("/tf", "foxglove.FrameTransforms"),
    ("/poses", "foxglove.PosesInFrame"),
    ("/scene", "foxglove.SceneUpdate"),
    ("/contacts", "fingerpad.Contacts"),
    ("/energy", schema::ENERGY),
    ("/state", "fingerpad.State"),
    ("/log", "foxglove.Log"),
];
const TF: u8 = 0;
const POSES: u8 = 1;
const SCENE: u8 = 2;
const CONTACTS: u8 = 3;
const ENERGY: u8 = 4;
const STATE: u8 = 5;
const LOG: u8 = 6;

/// Name of the metadata that a file begins with.
pub const FACTS: &str = "fingerpad";
/// Name of the metadata that come when they are found out: hashes of maps, meshes and the program.
pub const HASHES: &str = "fingerpad-hashes";

/// What a recording is of.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// Names of the bodies, in the order of the scene.
    pub names: Vec<String>,
    /// Which of them move.
    pub moving: Vec<bool>,
    /// Whether contacts are recorded.
    pub contacts: bool,
    /// Text of the scene.
    pub scene: String,
    /// Name and value: version, hash, overrides, …
    pub facts: BTreeMap<String, String>,
    /// Length of an arrow (m) for each newton.
    pub arrows: f64,
}

/// Why a recording cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: the recording cannot be written: {why}", path.display())]
pub struct RecorderError {
    path: PathBuf,
    why: String,
}

/// What recording cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Messages.
    pub messages: u64,
    /// How long the simulation waited for the disk (s).
    pub waited: f64,
}

#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    closed: bool,
    failed: Option<String>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// The other thread has taken the bytes, or failed.
    taken: Condvar,
    /// There is something to do before the next nap ends.
    hurry: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a recording.
pub struct Recorder {
    path: PathBuf,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    about: About,
    moved: Transforms,
    bytes: Vec<u8>,
    scratch: Vec<u8>,
    one: Vec<u8>,
    next_poses: f64,
    next_arrows: f64,
    first: bool,
    cost: Cost,
}

/// Facts that take their time: they are found out by a thread of their own and written when they are there.
pub type Late = Box<dyn FnOnce() -> BTreeMap<String, String> + Send>;

impl Recorder {
    /// Begins a file; `late` is asked for more facts by a thread of its own. Rows do not wait for them: a program of
    /// 180 MB takes a second to hash, and a crash in that second would have left nothing.
    pub fn new(path: &Path, about: About, late: Late) -> Result<Self, RecorderError> {
        let fail = |why: String| RecorderError { path: path.to_path_buf(), why };
        let file = File::create(path).map_err(|e| fail(e.to_string()))?;
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let (scene, facts) = (about.scene.clone(), about.facts.clone());
        let hashing = std::thread::Builder::new().name("hashes".to_string()).spawn(late);
        let hashing = hashing.map_err(|e| fail(e.to_string()))?;
        let work = move || {
            if let Err(e) = write(&theirs, file, &scene, facts, hashing) {
                theirs.lock().failed = Some(told(&e));
                theirs.taken.notify_all();
            }
        };
        let thread = std::thread::Builder::new().name("recording".to_string()).spawn(work);
        let thread = thread.map_err(|e| fail(e.to_string()))?;
        let moving = about.names.iter().enumerate().filter(|(i, _)| about.moving[*i]);
        let moved = Transforms::new(moving.map(|(i, name)| (i, name.as_str())));
        Ok(Self {
            path: path.to_path_buf(),
            shared,
            thread: Some(thread),
            moved,
            about,
            bytes: Vec::with_capacity(1 << 16),
            scratch: Vec::new(),
            one: Vec::new(),
            next_poses: f64::NEG_INFINITY,
            next_arrows: f64::NEG_INFINITY,
            first: true,
            cost: Cost::default(),
        })
    }

    /// The shapes of the scene; once, before the first frame.
    pub fn models(&mut self, models: &[Model], t: f64) -> Result<(), RecorderError> {
        let time = nanoseconds(t);
        self.scratch.clear();
        messages::models(&mut self.scratch, models, time);
        self.put(SCENE, time);
        self.send()
    }

    /// A frame.
    pub fn push(&mut self, frame: &Frame) -> Result<(), RecorderError> {
        let time = nanoseconds(frame.time);
        if self.first {
            self.first = false;
            // Bodies that stay are told once.
            let names = self.about.names.iter().enumerate().filter(|(i, _)| !self.about.moving[*i]);
            let mut still = Transforms::new(names.map(|(i, name)| (i, name.as_str())));
            append(&mut self.bytes, TF, time, still.fill(frame, time));
        }
        append(&mut self.bytes, TF, time, self.moved.fill(frame, time));
        self.scratch.clear();
        messages::state(&mut self.scratch, frame);
        self.put(STATE, time);
        messages::energy(&mut self.scratch, frame);
        self.put(ENERGY, time);
        if self.about.contacts {
            messages::contacts(&mut self.scratch, frame, &self.about.names, &mut self.one);
            self.put(CONTACTS, time);
            if frame.time >= self.next_arrows {
                self.next_arrows = frame.time + SPARSE;
                messages::arrows(&mut self.scratch, frame, self.about.arrows, time);
                self.put(SCENE, time);
            }
        }
        if frame.time >= self.next_poses {
            self.next_poses = frame.time + SPARSE;
            messages::poses(&mut self.scratch, frame, &self.about.moving, time);
            self.put(POSES, time);
        }
        self.send()
    }

    /// A line of the log.
    pub fn log(&mut self, t: f64, warning: bool, words: &str) -> Result<(), RecorderError> {
        let time = nanoseconds(t);
        self.scratch.clear();
        messages::log(&mut self.scratch, time, if warning { 3 } else { 2 }, words);
        self.put(LOG, time);
        self.send()
    }

    /// The message in `scratch` goes to a channel.
    fn put(&mut self, channel: u8, time: u64) {
        append(&mut self.bytes, channel, time, &self.scratch);
        self.scratch.clear();
        self.cost.messages += 1;
    }

    /// Hands the bytes over.
    fn send(&mut self) -> Result<(), RecorderError> {
        let mut queue = self.shared.lock();
        if queue.bytes.len() > WAITING && queue.failed.is_none() {
            let began = Instant::now();
            self.shared.hurry.notify_all();
            while queue.bytes.len() > WAITING && queue.failed.is_none() {
                queue = self.shared.taken.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            self.cost.waited += began.elapsed().as_secs_f64();
        }
        if let Some(why) = &queue.failed {
            return Err(RecorderError { path: self.path.clone(), why: why.clone() });
        }
        queue.bytes.extend_from_slice(&self.bytes);
        drop(queue);
        self.bytes.clear();
        Ok(())
    }

    /// Ends the file with its summary; tells what recording cost.
    pub fn finish(mut self) -> Result<Cost, RecorderError> {
        self.close();
        match &self.shared.lock().failed {
            Some(why) => Err(RecorderError { path: self.path.clone(), why: why.clone() }),
            None => Ok(self.cost),
        }
    }

    fn close(&mut self) {
        self.shared.lock().closed = true;
        self.shared.hurry.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            self.shared.lock().failed.get_or_insert_with(|| "its thread ended early".to_string());
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // A run that fails leaves what it recorded, with a summary.
        self.close();
    }
}

/// An error with what is behind it.
fn told(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

/// Channel, time, length, bytes.
fn append(out: &mut Vec<u8>, channel: u8, time: u64, message: &[u8]) {
    out.push(channel);
    out.extend_from_slice(&time.to_le_bytes());
    out.extend_from_slice(&(message.len() as u32).to_le_bytes());
    out.extend_from_slice(message);
}

/// The options of our files.
pub(super) fn options() -> WriteOptions {
    WriteOptions::new()
        .compression(None)
        .chunk_size(Some(CHUNK))
        .library(concat!("fingerpad ", env!("CARGO_PKG_VERSION")))
}

/// The other thread: takes bytes, writes messages, flushes.
fn write(
    shared: &Shared,
    file: File,
    scene: &str,
    facts: BTreeMap<String, String>,
    hashing: JoinHandle<BTreeMap<String, String>>,
) -> mcap::McapResult<()> {
    let mut hashing = Some(hashing);
    let mut out = options().create(BufWriter::new(file))?;
    let mut channels = Vec::new();
    for (topic, name) in TOPICS {
        let schema = out.add_schema(name, "protobuf", &descriptor(name))?;
        channels.push(out.add_channel(schema, topic, "protobuf", &BTreeMap::new())?);
    }
    out.attach(&Attachment {
        log_time: 0,
        create_time: 0,
        name: "scene.toml".to_string(),
        media_type: "application/toml".to_string(),
        data: Cow::Borrowed(scene.as_bytes()),
    })?;
    out.write_metadata(&Metadata { name: FACTS.to_string(), metadata: facts })?;
    out.flush()?;
    let mut sequence = [0_u32; TOPICS.len()];
    let mut flushed = Instant::now();
    let mut bytes = Vec::new();
    loop {
        let closed = {
            let mut queue = shared.lock();
            if !queue.closed && queue.bytes.len() <= WAITING {
                queue = shared.hurry.wait_timeout(queue, NAP).unwrap_or_else(PoisonError::into_inner).0;
            }
            std::mem::swap(&mut queue.bytes, &mut bytes);
            shared.taken.notify_all();
            queue.closed
        };
        write_messages(&mut out, &bytes, &channels, &mut sequence)?;
        bytes.clear();
        let last = closed && shared.lock().bytes.is_empty();
        if let Some(late) = hashing.take_if(|late| last || late.is_finished()) {
            // A thread that panicked leaves the file without hashes.
            let metadata = late.join().unwrap_or_default();
            out.write_metadata(&Metadata { name: HASHES.to_string(), metadata })?;
        }
        if last {
            break;
        }
        if flushed.elapsed() >= FLUSH {
            out.flush()?;
            flushed = Instant::now();
        }
    }
    out.finish()?;
    Ok(())
}

fn write_messages(
    out: &mut Writer<BufWriter<File>>,
    mut bytes: &[u8],
    channels: &[u16],
    sequence: &mut [u32],
) -> mcap::McapResult<()> {
    while let Some((head, rest)) = bytes.split_first_chunk::<13>() {
        let channel = usize::from(head[0]);
        let time = u64::from_le_bytes(std::array::from_fn(|k| head[1 + k]));
        let length = u32::from_le_bytes(std::array::from_fn(|k| head[9 + k])) as usize;
        let header = MessageHeader {
            channel_id: channels[channel],
            sequence: sequence[channel],
            log_time: time,
            publish_time: time,
        };
        out.write_to_known_channel(&header, &rest[..length])?;
        sequence[channel] = sequence[channel].wrapping_add(1);
        bytes = &rest[length..];
    }
    Ok(())
}
