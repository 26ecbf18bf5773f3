//! The part of a queue that its receiver has staged: what is not read at the start, and what is read again.
//!
//! In: what the receiver has from earlier, and what it has lost. Out: deliveries of the rest, and of what was lost. Holds: a reader
//! for each set of lost messages. Limits: messages are read again only as far as they fit in memory.

use super::{
    aside::keep_file,
    keeper::{Keeper, Reread},
};
use journal::Read;
use message::{Ack, Batch, Delivery, Selection, codec};
use receivers::{
    contract::Receiver,
    sequences::SequenceSet,
    staging::{RereadGuard, StagedBefore},
};
use std::{io, ops::Range, sync::Arc};
use transport::{
    StageError,
    stats::{self, DropReason},
};

impl Keeper {
    /// Leaves out what a receiver has from earlier. Called before the thread starts.
    pub(crate) fn adopt(&mut self, receiver: &mut dyn Receiver) -> Result<(), StageError> {
        let Some(staging) = &self.staging else { return Ok(()) };
        let failed = |source| StageError::Open {
            id: self.id.clone(),
            what: format!("record of what is staged in {}", self.settings.folder.display()),
            source,
        };
        let StagedBefore { known, settled } = receiver.stage_at(staging.clone()).map_err(failed)?;
        staging.adopt(&settled);
        self.known = known;
        Ok(())
    }

    /// Returns the place below which everything is settled.
    pub(super) fn settled(&self) -> u64 {
        let written = self.entrance.flights(|flights| flights.written());
        // Looked at second: a message is held before its token is released.
        self.staging.as_ref().map_or(written, |staging| staging.limit(written))
    }

    /// Passes on runs of messages of a record, which begins at a place and has some bytes.
    pub(super) fn enqueue_runs(
        &mut self,
        batch: Batch,
        (start, bytes): (u64, usize),
        wanted: &[Range<u64>],
        reread: Option<&Arc<RereadGuard>>,
    ) {
        let batch = Arc::new(batch);
        for run in wanted {
            let mut selection = Selection::none(batch.len());
            run.clone().for_each(|place| selection.add((place - start) as usize));
            let count = selection.count();
            let delivery =
                Delivery { batch: batch.clone(), selection, controlled: true, ack: Ack::none(), first: None };
            let bytes = bytes * count / batch.len().max(1);
            self.enqueue(delivery, run.end, (count, bytes), reread.cloned());
        }
    }

    /// Notes that what is before a place was read, and that the receiver has the rest from earlier.
    pub(super) fn pass(&mut self, end: u64) {
        if self.handed < end {
            self.handed = end;
            self.entrance.flights(|flights| flights.skip(end));
        }
        if self.known.end() <= end {
            self.known = SequenceSet::default();
        }
    }

    /// Passes on what the receiver has lost. Returns false when there is more of it than fits in memory.
    pub(super) fn forward_again(&mut self) -> bool {
        let Some(staging) = &self.staging else { return true };
        for (messages, guard) in staging.take_rereads() {
            let reader = self.files.journal.reader(messages.first().unwrap_or_default());
            self.rereads.push_back(Reread { messages, reader, guard });
        }
        while let Some(mut reread) = self.rereads.pop_front() {
            if !self.entrance.has_room() {
                self.rereads.push_front(reread);
                return false;
            }
            match self.read_again(&mut reread) {
                Ok(true) => self.rereads.push_front(reread),
                Ok(false) => {}
                Err(error) => {
                    self.rereads.push_front(reread);
                    self.failed(&error);
                    return true;
                }
            }
        }
        true
    }

    /// Passes on one record of messages that the receiver has lost; returns false when it was the last one.
    fn read_again(&mut self, reread: &mut Reread) -> io::Result<bool> {
        let end = match reread.reader.read().map_err(|error| error.source)? {
            Read::End => u64::MAX,
            Read::Damage(damage) => {
                keep_file(&damage, &self.log);
                damage.lost.end
            }
            Read::Record(record) => {
                let (start, end) = (record.sequence, record.sequence + u64::from(record.count));
                let wanted = reread.messages.inside(start..end);
                match codec::decode(record.payload) {
                    Ok(batch) if batch.len() == record.count as usize => {
                        let bytes = record.payload.len();
                        self.enqueue_runs(batch, (start, bytes), &wanted, Some(&reread.guard));
                        reread.messages.trim(end);
                    }
                    _ => {
                        self.log
                            .error(&format!("A record of a disk buffer cannot be read; id='{}'", self.id));
                    }
                }
                end
            }
        };
        // Messages before this place cannot be read any more: they are counted as dropped.
        let before = reread.messages.count();
        reread.messages.trim(end);
        let gone = (before - reread.messages.count()) as usize;
        stats::add(self.queue.counters.dropped_for(DropReason::Damaged), gone);
        stats::subtract(&self.queue.counters.queued, gone);
        Ok(!reread.messages.is_empty())
    }
}
