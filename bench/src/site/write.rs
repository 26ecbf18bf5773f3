//! Numbers and times as bytes.
//!
//! In: values. Out: their text at the end of a buffer; nothing is allocated.

/// The day of the corpus. With a thousand lines a second, it starts again after 86 million lines.
const DAY_S: u64 = 86_400;

pub(super) fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

pub(super) fn number(out: &mut Vec<u8>, number: u64) {
    padded(out, number, 1, b'0');
}

/// A number of at least `width` characters.
pub(super) fn padded(out: &mut Vec<u8>, mut number: u64, width: usize, fill: u8) {
    let mut digits = [fill; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start.min(digits.len() - width)..]);
}

/// The lowest `digits` hexadecimal digits, at most 16.
pub(super) fn hex(out: &mut Vec<u8>, bits: u64, digits: usize, alphabet: &[u8; 16]) {
    out.extend((0..digits.min(16)).map(|digit| alphabet[(bits >> (4 * digit) & 15) as usize]));
}

/// `12:34:56`.
pub(super) fn clock(out: &mut Vec<u8>, ms: u64) {
    let seconds = ms / 1000 % DAY_S;
    padded(out, seconds / 3600, 2, b'0');
    out.push(b':');
    padded(out, seconds / 60 % 60, 2, b'0');
    out.push(b':');
    padded(out, seconds % 60, 2, b'0');
}

/// A time between two texts.
pub(super) fn framed_clock(out: &mut Vec<u8>, before: &str, ms: u64, after: &str) {
    text(out, before);
    clock(out, ms);
    text(out, after);
}

/// `2026-11-01T12:34:56.789Z`.
pub(super) fn iso(out: &mut Vec<u8>, ms: u64) {
    framed_clock(out, "2026-11-01T", ms, ".");
    padded(out, ms % 1000, 3, b'0');
    out.push(b'Z');
}
