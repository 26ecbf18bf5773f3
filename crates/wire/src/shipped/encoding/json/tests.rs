//! Rows for tokens, errors with their offsets, and escapes.

use super::*;

/// Reads a complete value; shows its tokens, or the error and its offset.
fn show(json: &mut Json<'_>, bytes: &[u8]) -> Result<String, BodyError> {
    let text = |text: Text| {
        let raw = String::from_utf8_lossy(&bytes[text.start..text.end]).into_owned();
        if text.escaped { format!("'{raw}'") } else { raw }
    };
    let mut first = true;
    Ok(match json.token()? {
        Token::Null => "null".to_owned(),
        Token::True => "true".to_owned(),
        Token::False => "false".to_owned(),
        Token::Number { start, end } => String::from_utf8_lossy(&bytes[start..end]).into_owned(),
        Token::Text(found) => text(found),
        Token::Object => {
            let mut shown = Vec::new();
            while let Some(key) = json.key(&mut first)? {
                shown.push(format!("{}:{}", text(key), show(json, bytes)?));
            }
            format!("{{{}}}", shown.join(" "))
        }
        Token::Array => {
            let mut shown = Vec::new();
            while json.element(&mut first)? {
                shown.push(show(json, bytes)?);
            }
            format!("[{}]", shown.join(" "))
        }
    })
}

#[track_caller]
fn check(bytes: &str, want: &str) {
    let mut json = Json::new(bytes.as_bytes(), 0);
    let shown = match show(&mut json, bytes.as_bytes()) {
        Ok(shown) if json.is_at_end() => shown,
        Ok(shown) => format!("{shown} and more at {}", json.at),
        Err(error) => format!("{} at {}", error.reason, error.offset),
    };
    assert_eq!(shown, want, "{bytes}");
    // Skipping accepts the same values as reading, and refuses others at the same offset.
    let mut json = Json::new(bytes.as_bytes(), 0);
    let skipped = json.token().and_then(|token| json.skip(token));
    assert_eq!(skipped.is_ok(), !want.contains(" at ") || want.contains("and more"), "{bytes}");
}

#[test]
fn values_are_read_token_by_token() {
    check(" null", "null");
    check("true\t", "true");
    check("\r\nfalse", "false");
    check("-1.5e+3", "-1.5e+3");
    check("0", "0");
    check("\"a\"", "a");
    check("\"\"", "");
    check("\"a\\\"b\"", "'a\\\"b'");
    check("\"\\\\\"", "'\\\\'");
    check("[]", "[]");
    check("[ 1 , [ ] ,{}]", "[1 [] {}]");
    check("{ \"a\" : 1 , \"b\":[true,null]}", "{a:1 b:[true null]}");
    check("1 2", "1 and more at 2");
}

#[test]
fn errors_have_their_places() {
    check("", "the end of JSON at 0");
    check("  ", "the end of JSON at 2");
    check("x", "no JSON value at 0");
    check(" tru", "no JSON value at 1");
    check("nul", "no JSON value at 0");
    check("falsy", "no JSON value at 0");
    check("-", "no JSON number at 1");
    check("1.", "no JSON number at 2");
    check("1e+", "no JSON number at 3");
    check("\"a", "a JSON string without end at 0");
    check("\"a\\\"", "a JSON string without end at 0");
    check("[1 2]", "no comma between JSON values at 3");
    check("[1", "no comma between JSON values at 2");
    check("[,1]", "no JSON value at 1");
    check("[1,]", "no JSON value at 3");
    check("{1:2}", "no JSON key at 1");
    check("{\"a\" 1}", "no colon behind a JSON key at 5");
    check("{\"a\":1,}", "no JSON key at 7");
    check("{\"a\":1 \"b\":2}", "no comma between JSON values at 7");
    check("{\"a\"", "no colon behind a JSON key at 4");
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        for (depth, is_good) in [(DEPTH_MAX, true), (DEPTH_MAX + 1, true), (DEPTH_MAX + 2, false)] {
            let inner = if open == "[" { "" } else { "1" };
            // The innermost value has the depth of its brackets.
            let inner_depth = usize::from(!inner.is_empty());
            let bytes =
                format!("{}{inner}{}", open.repeat(depth - inner_depth), close.repeat(depth - inner_depth));
            let mut json = Json::new(bytes.as_bytes(), 0);
            let token = json.token().unwrap();
            let read = json.skip(token);
            assert_eq!(read.is_ok(), is_good, "{depth} {open}");
            assert!(is_good || read.unwrap_err().reason == "JSON too deep");
        }
    }
}

#[test]
fn a_part_keeps_its_place() {
    let bytes = b"xx[1,2]yy";
    let mut json = Json::within(bytes, 2..7);
    assert_eq!(show(&mut json, bytes).unwrap(), "[1 2]");
    assert!(json.is_at_end() && json.at == 7);
    let mut json = Json::within(bytes, 2..6);
    assert_eq!(show(&mut json, bytes).unwrap_err().offset, 6);
}

#[track_caller]
fn check_unescaped(raw: &str, want: &str) {
    let mut out = b"before ".to_vec();
    unescape(raw.as_bytes(), &mut out);
    assert_eq!(String::from_utf8_lossy(&out), format!("before {want}"), "{raw}");
}

#[test]
fn escapes_represent_characters() {
    check_unescaped("", "");
    check_unescaped("plain", "plain");
    check_unescaped(r#"a\"b\\c\/d"#, r#"a"b\c/d"#);
    check_unescaped(r"\n\t\r\b\f", "\n\t\r\u{8}\u{c}");
    check_unescaped(r"a\xb\", r"a\xb\");
    check_unescaped(r"\u0041\u00e9\u20AC!", "Aé€!");
    check_unescaped(r"\ud83d\ude00.", "😀.");
    check_unescaped(r"\ud800\udc00\udbff\udfff", "\u{10000}\u{10ffff}");
    // Half a pair, and pairs the wrong way round.
    check_unescaped(r"\ud83d!", "\u{fffd}!");
    check_unescaped(r"\ud83d", "\u{fffd}");
    check_unescaped(r"\ud83d\n", "\u{fffd}\n");
    check_unescaped(r"\ud83d\u0041", "\u{fffd}A");
    check_unescaped(r"\ude00\ud83d", "\u{fffd}\u{fffd}");
    check_unescaped(r"\udc00\udc00", "\u{fffd}\u{fffd}");
    check_unescaped(r"\u12", r"\u12");
    check_unescaped(r"\u+123", r"\u+123");
    check_unescaped(r"\u00g0", r"\u00g0");
}
