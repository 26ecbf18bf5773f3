//! Addresses at the start of some bytes: IP, link layer, host names.
//!
//! In: bytes. Out: how many of them are an address; what follows may be anything, as in syslog-ng: `1.2.3.4.5` is
//! the address `1.2.3.4` and more. Limits: host names of any length.

/// Returns the length of an IPv4 address.
pub(super) fn ipv4(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for part in 0..4 {
        if part > 0 {
            (bytes.get(at) == Some(&b'.')).then_some(())?;
            at += 1;
        }
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        (value(&bytes[at..at + digits], 10)? <= 255).then_some(())?;
        at += digits;
    }
    Some(at)
}

/// Returns the value of digits; `None` without a digit. A value that is too large stays too large.
fn value(digits: &[u8], radix: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    let add = |sum: u32, byte: &u8| {
        let digit = char::from(*byte).to_digit(radix).unwrap_or(0);
        sum.saturating_mul(radix).saturating_add(digit)
    };
    Some(digits.iter().fold(0, add))
}

/// Returns the length of an IPv6 address; its last four octets may be written as an IPv4 address.
pub(super) fn ipv6(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut groups = 0;
    let mut shortened = false;
    if bytes.starts_with(b"::") {
        (at, shortened) = (2, true);
    }
    loop {
        let rest = &bytes[at..];
        let digits = rest.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        if digits == 0 {
            break;
        }
        if rest.get(digits) == Some(&b'.')
            && groups <= 6
            && let Some(length) = ipv4(rest)
        {
            (groups, at) = (groups + 2, at + length);
            break;
        }
        (value(&rest[..digits], 16)? <= 0xffff).then_some(())?;
        (groups, at) = (groups + 1, at + digits);
        match &rest[digits..] {
            // With a second `::` it is not an address.
            [b':', b':', ..] if shortened => return None,
            [b':', b':', ..] => (at, shortened) = (at + 2, true),
            [b':', next, ..] if groups < 8 && next.is_ascii_hexdigit() => at += 1,
            _ => break,
        }
        if groups == 8 {
            break;
        }
    }
    let colons = bytes[..at].iter().filter(|byte| **byte == b':').count();
    let complete = if shortened { colons <= 7 } else { groups == 8 };
    complete.then_some(at)
}

/// Returns the length of at most `most` hexadecimal octets of two digits with colons between them.
pub(super) fn octets(bytes: &[u8], most: usize) -> Option<usize> {
    let octet = |at: usize| matches!(bytes.get(at..at + 2), Some([high, low]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
    if !octet(0) {
        return None;
    }
    let mut length = 2;
    for _ in 1..most {
        if bytes.get(length) != Some(&b':') || !octet(length + 1) {
            break;
        }
        length += 3;
    }
    Some(length)
}

/// Returns the length of a host name of at least two labels.
pub(super) fn hostname(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    let mut labels = 0;
    loop {
        let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'-';
        let length = bytes[at..].iter().take_while(is_label).count();
        if length == 0 {
            break;
        }
        labels += 1;
        at += length;
        if bytes.get(at) != Some(&b'.') {
            break;
        }
        at += 1;
    }
    (labels >= 2).then_some(at)
}
