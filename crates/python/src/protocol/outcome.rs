//! What became of the messages of a batch.
//!
//! In: results and flushes as the process reports them. Out: an answer for each message that has one. Holds: them.
//! Limits: more results than messages, or codes that are none, are an error.

use std::sync::Arc;

/// A result of user code, with the numbers of the reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// It wants the message to be dropped.
    Drop,
    /// It failed.
    Error,
    /// It took the message.
    Success,
    /// It takes the message with the next flush.
    Queued,
    /// It has no connection.
    NotConnected,
    /// It wants the message again at once.
    Retry,
}

impl Code {
    fn of(byte: u8) -> Option<Code> {
        Some(match byte {
            0 => Code::Drop,
            1 => Code::Error,
            3 => Code::Success,
            4 => Code::Queued,
            5 => Code::NotConnected,
            6 => Code::Retry,
            _ => return None,
        })
    }
}

/// The result of a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The result.
    pub code: Code,
    /// True when it is that of a flush, so of several messages.
    pub is_flush: bool,
    /// The fault: one line, then where.
    pub text: Arc<str>,
}

/// How a batch ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// User code returned.
    Done,
    /// The process ended, or had to be ended: messages without an answer have perhaps been taken.
    Lost(String),
    /// User code did not return: it was at the first message without an answer, or in a flush.
    Late(String),
    /// The class cannot be used; no message was shown to it.
    Refused(String),
    /// There is no interpreter, or it does not start.
    Missing(String),
}

/// The answers for the first messages of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Answers in the order of the messages; those of queued messages are of their flush, if there was one.
    pub answers: Vec<Answer>,
    /// How it ended.
    pub end: End,
}

/// A report of the process that cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Malformed;

/// Gathers what the process reports of a batch.
pub(crate) trait Reports: Send {
    /// Reads a frame.
    fn report(&mut self, kind: u8, body: &[u8]) -> Result<(), Malformed>;
}

/// Gathers the reports about a batch.
pub(crate) struct Answers {
    answers: Vec<Answer>,
    most: usize,
    /// Answers before this are not for the next flush.
    flushed: usize,
    none: Arc<str>,
}

impl Answers {
    pub(crate) fn new(messages: usize) -> Answers {
        Answers { answers: Vec::with_capacity(messages), most: messages, flushed: 0, none: Arc::from("") }
    }

    pub(crate) fn finish(self, end: End) -> Outcome {
        Outcome { answers: self.answers, end }
    }

    /// Reads runs of results.
    fn results(&mut self, mut body: &[u8]) -> Result<(), Malformed> {
        while !body.is_empty() {
            let (count, rest) = number(body)?;
            let (code, rest) = rest.split_first().ok_or(Malformed)?;
            let code = Code::of(*code).ok_or(Malformed)?;
            let (length, rest) = number(rest)?;
            if length > rest.len() || count > self.most - self.answers.len() {
                return Err(Malformed);
            }
            let (text, rest) = rest.split_at(length);
            let text = self.text(text);
            let answer = Answer { code, is_flush: false, text };
            self.answers.extend(std::iter::repeat_n(answer, count));
            body = rest;
        }
        Ok(())
    }

    /// Reads the result of a flush.
    fn flush(&mut self, body: &[u8]) -> Result<(), Malformed> {
        let (code, text) = body.split_first().ok_or(Malformed)?;
        let code = Code::of(*code).filter(|code| *code != Code::Queued).ok_or(Malformed)?;
        let text = self.text(text);
        for answer in &mut self.answers[self.flushed..] {
            if answer.code == Code::Queued {
                *answer = Answer { code, is_flush: true, text: text.clone() };
            }
        }
        self.flushed = self.answers.len();
        Ok(())
    }

    fn text(&self, text: &[u8]) -> Arc<str> {
        match text {
            [] => self.none.clone(),
            text => Arc::from(String::from_utf8_lossy(text)),
        }
    }
}

impl Reports for Answers {
    fn report(&mut self, kind: u8, body: &[u8]) -> Result<(), Malformed> {
        match kind {
            b'r' => self.results(body),
            b'f' => self.flush(body),
            _ => Err(Malformed),
        }
    }
}

fn number(bytes: &[u8]) -> Result<(usize, &[u8]), Malformed> {
    let (number, rest) = bytes.split_first_chunk::<4>().ok_or(Malformed)?;
    Ok((u32::from_le_bytes(*number) as usize, rest))
}

#[cfg(test)]
mod tests;
