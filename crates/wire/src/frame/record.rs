//! The messages of one record of DTLS (RFC 6012, section 5.4).
//!
//! In: the text of one record. Out: its frames: counted ones, `1*(MSG-LEN SP MSG)`, or one message that has no count, as
//! some senders send it. Holds nothing: a message does not continue in the next record.
//! Limits: a frame that claims more bytes than exist, or exceeds the limit, is cut and marked.

use super::{Frame, count::Count};
use message::{Mark, Marks};

/// Appends the frames of a record.
pub fn split_record(record: &[u8], message_bytes_max: usize, frames: &mut Vec<Frame>) {
    let mut at = 0;
    while let Some(rest) = record.get(at..).filter(|rest| !rest.is_empty()) {
        let (start, claimed) = match Count::read(rest) {
            // Many a line without PRI begins with a number.
            Count::Of { header, size } if rest.get(header) == Some(&b'<') => (at + header, size),
            _ if is_end(rest[0]) => {
                at += 1;
                continue;
            }
            _ => (at, rest.len() as u64),
        };
        let there = record.len() - start;
        let size = usize::try_from(claimed).unwrap_or(usize::MAX).min(there);
        let body = &record[start..start + size];
        let kept = body.iter().rposition(|byte| !is_end(*byte)).map_or(0, |last| last + 1);
        let mut marks = Marks::NONE;
        if claimed > there as u64 || kept > message_bytes_max {
            marks.add(Mark::Truncated);
        }
        if kept > 0 {
            frames.push(Frame { start, end: start + kept.min(message_bytes_max), marks });
        }
        at = start + size;
    }
}

/// Returns true for line ends and NULs: those around a message are not part of it.
fn is_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0)
}
