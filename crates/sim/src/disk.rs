//! A disk in memory that loses what was not synced when its power is cut, and that can be full or broken.
//!
//! In: the calls of [`journal::Disk`]. Out: answers that a disk might give. Holds: the bytes of every file,
//! as written and as synced. Limits: directories exist when asked for; links and permissions do not.

use crate::Chance;
use journal::{Disk, DiskFile, DiskLock};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bytes that reach the disk together.
const SECTOR_BYTES: usize = 512;

/// A disk; clones are the same disk.
#[derive(Clone, Default)]
pub struct SimDisk(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    files: BTreeMap<PathBuf, Arc<Mutex<Content>>>,
    /// Names that are durable, and the contents they lead to.
    synced_files: BTreeMap<PathBuf, Arc<Mutex<Content>>>,
    locks: BTreeSet<PathBuf>,
    /// Most bytes in all files; writes beyond fail half done.
    capacity: Option<u64>,
    failing_syncs: u32,
    /// Syncs until the power goes; nothing works afterwards.
    syncs_left: Option<u64>,
}

impl State {
    fn powered(&self) -> io::Result<()> {
        if self.syncs_left == Some(0) { Err(io::Error::other("no power")) } else { Ok(()) }
    }
}

#[derive(Clone, Default)]
struct Content {
    written: Vec<u8>,
    synced: Vec<u8>,
}

impl SimDisk {
    /// An empty disk.
    pub fn new() -> SimDisk {
        SimDisk::default()
    }

    /// Limits the bytes in all files; `None` takes the limit away.
    pub fn set_capacity(&self, capacity: Option<u64>) {
        self.state().capacity = capacity;
    }

    /// Makes the next syncs of files fail. Data that they should have made durable is lost from the page
    /// cache.
    pub fn fail_syncs(&self, count: u32) {
        self.state().failing_syncs = count;
    }

    /// Cuts the power at the `count`th sync from now, before it has an effect. Every later call fails.
    pub fn cut_power_at_sync(&self, count: u64) {
        self.state().syncs_left = Some(count);
    }

    /// Returns false once the power was cut.
    pub fn has_power(&self) -> bool {
        self.state().powered().is_ok()
    }

    /// Bytes in all files.
    pub fn used_bytes(&self) -> u64 {
        used(&self.state())
    }

    /// The written bytes of a file.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        self.state().files.get(path).map(|content| locked(content).written.clone())
    }

    /// Replaces the bytes of a file, durably: damage.
    pub fn set_bytes(&self, path: &Path, bytes: Vec<u8>) {
        if let Some(content) = self.state().files.get(path) {
            *locked(content) = Content { synced: bytes.clone(), written: bytes };
        }
    }

    /// Names of all files.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.state().files.keys().cloned().collect()
    }

    /// The disk after a power cut: synced bytes are there; of the others each sector may be there, be what it was
    /// before, or be garbage; files whose name was not synced may be gone.
    pub fn after_power_cut(&self, chance: &mut Chance) -> SimDisk {
        let state = self.state();
        let mut files = BTreeMap::new();
        for (path, content) in &state.files {
            if state.synced_files.contains_key(path) || chance.below(2) == 0 {
                let bytes = torn(&locked(content), chance);
                let content = Content { synced: bytes.clone(), written: bytes };
                files.insert(path.clone(), Arc::new(Mutex::new(content)));
            }
        }
        let synced_files = files.clone();
        SimDisk(Arc::new(Mutex::new(State { files, synced_files, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn locked(content: &Mutex<Content>) -> MutexGuard<'_, Content> {
    content.lock().unwrap_or_else(PoisonError::into_inner)
}

fn used(state: &State) -> u64 {
    state.files.values().map(|content| locked(content).written.len() as u64).sum()
}

fn torn(content: &Content, chance: &mut Chance) -> Vec<u8> {
    let (written, synced) = (&content.written, &content.synced);
    let (shorter, longer) = (written.len().min(synced.len()), written.len().max(synced.len()));
    // Often all of it reached the disk, only the sync did not return.
    let length = match chance.below(4) {
        0 => longer,
        _ => shorter + chance.below((longer - shorter) as u64 + 1) as usize,
    };
    let mut bytes = vec![0; length];
    for start in (0..length).step_by(SECTOR_BYTES) {
        let sector = start..(start + SECTOR_BYTES).min(length);
        let part = |from: &[u8]| from[start.min(from.len())..sector.end.min(from.len())].to_vec();
        let (new, old) = (part(written), part(synced));
        let kept = if old == new || chance.below(2) == 0 { &new } else { &old };
        bytes[start..start + kept.len()].copy_from_slice(kept);
        if old != new && chance.below(8) == 0 {
            let garbage = start.max(shorter.min(sector.end));
            bytes[garbage..sector.end].fill_with(|| chance.number() as u8);
        }
    }
    bytes
}

impl Disk for SimDisk {
    fn create_dir_all(&self, _dir: &Path) -> io::Result<()> {
        Ok(())
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut state = self.state();
        state.powered()?;
        if state.files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let content: Arc<Mutex<Content>> = Arc::default();
        state.files.insert(path.to_owned(), Arc::clone(&content));
        Ok(Box::new(SimFile { disk: self.clone(), content }))
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let content = self.state().files.get(path).cloned().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(SimFile { disk: self.clone(), content }))
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let state = self.state();
        let inside = state.files.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.powered()?;
        state.files.remove(path).map(|_| ()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.powered()?;
        let content = state.files.remove(from).ok_or(io::ErrorKind::NotFound)?;
        state.files.insert(to.to_owned(), content);
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.powered()?;
        let State { files, synced_files, .. } = &mut *state;
        synced_files.retain(|path, _| path.parent() != Some(dir) || files.contains_key(path));
        for (path, content) in files.iter().filter(|(path, _)| path.parent() == Some(dir)) {
            synced_files.insert(path.clone(), Arc::clone(content));
        }
        Ok(())
    }

    fn lock(&self, path: &Path) -> io::Result<Option<Box<dyn DiskLock>>> {
        if !self.state().locks.insert(path.to_owned()) {
            return Ok(None);
        }
        Ok(Some(Box::new(SimLock { disk: self.clone(), path: path.to_owned() })))
    }
}

struct SimLock {
    disk: SimDisk,
    path: PathBuf,
}

impl DiskLock for SimLock {}

impl Drop for SimLock {
    fn drop(&mut self) {
        self.disk.state().locks.remove(&self.path);
    }
}

struct SimFile {
    disk: SimDisk,
    content: Arc<Mutex<Content>>,
}

impl SimFile {
    /// Returns the last end up to `end` that still fits on the disk.
    fn end_that_fits(&self, end: usize) -> usize {
        let state = self.disk.state();
        let Some(capacity) = state.capacity else { return end };
        let free = capacity.saturating_sub(used(&state));
        end.min(locked(&self.content).written.len() + free as usize)
    }
}

impl DiskFile for SimFile {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.state().powered()?;
        let (start, end) = (offset as usize, offset as usize + bytes.len());
        let end_written = self.end_that_fits(end).max(start);
        let mut content = locked(&self.content);
        let length = content.written.len().max(end_written);
        content.written.resize(length, 0);
        content.written[start..end_written].copy_from_slice(&bytes[..end_written - start]);
        if end_written < end { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        let content = locked(&self.content);
        let rest = content.written.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(bytes.len());
        bytes[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }

    fn len(&self) -> io::Result<u64> {
        Ok(locked(&self.content).written.len() as u64)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.disk.state().powered()?;
        locked(&self.content).written.resize(length as usize, 0);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.disk.state();
        let mut content = locked(&self.content);
        state.syncs_left = state.syncs_left.map(|left| left.saturating_sub(1));
        state.powered()?;
        if state.failing_syncs > 0 {
            state.failing_syncs -= 1;
            return Err(io::Error::other("the device failed"));
        }
        let Content { written, synced } = &mut *content;
        synced.clone_from(written);
        Ok(())
    }
}
