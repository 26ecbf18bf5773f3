//! Positions at which reading resumes after a restart: of files and of the journal.
//!
//! In: acknowledged positions. Out: the same after a restart. Holds: a map in memory, saved by one thread.
//! The file is replaced as a whole: written to a temporary file, synced, renamed, folder synced. Format: a first
//! line, then lines of `name TAB position`, both with `%XX` for odd bytes.
//! Limits: saved [`SAVE_EVERY`] after a change, and at the stop: a crash repeats at most that much.

mod owner;

use message::NumberedStream;
use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use transport::{InternalLog, StageError};

pub(crate) use owner::{Claim, FilesRead, Owners, PositionOwner};

const FIRST_LINE: &str = "duramen positions 1";
/// Time between a change and its save.
const SAVE_EVERY: Duration = Duration::from_millis(500);
/// Permissions of a file beside it.
const PRIVATE_MODE: u32 = 0o600;

/// The positions of all sources. Clones share them.
#[derive(Clone)]
pub struct Positions(Arc<Shared>);

struct Shared {
    path: Option<PathBuf>,
    state: Mutex<State>,
    changed: Condvar,
    /// Held while the file is written.
    saving: Mutex<()>,
    log: InternalLog,
}

#[derive(Default)]
struct State {
    positions: BTreeMap<String, String>,
    /// Streams that learn how far they are when their positions are on the disk.
    streams: BTreeMap<String, (Arc<NumberedStream>, u64)>,
    /// Names that another source has taken over. Acknowledgements of their last batches must not bring them back.
    inherited: HashSet<String>,
    dirty: bool,
}

impl Positions {
    /// Reads the file, if there is one. Without a path positions live as long as the program.
    pub(crate) fn open(path: Option<&Path>, log: &InternalLog) -> Result<Positions, StageError> {
        let failed = |source| StageError::Open {
            id: "positions".to_owned(),
            what: path.unwrap_or(Path::new("")).display().to_string(),
            source,
        };
        let positions = match path.map(fs::read_to_string) {
            None => BTreeMap::new(),
            Some(Ok(text)) => decode(&text).map_err(failed)?,
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Some(Err(error)) => return Err(failed(error)),
        };
        let shared = Arc::new(Shared {
            path: path.map(Path::to_owned),
            state: Mutex::new(State { positions, ..State::default() }),
            changed: Condvar::new(),
            saving: Mutex::default(),
            log: log.clone(),
        });
        if path.is_some() {
            let weak = Arc::downgrade(&shared);
            let save = move || {
                while let Some(shared) = weak.upgrade() {
                    shared.save_when_changed();
                }
            };
            std::thread::Builder::new().name("positions".to_owned()).spawn(save).map_err(failed)?;
        }
        Ok(Positions(shared))
    }

    /// Returns the position under a name.
    pub fn position(&self, name: &str) -> Option<String> {
        self.0.lock().positions.get(name).cloned()
    }

    /// Notes a position, to be saved soon.
    pub fn set(&self, name: &str, position: String) {
        let mut state = self.0.lock();
        if state.positions.get(name) != Some(&position) && !state.inherited.contains(name) {
            state.positions.insert(name.to_owned(), position);
            state.dirty = true;
            self.0.changed.notify_one();
        }
    }

    /// Notes a position and saves it before it returns: a crash does not forget where a source began. Writes a file.
    pub fn set_durably(&self, name: &str, position: String) {
        self.set(name, position);
        self.0.save();
    }

    /// Notes the position of a stream of numbered messages. When it is on the disk, the stream is settled below.
    pub(crate) fn set_stream(
        &self,
        name: &str,
        position: String,
        (stream, below): (&Arc<NumberedStream>, u64),
    ) {
        if self.0.path.is_none() {
            stream.settle(below);
        }
        // Both at once: the stream must not be settled by the save of an older position.
        let mut state = self.0.lock();
        state.positions.insert(name.to_owned(), position);
        state.streams.insert(name.to_owned(), (stream.clone(), below));
        state.dirty = true;
        self.0.changed.notify_one();
    }

    /// The names with a beginning, and their positions.
    pub(crate) fn of_prefix(&self, prefix: &str) -> Vec<(String, String)> {
        let state = self.0.lock();
        let found =
            state.positions.range(prefix.to_owned()..).take_while(|(name, _)| name.starts_with(prefix));
        found.map(|(name, position)| (name.clone(), position.clone())).collect()
    }

    /// Gives the positions of files that belong to none of the sources to those that read the files now: positions of
    /// earlier versions, and of sources that were renamed. Call it before these sources start.
    pub(crate) fn inherit(&self, claims: &[Claim]) {
        let mut state = self.0.lock();
        let names: Vec<String> = state.positions.keys().cloned().collect();
        for name in names {
            let Some(heir) = owner::heir(&name, claims, |name| state.positions.contains_key(name)) else {
                continue;
            };
            if let Some(position) = state.positions.remove(&name) {
                state.inherited.insert(name);
                state.positions.insert(heir, position);
                state.dirty = true;
            }
        }
        self.0.changed.notify_one();
    }

    /// Begins to keep a position, also under a name that another source took over before.
    pub(crate) fn begin(&self, name: &str, position: String) {
        self.0.lock().inherited.remove(name);
        self.set(name, position);
    }

    /// Forgets a position: what it was of is gone.
    pub fn remove(&self, name: &str) {
        let mut state = self.0.lock();
        if state.positions.remove(name).is_some() {
            state.dirty = true;
            self.0.changed.notify_one();
        }
    }

    /// Returns the path of a file beside that of the positions, for what is too much for it, and makes the file for its owner only
    /// if it is missing. `None` when positions live as long as the program.
    pub fn file_beside(&self, name: &str) -> io::Result<Option<PathBuf>> {
        let Some(path) = self.0.path.as_ref().map(|path| path.with_file_name(name)) else { return Ok(None) };
        let made = fs::OpenOptions::new().write(true).create_new(true).mode(PRIVATE_MODE).open(&path);
        match made {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(Some(path)),
        }
    }

    /// Saves now.
    pub(crate) fn save(&self) {
        self.0.save();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save_when_changed(&self) {
        let state = self.lock();
        let wait = self.changed.wait_timeout_while(state, SAVE_EVERY, |state| !state.dirty);
        let changed = wait.unwrap_or_else(PoisonError::into_inner).0.dirty;
        if changed {
            std::thread::sleep(SAVE_EVERY);
            self.save();
        }
    }

    fn save(&self) {
        let Some(path) = &self.path else { return };
        let _saving = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, streams) = {
            let mut state = self.lock();
            if !std::mem::replace(&mut state.dirty, false) {
                return;
            }
            (encode(&state.positions), std::mem::take(&mut state.streams))
        };
        match replace(path, &text) {
            Ok(()) => streams.into_values().for_each(|(stream, below)| stream.settle(below)),
            Err(error) => {
                self.keep_unsaved(streams);
                self.log.error(&format!(
                    "Cannot save the positions of sources, trying again; filename='{}', error='{error}'",
                    path.display()
                ));
            }
        }
    }

    /// Keeps the streams of a save that failed, unless there are newer positions of them.
    fn keep_unsaved(&self, streams: BTreeMap<String, (Arc<NumberedStream>, u64)>) {
        let mut state = self.lock();
        state.dirty = true;
        for (name, saved) in streams {
            state.streams.entry(name).or_insert(saved);
        }
    }
}

/// Replaces a file so that a crash leaves the old or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = journal::create_private(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn encode(positions: &BTreeMap<String, String>) -> String {
    let mut text = format!("{FIRST_LINE}\n");
    for (name, position) in positions {
        text.push_str(&format!("{}\t{}\n", escaped(name), escaped(position)));
    }
    text
}

fn decode(text: &str) -> io::Result<BTreeMap<String, String>> {
    let mut lines = text.lines();
    if lines.next() != Some(FIRST_LINE) {
        let what = format!("the first line is not `{FIRST_LINE}`");
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    let pair = |line: &str| line.split_once('\t').map(|(name, at)| (unescaped(name), unescaped(at)));
    Ok(lines.filter_map(pair).collect())
}

fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || character == '%' {
            character.to_string().bytes().for_each(|byte| shown.push_str(&format!("%{byte:02X}")));
        } else {
            shown.push(character);
        }
    }
    shown
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
