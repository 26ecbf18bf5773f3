//! Splunk's event collector: its answers, and its acknowledgements that are asked for later.
//!
//! In: what became of requests. Out: answers. Holds: of each channel the numbers that are not acknowledged.
//! Limits: [`CHANNELS_MAX`] channels, [`OPEN_MAX`] numbers of each; above them requests are refused as busy.

use super::{
    super::feed::Completion,
    answer::{self, Answer},
};
use hyper::StatusCode;
use message::Outcome;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Most channels: each client makes its own.
const CHANNELS_MAX: usize = 1_024;
/// Most requests of one channel that are not acknowledged.
const OPEN_MAX: usize = 10_000;

/// An answer with one of Splunk's codes.
pub(super) fn code(status: StatusCode, text: &str, code: u32) -> Answer {
    answer::json(status, format!("{{\"text\":\"{text}\",\"code\":{code}}}"))
}

/// Success, with the number to ask for where the client wants one.
pub(super) fn success(ack: Option<u64>) -> Answer {
    let ack = ack.map_or(String::new(), |ack| format!(",\"ackId\":{ack}"));
    answer::json(StatusCode::OK, format!("{{\"text\":\"Success\",\"code\":0{ack}}}"))
}

/// The answer to a body that cannot be read.
pub(super) fn unreadable(reason: &str) -> Answer {
    if reason == "an object without an event" {
        return code(StatusCode::BAD_REQUEST, "Event field is required", 12);
    }
    code(StatusCode::BAD_REQUEST, "Invalid data format", 6)
}

/// The open numbers of all channels. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct AckBook(Arc<Mutex<HashMap<String, Channel>>>);

#[derive(Debug, Default)]
struct Channel {
    next: u64,
    open: HashSet<u64>,
}

/// Strikes a number out when its messages are safe. One that failed stays: its client sends again.
struct Strike {
    book: AckBook,
    channel: String,
    number: u64,
}

impl AckBook {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Channel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a request of a channel, and what strikes it out. `None`: too many are open.
    pub(super) fn open(&self, channel: &str) -> Option<(u64, Box<dyn Completion>)> {
        let mut channels = self.lock();
        if channels.len() >= CHANNELS_MAX && !channels.contains_key(channel) {
            // A channel with nothing open has nothing to lose but its numbers.
            let idle = channels.iter().find(|(_, state)| state.open.is_empty()).map(|(name, _)| name.clone());
            channels.remove(&idle?);
        }
        let state = channels.entry(channel.to_owned()).or_default();
        if state.open.len() >= OPEN_MAX {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.open.insert(number);
        Some((number, Box::new(Strike { book: self.clone(), channel: channel.to_owned(), number })))
    }

    /// Gives a number back whose request was refused.
    pub(super) fn close(&self, channel: &str, number: u64) {
        if let Some(state) = self.lock().get_mut(channel) {
            state.open.remove(&number);
        }
    }

    /// The answer to `{"acks":[0,1]}`.
    pub(super) fn answer(&self, channel: &str, numbers: &[u64]) -> Answer {
        let channels = self.lock();
        let state = channels.get(channel);
        let is_safe =
            |number: &u64| state.is_some_and(|state| *number < state.next && !state.open.contains(number));
        let acks: Vec<String> =
            numbers.iter().map(|number| format!("\"{number}\":{}", is_safe(number))).collect();
        answer::json(StatusCode::OK, format!("{{\"acks\":{{{}}}}}", acks.join(",")))
    }
}

impl Completion for Strike {
    fn complete(&self, outcome: Outcome) {
        if outcome == Outcome::Done {
            self.book.close(&self.channel, self.number);
        }
    }
}

/// The numbers of `{"acks":[0,1]}`; `None` when it is something else.
pub(super) fn asked(body: &[u8]) -> Option<Vec<u64>> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, rest) = text.split_once("\"acks\"")?;
    let (list, _) = rest.split_once('[')?.1.split_once(']')?;
    let numbers = list.split(',').map(str::trim).filter(|number| !number.is_empty());
    numbers.map(|number| number.parse().ok()).collect()
}
