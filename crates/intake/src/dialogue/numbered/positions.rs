//! Keeps how far the streams of senders are, over restarts.
//!
//! In: positions of streams. Out: the same after a restart. Holds: nothing; they are in the file of read positions.
//! Limits: [`STREAMS_MAX`] streams in the file; at the start the oldest beyond that are removed.

use crate::positions::Positions;
use message::{NumberedStream, STREAMS_MAX, StreamKey};
use sltp::PositionStore;
use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// Beginning of the names of streams in the file.
const PREFIX: &str = "sltp ";

/// The positions of streams in the file of read positions.
pub(crate) struct StreamPositions(Positions);

impl StreamPositions {
    /// Removes the oldest positions when there are too many.
    pub(crate) fn new(positions: Positions) -> StreamPositions {
        let mut known: Vec<(u64, String)> = positions
            .of_prefix(PREFIX)
            .into_iter()
            .map(|(name, position)| (decode(&position).map_or(0, |saved| saved.unix_s), name))
            .collect();
        known.sort_unstable();
        let surplus = known.len().saturating_sub(STREAMS_MAX);
        known.into_iter().take(surplus).for_each(|(_, name)| positions.remove(&name));
        StreamPositions(positions)
    }
}

/// The saved position of a stream.
struct Saved {
    safe: u64,
    run: u64,
    unix_s: u64,
}

fn name(key: &StreamKey) -> String {
    format!("{PREFIX}{} {:016x} {}", key.sender, key.epoch, key.stream)
}

fn decode(position: &str) -> Option<Saved> {
    let mut parts = position.split(' ');
    let safe = parts.next()?.parse().ok()?;
    let run = u64::from_str_radix(parts.next()?, 16).ok()?;
    Some(Saved { safe, run, unix_s: parts.next()?.parse().ok()? })
}

impl PositionStore for StreamPositions {
    fn load(&self, key: &StreamKey) -> Option<(u64, u64)> {
        let saved = decode(&self.0.position(&name(key))?)?;
        Some((saved.safe, saved.run))
    }

    fn save(&self, stream: &Arc<NumberedStream>, safe: u64, run: u64) {
        // Only to find the oldest ones.
        let unix_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        self.0.set_stream(&name(&stream.key), format!("{safe} {run:016x} {unix_s}"), (stream, safe));
    }

    fn forget(&self, key: &StreamKey) {
        self.0.remove(&name(key));
    }
}
