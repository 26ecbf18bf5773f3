//! Heads of answers, and texts within JSON.

use super::*;

#[test]
fn a_refusal_says_what_its_client_needs() {
    for (status, retry, challenge) in
        [(200, false, false), (429, true, false), (503, true, false), (401, false, true)]
    {
        let answer = text(StatusCode::from_u16(status).unwrap(), "x");
        let has = |name: &HeaderName| answer.headers().contains_key(name);
        assert_eq!((has(&RETRY_AFTER), has(&WWW_AUTHENTICATE)), (retry, challenge), "{status}");
        assert_eq!(answer.headers()[CONTENT_TYPE], "text/plain; charset=utf-8");
    }
    assert_eq!(json(StatusCode::OK, "{}").headers()[CONTENT_TYPE], "application/json");
    assert!(!nothing(StatusCode::NO_CONTENT).headers().contains_key(CONTENT_TYPE));
    assert_eq!(with(nothing(StatusCode::OK), "x-name", "value").headers()["x-name"], "value");
}

#[test]
fn texts_are_quoted() {
    for (value, want) in [
        ("", "\"\""),
        ("plain é", "\"plain é\""),
        ("a\"b\\c", "\"a\\\"b\\\\c\""),
        ("\n\u{1f} \0", "\"\\u000a\\u001f \\u0000\""),
    ] {
        assert_eq!(quoted(value), want);
    }
}
