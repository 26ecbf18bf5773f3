//! What answers of user code, its crashes and its hangs mean.
//!
//! In: the outcome of a batch. Out: a judgement for each row. Holds: tries of messages at which user code failed.
//! Limits: a message is given up after `retries()` such tries, as a dead letter; without a connection it is tried for ever.
//! At most [`FAULTS_MAX`] messages are remembered.
//!
//! An error may be the fault of the message or of the system behind the class. When the class has taken another message of the
//! same batch, it is that of the message: only it waits. When it has not, all messages wait for `time-reopen()`, and only the first
//! has used up a try, so that an outage costs few messages. A flush that fails is one of several messages: after `retries()` the
//! batch is halved until the message is alone.

use crate::link::verdicts::Verdicts;
use ::python::{Answer, Code, End, Outcome, Pace};
use delivery::{HoldReason, Judgement, Row, Verdict, Wait};
use message::RecordId;
use std::collections::HashMap;
use transport::DeadReason;

/// Most messages that are remembered: more than one request has.
const FAULTS_MAX: usize = 100_000;

/// Failures so far, as far as they matter for the next.
pub(super) struct Faults {
    retries: u32,
    /// Messages at which user code failed.
    messages: HashMap<RecordId, Fault>,
    /// Flushes that failed, and processes that ended in one, since the last that did not.
    flushes: u32,
    /// True after the process has ended: the next batch shows where.
    is_careful: bool,
}

/// Failures at one message.
#[derive(Clone, Copy, Default)]
struct Fault {
    tries: u32,
    /// True when others were taken where it failed.
    is_its_own: bool,
}

impl Faults {
    pub(super) fn new(retries: u32) -> Faults {
        Faults { retries: retries.max(1), messages: HashMap::new(), flushes: 0, is_careful: false }
    }

    /// Returns how the next results must come.
    pub(super) fn pace(&self) -> Pace {
        if self.is_careful { Pace::Single } else { Pace::Gathered }
    }

    /// Notes that a message failed where others were taken.
    fn blame(&mut self, id: RecordId) {
        if self.messages.len() >= FAULTS_MAX {
            self.messages.clear();
        }
        self.messages.entry(id).or_default().is_its_own = true;
    }

    fn is_its_own(&self, id: RecordId) -> bool {
        self.messages.get(&id).is_some_and(|fault| fault.is_its_own)
    }

    /// Counts a failed try of a message.
    fn failed(&mut self, id: RecordId, reason: DeadReason) -> Verdict {
        if self.messages.len() >= FAULTS_MAX {
            self.messages.clear();
        }
        let fault = self.messages.entry(id).or_default();
        fault.tries += 1;
        let wait = if fault.is_its_own { Wait::Busy } else { Wait::Reopen };
        if fault.tries < self.retries {
            return Verdict::Later(wait);
        }
        self.messages.remove(&id);
        Verdict::Dead(reason)
    }
}

/// Judges the rows of a batch.
pub(super) fn judge(rows: &[Row], outcome: &Outcome, faults: &mut Faults) -> Vec<Judgement> {
    let all = |verdict, text: &str| Judgement::of_all(rows.len(), verdict, text);
    match &outcome.end {
        End::Done => {}
        End::Lost(why) | End::Late(why) => return lost(rows, &outcome.answers, why, faults),
        End::Refused(why) | End::Missing(why) => return all(Verdict::Hold(HoldReason::Code), why),
    }
    faults.is_careful = false;
    answered(rows, &outcome.answers, faults).finish(rows.len(), None)
}

/// Judges rows that have answers, and those that were not tried.
fn answered(rows: &[Row], answers: &[Answer], faults: &mut Faults) -> Verdicts {
    let has_taken = answers.iter().any(|answer| matches!(answer.code, Code::Success | Code::Drop));
    count_flush(answers, faults);
    let mut verdicts = Verdicts::default();
    let mut is_first = true;
    for (row, answer) in rows.iter().zip(answers) {
        let verdict = match answer.code {
            Code::Success => Verdict::Delivered,
            Code::Drop => Verdict::Drop,
            Code::NotConnected => Verdict::Later(Wait::Reopen),
            // No flush came for it: the process has ended before.
            Code::Retry | Code::Queued => Verdict::Later(Wait::Busy),
            Code::Error if answer.is_flush && faults.flushes >= faults.retries => {
                Verdict::Split(DeadReason::Retries)
            }
            Code::Error if answer.is_flush => Verdict::Later(Wait::Reopen),
            Code::Error if has_taken => {
                faults.blame(row.id);
                faults.failed(row.id, DeadReason::Retries)
            }
            Code::Error if is_first || faults.is_its_own(row.id) => {
                faults.failed(row.id, DeadReason::Retries)
            }
            Code::Error => Verdict::Later(Wait::Reopen),
        };
        is_first &= answer.code != Code::Error;
        if verdict == Verdict::Delivered {
            faults.messages.remove(&row.id);
        }
        // Only dead letters may hold where user code failed.
        let text = match verdict {
            Verdict::Dead(_) | Verdict::Split(_) => &*answer.text,
            _ => answer.text.lines().next().unwrap_or_default(),
        };
        verdicts.push(verdict, text);
    }
    for _ in answers.len()..rows.len() {
        verdicts.push(Verdict::Later(Wait::Busy), "it waits for a message before it");
    }
    verdicts
}

fn count_flush(answers: &[Answer], faults: &mut Faults) {
    let flush = answers.iter().rev().find(|answer| answer.is_flush);
    match flush.map(|answer| answer.code) {
        Some(Code::Error) => faults.flushes = faults.flushes.saturating_add(1),
        Some(Code::Success | Code::Drop) => faults.flushes = 0,
        _ => {}
    }
}

/// Judges the rows of a batch whose process has ended.
fn lost(rows: &[Row], answers: &[Answer], why: &str, faults: &mut Faults) -> Vec<Judgement> {
    let was_careful = std::mem::replace(&mut faults.is_careful, true);
    let in_flush = answers.len() == rows.len();
    if in_flush {
        faults.flushes = faults.flushes.saturating_add(1);
    }
    let unflushed = match in_flush && faults.flushes >= faults.retries {
        true => Verdict::Split(DeadReason::Rejected),
        false => Verdict::Later(Wait::Busy),
    };
    let mut verdicts = Verdicts::default();
    for (row, answer) in rows.iter().zip(answers) {
        let verdict = match answer.code {
            Code::Success => Verdict::Delivered,
            Code::Drop => Verdict::Drop,
            Code::Queued => unflushed,
            _ => Verdict::Later(Wait::Busy),
        };
        if verdict == Verdict::Delivered {
            faults.messages.remove(&row.id);
        }
        verdicts.push(verdict, if verdict == Verdict::Delivered { "" } else { why });
    }
    for (place, row) in rows.iter().enumerate().skip(answers.len()) {
        let is_culprit = was_careful && place == answers.len();
        let verdict = match is_culprit {
            true => {
                faults.blame(row.id);
                faults.failed(row.id, DeadReason::Rejected)
            }
            false => Verdict::Later(Wait::Busy),
        };
        verdicts.push(verdict, why);
    }
    verdicts.finish(rows.len(), None)
}

#[cfg(test)]
mod tests;
