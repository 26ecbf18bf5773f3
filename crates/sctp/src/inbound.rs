//! The receiving half of an association: what has arrived, what is whole, what the peer learns of it (RFC 9260, 6.2; 3758; 8260).
//!
//! In: chunks with payload, FORWARD-TSN. Out: whole messages in the order of their streams, SACKs.
//! Holds: fragments, messages that wait for earlier ones, and messages that nobody has taken yet.
//! Limits: all of that is at most `receive_bytes`, each piece with what it costs to keep; a chunk above it is dropped and
//! will be sent again. A chunk that fills a gap may go to twice of that; above it the peer breaks the rules.

mod arrivals;
mod limits;
mod reassembly;
mod streams;
#[cfg(test)]
mod tests;

use crate::codec::{Data, ForwardTsn, Numbering, Sack};
use crate::interface::{Options, ReceivedMessage, Time};
use crate::secrets::Agreement;
use arrivals::{Arrivals, Novelty};
use limits::{PIECE_COST, Violation};
use reassembly::Reassembly;
use std::time::Duration;
use streams::Streams;

/// A chunk names a stream that does not exist.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InvalidStream(pub(crate) u16);

/// When the next SACK goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SackDue {
    Never,
    At(Time),
    Now,
}

/// The receiving half.
pub(crate) struct Inbound {
    arrivals: Arrivals,
    reassembly: Reassembly,
    streams: Streams,
    /// Bytes of messages that were handed over and not taken.
    untaken_bytes: usize,
    receive_bytes: usize,
    inbound_streams: u16,
    interleaves: bool,
    sack_due: SackDue,
    sack_delay: Duration,
    /// Packets with payload since the last SACK.
    packets: u32,
    /// Room that the last SACK has told.
    advertised: usize,
    /// The packet being read brought payload, or wants an answer at once.
    is_fresh: bool,
    is_urgent: bool,
    ready: Vec<ReceivedMessage>,
}

impl Inbound {
    /// Creates it.
    pub(crate) fn new(options: &Options, agreement: &Agreement) -> Inbound {
        Inbound {
            arrivals: Arrivals::new(agreement.remote_tsn),
            reassembly: Reassembly::new(options.message_bytes_max),
            streams: Streams::default(),
            untaken_bytes: 0,
            receive_bytes: options.receive_bytes,
            inbound_streams: agreement.inbound_streams,
            interleaves: agreement.abilities.interleaves,
            sack_due: SackDue::Never,
            sack_delay: options.acknowledgement_delay,
            packets: 0,
            advertised: options.receive_bytes,
            is_fresh: false,
            is_urgent: false,
            ready: Vec::new(),
        }
    }

    /// Takes a chunk with payload.
    pub(crate) fn data(&mut self, data: &Data<'_>) -> Result<Option<InvalidStream>, Violation> {
        if self.interleaves != matches!(data.numbering, Numbering::Message { .. }) {
            return Err(Violation);
        }
        self.is_fresh = true;
        self.is_urgent |= data.immediate;
        let tsn = self.arrivals.unwrap(data.tsn);
        let cost = data.payload.len() + PIECE_COST;
        if self.held_bytes() + cost > self.receive_bytes && self.arrivals.is_new(tsn) {
            self.is_urgent = true;
            if tsn > self.arrivals.highest() && tsn != self.arrivals.cumulative() + 1 {
                return Ok(None);
            }
            // A dropped first chunk is sent again; but one that nobody but itself can free has to find room.
            if self.untaken_bytes > 0 {
                return Ok(None);
            }
            if self.held_bytes() + cost > 2 * self.receive_bytes {
                return Err(Violation);
            }
        }
        match self.arrivals.note(tsn) {
            Novelty::New => {}
            Novelty::Duplicate => {
                self.is_urgent = true;
                return Ok(None);
            }
            Novelty::TooFar => return Ok(None),
        }
        if data.stream >= self.inbound_streams {
            return Ok(Some(InvalidStream(data.stream)));
        }
        if let Some(whole) = self.reassembly.add(tsn, data)? {
            self.streams.add(whole, &mut self.ready);
        }
        self.hand_over();
        Ok(None)
    }

    /// Takes FORWARD-TSN or I-FORWARD-TSN.
    pub(crate) fn forward(&mut self, forward: &ForwardTsn) {
        self.is_fresh = true;
        self.is_urgent = true;
        let cumulative = self.arrivals.unwrap(forward.cumulative);
        if !self.arrivals.advance(cumulative) {
            return;
        }
        if !self.interleaves {
            self.reassembly.drop_through(cumulative);
        }
        for skipped in &forward.skipped {
            if let Numbering::Message { id, .. } = skipped.numbering {
                self.reassembly.drop_messages(skipped, id);
            }
            if !skipped.unordered && skipped.stream < self.inbound_streams {
                self.streams.skip(skipped.stream, skipped.numbering, &mut self.ready);
            }
        }
        self.hand_over();
    }

    /// Notes that a packet is read to its end.
    pub(crate) fn packet_ends(&mut self, now: Time) {
        if !std::mem::take(&mut self.is_fresh) {
            return;
        }
        self.packets += 1;
        let is_urgent = std::mem::take(&mut self.is_urgent);
        if is_urgent || self.packets >= 2 || self.arrivals.has_gaps() {
            self.sack_due = SackDue::Now;
        } else if self.sack_due == SackDue::Never {
            self.sack_due = SackDue::At(now + self.sack_delay);
        }
    }

    /// Takes the messages that are ready.
    pub(crate) fn take_ready(&mut self) -> Vec<ReceivedMessage> {
        std::mem::take(&mut self.ready)
    }

    /// Notes that the user has taken a message; tells the peer if there is much more room than it knows of.
    pub(crate) fn taken(&mut self, message: &ReceivedMessage) {
        self.untaken_bytes = self.untaken_bytes.saturating_sub(message.payload.len() + PIECE_COST);
        if self.window() >= self.advertised + self.receive_bytes / 2
            || (self.advertised < self.receive_bytes / 8 && self.window() >= self.receive_bytes / 4)
        {
            self.sack_due = SackDue::Now;
        }
    }

    /// Returns whether a SACK is to go even alone.
    pub(crate) fn sack_is_due(&self, now: Time) -> bool {
        match self.sack_due {
            SackDue::Never => false,
            SackDue::At(at) => at <= now,
            SackDue::Now => true,
        }
    }

    /// Returns whether something has arrived that no SACK has told yet.
    pub(crate) fn sack_is_open(&self) -> bool {
        self.sack_due != SackDue::Never
    }

    /// Makes a SACK whose lists take at most `list_bytes`.
    pub(crate) fn sack(&mut self, list_bytes: usize) -> Sack {
        self.sack_due = SackDue::Never;
        self.packets = 0;
        self.advertised = self.window();
        let window = u32::try_from(self.advertised).unwrap_or(u32::MAX);
        self.arrivals.sack(window, list_bytes / 4)
    }

    /// Wants a SACK in the next packet.
    pub(crate) fn sack_now(&mut self) {
        self.sack_due = SackDue::Now;
    }

    /// Returns the TSN up to which everything has arrived.
    pub(crate) fn cumulative(&self) -> u32 {
        self.arrivals.cumulative_tsn()
    }

    pub(crate) fn next_timeout(&self) -> Option<Time> {
        match self.sack_due {
            SackDue::At(at) => Some(at),
            _ => None,
        }
    }

    fn held_bytes(&self) -> usize {
        self.reassembly.bytes() + self.streams.bytes() + self.untaken_bytes
    }

    fn window(&self) -> usize {
        self.receive_bytes.saturating_sub(self.held_bytes())
    }

    /// Moves the bytes of new ready messages from the streams' account to that of messages not taken.
    fn hand_over(&mut self) {
        self.untaken_bytes += self.streams.take_released();
    }
}
