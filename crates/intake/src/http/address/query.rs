//! Query strings and escaped texts of addresses.
//!
//! In: text with `%XX`. Out: what it means. Holds: nothing. Limits: a wrong escape stays as it is.

/// The meaning of a plus sign: a blank in a query, itself in a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plus {
    Blank,
    Itself,
}

/// The pairs of a query string, values decoded.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (&str, String)> {
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(name, value)| (name, text(value)))
}

fn text(value: &str) -> String {
    String::from_utf8_lossy(&decoded(value, Plus::Blank)).into_owned()
}

/// Returns the bytes that a text means.
pub(crate) fn decoded(value: &str, plus: Plus) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let code = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%');
        bytes.push(code.unwrap_or(if *first == b'+' && plus == Plus::Blank { b' ' } else { *first }));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests;
