//! The escaping of values of macros before they become part of the text.
//!
//! In: a value. Out: the same, made harmless for quoted text or for a path. Holds nothing. Limits: none.

/// The escaping of values. Text of the template itself is never changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Escape {
    /// Not at all.
    #[default]
    None,
    /// `template-escape(yes)`: a backslash before quotes and backslashes, `\ooo` for control characters.
    Quotes,
    /// For file names: `/` and NUL become `_`, and so does a value of dots only, so that no message can leave
    /// the directory that the template names.
    FileName,
}

impl Escape {
    /// Escapes what was appended to `out` since `start`.
    pub(crate) fn apply(self, out: &mut Vec<u8>, start: usize) {
        match self {
            Escape::None => {}
            Escape::Quotes => quotes(out, start),
            Escape::FileName => file_name(&mut out[start..]),
        }
    }
}

fn quotes(out: &mut Vec<u8>, start: usize) {
    let harmless = |byte: &u8| !matches!(byte, b'"' | b'\'' | b'\\') && *byte >= b' ';
    if out[start..].iter().all(harmless) {
        return;
    }
    let value = out.split_off(start);
    for byte in value {
        match byte {
            b'"' | b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0..b' ' => {
                out.push(b'\\');
                out.extend([byte >> 6, byte >> 3 & 7, byte & 7].map(|digit| b'0' + digit));
            }
            _ => out.push(byte),
        }
    }
}

fn file_name(value: &mut [u8]) {
    if !value.is_empty() && value.iter().all(|byte| *byte == b'.') {
        value.fill(b'_');
    }
    for byte in value.iter_mut().filter(|byte| matches!(byte, b'/' | 0)) {
        *byte = b'_';
    }
}
