//! Answers of a server.
//!
//! In: payloads. Out: their contents. Holds: nothing. Limits: those of packets.

use super::packet::{Fields, PacketError};

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
pub(super) struct ServerError {
    /// Its own number for it.
    pub(super) number: u16,
    /// SQLSTATE; empty if there is none.
    pub(super) state: String,
    /// Its words.
    pub(super) message: String,
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

/// Returns the name in the definition of a column.
pub(super) fn column_name(payload: &[u8]) -> Option<String> {
    let mut fields = Fields(payload);
    // Catalogue, schema, table, the table's own name.
    for _ in 0..4 {
        fields.counted_bytes()?;
    }
    Some(String::from_utf8_lossy(fields.counted_bytes()?).into_owned())
}

/// Returns the first value of a row of text; `None` for NULL.
pub(super) fn first_text(payload: &[u8]) -> Option<String> {
    Some(String::from_utf8_lossy(Fields(payload).counted_bytes()?).into_owned())
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
