//! Answers of NRDP 2 in JSON, and of its older versions in XML.

use super::*;
use hyper::HeaderMap;

#[track_caller]
fn check(status: u16, body: &str, results: usize, want: &str) {
    let reply =
        Reply::Status { status, wait: None, headers: HeaderMap::new(), body: body.as_bytes().to_vec() };
    let found = match of_reply(reply, results) {
        Ok(()) => "Delivered".to_owned(),
        Err(failure) => format!("{:?} {}", failure.verdict, failure.answer),
    };
    assert_eq!(found, want, "{body}");
}

fn refused(message: &str) -> String {
    format!("{{\"result\":{{\"status\":-1,\"message\":\"{message}\"}}}}")
}

#[test]
fn an_answer_is_about_all_results() {
    let taken = |count: usize| {
        format!(
            "{{\"result\":{{\"status\":0,\"message\":\"OK\",\"meta\":{{\"output\":\"{count} checks processed\"}}}}}}"
        )
    };
    check(200, &taken(3), 3, "Delivered");
    check(200, "{\"result\":{\"status\":\"0\",\"message\":\"OK\"}}", 3, "Delivered");
    let few = "Hold(Schema) the server processed 0 of 3 results: it takes JSON since NRDP 2.0";
    check(200, &taken(0), 3, few);
    let xml = |status: i32, message: &str, count: usize| {
        format!(
            "<?xml version=\"1.0\"?>\n<result>\n  <status>{status}</status>\n  <message>{message}</message>\n    <meta>\n       <output>{count} checks processed.</output>\n    </meta>\n</result>\n"
        )
    };
    check(200, &xml(0, "OK", 3), 3, "Delivered");
    check(200, &xml(-1, "NO DATA", 0), 3, "Hold(Schema) the server answered: NO DATA");
    for body in ["", "NO REQUEST HANDLER", "<html>", "{}", "{\"result\":{}}", "<status>x</status>"] {
        check(200, body, 1, "Hold(Schema) this is no answer of NRDP");
    }
}

#[test]
fn a_refusal_holds_until_somebody_acts() {
    for (message, want) in [
        ("BAD TOKEN", "Hold(Credentials)"),
        ("NO TOKENS", "Hold(Credentials)"),
        ("NOT AUTHENTICATED", "Hold(Credentials)"),
        ("HTTPS REQUIRED", "Hold(Access)"),
        ("NO CHECK RESULTS DIR", "Hold(Schema)"),
        ("BAD JSON", "Hold(Schema)"),
        ("CANNOT OPEN TEMP FILE", "Later(BackOff)"),
        ("WRITE ERROR", "Later(BackOff)"),
    ] {
        check(200, &refused(message), 2, &format!("{want} the server answered: {message}"));
    }
    // A form that is too long for PHP arrives empty.
    check(200, &refused("NO TOKEN"), 2, "Split(TooLarge) the server answered: NO TOKEN");
    check(200, &refused("NO TOKEN"), 1, "Hold(Credentials) the server answered: NO TOKEN");
    check(401, "", 1, "Hold(Credentials) the server answered 401");
    check(404, "", 1, "Hold(Schema) the server answered 404");
    check(301, "", 1, "Hold(Schema) the server answered 301");
    check(413, "", 2, "Split(TooLarge) the server answered 413");
    check(500, "", 1, "Later(BackOff) the server answered 500");
    check(503, "", 1, "Later(Busy) the server answered 503");
}

#[test]
fn without_an_answer_results_are_sent_again() {
    let verdict = |reply| of_reply(reply, 1).unwrap_err().verdict;
    assert_eq!(verdict(Reply::Unreachable(String::new())), Verdict::Later(Wait::Reopen));
    assert_eq!(verdict(Reply::Broken(String::new())), Verdict::Later(Wait::Busy));
    assert_eq!(verdict(Reply::Silent), Verdict::Later(Wait::Busy));
}
