//! Reads stored messages back, block by block.
//!
//! In: document numbers, ascending or descending. Out: messages, in the same order. Holds: the last block opened, so
//! that neighbours cost one decompression. Limits: one block in memory; when few documents are read, their blocks
//! may be cached for the next reader.

pub(crate) mod kept;
pub(crate) mod text;

use crate::documents::text::{APART, Header, TextLocation};
use crate::format::{
    Damage,
    frame::{Frames, Layout},
};
use lookup::{CancelToken, Document, ReadError};
use std::{ops::Range, sync::Arc};

/// Most documents of a read whose blocks are cached: rows of a screen, not scans.
const KEPT_DOCUMENTS_MAX: usize = 1_000;

/// Messages put together between two checks of the token: about a millisecond.
const JOINED_A_LOOK: usize = 256;

/// A block, decompressed.
#[derive(Default)]
pub(crate) struct Block {
    /// Documents in it.
    pub(crate) documents: Range<u32>,
    pub(crate) bytes: Vec<u8>,
    layout: Layout,
}

impl Block {
    /// Finds the frames of the bytes just put in.
    pub(crate) fn find_frames(&mut self) -> Result<(), Damage> {
        self.layout.read(&self.bytes, self.documents.len())
    }

    /// Makes ready for the bytes of a block of these documents.
    pub(crate) fn begin(&mut self, documents: Range<u32>) {
        self.documents = documents;
        self.bytes.clear();
        self.layout.clear();
    }

    /// Finds the frames up to that of a document in a block that may be only partly decompressed; returns false
    /// when more of it is needed.
    pub(crate) fn find_frame(&mut self, document: u32) -> bool {
        let count = document.saturating_sub(self.documents.start) as usize + 1;
        self.layout.read_beginning(&self.bytes, count)
    }

    /// Makes a block of one message: its frame, and its text when that is separate.
    pub(crate) fn of_one(document: u32, message: &Document, text: TextLocation) -> Result<Block, Damage> {
        let mut frames = Frames::default();
        frames.push(&message.raw);
        if text == TextLocation::Apart {
            frames.push_text(&message.text);
        }
        let mut block = Block { documents: document..document + 1, ..Block::default() };
        frames.encode(&mut block.bytes);
        block.find_frames()?;
        Ok(block)
    }

    /// Copies frame and text of the block's message into `message`; returns where the text is. `None` when it is
    /// not a block of that one message.
    pub(crate) fn fill_one(&self, document: u32, message: &mut Document) -> Option<TextLocation> {
        let frame = self.frame(document).filter(|_| self.documents.len() == 1)?;
        message.raw.clear();
        message.raw.extend_from_slice(frame);
        let Some(text) = self.text(0) else { return Some(TextLocation::InFrame) };
        message.text.clear();
        message.text.extend_from_slice(text);
        Some(TextLocation::Apart)
    }

    /// Bytes that it takes in memory.
    pub(crate) fn size(&self) -> usize {
        size_of::<Block>() + self.bytes.capacity() + self.layout.frames.capacity() * size_of::<Range<usize>>()
    }

    fn frame(&self, document: u32) -> Option<&[u8]> {
        let index = document.checked_sub(self.documents.start)?;
        self.bytes.get(self.layout.frames.get(index as usize)?.clone())
    }

    fn text(&self, index: usize) -> Option<&[u8]> {
        self.bytes.get(self.layout.texts.get(index)?.clone())
    }
}

/// The stored form of the messages of a segment.
pub(crate) trait Stored {
    /// Opens the block of a document, or more of it when it is already open: at least as much as the document needs.
    fn open_block(&self, document: u32, block: &mut Block) -> Result<(), ReadError>;

    /// Returns the block of a document that a user will see, and probably request again.
    fn shown_block(&self, document: u32) -> Result<Arc<Block>, ReadError> {
        let mut block = Block::default();
        self.open_block(document, &mut block)?;
        Ok(Arc::new(block))
    }

    /// Fills in everything but frame and text; returns the numbers that say where the text is.
    fn describe(&self, document: u32, out: &mut Document) -> Result<(i64, i64), ReadError>;

    /// Returns true when frames come from [`Stored::join`], and there are no blocks.
    fn is_joined(&self) -> bool {
        false
    }

    /// Puts together frame and text of a described document; returns where the text is.
    fn join(&self, document: u32, _out: &mut Document) -> Result<TextLocation, ReadError> {
        Err(self.damage(document, "the message has no frame"))
    }

    /// Does the same for a message that a user will see, and probably request again.
    fn join_shown(&self, document: u32, out: &mut Document) -> Result<TextLocation, ReadError> {
        self.join(document, out)
    }

    /// Returns the number of documents of a range whose text is separate from the frame.
    fn texts_apart(&self, documents: Range<u32>) -> Result<usize, ReadError>;

    /// Returns the error for damage in the stored form of a document.
    fn damage(&self, document: u32, what: &'static str) -> ReadError;
}

/// Reads documents in the given order until `visit` says false.
pub(crate) fn read(
    stored: &dyn Stored,
    documents: &mut dyn Iterator<Item = u32>,
    cancel: &CancelToken,
    visit: &mut dyn FnMut(u32, &Document) -> bool,
) -> Result<(), ReadError> {
    read_placed(stored, documents, cancel, &mut |number, document, _| visit(number, document))
}

/// Does the same, and also passes where in the frame the text begins; `None` when it is not part of it.
pub(crate) fn read_placed(
    stored: &dyn Stored,
    documents: &mut dyn Iterator<Item = u32>,
    cancel: &CancelToken,
    visit: &mut dyn FnMut(u32, &Document, Option<usize>) -> bool,
) -> Result<(), ReadError> {
    if stored.is_joined() {
        return read_joined(stored, documents, cancel, visit);
    }
    let are_few = are_few(documents);
    let mut block: Arc<Block> = Arc::default();
    let mut message = Document::default();
    for document in documents {
        if !block.documents.contains(&document) || block.frame(document).is_none() {
            cancel.check()?;
            match Arc::get_mut(&mut block) {
                Some(own) if !are_few => stored.open_block(document, own)?,
                _ => block = stored.shown_block(document)?,
            }
        }
        let (start, tail) = stored.describe(document, &mut message)?;
        let frame = block.frame(document).ok_or_else(|| stored.damage(document, "a frame is missing"))?;
        let mut from = None;
        let text = if tail == APART {
            let index = stored.texts_apart(block.documents.start..document)?;
            block.text(index)
        } else {
            text_range(&message, start, tail, frame.len()).map(|range| {
                from = Some(range.start);
                &frame[range]
            })
        };
        let text = text.ok_or_else(|| stored.damage(document, "a text lies outside its frame"))?;
        message.raw.clear();
        message.raw.extend_from_slice(frame);
        message.text.clear();
        message.text.extend_from_slice(text);
        if !visit(document, &message, from) {
            break;
        }
    }
    Ok(())
}

/// Returns true when the blocks are worth caching. Scans do not know how many documents they will read.
fn are_few(documents: &mut dyn Iterator<Item = u32>) -> bool {
    documents.size_hint().1.is_some_and(|count| count <= KEPT_DOCUMENTS_MAX)
}

/// Does the same for frames that are put together from templates and columns.
fn read_joined(
    stored: &dyn Stored,
    documents: &mut dyn Iterator<Item = u32>,
    cancel: &CancelToken,
    visit: &mut dyn FnMut(u32, &Document, Option<usize>) -> bool,
) -> Result<(), ReadError> {
    let are_few = are_few(documents);
    let mut message = Document::default();
    for (count, document) in documents.enumerate() {
        if count % JOINED_A_LOOK == 0 {
            cancel.check()?;
        }
        let (start, tail) = stored.describe(document, &mut message)?;
        let text = match are_few {
            true => stored.join_shown(document, &mut message)?,
            false => stored.join(document, &mut message)?,
        };
        let is_apart = text == TextLocation::Apart;
        let mut from = None;
        if !is_apart && tail != APART {
            let range = text_range(&message, start, tail, message.raw.len());
            let range = range.ok_or_else(|| stored.damage(document, "a text lies outside its frame"))?;
            from = Some(range.start);
            message.text.clear();
            message.text.extend_from_slice(&message.raw[range]);
        } else if is_apart != (tail == APART) {
            return Err(stored.damage(document, "a template and the columns do not agree"));
        }
        if !visit(document, &message, from) {
            break;
        }
    }
    Ok(())
}

fn text_range(message: &Document, start: i64, tail: i64, frame_bytes: usize) -> Option<Range<usize>> {
    let header = Header {
        host: &message.host,
        program: &message.program,
        pid: &message.pid,
        msgid: &message.msgid,
        pri: message.pri,
    };
    header.range(start, tail, frame_bytes)
}
