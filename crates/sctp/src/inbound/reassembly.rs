//! Fragments until their message is whole.
//!
//! In: chunks. Out: whole messages. Holds: fragments of DATA in runs by TSN, those of I-DATA by message.
//! Limits: no message is longer than the limit; the caller bounds the sum of all.

use super::limits::{PIECE_COST, Violation};
use crate::codec::{Data, Numbering, SkippedMessage};
use crate::interface::ReceivedMessage;
use std::collections::{BTreeMap, VecDeque};

/// A message that is whole.
pub(super) struct Whole {
    pub(super) numbering: Numbering,
    pub(super) message: ReceivedMessage,
}

/// Fragments of DATA that follow each other and belong to one message.
struct Run {
    begins: bool,
    ends: bool,
    stream: u16,
    unordered: bool,
    numbering: Numbering,
    protocol: u32,
    pieces: VecDeque<Vec<u8>>,
    bytes: usize,
}

/// Fragments of a message of I-DATA.
#[derive(Default)]
struct Partial {
    protocol: u32,
    pieces: BTreeMap<u32, Vec<u8>>,
    last: Option<u32>,
    bytes: usize,
}

/// Stream, unordered or not, and number of a message of I-DATA.
type PartialKey = (u16, bool, u32);

/// Fragments of messages that are not whole.
pub(super) struct Reassembly {
    runs: BTreeMap<u64, Run>,
    partials: BTreeMap<PartialKey, Partial>,
    bytes: usize,
    message_bytes_max: usize,
}

impl Reassembly {
    pub(super) fn new(message_bytes_max: usize) -> Reassembly {
        Reassembly { runs: BTreeMap::new(), partials: BTreeMap::new(), bytes: 0, message_bytes_max }
    }

    /// Returns the bytes that are held, with what they cost to keep.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a chunk; returns the message that it makes whole.
    pub(super) fn add(&mut self, tsn: u64, data: &Data<'_>) -> Result<Option<Whole>, Violation> {
        if data.fragment.begins() && data.fragment.ends() {
            if data.payload.len() > self.message_bytes_max {
                return Err(Violation);
            }
            return Ok(Some(whole(data, data.protocol, data.payload.to_vec())));
        }
        match data.numbering {
            Numbering::Sequence(_) => self.add_to_run(tsn, data),
            Numbering::Message { id, fragment } => self.add_to_partial(id, fragment, data),
        }
    }

    fn add_to_run(&mut self, tsn: u64, data: &Data<'_>) -> Result<Option<Whole>, Violation> {
        let mut start = tsn;
        let mut run = Run {
            begins: data.fragment.begins(),
            ends: data.fragment.ends(),
            stream: data.stream,
            unordered: data.unordered,
            numbering: data.numbering,
            protocol: data.protocol,
            pieces: VecDeque::from([data.payload.to_vec()]),
            bytes: data.payload.len(),
        };
        self.bytes += data.payload.len() + PIECE_COST;
        let before = self.runs.range(..tsn).next_back();
        let before =
            before.filter(|(first, left)| *first + left.length() == tsn && !left.ends && !run.begins);
        if let Some(first) = before.map(|(first, _)| *first) {
            let left = self.runs.remove(&first).ok_or(Violation)?;
            run = left.join(run)?;
            start = first;
        }
        let after = start + run.length();
        if !run.ends && self.runs.get(&after).is_some_and(|right| !right.begins) {
            let right = self.runs.remove(&after).ok_or(Violation)?;
            run = run.join(right)?;
        }
        if run.bytes > self.message_bytes_max {
            return Err(Violation);
        }
        if run.begins && run.ends {
            self.bytes -= run.cost();
            let whole = run.whole();
            return Ok(Some(whole));
        }
        self.runs.insert(start, run);
        Ok(None)
    }

    fn add_to_partial(
        &mut self,
        id: u32,
        fragment: u32,
        data: &Data<'_>,
    ) -> Result<Option<Whole>, Violation> {
        let key = (data.stream, data.unordered, id);
        let partial = self.partials.entry(key).or_default();
        if data.fragment.begins() {
            partial.protocol = data.protocol;
        }
        let is_second_end = data.fragment.ends() && partial.last.replace(fragment).is_some();
        if is_second_end || partial.pieces.insert(fragment, data.payload.to_vec()).is_some() {
            return Err(Violation);
        }
        partial.bytes += data.payload.len();
        self.bytes += data.payload.len() + PIECE_COST;
        let highest = partial.pieces.last_key_value().map(|(fragment, _)| *fragment);
        if partial.bytes > self.message_bytes_max || partial.last.is_some_and(|last| highest > Some(last)) {
            return Err(Violation);
        }
        let is_whole = partial.last.is_some_and(|last| u64::from(last) + 1 == partial.pieces.len() as u64);
        if !is_whole {
            return Ok(None);
        }
        let partial = self.partials.remove(&key).ok_or(Violation)?;
        self.bytes -= partial.cost();
        let mut payload = Vec::with_capacity(partial.bytes);
        partial.pieces.values().for_each(|piece| payload.extend_from_slice(piece));
        Ok(Some(whole(data, partial.protocol, payload)))
    }

    /// Drops fragments of DATA up to a TSN, and what follows them in their messages: it will not come.
    pub(super) fn drop_through(&mut self, tsn: u64) {
        while let Some(entry) = self.runs.first_entry().filter(|entry| *entry.key() <= tsn) {
            self.bytes -= entry.remove().cost();
        }
    }

    /// Drops messages of I-DATA up to a number.
    pub(super) fn drop_messages(&mut self, skipped: &SkippedMessage, id: u32) {
        let SkippedMessage { stream, unordered, .. } = *skipped;
        let of_stream = self.partials.range((stream, unordered, 0)..=(stream, unordered, u32::MAX));
        let is_dropped = |number: u32| id.wrapping_sub(number).cast_signed() >= 0;
        let dropped: Vec<PartialKey> =
            of_stream.map(|(key, _)| *key).filter(|key| is_dropped(key.2)).collect();
        for key in dropped {
            self.bytes -= self.partials.remove(&key).map_or(0, |partial| partial.cost());
        }
    }
}

impl Run {
    fn length(&self) -> u64 {
        self.pieces.len() as u64
    }

    fn cost(&self) -> usize {
        self.bytes + self.pieces.len() * PIECE_COST
    }

    fn join(mut self, right: Run) -> Result<Run, Violation> {
        let is_same = |run: &Run| (run.stream, run.unordered, run.numbering);
        // The number of an unordered message means nothing.
        let (left_key, right_key) = (is_same(&self), is_same(&right));
        if (left_key.0, left_key.1) != (right_key.0, right_key.1)
            || (!self.unordered && left_key.2 != right_key.2)
        {
            return Err(Violation);
        }
        self.ends = right.ends;
        self.bytes += right.bytes;
        // The shorter list moves: fragments that come backwards must not cost their number squared.
        let mut pieces = right.pieces;
        if self.pieces.len() < pieces.len() {
            while let Some(piece) = self.pieces.pop_back() {
                pieces.push_front(piece);
            }
            self.pieces = pieces;
        } else {
            self.pieces.append(&mut pieces);
        }
        Ok(self)
    }

    fn whole(self) -> Whole {
        let message = ReceivedMessage {
            stream: self.stream,
            protocol: self.protocol,
            unordered: self.unordered,
            payload: Vec::from(self.pieces).concat(),
        };
        Whole { numbering: self.numbering, message }
    }
}

impl Partial {
    fn cost(&self) -> usize {
        self.bytes + self.pieces.len() * PIECE_COST
    }
}

fn whole(data: &Data<'_>, protocol: u32, payload: Vec<u8>) -> Whole {
    let message = ReceivedMessage { stream: data.stream, protocol, unordered: data.unordered, payload };
    Whole { numbering: data.numbering, message }
}
