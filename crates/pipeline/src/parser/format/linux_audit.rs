//! `linux-audit-parser()`: records of the audit system of Linux.
//!
//! In: `type=... msg=audit(...): key=value key="value" key=hex`. Out: a value for each key; text that the kernel
//! wrote as hex digits, digits, because of blanks, quotes or non-ASCII bytes, is decoded, with NULs as tabs.
//! Limits: those of [`Kv`].

use super::kv::Kv;

/// Fields that contain text of users, besides the arguments `a0`, `a1` and so on.
const TEXTS: [&[u8]; 15] = [
    b"acct",
    b"cmd",
    b"comm",
    b"cwd",
    b"data",
    b"dir",
    b"exe",
    b"key",
    b"name",
    b"new",
    b"ocomm",
    b"old",
    b"path",
    b"proctitle",
    b"watch",
];

impl Kv {
    /// Makes a parser of the pairs of audit records.
    pub fn linux_audit() -> Kv {
        Kv::new(b'=', ", ", None).decoding(decode)
    }
}

/// Reads hex digits of a field that may hold any text. A value that no kernel would have encoded stays.
fn decode(key: &[u8], value: &[u8], out: &mut Vec<u8>) -> bool {
    if !is_text(key) || value.len() < 2 || value.len() % 2 == 1 {
        return false;
    }
    let start = out.len();
    let mut needs_it = false;
    for pair in value.chunks_exact(2) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        let (Some(high), Some(low)) = (digit(0), digit(1)) else { return false };
        let byte = (high * 16 + low) as u8;
        needs_it |= !(0x21..0x7f).contains(&byte) || byte == b'"';
        out.push(if byte == 0 { b'\t' } else { byte });
    }
    needs_it && str::from_utf8(&out[start..]).is_ok()
}

fn is_text(key: &[u8]) -> bool {
    let is_argument = key.len() > 1 && key[0] == b'a' && key[1..].iter().all(u8::is_ascii_digit);
    is_argument || TEXTS.contains(&key)
}
