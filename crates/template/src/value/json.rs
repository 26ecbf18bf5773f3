//! JSON strings.
//!
//! In: the bytes of a value. Out: a string, appended. Holds nothing.
//! Limits: none; bytes that are not UTF-8 become `\xhh`.

/// Appends a JSON string. Bytes that are not UTF-8 become `\xhh`, with the backslash escaped for JSON.
pub(crate) fn append_string(value: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for chunk in value.utf8_chunks() {
        for char in chunk.valid().chars() {
            match char {
                '"' | '\\' => out.extend_from_slice(&[b'\\', char as u8]),
                '\u{8}' => out.extend_from_slice(b"\\b"),
                '\u{c}' => out.extend_from_slice(b"\\f"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\t' => out.extend_from_slice(b"\\t"),
                '\0' => out.extend_from_slice(b"\\\\x00"),
                '\u{1}'..' ' | '\u{7f}' => {
                    out.extend_from_slice(format!("\\u{:04x}", char as u32).as_bytes())
                }
                _ => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\\\x{byte:02x}").as_bytes());
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests;
