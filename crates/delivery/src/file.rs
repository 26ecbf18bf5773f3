//! `file()`: files whose names may contain macros.
//!
//! In: batches. Out: lines appended to files, one write per file and batch; output for several files is gathered for
//! [`GATHERED_FOR`] unless nothing more comes. Holds: open files and their output.
//! Limits: `open_files_max` open files; a file idle for `time-reap()` is closed. Names: see [`name`].
//! Errors of the disk (full, quota, read-only, too many open files) keep the messages and are retried. A name made
//! from messages that can never be opened (a folder of that name, no permission, a link) is refused: its messages
//! are dropped and counted, so that one sender cannot hold up all others.

mod name;
mod open;
mod packed;
mod parts;

pub(super) use self::parts::Parts;

use self::{packed::Packed, parts::FileCounters};
use crate::{
    driver::Driver,
    options::{DestinationDriver, FileTarget, Rendering, Rotation, StreamFraming},
    output::Output,
};
use message::{Delivery, Stamp};
use std::{
    cell::OnceCell,
    collections::HashMap,
    fs::File,
    io::{self, Write},
    os::unix::ffi::OsStrExt,
    path::PathBuf,
    time::{Duration, Instant},
};
use transport::{InternalLog, LogPause};

/// The driver of `file()`.
pub(super) struct Files {
    target: FileTarget,
    rendering: Rendering,
    log: InternalLog,
    parts: Parts,
    open: Vec<OpenFile>,
    by_name: HashMap<Vec<u8>, usize>,
    /// The name being made, and the file of the last one: successive messages often go to the same file.
    name: Vec<u8>,
    last: Option<usize>,
    /// The files of recent names, by a hash of each.
    recent: Box<[u32; RECENT]>,
    refused: usize,
    /// When output was last written, and when messages were last added.
    flushed: Instant,
    added: Instant,
    /// Limits the rate of log lines about refusals, which may come back here through `internal()`.
    refusals: LogPause,
}

/// Least time between two log lines about refused names.
const REFUSALS_SAID_EVERY: Duration = Duration::from_secs(10);
/// How long output for several files is gathered: otherwise, with many files, each write would have only a few
/// messages, and a write costs the system more than they do.
const GATHERED_FOR: Duration = Duration::from_millis(20);
/// Output is written after this time without a message: the sender may be waiting for us.
const QUIET: Duration = Duration::from_millis(1);
/// Number of names whose files are found without searching the whole list.
const RECENT: usize = 1024;

/// Pause after an error: a disk may have space again at any moment.
const TRIED_AGAIN_AFTER: Duration = Duration::from_secs(1);
/// Pause before the next attempt to put a file aside.
const PUT_ASIDE_AGAIN_AFTER: Duration = Duration::from_secs(60);
/// How long compressed output is gathered: small parts compress badly.
const PACKED_FOR: Duration = Duration::from_secs(1);

struct OpenFile {
    name: Vec<u8>,
    path: PathBuf,
    file: Option<File>,
    output: Output,
    packed: Packed,
    used: Instant,
    /// True for a regular file on a file system of this machine: see [`open::is_local`].
    is_local: bool,
    /// True when bytes were written that are not synced yet.
    unsynced: bool,
    /// When to try again to put the file aside.
    stays_until: Option<Instant>,
    /// Its own counters, from the first write on; none when there are too many such files.
    part: OnceCell<Option<FileCounters>>,
}

impl Files {
    pub(super) fn new(target: FileTarget, rendering: Rendering, log: InternalLog, parts: Parts) -> Files {
        Files {
            target,
            rendering,
            log,
            parts,
            open: Vec::new(),
            by_name: HashMap::new(),
            name: Vec::new(),
            last: None,
            recent: Box::new([0; RECENT]),
            refused: 0,
            flushed: Instant::now(),
            added: Instant::now(),
            refusals: LogPause::new(REFUSALS_SAID_EVERY),
        }
    }

    /// The file of the name in `self.name`.
    fn file_of_name(&mut self) -> usize {
        if let Some(last) = self.last
            && self.open[last].name == self.name
        {
            return last;
        }
        let place = recent_place(&self.name);
        let recent = self.recent[place] as usize;
        let index = match self.open.get(recent).filter(|file| file.name == self.name) {
            Some(_) => recent,
            None => match self.by_name.get(&self.name) {
                Some(index) => *index,
                None => self.add_file(),
            },
        };
        self.recent[place] = index as u32;
        self.last = Some(index);
        index
    }

    fn add_file(&mut self) -> usize {
        let path = if self.target.name.constant().is_some() {
            PathBuf::from(std::ffi::OsStr::from_bytes(&self.name))
        } else {
            name::safe(&self.target.trusted_prefix, &self.name)
        };
        let index = self.open.len();
        let used = Instant::now();
        self.open.push(OpenFile {
            name: self.name.clone(),
            path,
            file: None,
            output: Output::default(),
            packed: Packed::default(),
            used,
            is_local: false,
            unsynced: false,
            stays_until: None,
            part: OnceCell::new(),
        });
        self.by_name.insert(self.name.clone(), index);
        index
    }

    /// Closes the file at `index`, whose output must be empty.
    fn forget(&mut self, index: usize) {
        let gone = self.open.swap_remove(index);
        debug_assert_eq!(gone.output.size(), 0);
        self.by_name.remove(&gone.name);
        self.last = None;
        if let Some(moved) = self.open.get(index) {
            self.by_name.insert(moved.name.clone(), index);
        }
    }

    /// Closes the files longest without messages until few enough are open.
    fn make_room(&mut self) {
        while self.open.len() > self.target.open_files_max.max(1) {
            let idle = |file: &&OpenFile| file.output.size() == 0;
            let Some(oldest) = self.open.iter().filter(idle).map(|file| file.used).min() else { return };
            let Some(index) =
                self.open.iter().position(|file| file.used == oldest && file.output.size() == 0)
            else {
                return;
            };
            self.forget(index);
        }
    }

    /// Counts what was written to the file at `index`, which had `messages` and `bytes` of output before.
    fn count(&mut self, index: usize, (messages, bytes): (usize, usize)) {
        let file = &self.open[index];
        let (messages_left, bytes_left) = file.output.amount();
        if self.target.name.constant().is_some() || bytes == bytes_left {
            return;
        }
        if let Some(part) = file.part.get_or_init(|| self.parts.open(&file.path)) {
            self.parts.add(part, messages - messages_left, bytes - bytes_left);
        }
    }

    fn refuse(&mut self, index: usize, error: &io::Error) {
        let file = &mut self.open[index];
        let lost = file.output.messages();
        file.output.clear();
        self.refused += lost;
        let Some(lost) = self.refusals.count(lost, Instant::now()) else { return };
        self.log.error(&format!(
            "Cannot open a file whose name is made from messages, dropping them; filename='{}', error='{error}', messages='{lost}'",
            file.path.display()
        ));
    }
}

impl Driver for Files {
    fn begin(&mut self, now: Stamp) {
        self.added = Instant::now();
        self.parts.now_s = now.unix_s().max(0) as u64;
        self.target.name.begin(now);
        self.rendering.template.begin(now);
    }

    fn add(&mut self, delivery: &Delivery, sequence: &mut u64) {
        let (batch, selection) = (&*delivery.batch, &delivery.selection);
        if let Some(constant) = self.target.name.constant() {
            self.name.clear();
            self.name.extend_from_slice(constant.as_bytes());
            let index = self.file_of_name();
            let output = &mut self.open[index].output;
            return output.add(
                (batch, selection),
                &mut *self.rendering.template,
                StreamFraming::Plain,
                sequence,
            );
        }
        for message in selection.iter() {
            *sequence += 1;
            let mut name = std::mem::take(&mut self.name);
            name.clear();
            self.target.name.render_name(batch, message, *sequence, &mut name);
            self.name = name;
            let index = self.file_of_name();
            let template = &mut self.rendering.template;
            let output = &mut self.open[index].output;
            output.push(StreamFraming::Plain, |bytes| template.render(batch, message, *sequence, bytes));
        }
    }

    fn size(&self) -> usize {
        self.open.iter().map(|file| file.output.size()).sum()
    }

    fn flush(&mut self) -> io::Result<()> {
        let now = Instant::now();
        self.flushed = now;
        let mut first_error = Ok(());
        for index in 0..self.open.len() {
            if self.open[index].output.size() == 0 && !self.open[index].unsynced {
                continue;
            }
            let before = self.open[index].output.amount();
            let written = self.open[index].write(&self.target, &self.log, now);
            self.count(index, before);
            if let Err(error) = written {
                if self.target.name.constant().is_none() && open::is_final(&error) {
                    self.refuse(index, &error);
                } else if first_error.is_ok() {
                    first_error = Err(error);
                }
            }
        }
        self.make_room();
        if first_error.is_ok() && self.size() == 0 {
            first_error = self.rendering.template.written();
        }
        first_error
    }

    fn take_unwritable(&mut self) -> usize {
        std::mem::take(&mut self.refused)
    }

    fn abandon(&mut self) -> usize {
        let lost = self.open.iter().map(|file| file.output.messages()).sum();
        for file in &mut self.open {
            file.output.clear();
            file.packed.clear();
        }
        lost
    }

    fn configure(&mut self, driver: DestinationDriver, rendering: Rendering) {
        let DestinationDriver::File(target) = driver else { return };
        self.target = target;
        self.rendering = rendering;
        self.reopen();
        // Files with output stay until it is written; others are looked up again under the new name.
        while let Some(index) = self.open.iter().position(|file| file.output.size() == 0) {
            self.forget(index);
        }
    }

    fn reopen(&mut self) {
        for file in &mut self.open {
            file.file = None;
            file.packed.clear();
            file.output.rewind();
        }
    }

    fn holds_until(&self) -> Option<Instant> {
        let until = match self.target.compress {
            true => self.flushed + PACKED_FOR,
            false => (self.flushed + GATHERED_FOR).min(self.added + QUIET),
        };
        let gathers = self.open.len() > 1 || self.target.compress;
        (gathers && Instant::now() < until).then_some(until)
    }

    fn can_write_inline(&self) -> bool {
        let is_plain = !self.target.fsync && !self.target.compress;
        is_plain && matches!(&self.open[..], [file] if file.is_local && file.file.is_some())
    }

    fn local_pause(&self) -> Option<Duration> {
        Some(TRIED_AGAIN_AFTER)
    }

    fn next_tick(&self) -> Option<Instant> {
        let after = self.target.reap_after?;
        self.open.iter().map(|file| file.used + after).min()
    }

    fn tick(&mut self, now: Instant) {
        let Some(after) = self.target.reap_after else { return };
        let idle = |file: &OpenFile| file.output.size() == 0 && file.used + after <= now;
        while let Some(index) = self.open.iter().position(idle) {
            self.forget(index);
        }
    }
}

impl OpenFile {
    /// Appends all output.
    fn write(&mut self, target: &FileTarget, log: &InternalLog, now: Instant) -> io::Result<()> {
        self.used = now;
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                let file = open::append(&self.path, target)?;
                self.is_local = open::is_local(&file);
                file
            }
        };
        while self.output.size() > 0 {
            let room;
            (file, room) = self.rotated(file, target, log, now)?;
            let written = match target.compress {
                true => self.packed.write(&mut file, self.output.rest()),
                false => file.write(self.output.part(room)),
            };
            match written {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => {
                    self.output.advance(size);
                    self.unsynced = target.fsync;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    // The file stays open: a partly written message is completed when there is space.
                    self.file = Some(file);
                    return Err(error);
                }
            }
        }
        let synced = if self.unsynced { file.sync_data() } else { Ok(()) };
        self.unsynced = synced.is_err();
        self.file = Some(file);
        synced
    }
}

impl OpenFile {
    /// Returns the file to write to, and how many bytes it takes before it is large enough to be put aside. It is a
    /// new one when this one is large enough, or was moved away by someone else. A file that cannot be put aside is
    /// still written to, and putting it aside is retried later.
    fn rotated(
        &mut self,
        file: File,
        target: &FileTarget,
        log: &InternalLog,
        now: Instant,
    ) -> io::Result<(File, usize)> {
        let Some(rotation) = &target.rotation else { return Ok((file, usize::MAX)) };
        let may_change = self.output.is_at_message() && self.packed.is_empty();
        let metadata = file.metadata()?;
        if may_change && !open::is_there(&metadata, &self.path) {
            return self.renewed(target, rotation);
        }
        if self.stays_until.is_some_and(|until| now < until) {
            return Ok((file, usize::MAX));
        }
        let room = open::room(&metadata, rotation);
        if !may_change || room > 0 {
            return Ok((file, room));
        }
        match open::put_aside(&self.path, rotation.kept) {
            Ok(()) => {
                self.stays_until = None;
                self.renewed(target, rotation)
            }
            Err(error) => {
                self.stays_until = Some(now + PUT_ASIDE_AGAIN_AFTER);
                log.error(&format!(
                    "Cannot put a file aside, writing on to it; filename='{}', error='{error}'",
                    self.path.display()
                ));
                Ok((file, usize::MAX))
            }
        }
    }

    /// Opens the path again, and returns how many bytes go into that file.
    fn renewed(&self, target: &FileTarget, rotation: &Rotation) -> io::Result<(File, usize)> {
        let file = open::append(&self.path, target)?;
        let room = open::room(&file.metadata()?, rotation);
        Ok((file, room))
    }
}

/// Returns the slot of a name among the recent ones. Names of one folder differ near their ends, so the last 16
/// bytes choose it.
fn recent_place(name: &[u8]) -> usize {
    let mut end = [0; 16];
    let size = name.len().min(end.len());
    end[..size].copy_from_slice(&name[name.len() - size..]);
    let number = u128::from_le_bytes(end);
    let mixed = ((number ^ number >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 54) as usize % RECENT
}

#[cfg(test)]
mod tests;
