//! One association: its state, its timers, what its packets say (RFC 9260, 4 to 9).
//!
//! In: chunks of packets whose tag is right, messages, time. Out: packets, events. Holds: both halves, the path, chunks that
//! answer the peer. Limits: answers that wait are bounded; a peer that floods with questions gets fewer answers.

mod chunks;
mod handshake;
mod shutdown;
mod state;
mod transmit;

pub(crate) use handshake::{accept, agree, collide, confirm, connect, parameters, restart};
pub(crate) use state::{Association, Phase};

use crate::codec::{Cause, Packet};
use crate::interface::{DownReason, Message, MessageId, ReceivedMessage, SendError, Time};

impl Association {
    /// Takes a packet with the right tag, from the right peer.
    pub(crate) fn receive(&mut self, now: Time, packet: &Packet<'_>) {
        chunks::receive(self, now, packet);
    }

    /// Takes a message to be sent.
    pub(crate) fn send(&mut self, now: Time, message: Message) -> Result<MessageId, SendError> {
        if !matches!(self.phase, Phase::CookieWait | Phase::CookieEchoed | Phase::Established) {
            return Err(SendError::Closed);
        }
        let sent = self.outbound.send(now, message);
        self.collect();
        sent
    }

    /// Notes that the user has taken an arrived message.
    pub(crate) fn taken(&mut self, message: &ReceivedMessage) {
        self.inbound.taken(message);
    }

    /// Ends the association when everything is delivered.
    pub(crate) fn shut_down(&mut self, now: Time) {
        shutdown::begin(self, now);
    }

    /// Ends the association at once.
    pub(crate) fn abort(&mut self) {
        self.abort_with(&Cause::UserInitiatedAbort(&[]), DownReason::Aborted);
    }

    /// Returns the next packet; `None` if there is nothing to send now.
    pub(crate) fn poll_transmit(&mut self, now: Time, nonce: impl FnOnce() -> u64) -> Option<Vec<u8>> {
        transmit::poll(self, now, nonce)
    }

    /// Does what is due.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        transmit::handle_timeout(self, now);
    }

    /// Returns when something is due.
    pub(crate) fn next_timeout(&self) -> Option<Time> {
        transmit::next_timeout(self)
    }
}
