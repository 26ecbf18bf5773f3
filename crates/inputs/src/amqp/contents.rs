//! Frames become messages, of which long ones are cut.
//!
//! In: the frames of a delivery: method, header, parts of the text. Out: whole messages. Holds: one that is not whole.
//! Limits: of a text no more is kept than the limit; a header fits in a frame.

use transport::{
    amqp::{ContentHeader, Delivery},
    endpoint::Breach,
};

/// A message that was delivered. Its text is that which was kept.
#[derive(Default)]
pub(super) struct Content {
    pub(super) tag: u64,
    /// The broker may have delivered it before.
    pub(super) is_repeated: bool,
    pub(super) exchange: Vec<u8>,
    pub(super) routing_key: Vec<u8>,
    /// The payload of its header.
    pub(super) header: Vec<u8>,
    pub(super) text: Vec<u8>,
}

/// The message that is not whole.
#[derive(Default)]
pub(super) struct Contents {
    open: Option<Content>,
    /// Bytes of its text that are to come; `None` before its header.
    missing: Option<u64>,
}

impl Contents {
    /// Begins a message.
    pub(super) fn begin(&mut self, delivery: &Delivery<'_>) -> Result<(), Breach> {
        if self.open.is_some() {
            return Err(Breach("a message ends before its text"));
        }
        self.missing = None;
        self.open = Some(Content {
            tag: delivery.tag,
            is_repeated: delivery.is_repeated,
            exchange: delivery.exchange.to_vec(),
            routing_key: delivery.routing_key.to_vec(),
            ..Content::default()
        });
        Ok(())
    }

    /// Takes the header. Returns the message if it has no text.
    pub(super) fn header(&mut self, payload: &[u8]) -> Result<Option<Content>, Breach> {
        match (&mut self.open, self.missing) {
            (Some(open), None) => open.header = payload.to_vec(),
            _ => return Err(Breach("it sends what nobody asked for")),
        }
        self.missing = Some(ContentHeader::decode(payload)?.bytes);
        Ok(self.finish())
    }

    /// Takes a part of the text, of which no more is kept than `limit` bytes in all. Returns the message if it is whole.
    pub(super) fn part(&mut self, payload: &[u8], limit: usize) -> Result<Option<Content>, Breach> {
        let (Some(open), Some(missing)) = (&mut self.open, &mut self.missing) else {
            return Err(Breach("it sends what nobody asked for"));
        };
        let left = missing.checked_sub(payload.len() as u64);
        *missing = left.ok_or(Breach("a text is longer than it says"))?;
        let room = limit.saturating_sub(open.text.len());
        open.text.extend_from_slice(&payload[..payload.len().min(room)]);
        Ok(self.finish())
    }

    /// Returns whether the next frame has to be of the message that was begun.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn finish(&mut self) -> Option<Content> {
        match self.missing {
            Some(0) => self.open.take(),
            _ => None,
        }
    }
}
