//! The framing around an outgoing line.
//!
//! In: a buffer whose last line is bare. Out: the same with the line's framing. Holds nothing.
//! Limits: a line that holds its own delimiter is split by the receiver; octet counting has no such limit.

use crate::Framing;

/// Frames the line that starts at `start`.
pub(super) fn close(framing: Framing, start: usize, out: &mut Vec<u8>) {
    match framing {
        Framing::Newline | Framing::NewlineOnly | Framing::Auto => {
            if out.len() == start || out.last() != Some(&b'\n') {
                out.push(b'\n');
            }
        }
        Framing::Nul => out.push(0),
        Framing::Blocks(size) | Framing::Records(size) => {
            let filled = start + (out.len() - start).next_multiple_of(size.max(1));
            out.resize(filled, 0);
        }
        Framing::Datagram => {}
        Framing::OctetCounted => prepend_count(start, out),
    }
}

/// Writes `COUNT SP` before the line (RFC 6587, section 3.4.1): the line moves, which is cheaper than a second buffer.
fn prepend_count(start: usize, out: &mut Vec<u8>) {
    let length = out.len() - start;
    let mut digits = [b' '; 21];
    let (mut first, mut rest) = (digits.len() - 1, length);
    while first > 0 && (rest > 0 || first == digits.len() - 1) {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let count = &digits[first..];
    out.resize(out.len() + count.len(), 0);
    out.copy_within(start..start + length, start + count.len());
    out[start..start + count.len()].copy_from_slice(count);
}
