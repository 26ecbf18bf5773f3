//! Commands with their answers.
//!
//! In: rows, each a command. Out: a verdict for each, by its own answer. Holds: a connection.
//! Limits: `timeout()` for the next answer, [`LINE_BYTES_MAX`] for one; a connection on which more comes than was asked for is closed.
//! A row is delivered when collectd has said that the value is dispatched: it is in its memory, on the way to its plugins.

use crate::link::{
    Endpoint,
    attempt::{self, Attempt, Kept, is_broken},
    dialogue::{Breach, Dialogue, LinkError},
    failure::{ANSWER_CHARACTERS_MAX, Failure},
    kept_link::KeptLink,
};
use delivery::{Cell, Connection, Exchange, Row, Verdict, Wait};
use std::time::Duration;
use transport::DeadReason;

/// Longest answer.
const LINE_BYTES_MAX: usize = 4096;

/// A way to collectd.
pub(super) struct CollectdConnection {
    link: KeptLink,
}

impl CollectdConnection {
    pub(super) fn new(server: Endpoint, timeout: Duration) -> CollectdConnection {
        CollectdConnection { link: KeptLink::new(server, timeout) }
    }
}

/// Reads the answers to some commands.
pub(super) struct Answers {
    pub(super) awaited: usize,
    pub(super) found: Vec<Result<(), Failure>>,
}

impl Dialogue for Answers {
    fn take(&mut self, received: &[u8], _out: &mut Vec<u8>) -> Result<usize, Breach> {
        let mut used = 0;
        while self.awaited > 0 {
            let rest = &received[used..];
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
                return if rest.len() > LINE_BYTES_MAX { Err(Breach("a line has no end")) } else { Ok(used) };
            };
            self.found.push(answer(&rest[..end])?);
            self.awaited -= 1;
            used += end + 1;
        }
        Ok(used)
    }

    fn awaited(&self) -> usize {
        self.awaited
    }
}

/// Reads an answer: a status, which is negative for a failure, and words. A value is answered with that line alone.
pub(super) fn answer(line: &[u8]) -> Result<Result<(), Failure>, Breach> {
    let line = String::from_utf8_lossy(line);
    let (status, words) = line.split_once(' ').unwrap_or((&line, ""));
    match status.parse::<i64>() {
        Ok(0) => Ok(Ok(())),
        Ok(status) if status < 0 => {
            let words = words.chars().filter(|character| !character.is_control());
            let words: String = words.take(ANSWER_CHARACTERS_MAX).collect();
            // A quotation mark begins what may be the message's, which only its dead letter gets.
            let plain = words.split(['`', '\'', '"', ':']).next().unwrap_or_default().trim_end();
            let answer = if plain.len() < words.len() { format!("{plain}\n{words}") } else { words.clone() };
            Ok(Err(Failure { verdict: Verdict::Dead(DeadReason::Rejected), answer }))
        }
        _ => Err(Breach("this is no answer of collectd to a value")),
    }
}

impl Kept for CollectdConnection {
    fn is_open(&self) -> bool {
        self.link.is_open()
    }

    async fn attempt(&mut self, rows: &[Row]) -> Attempt {
        let mut out = Vec::new();
        for row in rows {
            if let [Cell::Bytes(command)] = row.cells.as_slice() {
                out.extend_from_slice(command);
            }
        }
        let mut answers = Answers { awaited: rows.len(), found: Vec::new() };
        let done = match self.link.exchange(out, &mut answers).await {
            Ok(done) => done,
            Err(failure) => return Attempt::not_connected(rows.len(), failure),
        };
        let is_unheard = answers.found.is_empty() && is_broken(&done);
        let failure = done.as_ref().err().map(LinkError::to_string).unwrap_or_default();
        let mut answers: Vec<_> = answers.found.into_iter().map(Some).collect();
        answers.resize(rows.len(), None);
        let failure = Failure { verdict: Verdict::Later(Wait::Busy), answer: failure };
        Attempt { answers, is_unheard, failure }
    }
}

impl Connection for CollectdConnection {
    fn send<'a>(&'a mut self, _group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(attempt::exchange(self, rows))
    }

    fn close(&mut self) {
        self.link.close();
    }
}
