//! Datagrams that belong to no association, or to none any more.
//!
//! In: answers to strangers, last packets. Out: the same, in their order. Holds: those that wait to be sent.
//! Limits: what comes above them is dropped, and comes again if it was honest.

use std::collections::VecDeque;
use std::net::SocketAddr;

/// A datagram to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transmit {
    /// Address of the peer.
    pub to: SocketAddr,
    /// The packet.
    pub datagram: Vec<u8>,
}

/// Most answers to strangers that wait.
const ANSWERS_MAX: usize = 256;
/// Last packets of associations that wait; they are as many as associations at most.
const LAST_MAX: usize = 16_384;

/// Answers that wait to be sent.
#[derive(Default)]
pub(super) struct Answers {
    waiting: VecDeque<Transmit>,
}

impl Answers {
    pub(super) fn pop(&mut self) -> Option<Transmit> {
        self.waiting.pop_front()
    }

    pub(super) fn push(&mut self, answer: Transmit) {
        if self.waiting.len() < ANSWERS_MAX {
            self.waiting.push_back(answer);
        }
    }

    /// Adds the last packet of an association.
    pub(super) fn push_last(&mut self, answer: Transmit) {
        if self.waiting.len() < LAST_MAX {
            self.waiting.push_back(answer);
        }
    }
}
