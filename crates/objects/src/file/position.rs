//! Positions in JSON texts: the line and the column of a member.
//!
//! In: a JSON text that has been read without an error, names of members from the outside in. Out: where the value of the
//! last one begins; of the innermost one that is there, if not all are. Holds nothing. The depth is that of the names.

/// A position in a text; both count from 1, the column in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The position of the value of a member.
pub(crate) fn of_member(text: &[u8], names: &[&str]) -> Position {
    of_offset(text, offset_of_member(text, names))
}

/// The offset in bytes of the value of a member.
pub(crate) fn offset_of_member(text: &[u8], names: &[&str]) -> usize {
    let mut at = blanks(text, 0);
    for name in names {
        match member(text, at, name) {
            Some(value) => at = value,
            None => break,
        }
    }
    at
}

/// The position of an offset in bytes.
pub(crate) fn of_offset(text: &[u8], offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    Position { line, column: String::from_utf8_lossy(&before[start..]).chars().count() + 1 }
}

/// The offset of the value of a member of the object at an offset.
fn member(text: &[u8], object: usize, wanted: &str) -> Option<usize> {
    if text.get(object) != Some(&b'{') {
        return None;
    }
    let mut at = blanks(text, object + 1);
    while text.get(at) == Some(&b'"') {
        let end = string_end(text, at)?;
        let name: String = serde_json::from_slice(text.get(at..end)?).ok()?;
        let value = blanks(text, blanks(text, end) + 1);
        if name == wanted {
            return Some(value);
        }
        at = blanks(text, value_end(text, value)?);
        if text.get(at) == Some(&b',') {
            at = blanks(text, at + 1);
        }
    }
    None
}

/// The offset of the first byte that is no blank.
fn blanks(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// The offset behind a string.
fn string_end(text: &[u8], start: usize) -> Option<usize> {
    let mut is_escaped = false;
    let rest = text.get(start + 1..)?;
    let length = rest.iter().position(|byte| {
        let was_escaped = std::mem::take(&mut is_escaped);
        is_escaped = *byte == b'\\' && !was_escaped;
        *byte == b'"' && !was_escaped
    })?;
    Some(start + 1 + length + 1)
}

/// The offset behind a value.
fn value_end(text: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match text.get(at)? {
            b'"' => at = string_end(text, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                at += 1;
            }
            b',' if depth == 0 => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    //! Members found, and texts that are cut off.

    use super::*;

    #[track_caller]
    fn check(text: &str, names: &[&str], want: (usize, usize)) {
        let position = of_member(text.as_bytes(), names);
        assert_eq!((position.line, position.column), want, "{names:?}");
    }

    #[test]
    fn members_are_found_at_the_start_of_their_values() {
        let text = "{\n  \"a\": [{\"c\": \"}\\\"\"}, 1],\n  \"ä\" : {\"x\": {}, \"c\":  \n true}}";
        check(text, &[], (1, 1));
        check(text, &["a"], (2, 8));
        check(text, &["ä"], (3, 9));
        check(text, &["ä", "x"], (3, 15));
        check(text, &["ä", "c"], (4, 2));
        check(text, &["ä", "none"], (3, 9));
        check(text, &["a", "c"], (2, 8));
        check(" {}", &["a"], (1, 2));
        check("{\"\\u0061\": 1}", &["a"], (1, 12));
    }

    #[test]
    fn a_text_that_ends_early_still_has_a_position() {
        let text = "{\"a\": {\"b\": \"x\\\"y\", \"c\": [1, {}]}, \"d\": 5}";
        for end in 0..text.len() {
            for names in [&["d"][..], &["a", "c"], &["a", "z"]] {
                let position = of_member(&text.as_bytes()[..end], names);
                assert!(position.line == 1 && position.column <= end + 1, "{end} {names:?} {position:?}");
            }
        }
        assert_eq!(of_offset(b"a\nb", 99), Position { line: 2, column: 2 });
    }
}
