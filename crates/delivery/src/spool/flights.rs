//! What was handed to the destination's thread and is not written yet.
//!
//! In: hand-overs in order, completions in any. Out: the sequence number below which everything is written.
//! Holds: one entry a delivery. Limits: the keeper hands over no more than fits in memory.

use std::collections::VecDeque;

/// Deliveries on their way, oldest first.
#[derive(Default)]
pub(super) struct Flights {
    list: VecDeque<Flight>,
    /// Number of the oldest one, counted from the first ever.
    first: u64,
    /// Everything below is written.
    written: u64,
    messages: usize,
    bytes: usize,
}

struct Flight {
    end: u64,
    messages: usize,
    bytes: usize,
    is_done: bool,
}

impl Flights {
    /// Nothing is on its way; everything below `written` is written.
    pub(super) fn new(written: u64) -> Flights {
        Flights { written, ..Flights::default() }
    }

    /// A delivery starts that ends before sequence number `end`. Returns its number.
    pub(super) fn start(&mut self, end: u64, messages: usize, bytes: usize) -> u64 {
        self.list.push_back(Flight { end, messages, bytes, is_done: false });
        self.messages += messages;
        self.bytes += bytes;
        self.first + self.list.len() as u64 - 1
    }

    /// A delivery is written.
    pub(super) fn finish(&mut self, number: u64) {
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        if let Some(flight) = index.and_then(|index| self.list.get_mut(index)) {
            flight.is_done = true;
        }
        while let Some(flight) = self.list.pop_front_if(|flight| flight.is_done) {
            self.first += 1;
            self.written = flight.end;
            self.messages -= flight.messages;
            self.bytes -= flight.bytes;
        }
    }

    /// Passes over what is missing on the disk, once nothing before it is on its way.
    pub(super) fn skip(&mut self, end: u64) {
        let number = self.start(end, 0, 0);
        self.finish(number);
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

#[cfg(test)]
mod tests {
    //! Deliveries that are written in any order.

    use super::Flights;

    #[test]
    fn what_is_written_counts_from_the_oldest() {
        let mut flights = Flights::new(10);
        let [first, second, third] = [(13, 3, 30), (17, 4, 40), (22, 5, 50)]
            .map(|(end, messages, bytes)| flights.start(end, messages, bytes));
        assert_eq!((flights.written(), flights.load()), (10, (12, 120)));
        flights.finish(second);
        assert_eq!((flights.written(), flights.load()), (10, (12, 120)), "the oldest is still on its way");
        flights.finish(first);
        assert_eq!((flights.written(), flights.load()), (17, (5, 50)));
        flights.finish(first);
        assert_eq!((flights.written(), flights.load()), (17, (5, 50)), "no delivery is written twice");
        flights.skip(30);
        flights.finish(third);
        assert_eq!((flights.written(), flights.load()), (30, (0, 0)));
        assert_eq!(flights.start(31, 1, 1), 4);
    }
}
