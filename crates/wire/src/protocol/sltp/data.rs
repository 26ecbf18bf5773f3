//! Data frames: messages with consecutive numbers, or with steps between them.
//!
//! In: messages. Out: a whole frame; from a payload its head, and from an uncompressed body its messages.
//! Holds: nothing. Limits: the caller's; the size of an uncompressed body stands in the head, before it is inflated.

use super::{
    fields::Taker,
    frame::{FRAME_HEAD_BYTES, FrameError, FrameKind, seal},
    handshake::Codec,
};
use std::ops::Range;

/// Bytes of a payload before its body: stream, codec, layout, 0, count, size of the uncompressed body, first number,
/// the number after it.
pub const DATA_HEAD_BYTES: usize = 28;

/// How the messages of a body have their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataLayout {
    /// The first message has the first number of the frame, each next one the following.
    Dense,
    /// Each message has a step from the number that the one before makes likely. The numbers between belong to other
    /// streams.
    Sparse,
}

impl DataLayout {
    fn of(byte: u8) -> Option<DataLayout> {
        [DataLayout::Dense, DataLayout::Sparse].get(usize::from(byte)).copied()
    }

    fn head_bytes(self) -> usize {
        match self {
            DataLayout::Dense => 4,
            DataLayout::Sparse => 8,
        }
    }
}

/// The head of a data frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Data {
    /// Its stream.
    pub stream: u8,
    /// How the body is compressed.
    pub codec: Codec,
    /// How messages are numbered.
    pub layout: DataLayout,
    /// Messages in it.
    pub count: u32,
    /// Bytes of the uncompressed body.
    pub size: u32,
    /// The first number that it covers.
    pub from: u64,
    /// The number after the last one that it covers.
    pub until: u64,
}

/// A message of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its number.
    pub number: u64,
    /// Its range in the body.
    pub range: Range<usize>,
}

impl Data {
    /// Reads the head of a payload; the body is what follows its [`DATA_HEAD_BYTES`].
    pub fn decode(payload: &[u8]) -> Result<Data, FrameError> {
        read_head(payload).ok_or(FrameError::Malformed(FrameKind::Data))
    }
}

fn read_head(payload: &[u8]) -> Option<Data> {
    let mut head = Taker(payload);
    let [stream, codec, layout, _] = head.array()?;
    let data = Data {
        stream,
        codec: Codec::of(codec)?,
        layout: DataLayout::of(layout)?,
        count: head.four()?,
        size: head.four()?,
        from: head.eight()?,
        until: head.eight()?,
    };
    let span = data.until.checked_sub(data.from)?;
    let fits = match data.layout {
        DataLayout::Dense => u64::from(data.count) == span,
        DataLayout::Sparse => u64::from(data.count) <= span,
    };
    let heads = u64::from(data.count) * data.layout.head_bytes() as u64;
    let is_whole = data.codec != Codec::Plain || head.0.len() == data.size as usize;
    (fits && is_whole && heads <= u64::from(data.size)).then_some(data)
}

/// Returns the messages of an uncompressed body. Fails unless they are exactly those that the head announces.
pub fn items(data: &Data, body: &[u8]) -> Result<Vec<Item>, FrameError> {
    read_items(data, body).ok_or(FrameError::Malformed(FrameKind::Data))
}

fn read_items(data: &Data, body: &[u8]) -> Option<Vec<Item>> {
    if body.len() != data.size as usize {
        return None;
    }
    // The head was checked: the body has space for so many.
    let mut items = Vec::with_capacity(data.count as usize);
    let (mut rest, mut number) = (Taker(body), data.from);
    for _ in 0..data.count {
        let size = rest.four()? as usize;
        if data.layout == DataLayout::Sparse {
            number = number.checked_add(u64::from(rest.four()?))?;
        }
        let start = body.len() - rest.0.len();
        rest.bytes(size)?;
        items.push(Item { number, range: start..start + size });
        number = number.checked_add(1)?;
    }
    (rest.0.is_empty() && number <= data.until).then_some(items)
}

/// Starts a data frame in an empty buffer: leaves room for its heads.
pub fn begin_data(frame: &mut Vec<u8>) {
    debug_assert!(frame.is_empty());
    frame.resize(FRAME_HEAD_BYTES + DATA_HEAD_BYTES, 0);
}

/// Appends a message that `write` appends. A step is given in the sparse layout: how many numbers were skipped.
pub fn append_item(frame: &mut Vec<u8>, step: Option<u32>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = frame.len();
    frame.extend_from_slice(&[0; 4]);
    step.into_iter().for_each(|step| frame.extend_from_slice(&step.to_le_bytes()));
    let text = frame.len();
    write(frame);
    let size = (frame.len() - text) as u32;
    frame[start..start + 4].copy_from_slice(&size.to_le_bytes());
}

/// Completes a frame that was begun, with an uncompressed body.
pub fn finish_data(frame: &mut [u8], head: &Data) {
    let at = FRAME_HEAD_BYTES;
    frame[at..at + 4].copy_from_slice(&[head.stream, head.codec.byte(), head.layout as u8, 0]);
    frame[at + 4..at + 8].copy_from_slice(&head.count.to_le_bytes());
    frame[at + 8..at + 12].copy_from_slice(&head.size.to_le_bytes());
    frame[at + 12..at + 20].copy_from_slice(&head.from.to_le_bytes());
    frame[at + 20..at + 28].copy_from_slice(&head.until.to_le_bytes());
    seal(FrameKind::Data, frame);
}

/// Makes the same frame with its body compressed, or uncompressed again. `body` is what replaces the body of `frame`.
pub fn rewrite_body(head: &Data, codec: Codec, body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(FRAME_HEAD_BYTES + DATA_HEAD_BYTES + body.len());
    begin_data(&mut frame);
    frame.extend_from_slice(body);
    finish_data(&mut frame, &Data { codec, ..head.clone() });
    frame
}
