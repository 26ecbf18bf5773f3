//! A stored message, as a segment returns it.
//!
//! In: a segment's answer; or a batch and an index in it, before any file holds the message, for live tail.
//! Out: a document. Limits: those of the batch.

use message::{Batch, Field, Stamp, ValueKind};
use std::collections::HashSet;

/// A stored message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Sequence number in the logspace, from 0.
    pub sequence: u64,
    /// The frame as received.
    pub raw: Vec<u8>,
    /// Received, microseconds since 1970.
    pub received_us: i64,
    /// The sender's time.
    pub event: Stamp,
    /// Facility times eight plus severity.
    pub pri: u16,
    /// `${HOST}`
    pub host: Vec<u8>,
    /// `${PROGRAM}`
    pub program: Vec<u8>,
    /// `${PID}`
    pub pid: Vec<u8>,
    /// `${MSGID}`
    pub msgid: Vec<u8>,
    /// `${MESSAGE}`
    pub text: Vec<u8>,
    /// `${SOURCE}`
    pub source: String,
    /// Address of the last hop, empty for local sources.
    pub peer: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Name-value pairs, structured data as `.SDATA.id.name` included.
    pub values: Vec<(String, Vec<u8>, ValueKind)>,
}

impl Document {
    /// Makes the document of message `index` of a batch, with its sequence number.
    pub fn of(batch: &Batch, index: usize, sequence: u64) -> Document {
        let message = &batch.messages[index];
        let fixed = |field: Field| batch.fixed(index, field).to_vec();
        let origin = batch.origin(index);
        Document {
            sequence,
            raw: fixed(Field::Raw),
            received_us: batch.received.unix_us,
            event: message.event,
            pri: message.pri.0,
            host: fixed(Field::Host),
            program: fixed(Field::Program),
            pid: fixed(Field::Pid),
            msgid: fixed(Field::Msgid),
            text: fixed(Field::Message),
            source: origin.source.clone(),
            peer: origin.peer.map_or_else(String::new, |peer| peer.ip().to_canonical().to_string()),
            tags: batch.tags(index).into_iter().map(|tag| tag.into_owned()).collect(),
            values: values(batch, index),
        }
    }
}

/// Returns the pairs of a message: those set, newest first, then structured data, which may repeat a name, and
/// those of the origin that are not hidden.
fn values(batch: &Batch, index: usize) -> Vec<(String, Vec<u8>, ValueKind)> {
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let set = batch.values(index).into_iter();
    let mut values: Vec<_> = set.map(|(key, value, kind)| (name(key), value.to_vec(), kind)).collect();
    let mut seen = HashSet::new();
    batch.each_received(index, |key, value| {
        if seen.insert((key.to_owned(), value.to_vec())) {
            values.push((key.to_owned(), value.to_vec(), ValueKind::String));
        }
    });
    values
}

#[cfg(test)]
mod tests {
    //! A document of a batch made by hand.

    use super::*;
    use message::{Ack, FieldName, Message, Origin, Span};
    use std::sync::Arc;

    #[test]
    fn holds_every_field() {
        let raw = r#"<13>1 - h p - - [a@1 b="c"] text"#;
        let peer = "[::ffff:10.1.2.3]:514".parse().ok();
        let origin = Origin { source: "s".into(), peer, ..Origin::default() };
        let mut batch =
            Batch::new(Arc::new(raw.into()), vec![Arc::new(origin)], Stamp::known(5, 0), Ack::none());
        let mut message = Message::default();
        message.raw = Span::received(0, raw.len());
        message.host = Span::received(8, 1);
        message.sdata = Span::received(16, 11);
        message.text = Span::received(28, 4);
        batch.messages.push(message);
        batch.set_field(0, &FieldName::parse("user"), b"eva", ValueKind::String);
        let document = Document::of(&batch, 0, 7);
        assert_eq!((document.sequence, document.received_us), (7, 5));
        assert_eq!((document.host.as_slice(), document.text.as_slice()), (&b"h"[..], &b"text"[..]));
        assert_eq!(document.peer, "10.1.2.3");
        let names: Vec<&str> = document.values.iter().map(|(name, _, _)| name.as_str()).collect();
        assert_eq!(names, ["user", ".SDATA.a@1.b"]);
    }
}
