//! Our log's lines about messages that a server does not take.
//!
//! In: answers and how many messages they are about. Out: lines. Holds: how many lines were written lately.
//! Limits: [`LINES_MAX`] lines in [`INTERVAL`]; more are counted, and the sum is written when that time is over.

use std::time::{Duration, Instant};
use transport::InternalLog;

/// Lines with the server's reason in one interval.
const LINES_MAX: usize = 5;
const INTERVAL: Duration = Duration::from_secs(10);

/// Writer of the lines about refused messages.
pub(super) struct Refusals {
    log: InternalLog,
    until: Instant,
    lines: usize,
    /// Messages that were dropped without a line.
    untold: usize,
}

impl Refusals {
    pub(super) fn new(log: InternalLog) -> Refusals {
        Refusals { log, until: Instant::now(), lines: 0, untold: 0 }
    }

    /// Messages were dropped because of an answer.
    pub(super) fn dropped(&mut self, url: &str, answer: &str, messages: usize) {
        let now = Instant::now();
        self.tell(now);
        if self.lines == 0 {
            self.until = now + INTERVAL;
        }
        if self.lines == LINES_MAX {
            self.untold += messages;
            return;
        }
        self.lines += 1;
        self.log.error(&format!(
            "Server refused messages, dropping them; url='{url}', answer='{answer}', messages='{messages}'"
        ));
    }

    /// When `tell` has something to tell.
    pub(super) fn due(&self) -> Option<Instant> {
        (self.untold > 0).then_some(self.until)
    }

    /// Ends the interval when its time is over.
    pub(super) fn tell(&mut self, now: Instant) {
        if now < self.until {
            return;
        }
        if self.untold > 0 {
            self.log.error(&format!(
                "Server refused further messages, they were dropped; messages='{}', seconds='{}'",
                self.untold,
                INTERVAL.as_secs()
            ));
        }
        (self.lines, self.untold) = (0, 0);
    }
}
