//! The body of a request.
//!
//! In: rows. Out: bytes, compressed if configured. Holds: the text around the messages. Limits: none.

use super::{action::ID_DIGITS, options::Compression};
use delivery::{Cell, Row};
use flate2::write::{GzEncoder, ZlibEncoder};
use std::{io::Write, ops::Range};

/// The names of the headers with which syslog-ng describes a message that is sent alone.
const HEADERS: [&str; 4] = ["X-Syslog-Host", "X-Syslog-Program", "X-Syslog-Facility", "X-Syslog-Level"];

/// The cells of a row: the text with the delimiter after it, the offset of the digits of its id, the values of the
/// headers.
pub(crate) fn cells(text: Vec<u8>, id: Option<Range<usize>>, headers: Option<[String; 4]>) -> Vec<Cell> {
    let id = id.and_then(|id| i64::try_from(id.start).ok()).map(Cell::Integer);
    let headers = headers.into_iter().flatten().map(Cell::Text);
    std::iter::once(Cell::Bytes(text)).chain(id).chain(headers).collect()
}

/// The form of bodies.
#[derive(Debug)]
pub(crate) struct BodyForm {
    pub(crate) prefix: Vec<u8>,
    pub(crate) suffix: Vec<u8>,
    pub(crate) delimiter_bytes: usize,
    pub(crate) compression: Compression,
}

impl BodyForm {
    /// Returns the body of a request for rows.
    pub(crate) fn body(&self, rows: &[Row]) -> Vec<u8> {
        let size: usize = rows.iter().map(Row::payload).sum();
        let mut body = Vec::with_capacity(self.prefix.len() + size + self.suffix.len());
        body.extend_from_slice(&self.prefix);
        for row in rows {
            let Some(Cell::Bytes(text)) = row.cells.first() else { continue };
            let start = body.len();
            body.extend_from_slice(text);
            if let Some(Cell::Integer(at)) = row.cells.get(1)
                && let Ok(at) = usize::try_from(*at)
                && let Some(digits) = body.get_mut(start + at..start + at + ID_DIGITS)
            {
                digits.copy_from_slice(row.id.to_string().as_bytes());
            }
        }
        // No delimiter after the last one.
        if !rows.is_empty() {
            body.truncate(body.len() - self.delimiter_bytes);
        }
        body.extend_from_slice(&self.suffix);
        packed(body, self.compression)
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

fn packed(body: Vec<u8>, compression: Compression) -> Vec<u8> {
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
