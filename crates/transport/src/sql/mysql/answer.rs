//! Answers of a server.
//!
//! In: payloads. Out: their contents. Holds: nothing. Limits: those of packets.

use super::packet::{Fields, PacketError};
use std::fmt;

/// An answer that is no table of results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer<'a> {
    /// The statement succeeded.
    Done {
        /// Rows that were changed.
        rows: u64,
    },
    /// The statement was refused.
    Refused(ServerError),
    /// Results follow, in that many columns.
    Columns(usize),
    /// The server requests a file of this machine, which is never allowed.
    File,
    /// Anything else.
    Other(&'a [u8]),
}

/// The words of a server that refuses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerError {
    /// Its own number for it.
    pub number: u16,
    /// SQLSTATE; empty if there is none.
    pub state: String,
    /// Its words.
    pub message: String,
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ServerError { number, state, message } = self;
        match state.is_empty() {
            true => write!(f, "{number} {message}"),
            false => write!(f, "{number} ({state}) {message}"),
        }
    }
}

/// The first byte of answers.
mod first {
    pub(super) const DONE: u8 = 0x00;
    pub(super) const FILE: u8 = 0xfb;
    pub(super) const END: u8 = 0xfe;
    pub(super) const REFUSED: u8 = 0xff;
}

const MALFORMED: PacketError = PacketError::Protocol("an answer is malformed");

/// Reads an answer to a statement.
pub(super) fn parse(payload: &[u8]) -> Result<Answer<'_>, PacketError> {
    let mut fields = Fields(payload);
    match payload.first() {
        Some(&first::DONE) => {
            fields.number(1).ok_or(MALFORMED)?;
            Ok(Answer::Done { rows: fields.counted_number().ok_or(MALFORMED)? })
        }
        Some(&first::REFUSED) => Ok(Answer::Refused(error(payload).ok_or(MALFORMED)?)),
        Some(&first::FILE) => Ok(Answer::File),
        Some(_) => match fields.counted_number().and_then(|count| usize::try_from(count).ok()) {
            Some(count) if fields.0.is_empty() => Ok(Answer::Columns(count)),
            _ => Ok(Answer::Other(payload)),
        },
        None => Err(MALFORMED),
    }
}

/// Returns the error that a payload is.
pub(super) fn error(payload: &[u8]) -> Option<ServerError> {
    let mut fields = Fields(payload);
    if fields.number(1)? != u64::from(first::REFUSED) {
        return None;
    }
    let number = u16::try_from(fields.number(2)?).ok()?;
    let state = match fields.0.first() {
        Some(b'#') => fields.bytes(6)?.get(1..)?,
        _ => &[],
    };
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Some(ServerError { number, state: text(state), message: text(fields.0) })
}

/// Returns whether a payload ends the columns, or the rows, of a table of results.
pub(super) fn is_end(payload: &[u8]) -> bool {
    payload.first() == Some(&first::END) && payload.len() < 9
}

/// A column of a table of results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResultColumn {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: ColumnKind,
}

/// The type of the values of a column, as far as their text shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction, of limited precision.
    Double,
    /// Bytes that are no text.
    Bytes,
    /// Everything else is text.
    Text,
}

impl ColumnKind {
    /// Returns the kind of a type on the wire, and of the characters of its values.
    fn of(kind: u64, characters: u64) -> ColumnKind {
        /// The character set of what is no text.
        const BINARY: u64 = 63;
        match kind {
            1 | 2 | 3 | 8 | 9 | 13 => ColumnKind::Integer,
            4 | 5 => ColumnKind::Double,
            // Bits.
            16 => ColumnKind::Bytes,
            15 | 249..=255 if characters == BINARY => ColumnKind::Bytes,
            _ => ColumnKind::Text,
        }
    }
}

/// Returns the column that a payload defines.
pub(super) fn column(payload: &[u8]) -> Option<ResultColumn> {
    let mut fields = Fields(payload);
    // Catalogue, schema, table, the table's own name.
    for _ in 0..4 {
        fields.counted_bytes()?;
    }
    let name = String::from_utf8_lossy(fields.counted_bytes()?).into_owned();
    // The column's own name, and the size of what follows.
    fields.counted_bytes()?;
    fields.counted_number()?;
    let characters = fields.number(2)?;
    fields.number(4)?;
    let kind = ColumnKind::of(fields.number(1)?, characters);
    Some(ResultColumn { name, kind })
}

/// Returns the values of a row of text; `None` is NULL.
pub(super) fn texts(payload: &[u8], columns: usize) -> Option<Vec<Option<&[u8]>>> {
    const NULL: u8 = 0xfb;
    let mut fields = Fields(payload);
    let mut texts = Vec::with_capacity(columns);
    for _ in 0..columns {
        texts.push(match fields.0.first() {
            Some(&NULL) => {
                fields.bytes(1)?;
                None
            }
            _ => Some(fields.counted_bytes()?),
        });
    }
    fields.0.is_empty().then_some(texts)
}

/// Returns the only value of a row of a prepared statement, a whole number.
pub(super) fn only_number(payload: &[u8]) -> Option<u64> {
    let mut fields = Fields(payload);
    // The header, and the bits of NULL of one column.
    (fields.bytes(2)? == [0, 0]).then_some(())?;
    fields.number(8)
}

/// A statement that the server has prepared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Prepared {
    pub(super) id: u32,
    pub(super) columns: usize,
    pub(super) parameters: usize,
}

/// Returns the prepared statement that an answer describes.
pub(super) fn prepared(payload: &[u8]) -> Option<Prepared> {
    let mut fields = Fields(payload);
    (fields.number(1)? == u64::from(first::DONE)).then_some(())?;
    Some(Prepared {
        id: u32::try_from(fields.number(4)?).ok()?,
        columns: usize::try_from(fields.number(2)?).ok()?,
        parameters: usize::try_from(fields.number(2)?).ok()?,
    })
}
