//! The journal thread: encodes, writes and syncs waiting messages together, then acknowledges them.
//!
//! In: deliveries. Out: acknowledgements; the messages with their sequence numbers, to the builder and to live tails.
//! Holds: the journal. Limits: a commit covers at most `commit_bytes_max`; while the disk fails, nothing is taken,
//! and sources are held back by their windows.

use crate::{
    files::{
        journal_cipher::JournalCipher,
        numbers::{NumberMark, SYNC_GAP},
        taken::TakenNumbers,
    },
    options::{CommitTurn, Notice},
    shared::{Pending, Shared, Stored, queue::PopResult},
};
use journal::Journal;
use message::{Batch, Selection, codec};
use std::{
    io,
    sync::{
        Arc,
        atomic::Ordering::{Relaxed, Release},
    },
    time::{Duration, Instant},
};

/// How long the thread sleeps when no messages come.
const IDLE: Duration = Duration::from_secs(60);

/// The journal thread's state.
pub(crate) struct Writer {
    journal: Journal,
    shared: Arc<Shared>,
    cipher: Arc<JournalCipher>,
    mark: NumberMark,
    taken: TakenNumbers,
    /// True when the mark could not be written and that was reported.
    is_mark_late: bool,
    released_below: u64,
}

impl Writer {
    pub(crate) fn new(
        journal: Journal,
        shared: Arc<Shared>,
        cipher: Arc<JournalCipher>,
        mark: NumberMark,
        taken: TakenNumbers,
    ) -> Writer {
        shared.counters.journal_bytes.store(journal.file_bytes(), Relaxed);
        Writer { journal, shared, cipher, mark, taken, is_mark_late: false, released_below: 0 }
    }

    /// Works until the inbox is closed and empty.
    pub(crate) fn run(mut self) {
        let options = self.shared.options.clone();
        let mut last_commit = Instant::now();
        loop {
            let idle = if self.mark.is_synced() { IDLE } else { SYNC_GAP };
            match self.shared.inbox.take(options.commit_bytes_max, Instant::now() + idle) {
                PopResult::Closed => break,
                PopResult::Nothing => self.change_mark(NumberMark::sync_when_due),
                PopResult::Items(mut pending) => {
                    if let Some(gap) = options.commit_gap.checked_sub(last_commit.elapsed()) {
                        self.linger(&pending, Instant::now() + gap);
                    }
                    let turn = options.commit_turns.take();
                    self.take_more(&mut pending);
                    last_commit = Instant::now();
                    self.store(pending, turn);
                }
            }
            self.release();
        }
        self.change_mark(NumberMark::sync);
        if let Err(error) = self.journal.close() {
            self.shared.complain(Notice::JournalStalled { error: error.to_string() });
        }
    }

    /// Waits a little for more messages to commit together.
    fn linger(&self, pending: &[Pending], until: Instant) {
        let room = self.room(pending);
        if room > 0 {
            self.shared.inbox.linger(room, until);
        }
    }

    /// Takes the messages that came meanwhile.
    fn take_more(&self, pending: &mut Vec<Pending>) {
        let room = self.room(pending);
        if room > 0
            && let PopResult::Items(more) = self.shared.inbox.take(room, Instant::now())
        {
            pending.extend(more);
        }
    }

    /// Returns the bytes that a commit may have besides these messages.
    fn room(&self, pending: &[Pending]) -> u64 {
        let bytes = pending.iter().map(|part| part.batch.held_bytes() as u64).sum();
        self.shared.options.commit_bytes_max.saturating_sub(bytes)
    }

    fn store(&mut self, pending: Vec<Pending>, turn: CommitTurn) {
        if !self.has_key() {
            let count: u64 = pending.iter().map(|part| part.selection.count() as u64).sum();
            self.shared.counters.dropped_closed.fetch_add(count, Relaxed);
            return;
        }
        if !self.expect(&pending) {
            let count: u64 = pending.iter().map(|part| part.selection.count() as u64).sum();
            self.shared.counters.dropped_closed.fetch_add(count, Relaxed);
            return;
        }
        let mut stored = Vec::with_capacity(pending.len());
        for part in &pending {
            self.append(&part.batch, part.selection.clone(), &mut stored);
        }
        let count: u64 = stored.iter().map(|part| part.selection.count() as u64).sum();
        let staged = self.journal.staged_bytes() as u64;
        if !self.commit(turn) {
            self.shared.counters.dropped_closed.fetch_add(count, Relaxed);
            return;
        }
        debug_assert!(stored.is_sorted_by(|a, b| a.first < b.first), "records in order");
        for part in &stored {
            if let Some(numbering) = &part.batch.numbering {
                self.taken.note(numbering, &part.selection);
            }
        }
        let durable = self.journal.durable_sequence();
        self.change_mark(|mark| mark.save(durable));
        let counters = &self.shared.counters;
        counters.journal_written.fetch_add(staged, Relaxed);
        counters.journal_bytes.store(self.journal.file_bytes(), Relaxed);
        if let Some(last) = stored.last() {
            let below = last.first + last.selection.count() as u64;
            self.shared.durable_below.fetch_max(below, Relaxed);
        }
        // A reader that sees that nothing waits for the journal also sees how far it came.
        counters.messages_stored.fetch_add(count, Release);
        pending.into_iter().for_each(Pending::acknowledge);
        for part in stored {
            let cost = part.batch.held_bytes() as u64;
            self.shared.live.send(&part.batch, &part.selection, part.first, cost);
            // A closing builder takes no more messages: the journal keeps them for the next start.
            let _ = self.shared.unbuilt.put(part, cost);
        }
    }

    /// Changes the mark of the assigned numbers. The messages are just as safe without it; only their loss would
    /// not be noticed, so nothing waits for it.
    fn change_mark(&mut self, change: impl FnOnce(&mut NumberMark) -> io::Result<()>) {
        let changed = change(&mut self.mark);
        if let (Err(error), false) = (&changed, self.is_mark_late) {
            let error = format!("cannot keep the number of the next message beside the journal: {error}");
            self.shared.complain(Notice::UpkeepFailed { error });
        }
        self.is_mark_late = changed.is_err();
    }

    /// Stages the messages as one record, or as several when there are too many for one.
    fn append(&mut self, batch: &Arc<Batch>, selection: Selection, stored: &mut Vec<Stored>) {
        let mut parts = vec![selection];
        while let Some(selection) = parts.pop() {
            let count = selection.count();
            let mut encode = |out: &mut Vec<u8>| codec::encode(batch, &selection, out);
            let next = self.journal.next_sequence();
            let staged = match self.shared.options.recipients.is_empty() {
                true => self.journal.append(count as u32, &mut encode),
                false => {
                    let mut encrypt = |out: &mut Vec<u8>| self.cipher.seal(next, out, &mut encode);
                    self.journal.append(count as u32, &mut encrypt)
                }
            };
            match staged {
                Ok(first) => stored.push(Stored { batch: Arc::clone(batch), selection, first }),
                Err(_) if count > 1 => {
                    let (front, back) = halves(&selection);
                    parts.extend([back, front]);
                }
                Err(error) => {
                    self.shared.counters.dropped_large.fetch_add(1, Relaxed);
                    self.shared.counters.failed(&error.to_string());
                }
            }
        }
    }

    /// Tries until the journal has a key, if it must be encrypted; returns false when the logspace closes before.
    fn has_key(&mut self) -> bool {
        if self.shared.options.recipients.is_empty() || self.cipher.is_ready() {
            return true;
        }
        while let Err(error) = self.cipher.renew(self.journal.next_sequence()) {
            let error = format!("cannot draw the journal's key: {error}");
            self.shared.counters.commits_failed.fetch_add(1, Relaxed);
            self.shared.complain(Notice::JournalStalled { error });
            if self.shared.inbox.is_closed() {
                return false;
            }
            self.shared.inbox.pause(self.shared.options.retry);
        }
        true
    }

    /// Tries until the next start will look for the numbers of these messages; returns false when the logspace closes before.
    fn expect(&mut self, pending: &[Pending]) -> bool {
        while let Err(error) =
            self.taken.expect(pending.iter().map(|part| &*part.batch), self.journal.durable_sequence())
        {
            let error = format!("cannot keep the numbers of messages: {error}");
            self.shared.counters.commits_failed.fetch_add(1, Relaxed);
            self.shared.complain(Notice::JournalStalled { error });
            if self.shared.inbox.is_closed() {
                return false;
            }
            self.shared.inbox.pause(self.shared.options.retry);
        }
        true
    }

    /// Tries until everything staged is durable; returns false when the logspace closes before.
    fn commit(&mut self, turn: CommitTurn) -> bool {
        let mut turn = Some(turn);
        let mut stalled = false;
        loop {
            match self.journal.commit() {
                Ok(_) => break,
                Err(error) => {
                    // Others may have more luck.
                    drop(turn.take());
                    self.shared.counters.commits_failed.fetch_add(1, Relaxed);
                    if !stalled {
                        self.shared.complain(Notice::JournalStalled { error: error.to_string() });
                        stalled = true;
                    }
                    if self.shared.inbox.is_closed() {
                        return false;
                    }
                    self.release();
                    self.shared.inbox.pause(self.shared.options.retry);
                }
            }
        }
        self.shared.counters.commits.fetch_add(1, Relaxed);
        if stalled {
            self.shared.counters.recovered();
            self.shared.notices.notice(Notice::JournalResumed);
        }
        true
    }

    /// Removes journal files that are no longer needed because their messages are sealed.
    fn release(&mut self) {
        let below = self.shared.sealed_below.load(Relaxed);
        if below <= self.released_below {
            return;
        }
        if !self.shared.options.recipients.is_empty() {
            let next = self.journal.next_sequence();
            // Sealed messages must not be readable from remains of the journal.
            if let Err(error) = self.cipher.renew(next).and_then(|()| self.cipher.forget(below)) {
                let error = format!("cannot change the journal's key: {error}");
                self.shared.complain(Notice::UpkeepFailed { error });
            }
        }
        if let Err(error) = self.taken.keep(self.journal.durable_sequence()) {
            let error = format!("cannot keep the numbers of messages: {error}");
            return self.shared.complain(Notice::UpkeepFailed { error });
        }
        match self.journal.release(below) {
            Ok(_) => self.released_below = below,
            Err(error) => self.shared.complain(Notice::UpkeepFailed { error: error.to_string() }),
        }
        self.shared.counters.journal_bytes.store(self.journal.file_bytes(), Relaxed);
    }
}

/// Returns the first and the second half of a selection.
fn halves(selection: &Selection) -> (Selection, Selection) {
    let mut front = Selection::none(selection.batch_len());
    selection.iter().take(selection.count() / 2).for_each(|index| front.add(index));
    let mut back = selection.clone();
    back.subtract(&front);
    debug_assert_eq!(front.count() + back.count(), selection.count(), "every message is in one half");
    (front, back)
}

#[cfg(test)]
mod tests;
