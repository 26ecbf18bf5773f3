//! Results of a parser: for each message, that it does not match, or what it changed.
//!
//! In: frames of the process. Out: changed messages. Holds: the frames of a batch.
//! Limits: more results than messages, or bytes that are no result, are an error, and nothing of their frame is used.
//!
//! A result: a byte, 0 for a message that does not match, 1 for one that does. After a 1: a byte of flags; with flag 1, the priority
//! in two bytes; with flag 2, the time as microseconds since 1970 in eight bytes and the offset of its zone in seconds in four; with flag 4, the
//! address of the sender, its length in a byte before it; the number of values in two bytes; each value: its name and its bytes, the length of
//! each in four bytes before it, and between them a byte, its type.

use crate::protocol::outcome::{Malformed, Reports};
use message::{Batch, FIELD_NAME_BYTES_MAX, Field, ORIGINS_MAX, Origin, Priority, Stamp, ValueKind};
use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

const HAS_PRIORITY: u8 = 1;
const HAS_TIME: u8 = 2;
const HAS_ADDRESS: u8 = 4;

/// The results of a batch.
pub(crate) struct Changes {
    frames: Vec<Vec<u8>>,
    count: usize,
    most: usize,
    /// True when the class has begun with the next message.
    is_begun: bool,
}

impl Changes {
    pub(crate) fn new(messages: usize) -> Changes {
        Changes { frames: Vec::new(), count: 0, most: messages, is_begun: false }
    }

    /// Returns the number of messages that have a result.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns true when the class has begun with the first message that has no result.
    pub(crate) fn is_begun(&self) -> bool {
        self.is_begun
    }

    /// Returns the results in the order of the messages; `None` for those that do not match.
    pub(crate) fn results(&self) -> impl Iterator<Item = Option<Change<'_>>> {
        self.frames.iter().flat_map(|frame| {
            let mut input = Input(frame);
            // The frame was read whole when it came.
            std::iter::from_fn(move || if input.0.is_empty() { None } else { input.result().ok() })
        })
    }
}

impl Reports for Changes {
    fn report(&mut self, kind: u8, body: &[u8]) -> Result<(), Malformed> {
        match kind {
            b'p' => {}
            b's' => {
                self.is_begun = true;
                return Ok(());
            }
            _ => return Err(Malformed),
        }
        let (mut input, mut count) = (Input(body), 0);
        while !input.0.is_empty() {
            input.result()?;
            count += 1;
        }
        if count > self.most - self.count {
            return Err(Malformed);
        }
        self.is_begun = false;
        self.count += count;
        self.frames.push(body.to_vec());
        Ok(())
    }
}

/// The changes of a message.
pub struct Change<'a> {
    priority: Option<Priority>,
    time: Option<Stamp>,
    address: Option<IpAddr>,
    values: Input<'a>,
    count: usize,
}

impl<'a> Change<'a> {
    /// Reads the result of one message that matches.
    pub(crate) fn of(body: &'a [u8]) -> Option<Change<'a>> {
        Input(body).result().ok()?
    }

    /// Changes a message. Names for which `is_macro` holds are computed, and cannot be set.
    pub fn apply(mut self, batch: &mut Batch, index: usize, is_macro: &dyn Fn(&str) -> bool) {
        let message = &mut batch.messages[index];
        message.pri = self.priority.unwrap_or(message.pri);
        message.event = self.time.unwrap_or(message.event);
        if let Some(address) = self.address {
            set_address(batch, index, address);
        }
        for _ in 0..self.count {
            let Ok((name, kind, value)) = self.values.value() else { return };
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let name = shortened(name);
            let value = batch.add_extra(value);
            match Field::from_name(name.as_bytes()) {
                Some(field) => batch.set_typed(index, field, value, kind),
                None if is_macro(name) => {}
                None => batch.set_value(index, name, value, kind),
            }
        }
    }
}

/// Cuts a name to the length that names may have.
fn shortened(name: &str) -> &str {
    let mut end = name.len().min(FIELD_NAME_BYTES_MAX);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// Gives a message another sender: an origin of the batch that is like its own but for the address.
fn set_address(batch: &mut Batch, index: usize, address: IpAddr) {
    let own = batch.messages[index].origin;
    let origin = batch.origins[usize::from(own)].clone();
    let is_same = |other: &Arc<Origin>| {
        other.peer.is_some_and(|peer| peer.ip() == address && peer.port() == 0)
            && other.source == origin.source
            && other.host_from == origin.host_from
            && other.transport == origin.transport
    };
    let known = batch.origins.iter().find(|other| is_same(other)).cloned();
    if known.is_none() && batch.origins.len() >= ORIGINS_MAX {
        return;
    }
    let changed = || Arc::new(Origin { peer: Some(SocketAddr::new(address, 0)), ..Origin::clone(&origin) });
    batch.messages[index].origin = batch.push_origin(&known.unwrap_or_else(changed));
}

/// Bytes of the process that are not read yet.
#[derive(Clone, Copy)]
pub(crate) struct Input<'a>(pub(crate) &'a [u8]);

impl<'a> Input<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    /// Reads bytes with their length before them.
    pub(crate) fn counted(&mut self) -> Result<&'a [u8], Malformed> {
        let length = u32::from_le_bytes(self.array()?);
        self.bytes(length as usize)
    }

    fn value(&mut self) -> Result<(&'a [u8], ValueKind, &'a [u8]), Malformed> {
        let name = self.counted()?;
        let kind = ValueKind::from_byte(self.byte()?).ok_or(Malformed)?;
        if matches!(kind, ValueKind::Bytes | ValueKind::Tag | ValueKind::Unset) {
            return Err(Malformed);
        }
        Ok((name, kind, self.counted()?))
    }

    pub(crate) fn result(&mut self) -> Result<Option<Change<'a>>, Malformed> {
        match self.byte()? {
            0 => return Ok(None),
            1 => {}
            _ => return Err(Malformed),
        }
        let flags = self.byte()?;
        let has = |flag| flags & flag != 0;
        let mut change =
            Change { priority: None, time: None, address: None, values: Input(self.0), count: 0 };
        if has(HAS_PRIORITY) {
            change.priority = Some(Priority(u16::from_le_bytes(self.array()?)));
        }
        if has(HAS_TIME) {
            let microseconds = i64::from_le_bytes(self.array()?);
            change.time = Some(Stamp::known(microseconds, i32::from_le_bytes(self.array()?)));
        }
        if has(HAS_ADDRESS) {
            let length = usize::from(self.byte()?);
            let text = std::str::from_utf8(self.bytes(length)?).map_err(|_| Malformed)?;
            change.address = Some(text.parse().map_err(|_| Malformed)?);
        }
        change.count = usize::from(u16::from_le_bytes(self.array()?));
        change.values = *self;
        for _ in 0..change.count {
            self.value()?;
        }
        Ok(Some(change))
    }
}

#[cfg(test)]
mod tests;
