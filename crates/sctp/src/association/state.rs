//! All that an association knows.
//!
//! In: what both sides agreed on. Out: the parts, for the modules that work on them. Limits: [`ANSWER_BYTES_MAX`].

use crate::codec::{Cause, Causes, Chunk, PacketBuilder};
use crate::inbound::Inbound;
use crate::interface::{DownReason, Event, Options, Peer, Time};
use crate::outbound::Outbound;
use crate::path::{PACKET_BYTES_MIN, Path};
use crate::secrets::Agreement;
use std::sync::Arc;
use std::time::Duration;

/// Most bytes of answers that wait to be sent.
const ANSWER_BYTES_MAX: usize = 8 << 10;

/// The states of RFC 9260, 4.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    CookieWait,
    CookieEchoed,
    Established,
    ShutdownPending,
    ShutdownSent,
    ShutdownReceived,
    ShutdownAckSent,
    Closed,
}

/// A chunk that is sent until it is answered: INIT, COOKIE ECHO, SHUTDOWN, SHUTDOWN ACK.
#[derive(Default)]
pub(super) struct Retry {
    pub(super) due: Option<Time>,
    pub(super) wait: Duration,
}

/// One association.
pub(crate) struct Association {
    pub(crate) peer: Peer,
    pub(super) options: Arc<Options>,
    pub(super) phase: Phase,
    pub(crate) agreement: Agreement,
    pub(super) inbound: Inbound,
    pub(super) outbound: Outbound,
    pub(super) path: Path,
    /// The cookie of the peer, until it is confirmed.
    pub(super) cookie: Vec<u8>,
    pub(super) retry: Retry,
    /// Encoded chunks that answer the peer.
    pub(super) answers: Vec<u8>,
    /// A packet of its own goes before all others: INIT, or the last one.
    pub(super) alone: Option<Vec<u8>>,
    /// Since when the peer has owed an answer.
    pub(super) silent_since: Option<Time>,
    pub(super) events: Vec<Event>,
}

impl Association {
    pub(super) fn new(
        now: Time,
        options: &Arc<Options>,
        peer: Peer,
        phase: Phase,
        agreement: Agreement,
    ) -> Self {
        let inbound = Inbound::new(options, &agreement);
        Association {
            peer,
            phase,
            inbound,
            outbound: Outbound::new(options, &agreement, PACKET_BYTES_MIN),
            path: Path::new(now, options),
            agreement,
            cookie: Vec::new(),
            retry: Retry::default(),
            answers: Vec::new(),
            alone: None,
            silent_since: None,
            events: Vec::new(),
            options: Arc::clone(options),
        }
    }

    /// Returns the state.
    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether it is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Takes what has happened.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Takes the last packet of an association that is gone.
    pub(crate) fn take_last_packet(&mut self) -> Option<Vec<u8>> {
        self.alone.take()
    }

    /// Moves the events of both halves to those of the association.
    pub(super) fn collect(&mut self) {
        self.events.extend(self.inbound.take_ready().into_iter().map(Event::Received));
        self.events.extend(self.outbound.take_events());
    }

    /// Adds a chunk that answers the peer, if there is room for it.
    pub(super) fn answer(&mut self, chunk: &Chunk<'_>) {
        let before = self.answers.len();
        chunk.encode(&mut self.answers);
        // One that does not fit into any packet would be in the way for ever.
        if self.answers.len() > ANSWER_BYTES_MAX || self.answers.len() - before > PACKET_BYTES_MIN - 100 {
            self.answers.truncate(before);
        }
    }

    /// Reports something that does not end the association.
    pub(super) fn report(&mut self, cause: &Cause<'_>) {
        let mut causes = Vec::new();
        cause.encode(&mut causes);
        self.answer(&Chunk::Error(Causes::new(&causes)));
    }

    /// Begins a packet to the peer.
    pub(super) fn packet(&self, bytes_max: usize) -> PacketBuilder {
        PacketBuilder::new(self.options.port, self.peer.port, self.agreement.remote_tag, bytes_max)
    }

    /// Ends the association with a packet that only says so.
    pub(super) fn abort_with(&mut self, cause: &Cause<'_>, reason: DownReason) {
        let mut causes = Vec::new();
        cause.encode(&mut causes);
        let mut packet = self.packet(PACKET_BYTES_MIN);
        packet.push(&Chunk::Abort { reflected: false, causes: Causes::new(&causes) });
        let last = (self.phase != Phase::CookieWait).then(|| packet.finish());
        self.close(reason);
        self.alone = last;
    }

    /// Ends the association here.
    pub(super) fn close(&mut self, reason: DownReason) {
        if self.phase != Phase::Closed {
            self.collect();
            self.phase = Phase::Closed;
            self.alone = None;
            self.events.push(Event::Down(reason));
        }
    }

    /// Notes that the peer lives.
    pub(super) fn hears(&mut self, now: Time) {
        self.silent_since = None;
        self.path.hears(now);
    }

    /// Sends a chunk of [`Retry`] now, and again until it is answered.
    pub(super) fn retry_from(&mut self, now: Time, wait: Duration) {
        self.retry = Retry { due: Some(now), wait };
        self.silent_since.get_or_insert(now);
    }
}
