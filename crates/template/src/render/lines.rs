//! Value pairs as one line of text: WELF, the extension of CEF, and Graphite's lines.
//!
//! In: sorted pairs. Out: text, appended. Holds nothing.
//! Limits: bytes that are not UTF-8 become `\xhh`.

use super::pairs::Pairs;
use crate::renderer::OnError;

/// Appends `name=value name="other value"`.
pub(super) fn append_welf(found: &Pairs, out: &mut Vec<u8>) {
    for (count, (name, entry)) in found.iter().enumerate() {
        if count > 0 {
            out.push(b' ');
        }
        out.extend_from_slice(name);
        out.push(b'=');
        welf_value(&entry.value, out);
    }
}

fn welf_value(value: &[u8], out: &mut Vec<u8>) {
    let quote = value.contains(&b' ');
    if quote {
        out.push(b'"');
    }
    escaped(value, out, |char, out| match char {
        '"' if quote => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\0'..' ' => out.extend_from_slice(format!("\\x{:02x}", char as u32).as_bytes()),
        _ => plain(char, out),
    });
    if quote {
        out.push(b'"');
    }
}

/// Appends `name=value name=other value`. A name must consist of letters, digits and `_`: others are left out, or, if
/// `on-error()` drops messages, make the whole output invalid: then it returns false.
pub(super) fn append_cef(found: &Pairs, on_error: OnError, out: &mut Vec<u8>) -> bool {
    let start = out.len();
    for (name, entry) in found {
        if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
            if on_error == OnError::DropMessage {
                return false;
            }
            continue;
        }
        if out.len() > start {
            out.push(b' ');
        }
        out.extend_from_slice(name);
        out.push(b'=');
        escaped(&entry.value, out, |char, out| match char {
            '\\' | '=' => out.extend_from_slice(&[b'\\', char as u8]),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\0'..' ' => out.extend_from_slice(format!("\\u{:04x}", char as u32).as_bytes()),
            _ => plain(char, out),
        });
    }
    true
}

/// Appends `name value seconds`, a line each.
pub(super) fn append_graphite(found: &Pairs, seconds: &[u8], out: &mut Vec<u8>) {
    for (name, entry) in found {
        for part in [name, b" ".as_slice(), &entry.value, b" ", seconds, b"\n"] {
            out.extend_from_slice(part);
        }
    }
}

fn escaped(value: &[u8], out: &mut Vec<u8>, mut append: impl FnMut(char, &mut Vec<u8>)) {
    for chunk in value.utf8_chunks() {
        chunk.valid().chars().for_each(|char| append(char, out));
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\x{byte:02x}").as_bytes());
        }
    }
}

fn plain(char: char, out: &mut Vec<u8>) {
    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}
