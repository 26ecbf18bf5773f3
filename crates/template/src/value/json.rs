//! JSON strings.
//!
//! In: the bytes of a value. Out: a string, appended. Holds nothing.
//! Limits: none; bytes that are not UTF-8 become `\xhh`.

/// Appends a JSON string. Bytes that are not UTF-8 become `\xhh`, with the backslash escaped for JSON.
pub(crate) fn append_string(value: &[u8], out: &mut Vec<u8>) {
    out.reserve(value.len() + 2);
    out.push(b'"');
    match std::str::from_utf8(value) {
        Ok(text) => append_text(text, out),
        Err(_) => {
            for chunk in value.utf8_chunks() {
                append_text(chunk.valid(), out);
                for byte in chunk.invalid() {
                    out.extend_from_slice(format!("\\\\x{byte:02x}").as_bytes());
                }
            }
        }
    }
    out.push(b'"');
}

/// Appends text. What needs no escape, which is nearly everything, is copied in one piece.
fn append_text(text: &str, out: &mut Vec<u8>) {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| is_escaped(*byte)) {
        out.extend_from_slice(&rest[..at]);
        append_escape(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

fn is_escaped(byte: u8) -> bool {
    byte < b' ' || matches!(byte, b'"' | b'\\' | 0x7f)
}

fn append_escape(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        0x8 => out.extend_from_slice(b"\\b"),
        0xc => out.extend_from_slice(b"\\f"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0 => out.extend_from_slice(b"\\\\x00"),
        byte => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
    }
}

#[cfg(test)]
mod tests;
