//! The recoding thread: makes sealed segments smaller, one at a time, when there is nothing else to do.
//!
//! In: sealed segments that can be read. Out: drafts for the sealer, which adds the record and the final path.
//! Holds: one group of messages; which segments could not be recoded. Limits: lowest priority; pauses while messages
//! wait for the builder. A segment whose key is not loaded is left unchanged.

use crate::{
    files::layout::TEMPORARY_ENDING,
    options::Notice,
    segments::{Growing, MakeDraftError, Segments},
    shared::{
        Shared,
        draft::{Draft, PlaceError},
        queue::Queue,
    },
};
use evidence::Keys;
use lookup::CancelToken;
use segment::{RecodeReport, Recoding};
use std::{
    collections::BTreeSet,
    fmt, fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

/// Nice value of the thread: all other work goes first.
const NICE: i32 = 19;
/// The queues to the builder count as busy when they are filled to more than one part in this many.
const BUSY_SHARE: u64 = 8;
/// How long to wait before checking again whether they are busy.
const BUSY_PAUSE: Duration = Duration::from_millis(50);
/// How long to wait for the sealer before checking whether the logspace closes.
const PLACE_LOOK: Duration = Duration::from_millis(100);

/// A reason why a segment was not recoded.
#[derive(Debug)]
enum RecodeError {
    /// There is no new file.
    Write(MakeDraftError),
    /// The new file did not replace the old one.
    Place(PlaceError),
    /// The logspace closes.
    Closing,
}

impl fmt::Display for RecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecodeError::Write(error) => error.fmt(f),
            RecodeError::Place(error) => error.fmt(f),
            RecodeError::Closing => f.write_str("the logspace closes"),
        }
    }
}

/// Works until the logspace closes.
pub(crate) fn run(
    shared: &Arc<Shared>,
    segments: &dyn Segments,
    seals: &Queue<Box<dyn Growing>>,
    ended: &Queue<()>,
) {
    // If this fails, the work is done all the same.
    let _ = rustix::process::nice(NICE);
    // Segments that need not be tried again.
    let (mut done, mut unaged) = (BTreeSet::new(), BTreeSet::new());
    while !ended.is_closed() {
        let Some((first, path)) = next(shared, &done, &unaged) else {
            ended.pause(shared.options.recode_look);
            continue;
        };
        match recode(shared, segments, seals, ended, first, &path) {
            Ok(None) => remember(first, &mut done, &mut unaged),
            Ok(Some(report)) => {
                shared.counters.recoded(&report);
                shared.notices.notice(Notice::Recoded { first, before: report.before, bytes: report.file });
            }
            Err(_) if ended.is_closed() => return,
            Err(error) => {
                remember(first, &mut done, &mut unaged);
                // Retention may have removed it meanwhile.
                if shared.dir.join(&path).exists() {
                    shared.counters.recodes_failed.fetch_add(1, Relaxed);
                    let (path, error) = (shared.dir.join(&path), error.to_string());
                    shared.notices.notice(Notice::NotRecoded { path, error });
                }
            }
        }
    }
}

/// Returns the segment to recode next or, when there is none, the one to age next.
fn next(shared: &Shared, done: &BTreeSet<u64>, unaged: &BTreeSet<u64>) -> Option<(u64, PathBuf)> {
    let before = |age: Duration| {
        let age_us = i64::try_from(age.as_micros()).unwrap_or(i64::MAX);
        shared.clock.wall_us().saturating_sub(age_us)
    };
    let recode = shared.segment_set.unrecoded(before(shared.options.recode_after), done);
    recode.or_else(|| shared.segment_set.unaged(before(shared.options.age_after?), unaged))
}

/// Remembers not to recode or age this segment again.
fn remember(first: u64, done: &mut BTreeSet<u64>, unaged: &mut BTreeSet<u64>) {
    done.insert(first);
    unaged.insert(first);
}

/// Recodes one segment; `None` when it would not become smaller.
fn recode(
    shared: &Arc<Shared>,
    segments: &dyn Segments,
    seals: &Queue<Box<dyn Growing>>,
    ended: &Queue<()>,
    first: u64,
    path: &std::path::Path,
) -> Result<Option<RecodeReport>, RecodeError> {
    let whole = shared.dir.join(path);
    let temporary = whole.with_extension(format!("recoded.{TEMPORARY_ENDING}"));
    let _ = fs::remove_file(&temporary);
    let cancelled = Arc::new(AtomicBool::new(false));
    let cancel = CancelToken::new(Arc::clone(&cancelled), None);
    let mut pace = || {
        while is_busy(shared) && !ended.is_closed() {
            ended.pause(BUSY_PAUSE);
        }
        cancelled.store(ended.is_closed(), Relaxed);
    };
    let mut with = |keys: &Keys| {
        let recipients = &shared.options.recipients;
        let mut recoding = Recoding { recipients, keys, cancel: &cancel, pace: &mut pace };
        segments.recode(&whole, &temporary, &mut recoding)
    };
    let mut made = with(&shared.options.keys);
    if made.as_ref().is_err_and(MakeDraftError::is_locked) {
        let keys = shared.session_keys().clone();
        made = with(&keys);
    }
    let placed = made.map_err(RecodeError::Write).and_then(|file| {
        if !file.is_smaller() {
            let _ = fs::remove_file(&temporary);
            return Ok(None);
        }
        let (done, placed) = mpsc::sync_channel(1);
        let draft = Draft { first, path: path.to_owned(), temporary: temporary.clone(), file, done };
        shared.drafts.put(draft, 1).map_err(|_| RecodeError::Closing)?;
        seals.nudge();
        loop {
            match placed.recv_timeout(PLACE_LOOK) {
                Ok(result) => return result.map(Some).map_err(RecodeError::Place),
                Err(RecvTimeoutError::Timeout) if !ended.is_closed() => {}
                Err(_) => return Err(RecodeError::Closing),
            }
        }
    });
    if placed.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    placed
}

fn is_busy(shared: &Shared) -> bool {
    let options = &shared.options;
    shared.unbuilt.load() > options.unbuilt_bytes_max / BUSY_SHARE
        || shared.inbox.load() > options.queue_bytes_max / BUSY_SHARE
}
