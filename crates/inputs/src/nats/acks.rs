//! What to say of each delivery, and when.
//!
//! In: deliveries by their sequence in the stream. Out: acknowledgements, signs of work, and refusals of what a destination gave
//! up. Holds: where to say it, for each delivery that is not acknowledged. Limits: the window of the source bounds those.

use crate::broker::Deliveries;
use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

/// The delivery is done.
const ACK: &str = "+ACK";
/// It is worked on: the time until it is sent again begins once more.
const WORKING: &str = "+WPI";
/// It is to be sent again.
const AGAIN: &str = "-NAK";
/// A sign of work is given after this part of the time until a delivery is sent again.
const PART: u32 = 2;
/// Shortest time between two signs of work.
const EVERY_MIN: Duration = Duration::from_millis(50);

/// The place of a message, as the subject of its acknowledgement says it:
/// `$JS.ACK.[DOMAIN.ACCOUNT.]STREAM.CONSUMER.DELIVERED.SEQUENCE.CONSUMER-SEQUENCE.TIME.PENDING[.TOKEN]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StreamPosition<'a> {
    pub(super) stream: &'a str,
    pub(super) sequence: u64,
    /// How many deliveries of its consumer came before, with this one.
    pub(super) consumer_sequence: u64,
    /// When it was stored.
    pub(super) time: &'a str,
}

impl StreamPosition<'_> {
    /// Reads the subject of an acknowledgement.
    pub(super) fn parse(reply: &str) -> Option<StreamPosition<'_>> {
        let words: Vec<&str> = reply.strip_prefix("$JS.ACK.")?.split('.').collect();
        let stream_at = match words.len() {
            7 => 0,
            9.. => 2,
            _ => return None,
        };
        let [stream, _, _, sequence, consumer_sequence, time, ..] = words[stream_at..] else { return None };
        let (sequence, consumer_sequence) = (sequence.parse().ok()?, consumer_sequence.parse().ok()?);
        Some(StreamPosition { stream, sequence, consumer_sequence, time })
    }
}

/// Deliveries that are not acknowledged.
#[derive(Default)]
pub(super) struct Acks {
    replies: HashMap<u64, String>,
    /// When the server last heard of each, oldest first.
    heard: VecDeque<(Instant, u64)>,
}

fn say(reply: &str, what: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("PUB {reply} {}\r\n{what}\r\n", what.len()).as_bytes());
}

impl Acks {
    /// Notes a delivery.
    pub(super) fn add(&mut self, key: u64, reply: &str) {
        if self.replies.insert(key, reply.to_owned()).is_none() {
            self.heard.push_back((Instant::now(), key));
        }
    }

    /// Acknowledges a delivery.
    pub(super) fn acknowledge(&mut self, key: u64, out: &mut Vec<u8>) {
        if let Some(reply) = self.replies.remove(&key) {
            say(&reply, ACK, out);
        }
    }

    /// Gives the signs of work that are due. Returns when the next ones are.
    pub(super) fn show_work(&mut self, again_after: Duration, out: &mut Vec<u8>) -> Option<Instant> {
        let (now, every) = (Instant::now(), (again_after / PART).max(EVERY_MIN));
        while let Some((heard, key)) = self.heard.front().copied() {
            if let Some(reply) = self.replies.get(&key) {
                if heard + every > now {
                    return Some(heard + every);
                }
                say(reply, WORKING, out);
                self.heard.push_back((now, key));
            }
            self.heard.pop_front();
        }
        None
    }

    /// Asks for what no destination has to acknowledge any more.
    pub(super) fn refuse_given_up(&mut self, deliveries: &Deliveries, out: &mut Vec<u8>) {
        self.replies.retain(|key, reply| {
            let is_open = deliveries.is_open(*key);
            if !is_open {
                say(reply, AGAIN, out);
            }
            is_open
        });
    }
}
