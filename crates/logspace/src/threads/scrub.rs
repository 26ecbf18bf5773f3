//! Scrubbing: reads sealed files periodically, so that damage is found while a copy may still exist.
//!
//! In: the sealed files; a rate in bytes per second. Out: notices of damaged chunks.
//! Holds: nothing between two files. Limits: one chunk of 64 KiB at a time, with pauses; what was read is not left
//! in the system's cache.

use crate::{
    options::Notice,
    shared::{Shared, queue::Queue},
};
use evidence::Keys;
use lookup::ReadError;
use rustix::fs::{Advice, fadvise};
use segment::{DamagedChunk, SegmentInspector};
use std::{
    fs::File,
    path::Path,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, Instant},
};

/// Chunks between two checks of the rate: a megabyte.
const CHUNKS_A_LOOK: usize = 16;
/// Bytes of a chunk.
const CHUNK_BYTES: u64 = 64 << 10;

/// Reads a file at a rate, from outside: no key is needed. Reports every damaged chunk. `pause` sleeps, and returns
/// true to stop.
pub fn scrub_file(
    path: &Path,
    bytes_a_second: u64,
    pause: &mut dyn FnMut(Duration) -> bool,
) -> Result<Vec<DamagedChunk>, ReadError> {
    let inspector = SegmentInspector::open(path, &Keys::default())?;
    let began = Instant::now();
    let mut troubles = Vec::new();
    for chunk in 0..inspector.chunks() {
        if chunk % CHUNKS_A_LOOK == 0 {
            let due =
                Duration::from_secs_f64((chunk as u64 * CHUNK_BYTES) as f64 / bytes_a_second.max(1) as f64);
            if pause(due.saturating_sub(began.elapsed())) {
                break;
            }
        }
        troubles.extend(inspector.examine(chunk).err());
    }
    drop(inspector);
    if let Ok(file) = File::open(path) {
        // This is only advice to the system.
        let _ = fadvise(&file, 0, None, Advice::DontNeed);
    }
    Ok(troubles)
}

/// Runs the scrubbing thread: reads all sealed files, again and again.
pub(crate) fn run(shared: &Arc<Shared>, ended: &Queue<()>) {
    let options = &shared.options;
    loop {
        let began = Instant::now();
        ended.pause(options.scrub_wait);
        for path in shared.segment_set.files() {
            if ended.is_closed() {
                return;
            }
            let path = shared.dir.join(path);
            let mut pause = |duration: Duration| {
                ended.pause(duration);
                ended.is_closed()
            };
            let found = scrub_file(&path, options.scrub_bytes_a_second, &mut pause);
            // Retention may have removed it meanwhile.
            if !path.exists() {
                continue;
            }
            shared.counters.scrubbed.fetch_add(1, Relaxed);
            match found {
                Ok(troubles) => troubles.into_iter().for_each(|trouble| {
                    shared.complain(Notice::DamagedChunk { path: path.clone(), trouble });
                }),
                Err(error) => shared.complain(Notice::BadSegment { path, error: error.to_string() }),
            }
        }
        ended.pause(options.scrub_interval.saturating_sub(began.elapsed()));
        if ended.is_closed() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
