//! Splunk's event collector: its answers, and its acknowledgements, which clients request later.
//!
//! In: outcomes of requests. Out: answers. Holds: nothing; the numbers that are not acknowledged are in the
//! [`AckBook`].
//! Limits: those of the book; above them requests are refused as busy.

use super::answer::{self, Answer};
use crate::{batch_reader::Completion, options::AckBook};
use hyper::StatusCode;
use message::Outcome;

/// An answer with one of Splunk's codes.
pub(super) fn code(status: StatusCode, text: &str, code: u32) -> Answer {
    answer::json(status, format!("{{\"text\":\"{text}\",\"code\":{code}}}"))
}

/// Returns success, with the number of the acknowledgement if the client wants one.
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

/// Strikes a number out when its messages are safe. One that failed stays: its client sends again.
struct Strike {
    book: AckBook,
    channel: String,
    number: u64,
}

/// Opens a number for a request of a channel, with the token that closes it. `None` when too many are open.
pub(super) fn open(book: &AckBook, channel: &str) -> Option<(u64, Box<dyn Completion>)> {
    let number = book.open(channel)?;
    Some((number, Box::new(Strike { book: book.clone(), channel: channel.to_owned(), number })))
}

/// The answer to `{"acks":[0,1]}`.
pub(super) fn states(book: &AckBook, channel: &str, numbers: &[u64]) -> Answer {
    let safe = book.are_safe(channel, numbers);
    let acks: Vec<String> =
        numbers.iter().zip(safe).map(|(number, is_safe)| format!("\"{number}\":{is_safe}")).collect();
    answer::json(StatusCode::OK, format!("{{\"acks\":{{{}}}}}", acks.join(",")))
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

#[cfg(test)]
mod tests;
