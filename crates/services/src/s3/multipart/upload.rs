//! An object that is being made.
//!
//! In: compressed batches. Out: bodies of parts. Holds: the part that is growing, and the places of its messages. Limits: the caller
//! bounds a part.
//!
//! A batch is put at the end of the growing part and counts only when its messages are staged: until then it can be taken off again.

use super::record::{Phase, RecordedUpload, UploadedPart};
use crate::identity::hex;
use base64::{Engine, engine::general_purpose::STANDARD};
use delivery::{Row, SequenceSet};
use hyper::body::Bytes;

/// A body with its digests.
#[derive(Clone, Debug)]
pub(super) struct PartBody {
    pub(super) bytes: Bytes,
    pub(super) sha256_hex: String,
    pub(super) sha256_base64: String,
}

impl PartBody {
    pub(super) fn of_digest(bytes: Bytes, sha256: &[u8]) -> PartBody {
        PartBody { bytes, sha256_hex: hex(sha256), sha256_base64: STANDARD.encode(sha256) }
    }
}

/// Messages, and the bytes of their texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Messages {
    pub(super) places: SequenceSet,
    pub(super) count: u64,
    pub(super) bytes: u64,
}

impl Messages {
    pub(super) fn of(rows: &[Row]) -> Messages {
        let mut messages = Messages::default();
        for row in rows {
            messages.places.insert(row.id.sequence);
            messages.count += 1;
            messages.bytes += row.payload() as u64;
        }
        messages
    }

    pub(super) fn add(&mut self, other: &Messages) {
        self.places.extend(&other.places);
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// The part that is growing.
#[derive(Debug, Default)]
struct Growing {
    bytes: Vec<u8>,
    /// The bytes of batches whose messages are staged.
    staged_bytes: usize,
    staged: Messages,
    /// The same bytes while they are being sent.
    sent: Option<Bytes>,
}

/// An object that is being made.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) recorded: RecordedUpload,
    /// The record has it.
    pub(super) is_recorded: bool,
    /// An upload may have been begun for it whose answer was lost.
    pub(super) is_doubtful: bool,
    /// It takes no more.
    pub(super) is_full: bool,
    /// Parts that the server has, and their bytes.
    pub(super) parts: u32,
    pub(super) parts_bytes: u64,
    /// The messages that are in them, or in the whole object of one request, and the bytes of their texts.
    pub(super) recorded_messages: (u64, u64),
    /// Attempts since something last went well.
    pub(super) tries: u32,
    growing: Growing,
}

impl Upload {
    pub(super) fn new(recorded: RecordedUpload) -> Upload {
        Upload {
            recorded,
            is_recorded: false,
            is_doubtful: false,
            is_full: false,
            parts: 0,
            parts_bytes: 0,
            recorded_messages: (0, 0),
            tries: 0,
            growing: Growing::default(),
        }
    }

    /// Returns an object from the record.
    pub(super) fn recovered(recorded: RecordedUpload, parts: &[UploadedPart]) -> Upload {
        let mut upload = Upload::new(recorded);
        upload.is_recorded = true;
        upload.is_doubtful = upload.recorded.upload.is_none();
        parts.iter().for_each(|part| upload.count_part(part));
        upload
    }

    /// Returns whether batches may be added.
    pub(super) fn takes_more(&self) -> bool {
        self.recorded.phase == Phase::Open && !self.is_full
    }

    /// Returns the bytes of the growing part.
    pub(super) fn growing_bytes(&self) -> usize {
        self.growing.bytes.len()
    }

    /// Returns the bytes of the object so far.
    pub(super) fn bytes(&self) -> u64 {
        self.parts_bytes + self.growing_bytes() as u64
    }

    /// Takes off batches whose messages were not staged, also after a request that was cut off.
    pub(super) fn take_back(&mut self) {
        let growing = &mut self.growing;
        if let Some(sent) = growing.sent.take() {
            growing.bytes = sent.into();
        }
        growing.bytes.truncate(growing.staged_bytes);
    }

    /// Adds a batch, whose messages are not staged yet.
    pub(super) fn push(&mut self, packed: &[u8]) {
        self.growing.bytes.extend_from_slice(packed);
    }

    /// Notes that the messages of the batches that were added are staged.
    pub(super) fn stage(&mut self, messages: &Messages) {
        self.growing.staged.add(messages);
        self.growing.staged_bytes = self.growing.bytes.len();
    }

    /// Returns the messages that are staged, and are in no part that the server has.
    pub(super) fn unrecorded(&self) -> &Messages {
        &self.growing.staged
    }

    /// Returns the bytes of the growing part to be sent.
    pub(super) fn seal(&mut self) -> Bytes {
        let bytes = Bytes::from(std::mem::take(&mut self.growing.bytes));
        self.growing.sent = Some(bytes.clone());
        bytes
    }

    /// Notes that the growing part is a part now, which was recorded.
    pub(super) fn end_part(&mut self, part: &UploadedPart) {
        self.growing = Growing::default();
        self.count_part(part);
    }

    /// Notes that the messages of the growing part are recorded; its bytes are still to be stored.
    pub(super) fn end_whole(&mut self, whole: &UploadedPart) {
        self.growing.staged = Messages::default();
        self.recorded_messages = (whole.messages, whole.bytes);
    }

    fn count_part(&mut self, part: &UploadedPart) {
        self.parts = self.parts.max(part.number);
        self.parts_bytes += part.size;
        self.recorded_messages.0 += part.messages;
        self.recorded_messages.1 += part.bytes;
    }

    /// Gives the growing part up. Returns its messages.
    pub(super) fn give_up_growing(&mut self) -> Messages {
        std::mem::take(&mut self.growing).staged
    }
}
