//! The deliveries in flight: passed to the destination's thread and not written yet.
//!
//! In: deliveries in order, completions in any order. Out: the sequence number below which everything is written;
//! deliveries in memory only, oldest first. Holds: one entry per delivery, and for those in memory only the
//! messages and the source's token. Limits: no more is passed on than fits in memory.
//!
//! Deliveries on disk are always older than those in memory only, so that saving the latter keeps the order.

use message::{Batch, Delivery, Selection};
use std::{collections::VecDeque, sync::Arc, time::Instant};

/// Deliveries in flight, oldest first.
#[derive(Default)]
pub(super) struct Flights {
    list: VecDeque<Flight>,
    /// Number of the oldest one, counted from the first ever.
    first: u64,
    /// Number of the oldest one that was not brought to the journal.
    unstaged: u64,
    /// Everything below is written.
    written: u64,
    messages: usize,
    bytes: usize,
}

struct Flight {
    messages: usize,
    bytes: usize,
    backing: Backing,
    is_done: bool,
}

/// The copy of a delivery that remains if the destination does not write it.
enum Backing {
    /// It is on the disk, before this sequence number.
    Disk(u64),
    /// In memory, since this time.
    Memory(Box<Delivery>, Instant),
    /// None: it was written before it came to disk.
    Nothing,
}

/// A delivery that is in memory only, to be saved to disk.
pub(super) struct Unsaved {
    pub(super) number: u64,
    pub(super) batch: Arc<Batch>,
    pub(super) selection: Selection,
    pub(super) count: usize,
}

impl Flights {
    /// Creates an empty list; everything below `written` is written.
    pub(super) fn new(written: u64) -> Flights {
        Flights { written, ..Flights::default() }
    }

    /// Adds a delivery that is on disk and ends before sequence number `end`. Returns its number.
    pub(super) fn start(&mut self, end: u64, messages: usize, bytes: usize) -> u64 {
        let number = self.push(Backing::Disk(end), messages, bytes);
        debug_assert!(self.unstaged >= number, "what is in memory only is younger than the disk");
        self.unstaged = self.unstaged.max(number + 1);
        number
    }

    /// Adds a delivery that is in memory only. Its token stays here. Returns its number.
    pub(super) fn start_in_memory(&mut self, delivery: Delivery, messages: usize, now: Instant) -> u64 {
        let bytes = delivery.batch.held_bytes();
        self.push(Backing::Memory(Box::new(delivery), now), messages, bytes)
    }

    fn push(&mut self, backing: Backing, messages: usize, bytes: usize) -> u64 {
        self.list.push_back(Flight { messages, bytes, backing, is_done: false });
        self.messages += messages;
        self.bytes += bytes;
        self.first + self.list.len() as u64 - 1
    }

    fn flight(&mut self, number: u64) -> Option<&mut Flight> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.list.get_mut(index)
    }

    /// Notes that a delivery is written. Returns its copy, to be dropped outside any lock.
    pub(super) fn finish(&mut self, number: u64) -> Option<Box<Delivery>> {
        let flight = self.flight(number)?;
        flight.is_done = true;
        let kept = flight.release(Backing::Nothing);
        while let Some(flight) = self.list.pop_front_if(|flight| flight.is_done) {
            self.first += 1;
            if let Backing::Disk(end) = flight.backing {
                self.written = self.written.max(end);
            }
            self.messages -= flight.messages;
            self.bytes -= flight.bytes;
        }
        self.unstaged = self.unstaged.max(self.first);
        kept
    }

    /// Skips numbers that are missing on disk, once nothing before them is in flight.
    pub(super) fn skip(&mut self, end: u64) {
        let number = self.start(end, 0, 0);
        self.finish(number);
    }

    /// Returns the oldest delivery that is in memory only and came before `until`.
    pub(super) fn next_unsaved(&mut self, until: Instant) -> Option<Unsaved> {
        loop {
            let (number, first) = (self.unstaged, self.first);
            let flight = self.list.get(usize::try_from(number - first).ok()?)?;
            match &flight.backing {
                Backing::Memory(delivery, since) if *since <= until => {
                    return Some(Unsaved {
                        number,
                        batch: delivery.batch.clone(),
                        selection: delivery.selection.clone(),
                        count: flight.messages,
                    });
                }
                Backing::Memory(..) => return None,
                Backing::Disk(_) | Backing::Nothing => self.unstaged += 1,
            }
        }
    }

    /// Notes that a delivery was staged in the journal, which may not have written it yet.
    pub(super) fn staged(&mut self, number: u64) {
        self.unstaged = self.unstaged.max(number + 1);
    }

    /// Notes that a delivery is on disk and ends before sequence number `end`. Returns its copy.
    pub(super) fn save(&mut self, number: u64, end: u64) -> Option<Box<Delivery>> {
        if number < self.first {
            // It was written meanwhile, and so was everything before it.
            self.written = self.written.max(end);
            return None;
        }
        self.flight(number).and_then(|flight| flight.release(Backing::Disk(end)))
    }

    /// Returns since when the oldest delivery is in memory only, of those that were not staged in the journal.
    pub(super) fn unsaved_since(&self) -> Option<Instant> {
        let unstaged = usize::try_from(self.unstaged - self.first).ok()?;
        self.list.iter().skip(unstaged).find_map(|flight| match &flight.backing {
            Backing::Memory(_, since) => Some(*since),
            Backing::Disk(_) | Backing::Nothing => None,
        })
    }

    /// Takes out the tokens of deliveries in memory whose source must not wait.
    pub(super) fn let_go(&mut self, may_wait: &dyn Fn(&Delivery) -> bool) -> Vec<message::Ack> {
        let kept = self.list.iter_mut().filter_map(|flight| match &mut flight.backing {
            Backing::Memory(delivery, _) if !may_wait(delivery) => Some(std::mem::take(&mut delivery.ack)),
            _ => None,
        });
        kept.collect()
    }

    /// Removes the deliveries in memory only, and returns them with their messages: they are lost.
    pub(super) fn abandon(&mut self) -> Vec<(Box<Delivery>, usize)> {
        let lost = self.list.iter_mut().filter_map(|flight| {
            let messages = flight.messages;
            flight.release(Backing::Nothing).map(|delivery| (delivery, messages))
        });
        lost.collect()
    }

    /// Everything below is written.
    pub(super) fn written(&self) -> u64 {
        self.written
    }

    /// Messages and bytes on their way.
    pub(super) fn load(&self) -> (usize, usize) {
        (self.messages, self.bytes)
    }
}

impl Flight {
    /// Replaces the copy, and returns the one in memory, which is no longer needed.
    fn release(&mut self, now: Backing) -> Option<Box<Delivery>> {
        match &self.backing {
            Backing::Memory(..) => match std::mem::replace(&mut self.backing, now) {
                Backing::Memory(delivery, _) => Some(delivery),
                Backing::Disk(_) | Backing::Nothing => None,
            },
            Backing::Disk(_) => None,
            // Written before it came to disk: later deliveries decide how far everything is written.
            Backing::Nothing => {
                self.backing = now;
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
