//! Seals lines as they arrive, for `$(slog)` in a file.
//!
//! In: lines. Out: sealed ones; the files with the next key and the MAC of all lines, once the lines are in their file. Holds: key and
//! MAC of the next line; shared by all writers with one key file. After a crash between a line and its key,
//! the key is advanced over lines that are already in the file, and an incomplete line at its end is removed.
//! Limits: the last [`TAIL_BYTES`] of the file are read.

use super::{
    error::SlogError,
    files::{print_mac, read_mac},
    lines,
    scheme::{self, HostKey},
};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Most bytes that a crash can leave in the log beyond the saved state: one write and the lines gathered
/// meanwhile.
const TAIL_BYTES: u64 = 64 << 20;

/// The key of a log with its state.
#[derive(Default)]
pub(crate) struct Sealer(Mutex<Option<State>>);

struct State {
    key_file: PathBuf,
    mac_file: PathBuf,
    host: HostKey,
    mac: scheme::Mac,
    /// Number of lines that the saved state includes.
    saved: u64,
    /// True if the state was compared with the log.
    is_current: bool,
}

impl Sealer {
    /// Reads key and MAC, unless they are loaded already.
    pub(crate) fn load(&self, key_file: &Path, mac_file: &Path) -> Result<(), SlogError> {
        let mut state = self.locked();
        if let Some(state) = &*state {
            return match state.mac_file == mac_file {
                true => Ok(()),
                false => Err(SlogError::OtherMac { key_file: key_file.to_owned() }),
            };
        }
        end_replacement(key_file, mac_file)?;
        let host = HostKey::read(key_file)?;
        let mac = match host.lines {
            0 if fs::metadata(mac_file).map_or(true, |status| status.len() == 0) => [0; scheme::MAC_BYTES],
            _ => read_mac(mac_file)?,
        };
        let saved = host.lines;
        let (key_file, mac_file) = (key_file.to_owned(), mac_file.to_owned());
        *state = Some(State { key_file, mac_file, host, mac, saved, is_current: false });
        Ok(())
    }

    /// Appends a sealed line and its end to `out`. `log` is the file that it goes to.
    pub(crate) fn seal(&self, log: &Path, line: &[u8], out: &mut Vec<u8>) -> Result<(), SlogError> {
        let mut state = self.locked();
        let state = state.as_mut().ok_or(SlogError::Unloaded)?;
        if !state.is_current {
            state.catch_up(log)?;
            state.is_current = true;
        }
        let sealed = scheme::seal(&mut state.host, &mut state.mac, line)?;
        out.extend_from_slice(sealed.as_bytes());
        out.push(b'\n');
        Ok(())
    }

    /// Saves the next key and the MAC, now that the sealed lines are in the log.
    pub(crate) fn written(&self) -> io::Result<()> {
        match &mut *self.locked() {
            Some(state) if state.host.lines != state.saved => state.save(),
            _ => Ok(()),
        }
    }

    fn locked(&self) -> MutexGuard<'_, Option<State>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Advances key and MAC over the lines that the log has beyond them.
    fn catch_up(&mut self, log: &Path) -> io::Result<()> {
        let mut file = match OpenOptions::new().read(true).write(true).open(log) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            opened => opened?,
        };
        let size = file.metadata()?.len();
        let start = size.saturating_sub(TAIL_BYTES);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        let whole = memchr::memrchr(b'\n', &tail).map_or(0, |end| end + 1);
        if whole < tail.len() && (whole > 0 || start == 0) {
            file.set_len(start + whole as u64)?;
            file.sync_all()?;
        }
        for line in lines::split(&tail[..whole]) {
            let is_next = scheme::number(line) == Some(self.host.lines);
            let text = line.get(scheme::NUMBER_CHARACTERS + 1..).filter(|_| is_next);
            let Some(opened) = text.and_then(|text| scheme::open(&self.host.key, text)) else { continue };
            self.mac = scheme::add(&self.host.key, self.host.lines, &self.mac, &opened);
            scheme::evolve(&mut self.host);
        }
        Ok(())
    }

    /// Replaces both files: writes the new ones next to them, the MAC's before the key's, and renames them in
    /// the same order.
    fn save(&mut self) -> io::Result<()> {
        let (new_mac, new_key) = (beside(&self.mac_file), beside(&self.key_file));
        put(&new_mac, &print_mac(&self.mac))?;
        put(&new_key, &self.host.print())?;
        fs::rename(&new_mac, &self.mac_file)?;
        replace_key(&new_key, &self.key_file)?;
        self.saved = self.host.lines;
        Ok(())
    }
}

/// Completes a replacement that a crash interrupted: a new key without a new MAC means that the MAC was
/// renamed already.
fn end_replacement(key_file: &Path, mac_file: &Path) -> io::Result<()> {
    let (new_mac, new_key) = (beside(mac_file), beside(key_file));
    if new_mac.exists() {
        // Nothing was replaced yet; the new key may be incomplete.
        let _ = fs::remove_file(&new_key);
        return fs::remove_file(&new_mac);
    }
    match fs::read(&new_key) {
        Ok(bytes) if HostKey::parse(&bytes).is_some() => replace_key(&new_key, key_file),
        Ok(_) => fs::remove_file(&new_key),
        Err(_) => Ok(()),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    PathBuf::from(name)
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Renames the new key over the old one, then overwrites the old one's bytes: an attacker who found them could
/// read and forge the lines that it sealed.
fn replace_key(new: &Path, path: &Path) -> io::Result<()> {
    let old = OpenOptions::new().write(true).open(path);
    fs::rename(new, path)?;
    if let Ok(mut old) = old {
        let size = old.metadata()?.len();
        old.write_all(&vec![0; size as usize])?;
        old.sync_all()?;
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}
