//! Passwords that many people have, and that attackers therefore try first.
//!
//! In: a password in small letters. Out: true if it is in the list. Holds: 16,293 hashes of passwords of eight characters and more,
//! four bytes each, made by `tools/common_passwords.py`. Limits: one of 250,000 others is taken for one of them.

use aws_lc_rs::digest;

/// The list: 256 big-endian counts of 16 bits by first byte of the hash, then three bytes for each hash, in order.
static LIST: &[u8] = include_bytes!("blocklist.bin");
const FIRST_BYTES: usize = 256;
const HEAD_BYTES: usize = 2 * FIRST_BYTES;
const REST_BYTES: usize = 3;

/// Returns true if a password is in the list.
pub(super) fn contains(password: &str) -> bool {
    let hash = digest::digest(&digest::SHA256, password.as_bytes());
    let [first, rest @ ..] = hash.as_ref() else { return false };
    let Some((head, rests)) = LIST.split_at_checked(HEAD_BYTES) else { return false };
    let count = |pair: &[u8]| usize::from(u16::from_be_bytes([pair[0], pair[1]]));
    let first = usize::from(*first);
    let start: usize = head.chunks_exact(2).take(first).map(count).sum();
    let Some(length) = head.chunks_exact(2).nth(first).map(count) else { return false };
    let found = rests.get(start * REST_BYTES..(start + length) * REST_BYTES).unwrap_or_default();
    found.chunks_exact(REST_BYTES).any(|known| rest.starts_with(known))
}

#[cfg(test)]
mod tests {
    //! The list itself.

    use super::*;

    #[test]
    fn the_list_is_whole_and_in_order() {
        let counts: Vec<usize> = LIST[..HEAD_BYTES]
            .chunks_exact(2)
            .map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])))
            .collect();
        let total: usize = counts.iter().sum();
        assert_eq!(LIST.len(), HEAD_BYTES + total * REST_BYTES);
        assert!(total > 16_000, "{total}");
        let mut at = HEAD_BYTES;
        for count in counts {
            let rests: Vec<&[u8]> = LIST[at..at + count * REST_BYTES].chunks_exact(REST_BYTES).collect();
            assert!(rests.is_sorted(), "the hashes behind byte {at} are not in order");
            at += count * REST_BYTES;
        }
    }

    #[test]
    fn common_passwords_are_found_and_others_are_not() {
        for common in ["password", "12345678", "iloveyou", "sunshine", "football", "qwertyuiop"] {
            assert!(contains(common), "{common}");
        }
        for other in ["", "a long password", "Password", "correct horse battery staple", "\u{e9}t\u{e9}"] {
            assert!(!contains(other), "{other}");
        }
    }
}
