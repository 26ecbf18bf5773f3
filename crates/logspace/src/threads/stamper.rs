//! The stamping thread: has records time-stamped by an authority whenever it can be reached.
//!
//! In: the chain. Out: `stamp-<number>.tsr` beside it, an answer that `openssl ts -verify` understands. A time-stamp
//! of a record covers all records before it, so only the newest is stamped.
//! Limits: while the authority cannot be reached, records wait; it is asked again every `retry` at first, and
//! finally every quarter of an hour.

use crate::{
    files::chain_file::{CHAIN_NAME, EVIDENCE_DIR, read_chain, stamp_name},
    options::{Authority, AuthorityError, Notice},
    shared::{Shared, queue::Queue},
};
use evidence::{StampError, StampRequest};
use journal::{Disk, create_private};
use std::{
    fmt, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};

/// Longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(900);
/// How often the chain is checked.
const LOOK: Duration = Duration::from_secs(5);

/// A reason why the chain was not time-stamped.
#[derive(Debug)]
enum StampChainError {
    /// The chain cannot be read.
    Chain(io::Error),
    /// No random number could be drawn for the request.
    NoRandomness,
    /// The authority gave no answer.
    Ask(AuthorityError),
    /// Its answer is not a time-stamp for the record.
    Answer(StampError),
    /// The answer cannot be stored.
    Write { path: PathBuf, source: io::Error },
}

impl fmt::Display for StampChainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StampChainError::Chain(error) => error.fmt(f),
            StampChainError::NoRandomness => f.write_str("no randomness"),
            StampChainError::Ask(error) => error.fmt(f),
            StampChainError::Answer(error) => error.fmt(f),
            StampChainError::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
        }
    }
}

/// Runs the thread until the queue is closed.
pub(crate) fn run(shared: &Arc<Shared>, disk: &dyn Disk, authority: &dyn Authority, ended: &Queue<()>) {
    let options = &shared.options;
    let mut last: Option<Instant> = None;
    // Length of the chain when its newest record was last stamped.
    let mut stamped_length = 0;
    let mut pause = options.retry;
    while !ended.is_closed() {
        ended.pause(LOOK.min(options.retry.max(Duration::from_millis(1)) * 5));
        let length = chain_length(&shared.dir, disk);
        if length == stamped_length || last.is_some_and(|last| last.elapsed() < options.timestamp_gap) {
            continue;
        }
        match stamp_newest(&shared.dir, disk, authority) {
            Ok(None) => stamped_length = length,
            Ok(Some(number)) => {
                (last, pause, stamped_length) = (Some(Instant::now()), options.retry, length);
                shared.counters.stamped.fetch_add(1, Relaxed);
                shared.notices.notice(Notice::Stamped { number });
            }
            Err(error) => {
                shared.complain(Notice::UpkeepFailed { error: format!("cannot get a time-stamp: {error}") });
                ended.pause(pause);
                pause = (pause * 2).min(PAUSE_MAX);
            }
        }
    }
}

/// Returns the length of the chain's file; 0 when there is none.
fn chain_length(dir: &Path, disk: &dyn Disk) -> u64 {
    let file = disk.open(&dir.join(EVIDENCE_DIR).join(CHAIN_NAME));
    file.and_then(|file| file.len()).unwrap_or(0)
}

/// Stamps the newest record unless it has a stamp; returns its number.
fn stamp_newest(
    dir: &Path,
    disk: &dyn Disk,
    authority: &dyn Authority,
) -> Result<Option<u64>, StampChainError> {
    let chain = read_chain(disk, dir).map_err(StampChainError::Chain)?;
    let Some(record) = chain.records().last() else { return Ok(None) };
    let path = dir.join(EVIDENCE_DIR).join(stamp_name(record));
    if path.exists() {
        return Ok(None);
    }
    let request = StampRequest::new(record.digest()).ok_or(StampChainError::NoRandomness)?;
    let answer = authority.ask(&request.encode()).map_err(StampChainError::Ask)?;
    request.check(&answer).map_err(StampChainError::Answer)?;
    let write = || {
        let temporary = path.with_extension("tmp");
        let mut file = create_private(&temporary)?;
        file.write_all(&answer)?;
        file.sync_all()?;
        fs::rename(&temporary, &path)?;
        fs::File::open(dir.join(EVIDENCE_DIR))?.sync_all()
    };
    write().map_err(|source| StampChainError::Write { path: path.clone(), source })?;
    Ok(Some(record.number))
}

#[cfg(test)]
mod tests;
