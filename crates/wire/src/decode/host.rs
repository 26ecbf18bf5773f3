//! Finds the end of a host name, and checks that it is one.
//!
//! In: the bytes at its position. Out: its end. A name ends at a blank; a colon ends it too (then it was a tag),
//! except within what may be an IPv6 address. Holds nothing. Limits: [`HOST_BYTES_MAX`] bytes.

use super::{HostnameTest, ParseFlags, scan::Scan, words};

/// Longest host name; longer text is not a host name.
const HOST_BYTES_MAX: usize = 255;
const IPV6_GROUPS: usize = 8;
const IPV6_GROUP_DIGITS: usize = 4;

impl Scan<'_> {
    /// Returns the end of the host name at `at`, which is at a blank; `None` when there is no host name.
    #[inline]
    pub(super) fn host_end(&self, at: usize, bad: Option<&HostnameTest>) -> Option<usize> {
        let rest = &self.line[at..];
        let window = &rest[..rest.len().min(HOST_BYTES_MAX + 1)];
        let stop = words::first_of([b' ', b'[', b':'], window)?;
        let length = if window[stop] == b':' { ipv6_end(window)? } else { stop };
        if window.get(length) != Some(&b' ') {
            return None;
        }
        let name = &window[..length];
        let refused = self.has(ParseFlags::CHECK_HOSTNAME) && !name.iter().all(is_host_byte)
            || bad.is_some_and(|bad| bad(name));
        (!refused).then_some(at + length)
    }
}

/// Returns the end of a name with a colon in it, when everything before each colon looks like an IPv6 address.
fn ipv6_end(window: &[u8]) -> Option<usize> {
    let (mut groups, mut digits, mut address) = (0, 0, true);
    for (index, byte) in window.iter().enumerate() {
        if matches!(byte, b' ' | b'[') {
            return Some(index);
        }
        if address {
            if *byte == b':' {
                digits = 0;
                groups += 1;
            } else {
                digits += 1;
            }
            address = (*byte == b':' || byte.is_ascii_hexdigit())
                && digits <= IPV6_GROUP_DIGITS
                && groups < IPV6_GROUPS;
        }
        if *byte == b':' && !address {
            return None;
        }
    }
    None
}

fn is_host_byte(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.:@/".contains(byte)
}
