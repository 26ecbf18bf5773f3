//! Numbers at the start of some bytes.
//!
//! In: bytes. Out: how many of them are a number. Limits: any number of digits.

/// Returns the length of a decimal number, perhaps negative, or of a hexadecimal one with `0x`. `None` without a digit.
pub(super) fn whole(bytes: &[u8]) -> Option<usize> {
    let (skipped, is_digit): (usize, fn(&u8) -> bool) = match bytes {
        [b'0', b'x' | b'X', ..] => (2, u8::is_ascii_hexdigit),
        [b'-', ..] => (1, u8::is_ascii_digit),
        _ => (0, u8::is_ascii_digit),
    };
    let digits = bytes[skipped..].iter().take_while(|byte| is_digit(byte)).count();
    (digits > 0).then_some(skipped + digits)
}

/// Returns the length of a number with an optional fraction and exponent; a sign or a point alone counts as well.
pub(super) fn float(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = |from: usize| usize::from(bytes.get(from) == Some(&b'-'));
    let mut length = sign(0);
    length += digits(length);
    if bytes.get(length) == Some(&b'.') {
        length += 1;
        length += digits(length);
    }
    if length > 0 && matches!(bytes.get(length), Some(b'e' | b'E')) {
        length += 1;
        length += sign(length);
        length += digits(length);
    }
    length
}
