//! Quoted lists: `a,"b,c",d`, the form of `$TAGS` and of list functions.
//!
//! In: elements or a list. Out: the other. Holds nothing.
//! Limits: an empty element between commas is dropped, as syslog-ng does.

/// Appends an element of the list that starts at `start` of `out`; a comma comes before all but the first.
pub fn append_after(element: &[u8], start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b',');
    }
    let plain = |byte: &u8| {
        !matches!(byte, b',' | b'"' | b'\'' | b'\\' | b' ' | b'\t' | b'\n' | b'\r') && *byte > b' '
    };
    if !element.is_empty() && element.iter().all(plain) {
        out.extend_from_slice(element);
        return;
    }
    // Quotes of the kind that the element has not: so less is escaped.
    let quote = if element.contains(&b'"') && !element.contains(&b'\'') { b'\'' } else { b'"' };
    out.push(quote);
    for &byte in element {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'"' if quote == b'"' => out.extend_from_slice(&[b'\\', byte]),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            _ => out.push(byte),
        }
    }
    out.push(quote);
}

/// Returns the elements of a list.
pub fn elements(list: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < list.len() {
        match list[at] {
            b',' | b' ' => at += 1,
            quote @ (b'"' | b'\'') => {
                let (element, end) = quoted(list, at + 1, quote);
                found.push(element);
                at = end;
            }
            _ => {
                let end = memchr::memchr(b',', &list[at..]).map_or(list.len(), |comma| at + comma);
                let element = &list[at..end];
                found.push(element.trim_ascii_end().to_vec());
                at = end;
            }
        }
    }
    found
}

/// Reads up to the closing quote, and returns the offset after it as well.
fn quoted(list: &[u8], start: usize, quote: u8) -> (Vec<u8>, usize) {
    let mut element = Vec::new();
    let mut at = start;
    while let Some(&byte) = list.get(at) {
        at += 1;
        match byte {
            b'\\' if quote == b'"' => {
                let Some(&next) = list.get(at) else { break };
                at += 1;
                element.push(match next {
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'r' => b'\r',
                    other => other,
                });
            }
            _ if byte == quote => break,
            _ => element.push(byte),
        }
    }
    (element, at)
}

#[cfg(test)]
mod tests;
