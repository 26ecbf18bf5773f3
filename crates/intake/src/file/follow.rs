//! Follows one path: the file under it, its successors after rotation, the same file after truncation.
//!
//! In: a path. Out: batches of its lines. Holds: the open file and the part of a line that has no end yet.
//! Limits: `follow-freq()` between checks of a file that does not grow. A file that lost its name is read until
//! another has the name, or for [`CHECKS_WHEN_GONE`] checks if it is one of a wildcard: its writer may not know yet.

use super::{
    tail::{Change, Tail, find_rotated},
    track::Track,
};
use crate::batch_reader::{BatchReader, buffer};
use message::{Origin, Transport};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::watch;
use transport::{InternalLog, own_name, stats};

/// Checks in a row that a file of a wildcard which lost its name is kept open for, although it does not grow.
const CHECKS_WHEN_GONE: u32 = 10;

/// One file to follow, and how to read it.
pub(crate) struct Following {
    pub(crate) path: PathBuf,
    pub(crate) poll_every: Duration,
    /// A file without a stored position is read from its start.
    pub(crate) from_start: bool,
    /// Following ends when nothing has the name any more (a file of a wildcard), after [`CHECKS_WHEN_GONE`].
    pub(crate) ends_when_gone: bool,
    pub(crate) track: Arc<Track>,
    pub(crate) batch_reader: BatchReader,
    pub(crate) log: InternalLog,
}

/// The state of one followed path.
struct Follower {
    what: Following,
    origin: Arc<Origin>,
    tail: Option<Tail>,
    rest: Vec<u8>,
    /// Offset in the file at which the unfinished message begins, or a lower one.
    whole: u64,
    /// When bytes were last read.
    grown: Instant,
    /// No file was opened yet: stored positions count.
    fresh: bool,
    /// True when another file has its name: it is read to its end, then the other.
    leaving: bool,
    /// True when the last check read nothing: since then the file may have been replaced.
    idle: bool,
    /// Checks in a row that found no bytes and nothing under the name.
    gone: u32,
    said: Option<io::ErrorKind>,
}

/// Result of a check of the file.
enum Look {
    Bytes,
    Nothing,
    End,
}

/// Follows until it is stopped.
pub(crate) async fn follow(what: Following, mut stop: watch::Receiver<bool>) {
    let origin = Arc::new(Follower::origin(&what));
    let mut follower = Follower {
        what,
        origin,
        tail: None,
        rest: Vec::new(),
        whole: 0,
        grown: Instant::now(),
        fresh: true,
        leaving: false,
        idle: false,
        gone: 0,
        said: None,
    };
    loop {
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            () = follower.what.batch_reader.window.wait_for_room() => {}
        }
        if follower.what.batch_reader.refresh() {
            follower.origin = Arc::new(Follower::origin(&follower.what));
        }
        let looked = follower.look();
        let pause = match looked {
            Ok(Look::Bytes) => Duration::ZERO,
            Ok(Look::Nothing) => follower.what.poll_every,
            Ok(Look::End) => return follower.what.track.forget(),
            Err(error) => {
                follower.complain(&error);
                follower.what.poll_every
            }
        };
        if pause.is_zero() {
            tokio::task::yield_now().await;
            continue;
        }
        tokio::select! {
            biased;
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

impl Follower {
    fn origin(what: &Following) -> Origin {
        let settings = what.batch_reader.settings();
        let mut origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
        origin.file_name = what.path.display().to_string();
        origin
    }

    /// Reads once, or finds out why there is nothing to read.
    fn look(&mut self) -> io::Result<Look> {
        // The position of the file before must not be forgotten while some of it is in flight.
        if self.tail.is_none() && !self.fresh && !self.what.track.is_settled() {
            return Ok(Look::Nothing);
        }
        if self.tail.is_none() && !self.open()? {
            return Ok(if self.what.ends_when_gone { Look::End } else { Look::Nothing });
        }
        // Before the first read after a pause: the bytes of a file that was rewritten do not continue the old ones.
        if std::mem::take(&mut self.idle) {
            self.notice_change()?;
        }
        if self.read()? > 0 {
            (self.grown, self.gone) = (Instant::now(), 0);
            return Ok(Look::Bytes);
        }
        let is_over = |patience: Duration| self.grown.elapsed() >= patience;
        if !self.rest.is_empty() && self.what.batch_reader.patience().is_some_and(is_over) {
            self.end_message();
        }
        if self.leaving {
            self.leave();
            return Ok(Look::Bytes);
        }
        match self.notice_change()? {
            Change::None => self.idle = true,
            Change::Gone if self.what.ends_when_gone && self.gone >= CHECKS_WHEN_GONE => {
                self.leave();
                return Ok(Look::End);
            }
            Change::Gone => self.gone += 1,
            Change::Moved | Change::Truncated => return Ok(Look::Bytes),
        }
        Ok(Look::Nothing)
    }

    /// Compares the open file with the path and gets ready for what has changed.
    fn notice_change(&mut self) -> io::Result<Change> {
        let Some(tail) = &mut self.tail else { return Ok(Change::None) };
        let change = tail.change(&self.what.path)?;
        match change {
            // Bytes written between the last read and the move must still be read.
            Change::Moved => self.leaving = true,
            Change::Truncated => {
                tail.rewind()?;
                self.what.track.begin(&tail.identity(), 0);
                self.drop_rest();
            }
            Change::None | Change::Gone => {}
        }
        Ok(change)
    }

    /// Opens the file under the path, or its renamed predecessor if a rotation happened while the file was not
    /// followed.
    fn open(&mut self) -> io::Result<bool> {
        let stored = if self.fresh { self.what.track.stored() } else { None };
        let opened = match Tail::open(&self.what.path) {
            Ok(tail) => Some(tail),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let Some((identity, offset)) = stored else {
            let Some(mut tail) = opened else {
                // A file that appears later is new from its start on.
                self.fresh = false;
                return Ok(false);
            };
            tail.offset = if self.fresh && !self.what.from_start { tail.size()? } else { 0 };
            self.begin(tail);
            return Ok(true);
        };
        match opened {
            Some(mut tail) if tail.is(&identity) => {
                tail.offset = if offset <= tail.size()? { offset } else { 0 };
                self.begin(tail);
            }
            opened => match find_rotated(&self.what.path, &identity) {
                Some((_, mut tail)) => {
                    tail.offset = offset.min(tail.size()?);
                    self.begin(tail);
                    self.leaving = opened.is_some();
                }
                None => match opened {
                    Some(tail) => self.begin(tail),
                    None => return Ok(false),
                },
            },
        }
        Ok(true)
    }

    fn begin(&mut self, tail: Tail) {
        self.what.track.begin(&tail.identity(), tail.offset);
        self.tail = Some(tail);
        self.fresh = false;
        self.leaving = false;
        self.said = None;
        self.drop_rest();
    }

    fn drop_rest(&mut self) {
        self.rest.clear();
        self.whole = self.tail.as_ref().map_or(0, |tail| tail.offset);
        self.what.batch_reader.restart(self.whole);
    }

    fn read(&mut self) -> io::Result<usize> {
        let Some(tail) = &mut self.tail else { return Ok(0) };
        let batch_reader = &mut self.what.batch_reader;
        let mut bytes = buffer::take(batch_reader.read_bytes() + self.rest.len());
        bytes.extend_from_slice(&self.rest);
        let size = match batch_reader.read(&mut bytes, |bytes| tail.read(bytes)) {
            Ok(size) if size > 0 => size,
            other => {
                buffer::recycle(bytes);
                return other;
            }
        };
        let done = batch_reader.split(&bytes);
        self.rest.clear();
        self.rest.extend_from_slice(&bytes[done..]);
        if let Some(open) = batch_reader.raw_size(&self.rest) {
            self.whole = tail.offset.saturating_sub(open as u64);
        }
        if batch_reader.frames() == 0 {
            buffer::recycle(bytes);
        } else {
            let update = Box::new(self.what.track.update(self.whole));
            batch_reader.forward(buffer::share(bytes, done), &self.origin, Some(update));
        }
        Ok(size)
    }

    /// Completes the unfinished part as a message, although it has no end.
    fn end_message(&mut self) {
        let batch_reader = &mut self.what.batch_reader;
        let rest = std::mem::take(&mut self.rest);
        batch_reader.finish(&rest);
        if let Some(tail) = &self.tail
            && batch_reader.frames() > 0
        {
            self.whole = tail.offset;
            let update = Box::new(self.what.track.update(tail.offset));
            batch_reader.forward(Arc::new(rest), &self.origin, Some(update));
        }
    }

    /// Closes a file that no longer has its name; a last line without end is a message.
    fn leave(&mut self) {
        self.end_message();
        self.tail = None;
        self.leaving = false;
        self.drop_rest();
    }

    /// Logs an error once, not at every check.
    fn complain(&mut self, error: &io::Error) {
        stats::add(&self.what.batch_reader.settings().counters.errors, 1);
        if self.said != Some(error.kind()) {
            self.said = Some(error.kind());
            let path: &Path = &self.what.path;
            self.what.log.error(&format!(
                "Error reading a file, trying again; filename='{}', error='{error}'",
                path.display()
            ));
        }
    }
}
