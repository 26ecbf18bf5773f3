//! The body of a request.
//!
//! In: rows. Out: bytes, compressed if configured. Holds: the text around the messages. Limits: none.

use super::options::Compression;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use delivery::{Cell, Row};
use flate2::write::{GzEncoder, ZlibEncoder};
use message::RecordId;
use std::{io::Write, ops::Range};

/// The names of the headers with which syslog-ng describes a message that is sent alone.
const HEADERS: [&str; 4] = ["X-Syslog-Host", "X-Syslog-Program", "X-Syslog-Facility", "X-Syslog-Level"];

/// The cells of a row: the text with the delimiter after it, the offset of its id, the values of the
/// headers.
pub(crate) fn cells(text: Vec<u8>, id: Option<Range<usize>>, headers: Option<[String; 4]>) -> Vec<Cell> {
    let id = id.and_then(|id| i64::try_from(id.start).ok()).map(Cell::Integer);
    let headers = headers.into_iter().flatten().map(Cell::Text);
    std::iter::once(Cell::Bytes(text)).chain(id).chain(headers).collect()
}

/// The text of the id of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IdForm {
    /// 32 hexadecimal digits.
    Hexadecimal,
    /// 22 characters. The index of a search engine keeps them as the 16 bytes that they stand for, in the order in which messages
    /// came: it then sees at once that an id is not in an older segment.
    Base64,
    /// Nine digits: [`RecordId::nanoseconds`] of those that stand in the text, moved by less than so many nanoseconds.
    Nanoseconds(u64),
}

impl IdForm {
    /// Returns the size of an id, in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            IdForm::Hexadecimal => 32,
            IdForm::Base64 => 22,
            IdForm::Nanoseconds(_) => 9,
        }
    }

    fn put(self, id: RecordId, room: &mut [u8]) {
        let bytes = (u128::from(id.incarnation) << 64 | u128::from(id.sequence)).to_be_bytes();
        match self {
            IdForm::Hexadecimal => {
                for (byte, digits) in bytes.iter().zip(room.chunks_exact_mut(2)) {
                    let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 15)];
                    digits.copy_from_slice(&[digit(byte >> 4), digit(*byte)]);
                }
            }
            IdForm::Base64 => {
                let done = BASE64_URL_SAFE_NO_PAD.encode_slice(bytes, room);
                debug_assert_eq!(done, Ok(self.size()), "the room is as large as an id");
            }
            IdForm::Nanoseconds(moved) => {
                let fraction = room.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit & 15));
                let mut left = id.nanoseconds(fraction, moved);
                for digit in room.iter_mut().rev() {
                    *digit = b'0' + (left % 10) as u8;
                    left /= 10;
                }
            }
        }
    }
}

/// The form of bodies.
#[derive(Debug)]
pub(crate) struct BodyForm {
    pub(crate) prefix: Vec<u8>,
    pub(crate) suffix: Vec<u8>,
    pub(crate) delimiter_bytes: usize,
    pub(crate) compression: Compression,
    pub(crate) ids: IdForm,
}

impl BodyForm {
    /// Returns the body of a request for rows.
    pub(crate) fn body(&self, rows: &[Row]) -> Vec<u8> {
        packed(self.plain(rows), self.compression)
    }

    /// Returns it before it is compressed.
    pub(super) fn plain(&self, rows: &[Row]) -> Vec<u8> {
        let size: usize = rows.iter().map(Row::payload).sum();
        let mut body = Vec::with_capacity(self.prefix.len() + size + self.suffix.len());
        body.extend_from_slice(&self.prefix);
        for row in rows {
            let Some(Cell::Bytes(text)) = row.cells.first() else { continue };
            let start = body.len();
            body.extend_from_slice(text);
            if let Some(Cell::Integer(at)) = row.cells.get(1)
                && let Ok(at) = usize::try_from(*at)
                && let Some(room) = body.get_mut(start + at..start + at + self.ids.size())
            {
                self.ids.put(row.id, room);
            }
        }
        // No delimiter after the last one.
        if !rows.is_empty() {
            body.truncate(body.len() - self.delimiter_bytes);
        }
        body.extend_from_slice(&self.suffix);
        body
    }
}

/// Returns the headers of a request for one message.
pub(super) fn headers(rows: &[Row]) -> Vec<(&'static str, String)> {
    let [row] = rows else { return Vec::new() };
    let texts = row.cells.iter().filter_map(|cell| match cell {
        Cell::Text(text) => Some(text.clone()),
        _ => None,
    });
    HEADERS.into_iter().zip(texts).collect()
}

/// Returns a body as it is sent.
pub(super) fn packed(body: Vec<u8>, compression: Compression) -> Vec<u8> {
    let level = flate2::Compression::fast();
    let done = match compression {
        Compression::None => return body,
        Compression::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), level);
            encoder.write_all(&body).and_then(|()| encoder.finish())
        }
        Compression::Deflate => {
            let mut encoder = ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(&body).and_then(|()| encoder.finish())
        }
    };
    done.expect("memory takes what is written to it")
}

#[cfg(test)]
mod tests {
    //! Ids as text.

    use super::*;

    #[test]
    fn ids_are_the_bytes_of_the_number_in_order() {
        let text = |form: IdForm, incarnation, sequence| {
            let mut room = vec![b'?'; form.size()];
            form.put(RecordId { incarnation, sequence }, &mut room);
            String::from_utf8(room).unwrap()
        };
        let id = RecordId { incarnation: 0x0123_4567_89ab_cdef, sequence: u64::MAX };
        assert_eq!(text(IdForm::Hexadecimal, id.incarnation, id.sequence), id.to_string());
        assert_eq!(text(IdForm::Base64, id.incarnation, id.sequence), "ASNFZ4mrze___________w");
        assert_eq!(text(IdForm::Base64, 0, 1), "AAAAAAAAAAAAAAAAAAAAAQ");
    }
}
