//! What statuses and codes mean.

use super::*;
use hyper::HeaderMap;

fn reply(status: u16, code: &str, wait: Option<Duration>) -> Reply {
    let body = match code {
        "" => Vec::new(),
        code => format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>no</Message></Error>")
            .into_bytes(),
    };
    Reply::Status { status, wait, headers: HeaderMap::new(), body }
}

#[track_caller]
fn check(status: u16, codes: &[&str], want: Verdict) {
    for code in codes {
        let found = of_reply(reply(status, code, None))
            .map_or_else(|failure| failure.verdict, |()| Verdict::Delivered);
        assert_eq!(found, want, "{status} {code}");
    }
}

#[test]
fn an_answer_says_whether_messages_wait_or_die() {
    let hold = Verdict::Hold;
    check(200, &[""], Verdict::Delivered);
    check(204, &[""], Verdict::Delivered);
    check(412, &["PreconditionFailed", ""], Verdict::Delivered);
    check(412, &["Other"], Verdict::Dead(DeadReason::Rejected));
    check(403, &["SignatureDoesNotMatch", "InvalidAccessKeyId"], hold(HoldReason::Credentials));
    check(400, &["ExpiredToken", "AuthorizationHeaderMalformed"], hold(HoldReason::Credentials));
    check(401, &[""], hold(HoldReason::Credentials));
    check(403, &["AccessDenied", "AllAccessDisabled", "", "Unknown"], hold(HoldReason::Access));
    check(403, &["RequestTimeTooSkewed"], Verdict::Later(Wait::Busy));
    check(404, &["NoSuchBucket", ""], hold(HoldReason::Schema));
    check(301, &["PermanentRedirect", ""], hold(HoldReason::Schema));
    check(
        400,
        &["InvalidStorageClass", "InvalidArgument", "KMS.NotFoundException", ""],
        hold(HoldReason::Schema),
    );
    check(405, &["MethodNotAllowed"], hold(HoldReason::Schema));
    check(501, &["NotImplemented", ""], hold(HoldReason::Schema));
    check(507, &["", "XMinioStorageFull"], hold(HoldReason::Quota));
    check(409, &["ConditionalRequestConflict", "OperationAborted", ""], Verdict::Later(Wait::Busy));
    check(429, &["", "TooManyRequests"], Verdict::Later(Wait::Busy));
    check(503, &["SlowDown", "ServiceUnavailable", ""], Verdict::Later(Wait::Busy));
    check(500, &["InternalError", ""], Verdict::Later(Wait::BackOff));
    check(400, &["BadDigest", "RequestTimeout", "IncompleteBody"], Verdict::Later(Wait::BackOff));
    check(400, &["EntityTooLarge"], Verdict::Split(DeadReason::TooLarge));
    check(413, &["", "Unknown"], Verdict::Split(DeadReason::TooLarge));
    check(400, &["KeyTooLongError"], Verdict::Dead(DeadReason::BadName));
    check(400, &["Unknown"], Verdict::Dead(DeadReason::Rejected));
    let second = Some(Duration::from_secs(1));
    for (status, code) in [(503, "SlowDown"), (429, ""), (500, "InternalError")] {
        let failure = of_reply(reply(status, code, second)).unwrap_err();
        assert_eq!(failure.verdict, Verdict::Later(Wait::For(Duration::from_secs(1))), "{status} {code}");
    }
}

#[track_caller]
fn check_answer(status: u16, body: &str, want: &str) {
    let body = body.as_bytes().to_vec();
    assert_eq!(
        of_reply(Reply::Status { status, wait: None, headers: HeaderMap::new(), body }).unwrap_err().answer,
        want
    );
}

#[test]
fn the_words_of_a_server_are_kept_on_one_line() {
    check_answer(
        403,
        "<Error><Code>AccessDenied</Code><Message>a &lt;b&gt; &amp;lt;\n c</Message></Error>",
        "the server answered 403 AccessDenied a <b> &lt; c",
    );
    check_answer(
        403,
        "<Error><Code>RequestTimeTooSkewed</Code></Error>",
        "the server answered 403 RequestTimeTooSkewed: the clock of this machine, or that of the server, is wrong",
    );
    check_answer(502, "<html>Bad gateway", "the server answered 502: this is no answer of S3");
    let long = format!("<Code>X</Code><Message>{}</Message>", "y".repeat(999));
    check_answer(400, &long, &format!("the server answered 400 X {}", "y".repeat(ANSWER_CHARACTERS_MAX)));
}

#[test]
fn without_an_answer_rows_are_sent_again() {
    let verdict = |reply| of_reply(reply).unwrap_err().verdict;
    assert_eq!(verdict(Reply::Unreachable(String::new())), Verdict::Later(Wait::Reopen));
    assert_eq!(verdict(Reply::Broken(String::new())), Verdict::Later(Wait::Busy));
    assert_eq!(verdict(Reply::Silent), Verdict::Later(Wait::Busy));
}
