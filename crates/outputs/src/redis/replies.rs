//! The replies to some commands, in the order of the commands.
//!
//! In: received bytes. Out: what the caller keeps of each reply. Holds: those. Limits: those of the codec.

use crate::link::dialogue::{Breach, Dialogue};
use transport::redis::{Reply, decode};

/// Most bytes of an error that are kept.
const ERROR_BYTES_MAX: usize = 1 << 10;

/// The fate of a command whose result is of no interest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It was executed.
    Done,
    /// It was not.
    Refused(String),
}

impl Outcome {
    /// Returns what a reply says.
    pub(super) fn of(reply: &Reply<'_>) -> Outcome {
        match reply {
            Reply::Refused(text) => Outcome::Refused(words(text)),
            Reply::Nothing | Reply::Text(_) | Reply::List(_) => Outcome::Done,
        }
    }
}

/// Returns the words of an error.
pub(super) fn words(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(ERROR_BYTES_MAX)]).into_owned()
}

/// Reads the replies to some commands.
pub(super) struct Replies<T> {
    awaited: usize,
    keep: fn(&Reply<'_>) -> T,
    /// Those that came, in the order of the commands.
    pub(super) found: Vec<T>,
}

impl<T> Replies<T> {
    /// Awaits as many replies, and keeps something of each.
    pub(super) fn new(awaited: usize, keep: fn(&Reply<'_>) -> T) -> Replies<T> {
        Replies { awaited, keep, found: Vec::new() }
    }
}

impl<T: Send> Dialogue for Replies<T> {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while self.awaited > 0
            && let Some((reply, size)) = decode(&received[used..])?
        {
            used += size;
            self.awaited -= 1;
            self.found.push((self.keep)(&reply));
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        self.awaited
    }
}
