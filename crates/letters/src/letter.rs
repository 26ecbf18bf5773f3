//! One dead letter. Its form on disk is described in `docs/format/dead-letters.md`.
//!
//! In: a message and why it is dead. Out: bytes, and from them an equal letter. Holds: the whole message, not its
//! rendered form: a replay renders it with the configuration of that day.
//! Limits: [`ANSWER_BYTES_MAX`] bytes of the receiver's answer.

use message::{Batch, RecordId, Selection, Stamp, codec};
use serde_json::{Value, json};
use std::{fmt, sync::Arc};
use transport::DeadReason;

/// Most bytes of a receiver's answer that a letter keeps.
pub const ANSWER_BYTES_MAX: usize = 1024;
/// Version of the layout.
pub(crate) const VERSION: u8 = 1;
/// Version and length of the head.
const START_BYTES: usize = 5;

/// A dead letter.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The id of the message at its destination. A replay keeps it.
    pub id: RecordId,
    /// Table, topic or index that the message was for.
    pub group: String,
    /// Why it is dead.
    pub reason: DeadReason,
    /// The words of the receiver.
    pub answer: String,
    /// When it died, microseconds since 1970.
    pub died_us: i64,
    /// Number of times it was sent.
    pub attempts: u32,
    /// The message, alone in its batch.
    pub batch: Arc<Batch>,
}

/// Bytes that are not a dead letter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LetterError {
    /// It was written by another version.
    Version(u8),
    /// It was cut, or its head is malformed.
    Form,
    /// It is encrypted, and no given key opens it.
    Locked,
    /// It is encrypted, and its bytes or its head were changed.
    Changed,
}

impl fmt::Display for LetterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LetterError::Version(version) => write!(f, "dead letter of format version {version}"),
            LetterError::Form => f.write_str("bytes that are no dead letter"),
            LetterError::Locked => f.write_str("dead letter that no given key opens"),
            LetterError::Changed => f.write_str("dead letter that was changed after it was encrypted"),
        }
    }
}

impl std::error::Error for LetterError {}

/// The part of a letter that can be read without its message, and without a key if it is encrypted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LetterHead {
    /// The id of the message at its destination.
    pub id: RecordId,
    /// Why it is dead.
    pub reason: DeadReason,
    /// When it died, microseconds since 1970.
    pub died_us: i64,
    /// Number of times it was sent.
    pub attempts: u32,
}

impl LetterHead {
    fn of_json(head: &Value) -> Option<LetterHead> {
        let text = |name: &str| head.get(name)?.as_str();
        Some(LetterHead {
            id: RecordId::parse(text("id")?)?,
            reason: DeadReason::of_name(text("reason")?)?,
            died_us: head.get("died_us")?.as_i64()?,
            attempts: u32::try_from(head.get("attempts")?.as_u64()?).ok()?,
        })
    }

    fn to_json(&self) -> Value {
        json!({
            "id": self.id.to_string(),
            "reason": self.reason.name(),
            "died_us": self.died_us,
            "attempts": self.attempts,
        })
    }

    /// Appends a version, and the head of an encrypted letter.
    pub(crate) fn encode(&self, version: u8, out: &mut Vec<u8>) {
        write_head(version, &self.to_json(), out);
    }

    /// Reads the head of a letter of one of some versions. Returns the version, and the bytes after the head.
    pub(crate) fn decode<'a>(
        bytes: &'a [u8],
        versions: &[u8],
    ) -> Result<(u8, LetterHead, &'a [u8]), LetterError> {
        let (version, head, rest) = read_head(bytes, versions)?;
        Ok((version, LetterHead::of_json(&head).ok_or(LetterError::Form)?, rest))
    }
}

fn write_head(version: u8, head: &Value, out: &mut Vec<u8>) {
    let head = head.to_string();
    out.push(version);
    out.extend_from_slice(&u32::try_from(head.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(head.as_bytes());
}

fn read_head<'a>(bytes: &'a [u8], versions: &[u8]) -> Result<(u8, Value, &'a [u8]), LetterError> {
    let (&version, rest) = bytes.split_first().ok_or(LetterError::Form)?;
    if !versions.contains(&version) {
        return Err(LetterError::Version(version));
    }
    let length = rest.first_chunk().map(|length| u32::from_le_bytes(*length) as usize);
    let body = length.and_then(|length| bytes.get(START_BYTES..)?.split_at_checked(length));
    let (head, rest) = body.ok_or(LetterError::Form)?;
    Ok((version, serde_json::from_slice(head).map_err(|_| LetterError::Form)?, rest))
}

impl Letter {
    /// Makes the letter of one message of a batch.
    pub fn of(
        batch: &Batch,
        index: usize,
        (id, attempts, now): (RecordId, u32, Stamp),
        (group, reason, answer): (&str, DeadReason, &str),
    ) -> Letter {
        let mut selection = Selection::none(batch.len());
        selection.add(index);
        let mut end = answer.len().min(ANSWER_BYTES_MAX);
        while !answer.is_char_boundary(end) {
            end -= 1;
        }
        Letter {
            id,
            group: group.to_owned(),
            reason,
            answer: answer[..end].to_owned(),
            died_us: now.unix_us,
            attempts,
            batch: Arc::new(batch.copy_of(&selection)),
        }
    }

    /// Returns what is known of it without its message.
    pub(crate) fn head(&self) -> LetterHead {
        LetterHead { id: self.id, reason: self.reason, died_us: self.died_us, attempts: self.attempts }
    }

    /// Appends the bytes of the letter.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let mut head = self.head().to_json();
        head["of"] = self.group.as_str().into();
        head["answer"] = self.answer.as_str().into();
        write_head(VERSION, &head, out);
        codec::encode(&self.batch, &Selection::all(self.batch.len()), out);
    }

    /// Reads a letter.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Letter, LetterError> {
        let (_, head, message) = read_head(bytes, &[VERSION])?;
        let batch = codec::decode(message).ok().filter(|batch| batch.len() == 1).ok_or(LetterError::Form)?;
        let text = |name: &str| head.get(name)?.as_str().map(str::to_owned);
        let LetterHead { id, reason, died_us, attempts } =
            LetterHead::of_json(&head).ok_or(LetterError::Form)?;
        let (Some(group), Some(answer)) = (text("of"), text("answer")) else { return Err(LetterError::Form) };
        Ok(Letter { id, group, reason, answer, died_us, attempts, batch: Arc::new(batch) })
    }
}
